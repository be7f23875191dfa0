//! The processes that search together: where they are, and how they meet.
//!
//! Each listens at its own address and connects to those before it in the list. Who meets must say what it searches: a process that
//! was started with another test, specification, option or list is refused, and what speaks otherwise is not listened to.

use super::line::{Ends, Line, Socket};
use std::fmt;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What a greeting begins with.
const MAGIC: [u8; 8] = *b"litmpi\0\x01";
/// Bytes of a greeting: the magic, what is searched, the number of the search, the number of peers, and which of them speaks.
const GREETING: usize = 8 + 16 + 4 + 4 + 4;
/// How long to wait before the next attempt.
const PAUSE: Duration = Duration::from_millis(10);
/// How long one who has connected may take to greet.
const GREET: Duration = Duration::from_secs(5);

/// Processes that search one system together, and which of them this one is.
#[derive(Debug)]
pub struct Peers {
    addresses: Vec<String>,
    own: usize,
    subject: u128,
    patience: Duration,
    listener: Listener,
    /// Searches that these processes have begun together.
    searches: AtomicU32,
}

#[derive(Debug)]
enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Why processes do not search together, or no longer.
#[derive(Debug)]
pub enum Apart {
    /// This process cannot listen at its address.
    Listen(String, std::io::Error),
    /// This peer did not come in time.
    Missing(usize, String, Duration),
    /// This peer searches something else.
    Differs(usize, String),
    /// This peer has ended before the search did.
    Gone(usize, String),
    /// A peer sent what is no part of this search.
    Garbled,
    /// The system has no thread or socket left.
    Failed(std::io::Error),
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Apart::Listen(address, why) => write!(f, "this process cannot listen at {address}: {why}"),
            Apart::Missing(peer, address, patience) => {
                write!(f, "process {peer}, at {address}, did not come within {} seconds", patience.as_secs())
            }
            Apart::Differs(peer, address) => write!(f, "process {peer}, at {address}, searches something else"),
            Apart::Gone(peer, address) => write!(f, "process {peer}, at {address}, has ended before the search did"),
            Apart::Garbled => write!(f, "a process sent what is no part of this search"),
            Apart::Failed(why) => write!(f, "the processes cannot be connected: {why}"),
        }
    }
}

impl Peers {
    /// The processes at these addresses, of which this is the one of number `own`, from 0: each is `HOST:PORT`, or the path of a socket, with a
    /// slash in it. `subject` stands for all that the processes must have in common; `patience` is how long they wait for each other.
    ///
    /// # Errors
    /// If this process cannot listen at its address.
    ///
    /// # Panics
    /// If there is no address of that number.
    pub fn new(
        addresses: Vec<String>,
        own: usize,
        subject: u128,
        patience: Duration,
    ) -> std::result::Result<Peers, Apart> {
        let address = &addresses[own];
        let listening = if address.contains('/') {
            UnixListener::bind(address).map(Listener::Unix)
        } else {
            TcpListener::bind(address).map(Listener::Tcp)
        };
        let listener = listening.map_err(|e| Apart::Listen(address.clone(), e))?;
        let out = Peers { addresses, own, subject, patience, listener, searches: AtomicU32::new(0) };
        match &out.listener {
            Listener::Tcp(l) => l.set_nonblocking(true),
            Listener::Unix(l) => l.set_nonblocking(true),
        }
        .map_err(Apart::Failed)?;
        Ok(out)
    }

    /// Which of the processes this one is, from 0.
    pub fn own(&self) -> usize {
        self.own
    }

    /// How many they are.
    pub fn number(&self) -> usize {
        self.addresses.len()
    }

    /// That a peer has ended.
    pub(super) fn gone(&self, peer: usize) -> Apart {
        Apart::Gone(peer, self.addresses[peer].clone())
    }

    /// Connects this process to all others, for one search: by their numbers, nothing for itself.
    pub(super) fn meet(&self, ends: &Arc<Ends>) -> std::result::Result<Vec<Option<Line>>, Apart> {
        let search = self.searches.fetch_add(1, Ordering::Relaxed);
        let until = Instant::now() + self.patience;
        let mut out: Vec<Option<Line>> = (0..self.number()).map(|_| None).collect();
        for (peer, line) in out.iter_mut().enumerate().take(self.own) {
            let mut socket = loop {
                match self.connect(peer) {
                    Ok(socket) => break socket,
                    Err(_) if Instant::now() < until => sleep(PAUSE),
                    Err(_) => return Err(self.missing(peer)),
                }
            };
            socket.write_all(&self.greeting(search)).map_err(|_| self.missing(peer))?;
            socket.set_read_timeout(Some(self.patience)).map_err(Apart::Failed)?;
            match self.heard(&mut socket, search) {
                Some(Greeting::Of(who)) if who == peer => {}
                Some(_) => return Err(self.differs(peer)),
                None => return Err(self.missing(peer)),
            }
            socket.set_read_timeout(None).map_err(Apart::Failed)?;
            *line = Some(Line::new(socket, peer, ends));
        }
        while let Some(peer) = (self.own + 1..self.number()).find(|p| out[*p].is_none()) {
            let mut socket = match self.accept() {
                Ok(socket) => socket,
                Err(e) if e.kind() != ErrorKind::WouldBlock => return Err(Apart::Failed(e)),
                Err(_) if Instant::now() < until => {
                    sleep(PAUSE);
                    continue;
                }
                Err(_) => return Err(self.missing(peer)),
            };
            let ready = socket.set_nonblocking(false).and_then(|()| socket.set_read_timeout(Some(GREET)));
            ready.map_err(Apart::Failed)?;
            let who = self.heard(&mut socket, search);
            // Who does not greet is somebody else.
            let Some(who) = who else { continue };
            let _ = socket.write_all(&self.greeting(search));
            match who {
                Greeting::Of(who) if who > self.own && out[who].is_none() => {
                    socket.set_read_timeout(None).map_err(Apart::Failed)?;
                    out[who] = Some(Line::new(socket, who, ends));
                }
                Greeting::Of(who) | Greeting::Other(who) => return Err(self.differs(who)),
            }
        }
        Ok(out)
    }

    fn missing(&self, peer: usize) -> Apart {
        Apart::Missing(peer, self.addresses[peer].clone(), self.patience)
    }

    fn differs(&self, peer: usize) -> Apart {
        Apart::Differs(peer, self.addresses.get(peer).map_or("an unknown address", |a| a).to_owned())
    }

    fn connect(&self, peer: usize) -> Result<Socket> {
        let address = &self.addresses[peer];
        if address.contains('/') {
            return UnixStream::connect(Path::new(address)).map(Socket::Unix);
        }
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Socket::Tcp(stream))
    }

    fn accept(&self) -> Result<Socket> {
        match &self.listener {
            Listener::Tcp(l) => {
                let (stream, _) = l.accept()?;
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            }
            Listener::Unix(l) => Ok(Socket::Unix(l.accept()?.0)),
        }
    }

    fn greeting(&self, search: u32) -> Vec<u8> {
        let numbers = [search, self.number() as u32, self.own as u32];
        let mut out = [&MAGIC[..], &self.subject.to_le_bytes()].concat();
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        out
    }

    /// Who greets; none if nobody of ours does.
    fn heard(&self, socket: &mut Socket, search: u32) -> Option<Greeting> {
        let mut bytes = [0; GREETING];
        socket.read_exact(&mut bytes).ok()?;
        let own = self.greeting(search);
        let (of, who) = bytes.split_at(GREETING - 4);
        let who = u32::from_le_bytes(who.try_into().ok()?) as usize;
        match () {
            () if of[..MAGIC.len()] != MAGIC => None,
            () if of != &own[..GREETING - 4] || who >= self.number() => Some(Greeting::Other(who)),
            () => Some(Greeting::Of(who)),
        }
    }
}

/// The process that greets.
enum Greeting {
    /// Of this search.
    Of(usize),
    /// Of another one.
    Other(usize),
}
