//! Rules run one at a time, over memory outside of the state.

use litmpi_spec::external::{Memory, Ready};
use litmpi_spec::heap::Word;
use litmpi_spec::load::load_shipped;
use litmpi_spec::machine::Machine;
use litmpi_spec::program::{Loc, Node, Program, Thread};
use std::cell::RefCell;
use std::sync::Arc;

/// Two cells, and a log of what was done to them.
struct Cells(RefCell<([Word; 2], Vec<String>)>);

impl Memory for Cells {
    fn load(&self, loc: usize) -> Word {
        let mut inside = self.0.borrow_mut();
        inside.1.push(format!("load {loc}"));
        inside.0[loc]
    }

    fn store(&self, loc: usize, value: Word) {
        let mut inside = self.0.borrow_mut();
        inside.1.push(format!("store {loc} {value}"));
        inside.0[loc] = value;
    }
}

/// A queue pair of the shipped model: location 0 on the thread's node, location 1 on the other.
fn machine() -> Machine {
    let loc = |node: usize| Loc { name: format!("x{node}"), node, initial: 7, room: 1 };
    let program = Program {
        nodes: vec![Node { number: 1 }, Node { number: 2 }],
        locs: vec![loc(0), loc(1)],
        threads: vec![Thread { number: 1, node: 0, regs: vec![], code: vec![] }],
    };
    Machine::new(Arc::new(load_shipped("rdma-tso").expect("a shipped model")), &program, "default").expect("it loads")
}

#[test]
fn a_put_goes_its_way_rule_by_rule_and_touches_memory_where_the_rules_do() {
    let m = machine();
    let memory = Cells(RefCell::new(([3, 0], vec![])));
    let instr = |name: &str| m.spec().instructions.find(name).expect("an instruction");
    let put = m.ready_for((0, instr("put"), &[1, 0]), m.initial(), &memory).expect("premises are evaluated");
    assert_eq!(put.len(), 1);
    let mut state = m.fire(&put[0], m.initial(), &memory).expect("it fires");
    let mut way = vec![];
    let name = |r: &Ready| m.spec().rules[r.rule].name.clone();
    loop {
        let ready = m.ready(&state, &memory).expect("premises are evaluated");
        let Some(first) = ready.iter().min_by_key(|r| name(r)) else { break };
        way.push(name(first));
        state = m.fire(first, &state, &memory).expect("it fires");
        if way.len() == 2 {
            // The value was fetched: what the processor writes now is too late.
            memory.0.borrow_mut().0[0] = 4;
        }
    }
    let expected = ["debuffer/remote", "put/fetch", "put/place", "put/commit", "put/respond", "put/acknowledge"];
    assert_eq!(way, expected);
    assert_eq!(memory.0.borrow().1, ["load 0", "store 1 3"]);
    let poll = m.ready_for((0, instr("poll"), &[1]), &state, &memory).expect("premises are evaluated");
    assert_eq!(m.fire(&poll[0], &state, &memory).expect("it fires"), m.initial(), "nothing is left");
}
