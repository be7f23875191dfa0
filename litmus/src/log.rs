//! Logs of herd7, litmus7 and litmpi itself, read back.
//!
//! ```text
//! Test SB Allowed                         Test SB Allowed
//! States 2                                Histogram (2 states)
//! 0:EAX=0; 1:EAX=1;                       12    :>0:EAX=0; 1:EAX=1;
//! 0:EAX=1; 1:EAX=1;                       3     *>0:EAX=1; 1:EAX=1;
//! No                                      Ok
//! Witnesses …                             Witnesses …
//! Condition exists (…)                    Condition exists (…) is validated
//! Observation SB Never 0 2                Observation SB Sometimes 3 12
//! Hash=2d53e83cd627ba17ab11c875525e078b
//! ```
//! What stands before the first `Test` and between blocks (programs, assembly, warnings) is passed over. A state is its
//! values by name: `[x]=0x1;` and `x=1;` are the same.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A final state in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum State {
    /// Values by name; integers in decimal, anything else as it stands.
    Values(BTreeMap<String, String>),
    /// One that has no values: `deadlock`, `erroneous (…)`, `cut`, `error …`, `corrupt: …`.
    Word(String),
}

/// What a log says of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The test's name.
    pub name: String,
    /// `Allowed`, `Forbidden`, `Required`, or empty.
    pub kind: String,
    /// The states, and how often each was seen; a model's log has no numbers.
    pub states: BTreeMap<State, Option<u64>>,
    /// The conditions, `exists (…)`, and whether the log says `Ok` of each.
    pub conditions: Vec<(String, Option<bool>)>,
    /// `Sometimes`, `Never` or `Always`, for each condition.
    pub observations: Vec<String>,
    /// What tells one program from another, if the log says it.
    pub hash: Option<String>,
    /// No bound was reached on the way.
    pub complete: bool,
    /// Where the block begins.
    pub span: Span,
}

/// A log.
#[derive(Debug, Clone)]
pub struct Log {
    /// The tests, in the order of their first blocks, each once: runs of the same test are added up.
    pub tests: Vec<Logged>,
}

impl State {
    /// A state from a line of a log.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn parse(text: &str) -> Result<State, String> {
        let text = text.trim();
        let word = |w: &str| text == w || text.starts_with(&format!("{w} "));
        if ["deadlock", "cut", "erroneous", "error", "corrupt:"].into_iter().any(word) {
            return Ok(State::Word(text.to_owned()));
        }
        let mut values = BTreeMap::new();
        for part in text.split(';').map(str::trim).filter(|p| !p.is_empty() && *p != "{}") {
            let Some((name, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is not `NAME=VALUE`"));
            };
            let name =
                name.trim().trim_start_matches('[').trim_end_matches(if name.starts_with('[') { ']' } else { ' ' });
            let value = value.trim();
            if name.is_empty() || value.is_empty() {
                return Err(format!("`{part}` is not `NAME=VALUE`"));
            }
            if values.insert(name.to_owned(), number(value).map_or(value.to_owned(), |n| n.to_string())).is_some() {
                return Err(format!("`{name}` stands twice"));
            }
        }
        Ok(State::Values(values))
    }

    /// The names that it gives values to.
    pub fn names(&self) -> BTreeSet<&str> {
        match self {
            State::Values(values) => values.keys().map(String::as_str).collect(),
            State::Word(_) => BTreeSet::new(),
        }
    }

    /// What is left of it when only these names are looked at.
    #[must_use]
    pub fn on(&self, names: &BTreeSet<String>) -> State {
        match self {
            State::Values(values) => State::Values(
                values.iter().filter(|(n, _)| names.contains(*n)).map(|(n, v)| (n.clone(), v.clone())).collect(),
            ),
            State::Word(_) => self.clone(),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |d| (-1, d));
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok().map(|n| sign * n),
        None => digits.parse::<i64>().ok().map(|n| sign * n),
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Word(word) => f.write_str(word),
            State::Values(values) if values.is_empty() => f.write_str("{}"),
            State::Values(values) => {
                let parts: Vec<String> = values.iter().map(|(n, v)| format!("{n}={v};")).collect();
                f.write_str(&parts.join(" "))
            }
        }
    }
}

impl Logged {
    /// Whether both say what program they are of, and it is not the same.
    fn is_of_another_program(&self, other: &Logged) -> bool {
        matches!((&self.hash, &other.hash), (Some(a), Some(b)) if a != b)
    }

    /// Adds a further block about the same test, of the run before or of another one.
    fn add(&mut self, more: Logged, same_run: bool) {
        for (state, n) in more.states {
            let count = self.states.entry(state).or_insert(n.map(|_| 0));
            if let (false, Some(a), Some(b)) = (same_run, count.as_mut(), n) {
                *a += b;
            }
        }
        for (condition, observation) in more.conditions.into_iter().zip(more.observations) {
            match self.conditions.iter().position(|(c, _)| *c == condition.0) {
                None => {
                    self.conditions.push(condition);
                    self.observations.push(observation);
                }
                // Seen in one run and not in another: sometimes.
                Some(i) if self.observations[i] != observation => "Sometimes".clone_into(&mut self.observations[i]),
                Some(_) => {}
            }
        }
        self.hash = self.hash.take().or(more.hash);
        self.complete &= more.complete;
    }
}

impl Log {
    /// Reads a log.
    ///
    /// # Errors
    /// Blocks that are cut off or whose states cannot be read, and a file without any block.
    pub fn parse(source: &Arc<Source>) -> Result<Log, Report> {
        let mut reader = Reader { lines: lines(source), at: 0, errors: Report::default() };
        let mut log = Log { tests: Vec::new() };
        let mut run: Option<Logged> = None;
        while let Some(block) = reader.block() {
            // Blocks that follow each other and differ only in their conditions tell of one run.
            let same_run = !block.conditions.is_empty()
                && run.as_ref().is_some_and(|r| {
                    r.name == block.name
                        && r.states == block.states
                        && block.conditions.iter().all(|(c, _)| r.conditions.iter().all(|(d, _)| c != d))
                });
            match &mut run {
                Some(r) if same_run => r.conditions.extend(block.conditions.iter().cloned()),
                _ => run = Some(block.clone()),
            }
            match log.tests.iter_mut().find(|t| t.name == block.name) {
                Some(t) if t.is_of_another_program(&block) => {
                    let d = Diagnostic::at(&block.span, format!("two tests are called {}", t.name));
                    let found = format!("its hash is not that of {}", t.span);
                    let help = "give one of them another name, or compare logs of one of them";
                    reader.errors.0.push(d.found(found).help(help));
                }
                Some(t) => t.add(block, same_run),
                None => log.tests.push(block),
            }
        }
        if log.tests.is_empty() && reader.errors.0.is_empty() {
            let d =
                Diagnostic::at(&Span::new(source, 0, source.text.len().min(1)), format!("`{}` is no log", source.name));
            let help = "a log of herd7, litmus7 or litmpi has a line `Test NAME Allowed` before each test's states; \
                        names of tests' files end in `.litmus`";
            reader.errors.0.push(d.found("no line begins with `Test`").help(help));
        }
        reader.errors.into_result()?;
        Ok(log)
    }
}

fn lines(source: &Arc<Source>) -> Vec<Span> {
    let mut at = 0;
    let line = |l: &str| {
        let span = Span::new(source, at, at + l.trim_end().len());
        at += l.len() + 1;
        span
    };
    source.text.split('\n').map(line).collect()
}

struct Reader {
    lines: Vec<Span>,
    at: usize,
    errors: Report,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.lines.get(self.at).map(Span::text)
    }

    fn error(&mut self, at: usize, message: &str, found: &str, help: &str) {
        // Past the end of the file, its last line.
        let span = &self.lines[at.min(self.lines.len() - 1)];
        self.errors.0.push(Diagnostic::at(span, message).found(found).help(help));
    }

    /// The next block whose states can be read.
    fn block(&mut self) -> Option<Logged> {
        loop {
            let head = self.peek()?.to_owned();
            let start = self.at;
            let words: Vec<&str> = head.split_whitespace().collect();
            let (name, kind) = match words.as_slice() {
                ["Test", name, kind @ ..] => {
                    self.at += 1;
                    (*name, kind.join(" "))
                }
                // Some logs name the test only behind its states.
                ["Histogram", n, "states)" | "state)"] if n.starts_with('(') => ("", String::new()),
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            let Some(states) = self.states(start, if name.is_empty() { "the test" } else { name }) else {
                self.at = self.at.max(start + 1);
                continue;
            };
            let mut block = Logged {
                name: name.to_owned(),
                kind,
                states,
                conditions: Vec::new(),
                observations: Vec::new(),
                hash: None,
                complete: true,
                span: self.lines[start].clone(),
            };
            self.tail(&mut block);
            if !block.name.is_empty() {
                return Some(block);
            }
            self.error(
                start,
                "a histogram without its test",
                "states of which test?",
                "a line `Test NAME Allowed` stands before it, or `Observation NAME …` behind it",
            );
        }
    }

    /// The states of a block: as many as its second line says.
    fn states(&mut self, start: usize, test: &str) -> Option<BTreeMap<State, Option<u64>>> {
        while self.peek().is_some_and(|l| l.trim().is_empty()) {
            self.at += 1;
        }
        let head = self.peek().unwrap_or("").to_owned();
        let words: Vec<&str> = head.split_whitespace().collect();
        let (number, counted) = match words.as_slice() {
            ["States", n] => (*n, false),
            ["Histogram", n, "states)" | "state)"] => (n.trim_start_matches('('), true),
            _ => {
                let help = "`States N` or `Histogram (N states)` comes next; a run that was cut off is to be taken out";
                self.error(start, &format!("the block of {test} has no states"), "this block", help);
                return None;
            }
        };
        let head_at = self.at;
        let Ok(announced) = number.parse::<usize>() else {
            self.error(head_at, &format!("`{number}` is no number of states"), "this", "a number stands here");
            self.at += 1;
            return None;
        };
        self.at += 1;
        let mut states = BTreeMap::new();
        for i in 0..announced {
            let Some(line) = self.peek().map(str::to_owned) else {
                let message = format!("{test} has {i} states here, not {announced}");
                self.error(head_at, &message, "this many are announced", "the file ends too early: run the test again");
                return None;
            };
            match state(&line, counted) {
                Ok((state, n)) => {
                    let count: &mut Option<u64> = states.entry(state).or_insert(None);
                    *count = n.map(|n| n + count.unwrap_or(0));
                }
                Err(why) => {
                    let message = format!("this is not state {} of the {announced} of {test}: {why}", i + 1);
                    let help =
                        if counted { "a state is `COUNT :>NAME=VALUE; …`" } else { "a state is `NAME=VALUE; …`" };
                    self.error(self.at, &message, "found this", help);
                    return None;
                }
            }
            self.at += 1;
        }
        if counted && self.peek().is_some_and(|l| state(l, true).is_ok()) {
            let message = format!("{test} has more than {announced} states here");
            self.error(
                self.at,
                &message,
                "one more",
                "the number before the states is wrong, or two logs run into each other",
            );
            return None;
        }
        Some(states)
    }

    /// What follows the states, up to the next block.
    fn tail(&mut self, block: &mut Logged) {
        let mut ok = None;
        while let Some(line) = self.peek() {
            let line = line.trim().to_owned();
            match line.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["Test", ..] => break,
                ["Histogram", n, ..] if n.starts_with('(') => break,
                ["Ok", ..] => ok = Some(true),
                ["No", ..] => ok = Some(false),
                // herd7 unrolled a loop no further.
                ["Loop", word, ..] => {
                    ok = Some(*word == "Ok");
                    block.complete = false;
                }
                ["Undecided" | "Undef" | "??", ..] => ok = None,
                [word, ..] if word.len() > 5 && word.is_char_boundary(5) && word[..5].eq_ignore_ascii_case("Hash=") => {
                    block.hash = Some(word[5..].to_owned());
                }
                // It stands behind the word or on the next line.
                ["Condition", rest @ ..] => {
                    let mut text = rest.join(" ");
                    if text.is_empty() {
                        self.at += 1;
                        text = self.peek().unwrap_or_default().trim().to_owned();
                    }
                    let text = text.trim_end_matches(" is validated").trim_end_matches(" is NOT validated");
                    block.conditions.push((text.to_owned(), ok));
                }
                ["Observation", name, word, ..] => {
                    if block.name.is_empty() {
                        (*name).clone_into(&mut block.name);
                    }
                    block.observations.push((*word).to_owned());
                }
                ["Bound", "reached:", ..] => block.complete = false,
                _ => {}
            }
            self.at += 1;
        }
        block.observations.resize(block.conditions.len(), String::new());
    }
}

/// A line of a histogram, `12 :>x=1;`, or of a list of states.
fn state(line: &str, counted: bool) -> Result<(State, Option<u64>), String> {
    // ppcmem says behind a state how it came about.
    let line = line.split(" via [").next().unwrap_or(line);
    if !counted {
        let state = State::parse(line)?;
        let nothing = line.trim().is_empty() && state.names().is_empty();
        return if nothing { Err("the line is empty".into()) } else { Ok((state, None)) };
    }
    let Some((count, rest)) = line.split_once('>') else { return Err("it has no `:>` or `*>`".into()) };
    let count = count.trim().trim_end_matches([':', '*', ' ', '~']);
    let n = count.parse::<u64>().map_err(|_| format!("`{count}` is no count"))?;
    Ok((State::parse(rest)?, Some(n)))
}
