//! Where everything of the processes stands in the model: locations for their memory, registers for what calls give back.

use crate::memory::{Granule, MOST, Regions};
use litmpi_spec::program::{Loc, Node, Program, Reg, Thread};
use serde::Serialize;

/// The first register of each thread: how its process ended, a code and 1, or 0.
pub(crate) const END: usize = 0;

/// What a call or its buffers need and the layout has not, so that the model must be made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum Lacks {
    /// Something that was made room for meanwhile.
    Room,
    /// More memory than can be followed.
    Memory(u64),
}

/// The same for all ranks but for their memory.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) granule: Granule,
    pub(crate) regions: Vec<Regions>,
    hidden: Vec<Reg>,
    ints: usize,
    statuses: usize,
}

impl Layout {
    pub(crate) fn new(ranks: usize, hidden: Vec<Reg>) -> Layout {
        let mut regions = vec![Regions::default(); ranks];
        // Of a call that speaks of no memory, the buffer is the null pointer.
        regions.iter_mut().for_each(|r| _ = r.add(Granule(4), 0, 4));
        Layout { granule: Granule(4), regions, hidden, ints: 12, statuses: 4 }
    }

    /// From here on a location stands for one byte.
    pub(crate) fn finer(&mut self) {
        self.granule = Granule(1);
    }

    /// The location of an address of a rank.
    pub(crate) fn place(&self, rank: usize, at: u64) -> Option<usize> {
        let before: u64 = self.regions[..rank].iter().map(|r| r.locations(self.granule)).sum();
        self.regions[rank].place(self.granule, at).map(|p| before as usize + p)
    }

    /// The rank and the address of a location.
    pub(crate) fn address(&self, mut location: u64) -> Option<(usize, u64)> {
        for (rank, regions) in self.regions.iter().enumerate() {
            for (at, n) in regions.list(self.granule) {
                if location < n {
                    return Some((rank, at + location * self.granule.0));
                }
                location -= n;
            }
        }
        None
    }

    /// Makes room for a stretch of memory.
    pub(crate) fn add(&mut self, rank: usize, at: u64, bytes: u64) -> Result<(), Lacks> {
        let grew = self.regions[rank].add(self.granule, at, bytes);
        let locations = self.regions[rank].locations(self.granule);
        match (locations > MOST, grew) {
            (true, _) => Err(Lacks::Memory(locations * self.granule.0)),
            (_, true) => Err(Lacks::Room),
            _ => Ok(()),
        }
    }

    /// The registers of a call that has so many of each type, by their order.
    pub(crate) fn registers(&mut self, types: &[&str]) -> Result<Vec<usize>, Lacks> {
        let wanted = types.iter().filter(|t| **t == "Status").count();
        if wanted > self.statuses || types.len() - wanted > self.ints {
            self.statuses = self.statuses.max(wanted.next_power_of_two());
            self.ints = self.ints.max((types.len() - wanted).next_power_of_two());
            return Err(Lacks::Room);
        }
        let (first, mut ints, mut statuses) = (1 + self.hidden.len(), 0, 0);
        let next = |t: &&str| {
            if *t == "Status" {
                statuses += 1;
                first + self.ints + statuses - 1
            } else {
                ints += 1;
                first + ints - 1
            }
        };
        Ok(types.iter().map(next).collect())
    }

    /// The program without any code.
    pub(crate) fn program(&self) -> Program {
        let reg = |name: String, ty: &str| Reg { name, ty: ty.into(), kind: None };
        let mut regs = vec![reg("end".into(), "Int")];
        regs.extend(self.hidden.iter().cloned());
        regs.extend((0..self.ints).map(|i| reg(format!("i{i}"), "Int")));
        regs.extend((0..self.statuses).map(|i| reg(format!("s{i}"), "Status")));
        let mut program = Program::default();
        for (rank, regions) in self.regions.iter().enumerate() {
            let number = i32::try_from(rank).unwrap_or(i32::MAX);
            program.nodes.push(Node { number });
            program.threads.push(Thread { number, node: rank, regs: regs.clone(), code: vec![] });
            for (at, n) in regions.list(self.granule) {
                let loc = |i: u64| Loc {
                    name: format!("{:#x}", at + i * self.granule.0),
                    node: rank,
                    initial: 0,
                    room: u32::try_from(n - i).unwrap_or(u32::MAX),
                };
                program.locs.extend((0..n).map(loc));
            }
        }
        program
    }
}
