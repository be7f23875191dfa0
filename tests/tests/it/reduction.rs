//! The reduced search finds the outcomes of the full one: on the library under every model and variant, and on random programs.
//! What it takes to commute does, in every state.

use crate::command::root;
use crate::planted::planted;
use crate::support::litmpi_in;
use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_engine::memo::Every;
use litmpi_engine::present::Present;
use litmpi_engine::reduce::{Enough, Reduction};
use litmpi_engine::search::Bounds;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::cycles::cycles;
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Outcomes, Search, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) fn spec(name: &str) -> Arc<Spec> {
    Arc::new(load_shipped(name).expect("a shipped model"))
}

fn variants(spec: &Spec) -> Vec<String> {
    std::iter::once("default".to_owned()).chain(spec.variants.iter().map(|v| v.name.clone())).collect()
}

fn test(source: &Arc<Source>, spec: &Spec) -> Test {
    parse(source, &spec.instructions).unwrap_or_else(|r| panic!("{}\n{}", source.text, r.render(false)))
}

fn tests(folder: &str, spec: &Spec) -> Vec<Test> {
    let files = library::find(&[root().join(folder)]).expect("the library");
    files.iter().map(|f| test(&Source::read(f).expect("a readable file"), spec)).collect()
}

/// How many random programs of each family are searched: so many, or as many as `LITMPI_RANDOM` says.
fn programs(usually: u64) -> u64 {
    std::env::var("LITMPI_RANDOM").map_or(usually, |n| n.parse().expect("LITMPI_RANDOM is a number of programs"))
}

fn random_mpi(seeds: std::ops::Range<u64>, spec: &Spec) -> Vec<Test> {
    let text = |seed: u64| litmpi_mpi_model::generate::random(seed, 2 + seed as usize % 2, 2 + seed as usize % 3 / 2);
    seeds.map(|s| test(&Source::new("generated", text(s)), spec)).collect()
}

fn random_rdma(seeds: std::ops::Range<u64>, spec: &Spec) -> Vec<Test> {
    let text = |seed| litmpi_rdma_model::generate::random(seed, 2, 3);
    seeds.map(|s| test(&Source::new("generated", text(s)), spec)).collect()
}

/// What a search of this kind finds.
pub(crate) fn found(test: &Test, spec: &Arc<Spec>, variant: &str, search: Search) -> Outcomes {
    let setup = Setup { variant: variant.to_owned(), search, ..Setup::new(Arc::clone(spec)) };
    Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

/// Panics with the program if a reduced search finds other outcomes than a full one.
fn assert_same(test: &Test, spec: &Spec, variant: &str, full: &Outcomes, reduced: &Outcomes) {
    assert_eq!(reduced.refuted, None, "{}", test.name);
    let show =
        |a: &Outcomes, b: &Outcomes| a.set.difference(&b.set).map(|o| test.show(o)).collect::<Vec<_>>().join("\n  ");
    let text = &test.span.source.text;
    assert!(
        full.set == reduced.set && full.bounds == reduced.bounds,
        "{} ({variant}, {:?})\n{text}\nonly full:\n  {}\nonly reduced:\n  {}",
        spec.name,
        reduced.search,
        show(full, reduced),
        show(reduced, full)
    );
}

/// Panics with the program if the searches find different outcomes; what the full one found, and the reduced one.
pub(crate) fn agree(test: &Test, spec: &Arc<Spec>, variant: &str) -> (Outcomes, Outcomes) {
    let [full, reduced, footprints] =
        [Search::Full, Search::Reduced, Search::Footprints].map(|search| found(test, spec, variant, search));
    assert_same(test, spec, variant, &full, &reduced);
    assert_eq!(full.set, footprints.set, "{}", test.span.source.text);
    assert!(reduced.states <= full.states);
    (full, reduced)
}

/// The states of full and reduced searches of all.
fn states(found: impl Iterator<Item = (Outcomes, Outcomes)>) -> (usize, usize) {
    found.fold((0, 0), |(a, b), (full, reduced)| (a + full.states, b + reduced.states))
}

fn all_agree(tests: &[Test], spec: &Arc<Spec>) -> (usize, usize) {
    let variants = variants(spec);
    states(tests.iter().flat_map(|t| variants.iter().map(move |v| agree(t, spec, v))))
}

/// The same where it costs less: a variant under which the full search has the states and transitions that it has by default is a
/// variant of which the program has no use, and of these every eighth is searched with reductions. How rules commute by their
/// footprints alone has nothing to do with variants and is tried by default. The states of full and reduced searches by default.
fn agree_where_variants_differ(tests: &[Test], spec: &Arc<Spec>) -> (usize, usize) {
    let mut unused = 0;
    let each = |test: &Test| {
        let (full, reduced) = agree(test, spec, "default");
        for variant in variants(spec).iter().filter(|v| *v != "default") {
            let all = found(test, spec, variant, Search::Full);
            if (all.states, all.transitions) == (full.states, full.transitions) {
                unused += 1;
                if unused % 8 != 0 {
                    continue;
                }
            }
            assert_same(test, spec, variant, &all, &found(test, spec, variant, Search::Reduced));
        }
        (full, reduced)
    };
    states(tests.iter().map(each))
}

#[test]
fn reduced_and_full_search_agree_on_the_rdma_library_in_every_model_and_variant() {
    for name in litmpi_rdma_model::MODELS {
        let spec = spec(name);
        let (full, reduced) = all_agree(&tests("litmus/rdma", &spec), &spec);
        assert!(reduced * 2 < full, "{name}: {reduced} of {full} states");
    }
}

#[test]
fn reduced_and_full_search_agree_on_the_x86_library() {
    let spec = spec("tso");
    let tests: Vec<Test> = tests("litmus/x86", &spec).into_iter().filter(|t| t.threads.len() < 6).collect();
    let (full, reduced) = all_agree(&tests, &spec);
    assert!(tests.len() > 60 && reduced * 2 < full, "{} tests: {full} states in full, {reduced} reduced", tests.len());
    let generated: Vec<Test> = (2..=3)
        .flat_map(|threads| cycles(threads).step_by(cycles(threads).count() / programs(300) as usize + 1))
        .map(|cycle| test(&Source::new("generated", cycle.text()), &spec))
        .collect();
    let (full, reduced) = all_agree(&generated, &spec);
    assert!(
        generated.len() > 200 && reduced * 2 < full,
        "{} tests: {full} states in full, {reduced} reduced",
        generated.len()
    );
}

#[test]
fn reduced_and_full_search_agree_on_the_mpi_library_in_every_variant() {
    let spec = spec("mpi");
    // One-sided operations look at all others under way: of their steps it is grants of locks, mostly, that commute, and a lock is
    // granted only when somebody asks about it, in the full search, too.
    let (windows, messages): (Vec<_>, Vec<_>) =
        tests("litmus/mpi", &spec).into_iter().partition(|t| t.name.starts_with("rma-"));
    // Most tests are small and leave little to reduce; what large programs cost is said below.
    let (full, reduced) = agree_where_variants_differ(&messages, &spec);
    assert!(reduced * 3 < full * 2, "{reduced} of {full} states");
    let (full, reduced) = agree_where_variants_differ(&windows, &spec);
    assert!(reduced < full, "{reduced} of {full} states");
}

#[test]
fn what_a_state_does_not_keep_nobody_looks_at() {
    let spec = spec("mpi");
    let mut all = (*spec).clone();
    let kept = all.state.iter_mut().filter_map(|v| v.keeps.take()).count();
    assert_eq!(kept, 1, "collectives that are over");
    let all = Arc::new(all);
    let (mut fewer, mut states) = (0, (0, 0));
    for (i, test) in tests("litmus/mpi", &spec).iter().enumerate() {
        let search = if i % 4 == 0 { Search::Full } else { Search::Reduced };
        let (some, every) = (found(test, &spec, "default", search), found(test, &all, "default", search));
        assert_same(test, &spec, "default", &every, &some);
        assert!(some.states <= every.states, "{}: {} and {} states", test.name, some.states, every.states);
        fewer += usize::from(some.states < every.states);
        states = (states.0 + some.states, states.1 + every.states);
    }
    assert!(states.0 <= states.1 && fewer > 0, "{fewer} tests, {states:?} states");
}

#[test]
fn reduced_and_full_search_agree_on_small_programs_of_mpi_over_rdma() {
    let spec = spec("mpi-rdma");
    let tests = tests("litmus/mpi-rdma", &spec);
    let small = [
        "write-",
        "read-",
        "overwrite-",
        "never-",
        "to-",
        "barrier-n",
        "allreduce-a",
        "test",
        "win-fence-put",
        "win-start-put",
    ];
    let some = tests.iter().filter(|t| small.iter().any(|name| t.name.starts_with(name)) && !t.name.contains("long"));
    let (mut full, mut reduced) = (0, 0);
    for test in some {
        for variant in ["default", "get", "put"] {
            let (all, some) = agree(test, &spec, variant);
            (full, reduced) = (full + all.states, reduced + some.states);
        }
    }
    assert!(full > 10_000 && reduced < full, "{reduced} of {full} states");
}

#[test]
fn reduced_and_full_search_agree_on_random_rdma_programs() {
    for name in litmpi_rdma_model::MODELS {
        let spec = spec(name);
        all_agree(&random_rdma(0..programs(40), &spec), &spec);
    }
}

/// Two ranks that begin so many nonblocking broadcasts and complete them together; the other one does so when it has a message of the root.
fn broadcasts(n: usize) -> String {
    let begun = |x: &dyn Fn(usize) -> String| -> String {
        (0..n).map(|i| format!("MPI_Ibcast({}, root: 0, request: q{i})\n", x(i))).collect()
    };
    let all = format!("MPI_Waitall([{}])", (0..n).map(|i| format!("q{i}")).collect::<Vec<_>>().join(", "));
    format!(
        "litmus mpi broadcasts \"so many under way\"\nrank 0 {{\n{}{all}\nMPI_Send(7, dest: 1)\n}}\nrank 1 {{\nMPI_Recv(m, source: 0)\n{}{all}\n}}\nexists x0 = 0\n",
        begun(&|i| i.to_string()),
        begun(&|i| format!("x{i}"))
    )
}

#[test]
fn collectives_that_are_completed_together_cost_no_more_each_the_more_they_are() {
    let spec = spec("mpi");
    for n in 1..5 {
        let (full, _) = agree(&test(&Source::new("generated", broadcasts(n)), &spec), &spec, "default");
        assert_eq!(full.set.len(), 2, "{n}: the root waits for the other rank, or not");
    }
    let reduced =
        |n| found(&test(&Source::new("generated", broadcasts(n)), &spec), &spec, "default", Search::Reduced).states;
    let (four, eight, sixteen) = (reduced(4), reduced(8), reduced(16));
    assert!(eight < 2 * four && sixteen < 2 * eight, "{four}, {eight} and {sixteen} states");
}

/// So many ranks that each put to an element of the first one's window, which it has posted to all of them.
fn origins(n: usize) -> String {
    let opens = |size: usize, rank: usize| {
        let group = if rank == 0 { "MPI_Group_excl(g, [0], h)" } else { "MPI_Group_incl(g, [0], h)" };
        format!("int x[{size}]\nMPI_Win_create(x, size: {size}, win: w)\nMPI_Win_get_group(w, g)\n{group}\n")
    };
    let origin = |r: usize| {
        let put = format!("MPI_Put({r}, target_rank: 0, target_disp: {}, win: w)", r - 1);
        let begins = opens(1, r);
        format!("rank {r} {{\n{begins}MPI_Win_start(h, 0, w)\n{put}\nMPI_Win_complete(w)\nMPI_Win_free(w)\n}}\n")
    };
    let target = opens(n, 0) + "MPI_Win_post(h, 0, w)\nMPI_Win_wait(w)\na := x[0]\nMPI_Win_free(w)\n";
    let all: String = (1..=n).map(origin).collect();
    format!("litmus mpi origins \"so many of one target\"\nrank 0 {{\n{target}}}\n{all}exists a = 1\n")
}

#[test]
fn origins_that_access_one_window_at_once_cost_twice_as_much_for_each_more_and_not_ten_times() {
    let spec = spec("mpi");
    for n in 1..3 {
        let (full, _) = agree(&test(&Source::new("generated", origins(n)), &spec), &spec, "default");
        assert_eq!(full.set.len(), 1, "{n}: the epoch is over before the target looks");
    }
    let reduced =
        |n| found(&test(&Source::new("generated", origins(n)), &spec), &spec, "default", Search::Reduced).states;
    let (three, five) = (reduced(3), reduced(5));
    assert!(five < 6 * three && five < 400, "{three} and {five} states");
}

#[test]
fn reduced_and_full_search_agree_on_random_mpi_programs() {
    let spec = spec("mpi");
    let (full, reduced) = all_agree(&random_mpi(0..programs(200), &spec), &spec);
    assert!(reduced * 2 < full, "{reduced} of {full} states");
}

#[test]
fn reduced_and_full_search_agree_on_random_mpi_programs_over_rdma() {
    let spec = spec("mpi-rdma");
    // Programs that call what the model lacks, and large ones, are left out.
    let text = |seed: u64| litmpi_mpi_model::generate::random(seed, 2, 1 + seed as usize % 2);
    let read = |seed| parse(&Source::new("generated", text(seed)), &spec.instructions).ok();
    let runs = |test: &Test| {
        let setup = Setup {
            bounds: Bounds { states: 20_000, ..Bounds::default() },
            search: Search::Full,
            ..Setup::new(Arc::clone(&spec))
        };
        Operational::new(test, &setup).and_then(|m| m.outcomes()).is_ok_and(|found| found.complete())
    };
    let mut tried = 0;
    for test in (0..8 * programs(20)).filter_map(read).filter(runs).take(programs(20) as usize) {
        for variant in ["default", "get", "put"] {
            agree(&test, &spec, variant);
        }
        tried += 1;
    }
    assert!(tried > 10, "{tried} programs");
}

#[test]
fn a_search_towards_an_outcome_finds_a_way_to_each_that_there_is() {
    let (mut ways, mut longer) = (0, 0);
    for (name, folder, every) in [("rdma-tso", "litmus/rdma", 3), ("mpi", "litmus/mpi", 9)] {
        let spec = spec(name);
        for test in tests(folder, &spec).iter().step_by(every) {
            let model = |search| {
                let setup = Setup { search, ..Setup::new(Arc::clone(&spec)) };
                Operational::new(test, &setup).unwrap_or_else(|r| panic!("{}", r.render(false)))
            };
            let (full, reduced) = (model(Search::Full), model(Search::Reduced));
            let all = full.ways().unwrap_or_else(|r| panic!("{}", r.render(false)));
            for outcome in all.outcomes.set.iter().filter(|o| **o != Outcome::Deadlock) {
                let misses = |o: &Outcome| usize::from(o != outcome);
                let found = reduced.towards(|o| o == outcome, misses).unwrap_or_else(|r| panic!("{}", r.render(false)));
                let (_, path) = found.unwrap_or_else(|| panic!("{}: no way to {}", test.name, test.show(outcome)));
                let shortest = full.way(&all, outcome).ok().flatten().expect("a way in full");
                assert!(path.steps.len() >= shortest.steps.len(), "{}", test.name);
                longer += usize::from(path.steps.len() > shortest.steps.len());
                ways += 1;
            }
        }
    }
    assert!(ways > 300, "{ways} ways, of which {longer} are no shortest ones");
}

/// Tries every pair in the first states of the full search.
fn commuting(test: &Test, spec: &Arc<Spec>, most: usize) -> usize {
    let setup = Setup { bounds: Bounds { states: most, ..Bounds::default() }, ..Setup::new(Arc::clone(spec)) };
    let model = Operational::new(test, &setup).unwrap_or_else(|r| panic!("{}", r.render(false)));
    let machine: &Machine = model.machine();
    let reduction = Reduction::new(machine, true);
    let mut enough = Enough::new(machine, &reduction);
    let mut seen: HashSet<Vec<u32>> = HashSet::from([machine.initial().to_vec()]);
    let mut todo = vec![machine.initial().to_vec()];
    while let (Some(state), true) = (todo.pop(), seen.len() < most) {
        let wrong = enough.check_commuting(&state).unwrap_or_else(|f| panic!("{}", f.0.message));
        assert!(wrong.is_empty(), "{} ({})\n{}\n{wrong:#?}", spec.name, test.name, test.span.source.text);
        machine
            .transitions(&state, &mut |_, to| {
                if let Target::State(s) = to
                    && seen.insert(s.to_vec())
                {
                    todo.push(s.to_vec());
                }
            })
            .unwrap_or_else(|f| panic!("{}", f.0.message));
    }
    seen.len()
}

#[test]
fn what_the_reduction_takes_to_commute_does_in_states_of_the_library() {
    let models = [
        ("mpi", "litmus/mpi"),
        ("mpi-rdma", "litmus/mpi-rdma"),
        ("rdma-tso", "litmus/rdma"),
        ("rdma-tso-simplified", "litmus/rdma"),
    ];
    for (name, folder) in models {
        let spec = spec(name);
        let states: usize = tests(folder, &spec).iter().map(|t| commuting(t, &spec, 100)).sum();
        assert!(states > 2_000, "{name}: {states}");
    }
}

#[test]
fn what_the_reduction_takes_to_commute_does_in_states_of_random_mpi_programs() {
    let spec = spec("mpi");
    let states: usize = random_mpi(1000..1100, &spec).iter().map(|t| commuting(t, &spec, 300)).sum();
    assert!(states > 2_000, "{states}");
}

#[test]
fn a_rule_that_does_not_commute_as_it_says_is_found_out_and_everything_is_searched() {
    // What a thread reads does depend on what others write.
    let read = "  then r := newest(B[t], x)\n";
    let wrong = format!("{read}  commutes with * because \"nothing is written\"\n");
    let dir = planted("cpu/store-buffer.spec", read, &wrong);
    let test = format!("{}/litmus/rdma/TSO-SB.litmus", root().display());
    let enumerate = ["enumerate", "--spec", "rdma/tso.spec", &test];
    litmpi_in(dir.path(), enumerate.into_iter().chain(["--search", "reduced"]))
        .exits(0)
        .says("are said to commute and do not; everything was searched instead")
        .says("States 4\n");
    // Unasked, nobody relies on it.
    let said = litmpi_in(dir.path(), enumerate);
    said.exits(0).says("States 4\n").says("not counted executions");
}

/// A search that keeps ways, and sweeps on one thread and on several, find the same; the states of both.
fn swept(test: &Test, spec: &Arc<Spec>) -> (usize, usize) {
    let shown = |r: litmpi_spec::diag::Report| -> ! { panic!("{}\n{}", test.span.source.text, r.render(false)) };
    let model = |threads| {
        let setup = Setup { search: Search::Reduced, threads, ..Setup::new(Arc::clone(spec)) };
        Operational::new(test, &setup).unwrap_or_else(|r| shown(r))
    };
    let kept = model(1).ways().unwrap_or_else(|r| shown(r)).outcomes;
    let [one, three] = [1, 3].map(|threads| model(threads).outcomes().unwrap_or_else(|r| shown(r)));
    assert_eq!((&kept.set, &kept.bounds), (&one.set, &one.bounds), "{}", test.span.source.text);
    assert_eq!(
        (&one.set, one.states, one.transitions, &one.bounds),
        (&three.set, three.states, three.transitions, &three.bounds),
        "{}",
        test.span.source.text
    );
    (kept.states, one.states)
}

#[test]
fn sweeps_on_any_number_of_threads_find_what_a_search_that_keeps_ways_finds() {
    for (model, folder) in [("mpi", "litmus/mpi"), ("rdma-tso", "litmus/rdma"), ("verbs", "litmus/verbs")] {
        let spec = spec(model);
        let runs = |t: &Test| litmpi_engine::machine::runs(&spec, &litmpi_litmus::lower(t, Some(4))).is_ok();
        let all: Vec<Test> = tests(folder, &spec).into_iter().filter(runs).collect();
        let random = if model == "mpi" { random_mpi(7000..7080, &spec) } else { vec![] };
        let each = all.iter().chain(&random).map(|t| swept(t, &spec));
        let (kept, swept) = each.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        // What is expanded in full so that nothing is put off for ever is little, and what nobody looks at is not told apart.
        assert!(swept * 5 <= kept * 6, "{model}: {swept} states for {kept}");
    }
}

#[test]
fn store_buffers_cost_two_states_for_each_way_in_which_threads_may_have_read() {
    let spec = spec("tso");
    for n in 3..8 {
        let line = |cell: &dyn Fn(usize) -> String| (0..n).map(cell).collect::<Vec<_>>().join(" | ") + " ;\n";
        let body = [
            line(&|i| format!("P{i}")),
            line(&|i| format!("MOV [x{i}],$1")),
            line(&|i| format!("MOV EAX,[x{}]", (i + 1) % n)),
        ];
        let reads = (0..n).map(|i| format!("{i}:EAX=0")).collect::<Vec<_>>().join(" /\\ ");
        let text = format!("X86 SB{n}\n\"store buffering by {n} threads\"\n{{ }}\n{}exists ({reads})\n", body.concat());
        let test = test(&Source::new("generated", text), &spec);
        let (full, reduced) = agree(&test, &spec, "default");
        // Each read is of the time before or after one write.
        assert_eq!(full.set.len(), 1 << n);
        assert!(reduced.states <= 4 * (1 << n) + 2 * n, "{n} threads: {} states", reduced.states);
    }
}

/// The states of a reduced search.
fn reduced_states(text: String, spec: &Arc<Spec>) -> usize {
    let test = test(&Source::new("generated", text), spec);
    let model = Operational::new(&test, &Setup { search: Search::Reduced, ..Setup::new(Arc::clone(spec)) })
        .unwrap_or_else(|r| panic!("{r}"));
    model.outcomes().unwrap_or_else(|r| panic!("{r}")).states
}

#[test]
fn senders_to_one_wildcard_receiver_cost_a_few_states_for_every_order_of_some_of_them() {
    let spec = spec("mpi");
    for (n, orders) in [(2, 1 + 2 + 2), (3, 1 + 3 + 6 + 6), (4, 1 + 4 + 12 + 24 + 24), (5, 1 + 5 + 20 + 60 + 120 + 120)]
    {
        let receives: String = (1..=n).map(|i| format!("  MPI_Recv(r{i}, source: any)\n")).collect();
        let senders: String = (1..=n).map(|r| format!("rank {r} {{ MPI_Send({r}, dest: 0) }}\n")).collect();
        let text =
            format!("litmus mpi senders-{n} \"generated\"\nrank 0 {{\n{receives}}}\n{senders}{}\n", all_asked(n));
        // Each receive is posted, matched and waited for, and its send waited for.
        let states = reduced_states(text, &spec);
        assert!(states <= 4 * orders, "{n} senders: {states} states, {orders} orders");
    }
}

/// A claim that observes what each of so many receives got.
fn all_asked(n: usize) -> String {
    let each: Vec<String> = (1..=n).map(|i| format!("r{i} = {i}")).collect();
    format!("exists {}", each.join(" /\\ "))
}

#[test]
fn what_nobody_asks_about_is_not_told_apart() {
    let spec = spec("mpi");
    let states = |n: usize, more: &str, claim: &str| {
        let receives: String = (1..=n).map(|i| format!("  MPI_Recv(r{i}, source: any)\n")).collect();
        let senders: String = (1..=n).map(|r| format!("rank {r} {{ MPI_Send({r}, dest: 0) }}\n")).collect();
        reduced_states(
            format!("litmus mpi some-{n} \"generated\"\nrank 0 {{\n{receives}{more}}}\n{senders}{claim}\n"),
            &spec,
        )
    };
    for n in 4..=6 {
        let (all, first) = (states(n, "", &all_asked(n)), states(n, "", "exists r1 = 2"));
        // Who came first, and who has come since, in whichever order.
        assert!(first <= (8 * n) << n, "{n} senders: {first} states");
        // A register is looked at late: what was forgotten is kept then.
        let looked = states(n, "  if r2 = 1 { x := 1 } else { x := 2 }\n", "exists r1 = 2 /\\ x = 1");
        assert!(first < looked && looked < 2 * all, "{n} senders: {first}, {looked}, {all} states");
    }
}

#[test]
fn what_goes_wrong_only_because_something_was_forgotten_is_no_fault_of_the_program() {
    let spec = spec("mpi");
    let receives: String = (1..=6).map(|i| format!("  MPI_Recv(r{i}, source: any)\n")).collect();
    let senders: String = (1..=6).map(|r| format!("rank {r} {{ MPI_Send({r}, dest: 0) }}\n")).collect();
    // What is forgotten is 0, and nobody looks at it before the sixth sender was first.
    let late = "  if r1 = 6 { x := 10 % r2 } else { x := 0 }\n";
    let states = reduced_states(
        format!("litmus mpi late \"generated\"\nrank 0 {{\n{receives}{late}}}\n{senders}exists r1 = 6 /\\ x = 1\n"),
        &spec,
    );
    assert!(states > 1000, "{states} states: too few to forget something");
}

fn program(name: &str, n: usize, body: impl Fn(usize) -> String) -> String {
    let ranks: String = (0..n).map(|r| format!("rank {r} {{\n{}}}\n", body(r))).collect();
    format!("litmus mpi {name}-{n} \"generated\"\n{ranks}exists true\n")
}

#[test]
fn states_of_a_ring_grow_linearly_with_ranks() {
    let spec = spec("mpi");
    let ring = |n: usize| {
        let body = |r: usize| {
            let (next, last) = ((r + 1) % n, (r + n - 1) % n);
            let (send, receive) =
                (format!("MPI_Send(a{r}, dest: {next})\n"), format!("MPI_Recv(a{r}, source: {last})\n"));
            if r == 0 { send + &receive } else { receive + &send }
        };
        reduced_states(program("ring", n, body), &spec)
    };
    let each: Vec<usize> = (2..=8).chain([16]).map(|n| ring(n) - 1).collect();
    let rank = each[0] / 2;
    assert_eq!(each, [2, 3, 4, 5, 6, 7, 8, 16].map(|n| n * rank), "the first state, and as many for each rank");
}

#[test]
fn states_of_phases_that_follow_one_another_grow_linearly_with_ranks() {
    // Each rank does the one, then the other; nobody asks who is ahead.
    let spec = spec("mpi");
    let ring =
        "MPI_Irecv(aN, source: NEXT, request: rN)\nMPI_Isend(1, dest: LAST, request: qN)\nMPI_Waitall([rN, qN])\n";
    let start = "MPI_Recv_init(aN, source: NEXT, request: rN)\nMPI_Send_init(1, dest: LAST, request: qN)\n\
                 MPI_Startall([rN, qN])\nMPI_Waitall([rN, qN])\n";
    let phases = [
        "MPI_Comm_dup(newcomm: cN)\n",
        "MPI_Comm_dup(newcomm: c)\nMPI_Comm_free(c)\n",
        "MPI_Barrier()\n",
        "MPI_Bcast(b, root: 0)\n",
        "MPI_Reduce(1, b, op: MPI_SUM, root: 0)\n",
        "MPI_Win_create(wN, win: v)\nMPI_Win_fence(win: v)\nMPI_Win_free(v)\n",
        ring,
        start,
    ];
    for first in &phases {
        for second in &phases {
            let states = |n: usize| {
                let body = |r: usize| {
                    let (next, last) = (((r + 1) % n).to_string(), ((r + n - 1) % n).to_string());
                    let one = |phase: &str, number: &str| {
                        phase.replace("NEXT", &next).replace("LAST", &last).replace('N', number)
                    };
                    one(first, "1").replace("c1", "d") + &one(second, "2")
                };
                reduced_states(program("phases", n, body), &spec)
            };
            let each = [3, 4, 5].map(states);
            assert_eq!(each[2] - each[1], each[1] - each[0], "{first}, then {second}: {each:?} states");
        }
    }
}

#[test]
fn communicators_and_windows_that_are_made_one_after_the_other_cost_the_same_each() {
    // No process waits for another: each may be ahead by any number of calls.
    let spec = spec("mpi");
    for (what, each) in [
        ("MPI_Comm_dup(newcomm: cN)", 4),
        ("MPI_Comm_dup(newcomm: c) MPI_Comm_free(c)", 8),
        ("MPI_Comm_group(group: g) MPI_Comm_create(group: g, newcomm: c) MPI_Comm_free(c)", 10),
        ("MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, [], [], c) MPI_Comm_free(c)", 8),
        ("MPI_Win_create(x, win: wN)", 4),
    ] {
        for n in [2, 5, 12] {
            let body = |r: usize| {
                let calls = (0..n).map(|i| what.replace('N', &i.to_string()) + "\n");
                calls.collect::<String>().replace("x,", &format!("x{r},"))
            };
            assert_eq!(reduced_states(program("makers", 2, body), &spec), each * n + 1, "{n} × {what}");
            // A window must be freed before the end.
            if what.contains("MPI_Comm") {
                let to_the_end = |r: usize| body(r) + "MPI_Finalize\n";
                let states = reduced_states(program("makers", 2, to_the_end), &spec);
                assert_eq!(states, each * n + 5, "{n} × {what}, to the end");
            }
        }
    }
}

#[test]
fn processes_that_free_communicators_after_a_merge_add_few_states() {
    // In pairs, an intercommunicator between them, and one of all: each group asks for the same order, so that the library chooses.
    let spec = spec("mpi");
    let states = |frees: &str| {
        let body = |r: usize| {
            let (own, other) = (r % 2, 1 - r % 2);
            format!(
                "MPI_Comm_split(MPI_COMM_WORLD, {own}, 0, l)\n\
                 MPI_Intercomm_create(l, 0, MPI_COMM_WORLD, {other}, 3, i)\n\
                 MPI_Intercomm_merge(i, 0, m)\n{frees}"
            )
        };
        reduced_states(program("merge", 4, body), &spec)
    };
    let (made, freed) = (states(""), states("MPI_Comm_free(m)\nMPI_Comm_free(i)\nMPI_Comm_free(l)\n"));
    assert!(made < 1200 && freed < 4 * made, "{made} and {freed} states");
}

#[test]
fn states_of_a_reduction_along_a_tree_grow_linearly_with_ranks() {
    let spec = spec("mpi");
    for n in 2..=16 {
        let body = |r: usize| {
            let (mut out, mut step) = (format!("s{r} := {r}\n"), 1);
            while step < n && r.is_multiple_of(2 * step) {
                if r + step < n {
                    out += &format!("MPI_Recv(v{r}, source: {})\np := s{r}\nq := v{r}\ns{r} := p + q\n", r + step);
                }
                step *= 2;
            }
            if r > 0 { out + &format!("MPI_Send(s{r}, dest: {})\n", r - step) } else { out }
        };
        let states = reduced_states(program("tree", n, body), &spec);
        // Each of n - 1 messages is sent, received and added by a fixed number of steps, whatever n is.
        assert!((7 * (n - 1) + 1..=9 * (n - 1)).contains(&states), "{n} ranks: {states} states");
    }
}

#[test]
fn a_master_and_workers_cost_little_more_than_senders() {
    let spec = spec("mpi");
    for n in 2..=4 {
        let senders = |r: usize| match r {
            0 => (1..=n).map(|i| format!("MPI_Recv(r{i}, source: any)\n")).collect(),
            _ => format!("MPI_Send({r}, dest: 0)\n"),
        };
        let workers = |r: usize| match r {
            0 => (1..=n).map(|i| format!("MPI_Send({i}, dest: {i})\n")).collect::<String>() + &senders(0),
            _ => format!("MPI_Recv(w{r}, source: 0)\nMPI_Send(w{r}, dest: 0)\n"),
        };
        let (without, with) = (
            reduced_states(program("senders", n + 1, senders), &spec),
            reduced_states(program("workers", n + 1, workers), &spec),
        );
        // Handing work out is deterministic: it costs a constant number of states a message.
        assert!(without < with && with <= without + 6 * n, "{n} workers: {with} states, {without} without work");
    }
}

/// Compares what is remembered with what the rules do in the first states of the full search.
fn remembered(test: &Test, spec: &Spec, machine: &Machine, most: usize) -> usize {
    let mut every = Every::new(machine);
    let mut present = Present::new(machine);
    let mut todo = vec![machine.initial().to_vec()];
    let mut seen: HashSet<Vec<u32>> = todo.iter().cloned().collect();
    while let (Some(state), true) = (todo.pop(), seen.len() < most) {
        let (mut evaluated, mut known) = (vec![], vec![]);
        let shown = |step: Step, to: Target<'_>| match to {
            Target::State(s) => (step, Ok(s.to_vec())),
            Target::Erroneous(why) => (step, Err(why.to_owned())),
        };
        let one = machine.transitions(&state, &mut |step, to| evaluated.push(shown(step, to)));
        let other = every.transitions(&state, &mut |step, to| known.push(shown(step.clone(), to)));
        assert!(one.is_ok() && other.is_ok(), "{}", test.name);
        assert_eq!(evaluated, known, "{} ({})", test.name, spec.name);
        let here = present.go_to(machine, &state);
        assert!(here.is_ok(), "{}", test.name);
        let steps: Vec<Step> = present.steps().cloned().collect();
        let taken = steps.into_iter().enumerate().map(|(number, step)| {
            let mut to = state.clone();
            present.take(number, &mut to);
            (step, to)
        });
        let (good, wrong): (Vec<_>, Vec<_>) = evaluated.iter().cloned().partition(|(_, to)| to.is_ok());
        assert!(taken.eq(good.into_iter().filter_map(|(step, to)| Some((step, to.ok()?)))), "{}", test.name);
        let wrong = wrong.first().and_then(|(step, to)| Some((step, to.as_ref().err()?.as_str())));
        assert_eq!(present.erroneous(), wrong, "{}", test.name);
        todo.extend(evaluated.into_iter().filter_map(|(_, to)| to.ok()).filter(|s| seen.insert(s.clone())));
    }
    seen.len()
}

#[test]
fn what_is_remembered_is_what_the_rules_do() {
    for (name, folder) in [("mpi", "litmus/mpi"), ("rdma-tso", "litmus/rdma"), ("mpi-rdma", "litmus/mpi-rdma")] {
        let spec = spec(name);
        let (mut states, mut all) = (0, 0);
        for (number, test) in tests(folder, &spec).iter().step_by(3).enumerate() {
            let bounds = Bounds { states: 300, ..Bounds::default() };
            let setup = Setup { search: Search::Reduced, forgets: false, bounds, ..Setup::new(Arc::clone(&spec)) };
            let model = Operational::new(test, &setup).unwrap_or_else(|r| panic!("{}", r.render(false)));
            if number % 4 != 0 {
                states += remembered(test, &spec, model.machine(), 60);
                continue;
            }
            // A search goes on with what one of fewer instances of rules has left, and the other way round.
            let found = || model.outcomes().unwrap_or_else(|r| panic!("{}", r.render(false)));
            let first = found();
            states += remembered(test, &spec, model.machine(), 60);
            let second = found();
            assert_eq!(first.set, second.set, "{} ({name})", test.name);
            assert_eq!(
                (first.states, first.transitions),
                (second.states, second.transitions),
                "{} ({name})",
                test.name
            );
            all += first.states;
        }
        assert!(states > 500 && all > 500, "{name}: {states} states, {all} by searches");
    }
}

#[test]
fn ways_show_what_a_search_will_look_at() {
    let spec = spec("mpi-rdma");
    let test = test(&Source::new("generated", litmpi_mpi_model::families::ring(4)), &spec);
    let found = found(&test, &spec, "default", Search::Reduced);
    // What ranks read after a rendezvous, or once another was served, one way alone does not show.
    assert_eq!(found.in_vain, 0);
    assert!(found.states > 500, "{} states", found.states);
}

#[test]
fn a_search_that_would_not_fit_says_at_which_bound_it_stopped() {
    let mut text = "litmus mpi senders \"generated\"\nrank 0 {".to_owned();
    (1..6).for_each(|i| text += &format!(" MPI_Recv(r{i}, source: any)"));
    text += " }\n";
    (1..6).for_each(|i| text += &format!("rank {i} {{ MPI_Send({i}, dest: 0) }}\n"));
    let dir = crate::support::folder(&[("senders.litmus", &(text + "locations r1 r2 r3 r4 r5\nexists true\n"))]);
    let enumerate = ["enumerate", "senders.litmus", "--search", "full"];
    litmpi_in(dir.path(), enumerate.into_iter().chain(["--max-memory", "1", "--max-disk", "0"]))
        .exits(3)
        .says("Bound reached: 1 MiB of memory for states");
    litmpi_in(dir.path(), enumerate.into_iter().chain(["--max-states", "1000"]))
        .exits(3)
        .says("Bound reached: 1000 states");
    // Reduced, it fits: every order of five messages.
    litmpi_in(dir.path(), ["enumerate", "senders.litmus", "--max-memory", "64"]).exits(0).says("States 120\n");
}

/// So many ranks that each put to windows of others, between these calls.
fn putting(name: &str, n: usize, begins: &str, ends: &str, puts: impl Fn(usize) -> String) -> String {
    program(name, n, |r| {
        format!("int x[{n}]\nMPI_Win_create(x, size: {n}, win: w)\n{begins}\n{}{ends}\nMPI_Win_free(w)\n", puts(r))
    })
}

/// Puts to an element of each other rank's window, complete one by one.
fn flushed(n: usize, element: impl Fn(usize) -> usize) -> String {
    let put = |r: usize, to: usize| {
        format!("MPI_Put({r}, target_rank: {to}, target_disp: {}, win: w)\nMPI_Win_flush({to}, w)\n", element(r))
    };
    let puts = |r: usize| (0..n).filter(|to| *to != r).map(|to| put(r, to)).collect();
    putting("flushed", n, "MPI_Win_lock_all(0, w)", "MPI_Win_unlock_all(w)", puts)
}

#[test]
fn ranks_that_put_to_each_other_cost_little_more_each_and_what_meets_is_found() {
    let spec = spec("mpi");
    let fence = "MPI_Win_fence(win: w)";
    let next = |n: usize, r: usize| format!("MPI_Put({r}, target_rank: {}, win: w)\n", (r + 1) % n);
    let ring = |n: usize| putting("ring-of-puts", n, fence, fence, |r| next(n, r));
    let generated = |text: String| test(&Source::new("generated", text), &spec);
    agree(&generated(ring(2)), &spec, "default");
    let [two, three, six] = [2, 3, 6].map(|n| reduced_states(ring(n), &spec));
    assert_eq!(six - three, 3 * (three - two), "{two}, {three} and {six} states of rings");
    let (full, reduced) = agree(&generated(flushed(2, |r| r)), &spec, "default");
    assert_eq!(full.set.len(), 1, "each puts to an element of its own");
    let three = reduced_states(flushed(3, |r| r), &spec);
    assert!(reduced.states * 2 < full.states && three < 5_500, "{}, {}, {three} states", full.states, reduced.states);
    // Both put to one element of a third one, or from one that is put to: some orders are erroneous, and others are not.
    let one = |n: usize| {
        putting("one-element", n, "MPI_Win_lock_all(0, w)", "MPI_Win_flush_all(w)\nMPI_Win_unlock_all(w)", |r| {
            if r == 0 { String::new() } else { format!("MPI_Put({r}, target_rank: 0, win: w)\n") }
        })
    };
    let from = putting("from-it", 2, "MPI_Win_lock_all(0, w)", "MPI_Win_flush_all(w)\nMPI_Win_unlock_all(w)", |r| {
        format!("MPI_Put(x, target_rank: {}, win: w)\n", 1 - r)
    });
    for text in [one(3), from] {
        let (full, _) = agree(&generated(text), &spec, "default");
        assert!(full.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) && full.set.len() > 1);
    }
}
