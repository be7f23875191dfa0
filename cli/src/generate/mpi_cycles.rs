//! `litmpi generate mpi --cycle`, `--edges`, `--cycles`: tests of MPI from critical cycles, with the verdicts of the model and its variants.

use super::GenerateArgs;
use super::cycles::{Made, rows_explode, tests};
use super::judge::{JudgeMpi, Judged};
use super::programs::Programs;
use crate::Verdict;
use litmpi_models::Model;
use litmpi_mpi_model::MODELS;
use litmpi_mpi_model::cycles::{Cycle, Cycles, Edge, Usual, Vocabulary};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;

/// A cycle, with the functions that its program is made of.
struct OfFunctions<'v, 'd>(Cycle, &'v Vocabulary<'d>);

impl Made for OfFunctions<'_, '_> {
    type Judge = JudgeMpi;

    fn name(&self) -> String {
        self.0.name()
    }

    fn model(&self) -> &'static str {
        MODELS[0]
    }

    fn judged(&self, judge: &JudgeMpi) -> Result<(String, Judged), Report> {
        let text = self.0.text(self.1);
        let judged = judge.judge(&text, self.0.about())?;
        Ok((text, judged))
    }
}

pub(super) fn cycles(args: &GenerateArgs) -> Result<Verdict, Report> {
    let model = Model::named(MODELS[0])?;
    let vocabulary = Vocabulary::new(model.instructions());
    let judge = JudgeMpi::new()?;
    if let Some(text) = &args.cycle {
        let cycle = Cycle::parse(&Source::new("--cycle", text.as_str()), &vocabulary)?;
        return tests(args, std::iter::once(OfFunctions(cycle, &vocabulary)), &judge, true);
    }
    let of: Vec<Edge> = match &args.edges {
        None => Cycles::usual(usual(args)?, &vocabulary),
        Some(file) => {
            let source = Source::read_as(file, "the edges ")?;
            let named = vocabulary.read(&source)?;
            if named.is_empty() {
                let d = Diagnostic::general(format!("{} names no edges", file.display()));
                return Err(d.help("write names such as `PodSendRecv`, `WaittIsendSend`, `Rfe`, in any lines").into());
            }
            named.into_iter().map(|(edge, _)| edge).collect()
        }
    };
    let (sizes, ranks) = (2..=args.size(), args.programs.ranks());
    let made = |n: usize| Cycles::new(of.clone(), n, ranks, &vocabulary);
    let rows: u128 = sizes.clone().map(|n| made(n).most()).sum();
    rows_explode(args, rows)?;
    tests(args, sizes.flat_map(made).map(|c| OfFunctions(c, &vocabulary)), &judge, false)
}

/// Which edges are meant where no file names them.
fn usual(args: &GenerateArgs) -> Result<Usual, Report> {
    match args.programs.of()? {
        Programs::Messages => Ok(Usual::Messages),
        Programs::Collectives => Ok(Usual::Collectives),
        Programs::Windows => Ok(Usual::Windows),
        other => {
            let d = Diagnostic::general(format!("there are no usual edges of `--{}`", other.name()));
            Err(d
                .help(
                    "name edges in a file (`--edges FILE`), or take those of messages, `--collectives` or `--windows`",
                )
                .into())
        }
    }
}
