//! What a process does that is refused for longer than is followed: whether it asks for ever, as a loop does that only counts, or gives up.

use crate::rank::Event;
use crate::tree::{Next, Tree};

/// So many refusals are tried on a copy of the process, one after the other.
const LONG: u32 = 4096;

impl Tree {
    /// A process that is refused in the call of a place, again and again: after how many refusals it does something else than ask again, in the
    /// same call with the same arguments. Nothing if it does not, or if there are other calls between two of its questions.
    pub(crate) fn gives_up(&mut self, place: usize, told: &[i64]) -> Result<Option<u32>, String> {
        let Next::Call(call) = &self.places[place].next else { return Ok(None) };
        let (rank, asks) = (self.places[place].rank, (call.function, call.site));
        let Ok(mut process) = self.at(rank, Some(place))? else { return Ok(None) };
        let mut seen = self.places[place].seen.clone();
        let mut began = (self.places[place].initialized, self.places[place].finalized);
        let mut first: Option<Vec<u64>> = None;
        for refusals in 0..LONG {
            let returned = self.tell(place, told, &mut process, &mut seen)?;
            process.answer(returned)?;
            let again = match self.event(&mut process, &mut began)? {
                Event::Call { function, args, site } => ((function, site) == asks).then_some(args),
                _ => None,
            };
            let is_same = again.as_ref().is_some_and(|args| first.as_ref().is_none_or(|first| first == args));
            if !is_same {
                return Ok((refusals > 0).then_some(refusals + 1));
            }
            first = again;
        }
        Ok(None)
    }
}
