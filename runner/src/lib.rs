//! The real side: litmus tests on real libraries.
//!
//! [`run`] takes a [`Plan`] (tests with what is expected of them, targets, sizes, budgets) and gives a
//! [`RunResult`] for each test, target, size and style. For each target it
//! 1. probes whether the target is here ([`probe`]); if not, its results are skipped, with the reason; a test that calls what the
//!    library does not have is skipped, too;
//! 2. builds all tests into one program, once for each compiler and content;
//! 3. launches it with a schedule of everything that is to run, and reads what it prints. A launch that hangs or
//!    dies costs the test that it was at, and what is left of the schedule is launched again;
//! 4. compares what was observed with what is expected ([`compare`]).
//!
//! A launch that is ended early is ended with everything that it started: see [`process`](crate::process).
//!
//! Limits: one launch at a time; processes are found through `/proc`, so on systems without it a killed launch
//! relies on its launcher to take the ranks along.

mod alone;
mod bounded;
mod build;
mod cache;
mod cargo;
mod compare;
mod event;
mod examine;
mod functions;
pub mod heard;
mod hearing;
mod interrupt;
pub mod lab;
mod launch;
mod log;
mod objects;
mod observed;
mod orchestrate;
mod outcomes;
mod plan;
pub mod process;
mod protocol;
mod rates;
pub mod remains;
mod result;
mod schedule;
mod setup;
mod sites;
mod stress;
mod table;
mod target;
mod torn;
mod trial;
mod tune;

pub use alone::{Alone, AloneEnded, alone, compiled_alone};
pub use compare::{Comparison, Expected, compare, confirmed};
pub use event::{Event, RunError};
pub use examine::{Asked, asked, examined};
pub use interrupt::{exit_code, interrupted, interruption, note_interruptions};
pub use log::{log_text, proposition};
pub use observed::{Histogram, Observed, Tally};
pub use orchestrate::{quoted, run};
pub use outcomes::outcomes_table;
pub use plan::{Budget, Delay, Directions, Director, Plan, PlannedTest, Progress, Style};
pub use rates::rates_table;
pub use result::{RESULT_SCHEMA, Recognised, Retry, RunResult, SeenOutcome, Version, results_json, size_name};
pub use setup::setup;
pub use sites::{ELEMENTS, EXCHANGED, Site};
pub use stress::{Act, Place, Point, Polling, Stress};
pub use table::{Rows, TOLD, some_of, summary_table};
pub use target::{Availability, Probe, Target, When, fitted, here, numbers, probe, shipped_targets, targets_from};
pub use torn::{Torn, Widened};
pub use tune::{Candidate, Rate, Tuning, candidates};
