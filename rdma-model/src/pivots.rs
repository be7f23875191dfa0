//! Programs of coreRMA by the number of their actions, as core-rma §6 counts them: two processes, each on its node with one thread, and all
//! accesses atomic. An initial value is an action, a put and a get are two, a get-accumulate three, a compare-and-swap four.
//!
//! As there, each write is to be read by a local read of its own register, so that there are as many reads as there are writes; and local
//! writes have values of their own. Of programs that are alike but for the names of processes, locations and values there is one.

use std::fmt::Write as _;

/// A statement: what it does, and the locations that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Write(usize),
    Read(usize),
    /// To its own location from the other's.
    Get(usize, usize),
    /// To the other's location from its own.
    Put(usize, usize),
    /// To its own from the other's, adding its own.
    Rga(usize, usize, usize),
    /// To its own from the other's; what is compared, and what is put there.
    Rcas(usize, usize, usize, usize),
    Flush,
}

impl Step {
    fn actions(self) -> usize {
        match self {
            Step::Write(_) | Step::Read(_) | Step::Flush => 1,
            Step::Get(..) | Step::Put(..) => 2,
            Step::Rga(..) => 3,
            Step::Rcas(..) => 4,
        }
    }

    /// How many writes, and how many local reads.
    fn balance(self) -> (usize, usize) {
        match self {
            Step::Write(_) | Step::Get(..) | Step::Put(..) => (1, 0),
            Step::Rga(..) | Step::Rcas(..) => (2, 0),
            Step::Read(_) => (0, 1),
            Step::Flush => (0, 0),
        }
    }

    fn is_remote(self) -> bool {
        !matches!(self, Step::Write(_) | Step::Read(_) | Step::Flush)
    }

    /// With the locations of both processes renamed.
    fn renamed(self, mut own: impl FnMut(usize) -> usize, mut other: impl FnMut(usize) -> usize) -> Step {
        match self {
            Step::Write(x) => Step::Write(own(x)),
            Step::Read(x) => Step::Read(own(x)),
            Step::Get(x, y) => Step::Get(own(x), other(y)),
            Step::Put(y, x) => {
                let x = own(x);
                Step::Put(other(y), x)
            }
            Step::Rga(x, z, y) => Step::Rga(own(x), other(z), own(y)),
            Step::Rcas(x, z, y, w) => Step::Rcas(own(x), other(z), own(y), own(w)),
            Step::Flush => Step::Flush,
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

/// A program of two processes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    bodies: [Vec<Step>; 2],
    /// How many locations each process has.
    locations: [usize; 2],
}

/// Every program of exactly so many actions, one after another.
#[derive(Debug, Clone)]
pub struct Programs {
    made: Made,
    size: usize,
    /// Programs that are begun, with whether the first process is whole.
    begun: Vec<(Program, bool)>,
}

impl Programs {
    /// Programs of `size` actions.
    pub fn new(made: Made, size: usize) -> Programs {
        Programs { made, size, begun: vec![(Program { bodies: [vec![], vec![]], locations: [0, 0] }, false)] }
    }
}

impl Iterator for Programs {
    type Item = Program;

    fn next(&mut self) -> Option<Program> {
        while let Some((program, second)) = self.begun.pop() {
            let p = usize::from(second);
            for step in program.steps(p, self.made).into_iter().rev() {
                let next = program.with(p, step);
                if next.may_become(self.size) {
                    self.begun.push((next, second));
                }
            }
            if !second && !program.bodies[0].is_empty() {
                self.begun.push((program.clone(), true));
            }
            if second && program.size() == self.size && program.says_something() && program.is_first() {
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

    /// How many actions it has, initial values among them.
    pub fn size(&self) -> usize {
        self.locations.iter().sum::<usize>() + self.all().map(Step::actions).sum::<usize>()
    }

    /// How many writes there are more than local reads.
    fn unread(&self) -> usize {
        let (writes, reads) = self.all().map(Step::balance).fold((0, 0), |(w, r), (a, b)| (w + a, r + b));
        writes.saturating_sub(reads)
    }

    fn may_become(&self, size: usize) -> bool {
        self.size() + self.unread() <= size
    }

    /// Statements that may come next: with locations that there are, or the next new one.
    fn steps(&self, p: usize, made: Made) -> Vec<Step> {
        let (own, other) = (0..self.locations[p] + 1, 0..self.locations[1 - p] + 1);
        let mut out = vec![];
        out.extend(own.clone().map(Step::Write));
        out.extend(own.clone().map(Step::Read));
        for x in own.clone() {
            for y in other.clone() {
                out.extend([Step::Get(x, y), Step::Put(y, x)]);
                // Of two new locations the first one that is named is the first.
                let more = own.clone().end + usize::from(x == self.locations[p]);
                for z in 0..more {
                    if made != Made::GetPut {
                        out.push(Step::Rga(x, y, z));
                    }
                    let more = more + usize::from(z + 1 == more && z >= self.locations[p]);
                    if made == Made::WithRcas {
                        out.extend((0..more).map(|w| Step::Rcas(x, y, z, w)));
                    }
                }
            }
        }
        if self.bodies[p].iter().any(|s| s.is_remote()) && self.bodies[p].last() != Some(&Step::Flush) {
            out.push(Step::Flush);
        }
        out
    }

    fn with(&self, p: usize, step: Step) -> Program {
        let mut next = self.clone();
        let (mut own, mut other) = (self.locations[p], self.locations[1 - p]);
        step.renamed(
            |x| {
                own = own.max(x + 1);
                x
            },
            |y| {
                other = other.max(y + 1);
                y
            },
        );
        next.locations[p] = own;
        next.locations[1 - p] = other;
        next.bodies[p].push(step);
        next
    }

    /// Whether every write can be read by a local read of its own, and both processes take part.
    fn says_something(&self) -> bool {
        let reads = |p: usize, x: usize| self.bodies[p].iter().filter(|s| **s == Step::Read(x)).count();
        let mut writes = [vec![0; self.locations[0]], vec![0; self.locations[1]]];
        for p in [0, 1] {
            for step in &self.bodies[p] {
                match *step {
                    Step::Write(x) | Step::Get(x, _) => writes[p][x] += 1,
                    Step::Put(y, _) => writes[1 - p][y] += 1,
                    Step::Rga(x, z, _) | Step::Rcas(x, z, _, _) => {
                        writes[p][x] += 1;
                        writes[1 - p][z] += 1;
                    }
                    Step::Read(_) | Step::Flush => {}
                }
            }
        }
        self.all().any(Step::is_remote)
            && !self.bodies[1].is_empty()
            && [0, 1].iter().all(|p| (0..self.locations[*p]).all(|x| reads(*p, x) >= writes[*p][x]))
    }

    /// Numbered in the order in which this process, then the other one, comes to its locations.
    fn numbered(&self, first: usize) -> Program {
        let mut names: [Vec<usize>; 2] = [vec![], vec![]];
        fn number(of: usize, all: &mut Vec<usize>) -> usize {
            all.iter().position(|n| *n == of).unwrap_or_else(|| {
                all.push(of);
                all.len() - 1
            })
        }
        let mut bodies = [vec![], vec![]];
        for (i, p) in [first, 1 - first].into_iter().enumerate() {
            let (mut own, mut other) = (std::mem::take(&mut names[p]), std::mem::take(&mut names[1 - p]));
            bodies[i] =
                self.bodies[p].iter().map(|s| s.renamed(|x| number(x, &mut own), |y| number(y, &mut other))).collect();
            names[p] = own;
            names[1 - p] = other;
        }
        Program { bodies, locations: [self.locations[first], self.locations[1 - first]] }
    }

    /// Whether it is the first of those that are alike but for names.
    fn is_first(&self) -> bool {
        *self == self.numbered(0) && *self <= self.numbered(1)
    }

    /// The program as a test of the family `rdma` that observes every register.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("litmus rdma {name} \"a program of {} actions\"\n", self.size());
        let location = |p: usize, x: usize| format!("{}{}", ["x", "y"][p], x + 1);
        // Values that are all different: initial ones, then those of local writes.
        let mut value = 0;
        for p in [0, 1] {
            let own: Vec<String> = (0..self.locations[p])
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
        for p in [0, 1] {
            let _ = writeln!(out, "thread {} on {} {{", p + 1, p + 1);
            let own = |x: usize| location(p, x);
            let there = |y: usize| format!("{}@{}", location(1 - p, y), 2 - p);
            for step in &self.bodies[p] {
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
                    Step::Get(x, y) => format!("{} := {}", own(x), there(y)),
                    Step::Put(y, x) => format!("{} := {}", there(y), own(x)),
                    Step::Rga(x, z, y) => format!("{} := rga({}, {})", own(x), there(z), own(y)),
                    Step::Rcas(x, z, y, w) => format!("{} := rcas({}, {}, {})", own(x), there(z), own(y), own(w)),
                    Step::Flush => format!("flush({})", 2 - p),
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
            for made in [Made::GetPut, Made::WithRga, Made::WithRcas] {
                let all: Vec<Program> = Programs::new(made, size).collect();
                let forms: BTreeSet<Program> = all.iter().map(|p| p.numbered(0).min(p.numbered(1))).collect();
                assert_eq!(forms.len(), all.len(), "{size} {made:?}");
                assert!(all.iter().all(|p| p.size() == size));
            }
        }
    }

    #[test]
    fn the_program_of_the_paper_is_among_those_of_nine_actions() {
        // core-rma Fig. 6.
        let body =
            "thread 1 on 1 {\n  r1 := x1\n}\nthread 2 on 2 {\n  x1@1 := y1\n  y1 := x1@1\n  flush(1)\n  r2 := y1\n}";
        assert!(Programs::new(Made::GetPut, 9).any(|p| p.text("t").contains(body)));
    }
}
