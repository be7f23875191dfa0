//! Runs on real libraries, where they are installed.

use crate::command::root;
use crate::support::{at, folder, here, litmpi_in};

const SIZES: [&str; 4] = ["--sizes", "8,64K", "--time", "60"];

#[test]
fn real_libraries_conform_and_results_carry_what_they_are_about() {
    for target in here(&["openmpi", "mpich"]) {
        let dir = folder(&[]);
        let out = at(&dir, "out");
        let said = litmpi_in(
            &root(),
            [
                "run",
                "litmus/mpi/order-same-tag.litmus",
                "litmus/mpi/coll-allreduce-sum.litmus",
                "--target",
                target,
                "--json",
            ]
            .into_iter()
            .chain(SIZES)
            .chain(["--out", &out]),
        );
        let json = said.exits(0).json();
        let results = json.as_array().expect("an array");
        assert_eq!(results.len(), 4, "two tests at two sizes\n{said}");
        for r in results {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert!(r["iterations"].as_u64().is_some_and(|n| n > 0), "{r:#}");
            assert_eq!(r["labels"]["model"], "mpi");
            assert!(r["labels"]["model-hash"].is_string() && r["library"].is_string() && r["seed"].is_u64());
        }
    }
}

#[test]
fn deadlocks_are_seen_cost_only_themselves_and_leave_no_process() {
    for target in here(&["openmpi", "mpich"]) {
        let dir = folder(&[]);
        let out = at(&dir, "out");
        for progress in ["auto", "blocking"] {
            let said = litmpi_in(
                &root(),
                [
                    "run",
                    "litmus/mpi/deadlock-ssend-ssend.litmus",
                    "litmus/mpi/order-same-tag.litmus",
                    "--target",
                    target,
                    "--sizes",
                    "8",
                    "--time",
                    "60",
                    "--progress",
                    progress,
                    "--json",
                    "--out",
                    &out,
                ],
            );
            let json = said.exits(0).json();
            assert_eq!(json[0]["observed"][0]["outcome"], "deadlock", "{said}");
            assert_eq!(json[1]["verdict"], "conforms", "{said}");
            assert_eq!(said.orphans(), Vec::<i32>::new(), "{said}");
        }
    }
}
