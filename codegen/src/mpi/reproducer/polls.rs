//! Calls that wait, as the harness's relaxed style makes them: by calls that test.

/// Calls that wait, and functions of [`super::PIECES`] that do the same by calls that test.
const POLLED: [(&str, &str); 8] = [
    ("MPI_Wait", "my_wait"),
    ("MPI_Waitall", "my_waitall"),
    ("MPI_Waitany", "my_waitany"),
    ("MPI_Waitsome", "my_waitsome"),
    ("MPI_Probe", "my_probe"),
    ("MPI_Mprobe", "my_mprobe"),
    ("MPI_Recv", "my_recv"),
    ("MPI_Sendrecv", "my_sendrecv"),
];

/// Calls that end in the communicator, whose nonblocking forms have a request behind it.
const BLOCKING: [&str; 26] = [
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Bsend",
    "MPI_Rsend",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Reduce_scatter_block",
    "MPI_Reduce_scatter",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
];

/// Whether the harness makes calls of this function of calls that test, in relaxed style.
pub fn is_polled(name: &str) -> bool {
    BLOCKING.contains(&name) || POLLED.iter().any(|(waits, _)| *waits == name)
}

/// The body of a program with calls that test in the place of those that wait.
pub(super) fn polling(bodies: &str) -> String {
    let all = POLLED.iter().map(|(waits, polls)| (*waits, format!("{polls}(")));
    let all = all.chain(BLOCKING.iter().map(|waits| (*waits, format!("my_poll({}, ", nonblocking(waits)))));
    all.fold(bodies.to_owned(), |text, (waits, polls)| {
        ["(", "= "]
            .iter()
            .fold(text, |text, before| text.replace(&format!("{before}{waits}("), &format!("{before}{polls}")))
    })
}

/// `MPI_Ibcast` of `MPI_Bcast`.
fn nonblocking(call: &str) -> String {
    let name = call.trim_start_matches("MPI_");
    format!("MPI_I{}", name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The calls that the harness makes of others in relaxed style.
    #[test]
    fn they_are_those_of_the_relaxed_style() {
        let (relaxed, collectives) = (include_str!("../../../c/relaxed.c"), include_str!("../../../c/collectives.c"));
        let blocking = |text: &str, name: &str| -> BTreeSet<String> {
            let lines = text.lines().filter_map(|l| l.strip_prefix(name));
            lines.filter_map(|l| l.split_once(',')).map(|(call, _)| format!("MPI_{call}")).collect()
        };
        let mut all = blocking(relaxed, "SEND(");
        all.extend(blocking(collectives, "COLLECTIVE("));
        assert_eq!(all, BLOCKING.iter().map(|c| (*c).to_owned()).collect());
        for (waits, _) in POLLED {
            let name = waits.trim_start_matches("MPI_").to_lowercase();
            assert!(relaxed.contains(&format!("int litmpi_{name}(")), "{waits}");
        }
        // Both forms stand there, and this is the name of the other one.
        for call in BLOCKING {
            let names = format!("({}, {},", &call[4..], &nonblocking(call)[4..]);
            let sends = format!("({}, {})", &call[4..], &nonblocking(call)[4..]);
            assert!(collectives.contains(&names) || relaxed.contains(&sends), "{names}");
        }
    }

    #[test]
    fn waiting_becomes_testing() {
        let of = "    TRY(MPI_Bcast(x, N, MPI_INT, 0, comm));\n    int i = MPI_Waitall(2, q, s);\n    TRY(MPI_Ibcast(x, q));\n";
        let becomes = "    TRY(my_poll(MPI_Ibcast, x, N, MPI_INT, 0, comm));\n    int i = my_waitall(2, q, s);\n    TRY(MPI_Ibcast(x, q));\n";
        assert_eq!(polling(of), becomes);
    }
}
