//! What stands in buffers of real programs survives every operation that combines it: the form which a test's contents have is one that
//! its operations carry, as their declarations say (`carries`).

use crate::support::{at, folder, here, litmpi_in};
use litmpi_spec::load::load_shipped;
use std::fmt::Write as _;

/// The operations that a kind names and that combine two ints: all but the null handle and those of pairs.
fn operations(kind: &str) -> Vec<String> {
    let spec = load_shipped("mpi").expect("the model");
    let kind = spec.instructions.kinds.iter().find(|k| k.name == kind).expect("a kind of operations");
    let of_ints = |name: &&String| !["MPI_OP_NULL", "MPI_MAXLOC", "MPI_MINLOC"].contains(&name.as_str());
    kind.names.iter().map(|(name, _)| name).filter(of_ints).cloned().collect()
}

/// Tests of each operation, on pairs of values that truth values and bits tell apart, run in long blocks on a library.
fn conform(target: &'static str, operations: &[String], test: impl Fn(&str, i64, i64) -> String) {
    for target in here(&[target]) {
        let mut files = vec![];
        for op in operations {
            for (a, b) in [(5, 6), (5, 0), (0, 0)] {
                let text = format!("litmus mpi {op}-{a}-{b} \"{op} of {a} and {b}\"\n{}", test(op, a, b));
                files.push((format!("{op}-{a}-{b}.litmus"), text));
            }
        }
        let given: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let dir = folder(&given);
        let out = at(&dir, "out");
        let fixed = ["run", "--target", target, "--sizes", "65536", "--time", "20", "--json", "--out", &out];
        let said = litmpi_in(dir.path(), fixed.into_iter().chain(given.iter().map(|(name, _)| *name)));
        let results = said.json();
        let results = results.as_array().expect("results");
        assert_eq!(results.len(), files.len(), "{said}");
        for r in results {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
        }
    }
}

#[test]
fn what_a_reduction_makes_of_long_blocks_is_a_value() {
    let operations = operations("op");
    assert!(operations.iter().any(|op| op == "MPI_LXOR") && operations.len() >= 10, "{operations:?}");
    conform("openmpi", &operations, |op, a, b| {
        let mut text = String::new();
        for (rank, value) in [a, b].iter().enumerate() {
            let _ = writeln!(text, "rank {rank} {{ int x = {value}  MPI_Allreduce(x, recvbuf: y, op: {op}) }}");
        }
        text + "locations 0:y; 1:y;\nexists 0:y = 0 \\/ not 0:y = 0\n"
    });
}

#[test]
fn what_an_accumulate_makes_of_long_blocks_and_what_it_brings_are_values() {
    conform("mpich", &operations("update"), |op, a, b| {
        format!(
            "rank 0 {{ int x = {a}  MPI_Win_create(z, win: w)  MPI_Win_fence(win: w)  \
             MPI_Get_accumulate(x, result_addr: g, target_rank: 1, op: {op}, win: w)  MPI_Win_fence(win: w)  MPI_Win_free(w) }}\n\
             rank 1 {{ int y = {b}  MPI_Win_create(y, win: w)  MPI_Win_fence(win: w)  MPI_Win_fence(win: w)  MPI_Win_free(w) }}\n\
             locations 0:g; 1:y;\nexists 1:y = 0 \\/ not 1:y = 0\n"
        )
    });
}
