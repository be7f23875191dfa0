//! Folders that stay, and are found by their names.

use rustix::process::geteuid;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Makes a folder, and those above it, unless it is there; one that is there must be this user's own.
///
/// # Errors
/// What the file system says; or whose the folder is, if it is somebody else's or everybody may write into it.
pub fn own(path: &Path) -> Result<()> {
    make(path, 0o777)
}

/// The same with a folder that only this user may look into, if it is made.
///
/// # Errors
/// As of [`own`].
pub fn private(path: &Path) -> Result<()> {
    make(path, 0o700)
}

fn make(path: &Path, mode: u32) -> Result<()> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::DirBuilder::new().mode(mode).create(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        // Nobody else has made it.
        done => return done,
    }
    let about = std::fs::metadata(path)?;
    let wrong = |what: String| Err(Error::new(ErrorKind::PermissionDenied, what));
    if !about.is_dir() {
        return wrong("it is no folder".into());
    }
    if about.uid() != geteuid().as_raw() {
        return wrong(format!(
            "the folder belongs to another user (number {}), and programs are run from it; name a folder of your own",
            about.uid()
        ));
    }
    if about.mode() & 0o002 != 0 {
        return wrong("everybody may write into the folder, and programs are run from it; name one in it".into());
    }
    Ok(())
}

/// Where the user keeps what can be made again: `litmpi` in the folder that `XDG_CACHE_HOME` names, or in `.cache` of the home;
/// none if neither is known.
pub fn cache() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")));
    folder.map(|f| f.join("litmpi"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_that_is_made_or_ones_own_will_do_and_one_of_others_will_not() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("a/b");
        for _ in 0..2 {
            private(&path).expect("it is ours");
            own(&path).expect("it is ours");
        }
        assert_eq!(std::fs::metadata(&path).expect("it is there").mode() & 0o777, 0o700);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o1777)).expect("its owner may");
        assert!(own(&path).expect_err("everybody's").to_string().contains("everybody may write"));
        std::fs::write(parent.path().join("file"), "").expect("a file");
        assert!(own(&parent.path().join("file")).expect_err("a file").to_string().contains("no folder"));
        if geteuid().is_root() {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("its owner may");
            std::os::unix::fs::chown(&path, Some(65_534), None).expect("root may");
            let link = parent.path().join("link");
            std::os::unix::fs::symlink(&path, &link).expect("a link");
            for path in [path, link] {
                assert!(own(&path).expect_err("theirs").to_string().contains("another user (number 65534)"));
            }
        }
    }
}
