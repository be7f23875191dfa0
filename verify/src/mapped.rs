//! Code of files where it lies in a process.

use std::ops::Range;
use std::path::PathBuf;

/// Part of a file where it lies in a process.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    pub(crate) at: Range<u64>,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    pub(crate) file: PathBuf,
}

impl Mapped {
    /// Reads `begin-end rights offset device inode file`, a line of `/proc/PID/maps`, if it is code.
    pub(crate) fn read(line: &str) -> Option<Mapped> {
        let mut words = line.split_ascii_whitespace();
        let (begin, end) = words.next()?.split_once('-')?;
        let is_code = words.next()?.contains('x');
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let offset = hex(words.next()?)?;
        let file = words.nth(2).filter(|file| is_code && file.starts_with('/'))?;
        Some(Mapped { at: hex(begin)?..hex(end)?, offset, file: file.into() })
    }
}
