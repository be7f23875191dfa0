//! File and line of a call, from the debug information of the program, or of the library that makes the call.

use crate::mapped::Mapped;
use addr2line::Loader;
use nix::unistd::Pid;
use object::{Object, ObjectKind, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_128;

/// Where a program that may be loaded anywhere is loaded if addresses are not random (Linux, x86-64 and aarch64).
const BASES: [u64; 2] = [0x5555_5555_4000, 0xaaaa_aaaa_0000];

/// Where a program is loaded.
pub(crate) fn base<'a>(program: &impl Object<'a>) -> u64 {
    let anywhere = program.kind() == ObjectKind::Dynamic;
    if anywhere { BASES[usize::from(cfg!(target_arch = "aarch64"))] } else { 0 }
}

/// Files whose code processes run, by where it lies: without randomness it lies there in all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Maps {
    files: Vec<Mapped>,
    /// Addresses that are of no file.
    unknown: BTreeSet<u64>,
    /// Places that have a name of their own, by what stands for their address: lines in Python.
    named: HashMap<u64, String>,
}

/// What stands for the addresses of places with a name begins with this bit.
const NAMED: u64 = 1 << 63;

impl Maps {
    /// Finds out which file an address is of, where it lies in a process.
    pub(crate) fn learn(&mut self, site: u64, pid: Pid) {
        if self.of(site).is_some() || self.unknown.contains(&site) || site >= NAMED {
            return;
        }
        let text = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        self.files = text.lines().filter_map(Mapped::read).collect();
        if self.of(site).is_none() {
            self.unknown.insert(site);
        }
    }

    /// What stands for the address of a place that has this name.
    pub(crate) fn named(&mut self, name: &str) -> u64 {
        let site = NAMED | XxHash3_128::oneshot(name.as_bytes()) as u64;
        self.named.entry(site).or_insert_with(|| name.to_owned());
        site
    }

    fn of(&self, site: u64) -> Option<&Mapped> {
        self.files.iter().find(|m| m.at.contains(&site))
    }
}

impl Mapped {
    /// File and line of an address, or the function that it is in and the file that it is of.
    fn name(&self, site: u64) -> Option<String> {
        let bytes = std::fs::read(&self.file).ok()?;
        let library = object::File::parse(&*bytes).ok()?;
        let in_file = site - self.at.start + self.offset;
        let holds = |(at, size): (u64, u64), what: u64| (at..at + size).contains(&what);
        let segment = library.segments().find(|s| holds(s.file_range(), in_file))?;
        let at = in_file - segment.file_range().0 + segment.address();
        let loader = Loader::new(&self.file).ok();
        let function = || {
            let mut symbols =
                library.dynamic_symbols().chain(library.symbols()).filter(|s| s.kind() == SymbolKind::Text);
            let symbol = symbols.find(|s| holds((s.address(), s.size()), at))?;
            Some(format!("{} in {}", symbol.name().ok()?, self.file.file_name()?.to_string_lossy()))
        };
        loader.and_then(|l| line(&l, at)).or_else(function)
    }
}

/// The lines of a program, and of libraries that call MPI.
pub(crate) struct Sites {
    loader: Option<Loader>,
    program: Option<PathBuf>,
    maps: Maps,
    known: HashMap<u64, Option<String>>,
}

impl Sites {
    /// The same where debug information says the line; nothing else.
    pub(crate) fn line(&mut self, site: u64) -> Option<String> {
        self.name(site).filter(|name| name.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok()))
    }

    pub(crate) fn new(command: &[String], maps: &Maps) -> Sites {
        let program = command.first().and_then(|p| litmpi_scratch::program(p));
        let loader = program.as_ref().and_then(|p| Loader::new(p).ok());
        let program = program.and_then(|p| p.canonicalize().ok());
        Sites { loader, program, maps: maps.clone(), known: HashMap::new() }
    }

    /// Of a call that returns to this address: `file.c:12`, or, without debug information, `function in program`; nothing if neither is known.
    pub(crate) fn name(&mut self, site: u64) -> Option<String> {
        let find = || {
            if let Some(name) = self.maps.named.get(&site) {
                return Some(name.clone());
            }
            let at = site.checked_sub(1)?;
            let mapped = self.maps.of(at);
            let base = BASES.iter().rev().find(|b| at >= **b).copied().unwrap_or(0);
            let of_program = mapped.is_none_or(|m| self.program.as_ref() == Some(&m.file));
            let found = self.loader.as_ref().filter(|_| of_program).and_then(|l| line(l, at.checked_sub(base)?));
            found.or_else(|| mapped?.name(at))
        };
        self.known.entry(site).or_insert_with(find).clone()
    }
}

/// Parts of the names of files that are no program's own: crates that a program uses, Rust's own libraries, and the headers of that of C++.
const OF_OTHERS: [&str; 5] = ["/registry/src/", "/git/checkouts/", "/rustc/", "/rustlib/", "/include/c++/"];

/// Files and lines of an address in a program as it lies in its file, those of what is inlined there first, with whether they are of the program's own.
fn lines(loader: &Loader, at: u64) -> Vec<(String, bool)> {
    let mut out = vec![];
    let Ok(mut frames) = loader.find_frames(at) else { return out };
    while let Ok(Some(frame)) = frames.next() {
        let Some((path, line)) = frame.location.and_then(|l| l.file.zip(l.line)) else { continue };
        let file = Path::new(path).file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        out.push((format!("{file}:{line}"), !OF_OTHERS.iter().any(|part| path.contains(part))));
    }
    out
}

/// File and line of an address: of the program's own, if there is one.
fn line(loader: &Loader, at: u64) -> Option<String> {
    let all = lines(loader, at);
    all.iter().find(|(_, is_own)| *is_own).or(all.first()).map(|(name, _)| name.clone())
}

/// Whose calls a program makes in Rust: those that rsmpi makes for it are told where the program has called rsmpi.
#[derive(Default)]
pub(crate) struct Callers {
    loader: Option<Loader>,
    is_own: HashMap<u64, bool>,
}

impl Callers {
    /// Those of a program.
    pub(crate) fn of(command: &[String]) -> Callers {
        let program = command.first().and_then(|p| litmpi_scratch::program(p));
        let is_of_rust = |path: &PathBuf| {
            let Ok(bytes) = std::fs::read(path) else { return false };
            let Ok(file) = object::File::parse(&*bytes) else { return false };
            file.symbols().any(|s| s.name() == Ok("rust_eh_personality"))
        };
        let loader = program.filter(is_of_rust).and_then(|p| Loader::new(p).ok());
        Callers { loader, is_own: HashMap::new() }
    }

    /// Whether the program is one in Rust.
    pub(crate) fn are_of_rust(&self) -> bool {
        self.loader.is_some()
    }

    /// The first of the places that a call returns to which is in the program's own code.
    pub(crate) fn site(&mut self, site: u64, stack: &[u64]) -> u64 {
        let Some(loader) = &self.loader else { return site };
        let is_own = |at: &u64| {
            let base = BASES.iter().rev().find(|b| *at >= **b).copied().unwrap_or(0);
            let look = || lines(loader, at.saturating_sub(base + 1)).iter().any(|(_, is_own)| *is_own);
            *self.is_own.entry(*at).or_insert_with(look)
        };
        std::iter::once(site).chain(stack.iter().copied()).find(is_own).unwrap_or(site)
    }
}
