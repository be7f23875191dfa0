//! coreRMA: the examples of core-rma with their expected outputs, and what each rule of Fig. 4 forbids.

use super::{declared, model, programs, spec, test};
use litmpi_cat::candidates::Options;
use std::collections::BTreeSet;

/// The outcomes of a program of two nodes, `x` on node 1 and `y` on node 2 unless it says more, as text.
fn outcomes(file: &str, program: &str) -> BTreeSet<String> {
    let spec = spec();
    let test = test(&format!("litmus rdma t \"\" {program}"), &spec);
    let found = declared(&test, &programs("default"), &model(file), Options::default());
    assert!(found.complete());
    // Registers are told apart by their names alone here: `1:a=0;` is `a=0;`.
    let bare = |part: &str| part.split_once(':').map_or(part.to_owned(), |(_, rest)| rest.to_owned());
    let short = |shown: String| shown.split(' ').map(bare).collect::<Vec<String>>().join(" ");
    found.set.iter().map(|o| short(test.show(o))).collect()
}

fn set(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|s| (*s).to_owned()).collect()
}

const ALL: [&str; 3] = ["core-rma.cat", "core-rma-vpi.cat", "core-rma-unordered.cat"];

#[test]
fn an_access_that_is_not_atomic_may_come_early_late_or_leave_an_undefined_value() {
    let get = "node 1 { x = 0 } node 2 { y = 0 }
        thread 1 on 1 { x := get_na(y@2)  x := write_na(1)  a := read_na(x) } locations 1:a exists true";
    let put = "node 1 { x = 0 } node 2 { y = 0 }
        thread 1 on 1 { y@2 := put_na(x)  x := write_na(1) } thread 2 on 2 { b := read_na(y) } locations 2:b exists true";
    for file in ALL {
        // core-rma Fig. 3 a and b.
        assert_eq!(outcomes(file, get), set(&["a=0;", "a=1;", "a=undefined;"]), "{file}");
        assert_eq!(outcomes(file, put), set(&["b=0;", "b=1;", "b=undefined;"]), "{file}");
        // The same with atomic accesses: never undefined.
        let atomic = get.replace("get_na(y@2)", "y@2").replace("write_na(1)", "1").replace("read_na(x)", "x");
        assert_eq!(outcomes(file, &atomic), set(&["a=0;", "a=1;"]), "{file}");
        // One access that is not atomic is enough.
        let one = atomic.replace("x := 1", "x := write_na(1)");
        assert!(outcomes(file, &one).contains("a=undefined;"), "{file}");
    }
}

#[test]
fn without_a_conflict_an_access_that_is_not_atomic_reads_the_latest_write() {
    let local = "node 1 { x = 0 } node 2 { y = 0 }
        thread 1 on 1 { x := write_na(1)  x := write_na(2)  a := read_na(x) } locations 1:a x exists true";
    let flushed = "node 1 { x = 0 } node 2 { y = 7 }
        thread 1 on 1 { x := get_na(y@2)  flush(2)  a := read_na(x) } locations 1:a exists true";
    for file in ALL {
        assert_eq!(outcomes(file, local), set(&["a=2; x=2;"]), "{file}");
        assert_eq!(outcomes(file, flushed), set(&["a=7;"]), "{file}");
    }
}

#[test]
fn writes_that_race_leave_the_location_undefined() {
    let race = "node 1 { x = 0 } node 2 { y = 0 }
        thread 1 on 1 { y@2 := put_na(x, atomic, nonatomic) } thread 2 on 2 { y := write_na(2) } locations y exists true";
    assert_eq!(outcomes("core-rma.cat", race), set(&["y=0;", "y=2;", "y=undefined;"]));
    assert_eq!(
        outcomes("core-rma.cat", &race.replace("write_na(2)", "2").replace("nonatomic", "atomic")),
        set(&["y=0;", "y=2;"])
    );
}

#[test]
fn in_order_routing_tells_the_three_networks_apart() {
    // core-rma Fig. 3 c: a get after a put to the same place.
    let put_get = "node 1 { x = 1 } node 2 { y = 0 }
        thread 1 on 1 { y@2 := x  x := y@2  flush(2)  c := x } locations 1:c exists true";
    assert_eq!(outcomes("core-rma.cat", put_get), set(&["c=1;"]));
    assert_eq!(outcomes("core-rma-vpi.cat", put_get), set(&["c=0;", "c=1;"]));
    assert_eq!(outcomes("core-rma-unordered.cat", put_get), set(&["c=0;", "c=1;"]));
    // Fig. 3 d: the local parts of a get and a later put are not ordered by the routing.
    let get_put = "node 1 { x = 1 } node 2 { y = 0 }
        thread 1 on 1 { x := y@2  y@2 := x  flush(2)  x := y@2  flush(2)  d := x } locations 1:d exists true";
    for file in ALL {
        assert_eq!(outcomes(file, get_put), set(&["d=0;", "d=1;"]), "{file}");
    }
    // Puts among themselves, and gets: ordered over VPI Verbs (§7), not where routing is adaptive.
    let puts = "node 1 { x = 1 z = 2 } node 2 { y = 0 }
        thread 1 on 1 { y@2 := x  y@2 := z } locations y exists true";
    let gets = "node 1 { x = 0 z = 0 } node 2 { y = 0 }
        thread 1 on 1 { x := y@2  z := y@2 } thread 2 on 2 { y := 1 } locations x z exists true";
    for (file, ordered) in ALL.into_iter().zip([true, true, false]) {
        assert_eq!(!outcomes(file, puts).contains("y=1;"), ordered, "{file}");
        assert_eq!(!outcomes(file, gets).contains("x=1; z=0;"), ordered, "{file}");
    }
}

#[test]
fn generated_tests_of_the_paper_have_its_expected_outputs() {
    // Fig. 6, where Cray DMAPP showed b = 1.
    let fig_6 = "node 1 { x = 1 } node 2 { y = 0 } thread 1 on 1 { a := x }
        thread 2 on 2 { x@1 := y  y := x@1  flush(1)  b := y } locations 1:a 2:b exists true";
    assert_eq!(outcomes("core-rma.cat", fig_6), set(&["a=0; b=0;", "a=1; b=0;"]));
    // Fig. 8: six outputs, and three more with c = 0 over VPI Verbs, which does not order a get before a later put.
    let fig_8 = "node 1 { x = 1 } node 2 { y = 0 } thread 1 on 1 { a := x  x := 2  b := x }
        thread 2 on 2 { y := x@1  x@1 := y  flush(1)  c := y } locations 1:a 1:b 2:c exists true";
    let stock = set(&[
        "a=0; b=2; c=1;",
        "a=1; b=1; c=1;",
        "a=1; b=0; c=1;",
        "a=1; b=2; c=2;",
        "a=1; b=2; c=1;",
        "a=1; b=0; c=2;",
    ]);
    assert_eq!(outcomes("core-rma.cat", fig_8), stock);
    let custom = outcomes("core-rma-vpi.cat", fig_8);
    assert!(stock.is_subset(&custom));
    assert_eq!(custom.iter().filter(|o| o.ends_with("c=0;")).count(), 3);
    // Fig. 9, of which Cray DMAPP never showed the last.
    let fig_9 = "node 1 { x = 1 } node 2 { y = 0 } thread 1 on 1 { a := x }
        thread 2 on 2 { x@1 := y  y := x@1  y := 2  flush(1)  c := y  b := y } locations 1:a 2:b 2:c exists true";
    let five = ["a=0; b=2; c=2;", "a=1; b=0; c=0;", "a=1; b=2; c=2;", "a=0; b=0; c=0;", "a=2; b=2; c=2;"];
    assert_eq!(outcomes("core-rma.cat", fig_9), set(&five));
}

#[test]
fn accumulates_and_swaps_are_atomic_against_each_other() {
    let rga = "node 1 { x = 0 u = 3 } node 2 { z = 4 } node 3 { y = 0 v = 2 }
        thread 1 on 1 { x := rga(z@2, u)  flush(2)  a := x } thread 3 on 3 { y := rga(z@2, v)  flush(2)  b := y }
        locations 1:a 3:b z exists true";
    let swap = "node 1 { x = 9 old = 0 new = 1 } node 2 { z = 0 } node 3 { y = 9 old = 0 new = 2 }
        thread 1 on 1 { x := rcas(z@2, old, new)  flush(2)  a := x }
        thread 3 on 3 { y := rcas(z@2, old, new)  flush(2)  b := y } locations 1:a 3:b z exists true";
    for file in ALL {
        assert_eq!(outcomes(file, rga), set(&["a=4; b=7; z=9;", "a=6; b=4; z=9;"]), "{file}");
        // Fig. 4, CAS-T for one of them and CAS-F for the other.
        assert_eq!(outcomes(file, swap), set(&["a=0; b=1; z=1;", "a=2; b=0; z=2;"]), "{file}");
    }
    // An update that is not atomic races with the other.
    let race = rga.replace("rga(z@2, u)", "rga(z@2, u, updates: nonatomic)");
    assert!(outcomes("core-rma.cat", &race).iter().any(|o| o.contains("a=undefined;")));
}

#[test]
fn a_test_with_polls_is_no_test_of_core_rma() {
    use litmpi_cat::candidates::Declarative;
    let spec = spec();
    let poll = "litmus rdma p \"\" node 1 { x = 0 } node 2 { y = 0 } thread 1 on 1 { y@2 := x poll(2) } exists y = 0";
    let (test, programs, model) = (test(poll, &spec), programs("default"), model("core-rma.cat"));
    let refused = Declarative::new(&test, &programs, &model, Options::default()).err().expect("it is refused");
    assert!(refused.render(false).contains("the test raises its flag `polls-fences-or-waits`"), "{refused}");
}
