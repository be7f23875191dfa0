//! A specification and a program as a transition system.
//!
//! A state is a row of words: program counters, registers, then the entries of the state variables. Composite
//! values are interned in the machine's heap, so that a state is compared and hashed as words.

use crate::allocate::Own;
use crate::calls::Calls;
use crate::claim::Claim;
use crate::coverage::Coverage;
use crate::eval::{Eval, Fault};
use crate::expand::expand;
use crate::forget::Looks;
use crate::memo::Remembered;
use crate::reach::Reach;
use crate::returned::Returned;
use crate::search::Bounds;
use crate::sparse::Sparse;
use crate::touched::Touched;
use crate::unfold::Unfolding;
use crate::written::Written;
use litmpi_spec::heap::{EMPTY, Heap, Word};
use litmpi_spec::integers::Bits;
use litmpi_spec::ir::{Pat, Update};
use litmpi_spec::model::{Const, Spec};
use litmpi_spec::program::{Op, Operand, Program, Thread};
use litmpi_spec::types::{Sort, Ty};
use smallvec::SmallVec;
use std::sync::Arc;

/// One transition, as traces name it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Index of the rule; none for a silent choice of the program.
    pub rule: Option<usize>,
    /// The thread whose instruction was run.
    pub thread: Option<usize>,
    /// Values of the rule's parameters.
    pub params: SmallVec<[Word; 4]>,
}

/// Searches copy a step for each transition: words are copied at once, where the derived copy takes one after the other.
impl Clone for Step {
    fn clone(&self) -> Step {
        Step { rule: self.rule, thread: self.thread, params: SmallVec::from_slice(&self.params) }
    }
}

/// Where a transition leads.
#[derive(Debug)]
pub enum Target<'a> {
    /// To a state.
    State(&'a [Word]),
    /// A rule's `requires` does not hold: its reason.
    Erroneous(&'a str),
}

/// A transition, as it is given to who evaluates an instance of a rule.
pub(crate) struct Fired<'a> {
    pub(crate) step: Step,
    /// The rules that it is said to commute with, if somebody watches.
    pub(crate) commutes: &'a [Claim],
    pub(crate) to: Target<'a>,
    pub(crate) written: &'a [usize],
}

/// An instruction's arguments.
pub(crate) type Arguments = SmallVec<[Word; 12]>;

/// How a state without transitions ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All threads are through.
    Done,
    /// Some thread can never go on.
    Deadlock,
    /// Some thread passed the bound of a loop.
    Cut,
}

/// A specification, variant and program, ready to run.
pub struct Machine {
    pub(crate) spec: Arc<Spec>,
    pub(crate) program: Program,
    pub(crate) heap: Arc<Heap>,
    pub(crate) consts: Vec<Word>,
    pub(crate) var_base: Vec<usize>,
    pub(crate) reg_base: Vec<usize>,
    pub(crate) reg_types: Vec<Ty>,
    pub(crate) by_instr: Vec<Vec<usize>>,
    pub(crate) free: Vec<usize>,
    /// The state variable that is memory.
    pub(crate) memory: Option<usize>,
    /// How many bits integers of the program have.
    pub(crate) bits: Bits,
    /// The function that says of which locations an ended program has no value.
    undefined: Option<usize>,
    undefined_value: Option<usize>,
    pub(crate) looks: Looks,
    pub(crate) calls: Calls,
    pub(crate) remembered: Remembered,
    /// State variables of whose entries something is left out after every step.
    kept: Vec<usize>,
    stops: Stops,
    initial: Vec<Word>,
    /// Where memory stands of which only a part is kept.
    pub(crate) sparse: Option<Sparse>,
    coverage: Option<Arc<Coverage>>,
    pub(crate) reach: Option<Arc<Reach>>,
    /// What is asked of processes whose programs are not known beforehand.
    pub(crate) unfolding: Unfolding,
    /// What operations give for their values.
    pub(crate) operations: Option<Arc<dyn Operations>>,
    /// What calls return that break a requirement.
    pub(crate) returned: Option<Returned>,
    /// When the evaluation of a rule ends with a fault.
    pub(crate) until: Option<Bounds>,
}

/// Operations on values that only the caller understands: those of a program that runs (`operate` in rules).
pub trait Operations: Send + Sync {
    /// What the operation of this number gives for two sequences of values, element by element, whose types are given; `shape`
    /// is what the rules say of how the elements lie in memory.
    ///
    /// # Errors
    /// The operation ends the program: why, in words.
    fn combine(&self, op: i64, shape: &[i64], types: &[i64], xs: &[i64], ys: &[i64]) -> Result<Vec<i64>, String>;
}

/// Whether a specification's rules run every instruction of a program.
///
/// # Errors
/// The first instruction that has no rule, or is short for itself.
pub fn runs(spec: &Spec, program: &Program) -> Result<(), Fault> {
    instructions_have_rules(spec, &expand(spec, program)?)
}

fn instructions_have_rules(spec: &Spec, program: &Program) -> Result<(), Fault> {
    let all = program.threads.iter().enumerate().flat_map(|(t, of)| of.code.iter().map(move |op| (t, op)));
    for (t, op) in all {
        if let Op::Exec { instr, args, span, .. } = op
            && program.lacks_own_node(&spec.instructions, t, *instr, args)
        {
            let name = &spec.instructions.list[*instr].name;
            let fault = Fault::new(span, format!("{} has no `{name}` to the thread's own node", spec.name));
            return Err(
                fault.help("name another node, or choose a model of operations to the own one, such as core-rma.cat")
            );
        }
        if let Op::Exec { instr, span, .. } = op
            && !spec.rules.iter().any(|r| r.on.as_ref().is_some_and(|(_, i, _)| i == instr))
        {
            let name = &spec.instructions.list[*instr].name;
            let fault = Fault::new(span, format!("no rule of {} runs `{name}`", spec.name));
            return Err(fault.help("add a rule with `on t: …`, or choose a model that has one"));
        }
    }
    Ok(())
}

/// The values of all constants of a specification under a variant, those that are neither numbers nor truths as 0.
///
/// # Errors
/// An unknown variant; a constant that cannot be evaluated.
pub fn constants(spec: &Arc<Spec>, variant: &str) -> Result<Vec<i64>, Fault> {
    let machine = Machine::new(Arc::clone(spec), &Program::default(), variant)?;
    let value = |(c, word): (&Const, &Word)| {
        if matches!(c.ty, Ty::Int | Ty::Bool) { machine.heap.int(*word) } else { 0 }
    };
    Ok(spec.consts.iter().zip(&machine.consts).map(value).collect())
}

/// Where in their code threads stop. Most programs have no steps at which a thread is not followed further, and then their states need not
/// be looked at.
#[derive(Debug, Default)]
struct Stops {
    early: bool,
    cut: bool,
    gone: bool,
    /// By thread: whether it may come to the end of its code.
    runs_off: Vec<bool>,
}

impl Machine {
    /// Prepares a program to be run under a variant of a specification (`default` for none).
    ///
    /// # Errors
    /// An unknown variant, an instruction without rules, an initial state that cannot be computed.
    pub fn new(spec: Arc<Spec>, program: &Program, variant: &str) -> Result<Machine, Fault> {
        Machine::noting(spec, program, variant, None)
    }

    /// The same, with a note of what is evaluated, the initial state included.
    ///
    /// # Errors
    /// See [`Machine::new`].
    pub fn noting(
        spec: Arc<Spec>,
        program: &Program,
        variant: &str,
        reach: Option<Arc<Reach>>,
    ) -> Result<Machine, Fault> {
        Machine::on(Arc::default(), spec, program, variant, reach)
    }

    /// A machine of other rules whose values are in the same heap as those of this one, so that states of both can be compared.
    pub(crate) fn sharing(
        &self,
        spec: Arc<Spec>,
        program: &Program,
        variant: &str,
        reach: Option<Arc<Reach>>,
    ) -> Result<Machine, Fault> {
        Machine::on(Arc::clone(&self.heap), spec, program, variant, reach)
    }

    fn on(
        heap: Arc<Heap>,
        spec: Arc<Spec>,
        program: &Program,
        variant: &str,
        reach: Option<Arc<Reach>>,
    ) -> Result<Machine, Fault> {
        let program = expand(&spec, program)?;
        let mut by_instr = vec![vec![]; spec.instructions.list.len()];
        let mut free = vec![];
        for (i, r) in spec.rules.iter().enumerate() {
            match &r.on {
                Some((_, instr, _)) => by_instr[*instr].push(i),
                None => free.push(i),
            }
        }
        let memory = spec.memory().ok();
        let (undefined, undefined_value) = (spec.undefined(), spec.undefined_value());
        let unfolding = Unfolding::new(&spec);
        let calls = Calls::new(spec.functions.len());
        let kept = (0..spec.state.len()).filter(|v| spec.state[*v].keeps.is_some()).collect();
        let mut m = Machine {
            spec,
            program,
            heap,
            consts: vec![],
            var_base: vec![],
            reg_base: vec![],
            reg_types: vec![],
            by_instr,
            free,
            memory,
            bits: Bits::default(),
            undefined,
            undefined_value,
            looks: Looks::new(0),
            calls,
            remembered: Remembered::default(),
            kept,
            stops: Stops::default(),
            initial: vec![],
            sparse: None,
            coverage: None,
            reach,
            unfolding,
            operations: None,
            returned: None,
            until: None,
        };
        instructions_have_rules(&m.spec, &m.program)?;
        (0..m.program.threads.len()).for_each(|t| m.look_for_stops(t, 0));
        m.set_consts(variant)?;
        m.set_bits()?;
        let own = m.allocate()?;
        m.lay_out();
        m.lay_out_memory(m.width())?;
        m.set_initial_state(&own)?;
        Ok(m)
    }

    /// Where everything stands in a state.
    fn lay_out(&mut self) {
        let threads = self.program.threads.len();
        for t in &self.program.threads {
            self.reg_base.push(threads + self.reg_types.len());
            self.reg_types.extend(t.regs.iter().map(|r| named_type(&self.spec, &r.ty)));
        }
        let mut width = threads + self.reg_types.len();
        for v in &self.spec.state {
            self.var_base.push(width);
            let entries: usize = v.index.iter().map(|s| self.entries(*s)).product();
            width += entries * v.fields.len().max(1);
        }
        self.initial = vec![0; width];
        self.looks = Looks::new(width);
    }

    /// Says what operations give for values of a program that runs.
    pub fn operate(&mut self, operations: Arc<dyn Operations>) {
        self.operations = Some(operations);
        self.remembered.forget();
    }

    /// Counts from now on which rules fire and which premises block, together with other machines of the specification.
    pub fn count_into(&mut self, coverage: Arc<Coverage>) {
        self.coverage = Some(coverage);
    }

    /// Whether somebody counts what is evaluated.
    pub(crate) fn counts(&self) -> bool {
        self.coverage.is_some()
    }

    fn set_consts(&mut self, variant: &str) -> Result<(), Fault> {
        let spec = Arc::clone(&self.spec);
        if let Some(constant) = spec.clash(variant) {
            let message = format!("the variants `{variant}` do not go together: two of them set `{constant}`");
            return Err(Fault::general(message).help("leave one of them out"));
        }
        let sets = match spec.variant(variant) {
            Some(v) => v.into_owned().sets,
            None if variant == "default" => vec![],
            None => {
                let names: Vec<&str> =
                    std::iter::once("default").chain(spec.variants.iter().map(|v| v.name.as_str())).collect();
                let help = litmpi_spec::suggest::suggest(variant, &names, &format!("variants: {}", names.join(", ")));
                return Err(Fault::general(format!("model {} has no variant `{variant}`", spec.name)).help(help));
            }
        };
        for (i, c) in spec.consts.iter().enumerate() {
            let value = sets.iter().find(|(k, _)| *k == i).map_or(&c.value, |(_, e)| e);
            let word = Eval::new(self, &[]).eval(value, &mut vec![0; c.slots])?;
            self.consts.push(word);
        }
        Ok(())
    }

    fn set_initial_state(&mut self, own: &Own) -> Result<(), Fault> {
        let mut state = self.initial.clone();
        let first = self.program.threads.len();
        for (i, ty) in self.reg_types.iter().enumerate() {
            state[first + i] = self.default_of(ty);
        }
        for (v, var) in self.spec.state.iter().enumerate() {
            let sizes: Vec<usize> = var.index.iter().map(|s| self.entries(*s)).collect();
            let entries: usize = sizes.iter().product();
            for entry in 0..entries {
                let mut frame = indices(&sizes, entry, var.slots);
                let value = match own.get(&(v, entry)) {
                    Some(word) => *word,
                    None => Eval::new(self, &state).eval(&var.init, &mut frame)?,
                };
                let base = self.var_base[v] + entry * var.fields.len().max(1);
                if var.fields.is_empty() {
                    state[base] = value;
                } else {
                    state[base..base + var.fields.len()].copy_from_slice(self.heap.get(value));
                }
            }
        }
        for t in 0..self.program.threads.len() {
            self.settle(t, &mut state, &mut Written::default(), None)?;
        }
        self.initial = state;
        Ok(())
    }

    /// How many entries a state variable has by the elements of a sort, before all that is kept of memory.
    pub(crate) fn entries(&self, sort: Sort) -> usize {
        if sort == Sort::Loc && self.program.is_sparse() { 0 } else { size(&self.program, sort) }
    }

    pub(crate) fn default_of(&self, ty: &Ty) -> Word {
        match ty {
            Ty::Record(r) => {
                let words: Vec<Word> =
                    self.spec.types.records[*r].fields.iter().map(|(_, t)| self.default_of(t)).collect();
                self.heap.intern(&words)
            }
            Ty::Tuple(ts) => {
                let words: Vec<Word> = ts.iter().map(|t| self.default_of(t)).collect();
                self.heap.intern(&words)
            }
            Ty::Variant(cs) => match cs.iter().find(|c| self.spec.types.ctors[**c].fields.is_empty()) {
                Some(c) => self.heap.intern(&[*c as Word]),
                None => EMPTY,
            },
            Ty::Seq(_) | Ty::Set(_) | Ty::Map(_) | Ty::Option(_) => EMPTY,
            _ => 0,
        }
    }

    pub(crate) fn set_initial(&mut self, state: Vec<Word>) {
        self.initial = state;
    }

    /// Words a state.
    pub fn width(&self) -> usize {
        self.initial.len()
    }

    /// The initial state.
    pub fn initial(&self) -> &[Word] {
        &self.initial
    }

    /// The specification.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The program, instructions expanded.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many distinct composite values there are so far.
    pub fn values(&self) -> usize {
        self.heap.len()
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        self.heap.bytes()
    }

    /// Calls `visit` for every transition of a state, always in the same order.
    ///
    /// # Errors
    /// A rule that cannot be evaluated: an index out of range, an overflow, two updates of one entry.
    pub fn transitions(&self, state: &[Word], visit: &mut dyn FnMut(Step, Target<'_>)) -> Result<(), Fault> {
        self.transitions_of(&|_| true, state, visit)
    }

    /// The same of some rules, and of the program.
    pub(crate) fn transitions_of(
        &self,
        wanted: &dyn Fn(usize) -> bool,
        state: &[Word],
        visit: &mut dyn FnMut(Step, Target<'_>),
    ) -> Result<(), Fault> {
        let mut next = state.to_vec();
        for (t, thread) in self.program.threads.iter().enumerate() {
            match thread.code.get(state[t] as usize) {
                Some(Op::Exec { instr, args, stored, span }) if self.by_instr[*instr].iter().any(|r| wanted(*r)) => {
                    let words = self.arguments(t, *instr, args, state, None).map_err(|f| f.within(span))?;
                    let begun = self.begun(stored, state);
                    for rule in self.by_instr[*instr].iter().filter(|r| wanted(**r)) {
                        self.instances(*rule, Some((t, &words)), &begun, &mut next, visit)?;
                    }
                }
                Some(Op::Choose(targets)) => {
                    for target in targets {
                        next.copy_from_slice(state);
                        next[t] = *target as Word;
                        self.settle(t, &mut next, &mut Written::default(), None)?;
                        let step = Step { rule: None, thread: Some(t), params: SmallVec::new() };
                        visit(step, Target::State(&next));
                    }
                }
                _ => {}
            }
        }
        for rule in self.free.iter().filter(|r| wanted(**r)) {
            self.instances(*rule, None, state, &mut next, visit)?;
        }
        Ok(())
    }

    /// What a function of a node and a number ([`Spec::of_requests`]) says in a state.
    ///
    /// # Errors
    /// The function cannot be evaluated.
    pub fn says(&self, function: usize, node: usize, number: i64, state: &[Word]) -> Result<bool, Fault> {
        Ok(self.call(function, &[node as Word, self.heap.word(number)], state, None)? != 0)
    }

    /// What a function of the specification gives in a state.
    pub(crate) fn call(
        &self,
        function: usize,
        args: &[Word],
        state: &[Word],
        watch: Option<&Touched>,
    ) -> Result<Word, Fault> {
        let f = &self.spec.functions[function];
        if let Some(reach) = &self.reach {
            reach.called(function);
        }
        let mut frame: SmallVec<[Word; 16]> = SmallVec::from_elem(0, f.slots.max(args.len()));
        frame[..args.len()].copy_from_slice(args);
        Eval::watched(self, state, watch).eval(&f.body, &mut frame)
    }

    /// The arguments of an instruction as words.
    pub(crate) fn arguments(
        &self,
        t: usize,
        instr: usize,
        args: &[Operand],
        state: &[Word],
        watch: Option<&Touched>,
    ) -> Result<Arguments, Fault> {
        let types = &self.spec.instructions.list[instr].params;
        args.iter().zip(types).map(|(a, p)| self.operand(t, a, p.list, state, watch)).collect()
    }

    /// How a state without transitions ended. A thread that passed the bound of a loop stands still; what the others do
    /// meanwhile counts, but where all end nothing is known. A thread in a loop that goes on for ever ([`Op::Spin`]) stands
    /// still, too, and never comes to its end: that is a deadlock once the others have done all that they can.
    pub fn end(&self, state: &[Word]) -> End {
        if self.any_cut(state) {
            return End::Cut;
        }
        if self.any_gone(state) {
            return End::Done;
        }
        let through = |(t, thread): (usize, &Thread)| state[t] as usize >= thread.code.len();
        if self.program.threads.iter().enumerate().all(through) { End::Done } else { End::Deadlock }
    }

    /// Whether some thread has ended the program ([`Op::Gone`]): what the others do then does not count.
    pub fn any_gone(&self, state: &[Word]) -> bool {
        let at = |(t, thread): (usize, &Thread)| thread.code.get(state[t] as usize) == Some(&Op::Gone);
        self.stops.gone && self.program.threads.iter().enumerate().any(at)
    }

    /// Whether some thread looked too early for what it waits for ([`Op::Early`]): such states are left out.
    pub fn is_early(&self, state: &[Word]) -> bool {
        let at = |(t, thread): (usize, &Thread)| matches!(thread.code.get(state[t] as usize), Some(Op::Early));
        self.stops.early && self.program.threads.iter().enumerate().any(at)
    }

    /// Whether some thread has passed the bound of a loop, so that not everything that the program may do is seen from here.
    pub fn any_cut(&self, state: &[Word]) -> bool {
        let at = |(t, thread): (usize, &Thread)| thread.code.get(state[t] as usize).is_some_and(cuts);
        self.stops.cut && self.program.threads.iter().enumerate().any(at)
    }

    /// Notes what of a thread's code says where threads stop, from a place on: code is only ever added behind what there is.
    pub(crate) fn look_for_stops(&mut self, thread: usize, from: usize) {
        let code = &self.program.threads[thread].code;
        let more = &code[from..];
        self.stops.early |= more.iter().any(|op| matches!(op, Op::Early));
        self.stops.cut |= more.iter().any(cuts);
        self.stops.gone |= more.contains(&Op::Gone);
        self.stops.runs_off.resize(self.program.threads.len(), true);
        if !more.is_empty() {
            self.stops.runs_off[thread] = may_run_off(more, code.len());
        }
    }

    /// Whether a thread may come to the end of its code, so that more code would have it go on.
    pub(crate) fn may_run_off(&self, thread: usize) -> bool {
        self.stops.runs_off[thread]
    }

    /// Every instance of a rule: parameters, then premises, then the next state.
    fn instances(
        &self,
        rule: usize,
        on: Option<(usize, &[Word])>,
        state: &[Word],
        next: &mut [Word],
        visit: &mut dyn FnMut(Step, Target<'_>),
    ) -> Result<(), Fault> {
        let r = &self.spec.rules[rule];
        let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
        let sizes: SmallVec<[usize; 4]> = r
            .params
            .iter()
            .enumerate()
            .map(|(i, (_, s))| match (&r.on, on) {
                (Some((p, _, _)), Some(_)) if *p == i => 1,
                _ => size(&self.program, *s),
            })
            .collect();
        let total: usize = sizes.iter().product();
        for instance in 0..total {
            let mut rest = instance;
            for (k, s) in sizes.iter().enumerate().rev() {
                frame[k] = (rest % s) as Word;
                rest /= s;
            }
            self.instance(rule, (&mut frame, on), state, next, None, &mut |fired| visit(fired.step, fired.to))?;
        }
        Ok(())
    }

    /// One instance of a rule, whose parameters, but for the thread of `on`, are in the frame.
    pub(crate) fn instance(
        &self,
        rule: usize,
        (frame, on): (&mut [Word], Option<(usize, &[Word])>),
        state: &[Word],
        next: &mut [Word],
        watch: Option<&Touched>,
        visit: &mut dyn FnMut(Fired<'_>),
    ) -> Result<(), Fault> {
        let r = &self.spec.rules[rule];
        let eval = Eval::watched(self, state, watch);
        let mut pats: &[Pat] = &[];
        let mut words: &[Word] = &[];
        if let (Some((p, _, ps)), Some((t, args))) = (&r.on, on) {
            frame[*p] = t as Word;
            (pats, words) = (ps, args);
        }
        let thread = on.map(|(t, _)| t);
        let counts = self.coverage.as_ref().map(|c| c.of(rule));
        eval.arguments(pats, words, frame, &mut |frame| {
            let mut fire = |frame: &mut [Word]| {
                let step = Step { rule: Some(rule), thread, params: frame[..r.params.len()].into() };
                let mut commutes: SmallVec<[Claim; 8]> = SmallVec::new();
                if watch.is_some_and(|w| !w.walks) {
                    let aside = Eval::aside(self, state, watch);
                    for (number, c) in r.commutes.iter().enumerate().filter(|(_, c)| !c.waits) {
                        let holds = c.when.as_ref().map_or(Ok(1), |e| aside.eval(e, frame))?;
                        if holds != 0 {
                            commutes.extend(Claim::made((rule, number), c, frame));
                        }
                    }
                }
                for (i, (cond, why)) in r.requires.iter().enumerate() {
                    if eval.eval(cond, frame)? == 0 {
                        if let Some(c) = counts {
                            c.broke(i);
                        }
                        let mut told = |to: Target<'_>, written: &[usize]| {
                            visit(Fired { step: step.clone(), commutes: &[], to, written });
                        };
                        if let Some(call) = on
                            && self.fails((rule, i), call, state, watch, &mut told)?
                        {
                            return Ok(());
                        }
                        commutes.retain(|c| !c.unless_erroneous);
                        visit(Fired { step, commutes: &commutes, to: Target::Erroneous(why), written: &[] });
                        return Ok(());
                    }
                }
                next.copy_from_slice(state);
                let mut written = Written::default();
                if let Err(fault) = eval.updates(&r.then, frame, next, &mut written) {
                    let Some(why) = fault.ends() else { return Err(fault) };
                    commutes.retain(|c| !c.unless_erroneous);
                    visit(Fired { step, commutes: &commutes, to: Target::Erroneous(why), written: &[] });
                    return Ok(());
                }
                self.drop_forgotten(state, next, &mut written);
                if let Some(w) = watch {
                    w.wrote(&written);
                }
                self.keep(next, &mut written, watch)?;
                if let Some(t) = thread.filter(|_| !r.again) {
                    next[t] += 1;
                    written.push(t);
                    self.settle(t, next, &mut written, watch)?;
                }
                if let Some(c) = counts {
                    c.fired();
                }
                visit(Fired { step, commutes: &commutes, to: Target::State(next), written: &written });
                Ok(())
            };
            match (counts, &self.reach) {
                (None, None) => eval.premises(&r.when, frame, &mut fire),
                (None, Some(reach)) => eval.premises_noted(&r.when, 0, &|i| reach.came(rule, i), frame, &mut fire),
                (Some(c), _) => eval.premises_counted(&r.when, c.premises(), frame, &mut fire),
            }
        })
    }

    /// Leaves out of the state that follows a step what its variables do not keep.
    ///
    /// Nobody will look at what is left out, so a state and what is kept of it go on alike: what a step depends on, and what depends on it,
    /// is what it would be without this, and is not noted here.
    fn keep(&self, next: &mut [Word], written: &mut Written, watch: Option<&Touched>) -> Result<(), Fault> {
        for var in &self.kept {
            let v = &self.spec.state[*var];
            let (Some(keeps), base) = (&v.keeps, self.var_base[*var]) else { continue };
            let sizes: SmallVec<[usize; 2]> = v.index.iter().map(|s| size(&self.program, *s)).collect();
            let (entries, fields) = (sizes.iter().product::<usize>(), v.fields.len().max(1));
            if !written.iter().any(|slot| (base..base + entries * fields).contains(slot)) {
                continue;
            }
            let eval = Eval::aside(self, next, watch);
            let kept = |entry| eval.eval(keeps, &mut indices(&sizes, entry, v.slots));
            let kept: SmallVec<[Word; 8]> = (0..entries).map(kept).collect::<Result<_, _>>()?;
            for (entry, value) in kept.into_iter().enumerate() {
                let (slot, one) = (base + entry * fields, [value]);
                let words = if v.fields.is_empty() { &one } else { self.heap.get(value) };
                for (i, word) in words.iter().enumerate() {
                    if next[slot + i] != *word {
                        next[slot + i] = *word;
                        written.push(slot + i);
                    }
                }
            }
        }
        Ok(())
    }

    fn operand(
        &self,
        t: usize,
        o: &Operand,
        list: bool,
        state: &[Word],
        watch: Option<&Touched>,
    ) -> Result<Word, Fault> {
        Ok(match o {
            Operand::Loc(l) => *l as Word,
            Operand::Node(n) => *n as Word,
            Operand::Reg(r) => self.register(t, *r),
            Operand::NoReg if list => EMPTY,
            Operand::NoReg => 0,
            Operand::Int(e) => self.heap.word(self.int(t, e, state, watch)?),
            Operand::List(os) => {
                let words: SmallVec<[Word; 8]> =
                    os.iter().map(|o| self.operand(t, o, false, state, watch)).collect::<Result<_, _>>()?;
                self.heap.intern(&words)
            }
        })
    }

    /// Whether a location has no value if the program ends in this state ([`Spec::undefined`]).
    ///
    /// # Errors
    /// The specification's function cannot be evaluated.
    pub fn is_undefined(&self, state: &[Word], loc: usize) -> Result<bool, Fault> {
        let Some(f) = self.undefined else { return Ok(false) };
        let function = &self.spec.functions[f];
        let mut slots = vec![0; function.slots.max(1)];
        slots[0] = loc as Word;
        Eval::aside(self, state, None).eval(&function.body, &mut slots).map(|word| word != 0)
    }

    /// Whether an integer in a register is no value ([`Spec::undefined_value`]).
    ///
    /// # Errors
    /// The specification's function cannot be evaluated.
    pub fn is_undefined_value(&self, state: &[Word], value: i64) -> Result<bool, Fault> {
        let Some(f) = self.undefined_value.filter(|_| !self.bits.holds(value)) else { return Ok(false) };
        let function = &self.spec.functions[f];
        let mut slots = vec![0; function.slots.max(1)];
        slots[0] = self.heap.word(value);
        Eval::aside(self, state, None).eval(&function.body, &mut slots).map(|word| word != 0)
    }

    /// The updates of a rule, for analyses.
    pub fn updates_of(&self, rule: usize) -> &[Update] {
        &self.spec.rules[rule].then
    }
}

/// Whether nothing is known of what a thread does from here on.
fn cuts(op: &Op) -> bool {
    matches!(op, Op::Cut | Op::Ask(_) | Op::Lost)
}

/// Whether a thread may come to the end of its code, of which this is the last part: what is before cannot go further than to its start.
fn may_run_off(code: &[Op], end: usize) -> bool {
    let goes_to = |op: &Op| match op {
        Op::Jump(to) | Op::Branch(_, to, _) => *to == end,
        Op::Choose(to) => to.contains(&end),
        _ => false,
    };
    let stays = |op: &Op| matches!(op, Op::Jump(_) | Op::Ask(_) | Op::Gone | Op::Lost | Op::Early | Op::Cut | Op::Spin);
    !code.last().is_some_and(stays) || code.iter().any(goes_to)
}

/// How many elements a sort has in a program.
pub(crate) fn size(program: &Program, sort: Sort) -> usize {
    match sort {
        Sort::Node => program.nodes.len(),
        Sort::Thread => program.threads.len(),
        Sort::Loc => program.locations(),
    }
}

/// A frame that begins with the indices of an entry of a state variable.
pub(crate) fn indices(sizes: &[usize], entry: usize, slots: usize) -> Vec<Word> {
    let mut frame = vec![0; slots];
    let mut rest = entry;
    for (k, s) in sizes.iter().enumerate().rev() {
        frame[k] = (rest % s) as Word;
        rest /= s;
    }
    frame
}

/// A type by the name that registers carry.
fn named_type(spec: &Spec, name: &str) -> Ty {
    match name {
        "Bool" => Ty::Bool,
        "Int" => Ty::Int,
        "Blob" => Ty::Blob,
        _ => match spec.types.named.iter().find(|(n, _)| n == name) {
            Some((_, t)) => t.clone(),
            None => spec.types.record(name).map_or(Ty::Int, Ty::Record),
        },
    }
}
