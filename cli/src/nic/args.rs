//! What `litmpi nic` may be told.

use crate::args::micros;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NicArgs {
    /// The program and its arguments; `sh -c 'ib_write_bw & …'` for several
    #[arg(required_unless_present_any = ["probe", "mutants", "adversaries", "catch", "report"], last = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<String>,
    /// The model whose rules the queue pairs run: verbs, or one that has all that it has
    #[arg(long, value_name = "NAME", default_value = "verbs")]
    pub(crate) model: String,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    /// A NIC that breaks one rule on purpose; see --mutants
    #[arg(long, value_name = "NAME")]
    pub(crate) mutant: Option<String>,
    /// Seed of all choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How steps are held back: mixed, prompt, random, adversarial
    #[arg(long, value_name = "NAME", default_value = "mixed", env = "LITMPI_NIC_SCHEDULER")]
    pub(crate) scheduler: String,
    /// How long a step is held back, in microseconds: mostly at most so long, now and then up to ten times
    #[arg(long, value_name = "US", default_value_t = 150.0, value_parser = micros)]
    pub(crate) hold: f64,
    /// Who waits sleeps instead of yielding: the NIC at once, programs after N polls that found nothing; for MPI libraries
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pause: Option<u32>,
    /// What the fabric does that no rule shows, one or several as in `torn+bursts`; see --adversaries
    #[arg(long, value_name = "NAMES", default_value = "", hide_default_value = true, env = "LITMPI_NIC_ADVERSARY")]
    pub(crate) adversary: String,
    /// Datagrams are lost, come twice and pass each other, as the rules allow; otherwise each arrives once and in order, if there is
    /// a receive for it
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Say how many operations there were, as lines that `litmpi run` reads
    #[arg(long)]
    pub(crate) counters: bool,
    /// In which order steps are taken, for generated tests that ask for it; `litmpi run` makes such files
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Option<PathBuf>,
    /// Write a line for every step: queue pair and rule
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Say at the end how often each rule was run
    #[arg(long)]
    pub(crate) rules: bool,
    /// Only say whether the NIC can be used here
    #[arg(long)]
    pub(crate) probe: bool,
    /// List the adversaries
    #[arg(long)]
    pub(crate) adversaries: bool,
    /// List the NICs that break one rule
    #[arg(long)]
    pub(crate) mutants: bool,
    /// Run each NIC that breaks one rule on tests of this folder, until one catches it
    #[arg(long, value_name = "DIR")]
    pub(crate) catch: Option<PathBuf>,
    /// Run the tests under each variant, then each NIC that breaks one rule; the page that says what was seen
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Vec<PathBuf>,
    /// Folder that the library for programs is built in; by default the user's cache
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
