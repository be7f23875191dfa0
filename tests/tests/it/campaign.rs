//! Campaigns: random programs on real libraries, with what they find made smaller, and a log that survives.

use crate::command::root;
use crate::faults::faulty;
use crate::support::{Said, at, folder, here, litmpi_in, litmpi_with};
use std::collections::BTreeSet;
use std::io::Write;

/// A short campaign over a library with a mistake.
fn campaign(fault: &str, targets: &str, out: &str, programs: &str, more: &[&str]) -> Said {
    let args = [
        "campaign",
        "--messages",
        "--targets",
        targets,
        "--target",
        "faulty",
        "--programs",
        programs,
        "--batch",
        "10",
        "--sizes",
        "8",
    ];
    let rest = ["--time", "10", "--shrink", "1", "--seed", "1", "--output", out];
    litmpi_with(&[("LITMPI_FAULT", fault)], &root(), args.iter().chain(&rest).chain(more).copied())
}

#[test]
fn a_planted_mistake_is_found_and_made_smaller_and_a_campaign_that_was_killed_goes_on() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    campaign("zero-tail", &targets, &out, "10", &[]).exits(1).says("10 programs in 1 batch,");
    let page = std::fs::read_to_string(dir.path().join("out/campaign.md")).expect("the page");
    assert!(page.contains("corrupt: ") && page.contains("### 1. faulty"), "{page}");
    assert!(page.contains("- the C file, run by itself on faulty, shows it: exit code 1"), "{page}");
    let found: Vec<String> = std::fs::read_dir(dir.path().join("out/found"))
        .expect("findings")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(found.iter().any(|f| f.ends_with(".c")) && found.iter().any(|f| f.ends_with(".litmus")), "{found:?}");
    // Killed while it wrote the next batch: that one is run again.
    let log = dir.path().join("out/campaign.jsonl");
    let whole = std::fs::read_to_string(&log).expect("the log");
    let finding = whole.lines().find(|l| l.starts_with("{\"finding\"")).expect("a finding");
    std::fs::write(&log, format!("{whole}{finding}\n{{\"batch\":{{\"next")).expect("the log");
    campaign("none", &targets, &out, "20", &[])
        .exits(1)
        .says("going on after 10 programs")
        .says("20 programs in 2 batches");
    let after = std::fs::read_to_string(&log).expect("the log");
    assert!(
        after.starts_with(&whole) && after.matches("{\"finding\"").count() == whole.matches("{\"finding\"").count(),
        "{after}"
    );
    // Another campaign does not write into it.
    campaign("none", &targets, &out, "20", &["--sizes", "64K"]).exits(2).says("another campaign");
}

#[test]
fn a_campaign_makes_programs_of_each_kind_in_turn_as_generate_makes_them_of_their_seeds() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let args = ["campaign", "--target", name, "--programs", "12", "--sizes", "8", "--time", "1", "--shrink", "0"];
    litmpi_in(&root(), args.iter().copied().chain(["--output", &out])).says("`each kind in turn`");
    let batch = dir.path().join("out/batch");
    let names: Vec<String> = std::fs::read_dir(&batch)
        .expect("the programs")
        .flatten()
        .map(|e| e.path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 12, "{names:?}");
    let calls: Vec<&String> = names.iter().filter(|n| n.starts_with("calls-")).collect();
    let kinds: BTreeSet<&str> = names.iter().filter_map(|n| n.split('-').next()).collect();
    assert!((4..=8).contains(&calls.len()) && kinds.len() >= 4, "{names:?}");
    let seed = calls[0].strip_prefix("calls-").expect("a seed");
    let again = litmpi_in(&root(), ["generate", "mpi", "--calls", "--count", "1", "--seed", seed]);
    let text = std::fs::read_to_string(batch.join(format!("{}.litmus", calls[0]))).expect("a program");
    assert_eq!(again.exits(0).stdout, text);
}

#[test]
fn a_campaign_on_a_library_without_mistakes_finds_none_and_one_without_a_library_says_so() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    campaign("none", &targets, &out, "10", &[]).exits(0).says("Found: 0 causes in 0 programs");
    // What could not be built is not over: it is run when the compiler is mended.
    let text = std::fs::read_to_string(&targets).expect("the targets");
    let compiler = text.lines().find(|l| l.starts_with("compiler")).expect("a compiler");
    std::fs::write(&targets, text.replace(compiler, "compiler = [\"false\"]")).expect("the targets");
    campaign("none", &targets, &out, "20", &[]).exits(2).says("nothing could be run in 3 attempts at a batch");
    std::fs::write(&targets, &text).expect("the targets");
    campaign("none", &targets, &out, "20", &[])
        .exits(0)
        .says("going on after 10 programs")
        .says("20 programs in 2 batches");
    let nowhere = ["campaign", "--target", "nowhere", "--output", &out];
    litmpi_in(&root(), nowhere).exits(2).says("no target is called `nowhere`");
    let hours = ["campaign", "--hours", "0", "--output", &out];
    litmpi_in(&root(), hours).exits(2).says("more than 0 hours");
}

#[test]
fn a_folder_is_of_one_campaign_at_a_time_and_a_log_that_a_killed_one_left_is_gone_on_with() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    campaign("none", &targets, &out, "10", &[]).exits(0);
    let log = std::fs::File::open(dir.path().join("out/campaign.jsonl")).expect("the log");
    log.lock().expect("a lock");
    let before = std::fs::read(dir.path().join("out/campaign.jsonl")).expect("the log");
    campaign("none", &targets, &out, "20", &[]).exits(2).says("another campaign is writing to").says("campaign.jsonl");
    assert_eq!(std::fs::read(dir.path().join("out/campaign.jsonl")).expect("the log"), before);
    // As with one that is killed: the system unlocks what nobody has open.
    drop(log);
    campaign("none", &targets, &out, "20", &[]).exits(0).says("20 programs in 2 batches");
}

#[test]
fn a_campaign_says_where_calls_that_test_stood_in_the_place_of_those_that_wait() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let run = |progress: &str| {
        let out = at(&dir, progress);
        let args = ["campaign", "--messages", "--target", name, "--programs", "6", "--sizes", "8", "--time", "5"];
        let said = litmpi_in(&root(), args.into_iter().chain(["--shrink", "0", "--progress", progress, "-o", &out]));
        assert!(said.code == Some(0), "{said}");
        said
    };
    run("relaxed").says("results calls that test stood in the place of those that wait").says("; called in none: ");
    let said = run("blocking");
    assert!(!said.stdout.contains("relaxed"), "{said}");
    let out = at(&dir, "blocking");
    let other = ["campaign", "--messages", "--target", name, "--programs", "6", "--sizes", "8", "-o", &out];
    litmpi_in(&root(), other).exits(2).says("another campaign");
    let test = "litmus/mpi/order-causal.litmus";
    let run = |progress: &str| {
        let args = ["run", test, "--target", name, "--sizes", "8", "--time", "5", "--progress", progress];
        litmpi_in(&root(), args.into_iter().chain(["-o", &at(&dir, "run")]))
    };
    run("both")
        .exits(0)
        .says("relaxed (--progress): in 1 of 2 results")
        .says("called in the other results alone: MPI_Recv");
    let said = run("blocking");
    assert!(!said.exits(0).stdout.contains("relaxed (--progress)"), "{said}");
}

#[test]
fn a_campaign_passes_over_programs_without_a_call_and_most_that_can_only_deadlock() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let args = ["campaign", "--messages", "--target", name, "--programs", "24", "--sizes", "8", "--time", "1"];
    let said = litmpi_in(&root(), args.into_iter().chain(["--shrink", "0", "--output", &out]));
    said.exits(0);
    let batch = at(&dir, "out/batch");
    let states = litmpi_in(&root(), ["enumerate", "--json", &batch]).json();
    let all = states.as_array().expect("a list");
    let only = |o: &serde_json::Value| {
        o["outcomes"].as_array().is_some_and(|o| o.len() == 1 && o[0].to_string().contains("deadlock"))
    };
    let stuck = all.iter().filter(|o| only(o)).count();
    assert!(all.len() == 24 && stuck <= 3, "{stuck} of {}\n{said}", all.len());
    said.says(&format!("; {stuck} of the programs can only deadlock. Left out: "));
    let passed = |words: &str| {
        let before =
            said.stdout.split(words).next().and_then(|t| t.split(' ').next_back()).and_then(|n| n.parse().ok());
        before.unwrap_or_else(|| panic!("{said}"))
    };
    let (idle, too_stuck): (usize, usize) = (passed(" without a call"), passed(" that can only deadlock, where"));
    assert!(idle > 0 && too_stuck > 0, "{said}");
    for file in std::fs::read_dir(batch).expect("the programs").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a program");
        assert!(text.contains("  MPI_"), "{text}");
    }
}

#[test]
fn programs_of_the_second_series_show_mistakes_that_those_of_the_first_hardly_show() {
    let Some(&name) = here(&["mpich", "openmpi"]).first() else { return };
    let dir = folder(&[]);
    let targets = faulty(name, &dir);
    let named = "MPI_Reduce,MPI_Allreduce";
    let cases: [(&str, &[&str], &str); 6] = [
        ("greatest-place", &["--collectives", "--with", named], "20"),
        ("split-backwards", &["--communicators"], "30"),
        ("replace-adds", &["--windows"], "16"),
        ("wrong-source", &["--messages"], "12"),
        ("waitall-early", &["--messages", "--progress", "blocking"], "40"),
        ("reordered", &["--messages"], "12"),
    ];
    for (fault, kind, programs) in cases {
        let out = at(&dir, fault);
        let args = ["campaign", "--series", "2", "--targets", &targets, "--target", "faulty", "--programs", programs];
        let rest = ["--sizes", "8", "--time", "5", "--shrink", "0", "-o", &out];
        let run = |fault: &str| {
            let args = args.iter().chain(kind).chain(&rest).copied();
            let said = litmpi_with(&[("LITMPI_FAULT", fault)], &root(), args);
            said.exits(1);
            let page = std::fs::read_to_string(format!("{out}/campaign.jsonl")).expect("the log");
            page.lines().filter(|l| l.starts_with("{\"finding\"")).count()
        };
        let found = run(fault);
        assert!(found > 0, "{fault}: {found}");
    }
}

#[test]
fn shards_of_a_campaign_have_other_programs_and_are_put_together() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    let of = |shard: &'static str, fault: &str| campaign(fault, &targets, &out, "10", &["--shard", shard]);
    of("1/3", "none").exits(0).says("Of the programs those of the shards 1/3.");
    let merge = |folder: &str| litmpi_in(dir.path(), ["merge", folder]);
    merge("out").exits(0).says("without the shards 2/3, 3/3").says("10 programs in 1 batch,");
    of("3/3", "zero-tail").exits(1);
    let both = merge("out");
    both.exits(1).says("without the shards 2/3, which").says("those of the shards 1/3, 3/3.");
    both.says("20 programs in 2 batches").says("## Found: 1 cause in ");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/campaign.md")).expect("the page"), both.stdout);
    litmpi_in(dir.path(), ["report", "out", "-o", "report.html"]).exits(0);
    // What a shard has found in a batch that is not through comes again with it, and is not counted before.
    let log = |shard: &str| dir.path().join("out").join(shard).join("campaign.jsonl");
    let lines = std::fs::read_to_string(log("3-of-3")).expect("a log");
    let found = lines.lines().find(|line| line.starts_with("{\"finding\"")).expect("a finding");
    let mut first = std::fs::OpenOptions::new().append(true).open(log("1-of-3")).expect("a log");
    writeln!(first, "{found}").expect("it is written");
    first.lock().expect("nobody writes to it");
    let under_way = merge("out");
    under_way.exits(1).says("shard 1/3 goes on: of its programs 10 are counted, those of batches that are through");
    assert_eq!(under_way.stdout, both.stdout);
    drop(first);
    let programs = |shard: &str| -> BTreeSet<String> {
        let batch = std::fs::read_dir(dir.path().join("out").join(shard).join("batch")).expect("the programs");
        batch.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect()
    };
    for (shard, seeds) in [("1-of-3", 1..65), ("3-of-3", 129..193)] {
        let own = programs(shard);
        let seed = |name: &String| name.strip_prefix("random-")?.strip_suffix(".litmus")?.parse().ok();
        assert!(own.len() == 10 && own.iter().all(|p| seed(p).is_some_and(|s: u64| seeds.contains(&s))), "{own:?}");
    }
    // A shard is gone on with, and no whole is mixed with shards.
    campaign("none", &targets, &out, "20", &["--shard", "1/3"]).exits(0).says("going on after 10 programs");
    campaign("none", &targets, &out, "10", &[]).exits(2).says("is the log of another campaign");
    campaign("none", &targets, &out, "10", &["--shard", "2/4"]).exits(0);
    merge("out").exits(2).says("are not shards of one campaign, or not of as many");
    let other = ["--shard", "2/3", "--shards", "there"];
    campaign("none", &targets, &out, "10", &other).exits(2).says("`--shards` is not for campaigns").says("-o DIR");
    let whole = at(&dir, "whole");
    campaign("none", &targets, &whole, "10", &[]).exits(0);
    campaign("none", &targets, &whole, "10", &["--shard", "1/2"]).exits(0);
    merge("whole").exits(2).says("the log of a whole campaign, beside shards");
}
