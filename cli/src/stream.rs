//! Several tests in one text, one after the other, as `litmpi generate` prints them: standard input, which is named `-`, is read as such.
//!
//! A test begins with a line that begins with `litmus`, or with `X86` or `X86_64` in herd's format, as each does. To everything else a test is a path, so that those of standard input have
//! one, too: `standard input:17` is the one that begins in its line 17.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// More is not read of standard input.
const MOST: u64 = 1 << 28;

/// Whether a path stands for standard input.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// The tests of standard input by the paths that stand for them, in order. It is read once.
///
/// # Errors
/// It cannot be read, has no end, or is empty.
pub(crate) fn tests() -> Result<Vec<PathBuf>, Report> {
    let all = TESTS.get_or_init(|| Ok(parts(&input()?).into_iter().map(|test| (path_of(&test), test)).collect()));
    let mut found: Vec<(usize, PathBuf)> =
        all.as_ref().map_err(Clone::clone)?.iter().map(|(path, test)| (test.above, path.clone())).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// A test by its path, in a file or of standard input; `what` it is stands in the message.
///
/// # Errors
/// A file that cannot be read, or that has several tests.
pub(crate) fn read(path: &Path, what: &str) -> Result<Arc<Source>, Report> {
    if let Some(test) = TESTS.get().and_then(|all| all.as_ref().ok()).and_then(|all| all.get(path)) {
        return Ok(Arc::clone(test));
    }
    only(Source::read_as(path, what)?)
}

/// The test of a file, which has one.
///
/// # Errors
/// It has several.
pub(crate) fn only(file: Arc<Source>) -> Result<Arc<Source>, Report> {
    match begins(&file.text)[..] {
        [_, second, ..] => {
            let line = file.text[second..].lines().next().map_or(0, str::len);
            let place = Span::new(&file, second, second + line);
            let d = Diagnostic::at(&place, "a file has one test").found("a second one begins here");
            Err(d
                .help(format!("several tests are read from standard input: name `-` and add `< {}`", file.name))
                .into())
        }
        _ => Ok(file),
    }
}

/// Those that have been read.
static TESTS: OnceLock<Result<BTreeMap<PathBuf, Arc<Source>>, Report>> = OnceLock::new();

/// What a test begins with, in litmpi's format and in herd's.
const WORDS: [&str; 3] = [OWN, "X86", "X86_64"];
const OWN: &str = "litmus";

fn path_of(test: &Source) -> PathBuf {
    let first = begins(&test.text).first().map_or("", |at| &test.text[..*at]);
    PathBuf::from(format!("{}:{}", test.name, test.above + first.matches('\n').count() + 1))
}

fn input() -> Result<Arc<Source>, Report> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MOST).read_to_string(&mut text);
    let wrong = |what: String, help: &str| Report::from(Diagnostic::general(what).help(help));
    match read {
        Err(e) => Err(wrong(format!("cannot read standard input: {e}"), "`-` is for tests, as text in UTF-8")),
        Ok(n) if n as u64 == MOST => Err(wrong(
            format!("standard input does not end within {} MiB", MOST >> 20),
            "give the tests as files in a folder",
        )),
        Ok(_) if text.trim().is_empty() => Err(wrong(
            "standard input holds no tests".to_owned(),
            "`-` is for what `litmpi generate mpi` prints, for one",
        )),
        Ok(_) => Ok(Source::new("standard input", text)),
    }
}

/// The tests of a text, each by itself, with what stands before the first.
fn parts(source: &Arc<Source>) -> Vec<Arc<Source>> {
    let starts = begins(&source.text);
    if starts.len() < 2 {
        return vec![Arc::clone(source)];
    }
    let ends = starts[1..].iter().copied().chain([source.text.len()]);
    std::iter::once(0)
        .chain(starts[1..].iter().copied())
        .zip(ends)
        .map(|(start, end)| source.part(start..end))
        .collect()
}

/// Where the tests of a text begin, all of the first one's format; nowhere in what is neither's.
fn begins(text: &str) -> Vec<usize> {
    let (mut out, mut at, mut is_herds, mut in_comment) = (vec![], 0, None, false);
    for line in text.split_inclusive('\n') {
        let first = line.split(char::is_whitespace).next().and_then(|first| WORDS.into_iter().find(|w| *w == first));
        let says_nothing = line.trim().is_empty() || ["#", "--", "//"].iter().any(|c| line.trim_start().starts_with(c));
        let of_herd = first.map(|word| word != OWN);
        if first.is_some() && !in_comment && (is_herds.is_none() || is_herds == of_herd) {
            is_herds = of_herd;
            out.push(at);
        } else if out.is_empty() && !says_nothing {
            return vec![];
        }
        if is_herds == Some(true) {
            // A comment of several lines may say anything.
            let (open, close) = (line.rfind("(*"), line.rfind("*)"));
            in_comment = if in_comment { close.is_none() || open > close } else { open > close };
        }
        at += line.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_a_text_stand_where_they_stand_in_it() {
        let text = "# made\n\nlitmus mpi a \"a\"\nexists true\n\nlitmus mpi b \"b\"\n  litmus\nexists true\nlitmus\tmpi c \"c\"\n";
        let found = parts(&Source::new("-", text));
        let told: Vec<(usize, String)> = found.iter().map(|t| (t.above, path_of(t).display().to_string())).collect();
        assert_eq!(told, [(0, "-:3".to_owned()), (5, "-:6".to_owned()), (8, "-:9".to_owned())]);
        assert_eq!(found.iter().map(|t| &*t.text).collect::<String>(), text);
        assert_eq!(Span::new(&found[1], 17, 18).line_col(), (7, 1));
        let herd = "X86 SB\n(* A\nlitmus test of\nX86 *)\nlitmus x\nX86_64 MP\n(* one line *)\n";
        assert_eq!(begins(herd), [0, herd.find("X86_64 MP").expect("the second")]);
        assert!(begins("a log\nX86 SB\n").is_empty());
    }
}
