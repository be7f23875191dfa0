//! Whether all loads and stores of a program are seen: that it was compiled by `litmpi cc` as a whole, and calls no function of another library that may
//! read its memory without litmpi being told of it (`verify/c/functions.c`).
//!
//! What is not known counts as not seen: functions without debug information, or of a library that is not looked at, such as one for threads; and where GCC optimises, all
//! languages but C: GCC does not instrument a variable of Fortran that is passed to calls, and it makes
//! instructions of copies in the headers of C++ that it does not instrument, either.

use crate::declared::{Dwarf, Unit};
use addr2line::gimli;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// The compiler's option by which accesses are seen, as debug information has it.
const OPTION: &str = "-fsanitize=thread";
/// What keeps the compiler from making copies of loops, which it does not instrument.
pub(crate) const NO_COPIES: &str = "-fno-tree-loop-distribute-patterns";
/// The files that `litmpi cc` links a program with ([`crate::library`]).
const HOOKS: [&[u8]; 2] = [b"accesses.c", b"functions.c"];
/// What begins the names of functions that the compiler, the linker or the C library makes, which access no memory of the program's.
const MADE: [&str; 7] = ["_start", "_init", "_fini", "_dl_relocate_static_pie", "__libc_csu_", "_sub_I_", "_sub_D_"];
/// What begins the names of functions of other libraries that do not read memory of the program through an address that they are given, or of which only the program's
/// own text can be meant.
const FAMILIES: [&str; 16] = [
    "MPI_",
    "PMPI_",
    "mpi_",
    "pmpi_",
    "MPIR_",
    "__cxa_",
    "__gmon_",
    "_ITM_",
    "_Unwind_",
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "_ZSt4endl",
    "_ZNSolsE",
    "_ZNSt8ios_base4Init",
];
const FUNCTIONS: &[&str] = &[
    "__assert_fail",
    "__ctype_b_loc",
    "__errno_location",
    "__gxx_personality_v0",
    "__libc_start_main",
    "__stack_chk_fail",
    "_ZSt17__throw_bad_allocv",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_gfortran_error_stop_numeric",
    "_gfortran_set_args",
    "_gfortran_set_options",
    "_gfortran_st_write",
    "_gfortran_st_write_done",
    "_gfortran_stop_numeric",
    "_gfortran_stop_string",
    "_exit",
    "abort",
    "abs",
    "acos",
    "alarm",
    "aligned_alloc",
    "asin",
    "atan",
    "atan2",
    "atexit",
    "calloc",
    "cbrt",
    "ceil",
    "ceilf",
    "clock",
    "clock_gettime",
    "cos",
    "cosf",
    "dlsym",
    "drand48",
    "erf",
    "erfc",
    "exit",
    "exp",
    "expf",
    "exp2",
    "fabs",
    "fabsf",
    "fclose",
    "fflush",
    "floor",
    "floorf",
    "fmax",
    "fmin",
    "fmod",
    "fopen",
    "fputc",
    "free",
    "fscanf",
    "__isoc99_fscanf",
    "__isoc99_scanf",
    "getenv",
    "gethostname",
    "getopt",
    "getopt_long",
    "getpagesize",
    "getpid",
    "getppid",
    "getrusage",
    "gettimeofday",
    "hypot",
    "isatty",
    "labs",
    "ldexp",
    "log",
    "log10",
    "log2",
    "logf",
    "lrand48",
    "malloc",
    "nanosleep",
    "optarg",
    "optind",
    "perror",
    "posix_memalign",
    "pow",
    "powf",
    "putc",
    "putchar",
    "raise",
    "rand",
    "rand_r",
    "random",
    "round",
    "sched_yield",
    "setbuf",
    "setlinebuf",
    "setvbuf",
    "signal",
    "sin",
    "sinf",
    "sleep",
    "sqrt",
    "sqrtf",
    "srand",
    "srand48",
    "srandom",
    "stderr",
    "stdin",
    "stdout",
    "sysconf",
    "tan",
    "tanh",
    "time",
    "usleep",
];

/// The code of units whose accesses are seen, and of those that see them.
#[derive(Debug, Default)]
pub(crate) struct Seen(Vec<Range<u64>>);

impl Seen {
    /// Adds that of a unit, if it is one of these.
    ///
    /// # Errors
    /// Debug information that cannot be read.
    pub(crate) fn read<'d>(&mut self, dwarf: &Dwarf<'d>, unit: &Unit<'d>) -> Result<(), gimli::Error> {
        let mut entries = unit.entries();
        let Some((_, root)) = entries.next_dfs()? else { return Ok(()) };
        let text = |attribute| -> Result<&[u8], gimli::Error> {
            let value = root.attr_value(attribute)?;
            Ok(value.map(|v| dwarf.attr_string(unit, v)).transpose()?.map_or(&[][..], |s| s.slice()))
        };
        let is_hook = HOOKS.contains(&text(gimli::DW_AT_name)?) && is_of_litmpi(text(gimli::DW_AT_comp_dir)?);
        if is_hook || sees(&String::from_utf8_lossy(text(gimli::DW_AT_producer)?)) {
            let mut ranges = dwarf.unit_ranges(unit)?;
            while let Some(range) = ranges.next()? {
                self.0.push(range.begin..range.end);
            }
        }
        Ok(())
    }

    /// Whether that is all code of the program that a file is, and what else may read its memory is known.
    pub(crate) fn are_all_of(&self, file: &object::File<'_>) -> bool {
        let is_in = |at: u64| self.0.iter().any(|r| r.contains(&at));
        let is_made = |name: &str| MADE.iter().any(|m| name.starts_with(m));
        let mut functions =
            file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.is_definition() && s.size() > 0);
        !self.0.is_empty()
            && calls_only_known(file)
            && functions.all(|f| is_in(f.address()) || f.name().is_ok_and(is_made))
    }
}

/// Whether a program calls only such functions of other libraries of which it is known that they read none of its memory, or when they do.
fn calls_only_known(file: &object::File<'_>) -> bool {
    let replaced: BTreeSet<&str> =
        file.symbols().filter_map(|s| s.name().ok()?.strip_prefix(crate::library::IN_PLACE_OF)).collect();
    let is_known = |name: &str| {
        FUNCTIONS.contains(&name) || replaced.contains(name) || FAMILIES.iter().any(|begin| name.starts_with(begin))
    };
    let Ok(imports) = file.imports() else { return false };
    imports.iter().all(|i| std::str::from_utf8(i.name()).is_ok_and(is_known))
}

/// Whether the compiler tells of all accesses, by how it was called.
fn sees(producer: &str) -> bool {
    let options: Vec<&str> = producer.split_whitespace().collect();
    let optimises = options.iter().rev().find(|o| o.starts_with("-O")).is_some_and(|o| *o != "-O0");
    let is_c = producer.starts_with("GNU C") && !producer.starts_with("GNU C++");
    producer.starts_with("GNU ") && options.contains(&OPTION) && (!optimises || is_c && options.contains(&NO_COPIES))
}

/// Whether a folder is one in which the library in C was built.
fn is_of_litmpi(folder: &[u8]) -> bool {
    folder.rsplit(|b| *b == b'/').next().is_some_and(|name| name.starts_with(crate::library::FOLDER.as_bytes()))
}
