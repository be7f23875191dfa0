//! Sets, maps and blobs: what the rules compute is held against the standard library's ordered collections.

use crate::world::{World, alone, explore, spec, steps};
use litmpi_spec::program::{IntExpr, Operand};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A value whose order is that of the rules, and how they write it.
trait Element: Ord + Clone {
    fn text(&self) -> String;
}

impl Element for i64 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Element for Vec<i64> {
    fn text(&self) -> String {
        format!("[{}]", self.iter().map(Element::text).collect::<Vec<_>>().join(", "))
    }
}

impl<A: Element, B: Element> Element for (A, B) {
    fn text(&self) -> String {
        format!("({}, {})", self.0.text(), self.1.text())
    }
}

fn braces(parts: impl IntoIterator<Item = String>) -> String {
    format!("{{{}}}", parts.into_iter().collect::<Vec<_>>().join(", "))
}

fn set<T: Element>(of: &BTreeSet<T>) -> String {
    braces(of.iter().map(Element::text))
}

/// The values of expressions of a type, as users are shown them.
fn values(items: &str, ty: &str, exprs: &[&str]) -> Vec<String> {
    let state: String = (0..exprs.len()).map(|i| format!("state s{i}: {ty}? = None\n")).collect();
    let then: Vec<String> = exprs.iter().enumerate().map(|(i, e)| format!("s{i} := Some({e})")).collect();
    let found = steps(&alone(&spec(&format!("{items}{state}rule r (n: Node)\n  then {}", then.join(", ")))));
    let [step] = &found[..] else { panic!("{found:?}") };
    let shown = step.split("None → Some(").skip(1);
    shown.map(|s| s.rsplit_once(')').expect("it ends").0.to_owned()).collect()
}

/// The laws of sets of some type, for two lists in which elements may stand twice.
fn laws<T: Element>(ty: &str, a: &[T], b: &[T]) {
    let items = |xs: &[T], ys: &[T]| {
        let all = |of: &[T]| braces(of.iter().map(Element::text));
        format!("const a: {{{ty}}} = {}\nconst b: {{{ty}}} = {}\n", all(xs), all(ys))
    };
    let [x, y] = [a, b].map(|of| of.iter().cloned().collect::<BTreeSet<T>>());
    let sets = format!("{{{ty}}}");
    let found = values(
        &items(a, b),
        &sets,
        &["a ∪ b", "a ∩ b", "a \\ b", "{ e | e in b }", "(a ∪ b) \\ (a ∩ b)", "{ e | e in a, e ∈ b }", "a union b"],
    );
    let union = set(&x.union(&y).cloned().collect());
    let meet = set(&x.intersection(&y).cloned().collect());
    let less = set(&x.difference(&y).cloned().collect());
    let either = set(&x.symmetric_difference(&y).cloned().collect());
    assert_eq!(found, [union.clone(), meet.clone(), less, set(&y), either, meet, union]);
    let sizes = values(&items(a, b), "Int", &["size(a)", "size(a ∪ b) + size(a ∩ b)"]);
    assert_eq!(sizes, [x.len().to_string(), (x.len() + y.len()).to_string()]);
    let (mut back, same) = (a.to_vec(), values(&items(a, b), "Bool", &["a ∪ b = b ∪ a", "a ∩ b = a", "a = b"]));
    assert_eq!(same, ["true".to_owned(), x.is_subset(&y).to_string(), (x == y).to_string()]);
    // The order in which elements come into a set makes no difference.
    back.reverse();
    assert_eq!(values(&items(a, &back), "Bool", &["a = b"]), ["true"]);
    let order = values(&items(a, b), &format!("[{ty}]"), &["[ e | e in a ]"]);
    let listed: Vec<String> = x.iter().map(Element::text).collect();
    assert_eq!(order, [format!("[{}]", listed.join(", "))]);
}

/// Small numbers, so that there are equal ones, and some of more than 31 bits.
fn int() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -3_i64..4, 1 => prop::sample::select(vec![i64::MIN, -(1 << 40), 1 << 30, 1 << 40, i64::MAX])]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sets_of_integers_obey_their_laws(a in vec(int(), 0..12), b in vec(int(), 0..12)) {
        laws("Int", &a, &b);
    }

    #[test]
    fn sets_of_composite_values_obey_their_laws(
        a in vec((int(), vec(-1_i64..2, 0..3)), 0..8),
        b in vec((int(), vec(-1_i64..2, 0..3)), 0..8),
    ) {
        laws("(Int, [Int])", &a, &b);
    }

    #[test]
    fn maps_are_as_a_sorted_map_is(
        puts in vec((int(), -9_i64..10), 1..24),
        gone in vec(int(), 0..4),
        asked in int(),
    ) {
        let built = puts.iter().fold("none".to_owned(), |m, (k, v)| format!("({m} with [{k}] = {v})"));
        let all: BTreeMap<i64, i64> = puts.iter().copied().collect();
        let left: BTreeMap<i64, i64> = all.iter().filter(|(k, _)| !gone.contains(k)).map(|(k, v)| (*k, *v)).collect();
        let map = |of: &BTreeMap<i64, i64>| braces(of.iter().map(|(k, v)| format!("{k} ↦ {v}")));
        let items = format!("const none: {{Int ↦ Int}} = {{}}\nconst m: {{Int ↦ Int}} = {built}\nconst gone: {{Int}} = {}\n",
            braces(gone.iter().map(i64::to_string)));
        let maps = values(&items, "{Int ↦ Int}", &[
            "m", "m \\ gone", "(m \\ gone) ∪ m", "{ k ↦ v | (k, v) in m, not (k ∈ gone) }", "{ k => m[k] | k in keys(m) }",
        ]);
        prop_assert_eq!(maps, [map(&all), map(&left), map(&all), map(&left), map(&all)]);
        let keys: BTreeSet<i64> = all.keys().copied().collect();
        prop_assert_eq!(values(&items, "{Int}", &["keys(m)"]), [set(&keys)]);
        let value = match all.get(&asked) { Some(v) => format!("Some({v})"), None => "None".into() };
        prop_assert_eq!(values(&items, "Int?", &[&format!("lookup(m, {asked})")]), [value]);
        let total: i64 = all.values().sum();
        let counts = values(&format!("{items}fun sum(s: [Int]): Int = match s {{ [x] · rest => x + sum(rest), _ => 0 }}\n"),
            "Int", &["size(m)", "sum([ v | (_, v) in m ])"]);
        prop_assert_eq!(counts, [all.len().to_string(), total.to_string()]);
    }
}

#[test]
fn nothing_is_written_alike_for_sets_and_maps() {
    let items = "const s: {Int} = {}\nconst m: {Int ↦ Bool} = {}\nfun f(m: {Int ↦ Bool}): Int = size(m)\n";
    assert_eq!(values(items, "Bool", &["s = {}", "m = {}", "f({}) = 0", "m ∪ {} = m", "{} ∪ m = m"]), ["true"; 5]);
}

#[test]
fn elements_of_types_of_several_constructors_stand_in_the_order_of_their_declarations() {
    let items = "type E = Put(x: Int) | Get | Ack(of: {Int})\n";
    let found = values(items, "{E}", &["{Ack({2, 1}), Get, Put(2)} ∪ {Put(1), Ack({1, 2}), Ack({})}"]);
    assert_eq!(found, ["{Put(1), Put(2), Get, Ack({}), Ack({1, 2})}"]);
    assert_eq!(
        values(items, "Bool", &["any Put(x) in {Get, Put(3)} : x = 3", "all e in {Get} : e is Get"]),
        ["true"; 2]
    );
}

#[test]
fn pick_tries_each_element_of_a_set_once_and_each_pair_of_a_map() {
    let items =
        "state a: Int = 0\nrule r (n: Node)\n when pick x in {3, 1, 3}, pick (=x, y) in {1 ↦ 10, 3 ↦ 30}\n then a := y";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); a: 0 → 10", "r (n = 1); a: 0 → 30"]);
}

#[test]
fn updates_of_one_rule_may_change_several_keys_of_one_map() {
    let rule = |then: &str| format!("state m: {{Int ↦ Int}} = {{2 ↦ 7}}\nrule r (n: Node)\n then {then}");
    let after = |then: &str| steps(&alone(&spec(&rule(then))));
    assert_eq!(after("m[1] := 5, m[2] := m[2] + 1"), ["r (n = 1); m: {2 ↦ 7} → {1 ↦ 5, 2 ↦ 8}"]);
    assert_eq!(after("for k in range(3) { m[k] := k * k }"), ["r (n = 1); m: {2 ↦ 7} → {0 ↦ 0, 1 ↦ 1, 2 ↦ 4}"]);
    assert_eq!(after("m[1] := 5, m[1] := 2 + 3"), ["r (n = 1); m: {2 ↦ 7} → {1 ↦ 5, 2 ↦ 7}"]);
    assert_eq!(after("m := (m \\ {2}) with [1] = 5"), ["r (n = 1); m: {2 ↦ 7} → {1 ↦ 5}"]);
}

#[test]
fn a_map_may_be_an_entry_of_the_state_or_a_field_of_one() {
    let items = "record Both { seen: {Node ↦ Int}, n: Int }\nstate b[p: Node]: Both = Both { seen = {}, n = 0 }\n\
                 rule r (p: Node)\n then b[p].seen[p] := 4, b[p].n := 1";
    assert_eq!(steps(&alone(&spec(items))), ["r (p = 1); b[1].seen: {} → {1 ↦ 4}, b[1].n: 0 → 1"]);
}

const BLOBS: &str = "kind cell = local\nkind held = register Blob\nkind content = handle Blob names red = 7\n\
    state M[x: Loc]: Blob = blob(x.initial)\nstate kept: [Blob] = []\n\
    instruction load (r: held, x: cell)\ninstruction put (x: cell, b: content)\n\
    rule load (t: Thread)\n on t: load(r, x)\n then r := M[x], kept := if M[x] = blob(7) then kept · [M[x]] else kept\n\
    rule put (t: Thread)\n on t: put(x, b)\n then M[x] := b\n";

#[test]
fn blobs_come_from_programs_are_carried_and_come_back() {
    let s = spec(BLOBS);
    let mut w = World::new(&s);
    let n = w.node(1);
    let (x, y) = (w.loc("x", n, 1 << 40), w.loc("y", n, 7));
    let t = w.thread(1, n);
    let (r, q) = (w.reg(t, "r", "Blob"), w.reg(t, "q", "Blob"));
    w.exec(t, "load", vec![r, x]);
    w.exec(t, "load", vec![q, y]);
    // A handle is given by what the register holds.
    let q = Operand::Int(IntExpr::Reg(1, None));
    w.exec(t, "put", vec![Operand::Loc(0), q]);
    let m = w.machine().unwrap_or_else(|f| panic!("{}", f.0.message));
    let mut state = m.initial().to_vec();
    while let Some(next) = next(&m, &state) {
        state = next;
    }
    assert_eq!(m.reg_value(&state, 0, 0, None), 1 << 40);
    assert_eq!(m.reg_value(&state, 0, 1, None), 7);
    assert_eq!(m.loc_value(&state, 0), 7);
    assert_eq!(explore(&m).unwrap_or_else(|f| panic!("{}", f.0.message)).len(), 1);
}

/// The state behind the only transition of one, if it has one.
fn next(m: &litmpi_engine::machine::Machine, state: &[u32]) -> Option<Vec<u32>> {
    let mut out = None;
    let result = m.transitions(state, &mut |_, target| {
        if let litmpi_engine::machine::Target::State(next) = target {
            out = Some(next.to_vec());
        }
    });
    result.unwrap_or_else(|f| panic!("{}", f.0.message));
    out
}
