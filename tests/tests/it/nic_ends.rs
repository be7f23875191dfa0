//! The emulated NIC where something comes to an end: peers that are killed, the device itself, room in memory; and functions that it does not
//! have.

use crate::command::{binary, root};
use crate::nic::{nic_is_here, programs_are_here, served};
use crate::nic_device::{built, is_done};
use crate::support::{Said, at, folder, litmpi_in, litmpi_with};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn no_function_that_a_program_reaches_is_null_and_what_is_not_there_says_so() {
    if !nic_is_here() {
        return;
    }
    let dir = folder(&[]);
    let said = litmpi_in(&root(), ["nic", "--", &built(&dir, "refused")]);
    assert_eq!(said.exits(0).stdout, "0 wrong\n", "{said}");
}

/// Ranks of an MPI library over UCX and the NIC, of which one is killed; how its launcher is started.
fn one_of(library: &str, launch: &[&str]) -> Option<Said> {
    let dir = folder(&[]);
    let program = at(&dir, "gone");
    if !nic_is_here() || !is_done(&format!("mpicc.{library} -o {program} nic/suite/gone.c")) {
        return None;
    }
    let environment = [
        ("UCX_TLS", "rc,self"),
        ("UCX_NET_DEVICES", "litmpi0:1"),
        ("MPIR_CVAR_NOLOCAL", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ];
    let nic = ["nic", "--scheduler", "prompt", "--pause", "20", "--", "timeout", "100"];
    let said = litmpi_with(&environment, &root(), nic.iter().chain(launch).copied().chain([program.as_str()]));
    println!("{said}");
    assert!(!said.stdout.contains("has sent all") && said.code != Some(124), "{said}");
    Some(said)
}

const OPEN_MPI: [&str; 18] = [
    "mpirun.openmpi",
    "-n",
    "2",
    "--oversubscribe",
    "--bind-to",
    "none",
    "--mca",
    "pml",
    "ucx",
    "--mca",
    "btl",
    "self",
    "--mca",
    "pml_ucx_tls",
    "any",
    "--mca",
    "pml_ucx_devices",
    "any",
];

/// The launcher ends the others; where it is told not to, the device tells the library that nobody answers, and that ends its process.
#[test]
fn an_mpi_library_whose_peer_is_killed_says_so_and_ends() {
    if let Some(said) = one_of("openmpi", &OPEN_MPI) {
        said.exits(137).says("exited on signal 9");
    }
    if let Some(said) = one_of("openmpi", &[&OPEN_MPI[..], &["--enable-recovery"]].concat()) {
        said.says("transport retry counter exceeded");
    }
    if let Some(said) = one_of("mpich", &["mpirun.mpich", "-n", "2"]) {
        said.exits(9).says("Killed (signal 9)");
    }
}

#[test]
fn a_program_of_ucx_whose_peer_is_killed_says_so_and_ends() {
    if !programs_are_here(&["ucx_perftest"]) {
        return;
    }
    let script = "export UCX_TLS=rc UCX_NET_DEVICES=litmpi0:1; ucx_perftest -t tag_bw -n 100000000 > /dev/null & server=$!; sleep 2; \
                  timeout 60 ucx_perftest -t tag_bw -n 100000000 localhost & client=$!; sleep 3; kill -9 $server; wait $client; echo ended by $?";
    let said = litmpi_in(&root(), ["nic", "--scheduler", "prompt", "--pause", "20", "--", "sh", "-c", script]);
    said.exits(0).says("transport retry counter exceeded").says("ended by 134");
}

/// Folders in memory that a process has made.
fn folders_of(pid: u32) -> usize {
    let name = format!("litmpi-{pid}-");
    let all = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    all.filter(|e| e.file_name().to_string_lossy().starts_with(&name)).count()
}

/// One program asks again and again, another sleeps until it is told of something.
#[test]
fn a_device_that_is_killed_leaves_no_program_and_no_memory() {
    if !programs_are_here(&["ibv_rc_pingpong"]) {
        return;
    }
    let script = "ibv_rc_pingpong -p 18611 & ibv_rc_pingpong -e -p 18612 & ibv_rc_pingpong -n 100000000 -p 18613 & sleep 1; echo on; \
                  exec ibv_rc_pingpong -n 100000000 -p 18613 localhost";
    let words = ["nic", "--", "sh", "-c", script];
    let mut nic =
        Command::new(binary()).args(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("litmpi starts");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(folders_of(nic.id()), 1);
    nic.kill().expect("it is killed");
    let pid = nic.id();
    // The pipe is open until everybody who had it has ended.
    let done = nic.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        said.contains("litmpi nic has ended before its programs: 4 of them could not go on and were killed"),
        "{said}"
    );
    let begun = Instant::now();
    while folders_of(pid) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "its memory is left");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn where_memory_is_full_the_device_or_the_program_says_so() {
    if !programs_are_here(&["ibv_devinfo"]) || !is_done("unshare -m mount -t tmpfs -o size=64k none /dev/shm") {
        return;
    }
    let with = |size: &str, program: &str| {
        let script = format!("mount -t tmpfs -o {size} none /dev/shm && exec {} nic -- {program}", binary().display());
        let done = Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .current_dir(root())
            .output()
            .expect("unshare starts");
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout),
        )
    };
    let (code, said) = with("size=64k", "ibv_devinfo");
    assert!(code == Some(2) && said.contains("/dev/shm has room for 0 MiB"), "{code:?} {said}");
    // There is room for the device, and then for no queue of the program's.
    let fill = "sh -c 'head -c 15000000 /dev/zero > /dev/shm/full; timeout 20 ibv_rc_pingpong'";
    let (code, said) = with("size=17m", fill);
    assert!(code == Some(1) && (said.contains("Couldn't") || said.contains("Failed")), "{code:?} {said}");
}

/// Each `litmpi nic` is a device of its own, and has many programs.
#[test]
fn several_devices_with_several_programs_each_do_not_meet() {
    if !programs_are_here(&["ibv_rc_pingpong"]) {
        return;
    }
    let ports = |from: u32| (from..from + 3).map(|p| p.to_string()).collect::<Vec<_>>().join(" ");
    let script = |from: u32| {
        format!(
            "for p in {0}; do ibv_rc_pingpong -n 50 -p $p > /dev/null & done; sleep 2; \
             for p in {0}; do ibv_rc_pingpong -n 50 -p $p localhost & done; wait",
            ports(from)
        )
    };
    let start = |from: u32| {
        let words = [
            "nic".to_owned(),
            "--scheduler".into(),
            "prompt".into(),
            "--".into(),
            "sh".into(),
            "-c".into(),
            script(from),
        ];
        Command::new(binary()).args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("litmpi starts")
    };
    for nic in [18620, 18630, 18640].map(start) {
        let pid = nic.id();
        let done = nic.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&done.stdout);
        assert_eq!(said.matches("50 iters in").count(), 3, "{said}{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(folders_of(pid), 0);
    }
}

#[test]
fn a_device_without_a_program_or_room_to_write_says_so() {
    if !nic_is_here() {
        return;
    }
    served("true").exits(0);
    litmpi_in(&root(), ["nic", "--", "no-such-program"]).exits(2).says("no-such-program: No such file or directory");
    let dir = folder(&[("file", "")]);
    litmpi_in(&root(), ["nic", "--out", &at(&dir, "file"), "--", "true"]).exits(2).says("error: ");
}

/// libfabric's verbs provider: connections, datagrams, and what libfabric makes of each for endpoints without connections.
#[test]
fn fi_pingpong_of_libfabric_runs_over_each_kind_of_endpoint() {
    if !programs_are_here(&["fi_pingpong"]) {
        return;
    }
    for (provider, endpoint) in
        [("verbs", "msg"), ("verbs", "dgram"), ("verbs;ofi_rxm", "rdm"), ("verbs;ofi_rxd", "rdm")]
    {
        let one = format!("timeout 60 fi_pingpong -p '{provider}' -e {endpoint} -I 5 -S 1024");
        // Else completion queues have room for more ranks than the device has.
        let both = format!("export FI_UNIVERSE_SIZE=8; {one} & sleep 2; {one} 127.0.0.1");
        litmpi_in(&root(), ["nic", "--scheduler", "prompt", "--pause", "20", "--", "sh", "-c", &both])
            .exits(0)
            .says("1k ");
    }
}

#[test]
fn qperf_of_the_distribution_measures_connections_and_datagrams() {
    if !programs_are_here(&["qperf"]) {
        return;
    }
    let tests = "rc_bw rc_lat rc_rdma_write_bw rc_rdma_read_bw uc_bw ud_lat rc_fetch_add_mr";
    let script = format!(
        "qperf & server=$!; sleep 1; timeout 80 qperf -t 1 localhost {tests}; said=$?; kill $server; exit $said"
    );
    let said = litmpi_in(&root(), ["nic", "--scheduler", "prompt", "--pause", "20", "--", "sh", "-c", &script]);
    tests.split(' ').for_each(|test| {
        said.exits(0).says(&format!("{test}:"));
    });
}

/// A symbol that is missing ends a program by its loader, in the middle.
#[test]
fn a_program_of_sockets_over_rdma_is_told_that_there_are_none() {
    if !programs_are_here(&["rstream"]) {
        return;
    }
    let said = litmpi_in(&root(), ["nic", "--", "sh", "-c", "rstream; riostream; rcopy -h 2>&1 | head -1"]);
    said.says("Operation not supported");
    assert!(!format!("{said}").contains("symbol lookup error"), "{said}");
}
