//! Bytes of a process that a request names.

use crate::adversary;
use crate::buffers;
use crate::layout::{MR_VALID, MR_WORDS, MRS};
use crate::mapped::{Mapped, MappedWord};
use crate::region::{self, Piece, Region};
use crate::temper::Rng;
use nix::unistd::Pid;
use std::rc::Rc;
use std::sync::atomic::{Ordering, fence};

/// The memory region that a piece lies in.
#[derive(Clone)]
pub(crate) struct Registered {
    /// Its number in the process's region.
    pub(crate) mr: usize,
    /// Which registration it was when the request was taken.
    pub(crate) generation: u64,
    /// The window through which it is reached, and which binding it was then.
    pub(crate) through: Option<(usize, u64)>,
    /// The device's own mapping of it, if it has one.
    pub(crate) mapped: Option<Rc<Mapped>>,
}

/// Bytes of a process, in the order in which a request names them, and the memory regions that they lie in.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) region: Rc<Region>,
    pub(crate) pid: Pid,
    pub(crate) pieces: Vec<Piece>,
    /// Of each piece.
    pub(crate) registered: Vec<Registered>,
}

impl Place {
    /// All but the first so many bytes; none if there are fewer.
    pub(crate) fn behind(&self, mut bytes: u64) -> Option<Place> {
        let mut rest = Place { pieces: vec![], registered: vec![], ..self.clone() };
        for ((addr, len), registered) in self.pieces.iter().zip(&self.registered) {
            let skipped = bytes.min(*len);
            bytes -= skipped;
            if skipped < *len {
                rest.pieces.push((addr.wrapping_add(skipped), len - skipped));
                rest.registered.push(registered.clone());
            }
        }
        (bytes == 0).then_some(rest)
    }

    /// So many bytes, behind the first so many.
    fn part(&self, from: u64, len: u64) -> Option<Place> {
        let mut part = self.behind(from)?;
        let mut left = len;
        part.pieces.iter_mut().for_each(|(_, of)| {
            *of = left.min(*of);
            left -= *of;
        });
        let kept = part.pieces.iter().take_while(|(_, len)| *len > 0).count();
        part.pieces.truncate(kept);
        part.registered.truncate(kept);
        Some(part)
    }

    /// The parts in which an access of the first so many bytes is made: each place with where in the data it begins.
    pub(crate) fn parts(&self, len: u64, rng: &mut Rng) -> Option<Vec<(usize, Place)>> {
        let addr = self.pieces.first().map_or(0, |(addr, _)| *addr);
        let parts = adversary::parts(addr, len, rng).into_iter();
        parts.map(|(at, len)| Some((usize::try_from(at).ok()?, self.part(at, len)?))).collect()
    }

    /// Reads them in parts, in any order.
    pub(crate) fn read_in_parts(&self, rng: &mut Rng) -> Option<Vec<u8>> {
        let mut bytes = buffers::take(usize::try_from(self.len()).ok()?);
        for (at, part) in self.parts(self.len(), rng)? {
            let read = part.read()?;
            bytes[at..at + read.len()].copy_from_slice(&read);
            adversary::pause(rng);
        }
        Some(bytes)
    }

    /// Writes the first of them in parts, in any order.
    pub(crate) fn write_in_parts(&self, bytes: &[u8], rng: &mut Rng) -> Option<()> {
        if !self.is_registered() || (bytes.len() as u64) > self.len() {
            return None;
        }
        for (at, part) in self.parts(bytes.len() as u64, rng)? {
            let len = usize::try_from(part.len()).ok()?;
            part.write(&bytes[at..at + len])?;
            adversary::pause(rng);
        }
        Some(())
    }

    /// How many bytes.
    pub(crate) fn len(&self) -> u64 {
        self.pieces.iter().map(|p| p.1).sum()
    }

    /// Whether it is the same bytes.
    pub(crate) fn is_same(&self, other: &Place) -> bool {
        self.pid == other.pid && self.pieces == other.pieces
    }

    /// Whether all of it is registered as it was.
    pub(crate) fn is_registered(&self) -> bool {
        let now = |mr: usize| self.region.get(MRS + mr * MR_WORDS + MR_VALID);
        self.registered.iter().all(|r| now(r.mr) == r.generation && r.through.is_none_or(|(at, of)| now(at) == of))
    }

    /// The pieces with the device's mapping of each; none if one has none.
    fn mapped(&self) -> Option<impl Iterator<Item = (&Mapped, Piece)>> {
        let all = self.registered.iter().all(|r| r.mapped.is_some());
        let each = || self.registered.iter().filter_map(|r| r.mapped.as_deref()).zip(self.pieces.iter().copied());
        all.then(each)
    }

    /// The place as one word that the device has mapped, if it is that, and registered.
    pub(crate) fn word(&self) -> Option<MappedWord> {
        match (&self.pieces[..], &self.registered[..]) {
            ([(addr, len)], [of]) if *len == size_of::<u64>() as u64 && self.is_registered() => {
                MappedWord::of(of.mapped.as_ref()?, *addr)
            }
            _ => None,
        }
    }

    /// Reads them; none if they are registered no more, or the process is gone.
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        if !self.is_registered() {
            return None;
        }
        let Some(mapped) = self.mapped() else { return region::read(self.pid, &self.pieces) };
        let mut bytes = buffers::take(usize::try_from(self.len()).ok()?);
        let mut rest = &mut bytes[..];
        fence(Ordering::SeqCst);
        for (map, (addr, len)) in mapped {
            let (now, later) = rest.split_at_mut(usize::try_from(len).ok()?);
            map.read(addr, now).then_some(())?;
            rest = later;
        }
        Some(bytes)
    }

    /// Writes the first of them; none if they are registered no more, are too few, or the process is gone.
    pub(crate) fn write(&self, bytes: &[u8]) -> Option<()> {
        if !self.is_registered() || (bytes.len() as u64) > self.len() {
            return None;
        }
        let Some(mapped) = self.mapped() else { return region::write(self.pid, &self.pieces, bytes) };
        let mut rest = bytes;
        for (map, (addr, len)) in mapped {
            let (now, later) = rest.split_at(rest.len().min(usize::try_from(len).ok()?));
            map.write(addr, now).then_some(())?;
            rest = later;
        }
        Some(())
    }
}
