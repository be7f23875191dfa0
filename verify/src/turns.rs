//! Tests that say no: how often a process may ask again before it is taken to wait.

use crate::call::{Call, Refused};
use crate::tree::{Model, Next, Place, Tree};

/// How often a test at one place of a program says no, one time after the other, before the program is taken to wait there: where what it
/// waits for comes, another execution looks later.
pub(crate) const TURNS: u32 = 2;
/// The same where the process's memory is known to change, so that it may do something else in the end; where it does not change, the
/// process goes round. A program of which nothing else is open is explored again with the next number, if that does not have too many states.
pub(crate) const REFUSALS: [u32; 3] = [8, 32, 128];
/// Where such a test is all that is left to wait for, the process is followed through four times as many refusals, up to so many. One that
/// asks even then is taken to ask for ever.
const MOST_TURNS: u32 = 512;
/// Of a process that goes one way only: how often a test says no while no other process comes further, until it is looked at whether this one changes; if it
/// does, it is followed until tests have said no so often in all. If no other process came further in the second half of these, it is taken to ask for ever.
pub(crate) const MANY_TURNS: u32 = 1000;
const MOST_TURNS_OF_ALL: u32 = 20_000;
/// The rules' `UNDEFINED`: what a call says that waits for some of several requests, of which none is active.
const UNDEFINED: i64 = -1;

/// How often a test said no, one time after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turns {
    pub(crate) all: u32,
    /// Since another process came further, of a process that goes one way only.
    alone: u32,
    /// How far others had come then.
    others: usize,
    /// What the process was when this was last looked at.
    digest: Option<u128>,
}

impl Tree {
    /// Follows a process that is taken to wait in the test of a place through more refusals; false if it does not wait there, or was
    /// followed through as many as there may be.
    pub(crate) fn goes_on_testing(&mut self, test: usize, model: Model<'_>) -> Result<Result<bool, Refused>, String> {
        let waits =
            |(_, to): &(&Vec<i64>, &usize)| self.places[**to].may_go_on() && self.places[**to].limit < MOST_TURNS;
        let waiting: Vec<(Vec<i64>, usize)> =
            self.places[test].then.iter().filter(waits).map(|(told, to)| (told.clone(), *to)).collect();
        for (told, number) in &waiting {
            let mut place = self.begun(self.places[test].rank, Some(test), told);
            place.limit = 4 * self.places[*number].limit.max(self.refusals);
            place.turns.clone_from(&self.places[*number].turns);
            if let Err(why) = self.goes_to(Some(test), told, model, &mut place)? {
                return Ok(Err(why));
            }
            if place.process.is_some() {
                self.waiting.push(*number);
            }
            self.places[*number] = place;
        }
        Ok(Ok(!waiting.is_empty()))
    }

    /// Whether a call is a test that says no.
    pub(crate) fn is_refused(&self, at: usize, told: &[i64]) -> bool {
        let Next::Call(call) = &self.places[at].next else { return false };
        self.refusal(call).is_some_and(|(out, no)| told.get(call.told_at(out)) == Some(&no))
    }

    /// Which of what a call gives back says that a process may ask again, and by what: a test says 0. Of a process that goes one way, one that waits for
    /// some of its requests and has none asks again, too.
    fn refusal(&self, call: &Call) -> Option<(usize, i64)> {
        let none = call.says_none.filter(|_| self.one_way);
        call.asks.map(|out| (out, 0)).or(none.map(|out| (out, UNDEFINED)))
    }

    /// What a process does that comes to a place behind this one, if a test said no more often than is followed, or if the process goes round.
    pub(crate) fn waits(&mut self, at: usize, told: &[i64], place: &mut Place) -> Option<Next> {
        if self.one_way && self.rounds.told(place.rank, self.places[at].site, told, || self.places[at].digest(true)) {
            return Some(Next::Waits { changes: false });
        }
        let Next::Call(call) = &self.places[at].next else { return None };
        self.refusal(call)?;
        if !self.is_refused(at, told) {
            place.turns.clear();
            return None;
        }
        let turns = place.turns.entry((call.function, call.site)).or_default();
        turns.all += 1;
        if self.one_way {
            let others = self.rounds.others(place.rank);
            turns.alone = if turns.others == others { turns.alone + 1 } else { 1 };
            turns.others = others;
            if turns.all > MOST_TURNS_OF_ALL {
                return Some(Next::Waits { changes: turns.alone < MOST_TURNS_OF_ALL / 2 });
            }
            // What the process is is looked at twice, one time after the other, and then again when it has been refused twice as often.
            let times = turns.alone / place.limit;
            let is_looked_at = times.is_power_of_two() && turns.alone % place.limit <= 1;
            if !is_looked_at {
                return None;
            }
            let now = self.places[at].digest(true);
            let is_same = now.is_some() && now == turns.digest;
            turns.digest = now;
            return is_same.then_some(Next::Waits { changes: false });
        }
        if turns.all <= place.limit {
            return None;
        }
        let changes = self.merges && self.places[at].digest(false).is_some();
        (!changes || turns.all > self.refusals).then_some(Next::Waits { changes })
    }
}
