//! What the rule language means, one construct a test.

mod programs;
mod sets;

use crate::world::{World, alone, spec, steps};
use litmpi_engine::late::LATE;
use litmpi_engine::search::{Bounds, Clock};

const ENTRIES: &str = "type Entry = Put(x: Int) | Get(x: Int) | Ack\n";

/// The transitions of one rule on a queue.
fn on_queue(queue: &str, rule: &str) -> Vec<String> {
    steps(&alone(&spec(&format!(
        "{ENTRIES}state q: [Entry] = {queue}\nstate a: Int = 0\nstate b: [Entry] = []\n{rule}"
    ))))
}

#[test]
fn a_pattern_with_two_open_ends_matches_at_every_place_in_order() {
    let found =
        on_queue("[Put(1), Get(2), Put(3)]", "rule r (n: Node)\n when q is α · Put(x) · β\n then a := x, b := α");
    assert_eq!(found, ["r (n = 1); a: 0 → 1", "r (n = 1); a: 0 → 3, b: [] → Put(1) · Get(2)"]);
}

#[test]
fn a_pattern_with_three_open_parts_gives_every_split() {
    let found = on_queue(
        "[Ack, Ack]",
        "rule r (n: Node)\n when q is α · β · γ\n then a := size(α) * 100 + size(β) * 10 + size(γ)",
    );
    let splits: Vec<&str> = found.iter().map(|s| s.rsplit(' ').next().unwrap()).collect();
    assert_eq!(splits, ["2", "11", "20", "101", "110", "200"]);
}

#[test]
fn the_ends_of_a_queue_are_patterns_of_one_match() {
    assert_eq!(
        on_queue("[Put(1), Get(2)]", "rule r (n: Node)\n when q is rest · Get(x)\n then a := x"),
        ["r (n = 1); a: 0 → 2"]
    );
    assert_eq!(
        on_queue("[Put(1), Get(2)]", "rule r (n: Node)\n when q is Put(x) · rest\n then a := x"),
        ["r (n = 1); a: 0 → 1"]
    );
    assert!(on_queue("[Put(1), Get(2)]", "rule r (n: Node)\n when q is rest · Put(x)\n then a := x").is_empty());
    assert!(on_queue("[]", "rule r (n: Node)\n when q is rest · [e]\n then q := rest").is_empty());
}

#[test]
fn a_pinned_name_compares_and_does_not_bind() {
    let rule = "rule r (n: Node)\n when q is α · Put(x) · β, β is _ · Get(=x) · _\n then a := x";
    assert_eq!(on_queue("[Put(1), Put(2), Get(2)]", rule), ["r (n = 1); a: 0 → 2"]);
}

#[test]
fn a_starred_set_holds_of_a_queue_of_just_those() {
    let rule = "rule r (n: Node)\n when q ∈ {Put, Ack}*\n then a := 1";
    assert_eq!(on_queue("[Put(1), Ack]", rule).len(), 1);
    assert_eq!(on_queue("[]", rule).len(), 1);
    assert_eq!(on_queue("[Put(1), Get(1)]", rule).len(), 0);
}

#[test]
fn pick_gives_one_transition_for_every_element_that_matches() {
    let found = on_queue("[Put(5), Ack, Put(7)]", "rule r (n: Node)\n when pick Put(x) in q, x > 0\n then a := x");
    assert_eq!(found, ["r (n = 1); a: 0 → 5", "r (n = 1); a: 0 → 7"]);
}

#[test]
fn let_in_a_premise_filters_as_a_pattern_does() {
    assert_eq!(on_queue("[Put(5)]", "rule r (n: Node)\n when let [Put(x)] = q\n then a := x").len(), 1);
    assert_eq!(on_queue("[Ack]", "rule r (n: Node)\n when let [Put(x)] = q\n then a := x").len(), 0);
}

#[test]
fn premises_that_match_in_several_ways_multiply() {
    let found = on_queue(
        "[Put(1), Put(2)]",
        "rule r (n: Node)\n when pick Put(x) in q, pick Put(y) in q\n then a := x * 10 + y",
    );
    let values: Vec<&str> = found.iter().map(|s| s.rsplit(' ').next().unwrap()).collect();
    assert_eq!(values, ["11", "12", "21", "22"]);
}

/// The value that a rule gives to `a`.
fn value(items: &str, e: &str) -> String {
    let found =
        steps(&alone(&spec(&format!("{ENTRIES}state a: Int = -999\n{items}\nrule r (n: Node)\n then a := {e}"))));
    assert_eq!(found.len(), 1);
    found[0].rsplit(' ').next().unwrap().to_owned()
}

fn truth(e: &str) -> bool {
    value("state q: [Entry] = [Put(1), Get(2), Ack]", &format!("if {e} then 1 else 0")) == "1"
}

#[test]
fn comprehensions_filter_by_pattern_and_by_condition() {
    let items = "state q: [Entry] = [Put(1), Get(2), Put(3), Put(4)]\nfun sum(xs: [Int]): Int = match xs { [] => 0, [x] · rest => x + sum(rest) }";
    assert_eq!(value(items, "sum([ x | Put(x) in q ])"), "8");
    assert_eq!(value(items, "sum([ x * 10 | Put(x) in q, x > 1, x ≠ 4 ])"), "30");
}

#[test]
fn a_quantifiers_pattern_limits_its_range() {
    assert!(truth("all Put(x) in q : x = 1"));
    assert!(!truth("all Put(x) in q : x = 2"));
    assert!(truth("any Get(x) in q : x = 2"));
    assert!(!truth("any Put(x) in q : x = 2"));
    assert!(truth("all Put(x) in (q with [0] = Ack) : false"));
    assert!(!truth("any Put(x) in (q with [0] = Ack) : true"));
}

#[test]
fn sequences_are_equal_when_their_elements_are() {
    assert!(truth("q = [Put(1)] · Get(2) · Ack"));
    assert!(truth("reverse(q) = [Ack, Get(2), Put(1)]"));
    assert!(truth("Get(2) ∈ q and not (Get(1) ∈ q)"));
    assert!(truth("size(q) = 3 and q[1] = Get(2) and range(3) = [0, 1, 2]"));
    assert!(truth("(q with [0] = Ack) = [Ack, Get(2), Ack]"));
}

#[test]
fn implication_binds_weakest_and_to_the_right() {
    assert!(truth("false implies false implies false"));
    assert!(truth("true or false implies true"));
    assert!(!truth("true implies false"));
}

#[test]
fn arithmetic_follows_the_usual_order() {
    assert_eq!(value("", "2 + 3 * 4 - 1"), "13");
    assert_eq!(value("", "10 - 3 - 2"), "5");
    assert_eq!(value("", "-(2 + 3)"), "-5");
    // Euclid's division: the remainder is never negative.
    assert_eq!(value("", "-7 div 2"), "-4");
    assert_eq!(value("", "-7 mod 2"), "1");
    assert_eq!(value("", "-2147483648"), "-2147483648");
}

#[test]
fn integers_have_64_bits_of_which_small_ones_are_kept_in_place() {
    // Around the ends of 31 and 32 bits, where the form in which a state holds them changes, and near those of 64.
    for at in [1_i64 << 30, 1 << 31, 1 << 32, 1 << 40, (1 << 62) - 1] {
        for v in [at - 1, at, at + 1, -at - 1, -at, 1 - at] {
            assert_eq!(value("", &format!("{v}")), v.to_string());
            assert_eq!(value("", &format!("{v} - 1 + 1")), v.to_string());
            assert_eq!(value("", &format!("({v}) mod 7 + 7 * (({v}) div 7)")), v.to_string());
            assert_eq!(value("", &format!("bitor(bitand({v}, 255), bitxor({v}, bitand({v}, 255)))")), v.to_string());
            assert!(truth(&format!("{v} = {} + 1 and {v} > {} and {v} ≤ {v}", v - 1, v - 1)), "{v}");
            assert!(
                truth(&format!(
                    "(match {v} {{ {v} => 1, _ => 0 }}) = 1 and (match {v} + 1 {{ {v} => 1, _ => 0 }}) = 0"
                )),
                "{v}"
            );
            assert!(truth(&format!("[0, {v}, 2] is α · {v} · β and {v} ∈ [{v}] and not ({v} ∈ [{}])", v - 1)), "{v}");
        }
    }
    assert_eq!(value("", "wrapping_sum(9223372036854775807, 2, 64)"), "-9223372036854775807");
    assert_eq!(value("", "wrapping_sum(4294967295, 2, 32)"), "1");
    assert_eq!(value("", "3037000499 * 3037000499"), "9223372030926249001");
}

#[test]
fn options_hold_a_value_or_none() {
    let items = "fun half(n: Int): Int? = if n mod 2 = 0 then Some(n div 2) else None";
    assert_eq!(value(items, "match half(8) { Some(k) => k, None => 0 }"), "4");
    assert_eq!(value(items, "match half(7) { Some(k) => k, None => 0 }"), "0");
    assert_eq!(value(items, "if half(7) = None and half(2) ≠ None and half(2) is Some(1) then 1 else 0"), "1");
}

#[test]
fn a_union_with_fewer_constructors_is_part_of_one_with_more() {
    let items = "type Small = Put(x: Int)\ntype Large = Small | Ack\nstate small: [Small] = [Put(1)]\nstate large: [Large] = [Ack]
rule r (n: Node)\n then large := small · large";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); large: Ack → Put(1) · Ack"]);
}

#[test]
fn records_in_the_state_have_a_slot_for_each_field() {
    let items = "record Pair { left: Int, right: [Int] }\nstate p[n: Node]: Pair = Pair { left = n.number, right = [] }
rule one (n: Node)\n then p[n].left := p[n].left + 1
rule whole (n: Node)\n then p[n] := p[n] with { right = [7], left = 9 }
rule again (n: Node)\n when p[n] = Pair { right = [], left = 1 }, p[n] is Pair { left = l }\n then p[n].right := [l]";
    let found = steps(&alone(&spec(items)));
    assert_eq!(
        found,
        [
            "one (n = 1); p[1].left: 1 → 2",
            "whole (n = 1); p[1].left: 1 → 9, p[1].right: [] → [7]",
            "again (n = 1); p[1].right: [] → [1]"
        ]
    );
}

#[test]
fn updates_see_the_old_state_and_take_place_at_once() {
    let items = "state a: Int = 1\nstate b: Int = 2\nrule swap (n: Node)\n then a := b, b := a";
    assert_eq!(steps(&alone(&spec(items))), ["swap (n = 1); a: 1 → 2, b: 2 → 1"]);
}

#[test]
fn equal_updates_of_one_entry_are_one_update() {
    let items = "state a: Int = 1\nrule r (n: Node)\n then a := 2, a := 1 + 1";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); a: 1 → 2"]);
}

#[test]
fn updates_repeat_and_branch() {
    let items = "state a: Int = 1\nstate q[n: Node]: [Int] = []
rule r (n: Node)\n then for m in Node { if m.number = 1 { q[m] := [1] } else { a := 5 } }, if a = 2 { a := 7 }";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); q[1]: [] → [1]"]);
    let comment = "state a: Int = 1\nstate b: Int = 1\nrule r (n: Node)\n then if a = 1 { a := 2, -- not an end: } else {\n b := 2 }";
    assert_eq!(steps(&alone(&spec(comment))), ["r (n = 1); a: 1 → 2, b: 1 → 2"]);
}

#[test]
fn a_condition_that_is_required_and_fails_makes_the_program_erroneous() {
    let items = "state a: Int = 1\nrule r (n: Node)\n when a > 0\n requires a = 1 else \"first\"\n requires a = 2 else \"second\"\n then a := 3";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); erroneous: second"]);
    let blocked = "state a: Int = 1\nrule r (n: Node)\n when a > 1\n requires false else \"never asked\"\n then a := 3";
    assert!(steps(&alone(&spec(blocked))).is_empty());
}

#[test]
fn names_may_begin_with_a_keywords_letters() {
    let items = "state a: Int = 0\nstate letter: Int = 3\nstate picked: [Int] = [1]\nstate format: Int = 0\nfun iffy(matched: Int): Int = matched
rule r (n: Node)\n when letter = 3, 1 in picked\n then format := iffy(letter)";
    assert_eq!(steps(&alone(&spec(items))), ["r (n = 1); format: 0 → 3"]);
}

#[test]
fn long_sums_and_deep_lists_are_checked_in_no_time() {
    let sum = vec!["1"; 60].join(" + ");
    assert_eq!(value("", &sum), "60");
    let deep = format!("size({}{})", "[".repeat(40), "]".repeat(40));
    assert_eq!(value("", &deep), "1");
}

#[test]
fn a_type_gains_constructors_that_earlier_files_do_not_know() {
    let gains = "type Entry gains Send(y: Int) | Nak\nfun known(e: Entry): Int = match e { Put(x) => x, _ => 0 }\n";
    let rule = "rule r (n: Node)\n when q is α · Send(y)\n then a := y + known(Put(4)), b := α · Nak";
    let found = on_queue("[Put(1), Send(2)]", &format!("{gains}{rule}"));
    assert_eq!(found, ["r (n = 1); a: 0 → 6, b: [] → Put(1) · Nak"]);
}

#[test]
fn a_wrapping_sum_is_of_so_many_bits() {
    assert_eq!(value("", "wrapping_sum(3, 4, 64)"), "7");
    assert_eq!(value("", "wrapping_sum(200, 100, 8)"), "44");
    assert_eq!(value("", "wrapping_sum(100, 100, 8)"), "-56");
    assert_eq!(value("", "wrapping_sum(2147483647, 1, 32)"), "-2147483648");
}

#[test]
fn a_constant_is_made_of_those_before_it() {
    let items =
        "const N: Int = 3\nconst SQUARES: [Int] = [ n * n | n in range(N + 1) ]\nconst LAST: Int = last(SQUARES)
fun last(xs: [Int]): Int = match xs { _ · [x] => x, _ => 0 }
variant longer \"more of them\" { SQUARES = [ let k = n + 1 in k * k | n in range(N + 1) ] }\n";
    assert_eq!(value(items, "LAST"), "9");
    let spec = spec(&format!("{items}state a: Int = 0\nrule r (n: Node)\n when a = 0\n then a := LAST"));
    let mut world = World::new(&spec);
    world.node(1);
    assert_eq!(steps(&world.variant("longer").unwrap()), ["r (n = 1); a: 0 → 16"]);
}

#[test]
fn the_evaluation_of_a_rule_ends_when_the_search_has_to() {
    let rule = |n: u32| {
        format!(
            "state a: Int = 0\nrule r (n: Node)\n when all x in range({n}) : any y in range({n}) : y = x\n then a := 1"
        )
    };
    let late = Bounds { clock: Some(Clock::of(0)), ..Bounds::default() };
    // What is short is not looked at, and what is long ends long before it is over.
    for (n, is_late) in [(16, false), (100_000, true)] {
        let mut machine = alone(&spec(&rule(n)));
        machine.end_by(late);
        let came = machine.transitions(machine.initial(), &mut |_, _| {});
        assert_eq!(came.map_err(|f| f.0.message), if is_late { Err(LATE.into()) } else { Ok(()) }, "{n}");
    }
}
