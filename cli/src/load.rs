//! Models and tests by what the user named, and which model runs which test.

use crate::args::{ModelArgs, SearchArg};
use crate::inside;
use crate::left_out::LeftOut;
use crate::{stream, words};
use litmpi_litmus::ast::Test;
use litmpi_litmus::{Asked, check_names, check_threads, library, parse, parse_family};
use litmpi_models::{Limits, Model, Search, Setup};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::shipped::{CAT_MODELS, CAT_PROGRAMS};
use litmpi_spec::source::{Source, Span, hash};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Families of tests for which models ship.
const FAMILIES: [&str; 4] = ["rdma", "x86", "mpi", "loco"];

/// A test, the file that it stands in, and the model that runs it.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) test: Arc<Test>,
    pub(crate) model: Arc<Model>,
    /// The model's rules, or the declarations of the programs that it is for.
    pub(crate) spec: Arc<Spec>,
}

/// A test under all the models asked for.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// The models that run it.
    pub(crate) under: Vec<Loaded>,
    /// The models that cannot, and why.
    pub(crate) refused: Vec<(String, String)>,
}

impl Loaded {
    /// What tells it from all others: where it stands, its text, and the model.
    pub(crate) fn about(&self) -> String {
        let text = hash(std::slice::from_ref(&self.test.span.source));
        format!("{} {text} {} {}", self.path.display(), self.model.name(), self.model.hash())
    }

    /// How it is run under a variant of a model of rules.
    pub(crate) fn setup(&self, args: &ModelArgs, variant: &str) -> Setup {
        limits(args).setup(&self.spec, variant)
    }
}

impl File {
    /// What tells it from all others.
    pub(crate) fn about(&self) -> String {
        self.under.iter().fold(self.path.display().to_string(), |all, l| all + ", " + &l.about())
    }
}

/// Whether two models are of one text, though perhaps for programs with integers of several widths: what is found of their rules is told together.
pub(crate) fn same(a: &Arc<Spec>, b: &Arc<Spec>) -> bool {
    Arc::ptr_eq(a, b) || a.name == b.name && a.hash() == b.hash()
}

/// How far to go for an answer.
pub(crate) fn limits(args: &ModelArgs) -> Limits {
    let search = match args.search {
        Some(SearchArg::Full) => Search::Full,
        Some(SearchArg::Reduced) => Search::Reduced,
        Some(SearchArg::Footprints) => Search::Footprints,
        None if args.spec.is_some() => Search::Footprints,
        None => Search::Auto,
    };
    args.bounds.limits(search)
}

/// Loads everything that the arguments name, each test under one model of rules: the one named, or the first of its
/// family that runs it. What cannot be loaded is left out.
///
/// # Errors
/// The reasons, if nothing can be loaded.
pub(crate) fn tests(args: &ModelArgs) -> Result<(Vec<Loaded>, LeftOut), Report> {
    let (all, mut left_out) = tests_under_any_model(args)?;
    let mut loaded = vec![];
    for l in all {
        if matches!(*l.model, Model::Relations(_)) {
            let d = Diagnostic::at(&l.test.span, format!("{} is not a model of rules", l.model.name()));
            let d = d.found("this test needs one here").help("`litmpi enumerate` runs declarative models");
            left_out.add(&l.path, d.into());
        } else {
            loaded.push(l);
        }
    }
    some(loaded, left_out)
}

/// The same, where that nothing can be loaded is no error.
pub(crate) fn readable(args: &ModelArgs) -> Result<(Vec<Loaded>, LeftOut), Report> {
    let given = given(args)?;
    let (mut models, mut left_out, mut out) = (Models::default(), LeftOut::default(), vec![]);
    for path in files(&args.tests, &mut left_out) {
        let loaded = stream::read(&path, "")
            .and_then(|source| first_of_family(&path, &source, &mut models, given.as_ref(), limits(args)));
        out.extend(left_out.keep(&path, loaded));
    }
    Ok((out, left_out))
}

/// The same, where the model may be a declarative one.
pub(crate) fn tests_under_any_model(args: &ModelArgs) -> Result<(Vec<Loaded>, LeftOut), Report> {
    let given = given(args)?;
    each_file(args, |path, source, models| {
        Ok(vec![first_of_family(path, source, models, given.as_ref(), limits(args))?])
    })
}

/// A test under the model given, or the first of its family that runs it.
pub(crate) fn first_of_family(
    path: &Path,
    source: &Arc<Source>,
    models: &mut Models,
    given: Option<&Arc<Model>>,
    limits: Limits,
) -> Result<Loaded, Report> {
    if let Some(model) = given {
        return load_one(path, source, model, limits).map_err(Refusal::into_report);
    }
    let mut first = None;
    for name in of_family(source)? {
        match load_one(path, source, &models.named(name)?, limits) {
            Ok(loaded) => return Ok(loaded),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.expect("a family has a model").into_report())
}

/// What the instructions of a test are declared by, whether it can be read or not: the model given, or the first of its family.
pub(crate) fn first_spec(source: &Arc<Source>, models: &mut Models, given: Option<&Arc<Model>>) -> Option<Arc<Spec>> {
    let model = match given {
        Some(model) => Arc::clone(model),
        None => models.named(of_family(source).ok()?.first()?).ok()?,
    };
    Some(Arc::clone(model.spec()))
}

/// Loads everything that the arguments name, each test under the models named, or all of its family. A test that a
/// model cannot run is told, and no error unless no model can read it.
pub(crate) fn tests_under_models(args: &ModelArgs, names: &[String]) -> Result<(Vec<File>, LeftOut), Report> {
    under_models(args, names, false)
}

/// `spoken` says that of the models named, those of an implementation are for tests that speak of them.
fn under_models(args: &ModelArgs, names: &[String], spoken: bool) -> Result<(Vec<File>, LeftOut), Report> {
    let given = given(args)?;
    // Names are looked up once, so that an unknown one is an error even if no test would be run under it.
    let all = names.is_empty() || names.iter().any(|n| n == "all");
    let listed: Vec<&String> = names.iter().filter(|n| *n != "all").collect();
    listed.iter().try_for_each(|n| Model::named(n).map(|_| ()))?;
    each_file(args, |path, source, models| {
        let mut wanted: Vec<Arc<Model>> = given.iter().cloned().collect();
        if spoken && given.is_none() {
            // A test of a family that nobody knows is no test of another one's models.
            of_family(source)?;
        }
        if wanted.is_empty() && all {
            let family = of_family(source)?;
            wanted = family.into_iter().map(|n| models.named(n)).collect::<Result<_, _>>()?;
        }
        for name in listed.iter().filter(|n| !spoken || is_for(n, source)) {
            let model = models.named(name)?;
            if wanted.iter().all(|w| w.name() != model.name()) {
                wanted.push(model);
            }
        }
        let (mut under, mut refused, mut unread) = (vec![], vec![], None);
        for model in wanted {
            match load_one(path, source, &model, limits(args)) {
                Ok(loaded) => under.push(loaded),
                // A model that is asked for by name and cannot run the test has no other test to stand for it.
                Err(why) if given.is_some() => return Err(why.into_report()),
                Err(why) => {
                    refused.push((model.name().to_owned(), why.in_short()));
                    if let Refusal::Unread(report) = why {
                        unread = unread.or(Some(report));
                    }
                }
            }
        }
        match unread {
            Some(report) if under.is_empty() => Err(report),
            _ => Ok(vec![File { path: path.to_owned(), under, refused }]),
        }
    })
}

/// Loads everything that the arguments name, each test under the model named, or under those of its family that are
/// made of rules and run it.
pub(crate) fn tests_under_rules(args: &ModelArgs) -> Result<(Vec<Loaded>, LeftOut), Report> {
    let names: Vec<String> = if given(args)?.is_some() {
        vec![]
    } else {
        FAMILIES.iter().flat_map(|f| own_models(f)).map(str::to_owned).collect()
    };
    let own = |l: &Loaded| own_models(&l.test.family).contains(&l.model.name()) || names.is_empty();
    let (files, left_out) = under_models(args, &names, true)?;
    Ok((files.into_iter().flat_map(|f| f.under).filter(own).collect(), left_out))
}

/// Why a model does not run a test.
pub(crate) enum Refusal {
    /// The model is for another family.
    Family(Report),
    /// The test cannot be read with the model's declarations.
    Unread(Report),
    /// It can be read, but not run; its name.
    Unrun(String, Report),
}

impl Refusal {
    pub(crate) fn into_report(self) -> Report {
        match self {
            Refusal::Family(r) | Refusal::Unread(r) | Refusal::Unrun(_, r) => r,
        }
    }

    fn in_short(&self) -> String {
        let (Refusal::Family(r) | Refusal::Unread(r) | Refusal::Unrun(_, r)) = self;
        r.0.first().map_or_else(String::new, |d| d.message.clone())
    }
}

/// Loads a test under a model.
pub(crate) fn load_one(
    path: &Path,
    source: &Arc<Source>,
    model: &Arc<Model>,
    limits: Limits,
) -> Result<Loaded, Refusal> {
    load_asked(path, source, model, limits, Asked::Outcomes)
}

/// Loads a test under a model, about which this is asked.
pub(crate) fn load_asked(
    path: &Path,
    source: &Arc<Source>,
    model: &Arc<Model>,
    limits: Limits,
    asked: Asked,
) -> Result<Loaded, Refusal> {
    let family = parse_family(source).map_err(Refusal::Unread)?;
    let own = families_of(model.name());
    if !own.is_empty() && !own.contains(&family.as_str()) {
        let message = format!("{} runs tests of the family `{}`", model.name(), own.join("` or `"));
        let d = Diagnostic::at(&word(source, &family), message);
        let help = match asked {
            Asked::Outcomes => format!("leave out --model, or name one of: {}", names_of(&family).join(", ")),
            Asked::Executions => {
                "this is asked of models that are relations over events, which RDMA programs have".to_owned()
            }
        };
        return Err(Refusal::Family(d.found(format!("this is one of `{family}`")).help(help).into()));
    }
    let test = parse(source, model.instructions()).map_err(Refusal::Unread)?;
    check_threads(&test).map_err(Refusal::Unread)?;
    check_names(source, model.instructions(), asked)
        .and_then(|()| words::check(&test, model))
        .map_err(Refusal::Unread)?;
    let unrun = |why| Refusal::Unrun(test.name.clone(), why);
    let model = if test.is_wide() { Arc::new(model.for_64_bits().map_err(unrun)?) } else { Arc::clone(model) };
    model.runs(&test, limits).map_err(unrun)?;
    let spec = Arc::clone(model.spec());
    Ok(Loaded { path: path.to_owned(), test: Arc::new(test), model, spec })
}

/// The model that `--spec` or `--model` names.
fn given(args: &ModelArgs) -> Result<Option<Arc<Model>>, Report> {
    let model = match (&args.spec, &args.model) {
        (Some(spec), Some(name)) => Some(Model::over(name, spec)?),
        (Some(spec), None) => Some(Model::load(spec)?),
        (None, Some(name)) => Some(Model::named(name)?),
        (None, None) => None,
    };
    Ok(model.map(Arc::new))
}

/// Shipped models, each loaded once.
#[derive(Default)]
pub(crate) struct Models(BTreeMap<String, Arc<Model>>);

impl Models {
    /// A model by its name.
    pub(crate) fn named(&mut self, name: &str) -> Result<Arc<Model>, Report> {
        if let Some(model) = self.0.get(name) {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(Model::named(name)?);
        // It lives as long as the program: taking a model apart at the end would take a tenth of the time of a short command.
        std::mem::forget(Arc::clone(&model));
        self.0.insert(name.to_owned(), Arc::clone(&model));
        Ok(model)
    }
}

/// The models of a test's family.
fn of_family(source: &Arc<Source>) -> Result<Vec<&'static str>, Report> {
    let family = parse_family(source)?;
    let mut names = names_of(&family);
    names.retain(|name| is_for(name, source));
    if !names.is_empty() {
        return Ok(names);
    }
    Err(Diagnostic::at(&word(source, &family), format!("no model ships for tests of the family `{family}`"))
        .found("unknown family")
        .help(format!("families are {}; for one of your own, give its model with --spec", FAMILIES.join(", ")))
        .into())
}

/// LOCO's libraries as layers.
fn implementations() -> impl Iterator<Item = &'static str> {
    litmpi_rdma_model::LOCO.iter().copied().filter(|m| *m != "loco")
}

/// Whether a model of a test's family is run unasked: one of an implementation, or of more than the family's other models have, if
/// the test speaks of it.
fn is_for(model: &str, source: &Source) -> bool {
    let more = [litmpi_mpi_model::LAYERED, litmpi_rdma_model::VERBS_MODELS];
    let layered = more.iter().any(|m| m.contains(&model)) || implementations().any(|m| m == model);
    !layered || source.text.contains(&format!(" {model} "))
}

/// Loads each file; one that cannot be loaded is left out.
fn each_file<T>(
    args: &ModelArgs,
    mut load: impl FnMut(&Path, &Arc<Source>, &mut Models) -> Result<Vec<T>, Report>,
) -> Result<(Vec<T>, LeftOut), Report> {
    let (mut models, mut left_out, mut out) = (Models::default(), LeftOut::default(), vec![]);
    let files = files(&args.tests, &mut left_out);
    for path in files {
        let loaded = stream::read(&path, "").and_then(|source| load(&path, &source, &mut models));
        out.extend(left_out.keep(&path, loaded).into_iter().flatten());
    }
    some(out, left_out)
}

/// The files of tests under these paths, and behind them the tests of standard input, if it is among them; a path that there is no test under is left out.
pub(crate) fn files(paths: &[PathBuf], left_out: &mut LeftOut) -> Vec<PathBuf> {
    let (mut known, mut streamed) = (vec![], vec![]);
    for path in paths {
        match inside::library(path) {
            Ok(_) if stream::is_stream(path) => streamed = left_out.keep(path, stream::tests()).unwrap_or_default(),
            Ok(found) => known.push(found.unwrap_or_else(|| path.clone())),
            Err(report) => left_out.add(path, report),
        }
    }
    let mut found = library::find_each(&known);
    found.missing.into_iter().for_each(|(path, why)| left_out.add(&path, why.into()));
    found.files.append(&mut streamed);
    found.files
}

/// What there is to go on with. If there is nothing, what was left out is the error.
pub(crate) fn some<T>(loaded: Vec<T>, left_out: LeftOut) -> Result<(Vec<T>, LeftOut), Report> {
    if loaded.is_empty() {
        left_out.into_result()?;
        return Ok((loaded, LeftOut::default()));
    }
    Ok((loaded, left_out))
}

/// Where the family of a test stands.
fn word(source: &Arc<Source>, family: &str) -> Span {
    let at = source.text.find(family).unwrap_or(0);
    Span::new(source, at, at + family.len())
}

/// The models of a family: those of its own, of the other family of machines, for programs that both can run, and the
/// declarative ones.
fn names_of(family: &str) -> Vec<&'static str> {
    let loco = |file: &str| CAT_PROGRAMS.iter().any(|(f, model)| *f == file && *model == "loco");
    let others = match family {
        "loco" => {
            let declared = CAT_MODELS.iter().map(|(file, _, _)| *file).filter(|f| loco(f));
            return declared.chain(implementations()).collect();
        }
        "rdma" => litmpi_rdma_model::CPU_MODELS,
        "x86" => litmpi_rdma_model::MODELS,
        _ => return own_models(family),
    };
    let declarative = CAT_MODELS.iter().map(|(file, _, _)| file).filter(|f| !loco(f));
    own_models(family).into_iter().chain(others.iter().chain(declarative).copied()).collect()
}

/// The models of rules that are made for a family.
fn own_models(family: &str) -> Vec<&'static str> {
    match family {
        "rdma" => {
            let all = [litmpi_rdma_model::MODELS, litmpi_rdma_model::WAIT_MODELS, litmpi_rdma_model::VERBS_MODELS];
            all.concat()
        }
        "x86" => litmpi_rdma_model::CPU_MODELS.to_vec(),
        "mpi" => [litmpi_mpi_model::MODELS, litmpi_mpi_model::LAYERED].concat(),
        _ => vec![],
    }
}

/// The families of a shipped model; none for one of the user's own.
pub(crate) fn families_of(model: &str) -> Vec<&'static str> {
    FAMILIES.into_iter().filter(|family| names_of(family).contains(&model)).collect()
}
