//! `litmpi cells`: Fig. 9 of rdma-tso cell by cell. A test tells a cell if the model with that cell changed has other outcomes: without what
//! the figure orders more are allowed, with what it leaves open fewer.

mod find;
mod table;

use crate::whole::write_file;
use crate::{Verdict, remark, say};
use clap::Args;
use find::{Found, Models, Told, find};
use litmpi_litmus::library;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use table::{Asks, Cell};

#[derive(Debug, Args)]
pub(crate) struct CellsArgs {
    /// Tests of RDMA, of which the smallest is named that tells a cell
    #[arg(value_name = "FILE|DIR")]
    tests: Vec<PathBuf>,
    /// Look for such tests, and write them into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "tests")]
    find: Option<PathBuf>,
    /// With `--find`: statements of the largest programs of which all are tried
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=4))]
    size: u8,
    /// With `--find`: edges of the largest critical cycles
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=8))]
    edges: u8,
    /// Work on N programs at once, rather than on as many as there are cores
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    jobs: Option<usize>,
}

const ABOUT: &str = "\
# Fig. 9 cell by cell

Made by `litmpi cells litmus/cells litmus/rdma > docs/fig9.md`; the tests of `litmus/cells` by `litmpi cells --find litmus/cells`. Fig. 9 of rdma-tso says what of a thread is issued in order
(`ippo`) and what is observed in order (`oppo`): rows stand earlier in program order, columns later; `y` is ordered, `q` on one queue pair, `.` is not. A test tells a
cell if `rdma-tso.cat` with the cell changed has other outcomes: without it more are allowed (`y`, `q`), with it fewer (`.`; of `q`, if other queue pairs were ordered, too).

A number is how many statements the smallest test has that tells the cell; of `q` the second one is of the test that tells that other queue pairs are not ordered. A test is the smallest if it has at
most three statements, for all programs of so many were tried; larger ones are the first critical cycles that tell, or tests of the library. `–` is a cell that none tells.

Most cells are not needed by themselves: what takes effect at once is issued and observed in one step, so that its order in one of the tables gives the other. So a third table takes a cell
out of both. What is `–` there is implied by other cells on every program that was tried: fences and polls communicate with nobody, so that an order with them matters only where it leads on to
what is not ordered otherwise.
";

pub(crate) fn cells(args: &CellsArgs) -> Result<Verdict, Report> {
    let models = Models::new()?;
    if let Some(dir) = &args.find {
        let (found, left) = find(&models, usize::from(args.size), usize::from(args.edges), args.jobs);
        write(&models, dir, &found)?;
        remark(&format!(
            "{} tests in {}; of {} questions {} are left",
            found.len(),
            dir.display(),
            models.cells.len(),
            left.len()
        ));
        return Ok(Verdict::Good);
    }
    if args.tests.is_empty() {
        let d = Diagnostic::general("no tests are named that would tell cells");
        return Err(d
            .help("name a folder of tests, `litmpi cells litmus/cells`, or have some found: `--find DIR`")
            .into());
    }
    let mut tests: Vec<(String, String)> = vec![];
    for path in library::find(&args.tests)? {
        let text = Source::read_as(&path, "the test ")?.text.clone();
        tests.push((path.display().to_string(), text.into_owned()));
    }
    let all = crate::parallel::map(&tests, args.jobs, "tests", |(_, text)| models.told(text, &|_| true));
    let mut best: BTreeMap<usize, (usize, &str, Told)> = BTreeMap::new();
    for ((name, text), told) in tests.iter().zip(all) {
        for t in told {
            let this = (statements(text), name.as_str(), t);
            match best.get(&this.2.cell) {
                Some(b) if (b.0, b.1) <= (this.0, this.1) => {}
                _ => drop(best.insert(this.2.cell, this)),
            }
        }
    }
    say(&page(&models.cells, &best));
    Ok(Verdict::Good)
}

/// How many statements a program has.
fn statements(text: &str) -> usize {
    text.split("\nthread ").skip(1).map(|t| t.split("\n}").next().unwrap_or("").lines().skip(1).count()).sum::<usize>()
}

/// The tables of both orders, and the test of each cell.
fn page(cells: &[Cell], best: &BTreeMap<usize, (usize, &str, Told)>) -> String {
    let mut out = ABOUT.to_owned();
    let told = |asks: fn(Asks) -> bool| -> (usize, usize) {
        let of: Vec<usize> = (0..cells.len()).filter(|i| asks(cells[*i].asks)).collect();
        (of.iter().filter(|i| best.contains_key(i)).count(), of.len())
    };
    let (needed, open, queues) =
        (told(|a| a == Asks::Needed), told(|a| a == Asks::Open), told(|a| a == Asks::OneQueue));
    let _ = writeln!(
        out,
        "\nOf {} cells `y` and `q`, {} are needed by a test; of {} cells `.`, {} are shown; of {} cells `q`, {} are shown to be of one queue pair only.",
        needed.1, needed.0, open.1, open.0, queues.1, queues.0
    );
    for (order, what) in
        [("ippo", "issued in order"), ("oppo", "observed in order"), ("both", "issued and observed in order")]
    {
        let of: Vec<usize> = (0..cells.len()).filter(|i| cells[*i].order == order).collect();
        let mut columns: Vec<&str> = vec![];
        for c in cells {
            if !columns.contains(&c.column) {
                columns.push(c.column);
            }
        }
        let _ = writeln!(
            out,
            "\n## What is {what}: {}\n\n| | {} |\n|---|{}",
            if order == "both" { "both tables".to_owned() } else { format!("`{order}`") },
            columns.join(" | "),
            "---|".repeat(columns.len())
        );
        for row in &columns {
            let in_column = |column: &&str| {
                let here: Vec<usize> =
                    of.iter().copied().filter(|i| cells[*i].row == *row && cells[*i].column == *column).collect();
                let Some(first) = here.first() else { return String::new() };
                let letter = cells[*first].letter;
                let size = |i: &usize| best.get(i).map_or("–".to_owned(), |b| b.0.to_string());
                format!("{letter} {}", here.iter().map(size).collect::<Vec<_>>().join(", "))
            };
            let _ = writeln!(out, "| **{row}** | {} |", columns.iter().map(in_column).collect::<Vec<_>>().join(" | "));
        }
        let _ = writeln!(out, "\n| cell | | test | by the outcome |\n|---|---|---|---|");
        for i in of {
            let c = &cells[i];
            let asks = match c.asks {
                Asks::Needed => "needed",
                Asks::OneQueue => "one queue pair only",
                Asks::Open => "not ordered",
            };
            let (test, outcome) = best.get(&i).map_or(("–".to_owned(), String::new()), |(_, name, told)| {
                let stem = Path::new(name).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                (format!("[{stem}](../{name})"), format!("`{}`", told.outcome))
            });
            let _ = writeln!(out, "| {}, {} `{}` | {asks} | {test} | {outcome} |", c.row, c.column, c.letter);
        }
    }
    out
}

/// Writes the tests, each with a claim for each outcome by which it tells a cell.
fn write(models: &Models, dir: &Path, found: &[Found]) -> Result<(), Report> {
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    litmpi_scratch::own(dir).map_err(failed)?;
    for f in found {
        let cell = |t: &Told| &models.cells[t.cell];
        let first = cell(&f.told[0]);
        let own = f.text.split_whitespace().nth(2).unwrap_or("small");
        let queue = if first.asks == Asks::OneQueue { "-queues" } else { "" };
        let name = if own == "small" {
            format!("{}-{}-{}{queue}", first.order, first.row, first.column)
        } else {
            own.to_owned()
        };
        let kept: Vec<&str> =
            f.text.lines().skip(1).take_while(|l| !l.starts_with("exists") && !l.starts_with("locations")).collect();
        let mut text = format!("litmus rdma {name} \"what tells cells of Fig. 9 of rdma-tso\"\n{}\n", kept.join("\n"));
        let mut claims: BTreeMap<(&str, bool), Vec<String>> = BTreeMap::new();
        for t in &f.told {
            let c = cell(t);
            let how = if c.asks == Asks::OneQueue { " on other queue pairs" } else { "" };
            claims
                .entry((&t.outcome, c.asks == Asks::Needed))
                .or_default()
                .push(format!("{}, {} of {}{how}", c.row, c.column, c.order));
        }
        for ((outcome, needed), of) in &claims {
            let parts: Vec<String> = outcome.split_terminator(';').map(|p| p.trim().replace('=', " = ")).collect();
            let (verdict, why) =
                if *needed { ("forbidden", "what is ordered") } else { ("allowed", "what is not ordered") };
            let _ = writeln!(
                text,
                "exists {}\n  verdict rdma-tso {verdict}  cite rdma-tso \"Fig. 9: {}\"  because \"{why}\"",
                parts.join(" /\\ "),
                of.join("; ")
            );
        }
        write_file(&dir.join(format!("{name}.litmus")), &text)?;
    }
    Ok(())
}
