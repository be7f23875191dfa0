//! Of many tests, generated ones for example, a few that together tell the most of the changes that no test of the library tells.

use super::list::Change;
use super::record::Record;
use super::run::{Fate, telling};
use super::subject::Subject;
use crate::mutate::MutateArgs;
use crate::{parallel, say};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A test that was chosen: its file, and the changes that it tells and none before it does, by number, each with the model and variant.
struct Chosen<'a> {
    file: &'a str,
    tells: BTreeMap<usize, &'a str>,
}

/// Tries every change that no test tells on all tests that come there, and says which tests are to be kept.
pub(super) fn choose(all: &[&Change], subjects: &[Subject], before: &Record, (number, args): (usize, &MutateArgs)) {
    let untold = |c: &&&Change| matches!(before.get(&c.key), None | Some(Fate::Survives(_) | Fate::Unreached));
    let open: Vec<&Change> = all.iter().filter(untold).copied().collect();
    let most = args.max_tests.unwrap_or(usize::MAX);
    let told = parallel::map(&open, args.jobs, "trying changes", |c| telling(c, subjects, most));
    // By file: the changes that it tells, each with where.
    let mut by_file: BTreeMap<&str, BTreeMap<usize, &str>> = BTreeMap::new();
    for (i, labels) in told.iter().enumerate() {
        for (file, place) in labels.iter().filter_map(|l| l.rsplit_once(' ')) {
            by_file.entry(file).or_default().entry(i).or_insert(place);
        }
    }
    let chosen = greedy(by_file, number);
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

/// One after the other the file that tells the most of what those before it do not; of several the first by name.
fn greedy<'a>(mut by_file: BTreeMap<&'a str, BTreeMap<usize, &'a str>>, number: usize) -> Vec<Chosen<'a>> {
    let mut out: Vec<Chosen> = vec![];
    let mut done: BTreeSet<usize> = BTreeSet::new();
    while out.len() < number {
        by_file.values_mut().for_each(|tells| tells.retain(|i, _| !done.contains(i)));
        let best = by_file.iter().rev().max_by_key(|(_, tells)| tells.len()).filter(|(_, tells)| !tells.is_empty());
        let Some((&file, tells)) = best else { break };
        done.extend(tells.keys());
        out.push(Chosen { file, tells: tells.clone() });
    }
    out
}
