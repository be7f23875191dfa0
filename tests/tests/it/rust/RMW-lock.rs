//! RMW-lock: what a lock taken by remote compare-and-swap guards is not lost when one queue pair guards and releases
//! Generated from litmus/rdma/RMW-lock.litmus.

use crate::litmpi::*;

extern "C" fn thread_1() {
    let x = at(0);
    let a = at(1);
    let mut t1 = 0;
    let mut c = 0;
    run(|| {
        point(6); // RMW-lock.litmus:6: a := rcswap(l@2, 0, 1)
        verbs::compare_swap(a, verbs::remote(2, 1 /* l */), 0, 1);
        point(7); // RMW-lock.litmus:7: poll(2)
        verbs::poll(2)?;
        point(8); // RMW-lock.litmus:8: if a = 0 {
        t1 = a.load();
        point(8); // RMW-lock.litmus:8
        if t1 == 0 {
            point(9); // RMW-lock.litmus:9: x := d@2
            verbs::get(x, verbs::remote(2, 0 /* d */));
            point(10); // RMW-lock.litmus:10: poll(2)
            verbs::poll(2)?;
            point(11); // RMW-lock.litmus:11: c := x
            c = x.load();
            point(12); // RMW-lock.litmus:12: x := c + 1
            x.store(c + 1);
            point(13); // RMW-lock.litmus:13: d@2 := x
            verbs::put(verbs::remote(2, 0 /* d */), x);
            point(14); // RMW-lock.litmus:14: l@2 := 0
            verbs::put_value(verbs::remote(2, 1 /* l */), 0);
        }
        Ok(())
    });
}

extern "C" fn thread_2() {
    let y = at(0);
    let b = at(1);
    let mut t1 = 0;
    let mut e = 0;
    run(|| {
        point(18); // RMW-lock.litmus:18: b := rcswap(l@2, 0, 1)
        verbs::compare_swap(b, verbs::remote(2, 1 /* l */), 0, 1);
        point(19); // RMW-lock.litmus:19: poll(2)
        verbs::poll(2)?;
        point(20); // RMW-lock.litmus:20: if b = 0 {
        t1 = b.load();
        point(20); // RMW-lock.litmus:20
        if t1 == 0 {
            point(21); // RMW-lock.litmus:21: y := d@2
            verbs::get(y, verbs::remote(2, 0 /* d */));
            point(22); // RMW-lock.litmus:22: poll(2)
            verbs::poll(2)?;
            point(23); // RMW-lock.litmus:23: e := y
            e = y.load();
            point(24); // RMW-lock.litmus:24: y := e + 1
            y.store(e + 1);
            point(25); // RMW-lock.litmus:25: d@2 := y
            verbs::put(verbs::remote(2, 0 /* d */), y);
            point(26); // RMW-lock.litmus:26: l@2 := 0
            verbs::put_value(verbs::remote(2, 1 /* l */), 0);
        }
        Ok(())
    });
}

static NODES: [Node; 3] = [
    Node::new(1, &[0, 0]),
    Node::new(2, &[0, 0]),
    Node::new(3, &[0, 0]),
];

static THREADS: [Thread; 2] = [
    Thread::new(1, 0, thread_1),
    Thread::new(2, 2, thread_2),
];

static OBSERVABLES: [Observable; 3] = [
    Observable::new(0, 1), // a
    Observable::new(2, 1), // b
    Observable::new(1, 0), // d
];

/// The test.
pub static TEST: Test = Test::new(c"RMW_lock", c"RMW-lock.litmus", &NODES, &THREADS, &OBSERVABLES, c" get poll put put_imm rcswap");
