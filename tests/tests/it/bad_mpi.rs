//! MPI programs that are wrong: a located error, or `erroneous` with the clause; and never a panic, whatever the text.

use crate::command::root;
use crate::planted::planted;
use crate::support::litmpi_in;
use litmpi_litmus::ast::Outcome;
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_spec::decl::{Form, Instruction, Instructions, Param, Shape};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

fn mpi() -> Arc<Spec> {
    Arc::new(load_shipped("mpi").expect("mpi"))
}

/// A program of one statement; the statement stands in line 3.
fn one(statement: &str) -> String {
    format!("litmus mpi t \"t\"\nrank 0 {{ int x = 1\n{statement}\n}}\nexists true\n")
}

/// An argument of the kind that a parameter wants.
fn right(p: &Param, i: usize, decls: &Instructions) -> Option<String> {
    let kind = decls.kind(p);
    let one = match &kind.shape {
        Shape::Local | Shape::LocalOrNone => "x".to_owned(),
        Shape::Int => kind.names.first().map_or("1".to_owned(), |(name, _)| name.clone()),
        Shape::Register(_) => format!("r{i}"),
        Shape::Handle(_) => kind.names.first()?.0.clone(),
        _ => return None,
    };
    Some(if p.list { format!("[{one}]") } else { one })
}

/// Arguments that the parameter does not want, of which each must be told.
fn wrong(p: &Param, decls: &Instructions) -> Vec<&'static str> {
    let one = match decls.kind(p).shape {
        Shape::Int => ["nosuch", "nosuch + 1"],
        Shape::Handle(_) => ["5", "nosuch"],
        Shape::Register(_) => ["5", "MPI_COMM_WORLD"],
        _ => ["MPI_COMM_WORLD", "MPI_ANY_SOURCE"],
    };
    if p.list { vec!["x", "[[x]]"] } else { one.into_iter().chain(["[1, 2]"]).collect() }
}

#[test]
fn every_function_of_mpi_says_where_its_arguments_are_wrong() {
    let spec = mpi();
    let decls = &spec.instructions;
    let functions: Vec<&Instruction> = decls
        .list
        .iter()
        .filter(|i| !i.internal && i.name.starts_with("MPI_") && matches!(i.form, Form::Call))
        .collect();
    let (mut tried, mut cases) = (0, 0);
    for f in functions {
        let args: Option<Vec<String>> = f.params.iter().enumerate().map(|(i, p)| right(p, i, decls)).collect();
        let Some(args) = args else { continue };
        let call = |args: &[String]| one(&format!("{}({})", f.name, args.join(", ")));
        if let Err(report) = parse(&Source::new("t", call(&args)), decls) {
            // Some arguments must have been made by another call.
            assert!(report.to_string().contains("neither declared nor assigned"), "{}: {report}", f.name);
            continue;
        }
        tried += 1;
        let mut bad = vec![call(&[&args[..], &["x".to_owned()]].concat()), one(&format!("{}(nosuch: 1)", f.name))];
        if f.params.iter().any(|p| p.default.is_none()) {
            bad.push(call(&[]));
        }
        for (i, p) in f.params.iter().enumerate() {
            for arg in wrong(p, decls) {
                let mut args = args.clone();
                args[i] = arg.to_owned();
                bad.push(call(&args));
            }
        }
        for text in bad {
            cases += 1;
            match parse(&Source::new("t", text.as_str()), decls) {
                Ok(_) => panic!("nothing is said of\n{text}"),
                Err(report) => assert!(report.to_string().contains("t:3:"), "{text}\n{report}"),
            }
        }
    }
    assert!(tried > 120 && cases > 1500, "{tried} functions, {cases} cases");
}

/// What a program of two ranks may end in.
fn outcomes(spec: &Arc<Spec>, first: &str, second: &str) -> BTreeSet<Outcome> {
    let text = format!("litmus mpi t \"t\"\nrank 0 {{ {first} }}\nrank 1 {{ {second} }}\nexists true\n");
    let test = parse(&Source::new("t", text.as_str()), &spec.instructions).unwrap_or_else(|r| panic!("{text}\n{r}"));
    let model = Operational::new(&test, &Setup::new(Arc::clone(spec))).unwrap_or_else(|r| panic!("{text}\n{r}"));
    model.outcomes().unwrap_or_else(|r| panic!("{text}\n{r}")).set
}

/// Every way to run it is erroneous, for this reason, by a rule that names the section of the standard.
fn erroneous(spec: &Arc<Spec>, first: &str, second: &str, why: &str) {
    let all = outcomes(spec, first, second);
    assert!(!all.is_empty(), "{first}");
    for o in all {
        let Outcome::Erroneous { rule, reason } = &o else { panic!("{first}: {o:?}") };
        assert!(reason.contains(why), "{first}: {reason}");
        let rule = spec.rules.iter().find(|r| r.name == *rule).expect("a rule");
        assert!(rule.cite.contains('§'), "{} cites {}", rule.name, rule.cite);
    }
}

#[test]
fn a_rank_that_is_none_is_erroneous_in_every_family() {
    let spec = mpi();
    let no_rank = [
        ("MPI_Send(x, dest: 2)", "no rank of the communicator"),
        ("MPI_Isend(x, dest: -7, request: q)", "no rank of the communicator"),
        ("MPI_Send_init(x, dest: 2, request: q) MPI_Start(q)", "no rank of the communicator"),
        ("MPI_Recv(x, source: 2)", "no rank of the communicator"),
        ("MPI_Recv_init(x, source: 2, request: q) MPI_Start(q)", "no rank of the communicator"),
        ("MPI_Sendrecv(x, dest: 2, recvbuf: y, source: 1)", "no rank of the communicator"),
        ("MPI_Probe(source: 2)", "no rank of the communicator"),
        ("MPI_Mprobe(source: 2, message: m)", "no rank of the communicator"),
        ("MPI_Bcast(x, root: 2)", "the root is no rank"),
        ("MPI_Gather(x, recvbuf: y, root: 2)", "the root is no rank"),
        ("MPI_Scatterv(x, sendcounts: [1, 1], displs: [0, 0], recvbuf: y, root: 2)", "the root is no rank"),
        ("MPI_Ireduce(x, y, root: 2, request: q)", "the root is no rank"),
        ("MPI_Comm_group(MPI_COMM_WORLD, g) MPI_Group_incl(g, [2], h)", "rank"),
        ("MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, [1], [0], c)", "rank"),
        ("MPI_Cart_create(MPI_COMM_SELF, [1], [0], c) MPI_Cart_rank(c, [3], n)", "coordinate"),
        ("MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 1, 0, c)", "rank"),
    ];
    for (call, why) in no_rank {
        erroneous(&spec, call, "", why);
    }
}

#[test]
fn objects_that_are_not_there_are_erroneous_in_every_family() {
    let spec = mpi();
    let freed = "MPI_Comm_dup(MPI_COMM_SELF, c) MPI_Comm_free(c)";
    let uncommitted = "MPI_Type_contiguous(1, MPI_INT, t)";
    let calls = [
        (freed, "MPI_Send(x, dest: 0, comm: c)", "communicator"),
        (freed, "MPI_Recv_init(x, source: 0, comm: c, request: q) MPI_Start(q)", "communicator"),
        (freed, "MPI_Allgatherv(x, recvbuf: y, recvcounts: [1], displs: [0], comm: c)", "communicator"),
        (freed, "MPI_Ibarrier(c, q)", "communicator"),
        (freed, "MPI_Cart_create(c, [1], [0], d)", "communicator"),
        (freed, "MPI_Comm_split(c, 0, 0, d)", "communicator"),
        (uncommitted, "MPI_Send(x, 1, t, dest: 1)", "not committed"),
        (uncommitted, "MPI_Irecv(x, 1, t, source: 1, request: q)", "not committed"),
        (uncommitted, "MPI_Recv_init(x, 1, t, source: 1, request: q) MPI_Start(q)", "not committed"),
        (uncommitted, "MPI_Bcast(x, 1, t, root: 0, comm: MPI_COMM_SELF)", "not committed"),
        (uncommitted, "MPI_Type_free(t) MPI_Type_vector(1, 1, 1, t, u)", "datatype"),
        ("", "MPI_Type_contiguous(1, MPI_DATATYPE_NULL, t)", "datatype"),
        ("", "MPI_Type_vector(-1, 1, 1, MPI_INT, t)", "negative"),
        ("", "MPI_Start(q)", "persistent"),
        ("", "MPI_Neighbor_allgather(x, recvbuf: y, comm: MPI_COMM_SELF)", "topology"),
        ("", "MPI_Cart_coords(MPI_COMM_SELF, 0, [n])", "topology"),
    ];
    for (before, call, why) in calls {
        erroneous(&spec, &format!("{before} {call}"), "", why);
    }
}

#[test]
fn a_count_that_the_buffer_does_not_hold_is_erroneous_in_every_family() {
    let spec = mpi();
    let world = ", comm: MPI_COMM_SELF";
    let calls = [
        "MPI_Send(x, 3, dest: 1)".to_owned(),
        "MPI_Bsend(x, -1, dest: 1)".to_owned(),
        "MPI_Irecv(x, 3, source: 1, request: q)".to_owned(),
        "MPI_Send_init(x, 3, dest: 1, request: q) MPI_Start(q)".to_owned(),
        "MPI_Sendrecv_replace(x, 3, dest: 1, source: 1)".to_owned(),
        format!("MPI_Bcast(x, 3, root: 0{world})"),
        format!("MPI_Gather(x, recvbuf: y, recvcount: 3, sendcount: 3, root: 0{world})"),
        format!("MPI_Gatherv(x, recvbuf: y, recvcounts: [1], displs: [3], root: 0{world})"),
        format!("MPI_Scatterv(x, sendcounts: [3], displs: [0], recvbuf: y, root: 0{world})"),
        format!("MPI_Alltoallv(x, sendcounts: [1], sdispls: [-1], recvbuf: y, recvcounts: [1], rdispls: [0]{world})"),
        format!("MPI_Iallreduce(x, y, count: 3{world}, request: q)"),
        format!("MPI_Reduce_scatter(x, y, recvcounts: [3]{world})"),
        format!("MPI_Scan(x, y, count: 3{world})"),
        "MPI_Cart_create(MPI_COMM_SELF, [1], [1], c) MPI_Neighbor_alltoall(x, recvbuf: y, sendcount: 3, recvcount: 3, comm: c)".to_owned(),
    ];
    for call in calls {
        let all = outcomes(&spec, &format!("int x[2] int y[2] {call}"), "");
        let fits = |o: &Outcome| matches!(o, Outcome::Erroneous { reason, .. } if ["fewer", "beyond", "negative", "buffer"].iter().any(|w| reason.contains(w)));
        assert!(!all.is_empty() && all.iter().all(fits), "{call}: {all:?}");
    }
}

#[test]
fn a_collective_that_some_ranks_do_not_call_is_a_deadlock_and_another_one_is_erroneous() {
    let spec = mpi();
    let make = "MPI_Cart_create(MPI_COMM_WORLD, [2], [1], c)";
    let calls = [
        ("MPI_Barrier()", "MPI_Bcast(x, root: 0)"),
        ("MPI_Allreduce(x, y)", "MPI_Allreduce(x, y, op: MPI_MAX)"),
        (
            "MPI_Gatherv(x, recvbuf: v, recvcounts: [1, 1], displs: [0, 1], root: 0)",
            "MPI_Gather(x, recvbuf: v, root: 1)",
        ),
        (
            "MPI_Alltoallv(v, sendcounts: [1, 1], sdispls: [0, 1], recvbuf: w, recvcounts: [1, 1], rdispls: [0, 1])",
            "MPI_Barrier()",
        ),
        ("MPI_Ibarrier(MPI_COMM_WORLD, q) MPI_Wait(q)", "MPI_Barrier()"),
        ("MPI_Comm_dup(MPI_COMM_WORLD, d)", "MPI_Comm_split(MPI_COMM_WORLD, 0, 0, d)"),
        ("MPI_Cart_create(MPI_COMM_WORLD, [2], [1], d)", "MPI_Cart_create(MPI_COMM_WORLD, [2], [0], d)"),
        ("MPI_Scan(x, y)", "MPI_Exscan(x, y)"),
    ];
    let own = "int v[2] int w[2]";
    for (call, other) in calls {
        let alone = outcomes(&spec, &format!("{own} {call} z := 1"), "");
        assert!(alone.contains(&Outcome::Deadlock), "{call}: {alone:?}");
        erroneous(&spec, &format!("{own} {call}"), &format!("{own} {other}"), "");
    }
    let neighbour = "MPI_Neighbor_allgather(x, recvbuf: v, comm: c)";
    let alone = outcomes(&spec, &format!("int v[2] {make} {neighbour}"), make);
    assert_eq!(alone, BTreeSet::from([Outcome::Deadlock]));
}

/// A text with one thing or two changed: the same number, the same text.
fn mutated(text: &str, seed: u64, words: &[&str]) -> String {
    let mut state = seed;
    let mut roll = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % n.max(1)
    };
    let mut out = text.to_owned();
    for _ in 0..1 + roll(2) {
        let body = out.find('{').unwrap_or(0);
        let places: Vec<(usize, usize)> = out[body..]
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
            .filter(|w| !w.is_empty())
            .map(|w| (w.as_ptr() as usize - out.as_ptr() as usize, w.len()))
            .collect();
        let (at, len) = places[roll(places.len())];
        let word = &out[at..at + len];
        let alike = |w: &&&str| {
            w.starts_with("MPI_") == word.starts_with("MPI_")
                && w.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                    == word.starts_with(|c: char| c.is_ascii_digit())
                && (w.to_uppercase() == **w) == (word.to_uppercase() == word)
        };
        let fit: Vec<&&str> = words.iter().filter(alike).collect();
        if !fit.is_empty() {
            out.replace_range(at..at + len, fit[roll(fit.len())]);
        }
    }
    out
}

#[test]
fn no_command_panics_at_a_changed_test_of_the_library() {
    let spec = mpi();
    let folder = root().join("litmus/mpi");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the library").flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    let mut words =
        vec!["-1", "0", "1", "2", "3", "7", "65536", "2147483647", "-2147483648", "x", "a", "q", "request", "choose"];
    words.extend(spec.instructions.list.iter().filter(|i| !i.internal).map(|i| i.name.as_str()));
    words.extend(spec.instructions.kinds.iter().flat_map(|k| k.names.iter().map(|(n, _)| n.as_str())));
    let dir = tempfile::tempdir().expect("a folder");
    let mut kept = vec![];
    for (i, file) in files.iter().enumerate().step_by(13) {
        let text = std::fs::read_to_string(file).expect("a test");
        let text = mutated(&text, i as u64, &words);
        match parse(&Source::new("t", text.as_str()), &spec.instructions) {
            // A report of what is wrong can be shown.
            Err(report) => assert!(!report.render(false).is_empty()),
            Ok(test) if !kept.contains(&test.name) => {
                std::fs::write(dir.path().join(format!("{}.litmus", test.name)), text).expect("can be written");
                kept.push(test.name.clone());
            }
            Ok(_) => {}
        }
    }
    assert!(kept.len() > 12, "{} of {} can be read", kept.len(), files.len());
    let bound = ["--max-states", "200"];
    let emitted = dir.path().join("suite");
    let suite = emitted.to_str().expect("a plain path");
    let laws = ["--bound", "0", "--random", "0", "--most", "1", "--law", "Css", "--law", "blocking/Send"];
    for args in [
        [&["check", "."], &bound[..]].concat(),
        [&["enumerate", ".", "--depends"], &bound[..]].concat(),
        vec!["emit", "."],
        vec!["emit", "--lang", "rust", "."],
        [&["suite", suite, "--from", "."], &bound[..]].concat(),
        [&["laws", "."], &bound[..], &laws[..]].concat(),
    ] {
        let said = litmpi_in(dir.path(), &args);
        assert!(
            said.code.is_some_and(|c| (0..=4).contains(&c)) && !said.stderr.contains("panicked"),
            "{args:?}: {said}"
        );
    }
    for name in &kept[..4] {
        for outcome in ["deadlock", "erroneous"] {
            let file = format!("{name}.litmus");
            let args = ["explain", &file, "--outcome", outcome, "--graph", "g.svg", "--max-states", "500"];
            let said = litmpi_in(dir.path(), args);
            assert!(
                said.code.is_some_and(|c| (0..=2).contains(&c)) && !said.stderr.contains("panicked"),
                "{name}: {said}"
            );
        }
    }
}

#[test]
fn one_variable_for_two_results_of_a_call_is_refused() {
    let spec = mpi();
    for (statement, says) in [
        ("MPI_Waitsome([q, r], n, [i, i])", "`i` stands twice in `array_of_indices` of `MPI_Waitsome`"),
        ("MPI_Testsome([q, r], n, [i, n])", "`n` is both `outcount` and `array_of_indices` of `MPI_Testsome`"),
        ("MPI_Waitsome([q, r], n, [i, j], [s, s])", "`s` stands twice in `array_of_statuses` of `MPI_Waitsome`"),
        ("MPI_Testany([q, r], x, x)", "`x` is both `index` and `flag` of `MPI_Testany`"),
        ("MPI_Waitall([r, r])", "`r` stands twice in `array_of_requests` of `MPI_Waitall`"),
    ] {
        let told =
            parse(&Source::new("t.litmus", one(statement)), &spec.instructions).expect_err(statement).render(false);
        assert!(told.contains(says), "{told}");
        assert!(told.contains("t.litmus:3:"), "{told}");
    }
}

#[test]
fn what_has_no_defined_value_is_not_gone_by() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("reads.litmus");
    let text = "litmus mpi reads \"goes by the source of a send\"\nrank 0 {\n  MPI_Isend(1, dest: 1, request: q)\n  MPI_Wait(q, s)\n  \
                if s.source = 1 { }\n}\nrank 1 { MPI_Recv(a, source: 0) }\nexists true\n";
    std::fs::write(&file, text).expect("a test");
    let path = file.display().to_string();
    litmpi_in(&root(), ["enumerate", &path])
        .exits(2)
        .says("has no defined value")
        .says("where a call has given it one");
}

#[test]
fn a_function_that_says_which_number_is_no_value_takes_a_number() {
    let dir = planted("mpi/state.spec", "fun undefined_value(v: Int): Bool", "fun undefined_value(v: Bool): Bool");
    let test = format!("{}/litmus/mpi/grequest-left.litmus", root().display());
    litmpi_in(dir.path(), ["enumerate", "--spec", "mpi/mpi.spec", &test])
        .exits(2)
        .says("which integer in a register is no value")
        .says("fun undefined_value(v: Int): Bool");
}

#[test]
fn what_stands_for_an_object_is_given_by_a_name() {
    let source = Source::new("t.litmus", one("MPI_Win_allocate(info: 3, baseptr: m, win: w)"));
    let told = parse(&source, &mpi().instructions).expect_err("3 is no info object").to_string();
    assert!(told.contains("`info` is given by a name") && told.contains("`NO_ORDERING`"), "{told}");
}
