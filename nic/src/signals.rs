//! Signals that ask to end: they are the program's, too, which must not be left without its device.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a program that was asked to end may take.
const GRACE: Duration = Duration::from_secs(3);

/// What has come, and until when the program may take its time.
pub(crate) struct Signals {
    come: Arc<AtomicUsize>,
    /// The folder of the device, which the environment of the program names, and of all that it starts.
    folder: PathBuf,
    asked: Option<(Signal, Instant)>,
}

impl Signals {
    /// Listens to the signals that ask to end, but for those that the user wants ignored (`nohup`).
    pub(crate) fn listen(folder: &Path) -> std::io::Result<Signals> {
        let come = Arc::new(AtomicUsize::new(0));
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
        let ignored = mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0);
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if (ignored >> (number - 1)) & 1 == 0 {
                signal_hook::flag::register_usize(number, Arc::clone(&come), number.unsigned_abs() as usize)?;
            }
        }
        Ok(Signals { come, folder: folder.to_owned(), asked: None })
    }

    /// Passes on what has come. A terminal has sent its own to the program already, which may live on; one that was asked by
    /// `SIGTERM` or `SIGHUP` and does not end is killed, with all that it has started.
    pub(crate) fn pass_on(&mut self, program: u32) {
        let come = self.come.swap(0, Ordering::Relaxed);
        if let Some(signal) = i32::try_from(come).ok().and_then(|n| Signal::try_from(n).ok())
            && let Ok(pid) = i32::try_from(program)
        {
            // It may have ended meanwhile.
            let _ = kill(Pid::from_raw(pid), signal);
            self.asked = self.asked.or(Some((signal, Instant::now())));
        }
        if let Some((Signal::SIGTERM | Signal::SIGHUP, since)) = self.asked
            && since.elapsed() > GRACE
        {
            self.kill_all();
        }
    }

    /// Whether a signal has come that nobody lives on after.
    pub(crate) fn has_come(&self) -> bool {
        let now = self.come.load(Ordering::Relaxed);
        matches!(self.asked, Some((Signal::SIGTERM | Signal::SIGHUP, _))) || now != 0
    }

    /// Kills what the program has left running, if it was asked to end.
    pub(crate) fn end_rest(&self) {
        if self.has_come() {
            self.kill_all();
        }
    }

    /// Kills every process that has the device.
    fn kill_all(&self) {
        let wanted = [b"LITMPI_NIC=", self.folder.as_os_str().as_bytes()].concat();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|b| *b == 0).any(|v| v == wanted) {
                // It may have ended meanwhile.
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
    }
}
