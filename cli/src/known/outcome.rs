//! Which outcomes a known violation shows: a kind of them, a class of errors, or values as the test prints them.

use litmpi_runner::{ELEMENTS, EXCHANGED, Observed, SeenOutcome};

/// Whether a text names an outcome, or a kind of outcomes.
pub(super) fn is_outcome(text: &str) -> bool {
    let is_value = |part: &str| part.split_once('=').is_some_and(|(name, _)| !name.trim().is_empty());
    matches!(text, "deadlock" | "error" | "corrupt" | "values" | EXCHANGED | ELEMENTS)
        || is_of_a_register(text)
        || text.strip_prefix("error ").is_some_and(|class| !class.trim().is_empty())
        || !text.trim().is_empty() && parts(text).all(is_value)
}

/// Whether a text names a kind of outcome that comes about in a call.
pub(super) fn is_in_a_call(text: &str) -> bool {
    text == "deadlock" || text.starts_with("error ") || is_of_what_calls_have(text)
}

/// Whether a text says what a call has left in what it was given: a value in a register or in a field of one, or in an array.
pub(super) fn is_of_what_calls_have(text: &str) -> bool {
    matches!(text, EXCHANGED | ELEMENTS) || is_of_a_field(text) || is_of_a_register(text)
}

/// Whether a text says what a register without fields holds that a call has written: `=1`.
fn is_of_a_register(text: &str) -> bool {
    text.strip_prefix('=').is_some_and(|value| value.parse::<i64>().is_ok())
}

/// Whether a text says what a field of a register holds that a call has written: `.error=0`.
fn is_of_a_field(text: &str) -> bool {
    text.starts_with('.') && text.contains('=') && !text.contains(';')
}

/// Whether an outcome is one that a known violation shows: of its kind, of its class of error, or with its values.
pub(super) fn fits(known: &str, seen: &SeenOutcome) -> bool {
    match &seen.observed {
        Observed::Deadlock => known == "deadlock",
        Observed::Corrupt(_) => known == "corrupt",
        Observed::Error(class) => {
            known == "error" || known.strip_prefix("error ").is_some_and(|c| class.starts_with(c))
        }
        Observed::Values(_) => known == "values" || parts(known).all(|part| parts(&seen.outcome).any(|p| p == part)),
        Observed::Cut => false,
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|p| !p.is_empty())
}

/// The text that an entry has for an outcome.
pub(super) fn named(seen: &SeenOutcome) -> String {
    match &seen.observed {
        Observed::Deadlock => "deadlock".to_owned(),
        Observed::Corrupt(_) => "corrupt".to_owned(),
        Observed::Error(class) => format!("error {}", class.split(": ").next().unwrap_or(class)),
        Observed::Values(_) | Observed::Cut => seen.outcome.trim_end_matches(';').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmpi_runner::Tally;

    #[test]
    fn a_known_outcome_is_told_from_others_of_the_same_test() {
        let seen = |observed: Observed, printed: &str| SeenOutcome {
            outcome: printed.to_owned(),
            observed,
            tally: Tally { count: 1, first: 0 },
            allowed: Some(false),
        };
        let deadlock = seen(Observed::Deadlock, "deadlock");
        let other = seen(Observed::Error("MPI_ERR_OTHER".into()), "error MPI_ERR_OTHER");
        let corrupt = seen(Observed::Corrupt("x".into()), "corrupt: x");
        let values = seen(Observed::Values(vec![Some(1), Some(2)]), "a=1; b=2;");
        let torn = seen(Observed::Values(vec![Some(1), None]), "a=1; b=torn;");
        for (known, seen, expected) in [
            ("deadlock", &deadlock, true),
            ("deadlock", &values, false),
            ("deadlock", &other, false),
            ("error MPI_ERR_OTHER", &other, true),
            ("error MPI_ERR_TRUNCATE", &other, false),
            ("error", &other, true),
            ("error", &corrupt, false),
            ("corrupt", &corrupt, true),
            ("corrupt", &values, false),
            ("values", &torn, true),
            ("values", &deadlock, false),
            ("values", &corrupt, false),
            ("b=torn", &torn, true),
            ("b=2", &values, true),
            ("b=2; a=1", &values, true),
            ("b=20", &values, false),
            ("b=2; c=3", &values, false),
            ("b=2", &deadlock, false),
        ] {
            assert!(is_outcome(known), "{known}");
            assert_eq!(fits(known, seen), expected, "{known} | {}", seen.outcome);
        }
        for wrong in ["", "hang", "error ", "a", "=x"] {
            assert!(!is_outcome(wrong), "{wrong}");
        }
    }
}
