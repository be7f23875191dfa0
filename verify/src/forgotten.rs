//! What the model forgets of a process when a call is over, so that states are one which differ in nothing that anybody will look at.
//!
//! **Memory.** What an element holds that no operation uses any more, the process alone knows, and it may change it at any time. The model
//! looks there only where a call names the element again, and that call brings what the process has there. So nothing is lost if the model
//! forgets what the element held, and litmpi that it knew it: the process has it. Elements of operations that go on, of windows, and of
//! memory that is lent for buffered sends are kept. Many elements are kept, too: to bring them anew at each call would take longer than to
//! look at more states. And where loads and stores are seen of a process that may have several threads nothing is forgotten: another thread may
//! access what a call names before it is known that the call does.
//!
//! **Numbers.** A request has a number that no other one of its process ever had, so that a handle which is used again is told as a copy.
//! Blocking calls have requests of which the process is told nothing, and which are gone when the call is over: nobody can have a copy. The
//! next request may have their numbers, unless something still goes by one (`numbers_in_use` in `spec/mpi/processes.spec`). The rules
//! compare numbers of one process with each other for being the same, and with 0.

use crate::call::Call;
use crate::memory::{Area, Seen};
use crate::rank::Process;
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// More elements than these are not forgotten.
const MANY: usize = 1024;

/// What is forgotten of a process's call when it is over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forgotten {
    /// Elements that are.
    pub(crate) spent: Vec<u64>,
    /// By buffer of which the process has not been told yet: elements that are once it is.
    pub(crate) over: Vec<Vec<u64>>,
    /// The greatest number of a request that the process knows, where others are numbered anew.
    pub(crate) numbers: Option<i64>,
}

impl Tree {
    /// What is forgotten when a call is over, before which this is known of its process.
    pub(crate) fn forgotten(&self, process: &Process, seen: &Seen, call: &Call) -> Forgotten {
        if self.one_way || !self.merges {
            return Forgotten::default();
        }
        let numbers = Some(seen.last_number);
        let is_kept = !seen.windows.is_empty() || !seen.absolute.is_empty() || call.is_persistent;
        let has_threads = self.sees && (self.level > 0 || !process.is_alone());
        if is_kept || has_threads || seen.cells.len() > MANY {
            return Forgotten { numbers, ..Forgotten::default() };
        }
        let needed: BTreeSet<u64> = seen.elements_but_pending().collect();
        let mut pending: BTreeMap<u64, usize> = BTreeMap::new();
        seen.pending.iter().flatten().for_each(|(at, _)| *pending.entry(*at).or_default() += 1);
        let spent = seen.cells.keys().filter(|at| !needed.contains(at) && !pending.contains_key(at)).copied().collect();
        let over = |area: &Area| {
            let own = area.iter().map(|(at, _)| *at).filter(|at| !needed.contains(at) && pending[at] == 1);
            own.collect::<BTreeSet<u64>>().into_iter().collect()
        };
        Forgotten { spent, over: seen.pending.iter().map(over).collect(), numbers }
    }
}
