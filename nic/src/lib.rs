//! The emulated NIC: programs of libibverbs on queue pairs that run the model's own rules.
//!
//! [`run`] starts a program, and serves it and everything that it starts as their RDMA device, as an ordinary user and
//! without a driver. The program finds another `libibverbs.so.1` (the [front](build_front), with the real library's
//! structures and symbol versions) on its library path. Posting a work request is a store into memory that the front
//! shares with the engine; the engine runs the rules of the specification on it (`reqL`, `wbR`, … of the paper), over
//! the memory of the processes themselves, and hands completions over. Nodes are processes of this machine.
//!
//! What is the model's: when an operation may read and write memory, and when its completion may be seen. What is
//! not in the papers (messages and their receives, errors, flushing, the fence flag) is so in `spec/verbs`, by the rules of InfiniBand.
//! What the engine asks of a specification is listed in one place (`interface.rs`) and held against it before anything
//! runs. The store buffers of the model are those of the real processors.
//!
//! Datagrams go by the rules of `spec/verbs/datagrams.spec`. Programs find each other by them, and few live with a network that loses,
//! doubles and reorders as these allow: so a device sends one after the other, takes the rule that doubles never and the one
//! that loses only for a datagram that nobody has a receive for, unless [`Options::lossy`] asks for all.
//!
//! What else libibverbs has is refused with `EOPNOTSUPP`; errors are told as InfiniBand has them (`docs/nic-suites.md`).
//!
//! Limits: memory is reached through
//! `process_vm_readv`, or mapped where it is of a file that cannot shrink, so nodes are processes of one user on one machine.

mod adversary;
mod buffers;
mod burst;
mod completion;
mod datagram;
mod direct;
mod ends;
mod engine;
mod front;
mod guard;
mod interface;
mod keys;
mod layout;
mod mapped;
mod memo;
mod mutant;
mod place;
mod queue;
mod receives;
mod region;
mod request;
mod rules;
mod score;
mod signals;
mod sysfs;
mod tally;
mod temper;
mod trace;
mod wanted;
mod whole;
mod window;

use direct::Direction;
use engine::Engine;
use guard::Guard;
use litmpi_scratch::Folder;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use queue::Ways;
use rules::Rules;
use signals::Signals;
use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use tally::Tally;
use trace::Trace;

use front::PATHS;

pub use adversary::Adversary;
pub use front::build_front;
pub use mutant::{Mutant, mutants, mutated};
pub use score::{Act, Item, Score};
pub use tally::Hears;
pub use temper::Scheduler;

/// What kind of NIC.
#[derive(Debug, Clone)]
pub struct Options {
    /// The model whose rules it runs: `verbs`, or one that has what it has.
    pub model: String,
    /// The model's variant.
    pub variant: String,
    /// One of [`mutants`], to be wrong on purpose.
    pub mutant: Option<String>,
    /// Seed of all choices.
    pub seed: u64,
    /// How steps are chosen and held back.
    pub scheduler: Scheduler,
    /// How long a step is held back at most.
    pub hold: Duration,
    /// Who waits sleeps for a microsecond rather than yield: the device at once, programs after so many polls that found
    /// nothing. For programs that only poll, on few processors.
    pub pause: Option<u32>,
    /// What the fabric does that no rule shows.
    pub adversary: Adversary,
    /// Datagrams are lost, come twice and pass each other, as the rules allow. Otherwise each arrives once, in order, if
    /// there is a receive for it.
    pub lossy: bool,
    /// Hears once a second, and at the end, of the operations that were asked for.
    pub counters: Option<Hears>,
    /// A file of [scores](Score), for programs that ask for one.
    pub scores: Option<PathBuf>,
    /// A file that gets a line for every step: queue pair and rule.
    pub trace: Option<PathBuf>,
    /// Folder that the front is built in.
    pub out: PathBuf,
}

impl Options {
    /// A NIC of the six-buffer model, seed 1, of mixed temper.
    pub fn new(out: &Path) -> Options {
        Options {
            model: "verbs".into(),
            variant: "default".into(),
            mutant: None,
            seed: 1,
            scheduler: Scheduler::Mixed,
            hold: Duration::from_micros(150),
            pause: None,
            adversary: Adversary::default(),
            lossy: false,
            counters: None,
            scores: None,
            trace: None,
            out: out.to_owned(),
        }
    }
}

/// How a served program ended.
#[derive(Debug)]
pub struct Served {
    /// The program's own end.
    pub status: ExitStatus,
    /// How often each rule was run, by name, in the order of the specification.
    pub fired: Vec<(String, u64)>,
}

/// Whether a specification has what a device asks for.
///
/// # Errors
/// What it does not have, or has in another form, each with its place.
pub fn fits(spec: &litmpi_spec::model::Spec) -> Result<(), Report> {
    interface::check(spec)
}

/// Runs a program with the emulated NIC as its RDMA device. Returns when it has ended and nothing that it started
/// uses the device any more.
///
/// # Errors
/// A model, variant or mutant that does not exist; a front that does not build; a program that does not start.
pub fn run(options: &Options, command: &[String]) -> Result<Served, Report> {
    let general = |message: String| Report::from(Diagnostic::general(message));
    let spec = match &options.mutant {
        Some(name) => mutated(&options.model, name)?,
        None => load_shipped(&options.model)?,
    };
    let rules = Rules::new(spec, &options.variant)?;
    let names: Vec<String> = (0..rules.count()).map(|r| rules.name(r).to_owned()).collect();
    let front = build_front(&options.out).map_err(general)?;
    let folder = Folder::make(&litmpi_scratch::shared(), &[]);
    let folder = folder.map_err(|e| general(format!("no folder for the regions: {e}")))?;
    has_room(folder.path())?;
    sysfs::write(folder.path()).map_err(|e| general(format!("no files of the device: {e}")))?;
    let trace = match &options.trace {
        Some(path) => Some(Trace::new(path).map_err(|e| general(format!("{}: {e}", path.display())))?),
        None => None,
    };
    let (trace, trouble) = trace.map(|(trace, trouble)| (Box::new(trace) as Box<dyn Write>, trouble)).unzip();
    let board = folder.path().join("board");
    let direction = match &options.scores {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| general(format!("{}: {e}", path.display())))?;
            Some(Direction::new(&board, &Score::read(&text)?, &rules)?)
        }
        None => None,
    };
    let (program, arguments) = command.split_first().ok_or_else(|| general("no program was given".into()))?;
    let before = |first: PathBuf, name: &str| {
        let mut all = first.into_os_string();
        if let Some(more) = std::env::var_os(name).filter(|more| !more.is_empty()) {
            all.push(":");
            all.push(more);
        }
        all
    };
    let mut signals = Signals::listen(folder.path()).map_err(|e| general(format!("no signals: {e}")))?;
    let mut child = Command::new(program)
        .args(arguments)
        .envs(direction.is_some().then_some(("LITMPI_BOARD", &board)))
        .env("LD_PRELOAD", before(front.join(PATHS), "LD_PRELOAD"))
        .env("LD_LIBRARY_PATH", before(front, "LD_LIBRARY_PATH"))
        .env("LITMPI_NIC", folder.path())
        .env("LITMPI_NIC_NAME", name(options))
        .envs(options.pause.map(|polls| ("LITMPI_NIC_PAUSE", polls.to_string())))
        .spawn()
        .map_err(|e| general(format!("{program}: {e}")))?;
    let guard = Guard::over_programs_of(folder.path());
    let adversary = options.adversary.clone();
    let ways = Ways { scheduler: options.scheduler, longest: options.hold, adversary, again: Cell::new(0) };
    let mut engine = Engine::new(rules, folder.path().to_owned(), (ways, options.seed), trace, direction);
    engine.tally = Tally::new(options.counters);
    engine.sleeps = options.pause.is_some();
    engine.is_lossy |= options.lossy;
    if engine.sleeps {
        // Else the kernel makes fifty microseconds of one; where it refuses, waiting takes longer.
        let _ = nix::sys::prctl::set_timerslack(1);
    }
    let mut ended: Option<(Result<ExitStatus, std::io::Error>, Instant)> = None;
    while ended.is_none() {
        let mut status = None;
        engine.serve(|| {
            signals.pass_on(child.id());
            status = child.try_wait().transpose();
            status.is_some()
        })?;
        ended = status.map(|s| (s, Instant::now()));
    }
    // What the program has left running may use the device on.
    while engine.in_use() && !signals.has_come() {
        let since = Instant::now();
        engine.serve(|| since.elapsed() > Duration::from_millis(20))?;
    }
    signals.end_rest();
    engine.finish()?;
    engine.tally.tell();
    let fired = names.into_iter().zip(engine.fired.iter().copied()).collect();
    drop(engine);
    guard.dismiss();
    if let Some(e) = trouble.and_then(|t| t.lock().unwrap_or_else(PoisonError::into_inner).take()) {
        return Err(general(format!("the trace is not complete: {e}")));
    }
    match ended {
        Some((Ok(status), _)) => Ok(Served { status, fired }),
        Some((Err(e), _)) => Err(general(format!("{program}: {e}"))),
        None => Err(general(format!("{program} did not end"))),
    }
}

/// Bytes that two programs with a few queues of theirs share with the device.
const ROOM: u64 = 16 << 20;

/// Whether there is room for what programs share with the device: they are killed that write where there is none. A file system that does not
/// say how much there is has it.
fn has_room(folder: &Path) -> Result<(), Report> {
    let Ok(about) = nix::sys::statvfs::statvfs(folder) else { return Ok(()) };
    let free = about.blocks_available().saturating_mul(about.fragment_size());
    if free >= ROOM {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(folder).display();
    let what = format!(
        "{parent} has room for {} MiB; programs share more than that with the NIC: {} MiB at least",
        free >> 20,
        ROOM >> 20
    );
    Err(Diagnostic::general(what).help("make room there").into())
}

/// What the device says of itself; 63 bytes at most.
fn name(options: &Options) -> String {
    let mut name = format!("litmpi {}", options.model);
    if options.variant != "default" {
        name.push_str(&format!(":{}", options.variant));
    }
    if let Some(mutant) = &options.mutant {
        name.push_str(&format!(" MUTANT {mutant}"));
    }
    if options.adversary != Adversary::default() {
        name.push_str(&format!(" {}", options.adversary.name()));
    }
    name.truncate(63);
    name
}
