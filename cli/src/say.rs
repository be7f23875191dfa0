//! What litmpi prints: all of it goes by here, so that no text of others reaches a terminal as it is, and nothing that
//! could not be written goes unnoticed.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::visible::visible;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;

/// What has become of standard output.
#[derive(Debug)]
enum Output {
    /// Not written to yet.
    Untouched,
    /// A descriptor of its own: Rust's standard output takes one that cannot be written to for a success.
    Open(File),
    /// Whoever read it went away (`| head`); what comes now is for nobody.
    Unread,
    /// It could not be written.
    Lost,
}

static OUTPUT: Mutex<Output> = Mutex::new(Output::Untouched);

/// What could not be written, in the order in which that was found.
static UNWRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Prints text to standard output.
pub(crate) fn say(text: &str) {
    write(visible(text).as_bytes());
}

/// Prints what came of something, its verdicts in colour on a terminal.
pub(crate) fn tell(text: &str) {
    let text = visible(text);
    let colour = is_terminal() && std::env::var_os("NO_COLOR").is_none();
    write(if colour { painted(&text) } else { text.into_owned() }.as_bytes());
}

/// Words of verdicts with the colours that they have on a terminal (red, yellow, green); longer ones first.
const COLOURS: [(&str, u8); 12] = [
    ("VIOLATION (known)", 33),
    ("no, but nothing is new", 33),
    ("VIOLATION", 31),
    ("UNCONFIRMED", 33),
    ("UNDECIDED", 33),
    ("undecided", 33),
    ("FINDING", 31),
    ("FAIL", 31),
    ("NO", 31),
    ("not run", 33),
    ("conforms", 32),
    ("yes", 32),
];

/// The text with its verdicts in colour: words that stand by themselves.
fn painted(text: &str) -> String {
    let (mut out, mut rest, mut inside) = (String::new(), text, false);
    while let Some(c) = rest.chars().next() {
        let ends = |word: &str| !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric() || "-_?".contains(c));
        let found = COLOURS.iter().find(|(word, _)| !inside && rest.starts_with(word) && ends(word));
        let length = match found {
            Some((word, colour)) => {
                out.push_str(&format!("\u{1b}[1;{colour}m{word}\u{1b}[0m"));
                word.len()
            }
            None => {
                out.push(c);
                c.len_utf8()
            }
        };
        inside = found.is_some() || c.is_alphanumeric() || "-_/.".contains(c);
        rest = &rest[length..];
    }
    out
}

/// How wide the terminal is that standard output is, if it is one, and wide enough for tables.
pub(crate) fn columns() -> Option<u16> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    (columns >= 60).then_some(columns)
}

/// Has a table no wider than the terminal that it is for: what has no room goes on in the next line. What is read by a program has no
/// width.
pub(crate) fn fit(table: &mut comfy_table::Table) {
    if let Some(columns) = columns() {
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic).set_width(columns);
    }
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    console::Term::stdout().is_term()
}

/// The text, with a mark in the place of what is longer than so many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let mut out: String = text.chars().take(most).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

/// Passes on what a program has printed that the user runs through litmpi, as it is; whether somebody reads it.
pub(crate) fn pass_on(bytes: &[u8]) -> bool {
    write(bytes);
    matches!(*OUTPUT.lock().unwrap_or_else(|e| e.into_inner()), Output::Open(_))
}

fn write(bytes: &[u8]) {
    let mut output = OUTPUT.lock().unwrap_or_else(|e| e.into_inner());
    if matches!(*output, Output::Untouched) {
        *output = match std::io::stdout().as_fd().try_clone_to_owned() {
            Ok(descriptor) => Output::Open(File::from(descriptor)),
            Err(e) => lost(&e),
        };
    }
    if let Output::Open(file) = &mut *output
        && let Err(e) = file.write_all(bytes)
    {
        *output = if e.kind() == ErrorKind::BrokenPipe { Output::Unread } else { lost(&e) };
    }
}

fn lost(e: &std::io::Error) -> Output {
    unwritten(format!("cannot write to standard output: {e}"));
    Output::Lost
}

/// Prints a remark to standard error. If that cannot be written, nobody can be told.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(text));
}

/// Notes that something could not be written that the command was to write, so that it does not end as if all were well.
pub(crate) fn unwritten(what: String) {
    UNWRITTEN.lock().unwrap_or_else(|e| e.into_inner()).push(what);
}

/// What could not be written, if anything.
pub(crate) fn all_is_written() -> Result<(), Report> {
    let all = UNWRITTEN.lock().unwrap_or_else(|e| e.into_inner());
    let help = "what was written is not complete: make room there, or name another place, and run this again";
    Report(all.iter().map(|what| Diagnostic::general(what.clone()).help(help)).collect()).into_result()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_colours_and_parts_of_names_have_none() {
        let red = "\u{1b}[1;31mVIOLATION\u{1b}[0m";
        assert_eq!(painted("null-irecv  VIOLATION: a=5;"), format!("null-irecv  {red}: a=5;"));
        assert_eq!(painted("x  VIOLATION (known): a"), "x  \u{1b}[1;33mVIOLATION (known)\u{1b}[0m: a");
        assert_eq!(painted("conforms? yes, as far"), "conforms? \u{1b}[1;32myes\u{1b}[0m, as far");
        for plain in ["no-crash-test", "litmus/mpi/deadlock.litmus", "deadlocks", "é → NOTHING"] {
            assert_eq!(painted(plain), plain);
        }
    }
}
