//! Search on small systems whose answers are known.

use litmpi_engine::search::{
    Bound, Bounds, Follow, Shared, Swept, System, Target, Walks, Worker, explore, path, sweep, walk,
};

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

    fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(&usize, Target<'_, u32>)) -> Result<(), Self::Fault> {
        for i in 0..self.n {
            if state[i] < self.top {
                let mut next = state.to_vec();
                next[i] += 1;
                visit(&i, Target::State(&next));
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
        visit: &mut dyn FnMut(&Self::Step, Target<'_, u32>),
    ) -> Result<(), Self::Fault> {
        match state[0] {
            0 => visit(&"go", Target::State(&[1])),
            1 => {
                visit(&"back", Target::State(&[0]));
                visit(&"go", Target::State(&[2]));
            }
            2 => {
                visit(&"go", Target::State(&[3]));
                visit(&"leave", Target::Outcome(99));
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

/// Any system of [`explore`], for [`sweep`]: a worker that follows everything.
struct Everything<'s, S>(&'s S);

impl<S> Shared for Everything<'_, S>
where
    S: System + Sync,
    S::Outcome: Send,
    S::Fault: Send,
{
    type Outcome = S::Outcome;
    type Fault = S::Fault;

    fn initial(&self) -> Vec<u32> {
        self.0.initial()
    }

    fn worker(&self) -> Box<dyn Worker<S::Outcome, S::Fault> + '_> {
        Box::new(Everything(self.0))
    }

    fn forever(&self) -> Option<S::Outcome> {
        self.0.forever()
    }

    fn end(&self, state: &[u32]) -> Option<S::Outcome> {
        self.0.end(state)
    }

    fn over(&self, state: &[u32]) -> Option<S::Outcome> {
        self.0.over(state)
    }
}

impl<S: System> Worker<S::Outcome, S::Fault> for Everything<'_, S> {
    fn enough(&mut self, state: &[u32], visit: Follow<'_, S::Outcome>) -> Result<bool, S::Fault> {
        self.all(state, visit).map(|()| true)
    }

    fn all(&mut self, state: &[u32], visit: Follow<'_, S::Outcome>) -> Result<(), S::Fault> {
        self.0.transitions(state, &mut |_, target| visit(target))
    }
}

/// What a sweep found that depends on no order.
fn told(found: Swept<u32>) -> Swept<u32> {
    Swept { pairs: 0, ..found }
}

#[test]
fn a_sweep_finds_what_the_search_finds_on_any_number_of_threads() {
    for (n, top) in [(1, 9), (2, 4), (3, 7), (7, 2), (13, 1)] {
        let system = Counters { n, top };
        let one = sweep(&Everything(&system), Bounds::default(), 1).unwrap();
        let whole = explore(&system, Bounds::default()).unwrap();
        assert_eq!((one.states, one.transitions), (whole.states, whole.transitions));
        assert!(one.outcomes.keys().eq(whole.outcomes.keys()));
        assert_eq!(one.outcomes[&(n as u32 * top)], n * top as usize, "steps to the end");
        for threads in [2, 5] {
            assert_eq!(told(sweep(&Everything(&system), Bounds::default(), threads).unwrap()), told(one.clone()));
        }
    }
}

#[test]
fn a_sweep_goes_through_cycles_and_tells_of_paths_that_were_cut() {
    let found = sweep(&Everything(&Walk), Bounds::default(), 2).unwrap();
    assert_eq!(found.outcomes.into_iter().collect::<Vec<_>>(), [(99, 2)]);
    assert_eq!((found.states, found.bounds), (4, vec![Bound::Loops]));
}

#[test]
fn a_sweep_that_hits_a_bound_tells_the_levels_before_alike_on_any_number_of_threads() {
    let system = Counters { n: 10, top: 2 };
    for bounds in [Bounds { states: 20_000, ..Bounds::default() }, Bounds { bytes: 200_000, ..Bounds::default() }] {
        let one = sweep(&Everything(&system), bounds, 1).unwrap();
        assert!(one.bounds.len() == 1 && one.outcomes.is_empty(), "{one:?}");
        assert_eq!(told(sweep(&Everything(&system), bounds, 3).unwrap()), told(one));
    }
}

#[test]
fn a_sweep_that_has_no_room_in_memory_goes_on_on_disk_and_finds_the_same() {
    // Levels of up to 8,953 states, 59,049 in all: for 300 kB memory has no room.
    let system = Counters { n: 10, top: 2 };
    let whole = sweep(&Everything(&system), Bounds::default(), 1).unwrap();
    let small = Bounds { bytes: 300_000, ..Bounds::default() };
    assert_eq!(sweep(&Everything(&system), small, 1).unwrap().bounds, [Bound::Bytes(300_000)]);
    for threads in [1, 3] {
        let found = sweep(&Everything(&system), Bounds { disk: 10 << 20, ..small }, threads).unwrap();
        assert_eq!(told(found), told(whole.clone()));
    }
    // A disk with too little room is a bound, too, and so are too many states.
    let little = sweep(&Everything(&system), Bounds { disk: 200_000, ..small }, 2).unwrap();
    assert_eq!((little.bounds, little.outcomes.len()), (vec![Bound::Disk(200_000)], 0));
    let few = sweep(&Everything(&system), Bounds { disk: 10 << 20, states: 50_000, ..small }, 2).unwrap();
    assert_eq!((few.bounds, few.states), (vec![Bound::States(50_000)], 50_001));
}

#[test]
fn a_sweep_on_disk_goes_through_cycles() {
    // A counter that goes round, beside others: each state comes again.
    struct Round(Counters);
    impl System for Round {
        type Step = ();
        type Outcome = u32;
        type Fault = std::convert::Infallible;
        fn initial(&self) -> Vec<u32> {
            self.0.initial()
        }
        fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(&(), Target<'_, u32>)) -> Result<(), Self::Fault> {
            for i in 0..self.0.n {
                let mut next = state.to_vec();
                next[i] = (next[i] + 1) % (self.0.top + 1);
                visit(&(), Target::State(&next));
            }
            if state.iter().all(|c| *c == self.0.top) {
                visit(&(), Target::Outcome(7));
            }
            Ok(())
        }
        fn end(&self, _: &[u32]) -> Option<u32> {
            None
        }
    }
    let system = Round(Counters { n: 9, top: 2 });
    let whole = sweep(&Everything(&system), Bounds::default(), 2).unwrap();
    assert_eq!((whole.states, whole.outcomes.iter().collect::<Vec<_>>()), (19_683, vec![(&7, &18)]));
    let small = Bounds { bytes: 200_000, disk: 10 << 20, ..Bounds::default() };
    let found = sweep(&Everything(&system), small, 2).unwrap();
    assert_eq!(told(found), told(whole));
    let small = Bounds { bytes: 100_000, ..small };
    assert_eq!(sweep(&Everything(&system), Bounds { disk: 0, ..small }, 2).unwrap().bounds, [Bound::Bytes(100_000)]);
}

/// A ring of three states, with an error at each that is put off as long as the ring goes on.
struct Ring;

impl Shared for Ring {
    type Outcome = u32;
    type Fault = std::convert::Infallible;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn worker(&self) -> Box<dyn Worker<u32, Self::Fault> + '_> {
        Box::new(Ring)
    }

    fn end(&self, _: &[u32]) -> Option<u32> {
        None
    }
}

impl Worker<u32, std::convert::Infallible> for Ring {
    fn enough(&mut self, state: &[u32], visit: Follow<'_, u32>) -> Result<bool, std::convert::Infallible> {
        visit(Target::State(&[(state[0] + 1) % 3]));
        Ok(false)
    }

    fn all(&mut self, state: &[u32], visit: Follow<'_, u32>) -> Result<(), std::convert::Infallible> {
        self.enough(state, visit)?;
        visit(Target::Outcome(state[0]));
        Ok(())
    }
}

#[test]
fn what_a_cycle_puts_off_for_ever_is_followed_where_the_cycle_closes() {
    let found = sweep(&Ring, Bounds::default(), 1).unwrap();
    assert_eq!(found.outcomes.into_iter().collect::<Vec<_>>(), [(2, 2)]);
}

#[test]
fn walks_end_where_the_system_does_or_are_said_not_to() {
    let walks = |number, longest| Walks { number, seed: 5, longest };
    let counters = Counters { n: 2, top: 3 };
    let found = walk(&Everything(&counters), walks(50, 100), 2).unwrap();
    // Six steps each, through at most the sixteen states that there are.
    assert_eq!((found.outcomes[&6], found.steps, found.cut, found.endless), (50, 300, 0, 0));
    assert_eq!(found.states, Some(16));
    let short = walk(&Everything(&counters), walks(50, 6), 2).unwrap();
    assert_eq!((short.outcomes.len(), short.endless), (0, 50));
    assert_eq!(short.unseen(), (1.0, 1.0));
    let found = walk(&Everything(&Walk), walks(50, 100), 1).unwrap();
    assert!(found.outcomes[&99] > 10 && found.cut > 10 && found.outcomes[&99] + found.cut == 50);
}

/// A state that may end or go on to three that come again for ever.
struct Trap;

impl System for Trap {
    type Step = ();
    type Outcome = &'static str;
    type Fault = std::convert::Infallible;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn transitions(
        &self,
        state: &[u32],
        visit: &mut dyn FnMut(&(), Target<'_, &'static str>),
    ) -> Result<(), Self::Fault> {
        match state[0] {
            0 => {
                visit(&(), Target::State(&[1]));
                visit(&(), Target::State(&[2]));
            }
            // The ones that come again are 2, 3 and 4.
            at @ 2.. => visit(&(), Target::State(&[2 + (at - 1) % 3])),
            _ => {}
        }
        Ok(())
    }

    fn end(&self, _: &[u32]) -> Option<&'static str> {
        Some("end")
    }

    fn forever(&self) -> Option<&'static str> {
        Some("for ever")
    }
}

/// The same, where one of the three ends all, whatever comes after it.
struct Over;

impl System for Over {
    type Step = ();
    type Outcome = &'static str;
    type Fault = std::convert::Infallible;

    fn initial(&self) -> Vec<u32> {
        Trap.initial()
    }

    fn transitions(
        &self,
        state: &[u32],
        visit: &mut dyn FnMut(&(), Target<'_, &'static str>),
    ) -> Result<(), Self::Fault> {
        Trap.transitions(state, visit)
    }

    fn end(&self, state: &[u32]) -> Option<&'static str> {
        Trap.end(state)
    }

    fn forever(&self) -> Option<&'static str> {
        Trap.forever()
    }

    fn over(&self, state: &[u32]) -> Option<&'static str> {
        (state[0] == 3).then_some("over")
    }
}

#[test]
fn what_ends_all_is_an_outcome_though_others_go_on_for_ever() {
    let found = explore(&Over, Bounds::default()).unwrap();
    assert_eq!(found.outcomes.keys().copied().collect::<Vec<_>>(), ["end", "over"]);
    let way = path(&Over, &found, found.outcomes["over"]).unwrap();
    assert_eq!(way.states.last().unwrap()[0], 3);
    let swept = sweep(&Everything(&Over), Bounds::default(), 1).unwrap();
    assert_eq!(swept.outcomes.into_keys().collect::<Vec<_>>(), ["end", "over"]);
}

#[test]
fn states_from_which_no_end_can_be_reached_are_an_outcome_of_both_searches() {
    let found = explore(&Trap, Bounds::default()).unwrap();
    assert_eq!(found.outcomes.keys().copied().collect::<Vec<_>>(), ["end", "for ever"]);
    assert_eq!((found.executions, found.acyclic), (None, false));
    let way = path(&Trap, &found, found.outcomes["for ever"]).unwrap();
    assert!(way.states.last().unwrap()[0] >= 2);
    for threads in [1, 3] {
        let swept = sweep(&Everything(&Trap), Bounds::default(), threads).unwrap();
        assert_eq!(swept.outcomes.keys().copied().collect::<Vec<_>>(), ["end", "for ever"]);
        assert_eq!(swept.states, 5);
    }
}
