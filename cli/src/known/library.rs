//! The name and the version of a library, from what it says of itself.

use litmpi_runner::numbers;

/// The name and the version, as in `Open MPI` and `4.1.4`; none if there is no version in the words.
pub(super) fn name_and_version(words: &str) -> Option<(String, String)> {
    let numbers = numbers(words)?;
    let version: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let version = version.join(".");
    let first = words.find(&version)?;
    let name: Vec<&str> = words[..first]
        .split([' ', '\t', ':', ','])
        .filter(|w| !w.is_empty() && *w != "v" && !w.eq_ignore_ascii_case("version"))
        .collect();
    (!name.is_empty()).then(|| (name.join(" "), version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_read_from_the_words_of_libraries() {
        for (words, name, version) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI", "4.1.4"),
            ("MPICH Version:\t4.0.2 MPICH Release date:\tThu Apr  7 12:34:45 CDT 2022", "MPICH", "4.0.2"),
            ("MVAPICH2 Version      :\t2.3.7", "MVAPICH2", "2.3.7"),
            ("Intel(R) MPI Library 2021.8 for Linux* OS", "Intel(R) MPI Library", "2021.8"),
        ] {
            assert_eq!(name_and_version(words), Some((name.to_owned(), version.to_owned())), "{words}");
        }
        assert_eq!(name_and_version("no version at all"), None);
    }
}
