//! What may be put into programs, what it costs, and what Fig. 5 of rdma-robustness asks for: a table, shipped or one's own.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::table::misfit;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

const SHIPPED: &str = include_str!("../../mend.toml");

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(rename = "insertion", default)]
    pub(super) insertions: Vec<Insertion>,
    #[serde(rename = "order", default)]
    orders: Vec<Order>,
}

/// Something that may be put in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Insertion {
    pub(super) name: String,
    pub(super) statements: Vec<String>,
    pub(super) cost: u64,
}

/// What orders two events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    earlier: Vec<String>,
    later: Vec<String>,
    #[serde(default)]
    same: bool,
    insert: String,
}

impl Insertion {
    /// Whether it is towards a node.
    pub(super) fn is_towards(&self) -> bool {
        self.statements.iter().any(|s| words(s).any(|w| w == "N"))
    }

    /// Whether it needs locations of its own.
    pub(super) fn has_copy(&self) -> bool {
        self.statements.iter().any(|s| words(s).any(|w| w == "COPY"))
    }

    /// Its statements with names in the place of `N`, `SPARE` and `COPY`.
    pub(super) fn with(&self, node: Option<i64>, spare: &str, copy: &str) -> Vec<String> {
        let node = node.map_or(String::new(), |n| n.to_string());
        let put = |statement: &String| {
            let mut out = String::new();
            let mut word = String::new();
            for c in statement.chars().chain(['\n']) {
                if c.is_ascii_alphanumeric() || c == '_' {
                    word.push(c);
                    continue;
                }
                out.push_str(match word.as_str() {
                    "N" => &node,
                    "SPARE" => spare,
                    "COPY" => copy,
                    other => other,
                });
                word.clear();
                out.push(c);
            }
            out.trim_end().to_owned()
        };
        self.statements.iter().map(put).collect()
    }
}

fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

impl Table {
    /// The shipped table, or that of a file.
    ///
    /// # Errors
    /// A file that cannot be read, is no table, or names an insertion that it does not have.
    pub(super) fn load(path: Option<&Path>) -> Result<Table, Report> {
        let source = match path {
            Some(path) => Source::read_as(path, "the costs ")?,
            None => Source::new("mend.toml", SHIPPED),
        };
        Table::parse(&source)
    }

    fn parse(source: &Arc<Source>) -> Result<Table, Report> {
        let table: Table = toml::from_str(&source.text).map_err(|e| {
            let help = "entries are [[insertion]] with name, statements and cost, and [[order]] with earlier, later, same and insert";
            Report::from(misfit(source, e.span(), e.message(), help))
        })?;
        let unknown = table.orders.iter().find(|o| table.insertions.iter().all(|i| i.name != o.insert));
        if let Some(order) = unknown {
            let at = source.text.find(&order.insert).unwrap_or(0);
            let d = Diagnostic::at(&Span::new(source, at, at + order.insert.len()), "no insertion is called so");
            let names: Vec<&str> = table.insertions.iter().map(|i| i.name.as_str()).collect();
            return Err(d.help(format!("insertions: {}", names.join(", "))).into());
        }
        Ok(table)
    }

    /// What orders two events that are not ordered by themselves; nothing if the table says nothing of them.
    pub(super) fn order(&self, earlier: &str, later: &str, same: bool) -> Option<&Insertion> {
        let fits = |o: &&Order| {
            (same || !o.same) && o.earlier.iter().any(|l| l == earlier) && o.later.iter().any(|l| l == later)
        };
        let order = self.orders.iter().find(fits)?;
        self.insertions.iter().find(|i| i.name == order.insert)
    }
}
