//! What the ends of a program are told apart by: what its ranks have printed, their exit codes, their variables.
//!
//! A variable is read where its rank calls `MPI_Finalize`; what a rank has printed is read when it has ended. Behaviours in which a rank does
//! not come so far (a deadlock, a crash) are findings of their own and are not compared.

use crate::rank::Process;
use crate::sites::base;
use object::{Object, ObjectSymbol};
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
    /// A variable of the program that is not of a function: its name, and as what its bytes are read.
    Variable(String, As),
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
        let (name, how) = text.split_once(':').unwrap_or((text, "int"));
        let how = match how {
            "int" => As::Int,
            "long" => As::Long,
            "float" => As::Float,
            "double" => As::Double,
            "char" => As::Char,
            other => return Err(format!("a variable is int, long, float, double or char, not {other}")),
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

fn variable(file: &[u8], name: &str, how: As) -> Result<Variable, String> {
    let object = object::File::parse(file).map_err(|e| format!("the program's symbols cannot be read: {e}"))?;
    let found = object.symbols().find(|s| s.name() == Ok(name) && s.is_definition() && s.size() > 0);
    let symbol = found.ok_or_else(|| {
        format!("the program has no variable `{name}` outside of functions: stdout, exit, or one that it has")
    })?;
    Ok(Variable { name: name.into(), how, at: base(&object) + symbol.address(), bytes: symbol.size().min(MOST) })
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
        assert_eq!("sum:double".parse(), Ok(Observe::Variable("sum".into(), As::Double)));
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
