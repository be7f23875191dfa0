//! Process trees, ended whole.
//!
//! A launcher starts processes of its own, and Open MPI puts each rank into a process group of its own, so neither
//! the launcher's process nor its group is the tree. Every launch therefore carries a mark of its own in its
//! environment ([`MARK`]), which all its processes inherit and `/proc/PID/environ` shows. Ending a launch is
//! `TERM` to the launcher, which then takes its ranks along and cleans up, and after a grace `KILL` to whatever
//! still carries the mark. Ranks also ask the kernel to be killed with their launcher (`c/main.c` of the harness).

use litmpi_scratch::Folder;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The environment variable that marks the processes of a launch.
pub const MARK: &str = "LITMPI_RUN";

/// The processes of this user that carry a mark, by their numbers.
pub fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}");
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut found: Vec<i32> = all
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            let owner = std::fs::metadata(format!("/proc/{pid}")).map(|m| m.uid());
            owner.is_ok_and(|uid| uid == geteuid().as_raw())
                && std::fs::read(format!("/proc/{pid}/environ"))
                    .is_ok_and(|env| env.split(|b| *b == 0).any(|v| v == wanted.as_bytes()))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Sends a signal to everything that carries the mark; how many there were.
fn signal_marked(mark: &str, signal: Signal) -> usize {
    let all = marked(mark);
    for pid in all.iter().filter_map(|p| Pid::from_raw(*p)) {
        // It may have ended meanwhile.
        let _ = kill_process(pid, signal);
    }
    all.len()
}

/// What a launch has on this machine beside its processes: its mark and its folders. Dropping it ends whatever
/// is left of the launch.
#[derive(Debug)]
pub(crate) struct Premises {
    pub(crate) mark: String,
    pub(crate) scratch: PathBuf,
    pub(crate) shm: PathBuf,
    /// They go when the processes have.
    _folders: [Folder; 2],
}

impl Premises {
    /// Makes the folders. Their paths are short, because sockets live in them.
    pub(crate) fn new() -> std::io::Result<Premises> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let scratch = Folder::make(&litmpi_scratch::temporary(), &[&mark])?;
        let shm = Folder::make(&litmpi_scratch::shared(), &[&mark])?;
        let paths = [scratch.path().to_owned(), shm.path().to_owned()];
        let [at, fast] = paths;
        Ok(Premises { mark, scratch: at, shm: fast, _folders: [scratch, shm] })
    }

    /// Ends the launch: `TERM` to the launcher, and `KILL` to what still carries the mark after the grace.
    pub(crate) async fn end(&self, launcher: Option<u32>, grace: Duration) {
        if let Some(pid) = launcher.and_then(|p| i32::try_from(p).ok()).and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let until = Instant::now() + grace;
        while Instant::now() < until {
            if marked(&self.mark).is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        kill_marked(&self.mark);
    }
}

/// Kills what carries the mark, until nothing does: a process that was being started may appear late.
pub(crate) fn kill_marked(mark: &str) {
    let until = Instant::now() + Duration::from_secs(2);
    while signal_marked(mark, Signal::KILL) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Premises {
    fn drop(&mut self) {
        kill_marked(&self.mark);
    }
}
