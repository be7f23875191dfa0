//! The tests that a page speaks of: their programs, and what there is to explain.

use super::args::Explained;
use super::data::{Part, Standing, TestPage};
use crate::args::ModelArgs;
use crate::explain::{shown, why_not};
use crate::left_out::LeftOut;
use crate::load::{Loaded, tests_under_any_model};
use crate::parallel;
use crate::report::clauses_of;
use crate::tuned::sum;
use litmpi_litmus::ast::Prop;
use litmpi_litmus::sites;
use litmpi_runner::proposition;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// With more tests than this, only those are explained that are not as they should be.
const MANY: usize = 40;
/// Of a test, so many outcomes that it must not show are explained.
const ASKED: usize = 6;

/// The tests of a page, by key: the path of the file, or the name where there is none.
pub(super) struct Tests<'a> {
    args: &'a ModelArgs,
    pages: BTreeMap<String, TestPage>,
    loaded: BTreeMap<String, Loaded>,
    /// Outcomes whose explanation is wanted: variant, the outcome in words, the proposition.
    asked: BTreeMap<String, Vec<(String, String, Prop)>>,
    variants: BTreeMap<String, String>,
    notes: Vec<String>,
}

impl<'a> Tests<'a> {
    pub(super) fn new(args: &'a ModelArgs) -> Tests<'a> {
        let (pages, loaded, asked, variants) = Default::default();
        Tests { args, pages, loaded, asked, variants, notes: vec![] }
    }

    /// The page of a test, made if it is not there.
    pub(super) fn page(&mut self, key: &str, name: &str) -> &mut TestPage {
        self.pages.entry(key.to_owned()).or_insert_with(|| TestPage { name: name.to_owned(), ..TestPage::default() })
    }

    /// What there is to know of a test without its file.
    pub(super) fn of(&self, key: &str) -> Option<&TestPage> {
        self.pages.get(key)
    }

    /// The variant under which a test is shown.
    pub(super) fn as_variant(&mut self, key: &str, variant: &str) {
        if !variant.is_empty() {
            self.variants.insert(key.to_owned(), variant.to_owned());
        }
    }

    /// Wants to know what forbids an outcome.
    pub(super) fn ask(&mut self, key: &str, variant: &str, outcome: &str, prop: Prop) {
        let asked = self.asked.entry(key.to_owned()).or_default();
        let variant = if variant.is_empty() { "default" } else { variant };
        if asked.len() < ASKED && !asked.iter().any(|(v, o, _)| v == variant && o == outcome) {
            asked.push((variant.to_owned(), outcome.to_owned(), prop));
        }
    }

    /// Loads tests by file, model and, if it is known, the sum of the text that the results are of.
    pub(super) fn load_those_of(&mut self, wanted: &[(String, &str, &str)]) {
        let mut by_model: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
        let sums: BTreeMap<&String, &str> = wanted.iter().map(|(file, _, sum)| (file, *sum)).collect();
        for (file, model, _) in wanted.iter().filter(|(file, ..)| !self.loaded.contains_key(file)) {
            by_model.entry(model).or_default().insert(file);
        }
        for (model, files) in by_model {
            let named = Some(model).filter(|m| !m.is_empty() && self.args.spec.is_none()).map(str::to_owned);
            let args = ModelArgs { tests: files.iter().map(PathBuf::from).collect(), model: named, ..self.args() };
            match tests_under_any_model(&args) {
                Ok((loaded, left_out)) => {
                    self.left_out(&left_out);
                    for l in loaded {
                        let key = l.path.display().to_string();
                        let changed =
                            sums.get(&key).is_some_and(|s| !s.is_empty() && *s != sum(&l.test.span.source.text));
                        if changed {
                            let why = "the program is not shown: its file is another one than at the time of the run";
                            self.page(&key, &l.test.name).notes.push(why.to_owned());
                        } else {
                            self.add(key, l);
                        }
                    }
                }
                Err(why) => self.notes.push(format!("Programs are not shown: {}", why.to_string().trim_end())),
            }
        }
    }

    /// Says what was left out.
    pub(super) fn left_out(&mut self, left_out: &LeftOut) {
        for row in left_out.rows() {
            self.notes.push(format!("{} is left out: {}", text(&row["file"]), text(&row["left_out"]).trim_end()));
        }
    }

    /// Adds a test that is loaded.
    pub(super) fn add(&mut self, key: String, l: Loaded) {
        let page = self.page(&key, &l.test.name);
        page.title.clone_from(&l.test.title);
        page.file = l.path.display().to_string();
        page.program = l.test.span.source.text.lines().map(str::to_owned).collect();
        page.clauses = clauses_of(&l.test);
        for claim in &l.test.claims {
            let mut says = format!("{} ({})", claim.quantifier, proposition(&l.test, &claim.prop));
            for v in &claim.verdicts {
                let variant = v.variant.as_ref().map_or(String::new(), |v| format!(":{v}"));
                let cite = v.cite.as_ref().map_or(String::new(), |c| format!(" by {} {}", c.work, c.place));
                says.push_str(&format!("; {}{variant}: {}{cite}", v.model, v.expect));
            }
            page.claims.push(says);
        }
        let ranks = if l.test.family == "mpi" { sites::ranks(&l.test.span.source).unwrap_or_default() } else { vec![] };
        let calls: BTreeSet<String> = ranks.into_iter().flat_map(|r| r.calls).map(|c| c.name).collect();
        page.calls = calls.into_iter().collect();
        self.loaded.insert(key, l);
    }

    /// How tests are loaded, without naming any.
    pub(super) fn args(&self) -> ModelArgs {
        let ModelArgs { spec, bounds, search, .. } = self.args;
        ModelArgs { tests: vec![], model: None, spec: spec.clone(), bounds: bounds.clone(), search: *search }
    }

    /// Explains tests: those whose rows are not as they should be, or all; with a key, the test that has it alone.
    pub(super) fn explain(&mut self, which: Explained, key: Option<&str>, parts: &[Part]) {
        let is_wrong = |s: Standing| matches!(s, Standing::Bad | Standing::Known | Standing::Differs);
        let rows = || parts.iter().flat_map(|p| &p.rows);
        let wrong: BTreeSet<&str> = rows().filter(|r| is_wrong(r.standing)).map(|r| r.key.as_str()).collect();
        let all = match which {
            _ if key.is_some() => false,
            Explained::None => return,
            Explained::All => true,
            Explained::Wrong => false,
            Explained::Auto => self.loaded.len() <= MANY,
        };
        let (args, asked, variants) = (self.args, &self.asked, &self.variants);
        let takes = |of: &str| key.map_or_else(|| all || wrong.contains(of), |key| key == of);
        let chosen: Vec<(&String, &Loaded)> = self.loaded.iter().filter(|(of, _)| takes(of)).collect();
        let found = parallel::map(&chosen, args.bounds.jobs, "explaining", |(key, l)| {
            let variant = variants.get(*key).map_or("default", String::as_str);
            let mut notes = vec![];
            let shown = shown(l, args, variant).unwrap_or_else(|why| {
                notes.push(why.to_string());
                None
            });
            let mut why = vec![];
            for (variant, outcome, prop) in asked.get(*key).into_iter().flatten() {
                match why_not(l, args, variant, (outcome, prop)) {
                    Ok(found) => why.extend(found),
                    Err(e) => notes.push(e.to_string()),
                }
            }
            (shown, why, notes)
        });
        let keys: Vec<String> = chosen.iter().map(|(key, _)| (*key).clone()).collect();
        let of = self.loaded.len();
        if keys.len() < of && key.is_none() {
            self.notes.push(format!(
                "{} of {of} tests are explained, those that are not as they should be; --explain all does so for each.",
                keys.len()
            ));
        }
        for (key, (shown, why, notes)) in keys.iter().zip(found) {
            let Some(page) = self.pages.get_mut(key) else { continue };
            (page.shown, page.why) = (shown, why);
            page.notes.extend(notes);
        }
    }

    /// The pages, and what is to be said of what is not on them.
    pub(super) fn into_pages(self) -> (BTreeMap<String, TestPage>, Vec<String>) {
        (self.pages, self.notes)
    }
}

/// A text of JSON.
pub(super) fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}
