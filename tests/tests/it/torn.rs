//! What may be torn, and into what, is for the rules to say: of a test on locations of two elements.

use crate::command::root;
use crate::support::{folder, here, litmpi_in};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{parse, widen::widen};
use litmpi_models::{Operational, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

fn mpi() -> Arc<Spec> {
    Arc::new(load_shipped("mpi").expect("the model"))
}

fn parsed(name: &str, text: &str, spec: &Spec) -> Test {
    parse(&Source::new(name, text), &spec.instructions).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

fn outcomes(test: &Test, spec: &Arc<Spec>) -> BTreeSet<Outcome> {
    Operational::new(test, &Setup::new(Arc::clone(spec))).expect("it loads").outcomes().expect("it runs").set
}

/// For each observed value, the pairs of different values that two elements of it may hold.
fn torn(test: &Test, spec: &Arc<Spec>) -> Vec<BTreeSet<(i64, i64)>> {
    let wide = widen(test, &spec.instructions).expect("it can be widened");
    let n = test.observed.len();
    let mut found = vec![BTreeSet::new(); n];
    for outcome in outcomes(&wide, spec) {
        let Outcome::Values(v) = outcome else { panic!("{}: {outcome:?}", test.name) };
        for (i, pairs) in found.iter_mut().enumerate() {
            if v[i] != v[n + i] {
                pairs.insert((v[i], v[n + i]));
            }
        }
    }
    found
}

fn of_library(name: &str, spec: &Arc<Spec>) -> (Test, Vec<BTreeSet<(i64, i64)>>) {
    let path = root().join(format!("litmus/mpi/{name}.litmus"));
    let test = parsed(name, &std::fs::read_to_string(path).expect("the test"), spec);
    let pairs = torn(&test, spec);
    (test, pairs)
}

#[test]
fn a_load_that_races_with_a_put_may_be_torn_into_the_old_and_the_new_value() {
    let spec = mpi();
    let either = BTreeSet::from([(0, 1), (1, 0)]);
    for name in ["rma-puts-not-ordered", "rma-puts-flushed"] {
        let (_, pairs) = of_library(name, &spec);
        assert_eq!(pairs, [either.clone(), either.clone()], "{name}");
    }
}

#[test]
fn a_get_that_races_with_a_store_may_be_torn() {
    let (_, pairs) = of_library("rma-fence-store-during-get", &mpi());
    assert_eq!(pairs, [BTreeSet::from([(1, 2), (2, 1)])]);
}

#[test]
fn what_is_flushed_before_is_whole_though_a_later_load_is_torn() {
    let spec = mpi();
    let (test, _) = of_library("rma-puts-flushed", &spec);
    let wide = widen(&test, &spec.instructions).expect("it can be widened");
    // r is of the second put: where an element of it is new, the first put is there in whole, and s, loaded later, is not torn.
    for outcome in outcomes(&wide, &spec) {
        let Outcome::Values(v) = outcome else { panic!("{outcome:?}") };
        let [r, s, second_r, second_s] = v[..] else { panic!("{v:?}") };
        assert!((r, second_r) == (0, 0) || (s, second_s) == (1, 1), "{v:?}");
    }
}

#[test]
fn the_elements_of_a_message_arrive_together() {
    let spec = mpi();
    for name in ["order-causal", "coll-bcast-root-leaves-early", "cancel-reserved-receive-again", "overlap-send"] {
        let path = root().join(format!("litmus/mpi/{name}.litmus"));
        let test = parsed(name, &std::fs::read_to_string(path).expect("the test"), &spec);
        // Datatypes that are built of elements cannot be widened: nothing may be torn there.
        let Some(wide) = widen(&test, &spec.instructions) else {
            assert_eq!(name, "overlap-send");
            continue;
        };
        let n = test.observed.len();
        let all = outcomes(&wide, &spec);
        let first: BTreeSet<Outcome> = all
            .iter()
            .map(|o| match o {
                Outcome::Values(v) => {
                    assert_eq!(v[..n], v[n..], "{name}");
                    Outcome::Values(v[..n].to_vec())
                }
                other => other.clone(),
            })
            .collect();
        assert_eq!(first, outcomes(&test, &spec), "{name}");
    }
}

#[test]
fn a_torn_register_makes_no_other_one_torn() {
    let spec = mpi();
    let text = "litmus mpi t \"one load races\"
rank 0 {
  MPI_Win_create(x, win: w)  MPI_Win_lock_all(win: w)
  MPI_Put(1, target_rank: 1, win: w)
  MPI_Win_unlock_all(w)  MPI_Win_free(w)
}
rank 1 {
  int x, y = 7
  MPI_Win_create(x, win: w)
  r := x
  u := r + 10
  s := y
  MPI_Win_free(w)
  t := x
}
exists r = 1 /\\ s = 7 /\\ t = 1 /\\ u = 11
  verdict mpi allowed cite MPI-4.1 \"§12.7\"";
    let test = parsed("t", text, &spec);
    let names: Vec<&str> = test.observed.iter().map(|o| o.name.as_str()).collect();
    let pairs = torn(&test, &spec);
    let of = |name: &str| &pairs[names.iter().position(|n| *n == name).expect("observed")];
    assert_eq!(*of("r"), BTreeSet::from([(0, 1), (1, 0)]));
    assert_eq!(*of("u"), BTreeSet::from([(10, 11), (11, 10)]));
    assert!(of("s").is_empty() && of("t").is_empty());
}

/// A load races with an update, and what was loaded is used for what the first rank then sends.
fn used(how: &str) -> String {
    let text = "litmus mpi used \"what was loaded in a race with an update is used\"
rank 0 {
  int w = 3 int y
  MPI_Win_create(w, win: v)  MPI_Win_lock_all(win: v)  MPI_Barrier()
  b := w  USE  MPI_Send(y, dest: 1)
  MPI_Barrier()  MPI_Win_unlock_all(v)  MPI_Win_free(v)
}
rank 1 {
  int w = 4
  MPI_Win_create(w, win: v)  MPI_Win_lock_all(win: v)  MPI_Barrier()
  MPI_Accumulate(9, target_rank: 0, op: MPI_REPLACE, win: v)  MPI_Recv(x, source: 0)
  MPI_Barrier()  MPI_Win_unlock_all(v)  MPI_Win_free(v)
}
locations x
exists 1:x = 9
";
    text.replace("USE", how)
}

/// On small messages Open MPI 4.1.4 shows a torn load once in ten times.
#[test]
fn what_was_loaded_torn_and_sent_on_is_torn_where_it_arrives_and_a_branch_goes_by_the_first_element() {
    for target in here(&["openmpi", "mpich"]) {
        // What a call takes for a rank, a tag or a count is one number, too.
        let used_as = |how: &str| {
            format!(
                "MPI_Isend(_a, {how}, request: q)  MPI_Recv(c, source: 0, tag: any, status: s)  MPI_Wait(q)  y := s.tag"
            )
        };
        let tag = used_as("dest: 0, tag: b");
        let rank = used_as("dest: (b - b) % 2, tag: b");
        for how in ["y := b", "if b = 9 { y := 9 } else { if b = 3 { y := 3 } else { y := 4 } }", &tag, &rank] {
            let dir = folder(&[("used.litmus", &used(how))]);
            let args = ["run", "used.litmus", "--target", target, "--sizes", "8", "--time", "1500"];
            litmpi_in(dir.path(), args).exits(0);
        }
    }
}
