//! `litmpi doctor`: what is installed of what litmpi can use, what each target says when it is asked, in its own words, and what to
//! install.

mod args;

use crate::targets::{known, runtime};
use crate::{Verdict, say};
pub(crate) use args::DoctorArgs;
use litmpi_runner::{Asked, Availability, asked, examined, fitted, here};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::suggest::suggest;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A program that litmpi uses: the command that has it say its version, what it is for, and how to get it under Debian.
const TOOLS: [(&[&str], &str, &str); 9] = [
    (&["cc", "--version"], "tests become C programs", "apt-get install gcc libc6-dev"),
    (&["cargo", "--version"], "tests in Rust (--lang rust)", "https://rustup.rs, or apt-get install cargo"),
    (&["cmake", "--version"], "suites that build with CMake", "apt-get install cmake"),
    (&["make", "--version"], "suites that build with make", "apt-get install make"),
    (&["ucx_info", "-v"], "MPI over UCX: what transports it has", "apt-get install ucx-utils"),
    (&["ib_write_bw", "--version"], "unmodified RDMA programs on the emulated NIC", "apt-get install perftest"),
    (&["ibv_devinfo", "-l"], "RDMA devices of this machine", "apt-get install ibverbs-utils"),
    (&["qemu-system-x86_64", "--version"], "the RoCE lab", "apt-get install qemu-system-x86"),
    (&["python3", "--version"], "programs of mpi4py under `verify`", "apt-get install python3-venv"),
];

/// Lines of what a program printed that are shown.
const SHOWN: usize = 12;

/// A target, whether it is here, and what was asked to find that out.
struct Found {
    name: String,
    about: String,
    is: Availability,
    asked: Vec<Asked>,
}

pub(crate) fn doctor(args: &DoctorArgs) -> Result<Verdict, Report> {
    let mut targets = known(&args.targets)?;
    let names: Vec<String> = targets.iter().map(|t| t.name.clone()).collect();
    if let Some(name) = args.target.iter().find(|n| !names.contains(n)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let help = suggest(name, &names, &format!("targets: {}", names.join(", ")));
        return Err(Diagnostic::general(format!("no target is called `{name}`")).help(help).into());
    }
    if !args.target.is_empty() {
        targets.retain(|t| args.target.contains(&t.name));
    }
    let (tools, found) = runtime().block_on(async {
        let (mut tools, mut found) = (vec![], vec![]);
        for (command, about, get) in TOOLS {
            let words: Vec<String> = command.iter().map(|w| (*w).to_owned()).collect();
            tools.push((asked(&words, &BTreeMap::new()).await, about, get));
        }
        for t in &targets {
            let (is, asked) = (here(t).await, examined(t).await);
            // What a target is may be different in the version that is found.
            found.push(Found { name: t.name.clone(), about: fitted(t).await.description, is, asked });
        }
        (tools, found)
    });
    let missing = found.iter().filter(|f| matches!(f.is, Availability::Missing { .. })).count();
    if args.json {
        let tools: Vec<_> = tools
            .iter()
            .map(|(a, about, get)| json!({ "tool": a.command.split(' ').next(), "for": about, "get": get, "asked": a }))
            .collect();
        let targets: Vec<_> = found
            .iter()
            .map(|f| json!({ "target": f.name, "about": f.about, "availability": f.is, "asked": f.asked }))
            .collect();
        say(&format!("{:#}\n", json!({ "tools": tools, "targets": targets })));
    } else {
        say(&as_text(&tools, &found, missing));
    }
    // Who names targets needs all of them; who names none needs one to run anything on.
    let is_good = if args.target.is_empty() { missing < found.len() } else { missing == 0 };
    Ok(if is_good { Verdict::Good } else { Verdict::Bad })
}

fn as_text(tools: &[(Asked, &str, &str)], found: &[Found], missing: usize) -> String {
    let mut out = String::from("Programs\n");
    for (tool, about, get) in tools {
        let name = tool.command.split(' ').next().unwrap_or_default();
        match &tool.file {
            None => _ = writeln!(out, "  missing  {name}: for {about}\n           get it: {get}"),
            Some(file) => {
                let says = tool.printed.iter().find(|l| !l.trim().is_empty()).map_or("", String::as_str);
                // A version is an answer whatever the exit status is: perftest's programs end with 1 behind theirs.
                let failed = tool.failed.as_ref().filter(|_| !says.contains(|c: char| c.is_ascii_digit()));
                let word = if failed.is_some() { "fails  " } else { "here   " };
                let _ = writeln!(out, "  {word}  {name}: {says}\n           {}, for {about}", file.display());
                if let Some(why) = failed {
                    let _ = writeln!(out, "           `{}`: {why}", tool.command);
                }
            }
        }
    }
    out.push_str("\nTargets\n");
    for f in found {
        let (word, says) = match &f.is {
            Availability::Here { version } => ("here   ", version.clone()),
            Availability::Missing { reason, .. } => ("missing", reason.clone()),
        };
        let _ = writeln!(out, "  {word}  {}: {says}\n           {}", f.name, f.about);
        for a in &f.asked {
            let ended = a.failed.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let _ = writeln!(out, "           `{}`{ended}", a.command);
            for line in a.printed.iter().take(SHOWN) {
                let _ = writeln!(out, "             | {line}");
            }
            if a.printed.len() > SHOWN {
                let _ = writeln!(out, "             … and {} more lines, which --json has", a.printed.len() - SHOWN);
            }
        }
        if let Availability::Missing { how, .. } = &f.is {
            let _ = writeln!(out, "           get it: {how}");
        }
    }
    let _ = writeln!(out, "\n{} of {} targets are here", found.len() - missing, found.len());
    out
}
