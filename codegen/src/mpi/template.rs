//! Templates of the declarations: `{}` in kinds, `{param}`, `{param.len}` and `{param.raw}` in instructions.

/// Puts `text` where the template has `{}`; a single word needs no brackets at the template's beginning.
pub(super) fn pass(template: &str, text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match template.strip_prefix("({})") {
        Some(rest) if word => format!("{text}{}", rest.replace("{}", text)),
        _ => template.replace("{}", text),
    }
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
        assert_eq!(pass("f({})", "i"), "f(i)");
    }
}
