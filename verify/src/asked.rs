//! What a reduction function of the program may ask of MPI while MPI runs it: what takes no part in communication, and is of the process as it was when
//! it named the operation.

use crate::face::Face;
use crate::local;
use crate::rank::Process;
use litmpi_engine::machine::Machine;
use litmpi_engine::unfold::{Given, Shown};
use litmpi_spec::decl::Kind;
use litmpi_spec::heap::Word;

/// What a process has, by the rules.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Of each communicator: its number, the rank of the process, how many processes its group has, and how many the other one.
    comms: Vec<Vec<i64>>,
    /// Of each datatype: its number, and in locations its size, lower bound and extent, and the same bounds of its data alone.
    types: Vec<Vec<i64>>,
}

impl Facts {
    /// Of a process in a state.
    pub(crate) fn of(machine: &Machine, rank: usize, state: &[Word]) -> Facts {
        let rows = |function: &str| -> Vec<Vec<i64>> {
            let Ok(Some(Shown::Parts(rows))) = machine.apply(function, &[Given::Word(rank as i64)], state) else {
                return vec![];
            };
            let numbers = |row: &Shown| match row {
                Shown::Parts(parts) => parts.iter().map(|p| if let Shown::Int(n) = p { *n } else { 0 }).collect(),
                Shown::Int(n) => vec![*n],
            };
            rows.iter().map(numbers).collect()
        };
        Facts { comms: rows("told_of_comms"), types: rows("told_of_types") }
    }
}

/// What is asked is answered by this.
pub(crate) struct Asked<'a> {
    pub(crate) face: &'a Face,
    /// The kinds that name datatypes and communicators.
    pub(crate) kinds: &'a [Kind; 2],
    pub(crate) facts: &'a Facts,
    /// Bytes of a location.
    pub(crate) granule: i64,
    /// The datatype that the function is given: its handle, and in bytes its size, lower bound and extent. It may be freed.
    pub(crate) given: (u32, [i64; 3]),
}

impl Asked<'_> {
    /// What a call in the function returns; an error for one of which nothing is known.
    pub(crate) fn answer(&self, name: &str, args: &[u64], process: &Process) -> Result<i64, String> {
        let int = |at: u64, v: i64| process.write(at, &(v as i32).to_ne_bytes());
        let wide = |at: u64, v: i64| process.write(at, &v.to_ne_bytes());
        let unknown = || format!("it calls {name} itself");
        let object = args[0] as u32;
        match name {
            "MPI_Type_size" => int(args[1], self.measures(object).ok_or_else(unknown)?[0])?,
            "MPI_Type_size_x" | "MPI_Type_size_c" => wide(args[1], self.measures(object).ok_or_else(unknown)?[0])?,
            "MPI_Type_extent" => wide(args[1], self.measures(object).ok_or_else(unknown)?[2])?,
            "MPI_Type_get_extent" | "MPI_Type_get_extent_x" | "MPI_Type_get_extent_c" => {
                let [_, lower, extent] = self.measures(object).ok_or_else(unknown)?;
                wide(args[1], lower)?;
                wide(args[2], extent)?;
            }
            "MPI_Type_get_true_extent" | "MPI_Type_get_true_extent_x" | "MPI_Type_get_true_extent_c" => {
                let known = self.known(&self.facts.types, "Datatype", 0, object).ok_or_else(unknown)?;
                wide(args[1], known[4] * self.granule)?;
                wide(args[2], known[5] * self.granule)?;
            }
            "MPI_Comm_rank" => int(args[1], self.comm(object).ok_or_else(unknown)?[1])?,
            "MPI_Comm_size" => int(args[1], self.comm(object).ok_or_else(unknown)?[2])?,
            "MPI_Comm_test_inter" => int(args[1], i64::from(self.comm(object).ok_or_else(unknown)?[3] > 0))?,
            "MPI_Comm_remote_size" => {
                let others = self.comm(object).map(|known| known[3]).filter(|n| *n > 0);
                int(args[1], others.ok_or_else(unknown)?)?;
            }
            // These are of the process as a whole.
            "MPI_Initialized"
            | "MPI_Finalized"
            | "MPI_Is_thread_main"
            | "MPI_Query_thread"
            | "MPI_Get_version"
            | "MPI_Get_library_version"
            | "MPI_Get_processor_name"
            | "MPI_Error_string"
            | "MPI_Pcontrol" => {
                return local::answer(name, args, process, (true, false))?.ok_or_else(unknown);
            }
            _ => return Err(unknown()),
        }
        Ok(0)
    }

    fn comm(&self, handle: u32) -> Option<&[i64]> {
        self.known(&self.facts.comms, "Comm", 1, handle)
    }

    /// The size, the lower bound and the extent of a datatype, in bytes.
    fn measures(&self, handle: u32) -> Option<[i64; 3]> {
        if handle == self.given.0 {
            return Some(self.given.1);
        }
        let known = self.known(&self.facts.types, "Datatype", 0, handle)?;
        Some([known[1], known[2], known[3]].map(|n| n * self.granule))
    }

    fn known<'f>(&self, rows: &'f [Vec<i64>], ty: &str, kind: usize, handle: u32) -> Option<&'f [i64]> {
        let number = self.face.object(ty, &self.kinds[kind], handle);
        rows.iter().find(|row| row.first() == Some(&number)).map(Vec::as_slice)
    }
}
