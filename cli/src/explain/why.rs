//! What a declarative model says of an outcome: an execution that gives it, or what forbids every one that would.

use super::files::Files;
use super::picture::{graph, mark, shape};
use litmpi_cat::candidates::{Declarative, Limit, Rejected};
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

impl Declared<'_> {
    /// An execution with a wanted outcome; false if there is none.
    pub(super) fn witness(&self, wanted: &Prop, files: &mut Files<'_>, out: &mut String) -> Result<bool, Report> {
        let test = self.test;
        let Some((execution, outcome)) = self.model.witness(wanted)? else { return Ok(false) };
        let mut graph = graph(test, &execution);
        graph.title = format!("{}: {}", test.name, test.show(&outcome));
        graph.notes = vec![test.title.clone(), format!("a consistent execution of {}", self.name)];
        let names = files.relations(&graph)?;
        let _ = write!(
            out,
            "A consistent execution of {} with {}\n\n{}\n",
            self.name,
            test.show(&outcome),
            graph.text(&names)
        );
        files.graph(&test.name, "graph", &graph)?;
        Ok(true)
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
        // How many reasons are kept is a limit of what is shown, not of what was tried.
        let decided = found.limits.iter().all(|l| matches!(l, Limit::Reasons(_)));
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
            let r = group.shown;
            let mut graph = graph(test, &r.execution);
            mark(&mut graph, &r.witness);
            let shape = shape(&r.execution, &r.witness);
            graph.title =
                format!("{}: {asked} {} {}", test.name, if decided { "forbidden by" } else { "fails" }, r.check);
            graph.notes = vec![
                test.title.clone(),
                format!("{} of {total} candidates of {} fail so: {shape}", group.count, self.name),
            ];
            let names = files.relations(&graph)?;
            let _ = writeln!(out, "\n{}. {} of {total} fail `{}`   {}", i + 1, group.count, r.check, r.span);
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
