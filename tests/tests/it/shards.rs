//! Commands that are divided into shards: put together, they are one run to the byte; what is not a whole is said.

use crate::command::root;
use crate::support::{Said, folder, litmpi_in, litmpi_with};
use std::path::Path;
use tempfile::TempDir;

/// A folder with some tests of the library and their complete sets, one that cannot be read and one that is not decided.
fn library() -> TempDir {
    let dir = folder(&[
        (
            "tests/bad.litmus",
            "litmus mpi bad \"a call that there is not\"\nrank 0 { MPI_Sned(1, dest: 0) }\nexists true\n",
        ),
        (
            "tests/waits.litmus",
            "litmus rdma waits \"a flag that is waited for\"\nnode 1 { x = 0 }\n\
             thread 1 on 1 { a := x  while a = 0 { a := x } }\nthread 2 on 1 { x := 1 }\nexists 1:a = 2\n",
        ),
    ]);
    let files =
        ["mpi/order-same-tag", "mpi/order-causal", "mpi/null-irecv", "rdma/MP1", "rdma/Fig3e", "rdma/GFP1", "rdma/ST8"];
    for file in files {
        for ending in ["litmus", "expected"] {
            let name = format!("{}.{ending}", file.split('/').nth(1).expect("a folder and a name"));
            let from = root().join("litmus").join(format!("{file}.{ending}"));
            std::fs::copy(&from, dir.path().join("tests").join(name)).expect("a file of the library");
        }
    }
    dir
}

fn in_shards(dir: &Path, command: &[&str], of: usize) {
    for shard in 1..=of {
        let said = litmpi_in(dir, command.iter().copied().chain(["--shard", &format!("{shard}/{of}")]));
        assert!(said.stdout.is_empty() && matches!(said.code, Some(0 | 2)), "{said}");
    }
}

/// What a command says that is the same whenever it says it.
fn told(said: &Said) -> (Option<i32>, String, Vec<String>) {
    let time = |line: &&str| !line.ends_with(" s");
    (said.code, said.stdout.clone(), said.stderr.lines().filter(time).map(str::to_owned).collect())
}

#[test]
fn three_shards_put_together_are_one_run_to_the_byte() {
    let dir = library();
    let commands: [&[&str]; 6] = [
        &["enumerate", "tests"],
        &["enumerate", "tests", "--json", "--depends"],
        &["check", "tests"],
        &["check", "tests", "--json", "--model", "rdma-tso,rdma-tso.cat,mpi"],
        &["compare", "tests", "--model", "rdma-tso,rdma-tso.cat"],
        &["compare", "tests", "--model", "rdma-tso,mpi", "--json"],
    ];
    for command in commands {
        let whole = litmpi_in(dir.path(), command);
        in_shards(dir.path(), command, 3);
        assert_eq!(told(&litmpi_in(dir.path(), ["merge"])), told(&whole), "{command:?}");
        assert!(whole.stdout.len() > 500, "{whole}");
    }
}

#[test]
fn what_is_no_whole_is_said() {
    let dir = library();
    for bad in ["4/3", "0/3", "3", "one/2"] {
        litmpi_in(dir.path(), ["enumerate", "tests", "--shard", bad]).exits(2).says("shard");
    }
    litmpi_in(dir.path(), ["explain", "tests/MP1.litmus", "--shard", "1/2"]).exits(2).says("not divided into shards");
    litmpi_in(dir.path(), ["enumerate", "tests", "--shard", "auto"]).exits(2).says("SLURM_ARRAY_TASK_ID");
    litmpi_in(dir.path(), ["merge"]).exits(2).says("litmpi-shards");
    in_shards(dir.path(), &["enumerate", "tests"], 3);
    let shard = |n: usize| dir.path().join("litmpi-shards").join(format!("{n}-of-3.jsonl")).display().to_string();
    let merge = |files: &[usize]| {
        litmpi_in(dir.path(), std::iter::once("merge".to_owned()).chain(files.iter().map(|n| shard(*n))))
    };
    merge(&[1, 3]).exits(2).says("a shard is missing").says("2 of 3 are here; 2 missing");
    merge(&[1, 2, 2, 3]).exits(2).says("shard 2 of 3 is there twice");
    // One that was cut short, and one of another command.
    let text = std::fs::read_to_string(shard(2)).expect("it was written");
    std::fs::write(shard(2), &text[..text.len() - 20]).expect("it can be written");
    merge(&[1, 2, 3]).exits(2).says("the file was cut short");
    litmpi_in(dir.path(), ["enumerate", "tests", "--json", "--shard", "2/3"]);
    merge(&[1, 2, 3]).exits(2).says("not shards of one command").says("`litmpi enumerate tests --json`");
    // A test that is another one since.
    litmpi_in(dir.path(), ["enumerate", "tests", "--shard", "2/3"]);
    let changed = std::fs::read_to_string(dir.path().join("tests/MP1.litmus")).expect("it is there") + "\n-- more\n";
    std::fs::write(dir.path().join("tests/MP1.litmus"), changed).expect("it can be written");
    merge(&[1, 2, 3]).exits(2).says("no shard has worked on tests/MP1.litmus");
}

#[test]
fn launchers_say_which_shard_it_is() {
    let dir = library();
    let whole = litmpi_in(dir.path(), ["enumerate", "tests"]);
    for rank in ["0", "1"] {
        let launched = [("OMPI_COMM_WORLD_RANK", rank), ("OMPI_COMM_WORLD_SIZE", "2")];
        litmpi_with(&launched, dir.path(), ["enumerate", "tests", "--shard=auto", "--shards=here"]);
    }
    assert_eq!(told(&litmpi_in(dir.path(), ["merge", "here"])), told(&whole));
}
