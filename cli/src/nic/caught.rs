//! `litmpi nic --catch`: each NIC that breaks one rule, on tests of the library, until one catches it.

use crate::args::RunArgs;
use crate::run::{results, whole};
use crate::{Verdict, remark, say};
use clap::Parser;
use litmpi_litmus::ast::Outcome;
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Setup};
use litmpi_nic::{Mutant, Score, mutants, mutated};
use litmpi_runner::{Comparison, RunResult, interruption, note_interruptions};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MODEL: &str = "verbs";
/// Runs of a NIC that nothing directs, by seeds from the first on.
const FREE: u64 = 3;
/// Iterations of one that is directed.
const DIRECTED: &str = "40";

/// The arguments of a run.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
pub(super) struct Line {
    #[command(flatten)]
    pub(super) args: RunArgs,
}

impl Line {
    /// What stands behind `litmpi run`.
    pub(super) fn read(words: &[&str]) -> Result<RunArgs, Report> {
        let line = Line::try_parse_from(words).map_err(|e| Report::from(Diagnostic::general(e.to_string())))?;
        Ok(line.args)
    }
}

/// How a NIC was caught.
struct Caught {
    test: String,
    directed: bool,
    result: RunResult,
}

/// Says each line as it comes, so that a signal takes none of them away.
pub(crate) fn catch(folder: &Path, seed: u64) -> Result<Verdict, Report> {
    let missed = table(&[folder.to_owned()], seed, say)?;
    for name in &missed {
        remark(&format!("not caught: {name}"));
    }
    Ok(if missed.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Tells a line for each wrong NIC; the names of those that were not caught.
///
/// # Errors
/// Among others a signal, by which the command ends; it is told how many were tried.
pub(super) fn table(folders: &[PathBuf], seed: u64, mut tell: impl FnMut(&str)) -> Result<Vec<String>, Report> {
    tell(
        "| NIC | rule | what is wrong | test that catches it | forbidden outcome | how | iterations |\n|---|---|---|---|---|---|---|\n",
    );
    // Else the folder of a run that is about to begin would be left.
    note_interruptions();
    let mut missed = vec![];
    // A NIC that only tests of other folders can tell is not tried, and this is said.
    let here = library::find(folders)?;
    let (all, without): (Vec<Mutant>, Vec<Mutant>) =
        mutants().into_iter().partition(|m| m.told_by.iter().any(|test| named(&here, test).is_some()));
    let number = all.len();
    for (i, mutant) in all.into_iter().enumerate() {
        let caught = match (caught(&mutant, &here, seed), interruption()) {
            (Err(_), Some(signal)) => {
                let what = format!("ended by {signal}: {i} of {number} NICs that break a rule were tried");
                return Err(Diagnostic::general(what).into());
            }
            (caught, _) => caught?,
        };
        let variant = mutant.variant.as_ref().map_or(String::new(), |v| format!(" ({v})"));
        let mut line = format!("| `{}` | `{}` | {} | ", mutant.name, mutant.rule, mutant.what);
        let Some(Caught { test, directed, result }) = caught else {
            tell(&(line + "NONE | | | |\n"));
            missed.push(mutant.name);
            continue;
        };
        let seen = result.observed.iter().find(|o| o.allowed != Some(true)).map_or("", |o| &o.outcome);
        let how = if directed { "directed" } else { "by itself" };
        let _ = writeln!(line, "{test}{variant} | `{}` | {how} | {} |", seen.trim_end(), result.iterations);
        tell(&line);
    }
    for mutant in without {
        let tests: Vec<String> = mutant.told_by.iter().map(|t| format!("`{t}`")).collect();
        let are = if tests.len() == 1 { "is" } else { "are" };
        let what = format!("not tried, since {} {are} not among the tests given", tests.join(", "));
        tell(&format!("| `{}` | `{}` | {} | {what} | | | |\n", mutant.name, mutant.rule, mutant.what));
    }
    Ok(missed)
}

/// The first of its tests in which a wrong NIC has an outcome that the right rules forbid. Directed to what it must not do, it
/// does so if it can. What is not a matter of its own steps (a completion that never comes, requests that are mixed up before
/// they are its own) comes by itself.
fn caught(mutant: &Mutant, here: &[PathBuf], seed: u64) -> Result<Option<Caught>, Report> {
    for (test, file) in mutant.told_by.iter().filter_map(|test| Some((test, named(here, test)?))) {
        let scores = wrong(mutant, file)?;
        if !scores.is_empty()
            && let Some(result) = violation(mutant, file, seed, &scores)?
        {
            return Ok(Some(Caught { test: test.clone(), directed: true, result }));
        }
        for seed in seed..seed + FREE {
            if let Some(result) = violation(mutant, file, seed, &[])? {
                return Ok(Some(Caught { test: test.clone(), directed: false, result }));
            }
        }
    }
    Ok(None)
}

/// The file of the test of that name among these.
fn named<'f>(files: &'f [PathBuf], test: &str) -> Option<&'f Path> {
    files.iter().find(|f| f.file_stem().is_some_and(|s| s == test)).map(PathBuf::as_path)
}

/// How outcomes come about that a wrong NIC may show and the right model forbids, if a NIC can be directed to them.
fn wrong(mutant: &Mutant, file: &Path) -> Result<Vec<Score>, Report> {
    let source = Source::read_as(file, "the test ")?;
    let variant = mutant.variant.as_deref().unwrap_or("default");
    let setup = |spec| Setup { variant: variant.into(), ..Setup::new(Arc::new(spec)) };
    let right = setup(load_shipped(MODEL)?);
    let allowed = Operational::new(&parse(&source, &right.spec.instructions)?, &right)?.outcomes()?;
    let broken = setup(mutated(MODEL, &mutant.name)?);
    let test = parse(&source, &broken.spec.instructions)?;
    let model = Operational::new(&test, &broken)?;
    let ways = model.ways()?;
    let wrong: BTreeSet<&Outcome> = ways.outcomes.set.difference(&allowed.set).collect();
    if wrong.is_empty() {
        let what = format!("{} is right in {}: the model forbids none of its outcomes", mutant.name, file.display());
        return Err(Diagnostic::general(what).help("`told_by` of nic/mutants.toml names tests that tell it").into());
    }
    let score = |outcome: &Outcome| {
        let way = model.way(&ways, outcome)?.expect("it was found");
        Score::of_trace(model.machine(), way.states, way.steps).map_err(Report::from)
    };
    wrong.into_iter().filter(|o| matches!(o, Outcome::Values(_))).map(score).collect()
}

/// A run of the test on the wrong NIC, which follows these scores, if it ends in a violation.
fn violation(mutant: &Mutant, file: &Path, seed: u64, scores: &[Score]) -> Result<Option<RunResult>, Report> {
    let general = |e: std::io::Error| Report::from(Diagnostic::general(format!("a folder for a run: {e}")));
    let folder = tempfile::tempdir().map_err(general)?;
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("scores"), scores.iter().map(Score::to_string).collect::<String>()).map_err(general)?;
    let (directed, score) = match scores.len() {
        0 => (String::new(), String::new()),
        n => (format!("\"--scores\", \"{}\", ", at("scores")), format!(" score=0:{n}")),
    };
    let target = format!(
        "[[target]]\nname = \"nic\"\nfamily = \"rdma\"\ndescription = \"a NIC that breaks a rule\"\n\
         compiler = [\"cc\", \"-pthread\", \"-Wl,--no-as-needed\", \"-libverbs\"]\n\
         launch = [\"{{litmpi}}\", \"nic\", \"--mutant\", \"{}\", \"--variant\", \"{{variant}}\", \"--seed\", \"{{seed}}\", \"--lossy\", \
         {directed}\"--\", \"{{program}}\", \"nodes={{n}}\"]\n\
         variants = {{ default = \"{score}\", inline = \"inline=1{score}\", no-pcie = \"{score}\", \
         no-rnr-retry = \"no_rnr_retry=1{score}\", relaxed-ordering = \"{score}\", unordered = \"{score}\", \
         fi-order-waw = \"{score}\", gpu-memory = \"{score}\" }}\n\
         probe = {{ command = [\"{{litmpi}}\", \"nic\", \"--probe\"] }}\nmissing = \"\"\nget = \"\"\n",
        mutant.name
    );
    std::fs::write(at("targets.toml"), target).map_err(general)?;
    let (test, targets, out, seed) = (file.display().to_string(), at("targets.toml"), at("out"), seed.to_string());
    let variant = mutant.variant.as_deref().unwrap_or("default");
    let mut words =
        vec![test.as_str(), "--target", "nic", "--targets", &targets, "--out", &out, "--time", "1000", "--no-retry"];
    words.extend(["--variant", variant, "--seed", &seed]);
    if !scores.is_empty() {
        words.extend(["--iterations", DIRECTED, "--delay-chance", "0", "--stress", "none"]);
    }
    let all = whole(results(&Line::read(&words)?)?)?;
    for result in &all {
        if let Comparison::Skipped { reason } | Comparison::Failed { reason } = &result.verdict {
            return Err(Diagnostic::general(format!("{} on {}: {reason}", result.test, mutant.name)).into());
        }
    }
    Ok(all.into_iter().find(|r| r.verdict.is_violation()))
}
