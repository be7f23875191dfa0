//! The arguments of `litmpi generate`.

use super::ProgramsArgs;
use crate::stream::is_stream;
use clap::{Args, ValueEnum};
use litmpi_mpi_model::generate::RANKS;
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// What to make: tests of x86, RDMA or MPI from critical cycles, every small program of RDMA or MPI, or random programs of MPI, which are not erroneous unless `--mistakes` asks for it
    #[arg(value_name = "WHAT")]
    pub(crate) what: GenerateWhat,
    /// For x86: threads of the largest tests; for RDMA and MPI: edges of the largest cycles; with `--every`: statements of the largest programs; without it, 3
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    size: Option<u8>,
    /// For RDMA: most threads; without it, 2. For MPI, `--ranks`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=6))]
    threads: Option<u8>,
    /// For RDMA and MPI: this cycle alone, `'PodWR Fre PodWR Fre'`, `'PodSendRecv Rve PodSendRecv Rve'`
    #[arg(long, value_name = "EDGES")]
    pub(crate) cycle: Option<String>,
    /// For MPI: tests from critical cycles of the usual edges between messages; with `--collectives`, collectives and messages; with `--windows`, windows and messages
    #[arg(long)]
    pub(crate) cycles: bool,
    /// For RDMA and MPI: cycles of the edges that this file names, in any lines, `#` before comments
    #[arg(long, value_name = "FILE")]
    pub(crate) edges: Option<PathBuf>,
    /// For RDMA and MPI: every program of at most `--size` statements, one of those that are alike but for names
    #[arg(long)]
    pub(crate) every: bool,
    /// For cycles, and with `--every`: stop after so many tests; without it, more than a million are not begun
    #[arg(long, value_name = "N")]
    pub(crate) most: Option<usize>,
    /// For random programs of MPI: the seed of the first one; each further one has the next. Without it, 1
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// For random programs of MPI: how many; without it, 100
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    #[command(flatten)]
    pub(crate) programs: ProgramsArgs,
    /// For MPI: programs with a mistake: a legal one each, with a call left out, made twice or moved, or with a wrong argument, so that it is erroneous; with `--every`, all that are erroneous or never end
    #[arg(long)]
    pub(crate) mistakes: bool,
    /// For random programs of MPI: a model of your own, a .spec file, which may import shipped ones; programs are of the functions that it declares, too
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// Work on N programs at once, rather than on as many as there are cores
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    pub(crate) jobs: Option<usize>,
    /// Write each test to a file in this folder, or, with `-`, print them all, one after the other, for a command that reads tests from `-`; without
    /// it, print names and verdicts of tests from cycles, and random and small programs themselves
    #[arg(long, short, alias = "out", value_name = "DIR|-")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateWhat {
    X86,
    Rdma,
    Mpi,
}

impl GenerateArgs {
    /// The folder that tests are written to; none if they are printed.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_stream(path))
    }

    /// Whether tests are printed that otherwise only their names would be of.
    pub(super) fn prints(&self) -> bool {
        self.output.as_deref().is_some_and(is_stream)
    }

    /// Of tests and programs that grow, how large the largest are.
    pub(super) fn size(&self) -> usize {
        self.size.unwrap_or(3).into()
    }

    /// The most threads.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or(2).into()
    }

    /// The seed of the first random program.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// How many random programs.
    pub(super) fn count(&self) -> usize {
        self.count.unwrap_or(100) as usize
    }

    /// Whether each option speaks of what is to be made.
    ///
    /// # Errors
    /// One that does not.
    pub(crate) fn fits(&self) -> Result<(), Report> {
        if self.what == GenerateWhat::X86 && !(2..=6).contains(&self.size()) {
            let d = Diagnostic::general(format!("x86 tests have 2 to 6 threads, not {}", self.size()));
            return Err(d.help("write `--size 3`").into());
        }
        let given = [
            ("--cycle", self.cycle.is_some()),
            ("--edges", self.edges.is_some()),
            ("--every", self.every),
            ("--cycles", self.cycles),
            ("--with", !self.programs.with.is_empty()),
            ("--most", self.most.is_some()),
        ];
        if let Some(name) =
            self.programs.option().or(self.mistakes.then_some("--mistakes")).filter(|_| self.what != GenerateWhat::Mpi)
        {
            let d = Diagnostic::general(format!("`{name}` is for programs of MPI"));
            return Err(d.help("write `litmpi generate mpi`").into());
        }
        let of_x86 = self.what == GenerateWhat::X86;
        if let Some((name, _)) = given.iter().find(|(_, given)| *given && of_x86) {
            let d = Diagnostic::general(format!("`{name}` is for programs of RDMA and MPI"));
            return Err(d.help("write `litmpi generate rdma`, or `litmpi generate mpi`").into());
        }
        if self.cycles && self.what != GenerateWhat::Mpi {
            let d = Diagnostic::general("`--cycles` is for programs of MPI");
            return Err(d.help("tests from cycles are what is made of x86 and RDMA without it").into());
        }
        let of_cycles = self.cycles || self.cycle.is_some() || self.edges.is_some();
        let of_mpi = self.what == GenerateWhat::Mpi;
        if self.spec.is_some() && (!of_mpi || self.every || of_cycles) {
            let d = Diagnostic::general("`--spec` is for random programs of MPI");
            return Err(d
                .help("write `litmpi generate mpi --spec FILE`, without `--every`, `--cycle`, `--cycles` and `--edges`")
                .into());
        }
        if of_mpi && !self.every {
            self.programs.fits()?;
        }
        if of_mpi && !self.every && !of_cycles && self.most.is_some() {
            let d = Diagnostic::general("`--most` is for cycles and every small program");
            return Err(d.help("add `--every`; random programs are counted by `--count`").into());
        }
        let named = self.every || self.cycle.is_some() || self.edges.is_some();
        if let (true, Some(option)) = (of_mpi && named, self.programs.kind()) {
            let way = if self.every {
                "--every"
            } else if self.cycle.is_some() {
                "--cycle"
            } else {
                "--edges"
            };
            let d = Diagnostic::general(format!("`{way}` and `{option}` ask for different programs"));
            return Err(d.help("give one of them; `--with` names the functions of every small program").into());
        }
        self.are_heard(of_cycles)?;
        let ways: Vec<&str> = given[..4].iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if let [one, other, ..] = ways[..] {
            let d = Diagnostic::general(format!("`{one}` and `{other}` ask for different programs"));
            return Err(d.help("give one of them").into());
        }
        Ok(())
    }

    /// Whether numbers are given that what is to be made does not ask for.
    ///
    /// # Errors
    /// Such a number.
    fn are_heard(&self, of_cycles: bool) -> Result<(), Report> {
        let of_mpi = self.what == GenerateWhat::Mpi;
        let is_random = of_mpi && !self.every && !of_cycles;
        let of_series = ("is for random programs of MPI", "leave it out");
        let ranks = ("is not for `--cycle`, which names the ranks of the test by its edges", "leave it out");
        let random = ("is for random programs of MPI", "of others, `--most N` says how many are made");
        let of_cycle = ("is not for `--cycle`, which names all edges of the test", "leave it out");
        let size = match self.cycle {
            Some(_) => of_cycle,
            None => (
                "is not for random programs",
                "add `--every` or `--cycles`; random programs have at most `--ranks N` ranks",
            ),
        };
        let threads = match self.cycle {
            Some(_) if self.what == GenerateWhat::Rdma => of_cycle,
            _ => ("is for programs of RDMA", "for MPI write `--ranks N`; for x86, `--size N`"),
        };
        let numbers = [
            ("--seed", self.seed.is_some() && !is_random, random),
            ("--count", self.count.is_some() && !is_random, random),
            ("--size", self.size.is_some() && (is_random || self.cycle.is_some()), size),
            ("--series", of_mpi && !is_random && self.programs.series != 1, of_series),
            ("--ranks", self.cycle.is_some() && self.programs.ranks() != RANKS, ranks),
            ("--threads", self.threads.is_some() && (self.what != GenerateWhat::Rdma || self.cycle.is_some()), threads),
        ];
        match numbers.into_iter().find(|(_, unheard, _)| *unheard) {
            Some((name, _, (what, help))) => Err(Diagnostic::general(format!("`{name}` {what}")).help(help).into()),
            None => Ok(()),
        }
    }
}
