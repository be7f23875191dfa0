//! What a page is made of. `page.js` reads it as JSON; names here are names there.

use crate::explain::{Shown, WhyNot};
use serde::Serialize;
use std::collections::BTreeMap;

/// How something counts, by which it is coloured, marked and filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Standing {
    /// The model forbids it, and that is not known; a verdict does not hold.
    Bad,
    /// The model forbids it, and that is known.
    Known,
    /// A bound was reached before it was decided.
    Undecided,
    /// It is another one than beside it.
    Differs,
    /// As it should be.
    Good,
    /// Not run, not covered, or only information.
    Open,
}

/// The whole page.
#[derive(Debug, Default, Serialize)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) parts: Vec<Part>,
    /// By the keys that rows name.
    pub(super) tests: BTreeMap<String, TestPage>,
    pub(super) maps: Vec<Map>,
    /// What is not on the page, and why.
    pub(super) notes: Vec<String>,
    /// Of a page that is served, the state of the files that it is made of; such a page asks for what explains a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) served: Option<String>,
}

impl Page {
    /// Whether nothing is on it.
    pub(super) fn is_empty(&self) -> bool {
        self.maps.is_empty() && self.parts.iter().all(|p| p.rows.is_empty() && p.findings.is_empty())
    }
}

/// What one command came to.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    pub(super) title: String,
    /// Does it conform, in one sentence.
    pub(super) answer: String,
    pub(super) standing: Standing,
    pub(super) facts: Vec<(String, String)>,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) findings: Vec<Finding>,
}

/// A test in a table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) test: String,
    /// The key of its page.
    pub(super) key: String,
    pub(super) standing: Standing,
    /// For each column what stands there: one for each size and style.
    pub(super) cells: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Cell {
    pub(super) word: String,
    pub(super) standing: Standing,
    /// Size, style, variant.
    pub(super) of: String,
}

/// A cause of violations, of a campaign.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) title: String,
    pub(super) standing: Standing,
    pub(super) program: String,
    pub(super) shows: String,
    pub(super) notes: Vec<String>,
}

/// A test with all that is known of it.
#[derive(Debug, Default, Serialize)]
pub(super) struct TestPage {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) file: String,
    /// Its text, line by line.
    pub(super) program: Vec<String>,
    pub(super) clauses: Vec<String>,
    /// What is claimed of it, and by whom.
    pub(super) claims: Vec<String>,
    /// The functions that it calls, to be searched for.
    pub(super) calls: Vec<String>,
    pub(super) outcomes: Vec<OutcomeRow>,
    pub(super) runs: Vec<Run>,
    pub(super) shown: Option<Shown>,
    pub(super) why: Vec<WhyNot>,
    pub(super) notes: Vec<String>,
}

/// An outcome, and who allows it or saw it how often.
#[derive(Debug, Serialize)]
pub(super) struct OutcomeRow {
    pub(super) outcome: String,
    /// Whether the model that runs are held against allows it; none if that is not known.
    pub(super) allowed: Option<bool>,
    /// By target or model: how often it was seen, or whether it is there.
    pub(super) by: BTreeMap<String, By>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct By {
    pub(super) count: Option<u64>,
    pub(super) is_there: Option<bool>,
}

/// One result of a run.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    pub(super) target: String,
    pub(super) of: String,
    pub(super) library: String,
    pub(super) verdict: String,
    pub(super) standing: Standing,
    pub(super) iterations: u64,
    pub(super) seed: u64,
    /// Outcome, count, whether it is allowed.
    pub(super) seen: Vec<(String, u64, Option<bool>)>,
    pub(super) notes: Vec<String>,
    /// What is known of it, or that nothing is.
    pub(super) known: Vec<String>,
    /// The command that runs it again.
    pub(super) again: String,
}

/// Tiles, each of which stands for something that may be covered.
#[derive(Debug, Serialize)]
pub(super) struct Map {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) groups: Vec<(String, Vec<Tile>)>,
}

#[derive(Debug, Serialize)]
pub(super) struct Tile {
    pub(super) name: String,
    pub(super) standing: Standing,
    /// What there is to say of it, a line each.
    pub(super) says: Vec<String>,
    /// Keys or names of tests.
    pub(super) tests: Vec<String>,
}
