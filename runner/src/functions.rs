//! Which functions of MPI a library has, found by linking.
//!
//! A function that a library does not have makes the program of a test that calls it, and of every other test in the same
//! program, fail to link. So the names are tried first, all at once and then by halves, and what was found is kept in the user's
//! cache, for each library.

use crate::bounded::output;
use crate::cache::{Kept, stamp_of_program};
use crate::process::Premises;
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The functions of MPI that a text in C calls.
pub(crate) fn called(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = BTreeSet::new();
    for (at, _) in text.match_indices("MPI_") {
        let name: String = text[at..].chars().take_while(|c| is_name(*c)).collect();
        let alone = !text[..at].ends_with(is_name);
        // Constants are in capitals throughout.
        if alone && text[at + name.len()..].starts_with('(') && name.chars().any(|c| c.is_ascii_lowercase()) {
            out.insert(name);
        }
    }
    out
}

/// Those of the functions that the target's library does not have. `version` is what the library says of itself, and `limit` the
/// time for one call of the compiler.
pub(crate) async fn lacking(
    functions: &BTreeSet<String>,
    target: &Target,
    version: &str,
    limit: Duration,
) -> BTreeSet<String> {
    let compiler = target.compiler.first().and_then(|c| stamp_of_program(c));
    let kept = Kept::new("functions", &(&target.compiler, compiler, version));
    let mut known: BTreeMap<String, bool> = kept.read().unwrap_or_default();
    let new: Vec<&str> = functions.iter().filter(|f| !known.contains_key(*f)).map(String::as_str).collect();
    if !new.is_empty()
        && let Ok(premises) = Premises::new()
        && let Some(found) = (Linking { target, folder: &premises.scratch, limit }).find(&new).await
    {
        known.extend(found);
        kept.write(&known);
    }
    functions.iter().filter(|f| known.get(*f) == Some(&false)).cloned().collect()
}

/// How it is tried whether programs link.
struct Linking<'a> {
    target: &'a Target,
    folder: &'a Path,
    limit: Duration,
}

impl Linking<'_> {
    /// Says of each function whether the library has it; none if that cannot be found out.
    async fn find(&self, functions: &[&str]) -> Option<BTreeMap<String, bool>> {
        let mut found: BTreeMap<String, bool> = functions.iter().map(|f| ((*f).to_owned(), true)).collect();
        if self.links(functions).await? {
            return Some(found);
        }
        // If not even a program without functions links, it is not for a function.
        if !self.links(&[]).await? {
            return None;
        }
        let mut parts = vec![functions];
        while let Some(part) = parts.pop() {
            if let [one] = part {
                found.insert((*one).to_owned(), false);
                continue;
            }
            let (first, second) = part.split_at(part.len() / 2);
            for half in [first, second] {
                if !self.links(half).await? {
                    parts.push(half);
                }
            }
        }
        Some(found)
    }

    /// Whether a program that names these functions compiles and links; none if the compiler does not start, or does not end in
    /// time. A function that is a macro is there.
    async fn links(&self, functions: &[&str]) -> Option<bool> {
        let (compiler, own) = self.target.compiler.split_first()?;
        let table: String = functions.iter().map(|f| format!("#ifndef {f}\n    (function){f},\n#endif\n")).collect();
        let text = format!(
            "#include <mpi.h>\ntypedef void (*function)(void);\nfunction volatile functions[] = {{\n{table}    0,\n}};\n\
             int main(void)\n{{\n    return functions[0] != 0;\n}}\n"
        );
        std::fs::write(self.folder.join("functions.c"), text).ok()?;
        let mut command = tokio::process::Command::new(compiler);
        command.current_dir(self.folder).args(own).args(["-w", "-o", "functions", "functions.c"]);
        Some(output(&mut command, self.limit).await.ok()?.status.success())
    }
}

/// The name of MPI's that a compiler's complaint says there is not.
pub(crate) fn undeclared(line: &str) -> Option<&str> {
    const WORDS: [&str; 5] =
        ["undeclared", "implicit declaration", "unknown type name", "implicitly declared", "undefined reference"];
    if !WORDS.iter().any(|w| line.contains(w)) {
        return None;
    }
    let (_, says) = line.split_once("error: ")?;
    let name = says.split(['\'', '`', '‘', '’']).nth(1)?;
    name.starts_with("MPI_").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_constants_types_and_functions_of_the_harness() {
        let text =
            "LITMPI_TRY(MPI_Isend(a, 1, MPI_INT, 0, 0, LITMPI_COMM, &r)); PMPI_Wait(&r); MPI_Comm c; f(MPI_Wtime());";
        assert_eq!(called(text).into_iter().collect::<Vec<_>>(), ["MPI_Isend", "MPI_Wtime"]);
    }

    #[test]
    fn what_a_compiler_does_not_know_is_named() {
        let gcc = "test_a.c:9:5: error: 'MPI_COMM_TYPE_HW_GUIDED' undeclared (first use in this function)";
        assert_eq!(undeclared(gcc), Some("MPI_COMM_TYPE_HW_GUIDED"));
        let clang = "test_a.c:9:5: error: call to undeclared function 'MPI_Barrier_init'; ISO C99";
        assert_eq!(undeclared(clang), Some("MPI_Barrier_init"));
        assert_eq!(undeclared("test_a.c:9:5: error: too few arguments to function 'MPI_Send'"), None);
        assert_eq!(undeclared("test_a.c:9:5: error: 'no_such_thing' undeclared"), None);
    }
}
