//! `litmpi suite`: tests as a regression suite that needs nothing of litmpi.

mod args;

use crate::args::ModelArgs;
use crate::emit::of_one_program;
use crate::known::Known;
use crate::load::{Loaded, some, tests};
use crate::run::promised;
use crate::whole::write_file;
use crate::{Verdict, parallel, say};
pub(crate) use args::SuiteArgs;
use litmpi_codegen::{Judged, standalone_suite};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_runner::Expected;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::hash;
use std::collections::BTreeSet;

pub(crate) fn suite(args: &SuiteArgs) -> Result<Verdict, Report> {
    let (from, dir) = args.places()?;
    let model = ModelArgs {
        tests: from.to_owned(),
        model: None,
        spec: args.spec.clone(),
        bounds: args.bounds.clone(),
        search: None,
    };
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Diagnostic::general(format!("{} is not empty", dir.display()))
            .help("a suite is written into a folder of its own")
            .into());
    }
    let (loaded, mut left_out) = tests(&model)?;
    let (loaded, others): (Vec<Loaded>, Vec<Loaded>) = loaded.into_iter().partition(|l| l.test.family == "mpi");
    for other in others {
        let message = format!("{} is a test of the family `{}`", other.test.name, other.test.family);
        let d = Diagnostic::at(&other.test.span, message)
            .found("among the tests of the suite")
            .help("suites are of MPI tests: name their folder, as in `litmpi suite litmus/mpi -o DIR`");
        left_out.add(&other.path, d.into());
    }
    let loaded = of_one_program(loaded, &mut left_out);
    let mut judged = vec![];
    let mut unjudged = vec![];
    let known = Known::load(&[])?;
    let allowed: Vec<Option<(Expected, String)>> =
        parallel::map(&loaded, args.bounds.jobs, "enumerating", |l| promised(l, &model, &args.variant))
            .into_iter()
            .zip(&loaded)
            .map(|(promised, l)| left_out.keep(&l.path, promised))
            .collect();
    let ((loaded, allowed), left_out) = {
        let both: Vec<_> = loaded.into_iter().zip(allowed).filter_map(|(l, e)| Some((l, e?))).collect();
        let (both, left_out) = some(both, left_out)?;
        (both.into_iter().unzip::<Loaded, (Expected, String), Vec<_>, Vec<_>>(), left_out)
    };
    for (l, (e, variant)) in loaded.iter().zip(&allowed) {
        match no_place(e) {
            Some(why) => unjudged.push((l.test.name.clone(), why.to_owned())),
            None => judged.push(Judged { test: &l.test, allowed: &e.allowed, about: about(l, variant, &known) }),
        }
    }
    let spec = &loaded[0].spec;
    let origin = [
        format!("model `{}`, variant `{}`, hash {}", spec.name, args.variant, spec.hash()),
        format!("written by litmpi {}", env!("CARGO_PKG_VERSION")),
    ];
    let files = standalone_suite(&judged, &spec.instructions, unjudged, &origin);
    litmpi_scratch::own(dir).map_err(failed)?;
    for file in &files {
        let path = dir.join(&file.name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        write_file(&path, &file.text)?;
    }
    let count = |folder: &str| files.iter().filter(|f| f.name.starts_with(folder)).count();
    let (c, rust) = (count("tests/"), count("rust/src/bin/"));
    say(&format!(
        "{c} of {} tests in {}, {rust} of them in Rust, too; {} says why the others are not, and how to run them\n",
        loaded.len(),
        dir.display(),
        dir.join("README.md").display()
    ));
    let undecided = allowed.iter().filter(|(e, _)| !e.complete).count();
    Ok(left_out.end(match Verdict::of(0, undecided) {
        Verdict::Good if judged.is_empty() => Verdict::Nothing,
        verdict => verdict,
    }))
}

/// Why a test cannot be judged by itself.
fn no_place(expected: &Expected) -> Option<&'static str> {
    if expected.erroneous {
        Some("erroneous: the standard says nothing of what comes of it")
    } else if !expected.complete {
        Some("undecided: the model's set of outcomes is not complete: a bound was hit")
    } else if expected
        .allowed
        .iter()
        .any(|o| !matches!(o, Outcome::Values(_) | Outcome::Undefined(_) | Outcome::Deadlock))
    {
        Some("the model has an outcome for it that no run can show")
    } else {
        None
    }
}

/// Where a test and its verdicts come from, and which libraries are known to violate it.
fn about(l: &Loaded, variant: &str, known: &Known) -> Vec<String> {
    let test: &Test = &l.test;
    let cites: BTreeSet<String> = test
        .claims
        .iter()
        .flat_map(|c| &c.verdicts)
        .filter(|v| l.spec.answers_for(&v.model))
        .filter_map(|v| v.cite.as_ref())
        .map(|c| format!("cite {} {}", c.work, c.place))
        .collect();
    let source = &test.span.source;
    let head = [
        format!("{}: {}", test.name, test.title),
        format!("from {} hash {}", source.name, hash(std::slice::from_ref(source))),
        format!("model {} variant {variant} hash {}", l.spec.name, l.spec.hash()),
    ];
    head.into_iter().chain(cites).chain(known.of_test(&test.name)).collect()
}
