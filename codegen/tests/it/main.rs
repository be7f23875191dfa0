//! What litmus tests become in C. Golden texts stand in `golden/`; after a wanted change, run with
//! `LITMPI_BLESS=1` to write them anew.

mod fixtures;
mod verbs;

use fixtures::{Builder, endless, half_a_barrier, head_to_head, int, leftovers, mpi, truncation, wildcard_race};
use litmpi_codegen::{mpi_suite, mpi_test};
use litmpi_litmus::ast::{Stmt, Test};
use litmpi_spec::program::{BinaryOp, IntExpr, Operand, UnaryOp};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden").join(name);
    if std::env::var_os("LITMPI_BLESS").is_some() {
        std::fs::write(&path, text).expect("the golden file is written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} differs (LITMPI_BLESS=1 accepts):\n{text}");
}

/// A program with every shape of statement, expression and argument.
fn everything() -> Test {
    let mut b = Builder::new("everything", "every statement, expression and argument */ once", 2);
    let a0 = b.loc(0, "r[0]", 1);
    let a1 = b.loc(0, "r[1]", 2);
    let int_loc = b.loc(0, "int", 3);
    let (p, q) = (b.reg(0, "p", "request"), b.reg(0, "q", "request"));
    let (s, t) = (b.reg(0, "s", "status"), b.reg(0, "t", "status"));
    let flag = b.reg(0, "flag", "flag");
    let hidden = b.reg(0, "$1", "out");
    let reg = |r: usize, f: Option<&str>| Box::new(IntExpr::Reg(r, f.map(Into::into)));
    let num = |n: i64| Box::new(IntExpr::Const(n, None));
    b.call(0, 2, "store", vec![Operand::Loc(int_loc), int(5)]);
    b.call(0, 3, "load", vec![Operand::Reg(hidden), Operand::Loc(int_loc)]);
    for (line, loc, request) in [(4, a0, p), (5, a1, q)] {
        let args = vec![Operand::Loc(loc), int(1), int(0), int(-1), int(-1), int(0), Operand::Reg(request)];
        b.call(0, line, "MPI_Irecv", args);
    }
    let test = b.stmt(7, "MPI_Test", vec![Operand::Reg(p), Operand::Reg(flag), Operand::NoReg]);
    let cond = IntExpr::Unary(UnaryOp::Not, Box::new(IntExpr::Binary(BinaryOp::Eq, reg(flag, None), num(1))));
    let span = b.at(6);
    b.test.threads[0].body.push(Stmt::While { cond, bound: Some(3), body: vec![test], span });
    let requests = Operand::List(vec![Operand::Reg(p), Operand::Reg(q)]);
    let statuses = Operand::List(vec![Operand::Reg(s), Operand::Reg(t)]);
    b.call(0, 8, "MPI_Waitall", vec![requests.clone(), statuses]);
    b.call(0, 9, "MPI_Waitall", vec![requests, Operand::NoReg]);
    b.call(0, 10, "MPI_Waitall", vec![Operand::List(vec![]), Operand::NoReg]);
    // Answers to whoever sent, which may be a constant of the library's own.
    let source = Operand::Int(IntExpr::Reg(s, Some("source".into())));
    let args = vec![Operand::Loc(a1), int(1), int(0), source, int(0), int(0)];
    b.call(0, 11, "MPI_Send", args);
    let expr =
        IntExpr::Binary(BinaryOp::Mul, Box::new(IntExpr::Binary(BinaryOp::Add, reg(flag, None), num(-2))), num(3));
    let span = b.at(12);
    b.test.threads[0].body.push(Stmt::Set { reg: flag, expr, span });
    let cond = IntExpr::Binary(
        BinaryOp::And,
        Box::new(IntExpr::Binary(
            BinaryOp::Eq,
            reg(s, Some("tag")),
            Box::new(IntExpr::Const(-1, Some("MPI_ANY_TAG".into()))),
        )),
        Box::new(IntExpr::Binary(BinaryOp::Lt, reg(flag, None), num(4))),
    );
    let then = vec![b.stmt(14, "MPI_Barrier", vec![int(0)])];
    let els = vec![Stmt::Choose {
        of: vec![vec![b.stmt(16, "store", vec![Operand::Loc(a0), int(1)])], vec![]],
        span: b.at(15),
    }];
    let span = b.at(13);
    b.test.threads[0].body.push(Stmt::If { cond, then, els, span });
    b.observe_loc("r[1]", a1);
    b.observe_reg("s.count", 0, s, Some("count"));
    b.observe_reg("flag", 0, flag, None);
    b.test
}

#[test]
fn a_test_becomes_the_c_that_a_person_would_write() {
    golden("wildcard_race.c", &mpi_test(&wildcard_race(), &mpi(), "wildcard_race").expect("it has C"));
    golden("everything.c", &mpi_test(&everything(), &mpi(), "everything").expect("it has C"));
}

#[test]
fn what_has_no_c_is_said_with_its_reason() {
    let mut b = Builder::new("apart", "ranks 0 and 2", 2);
    b.test.threads[1].number = 2;
    let text = mpi_test(&b.test, &mpi(), "apart").expect_err("ranks have a gap").to_string();
    assert!(text.contains("its ranks are [0, 2], not 0, 1, …"), "{text}");

    let mut b = Builder::new("shared", "a location of another rank", 2);
    let x = b.loc(1, "x", 0);
    b.send(0, 2, "MPI_Send", x, 1);
    let text = mpi_test(&b.test, &mpi(), "shared").expect_err("memory is not shared").to_string();
    assert!(text.contains("`x` is not a location of rank 0"), "{text}");

    let mut decls = mpi();
    decls.list[0].text.c = Some("litmpi_store({y}, {v})".into());
    let mut b = Builder::new("unknown", "a template with an unknown name", 1);
    let x = b.loc(0, "x", 0);
    b.call(0, 2, "store", vec![Operand::Loc(x), int(1)]);
    let text = mpi_test(&b.test, &decls, "unknown").expect_err("y is no parameter").to_string();
    assert!(text.contains("`{y}` is not a parameter of `store`") && text.contains("x, v"), "{text}");
}

#[test]
fn a_rejected_test_leaves_the_others_in_the_suite() {
    let mut b = Builder::new("apart", "ranks 0 and 2", 2);
    b.test.threads[1].number = 2;
    let suite = mpi_suite(&[&wildcard_race(), &b.test, &wildcard_race()], &mpi());
    assert_eq!(suite.names, [Some("wildcard_race".to_string()), None, Some("wildcard_race_2".to_string())]);
    let why = "its ranks are [0, 2], not 0, 1, … (number the ranks from 0 without gaps, in order)";
    assert_eq!((suite.rejected, suite.lacking), (vec![], vec![(1, why.to_owned())]));
}

#[test]
fn what_is_of_the_queue_pairs_below_mpi_has_no_program() {
    let below = litmpi_spec::load::load_shipped("mpi-rdma").expect("a shipped model").instructions.clone();
    let test = |body: &str| {
        let text = format!(
            "litmus mpi t \"t\"\nrank 0 {{ {body}  MPI_Send(1, dest: 1) }}\nrank 1 {{ MPI_Recv(y, source: 0) }}\nexists y = 1\n"
        );
        litmpi_litmus::parse(&litmpi_spec::source::Source::new("t.litmus", text), &below).expect("it is well formed")
    };
    let suite = mpi_suite(&[&test("x := 1  rfence(1)"), &test("_x := 1")], &below);
    let why = "no `rfence` in programs of MPI (it is of the queue pairs below: the test can be enumerated)";
    assert_eq!((suite.names, suite.lacking), (vec![None, Some("t_2".into())], vec![(0, why.to_owned())]));
}

fn compile(compiler: &str) {
    if Command::new(compiler).arg("--version").output().is_err() {
        println!("skipped: {compiler} is not installed");
        return;
    }
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(compiler);
    std::fs::create_dir_all(&folder).expect("a folder for the suite");
    let head = head_to_head("head", "MPI_Ssend");
    let tests = [wildcard_race(), everything(), head, leftovers(), truncation(), half_a_barrier(), endless()];
    let suite = mpi_suite(&tests.iter().collect::<Vec<_>>(), &mpi());
    assert_eq!(suite.rejected, []);
    for file in &suite.files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file of the suite is written");
    }
    let output = Command::new(compiler)
        .current_dir(&folder)
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-o", "suite"])
        .args(&suite.units)
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_suite_compiles_without_a_warning_for_open_mpi() {
    compile("mpicc.openmpi");
}

#[test]
fn a_suite_compiles_without_a_warning_for_mpich() {
    compile("mpicc.mpich");
}
