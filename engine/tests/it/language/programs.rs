//! Instructions, registers, expansions, variants.

use crate::world::{World, explore, nowhere, spec, steps};
use litmpi_spec::program::{BinaryOp, IntExpr, Op, Operand};

const TEXT: &str = r#"
kind local = local
kind value = Int names ONE = 1
kind register = register Int
kind status = register Status
record Status { source: Int, flag: Int }
const step: Int = 1
variant big "larger steps" { step = 10 }
state M[x: Loc]: Int = x.initial

instruction add (x: local, v: value)
instruction load (r: register, x: local)
instruction loads (rs: [register], x: local)
instruction report (s: status)
instruction add_twice (x: local) = { add(x, ONE) add(x, 2) }
instruction move (x: local, y: local) = { load(r, x) put(y, r) } where r: register
instruction put (y: local, r: register)

rule add (t: Thread)
  on t: add(x, v)
  then M[x] := M[x] + v * step
rule load (t: Thread)
  on t: load(r, x)
  then r := M[x]
rule loads (t: Thread)
  on t: loads(rs, x)
  then for i in range(size(rs)) { rs[i] := M[x] + i }
rule put (t: Thread)
  on t: put(y, r)
  then M[y] := !r
rule report (t: Thread)
  on t: report(s)
  then s := (!s) with { flag = (!s).flag + 1 }
"#;

/// One node, `x = 5`, `y = 6`, and one thread with an empty program.
fn world() -> (World, usize, Operand, Operand) {
    let mut w = World::new(&spec(TEXT));
    let n = w.node(1);
    let (x, y) = (w.loc("x", n, 5), w.loc("y", n, 6));
    let t = w.thread(1, n);
    (w, t, x, y)
}

fn int(v: i64) -> Operand {
    Operand::Int(IntExpr::Const(v, None))
}

/// The only end of a program, as its words.
fn end(w: &World, variant: &str) -> Vec<u32> {
    let ends = explore(&w.variant(variant).unwrap_or_else(|f| panic!("{}", f.0.message)))
        .unwrap_or_else(|f| panic!("{}", f.0.message));
    assert_eq!(ends.len(), 1, "{ends:?}");
    let (how, words) = ends.into_iter().next().unwrap();
    assert_eq!(how, "done");
    words
}

#[test]
fn an_expansion_runs_its_steps_in_order() {
    let (mut w, t, x, _) = world();
    w.exec(t, "add_twice", vec![x]);
    assert_eq!(end(&w, "default"), [8, 6]);
}

#[test]
fn an_expansion_has_registers_of_its_own() {
    let (mut w, t, x, y) = world();
    w.exec(t, "move", vec![x, y]);
    assert_eq!(end(&w, "default"), [5, 5, 5]);
}

#[test]
fn a_variant_sets_constants() {
    let (mut w, t, x, _) = world();
    w.exec(t, "add", vec![x, int(2)]);
    assert_eq!(end(&w, "default"), [7, 6]);
    assert_eq!(end(&w, "big"), [25, 6]);
    let fault = w.variant("bgi").err().expect("no such variant");
    assert_eq!(fault.0.help.as_deref(), Some("did you mean `big`?"));
}

#[test]
fn a_register_that_is_left_out_is_not_written() {
    let (mut w, t, x, _) = world();
    w.exec(t, "load", vec![Operand::NoReg, x]);
    assert_eq!(end(&w, "default"), [5, 6]);
}

#[test]
fn lists_of_registers_are_sequences() {
    let (mut w, t, x, _) = world();
    let rs = vec![w.reg(t, "r", "Int"), Operand::NoReg, w.reg(t, "s", "Int")];
    w.exec(t, "loads", vec![Operand::List(rs), x]);
    assert_eq!(end(&w, "default"), [5, 7, 5, 6]);
}

#[test]
fn registers_hold_records_of_zeros_at_first() {
    let (mut w, t, _, _) = world();
    let s = w.reg(t, "s", "Status");
    w.exec(t, "report", vec![s]);
    let found = steps(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message)));
    assert_eq!(found, ["report (t = 1); 1:s: Status { source = 0, flag = 0 } → Status { source = 0, flag = 1 }"]);
}

#[test]
fn threads_interleave() {
    let (mut w, t, x, y) = world();
    let u = w.thread(2, 0);
    w.exec(t, "move", vec![x.clone(), y.clone()]);
    w.exec(u, "move", vec![y, x]);
    let ends = explore(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message)))
        .unwrap_or_else(|f| panic!("{}", f.0.message));
    let finals: Vec<&[u32]> = ends.iter().map(|(_, words)| &words[2..]).collect();
    assert_eq!(finals, [[5, 5], [6, 5], [6, 6]]);
}

#[test]
fn branches_loops_and_choices_are_silent_or_choices_of_the_program() {
    let (mut w, t, x, y) = world();
    let Operand::Reg(r) = w.reg(t, "r", "Int") else { unreachable!() };
    let less = IntExpr::Binary(BinaryOp::Lt, Box::new(IntExpr::Reg(r, None)), Box::new(IntExpr::Const(3, None)));
    let more = IntExpr::Binary(BinaryOp::Add, Box::new(IntExpr::Reg(r, None)), Box::new(IntExpr::Const(1, None)));
    w.program.threads[t].code.push(Op::Branch(less, 4, nowhere()));
    w.exec(t, "add", vec![x.clone(), int(1)]);
    w.program.threads[t].code.push(Op::Set(r, more, nowhere()));
    w.program.threads[t].code.push(Op::Jump(0));
    w.program.threads[t].code.push(Op::Choose(vec![5, 7]));
    w.exec(t, "add", vec![x, int(100)]);
    w.program.threads[t].code.push(Op::Jump(8));
    w.exec(t, "add", vec![y, int(100)]);
    let ends = explore(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message)))
        .unwrap_or_else(|f| panic!("{}", f.0.message));
    let finals: Vec<&[u32]> = ends.iter().map(|(_, words)| words.as_slice()).collect();
    assert_eq!(finals, [[3, 8, 106], [3, 108, 6]]);
}

#[test]
fn transitions_come_in_the_same_order_every_time() {
    let (mut w, t, x, y) = world();
    let u = w.thread(2, 0);
    w.exec(t, "add", vec![x.clone(), int(1)]);
    w.exec(u, "add", vec![y, int(1)]);
    let once = steps(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message)));
    assert_eq!(once, ["add (t = 1); M[x]: 5 → 6", "add (t = 2); M[y]: 6 → 7"]);
    for _ in 0..5 {
        assert_eq!(steps(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message))), once);
    }
}

#[test]
fn a_thread_that_cannot_go_on_is_a_deadlock() {
    let text = "kind value = Int\ninstruction wait (v: value)\nstate a: Int = 0\nrule wait (t: Thread)\n on t: wait(v)\n when a = v\n then a := v + 1";
    let mut w = World::new(&spec(text));
    let n = w.node(1);
    let t = w.thread(1, n);
    w.exec(t, "wait", vec![int(0)]);
    w.exec(t, "wait", vec![int(2)]);
    let ends = explore(&w.machine().unwrap_or_else(|f| panic!("{}", f.0.message)))
        .unwrap_or_else(|f| panic!("{}", f.0.message));
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), [("deadlock".to_owned(), vec![1])]);
}

#[test]
fn a_register_that_is_left_out_reads_as_zeros() {
    let (mut w, t, x, y) = world();
    // Whatever the program counters are.
    w.exec(t, "add", vec![x, int(1)]);
    w.exec(t, "put", vec![y, Operand::NoReg]);
    w.exec(t, "report", vec![Operand::NoReg]);
    assert_eq!(end(&w, "default"), [6, 0]);
}

#[test]
fn a_thread_stays_at_its_instruction_when_a_rule_runs_it_again() {
    let text = "instruction go ()\nstate a: Int = 0\n\
                rule step (t: Thread)\n  on t: go() again\n  when a < 3\n  then a := a + 1\n\
                rule done (t: Thread)\n  on t: go()\n  when a = 3\n";
    let mut w = World::new(&spec(text));
    let n = w.node(1);
    let t = w.thread(1, n);
    w.exec(t, "go", vec![]);
    assert_eq!(end(&w, "default"), [3]);
}
