//! Robustness: the theorems of rdma-robustness on every program up to a bound and on random ones; where they fail as the paper
//! prints them.

use super::theorems::{Held, Nodes, Text, Theory, four_cases};
use super::{programs, spec, test};
use litmpi_cat::Trees;
use litmpi_rdma_model::{generate, spread};
use litmpi_spec::mutate::What;

/// Holds the theorems against programs; none is refuted.
fn hold(nodes: Nodes, programs: impl Iterator<Item = String>) -> Held {
    let theory = Theory::new(nodes, Text::Declared);
    let mut held = Held::default();
    for text in programs {
        theory.hold(&text, &mut held);
    }
    assert!(held.refuted.is_empty(), "{:#?}", held.refuted);
    held
}

/// The numbers of a column of the table in docs/robust.md, from top to bottom.
fn column(number: usize) -> Vec<u32> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/robust.md")).expect("the page");
    let (_, table) = page.split_once("| theorem | all 2×2, SC |").expect("the table");
    let rows = table.lines().skip(2).take_while(|l| l.starts_with('|'));
    rows.map(|row| row.split('|').nth(number).and_then(|n| n.trim().parse().ok()).expect("a number")).collect()
}

/// How many programs fulfil what each theorem asks for, in the order of the table.
fn in_order(held: &Held, names: &[&str]) -> Vec<u32> {
    names.iter().map(|name| held.tried[name]).collect()
}

#[test]
fn theorems_of_sc_nodes_hold_on_every_program_of_two_threads_with_two_instructions() {
    let held = hold(Nodes::Sc, generate::exhaustive(2, 2));
    let names =
        ["Theorem 1", "Theorem 2", "Theorem 3", "Theorem 4", "Theorem 5", "Theorem 6", "Corollary 1", "Lemma 1"];
    let names: Vec<&str> = names.into_iter().chain(["robust (SC)"]).collect();
    assert_eq!(in_order(&held, &names), column(2));
}

#[test]
fn theorems_of_tso_nodes_hold_on_every_program_of_two_threads_with_two_instructions() {
    let held = hold(Nodes::Tso, generate::exhaustive(2, 2));
    let names = ["Theorem 13", "Theorem 14", "Theorem 15", "Theorem 16", "Theorem 17", "Theorem 18", "Corollary 3"];
    let names: Vec<&str> = names.into_iter().chain(["Lemma 1 (TSO)", "robust (TSO)"]).collect();
    assert_eq!(in_order(&held, &names), column(5));
}

#[test]
fn theorems_hold_on_every_program_of_one_thread_with_four_instructions() {
    hold(Nodes::Sc, generate::exhaustive(1, 4));
    hold(Nodes::Tso, generate::exhaustive(1, 4));
}

#[test]
fn theorems_hold_on_random_programs_spread_over_nodes() {
    for nodes in [Nodes::Sc, Nodes::Tso] {
        let held = hold(nodes, (0..400).map(|seed| spread::random(seed, 4)));
        // No theorem holds for want of programs that fulfil what it asks for.
        assert!(held.tried.values().all(|n| *n >= 50), "{:?}", held.tried);
    }
}

#[test]
fn no_check_of_tree_fenced_can_be_left_out() {
    // Without it, some program is tree-fenced and not fenced, against Theorem 6.
    let theory = Theory::new(Nodes::Sc, Text::Declared);
    let trees = Trees::shipped("tree-fenced-sc.cat").expect("a shipped file");
    let own = trees
        .mutants()
        .into_iter()
        .filter(|m| m.what == What::DropRequirement && m.span.source.name.ends_with("robust-tree.cat"));
    let mut left_out = vec![];
    for mutant in own {
        let less = trees.with(&mutant).and_then(|t| t.check(&programs("default").given())).expect("a condition");
        let tells = |seed| {
            let test = test(&spread::random(seed, 4), &spec());
            theory.fulfils(&test, &less) && !theory.fulfils(&test, &theory.fenced)
        };
        assert!((0..4000).any(tells), "{}", mutant.span);
        left_out.push(mutant.span.line_col().0);
    }
    assert_eq!(left_out.len(), 5, "{left_out:?}");
}

fn statements(all: &[&str]) -> Vec<String> {
    all.iter().map(|s| (*s).to_owned()).collect()
}

/// The theorems that a program refutes with gb as it is declared, or as it is printed.
fn refuted(nodes: Nodes, text: Text, program: &str) -> Vec<&'static str> {
    let mut held = Held::default();
    Theory::new(nodes, text).hold(program, &mut held);
    held.refuted.into_keys().collect()
}

/// A thread on node 1, and perhaps one on node 2, refute a theorem with gb as printed and nothing as declared; without any
/// one of their statements they do not. All shorter programs of the same statements were tried once: none refutes it.
fn refutes_as_printed(theorems: [&str; 2], threads: &[&[&str]]) {
    for (nodes, theorem) in [Nodes::Sc, Nodes::Tso].into_iter().zip(theorems) {
        let program = |threads: &[Vec<String>]| {
            spread::program(
                "smallest",
                2,
                &threads.iter().cloned().enumerate().map(|(t, b)| (t + 1, b)).collect::<Vec<_>>(),
            )
        };
        let whole: Vec<Vec<String>> = threads.iter().map(|t| statements(t)).collect();
        let text = program(&whole);
        assert!(refuted(nodes, Text::Printed, &text).contains(&theorem), "{text}");
        assert!(refuted(nodes, Text::Declared, &text).is_empty(), "{text}");
        for t in 0..whole.len() {
            for i in 0..whole[t].len() {
                let mut less = whole.clone();
                less[t].remove(i);
                assert!(!refuted(nodes, Text::Printed, &program(&less)).contains(&theorem), "{}", program(&less));
            }
        }
    }
}

#[test]
fn with_gb_as_printed_a_poll_of_an_earlier_operation_is_taken_to_wait_for_a_fenced_get() {
    refutes_as_printed(["Theorem 1", "Theorem 13"], &[&["x2@2 := p1", "p2 := y2@2", "rfence(2)", "poll(2)"]]);
}

#[test]
fn with_gb_as_printed_a_thread_that_is_ldrf_may_be_weak_by_itself() {
    let body = ["x2@2 := p1", "x2@2 := p1", "p2 := y2@2", "rfence(2)", "poll(2)", "p1 := 1"];
    refutes_as_printed(["Theorem 3", "Theorem 15"], &[&body]);
}

#[test]
fn with_gb_as_printed_a_program_that_is_ldrf_and_fenced_may_be_weak() {
    let first = ["x2@2 := p1", "p2 := y2@2", "rfence(2)", "poll(2)", "x1 := 1"];
    refutes_as_printed(["Theorem 4", "Theorem 16"], &[&first, &["y2 := x1@1"]]);
    refutes_as_printed(["Theorem 5", "Theorem 17"], &[&first, &["y2 := x1@1"]]);
}

#[test]
fn the_declared_gb_takes_nothing_from_the_printed_one_that_every_execution_keeps() {
    let own = ["x2@2 := p1", "p2 := y2@2", "rfence(2)", "poll(2)", "y2@2 := 7"];
    for nodes in [Nodes::Sc, Nodes::Tso] {
        let theory = Theory::new(nodes, Text::Declared);
        let mut taken = 0;
        for text in spread::exhaustive("taken", 2, vec![((1, statements(&own)), 5)]) {
            // No shorter one has a pair that is taken away.
            if text.lines().count() == 12 {
                taken += u32::from(theory.takes_away_only_what_may_turn(&text));
            }
        }
        assert!(taken > 10, "{taken}");
    }
}

#[test]
fn the_four_cases_of_ldrf_are_the_same_but_for_a_fence_towards_another_node() {
    let theory = Theory::new(Nodes::Sc, Text::Declared);
    let (own, printed) = (four_cases(true), four_cases(false));
    for text in generate::exhaustive(2, 2).chain((0..400).map(|seed| spread::random(seed, 4))) {
        let test = test(&text, &spec());
        assert_eq!(theory.fulfils(&test, &theory.ldrf), theory.fulfils(&test, &own), "{text}");
    }
    let fences = statements(&["p1 := x2@2", "y2@2 := p1", "rfence(2)", "rfence(3)", "poll(2)"]);
    let mut differ = vec![];
    for text in spread::exhaustive("case-2", 3, vec![((1, fences), 3)]) {
        let test = test(&text, &spec());
        assert_eq!(theory.fulfils(&test, &theory.ldrf), theory.fulfils(&test, &own), "{text}");
        if theory.fulfils(&test, &theory.ldrf) != theory.fulfils(&test, &printed) {
            let body: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("  ")).collect();
            assert!(theory.is_weak(&test), "the printed case calls it race-free: {text}");
            differ.push(body.join("; "));
        }
    }
    assert_eq!(differ, ["p1 := x2@2; rfence(3); y2@2 := p1"]);
}
