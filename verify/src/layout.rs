//! Where everything of the processes stands in the model: locations for their memory, registers for what calls give back.

use crate::memory::{Granule, Needed, Regions, Room};
use litmpi_spec::program::{Array, Node, Program, Reg, Thread};
use serde::Serialize;
use std::collections::BTreeMap;

/// The first register of each thread: how its process ended, a code and 1, or 0.
pub(crate) const END: usize = 0;

/// Where the library puts shared memory, at the same addresses in all processes.
pub(crate) const SHARED: std::ops::Range<u64> = 0x5a00_0000_0000..0x5b00_0000_0000;

/// Locations of all processes, as many as numbers of 31 bits can name, behind those that a model has of its own.
const LOCATIONS: u64 = 1 << 30;
const OWN: u64 = 1 << 20;
/// Where each process goes one way only: pages that it may have at least, and locations of a page at most. What a buffer joins must be begun again
/// there, which long pages make rare; where all behaviours are followed, a search leaves the more out the less one page is of.
const PAGES: u64 = 128;
const LONGEST: u64 = 1 << 22;

/// What a call or its buffers need and the layout has not, so that the model must be made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum Lacks {
    /// Something that was made room for meanwhile.
    Room,
    /// More memory than can be followed.
    Memory(u64),
    /// A buffer that reaches over the parts of several processes of a shared window.
    Spread,
}

/// The same for all ranks but for their memory.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) granule: Granule,
    /// Whether many elements one behind the other are looked at as one ([`crate::runs`]).
    pub(crate) has_runs: bool,
    pub(crate) regions: Vec<Regions>,
    /// Whether there is more memory than was last asked for.
    grew: bool,
    /// Locations that rules will look at, since that was asked.
    kept: Vec<usize>,
    /// Locations that each rank has.
    span: u64,
    /// By rank, where what is not needed is forgotten: addresses that are.
    needed: Vec<Option<Needed>>,
    hidden: Vec<Reg>,
    ints: usize,
    statuses: usize,
    /// Whether a datatype holds addresses: all locations of a rank are one array, of which the null pointer's is the first.
    from_bottom: bool,
    /// The parts of shared windows, by where they begin: where they end, and whose they are.
    shared: BTreeMap<u64, (u64, usize)>,
    /// Whether what a process does with shared memory between two calls is one step.
    pub(crate) rows: bool,
    /// Whether what it does with its own memory is.
    pub(crate) own_rows: bool,
}

impl Layout {
    pub(crate) fn new(ranks: usize, hidden: Vec<Reg>, one_way: bool) -> Layout {
        let span = (LOCATIONS - OWN) / ranks.max(1) as u64;
        let page = if one_way { (1 << (span / PAGES).max(1).ilog2()).min(LONGEST) } else { 0 };
        let mut null = Regions::of(page);
        // Of a call that speaks of no memory, the buffer is the null pointer.
        let _ = null.add(Granule(4), 0, 4, None);
        let regions = vec![null; ranks];
        Layout {
            granule: Granule(4),
            has_runs: true,
            regions,
            grew: false,
            kept: vec![],
            span,
            needed: vec![None; ranks],
            hidden,
            ints: 12,
            statuses: 4,
            from_bottom: false,
            shared: BTreeMap::new(),
            rows: false,
            own_rows: false,
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
        self.clear();
    }

    /// Nothing is known of the processes' memory any more.
    pub(crate) fn clear(&mut self) {
        let granule = self.granule;
        self.regions.iter_mut().for_each(|r| r.clear(granule));
        self.needed.fill(None);
    }

    /// Whether little is left of a rank's locations.
    pub(crate) fn is_tight(&self, rank: usize) -> bool {
        self.regions[rank].is_tight()
    }

    /// From here on only these addresses of a rank are needed.
    pub(crate) fn release(&mut self, rank: usize, needed: Needed) {
        if self.is_tight(rank) {
            self.regions[rank].release(&needed);
        }
        self.needed[rank] = Some(needed);
    }

    /// The first location of a rank.
    fn first(&self, rank: usize) -> u64 {
        OWN + rank as u64 * self.span
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
    pub(crate) fn address(&self, location: u64) -> Option<(usize, u64)> {
        let location = location.checked_sub(OWN)?;
        let (rank, location) = ((location / self.span) as usize, location % self.span);
        let mut all = self.regions.get(rank)?.list();
        let (at, first, _, unit) = all.find(|(_, first, n, _)| (*first..first + n).contains(&location))?;
        Some((rank, at + (location - first) * unit))
    }

    /// Makes room for a stretch of memory.
    pub(crate) fn add(&mut self, rank: usize, at: u64, bytes: u64) -> Result<(), Lacks> {
        let (rank, end) = self.owned(rank, at);
        if at.checked_add(bytes).is_none_or(|behind| behind > end) {
            return Err(Lacks::Spread);
        }
        if !self.regions[rank].may_have(self.granule, at, bytes, self.span) {
            return Err(Lacks::Memory(bytes));
        }
        let room = self.regions[rank].add(self.granule, at, bytes, self.needed[rank].as_ref());
        if room == Room::Lacks {
            let (taken, there) = (self.regions[rank].locations(), self.regions[rank].capacity());
            tracing::debug!(rank, at = format!("{at:#x}"), bytes, taken, there, "no room");
        }
        if let Some(needed) = &mut self.needed[rank] {
            needed.name(at, at + bytes.max(1));
        }
        self.given(room)
    }

    fn given(&mut self, room: Room) -> Result<(), Lacks> {
        match room {
            Room::Known => Ok(()),
            Room::Taken(..) => {
                self.grew = true;
                Ok(())
            }
            Room::Lacks => Err(Lacks::Room),
        }
    }

    /// The memory of all processes, if it has become more since this was asked.
    pub(crate) fn grown(&mut self) -> Option<Vec<Array>> {
        std::mem::take(&mut self.grew).then(|| self.arrays())
    }

    fn arrays(&self) -> Vec<Array> {
        let mut all = vec![];
        for (rank, regions) in self.regions.iter().enumerate() {
            let first = self.first(rank) as usize;
            all.extend(regions.list().map(|(at, from, n, unit)| Array {
                first: first + from as usize,
                len: n as usize,
                node: rank,
                at,
                unit,
                endless: self.from_bottom && at == 0,
            }));
        }
        all.sort_unstable_by_key(|array| array.first);
        all
    }

    /// The location of an address of a rank, which rules will look at.
    pub(crate) fn keep(&mut self, rank: usize, at: u64) {
        let place = self.place(rank, at);
        self.kept.extend(place);
    }

    /// Locations that rules will look at, since this was asked.
    pub(crate) fn kept(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.kept)
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
        (self.grew, self.kept) = (false, vec![]);
        let span = self.span;
        self.regions.iter_mut().for_each(|r| r.settle(span));
        let reg = |name: String, ty: &str| Reg { name, ty: ty.into(), kind: None };
        let mut regs = vec![reg("end".into(), "Int")];
        regs.extend(self.hidden.iter().cloned());
        regs.extend((0..self.ints).map(|i| reg(format!("i{i}"), "Int")));
        regs.extend((0..self.statuses).map(|i| reg(format!("s{i}"), "Status")));
        let mut program = Program::default();
        for rank in 0..self.regions.len() {
            let number = rank as i64;
            program.nodes.push(Node { number });
            program.threads.push(Thread { number, node: rank, regs: regs.clone(), code: vec![] });
        }
        program.arrays = self.arrays();
        program
    }
}
