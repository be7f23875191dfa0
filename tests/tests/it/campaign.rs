//! Campaigns: random programs on real libraries, with what they find made smaller, and a log that survives.

use crate::command::root;
use crate::faults::faulty;
use crate::support::{Said, at, folder, here, litmpi_in, litmpi_with};

/// A short campaign over a library with a mistake.
fn campaign(fault: &str, targets: &str, out: &str, programs: &str, more: &[&str]) -> Said {
    let args = [
        "campaign",
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
    campaign("zero-tail", &targets, &out, "10", &[]).exits(1).says("10 programs in 1 batches");
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
fn a_campaign_on_a_library_without_mistakes_finds_none_and_one_without_a_library_says_so() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    campaign("none", &targets, &out, "10", &[]).exits(0).says("Found: 0 causes in 0 programs");
    let nowhere = ["campaign", "--target", "nowhere", "--output", &out];
    litmpi_in(&root(), nowhere).exits(2).says("no target is called `nowhere`");
    let hours = ["campaign", "--hours", "0", "--output", &out];
    litmpi_in(&root(), hours).exits(2).says("more than 0 hours");
}
