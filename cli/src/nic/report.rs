//! `litmpi nic --report`: the library on the emulated NIC under each variant and in each language, and each NIC that breaks one rule, as a page.

use super::caught::{self, Line};
use crate::run::{results, whole};
use crate::{Verdict, remark, say};
use litmpi_runner::{Comparison, RunResult};
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// A way to run the library: what it is called, the model's variant, the target and the language of the programs.
type Way = [&'static str; 4];

const WAYS: [Way; 11] = [
    ["default", "default", "nic", "c"],
    ["no-pcie", "no-pcie", "nic", "c"],
    ["inline", "inline", "nic", "c"],
    ["no-pcie-inline", "no-pcie-inline", "nic", "c"],
    ["relaxed-ordering", "relaxed-ordering", "nic", "c"],
    ["unordered", "unordered", "nic", "c"],
    ["fi-order-waw", "fi-order-waw", "nic", "c"],
    ["gpu-memory", "gpu-memory", "nic", "c"],
    ["threads", "default", "nic:threads", "c"],
    ["rust", "default", "nic", "rust"],
    ["rust, threads", "default", "nic:threads", "rust"],
];

/// The library run in one way.
struct Library {
    name: &'static str,
    /// By test; each was run once.
    tests: BTreeMap<String, RunResult>,
    seconds: f64,
}

impl Library {
    fn run([name, variant, target, language]: Way, folders: &[PathBuf], seed: u64) -> Result<Library, Report> {
        let out =
            tempfile::tempdir().map_err(|e| Report::from(Diagnostic::general(format!("a folder for a run: {e}"))))?;
        let (out, seed) = (out.path().display().to_string(), seed.to_string());
        let folders: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        let mut words: Vec<&str> = folders.iter().map(String::as_str).collect();
        words.extend(["--target", target, "--variant", variant, "--lang", language]);
        words.extend(["--seed", &seed, "--out", &out, "--tuned", "/dev/null"]);
        let begun = Instant::now();
        let results = whole(results(&Line::read(&words)?)?)?;
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(Comparison::Skipped { reason } | Comparison::Failed { reason }) = results
            .iter()
            .map(|r| &r.verdict)
            .find(|v| matches!(v, Comparison::Skipped { .. } | Comparison::Failed { .. }))
        {
            return Err(Diagnostic::general(format!("the library was not run: {reason}")).into());
        }
        Ok(Library { name, tests: results.into_iter().map(|r| (r.test.clone(), r)).collect(), seconds })
    }

    fn sum(&self, of: impl Fn(&RunResult) -> u64) -> u64 {
        self.tests.values().map(of).sum()
    }

    fn total(&self) -> String {
        format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {:.0} |\n",
            self.name,
            self.tests.len(),
            self.sum(allowed),
            self.sum(seen),
            self.tests.values().map(forbidden).sum::<usize>(),
            self.sum(|r| r.iterations),
            self.sum(|r| r.directed),
            self.seconds,
        )
    }
}

fn allowed(r: &RunResult) -> u64 {
    r.allowed.len() as u64
}

fn seen(r: &RunResult) -> u64 {
    allowed(r) - r.unseen.len() as u64
}

fn forbidden(r: &RunResult) -> usize {
    r.observed.iter().filter(|o| o.allowed != Some(true)).count()
}

pub(crate) fn report(folders: &[PathBuf], seed: u64) -> Result<Verdict, Report> {
    let libraries: Vec<Library> =
        WAYS.into_iter().map(|v| Library::run(v, folders, seed)).collect::<Result<_, Report>>()?;
    let names: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    let mut page = format!(
        "# What the emulated NIC shows\n\n\
         Made by `litmpi nic --report {} --seed {seed} > docs/nic.md`. Every test goes freely for 100 ms; outcomes that have not come are then\n\
         directed to, in at most five launches. The seed fixes the NIC's choices, not the processors' timing: counts differ from run to run.\n\
         Nodes are processes, or threads of one; programs are C by libibverbs, or Rust by rdma-sys.\n\n\
         ## Outcomes\n\n\
         | | tests | outcomes allowed | seen | seen and not allowed | iterations | of them directed | seconds in all |\n\
         |---|---|---|---|---|---|---|---|\n",
        names.join(" --report ")
    );
    libraries.iter().for_each(|l| page.push_str(&l.total()));
    page.push_str("\nNot seen:");
    let mut complete = true;
    for (l, r) in libraries.iter().flat_map(|l| l.tests.values().map(move |r| (l, r))) {
        for outcome in &r.unseen {
            complete = false;
            let _ = write!(page, "\n- {} (`{}`): `{}`", r.test, l.name, outcome.trim_end());
        }
    }
    page.push_str(if complete { " nothing.\n" } else { "\n" });
    let _ =
        write!(page, "\nBy test: outcomes seen of those allowed, iterations, of them directed, seconds.\n\n| test |");
    let ways: String = libraries.iter().map(|l| format!(" `{}` |", l.name)).collect();
    let _ = writeln!(page, "{ways}\n|---|{}", "---|".repeat(libraries.len()));
    for test in libraries[0].tests.keys() {
        let _ = write!(page, "| {test} |");
        for r in libraries.iter().map(|l| &l.tests[test]) {
            let seconds = r.millis as f64 / 1e3;
            let _ = write!(page, " {}/{}, {}, {}, {seconds:.1} |", seen(r), allowed(r), r.iterations, r.directed);
        }
        page.push('\n');
    }
    let mut table = String::new();
    let missed = caught::table(folders, seed, |line| table.push_str(line))?;
    let _ = write!(
        page,
        "\n## NICs that break one rule\n\nEach is directed to what its broken rule lets it do, on a test that can tell (`litmpi nic --catch litmus`).\n\n{table}"
    );
    say(&page);
    let wrong = libraries.iter().any(|l| l.tests.values().any(|r| r.verdict.is_violation()));
    missed.iter().for_each(|name| remark(&format!("not caught: {name}")));
    Ok(if wrong || !missed.is_empty() { Verdict::Bad } else { Verdict::Good })
}
