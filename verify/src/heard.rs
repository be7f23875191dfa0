//! Whether a process ends badly once more, and what it had written then.
//!
//! While all behaviours are followed, nobody listens to what processes write: they are copied again and again, and most of what they write is
//! written in many copies. So the process of a bad end is run once more, alone and with the same answers, and what it writes then is kept.
//!
//! One that does something else then was not alone before: all copies of a process, in all behaviours, share the files that they write and the memory that
//! they map as shared. Its end is no behaviour of the program for certain, and is told as that.

use crate::rank::{Written, last_lines};
use crate::tree::{Next, Tree};

/// A process that was run once more.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// The last lines that it wrote, if it has ended.
    pub(crate) wrote: Vec<String>,
    /// What it did, if that was something else.
    pub(crate) differs: Option<String>,
}

impl Tree {
    /// The process of a place once more, if it has ended there, or aborts.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn once_more(&mut self, place: usize) -> Result<Again, String> {
        let wanted = match &self.places[place].next {
            Next::Exit { code, .. } => format!("Exit({code})"),
            Next::Killed(signal) => format!("Killed({signal})"),
            Next::Call(_) => String::new(),
            _ => return Ok(Again::default()),
        };
        // Processes that wait were started when nobody listened.
        self.places[place].process = None;
        let mut at = place;
        while let Some((before, _)) = self.places[at].parent {
            self.places[before].process = None;
            at = before;
        }
        let rank = self.places[place].rank;
        self.stage.written = Some((0..=rank).map(|_| Written::default()).collect());
        let differs = match self.at(rank, Some(place))? {
            Err(now) if now == wanted => None,
            Err(now) => Some(now),
            Ok(_) => None,
        };
        let text = self.stage.written.take().map_or(String::new(), |w| w[rank].text());
        let wrote = if wanted.is_empty() { vec![] } else { last_lines(&text) };
        Ok(Again { wrote, differs })
    }
}
