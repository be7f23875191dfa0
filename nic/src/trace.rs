//! The trace of the device's steps, in a file. A trace that cannot be written is no reason to stop the device, but it is told.

use std::fs::File;
use std::io::{BufWriter, Error, Result, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What went wrong first, once the file is closed.
pub(crate) type Trouble = Arc<Mutex<Option<Error>>>;

/// The file.
pub(crate) struct Trace {
    file: BufWriter<File>,
    trouble: Trouble,
}

impl Trace {
    /// Makes the file.
    pub(crate) fn new(path: &Path) -> Result<(Trace, Trouble)> {
        let trouble = Trouble::default();
        Ok((Trace { file: BufWriter::new(File::create(path)?), trouble: Arc::clone(&trouble) }, trouble))
    }

    fn note(&self, done: Result<()>) {
        if let Err(e) = done {
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        }
    }
}

impl Write for Trace {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let done = self.file.write_all(bytes);
        self.note(done);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let done = self.file.flush();
        self.note(done);
    }
}
