//! Specifications and tests by what the user named.

use crate::args::ModelArgs;
use litmpi_explore::Bounds;
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse, parse_family};
use litmpi_rdma_model::Setup;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::{load, load_shipped};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A test, the file that it stands in, and the specification that it was resolved against.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) test: Arc<Test>,
    pub(crate) spec: Arc<Spec>,
}

impl Loaded {
    /// How it is run under a variant.
    pub(crate) fn setup(&self, args: &ModelArgs, variant: &str) -> Setup {
        Setup {
            spec: Arc::clone(&self.spec),
            variant: variant.to_owned(),
            unroll: args.unroll,
            bounds: Bounds { states: args.max_states, ..Bounds::default() },
        }
    }
}

/// Loads everything that the arguments name; all errors of all files are collected.
pub(crate) fn tests(args: &ModelArgs) -> Result<Vec<Loaded>, Report> {
    let own = args.spec.as_deref().map(load).transpose()?.map(Arc::new);
    let named = args.model.as_deref().map(load_shipped).transpose()?.map(Arc::new);
    let mut by_family: BTreeMap<String, Arc<Spec>> = BTreeMap::new();
    let mut errors = Report::default();
    let mut out = vec![];
    for path in library::find(&args.tests)? {
        let one = (|| {
            let source = Source::read(&path)
                .map_err(|e| Report::from(Diagnostic::general(format!("cannot read {}: {e}", path.display()))))?;
            let family = parse_family(&source)?;
            let spec = match (&own, &named) {
                (Some(s), _) | (None, Some(s)) => Arc::clone(s),
                (None, None) => match by_family.get(&family) {
                    Some(s) => Arc::clone(s),
                    None => {
                        let s = Arc::new(load_shipped(default_model(&family, &source)?)?);
                        by_family.insert(family.clone(), Arc::clone(&s));
                        s
                    }
                },
            };
            let test = Arc::new(parse(&source, &spec.instructions)?);
            Ok::<_, Report>((test, spec))
        })();
        match one {
            Ok((test, spec)) => out.push(Loaded { path, test, spec }),
            Err(report) => errors.0.extend(report.0),
        }
    }
    errors.into_result()?;
    Ok(out)
}

/// The model that tests of a family are run under when none is named.
fn default_model(family: &str, source: &Arc<Source>) -> Result<&'static str, Report> {
    match family {
        "rdma" => Ok(litmpi_rdma_model::MODELS[0]),
        "mpi" => Ok(litmpi_mpi_model::MODELS[0]),
        other => {
            let at = source.text.find(other).unwrap_or(0);
            let span = litmpi_spec::source::Span::new(source, at, at + other.len());
            Err(Diagnostic::at(&span, format!("no model ships for tests of the family `{other}`"))
                .found("unknown family")
                .help("families are rdma and mpi; for one of your own, give its model with --spec")
                .into())
        }
    }
}
