//! What is known of the processes: for each rank a tree of calls, whose branches are what the process was told.

use crate::accesses::with_windows;
use crate::asked::Facts;
use crate::call::{Arg, Call, Form, POINTER, Refused, Scene, names_of};
use crate::face::{Face, Function, STATUS_BYTES, communicates, functions, is_large, modern};
use crate::kept::kept;
use crate::layout::Layout;
use crate::local;
use crate::memory::{Needed, Seen, Values, ascending};
use crate::observe::{End, Observed};
use crate::operations::Combiner;
use crate::pack::is_packing;
use crate::races;
use crate::rank::{Event, Process, Stage};
use crate::rounds::Rounds;
use crate::sites::Maps;
use crate::threads;
use crate::turns::{MANY_TURNS, REFUSALS, TURNS, Turns};
use crate::twins::Alike;
use crate::windows::{Element, Windows};
use litmpi_engine::machine::Machine;
use litmpi_spec::decl::{Kind, Param, Shape};
use litmpi_spec::heap::Word;
use litmpi_spec::model::Spec;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Calls of a process that are followed.
const DEEPEST: usize = 100_000;
/// Those of one that goes one way only.
const FURTHEST: usize = 1_000_000;
/// Calls that may be forgotten for elements that are found before elements are watched from where they are found.
const FEW: usize = 500;
/// Processes that wait for a second answer.
const WAITING: usize = 1500;

/// MPI_UNDEFINED.
const UNDEFINED: i32 = -32766;
/// What the library in C calls where it is given an address that is no memory: the number of the function, and the address.
const NO_MEMORY: &str = "no_memory";

/// What a process does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    Call(Box<Call>),
    /// It has come past a call of this function, and goes one way.
    Passed(usize),
    /// It ended, after `MPI_Finalize` or without.
    Exit {
        code: i32,
        finalized: bool,
        /// The number of the end that this is.
        end: usize,
    },
    /// A signal ended it.
    Killed(String),
    /// It calls MPI out of turn.
    Misused(String),
    /// It ran for so long without a call.
    Silent(Duration),
    /// It tests again what was not there: it is taken to wait. Whether its memory changes meanwhile, so that it may do something else in
    /// the end.
    Waits {
        changes: bool,
    },
    /// It does what the rules do not speak of.
    Unsupported(String),
    /// Its calls are more than are followed.
    TooDeep,
    /// Run again with the same answers, it did something else.
    Differs(String),
}

/// Operations of a process of which it is not asked at each call which of them are over, but about so often for each of them.
const MANY: usize = 64;
const SELDOM: usize = 8;
/// Elements that are gone through at each call.
const AT_ONCE: usize = 1024;

/// A place in the life of a process.
pub(crate) struct Place {
    pub(crate) rank: usize,
    /// The call before, and what that told it; none at its beginning.
    pub(crate) parent: Option<(usize, Vec<i64>)>,
    pub(crate) next: Next,
    pub(crate) then: BTreeMap<Vec<i64>, usize>,
    /// Where the call is, if there is one, or the last call that was.
    pub(crate) site: u64,
    /// Where the process has said that it ends, if it has.
    pub(crate) ends_at: Option<u64>,
    /// What the process has made and not freed, if the call is `MPI_Finalize`.
    pub(crate) kept: Vec<String>,
    pub(crate) seen: Seen,
    /// Variables that are observed, once `MPI_Finalize` was called.
    pub(crate) variables: BTreeMap<String, String>,
    /// Whether `MPI_Init` was called, and `MPI_Finalize`.
    pub(crate) initialized: bool,
    pub(crate) finalized: bool,
    pub(crate) depth: usize,
    /// How often tests said no, one time after the other.
    pub(crate) turns: BTreeMap<(usize, u64), Turns>,
    /// Where the process is taken to wait: after how many further refusals it does something else, if that is known.
    pub(crate) gives_up: Option<u32>,
    /// How often they may before the process is taken to wait.
    pub(crate) limit: u32,
    /// The process that waits in the call.
    pub(crate) process: Option<Process>,
    /// What the process goes on by, once that was asked and if it can be said.
    digest: OnceCell<Option<u128>>,
}

impl Place {
    /// Buffers that the process is told of when it may read them.
    pub(crate) fn pending(&self) -> &[crate::memory::Area] {
        &self.seen.pending
    }

    /// The call in which the process waits, if it is in one, and the buffers that it is told of.
    pub(crate) fn waiting(&self) -> Option<(&Call, &[crate::memory::Area])> {
        let Next::Call(call) = &self.next else { return None };
        Some((call, &self.seen.pending))
    }

    /// Whether the process is taken to wait in a test, and may do something else in the end.
    pub(crate) fn may_go_on(&self) -> bool {
        self.next == Next::Waits { changes: true }
    }

    /// Whether the process has made a window.
    pub(crate) fn has_windows(&self) -> bool {
        !self.seen.windows.is_empty()
    }

    /// What the process goes on by; `goes_one_way` as of [`Process::digest`].
    pub(crate) fn digest(&self, goes_one_way: bool) -> Option<u128> {
        *self.digest.get_or_init(|| self.process.as_ref().and_then(|process| process.digest(goes_one_way)))
    }
}

/// All processes.
pub(crate) struct Tree {
    pub(crate) stage: Stage,
    pub(crate) face: Face,
    pub(crate) functions: Vec<Function>,
    /// The parameters of each instruction, and the kinds that they are of.
    instructions: Vec<Vec<Param>>,
    pub(crate) all_kinds: Vec<Kind>,
    /// The kinds of arguments that the specification declares; of handles, the one of their type that has most names.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) values: Arc<Values>,
    pub(crate) operations: Arc<Combiner>,
    windows: Windows,
    pub(crate) observed: Observed,
    /// Whether loads and stores of the program are seen.
    pub(crate) sees: bool,
    /// What files the addresses of calls are of.
    pub(crate) maps: Maps,
    pub(crate) places: Vec<Place>,
    pub(crate) roots: Vec<Option<usize>>,
    patience: Duration,
    /// Places whose process waits, the oldest first.
    pub(crate) waiting: Vec<usize>,
    /// Places that may be the same but for how the process came there.
    pub(crate) alike: Alike,
    /// Whether places are one where the processes go on alike.
    pub(crate) merges: bool,
    /// Whether datatypes are held against what programs declare their memory as.
    pub(crate) typed: bool,
    /// The highest level of threads that a rank has asked for.
    pub(crate) level: i32,
    /// Of each function, whether the rules do not speak of it.
    unspoken: Vec<bool>,
    /// What a call of such a function returns; if nothing, what the process does ends there as far as it is followed.
    pub(crate) returned: Option<i64>,
    /// Of what no rule speaks, and which calls have returned so for that reason.
    pub(crate) have_returned: BTreeSet<String>,
    /// How far ranks have come whose processes go one way: by calls that told them something else than that a test says no, and in no round.
    pub(crate) rounds: Rounds,
    /// Where each rank's process is that goes one way.
    pub(crate) now: Vec<Option<usize>>,
    /// Whether elements of windows may be watched from the call on that names them; else all processes are begun again.
    pub(crate) from_here: bool,
    /// Calls that were forgotten because all processes were begun again for an element.
    pub(crate) again: usize,
    /// Elements that are to be watched in other processes than that which named them.
    pub(crate) found: Vec<Element>,
    /// Whether each process goes one way only, so that nothing is kept of where it was, tests are repeated as often as the program likes, and
    /// what it writes is heard.
    pub(crate) one_way: bool,
    /// Whether processes may be told what their windows hold when they look there ([`crate::looks`]).
    pub(crate) may_look: bool,
    /// Through how many refusals of a test, one after the other, a process is followed that changes meanwhile.
    pub(crate) refusals: u32,
}

/// What a call needs to be read in: the model, and a state in which the process is there.
#[derive(Clone, Copy)]
pub(crate) struct Model<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) layout: &'a Layout,
    pub(crate) state: &'a [Word],
}

impl Tree {
    pub(crate) fn new(
        stage: Stage,
        observed: Observed,
        ranks: usize,
        spec: &Spec,
        sizes: Vec<usize>,
        first: i64,
        patience: Duration,
    ) -> Tree {
        let kinds = &spec.instructions.kinds;
        let values = Arc::new(Values::new(sizes));
        let of = |ty: &str| {
            let kind = kinds.iter().find(|k| matches!(&k.shape, Shape::Handle(t) if t == ty));
            kind.map(|k| names_of(kinds, k).clone()).expect("MPI has datatypes and communicators")
        };
        let functions = functions();
        let spoken = |f: &Function| {
            let called = modern(f, &functions).name;
            is_packing(&called) || spec.instructions.find(&called).is_some()
        };
        Tree {
            level: 0,
            unspoken: functions.iter().map(|f| !spoken(f)).collect(),
            instructions: spec.instructions.list.iter().map(|i| i.params.clone()).collect(),
            all_kinds: kinds.clone(),
            returned: None,
            have_returned: BTreeSet::new(),
            kinds: kinds.iter().map(|k| names_of(kinds, k).clone()).collect(),
            stage,
            face: Face::mpich(),
            functions,
            operations: Arc::new(Combiner::new(Arc::clone(&values), [of("Datatype"), of("Comm")], first)),
            values,
            windows: Windows::default(),
            observed,
            sees: false,
            maps: Maps::default(),
            places: vec![],
            roots: vec![None; ranks],
            patience,
            waiting: vec![],
            alike: Alike::default(),
            merges: true,
            typed: true,
            rounds: Rounds::new(ranks),
            now: vec![None; ranks],
            from_here: false,
            again: 0,
            found: vec![],
            one_way: false,
            may_look: true,
            refusals: REFUSALS[0],
        }
    }

    /// Nothing is known any more but the windows that there are.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
        self.alike = Alike::default();
        self.places.clear();
        self.roots.fill(None);
        self.now.fill(None);
        self.rounds = Rounds::new(self.roots.len());
        self.found.clear();
    }

    /// Whether it is time to ask which operations of a process are over: where there are many, or many elements, not at each call.
    pub(crate) fn is_time_to_ask(&mut self, place: usize) -> bool {
        let seen = &mut self.places[place].seen;
        seen.unasked += 1;
        let elements = seen.in_use.len() + seen.cells.len() + seen.watched.len();
        (seen.busy < MANY || seen.unasked * SELDOM >= seen.busy) && seen.unasked * AT_ONCE >= elements
    }

    /// Of a process that goes one way only: addresses that operations may still use; what it holds elsewhere is forgotten. `writable` says
    /// whether no operation that goes on uses an element, and `told` what the call told: who has been told of a buffer knows what it holds.
    pub(crate) fn needed(&mut self, place: usize, told: &[i64], writable: &dyn Fn(u64) -> bool) -> Needed {
        let Place { seen, next, .. } = &mut self.places[place];
        let call = if let Next::Call(call) = &*next { Some(&**call) } else { None };
        // A buffer is in use as a whole: one element speaks for all.
        let mut known: FxHashMap<usize, bool> = FxHashMap::default();
        seen.in_use.retain(|at, operation| !*known.entry(*operation).or_insert_with(|| writable(*at)));
        seen.beneath.retain(|(at, _), _| seen.in_use.contains_key(at));
        (seen.busy, seen.unasked) = (known.values().filter(|is_over| !**is_over).count(), 0);
        let elements = seen.elements();
        seen.cells.retain(ascending_keys(&elements));
        let mut told = told.iter().skip(call.map_or(0, |c| c.told_at(c.outs.len())));
        let only_begins = call.is_some_and(|c| c.only_begins);
        let mut left = vec![];
        for area in &seen.pending {
            // Memory of windows may be passed on without a call that names it.
            if !only_begins && told.next() == Some(&1) && seen.windows.is_empty() {
                _ = area.first().and_then(|_| told.nth(area.len() - 1));
            } else {
                left.push(area);
            }
        }
        // A request that this call makes may use its buffers again.
        let begun = call.filter(|c| c.is_persistent).map(|c| &c.areas);
        let areas = left.into_iter().chain(begun.into_iter().flatten());
        let absolute = seen.absolute.iter().copied();
        let mut needed: Needed =
            seen.elements_but_pending().chain(areas.flatten().map(|(at, _)| *at)).chain(absolute).collect();
        seen.windows.iter().for_each(|(at, bytes)| needed.name(*at, at + (*bytes).max(1)));
        needed
    }

    /// Nothing is known, and from here on each byte of a window is an element.
    pub(crate) fn divide_windows(&mut self) {
        self.forget();
        self.windows.divide();
    }

    /// Where a rank goes on that was told something; it is run if that is not known.
    pub(crate) fn follow(
        &mut self,
        rank: usize,
        from: Option<usize>,
        told: &[i64],
        model: Model<'_>,
    ) -> Result<Result<usize, Refused>, String> {
        let known = match from {
            Some(p) => self.places[p].then.get(told).copied(),
            None => self.roots[rank],
        };
        if let Some(known) = known {
            return Ok(Ok(known));
        }
        if let Some(p) = from
            && self.one_way
            && (!self.places[p].then.is_empty() || matches!(self.places[p].next, Next::Passed(_)))
        {
            // The model was made anew, and this time the process was told something else.
            return Ok(Err(Refused::Named));
        }
        let mut place = self.begun(rank, from, told);
        let waits = from.and_then(|p| self.waits(p, told, &mut place));
        self.rounds.came(rank, !from.is_some_and(|p| self.is_refused(p, told)));
        if let Some(waits) = waits {
            self.rounds.stops(rank, waits == Next::Waits { changes: true });
            if let (false, Some(at), Next::Waits { changes: true }) = (self.one_way, from, &waits) {
                place.gives_up = self.gives_up(at, told)?;
            }
            place.next = waits;
        } else if let Err(why) = self.goes_to(from, told, model, &mut place)? {
            return Ok(Err(why));
        }
        let number = match self.twin(&place) {
            Some(twin) => twin,
            None => self.keep(place),
        };
        match from {
            Some(p) => {
                self.places[p].then.insert(told.to_vec(), number);
                self.alike.came(&self.places[p]);
            }
            None => self.roots[rank] = Some(number),
        }
        self.let_go();
        Ok(Ok(number))
    }

    /// The place to which a rank comes that was told something, as far as it is known without running it.
    pub(crate) fn begun(&mut self, rank: usize, from: Option<usize>, told: &[i64]) -> Place {
        let seen = match from {
            Some(p) if self.one_way => std::mem::take(&mut self.places[p].seen),
            Some(p) => self.places[p].seen.clone(),
            None => Seen::default(),
        };
        let parent = from.map(|p| (p, told.to_vec()));
        Place {
            rank,
            parent,
            next: Next::TooDeep,
            then: BTreeMap::new(),
            site: from.map_or(0, |p| self.places[p].site),
            ends_at: None,
            kept: vec![],
            seen,
            variables: from.map(|p| self.places[p].variables.clone()).unwrap_or_default(),
            initialized: from.is_some_and(|p| self.places[p].initialized),
            finalized: from.is_some_and(|p| self.places[p].finalized),
            depth: from.map_or(0, |p| self.places[p].depth + 1),
            gives_up: None,
            turns: from.map(|p| self.places[p].turns.clone()).unwrap_or_default(),
            limit: from.map_or(if self.one_way { MANY_TURNS } else { TURNS }, |p| self.places[p].limit),
            process: None,
            digest: OnceCell::new(),
        }
    }

    /// Runs a process to a place.
    pub(crate) fn goes_to(
        &mut self,
        from: Option<usize>,
        told: &[i64],
        model: Model<'_>,
        place: &mut Place,
    ) -> Result<Result<(), Refused>, String> {
        if place.depth < if self.one_way { FURTHEST } else { DEEPEST } {
            match self.run(from, told, model, place)? {
                Ok(()) => {}
                Err(Refused::Unsupported(what)) => place.next = Next::Unsupported(what),
                Err(Refused::Erroneous(what)) => place.next = Next::Misused(what),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(()))
    }

    /// A new place.
    fn keep(&mut self, place: Place) -> usize {
        let number = self.places.len();
        self.now[place.rank] = Some(number);
        if place.process.is_some() {
            self.waiting.push(number);
        }
        if self.merges && !self.one_way {
            self.alike.add(&place, number);
        }
        self.places.push(place);
        number
    }

    /// Ends processes that may be started anew when they are needed.
    fn let_go(&mut self) {
        while self.waiting.len() > WAITING {
            let oldest = self.waiting.remove(0);
            self.places[oldest].process = None;
        }
    }

    /// A process that waits in the call of a place, or at the beginning.
    pub(crate) fn at(&mut self, rank: usize, place: Option<usize>) -> Result<Result<Process, String>, String> {
        let Some(place) = place else { return Ok(Ok(self.stage.start(rank)?)) };
        let keep = !self.one_way && self.may_branch(place);
        match &mut self.places[place].process {
            // The copy stays, and the process goes on: copies of copies of copies would take the kernel longer each time.
            Some(process) if keep && process.is_alone() => {
                let copy = self.stage.double(process)?;
                return Ok(Ok(std::mem::replace(process, copy)));
            }
            Some(_) if !keep => {
                self.waiting.retain(|w| *w != place);
                return Ok(Ok(self.places[place].process.take().expect("just seen")));
            }
            _ => {}
        }
        // It is gone, or cannot be doubled: the program is run again with the same answers.
        let parent = self.places[place].parent.clone();
        let mut process = match self.at(rank, parent.as_ref().map(|(p, _)| *p))? {
            Ok(process) => process,
            Err(differs) => return Ok(Err(differs)),
        };
        if let Some((p, told)) = &parent {
            let mut seen = self.places[*p].seen.clone();
            let returned = self.tell(*p, told, &mut process, &mut seen)?;
            process.answer(returned)?;
        }
        let began =
            parent.as_ref().map_or((false, false), |(p, _)| (self.places[*p].initialized, self.places[*p].finalized));
        let event = self.event(&mut process, &mut { began })?;
        let now = match (&event, &self.places[place].next) {
            (Event::Call { function, site, .. }, Next::Call(call))
                if *function == call.function && *site == call.site =>
            {
                None
            }
            (Event::Call { function, .. }, _) => Some(format!("it calls {}", self.functions[*function].name)),
            (other, _) => Some(format!("{other:?}")),
        };
        Ok(match now {
            None => Ok(process),
            Some(now) => Err(now),
        })
    }

    /// Whether a call may tell different things.
    fn may_branch(&self, place: usize) -> bool {
        match &self.places[place].next {
            Next::Call(call) => {
                let is_asked = !call.only_begins && !self.places[place].seen.pending.is_empty();
                is_asked || !call.outs.is_empty() || !call.watched.is_empty()
            }
            _ => false,
        }
    }

    /// Runs a process from a place on, told this, to its next call.
    fn run(
        &mut self,
        from: Option<usize>,
        told: &[i64],
        model: Model<'_>,
        place: &mut Place,
    ) -> Result<Result<(), Refused>, String> {
        let mut process = match self.at(place.rank, from)? {
            Ok(process) => process,
            Err(differs) => {
                place.next = Next::Differs(differs);
                return Ok(Ok(()));
            }
        };
        self.sees |= process.accesses.seen;
        if let Some(p) = from {
            match self.tell(p, told, &mut process, &mut place.seen) {
                Ok(returned) => process.answer(returned)?,
                Err(why) => {
                    let Next::Call(call) = &self.places[p].next else { return Err(why) };
                    place.next = Next::Misused(format!("{}: {why}", self.functions[call.function].name));
                    return Ok(Ok(()));
                }
            }
        }
        let mut began = (place.initialized, place.finalized);
        let event = self.event(&mut process, &mut began)?;
        (place.initialized, place.finalized) = began;
        place.ends_at = process.ends_at;
        if matches!(event, Event::Call { .. } | Event::Silent(_)) {
            let wrong =
                |(f, site): (usize, u64)| Some((threads::wrong(&self.functions.get(f)?.name, self.level)?, site));
            if let Some((why, site)) = process.calls_of_threads()[0].and_then(wrong) {
                (place.site, place.next) = (site, Next::Misused(why));
                return Ok(Ok(()));
            }
            if let Some((function, site)) = self.of_threads(&process) {
                (place.site, place.next) = (site, Next::Unsupported(self.by_threads(function)));
                return Ok(Ok(()));
            }
        }
        match event {
            Event::Exit(code) => {
                let end = End { code, stdout: process.printed(), variables: std::mem::take(&mut place.variables) };
                place.next = Next::Exit { code, finalized: place.finalized, end: self.observed.number(end) };
            }
            Event::Killed(signal) => place.next = Next::Killed(signal.to_string()),
            Event::Silent(time) => place.next = Next::Silent(time),
            Event::Misuse { function, site, why } => {
                place.site = site;
                place.next = Next::Misused(format!("{}: {why}", self.functions[function].name));
            }
            Event::Call { function, args, site } => {
                place.site = site;
                self.maps.learn(site, process.pid);
                let name = self.functions[function].name.clone();
                let finalized = from.is_some_and(|p| self.places[p].finalized);
                if let Some(why) = out_of_turn(&self.functions[function], began, finalized) {
                    place.next = Next::Misused(format!("{name}: {why}"));
                    return Ok(Ok(()));
                }
                if name == "MPI_Finalize" {
                    place.finalized = true;
                    place.kept = kept(place.rank, &process, model);
                    place.variables = self.observed.read(&process);
                }
                if name.starts_with("MPI_Op_create") && args[0] == 0 {
                    place.next = Next::Misused(format!("{name}: `user_fn` is NULL, which is no function"));
                    return Ok(Ok(()));
                }
                if name.starts_with("MPI_Op_create") && self.operations.function(args[0]).is_none() {
                    self.operations.learn(args[0]);
                }
                self.operations.measure(model.layout.granule.0);
                let mut scene = Scene {
                    machine: model.machine,
                    face: &self.face,
                    values: &self.values,
                    operations: &self.operations,
                    layout: model.layout,
                    windows: &mut self.windows,
                    rank: place.rank,
                    process: &process,
                    state: model.state,
                    large: is_large(&self.functions[function]),
                    one_way: self.one_way,
                    may_look: self.may_look,
                    typed: self.typed,
                    found: (self.from_here && self.again > FEW).then(Vec::new),
                };
                let called = modern(&self.functions[function], &self.functions);
                match scene.call(function, &called, &args, site, &mut place.seen) {
                    Ok(mut call) => {
                        if let Err(why) = scene.threads(&self.functions, &mut call, &mut place.seen, &mut place.site) {
                            return Ok(Err(why));
                        }
                        self.found.extend(scene.found.take().into_iter().flatten());
                        for op in self.own_operations(&call) {
                            let copy = self.stage.double(&mut process)?;
                            let facts = Facts::of(model.machine, place.rank, model.state);
                            self.operations.run_within(op, (place.rank, place.depth), (copy, facts), self.one_way);
                        }
                        place.seen.come(&call.areas, &call.taken);
                        let forgotten = self.forgotten(&process, &place.seen, &call);
                        place.next = Next::Call(Box::new(Call { forgotten, ..call }));
                    }
                    // It is told of by the name that the program calls it by.
                    Err(Refused::Erroneous(why)) if called.name != name => {
                        return Ok(Err(Refused::Erroneous(why.replacen(&called.name, &name, 1))));
                    }
                    Err(why) => return Ok(Err(why)),
                }
                place.process = Some(process);
            }
        }
        Ok(Ok(()))
    }

    /// The operations of the program's own that a call names.
    fn own_operations(&self, call: &Call) -> Vec<i64> {
        let Some(instr) = call.instr.map(|i| &self.instructions[i]) else { return vec![] };
        let is_op = |p: &Param| matches!(&self.all_kinds[p.kind].shape, Shape::Handle(t) if t == "Op");
        let ops = instr.iter().zip(&call.args).filter(|(p, _)| is_op(p));
        let number = |(_, arg): (&Param, &Arg)| if let Arg::Int(n) = arg { Some(*n) } else { None };
        ops.filter_map(number).filter(|n| *n >= self.operations.first()).collect()
    }

    /// The next call that the rules speak of, or the end.
    pub(crate) fn event(
        &mut self,
        process: &mut Process,
        (initialized, finalized): &mut (bool, bool),
    ) -> Result<Event, String> {
        loop {
            let mut event = process.next(self.patience);
            let Event::Call { function, args, site } = &mut event else { return Ok(event) };
            *site = match process.place.as_str() {
                "" => self.stage.callers.site(*site, &process.stack),
                line => self.maps.named(line),
            };
            let (function, args, site) = (&*function, &*args, &*site);
            let misuse = |function: usize, why| Event::Misuse { function, site: *site, why };
            let name = self.functions[*function].name.as_str();
            if name == NO_MEMORY {
                return Ok(misuse(args[0] as usize, local::no_memory(args[1])));
            }
            let begins = name == "MPI_Init" || name == "MPI_Init_thread";
            if begins && (*initialized || *finalized) {
                return Ok(event);
            }
            *initialized |= begins;
            *finalized |= name == "MPI_Finalize";
            if name == "MPI_Init_thread" {
                self.level = self.level.max(args[2] as i32);
            }
            match local::answer(name, args, process, (*initialized, *finalized)) {
                Err(why) => return Ok(misuse(*function, why)),
                Ok(Some(value)) => process.answer(value)?,
                Ok(None) => {
                    let error = self.returned.filter(|_| *initialized && !*finalized);
                    let Some((error, what)) = error.zip(error.and_then(|_| self.unspoken(*function, args))) else {
                        return Ok(event);
                    };
                    self.have_returned.insert(what);
                    process.answer(error)?;
                }
            }
        }
    }

    /// Of what no rule speaks in a call, and which calls that concerns: its function, or a predefined datatype that it names.
    fn unspoken(&self, function: usize, args: &[u64]) -> Option<String> {
        let called = &self.functions[function];
        if self.unspoken[function] {
            return Some(format!("{}: no rule speaks of it: its calls", called.name));
        }
        let at = self.all_kinds.iter().position(|k| matches!(&k.shape, Shape::Handle(t) if t == "Datatype"))?;
        let types = called.args.iter().zip(args).filter(|(name, _)| name.ends_with("type"));
        let name = types.filter_map(|(_, raw)| self.face.unspoken("Datatype", &self.kinds[at], *raw as u32)).next()?;
        Some(format!("{name}: no rule speaks of it: calls with it"))
    }

    /// Puts what a call told into the memory of a process that waits in it.
    pub(crate) fn tell(
        &mut self,
        place: usize,
        told: &[i64],
        process: &mut Process,
        seen: &mut Seen,
    ) -> Result<i64, String> {
        let Next::Call(call) = &self.places[place].next else { return Ok(0) };
        let mut returned = 0;
        for (at, bytes) in &call.writes {
            process.write(*at, bytes)?;
        }
        let mut told = told.iter().copied();
        let mut requests = vec![];
        let classes = self.kinds.iter().find(|k| k.name == "errorclass");
        for out in &call.outs {
            let now: Vec<i64> = told.by_ref().take(out.brought.len()).collect();
            if out.ty == "Request" || out.ty == "Message" {
                seen.last_number = seen.last_number.max(now[0]);
            }
            if out.ty == "Request" {
                requests.push((out.brought[0], now[0]));
            }
            if call.is_persistent && out.ty == "Request" {
                seen.persistent.insert(now[0], call.buffers().map(|(area, taken)| (area.clone(), taken)).collect());
            }
            if now == out.brought {
                continue;
            }
            let bytes = match out.form {
                Form::Returned => {
                    returned = classes.map_or(now[0], |k| self.face.result(k, now[0]));
                    continue;
                }
                Form::Pointer => self.values.bytes(POINTER, now[0]),
                Form::Status => self.face.status_bytes(&now, classes, &process.read(out.at, STATUS_BYTES)),
                Form::Object(k) => self.face.handle(&out.ty, &self.kinds[k], now[0]).to_ne_bytes().to_vec(),
                Form::Int(4, scale, k) => {
                    let whole = self.face.result(&self.kinds[k], now[0]).wrapping_mul(scale);
                    // A number of items that is no int (MPI-4.1 §3.2.5); a handle has the upper half of 32 bits as well.
                    let fits = i32::try_from(whole).is_ok() || u32::try_from(whole).is_ok();
                    (if fits { whole as i32 } else { UNDEFINED }).to_ne_bytes().to_vec()
                }
                Form::Int(_, scale, k) => {
                    self.face.result(&self.kinds[k], now[0]).wrapping_mul(scale).to_ne_bytes().to_vec()
                }
            };
            process.write(out.at, &bytes)?;
        }
        races::returned(&mut seen.used, (&self.functions[call.function].name, call), seen.calls, &requests);
        let mut left = vec![];
        let mut spent = call.forgotten.spent.clone();
        for (i, area) in std::mem::take(&mut seen.pending).into_iter().enumerate() {
            if call.only_begins || told.next() != Some(1) {
                left.push(area);
                continue;
            }
            for (at, ty) in area {
                let Some(now) = told.next() else { break };
                seen.coming.remove(&at);
                if !seen.holds(at, ty, now) {
                    process.write(at, &self.values.bytes(ty, now))?;
                    seen.know(at, ty, now, self.values.size(ty));
                }
            }
            spent.extend(call.forgotten.over.get(i).into_iter().flatten());
        }
        spent.iter().for_each(|at| _ = seen.cells.remove(at));
        seen.pending = left;
        if self.one_way && seen.windows.is_empty() {
            // What it knows of a buffer that is in use no more is read anew where a call passes it, which may be at another location.
            let elements = seen.elements();
            seen.cells.retain(ascending_keys(&elements));
        }
        let news = if call.watched.is_empty() { 0 } else { told.next().unwrap_or(0) };
        for _ in 0..news {
            let (Some(i), Some(now)) = (told.next(), told.next()) else { break };
            let (at, _) = call.watched[i as usize];
            let ty = seen.watched.get(&at).copied().unwrap_or(0);
            process.write(at, &self.values.bytes(ty, now))?;
            seen.know(at, ty, now, self.values.size(ty));
        }
        // Where loads and stores are not seen, what is freed is, and that matters to buffers in use alone.
        let all = process.accesses.seen;
        let mut in_use = ascending(seen.in_use.keys().copied());
        let watched = seen.cells.iter().filter(|(at, _)| all || in_use(**at));
        let watched = watched.map(|(at, (ty, _))| (*at, self.values.size(*ty) as u64));
        let beneath = seen.beneath.keys().map(|(at, ty)| (*at, self.values.size(*ty) as u64));
        process.watch(with_windows(watched, beneath, &seen.windows, &seen.lent), seen.unlooked)?;
        Ok(returned)
    }
}

/// Whether an address is among those that are needed, if it is asked for one after the other in order.
fn ascending_keys(needed: &Needed) -> impl FnMut(&u64, &mut (i64, i64)) -> bool {
    let mut is_needed = needed.ascending();
    move |at, _| is_needed(*at)
}

/// Why a call is out of turn, if it is: MPI-4.1, section 11.4.1 says what may be called before `MPI_Init` and behind `MPI_Finalize`.
fn out_of_turn(function: &Function, (initialized, _): (bool, bool), finalized: bool) -> Option<&'static str> {
    let name = function.name.as_str();
    match name {
        "MPI_Init" | "MPI_Init_thread" if finalized => Some("MPI is finalized"),
        "MPI_Init" | "MPI_Init_thread" => Some("MPI is initialized already"),
        "MPI_Finalized" => None,
        // The interface for tools, and sessions, begin by themselves.
        _ if name.starts_with("MPI_T_") || name.starts_with("MPI_Session_") => None,
        _ if !initialized => Some("MPI is not initialized yet"),
        _ if finalized && communicates(function) => Some("MPI is finalized"),
        _ => None,
    }
}
