//! datagram-oldest-receive: of two receives that wait a datagram takes the older one
//! Generated from litmus/verbs/datagram-oldest-receive.litmus.

use crate::litmpi::*;

extern "C" fn thread_1() {
    let x = at(0);
    let y = at(1);
    let z = at(2);
    let mut v__r = 0;
    run(|| {
        point(4); // datagram-oldest-receive.litmus:4: ud_post_recv(y)
        datagrams::post_recv(y, 1, 0);
        point(5); // datagram-oldest-receive.litmus:5: ud_post_recv(z)
        datagrams::post_recv(z, 1, 0);
        point(6); // datagram-oldest-receive.litmus:6: ud_send(1, x)
        datagrams::send(1, x, messages::NO_IMMEDIATE, 1);
        point(7); // datagram-oldest-receive.litmus:7: ud_poll(_r)
        datagrams::poll(Some(&mut v__r))?;
        Ok(())
    });
}

static NODES: [Node; 1] = [
    Node::new(1, &[1, 0, 0]),
];

static THREADS: [Thread; 1] = [
    Thread::new(1, 0, thread_1),
];

static OBSERVABLES: [Observable; 2] = [
    Observable::new(0, 1), // y
    Observable::new(0, 2), // z
];

/// The test.
pub static TEST: Test = Test::new(c"datagram_oldest_receive", c"datagram-oldest-receive.litmus", &NODES, &THREADS, &OBSERVABLES, c" ud_poll ud_post_recv ud_send");
