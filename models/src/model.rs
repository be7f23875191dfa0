//! A model, however it is written: whatever gives a test its complete set of outcomes.
//!
//! A model is a specification of rules, or a `.cat` file of relations and checks. Commands ask a [`Model`] and need not
//! know which it is. The two differ in what they can say: a declarative model has no execution where a thread waits for
//! ever, so it knows no deadlocks ([`Model::knows_deadlock`]).

use crate::Layered;
use crate::{Executions, Operational, Search, Setup};
use litmpi_cat::candidates::{Declarative, Limit, Options, Programs};
use litmpi_cat::{CatModel, Given};
use litmpi_engine::search::{Bound, Bounds, Peers, Walked, Walks};
use litmpi_litmus::ast::{Claim, Expect, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::{load, load_shipped};
use litmpi_spec::model::Spec;
use litmpi_spec::shipped::{CAT_BASES, CAT_MODELS, CAT_PROGRAMS};
use litmpi_spec::source::Source;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The name of the variant that changes nothing.
const DEFAULT: &str = "default";
/// The specification that declares the instructions of RDMA programs, whichever declarative model runs them.
const PROGRAMS: &str = "rdma-tso";

/// The specification that declares the programs of a declarative model by the files that it is made of.
fn programs_of(files: &[String]) -> &'static str {
    let base = |file: &String| CAT_BASES.iter().find(|(base, _)| base == file).map(|(_, programs)| *programs);
    files.iter().find_map(base).unwrap_or(PROGRAMS)
}

/// A model.
pub enum Model {
    /// As rules.
    Rules(Arc<Spec>),
    /// As relations and checks.
    Relations(Box<Relations>),
    /// As programs over a layer or model below.
    Layer(Box<Layered>),
}

/// A declarative model, and what programs it is for.
pub struct Relations {
    name: String,
    /// The model and the variant whose verdicts hold for it.
    of: (String, String),
    /// Under each variant that says something of events, `default` first.
    programs: Vec<(String, Programs)>,
    model: CatModel,
}

/// How far to go for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How often loops without a bound of their own are unrolled. Without it, under a model of rules a thread goes round as often as it
    /// likes, and a declarative model unrolls them to the bound of its [`Options`].
    pub unroll: Option<u32>,
    /// Most states of a search; of a declarative model, most candidate executions.
    pub states: usize,
    /// Most bytes of memory for them, about.
    pub bytes: usize,
    /// Most bytes of disk for states of a model of rules that have no room in memory; 0 if none go there.
    pub disk: usize,
    /// Which transitions are followed.
    pub search: Search,
    /// How many threads search one test under a model of rules, 1 or more.
    pub threads: usize,
    /// Random walks that are made instead of a search, under a model of rules.
    pub walks: Option<Walks>,
}

impl Limits {
    /// How often a declarative model unrolls a loop that states no bound.
    pub fn rounds(self) -> u32 {
        self.unroll.unwrap_or(Options::default().unroll)
    }

    /// How a test is run under a variant of a model of rules.
    pub fn setup(self, spec: &Arc<Spec>, variant: &str) -> Setup {
        let bounds = Bounds { states: self.states, bytes: self.bytes, disk: self.disk, clock: None };
        let (variant, unroll, search) = (variant.to_owned(), self.unroll, self.search);
        Setup { variant, unroll, bounds, search, threads: self.threads, ..Setup::new(Arc::clone(spec)) }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        let Bounds { states, bytes, disk, .. } = Bounds::default();
        Limits { unroll: None, states, bytes, disk, search: Search::default(), threads: 1, walks: None }
    }
}

/// What a model says of a test.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// The outcomes.
    pub set: BTreeSet<Outcome>,
    /// What it took.
    pub effort: Effort,
    /// Bounds that were hit; the set is complete if there is none.
    pub bounds: Vec<Reached>,
    /// Two transitions that the rules say commute, and do not.
    pub refuted: Option<String>,
}

/// A bound that was hit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Reached {
    /// A loop of the program was unrolled no further than the bound that the test states for it.
    Loops,
    /// The search stopped early, here.
    Stopped(String),
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Effort {
    /// A search through states.
    Search {
        /// Which transitions were followed.
        search: Search,
        /// Distinct states.
        states: usize,
        /// Transitions.
        transitions: usize,
        /// Executions, if they were counted.
        executions: Option<Executions>,
    },
    /// Random walks.
    Walks {
        /// Which.
        seed: u64,
        /// How many.
        walks: usize,
        /// Of them, those that came to no end, within the most steps or within the unrolling of loops.
        endless: usize,
        /// Steps of all.
        steps: usize,
        /// Distinct states, if there were few enough to be counted.
        states: Option<usize>,
        /// Outcomes that one walk alone ended in.
        once: usize,
        /// The part of such walks that end in an outcome that was not found: about so many, and with a confidence of 95 % at most so
        /// many.
        unseen: (f64, f64),
    },
    /// Candidate executions.
    Candidates {
        /// How many were checked, complete or not.
        candidates: u64,
        /// How many of the complete ones are consistent.
        consistent: u64,
    },
}

impl Model {
    /// A model by the name of a shipped one, or by a `.cat` file of one's own.
    ///
    /// # Errors
    /// An unknown name, a file that cannot be read or is wrong.
    pub fn named(name: &str) -> Result<Model, Report> {
        if !is_cat(Path::new(name)) {
            return Model::of_rules(load_shipped(name)?, None);
        }
        let path = Path::new(name);
        let programs = match CAT_PROGRAMS.iter().find(|(file, _)| *file == name) {
            Some((_, programs)) => programs,
            None if path.exists() => programs_of(&litmpi_cat::made_of(path)?),
            None => PROGRAMS,
        };
        Model::relations(name, Arc::new(load_shipped(programs)?))
    }

    /// A declarative model of a text that is to stand in a file.
    ///
    /// # Errors
    /// What is wrong with the text, or with a file that it includes.
    pub fn written(source: &Arc<Source>, path: &Path) -> Result<Model, Report> {
        let programs = programs_of(&litmpi_cat::made_of_written(source, path)?);
        let name = path.to_string_lossy();
        Model::relations_in_memory(&name, Arc::new(load_shipped(programs)?), |given| {
            litmpi_cat::load_written(source, path, given)
        })
    }

    /// A declarative model, shipped or one's own, for the programs of a specification of one's own: its instructions
    /// and what its `events` items say of them.
    ///
    /// # Errors
    /// A file that cannot be read or is wrong, a model of rules.
    pub fn over(name: &str, spec: &Path) -> Result<Model, Report> {
        if !is_cat(Path::new(name)) {
            let d = Diagnostic::general(format!("{name} is a model of rules, and so is {}", spec.display()));
            return Err(d.help("give one of the two, or a .cat file as the model").into());
        }
        Model::relations(name, Arc::new(load(spec)?))
    }

    /// A model of rules, or a layer over shipped ones, of a specification that is in memory.
    ///
    /// # Errors
    /// It is a layer, and does not fit what it stands on.
    pub fn in_memory(spec: Spec) -> Result<Model, Report> {
        Model::of_rules(spec, None)
    }

    /// A declarative model in memory, by the name of a shipped one whose verdicts hold for it; `cat` makes its checks of the
    /// names that the programs give.
    ///
    /// # Errors
    /// What `cat` says; an expression of the specification's constants that cannot be evaluated.
    pub fn relations_in_memory(
        name: &str,
        spec: Arc<Spec>,
        cat: impl FnOnce(&[Given]) -> Result<CatModel, Report>,
    ) -> Result<Model, Report> {
        let variants = [DEFAULT].into_iter().chain(spec.variants.iter().map(|v| v.name.as_str()));
        let programs = variants
            .filter(|v| spec.is_about_events(v))
            .map(|v| Ok((v.to_owned(), Programs::new(Arc::clone(&spec), v)?)))
            .collect::<Result<Vec<_>, Report>>()?;
        let model = cat(&programs[0].1.given())?;
        let file = Path::new(name).file_name().map_or_else(String::new, |f| f.to_string_lossy().into_owned());
        let stem = file.trim_end_matches(".cat").to_owned();
        let shipped = CAT_MODELS.iter().find(|(f, _, _)| *f == name);
        let of = shipped.map_or((stem, DEFAULT.to_owned()), |(_, m, v)| ((*m).to_owned(), (*v).to_owned()));
        Ok(Model::Relations(Box::new(Relations { name: file, of, programs, model })))
    }

    /// The files that it is made of, those that it imports or includes first.
    pub fn files(&self) -> &[Arc<litmpi_spec::source::Source>] {
        match self {
            Model::Relations(r) => &r.model.files,
            _ => &self.spec().files,
        }
    }

    /// Whether executions under it order writes to a location, as those of every model but a part of one do.
    pub fn orders_writes(&self) -> bool {
        self.cat().is_none_or(|cat| cat.order().is_some())
    }

    /// The checks of a declarative model.
    pub(crate) fn cat(&self) -> Option<&CatModel> {
        match self {
            Model::Relations(r) => Some(&r.model),
            Model::Rules(_) | Model::Layer(_) => None,
        }
    }

    fn of_rules(spec: Spec, path: Option<&Path>) -> Result<Model, Report> {
        let spec = Arc::new(spec);
        Ok(match &spec.layer {
            None => Model::Rules(spec),
            Some(_) => Model::Layer(Box::new(Layered::new(spec, path)?)),
        })
    }

    /// A layer over another model at the bottom than the one that it names.
    ///
    /// # Errors
    /// It is no layer, or uses what that model does not have.
    pub fn standing_on(self, below: Model) -> Result<Model, Report> {
        match self {
            Model::Layer(l) => Ok(Model::Layer(Box::new(l.standing_on(below)?))),
            other => {
                let d = Diagnostic::general(format!("{} is no layer: it stands on nothing", other.name()));
                Err(d.help("layers begin with `layer NAME over BELOW`").into())
            }
        }
    }

    /// A declarative model of a text that is to stand in a file, behind a shipped one: its checks may name what that defines.
    ///
    /// # Errors
    /// What is wrong with it behind this model.
    pub fn behind(shipped: &str, source: &Arc<Source>, path: &Path) -> Result<Model, Report> {
        let spec = Arc::new(load_shipped(PROGRAMS)?);
        Model::relations_in_memory(shipped, spec, |given| litmpi_cat::load_behind(shipped, source, path, given))
    }

    fn relations(name: &str, spec: Arc<Spec>) -> Result<Model, Report> {
        let path = Path::new(name);
        Model::relations_in_memory(name, spec, |given| {
            if path.exists() { litmpi_cat::load(path, given) } else { litmpi_cat::load_shipped(name, given) }
        })
    }

    /// A model in a file: rules, or relations if its name ends in `.cat`.
    ///
    /// # Errors
    /// A file that cannot be read or is wrong.
    pub fn load(path: &Path) -> Result<Model, Report> {
        match path.to_str() {
            Some(name) if is_cat(path) && path.exists() => Model::named(name),
            _ => Model::of_rules(load(path)?, Some(path)),
        }
    }

    /// Its name: that of the file for a declarative model.
    pub fn name(&self) -> &str {
        match self {
            Model::Rules(spec) => &spec.name,
            Model::Relations(r) => &r.name,
            Model::Layer(l) => &l.spec().name,
        }
    }

    /// A short hash of its text: results carry it.
    pub fn hash(&self) -> String {
        match self {
            Model::Rules(spec) => spec.hash(),
            Model::Relations(r) => r.model.hash(),
            Model::Layer(l) => l.spec().hash(),
        }
    }

    /// Its rules, or the declarations of the programs that it is for.
    pub fn spec(&self) -> &Arc<Spec> {
        match self {
            Model::Rules(spec) => spec,
            Model::Relations(r) => &r.programs[0].1.spec,
            Model::Layer(l) => l.spec(),
        }
    }

    /// The same model for programs whose integers have 64 bits, whatever the specification says of them.
    ///
    /// # Errors
    /// A layer, whose programs have the integers that it says; a constant that cannot be evaluated.
    pub fn for_64_bits(&self) -> Result<Model, Report> {
        let wide = |spec: &Arc<Spec>| match spec.with_constant(litmpi_spec::model::BITS, 64) {
            Some(mut wide) => {
                wide.instructions.bits = wide.bits();
                Arc::new(wide)
            }
            None => Arc::clone(spec),
        };
        match self {
            Model::Rules(spec) => Ok(Model::Rules(wide(spec))),
            Model::Relations(r) => {
                let programs = r.programs.iter();
                let programs = programs
                    .map(|(v, p)| Ok((v.clone(), Programs::new(wide(&p.spec), v)?)))
                    .collect::<Result<Vec<_>, Report>>()?;
                let Relations { name, of, model, .. } = r.as_ref();
                let (name, of, model) = (name.clone(), of.clone(), model.clone());
                Ok(Model::Relations(Box::new(Relations { name, of, programs, model })))
            }
            Model::Layer(l) => {
                let d = Diagnostic::general(format!("{} runs no programs with integers of 64 bits", l.spec().name));
                Err(d.help("use a model of rules or relations").into())
            }
        }
    }

    /// What programs for it are made of.
    pub fn instructions(&self) -> &Instructions {
        &self.spec().instructions
    }

    /// Its variants, `default` first.
    pub fn variants(&self) -> Vec<&str> {
        match self {
            Model::Rules(_) | Model::Layer(_) => {
                [DEFAULT].into_iter().chain(self.spec().variants.iter().map(|v| v.name.as_str())).collect()
            }
            Model::Relations(r) => r.programs.iter().map(|(v, _)| v.as_str()).collect(),
        }
    }

    /// The model and variant of verdicts that hold for this one under `variant`, its own name apart.
    fn of(&self, variant: &str) -> (String, String) {
        match self {
            Model::Rules(_) | Model::Layer(_) => {
                let spec = self.spec();
                (spec.of.clone().unwrap_or_else(|| spec.name.clone()), variant.to_owned())
            }
            Model::Relations(r) => {
                let (model, base) = &r.of;
                let parts = [base.as_str(), variant].into_iter().filter(|v| *v != DEFAULT);
                let joined = parts.collect::<Vec<_>>().join("-");
                (model.clone(), if joined.is_empty() { DEFAULT.to_owned() } else { joined })
            }
        }
    }

    /// Whether a verdict for this model and variant (none is the default one) is about this one under `variant`.
    pub fn answers_for(&self, model: &str, named: Option<&str>, variant: &str) -> bool {
        let named = named.unwrap_or(DEFAULT);
        let (of, as_variant) = self.of(variant);
        self.name() == model && named == variant || of == model && as_variant == named
    }

    /// Whether its outcomes include deadlocks.
    pub fn knows_deadlock(&self) -> bool {
        match self {
            Model::Rules(_) => true,
            Model::Relations(_) => false,
            Model::Layer(l) => l.below().knows_deadlock(),
        }
    }

    /// Whether it can run a test, which was parsed against its instructions.
    ///
    /// # Errors
    /// Why not: an instruction without rules or events, remote operations of which the model does not speak.
    pub fn runs(&self, test: &Test, limits: Limits) -> Result<(), Report> {
        match self {
            Model::Rules(spec) => litmpi_engine::machine::runs(spec, &lower(test, limits.unroll)).map_err(Report::from),
            Model::Relations(r) => r.prepare(test, DEFAULT, limits).map(|_| ()),
            Model::Layer(l) => l.runs(test, limits),
        }
    }

    /// Every outcome of a test under a variant.
    ///
    /// # Errors
    /// An unknown variant, a test that the model cannot run, a rule that cannot be evaluated.
    pub fn answer(&self, test: &Test, variant: &str, limits: Limits) -> Result<Answer, Report> {
        self.knows_variant(variant)?;
        match self {
            Model::Rules(spec) => {
                let setup = limits.setup(spec, variant);
                match limits.walks {
                    Some(walks) => Ok(walked(walks, Operational::new(test, &setup)?.walks(walks)?)),
                    None => searched(test, &setup, limits),
                }
            }
            Model::Layer(l) => l.answer(test, variant, limits),
            Model::Relations(_) if limits.walks.is_some() => {
                let d = Diagnostic::general(format!(
                    "{} is a declarative model: it has no states to walk through",
                    self.name()
                ));
                Err(d.help("random walks are of models of rules").into())
            }
            Model::Relations(r) => {
                let found = r.prepare(test, variant, limits)?.outcomes()?;
                let reached = |l: &Limit| if *l == Limit::Loops { loops(test, limits) } else { stopped(l) };
                let bounds = found.limits.iter().map(reached).collect();
                let effort = Effort::Candidates { candidates: found.candidates, consistent: found.executions };
                Ok(Answer { set: found.set, effort, bounds, refuted: None })
            }
        }
    }

    /// The same of a model of rules, by a search that these processes make together: each is to call this, and each has the whole answer.
    ///
    /// # Errors
    /// As [`Model::answer`] has; a model without rules of its own; processes that do not search together.
    pub fn answer_across(
        &self,
        test: &Test,
        variant: &str,
        limits: Limits,
        peers: &Arc<Peers>,
    ) -> Result<Answer, Report> {
        self.knows_variant(variant)?;
        let spec = self.divided()?;
        searched(test, &Setup { across: Some(Arc::clone(peers)), ..limits.setup(spec, variant) }, limits)
    }

    /// The rules of a model whose states several processes can divide among themselves.
    ///
    /// # Errors
    /// It is another kind of model.
    pub fn divided(&self) -> Result<&Arc<Spec>, Report> {
        let Model::Rules(spec) = self else {
            let what = format!("{} is no model of rules: it has no states to divide among processes", self.name());
            return Err(Diagnostic::general(what).help("leave --across out").into());
        };
        Ok(spec)
    }

    /// Whether programs for it may use an instruction: whether it has rules, or events, or is short for others.
    pub fn speaks_of(&self, instr: usize) -> bool {
        let spec = self.spec();
        if spec.instructions.list[instr].internal {
            return false;
        }
        match self {
            Model::Rules(spec) => {
                spec.expansions[instr].is_some()
                    || spec.rules.iter().any(|r| r.on.as_ref().is_some_and(|on| on.1 == instr))
            }
            Model::Relations(_) => spec.expansions[instr].is_some() || spec.events[instr].is_some(),
            Model::Layer(l) => l.speaks_of(instr),
        }
    }

    /// Whether outcomes are told apart by final memory, too: not where locations stand for objects.
    pub fn is_of_memory(&self) -> bool {
        let objects = self.instructions().kinds.iter().any(|k| k.shape == Shape::Object);
        !objects && !matches!(self, Model::Layer(_))
    }

    /// A test as it is run under a model of rules, to be searched for ways to outcomes; nothing for a declarative model.
    ///
    /// # Errors
    /// An unknown variant.
    pub fn rules<'t>(
        &self,
        test: &'t Test,
        variant: &str,
        limits: Limits,
    ) -> Result<Option<(Cow<'t, Test>, Setup)>, Report> {
        self.knows_variant(variant)?;
        Ok(match self {
            Model::Rules(spec) => Some((Cow::Borrowed(test), limits.setup(spec, variant))),
            Model::Relations(_) => None,
            Model::Layer(l) => match l.below() {
                Model::Rules(spec) => Some((Cow::Owned(l.expand(test, variant)?), limits.setup(spec, DEFAULT))),
                _ => None,
            },
        })
    }

    /// The instructions that it makes of those below, if it is a layer.
    pub fn makes(&self) -> Vec<&str> {
        let bodies = self.spec().layer.iter().flat_map(|l| &l.bodies);
        bodies.map(|b| self.instructions().list[b.instr].name.as_str()).collect()
    }

    /// A test under a declarative model, for its executions and for what forbids an outcome; parsed against its
    /// instructions.
    ///
    /// # Errors
    /// A model of rules, an unknown variant, a test that the model cannot run.
    pub fn declarative<'t>(&'t self, test: &'t Test, variant: &str, limits: Limits) -> Result<Declarative<'t>, Report> {
        self.knows_variant(variant)?;
        match self {
            Model::Rules(spec) => {
                let d = Diagnostic::general(format!("{} is a model of rules: it has no execution graphs", spec.name));
                Err(d.help("declarative models are .cat files").into())
            }
            Model::Layer(l) => {
                let d = Diagnostic::general(format!("{} is a layer: it has no execution graphs", l.spec().name));
                Err(d.help("declarative models are .cat files").into())
            }
            Model::Relations(r) => r.prepare(test, variant, limits),
        }
    }

    /// # Errors
    /// A variant that the model does not have.
    pub fn knows_variant(&self, variant: &str) -> Result<(), Report> {
        let all = self.variants();
        // Models of rules have several variants together, too.
        let joined = !matches!(self, Model::Relations(_)) && self.spec().variant(variant).is_some();
        if all.contains(&variant) || joined {
            return Ok(());
        }
        let d = Diagnostic::general(format!("model {} has no variant `{variant}`", self.name()));
        Err(d.help(format!("variants: {}", all.join(", "))).into())
    }
}

impl Relations {
    fn prepare<'t>(&'t self, test: &'t Test, variant: &str, limits: Limits) -> Result<Declarative<'t>, Report> {
        let most = Options::default();
        let candidates = u64::try_from(limits.states).map_or(most.candidates, |n| n.min(most.candidates));
        let options = Options { unroll: limits.rounds(), candidates, ..most };
        let programs = self.programs.iter().find(|(v, _)| v == variant).unwrap_or(&self.programs[0]);
        Declarative::new(test, &programs.1, &self.model, options)
    }
}

impl Answer {
    /// Whether these are all outcomes.
    pub fn complete(&self) -> bool {
        self.bounds.is_empty()
    }

    /// What the claim's verdict is, if that is known.
    pub fn verdict(&self, claim: &Claim) -> Option<Expect> {
        claim.verdict_within(self.set.iter(), self.complete())
    }

    /// Where the search stopped early, if it did. A bound that the test itself states for a loop is no such place.
    pub fn stopped(&self) -> Option<&Reached> {
        self.bounds.iter().find(|b| **b != Reached::Loops)
    }

    /// The outcomes that have values: all but deadlocks and errors.
    pub fn values(&self) -> BTreeSet<&Outcome> {
        self.set.iter().filter(|o| matches!(o, Outcome::Values(_) | Outcome::Undefined(_))).collect()
    }
}

/// What random walks say of a test: what was found is there, and that this is all is never known.
fn walked(of: Walks, found: Walked<Outcome>) -> Answer {
    let effort = Effort::Walks {
        seed: of.seed,
        walks: found.walks,
        endless: found.endless + found.cut,
        steps: found.steps,
        states: found.states,
        once: found.outcomes.values().filter(|n| **n == 1).count(),
        unseen: found.unseen(),
    };
    let bounds = vec![Reached::Stopped(format!("{} random walks (--random)", found.walks))];
    Answer { set: found.outcomes.into_keys().collect(), effort, bounds, refuted: None }
}

/// The bound of loops that a search reached: the test's own, if it states one for each of its loops.
/// The answer of a model of rules.
fn searched(test: &Test, setup: &Setup, limits: Limits) -> Result<Answer, Report> {
    let found = Operational::new(test, setup)?.outcomes()?;
    let reached = |b: &Bound| if *b == Bound::Loops { loops(test, limits) } else { stopped(b) };
    let bounds = found.bounds.iter().map(reached).collect();
    let (search, states, transitions) = (found.search, found.states, found.transitions);
    let effort = Effort::Search { search, states, transitions, executions: found.executions };
    Ok(Answer { set: found.set, effort, bounds, refuted: found.refuted })
}

pub(crate) fn loops(test: &Test, limits: Limits) -> Reached {
    match test.states_all_bounds() {
        true => Reached::Loops,
        false => Reached::Stopped(format!("{} (--unroll {})", Bound::Loops, limits.rounds())),
    }
}

pub(crate) fn stopped(bound: &impl fmt::Display) -> Reached {
    Reached::Stopped(bound.to_string())
}

/// Whether a file holds a declarative model.
fn is_cat(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "cat")
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reached::Loops => Bound::Loops.fmt(f),
            Reached::Stopped(at) => f.write_str(at),
        }
    }
}
