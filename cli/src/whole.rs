//! Files that are written whole or not at all.

use litmpi_spec::diag::{Diagnostic, Report};
use std::fs::Permissions;
use std::io::{ErrorKind, Result as Done, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Puts a text where a path says. Whoever reads the file finds what was there before, or all of the text; on a disk that is full, what was there
/// before. What is no file, as a pipe or `/dev/stdout`, is written to as it is.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Done<()> {
    let text = text.as_ref();
    // What is linked to is written, and not the link.
    let (place, old) = match path.canonicalize().and_then(|place| Ok((std::fs::metadata(&place)?, place))) {
        Ok((old, place)) => (place, Some(old)),
        Err(e) if e.kind() == ErrorKind::NotFound => (path.to_owned(), None),
        Err(e) => return Err(e),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return std::fs::write(&place, text);
    }
    let folder = place.parent().filter(|f| !f.as_os_str().is_empty()).map_or_else(|| PathBuf::from("."), PathBuf::from);
    // What the user's mask takes away is taken away of a file that is new.
    let permissions = old.as_ref().map_or_else(|| Permissions::from_mode(0o666), std::fs::Metadata::permissions);
    let mut made = match tempfile::Builder::new().permissions(permissions.clone()).tempfile_in(&folder) {
        Ok(made) => made,
        // A file may be written where none may be made.
        Err(e) if e.kind() == ErrorKind::PermissionDenied && old.is_some() => return std::fs::write(&place, text),
        Err(e) => return Err(plain(e)),
    };
    made.as_file_mut().write_all(text)?;
    if old.is_some() {
        made.as_file().set_permissions(permissions)?;
    }
    made.persist(&place).map(drop).map_err(|e| e.error)
}

/// What went wrong, without the place of the file beside the one that is meant.
fn plain(e: std::io::Error) -> std::io::Error {
    let cause = e.get_ref().and_then(|of_a_path| of_a_path.source()).and_then(|cause| cause.downcast_ref());
    let number = cause.and_then(std::io::Error::raw_os_error);
    number.map_or(e, std::io::Error::from_raw_os_error)
}

/// The same, with what to do about it where it cannot be written.
pub(crate) fn write_file(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Report> {
    write(path, text).map_err(|e| {
        let d = Diagnostic::general(format!("cannot write {}: {e}", path.display()));
        d.help("the files before it are whole; make room, or name a folder elsewhere").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_place_of_a_file_has_its_permissions_and_what_is_linked_to_is_written() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        let mode = |name: &str| std::fs::metadata(at(name)).expect("it is there").permissions().mode() & 0o777;
        std::fs::write(at("old"), "old").expect("it is written");
        let usual = mode("old");
        std::fs::set_permissions(at("old"), Permissions::from_mode(0o640)).expect("it is ours");
        std::os::unix::fs::symlink("old", at("link")).expect("a link");
        write(&at("link"), "new").expect("it is written");
        assert_eq!((std::fs::read_to_string(at("old")).expect("text"), mode("old")), ("new".to_owned(), 0o640));
        assert!(at("link").is_symlink());
        write(&at("another"), "text").expect("it is written");
        assert_eq!(mode("another"), usual);
        write(Path::new("/dev/null"), "text").expect("a device takes it");
        assert!(write(Path::new("/dev/full"), "text").is_err() && write(&at("no/file"), "text").is_err());
        assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 3);
    }
}
