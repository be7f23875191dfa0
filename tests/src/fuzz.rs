//! Everything that reads input of others, each as a function of bytes that must come back: by an answer or by a message,
//! never by a panic. `fuzz/` drives them by coverage; `tests/it/fuzz.rs` puts the corpus and its mutations to them.

use litmpi_cat::candidates::Programs;
use litmpi_cat::{self, Given};
use litmpi_litmus::ast::Test;
use litmpi_litmus::golden::Golden;
use litmpi_litmus::log::{Log, State};
use litmpi_litmus::{check_threads, lower, parse, parse_family, print};
use litmpi_models::{Operational, Search, Setup};
use litmpi_mpi_model::laws;
use litmpi_runner::{Expected, Plan, PlannedTest, Rows, RunResult, Stress};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// What reads bytes.
pub type Reader = fn(&[u8]);

/// All of them: the name, which is that of the folder of its corpus, and the function.
pub const TARGETS: [(&str, Reader); 9] = [
    ("litmus", litmus),
    ("spec", spec),
    ("cat", cat_model),
    ("laws", laws_file),
    ("log", log),
    ("results", results),
    ("targets", targets),
    ("stress", stress),
    ("harness", harness),
];

fn shipped(model: &str) -> Arc<Spec> {
    Arc::new(litmpi_spec::load::load_shipped(model).expect("a shipped model"))
}

static RDMA: LazyLock<Arc<Spec>> = LazyLock::new(|| shipped("rdma-tso-simplified"));
static MPI: LazyLock<Arc<Spec>> = LazyLock::new(|| shipped("mpi"));
static X86: LazyLock<Arc<Spec>> = LazyLock::new(|| shipped("tso"));
static GIVEN: LazyLock<Vec<Given>> =
    LazyLock::new(|| Programs::new(Arc::clone(&RDMA), "default").expect("a shipped model").given());

/// The text, if it is one; longer ones are left to other tests, so that inputs stay quick.
fn text(bytes: &[u8]) -> Option<&str> {
    (bytes.len() <= 1 << 14).then(|| std::str::from_utf8(bytes).ok()).flatten()
}

/// A litmus test, in its own form or herd's: read, printed and read again, made a program, searched a little.
pub fn litmus(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let source = Source::new("fuzz", text);
    let _ = Golden::parse(&source).map_err(|r| r.render(true));
    let family = parse_family(&source).map_err(|r| r.render(true)).unwrap_or_default();
    let spec = match family.as_str() {
        "mpi" => &*MPI,
        "x86" => &*X86,
        _ => &*RDMA,
    };
    let test = match parse(&source, &spec.instructions) {
        Ok(test) => test,
        Err(report) => {
            assert!(!report.0.is_empty(), "a refusal says why");
            return drop(report.render(true));
        }
    };
    let printed = print(&test, &spec.instructions);
    match parse(&Source::new("printed", printed.as_str()), &spec.instructions) {
        Ok(again) => assert_eq!(test.without_places(), again.without_places(), "{printed}"),
        Err(report) => panic!("{printed}\n{}", report.render(false)),
    }
    // A command refuses a file in which nothing runs.
    if check_threads(&test).is_ok() {
        search(&test, spec);
    }
}

/// A search of a few states, in each way.
fn search(test: &Test, spec: &Arc<Spec>) {
    let program = lower(test, Some(1));
    if program.threads.iter().map(|t| t.code.len()).sum::<usize>() > 60 || program.threads.len() > 6 {
        return;
    }
    for search in [Search::Full, Search::Reduced] {
        let mut setup = Setup::new(Arc::clone(spec));
        (setup.unroll, setup.search) = (Some(1), search);
        (setup.bounds.states, setup.bounds.bytes) = (40, 64 << 20);
        let _ = Operational::new(test, &setup).and_then(|o| o.outcomes()).map_err(|r| r.render(true));
    }
}

/// A specification: read, printed and read again, checked.
pub fn spec(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let source = Source::new("fuzz", text);
    match litmpi_spec::parse::parse(&source) {
        Ok(file) => {
            let printed = litmpi_spec::print::print(&file);
            if let Err(report) = litmpi_spec::parse::parse(&Source::new("printed", printed.as_str())) {
                panic!("{printed}\n{}", report.render(false));
            }
            let _ = litmpi_spec::load::load_text(&source).map_err(|r| r.render(true));
        }
        Err(report) => drop(report.render(true)),
    }
}

/// A declarative model: read and checked.
pub fn cat_model(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let _ = litmpi_cat::load_text(&Source::new("fuzz", text), &GIVEN).map_err(|r| r.render(true));
}

/// A file of laws.
pub fn laws_file(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match laws::parse(&Source::new("fuzz", text)) {
        Ok(laws) => laws.items().iter().for_each(|item| drop(item.fits(&MPI).map_err(|r| r.render(true)))),
        Err(report) => drop(report.render(true)),
    }
}

/// A log of a run.
pub fn log(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let _ = Log::parse(&Source::new("fuzz", text)).map_err(|r| r.render(true));
    let _ = State::parse(text);
}

/// Results of runs, a line each: all that is shown of them.
pub fn results(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let all: Vec<RunResult> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    for rows in [Rows::Each, Rows::Folded] {
        let _ = litmpi_runner::summary_table(&all, rows, Some(80));
    }
    let _ = (litmpi_runner::outcomes_table(&all), litmpi_runner::results_json(&all));
    let _ = litmpi_runner::rates_table(&[&*TEST], &all);
    all.iter().for_each(|r| drop(litmpi_runner::log_text(&TEST, r)));
}

/// A file of targets.
pub fn targets(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match litmpi_runner::targets_from(&Source::new("fuzz", text)) {
        Ok(targets) => {
            let words: Vec<&str> = text.split_whitespace().take(2).collect();
            targets.iter().for_each(|t| drop(t.with_options(&words)));
        }
        Err(report) => drop(report.render(true)),
    }
}

/// A vector of stress: what is read prints to the same.
pub fn stress(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(stress) = text.parse::<Stress>() {
        assert_eq!(stress.to_string().parse::<Stress>().as_ref(), Ok(&stress), "{text}");
    }
}

static TEST: LazyLock<Arc<Test>> = LazyLock::new(|| {
    let text = "litmus mpi t \"t\"\nrank 0 { MPI_Send(1, dest: 1) }\nrank 1 { MPI_Recv(a, source: 0, status: s) }\n\
                locations s.tag\nexists a = 1\n";
    Arc::new(parse(&Source::new("t.litmus", text), &MPI.instructions).expect("a right test"))
});

/// What a program under test prints: its standard output, and behind a byte 0 its standard error.
pub fn harness(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (stdout, stderr) = text.split_once('\0').unwrap_or((&text, ""));
    let expected = Expected { complete: true, ..Expected::default() };
    let planned = PlannedTest { test: Arc::clone(&TEST), expected, labels: BTreeMap::new(), stress: BTreeMap::new() };
    let plan = Plan::new(vec![planned.clone(), planned], Arc::new(MPI.instructions.clone()), vec![], PathBuf::new());
    let _ = litmpi_runner::heard::heard(&plan, stdout, stderr);
}
