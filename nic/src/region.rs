//! Regions and the memory of processes: everything that is outside of this process.
#![expect(unsafe_code, reason = "words of a file that another process maps, too, are atomics at raw addresses")]

use crate::buffers;
use crate::layout::{
    ERR, MR_ADDR, MR_FILE, MR_INODE, MR_LEN, MR_OFFSET, MR_WORDS, MRS, PID, QP_STATE, RTR, RTS, WORDS,
};
use crate::mapped::{Backing, Mapped};
use memmap2::MmapRaw;
use nix::fcntl::OFlag;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{IoSlice, IoSliceMut, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// A file of words that two processes map. The other one may write anything into it at any time: whoever reads a word
/// checks it.
pub(crate) struct Words {
    map: MmapRaw,
    len: usize,
}

impl Words {
    /// Maps a file of at least so many words.
    pub(crate) fn open(path: &Path, len: usize) -> std::io::Result<Words> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let map = MmapRaw::map_raw(&file)?;
        if map.len() < len * 8 {
            return Err(std::io::Error::other("a file that is too short"));
        }
        Ok(Words { map, len })
    }

    /// Makes a file of so many words, all 0, and maps it.
    pub(crate) fn create(path: &Path, len: usize) -> std::io::Result<Words> {
        std::fs::write(path, vec![0; len * 8])?;
        Words::open(path, len)
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at < self.len, "inside of the file");
        let base: *mut u64 = self.map.as_mut_ptr().cast();
        // SAFETY: the mapping is page-aligned, holds `len` words and lives as long as `self`; every access by either
        // side is atomic.
        unsafe { AtomicU64::from_ptr(base.add(at)) }
    }

    /// A word, and all that was written before it.
    pub(crate) fn get(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Acquire)
    }

    /// Writes a word, after all that was written before.
    pub(crate) fn set(&self, at: usize, value: u64) {
        self.word(at).store(value, Ordering::Release);
    }

    /// Writes a word if it is still what it was.
    fn change(&self, at: usize, was: u64, value: u64) {
        // What the other side has written meanwhile stays.
        let _ = self.word(at).compare_exchange(was, value, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// Which registration a mapping is of, and the mapping, if there can be one.
type Mapping = (u64, Option<Rc<Mapped>>);

/// A region, mapped.
pub(crate) struct Region {
    words: Words,
    /// The process that made it, looked up once; 0 if it does not have the region.
    pid: Pid,
    path: PathBuf,
    /// Of memory regions that requests have named.
    mapped: RefCell<BTreeMap<usize, Mapping>>,
}

impl Region {
    /// Maps a region's file.
    pub(crate) fn open(path: &Path) -> std::io::Result<Region> {
        let words = Words::open(path, WORDS)?;
        let said = Pid::from_raw(i32::try_from(words.get(PID)).unwrap_or(0));
        // Else the device would read and write the memory of a process that has nothing to do with it. Nobody has the number 0.
        let pid = if maps(said, path) { said } else { Pid::from_raw(0) };
        Ok(Region { words, pid, path: path.to_owned(), mapped: RefCell::default() })
    }

    /// Tells a channel of the program that a completion queue has something.
    pub(crate) fn tell(&self, channel: u64, cq: u64) {
        self.write(&format!("c{channel}"), &cq.to_ne_bytes());
    }

    /// Writes into a pipe of the region.
    fn write(&self, name: &str, bytes: &[u8]) {
        let path = format!("{}.{name}", self.path.display());
        // Open for both, a pipe need not have a reader. One that is gone has nobody who waits.
        // One that is full has many events that nobody took: the device does not wait for that. It is opened by its own name
        // only, and is a pipe.
        let flags = OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW;
        let pipe = OpenOptions::new().read(true).write(true).custom_flags(flags.bits()).open(path);
        if let Ok(mut pipe) = pipe
            && pipe.metadata().is_ok_and(|m| m.file_type().is_fifo())
        {
            let _ = pipe.write_all(bytes);
        }
    }

    /// Tells the program of an asynchronous event, and the number of the queue that it is about.
    pub(crate) fn event(&self, kind: u64, about: usize) {
        let note = [kind.to_ne_bytes(), (about as u64).to_ne_bytes()].concat();
        self.write("events", &note);
    }

    /// A word, and all that was written before it.
    pub(crate) fn get(&self, at: usize) -> u64 {
        self.words.get(at)
    }

    /// Writes a word, after all that was written before.
    pub(crate) fn set(&self, at: usize, value: u64) {
        self.words.set(at, value);
    }

    /// Puts a queue pair, whose words begin there, into the error state, unless its program has reset it or never connected it. The
    /// program may do so at the same time: then that stays, because it waits for the device to agree.
    pub(crate) fn break_queue(&self, at: usize) {
        let state = self.get(at + QP_STATE);
        if state >= RTR {
            self.words.change(at + QP_STATE, state, ERR);
        }
    }

    /// Has the program see the state that its queue pair has come to, unless it has changed it meanwhile to one that is none of these.
    pub(crate) fn show_state(&self, at: usize, to: u64) {
        let state = self.get(at + QP_STATE);
        if state != to && (RTS..ERR).contains(&state) {
            self.words.change(at + QP_STATE, state, to);
        }
    }

    /// The device's mapping of a memory region in its present registration, if it can be mapped.
    pub(crate) fn mapped(&self, mr: usize, generation: u64) -> Option<Rc<Mapped>> {
        if let Some((of, mapped)) = self.mapped.borrow().get(&mr)
            && *of == generation
        {
            return mapped.clone();
        }
        let word = |i: usize| self.get(MRS + mr * MR_WORDS + i);
        let backing = word(MR_FILE).checked_sub(1).map(|descriptor| Backing {
            pid: self.pid(),
            descriptor,
            inode: word(MR_INODE),
            offset: word(MR_OFFSET),
            addr: word(MR_ADDR),
            len: word(MR_LEN),
        });
        let mapped = backing.and_then(|b| Mapped::open(&b)).map(Rc::new);
        self.mapped.borrow_mut().insert(mr, (generation, mapped.clone()));
        mapped
    }

    /// The process that made it.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }
}

/// Whether a process has a file mapped.
fn maps(pid: Pid, file: &Path) -> bool {
    let Ok(about) = std::fs::metadata(file) else { return false };
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let inode = about.ino().to_string();
    pid.as_raw() > 0 && maps.lines().any(|l| l.split_whitespace().nth(4) == Some(inode.as_str()))
}

/// Most bytes of one message, as of InfiniBand: a program that asks for more has its request refused.
const LONGEST: u64 = 1 << 31;

/// Bytes of a process: address and length.
pub(crate) type Piece = (u64, u64);

fn remote(pieces: &[Piece]) -> Vec<RemoteIoVec> {
    let size = |n: u64| usize::try_from(n).unwrap_or(0);
    pieces.iter().map(|(base, len)| RemoteIoVec { base: size(*base), len: size(*len) }).collect()
}

/// Reads bytes of a process; none if it is gone or they are not mapped.
pub(crate) fn read(pid: Pid, pieces: &[Piece]) -> Option<Vec<u8>> {
    let len = pieces.iter().try_fold(0_u64, |sum, p| sum.checked_add(p.1)).filter(|len| *len <= LONGEST)?;
    let mut bytes = buffers::take(usize::try_from(len).ok()?);
    fence(Ordering::SeqCst);
    if len > 0 && process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &remote(pieces)).ok()? != bytes.len() {
        return None;
    }
    Some(bytes)
}

/// Writes bytes of a process; none if it is gone or they are not mapped.
///
/// The rules take a write for one step. It is one for a value of up to eight aligned bytes (the kernel copies those
/// at once); the bytes of a longer one become visible one after the other, as on a real device.
pub(crate) fn write(pid: Pid, pieces: &[Piece], bytes: &[u8]) -> Option<()> {
    let mut left = bytes.len() as u64;
    let mut cut = Vec::new();
    for (at, len) in pieces {
        let n = left.min(*len);
        if n > 0 {
            cut.push((*at, n));
        }
        left -= n;
    }
    if left > 0 {
        return None;
    }
    let done = bytes.is_empty() || process_vm_writev(pid, &[IoSlice::new(bytes)], &remote(&cut)).ok()? == bytes.len();
    // A later read of the engine's does not pass the write.
    fence(Ordering::SeqCst);
    done.then_some(())
}

/// Whether a process is there. One that has ended, and that its parent has not heard of, is not, and neither is one that is ending: its memory is
/// gone by then, long before it is counted as ended where that is much.
pub(crate) fn is_alive(pid: Pid) -> bool {
    let is_there = || pid.as_raw() > 0 && nix::sys::signal::kill(pid, None) != Err(nix::errno::Errno::ESRCH);
    if !is_there() {
        return false;
    }
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return is_there() };
    !has_ended(&stat)
}

/// Whether a process has ended or is ending, by its line in `/proc` (proc_pid_stat(5)): the state is `Z` or `X`, or `PF_EXITING` is among the flags.
fn has_ended(stat: &str) -> bool {
    const PF_EXITING: u64 = 4;
    // The name, in parentheses, may hold anything; the state is behind it, and five numbers later the flags.
    let Some((_, rest)) = stat.rsplit_once(')') else { return false };
    let mut fields = rest.split_ascii_whitespace();
    let is_over = fields.next().is_some_and(|state| ["Z", "X"].contains(&state));
    let flags: u64 = fields.nth(5).and_then(|flags| flags.parse().ok()).unwrap_or(0);
    is_over || flags & PF_EXITING != 0
}

#[cfg(test)]
mod tests {
    use super::has_ended;

    #[test]
    fn a_process_that_is_ending_has_ended_before_its_state_says_so() {
        let line = |state: &str, flags: u64| format!("7 (a ) Z b) {state} 1 7 7 0 -1 {flags} 0 0 0 0 1 0");
        for (state, flags, wanted) in
            [("S", 0x40_0000, false), ("R", 0x40_0040, false), ("R", 0x40_0044, true), ("Z", 0x4, true), ("X", 0, true)]
        {
            assert_eq!(has_ended(&line(state, flags)), wanted, "{state} {flags}");
        }
        assert!(!has_ended(""));
        let own = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        assert!(!has_ended(&own), "{own}");
    }
}
