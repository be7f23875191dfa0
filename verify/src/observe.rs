//! What the ends of a program are told apart by: what its ranks have printed, their exit codes, their variables.
//!
//! A variable is read where its rank calls `MPI_Finalize`; what a rank has printed is read when it has ended. Behaviours in which a rank does
//! not come so far (a deadlock, a crash) are findings of their own and are not compared.

use crate::rank::Process;
use crate::sites::base;
use addr2line::gimli;
use object::{Object, ObjectSection, ObjectSymbol};
use serde::Serialize;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Bytes of a variable that are read.
const MOST: u64 = 4096;

/// What is told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observe {
    /// What a rank writes to its standard output.
    Stdout,
    /// The code with which a rank ends.
    Exit,
    /// A variable of the program that is not of a function: its name, and as what its bytes are read; if nothing is said, as its type is by the debug
    /// information, and as integers where there is none.
    Variable(String, Option<As>),
}

/// As what the bytes of a variable are read; an array is as many as there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum As {
    /// Integers of four bytes.
    Int,
    /// Integers of eight bytes.
    Long,
    /// Numbers of four bytes.
    Float,
    /// Numbers of eight bytes.
    Double,
    /// Text, up to its end.
    Char,
}

impl FromStr for Observe {
    type Err = String;

    fn from_str(text: &str) -> Result<Observe, String> {
        let (name, how) = text.split_once(':').map_or((text, None), |(name, how)| (name, Some(how)));
        let how = match how {
            None => None,
            Some("int") => Some(As::Int),
            Some("long") => Some(As::Long),
            Some("float") => Some(As::Float),
            Some("double") => Some(As::Double),
            Some("char") => Some(As::Char),
            Some(other) => return Err(format!("a variable is int, long, float, double or char, not {other}")),
        };
        match text {
            "stdout" => Ok(Observe::Stdout),
            "exit" => Ok(Observe::Exit),
            _ if name.is_empty() => Err("stdout, exit, or the name of a variable".into()),
            _ => Ok(Observe::Variable(name.to_owned(), how)),
        }
    }
}

/// How a rank has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct End {
    /// Its exit code.
    pub code: i32,
    /// What it has printed, if that is observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// The variables that are observed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
}

/// A variable's place in memory.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    how: As,
    at: u64,
    bytes: u64,
}

/// What is observed of a program, and the ends that were seen.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) stdout: bool,
    variables: Vec<Variable>,
    ends: Vec<End>,
}

impl Observed {
    /// Of this program.
    ///
    /// # Errors
    /// It has no such variable, in words.
    pub(crate) fn new(asked: &[Observe], command: &[String]) -> Result<Observed, String> {
        let mut observed = Observed { stdout: asked.contains(&Observe::Stdout), ..Observed::default() };
        for one in asked {
            if let Observe::Variable(name, how) = one {
                let program = command.first().and_then(|p| litmpi_scratch::program(p)).ok_or("no program is named")?;
                let bytes = std::fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))?;
                observed.variables.push(variable(&bytes, name, *how)?);
            }
        }
        Ok(observed)
    }

    /// The variables of a process that waits in a call.
    pub(crate) fn read(&self, process: &Process) -> BTreeMap<String, String> {
        let text = |v: &Variable| (v.name.clone(), v.how.text(&process.read(v.at, v.bytes as usize)));
        self.variables.iter().map(text).collect()
    }

    /// The number of an end; each has its own.
    pub(crate) fn number(&mut self, end: End) -> usize {
        let known = self.ends.iter().position(|e| *e == end);
        known.unwrap_or_else(|| {
            self.ends.push(end);
            self.ends.len() - 1
        })
    }

    /// The end of that number.
    pub(crate) fn end(&self, number: usize) -> End {
        self.ends.get(number).cloned().unwrap_or_default()
    }
}

fn variable(file: &[u8], name: &str, how: Option<As>) -> Result<Variable, String> {
    let object = object::File::parse(file).map_err(|e| format!("the program's symbols cannot be read: {e}"))?;
    let found = object.symbols().find(|s| s.name() == Ok(name) && s.is_definition() && s.size() > 0);
    let symbol = found.ok_or_else(|| {
        format!("the program has no variable `{name}` outside of functions: stdout, exit, or one that it has")
    })?;
    let how = how.or_else(|| declared(&object, name)).unwrap_or(As::Int);
    Ok(Variable { name: name.into(), how, at: base(&object) + symbol.address(), bytes: symbol.size().min(MOST) })
}

type Data<'d> = gimli::EndianSlice<'d, gimli::RunTimeEndian>;

/// As what a variable's bytes are to be read, by its type in the debug information; nothing if there is none, or if it is of another kind.
fn declared(object: &object::File<'_>, name: &str) -> Option<As> {
    let endian = if object.is_little_endian() { gimli::RunTimeEndian::Little } else { gimli::RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<std::borrow::Cow<'_, [u8]>, gimli::Error> {
        let section = object.section_by_name(id.name());
        Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    let dwarf = sections.borrow(|bytes| gimli::EndianSlice::new(bytes, endian));
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        if let Some(how) = declared_in(&dwarf, &unit, name) {
            return Some(how);
        }
    }
    None
}

fn declared_in<'d>(dwarf: &gimli::Dwarf<Data<'d>>, unit: &gimli::Unit<Data<'d>>, name: &str) -> Option<As> {
    let of = |entry: &gimli::DebuggingInformationEntry<'_, '_, Data<'d>>| match entry.attr_value(gimli::DW_AT_type) {
        Ok(Some(gimli::AttributeValue::UnitRef(at))) => Some(at),
        _ => None,
    };
    let mut entries = unit.entries();
    let mut ty = None;
    while let Ok(Some((_, entry))) = entries.next_dfs() {
        let called = entry.attr_value(gimli::DW_AT_name).ok().flatten();
        let called = called.and_then(|value| dwarf.attr_string(unit, value).ok());
        if entry.tag() == gimli::DW_TAG_variable && called.is_some_and(|n| n.slice() == name.as_bytes()) {
            ty = of(entry);
            break;
        }
    }
    // Elements of arrays, and what other names of a type stand for.
    let mut is_array = false;
    loop {
        let entry = unit.entry(ty?).ok()?;
        if entry.tag() == gimli::DW_TAG_base_type {
            let number = |at| entry.attr(at).ok().flatten().and_then(|a| a.udata_value());
            let size = number(gimli::DW_AT_byte_size)?;
            let encoding = gimli::DwAte(u8::try_from(number(gimli::DW_AT_encoding)?).ok()?);
            return match (encoding, size) {
                (gimli::DW_ATE_float, 4) => Some(As::Float),
                (gimli::DW_ATE_float, 8) => Some(As::Double),
                (gimli::DW_ATE_signed | gimli::DW_ATE_unsigned, 8) => Some(As::Long),
                (gimli::DW_ATE_signed | gimli::DW_ATE_unsigned, 4) => Some(As::Int),
                (gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char, 1) if is_array => Some(As::Char),
                _ => None,
            };
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => is_array = true,
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {}
            _ => return None,
        }
        ty = of(&entry);
    }
}

impl As {
    /// The values of these bytes; text to its end.
    fn text(self, bytes: &[u8]) -> String {
        fn all<const N: usize>(bytes: &[u8], one: impl Fn([u8; N]) -> String) -> String {
            let parts = bytes.chunks_exact(N).map(|c| one(c.try_into().expect("as long as that")));
            parts.collect::<Vec<_>>().join(" ")
        }
        match self {
            As::Int => all(bytes, |b| i32::from_ne_bytes(b).to_string()),
            As::Long => all(bytes, |b| i64::from_ne_bytes(b).to_string()),
            As::Float => all(bytes, |b| f32::from_ne_bytes(b).to_string()),
            As::Double => all(bytes, |b| f64::from_ne_bytes(b).to_string()),
            As::Char => {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                String::from_utf8_lossy(&bytes[..end]).into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_observed_is_named() {
        assert_eq!("stdout".parse(), Ok(Observe::Stdout));
        assert_eq!("sum:double".parse(), Ok(Observe::Variable("sum".into(), Some(As::Double))));
        assert!(Observe::from_str("sum:complex").is_err_and(|why| why.contains("double")));
        assert!(Observe::from_str(":int").is_err());
    }

    #[test]
    fn bytes_are_read_as_what_they_are() {
        let two = [1_i32, -2].map(i32::to_ne_bytes).concat();
        assert_eq!(As::Int.text(&two), "1 -2");
        assert_eq!(As::Double.text(&0.5_f64.to_ne_bytes()), "0.5");
        assert_eq!(As::Char.text(b"ab\0c"), "ab");
    }
}
