//! How far a search may go.

use std::fmt;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether whoever asked wants all searches of this process to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Has all searches of this process that look at the clock end soon, those that begin later too: what they have found until then is told.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Limits of a search. A search that hits one stops and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most distinct states.
    pub states: usize,
    /// Most bytes of memory for states and their index, about.
    pub bytes: usize,
    /// Most bytes of disk for states that have no room in memory; 0 if none go there. Only a [`crate::search::sweep`] uses it.
    pub disk: usize,
    /// When it ends by the clock, if it does: what it has found until then depends on the machine.
    pub clock: Option<Clock>,
}

impl Bounds {
    /// The limit that the clock is, once it is over, or that somebody has set who asked for an end ([`interrupt`]).
    pub fn late(&self) -> Option<Bound> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Some(Bound::Interrupted);
        }
        self.clock.filter(|c| Instant::now() >= c.end).map(|c| Bound::Seconds(c.seconds))
    }

    /// The same with as much time again from now on.
    #[must_use]
    pub fn again(self) -> Bounds {
        Bounds { clock: self.clock.map(|c| Clock::of(c.seconds)), ..self }
    }
}

/// A time that is over so many seconds from when it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    end: Instant,
    seconds: u32,
}

impl Clock {
    /// It begins now.
    pub fn of(seconds: u32) -> Clock {
        Clock { end: Instant::now() + Duration::from_secs(u64::from(seconds)), seconds }
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { states: 20_000_000, bytes: 2 << 30, disk: 0, clock: None }
    }
}

/// A limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// This many distinct states.
    States(usize),
    /// About this many bytes.
    Bytes(usize),
    /// This many bytes of disk.
    Disk(usize),
    /// The disk that states were put on is full.
    DiskFull,
    /// States could not be written to disk, or not be read again.
    DiskFailed(ErrorKind),
    /// A loop of the program was unrolled no further.
    Loops,
    /// So many seconds.
    Seconds(u32),
    /// Somebody asked for an end.
    Interrupted,
}

impl Bound {
    /// Whether a search that hit these stopped: a loop that is unrolled no further stops a path, and no search.
    pub fn stopped(hit: &[Bound]) -> bool {
        hit.iter().any(|b| *b != Bound::Loops)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::States(n) => write!(f, "{n} states"),
            Bound::Bytes(n) => write!(f, "{} MiB of memory for states", n >> 20),
            Bound::Disk(n) => write!(f, "{} MiB of disk for states", n >> 20),
            Bound::DiskFull => write!(f, "a disk that is full: states are put where temporary files are (TMPDIR)"),
            Bound::DiskFailed(why) => {
                write!(
                    f,
                    "states that could not be put on disk: {why} (they are put where temporary files are, TMPDIR)"
                )
            }
            Bound::Seconds(n) => write!(f, "{n} s by the clock"),
            Bound::Interrupted => write!(f, "it was interrupted"),
            Bound::Loops => write!(f, "the unrolling of loops"),
        }
    }
}
