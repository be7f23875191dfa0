//! Flat code.

use crate::decls::read;
use litmpi_litmus::lower;
use litmpi_spec::program::{Op, Program};

fn program(body: &str, unroll: Option<u32>) -> Program {
    let text = format!("litmus rdma t \"t\" node 1 {{ x = 0 }} thread 1 on 1 {{ a := 0 {body} }} exists true");
    let test = read(&text);
    let program = lower(&test, unroll);
    let size: usize = program.threads.iter().map(|t| t.code.len()).sum();
    assert_eq!(u64::try_from(size).unwrap(), lower::size(&test, unroll), "the size is known beforehand");
    program
}

/// The code after the first assignment, one letter a step.
fn code(body: &str, unroll: Option<u32>) -> String {
    let parts: Vec<String> = program(body, unroll).threads[0].code[1..]
        .iter()
        .map(|op| match op {
            Op::Exec { .. } => "exec".into(),
            Op::Set(..) => "set".into(),
            Op::Branch(_, to, _) => format!("branch-{to}"),
            Op::Jump(to) => format!("jump-{to}"),
            Op::Choose(to) => format!("choose-{to:?}"),
            Op::Cut => "cut".into(),
            Op::Early => "early".into(),
            Op::Spin => "spin".into(),
            Op::Bring(_) | Op::Ask(_) | Op::Lost | Op::Gone => "of a process".into(),
        })
        .collect();
    parts.join(" ")
}

#[test]
fn a_branch_jumps_over_what_it_does_not_take() {
    assert_eq!(code("if a { mfence } x := 1", Some(0)), "branch-3 exec exec");
    assert_eq!(code("if a { mfence } else { x := 1 x := 2 } mfence", Some(0)), "branch-4 exec jump-6 exec exec exec");
}

#[test]
fn a_loop_is_unrolled_to_its_bound_then_cut() {
    assert_eq!(code("while a bound 2 { mfence } mfence", Some(9)), "branch-7 exec branch-7 exec branch-7 cut exec");
    assert_eq!(code("while a { mfence }", Some(1)), "branch-5 exec branch-5 cut");
    assert_eq!(code("while a bound 0 { mfence }", Some(1)), "branch-3 cut");
}

#[test]
fn a_loop_that_is_not_unrolled_and_states_no_bound_jumps_back() {
    assert_eq!(code("while a { mfence } mfence", None), "branch-4 exec jump-1 exec");
    assert_eq!(code("while a bound 1 { mfence } mfence", None), "branch-5 exec branch-5 cut exec");
    assert_eq!(code("while a { while a { mfence } }", None), "branch-6 branch-5 exec jump-2 jump-1");
}

#[test]
fn a_loop_without_a_body_spins_whatever_bound_it_states() {
    assert_eq!(code("while 1 { } mfence", Some(1)), "branch-3 spin exec");
    assert_eq!(code("while 1 bound 7 { } mfence", Some(1)), "branch-3 spin exec");
}

#[test]
fn the_last_alternative_falls_through() {
    assert_eq!(
        code("choose { mfence } or { x := 1 } or { } mfence", Some(0)),
        "choose-[2, 4, 6] exec jump-6 exec jump-6 exec"
    );
}

#[test]
fn jumps_stay_inside_the_code_or_end_it() {
    let body = "while a bound 3 { choose { if a { mfence } else { a := 1 } } or { while a bound 2 { x := 1 } } }";
    let program = program(body, Some(1));
    let code = &program.threads[0].code;
    for op in code {
        let targets = match op {
            Op::Branch(_, to, _) | Op::Jump(to) => vec![*to],
            Op::Choose(to) => to.clone(),
            _ => Vec::new(),
        };
        assert!(targets.iter().all(|to| *to <= code.len()));
    }
}
