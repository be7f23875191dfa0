//! Packed data (MPI-4.1, section 5.2): where elements lie the rules say, and their bytes are copied as they are, one after the other, as both
//! libraries that tests run on do where all processes are alike.
//!
//! The process alone sees it: no rule has anything to say but what is asked here, and what a message is that is packed at one end alone
//! (`as_received` in `spec/mpi/datatypes.spec`). `MPI_Pack_external` makes data of the representation `external32` (section 14.5.2): the same elements, the most
//! significant byte first, where `long` has four bytes and `wchar_t` two, and `long double` is IEEE's format of 128 bits.

use crate::basic::is_complex;
use crate::call::{Call, Of, Refused, Scene, Touch, Touched};
use crate::face::Function;
use crate::memory::{LONGEST, Seen};
use litmpi_engine::unfold::{Given, Shown};
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};
use rustc_apfloat::{Float as _, FloatConvert as _};
use std::collections::BTreeSet;

/// Whether a function packs, unpacks, or says how much room that needs.
pub(crate) fn is_packing(name: &str) -> bool {
    let rest = name.strip_prefix("MPI_Pack").or_else(|| name.strip_prefix("MPI_Unpack"));
    rest.is_some_and(|r| ["", "_size", "_external", "_external_size"].contains(&r))
}

/// What a call that packs or unpacks comes to.
pub(crate) struct Packed {
    /// Stretches of the process's memory that it reads: addresses and bytes.
    reads: Vec<(u64, usize)>,
    /// What it puts into the memory.
    pub(crate) writes: Vec<(u64, Vec<u8>)>,
}

/// How elements of a basic type are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As they lie in memory.
    Own,
    /// In `external32`.
    External,
}

/// The bytes that an element takes in `external32`, and those of the numbers that it is made of; `size` is what it has in memory.
fn external(basic: i64, size: usize) -> (usize, usize) {
    match basic {
        12 | 13 => (4, 4),
        18 => (2, 2),
        _ if is_complex(basic) => (size, size / 2),
        _ => (size, size),
    }
}

/// Whether an element is a `long double`, or is made of such.
fn is_extended(basic: i64) -> bool {
    [17, 33, 49].contains(&basic)
}

/// Numbers of x87's extended format, in 16 bytes each, as they are in another format.
fn converted(own: &[u8], one: fn(u128) -> u128) -> Vec<u8> {
    let numbers = own.chunks_exact(16).map(|n| u128::from_le_bytes(n.try_into().expect("16 bytes")));
    numbers.flat_map(|n| one(n).to_le_bytes()).collect()
}
fn to_quadruple(extended: u128) -> u128 {
    let value: Quad = X87DoubleExtended::from_bits(extended & ((1 << 80) - 1)).convert(&mut false).value;
    value.to_bits()
}
fn to_extended(quadruple: u128) -> u128 {
    let value: X87DoubleExtended = Quad::from_bits(quadruple).convert(&mut false).value;
    value.to_bits()
}

/// The bytes of an element in `external32`, of those that it has in memory.
fn encoded(basic: i64, own: &[u8]) -> Vec<u8> {
    if is_extended(basic) {
        return converted(own, to_quadruple).chunks(16).flat_map(|n| n.iter().rev().copied()).collect();
    }
    let (size, number) = external(basic, own.len());
    own[..size].chunks(number.max(1)).flat_map(|n| n.iter().rev().copied()).collect()
}

/// The bytes of an element in memory, of those that it has in `external32`.
fn decoded(basic: i64, packed: &[u8], size: usize) -> Vec<u8> {
    if is_extended(basic) {
        let own: Vec<u8> = packed.chunks(16).flat_map(|n| n.iter().rev().copied()).collect();
        return converted(&own, to_extended);
    }
    let (_, number) = external(basic, size);
    let mut own: Vec<u8> = packed.chunks(number.max(1)).flat_map(|n| n.iter().rev().copied()).collect();
    let negative = basic == 12 && own.last().is_some_and(|b| *b >= 0x80);
    own.resize(size, if negative { 0xff } else { 0 });
    own
}

impl Scene<'_> {
    /// What such a call puts into the memory of the process.
    pub(crate) fn pack(&self, function: &Function, raw: &[u64], seen: &Seen) -> Result<Packed, Refused> {
        let name = function.name.as_str();
        let erroneous = |what: &str| Refused::Erroneous(format!("{name}: {what}"));
        let at = |arg: &str| function.args.iter().position(|a| a == arg).map_or(0, |i| raw[i]);
        let form = if name.contains("_external") { Form::External } else { Form::Own };
        let number = |v: u64| if self.large { v as i64 } else { i64::from(v as i32) };
        // Sizes and positions of external data are of `MPI_Aint`.
        let wide = self.large || form == Form::External;
        let sized = |v: u64| if wide { v as i64 } else { i64::from(v as i32) };
        let whole = |address: u64| match wide {
            true => self.process.read(address, 8).try_into().map_or(0, i64::from_ne_bytes),
            false => i64::from(self.process.int(address)),
        };
        let bytes = |v: i64| if wide { v.to_ne_bytes().to_vec() } else { (v as i32).to_ne_bytes().to_vec() };
        let kinds = &self.machine.spec().instructions.kinds;
        let object = |ty: &str, handle: u64| self.face.object(ty, crate::call::kind_of(kinds, ty), handle as u32);
        let datatype = object("Datatype", at("datatype"));
        let holds = |f: &str, of: i64| self.number_of(f, &[of]) == Some(1);
        if form == Form::Own && !holds("is_comm", object("Comm", at("comm"))) {
            return Err(erroneous("the communicator is null, freed or not made yet"));
        }
        if form == Form::External && self.process.read(at("datarep"), 11) != b"external32\0" {
            return Err(erroneous("the data representation is not external32"));
        }
        if !holds("is_committed", datatype) {
            return Err(erroneous("the datatype is null, freed or not committed"));
        }
        if !self.values.fits(datatype, self.layout.granule) {
            return Err(Refused::Finer);
        }
        let count = number(at(match name {
            "MPI_Unpack" | "MPI_Unpack_external" => "outcount",
            _ => "incount",
        }));
        if count < 0 {
            return Err(erroneous("the count is negative"));
        }
        let unpacks = name.starts_with("MPI_Unpack");
        let items = at(if unpacks { "outbuf" } else { "inbuf" });
        let elements = self.elements(items, count, datatype)?;
        let size = |basic: i64| match form {
            Form::Own => self.values.size(basic),
            Form::External => external(basic, self.values.size(basic)).0,
        };
        let total = elements.iter().map(|(_, basic)| size(*basic)).sum::<usize>() as i64;
        if name.ends_with("_size") {
            return Ok(Packed { reads: vec![], writes: vec![(at("size"), bytes(total))] });
        }
        let position = whole(at("position"));
        let (packed, room) = match unpacks {
            false => (at("outbuf"), sized(at("outsize"))),
            true => (at("inbuf"), sized(at("insize"))),
        };
        if position < 0 || position + total > room {
            let what =
                if unpacks { "there is less packed data than is asked for" } else { "the packed data does not fit" };
            return Err(erroneous(what));
        }
        // A run is where it begins.
        let long = seen.long_in_use(self.values);
        let place = |address: u64| {
            let within = long.iter().find(|(at, end, _)| (*at..*end).contains(&address));
            self.layout.place(self.rank, within.map_or(address, |(at, ..)| *at)).map(|l| l as i64)
        };
        let of_items: Vec<i64> = elements.iter().filter_map(|(at, _)| place(*at)).collect();
        let of_packed: Vec<i64> = (0..total).filter_map(|i| place(packed.wrapping_add_signed(position + i))).collect();
        let (read, written) = if unpacks { (of_packed, of_items) } else { (of_items, of_packed) };
        let denies = |function: &str, given: &[Given]| self.apply(function, given) == Some(Shown::Int(0));
        let rank = || Given::Word(self.rank as i64);
        if denies("readable", &[rank(), Given::List(read.clone())]) {
            return Err(erroneous("the buffer is being received into"));
        }
        // No location stands for an item that nothing else names: the rules' `distinct`, of addresses.
        if unpacks && elements.iter().map(|(at, _)| at).collect::<BTreeSet<_>>().len() < elements.len() {
            return Err(erroneous("entries of the buffer overlap (§5.1.11)"));
        }
        if denies("writable", &[rank(), Given::List(written.clone())]) {
            return Err(erroneous("the buffer is in use by a pending request"));
        }
        if denies("is_undisturbed", &[rank(), Given::List(read), Given::List(written)]) {
            let what = "a location of a window is used while another process updates it, or written while another one reads it";
            return Err(erroneous(what));
        }
        let mut writes = vec![];
        let mut from = packed.wrapping_add_signed(position);
        let mut all: Vec<u8> = vec![];
        for (place, basic) in &elements {
            let (own, taken) = (self.values.size(*basic), size(*basic));
            match (unpacks, form) {
                (false, Form::Own) => all.extend(self.process.read(*place, own)),
                (false, Form::External) => all.extend(encoded(*basic, &self.process.read(*place, own))),
                (true, Form::Own) => writes.push((*place, self.process.read(from, taken))),
                (true, Form::External) => writes.push((*place, decoded(*basic, &self.process.read(from, taken), own))),
            }
            from += if unpacks { taken as u64 } else { 0 };
        }
        if !unpacks && !all.is_empty() {
            writes.push((from, all));
        }
        writes.push((at("position"), bytes(position + total)));
        let reads = match unpacks {
            true => vec![(packed.wrapping_add_signed(position), total as usize)],
            false => elements.iter().map(|(place, basic)| (*place, self.values.size(*basic))).collect(),
        };
        Ok(Packed { reads, writes })
    }

    /// Notes that such a call loads and stores elements of windows that others name: these go by the state that it is made in, of which the process may
    /// come to several in one call.
    pub(crate) fn packs(&self, packed: &Packed, seen: &mut Seen, call: &mut Call) {
        let within = |seen: &Seen, from: u64, bytes: usize| -> Vec<(u64, i64)> {
            let near = seen.watched.range(from.saturating_sub(LONGEST)..from.saturating_add(bytes as u64));
            let ends = |at: u64, ty: i64| at + self.values.size(ty) as u64;
            near.filter(|(at, ty)| ends(**at, **ty) > from).map(|(at, ty)| (*at, *ty)).collect()
        };
        for (from, bytes) in &packed.reads {
            let read = within(seen, *from, *bytes).into_iter();
            call.touched.extend(read.map(|(at, _)| Touched { at, touch: Touch::Read, site: 0, of: Of::Used }));
        }
        for (from, bytes) in &packed.writes {
            for (at, ty) in within(seen, *from, bytes.len()) {
                let size = self.values.size(ty);
                let mut whole = self.process.read(at, size);
                for (k, byte) in whole.iter_mut().enumerate() {
                    let place = (at + k as u64).checked_sub(*from).map(|i| i as usize);
                    if let Some(new) = place.and_then(|i| bytes.get(i)) {
                        *byte = *new;
                    }
                }
                let now = self.values.number(ty, &whole);
                seen.know(at, ty, now, size);
                call.touched.push(Touched { at, touch: Touch::Wrote(now), site: 0, of: Of::Used });
            }
        }
    }
}
