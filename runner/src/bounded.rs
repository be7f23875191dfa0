//! Programs that are run for their answer: compilers, probes. They get so much time, and so much of what they print is kept.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Error, ErrorKind, Result};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// What is kept of what a program prints to one of its streams.
const KEPT: usize = 1 << 20;

/// A program that prints more than this to one of its streams is ended.
const MOST: u64 = 64 << 20;

/// Runs a program, with nothing to read, to its end.
///
/// # Errors
/// It does not start, does not end in time, or does not stop printing; the last two end it and all that it has started.
pub(crate) async fn output(command: &mut Command, time: Duration) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
    let group = Group(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let whole = async {
        let (stdout, stderr, status) = tokio::try_join!(keep(out), keep(err), child.wait())?;
        Ok(Output { status, stdout, stderr })
    };
    let done = tokio::time::timeout(time, whole).await.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::TimedOut, format!("it did not end within {} s", time.as_secs())))
    });
    if done.is_ok() {
        // What it has left running is not ended: compilers may keep a server.
        std::mem::forget(group);
    }
    done
}

/// A process group that is ended when this is dropped: with the program, what that has started.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended meanwhile.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Reads a stream to its end; the beginning is kept.
async fn keep(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>> {
    let (mut kept, mut read) = (vec![], 0);
    let Some(mut stream) = stream else { return Ok(kept) };
    let mut part = vec![0; 1 << 16];
    loop {
        let n = stream.read(&mut part).await?;
        if n == 0 {
            return Ok(kept);
        }
        read += n as u64;
        if read > MOST {
            return Err(Error::other(format!("it printed more than {} MiB", MOST >> 20)));
        }
        kept.extend_from_slice(&part[..n.min(KEPT - kept.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn run(script: &str, time: Duration) -> Result<Output> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an event loop");
        runtime.block_on(output(Command::new("sh").args(["-c", script]), time))
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_all_that_it_has_started() {
        let begun = Instant::now();
        // A duration that no other process of this machine sleeps for.
        let script = format!("sleep 87654.{} & sleep 87654.{0}; echo", std::process::id());
        let why = run(&script, Duration::from_millis(300)).expect_err("it hangs").to_string();
        assert!(why.contains("did not end within"), "{why}");
        assert!(begun.elapsed() < Duration::from_secs(60));
        let sleeps = |pid: &str| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).contains(&format!("sleep\x0087654.{}", std::process::id()))
        };
        let until = Instant::now() + Duration::from_secs(10);
        let left = || {
            let all = std::fs::read_dir("/proc").expect("Linux").flatten();
            all.filter(|e| sleeps(&e.file_name().to_string_lossy())).count()
        };
        while left() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), 0);
    }

    #[test]
    fn a_program_that_does_not_stop_printing_is_ended_and_one_that_does_is_heard() {
        let why = run("exec cat /dev/zero", Duration::from_secs(120)).expect_err("it floods").to_string();
        assert!(why.contains("more than 64 MiB"), "{why}");
        let heard =
            run("head -c 3000000 /dev/zero; echo words >&2; exit 3", Duration::from_secs(120)).expect("it ends");
        assert_eq!((heard.status.code(), heard.stdout.len(), heard.stderr), (Some(3), KEPT, b"words\n".to_vec()));
    }
}
