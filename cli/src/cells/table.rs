//! The cells of Fig. 9, and the model with one of them changed.

use crate::shrink::Side;
use litmpi_litmus::golden::DEFAULT;
use litmpi_models::Model;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped::CAT_FILES;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// The figure, as the paper has it.
const FIGURE: &str = include_str!("fig9.txt");
/// The model whose orders the figure is, and the line before which they are changed.
const MODEL: &str = "rdma-tso.cat";
const BEFORE: &str = "include \"rdma-tso-checks.cat\"";

/// What is asked of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// `y` and `q`: without it, more is allowed.
    Needed,
    /// `q`: if other queue pairs were ordered, too, less would be allowed.
    OneQueue,
    /// `.`: if it were ordered, less would be allowed.
    Open,
}

/// A cell, and something that is asked of it.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// `ippo` or `oppo`, or `both` for a cell that both order.
    pub(super) order: &'static str,
    pub(super) row: &'static str,
    pub(super) column: &'static str,
    pub(super) letter: &'static str,
    pub(super) asks: Asks,
}

fn of_network(label: &str) -> bool {
    label.starts_with('n')
}

impl Cell {
    /// All that the figure asks, in its order.
    pub(super) fn all() -> Vec<Cell> {
        let mut out = vec![];
        let mut lines =
            FIGURE.lines().filter(|l| !l.starts_with('#')).map(|l| l.split_whitespace().collect::<Vec<_>>());
        let (mut order, mut columns) = ("", vec![]);
        for words in lines.by_ref() {
            if words[0] == "ippo" || words[0] == "oppo" {
                (order, columns) = (words[0], words[1..].to_vec());
                continue;
            }
            for (column, letter) in columns.iter().copied().zip(words[1..].iter().copied()) {
                let asks: &[Asks] = match letter {
                    "y" => &[Asks::Needed],
                    "q" => &[Asks::Needed, Asks::OneQueue],
                    _ => &[Asks::Open],
                };
                out.extend(asks.iter().map(|asks| Cell { order, row: words[0], column, letter, asks: *asks }));
            }
        }
        // What is issued in order is mostly observed in order, and the other way round: then one of the two is enough, and both are not.
        let ordered = |order: &str, c: &Cell| {
            out.iter().any(|d: &Cell| (d.order, d.row, d.column, d.asks) == (order, c.row, c.column, Asks::Needed))
        };
        let both: Vec<Cell> = out
            .iter()
            .filter(|c| c.order == "ippo" && c.asks == Asks::Needed && ordered("oppo", c))
            .map(|c| Cell { order: "both", ..c.clone() })
            .collect();
        out.extend(both);
        out
    }

    /// The line of cat that changes it.
    pub(super) fn change(&self) -> String {
        if self.order == "both" {
            return ["ippo", "oppo"].map(|order| Cell { order, ..self.clone() }.change()).join(" ");
        }
        let Cell { order, row, column, .. } = self;
        match self.asks {
            Asks::Needed => format!("let {order} = {order} \\ (po & ({row} * {column}))"),
            Asks::OneQueue => format!("let {order} = {order} | (po & ({row} * {column})) \\ sqp"),
            Asks::Open if of_network(row) && of_network(column) => {
                format!("let {order} = {order} | (po & sqp & ({row} * {column}))")
            }
            Asks::Open => format!("let {order} = {order} | (po & ({row} * {column}))"),
        }
    }

    /// The model with it changed.
    ///
    /// # Errors
    /// None of a whole installation.
    pub(super) fn side(&self, programs: &Arc<litmpi_spec::model::Spec>) -> Result<Side, Report> {
        let found = CAT_FILES.iter().find(|(name, _)| name.rsplit('/').next() == Some(MODEL));
        let Some((before, after)) = found.and_then(|(_, text)| text.split_once(BEFORE)) else {
            return Err(Diagnostic::general(format!("{MODEL} has no line `{BEFORE}`")).into());
        };
        let text = format!("{before}{}\n{BEFORE}{after}", self.change());
        let name = format!("{MODEL} with {}", self.change());
        let model = Model::relations_in_memory(MODEL, Arc::clone(programs), |given| {
            litmpi_cat::load_text(&Source::new(name.as_str(), text), given)
        })?;
        Ok(Side { name, model, variant: DEFAULT.to_owned() })
    }

    /// Whether a program has what the cell speaks of.
    pub(super) fn is_in(&self, threads: &[Vec<Event>]) -> bool {
        let queue = |a: &Event, b: &Event| match self.asks {
            Asks::OneQueue => a.towards != b.towards,
            _ => !(of_network(self.row) && of_network(self.column)) || a.towards == b.towards,
        };
        threads.iter().any(|events| {
            let later = |i: usize| events[i + 1..].iter();
            events
                .iter()
                .enumerate()
                .any(|(i, a)| a.label == self.row && later(i).any(|b| b.label == self.column && queue(a, b)))
        })
    }
}

/// The programs of the model, and the model as it is.
///
/// # Errors
/// None of a whole installation.
pub(super) fn right() -> Result<(Arc<litmpi_spec::model::Spec>, Side), Report> {
    Ok((Arc::new(load_shipped("rdma-tso-simplified")?), Side::named(MODEL)?))
}

/// An access or a fence of a thread, by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    label: &'static str,
    towards: Option<u32>,
}

/// The events of each thread of a text, as its statements are written by `shapes` and `cycles`.
pub(super) fn events(text: &str) -> Vec<Vec<Event>> {
    let threads = text.split("\nthread ").skip(1);
    threads.map(|t| t.split("\n}").next().unwrap_or("").lines().skip(1).flat_map(of_statement).collect()).collect()
}

fn of_statement(line: &str) -> Vec<Event> {
    let line = line.trim();
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    let remote = |text: &str| text.split_once('@').and_then(|(_, node)| number(node));
    let all = |labels: &[&'static str], towards| labels.iter().map(|l| Event { label: l, towards }).collect();
    if let Some((to, from)) = line.split_once(" := ") {
        return match (remote(to), remote(from)) {
            (Some(n), _) => all(&["nlR", "nrW"], Some(n)),
            (_, Some(n)) => all(&["nrR", "nlW"], Some(n)),
            _ if from.starts_with("CAS") => all(&["CAS", "F", "lR"], None),
            _ if from.starts_with(|c: char| c.is_ascii_digit()) => all(&["lW"], None),
            _ => all(&["lR"], None),
        };
    }
    let inside = line.split_once('(').and_then(|(_, rest)| number(rest));
    match line {
        "mfence" => all(&["F"], None),
        _ if line.starts_with("poll") => all(&["P"], inside),
        _ if line.starts_with("rfence") => all(&["nF"], inside),
        _ => vec![],
    }
}
