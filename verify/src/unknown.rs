//! How processes go on that a search has asked for.

use crate::explore::{Explorer, Stopped, Went};
use crate::tree::{Model, Place};
use litmpi_engine::unfold::Asked;
use litmpi_spec::heap::Word;

impl Place {
    /// Whether the process is in the same call as at another place, at the same place of the program.
    fn is_in_call_of(&self, other: &Place) -> bool {
        let called = |place: &Place| place.waiting().map(|(call, _)| (call.function, call.site));
        called(self).is_some() && called(self) == called(other)
    }
}

impl Explorer<'_> {
    /// Where a process asks again that a test has refused, if it is not known what it does when it is refused once more. It is followed there at
    /// once: a search would come one refusal further each time.
    fn asks_again(&self, refused: &Asked, number: usize) -> Option<usize> {
        let from = self.places.get(&(refused.thread, refused.place))?;
        let place = &self.tree.places[number];
        let is_known = self.tree.one_way || place.then.contains_key(&refused.told);
        let asks =
            !is_known && place.is_in_call_of(&self.tree.places[*from]) && self.tree.is_refused(*from, &refused.told);
        self.asks.get(&number).copied().filter(|_| asks)
    }

    /// Finds out how a process goes on that was asked for; nothing, if the model is to be made anew.
    fn goes(&mut self, one: &Asked, state: &[Word]) -> Result<Option<usize>, Stopped> {
        let from = self.places.get(&(one.thread, one.place)).copied();
        if let Some(from) = from.filter(|_| self.tree.one_way)
            && (self.tree.is_time_to_ask(from) || self.layout.is_tight(one.thread))
        {
            self.release(one.thread, from, &one.told, state);
        }
        let model = Model { machine: self.model.machine(), layout: &self.layout, state };
        let number = match self.tree.follow(one.thread, from, &one.told, model)? {
            Ok(number) => number,
            Err(why) => {
                self.begin_again(why)?;
                return Ok(None);
            }
        };
        // From there another process goes on as this one will.
        if let Some(code) = self.code.get(&number) {
            self.model.machine_mut().goes_on(one, *code);
        } else if let Went::Anew = self.add(number, one)? {
            return Ok(None);
        }
        if let Went::Anew = self.watch()? {
            return Ok(None);
        }
        // The rank is at the end of this call still.
        let before = from.and_then(|p| self.tree.places[p].parent.as_ref()).map(|(p, _)| *p);
        if let Some(before) = before {
            self.pass(one.thread, before);
        }
        Ok(Some(number))
    }

    /// Finds out how processes go on that were asked for.
    pub(crate) fn find_out(&mut self, asked: &[(Asked, Vec<Word>)]) -> Result<Went, Stopped> {
        for (one, state) in asked {
            let mut one = one.clone();
            loop {
                let Some(number) = self.goes(&one, state)? else { return Ok(Went::Anew) };
                let Some(again) = self.asks_again(&one, number) else { break };
                one.place = again;
            }
        }
        Ok(Went::On)
    }
}
