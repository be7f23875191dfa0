//! Programs of coreRMA by the number of their actions, as core-rma §6 counts them: one process or two, each on its node with one thread, and
//! all accesses atomic. An initial value is an action, a put and a get are two, a get-accumulate three, a compare-and-swap four. An
//! operation may go to the process's own node.
//!
//! As there, each write is to be read by a local read of its own register, so that there are as many reads as there are writes; and local
//! writes have values of their own. Of programs that are alike but for the names of processes, locations and values there is one.

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
    Write(usize),
    Read(usize),
    /// To its own location from the target's.
    Get(Of, usize, usize),
    /// To the target's location from its own.
    Put(Of, usize, usize),
    /// To its own from the target's, adding its own.
    Rga(Of, usize, usize, usize),
    /// To its own from the target's; what is compared, and what is put there.
    Rcas(Of, usize, usize, usize, usize),
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

    /// How many writes, and how many local reads.
    fn balance(self) -> (usize, usize) {
        match self {
            Step::Write(_) | Step::Get(..) | Step::Put(..) => (1, 0),
            Step::Rga(..) | Step::Rcas(..) => (2, 0),
            Step::Read(_) => (0, 1),
            Step::Flush(_) => (0, 0),
        }
    }

    /// Whose memory an operation goes to.
    fn goes(self) -> Option<Of> {
        match self {
            Step::Write(_) | Step::Read(_) | Step::Flush(_) => None,
            Step::Get(of, ..) | Step::Put(of, ..) | Step::Rga(of, ..) | Step::Rcas(of, ..) => Some(of),
        }
    }

    /// With its locations renamed, one after the other.
    fn renamed(self, mut at: impl FnMut(Of, usize) -> usize) -> Step {
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

/// A program of one process or two.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    bodies: Vec<Vec<Step>>,
    /// How many locations each process has.
    locations: Vec<usize>,
}

/// Every program of exactly so many actions, one after another.
#[derive(Debug, Clone)]
pub struct Programs {
    made: Made,
    size: usize,
    /// Programs that are begun, with the process that is worked on.
    begun: Vec<(Program, usize)>,
}

impl Programs {
    /// Programs of `size` actions in one process or two.
    pub fn new(made: Made, processes: usize, size: usize) -> Programs {
        let empty = Program { bodies: vec![vec![]; processes], locations: vec![0; processes] };
        Programs { made, size, begun: vec![(empty, 0)] }
    }
}

impl Iterator for Programs {
    type Item = Program;

    fn next(&mut self) -> Option<Program> {
        while let Some((program, p)) = self.begun.pop() {
            for step in program.steps(p, self.made).into_iter().rev() {
                let next = program.with(p, step);
                if next.may_become(self.size) {
                    self.begun.push((next, p));
                }
            }
            let is_last = p + 1 == program.bodies.len();
            if !is_last && !program.bodies[p].is_empty() {
                self.begun.push((program.clone(), p + 1));
            }
            if is_last && program.size() == self.size && program.says_something() && program.is_first() {
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

    /// The locations that a statement of process `p` may name: those that there are, and of new ones the next.
    fn names(&self, p: usize, of: &[Of]) -> Vec<Vec<usize>> {
        let mut out = vec![(self.locations.clone(), vec![])];
        for of in of {
            let q = self.process(p, *of);
            let longer = |(known, names): (Vec<usize>, Vec<usize>)| {
                (0..=known[q]).map(move |x| {
                    let mut known = known.clone();
                    known[q] = known[q].max(x + 1);
                    (known, [names.clone(), vec![x]].concat())
                })
            };
            out = out.into_iter().flat_map(longer).collect();
        }
        out.into_iter().map(|(_, names)| names).collect()
    }

    /// Statements that may come next.
    fn steps(&self, p: usize, made: Made) -> Vec<Step> {
        let mut out = vec![];
        let own: Vec<usize> = self.names(p, &[Of::Own]).concat();
        out.extend(own.iter().map(|x| Step::Write(*x)));
        out.extend(own.iter().map(|x| Step::Read(*x)));
        for of in self.targets().iter().copied() {
            for names in self.names(p, &[Of::Own, of]) {
                out.extend([Step::Get(of, names[0], names[1]), Step::Put(of, names[1], names[0])]);
            }
            if made != Made::GetPut {
                let names = self.names(p, &[Of::Own, of, Of::Own]);
                out.extend(names.iter().map(|n| Step::Rga(of, n[0], n[1], n[2])));
            }
            if made == Made::WithRcas {
                let names = self.names(p, &[Of::Own, of, Of::Own, Of::Own]);
                out.extend(names.iter().map(|n| Step::Rcas(of, n[0], n[1], n[2], n[3])));
            }
            if self.bodies[p].iter().any(|s| s.goes() == Some(of)) && self.bodies[p].last() != Some(&Step::Flush(of)) {
                out.push(Step::Flush(of));
            }
        }
        out
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
        let reads = |p: usize, x: usize| self.bodies[p].iter().filter(|s| **s == Step::Read(x)).count();
        let mut writes: Vec<Vec<usize>> = self.locations.iter().map(|n| vec![0; *n]).collect();
        for (p, body) in self.bodies.iter().enumerate() {
            for step in body {
                match *step {
                    Step::Write(x) | Step::Get(_, x, _) => writes[p][x] += 1,
                    Step::Put(of, y, _) => writes[self.process(p, of)][y] += 1,
                    Step::Rga(of, x, z, _) | Step::Rcas(of, x, z, _, _) => {
                        writes[p][x] += 1;
                        writes[self.process(p, of)][z] += 1;
                    }
                    Step::Read(_) | Step::Flush(_) => {}
                }
            }
        }
        let mut all = writes.iter().enumerate();
        let far = *self.targets().last().unwrap_or(&Of::Own);
        self.all().any(|s| s.goes() == Some(far))
            && self.bodies.iter().all(|b| !b.is_empty())
            && all.all(|(p, of)| of.iter().enumerate().all(|(x, writes)| reads(p, x) >= *writes))
    }

    /// Numbered in the order in which this process, then the other one if there is one, comes to its locations.
    fn numbered(&self, first: usize) -> Program {
        let mut names: Vec<Vec<usize>> = vec![vec![]; self.bodies.len()];
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.swap(0, first);
        let mut renamed = |p: usize| {
            let step = |s: &Step| {
                s.renamed(|of, x| {
                    let all = &mut names[self.process(p, of)];
                    all.iter().position(|n| *n == x).unwrap_or_else(|| {
                        all.push(x);
                        all.len() - 1
                    })
                })
            };
            self.bodies[p].iter().map(step).collect()
        };
        let bodies = order.iter().map(|p| renamed(*p)).collect();
        Program { bodies, locations: order.iter().map(|p| self.locations[*p]).collect() }
    }

    /// Whether it is the first of those that are alike but for names.
    fn is_first(&self) -> bool {
        *self == self.numbered(0) && (0..self.bodies.len()).all(|p| *self <= self.numbered(p))
    }

    /// The program as a test of the family `rdma` that observes every register.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("litmus rdma {name} \"a program of {} actions\"\n", self.size());
        let location = |p: usize, x: usize| format!("{}{}", ["x", "y"][p], x + 1);
        // Values that are all different: initial ones, then those of local writes.
        let mut value = 0;
        for (p, locations) in self.locations.iter().enumerate() {
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
            let own = |x: usize| location(p, x);
            let there = |of: Of, y: usize| format!("{}@{}", location(self.process(p, of), y), self.process(p, of) + 1);
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
    fn the_program_of_the_paper_is_among_those_of_nine_actions() {
        // core-rma Fig. 6.
        let body =
            "thread 1 on 1 {\n  r1 := x1\n}\nthread 2 on 2 {\n  x1@1 := y1\n  y1 := x1@1\n  flush(1)\n  r2 := y1\n}";
        assert!(Programs::new(Made::GetPut, 2, 9).any(|p| p.text("t").contains(body)));
    }
}
