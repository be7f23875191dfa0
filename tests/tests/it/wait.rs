//! RDMA^WAIT, implemented over RDMA^TSO: the same over both of its forms, and within RDMA^WAIT as declared.

use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_models::{Answer, Limits, Model};
use litmpi_rdma_model::generate;
use litmpi_spec::source::Source;
use std::path::PathBuf;

struct Models(Vec<Model>);

impl Models {
    fn load(names: &[&str]) -> Models {
        Models(names.iter().map(|n| Model::named(n).unwrap_or_else(|r| panic!("{r}"))).collect())
    }

    fn parse(&self, source: &std::sync::Arc<Source>) -> Test {
        parse(source, self.0[0].instructions()).unwrap_or_else(|r| panic!("{}", r.render(false)))
    }

    fn answers(&self, test: &Test, variant: &str) -> Vec<Answer> {
        let answer = |m: &Model| m.answer(test, variant, Limits::default()).unwrap_or_else(|r| panic!("{r}"));
        self.0.iter().map(answer).collect()
    }

    /// Panics with the program and the outcomes that only one has, if the two are not the same.
    #[track_caller]
    fn agree(&self, test: &Test, variant: &str) {
        let answers = self.answers(test, variant);
        assert!(answers.iter().all(Answer::complete));
        let only = |a: usize, b: usize| {
            let more: Vec<String> = answers[a].set.difference(&answers[b].set).map(|o| test.show(o)).collect();
            more.join("\n  ")
        };
        let (more, less) = (only(0, 1), only(1, 0));
        let text = &test.span.source.text;
        let [a, b] = [0, 1].map(|i| self.0[i].name());
        assert!(more.is_empty() && less.is_empty(), "{text}\nonly {a}:\n  {more}\nonly {b}:\n  {less}");
    }
}

fn folder(name: &str) -> Vec<PathBuf> {
    library::find(&[crate::command::root().join(name)]).expect("the library")
}

fn generated(text: String) -> std::sync::Arc<Source> {
    Source::new("generated", text)
}

#[test]
fn waits_over_both_forms_of_rdma_tso_agree_on_the_library_and_on_generated_programs() {
    let models = Models::load(&["rdma-wait", "rdma-wait-simplified"]);
    let mut run = 0;
    for path in folder("litmus/wait") {
        let test = models.parse(&Source::read(&path).expect("a test"));
        if models.0[0].runs(&test, Limits::default()).is_ok() {
            ["default", "no-pcie"].iter().for_each(|v| models.agree(&test, v));
            run += 1;
        }
    }
    assert!(run >= 20, "{run} tests with waits");
    for text in generate::exhaustive_waits(1, 3) {
        models.agree(&models.parse(&generated(text)), "default");
    }
    for seed in 0..60 {
        models.agree(&models.parse(&generated(generate::random_waits(seed, 2, 2))), "default");
    }
}

#[test]
fn a_wait_for_one_operation_is_a_poll_for_it() {
    // One operation a thread: the program with a poll and the program with an identifier say the same.
    let wait = Models::load(&["rdma-wait-simplified"]);
    let poll = Models::load(&["rdma-tso-simplified"]);
    let program = |op: &str, done: &str| {
        format!(
            "litmus rdma t \"t\"\nnode 1 {{ x = 1 }}\nnode 2 {{ z = 2 }}\nthread 1 on 1 {{ {op} {done} x := 3 a := x }}\n\
             thread 2 on 2 {{ b := z }}\nlocations x z a b\nexists true\n"
        )
    };
    for (plain, named) in [("x := z@2", "x := get(z@2, d)"), ("z@2 := x", "z@2 := put(x, d)")] {
        let with_poll = poll.parse(&generated(program(plain, "poll(2)")));
        let with_wait = wait.parse(&generated(program(named, "wait(d)")));
        let [polled, waited] =
            [&poll.answers(&with_poll, "default")[0], &wait.answers(&with_wait, "default")[0]].map(|a| a.set.clone());
        assert_eq!(polled, waited, "{named}");
        let nothing = wait.parse(&generated(program(named, "")));
        assert!(wait.answers(&nothing, "default")[0].set.len() > waited.len(), "a wait takes outcomes away: {named}");
    }
}

#[test]
fn programs_of_work_identifiers_do_not_poll() {
    let models = Models::load(&["rdma-wait", "rdma-wait-simplified"]);
    let test = models.parse(&generated(
        "litmus rdma t \"t\" node 1 { x = 0 } node 2 { z = 0 } thread 1 on 1 { z@2 := put(x, d) poll(2) } exists z = 0"
            .into(),
    ));
    for model in &models.0 {
        let why = model.runs(&test, Limits::default()).expect_err("a poll would take what a wait needs");
        assert!(why.to_string().contains("runs `poll`"), "{why}");
    }
}

/// Theorem F.3 of loco-mowgli: what the implementation over RDMA^TSO allows, RDMA^WAIT as declared allows. Gives whether
/// the sets are the same.
#[track_caller]
fn included(run: &Models, declared: &Models, test: &Test) -> bool {
    let [run, declared] = [run, declared].map(|m| m.answers(test, "default").remove(0));
    assert!(run.complete() && declared.complete());
    let values: std::collections::BTreeSet<_> = run.values().into_iter().cloned().collect();
    let more: Vec<String> = values.difference(&declared.set).map(|o| test.show(o)).collect();
    assert!(more.is_empty(), "{}\nonly over RDMA^TSO:\n  {}", test.span.source.text, more.join("\n  "));
    values == declared.set
}

#[test]
fn what_waits_over_rdma_tso_allow_rdma_wait_as_declared_allows() {
    let run = Models::load(&["rdma-wait-simplified"]);
    let declared = Models::load(&["rdma-wait.cat"]);
    let (mut programs, mut same) = (0, 0);
    let mut check = |test: &Test| {
        if [&run, &declared].iter().all(|m| m.0[0].runs(test, Limits::default()).is_ok()) {
            programs += 1;
            same += usize::from(included(&run, &declared, test));
        }
    };
    for path in folder("litmus/wait").iter().chain(&folder("litmus/rdma")) {
        check(&run.parse(&Source::read(path).expect("a test")));
    }
    for text in generate::exhaustive_waits(2, 2).step_by(3).chain(generate::exhaustive_waits(1, 3)) {
        check(&run.parse(&generated(text)));
    }
    for seed in 0..60 {
        check(&run.parse(&generated(generate::random_waits(seed, 2, 3))));
    }
    assert!(programs > 1000, "{programs}");
    println!("{same} of {programs} programs have the same outcomes");
    assert_eq!(same, programs, "the implementation gives everything that is declared");
}
