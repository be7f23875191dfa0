//! What every instruction of a program, and every rule that no instruction sets off, may read and write.

use super::bits::{Bits, Few};
use super::contents::Contents;
use super::followed::Args;
use super::value::{Known, Matches};
use super::walk::Walk;
use crate::machine::{Machine, size};
use indexmap::IndexSet;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::program::{IntExpr, Op, Operand, UnaryOp};
use litmpi_spec::types::{Sort, Ty};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::smallvec;
use std::collections::BTreeSet;

/// What instances of one rule may read and write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct May {
    pub(crate) rule: usize,
    /// The values of its parameters, if it is one instance.
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
    /// By thread: what it may do from each place on.
    pub(crate) from: Vec<Onwards>,
    /// Those that may ever fire, by rule in the order of the machine, then by parameters.
    pub(crate) free: Vec<May>,
}

impl Footprints {
    /// The rules that may ever fire.
    pub(crate) fn rules(&self) -> impl Iterator<Item = usize> {
        let of_threads = self.from.iter().flat_map(|from| from.all().map(|(_, may)| may.rule));
        of_threads.chain(self.free.iter().map(|may| may.rule))
    }
}

/// What a thread may do from each place of its code on, the end included. Many places have the same.
#[derive(Debug)]
pub(crate) struct Onwards {
    /// By program counter.
    class: Vec<u32>,
    classes: Vec<Vec<May>>,
}

impl Onwards {
    fn new(all: Vec<Vec<May>>) -> Onwards {
        let mut classes: IndexSet<Vec<May>, FxBuildHasher> = IndexSet::default();
        let class = all.into_iter().map(|mays| classes.insert_full(mays).0 as u32).collect();
        Onwards { class, classes: classes.into_iter().collect() }
    }

    /// How many classes of places there are that have the same.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The class of a place; of one behind the end, that of the end.
    pub(crate) fn class(&self, pc: usize) -> usize {
        self.class[pc.min(self.class.len() - 1)] as usize
    }

    /// What may be done from a place on; nothing at the end and behind it.
    pub(crate) fn at(&self, pc: usize) -> &[May] {
        &self.classes[self.class(pc)]
    }

    /// What may be done from the places of each class.
    pub(crate) fn all(&self) -> impl Iterator<Item = (usize, &May)> {
        self.classes.iter().enumerate().flat_map(|(class, mays)| mays.iter().map(move |may| (class, may)))
    }
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
pub(crate) fn footprints(m: &Machine) -> Footprints {
    // Of a process that runs more is known than before: what was found is found, and what follows from the rest is added. The result is
    // the same as if all were found anew, since the least that holds of more code holds of less.
    let Analysis { mut contents, mut done } = m.remembered.analysis().take().unwrap_or_else(|| Analysis::new(m));
    for slot in m.program.threads.len()..m.width() {
        if let (_, Some(ty)) = m.slot(slot) {
            initial(m, &ty, m.initial()[slot], &mut contents);
            contents.put(slot, contents.value(m, &ty, m.initial()[slot]));
        }
    }
    for (c, word) in m.spec.consts.iter().zip(&m.consts) {
        initial(m, &c.ty, *word, &mut contents);
    }
    loop {
        let before = contents.growths();
        let found = pass(m, &mut contents, &mut done);
        if contents.growths() == before {
            if m.program.threads.iter().flat_map(|t| &t.code).any(|op| matches!(op, Op::Ask(_))) {
                // Where a process goes on changes as more is known.
                done.silent.clear();
                *m.remembered.analysis() = Some(Analysis { contents, done });
            }
            return found;
        }
    }
}

/// What the passes have found, for a program of which more is known later.
pub(crate) struct Analysis {
    contents: Contents,
    done: Done,
}

impl Analysis {
    fn new(m: &Machine) -> Analysis {
        Analysis { contents: Contents::new(m), done: Done::default() }
    }
}

/// What was found of a part of the program, and what of the contents was looked at for it: it is found anew only when more is known
/// of that.
struct Found<T> {
    found: T,
    looked: Few,
    /// How often more had become known when it was begun.
    since: usize,
}

impl<T: Clone> Found<T> {
    /// What was found, or is found now.
    fn or_again(
        kept: &mut Option<Found<T>>,
        contents: &mut Contents,
        find: impl FnOnce(&mut Contents) -> (T, Few),
    ) -> T {
        if let Some(k) = kept.as_ref().filter(|k| !contents.has_grown(&k.looked, k.since)) {
            return k.found.clone();
        }
        let since = contents.growths();
        let (found, looked) = find(contents);
        kept.insert(Found { found, looked, since }).found.clone()
    }
}

/// A call of a thread: thread, instruction, arguments. What a process that runs has done by its answers is many places with the
/// same call.
type Calls = FxHashMap<(usize, usize), Vec<(Vec<Operand>, Option<Found<Vec<May>>>)>>;

/// What the passes so far have found.
#[derive(Default)]
struct Done {
    calls: Calls,
    /// By thread and place: what is read silently from there on.
    silent: FxHashMap<(usize, usize), Option<Found<Bits>>>,
    /// In the order of the machine.
    free: Vec<Option<Found<Option<May>>>>,
}

/// What records and constructors hold in a value that no rule made.
fn initial(m: &Machine, ty: &Ty, word: Word, contents: &mut Contents) {
    match ty {
        Ty::Seq(t) | Ty::Set(t) | Ty::Map(t) | Ty::Option(t) => {
            m.heap.get(word).iter().for_each(|w| initial(m, t, *w, contents))
        }
        Ty::Tuple(ts) => ts.iter().zip(m.heap.get(word)).for_each(|(t, w)| initial(m, t, *w, contents)),
        Ty::Record(r) => {
            let fields = &m.spec.types.records[*r].fields;
            for (i, ((_, t), w)) in fields.iter().zip(m.heap.get(word)).enumerate() {
                contents.put_in_record(*r, i, contents.value(m, t, *w));
                initial(m, t, *w, contents);
            }
        }
        Ty::Variant(_) => {
            let Some((c, rest)) = m.heap.get(word).split_first() else { return };
            let fields = &m.spec.types.ctors[*c as usize].fields;
            for (i, ((_, t), w)) in fields.iter().zip(rest).enumerate() {
                contents.put_in_ctor(*c as usize, i, contents.value(m, t, *w));
                initial(m, t, *w, contents);
            }
        }
        _ => {}
    }
}

fn pass(m: &Machine, contents: &mut Contents, done: &mut Done) -> Footprints {
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
                contents.put(slot, Known::plain(word));
            }
            let same = done.calls.entry((t, *instr)).or_default();
            let kept = same.iter().position(|(of, _)| of == args).unwrap_or_else(|| {
                same.push((args.clone(), None));
                same.len() - 1
            });
            let find = |contents: &mut Contents| called(m, contents, t, *instr, args);
            let mut found = Found::or_again(&mut same[kept].1, contents, find);
            if !found.is_empty() {
                let find = |contents: &mut Contents| silent(m, contents, t, pc + 1);
                let reads = Found::or_again(done.silent.entry((t, pc)).or_default(), contents, find);
                found.iter_mut().for_each(|may| _ = may.reads.join(&reads));
            }
            for may in &mut found {
                may.reads.join(&own);
                may.writes.join(&own);
            }
            here[pc] = found;
        }
        from.push(Onwards::new(onwards(here, &thread.code)));
    }
    let mut free = vec![];
    let all = m.free.iter().flat_map(|rule| params(m, *rule, None).into_iter().map(move |ps| (*rule, ps)));
    for (i, (rule, ps)) in all.enumerate() {
        if i == done.free.len() {
            done.free.push(None);
        }
        let found = Found::or_again(&mut done.free[i], contents, |contents| instance(m, contents, rule, &ps, None));
        free.extend(found.map(|may| May { params: ps, ..may }));
    }
    Footprints { from, free }
}

/// What a thread may do at a call, by rule, and what was looked at to find it.
fn called(m: &Machine, contents: &mut Contents, t: usize, instr: usize, args: &[Operand]) -> (Vec<May>, Few) {
    let (mut found, mut looked) = (vec![], Few::default());
    for rule in &m.by_instr[instr] {
        for ps in params(m, *rule, Some(t as Word)) {
            let (may, seen) = instance(m, contents, *rule, &ps, Some((t, args)));
            looked.join(&seen);
            // Of a rule that has no parameter but its thread, the instance is known.
            let params = if ps.len() == 1 { ps } else { vec![] };
            may.into_iter().for_each(|may| _ = May { params: params.clone(), ..may }.join_into(&mut found));
        }
    }
    (found, looked)
}

/// What the silent steps of a thread may read from a place on, of what is not its own.
fn silent(m: &Machine, contents: &mut Contents, t: usize, from: usize) -> (Bits, Few) {
    let code = &m.program.threads[t].code;
    let (mut reads, mut looked) = (Bits::new(m.width()), Few::default());
    let (mut todo, mut seen) = (vec![from], BTreeSet::new());
    while let Some(pc) = todo.pop() {
        if !seen.insert(pc) {
            continue;
        }
        match code.get(pc) {
            Some(Op::Set(..)) => todo.push(pc + 1),
            Some(Op::Branch(_, to, _)) => todo.extend([pc + 1, *to]),
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
                ask.watched.iter().filter_map(|(loc, _)| m.loc_slot(*loc)).for_each(|slot| reads.add(slot));
                let spent = ask.spent.iter().chain(ask.over.iter().flatten()).filter_map(|l| m.loc_slot(*l));
                spent.for_each(|slot| contents.put(slot, Known::plain(m.heap.word(0))));
                let mut called = |f: usize, of: &dyn Fn(&mut Walk<'_>) -> Known| {
                    let mut walk = Walk::new(m, contents);
                    let node = walk.element(Sort::Node, m.program.threads[t].node as Word);
                    let args: Args = smallvec![node, of(&mut walk)];
                    walk.call(f, args);
                    looked.join(&walk.looked());
                    reads.join(&walk.reads.bits(m.width()));
                };
                for (f, area) in m.unfolding.readable.iter().flat_map(|f| ask.areas.iter().map(move |area| (*f, area)))
                {
                    called(f, &|walk| {
                        let cells: Args = area.iter().map(|l| walk.element(Sort::Loc, *l as Word)).collect();
                        walk.made(&cells, None)
                    });
                }
                for (f, (loc, _)) in m.unfolding.steady.iter().flat_map(|f| ask.watched.iter().map(move |w| (*f, w))) {
                    called(f, &|walk| walk.element(Sort::Loc, *loc as Word));
                }
                todo.extend(ask.then.values());
            }
            _ => {}
        }
    }
    (reads, looked)
}

/// What may be done from each place on, from what may be done at each.
fn onwards(mut here: Vec<Vec<May>>, code: &[Op]) -> Vec<Vec<May>> {
    let (mut grew, ends) = (true, here.len());
    while grew {
        grew = false;
        for (pc, op) in code.iter().enumerate().rev() {
            let next: Vec<usize> = match op {
                Op::Exec { .. } | Op::Set(..) => vec![pc + 1],
                Op::Branch(_, to, _) => vec![pc + 1, *to],
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

/// What an instance may read and write, none if it can never fire; and what was looked at to find it.
fn instance(
    m: &Machine,
    contents: &mut Contents,
    rule: usize,
    params: &[Word],
    on: Option<(usize, &[Operand])>,
) -> (Option<May>, Few) {
    let mut walk = Walk::new(m, contents);
    let fires = follow(&mut walk, rule, params, on);
    let looked = walk.looked();
    let mut writes = Bits::new(m.width());
    walk.writes.iter().filter(|slot| !m.looks.drops(*slot)).for_each(|slot| writes.add(slot));
    let reads = walk.reads.bits(m.width());
    (fires.then_some(May { rule, params: vec![], reads, writes }), looked)
}

/// Runs an instance on what is known; whether it may ever fire.
fn follow(walk: &mut Walk<'_>, rule: usize, params: &[Word], on: Option<(usize, &[Operand])>) -> bool {
    let m = walk.m;
    let r = &m.spec.rules[rule];
    let mut env = vec![Known::UNKNOWN; r.slots];
    for (i, ((_, sort), v)) in r.params.iter().zip(params).enumerate() {
        env[i] = walk.element(*sort, *v);
    }
    if let (Some((_, instr, pats)), Some((t, args))) = (&r.on, on) {
        for ((pat, arg), p) in pats.iter().zip(args).zip(&m.spec.instructions.list[*instr].params) {
            let v = operand(walk, t, arg, p.list);
            if walk.bind(pat, v, &mut env) == Matches::No {
                return false;
            }
        }
    }
    if !r.when.iter().all(|p| walk.premise(p, &mut env)) {
        return false;
    }
    for (e, _) in &r.requires {
        walk.expr(e, &mut env);
    }
    walk.updates(&r.then, &mut env);
    true
}

/// What is known of an argument.
fn operand(walk: &Walk<'_>, t: usize, o: &Operand, list: bool) -> Known {
    match o {
        Operand::Loc(l) => walk.element(Sort::Loc, *l as Word),
        Operand::Node(n) => walk.element(Sort::Node, *n as Word),
        Operand::Reg(r) => {
            let slot = walk.m.register(t, *r);
            Known { word: Some(slot), atoms: walk.contents.only(walk.contents.atoms.register(slot)) }
        }
        Operand::NoReg if list => Known::plain(EMPTY),
        Operand::NoReg => Known::plain(0),
        Operand::Int(e) => constant(e).map_or(Known::UNKNOWN, |v| Known::plain(walk.m.heap.word(v))),
        Operand::List(os) => {
            let parts: Args = os.iter().map(|o| operand(walk, t, o, false)).collect();
            walk.made(&parts, None)
        }
    }
}

/// The value of an expression in which no register occurs, of the forms that programs are written with.
fn constant(e: &IntExpr) -> Option<i64> {
    match e {
        IntExpr::Const(v, _) => Some(*v),
        IntExpr::Unary(UnaryOp::Neg, a) => constant(a)?.checked_neg(),
        _ => None,
    }
}
