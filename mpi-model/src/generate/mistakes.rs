//! Mistakes: a legal program with one thing changed, so that the model calls it erroneous.
//!
//! The programs of the other generators are never erroneous, so that no requirement of a rule is violated in them. Here a call of such a program is
//! left out, made twice or moved, or one word of it (a number, a constant, a name) gives way to another word of its kind, of any call. Whether the
//! program can still be read, and whether it is erroneous now, the caller asks the model.

use super::Dice;

/// Numbers that stand for many wrong ones.
const NUMBERS: [&str; 5] = ["-1", "0", "1", "2", "100"];

/// A word of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// Of MPI: `MPI_INT`.
    Constant,
    /// Of the program: a variable, a request.
    Name,
}

/// A program with one change, which a seed stands for; none if it has no call. Most changes give no program, or one that is as legal as it was.
pub fn mistaken(text: &str, seed: u64) -> Option<String> {
    let mut dice = Dice::new(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let calls: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].starts_with("  MPI_")).collect();
    let at = *calls.get(dice.roll(calls.len().max(1)))?;
    match dice.roll(6) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let call = lines.remove(at);
            let to = calls[dice.roll(calls.len())];
            lines.insert(to, call);
        }
        _ => {
            lines[at] = reworded(&lines[at], &calls.iter().map(|c| lines[*c].as_str()).collect::<Vec<_>>(), &mut dice)?
        }
    }
    Some(lines.join("\n") + "\n")
}

/// A call with another word.
fn reworded(call: &str, all: &[&str], dice: &mut Dice) -> Option<String> {
    let own = words(call);
    let (from, to, kind) = *own.get(dice.roll(own.len().max(1)))?;
    let there = all.iter().flat_map(|c| words(c).into_iter().map(|(from, to, kind)| (&c[from..to], kind)));
    let mut others: Vec<&str> = there.filter(|(_, k)| *k == kind).map(|(word, _)| word).collect();
    if kind == Kind::Number {
        others.extend(NUMBERS);
    }
    if kind == Kind::Constant {
        others.extend(CONSTANTS);
    }
    others.sort_unstable();
    others.dedup();
    others.retain(|w| *w != &call[from..to]);
    let other = others.get(dice.roll(others.len().max(1)))?;
    Some(format!("{}{other}{}", &call[..from], &call[to..]))
}

/// Constants that many calls may name, and the handles that stand for nothing.
const CONSTANTS: [&str; 14] = [
    "MPI_INT",
    "MPI_CHAR",
    "MPI_DOUBLE",
    "MPI_SUM",
    "MPI_MAXLOC",
    "MPI_REPLACE",
    "MPI_IN_PLACE",
    "MPI_COMM_SELF",
    "MPI_COMM_WORLD",
    "MPI_COMM_NULL",
    "MPI_DATATYPE_NULL",
    "MPI_REQUEST_NULL",
    "MPI_OP_NULL",
    "MPI_WIN_NULL",
];

/// The words of a call's arguments: where they begin and end. Labels, as `dest:`, are none.
fn words(call: &str) -> Vec<(usize, usize, Kind)> {
    let Some(open) = call.find('(') else { return vec![] };
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = vec![];
    let mut at = open + 1;
    while at < call.len() {
        let rest = &call[at..];
        let sign = usize::from(rest.starts_with('-'));
        let len = rest[sign..].find(|c| !is_of_word(c)).unwrap_or(rest.len() - sign);
        if len == 0 {
            at += sign + rest[sign..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let (from, to) = (at, at + sign + len);
        let word = &call[from + sign..to];
        let kind = if word.starts_with(|c: char| c.is_ascii_digit()) {
            Kind::Number
        } else if word.starts_with("MPI_") {
            Kind::Constant
        } else {
            Kind::Name
        };
        if !call[to..].starts_with(':') && word != "int" {
            out.push((from, to, kind));
        }
        at = to;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_arguments_and_not_labels() {
        let call = "  MPI_Send(_b0[1], 2, MPI_INT, dest: -1, tag: any)";
        let found: Vec<&str> = words(call).into_iter().map(|(from, to, _)| &call[from..to]).collect();
        assert_eq!(found, ["_b0", "1", "2", "MPI_INT", "-1", "any"]);
    }

    #[test]
    fn a_seed_stands_for_one_change_of_one_call() {
        let text = "litmus mpi t \"t\"\nrank 0 {\n  MPI_Send(1, dest: 1)\n  MPI_Barrier()\n}\nrank 1 {\n  MPI_Recv(a, source: 0)\n  MPI_Barrier()\n}\nexists true\n";
        let changed: std::collections::BTreeSet<String> = (0..400).filter_map(|seed| mistaken(text, seed)).collect();
        assert!(changed.len() > 20, "{}", changed.len());
        assert_eq!(mistaken(text, 7), mistaken(text, 7));
        for wanted in ["dest: 100", "source: -1", "rank 0 {\n  MPI_Barrier()\n}", "MPI_Barrier()\n  MPI_Barrier()"] {
            assert!(changed.iter().any(|c| c.contains(wanted)), "{wanted}");
        }
        assert_eq!(mistaken("litmus mpi t \"t\"\nrank 0 {\n}\nexists true\n", 1), None);
    }
}
