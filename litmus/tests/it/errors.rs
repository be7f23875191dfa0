//! What is said of wrong tests: where, what, and what would be right.

use crate::decls::{MPI, RDMA, wrong};
use litmpi_litmus::{parse, parse_family};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;

/// One line a message.
fn told(text: &str) -> String {
    let decls = if text.contains("litmus mpi") { &*MPI } else { &*RDMA };
    match parse(&Source::new("t.litmus", text), decls) {
        Ok(test) => panic!("this was accepted: {test:#?}"),
        Err(report) => report.to_string(),
    }
}

fn rdma(body: &str) -> String {
    told(&format!(
        "litmus rdma t \"t\" node 1 {{ x = 0 v = 0 w = 0 u = 0 r[3] = 0 }} node 2 {{ y = 0 zebra = 0 }}
thread 1 on 1 {{
{body}
}}
exists true"
    ))
}

fn mpi(body: &str) -> String {
    told(&format!("litmus mpi t \"t\"\nrank 0 {{\n{body}\n}}\nrank 1 {{ }}\nexists true"))
}

#[track_caller]
fn says(told: &str, parts: &[&str]) {
    for part in parts {
        assert!(told.contains(part), "`{part}` is not in:\n{told}");
    }
}

#[test]
fn syntax_errors_name_what_fits() {
    says(&rdma("x := "), &["t.litmus:4:1: `}` does not fit here", "an expression"]);
    says(&rdma("x = 1"), &["t.litmus:3:3: `=` does not fit here", "`:=`"]);
    says(&told("litmus rdma t"), &["the end of the file does not fit here", "text in quotes"]);
    says(&told(""), &["expected `litmus`"]);
    says(&told("litmus rdma t \"t\" node 1 { } exists x = "), &["the end of the file", "a number"]);
}

#[test]
fn a_rendered_message_shows_the_line_and_the_help() {
    let text = wrong("litmus rdma t \"t\" node 1 { } node 2 { }\nthread 1 on 1 {\n  plol(2)\n}\nexists true");
    says(&text, &["t.litmus:3:3", "plol(2)", "there is no instruction `plol`", "did you mean `poll`?"]);
}

#[test]
fn all_errors_are_told_in_order() {
    let text = rdma("x := one\npoll(3)\nx := r\ny@4 := x");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for (line, at) in lines.iter().zip(["3:6", "4:6", "5:6", "6:3"]) {
        assert!(line.starts_with(&format!("t.litmus:{at}: ")), "{text}");
    }
}

#[test]
fn instructions() {
    says(&rdma("flush(2)"), &["there is no instruction `flush`", "instructions are: mfence, poll, rfence"]);
    says(&rdma("CAS(x, 0, 1)"), &["`CAS` is not an instruction that stands alone", "r := CAS(…)"]);
    says(&rdma("put(x)"), &["`put` is not an instruction that stands alone", "left := right"]);
    says(&rdma("a := poll(2)"), &["`poll` gives no value", "without `:=`"]);
    says(&rdma("a := CSA(x, 0, 1)"), &["`CSA` gives no value", "did you mean `CAS`?"]);
    says(&mpi("bounce(a)"), &["there is no instruction `bounce`"]);
    says(&mpi("MPI_Sent(a, dest: 1)"), &["did you mean `MPI_Send`?"]);
}

#[test]
fn arguments() {
    says(&rdma("poll()"), &["`poll` needs `n`"]);
    says(&rdma("poll(2, 2)"), &["`poll` takes at most 1 arguments"]);
    says(&rdma("poll(x)"), &["`n` cannot be this: it is a node", "number of another node"]);
    says(&mpi("MPI_Send(a)"), &["`MPI_Send` needs `dest`", "buf, [count], [datatype], dest, [tag], [comm]"]);
    says(&mpi("MPI_Send(a, dst: 1)"), &["has no parameter `dst`", "did you mean `dest`?"]);
    says(&mpi("MPI_Send(a, dest: 1, dest: 1)"), &["`dest` is given twice"]);
    says(&mpi("MPI_Send(a, dest: 1, 3)"), &["without a name follows one with a name"]);
    says(&mpi("MPI_Send(a, dest: MPI_ANY_TAG)"), &["`MPI_ANY_TAG` is not a rank", "a rank is wanted here"]);
    says(&mpi("MPI_Send(a, dest: MPI_PROC_NUL)"), &["did you mean `MPI_PROC_NULL`?"]);
    says(&mpi("MPI_Waitall([q, r], [st, st])"), &["`st` stands twice in `array_of_statuses`", "give each its own"]);
    says(&mpi("MPI_Waitall([r, r])"), &["`r` stands twice in `array_of_requests`"]);
    says(&mpi("MPI_Send([a], dest: 1)"), &["`buf` is not a list"]);
    says(&mpi("MPI_Send(1 + 2, dest: 1)"), &["`buf` cannot be this: it is a buffer"]);
    says(&mpi("MPI_Waitall(r)"), &["`array_of_requests` is a list", "write `[r]`"]);
    says(&mpi("MPI_Wait(1)"), &["`request` cannot be this: it is a request", "give a register"]);
    says(&mpi("int q MPI_Wait(q)"), &["`request` cannot be this"]);
    says(&mpi("MPI_Isend(a, dest: 1, request: r) MPI_Wait(r, r)"), &["`r` holds Request, not Status"]);
    says(&mpi("MPI_Wait(r) r := 1"), &["`r` cannot hold a number"]);
}

#[test]
fn names() {
    says(&rdma("x := zebar"), &["3:6: `zebar` is neither declared nor assigned"]);
    says(&rdma("count := 1 x := cuont"), &["did you mean `count`?"]);
    says(&rdma("x := nothing"), &["declare the location `nothing = 0`"]);
    says(&mpi("MPI_Recv(a, source: any, status: s)\nif s.sorce = 1 { }"), &["no field `sorce`", "`s.source`"]);
    says(&mpi("MPI_Recv(a, source: any, status: s)\nif s = 1 { }"), &["`s` is not a number", "`source`, `tag`"]);
    says(&mpi("MPI_Wait(r)\nif r = 1 { }"), &["a Request has no fields to read"]);
    says(&mpi("int a\nb := a.source"), &["`a` has no fields"]);
    says(&mpi("MPI_Recv(a, source: any)\nif a = any { }"), &["`any` has several meanings", "`MPI_ANY_TAG`"]);
}

#[test]
fn nodes() {
    says(&rdma("zebra := 1"), &["`zebra` is on node 2, this thread runs on node 1", "`zebra@2`"]);
    says(&rdma("x := zebra"), &["`zebra` is on node 2"]);
    says(&rdma("x@2 := v"), &["there is no `x` on node 2"]);
    says(&rdma("zebar@2 := v"), &["did you mean `zebra@2`?"]);
    says(&rdma("y@3 := v"), &["there is no node 3", "nodes are: 1, 2"]);
    says(&rdma("y@2 := zebra@2"), &["no instruction assigns in this way", "one side on this node"]);
    says(&rdma("x := 1 + y@2"), &["cannot stand in an expression", "a := y@2"]);
    let two = "litmus rdma t \"t\" node 1 { } node 2 { y = 0 } thread 1 on 1 { a := y@2 } thread 2 on 1 { a := y@2 }
               exists true";
    says(&told(two), &["two threads of node 1 use `a` undeclared", "node 1 { a = 0 }"]);
}

#[test]
fn arrays() {
    says(&rdma("x := r"), &["`r` is an array", "`r[0]`"]);
    says(&rdma("x := r[3]"), &["`r` has no element 3", "0 to 2"]);
    says(&rdma("x := r[-1]"), &["`r` has no element -1"]);
    says(&rdma("x[0] := 1"), &["`x` is not an array"]);
    says(&mpi("int a[0]"), &["an array cannot have 0 elements"]);
    says(&mpi("int a[2] = {1}"), &["`a` has 2 elements, but 1 values are given"]);
    says(&mpi("int a = {1, 2}"), &["`a` is not an array", "`a[2] = …`"]);
}

#[test]
fn declarations() {
    says(&mpi("int a, a"), &["`a` is declared twice on node 0"]);
    says(&told("litmus rdma t \"t\" node 1 { } node 1 { } exists true"), &["node 1 is declared twice"]);
    says(&told("litmus rdma t \"t\" thread 1 on 1 { } exists true"), &["there is no node 1", "node 1 { }"]);
    let threads = "litmus rdma t \"t\" node 1 { } thread 1 on 1 { } thread 1 on 1 { } exists true";
    says(&told(threads), &["thread 1 is declared twice"]);
    says(&told("litmus mpi t \"t\" rank 0 { } rank 2 { } exists true"), &["there is no rank 2", "without gaps"]);
    says(&told("litmus rdma t \"t\" node -1 { } exists true"), &["-1 cannot be a node's number"]);
    says(&mpi("int a = 4000000000"), &["the number does not fit"]);
}

#[test]
fn bounds() {
    says(&rdma("while x bound 1001 { }"), &["a loop cannot have the bound 1001"]);
    let nested = "while x bound 1000 { while v bound 1000 { mfence } }";
    says(&rdma(nested), &["unroll to", "lower the bounds"]);
    says(&rdma("x := v + w + u + r[0]"), &["the statement reads 4 locations", "into registers first"]);
    says(&rdma(&format!("a := {}1{}", "(".repeat(99), ")".repeat(99))), &["nested more than"]);
    says(&rdma(&format!("a := 1{}", " + 1".repeat(9999))), &["the expression is too large"]);
    let loads = format!("if 1 {{ }}{}", " else if x = 1 { }".repeat(31));
    says(&rdma(&loads), &["test `t` is too large: brackets are nested", "divide its branches"]);
    says(&rdma(&format!("if 1 {{ }}{}", " else if 1 { }".repeat(9999))), &["the chain of branches is too long"]);
}

#[test]
fn claims() {
    let with = |claims: &str| {
        told(&format!(
            "litmus mpi t \"t\" rank 0 {{ int v[2]  MPI_Recv(a, source: 1, status: s) }}
             rank 1 {{ MPI_Isend(a, dest: 0, request: r) }}\n{claims}"
        ))
    };
    says(&with(""), &["test `t` claims nothing", "exists x = 1"]);
    says(&with("exists a = 1"), &["`a` is ambiguous", "`0:a`, `1:a`"]);
    says(&with("exists 2:a = 1"), &["there is no thread 2", "threads are: 0, 1"]);
    says(&with("exists a@2 = 1"), &["there is no node 2"]);
    says(&with("exists 1:s.tag = 1"), &["`1:s.tag` is not in the program", "did you mean `0:s`?"]);
    says(&with("exists s = 1"), &["`s` is not a number", "`s.source`"]);
    says(&with("exists s.sauce = 1"), &["no field `sauce`"]);
    says(&with("exists r = 1"), &["a Request cannot be observed"]);
    says(&with("exists v = 1"), &["name an element, `v[0]`"]);
    says(&with("exists v[2] = 1"), &["`v[2]` is not in the program"]);
    says(&with("exists s.tag = MPI_ANY_TAGS"), &["`MPI_ANY_TAGS` is not a value", "did you mean `MPI_ANY_TAG`?"]);
    says(&with("exists s.tag = 0:a"), &["`0:a` is not a value"]);
    says(&with("exists (0:a, 1:a) = (1)"), &["different lengths"]);
    says(&with("exists 0:a = 1:a != 1"), &["`!=` cannot stand in a chain"]);
    says(&with("exists true verdict m allowed verdict m forbidden"), &["a second verdict of `m`"]);
}

#[test]
fn the_family_is_found_before_the_declarations_are_chosen() {
    let family = |text: &str| parse_family(&Source::new("t", text)).map_err(|r: Report| r.to_string());
    assert_eq!(family("-- a comment\nlitmus mpi t this is not checked yet").as_deref(), Ok("mpi"));
    says(&family("tests mpi t").unwrap_err(), &["`tests` does not fit here", "expected `litmus`"]);
}

#[test]
fn the_largest_tests_do_not_exhaust_the_stack() {
    let nested = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let expr = format!("a := {}{}1{}{}", "!".repeat(100), "(1 + ".repeat(29), ")".repeat(29), " + 1".repeat(100));
    let chain = |inner: &str| format!("if 1 {{ }} {} else {{ {inner} }}", "else if 1 { } ".repeat(30));
    let chains = (0..29).fold(String::new(), |inner, _| chain(&inner));
    let negations = format!("{}x = 1{}", "~(x = 0 or ".repeat(31), ")".repeat(31));
    for body in [&expr, &chains, &nested("while 0 bound 1 { ", " }", 29), &nested("choose { ", " } or { }", 29)] {
        let text = format!("litmus rdma t \"t\" node 1 {{ x = 0 }} thread 1 on 1 {{ {body} }} exists {negations}");
        crate::printing::round_trip(&text);
    }
}
