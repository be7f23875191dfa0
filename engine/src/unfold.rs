//! Programs that nobody has written down: processes that run. What a process does next is a function of what it was told so far, and
//! only the process itself knows that function. Its code is what is known of it: calls, each with an [`Ask`] behind it that says where
//! the process goes on by what it was told. Where that is not known yet the thread stands still, the machine notes what it was
//! told ([`Machine::asked`]), and whoever runs the process finds out and says so ([`Machine::goes_on`]).
//!
//! **A reduced search of such a program** relies on what threads may still do, and so on the code. Let it find nothing to ask for:
//! then what it searched is the program in which a thread stands still where its code ends, and the search left nothing of *that*
//! program out. In no execution of it does a thread stand at the end of its code, or the search, which keeps of each execution one that
//! has the same steps in another order, would have had to ask. So it is the whole program. The caller searches until nothing is asked.

use crate::eval::Fault;
use crate::expand::expand;
use crate::machine::Machine;
use crate::touched::Touched;
use crate::written::Written;
use litmpi_spec::heap::Word;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Ask, Op, Operand, Program, Reg, Thread};
use litmpi_spec::source::Span;
use litmpi_spec::types::{Sort, Ty};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// A thread that was told something, and of which it is not known how it goes on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The thread.
    pub thread: usize,
    /// The place of the [`Op::Ask`] in its code.
    pub place: usize,
    /// What it was told.
    pub told: Vec<i64>,
}

/// What is asked.
#[derive(Debug)]
pub(crate) struct Unfolding {
    /// The specification's function `readable`.
    pub(crate) readable: Option<usize>,
    /// Its function `steady`.
    pub(crate) steady: Option<usize>,
    /// Its function `numbers_in_use`, and its state `posted`.
    pub(crate) numbers: Option<(usize, usize)>,
    /// Each with a state in which it was asked.
    asked: Mutex<BTreeMap<Asked, Vec<Word>>>,
}

impl Unfolding {
    pub(crate) fn new(spec: &Spec) -> Unfolding {
        let asks = |name: &str, of: Ty| {
            let wanted = (vec![Ty::Sort(Sort::Node), of], Ty::Bool);
            spec.functions.iter().position(|f| f.name == name && f.signature == wanted)
        };
        let (loc, cells) = (Ty::Sort(Sort::Loc), Ty::Seq(Box::new(Ty::Sort(Sort::Loc))));
        let in_use = (vec![Ty::Sort(Sort::Node)], Ty::Seq(Box::new(Ty::Int)));
        let in_use = spec.functions.iter().position(|f| f.name == "numbers_in_use" && f.signature == in_use);
        let counts = spec.state.iter().position(|v| v.name == "posted" && v.index == [Sort::Node] && v.ty == Ty::Int);
        Unfolding {
            readable: asks("readable", cells),
            steady: asks("steady", loc),
            numbers: in_use.zip(counts),
            asked: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Asked, Vec<Word>>> {
        self.asked.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// An argument of a function of the specification.
#[derive(Debug, Clone)]
pub enum Given {
    /// A number, or an element of a sort by its index.
    Word(i64),
    /// A sequence of them.
    List(Vec<i64>),
}

/// A value of the specification, without names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// A number, a truth value, or an element of a sort by its index.
    Int(i64),
    /// A sequence, a record, a tuple, or what a constructor holds behind its number.
    Parts(Vec<Shown>),
}

impl Machine {
    /// What was asked since this was last called, in an order that does not depend on who asked first, each with a state in which it was.
    pub fn asked(&self) -> Vec<(Asked, Vec<Word>)> {
        std::mem::take(&mut *self.unfolding.all()).into_iter().collect()
    }

    /// Whether nothing was asked since then.
    pub fn asked_nothing(&self) -> bool {
        self.unfolding.all().is_empty()
    }

    /// Adds code to a thread; where it begins.
    ///
    /// # Errors
    /// An instruction that has no rule. The code needs registers that the thread has not ([`hidden`] says which there may be).
    pub fn extend(&mut self, thread: usize, code: Vec<Op>) -> Result<usize, Fault> {
        let known = &self.program.threads[thread];
        let more = Thread { number: known.number, node: known.node, regs: known.regs.clone(), code };
        let program = Program { threads: vec![more], ..Program::default() };
        let more = expand(&self.spec, &program)?.threads.remove(0);
        let known = &mut self.program.threads[thread];
        if more.regs.len() != known.regs.len() {
            return Err(Fault::general("the code needs registers that the thread has not"));
        }
        let at = known.code.len();
        let nothing = more.code.is_empty();
        known.code.extend(more.code);
        if nothing || self.may_run_off(thread) {
            self.remembered.forget();
        }
        self.look_for_stops(thread, at);
        Ok(at)
    }

    /// Forgets code of a thread that it does not come to any more, so that it takes no memory.
    pub fn forget_code(&mut self, thread: usize, code: std::ops::Range<usize>) {
        self.program.threads[thread].code[code].fill(Op::Lost);
    }

    /// A thread that was told this goes on there.
    pub fn goes_on(&mut self, asked: &Asked, to: usize) {
        if let Some(Op::Ask(ask)) = self.program.threads[asked.thread].code.get_mut(asked.place) {
            ask.then.insert(asked.told.clone(), to);
        }
    }

    /// Goes on with the silent steps of all threads, as far as it is known how.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn resettle(&self, state: &mut [Word]) -> Result<(), Fault> {
        (0..self.program.threads.len()).try_for_each(|t| self.settle(t, state, &mut Written::default(), None))
    }

    /// Makes the initial state anew, now that more is known of the threads.
    ///
    /// # Errors
    /// See [`Machine::new`].
    pub fn restart(&mut self) -> Result<(), Fault> {
        let mut state = self.initial().to_vec();
        self.resettle(&mut state)?;
        self.set_initial(state);
        Ok(())
    }

    /// What a function of the specification gives in a state; nothing if there is no such function.
    ///
    /// # Errors
    /// It cannot be evaluated.
    pub fn apply(&self, function: &str, args: &[Given], state: &[Word]) -> Result<Option<Shown>, Fault> {
        let functions = &self.spec.functions;
        let Some(f) = functions.iter().position(|f| f.name == function && f.signature.0.len() == args.len()) else {
            return Ok(None);
        };
        let word = |arg: &Given| match arg {
            Given::Word(v) => self.heap.word(*v),
            Given::List(vs) => self.heap.intern(&vs.iter().map(|v| self.heap.word(*v)).collect::<Vec<_>>()),
        };
        let args: SmallVec<[Word; 4]> = args.iter().map(word).collect();
        Ok(Some(self.shown(self.call(f, &args, state, None)?, &functions[f].signature.1)))
    }

    fn shown(&self, word: Word, ty: &Ty) -> Shown {
        let parts = |tys: &mut dyn Iterator<Item = &Ty>| {
            Shown::Parts(self.heap.get(word).iter().zip(tys).map(|(w, t)| self.shown(*w, t)).collect())
        };
        match ty {
            Ty::Seq(t) | Ty::Set(t) | Ty::Map(t) | Ty::Option(t) => parts(&mut std::iter::repeat(&**t)),
            Ty::Tuple(ts) => parts(&mut ts.iter()),
            Ty::Record(r) => parts(&mut self.spec.types.records[*r].fields.iter().map(|(_, t)| t)),
            Ty::Variant(_) => {
                let ctor = self.heap.get(word)[0];
                let fields = &self.spec.types.ctors[ctor as usize].fields;
                let rest = self.heap.get(word)[1..].iter().zip(fields).map(|(w, (_, t))| self.shown(*w, t));
                Shown::Parts(std::iter::once(Shown::Int(i64::from(ctor))).chain(rest).collect())
            }
            Ty::Int | Ty::Blob => Shown::Int(self.heap.int(word)),
            _ => Shown::Int(i64::from(word)),
        }
    }

    /// The slots of what a process has stored, with what they hold.
    pub(crate) fn stored<'a>(&'a self, stored: &'a [(usize, i64)]) -> impl Iterator<Item = (usize, Word)> + 'a {
        let slot = |(loc, value): &(usize, i64)| self.loc_slot(*loc).map(|slot| (slot, self.heap.word(*value)));
        stored.iter().filter_map(slot).filter(|(slot, _)| !self.looks.drops(*slot))
    }

    /// Puts values into locations of a state.
    pub fn put(&self, values: &[(usize, i64)], state: &mut [Word]) {
        self.stored(values).for_each(|(slot, word)| state[slot] = word);
    }

    /// A state in which what a process has stored is there.
    pub(crate) fn begun<'s>(&self, stored: &[(usize, i64)], state: &'s [Word]) -> Cow<'s, [Word]> {
        let mut state = Cow::Borrowed(state);
        for (slot, word) in self.stored(stored) {
            state.to_mut()[slot] = word;
        }
        state
    }

    /// What a process passes in registers is put there.
    pub(crate) fn bring(
        &self,
        t: usize,
        brought: &[(usize, Vec<i64>)],
        state: &mut [Word],
        written: &mut Written,
        watch: Option<&Touched>,
    ) {
        let from = written.len();
        for (reg, values) in brought {
            let slot = self.reg_slot(t, *reg);
            if !self.looks.drops(slot) {
                state[slot] = self.packed(self.reg_type(t, *reg), &mut values.iter().copied());
                written.push(slot);
            }
        }
        if let Some(w) = watch {
            w.wrote(&written[from..]);
        }
        state[t] += 1;
    }

    pub(crate) fn packed(&self, ty: &Ty, values: &mut dyn Iterator<Item = i64>) -> Word {
        match ty {
            Ty::Record(r) => {
                let fields = &self.spec.types.records[*r].fields;
                let words: SmallVec<[Word; 8]> = fields.iter().map(|(_, t)| self.packed(t, values)).collect();
                self.heap.intern(&words)
            }
            Ty::Int | Ty::Blob => self.heap.word(values.next().unwrap_or(0)),
            _ => values.next().unwrap_or(0) as Word,
        }
    }

    fn unpacked(&self, ty: &Ty, word: Word, out: &mut Vec<i64>) {
        match ty {
            Ty::Record(r) => {
                let fields = &self.spec.types.records[*r].fields;
                fields.iter().zip(self.heap.get(word)).for_each(|((_, t), w)| self.unpacked(t, *w, out));
            }
            Ty::Int | Ty::Blob => out.push(self.heap.int(word)),
            _ => out.push(i64::from(word)),
        }
    }

    /// Where a process goes on behind a call; nothing if that is not known, which is noted.
    pub(crate) fn told(
        &self,
        t: usize,
        ask: &Ask,
        state: &mut [Word],
        written: &mut Written,
        watch: Option<&Touched>,
    ) -> Result<Option<usize>, Fault> {
        let (mut told, mut spent) = (vec![], ask.spent.clone());
        for reg in &ask.regs {
            let slot = self.reg_slot(t, *reg);
            self.looks.look(slot);
            if let Some(w) = watch {
                w.look(slot);
            }
            self.unpacked(self.reg_type(t, *reg), state[slot], &mut told);
        }
        for (i, area) in ask.areas.iter().enumerate() {
            let readable = self.readable(t, area, state, watch)?;
            told.push(i64::from(readable));
            spent.extend(ask.over.get(i).filter(|_| readable).into_iter().flatten());
            for slot in area.iter().filter(|_| readable).filter_map(|l| self.loc_slot(*l)) {
                self.looks.look(slot);
                if let Some(w) = watch {
                    w.read(slot..slot + 1, false);
                }
                told.push(self.heap.int(state[slot]));
            }
        }
        if !ask.watched.is_empty() {
            let mut news = vec![];
            for (i, (loc, known)) in ask.watched.iter().enumerate() {
                let Some(slot) = self.loc_slot(*loc) else { continue };
                self.looks.look(slot);
                if let Some(w) = watch {
                    w.read(slot..slot + 1, false);
                }
                let now = self.heap.int(state[slot]);
                if now != *known && self.steady(t, *loc, state, watch)? {
                    news.extend([i as i64, now]);
                }
            }
            told.push(news.len() as i64 / 2);
            told.extend(news);
        }
        let Some(to) = ask.then.get(&told) else {
            let asked = Asked { thread: t, place: state[t] as usize, told };
            self.unfolding.all().entry(asked).or_insert_with(|| state.to_vec());
            watch.iter().for_each(|w| w.asked.set(true));
            return Ok(None);
        };
        for reg in &ask.done {
            let slot = self.reg_slot(t, *reg);
            if !self.looks.drops(slot) {
                state[slot] = self.default_of(self.reg_type(t, *reg));
                written.push(slot);
            }
        }
        self.leave_nothing(&spent, state, written);
        if let Some(last) = ask.numbers {
            self.number_anew(t, last, state, written, watch)?;
        }
        Ok(Some(*to))
    }

    /// Leaves in these locations nothing. That is no step on which others depend: nobody looks there before the process has brought something.
    fn leave_nothing(&self, spent: &[usize], state: &mut [Word], written: &mut Written) {
        for slot in spent.iter().filter_map(|loc| self.loc_slot(*loc)).filter(|slot| !self.looks.drops(*slot)) {
            state[slot] = self.heap.word(0);
            written.push(slot);
        }
    }

    /// Has a process count on from the last number that it was told of, or that something goes by. Others never change which these are,
    /// and look at no number but to tell one request from another of the same process.
    fn number_anew(
        &self,
        t: usize,
        last: i64,
        state: &mut [Word],
        written: &mut Written,
        watch: Option<&Touched>,
    ) -> Result<(), Fault> {
        let Some((function, var)) = self.unfolding.numbers else { return Ok(()) };
        let node = self.program.threads[t].node;
        let slot = self.var_base[var] + node;
        if self.looks.drops(slot) {
            return Ok(());
        }
        let looked = Touched::default();
        let in_use = self.call(function, &[node as Word], state, Some(&looked))?;
        if let Some(w) = watch {
            looked.order.borrow().iter().for_each(|slot| w.look(*slot as usize));
        }
        let greatest = self.heap.get(in_use).iter().map(|w| self.heap.int(*w)).fold(last, i64::max);
        state[slot] = self.heap.word(greatest);
        written.push(slot);
        Ok(())
    }

    fn steady(&self, t: usize, loc: usize, state: &[Word], watch: Option<&Touched>) -> Result<bool, Fault> {
        let Some(f) = self.unfolding.steady else { return Ok(true) };
        Ok(self.call(f, &[self.program.threads[t].node as Word, loc as Word], state, watch)? != 0)
    }

    fn readable(&self, t: usize, area: &[usize], state: &[Word], watch: Option<&Touched>) -> Result<bool, Fault> {
        let Some(f) = self.unfolding.readable else { return Ok(true) };
        let cells = self.heap.intern(&area.iter().map(|l| *l as Word).collect::<SmallVec<[Word; 16]>>());
        Ok(self.call(f, &[self.program.threads[t].node as Word, cells], state, watch)? != 0)
    }
}

/// The registers that a thread needs so that every instruction which is short for others can be replaced by them.
///
/// # Errors
/// An instruction that is short for itself.
pub fn hidden(spec: &Spec) -> Result<Vec<Reg>, Fault> {
    let code = (0..spec.instructions.list.len()).filter(|i| spec.expansions[*i].is_some()).map(|instr| Op::Exec {
        instr,
        args: vec![Operand::NoReg; spec.instructions.list[instr].params.len()],
        stored: vec![],
        span: Span::nowhere(),
    });
    let thread = Thread { number: 0, node: 0, regs: vec![], code: code.collect() };
    Ok(expand(spec, &Program { threads: vec![thread], ..Program::default() })?.threads.remove(0).regs)
}
