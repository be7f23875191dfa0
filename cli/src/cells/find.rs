//! Programs that tell the cells, found by trying: every small program first, then critical cycles, smaller ones first.

use super::table::{Asks, Cell, events, right};
use crate::shrink::Side;
use crate::{parallel, remark};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_models::{Limits, Search};
use litmpi_rdma_model::cycles::{Cycles, Edge};
use litmpi_rdma_model::shapes::{DOES, Does, Shapes};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

/// Programs that are asked about at once.
const BATCH: usize = 128;
/// A program with more candidate executions is left out.
const CANDIDATES: usize = 200_000;
/// What every small program is made of here: what Fig. 9 speaks of.
const MADE_OF: [&str; 9] = ["write", "read", "cas", "get", "put", "put_imm", "mfence", "poll", "rfence"];

/// A cell that a program tells, and an outcome by which it does.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// The place of the cell in [`Cell::all`].
    pub(super) cell: usize,
    pub(super) outcome: String,
}

/// The models to be told apart.
pub(super) struct Models {
    right: Side,
    pub(super) cells: Vec<Cell>,
    changed: Vec<Side>,
    limits: Limits,
}

impl Models {
    /// # Errors
    /// None of a whole installation.
    pub(super) fn new() -> Result<Models, Report> {
        let (programs, right) = right()?;
        let cells = Cell::all();
        let changed = cells.iter().map(|c| c.side(&programs)).collect::<Result<_, _>>()?;
        let limits = Limits { search: Search::Auto, states: CANDIDATES, ..Limits::default() };
        Ok(Models { right, cells, changed, limits })
    }

    /// Which of some cells a program tells.
    pub(super) fn told(&self, text: &str, wanted: &dyn Fn(usize) -> bool) -> Vec<Told> {
        let threads = events(text);
        let asked: Vec<usize> =
            (0..self.cells.len()).filter(|i| wanted(*i) && self.cells[*i].is_in(&threads)).collect();
        if asked.is_empty() {
            return vec![];
        }
        let source = Source::new("program", text);
        let Some((test, set)) = self.right.outcomes(&source, self.limits) else { return vec![] };
        let one = |i: &usize| {
            let (_, other) = self.changed[*i].outcomes(&source, self.limits)?;
            let (more, less) = if self.cells[*i].asks == Asks::Needed { (&other, &set) } else { (&set, &other) };
            let outcome = first(&test, more, less)?;
            Some(Told { cell: *i, outcome })
        };
        asked.iter().filter_map(one).collect()
    }
}

/// The first outcome of one set that is not in the other.
fn first(test: &Test, more: &BTreeSet<Outcome>, less: &BTreeSet<Outcome>) -> Option<String> {
    more.difference(less).map(|o| test.show(o)).min()
}

/// A program and what it tells that none before it told.
pub(super) struct Found {
    pub(super) text: String,
    pub(super) told: Vec<Told>,
}

/// The programs that tell cells, each with those that it is the first to tell; and the cells that none tells.
pub(super) fn find(models: &Models, statements: usize, edges: usize, jobs: Option<usize>) -> (Vec<Found>, Vec<usize>) {
    let mut open: BTreeSet<usize> = (0..models.cells.len()).collect();
    let mut found = vec![];
    let of: Vec<Does> = DOES.iter().filter(|(name, _)| MADE_OF.contains(name)).map(|(_, d)| *d).collect();
    for n in 1..=statements {
        try_all(models, &mut Shapes::new(&of, n, 2).map(|s| s.text("small")), &mut open, &mut found, jobs);
        remark(&format!("every program of {n} statements: {} cells are left", open.len()));
    }
    let usual: Vec<Edge> = Cycles::usual();
    let with_cas = [
        "PodCR", "PodRC", "PodWC", "PodCW", "PodCPr", "PodCPw", "PodCGr", "PodCGw", "PolldPwC", "PolldGwC", "PodPrC",
        "PodPwC", "PodGrC", "PodGwC",
    ];
    let usual: Vec<Edge> = usual.into_iter().chain(with_cas.iter().filter_map(|n| Edge::named(n))).collect();
    for n in 2..=edges.min(4) {
        try_all(models, &mut Cycles::new(usual.clone(), n, 3).map(|c| c.text()), &mut open, &mut found, jobs);
        remark(&format!("every cycle of {n} edges: {} cells are left", open.len()));
    }
    // Larger cycles of edges that are of use beside those of a cell.
    let few = [
        "PodRR",
        "PodWW",
        "PodRW",
        "MfencedWR",
        "PolldGwR",
        "PollsGwR",
        "PolldPwR",
        "PolldPwPw",
        "PodRPw",
        "PodqPwPw",
        "PodqPrPw",
        "PodqPwGr",
        "RfencedqGrPw",
        "RfencedqGwPr",
        "RfencedqPwGr",
        "RfencedqGwPw",
        "PolldqGwPr",
        "PolldoGwPr",
        "PodRGr",
        "PodWGr",
        "PodWPr",
        "PodRPr",
        "Put",
        "Get",
        "Rfe",
        "Fre",
        "Coe",
        "Rfi",
        "Fri",
        "W",
        "Pw",
    ];
    let few: Vec<Edge> = few.iter().filter_map(|n| Edge::named(n)).collect();
    for n in 5..=edges {
        try_all(models, &mut Cycles::new(few.clone(), n, 3).map(|c| c.text()), &mut open, &mut found, jobs);
        remark(&format!("cycles of {n} edges of some kinds: {} cells are left", open.len()));
    }
    (found, open.into_iter().collect())
}

fn try_all(
    models: &Models,
    programs: &mut dyn Iterator<Item = String>,
    open: &mut BTreeSet<usize>,
    found: &mut Vec<Found>,
    jobs: Option<usize>,
) {
    loop {
        let batch: Vec<String> = programs.take(BATCH).collect();
        if batch.is_empty() || open.is_empty() {
            return;
        }
        let left = &*open;
        let all = parallel::map(&batch, jobs, "programs", |text| models.told(text, &|i| left.contains(&i)));
        for (text, told) in batch.into_iter().zip(all) {
            let told: Vec<Told> = told.into_iter().filter(|t| open.remove(&t.cell)).collect();
            if !told.is_empty() {
                found.push(Found { text, told });
            }
        }
    }
}
