//! A job in the lab: guests are booted, what they print is passed on, and how it ended is said.

use super::boot::{Guest, SHIM};
use super::guests::{Booted, memory};
use super::{Installed, Lab, trouble};
use litmpi_spec::diag::{Diagnostic, Report};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The guests of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestOptions {
    /// 1, or 2 with a kernel each.
    pub guests: u32,
    /// Virtual processors of each; more than the host has make more interleavings.
    pub cpus: u32,
    /// Memory of each, in MiB.
    pub memory: u64,
    /// A guest that gives no sign of life for so long is given up.
    pub patience: Duration,
    /// Longest time for the job, from when its guests are up.
    pub timeout: Option<Duration>,
    /// How often to boot at most, when guests panic or stop.
    pub boots: u32,
}

impl Default for GuestOptions {
    fn default() -> GuestOptions {
        GuestOptions { guests: 1, cpus: 4, memory: 1024, patience: Duration::from_secs(120), timeout: None, boots: 3 }
    }
}

/// What is heard of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said<'a> {
    /// It printed this: whole lines, but for the last one.
    Out(&'a [u8]),
    /// The same to its standard error.
    Err(&'a [u8]),
    /// The guests are booting; said once a second or so.
    Booting,
    /// The guests are up, and the job begins.
    Up,
    /// A counter of a device, `GUEST/DEVICE/COUNTER`, moved on by so much; said every few seconds, and at the end.
    Counter(&'a str, u64),
    /// They panicked or stopped, for this reason. As long as attempts are left they are booted again, and the job begins anew.
    Lost(&'a str),
}

/// How far counters of devices moved, by `GUEST/DEVICE/COUNTER`; those that did not are left out.
pub type Counters = BTreeMap<String, u64>;

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Its exit status; of several guests the first that is not 0.
    pub status: i32,
    /// Proof of what went over the devices.
    pub counters: Counters,
    /// How often guests were booted for it; not at all if they were up.
    pub boots: u32,
}

/// How one attempt at a job ended.
enum Attempt {
    Done(i32, Counters),
    /// A guest was lost.
    Lost(String),
    TimedOut,
}

/// A command that guests are to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) words: Vec<String>,
    /// The working folder.
    pub(super) folder: PathBuf,
}

impl Job {
    pub(super) fn here(words: &[String]) -> Result<Job, Report> {
        let folder = std::env::current_dir().map_err(|e| trouble(Path::new("."), &e))?;
        Ok(Job { words: words.to_vec(), folder })
    }

    pub(super) fn wants_relax(&self) -> bool {
        self.words.iter().any(|w| w.contains("{relax}"))
    }

    /// Its script.
    pub(super) fn script(&self) -> String {
        let quote = |w: &str| format!("'{}'", w.replace('\'', r"'\''"));
        let words: Vec<String> = self.words.iter().map(|w| quote(w)).collect();
        format!(
            "cd {} || exit 125\nwords=({})\nwords=(\"${{words[@]//\\{{relax\\}}//lab/{SHIM}}}\")\nexec \"${{words[@]//\\{{gid\\}}/$LITMPI_GID}}\"\n",
            quote(&self.folder.display().to_string()),
            words.join(" ")
        )
    }
}

impl Lab {
    /// Runs a command in each guest, with the working folder and the files of the host. In its words `{gid}` is the index
    /// of the devices' address, and `{relax}` a library to preload that makes UCX's progress loop pause; its environment has `LITMPI_GUEST` and `LITMPI_GUESTS`, `LITMPI_GID`, in `LITMPI_LOSS` a
    /// command that has the guest's network lose so many percent of what is sent, and, with two guests, in `LITMPI_SHARED` the file of the memory that they share. Dropping the future ends all guests.
    ///
    /// # Errors
    /// The lab is not set up; there is no QEMU or not enough memory; every boot was lost; the time was over.
    pub async fn run(
        &self,
        options: &GuestOptions,
        words: &[String],
        on: &mut dyn FnMut(Said),
    ) -> Result<Ended, Report> {
        let state = self.usable()?;
        self.run_in(&state, &mut None, options, &Job::here(words)?, on).await
    }

    /// The same in guests that may be up already, and stay so if all goes well. When the future is dropped they are still
    /// there, and perhaps at work.
    pub(super) async fn run_in(
        &self,
        state: &Installed,
        kept: &mut Option<Booted>,
        options: &GuestOptions,
        job: &Job,
        on: &mut dyn FnMut(Said),
    ) -> Result<Ended, Report> {
        let mut boots = 0;
        let mut lost = String::new();
        for _ in 0..options.boots.max(1) {
            let ready = match kept.as_mut() {
                Some(booted) => booted.is_ready(options, on).await,
                None => false,
            };
            if !ready {
                // Those that were must be gone before others come.
                *kept = None;
                memory(options)?;
                *kept = Some(Booted::boot(self, state, options)?);
                boots += 1;
            }
            let Some(booted) = kept.as_mut() else { break };
            booted.give(job).await?;
            match attend(&mut booted.guests, booted.jobs, options, on).await {
                Attempt::Done(status, counters) => return Ok(Ended { status, counters, boots }),
                Attempt::Lost(why) => {
                    *kept = None;
                    on(Said::Lost(&why));
                    lost = why;
                }
                Attempt::TimedOut => {
                    *kept = None;
                    let seconds = options.timeout.unwrap_or_default().as_secs();
                    return Err(Diagnostic::general(format!(
                        "the job did not end within {seconds} s; the guest is gone"
                    ))
                    .help("--timeout gives it more time")
                    .into());
                }
            }
        }
        let often =
            if options.boots > 1 { format!("{} times, at last so", options.boots) } else { "1 time, so".into() };
        Err(Diagnostic::general(format!("the guest was lost {often}: {lost}"))
            .help("more memory (--memory), or more time on a loaded machine (--patience), may help")
            .into())
    }
}

/// A file that grows.
struct Tail {
    path: PathBuf,
    at: u64,
    kept: Vec<u8>,
}

impl Tail {
    fn new(path: PathBuf) -> Tail {
        Tail { path, at: 0, kept: vec![] }
    }

    /// The lines that have come since; at the end, also what is no whole line.
    fn lines(&mut self, end: bool) -> Vec<u8> {
        if let Ok(mut file) = std::fs::File::open(&self.path)
            && file.seek(SeekFrom::Start(self.at)).is_ok()
        {
            self.at += file.read_to_end(&mut self.kept).unwrap_or(0) as u64;
        }
        let whole =
            if end { self.kept.len() } else { self.kept.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1) };
        let rest = self.kept.split_off(whole);
        std::mem::replace(&mut self.kept, rest)
    }
}

/// One guest under watch.
struct Watched<'a> {
    guest: &'a mut Guest,
    /// The folder of the job.
    folder: PathBuf,
    out: Tail,
    err: Tail,
    alive: (u64, Instant),
    status: Option<i32>,
    counted: Counters,
}

impl Watched<'_> {
    fn pass_on(&mut self, end: bool, on: &mut dyn FnMut(Said)) {
        let (out, err) = (self.out.lines(end), self.err.lines(end));
        if !out.is_empty() {
            on(Said::Out(&out));
        }
        if !err.is_empty() {
            on(Said::Err(&err));
        }
    }

    /// Tells how far counters moved since it was told last.
    fn count(&mut self, number: usize, on: &mut dyn FnMut(Said)) {
        for (name, now) in moved(number, &self.folder) {
            let told = self.counted.entry(name.clone()).or_default();
            if now > *told {
                on(Said::Counter(&name, now - *told));
                *told = now;
            }
        }
    }

    /// Looks at the guest; why it is lost, if it is.
    fn look(&mut self, patience: Duration) -> Option<String> {
        let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |m| m.len());
        let job = |name: &str| size(self.folder.join(name));
        let signs = size(self.guest.share.join("alive")) + job("out") + job("err");
        if signs > self.alive.0 {
            self.alive = (signs, Instant::now());
        }
        if let Some(status) = status_in(&self.folder) {
            self.status = Some(status);
            return None;
        }
        match self.guest.child.try_wait() {
            Ok(None) => {}
            Ok(Some(_)) => return Some(self.guest.last_words()),
            Err(e) => return Some(format!("QEMU is lost: {e}")),
        }
        let silent = self.alive.1.elapsed();
        (silent > patience).then(|| {
            let up = if self.alive.0 > 0 { "hangs" } else { "did not come up" };
            format!("the guest {up}: no sign of life for {} s", silent.as_secs())
        })
    }
}

/// How often counters are looked at: a guest writes them every two seconds.
const COUNTING: Duration = Duration::from_secs(2);

/// How a job ended, if it has.
pub(super) fn status_in(folder: &Path) -> Option<i32> {
    let text = std::fs::read_to_string(folder.join("status")).ok()?;
    text.strip_suffix('\n')?.trim().parse().ok()
}

/// Watches the guests until all have done the job of this number, or one is lost.
async fn attend(guests: &mut [Guest], number: u32, options: &GuestOptions, on: &mut dyn FnMut(Said)) -> Attempt {
    let mut all: Vec<Watched> = guests
        .iter_mut()
        .map(|guest| (guest.share.join(number.to_string()), guest))
        .map(|(folder, guest)| Watched {
            out: Tail::new(folder.join("out")),
            err: Tail::new(folder.join("err")),
            alive: (0, Instant::now()),
            status: None,
            counted: Counters::new(),
            guest,
            folder,
        })
        .collect();
    let (mut up, mut told): (Option<Instant>, Option<Instant>) = (None, None);
    let mut failed: Option<Instant> = None;
    let mut counted = Instant::now();
    loop {
        if counted.elapsed() > COUNTING {
            counted = Instant::now();
            all.iter_mut().enumerate().for_each(|(n, w)| w.count(n, on));
        }
        for w in all.iter_mut().filter(|w| w.status.is_none()) {
            let lost = w.look(options.patience);
            w.pass_on(lost.is_some() || w.status.is_some(), on);
            if let Some(why) = lost {
                return Attempt::Lost(why);
            }
        }
        if all.iter().all(|w| w.status.is_some()) {
            break;
        }
        let bad = all.iter().filter_map(|w| w.status).find(|s| *s != 0);
        if bad.is_some() && failed.get_or_insert_with(Instant::now).elapsed() > Duration::from_secs(5) {
            // The other guest may wait for this one for ever.
            break;
        }
        if up.is_none() {
            if all.iter().all(|w| w.folder.join("before").exists()) {
                up = Some(Instant::now());
                on(Said::Up);
            } else if told.is_none_or(|t| t.elapsed() > Duration::from_secs(1)) {
                told = Some(Instant::now());
                on(Said::Booting);
            }
        }
        if let (Some(up), Some(timeout)) = (up, options.timeout)
            && up.elapsed() > timeout
        {
            all.iter_mut().for_each(|w| w.pass_on(true, on));
            return Attempt::TimedOut;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    all.iter_mut().for_each(|w| w.pass_on(true, on));
    let status = all.iter().filter_map(|w| w.status).find(|s| *s != 0).unwrap_or(0);
    all.iter_mut().enumerate().for_each(|(n, w)| w.count(n, on));
    Attempt::Done(status, all.into_iter().flat_map(|w| w.counted).collect())
}

/// How far the counters of a guest's devices moved.
fn moved(number: usize, folder: &Path) -> Vec<(String, u64)> {
    let read = |name: &str| -> BTreeMap<String, u64> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let line = |l: &str| {
            let mut words = l.split(' ');
            let name = format!("guest{number}/{}/{}", words.next()?, words.next()?);
            Some((name, words.next()?.parse().ok()?))
        };
        text.lines().filter_map(line).collect()
    };
    let before = read("before");
    let moved = |(name, n): (String, u64)| {
        let by = n.saturating_sub(before.get(&name).copied().unwrap_or(0));
        (by > 0).then_some((name, by))
    };
    read("after").into_iter().filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grows_is_read_by_lines_and_to_its_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("tail");
        let mut tail = Tail::new(path.clone());
        assert_eq!(tail.lines(false), b"", "it is not there yet");
        std::fs::write(&path, "one\ntw").expect("it is written");
        assert_eq!(tail.lines(false), b"one\n");
        std::fs::write(&path, "one\ntwo\nthr").expect("it is written");
        assert_eq!(tail.lines(false), b"two\n");
        assert_eq!(tail.lines(true), b"thr");
    }

    #[test]
    fn a_job_keeps_words_as_they_are() {
        let words = ["sh".into(), "-c".into(), "echo 'it is' $x {gid}".into()];
        let script = Job::here(&words).expect("a folder").script();
        assert!(script.contains(r"words=('sh' '-c' 'echo '\''it is'\'' $x {gid}')"), "{script}");
    }

    #[test]
    fn counters_are_told_by_how_far_they_moved() {
        let dir = tempfile::tempdir().expect("a folder");
        let share = dir.path();
        std::fs::write(share.join("before"), "rx0 sent_pkts 5\nrx0 rcvd_pkts 1\n").expect("it is written");
        std::fs::write(share.join("after"), "rx0 sent_pkts 12\nrx0 rcvd_pkts 1\n").expect("it is written");
        assert_eq!(moved(1, share), [("guest1/rx0/sent_pkts".to_string(), 7)]);
    }
}
