//! What a litmpi that was killed has left behind: folders of its launches, and processes that carry its mark. It could not
//! clear that away itself; the next one does.
//!
//! Whoever has a folder keeps it [locked](keep), and the system takes the lock away with the process. So what is in use is
//! told from what is not even where processes cannot see each other, as in containers that share a folder.

use crate::process::{kill_marked, marked};
use rustix::process::{Pid, test_kill_process};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What was cleared away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Remains {
    /// Folders that were removed.
    pub folders: usize,
    /// Processes that were ended.
    pub processes: usize,
}

/// Clears away what others have left that were killed.
pub fn clear() -> Remains {
    let mut remains = Remains::default();
    for folder in [std::env::temp_dir(), PathBuf::from("/dev/shm")] {
        let Ok(all) = std::fs::read_dir(folder) else { continue };
        let mut all: Vec<PathBuf> = all.flatten().map(|e| e.path()).collect();
        all.sort();
        for path in all {
            let Some((pid, mark)) = owner(&path) else { continue };
            if is_alive(pid) || keep(&path).is_none() {
                continue;
            }
            for mark in &[mark, format!("lab-{pid}")] {
                remains.processes += marked(mark).len();
                kill_marked(mark);
            }
            remains.folders += usize::from(std::fs::remove_dir_all(&path).is_ok());
        }
    }
    remains
}

/// Locks a folder for as long as the file is held; none if another process has it.
pub(crate) fn keep(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// The process that a folder is named after, and its mark.
fn owner(path: &Path) -> Option<(i32, String)> {
    let mark = path.file_name()?.to_str()?.strip_prefix("litmpi-")?;
    let (pid, _) = mark.split_once('-')?;
    let pid = pid.bytes().all(|b| b.is_ascii_digit()).then(|| pid.parse().ok()).flatten()?;
    path.is_dir().then(|| (pid, mark.to_owned()))
}

/// Whether a litmpi has this number. Another program may have it after that has ended.
fn is_alive(pid: i32) -> bool {
    let gone = Pid::from_raw(pid).is_some_and(|p| test_kill_process(p) == Err(rustix::io::Errno::SRCH));
    let name = || std::fs::read_to_string(format!("/proc/{pid}/comm"));
    !gone && name().is_ok_and(|n| n.starts_with("litmpi"))
}
