//! `litmpi generate rdma`: tests from critical cycles, with the verdicts of the models; every small program.
//!
//! Both are streams: some hundred programs are worked on at once, and no list of all is kept.

use super::GenerateArgs;
use super::cycles::{Made, rows_explode, tests, write};
use super::judge::{Judge, Judged};
use super::many::bounded;
use crate::{Verdict, remark, say};
use litmpi_rdma_model::cycles::{Cycle, Cycles, Edge, most, read};
use litmpi_rdma_model::shapes::{DOES, Does, Shapes};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
pub(super) fn rdma(args: &GenerateArgs) -> Result<Verdict, Report> {
    if args.every {
        return every(args);
    }
    if let Some(first) = args.programs.with.first() {
        let d = Diagnostic::general(format!("`--with {first}` says what every small program is made of"));
        return Err(d.help("add `--every`; for cycles, name edges in a file: `--edges FILE`").into());
    }
    if let Some(text) = &args.cycle {
        let cycle = Cycle::parse(&Source::new("--cycle", text.as_str()))?;
        return tests(args, std::iter::once(cycle), &Judge::new()?, true);
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
    let sizes = 2..=args.size();
    let rows: u128 = sizes.clone().map(|n| most(of.clone(), n)).sum();
    rows_explode(args, rows)?;
    let threads = args.threads();
    tests(args, sizes.flat_map(move |n| Cycles::new(of.clone(), n, threads)), &Judge::new()?, false)
}

impl Made for Cycle {
    type Judge = Judge;

    fn name(&self) -> String {
        Cycle::name(self)
    }

    fn model(&self) -> &'static str {
        if self.waits() { "rdma-wait" } else { "rdma-tso" }
    }

    fn judged(&self, judge: &Judge) -> Result<(String, Judged), Report> {
        let text = self.text();
        let judged = judge.judge(&text, self.waits())?;
        Ok((text, judged))
    }
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
    let of = made_of(&args.programs.with)?;
    let (size, threads) = (args.size(), args.threads());
    bounded(args, |n| Shapes::new(&of, n, threads).count(), "`--with put,read`")?;
    if let Some(dir) = args.folder() {
        super::write(dir, &[])?;
    }
    let programs = (1..=size).flat_map(|n| Shapes::new(&of, n, threads).enumerate().map(move |(i, s)| (n, i, s)));
    let mut made = 0;
    for (n, i, shape) in programs.take(args.most.unwrap_or(usize::MAX)) {
        let name = format!("every-{n}-{}", i + 1);
        let text = shape.text(&name);
        match args.folder() {
            Some(dir) => write(dir, &format!("{name}.litmus"), &text)?,
            None => say(&format!("{text}\n")),
        }
        made += 1;
    }
    let said = format!("{made} programs of at most {size} statements in at most {threads} threads");
    match args.folder() {
        Some(dir) => say(&format!("{said} in {}\n", dir.display())),
        None => remark(&said),
    }
    Ok(Verdict::Good)
}
