//! The schedule of a launch: one line an entry, as `main.c` of the harness reads it.

use crate::plan::{Plan, Style};
use crate::stress::Stress;
use crate::target::Target;

/// Seconds that an iteration may be without progress on a target that is not slow.
const PATIENCE: u64 = 10;

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
    /// Everything may take `slow` times longer than elsewhere, unless the user has said how long.
    pub(crate) fn watchdog(&self, plan: &Plan, slow: u32) -> u64 {
        let (times, size) = (u64::from(slow), self.size >> 22);
        match (plan.patience.map(u64::from), self.may_deadlock, self.style) {
            (None, false, Style::Blocking) => times * (PATIENCE + size),
            (None, false, Style::Relaxed) => 2 * self.stuck(plan, slow) / 1000 + times * (PATIENCE + size),
            (Some(patience), false, Style::Blocking) => patience,
            // For what ranks cannot see themselves: they are to find the rest before.
            (Some(patience), false, Style::Relaxed) => patience + 5,
            (patience, true, style) => {
                // As above.
                let usual = times * (size + if style == Style::Relaxed { 3 } else { 1 });
                patience.map_or(usual, |p| p.min(usual))
            }
        }
    }

    /// Milliseconds of silence on all ranks that count as deadlock in relaxed style, when they have been twice as long:
    /// longer than any message of this size takes.
    fn stuck(&self, plan: &Plan, slow: u32) -> u64 {
        let transfer = self.size / 50_000;
        let may = u64::from(slow) * (25 + transfer);
        match (plan.patience.map(u64::from), self.may_deadlock) {
            (None, false) => u64::from(slow) * (500 * PATIENCE + transfer),
            (Some(patience), false) => 500 * patience,
            (patience, true) => patience.map_or(may, |p| may.min(500 * p)),
        }
    }

    /// Milliseconds without progress that count as hanging.
    pub(crate) fn patience(&self, plan: &Plan, slow: u32) -> u64 {
        match self.style {
            Style::Blocking => 1000 * self.watchdog(plan, slow),
            Style::Relaxed => 2 * self.stuck(plan, slow),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_silence_may_last_is_the_targets_or_the_users_and_short_where_deadlock_is_allowed() {
        let plan = |patience| Plan { patience, ..Plan::new(vec![], Default::default(), vec![], "out".into()) };
        let entry = |style, may_deadlock| Entry {
            id: 0,
            test: 0,
            name: String::new(),
            ranks: 2,
            size: 8,
            style,
            may_deadlock,
            start: 0,
            millis: 100,
            stress: Stress::default(),
            scores: None,
        };
        let both = |style, may, patience, slow| {
            let (entry, plan) = (entry(style, may), plan(patience));
            (entry.patience(&plan, slow), entry.watchdog(&plan, slow))
        };
        assert_eq!(both(Style::Blocking, false, None, 1), (10_000, 10));
        assert_eq!(both(Style::Relaxed, false, None, 10), (100_000, 200));
        assert_eq!(both(Style::Relaxed, false, Some(20), 10), (20_000, 25), "what the user says is not made longer");
        assert_eq!(both(Style::Blocking, false, Some(60), 1), (60_000, 60));
        assert_eq!(both(Style::Blocking, true, Some(60), 1), (1000, 1));
        assert_eq!(both(Style::Relaxed, true, Some(60), 10), (500, 30));
        assert_eq!(both(Style::Relaxed, true, Some(5), 10), (500, 5));
    }
}
