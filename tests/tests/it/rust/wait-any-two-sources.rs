//! wait-any-two-sources: Waitany may return either of two receives from different sources
//! Generated from litmus/mpi/wait-any-two-sources.litmus.

use crate::litmpi::*;

// As the model has them; the harness knows the library's.
const MPI_ANY_TAG: i32 = -1;

extern "C" fn rank_0() {
    let a = at(0);
    let b = at(1);
    let mut r = Request::default();
    let mut q = Request::default();
    let mut i = 0;
    run(|| {
        point(3); // wait-any-two-sources.litmus:3: MPI_Irecv(a, source: 1, request: r)
        r = Request::from(peer(&Comm::world(), 1).immediate_receive_into_with_tag(StaticScope, buffer(a, 1, int()), tag(MPI_ANY_TAG)));
        ended()?;
        point(4); // wait-any-two-sources.litmus:4: MPI_Irecv(b, source: 2, request: q)
        q = Request::from(peer(&Comm::world(), 2).immediate_receive_into_with_tag(StaticScope, buffer(b, 1, int()), tag(MPI_ANY_TAG)));
        ended()?;
        point(5); // wait-any-two-sources.litmus:5: MPI_Waitany([r, q], i)
        i = wait_any(&mut [&mut r, &mut q], &mut Default::default());
        ended()?;
        point(6); // wait-any-two-sources.litmus:6: MPI_Waitall([r, q])
        wait_all(&mut [&mut r, &mut q], &mut []);
        ended()?;
        Ok(())
    });
    observe(0, i); // i
    r.leave();
    q.leave();
}

extern "C" fn rank_1() {
    let literal_1 = at(0);
    run(|| {
        point(8); // wait-any-two-sources.litmus:8: MPI_Send(1, dest: 0)
        peer(&Comm::world(), 0).send_with_tag(buffer(literal_1, 1, int()), tag(0));
        ended()?;
        Ok(())
    });
}

extern "C" fn rank_2() {
    let literal_2 = at(0);
    run(|| {
        point(9); // wait-any-two-sources.litmus:9: MPI_Send(2, dest: 0)
        peer(&Comm::world(), 0).send_with_tag(buffer(literal_2, 1, int()), tag(0));
        ended()?;
        Ok(())
    });
}

static RANKS: [Rank; 3] = [
    Rank::new(rank_0, &[0, 0], c"a b"),
    Rank::new(rank_1, &[1], c"$1"),
    Rank::new(rank_2, &[2], c"$2"),
];

static OBSERVABLES: [Observable; 3] = [
    Observable::new(0, -1), // i
    Observable::new(0, 0), // a
    Observable::new(0, 1), // b
];

/// The test.
pub static TEST: Test = Test::new(c"wait_any_two_sources", c"wait-any-two-sources.litmus", &RANKS, &OBSERVABLES, LITMPI_PLACED);
