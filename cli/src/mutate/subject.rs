//! The models whose rules are changed, with the tests that are held against each and what these reach.

use super::calls::{Expansions, calls, expansions};
use crate::args::{BoundArgs, ModelArgs};
use crate::check::{recorded, variants};
use crate::left_out::LeftOut;
use crate::load::{Loaded, tests_under_models};
use crate::mutate::MutateArgs;
use crate::parallel;
use indexmap::IndexSet;
use litmpi_cat as cat;
use litmpi_engine::beside::{Ending, Futures, States};
use litmpi_engine::machine::Machine;
use litmpi_engine::reach::Reach;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::lower;
use litmpi_models::{Effort, Limits, Model, Operational, Search, Setup, ends_in};
use litmpi_mpi_model::laws::everything;
use litmpi_spec::diag::Report;
use litmpi_spec::load::Trees;
use litmpi_spec::model::Spec;
use litmpi_spec::mutate::{Bench, Mutant, Spot};
use litmpi_spec::program::Program;
use litmpi_spec::shipped::CAT_PROGRAMS;
use litmpi_spec::syntax::Item;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes that the states of a changed model may take.
pub(super) const BYTES: usize = 256 << 20;

/// Tests with so many states, or candidate executions, are small: all of them are tried.
pub(super) const SMALL: usize = 250;

/// Larger ones are tried where fewer tests than these come.
const FEW: usize = 8;

/// A model.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) rules: Bench,
    /// Its relations and checks, if it is a declarative model; `rules` then says what programs are made of.
    pub(super) relations: Option<cat::Trees>,
    pub(super) spec: Arc<Spec>,
    /// What it may be searched for, each test under one variant.
    pub(super) runs: Vec<(Loaded, String)>,
    /// Those that were searched and are tried on changes, small ones first.
    pub(super) cases: Vec<Case>,
}

/// A test under a variant of a model, with its outcomes.
pub(super) struct Case {
    pub(super) path: PathBuf,
    pub(super) test: Arc<Test>,
    pub(super) variant: String,
    pub(super) set: BTreeSet<Outcome>,
    /// States, or candidate executions.
    pub(super) cost: usize,
    pub(super) effort: Effort,
    /// Its states, once somebody has asked for them; none if the model is not one of rules.
    walked: OnceLock<Option<Walked>>,
    /// How far it comes in the rules, if the model is one of rules.
    reach: Option<Arc<Reach>>,
    /// The instructions that it runs.
    calls: BTreeSet<String>,
}

/// A test under rules, with the states that it reaches.
pub(super) struct Walked {
    pub(super) program: Program,
    pub(super) machine: Machine,
    pub(super) states: States,
    /// The test with everything observed.
    test: Test,
    /// All endings that some search has come to, numbered.
    endings: Mutex<IndexSet<Outcome>>,
    /// Which of them may follow each state, once somebody has asked; nothing if that cannot be said.
    futures: OnceLock<Option<Futures>>,
}

impl Walked {
    /// Which endings may follow each of the states under a machine of these or of changed rules, with everything observed.
    pub(super) fn futures_under(&self, machine: &Machine) -> Option<Futures> {
        let mut number = |ending: Ending<'_>| {
            let outcome = match ending {
                Ending::State(state) => ends_in(machine, &self.test.observed, state)?,
                Ending::Erroneous(rule, reason) => {
                    Outcome::Erroneous { rule: rule.to_owned(), reason: reason.to_owned() }
                }
            };
            Some(self.endings.lock().unwrap_or_else(|e| e.into_inner()).insert_full(outcome).0)
        };
        machine.futures(&self.states, 3 * self.states.count() + WALKED, &mut number).ok()?
    }

    /// Which may follow under the right rules.
    pub(super) fn futures(&self) -> Option<&Futures> {
        self.futures.get_or_init(|| self.futures_under(&self.machine)).as_ref()
    }
}

/// Of a test with more states than this, so many are compared.
const WALKED: usize = 3000;

impl Case {
    /// The states that it reaches under its model; nothing if that is not one of rules.
    pub(super) fn walked(&self, subject: &Subject) -> Option<&Walked> {
        let walk = || {
            self.reach.as_ref()?;
            let program = lower(&self.test, None);
            let machine = Machine::new(Arc::clone(&subject.spec), &program, &self.variant).ok()?;
            let states = States::of(&machine, WALKED).ok()?;
            let mut test = (*self.test).clone();
            test.observed = everything(&test, &subject.spec.instructions);
            Some(Walked { program, machine, states, test, endings: Mutex::default(), futures: OnceLock::new() })
        };
        self.walked.get_or_init(walk).as_ref()
    }

    /// How records name it under a model.
    pub(super) fn label(&self, model: &str) -> String {
        label(&self.path, model, &self.variant)
    }
}

fn label(path: &Path, model: &str, variant: &str) -> String {
    let variant = if variant == "default" { String::new() } else { format!(":{variant}") };
    format!("{} {model}{variant}", path.display())
}

/// Everything is searched: what rules say of themselves may be wrong of changed ones. A change of a layer leaves the rules below it as they
/// are, and makes other programs over them: these may be searched as any others.
pub(super) fn limits(model: &Model, states: usize) -> Limits {
    let search = if matches!(model, Model::Layer(_)) { Search::Auto } else { Search::Full };
    Limits { states, bytes: BYTES, search, ..Limits::default() }
}

/// The models that run the tests. Nothing is searched yet.
pub(super) fn subjects(args: &MutateArgs) -> Result<(Vec<Subject>, LeftOut), Report> {
    let bounds =
        BoundArgs { unroll: None, max_states: args.max_states, max_memory: BYTES >> 20, max_disk: 0, jobs: args.jobs };
    let model = ModelArgs { tests: args.tests.clone(), model: None, spec: None, bounds, search: None };
    let mut by_model: BTreeMap<String, Vec<Loaded>> = BTreeMap::new();
    let (files, left_out) = tests_under_models(&model, &[])?;
    for loaded in files.into_iter().flat_map(|f| f.under) {
        by_model.entry(loaded.model.name().to_owned()).or_default().push(loaded);
    }
    let mut out = vec![];
    for (name, loaded) in by_model {
        let declared = matches!(&*loaded[0].model, Model::Relations(_));
        let programs = CAT_PROGRAMS.iter().find(|(file, _)| *file == name).map_or("rdma-tso", |(_, model)| model);
        let rules = Bench::new(Trees::shipped(if declared { programs } else { &name })?)?;
        let relations = declared.then(|| cat::Trees::shipped(&name)).transpose()?;
        let spec = Arc::clone(&loaded[0].spec);
        let mut runs = vec![];
        for l in loaded {
            let variants = variants(&l, &recorded(&l.path)?);
            runs.extend(variants.into_iter().map(|v| (l.clone(), v)));
        }
        out.push(Subject { spec, name, rules, relations, runs, cases: vec![] });
    }
    Ok((out, left_out))
}

/// Which tests are searched, to be tried on changes.
pub(super) enum Wanted<'a> {
    /// All that are small, and larger ones where few come.
    All,
    /// Each of them.
    Each,
    /// Those with these labels, and all small ones if that is said.
    Named(HashSet<&'a str>, bool),
}

/// Searches the tests under each model; how many are too large to be tried. A test that cannot be searched is left out.
pub(super) fn search(subjects: &mut [Subject], wanted: &Wanted, args: &MutateArgs, left_out: &mut LeftOut) -> usize {
    let mut large = 0;
    for subject in subjects {
        // So many states may it have.
        let bound = |(l, v): &(Loaded, String)| match wanted {
            Wanted::All | Wanted::Each => args.max_states,
            Wanted::Named(labels, _) if labels.contains(label(&l.path, &subject.name, v).as_str()) => args.max_states,
            Wanted::Named(_, small) => {
                if *small {
                    SMALL
                } else {
                    0
                }
            }
        };
        let runs: Vec<(&(Loaded, String), usize)> =
            subject.runs.iter().map(|run| (run, bound(run))).filter(|(_, bound)| *bound > 0).collect();
        let short = expansions(&subject.rules.trees);
        let found = parallel::map(&runs, args.jobs, "searching", |((l, v), bound)| case(l, v, *bound, &short));
        let mut cases = vec![];
        for (((l, _), _), found) in runs.iter().zip(found) {
            match left_out.keep(&l.path, found) {
                Some(Some(case)) => cases.push(case),
                Some(None) => large += 1,
                None => {}
            }
        }
        cases.sort_by(|a, b| (a.cost, &a.path, &a.variant).cmp(&(b.cost, &b.path, &b.variant)));
        if matches!(wanted, Wanted::All) {
            large += thin(&mut cases, &subject.spec);
        }
        subject.cases = cases;
    }
    large
}

/// Leaves out large tests, except where few smaller ones come: to a premise, a function or a variant. How many were left out.
fn thin(cases: &mut Vec<Case>, spec: &Spec) -> usize {
    let all = cases.len();
    let mut comers: HashMap<(usize, usize), usize> = HashMap::new();
    cases.retain(|c| {
        let variant = spec.variants.iter().position(|v| v.name == c.variant).unwrap_or(spec.variants.len());
        let rules = spec.rules.iter().enumerate().flat_map(|(r, rule)| (0..=rule.when.len()).map(move |p| (r, p)));
        let functions = (0..spec.functions.len()).map(|f| (spec.rules.len() + f, 0));
        let reached = |reach: &Reach| {
            let rules = rules.filter(|(r, p)| reach.came_to(*r, *p)).collect::<Vec<_>>();
            let functions = functions.filter(|(f, _)| reach.is_called(f - spec.rules.len()));
            rules.into_iter().chain(functions).collect::<Vec<_>>()
        };
        let mut spots = c.reach.as_ref().map(|r| reached(r)).unwrap_or_default();
        spots.push((usize::MAX, variant));
        let is_kept = c.cost <= SMALL || spots.iter().any(|s| comers.get(s).copied().unwrap_or(0) < FEW);
        if is_kept {
            spots.into_iter().for_each(|s| *comers.entry(s).or_default() += 1);
        }
        is_kept
    });
    all - cases.len()
}

/// A test under a variant; nothing if it is not decided within the bound.
pub(super) fn case(l: &Loaded, variant: &str, states: usize, short: &Expansions) -> Result<Option<Case>, Report> {
    let limits = limits(&l.model, states);
    let done = |set, effort, complete: bool, reach| {
        let calls = calls(&l.test, &l.spec.instructions, short);
        let (path, test, variant, walked) = (l.path.clone(), Arc::clone(&l.test), variant.to_owned(), OnceLock::new());
        Ok(complete.then_some(Case { path, test, variant, set, cost: cost(effort), effort, walked, reach, calls }))
    };
    if let Model::Rules(spec) = &*l.model {
        let reach = Arc::new(Reach::new(spec));
        let setup = Setup { reach: Some(Arc::clone(&reach)), ..limits.setup(spec, variant) };
        let found = Operational::new(&l.test, &setup)?.outcomes()?;
        let complete = !found.stopped();
        let (states, transitions) = (found.states, found.transitions);
        let effort = Effort::Search { search: found.search, states, transitions, executions: None };
        return done(found.set, effort, complete, Some(reach));
    }
    let answer = l.model.answer(&l.test, variant, limits)?;
    let complete = answer.stopped().is_none();
    done(answer.set, answer.effort, complete, None)
}

/// States, or candidate executions.
pub(super) fn cost(effort: Effort) -> usize {
    match effort {
        Effort::Search { states, .. } => states,
        Effort::Walks { steps, .. } => steps,
        Effort::Candidates { candidates, .. } => candidates as usize,
    }
}

impl Subject {
    /// The model with some changes, all of its rules or all of its relations.
    ///
    /// # Errors
    /// They are ill-typed.
    pub(super) fn with(&self, mutants: &[Mutant]) -> Result<Model, Report> {
        let Some(cat) = &self.relations else { return Model::in_memory(self.rules.with(mutants)?) };
        match mutants {
            [m] if is_of_relations(m) => {
                let changed = cat.with(m)?;
                Model::relations_in_memory(&self.name, Arc::clone(&self.spec), |given| changed.check(given))
            }
            rules => {
                let spec = Arc::new(self.rules.with(rules)?);
                Model::relations_in_memory(&self.name, spec, |given| cat.check(given))
            }
        }
    }

    /// Whether a test may tell a change, by what its search came to.
    pub(super) fn may_tell(&self, m: &Mutant) -> impl Fn(&Case) -> bool {
        let spot = if is_of_relations(m) {
            Spot::Everywhere
        } else if self.relations.is_some() {
            // A declarative model has no rules: programs and their events are what it takes of a specification.
            match self.rules.item(m) {
                Item::Events(_) | Item::Instruction(_) | Item::Const(..) => Spot::Everywhere,
                Item::Variant(n, ..) => Spot::Variant(n.node.clone()),
                _ => Spot::Nowhere,
            }
        } else {
            self.rules.spot(m, &self.spec)
        };
        let instruction = match (!is_of_relations(m)).then(|| self.rules.item(m)) {
            Some(Item::Events(e)) => Some(e.name.node.clone()),
            Some(Item::Instruction(i)) => Some(i.name.node.clone()),
            _ => None,
        };
        let comes = move |c: &Case| match (&c.reach, &spot) {
            (Some(reach), spot) => reach.comes_to(spot, &c.variant),
            (None, Spot::Variant(v)) => *v == c.variant,
            (None, spot) => *spot != Spot::Nowhere,
        };
        move |c: &Case| instruction.as_ref().is_none_or(|i| c.calls.contains(i)) && comes(c)
    }
}

/// Whether a change is one of a `.cat` file.
pub(super) fn is_of_relations(m: &Mutant) -> bool {
    m.span.source.name.ends_with(".cat")
}
