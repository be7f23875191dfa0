//! The arguments of `litmpi campaign`.

use crate::args::ProgressArg;
use crate::generate::ProgramsArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub(crate) struct CampaignArgs {
    /// Targets by name, `a,b`, with options, `a:get:relax`, or `a:*` for a and each of its options; see `litmpi targets`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = CampaignArgs::TARGETS)]
    pub(crate) target: Vec<String>,
    /// A TOML file with targets of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Vec<PathBuf>,
    /// How long it goes on, all of its runs together
    #[arg(long, value_name = "H", default_value_t = 1.0, value_parser = hours)]
    pub(crate) hours: f64,
    /// End after so many programs, if the hours are not over before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) programs: Option<u64>,
    /// Seed of the first program; each further one has the next. Programs without a call are passed over, and those that can only deadlock where they are
    /// more than one in eight of a block of 64 seeds
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) programs_of: ProgramsArgs,
    /// A model of your own that programs are made and judged by: a .spec file, which may import shipped ones
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// Programs that are built and launched together
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=5000))]
    pub(crate) batch: u32,
    /// Message sizes: bytes, or with K, M
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "8,64K")]
    pub(crate) sizes: Vec<String>,
    /// How ranks wait inside blocking calls
    #[arg(long, value_enum, value_name = "PROGRESS", default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
    /// Longest time for a program, for each target and size, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30)]
    pub(crate) time: u64,
    /// How long an iteration may be without progress before it counts as hanging, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) patience: u32,
    /// Most programs of a batch that are made smaller for each target; of others the seed is kept
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) shrink: usize,
    /// Longest time for making one program smaller, in seconds; what is smallest then is kept, and the page says so
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) shrink_seconds: u64,
    /// A folder of tests: what is known of those that violate is said beside findings that call much the same functions
    #[arg(long, value_name = "DIR", default_value = "@mpi")]
    pub(crate) known_tests: PathBuf,
    /// Folder of the campaign: its log, its findings and its page. With an earlier one of the same campaign, that is gone on with. A shard (`--shard 2/3`) has
    /// a folder of its own in it, `2-of-3`, and `litmpi merge DIR` puts those that are there together
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR", default_value = "litmpi-campaign")]
    pub(crate) out: PathBuf,
}

impl CampaignArgs {
    /// The targets if none is named.
    pub(super) const TARGETS: [&str; 2] = ["openmpi", "mpich"];

    /// How ranks wait, as `litmpi run` is told.
    pub(super) fn progress(&self) -> String {
        self.progress.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

fn hours(text: &str) -> Result<f64, String> {
    let hours: f64 = text.parse().map_err(|_| "not a number of hours".to_owned())?;
    if hours > 0.0 && hours <= 10_000.0 { Ok(hours) } else { Err("more than 0 hours, and at most 10000".to_owned()) }
}
