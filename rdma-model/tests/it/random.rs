//! Random programs, larger than what can be tried in full. A disagreement shrinks to a smallest program that shows it.

use super::declared::{VARIANTS, difference};
use super::{model, programs, spec, test};
use litmpi_cat::{self as cat, CatModel};
use litmpi_rdma_model::generate::{ALPHABET, Instr, UPDATES, program};
use litmpi_spec::source::Source;
use proptest::collection::vec;
use proptest::sample::select;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

type Bodies = Vec<Vec<Instr>>;

/// Two threads of up to four instructions, or three of up to two.
fn bodies(alphabet: &[Instr]) -> impl Strategy<Value = Bodies> {
    let instr = || select(alphabet.to_vec());
    proptest::prop_oneof![vec(vec(instr(), 0..=4), 1..=2), vec(vec(instr(), 0..=2), 3)]
}

/// Looks for a program on which a declarative model and RDMA^TSO disagree; the same programs in every run.
fn disagreement(alphabet: &[Instr], cases: u32, variant: &str, model: &CatModel) -> Option<(Bodies, String)> {
    let spec = spec();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let found = TestRunner::new_with_rng(config, rng).run(&bodies(alphabet), |bodies| {
        let text = program("random", &bodies);
        let difference = difference(&test(&text, &spec), &spec, variant, model);
        if difference.is_empty() { Ok(()) } else { Err(TestCaseError::fail(difference)) }
    });
    match found {
        Ok(()) => None,
        Err(TestError::Fail(reason, bodies)) => Some((bodies, reason.to_string())),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

#[test]
fn declarative_and_operational_rdma_tso_agree_on_random_programs() {
    for (variant, file) in VARIANTS {
        if let Some((_, difference)) = disagreement(&ALPHABET, 40, variant, &model(file)) {
            panic!("{difference}");
        }
    }
}

#[test]
fn declarative_and_operational_rdma_tso_agree_on_random_programs_with_remote_read_modify_writes() {
    for (variant, file) in VARIANTS {
        if let Some((_, difference)) = disagreement(&UPDATES, 60, variant, &model(file)) {
            panic!("{difference}");
        }
    }
}

#[test]
fn a_disagreement_shrinks_to_a_smallest_program() {
    // rdma-tso.cat without the order of the writes of puts on a queue pair.
    let planted = cat::load_text(
        &Source::new(
            "planted.cat",
            "include \"rdma-tso-orders.cat\" include \"rdma-nfo.cat\"
             let oppo = oppo-base \\ nrW * nrW | po & sqp & (nrW * (nrR | nlW))
             let rfb = [lW]; (rf & sthd); [lR] let rbb = [lR]; (rb & sthd); [lW]
             include \"rdma-tso-checks.cat\"",
        ),
        &programs("default").given(),
    );
    let planted = planted.unwrap_or_else(|r| panic!("{}", r.render(false)));
    let (bodies, difference) = disagreement(&ALPHABET, 400, "default", &planted).expect("two puts are found");
    let busy: Vec<&Vec<Instr>> = bodies.iter().filter(|b| !b.is_empty()).collect();
    let [puts] = busy.as_slice() else { panic!("one thread is enough:\n{difference}") };
    assert_eq!(puts.len(), 2, "{difference}");
    assert!(puts.iter().all(|i| matches!(i, Instr::Put | Instr::PutImm)), "{difference}");
}
