//! Text of others, made safe to print: control characters, which a terminal obeys, are shown instead.

use std::borrow::Cow;

/// Whether a terminal may obey the character instead of showing it: C0 but for the end of a line and the tabulator, DEL, C1, and
/// marks that turn the direction of what follows.
fn is_obeyed(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether text has nothing to be shown. Bytes are looked at first, since nearly all text is plain.
fn is_plain(text: &str) -> bool {
    !text.bytes().any(|b| (b < b' ' && b != b'\n' && b != b'\t') || b == 0x7f || b == 0xc2 || b == 0xe2)
        || !text.contains(is_obeyed)
}

/// The text with each control character written as `\u001b`, which is also how JSON writes it inside of strings. The
/// end of a line in the form of Windows (`\r\n`) stays.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_obeyed(c) && !(c == '\r' && chars.peek() == Some(&'\n')) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The text with each control character replaced by a character of as many bytes, so that places in it stay what they are.
pub(crate) fn visible_in_place(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mark = |c: char| match c.len_utf8() {
        1 => '?',
        2 => '¿',
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(|c| if is_obeyed(c) && c != '\r' { mark(c) } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_all_else_stays() {
        let plain = "a\tb\r\nMP1: é → ∃ \u{1F600}\n";
        assert_eq!(visible(plain), plain);
        assert!(matches!(visible(plain), Cow::Owned(_)) && matches!(visible("a → b\n"), Cow::Borrowed(_)));
        assert_eq!(
            visible("\x1b[2J\x07 \r x \x7f \u{9b}1m \u{202e}"),
            r"\u001b[2J\u0007 \u000d x \u007f \u009b1m \u202e"
        );
    }

    #[test]
    fn places_in_text_stay_when_it_is_made_visible() {
        let text = "é\x1b \u{9b} \u{202e}z\r\n";
        let shown = visible_in_place(text);
        assert_eq!(shown, "é? ¿ \u{fffd}z\r\n");
        assert_eq!(text.find('z'), shown.find('z'));
    }
}
