//! Claims.

use crate::decls::read;
use litmpi_litmus::ast::{Expect, Outcome, Quantifier, Test};

const TWO: &str = "litmus mpi t \"t\"
  rank 0 { int x = 0  MPI_Recv(a, source: any, status: s)  f := 1 }
  rank 1 { int v[2] = 0  int x = 0  MPI_Send(x, dest: 0) }\n";

fn with(claims: &str) -> Test {
    read(&format!("{TWO}{claims}"))
}

fn names(test: &Test) -> Vec<&str> {
    test.observed.iter().map(|o| o.name.as_str()).collect()
}

#[test]
fn an_outcome_lists_what_the_claims_name_then_the_locations_line() {
    let test = with("locations f 0:x v[1]  exists s.source = 1 /\\ 0:a = 1  forall 1:x = 0");
    assert_eq!(names(&test), ["s.source", "0:a", "1:x", "f", "0:x", "v[1]"]);
    let outcome = Outcome::Values(vec![1, 2, 3, 4, 5, 6]);
    assert_eq!(test.show(&outcome), "s.source=1; 0:a=2; 1:x=3; f=4; 0:x=5; v[1]=6;");
}

#[test]
fn the_same_thing_is_observed_once_however_it_is_written() {
    let test = with("exists a = 1 /\\ 0:a = 2 /\\ a@0 = 3");
    assert_eq!(names(&test), ["a"]);
}

#[test]
fn tuples_and_chains_are_conjunctions() {
    let plain = with("exists a = 1 /\\ f = 0").claims[0].prop.clone();
    assert_eq!(with("exists (a, f) = (1, 0)").claims[0].prop, plain);
    let chain = with("exists a = f = 0").claims[0].prop.clone();
    assert_eq!(with("exists a = 0 and f = 0").claims[0].prop, chain);
    let not = &with("exists (a, f) != (1, 0)").claims[0].prop;
    assert!(!not.holds(&Outcome::Values(vec![1, 0])) && not.holds(&Outcome::Values(vec![1, 1])));
}

#[test]
fn connectives_have_three_spellings_and_the_usual_strength() {
    let one = with("exists a = 1 \\/ f = 1 /\\ ~ a = 2").claims[0].prop.clone();
    assert_eq!(with("exists a = 1 || f = 1 && !(a = 2)").claims[0].prop, one);
    assert_eq!(with("exists a == 1 or (f = 1 and not a = 2)").claims[0].prop, one);
}

#[test]
fn constants_are_values() {
    let test = with("exists s.source = MPI_ANY_SOURCE \\/ s.tag = any \\/ s.source = MPI_PROC_NULL");
    assert!(test.claims[0].prop.holds(&Outcome::Values(vec![-2, 0])));
    assert!(!test.claims[0].prop.holds(&Outcome::Values(vec![0, 0])));
}

#[test]
fn deadlocked_and_erroneous_outcomes_have_no_values() {
    let erroneous = Outcome::Erroneous { rule: "rule".into(), reason: "reason".into() };
    let test = with("exists deadlock  exists erroneous  exists a != 1");
    let holds = |i: usize, o: &Outcome| test.claims[i].prop.holds(o);
    assert!(holds(0, &Outcome::Deadlock) && !holds(1, &Outcome::Deadlock) && !holds(2, &Outcome::Deadlock));
    assert!(!holds(0, &erroneous) && holds(1, &erroneous) && !holds(2, &erroneous));
    assert_eq!(test.show(&erroneous), "erroneous (rule: reason)");
}

#[test]
fn each_claim_has_its_own_verdicts() {
    let test = with(
        "exists a = 0
           verdict mpi allowed cite MPI-4.1 \"§3.5\" because \"so\"
           verdict mpi-rdma (eager) forbidden
           seen \"~2%\" on \"here\" cite W-1.0 \"Fig. 2\"
         ~exists a = 1
         not exists deadlock
         forall a = 0 verdict mpi forbidden",
    );
    let quantifiers: Vec<Quantifier> = test.claims.iter().map(|c| c.quantifier).collect();
    assert_eq!(quantifiers, [Quantifier::Exists, Quantifier::NotExists, Quantifier::NotExists, Quantifier::Forall]);
    let first = &test.claims[0];
    assert_eq!(first.verdicts.len(), 2);
    assert_eq!(first.verdicts[0].because.as_deref(), Some("so"));
    assert_eq!(first.verdicts[0].cite.as_ref().map(|c| c.place.as_str()), Some("§3.5"));
    assert_eq!(first.verdicts[1].variant.as_deref(), Some("eager"));
    assert_eq!(first.seen[0].rate, "~2%");
    assert_eq!(test.claims[3].verdicts[0].expect, Expect::Forbidden);
}

#[test]
fn a_verdict_follows_from_the_complete_set() {
    let test = with("exists a = 1  ~exists a = 1  forall a = 1");
    let some = [Outcome::Values(vec![0]), Outcome::Values(vec![1])];
    let verdicts: Vec<Expect> = test.claims.iter().map(|c| c.verdict(some.iter())).collect();
    assert_eq!(verdicts, [Expect::Allowed, Expect::Allowed, Expect::Forbidden]);
}
