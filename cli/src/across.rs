//! One search by several processes: those that are started here, or those that the user starts on other machines.
//!
//! Processes that are started here are this command again. They meet at sockets in a folder of their own, and end with this one.

use crate::args::EnumerateArgs;
use crate::load::{Loaded, limits};
use crate::shard::Shard;
use litmpi_engine::search::Peers;
use litmpi_scratch::{Folder, temporary};
use litmpi_spec::diag::{Diagnostic, Report};
use sha2::{Digest, Sha256};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Most processes that are started here.
const MOST: usize = 64;
/// What tells a process that is started here which one it is, and where the sockets are.
const STARTED: &str = "LITMPI_ACROSS";

/// Who searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Across {
    /// So many processes that are started here, this one among them.
    Here(usize),
    /// The processes at these addresses.
    At(Vec<String>),
}

impl FromStr for Across {
    type Err = String;

    fn from_str(text: &str) -> Result<Across, String> {
        if let Ok(n) = text.parse() {
            return match n {
                1..=MOST => Ok(Across::Here(n)),
                _ => Err(format!("found {n}; from 1 to {MOST} processes are started here")),
            };
        }
        let listed = match text.strip_prefix('@') {
            Some(file) => std::fs::read_to_string(file).map_err(|e| format!("{file} cannot be read: {e}"))?,
            None => text.replace(',', "\n"),
        };
        let lines = listed.lines().map(|l| l.split('#').next().unwrap_or_default().trim());
        let addresses: Vec<String> = lines.filter(|l| !l.is_empty()).map(str::to_owned).collect();
        let has_port = |a: &str| a.rsplit_once(':').is_some_and(|(h, p)| !h.is_empty() && p.parse::<u16>().is_ok());
        match addresses.iter().find(|a| !a.contains('/') && !has_port(a)) {
            Some(a) => Err(format!("found `{a}`; an address is HOST:PORT, as in node1:7117")),
            None if addresses.is_empty() => Err(format!("found no address in `{text}`")),
            None => match (1..addresses.len()).find(|i| addresses[..*i].contains(&addresses[*i])) {
                Some(i) => Err(format!("two processes cannot have one address, {}", addresses[i])),
                None => Ok(Across::At(addresses)),
            },
        }
    }
}

/// The processes of a search; those that were started here end with it.
pub(crate) struct Gathering {
    peers: Arc<Peers>,
    started: Vec<Child>,
    _folder: Option<Folder>,
}

impl Gathering {
    /// Starts processes, or finds out which one this is.
    ///
    /// # Errors
    /// Several tests; a process that cannot be started; a number that is none of a process.
    pub(crate) fn begin(across: &Across, args: &EnumerateArgs, loaded: &[Loaded]) -> Result<Gathering, Report> {
        let [test] = loaded else {
            let d = Diagnostic::general(format!("--across is for one test, and there are {}", loaded.len()));
            return Err(d.help("many tests are divided by --shard").into());
        };
        test.model.divided()?;
        let subject = subject(args, test);
        let meet = |addresses, own| {
            Peers::new(addresses, own, subject, Duration::from_secs(args.patience)).map(Arc::new).map_err(|why| {
                let d = Diagnostic::general(format!("the search by several processes cannot begin: {why}"));
                Report::from(d.help("another address is free, perhaps"))
            })
        };
        let number = match across {
            Across::At(addresses) => {
                let peers = meet(addresses.clone(), own(args.process, addresses.len())?)?;
                return Ok(Gathering { peers, started: vec![], _folder: None });
            }
            Across::Here(number) => *number,
        };
        if args.process.is_some() {
            let d = Diagnostic::general(
                "--process numbers processes that are started at addresses, and these are started here",
            );
            return Err(d.help("leave --process out, or say --across HOST:PORT,HOST:PORT").into());
        }
        let sockets = |folder: &str| (0..number).map(|i| format!("{folder}/{i}")).collect::<Vec<_>>();
        if let Ok(started) = std::env::var(STARTED)
            && let Some((own, folder)) = started.split_once(' ')
            && let Some(own) = own.parse().ok().filter(|n| *n < number)
        {
            return Ok(Gathering { peers: meet(sockets(folder), own)?, started: vec![], _folder: None });
        }
        let failed =
            |e: std::io::Error| -> Report { Diagnostic::general(format!("processes cannot be started: {e}")).into() };
        let folder = Folder::make(&temporary(), &[]).map_err(failed)?;
        let within = folder.path().to_str().unwrap_or_default().to_owned();
        let mut out = Gathering { peers: meet(sockets(&within), 0)?, started: vec![], _folder: Some(folder) };
        let program = std::env::current_exe().map_err(failed)?;
        for own in 1..number {
            let child = Command::new(&program)
                .args(std::env::args_os().skip(1))
                .env(STARTED, format!("{own} {within}"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            out.started.push(child.map_err(failed)?);
        }
        Ok(out)
    }

    /// The processes, this one among them.
    pub(crate) fn peers(&self) -> &Arc<Peers> {
        &self.peers
    }
}

impl Drop for Gathering {
    /// The result is there, or there will be none.
    fn drop(&mut self) {
        for child in &mut self.started {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Which of so many processes this one is.
fn own(named: Option<usize>, number: usize) -> Result<usize, Report> {
    let own = match named {
        Some(own) => own,
        None => {
            let wrong = |why: String| {
                let d = Diagnostic::general(format!("it is not known which of the processes this one is: {why}"));
                Report::from(d.help("say --process 0, --process 1 …, or start them by mpirun or srun"))
            };
            let (own, of) = Shard::here().map_err(wrong)?;
            if of != number {
                return Err(wrong(format!(
                    "the environment speaks of {of} processes, and there are {number} addresses"
                )));
            }
            own
        }
    };
    if own < number {
        return Ok(own);
    }
    let d = Diagnostic::general(format!("there is no process {own}: there are {number} addresses"));
    Err(d.help("processes are numbered from 0").into())
}

/// What stands for all that processes must have in common.
fn subject(args: &EnumerateArgs, test: &Loaded) -> u128 {
    let text = litmpi_spec::source::hash(std::slice::from_ref(&test.test.span.source));
    let what = (env!("CARGO_PKG_VERSION"), text, test.model.name(), test.model.hash(), &args.variant, &args.only);
    let digest = Sha256::digest(format!("{what:?} {:?}", limits(&args.model)));
    digest.iter().take(16).fold(0, |n, byte| n << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_a_number_or_addresses() {
        let at = |a: &[&str]| Ok(Across::At(a.iter().map(|a| (*a).to_owned()).collect()));
        assert_eq!("4".parse(), Ok(Across::Here(4)));
        assert_eq!("a:1,b:2".parse(), at(&["a:1", "b:2"]));
        assert_eq!("./s0,./s1".parse(), at(&["./s0", "./s1"]));
        for (text, said) in [
            ("0", "from 1 to 64"),
            ("65", "from 1 to 64"),
            ("a", "found `a`; an address is HOST:PORT"),
            ("a:1,b", "found `b`"),
            ("a:99999", "found `a:99999`"),
            (":7", "found `:7`"),
            (",", "found no address"),
            ("a:1,a:1", "two processes cannot have one address"),
            ("@/nowhere/at/all", "cannot be read"),
        ] {
            let found = text.parse::<Across>().unwrap_err();
            assert!(found.contains(said), "{text}: {found}");
        }
    }
}
