//! The behaviour of a finding in a file, followed again.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use crate::verify::written;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A program of `tests/verify`, compiled so that its loads and stores are seen, and a folder for what it leaves.
fn program(name: &str) -> (PathBuf, TempDir) {
    let dir = TempDir::new().expect("a folder");
    let source = root().join("tests/verify").join(name).with_extension("c");
    let out = dir.path().join(name);
    let words = ["cc", "-o", out.to_str().expect("UTF-8"), source.to_str().expect("UTF-8")];
    litmpi_in(dir.path(), words).exits(0);
    (out, dir)
}

fn ranks(name: &str) -> String {
    let text = std::fs::read_to_string(root().join("tests/verify").join(name).with_extension("c")).expect("a program");
    text.lines().find_map(|l| l.strip_prefix(" * ranks: ")).expect("a head").to_owned()
}

/// Saves the behaviour of what is found of a program: its file, and what is said of the program.
fn saved(name: &str, program: &Path, dir: &TempDir, more: &[&str]) -> (String, Said) {
    let file = dir.path().join("behaviour.json").display().to_string();
    let ranks = ranks(name);
    let mut words = vec!["verify", "-n", &ranks, "--json", "--save", &file];
    words.extend(more);
    words.extend(["--", program.to_str().expect("UTF-8")]);
    let said = litmpi_in(dir.path(), words);
    said.exits(1);
    (file, said)
}

fn first_finding(said: &Said) -> Value {
    let mut finding = said.json()["findings"][0].clone();
    // What a process wrote is shown of all ranks where one behaviour is followed.
    finding.as_object_mut().expect("a finding").remove("wrote");
    finding
}

/// One that a signal ends, one that waits for ever, one that goes round for ever, one with windows whose elements are named late, one that
/// is erroneous, one with a race.
const PROGRAMS: [&str; 6] = [
    "wildcard-race",
    "wildcard-then-named",
    "test-loop-for-nothing",
    "window-lock-never-free",
    "barrier-mismatch",
    "window-put-load",
];

#[test]
fn a_saved_behaviour_ends_as_it_was_found_by_the_same_way() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    for name in PROGRAMS {
        let (program, dir) = program(name);
        let (file, found) = saved(name, &program, &dir, &[]);
        let again = litmpi_in(dir.path(), ["verify", "--json", "--replay", &file]);
        again.exits(1);
        let (mut first, mut second) = (first_finding(&found), first_finding(&again));
        let trace = |finding: &mut Value| finding["trace"].take().as_array().expect("a trace").clone();
        let (way, way_again) = (trace(&mut first), trace(&mut second));
        // A call at the end may be one that a rank came to by a load, which is a step only where all ways are followed.
        assert!(way.starts_with(&way_again) && way.len() <= way_again.len() + 1, "{name}: {way:?}\n{way_again:?}");
        assert_eq!(first, second, "{name}");
        assert_eq!(again.json()["replayed"], true);
        // Each rank once, and once more where elements of windows are found.
        let ranks: u64 = ranks(name).parse().expect("a number");
        assert_eq!(again.json()["processes"].as_u64().expect("a number") % ranks, 0, "{again}");
    }
}

#[test]
fn a_behaviour_at_random_is_saved_and_followed_again() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let name = "wildcard-race";
    let (program, dir) = program(name);
    let (file, found) = saved(name, &program, &dir, &["--random", "50", "--seed", "3"]);
    let again = litmpi_in(dir.path(), ["verify", "--json", "--replay", &file]);
    assert_eq!(first_finding(&found), first_finding(again.exits(1)));
}

/// Rank 0 takes the message of rank 2 first only if the library is made to.
const LATE: &str = r#"
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, x = 0, y = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (x == 2)
            MPI_Recv(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (rank == 2)
            usleep(300000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn a_real_library_is_made_to_do_what_it_hardly_does_by_itself() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(LATE, &dir);
    let file = dir.path().join("late.json").display().to_string();
    let path = program.to_str().expect("UTF-8");
    litmpi_in(dir.path(), ["verify", "-n", "3", "--save", &file, "--", path]).exits(1);
    let on = ["verify", "--replay", &file, "--patience", "3", "--on"];
    let forced = litmpi_in(dir.path(), on.iter().chain(&["mpich", "--json"]));
    assert_eq!((forced.exits(1).json()["came"].clone(), forced.json()["code"].clone()), (true.into(), Value::Null));
    let lines = forced.json()["forced"].to_string();
    assert!(lines.contains("0 MPI_Recv 0 from 2 0"), "{lines}");
    // By itself the library ends the program well.
    let free = Command::new("mpirun.mpich").args(["-n", "3", path]).status().expect("MPICH's launcher");
    assert!(free.success());
    litmpi_in(dir.path(), on.iter().chain(&["nowhere"])).exits(2).says("no target is called `nowhere`");
}

#[test]
fn processes_of_a_saved_behaviour_are_held_and_given_to_a_debugger() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let name = "wildcard-then-named";
    let (program, dir) = program(name);
    let (file, _) = saved(name, &program, &dir, &[]);
    let held = litmpi_in(dir.path(), ["verify", "--replay", &file, "--hold"]);
    held.exits(1).says("and waits in MPI_Recv (wildcard-then-named.c:22)").says("Enter ends them");
    let seen = dir.path().join("seen");
    let debugger = format!("cat /proc/{{pid}}/comm > {}", seen.display());
    let words = ["verify", "--replay", &file, "--debug", "2", "--debugger", &debugger];
    litmpi_in(dir.path(), words).exits(1).says("litmpi: rank 2 is process");
    assert_eq!(std::fs::read_to_string(&seen).expect("the debugger ran"), "wildcard-then-n\n");
}

#[test]
fn what_cannot_be_followed_again_is_told() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let name = "wildcard-then-named";
    let (program, dir) = program(name);
    let (file, _) = saved(name, &program, &dir, &[]);
    let (other, _other_dir) = self::program("probe-then-any");
    let differs = litmpi_in(dir.path(), ["verify", "--replay", &file, "--", other.to_str().expect("UTF-8")]);
    differs.exits(2).says("step 3 of 16, irecv (0), is not possible").says("rank 0 waits in MPI_Probe");
    litmpi_in(dir.path(), ["verify", "--replay", &file, "--debug", "7"]).exits(2).says("from 0 on");
    // On how many ranks, the file says.
    litmpi_in(dir.path(), ["verify", "--replay", &file, "-n", "3"]).exits(2).says("cannot be used with");
    let text = std::fs::read_to_string(&file).expect("the behaviour");
    std::fs::write(&file, text.replace("\"format\": 1", "\"format\": 9")).expect("the folder is writable");
    litmpi_in(dir.path(), ["verify", "--replay", &file]).exits(2).says("it has format 9");
    std::fs::write(&file, "{}").expect("the folder is writable");
    litmpi_in(dir.path(), ["verify", "--replay", &file]).exits(2).says("missing field").says("--save FILE");
    litmpi_in(dir.path(), ["verify"]).exits(2).says("no program is named");
    // A leak is of its rank alone.
    let (leaks, dir) = self::program("datatype-leak");
    let file = dir.path().join("leak.json").display().to_string();
    let path = leaks.to_str().expect("UTF-8");
    litmpi_in(dir.path(), ["verify", "--save", &file, "--", path]).exits(1).says("is of a rank alone");
}
