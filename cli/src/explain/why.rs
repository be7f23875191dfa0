//! What a declarative model says of an outcome: an execution that gives it, or what forbids every one that would.

use super::files::Files;
use super::picture::{graph, mark, shape};
use litmpi_cat::candidates::{Declarative, Limit, Rejected};
use litmpi_graph::Graph;
use litmpi_litmus::ast::{Prop, Test};
use litmpi_spec::diag::Report;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A declarative model with a test loaded.
pub(super) struct Declared<'t> {
    /// Its name and variant.
    pub(super) name: String,
    /// The test, parsed for it.
    pub(super) test: &'t Test,
    pub(super) model: Declarative<'t>,
}

/// Reasons that are alike.
struct Group<'r> {
    /// The one with the shortest cycle, the first of those.
    shown: &'r Rejected,
    /// How many candidates.
    count: u64,
}

/// Why candidates fail that are alike: the check, the cycle, and one of them drawn.
pub(super) struct Failing {
    pub(super) check: String,
    pub(super) place: String,
    pub(super) shape: String,
    pub(super) count: u64,
    pub(super) total: u64,
    pub(super) graph: Graph,
}

/// Whether all candidates were tried. How many reasons are kept is a limit of what is shown, not of what was tried.
fn is_decided(limits: &[Limit]) -> bool {
    limits.iter().all(|l| matches!(l, Limit::Reasons(_)))
}

impl Declared<'_> {
    /// An execution with a wanted outcome; false if there is none.
    pub(super) fn witness(&self, wanted: &Prop, files: &mut Files<'_>, out: &mut String) -> Result<bool, Report> {
        let Some((graph, shown)) = self.consistent(wanted)? else { return Ok(false) };
        let names = files.relations(&graph)?;
        let _ = write!(out, "A consistent execution of {} with {shown}\n\n{}\n", self.name, graph.text(&names));
        files.graph(&self.test.name, "graph", &graph)?;
        Ok(true)
    }

    /// The graph of an execution with a wanted outcome, and the outcome; none if there is none.
    pub(super) fn consistent(&self, wanted: &Prop) -> Result<Option<(Graph, String)>, Report> {
        let test = self.test;
        let Some((execution, outcome)) = self.model.witness(wanted)? else { return Ok(None) };
        let (mut graph, shown) = (graph(test, &execution), test.show(&outcome));
        graph.title = format!("{}: {shown}", test.name);
        graph.notes = vec![test.title.clone(), format!("a consistent execution of {}", self.name)];
        Ok(Some((graph, shown)))
    }

    /// Why candidates with an outcome fail, drawn: those of most candidates first.
    pub(super) fn reasons(&self, wanted: &Prop, asked: &str) -> Result<Vec<Failing>, Report> {
        let found = self.model.why_not(wanted)?;
        let groups = groups(&found.rejected);
        let total = groups.iter().map(|g| g.count).sum();
        let verb = if found.allowed == 0 && is_decided(&found.limits) { "forbidden by" } else { "fails" };
        Ok(groups.iter().map(|g| self.failing(g, total, &format!("{asked} {verb}"))).collect())
    }

    fn failing(&self, group: &Group<'_>, total: u64, says: &str) -> Failing {
        let (test, r) = (self.test, group.shown);
        let mut graph = graph(test, &r.execution);
        mark(&mut graph, &r.witness);
        let shape = shape(&r.execution, &r.witness);
        graph.title = format!("{}: {says} {}", test.name, r.check);
        graph.notes = vec![
            test.title.clone(),
            format!("{} of {total} candidates of {} fail so: {shape}", group.count, self.name),
        ];
        Failing { check: r.check.clone(), place: r.span.to_string(), shape, count: group.count, total, graph }
    }

    /// What forbids the outcome, alike reasons together; false if a limit was reached before everything was tried, so that
    /// something may allow it.
    pub(super) fn why_not(
        &self,
        wanted: &Prop,
        asked: &str,
        files: &mut Files<'_>,
        out: &mut String,
    ) -> Result<bool, Report> {
        let test = self.test;
        let found = self.model.why_not(wanted)?;
        let groups = groups(&found.rejected);
        let total: u64 = groups.iter().map(|g| g.count).sum();
        let decided = is_decided(&found.limits);
        if !decided {
            let _ = writeln!(out, "Undecided: no execution of {} with {asked} was found within the limits.", self.name);
        }
        if !decided {
            // What is not tried may be allowed: nothing is said of all candidates.
        } else if groups.is_empty() && found.allowed == 0 {
            let _ = writeln!(
                out,
                "{} has no candidate execution with {asked}: no choice of writes to read from gives these values.",
                self.name
            );
        } else if found.allowed == 0 {
            let candidates = if total == 1 {
                "The only candidate execution".to_owned()
            } else {
                format!("Each of the {total} candidate executions")
            };
            let _ = writeln!(
                out,
                "{candidates} of {} with {asked} fails a check; one that fails before all is chosen counts once.",
                self.name
            );
        } else {
            let _ = writeln!(out, "{} has {} consistent executions with {asked}.", self.name, found.allowed);
        }
        for (i, group) in groups.iter().enumerate() {
            let says = format!("{asked} {}", if decided { "forbidden by" } else { "fails" });
            let Failing { check, place, shape, graph, .. } = self.failing(group, total, &says);
            let names = files.relations(&graph)?;
            let _ = writeln!(out, "\n{}. {} of {total} fail `{check}`   {place}", i + 1, group.count);
            let _ = writeln!(out, "   {shape}\n");
            let _ = write!(out, "{}\n{}", graph.text(&names), graph.cycle_text(&graph.cycle));
            files.graph(&test.name, &format!("forbidden-{}", i + 1), &graph)?;
        }
        for limit in &found.limits {
            // The reasons above are then not all.
            let _ = writeln!(out, "A limit was reached: {limit}; there may be further reasons.");
        }
        Ok(decided)
    }
}

/// Reasons with the same check and the same shape, those of most candidates first.
fn groups(rejected: &[Rejected]) -> Vec<Group<'_>> {
    let mut by_shape: BTreeMap<(&str, String), Group<'_>> = BTreeMap::new();
    for r in rejected {
        let key = (r.check.as_str(), shape(&r.execution, &r.witness));
        let group = by_shape.entry(key).or_insert(Group { shown: r, count: 0 });
        group.count += r.count;
    }
    let mut groups: Vec<Group<'_>> = by_shape.into_values().collect();
    groups.sort_by_key(|g| std::cmp::Reverse(g.count));
    groups
}
