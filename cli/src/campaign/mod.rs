//! `litmpi campaign`: random programs on real libraries for hours; each violation is made smaller and written as a reproducer.
//!
//! Programs are made and run in batches. What has come stands in a log, so that a campaign that was killed is gone on with by the same
//! command, at the batch that it was at.

mod args;
mod findings;
mod log;
mod merge;
mod page;
mod resembling;

use crate::args::{Cli, Command, RunArgs};
use crate::generate::{Keeps, Kept, model_of, some_programs};
use crate::load::Loaded;
use crate::report::{Styles, counted};
use crate::run::{Ran, are_lacking, chosen, results};
use crate::shard::Shard;
use crate::shrink::sizes;
use crate::{Verdict, complain, remark, say, whole};
pub(crate) use args::CampaignArgs;
use clap::Parser;
use findings::Findings;
use litmpi_runner::{Comparison, RunResult, exit_code, interruption};
use litmpi_spec::diag::{Diagnostic, Report};
use log::{About, Log};
pub(crate) use log::{Batch, CampaignLog, campaign_log};
use merge::{PAGE, write};
pub(crate) use merge::{is_sharded, merge};
pub(crate) use page::causes;
use page::{UnderWay, page};
use resembling::Resembling;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// What the log says of programs of which no kind is asked for.
const EACH_KIND: &str = "each kind in turn";
/// After so many attempts at a batch of which nothing could be run, or so many batches whose programs were all skipped, a campaign ends.
const DEAD: usize = 3;

/// Runs a campaign, or one shard of it, in a folder of its own within the campaign's.
pub(crate) fn campaign(args: &CampaignArgs, shard: Option<Shard>) -> Result<Verdict, Report> {
    let out = shard.map_or(args.out.clone(), |shard| args.out.join(shard.folder()));
    let args = &CampaignArgs { out, ..args.clone() };
    let model = model_of(args.spec.as_deref())?;
    let of = args.programs_of.in_turn(model.spec())?;
    let about = About {
        programs: match &of[..] {
            [one] => one.name(),
            all if all.iter().all(|r| r.series == 2) => format!("{EACH_KIND}, of series 2"),
            _ => EACH_KIND.to_owned(),
        },
        with: args.programs_of.with.clone(),
        ranks: of[0].ranks,
        targets: args.target.clone(),
        seed: args.seed,
        batch: args.batch,
        sizes: args.sizes.clone(),
        progress: args.progress(),
        model: format!("{} {}", model.name(), model.hash()),
        shards: shard.into_iter().collect(),
    };
    let run = run_args(args, &args.out.join("batch"))?;
    chosen(&run)?;
    sizes(&run)?;
    let resembling = Resembling::new(args)?;
    let mut log = Log::open(&args.out, &about)?;
    if !log.so_far.batches.is_empty() {
        remark(&format!("going on after {} programs in {:.0} seconds", log.so_far.programs(), log.so_far.seconds()));
    }
    let mut attempts = 0;
    while log.so_far.seconds() < args.hours * 3600.0 && args.programs.is_none_or(|n| log.so_far.programs() < n) {
        let start = Instant::now();
        let wanted =
            args.programs.map_or(u64::from(args.batch), |n| (n - log.so_far.programs()).min(u64::from(args.batch)));
        let made = some_programs(
            log.so_far.next(),
            usize::try_from(wanted).unwrap_or(1),
            (&of, Keeps::Lively),
            &model,
            None,
            |_| Ok(()),
        )?;
        let Ran { loaded, results, ended: signal, .. } = batch(args, &made)?;
        if let Some(signal) = signal {
            return ended(args, &log, &UnderWay { made: &made, found: vec![] }, signal.code());
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
        let findings = Findings { args, run: &run, loaded: &loaded, log: &log.so_far, resembling: &resembling };
        let found = findings.of(&results)?;
        if let Some(signal) = interruption() {
            return ended(args, &log, &UnderWay { made: &made, found }, exit_code(signal));
        }
        log.add(found, summed(&made, &loaded, &results, start))?;
        write_page(args, &page(&log.so_far, None))?;
        tell(&log);
        if log.so_far.batches.len() >= DEAD && log.so_far.batches.iter().rev().take(DEAD).all(|b| b.iterations == 0) {
            let why = log.so_far.batches.last().and_then(|b| b.failed.values().next().cloned()).unwrap_or_default();
            return Err(nothing_ran(&format!("in {DEAD} batches"), &why));
        }
    }
    let text = page(&log.so_far, None);
    write_page(args, &text)?;
    say(&text);
    Ok(match (log.so_far.findings.is_empty(), never_ran(args, &run, &log)?) {
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
    if log.so_far.batches.iter().all(|b| b.iterations == 0) {
        return Ok(NeverRan::All);
    }
    let ran = |name: &String| log.so_far.batches.iter().any(|b| b.libraries.contains_key(name));
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

/// The end of a campaign that a signal ended in a batch.
fn ended(args: &CampaignArgs, log: &Log, at: &UnderWay<'_>, code: u8) -> Result<Verdict, Report> {
    let text = page(&log.so_far, Some(at));
    write_page(args, &text)?;
    say(&text);
    remark("the same command goes on with this campaign");
    Ok(Verdict::Ended(code))
}

fn write_page(args: &CampaignArgs, text: &str) -> Result<(), Report> {
    write(&args.out.join(PAGE), text)
}

fn tell(log: &Log) {
    let Some(last) = log.so_far.batches.last() else { return };
    remark(&format!(
        "{}, {:.0} seconds ({:.0} for the last {}): {} found in {}",
        counted(log.so_far.programs(), "program"),
        log.so_far.seconds(),
        last.seconds,
        last.programs,
        counted(page::causes(&log.so_far.findings).len(), "cause"),
        counted(log.so_far.findings.len(), "program")
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
        ("--progress", args.progress()),
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
        whole::write(&folder.join(format!("{name}.litmus")), text).map_err(failed)?;
    }
    results(&run_args(args, &folder)?)
}

/// The numbers of a batch.
fn summed(made: &Kept, loaded: &[Loaded], results: &[RunResult], start: Instant) -> Batch {
    let mut batch = Batch {
        next: made.seeds.next,
        block: made.seeds.kept,
        programs: made.programs.len() as u64,
        erroneous: made.erroneous,
        large: made.large,
        stuck: made.stuck,
        too_stuck: made.too_stuck,
        idle: made.idle,
        verdicts: BTreeMap::new(),
        iterations: results.iter().map(|r| r.iterations).sum(),
        seen: 0,
        allowed: 0,
        libraries: BTreeMap::new(),
        styles: Styles::of(results, loaded),
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
