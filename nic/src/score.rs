//! A score: in which order the threads of a test and its queue pairs take their steps, so that a wanted outcome comes
//! about. It is made of a trace of the model, and followed by the [device](crate::direct) and by the program's harness.
//!
//! ```text
//! score                              a new one; they are numbered from 0
//! thread 0 7                         the first thread runs the statement of line 7
//! queue 0 1 put/fetch 0              its queue pair towards the second node takes a step by this rule, the first way
//! queue 0 0 datagram/lose 0          towards its own node: its queue pair for datagrams does
//! thread 1 12 late at-once           its store stays in the buffer for a while; nobody waits for the end of this
//! ```
//!
//! Store buffers are real ones: that a write leaves its buffer is no item. Where a trace has it at once, as it mostly can be
//! put, the statement's end says that it has. Where another step must come in between, the thread makes stores that take
//! long before that one, behind which it waits for a microsecond or two; everything meanwhile is done at once, and may or may
//! not succeed.

use litmpi_engine::eval::Fault;
use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::heap::Word;
use litmpi_spec::types::Sort;
use std::fmt;

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A thread, by index, runs the statement of a line.
    Statement {
        /// The thread.
        thread: usize,
        /// The line of the test's file.
        line: usize,
    },
    /// A queue pair takes a step.
    Rule {
        /// The thread, by index, that it is of.
        thread: usize,
        /// The node, by index, that it goes to; the thread's own one for datagrams.
        node: usize,
        /// The rule.
        rule: String,
        /// Which of the ways in which the rule can be applied then, if there are several.
        way: usize,
    },
}

/// One item of a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What happens.
    pub act: Act,
    /// What the statement writes is to stay in the store buffer.
    pub late: bool,
    /// The next one does not wait for its end.
    pub at_once: bool,
}

/// A score.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Score {
    /// What happens, in this order.
    pub items: Vec<Item>,
}

impl Score {
    /// The score of a trace: the states that it goes through, the initial one first, and the steps between them.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn of_trace(machine: &Machine, states: Vec<Vec<Word>>, steps: Vec<Step>) -> Result<Score, Fault> {
        let mut trace = Trace { machine, states, steps };
        trace.empty_buffers_early()?;
        trace.begin_late()?;
        trace.empty_buffers_early()?;
        let once = trace.score()?;
        // Each makes room for the other; but what must be done at once should be little.
        trace.begin_late()?;
        trace.empty_buffers_early()?;
        let twice = trace.score()?;
        let hurried = |s: &Score| s.items.iter().filter(|i| i.at_once).count();
        Ok(if hurried(&twice) < hurried(&once) { twice } else { once })
    }

    /// Reads scores.
    ///
    /// # Errors
    /// A line that is none.
    pub fn read(text: &str) -> Result<Vec<Score>, Report> {
        let mut all: Vec<Score> = vec![];
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words == ["score"] {
                all.push(Score::default());
                continue;
            }
            let item = item(&words).zip(all.last_mut());
            let (item, score) = item.ok_or_else(|| {
                Report::from(Diagnostic::general(format!("line {} of the scores is `{line}`", i + 1)).help(
                    "lines are `score`, and below it `thread T LINE` and `queue T N RULE WAY`, with `late` or `at-once` behind",
                ))
            })?;
            score.items.push(item);
        }
        Ok(all)
    }
}

fn item(words: &[&str]) -> Option<Item> {
    let (words, at_once) = match words {
        [rest @ .., "at-once"] => (rest, true),
        all => (all, false),
    };
    let (words, late) = match words {
        [rest @ .., "late"] => (rest, true),
        all => (all, false),
    };
    let act = match words {
        ["thread", t, line] => Act::Statement { thread: t.parse().ok()?, line: line.parse().ok()? },
        ["queue", t, n, rule, way] => Act::Rule {
            thread: t.parse().ok()?,
            node: n.parse().ok()?,
            rule: (*rule).to_owned(),
            way: way.parse().ok()?,
        },
        _ => return None,
    };
    Some(Item { act, late, at_once })
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "score")?;
        for item in &self.items {
            match &item.act {
                Act::Statement { thread, line } => write!(f, "thread {thread} {line}")?,
                Act::Rule { thread, node, rule, way } => write!(f, "queue {thread} {node} {rule} {way}")?,
            }
            write!(f, "{}", if item.late { " late" } else { "" })?;
            writeln!(f, "{}", if item.at_once { " at-once" } else { "" })?;
        }
        Ok(())
    }
}

/// A way through a model, whose steps are put where a program and a device can take them.
struct Trace<'m> {
    machine: &'m Machine,
    states: Vec<Vec<Word>>,
    steps: Vec<Step>,
}

impl Trace<'_> {
    /// The states that a step leads to, in the order of the ways to take it.
    fn after(&self, state: &[Word], step: &Step) -> Result<Vec<Vec<Word>>, Fault> {
        let mut out = vec![];
        self.machine.transitions(state, &mut |s, to| {
            if s == *step
                && let Target::State(to) = to
            {
                out.push(to.to_vec());
            }
        })?;
        Ok(out)
    }

    /// Whether a step is of a thread's store buffer: of no instruction, and of no queue pair.
    fn is_of_buffer(&self, step: &Step) -> bool {
        self.sorts(step) == [Sort::Thread] && step.thread.is_none()
    }

    fn sorts(&self, step: &Step) -> Vec<Sort> {
        let rule = step.rule.map(|r| &self.machine.spec().rules[r]);
        rule.map_or(vec![], |r| r.params.iter().map(|(_, s)| *s).collect())
    }

    /// Lets the step behind this one go first, if the state after both is the same.
    fn swap(&mut self, at: usize) -> Result<bool, Fault> {
        let (first, second) = (&self.steps[at], &self.steps[at + 1]);
        for between in self.after(&self.states[at], second)? {
            if self.after(&between, first)?.contains(&self.states[at + 2]) {
                self.states[at + 1] = between;
                self.steps.swap(at, at + 1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes and requests leave store buffers as soon as they may, as they mostly do.
    fn empty_buffers_early(&mut self) -> Result<(), Fault> {
        for i in 0..self.steps.len() {
            let mut at = if self.is_of_buffer(&self.steps[i]) { i } else { 0 };
            while at > 0 && self.swap(at - 1)? {
                at -= 1;
            }
        }
        Ok(())
    }

    /// What threads do is put off until others wait for it, so that a write is in its buffer for as short as it may.
    fn begin_late(&mut self) -> Result<(), Fault> {
        for i in (0..self.steps.len()).rev() {
            let mut at = i;
            while let (Some(t), Some(next)) = (self.steps[at].thread, self.steps.get(at + 1)) {
                let own = next.thread == Some(t) || self.is_of_buffer(next) && next.params[0] as usize == t;
                if own || !self.swap(at)? {
                    break;
                }
                at += 1;
            }
        }
        Ok(())
    }

    fn score(&self) -> Result<Score, Fault> {
        let mut at_once = vec![false; self.steps.len()];
        let mut late = at_once.clone();
        for (i, step) in self.steps.iter().enumerate().filter(|(_, s)| self.is_of_buffer(s)) {
            let mut begun = i;
            while begun > 0 && !self.after(&self.states[begun - 1], step)?.is_empty() {
                begun -= 1;
            }
            if begun < i {
                at_once[begun.saturating_sub(1)..i].fill(true);
                let writes = self.steps[..begun].iter().rposition(|s| s.thread == Some(step.params[0] as usize));
                late[writes.unwrap_or(0)] = true;
            }
        }
        let mut items = vec![];
        for (i, step) in self.steps.iter().enumerate() {
            let act = if let Some(thread) = step.thread {
                let Some(span) = self.machine.step_source(step, &self.states[i]) else { continue };
                Act::Statement { thread, line: span.line_col().0 }
            } else if let [Sort::Thread, to @ (Sort::Node | Sort::Thread)] = self.sorts(step)[..] {
                let ways = self.after(&self.states[i], step)?;
                let way = ways.iter().position(|s| *s == self.states[i + 1]).unwrap_or(0);
                let rule = step.rule.map_or("", |r| &self.machine.spec().rules[r].name).to_owned();
                let thread = step.params[0] as usize;
                let own = || self.machine.program().threads[thread].node;
                let node = if to == Sort::Node { step.params[1] as usize } else { own() };
                if self.is_fence_alone(i, step) {
                    continue;
                }
                Act::Rule { thread, node, rule, way }
            } else {
                continue;
            };
            items.push(Item { act, late: late[i], at_once: at_once[i] });
        }
        Ok(Score { items })
    }

    /// A fence is a flag of the request behind it: one with nothing behind it is none.
    fn is_fence_alone(&self, at: usize, step: &Step) -> bool {
        let rule = step.rule.map_or("", |r| &self.machine.spec().rules[r].name);
        let of_same = |s: &Step| s.thread.is_none() && s.params == step.params;
        rule.starts_with("rfence/") && !self.steps[at + 1..].iter().any(of_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_prints_as_the_text_that_it_is_read_from() {
        let text = "score\nthread 0 7\nqueue 0 1 put/fetch 2\nscore\nthread 1 12 late at-once\n";
        let all = Score::read(text).expect("scores");
        assert_eq!(all.iter().map(Score::to_string).collect::<String>(), text);
        for bad in ["thread 0 7", "score\nthread 0", "score\nqueue 0 1 put/fetch", "score\nthread a 7"] {
            let said = Score::read(bad).expect_err("no scores").to_string();
            assert!(said.contains("of the scores is"), "{said}");
        }
    }
}
