//! Of many tests, generated ones for example, a few that together tell the most of the changes that no test of the library tells.

use super::list::Change;
use super::record::Record;
use super::run::{Fate, telling};
use super::subject::Subject;
use crate::cover::greedy;
use crate::mutate::MutateArgs;
use crate::{parallel, say};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A test that was chosen: its file, and the changes that it tells and none before it does, by number, each with the model and variant.
pub(super) struct Chosen {
    pub(super) file: String,
    pub(super) tells: BTreeMap<usize, String>,
}

/// The changes that no test tells by the record.
pub(super) fn open<'c>(all: &[&'c Change], before: &Record) -> Vec<&'c Change> {
    all.iter().filter(|c| before.get(&c.key).is_none_or(Fate::is_open)).copied().collect()
}

/// Of the tests that were searched, so many that together tell the most of these changes.
pub(super) fn cover(open: &[&Change], subjects: &[Subject], number: usize, args: &MutateArgs) -> Vec<Chosen> {
    let most = args.max_tests.unwrap_or(usize::MAX);
    let told = parallel::map(open, args.jobs, "trying changes", |c| telling(c, subjects, most));
    // By file: the changes that it tells, each with where.
    let mut by_file: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for (i, labels) in told.iter().enumerate() {
        for (file, place) in labels.iter().filter_map(|l| l.rsplit_once(' ')) {
            by_file.entry(file.to_owned()).or_default().entry(i).or_insert_with(|| place.to_owned());
        }
    }
    greedy(by_file, number).into_iter().map(|(file, tells)| Chosen { file, tells }).collect()
}

/// Tries every change that no test tells on all tests that come there, and says which tests are to be kept.
pub(super) fn choose(all: &[&Change], subjects: &[Subject], before: &Record, (number, args): (usize, &MutateArgs)) {
    let open = open(all, before);
    let chosen = cover(&open, subjects, number, args);
    let all: usize = chosen.iter().map(|c| c.tells.len()).sum();
    if args.json {
        let rows: Vec<_> = chosen
            .iter()
            .map(|c| {
                let tells = c.tells.iter().map(
                    |(i, place)| json!({"place": open[*i].place(), "change": open[*i].key.to_string(), "under": place}),
                );
                json!({ "test": c.file, "tells": tells.collect::<Vec<_>>() })
            })
            .collect();
        say(&format!("{:#}\n", json!({ "untold": open.len(), "told": all, "chosen": rows })));
        return;
    }
    let mut out = String::new();
    for c in &chosen {
        let _ = writeln!(out, "{} tells {}", c.file, c.tells.len());
        for (i, place) in &c.tells {
            let _ = writeln!(out, "  {place}: {}: {}", open[*i].place(), open[*i].key);
        }
    }
    say(&format!("{out}Of {} changes that no test tells, {} tests tell {all}\n", open.len(), chosen.len()));
}
