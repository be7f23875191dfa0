//! Source files and places in them: every diagnostic, trace step and generated line refers to one.

use crate::diag::{Diagnostic, Report};
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{Error, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is read of what is no file: a device may have no end.
const MOST: u64 = 64 << 20;

/// A file's text under the name that messages show.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: Cow<'static, str>,
    /// Lines that stand above the text where it was cut out of a longer one.
    pub above: usize,
}

impl Source {
    /// Wraps text that is already in memory.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: Cow::Owned(text.into()), above: 0 })
    }

    /// The same of text that the program carries, which is not copied.
    pub fn carried(name: impl Into<String>, text: &'static str) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: Cow::Borrowed(text), above: 0 })
    }

    /// A part of this text by itself, whose places are told as those of the whole.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Arc<Source> {
        let lines = |text: &str| text.bytes().filter(|b| *b == b'\n').count();
        let above = self.above + lines(&self.text[..range.start]);
        Arc::new(Source { name: self.name.clone(), text: Cow::Owned(self.text[range].to_owned()), above })
    }

    /// Reads a file, or a pipe.
    ///
    /// # Errors
    /// Whatever the file system says; or, of a device or pipe, that it does not end.
    pub fn read(path: &Path) -> std::io::Result<Arc<Source>> {
        let file = File::open(path)?;
        let (is_file, mut text) = (file.metadata()?.is_file(), String::new());
        let most = if is_file { u64::MAX } else { MOST };
        if file.take(most).read_to_string(&mut text)? as u64 == most {
            return Err(Error::other(format!("it is no file, and does not end within {} MiB", MOST >> 20)));
        }
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Ok(Source::new(path.display().to_string(), text))
    }

    /// Reads a file that the user named; `what` it is stands in the message.
    ///
    /// # Errors
    /// A message that says what would be right.
    pub fn read_as(path: &Path, what: &str) -> Result<Arc<Source>, Report> {
        Source::read(path).map_err(|e| unreadable(path, what, &e).into())
    }

    /// The path behind the name.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.name)
    }
}

/// The message about a file that cannot be read.
pub fn unreadable(path: &Path, what: &str, e: &std::io::Error) -> Diagnostic {
    let help = match e.kind() {
        std::io::ErrorKind::InvalidData => "write it as UTF-8 text",
        std::io::ErrorKind::NotFound => "check the path",
        std::io::ErrorKind::PermissionDenied => "check its permissions",
        _ => "give a file that can be read",
    };
    Diagnostic::general(format!("cannot read {what}{}: {e}", path.display())).help(help)
}

/// A short hash of the text of files.
pub fn hash(files: &[Arc<Source>]) -> String {
    // FNV-1a: stable across versions of the compiler and its libraries.
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for f in files {
        for b in f.text.bytes().chain([0]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{h:016x}")
}

/// A stretch of a source, in bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub source: Arc<Source>,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The stretch `start..end` of `source`.
    pub fn new(source: &Arc<Source>, start: usize, end: usize) -> Span {
        Span { source: Arc::clone(source), start, end }
    }

    /// Of what stands in no file.
    pub fn nowhere() -> Span {
        Span { source: Source::new("", ""), start: 0, end: 0 }
    }

    /// The stretch from the beginning of this one to the end of the other, which is behind it in the same file or within it.
    #[must_use]
    pub fn to(&self, last: &Span) -> Span {
        Span::new(&self.source, self.start, last.end.max(self.end))
    }

    /// Line and column of the start, both from 1.
    pub fn line_col(&self) -> (usize, usize) {
        let before = &self.source.text[..self.start.min(self.source.text.len())];
        let line = self.source.above + before.bytes().filter(|b| *b == b'\n').count() + 1;
        let col = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        (line, col)
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.source.text[self.start..self.end]
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text on one line, with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `file:line:column`, as editors follow it.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, col) = self.line_col();
        write!(f, "{}:{line}:{col}", self.source.name)
    }
}
