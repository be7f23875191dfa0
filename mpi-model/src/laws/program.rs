//! Programs as lists of statements: read from tests, put together from pieces, made smaller.

use super::syntax::Piece;
use crate::generate::Dice;
use litmpi_litmus::sites;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// A program that can be taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// Its name.
    pub name: String,
    pub(super) ranks: Vec<Body>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Body {
    pub(super) variables: Vec<String>,
    pub(super) statements: Vec<String>,
}

impl Program {
    /// The program of a test, if it is written as ranks.
    pub fn read(name: &str, source: &Arc<Source>) -> Option<Program> {
        let mut ranks = sites::ranks(source).ok()?;
        ranks.sort_by_key(|r| r.number);
        let body = |r: &sites::Rank| Body {
            variables: r.variables.clone(),
            statements: r.statements.iter().map(|s| source.text[s.clone()].to_owned()).collect(),
        };
        (!ranks.is_empty()).then(|| Program { name: name.to_owned(), ranks: ranks.iter().map(body).collect() })
    }

    /// Its text as a test that claims nothing in particular.
    pub fn text(&self) -> String {
        let mut out = format!("litmus mpi {} \"\"\n", self.name);
        for (i, rank) in self.ranks.iter().enumerate() {
            out += &format!("rank {i} {{\n");
            rank.variables.iter().for_each(|v| out += &format!("  int {v}\n"));
            rank.statements.iter().for_each(|s| out += &format!("  {s}\n"));
            out += "}\n";
        }
        out + "exists true\n"
    }

    /// How many statements it has.
    pub fn size(&self) -> usize {
        self.ranks.iter().map(|r| r.statements.len()).sum()
    }

    /// Every program with one statement or declaration less, one at each of two ranks, or without a last rank that does nothing.
    pub fn smaller(&self) -> Vec<Program> {
        let mut out = vec![];
        if self.ranks.len() > 1 && self.ranks.last().is_some_and(|r| r.statements.is_empty()) {
            let mut less = self.clone();
            less.ranks.pop();
            out.push(less);
        }
        for (r, rank) in self.ranks.iter().enumerate() {
            for s in 0..rank.statements.len() {
                let mut less = self.clone();
                less.ranks[r].statements.remove(s);
                out.push(less);
            }
            for v in 0..rank.variables.len() {
                let mut less = self.clone();
                less.ranks[r].variables.remove(v);
                out.push(less);
            }
        }
        // What two ranks do together goes at once.
        let places: Vec<(usize, usize)> =
            (0..self.ranks.len()).flat_map(|r| (0..self.ranks[r].statements.len()).map(move |s| (r, s))).collect();
        for (i, (r, s)) in places.iter().enumerate() {
            for (q, t) in places[i..].iter().filter(|(q, _)| q != r) {
                let mut less = self.clone();
                less.ranks[*r].statements.remove(*s);
                less.ranks[*q].statements.remove(*t);
                out.push(less);
            }
        }
        out
    }

    /// The program of one piece.
    pub(crate) fn of(name: &str, piece: &Piece, roles: &[usize], copy: usize) -> Option<Program> {
        let mut program = Program { name: name.to_owned(), ranks: vec![Body::default(); roles.len()] };
        for (role, rank) in roles.iter().enumerate() {
            let Some(text) = piece.roles.get(role).or(piece.each.as_ref()) else { continue };
            let text = renamed(text, roles, copy);
            let test = format!("litmus mpi piece \"\" rank 0 {{ {text} }} exists true");
            let one = Program::read("piece", &Source::new("piece", test))?;
            program.ranks[*rank] = one.ranks.into_iter().next()?;
        }
        Some(program)
    }

    /// The two at once: `at` says how many of one's statements stand before the other's, rank by rank.
    pub(crate) fn beside(&self, other: &Program, at: &[usize]) -> Program {
        let mut out = self.clone();
        for ((body, more), at) in out.ranks.iter_mut().zip(&other.ranks).zip(at) {
            body.variables.extend(more.variables.iter().cloned());
            body.statements.splice(*at..*at, more.statements.iter().cloned());
        }
        out
    }

    /// The two at once, in an order of statements that the dice say.
    pub(crate) fn shuffled(&self, other: &Program, dice: &mut Dice) -> Program {
        let mut out = self.clone();
        for (body, more) in out.ranks.iter_mut().zip(&other.ranks) {
            body.variables.extend(more.variables.iter().cloned());
            let mut least = 0;
            for s in &more.statements {
                let at = least + dice.roll(body.statements.len() - least + 1);
                body.statements.insert(at, s.clone());
                least = at + 1;
            }
        }
        out
    }

    /// The bodies of the ranks the other way round.
    pub(crate) fn reversed(mut self) -> Program {
        self.ranks.reverse();
        self
    }

    /// All ways to say how many statements of each rank stand before something.
    pub(crate) fn places(&self) -> Vec<Vec<usize>> {
        let mut out = vec![vec![]];
        for rank in &self.ranks {
            let longer = |p: &Vec<usize>, at| p.iter().copied().chain([at]).collect::<Vec<_>>();
            out = out.iter().flat_map(|p| (0..=rank.statements.len()).map(move |at| longer(p, at))).collect();
        }
        out
    }

    /// Without the statement of that number.
    pub(crate) fn without(&self, mut n: usize) -> Program {
        let mut out = self.clone();
        for rank in &mut out.ranks {
            if n < rank.statements.len() {
                rank.statements.remove(n);
                break;
            }
            n -= rank.statements.len();
        }
        out
    }
}

/// Roles become ranks, and the piece's variables get names of their own.
fn renamed(text: &str, roles: &[usize], copy: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut field = false;
    while let Some(c) = rest.chars().next() {
        let word: &str = &rest[..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())];
        if word.is_empty() {
            field = c == '.';
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        rest = &rest[word.len()..];
        let next = rest.trim_start();
        let role = match word {
            "A" => roles.first(),
            "B" => roles.get(1),
            "C" => roles.get(2),
            _ => None,
        };
        let label = next.starts_with(':') && !next.starts_with(":=");
        let fixed = field || label || next.starts_with('(') || word.starts_with(|c: char| c.is_ascii_digit());
        let known = ["int", "if", "else", "while", "bound", "choose", "or", "and", "not", "any", "none"];
        match role {
            Some(rank) if !label => out += &rank.to_string(),
            _ if fixed || known.contains(&word) || word.starts_with("MPI_") || word.starts_with("LITMPI_") => {
                out += word
            }
            _ => out += &format!("{word}{copy}"),
        }
        field = false;
    }
    out
}
