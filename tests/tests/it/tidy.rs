//! What ARCHITECTURE.md promises of the sources.

use crate::command::root;
use litmpi_spec::decl::ByLanguage;
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use litmpi_spec::source::Source;
use litmpi_spec::syntax::Item;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every source file of the project.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "litmpi-out" {
                walk(&path, out);
            } else if ["rs", "c", "h", "pest", "spec", "cat", "toml", "md"]
                .iter()
                .any(|e| name.ends_with(&format!(".{e}")))
            {
                out.push(path);
            }
        }
    }
    let mut out = vec![];
    walk(&root(), &mut out);
    assert!(out.len() > 100);
    out
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn no_source_file_is_longer_than_800_lines() {
    let long: Vec<PathBuf> = sources().into_iter().filter(|p| text(p).lines().count() > 800).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn no_test_is_ignored_and_nothing_is_left_to_do() {
    // Written in two parts, so that this file does not find itself.
    let words = [concat!("#[", "ignore"), concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!(")];
    for path in sources().iter().filter(|p| p.extension().is_some_and(|e| e == "rs")) {
        let text = text(path);
        for w in words {
            assert!(!text.contains(w), "{} has {w}", path.display());
        }
    }
}

#[test]
fn every_shipped_rule_says_where_it_comes_from() {
    for model in shipped::names() {
        for rule in &load_shipped(model).expect("a shipped model").rules {
            assert!(!rule.cite.is_empty(), "{}: rule {} has no cite", rule.span, rule.name);
        }
    }
}

#[test]
fn arrows_between_crates_go_one_way() {
    let allowed: [(&str, &[&str]); 15] = [
        ("grammars", &[]),
        ("spec", &["grammars"]),
        ("shipped", &["spec"]),
        ("engine", &["spec", "scratch"]),
        ("graph", &[]),
        ("litmus", &["grammars", "spec"]),
        ("cat", &["grammars", "spec", "engine", "litmus"]),
        ("models", &["spec", "engine", "litmus", "cat"]),
        ("rdma-model", &["spec", "litmus"]),
        ("mpi-model", &["grammars", "spec", "engine", "litmus", "models"]),
        ("codegen", &["spec", "litmus"]),
        ("scratch", &[]),
        ("nic", &["spec", "engine", "scratch"]),
        ("verify", &["spec", "engine", "litmus", "models", "scratch"]),
        ("runner", &["spec", "litmus", "codegen", "scratch"]),
    ];
    for (package, may) in allowed {
        let manifest = text(&root().join(package).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).expect("dependencies").split("\n[").next();
        for line in dependencies.unwrap_or("").lines() {
            if let Some(name) = line.strip_prefix("litmpi-") {
                let name = name.split('.').next().unwrap_or("");
                assert!(may.contains(&name), "{package} depends on {name}");
            }
        }
    }
}

/// The packages that start no program.
const QUIET: [&str; 13] = [
    "grammars",
    "spec",
    "shipped",
    "engine",
    "graph",
    "litmus",
    "cat",
    "models",
    "rdma-model",
    "mpi-model",
    "codegen",
    "scratch",
    "cli",
];

/// Those that do.
const STARTING: [&str; 3] = ["nic", "verify", "runner"];

/// The sources of packages, without their tests.
fn sources_of(packages: &[&str]) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = packages.iter().map(|p| root().join(p).join("src")).collect();
    sources().into_iter().filter(|p| folders.iter().any(|f| p.starts_with(f))).collect()
}

#[test]
fn only_the_runner_the_nic_and_verify_start_programs() {
    for path in sources_of(&QUIET) {
        assert!(!text(&path).contains("process::Command"), "{}", path.display());
    }
}

#[test]
fn all_that_is_printed_goes_by_one_place() {
    let words = [concat!("print", "ln!("), concat!("print", "!("), concat!("std", "out()")];
    // In the second file a test says that it is skipped.
    let may = ["cli/src/say.rs", "scratch/src/folder.rs"];
    let all = sources_of(&[&QUIET[..], &STARTING].concat());
    for path in all.iter().filter(|p| !may.iter().any(|m| p.ends_with(m))) {
        // The line of a comment, such as an example, prints nothing.
        for line in text(path).lines().filter(|l| !l.trim_start().starts_with("//")) {
            assert!(words.iter().all(|w| !line.contains(w)), "{}: {line}: see cli/src/say.rs", path.display());
        }
    }
}

#[test]
fn every_package_is_in_one_of_the_lists_above() {
    let manifest = text(&root().join("Cargo.toml"));
    let members = manifest.lines().find(|l| l.starts_with("members")).expect("a list of members");
    for name in members.split('"').skip(1).step_by(2).filter(|name| *name != "tests") {
        assert!(QUIET.contains(&name) || STARTING.contains(&name), "{name}: what may it depend on?");
    }
}

#[test]
fn every_file_of_rules_ships_and_every_model_is_found() {
    let on_disk: BTreeSet<String> = sources()
        .iter()
        .filter_map(|p| p.strip_prefix(root().join("spec")).ok()?.to_str().map(str::to_owned))
        .filter(|p| {
            (p.ends_with(".spec") || p.ends_with(".cat"))
                && ["bind/", "cat/", "claims/", "rdma/", "cpu/", "mpi/", "mpi-rdma/", "loco/", "verbs/"]
                    .iter()
                    .any(|folder| p.starts_with(folder))
        })
        .collect();
    let shipped: BTreeSet<String> =
        shipped::FILES.iter().chain(&shipped::CAT_FILES).map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(on_disk, shipped, "spec/src/shipped.rs lists the files of spec/");
    let families = [
        litmpi_rdma_model::MODELS,
        litmpi_rdma_model::WAIT_MODELS,
        litmpi_rdma_model::CPU_MODELS,
        litmpi_mpi_model::MODELS,
        litmpi_rdma_model::LOCO,
        litmpi_mpi_model::LAYERED,
        &["verbs", "core-rma"],
    ];
    for model in families.concat() {
        assert_eq!(load_shipped(model).expect("a shipped model").name, model);
    }
    assert_eq!(shipped::MODELS.len(), families.concat().len());
    for (model, file) in shipped::MODELS {
        let (_, text) = shipped::FILES.iter().find(|(name, _)| name == file).expect("a shipped file");
        let is = ["model", "layer"].map(|kind| format!("\n{kind} {model} "));
        assert!(is.iter().any(|line| text.contains(line)), "{file} is the model {model}");
    }
}

#[test]
fn what_calls_mean_how_they_stand_in_c_and_what_commutes_are_kept_apart() {
    for (name, file) in shipped::FILES {
        let file = litmpi_spec::parse::parse(&Source::new(name, file)).expect("a shipped file");
        for item in &file.items {
            let is = match item {
                Item::Bind(_) => "bind/",
                Item::Claim(_) => "claims/",
                Item::Rule(r) => {
                    assert!(r.commutes.is_empty() && r.late.is_none(), "{name}: what {} commutes with", r.name.node);
                    ""
                }
                Item::Kind(k) => {
                    assert_eq!(k.text, ByLanguage::default(), "{name}: how {} stands in a language", k.name.node);
                    ""
                }
                Item::Instruction(i) => {
                    assert_eq!(i.text, ByLanguage::default(), "{name}: how {} stands in a language", i.name.node);
                    ""
                }
                _ => "",
            };
            let folder = ["bind/", "claims/"].into_iter().find(|f| name.starts_with(f)).unwrap_or("");
            assert_eq!(folder, is, "{name} has an item of another trade");
        }
    }
}

#[test]
fn lints_are_those_of_the_workspace_and_nothing_is_unsafe_but_the_shared_memory_of_the_nic() {
    let manifest = text(&root().join("Cargo.toml"));
    assert!(manifest.contains("unsafe_code = \"deny\""));
    for path in sources() {
        if path.ends_with("Cargo.toml") && path.parent() != Some(&root()) {
            assert!(text(&path).contains("[lints]\nworkspace = true"), "{}", path.display());
        }
        // Memory that other processes write, too.
        let shared = ["nic/src/region.rs", "nic/src/mapped.rs"].iter().any(|f| path.ends_with(f));
        // What is emitted speaks with C.
        let emitted = ["codegen/rust", "codegen/suite"].iter().any(|f| path.starts_with(root().join(f)));
        if path.extension().is_some_and(|e| e == "rs") && !shared && !emitted {
            for word in [concat!("allow(", "unsafe_code"), concat!("uns", "afe {"), concat!("uns", "afe fn")] {
                assert!(!text(&path).contains(word), "{} has {word}", path.display());
            }
        }
    }
}

#[test]
fn no_file_speaks_of_one_machine() {
    let words = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/tmp/", "target")];
    for path in sources() {
        for word in words {
            assert!(!text(&path).contains(word), "{} has {word}", path.display());
        }
    }
}
