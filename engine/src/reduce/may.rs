//! What every instruction of a program, and every rule that no instruction sets off, may read and write.

use super::bits::Bits;
use super::value::{Atoms, Known, Matches};
use super::walk::{Contents, Walk};
use crate::eval::Fault;
use crate::machine::{Machine, size};
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::program::{IntExpr, Op, Operand};
use litmpi_spec::types::{Sort, Ty};
use std::collections::BTreeSet;

/// What instances of one rule may read and write.
#[derive(Debug, Clone)]
pub(crate) struct May {
    pub(crate) rule: usize,
    /// The values of its parameters, if it is one instance that no instruction sets off.
    pub(crate) params: Vec<Word>,
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
}

impl May {
    /// Adds to a list with one entry a rule.
    fn join_into(&self, list: &mut Vec<May>) -> bool {
        match list.iter_mut().find(|m| m.rule == self.rule) {
            Some(m) => m.reads.join(&self.reads) | m.writes.join(&self.writes),
            None => {
                list.push(self.clone());
                true
            }
        }
    }
}

/// The whole program's.
#[derive(Debug)]
pub(crate) struct Footprints {
    /// By thread and program counter: what the thread may do from there on.
    pub(crate) from: Vec<Vec<Vec<May>>>,
    /// Those that may ever fire, by rule in the order of the machine, then by parameters.
    pub(crate) free: Vec<May>,
}

/// Values of a rule's parameters, the thread of `on` aside, in the order of the machine.
pub(crate) fn params(m: &Machine, rule: usize, thread: Option<Word>) -> Vec<Vec<Word>> {
    let r = &m.spec.rules[rule];
    let mut all = vec![vec![]];
    for (i, (_, sort)) in r.params.iter().enumerate() {
        let values: Vec<Word> = match (&r.on, thread) {
            (Some((p, _, _)), Some(t)) if *p == i => vec![t],
            _ => (0..size(&m.program, *sort) as Word).collect(),
        };
        all = all.iter().flat_map(|ps| values.iter().map(move |v| [ps.as_slice(), &[*v]].concat())).collect();
    }
    all
}

/// Runs the analysis until nothing new is found.
pub(crate) fn footprints(m: &Machine) -> Result<Footprints, Fault> {
    let mut contents = Contents::new(m);
    for slot in m.program.threads.len()..m.width() {
        if let (_, Some(ty)) = m.slot(slot) {
            initial(m, &ty, m.initial()[slot], &mut contents);
            contents.put(slot, &value(m, &ty, m.initial()[slot], contents.atoms));
        }
    }
    for (c, word) in m.spec.consts.iter().zip(&m.consts) {
        initial(m, &c.ty, *word, &mut contents);
    }
    loop {
        contents.grew = false;
        let found = pass(m, &mut contents)?;
        if !contents.grew {
            return Ok(found);
        }
    }
}

/// What is known of a value of this type.
fn value(m: &Machine, ty: &Ty, word: Word, atoms: Atoms) -> Known {
    Known { word: Some(word), atoms: atoms.none() }.of_type(ty, m, atoms)
}

/// What records and constructors hold in a value that no rule made.
fn initial(m: &Machine, ty: &Ty, word: Word, contents: &mut Contents) {
    match ty {
        Ty::Seq(t) | Ty::Option(t) => m.heap.get(word).iter().for_each(|w| initial(m, t, *w, contents)),
        Ty::Tuple(ts) => ts.iter().zip(m.heap.get(word)).for_each(|(t, w)| initial(m, t, *w, contents)),
        Ty::Record(r) => {
            let fields = &m.spec.types.records[*r].fields;
            for (i, ((_, t), w)) in fields.iter().zip(m.heap.get(word)).enumerate() {
                contents.put_in_record(*r, i, &value(m, t, *w, contents.atoms));
                initial(m, t, *w, contents);
            }
        }
        Ty::Variant(_) => {
            let Some((c, rest)) = m.heap.get(word).split_first() else { return };
            let fields = &m.spec.types.ctors[*c as usize].fields;
            for (i, ((_, t), w)) in fields.iter().zip(rest).enumerate() {
                contents.put_in_ctor(*c as usize, i, &value(m, t, *w, contents.atoms));
                initial(m, t, *w, contents);
            }
        }
        _ => {}
    }
}

fn pass(m: &Machine, contents: &mut Contents) -> Result<Footprints, Fault> {
    let mut from = vec![];
    for (t, thread) in m.program.threads.iter().enumerate() {
        let mut own = Bits::new(m.width());
        own.add(t);
        (0..thread.regs.len()).for_each(|r| own.add(m.reg_slot(t, r)));
        let mut here: Vec<Vec<May>> = vec![vec![]; thread.code.len() + 1];
        for (pc, op) in thread.code.iter().enumerate() {
            let Op::Exec { instr, args, stored, .. } = op else { continue };
            let mut own = own.clone();
            for (slot, word) in m.stored(stored) {
                own.add(slot);
                contents.put(slot, &Known { word: Some(word), atoms: contents.atoms.none() });
            }
            let mut found = vec![];
            for rule in &m.by_instr[*instr] {
                for ps in params(m, *rule, Some(t as Word)) {
                    if let Some(mut may) = instance(m, contents, *rule, &ps, Some((t, args))) {
                        may.reads.join(&own);
                        may.writes.join(&own);
                        may.join_into(&mut found);
                    }
                }
            }
            if !found.is_empty() {
                let reads = silent(m, contents, t, pc + 1);
                for may in &mut found {
                    may.reads.join(&reads);
                }
            }
            here[pc] = found;
        }
        from.push(onwards(here, &thread.code));
    }
    let mut free = vec![];
    for rule in &m.free {
        for ps in params(m, *rule, None) {
            if let Some(may) = instance(m, contents, *rule, &ps, None) {
                free.push(May { params: ps, ..may });
            }
        }
    }
    Ok(Footprints { from, free })
}

/// What the silent steps of a thread may read from a place on, of what is not its own.
fn silent(m: &Machine, contents: &mut Contents, t: usize, from: usize) -> Bits {
    let code = &m.program.threads[t].code;
    let mut reads = Bits::new(m.width());
    let (mut todo, mut seen) = (vec![from], BTreeSet::new());
    while let Some(pc) = todo.pop() {
        if !seen.insert(pc) {
            continue;
        }
        match code.get(pc) {
            Some(Op::Set(..)) => todo.push(pc + 1),
            Some(Op::Branch(_, to)) => todo.extend([pc + 1, *to]),
            Some(Op::Jump(to)) => todo.push(*to),
            Some(Op::Bring(brought)) => {
                for (reg, values) in brought {
                    let ty = m.reg_type(t, *reg);
                    initial(m, ty, m.packed(ty, &mut values.iter().copied()), contents);
                }
                todo.push(pc + 1);
            }
            Some(Op::Ask(ask)) => {
                let slots = ask.areas.iter().flatten().filter_map(|l| m.loc_slot(*l));
                slots.for_each(|slot| reads.add(slot));
                if let Some(f) = m.unfolding.readable {
                    for area in &ask.areas {
                        let mut walk = Walk::new(m, contents);
                        let cells: Vec<Known> = area.iter().map(|l| walk.element(Sort::Loc, *l as Word)).collect();
                        let args =
                            vec![walk.element(Sort::Node, m.program.threads[t].node as Word), walk.made(&cells, None)];
                        walk.call(f, args);
                        reads.join(&walk.reads);
                    }
                }
                for (loc, _) in &ask.watched {
                    m.loc_slot(*loc).into_iter().for_each(|slot| reads.add(slot));
                    if let Some(f) = m.unfolding.steady {
                        let mut walk = Walk::new(m, contents);
                        let args = vec![
                            walk.element(Sort::Node, m.program.threads[t].node as Word),
                            walk.element(Sort::Loc, *loc as Word),
                        ];
                        walk.call(f, args);
                        reads.join(&walk.reads);
                    }
                }
                todo.extend(ask.then.values());
            }
            _ => {}
        }
    }
    reads
}

/// What may be done from each place on, from what may be done at each.
fn onwards(mut here: Vec<Vec<May>>, code: &[Op]) -> Vec<Vec<May>> {
    let (mut grew, ends) = (true, here.len());
    while grew {
        grew = false;
        for (pc, op) in code.iter().enumerate().rev() {
            let next: Vec<usize> = match op {
                Op::Exec { .. } | Op::Set(..) => vec![pc + 1],
                Op::Branch(_, to) => vec![pc + 1, *to],
                Op::Jump(to) => vec![*to],
                Op::Choose(targets) => targets.clone(),
                Op::Bring(_) => vec![pc + 1],
                Op::Ask(ask) => ask.then.values().copied().collect(),
                Op::Cut | Op::Early | Op::Spin | Op::Lost | Op::Gone => vec![],
            };
            for to in next.into_iter().filter(|to| *to < ends) {
                let later = std::mem::take(&mut here[to]);
                for may in &later {
                    grew |= may.join_into(&mut here[pc]);
                }
                here[to] = later;
            }
        }
    }
    here
}

/// What an instance may read and write; none if it can never fire.
fn instance(
    m: &Machine,
    contents: &mut Contents,
    rule: usize,
    params: &[Word],
    on: Option<(usize, &[Operand])>,
) -> Option<May> {
    let r = &m.spec.rules[rule];
    let mut walk = Walk::new(m, contents);
    let mut env = vec![walk.unknown(); r.slots];
    for (i, ((_, sort), v)) in r.params.iter().zip(params).enumerate() {
        env[i] = walk.element(*sort, *v);
    }
    if let (Some((_, instr, pats)), Some((t, args))) = (&r.on, on) {
        for ((pat, arg), p) in pats.iter().zip(args).zip(&m.spec.instructions.list[*instr].params) {
            let v = operand(&walk, t, arg, p.list);
            if walk.bind(pat, &v, &mut env) == Matches::No {
                return None;
            }
        }
    }
    for p in &r.when {
        if !walk.premise(p, &mut env) {
            return None;
        }
    }
    for (e, _) in &r.requires {
        walk.expr(e, &mut env);
    }
    walk.updates(&r.then, &mut env);
    let mut writes = Bits::new(m.width());
    walk.writes.iter().filter(|slot| !m.looks.drops(*slot)).for_each(|slot| writes.add(slot));
    Some(May { rule, params: vec![], reads: walk.reads, writes })
}

/// What is known of an argument.
fn operand(walk: &Walk<'_>, t: usize, o: &Operand, list: bool) -> Known {
    match o {
        Operand::Loc(l) => walk.element(Sort::Loc, *l as Word),
        Operand::Node(n) => walk.element(Sort::Node, *n as Word),
        Operand::Reg(r) => {
            let slot = walk.m.register(t, *r);
            let mut known = walk.plain(slot);
            known.atoms.add(walk.contents.atoms.register(slot));
            known
        }
        Operand::NoReg if list => walk.plain(EMPTY),
        Operand::NoReg => walk.plain(0),
        Operand::Int(e) => constant(e).map_or_else(|| walk.unknown(), |v| walk.plain(v as Word)),
        Operand::List(os) => {
            let parts: Vec<Known> = os.iter().map(|o| operand(walk, t, o, false)).collect();
            walk.made(&parts, None)
        }
    }
}

/// The value of an expression in which no register occurs, of the forms that programs are written with.
fn constant(e: &IntExpr) -> Option<i32> {
    match e {
        IntExpr::Const(v, _) => Some(*v),
        IntExpr::Unary(litmpi_spec::program::UnaryOp::Neg, a) => constant(a)?.checked_neg(),
        _ => None,
    }
}
