//! Rules run one at a time, over memory outside of the state.

use litmpi_engine::external::{Memory, Ready};
use litmpi_engine::machine::Machine;
use litmpi_spec::heap::Word;
use litmpi_spec::load::load_shipped;
use litmpi_spec::program::{Loc, Node, Program, Thread};
use std::cell::RefCell;
use std::sync::Arc;

/// Two cells, and a log of what was done to them.
struct Cells(RefCell<([Word; 2], Vec<String>)>);

impl Memory for Cells {
    fn load(&self, var: &str, loc: usize) -> Word {
        assert_eq!(var, "M");
        let mut inside = self.0.borrow_mut();
        inside.1.push(format!("load {loc}"));
        inside.0[loc]
    }

    fn store(&self, var: &str, loc: usize, value: Word) {
        assert_eq!(var, "M");
        let mut inside = self.0.borrow_mut();
        inside.1.push(format!("store {loc} {value}"));
        inside.0[loc] = value;
    }

    fn sum(&self, _: Word, _: Word, _: Word) -> Word {
        unreachable!("a put adds nothing")
    }
}

/// A queue pair of the shipped model: location 0 on the thread's node, location 1 on the other.
fn machine() -> Machine {
    let loc = |node: usize| Loc { name: format!("x{node}"), node, initial: 7, room: 1 };
    let program = Program {
        nodes: vec![Node { number: 1 }, Node { number: 2 }],
        locs: vec![loc(0), loc(1)],
        arrays: vec![],
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
        let ready = m.ready(&state, &memory, &[]).expect("premises are evaluated");
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

/// One remote location, busy or not, whose numbers are doubled where they are added.
struct Busy(RefCell<[Word; 2]>);

impl Memory for Busy {
    fn load(&self, var: &str, loc: usize) -> Word {
        assert_eq!(loc, 1);
        self.0.borrow()[usize::from(var == "busy")]
    }

    fn store(&self, var: &str, loc: usize, value: Word) {
        assert_eq!(loc, 1);
        self.0.borrow_mut()[usize::from(var == "busy")] = value;
    }

    fn sum(&self, a: Word, b: Word, bits: Word) -> Word {
        assert_eq!(bits, 64);
        2 * (a + b)
    }
}

#[test]
fn a_rule_whose_premises_read_what_is_kept_elsewhere_is_looked_at_again_before_it_fires() {
    let m = machine();
    let memory = Busy(RefCell::new([5, 0]));
    let rfaa = m.spec().instructions.find("rfaa").expect("an instruction");
    let posted = m.ready_for((0, rfaa, &[0, 1, 4]), m.initial(), &memory).expect("premises are evaluated");
    let mut state = m.fire(&posted[0], m.initial(), &memory).expect("it fires");
    for _ in 0..2 {
        let ready = m.ready(&state, &memory, &[]).expect("premises are evaluated");
        state = m.fire(&ready[0], &state, &memory).expect("it fires");
    }
    let [execute] = m.ready(&state, &memory, &[]).expect("premises are evaluated").try_into().expect("one rule");
    memory.0.borrow_mut()[1] = 1;
    assert_eq!(m.renew(&execute, &state, &memory, &[]).expect("it is evaluated"), None, "another one has the location");
    *memory.0.borrow_mut() = [6, 0];
    let now = m.renew(&execute, &state, &memory, &[]).expect("it is evaluated").expect("it is free again");
    assert_ne!(now, execute, "another value is read");
    state = m.fire(&now, &state, &memory).expect("it fires");
    assert_eq!(*memory.0.borrow(), [6, 1]);
    let ready = m.ready(&state, &memory, &[]).expect("premises are evaluated");
    let commit = ready.iter().find(|r| m.spec().rules[r.rule].name == "rmw/commit").expect("it waits for memory");
    m.fire(commit, &state, &memory).expect("it fires");
    assert_eq!(*memory.0.borrow(), [20, 0], "the sum is the caller's");
}
