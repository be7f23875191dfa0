//! Bad ends of runs in the lab. Where no real guest is needed a script stands for QEMU: it is told the guest's folders as QEMU
//! is, and writes into them what a guest would.

use crate::command::root;
use crate::lab::{ready, run_with};
use crate::support::{Said, at, folder, litmpi_with};
use litmpi_runner::process::marked;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A lab with nothing in it, and this in the place of QEMU. `$share` is the folder that the guest has with the host, `$job` that
/// of its first job, `$console` its console, `$boot` which boot it is.
fn pretend(guest: &str) -> TempDir {
    let qemu = format!(
        "#!/bin/bash\n\
         for word in \"$@\"; do\n\
           case $word in\n\
             *id=lab,*) share=${{word#*path=}}; share=${{share%%,*}} ;;\n\
             file:*) console=${{word#file:}} ;;\n\
           esac\n\
         done\n\
         boots=${{0%/*}}/boots; echo >> \"$boots\"; boot=$(wc -l < \"$boots\")\n\
         job=$share/1; until [ -e $job/job ]; do sleep 0.02; done\n{guest}\n"
    );
    let state =
        r#"{"kernel": "6.12", "package": "none", "accelerator": "tcg", "modules": [], "boot_seconds": 1.0, "form": 1}"#;
    let dir = folder(&[
        ("bin/qemu-system-x86_64", qemu.as_str()),
        ("lab/lab.json", state),
        ("lab/vmlinuz", "none"),
        ("lab/busybox", "none"),
    ]);
    let path = dir.path().join("bin/qemu-system-x86_64");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is our file");
    dir
}

/// Calls `litmpi` with such a lab.
fn in_pretended(dir: &TempDir, args: &[&str]) -> Said {
    let path = format!("{}:{}", at(dir, "bin"), std::env::var("PATH").unwrap_or_default());
    let said = litmpi_with(&[("LITMPI_LAB", &at(dir, "lab")), ("PATH", &path)], &root(), args);
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said
}

#[test]
fn memory_that_is_not_there_is_said_before_and_by_qemu() {
    let refuses =
        "echo \"qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory\" >&2; exit 1";
    let dir = pretend(refuses);
    let said = in_pretended(&dir, &["lab", "run", "--memory", "900000000", "true"]);
    said.exits(2)
        .says("900000200 MiB of memory are needed for the guests, and ")
        .says("--memory MIB gives a guest less");
    assert!(!dir.path().join("bin/boots").exists(), "it is not tried\n{said}");
    let said = in_pretended(&dir, &["lab", "run", "--boots", "2", "true"]);
    said.exits(2).says("the guest was lost 2 times").says("QEMU ended: qemu-system-x86_64: cannot set up guest memory");
}

#[test]
fn a_guest_that_does_not_come_up_is_ended() {
    let dir = pretend("exec sleep 600");
    let said = in_pretended(&dir, &["lab", "run", "--boots", "1", "--patience", "1", "true"]);
    said.exits(2).says("the guest did not come up: no sign of life for ");
}

#[test]
fn a_guest_that_hangs_and_a_job_without_end_are_given_up_and_what_they_printed_is_not_lost() {
    let up = ": > $job/before; echo >> $share/alive; echo begun > $job/out";
    let dir = pretend(&format!("{up}; exec sleep 600"));
    let said = in_pretended(&dir, &["lab", "run", "--boots", "2", "--patience", "1", "true"]);
    said.exits(2)
        .says("booting again")
        .says("the guest was lost 2 times, at last so: the guest hangs: no sign of life");
    assert_eq!(said.stdout, "begun\nbegun\n", "{said}");

    // Waits without a process of its own, which would outlive it for a moment.
    let lives = "mkfifo $share/fifo; exec 9<> $share/fifo; while :; do echo >> $share/alive; read -t 0.1 -u 9; done";
    let dir = pretend(&format!("{up}; {lives}"));
    let said = in_pretended(&dir, &["lab", "run", "--patience", "60", "--timeout", "1", "true"]);
    said.exits(2).says("the job did not end within 1 s; the guest is gone");
    assert_eq!(said.stdout, "begun\n", "{said}");
}

#[test]
fn devices_that_cannot_be_set_up_in_a_guest_are_said_to_be_so() {
    let words = "echo 'lab: the RDMA devices could not be set up'; echo 'error: Operation not supported'";
    let dir = pretend(&works(&format!("{{ {words}; }} > $job/err; echo 125 > $job/status")));
    let out = at(&dir, "out");
    let args = ["run", "litmus/rdma/ST2.litmus", "--target", "roce/verbs", "--out", &out];
    // Its job is not even begun: nothing is known of the test.
    in_pretended(&dir, &args)
        .exits(2)
        .says("the launch failed: exit status: 125: lab: the RDMA devices could not be set up | error: Operation not");
}

#[test]
fn a_device_that_a_guest_does_not_have_is_named_with_those_that_it_has() {
    let words = "there is no RDMA device rx9; there are: rx0 rx1";
    let work = format!("echo 'litmpi! 0 rank 0 iteration 0 device start:0 {words}' > $job/err; echo 97 > $job/status");
    let dir = pretend(&works(&work));
    let out = at(&dir, "out");
    let args = ["run", "litmus/rdma/ST2.litmus", "--target", "roce/verbs", "--out", &out];
    in_pretended(&dir, &args).exits(2).says("the launch failed: exit status: 97: ").says(words);
}

/// What the program prints in a guest of tests whose only observable is `z`.
const TOLD: &str = "
tell() { echo \"litmpi begin $1 test\"; echo \"litmpi outcome $1 $2 0 values 1\"; echo \"litmpi end $1 $2 10\"; }
: > $job/before; echo >> $share/alive
panic() { echo '[   9.9] Kernel panic - not syncing: Fatal exception in interrupt' >> $console; exit 0; }
";

#[test]
fn what_a_guest_has_told_before_it_panics_is_kept_and_the_rest_is_run_in_another() {
    let guest = "case $boot in
        1) { tell 0 5; echo 'litmpi begin 1 test'; } > $job/out; panic ;;
        *) { tell 1 7; echo 'litmpi done'; } > $job/out; echo 0 > $job/status; exec sleep 600 ;;
    esac";
    let dir = pretend(&format!("{TOLD}{guest}"));
    let out = at(&dir, "out");
    let args =
        ["run", "litmus/rdma/ST2.litmus", "litmus/rdma/ST8.litmus", "--target", "roce/verbs", "--json", "--out", &out];
    let said = in_pretended(&dir, &args);
    let results = said.exits(0).json();
    let all = results.as_array().expect("a list");
    let what: Vec<_> = all.iter().map(|r| (r["verdict"].as_str(), r["iterations"].as_u64())).collect();
    assert_eq!(what, [(Some("conforms"), Some(5)), (Some("conforms"), Some(7))], "{said}");
    // The test that it was at is not blamed: nothing is noted of it.
    assert!(all.iter().all(|r| r["notes"].as_array().is_some_and(Vec::is_empty)), "{said}");
    let lines = std::fs::read_to_string(dir.path().join("out/results.jsonl")).expect("results as they come");
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

#[test]
fn guests_that_panic_again_and_again_are_given_up_and_what_they_told_is_not_lost() {
    let guest = "[ $boot = 1 ] && tell 0 5 > $job/out; panic";
    let dir = pretend(&format!("{TOLD}{guest}"));
    let out = at(&dir, "out");
    let args = ["run", "litmus/rdma/ST2.litmus", "litmus/rdma/ST8.litmus", "--target", "roce/verbs", "--out", &out];
    let said = in_pretended(&dir, &args);
    // Not `exits`, which takes the word for a panic of litmpi's own.
    assert_eq!(said.code, Some(2), "{said}");
    said.says("1 conforms").says("what the target runs on broke down 4 times, at last so: the guest panicked: ");
}

/// In a real guest: when the first test runs one of its node processes is killed, and the guest boots anew for what is left; when
/// the second one does the second device's link goes down.
/// A program's first call is slow there, so those that are to come at the right time are called before.
const MISHAPS: &str = r#"
pgrep -P $$ > /dev/null; ip link show v1 > /dev/null; sleep 0
"$@" & program=$!
at() { [[ $(< "$LITMPI_JOB/out") == *"litmpi begin $1 "* ]]; }
while kill -0 $program 2> /dev/null; do
  if at 0; then sleep 0.3; kill -KILL $(pgrep -P $program | tail -1); break; fi
  if at 1; then sleep 0.3; ip link set v1 down; break; fi
  sleep 0.1
done
wait $program
"#;

#[test]
fn a_node_that_is_killed_and_a_link_that_goes_down_end_only_the_test_that_ran() {
    let Some(_guard) = ready() else { return };
    let target = "[[target]]\nname = \"mishaps\"\nfamily = \"rdma\"\ndescription = \"a guest that meets with accidents\"\n\
        compiler = [\"cc\", \"-pthread\", \"-Wl,--no-as-needed\", \"-libverbs\"]\nslow = 10\n\
        launch = [\"{litmpi}\", \"lab\", \"run\", \"--report\", \"bash\", \"MISHAPS\", \"{program}\", \"nodes={n}\", \
        \"device=rx0,rx1\", \"gid={gid}\", \"pause=100\"]\n\
        probe = { command = [\"true\"] }\nmissing = \"\"\nget = \"\"\n";
    let dir = folder(&[("mishaps.sh", MISHAPS)]);
    let file = dir.path().join("targets.toml");
    std::fs::write(&file, target.replace("MISHAPS", &at(&dir, "mishaps.sh"))).expect("it is our file");
    let tests = ["ST2", "ST8"].map(|t| format!("litmus/rdma/{t}.litmus"));
    let targets = at(&dir, "targets.toml");
    // Both end long before, and accidents do not come again.
    let more = ["--targets", targets.as_str(), "--time", "60000", "--no-retry"];
    let all = run_with(1, &tests.each_ref().map(String::as_str), "mishaps", &more);
    let ends = |i: usize, how: &[&str]| {
        let seen = all[i]["observed"].as_array().expect("a list");
        assert_eq!(all[i]["verdict"], "violation", "{:#}", all[i]);
        let is = |o: &serde_json::Value| o["outcome"].as_str().is_some_and(|o| how.iter().any(|h| o.starts_with(h)));
        assert!(seen.iter().any(is), "{:#}", all[i]);
    };
    ends(0, &["error the program died: exit status: 137 (one of its processes was ended by signal 9)"]);
    // The kernel's device gives up with an error status; now and then it never completes what it could not send.
    ends(1, &["error IBV_", "deadlock"]);
}

/// A guest that does one job after another, each with `work`.
fn works(work: &str) -> String {
    format!(
        "mkfifo $share/fifo; exec 9<> $share/fifo; number=1
        while :; do
          job=$share/$number; echo >> $share/alive
          if [ ! -e $job/job ]; then read -t 0.05 -u 9; continue; fi
          : > $job/before; {work}
          number=$((number + 1))
        done"
    )
}

#[test]
fn guests_stay_up_from_launch_to_launch_and_go_with_the_run() {
    // The first launch hangs: the program ends it, and the second one runs what is left.
    let hangs = "echo 'litmpi! 0 rank 1 iteration 2 hang ST2.litmus:5 no progress for 20 s' > $job/err; status=97";
    let work = format!(
        "if [ $number = 1 ]; then {{ echo 'litmpi begin 0 test'; }} > $job/out; {hangs};
         else {{ tell 1 7; echo 'litmpi done'; }} > $job/out; status=0; fi; sleep 0.2; echo $status > $job/status"
    );
    let dir = pretend(&format!("{TOLD}{}", works(&work)));
    let (out, temporary) = (at(&dir, "out"), folder(&[]));
    let (path, lab) = (format!("{}:{}", at(&dir, "bin"), std::env::var("PATH").unwrap_or_default()), at(&dir, "lab"));
    let place = temporary.path().display().to_string();
    let tests = ["litmus/rdma/ST2.litmus", "litmus/rdma/ST8.litmus"];
    let args = ["run", tests[0], tests[1], "--target", "roce/verbs", "--patience", "25", "--out", &out];
    let said = litmpi_with(&[("LITMPI_LAB", &lab), ("PATH", &path), ("TMPDIR", &place)], &root(), args);
    said.exits(1).says("deadlock").says("25 s without progress count as hanging (--patience)").says("1 conforms");
    assert_eq!(std::fs::read_to_string(dir.path().join("bin/boots")).expect("boots").lines().count(), 1, "{said}");
    assert_eq!(said.orphans(), Vec::<i32>::new(), "{said}");
    assert_eq!(std::fs::read_dir(&temporary).expect("a folder").count(), 0, "folders are left\n{said}");
}

#[test]
fn all_rounds_of_a_search_for_stress_are_in_one_boot_and_a_panic_costs_one_more() {
    // Two vectors in the first round, the better one of them in the second; `$panics` is the boot that does not survive it.
    let work = "[ $boot$number = ${panics}2 ] && panic
        { tell 0 9; [ $number = 1 ] && tell 1 5; echo 'litmpi done'; } > $job/out; echo 0 > $job/status";
    for (panics, boots) in [("none", 1), ("1", 2)] {
        let dir = pretend(&format!("panics={panics}{TOLD}{}", works(work)));
        let (out, tuned) = (at(&dir, "out"), at(&dir, "tuned.toml"));
        let args =
            ["tune", "litmus/rdma/ST2.litmus", "--target", "roce/verbs", "--outcome", "z=1", "--candidates", "2"];
        let said = in_pretended(&dir, &[&args[..], &["--json", "--out", &out, "--tuned", &tuned]].concat());
        assert_eq!(said.code, Some(0), "{said}");
        let found = said.json();
        let all: Vec<_> = found["candidates"].as_array().expect("a list").iter().map(|c| &c["iterations"]).collect();
        assert_eq!(all, [18, 5], "{said}");
        assert_eq!(std::fs::read_to_string(dir.path().join("bin/boots")).expect("boots").lines().count(), boots);
        assert_eq!(said.stderr.contains("Kernel panic") && said.stderr.contains("is begun anew"), boots == 2, "{said}");
        assert!(std::fs::read_to_string(&tuned).is_ok_and(|t| t.contains("outcome = \"z=1\"")), "{said}");
    }
}

#[test]
fn a_run_that_is_interrupted_leaves_no_guest_and_no_folder() {
    // The guest has a child that writes into its folder, too: what is in the place of QEMU may be a script that starts it.
    let work = "{ echo 'litmpi begin 0 test'; } > $job/out; while :; do echo >> $share/late; read -t 0.01 -u 9; done & \
                while :; do echo >> $share/alive; read -t 0.1 -u 9; done";
    for (signal, code) in [("INT", Some(130)), ("KILL", None)] {
        let dir = pretend(&works(work));
        let (out, temporary) = (at(&dir, "out"), folder(&[]));
        let path = format!("{}:{}", at(&dir, "bin"), std::env::var("PATH").unwrap_or_default());
        let mut child = Command::new(crate::command::binary())
            .args(["run", "litmus/rdma/ST2.litmus", "--target", "roce/verbs", "--out", &out])
            .env("LITMPI_LAB", at(&dir, "lab"))
            .env("PATH", path)
            .env("TMPDIR", temporary.path())
            .current_dir(root())
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("litmpi starts");
        let pid = child.id().to_string();
        let soon = |what: &str, is: &dyn Fn() -> bool| {
            let until = Instant::now() + Duration::from_secs(60);
            while !is() {
                assert!(Instant::now() < until, "{what} ({signal})");
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        let left = || [format!("lab-{pid}"), format!("{pid}-0")].iter().flat_map(|m| marked(m)).count();
        // The process that keeps the guest, the guest, and the launch.
        soon("the guest is not up", &|| dir.path().join("bin/boots").exists() && left() > 2);
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().is_ok_and(|s| s.success()));
        assert_eq!(child.wait().expect("it ends").code(), code);
        // Who is killed cannot wait for what it had begun; the folders of its own launch stay.
        soon("a process is left", &|| left() == 0);
        let own = |name: &str| code.is_none() && name.starts_with(&format!("litmpi-{pid}"));
        let names = || std::fs::read_dir(&temporary).expect("a folder").flatten().map(|e| e.file_name());
        soon("a folder is left", &|| names().all(|n| own(&n.to_string_lossy())));
    }
}
