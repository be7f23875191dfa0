//! The loops of a thread's code: its strongly connected components.

use crate::program::{Op, Thread};

/// A place whose component is not known yet, and one that was not come to.
const OPEN: usize = usize::MAX;

impl Thread {
    /// By place in its code, the end included: a number that two places share if and only if the thread can come from each of them to the
    /// other; the first of these places. A thread that comes from a place to one with another number never comes back.
    pub fn rounds(&self) -> Vec<usize> {
        let places = self.code.len() + 1;
        let mut component = vec![OPEN; places];
        // Gabow's algorithm: places in the order in which they were come to, those of them that are in no component yet, and where among
        // these the parts begin that may still become one.
        let (mut order, mut count) = (vec![OPEN; places], 0);
        let (mut open, mut parts): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
        for root in 0..places {
            if order[root] != OPEN {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((at, nth)) = path.last_mut() {
                let at = *at;
                if *nth == 0 {
                    order[at] = count;
                    count += 1;
                    open.push(at);
                    parts.push(at);
                }
                let next = self.next(at, *nth);
                *nth += 1;
                match next {
                    Some(to) if to >= places => {}
                    Some(to) if order[to] == OPEN => path.push((to, 0)),
                    Some(to) if component[to] == OPEN => {
                        while parts.last().is_some_and(|part| order[*part] > order[to]) {
                            parts.pop();
                        }
                    }
                    Some(_) => {}
                    None => {
                        path.pop();
                        if parts.last() == Some(&at) {
                            parts.pop();
                            let from = open.iter().rposition(|p| *p == at).expect("it is open");
                            let first = open[from..].iter().min().copied().expect("it has one");
                            open.drain(from..).for_each(|p| component[p] = first);
                        }
                    }
                }
            }
        }
        component
    }

    /// Where the thread may go on from a place: the first of these places, the second …
    fn next(&self, at: usize, nth: usize) -> Option<usize> {
        match (self.code.get(at)?, nth) {
            (Op::Exec { .. } | Op::Set(..) | Op::Bring(_) | Op::Branch(..), 0) => Some(at + 1),
            (Op::Branch(_, to, _), 1) | (Op::Jump(to), 0) => Some(*to),
            (Op::Choose(targets), _) => targets.get(nth).copied(),
            (Op::Ask(ask), _) => ask.then.values().nth(nth).copied(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(jumps: &[&[usize]]) -> Vec<usize> {
        let code = jumps.iter().map(|to| Op::Choose(to.to_vec())).collect();
        Thread { number: 0, node: 0, regs: vec![], code }.rounds()
    }

    #[test]
    fn places_share_a_number_if_a_thread_goes_round_between_them() {
        assert_eq!(rounds(&[&[1], &[2], &[3]]), [0, 1, 2, 3], "straight on");
        assert_eq!(rounds(&[&[1], &[2], &[1, 3], &[4]]), [0, 1, 1, 3, 4], "a loop");
        assert_eq!(
            rounds(&[&[3], &[4], &[1], &[2]]),
            [0, 1, 2, 3, 4],
            "code that lies in another order than it is run"
        );
        assert_eq!(rounds(&[&[1, 2], &[0], &[3], &[2, 4]]), [0, 0, 2, 2, 4], "two loops, one after the other");
        assert_eq!(
            rounds(&[&[1], &[2], &[3], &[1, 0, 5], &[4], &[6]]),
            [0, 0, 0, 0, 4, 5, 6],
            "loops that overlap are one"
        );
        assert_eq!(rounds(&[&[usize::MAX >> 1], &[0]]), [0, 1, 2], "a place behind every program");
    }
}
