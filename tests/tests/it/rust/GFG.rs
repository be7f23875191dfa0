//! GFG: a get may fetch while the write of the get before a remote fence is still pending
//! Generated from litmus/rdma/GFG.litmus.

use crate::litmpi::*;

extern "C" fn thread_1() {
    let x = at(0);
    let y = at(1);
    let mut a = 0;
    let mut b = 0;
    let mut c = 0;
    run(|| {
        point(5); // GFG.litmus:5: x := z@2
        verbs::get(x, verbs::remote(2, 1 /* z */));
        point(6); // GFG.litmus:6: rfence(2)
        verbs::rfence(2);
        point(7); // GFG.litmus:7: y := w@2
        verbs::get(y, verbs::remote(2, 0 /* w */));
        point(8); // GFG.litmus:8: a := x
        a = x.load();
        point(9); // GFG.litmus:9: b := x
        b = x.load();
        point(10); // GFG.litmus:10: c := y
        c = y.load();
        Ok(())
    });
    observe(0, a); // a
    observe(1, b); // b
    observe(2, c); // c
}

extern "C" fn thread_2() {
    let w = at(0);
    run(|| {
        point(13); // GFG.litmus:13: w := 1
        w.store(1);
        point(14); // GFG.litmus:14: w := 2
        w.store(2);
        point(15); // GFG.litmus:15: x@1 := 3
        verbs::put_value(verbs::remote(1, 0 /* x */), 3);
        Ok(())
    });
}

static NODES: [Node; 2] = [
    Node::new(1, &[0, 0]),
    Node::new(2, &[0, 0]),
];

static THREADS: [Thread; 2] = [
    Thread::new(1, 0, thread_1),
    Thread::new(2, 1, thread_2),
];

static OBSERVABLES: [Observable; 3] = [
    Observable::new(0, -1), // a
    Observable::new(0, -1), // b
    Observable::new(0, -1), // c
];

/// The test.
pub static TEST: Test = Test::new(c"GFG", c"GFG.litmus", &NODES, &THREADS, &OBSERVABLES, c" get put_imm rfence");
