//! Folders of one process, and what is left of them.

use crate::nameable;
use rustix::process::{Pid, geteuid, test_kill_process};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The file that tells a folder of litmpi's from all others, and its first line.
const MARKER: &str = ".litmpi";
const WORDS: &str = "a folder of litmpi's own: it goes when the process ends, or when a later litmpi finds it\n";

/// A marker is never longer.
const LONGEST: u64 = 4096;

/// So long a folder is taken away again where something new appears in it.
const LATE: Duration = Duration::from_secs(2);

/// A folder of this process alone, which goes when this is dropped.
#[derive(Debug)]
pub struct Folder {
    folder: TempDir,
    /// The marker, locked: the system takes the lock away with the process, so what is in use is told from what is not even
    /// where processes cannot see each other, as in containers that share a folder.
    _marker: File,
}

impl Folder {
    /// Makes a folder `litmpi-PROCESS-RANDOM`, open to this user alone. `marks` are the marks of processes that are to
    /// end when the folder is cleared away.
    ///
    /// # Errors
    /// What the file system says.
    pub fn make(parent: &Path, marks: &[&str]) -> Result<Folder> {
        nameable(parent)?;
        let prefix = format!("litmpi-{}-", std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(12).permissions(PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(parent)?;
        let mut options = OpenOptions::new();
        let mut marker = options.write(true).create_new(true).mode(0o600).open(folder.path().join(MARKER))?;
        // Until it is locked it says nothing, so that nobody takes the folder for one that was left.
        marker.try_lock()?;
        let marks: String = marks.iter().map(|m| format!("mark {m}\n")).collect();
        marker.write_all(format!("{WORDS}process {}\n{marks}", std::process::id()).as_bytes())?;
        Ok(Folder { folder, _marker: marker })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What was ended a moment ago may still put something there, such as the child of a compiler that was killed.
        let until = Instant::now() + LATE;
        while let Err(e) = std::fs::remove_dir_all(self.folder.path()) {
            if e.kind() == ErrorKind::NotFound || Instant::now() > until {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A folder that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// Where it was.
    pub path: PathBuf,
    /// The process that had made it.
    pub process: i32,
}

/// Removes the folders in `parent` that a process of this user has left behind; `end` is called with each of their marks before.
pub fn clear(parent: &Path, end: &mut dyn FnMut(&str)) -> Vec<Cleared> {
    let Ok(entries) = std::fs::read_dir(parent) else { return vec![] };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut cleared = vec![];
    for path in paths {
        let Some(left) = Left::at(&path) else { continue };
        left.marks.iter().for_each(|mark| end(mark));
        if std::fs::remove_dir_all(&path).is_ok() {
            cleared.push(Cleared { path, process: left.process });
        }
    }
    cleared
}

/// A folder that was left behind.
struct Left {
    process: i32,
    marks: Vec<String>,
    /// Nobody else takes it meanwhile.
    _marker: File,
}

impl Left {
    /// Reads the marker of a folder; none if the folder is not one of this user's litmpis, or is in use.
    fn at(path: &Path) -> Option<Left> {
        path.file_name()?.to_str()?.strip_prefix("litmpi-")?;
        let about = std::fs::symlink_metadata(path).ok()?;
        if !about.is_dir() || about.uid() != geteuid().as_raw() || about.mode() & 0o077 != 0 {
            return None;
        }
        let no_link = rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits();
        let flags = i32::try_from(no_link).ok()?;
        let marker = OpenOptions::new().read(true).custom_flags(flags).open(path.join(MARKER)).ok()?;
        let about = marker.metadata().ok()?;
        if !about.is_file() || about.uid() != geteuid().as_raw() {
            return None;
        }
        marker.try_lock().ok()?;
        let mut text = String::new();
        (&marker).take(LONGEST).read_to_string(&mut text).ok()?;
        let mut lines = text.strip_prefix(WORDS)?.lines();
        let process = lines.next()?.strip_prefix("process ")?.parse().ok()?;
        let marks = lines.filter_map(|l| l.strip_prefix("mark ")).map(str::to_owned).collect();
        (!is_alive(process)).then_some(Left { process, marks, _marker: marker })
    }
}

/// Whether a litmpi has this number. Another program may have it after that has ended.
fn is_alive(pid: i32) -> bool {
    let gone = Pid::from_raw(pid).is_some_and(|p| test_kill_process(p) == Err(rustix::io::Errno::SRCH));
    let name = || std::fs::read_to_string(format!("/proc/{pid}/comm"));
    !gone && name().is_ok_and(|n| n.starts_with("litmpi"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process number that nobody has: beyond the largest that Linux gives.
    const NOBODY: &str = "process 4194305\n";

    /// A folder as a litmpi leaves it that was killed.
    fn left(parent: &Path, name: &str) -> PathBuf {
        let path = parent.join(name);
        std::fs::create_dir(&path).expect("a folder");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).expect("its owner may");
        std::fs::write(path.join(MARKER), format!("{WORDS}{NOBODY}mark 7-0\nmark lab-7\n")).expect("a marker");
        path
    }

    #[test]
    fn a_folder_goes_that_somebody_still_writes_into() {
        let parent = tempfile::tempdir().expect("a folder");
        let made = Folder::make(parent.path(), &[]).expect("a folder");
        let path = made.path().to_owned();
        // Files appear faster than one thread takes them away.
        let until = Instant::now() + LATE / 4;
        let write = |writer: u32| {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut names = (0..).map(|number| path.join(format!("late-{writer}-{number}")));
                while Instant::now() < until && names.next().is_some_and(|name| std::fs::write(name, "").is_ok()) {}
            })
        };
        let writers: Vec<_> = (0..8).map(write).collect();
        std::thread::sleep(LATE / 40);
        drop(made);
        writers.into_iter().for_each(|w| w.join().expect("it ends"));
        assert_eq!(std::fs::read_dir(parent.path()).expect("a folder").count(), 0, "it is gone");
    }

    #[test]
    fn a_folder_is_new_private_and_gone_when_it_is_dropped() {
        let parent = tempfile::tempdir().expect("a folder");
        let (one, two) = (Folder::make(parent.path(), &[]), Folder::make(parent.path(), &["m"]));
        let (one, two) = (one.expect("a folder"), two.expect("another"));
        assert_ne!(one.path(), two.path());
        let about = std::fs::metadata(one.path()).expect("it is there");
        assert_eq!(about.mode() & 0o777, 0o700);
        assert_eq!(clear(parent.path(), &mut |_| {}), [], "both are in use");
        let path = one.path().to_owned();
        drop((one, two));
        assert!(!path.exists() && std::fs::read_dir(parent.path()).expect("it stays").next().is_none());
    }

    #[test]
    fn what_was_left_is_cleared_away_and_nothing_else_is() {
        let parent = tempfile::tempdir().expect("a folder");
        let at = |name: &str| parent.path().join(name);
        let gone = left(parent.path(), "litmpi-4194305-abc");
        // A user's own results, under a name that is alike.
        std::fs::create_dir(at("litmpi-12345-results")).expect("a folder");
        std::fs::write(at("litmpi-12345-results/results.jsonl"), "mine").expect("a file");
        // A marker of another kind; one that is a link; a folder that others may write into; a link to one that was left.
        std::fs::write(left(parent.path(), "litmpi-1-words").join(MARKER), "process 4194305\n").expect("a file");
        let linked = left(parent.path(), "litmpi-1-linked");
        std::fs::rename(linked.join(MARKER), at("marker")).expect("it moves");
        std::os::unix::fs::symlink(at("marker"), linked.join(MARKER)).expect("a link");
        let open = left(parent.path(), "litmpi-1-open");
        std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).expect("its owner may");
        std::fs::create_dir(at("elsewhere")).expect("a folder");
        let precious = left(&at("elsewhere"), "litmpi-1-precious");
        std::os::unix::fs::symlink(&precious, at("litmpi-1-link")).expect("a link");
        let pipe = left(parent.path(), "litmpi-1-pipe").join(MARKER);
        std::fs::remove_file(&pipe).expect("it is there");
        let made = rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0);
        made.expect("a named pipe");

        let mut ended = vec![];
        let cleared = clear(parent.path(), &mut |mark| ended.push(mark.to_owned()));
        assert_eq!(cleared, [Cleared { path: gone.clone(), process: 4_194_305 }]);
        assert_eq!(ended, ["7-0", "lab-7"]);
        assert!(!gone.exists());
        let stays = ["litmpi-12345-results/results.jsonl", "litmpi-1-words", "litmpi-1-linked", "litmpi-1-open"];
        assert!(stays.iter().all(|name| at(name).exists()) && precious.join(MARKER).exists() && pipe.exists());
    }

    #[test]
    fn a_folder_of_another_user_stays() {
        let parent = tempfile::tempdir().expect("a folder");
        let theirs = left(parent.path(), "litmpi-1-theirs");
        if !geteuid().is_root() {
            println!("skipped: only root can give a folder away");
            return;
        }
        for path in [theirs.join(MARKER), theirs.clone()] {
            std::os::unix::fs::chown(&path, Some(65_534), Some(65_534)).expect("root may");
            assert_eq!(clear(parent.path(), &mut |mark| panic!("{mark} was to be ended")), []);
        }
        assert!(theirs.join(MARKER).exists());
    }
}
