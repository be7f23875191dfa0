//! `litmpi functions`: every function that programs may call, with where the standard has it, its rules, its tests and its runs.
//!
//! Everything but the runs is read off the declarations, the rules and the tests. Which functions have run where stands in a
//! file of results (`docs/mpi-runs.json`), made by `litmpi run litmus/mpi --json`.

use crate::args::FunctionsArgs;
use crate::left_out::LeftOut;
use crate::load::files;
use crate::{Verdict, say, stream};
use litmpi_litmus::{parse_family, sites};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Which tests call which function.
type Calls = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn functions(args: &FunctionsArgs) -> Result<Verdict, Report> {
    let spec = load_shipped("mpi")?;
    let mut calls = Calls::new();
    let mut left_out = LeftOut::default();
    let paths = files(&args.tests, &mut left_out);
    if paths.is_empty() && !args.tests.is_empty() {
        return Ok(left_out.end(Verdict::Good));
    }
    for path in paths {
        let ranks = stream::read(&path, "the test ").and_then(|source| match parse_family(&source)?.as_str() {
            "mpi" => sites::ranks(&source),
            _ => Ok(vec![]),
        });
        let Some(ranks) = left_out.keep(&path, ranks) else { continue };
        let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        for rank in ranks {
            for called in rank.calls.into_iter().map(|c| c.name).chain(rank.values) {
                calls.entry(called).or_default().insert(name.clone());
            }
        }
    }
    let runs = match &args.runs {
        Some(path) => {
            let source = Source::read_as(path, "the results ")?;
            let read: serde_json::Value = serde_json::from_str(&source.text)
                .map_err(|e| Report::from(Diagnostic::general(format!("{}: {e}", path.display()))))?;
            ran(&read)
        }
        None => vec![],
    };
    say(&format!("{}{}", about(args), table(&spec, &calls, &runs)));
    Ok(left_out.end(Verdict::Good))
}

/// What the columns say, with the command that made the table.
fn about(args: &FunctionsArgs) -> String {
    let given = |path: &PathBuf| path.display().to_string();
    let tests = args.tests.iter().map(given).collect::<Vec<_>>().join(" ");
    let (runs, of_runs) = match &args.runs {
        Some(path) => (
            format!(" --runs {}", given(path)),
            format!(
                " The last columns: how many tests with a call ran there, and how many showed an outcome that is not allowed; erroneous tests are\n\
                 not run. The results are those of `litmpi run {tests} --target openmpi,mpich --json \n\
                 | jq -c 'map({{test, target, verdict}} | select(.verdict != \"not-run\")) | unique | reverse'`."
            ),
        ),
        None => (String::new(), String::new()),
    };
    let made = format!("litmpi functions {tests}").trim_end().to_owned() + &runs;
    let counted =
        if tests.is_empty() { "no test was given".to_owned() } else { format!("how many of `{tests}` call it") };
    format!(
        "# MPI functions\n\n\
         Made by `{made}`. Rules: those of the function, or of what\n\
         it is short for; waits are not repeated. Tests: {counted}. C: by its signature, or in a form of its own; Rust: whether rsmpi\n\
         offers it.{of_runs}\n"
    )
}

/// For each library, which tests ran on it without a violation, and which showed one.
fn ran(results: &serde_json::Value) -> Vec<(String, BTreeMap<String, bool>)> {
    let mut out: Vec<(String, BTreeMap<String, bool>)> = vec![];
    for r in results.as_array().into_iter().flatten() {
        let text = |k: &str| r[k].as_str().unwrap_or_default().to_owned();
        let (test, target, verdict) = (text("test"), text("target"), text("verdict"));
        if !matches!(verdict.as_str(), "conforms" | "violation") {
            continue;
        }
        let at = out.iter().position(|(t, _)| *t == target).unwrap_or_else(|| {
            out.push((target, BTreeMap::new()));
            out.len() - 1
        });
        *out[at].1.entry(test).or_insert(true) &= verdict == "conforms";
    }
    out
}

fn table(spec: &Spec, calls: &Calls, runs: &[(String, BTreeMap<String, bool>)]) -> String {
    let mut out = String::from("| function | MPI 4.1 | rules | tests | C | Rust |");
    runs.iter().for_each(|(target, _)| out += &format!(" {target} |"));
    out += "\n|---|---|---|--:|---|---|";
    runs.iter().for_each(|_| out += "---|");
    out.push('\n');
    let decls = &spec.instructions;
    let shown: Vec<usize> =
        (0..decls.list.len()).filter(|i| !decls.list[*i].internal && decls.list[*i].name.starts_with("MPI_")).collect();
    for i in &shown {
        let decl = &decls.list[*i];
        let rules = rules(spec, *i);
        let sections: Vec<String> = sections(spec, &rules);
        let names: Vec<String> = rules.iter().map(|r| format!("`{}`", spec.rules[*r].name)).collect();
        let tests = calls.get(&decl.name);
        out += &format!(
            "| `{}` | {} | {} | {} | {} | {} |",
            decl.name,
            sections.join(", "),
            names.join(", "),
            tests.map_or(0, BTreeSet::len),
            if decl.text.c.is_some() { "own form" } else { "yes" },
            if decl.text.rust.is_some() { "yes" } else { "–" },
        );
        for (_, tried) in runs {
            let of: Vec<bool> = tests.into_iter().flatten().filter_map(|t| tried.get(t).copied()).collect();
            let bad = of.iter().filter(|good| !**good).count();
            out += &match (of.len(), bad) {
                (0, _) => " – |".to_owned(),
                (n, 0) => format!(" {n} |"),
                (n, bad) => format!(" {n}, {bad} violated |"),
            };
        }
        out.push('\n');
    }
    let tested = shown.iter().filter(|i| calls.contains_key(&decls.list[**i].name)).count();
    format!("\n{} functions, {tested} of them called by a test.\n\n{out}", shown.len())
}

/// The rules of an instruction: its own, or those of what it is short for, without the waits that many share.
pub(crate) fn rules(spec: &Spec, i: usize) -> Vec<usize> {
    let of = |i: usize| (0..spec.rules.len()).filter(move |r| matches!(spec.rules[*r].on, Some((_, on, _)) if on == i));
    let own: Vec<usize> = of(i).collect();
    if !own.is_empty() {
        return own;
    }
    let Some(short) = &spec.expansions[i] else { return vec![] };
    let parts = short.steps.iter().map(|(part, _)| *part);
    let parts = parts.filter(|p| short.steps.len() == 1 || spec.instructions.list[*p].name != "MPI_Wait");
    let mut out: Vec<usize> = parts.flat_map(|p| rules(spec, p)).collect();
    out.dedup();
    out
}

/// Sections of the standard that rules cite, each once.
pub(crate) fn sections(spec: &Spec, rules: &[usize]) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for r in rules {
        for cite in spec.rules[*r].cite.split("; ").filter_map(|c| c.strip_prefix("MPI-4.1 ")) {
            for word in cite.split([' ', ',', ';']).filter(|w| w.starts_with('§')) {
                let word = word.trim_end_matches(':').to_owned();
                if !out.contains(&word) {
                    out.push(word);
                }
            }
        }
    }
    out
}
