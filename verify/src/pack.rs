//! Packed data (MPI-4.1, section 5.2): where elements lie the rules say, and their bytes are copied as they are, one after the other, as both
//! libraries that tests run on do where all processes are alike.
//!
//! The process alone sees it: no rule has anything to say but what is asked here. Data that was packed is sent and received as `MPI_PACKED`;
//! `MPI_Pack_external` is not followed.

use crate::call::{Refused, Scene};
use crate::face::Function;
use litmpi_engine::unfold::Given;

/// Whether a function packs, unpacks, or says how much room that needs.
pub(crate) fn is_packing(name: &str) -> bool {
    ["MPI_Pack", "MPI_Unpack", "MPI_Pack_size"].contains(&name)
}

impl Scene<'_> {
    /// What such a call puts into the memory of the process.
    pub(crate) fn pack(&self, function: &Function, raw: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, Refused> {
        let name = function.name.as_str();
        let erroneous = |what: &str| Refused::Erroneous(format!("{name}: {what}"));
        let at = |arg: &str| function.args.iter().position(|a| a == arg).map_or(0, |i| raw[i]);
        let number = |v: u64| if self.large { v as i64 } else { i64::from(v as i32) };
        let whole = |address: u64| match self.large {
            true => self.process.read(address, 8).try_into().map_or(0, i64::from_ne_bytes),
            false => i64::from(self.process.int(address)),
        };
        let bytes = |v: i64| if self.large { v.to_ne_bytes().to_vec() } else { (v as i32).to_ne_bytes().to_vec() };
        let kinds = &self.machine.spec().instructions.kinds;
        let object = |ty: &str, handle: u64| self.face.object(ty, crate::call::kind_of(kinds, ty), handle as u32);
        let (comm, datatype) = (object("Comm", at("comm")), object("Datatype", at("datatype")));
        let holds = |f: &str, of: i32| self.number_of(f, &[of]) == Some(1);
        if !holds("is_comm", comm) {
            return Err(erroneous("the communicator is null, freed or not made yet"));
        }
        if !holds("is_committed", datatype) {
            return Err(erroneous("the datatype is null, freed or not committed"));
        }
        if !self.values.fits(datatype, self.layout.granule) {
            return Err(Refused::Finer);
        }
        let count = number(at(match name {
            "MPI_Unpack" => "outcount",
            _ => "incount",
        }));
        if count < 0 {
            return Err(erroneous("the count is negative"));
        }
        let items = at(if name == "MPI_Unpack" { "outbuf" } else { "inbuf" });
        let elements = self.elements(items, count, datatype)?;
        let sizes = elements.iter().map(|(_, basic)| self.values.size(*basic));
        let total = sizes.sum::<usize>() as i64;
        if name == "MPI_Pack_size" {
            return Ok(vec![(at("size"), bytes(total))]);
        }
        let position = whole(at("position"));
        let (packed, room) = match name {
            "MPI_Pack" => (at("outbuf"), number(at("outsize"))),
            _ => (at("inbuf"), number(at("insize"))),
        };
        if position < 0 || position + total > room {
            let what = if name == "MPI_Pack" {
                "the packed data does not fit"
            } else {
                "there is less packed data than is asked for"
            };
            return Err(erroneous(what));
        }
        // What a pending receive will bring may not be read.
        let locations: Vec<i32> = match name {
            "MPI_Pack" => {
                elements.iter().filter_map(|(at, _)| self.layout.place(self.rank, *at)).map(|l| l as i32).collect()
            }
            _ => (0..total)
                .filter_map(|i| self.layout.place(self.rank, packed.wrapping_add_signed(position + i)))
                .map(|l| l as i32)
                .collect(),
        };
        let given = [Given::Word(self.rank as i32), Given::List(locations)];
        if self.apply("readable", &given) == Some(litmpi_engine::unfold::Shown::Int(0)) {
            return Err(erroneous("the buffer is being received into"));
        }
        let mut writes = vec![];
        let mut from = packed.wrapping_add_signed(position);
        let mut all: Vec<u8> = vec![];
        for (place, basic) in &elements {
            let size = self.values.size(*basic);
            if name == "MPI_Pack" {
                all.extend(self.process.read(*place, size));
            } else {
                writes.push((*place, self.process.read(from, size)));
                from += size as u64;
            }
        }
        if name == "MPI_Pack" && !all.is_empty() {
            writes.push((from, all));
        }
        writes.push((at("position"), bytes(position + total)));
        Ok(writes)
    }
}
