//! Mistakes that are planted between programs and real libraries (`faults/*.c`), each with the tests that catch it
//! (`faults/faults.toml`).

use crate::command::root;
use crate::support::{Said, at, folder, here, litmpi_with};
use litmpi_runner::{Target, shipped_targets};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mistake: its name in `faults/*.c`, what it does, and the tests that catch it at each of these sizes.
struct Fault {
    name: String,
    does: String,
    tests: Vec<String>,
    sizes: String,
    /// Mistakes with the same number are made in one launch.
    launch: Option<i64>,
    /// Only its own tests are run: others would hang.
    alone: bool,
    /// How long each is run.
    millis: i64,
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("faults").join(name)
}

fn faults() -> Vec<Fault> {
    let text = std::fs::read_to_string(source("faults.toml")).expect("the table of mistakes");
    let table: toml::Table = text.parse().expect("a TOML file");
    let text = |of: &toml::Value, key: &str| of[key].as_str().expect("a text").to_owned();
    let list = |of: &toml::Value| of.as_array().expect("a list").clone();
    list(&table["fault"])
        .iter()
        .map(|f| Fault {
            name: text(f, "name"),
            does: text(f, "does"),
            tests: list(&f["tests"]).iter().map(|t| t.as_str().expect("a name").to_owned()).collect(),
            sizes: text(f, "sizes"),
            millis: f.get("millis").and_then(toml::Value::as_integer).unwrap_or(30),
            launch: f.get("launch").and_then(toml::Value::as_integer),
            alone: f.get("alone").and_then(toml::Value::as_bool).unwrap_or(false),
        })
        .collect()
}

/// Where [`faulty`] has the library that is preloaded.
pub(crate) fn library(dir: &tempfile::TempDir) -> String {
    at(dir, "faults.so")
}

/// A library with mistakes: the target `name` with `faults/*.c` before it, in a file of targets.
pub(crate) fn faulty(name: &str, dir: &tempfile::TempDir) -> String {
    let mut target: Target = shipped_targets().into_iter().find(|t| t.name == name).expect("a shipped target");
    let library = library(dir);
    let (compiler, more) = target.compiler.split_first().expect("a compiler");
    let built = Command::new(compiler)
        .args(more)
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", &library])
        .args([source("faults.c"), source("parts.c")])
        .arg("-ldl")
        .status()
        .expect("the compiler starts");
    assert!(built.success(), "the mistakes do not build for {name}");
    let program = target.launch.iter().position(|w| w == "{program}").expect("a launch has a program");
    target.launch.insert(program, format!("LD_PRELOAD={library}"));
    target.launch.insert(program, "env".into());
    "faulty".clone_into(&mut target.name);
    let file = at(dir, "targets.toml");
    let text = toml::to_string(&BTreeMap::from([("target", vec![target])])).expect("a target is TOML");
    std::fs::write(&file, text).expect("the file of targets");
    file
}

/// Runs tests over a library with this mistake.
fn run(fault: &str, millis: i64, targets: &str, sizes: &str, tests: &[String], dir: &tempfile::TempDir) -> Said {
    let (out, millis) = (at(dir, "out"), millis.to_string());
    let fixed = ["--targets", targets, "--target", "faulty", "--sizes", sizes, "--time", &millis, "--patience", "3"];
    // What is planted is there at once: trying it again would only take long.
    let rest = ["--out", &out, "--json", "--no-retry"];
    let args = ["run"].into_iter().chain(tests.iter().map(String::as_str)).chain(fixed).chain(rest);
    litmpi_with(&[("LITMPI_FAULT", fault)], &root(), args)
}

/// Test and size of each result, and what was not allowed of it.
fn caught(said: &Said) -> BTreeMap<(String, u64), Vec<String>> {
    let word = |v: &Value| v.as_str().unwrap_or_else(|| panic!("{said}")).to_owned();
    let of = |r: &Value| {
        let observed = r["observed"].as_array().unwrap_or_else(|| panic!("{said}"));
        observed.iter().filter(|o| o["allowed"] != true).map(|o| word(&o["outcome"])).collect::<Vec<_>>()
    };
    let all = said.json();
    let all = all.as_array().unwrap_or_else(|| panic!("{said}"));
    let violation = |r: &&Value| r["verdict"] == "violation";
    all.iter().filter(violation).map(|r| ((word(&r["test"]), r["size"].as_u64().unwrap_or(0)), of(r))).collect()
}

/// Mistakes that are made at once, in a launch of these tests.
struct Launch {
    faults: Vec<Fault>,
    tests: Vec<String>,
}

/// The launches of the table. Mistakes that are made alone have one set of tests, those that share launches another, and
/// tests that would hang under others are a set each: one set is one program, built once.
fn launches() -> Vec<Launch> {
    let (shared, single): (Vec<Fault>, Vec<Fault>) = faults().into_iter().partition(|f| f.launch.is_some());
    let all = |faults: &mut dyn Iterator<Item = &Fault>| {
        faults.flat_map(|f| f.tests.clone()).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    let of_single = all(&mut single.iter().filter(|f| !f.alone));
    let of_shared = all(&mut shared.iter());
    let tests = |f: &Fault| if f.alone { f.tests.clone() } else { of_single.clone() };
    let mut out: Vec<Launch> = single.into_iter().map(|f| Launch { tests: tests(&f), faults: vec![f] }).collect();
    let mut by_number: BTreeMap<Option<i64>, Vec<Fault>> = BTreeMap::new();
    shared.into_iter().for_each(|f| by_number.entry(f.launch).or_default().push(f));
    out.extend(by_number.into_values().map(|faults| Launch { faults, tests: of_shared.clone() }));
    out
}

/// The table's tests on one library: without a mistake all conform; with each, all of its tests tell it at every size.
fn every_mistake_is_caught(name: &'static str) {
    if here(&[name]).is_empty() || std::env::var_os("LITMPI_FAULTS").is_some() {
        return;
    }
    let dir = folder(&[]);
    let targets = faulty(name, &dir);
    let files = |names: &[String]| names.iter().map(|t| format!("litmus/mpi/{t}.litmus")).collect::<Vec<_>>();
    let launches = launches();
    let sets: BTreeSet<&Vec<String>> =
        launches.iter().filter(|l| l.faults.iter().all(|f| !f.alone)).map(|l| &l.tests).collect();
    for tests in sets {
        let none = run("none", 30, &targets, "8,64K", &files(tests), &dir);
        assert!(caught(none.exits(0)).is_empty(), "{none}");
    }
    for launch in &launches {
        let names: Vec<&str> = launch.faults.iter().map(|f| f.name.as_str()).collect();
        let sizes: BTreeSet<&str> = launch.faults.iter().flat_map(|f| f.sizes.split(',')).collect();
        let sizes = sizes.into_iter().collect::<Vec<_>>().join(",");
        let millis = launch.faults.iter().map(|f| f.millis).max().expect("a mistake");
        let missed = |millis: i64| {
            let said = run(&names.join(","), millis, &targets, &sizes, &files(&launch.tests), &dir);
            let caught = caught(said.exits(1));
            let sized = |s: &str| if s == "64K" { 65536 } else { 8u64 };
            let wanted = launch.faults.iter().flat_map(|f| f.sizes.split(',').map(move |size| (f, sized(size))));
            let all = wanted.flat_map(|(f, size)| f.tests.iter().map(move |test| (f, test, size)));
            let of = |(f, test, size): (&Fault, &String, u64)| {
                let told = caught.contains_key(&(test.clone(), size));
                (!told).then(|| format!("{} ({}) on {name}, {test}, {size} bytes: {caught:#?}", f.name, f.does))
            };
            all.filter_map(of).next()
        };
        // On a busy machine a race may take longer to show.
        let missed = missed(millis).and_then(|_| missed(20 * millis));
        assert!(missed.is_none(), "{}", missed.unwrap_or_default());
    }
}

#[test]
fn every_mistake_planted_in_open_mpi_is_caught() {
    every_mistake_is_caught("openmpi");
}

#[test]
fn every_mistake_planted_in_mpich_is_caught() {
    every_mistake_is_caught("mpich");
}

/// With `LITMPI_FAULTS` naming tests or folders, all mistakes under all of them: prints who caught which. Else says how corruption is told.
#[test]
fn faults_say_what_was_moved_and_where() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let targets = faulty(name, &dir);
    if let Ok(named) = std::env::var("LITMPI_FAULTS") {
        let tests: Vec<String> = named.split_whitespace().map(ToOwned::to_owned).collect();
        let mut missed = vec![];
        for fault in faults() {
            let caught = caught(&run(&fault.name, fault.millis, &targets, "8,64K", &tests, &dir));
            let names: BTreeSet<&str> = caught.keys().map(|(test, _)| test.as_str()).collect();
            let names: Vec<&str> = names.into_iter().collect();
            println!("{} ({}): {} tests: {}", fault.name, fault.does, names.len(), names.join(" "));
            missed.extend(names.is_empty().then_some(fault.name));
        }
        assert!(missed.is_empty(), "nothing catches {}", missed.join(", "));
        return;
    }
    let tests = ["litmus/mpi/order-causal.litmus".to_owned()];
    let size = 65536;
    for (fault, says) in [
        ("swap", "corrupt: a of rank 0: elements 0-511 hold "),
        ("swap", " as it belongs at 512-1023"),
        ("shift", " as it belongs at 1-16383"),
        ("repeat", "elements 8192-16383 hold "),
        ("zero-tail", "elements 8192-16383 hold what nobody wrote there, first 0x00000000"),
        ("write-behind", "of rank 0: something was written behind it, 0 to 3 bytes away"),
    ] {
        let said = run(fault, 30, &targets, "64K", &tests, &dir);
        let caught = caught(said.exits(1));
        let outcomes = &caught[&("order-causal".to_owned(), size)];
        assert!(outcomes.iter().any(|o| o.contains(says)), "{fault}: {says}: {outcomes:?}");
    }
}

#[test]
fn a_put_that_comes_in_two_halves_may_be_seen_torn_by_a_load_that_races_with_it() {
    // No mistake: there is no atomicity beyond a byte (MPI-4.1 §12.7). The reader's probes let a library go on that needs to be called.
    let dir = folder(&[("torn.litmus", TORN)]);
    if let Some(&name) = here(&["openmpi", "mpich"]).first() {
        let targets = faulty(name, &dir);
        let said = run("put-in-halves", 300, &targets, "64K", &[at(&dir, "torn.litmus")], &dir);
        let all = said.exits(0).json();
        assert_eq!(all[0]["verdict"], "conforms", "{said}");
        let observed = all[0]["observed"].as_array().unwrap_or_else(|| panic!("{said}"));
        let torn = observed.iter().find(|o| o["outcome"] == "r=torn;").unwrap_or_else(|| panic!("on {name}: {said}"));
        assert_eq!(torn["allowed"], true, "{said}");
    }
}

const TORN: &str = "litmus mpi torn \"a load that waits for a put\"
rank 0 {
  MPI_Win_create(x, win: w)
  MPI_Win_lock_all(win: w)
  MPI_Put(1, target_rank: 1, win: w)
  MPI_Win_unlock_all(w)
  MPI_Win_free(w)
}
rank 1 {
  MPI_Win_create(x, win: w)
  while r = 0 {
    MPI_Iprobe(source: any, flag: f)
    r := x
  }
  MPI_Win_free(w)
}
exists r = 1
";
