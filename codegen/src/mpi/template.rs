//! Templates of the declarations: `{}` in kinds, `{param}`, `{param.len}` and `{param.raw}` in instructions.

/// Puts `text` where the template has `{}`. A single word needs no brackets but those of a call.
pub(super) fn pass(template: &str, text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if !text.chars().all(is_word) {
        return template.replace("{}", text);
    }
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("({})") {
        let (before, after) = (&rest[..at], &rest[at + 4..]);
        let call = before.ends_with(is_word);
        out.push_str(before);
        out.push_str(&if call { format!("({text})") } else { text.to_string() });
        rest = after;
    }
    out.push_str(rest);
    out.replace("{}", text)
}

/// Replaces each `{name}` by what `of` says; the first name that it does not know is the error.
pub(super) fn fill(template: &str, mut of: impl FnMut(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let name_end = rest[open + 1..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        match name_end {
            // A brace of C itself (a block, an initialiser) stays.
            Some(n) if n > 0 && rest[open + 1 + n..].starts_with('}') => {
                let name = &rest[open + 1..open + 1 + n];
                out.push_str(&rest[..open]);
                out.push_str(&of(name).ok_or_else(|| name.to_string())?);
                rest = &rest[open + n + 2..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{fill, pass};

    #[test]
    fn placeholders_are_filled_and_other_braces_stay() {
        let of = |n: &str| (n == "p" || n == "p.len").then(|| format!("<{n}>"));
        assert_eq!(fill("f({p.len}, {p}, (int[]){0 })", of).unwrap(), "f(<p.len>, <p>, (int[]){0 })");
        assert_eq!(fill("f({q})", of).unwrap_err(), "q");
        assert_eq!(pass("({}) * N", "a + 1"), "(a + 1) * N");
        assert_eq!(pass("({}) * N", "3"), "3 * N");
        assert_eq!(pass("f({}) + g(&{})", "x"), "f(x) + g(&x)");
        assert_eq!(pass("f({})", "i"), "f(i)");
    }
}
