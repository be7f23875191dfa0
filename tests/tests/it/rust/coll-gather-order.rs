//! coll-gather-order: a gather puts the values in the order of the ranks
//! Generated from litmus/mpi/coll-gather-order.litmus.

use crate::litmpi::*;

extern "C" fn rank_0() {
    let y = at(0);
    let literal_5 = at(1);
    run(|| {
        point(3); // coll-gather-order.litmus:3: MPI_Gather(5, recvbuf: y, root: 2)
        gather(&Comm::world(), &peer(&Comm::world(), 2), buffer(literal_5, 1, int()), buffer(y, 1, int()));
        ended()?;
        Ok(())
    });
}

extern "C" fn rank_1() {
    let z = at(0);
    let literal_6 = at(1);
    run(|| {
        point(4); // coll-gather-order.litmus:4: MPI_Gather(6, recvbuf: z, root: 2)
        gather(&Comm::world(), &peer(&Comm::world(), 2), buffer(literal_6, 1, int()), buffer(z, 1, int()));
        ended()?;
        Ok(())
    });
}

extern "C" fn rank_2() {
    let v = at(0);
    let literal_7 = at(3);
    run(|| {
        point(7); // coll-gather-order.litmus:7: MPI_Gather(7, recvbuf: v, root: 2)
        gather(&Comm::world(), &peer(&Comm::world(), 2), buffer(literal_7, 1, int()), buffer(v, 1, int()));
        ended()?;
        Ok(())
    });
}

static RANKS: [Rank; 3] = [
    Rank::new(rank_0, &[0, 5], c"y $5"),
    Rank::new(rank_1, &[0, 6], c"z $6"),
    Rank::new(rank_2, &[0, 0, 0, 7], c"v[0] v[1] v[2] $7"),
];

static OBSERVABLES: [Observable; 3] = [
    Observable::new(2, 0), // v[0]
    Observable::new(2, 1), // v[1]
    Observable::new(2, 2), // v[2]
];

/// The test.
pub static TEST: Test = Test::new(c"coll_gather_order", c"coll-gather-order.litmus", &RANKS, &OBSERVABLES, LITMPI_PLACED);
