//! The command line.

mod known;
mod run;

use crate::across::Across;
use crate::campaign::CampaignArgs;
use crate::cells::CellsArgs;
use crate::distinguish::DistinguishArgs;
use crate::doctor::DoctorArgs;
use crate::explain::PictureArgs;
use crate::explore::ExploreArgs;
use crate::fmt::FmtArgs;
use crate::generate::GenerateArgs;
use crate::lsp::LspArgs;
use crate::manual::{CompletionsArgs, ManArgs};
use crate::mend::MendArgs;
use crate::mutate::MutateArgs;
use crate::nic::NicArgs;
use crate::page::{ReportArgs, ServeArgs};
use crate::pivots::PivotsArgs;
use crate::replay::VerifyCommand;
use crate::robust::RobustArgs;
use crate::shard::{FOLDER, Shard};
use crate::shrink::ShrinkArgs;
use crate::suite::SuiteArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use known::{KnownAddArgs, KnownCommand, KnownListArgs, ListArgs};
use litmpi_models::{Limits, Search};
use litmpi_spec::diag::{Diagnostic, Report};
pub(crate) use run::{FailOn, ProgressArg, RunArgs};
use std::ffi::OsString;
use std::path::PathBuf;

/// Does this MPI (or verbs) stack behave as its specification says?
#[derive(Debug, Parser)]
#[command(name = "litmpi", version, help_template = crate::help::template(), after_help = crate::help::BEGINNING, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What to do when there was nothing to run, or all of it was skipped, everywhere or on a target that `--target` names
    #[arg(long, global = true, value_enum, value_name = "ACTION", default_value_t = NoTests::Fail)]
    pub(crate) no_tests: NoTests,
    /// Work on one of several shards of the tests, `2/3` for the second of three, and write what was found into a file, for `litmpi
    /// merge`; of a campaign, on every third block of 64 seeds. `auto` takes the number from the environment (Slurm's arrays, mpirun, CI)
    #[arg(long, global = true, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// The folder that shards are written to
    #[arg(long, global = true, value_name = "DIR", default_value = FOLDER)]
    pub(crate) shards: PathBuf,
}

impl Cli {
    /// Takes the variant out of `--model NAME:VARIANT`.
    ///
    /// # Errors
    /// `--variant` names another one.
    pub(crate) fn split_model(&mut self) -> Result<(), Report> {
        use Command::{Check, Enumerate, Explain, Explore, Launch, Mend, Mpi, Nic, Robust, Run, Shrink, Tune, Verify};
        match &mut self.command {
            Enumerate(a) => split(a.model.model.as_mut(), std::slice::from_mut(&mut a.variant)),
            Check(a) => several(a),
            Explain(a) => split(a.model.model.as_mut(), std::slice::from_mut(&mut a.variant)),
            Explore(a) => split(a.model.model.as_mut(), std::slice::from_mut(&mut a.variant)),
            Run(a) => split(a.model.model.as_mut(), &mut a.variant),
            Shrink(a) => split(a.run.model.model.as_mut(), &mut a.run.variant),
            Tune(a) => split(a.run.model.model.as_mut(), &mut a.run.variant),
            Nic(a) => split(Some(&mut a.model), std::slice::from_mut(&mut a.variant)),
            Robust(a) => split(Some(&mut a.subject.model), std::slice::from_mut(&mut a.subject.variant)),
            Mend(a) => split(Some(&mut a.subject.model), std::slice::from_mut(&mut a.subject.variant)),
            Verify(a) => split(Some(&mut a.verify.model), std::slice::from_mut(&mut a.verify.variant)),
            Mpi(a) | Launch(a) => split(Some(&mut a.model), std::slice::from_mut(&mut a.variant)),
            _ => Ok(()),
        }
    }

    /// Whether the command can be divided into shards.
    pub(crate) fn has_shards(&self) -> bool {
        use Command::{Campaign, Check, Compare, Enumerate, Run};
        matches!(self.command, Enumerate(_) | Check(_) | Compare(_) | Run(_) | Campaign(_))
    }
}

/// Moves the variant that the name of a model ends with to where variants are named.
fn split(model: Option<&mut String>, variants: &mut [String]) -> Result<(), Report> {
    let Some(model) = model else { return Ok(()) };
    let parts = model.split_once(':').map(|(name, variant)| (name.to_owned(), variant.to_owned()));
    let Some((name, variant)) = parts else { return Ok(()) };
    let [only] = variants else { return Err(twice(model)) };
    if *only != "default" && *only != variant {
        return Err(twice(model));
    }
    (*model, *only) = (name, variant);
    Ok(())
}

/// Takes several models that `--model` names, or `all`, for the list that they are.
fn several(args: &mut CheckArgs) -> Result<(), Report> {
    let Some(names) = args.model.model.take_if(|m| m.contains(',') || m == "all") else { return Ok(()) };
    args.models = names.split(',').map(str::to_owned).collect();
    match args.model.spec {
        None => Ok(()),
        Some(_) => {
            let d = Diagnostic::general(format!("`--model {names}` names several models, and `--spec` another one"));
            Err(d.help("check the models of one of the two at a time").into())
        }
    }
}

fn twice(model: &str) -> Report {
    let d = Diagnostic::general(format!("`--model {model}` names a variant, and `--variant` another one"));
    d.help("name the variant once; several together are joined by `+`").into()
}

/// What to do when nothing was run, as cargo-nextest names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoTests {
    /// End with exit code 4
    Fail,
    /// End with exit code 0
    Pass,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give every outcome that a model allows
    Enumerate(EnumerateArgs),
    /// Put shards of a command together, as if it had been one run
    Merge(MergeArgs),
    /// Hold models against stated verdicts and complete outcome sets
    Check(CheckArgs),
    /// Say which rules fired and which premises blocked over a set of tests
    Coverage(CoverageArgs),
    /// Try what rules say they commute with, and claims that say more, in the states of tests
    Claims(ClaimsArgs),
    /// Change the rules of the shipped models in small ways, one at a time, and say which test tells each change
    Mutate(MutateArgs),
    /// List the functions that MPI programs may call: where the standard has them, their rules, tests and runs
    Functions(FunctionsArgs),
    /// List what the MPI standard asks, clause by clause: the rules that carry it and the tests that need them
    Clauses(ClausesArgs),
    /// Hold laws (one call by others, with the same outcomes) against generated programs and tests
    Laws(LawsArgs),
    /// Put models, and logs of runs, side by side: who allows or saw what, differences first
    Compare(CompareArgs),
    /// Find the smallest programs on which two models differ, by trying all
    Distinguish(DistinguishArgs),
    /// Show how an outcome comes about, step by step, rule by rule, or which check forbids it
    Explain(ExplainArgs),
    /// Step through a program by hand: what is enabled, at which premises rules stop, the state, back, and on to an outcome
    Explore(ExploreArgs),
    /// Say whether programs have weak behaviours, show one, and which conditions for having none hold
    Robust(RobustArgs),
    /// Put fences and polls into programs, at the least cost, so that they are robust or an outcome is forbidden
    Mend(MendArgs),
    /// Write the tests as C programs
    Emit(EmitArgs),
    /// Make tests: of x86 with verdicts that are known by construction, of MPI at random
    Generate(GenerateArgs),
    /// Say which tests tell which cells of Fig. 9 of rdma-tso, or find such tests
    Cells(CellsArgs),
    /// Count the tests of coreRMA that have one edge of a rule as their pivot, beside those of the paper
    Pivots(PivotsArgs),
    /// Write tests as a regression suite that needs nothing of litmpi
    Suite(SuiteArgs),
    /// Run tests on real libraries and compare with what the model allows
    Run(RunArgs),
    /// Make one HTML page of what commands came to: results, checks, comparisons, campaigns, tests
    Report(ReportArgs),
    /// Show that page to a browser on this machine, made anew as results come: for large runs, and while one goes on
    Serve(ServeArgs),
    /// Run random MPI programs on real libraries for hours; make what is forbidden smaller, and write reproducers
    Campaign(CampaignArgs),
    /// Make a program smaller that shows a violation, or that two models differ, and write a reproducer for a bug tracker
    Shrink(ShrinkArgs),
    /// List tests, those that a filter takes; models; why files cannot be read
    List(ListArgs),
    /// Put tests and specifications into one layout; blanks alone are changed
    Fmt(FmtArgs),
    /// Serve editors: what is wrong with a test, a specification or a model in cat while it is written, what a word stands for, layout
    Lsp(LspArgs),
    /// Write down which violations are known, or list them
    #[command(subcommand)]
    Known(KnownCommand),
    /// Search for stress that shows an outcome often, and keep it for `run`
    Tune(TuneArgs),
    /// Hold an implementation against its specification on every client up to a bound, then on random ones
    Refine(RefineArgs),
    /// Hold every shipped layer against its specification, find every planted mistake; a page of tables
    Layers(LayersArgs),
    /// Run a program of libibverbs with the emulated NIC as its device
    Nic(NicArgs),
    /// Run an MPI program under the rules, in every behaviour that the standard allows
    #[command(mut_arg("command", |a| a.required(false)))]
    Verify(VerifyCommand),
    /// Run a command whose launches of MPI programs (`mpiexec`, `mpirun`) are followed under the rules, one behaviour at random each: a test suite
    #[command(mut_arg("command", |a| a.value_name("COMMAND").help("The command and its arguments")), mut_arg("ranks", |a| a.hide(true)))]
    Mpi(VerifyArgs),
    /// What launchers are for the command of `mpi`
    #[command(hide = true)]
    Launch(VerifyArgs),
    /// Compile an MPI program in C so that `verify` sees its loads and stores
    Cc(CompileArgs),
    /// The same in C++
    #[command(name = "c++")]
    Cpp(CompileArgs),
    /// The same in Fortran
    Fc(CompileArgs),
    /// Say which targets are here, which are missing and how to get them
    Targets(TargetsArgs),
    /// Say what is installed, what each target says when it is asked, and what to install
    Doctor(DoctorArgs),
    /// RDMA without RDMA hardware: Linux's software device (RoCE) in a guest
    #[command(subcommand)]
    Lab(LabCommand),
    /// Print what a shell completes litmpi's commands and options by
    Completions(CompletionsArgs),
    /// Write pages for `man`, one a command
    Man(ManArgs),
}

/// Which tests, under which model.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArgs {
    /// Litmus files, folders that are searched for them, or lists (`@all`, with a file a line); tests of the library that comes with
    /// litmpi: `@mpi`, `@rdma/SB1`, `@library`; `-` for standard input, where tests stand one after the other, as `litmpi generate` prints them
    #[arg(required = true, value_name = "FILE|DIR|@LIST")]
    pub(crate) tests: Vec<PathBuf>,
    /// A shipped model, or a .cat file of your own, instead of the test family's own; `NAME:VARIANT` where a command has variants;
    /// for `check`, which takes all, several, `A,B`
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// A model of your own: a .spec file, which may import shipped ones; with a .cat file as --model, the instructions
    /// and their events for it
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    /// Which transitions are followed; without it, `explain` follows all, other commands all of small programs and of others
    /// enough for all outcomes
    #[arg(long, value_name = "HOW")]
    pub(crate) search: Option<SearchArg>,
}

/// How far searches go.
#[derive(Debug, Clone, Args)]
pub(crate) struct BoundArgs {
    /// How often loops are unrolled that state no bound; without it, models of rules let a thread go round as often as it likes,
    /// and declarative ones unroll 4 times
    #[arg(long, value_name = "N")]
    pub(crate) unroll: Option<u32>,
    /// Most states of a search; one that would need more stops and says so
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_states: usize,
    /// Most memory for the states of a search, in MiB, about; one that would need more stops and says so
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) max_memory: usize,
    /// Most disk for states that have no room in memory, in MiB: they are put where temporary files are (TMPDIR); 0 if none are to be
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    pub(crate) max_disk: usize,
    /// Threads to work with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
}

impl BoundArgs {
    /// As limits of a search.
    pub(crate) fn limits(&self, search: Search) -> Limits {
        let (bytes, disk) = (self.max_memory << 20, self.max_disk << 20);
        Limits { unroll: self.unroll, states: self.max_states, bytes, disk, search, threads: 1, walks: None }
    }
}

/// Which transitions are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchArg {
    /// All of every state
    Full,
    /// Enough for all outcomes, by what rules touch and say of themselves: for shipped models
    Reduced,
    /// Enough for all outcomes, by what rules touch alone: for models given with --spec
    Footprints,
}

#[derive(Debug, Args)]
pub(crate) struct EnumerateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    /// Say on which choice of the model an outcome depends: under which variants it is not there
    #[arg(long)]
    pub(crate) depends: bool,
    /// Tell apart only what this asks about, as in `a=1; b=0`, `deadlock` or `erroneous`: all else is left out of the outcomes, and the
    /// claims of the test with it
    #[arg(long = "for", value_name = "OUTCOME")]
    pub(crate) only: Option<String>,
    /// Make this many random walks instead of a search, for programs that are too large for one: what they find is allowed, and what
    /// they do not find is undecided
    #[arg(long, value_name = "N", conflicts_with_all = ["depends", "search"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) random: Option<u64>,
    /// What the choices of random walks depend on
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub(crate) seed: u64,
    /// Search one test by several processes, each with memory of its own: N that are started here, or those at these addresses,
    /// `HOST:PORT,HOST:PORT`, or `@FILE` with an address a line, each of which is started with the same command
    #[arg(long, value_name = "N|ADDRESSES", conflicts_with_all = ["depends", "random", "shard"])]
    pub(crate) across: Option<Across>,
    /// With `--across ADDRESSES`: which of the processes this one is, from 0; otherwise the environment says (mpirun, Slurm)
    #[arg(long, value_name = "I", requires = "across")]
    pub(crate) process: Option<usize>,
    /// With `--across`: how long the processes wait for each other, in seconds
    #[arg(long, value_name = "SECONDS", requires = "across", default_value_t = 60)]
    pub(crate) patience: u64,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The files of all shards, or their folder; or the folder of a campaign, whose shards are put together to one page and one log, also while
    /// they go on
    #[arg(value_name = "FILE|DIR", default_value = FOLDER)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// What `--model A,B` names, and how that was once written
    #[arg(long, hide = true, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["model", "spec"])]
    pub(crate) models: Vec<String>,
    /// Write the complete outcome sets found into the .expected files
    #[arg(long)]
    pub(crate) accept: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Every count, not only what never happened; with --spec, also of the rules that it imports from shipped files
    #[arg(long)]
    pub(crate) all: bool,
    /// What cannot happen, with reasons: a table `never` for each rule, or premise or requirement of one; one that does happen is
    /// an error
    #[arg(long, value_name = "FILE", conflicts_with = "choose")]
    pub(crate) except: Option<PathBuf>,
    /// Say which N of the tests, generated ones for example, together add the most rules that fire, premises that block and requirements that
    /// are violated
    #[arg(long, value_name = "N")]
    pub(crate) choose: Option<usize>,
    /// With `--choose`: to what these tests cover; a test, a folder or a list
    #[arg(long, value_name = "FILE|DIR|@LIST", requires = "choose")]
    pub(crate) beyond: Vec<PathBuf>,
    /// With `--choose`: write the tests that were chosen to this folder
    #[arg(long, short, value_name = "DIR", requires = "choose")]
    pub(crate) output: Option<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Most states of a test, and most that a claim is followed into
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) states: usize,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FunctionsArgs {
    /// Tests, or folders of them, whose calls are counted
    #[arg(value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// Results of `litmpi run --json`, in short form or as they are
    #[arg(long, value_name = "FILE")]
    pub(crate) runs: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ClausesArgs {
    /// Tests, or folders of them, that clauses may name
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// Change the rules in small ways, as `litmpi mutate` does: say which tests tell no change of what the clause is carried by
    #[arg(long)]
    pub(crate) hold: bool,
    /// Threads to work with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct LawsArgs {
    /// Tests, or folders of them, that the laws are held against too
    #[arg(value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// Only laws whose name begins so
    #[arg(long, value_name = "NAME")]
    pub(crate) law: Vec<String>,
    /// Laws of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) laws: Option<PathBuf>,
    /// A model of your own: a .spec file, which may import shipped ones
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// How many pieces stand beside the one that a law speaks of, in programs made exhaustively
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) bound: usize,
    /// Most of those programs that are tried for a law: of more, that many, evenly chosen; the result says so
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) most: usize,
    /// How many random programs are made for each law
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) random: usize,
    /// Seed of the random programs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Most states of a search; a program that needs more is not decided, and counted
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_states: usize,
    /// Threads to work with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Litmus files, or folders that are searched for them; other files are logs of litmpi, herd7 or litmus7. `-` is standard input, for tests
    /// one after the other
    #[arg(required = true, value_name = "FILE|DIR|LOG")]
    pub(crate) tests: Vec<PathBuf>,
    /// The models, `NAME`, `NAME:VARIANT` or `NAME:VARIANT+VARIANT`; a `.cat` file, shipped or your own, is a declarative one
    #[arg(long = "model", alias = "models", value_name = "NAMES", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    /// The outcome: values as printed (`a=1; b=0`, in any order, some may be left out), `deadlock` or `erroneous`;
    /// without it, the first claim's
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EmitArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Write a program that builds with `mpicc *.c` (or, for verbs, `cc -pthread *.c -libverbs`; in Rust, a crate) into this folder;
    /// without it, print the tests' own files
    #[arg(long, short, alias = "out", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// One C file a test, for a bug tracker: it needs nothing but `mpicc`, says what the standard asks, prints what comes, and ends with
    /// 1 if that is not allowed; printed, or `NAME.c` in the folder
    #[arg(long, conflicts_with = "lang")]
    pub(crate) reproducer: bool,
    /// With --reproducer: what a value takes, in bytes, or with K, M
    #[arg(long, value_name = "SIZE", default_value = "8", requires = "reproducer")]
    pub(crate) size: String,
    /// The language of the programs
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = Lang::C)]
    pub(crate) lang: Lang,
    /// Layers instead of tests, `NAME[:VARIANT]` or a .spec file of your own: each as a library over libibverbs, for any number of
    /// processes: in C with a header, in Rust a crate; without --output, its own text alone is printed
    #[arg(long, conflicts_with = "reproducer")]
    pub(crate) layer: bool,
    /// With --layer: another value for a number that the layer declares, such as how many slots a ring buffer has, or how many
    /// words a message
    #[arg(long, value_name = "NAME=VALUE", requires = "layer")]
    pub(crate) set: Vec<String>,
}

/// A language of generated programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// C
    C,
    /// Rust: tests of MPI by rsmpi (the crate `mpi`), of RDMA by rdma-sys; layers by libibverbs
    Rust,
}

impl From<Lang> for litmpi_codegen::Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::C => Self::C,
            Lang::Rust => Self::Rust,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The outcome to look for, `'a=1; b=0'`; by default what the first claim speaks of
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
    /// How many vectors to begin with, beside that of `--stress`: each round keeps the better half and takes twice as long for each
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) candidates: usize,
}

#[derive(Debug, Args)]
pub(crate) struct LayersArgs {
    /// A list of your own, in the form of cli/layers.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Only refinements whose line has this in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RefineArgs {
    /// The implementation: a model or layer that ships, or a .spec or .cat file of your own; `NAME:VARIANT` for a variant
    #[arg(value_name = "IMPLEMENTATION")]
    pub(crate) implementation: String,
    /// The specification, likewise
    #[arg(long, value_name = "SPECIFICATION")]
    pub(crate) against: String,
    /// What the lowest layer stands on in place of what it says: another form of that model
    #[arg(long, value_name = "MODEL")]
    pub(crate) below: Option<String>,
    /// Threads of a client, each on a node of its own; ranks of an MPI program
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=6))]
    pub(crate) threads: u8,
    /// Most statements of a thread
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) length: usize,
    /// Most statements of a client: all of these are tried
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) size: usize,
    /// How many random clients are tried after them, of up to one statement a thread more; of MPI, as many messages as a
    /// rank has statements
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) random: usize,
    /// The seed of the first of those
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many objects, and work identifiers, of each kind clients use; of MPI, how many tags and requests
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) names: usize,
    /// Only clients of which every object and location is used by two threads or more; of MPI, those of which every message
    /// has a receive, every request a wait, and all ranks make the same collective calls
    #[arg(long)]
    pub(crate) shared: bool,
    /// The instructions that clients are made of [default: all that both sides know; of a layer, what it
    /// implements, `read` and `put_imm`]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// Write the client that tells, with what is forbidden as its claim, into this file
    #[arg(long, short, alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How often loops are unrolled that state no bound
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) unroll: u32,
    /// Most states of a search; one that would need more stops and is counted
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) max_states: usize,
    /// Most memory for the states of a search, in MiB, about; one that would need more stops and is counted
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_memory: usize,
    /// Threads to work with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct VerifyArgs {
    /// How many processes
    #[arg(short = 'n', long = "ranks", value_name = "N", default_value_t = 2, value_parser = ranks)]
    pub(crate) ranks: usize,
    /// The program, as it was compiled, and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<String>,
    /// The model whose rules are the MPI library
    #[arg(long, value_name = "NAME", default_value = "mpi")]
    pub(crate) model: String,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    /// Most states of a search; one that would need more stops and says so
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_states: usize,
    /// Most memory for the states of a search, in MiB, about
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) max_memory: usize,
    /// Most seconds of a search, by the clock: what was found until then is told, with as long again for the ways there, or for behaviours at
    /// random where nothing was found
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_seconds: Option<u32>,
    /// Which transitions are followed
    #[arg(long, value_name = "HOW")]
    pub(crate) search: Option<SearchArg>,
    /// Threads to search with
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
    /// Follow this many behaviours at random instead of all, of programs that have too many: nothing is said of the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) random: Option<u32>,
    /// What the choices of random behaviours depend on
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Compare between behaviours how the program ends: what its ranks print (`stdout`), their exit codes (`exit`), a variable that is not of a
    /// function (`sum`, read as its type is by the debug information, or as said: `sum:double`; int, long, float, double, char)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) observe: Vec<litmpi_verify::Observe>,
    /// Seconds that a process may run without a call of MPI: time that it has a processor, or sleeps
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
    /// Do not tell of communicators, groups, datatypes, operations, windows and persistent requests that are not freed before MPI_Finalize
    #[arg(long)]
    pub(crate) allow_leaks: bool,
    /// Do not tell of loads that race with another process's updates, and stores that race with its gets; what else they may give is not
    /// followed
    #[arg(long)]
    pub(crate) allow_races: bool,
    /// Do not tell of buffers whose datatype is not the type of the variable that they are
    #[arg(long)]
    pub(crate) allow_type_mismatch: bool,
    /// Let functions of which no rule speaks, and calls with such datatypes, return MPI_ERR_UNSUPPORTED_OPERATION, whatever the error
    /// handler, and go on, as test suites expect of a library that does not have them; the verdict says which they were, and is open
    #[arg(long)]
    pub(crate) return_unsupported: bool,
    /// Follow a rank on each way by itself, also from where its memory is what it is on another way
    #[arg(long)]
    pub(crate) no_merge: bool,
    /// Look at all elements of messages one by one, also where many lie one behind the other
    #[arg(long)]
    pub(crate) one_by_one: bool,
    /// With each finding, a way there
    #[arg(long)]
    pub(crate) trace: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a compiler is called with.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// Arguments of MPICH's compiler
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) args: Vec<OsString>,
}

/// A number of processes.
fn ranks(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=64).contains(&n) => Ok(n),
        _ => Err("from 1 to 64".into()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct TargetsArgs {
    /// A TOML file with targets of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Vec<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Get what the lab needs (a kernel package is downloaded, not installed) and boot once
    Setup {
        /// A kernel package (.deb) instead of the one that the package manager knows
        #[arg(long, value_name = "FILE")]
        kernel: Option<PathBuf>,
        /// Begin anew, even if the lab is there
        #[arg(long)]
        again: bool,
    },
    /// Run a script or program of your own inside
    Run(LabRunArgs),
    /// Keep guests up between runs: `litmpi lab run` uses them if LITMPI_LAB_SESSION names the socket
    Serve {
        /// The socket to make
        #[arg(value_name = "SOCKET")]
        socket: PathBuf,
        /// End when standard input does
        #[arg(long, hide = true)]
        while_stdin: bool,
    },
    /// Say what is there
    Status {
        /// JSON instead of text
        #[arg(long)]
        json: bool,
        /// Be an error if it is not set up
        #[arg(long)]
        check: bool,
    },
    /// Remove the lab's folder
    Clean,
}

#[derive(Debug, Args)]
pub(crate) struct LabRunArgs {
    /// The script or program and its arguments; in them `{gid}` is the index of the devices' address, and `{relax}` a library to
    /// preload that makes UCX pause
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "SCRIPT")]
    pub(crate) command: Vec<String>,
    /// One guest with two devices, rx0 and rx1, or two guests with a kernel and a device rx0 each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    pub(crate) guests: u32,
    /// Virtual processors of each guest [default: 4, of two guests 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) cpus: Option<u32>,
    /// Memory of each guest, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(256..))]
    pub(crate) memory: u64,
    /// Give up a guest without a sign of life for so many seconds
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
    /// End the guest when the script takes longer than so many seconds
    #[arg(long, value_name = "S")]
    pub(crate) timeout: Option<u64>,
    /// Boot at most so often, when guests panic or hang
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) boots: u32,
    /// Say at the end how far the devices' counters moved
    #[arg(long)]
    pub(crate) counters: bool,
    /// Be a launcher of `litmpi run`: boots and counters as lines that it reads
    #[arg(long, hide = true)]
    pub(crate) report: bool,
}

fn chance(text: &str) -> Result<f64, String> {
    within(text, 1.0).ok_or_else(|| "a chance is a number from 0 to 1".into())
}

pub(crate) fn micros(text: &str) -> Result<f64, String> {
    // A delay is waited for in a loop: longer ones would look like hangs.
    within(text, 1e6).ok_or_else(|| "a delay is a number of microseconds from 0 to 1000000".into())
}

fn within(text: &str, most: f64) -> Option<f64> {
    text.parse().ok().filter(|x| (0.0..=most).contains(x))
}
