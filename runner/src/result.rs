//! Results, for people and programs.

use crate::compare::Comparison;
use crate::observed::{Observed, Tally};
use crate::plan::{Delay, Style};
use crate::sites::Site;
use crate::stress::Stress;
use litmpi_litmus::ast::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An outcome that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenOutcome {
    /// As the test prints it.
    pub outcome: String,
    /// As data.
    pub observed: Observed,
    /// How often, and first in which iteration.
    #[serde(flatten)]
    pub tally: Tally,
    /// Whether the model allows it; none for what is no outcome of the model's, and where a bound left it undecided.
    pub allowed: Option<bool>,
}

/// How often something came in the process that had run other tests before, and how often in a fresh one. Both are part of the
/// result's own counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Iterations of the first process.
    pub first: u64,
    /// Iterations of the fresh one.
    pub fresh: u64,
    /// Of each outcome that is not allowed: how often in the first process, and in the fresh one.
    pub outcomes: BTreeMap<String, (u64, u64)>,
}

impl Retry {
    /// `seen 3 of 412, and 0 of 800 in a fresh process`: of one outcome, or of all that are not allowed together.
    pub fn words(&self, outcome: Option<&str>) -> String {
        let counts = self.outcomes.iter().filter(|(o, _)| outcome.is_none_or(|wanted| wanted == *o)).map(|(_, n)| n);
        let (first, fresh) = counts.fold((0, 0), |(a, b), (x, y)| (a + x, b + y));
        format!("seen {first} of {} in the first process, {fresh} of {} in a fresh one", self.first, self.fresh)
    }
}

/// An outcome of a violation that the caller's list of known violations has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recognised {
    /// The outcome, as the test prints it.
    pub outcome: String,
    /// What is wrong.
    pub says: String,
    /// The clause of the standard that asks for something else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clause: String,
    /// Where it is kept.
    pub ticket: String,
    /// The versions of the library that it was seen in.
    pub seen: String,
    /// The version from which on it is said to be mended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mended: Option<String>,
    /// How the version of this run stands to those.
    pub version: Version,
    /// The file and line of the entry.
    pub entry: String,
}

/// How the version of a library stands to those that a known violation was seen in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// It is one of them.
    Seen,
    /// It is older than all of them.
    Older,
    /// It is newer than all of them, and the violation is not said to be mended in it.
    Newer,
    /// The violation is said to be mended in it: one that shows all the same is new.
    Mended,
}

/// The version of the form of results, in `schemas/`: it is raised when a field goes or changes its meaning, not when one is added.
pub const RESULT_SCHEMA: u32 = 2;

/// One test on one target, with one message size, in one style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The version of this form.
    #[serde(default)]
    pub schema: u32,
    /// The test's name.
    pub test: String,
    /// The target's name.
    pub target: String,
    /// Bytes a value.
    pub size: u64,
    /// How ranks waited.
    pub style: Style,
    /// What came of it.
    #[serde(flatten)]
    pub verdict: Comparison,
    /// What was seen, the model's outcomes in their order first.
    pub observed: Vec<SeenOutcome>,
    /// What the model allows.
    pub allowed: Vec<String>,
    /// The same as data.
    #[serde(default, skip)]
    pub allowed_outcomes: Vec<Outcome>,
    /// Whether that is all that it allows.
    pub complete: bool,
    /// Allowed and not seen here: coverage, not failure.
    pub unseen: Vec<String>,
    /// Iterations that ended.
    pub iterations: u64,
    /// How many of them followed a score, for outcomes that had not come by themselves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub directed: u64,
    /// Of a violation: how it went when it was tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// Of a violation: those of its outcomes that are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Recognised>,
    /// Of a violation: those of its outcomes that are not known, or that are said to be mended in this version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<String>,
    /// Of forbidden outcomes that are an error or a hang, the calls in which ranks were, where each of these is known; of values, the calls that have what differs
    /// from an allowed outcome, for each of those that are near.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub explained: BTreeMap<String, BTreeSet<BTreeSet<Site>>>,
    /// Milliseconds that they took.
    pub millis: u64,
    /// Milliseconds without progress that counted as hanging.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub patience: u64,
    /// Seed of the run; an outcome's `first` iteration depends on it and on timing.
    pub seed: u64,
    /// Delays.
    pub delay: Delay,
    /// Stress, beyond delays.
    #[serde(default, skip_serializing_if = "Stress::is_none")]
    #[schemars(with = "String")]
    pub stress: Stress,
    /// Settings that made the library follow the model's variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The library, in its own words.
    pub library: String,
    /// How far counters of devices moved during the launches that ran this, other tests among them: proof of what was
    /// sent by which device.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// A shell command that runs this again.
    pub command: String,
    /// Where ranks were when something happened: a hang, an error.
    pub notes: Vec<String>,
    /// What this is a result of, part by part: see [`setup`](crate::setup()).
    #[serde(default)]
    pub setup: BTreeMap<String, String>,
    /// From the caller: model, variant, hashes.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl RunResult {
    /// Whether anything was run.
    pub fn ran(&self) -> bool {
        !matches!(self.verdict, Comparison::Skipped { .. } | Comparison::NotRun { .. } | Comparison::Failed { .. })
    }

    /// The outcomes that were seen and that the model does not allow.
    pub fn forbidden(&self) -> impl Iterator<Item = &SeenOutcome> {
        self.observed.iter().filter(|o| o.allowed != Some(true) && o.observed != Observed::Cut)
    }

    /// Whether outcomes that are not allowed, and did not come again in a fresh process, are not merely errors and hangs of a process
    /// in which something was used up.
    pub fn is_unexplained(&self) -> bool {
        matches!(self.verdict, Comparison::Unconfirmed { .. })
            && self.forbidden().any(|o| !matches!(o.observed, Observed::Error(_) | Observed::Deadlock))
    }

    /// Whether the library did what the model forbids.
    pub fn is_bad(&self) -> bool {
        self.verdict.is_violation() || self.is_unexplained()
    }

    /// Whether it did so in a way that is known.
    pub fn is_known(&self) -> bool {
        self.is_bad() && self.new.is_empty()
    }
}

/// All results as one JSON array.
///
/// # Panics
/// Never: the results are plain data.
pub fn results_json(results: &[RunResult]) -> String {
    serde_json::to_string_pretty(results).expect("results are plain data")
}

/// `8 B`, `64 KiB`, `4 MiB`.
pub fn size_name(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 && b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}
