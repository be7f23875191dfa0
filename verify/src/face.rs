//! How MPI's objects stand in the memory of a program: the ABI that it was compiled for.

use crate::library;
use litmpi_spec::decl::{Kind, Language};
use litmpi_spec::model::Spec;
use litmpi_spec::shipped::CLASSES;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Constants of an ABI, by the type of C that they have, then by name.
#[derive(Debug, Deserialize)]
pub(crate) struct Face(BTreeMap<String, BTreeMap<String, i64>>);

/// The functions of the C binding, with the names of their arguments.
pub(crate) const FUNCTIONS: &str = include_str!("../functions.txt");
/// Functions of MPI that no rule speaks of: a program that calls one is told so.
const OTHERS: &str = include_str!("../others.txt");

/// A number of an object that no object has.
pub(crate) const NOBODY: i64 = -1000;

/// Bytes of an `MPI_Status`.
pub(crate) const STATUS_BYTES: usize = 20;

/// What the specification has for the constants that a status may hold.
const SOURCES: [(&str, i64); 2] = [("MPI_ANY_SOURCE", -1), ("MPI_PROC_NULL", -2)];
/// What the specification has for the error of a status that a call leaves as it was.
const NO_ERROR_PUT: i64 = -1;
const TAGS: [(&str, i64); 1] = [("MPI_ANY_TAG", -1)];

/// The functions that are written in C, because their arguments are looked at in the process.
static IN_C: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let begins = |line: &'static str| {
        let rest = ["int ", "long ", "double "].iter().find_map(|ty| line.strip_prefix(ty))?;
        rest.split_once('(').map(|(name, _)| name).filter(|name| name.starts_with("MPI_"))
    };
    library::SOURCES.iter().flat_map(|(_, text)| text.lines()).filter_map(begins).collect()
});

/// The functions of the rules that those in C call.
static CALLED_IN_C: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let calls = library::SOURCES.iter().flat_map(|(_, text)| text.split("through_").skip(1));
    calls.filter_map(|rest| rest.split_once('(')).map(|(name, _)| name).collect()
});

/// Functions that are others by an older name.
const ALIASES: [(&str, &str); 8] = [
    ("MPI_Get_elements_x", "MPI_Get_elements"),
    ("MPI_Status_set_elements_x", "MPI_Status_set_elements"),
    ("MPI_Type_size_x", "MPI_Type_size"),
    ("MPI_Type_hvector", "MPI_Type_create_hvector"),
    ("MPI_Type_hindexed", "MPI_Type_create_hindexed"),
    ("MPI_Type_struct", "MPI_Type_create_struct"),
    ("MPI_Type_get_extent_x", "MPI_Type_get_extent"),
    ("MPI_Type_get_true_extent_x", "MPI_Type_get_true_extent"),
];

/// What the library in C calls by the number of one of its own functions that has failed.
const RAISES: &str = "MPI_Comm_call_errhandler";

/// By what name a program calls a function that the library in C calls for it.
pub(crate) fn called(name: &str) -> &str {
    match name {
        "lend" => "MPI_Buffer_attach",
        "reclaim" => "MPI_Buffer_detach",
        "look" => "a load or store of a window's memory",
        "promise" => "MPI_Comm_dup_with_info",
        "type_again" => "MPI_Type_get_contents",
        "weighted_graph" => "MPI_Dist_graph_create_adjacent",
        "weighted_edges" => "MPI_Dist_graph_create",
        other => other,
    }
}

/// Whether a call of this function says that the library in C has found an error in it.
pub(crate) fn is_failed(function: &Function) -> bool {
    let name = function.name.as_str();
    FAILS.contains(name)
}

/// The functions of the library in C that may fail by themselves.
static FAILS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let after = |word: &'static str| {
        let texts = library::SOURCES.iter().flat_map(move |(_, text)| text.split(word).skip(1));
        texts.filter_map(|rest| rest.split_once(',')).map(|(name, _)| name)
    };
    // Of some the number comes last.
    let last = ["MPI_Win_shared_query", "MPI_Win_shared_query_c"].into_iter();
    // Of those that share a function, the number is passed on.
    let shared = [
        "MPI_Type_create_f90_real",
        "MPI_Type_create_f90_complex",
        "MPI_Type_create_f90_integer",
        "MPI_Remove_error_class",
        "MPI_Remove_error_code",
    ]
    .into_iter();
    let all = after("INFO(")
        .chain(after("KEYED("))
        .chain(after("KEYED_AT("))
        .chain(after("failed(NUMBER_"))
        .chain(last)
        .chain(shared);
    all.filter(|name| name.starts_with("MPI_")).collect()
});

/// What the library in C asks by the number of one of its own functions: whether the object that it is given is there.
const LOOKS: [(&str, &str); 4] = [
    ("MPI_Comm_get_name", "MPI_Comm_test_inter"),
    ("MPI_Comm_set_name", "MPI_Comm_test_inter"),
    ("MPI_Type_get_name", "MPI_Type_size"),
    ("MPI_Type_set_name", "MPI_Type_size"),
];

/// Whether a function's counts and displacements are an `MPI_Count` each, of eight bytes (MPI 4.1 §19.2).
pub(crate) fn is_large(function: &Function) -> bool {
    function.name.ends_with("_c") || function.name.ends_with("_x")
}

/// Whether a function has a communicator, a window, a file or a buffer of a message. Of the others, what may not be called behind `MPI_Finalize` is
/// for the rules to say.
pub(crate) fn communicates(function: &Function) -> bool {
    let is_such = |arg: &str| {
        ["win", "fh", "parent"].contains(&arg)
            || arg.starts_with("comm")
            || arg.ends_with("comm")
            || arg.ends_with("buf")
    };
    function.args.iter().any(|arg| is_such(arg))
}

/// Whether a function sends, receives or takes part in a collective that moves data: none may be called in a reduction function (MPI 4.1 §6.9.5). Packing
/// moves nothing to another process.
pub(crate) fn moves_messages(function: &Function) -> bool {
    let has = |end: &str| function.args.iter().any(|arg| arg.ends_with(end));
    has("buf") && has("comm") && !function.name.contains("Pack") && !function.name.contains("Unpack")
}

/// Functions that make datatypes of others, with the constant of C that says by which one it was done.
const COMBINERS: [(&str, &str); 11] = [
    ("MPI_Type_contiguous", "COMBINER_CONTIGUOUS"),
    ("MPI_Type_vector", "COMBINER_VECTOR"),
    ("MPI_Type_create_hvector", "COMBINER_HVECTOR"),
    ("MPI_Type_indexed", "COMBINER_INDEXED"),
    ("MPI_Type_create_hindexed", "COMBINER_HINDEXED"),
    ("MPI_Type_create_indexed_block", "COMBINER_INDEXED_BLOCK"),
    ("MPI_Type_create_hindexed_block", "COMBINER_HINDEXED_BLOCK"),
    ("MPI_Type_create_struct", "COMBINER_STRUCT"),
    ("MPI_Type_create_subarray", "COMBINER_SUBARRAY"),
    ("MPI_Type_create_darray", "COMBINER_DARRAY"),
    ("MPI_Type_create_resized", "COMBINER_RESIZED"),
];

/// How a function makes a datatype, as constants of C: by which constructor, and whether with large counts. None of another function.
fn combiner(function: &Function) -> Option<String> {
    let makes = function.args.last().is_some_and(|a| a == "newtype")
        && function.args.iter().any(|a| a.contains("type") && a != "newtype");
    let name = ALIASES.iter().find(|(old, _)| *old == function.name).map_or(function.name.as_str(), |(_, new)| *new);
    let small = name.strip_suffix("_c");
    let constant = COMBINERS.iter().find(|(f, _)| *f == small.unwrap_or(name)).map_or("0", |(_, c)| *c);
    makes.then(|| if small.is_some() { format!("{constant} | LARGE") } else { constant.to_owned() })
}

/// The function that the rules speak of, and the names of its arguments by position.
pub(crate) fn modern(function: &Function, all: &[Function]) -> Function {
    if is_failed(function) {
        return all.iter().find(|f| f.name == RAISES).unwrap_or(function).clone();
    }
    // What the library in C does has no large form.
    let small = function.name.strip_suffix("_c").filter(|name| !IN_C.contains(name) || CALLED_IN_C.contains(name));
    let name = ALIASES.iter().chain(&LOOKS).find(|(old, _)| *old == function.name).map(|(_, new)| *new).or(small);
    name.and_then(|n| all.iter().find(|f| f.name == n)).unwrap_or(function).clone()
}

/// A function of the C binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
}

/// All functions, in the order of their numbers.
pub(crate) fn functions() -> Vec<Function> {
    let lines = [FUNCTIONS, OTHERS].into_iter().flat_map(str::lines).filter(|l| !l.starts_with('#') && !l.is_empty());
    lines
        .map(|l| {
            let mut words = l.split(' ').map(str::to_owned);
            Function { name: words.next().unwrap_or_default(), args: words.collect() }
        })
        .collect()
}

/// The stubs in C: every function passes its arguments on. Those on the stack stand in eight bytes each, as in registers. An error goes
/// to the handler of the communicator that the call names, or of `MPI_COMM_WORLD`.
pub(crate) fn stubs() -> String {
    let mut out = String::from("/* Made of functions.txt and others.txt. */\n");
    for (number, f) in functions().iter().enumerate() {
        let names: Vec<String> = (0..f.args.len()).map(|i| format!("a{i}")).collect();
        let params: Vec<String> = names.iter().map(|a| format!("uint64_t {a}")).collect();
        let list = if names.is_empty() { "0".to_owned() } else { names.join(", ") };
        let (name, n) = (&f.name, f.args.len());
        let place = |arg: &str| f.args.iter().position(|a| a == arg);
        let result = |site: &str| {
            let result = format!("call({number}, (uint64_t[]){{{list}}}, {n}, {site})");
            match (place("comm"), place("newcomm")) {
                // The handle of a communicator that is made without waiting comes later.
                (Some(comm), Some(made)) if place("request").is_none() => {
                    format!("inherits({result}, (int)a{comm}, (const int *)a{made})")
                }
                (Some(comm), _) => format!("raised({result}, (int)a{comm})"),
                // MPI_Win_free has the address of a handle, and none behind it.
                _ if place("win").is_some() && name != "MPI_Win_free" => {
                    format!("raised_at({result}, (int)a{})", place("win").unwrap_or(0))
                }
                _ => format!("raised({result}, COMM_WORLD)"),
            }
        };
        if CALLED_IN_C.contains(name.as_str()) {
            let more: String = params.iter().map(|p| format!(", {p}")).collect();
            let result = result("site");
            out += &format!("static long through_{name}(const void *site{more}) {{ return {result}; }}\n");
        }
        if IN_C.contains(name.as_str()) {
            out += &format!("enum {{ NUMBER_{name} = {number} }};\n");
            continue;
        }
        if !name.starts_with("MPI") {
            // Nothing that programs may call.
            continue;
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let result = result("__builtin_return_address(0)");
        let result = match combiner(f) {
            Some(combiner) => format!("described({result}, {combiner}, (uint64_t[]){{{list}}}, {})", n - 1),
            None => result,
        };
        out += &format!(
            "long {name}({params}) {{ return {result}; }}\n\
             long P{name}({params}) __attribute__((alias(\"{name}\")));\n"
        );
    }
    out
}

/// The names of the profiling interface of the functions that are written in C.
pub(crate) fn profiling() -> String {
    IN_C.iter().map(|n| format!("extern __typeof__({n}) P{n} __attribute__((alias(\"{n}\")));\n")).collect()
}

/// The names that predefined datatypes have from the beginning (MPI 4.1 §7.8).
pub(crate) fn type_names() -> String {
    let Face(mut tables) = Face::mpich();
    let types = tables.remove("MPI_Datatype").into_iter().flatten().filter(|(name, _)| !name.ends_with("_NULL"));
    // MPI_C_COMPLEX is the same type, and the name by which MPICH calls it.
    let called = |name: &str| if name == "MPI_C_FLOAT_COMPLEX" { "MPI_C_COMPLEX" } else { name }.to_owned();
    types.map(|(name, handle)| format!("    {{(int){handle:#x}, \"{}\"}},\n", called(&name))).collect()
}

/// What objects a number stands for, by the name of the specification's type; and the type that it has in C, with the bits that
/// an object of the program's own has there.
const OBJECTS: [(&str, &str, i64); 9] = [
    ("Comm", "MPI_Comm", 0x8400_0000),
    ("Datatype", "MPI_Datatype", 0x8c10_0000),
    ("Group", "MPI_Group", 0x8800_0000),
    ("Op", "MPI_Op", 0x9800_0000),
    ("Request", "MPI_Request", 0xac00_0000),
    ("Message", "MPI_Message", 0xbc00_0000),
    ("Errhandler", "MPI_Errhandler", 0x9400_0000),
    ("Win", "MPI_Win", 0xa000_0000),
    ("Key", "MPI_Keyval", 0xa400_0000),
];
/// Predefined datatypes without a name: those of Fortran that a precision is asked of. The lowest byte is the number of the type.
const UNNAMED: i64 = 0x4cf0_0000;
/// Numbers of objects that a handle can hold.
const NUMBERS: i64 = 0x000f_ffff;

impl Face {
    pub(crate) fn mpich() -> Face {
        toml::from_str(include_str!("../faces/mpich.toml"))
            .expect("the table is part of the program, and a test reads it")
    }

    /// Whether numbers of this type of the specification are objects.
    pub(crate) fn is_object(ty: &str) -> bool {
        OBJECTS.iter().any(|(t, ..)| *t == ty)
    }

    /// The object that a handle is, by its number in the specification; [`NOBODY`] if it is none.
    pub(crate) fn object(&self, ty: &str, kind: &Kind, handle: u32) -> i64 {
        let Some((_, c, own)) = OBJECTS.iter().find(|(t, ..)| *t == ty) else { return NOBODY };
        let handle = i64::from(handle);
        if handle & !NUMBERS == *own {
            return handle & NUMBERS;
        }
        if ty == "Datatype" && handle & 0xfff0_0000 == UNNAMED {
            return handle & 0xff;
        }
        match self.name_in(c, handle) {
            Some(name) if name.ends_with("_NULL") => 0,
            Some(name) => kind.value_of(name).unwrap_or(NOBODY),
            None => NOBODY,
        }
    }

    fn name_in(&self, table: &str, handle: i64) -> Option<&str> {
        self.0.get(table).into_iter().flatten().find(|(_, v)| **v == handle).map(|(name, _)| name.as_str())
    }

    /// The name of a predefined object that the specification does not have.
    pub(crate) fn unspoken(&self, ty: &str, kind: &Kind, handle: u32) -> Option<&str> {
        let (_, c, _) = OBJECTS.iter().find(|(t, ..)| *t == ty)?;
        self.name_in(c, i64::from(handle)).filter(|name| !name.ends_with("_NULL") && kind.value_of(name).is_none())
    }

    /// The handle of an object.
    pub(crate) fn handle(&self, ty: &str, kind: &Kind, number: i64) -> u32 {
        let Some((_, c, own)) = OBJECTS.iter().find(|(t, ..)| *t == ty) else { return 0 };
        let constants = self.0.get(*c);
        let named = kind.names.iter().filter(|(_, v)| *v == number).find_map(|(name, _)| constants?.get(name));
        let null = || constants?.iter().find(|(name, _)| name.ends_with("_NULL")).map(|(_, v)| v);
        match (named, number) {
            (Some(v), _) => *v as u32,
            (None, 0) => null().map_or(0, |v| *v as u32),
            _ => (own | number & NUMBERS) as u32,
        }
    }

    /// A constant.
    pub(crate) fn constant(&self, name: &str) -> Option<i64> {
        self.0.get("constants").and_then(|c| c.get(name)).copied()
    }

    /// A constant, or a handle that has a name.
    fn named(&self, name: &str) -> Option<i64> {
        self.constant(name).or_else(|| self.0.values().find_map(|names| names.get(name)).copied())
    }

    /// Whether a kind's constants are bits that may be combined, here and in the specification: what a combination means there. Bits that
    /// stand for none of them are one further bit.
    fn bits(&self, kind: &Kind, raw: i64) -> Option<i64> {
        let is_bit = |v: i64| v > 0 && v & (v - 1) == 0;
        let known = kind.names.iter().filter_map(|(name, v)| Some((self.constant(name)?, *v)));
        let bits: Vec<(i64, i64)> = known.filter(|(c, v)| *c != 0 || *v != 0).collect();
        if !bits.iter().all(|(c, v)| is_bit(*c) && is_bit(*v)) {
            return None;
        }
        let here = bits.iter().fold(0, |all, (c, _)| all | c);
        if bits.len() < 2 || bits.len() != here.count_ones() as usize {
            return None;
        }
        let meant = bits.iter().filter(|(c, _)| raw & c != 0).fold(0, |all, (_, v)| all | v);
        Some(if raw & !here == 0 { meant } else { meant | 1 << 30 })
    }

    /// The constant of C that an integer stands for which a call gives, or itself: so what a program gave that is no constant comes back.
    pub(crate) fn result(&self, kind: &Kind, number: i64) -> i64 {
        let named = kind.names.iter().find(|(_, v)| *v == number).and_then(|(name, _)| self.constant(name));
        let index = kind.text.of(Language::C).fields.iter().any(|(f, s)| f.is_empty() && s.contains("litmpi_index"));
        match named {
            Some(v) => v,
            None if index && number == -1 => self.constant("MPI_UNDEFINED").unwrap_or(number),
            None if (NOBODY..NOBODY / 2).contains(&number) => number - NOBODY,
            None => number,
        }
    }

    /// By what class, as the rules number them, calls tell of what is wrong with them, in the rules' words.
    ///
    /// # Errors
    /// The list of them cannot be read.
    pub(crate) fn classes(&self, spec: &Spec) -> Result<BTreeMap<String, i64>, String> {
        let by_class: BTreeMap<String, Vec<String>> = toml::from_str(CLASSES).map_err(|e| e.to_string())?;
        let known = spec.instructions.kinds.iter().find(|k| k.name == "errorclass");
        let mut out = BTreeMap::new();
        for (class, words) in by_class {
            let named = known.and_then(|k| k.names.iter().find(|(name, _)| *name == class)).map(|(_, number)| *number);
            // The rules have no numbers for others.
            let number = named.or_else(|| self.constant(&class)).ok_or_else(|| format!("there is no class {class}"))?;
            out.extend(words.into_iter().map(|words| (words, number)));
        }
        Ok(out)
    }

    /// What an `MPI_Status` holds: source, tag, count, cancelled, and that no error is put into it. The bytes of its count hold the
    /// specification's count.
    pub(crate) fn status(&self, bytes: &[u8]) -> Vec<i64> {
        let int =
            |i: usize| bytes.get(4 * i..4 * i + 4).map_or(0, |b| i32::from_ne_bytes(b.try_into().expect("four bytes")));
        let named = |raw: i32, names: &[(&str, i64)]| {
            let raw = i64::from(raw);
            names.iter().find(|(n, _)| self.constant(n) == Some(raw)).map_or(raw, |(_, v)| *v)
        };
        // The count has 63 bits, of which the upper ones stand before the bit that says whether the operation was cancelled.
        let (low, high) = (int(0) as u32, i64::from(int(1) as u32));
        let count = (high >> 1) << 32 | i64::from(low);
        vec![named(int(2), &SOURCES), named(int(3), &TAGS), count, high & 1, NO_ERROR_PUT]
    }

    /// The bytes of an `MPI_Status` that holds this. Its error stays as it was before unless there is a class of one to be put into it, which
    /// is a constant of this kind.
    pub(crate) fn status_bytes(&self, status: &[i64], classes: Option<&Kind>, before: &[u8]) -> Vec<u8> {
        let named = |v: i64, names: &[(&str, i64)]| {
            let name = names.iter().find(|(_, n)| *n == v).map(|(name, _)| *name);
            name.and_then(|n| self.constant(n)).unwrap_or(v)
        };
        // What the rules leave undefined, which is no rank, stays as it was.
        let undefined = i32::try_from(status[0]).is_err();
        let old = self.status(before);
        let [source, tag, count] = if undefined { [old[0], old[1], old[2]] } else { [status[0], status[1], status[2]] };
        let high = (count >> 32) << 1 | status[3];
        let ints = [count, high, named(source, &SOURCES), named(tag, &TAGS)];
        let mut bytes: Vec<u8> = ints.iter().flat_map(|v| (*v as i32).to_ne_bytes()).collect();
        let before = before.get(16..STATUS_BYTES).filter(|_| status[4] == NO_ERROR_PUT);
        let error = (classes.map_or(status[4], |k| self.result(k, status[4])) as i32).to_ne_bytes();
        bytes.extend_from_slice(before.unwrap_or(&error));
        bytes
    }

    /// What an integer means that may be one of a kind's constants.
    pub(crate) fn number(&self, kind: &Kind, raw: i64) -> i64 {
        if let Some(bits) = self.bits(kind, raw) {
            return bits;
        }
        let named = kind.names.iter().find(|(name, _)| self.named(name) == Some(raw));
        match named {
            Some((_, v)) => *v,
            // Not a constant, though the specification uses this number for one.
            None if kind.names.iter().any(|(n, v)| *v == raw && (raw < 0 || self.named(n).is_some())) => raw + NOBODY,
            None => raw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmpi_scratch::Folder;
    use std::process::Command;

    /// What the library in C looks at itself, and what stands for an instruction's own functions in litmus tests.
    const IN_C_ALONE: [&str; 3] = ["MPI_COMM_DUP_FN", "MPI_COMM_NULL_COPY_FN", "MPI_COMM_NULL_DELETE_FN"];

    /// A constant that the table lacks would be taken for an integer that means something else.
    #[test]
    fn every_constant_of_the_rules_is_in_the_table() {
        let model = litmpi_models::Model::named("mpi").unwrap_or_else(|e| panic!("{e}"));
        let face = Face::mpich();
        let kinds = &model.instructions().kinds;
        let names = kinds.iter().flat_map(|k| k.names.iter().map(move |(n, _)| (&k.name, n)));
        let ours = |n: &str| n.starts_with("MPI_") && !IN_C_ALONE.contains(&n);
        let missing: Vec<_> = names.filter(|(_, n)| ours(n) && face.named(n).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// Pointers and handles of C are compared as integers.
    #[test]
    fn the_constants_are_those_of_the_header() {
        let Face(tables) = Face::mpich();
        // A header of MPI 4.0 does not have it.
        let is_later = |name: &str| name == "MPI_BUFFER_AUTOMATIC";
        let all = tables.values().flatten().map(|(n, v)| match is_later(n) {
            true => format!("#ifdef {n}\n    CHECK({n}, {v}LL)\n#endif\n"),
            false => format!("    CHECK({n}, {v}LL)\n"),
        });
        let text = format!(
            "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n\
             #define CHECK(n, v) if ((int32_t)(intptr_t)(n) != (int32_t)(v)) bad = 1, puts(#n);\n\
             int main(void)\n{{\n    int bad = 0;\n{}    return bad;\n}}\n",
            all.collect::<String>()
        );
        let folder = Folder::make(&litmpi_scratch::temporary(), &[]).unwrap_or_else(|e| panic!("{e}"));
        let (source, program) = (folder.path().join("face.c"), folder.path().join("face"));
        std::fs::write(&source, text).unwrap_or_else(|e| panic!("{e}"));
        let compiled = Command::new("mpicc.mpich").arg("-w").arg("-o").arg(&program).arg(&source).output();
        match compiled {
            Ok(out) if out.status.success() => {
                let out = Command::new(&program).output().unwrap_or_else(|e| panic!("{e}"));
                assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
            }
            Ok(out) => panic!("{}", String::from_utf8_lossy(&out.stderr)),
            // Where there is no MPICH no program is compiled for it.
            Err(e) => assert_eq!(e.kind(), std::io::ErrorKind::NotFound),
        }
    }
}
