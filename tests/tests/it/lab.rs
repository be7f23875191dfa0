//! The RoCE lab: booted where QEMU and a kernel package can be had; else its tests say why not, and stop.

use crate::command::root;
use crate::support::{Said, at, folder, here, litmpi_with};
use serde_json::Value;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

/// One guest at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Where these tests have their lab: set up once, by the first of them.
const LAB: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/lab");

fn lab(args: &[&str]) -> Said {
    let said = litmpi_with(&[("LITMPI_LAB", LAB)], &root(), args);
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said
}

/// The lab, set up, if it can be; else says why not.
pub(crate) fn ready() -> Option<MutexGuard<'static, ()>> {
    let guard = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let said = lab(&["lab", "setup"]);
    println!("{}", said.stdout);
    match said.code {
        Some(0) => Some(guard),
        _ => {
            println!("skipped: {}", said.stderr);
            None
        }
    }
}

/// Runs tests on a target of the lab; the results.
fn run(tests: &[&str], target: &str, more: &[&str]) -> Vec<Value> {
    run_with(0, tests, target, more)
}

/// The same where the exit code is another.
pub(crate) fn run_with(code: i32, tests: &[&str], target: &str, more: &[&str]) -> Vec<Value> {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let args: Vec<&str> = ["run"]
        .iter()
        .chain(tests)
        .chain(&["--target", target, "--json", "--out", &out])
        .chain(more)
        .copied()
        .collect();
    let said = lab(&args);
    said.exits(code).json().as_array().unwrap_or_else(|| panic!("{said}")).clone()
}

/// Packets that a device has sent.
fn sent(result: &Value, device: &str) -> u64 {
    result["counters"][format!("{device}/sent_pkts")].as_u64().unwrap_or(0)
}

fn conforming(results: &[Value]) {
    for r in results {
        assert_eq!(r["verdict"], "conforms", "{r:#}");
        assert!(r["iterations"].as_u64() > Some(0), "{r:#}");
    }
}

#[test]
fn rdma_tests_run_between_two_devices_and_their_packets_are_counted() {
    let Some(_guard) = ready() else { return };
    let tests = ["ST2", "ST8", "SB3bis", "QP1", "MP3"].map(|t| format!("litmus/rdma/{t}.litmus"));
    let all = run(&tests.each_ref().map(String::as_str), "roce/verbs", &["--time", "1500"]);
    assert_eq!(all.len(), tests.len());
    conforming(&all);
    // Each iteration of each test sends at least one packet.
    let iterations: u64 = all.iter().filter_map(|r| r["iterations"].as_u64()).sum();
    for r in &all {
        assert!(sent(r, "guest0/rx0") > iterations && sent(r, "guest0/rx1") > 0, "{r:#}");
        assert!(r["library"].as_str().is_some_and(|l| l.starts_with("rx0")), "{r:#}");
    }
    let overtaken = all[0]["observed"].as_array().is_some_and(|o| o.iter().any(|o| o["outcome"] == "z=1;"));
    assert!(overtaken, "nearly every put of ST2 fetches its source late\n{:#}", all[0]);
}

#[test]
fn two_guests_are_two_nodes_with_a_kernel_each() {
    let Some(_guard) = ready() else { return };
    let all = run(&["litmus/rdma/ST2.litmus", "litmus/rdma/SB1.litmus"], "roce/verbs-2", &["--time", "1500"]);
    conforming(&all);
    assert!(all.iter().all(|r| sent(r, "guest0/rx0") > 0 && sent(r, "guest1/rx0") > 0), "{all:#?}");
}

#[test]
fn mpi_tests_run_over_the_devices_with_a_protocol_that_is_chosen() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let Some(_guard) = ready() else { return };
    let tests = ["litmus/mpi/eager-head-to-head.litmus", "litmus/mpi/order-same-tag.litmus"];
    let all = run(&tests, "roce/openmpi:get:relax", &["--sizes", "64K", "--time", "1500"]);
    conforming(&all);
    // Two sends head to head: by rendezvous neither completes before its receive is posted.
    let observed = all[0]["observed"].as_array().expect("a list");
    assert!(observed.len() == 1 && observed[0]["outcome"] == "deadlock", "{:#}", all[0]);
    for r in &all {
        assert_eq!(r["target"], "roce/openmpi:get:relax");
        assert!(sent(r, "guest0/rx0") > 0 && sent(r, "guest0/rx1") > 0, "{r:#}");
    }
}

#[test]
fn a_script_runs_inside_and_its_status_is_the_commands() {
    let Some(_guard) = ready() else { return };
    let script = "uname -r; pwd; echo \"$1\"; rdma link | grep -c ACTIVE; echo aside >&2; exit 3";
    let dir = folder(&[("ends.sh", script)]);
    let said = lab(&["lab", "run", "--counters", &at(&dir, "ends.sh"), "a  word"]);
    said.exits(3).says("aside");
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.len() == 4 && lines[0].starts_with("6.") && lines[2..] == ["a  word", "2"], "{said}");
    assert_eq!(Some(Path::new(lines[1])), root().canonicalize().ok().as_deref());
}

#[test]
fn a_guest_that_panics_is_lost_and_what_it_printed_is_not() {
    let Some(_guard) = ready() else { return };
    let script = "echo before; sync; sleep 1; echo c > /proc/sysrq-trigger; sleep 60";
    let dir = folder(&[("panics.sh", script)]);
    // Twice, since an emulated processor now and then loses a guest of its own as it comes up.
    let said = lab(&["lab", "run", "--boots", "2", &at(&dir, "panics.sh")]);
    // Not `exits`, which takes the word for a panic of litmpi's own.
    assert_eq!(said.code, Some(2), "{said}");
    said.says("the guest panicked: ").says("the guest was lost 2 times, at last so: ");
    assert!(said.stdout.starts_with("before\n"), "{said}");
}

#[test]
fn a_lab_without_what_it_needs_says_what_to_get() {
    let dir = folder(&[("bin/empty", "")]);
    let (bin, fresh) = (at(&dir, "bin"), at(&dir, "lab"));
    let nothing = [("LITMPI_LAB", fresh.as_str()), ("PATH", bin.as_str())];
    let said = litmpi_with(&nothing, &root(), ["lab", "run", "true"]);
    said.exits(2).says("QEMU cannot be started: there is no `qemu-system-x86_64` on the PATH").says("apt-get install");
    let said = litmpi_with(&nothing, &root(), ["lab", "setup"]);
    said.exits(2).says("there is no `apt-get` here").says("qemu-system-x86");
    let said = litmpi_with(&nothing, &root(), ["lab", "status"]);
    said.exits(0).says("is not set up").says("litmpi lab setup");
}

#[test]
fn a_target_in_a_lab_that_is_not_set_up_is_skipped_with_its_reason() {
    let dir = folder(&[]);
    let (fresh, out) = (at(&dir, "lab"), at(&dir, "out"));
    let args = ["run", "litmus/rdma/ST2.litmus", "--target", "roce/verbs", "--out", &out];
    let said = litmpi_with(&[("LITMPI_LAB", &fresh)], &root(), args);
    said.exits(4).says("skipped: the RoCE lab is not set up: ").says("litmpi lab setup");
}

#[test]
fn a_lab_that_another_version_has_set_up_is_to_be_set_up_again() {
    let state = r#"{"kernel": "6.12", "package": "none", "accelerator": "tcg", "modules": [], "boot_seconds": 1.0}"#;
    let dir = folder(&[("lab/lab.json", state)]);
    let said = litmpi_with(&[("LITMPI_LAB", &at(&dir, "lab"))], &root(), ["lab", "status"]);
    said.exits(0).says("is not set up: it is of another version of litmpi").says("`litmpi lab setup`");
}

#[cfg(unix)]
#[test]
fn a_kernel_package_that_cannot_be_had_is_said_to_be_so() {
    use std::os::unix::fs::PermissionsExt;
    let programs = ["qemu-system-x86_64", "ip", "rdma", "xz", "dpkg-deb", "apt-cache", "apt-get"];
    let refuse = "#!/bin/sh\necho 'E: Unable to locate package' >&2\nexit 100\n";
    let dir = folder(&programs.map(|p| format!("bin/{p}")).each_ref().map(|p| (p.as_str(), refuse)));
    for p in programs {
        let path = dir.path().join("bin").join(p);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is our file");
    }
    let path = format!("{}:{}", at(&dir, "bin"), std::env::var("PATH").unwrap_or_default());
    let fresh = at(&dir, "lab");
    let said = litmpi_with(&[("LITMPI_LAB", &fresh), ("PATH", &path)], &root(), ["lab", "setup"]);
    said.exits(2).says("a kernel package cannot be had: apt-get: E: Unable to locate package").says("--kernel FILE");
    assert!(!dir.path().join("lab/lab.json").exists(), "half a lab is none");
    let said = litmpi_with(&[("LITMPI_LAB", &fresh), ("PATH", &path)], &root(), ["lab", "setup", "--kernel", "no.deb"]);
    said.exits(2).says("no.deb is no kernel package");
}

#[test]
fn cleaning_removes_a_lab_and_nothing_else() {
    let dir = folder(&[("lab/vmlinuz", "x"), ("lab/modules/a", "yz"), ("other/thesis.tex", "")]);
    let clean = |name: &str| litmpi_with(&[("LITMPI_LAB", at(&dir, name).as_str())], &root(), ["lab", "clean"]);
    clean("other").exits(2).says("is no lab: it holds `thesis.tex`");
    assert!(dir.path().join("other/thesis.tex").exists());
    clean("lab").exits(0);
    assert!(!dir.path().join("lab").exists());
    clean("lab").exits(0).says("removed 0.0 MB");
}
