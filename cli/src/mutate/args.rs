//! What `litmpi mutate` is asked.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Default, Args)]
pub(crate) struct MutateArgs {
    /// Litmus files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// Only changes of files whose name contains this (`mpi/point-to-point`), or of rules and functions (`rule transfer`)
    #[arg(long, value_name = "TEXT")]
    pub(crate) of: Vec<String>,
    /// What came of each change, as this command wrote it with --accept: held against the rules, and a sample of it tried
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write the record, and the page that says what it comes to, beside it with the ending .md; what is in the record
    /// already is not tried again unless a test that told it does so no longer
    #[arg(long, requires = "record")]
    pub(crate) accept: bool,
    /// With --accept, of the changes that no test tells by the record, only those to which more tests come than were tried
    #[arg(long, requires = "accept")]
    pub(crate) more: bool,
    /// Hold against these tests the changes of which the record says that they make no difference, in place of those that
    /// some test tells
    #[arg(long, requires = "record", conflicts_with = "accept")]
    pub(crate) no_difference: bool,
    /// Try only so many changes, chosen by --seed
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Tests with more states than this are left out, and said to be; of those with more than 250, all but the ones that come where
    /// few smaller ones do, except with --more
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) max_states: usize,
    /// A change is tried on so many of the tests that come there: first those that tell others of the same rule, and of the same file, by
    /// the record, then those with the fewest states; on all of them unless this is given
    #[arg(long, value_name = "N")]
    pub(crate) max_tests: Option<usize>,
    /// A change is tried until so many states of the right model have been searched again. If this is given, changes of which the record
    /// says that they survive, or are hidden, are tried anew, large tests as well
    #[arg(long, value_name = "N")]
    pub(crate) effort: Option<usize>,
    /// Choose so many of these tests: those that together tell the most of the changes that no test tells by the
    /// record
    #[arg(long, value_name = "N", requires = "record", conflicts_with = "accept")]
    pub(crate) choose: Option<usize>,
    /// Make so many programs that are a little other than the tests, and say which few of them (--choose, or 20) tell the most of
    /// the changes that no test tells by the record, each made as small as it may be
    #[arg(long, value_name = "N", requires = "record", conflicts_with = "accept")]
    pub(crate) generate: Option<usize>,
    /// Programs in C, C++ or Fortran, or folders of them, each with a line ` * ranks: 2` in its head: compiled once, and followed as by
    /// `litmpi verify`. They are asked about changes of `mpi` that no test tells
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) programs: Vec<PathBuf>,
    /// Threads to work with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
