//! `litmpi refine`: implementations against specifications, on all clients up to a bound.

use crate::command::root;
use crate::planted::planted;
use crate::support::{folder, litmpi_in};
use std::path::Path;

fn refine(args: &[&str]) -> crate::support::Said {
    litmpi_in(Path::new("."), ["refine"].iter().chain(args))
}

#[test]
fn rdma_wait_over_rdma_tso_has_only_outcomes_of_its_declaration() {
    let small = ["--with", "write,read,wput,wget,wait", "--size", "3", "--names", "2", "--random", "40"];
    refine(&[&["rdma-wait-simplified", "--against", "rdma-wait.cat"], &small[..]].concat())
        .exits(0)
        .says("Tried 620 clients: 5 of size 1, 55 of size 2, 520 of size 3; 40 random")
        .says("every outcome of the implementation is one of the specification");
}

#[test]
fn a_variant_of_mpi_is_within_mpi_and_mpi_is_not_within_the_variant() {
    refine(&["mpi:synchronising", "--against", "mpi", "--size", "2"]).exits(0);
    refine(&["mpi", "--against", "mpi:synchronising", "--size", "2"])
        .exits(1)
        .says("NOT a refinement: a client of 1 statements")
        .says("MPI_Bcast(a0, root: 0)")
        .says("Nothing is left to do: 0:a0=0;");
}

#[test]
fn sides_that_cannot_be_compared_are_told() {
    refine(&["mpi", "--against", "rdma-tso"]).exits(2).says("the two sides have no instruction in common");
    refine(&["rdma-tso", "--against", "rdma-tso.cat", "--with", "MPI_Send"]).exits(2).says("cannot use `MPI_Send`");
    refine(&["rdma-tso:weak", "--against", "rdma-tso.cat"]).exits(2).says("has no variant `weak`");
}

/// The implementations of LOCO's libraries, each with clients that are soon tried.
const LOCO: [(&str, &[&str]); 4] = [
    ("loco-shared-variable", &["--length", "2", "--size", "4"]),
    ("loco-barrier", &["--length", "2", "--size", "4"]),
    ("loco-ring-buffer", &["--length", "2", "--size", "3", "--with", "rb_submit,rb_receive"]),
    ("loco-mixed-size", &["--length", "2", "--size", "3"]),
];

#[test]
fn every_library_of_loco_is_implemented_within_its_declaration() {
    for (layer, bound) in LOCO {
        refine(&[&[layer, "--against", "loco.cat"], bound].concat())
            .exits(0)
            .says("every outcome of the implementation is one of the specification");
    }
}

/// A planted mistake, the clients that are tried, and what stands in the smallest that tells.
type Planted = (&'static str, &'static [&'static str], usize, &'static str);

const PLANTED: [Planted; 9] = [
    ("loco-shared-variable:fence-without-wait", &["--size", "6", "--with", "sv_gf,read,put_imm"], 6, "sv_gf([2])"),
    ("loco-shared-variable:fence-by-puts", &["--size", "6", "--with", "sv_gf,read,put_imm"], 6, "sv_gf([2])"),
    ("loco-barrier:no-wait", &["--size", "4"], 4, "bar(barrier1)"),
    ("loco-barrier:no-fence", &["--length", "4", "--with", "write,get,read,bar"], 4, "x2 := x1@1"),
    ("loco-barrier:flag-first", &["--size", "5", "--with", "write,get,read,bar"], 5, "x2 := x1@1"),
    ("loco-ring-buffer:head-first", &["--with", "rb_submit,rb_receive"], 2, "a0 := rb_receive(ring1)"),
    ("loco-ring-buffer:no-wait", &["--size", "4", "--with", "rb_submit,rb_receive"], 4, "a1 := rb_submit(ring1, 22)"),
    ("loco-ring-buffer:reused-early", &["--with", "rb_submit,rb_receive"], 3, "a1 := rb_submit(ring1, 22)"),
    ("loco-mixed-size:unchecked", &["--size", "3", "--with", "msw_write,msw_read,msw_put"], 3, "msw_put(x1, work1)"),
];

#[test]
fn every_planted_mistake_is_found_with_a_smallest_client() {
    for (layer, bound, size, statement) in PLANTED {
        refine(&[&[layer, "--against", "loco.cat"], bound].concat())
            .exits(1)
            .says(&format!("NOT a refinement: a client of {size} statements"))
            .says(statement)
            .says("Nothing is left to do:");
    }
}

#[test]
fn the_programs_of_the_papers_figures_have_the_same_verdicts_over_the_implementations() {
    let runs = |layer: &str, variant: &str, test: &str, says: &str| {
        let file = format!("litmus/loco/{test}.litmus");
        litmpi_in(&root(), ["enumerate", "--model", layer, "--variant", variant, &file]).exits(0).says(says);
    };
    runs("loco-shared-variable", "default", "Fig5", "Observation Fig5 Never");
    runs("loco-shared-variable", "default", "Fig9a", "Observation Fig9a Never");
    runs("loco-shared-variable", "default", "Fig9b", "Observation Fig9b Sometimes");
    runs("loco-shared-variable", "default", "Fig9c", "Observation Fig9c Sometimes");
    runs("loco-barrier", "default", "Fig6", "Observation Fig6 Always");
    runs("loco-barrier", "participants", "Fig12", "Observation Fig12 Sometimes");
}

#[test]
fn a_wait_that_polls_once_or_minds_the_wrong_operation_is_found() {
    let wrong = [
        ("on t: wait(d) again", "on t: wait(d)", "x2@2 := put(x1, work1)\n  x2@2 := put(x1, work1)\n  wait(work1)"),
        ("is β · [polled]", "is [polled] · β", "x2@2 := put(x1, work1)\n  x2@2 := put(x1, work2)\n  wait(work2)"),
    ];
    for (right, wrong, client) in wrong {
        let dir = planted("rdma/wait.spec", right, wrong);
        let small = ["--with", "write,wput,wget,wait", "--threads", "1", "--length", "4", "--names", "2"];
        let sides = ["refine", "rdma/wait-simplified.spec", "--against", "rdma-wait.cat"];
        litmpi_in(dir.path(), [&sides[..], &small].concat()).exits(1).says(client).says("exists x1 = 14 /\\ x2 = 14");
    }
}

/// The example of the tutorial, alone in a folder.
fn mailbox(change: impl Fn(&str) -> String) -> tempfile::TempDir {
    folder(&[
        ("mailbox.spec", include_str!("../../examples/mailbox.spec")),
        ("mailbox-by-puts.spec", &change(include_str!("../../examples/mailbox-by-puts.spec"))),
    ])
}

#[test]
fn a_layer_of_ones_own_is_held_against_rules_of_ones_own() {
    let dir = mailbox(str::to_owned);
    let run = |by: &str, against: &str, more: &[&str]| {
        let fixed = ["refine", by, "--against", against, "--with", "post,take", "--length", "2"];
        litmpi_in(dir.path(), [&fixed, more].concat())
    };
    run("mailbox-by-puts.spec", "mailbox.spec", &["--size", "3"]).exits(0).says("is one of the specification");
    run("mailbox-by-puts.spec:flag-first", "mailbox.spec", &["--size", "2"]).exits(1).says("2:a0 = 0");
    run("mailbox-by-puts.spec", "mailbox.spec:instant", &["--names", "2"]).exits(1).says("1:a1 = -1 /\\ 2:a1 = -1");
}

#[test]
fn a_layer_that_does_not_fit_is_told_where() {
    let wrong = |change: &dyn Fn(&str) -> String, says: &str| {
        let dir = mailbox(change);
        litmpi_in(dir.path(), ["refine", "mailbox-by-puts.spec", "--against", "mailbox.spec"]).exits(2).says(says);
    };
    let cut = |s: &str| s.split("implement take").next().expect("a first part").to_owned();
    wrong(&cut, "the layer mailbox-by-puts leaves `take` unimplemented");
    wrong(&|s| s.replace("b.letter[here] := v", "bar(b)"), "`bar` is no instruction of rdma-wait-simplified");
    wrong(&|s| s.replace("over rdma-wait-simplified", "over rdma-weit"), "no model is called `rdma-weit`");
    wrong(&|s| s.replace("implement take (r, b)", "implement take (r)"), "`take` has 2 parameters, not 1");
    wrong(&|s| s.replace("implement take", "implement tak"), "no instruction is called `tak`");
    wrong(&|s| s.replace("b.letter[here] := v", "b.leter[here] := v"), "the layer has no memory `leter`");
    wrong(&|s| s.replace("layer mailbox-by-puts over rdma-wait-simplified", "module m"), "and this is no layer");
}

#[test]
fn a_client_with_the_methods_of_another_layer_is_told() {
    let file = "litmus/loco/Fig13.litmus";
    litmpi_in(&root(), ["enumerate", "--model", "loco-barrier", file]).exits(2).says("`rb_submit` gives no value");
}
