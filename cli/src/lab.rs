//! `litmpi lab`: RDMA without RDMA hardware, in a guest.

use crate::args::{LabCommand, LabRunArgs};
use crate::say::pass_on;
use crate::targets::runtime;
use crate::{Verdict, leave, remark, say};
use litmpi_runner::lab::{Ended, GuestOptions, Keeper, Lab, Requirements, SESSION, Said, ask};
use litmpi_runner::{Target, interrupted};
use litmpi_spec::diag::{Diagnostic, Report};
use serde_json::json;
use std::io::Write;
use std::time::Duration;

/// Exit status of a launch that is to be made again: sysexits' "temporary failure".
const AGAIN: i32 = 75;

/// Exit status of a program whose output nobody reads any more, as shells tell it: 128 and `SIGPIPE`.
const UNREAD: i32 = 128 + 13;

pub(crate) fn lab(command: &LabCommand) -> Result<Verdict, Report> {
    let lab = Lab::of_user()?;
    match command {
        LabCommand::Setup { kernel, again } => {
            let wanted = Requirements { kernel: kernel.clone(), again: *again };
            let mut tell = |what: &str| say(&format!("lab: {what}\n"));
            until_signal(lab.setup(&wanted, &mut tell))?;
            say(&format!("lab: ready, {} in {}\n", megabytes(total(&lab)), lab.folder().display()));
            Ok(Verdict::Good)
        }
        LabCommand::Run(args) => run(&lab, args),
        LabCommand::Serve { socket, while_stdin } => {
            let done = until_signal(async {
                tokio::select! {
                    done = lab.serve(socket) => done,
                    () = end_of_input(*while_stdin) => Ok(()),
                }
            });
            let _ = std::fs::remove_file(socket);
            if let (true, Some(folder)) = (while_stdin, socket.parent()) {
                // Made for this alone, and who made it may be no more. One that is not empty stays.
                let _ = std::fs::remove_dir(folder);
            }
            done.map(|()| Verdict::Good)
        }
        LabCommand::Status { json, check } => {
            if *check {
                lab.usable()?;
            }
            status(&lab, *json)
        }
        LabCommand::Clean => {
            let bytes = lab.clean()?;
            say(&format!("lab: removed {} from {}\n", megabytes(bytes), lab.folder().display()));
            Ok(Verdict::Good)
        }
    }
}

/// Runs until it is done or the user ends it; guests end with it.
fn until_signal<T>(work: impl Future<Output = Result<T, Report>>) -> Result<T, Report> {
    runtime().block_on(async {
        tokio::select! {
            done = work => done,
            signal = interrupted() => Err(Diagnostic::general(format!("ended by {signal}")).into()),
        }
    })
}

/// Waits until nothing more can come by standard input, if that is looked at.
async fn end_of_input(is_looked_at: bool) {
    if !is_looked_at {
        return std::future::pending().await;
    }
    let (send, ended) = tokio::sync::oneshot::channel();
    // A thread of its own, which nobody waits for: reading cannot be given up.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = send.send(());
    });
    let _ = ended.await;
}

/// Guests are kept up for several launches, if there is a target of the lab among these and the user does not keep some up
/// already. Its socket goes into the environment of launches.
pub(crate) fn keeper(targets: &[Target]) -> Result<Option<Keeper>, Report> {
    let wanted = targets.iter().any(Target::is_of_lab) && std::env::var_os(SESSION).is_none();
    let usable = || Lab::of_user().is_ok_and(|lab| lab.usable().is_ok());
    (wanted && usable()).then(Keeper::begin).transpose()
}

/// What launches are told of it.
pub(crate) fn environment(keeper: Option<&Keeper>) -> Vec<(String, String)> {
    keeper.map(|k| (SESSION.to_owned(), k.socket().display().to_string())).into_iter().collect()
}

fn run(lab: &Lab, args: &LabRunArgs) -> Result<Verdict, Report> {
    let mut options = GuestOptions {
        guests: args.guests,
        memory: args.memory,
        patience: Duration::from_secs(args.patience),
        timeout: args.timeout.map(Duration::from_secs),
        boots: args.boots,
        ..GuestOptions::default()
    };
    options.cpus = args.cpus.unwrap_or(if args.guests > 1 { 2 } else { options.cpus });
    if args.report {
        // What was already done is not to be done again: the runner launches anew.
        options.boots = 1;
    }
    let mut left = options.boots;
    let words = with_shell(&args.command);
    let mut hear = |said: Said| match said {
        // Who hangs up ends the job.
        Said::Out(text) if !pass_on(text) => leave(UNREAD),
        Said::Out(_) => {}
        Said::Err(text) => {
            // If it cannot be written, nobody can be told.
            let _ = std::io::stderr().write_all(text);
        }
        Said::Booting | Said::Up if args.report => say("litmpi alive\n"),
        Said::Counter(name, by) if args.report => say(&format!("litmpi counter {name} {by}\n")),
        Said::Booting | Said::Up | Said::Counter(..) => {}
        Said::Lost(why) if args.report => {
            say(&format!("litmpi again {why}\n"));
            leave(AGAIN);
        }
        Said::Lost(why) => {
            left -= 1;
            if left > 0 {
                remark(&format!("lab: {why}; booting again"));
            }
        }
    };
    let ended: Ended = match std::env::var_os(SESSION).filter(|s| !s.is_empty()) {
        Some(socket) => ask(&socket, &options, &words, &mut hear)?,
        None => until_signal(lab.run(&options, &words, &mut hear))?,
    };
    if args.counters {
        ended.counters.iter().for_each(|(name, n)| remark(&format!("lab: {name} {n}")));
    }
    match ended.status {
        0 => Ok(Verdict::Good),
        status => leave(status),
    }
}

/// A script that is not executable is run by bash.
fn with_shell(command: &[String]) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let about = command.first().and_then(|w| std::fs::metadata(w).ok());
    let script = about.is_some_and(|m| m.is_file() && m.permissions().mode() & 0o111 == 0);
    script.then(|| "bash".to_string()).into_iter().chain(command.iter().cloned()).collect()
}

fn status(lab: &Lab, as_json: bool) -> Result<Verdict, Report> {
    let (state, bytes) = (lab.installed(), total(lab));
    if as_json {
        let state = state.as_ref().ok();
        let files: Vec<_> = lab.sizes().into_iter().map(|(name, n)| json!({ "file": name, "bytes": n })).collect();
        let folder = lab.folder().display().to_string();
        say(&format!("{:#}\n", json!({ "folder": folder, "installed": state, "bytes": bytes, "files": files })));
        return Ok(Verdict::Good);
    }
    match state {
        Ok(s) => say(&format!(
            "kernel       Linux {} ({})\nfolder       {}\naccelerator  {}\nfirst boot   {:.1} s\nmodules      {}\nsize         {}\n",
            s.kernel,
            s.package,
            lab.folder().display(),
            s.accelerator,
            s.boot_seconds,
            s.modules.join(" "),
            megabytes(bytes),
        )),
        Err(why) => say(&why.render(false)),
    }
    Ok(Verdict::Good)
}

fn total(lab: &Lab) -> u64 {
    lab.sizes().iter().map(|(_, n)| n).sum()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
