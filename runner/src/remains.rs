//! What a litmpi that was killed has left behind: folders of its launches, and processes that carry its mark. It could not
//! clear that away itself; the next one does.

use crate::process::{kill_marked, marked};
use litmpi_scratch::{Cleared, shared, temporary};

/// What was cleared away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remains {
    /// Folders that were removed.
    pub folders: Vec<Cleared>,
    /// How many processes were ended.
    pub processes: usize,
}

/// Clears away what litmpis of this user have left that were killed.
pub fn clear() -> Remains {
    let mut remains = Remains::default();
    let mut end = |mark: &str| {
        remains.processes += marked(mark).len();
        kill_marked(mark);
    };
    let mut folders = litmpi_scratch::clear(&temporary(), &mut end);
    if shared() != temporary() {
        folders.extend(litmpi_scratch::clear(&shared(), &mut end));
    }
    Remains { folders, ..remains }
}
