//! What libraries stand on that `litmpi emit --layer --lang rust` makes: memory that all processes have in the same places, puts and
//! gets under work identifiers, waits. Libraries in C do the same, by the same device (`c/litmpi-verbs.c`).
//!
//! One thread of each process has a [`Net`], which is not `Send`. Registered memory is only ever looked at by atomic loads and
//! stores, and by devices: nothing that safe code does is undefined.

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the layers were refined over x86-TSO; other processors need fences that they do not have");

mod device;
mod error;
mod meet;

pub use error::{Error, Result};

use device::{Address, DEPTH, Device};
use meet::Meeting;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicI64, Ordering, fence};

/// The processes of a program, connected each with each, and their memory.
pub struct Net {
    rank: usize,
    nodes: usize,
    bytes: u64,
    taken: Cell<u64>,
    /// Of each process: operations towards it so far, and how many are complete.
    posted: Vec<Cell<u64>>,
    done: Vec<Cell<u64>>,
    has_failed: Cell<bool>,
    meeting: RefCell<Meeting>,
    device: Device,
}

/// A work identifier: of each process, the last operation under it.
#[derive(Debug)]
pub struct Work {
    last: Vec<Cell<u64>>,
}

/// Some processes, by their ranks.
#[derive(Debug, Clone)]
pub struct Nodes(Vec<usize>);

impl Net {
    /// Opens the device and connects every process with every other. All call it, with the same `nodes`, `bytes` and `meet`: a
    /// folder that all see, new for each run, or `HOST:PORT`, where rank 0 listens. `LITMPI_DEVICE` and `LITMPI_GID_INDEX` choose
    /// the device.
    ///
    /// # Errors
    /// There is no such device or rank, or the others do not come.
    pub fn open(rank: usize, nodes: usize, bytes: u64, meet: &str) -> Result<Net> {
        if rank >= nodes || i32::try_from(nodes).is_err() {
            return Err(Error::NoNode(rank as i64));
        }
        let bytes = bytes / 8 * 8;
        if bytes == 0 {
            return Err(Error::NoRoom { bytes: 8, left: 0 });
        }
        let gid = std::env::var("LITMPI_GID_INDEX").ok().and_then(|i| i.parse().ok()).unwrap_or(0);
        let name = std::env::var("LITMPI_DEVICE").ok();
        let (device, mine, queues) = Device::open(name.as_deref(), gid, rank, nodes, bytes)?;
        let mut meeting = Meeting::new(meet, rank, nodes)?;
        let address = meeting.all(rank, nodes, "address", &mine.bytes())?;
        let own: Vec<u8> = queues.iter().flat_map(|q| q.to_ne_bytes()).collect();
        let all = meeting.all(rank, nodes, "queues", &own)?;
        for n in (0..nodes).filter(|n| *n != rank) {
            let at = 4 * (n * nodes + rank);
            let queue = u32::from_ne_bytes([all[at], all[at + 1], all[at + 2], all[at + 3]]);
            device.connect(n, &Address::of(&address[n * size_of::<Address>()..]), queue)?;
        }
        meeting.all(rank, nodes, "ready", &[1])?;
        let zeros = || (0..nodes).map(|_| Cell::new(0)).collect();
        Ok(Net {
            rank,
            nodes,
            bytes,
            taken: Cell::new(0),
            posted: zeros(),
            done: zeros(),
            has_failed: Cell::new(false),
            meeting: RefCell::new(meeting),
            device,
        })
    }

    /// The same by the variables `LITMPI_RANK`, `LITMPI_NODES`, `LITMPI_BYTES` (1 MiB without it) and `LITMPI_MEET`.
    ///
    /// # Errors
    /// One of them is not there, or as [`Net::open`].
    pub fn from_environment() -> Result<Net> {
        let of = |name: &str| std::env::var(name).map_err(|_| Error::Meet(format!("{name} is not set")));
        let number = |name: &str| of(name)?.parse().map_err(|_| Error::Meet(format!("{name} is no number")));
        let bytes = std::env::var("LITMPI_BYTES").ok().and_then(|b| b.parse().ok()).unwrap_or(1 << 20);
        Net::open(number("LITMPI_RANK")?, number("LITMPI_NODES")?, bytes, &of("LITMPI_MEET")?)
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Waits for all operations and for all processes, then lets the device go. (Dropping does not wait: others may then fail.)
    ///
    /// # Errors
    /// An operation failed, or a process is gone.
    pub fn close(self) -> Result<()> {
        for n in 0..self.nodes {
            self.wait_until(n, self.posted[n].get())?;
        }
        self.meeting.borrow_mut().all(self.rank, self.nodes, "close", &[1])?;
        Ok(())
    }

    /// Takes memory for so many words, in the same place on every process that takes as much in the same order.
    ///
    /// # Errors
    /// There is not enough.
    pub fn take(&self, words: u64) -> Result<u64> {
        let (at, left) = (self.taken.get(), self.bytes - self.taken.get());
        let bytes = words.checked_mul(8).filter(|b| *b <= left);
        let bytes = bytes.ok_or(Error::NoRoom { bytes: words.saturating_mul(8), left })?;
        self.taken.set(at + bytes);
        Ok(at)
    }

    /// Some processes.
    ///
    /// # Errors
    /// There is no process with this rank.
    pub fn some(&self, ranks: &[usize]) -> Result<Nodes> {
        match ranks.iter().find(|n| **n >= self.nodes) {
            Some(n) => Err(Error::NoNode(*n as i64)),
            None => Ok(Nodes(ranks.to_vec())),
        }
    }

    fn word(&self, at: u64) -> Result<&AtomicI64> {
        if !at.is_multiple_of(8) || at > self.bytes - 8 {
            return Err(Error::Beyond);
        }
        // SAFETY: it is within the device's memory, which lives as long as the net, aligned, and looked at by atomic
        // instructions only.
        Ok(unsafe { AtomicI64::from_ptr(self.device.memory().add(at as usize).cast()) })
    }

    /// A word of the own memory.
    ///
    /// # Errors
    /// There is none at that place.
    pub fn load(&self, at: u64) -> Result<i64> {
        Ok(self.word(at)?.load(Ordering::Acquire))
    }

    /// Writes a word of the own memory.
    ///
    /// # Errors
    /// There is none at that place.
    pub fn store(&self, at: u64, value: i64) -> Result<()> {
        self.word(at)?.store(value, Ordering::Release);
        Ok(())
    }

    /// A memory fence.
    pub fn mfence(&self) {
        fence(Ordering::SeqCst);
    }

    /// Another round of a loop that waits.
    pub fn pause(&self) {
        std::thread::yield_now();
    }

    /// Writes own memory into that of another process. It is read until the work is waited for; of more than one word, no order
    /// is promised among them.
    ///
    /// # Errors
    /// There is no such memory or process, or the device failed.
    pub fn put(&self, node: i64, to: u64, own: u64, words: u32, work: &Work) -> Result<()> {
        self.post(false, node, to, own, words, work)
    }

    /// Reads memory of another process into the own one, which is written until the work is waited for.
    ///
    /// # Errors
    /// There is no such memory or process, or the device failed.
    pub fn get(&self, node: i64, from: u64, own: u64, words: u32, work: &Work) -> Result<()> {
        self.post(true, node, from, own, words, work)
    }

    fn post(&self, is_read: bool, node: i64, far: u64, own: u64, words: u32, work: &Work) -> Result<()> {
        let n = usize::try_from(node).ok().filter(|n| *n < self.nodes && *n != self.rank);
        let n = n.ok_or(Error::NoNode(node))?;
        let bytes = words.checked_mul(8).ok_or(Error::Beyond)?;
        let is_within = |at: u64| at.is_multiple_of(8) && at <= self.bytes && u64::from(bytes) <= self.bytes - at;
        if !is_within(far) || !is_within(own) {
            return Err(Error::Beyond);
        }
        self.wait_until(n, (self.posted[n].get() + 1).saturating_sub(DEPTH))?;
        self.device.post(is_read, n, far, own, bytes)?;
        self.posted[n].set(self.posted[n].get() + 1);
        work.last[n].set(self.posted[n].get());
        Ok(())
    }

    /// Waits until the operations under a work identifier are complete.
    ///
    /// # Errors
    /// One failed.
    pub fn wait(&self, work: &Work) -> Result<()> {
        (0..self.nodes).try_for_each(|n| self.wait_until(n, work.last[n].get()))
    }

    /// Completions of a queue pair come in its order.
    fn wait_until(&self, node: usize, number: u64) -> Result<()> {
        while self.done[node].get() < number {
            if self.has_failed.get() {
                return Err(Error::Failed);
            }
            match self.device.poll(node) {
                Ok(true) => self.done[node].set(self.done[node].get() + 1),
                Ok(false) => self.pause(),
                Err(e) => {
                    self.has_failed.set(true);
                    return Err(e);
                }
            }
        }
        Ok(())
    }
}

impl Work {
    /// One that stands for nothing yet.
    pub fn new(net: &Net) -> Work {
        Work { last: (0..net.nodes).map(|_| Cell::new(0)).collect() }
    }
}

impl Nodes {
    /// Their ranks.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().map(|n| *n as i64)
    }

    /// How many there are.
    pub fn count(&self) -> i64 {
        self.0.len() as i64
    }

    /// Which of them a process is.
    ///
    /// # Errors
    /// It is none of them.
    pub fn place(&self, node: i64) -> Result<i64> {
        self.iter().position(|n| n == node).map(|at| at as i64).ok_or(Error::NoNode(node))
    }

    /// The process at a place, past the last the first again.
    ///
    /// # Errors
    /// There are none.
    pub fn member(&self, place: i64) -> Result<i64> {
        Ok(self.0[remainder(place, self.count())? as usize] as i64)
    }

    /// Whether this process is one of them; otherwise it cannot call what is named.
    ///
    /// # Errors
    /// It is not.
    pub fn must_have(&self, rank: usize, by: &'static str) -> Result<()> {
        if self.0.contains(&rank) { Ok(()) } else { Err(Error::NotAUser(by)) }
    }
}

/// An index, if there are so many.
///
/// # Errors
/// There are not.
pub fn index(index: i64, size: usize) -> Result<u64> {
    u64::try_from(index).ok().filter(|i| *i < size as u64).ok_or(Error::Index { index, size })
}

/// A remainder as the specification has it: never negative.
///
/// # Errors
/// There is none by 0.
pub fn remainder(a: i64, b: i64) -> Result<i64> {
    if b == 0 { Err(Error::Remainder) } else { Ok(a.wrapping_rem_euclid(b)) }
}

/// A word more in a number that is to tell different words apart: one word that differs always shows, several but for one case in
/// 2^64. (The specification's own is exact, for the few small numbers that are tried there.)
pub fn mixed(before: i64, word: i64) -> i64 {
    let x = (before as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(word as u64);
    (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) as i64
}

/// Words, if there are so many.
///
/// # Errors
/// There are not.
pub fn words(given: &[i64], size: usize) -> Result<()> {
    let index = given.len() as i64;
    if given.len() == size { Ok(()) } else { Err(Error::Index { index, size }) }
}
