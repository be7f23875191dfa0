//! How far a run is, of the whole of it: a bar on a terminal, else a line now and then, with the time that is left.

use crate::progress::Bar;
use crate::remark;
use litmpi_runner::{Event, Plan, RunResult, size_name};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Where nobody looks at a bar, a line says how far a run is this often.
const EVERY: Duration = Duration::from_secs(30);

/// The course of a run.
pub(crate) struct Course {
    bar: Bar,
    state: RefCell<State>,
    /// Results are told one by one.
    each: bool,
}

struct State {
    /// Results of plans that are done.
    before: u64,
    /// Of the plan that is under way: how many results there are, and how many it will have.
    here: u64,
    of: u64,
    all: u64,
    /// Targets whose first launch was scheduled: what is scheduled later, to be directed or tried again, comes on top.
    scheduled: BTreeSet<String>,
    since: Instant,
    said: Instant,
}

impl Course {
    /// Of these plans; `each` result is told as it comes, if it is to be.
    pub(crate) fn new(plans: &[Plan], each: bool) -> Course {
        let all = plans.iter().map(results).sum();
        let now = Instant::now();
        let state = State { before: 0, here: 0, of: 0, all, scheduled: BTreeSet::new(), since: now, said: now };
        Course { bar: Bar::new(all, "running"), state: RefCell::new(state), each }
    }

    /// The next plan begins.
    pub(crate) fn begin(&self, plan: &Plan) {
        let mut s = self.state.borrow_mut();
        s.before += s.of;
        (s.here, s.of) = (0, results(plan));
        s.scheduled.clear();
        self.bar.stand_at(s.before);
    }

    /// Something happened.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::Scheduled { target, runs } => {
                let mut s = self.state.borrow_mut();
                if !s.scheduled.insert(target.clone()) {
                    s.of += *runs as u64;
                    s.all += *runs as u64;
                    self.bar.lengthen(*runs as u64);
                }
            }
            Event::Begun { target, test, size, .. } => {
                self.bar.say(&format!("{test} on {target}, {}", size_name(*size)));
            }
            Event::Ended { .. } => self.step(),
            Event::Finished(r) => {
                // What did not run has not ended either.
                if !r.ran() {
                    self.step();
                }
                self.told(r);
            }
            Event::Broke { target, test: None, what } => {
                remark(&format!("note: {target}: {what}; what is left is begun anew"));
            }
            _ => {}
        }
    }

    /// Tells something beside the bar.
    pub(crate) fn aside(&self, tell: impl FnOnce()) {
        self.bar.aside(tell);
    }

    /// The run is over.
    pub(crate) fn finish(&self) {
        self.bar.finish();
    }

    fn told(&self, r: &RunResult) {
        if self.each && !r.is_bad() {
            let (word, size) = (r.verdict.word(), size_name(r.size));
            let line = format!("{word:>11} {} on {}, {size}, {}", r.test, r.target, r.style.word());
            self.aside(|| remark(&line));
        }
    }

    fn step(&self) {
        let mut s = self.state.borrow_mut();
        if s.here < s.of {
            s.here += 1;
            self.bar.advance("");
        }
        if s.said.elapsed() > EVERY && !std::io::stderr().is_terminal() {
            s.said = Instant::now();
            let done = s.before + s.here;
            remark(&format!("progress: {done} of {} results, {} left", s.all, left(s.since.elapsed(), done, s.all)));
        }
    }
}

/// How many results a plan will have, if none is tried again.
fn results(plan: &Plan) -> u64 {
    let of = |t: &litmpi_runner::Target| plan.tests.iter().map(|p| plan.entries_of(p, t) as u64).sum::<u64>();
    plan.targets.iter().map(of).sum::<u64>() * plan.sizes.len() as u64
}

/// The time that is left, if what is to come is as what was.
fn left(since: Duration, done: u64, all: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let seconds = since.as_secs_f64() / done.max(1) as f64 * all.saturating_sub(done) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is positive, and far from 2^64")]
    let seconds = seconds.ceil() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_that_of_the_whole() {
        assert_eq!(left(Duration::from_secs(10), 10, 20), "10 s");
        assert_eq!(left(Duration::from_secs(60), 10, 120), "11 min 0 s");
        assert_eq!(left(Duration::from_secs(3600), 1, 3), "2 h 0 min");
        assert_eq!(left(Duration::from_secs(5), 3, 3), "0 s");
    }
}
