//! The arguments of `litmpi lsp`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// A model of your own, for tests that use its instructions; it is read anew for each look at a test
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// What editors give to say how they talk; there is no other way
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
