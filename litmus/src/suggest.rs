//! "Did you mean": the nearest of the names that would fit.

/// The candidate nearest to `word`, if one is near enough to be a likely slip; the first of equals.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let near = candidates.into_iter().filter(|c| !c.starts_with('$')).map(|c| (distance(word, c), c));
    // A word changed in every letter is another word.
    near.filter(|(d, c)| *d <= limit && *d < word.chars().count() && *c != word).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Insertions, deletions, changes and swaps of neighbours between two words; case is not counted.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

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

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "acb"), 1);
    }
}
