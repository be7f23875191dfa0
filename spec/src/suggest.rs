//! "Did you mean": the nearest of the names that would fit.

/// The candidate nearest to `word`, if one is near enough to be a likely slip; the first of equals. Insertions, deletions,
/// replacements and exchanges of neighbours are counted, case is not.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (lower, length) = (word.to_lowercase(), word.chars().count());
    let limit = (length / 3).max(1);
    let named = candidates.into_iter().filter(|c| !c.starts_with('$') && *c != word);
    let near = named.map(|c| (strsim::osa_distance(&lower, &c.to_lowercase()), c));
    // A word changed in every letter is another word.
    near.filter(|(d, _)| *d <= limit && *d < length).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// The candidate that a word is but for letters that were exchanged, doubled or not doubled: a slip beyond doubt, where names that are
/// merely near, such as `rfi` beside `rf`, may both be meant.
pub fn slip<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let single = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.dedup();
        letters
    };
    let is_slip = |c: &&str| *c != word && (sorted(c) == sorted(word) || single(c) == single(word));
    let mut candidates: Vec<&str> = candidates.into_iter().collect();
    if candidates.contains(&word) {
        return None;
    }
    candidates.retain(is_slip);
    candidates.first().copied()
}

/// The nearest of the names that are known as a question, or else what is said otherwise.
pub fn suggest(word: &str, known: &[&str], otherwise: &str) -> String {
    nearest(word, known.iter().copied()).map_or_else(|| otherwise.to_owned(), |k| format!("did you mean `{k}`?"))
}

#[cfg(test)]
mod tests {
    use super::{nearest, slip};

    #[test]
    fn letters_that_were_exchanged_or_doubled_are_a_slip_and_other_names_are_not() {
        assert_eq!(slip("ippoo", ["ippo", "po"]), Some("ippo"));
        assert_eq!(slip("MPCIH", ["Open MPI", "MPICH"]), Some("MPICH"));
        assert_eq!(slip("po", ["po", "op"]), None);
        assert_eq!(slip("rfi", ["rf", "fr"]), None);
        assert_eq!(slip("mpich2", ["mpich"]), None);
    }

    #[test]
    fn a_slip_of_one_letter_is_found() {
        assert_eq!(nearest("MPI_Sent", ["MPI_Recv", "MPI_Send", "MPI_Isend"]), Some("MPI_Send"));
        assert_eq!(nearest("mpi_send", ["MPI_Recv", "MPI_Send"]), Some("MPI_Send"));
        assert_eq!(nearest("plol", ["poll", "put"]), Some("poll"));
    }

    #[test]
    fn a_different_word_is_not_suggested() {
        assert_eq!(nearest("barrier", ["poll", "put", "get"]), None);
        assert_eq!(nearest("x", ["$1", "y"]), None);
    }
}
