//! What a process had written when it ended badly.
//!
//! While all behaviours are followed, nobody listens to what processes write: they are copied again and again, and most of what they write is
//! written in many copies. So the process of a bad end is run once more, alone and with the same answers, and what it writes then is kept.

use crate::rank::{Written, last_lines};
use crate::tree::{Next, Tree};

impl Tree {
    /// The last lines that the process of a place wrote, if it has ended there.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn wrote(&mut self, place: usize) -> Result<Vec<String>, String> {
        if !matches!(self.places[place].next, Next::Exit { .. } | Next::Killed(_)) {
            return Ok(vec![]);
        }
        // Processes that wait were started when nobody listened.
        let mut at = place;
        while let Some((before, _)) = self.places[at].parent {
            self.places[before].process = None;
            at = before;
        }
        let rank = self.places[place].rank;
        self.stage.written = Some((0..=rank).map(|_| Written::default()).collect());
        // One that does something else now is told as that.
        drop(self.at(rank, Some(place))?);
        let text = self.stage.written.take().map_or(String::new(), |w| w[rank].text());
        Ok(last_lines(&text))
    }
}
