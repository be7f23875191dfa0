//! `litmpi doctor`: what is installed, and what targets say when they are asked.

use crate::command::root;
use crate::support::{Said, at, folder, here, litmpi_in, litmpi_with};
use serde_json::Value;

/// A target whose probe is a script.
fn target(script: &str) -> (tempfile::TempDir, String) {
    let dir = folder(&[("probe.sh", script)]);
    let probe = at(&dir, "probe.sh");
    let text = format!(
        "[[target]]\nname = \"mine\"\nfamily = \"mpi\"\ndescription = \"of my own\"\ncompiler = [\"sh\"]\nlaunch = [\"sh\", \"{{program}}\"]\n\
         probe = {{ command = [\"sh\", \"{probe}\"], expect = [\"My MPI\"] }}\nmissing = \"it is not installed\"\nget = \"build it\"\n"
    );
    std::fs::write(dir.path().join("targets.toml"), text).expect("a file");
    let path = at(&dir, "targets.toml");
    (dir, path)
}

fn doctor(targets: &str, args: &[&str]) -> Said {
    litmpi_in(&root(), [&["doctor", "--target", "mine", "--targets", targets], args].concat())
}

#[test]
fn what_a_probe_prints_is_quoted_with_what_to_do() {
    let (_dir, targets) = target("echo first line; echo 'second line, of an error' >&2; exit 3");
    let said = doctor(&targets, &[]);
    said.exits(1).says("missing  mine: it is not installed").says("exit status: 3");
    said.says("| first line")
        .says("| second line, of an error")
        .says("get it: build it")
        .says("0 of 1 targets are here");
    let (_dir, targets) = target("printf 'not \\033[31mthat\\n'");
    // What a program prints reaches no terminal as it is.
    doctor(&targets, &[]).exits(1).says("does not say `My MPI`").says("| not \\u001b[31mthat");
}

#[test]
fn programs_that_are_missing_are_named_with_what_they_are_for() {
    let (dir, targets) = target("echo My MPI 1.0");
    let said = litmpi_with(&[("PATH", "/nowhere")], dir.path(), ["doctor", "--target", "mine", "--targets", &targets]);
    said.exits(1).says("missing  cc: for tests become C programs").says("get it: apt-get install gcc libc6-dev");
    said.says("there is no `sh`");
    litmpi_in(&root(), ["doctor", "--target", "openmpj"]).exits(2).says("did you mean `openmpi`");
}

#[test]
fn the_answer_is_data_too() {
    let (_dir, targets) = target("echo one; exit 1");
    let said = doctor(&targets, &["--json"]);
    let json = said.exits(1).json();
    assert_eq!(json["targets"][0]["asked"][2]["printed"], serde_json::json!(["one"]), "{said}");
    let text = std::fs::read_to_string(root().join("schemas/doctor.json")).expect("a schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    validator.validate(&json).unwrap_or_else(|e| panic!("{}: {e}\n{said}", e.instance_path));
    let mut wrong = json;
    wrong["tools"][0]["asked"]["printed"] = "one".into();
    assert!(validator.validate(&wrong).is_err());
}

#[test]
fn a_target_that_is_named_and_not_here_is_no_success() {
    let (dir, targets) = target("echo Another MPI");
    let other = std::fs::read_to_string(&targets).expect("a file").replace("\"mine\"", "\"other\"");
    let path = at(&dir, "other.toml");
    std::fs::write(&path, other).expect("a file");
    let run = |more: &[&str]| {
        let args =
            ["run", "litmus/mpi/order-same-tag.litmus", "--sizes", "4", "--time", "20", "--targets", &targets, "--out"];
        let out = at(&dir, "out");
        litmpi_in(&root(), [&args[..], &[&out, "--targets", &path, "--target"], more].concat())
    };
    run(&["mine,other"]).exits(4).says("nothing was run");
    // Where another one runs, too, and what is wrong is not the library.
    if !here(&["mpich"]).is_empty() {
        run(&["mpich,mine"]).exits(4).says("error: nothing was run on mine, though `--target` names it");
        run(&["mpich,mine", "--no-tests", "pass"]).exits(0).says("1 not run");
    }
}
