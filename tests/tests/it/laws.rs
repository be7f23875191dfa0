//! MPI against itself: laws and completes-before rules hold on generated programs, wrong ones and wrong rules of the model are
//! found (mpi-2-formal-spec §4.11, App. A).

use crate::command::{litmpi, root};
use crate::planted::planted;
use crate::support::{folder, litmpi_in};
use litmpi_mpi_model::Search;
use litmpi_mpi_model::laws::{Done, Item, Program, Refutation, SHIPPED, Setting, parse};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::sync::Arc;

const FEW: [&str; 6] = ["--bound", "1", "--most", "8", "--random", "1"];

#[test]
fn the_laws_of_mpi_hold_on_generated_programs_and_the_wrong_ones_are_refuted() {
    let out = litmpi(&[&["laws", "--json"], &FEW[..]].concat());
    // Some generated programs are beyond the bound of states: of their laws nothing is said to hold.
    assert_eq!(out.status.code(), Some(3), "{}", String::from_utf8_lossy(&out.stdout));
    let found: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let found = found.as_array().expect("laws");
    let wrong: Vec<_> = found.iter().filter(|f| f["wrong"] == true).collect();
    assert!(found.len() > 80 && wrong.len() > 6, "{} laws, {} wrong", found.len(), wrong.len());
    assert!(wrong.iter().all(|f| f["refuted"].is_object()));
    assert!(found.iter().all(|f| f["good"] != false && f["undecided"].as_u64() <= Some(1)), "{found:#?}");
    assert!(found.iter().filter(|f| f["wrong"] == false).all(|f| f["generated"].as_u64() > Some(0)));
}

#[test]
fn the_laws_of_mpi_hold_on_tests_of_the_library() {
    let tests =
        ["eager-head-to-head", "sendrecv-ring", "coll-bcast-race", "wait-all-exchange", "topo-does-not-change-results"];
    let files = tests.map(|t| format!("litmus/mpi/{t}.litmus"));
    let mut args: Vec<&str> = vec!["laws", "--bound", "0", "--random", "0", "--most", "1"];
    args.extend(files.iter().map(String::as_str));
    args.extend(["--law", "blocking", "--law", "sendrecv", "--law", "bcast", "--law", "waitall", "--law", "topology"]);
    let said = litmpi_in(&root(), args);
    said.exits(0).says("laws are as they say");
}

#[test]
fn a_wrong_law_is_refuted_by_a_program_from_which_nothing_can_be_left_out() {
    let law = "laws mpi \"of one's own\"\nlaw ordered \"two sends may change places\"\n  one MPI_Send where tag = 1 ≃ { MPI_Send(…, tag: 2) }\npiece p { rank A { MPI_Send(1, dest: B, tag: 1) MPI_Barrier() }  rank B { MPI_Recv(x, source: A, tag: 1) MPI_Barrier() } }\n";
    let dir = folder(&[("own.laws", law)]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws", "--bound", "0", "--random", "0"])
        .exits(1)
        .says("REFUTED")
        .says("outcome of the second only: deadlock");
    let said = litmpi_in(dir.path(), ["laws", "--laws", "own.laws", "--bound", "0", "--random", "0"]);
    assert!(!said.stdout.contains("MPI_Barrier"), "{}", said.stdout);
}

#[test]
fn a_wrong_rule_is_found_by_a_law() {
    // A send in place that does not copy: its buffer is in use when the receive starts.
    let dir = planted("mpi/requests.spec", " with { cells = [] })", ")");
    let spec = ["laws", "--spec", "mpi/mpi.spec", "--law", "sendrecv-replace", "--bound", "0", "--random", "0"];
    // Then every program with one is erroneous, and nothing is left that the law speaks of.
    litmpi_in(dir.path(), spec).exits(1).says("NEVER TRIED");
    // A gather that puts the parts in another order.
    let dir = planted(
        "mpi/exchange.spec",
        "from = group[j], number = 0, area = part(p, buf, parts[j], dt) }",
        "from = group[j], number = 0, area = part(p, buf, parts[size(group) - 1 - j], dt) }",
    );
    let spec = ["laws", "--spec", "mpi/mpi.spec", "--law", "gather-by-receives", "--bound", "0", "--random", "0"];
    litmpi_in(dir.path(), spec).exits(1).says("REFUTED");
}

/// The completes-before rules without the pieces that programs are made of, so that only tests are tried.
fn rules_alone() -> String {
    let (_, text) = SHIPPED[1];
    text[..text.find("\ncontext piece").expect("pieces stand last")].to_owned()
}

#[test]
fn every_wrong_completes_before_rule_is_refuted_by_the_test_that_it_names() {
    let text = rules_alone();
    let laws = parse(&Source::new("rules", text.as_str())).expect("they can be read");
    let wrong: Vec<_> = laws.orders.iter().filter(|o| o.wrong).collect();
    assert!(laws.orders.len() - wrong.len() > 12 && wrong.len() > 12, "{} of {}", wrong.len(), laws.orders.len());
    let spec = Arc::new(load_shipped("mpi").expect("mpi"));
    let setting = Setting { spec, states: 100_000, search: Search::Auto };
    for order in wrong {
        let name = order.witness.as_ref().expect("a wrong rule names its witness");
        let source = Source::read(&root().join(format!("litmus/mpi/{name}.litmus"))).expect("a test");
        let program = Program::read(name, &source).expect("ranks");
        let done = Item::Order(order).hold(&program, &setting).expect("can be searched");
        let Done::Refuted(Refutation::Early(by)) = done else { panic!("{}: {name} gives {done:?}", order.name) };
        assert!(!by.trace.is_empty() && by.shows.contains("not "), "{}", by.shows);
    }
}

#[test]
fn messages_that_overtake_refute_completes_before_rules() {
    let rules = ["Css-kk", "Crr-kk", "Crr-*k", "Crr-**"];
    let dir = planted(
        "mpi/point-to-point.spec",
        "       not (any s' in Γ1 : matches(s', q, r) and not overtakes(s'.promised)),\n       not (any r' in Δ1 : matches(s, q, r') and not overtakes(r'.promised)),\n",
        "",
    );
    for rule in rules {
        let args = ["laws", "--spec", "mpi/mpi.spec", "--law", rule, "--bound", "0", "--random", "0"];
        litmpi_in(dir.path(), args).exits(1).says("REFUTED").says("transfer (p = ").says("not is_received");
    }
    // A barrier that lets everybody go.
    let dir = planted(
        "mpi/collective.spec",
        "  = not not_synchronising or let needed = needs(work) in all q in members : q = p or q ∈ needed\n",
        "  = false\n",
    );
    let args = ["laws", "--spec", "mpi/mpi.spec", "--law", "Cb", "--bound", "0", "--random", "0"];
    let needs = "Await(peers(communicator(t.node, comm)))";
    let file = dir.path().join("mpi/collective.spec");
    let text = std::fs::read_to_string(&file).expect("the file").replace(needs, "Await([])");
    std::fs::write(&file, text).expect("can be written");
    litmpi_in(dir.path(), args).exits(1).says("REFUTED").says("not returned");
}

#[test]
fn a_completes_before_rule_that_speaks_of_nothing_is_shown_where_it_stands() {
    let rule = |moments: &str, wheres: &str| {
        format!("laws mpi \"own\"\norder a \"b\"\n  process {{ S: MPI_Send  T: MPI_Send }} {wheres}\n  {moments}\n")
    };
    let cases = [
        (rule("S is_lost ≺ T returned", ""), ["own.laws:4", "does not say what `is_lost` means", "is_received"]),
        (rule("S returned ≺ U returned", ""), ["own.laws:4", "no call of this rule is named `U`", "calls: S, T"]),
        (
            rule("S returned ≺ T returned", "where X.dest = T.dest"),
            ["own.laws:2", "no call of this rule is named `X`", "calls"],
        ),
        (rule("S returned T returned", ""), ["own.laws:4", "does not fit here", "found"]),
    ];
    for (text, says) in cases {
        let dir = folder(&[("own.laws", &text)]);
        let said = litmpi_in(dir.path(), ["laws", "--laws", "own.laws"]);
        said.exits(2);
        says.iter().for_each(|s| _ = said.says(s));
    }
}

#[test]
fn a_law_that_cannot_be_read_is_shown_where_it_stands() {
    let dir = folder(&[("own.laws", "laws mpi \"own\"\nlaw a \"b\" one MPI_Send = { }\n")]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws"]).exits(2).says("own.laws:2");
    litmpi_in(dir.path(), ["laws", "--law", "nonsense"]).exits(2).says("no law is called `nonsense`");
    let under = "laws mpi \"own\"\nlaw a \"b\" under nothing one MPI_Send ≃ { }\n";
    let dir = folder(&[("own.laws", under)]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws"]).exits(2).says("has no variant `nothing`");
}
