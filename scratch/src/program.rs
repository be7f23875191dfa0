//! Programs by the names that a shell knows them by.

use std::path::PathBuf;

/// The file that a shell would run under this name: the file itself if the name has a slash, else the first one on the path.
pub fn program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|p| p.exists());
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_path_or_where_its_name_says() {
        assert!(program("sh").is_some_and(|p| p.is_absolute() && p.ends_with("sh")));
        assert_eq!(program("/bin/sh"), Some("/bin/sh".into()));
        assert_eq!((program("no-program-of-this-name"), program("/nowhere/sh")), (None, None));
    }
}
