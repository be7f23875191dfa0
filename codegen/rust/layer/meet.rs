//! How processes find each other: by files in a folder that all see, or by TCP, where rank 0 listens. Programs in C do it in the
//! same way, and meet those in Rust.

use crate::{Error, Result};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A minute, then it is said who is missing.
const TRIES: u32 = 12_000;

/// Where processes meet.
pub(crate) enum Meeting {
    Folder(PathBuf),
    /// Connections to all others of rank 0, or of others to it.
    Tcp(Vec<Option<TcpStream>>),
}

fn missing(what: impl std::fmt::Display) -> Error {
    Error::Meet(what.to_string())
}

impl Meeting {
    /// Of `HOST:PORT`, all are connected then.
    pub(crate) fn new(meet: &str, rank: usize, nodes: usize) -> Result<Meeting> {
        if meet.contains('/') || !meet.contains(':') {
            return Ok(Meeting::Folder(PathBuf::from(meet)));
        }
        let mut others: Vec<Option<TcpStream>> = (0..nodes).map(|_| None).collect();
        if rank == 0 {
            let port = meet.rsplit(':').next().and_then(|p| p.parse().ok());
            let port: u16 = port.ok_or_else(|| missing(format!("`{meet}` has no port")))?;
            let listener = TcpListener::bind(("::", port)).or_else(|_| TcpListener::bind(("0.0.0.0", port)));
            let listener = listener.map_err(missing)?;
            for _ in 1..nodes {
                let (mut other, _) = listener.accept().map_err(missing)?;
                let mut of = [0; 4];
                other.read_exact(&mut of).map_err(missing)?;
                let of = usize::try_from(i32::from_ne_bytes(of)).unwrap_or(0);
                match others.get_mut(of) {
                    Some(place @ None) if of > 0 => *place = Some(other),
                    _ => return Err(missing("two processes of one rank, or one of another run")),
                }
            }
        } else {
            let mut tries = 0;
            let mut socket = loop {
                match TcpStream::connect(meet) {
                    Ok(socket) => break socket,
                    Err(e) if tries == TRIES => return Err(missing(format!("{meet}: {e}"))),
                    Err(_) => a_moment(&mut tries),
                }
            };
            let rank = i32::try_from(rank).map_err(missing)?;
            socket.write_all(&rank.to_ne_bytes()).map_err(missing)?;
            others[0] = Some(socket);
        }
        Ok(Meeting::Tcp(others))
    }

    /// What each process has to say, one after the other; each says as much.
    pub(crate) fn all(&mut self, rank: usize, nodes: usize, round: &str, mine: &[u8]) -> Result<Vec<u8>> {
        match self {
            Meeting::Folder(folder) => by_files(folder, rank, nodes, round, mine),
            Meeting::Tcp(others) => by_tcp(others, rank, nodes, mine).map_err(missing),
        }
    }
}

fn a_moment(tries: &mut u32) {
    *tries += 1;
    std::thread::sleep(Duration::from_millis(5));
}

fn by_files(folder: &Path, rank: usize, nodes: usize, round: &str, mine: &[u8]) -> Result<Vec<u8>> {
    let of = |n: usize| folder.join(format!("{round}.{n}"));
    let made = folder.join(format!("{round}.{rank}.new"));
    let written = std::fs::write(&made, mine).and_then(|()| std::fs::rename(&made, of(rank)));
    written.map_err(|e| missing(format!("{}: {e}", made.display())))?;
    let mut all = vec![];
    for n in 0..nodes {
        let mut tries = 0;
        let said = loop {
            match std::fs::read(of(n)) {
                Ok(said) => break said,
                Err(e) if tries == TRIES => return Err(missing(format!("{}: {e}", of(n).display()))),
                Err(_) => a_moment(&mut tries),
            }
        };
        if said.len() != mine.len() {
            return Err(missing(format!("{} is of another run", of(n).display())));
        }
        all.extend(said);
    }
    Ok(all)
}

fn by_tcp(others: &mut [Option<TcpStream>], rank: usize, nodes: usize, mine: &[u8]) -> std::io::Result<Vec<u8>> {
    let each = mine.len();
    let mut all = vec![0; nodes * each];
    all[rank * each..][..each].copy_from_slice(mine);
    for (n, other) in others.iter_mut().enumerate() {
        let Some(other) = other else { continue };
        if rank == 0 {
            other.read_exact(&mut all[n * each..][..each])?;
        } else {
            other.write_all(mine)?;
        }
    }
    for other in others.iter_mut().flatten() {
        if rank == 0 {
            other.write_all(&all)?;
        } else {
            other.read_exact(&mut all)?;
        }
    }
    Ok(all)
}
