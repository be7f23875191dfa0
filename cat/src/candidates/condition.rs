//! Conditions on pre-executions: what is known of a program before anything reads from anything.
//!
//! A pre-execution is a way through each thread (rdma-robustness Def. 2). A condition is a `.cat` file as a model is; its
//! checks depend on the events alone. A program fulfils it if each of its pre-executions does. Values are not known, so
//! ways that no execution goes are pre-executions, too.

use super::graph::Graph;
use super::{Declarative, Limit};
use crate::{CatModel, Frame};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Span;

/// An event of a pre-execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Index of its thread in the test; an initial write has none.
    pub thread: Option<usize>,
    /// Its main label (`nrW`); empty for an initial write.
    pub label: String,
    /// The location that it accesses.
    pub loc: Option<String>,
    /// The statement.
    pub span: Span,
}

/// Two events that are against a check of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The check's name.
    pub check: String,
    /// Where it stands in the condition.
    pub at: Span,
    /// The first event.
    pub from: Place,
    /// The second one; the first one if the check is of single events.
    pub to: Place,
}

/// What is against a condition.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// Each pair once, in the order of checks and of the program; none if the condition holds.
    pub broken: Vec<Broken>,
    /// How many pre-executions there are.
    pub pre_executions: u64,
    /// Limits that were hit: there may be more pre-executions.
    pub limits: Vec<Limit>,
}

impl Declarative<'_> {
    /// What is against the model as a condition. Its checks that `base` has as well are no part of it: they say what a
    /// pre-execution is.
    ///
    /// # Errors
    /// A check that depends on what reads from what, or on another choice.
    pub fn against(&self, base: &CatModel) -> Result<Against, Report> {
        let (shared, own): (Vec<_>, Vec<_>) = self.model.checks.iter().partition(|c| c.is_also_in(base));
        if let Some(open) = own.iter().find(|c| c.open) {
            let d = Diagnostic::at(&open.span, format!("`{}` is no condition on pre-executions", open.name));
            return Err(d
                .found("it depends on a choice of the search")
                .help("use events, `po`, `loc` and the like")
                .into());
        }
        let mut out = Against { limits: self.limits(), ..Against::default() };
        let mut tried = 0;
        self.each_pre_execution(|graph| {
            tried += 1;
            if tried > self.options.candidates {
                out.limits.push(Limit::Candidates(self.options.candidates));
                return Ok(false);
            }
            let mut frame: Frame = graph.frame(self.programs, self.model);
            self.model.settle(&mut frame);
            if shared.iter().any(|c| !c.open && !c.holds(&frame)) {
                return Ok(true);
            }
            out.pre_executions += 1;
            for check in own.iter().filter(|c| !c.holds(&frame)) {
                for (a, b) in check.against(&frame) {
                    let (from, to) = (self.place(graph, a), self.place(graph, b));
                    let broken = Broken { check: check.name.clone(), at: check.span.clone(), from, to };
                    // What relates two events both ways is one pair.
                    let same = |o: &Broken| {
                        let turned = o.from == broken.to && o.to == broken.from;
                        o.at == broken.at && (turned || o.from == broken.from && o.to == broken.to)
                    };
                    if !out.broken.iter().any(same) {
                        out.broken.push(broken);
                    }
                }
            }
            Ok(true)
        })?;
        Ok(out)
    }

    fn place(&self, graph: &Graph, event: usize) -> Place {
        let e = &graph.events[event];
        Place {
            thread: graph.threads[event],
            label: e.labels.first().cloned().unwrap_or_default(),
            loc: e.loc.map(|x| self.program.locs[x].name.clone()),
            span: e.span.clone(),
        }
    }
}
