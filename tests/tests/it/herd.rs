//! What people bring from herd7: its models, the command line that they are used to, and its library where a copy is at hand.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use std::ffi::OsString;
use std::path::PathBuf;

/// x86-TSO in the manner of herd's library: orders that extend what is read, by functions, procedures and a variant, each of its
/// own words.
const MODEL: &str = "\
\"TSO once more\" withoutco
include \"x86fences.cat\"
include \"orders.cat\"
let at = try A with {}
let within(S, r) = [S]; r; [S]
let stronger = fun r -> (let (w, a) = (W, at) in [w]; r; [a & R] | [a & w]; r; [R])
procedure uniproc(com) = acyclic po-loc | com as uniproc end
call uniproc(rf | fr | co)
if \"weaker\" || ~\"stronger\"
  let ppo = within(M, po) \\ ([W]; po; [R]) | stronger po
else
  let ppo = po
end
let rec hb = ppo | mfence | rfe | fr | co | (hb; hb)
irreflexive hb as tso
show ppo, hb
";

const ORDERS: &str = "\
\"Orders\"
let inv = rf^-1
let seen = let a = po-loc & W * W and b = rf; (po-loc & R * W) and c = ((po-loc & W * R); inv) \\ id in (a | b | c)
let base = seen | co0
acyclic base as early
with co from generate_cos(base)
let fr = (inv; co) \\ id
";

#[test]
fn a_model_in_the_whole_language_says_what_tso_cat_says() {
    let dir = folder(&[("more.cat", MODEL), ("orders.cat", ORDERS)]);
    let model = dir.path().join("more.cat").display().to_string();
    let tests = ["SB", "MP", "IRIW", "2+2W", "SB+xchg+po", "SB+mfences", "R", "SB+rfi-pos", "CoRR", "SB+lock-inc"];
    let files = tests.map(|t| format!("litmus/x86/{t}.litmus"));
    let sets = |model: &str| {
        let args =
            [vec!["enumerate".to_owned(), "--json".into(), "--model".into(), model.into()], files.to_vec()].concat();
        let rows = litmpi_in(&root(), args).exits(0).json();
        rows.as_array().expect("rows").iter().map(|r| (r["test"].clone(), r["outcomes"].clone())).collect::<Vec<_>>()
    };
    let (ours, theirs) = (sets("tso.cat"), sets(&model));
    assert_eq!(ours.len(), tests.len());
    for (a, b) in ours.iter().zip(&theirs) {
        assert_eq!(a, b);
    }
}

#[test]
fn a_file_alone_is_enumerated_and_options_have_one_dash() {
    let litmpi = |args: &[&str]| litmpi_in(&root(), args);
    let sb = "litmus/x86/SB.litmus";
    let long = litmpi(&["enumerate", sb, "--model", "tso.cat"]);
    for args in
        [&[sb, "-model", "tso.cat"][..], &["-q", "-model", "tso.cat", sb], &["enumerate", sb, "-model", "tso.cat"]]
    {
        assert_eq!(litmpi(args).exits(0).stdout, long.stdout, "{args:?}");
    }
    litmpi(&[sb, "-conf", "a.cfg"]).exits(2).says("herd's option `-conf` is not supported");
    litmpi(&[sb, "-show", "all"]).exits(2).says("`-show all` is not supported");
    litmpi(&[sb, "-model"]).exits(2).says("`-model` needs a value");
    let dir = folder(&[]);
    let pictures = dir.path().join("pictures").display().to_string();
    litmpi(&[sb, "-show", "prop", "-o", &pictures, "-model", "tso.cat"]).exits(0);
    assert!(std::fs::read_dir(&pictures).expect("a folder").count() > 0);
    // What is no file is still no command.
    litmpi(&["enumerat"]).exits(2).says("unrecognized subcommand");
}

#[test]
fn the_library_of_tests_is_at_hand_by_its_name() {
    let dir = folder(&[]);
    let said = litmpi_in(dir.path(), ["list", "@x86"]);
    assert!(said.exits(0).stdout.lines().count() > 70, "{said}");
    litmpi_in(dir.path(), ["@x86/SB", "-model", "sc"]).exits(0).says("Observation SB Never");
    // As a user of herd7 says it; there is no such file here.
    litmpi_in(dir.path(), ["@x86/SB", "-model", "x86tso.cat"])
        .exits(0)
        .says("Observation SB Sometimes")
        .says("tso.cat");
    let said = litmpi_in(dir.path(), ["@x86/SB", "-model", "x86ts.cat"]);
    assert!(said.exits(2).says("no model is called `x86ts.cat`").stderr.len() < 500, "{said}");
    litmpi_in(dir.path(), ["enumerate", "@nothing"]).exits(2).says("the library has @cells").says("@x86");
    litmpi_in(dir.path(), ["enumerate", "@../x86"]).exits(2).says("no such tests are in the library");
}

#[test]
fn shells_and_man_have_what_they_read() {
    let dir = folder(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let said = litmpi_in(dir.path(), ["completions", shell]);
        assert!(said.exits(0).stdout.contains("enumerate") && said.stdout.contains("max-states"), "{shell}");
    }
    litmpi_in(dir.path(), ["man", "-o", "pages"]).exits(0);
    let page = |name: &str| std::fs::read_to_string(dir.path().join("pages").join(name)).expect(name);
    assert!(page("litmpi.1").contains("litmpi") && page("litmpi-enumerate.1").contains("max\\-states"));
    assert!(page("litmpi-known-add.1").contains("ticket"));
}

#[test]
fn editors_know_every_word_of_the_languages() {
    for (grammar, editor) in [("grammars/src/spec.pest", "spec"), ("grammars/src/litmus.pest", "litmus")] {
        let read = |path: String| std::fs::read_to_string(root().join(path)).expect("a file");
        let (grammar, editor) = (read(grammar.into()), read(format!("editors/{editor}.tmLanguage.json")));
        let editor: serde_json::Value = serde_json::from_str(&editor).expect("JSON");
        let known = editor["repository"]["keyword"]["match"].as_str().expect("a pattern").to_owned();
        let known: Vec<&str> = known.trim_start_matches("\\b(?:").split([')', '|']).collect();
        let words =
            grammar.lines().filter(|l| l.starts_with("kw_") && l.contains("@{")).filter_map(|l| l.split('"').nth(1));
        for word in words.filter(|w| w.bytes().all(|b| b.is_ascii_lowercase())) {
            assert!(known.contains(&word), "{word} is no keyword to editors: {known:?}");
        }
    }
}

/// The models of herd's library that speak of X86 programs or of none in particular, and of nothing that herd alone gives.
const EXPECTED: [&str; 25] = [
    "CoRR.cat",
    "choices.cat",
    "compat.cat",
    "cos.cat",
    "cos-no-opt.cat",
    "cos-ok-opt.cat",
    "cos-opt.cat",
    "coscat.cat",
    "cosllh.cat",
    "cross.cat",
    "fences.cat",
    "filters.cat",
    "mini.cat",
    "minimal.cat",
    "minimalcat.cat",
    "ncos.cat",
    "ncross.cat",
    "sc.cat",
    "sc2.cat",
    "stdlib.cat",
    "tso.cat",
    "uniproc.cat",
    "x86fences.cat",
    "x86tso.cat",
    "x86tso-mixed.cat",
];

/// What loads of a copy of herdtools7's library, where the variable says that there is one.
#[test]
fn herd_s_own_library_loads_as_far_as_it_is_about_x86() {
    let Some(library) = std::env::var_os("LITMPI_HERD_LIBDIR").map(PathBuf::from) else {
        eprintln!("skipped: LITMPI_HERD_LIBDIR names no copy of herdtools7's folder herd/libdir");
        return;
    };
    let list = |args: &[&str]| {
        let args = [&["list", "--models"], args].concat();
        litmpi_in(&root(), args.into_iter().map(OsString::from).chain([library.clone().into_os_string()]))
    };
    let said = list(&["--json"]);
    let rows = said.json();
    println!("{}", list(&["--refused"]).stdout);
    for row in rows.as_array().expect("rows") {
        let file = PathBuf::from(row["file"].as_str().expect("a file"));
        let name = file.file_name().expect("a name").to_string_lossy();
        let why = row["left_out"].as_str();
        assert!(why.is_none() || !EXPECTED.contains(&&*name), "{name}: {why:?}");
        assert!(why.is_none_or(|w| w.contains(".cat:")), "no place: {row:#}");
    }
}

#[test]
fn addresses_stand_by_their_names_in_ways_and_in_what_is_asked() {
    let pointer = "litmus/x86/MP+pointer.litmus";
    let said = litmpi_in(&root(), ["explain", pointer, "--outcome", "1:rbx=y; 1:rcx=1"]);
    said.exits(0).says("M[p] : &x → &y").says("1:rbx : 0 → &y");
    assert!(!said.stdout.contains("2684"), "no number of an address\n{said}");
    litmpi_in(&root(), ["explain", pointer, "--outcome", "1:rbx=y; 1:rcx=0"]).exits(1).says("b: lW p=&y");
    litmpi_in(&root(), ["explain", "litmus/x86/null-pointer.litmus", "--outcome", "erroneous"])
        .exits(0)
        .says("fault (t = 1)")
        .says("no location begins at the address");
    for model in ["sc", "tso.cat", "rdma-tso"] {
        litmpi_in(&root(), ["enumerate", "litmus/x86/SB+arrays.litmus", "--model", model])
            .exits(0)
            .says(if model == "sc" { "States 3" } else { "States 4" });
    }
}

#[test]
fn what_keeps_files_from_being_read_is_counted_by_reason() {
    let with = |line: &str| format!("X86 t\n{{ }}\n P0 ;\n {line} ;\nexists x=1\n");
    let dir = folder(&[
        ("a.litmus", &with("MOV [x],$1")),
        ("b.litmus", &with("RDTSC")),
        ("c.litmus", &with("RDTSC ;\n XLAT AL")),
        ("d.litmus", &with("CPUID EAX")),
        ("e.litmus", "AArch64 e\n{ }\n P0 ;\n NOP ;\nexists x=1\n"),
    ]);
    let said = litmpi_in(dir.path(), ["list", "--refused", "--json", "."]);
    let rows = said.exits(2).json();
    assert_eq!(rows[0]["refused"], "the instruction … is not supported", "{rows:#}");
    assert_eq!((&rows[0]["files"], &rows[0]["names"]["rdtsc"]), (&3.into(), &2.into()), "{rows:#}");
    assert_eq!(rows[0]["first"], "./b.litmus:4:2", "{rows:#}");
    assert_eq!(rows[2], serde_json::json!({ "read": 1, "left_out": 4 }), "{rows:#}");
    let said = litmpi_in(dir.path(), ["list", "--refused", "."]);
    said.exits(2).says("rdtsc 2, cpuid 1, xlat 1").says("1 of 5 files are read");
    assert!(!said.stdout.contains("RDTSC"), "no source lines\n{said}");
    // Every command says so at its end.
    litmpi_in(dir.path(), ["enumerate", "."])
        .exits(2)
        .says("by reason: 3 the instruction … is not supported; 1 tests for AArch64 are not read");
    litmpi_in(dir.path(), ["list", "--refused", "a.litmus"]).exits(0).says("1 of 1 files are read");
}

#[test]
fn the_models_of_a_folder_are_listed_with_what_keeps_one_from_being_loaded() {
    let dir = folder(&[
        ("more.cat", MODEL),
        ("orders.cat", ORDERS),
        ("arm.cat", "\"of Arm\"\ninclude \"cos.cat\"\nacyclic po | dmb as order\n"),
        ("needs.cat", "\"what its includer names\"\nlet seen = mine | co\n"),
        (
            "has.cat",
            "\"a model\"\ninclude \"cos.cat\"\nlet mine = po\ninclude \"needs.cat\"\nacyclic seen | rf | fr as sc\n",
        ),
        ("lib.cat", "\"a library\"\nlet com = rf\n"),
        ("own.spec", "model own of tso \"\"\n  cite x86-TSO \"\"\nimport \"cpu/tso.spec\"\n"),
        ("part.spec", "module part \"\"\n  cite x86-TSO \"\"\nfun f(x: Loc): Int = M[x]\n"),
    ]);
    let said = litmpi_in(dir.path(), ["list", "--models", "."]);
    said.exits(2).says("1 left out").says("`dmb` is not defined");
    for line in [
        "./lib.cat\tpart of models\t",
        "./more.cat\tmodel\tmore.cat",
        "./own.spec\tmodel\town",
        "./part.spec\tpart of models\t",
    ] {
        assert!(said.stdout.lines().any(|l| l == line), "{line}\n{said}");
    }
    let said = litmpi_in(dir.path(), ["list", "--models", "--refused", "."]);
    said.exits(2).says("… is not defined").says("7 of 8 files are read");
    // Of several that are not read, each has a line with its first reason, and the reasons have theirs by machine.
    let dir = folder(&[
        ("a.cat", "MIPS\nacyclic po as x\n"),
        ("b.cat", "\"AArch64\"\nacyclic po as x\n"),
        ("c.cat", "\"none\"\nempty ISB as x\n"),
        ("d.cat", "\"a model\"\ninclude \"cos.cat\"\nacyclic po | rf | fr | co as x\n"),
        // Right behind a model, whose orders it names.
        ("e.cat", "\"behind\"\n~irreflexive (po | rf | rb)^+ as cycle\n"),
    ]);
    let said = litmpi_in(dir.path(), ["list", "--models", "."]);
    said.exits(2).says("3 of 5 not read");
    for line in [
        "./a.cat\tnot read\t./a.cat:1:1: models for `MIPS` are not read",
        "./c.cat\tnot read\t./c.cat:2:7: `ISB` is of programs for Arm, which are not read",
        "./d.cat\tmodel\td.cat",
        "./e.cat\tpart of models\t",
    ] {
        assert!(said.stdout.lines().any(|l| l == line), "{line}\n{said}");
    }
    let rows = litmpi_in(dir.path(), ["list", "--models", "--refused", "--json", "."]).exits(2).json();
    assert_eq!(rows[0]["refused"], "models for … are not read", "{rows:#}");
    assert_eq!(rows[0]["names"], serde_json::json!({ "AArch64": 1, "MIPS": 1 }), "{rows:#}");
}

/// The shipped models are all models, or parts of some.
#[test]
fn what_ships_is_read_from_its_folder_too() {
    litmpi_in(&root(), ["list", "--models", "spec"]).exits(0);
    let test = "litmus/loco/fig1.litmus";
    let test = if root().join(test).exists() { test } else { "litmus/loco" };
    litmpi_in(&root(), ["compare", test, "--model", "loco.cat,spec/loco/loco.cat"]).exits(0);
}

/// What is computed by conditions is so under rules and under relations.
#[test]
fn conditions_that_move_and_set_are_those_of_rules_and_of_relations() {
    let set = "X86 SB+set\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EBX,[x] ;\n TEST EAX,EAX | CMP EBX,$1 ;\n \
               SETE CL | CMOVB ECX,[y] ;\nexists (0:ECX=1 /\\ 1:ECX=1)\n";
    let lea = "X86_64 lea\n{ int t[2]={0,0}; 0:rdx=t; }\n P0 | P1 ;\n leaq 4(%rdx),%rbx | movl t,%eax ;\n movl $1,(%rbx) | movl 4(t),%ecx ;\n \
               movl $1,(%rdx) | ;\nexists (1:rax=1 /\\ 1:rcx=0)\n".replace("movl t,%eax", "movl (t),%eax");
    let dir = folder(&[("set.litmus", set), ("lea.litmus", &lea)]);
    let sets = |model: &str| {
        let said = litmpi_in(dir.path(), ["enumerate", "--json", "--model", model, "set.litmus", "lea.litmus"]);
        let rows = said.exits(0).json();
        rows.as_array().expect("rows").iter().map(|r| r["outcomes"].clone()).collect::<Vec<_>>()
    };
    let (rules, relations) = (sets("tso"), sets("tso.cat"));
    assert_eq!(rules, relations);
    assert_eq!(rules.iter().map(|r| r.as_array().map_or(0, Vec::len)).collect::<Vec<_>>(), [4, 3], "{rules:#?}");
}
