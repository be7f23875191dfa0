//! The arguments of `litmpi suite`.

use crate::args::BoundArgs;
use clap::Args;
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SuiteArgs {
    /// Litmus files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// The folder to write, which is made, or is empty
    #[arg(long = "output", short = 'o', value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The tests, where the folder to write stands in their place: how this was once written
    #[arg(long, hide = true, num_args = 1.., value_name = "FILE|DIR", conflicts_with = "out")]
    pub(crate) from: Vec<PathBuf>,
    /// A model of your own: a .spec file, which may import shipped ones
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
}

impl SuiteArgs {
    /// The tests, and the folder to write.
    ///
    /// # Errors
    /// No folder is named.
    pub(super) fn places(&self) -> Result<(&[PathBuf], &PathBuf), Report> {
        match (&self.out, self.from.as_slice(), self.tests.as_slice()) {
            (Some(out), [], tests) => Ok((tests, out)),
            (None, [_, ..], [folder]) => Ok((&self.from, folder)),
            _ => {
                let d = Diagnostic::general("no folder is named that the suite is to be written into");
                Err(d.help("name the tests, then the folder: litmpi suite litmus/mpi -o DIR").into())
            }
        }
    }
}
