//! No text makes the parser panic, and whatever it accepts prints back to the same test.

use crate::decls::{MPI, RDMA};
use litmpi_litmus::golden::Golden;
use litmpi_litmus::{lower, parse, parse_family, print};
use litmpi_spec::decl::Instructions;
use litmpi_spec::source::Source;
use proptest::prelude::*;

fn try_all(text: &str) -> Result<(), TestCaseError> {
    for decls in [&*RDMA, &*MPI] {
        try_one(text, decls)?;
    }
    let source = Source::new("fuzz", text);
    let _ = parse_family(&source).map_err(|r| r.render(false));
    let _ = Golden::parse(&source).map_err(|r| r.render(false));
    Ok(())
}

fn try_one(text: &str, decls: &Instructions) -> Result<(), TestCaseError> {
    match parse(&Source::new("fuzz", text), decls) {
        Ok(test) => {
            let printed = print(&test, decls);
            match parse(&Source::new("printed", printed.as_str()), decls) {
                Ok(again) => {
                    prop_assert_eq!(test.without_places(), again.without_places(), "{}\n-->\n{}", text, printed);
                }
                Err(report) => prop_assert!(false, "{text}\n-->\n{printed}\n{}", report.render(false)),
            }
            let program = lower(&test, Some(2));
            let size: usize = program.threads.iter().map(|t| t.code.len()).sum();
            prop_assert_eq!(u64::try_from(size).unwrap(), lower::size(&test, Some(2)));
        }
        Err(report) => {
            prop_assert!(!report.0.is_empty());
            let _ = (report.render(false), report.to_string());
        }
    }
    Ok(())
}

const TOKENS: &[&str] = &[
    "litmus",
    "rdma",
    "mpi",
    "node",
    "thread",
    "rank",
    "on",
    "int",
    "if",
    "else",
    "while",
    "bound",
    "choose",
    "or",
    "and",
    "not",
    "locations",
    "exists",
    "~exists",
    "forall",
    "verdict",
    "allowed",
    "forbidden",
    "cite",
    "because",
    "seen",
    "true",
    "deadlock",
    "erroneous",
    "x",
    "y",
    "a",
    "s",
    "s.source",
    "$1",
    "MPI_Send",
    "MPI_Recv",
    "poll",
    "mfence",
    "CAS",
    "any",
    "0",
    "1",
    "2",
    "-1",
    "99999999999",
    ":=",
    "=",
    "==",
    "!=",
    "<",
    "+",
    "-",
    "*",
    "&&",
    "||",
    "!",
    "~",
    "/\\",
    "\\/",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "@",
    ":",
    ",",
    ";",
    ".",
    "\"t\"",
    "\"",
    "--",
    "#",
    "//",
    "\n",
    "é",
    "\u{1F600}",
    "\\",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(TOKENS), 0..60).prop_map(|t| t.join(" "))
}

/// An expression over registers, locations and numbers.
fn expr(names: &'static [&'static str]) -> BoxedStrategy<String> {
    let leaf =
        prop_oneof![(-2..3).prop_map(|n: i32| n.to_string()), prop::sample::select(names).prop_map(str::to_string),];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let op = prop::sample::select(&["+", "-", "*", "=", "!=", "<", "<=", ">", ">=", "and", "||", "or", "&&"][..]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("!{a}")),
            inner.clone().prop_map(|a| format!("not {a}")),
            inner.prop_map(|a| format!("-({a})")),
        ]
    })
    .boxed()
}

fn blocks(simple: BoxedStrategy<String>, cond: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let body = prop::collection::vec(simple, 0..4).prop_map(|s| s.join("\n"));
    body.prop_recursive(3, 12, 3, move |inner| {
        let cond = cond.clone();
        prop_oneof![
            (cond.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| format!("if {c} {{ {a} }} else {{ {b} }}")),
            (cond.clone(), inner.clone(), cond.clone(), inner.clone())
                .prop_map(|(c, a, d, b)| format!("if {c} {{ {a} }} else if {d} {{ {b} }}")),
            (cond, 0..4, inner.clone()).prop_map(|(c, n, a)| format!("while {c} bound {n} {{ {a} }}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("choose {{ {a} }} or {{ {b} }} {c}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{a}\n{b}")),
        ]
    })
    .boxed()
}

fn prop(names: &'static [&'static str]) -> BoxedStrategy<String> {
    let name = prop::sample::select(names);
    let leaf = prop_oneof![
        (name.clone(), -1..3).prop_map(|(n, v)| format!("{n} = {v}")),
        (name.clone(), -1..3).prop_map(|(n, v)| format!("{n} != {v}")),
        (name.clone(), name, 0..3).prop_map(|(a, b, v)| format!("({a}, {b}) = ({v}, 1)")),
        prop::sample::select(&["true", "deadlock", "erroneous"][..]).prop_map(str::to_string),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} /\\ {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} or {b}")),
            inner.clone().prop_map(|a| format!("~{a}")),
            inner.prop_map(|a| format!("({a})")),
        ]
    })
    .boxed()
}

/// RDMA tests that are meant to be right.
fn rdma() -> BoxedStrategy<String> {
    const NAMES: &[&str] = &["x", "v", "r[1]", "a", "b"];
    let simple = prop_oneof![
        expr(NAMES).prop_map(|e| format!("x := {e}")),
        expr(NAMES).prop_map(|e| format!("b := {e}")),
        expr(NAMES).prop_map(|e| format!("y@2 := {e}")),
        (expr(NAMES), expr(NAMES)).prop_map(|(e, f)| format!("a := CAS(v, {e}, {f})")),
        prop::sample::select(
            &["mfence", "poll(2)", "rfence(2)", "x := y@2", "c := y@2", "y@2 := x", "y@2 := d", "v := CAS(x, 0, 1)"][..]
        )
        .prop_map(str::to_string),
    ];
    let body = blocks(simple.boxed(), expr(NAMES));
    (body, prop(&["x", "r[0]", "y", "a", "1:b"]), prop(&["v", "y@2"]))
        .prop_map(|(body, p, q)| {
            format!(
                "litmus rdma t \"t\" node 1 {{ x = 0 v = 3 r[2] = {{1, 2}} }} node 2 {{ y = 0 }}
                 thread 1 on 1 {{ a := x b := v {body} }} thread 2 on 2 {{ e := y }}
                 locations e x exists {p} forall {q}"
            )
        })
        .boxed()
}

/// MPI tests that are meant to be right.
fn mpi() -> BoxedStrategy<String> {
    const NAMES: &[&str] = &["x", "v[1]", "f", "s.source", "buf", "MPI_SUM"];
    let simple = prop_oneof![
        expr(NAMES).prop_map(|e| format!("MPI_Send(x, dest: {e})")),
        (expr(NAMES), expr(NAMES)).prop_map(|(e, g)| format!("MPI_Send(buf, {e}, MPI_INT, 1, {g})")),
        expr(NAMES).prop_map(|e| format!("f := {e}")),
        expr(NAMES).prop_map(|e| format!("v[0] := {e}")),
        prop::sample::select(
            &[
                "MPI_Irecv(buf, source: any, tag: any, request: p)",
                "MPI_Wait(p, s)",
                "MPI_Test(p, f)",
                "MPI_Test(p, x)",
                "MPI_Waitall([p, q])",
                "MPI_Waitany([p, q], f, s)",
                "MPI_Barrier",
                "MPI_Isend(-7, dest: 1, request: q)",
                "MPI_Recv(v, 2, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)",
            ][..]
        )
        .prop_map(str::to_string),
    ];
    let body = blocks(simple.boxed(), expr(NAMES));
    (body, prop(&["x", "s.tag", "0:f", "v[1]"]))
        .prop_map(|(body, p)| {
            format!(
                "litmus mpi t \"t\" rank 0 {{ int x = 1, v[2] = {{1, 2}} MPI_Recv(buf, source: any, status: s)
                 MPI_Irecv(other, source: 1, request: p) MPI_Test(p, f) {body} }} rank 1 {{ f := 1 }} exists {p}"
            )
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        try_all(&text)?;
    }

    #[test]
    fn random_tokens_never_panic(text in soup(), tail in soup()) {
        try_all(&text)?;
        try_all(&format!("litmus mpi t \"t\" rank 0 {{ {text} }} exists {tail}"))?;
        try_all(&format!("litmus rdma t \"t\" node 1 {{ x = 0 }} node 2 {{ y = 0 }} thread 1 on 1 {{ {text} }} exists {tail}"))?;
    }

    #[test]
    fn random_bytes_in_a_right_test_never_panic(text in rdma(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        chars[at] = with;
        try_all(&chars.into_iter().collect::<String>())?;
    }

    #[test]
    fn rdma_tests_print_to_the_same_test(text in rdma()) {
        try_one(&text, &RDMA)?;
    }

    #[test]
    fn mpi_tests_print_to_the_same_test(text in mpi()) {
        try_one(&text, &MPI)?;
    }
}

#[test]
fn most_random_tests_are_right() {
    // Else the round trips above would say little.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for (tests, decls) in [(rdma(), &*RDMA), (mpi(), &*MPI)] {
        let mut right = 0;
        for _ in 0..200 {
            let text = tests.new_tree(&mut runner).expect("a value").current();
            right += usize::from(parse(&Source::new("t", text), decls).is_ok());
        }
        assert!(right > 60, "{right} of 200 are right");
    }
}
