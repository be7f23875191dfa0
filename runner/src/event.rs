//! What a run tells while it goes on, and why there may be none.

use crate::plan::Style;
use crate::result::RunResult;
use crate::target::Availability;

/// What happens during a run.
#[derive(Debug, Clone)]
pub enum Event {
    /// A target was probed.
    Probed {
        /// Its name.
        target: String,
        /// What was found.
        availability: Availability,
    },
    /// The tests are built for a target.
    Built {
        /// Its name.
        target: String,
        /// The program was there from an earlier run.
        cached: bool,
    },
    /// A target's runs are about to begin.
    Scheduled {
        /// Its name.
        target: String,
        /// How many test runs it will have.
        runs: usize,
    },
    /// A launch starts.
    Launching {
        /// The target's name.
        target: String,
        /// Test runs in this launch.
        runs: usize,
        /// What its processes are marked with: see [`process`](crate::process).
        mark: String,
    },
    /// A test run begins.
    Begun {
        /// The target's name.
        target: String,
        /// The test's name.
        test: String,
        /// Bytes a value.
        size: u64,
        /// How ranks wait.
        style: Style,
    },
    /// A test run is over; its result follows when the launch has ended.
    Ended {
        /// The target's name.
        target: String,
        /// The test's name.
        test: String,
    },
    /// A launch hung or died; what is left is launched again.
    Broke {
        /// The target's name.
        target: String,
        /// The test that it was at; none if it was what the target runs on that broke down.
        test: Option<String>,
        /// What happened.
        what: String,
    },
    /// A result.
    Finished(Box<RunResult>),
}

/// Why a run could not be made at all. What goes wrong with one target or test is in its results.
#[derive(Debug)]
pub enum RunError {
    /// The output folder cannot be used.
    OutDir(std::path::PathBuf, std::io::Error),
    /// A message size that no block of ints has.
    Size(u64),
    /// Tests of a family that no programs are made of.
    Family(String),
    /// The user ended it, by this signal; every process of the run is gone.
    Interrupted(&'static str),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::OutDir(path, e) => write!(f, "cannot use the output folder {}: {e}", path.display()),
            RunError::Size(n) => write!(f, "a message size of {n} bytes: sizes are multiples of 4, from 4 to 1 GiB"),
            RunError::Family(why) => write!(f, "{why}"),
            RunError::Interrupted(signal) => write!(f, "ended by {signal}"),
        }
    }
}

impl std::error::Error for RunError {}
