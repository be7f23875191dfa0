//! All changes of all files, each with the models that have it.

use super::subject::{Subject, is_of_relations};
use crate::say::cut;
use litmpi_spec::mutate::Mutant;
use std::collections::HashMap;
use std::fmt;

/// What tells a change from all others as long as its text stays, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) file: String,
    pub(super) owner: String,
    pub(super) what: String,
    pub(super) from: String,
    pub(super) to: String,
    /// Its number among those that are alike in all that.
    pub(super) number: usize,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { owner, what, from, to, number, .. } = self;
        write!(f, "{owner}: {what} `{from}`")?;
        if !to.is_empty() {
            write!(f, " → `{to}`")?;
        }
        if *number > 0 { write!(f, " ({})", number + 1) } else { Ok(()) }
    }
}

/// A change, and the models that have it, by number, each with its own form of it.
pub(super) struct Change {
    pub(super) key: Key,
    pub(super) of: Vec<(usize, Mutant)>,
}

impl Change {
    /// `file:line:column`.
    pub(super) fn place(&self) -> String {
        self.of[0].1.span.to_string()
    }
}

/// Texts longer than this are cut in records.
const LONGEST: usize = 100;

/// All changes of the models, in the order of files and of their texts.
pub(super) fn changes(subjects: &[Subject]) -> Vec<Change> {
    let mut out: Vec<Change> = vec![];
    let mut known: HashMap<Key, usize> = HashMap::new();
    for (number, subject) in subjects.iter().enumerate() {
        let rules = (0..subject.rules.trees.files.len()).flat_map(|file| subject.rules.mutants(file));
        let relations = subject.relations.iter().flat_map(|cat| cat.mutants());
        let mut alike: HashMap<Key, usize> = HashMap::new();
        for m in rules.chain(relations) {
            let mut key = Key {
                file: m.span.source.name.clone(),
                owner: m.owner.clone(),
                what: m.what.name().to_owned(),
                from: cut(&m.from, LONGEST),
                to: cut(&m.to, LONGEST),
                number: 0,
            };
            let before = alike.entry(key.clone()).or_default();
            key.number = *before;
            *before += 1;
            match known.get(&key) {
                Some(i) => out[*i].of.push((number, m)),
                None => {
                    known.insert(key.clone(), out.len());
                    out.push(Change { key, of: vec![(number, m)] });
                }
            }
        }
    }
    let place = |c: &Change| (is_of_relations(&c.of[0].1), c.key.file.clone(), c.of[0].1.item.1, c.of[0].1.number);
    out.sort_by_cached_key(place);
    out
}
