//! `litmpi targets`: what is here, what is missing and how to get it.

use crate::args::TargetsArgs;
use crate::say::fit;
use crate::{Verdict, say};
use comfy_table::{Table, presets};
use litmpi_runner::{Availability, Target, fitted, here, shipped_targets, targets_from};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use serde_json::json;
use std::path::PathBuf;

/// The shipped targets and those of the user's files, which come first and may replace shipped ones by name.
pub(crate) fn known(files: &[PathBuf]) -> Result<Vec<Target>, Report> {
    let mut out: Vec<Target> = vec![];
    for path in files {
        out.extend(targets_from(&Source::read_as(path, "the targets in ")?)?);
    }
    for t in shipped_targets() {
        if out.iter().all(|o| o.name != t.name) {
            out.push(t);
        }
    }
    Ok(out)
}

/// The target of a name, with the options that the name has, as in `NAME:OPTION`.
///
/// # Errors
/// There is no such target, or it has no such option.
pub(crate) fn named(all: &[Target], name: &str) -> Result<Target, Report> {
    let mut words = name.split(':');
    let base = words.next().unwrap_or_default();
    let Some(target) = all.iter().find(|t| t.name == base) else {
        let names: Vec<&str> = all.iter().map(|t| t.name.as_str()).collect();
        let d = Diagnostic::general(format!("no target is called `{name}`"));
        return Err(d.help(format!("targets: {}", names.join(", "))).into());
    };
    target.with_options(&words.collect::<Vec<_>>())
}

/// The targets of a name: one, or for `NAME:*` the target without a further option and with each of those that it has.
///
/// # Errors
/// There is no such target, it has no such option, or none at all.
pub(crate) fn all_named(all: &[Target], name: &str) -> Result<Vec<Target>, Report> {
    let Some(base) = name.strip_suffix(":*") else { return Ok(vec![named(all, name)?]) };
    let plain = named(all, base)?;
    if plain.options.is_empty() {
        let d = Diagnostic::general(format!("the target `{base}` has no options for `*` to stand for"));
        return Err(d.help(format!("write `{base}`")).into());
    }
    let each = plain.options.keys().map(|option| plain.with_options(&[option])).collect::<Result<Vec<_>, _>>()?;
    Ok([vec![plain], each].concat())
}

pub(crate) fn targets(args: &TargetsArgs) -> Result<Verdict, Report> {
    let (mut all, mut found) = (vec![], vec![]);
    runtime().block_on(async {
        for t in known(&args.targets)? {
            all.push(fitted(&t).await);
            found.push(here(&t).await);
        }
        Ok::<(), Report>(())
    })?;
    if args.json {
        let rows: Vec<_> = all.iter().zip(&found).map(|(t, a)| json!({ "target": t, "availability": a })).collect();
        say(&format!("{:#}\n", json!(rows)));
        return Ok(Verdict::Good);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    fit(&mut table);
    table.set_header(["target", "family", "", "what it is", "version, or what is missing and how to get it"]);
    for (t, a) in all.iter().zip(&found) {
        let (here, detail) = match a {
            Availability::Here { version } => ("here", version.clone()),
            Availability::Missing { reason, how } => ("missing", format!("{reason}; {how}")),
        };
        table.add_row([t.name.as_str(), t.family.as_str(), here, t.description.as_str(), detail.as_str()]);
        if !t.options.is_empty() {
            let options: Vec<&str> = t.options.keys().map(String::as_str).collect();
            table.add_row(["", "", "", &format!("options: {}", options.join(", ")), ""]);
        }
    }
    say(&format!("{table}\n"));
    Ok(Verdict::Good)
}

/// The runtime that processes are watched in: one thread is enough, for they run one at a time.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an event loop can be made")
}
