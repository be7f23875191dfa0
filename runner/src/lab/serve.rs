//! Guests that stay up between commands.
//!
//! [`Lab::serve`] listens at a socket; [`ask`] sends it a job, a line of JSON, and hears what becomes of it: lines of JSON, those
//! for output with so many bytes behind them. Who hangs up ends the job. One job runs at a time; others wait for it.
//! A guest that is lost, or that is not what a job wants, is booted anew.

use super::guests::Booted;
use super::session::{Counters, Ended, GuestOptions, Job, Said};
use super::{Lab, trouble};
use crate::launch::with_tool;
use crate::process::MARK;
use litmpi_scratch::Folder;
use litmpi_spec::diag::{Diagnostic, Report};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

/// The environment variable that names the socket of guests that are kept up.
pub const SESSION: &str = "LITMPI_LAB_SESSION";

/// What is asked for.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    options: GuestOptions,
    job: Job,
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
enum Frame {
    /// So many bytes of output follow.
    Out(usize),
    Err(usize),
    Booting,
    Up,
    Counter(String, u64),
    Lost(String),
    Ended {
        status: i32,
        counters: Counters,
        boots: u32,
    },
    /// It could not be run: what was wrong, and what would be right.
    Failed(String, Option<String>),
}

impl Frame {
    fn with(&self, bytes: &[u8]) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("frames are JSON");
        line.push(b'\n');
        line.extend_from_slice(bytes);
        line
    }
}

impl Lab {
    /// Keeps guests up for the jobs that come to a socket, until the future is dropped.
    ///
    /// # Errors
    /// The lab cannot be used, or the socket cannot be made.
    pub async fn serve(&self, socket: &Path) -> Result<(), Report> {
        self.usable()?;
        // Who may connect may run commands as this user: nobody else may.
        let before = rustix::process::umask(0o177.into());
        let bound = UnixListener::bind(socket);
        rustix::process::umask(before);
        let listener = bound.map_err(|e| trouble(socket, &e))?;
        let mut kept = None;
        loop {
            let (stream, _) = listener.accept().await.map_err(|e| trouble(socket, &e))?;
            let own = rustix::process::geteuid().as_raw();
            if stream.peer_cred().map_err(|e| trouble(socket, &e))?.uid() != own {
                continue;
            }
            self.attend_to(stream, &mut kept).await;
        }
    }

    /// One job.
    async fn attend_to(&self, stream: UnixStream, kept: &mut Option<Booted>) {
        let (read, mut write) = stream.into_split();
        let mut lines = tokio::io::BufReader::new(read).lines();
        let Ok(Some(line)) = lines.next_line().await else { return };
        let (send, mut frames) = mpsc::unbounded_channel::<Vec<u8>>();
        let writer = tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                if write.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        let mut on = |said: Said| {
            let (frame, bytes): (Frame, &[u8]) = match said {
                Said::Out(text) => (Frame::Out(text.len()), text),
                Said::Err(text) => (Frame::Err(text.len()), text),
                Said::Booting => (Frame::Booting, &[]),
                Said::Up => (Frame::Up, &[]),
                Said::Counter(name, by) => (Frame::Counter(name.to_owned(), by), &[]),
                Said::Lost(why) => (Frame::Lost(why.to_owned()), &[]),
            };
            // Who has hung up is seen below.
            let _ = send.send(frame.with(bytes));
        };
        let work = async {
            let request: Request = serde_json::from_str(&line)
                .map_err(|e| Report::from(Diagnostic::general(format!("the lab was asked for something else: {e}"))))?;
            self.run_in(&self.usable()?, kept, &request.options, &request.job, &mut on).await
        };
        let ended = tokio::select! {
            ended = work => Some(ended),
            _ = lines.next_line() => None,
        };
        let last = match ended {
            Some(Ok(Ended { status, counters, boots })) => Frame::Ended { status, counters, boots },
            Some(Err(report)) => {
                let help = report.0.first().and_then(|d| d.help.clone());
                Frame::Failed(report.0.into_iter().map(|d| d.message).collect::<Vec<_>>().join("; "), help)
            }
            None => {
                if let Some(booted) = kept {
                    booted.end_job();
                }
                return;
            }
        };
        let _ = send.send(last.with(&[]));
        drop(send);
        let _ = writer.await;
    }
}

/// Runs a command in guests that are kept up, as [`Lab::run`] does in its own.
///
/// # Errors
/// Nobody keeps guests up at this socket any more, or what [`Lab::run`] has against it.
pub fn ask(
    socket: &OsStr,
    options: &GuestOptions,
    words: &[String],
    on: &mut dyn FnMut(Said),
) -> Result<Ended, Report> {
    let gone = |e: &dyn std::fmt::Display| -> Report {
        Diagnostic::general(format!("no guests are kept up at {}: {e}", Path::new(socket).display()))
            .help(format!("unset {SESSION}, or keep some up there with `litmpi lab serve`"))
            .into()
    };
    let owner = std::fs::metadata(socket).map_err(|e| gone(&e))?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return Err(gone(&format!("the socket belongs to another user (number {owner})")));
    }
    let mut stream = std::os::unix::net::UnixStream::connect(socket).map_err(|e| gone(&e))?;
    let request = Request { options: options.clone(), job: Job::here(words)? };
    let mut line = serde_json::to_vec(&request).map_err(|e| gone(&e))?;
    line.push(b'\n');
    stream.write_all(&line).map_err(|e| gone(&e))?;
    let mut answers = BufReader::new(stream);
    loop {
        let mut line = String::new();
        answers.read_line(&mut line).map_err(|e| gone(&e))?;
        let frame: Frame = serde_json::from_str(&line).map_err(|_| gone(&"they are gone"))?;
        let mut bytes = vec![];
        if let Frame::Out(n) | Frame::Err(n) = frame {
            bytes.resize(n, 0);
            answers.read_exact(&mut bytes).map_err(|e| gone(&e))?;
        }
        match frame {
            Frame::Out(_) => on(Said::Out(&bytes)),
            Frame::Err(_) => on(Said::Err(&bytes)),
            Frame::Booting => on(Said::Booting),
            Frame::Up => on(Said::Up),
            Frame::Counter(name, by) => on(Said::Counter(&name, by)),
            Frame::Lost(why) => on(Said::Lost(&why)),
            Frame::Ended { status, counters, boots } => return Ok(Ended { status, counters, boots }),
            Frame::Failed(message, help) => {
                return Err(Report(vec![Diagnostic { help, ..Diagnostic::general(message) }]));
            }
        }
    }
}

/// Has guests kept up by a process of its own (`litmpi lab serve`), which ends, with all guests, when this is dropped or this
/// process is no more, however that comes about.
#[derive(Debug)]
pub struct Keeper {
    child: Child,
    folder: Folder,
}

impl Keeper {
    /// Begins; nothing is booted before there is a job.
    ///
    /// # Errors
    /// When the process or its socket cannot be made.
    pub fn begin() -> Result<Keeper, Report> {
        let own = format!("lab-{}", std::process::id());
        let parent = litmpi_scratch::temporary();
        let made = Folder::make(&parent, &[&own]).map_err(|e| trouble(&parent, &e))?;
        let folder = made.path().to_owned();
        let mark = std::env::var_os(MARK).unwrap_or_else(|| own.into());
        let child = Command::new(with_tool("{litmpi}"))
            .args(["lab", "serve", "--while-stdin"])
            .arg(folder.join("socket"))
            .env(MARK, mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // A signal to this process's group is for this process, which then ends that one.
            .process_group(0)
            .spawn()
            .map_err(|e| trouble(&folder, &e))?;
        let mut keeper = Keeper { child, folder: made };
        let until = Instant::now() + Duration::from_secs(20);
        while !Path::new(&keeper.socket()).exists() {
            if !matches!(keeper.child.try_wait(), Ok(None)) || Instant::now() > until {
                return Err(Diagnostic::general("no guests can be kept up: `litmpi lab serve` does not begin").into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(keeper)
    }

    /// Where to [`ask`].
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Its standard input ends, and so it does.
        drop(self.child.stdin.take());
        let until = Instant::now() + Duration::from_secs(15);
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > until {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
