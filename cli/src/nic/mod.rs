//! `litmpi nic`: a program of libibverbs with the emulated NIC as its device.

mod args;
mod caught;
mod report;

use crate::{Verdict, leave, remark, say};
pub(crate) use args::NicArgs;
use litmpi_nic::{Adversary, Options, Scheduler, build_front, mutants, run};
use litmpi_spec::diag::{Diagnostic, Report};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) fn nic(args: &NicArgs) -> Result<Verdict, Report> {
    if args.mutants {
        for m in mutants() {
            say(&format!("{:<28} {:<20} {}\n", m.name, m.rule, m.what));
        }
        return Ok(Verdict::Good);
    }
    if args.adversaries {
        for (name, what) in Adversary::all() {
            say(&format!("{name:<12} {what}\n"));
        }
        return Ok(Verdict::Good);
    }
    if let Some(folder) = &args.catch {
        return caught::catch(folder, args.seed);
    }
    if !args.report.is_empty() {
        return report::report(&args.report, args.seed);
    }
    let options = options(args)?;
    if args.probe {
        build_front(&options.out).map_err(|e| Report::from(Diagnostic::general(e)))?;
        say(&format!("litmpi0: litmpi {} NIC, {}\n", env!("CARGO_PKG_VERSION"), options.model));
        return Ok(Verdict::Good);
    }
    let served = run(&options, &args.command)?;
    if args.rules {
        for (rule, times) in served.fired.iter().filter(|(_, n)| *n > 0) {
            remark(&format!("{times:>9} {rule}"));
        }
    }
    match served.status.code() {
        Some(0) => Ok(Verdict::Good),
        // The program's own answer is the command's.
        Some(code) => leave(code),
        None => leave(128 + served.status.signal().unwrap_or(0)),
    }
}

fn options(args: &NicArgs) -> Result<Options, Report> {
    let known: Vec<&str> = Scheduler::ALL.iter().map(|(name, _)| *name).collect();
    let (_, scheduler) = Scheduler::ALL.iter().find(|(name, _)| *name == args.scheduler).ok_or_else(|| {
        Report::from(
            Diagnostic::general(format!("no scheduler is called `{}`", args.scheduler))
                .help(format!("schedulers: {}", known.join(", "))),
        )
    })?;
    Ok(Options {
        model: args.model.clone(),
        variant: args.variant.clone(),
        mutant: args.mutant.clone(),
        seed: args.seed,
        scheduler: *scheduler,
        hold: Duration::from_secs_f64(args.hold / 1e6),
        pause: args.pause,
        adversary: args.adversary.parse().map_err(|e: String| Report::from(Diagnostic::general(e)))?,
        lossy: args.lossy,
        counters: args.counters.then_some(|name, by| say(&format!("litmpi counter nic/{name} {by}\n"))),
        scores: args.scores.clone(),
        trace: args.trace.clone(),
        out: args.out.clone().unwrap_or_else(cache),
    })
}

/// Where the user keeps what can be made again.
pub(crate) fn cache() -> PathBuf {
    litmpi_scratch::cache().unwrap_or_else(|| PathBuf::from("litmpi-out"))
}
