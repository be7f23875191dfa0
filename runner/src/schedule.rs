//! The schedule of a launch: one line an entry, as `main.c` of the harness reads it.

use crate::plan::{Plan, Style};
use crate::stress::Stress;
use crate::target::Target;

/// One test under one set of conditions.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Names it in the program's output.
    pub(crate) id: usize,
    /// Index into the plan's tests.
    pub(crate) test: usize,
    /// The program's name for the test.
    pub(crate) name: String,
    pub(crate) ranks: usize,
    /// Bytes a value.
    pub(crate) size: u64,
    pub(crate) style: Style,
    pub(crate) may_deadlock: bool,
    /// First iteration still to be run, and time still to be spent: less after a hang.
    pub(crate) start: u64,
    pub(crate) millis: u64,
    pub(crate) stress: Stress,
    /// What it follows; nothing if it goes freely.
    pub(crate) scores: Option<Scores>,
}

/// Some of the launch's scores, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scores {
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// How often each.
    pub(crate) turns: usize,
}

impl Entry {
    /// Seconds after which the ranks themselves call an iteration hung. Where deadlock is an allowed outcome, a
    /// false alarm does no harm, and each hang costs this long.
    /// Everything may take `slow` times longer than elsewhere.
    pub(crate) fn watchdog(&self, plan: &Plan, slow: u32) -> u64 {
        u64::from(slow) * self.usual_watchdog(plan, slow)
    }

    fn usual_watchdog(&self, plan: &Plan, times: u32) -> u64 {
        let slow = self.size >> 22;
        match (self.style, self.may_deadlock) {
            (Style::Blocking, true) => 1 + slow,
            (Style::Blocking, false) => u64::from(plan.patience) + slow,
            // The ranks find deadlocks themselves; this is for what they cannot see: calls that cannot be given up.
            (Style::Relaxed, true) => 3 + slow,
            (Style::Relaxed, false) => 2 * self.stuck(plan, times) / 1000 / u64::from(times) + 10 + slow,
        }
    }

    /// Milliseconds of silence on all ranks that count as deadlock in relaxed style: longer than any message of
    /// this size takes.
    fn stuck(&self, plan: &Plan, slow: u32) -> u64 {
        let transfer = self.size / 50_000;
        u64::from(slow) * if self.may_deadlock { 25 + transfer } else { 500 * u64::from(plan.patience) + transfer }
    }

    /// The line.
    pub(crate) fn line(&self, plan: &Plan, target: &Target) -> String {
        let variant = target.variants.get(&plan.variant).map_or("", String::as_str);
        let line = format!(
            "id={} test={} block={} style={} iterations={} millis={} seed={} start={} delay={} delay_max={} \
             watchdog={} stuck={} hangs={} loop={}",
            self.id,
            self.name,
            (self.size / 4).max(1),
            self.style.word(),
            self.scores.map_or(plan.budget.iterations, |s| (s.count * s.turns) as u64),
            self.millis,
            plan.seed,
            self.start,
            if self.scores.is_some() { 0.0 } else { plan.delay.chance },
            plan.delay.max_micros,
            self.watchdog(plan, target.slow.max(1)),
            self.stuck(plan, target.slow.max(1)),
            if self.may_deadlock { plan.budget.deadlocks } else { 1 },
            plan.budget.loop_turns,
        );
        let line = match self.scores {
            Some(Scores { first, count, .. }) => format!("{line} score={first}:{count}"),
            None if self.stress.is_none() => line,
            None => format!("{line} stress={}", self.stress),
        };
        if variant.is_empty() { line } else { format!("{line} {variant}") }
    }
}

/// The schedule's text. `launch` counts the launches of a target, so that each has its own placement of ranks.
pub(crate) fn schedule(entries: &[Entry], plan: &Plan, target: &Target, launch: u64) -> String {
    let mut out = String::new();
    if plan.permute {
        // Not 0, which means no permutation.
        out.push_str(&format!("placement={}\n", placement(plan, launch)));
    }
    for e in entries {
        out.push_str(&e.line(plan, target));
        out.push('\n');
    }
    out
}

/// The seed of a launch's placement of ranks.
pub(crate) fn placement(plan: &Plan, launch: u64) -> u64 {
    plan.seed.wrapping_mul(1000).wrapping_add(launch).max(1)
}
