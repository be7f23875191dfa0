//! One test under everything: what differs, and what must not have been seen.

use super::column::{Answer, Column};
use litmpi_litmus::log::State;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What the logs of a test are worth before the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Judgement {
    /// No log, or no model that can say something.
    #[default]
    None,
    /// All that was seen is allowed.
    Conforms,
    /// Something was seen that a model does not allow.
    Violation,
    /// Something was seen that a model did not find within its bounds.
    Undecided,
    /// The test is erroneous in a model: anything may be seen.
    Erroneous,
}

/// A model's word for a claim that it does not judge.
pub(super) const UNDECIDED: &str = "undecided";

impl Judgement {
    pub(super) fn word(self) -> &'static str {
        match self {
            Judgement::None => "-",
            Judgement::Conforms => "conforms",
            Judgement::Violation => "VIOLATION",
            Judgement::Undecided => "undecided",
            Judgement::Erroneous => "erroneous",
        }
    }

    pub(super) fn is_violation(self) -> bool {
        self == Judgement::Violation
    }
}

/// A test under every column.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) path: Option<PathBuf>,
    /// The conditions, in herd's notation.
    pub(super) conditions: Vec<String>,
    /// What each column says; none for a log that does not speak of it, and why for a model that cannot.
    pub(super) answers: Vec<Option<Result<Answer, String>>>,
    /// Whether two models, or two logs, have different states.
    pub(super) differs: bool,
    pub(super) verdict: Judgement,
    /// States that were seen and are not allowed: log, model, state.
    pub(super) wrong: Vec<(usize, usize, State)>,
    /// What is to be said of the comparison.
    pub(super) notes: Vec<String>,
    logs: Vec<bool>,
    /// A model among the columns knows no deadlocks.
    values_only: bool,
}

impl Row {
    pub(super) fn new(
        name: String,
        path: Option<PathBuf>,
        conditions: Vec<String>,
        answers: Vec<Option<Result<Answer, String>>>,
        columns: &[Column],
    ) -> Row {
        Row {
            name,
            path,
            conditions,
            answers,
            differs: false,
            verdict: Judgement::None,
            wrong: vec![],
            notes: vec![],
            logs: columns.iter().map(Column::is_log).collect(),
            values_only: columns.iter().any(Column::values_only),
        }
    }

    /// Whether a model stopped at a bound.
    pub(super) fn stopped(&self) -> bool {
        self.verdict == Judgement::Undecided
            || self.speaking(false).iter().filter_map(|c| self.answer(*c)).any(|a| !a.complete)
    }

    /// Whether a model stopped at a bound before a verdict, or whether all that was seen is allowed, was decided.
    pub(super) fn is_undecided(&self) -> bool {
        let stopped = |a: &&Answer| !a.complete || a.words.iter().any(|w| w == UNDECIDED);
        self.verdict == Judgement::Undecided
            || self.speaking(false).iter().filter_map(|c| self.answer(*c)).any(|a| stopped(&a))
    }

    /// What a column says, if it says something.
    pub(super) fn answer(&self, column: usize) -> Option<&Answer> {
        self.answers[column].as_ref()?.as_ref().ok()
    }

    pub(super) fn is_log(&self, column: usize) -> bool {
        self.logs[column]
    }

    /// The columns that say something, logs or models.
    fn speaking(&self, logs: bool) -> Vec<usize> {
        (0..self.answers.len()).filter(|c| self.logs[*c] == logs && self.answer(*c).is_some()).collect()
    }

    /// Makes the states of all columns comparable, then compares.
    pub(super) fn judge(&mut self) {
        self.leave_out_deadlocks();
        if !self.project() {
            return;
        }
        let (models, logs) = (self.speaking(false), self.speaking(true));
        // A log shows what it shows; of models, one that stopped at a bound lacks nothing for sure.
        let seen: BTreeSet<Vec<&State>> =
            logs.iter().filter_map(|c| self.answer(*c)).map(|a| a.states.keys().collect()).collect();
        let answers: Vec<&Answer> = models.iter().filter_map(|c| self.answer(*c)).collect();
        let lacks = |a: &Answer, b: &Answer| a.complete && b.states.keys().any(|s| !a.states.contains_key(s));
        self.differs = seen.len() > 1 || answers.iter().any(|a| answers.iter().any(|b| lacks(a, b)));
        if models.is_empty() || logs.is_empty() {
            return;
        }
        let mut verdict = Judgement::Conforms;
        let is = |s: &State, word: &str| matches!(s, State::Word(w) if w == word || w.starts_with(&format!("{word} ")));
        for model in models {
            let Some(allowed) = self.answer(model).cloned() else { continue };
            if allowed.states.keys().any(|s| is(s, "erroneous")) {
                if verdict != Judgement::Violation {
                    verdict = Judgement::Erroneous;
                }
                continue;
            }
            for log in &logs {
                let Some(seen) = self.answer(*log) else { continue };
                let new: Vec<State> = seen
                    .states
                    .keys()
                    // A loop that was cut is no outcome.
                    .filter(|s| !allowed.states.contains_key(*s) && !is(s, "cut"))
                    .cloned()
                    .collect();
                for state in new {
                    // Within its bounds, a model may even not have found yet that the program is erroneous.
                    if allowed.complete {
                        verdict = Judgement::Violation;
                    } else if verdict != Judgement::Violation {
                        verdict = Judgement::Undecided;
                    }
                    self.wrong.push((*log, model, state));
                }
            }
        }
        self.verdict = verdict;
    }

    fn leave_out_deadlocks(&mut self) {
        if !self.values_only {
            return;
        }
        for (column, answer) in self.answers.iter_mut().enumerate() {
            let Some(Ok(answer)) = answer else { continue };
            let gone = answer.states.remove(&State::Word("deadlock".into()));
            if gone.is_some() && self.logs[column] {
                self.notes.push("a deadlock was seen, of which declarative models say nothing".into());
            }
        }
    }

    /// Compares only values that every column gives; false if there are none.
    fn project(&mut self) -> bool {
        let named = |a: &Answer| -> Option<BTreeSet<String>> {
            let of =
                |s: &State| matches!(s, State::Values(_)).then(|| s.names().into_iter().map(str::to_owned).collect());
            a.states.keys().filter_map(of).reduce(|a: BTreeSet<String>, b| &a & &b)
        };
        let all: Vec<BTreeSet<String>> = self.answers.iter().flatten().flatten().filter_map(named).collect();
        let Some(common) = all.iter().cloned().reduce(|a, b| &a & &b) else { return true };
        if all.iter().all(|names| *names == common) {
            return true;
        }
        if common.is_empty() {
            self.notes.push("not comparable: no value stands in the states of all".into());
            return false;
        }
        let names: Vec<&str> = common.iter().map(String::as_str).collect();
        self.notes.push(format!("only {} stand in the states of all and are compared", names.join(", ")));
        for answer in self.answers.iter_mut().flatten().flatten() {
            let mut states: BTreeMap<State, Option<u64>> = BTreeMap::new();
            for (state, n) in &answer.states {
                let count = states.entry(state.on(&common)).or_insert(n.map(|_| 0));
                *count = count.zip(*n).map(|(a, b)| a + b);
            }
            answer.states = states;
        }
        true
    }

    /// States of a column that the first speaking column lacks, and the other way round.
    pub(super) fn against_first(&self, column: usize) -> Option<(Vec<&State>, Vec<&State>)> {
        let first = (0..self.answers.len()).find_map(|c| self.answer(c))?;
        let here = self.answer(column)?;
        // What an answer that is not complete does not have is not known to be forbidden there.
        let more = here.states.keys().filter(|s| first.complete && !first.states.contains_key(*s)).collect();
        let less = first.states.keys().filter(|s| here.complete && !here.states.contains_key(*s)).collect();
        Some((more, less))
    }
}
