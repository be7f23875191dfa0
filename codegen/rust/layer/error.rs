//! What can go wrong.

use std::fmt;

/// What can go wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A call of the device's library failed.
    Device {
        /// The call, or what was wanted.
        call: String,
        /// What the system says of it, if anything.
        source: Option<std::io::Error>,
    },
    /// A put or get failed. The net is of no use any more.
    Completion {
        /// The process that it went to.
        node: usize,
        /// The status, in the library's words.
        status: String,
    },
    /// A put or get has failed before.
    Failed,
    /// Processes did not find each other.
    Meet(String),
    /// There is not enough registered memory: the net is to be opened with more bytes.
    NoRoom {
        /// What was wanted.
        bytes: u64,
        /// What is left.
        left: u64,
    },
    /// There is no process with this rank, or it is the own one where another is wanted.
    NoNode(i64),
    /// This process is none of those that were said to call this on this object, when it was made.
    NotAUser(&'static str),
    /// An index that memory does not have, or a number of words that a value does not have.
    Index {
        /// The index, or the number.
        index: i64,
        /// How many there are.
        size: usize,
    },
    /// Memory beyond what is registered.
    Beyond,
    /// A remainder by 0.
    Remainder,
}

/// What a call gives, or what went wrong.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Device { call, source: None } => write!(f, "{call}"),
            Error::Device { call, source: Some(e) } => write!(f, "{call}: {e}"),
            Error::Completion { node, status } => write!(f, "an operation towards process {node} failed: {status}"),
            Error::Failed => write!(f, "an operation has failed before"),
            Error::Meet(what) => write!(f, "processes did not meet: {what}"),
            Error::NoRoom { bytes, left } => {
                write!(f, "{bytes} bytes of registered memory are wanted, and {left} are left: open the net with more")
            }
            Error::NoNode(rank) => write!(f, "there is no other process with the rank {rank}"),
            Error::NotAUser(by) => write!(f, "this process was not said to call {by} on this object"),
            Error::Index { index, size } => write!(f, "{index} is beyond {size}"),
            Error::Beyond => write!(f, "beyond the registered memory"),
            Error::Remainder => write!(f, "a remainder by 0"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Device { source: Some(e), .. } => Some(e),
            _ => None,
        }
    }
}
