//! `litmpi generate rdma`: tests from critical cycles, with the verdicts of the models; every small program.
//!
//! Both are streams: some hundred programs are worked on at once, and no list of all is kept.

use super::GenerateArgs;
use super::judge::{Judge, Judged};
use super::many::{MANY, bounded, thousands};
use crate::{Verdict, parallel, remark, say};
use litmpi_rdma_model::cycles::{Cycle, Cycles, Edge, most, read};
use litmpi_rdma_model::shapes::{DOES, Does, Shapes};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use std::path::Path;

/// Tests that are worked on at once.
const BATCH: usize = 256;

pub(super) fn rdma(args: &GenerateArgs) -> Result<Verdict, Report> {
    if args.every {
        return every(args);
    }
    if let Some(first) = args.with.first() {
        let d = Diagnostic::general(format!("`--with {first}` says what every small program is made of"));
        return Err(d.help("add `--every`; for cycles, name edges in a file: `--edges FILE`").into());
    }
    if let Some(text) = &args.cycle {
        let cycle = Cycle::parse(&Source::new("--cycle", text.as_str()))?;
        return tests(args, std::iter::once(cycle), true);
    }
    let of: Vec<Edge> = match &args.edges {
        None => Cycles::usual(),
        Some(file) => {
            let source = Source::read_as(file, "the edges ")?;
            let named = read(&source)?;
            if named.is_empty() {
                let d = Diagnostic::general(format!("{} names no edges", file.display()));
                return Err(d.help("write names such as `PodWR`, `PolldGwR`, `Rfe`, in any lines").into());
            }
            named.into_iter().map(|(edge, _)| edge).collect()
        }
    };
    let sizes = 2..=usize::from(args.size);
    let rows: u128 = sizes.clone().map(|n| most(of.clone(), n)).sum();
    explodes(
        args,
        rows,
        "rows of edges that come back to their beginning, of which a part are critical cycles",
        &["take fewer edges (`--edges FILE`), a smaller `--size`", "the first so many tests (`--most N`)"],
    )?;
    let threads = usize::from(args.threads);
    tests(args, sizes.flat_map(move |n| Cycles::new(of.clone(), n, threads)), false)
}

/// Says how many there are; an error if they are too many.
fn explodes(args: &GenerateArgs, count: u128, of_what: &str, instead: &[&str]) -> Result<(), Report> {
    let count_text = thousands(count);
    if args.most.is_none() && count > MANY * 20 {
        let d = Diagnostic::general(format!("of size {} there are at most {count_text} {of_what}", args.size));
        return Err(d.help(instead.join(", or ")).into());
    }
    if count > MANY {
        remark(&format!("at most {count_text} {of_what}"));
    }
    Ok(())
}

/// A file's path and its text.
fn write(dir: &Path, name: &str, text: &str) -> Result<(), Report> {
    std::fs::write(dir.join(name), text)
        .map_err(|e| Diagnostic::general(format!("cannot write to {}: {e}", dir.display())).into())
}

/// The tests of cycles, each with what the models say of it.
fn tests(args: &GenerateArgs, cycles: impl Iterator<Item = Cycle>, whole: bool) -> Result<Verdict, Report> {
    let judge = Judge::new()?;
    if let Some(dir) = &args.output {
        super::write(dir, &[])?;
    }
    let mut cycles = cycles.take(args.most.unwrap_or(usize::MAX));
    let (mut made, mut undecided, mut allowed, mut differ) = (0, 0, 0, 0);
    loop {
        let batch: Vec<Cycle> = cycles.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let judged = parallel::map(&batch, args.jobs, "tests", |c| {
            let text = c.text();
            judge.judge(&text, c.waits()).map(|j| (text, j))
        });
        for (cycle, judged) in batch.iter().zip(judged) {
            let (text, judged) = judged?;
            let name = cycle.name();
            made += 1;
            let (lines, verdict, golden) = match judged {
                Judged::Agreed { lines, first, golden } => {
                    allowed += usize::from(first == litmpi_litmus::ast::Expect::Allowed);
                    (lines, first.to_string(), golden.to_string())
                }
                Judged::Undecided => {
                    undecided += 1;
                    (String::new(), "undecided".to_owned(), String::new())
                }
                Judged::Differ(how) => {
                    differ += 1;
                    say(&format!("{text}the forms of the model differ:\n{how}\n"));
                    continue;
                }
            };
            match &args.output {
                Some(dir) => {
                    write(dir, &format!("{name}.litmus"), &format!("{text}{lines}"))?;
                    if !golden.is_empty() {
                        write(dir, &format!("{name}.expected"), &golden)?;
                    }
                }
                None if whole => say(&format!("{text}{lines}")),
                None => say(&format!("{name} {} {verdict}\n", if cycle.waits() { "rdma-wait" } else { "rdma-tso" })),
            }
        }
    }
    let said = format!(
        "{made} tests: {allowed} allowed, {} forbidden, {undecided} undecided{}",
        made - allowed - undecided - differ,
        if differ > 0 { format!(", {differ} on which forms of the model differ") } else { String::new() }
    );
    match &args.output {
        Some(dir) => {
            say(&format!("{said}, in {0}; hold the models against them with `litmpi check {0}`\n", dir.display()))
        }
        None => remark(&said),
    }
    Ok(Verdict::of(differ, undecided))
}

/// What every small program is made of.
fn made_of(names: &[String]) -> Result<Vec<Does>, Report> {
    if let Some(name) = names.iter().find(|n| !DOES.iter().any(|(known, _)| known == n)) {
        let known: Vec<&str> = DOES.iter().map(|(name, _)| *name).collect();
        let d = Diagnostic::general(format!("programs are not made with `{name}`"));
        return Err(d.help(format!("they may have: {}", known.join(", "))).into());
    }
    let wanted = |name: &str| if names.is_empty() { name != "flush" } else { names.iter().any(|n| n == name) };
    Ok(DOES.iter().filter(|(name, _)| wanted(name)).map(|(_, d)| *d).collect())
}

/// Every small program, as it is made.
fn every(args: &GenerateArgs) -> Result<Verdict, Report> {
    let of = made_of(&args.with)?;
    let (size, threads) = (usize::from(args.size), usize::from(args.threads));
    bounded(args, |n| Shapes::new(&of, n, threads).count(), "`--with put,read`")?;
    if let Some(dir) = &args.output {
        super::write(dir, &[])?;
    }
    let programs = (1..=size).flat_map(|n| Shapes::new(&of, n, threads).enumerate().map(move |(i, s)| (n, i, s)));
    let mut made = 0;
    for (n, i, shape) in programs.take(args.most.unwrap_or(usize::MAX)) {
        let name = format!("every-{n}-{}", i + 1);
        let text = shape.text(&name);
        match &args.output {
            Some(dir) => write(dir, &format!("{name}.litmus"), &text)?,
            None => say(&format!("{text}\n")),
        }
        made += 1;
    }
    let said = format!("{made} programs of at most {size} statements in at most {threads} threads");
    match &args.output {
        Some(dir) => say(&format!("{said} in {}\n", dir.display())),
        None => remark(&said),
    }
    Ok(Verdict::Good)
}
