//! The command line of those who come from herd7: `litmpi SB.litmus -model x86tso.cat`, options with one dash.
//!
//! Without a command, files are enumerated; with `-show prop -o DIR` the executions that have the condition's outcome are drawn, which
//! `explain` does. Behind the names of commands that herd7 has in another form, herd's options are read, too.

use clap::CommandFactory;
use litmpi_spec::diag::{Diagnostic, Report};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// herd's options that are ours, with a value.
const SAME: [&str; 3] = ["-model", "-variant", "-unroll"];
/// Those that change nothing here.
const NOTHING: [&str; 3] = ["-q", "-v", "-nocheckfilter"];

/// Arguments as clap reads them.
///
/// # Errors
/// An option of herd's that is not supported.
pub(crate) fn arguments(given: Vec<OsString>) -> Result<Vec<OsString>, Report> {
    let Some(first) = given.get(1).and_then(|a| a.to_str()) else { return Ok(given) };
    let known = crate::args::Cli::command();
    let is_command = known.get_subcommands().any(|c| c.get_name() == first || c.get_all_aliases().any(|a| a == first));
    let is_test = |a: &OsStr| {
        let path = Path::new(a);
        path.extension().is_some_and(|e| e == "litmus") || a.to_str().is_some_and(|a| a.starts_with('@'))
    };
    if is_command {
        if !matches!(first, "enumerate" | "explain" | "check" | "compare") {
            return Ok(given);
        }
        let double = |a: OsString| match a.to_str() {
            Some(word) if SAME.contains(&word) => OsString::from(format!("-{word}")),
            _ => a,
        };
        return Ok(given.into_iter().map(double).collect());
    }
    let is_herds = |a: &OsString| a.to_str().is_some_and(|a| SAME.contains(&a) || a == "-show" || NOTHING.contains(&a));
    if !(is_test(OsStr::new(first)) || is_herds(&given[1]) && given.iter().any(|a| is_test(a))) {
        return Ok(given);
    }
    let (mut show, mut output, mut rest) = (None, None, vec![]);
    let mut args = given.into_iter();
    let program = args.next().unwrap_or_default();
    while let Some(arg) = args.next() {
        let word = arg.to_str().unwrap_or_default().to_owned();
        let mut value = || {
            args.next().ok_or_else(|| {
                Report::from(Diagnostic::general(format!("`{word}` needs a value")).help("it stands behind the option"))
            })
        };
        match word.as_str() {
            "-show" => show = Some(value()?),
            "-o" => output = Some(value()?),
            w if SAME.contains(&w) => {
                let value = value()?;
                rest.extend([OsString::from(format!("-{w}")), value]);
            }
            w if NOTHING.contains(&w) => {}
            w if w.len() > 2 && w.starts_with('-') && !w.starts_with("--") => {
                let d = Diagnostic::general(format!("herd's option `{w}` is not supported"));
                let help = "of herd's options, -model, -variant, -unroll, -show and -o are; `litmpi enumerate --help` lists those of litmpi";
                return Err(d.help(help).into());
            }
            _ => rest.push(arg),
        }
    }
    let mode = show.as_deref().and_then(OsStr::to_str).unwrap_or("none");
    let mut out = vec![program];
    match (mode, output) {
        ("none", _) => out.push("enumerate".into()),
        ("prop" | "cond" | "wit", Some(folder)) => out.extend(["explain".into(), "--output".into(), folder]),
        ("prop" | "cond" | "wit", None) => out.push("explain".into()),
        (other, _) => {
            let d = Diagnostic::general(format!("`-show {other}` is not supported"));
            return Err(d
                .help("`-show prop` draws the executions with the condition's outcome; see `litmpi explain --help`")
                .into());
        }
    }
    out.extend(rest);
    Ok(out)
}
