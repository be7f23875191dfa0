//! C identifiers for the names of a program.

use std::collections::BTreeSet;

/// Names that generated code must not take: C's keywords and the macros and functions that headers bring in.
const RESERVED: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "asm",
    "main",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "offsetof",
    "wchar_t",
    "size_t",
    "ptrdiff_t",
    // the emitter's own
    "code",
    "turn",
    "done",
];

/// Hands out identifiers, each once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Keeps a name from being handed out.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// An identifier like `wanted` that nobody has yet.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(100).collect();
        if let Some(literal) = wanted.strip_prefix('$') {
            base = format!("t{}", literal.chars().filter(char::is_ascii_alphanumeric).collect::<String>());
        }
        let lower = base.to_ascii_lowercase();
        let bad = base.is_empty()
            || base.starts_with(|c: char| c.is_ascii_digit() || c == '_')
            || ["mpi", "pmpi", "litmpi", "ompi", "ibv"].iter().any(|p| lower.starts_with(p))
            || RESERVED.contains(&base.as_str());
        if bad {
            base = format!("v_{base}");
        }
        let mut name = base.clone();
        let mut n = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{n}");
            n += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn every_name_is_an_identifier_of_its_own() {
        let mut names = Names::default();
        names.reserve("requests");
        let got: Vec<String> =
            ["a", "a", "int", "causal-order", "$1", "MPI_x", "2a", "requests", "é"].map(|n| names.fresh(n)).into();
        assert_eq!(got, ["a", "a_2", "v_int", "causal_order", "t1", "v_MPI_x", "v_2a", "requests_2", "v__"]);
    }
}
