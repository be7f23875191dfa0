//! When a process is told what its windows hold, into which others write.
//!
//! A process whose loads are not seen is told behind every call that waits or synchronises: it may look right behind it. It then goes on
//! by what others had written by then, so that each of its calls depends on each of their accesses, although most processes hardly ever look.
//!
//! Where all loads and stores of a program are seen ([`crate::instrumented`]), the process asks when it accesses such memory for the first time since
//! such a call: the library in C makes a call of its own then (`look` in `verify/c/library.c`), in which the process is told what the memory holds
//! now. Until then it does not matter to it. Behind calls by which the memory comes to be the process's own again ([`TELL`]) it is told at once.
//!
//! Not so on a way that is gone at random, where it would save nothing, nor for shared windows, whose stores are seen one by one, nor in a program that has threads: what
//! another thread accesses could not be asked for there.

use crate::call::{Call, Refused, Scene};
use crate::layout::SHARED;
use crate::local::is_local;
use crate::memory::Seen;
use std::collections::BTreeSet;

/// What the library in C calls before the process accesses memory of windows.
pub(crate) const LOOK: &str = "look";
/// Calls behind which a process is told at once: memory of a window is its own again, or it ends.
const TELL: [&str; 4] = [LOOK, "MPI_Win_free", "MPI_Win_detach", "MPI_Finalize"];

impl Scene<'_> {
    /// Notes of which elements of windows the process is told behind a call.
    pub(crate) fn tells_of_windows(&self, name: &str, seen: &mut Seen, call: &mut Call) {
        if is_local(name) || seen.watched.is_empty() {
            return;
        }
        let sees_all = || self.process.accesses.seen && self.process.file().is_seen;
        let later = self.may_look && !self.one_way && !TELL.contains(&name) && sees_all();
        let known = seen.watched.keys().filter_map(|at| seen.cells.get(at).map(|(_, v)| (*at, *v)));
        let (told, left): (Vec<_>, Vec<_>) = known.partition(|(at, _)| !later || SHARED.contains(at));
        (call.watched, seen.unlooked) = (told, !left.is_empty());
    }

    /// Reads a call by which the process looks.
    pub(crate) fn look(&self, mut call: Call, seen: &mut Seen) -> Result<Call, Refused> {
        self.touched(seen, &mut BTreeSet::new(), &mut call)?;
        // Whether operations on its own buffers are complete it does not ask.
        call.only_begins = true;
        self.tells_of_windows(LOOK, seen, &mut call);
        Ok(call)
    }
}
