//! `litmpi claims`: do rules commute as they say, and would it be found if they did not?
//!
//! In the states of the full search of each test, every pair of transitions that a claim (`commutes with …`) speaks of is taken in both
//! orders; and behind each step that a rule does not wait for (`waits for …`), the rule must still not be enabled. The same is done with claims that say more than those that are made: each should be refuted by a test.

use crate::args::ClaimsArgs;
use crate::check::{recorded, variants};
use crate::load::{Loaded, same, tests_under_rules};
use crate::{Verdict, parallel, say};
use litmpi_engine::machine::Machine;
use litmpi_engine::reduce::{Id, Tried, Weaker, try_claims, weakened};
use litmpi_litmus::lower;
use litmpi_models::Model;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::ir::Rule;
use litmpi_spec::model::Spec;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// A model with its claims and those that are merely tried.
struct Claims {
    right: Arc<Spec>,
    spec: Arc<Spec>,
    weaker: Vec<(Id, Weaker, usize)>,
}

/// What came of the claims of a model.
#[derive(Default)]
struct Found {
    pairs: BTreeMap<Id, usize>,
    /// The first test that refutes each, and the two transitions.
    refuted: BTreeMap<Id, (String, String)>,
    states: usize,
    tests: usize,
    /// Tests of which not all states were followed.
    cut: usize,
}

pub(crate) fn claims(args: &ClaimsArgs) -> Result<Verdict, Report> {
    let (mut loaded, mut left_out) = tests_under_rules(&args.model)?;
    loaded.retain(|l| matches!(&*l.model, Model::Rules(_)));
    let mut models: Vec<Claims> = vec![];
    for l in &loaded {
        if !models.iter().any(|m| Arc::ptr_eq(&m.right, &l.spec)) {
            let (spec, weaker) = weakened(&l.spec);
            models.push(Claims { right: Arc::clone(&l.spec), spec: Arc::new(spec), weaker });
        }
    }
    if models.is_empty() {
        let d = Diagnostic::general("no test here is run by a model of rules");
        return Err(d.help("claims are about rules: name tests of such a model").into());
    }
    let of =
        |l: &Loaded| models.iter().position(|m| Arc::ptr_eq(&m.right, &l.spec)).expect("every model is among them");
    let tried = parallel::map(&loaded, args.model.bounds.jobs, "trying claims", |l| try_in(l, &models[of(l)], args));
    let mut found: Vec<Found> = models.iter().map(|_| Found::default()).collect();
    for (l, tried) in loaded.iter().zip(tried) {
        if let Some(tried) = left_out.keep(&l.path, tried) {
            found[of(l)].add(l, tried);
        }
    }
    let mut shown: Vec<(&Claims, Found)> = vec![];
    for (m, f) in models.iter().zip(found) {
        match shown.iter_mut().find(|(first, _)| same(&first.right, &m.right)) {
            Some((_, all)) => all.join(f),
            None => shown.push((m, f)),
        }
    }
    let (mut out, mut rows, mut good) = (String::new(), vec![], true);
    for (m, f) in &shown {
        good &= m.wrong(f).is_empty();
        if args.json { rows.push(m.as_json(f)) } else { out += &m.as_text(f) }
    }
    if args.json {
        rows.extend(left_out.rows());
    }
    say(&if args.json { format!("{:#}\n", json!(rows)) } else { out });
    // `--states` says what is to be tried; a bound that cuts it short leaves it undecided.
    let short = args.model.bounds.max_states < args.states;
    let undecided = if short { shown.iter().map(|(_, f)| f.cut).sum() } else { 0 };
    Ok(left_out.end(Verdict::of(usize::from(!good), undecided)))
}

fn try_in(l: &Loaded, m: &Claims, args: &ClaimsArgs) -> Result<Vec<Tried>, Report> {
    let program = lower(&l.test, args.model.bounds.unroll);
    let run = |variant: &String| {
        let machine = Machine::new(Arc::clone(&m.spec), &program, variant)?;
        try_claims(&machine, args.states.min(args.model.bounds.max_states))
    };
    variants(l, &recorded(&l.path)?).iter().map(run).collect::<Result<_, _>>().map_err(Report::from)
}

impl Found {
    /// Takes in what came of the same claims in other tests.
    fn join(&mut self, other: Found) {
        other.pairs.into_iter().for_each(|(id, n)| *self.pairs.entry(id).or_default() += n);
        other.refuted.into_iter().for_each(|(id, by)| _ = self.refuted.entry(id).or_insert(by));
        self.states += other.states;
        self.tests += other.tests;
        self.cut += other.cut;
    }

    fn add(&mut self, l: &Loaded, all: Vec<Tried>) {
        self.tests += 1;
        self.cut += usize::from(all.iter().any(|t| !t.complete));
        for tried in all {
            self.states += tried.states;
            tried.pairs.into_iter().for_each(|(id, n)| *self.pairs.entry(id).or_default() += n);
            for (id, pair) in tried.refuted {
                self.refuted.entry(id).or_insert_with(|| (l.path.display().to_string(), pair));
            }
        }
    }
}

impl Claims {
    fn is_made(&self, (rule, number): Id) -> bool {
        number < self.right.rules[rule].commutes.len()
    }

    fn name(&self, (rule, number): Id) -> String {
        let r = &self.right.rules[rule];
        match r.commutes.len() {
            0 | 1 => r.name.clone(),
            n => format!("{} ({} of {n})", r.name, number + 1),
        }
    }

    /// Claims that are made and false.
    fn wrong(&self, f: &Found) -> Vec<Id> {
        f.refuted.keys().copied().filter(|id| self.is_made(*id)).collect()
    }

    /// Claims that are made: one about rules alone that the model leaves out says nothing.
    fn made(&self) -> impl Iterator<Item = Id> + '_ {
        let of = |(r, rule): (usize, &Rule)| {
            let says = |i: &usize| !rule.commutes[*i].with.is_empty();
            (0..rule.commutes.len()).filter(says).map(|i| (r, i)).collect::<Vec<_>>()
        };
        self.right.rules.iter().enumerate().flat_map(of)
    }

    fn as_text(&self, f: &Found) -> String {
        let made: Vec<Id> = self.made().collect();
        let of = |said: bool| {
            let all = self.weaker.iter().filter(move |(_, how, _)| (*how != Weaker::Unsaid) == said);
            (all.clone().filter(|(id, _, _)| f.refuted.contains_key(id)).count(), all.count())
        };
        let ((told, weaker), (unsaid, rules)) = (of(true), of(false));
        let mut out = format!(
            "## {}\n\n{} claims, tried in {} states of {} tests: {} are false. Of {weaker} claims that say more, {told} are refuted; of {rules} rules \
             without a claim, {unsaid} do not commute with all others.\n",
            self.right.name,
            made.len(),
            f.states,
            f.tests,
            self.wrong(f).len(),
        );
        if f.cut > 0 {
            let _ = writeln!(out, "Of {} tests not all states were followed.", f.cut);
        }
        out += "\n| claim of | pairs tried | |\n|---|---:|---|\n";
        for id in made {
            let said = f.refuted.get(&id).map_or(String::new(), |(test, pair)| format!("**false**: {test}: {pair}"));
            let because = &self.right.rules[id.0].commutes[id.1].because;
            let said = if said.is_empty() { because.clone() } else { said };
            let _ = writeln!(out, "| {} | {} | {said} |", self.name(id), f.pairs.get(&id).unwrap_or(&0));
        }
        out += "\n| claim of | that says more | refuted by |\n|---|---|---|\n";
        for (id, how, from) in self.weaker.iter().filter(|(_, how, _)| *how != Weaker::Unsaid) {
            let told = f.refuted.get(id).map_or("**no test**".to_owned(), |(test, pair)| format!("{test}: {pair}"));
            let _ = writeln!(out, "| {} | {} | {told} |", self.name((id.0, *from)), how.name());
        }
        out + "\n"
    }

    fn as_json(&self, f: &Found) -> serde_json::Value {
        let refuted = |id: &Id| f.refuted.get(id).map(|(test, pair)| json!({ "test": test, "pair": pair }));
        let made = self.made().map(|id| {
            let place = self.right.rules[id.0].span.to_string();
            let because = &self.right.rules[id.0].commutes[id.1].because;
            json!({ "rule": self.right.rules[id.0].name, "claim": id.1, "because": because, "place": place, "pairs": f.pairs.get(&id).unwrap_or(&0), "refuted": refuted(&id) })
        });
        let weaker = self.weaker.iter().map(|(id, how, from)| {
            json!({ "rule": self.right.rules[id.0].name, "claim": from, "more": how.name(), "refuted": refuted(id) })
        });
        json!({
            "model": self.right.name, "hash": self.right.hash(), "tests": f.tests, "states": f.states, "cut": f.cut,
            "claims": made.collect::<Vec<_>>(), "weaker": weaker.collect::<Vec<_>>(),
        })
    }
}
