//! The MPI library in C: built when it is first needed, and kept.

use crate::face;
use crate::instrumented::NO_COPIES;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's files; the first one includes the others.
pub(crate) const SOURCES: [(&str, &str); 16] = [
    ("library.c", include_str!("../c/library.c")),
    ("threads.c", include_str!("../c/threads.c")),
    ("races.c", include_str!("../c/races.c")),
    ("blocks.c", include_str!("../c/blocks.c")),
    ("memory.c", include_str!("../c/memory.c")),
    ("objects.c", include_str!("../c/objects.c")),
    ("datatypes.c", include_str!("../c/datatypes.c")),
    ("callbacks.c", include_str!("../c/callbacks.c")),
    ("languages.c", include_str!("../c/languages.c")),
    ("generalised.c", include_str!("../c/generalised.c")),
    ("places.c", include_str!("../c/places.c")),
    ("shared.c", include_str!("../c/shared.c")),
    ("frames.c", include_str!("../c/frames.c")),
    ("ends.c", include_str!("../c/ends.c")),
    ("promises.c", include_str!("../c/promises.c")),
    ("tools.c", include_str!("../c/tools.c")),
];
/// What programs are linked with whose accesses are seen: what the compiler calls at each, and functions of libraries that access memory.
const HOOKED: [(&str, &str, &str); 2] = [
    ("accesses.c", "accesses.o", include_str!("../c/accesses.c")),
    ("functions.c", "functions.o", include_str!("../c/functions.c")),
];

/// What is included first in programs whose accesses are seen.
const COPIES: (&str, &str) = ("copies.h", include_str!("../c/copies.h"));

/// Names under which programs look for it: the ABI of MPICH, upstream's and Debian's.
const NAMES: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];

/// The folder beside the library with what programs are linked with whose accesses are seen.
const HOOKS: &str = "hooks";
/// A file there with options of the linker.
const WRAPPED: &str = "wrapped";
/// Before the name of a function, what `functions.c` has in its place.
pub(crate) const IN_PLACE_OF: &str = "__wrap_";
/// What begins the name of the folder.
pub(crate) const FOLDER: &str = "libmpi-";

/// The folder with the library; it is built if it is not there.
///
/// # Errors
/// There is no compiler for C, or the folder cannot be written to.
pub(crate) fn build(cache: &Path) -> Result<PathBuf, String> {
    let made =
        [("functions.inc", face::stubs()), ("profiling.inc", face::profiling()), ("names.inc", face::type_names())];
    let mut hash = DefaultHasher::new();
    (SOURCES, HOOKED, COPIES, &made).hash(&mut hash);
    let cache = std::path::absolute(cache).map_err(|e| e.to_string())?;
    let folder = cache.join(format!("{FOLDER}{:016x}", hash.finish()));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    // The library is loaded into programs: nobody else may have put it there.
    litmpi_scratch::own(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    litmpi_scratch::private(&folder).map_err(failed)?;
    let hooks = folder.join(HOOKS);
    if NAMES.iter().all(|n| folder.join(n).is_file()) && hooks.join(WRAPPED).is_file() {
        return Ok(folder);
    }
    let hooked = HOOKED.map(|(name, _, text)| (name, text));
    let files = SOURCES.into_iter().chain(hooked).chain(made.iter().map(|(n, t)| (*n, t.as_str())));
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    compile(&folder, &["-c", "library.c"], "library.o")?;
    for name in NAMES {
        let soname = format!("-Wl,-soname,{name}");
        compile(&folder, &["-shared", &soname, "library.o"], name)?;
    }
    litmpi_scratch::private(&hooks).map_err(failed)?;
    std::fs::write(folder.join("nothing.c"), "").map_err(failed)?;
    std::fs::write(hooks.join(COPIES.0), COPIES.1).map_err(failed)?;
    for (name, object, _) in HOOKED {
        // By its debug information it is known in a program.
        compile(&folder, &["-g", "-c", name], &format!("{HOOKS}/{object}"))?;
    }
    compile(&folder, &["-c", "nothing.c"], &format!("{HOOKS}/libtsan_preinit.o"))?;
    // The linker takes this for the library that a program is linked with whose accesses are instrumented.
    let objects = HOOKED.map(|(_, object, _)| format!("\"{}\"", hooks.join(object).display()));
    std::fs::write(hooks.join("libtsan.so"), format!("INPUT({})\n", objects.join(" "))).map_err(failed)?;
    let wrap: String = replaced(&hooks)?.iter().map(|f| format!("--wrap={f}\n")).collect();
    std::fs::write(hooks.join(WRAPPED), wrap).map_err(failed)?;
    Ok(folder)
}

/// The functions of libraries that have another one in their place, in the order of their names.
fn replaced(hooks: &Path) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    for (_, object, _) in HOOKED {
        let path = hooks.join(object);
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file = object::File::parse(&*bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        let defined = file.symbols().filter(|s| !s.is_undefined());
        names.extend(defined.filter_map(|s| Some(s.name().ok()?.strip_prefix(IN_PLACE_OF)?.to_owned())));
    }
    Ok(names)
}

/// Compiles something in a folder. What is half written must not look built.
fn compile(folder: &Path, args: &[&str], to: &str) -> Result<(), String> {
    let half = format!("half.{}", std::process::id());
    let output = Command::new("cc")
        .current_dir(folder)
        .args(["-std=gnu11", "-O1", "-fno-omit-frame-pointer", "-fPIC", "-Wall", "-Wextra", "-o", &half])
        .args(args)
        .output()
        .map_err(|e| format!("cc: {e}"))?;
    if !output.status.success() {
        return Err(format!("the MPI library does not compile:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    std::fs::rename(folder.join(half), folder.join(to)).map_err(|e| format!("{}: {e}", folder.display()))
}

/// A language that programs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// C.
    C,
    /// C++.
    Cpp,
    /// Fortran.
    Fortran,
}

impl Source {
    /// MPICH's compiler for it: as Debian calls it where several libraries are installed, and as MPICH does.
    fn compilers(self) -> [&'static str; 2] {
        match self {
            Source::C => ["mpicc.mpich", "mpicc"],
            Source::Cpp => ["mpicxx.mpich", "mpicxx"],
            Source::Fortran => ["mpifort.mpich", "mpifort"],
        }
    }
}

/// Runs MPICH's compiler in such a way that litmpi sees the program's accesses to memory: GCC is told to instrument them, and what it then
/// links is [`ACCESSES`]. This process becomes the compiler.
///
/// # Errors
/// There is no compiler, or the library cannot be built.
pub fn compiler(source: Source, args: &[OsString], cache: &Path) -> Result<Infallible, String> {
    let mut command = instrumenting(source, args, cache)?;
    Err(lacking(&command.exec()))
}

/// Compiles a program so, and waits for it.
///
/// # Errors
/// There is no compiler, or the library cannot be built, or what the compiler says.
pub fn compiled(source: Source, args: &[OsString], cache: &Path) -> Result<(), String> {
    let done = instrumenting(source, args, cache)?.output().map_err(|e| lacking(&e))?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

fn lacking(why: &std::io::Error) -> String {
    format!("{why} (MPICH's compiler is needed: Debian has it in libmpich-dev)")
}

/// The option, if there is one, by which the compiler is asked for a sanitizer that excludes the one by which accesses are instrumented: litmpi
/// then sees accesses at calls only.
pub fn other_sanitizer(args: &[OsString]) -> Option<&str> {
    let excludes = |s: &str| ["address", "kernel-address", "hwaddress", "leak", "memory"].contains(&s);
    let is_one = |a: &&str| a.strip_prefix("-fsanitize=").is_some_and(|list| list.split(',').any(excludes));
    args.iter().filter_map(|a| a.to_str()).find(is_one)
}

fn instrumenting(source: Source, args: &[OsString], cache: &Path) -> Result<Command, String> {
    let hooks = build(cache)?.join(HOOKS);
    let [debian, plain] = source.compilers();
    let name = if litmpi_scratch::program(debian).is_some() { debian } else { plain };
    let mut command = Command::new(name);
    if other_sanitizer(args).is_some() {
        command.arg("-g").args(args);
        return Ok(command);
    }
    // Calls of these stay calls: what the compiler puts in their place is not instrumented.
    let wrapped = hooks.join(WRAPPED);
    let options = std::fs::read_to_string(&wrapped).map_err(|e| format!("{}: {e}", wrapped.display()))?;
    let names = options.lines().filter_map(|line| line.strip_prefix("--wrap="));
    let of_c = names.filter(|f| source != Source::Fortran && !f.starts_with('_'));
    let kept = of_c.map(|f| format!("-fno-builtin-{f}"));
    command
        // Threads wait for each other by volatile variables, too.
        .args(["-g", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1"])
        .args((source == Source::C).then_some(NO_COPIES))
        .args((source != Source::Fortran).then(|| ["-include".into(), hooks.join(COPIES.0)]).into_iter().flatten())
        .args(kept)
        .arg(format!("-B{}", hooks.display()))
        .arg(format!("-L{}", hooks.display()))
        .arg(format!("-Wl,@{}", wrapped.display()))
        .args(args)
        // A compiler of Fortran that optimises does not instrument a variable that is passed to calls, and leaves out stores that nobody seems to need.
        .args((source == Source::Fortran).then_some("-O0"))
        // Calls of functions that check the size of what they write to have other names.
        .args((source != Source::Fortran).then_some("-U_FORTIFY_SOURCE"));
    Ok(command)
}
