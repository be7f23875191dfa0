//! The undefined value of coreRMA (core-rma §2.3, §5.3: what a race of accesses that are not atomic leaves) through everything that takes an
//! operand. Each row says what comes of a register `a` that is 0, is 1, and is undefined, in one and the same program.

use crate::command::root;
use crate::support::{at, folder, litmpi_in};
use litmpi_cat::candidates::{Declarative, Options, Programs};
use litmpi_cat::load_shipped as load_cat;
use litmpi_litmus::parse;
use litmpi_spec::diag::Report;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The models that have the undefined value.
const MODELS: [&str; 3] = ["core-rma.cat", "core-rma-vpi.cat", "core-rma-unordered.cat"];

/// A program in which the get of `x` may come before the write, behind it, or beside it: `a` is then 0, 1 or undefined.
fn program(rest: &str, observed: &str) -> String {
    format!(
        "litmus rdma row \"a row of the table\"
node 1 {{ x = 0  p = 4  q = 5  w = 0 }}
node 2 {{ y = 0  z = 5 }}
thread 1 on 1 {{
  x := get_na(y@2)
  x := write_na(1)
  a := read_na(x)
  flush(2)
  r := 0
  {rest}
}}
locations 1:a {observed}
exists true
"
    )
}

/// The outcomes of a program under a model, each as `a` and what else is observed, in order: `0: 3`, `undefined: undefined 5`.
fn outcomes(model: &str, text: &str) -> Result<BTreeSet<String>, Report> {
    let spec = Arc::new(load_shipped("rdma-tso-simplified").expect("a shipped model"));
    let test = parse(&Source::new("row.litmus", text), &spec.instructions)?;
    let programs = Programs::new(spec, "default")?;
    let cat = load_cat(model, &programs.given())?;
    let found = Declarative::new(&test, &programs, &cat, Options::default())?.outcomes()?;
    let shown = |o| test.show(o);
    let parts =
        |o: String| o.split(';').filter_map(|p| p.split_once('=').map(|(_, v)| v.to_owned())).collect::<Vec<_>>();
    let row = |values: Vec<String>| format!("{}: {}", values[0], values[1..].join(" "));
    Ok(found.set.iter().map(|o| row(parts(shown(o)))).collect())
}

/// Holds rows in each model: what is run, what is observed, and what this is for `a` of 0, of 1, and undefined. A cell with
/// several outcomes has them between bars.
fn hold(observed: &str, rows: &[(&str, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (rest, zero, one, undefined) in rows {
        let cell =
            |a: &'static str, cell: &str| cell.split('|').map(|c| format!("{a}: {}", c.trim())).collect::<Vec<_>>();
        let wanted: BTreeSet<String> =
            [cell("0", zero), cell("1", one), cell("undefined", undefined)].into_iter().flatten().collect();
        for model in MODELS {
            let found =
                outcomes(model, &program(rest, observed)).unwrap_or_else(|r| panic!("{rest}: {}", r.render(false)));
            let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
            if found != wanted {
                let (lost, more) = (only(&wanted, &found), only(&found, &wanted));
                wrong.push(format!("{model}: {rest}\n    lost {lost:?}, not expected {more:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const U: &str = "undefined";

#[test]
fn what_is_computed_from_it_is_undefined_on_either_side_unless_the_other_operand_settles_it() {
    let rows = [
        ("a + 3", "3", "4", U),
        ("3 + a", "3", "4", U),
        ("a + a", "0", "2", U),
        ("a - 3", "-3", "-2", U),
        ("3 - a", "3", "2", U),
        ("a - a", "0", "0", U),
        ("a * 3", "0", "3", U),
        ("3 * a", "0", "3", U),
        ("a * a", "0", "1", U),
        ("a % 3", "0", "1", U),
        ("3 % (a + 2)", "1", "0", U),
        ("a % (a + 2)", "0", "1", U),
        ("a & 3", "0", "1", U),
        ("3 & a", "0", "1", U),
        ("a & a", "0", "1", U),
        ("a | 2", "2", "3", U),
        ("2 | a", "2", "3", U),
        ("a | a", "0", "1", U),
        ("a ^ 3", "3", "2", U),
        ("3 ^ a", "3", "2", U),
        ("a ^ a", "0", "0", U),
        ("-a", "0", "-1", U),
        ("!a", "1", "0", U),
        ("not not a", "0", "1", U),
        ("a = 1", "0", "1", U),
        ("1 = a", "0", "1", U),
        ("a = a", "1", "1", U),
        ("a != 1", "1", "0", U),
        ("1 != a", "1", "0", U),
        ("a != a", "0", "0", U),
        ("a < 1", "1", "0", U),
        ("0 < a", "0", "1", U),
        ("a < a", "0", "0", U),
        ("a <= 0", "1", "0", U),
        ("1 <= a", "0", "1", U),
        ("a <= a", "1", "1", U),
        ("a > 0", "0", "1", U),
        ("1 > a", "1", "0", U),
        ("a > a", "0", "0", U),
        ("a >= 1", "0", "1", U),
        ("0 >= a", "1", "0", U),
        ("a >= a", "1", "1", U),
        ("a and 5", "0", "1", U),
        ("5 and a", "0", "1", U),
        ("a and a", "0", "1", U),
        ("a or 0", "0", "1", U),
        ("0 or a", "0", "1", U),
        ("a or a", "0", "1", U),
        // Whatever `a` is.
        ("a and 0", "0", "0", "0"),
        ("0 and a", "0", "0", "0"),
        ("a or 5", "1", "1", "1"),
        ("5 or a", "1", "1", "1"),
        // Further in.
        ("(a + 1) * 2 - 1", "1", "3", U),
        ("2 * (1 or a) + a", "2", "3", U),
        ("7 + (a and 0)", "7", "7", "7"),
    ];
    let set = rows.map(|(e, ..)| format!("s := {e}"));
    let rows: Vec<_> = set.iter().zip(rows).map(|(s, (_, zero, one, u))| (s.as_str(), zero, one, u)).collect();
    hold("1:s", &rows);
}

#[test]
fn a_branch_on_it_goes_either_way() {
    let rows = [
        ("a", "2", "1"),
        ("!a", "1", "2"),
        ("-a", "2", "1"),
        ("a = 1", "2", "1"),
        ("1 = a", "2", "1"),
        ("a = a", "1", "1"),
        ("a != 1", "1", "2"),
        ("a != a", "2", "2"),
        ("a < 1", "1", "2"),
        ("1 < a", "2", "2"),
        ("a <= 0", "1", "2"),
        ("a > 0", "2", "1"),
        ("a >= 1", "2", "1"),
        ("a + 1 = 2", "2", "1"),
        ("a % 2 = 0", "1", "2"),
        ("a & 1", "2", "1"),
        ("a = 0 and 1", "1", "2"),
        ("a = 5 or 0", "2", "2"),
    ];
    let settled = [("a and 0", "2"), ("0 and a", "2"), ("a = 5 or 1", "1"), ("1 or a = 5", "1")];
    let branch = |e: &str| format!("if {e} {{ c := 1 }} else {{ c := 2 }}");
    let text: Vec<String> = rows.iter().map(|(e, ..)| branch(e)).chain(settled.map(|(e, _)| branch(e))).collect();
    let cells = rows.map(|(_, zero, one)| (zero, one, "1 | 2")).into_iter().chain(settled.map(|(_, c)| (c, c, c)));
    let rows: Vec<_> = text.iter().zip(cells).map(|(t, (zero, one, u))| (t.as_str(), zero, one, u)).collect();
    hold("1:c", &rows);
}

#[test]
fn each_look_at_it_may_find_another_value() {
    let rows = [
        (
            "if a = 5 { c := 1 } else { c := 2 }  if a = 5 { d := 1 } else { d := 2 }",
            "2 2",
            "2 2",
            "1 1 | 1 2 | 2 1 | 2 2",
        ),
        // A copy of it is as undefined.
        ("c := a  d := c", "0 0", "1 1", "undefined undefined"),
    ];
    hold("1:c 1:d", &rows);
}

#[test]
fn each_instruction_hands_it_on_and_compares_it_either_way() {
    // `r` is what the instruction returns; `w` and `z` are what it leaves in memory.
    let rows = [
        // The operand is a value of the thread.
        ("w := a", "0 0 5", "0 1 5", "0 undefined 5"),
        ("w := write_na(a)", "0 0 5", "0 1 5", "0 undefined 5"),
        ("z@2 := a", "0 0 0", "0 0 1", "0 0 undefined"),
        ("r := CAS(q, a, 9)  w := q", "5 5 5", "5 5 5", "5 5 5 | 5 9 5"),
        ("r := CAS(q, 5, a)  w := q", "5 0 5", "5 1 5", "5 undefined 5"),
        ("r := CAS(q, 4, a)  w := q", "5 5 5", "5 5 5", "5 5 5"),
        ("r := CAS(q, a, a)  w := q", "5 5 5", "5 5 5", "5 5 5 | 5 undefined 5"),
        ("r := EXCHANGE(q, a)  w := q", "5 0 5", "5 1 5", "5 undefined 5"),
        ("r := FETCH_ADD(q, a)  w := q", "5 5 5", "5 6 5", "5 undefined 5"),
        ("r := FETCH_AND(q, a)  w := q", "5 0 5", "5 1 5", "5 undefined 5"),
        ("r := FETCH_OR(q, a)  w := q", "5 5 5", "5 5 5", "5 undefined 5"),
        ("r := FETCH_XOR(q, a)  w := q", "5 5 5", "5 4 5", "5 undefined 5"),
        // It is what a location holds: local reads and locked instructions.
        ("w := a  r := w", "0 0 5", "1 1 5", "undefined undefined 5"),
        ("w := a  r := read_na(w)", "0 0 5", "1 1 5", "undefined undefined 5"),
        ("w := a  r := CAS(w, 1, 9)", "0 0 5", "1 9 5", "undefined 9 5 | undefined undefined 5"),
        ("w := a  r := EXCHANGE(w, 9)", "0 9 5", "1 9 5", "undefined 9 5"),
        ("w := a  r := FETCH_ADD(w, 9)", "0 9 5", "1 10 5", "undefined undefined 5"),
        ("w := a  r := FETCH_AND(w, 9)", "0 0 5", "1 1 5", "undefined undefined 5"),
        ("w := a  r := FETCH_OR(w, 8)", "0 8 5", "1 9 5", "undefined undefined 5"),
        ("w := a  r := FETCH_XOR(w, 9)", "0 9 5", "1 8 5", "undefined undefined 5"),
        ("w := a  r := FETCH_ADD(w, a)", "0 0 5", "1 2 5", "undefined undefined 5"),
        // Remote operations on it: what is sent from it, and what is fetched from a location that was sent it.
        ("w := a  z@2 := w", "0 0 0", "0 1 1", "0 undefined undefined"),
        ("w := a  z@2 := put_na(w)", "0 0 0", "0 1 1", "0 undefined undefined"),
        ("z@2 := a  flush(2)  w := z@2", "0 0 0", "0 1 1", "0 undefined undefined"),
        ("z@2 := a  flush(2)  w := get_na(z@2)", "0 0 0", "0 1 1", "0 undefined undefined"),
        ("w := a  q := rga(z@2, w)  flush(2)  r := q", "5 0 5", "5 1 6", "5 undefined undefined"),
        ("z@2 := a  flush(2)  q := rga(z@2, p)  flush(2)  r := q", "0 0 4", "1 0 5", "undefined 0 undefined"),
        (
            "z@2 := a  w := a  flush(2)  q := rga(z@2, w)  flush(2)  r := q",
            "0 0 0",
            "1 1 2",
            "undefined undefined undefined",
        ),
        // The value asked for is undefined, then the new one, then what is there.
        ("w := a  q := rcas(z@2, w, p)  flush(2)  r := q", "5 0 5", "5 1 5", "5 undefined 4 | 5 undefined 5"),
        ("w := a  q := rcas(z@2, q, w)  flush(2)  r := q", "5 0 0", "5 1 1", "5 undefined undefined"),
        ("w := a  q := rcas(z@2, p, w)  flush(2)  r := q", "5 0 5", "5 1 5", "5 undefined 5"),
        (
            "z@2 := a  flush(2)  q := rcas(z@2, q, p)  flush(2)  r := q",
            "0 0 0",
            "1 0 1",
            "undefined 0 4 | undefined 0 undefined",
        ),
    ];
    hold("1:r w@1 z@2", &rows);
}

#[test]
fn a_remainder_by_zero_is_told_whatever_is_divided() {
    for rest in ["r := a % 0", "r := 7 % (a and 0)", "w := a % (0 * 5)", "if a % 0 = 1 { r := 1 }"] {
        let Err(report) = outcomes(MODELS[0], &program(rest, "1:r")) else { panic!("{rest} has outcomes") };
        assert!(report.render(false).contains("a remainder by 0"), "{rest}: {}", report.render(false));
    }
}

#[test]
fn what_is_shown_with_it_can_be_asked_for_and_a_log_with_it_is_judged() {
    let file = "litmus/core-rma/rcas-races-put.litmus";
    let model = ["--model", "core-rma-unordered.cat"];
    // Each outcome that is shown can be asked for.
    litmpi_in(&root(), [&["explain", file, "--outcome", "x=undefined"], &model[..]].concat()).exits(0);
    litmpi_in(&root(), [&["explain", file, "--outcome", "x=2"], &model[..]].concat()).exits(1);
    // A log in which it stands is judged by the conditions of the test.
    let log = litmpi_in(&root(), [&["enumerate", file], &model[..]].concat()).exits(0).stdout.clone();
    let dir = folder(&[("a.log", &log)]);
    let said = litmpi_in(&root(), [&["compare", &at(&dir, "a.log"), file, "--json"], &model[..]].concat());
    assert!(said.stdout.contains("Sometimes"), "{}", said.stdout);
}

#[test]
fn two_models_that_differ_in_it_alone_do_not_agree() {
    let file = "litmus/core-rma/put-same-value-twice.litmus";
    litmpi_in(&root(), ["check", file]).exits(0);
    let text = std::fs::read_to_string(root().join(file)).expect("a test");
    assert!(text.contains("tells apart core-rma core-rma (unordered)"), "{text}");
    let dir = folder(&[("agree.litmus", &text.replace("tells apart", "agree"))]);
    let said = litmpi_in(dir.path(), ["check", "agree.litmus"]);
    said.exits(1).says("does not hold: only core-rma-unordered.cat (default) has the outcome y=undefined;");
}
