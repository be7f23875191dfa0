//! Rows of edges that come back to where they began: what critical cycles of any family have in common (Shasha, Snir 1988; Alglave 2010).
//!
//! An edge leads from one event to the next: to another one of the same thread, or, by communication, to one of another thread or the same. A name
//! of a cycle is the row of its edges. It begins at a thread, with the least of its edges; so turning a cycle round gives the same name. What an edge is, and
//! which may follow which, is said by the models' crates.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::fmt;
use std::sync::Arc;

/// An edge of a cycle, or an event that stands alone between two edges of communication.
pub trait Edge: Clone + Ord + fmt::Display {
    /// Whether it ends at another thread than it begins.
    fn is_external(&self) -> bool;
    /// Whether it is an edge, and no event alone.
    fn is_edge(&self) -> bool;
    /// Whether it is communication.
    fn is_communication(&self) -> bool;
    /// Whether another edge may come next in a critical cycle.
    fn may_precede(&self, next: &Self) -> bool;
}

/// Why edges are no critical cycle, and at which of them that shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The number of the edge.
    pub at: usize,
    /// What is wrong.
    pub why: String,
    /// What would be right.
    pub help: String,
}

impl Misfit {
    /// At that edge.
    pub fn new(at: usize, why: impl Into<String>, help: impl Into<String>) -> Misfit {
        Misfit { at, why: why.into(), help: help.into() }
    }

    /// As a message about the place of the edge.
    pub fn told(self, spans: &[Span]) -> Report {
        Diagnostic::at(&spans[self.at], self.why).found("this edge does not fit here").help(self.help).into()
    }
}

/// How many threads a row has: one, or as many as it has edges to another one.
pub fn threads<E: Edge>(row: &[E]) -> usize {
    row.iter().filter(|e| e.is_external()).count().max(1)
}

/// Where the name of a cycle begins: at a thread, with the least of its edges; that of a cycle of one thread, whose last edge goes back in program order, at its first.
pub fn beginning<E: Edge>(row: &[E]) -> usize {
    let n = row.len();
    if threads(row) == 1 {
        return 0;
    }
    let begins = |i: &usize| row[(i + n - 1) % n].is_external();
    let turned = |i: usize| (0..n).map(move |k| &row[(i + k) % n]);
    (0..n).filter(begins).min_by(|a, b| turned(*a).cmp(turned(*b))).unwrap_or(0)
}

/// The edges with `-` between them.
pub fn name<E: Edge>(row: &[E]) -> String {
    row.iter().map(E::to_string).collect::<Vec<_>>().join("-")
}

/// Whether each edge may follow the one before it, and the first one the last.
///
/// # Errors
/// The first that may not, with those of `known` that may.
pub fn fit<E: Edge>(row: &[E], known: impl Iterator<Item = E>) -> Result<(), Misfit> {
    let n = row.len();
    let wrong = (0..n).find(|i| !row[*i].may_precede(&row[(i + 1) % n]));
    let Some(i) = wrong else { return Ok(()) };
    let (edge, next) = (&row[i], &row[(i + 1) % n]);
    let fit = listed(known.filter(|e| edge.may_precede(e)));
    let at = if i + 1 == n { i } else { i + 1 };
    Err(Misfit::new(at, format!("`{next}` cannot come after `{edge}`"), format!("after `{edge}` may come: {fit}")))
}

/// Some edges by name, as help.
fn listed<E: Edge>(mut all: impl Iterator<Item = E>) -> String {
    let first: Vec<String> = all.by_ref().take(16).map(|e| e.to_string()).collect();
    let (first, more) = (first.join(", "), all.count());
    if more > 0 { format!("{first}, and {more} more") } else { first }
}

/// The words of a file or an argument, with blanks, commas or `-` between them; `#` begins a comment.
pub fn words(source: &Arc<Source>) -> Vec<(&str, Span)> {
    let (mut out, mut at) = (vec![], 0);
    for line in source.text.split('\n') {
        let code = line.split('#').next().unwrap_or("");
        let mut start = at;
        for word in code.split([' ', '\t', '\r', ',', '-']) {
            let span = Span::new(source, start, start + word.len());
            start += word.len() + 1;
            if !word.is_empty() {
                out.push((word, span));
            }
        }
        at += line.len() + 1;
    }
    out
}

/// Whether a name is another but for the case of letters, or one letter more or less.
pub fn alike(name: &str, word: &str) -> bool {
    let less = |long: &str, short: &str| {
        long.len() == short.len() + 1
            && long.char_indices().any(|(i, c)| [&long[..i], &long[i + c.len_utf8()..]].concat() == short)
    };
    name.eq_ignore_ascii_case(word) || less(name, word) || less(word, name)
}

/// Every row of some edges that comes back to its beginning, begins at a thread, and has no lesser edge at the beginning of another one; one after another, in a fixed
/// order. Nothing is kept but the row that is being made.
#[derive(Debug, Clone)]
pub struct Rows<E> {
    of: Vec<E>,
    /// For each edge, those that may come next.
    next: Vec<Vec<usize>>,
    size: usize,
    threads: usize,
    /// The row being made, as places in the lists that they were taken from.
    row: Vec<usize>,
    /// For each place of the row and the one behind it, which of the list comes next.
    cursor: Vec<usize>,
}

fn followers<E: Edge>(of: &[E]) -> Vec<Vec<usize>> {
    of.iter().map(|e| (0..of.len()).filter(|j| e.may_precede(&of[*j])).collect()).collect()
}

impl<E: Edge> Rows<E> {
    /// Rows of `size` edges out of these in at most so many threads.
    pub fn new(mut of: Vec<E>, size: usize, threads: usize) -> Rows<E> {
        of.sort_unstable();
        of.dedup();
        Rows { next: followers(&of), of, size, threads, row: vec![], cursor: vec![0] }
    }

    /// How many rows of so many edges there are that come back to their beginning: more than are made, and counted without making one.
    pub fn most(&self) -> u128 {
        let (of, next, size) = (&self.of, &self.next, self.size);
        // For each edge that a row begins with, how many rows of each number of edges end with each edge.
        let mut total = 0_u128;
        for start in (0..of.len()).filter(|i| !of[*i].is_communication()) {
            let weight = |i: usize| usize::from(of[i].is_edge());
            let mut rows: Vec<Vec<u128>> = vec![vec![0; of.len()]; size + 1];
            if weight(start) <= size {
                rows[weight(start)][start] = 1;
            }
            // Events alone cost nothing, and stand behind edges: of rows of as many edges, those that end with one come second.
            for n in 0..=size {
                for i in (0..of.len()).filter(|i| of[*i].is_edge()).chain((0..of.len()).filter(|i| !of[*i].is_edge())) {
                    let many = rows[n][i];
                    if many == 0 {
                        continue;
                    }
                    for j in &next[i] {
                        let to = n + weight(*j);
                        if to <= size {
                            rows[to][*j] = rows[to][*j].saturating_add(many);
                        }
                    }
                }
            }
            let ends = (0..of.len()).filter(|i| of[*i].may_precede(&of[start]));
            total = ends.fold(total, |t, i| t.saturating_add(rows[size][i]));
        }
        total
    }

    fn edges(&self) -> usize {
        self.row.iter().filter(|i| self.of[**i].is_edge()).count()
    }

    fn external(&self) -> usize {
        self.row.iter().filter(|i| self.of[**i].is_external()).count()
    }

    /// What may stand at the end of the row.
    fn choices(&self) -> usize {
        self.row.last().map_or(self.of.len(), |i| self.next[*i].len())
    }

    fn choice(&self, k: usize) -> usize {
        self.row.last().map_or(k, |i| self.next[*i][k])
    }

    /// The row, if it is a cycle and begins where its name does.
    fn made(&self) -> Option<Vec<E>> {
        let first = &self.of[*self.row.first()?];
        let last = &self.of[*self.row.last()?];
        if self.edges() != self.size || !last.may_precede(first) || self.external() > 0 && !last.is_external() {
            return None;
        }
        let row: Vec<E> = self.row.iter().map(|i| self.of[*i].clone()).collect();
        (threads(&row) <= self.threads && beginning(&row) == 0).then_some(row)
    }

    /// Whether no row that has its least name comes of this one.
    fn is_hopeless(&self) -> bool {
        let first = self.row[0];
        let begins = |k: usize| k == 0 || self.of[self.row[k - 1]].is_external();
        self.of[first].is_communication()
            || self.external() > self.threads
            || (0..self.row.len()).any(|k| begins(k) && self.row[k] < first)
            || self.edges() > self.size
            || self.edges() == self.size && !self.of[self.row[self.row.len() - 1]].is_communication()
    }
}

impl<E: Edge> Iterator for Rows<E> {
    type Item = Vec<E>;

    fn next(&mut self) -> Option<Vec<E>> {
        loop {
            let k = *self.cursor.last()?;
            let is_over = k >= self.choices();
            if is_over {
                self.cursor.pop();
                self.row.pop();
            } else {
                self.row.push(self.choice(k));
            }
            if is_over || self.is_hopeless() {
                if !is_over {
                    self.row.pop();
                }
                if let Some(last) = self.cursor.last_mut() {
                    *last += 1;
                }
                continue;
            }
            self.cursor.push(0);
            if let Some(row) = self.made() {
                return Some(row);
            }
        }
    }
}
