//! The harness's words in the C of calls, said without the harness.

/// Each word of the harness by a reproducer's own: `litmpi_source` is `my_source`; blocks are of `N` ints.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = next_word(rest) {
        let end = at + rest[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len() - at);
        let word = &rest[at..end];
        out.push_str(&rest[..at]);
        rest = &rest[end..];
        match word {
            "LITMPI_UNIT" | "LITMPI_SINGLE" => {
                let (inside, behind) = argument(rest);
                out.push_str(&if word == "LITMPI_UNIT" { unit(&plain(inside)).to_owned() } else { plain(inside) });
                rest = behind;
            }
            "LITMPI_BYTES" => out.push_str("(int)sizeof(int) * N"),
            "LITMPI_COMM" => out.push_str("comm"),
            "LITMPI_TRY" => out.push_str("TRY"),
            _ => out.push_str(&format!("my_{}", word["litmpi_".len()..].to_ascii_lowercase())),
        }
    }
    out.push_str(rest);
    let out = out.replace(" * 1,", ",").replace(" * 1)", ")");
    // One block, which the end of another number is not.
    let mut whole = String::new();
    let mut rest = out.as_str();
    while let Some((before, behind)) = rest.split_once("1 * N") {
        whole.push_str(before);
        whole.push_str(if before.ends_with(|c: char| c.is_ascii_alphanumeric()) { "1 * N" } else { "N" });
        rest = behind;
    }
    whole + rest
}

/// Where the next word of the harness begins.
fn next_word(text: &str) -> Option<usize> {
    let begins = |at: &usize| !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let all = text.match_indices("litmpi_").chain(text.match_indices("LITMPI_")).map(|(at, _)| at);
    all.filter(begins).min()
}

/// What stands in the brackets that the text begins with, and what behind them.
fn argument(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return (text.get(1..at).unwrap_or_default(), &text[at + c.len_utf8()..]);
        }
    }
    (text, "")
}

/// How many items of a datatype a block is: a predefined type's are ints, the program's own types are made of blocks.
fn unit(datatype: &str) -> &'static str {
    match datatype {
        "MPI_PACKED" => "N * (int)sizeof(int)",
        "MPI_DATATYPE_NULL" => "1",
        t if t.starts_with("MPI_") => "N",
        _ => "1",
    }
}

/// The words of a text that are a reproducer's own functions.
pub(super) fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| w.starts_with("my_"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn words_of_the_harness_become_plain_ones() {
        for (harness, said) in [
            (
                "LITMPI_TRY(MPI_Send(a, 1 * LITMPI_UNIT(MPI_INT), MPI_INT, LITMPI_COMM));",
                "TRY(MPI_Send(a, N, MPI_INT, comm));",
            ),
            ("MPI_Send(a, 2 * LITMPI_UNIT(MPI_INT), t)", "MPI_Send(a, 2 * N, t)"),
            ("put(x + 11 * LITMPI_UNIT(MPI_INT), 1 * LITMPI_UNIT(MPI_INT))", "put(x + 11 * N, N)"),
            ("MPI_Send(a, 3 * LITMPI_UNIT(t), t)", "MPI_Send(a, 3, t)"),
            ("LITMPI_SINGLE(MPI_Win_sync)(w)", "MPI_Win_sync(w)"),
            ("f(LITMPI_UNIT(LITMPI_SINGLE(MPI_2INT)))", "f(N)"),
            ("litmpi_observe(1, litmpi_source(&s))", "my_observe(1, my_source(&s))"),
            ("LITMPI_Win_allocate(LITMPI_BYTES * (2))", "my_win_allocate((int)sizeof(int) * N * (2))"),
        ] {
            assert_eq!(plain(harness), said);
        }
    }
}
