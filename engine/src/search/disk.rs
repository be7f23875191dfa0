//! States on disk, when there is no more room for them in memory: external breadth-first search with delayed duplicate detection
//! (Korf, "Best-first frontier search with delayed duplicate detection", AAAI 2004).
//!
//! The states of a level are a file of sorted keys. What threads find in a level may have been found in an earlier one; that is seen at the
//! end of the level, when what was found is merged with the files of the earlier levels. So every file is read and written from its
//! beginning to its end.

use crate::search::Bound;
use litmpi_scratch::{Folder, temporary};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::rc::Rc;

/// Bytes that a file is read and written by.
const BUFFER: usize = 1 << 18;
/// Files of earlier levels that are kept apart.
const APART: usize = 8;

/// A file of sorted keys, which goes when nobody has it any more.
pub(crate) struct Run {
    path: PathBuf,
    len: usize,
    /// Bytes of all files.
    total: Rc<Cell<usize>>,
}

impl Run {
    /// How many keys it holds.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Its keys in order.
    pub(crate) fn keys(&self) -> Result<Keys, Bound> {
        let file = File::open(&self.path).map_err(|e| failed(&e))?;
        Ok(Keys { file: BufReader::with_capacity(BUFFER, file), left: self.len })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.total.set(self.total.get() - self.len * 8);
        // The folder goes at the end, with what could not be removed before.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Keys of a file as they are read.
pub(crate) struct Keys {
    file: BufReader<File>,
    left: usize,
}

impl Keys {
    /// The next one, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<u64>, Bound> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes).map_err(|e| failed(&e))?;
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    /// The next ones, so many at most.
    pub(crate) fn take(&mut self, most: usize) -> Result<Vec<u64>, Bound> {
        let mut out = Vec::with_capacity(most.min(self.left));
        while out.len() < most
            && let Some(key) = self.next()?
        {
            out.push(key);
        }
        Ok(out)
    }
}

fn failed(e: &std::io::Error) -> Bound {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Bound::DiskFull,
        _ => Bound::DiskFailed(e.kind()),
    }
}

/// The states of a search that are on disk.
pub(crate) struct Disk {
    folder: Folder,
    /// Most bytes of all files.
    most: usize,
    total: Rc<Cell<usize>>,
    files: usize,
    /// All states of the levels that are complete.
    earlier: Vec<Rc<Run>>,
    /// What was found in the level that is being filled, and perhaps before.
    found: Vec<Run>,
}

impl Disk {
    /// A new folder where temporary files are, for so many bytes at most.
    pub(crate) fn new(most: usize) -> Result<Disk, Bound> {
        let folder = Folder::make(&temporary(), &[]).map_err(|e| failed(&e))?;
        Ok(Disk { folder, most, total: Rc::default(), files: 0, earlier: vec![], found: vec![] })
    }

    /// Begins with the states that were found so far, and those of the last level among them, which it gives back as a file.
    pub(crate) fn begin(&mut self, all: Vec<u64>, mut last: Vec<u64>) -> Result<Rc<Run>, Bound> {
        let all = self.write(all)?;
        self.earlier.push(Rc::new(all));
        last.sort_unstable();
        self.write(last).map(Rc::new)
    }

    /// Takes what was found in the level that is being filled.
    pub(crate) fn put(&mut self, found: Vec<u64>) -> Result<(), Bound> {
        let run = self.write(found)?;
        self.found.push(run);
        Ok(())
    }

    /// The level is complete: those states that are of no earlier one.
    pub(crate) fn finish(&mut self) -> Result<Rc<Run>, Bound> {
        let (found, to) = (std::mem::take(&mut self.found), self.begin_file()?);
        let runs = found.iter().map(|r| (r, true)).chain(self.earlier.iter().map(|r| (&**r, false)));
        let level = Rc::new(merge(to, self.most, runs)?);
        drop(found);
        self.earlier.push(Rc::clone(&level));
        if self.earlier.len() > APART {
            let to = self.begin_file()?;
            let all = merge(to, self.most, self.earlier.iter().map(|r| (&**r, true)))?;
            self.earlier = vec![Rc::new(all)];
        }
        Ok(level)
    }

    fn write(&mut self, mut keys: Vec<u64>) -> Result<Run, Bound> {
        keys.sort_unstable();
        let mut to = self.begin_file()?;
        keys.iter().try_for_each(|key| to.push(*key, self.most))?;
        to.end()
    }

    fn begin_file(&mut self) -> Result<Writer, Bound> {
        let path = self.folder.path().join(self.files.to_string());
        self.files += 1;
        let file = File::create_new(&path).map_err(|e| failed(&e))?;
        let run = Run { path, len: 0, total: Rc::clone(&self.total) };
        Ok(Writer { file: BufWriter::with_capacity(BUFFER, file), run })
    }
}

/// A file that is being written.
struct Writer {
    file: BufWriter<File>,
    run: Run,
}

impl Writer {
    fn push(&mut self, key: u64, most: usize) -> Result<(), Bound> {
        let total = self.run.total.get() + 8;
        if total > most {
            return Err(Bound::Disk(most));
        }
        self.file.write_all(&key.to_le_bytes()).map_err(|e| failed(&e))?;
        self.run.len += 1;
        self.run.total.set(total);
        Ok(())
    }

    fn end(mut self) -> Result<Run, Bound> {
        self.file.flush().map_err(|e| failed(&e))?;
        Ok(self.run)
    }
}

/// Writes each key of these files once, but for those that are in one which does not count.
fn merge<'r>(mut to: Writer, most: usize, runs: impl Iterator<Item = (&'r Run, bool)>) -> Result<Run, Bound> {
    let mut heap = BinaryHeap::new();
    let mut files = vec![];
    for (run, counts) in runs {
        let mut keys = run.keys()?;
        if let Some(key) = keys.next()? {
            heap.push(Reverse((key, files.len())));
        }
        files.push((keys, counts));
    }
    while let Some(&Reverse((key, _))) = heap.peek() {
        let mut all_count = true;
        while let Some(mut top) = heap.peek_mut()
            && top.0.0 == key
        {
            let (keys, counts) = &mut files[top.0.1];
            all_count &= *counts;
            match keys.next()? {
                Some(next) => top.0.0 = next,
                None => _ = std::collections::binary_heap::PeekMut::pop(top),
            }
        }
        if all_count {
            to.push(key, most)?;
        }
    }
    to.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_what_was_found_and_is_of_no_earlier_one() {
        let mut disk = Disk::new(1 << 20).expect("a folder");
        let first = disk.begin(vec![5, 3, 9], vec![9, 3]).expect("written");
        assert_eq!(first.keys().and_then(|mut k| k.take(10)), Ok(vec![3, 9]));
        // More levels than files are kept apart.
        for level in 1..30 {
            disk.put(vec![level * 100, 9, level * 100 + 2]).expect("written");
            disk.put(vec![level * 100 + 2, 5, (level - 1) * 100, u64::MAX - level]).expect("written");
            let expected = if level == 1 { vec![0, 100, 102] } else { vec![level * 100, level * 100 + 2] };
            let expected = [expected, vec![u64::MAX - level]].concat();
            assert_eq!(disk.finish().and_then(|run| run.keys()?.take(10)), Ok(expected));
        }
        // The first two files, four states of the first level and three of each other.
        assert_eq!(disk.total.get(), (3 + 2 + 4 + 28 * 3) * 8, "nothing is kept twice");
    }

    #[test]
    fn more_than_may_be_is_not_written_and_a_folder_that_goes_away_is_said_to() {
        let mut disk = Disk::new(40).expect("a folder");
        disk.put(vec![1, 2, 3]).expect("it has room");
        assert_eq!(disk.put(vec![4, 5, 6]), Err(Bound::Disk(40)));
        assert_eq!(disk.total.get(), 24, "what was begun is gone");
        std::fs::remove_dir_all(disk.folder.path()).expect("it is there");
        assert_eq!(disk.put(vec![4]), Err(Bound::DiskFailed(ErrorKind::NotFound)));
    }
}
