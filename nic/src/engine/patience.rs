//! What time does: counters of queue pairs that run out, a link that goes down and comes back, a queue pair that fails by itself.

use super::Engine;
use crate::adversary::OUTAGE;
use crate::layout::*;
use crate::region::Region;
use crate::request::qp_at;
use crate::rules::Timers;
use litmpi_spec::diag::Report;
use std::io::Write;
use std::time::{Duration, Instant};

/// As long as nobody waits.
const FOREVER: Duration = Duration::from_secs(1 << 30);
/// How long programs that find each other may take at least, however short a queue pair's timers are.
const SOON: Duration = Duration::from_millis(50);

impl Engine {
    /// Tells programs of a link that has gone down or come back.
    pub(super) fn follow_wire(&mut self, now: Instant) {
        if !self.wire.changes(now, &mut self.rng) {
            return;
        }
        let is_down = self.wire.is_down();
        for context in self.contexts.iter().filter(|c| c.open) {
            context.region.set(PORT_DOWN, u64::from(is_down));
            context.region.event(if is_down { PORT_ERR } else { PORT_ACTIVE }, 1);
        }
        self.queues.iter_mut().filter(|q| q.other.is_some()).for_each(|q| q.alone = None);
        if let Some(trace) = &mut self.trace {
            let _ = writeln!(trace, "link {}", if is_down { "down" } else { "up" });
        }
    }

    /// The timers of a queue pair, which its program sets before the first request, and may change later.
    pub(super) fn set_timers(&mut self, q: usize, region: &Region) -> Result<(), Report> {
        let word = |i: usize| region.get(qp_at(self.queues[q].index) + i);
        let there = self.queues[q]
            .other
            .map_or(0, |(number, index, _)| self.contexts[number].region.get(qp_at(index) + QP_RNR_TIME));
        let times = |time: u64, n: u64| Duration::from_nanos(time.saturating_mul(n)).min(FOREVER);
        let (time, retries) = (word(QP_ANSWER_TIME), word(QP_RNR_RETRY));
        let answer = if time == 0 { FOREVER } else { times(time, word(QP_RETRY).saturating_add(1)) };
        let few = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let timers = Timers {
            answer,
            receive: times(there, retries),
            answer_again: times(time, 1),
            answers_again: if time == 0 { 0 } else { few(word(QP_RETRY)) },
            receive_again: times(there, 1),
            receives_again: few(retries),
        };
        self.queues[q].set_timers(&self.rules, retries, timers)
    }

    /// Whether a request has waited for the other end to be there for as long as its program would.
    pub(super) fn is_given_up(&mut self, q: usize, region: &Region) -> bool {
        let word = |i: usize| region.get(qp_at(self.queues[q].index) + i);
        let (time, times) = (word(QP_ANSWER_TIME), word(QP_RETRY).saturating_add(1));
        let since = *self.queues[q].alone.get_or_insert_with(Instant::now);
        let patience = Duration::from_nanos(time.saturating_mul(times));
        let is_out = self.queues[q].other.is_some();
        time != 0 && since.elapsed() > if is_out { patience.min(OUTAGE) } else { patience.max(SOON) }
    }

    /// A queue pair, or the one at its other end, goes into the error state by itself, as InfiniBand's devices say (vol. 1 §11.6.3.2).
    pub(super) fn end_by_itself(&mut self, q: usize) -> Result<(), Report> {
        let other = self.queues[q].other.filter(|_| self.rng.below(2) == 0);
        let which = other.and_then(|name| self.queues.iter().position(|o| o.name() == name && !o.is_stand_in));
        let of = &mut self.queues[which.unwrap_or(q)];
        of.is_doomed = true;
        self.contexts[of.region].region.break_queue(qp_at(of.index));
        self.follow_ends()?;
        Ok(())
    }
}
