//! Maps of the MPI standard: its clauses and its functions, coloured by what the tests on the page say of them.

use super::data::{Map, Part, Standing, Tile};
use super::tests::Tests;
use crate::{clauses, functions};
use litmpi_spec::diag::Report;
use litmpi_spec::load::load_shipped;
use std::collections::BTreeMap;

/// Tests by name, each with what came of it in any part.
type Came<'p> = BTreeMap<&'p str, Standing>;

/// The maps.
///
/// # Errors
/// The shipped specification cannot be loaded.
pub(super) fn maps(parts: &[Part], tests: &Tests<'_>) -> Result<Vec<Map>, Report> {
    let mut came: Came<'_> = BTreeMap::new();
    for row in parts.iter().flat_map(|p| &p.rows) {
        let at = came.entry(&row.test).or_insert(row.standing);
        *at = (*at).min(row.standing);
    }
    Ok(vec![of_clauses(&came), of_functions(&came, parts, tests)?])
}

/// What came of the tests of one thing: the worst; open if none is on the page.
fn worst(came: &Came<'_>, tests: &[String]) -> Standing {
    tests.iter().filter_map(|t| came.get(t.as_str())).min().copied().unwrap_or(Standing::Open)
}

fn of_clauses(came: &Came<'_>) -> Map {
    let (mut groups, mut here, mut all) = (vec![], 0, 0);
    for (section, clauses) in clauses::all() {
        let mut tiles = vec![];
        for clause in clauses {
            all += 1;
            let standing = match &clause.missing {
                Some(_) => Standing::Undecided,
                None => worst(came, &clause.tests),
            };
            here += usize::from(clause.tests.iter().any(|t| came.contains_key(t.as_str())));
            let mut says = vec![clause.asks.clone()];
            says.extend(clause.missing.map(|why| format!("no rule carries it: {why}")));
            if !clause.by.is_empty() {
                says.push(format!("carried by {}", clause.by.join(", ")));
            }
            let name: String = clause.asks.chars().take(60).collect();
            tiles.push(Tile { name, standing, says, tests: clause.tests });
        }
        groups.push((section, tiles));
    }
    Map {
        title: "Clauses of MPI 4.1".into(),
        about: format!(
            "A tile is something that the standard asks and a program can see. {here} of {all} clauses have a test on this page; \
             those that no rule carries are marked as undecided."
        ),
        groups,
    }
}

fn of_functions(came: &Came<'_>, parts: &[Part], tests: &Tests<'_>) -> Result<Map, Report> {
    let mut callers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in parts.iter().flat_map(|p| &p.rows) {
        for call in tests.of(&row.key).into_iter().flat_map(|page| &page.calls) {
            let of = callers.entry(call).or_default();
            if !of.contains(&row.test) {
                of.push(row.test.clone());
            }
        }
    }
    let spec = load_shipped("mpi")?;
    let mut groups: BTreeMap<u32, Vec<Tile>> = BTreeMap::new();
    let (mut here, mut all) = (0, 0);
    for (i, decl) in spec.instructions.list.iter().enumerate() {
        if decl.internal || !decl.name.starts_with("MPI_") {
            continue;
        }
        let sections = functions::sections(&spec, &functions::rules(&spec, i));
        let chapter = sections.first().and_then(|s| s.trim_start_matches('§').split('.').next()?.parse().ok());
        let callers = callers.get(decl.name.as_str()).cloned().unwrap_or_default();
        all += 1;
        here += usize::from(!callers.is_empty());
        let says = vec![sections.join(", "), format!("called by {} tests on this page", callers.len())];
        let standing = worst(came, &callers);
        groups.entry(chapter.unwrap_or(0)).or_default().push(Tile {
            name: decl.name.clone(),
            standing,
            says,
            tests: callers,
        });
    }
    let name = |chapter: u32| if chapter == 0 { "elsewhere".to_owned() } else { format!("Chapter {chapter}") };
    Ok(Map {
        title: "Functions".into(),
        about: format!("{here} of {all} functions are called by a test on this page."),
        groups: groups.into_iter().map(|(chapter, tiles)| (name(chapter), tiles)).collect(),
    })
}
