//! What names and statements become.

use crate::decls::{MPI, RDMA, read};
use litmpi_litmus::ast::{Stmt, Test};
use litmpi_spec::program::{IntExpr, Operand};

/// A thread's statements as instruction names, registers and choices, e.g. `read put set choose(read,read|…)`.
fn shape(test: &Test, stmts: &[Stmt]) -> String {
    let decls = if test.family == "mpi" { &MPI } else { &RDMA };
    let parts: Vec<String> = stmts
        .iter()
        .map(|s| match s {
            Stmt::Call { instr, .. } => decls.list[*instr].name.clone(),
            Stmt::Set { .. } => "set".into(),
            Stmt::If { then, els, .. } => format!("if({}|{})", shape(test, then), shape(test, els)),
            Stmt::While { body, .. } => format!("while({})", shape(test, body)),
            Stmt::Choose { of, .. } => {
                let of: Vec<String> = of.iter().map(|b| shape(test, b)).collect();
                format!("choose({})", of.join("|"))
            }
        })
        .collect();
    parts.join(" ")
}

fn locs(test: &Test) -> Vec<String> {
    test.locs.iter().map(|l| format!("{}@{}={}", l.name, test.nodes[l.node].number, l.initial)).collect()
}

fn regs(test: &Test, thread: usize) -> Vec<String> {
    test.threads[thread].regs.iter().map(|r| format!("{}:{}", r.name, r.ty)).collect()
}

fn rdma(body: &str) -> Test {
    read(&format!(
        "litmus rdma t \"t\" node 1 {{ x = 0 v = 0 w = 0 u = 0 r[3] = {{4,5,6}} }} node 2 {{ y = 0 q[2] = 7 }}
         thread 1 on 1 {{ {body} }} exists true"
    ))
}

fn mpi(body: &str) -> Test {
    read(&format!("litmus mpi t \"t\" rank 0 {{ {body} }} rank 1 {{ }} exists true"))
}

#[test]
fn each_assignment_form_is_chosen_by_its_sides() {
    for (text, instr) in [
        ("x := 1", "write"),
        ("a := x", "read"),
        ("x := y@2", "get"),
        ("y@2 := x", "put"),
        ("y@2 := 1", "put_imm"),
        ("a := CAS(x, 0, 1)", "cas"),
        ("a := 1 + 2", "set"),
        ("mfence", "mfence"),
        ("mfence()", "mfence"),
        ("poll(2)", "poll"),
        ("q[1]@2 := r[2]", "put"),
    ] {
        let test = rdma(text);
        assert_eq!(shape(&test, &test.threads[0].body), instr, "{text}");
    }
}

#[test]
fn the_target_of_a_get_and_the_source_of_a_put_are_implicit_locations() {
    let test = rdma("a := y@2  y@2 := b  c := a");
    assert_eq!(locs(&test)[7..9], ["a@1=0", "b@1=0"]);
    assert_eq!(regs(&test, 0), ["c:Int"]);
}

#[test]
fn a_cpu_read_makes_a_register() {
    let test = rdma("a := x  b := a + 1");
    assert_eq!(regs(&test, 0), ["a:Int", "b:Int"]);
    assert_eq!(shape(&test, &test.threads[0].body), "read set");
}

#[test]
fn a_location_in_an_expression_is_loaded_first() {
    let test = rdma("x := v + 1");
    assert_eq!(shape(&test, &test.threads[0].body), "read write");
    assert_eq!(regs(&test, 0), ["$1:Int"]);
    let test = rdma("x := v");
    assert_eq!(shape(&test, &test.threads[0].body), "read write");
    let test = rdma("x := v + v");
    assert_eq!(shape(&test, &test.threads[0].body), "read write", "each location is loaded once");
    let test = rdma("y@2 := v + 1");
    assert_eq!(shape(&test, &test.threads[0].body), "read put_imm");
}

#[test]
fn several_locations_are_loaded_in_every_order() {
    let test = rdma("x := v + w");
    assert_eq!(shape(&test, &test.threads[0].body), "choose(read read|read read) write");
    let test = rdma("x := u + v * w");
    let Stmt::Choose { of, .. } = &test.threads[0].body[0] else { panic!("a choice") };
    assert_eq!(of.len(), 6);
    for (i, order) in of.iter().enumerate() {
        assert!(!of[..i].contains(order), "orders differ");
    }
}

#[test]
fn a_loop_on_a_location_loads_it_again_in_each_round() {
    let test = rdma("while x != 1 bound 2 { mfence }");
    assert_eq!(shape(&test, &test.threads[0].body), "read while(mfence read)");
    let test = rdma("if x = 1 { mfence } else if v = 2 { poll(2) } else { rfence(2) }");
    assert_eq!(shape(&test, &test.threads[0].body), "read if(mfence|read if(poll|rfence))");
}

#[test]
fn hidden_registers_are_used_again() {
    let test = rdma("x := v + 1  x := w + 1  if u = 1 { x := v + 1 }");
    assert_eq!(regs(&test, 0), ["$1:Int"]);
}

#[test]
fn the_value_of_a_cas_goes_to_a_location_by_way_of_a_register() {
    let test = rdma("v := CAS(x, w, 1)");
    assert_eq!(shape(&test, &test.threads[0].body), "read cas write");
}

#[test]
fn a_register_is_put_when_it_stands_in_brackets() {
    let test = rdma("a := x  y@2 := (a)");
    assert_eq!(shape(&test, &test.threads[0].body), "read put_imm");
    assert_eq!(regs(&test, 0), ["a:Int"]);
}

#[test]
fn arrays_are_consecutive_locations_with_room() {
    let test = rdma("mfence");
    let r: Vec<_> = test.locs[4..7].iter().map(|l| (l.name.as_str(), l.initial, l.room)).collect();
    assert_eq!(r, [("r[0]", 4, 3), ("r[1]", 5, 2), ("r[2]", 6, 1)]);
}

#[test]
fn arguments_go_by_place_then_by_name() {
    let test = mpi("int a = 5  MPI_Send(a, 1, MPI_INT, tag: 3, dest: 1)");
    let Stmt::Call { args, .. } = &test.threads[0].body[0] else { panic!("a call") };
    let named = |v: i64, n: &str| Operand::Int(IntExpr::Const(v, Some(n.into())));
    let plain = |v: i64| Operand::Int(IntExpr::Const(v, None));
    let expected = [Operand::Loc(0), plain(1), named(0, "MPI_INT"), plain(1), plain(3), named(0, "MPI_COMM_WORLD")];
    assert_eq!(args[..], expected);
}

#[test]
fn an_alias_stands_for_the_first_name_of_its_value() {
    let test = mpi("MPI_Recv(a, source: any, tag: any)");
    let Stmt::Call { args, .. } = &test.threads[0].body[0] else { panic!("a call") };
    assert_eq!(args[3], Operand::Int(IntExpr::Const(-1, Some("MPI_ANY_SOURCE".into()))));
    assert_eq!(args[4], Operand::Int(IntExpr::Const(-1, Some("MPI_ANY_TAG".into()))));
}

#[test]
fn undeclared_mpi_names_are_told_apart_by_use() {
    let test = mpi("MPI_Irecv(a, source: 1, request: r)  MPI_Test(r, f, s)  if f = 1 { b := a }  MPI_Wait(r)");
    assert_eq!(locs(&test), ["a@0=0"]);
    assert_eq!(regs(&test, 0), ["r:Request", "f:Int", "s:Status", "b:Int"]);
    let kinds: Vec<_> = test.threads[0].regs.iter().map(|r| r.kind.map(|k| MPI.kinds[k].name.as_str())).collect();
    assert_eq!(kinds, [Some("request"), Some("flag"), Some("status"), Some("register")]);
}

#[test]
fn a_literal_buffer_is_an_anonymous_location_one_a_value() {
    let test = mpi("MPI_Send(7, dest: 1)  MPI_Send(-8, dest: 1)  MPI_Send(7, dest: 1)");
    assert_eq!(locs(&test), ["$7@0=7", "$-8@0=-8"]);
}

#[test]
fn a_declared_int_takes_a_result_by_way_of_a_register() {
    let test = mpi("int f = 0  MPI_Irecv(a, source: 1, request: r)  MPI_Test(r, f)");
    assert_eq!(shape(&test, &test.threads[0].body), "MPI_Irecv MPI_Test store");
}

#[test]
fn lists_and_ignored_statuses_are_read() {
    let test = mpi("MPI_Irecv(a, source: 1, request: p)  MPI_Irecv(b, source: 1, request: q)
         MPI_Waitall([p, q], MPI_STATUSES_IGNORE)  MPI_Recv(c, source: 1, status: MPI_STATUS_IGNORE)");
    let Stmt::Call { args, .. } = &test.threads[0].body[2] else { panic!("a call") };
    assert_eq!(args[..], [Operand::List(vec![Operand::Reg(0), Operand::Reg(1)]), Operand::NoReg]);
}

#[test]
fn fields_of_records_are_read_in_expressions() {
    let test = mpi("MPI_Recv(a, source: any, status: s)  MPI_Send(1, dest: s.source)  if s.tag >= 2 { }");
    let Stmt::Call { args, .. } = &test.threads[0].body[1] else { panic!("a call") };
    assert_eq!(args[3], Operand::Int(IntExpr::Reg(0, Some("source".into()))));
}

#[test]
fn nodes_and_threads_are_ordered_by_number() {
    let test = read(
        "litmus rdma t \"t\" node 2 { y = 0 } node 1 { x = 0 } thread 7 on 2 { b := y } thread 3 on 1 { a := x }
         exists true",
    );
    let nodes: Vec<i64> = test.nodes.iter().map(|n| n.number).collect();
    let threads: Vec<(i64, usize)> = test.threads.iter().map(|t| (t.number, t.node)).collect();
    assert_eq!((nodes, threads), (vec![1, 2], vec![(3, 0), (7, 1)]));
    assert_eq!(locs(&test), ["x@1=0", "y@2=0"]);
}

#[test]
fn comments_and_separators_are_free() {
    let test = rdma("-- one\n x := 1; # two\n ;; y@2 := 2 // three\n ; mfence;");
    assert_eq!(shape(&test, &test.threads[0].body), "write put_imm mfence");
}

#[test]
fn operators_bind_as_usual() {
    let test = rdma("a := 1 + 2 * 3 - 4 < 5 and not 6 = 7 or !8");
    let Stmt::Set { expr, .. } = &test.threads[0].body[0] else { panic!("a set") };
    let IntExpr::Binary(litmpi_spec::program::BinaryOp::Or, left, _) = expr else { panic!("`or` is weakest") };
    assert!(matches!(**left, IntExpr::Binary(litmpi_spec::program::BinaryOp::And, ..)), "then `and`");
}
