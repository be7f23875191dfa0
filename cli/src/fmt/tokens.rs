//! The parts of a text that the layout moves and never changes: words, operators, brackets, texts in quotes, comments.

/// Which of the languages a text is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Tests, as `grammars/src/litmus.pest` has them.
    Litmus,
    /// Rules, bindings and claims, as `grammars/src/spec.pest` has them.
    Spec,
}

/// What a token is, as far as the layout asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// In quotes; it may go over several lines.
    Text,
    Comment,
    Open,
    Close,
    Comma,
    /// Of tests only: in rules, what stands between words is theirs.
    Operator,
}

/// A token, and how many blanks are before it in its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    pub(crate) gap: usize,
}

/// Most empty lines between two others.
const MOST_EMPTY: usize = 2;

/// The tokens that begin in one line, and how many empty ones are kept before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line<'t> {
    pub(crate) tokens: Vec<Token<'t>>,
    pub(crate) empty_before: usize,
}

impl Line<'_> {
    /// The columns before the first token.
    pub(crate) fn indent(&self) -> usize {
        self.tokens.first().map_or(0, |t| t.gap)
    }
}

/// Operators of tests, longer ones first. What a name may contain, as `+` and `-`, is not among them.
const OPERATORS: [&str; 15] = [":=", "!=", "<=", ">=", "==", "&&", "||", "/\\", "\\/", "=", "<", ">", ":", "~", "!"];

/// How many columns a tabulator is worth.
const TAB: usize = 4;

/// A text as lines of tokens.
pub(crate) fn lines(text: &str, language: Language) -> Vec<Line<'_>> {
    let (mut out, mut line, mut empty) = (vec![], Line::default(), 0);
    let (mut at, mut gap) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '\n' => {
                match line.tokens.is_empty() {
                    true => empty += 1,
                    false => out.push(std::mem::take(&mut line)),
                }
                (at, gap) = (at + 1, 0);
            }
            c if c.is_whitespace() => {
                gap += if c == '\t' { TAB } else { usize::from(c != '\r') };
                at += c.len_utf8();
            }
            _ => {
                let (kind, length) = token(&text[at..], language);
                let part = &text[at..at + length];
                let part = if kind == Kind::Comment { part.trim_end() } else { part };
                if line.tokens.is_empty() {
                    let before = std::mem::take(&mut empty).min(MOST_EMPTY);
                    line.empty_before = if out.is_empty() { 0 } else { before };
                }
                line.tokens.push(Token { kind, text: part, gap: std::mem::take(&mut gap) });
                at += length;
            }
        }
    }
    if !line.tokens.is_empty() {
        out.push(line);
    }
    out
}

/// What a text that does not begin with a blank begins with, and its length.
fn token(text: &str, language: Language) -> (Kind, usize) {
    if begins_comment(text, language) {
        return (Kind::Comment, text.find('\n').unwrap_or(text.len()));
    }
    let first = text.chars().next().unwrap_or(' ');
    match first {
        '"' => return (Kind::Text, quoted(text)),
        '(' | '[' | '{' => return (Kind::Open, 1),
        ')' | ']' | '}' => return (Kind::Close, 1),
        ',' | ';' => return (Kind::Comma, 1),
        _ => {}
    }
    if let Some(operator) = operator(text, language) {
        return (Kind::Operator, operator.len());
    }
    let ends = |(at, c): (usize, char)| {
        let rest = &text[at..];
        at > 0
            && (c.is_whitespace()
                || "\"()[]{},;".contains(c)
                || begins_comment(rest, language)
                || operator(rest, language).is_some())
    };
    (Kind::Word, text.char_indices().find(|x| ends(*x)).map_or(text.len(), |(at, _)| at))
}

fn operator(text: &str, language: Language) -> Option<&'static str> {
    (language == Language::Litmus).then(|| OPERATORS.into_iter().find(|o| text.starts_with(o))).flatten()
}

fn begins_comment(text: &str, language: Language) -> bool {
    let marks: &[&str] = if language == Language::Litmus { &["--", "#", "//"] } else { &["--"] };
    marks.iter().any(|m| text.starts_with(m))
}

/// The length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
