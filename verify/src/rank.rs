//! Processes of the program: started, stopped in a call, doubled, answered.
//!
//! A process runs until it calls a function of MPI, and waits there until it is answered. While it waits it can be doubled, so that
//! one copy gets one answer and another a second one. litmpi is the parent of all copies, and none outlives it.

use crate::accesses::Accesses;
use crate::face::{functions, moves_messages};
use crate::launchers::LAUNCHERS;
use crate::sites::Callers;
use litmpi_scratch::Folder;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const ARGUMENTS: usize = 16;
/// Frames of a call, and bytes of its place in words.
const STACK: usize = 8;
const PLACE: usize = 96;
const SAID: usize = 8 + 8 + 8 * (ARGUMENTS + STACK) + PLACE;
const HELLO: u32 = 1;
const CALL: u32 = 2;
const DOUBLED: u32 = 3;
const COMBINED: u32 = 4;
const ENDS: u32 = 5;
const COMBINES: u32 = 6;
const OVER: u32 = 7;
const ANSWER: u64 = 1;
const DOUBLE: u64 = 2;
const COMBINE: u64 = 3;
const QUIT: u64 = 4;

/// How the files begin to which processes print: their token follows (`verify/c/library.c`).
const PRINTS: &str = "printed-";

/// What programs find in their environment, unless the user has set it: how many threads libraries start, since a copy of a process
/// has only one, and which of its libraries mpi4py takes.
const SETTINGS: [(&str, &str); 4] =
    [("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1"), ("MKL_NUM_THREADS", "1"), ("MPI4PY_MPIABI", "mpich")];

/// What says to the library in C that rank 0 reads a file as its standard input: copies of a process have a place in it of their own.
const READS_INPUT: &str = "LITMPI_VERIFY_INPUT";
/// What says to it that each call is to come with what its caller returns to, and so on.
const WANTS_STACK: &str = "LITMPI_VERIFY_STACK";
/// Lines that are told of what a process wrote.
const LINES: usize = 10;
/// Bytes of what a rank writes that are kept.
const MOST_WRITTEN: usize = 1 << 16;
/// How often it is looked at whether threads of a process that says nothing call MPI at once.
const SLICE: Duration = Duration::from_millis(200);
/// How many times as long as its patience a process may have waited for a processor.
const WAITS: u32 = 10;
/// How long a thread has to come to a call while its process waits in one.
const MOMENT: Duration = Duration::from_millis(100);
/// How long what the processes of a rank have started may go on to write.
const LIVES_ON: Duration = Duration::from_secs(1);

/// What a process does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// It calls a function: its number, what it passes, and where the call returns to.
    Call { function: usize, args: Vec<u64>, site: u64 },
    /// It calls a function in a way that no program may: its number, where the call returns to, and what is wrong.
    Misuse { function: usize, site: u64, why: String },
    /// It ended with this code.
    Exit(i32),
    /// A signal ended it.
    Killed(Signal),
    /// It ran for so long without a call.
    Silent(Duration),
}

/// What all processes are started from.
pub(crate) struct Stage {
    command: Vec<String>,
    environment: Vec<(String, String)>,
    folder: Folder,
    library: PathBuf,
    line: UnixListener,
    tokens: u64,
    patience: Duration,
    /// Where calls are told.
    pub(crate) callers: Callers,
    /// Whether each process writes to a file of its own what it prints.
    pub(crate) prints: bool,
    /// The file that rank 0 reads as its standard input, and from where on: that of this process, if it is a file.
    input: Option<(PathBuf, u64)>,
    /// What each rank has written, the last of it, if anybody listens.
    pub(crate) written: Option<Vec<Written>>,
    /// Processes that were started and copies that were made.
    pub(crate) started: usize,
    pub(crate) doubled: usize,
}

/// What comes of running a reduction function of the program; where, if the process ends there.
pub(crate) enum Combined {
    /// The result's bytes.
    Bytes(Vec<u8>),
    /// It calls `MPI_Abort`.
    Aborts(u64),
    /// It calls this function, which no reduction function may.
    Communicates(String, u64),
    /// A signal ends it.
    Killed(Signal, u64),
    /// It calls `exit` with this code.
    Exits(i32, u64),
}

/// What a function of MPI returns that a function of the program calls in a process, by its name and its arguments.
pub(crate) type Answers<'a> = dyn Fn(&str, &[u64], &Process) -> Result<i64, String> + 'a;

/// A process. It is killed when this is dropped.
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// The file that it runs.
    pub(crate) program: Arc<Path>,
    line: UnixStream,
    over: bool,
    /// The file with what it has printed.
    pub(crate) prints: Option<PathBuf>,
    /// Memory that is of this copy alone, and nothing to the program.
    pub(crate) own: Range<u64>,
    /// What the library knows of blocks of memory (`objects`).
    pub(crate) blocks: Range<u64>,
    pub(crate) accesses: Accesses,
    /// Where in the program it has said that it ends.
    pub(crate) ends_at: Option<u64>,
    /// What the caller of its last call returns to, and so on, if that was asked for.
    pub(crate) stack: Vec<u64>,
    /// The line of Python of its last call.
    pub(crate) place: String,
}

/// What the processes of a rank have written, the last of it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    bytes: Arc<Mutex<Vec<u8>>>,
    listener: Option<JoinHandle<()>>,
}

impl Written {
    /// All of it, once the processes are gone: others that they have started and that live on are not waited for for long.
    pub(crate) fn text(&self) -> String {
        let begun = Instant::now();
        while self.listener.as_ref().is_some_and(|l| !l.is_finished()) && begun.elapsed() < LIVES_ON {
            std::thread::sleep(Duration::from_millis(1));
        }
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.over {
            // One that has ended by itself is waited for all the same.
            let _ = kill(self.pid, Signal::SIGKILL);
            let _ = waitpid(self.pid, None);
        }
        if let Some(file) = &self.prints {
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Stage {
    /// `library` is the folder with the MPI library; `patience` how long a process may run without a call.
    pub(crate) fn new(
        command: &[String],
        environment: &[(String, String)],
        library: &Path,
        patience: Duration,
    ) -> std::io::Result<Stage> {
        if let Some(program) = command.first()
            && litmpi_scratch::program(program).is_none_or(|p| !p.is_file())
        {
            return Err(std::io::Error::other(format!("there is no program {program}")));
        }
        if let Some(launcher) = command.first().and_then(|c| Path::new(c).file_name()?.to_str())
            && (launcher == "srun" || LAUNCHERS.contains(&launcher))
        {
            // `litmpi mpi` does not stand in for every launcher.
            let or = if LAUNCHERS.contains(&launcher) {
                format!(", or follow what it launches with `litmpi mpi -- {launcher} …`")
            } else {
                String::new()
            };
            return Err(std::io::Error::other(format!(
                "{launcher} launches ranks by itself: name the program, as in `litmpi verify -n 2 -- ./program`{or}"
            )));
        }
        // Addresses are the same in each run: what a process passes is a function of what it was told.
        personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
        // Each process that waits has a line.
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
        let folder = Folder::make(&litmpi_scratch::temporary(), &["verify"])?;
        let line = UnixListener::bind(folder.path().join("line"))?;
        let callers = Callers::of(command);
        let (command, library) = (command.to_vec(), library.to_owned());
        Ok(Stage {
            callers,
            command,
            environment: environment.to_vec(),
            folder,
            library,
            line,
            tokens: 0,
            patience,
            prints: false,
            input: input(),
            written: None,
            started: 0,
            doubled: 0,
        })
    }

    /// Where a process that is started now as a rank writes to: what an earlier one has written is forgotten.
    fn outputs(&mut self, rank: usize) -> std::io::Result<(Stdio, Stdio)> {
        let Some(written) = self.written.as_mut().and_then(|w| w.get_mut(rank)) else {
            return Ok((Stdio::null(), Stdio::null()));
        };
        let (mut reader, writer) = std::io::pipe()?;
        let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
        written.bytes = Arc::clone(&bytes);
        written.listener = Some(std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut part) {
                let mut all = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                all.extend_from_slice(&part[..n]);
                let more = all.len().saturating_sub(MOST_WRITTEN);
                all.drain(..more);
            }
        }));
        Ok((writer.try_clone()?.into(), writer.into()))
    }

    /// Starts the program anew as a rank.
    pub(crate) fn start(&mut self, rank: usize) -> Result<Process, String> {
        self.tokens += 1;
        self.started += 1;
        let (out, err) = self.outputs(rank).map_err(|e| e.to_string())?;
        let (program, arguments) = self.command.split_first().ok_or("no program is named")?;
        let prints = self.prints_to();
        let out = match &prints {
            Some(file) => std::fs::File::create_new(file).map_err(|e| e.to_string())?.into(),
            None => out,
        };
        let mut command = Command::new(program);
        // A signal that the terminal sends is for litmpi, which ends its processes.
        command.process_group(0);
        if self.prints {
            command.env("LITMPI_VERIFY_PRINTS", self.folder.path().join(PRINTS));
        }
        let child = command
            .args(arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("LD_LIBRARY_PATH", self.libraries())
            .env("LITMPI_VERIFY_LINE", self.folder.path().join("line"))
            // Of one length, so that what stands above the stack, and with it all addresses, are where they were.
            .env("LITMPI_VERIFY_TOKEN", format!("{:020}", self.tokens))
            .envs(SETTINGS.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()))
            .envs(self.input.iter().map(|_| (READS_INPUT, "1")))
            .envs(self.callers.are_of_rust().then_some((WANTS_STACK, "1")))
            .stdin(self.input_of(rank))
            .stdout(out)
            .stderr(err)
            .spawn()
            .map_err(|e| format!("{program}: {e}"))?;
        let pid = Pid::from_raw(child.id() as i32);
        let begun = Instant::now();
        self.line.set_nonblocking(true).map_err(|e| e.to_string())?;
        loop {
            match self.line.accept() {
                Ok((line, _)) => {
                    let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
                    return self.greet(line, pid, (prints, program.into()));
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(e) => return Err(e.to_string()),
            }
            let ended = waitpid(pid, Some(nix::sys::wait::WaitPidFlag::WNOHANG));
            let why = match ended {
                Ok(WaitStatus::StillAlive) if begun.elapsed() < self.patience => None,
                Ok(WaitStatus::StillAlive) => Some("ran without a call of MPI".to_owned()),
                Ok(WaitStatus::Exited(_, code)) => Some(format!("ended with exit code {code} before it called MPI")),
                Ok(WaitStatus::Signaled(_, s, _)) => Some(format!("was ended by {s} before it called MPI")),
                other => Some(format!("{other:?}")),
            };
            if let Some(why) = why {
                let _ = kill(pid, Signal::SIGKILL);
                let program = self.command.first().map_or("", String::as_str);
                let says = if matches!(ended, Ok(WaitStatus::Exited(..))) { self.says(rank) } else { String::new() };
                return Err(format!("{program} {why}: {}{says}", whose(program)));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Where a process looks for shared libraries: first where its MPI library is, then where it would have looked.
    fn libraries(&self) -> OsString {
        let mut all = self.library.clone().into_os_string();
        for more in std::env::var_os("LD_LIBRARY_PATH").into_iter().filter(|more| !more.is_empty()) {
            all.push(":");
            all.push(more);
        }
        all
    }

    /// What a process reads as its standard input.
    fn input_of(&self, rank: usize) -> Stdio {
        let open = |(path, at): &(PathBuf, u64)| {
            let mut file = std::fs::File::open(path).ok()?;
            file.seek(SeekFrom::Start(*at)).ok()?;
            Some(Stdio::from(file))
        };
        self.input.as_ref().filter(|_| rank == 0).and_then(open).unwrap_or_else(Stdio::null)
    }

    /// What a program writes that ends before it calls MPI, found out by running it once more: the last lines.
    fn says(&self, rank: usize) -> String {
        let path = self.folder.path().join("says");
        let Ok(file) = std::fs::File::create(&path) else { return String::new() };
        let Ok(both) = file.try_clone() else { return String::new() };
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env("LD_LIBRARY_PATH", self.libraries()).stdin(self.input_of(rank));
        let Ok(mut child) = command.stdout(file).stderr(both).spawn() else { return String::new() };
        let begun = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && begun.elapsed() < self.patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = (child.kill(), child.wait());
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_WRITTEN)..]);
        last_lines(&text).iter().map(|line| format!("\n  it wrote: {line}")).collect()
    }

    /// The file to which the process of the present token prints.
    fn prints_to(&self) -> Option<PathBuf> {
        self.prints.then(|| self.folder.path().join(format!("{PRINTS}{}", self.tokens)))
    }

    fn greet(
        &self,
        line: UnixStream,
        pid: Pid,
        (prints, program): (Option<PathBuf>, Arc<Path>),
    ) -> Result<Process, String> {
        let peer = getsockopt(&line, PeerCredentials).map_err(|e| e.to_string())?;
        if peer.pid() != pid.as_raw() {
            let _ = (kill(Pid::from_raw(peer.pid()), Signal::SIGKILL), kill(pid, Signal::SIGKILL), waitpid(pid, None));
            let program = self.command.first().map_or("", String::as_str);
            return Err(format!(
                "{program} starts another process that calls MPI, in place of calling it itself: a script needs `exec` before the program"
            ));
        }
        line.set_nonblocking(false).map_err(|e| e.to_string())?;
        line.set_read_timeout(Some(self.patience)).map_err(|e| e.to_string())?;
        let mut process = Process {
            pid,
            program,
            line,
            over: false,
            prints,
            own: 0..0,
            blocks: 0..0,
            accesses: Accesses::default(),
            ends_at: None,
            stack: vec![],
            place: String::new(),
        };
        match process.hear() {
            Ok(said) if said.what == HELLO => {
                process.accesses.at = said.values[2];
                process.accesses.seen = said.values[5] != 0;
                process.own = said.values[3]..said.values[3] + said.values[4];
                process.blocks = said.values[6]..said.values[6] + said.values[7];
                Ok(process)
            }
            other => Err(format!("a process does not introduce itself: {other:?}")),
        }
    }

    /// Doubles a process that waits in a call: the copy waits in the same one.
    pub(crate) fn double(&mut self, process: &mut Process) -> Result<Process, String> {
        self.tokens += 1;
        self.doubled += 1;
        process.tell(DOUBLE, self.tokens)?;
        let said = process.hear()?;
        if said.what != DOUBLED || said.values[0] == 0 {
            return Err("a process cannot be doubled: too many of them, or too little memory".into());
        }
        self.line.set_nonblocking(false).map_err(|e| e.to_string())?;
        let (line, _) = self.line.accept().map_err(|e| e.to_string())?;
        let own = (self.prints_to(), Arc::clone(&process.program));
        let mut copy = self.greet(line, Pid::from_raw(said.values[0] as i32), own)?;
        copy.accesses = process.accesses.clone();
        Ok(copy)
    }
}

/// The standard input of this process, if it is a file, and where in it this process is.
fn input() -> Option<(PathBuf, u64)> {
    let own = PathBuf::from("/proc/self/fd/0");
    let mut file = std::fs::File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let at = file.stream_position().ok()?;
    Some((own, at))
}

#[derive(Debug)]
struct Said {
    what: u32,
    function: u32,
    site: u64,
    values: Vec<u64>,
    stack: Vec<u64>,
    place: String,
}

impl Process {
    fn tell(&mut self, what: u64, value: u64) -> Result<(), String> {
        let mut bytes = what.to_ne_bytes().to_vec();
        bytes.extend(value.to_ne_bytes());
        self.line.write_all(&bytes).map_err(|e| format!("a process is gone: {e}"))
    }

    fn hear(&mut self) -> Result<Said, String> {
        loop {
            let said = self.hear_one()?;
            if said.what != ENDS {
                return Ok(said);
            }
            self.ends_at = Some(said.site);
        }
    }

    fn hear_one(&mut self) -> Result<Said, String> {
        let mut bytes = [0; SAID];
        self.line.read_exact(&mut bytes).map_err(|e| match e.kind() {
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => "silent".to_owned(),
            _ => "gone".to_owned(),
        })?;
        let word = |i: usize| u64::from_ne_bytes(bytes[i..i + 8].try_into().expect("eight bytes"));
        let half = |i: usize| u32::from_ne_bytes(bytes[i..i + 4].try_into().expect("four bytes"));
        let mut words = (0..ARGUMENTS + STACK).map(|i| word(16 + 8 * i));
        let values = words.by_ref().take(ARGUMENTS).collect();
        let stack = words.take_while(|at| *at != 0).collect();
        let text = bytes[SAID - PLACE..].split(|b| *b == 0).next().unwrap_or_default();
        let place = String::from_utf8_lossy(text).into_owned();
        Ok(Said { what: half(0), function: half(4), site: word(8), values, stack, place })
    }

    /// What it has printed so far, if it prints to a file.
    pub(crate) fn printed(&self) -> Option<String> {
        let bytes = std::fs::read(self.prints.as_ref()?).ok()?;
        Some(String::from_utf8_lossy(&bytes).into())
    }

    /// Whether it has only one thread: a copy has only the one that makes it.
    pub(crate) fn is_alone(&self) -> bool {
        std::fs::read_dir(format!("/proc/{}/task", self.pid)).is_ok_and(|tasks| tasks.count() == 1)
    }

    /// Lets the call return this value.
    pub(crate) fn answer(&mut self, value: i64) -> Result<(), String> {
        self.tell(ANSWER, value as u64)
    }

    /// Runs a reduction function of the program in a copy of this process, which waits in a call: the function's address, how many items
    /// of which datatype it combines, and the operands' bytes. `answers` says what functions of MPI return that it calls, by their names and
    /// arguments. The copy ends with the function, and leaves nothing behind.
    pub(crate) fn combine(
        &mut self,
        f: u64,
        items: i32,
        datatype: u32,
        (xs, ys): (&[u8], &[u8]),
        answers: &Answers<'_>,
    ) -> Result<Combined, String> {
        let gone = |why: std::io::Error| format!("its process is gone: {why}");
        self.tell(COMBINE, xs.len() as u64)?;
        let head = [&f.to_ne_bytes()[..], &items.to_ne_bytes(), &datatype.to_ne_bytes()].concat();
        self.line.write_all(&[&head, xs, ys].concat()).map_err(gone)?;
        self.ends_at = None;
        let own = self.pid;
        let came = self.heard_of_copy(ys.len(), answers);
        let copy = std::mem::replace(&mut self.pid, own);
        if came.is_err() && copy != own {
            // It may go on for ever.
            let _ = kill(copy, Signal::SIGKILL);
        }
        came
    }

    /// What a copy comes to that runs a reduction function, and gives so many bytes. What it asks is answered in its own memory: until this process says
    /// that it is over, the copy is the one that is spoken of.
    fn heard_of_copy(&mut self, bytes: usize, answers: &Answers<'_>) -> Result<Combined, String> {
        let functions = functions();
        let mut came = None;
        loop {
            let said = self.hear().map_err(|why| format!("it does not return: its process is {why}"))?;
            match said.what {
                COMBINES => self.pid = Pid::from_raw(said.values[0] as i32),
                COMBINED => {
                    let mut out = vec![0; bytes];
                    self.line.read_exact(&mut out).map_err(|why| format!("its process is gone: {why}"))?;
                    came = Some(Ok(Combined::Bytes(out)));
                }
                OVER => {
                    let at = self.ends_at.take().unwrap_or(0);
                    let [signal, code] = [said.values[0], said.values[1]].map(|v| v as i32);
                    let ended = || match Signal::try_from(signal) {
                        Ok(signal) => Ok(Combined::Killed(signal, at)),
                        Err(_) => Ok(Combined::Exits(code, at)),
                    };
                    return came.unwrap_or_else(ended);
                }
                _ => {
                    let function = functions.get(said.function as usize);
                    let name = function.map_or("something of MPI", |f| f.name.as_str());
                    let answer = match name {
                        "MPI_Abort" => Err(Ok(Combined::Aborts(said.site))),
                        _ if function.is_some_and(moves_messages) => {
                            Err(Ok(Combined::Communicates(name.to_owned(), said.site)))
                        }
                        _ => answers(name, &said.values, self).map_err(Err),
                    };
                    match answer {
                        Ok(value) => self.answer(value)?,
                        Err(instead) => {
                            came = Some(instead);
                            self.tell(QUIT, 0)?;
                        }
                    }
                }
            }
        }
    }

    /// Whether it says something, or ends, within so long. A process of which a thread goes no further, since its call overlaps that of another one, is
    /// not waited for.
    ///
    /// The time in which it runs is what it has of the processors; what it waits for them does not count, up to [`WAITS`] times as long.
    fn says_something(&self, patience: Duration) -> bool {
        let within = |time: Duration| {
            matches!(poll(&mut [PollFd::new(self.line.as_fd(), PollFlags::POLLIN)], time.as_millis() as u16), Ok(1..))
        };
        let begun = Instant::now();
        let (mut all, mut counted) = (Duration::ZERO, Duration::ZERO);
        let mut before = None;
        loop {
            let left = patience.saturating_sub(counted).min((WAITS * patience).saturating_sub(all));
            if within(left.min(SLICE)) {
                return true;
            }
            if left.is_zero() || self.calls_of_threads()[1].is_some() {
                return false;
            }
            // Nearly all say something soon, so that nobody needs to look at what time they have used.
            let passed = begun.elapsed() - all;
            all += passed;
            let now = self.processor();
            counted += match (before, now) {
                (Some((had, _)), Some((has, true))) => passed.min(Duration::saturating_sub(has, had)),
                _ => passed,
            };
            before = now;
        }
    }

    /// How much time of processors it has used, and whether it is running or waits for one.
    fn processor(&self) -> Option<(Duration, bool)> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let ticks: u64 = fields.get(11..13)?.iter().filter_map(|t| t.parse::<u64>().ok()).sum();
        // The kernel shows a hundredth of a second as a tick.
        Some((Duration::from_millis(10 * ticks), fields.first() == Some(&"R")))
    }

    /// What it does next.
    pub(crate) fn next(&mut self, patience: Duration) -> Event {
        if !self.says_something(patience) {
            return Event::Silent(patience);
        }
        match self.hear() {
            Ok(said) if said.what == CALL => {
                (self.stack, self.place) = (said.stack, said.place);
                Event::Call { function: said.function as usize, args: said.values, site: said.site }
            }
            Err(why) if why == "silent" => Event::Silent(patience),
            _ => {
                self.over = true;
                match waitpid(self.pid, None) {
                    Ok(WaitStatus::Exited(_, code)) => Event::Exit(code),
                    Ok(WaitStatus::Signaled(_, signal, _)) => Event::Killed(signal),
                    _ => Event::Killed(Signal::SIGKILL),
                }
            }
        }
    }

    /// Bytes of its memory, as many as there are from an address on, at most `n`.
    pub(crate) fn read(&self, at: u64, n: usize) -> Vec<u8> {
        let mut bytes = vec![0; n];
        let mut got = 0;
        // One call moves less than 2 GiB.
        while got < n {
            let from = [RemoteIoVec { base: at as usize + got, len: n - got }];
            match process_vm_readv(self.pid, &mut [IoSliceMut::new(&mut bytes[got..])], &from) {
                Ok(more @ 1..) => got += more,
                _ => break,
            }
        }
        bytes.truncate(got);
        bytes
    }

    /// Puts bytes into its memory.
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> Result<(), String> {
        let mut put = 0;
        while put < bytes.len() {
            let there = [RemoteIoVec { base: at as usize + put, len: bytes.len() - put }];
            match process_vm_writev(self.pid, &[IoSlice::new(&bytes[put..])], &there) {
                Ok(more @ 1..) => put += more,
                _ => return Err(format!("the process has no memory at {at:#x} that could be written")),
            }
        }
        Ok(())
    }

    /// An integer of four bytes; 0 where there is no memory.
    pub(crate) fn int(&self, at: u64) -> i32 {
        self.read(at, 4).try_into().map_or(0, i32::from_ne_bytes)
    }
}

/// Calls that threads of processes make while another thread is in one; those that have several threads are given a moment, all of them the same.
pub(crate) fn overlapping_soon<'p>(processes: impl Iterator<Item = &'p Process>) -> Vec<(usize, u64)> {
    let several: Vec<&Process> = processes.filter(|p| !p.over && !p.is_alone()).collect();
    let begun = Instant::now();
    loop {
        let calls: Vec<(usize, u64)> = several.iter().filter_map(|p| p.calls_of_threads()[1]).collect();
        if !calls.is_empty() || several.is_empty() || begun.elapsed() >= MOMENT {
            return calls;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The last lines of a text that a process has written, as many as are told.
pub(crate) fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect()
}

/// The memory of a process that waits, read a page at a time: elements lie close together, and each reading is a system call.
pub(crate) struct Pages<'p> {
    process: &'p Process,
    known: BTreeMap<u64, Vec<u8>>,
}

/// Bytes that are there all or not at all.
pub(crate) const PAGE: u64 = 4096;

/// Where the page of an address begins.
pub(crate) fn page_of(at: u64) -> u64 {
    at / PAGE * PAGE
}

impl Pages<'_> {
    pub(crate) fn of(process: &Process) -> Pages<'_> {
        Pages { process, known: BTreeMap::new() }
    }

    /// What a page holds; nothing if it is no memory.
    pub(crate) fn page(&mut self, page: u64) -> &[u8] {
        self.known.entry(page).or_insert_with(|| self.process.read(page, PAGE as usize))
    }

    /// What all pages hold that were read, of which some were read before.
    pub(crate) fn pages(self, mut before: BTreeMap<u64, Arc<[u8]>>) -> BTreeMap<u64, Arc<[u8]>> {
        let now = self.known.into_iter().map(|(page, bytes)| match before.remove(&page) {
            Some(was) if *was == *bytes => (page, was),
            _ => (page, bytes.into()),
        });
        now.collect()
    }

    /// As [`Process::read`].
    pub(crate) fn read(&mut self, at: u64, n: usize) -> Vec<u8> {
        if n > 4 * PAGE as usize {
            return self.process.read(at, n);
        }
        let (mut bytes, end) = (vec![], at.saturating_add(n as u64));
        let mut from = at;
        while from < end {
            let page = page_of(from);
            let known = self.page(page);
            let to = end.min(page.saturating_add(PAGE));
            let Some(part) = known.get((from - page) as usize..(to - page) as usize) else { break };
            bytes.extend_from_slice(part);
            from = to;
        }
        bytes
    }
}

/// What a program that did not call the library should be, by the name of another library in it.
fn whose(program: &str) -> &'static str {
    let open_mpi = b"libmpi.so.40";
    if std::fs::read(program).is_ok_and(|text| text.windows(open_mpi.len()).any(|w| w == open_mpi)) {
        "it is compiled for Open MPI, and MPICH's ABI is needed: compile it with `mpicc.mpich` or `litmpi cc`"
    } else {
        "is it an MPI program, compiled with `mpicc.mpich`?"
    }
}
