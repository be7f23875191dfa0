//! What tells whether two logs are of one program.

use crate::ast::Test;
use md5::{Digest, Md5};
use std::fmt::Write;

/// The hash that a log names: herd's own for a test in its format, none where it is not known how herd prints all of that
/// test; for a test in our format one of the same kind. Names, titles, layout, comments, conditions and verdicts are no part of
/// it: the program is, with its initial values, and what is observed.
#[must_use]
pub fn hash(test: &Test) -> Option<String> {
    if let Some(herd) = &test.herd {
        return herd.hash.clone();
    }
    let mut names: Vec<&str> = test.observed.iter().map(|o| o.name.as_str()).collect();
    names.sort_unstable();
    Some(sum_of(&[sum(&program(&test.span.source.text)), sum(&names.join("; "))]))
}

/// What of a text is its program: blanks only where they part two words, and nothing of what stands before the first bracket or
/// behind the last block.
fn program(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut blank) = (0_usize, false);
    let mut chars = text.chars().peekable();
    // The family and the name, then perhaps a title.
    let mut words = 3;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if c == '#' || (c == '-' && next == Some('-')) || (c == '/' && next == Some('/')) {
            while chars.next_if(|c| *c != '\n').is_some() {}
            blank = true;
        } else if c == '"' {
            let mut escaped = false;
            while chars.next_if(|c| *c != '"' || escaped).is_some_and(|c| {
                escaped = c == '\\' && !escaped;
                true
            }) {}
            chars.next();
        } else if c.is_whitespace() {
            blank = true;
        } else if words > 0 && depth == 0 {
            words -= 1;
            while chars.next_if(|c| !c.is_whitespace() && *c != '"').is_some() {}
        } else {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let begins = blank || !out.ends_with(word);
            if depth == 0 && begins && out.ends_with('}') && is_claim(c, chars.clone()) {
                break;
            }
            if blank && word(c) && out.ends_with(word) {
                out.push(' ');
            }
            blank = false;
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            out.push(c);
        }
    }
    out
}

/// Whether what follows is what is observed or claimed.
fn is_claim(first: char, rest: impl Iterator<Item = char>) -> bool {
    let word: String = std::iter::once(first).chain(rest).take_while(|c| c.is_alphanumeric() || *c == '~').collect();
    matches!(word.trim_start_matches('~'), "locations" | "exists" | "forall") || word == "~"
}

/// The MD5 sum of a text.
pub(crate) fn sum(text: &str) -> [u8; 16] {
    Md5::digest(text.as_bytes()).into()
}

/// The MD5 sum of several sums, as it is printed.
pub(crate) fn sum_of(parts: &[[u8; 16]]) -> String {
    in_hexadecimal(&Md5::digest(parts.concat()).into())
}

fn in_hexadecimal(sum: &[u8; 16]) -> String {
    sum.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
