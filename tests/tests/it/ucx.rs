//! UCX and whole MPI libraries on the emulated NIC, as the distribution has them.

use crate::command::root;
use crate::nic::{programs_are_here, served};
use crate::support::{Said, at, folder, litmpi_in};
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
fn ibv_ud_pingpong_of_the_distribution_sends_datagrams_and_nothing_else() {
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

/// Whether `litmpi` can run a target; if not, why not.
fn is_here(target: &str) -> bool {
    let said = litmpi_in(&root(), ["targets", "--json"]);
    let all = said.exits(0).json();
    let of = all.as_array().and_then(|all| all.iter().find(|t| t["target"]["name"] == target));
    let of = of.unwrap_or_else(|| panic!("no target {target}\n{said}"));
    let here = !of["availability"]["here"].is_null();
    if !here {
        println!("skipped on {target}: {}", of["availability"]);
    }
    here
}

/// Runs MPI tests over the NIC with this library and protocol; the results, which all conform. There are as many iterations on a busy machine
/// as on a quiet one: what a library does only after some messages is to come in each.
fn run(target: &str, tests: &[&str], size: &str) -> Vec<Value> {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let files = tests.iter().map(|t| format!("litmus/mpi/{t}.litmus"));
    let bounds = ["--iterations", "40", "--time", "20000"];
    let rest = ["--target", target, "--sizes", size, "--json", "--out", &out];
    let rest = rest.into_iter().chain(bounds).map(str::to_owned);
    let said = litmpi_in(&root(), ["run".to_owned()].into_iter().chain(files).chain(rest));
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    let all: Vec<Value> = serde_json::from_str(&said.stdout).unwrap_or_else(|e| panic!("{e}\n{said}"));
    let other = all.iter().find(|r| r["verdict"] != "conforms" || r["iterations"].as_u64() == Some(0));
    assert!(other.is_none(), "{:#}", other.unwrap_or(&Value::Null));
    said.exits(0);
    assert_eq!(all.len(), tests.len());
    all
}

/// Tests of messages, collectives and windows: on an option of a target, at a size. Every iteration takes more than one of these operations
/// of the NIC, as nothing else carries messages; reads and writes of the other kinds are few.
fn over_the_nic(target: &str, by_operation: &[(&str, &str, &str)]) {
    if !is_here(target) {
        return;
    }
    for (option, size, operation) in by_operation {
        let all =
            run(&format!("{target}:{option}"), &["order-causal", "eager-self-isend", "coll-allreduce-in-place"], size);
        let iterations: u64 = all.iter().filter_map(|r| r["iterations"].as_u64()).sum();
        let counted = |operation: &str| all[0]["counters"][format!("nic/{operation}")].as_u64().unwrap_or(0);
        for other in ["sends", "reads", "writes"] {
            let many = counted(other) > iterations;
            assert!(many || other != *operation, "{option}, {iterations} iterations: {:#}", all[0]);
            // Where the machine is busy there are few iterations, and what sets the connections up is no longer little beside them.
            let few = !many || 2 * counted(other) < counted(operation);
            assert!(few || other == *operation || other == "sends", "{option}, {iterations} iterations: {:#}", all[0]);
        }
        // A fence of Open MPI takes an acknowledged put for one that is there, which holds where nothing is held back (docs/nic-mpi.md).
        run(&format!("{target}:{option}:calm"), &["rma-fence-put"], size);
    }
}

#[test]
fn mpi_tests_conform_on_open_mpi_over_the_nic_eagerly_and_where_the_receiver_reads() {
    over_the_nic("nic/openmpi", &[("eager", "8", "sends"), ("get", "64K", "reads")]);
}

#[test]
fn mpi_tests_conform_on_mpich_over_the_nic_where_the_sender_writes() {
    over_the_nic("nic/mpich", &[("put", "64K", "writes")]);
}

#[test]
fn mpi_tests_conform_on_open_mpis_own_verbs_over_the_nic_by_rings_that_are_written_into() {
    over_the_nic("nic/openmpi-verbs", &[("ring", "8", "writes")]);
}
