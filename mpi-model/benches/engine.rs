//! The searches of whole programs: user time, and bytes and microseconds a state, as the tables of BENCHMARKS.md.
//!
//! `cargo bench -p litmpi-mpi-model --bench engine` measures all rows in one run and writes the tables; with names of rows behind `--`, it
//! prints those alone. Each row is measured in a process of its own, so that its memory is its own: that process says what it took.

use litmpi_litmus::ast::Test;
use litmpi_litmus::cycles::cycles;
use litmpi_litmus::{library, parse};
use litmpi_models::{Effort, Limits, Model, Search};
use litmpi_mpi_model::families as mpi;
use litmpi_rdma_model::generate;
use litmpi_spec::source::Source;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Seconds of processor time after which a row is given up.
const MOST: u32 = 60;
/// Bytes of memory after which it is.
const MEMORY: usize = 4 << 30;

/// What is measured: a model, and programs for it.
struct Row {
    name: String,
    model: &'static str,
    threads: usize,
    search: Search,
    programs: Box<dyn Fn() -> Vec<String>>,
    /// What an older state of the engine took, as its measurements say.
    before: &'static str,
}

impl Row {
    fn before(self, before: &'static str) -> Row {
        Row { before, ..self }
    }
}

fn row(name: impl Into<String>, model: &'static str, programs: impl Fn() -> Vec<String> + 'static) -> Row {
    Row { name: name.into(), model, threads: 1, search: Search::default(), programs: Box::new(programs), before: "" }
}

/// A table: its heading, whether a line is one program or many, and the lines.
type Table = (&'static str, Vec<Row>);

fn tables() -> Vec<Table> {
    let one = |name: &str, n: usize, model, make: fn(usize) -> String| {
        row(format!("{name} {n}"), model, move || vec![make(n)])
    };
    let many =
        |name: &str, sizes: &[usize], model, make| sizes.iter().map(|n| one(name, *n, model, make)).collect::<Vec<_>>();
    let two = |mut row: Row| {
        row.name += ", two threads";
        row.threads = 2;
        row
    };
    let full = |mut row: Row| {
        row.name += ", in full";
        row.search = Search::Full;
        row
    };
    let library = |name: &'static str, folder: &'static str| row(name, model_of(folder), move || texts(folder));
    vec![
        (
            "libraries",
            vec![
                library("MPI tests", "litmus/mpi"),
                library("tests of MPI over RDMA", "litmus/mpi-rdma"),
                library("RDMA tests", "litmus/rdma"),
            ],
        ),
        (
            "orders",
            [
                many("wildcard senders", &[6, 7], "mpi", mpi::senders),
                vec![
                    one("wildcard senders", 8, "mpi", mpi::senders).before("1.6 s, 48 MB"),
                    one("wildcard senders", 9, "mpi", mpi::senders).before("43.7 s, 343 MB"),
                ],
                vec![two(one("wildcard senders", 9, "mpi", mpi::senders))],
                many("weighted sum of senders", &[8, 9], "mpi", mpi::weighted),
                vec![two(one("weighted sum of senders", 9, "mpi", mpi::weighted))],
                vec![row("master, 6 workers, 20 tasks", "mpi", || vec![mpi::master(6, 20)])],
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "many ranks",
            [
                many("ring", &[16, 64], "mpi", mpi::ring),
                many("halo", &[16, 64], "mpi", mpi::halo),
                many("tree", &[16, 64], "mpi", mpi::tree),
                many("butterfly", &[16, 64], "mpi", mpi::butterfly),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "below MPI",
            [
                vec![
                    one("ring over RDMA", 3, "mpi-rdma", mpi::ring),
                    one("ring over RDMA", 4, "mpi-rdma", mpi::ring).before("not done in 15 s and 2 GB"),
                ],
                many("ring over RDMA", &[5, 6], "mpi-rdma", mpi::ring),
                vec![
                    one("halo over RDMA", 3, "mpi-rdma", mpi::halo),
                    full(one("halo over RDMA", 3, "mpi-rdma", mpi::halo)).before("14 µs and 2.7 KB a state"),
                ],
                many("chain of message passing", &[5, 7], "rdma-tso", mpi::chain),
                vec![one("chain of message passing", 9, "rdma-tso", mpi::chain).before("8 nodes: not within 3 GB")],
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "processors and declared models",
            vec![
                row("classic X86 tests", "tso", classic).before("2,200 tests a second"),
                row("classic X86 tests", "tso.cat", classic).before("4,500 tests a second"),
                row("store buffering by 10 threads", "tso", || vec![buffering(10)]).before("18 times `tso.cat`"),
                row("store buffering by 10 threads", "tso.cat", || vec![buffering(10)]),
                row("1,700 random RDMA programs", "rdma-tso.cat", random).before("18.3 ms a test"),
                row("1,700 random RDMA programs", "rdma-sc.cat", random).before("11.4 ms a test"),
            ],
        ),
    ]
}

fn model_of(folder: &str) -> &'static str {
    match folder {
        "litmus/mpi" => "mpi",
        "litmus/mpi-rdma" => "mpi-rdma",
        _ => "rdma-tso",
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn texts(folder: &str) -> Vec<String> {
    let files = library::find(&[root().join(folder)]).expect("the library");
    files.iter().map(|f| Source::read(f).expect("a file").text.to_string()).collect()
}

/// Every critical cycle of two threads, and as many of three and of four, evenly chosen; ten times, to be measured.
fn classic() -> Vec<String> {
    let two = cycles(2).count();
    let chosen = (2..=4).flat_map(|threads| {
        let step = cycles(threads).count() / two;
        cycles(threads).step_by(step.max(1)).take(two)
    });
    let texts: Vec<String> = chosen.map(|c| c.text()).collect();
    vec![texts; 10].concat()
}

/// Each thread writes its own location and reads the next one's.
fn buffering(n: usize) -> String {
    let line = |cell: &dyn Fn(usize) -> String| (0..n).map(cell).collect::<Vec<_>>().join(" | ") + " ;\n";
    let reads = (0..n).map(|i| format!("{i}:EAX=0")).collect::<Vec<_>>().join(" /\\ ");
    let body = [
        line(&|i| format!("P{i}")),
        line(&|i| format!("MOV [x{i}],$1")),
        line(&|i| format!("MOV EAX,[x{}]", (i + 1) % n)),
    ];
    format!("X86 SB{n}\n\"store buffering by {n} threads\"\n{{ }}\n{}exists ({reads})\n", body.concat())
}

fn random() -> Vec<String> {
    (0..1700).map(|seed| generate::random(seed, 2 + seed as usize % 2, 2 + seed as usize % 3)).collect()
}

/// Processor time of this process so far, in seconds, and the most memory that it has had, in bytes.
fn taken() -> (f64, usize) {
    let read = |file: &str| std::fs::read_to_string(file).expect("Linux");
    let stat = read("/proc/self/stat");
    // The fourteenth field, in hundredths of a second; the second one may hold blanks, in parentheses.
    let user = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11)).expect("user time");
    let status = read("/proc/self/status");
    let most = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).and_then(|l| l.split_whitespace().next());
    let kib: usize = most.and_then(|kib| kib.parse().ok()).expect("a number of KiB");
    (user.parse::<f64>().expect("a number") / 100.0, kib << 10)
}

/// Measures one row in this process.
fn measure(row: &Row) -> Value {
    let model = Model::named(row.model).expect("a shipped model");
    let limits =
        Limits { threads: row.threads, search: row.search, bytes: MEMORY, states: 200_000_000, ..Limits::default() };
    let texts = (row.programs)();
    let ((before, memory), start) = (taken(), Instant::now());
    let (mut states, mut tests, mut bounds) = (0, 0, vec![]);
    for text in &texts {
        // The library has tests for other models beside these.
        let Ok(test): Result<Test, _> = parse(&Source::new("generated", text.as_str()), model.instructions()) else {
            continue;
        };
        if model.runs(&test, limits).is_err() {
            continue;
        }
        let answer = model.answer(&test, "default", limits).expect("it runs");
        tests += 1;
        states += match answer.effort {
            Effort::Search { states, .. } => states,
            Effort::Walks { steps, .. } => steps,
            Effort::Candidates { candidates, .. } => candidates as usize,
        };
        bounds.extend(answer.stopped().map(ToString::to_string));
    }
    let wall = start.elapsed().as_secs_f64();
    let (after, most) = taken();
    json!({ "tests": tests, "states": states, "user": after - before, "wall": wall, "bytes": most - memory, "bounds": bounds })
}

/// Measures one row in a process of its own, which is ended if it takes too long.
fn apart(index: usize) -> Option<Value> {
    let own = std::env::current_exe().expect("a program");
    let limited = format!("ulimit -t {MOST}; exec \"$0\" --row {index}");
    let said = Command::new("sh").args(["-c", &limited]).arg(own).output().expect("a shell");
    serde_json::from_slice(&said.stdout).ok()
}

fn line(row: &Row, found: Option<&Value>) -> String {
    let Some(found) = found else {
        return format!("| {} | `{}` | {} | not done in {MOST} s | | | |\n", row.name, row.model, row.before);
    };
    let number = |name: &str| found[name].as_f64().expect("a number");
    let (tests, states, user) = (number("tests"), number("states"), number("user"));
    if let Some(bound) = found["bounds"].as_array().and_then(|b| b.first()) {
        let bound = bound.as_str().unwrap_or("");
        return format!("| {} | `{}` | {} | stopped at {bound} | | | |\n", row.name, row.model, row.before);
    }
    let each = if tests > 1.0 {
        format!("{:.3} ms a test of {tests}: {:.0} a second", user / tests * 1e3, tests / user)
    } else {
        String::new()
    };
    // Smaller searches are mostly preparation.
    let large = states >= 20_000.0;
    let time = if large { format!("{:.1} µs", user / states * 1e6) } else { String::new() };
    let bytes = if large { format!("{:.0}", number("bytes") / states) } else { String::new() };
    let wall = if row.threads > 1 {
        format!("{user:.2} s ({:.2} s by the clock)", number("wall"))
    } else {
        format!("{user:.2} s")
    };
    format!("| {} | `{}` | {} | {wall} | {states} | {time} {each} | {bytes} |\n", row.name, row.model, row.before)
}

const BEGIN: &str = "<!-- written by `cargo bench -p litmpi-mpi-model --bench engine` -->\n";
const END: &str = "<!-- end of what is written -->\n";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables = tables();
    if let [flag, index] = arguments.as_slice()
        && flag == "--row"
    {
        let row = tables.iter().flat_map(|(_, rows)| rows).nth(index.parse().expect("a number")).expect("a row");
        println!("{}", measure(row));
        return;
    }
    // What runs tests of all targets does not ask for measurements.
    if !arguments.iter().any(|a| a == "--bench") {
        return;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let (mut text, mut index) = (String::new(), 0);
    for (heading, rows) in &tables {
        let _ = write!(
            text,
            "\n### {heading}\n\n| programs | model | before | user time | states | each | bytes a state |\n|---|---|---|---|---|---|---|\n"
        );
        for row in rows {
            if wanted.is_empty() || wanted.iter().any(|w| row.name.contains(w.as_str())) {
                let line = line(row, apart(index).as_ref());
                print!("{line}");
                text += &line;
            }
            index += 1;
        }
    }
    if wanted.is_empty() {
        let file = root().join("BENCHMARKS.md");
        let old = std::fs::read_to_string(&file).expect("BENCHMARKS.md");
        let (before, rest) = old.split_once(BEGIN).expect("a mark where the tables begin");
        let (_, after) = rest.split_once(END).expect("a mark where they end");
        std::fs::write(&file, format!("{before}{BEGIN}{text}\n{END}{after}")).expect("BENCHMARKS.md can be written");
    }
}
