//! The models whose rules are changed, with the tests that are held against each and what these reach.

use crate::args::{BoundArgs, ModelArgs, MutateArgs};
use crate::check::{recorded, variants};
use crate::left_out::LeftOut;
use crate::load::{Loaded, tests_under_models};
use crate::parallel;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_rdma_model::{Effort, Limits, Model, Operational, Search, Setup};
use litmpi_spec::cat;
use litmpi_spec::diag::Report;
use litmpi_spec::load::Trees;
use litmpi_spec::model::Spec;
use litmpi_spec::mutate::{Bench, Mutant, Spot};
use litmpi_spec::reach::Reach;
use litmpi_spec::shipped::CAT_PROGRAMS;
use litmpi_spec::syntax::Item;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that the states of a changed model may take.
const BYTES: usize = 256 << 20;

/// A model.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) rules: Bench,
    /// Its relations and checks, if it is a declarative model; `rules` then says what programs are made of.
    pub(super) relations: Option<cat::Trees>,
    spec: Arc<Spec>,
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
    /// How far it comes in the rules, if the model is one of rules.
    reach: Option<Arc<Reach>>,
}

impl Case {
    /// How records name it under a model.
    pub(super) fn label(&self, model: &str) -> String {
        let variant = if self.variant == "default" { String::new() } else { format!(":{}", self.variant) };
        format!("{} {model}{variant}", self.path.display())
    }
}

/// Everything is searched: what rules say of themselves may be wrong of changed ones.
pub(super) fn limits(states: usize) -> Limits {
    Limits { states, bytes: BYTES, search: Search::Full, ..Limits::default() }
}

/// The models that run the tests, each with those that are decided within the bound; how many are not.
pub(super) fn subjects(args: &MutateArgs) -> Result<(Vec<Subject>, usize, LeftOut), Report> {
    let bounds =
        BoundArgs { unroll: 4, max_states: args.max_states, max_memory: BYTES >> 20, max_disk: 0, jobs: args.jobs };
    let model = ModelArgs { tests: args.tests.clone(), model: None, spec: None, bounds, search: None };
    let mut by_model: BTreeMap<String, Vec<Loaded>> = BTreeMap::new();
    let (files, left_out) = tests_under_models(&model, &[])?;
    for loaded in files.into_iter().flat_map(|f| f.under) {
        by_model.entry(loaded.model.name().to_owned()).or_default().push(loaded);
    }
    let (mut out, mut large) = (vec![], 0);
    for (name, loaded) in by_model {
        let runs: Vec<(&Loaded, String)> = loaded
            .iter()
            .map(|l| Ok(variants(l, &recorded(&l.path)?).into_iter().map(move |v| (l, v)).collect::<Vec<_>>()))
            .collect::<Result<Vec<_>, Report>>()?
            .concat();
        let found = parallel::map(&runs, args.jobs, "searching", |(l, v)| case(l, v, args.max_states));
        let mut cases = vec![];
        for c in found {
            match c? {
                Some(c) => cases.push(c),
                None => large += 1,
            }
        }
        cases.sort_by(|a, b| (a.cost, &a.path, &a.variant).cmp(&(b.cost, &b.path, &b.variant)));
        let declared = matches!(&*loaded[0].model, Model::Relations(_));
        let programs = CAT_PROGRAMS.iter().find(|(file, _)| *file == name).map_or("rdma-tso", |(_, model)| model);
        let rules = Bench::new(Trees::shipped(if declared { programs } else { &name })?)?;
        let relations = declared.then(|| cat::Trees::shipped(&name)).transpose()?;
        out.push(Subject { spec: Arc::clone(&loaded[0].spec), name, rules, relations, cases });
    }
    Ok((out, large, left_out))
}

/// A test under a variant; nothing if it is not decided within the bound.
fn case(l: &Loaded, variant: &str, states: usize) -> Result<Option<Case>, Report> {
    let limits = limits(states);
    let done = |set, cost, complete: bool, reach| {
        let case =
            Case { path: l.path.clone(), test: Arc::clone(&l.test), variant: variant.to_owned(), set, cost, reach };
        Ok(complete.then_some(case))
    };
    if let Model::Rules(spec) = &*l.model {
        let reach = Arc::new(Reach::new(spec));
        let setup = Setup { reach: Some(Arc::clone(&reach)), ..limits.setup(spec, variant) };
        let found = Operational::new(&l.test, &setup)?.outcomes()?;
        let complete = !found.stopped();
        return done(found.set, found.states, complete, Some(reach));
    }
    let answer = l.model.answer(&l.test, variant, limits)?;
    let cost = cost(answer.effort);
    let complete = answer.stopped().is_none();
    done(answer.set, cost, complete, None)
}

/// States, or candidate executions.
pub(super) fn cost(effort: Effort) -> usize {
    match effort {
        Effort::Search { states, .. } => states,
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
        move |c: &Case| match (&c.reach, &spot) {
            (Some(reach), spot) => spot.is_reached(reach, &c.variant),
            (None, Spot::Variant(v)) => *v == c.variant,
            (None, spot) => *spot != Spot::Nowhere,
        }
    }
}

/// Whether a change is one of a `.cat` file.
pub(super) fn is_of_relations(m: &Mutant) -> bool {
    m.span.source.name.ends_with(".cat")
}
