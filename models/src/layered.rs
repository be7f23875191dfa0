//! A layer as a model: a test over its instructions runs as the test that bodies make of it, over what is below.

use crate::{Answer, Limits, Model};
use litmpi_litmus::ast::Test;
use litmpi_litmus::layer::{Made, check, expand};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use std::path::Path;
use std::sync::Arc;

/// The name of the variant that changes nothing.
const DEFAULT: &str = "default";
/// Layers above each other, at most.
const HIGHEST: usize = 8;

/// A layer, and all that it stands on.
pub struct Layered {
    /// This layer, then those below it, each made of the next.
    layers: Vec<Arc<Spec>>,
    /// The model at the bottom.
    below: Model,
}

/// A layer, with the values of its constants.
pub type Valued = (Arc<Spec>, Vec<i64>);

impl Layered {
    /// A layer from its specification; `path` is where that was read, if it is not a shipped one.
    ///
    /// # Errors
    /// What is below cannot be found, or does not fit.
    pub(crate) fn new(spec: Arc<Spec>, path: Option<&Path>) -> Result<Layered, Report> {
        let over = spec.layer.as_ref().map(|l| l.over.clone()).expect("the specification is a layer");
        let beside = path.map(|p| p.parent().unwrap_or(Path::new("")).join(&over.node)).filter(|p| p.is_file());
        let own = path.zip(beside.as_deref()).is_some_and(|(p, b)| p == b) || over.node == spec.name;
        if own {
            let d = Diagnostic::at(&over.span, format!("the layer {} stands on itself", spec.name));
            return Err(d.found("here").help("name the layer or model below").into());
        }
        let found = match &beside {
            Some(file) => Model::load(file),
            None => Model::named(&over.node),
        };
        let found = found.map_err(|mut report| {
            // A wrong name is told where it stands.
            if let [d] = report.0.as_mut_slice()
                && d.span.is_none()
            {
                d.span = Some(over.span.clone());
            }
            report
        })?;
        check(&spec, found.instructions(), found.name(), &|i| found.speaks_of(i))?;
        let (mut layers, below) = match found {
            Model::Layer(lower) => (lower.layers, lower.below),
            model => (vec![], model),
        };
        layers.insert(0, spec);
        if layers.len() > HIGHEST {
            let d = Diagnostic::at(&over.span, format!("there are more than {HIGHEST} layers here"));
            return Err(d.found("too many").help("make some of them one").into());
        }
        Ok(Layered { layers, below })
    }

    /// Its specification.
    pub(crate) fn spec(&self) -> &Arc<Spec> {
        &self.layers[0]
    }

    /// The model at the bottom.
    pub fn below(&self) -> &Model {
        &self.below
    }

    /// The same over another model than it says: another form of what is below.
    ///
    /// # Errors
    /// The lowest layer uses what that model does not have.
    pub(crate) fn standing_on(mut self, below: Model) -> Result<Layered, Report> {
        let lowest = self.layers.last().expect("there is one");
        check(lowest, below.instructions(), below.name(), &|i| below.speaks_of(i))?;
        self.below = below;
        Ok(self)
    }

    /// The test over the model at the bottom.
    ///
    /// # Errors
    /// An unknown variant; a test or body that does not fit.
    pub fn expand(&self, test: &Test, variant: &str) -> Result<Test, Report> {
        let stack = self.stack(variant)?;
        let made = stack.iter().map(|(spec, constants)| Made { spec, constants });
        expand(test, &made.collect::<Vec<_>>(), self.below.instructions())
    }

    /// The layers, the highest first, each with the values of its constants; of the highest, under a variant.
    ///
    /// # Errors
    /// There is no such variant.
    pub fn stack(&self, variant: &str) -> Result<Vec<Valued>, Report> {
        let of = self.layers.iter().enumerate().map(|(i, spec)| {
            let variant = if i == 0 { variant } else { DEFAULT };
            Ok((Arc::clone(spec), litmpi_engine::machine::constants(spec, variant).map_err(Report::from)?))
        });
        of.collect()
    }

    /// Whether programs may use an instruction: one that it makes, or one of what is below.
    pub(crate) fn speaks_of(&self, instr: usize) -> bool {
        let name = &self.spec().instructions.list[instr].name;
        let made = self.layers.iter().any(|spec| {
            let known = spec.instructions.find(name);
            known.is_some_and(|i| spec.layer.as_ref().is_some_and(|l| l.body(i).is_some()))
        });
        made || self.below.instructions().find(name).is_some_and(|i| self.below.speaks_of(i))
    }

    /// Whether it can run a test.
    pub(crate) fn runs(&self, test: &Test, limits: Limits) -> Result<(), Report> {
        self.below.runs(&self.expand(test, DEFAULT)?, limits)
    }

    /// Every outcome of a test.
    pub(crate) fn answer(&self, test: &Test, variant: &str, limits: Limits) -> Result<Answer, Report> {
        self.below.answer(&self.expand(test, variant)?, DEFAULT, limits)
    }
}
