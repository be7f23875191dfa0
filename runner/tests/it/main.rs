//! Real libraries, real launches. Where a library is not installed its tests say so and stop.

#[path = "../../../codegen/tests/it/fixtures.rs"]
mod fixtures;

use fixtures::{endless, half_a_barrier, head_to_head, leftovers, mpi, truncation, wildcard_race};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_runner::process::{MARK, marked};
use litmpi_runner::{
    Availability, Comparison, Event, Expected, Observed, Plan, PlannedTest, Progress, Rows, RunResult, Target,
    log_text, probe, results_json, run, shipped_targets, summary_table,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn target(name: &str) -> Target {
    shipped_targets().into_iter().find(|t| t.name == name).expect("a shipped target")
}

/// The target, if it is here; else says why not.
async fn here(name: &str) -> Option<Target> {
    let target = target(name);
    match probe(&target).await {
        Availability::Here { .. } => Some(target),
        Availability::Missing { reason, how } => {
            println!("skipped: {reason} ({how})");
            None
        }
    }
}

fn planned(test: Test, allowed: &[Outcome]) -> PlannedTest {
    let expected = Expected { allowed: allowed.iter().cloned().collect(), complete: true, ..Expected::default() };
    PlannedTest { test: Arc::new(test), expected, labels: BTreeMap::new(), stress: BTreeMap::new() }
}

fn values(vs: &[i64]) -> Outcome {
    Outcome::Values(vs.to_vec())
}

fn race() -> PlannedTest {
    planned(wildcard_race(), &[values(&[1, 1]), values(&[2, 2])])
}

fn plan(tests: Vec<PlannedTest>, target: Target, name: &str) -> Plan {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut plan = Plan::new(tests, Arc::new(mpi()), vec![target], out);
    plan.sizes = vec![8];
    plan
}

async fn results(plan: &Plan) -> Vec<RunResult> {
    run(plan, |_| {}).await.expect("the plan runs")
}

/// Runs a plan; its results, and the processes of its launches that are still there.
async fn results_and_orphans(plan: &Plan) -> (Vec<RunResult>, Vec<i32>) {
    let mut marks = Vec::new();
    let all = run(plan, |e| {
        if let Event::Launching { mark, .. } = e {
            marks.push(mark);
        }
    });
    let all = all.await.expect("the plan runs");
    (all, marks.iter().flat_map(|m| marked(m)).collect())
}

async fn a_wildcard_race_conforms_at_every_size(name: &str) {
    let Some(target) = here(name).await else { return };
    let mut plan = plan(vec![race()], target, name);
    plan.sizes = vec![8, 64 << 10, 4 << 20];
    let all = results(&plan).await;
    println!("{}", summary_table(&all, Rows::Each, None));
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|r| r.verdict == Comparison::Conforms), "{}", results_json(&all));
    assert!(all.iter().all(|r| r.iterations > 0 && !r.library.is_empty()));
    // With delays every library shows the two orders at some size, sooner or later; when is up to the machine's load,
    // and what is not seen is coverage, not failure.
    if all.iter().all(|r| !r.unseen.is_empty()) {
        println!("{name} showed one order only, this time");
    }
}

#[tokio::test]
async fn a_wildcard_race_conforms_at_every_size_on_open_mpi() {
    a_wildcard_race_conforms_at_every_size("openmpi").await;
}

#[tokio::test]
async fn a_wildcard_race_conforms_at_every_size_on_open_mpi_over_tcp() {
    a_wildcard_race_conforms_at_every_size("openmpi-tcp").await;
}

#[tokio::test]
async fn a_wildcard_race_conforms_at_every_size_on_open_mpi_over_ucx() {
    a_wildcard_race_conforms_at_every_size("openmpi-ucx").await;
}

#[tokio::test]
async fn a_wildcard_race_conforms_at_every_size_on_mpich() {
    a_wildcard_race_conforms_at_every_size("mpich").await;
}

#[tokio::test]
async fn a_wildcard_race_conforms_at_every_size_on_mpich_over_tcp() {
    a_wildcard_race_conforms_at_every_size("mpich-tcp").await;
}

async fn a_deadlock_is_an_outcome_and_leaves_no_process(name: &str, progress: Progress) {
    let Some(target) = here(name).await else { return };
    let hang = planned(head_to_head("ssend-ssend", "MPI_Ssend"), &[Outcome::Deadlock]);
    let mut plan = plan(vec![hang, race()], target, &format!("{name}-deadlock-{progress:?}"));
    plan.progress = progress;
    let begun = Instant::now();
    let (all, orphans) = results_and_orphans(&plan).await;
    println!("{progress:?}: {:?}\n{}", begun.elapsed(), summary_table(&all, Rows::Each, None));
    assert_eq!(orphans, [] as [i32; 0]);
    assert_eq!(all[0].verdict, Comparison::Conforms, "{}", results_json(&all));
    assert!(all[0].observed.iter().all(|o| o.observed == Observed::Deadlock));
    assert_eq!(all[1].verdict, Comparison::Conforms, "the hang costs the other test nothing");
    assert!(all[1].iterations > 0);
    if progress == Progress::Blocking {
        // Each rank has said where it stood.
        assert!(all[0].notes.iter().any(|n| n.contains("hang at ssend-ssend.litmus:3")), "{:?}", all[0].notes);
    }
}

#[tokio::test]
async fn a_deadlock_is_given_up_in_relaxed_style() {
    a_deadlock_is_an_outcome_and_leaves_no_process("openmpi", Progress::Relaxed).await;
    a_deadlock_is_an_outcome_and_leaves_no_process("mpich", Progress::Relaxed).await;
}

#[tokio::test]
async fn a_deadlock_in_blocking_style_is_killed_on_open_mpi() {
    a_deadlock_is_an_outcome_and_leaves_no_process("openmpi", Progress::Blocking).await;
}

#[tokio::test]
async fn a_deadlock_in_blocking_style_is_killed_on_mpich() {
    a_deadlock_is_an_outcome_and_leaves_no_process("mpich", Progress::Blocking).await;
}

async fn iterations_do_not_mix(name: &str) {
    let Some(target) = here(name).await else { return };
    // Large sends wait for a receive, which the third message never gets.
    let tests = vec![planned(leftovers(), &[values(&[1, 2]), Outcome::Deadlock]), race()];
    let mut plan = plan(tests, target, &format!("{name}-leftovers"));
    plan.sizes = vec![8, 64 << 10];
    (plan.budget.iterations, plan.budget.millis, plan.budget.deadlocks) = (300, 10_000, 3);
    for progress in [Progress::Relaxed, Progress::Blocking] {
        plan.progress = progress;
        let all = results(&plan).await;
        assert!(all.iter().all(|r| r.verdict == Comparison::Conforms), "{progress:?} {}", results_json(&all));
        assert_eq!(all[0].observed[0].outcome, "a=1; c=2;");
        assert!(all[0].iterations > 100, "{}", results_json(&all));
    }
}

#[tokio::test]
async fn messages_and_receives_left_over_do_not_reach_the_next_iteration_on_open_mpi() {
    iterations_do_not_mix("openmpi").await;
}

#[tokio::test]
async fn messages_and_receives_left_over_do_not_reach_the_next_iteration_on_mpich_over_tcp() {
    iterations_do_not_mix("mpich-tcp").await;
}

async fn a_collective_left_behind_is_left(name: &str) {
    let Some(target) = here(name).await else { return };
    let tests = vec![planned(half_a_barrier(), &[values(&[5]), Outcome::Deadlock]), race()];
    let mut plan = plan(tests, target, &format!("{name}-collective"));
    (plan.budget.iterations, plan.budget.millis, plan.budget.deadlocks) = (100, 20_000, 3);
    let all = results(&plan).await;
    assert!(all.iter().all(|r| r.verdict == Comparison::Conforms), "{}", results_json(&all));
    assert!(all[0].iterations > 0 && all[1].iterations > 0, "{}", results_json(&all));
    // Which of the two comes when is up to the machine's load.
    match all[0].observed.iter().find(|o| o.observed == Observed::Deadlock) {
        Some(deadlocks) => assert!(deadlocks.tally.count > 1, "the run goes on after a deadlock"),
        None => println!("{name} showed no deadlock, this time"),
    }
}

#[tokio::test]
async fn a_collective_that_a_deadlock_leaves_behind_disturbs_nothing() {
    a_collective_left_behind_is_left("openmpi").await;
    a_collective_left_behind_is_left("mpich").await;
}

async fn an_error_is_an_outcome(name: &str) {
    let Some(target) = here(name).await else { return };
    let all =
        results(&plan(vec![planned(truncation(), &[values(&[1])]), race()], target, &format!("{name}-error"))).await;
    assert_eq!(
        all[0].verdict,
        Comparison::Violation { outcomes: vec!["error MPI_ERR_TRUNCATE".into()] },
        "{}",
        results_json(&all)
    );
    assert!(all[0].notes[0].contains("error at truncation.litmus:2 MPI_ERR_TRUNCATE"), "{:?}", all[0].notes);
    assert_eq!(all[1].verdict, Comparison::Conforms);
}

#[tokio::test]
async fn an_error_is_an_outcome_with_its_class_and_place() {
    an_error_is_an_outcome("openmpi").await;
    an_error_is_an_outcome("mpich").await;
}

#[tokio::test]
async fn a_loop_that_passes_its_bound_is_cut_and_no_outcome() {
    let Some(target) = here("mpich").await else { return };
    let mut plan = plan(vec![planned(endless(), &[values(&[0])])], target, "cut");
    (plan.budget.loop_turns, plan.budget.iterations, plan.budget.millis) = (1000, 5, 10_000);
    let all = results(&plan).await;
    assert!(matches!(all[0].verdict, Comparison::NotRun { .. }), "{}", results_json(&all));
    assert_eq!((all[0].observed[0].outcome.as_str(), all[0].observed[0].tally.count), ("cut", 5));
}

#[tokio::test]
async fn a_standard_send_deadlocks_when_the_message_is_large() {
    let Some(target) = here("openmpi").await else { return };
    let both = planned(head_to_head("send-send", "MPI_Send"), &[values(&[7, 7]), Outcome::Deadlock]);
    let mut plan = plan(vec![both], target, "send-send");
    plan.sizes = vec![8, 4 << 20];
    let all = results(&plan).await;
    assert!(all.iter().all(|r| r.verdict == Comparison::Conforms), "{}", results_json(&all));
    assert_eq!(all[0].observed[0].outcome, "0:a=7; 1:a=7;");
    assert_eq!(all[1].observed[0].outcome, "deadlock");
}

#[tokio::test]
async fn a_hang_that_is_not_allowed_is_a_violation_and_the_others_keep_their_results() {
    let Some(target) = here("openmpi").await else { return };
    let hang = planned(head_to_head("ssend-ssend", "MPI_Ssend"), &[values(&[7, 7])]);
    let mut plan = plan(vec![race(), hang, race()], target, "unexpected-hang");
    (plan.patience, plan.progress) = (Some(2), Progress::Both);
    let (mut broke, mut marks) = (Vec::new(), Vec::new());
    let all = run(&plan, |e| match e {
        Event::Broke { test, .. } => broke.push(test),
        Event::Launching { mark, .. } => marks.push(mark),
        _ => {}
    })
    .await
    .expect("the plan runs");
    let verdicts: Vec<&str> = all.iter().map(|r| r.verdict.word()).collect();
    assert_eq!(
        verdicts,
        ["conforms", "conforms", "VIOLATION", "VIOLATION", "conforms", "conforms"],
        "{}",
        results_json(&all)
    );
    assert_eq!(all[2].verdict, Comparison::Violation { outcomes: vec!["deadlock".into()] });
    let lost = Some("ssend-ssend".to_string());
    assert_eq!(
        broke,
        [lost.clone(), lost],
        "only the blocking style loses its launch, and the one that tries it again"
    );
    let orphans: Vec<i32> = marks.iter().flat_map(|m| marked(m)).collect();
    assert_eq!(orphans, [] as [i32; 0]);
}

#[tokio::test]
async fn an_outcome_outside_the_allowed_set_is_found_and_can_be_replayed() {
    let Some(target) = here("openmpi").await else { return };
    let wrong = planned(wildcard_race(), &[values(&[0, 0])]);
    let all = results(&plan(vec![wrong], target, "violation")).await;
    let r = &all[0];
    let Comparison::Violation { outcomes } = &r.verdict else { panic!("{}", results_json(&all)) };
    assert!(outcomes.iter().all(|o| o == "s.source=1; a=1;" || o == "s.source=2; a=2;"), "{outcomes:?}");
    assert_eq!(r.observed[0].allowed, Some(false));
    let again = std::process::Command::new("sh").args(["-c", &r.command]).output().expect("sh runs");
    let text = String::from_utf8_lossy(&again.stdout);
    assert!(
        text.contains("litmpi done") && text.contains("values"),
        "{}\n{text}\n{}",
        r.command,
        String::from_utf8_lossy(&again.stderr)
    );
}

#[tokio::test]
async fn a_target_that_is_not_here_is_skipped_with_its_reason() {
    let mut absent = target("mpich");
    absent.name = "absent".into();
    absent.launch[0] = "mpirun.of-nobody".into();
    let all = results(&plan(vec![race()], absent, "absent")).await;
    let Comparison::Skipped { reason } = &all[0].verdict else { panic!("{all:?}") };
    assert_eq!(
        reason,
        "MPICH is not installed: there is no `mpirun.of-nobody`; get it with: apt-get install mpich libmpich-dev"
    );
}

#[tokio::test]
async fn a_launcher_that_hangs_or_fails_is_no_verdict() {
    let Some(mut target) = here("openmpi").await else { return };
    target.launch = ["sh", "-c", "echo no such network >&2; exit 3", "{program}"].map(String::from).to_vec();
    let all = results(&plan(vec![race()], target, "failing")).await;
    let Comparison::Failed { reason } = &all[0].verdict else { panic!("{all:?}") };
    assert!(reason.contains("the launch failed: exit status: 3: no such network"), "{reason}");
}

#[tokio::test]
async fn what_a_launch_ran_on_may_break_down_and_no_test_is_blamed() {
    let Some(mut target) = here("openmpi").await else { return };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broke-{}", std::process::id()));
    let mut launch = target.launch.clone();
    let script =
        "if mkdir \"$0\"; then echo litmpi begin 0 race; echo litmpi again it panicked; exit 75; fi; exec \"$@\"";
    launch.splice(0..0, ["sh", "-c", script, dir.to_str().expect("a path")].map(String::from));
    target.launch = launch;
    let _ = std::fs::remove_dir(&dir);
    let mut broke = vec![];
    let plan_once = plan(vec![race()], target.clone(), "broke-once");
    let all = run(&plan_once, |e| {
        if let Event::Broke { test, what, .. } = e {
            broke.push((test, what));
        }
    });
    let all = all.await.expect("the plan runs");
    assert_eq!(all[0].verdict, Comparison::Conforms, "{}", results_json(&all));
    assert_eq!(broke, [(None, "it panicked".to_string())]);
    let _ = std::fs::remove_dir(&dir);
    target.launch = ["sh", "-c", "echo litmpi again it panicked; exit 75", "{program}"].map(String::from).to_vec();
    let all = results(&plan(vec![race()], target, "broke-always")).await;
    let Comparison::Failed { reason } = &all[0].verdict else { panic!("{all:?}") };
    assert!(reason.contains("broke down 4 times, at last so: it panicked"), "{reason}");
}

#[tokio::test]
async fn a_violation_is_tried_again_in_a_fresh_process_before_it_is_told() {
    let Some(target) = here("mpich").await else { return };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("retried-{}", std::process::id()));
    let said =
        "echo litmpi begin 0 race; echo litmpi outcome 0 300 1 values 5 5; echo litmpi end 0 412 10; echo litmpi done";
    let first_alone = format!("if mkdir \"$0\"; then {said}; exit 0; fi; exec \"$@\"");
    let wrong = "s.source=5; a=5;".to_string();
    for (script, verdict, fresh) in [
        (first_alone, Comparison::Unconfirmed { outcomes: vec![wrong.clone()] }, 0),
        (format!("{said}; exit 0"), Comparison::Violation { outcomes: vec![wrong.clone()] }, 300),
    ] {
        let _ = std::fs::remove_dir(&dir);
        let mut faked = target.clone();
        faked.launch.splice(0..0, ["sh", "-c", &script, dir.to_str().expect("a path")].map(String::from));
        let all = results(&plan(vec![race()], faked, "retried")).await;
        let _ = std::fs::remove_dir(&dir);
        assert_eq!(all[0].verdict, verdict, "{}", results_json(&all));
        let retry = all[0].retry.as_ref().expect("it was tried again");
        assert_eq!((retry.first, retry.outcomes[&wrong]), (412, (300, fresh)));
        assert!(retry.fresh > 0 && all[0].iterations == 412 + retry.fresh, "{}", results_json(&all));
        let words = format!("(8 B, seen 300 of 412 in the first process, {fresh} of {} in a fresh one)", retry.fresh);
        assert!(litmpi_runner::summary_table(&all, litmpi_runner::Rows::Folded, None).contains(&words), "{words}");
    }
}

#[tokio::test]
async fn a_test_that_does_not_compile_costs_only_itself() {
    let Some(target) = here("mpich").await else { return };
    let mut instructions = mpi();
    let ssend = instructions.find("MPI_Ssend").expect("it is declared");
    instructions.list[ssend].text.c = Some("MPI_Ssend(no_such_thing)".into());
    let faulty = planned(head_to_head("faulty", "MPI_Ssend"), &[Outcome::Deadlock]);
    let mut plan = plan(vec![faulty, race()], target, "faulty");
    plan.instructions = Arc::new(instructions);
    let all = results(&plan).await;
    let Comparison::Failed { reason } = &all[0].verdict else { panic!("{all:?}") };
    assert!(reason.starts_with("it does not compile: test_faulty.c:") && reason.contains("no_such_thing"), "{reason}");
    assert_eq!(all[1].verdict, Comparison::Conforms);
}

#[tokio::test]
async fn an_erroneous_test_runs_only_on_request() {
    let Some(target) = here("openmpi").await else { return };
    let mut erroneous = race();
    erroneous.expected.erroneous = true;
    let mut plan = plan(vec![erroneous], target, "erroneous");
    assert!(matches!(results(&plan).await[0].verdict, Comparison::NotRun { .. }));
    plan.run_erroneous = true;
    let all = results(&plan).await;
    assert_eq!(all[0].verdict, Comparison::Erroneous);
    assert!(all[0].iterations > 0);
}

#[tokio::test]
async fn dropping_a_run_ends_its_processes() {
    let Some(target) = here("openmpi").await else { return };
    let hang = planned(head_to_head("ssend-ssend", "MPI_Ssend"), &[values(&[7, 7])]);
    let mut plan = plan(vec![hang], target, "dropped");
    (plan.patience, plan.progress) = (Some(60), Progress::Blocking);
    let (begun, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let mut launch = String::new();
    let running = run(&plan, |e| match e {
        Event::Launching { mark, .. } => launch = mark,
        Event::Begun { .. } => begun.send(launch.clone()).expect("the test listens"),
        _ => {}
    });
    let mark = tokio::select! {
        all = running => panic!("it hangs: {all:?}"),
        mark = seen.recv() => mark.expect("the launch has begun"),
    };
    assert_eq!(marked(&mark), [] as [i32; 0]);
}

#[tokio::test]
async fn the_mark_finds_processes_wherever_they_are_in_the_tree() {
    let mark = format!("test-{}", std::process::id());
    let mut child = tokio::process::Command::new("sh")
        .args(["-c", "setsid sleep 30 & wait"])
        .env(MARK, &mark)
        .spawn()
        .expect("sh runs");
    let until = Instant::now() + Duration::from_secs(5);
    while marked(&mark).len() < 2 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(marked(&mark).len(), 2);
    for pid in marked(&mark).into_iter().filter_map(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    let _ = child.wait().await;
}

#[test]
fn the_log_reads_as_litmus7_writes_it() {
    use litmpi_litmus::ast::{Claim, Prop, Quantifier};
    use litmpi_runner::{Delay, SeenOutcome, Stress, Style, Tally};
    let mut test = wildcard_race();
    let prop = Prop::And(Box::new(Prop::Eq(0, 1)), Box::new(Prop::Not(Box::new(Prop::Eq(1, 2)))));
    test.claims = vec![Claim {
        quantifier: Quantifier::Exists,
        prop,
        verdicts: vec![],
        seen: vec![],
        beside: vec![],
        span: test.span.clone(),
    }];
    let seen = |vs: &[i64], count| {
        let observed = Observed::Values(vs.iter().copied().map(Some).collect());
        SeenOutcome { outcome: observed.show(&test), observed, tally: Tally { count, first: 0 }, allowed: Some(true) }
    };
    let result = RunResult {
        schema: 1,
        known: vec![],
        new: vec![],
        explained: BTreeMap::new(),
        test: test.name.clone(),
        target: "openmpi".into(),
        size: 8,
        style: Style::Relaxed,
        verdict: Comparison::Conforms,
        observed: vec![seen(&[1, 1], 49), seen(&[2, 2], 17643)],
        allowed: vec![],
        allowed_outcomes: vec![],
        complete: true,
        unseen: vec![],
        iterations: 17692,
        directed: 0,
        retry: None,
        millis: 500,
        patience: 0,
        seed: 1,
        delay: Delay::default(),
        stress: Stress::default(),
        settings: BTreeMap::new(),
        library: String::new(),
        counters: BTreeMap::new(),
        command: String::new(),
        notes: vec![],
        setup: BTreeMap::new(),
        labels: BTreeMap::new(),
    };
    let expected = "\
Test wildcard-race Allowed
Histogram (2 states)
49      *>s.source=1; a=1;
17643   :>s.source=2; a=2;
Ok

Witnesses
Positive: 49, Negative: 17643
Condition exists (s.source=1 /\\ not a=2) is validated
Observation wildcard-race Sometimes 49 17643
Time wildcard-race 0.50
";
    let hash = litmpi_litmus::hash(&test).expect("one in our format");
    assert_eq!(log_text(&test, &result), format!("{expected}Hash={hash}\n"));
    // As litmus7 counts: under `~exists` what does not have what it names is positive, and the observation speaks of what it names.
    for (quantifier, kind, ok, counts, validated) in [
        (Quantifier::NotExists, "Forbidden", "No", "Positive: 17643, Negative: 49", "NOT validated"),
        (Quantifier::Forall, "Required", "No", "Positive: 49, Negative: 17643", "NOT validated"),
    ] {
        test.claims[0].quantifier = quantifier;
        let text = log_text(&test, &result);
        for part in [
            &format!("Test wildcard-race {kind}\n"),
            "\n49      *>s.source=1; a=1;\n17643   :>s.source=2; a=2;\n",
            &format!("\n{ok}\n\nWitnesses\n{counts}\n"),
            &format!("is {validated}\nObservation wildcard-race Sometimes 49 17643\n"),
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&results_json(&[result])).expect("it is JSON");
    assert_eq!(json[0]["verdict"], "conforms");
    assert_eq!(json[0]["observed"][1]["count"], 17643);
}

/// Words of every form, every operation that carries them, and every corruption: held in C, where they are made (`contents/contents.c`).
#[tokio::test]
async fn contents_survive_what_carries_them_and_nothing_else() {
    let mut ran = false;
    for name in ["openmpi", "mpich"] {
        let Some(target) = here(name).await else { continue };
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let harness = here.join("../codegen/c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("contents-{name}"));
        let units =
            litmpi_codegen::HARNESS.iter().filter(|(file, _)| file.ends_with(".c")).map(|(file, _)| harness.join(file));
        let (compiler, more) = target.compiler.split_first().expect("a compiler");
        let built = std::process::Command::new(compiler)
            .args(more)
            .args(["-std=c11", "-O1", "-fwrapv", "-Wall", "-Wextra", "-Werror", "-DLITMPI_LIBRARY", "-I"])
            .arg(&harness)
            .arg("-o")
            .arg(&program)
            .arg(here.join("tests/it/contents/contents.c"))
            .args(units)
            .status()
            .expect("the compiler starts");
        assert!(built.success(), "{name}");
        let said = std::process::Command::new(&program).output().expect("the program starts");
        assert!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stdout));
        ran = true;
    }
    println!("{}", if ran { "held" } else { "no library is here" });
}
