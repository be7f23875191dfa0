//! A user's own specification: new instructions with their rules and their C are used at once by every command.
//! The files are those of `tests/examples`, read from a folder that knows nothing of the sources.

use crate::support::{at, folder, here, litmpi_in};
use tempfile::TempDir;

/// The examples, alone in a folder.
fn examples() -> TempDir {
    folder(&[
        ("my-mpi.spec", include_str!("../../examples/my-mpi.spec")),
        ("testall.litmus", include_str!("../../examples/testall.litmus")),
        ("fetch-add.litmus", include_str!("../../examples/fetch-add.litmus")),
        ("my-rdma.spec", include_str!("../../examples/my-rdma.spec")),
        ("my-rdma.cat", include_str!("../../examples/my-rdma.cat")),
        ("drain.litmus", include_str!("../../examples/drain.litmus")),
        ("board.spec", include_str!("../../examples/board.spec")),
        ("board.litmus", include_str!("../../examples/board.litmus")),
    ])
}

#[test]
fn an_mpi_function_of_ones_own_is_called_by_random_programs_and_campaigns_run_them() {
    let dir = examples();
    let of = ["--calls", "--with", "all_done", "--spec", "my-mpi.spec"];
    let said = litmpi_in(dir.path(), ["generate", "mpi", "--count", "2"].iter().chain(&of).copied());
    assert!(said.exits(0).stdout.matches("all_done(array_of_requests: ").count() >= 2, "{said}");
    litmpi_in(dir.path(), ["generate", "mpi", "--every", "--spec", "my-mpi.spec"]).exits(2).says("random programs");
    litmpi_in(dir.path(), ["generate", "mpi", "--spec", "my-rdma.spec"]).exits(2).says("has no `MPI_Send`");
    if here(&["mpich"]).is_empty() {
        return;
    }
    let run = ["campaign", "--target", "mpich", "--programs", "2", "--sizes", "8", "--time", "5", "--shrink", "0"];
    let said = litmpi_in(dir.path(), run.iter().chain(&["--output", "out"]).chain(&of).copied());
    // It is MPI_Testall in C, of which a violation is known in MPICH 4.0.2.
    assert!(matches!(said.code, Some(0 | 1)), "{said}");
    said.says("(`calls`, of all_done, ");
}

#[test]
fn an_mpi_function_of_ones_own_is_enumerated() {
    let dir = examples();
    litmpi_in(dir.path(), ["enumerate", "--spec", "my-mpi.spec", "testall.litmus"])
        .exits(0)
        .says("States 2\ndone=0; r=0;\ndone=1; r=5;\n")
        .says("Model my-mpi variant default hash ");
}

#[test]
fn without_its_specification_the_function_is_unknown() {
    let dir = examples();
    litmpi_in(dir.path(), ["enumerate", "testall.litmus"]).exits(2).says("testall.litmus:5:3").says("all_done");
}

#[test]
fn variants_and_verdicts_of_the_shipped_model_hold_for_its_extension() {
    let dir = examples();
    litmpi_in(dir.path(), ["check", "--spec", "my-mpi.spec", "testall.litmus", "fetch-add.litmus"])
        .exits(0)
        .says("2 tests under my-mpi: 4 verdicts hold");
    litmpi_in(dir.path(), ["enumerate", "--spec", "my-mpi.spec", "--variant", "rendezvous", "fetch-add.litmus"])
        .exits(0)
        .says("Model my-mpi variant rendezvous");
}

#[test]
fn a_verdict_against_ones_own_rule_fails() {
    let dir = examples();
    let wrong = include_str!("../../examples/fetch-add.litmus").replace("a = 7", "a = 5");
    std::fs::write(dir.path().join("wrong.litmus"), wrong).expect("files can be written");
    litmpi_in(dir.path(), ["check", "--spec", "my-mpi.spec", "wrong.litmus"])
        .exits(1)
        .says("FAIL wrong.litmus: my-mpi (default)");
}

#[test]
fn coverage_counts_ones_own_rules_and_with_all_those_of_mpi_too() {
    let dir = examples();
    let args = ["coverage", "--spec", "my-mpi.spec", "testall.litmus", "fetch-add.litmus"];
    let own = litmpi_in(dir.path(), args);
    own.exits(1).says("3 of 3 rules fired").says("counts of rules that are imported from shipped files are left out");
    assert!(!own.stdout.contains("spec/mpi/"), "{own}");
    let all = litmpi_in(dir.path(), [&args[..], &["--all"]].concat());
    all.exits(1).says("spec/mpi/");
    assert!(!all.stdout.contains("left out"), "{all}");
}

#[test]
fn explain_names_ones_own_rules_at_their_lines() {
    let dir = examples();
    litmpi_in(dir.path(), ["explain", "--spec", "my-mpi.spec", "testall.litmus", "--outcome", "done=1; r=5"])
        .exits(0)
        .says("all_done/true (t = 0)")
        .says("runs all_done([p, q], flag: done)   line 5")
        .says("my-mpi.spec:");
}

#[test]
fn the_function_becomes_its_c_call_and_the_statement_its_template() {
    let dir = examples();
    let said = litmpi_in(dir.path(), ["emit", "--spec", "my-mpi.spec", "testall.litmus", "fetch-add.litmus"]);
    said.exits(0)
        .says("MPI_Request array_of_requests[2] = {p, q};")
        .says("MPI_Testall(2, array_of_requests, &v_done, MPI_STATUSES_IGNORE)")
        .says("old = litmpi_load(n); litmpi_store(n, old + (2));");
}

#[test]
fn it_runs_on_real_libraries_at_several_sizes_with_nothing_recompiled() {
    for target in here(&["mpich", "openmpi"]) {
        let dir = examples();
        let said = litmpi_in(
            dir.path(),
            [
                "run",
                "--spec",
                "my-mpi.spec",
                "testall.litmus",
                "fetch-add.litmus",
                "--target",
                target,
                "--sizes",
                "8,64K",
                "--json",
            ],
        );
        said.exits(0);
        let json = said.json();
        let results = json.as_array().unwrap_or_else(|| panic!("{said}"));
        assert_eq!(results.len(), 4, "two tests at two sizes\n{said}");
        for r in results {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert!(r["iterations"].as_u64().is_some_and(|n| n > 0), "{r:#}");
            assert_eq!(r["labels"]["model"], "my-mpi", "{r:#}");
        }
    }
}

#[test]
fn an_rdma_instruction_of_ones_own_is_enumerated() {
    let dir = examples();
    litmpi_in(dir.path(), ["enumerate", "--spec", "my-rdma.spec", "drain.litmus"]).exits(0).says("States 1\nz=0;\n");
    litmpi_in(dir.path(), ["check", "--spec", "my-rdma.spec", "drain.litmus"]).exits(0).says("2 verdicts hold");
}

#[test]
fn ones_own_instruction_runs_ahead_without_its_rule() {
    // What the rule waits for is what makes the difference: without its premises, the outcome of ST2 is back.
    let dir = examples();
    let lax = include_str!("../../examples/my-rdma.spec");
    let (rule, _) = lax.split_once("  when ").expect("the rule has premises");
    std::fs::write(dir.path().join("lax.spec"), rule).expect("files can be written");
    litmpi_in(dir.path(), ["check", "--spec", &at(&dir, "lax.spec"), "drain.litmus"])
        .exits(1)
        .says("~exists (z=1) is allowed");
}

#[test]
fn an_instruction_of_ones_own_has_events_in_a_declarative_model_of_ones_own() {
    let dir = examples();
    let over = ["enumerate", "--spec", "my-rdma.spec", "--model", "my-rdma.cat", "drain.litmus"];
    litmpi_in(dir.path(), over).exits(0).says("States 1\nz=0;\n");
    // The shipped model knows the key of its event, but not its label.
    let shipped = ["enumerate", "--spec", "my-rdma.spec", "--model", "rdma-tso.cat", "drain.litmus"];
    litmpi_in(dir.path(), shipped).exits(0).says("States 2\nz=0;\nz=1;\n");
    let rules = ["enumerate", "--spec", "my-rdma.spec", "--model", "rdma-tso", "drain.litmus"];
    litmpi_in(dir.path(), rules).exits(2).says("rdma-tso is a model of rules");
}

#[test]
fn integers_of_programs_have_as_many_bits_as_their_specification_says() {
    let spec = |bits: &str| {
        format!(
            "model counters \"counters\"\n{bits}kind local = local\nkind value = Int\nkind register = register Int\n\
             instruction put(x: local, v: value) form x := v\n\
             instruction read(x: local, a: register) form a := x\n\
             instruction double(x: local)\n\
             state M[x: Loc]: Int = x.initial\n\
             rule put (t: Thread)\n  on t: put(x, v)\n  then M[x] := v\n\
             rule read (t: Thread)\n  on t: read(x, a)\n  then a := M[x]\n\
             rule double (t: Thread)\n  on t: double(x)\n  then M[x] := 2 * M[x]\n"
        )
    };
    let test = |x: &str, last: &str| {
        format!(
            "litmus counters t \"t\"\nnode 1 {{ x = {x}  y = 0 }}\nthread 1 on 1 {{\n  double(x)\n  a := x\n  y := {last}\n}}\n\
             exists a = 6000000000000000000 and y = 6000000000000000001\n"
        )
    };
    let one = test("3000000000000000000", "a + 1");
    let dir = folder(&[
        ("wide.spec", &spec("")),
        ("narrow.spec", &spec("const integer_bits: Int = 32\n")),
        ("odd.spec", &spec("const integer_bits: Int = 65\n")),
        ("t.litmus", &one),
        ("over.litmus", &test("5000000000000000000", "a")),
        ("sum.litmus", &test("1", "9223372036854775807 + a")),
        ("doubled.litmus", &test("2000000000", "a").replace("000000000000", "0")),
    ]);
    let enumerate = |spec: &str, test: &str| litmpi_in(dir.path(), ["enumerate", "--spec", spec, test]);
    enumerate("wide.spec", "t.litmus").exits(0).says("a=6000000000000000000; y=6000000000000000001;").says("Ok");
    enumerate("wide.spec", "over.litmus").exits(2).says("the result does not fit in 64 bits").says("wide.spec:");
    enumerate("wide.spec", "sum.litmus").exits(2).says("overflows 64 bits").says("sum.litmus:6:3");
    enumerate("narrow.spec", "t.litmus")
        .exits(2)
        .says("t.litmus:2:14")
        .says("the number does not fit")
        .says("32 bits: -2147483648 to 2147483647");
    enumerate("narrow.spec", "doubled.litmus")
        .exits(2)
        .says("4000000000 does not fit in the 32 bits that a location of the program has");
    enumerate("odd.spec", "doubled.litmus").exits(2).says("integers of 65 bits cannot be had").says("from 2 to 64");
}

#[test]
fn sets_and_maps_of_ones_own_have_the_same_outcomes_reduced_and_in_full() {
    let dir = examples();
    let lines = |more: &[&str]| {
        let said = litmpi_in(dir.path(), [&["enumerate", "--spec", "board.spec", "board.litmus"], more].concat());
        said.exits(0);
        said.stdout.lines().filter(|l| l.starts_with("a=")).map(str::to_owned).collect::<Vec<_>>()
    };
    let reduced = lines(&["--search", "reduced"]);
    assert_eq!(reduced, lines(&["--search", "footprints"]));
    assert_eq!(reduced, lines(&["--search", "full"]));
    // Each note is read once, whoever left it twice, and a vote precedes its note.
    assert_eq!(reduced, ["a=7; b=8; n=2; own=2;", "a=8; b=7; n=2; own=2;"]);
    litmpi_in(dir.path(), ["check", "--spec", "board.spec", "board.litmus"]).exits(0).says("3 verdicts hold");
    let twice = include_str!("../../examples/board.litmus").replacen("vote(1)", "vote(1) vote(2)", 1);
    std::fs::write(dir.path().join("twice.litmus"), twice).expect("files can be written");
    litmpi_in(dir.path(), ["enumerate", "--spec", "board.spec", "twice.litmus"]).exits(0).says("a thread votes once");
}

#[test]
fn contents_that_rules_never_look_into_are_carried_and_observed() {
    let spec = "model store \"contents\"\n\
                kind cell = local\nkind held = register Blob\nkind content = handle Blob names red = 7, blue = 1099511627776\n\
                state M[x: Loc]: Blob = blob(x.initial)\nstate last: {Thread ↦ Blob} = {}\n\
                instruction load (r: held, x: cell)\ninstruction store (x: cell, b: content)\n\
                rule load (t: Thread)\n  on t: load(r, x)\n  then r := M[x]\n\
                rule store (t: Thread)\n  on t: store(x, b)\n  requires M[x] ≠ b else \"stored twice\"\n  then M[x] := b, last[t] := b\n";
    let test = "litmus store copy \"a thread copies what another one has stored\"\nnode 1 { x = 0  y = 1 }\n\
                thread 1 on 1 {\n  store(x, blue)\n}\nthread 2 on 1 {\n  load(a, x)\n  store(y, a)\n}\nexists a = 0 /\\ y = 0\n";
    let dir = folder(&[("store.spec", spec), ("copy.litmus", test), ("twice.litmus", &test.replace("y = 1", "y = 0"))]);
    let enumerate = |test: &str| litmpi_in(dir.path(), ["enumerate", "--spec", "store.spec", test]);
    enumerate("copy.litmus").exits(0).says("States 2\na=0; y=0;\na=1099511627776; y=1099511627776;\n");
    enumerate("twice.litmus").exits(0).says("stored twice");
    let looked = spec.replace("r := M[x]", "r := M[x] + 1");
    std::fs::write(dir.path().join("looks.spec"), looked).expect("files can be written");
    litmpi_in(dir.path(), ["enumerate", "--spec", "looks.spec", "copy.litmus"])
        .exits(2)
        .says("looks.spec:11:13")
        .says("rules carry blobs and compare them");
}

#[test]
fn an_instruction_that_nothing_runs_is_told_where_it_is_declared() {
    let spec = include_str!("../../examples/my-mpi.spec");
    let dir = examples();
    let told = |text: &str| {
        std::fs::write(dir.path().join("wrong.spec"), text).expect("files can be written");
        litmpi_in(dir.path(), ["enumerate", "--spec", "wrong.spec", "testall.litmus"])
    };
    let (before, _) = spec.split_once("rule fetch_add").expect("it has a rule");
    told(before)
        .exits(2)
        .says("nothing runs the instruction `fetch_add`")
        .says("wrong.spec:27:13")
        .says("write a rule with `on t: fetch_add(x, v, r)`");
    told(&spec.replace("  on t: fetch_add(x, v, r)\n", "").replace("  requires readable(t.node, [x]) and writable(t.node, [x]) else \"the variable is in use by a pending request\"\n  then r := M[x], M[x] := M[x] + v", ""))
        .exits(2)
        .says("the rule `fetch_add` has no line `on t: fetch_add(x, v, r)`");
    // One that uses what it is called with is told so at once.
    told(&spec.replace("  on t: fetch_add(x, v, r)\n", ""))
        .exits(2)
        .says("`x` is not known here")
        .says("the rule has no line `on t: fetch_add(x, v, r)`, which binds what it is called with");
    // Of a rule that is left out, and of one that is another's.
    let more = format!(
        "{spec}\ninstruction swap (x: local, v: value)  \"x gets v\"\nrule swap/now (t: Thread)\n  on t: fetch_add(x, v, r)\n  then r := v\n"
    );
    told(&more).exits(2).says("nothing runs the instruction `swap`").says("the rule `swap/now` is of `fetch_add`");
    // One that is short for others, and one that is known to declarative models by its events, are run.
    let short = format!("{spec}\ninstruction both (rs: [request], flag: flag) \"\" = {{ all_done(rs, flag) }}\n");
    told(&short).exits(0);
    let events = include_str!("../../examples/my-rdma.spec")
        .replace("rule drain", "rule poll/again")
        .replace("on t: drain(n)", "on t: poll(n)");
    std::fs::write(dir.path().join("events.spec"), events).expect("files can be written");
    litmpi_in(dir.path(), ["enumerate", "--spec", "events.spec", "--model", "my-rdma.cat", "drain.litmus"]).exits(0);
}
