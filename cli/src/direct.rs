//! Directions for the emulated NIC: how an outcome that has not come by itself comes about, as a [score](litmpi_nic::Score)
//! made of the model's own trace.

use crate::load::Loaded;
use crate::remark;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_models::{Limits, Operational, Setup};
use litmpi_nic::Score;
use litmpi_runner::Director;
use litmpi_spec::diag::Report;
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use std::sync::Arc;

/// The model whose rules the emulated NIC runs, whatever model the tests are judged by.
const RULES: &str = "verbs";

/// Directions for tests, by their place among these.
pub(crate) fn director(tests: &[&Loaded], limits: Limits, variant: &str) -> Result<Director, Report> {
    let spec = Arc::new(load_shipped(RULES)?);
    let tests: Vec<Arc<Test>> = tests.iter().map(|l| Arc::clone(&l.test)).collect();
    let variant = variant.to_owned();
    Ok(Director(Arc::new(move |test, outcomes| {
        let setup = limits.setup(&spec, &variant);
        scores(&tests[test], &spec, &setup, outcomes).unwrap_or_else(|why| {
            remark(&format!("note: no directions for {}: {why}", tests[test].name));
            vec![None; outcomes.len()]
        })
    })))
}

/// A score for each outcome that the rules allow and that is one of final values.
fn scores(test: &Test, spec: &Arc<Spec>, setup: &Setup, outcomes: &[Outcome]) -> Result<Vec<Option<String>>, Report> {
    // Another model's test has that model's instructions.
    let test = parse(&test.span.source, &spec.instructions)?;
    let model = Operational::new(&test, setup)?;
    let ways = model.ways()?;
    let score = |outcome: &Outcome| {
        if !matches!(outcome, Outcome::Values(_)) {
            return Ok(None);
        }
        let Some(way) = model.way(&ways, outcome)? else { return Ok(None) };
        let score = Score::of_trace(model.machine(), way.states, way.steps).map_err(Report::from)?;
        Ok(Some(score.to_string()))
    };
    outcomes.iter().map(score).collect()
}
