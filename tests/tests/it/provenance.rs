//! What each shipped test must have: text that survives printing, a name, verdicts with their sources, the figure that
//! it is of, and a complete outcome set for every model that answers for it.

use crate::command::{litmpi, root, stdout};
use litmpi_litmus::ast::{Claim, Test, Verdict};
use litmpi_litmus::golden::{self, Golden};
use litmpi_litmus::{library, parse, print};
use litmpi_models::{Limits, Model};
use litmpi_spec::shipped::{CAT_MODELS, CAT_PROGRAMS};
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The tests of Figs. 1-3 and 10-17 of rdma-tso, by the names of their files. A figure that shows a test again under
/// another layout is not listed twice; two tests whose threads stand for several placements have a `-sym` twin.
const RDMA_TSO: &[(&str, &[&str])] = &[
    ("Fig. 1", &["TSO-SB", "TSO-SB+mfences", "TSO-LB", "TSO-MP"]),
    ("Figs. 2, 10", &["ST1", "ST2", "ST3", "ST4", "ST5", "ST6", "ST7", "ST8", "ST9"]),
    ("Fig. 3", &["SB3bis", "LB3", "LB3bis", "SB3", "Fig3e"]),
    ("Fig. 11", &["MP1", "MP2", "MP3", "MP3bis", "MP4", "MP4bis"]),
    ("Fig. 12", &["SB1", "SB2", "SB2-sym", "SB3", "SB3bis"]),
    ("Fig. 13", &["LB1", "LB2", "LB2-sym", "LB3", "LB3bis"]),
    ("Fig. 14", &["IRIW1", "IRIW2"]),
    ("Fig. 15", &["2+2W1", "2+2W1-sym", "2+2W2", "2+2W3", "2+2W3bis"]),
    ("Fig. 16", &["CRMA1", "CRMA2", "RRPR3"]),
    ("Fig. 17", &["GFP1", "GFP2", "GFG"]),
];

/// The folders of a family's tests.
fn folders(family: &str) -> &'static [&'static str] {
    match family {
        "rdma" => &["rdma", "wait", "core-rma", "verbs", "cells"],
        "x86" => &["x86"],
        "loco" => &["loco"],
        _ => &["mpi", "mpi-rdma"],
    }
}

fn files(family: &str) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = folders(family).iter().map(|f| root().join("litmus").join(f)).collect();
    library::find(&folders).expect("the library is there")
}

/// The shipped models of a family, and those of the others that may run its tests.
fn models(family: &str) -> Vec<Model> {
    let names: Vec<&str> = match family {
        "rdma" | "x86" => {
            let rules = litmpi_rdma_model::MODELS.iter().chain(litmpi_rdma_model::CPU_MODELS).copied();
            let verbs = litmpi_rdma_model::VERBS_MODELS.iter().copied().filter(|_| family == "rdma");
            let waits = litmpi_rdma_model::WAIT_MODELS.iter().copied().filter(|_| family == "rdma");
            let loco = |file: &&str| CAT_PROGRAMS.contains(&(*file, "loco"));
            rules
                .chain(waits)
                .chain(verbs)
                .chain(CAT_MODELS.iter().map(|(file, _, _)| *file).filter(|f| !loco(f)))
                .collect()
        }
        "loco" => {
            let layers = litmpi_rdma_model::LOCO.iter().copied().filter(|m| *m != "loco");
            CAT_PROGRAMS.iter().filter(|(_, of)| *of == "loco").map(|(file, _)| *file).chain(layers).collect()
        }
        _ => [litmpi_mpi_model::MODELS, litmpi_mpi_model::LAYERED].concat(),
    };
    names.into_iter().map(|name| Model::named(name).unwrap_or_else(|r| panic!("{r}"))).collect()
}

/// Every shipped test under every model that runs it.
fn each(mut look: impl FnMut(&PathBuf, &Test, &Model)) {
    for family in ["rdma", "x86", "mpi", "loco"] {
        let models = models(family);
        for path in files(family) {
            let mut run = 0;
            for model in &models {
                let source = Source::read(&path).expect("a readable file");
                // A model of an implementation is for tests that speak of it.
                let spoken = source.text.contains(&format!(" {} ", model.name()));
                let layered = matches!(model, Model::Layer(_)) || litmpi_mpi_model::LAYERED.contains(&model.name());
                // Other models have not declared what programs of libibverbs are made of.
                let verbs = litmpi_rdma_model::VERBS_MODELS.contains(&model.name());
                if layered && !spoken || verbs != path.parent().is_some_and(|f| f.ends_with("verbs")) {
                    continue;
                }
                let test = parse(&source, model.instructions()).unwrap_or_else(|r| panic!("{}", r.render(false)));
                if model.runs(&test, Limits::default()).is_ok() {
                    look(&path, &test, model);
                    run += 1;
                }
            }
            assert!(run > 0, "{}: no model runs it", path.display());
        }
    }
}

/// The verdicts of a test that hold for a model under a variant, if it can judge them.
fn verdicts<'t>(test: &'t Test, model: &'t Model, variant: &'t str) -> impl Iterator<Item = &'t Verdict> {
    let claims = test.claims.iter().filter(|c| model.knows_deadlock() || !c.speaks_of_other_ends());
    claims.flat_map(|c| &c.verdicts).filter(move |v| model.answers_for(&v.model, v.variant.as_deref(), variant))
}

#[test]
fn every_test_prints_to_text_that_parses_to_itself() {
    each(|path, test, model| {
        let text = print(test, model.instructions());
        let again = parse(&Source::new("printed", text.clone()), model.instructions())
            .unwrap_or_else(|r| panic!("{} printed does not parse:\n{}", path.display(), r.render(false)));
        assert_eq!(again.without_places(), test.without_places(), "{}", path.display());
        assert_eq!(print(&again, model.instructions()), text, "{}", path.display());
    });
}

#[test]
fn every_test_is_named_as_its_file_and_no_two_alike() {
    let mut names = BTreeSet::new();
    each(|path, test, _| {
        assert_eq!(path.file_stem().and_then(|s| s.to_str()), Some(test.name.as_str()));
        assert!(!test.title.is_empty(), "{} says what it is about", path.display());
        names.insert((test.family.clone(), test.name.clone()));
    });
    let all = ["mpi", "rdma", "x86", "loco"].map(|family| files(family).len());
    assert_eq!(names.len(), all.iter().sum::<usize>());
}

#[test]
fn every_test_has_a_verdict_with_its_source() {
    each(|path, test, _| {
        for claim in &test.claims {
            assert!(!claim.verdicts.is_empty(), "{}: a claim without a verdict", path.display());
            for v in &claim.verdicts {
                assert!(
                    v.cite.is_some() || v.because.is_some(),
                    "{}: {} says neither where nor why",
                    path.display(),
                    v.span
                );
            }
        }
    });
}

#[test]
fn every_test_has_a_complete_outcome_set_for_every_model_and_variant_it_speaks_of() {
    each(|path, test, model| {
        let file = golden::path(path);
        let source = Source::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let sets = Golden::parse(&source).unwrap_or_else(|r| panic!("{r}"));
        for variant in model.variants() {
            if variant == golden::DEFAULT || verdicts(test, model, variant).next().is_some() {
                let set = sets.find(model.name(), variant);
                // Without deadlocks, nothing is left of a test that always ends in one.
                let empty = !model.knows_deadlock() && test.claims.iter().any(Claim::speaks_of_other_ends);
                let there = set.is_some_and(|s| empty || !s.is_empty());
                assert!(there, "{}: {} {variant}", file.display(), model.name());
            }
        }
    });
    for (family, models) in ["rdma", "mpi"].map(|f| (f, models(f))) {
        for path in files(family) {
            let source = Source::read(&golden::path(&path)).expect("a set");
            for section in &Golden::parse(&source).unwrap_or_else(|r| panic!("{r}")).sections {
                let known = models.iter().any(|m| m.name() == section.model);
                assert!(known, "{}: a set of {}, which no longer ships", path.display(), section.model);
            }
        }
    }
}

#[test]
fn no_outcome_set_is_left_without_its_test() {
    let mut open = vec![root().join("litmus")];
    let mut sets = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the library").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "expected") {
                assert!(path.with_extension("litmus").is_file(), "{}", path.display());
                sets += 1;
            }
        }
    }
    assert!(sets > 300, "{sets} files of sets");
}

#[test]
fn every_test_of_the_papers_figures_is_there_and_says_so() {
    let model = Model::named("rdma-tso-simplified").expect("a shipped model");
    for (figure, names) in RDMA_TSO {
        for name in *names {
            let path = root().join("litmus/rdma").join(format!("{name}.litmus"));
            let source = Source::read(&path).unwrap_or_else(|e| panic!("{figure}: {}: {e}", path.display()));
            let test = parse(&source, model.instructions()).unwrap_or_else(|r| panic!("{r}"));
            let places: Vec<&str> = test
                .claims
                .iter()
                .flat_map(|c| &c.verdicts)
                .filter_map(|v| v.cite.as_ref())
                .map(|c| c.place.as_str())
                .collect();
            let number = figure.trim_start_matches("Figs. ").trim_start_matches("Fig. ");
            let cited = number.split(", ").all(|n| places.iter().any(|p| cites(p, n)));
            assert!(cited, "{name} is of {figure}, but cites {places:?}");
        }
    }
}

/// Whether a place such as `Fig. 2b; Fig. 10, ST2` is in the figure of this number.
fn cites(place: &str, figure: &str) -> bool {
    place.match_indices("Fig. ").any(|(at, word)| {
        let rest = &place[at + word.len()..];
        rest.strip_prefix(figure).is_some_and(|r| !r.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn there_are_at_least_forty_mpi_tests_and_every_kind_of_ending_is_among_them() {
    assert!(files("mpi").len() >= 40);
    let (mut deadlocks, mut erroneous, mut values) = (0, 0, 0);
    for path in files("mpi") {
        let sets = Golden::parse(&Source::read(&golden::path(&path)).expect("a set")).unwrap_or_else(|r| panic!("{r}"));
        let all: Vec<&String> = sets.sections.iter().flat_map(|s| &s.outcomes).collect();
        deadlocks += usize::from(all.iter().any(|o| *o == "deadlock"));
        erroneous += usize::from(all.iter().any(|o| o.starts_with("erroneous")));
        values += usize::from(all.iter().any(|o| o.contains('=')));
    }
    assert!(
        deadlocks >= 20 && erroneous >= 10 && values >= 40,
        "{deadlocks} deadlocks, {erroneous} erroneous, {values} values"
    );
}

#[test]
fn check_says_how_many_verdicts_and_sets_it_held_against_the_models() {
    let (mut hold, mut agree) = (0, 0);
    each(|path, test, model| {
        let source = Source::read(&golden::path(path)).expect("a set");
        let golden = Golden::parse(&source).unwrap_or_else(|r| panic!("{r}"));
        for variant in model.variants() {
            hold += verdicts(test, model, variant).count();
            agree += usize::from(golden.find(model.name(), variant).is_some());
        }
    });
    let said = stdout(&litmpi(&["check", "litmus"]));
    // What is not decided is said line by line.
    let lines = |what: &str| said.lines().filter(|l| l.starts_with("UNDECIDED") && l.contains(what)).count();
    let (hold, agree) = (hold - lines("is not decided"), agree - lines("set was not compared"));
    for part in [format!("{hold} verdicts hold"), format!("{agree} complete sets agree, 0 tests fail")] {
        assert!(said.contains(&part), "no {part:?} in\n{said}");
    }
}
