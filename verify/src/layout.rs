//! Where everything of the processes stands in the model: locations for their memory, registers for what calls give back.

use crate::memory::{Granule, MOST, Needed, Regions, Room};
use crate::parts::{HUGE, LARGE};
use litmpi_spec::program::{Loc, Node, Program, Reg, Thread};
use serde::Serialize;
use std::collections::BTreeMap;

/// The first register of each thread: how its process ended, a code and 1, or 0.
pub(crate) const END: usize = 0;

/// Where the library puts shared memory, at the same addresses in all processes.
pub(crate) const SHARED: std::ops::Range<u64> = 0x5a00_0000_0000..0x5b00_0000_0000;

/// Locations of each rank where those are taken again that are needed no more.
const FEW: u64 = 2048;

/// What a call or its buffers need and the layout has not, so that the model must be made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum Lacks {
    /// Something that was made room for meanwhile.
    Room,
    /// More memory than can be followed.
    Memory(u64),
    /// Memory is used in parts and otherwise.
    Mixed,
    /// A buffer that reaches over the parts of several processes of a shared window.
    Spread,
}

/// How large buffers are looked at ([`crate::parts`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// In parts of so many bytes; 0 before there was a large buffer.
    Of(u64),
    /// Element by element.
    Never,
}

/// The same for all ranks but for their memory.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) granule: Granule,
    pub(crate) parts: Parts,
    /// From how many elements on a buffer is large.
    pub(crate) large: u64,
    pub(crate) regions: Vec<Regions>,
    /// Locations that were spare and have been taken since: the first, and what they are.
    taken: Vec<(usize, Vec<Loc>)>,
    /// Locations that each rank has at least.
    least: u64,
    /// By rank, where what is not needed is forgotten: addresses that are.
    needed: Vec<Option<Needed>>,
    hidden: Vec<Reg>,
    ints: usize,
    statuses: usize,
    /// Whether a datatype holds addresses: all locations of a rank are one array, of which the null pointer's is the first.
    from_bottom: bool,
    /// The parts of shared windows, by where they begin: where they end, and whose they are.
    shared: BTreeMap<u64, (u64, usize)>,
}

impl Layout {
    pub(crate) fn new(ranks: usize, hidden: Vec<Reg>) -> Layout {
        let mut null = Regions::default();
        // Of a call that speaks of no memory, the buffer is the null pointer.
        let _ = null.add(Granule(4), 0, 4, None);
        let regions = vec![null; ranks];
        Layout {
            granule: Granule(4),
            parts: Parts::Of(0),
            large: LARGE,
            regions,
            taken: vec![],
            least: 0,
            needed: vec![None; ranks],
            hidden,
            ints: 12,
            statuses: 4,
            from_bottom: false,
            shared: BTreeMap::new(),
        }
    }

    /// Whether a datatype holds addresses.
    pub(crate) fn is_from_bottom(&self) -> bool {
        self.from_bottom
    }

    /// A datatype is to hold addresses.
    pub(crate) fn count_from_bottom(&mut self) -> Result<(), Lacks> {
        if std::mem::replace(&mut self.from_bottom, true) { Ok(()) } else { Err(Lacks::Room) }
    }

    /// The address that is so many locations from a rank's null pointer.
    pub(crate) fn behind_bottom(&self, rank: usize, place: u64) -> Option<u64> {
        self.address(self.first(rank) + place).filter(|(of, _)| *of == rank).map(|(_, at)| at)
    }

    /// From here on a location stands for one byte.
    pub(crate) fn finer(&mut self) {
        self.granule = Granule(1);
    }

    /// From here on large buffers are looked at in this way. Those that have fewer elements are the first that are not.
    pub(crate) fn divide(&mut self, parts: Parts) {
        self.parts = parts;
        if parts == Parts::Never && self.large < HUGE {
            (self.parts, self.large) = (Parts::Of(0), if self.large < LARGE { LARGE } else { HUGE });
        }
        let granule = self.granule;
        self.regions.iter_mut().for_each(|r| r.redivide(granule));
        self.needed.fill(None);
    }

    /// Bytes of a part; 0 if there are none.
    pub(crate) fn part(&self) -> u64 {
        match self.parts {
            Parts::Of(part) => part,
            Parts::Never => 0,
        }
    }

    /// Nothing is known of the processes' memory any more, and there will be room for more of it.
    pub(crate) fn clear(&mut self) {
        // A few restarts for memory that a buffer joins need no more room.
        let full = self.regions.iter().any(Regions::is_full);
        self.least = if full || self.least == 0 { (2 * self.least).max(FEW) } else { self.least };
        let granule = self.granule;
        self.regions.iter_mut().for_each(|r| r.clear(granule));
        self.needed.fill(None);
    }

    /// From here on only these addresses of a rank are needed.
    pub(crate) fn release(&mut self, rank: usize, needed: Needed) {
        if self.regions[rank].is_tight() {
            self.regions[rank].release(&needed);
        }
        self.needed[rank] = Some(needed);
    }

    /// The first location of a rank.
    fn first(&self, rank: usize) -> u64 {
        self.regions[..rank].iter().map(Regions::capacity).sum()
    }

    /// Notes the part of a process of a shared window.
    pub(crate) fn share(&mut self, rank: usize, at: u64, bytes: u64) {
        if SHARED.contains(&at) && bytes > 0 {
            self.shared.insert(at, (at + bytes, rank));
        }
    }

    /// The rank whose memory an address of a rank is, and where that ends.
    fn owned(&self, rank: usize, at: u64) -> (usize, u64) {
        let part = self.shared.range(..=at).next_back().filter(|(_, (end, _))| at < *end);
        part.map_or((rank, u64::MAX), |(_, (end, owner))| (*owner, *end))
    }

    /// Whether an address of a rank is of memory that is another one's.
    pub(crate) fn is_foreign(&self, rank: usize, at: u64) -> bool {
        self.owned(rank, at).0 != rank
    }

    /// The location of an address of a rank.
    pub(crate) fn place(&self, rank: usize, at: u64) -> Option<usize> {
        let (rank, _) = self.owned(rank, at);
        self.regions[rank].place(at).map(|p| self.first(rank) as usize + p)
    }

    /// The rank and the address of a location.
    pub(crate) fn address(&self, mut location: u64) -> Option<(usize, u64)> {
        for (rank, regions) in self.regions.iter().enumerate() {
            if location < regions.capacity() {
                let mut all = regions.list();
                let (at, first, _, unit) = all.find(|(_, first, n, _)| (*first..first + n).contains(&location))?;
                return Some((rank, at + (location - first) * unit));
            }
            location -= regions.capacity();
        }
        None
    }

    /// Makes room for a stretch of memory.
    pub(crate) fn add(&mut self, rank: usize, at: u64, bytes: u64) -> Result<(), Lacks> {
        let (rank, end) = self.owned(rank, at);
        if at + bytes > end {
            return Err(Lacks::Spread);
        }
        let room = self.regions[rank].add(self.granule, at, bytes, self.needed[rank].as_ref());
        if room == Room::Lacks {
            let (taken, there) = (self.regions[rank].locations(), self.regions[rank].capacity());
            tracing::debug!(rank, at = format!("{at:#x}"), bytes, taken, there, "no room");
        }
        if let Some(needed) = &mut self.needed[rank] {
            needed.name(at, at + bytes.max(1));
        }
        self.given(rank, room)
    }

    /// Makes room for a stretch of parts.
    pub(crate) fn add_parts(&mut self, rank: usize, at: u64, bytes: u64) -> Result<(), Lacks> {
        if SHARED.contains(&at) {
            return Err(Lacks::Mixed);
        }
        let (granule, part) = (self.granule, self.part());
        let room = self.regions[rank].add_parts(granule, at, bytes, part, self.needed[rank].as_ref());
        if let Some(needed) = &mut self.needed[rank] {
            needed.name(at, at + bytes);
        }
        self.given(rank, room)
    }

    fn given(&mut self, rank: usize, room: Room) -> Result<(), Lacks> {
        let locations = self.regions[rank].locations();
        match room {
            Room::Mixed => Err(Lacks::Mixed),
            _ if locations > MOST => Err(Lacks::Memory(locations * self.granule.0)),
            Room::Known => Ok(()),
            Room::Taken(at, first, n) => {
                self.taken.push(((self.first(rank) + first) as usize, self.region(rank, at, n)));
                Ok(())
            }
            Room::Lacks => Err(Lacks::Room),
        }
    }

    /// The locations of a region of a rank.
    fn region(&self, rank: usize, at: u64, n: u64) -> Vec<Loc> {
        let unit = self.regions[rank].unit(at).unwrap_or(self.granule.0);
        let loc = |i: u64| Loc {
            name: format!("{:#x}", at + i * unit),
            node: rank,
            initial: 0,
            room: if self.from_bottom && at == 0 && i == 0 {
                u32::MAX
            } else {
                u32::try_from(n - i).unwrap_or(u32::MAX)
            },
        };
        (0..n).map(loc).collect()
    }

    /// What spare locations have become since this was asked.
    pub(crate) fn taken(&mut self) -> Vec<(usize, Vec<Loc>)> {
        std::mem::take(&mut self.taken)
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

    /// The program without any code; every region is given its locations anew.
    pub(crate) fn program(&mut self) -> Program {
        self.taken.clear();
        let least = self.least;
        self.regions.iter_mut().for_each(|r| r.settle(least));
        let reg = |name: String, ty: &str| Reg { name, ty: ty.into(), kind: None };
        let mut regs = vec![reg("end".into(), "Int")];
        regs.extend(self.hidden.iter().cloned());
        regs.extend((0..self.ints).map(|i| reg(format!("i{i}"), "Int")));
        regs.extend((0..self.statuses).map(|i| reg(format!("s{i}"), "Status")));
        let mut program = Program::default();
        for (rank, regions) in self.regions.iter().enumerate() {
            let number = rank as i64;
            program.nodes.push(Node { number });
            program.threads.push(Thread { number, node: rank, regs: regs.clone(), code: vec![] });
            for (at, _, n, _) in regions.list() {
                program.locs.extend(self.region(rank, at, n));
            }
            let spare = (regions.locations()..regions.capacity()).map(|i| Loc {
                name: format!("spare {i}"),
                node: rank,
                initial: 0,
                room: 1,
            });
            program.locs.extend(spare);
        }
        program
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::MEDIUM;

    #[test]
    fn buffers_of_a_few_elements_are_the_first_that_are_not_looked_at_in_parts() {
        let mut layout = Layout::new(1, vec![]);
        layout.large = MEDIUM;
        layout.divide(Parts::Of(1024));
        assert_eq!((layout.parts, layout.large), (Parts::Of(1024), MEDIUM));
        layout.divide(Parts::Never);
        assert_eq!((layout.parts, layout.large), (Parts::Of(0), LARGE));
        layout.divide(Parts::Never);
        assert_eq!((layout.parts, layout.large), (Parts::Of(0), HUGE));
        layout.divide(Parts::Never);
        assert_eq!((layout.parts, layout.large), (Parts::Never, HUGE));
    }
}
