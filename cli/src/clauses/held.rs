//! Whether the tests that a clause names need what the clause is said to be carried by: some change of a rule, requirement or
//! function that the clause names must be told by the test, and some change of each must be told by one of the tests.

use super::{Clause, File};
use crate::mutate::Bench;
use crate::mutate::MutateArgs;
use crate::parallel;
use litmpi_spec::diag::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

/// Larger tests are not tried.
const STATES: usize = 20_000;

/// A clause that is not held by what it names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// The test tells no change of any item of the clause.
    Test { section: String, test: String, by: String },
    /// No test of the clause tells a change of the item.
    Item { section: String, item: String, tests: String },
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Test { section, test, by } => write!(f, "§{section}: the test `{test}` tells no change of {by}"),
            Gap::Item { section, item, tests } => write!(f, "§{section}: no change of `{item}` is told by {tests}"),
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The rules and functions that a clause names, and the tests.
type Named = (Vec<String>, Vec<String>);

/// What is not held, clause by clause. `paths` are the tests, by name.
///
/// # Errors
/// The models cannot be loaded.
pub(super) fn gaps(file: &File, paths: &BTreeMap<String, PathBuf>, jobs: Option<usize>) -> Result<Vec<Gap>, Report> {
    let covered = |s: &super::Section| {
        let number = s.number.get_ref().clone();
        s.clause.iter().filter(|c| c.missing.is_none()).map(move |c| (number.clone(), names(c))).collect::<Vec<_>>()
    };
    let clauses: Vec<(String, Named)> = file.section.iter().flat_map(covered).collect();
    let named: BTreeSet<&String> = clauses.iter().flat_map(|(_, (_, tests))| tests).collect();
    let tests = named.into_iter().filter_map(|n| paths.get(n).cloned()).collect();
    let bench = Bench::new(&MutateArgs { tests, jobs, max_states: STATES, ..MutateArgs::default() })?;
    let found = parallel::map(&clauses, jobs, "changing rules", |(section, (items, tests))| {
        let tells = |item: &String, test: &String| paths.get(test).is_some_and(|path| bench.tells(item, path));
        let table: Vec<Vec<bool>> = items.iter().map(|i| tests.iter().map(|t| tells(i, t)).collect()).collect();
        let idle = (0..tests.len()).filter(|t| table.iter().all(|row| !row[*t]));
        let section = || section.clone();
        let idle = idle.map(|t| Gap::Test { section: section(), test: tests[t].clone(), by: quoted(items) });
        let untold = items.iter().zip(&table).filter(|(_, row)| !row.contains(&true));
        let untold = untold.map(|(i, _)| Gap::Item { section: section(), item: i.clone(), tests: quoted(tests) });
        idle.chain(untold).collect::<Vec<_>>()
    });
    Ok(found.into_iter().flatten().collect())
}

/// What a clause is carried by, and its tests.
fn names(clause: &Clause) -> (Vec<String>, Vec<String>) {
    let names = |of: &[toml::Spanned<String>]| of.iter().map(|n| n.get_ref().clone()).collect();
    (names(&clause.by), names(&clause.tests))
}
