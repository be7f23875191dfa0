//! `litmpi campaign`: random programs on real libraries for hours; each violation is made smaller and written as a reproducer.
//!
//! Programs are made and run in batches. What has come stands in a log, so that a campaign that was killed is gone on with by the same
//! command, at the batch that it was at.

mod args;
mod log;
mod page;

use crate::args::{Cli, Command, RunArgs};
use crate::generate::{Kept, model_of, some_programs};
use crate::known::Known;
use crate::left_out::LeftOut;
use crate::load::{Loaded, files};
use crate::run::{Ran, are_lacking, chosen, results};
use crate::shrink::{OnTarget, Shows, begun, finding, rates, sizes, smallest, sort, text, write};
use crate::{Verdict, complain, remark, say};
pub(crate) use args::CampaignArgs;
use clap::Parser;
use litmpi_litmus::golden::DEFAULT;
use litmpi_litmus::{parse_family, sites};
use litmpi_runner::{Comparison, RunResult, exit_code, interruption};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use log::{About, Finding, Log};
pub(crate) use log::{Batch, CampaignLog, campaign_log};
pub(crate) use page::causes;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the log says of programs of which no kind is asked for.
const EACH_KIND: &str = "each kind in turn";
/// After so many attempts at a batch of which nothing could be run, or so many batches whose programs were all skipped, a campaign ends.
const DEAD: usize = 3;

pub(crate) fn campaign(args: &CampaignArgs) -> Result<Verdict, Report> {
    let model = model_of(args.spec.as_deref())?;
    let of = args.programs_of.in_turn(&model.spec().instructions)?;
    let about = About {
        programs: if let [one] = &of[..] { one.name() } else { EACH_KIND }.to_owned(),
        with: args.programs_of.with.clone(),
        ranks: of[0].ranks,
        targets: args.target.clone(),
        seed: args.seed,
        batch: args.batch,
        sizes: args.sizes.clone(),
        model: format!("{} {}", model.name(), model.hash()),
    };
    let run = run_args(args, &args.out.join("batch"))?;
    chosen(&run)?;
    sizes(&run)?;
    let resembling = Resembling::new(args)?;
    let mut log = Log::open(&args.out, &about)?;
    if !log.batches.is_empty() {
        remark(&format!("going on after {} programs in {:.0} seconds", log.programs(), log.seconds()));
    }
    let (mut ended, mut attempts) = (None, 0);
    while log.seconds() < args.hours * 3600.0 && args.programs.is_none_or(|n| log.programs() < n) {
        let start = Instant::now();
        let wanted = args.programs.map_or(u64::from(args.batch), |n| (n - log.programs()).min(u64::from(args.batch)));
        let made = some_programs(log.next(args.seed), usize::try_from(wanted).unwrap_or(1), &of, &model, |_| Ok(()))?;
        let Ran { loaded, results, ended: signal, .. } = batch(args, &made)?;
        if signal.is_some() {
            ended = signal;
            break;
        }
        // What could not be run is not over: it is run by whoever goes on when the cause is mended.
        let dead = results.iter().all(|r| matches!(r.verdict, Comparison::Failed { .. }));
        if let (true, Some(Comparison::Failed { reason })) = (dead, results.first().map(|r| &r.verdict)) {
            attempts += 1;
            complain(
                &Diagnostic::general(format!("nothing of this batch could be run: {}", first_line(reason))).into(),
            );
            if attempts < DEAD {
                continue;
            }
            return Err(nothing_ran(&format!("in {DEAD} attempts at a batch"), first_line(reason)));
        }
        attempts = 0;
        let found = match findings(args, &run, &loaded, &results, &log, &resembling) {
            Ok(found) => found,
            Err(report) => {
                let Some(signal) = interruption() else { return Err(report) };
                complain(&report);
                write_page(args, &about, &log, Some(&made))?;
                return Ok(Verdict::Ended(exit_code(signal)));
            }
        };
        log.add(found, summed(&made, &results, start))?;
        write_page(args, &about, &log, None)?;
        tell(&log);
        if log.batches.len() >= DEAD && log.batches.iter().rev().take(DEAD).all(|b| b.iterations == 0) {
            let why = log.batches.last().and_then(|b| b.failed.values().next().cloned()).unwrap_or_default();
            return Err(nothing_ran(&format!("in {DEAD} batches"), &why));
        }
    }
    write_page(args, &about, &log, None)?;
    say(&page::page(&about, &log, None));
    if let Some(ended) = ended {
        remark("the same command goes on with this campaign");
        return Ok(Verdict::Ended(ended.code()));
    }
    Ok(match (log.findings.is_empty(), never_ran(args, &run, &log)?) {
        (false, _) => Verdict::Bad,
        (true, NeverRan::All) => Verdict::Nothing,
        (true, NeverRan::Named) => Verdict::Lacking,
        (true, NeverRan::No) => Verdict::Good,
    })
}

/// Whether nothing was run, everywhere or on a target that was asked for by its name.
enum NeverRan {
    All,
    Named,
    No,
}

fn never_ran(args: &CampaignArgs, run: &RunArgs, log: &Log) -> Result<NeverRan, Report> {
    if log.batches.iter().all(|b| b.iterations == 0) {
        return Ok(NeverRan::All);
    }
    let ran = |name: &String| log.batches.iter().any(|b| b.libraries.contains_key(name));
    let is_default = args.target == CampaignArgs::TARGETS;
    let never: Vec<String> =
        chosen(run)?.into_iter().map(|t| t.name).filter(|name| !is_default && !ran(name)).collect();
    Ok(if are_lacking(&never) { NeverRan::Named } else { NeverRan::No })
}

fn nothing_ran(when: &str, why: &str) -> Report {
    Diagnostic::general(format!("nothing could be run {when}: {why}"))
        .help("`litmpi targets` says what is here; the same command goes on when it is mended")
        .into()
}

fn first_line(reason: &str) -> &str {
    reason.lines().next().unwrap_or("")
}

/// Writes the page; with the batch that was under way, if the campaign is ended in one.
fn write_page(args: &CampaignArgs, about: &About, log: &Log, under_way: Option<&Kept>) -> Result<(), Report> {
    let path = args.out.join("campaign.md");
    let text = page::page(about, log, under_way);
    std::fs::write(&path, text).map_err(|e| Diagnostic::general(format!("cannot write {}: {e}", path.display())).into())
}

fn tell(log: &Log) {
    let Some(last) = log.batches.last() else { return };
    let causes = page::causes(&log.findings).len();
    remark(&format!(
        "{} programs, {:.0} seconds ({:.0} for the last {}): {causes} causes found in {} programs",
        log.programs(),
        log.seconds(),
        last.seconds,
        last.programs,
        log.findings.len()
    ));
}

/// The options of `litmpi run` for a folder of programs.
fn run_args(args: &CampaignArgs, folder: &Path) -> Result<RunArgs, Report> {
    let out = args.out.join("run");
    let mut words: Vec<String> = ["litmpi", "run", "--fresh", "--no-tests", "pass"].map(str::to_owned).to_vec();
    words.push(folder.display().to_string());
    let pairs = [
        ("--target", args.target.join(",")),
        ("--sizes", args.sizes.join(",")),
        ("--time", args.time.to_string()),
        ("--patience", args.patience.to_string()),
        ("--output", out.display().to_string()),
    ];
    words.extend(pairs.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
    words.extend(args.spec.iter().flat_map(|s| ["--spec".to_owned(), s.display().to_string()]));
    words.extend(args.targets.iter().flat_map(|t| ["--targets".to_owned(), t.display().to_string()]));
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Run(run)) => Ok(run),
        Ok(_) => Err(Diagnostic::general("this is no run").into()),
        Err(e) => Err(Diagnostic::general(format!("the campaign's runs cannot be made: {e}")).into()),
    }
}

/// Runs the programs of a batch.
fn batch(args: &CampaignArgs, made: &Kept) -> Result<Ran, Report> {
    let folder = args.out.join("batch");
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", folder.display())));
    litmpi_scratch::own(&folder).map_err(failed)?;
    for entry in std::fs::read_dir(&folder).map_err(failed)?.flatten() {
        if entry.path().extension().is_some_and(|e| e == "litmus") {
            std::fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    for (name, text) in &made.programs {
        std::fs::write(folder.join(format!("{name}.litmus")), text).map_err(failed)?;
    }
    results(&run_args(args, &folder)?)
}

/// The numbers of a batch.
fn summed(made: &Kept, results: &[RunResult], start: Instant) -> Batch {
    let mut batch = Batch {
        next: made.next,
        programs: made.programs.len() as u64,
        erroneous: made.erroneous,
        large: made.large,
        verdicts: BTreeMap::new(),
        iterations: results.iter().map(|r| r.iterations).sum(),
        seen: 0,
        allowed: 0,
        libraries: BTreeMap::new(),
        failed: BTreeMap::new(),
        seconds: start.elapsed().as_secs_f64(),
    };
    for r in results {
        *batch.verdicts.entry(r.target.clone()).or_default().entry(r.verdict.word().to_owned()).or_default() += 1;
        if let Comparison::Failed { reason } | Comparison::Skipped { reason } = &r.verdict {
            batch.failed.entry(r.target.clone()).or_insert_with(|| first_line(reason).to_owned());
        }
        if r.ran() {
            batch.libraries.insert(r.target.clone(), r.library.clone());
            batch.allowed += r.allowed.len() as u64;
            batch.seen += r.observed.iter().filter(|o| o.allowed == Some(true)).count() as u64;
        }
    }
    batch
}

/// What a batch showed that is forbidden: of each program and target the result with the smallest message, one that is not known if there is one.
fn findings(
    args: &CampaignArgs,
    run: &RunArgs,
    loaded: &[Loaded],
    results: &[RunResult],
    log: &Log,
    resembling: &Resembling,
) -> Result<Vec<Finding>, Report> {
    let mut out: Vec<Finding> = vec![];
    let mut first: BTreeMap<(&str, &str), &RunResult> = BTreeMap::new();
    for r in results.iter().filter(|r| r.is_bad()) {
        let old = first.entry((&r.target, &r.test)).or_insert(r);
        // What is known hides nothing that is new.
        if (r.is_known(), r.size) < (old.is_known(), old.size) {
            *old = r;
        }
    }
    let targets = chosen(run)?;
    let mut shrunk: BTreeMap<&str, usize> = BTreeMap::new();
    for ((target, test), result) in first {
        let (Some(base), Some(on)) =
            (loaded.iter().find(|l| l.test.name == test), targets.iter().find(|t| t.name == target))
        else {
            continue;
        };
        let shows = rates(result);
        let mut new = Finding {
            target: target.to_owned(),
            program: test.to_owned(),
            shows,
            small: None,
            small_shows: None,
            alone: None,
            cut: false,
            files: vec![],
            known: vec![],
            is: vec![],
        };
        if result.is_known() {
            // It has its reproducer, and its ticket: time is for what has none.
            let lines: BTreeSet<String> = result.known.iter().map(|k| format!("{}; {}", k.says, k.ticket)).collect();
            new.is = lines.into_iter().collect();
            out.push(new);
            continue;
        }
        let done = shrunk.entry(target).or_default();
        if *done < args.shrink {
            *done += 1;
            let mut asked = OnTarget {
                args: run,
                target: on,
                base,
                variant: DEFAULT,
                sizes: vec![result.size],
                millis: args.time,
                sorts: BTreeSet::new(),
                outcome: None,
                until: None,
            };
            let decls = &base.spec.instructions;
            let name = format!("{test}-small");
            let from = text(&base.test, decls, &name, &format!("from {test}"));
            if let Some(known) = same_cause(&asked, &from, result, log.findings.iter().chain(&out))? {
                *done -= 1;
                new.known = resembling.of(&known, &result.library);
                new.small = Some(cause(&known));
                out.push(new);
                continue;
            }
            remark(&format!("{target} shows {} of {test}: it is made smaller", new.shows));
            asked.until = Some(Instant::now() + Duration::from_secs(args.shrink_seconds));
            if let Some((from, _)) = begun(&mut asked, (&name, &format!("from {test}")))? {
                let (small, _) = smallest(&from, decls, &mut asked)?;
                new.cut = asked.is_over();
                let cause = cause(&small);
                let is_new =
                    log.findings.iter().chain(&out).all(|f| f.target != target || f.small.as_ref() != Some(&cause));
                let written = finding(&asked, &small, &base.test)?;
                new.small_shows = written.result.as_ref().map(rates);
                if is_new {
                    new.files.push(write(
                        &args.out.join("found"),
                        &format!("{target}-{name}.litmus"),
                        &written.litmus,
                    )?);
                    match written.program {
                        Ok(program) => {
                            new.files.push(write(&args.out.join("found"), &format!("{target}-{name}.c"), &program)?)
                        }
                        Err(why) => complain(&why),
                    }
                    new.alone = written.alone;
                }
                new.known = resembling.of(&small, &result.library);
                new.small = Some(cause);
            }
        }
        out.push(new);
    }
    Ok(out)
}

/// The smallest program of an earlier finding on this target that calls nothing which the program does not call, and does the same sort of wrong.
fn same_cause<'f>(
    asked: &OnTarget<'_>,
    program: &Arc<Source>,
    result: &RunResult,
    earlier: impl Iterator<Item = &'f Finding>,
) -> Result<Option<Arc<Source>>, Report> {
    let (functions, mut tried) = (called(program), BTreeSet::new());
    let sorts: BTreeSet<&str> = result.forbidden().map(|o| sort(&o.observed)).collect();
    let mut sources = vec![];
    for small in earlier.filter(|f| f.target == asked.target.name).filter_map(|f| f.small.as_ref()) {
        let source = Source::new("earlier.litmus", format!("litmus mpi earlier \"an earlier finding\"\n{small}"));
        if tried.insert(small) && called(&source).is_subset(&functions) {
            sources.push(source);
        }
    }
    // One build and one launch for all of them.
    let found = asked.run(&sources)?;
    let same = |r: &RunResult| r.is_bad() && r.forbidden().any(|o| sorts.contains(sort(&o.observed)));
    Ok(found.iter().find(|(_, r)| same(r)).map(|(i, _)| Arc::clone(&sources[*i])))
}

/// A smallest program without its name: programs that are made smaller to the same one show the same.
fn cause(small: &Arc<Source>) -> String {
    small.text.lines().skip(1).fold(String::new(), |out, line| out + line + "\n")
}

/// What is known, and the tests of which something is, with the functions that they call.
struct Resembling {
    known: Known,
    tests: Vec<(BTreeSet<String>, String)>,
}

impl Resembling {
    fn new(args: &CampaignArgs) -> Result<Resembling, Report> {
        let (known, mut left_out, mut tests) = (Known::load(&[])?, LeftOut::default(), vec![]);
        for path in files(std::slice::from_ref(&args.known_tests), &mut left_out) {
            let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            if known.of_test(&name).is_empty() {
                continue;
            }
            let source = Source::read_as(&path, "the test ")?;
            if parse_family(&source).is_ok_and(|f| f == "mpi") {
                tests.push((called(&source), name));
            }
        }
        left_out.into_result()?;
        Ok(Resembling { known, tests })
    }

    /// What is known, in this version of a library, of tests which resemble a program: of the functions that either calls, at least half are called by both.
    fn of(&self, program: &Arc<Source>, library: &str) -> Vec<String> {
        let own = called(program);
        let alike = self
            .tests
            .iter()
            .filter(|(functions, _)| 2 * own.intersection(functions).count() >= own.union(functions).count())
            .flat_map(|(_, test)| self.known.of_test_with(test, library));
        alike.collect::<BTreeSet<String>>().into_iter().collect()
    }
}

fn called(source: &Arc<Source>) -> BTreeSet<String> {
    sites::ranks(source).unwrap_or_default().into_iter().flat_map(|r| r.calls).map(|c| c.name).collect()
}

#[cfg(test)]
mod tests {
    use super::Resembling;
    use crate::known::Known;
    use litmpi_spec::source::Source;

    #[test]
    fn a_program_resembles_tests_with_which_it_shares_half_of_the_functions() {
        let functions = ["resized", "struct"].map(|what| format!("MPI_Type_create_{what}"));
        let bounds = ["extent", "true_extent"].map(|what| format!("MPI_Type_get_{what}"));
        let tests = vec![(functions.into_iter().chain(bounds).collect(), "type-markers-last".to_owned())];
        let known = Resembling { known: Known::load(&[]).expect("what is known"), tests };
        let of = |calls: &str, library: &str| {
            let text = format!("litmus mpi small \"a finding\"\nrank 0 {{\n{calls}\n}}\nexists true\n");
            known.of(&Source::new("small.litmus", text), library)
        };
        let resized = "MPI_Type_create_resized(MPI_INT, 0, 4, d)\nMPI_Type_create_struct([1, 1], [0, 5], [d, MPI_INT], e)\n\
                       MPI_Type_get_extent(e, l, x)";
        let lines = of(resized, "MPICH Version: 4.0.2");
        assert!(lines.len() == 1 && lines[0].starts_with("known of MPICH 4.0.2 to 4.2.1: "), "{lines:?}");
        assert!(of(resized, "MPICH Version: 3.4.3").is_empty(), "it was not seen in so early a version");
        let more = format!("{resized}\nMPI_Type_contiguous(2, newtype: f)\nMPI_Barrier()");
        assert_eq!(of(&more, "MPICH Version: 4.0.2"), lines);
        assert!(of(resized, "Open MPI v4.1.4").is_empty());
        assert!(of("MPI_Type_create_resized(MPI_INT, 0, 4, d)", "MPICH Version: 4.0.2").is_empty());
        assert!(
            of(&format!("{more}\nMPI_Send(1, dest: 0)\nMPI_Recv(a, source: 0)"), "MPICH Version: 4.0.2").is_empty()
        );
    }
}
