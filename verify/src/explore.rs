//! Every behaviour of a program that runs: searches of the model of what is known of its processes, until a search asks nothing
//! more of them ([`litmpi_engine::unfold`] says why the last one is complete).

use crate::behaviour::Behaviour;
use crate::call::Refused;
use crate::emit;
use crate::explained::UNSUPPORTED;
use crate::layout::{END, Lacks, Layout};
use crate::library;
use crate::named::News;
use crate::observe::{End, Observe, Observed as Wanted};
use crate::rank::Stage;
use crate::report::{Bad, Finding, Verdict};
use crate::sample::Sample;
use crate::sites::Sites;
use crate::tree::{Model, Next, Place, Tree};
use crate::watch::Watcher;
use litmpi_engine::eval::Fault;
use litmpi_engine::late::LATE;
use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_engine::memo::Every;
use litmpi_engine::reach::Reach;
use litmpi_engine::search::{Bound, Bounds, Path};
use litmpi_engine::unfold::{Asked, Given, Shown, hidden};
use litmpi_litmus::ast::{Observable, Observed, Outcome};
use litmpi_models::{Operational, Outcomes, Search, Setup};
use litmpi_spec::diag::Report;
use litmpi_spec::heap::Word;
use litmpi_spec::model::Spec;
use litmpi_spec::program::Op;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is run, and how.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How many processes.
    pub ranks: usize,
    /// Variables that they find in their environment beside this process's own.
    pub environment: Vec<(String, String)>,
    /// The rules.
    pub spec: Arc<Spec>,
    /// Their variant.
    pub variant: String,
    /// Limits of each search.
    pub bounds: Bounds,
    /// Which transitions are followed.
    pub search: Search,
    /// How many threads search.
    pub threads: usize,
    /// Whether a process may load what another updates, and store what another reads: in the unified memory model it may, and what comes of it
    /// is not defined.
    pub races: bool,
    /// Whether ways of a rank are one from where its memory is the same.
    pub merges: bool,
    /// Whether the datatypes of buffers are held against what the program declares its memory as.
    pub typed: bool,
    /// Whether many elements of a message that lie one behind the other are looked at as one ([`crate::runs`]).
    pub runs: bool,
    /// Whether a function of which no rule speaks returns `MPI_ERR_UNSUPPORTED_OPERATION`, and the process goes on; else what it does is followed
    /// no further. Either way it is told, and the verdict is open.
    pub returns: bool,
    /// How long a process may run without a call.
    pub patience: Duration,
    /// Follow a few behaviours at random, instead of all.
    pub sample: Option<Sample>,
    /// Behaviours at random that are followed where a search of all hits a bound and has found nothing.
    pub beside: Option<Sample>,
    /// Follow this behaviour alone.
    pub again: Option<Arc<Behaviour>>,
    /// What the ends of the program are compared by.
    pub observe: Vec<Observe>,
    /// Where the MPI library is kept that was built.
    pub cache: PathBuf,
    /// Notes how far searches come in the rules, if somebody wants to know.
    pub reach: Option<Arc<Reach>>,
}

impl Run {
    /// Whether the behaviours are at random, for which some rules take larger steps.
    pub(crate) fn is_sampled(&self) -> bool {
        self.sample.is_some() || self.again.as_ref().is_some_and(|b| b.random)
    }
}

/// Ways through the model that are gone before the first search, so that most of what the processes do is known then.
const WALKS: u64 = 8;
/// After so many ways, one after the other, that came to nothing new, no others are gone.
const FRUITLESS: u32 = 2;
/// Steps of such a way.
const STEPS: usize = 200_000;
/// Steps in which a way comes to nothing new before it is taken to go round, beside twice as many as any has gone to something new.
const ROUND: usize = 5_000;
/// After so many steps of a walk it is looked at how much memory the values take that it has come by.
const LOOKS: usize = 64;
/// Elements of all memory that the rules look at.
const MOST_KEPT: usize = 1 << 23;
/// A search of no more states than this follows all that may happen where a call is erroneous, too.
const EVERYTHING: usize = 100_000;
/// States of the first search, at most.
const FIRST: usize = 5_000;
/// Searches, of which each asks something that the one before did not.
const ROUNDS: usize = 200;

/// Why a run cannot be made.
#[derive(Debug)]
pub enum Stopped {
    /// What the user can mend, in words.
    Input(String),
    /// A rule that cannot be evaluated.
    Rules(Report),
}

impl From<String> for Stopped {
    fn from(why: String) -> Stopped {
        Stopped::Input(why)
    }
}
impl From<Report> for Stopped {
    fn from(r: Report) -> Stopped {
        Stopped::Rules(r)
    }
}
impl From<Fault> for Stopped {
    fn from(f: Fault) -> Stopped {
        Stopped::Rules(f.into())
    }
}

/// Whether something made the model too small, so that it is made anew.
pub(crate) enum Went {
    On,
    Anew,
}

pub(crate) struct Explorer<'o> {
    pub(crate) run: &'o Run,
    pub(crate) spec: Arc<Spec>,
    /// By what class calls tell of what is wrong with them.
    classes: BTreeMap<String, i64>,
    observed: &'o [Observable],
    pub(crate) tree: Tree,
    pub(crate) layout: Layout,
    pub(crate) model: Operational<'o>,
    /// By thread and the place of its `Ask`: the place in the tree.
    pub(crate) places: BTreeMap<(usize, usize), usize>,
    /// By place in the tree: that of its `Ask`.
    pub(crate) asks: BTreeMap<usize, usize>,
    /// By place in the tree: where its code begins.
    pub(crate) code: BTreeMap<usize, usize>,
    /// By thread: where the code of each place begins, in order.
    pub(crate) begins: Vec<Vec<(usize, usize)>>,
    /// What has come to be watched on a way.
    pub(crate) news: News,
    /// Whether nothing else is followed where a call is erroneous, because that was too much.
    ends_at_errors: bool,
    /// States of all searches so far, and transitions.
    looked_at: usize,
    crossed: usize,
    /// How many steps a way has gone, at most, to something that was not known.
    furthest: usize,
    /// The place whose call had no room the last time, and how often that was so.
    cramped: (usize, u32),
}

/// What the evaluation of rules says of numbers that it has no room for.
const BEYOND: [&str; 3] = ["does not fit in 64 bits", "elements is too long", "is outside its array"];

/// Where races are allowed, a load is told what the location holds when it is made.
const MAY_HAVE_RACED: &str = "a load of a window that races with another process's update may give another value than it was followed with (--allow-races)";

/// The constant of the rules that says whether each byte of a window is an element.
const WINDOW_BYTES: &str = "window_bytes";
/// Those that say what is different where one behaviour alone is followed: an accumulate may access all its elements in one step, and of many requests
/// that are complete not every arrangement is a way to go on.
const OF_ONE: [(&str, i64); 2] = [("whole_accumulates", 1), ("every_order", 0)];

/// Follows a program: a process that changes while it tests in vain, through so many refusals one after the other.
pub(crate) fn explored(run: &Run, refusals: u32, watcher: &mut dyn Watcher) -> Result<Verdict, Stopped> {
    let library = library::build(&run.cache)?;
    let mut stage = Stage::new(&run.command, &run.environment, &library, run.patience).map_err(|e| e.to_string())?;
    let wanted = Wanted::new(&run.observe, &run.command)?;
    stage.prints = wanted.stdout;
    let observed: Vec<Observable> =
        (0..run.ranks).map(|t| Observable { name: format!("rank {t}"), what: Observed::Reg(t, END, None) }).collect();
    let mut layout = Layout::new(run.ranks, hidden(&run.spec)?, run.is_sampled());
    layout.has_runs = run.runs;
    layout.rows = !run.is_sampled() && run.search != Search::Full;
    // Where races are allowed, what comes between two accesses makes a difference.
    layout.own_rows = !run.races && run.search != Search::Full;
    // What a program passes may have 64 bits.
    let spec = with(Arc::clone(&run.spec), litmpi_spec::model::BITS, 64);
    let of_one = OF_ONE.iter().filter(|_| run.is_sampled());
    let spec = of_one.fold(spec, |spec, (name, value)| with(spec, name, *value));
    let spec = measured(with(spec, "racing", i64::from(run.races)), &layout);
    let setup = setup(run, &spec, false);
    let mut model = Operational::over(start(&mut layout), &observed, &setup)?;
    let sizes = match model.machine().apply("sizes", &[], model.machine().initial())? {
        Some(Shown::Parts(parts)) => parts
            .iter()
            .map(|p| match p {
                Shown::Int(n) => usize::try_from(*n).unwrap_or(1),
                Shown::Parts(_) => 1,
            })
            .collect(),
        _ => return Err(Stopped::Input("the specification has no sizes of datatypes: it is not one of MPI".into())),
    };
    let first = match model.machine().apply("first_function", &[], model.machine().initial())? {
        Some(Shown::Int(n)) => n,
        _ => i64::MAX,
    };
    let mut tree = Tree::new(stage, wanted, run.ranks, &spec, sizes, first, run.patience);
    (tree.merges, tree.typed) = (run.merges, run.typed);
    tree.refusals = refusals;
    tree.returned = tree.face.constant(UNSUPPORTED).filter(|_| run.returns);
    let classes = tree.face.classes(&spec)?;
    tell(model.machine_mut(), &tree, &classes, run.bounds);
    let mut explorer = Explorer {
        run,
        spec,
        classes,
        observed: &observed,
        tree,
        layout,
        model,
        places: BTreeMap::new(),
        asks: BTreeMap::new(),
        code: BTreeMap::new(),
        begins: vec![vec![]; run.ranks],
        news: News::default(),
        ends_at_errors: false,
        looked_at: 0,
        crossed: 0,
        furthest: 0,
        cramped: (0, 0),
    };
    match explorer.come(watcher) {
        Err(Stopped::Rules(why)) => explorer.beyond(why),
        came => came,
    }
}

/// Tells a machine that has just been made what the rules leave to its caller: what operations give, what calls return, and when to end.
fn tell(machine: &mut Machine, tree: &Tree, classes: &BTreeMap<String, i64>, bounds: Bounds) {
    machine.operate(Arc::clone(&tree.operations) as _);
    machine.end_by(bounds);
    machine.returns(classes);
}

/// The rules with another value of a constant, if they have it.
fn with(spec: Arc<Spec>, name: &str, value: i64) -> Arc<Spec> {
    spec.with_constant(name, value).map_or(spec, Arc::new)
}

/// The rules for programs that run, whose locations are so many bytes each.
fn measured(spec: Arc<Spec>, layout: &Layout) -> Arc<Spec> {
    with(spec, "granule", layout.granule.0 as i64)
}

/// The states of a search, at most. Where there is an error it is found long before everything else is.
fn most_states(run: &Run, ends_at_errors: bool) -> usize {
    if ends_at_errors || run.search == Search::Full { run.bounds.states } else { run.bounds.states.min(EVERYTHING) }
}

fn setup(run: &Run, spec: &Arc<Spec>, ends_at_errors: bool) -> Setup {
    Setup {
        variant: run.variant.clone(),
        bounds: Bounds { states: most_states(run, ends_at_errors), ..run.bounds },
        ends_at_errors,
        search: run.search,
        threads: run.threads,
        forgets: false,
        reach: run.reach.clone(),
        ..Setup::new(Arc::clone(spec))
    }
}

/// The program of which nothing is known.
fn start(layout: &mut Layout) -> litmpi_spec::program::Program {
    let mut program = layout.program();
    program.threads.iter_mut().for_each(|t| t.code.push(Op::Ask(Box::default())));
    program
}

impl Explorer<'_> {
    /// Follows what is to be followed.
    fn come(&mut self, watcher: &mut dyn Watcher) -> Result<Verdict, Stopped> {
        match (&self.run.again, self.run.sample) {
            (Some(behaviour), _) => self.again(behaviour, watcher),
            (None, Some(sample)) => self.sample(sample),
            (None, None) => self.all(),
        }
    }

    /// What is to be said where numbers of the program are beyond those that the rules reckon with, integers of 32 bits, and lists that can be
    /// gone through; and where there is no time left to evaluate a rule.
    fn beyond(&self, why: Report) -> Result<Verdict, Stopped> {
        let is_beyond = |message: &str| message == LATE || BEYOND.iter().any(|b| message.contains(b));
        let Some(message) = why.0.first().map(|d| d.message.clone()).filter(|m| is_beyond(m)) else {
            return Err(Stopped::Rules(why));
        };
        let mut verdict = Verdict::default();
        let mut sites = Sites::new(&self.run.command, &self.tree.maps);
        self.known(&mut sites, &mut verdict);
        if message == LATE {
            verdict.bounds.extend(self.run.bounds.late());
        } else {
            let last = self.tree.places.len().checked_sub(1).map(|p| self.call_at(p, &mut sites));
            let place = last.map(|call| format!(" (in or behind {call})")).unwrap_or_default();
            verdict.unsupported.push(format!("numbers that the rules do not reckon with: {message}{place}"));
        }
        self.close(&mut verdict);
        Ok(verdict)
    }

    pub(crate) fn machine(&self) -> &Machine {
        self.model.machine()
    }

    /// Makes the model anew, with room for what was lacking, of all that is known.
    pub(crate) fn anew(&mut self) -> Result<(), Stopped> {
        'again: loop {
            self.model = Operational::over(
                start(&mut self.layout),
                self.observed,
                &setup(self.run, &self.spec, self.ends_at_errors),
            )?;
            tell(self.model.machine_mut(), &self.tree, &self.classes, self.run.bounds);
            self.places.clear();
            self.asks.clear();
            self.code.clear();
            self.begins = vec![vec![]; self.run.ranks];
            self.news = News::default();
            for number in 0..self.tree.places.len() {
                let place = &self.tree.places[number];
                let asked = match &place.parent {
                    None => Asked { thread: place.rank, place: 0, told: vec![] },
                    Some((p, told)) => {
                        let Some(at) = self.asks.get(p) else { continue };
                        Asked { thread: place.rank, place: *at, told: told.clone() }
                    }
                };
                if let Went::Anew = self.add(number, &asked)? {
                    continue 'again;
                }
            }
            self.join();
            self.model.machine_mut().restart()?;
            // What was asked while the model was made is asked again.
            return Ok(());
        }
    }

    /// Other ways to places than those on which they were found.
    fn join(&mut self) {
        for (from, at) in &self.asks {
            let place = &self.tree.places[*from];
            for (told, to) in &place.then {
                let first = self.tree.places[*to].parent.as_ref().is_some_and(|(p, t)| p == from && t == told);
                if let (false, Some(code)) = (first, self.code.get(to)) {
                    let asked = Asked { thread: place.rank, place: *at, told: told.clone() };
                    self.model.machine_mut().goes_on(&asked, *code);
                }
            }
        }
    }

    /// Adds the code of a place to the model.
    pub(crate) fn add(&mut self, number: usize, asked: &Asked) -> Result<Went, Stopped> {
        let place = &self.tree.places[number];
        let code = match &place.next {
            Next::Call(call) => {
                match emit::call(&self.spec, &self.tree.values, &mut self.layout, place.rank, call, place.pending()) {
                    Ok(code) => code,
                    Err(Lacks::Room) => {
                        if self.tree.one_way && self.is_cramped(number) {
                            self.look_apart();
                        } else if self.tree.one_way {
                            tracing::debug!(places = self.tree.places.len(), "begun again with more room");
                            // What was taken for other memory meanwhile cannot be given anew.
                            self.tree.forget();
                            self.layout.clear();
                        }
                        return Ok(Went::Anew);
                    }
                    Err(Lacks::Spread) => {
                        let why = "a buffer across the parts of several processes of a shared window".to_owned();
                        self.tree.places[number].next = Next::Unsupported(why);
                        vec![Op::Lost]
                    }
                    Err(Lacks::Memory(n)) => {
                        let why = format!(
                            "a buffer of {n} bytes, beside the others of its process, is more than can be followed"
                        );
                        self.tree.places[number].next = Next::Unsupported(why);
                        vec![Op::Lost]
                    }
                }
            }
            Next::Exit { finalized, end, .. } => emit::end(emit::ends(Some(*end), number), *finalized),
            // It is told as a finding.
            Next::Killed(_) | Next::Misused(_) => emit::end(emit::ends(None, number), false),
            Next::Waits { .. } => vec![Op::Early],
            Next::Passed(_) | Next::Silent(_) | Next::Unsupported(_) | Next::TooDeep | Next::Differs(_) => {
                vec![Op::Lost]
            }
        };
        let is_call = matches!(code.last(), Some(Op::Ask(_)));
        let thread = asked.thread;
        let machine = self.model.machine_mut();
        self.layout.grown().into_iter().for_each(|arrays| machine.set_arrays(arrays));
        let kept = self.layout.kept();
        let code = if machine.kept_locations() + kept.len() > MOST_KEPT {
            let why = format!("messages and windows of more than {MOST_KEPT} elements in all");
            self.tree.places[number].next = Next::Unsupported(why);
            vec![Op::Lost]
        } else {
            machine.keep_locations(kept);
            code
        };
        let at = machine.extend(thread, code)?;
        machine.goes_on(asked, at);
        if is_call {
            let ask = machine.program().threads[thread].code.len() - 1;
            self.places.insert((thread, ask), number);
            self.asks.insert(number, ask);
        }
        self.begins[thread].push((at, number));
        self.code.insert(number, at);
        Ok(Went::On)
    }

    /// Forgets what calls passed, because it is to be read otherwise.
    pub(crate) fn begin_again(&mut self, why: Refused) -> Result<(), Stopped> {
        match why {
            Refused::Finer => {
                self.layout.finer();
                self.spec = measured(Arc::clone(&self.spec), &self.layout);
            }
            Refused::Bytes => {
                tracing::debug!(places = self.tree.places.len(), "begun again: windows are looked at in bytes");
                self.layout.finer();
                self.layout.has_runs = false;
                self.tree.divide_windows();
                self.spec = with(measured(Arc::clone(&self.spec), &self.layout), WINDOW_BYTES, 1);
                return Ok(());
            }
            Refused::Named => {
                self.tree.again += self.tree.places.len();
                tracing::debug!(places = self.tree.places.len(), "begun again: elements of windows are named");
            }
            Refused::Apart => {
                self.look_apart();
                return Ok(());
            }
            Refused::Unlooked => {
                tracing::debug!(places = self.tree.places.len(), "begun again: processes are told of windows at once");
                self.tree.may_look = false;
            }
            Refused::Unsupported(why) | Refused::Erroneous(why) => return Err(Stopped::Input(why)),
        }
        self.tree.forget();
        Ok(())
    }

    /// Whether the call of a place has had no room twenty times, so that to begin again with the same parts would go on for ever.
    fn is_cramped(&mut self, number: usize) -> bool {
        self.cramped = (number, if self.cramped.0 == number { self.cramped.1 % 20 + 1 } else { 1 });
        self.cramped.1 == 20
    }

    /// Looks at all elements one by one, from the beginning.
    fn look_apart(&mut self) {
        tracing::debug!(places = self.tree.places.len(), "begun again: elements are looked at one by one");
        self.tree.forget();
        self.layout.has_runs = false;
        self.layout.clear();
    }

    /// Where the program comes to nothing but because a process is taken to wait in a test: follows the process further. False if there is no
    /// such place.
    fn goes_on_testing(&mut self, found: &Outcomes) -> Result<bool, Stopped> {
        if !found.set.contains(&Outcome::Deadlock) || !self.tree.places.iter().any(Place::may_go_on) {
            return Ok(false);
        }
        let ways = self.model.ways()?;
        let way = self.model.way(&ways, &Outcome::Deadlock)?;
        let Some(state) = way.as_ref().and_then(|w| w.states.last()) else { return Ok(false) };
        let mut goes_on = false;
        let places: Vec<usize> = self.places_in(state).collect();
        for place in places {
            let model = Model { machine: self.model.machine(), layout: &self.layout, state };
            match self.tree.goes_on_testing(place, model)? {
                Ok(here) => goes_on |= here,
                Err(why) => {
                    self.begin_again(why)?;
                    goes_on = true;
                    break;
                }
            }
        }
        if goes_on {
            tracing::debug!(places = self.tree.places.len(), "tests are followed through more refusals");
            self.anew()?;
        }
        Ok(goes_on)
    }

    /// Forgets of the memory of a process that goes one way what no operation uses, so that its locations may be taken for other memory.
    pub(crate) fn release(&mut self, rank: usize, place: usize, told: &[i64], state: &[Word]) {
        let (machine, layout) = (self.model.machine(), &self.layout);
        let writable = |at: u64| {
            let Some(location) = layout.place(rank, at) else { return true };
            let given = [Given::Word(rank as i64), Given::List(vec![location as i64])];
            matches!(machine.apply("writable", &given, state), Ok(Some(Shown::Int(1))))
        };
        let needed = self.tree.needed(place, told, &writable);
        self.layout.release(rank, needed);
    }

    /// Finds out all that was asked so far, the model being made anew as often as it must.
    pub(crate) fn settle_all(&mut self) -> Result<bool, Stopped> {
        let asked = self.machine().asked();
        if asked.is_empty() {
            return Ok(true);
        }
        if let Went::Anew = self.find_out(&asked)? {
            self.anew()?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Finds out what a search has asked, and goes further ways through the model, so that the next search asks less: in all no more steps than
    /// the search had states. They begin at the beginning, because it depends on the threads that searched in which state something was asked first.
    fn go_on(&mut self, mut steps: usize, round: u64) -> Result<(), Stopped> {
        if !self.settle_all()? {
            return Ok(());
        }
        let mut rng = StdRng::seed_from_u64(WALKS + round);
        while steps > 0 && self.walk_on(&mut steps, &mut rng)? {}
        Ok(())
    }

    /// Goes one way to its end, or as far as memory goes; false if the model was made anew meanwhile.
    fn walk(&mut self, rng: &mut StdRng) -> Result<bool, Stopped> {
        self.walk_on(&mut { STEPS }, rng)
    }

    /// The same, with no more steps than these.
    fn walk_on(&mut self, steps: &mut usize, rng: &mut StdRng) -> Result<bool, Stopped> {
        let mut state = self.machine().initial().to_vec();
        let (mut gone, mut new) = (0, 0);
        while *steps > 0 && gone - new <= ROUND + 2 * self.furthest {
            while !self.machine().asked_nothing() {
                new = gone;
                self.furthest = self.furthest.max(gone);
                if !self.settle_all()? {
                    return Ok(false);
                }
                self.machine().widen(&mut state);
                self.machine().resettle(&mut state)?;
            }
            // What is remembered of the steps before counts as long as nothing is asked.
            let mut every = Every::new(self.machine());
            while *steps > 0 && self.machine().asked_nothing() && gone - new <= ROUND + 2 * self.furthest {
                *steps -= 1;
                gone += 1;
                let is_full = steps.is_multiple_of(LOOKS) && self.machine().bytes() > self.run.bounds.bytes;
                if is_full || self.run.bounds.late().is_some() {
                    return Ok(true);
                }
                let mut next: Vec<Vec<Word>> = vec![];
                every.transitions(&state, &mut |_, to| {
                    if let Target::State(s) = to {
                        next.push(s.to_vec());
                    }
                })?;
                next.retain(|s| !self.machine().is_early(s));
                if next.is_empty() {
                    return Ok(true);
                }
                state = next.swap_remove(rng.random_range(0..next.len()));
            }
        }
        Ok(true)
    }

    /// What a state ends in from which no transition leads.
    pub(crate) fn end(&self, state: &[Word]) -> Option<Outcome> {
        litmpi_models::ends_in(self.machine(), self.observed, state)
    }

    /// How each rank ended in an outcome, if all did by themselves.
    pub(crate) fn ranks_of(&self, outcome: &Outcome) -> Option<Vec<End>> {
        let Outcome::Values(numbers) = outcome else { return None };
        numbers.iter().map(|n| usize::try_from(*n - 1).ok().map(|n| self.tree.observed.end(n))).collect()
    }

    /// Searches until nothing is asked.
    fn all(&mut self) -> Result<Verdict, Stopped> {
        let mut fruitless = 0;
        for seed in 0..WALKS {
            let known = self.tree.places.len();
            let mut rng = StdRng::seed_from_u64(seed);
            while !self.walk(&mut rng)? {}
            fruitless = if self.tree.places.len() == known { fruitless + 1 } else { 0 };
            if fruitless == FRUITLESS {
                break;
            }
        }
        let mut most = FIRST;
        for round in 1..=ROUNDS {
            self.model.machine_mut().restart()?;
            while !self.settle_all()? {}
            self.model.machine_mut().restart()?;
            // A walk leaves nothing asked that was not found out.
            let _ = self.machine().asked();
            let _ = self.machine().went_beyond();
            let whole = most_states(self.run, self.ends_at_errors);
            self.model.end_after(most.min(whole));
            let found = self.model.outcomes()?;
            let beyond = self.machine().went_beyond();
            self.looked_at += found.states;
            self.crossed += found.transitions;
            tracing::debug!(round, states = found.states, places = self.tree.places.len(), "searched");
            if found.set.iter().any(emit::is_of_rows) {
                tracing::debug!(states = found.states, "begun again: accesses to shared memory are steps of their own");
                self.layout.rows = false;
                self.anew()?;
                continue;
            }
            // What processes do that are not followed yet may depend on everything, so that little is left out of a search that asks: it is ended soon.
            if most < whole
                && found.bounds.iter().any(|b| matches!(b, Bound::States(_)))
                && self.run.bounds.late().is_none()
            {
                let asks = !self.machine().asked_nothing();
                most = most.saturating_mul(if asks { 2 } else { 8 });
                if asks {
                    self.go_on(found.states, round as u64)?;
                }
                continue;
            }
            if found.stopped() && !self.ends_at_errors && (EVERYTHING..self.run.bounds.states).contains(&found.states) {
                tracing::debug!(
                    states = found.states,
                    "begun again: nothing else is followed where a call is erroneous"
                );
                self.ends_at_errors = true;
                self.anew()?;
                continue;
            }
            if self.machine().asked_nothing() {
                if self.goes_on_testing(&found)? {
                    continue;
                }
                let mut verdict = self.verdict(found, round, true)?;
                // That would be a mistake of litmpi's, and no verdict may rest on it.
                if beyond {
                    verdict.complete = false;
                    verdict.unsupported.push("memory that no call names is looked at by the rules".into());
                }
                return Ok(verdict);
            }
            if found.stopped() {
                return self.verdict(found, round, false);
            }
            // Where the model is made anew, the next search asks again.
            self.go_on(found.states, round as u64)?;
        }
        let found = self.model.outcomes()?;
        self.verdict(found, ROUNDS, false)
    }

    /// The call of a thread in a state, as a place of the tree.
    pub(crate) fn place_of(&self, thread: usize, pc: Word) -> Option<usize> {
        let begins = &self.begins[thread];
        let i = begins.partition_point(|(at, _)| *at <= pc as usize);
        i.checked_sub(1).map(|i| begins[i].1).filter(|_| (pc as usize) < u32::MAX as usize)
    }

    /// The calls that ranks are in, in a state.
    pub(crate) fn places_in(&self, state: &[Word]) -> impl Iterator<Item = usize> {
        (0..self.run.ranks).filter_map(|rank| self.place_of(rank, state[rank]))
    }

    /// Whether a load may have raced, and so have given something else than it did.
    fn may_have_raced(&self) -> bool {
        self.run.races && self.tree.sees && self.tree.places.iter().any(Place::has_windows)
    }

    fn verdict(&mut self, found: Outcomes, rounds: usize, settled: bool) -> Result<Verdict, Stopped> {
        let mut sites = Sites::new(&self.run.command, &self.tree.maps);
        let is_erroneous = found.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. }));
        let mut verdict = Verdict {
            complete: settled && found.complete() && !self.may_have_raced() && !(self.ends_at_errors && is_erroneous),
            bounds: found.bounds.clone(),
            ends: found.set.iter().filter_map(|o| self.ranks_of(o)).collect(),
            states: found.states,
            transitions: found.transitions,
            looked_at: self.looked_at,
            crossed: self.crossed,
            rounds,
            ..Verdict::default()
        };
        if settled && found.complete() && self.may_have_raced() {
            verdict.unsupported.push(MAY_HAVE_RACED.into());
        }
        let mut ended = self.known(&mut sites, &mut verdict);
        let bad: Vec<&Outcome> = found.set.iter().filter(|o| !matches!(o, Outcome::Values(_))).collect();
        // A process that is silent, or not deterministic, has no end to which there is a way.
        let of = |(finding, place): &(usize, usize)| {
            found.set.iter().find(|o| self.ends_at(o, *place)).map(|outcome| (*finding, *place, outcome))
        };
        let ends: Vec<(usize, usize, &Outcome)> = ended.iter().filter_map(of).collect();
        if !bad.is_empty() || !ends.is_empty() {
            let ways = self.model.ways()?;
            for (finding, place, outcome) in &ends {
                if let Some(way) = self.model.way(&ways, outcome)? {
                    verdict.findings[*finding].trace = self.told(&way, Some(*place), &mut sites).trace;
                    verdict.findings[*finding].way = self.turns(&way)?;
                }
            }
            for outcome in bad {
                let way = self.model.way(&ways, outcome)?;
                // A process that tests may go on where it has not been followed as far as it is to be: that is told as a bound.
                if *outcome == Outcome::Deadlock && way.as_ref().is_some_and(|w| self.may_go_on(w, settled)) {
                    continue;
                }
                let turns = way.as_ref().map_or(Ok(vec![]), |w| self.turns(w))?;
                let last = way.as_ref().and_then(|w| self.told(w, None, &mut sites).last);
                let found = self.explained(outcome, way, &mut sites);
                if let Some(place) = last.filter(|_| found.bad == Bad::Abort) {
                    ended.push((verdict.findings.len(), place));
                }
                verdict.findings.push(Finding { way: turns, ..found });
            }
        }
        self.confirmed(&ended, &mut verdict)?;
        self.close(&mut verdict);
        Ok(verdict)
    }

    /// Of processes that end badly, and of those that abort: what they wrote; and where one does something else when it is run once more, alone, its end is
    /// told as not confirmed. Given are findings, by their numbers, and places.
    fn confirmed(&mut self, ended: &[(usize, usize)], verdict: &mut Verdict) -> Result<(), Stopped> {
        let mut unconfirmed = vec![];
        for (finding, place) in ended {
            let again = self.tree.once_more(*place)?;
            let told = &mut verdict.findings[*finding];
            told.wrote = again.wrote;
            if again.differs.is_some() && matches!(told.bad, Bad::Crash | Bad::Exit | Bad::Abort) {
                let rank = told.rank.unwrap_or(0);
                let at = told.at.as_ref().map_or(String::new(), |at| format!(" ({at})"));
                unconfirmed.push(*finding);
                verdict.unsupported.push(format!(
                    "rank {rank}: {}{at}, and not when it is run once more, alone: a file or memory that all behaviours share may hold \
                     what another one wrote (--random 1 follows one alone)",
                    told.what
                ));
            }
        }
        unconfirmed.sort_unstable();
        for finding in unconfirmed.into_iter().rev() {
            verdict.findings.remove(finding);
        }
        Ok(())
    }

    /// Whether the process of a place ends as in an outcome.
    fn ends_at(&self, outcome: &Outcome, place: usize) -> bool {
        let Place { rank, next, .. } = &self.tree.places[place];
        let end = match next {
            Next::Exit { end, .. } => emit::ends(Some(*end), place),
            Next::Killed(_) | Next::Misused(_) => emit::ends(None, place),
            _ => return false,
        };
        matches!(outcome, Outcome::Values(ends) if ends[*rank] == end)
    }

    /// Whether a way ends only because a process was not followed through more refusals of a test: `all` says whether each was followed as far as it
    /// is to be. One that is known to give up later does go on.
    fn may_go_on(&self, way: &Path<Step>, all: bool) -> bool {
        let Some(state) = way.states.last() else { return false };
        self.places_in(state)
            .flat_map(|test| self.tree.places[test].then.values())
            .map(|to| &self.tree.places[*to])
            .any(|place| place.may_go_on() && (!all || place.gives_up.is_some()))
    }
}
