//! Programs from critical cycles, and every small one: the literature's come out under their names, no two are alike, and the three forms
//! of RDMA^TSO have equal complete outcome sets on them.
//!
//! A part of them is tried here; with `LITMPI_ALL_CYCLES=1` in the environment, all of these sizes.

use super::declared::{VARIANTS, difference};
use super::{model, spec, test};
use litmpi_litmus::ast::Outcome;
use litmpi_litmus::print;
use litmpi_models::{Operational, Setup};
use litmpi_rdma_model::cycles::{Cycle, Cycles, Edge, edges, most};
use litmpi_rdma_model::shapes::{DOES, Does, Shapes};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn cycle(name: &str) -> Cycle {
    Cycle::parse(&Source::new("cycle", name)).unwrap_or_else(|r| panic!("{name}: {}", r.render(false)))
}

/// One of so many, or each if all are asked for.
fn every(n: usize) -> usize {
    if std::env::var_os("LITMPI_ALL_CYCLES").is_some() { 1 } else { n }
}

/// Edges of compare-and-swaps and atomic operations, and some that they go with.
fn updates() -> Vec<Edge> {
    use litmpi_rdma_model::cycles::{Between, Kind};
    let is_update = |k: Kind| matches!(k, Kind::C | Kind::A | Kind::Al);
    let further = ["A", "C", "W", "Amo", "Put", "Rfe", "Fre", "Coe", "Rfi", "Rfiq", "Fri", "PodRR", "PodWW", "PodRPw"];
    let further = further.map(|n| Edge::named(n).unwrap_or_else(|| panic!("{n}")));
    let of_update = |e: &Edge| match *e {
        Edge::Then { between: Between::Po | Between::Rfence, from, to, .. } => is_update(from) || is_update(to),
        _ => false,
    };
    edges().filter(of_update).chain(further).collect()
}

#[test]
fn edges_have_names_of_their_own() {
    let names: BTreeSet<String> = edges().map(|e| e.to_string()).collect();
    assert_eq!(names.len(), edges().count());
    for edge in edges() {
        assert_eq!(Edge::named(&edge.to_string()), Some(edge));
    }
}

#[test]
fn a_cycle_has_one_name_wherever_it_begins() {
    let all: Vec<Cycle> = (2..=4).flat_map(|n| Cycles::new(Cycles::usual(), n, 3)).step_by(7).collect();
    assert!(all.len() > 500);
    for c in all {
        let n = c.edges().len();
        let again = |i: usize| Cycle::new((0..n).map(|k| c.edges()[(i + k) % n]).collect());
        for i in 0..if c.threads() == 1 { 1 } else { n } {
            assert_eq!(again(i).expect("a cycle").name(), c.name());
        }
        assert_eq!(cycle(&c.name()), c);
    }
}

/// A program's form that is the same for those that are alike but for names: threads in every order, and what is named numbered as it comes.
fn form(text: &str) -> String {
    let claim = text.lines().find(|l| l.starts_with("exists")).expect("a claim").to_owned();
    let mut initial: BTreeMap<String, String> = BTreeMap::new();
    let mut home: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().filter(|l| l.starts_with("node")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for w in words.windows(3).filter(|w| w[1] == "=") {
            initial.insert(w[0].to_owned(), w[2].to_owned());
            home.insert(w[0].to_owned(), words[1].to_owned());
        }
    }
    let threads: Vec<String> =
        text.split("thread ").skip(1).map(|t| t.split('}').next().expect("a body").to_owned()).collect();
    let orders: Vec<Vec<usize>> = match threads.len() {
        1 => vec![vec![0]],
        2 => vec![vec![0, 1], vec![1, 0]],
        _ => vec![vec![0, 1, 2], vec![0, 2, 1], vec![1, 0, 2], vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0]],
    };
    let one = |order: &Vec<usize>| {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut rename = |word: &str, as_node: bool| -> String {
            let number = word.chars().all(|c| c.is_ascii_digit());
            let key = match (number, as_node) {
                (true, true) => format!("node {word}"),
                (true, false) if word == "0" => return "0".to_owned(),
                (true, false) => format!("value {word}"),
                _ if ["exists", "mfence", "poll", "rfence", "rfaa", "CAS", "put", "get", "wait"].contains(&word) => {
                    return word.to_owned();
                }
                _ => word.to_owned(),
            };
            let next = format!("n{}", names.len());
            names.entry(key).or_insert(next).clone()
        };
        let mut words = |text: &str, out: &mut String| {
            let mut before = ' ';
            for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
                let (name, end) = match word.char_indices().next_back() {
                    Some((i, c)) if !c.is_alphanumeric() => (&word[..i], Some(c)),
                    _ => (word, None),
                };
                if !name.is_empty() {
                    // A number behind `@`, or that an operation on a queue pair is given, is a node.
                    let as_node =
                        before == '@' || out.ends_with("poll(") || out.ends_with("rfence(") || out.ends_with(" on ");
                    *out += &rename(name, as_node);
                }
                out.extend(end);
                before = end.unwrap_or(' ');
            }
        };
        let mut out = String::new();
        for t in order {
            // `N on M {`: the thread's own number tells nothing.
            let (head, body) = threads[*t].split_once('{').expect("a body");
            out.push_str("thread on ");
            words(head.split(" on ").nth(1).expect("a node"), &mut out);
            words(body, &mut out);
        }
        let mut claims: Vec<String> = vec![];
        for part in claim.trim_start_matches("exists ").split(" /\\ ") {
            let mut text = String::new();
            words(part, &mut text);
            claims.push(text);
        }
        claims.sort();
        let mut declared: Vec<String> = vec![];
        for (name, value) in &initial {
            let mut text = String::new();
            words(&format!("{name} = {value} on {}", home[name]), &mut text);
            declared.push(text);
        }
        declared.sort();
        format!("{out}{claims:?}{declared:?}")
    };
    orders.iter().map(one).min().expect("an order")
}

#[test]
fn no_two_programs_of_cycles_are_alike_but_for_names() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let usual = (2..=4).flat_map(|n| Cycles::new(Cycles::usual(), n, 3));
    let updates = updates();
    let updates = (2..=4).flat_map(|n| Cycles::new(updates.clone(), n, 3));
    let mut count = 0;
    for c in usual.chain(updates) {
        count += 1;
        let old = seen.insert(form(&c.text()), c.name());
        assert!(old.as_ref().is_none_or(|o| *o == c.name()), "{old:?} and {} are\n{}", c.name(), c.text());
    }
    assert!(count > 4000, "{count}");
}

#[test]
fn counting_makes_no_cycle_and_is_never_too_little() {
    for n in 2..=4 {
        let made = Cycles::new(Cycles::usual(), n, 4).count() as u128;
        assert!(most(Cycles::usual(), n) >= made, "{n}");
    }
    // What no machine would end: it is counted all the same.
    assert!(most(Cycles::usual(), 12) > 1_000_000_000_000);
}

#[test]
fn programs_of_the_literature_come_out_under_their_names() {
    let body = |name: &str| {
        let text = cycle(name).text();
        let lines = text.lines().filter(|l| l.starts_with("  ") || l.starts_with("exists")).map(str::trim);
        lines.collect::<Vec<_>>().join("; ")
    };
    // rdma-tso Fig. 11, MP1; Fig. 13, a get that is not polled, and one that is; a put whose source is overwritten.
    assert_eq!(body("PodqPwPw Rfe PodRR Fre"), "a := x; b := y; y@1 := 1; x@1 := 2; exists a = 2 /\\ b = 0");
    assert_eq!(body("PosGwR Fri"), "x := p1@2; a := x; exists a = 0");
    assert_eq!(body("PollsGwR Fri"), "x := p1@2; poll(2); a := x; exists a = 0");
    assert_eq!(body("PosPrW Rfi"), "p1@2 := x; x := 1; exists p1 = 1");
    assert_eq!(body("WaitsGwR Fri"), "x := get(p1@2, d1); wait(d1); a := x; exists a = 0");
}

/// Agreement of the concrete and the simplified rules and of the relations, and of the text with what is read of it.
struct Agreement {
    simplified: Arc<litmpi_spec::model::Spec>,
    concrete: Arc<litmpi_spec::model::Spec>,
    relations: Vec<(&'static str, litmpi_cat::CatModel)>,
    tried: usize,
}

impl Agreement {
    fn new() -> Agreement {
        let relations = VARIANTS.iter().map(|(variant, file)| (*variant, model(file))).collect();
        let concrete = Arc::new(load_shipped("rdma-tso").expect("a shipped model"));
        Agreement { simplified: spec(), concrete, relations, tried: 0 }
    }

    fn on(&mut self, text: &str) {
        let test = test(text, &self.simplified);
        let printed = print(&test, &self.simplified.instructions);
        assert_eq!(body(&printed), body(text), "it is printed as it was read");
        let (variant, relations) = &self.relations[self.tried % self.relations.len()];
        let apart = difference(&test, &self.simplified, variant, relations);
        assert!(apart.is_empty(), "{apart}");
        let set = |spec: &Arc<litmpi_spec::model::Spec>| -> BTreeSet<Outcome> {
            let setup = Setup { variant: (*variant).into(), ..Setup::new(Arc::clone(spec)) };
            let found = Operational::new(&test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
            assert!(found.complete(), "{text}");
            found.set
        };
        assert_eq!(set(&self.concrete), set(&self.simplified), "{text}");
        self.tried += 1;
    }
}

/// A program without its name and its claim of everything.
fn body(text: &str) -> String {
    text.lines().skip(1).filter(|l| !l.starts_with("exists true")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_forms_agree_on_cycles_of_up_to_four_edges() {
    let mut agreement = Agreement::new();
    for n in 2..=4 {
        let step = if n == 4 { every(13) } else { 1 };
        Cycles::new(Cycles::usual(), n, 3).step_by(step).for_each(|c| agreement.on(&c.text()));
    }
    assert!(agreement.tried > 400, "{}", agreement.tried);
}

#[test]
fn the_forms_agree_on_cycles_with_updates_by_cpus_and_over_the_network() {
    let of = updates();
    let mut agreement = Agreement::new();
    for n in 2..=4 {
        let step = if n == 4 { every(29) } else { 1 };
        Cycles::new(of.clone(), n, 3).step_by(step).for_each(|c| agreement.on(&c.text()));
    }
    assert!(agreement.tried > 50, "{}", agreement.tried);
}

#[test]
fn the_forms_agree_on_every_small_program() {
    let of: Vec<Does> = DOES.iter().filter(|(name, _)| *name != "flush").map(|(_, d)| *d).collect();
    let mut agreement = Agreement::new();
    for n in 1..=3 {
        let step = if n == 3 { every(61) } else { 1 };
        Shapes::new(&of, n, 3).step_by(step).for_each(|s| agreement.on(&s.text("t")));
    }
    assert!(agreement.tried > 300, "{}", agreement.tried);
}

#[test]
fn what_fits_nowhere_is_told_with_what_would_fit() {
    let wrong = |text: &str| {
        let report = Cycle::parse(&Source::new("cycle", text)).expect_err("no cycle");
        report.render(false)
    };
    for (text, says) in [
        ("PodWR Rfe", "after `PodWR` may come: Fre, Fri"),
        ("PodWX Fre", "near it are: PodWW, PodWR"),
        ("podwr Fre", "near it are: PodWR"),
        ("PodWR Fre PodWR Fri", "the only edge to another thread"),
        ("PodWR Fre PosWR Fre", "the only edge that ends at another location"),
        ("PodWR Fre PodWR Fre PosWR Fre", "is between accesses of one location in a cycle of several"),
        ("PosWR Fre PosWR Fre", "is a second edge of program order"),
        ("PodWGr Fre PodWR Fre", "no nodes fit"),
        ("PosGwPr Fri", "near it are: PosqGwPr, PosoGwPr"),
        ("PosqGwPr Rfi", "cannot come after"),
        ("PosqGwPr Fri", "does not say whether they are on one queue pair"),
        ("WaitdGwR Fre PolldPwR Fre", "cannot stand beside `Wait…`"),
        ("Fre", "cannot come after"),
        ("", "has no edges"),
        ("# PodWR", "has no edges"),
        ("PodÄÖ Fre", "there is no edge `PodÄÖ`"),
    ] {
        let said = wrong(text);
        assert!(said.contains(says), "{text}: {said}");
    }
}
