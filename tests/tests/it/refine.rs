//! `litmpi refine`: implementations against specifications, on all clients up to a bound.

use crate::command::root;
use crate::planted::planted;
use crate::support::{folder, litmpi_in};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Variant;
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
        .says("MPI_Bcast(b, root: 0)")
        .says("Nothing is left to do");
}

#[test]
fn sides_that_cannot_be_compared_are_told() {
    refine(&["mpi", "--against", "rdma-tso"]).exits(2).says("the two sides have no instruction in common");
    refine(&["rdma-tso", "--against", "rdma-tso.cat", "--with", "MPI_Send"]).exits(2).says("cannot use `MPI_Send`");
    refine(&["rdma-tso:weak", "--against", "rdma-tso.cat"]).exits(2).says("has no variant `weak`");
}

/// The implementations of LOCO's libraries, each with clients that are soon tried.
const LOCO: [(&str, &[&str]); 7] = [
    ("loco-shared-variable", &["--length", "2", "--size", "4"]),
    ("loco-barrier", &["--length", "2", "--size", "4"]),
    ("loco-ring-buffer", &["--length", "2", "--size", "3", "--with", "rb_submit,rb_receive"]),
    ("loco-mixed-size", &["--length", "2", "--size", "3"]),
    ("loco-wide-ring", &["--length", "2", "--size", "3", "--with", "rb_submit,rb_receive"]),
    ("loco-wide", &["--length", "2", "--size", "3"]),
    (
        "puts-team",
        &["--threads", "3", "--length", "2", "--size", "5", "--shared", "--with", "team_barrier,team_give,team_take"],
    ),
];

#[test]
fn every_library_of_loco_is_implemented_within_its_declaration() {
    for (layer, bound) in LOCO {
        refine(&[&[layer, "--against", "loco.cat"], bound].concat())
            .exits(0)
            .says("every outcome of the implementation is one of the specification");
    }
}

#[test]
fn layers_stand_on_both_forms_of_rdma_wait() {
    let bounds: [(&str, &[&str]); 4] = [
        ("loco-shared-variable", &["--length", "2", "--size", "3"]),
        ("loco-barrier", &["--length", "2", "--size", "3"]),
        ("loco-ring-buffer", &["--length", "1", "--size", "2", "--with", "rb_submit,rb_receive"]),
        ("loco-mixed-size", &["--length", "2", "--size", "2"]),
    ];
    for (layer, bound) in bounds {
        refine(&[&[layer, "--against", "loco.cat", "--below", "rdma-wait"], bound].concat())
            .exits(0)
            .says(&format!("Refinement {layer} over rdma-wait against loco.cat"))
            .says("every outcome of the implementation is one of the specification");
    }
    refine(&["loco-barrier", "--against", "loco.cat", "--below", "rdma-tso"])
        .exits(2)
        .says("is no instruction of rdma-tso");
    refine(&["mpi-rdma", "--against", "mpi", "--below", "rdma-tso"]).exits(2).says("mpi-rdma is no layer");
}

/// A planted mistake, the clients that are tried, and what stands in the smallest that tells.
type Planted = (&'static str, &'static [&'static str], usize, &'static str);

const PLANTED: [Planted; 17] = [
    ("loco-shared-variable:fence-without-wait", &["--size", "6", "--with", "sv_gf,read,put_imm"], 6, "sv_gf([2])"),
    ("loco-shared-variable:fence-by-puts", &["--size", "6", "--with", "sv_gf,read,put_imm"], 6, "sv_gf([2])"),
    ("loco-barrier:no-wait", &["--size", "4"], 4, "bar(barrier1)"),
    ("loco-barrier:no-fence", &["--length", "4", "--with", "write,get,read,bar"], 4, "x2 := x1@1"),
    ("loco-barrier:flag-first", &["--size", "5", "--with", "write,get,read,bar"], 5, "x2 := x1@1"),
    ("loco-ring-buffer:head-first", &["--with", "rb_submit,rb_receive"], 2, "a0 := rb_receive(ring1)"),
    ("loco-ring-buffer:no-wait", &["--size", "4", "--with", "rb_submit,rb_receive"], 4, "a1 := rb_submit(ring1, 22)"),
    ("loco-ring-buffer:reused-early", &["--with", "rb_submit,rb_receive"], 3, "a1 := rb_submit(ring1, 22)"),
    ("loco-mixed-size:unchecked", &["--size", "3", "--with", "msw_write,msw_read,msw_put"], 3, "msw_put(x1, work1)"),
    ("loco-wide-ring:head-first", &["--with", "rb_submit,rb_receive"], 2, "a0 := rb_receive(ring1)"),
    ("loco-wide-ring:no-wait", &["--size", "4", "--with", "rb_submit,rb_receive"], 4, "a1 := rb_submit(ring1, 22)"),
    ("loco-wide-ring:reused-early", &["--with", "rb_submit,rb_receive"], 3, "a1 := rb_submit(ring1, 22)"),
    ("loco-wide:unchecked", &["--size", "3", "--with", "wide_write,wide_read,wide_put"], 3, "wide_put(x1, work1)"),
    ("puts-team:no-round", &["--with", "team_barrier,read,put_imm"], 4, "team_barrier(team1)"),
    ("puts-team:unasked", &["--with", "team_give,team_take"], 3, "team_give(team1, 12)"),
    ("puts-team:number-first", &["--with", "team_give,team_take"], 2, "team_take(team1)"),
    ("puts-team:unsettled", &["--length", "2", "--with", "team_give,team_take"], 4, "team_give(team1, 12)"),
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
    runs("loco-shared-variable", "default", "Fig4a", "Observation Fig4a Sometimes");
    runs("loco-shared-variable", "default", "Fig4b", "Observation Fig4b Never");
    runs("loco-shared-variable", "default", "Fig8a", "Observation Fig8a Sometimes");
    runs("loco-shared-variable", "default", "Fig8b", "Observation Fig8b Never");
    runs("loco-shared-variable", "default", "Fig8c", "Observation Fig8c Sometimes");
    runs("loco-shared-variable", "default", "Fig8c-fenced", "Observation Fig8c-fenced Never");
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
    wrong(&|s| s.replace("b.letter[here] := v", "post(b, v)"), "`post` is no instruction of rdma-wait-simplified");
    wrong(&|s| s.replace("b.letter[here] := v", "b := v"), "`b` is a box, which a body cannot change");
    wrong(
        &|s| s.replace("b.letter[here] := v", "b.letter[here] := w"),
        "`w` is read, and nothing assigns or declares it",
    );
    wrong(
        &|s| s.replace("implement take", "implement post (b, v) { }\n\nimplement take"),
        "`post` is implemented twice",
    );
    let rule = "rule idle (t: Thread)\n  when B[t] ≠ []\n  then B[t] := []\n\nimplement take";
    wrong(&|s| s.replace("implement take", rule), "the layer mailbox-by-puts has a rule, idle");
    wrong(&|s| s.replace("layer mailbox-by-puts over rdma-wait-simplified", "module m"), "and this is no layer");
}

#[test]
fn a_client_with_the_methods_of_another_layer_is_told() {
    let file = "litmus/loco/Fig13.litmus";
    litmpi_in(&root(), ["enumerate", "--model", "loco-barrier", file]).exits(2).says("`rb_submit` gives no value");
    let [other, own] = ["bar(z)", "post(b, 1)"].map(|call| {
        let test =
            format!("litmus rdma t \"t\"\nnode 1 {{ }}\nnode 2 {{ }}\nthread 1 on 1 {{ {call} }}\nexists true\n");
        let dir = mailbox(str::to_owned);
        std::fs::write(dir.path().join("t.litmus"), test).expect("can be written");
        dir
    });
    let run = ["enumerate", "--spec", "mailbox-by-puts.spec", "t.litmus"];
    litmpi_in(other.path(), run).exits(2).says("there is no instruction `bar`").says("t.litmus:4:17");
    litmpi_in(own.path(), run).exits(0);
}

/// A planted mistake of MPI over RDMA, what clients are made of, the statements of the smallest, and something in it.
const MPI_PLANTED: [Planted; 13] = [
    ("mpi-rdma:wrong-flag", &["--shared"], 2, "exists 1:a0 = 0 /\\ 1:r0 = 0"),
    ("mpi-rdma:wrong-release", &["--shared"], 3, "exists 1:a0 = 2 /\\ 1:r0 = 2"),
    ("mpi-rdma:wrong-fin", &["--shared"], 3, "exists 1:a0 = 2 /\\ 1:r0 = 2"),
    ("mpi-rdma:wrong-poll", &["--shared"], 2, "exists 1:a0 = 1 /\\ 1:r0 = 0"),
    ("mpi-rdma:wrong-slot", &["--with", "MPI_Isend,MPI_Recv"], 4, "exists deadlock"),
    ("mpi-rdma:wrong-round", &["--with", "MPI_Barrier"], 1, "MPI_Barrier()"),
    ("mpi-rdma:wrong-bell", &["--shared", "--with", "MPI_Bcast,write"], 2, "exists 1:a0 = 9 /\\ 1:r0 = 0"),
    ("mpi-rdma:wrong-leave", &["--shared", "--with", "MPI_Bcast,write"], 3, "exists 1:a0 = 2 /\\ 1:r0 = 2"),
    ("mpi-rdma:wrong-fence", &["--shared", "--with", "MPI_Get,MPI_Win_fence"], 3, "exists 0:a0 = 18 /\\ 0:r0 = 0"),
    (
        "mpi-rdma:wrong-polled-fence",
        &["--shared", "--with", "MPI_Put,MPI_Win_fence,load"],
        4,
        "exists 0:x = 8 /\\ 1:s1 = 18",
    ),
    ("mpi-rdma:wrong-no-op", &["--with", "MPI_Accumulate"], 2, "exists 0:a0 = 2"),
    ("mpi-rdma:wrong-accumulate", &["--with", "MPI_Fetch_and_op"], 2, "0:a1 = 19 /\\ 0:x = 8 /\\ 1:x = 19"),
    (
        "mpi-rdma:wrong-complete",
        &["--shared", "--size", "6", "--with", "MPI_Put,MPI_Win_start,load"],
        6,
        "exists 0:x = 8 /\\ 1:s2 = 18 /\\ 1:x = 2",
    ),
];

#[test]
fn every_planted_mistake_of_mpi_over_rdma_is_found_with_a_smallest_client() {
    for (variant, bound, size, says) in MPI_PLANTED {
        refine(&[&[variant, "--against", "mpi"], bound].concat())
            .exits(1)
            .says(&format!("NOT a refinement: a client of {size} statements"))
            .says(says)
            .says(if says == "exists deadlock" { "these wait for ever" } else { "Nothing is left to do:" });
    }
}

#[test]
fn a_barrier_that_is_not_transitive_is_found_by_three_threads() {
    let three = ["--threads", "3", "--length", "2", "--size", "6", "--shared", "--with", "read,put_imm,bar"];
    // Clients with more states are passed over, which is counted.
    let few = ["--max-states", "30000"];
    refine(&[&["loco-barrier:participants", "--against", "loco.cat"], &three[..], &few].concat())
        .exits(1)
        .says("were not seen in full: a search hit a bound")
        .says("NOT a refinement: a client of 6 statements")
        .says("exists 3:a0 = 12 /\\ 3:a1 = 21");
}

#[test]
fn clients_of_mpi_call_what_they_know() {
    refine(&["mpi-rdma", "--against", "mpi", "--with", "MPI_Gather"])
        .exits(2)
        .says("cannot use `MPI_Gather`")
        .says("of windows: MPI_Put, MPI_Get");
}

#[test]
fn one_sided_operations_are_within_those_of_mpi() {
    for with in ["MPI_Put,MPI_Win_flush,load", "MPI_Get,MPI_Win_fence", "MPI_Fetch_and_op,MPI_Accumulate"] {
        refine(&["mpi-rdma", "--against", "mpi", "--shared", "--size", "2", "--random", "2", "--with", with])
            .exits(0)
            .says("every outcome of the implementation is one of the specification");
    }
}

#[test]
fn collectives_by_puts_are_within_those_of_mpi() {
    refine(&[
        "mpi-rdma:puts",
        "--against",
        "mpi",
        "--with",
        "MPI_Barrier,MPI_Bcast,write",
        "--size",
        "3",
        "--random",
        "10",
    ])
    .exits(0)
    .says("every outcome of the implementation is one of the specification");
}

/// The list of what `litmpi layers` tries.
const LIST: &str = include_str!("../../../cli/layers.toml");

#[test]
fn the_list_of_refinements_has_every_layer_and_protocol_and_every_planted_mistake() {
    let models = LOCO.iter().map(|(name, _)| *name).chain(["mpi-rdma", "rdma-wait", "rdma-wait-simplified"]);
    for model in models {
        assert!(LIST.contains(&format!("run = \"{model} --against ")), "{model}");
        let spec = load_shipped(model).expect("a shipped model");
        // Variants of the hardware alone belong to it.
        let own = |v: &&Variant| !v.span.source.name.contains("rdma/") || v.span.source.name.contains("mpi-rdma/");
        for variant in spec.variants.iter().filter(own) {
            assert!(LIST.contains(&format!("run = \"{model}:{} --against ", variant.name)), "{model}:{}", variant.name);
        }
    }
}

#[test]
fn a_list_is_carried_out_and_what_is_not_as_it_says_is_told() {
    let small = "loco-mixed-size --against loco.cat --length 1 --size 1 --with msw_write,msw_read";
    let wrong = "loco-ring-buffer:head-first --against loco.cat --with rb_submit,rb_receive --size 2";
    let list = |first: bool, second: bool| {
        format!(
            "[[refinement]]\nrun = \"{small}\"\nmistake = {first}\n[[refinement]]\nrun = \"{wrong}\"\nmistake = {second}\n"
        )
    };
    let run = |text: &str| {
        let dir = folder(&[("list.toml", text)]);
        litmpi_in(dir.path(), ["layers", "--list", "list.toml"])
    };
    run(&list(false, true))
        .exits(0)
        .says("| within |")
        .says("### loco-ring-buffer:head-first")
        .says("rb_receive(ring1)");
    run(&list(true, true)).exits(1).says("NOT FOUND").says(&format!("not as the list says: litmpi refine {small}"));
    run(&list(false, false)).exits(1).says("| NOT within |");
    run("[[refinement]]\nrun = \"mpi-rdma --aganst mpi\"\n").exits(2).says("unexpected argument '--aganst'");
    run("[[refinement]]\nruns = \"mpi-rdma\"\n").exits(2).says("unknown field `runs`");
}
