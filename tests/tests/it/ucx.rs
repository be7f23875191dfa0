//! UCX and whole MPI libraries on the emulated NIC, as the distribution has them.

use crate::command::root;
use crate::nic::{nic_is_here, programs_are_here, served};
use crate::support::{Said, at, folder, here, litmpi_in};
use serde_json::Value;

#[test]
fn ucx_finds_the_nic_with_connections_datagrams_and_atomic_operations() {
    if !programs_are_here(&["ucx_info"]) {
        return;
    }
    let said = served("ucx_info -d");
    said.exits(0);
    let of = |transport: &str| {
        let from = format!("Transport: {transport}");
        let rest = said.stdout.split(&from).nth(1).unwrap_or_else(|| panic!("no {transport}\n{said}"));
        rest.split("Transport: ").next().unwrap_or_default().to_owned()
    };
    let (connected, datagrams) = (of("rc_verbs"), of("ud_verbs"));
    for words in ["Device: litmpi0:1", "get_zcopy", "atomic_cswap: 64 bit", "connection: to ep"] {
        assert!(connected.contains(words), "no {words}\n{connected}");
    }
    assert!(datagrams.contains("Device: litmpi0:1") && datagrams.contains("to iface"), "{datagrams}");
    // Every way to the device can be opened, and none is that of other hardware.
    assert!(!said.stdout.contains("failed to open interface") && !said.stdout.contains("_mlx5"), "{said}");
}

/// A program of two sides on the NIC, which waits as MPI's targets do.
fn pair(one: &str) -> Said {
    let script = format!("{one} & sleep 1; {one} localhost && wait $!");
    let said = litmpi_in(&root(), ["nic", "--pause", "20", "--rules", "--counters", "--", "sh", "-c", &script]);
    println!("{said}");
    said
}

/// How many operations of a kind the NIC has counted; it says so once a second.
fn counted(said: &Said, operation: &str) -> u64 {
    let of_line = |line: &str| line.strip_prefix(&format!("litmpi counter nic/{operation} "))?.parse::<u64>().ok();
    said.stdout.lines().filter_map(of_line).sum()
}

#[test]
fn ibv_ud_pingpong_of_the_distribution_needs_no_rule() {
    if programs_are_here(&["ibv_ud_pingpong"]) {
        let said = pair("ibv_ud_pingpong -c -n 50 -p 18631");
        said.exits(0).says("50 iters in");
        assert_eq!(counted(&said, "datagrams"), 100, "{said}");
        assert!(!said.stderr.contains("put/"), "{said}");
    }
}

#[test]
fn ucx_perftest_sends_writes_reads_and_adds_by_the_rules() {
    if !programs_are_here(&["ucx_perftest"]) {
        return;
    }
    let tests = [
        ("-t am_lat -D short", "sends", "put/fetch-immediate"),
        ("-t put_bw -D zcopy -s 10000", "writes", "put/fetch"),
        ("-t get -D bcopy -s 500", "reads", "get/commit"),
        ("-t cswap", "compare-and-swaps", "rmw/execute"),
    ];
    for (port, (arguments, operation, rule)) in (18632..).zip(tests) {
        let said = pair(&format!("ucx_perftest -p {port} -d litmpi0:1 -x rc_verbs -n 20 -w 2 {arguments}"));
        said.exits(0).says("Final:").says(&format!("counter nic/{operation} ")).says(rule);
    }
    // Whole UCX: it finds the other side by datagrams, then goes over to a connection.
    let tagged = "env UCX_TLS=rc,self UCX_NET_DEVICES=litmpi0:1 ucx_perftest -p 18640 -n 20 -w 2 -t tag_lat";
    pair(tagged).exits(0).says("Final:").says("counter nic/datagrams ").says("counter nic/sends ").says("put/commit");
}

/// Runs MPI tests over the NIC with this library and protocol; the results.
fn run(target: &str, tests: &[&str], size: &str) -> Vec<Value> {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let files = tests.iter().map(|t| format!("litmus/mpi/{t}.litmus"));
    let rest = ["--target", target, "--sizes", size, "--time", "50", "--json", "--out", &out].map(str::to_owned);
    let said = litmpi_in(&root(), ["run".to_owned()].into_iter().chain(files).chain(rest));
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said.exits(0).json().as_array().unwrap_or_else(|| panic!("{said}")).clone()
}

/// Tests of messages, collectives and windows, by the eager protocol and by a rendezvous.
fn over_the_nic(library: &'static str, rendezvous: &str) {
    if !nic_is_here() || here(&[library]).is_empty() {
        return;
    }
    let tests = ["order-causal", "order-tag-selection", "rma-fence-put", "coll-allreduce-in-place"];
    let reads = |r: &Value| r["counters"]["nic/reads"].as_u64().unwrap_or(0);
    let writes = |r: &Value| r["counters"]["nic/writes"].as_u64().unwrap_or(0);
    for (option, size) in [("eager", "8"), (rendezvous, "64K")] {
        let all = run(&format!("nic/{library}:{option}"), &tests, size);
        assert_eq!(all.len(), tests.len());
        let iterations: u64 = all.iter().filter_map(|r| r["iterations"].as_u64()).sum();
        for r in &all {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert!(r["iterations"].as_u64() > Some(0), "{r:#}");
            // Every iteration has at least one message, and nothing else carries it.
            assert!(r["counters"]["nic/sends"].as_u64() > Some(iterations), "{r:#}");
        }
        match option {
            "get" => assert!(reads(&all[0]) > iterations, "{:#}", all[0]),
            "put" => assert!(writes(&all[0]) > iterations, "{:#}", all[0]),
            _ => assert!(reads(&all[0]) < iterations, "{:#}", all[0]),
        }
    }
}

#[test]
fn mpi_tests_conform_on_open_mpi_over_the_nic_eagerly_and_where_the_receiver_reads() {
    over_the_nic("openmpi", "get");
}

#[test]
fn mpi_tests_conform_on_mpich_over_the_nic_eagerly_and_where_the_sender_writes() {
    over_the_nic("mpich", "put");
}
