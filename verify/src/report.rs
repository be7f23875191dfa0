//! What was found about a program.

use crate::behaviour::Turn;
use crate::observe::End;
use litmpi_engine::search::Bound;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// What is wrong, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bad {
    /// Some ranks can wait for ever.
    Deadlock,
    /// A call that the standard does not allow.
    Erroneous,
    /// Loads or stores of a window race with another process's accesses: what comes of it is not defined.
    Race,
    /// A signal ends a rank.
    Crash,
    /// A rank calls `MPI_Abort`.
    Abort,
    /// A rank ends with an exit code that is not 0.
    Exit,
    /// A rank runs on without a call.
    Silent,
    /// A rank does something else when it is run again with the same answers.
    Differs,
    /// Objects are not freed before `MPI_Finalize`.
    Leak,
    /// What is observed of its end differs between behaviours.
    Varies,
}

impl Bad {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Bad::Deadlock => "deadlock",
            Bad::Erroneous => "erroneous",
            Bad::Race => "race",
            Bad::Crash => "crash",
            Bad::Abort => "abort",
            Bad::Exit => "exit",
            Bad::Silent => "silent",
            Bad::Differs => "differs",
            Bad::Leak => "leak",
            Bad::Varies => "varies",
        }
    }
}

/// A rank, and the call that it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Calling {
    /// The rank.
    pub rank: usize,
    /// The function.
    pub function: String,
    /// File and line of the call.
    pub at: Option<String>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub bad: Bad,
    /// In words.
    pub what: String,
    /// The rank, if it is of one.
    pub rank: Option<usize>,
    /// File and line of the call.
    pub at: Option<String>,
    /// Of one that calls of several ranks come to, or that waits: the ranks, and their calls.
    pub ranks: Vec<Calling>,
    /// Where the literature says so.
    pub clause: String,
    /// A way there: calls of ranks, and steps of the rules.
    pub trace: Vec<String>,
    /// The same as transitions of the rules, so that it can be followed again.
    #[serde(skip)]
    pub way: Vec<Turn>,
    /// Of a process that ended by itself or by a signal: the last lines that it had written. A behaviour at random has them in
    /// [`Verdict::written`].
    pub wrote: Vec<String>,
}

impl Finding {
    /// One that is not of a process's end, and whose way is told by itself.
    pub(crate) fn new(bad: Bad, what: String) -> Finding {
        let (clause, trace, way, wrote) = (String::new(), vec![], vec![], vec![]);
        Finding { bad, what, rank: None, at: None, ranks: vec![], clause, trace, way, wrote }
    }
}

/// Behaviours at random that were followed because a search could not be brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// How many.
    pub behaviours: usize,
    /// How many of them came to no end that was followed.
    pub endless: usize,
    /// What their choices depend on.
    pub seed: u64,
    /// Whether what was found is of the last of them.
    pub found: bool,
}

/// A test that may say no more often, one time after the other, than a process was followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Refusals {
    /// Whose process it is.
    pub rank: usize,
    /// The call, and its source line.
    pub test: String,
    /// Through how many refusals it was followed.
    pub often: u32,
    /// Whether its memory was seen to change meanwhile; else its memory was not compared.
    pub changes: bool,
    /// After how many refusals it does something else than ask again, if that is known: this was not followed.
    pub gives_up: Option<u32>,
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusals { rank, test, often, changes, gives_up } = self;
        write!(f, "rank {rank} was followed while {test} says no {often} times, one time after the other; ")?;
        match gives_up {
            Some(n) => write!(f, "after {n} times it does something else, which was not followed"),
            None if *changes => write!(f, "the process changes meanwhile"),
            None => write!(f, "the process's memory is not compared"),
        }
    }
}

/// What was found in all.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
    /// What the rules do not speak of, and the program does.
    pub unsupported: Vec<String>,
    /// Whether every behaviour was followed.
    pub complete: bool,
    /// Whether the program's loads and stores are seen: `litmpi cc` has compiled it. Of others only what changes memory is.
    pub accesses: bool,
    /// Whether a rank has asked for more threads than it was given.
    pub fewer_threads: bool,
    /// Errors that calls returned to a program that goes on: the call, its line, and the class.
    pub returned: BTreeSet<String>,
    /// Bounds that were hit.
    pub bounds: Vec<Bound>,
    /// Tests whose refusals are the bound within which every behaviour was followed.
    pub refusals: BTreeSet<Refusals>,
    /// The ways in which the program ends, by rank: they differ in what is observed and in exit codes.
    pub ends: BTreeSet<Vec<End>>,
    /// Distinct states of the last search.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// States of all searches, those that began again from more that was known.
    pub looked_at: usize,
    /// Their transitions.
    pub crossed: usize,
    /// Calls of all ranks that are known, by what was told before.
    pub calls: usize,
    /// Processes that were started.
    pub processes: usize,
    /// Copies that were made of them.
    pub copies: usize,
    /// Searches that were needed.
    pub rounds: usize,
    /// Of a run that followed a few behaviours at random, how many.
    pub sampled: Option<usize>,
    /// Of a run whose search hit a bound: what followed.
    pub beside: Option<Beside>,
    /// Whether one behaviour was followed again.
    pub replayed: bool,
    /// The largest exit code of a process that ended by itself.
    pub exit: i32,
    /// What the ranks have written in the last of these, if it was bad or the only one.
    pub written: Vec<String>,
}

impl Verdict {
    /// Whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Whether nothing is wrong, and it is sure.
    pub fn is_clean(&self) -> bool {
        !self.is_wrong() && self.complete && self.unsupported.is_empty() && !self.gives_up()
    }

    /// Whether a process is known to do something that was not followed, because it is refused more often before.
    pub fn gives_up(&self) -> bool {
        self.refusals.iter().any(|r| r.gives_up.is_some())
    }

    /// Whether nothing is wrong in any of the behaviours that were to be followed.
    pub fn is_well(&self) -> bool {
        !self.is_wrong()
            && self.unsupported.is_empty()
            && self.bounds.is_empty()
            && !self.gives_up()
            && (self.complete || self.replayed || self.sampled.is_some())
    }
}
