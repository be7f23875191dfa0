//! What a suite prints, read line by line; `outcomes.c` of the harness says what there is.

use crate::observed::{Observed, Tally};

/// A line of the program's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// The library's own name and version.
    Library(String),
    Begin(usize),
    /// The count so far replaces the one before.
    Outcome(usize, Observed, Tally),
    Sofar(usize, u64),
    End(usize, u64, u64),
    Problem(String),
    Done,
    /// The process has used up what an iteration may leave behind: what is left of the schedule needs a fresh one.
    Fresh,
    /// A launcher's own: it is at work.
    Alive,
    /// A launcher's own: what the ranks ran on broke down, for this reason.
    Again(String),
    /// A launcher's own: a counter of a device moved on by so much.
    Counter(String, u64),
}

impl Line {
    /// The number of the entry that it speaks of, if it speaks of one.
    pub(crate) fn entry(&self) -> Option<usize> {
        match self {
            Line::Begin(id) | Line::Outcome(id, ..) | Line::Sofar(id, _) | Line::End(id, ..) => Some(*id),
            _ => None,
        }
    }
}

/// A line that the harness writes to stderr: where something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) entry: usize,
    pub(crate) rank: usize,
    pub(crate) what: String,
    pub(crate) iteration: u64,
    /// Of an error: its class.
    pub(crate) class: Option<String>,
    /// The line of the test; 0 behind the body's end.
    pub(crate) line: u64,
    /// Of an error: the call that was made, where it stands for another one in the test.
    pub(crate) call: Option<String>,
    /// `rank 1 iteration 5: file.litmus:3 …`
    pub(crate) text: String,
}

/// Reads a line of stdout; none for the launcher's own words.
pub(crate) fn parse(line: &str) -> Option<Line> {
    let rest = line.trim_end().strip_prefix("litmpi ")?;
    let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut numbers = rest.split(' ');
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(match word {
        "library" => Line::Library(rest.split_whitespace().collect::<Vec<_>>().join(" ")),
        "begin" => Line::Begin(usize::try_from(next()?).ok()?),
        "sofar" => Line::Sofar(usize::try_from(next()?).ok()?, next()?),
        "end" => Line::End(usize::try_from(next()?).ok()?, next()?, next()?),
        "problem" => Line::Problem(rest.to_string()),
        "done" => Line::Done,
        "fresh" => Line::Fresh,
        "alive" => Line::Alive,
        "again" => Line::Again(rest.to_string()),
        "counter" => Line::Counter(rest.rsplit_once(' ')?.0.to_string(), rest.rsplit_once(' ')?.1.parse().ok()?),
        "outcome" => {
            let mut parts = rest.splitn(4, ' ');
            let id = parts.next()?.parse().ok()?;
            let tally = Tally { count: parts.next()?.parse().ok()?, first: parts.next()?.parse().ok()? };
            Line::Outcome(id, observed(parts.next()?)?, tally)
        }
        _ => return None,
    })
}

fn observed(text: &str) -> Option<Observed> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "values" => {
            let value = |w: &str| if w == "torn" { Some(None) } else { w.parse().ok().map(Some) };
            Observed::Values(rest.split_whitespace().map(value).collect::<Option<_>>()?)
        }
        "deadlock" => Observed::Deadlock,
        "cut" => Observed::Cut,
        "error" => Observed::Error(rest.to_string()),
        "corrupt" => Observed::Corrupt(rest.to_string()),
        _ => return None,
    })
}

/// Reads a line of stderr. Launchers may put a prefix before it.
pub(crate) fn parse_note(line: &str) -> Option<Note> {
    let rest = &line[line.find("litmpi! ")? + "litmpi! ".len()..];
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [entry, "rank", rank, "iteration", iteration, what, place @ ..] = words.as_slice() else { return None };
    let is_behind = place.get(1..3).is_some_and(|words| words == ["(body", "ended)"]);
    let line = place.first().and_then(|at| at.rsplit_once(':')).and_then(|(_, line)| line.parse().ok());
    Some(Note {
        entry: entry.parse().ok()?,
        rank: rank.parse().ok()?,
        what: (*what).to_string(),
        iteration: iteration.parse().ok()?,
        class: place
            .iter()
            .find(|w| ["MPI_ERR_", "IBV_"].iter().any(|p| w.starts_with(p)))
            .map(|w| w.trim_end_matches(':').to_string()),
        line: line.filter(|_| !is_behind).unwrap_or(0),
        call: place
            .get(2)
            .filter(|w| **w == "from")
            .and_then(|_| place.get(3))
            .map(|w| w.trim_end_matches(':').to_string()),
        text: format!("rank {rank}, iteration {iteration}: {what} at {}", place.join(" ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_other_words_are_not() {
        assert_eq!(parse("litmpi library Open MPI v4,  x\n"), Some(Line::Library("Open MPI v4, x".into())));
        assert_eq!(parse("litmpi begin 3 causal_order"), Some(Line::Begin(3)));
        let values = Observed::Values(vec![Some(2), None, Some(-1)]);
        let tally = Tally { count: 17, first: 4 };
        assert_eq!(parse("litmpi outcome 3 17 4 values 2 torn -1"), Some(Line::Outcome(3, values, tally)));
        let empty = Observed::Values(vec![]);
        assert_eq!(parse("litmpi outcome 3 17 4 values"), Some(Line::Outcome(3, empty, tally)));
        let error = Observed::Error("MPI_ERR_TAG".into());
        assert_eq!(parse("litmpi outcome 3 17 4 error MPI_ERR_TAG"), Some(Line::Outcome(3, error, tally)));
        let corrupt = Observed::Corrupt("a of rank 1: elements 0-1 hold 7 as it belongs at 2-3".into());
        let line = "litmpi outcome 3 17 4 corrupt a of rank 1: elements 0-1 hold 7 as it belongs at 2-3";
        assert_eq!(parse(line), Some(Line::Outcome(3, corrupt, tally)));
        assert_eq!(parse("litmpi end 3 100 250"), Some(Line::End(3, 100, 250)));
        assert_eq!(parse("litmpi outcome 3 many 4 cut"), None);
        assert_eq!(parse("litmpi again it panicked"), Some(Line::Again("it panicked".into())));
        assert_eq!(
            parse("litmpi counter guest0/rx0/sent_pkts 12"),
            Some(Line::Counter("guest0/rx0/sent_pkts".into(), 12))
        );
        assert_eq!(parse("litmpi fresh"), Some(Line::Fresh));
        assert_eq!(parse("mpirun says litmpi done"), None);
    }

    #[test]
    fn a_note_says_who_was_where() {
        let note = parse_note("[host] litmpi! 10 rank 1 iteration 7 hang head.litmus:2 no progress").expect("a note");
        assert_eq!((note.entry, note.iteration, note.what.as_str()), (10, 7, "hang"));
        assert_eq!(note.text, "rank 1, iteration 7: hang at head.litmus:2 no progress");
        let note =
            parse_note("litmpi! 0 rank 0 iteration 2 error a.litmus:2 MPI_ERR_TAG: no such tag").expect("a note");
        assert_eq!((note.class.as_deref(), note.line, note.rank), (Some("MPI_ERR_TAG"), 2, 0));
        let polled = "litmpi! 0 rank 0 iteration 2 error a.litmus:12 MPI_ERR_TAG from MPI_Testall: no such tag";
        let note = parse_note(polled).expect("a note");
        assert_eq!(
            (note.line, note.call.as_deref(), note.class.as_deref()),
            (12, Some("MPI_Testall"), Some("MPI_ERR_TAG"))
        );
        let behind =
            parse_note("litmpi! 3 rank 1 iteration 0 hang a.litmus:4 (body ended) no progress").expect("a note");
        assert_eq!((behind.line, behind.call), (0, None));
        assert_eq!(parse_note("some warning"), None);
    }
}
