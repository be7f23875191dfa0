//! order-causal: no order between messages of different sources
//! Generated from litmus/mpi/order-causal.litmus.

use crate::litmpi::*;

// As the model has them; the harness knows the library's.
const MPI_ANY_SOURCE: i32 = -1;
const MPI_ANY_TAG: i32 = -1;

extern "C" fn rank_0() {
    let a = at(0);
    let b = at(1);
    let mut s = Status::default();
    run(|| {
        point(4); // order-causal.litmus:4: MPI_Recv(a, source: any, status: s)
        s = Status::from(peer(&Comm::world(), MPI_ANY_SOURCE).receive_into_with_tag(buffer(a, 1, int()), tag(MPI_ANY_TAG)));
        ended()?;
        point(5); // order-causal.litmus:5: MPI_Recv(b, source: any)
        _ = Status::from(peer(&Comm::world(), MPI_ANY_SOURCE).receive_into_with_tag(buffer(b, 1, int()), tag(MPI_ANY_TAG)));
        ended()?;
        Ok(())
    });
    observe(0, s.source()); // s.source
}

extern "C" fn rank_1() {
    let c = at(0);
    let literal_1 = at(1);
    run(|| {
        point(8); // order-causal.litmus:8: MPI_Recv(c, source: 2)
        _ = Status::from(peer(&Comm::world(), 2).receive_into_with_tag(buffer(c, 1, int()), tag(MPI_ANY_TAG)));
        ended()?;
        point(9); // order-causal.litmus:9: MPI_Send(1, dest: 0)
        peer(&Comm::world(), 0).send_with_tag(buffer(literal_1, 1, int()), tag(0));
        ended()?;
        Ok(())
    });
}

extern "C" fn rank_2() {
    let literal_7 = at(0);
    let literal_8 = at(1);
    run(|| {
        point(12); // order-causal.litmus:12: MPI_Send(7, dest: 0)
        peer(&Comm::world(), 0).send_with_tag(buffer(literal_7, 1, int()), tag(0));
        ended()?;
        point(13); // order-causal.litmus:13: MPI_Send(8, dest: 1)
        peer(&Comm::world(), 1).send_with_tag(buffer(literal_8, 1, int()), tag(0));
        ended()?;
        Ok(())
    });
}

static RANKS: [Rank; 3] = [
    Rank::new(rank_0, &[0, 0], c"a b"),
    Rank::new(rank_1, &[0, 1], c"c $1"),
    Rank::new(rank_2, &[7, 8], c"$7 $8"),
];

static OBSERVABLES: [Observable; 1] = [
    Observable::new(0, -1), // s.source
];

/// The test.
pub static TEST: Test = Test::new(c"order_causal", c"order-causal.litmus", &RANKS, &OBSERVABLES, LITMPI_PLACED);
