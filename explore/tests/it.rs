//! Search on small systems whose answers are known.

use litmpi_explore::{Bound, Bounds, System, Target, explore, path};

/// `n` counters that each go from 0 to `top`, one step at a time, in any order.
struct Counters {
    n: usize,
    top: u32,
}

impl System for Counters {
    type Step = usize;
    type Outcome = u32;
    type Fault = std::convert::Infallible;

    fn initial(&self) -> Vec<u32> {
        vec![0; self.n]
    }

    fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(usize, Target<'_, u32>)) -> Result<(), Self::Fault> {
        for i in 0..self.n {
            if state[i] < self.top {
                let mut next = state.to_vec();
                next[i] += 1;
                visit(i, Target::State(&next));
            }
        }
        Ok(())
    }

    fn end(&self, state: &[u32]) -> Option<u32> {
        Some(state.iter().sum())
    }
}

/// A walk on 0..=3 that may go back, or leave from 2 with outcome 99; 3 is cut.
struct Walk;

impl System for Walk {
    type Step = &'static str;
    type Outcome = u32;
    type Fault = &'static str;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn transitions(
        &self,
        state: &[u32],
        visit: &mut dyn FnMut(Self::Step, Target<'_, u32>),
    ) -> Result<(), Self::Fault> {
        match state[0] {
            0 => visit("go", Target::State(&[1])),
            1 => {
                visit("back", Target::State(&[0]));
                visit("go", Target::State(&[2]));
            }
            2 => {
                visit("go", Target::State(&[3]));
                visit("leave", Target::Outcome(99));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&self, _: &[u32]) -> Option<u32> {
        None
    }
}

#[test]
fn every_state_is_visited_once_and_executions_are_counted() {
    let found = explore(&Counters { n: 3, top: 2 }, Bounds::default()).unwrap();
    assert_eq!(found.states, 27);
    assert_eq!(found.transitions, 3 * 9 * 2);
    // Interleavings of three sequences of two steps: 6! / (2! 2! 2!).
    assert_eq!(found.executions, Some(90));
    assert_eq!(found.outcomes.keys().copied().collect::<Vec<_>>(), [6]);
    assert!(found.bounds.is_empty());
}

#[test]
fn executions_of_a_system_with_a_cycle_are_not_counted() {
    assert_eq!(explore(&Walk, Bounds::default()).unwrap().executions, None);
}

#[test]
fn a_shortest_path_leads_to_an_outcome_out_of_the_system() {
    let found = explore(&Walk, Bounds::default()).unwrap();
    let way = path(&Walk, &found, found.outcomes[&99]).unwrap();
    assert_eq!(way.steps, ["go", "go", "leave"]);
    assert_eq!(way.states, [[0], [1], [2]]);
}

#[test]
fn a_path_that_is_cut_is_said_to_be_and_is_no_outcome() {
    let found = explore(&Walk, Bounds::default()).unwrap();
    assert_eq!(found.bounds, [Bound::Loops]);
    assert_eq!(found.outcomes.len(), 1);
}

#[test]
fn a_search_stops_at_its_bounds_and_says_so() {
    let system = Counters { n: 4, top: 9 };
    let few = explore(&system, Bounds { states: 100, ..Bounds::default() }).unwrap();
    assert_eq!(few.bounds, [Bound::States(100)]);
    assert_eq!(few.executions, None);
    assert!(few.states < 120);
    let small = explore(&system, Bounds { bytes: 1 << 12, ..Bounds::default() }).unwrap();
    assert!(matches!(small.bounds[..], [Bound::Bytes(_)]));
}
