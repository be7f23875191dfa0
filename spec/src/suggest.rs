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

/// The nearest of the names that are known as a question, or else what is said otherwise.
pub fn suggest(word: &str, known: &[&str], otherwise: &str) -> String {
    nearest(word, known.iter().copied()).map_or_else(|| otherwise.to_owned(), |k| format!("did you mean `{k}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
