//! No name is taken on faith: one that is not known, or that nobody uses, is told with its place and the name that was likely meant.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use litmpi_litmus::{Asked, check_names, library, parse_family};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::shipped::MODELS;
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// A test of RDMA programs: thread 1 runs the text on node 1.
fn rdma(body: &str, claim: &str) -> String {
    format!(
        "litmus rdma t \"t\"\nnode 1 {{ x = 0  buffer = 0 }}\nnode 2 {{ z = 0 }}\nthread 1 on 1 {{ {body} }}\n{claim}\n"
    )
}

fn mpi(zero: &str, one: &str, claim: &str) -> String {
    format!("litmus mpi t \"t\"\nrank 0 {{ {zero} }}\nrank 1 {{ {one} }}\n{claim}\n")
}

#[test]
fn misspelt_names_of_a_test_are_told_with_the_likely_one() {
    let z = "exists z = 0";
    let verdict = |v: &str| rdma("z@2 := x", &format!("{z}\n  {v}"));
    let cases: &[(String, &[&str])] = &[
        (
            rdma("buffer := 1  z@2 := bufer", z),
            &["t.litmus:4", "`bufer` is read, and nothing assigns or declares it", "did you mean `buffer`?"],
        ),
        (
            rdma("z@2 := source", z),
            &["t.litmus:4", "`source` is read, and nothing assigns or declares it", "declare it"],
        ),
        (rdma("value := x  z@2 := (valeu)", z), &["t.litmus:4", "valeu"]),
        (
            rdma("result := x  if x = 1 { resutl := 2 }", "exists 1:result = 1"),
            &["`resutl` is assigned, and nothing reads or observes it", "did you mean `result`?"],
        ),
        (
            rdma("result := x  outcome := 2", "exists 1:result = 1"),
            &["t.litmus:4", "`outcome` is assigned, and nothing reads or observes it", "observe it (`locations`)"],
        ),
        (
            mpi("MPI_Send(1, dest: 1)  outcome := 1 + 2", "MPI_Recv(a, source: 0)", "exists a = 1"),
            &["`outcome` is assigned, and nothing reads or observes it"],
        ),
        (
            mpi("MPI_Send(1, dest: 1)", "MPI_Recv(mesage, source: 0)  message := 3  n := message", "exists n = 1"),
            &["`mesage` stands nowhere else", "did you mean `message`?"],
        ),
        // What an instruction looks at, however short the name is.
        (
            mpi("MPI_Irecv(a, source: 1, request: req)  MPI_Wait(reg)", "MPI_Send(1, dest: 0)", "exists a = 1"),
            &["t.litmus:2", "`reg` is read, and nothing assigns or declares it", "did you mean `req`?"],
        ),
        (
            mpi("MPI_Irecv(a, source: 1, request: r)  MPI_Waitall([r, q])", "MPI_Send(1, dest: 0)", "exists a = 1"),
            &["t.litmus:2", "`q` is read", "begin its name with `_`"],
        ),
        (
            mpi("MPI_Comm_dup(newcomm: comm)  MPI_Barrier(comn)", "MPI_Comm_dup(newcomm: c)", "forall true"),
            &["`comn` is neither declared nor assigned", "did you mean `comm`?"],
        ),
        (
            mpi("MPI_Comm_dup(newcomm: c)  MPI_Comm_free(d)", "MPI_Comm_dup(newcomm: c)", "forall true"),
            &["`d` is read"],
        ),
        (mpi("MPI_Type_contiguous(2, newtype: t)  MPI_Type_commit(u)", "", "forall true"), &["`u` is read"]),
        (mpi("MPI_Comm_group(group: g)  MPI_Group_size(h, n)", "", "exists n = 2"), &["`h` is neither"]),
        (mpi("MPI_Op_create(1, 0, op: o)  MPI_Allreduce(2, b, op: p)", "", "forall true"), &["`p` is neither"]),
        (mpi("MPI_Win_create(a, win: w)  MPI_Win_fence(0, v)", "", "forall true"), &["`v` is neither"]),
        (
            mpi(
                "MPI_Recv(a, source: 1, status: s)  MPI_Get_count(st, count: n)",
                "MPI_Send(1, dest: 0)",
                "exists n = 1",
            ),
            &["`st` is read", "did you mean `s`?"],
        ),
        (
            mpi("MPI_Mprobe(source: 1, message: m)  MPI_Mrecv(a, message: n)", "MPI_Send(1, dest: 0)", "exists a = 1"),
            &["`n` is read"],
        ),
        // A buffer that a call only reads.
        (
            mpi("int x = 5  MPI_Send(y, dest: 1)", "MPI_Recv(a, source: 0)", "exists a = 5"),
            &["t.litmus:2", "`y` is read, and nothing assigns or declares it"],
        ),
        (
            mpi("MPI_Reduce(mine, sum, root: 0)", "MPI_Reduce(1, all, root: 0)", "exists sum = 1"),
            &["`mine` is read, and nothing assigns or declares it"],
        ),
        (
            mpi("MPI_Win_create(a, win: w)  MPI_Accumulate(b, target_rank: 1, win: w)", "", "exists a = 1"),
            &["`b` is read, and nothing assigns or declares it"],
        ),
        (mpi("MPI_Send(1, dest: to)", "MPI_Recv(a, source: 0)", "exists a = 1"), &["`to` is neither"]),
        (
            verdict("verdict rdma-tsoo allowed because \"x\""),
            &["t.litmus:6:11", "no model is called `rdma-tsoo`", "did you mean `rdma-tso`?"],
        ),
        (verdict("verdict mine allowed because \"x\""), &["no model is called `mine`", "models: "]),
        (
            verdict("verdict rdma-tso (no-pice) allowed because \"x\""),
            &["model rdma-tso has no variant `no-pice`", "did you mean `no-pcie`?"],
        ),
        (
            verdict("verdict core-rma (unorderd) allowed because \"x\""),
            &["model core-rma has no variant `unorderd`", "did you mean `unordered`?"],
        ),
        (
            verdict("tells apart rdma-tso rdma-cs because \"x\""),
            &["no model is called `rdma-cs`", "did you mean `rdma-sc`?"],
        ),
        (verdict("agree rdma-tso rdma-tso.cats because \"x\""), &["no model is called `rdma-tso.cats`"]),
        (
            verdict("verdict rdma-tso allowed cite rdma-tos \"Fig. 1\""),
            &["no work is called `rdma-tos`", "did you mean `rdma-tso`?"],
        ),
        (
            verdict("seen \"2%\" on \"CX5\" cite MPI-4.0 \"§3\""),
            &["no work is called `MPI-4.0`", "did you mean `MPI-4.1`?"],
        ),
    ];
    for (text, says) in cases {
        let dir = folder(&[("t.litmus", text)]);
        for command in [&["enumerate"][..], &["check"], &["explain"]] {
            let said = litmpi_in(dir.path(), command.iter().copied().chain(["t.litmus"]));
            assert_eq!(said.code, Some(2), "{text}\n{said}");
            says.iter().for_each(|s| _ = said.says(s));
        }
    }
}

#[test]
fn names_that_are_meant_are_no_slips() {
    let fine = [
        mpi("MPI_Isend(1, dest: 1, request: r)", "MPI_Recv(a, source: 0)", "exists true"),
        mpi(
            "MPI_Irecv(b1, source: 1, request: r1)  MPI_Irecv(b2, source: 1, request: r2)",
            "MPI_Send(1, dest: 0)",
            "exists true",
        ),
        mpi("int x = 0  MPI_Send(x, dest: 1)", "MPI_Recv(y, source: 0)", "exists y = 0"),
        mpi(
            "MPI_Recv(x, source: 1)  MPI_Send(x, dest: 1)",
            "MPI_Send(1, dest: 0)  MPI_Recv(y, source: 0)",
            "exists y = 1",
        ),
        mpi(
            "MPI_Bcast(x, root: 0)  MPI_Send(_z, dest: 1)",
            "MPI_Bcast(x, root: 0)  MPI_Recv(y, source: 0)",
            "exists y = 0",
        ),
        mpi("MPI_Wait(_null)  MPI_Send(1, dest: 1)", "MPI_Recv(a, source: 0, status: s)", "exists a = 1"),
        rdma("_unused := x", "exists z = 0"),
        rdma("a := x  b := x", "exists 1:a = 1"),
        rdma("a := x  z@2 := x", "exists z = 0 locations 1:a")
            .replace("exists z = 0 locations 1:a", "locations 1:a\nexists z = 0"),
        rdma("z@2 := x", "exists z = 0\n  verdict rdma-tso allowed cite my-own-notes \"p. 3\""),
    ];
    for text in fine {
        let dir = folder(&[("t.litmus", &text)]);
        let said = litmpi_in(dir.path(), ["enumerate", "t.litmus"]);
        assert_eq!(said.code, Some(0), "{text}\n{said}");
    }
}

/// A test's names are asked of every model of rules that it has a verdict of, since instructions differ between the models of a family.
#[test]
fn every_test_of_the_library_uses_its_names() {
    let families = [("mpi", "mpi"), ("rdma", "rdma-tso"), ("x86", "tso"), ("loco", "loco")];
    let mut models: BTreeMap<String, Spec> = BTreeMap::new();
    for path in library::find(&[root().join("litmus")]).expect("the library") {
        let source = Source::read(&path).expect("a readable file");
        let family = parse_family(&source).expect("a family");
        let (_, usual) = families.iter().find(|(f, _)| *f == family).expect("a shipped family");
        let verdicts = source.text.split("verdict ").skip(1).filter_map(|v| v.split_whitespace().next());
        let of_rules = verdicts.filter(|name| MODELS.iter().any(|(model, _)| model == name));
        let mut asked: BTreeSet<&str> = of_rules.collect();
        if asked.is_empty() {
            asked.insert(usual);
        }
        for name in asked {
            let spec = models.entry(name.to_owned()).or_insert_with(|| load_shipped(name).expect("a shipped model"));
            check_names(&source, &spec.instructions, Asked::Outcomes)
                .unwrap_or_else(|r| panic!("by {name}: {}", r.render(false)));
        }
    }
    assert!(models.contains_key("rdma-wait") && models.contains_key("verbs"), "{:?}", models.keys());
}

/// A model of one's own whose memory has the name.
fn own(memory: &str) -> String {
    let rules = std::fs::read_to_string(root().join("spec/cpu/sc.spec")).expect("the file of sc");
    let renamed: String = rules
        .split_inclusive(|c: char| !c.is_alphanumeric() && c != '_')
        .map(|word| {
            let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if name == "M" { word.replacen('M', memory, 1) } else { word.to_owned() }
        })
        .collect();
    renamed.replace("model sc ", "model mine ").replace("import \"", "import \"cpu/")
}

#[test]
fn the_memory_of_a_model_of_ones_own_is_found_or_asked_for() {
    let test = "litmus x86 t \"t\"\nnode 1 { x = 3 }\nthread 1 on 1 { x := 7 }\nexists x = 7\n".replace("x86", "rdma");
    let twice = own("Mem").replace(
        "state Mem[x: Loc]: Int = x.initial",
        "state Mem[x: Loc]: Int = x.initial\nstate Shadow[x: Loc]: Int = 0",
    );
    let dir = folder(&[("t.litmus", &test), ("one.spec", &own("Mem")), ("two.spec", &twice)]);
    for (file, memory) in [("one.spec", "Mem"), ("two.spec", "Mem")] {
        assert!(
            std::fs::read_to_string(dir.path().join(file))
                .expect("it is there")
                .contains(&format!("state {memory}[x: Loc]"))
        );
    }
    litmpi_in(dir.path(), ["enumerate", "--spec", "one.spec", "t.litmus"]).exits(0).says("x=7;");
    litmpi_in(dir.path(), ["enumerate", "--spec", "two.spec", "t.litmus"])
        .exits(2)
        .says("t.litmus:1")
        .says("several have an integer for each location: Mem, Shadow")
        .says("call the one that is memory `M`");
}

#[test]
fn a_remainder_by_zero_is_called_one_by_every_model() {
    for what in ["b := 5 % a", "if 5 % a = 1 { b := 1 }", "while 1 % a = 1 bound 2 { b := 1 }", "y := 5 % a"] {
        let body = format!("node 1 {{ x = 0 y = 0 }}\nthread 1 on 1 {{\na := x\nb := 1\n{what}\n}}\n");
        let text = format!("litmus rdma t \"t\"\n{body}exists 1:b = 0 /\\ y = 1\n");
        let dir = folder(&[("t.litmus", text.as_str())]);
        for model in ["rdma-tso", "tso.cat"] {
            let said = litmpi_in(dir.path(), ["enumerate", "--model", model, "t.litmus"]);
            said.exits(2).says("remainder by 0").says("t.litmus:6:1");
            assert!(!said.stderr.contains("overflow"), "{said}");
        }
    }
}

#[test]
fn an_overflow_of_the_program_has_its_place() {
    let mpi = "litmus mpi t \"t\"\nrank 0 {\nMPI_Recv(a, source: 1)\nr := a\nMPI_Send(1, dest: 1, tag: r * r)\n}\n\
               rank 1 { MPI_Send(100000, dest: 0) }\nexists 0:r = 1\n";
    let dir = folder(&[("t.litmus", mpi)]);
    litmpi_in(dir.path(), ["enumerate", "t.litmus"]).exits(2).says("overflows 32 bits").says("t.litmus:5:1");
}

#[test]
fn names_on_the_command_line_and_in_files_are_looked_up() {
    let test = rdma("z@2 := x", "exists z = 0");
    let files = [
        ("t.litmus", test.as_str()),
        ("targets.toml", "[[target]]\nname = \"a\"\nfamliy = \"mpi\"\n"),
        ("known.toml", "[[violatoin]]\ntest = \"t\"\n"),
        ("layers.toml", "[[refinment]]\nrun = \"a\"\n"),
        ("except.toml", "[[never]]\nmodel = \"rdma-tso\"\nruel = \"a\"\nbecause = \"b\"\n"),
        ("without.spec", "model m \"m\"\nimport \"rdma/tso.spec\"\nwithout reqLL\n"),
        (
            "commutes.spec",
            "model m \"m\"\nimport \"cpu/kinds.spec\"\ninstruction w (x: local)\nrule r (t: Thread)\n  on t: w(x)\n  commutes with nobody because \"x\"\n",
        ),
        ("included.cat", "\"m\"\ninclude \"rdma-tso-bsae.cat\"\n"),
    ];
    let dir = folder(&files);
    let cases: &[(&[&str], &str)] = &[
        (&["enumerate", "t.litmus", "--variant", "inlin"], "inlin"),
        (&["enumerate", "t.litmus", "--model", "rdma-tos"], "did you mean `rdma-tso`?"),
        (&["check", "t.litmus", "--model", "rdma-tso,rdma-tos"], "did you mean `rdma-tso`?"),
        (&["compare", "t.litmus", "--model", "rdma-tso:inlin"], "no variant `inlin`"),
        (&["run", "t.litmus", "--target", "nci"], "no target is called `nci`"),
        (&["refine", "rdma-tso:inlin", "--against", "rdma-tso"], "no variant `inlin`"),
        (&["laws", "--law", "sendrcv"], "no law is called `sendrcv`"),
        (&["targets", "--targets", "targets.toml"], "famliy"),
        (&["run", "t.litmus", "--known", "known.toml"], "violatoin"),
        (&["layers", "--list", "layers.toml"], "refinment"),
        (&["coverage", "t.litmus", "--except", "except.toml"], "ruel"),
        (&["enumerate", "t.litmus", "--spec", "without.spec"], "no imported rule is called `reqLL`"),
        (&["enumerate", "t.litmus", "--spec", "commutes.spec"], "nobody"),
        (&["enumerate", "t.litmus", "--model", "./included.cat"], "rdma-tso-bsae.cat"),
        (&["explain", "t.litmus", "--outcome", "zz=1"], "zz"),
    ];
    for (args, says) in cases {
        let said = litmpi_in(dir.path(), *args);
        assert_eq!(said.code, Some(2), "{args:?}\n{said}");
        said.says(says);
    }
}

#[test]
fn functions_that_laws_name_are_those_of_the_specification() {
    let good = "laws own \"of one's own\"\nlaw a \"a\"\n  for X in Send, Ssend\n  without MPI_I<x>\n  never MPI_Recv where source = 1\n  \
                first { MPI_Barrier() }\n  one MPI_<X> \u{2243} { MPI_I<x>(\u{2026}, request: q) MPI_Wait(q) }\n\
                order b \"b\"\n  process { S: MPI_Isend  T: MPI_*end } where S.dest = T.dest\n  S is_received \u{227a} T is_received\n\
                piece p { rank A { -- MPI_Nothing()\n  MPI_Send(1, dest: B) if (rank = 0) { MPI_Barrier() } } each { MPI_Barrier() } }\n";
    let run = |text: &str| {
        let dir = folder(&[("own.laws", text)]);
        litmpi_in(dir.path(), ["laws", "--laws", "own.laws", "--bound", "0", "--random", "0", "--law", "a"])
    };
    let fine = run(good);
    assert!(!fine.stderr.contains("no function"), "{fine}");
    let cases = [
        ("for X in Send, Ssend", "for X in Send, Ssned", "own.laws:7:7", "`MPI_Ssned`", "did you mean `MPI_Ssend`?"),
        ("without MPI_I<x>", "without MPI_Y<x>", "own.laws:4:11", "`MPI_Ysend`", "did you mean `MPI_Isend`?"),
        ("never MPI_Recv", "never MPI_Recb", "own.laws:5:9", "`MPI_Recb`", "did you mean `MPI_Recv`?"),
        (
            "first { MPI_Barrier()",
            "first { MPI_Barier()",
            "own.laws:6:11",
            "`MPI_Barier`",
            "did you mean `MPI_Barrier`?",
        ),
        ("MPI_Wait(q)", "MPI_Wiat(q)", "own.laws:7:43", "`MPI_Wiat`", "did you mean `MPI_Wait`?"),
        ("S: MPI_Isend", "S: MPI_Isned", "own.laws:9:16", "`MPI_Isned`", "did you mean `MPI_Isend`?"),
        ("T: MPI_*end", "T: MPI_*enf", "own.laws:9:30", "`MPI_*enf`", "functions are those"),
        ("MPI_Send(1, dest: B)", "MPI_Sned(1, dest: B)", "own.laws:12:3", "`MPI_Sned`", "did you mean `MPI_Send`?"),
        ("each { MPI_Barrier", "each { MPI_Barier", "own.laws:12:65", "`MPI_Barier`", "did you mean `MPI_Barrier`?"),
    ];
    for (from, to, place, name, help) in cases {
        let said = run(&good.replacen(from, to, 1));
        said.exits(2).says("no function is called ").says(place).says(name).says(help);
    }
}

#[test]
fn a_slip_in_a_table_is_answered_with_the_likely_name() {
    let test = rdma("z@2 := x", "exists z = 0");
    let cases: [(&[&str], &str, (&str, &str)); 5] = [
        (
            &["run", "t.litmus", "--known", "t.toml"],
            "[[known]]\ntests = []\nlibary = \"MPICH\"\n",
            ("t.toml:3:1", "unknown field `libary`"),
        ),
        (&["targets", "--targets", "t.toml"], "[[target]]\nlanch = []\n", ("t.toml:2:1", "unknown field `lanch`")),
        (
            &["run", "t.litmus", "--tuned", "t.toml"],
            "[[tuned]]\ntset = \"t\"\n",
            ("t.toml:2:1", "unknown field `tset`"),
        ),
        (&["layers", "--list", "t.toml"], "[[refinement]]\nmistke = true\n", ("t.toml:2:1", "unknown field `mistke`")),
        (
            &["coverage", "t.litmus", "--except", "t.toml"],
            "[[never]]\nmodle = \"x\"\n",
            ("t.toml:2:1", "unknown field `modle`"),
        ),
    ];
    let likely = ["library", "launch", "test", "mistake", "model"];
    for ((args, table, (place, unknown)), likely) in cases.into_iter().zip(likely) {
        let dir = folder(&[("t.litmus", &test), ("t.toml", table)]);
        litmpi_in(dir.path(), args).exits(2).says(place).says(unknown).says(&format!("did you mean `{likely}`?"));
    }
}

#[test]
fn what_is_no_file_is_neither_read_for_ever_nor_written_to() {
    for device in ["/dev/full", "/dev/null"] {
        let dir = folder(&[("t.litmus", &rdma("z@2 := x", "exists z = 0"))]);
        std::os::unix::fs::symlink(device, dir.path().join("t.expected")).expect("a link");
        for args in [&["check", "t.litmus", "--accept"][..], &["check", "t.litmus"]] {
            litmpi_in(dir.path(), args).exits(2).says("`t.expected` is where complete sets are kept, and is no file");
        }
    }
    let dir = folder(&[]);
    litmpi_in(dir.path(), ["enumerate", "/dev/zero"]).exits(2).says("cannot read /dev/zero").says("does not end");
    litmpi_in(dir.path(), ["clauses", "no", "none"]).exits(2).says("file or folder `no`").says("file or folder `none`");
}

#[test]
fn variants_are_named_in_one_way_and_hold_together() {
    // It deadlocks if sends are not buffered, and if the broadcast synchronises.
    let test = "litmus mpi zero \"sends that meet, then a broadcast that a message comes after\"\n\
                rank 0 { MPI_Send(1, dest: 1) MPI_Recv(a, source: 1) MPI_Bcast(b, root: 0) MPI_Ssend(2, dest: 1) }\n\
                rank 1 { MPI_Send(3, dest: 0) MPI_Recv(c, source: 0) MPI_Recv(d, source: 0) MPI_Bcast(e, root: 0) }\n\
                exists deadlock\n  verdict mpi allowed because \"nobody has to buffer\"\n";
    let dir = folder(&[("zero.litmus", test)]);
    let outcomes = |args: &[&str]| {
        let said = litmpi_in(dir.path(), ["enumerate", "zero.litmus"].iter().chain(args));
        said.exits(0).stdout.lines().filter(|l| ["deadlock", "{}"].contains(l)).map(str::to_owned).collect::<Vec<_>>()
    };
    let all = outcomes(&[]);
    assert!(all.len() == 2 && all.contains(&"deadlock".to_owned()), "{all:?}");
    let both = outcomes(&["--variant", "rendezvous+synchronising"]);
    assert_eq!(both, ["deadlock"]);
    assert_eq!(both, outcomes(&["--model", "mpi:rendezvous+synchronising"]));
    assert_eq!(outcomes(&["--variant", "eager"]), all);
    assert_eq!(outcomes(&["--variant", "non-synchronising"]), all);
    let eager = outcomes(&["--model", "mpi:eager+non-synchronising"]);
    assert!(eager.len() == 1 && eager[0] != "deadlock", "{eager:?}");
    litmpi_in(dir.path(), ["compare", "zero.litmus", "--model", "mpi,mpi:rendezvous+synchronising"]).exits(0);
    for (args, says) in [
        (&["--variant", "rendezvous+synchronizing"][..], "has no variant `rendezvous+synchronizing`"),
        (&["--variant", "rendezvous+rendezvous"], "two of them set `buffering`"),
        (&["--variant", "rendezvous+"], "has no variant"),
        (&["--model", "mpi:eager", "--variant", "rendezvous"], "names a variant, and `--variant` another one"),
        (&["--model", "mpi.cat:x"], "mpi.cat"),
    ] {
        litmpi_in(dir.path(), ["enumerate", "zero.litmus"].iter().chain(args)).exits(2).says(says);
    }
}

#[test]
fn models_and_suites_are_named_in_one_way_and_the_old_ones_are_still_taken() {
    let same = |new: &[&str], old: &[&str]| {
        let (new, old) = (litmpi_in(&root(), new), litmpi_in(&root(), old));
        assert_eq!((new.code, &new.stdout), (old.code, &old.stdout), "{new}\n{old}");
        assert!(new.code == Some(0) && !new.stdout.is_empty(), "{new}");
    };
    let test = "litmus/rdma/MP1.litmus";
    same(&["check", test, "--model", "rdma-tso,rdma-tso.cat"], &["check", test, "--models", "rdma-tso,rdma-tso.cat"]);
    same(&["check", test, "--model", "all"], &["check", test]);
    same(&["compare", test, "--model", "rdma-tso,sc"], &["compare", test, "--models", "rdma-tso,sc"]);
    let dir = folder(&[]);
    let (new, old) = (dir.path().join("new"), dir.path().join("old"));
    let file = "litmus/mpi/order-causal.litmus";
    litmpi_in(&root(), ["suite", file, "-o", &new.display().to_string()]).exits(0);
    litmpi_in(&root(), ["suite", &old.display().to_string(), "--from", file]).exits(0);
    let read =
        |folder: &std::path::Path| std::fs::read_to_string(folder.join("tests/order_causal.c")).expect("a program");
    assert_eq!(read(&new), read(&old));
    litmpi_in(&root(), ["suite", file]).exits(2).says("no folder is named").says("-o DIR");
    for (command, option) in [("check", "--models"), ("compare", "--models"), ("suite", "--from")] {
        let help = litmpi_in(&root(), [command, "--help"]);
        assert!(!help.exits(0).stdout.contains(option), "{help}");
    }
}

#[test]
fn help_shows_an_option_of_many_commands_where_it_means_something() {
    for (command, shards, no_tests) in
        [("run", true, true), ("list", false, true), ("verify", false, false), ("lab run", false, false)]
    {
        let said = litmpi_in(&root(), command.split(' ').chain(["--help"]));
        let help = &said.exits(0).stdout;
        assert_eq!((help.contains("--shard "), help.contains("--no-tests")), (shards, no_tests), "{command}");
    }
}
