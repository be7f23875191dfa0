//! How the ends of queue pairs follow each other, and their programs: which is connected with which, which are in error, and which send queues
//! stand still.

use super::{Context, Engine};
use crate::layout::*;
use crate::queue::{Holding, Queue};
use crate::receives::Taker;
use crate::region::Region;
use crate::request::qp_at;
use crate::rules::Peer;
use crate::window::Link;
use litmpi_spec::diag::Report;
use std::rc::Rc;

impl Engine {
    /// Has ends follow each other, unless everything is as it was when that was last done: programs change words at any time, so somebody must look.
    pub(super) fn follow_ends_if_they_changed(&mut self) -> Result<(), Report> {
        let now = self.how_ends_stand();
        if now == self.stood {
            return Ok(());
        }
        self.follow_ends()?;
        self.stood = self.how_ends_stand();
        // What was done may be the beginning of more, and what could not be done yet is not forgotten.
        if self.stood != now || (0..self.queues.len()).any(|q| self.is_about_to_break(q) || self.is_about_to_turn(q)) {
            self.stood.clear();
        }
        Ok(())
    }

    /// Whether an end is in the error state by its words, and not yet by the rules: something is still in its buffer.
    pub(super) fn is_about_to_break(&self, q: usize) -> bool {
        let queue = &self.queues[q];
        let state = || self.contexts[queue.region].region.get(qp_at(queue.index) + QP_STATE);
        !queue.detached && !queue.is_in_error() && state() == ERR
    }

    /// Whether its program has asked a queue pair to drain, or to go on, or waits for what it has begun.
    fn is_about_to_turn(&self, q: usize) -> bool {
        let queue = &self.queues[q];
        let word = |i: usize| self.contexts[queue.region].region.get(qp_at(queue.index) + i);
        !queue.detached && (word(QP_WANTED) != 0 || word(QP_DRAINING) != 0)
    }

    /// All that following ends looks at.
    fn how_ends_stand(&self) -> Vec<u64> {
        let mut all: Vec<u64> = Vec::with_capacity(5 * self.queues.len() + self.contexts.len());
        let of = |c: &Context| if c.open { c.region.get(GENERATION) << 1 | 1 } else { 0 };
        all.extend(self.contexts.iter().map(of));
        for q in &self.queues {
            let region = &self.contexts[q.region].region;
            let at = qp_at(q.index);
            let word = |i: usize| region.get(at + i);
            let receives = if q.is_in_error() { word(QP_RPOSTED) } else { 0 };
            // A program may have had it in use and reset it again while nobody looked here: then it waits for an answer.
            let answer = if word(QP_STATE) == RESET { word(QP_REACHED) } else { 0 };
            let stands = q.stands() << 8 | word(QP_WANTED) << 4 | word(QP_STATE);
            all.extend([q.generation, word(QP_DEST), receives, answer, stands]);
        }
        all
    }

    /// Connects queue pairs that have another end by now, and has the rules and the programs agree on which are in error: a program puts
    /// its queue pair into that state, or the rules do.
    pub(super) fn follow_ends(&mut self) -> Result<(), Report> {
        let all: Vec<(usize, Rc<Region>, usize)> = (0..self.queues.len())
            .filter(|q| !self.queues[*q].detached)
            .map(|q| (q, Rc::clone(&self.contexts[self.queues[q].region].region), qp_at(self.queues[q].index)))
            .collect();
        for (q, region, at) in &all {
            let state = region.get(at + QP_STATE);
            match self.queues[*q].has_datagrams {
                true if state >= RTR && !self.queues[*q].is_linked() => self.open(*q, region),
                false if state >= RTR && state != ERR => self.connect(*q, region, *at)?,
                _ => {}
            }
            let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
            if state == ERR && !self.queues[*q].is_in_error() {
                self.queues[*q].break_near(&self.rules, &mut holding)?;
            }
        }
        // Before a program is told that its end is in error, the other end knows.
        for (q, ..) in &all {
            let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
            self.queues[*q].notice_far(&self.rules, &mut holding)?;
        }
        for (q, region, at) in &all {
            let queue = &mut self.queues[*q];
            if queue.is_in_error() {
                region.break_queue(*at);
                region.set(at + QP_REACHED, ERR);
                if std::mem::take(&mut queue.is_doomed) {
                    region.event(QP_FATAL, queue.index);
                }
            }
            if region.get(at + QP_STATE) == RESET {
                queue.urgent = !queue.is_still();
                if queue.is_still() {
                    region.set(at + QP_REACHED, STILL as u64 + queue.generation);
                }
            }
        }
        for (q, region, at) in &all {
            self.turn(*q, region, *at)?;
            self.stand_in(*q, region)?;
        }
        Ok(())
    }

    /// Has the rules and the program agree on whether a send queue goes on: a program drains it, or has it begin again; by the rules it is
    /// drained, or stops when a request of an unreliable service fails.
    fn turn(&mut self, q: usize, region: &Region, at: usize) -> Result<(), Report> {
        let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
        let (queue, wanted) = (&mut self.queues[q], region.get(at + QP_WANTED));
        let stops = [SQD, SQE].contains(&queue.near());
        if wanted == 0 && !stops && region.get(at + QP_DRAINING) == 0 {
            return Ok(());
        }
        let can = queue.near() == RTS || stops;
        let is_so = can && wanted != 0 && queue.turn(wanted, &self.rules, &mut holding)?;
        if is_so || stops {
            region.show_state(at, queue.near());
        }
        if is_so && wanted == SQD {
            region.set(at + QP_DRAINING, 1);
        }
        if wanted != 0 && (is_so || !can || wanted == SQD && queue.near() == SQE) {
            region.set(at + QP_WANTED, 0);
        }
        if region.get(at + QP_DRAINING) == 0 {
            return Ok(());
        }
        let is_over = !queue.is_drained();
        if is_over || queue.is_told_drained(&self.rules)? {
            region.set(at + QP_DRAINING, 0);
            if !is_over && region.get(at + QP_TELLS) != 0 {
                region.event(SQ_DRAINED, queue.index);
            }
        }
        Ok(())
    }

    /// Receives of an end are flushed by rules of the queue pair at the other end. If there is none, another stands in for it.
    fn stand_in(&mut self, q: usize, region: &Rc<Region>) -> Result<(), Report> {
        let name = self.queues[q].name();
        if self.queues[q].has_datagrams
            || !self.queues[q].is_in_error()
            || self.queues.iter().any(|o| o.other == Some(name))
        {
            return Ok(());
        }
        let Some(far) = self.ends.state((name.0, name.1), name.2) else { return Ok(()) };
        let receives = self.ends.receives(region, name, false);
        if receives.borrow().taker != Taker::Own || !receives.borrow().has_any() {
            return Ok(());
        }
        let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
        let link = Link { far, receives, peer: Peer::Other };
        let queue = Queue::stand_in(name, &self.rules, &self.shared, link, &mut holding)?;
        self.queues.push(queue);
        Ok(())
    }
}
