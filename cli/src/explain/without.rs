//! Why a model of rules forbids an outcome: the smallest changes that would allow it, and how it would then come about.
//!
//! Each premise, condition and requirement that the search of the test came to is left out alone, and the test searched again. Where no
//! single one is enough, two of different rules are left out together, as far as a bound that is said.

use crate::args::ModelArgs;
use crate::parallel;
use litmpi_engine::reach::Reach;
use litmpi_litmus::ast::{Prop, Test};
use litmpi_models::{Operational, Search, Setup};
use litmpi_spec::diag::Report;
use litmpi_spec::load::Trees;
use litmpi_spec::mutate::{Bench, Mutant, What};
use litmpi_spec::source::one_line;
use litmpi_spec::syntax::{Cite, Item};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Of so many changes all pairs are tried, where no single one is enough.
const PAIRED: usize = 40;
/// So many ways are shown in full.
const SHOWN: usize = 4;
/// A changed model may take so many times the states of the right one, and this many more.
const TIMES: usize = 20;
const MORE: usize = 5000;

/// What makes more possible when it is left out; what is said first is tried first.
const LOOSER: [What; 6] = [
    What::DropPremise,
    What::Anywhere,
    What::DropRequirement,
    What::DropCondition,
    What::Loosen,
    What::DropAlternative,
];

/// What forbids an outcome.
pub(super) struct Forbidden {
    /// How many changes were tried alone.
    tried: usize,
    /// How many pairs, if no single one was enough.
    pairs: usize,
    /// Changes that were not decided within the bound on states.
    undecided: usize,
    ways: Vec<Way>,
}

/// Changes that allow it, and how it then comes about.
struct Way {
    changes: Vec<(Mutant, String)>,
    steps: Vec<String>,
}

/// Whether two changes together are tried where no single one is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    Tried,
    LeftOut,
}

/// Looks for what forbids an outcome; `reach` is what the search of the test came to, in so many states.
pub(super) fn forbidden(
    args: &ModelArgs,
    (test, setup): (&Test, &Setup),
    prop: &Prop,
    (reach, states): (&Reach, usize),
    pairs: Pairs,
) -> Result<Forbidden, Report> {
    let trees = match &args.spec {
        Some(path) => Trees::load(path)?,
        None => Trees::shipped(&setup.spec.name)?,
    };
    let bench = Bench::new(trees)?;
    let mut candidates: Vec<Mutant> = (0..bench.trees.files.len()).flat_map(|f| bench.mutants(f)).collect();
    candidates.retain(|m| {
        LOOSER.contains(&m.what)
            && reach.comes_to(&bench.spot(m, &setup.spec), &setup.variant)
            && is_rule(bench.item(m))
    });
    candidates.sort_by_key(|m| LOOSER.iter().position(|w| *w == m.what));
    let bounds = litmpi_engine::search::Bounds { states: states * TIMES + MORE, ..setup.bounds };
    let setup = Setup { bounds, search: Search::Full, reach: None, coverage: None, ..setup.clone() };
    let tried = |changes: &[Vec<Mutant>]| -> Vec<Tried> {
        let tried = |ms: &Vec<Mutant>| Tried::new(&bench, ms, (test, &setup), prop);
        parallel::map(changes, args.bounds.jobs, "looking for what forbids it", tried)
    };
    let mut out = Forbidden { tried: 0, pairs: 0, undecided: 0, ways: vec![] };
    out.tried = out.take(tried(&candidates.iter().map(|m| vec![m.clone()]).collect::<Vec<_>>()));
    if out.ways.is_empty() && pairs == Pairs::Tried {
        candidates.truncate(PAIRED);
        let mut all = vec![];
        for (i, a) in candidates.iter().enumerate() {
            let others = candidates[i + 1..].iter().filter(|b| b.item != a.item);
            all.extend(others.map(|b| vec![a.clone(), b.clone()]));
        }
        out.pairs = out.take(tried(&all));
    }
    out.smallest();
    Ok(out)
}

/// Whether a change of it changes what may happen, not what programs or initial states are.
fn is_rule(item: &Item) -> bool {
    matches!(item, Item::Rule(_) | Item::Fun(_) | Item::Requirements(_))
}

/// What came of some changes.
enum Tried {
    /// They make no model.
    Unfit,
    /// They do not allow it, or what they allow could not be evaluated.
    Forbids,
    /// A bound on states was hit first.
    Undecided,
    Allows(Way),
}

impl Tried {
    fn new(bench: &Bench, ms: &[Mutant], (test, setup): (&Test, &Setup), prop: &Prop) -> Tried {
        let Ok(spec) = bench.with(ms) else { return Tried::Unfit };
        let setup = Setup { spec: Arc::new(spec), ..setup.clone() };
        let Ok(model) = Operational::new(test, &setup) else { return Tried::Unfit };
        // A rule that cannot be evaluated any more allows nothing.
        let Ok(ways) = model.ways() else { return Tried::Forbids };
        let Some(outcome) = ways.outcomes.set.iter().find(|o| prop.holds(o)) else {
            return if ways.outcomes.stopped() { Tried::Undecided } else { Tried::Forbids };
        };
        let Ok(Some(path)) = model.way(&ways, outcome) else { return Tried::Forbids };
        let machine = model.machine();
        let step = |(i, s): (usize, &litmpi_engine::machine::Step)| match machine.step_source(s, &path.states[i]) {
            Some(span) => format!("{}   runs {}", machine.step_name(s), one_line(span.text())),
            None => machine.step_name(s),
        };
        let steps = path.steps.iter().enumerate().map(step).collect();
        Tried::Allows(Way { changes: ms.iter().map(|m| (m.clone(), cites(bench.item(m)))).collect(), steps })
    }
}

impl Forbidden {
    /// Takes what came of changes; how many of them make a model.
    fn take(&mut self, all: Vec<Tried>) -> usize {
        let mut fit = 0;
        for tried in all {
            fit += usize::from(!matches!(tried, Tried::Unfit));
            match tried {
                Tried::Undecided => self.undecided += 1,
                Tried::Allows(way) => self.ways.push(way),
                Tried::Unfit | Tried::Forbids => {}
            }
        }
        fit
    }

    /// Of changes of one place, one of which is a part of the other, the smaller one is told; then those come first that make the
    /// outcome come about soonest.
    fn smallest(&mut self) {
        let inside = |a: &Mutant, b: &Mutant| {
            let (x, y) = (&a.span, &b.span);
            a.item == b.item && x.start >= y.start && x.end <= y.end && (x.start, x.end) != (y.start, y.end)
        };
        let all: Vec<Vec<Mutant>> =
            self.ways.iter().map(|w| w.changes.iter().map(|(m, _)| m.clone()).collect()).collect();
        let smaller = |ms: &[Mutant]| {
            all.iter().any(|other| {
                let within =
                    other.len() == ms.len() && other.iter().zip(ms).all(|(a, b)| a.span == b.span || inside(a, b));
                within && other.iter().zip(ms).any(|(a, b)| inside(a, b))
            })
        };
        let keep: Vec<bool> = all.iter().map(|ms| !smaller(ms)).collect();
        let mut kept = keep.iter();
        self.ways.retain(|_| *kept.next().unwrap_or(&true));
        let mut places: Vec<Vec<(usize, usize, usize)>> = vec![];
        self.ways.retain(|w| {
            let place: Vec<_> = w.changes.iter().map(|(m, _)| (m.item.0, m.span.start, m.span.end)).collect();
            let new = !places.contains(&place);
            places.push(place);
            new
        });
        self.ways.sort_by_key(|w| w.steps.len());
    }

    pub(super) fn as_text(&self) -> String {
        let mut out = String::new();
        let tried = format!(
            "{} premises, conditions and requirements that the search came to, each left out alone",
            self.tried
        );
        let bound = match self.undecided {
            0 => String::new(),
            n => format!("; {n} of them were not decided within {TIMES} times the states"),
        };
        match (self.ways.len(), self.pairs) {
            (0, n) => {
                let pairs = if n == 1 { "does the one pair".to_owned() } else { format!("do {n} pairs") };
                let _ =
                    writeln!(out, "No single rule forbids it: of {tried}, none allows it, nor {pairs} of them{bound}.");
            }
            (n, 0) => _ = writeln!(out, "What forbids it: without {} it would be allowed (of {tried}{bound}).", any(n)),
            (n, pairs) => {
                let pairs =
                    if pairs == 1 { "their one pair does".to_owned() } else { format!("of {pairs} pairs, {n} do") };
                let _ = writeln!(out, "What forbids it: of {tried}, none allows it; {pairs}{bound}.");
            }
        }
        for (i, way) in self.ways.iter().enumerate() {
            out.push('\n');
            for (k, (m, cites)) in way.changes.iter().enumerate() {
                let number = if k == 0 { format!("{}.", i + 1) } else { "   and".to_owned() };
                let _ = writeln!(out, "{number} {}: {}   {}", m.owner, told(m), m.span);
                if !cites.is_empty() {
                    let _ = writeln!(out, "   {cites}");
                }
            }
            if i < SHOWN {
                let _ = writeln!(out, "   It would come about so:");
                way.steps.iter().enumerate().for_each(|(n, s)| _ = writeln!(out, "   {:>3}. {s}", n + 1));
            } else {
                let _ = writeln!(out, "   It would come about in {} steps.", way.steps.len());
            }
        }
        out
    }

    /// Each change that alone would allow it, a line each.
    pub(super) fn in_short(&self) -> Vec<String> {
        let single = self.ways.iter().filter(|w| w.changes.len() == 1).take(SHOWN).flat_map(|w| &w.changes);
        single.map(|(m, _)| format!("{}: {}   {}", m.owner, told(m), m.span)).collect()
    }

    pub(super) fn as_json(&self) -> Value {
        let change = |(m, cites): &(Mutant, String)| {
            json!({
                "of": m.owner, "change": m.what.name(), "from": m.from, "to": m.to, "place": m.span.to_string(), "cite": cites,
            })
        };
        let way = |w: &Way| json!({ "without": w.changes.iter().map(change).collect::<Vec<_>>(), "steps": w.steps });
        json!({
            "tried": self.tried, "pairs": self.pairs, "undecided": self.undecided,
            "ways": self.ways.iter().map(way).collect::<Vec<_>>(),
        })
    }
}

fn any(n: usize) -> String {
    if n == 1 { "this".to_owned() } else { format!("any one of these {n}") }
}

/// A change in words.
fn told(m: &Mutant) -> String {
    match m.what {
        What::DropPremise => format!("the premise `{}`", m.from),
        What::DropRequirement => format!("the requirement `{}`", m.from),
        What::Anywhere => format!("that `{}` is at this end of the sequence", m.from),
        What::Loosen => format!("`{}` in the pattern", m.from),
        _ if matches!(m.to.as_str(), "" | "true" | "false") => format!("the condition `{}`", m.from),
        _ => format!("`{}`, if it were `{}`", m.from, m.to),
    }
}

fn cites(item: &Item) -> String {
    let cites: &[Cite] = match item {
        Item::Rule(r) => &r.cites,
        Item::Fun(f) => &f.cites,
        Item::Requirements(r) => &r.cites,
        _ => &[],
    };
    cites.iter().map(|c| format!("{} {}", c.work, c.place)).collect::<Vec<_>>().join("; ")
}
