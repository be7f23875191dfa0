//! How many programs there are to be made: it is said before the first one is.

use super::GenerateArgs;
use litmpi_spec::diag::{Diagnostic, Report};

/// More programs, or rows of edges, are begun only if a number is asked for.
pub(super) const MANY: u128 = 1_000_000;

/// Says how many programs there are of at most `--size` statements, of which `count` counts those of one size; an error if they are too many.
///
/// # Errors
/// More than a million, where no number is asked for.
pub(super) fn bounded(args: &GenerateArgs, count: impl Fn(usize) -> usize, with: &str) -> Result<(), Report> {
    // How many there are is known of small sizes, and grows by at least as much with each further statement.
    let (mut before, mut last, mut total) = (0_u128, 1_u128, 0_u128);
    for n in 1..=args.size() {
        let estimate = (last * last).checked_div(before).unwrap_or(last);
        let count = if estimate > 20_000 { estimate } else { count(n) as u128 };
        (before, last) = (last, count.max(1));
        total += count;
    }
    if args.most.is_none() && total > MANY {
        let message = format!("of at most {} statements there are about {} programs", args.size(), thousands(total));
        let help =
            format!("take a smaller `--size`, fewer instructions ({with}), or the first so many programs (`--most N`)");
        return Err(Diagnostic::general(message).help(help).into());
    }
    Ok(())
}

/// `1,234,567`
pub(super) fn thousands(n: u128) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
