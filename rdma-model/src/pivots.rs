//! Programs of coreRMA by the number of their actions, as core-rma §6 counts them: one process or two, each on its node with one thread, and
//! all accesses atomic. An initial value is an action, a put and a get are two, a get-accumulate three, a compare-and-swap four. An
//! operation may go to the process's own node.
//!
//! As there, each write is to be read by a local read of its own register, so that there are as many reads as there are writes; and local
//! writes have values of their own. Of programs that are alike but for the names of processes, locations and values there is one.

use smallvec::{SmallVec, smallvec};
use std::fmt::Write as _;

/// Whose memory a statement goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Own,
    Other,
}

/// A statement: what it does, and the locations that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Write(u8),
    Read(u8),
    /// To its own location from the target's.
    Get(Of, u8, u8),
    /// To the target's location from its own.
    Put(Of, u8, u8),
    /// To its own from the target's, adding its own.
    Rga(Of, u8, u8, u8),
    /// To its own from the target's; what is compared, and what is put there.
    Rcas(Of, u8, u8, u8, u8),
    Flush(Of),
}

impl Step {
    fn actions(self) -> usize {
        match self {
            Step::Write(_) | Step::Read(_) | Step::Flush(_) => 1,
            Step::Get(..) | Step::Put(..) => 2,
            Step::Rga(..) => 3,
            Step::Rcas(..) => 4,
        }
    }

    /// Whose memory an operation goes to.
    fn goes(self) -> Option<Of> {
        match self {
            Step::Write(_) | Step::Read(_) | Step::Flush(_) => None,
            Step::Get(of, ..) | Step::Put(of, ..) | Step::Rga(of, ..) | Step::Rcas(of, ..) => Some(of),
        }
    }

    /// The locations that it writes, of its own and of its target.
    fn writes(self) -> (Option<u8>, Option<(Of, u8)>) {
        match self {
            Step::Write(x) | Step::Get(_, x, _) => (Some(x), None),
            Step::Put(of, y, _) => (None, Some((of, y))),
            Step::Rga(of, x, z, _) | Step::Rcas(of, x, z, _, _) => (Some(x), Some((of, z))),
            Step::Read(_) | Step::Flush(_) => (None, None),
        }
    }

    /// With its locations renamed, one after the other.
    fn renamed(self, mut at: impl FnMut(Of, u8) -> u8) -> Step {
        match self {
            Step::Write(x) => Step::Write(at(Of::Own, x)),
            Step::Read(x) => Step::Read(at(Of::Own, x)),
            Step::Get(of, x, y) => Step::Get(of, at(Of::Own, x), at(of, y)),
            Step::Put(of, y, x) => {
                let x = at(Of::Own, x);
                Step::Put(of, at(of, y), x)
            }
            Step::Rga(of, x, z, y) => Step::Rga(of, at(Of::Own, x), at(of, z), at(Of::Own, y)),
            Step::Rcas(of, x, z, y, w) => Step::Rcas(of, at(Of::Own, x), at(of, z), at(Of::Own, y), at(Of::Own, w)),
            Step::Flush(of) => Step::Flush(of),
        }
    }
}

/// What programs are made of beside local reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// Gets and puts.
    GetPut,
    /// Get-accumulates, too.
    WithRga,
    /// Compare-and-swaps, too.
    WithRcas,
}

/// Most actions of a program.
const MOST: usize = 12;

/// A program of one process or two.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    bodies: Bodies,
    /// How many locations each process has.
    locations: [u8; 2],
}

type Body = SmallVec<[Step; MOST]>;
type Bodies = SmallVec<[Body; 2]>;
type Names = SmallVec<[u8; 4]>;

/// Every program of exactly so many actions, one after another.
#[derive(Debug, Clone)]
pub struct Programs {
    made: Made,
    size: usize,
    /// Programs that are begun, with the process that is worked on.
    begun: Vec<(Program, usize)>,
}

impl Programs {
    /// Programs of `size` actions, at most twelve, in one process or two.
    pub fn new(made: Made, processes: usize, size: usize) -> Programs {
        let empty = Program { bodies: smallvec![Body::new(); processes], locations: [0; 2] };
        Programs { made, size: size.min(MOST), begun: vec![(empty, 0)] }
    }
}

impl Iterator for Programs {
    type Item = Program;

    fn next(&mut self) -> Option<Program> {
        while let Some((program, p)) = self.begun.pop() {
            let further = self.begun.len();
            let (size, made) = (self.size, self.made);
            let room = size - program.size();
            let begun = &mut self.begun;
            program.steps(p, made, room, &mut |step| {
                let next = program.with(p, step);
                if next.may_become(p, size) && next.may_be_first(p) {
                    begun.push((next, p));
                }
            });
            self.begun[further..].reverse();
            let is_last = p + 1 == program.bodies.len();
            if !is_last && !program.bodies[p].is_empty() && program.may_become(p + 1, size) {
                self.begun.push((program.clone(), p + 1));
            }
            if is_last && program.size() == size && program.says_something() && program.is_first() {
                return Some(program);
            }
        }
        None
    }
}

impl Program {
    fn all(&self) -> impl Iterator<Item = Step> + '_ {
        self.bodies.iter().flatten().copied()
    }

    /// The process whose location it is, in a statement of process `p`.
    fn process(&self, p: usize, of: Of) -> usize {
        match of {
            Of::Own => p,
            Of::Other => self.bodies.len() - 1 - p,
        }
    }

    /// Where operations may go.
    fn targets(&self) -> &'static [Of] {
        if self.bodies.len() == 1 { &[Of::Own] } else { &[Of::Own, Of::Other] }
    }

    /// How many actions it has, initial values among them.
    pub fn size(&self) -> usize {
        self.locations.iter().map(|n| usize::from(*n)).sum::<usize>() + self.all().map(Step::actions).sum::<usize>()
    }

    /// For each location, how many writes there are more than reads of its own process.
    fn unread(&self) -> [[i8; MOST]; 2] {
        let mut out = [[0; MOST]; 2];
        for (p, body) in self.bodies.iter().enumerate() {
            for step in body {
                if let Step::Read(x) = step {
                    out[p][usize::from(*x)] -= 1;
                }
                let (own, there) = step.writes();
                if let Some(x) = own {
                    out[p][usize::from(x)] += 1;
                }
                if let Some((of, y)) = there {
                    out[self.process(p, of)][usize::from(y)] += 1;
                }
            }
        }
        out
    }

    /// Whether every write may still be read by a local read of its own in a program of this size, of which process `p` is worked on: those
    /// before it have all of their reads.
    fn may_become(&self, p: usize, size: usize) -> bool {
        let unread = self.unread();
        let lacks = |of: &[i8; MOST]| of.iter().map(|n| usize::try_from(*n).unwrap_or(0)).sum::<usize>();
        unread[..p].iter().all(|of| lacks(of) == 0) && self.size() + unread.iter().map(lacks).sum::<usize>() <= size
    }

    /// Calls `visit` with the locations that a statement of process `p` may name: those that there are, and of new ones the next.
    fn names(&self, p: usize, of: &[Of], visit: &mut dyn FnMut(&[u8])) {
        fn further(
            program: &Program,
            p: usize,
            of: &[Of],
            known: [u8; 2],
            names: &mut Names,
            visit: &mut dyn FnMut(&[u8]),
        ) {
            let Some((first, others)) = of.split_first() else { return visit(names) };
            let q = program.process(p, *first);
            for x in 0..=known[q] {
                let mut known = known;
                known[q] = known[q].max(x + 1);
                names.push(x);
                further(program, p, others, known, names, visit);
                names.pop();
            }
        }
        further(self, p, of, self.locations, &mut Names::new(), visit);
    }

    /// Calls `visit` with the statements of no more than so many actions that may come next.
    fn steps(&self, p: usize, made: Made, room: usize, visit: &mut dyn FnMut(Step)) {
        let mut fits = |step: Step| {
            if step.actions() <= room {
                visit(step);
            }
        };
        self.names(p, &[Of::Own], &mut |n| fits(Step::Write(n[0])));
        self.names(p, &[Of::Own], &mut |n| fits(Step::Read(n[0])));
        for of in self.targets().iter().copied() {
            if room >= 2 {
                self.names(p, &[Of::Own, of], &mut |n| {
                    fits(Step::Get(of, n[0], n[1]));
                    fits(Step::Put(of, n[1], n[0]));
                });
            }
            if made != Made::GetPut && room >= 3 {
                self.names(p, &[Of::Own, of, Of::Own], &mut |n| fits(Step::Rga(of, n[0], n[1], n[2])));
            }
            if made == Made::WithRcas && room >= 4 {
                let names = [Of::Own, of, Of::Own, Of::Own];
                self.names(p, &names, &mut |n| fits(Step::Rcas(of, n[0], n[1], n[2], n[3])));
            }
            if self.bodies[p].iter().any(|s| s.goes() == Some(of)) && self.bodies[p].last() != Some(&Step::Flush(of)) {
                fits(Step::Flush(of));
            }
        }
    }

    fn with(&self, p: usize, step: Step) -> Program {
        let mut next = self.clone();
        step.renamed(|of, x| {
            let known = &mut next.locations[self.process(p, of)];
            *known = (*known).max(x + 1);
            x
        });
        next.bodies[p].push(step);
        next
    }

    /// Whether every write can be read by a local read of its own, each process takes part, and two of them have to do with each other.
    fn says_something(&self) -> bool {
        let far = *self.targets().last().unwrap_or(&Of::Own);
        self.all().any(|s| s.goes() == Some(far))
            && self.bodies.iter().all(|b| !b.is_empty())
            && self.unread().iter().flatten().all(|n| *n <= 0)
    }

    /// Numbered in the order in which this process, then the other one if there is one, comes to its locations.
    fn numbered(&self, first: usize) -> Program {
        let mut names: [SmallVec<[u8; MOST]>; 2] = Default::default();
        let mut order: SmallVec<[usize; 2]> = (0..self.bodies.len()).collect();
        order.swap(0, first);
        let mut renamed = |p: usize| {
            let step = |s: &Step| {
                s.renamed(|of, x| {
                    let all = &mut names[self.process(p, of)];
                    all.iter().position(|n| *n == x).unwrap_or_else(|| {
                        all.push(x);
                        all.len() - 1
                    }) as u8
                })
            };
            self.bodies[p].iter().map(step).collect()
        };
        let bodies = order.iter().map(|p| renamed(*p)).collect();
        let mut locations = [0; 2];
        order.iter().zip(&mut locations).for_each(|(p, number)| *number = self.locations[*p]);
        Program { bodies, locations }
    }

    /// Whether it is the first of those that are alike but for names.
    fn is_first(&self) -> bool {
        *self == self.numbered(0) && (0..self.bodies.len()).all(|p| *self <= self.numbered(p))
    }

    /// Whether what it becomes may be the first, if the last process is worked on: as far as its body goes, it is not before that of the first process.
    fn may_be_first(&self, p: usize) -> bool {
        p == 0 || {
            let numbered = self.numbered(p);
            let (first, other) = (&self.bodies[0], &numbered.bodies[0]);
            let common = first.len().min(other.len());
            first[..common] <= other[..common]
        }
    }

    /// The program as a test of the family `rdma` that observes every register.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("litmus rdma {name} \"a program of {} actions\"\n", self.size());
        let location = |p: usize, x: u8| format!("{}{}", ["x", "y"][p], x + 1);
        // Values that are all different: initial ones, then those of local writes.
        let mut value = 0;
        for (p, locations) in self.locations[..self.bodies.len()].iter().enumerate() {
            let own: Vec<String> = (0..*locations)
                .map(|x| {
                    value += 1;
                    format!("{} = {value}", location(p, x))
                })
                .collect();
            let inside = if own.is_empty() { " ".to_owned() } else { format!(" {} ", own.join("  ")) };
            let _ = writeln!(out, "node {} {{{inside}}}", p + 1);
        }
        let mut registers = 0;
        let mut observed = vec![];
        for (p, body) in self.bodies.iter().enumerate() {
            let _ = writeln!(out, "thread {} on {} {{", p + 1, p + 1);
            let own = |x: u8| location(p, x);
            let there = |of: Of, y: u8| format!("{}@{}", location(self.process(p, of), y), self.process(p, of) + 1);
            for step in body {
                let line = match *step {
                    Step::Write(x) => {
                        value += 1;
                        format!("{} := {value}", own(x))
                    }
                    Step::Read(x) => {
                        registers += 1;
                        observed.push(format!("{}:r{registers}", p + 1));
                        format!("r{registers} := {}", own(x))
                    }
                    Step::Get(of, x, y) => format!("{} := {}", own(x), there(of, y)),
                    Step::Put(of, y, x) => format!("{} := {}", there(of, y), own(x)),
                    Step::Rga(of, x, z, y) => format!("{} := rga({}, {})", own(x), there(of, z), own(y)),
                    Step::Rcas(of, x, z, y, w) => {
                        format!("{} := rcas({}, {}, {})", own(x), there(of, z), own(y), own(w))
                    }
                    Step::Flush(of) => format!("flush({})", self.process(p, of) + 1),
                };
                let _ = writeln!(out, "  {line}");
            }
            out.push_str("}\n");
        }
        let _ = writeln!(out, "locations {}\nexists true", observed.join(" "));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Made, Program, Programs};
    use std::collections::BTreeSet;

    #[test]
    fn programs_are_of_their_size_and_no_two_alike() {
        for size in 5..=8 {
            for (made, n) in [Made::GetPut, Made::WithRga, Made::WithRcas].into_iter().flat_map(|m| [(m, 1), (m, 2)]) {
                let all: Vec<Program> = Programs::new(made, n, size).collect();
                let forms: BTreeSet<Program> = all.iter().map(|p| p.numbered(0).min(p.numbered(n - 1))).collect();
                assert_eq!(forms.len(), all.len(), "{size} {made:?}");
                assert!(all.iter().all(|p| p.size() == size));
            }
        }
    }

    #[test]
    fn nothing_is_left_out_that_may_still_come_to_be_a_program() {
        // So many there are where every row of statements is made to its end, and only then asked what it is.
        for (processes, numbers) in [(1, [4, 16, 85, 488, 2844, 17787]), (2, [0, 1, 6, 39, 227, 1333])] {
            let made = [4, 5, 6, 7, 8, 9].map(|size| Programs::new(Made::WithRcas, processes, size).count());
            assert_eq!(made, numbers, "of {processes}");
        }
    }

    #[test]
    fn the_program_of_the_paper_is_among_those_of_nine_actions() {
        // core-rma Fig. 6.
        let body =
            "thread 1 on 1 {\n  r1 := x1\n}\nthread 2 on 2 {\n  x1@1 := y1\n  y1 := x1@1\n  flush(1)\n  r2 := y1\n}";
        assert!(Programs::new(Made::GetPut, 2, 9).any(|p| p.text("t").contains(body)));
    }
}
