//! Logs of herd7, litmus7 and litmpi.

use litmpi_litmus::log::{Log, State};
use litmpi_spec::source::Source;

const LITMUS7: &str = "\
%%%%%%%%%%%%%%%%%%%%%%%%
% Results for SB.litmus %
%%%%%%%%%%%%%%%%%%%%%%%%
X86 SB
{x=0; y=0;}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
Generated assembler

Test SB Allowed
Histogram (3 states)
100   *>0:EAX=0; 1:EAX=0;
4000  :>0:EAX=1; 1:EAX=0x0;
5900  :>0:EAX=1; [x]=-1; 1:EAX=1;
Ok

Witnesses
Positive: 100, Negative: 9900
Condition exists (0:EAX=0 /\\ 1:EAX=0) is validated
Hash=7dbd6b8e6dd4abc2ef3d48b0376fb2e3
Observation SB Sometimes 100 9900
Time SB 0.01
";

const HERD7: &str = "\
Test MP Required
States 2
1:EAX=0; 1:EBX=0;
1:EAX=1; 1:EBX=1;
Ok
Witnesses
Positive: 2 Negative: 0
Condition forall (1:EAX=0 \\/ 1:EBX=1)
Observation MP Always 2 0
Time MP 0.00
Hash=0123
";

fn log(text: &str) -> Result<Log, String> {
    Log::parse(&Source::new("a.log", text)).map_err(|r| r.to_string())
}

fn state(text: &str) -> State {
    State::parse(text).expect("a state")
}

#[test]
fn a_log_of_litmus7_has_counts_and_what_stands_around_it_is_passed_over() {
    let log = log(LITMUS7).expect("a log");
    let [sb] = log.tests.as_slice() else { panic!("{log:?}") };
    assert_eq!((sb.name.as_str(), sb.kind.as_str(), sb.states.len()), ("SB", "Allowed", 3));
    assert_eq!(sb.states[&state("0:EAX=0; 1:EAX=0;")], Some(100));
    assert_eq!(sb.states[&state("x=-1; 0:EAX=1; 1:EAX=1;")], Some(5900), "in any order, with brackets or without");
    assert_eq!(sb.conditions, [("exists (0:EAX=0 /\\ 1:EAX=0)".to_owned(), Some(true))]);
    assert_eq!(sb.observations, ["Sometimes"]);
}

#[test]
fn a_log_of_herd7_has_no_counts() {
    let log = log(HERD7).expect("a log");
    let mp = &log.tests[0];
    assert_eq!(mp.states.values().collect::<Vec<_>>(), [&None, &None]);
    assert_eq!((mp.kind.as_str(), mp.observations[0].as_str()), ("Required", "Always"));
}

#[test]
fn logs_without_a_test_line_and_of_ppcmem_are_read_too() {
    let unnamed = "C PPO\n\nHistogram (1 states)\n11057696:>1:r0=0;\nNo\nObservation PPO Never 0 11057696\n";
    let via =
        "Test SB Allowed\nStates 1\n0:R1=0; 1:R1=1; via [0;0;1]\nNo (allowed not found)\nCondition\nexists (0:R1=0)\n";
    let log = log(&format!("{unnamed}{via}")).expect("a log");
    assert_eq!(log.tests.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["PPO", "SB"]);
    assert!(log.tests[1].states.contains_key(&state("0:R1=0; 1:R1=1;")));
    assert_eq!(log.tests[1].conditions, [("exists (0:R1=0)".to_owned(), Some(false))]);
}

#[test]
fn runs_of_the_same_test_are_added_up() {
    let second = LITMUS7.replace("100   *>0:EAX=0; 1:EAX=0;", "7 *>0:EAX=0; 1:EAX=1;").replace("Sometimes", "Never");
    let log = log(&format!("{LITMUS7}{HERD7}{second}")).expect("a log");
    assert_eq!(log.tests.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["SB", "MP"]);
    let sb = &log.tests[0];
    assert_eq!(sb.states.len(), 4);
    assert_eq!(sb.states[&state("0:EAX=1; 1:EAX=0;")], Some(8000));
    assert_eq!(sb.observations, ["Sometimes"]);
}

#[test]
fn two_claims_about_one_run_do_not_count_it_twice() {
    let other = LITMUS7.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "exists (0:EAX=1)");
    let log = log(&format!("{LITMUS7}{other}")).expect("a log");
    assert_eq!(log.tests[0].states[&state("0:EAX=0; 1:EAX=0;")], Some(100));
    assert_eq!(log.tests[0].conditions.len(), 2);
    let twice = Log::parse(&Source::new("a.log", format!("{LITMUS7}{other}{LITMUS7}{other}"))).expect("a log");
    assert_eq!(twice.tests[0].states[&state("0:EAX=0; 1:EAX=0;")], Some(200), "two runs, two claims each");
}

#[test]
fn outcomes_without_values_are_states_too() {
    let text = "Test T Allowed\nHistogram (5 states)\n3 :>deadlock\n1 :>error MPI_ERR_RANK\n2 :>cut\n4 :>x=torn;\n\
                5 :>corrupt: x of rank 1: elements 0-1 hold 7 as it belongs at 2-3\nOk\n";
    let log = log(text).expect("a log");
    assert_eq!(log.tests[0].states[&State::Word("deadlock".into())], Some(3));
    assert_eq!(log.tests[0].states[&state("x=torn")], Some(4));
    let words = log.tests[0].states.keys().filter(|s| matches!(s, State::Word(_))).count();
    assert_eq!(words, 4);
}

#[test]
fn a_bound_that_was_reached_is_kept() {
    let log = log("Test T Allowed\nStates 1\n{}\nOk\nBound reached: 10 states; what is not listed …\n").expect("a log");
    assert!(!log.tests[0].complete);
}

#[test]
fn broken_logs_are_told_with_their_places() {
    let cases = [
        ("", "a.log:1:1: `a.log` is no log"),
        ("litmus rdma X \"\"\n", "a.log:1:1: `a.log` is no log"),
        ("Test A Allowed\nHistogram (3 states)\n1 :>x=1;\n", "a.log:4:1: this is not state 2 of the 3 of A"),
        ("Test A Allowed\nHistogram (3 states)\n1 :>x=1;", "a.log:2:1: A has 1 states here, not 3"),
        ("Test A Allowed\nHistogram (1 states)\n1 :>x=1;\n2 :>x=2;\n", "a.log:4:1: A has more than 1 states here"),
        ("Test A Allowed\nHistogram (many states)\n", "a.log:2:1: `many` is no number of states"),
        ("Test A Allowed\nStates 1\nOk\n", "a.log:3:1: this is not state 1 of the 1 of A: `Ok` is not `NAME=VALUE`"),
        ("Test A Allowed\nTest B Allowed\nStates 1\nx=1;\n", "a.log:1:1: the block of A has no states"),
        ("Histogram (1 states)\n1 :>x=1;\n", "a.log:1:1: a histogram without its test"),
        (
            "Test A Allowed\nHistogram (1 states)\nx :>x=1;\n",
            "a.log:3:1: this is not state 1 of the 1 of A: `x` is no count",
        ),
        ("Test A Allowed\nStates 1\nx=1; x=2;\n", "`x` stands twice"),
    ];
    for (text, message) in cases {
        let said = log(text).expect_err(text);
        assert!(said.contains(message), "{text:?}: {said}");
    }
}
