//! Where tokens stand: indentation by brackets and by the words that lines begin with, and blanks between tokens.
//!
//! Lines stay as they are divided. In tests, the column of every line follows; in rules that of items and clauses does, and what
//! hangs on them moves with them.

use super::tokens::{Kind, Language, Line, Token, lines};
use litmpi_spec::parse::ITEMS;

/// A text in its layout.
pub(crate) fn layout(text: &str, language: Language) -> String {
    let mut out = String::new();
    let mut at = Place::default();
    for line in lines(text, language) {
        out.extend(std::iter::repeat_n('\n', line.empty_before));
        let indent = at.indent(&line, language);
        out.extend(std::iter::repeat_n(' ', indent));
        for (i, token) in line.tokens.iter().enumerate() {
            if i > 0 {
                out.extend(std::iter::repeat_n(' ', between(&line.tokens[..i], token, at.is_inside(), language)));
            }
            out.push_str(token.text);
            at.pass(token, line.tokens[i + 1..].iter().all(|t| t.kind == Kind::Comment));
        }
        out.push('\n');
    }
    out
}

/// What is open where a line begins.
#[derive(Debug, Default)]
struct Place {
    /// Brackets that are open, and whether each ended its line.
    open: Vec<(char, bool)>,
    /// The line that others hang on: the column that it was written at, and the one that it stands at.
    anchor: (usize, usize),
    /// `if`s of expressions whose `then` has not come since the clause began.
    ifs: usize,
}

impl Place {
    fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }

    fn pass(&mut self, token: &Token<'_>, ends_line: bool) {
        match (token.kind, token.text) {
            (Kind::Open, text) => self.open.extend(text.chars().map(|c| (c, ends_line))),
            (Kind::Close, _) => _ = self.open.pop(),
            (Kind::Word, "if") => self.ifs += 1,
            (Kind::Word, "then") => self.ifs = self.ifs.saturating_sub(1),
            _ => {}
        }
    }

    /// The column of a line.
    fn indent(&mut self, line: &Line<'_>, language: Language) -> usize {
        let column = match language {
            Language::Litmus => self.of_test(line),
            Language::Spec => self.of_rules(line),
        };
        let written = line.indent();
        if let Some(column) = column {
            self.anchor = (written, column);
            return column;
        }
        // It hangs on another line: it moves as that did, and no word to where an item would begin.
        let least = if self.is_inside() || line.tokens[0].kind != Kind::Word { 0 } else { 2 };
        (written + self.anchor.1).saturating_sub(self.anchor.0).max(least)
    }

    /// That of a line of a test, unless it hangs on the one before.
    fn of_test(&self, line: &Line<'_>) -> Option<usize> {
        let first = &line.tokens[0];
        let closing = usize::from(first.kind == Kind::Close);
        // Statements that begin beside their brace hang on the first one.
        let hangs = closing == 0 && self.open.last().is_some_and(|(_, ends_line)| !ends_line);
        if hangs || self.open.iter().any(|(c, _)| *c != '{') {
            return None;
        }
        let depth = self.open.len().saturating_sub(closing);
        if depth > 0 || closing > 0 || first.kind == Kind::Comment {
            return Some(2 * depth);
        }
        match first.text {
            "litmus" | "rank" | "thread" | "node" | "exists" | "forall" | "locations" | "~" | "!" | "not" => Some(0),
            "verdict" | "seen" | "tells" | "agree" => Some(2),
            "cite" | "because" => Some(4),
            _ => None,
        }
    }

    /// That of an item or a clause of a specification.
    fn of_rules(&mut self, line: &Line<'_>) -> Option<usize> {
        let first = &line.tokens[0];
        if self.is_inside() {
            return None;
        }
        if first.kind == Kind::Comment {
            return (line.indent() == 0).then_some(0);
        }
        if is_item(line) {
            self.ifs = 0;
            return Some(0);
        }
        let is_clause = match first.text {
            "cite" | "deviation" | "declared" | "on" | "requires" | "commutes" | "waits" | "late" => true,
            "then" => self.ifs == 0,
            // That of a claim hangs on `commutes`.
            "when" => line.indent() <= 2,
            _ => false,
        };
        if is_clause {
            self.ifs = 0;
        }
        is_clause.then_some(2)
    }
}

/// Whether a line begins an item of a specification.
fn is_item(line: &Line<'_>) -> bool {
    let word = |i: usize| line.tokens.get(i).map_or("", |t| t.text);
    match word(0) {
        "module" | "model" | "layer" | "import" => true,
        "fun" => word(2) == "(",
        "type" | "kind" => matches!(word(2), "=" | "gains"),
        "without" | "memory" | "registers" => line.indent() == 0,
        other => ITEMS.contains(&other),
    }
}

/// The blanks before a token that is not the first of its line, behind these.
fn between(before: &[Token<'_>], token: &Token<'_>, inside: bool, language: Language) -> usize {
    let last = &before[before.len() - 1];
    let round = |t: &Token<'_>| t.text == "(" || t.text == "[" || t.text == ")" || t.text == "]";
    if token.kind == Kind::Comment {
        return token.gap.max(1);
    }
    if token.kind == Kind::Comma {
        return 0;
    }
    if last.kind == Kind::Open && round(last) || token.kind == Kind::Close && round(token) {
        // `[ !r | r in rs ]` is written with blanks, a tuple without.
        return if language == Language::Spec { token.gap.min(1) } else { 0 };
    }
    if last.kind == Kind::Comma {
        // In a variant's settings, `A=b,c` is one word.
        return token.gap.max(usize::from(inside || language == Language::Litmus));
    }
    if language == Language::Spec {
        return token.gap;
    }
    let is_prefix = |at: usize| match before[at].text {
        "~" => true,
        "!" => at == 0 || matches!(before[at - 1].kind, Kind::Open | Kind::Comma | Kind::Operator),
        _ => false,
    };
    if is_prefix(before.len() - 1) {
        return 0;
    }
    match (last.kind, token.kind) {
        (_, Kind::Operator) if token.text == ":" => 0,
        // `0:r` is a register of a thread, `tag: 1` an argument.
        (Kind::Operator, _)
            if last.text == ":" && before.len() > 1 && before[before.len() - 2].text.parse::<u32>().is_ok() =>
        {
            0
        }
        (Kind::Operator, _) | (_, Kind::Operator) => token.gap.max(1),
        (Kind::Word, Kind::Open) if token.text == "{" => token.gap.max(1),
        (Kind::Word, Kind::Open) if inside && token.text != "{" && !is_reserved(last.text) => 0,
        (Kind::Close, Kind::Word) if last.text == "}" => token.gap.max(1),
        _ => token.gap,
    }
}

/// Words that are no names, so that a bracket behind them is none of a call.
fn is_reserved(word: &str) -> bool {
    matches!(word, "if" | "else" | "while" | "bound" | "choose" | "or" | "and" | "not" | "int")
        || !word.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}
