//! The model of libibverbs beside the models that it is built on: what it adds changes nothing of them, and a message is what puts make of it.

use crate::command::root;
use litmpi_litmus::golden::{self, Golden};
use litmpi_litmus::{library, parse};
use litmpi_models::{Limits, Model};
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

fn verbs() -> Model {
    Model::named("verbs").expect("a shipped model")
}

#[test]
fn every_rdma_test_has_the_same_outcomes_where_there_are_messages_too() {
    let model = verbs();
    let mut compared = 0;
    for file in library::find(&[root().join("litmus/rdma")]).expect("the library") {
        let golden = Golden::parse(&Source::read(&golden::path(&file)).expect("a set")).expect("sets");
        let test = parse(&Source::read(&file).expect("a test"), model.instructions()).unwrap_or_else(|r| panic!("{r}"));
        for s in golden.sections.iter().filter(|s| s.model == "rdma-tso") {
            let answer = model.answer(&test, &s.variant, Limits::default()).unwrap_or_else(|r| panic!("{r}"));
            let found: BTreeSet<String> = answer.set.iter().map(|o| test.show(o)).collect();
            assert_eq!(found, s.outcomes, "{} {}", file.display(), s.variant);
            compared += 1;
        }
    }
    assert!(compared > 120, "{compared}");
}

/// What a thread does before, what behind it, and what the other one does when it has the data.
const BEFORE: [&str; 4] = ["", "z@2 := 5", "x := w@2", "x := w@2  rfence(2)"];
const BEHIND: [&str; 4] = ["", "x := 3", "z@2 := 6", "v := w@2"];
const THEN: [&str; 3] = ["", "c := z", "w := 7"];

/// The outcomes of a program under the model, all of its locations and registers shown.
fn outcomes(model: &Model, sender: &str, receiver: &str) -> BTreeSet<String> {
    let text = format!(
        "litmus rdma p \"a program\"\nnode 1 {{ x = 1  v = 0 }}\nnode 2 {{ y = 0  z = 0  w = 4  f = 0 }}\nthread 1 on 1 {{ {sender} \
         }}\nthread 2 on 2 {{ {receiver} }}\nlocations v y z w\nexists a = 1 /\\ b = 1\n"
    );
    let test = parse(&Source::new("p.litmus", text), model.instructions()).unwrap_or_else(|r| panic!("{r}"));
    let answer = model.answer(&test, "default", Limits::default()).unwrap_or_else(|r| panic!("{r}"));
    assert!(answer.complete());
    answer.set.iter().map(|o| test.show(o)).collect()
}

#[test]
fn a_message_is_a_put_where_its_receive_says_and_a_flag_behind_it() {
    let model = verbs();
    for before in BEFORE {
        for behind in BEHIND {
            for then in THEN {
                let message = outcomes(
                    &model,
                    &format!("{before}  send(2, x)  {behind}"),
                    &format!("b := 1  post_recv(1, y)  poll_recv(1)  a := y  {then}"),
                );
                let puts = outcomes(
                    &model,
                    &format!("{before}  y@2 := x  f@2 := 1  {behind}"),
                    &format!("b := f  if b = 1 {{ a := y  {then} }}"),
                );
                // Who has not seen the flag has received nothing yet.
                let seen: BTreeSet<String> = puts.into_iter().filter(|o| o.contains("b=1;")).collect();
                assert!(!message.is_empty());
                assert_eq!(message, seen, "{before} | {behind} | {then}");
            }
        }
    }
}
