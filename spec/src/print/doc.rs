//! Layout: text with places where a line may end, after Wadler's "A prettier printer".

/// A text that can be laid out in several ways.
#[derive(Debug, Clone)]
pub(super) enum Doc {
    /// As it stands.
    Text(String),
    /// A space, or the end of a line when the group around it does not fit.
    Line,
    /// One after the other.
    Cat(Vec<Doc>),
    /// On one line if it fits, else every line of it ends.
    Group(Box<Doc>),
    /// Lines begin this much further right.
    Nest(usize, Box<Doc>),
    /// Lines begin at the column where this begins.
    Align(Box<Doc>),
}

/// Lines are to be no longer than this.
const WIDTH: usize = 110;

impl From<&str> for Doc {
    fn from(s: &str) -> Doc {
        Doc::Text(s.to_owned())
    }
}

impl From<String> for Doc {
    fn from(s: String) -> Doc {
        Doc::Text(s)
    }
}

/// One after the other.
pub(super) fn cat<const N: usize>(parts: [Doc; N]) -> Doc {
    Doc::Cat(parts.into())
}

/// On one line if it fits.
pub(super) fn group(d: Doc) -> Doc {
    Doc::Group(Box::new(d))
}

/// Two columns further right.
pub(super) fn nest(d: Doc) -> Doc {
    Doc::Nest(2, Box::new(d))
}

/// Aligned with its beginning.
pub(super) fn align(d: Doc) -> Doc {
    Doc::Align(Box::new(d))
}

/// `a, b, c`, with lines ending after the commas if they must.
pub(super) fn commas(parts: impl IntoIterator<Item = Doc>) -> Doc {
    let mut out = vec![];
    for part in parts {
        if !out.is_empty() {
            out.push(cat([",".into(), Doc::Line]));
        }
        out.push(part);
    }
    Doc::Cat(out)
}

/// `a, b, c`, as many on a line as fit.
pub(super) fn filled(parts: impl IntoIterator<Item = Doc>) -> Doc {
    let mut out = vec![];
    for part in parts {
        if !out.is_empty() {
            out.push(cat([",".into(), group(Doc::Line)]));
        }
        out.push(part);
    }
    Doc::Cat(out)
}

/// `open a, b, c close`, its lines aligned behind the opening bracket.
pub(super) fn bracketed(open: &str, parts: impl IntoIterator<Item = Doc>, close: &str) -> Doc {
    cat([open.into(), group(align(commas(parts))), close.into()])
}

/// Lays out; the text ends with no new line.
pub(super) fn render(doc: &Doc) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut stack: Vec<(usize, bool, &Doc)> = vec![(0, false, doc)];
    while let Some((indent, flat, d)) = stack.pop() {
        match d {
            Doc::Text(s) => {
                out.push_str(s);
                column += s.chars().count();
            }
            Doc::Line if flat => {
                out.push(' ');
                column += 1;
            }
            Doc::Line => {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            }
            Doc::Cat(ds) => stack.extend(ds.iter().rev().map(|d| (indent, flat, d))),
            Doc::Group(d) => {
                let flat = flat || fits(WIDTH.saturating_sub(column), d, &stack);
                stack.push((indent, flat, d));
            }
            Doc::Nest(n, d) => stack.push((indent + n, flat, d)),
            Doc::Align(d) => stack.push((column, flat, d)),
        }
    }
    out
}

/// Whether `first` on one line, and what follows it up to the next end of a line, fit into `room`.
fn fits(room: usize, first: &Doc, rest: &[(usize, bool, &Doc)]) -> bool {
    let mut left = room;
    let mut rest = rest.iter().rev();
    let mut stack = vec![(true, first)];
    loop {
        let Some((flat, d)) = stack.pop() else {
            match rest.next() {
                Some((_, flat, d)) => stack.push((*flat, d)),
                None => return true,
            }
            continue;
        };
        match d {
            Doc::Text(s) => match left.checked_sub(s.chars().count()) {
                Some(l) => left = l,
                None => return false,
            },
            Doc::Line if flat => match left.checked_sub(1) {
                Some(l) => left = l,
                None => return false,
            },
            Doc::Line => return true,
            Doc::Cat(ds) => stack.extend(ds.iter().rev().map(|d| (flat, d))),
            // A group behind may yet be broken, so its first line end counts as one.
            Doc::Group(d) | Doc::Nest(_, d) | Doc::Align(d) => stack.push((flat, d)),
        }
    }
}
