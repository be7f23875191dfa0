//! What a process denies: that it has stored to its window since it last synchronised it (`MPI_MODE_NOSTORE`). That can be held against it only where
//! its window is looked at as a whole, whatever others name of it.

use crate::call::{Arg, Call, Refused, Scene};
use crate::memory::Seen;
use litmpi_spec::decl::Param;

/// The bit of the assertion.
const NOSTORE: i64 = 2;

impl Scene<'_> {
    /// Has all of a window of the process watched, where a call denies that the process has stored to it.
    pub(crate) fn denies(&mut self, params: &[Param], call: &Call, seen: &mut Seen) -> Result<(), Refused> {
        let number = |name: &str| {
            let at = params.iter().position(|p| p.name == name)?;
            if let Arg::Int(v) = call.args[at] { Some(v) } else { None }
        };
        let (Some(win), Some(NOSTORE..)) = (number("win"), number("assert").map(|assert| assert & NOSTORE)) else {
            return Ok(());
        };
        let mut ranks = (0..).map_while(|rank| self.target(win, rank));
        if let Some((window, rank)) = ranks.find(|(_, rank)| *rank == self.rank) {
            let grew = self.windows.watch_all(&window, rank, self.values);
            self.grew(grew, seen)?;
        }
        Ok(())
    }
}
