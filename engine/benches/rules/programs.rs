//! Programs by hand: with several threads, operations and buffers, so that states have many transitions.

use litmpi_engine::machine::Machine;
use litmpi_spec::load::load_shipped;
use litmpi_spec::program::{IntExpr, Loc, Node, Op, Operand, Program, Reg, Thread};
use litmpi_spec::source::{Source, Span};
use std::sync::Arc;

/// The benchmark's programs.
pub(crate) fn all() -> Vec<(&'static str, Machine)> {
    vec![("rdma-tso-simplified", rdma()), ("mpi", mpi())]
}

fn int(v: i64) -> Operand {
    Operand::Int(IntExpr::Const(v, None))
}

/// Nodes with these numbers, each with a thread and these locations.
fn network(numbers: [i64; 2], names: &[&str]) -> Program {
    let mut p = Program::default();
    for (i, number) in numbers.into_iter().enumerate() {
        p.nodes.push(Node { number });
        p.threads.push(Thread { number, node: i, regs: vec![], code: vec![] });
        for name in names {
            p.locs.push(Loc { name: (*name).to_owned(), node: i, initial: 0, room: 1 });
        }
    }
    p
}

fn machine(model: &str, mut p: Program, code: [Vec<(&str, Vec<Operand>)>; 2]) -> Machine {
    let spec = load_shipped(model).expect("shipped models load");
    let span = Span::new(&Source::new("program", "program"), 0, 0);
    for (thread, code) in p.threads.iter_mut().zip(code) {
        for (name, args) in code {
            let instr = spec.instructions.find(name).expect("a declared instruction");
            thread.code.push(Op::Exec { instr, args, stored: vec![], span: span.clone() });
        }
    }
    Machine::new(Arc::new(spec), &p, "default").unwrap_or_else(|f| panic!("{}", f.0.message))
}

/// Each thread puts twice, gets, writes, polls and reads.
fn rdma() -> Machine {
    use Operand::{Loc, Node, Reg as R};
    let mut p = network([1, 2], &["x", "y", "z"]);
    for t in &mut p.threads {
        t.regs.push(Reg { name: "r".into(), ty: "Int".into(), kind: None });
    }
    let code = |me: usize, other: usize| {
        vec![
            ("write", vec![Loc(me), int(1)]),
            ("put", vec![Loc(other), Loc(me)]),
            ("put", vec![Loc(other + 1), Loc(me + 1)]),
            ("get", vec![Loc(me + 2), Loc(other + 1)]),
            ("write", vec![Loc(me), int(2)]),
            ("poll", vec![Node(usize::from(me == 0))]),
            ("read", vec![R(0), Loc(me + 2)]),
        ]
    };
    machine("rdma-tso-simplified", p, [code(0, 3), code(3, 0)])
}

/// Each process starts receives and sends of two tags, waits for them, and reduces.
fn mpi() -> Machine {
    use Operand::{Loc, NoReg, Reg as R};
    let spec = load_shipped("mpi").expect("shipped models load");
    let named = |kind: &str, name: &str| {
        let kind = spec.instructions.kinds.iter().find(|k| k.name == kind).expect("a declared kind");
        int(kind.value_of(name).expect("a declared constant"))
    };
    let mut p = network([0, 1], &["a", "b", "c", "d"]);
    for t in &mut p.threads {
        for name in ["r1", "r2", "r3", "r4"] {
            t.regs.push(Reg { name: name.into(), ty: "Request".into(), kind: None });
        }
    }
    let code = |me: usize, other: i64| {
        let (any, comm, datatype) = (int(-1), named("comm", "MPI_COMM_WORLD"), named("datatype", "MPI_INT"));
        let start = |name, buf, peer: i64, tag: i64, r| {
            (name, vec![Loc(me + buf), int(1), datatype.clone(), int(peer), int(tag), comm.clone(), R(r)])
        };
        vec![
            start("MPI_Irecv", 0, -1, -1, 0),
            start("MPI_Irecv", 1, other, 7, 1),
            start("MPI_Isend", 2, other, 7, 2),
            start("MPI_Isend", 2, other, 7, 3),
            ("MPI_Waitall", vec![Operand::List(vec![R(0), R(1), R(2), R(3)]), NoReg]),
            (
                "MPI_Allreduce",
                vec![Loc(me), Loc(me + 3), int(1), datatype.clone(), named("op", "MPI_SUM"), comm.clone()],
            ),
            ("MPI_Iprobe", vec![any.clone(), any.clone(), comm.clone(), NoReg, NoReg]),
        ]
    };
    // The first thread is on the second node, so that nobody takes one's number for the other's.
    p.threads.reverse();
    machine("mpi", p, [code(4, 0), code(0, 1)])
}
