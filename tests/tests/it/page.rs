//! `litmpi report`: one page of what commands came to. What a browser makes of it is asked of headless Chromium, where that is here.

use crate::command::root;
use crate::support::{Said, at, folder, litmpi_in};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const HOSTILE: &str = "</script><img src=x onerror=document.title=1><!--";

/// A result as `litmpi run` writes it: of a test on mpich, with values that are not allowed if `bad`.
pub(crate) fn result(test: &str, file: &str, outcome: &str, bad: bool) -> Value {
    let verdict =
        if bad { json!({ "verdict": "violation", "outcomes": [outcome] }) } else { json!({ "verdict": "conforms" }) };
    let mut out = json!({
        "schema": 2, "test": test, "target": "mpich", "size": 8, "style": "blocking", "complete": true,
        "observed": [{ "outcome": outcome, "observed": { "values": [1] }, "count": 7, "first": 0, "allowed": !bad }],
        "allowed": ["a=0;"], "unseen": [], "iterations": 7, "millis": 5, "seed": 1, "delay": { "chance": 0.0, "max_micros": 0.0 },
        "library": "a library 1.0", "command": "mpirun -n 2 suite", "notes": [], "labels": { "file": file, "model": "mpi" },
        "new": if bad { vec![outcome] } else { vec![] },
    });
    out.as_object_mut().expect("an object").extend(verdict.as_object().expect("an object").clone());
    out
}

/// The page that a command wrote into a folder.
fn page(dir: &TempDir) -> String {
    std::fs::read_to_string(dir.path().join("out/page.html")).expect("a page")
}

/// The data of a page.
pub(crate) fn data(page: &str) -> Value {
    let from = page.split_once("id=\"data\">").expect("data").1;
    serde_json::from_str(from.split_once("</script>").expect("an end").0).expect("JSON")
}

fn report(dir: &TempDir, args: &[&str]) -> Said {
    litmpi_in(dir.path(), [&["report"], args, &["-o", "out/page.html"]].concat())
}

/// What a browser shows of a page once its script has run; none if there is no browser.
fn shown(file: &Path, window: &str) -> Option<String> {
    browse(&format!("file://{}{window}", file.display()))
}

/// What it shows of an address.
pub(crate) fn browse(address: &str) -> Option<String> {
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    let is_here = |n: &&&str| Command::new(n).arg("--version").output().is_ok_and(|o| o.status.success());
    let Some(name) = names.iter().find(is_here) else {
        println!("skipped: there is no {}", names.join(", no "));
        return None;
    };
    let home = TempDir::new().expect("a folder");
    let done = Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(address)
        .output()
        .expect("the browser runs");
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[test]
fn a_page_of_results_has_the_program_the_histogram_and_what_forbids_the_outcome() {
    let dir = folder(&[("r.jsonl", "")]);
    let file = root().join("litmus/mpi/order-same-tag.litmus").display().to_string();
    let mut bad = result("order-same-tag", &file, "a=2; b=1;", true);
    bad["observed"][0]["observed"] = json!({ "values": [2, 1] });
    std::fs::write(dir.path().join("r.jsonl"), format!("{bad}\n")).expect("a file");
    report(&dir, &["r.jsonl"]).exits(0).says("conforms? NO: 1 new violation (order-same-tag on mpich)");
    let page = page(&dir);
    let data = data(&page);
    let test = &data["tests"][&file];
    assert_eq!(data["parts"][0]["rows"][0]["standing"], "bad", "{data:#}");
    assert!(test["program"][0].as_str().is_some_and(|l| l.starts_with("litmus mpi order-same-tag")), "{test:#}");
    assert_eq!(test["outcomes"][1]["by"]["mpich"]["count"], 7);
    assert_eq!(test["runs"][0]["again"], "mpirun -n 2 suite");
    let premise = &test["why"][0]["by"]["ways"][0]["without"][0];
    assert_eq!(premise["from"], "any s' in Γ1 : matches(s', q, r) and not overtakes(s'.promised)", "{test:#}");
    let ways = test["shown"]["ways"].as_array().expect("ways");
    assert!(
        ways.iter().any(|w| w["outcome"] == "a=1; b=2;" && w["chart"].as_str().is_some_and(|c| c.contains("<svg")))
    );
    let step = &ways[0]["steps"][0];
    assert!(step["changes"][0].as_array().is_some_and(|c| c.len() == 3) && step["source"][1].is_u64(), "{step:#}");
    // The same again: the same bytes.
    report(&dir, &["r.jsonl"]).exits(0);
    assert_eq!(page, self::page(&dir));
}

#[test]
fn what_comes_from_files_becomes_text_and_never_markup() {
    let test = format!(
        "litmus mpi hostile \"{HOSTILE}\"\nrank 0 {{ MPI_Send(1, dest: 1) }}\nrank 1 {{ MPI_Recv(a, source: 0) }}\nexists a = 1\n"
    );
    let dir = folder(&[("hostile.litmus", &test)]);
    let rows =
        json!([result("hostile", "hostile.litmus", HOSTILE, true), result(HOSTILE, "no-such.litmus", "a=0;", false)]);
    std::fs::write(dir.path().join("r.json"), rows.to_string()).expect("a file");
    report(&dir, &["r.json", "--title", HOSTILE]).exits(0);
    let text = page(&dir);
    assert!(!text.contains("<img") && !text.contains("<!--") && text.matches("</script>").count() == 2, "{text}");
    let data = data(&text);
    assert_eq!(data["tests"]["hostile.litmus"]["title"], HOSTILE, "{data:#}");
    let file = dir.path().join("out/page.html");
    if let Some(dom) = shown(&file, "") {
        // Pictures are images whose text is encoded; nothing else of an image may be there.
        assert!(!dom.contains("src=\"x\"") && !dom.contains("onerror=\"") && !dom.contains("<title>1"), "{dom}");
        assert!(dom.contains("&lt;/script&gt;&lt;img src=x onerror=document.title=1&gt;"), "{dom}");
        assert!(dom.contains("class=\"answer bad\""), "{dom}");
    }
}

#[test]
fn a_browser_shows_the_test_that_the_address_names() {
    let dir = folder(&[]);
    let rdma = root().join("litmus/rdma");
    let (one, two) = (rdma.join("MP1.litmus").display().to_string(), rdma.join("SB1.litmus").display().to_string());
    report(&dir, &[&one, &two]).exits(0).says("yes: the verdicts of 2 tests hold");
    let encoded = format!("#1/{}", two.replace('/', "%2F"));
    let file = dir.path().join("out/page.html");
    if let (Some(first), Some(second)) = (shown(&file, ""), shown(&file, &encoded)) {
        assert!(first.contains("<h2>MP1 ") && !first.contains("<h2>SB1 "), "{first}");
        assert!(second.contains("<h2>SB1 ") && !second.contains("<h2>MP1 "), "{second}");
        for word in ["Why not", "observed-before", "step 0 of", "data:image/svg+xml,", "data-line=\"5\""] {
            assert!(first.contains(word), "{word}: {first}");
        }
    }
}

#[test]
fn what_other_commands_print_becomes_a_page() {
    let dir = folder(&[]);
    let write = |name: &str, args: &[&str]| {
        let said = litmpi_in(&root(), args);
        std::fs::write(dir.path().join(name), &said.stdout).expect("a file");
    };
    write("check.json", &["check", "litmus/rdma/MP1.litmus", "litmus/rdma/SB1.litmus", "--json"]);
    write(
        "compare.json",
        &["compare", "litmus/rdma/Fig3e.litmus", "--models", "rdma-tso,rdma-tso-no-pcie.cat", "--json"],
    );
    write("coverage.json", &["coverage", "litmus/rdma/MP1.litmus", "--model", "rdma-tso", "--json"]);
    let said = report(&dir, &["check.json", "compare.json", "coverage.json", "--map", "--explain", "none"]);
    said.exits(0)
        .says("yes: all verdicts and complete sets of 2 tests hold")
        .says("1 of 1 tests have different outcomes");
    let data = data(&page(&dir));
    assert_eq!(data["parts"][1]["columns"], json!(["rdma-tso", "rdma-tso-no-pcie.cat"]));
    assert_eq!(data["parts"][1]["rows"][0]["cells"][1][0]["word"], "allowed +1 · 4");
    let titles: Vec<&str> = data["maps"].as_array().expect("maps").iter().filter_map(|m| m["title"].as_str()).collect();
    assert_eq!(titles, ["Rules of rdma-tso", "Clauses of MPI 4.1", "Functions"]);
    let tiles =
        data["maps"][0]["groups"].as_array().expect("groups").iter().flat_map(|g| g[1].as_array().expect("tiles"));
    let standings: Vec<&str> = tiles.filter_map(|t| t["standing"].as_str()).collect();
    assert!(standings.contains(&"good") && standings.contains(&"bad"), "{standings:?}");
    if let Some(dom) = shown(&dir.path().join("out/page.html"), "") {
        assert!(dom.contains("Rules of rdma-tso") && dom.contains("class=\"tile good\""), "{dom}");
    }
}

#[test]
fn the_map_of_clauses_says_which_tests_of_the_page_hold_them() {
    let dir = folder(&[]);
    let file = root().join("litmus/mpi/null-irecv.litmus").display().to_string();
    let results = json!([result("null-irecv", &file, "a=1;", true)]);
    std::fs::write(dir.path().join("r.json"), results.to_string()).expect("a file");
    report(&dir, &["r.json", "--map", "--explain", "none"]).exits(0);
    let data = data(&page(&dir));
    let of = |map: usize, name: &str| -> Value {
        let groups = data["maps"][map]["groups"].as_array().expect("groups");
        let mut tiles = groups.iter().flat_map(|g| g[1].as_array().expect("tiles"));
        tiles.find(|t| t["name"] == name).unwrap_or_else(|| panic!("no tile {name}")).clone()
    };
    assert_eq!(of(1, "MPI_Irecv")["standing"], "bad");
    assert_eq!(of(1, "MPI_Irecv")["tests"], json!(["null-irecv"]));
    assert_eq!(of(1, "MPI_Win_fence")["standing"], "open");
    let clauses =
        data["maps"][0]["groups"].as_array().expect("groups").iter().flat_map(|g| g[1].as_array().expect("tiles"));
    let bad: Vec<&Value> = clauses.filter(|t| t["standing"] == "bad").collect();
    assert!(
        !bad.is_empty() && bad.iter().all(|t| t["tests"].as_array().expect("tests").contains(&"null-irecv".into()))
    );
}

#[test]
fn a_campaign_becomes_a_page_with_a_cause_each() {
    let campaign = [
        json!({ "campaign": { "targets": ["mpich"], "seed": 1, "batch": 10, "sizes": ["8"], "model": "mpi" } }),
        json!({ "finding": { "target": "mpich", "program": "g7", "shows": "x", "small": "rank 0 { }", "small_shows": "a=1;",
                             "files": ["f.c"], "known": [] } }),
        json!({ "batch": { "next": 11, "programs": 10, "erroneous": 0, "large": 0, "verdicts": { "mpich": { "conforms": 9 } },
                           "iterations": 90, "seen": 3, "allowed": 4, "libraries": { "mpich": "a library" }, "failed": {}, "seconds": 1.5 } }),
    ];
    let text: String = campaign.iter().map(|l| format!("{l}\n")).collect();
    let dir =
        folder(&[("c/campaign.jsonl", &text), ("cut/campaign.jsonl", &text.replace("\"seed\":1", "\"seed\":true"))]);
    report(&dir, &["c"]).exits(0).says("NO: 1 of 1 findings resemble nothing known; 10 programs");
    let data = data(&page(&dir));
    assert_eq!(data["parts"][0]["findings"][0]["program"], "rank 0 { }");
    assert_eq!(data["parts"][0]["findings"][0]["standing"], "bad");
    report(&dir, &["cut"]).exits(2).says("campaign.jsonl:1:1").says("this is no line of a campaign");
    // What is known by the calls in which it shows was not made smaller, and is nothing new.
    let known = text.replace(r#""small":"rank 0 { }""#, r#""is":["it is a bug; T-1"],"small":null"#);
    assert_ne!(known, text);
    let dir = folder(&[("k/campaign.jsonl", &known)]);
    report(&dir, &["k"]).exits(0).says("no, but all 1 findings are known, or resemble what is; 10 programs");
    let data = crate::page::data(&page(&dir));
    assert_eq!(data["parts"][0]["findings"][0]["standing"], "known");
    assert_eq!(data["parts"][0]["findings"][0]["notes"][0], "it is a bug; T-1");
}

#[test]
fn what_no_command_has_written_is_told_with_its_place() {
    let dir = folder(&[
        ("empty.json", ""),
        ("cut.json", "[\n  {\"test\": ]"),
        ("other.json", "[{\"a\": 1}]"),
        ("object.json", "[]"),
        ("bad.jsonl", "{\"test\": 1}\n"),
        ("bad.litmus", "litmus mpi x \"y\"\nrank 0 { MPI_Sned(1) }\n"),
    ]);
    report(&dir, &["empty.json"])
        .exits(2)
        .says("empty.json")
        .says("this is an empty file")
        .says("give a folder or results.jsonl");
    report(&dir, &["cut.json"]).exits(2).says("cut.json:2:12").says("this is no JSON");
    report(&dir, &["other.json"]).exits(2).says("a list that none of these commands writes");
    report(&dir, &["object.json"]).exits(2).says("a list that none of these commands writes");
    report(&dir, &["bad.jsonl"]).exits(2).says("bad.jsonl:1:1").says("this is no result");
    report(&dir, &["absent.json"]).exits(2).says("absent.json");
    report(&dir, &["bad.litmus"]).exits(2).says("MPI_Send");
    let test = root().join("litmus/rdma/MP1.litmus").display().to_string();
    let below = at(&dir, "empty.json/page.html");
    litmpi_in(dir.path(), ["report", &test, "-o", &below]).exits(2).says("cannot write");
    assert!(!dir.path().join("out/page.html").exists());
}
