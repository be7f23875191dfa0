//! What is done for a program whose behaviours are too many: where the search of all of them hits a bound and has found nothing, some are
//! followed at random.
//!
//! A search goes through what differs early first, so that one that is cut has seen many beginnings and few ends, and ends are where
//! programs fail. Behaviours at random come to the end each. They are told by their number and their seed, and that there are others is
//! told, too: the verdict stays open.

use crate::explore::{Run, Stopped, explored};
use crate::report::{Beside, Verdict};
use crate::sample::Sample;
use crate::turns::REFUSALS;
use crate::watch::Watcher;
use litmpi_engine::search::{Bound, Bounds, Clock};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Seconds that they may take at least.
const LEAST: u64 = 10;
/// Steps of one of them: the bound of a search says nothing of how long a way is.
const STEPS: usize = 1_000_000;

/// States of a search through four times as many refusals of each rank's tests, at most.
const MANY_STATES: usize = 50_000;

/// Explores a program.
///
/// # Errors
/// The program cannot be run; a rule cannot be evaluated.
pub fn explore(run: &Run) -> Result<Verdict, Stopped> {
    explore_with(run, &mut ())
}

/// The same, for who wants to see the processes of one behaviour that is followed again.
///
/// # Errors
/// As [`explore`].
pub fn explore_with(run: &Run, watcher: &mut dyn Watcher) -> Result<Verdict, Stopped> {
    let begun = Instant::now();
    let mut verdict = explored(run, REFUSALS[0], watcher)?;
    for refusals in &REFUSALS[1..] {
        if !is_worth_more(run, &verdict) {
            break;
        }
        let more = explored(run, *refusals, watcher)?;
        if !more.is_wrong() && !more.is_well() && !more.gives_up() {
            break;
        }
        verdict = more;
    }
    // What a process is known to do in the end is no bound that can be lived with.
    let given_up = verdict.refusals.iter().filter(|r| r.gives_up.is_some());
    verdict.unsupported.extend(given_up.map(ToString::to_string));
    verdict.refusals.retain(|r| r.gives_up.is_none());
    if let Some(beside) = run.beside.filter(|_| is_wanted(run, &verdict)) {
        follow(run, beside, begun.elapsed(), &mut verdict)?;
    }
    Ok(verdict)
}

/// Whether a search was cut, nothing is known that is wrong, and nobody asked for an end.
fn is_wanted(run: &Run, verdict: &Verdict) -> bool {
    let follows_all = run.sample.is_none() && run.again.is_none();
    let cut = Bound::stopped(&verdict.bounds) && !verdict.bounds.contains(&Bound::Interrupted);
    follows_all && cut && !verdict.is_wrong() && verdict.unsupported.is_empty()
}

/// Whether a program is to be followed through more refusals of its tests: nothing else is open, and there will not be too many states.
fn is_worth_more(run: &Run, verdict: &Verdict) -> bool {
    let follows_all = run.sample.is_none() && run.again.is_none();
    let ranks: BTreeSet<usize> = verdict.refusals.iter().filter(|r| r.changes).map(|r| r.rank).collect();
    let more = u32::try_from(2 * ranks.len()).ok().and_then(|n| verdict.states.checked_shl(n));
    let is_open = verdict.is_wrong() || !verdict.complete || !verdict.unsupported.is_empty();
    follows_all && !is_open && !ranks.is_empty() && more.is_some_and(|states| states <= MANY_STATES)
}

/// Follows behaviours at random, for no longer than the search took, and adds what they come to.
fn follow(run: &Run, of: Sample, took: Duration, verdict: &mut Verdict) -> Result<(), Stopped> {
    let seconds = u32::try_from(took.as_secs().max(LEAST)).unwrap_or(u32::MAX);
    let bounds = Bounds { states: STEPS, clock: Some(Clock::of(seconds)), ..run.bounds };
    let found = explored(&Run { sample: Some(of), bounds, ..run.clone() }, REFUSALS[0], &mut ())?;
    // The last one is not at its end where the time was.
    let is_late = !found.is_wrong() && found.bounds.iter().any(|b| matches!(b, Bound::Seconds(_) | Bound::Interrupted));
    let behaviours = found.sampled.unwrap_or_default() - usize::from(is_late);
    let endless = found.bounds.iter().filter(|b| matches!(b, Bound::States(_) | Bound::Bytes(_))).count();
    verdict.beside = Some(Beside { behaviours, endless, seed: of.seed, found: found.is_wrong() });
    if found.bounds.contains(&Bound::Interrupted) {
        verdict.bounds.push(Bound::Interrupted);
    }
    verdict.ends.extend(found.ends);
    verdict.findings = found.findings;
    verdict.written = found.written;
    Ok(())
}
