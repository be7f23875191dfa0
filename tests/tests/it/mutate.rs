//! Changes of the rules: tests tell them, the record of which test tells which is in step with the rules, and claims of commuting
//! that say too much are refuted.

use crate::command::root;
use crate::support::litmpi_in;

#[test]
fn the_record_of_changes_is_in_step_with_the_rules_and_the_tests_named_tell_a_sample_of_them() {
    let args = ["mutate", "litmus", "--record", "docs/mutants.tsv", "--sample", "60", "--max-states", "250"];
    litmpi_in(&root(), args).exits(0);
}

#[test]
fn a_change_that_no_test_tells_is_named() {
    let args = ["mutate", "litmus/rdma/POLL1.litmus", "--of", "rule get/commit"];
    litmpi_in(&root(), args).exits(1).says("rule get/commit: drop-rule").says("no test comes there");
}

#[test]
fn claims_of_commuting_hold_in_the_states_of_the_tests_and_those_that_say_too_much_are_refuted() {
    for folder in ["litmus/rdma", "litmus/mpi"] {
        let said = litmpi_in(&root(), ["claims", folder, "--states", "150", "--json"]);
        said.exits(0);
        for model in said.json().as_array().expect("models") {
            let (name, list) = (&model["model"], |what: &str| model[what].as_array().expect("a list").clone());
            // SC has a memory and no buffers: no rule says that it commutes.
            assert!(list("claims").iter().all(|c| c["refuted"].is_null()), "{name}");
            let (refuted, all): (Vec<_>, Vec<_>) = (
                list("weaker").into_iter().filter(|w| !w["refuted"].is_null()).collect(),
                list("weaker").into_iter().filter(|w| w["more"] != "said of a rule that says nothing").collect(),
            );
            assert!(all.is_empty() || refuted.len() * 2 > all.len(), "{name}: {} of {}", refuted.len(), all.len());
        }
    }
}
