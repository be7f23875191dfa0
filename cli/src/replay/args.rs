//! The arguments of `litmpi verify`, with those for a behaviour that is kept and followed again.

use crate::args::VerifyArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
    #[command(flatten)]
    pub(crate) replay: ReplayArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Write the behaviour of the first finding to a file, for --replay
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) save: Option<PathBuf>,
    /// Follow the behaviour of a file again, with a process for each rank: the program, ranks, model and variant are those of the file; a program
    /// behind `--` takes the place of the file's
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ranks", "model", "variant", "random", "max_states", "search", "observe", "no_merge"])]
    pub(crate) replay: Option<PathBuf>,
    /// Where the behaviour ends, say which processes wait where, and keep them until Enter is pressed
    #[arg(long, requires = "replay", conflicts_with = "on")]
    pub(crate) hold: bool,
    /// Start a debugger on this rank in its first call of MPI, and follow the behaviour meanwhile
    #[arg(long, value_name = "RANK", requires = "replay", conflicts_with = "on")]
    pub(crate) debug: Option<usize>,
    /// The debugger, a command of the shell, in which `{pid}` stands for the process
    #[arg(long, value_name = "COMMAND", default_value = "gdb -p {pid}")]
    pub(crate) debugger: String,
    /// Run the program on a real MPI library that is made to do the same: a target of `litmpi targets`
    #[arg(long, value_name = "TARGET", requires = "replay")]
    pub(crate) on: Option<String>,
    /// A TOML file with targets of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Vec<PathBuf>,
}
