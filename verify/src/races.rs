//! Accesses of other threads to what calls use, which nothing orders with these calls: that they did not meet in one execution says nothing of the
//! next one (MPI-4.1, section 3.7.3, section 11.6.1: a buffer in use is accessed by nobody).
//!
//! The process logs the accesses of its threads that do not call MPI, with how many calls each knew to have begun and whether the thread that calls
//! knows that they are over (`verify/c/races.c`). Here the log is held against the buffers of calls. What is told is told for sure: only functions of
//! which it is known what they use, and only processes in which all that may order threads is seen.

use crate::accesses::TABLE_ENDS;
use crate::call::{Arg, Call, Refused, Scene};
use crate::face::Function;
use crate::memory::{Area, Seen, Values};
use crate::rank::Process;

/// Bytes of an entry of the log, as the library in C has it.
const ENTRY: usize = 56;
/// Buffers of calls that are over, as many as are remembered.
const MOST: usize = 64;
/// `MPI_PROC_NULL`, and what of the ranks and roots is less: a call with one of them may use nothing.
const NOBODY: i64 = -2;
/// Functions that use all of their buffers, of ranks that are there.
const KNOWN: [&str; 12] = [
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Bsend",
    "MPI_Rsend",
    "MPI_Isend",
    "MPI_Issend",
    "MPI_Ibsend",
    "MPI_Irsend",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
];
/// Those of them that use all of their buffers in a communicator of one group.
const COLLECTIVE: [&str; 14] = [
    "MPI_Bcast",
    "MPI_Ibcast",
    "MPI_Reduce",
    "MPI_Ireduce",
    "MPI_Allreduce",
    "MPI_Iallreduce",
    "MPI_Gather",
    "MPI_Igather",
    "MPI_Allgather",
    "MPI_Iallgather",
    "MPI_Scatter",
    "MPI_Iscatter",
    "MPI_Alltoall",
    "MPI_Ialltoall",
];
/// Parts of the names of libraries of which all that orders threads is seen.
const LIBRARIES: [&str; 14] = [
    "/ld-linux",
    "/libc.so",
    "/libm.so",
    "/libpthread",
    "/libdl.so",
    "/librt.so",
    "/libgomp.so",
    "/libstdc++.so",
    "/libgcc_s.so",
    "/libgfortran.so",
    "/libquadmath.so",
    "/libmpi.so",
    "/libmpich",
    "/libatomic.so",
];

/// Buffers of a call: where they lie, and whether the call writes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Used {
    stretches: Vec<(u64, u64, bool)>,
    function: usize,
    /// The number of its call, of the request by which it is completed, and of the call that has completed it.
    begun: u32,
    request: Option<i64>,
    over: Option<u32>,
}

/// What is known of a call beside threads that do not make it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// Memory that it uses for sure, and whether it writes there.
    uses: Vec<(u64, u64, bool)>,
    /// Why it is not known between which calls some accesses are.
    pub(crate) loose: Option<String>,
}

/// An access that nothing orders with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Race {
    /// The function that uses the memory.
    pub(crate) function: usize,
    /// Where the access is.
    pub(crate) site: u64,
    /// Whether it writes.
    writes: bool,
    /// Whether the call writes there.
    is_written: bool,
}

impl Race {
    /// What is wrong.
    pub(crate) fn why(&self, function: &str) -> String {
        let does = if self.writes { "writes to" } else { "reads" };
        let what = if self.is_written { "receives into" } else { "sends" };
        format!(
            "{function}: another thread {does} memory that it {what}, and nothing orders the two: no fork, join, barrier, lock or atomic access"
        )
    }
}

/// A logged access.
#[derive(Debug, Clone, Copy)]
struct Logged {
    at: u64,
    end: u64,
    site: u64,
    /// How many calls there had been.
    made: u32,
    /// How many calls its thread knew to have begun.
    calls: u32,
    /// Whether the thread that calls knows that it is over.
    is_known: bool,
    writes: bool,
}

/// The log of a process that waits in a call, and how many calls it has made.
#[derive(Debug, Clone, Default)]
struct Log {
    accesses: Vec<Logged>,
    /// Whether it has had more threads than one.
    is_several: bool,
    calls: u32,
}

impl Process {
    /// What its threads have accessed that do not call; nothing where something may order threads that is not seen.
    fn log(&self) -> Log {
        let at = self.accesses.at;
        if at == 0 || !self.accesses.seen {
            return Log::default();
        }
        let [logged, calls, is_beyond, is_several] = self.words(at + TABLE_ENDS, 4)[..] else { return Log::default() };
        let (calls, is_several) = (calls as u32, is_several != 0);
        if logged == 0 || is_beyond != 0 || self.calls_of_threads().iter().any(Option::is_some) {
            return Log { accesses: vec![], is_several, calls };
        }
        let entries = self.words(at + TABLE_ENDS + 32, logged as usize * ENTRY / 8);
        let entry = |words: &[u64]| {
            let [at, end, site, made, _, known, kind] = words[..] else { unreachable!("an entry is seven words") };
            Logged {
                at,
                end,
                site,
                made: made as u32,
                calls: known as u32,
                is_known: known >> 32 != 0,
                writes: kind != 0,
            }
        };
        Log { accesses: entries.chunks_exact(ENTRY / 8).map(entry).filter(|a| a.end > 0).collect(), is_several, calls }
    }

    /// Whether all its libraries are known to order threads by nothing that is not seen.
    fn orders_as_seen(&self) -> bool {
        let Ok(maps) = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)) else { return false };
        let files = maps.lines().filter(|line| line.split_ascii_whitespace().nth(1).is_some_and(|m| m.contains('x')));
        let mut names = files.filter_map(|line| Some(&line[line.find('/')?..]));
        names.all(|name| std::path::Path::new(name) == &*self.program || LIBRARIES.iter().any(|l| name.contains(l)))
    }
}

/// The memory of areas, of which the first ones are read only where that is said: joined where elements lie side by side.
fn stretches(values: &Values, areas: &[Area], taken: &[bool]) -> Vec<(u64, u64, bool)> {
    let mut all = vec![];
    for (area, only_read) in areas.iter().zip(taken) {
        let mut last: Option<(u64, u64)> = None;
        for (at, ty) in area {
            let end = at + values.size(*ty) as u64;
            match &mut last {
                Some((_, to)) if *to == *at => *to = end,
                _ => {
                    all.extend(last.map(|(from, to)| (from, to, !only_read)));
                    last = Some((*at, end));
                }
            }
        }
        all.extend(last.map(|(from, to)| (from, to, !only_read)));
    }
    all
}

/// Whether one of them writes where they meet.
fn meet(access: &Logged, (from, to, is_written): &(u64, u64, bool)) -> bool {
    access.at < *to && *from < access.end && (access.writes || *is_written)
}

impl Scene<'_> {
    /// What a call uses for sure; nothing of functions of which that is not known.
    fn used(&self, name: &str, call: &Call) -> Vec<(u64, u64, bool)> {
        let Some(instr) = call.instr.map(|i| &self.instructions().list[i]) else { return vec![] };
        let kinds = &self.instructions().kinds;
        let all = || instr.params.iter().zip(&call.args);
        let is_nobody = all().any(|(p, arg)| {
            ["rank", "root"].contains(&kinds[p.kind].name.as_str()) && matches!(arg, Arg::Int(n) if *n <= NOBODY)
        });
        let comm = all().find_map(|(p, arg)| match arg {
            Arg::Int(c) if p.name == "comm" => Some(*c),
            _ => None,
        });
        let is_known = KNOWN.contains(&name)
            || COLLECTIVE.contains(&name) && comm.and_then(|c| self.number_of("is_intra", &[c])) == Some(1);
        if is_nobody || !is_known {
            return vec![];
        }
        stretches(self.values, &call.areas, &call.taken)
    }

    /// Whether the accesses of other threads to what a call uses are right. Where one is wrong it is told, with its place, and where that is not known, why.
    pub(crate) fn threads(
        &self,
        functions: &[Function],
        call: &mut Call,
        seen: &mut Seen,
        site: &mut u64,
    ) -> Result<(), Refused> {
        let log = self.process.log();
        // What is over before there are other threads, they know to be over.
        let name = functions[call.function].name.as_str();
        if log.is_several || log.calls > 0 && name.starts_with("MPI_I") {
            call.beside.uses = self.used(name, call);
        }
        let race = self.race(&log, call, seen);
        seen.calls = log.calls;
        if let Some(race) = race {
            *site = race.site;
            return Err(Refused::Erroneous(race.why(&functions[race.function].name)));
        }
        call.beside.loose.take().map_or(Ok(()), |why| Err(Refused::Unsupported(why)))
    }

    /// An access of another thread that nothing orders with a call: with this one, which it came before, or with one that is over, behind which it came;
    /// or one that came while an operation was under way, and may have come elsewhere.
    fn race(&self, log: &Log, call: &Call, seen: &Seen) -> Option<Race> {
        if log.accesses.is_empty() {
            return None;
        }
        let found = |access: &Logged, function: usize, (_, _, is_written): &(u64, u64, bool)| Race {
            function,
            site: access.site,
            writes: access.writes,
            is_written: *is_written,
        };
        let with_this = log.accesses.iter().filter(|a| !a.is_known).find_map(|access| {
            let stretch = call.beside.uses.iter().find(|s| meet(access, s))?;
            Some(found(access, call.function, stretch))
        });
        // What came before was held against them before.
        let behind = || {
            log.accesses.iter().filter(|a| a.made >= seen.calls).find_map(|access| {
                let of = |used: &&Used| match used.over {
                    Some(over) => access.calls < over,
                    None => call.beside.loose.is_some() && access.made >= used.begun,
                };
                let born = || self.process.born(access.at).unwrap_or(0);
                seen.used.iter().filter(of).find_map(|used| {
                    let stretch = used.stretches.iter().find(|s| meet(access, s))?;
                    // Of a block that came after the call, other memory was used.
                    let is_same = used.over.is_none_or(|over| born() < u64::from(over));
                    is_same.then(|| found(access, used.function, stretch))
                })
            })
        };
        with_this.or_else(behind).filter(|_| self.process.orders_as_seen())
    }
}

/// Notes what a call used that has returned, and which calls are over by it. `requests` are the requests that it names: what they were, and what they are.
pub(crate) fn returned(used: &mut Vec<Used>, (name, call): (&str, &Call), now: u32, requests: &[(i64, i64)]) {
    for (was, _) in requests.iter().filter(|(was, is)| was != is) {
        if name == "MPI_Request_free" {
            used.retain(|u| u.request != Some(*was));
        }
        used.iter_mut().filter(|u| u.request == Some(*was)).for_each(|u| {
            (u.request, u.over) = (None, Some(now));
        });
    }
    if now == 0 || call.beside.uses.is_empty() {
        return;
    }
    let request = requests.first().map(|(_, is)| *is);
    let over = if request.is_none() { Some(now) } else { None };
    if used.len() == MOST {
        used.remove(0);
    }
    used.push(Used { stretches: call.beside.uses.clone(), function: call.function, begun: now, request, over });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_what_is_sent_meet_nothing() {
        let access = |writes| Logged { at: 8, end: 12, site: 0, made: 0, calls: 0, is_known: false, writes };
        assert!(meet(&access(true), &(0, 9, false)));
        assert!(!meet(&access(false), &(0, 9, false)));
        assert!(meet(&access(false), &(0, 9, true)));
        assert!(!meet(&access(true), &(12, 16, true)));
        assert!(!meet(&access(true), &(0, 8, true)));
    }
}
