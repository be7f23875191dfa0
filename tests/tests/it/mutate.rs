//! Changes of the rules: tests tell them, and claims of commuting that say too much are refuted.

use crate::command::root;
use crate::support::litmpi_in;

#[test]
fn tests_tell_changes_of_a_rule() {
    let said = litmpi_in(&root(), ["mutate", "litmus/rdma/MP1.litmus", "--of", "rule put/commit", "--json"]);
    let told = said.json();
    let told = told["changes"].as_array().expect("changes").clone();
    let anywhere = told.iter().find(|c| c["change"] == "anywhere").expect("a put that overtakes another");
    assert_eq!(anywhere["fate"], "outcomes", "{told:?}");
}

#[test]
fn a_change_that_no_test_tells_is_named() {
    let args = ["mutate", "litmus/rdma/POLL1.litmus", "--of", "rule get/commit"];
    litmpi_in(&root(), args).exits(1).says("rule get/commit: drop-rule").says("no test comes there");
}

#[test]
fn claims_of_commuting_hold_in_the_states_of_the_rdma_tests() {
    let said = litmpi_in(&root(), ["claims", "litmus/rdma", "--states", "100", "--json"]);
    said.exits(0);
    let models = said.json();
    let of =
        |name: &str| models.as_array().expect("models").iter().find(|m| m["model"] == name).expect("a model").clone();
    for (name, claims) in [("rdma-tso-simplified", 3), ("rdma-tso", 7)] {
        let all = of(name)["claims"].as_array().expect("claims").clone();
        assert!(all.len() >= claims && all.iter().all(|c| c["refuted"].is_null()), "{name}: {all:?}");
        assert!(all.iter().all(|c| c["pairs"].as_u64() > Some(0)), "{name}: a claim that no test tries: {all:?}");
    }
}

#[test]
fn claims_that_say_too_much_are_refuted() {
    // The rules of windows and of requests have claims with conditions; without them, these tests find them false.
    let tests = ["litmus/mpi/access-send-send-buffer.litmus", "litmus/mpi/buffer-too-small.litmus"];
    let said = litmpi_in(&root(), [&["claims"], &tests[..], &["--states", "150", "--json"]].concat());
    said.exits(0);
    let weaker = said.json()[0]["weaker"].as_array().expect("claims that say more").clone();
    let refuted = |rule: &str, more: &str| {
        weaker.iter().any(|w| w["rule"] == rule && w["more"] == more && !w["refuted"].is_null())
    };
    assert!(refuted("isend", "without its condition"));
    assert!(refuted("wait", "of all rules"));
    assert!(refuted("decide/synchronous", "of all rules"));
}
