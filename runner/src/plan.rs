//! What is to be run.

use crate::compare::Expected;
use crate::stress::Stress;
use crate::target::Target;
use litmpi_codegen::Language;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_spec::decl::Instructions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A test and what is expected of it.
#[derive(Debug, Clone)]
pub struct PlannedTest {
    /// The test.
    pub test: Arc<Test>,
    /// What the model says.
    pub expected: Expected,
    /// Written into its results as they are: model, variant, hashes.
    pub labels: BTreeMap<String, String>,
    /// By target: it is run with each of these. With no stress where nothing is said.
    pub stress: BTreeMap<String, Vec<Stress>>,
}

/// How ranks wait inside blocking calls. It changes the code path inside the library, so every result names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// The library's blocking calls as they are.
    Blocking,
    /// Nonblocking calls, polled with Test and `sched_yield`; a deadlocked call can be given up.
    Relaxed,
}

impl Style {
    /// Its word in schedules and results.
    pub fn word(self) -> &'static str {
        match self {
            Style::Blocking => "blocking",
            Style::Relaxed => "relaxed",
        }
    }
}

/// Which styles to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// Relaxed for tests that may deadlock or have more ranks than the machine has cores, else blocking.
    #[default]
    Auto,
    /// Blocking only: each deadlock costs a launch.
    Blocking,
    /// Relaxed only.
    Relaxed,
    /// Each test in both.
    Both,
}

impl Progress {
    /// The styles for a test with this many ranks.
    pub fn styles(self, ranks: usize, cores: usize, may_deadlock: bool) -> &'static [Style] {
        match self {
            Progress::Auto if may_deadlock || ranks > cores => &[Style::Relaxed],
            Progress::Auto | Progress::Blocking => &[Style::Blocking],
            Progress::Relaxed => &[Style::Relaxed],
            Progress::Both => &[Style::Blocking, Style::Relaxed],
        }
    }
}

/// Random delays before statements; half of the iterations of each rank have none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delay {
    /// Chance of one at a statement.
    pub chance: f64,
    /// The longest, in microseconds; shorter ones are as likely by order of magnitude, down to a thousandth.
    pub max_micros: f64,
}

impl Default for Delay {
    fn default() -> Delay {
        Delay { chance: 0.3, max_micros: 50.0 }
    }
}

/// How much of each test, for each target, size and style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// At most this many iterations.
    pub iterations: u64,
    /// At most this long, in milliseconds (the iteration under way ends first).
    pub millis: u64,
    /// At most this many deadlocks in relaxed style.
    pub deadlocks: u64,
    /// At most this many launches that end in a hang or a crash: in blocking style a deadlock costs one.
    pub launches: u32,
    /// Most turns of a loop, whatever bound the test states: the program runs in real time.
    pub loop_turns: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { iterations: 1_000_000, millis: 150, deadlocks: 20, launches: 2, loop_turns: 100_000 }
    }
}

/// Says how outcomes of a planned test, by its index, come about: in which order threads and device are to take their steps, as
/// text that the target's device reads; none where nothing is known.
#[derive(Clone)]
pub struct Director(pub Arc<Directions>);

/// The order for each of these outcomes of a planned test.
pub type Directions = dyn Fn(usize, &[Outcome]) -> Vec<Option<String>> + Send + Sync;

impl std::fmt::Debug for Director {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Director")
    }
}

/// A whole run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The tests.
    pub tests: Vec<PlannedTest>,
    /// The declarations that the tests were resolved against.
    pub instructions: Arc<Instructions>,
    /// The language of the programs.
    pub language: Language,
    /// Where to run them.
    pub targets: Vec<Target>,
    /// Message sizes in bytes: what one value takes; multiples of 4.
    pub sizes: Vec<u64>,
    /// How much of each.
    pub budget: Budget,
    /// On targets whose devices take directions: what to do for outcomes that have not come by themselves.
    pub director: Option<Director>,
    /// Whether there is to be a director.
    pub directs: bool,
    /// Which styles.
    pub progress: Progress,
    /// On slow targets a test gets as many times the budget's milliseconds.
    pub scale_millis: bool,
    /// Delays.
    pub delay: Delay,
    /// Seed of delays, choices and placement.
    pub seed: u64,
    /// The model's variant, for targets that are made to behave by one.
    pub variant: String,
    /// What makes real implementations follow it: settings of their environment, and values. A target that does not listen
    /// to one is skipped.
    pub settings: Vec<(String, String)>,
    /// Permute which process becomes which rank, by the seed.
    pub permute: bool,
    /// Run programs that are erroneous in the model, too.
    pub run_erroneous: bool,
    /// A violation is tried again in a fresh process before it is told.
    pub retry: bool,
    /// Seconds without progress after which a test that may not deadlock counts as hanging; if nothing is said, 10, and on
    /// slow targets as many times more.
    pub patience: Option<u32>,
    /// How long a compiler may take.
    pub build_limit: Duration,
    /// Further environment of launches, which has nothing to do with what is run.
    pub environment: Vec<(String, String)>,
    /// Where programs and schedules are kept.
    pub out_dir: PathBuf,
    /// Where what all crates share is kept, compiled: the crate `mpi`.
    pub cache: PathBuf,
}

impl Plan {
    /// A plan with the defaults for everything that has one: 8 B, 64 KiB and 4 MiB, automatic style.
    pub fn new(
        tests: Vec<PlannedTest>,
        instructions: Arc<Instructions>,
        targets: Vec<Target>,
        out_dir: PathBuf,
    ) -> Plan {
        Plan {
            tests,
            instructions,
            language: Language::C,
            targets,
            sizes: vec![8, 64 << 10, 4 << 20],
            budget: Budget::default(),
            director: None,
            directs: false,
            progress: Progress::default(),
            scale_millis: false,
            delay: Delay::default(),
            seed: 1,
            variant: "default".into(),
            settings: vec![],
            permute: true,
            run_erroneous: false,
            retry: true,
            patience: None,
            build_limit: Duration::from_secs(1800),
            environment: vec![],
            cache: out_dir.join("crates"),
            out_dir,
        }
    }

    /// How many results a test has on a target for each size: one for each style and each stress. `target` has its name in results.
    pub fn entries_of(&self, planned: &PlannedTest, target: &Target) -> usize {
        self.styles(planned).len() * planned.stress.get(&target.name).map_or(1, Vec::len)
    }

    /// The styles that a test is run in on this machine.
    pub(crate) fn styles(&self, planned: &PlannedTest) -> &'static [Style] {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.progress.styles(planned.test.nodes.len(), cores, planned.expected.may_deadlock())
    }

    /// How results name a target: with the language of the programs, where that is not C.
    pub fn called(&self, target: &Target) -> String {
        match self.language {
            Language::C => target.name.clone(),
            Language::Rust => format!("{}:rust", target.name),
        }
    }
}
