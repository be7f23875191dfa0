//! A connection to a peer, as the dataflow's threads use it.
//!
//! Those threads end in a panic where a connection does. So a [`Line`] never says that it has ended before the search has: it notes
//! which peer is gone, wakes the thread that searches, and waits until that is through with the connections.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Thread, sleep};
use std::time::Duration;
use timely::communication::allocator::zero_copy::stream::Stream;

/// How often a line that has ended looks whether the search has.
const OFTEN: Duration = Duration::from_millis(10);

/// A socket of either kind.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Calls the same of both kinds of sockets.
macro_rules! either {
    ($socket:expr, $s:ident => $do:expr) => {
        match $socket {
            Socket::Tcp($s) => $do,
            Socket::Unix($s) => $do,
        }
    };
}

impl Socket {
    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> Result<()> {
        either!(self, s => s.set_nonblocking(nonblocking))
    }

    /// How long to wait for what is read.
    pub(super) fn set_read_timeout(&self, patience: Option<Duration>) -> Result<()> {
        either!(self, s => s.set_read_timeout(patience))
    }

    fn try_clone(&self) -> Result<Socket> {
        Ok(match self {
            Socket::Tcp(s) => Socket::Tcp(s.try_clone()?),
            Socket::Unix(s) => Socket::Unix(s.try_clone()?),
        })
    }
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        either!(self, s => s.read(into))
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        either!(self, s => s.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        either!(self, s => s.flush())
    }
}

/// What all lines of a search share.
#[derive(Debug)]
pub(super) struct Ends {
    /// Whether the search is through with the lines.
    closing: AtomicBool,
    /// One more than the peer that was the first to be gone; 0 if all are there.
    gone: AtomicUsize,
    searcher: Thread,
}

impl Ends {
    /// Of a search by the present thread.
    pub(super) fn new() -> Arc<Ends> {
        let searcher = std::thread::current();
        Arc::new(Ends { closing: AtomicBool::new(false), gone: AtomicUsize::new(0), searcher })
    }

    /// The first peer that was gone before the search was through, if one was.
    pub(super) fn gone(&self) -> Option<usize> {
        self.gone.load(Ordering::SeqCst).checked_sub(1)
    }

    /// From now on a line may end.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    fn note(&self, peer: usize) {
        if !self.is_closing() {
            let _ = self.gone.compare_exchange(0, peer + 1, Ordering::SeqCst, Ordering::SeqCst);
            self.searcher.unpark();
        }
    }
}

/// A connection to a peer.
pub(super) struct Line {
    socket: Socket,
    peer: usize,
    ends: Arc<Ends>,
}

impl Line {
    pub(super) fn new(socket: Socket, peer: usize, ends: &Arc<Ends>) -> Line {
        Line { socket, peer, ends: Arc::clone(ends) }
    }
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            match self.socket.read(into) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(n) if n > 0 => return Ok(n),
                Ok(_) | Err(_) => break,
            }
        }
        self.ends.note(self.peer);
        while !self.ends.is_closing() {
            sleep(OFTEN);
        }
        Ok(0)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self.socket.write(bytes) {
            Ok(0) | Err(_) => {
                self.ends.note(self.peer);
                Ok(bytes.len())
            }
            Ok(n) => Ok(n),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let _ = self.socket.flush();
        Ok(())
    }
}

impl Stream for Line {
    fn try_clone(&self) -> Result<Line> {
        Ok(Line { socket: self.socket.try_clone()?, peer: self.peer, ends: Arc::clone(&self.ends) })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    /// A peer that has closed its side already is no matter.
    fn shutdown(&self, how: Shutdown) -> Result<()> {
        let _ = either!(&self.socket, s => s.shutdown(how));
        Ok(())
    }
}
