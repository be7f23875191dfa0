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
            coverage: None,
        }
    }
}

/// Loads everything that the arguments name, each test under one model: the one named, or its family's first.
pub(crate) fn tests(args: &ModelArgs) -> Result<Vec<Loaded>, Report> {
    load_all(args, |models| &models[..1])
}

/// The same, each test under every model of its family unless one is named; those of one file follow each other.
pub(crate) fn tests_under_all_models(args: &ModelArgs) -> Result<Vec<Loaded>, Report> {
    load_all(args, |models| models)
}

type Choice = fn(&'static [&'static str]) -> &'static [&'static str];

/// All errors of all files are collected.
fn load_all(args: &ModelArgs, choice: Choice) -> Result<Vec<Loaded>, Report> {
    let own = args.spec.as_deref().map(load).transpose()?.map(Arc::new);
    let named = args.model.as_deref().map(load_shipped).transpose()?.map(Arc::new);
    let given = own.or(named);
    let mut shipped: BTreeMap<&str, Arc<Spec>> = BTreeMap::new();
    let mut errors = Report::default();
    let mut out = vec![];
    for path in library::find(&args.tests)? {
        let one = (|| {
            let source = Source::read(&path)
                .map_err(|e| Report::from(Diagnostic::general(format!("cannot read {}: {e}", path.display()))))?;
            let family = parse_family(&source)?;
            let mut specs: Vec<Arc<Spec>> = given.iter().cloned().collect();
            if specs.is_empty() {
                for name in choice(models_of(&family, &source)?) {
                    let spec = match shipped.get(name) {
                        Some(s) => Arc::clone(s),
                        None => Arc::new(load_shipped(name)?),
                    };
                    shipped.insert(name, Arc::clone(&spec));
                    specs.push(spec);
                }
            }
            let mut under = vec![];
            for spec in specs {
                under.push((Arc::new(parse(&source, &spec.instructions)?), spec));
            }
            Ok::<_, Report>(under)
        })();
        match one {
            Ok(under) => out.extend(under.into_iter().map(|(test, spec)| Loaded { path: path.clone(), test, spec })),
            Err(report) => errors.0.extend(report.0),
        }
    }
    errors.into_result()?;
    Ok(out)
}

/// A shipped model by name.
pub(crate) fn shipped(name: &str) -> Result<Arc<Spec>, Report> {
    load_shipped(name).map(Arc::new)
}

/// The models that tests of a family are run under when none is named.
fn models_of(family: &str, source: &Arc<Source>) -> Result<&'static [&'static str], Report> {
    match family {
        "rdma" => Ok(litmpi_rdma_model::MODELS),
        "mpi" => Ok(litmpi_mpi_model::MODELS),
        "x86" => Ok(litmpi_rdma_model::CPU_MODELS),
        other => {
            let at = source.text.find(other).unwrap_or(0);
            let span = litmpi_spec::source::Span::new(source, at, at + other.len());
            Err(Diagnostic::at(&span, format!("no model ships for tests of the family `{other}`"))
                .found("unknown family")
                .help("families are rdma, x86 and mpi; for one of your own, give its model with --spec")
                .into())
        }
    }
}
