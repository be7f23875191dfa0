//! What somebody likely meant where a text stops being a specification: the slips that people make most.

use crate::suggest::nearest;

/// Words that begin an item of a specification, behind its head and its imports.
pub const ITEMS: [&str; 20] = [
    "const",
    "variant",
    "alias",
    "record",
    "type",
    "state",
    "fun",
    "kind",
    "instruction",
    "internal",
    "events",
    "requirements",
    "updates",
    "rule",
    "bind",
    "claim",
    "without",
    "memory",
    "registers",
    "implement",
];
/// Words that begin a clause.
const CLAUSES: [&str; 9] = ["cite", "deviation", "on", "when", "requires", "then", "commutes", "waits", "late"];

/// Signs of other languages, and what is written here.
const SIGNS: [(&str, &str); 7] = [
    ("==", "one `=` compares"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("->", "an arm of a `match` has `=>`, an implication `⇒` or `implies`"),
    ("//", "a comment begins with `--`"),
    ("#", "a comment begins with `--`"),
    ("/*", "a comment begins with `--` and ends with its line"),
];

/// The slip that is at this place of a text, if it is a frequent one.
pub(super) fn slip(text: &str, at: usize) -> Option<String> {
    let (before, rest) = text.split_at_checked(at)?;
    // Of two signs, the parser may have taken the first for an operator.
    let sign = |(sign, help): &(&str, &str)| {
        let from = [at, at.saturating_sub(1)].into_iter().find(|i| text.get(*i..).is_some_and(|t| t.starts_with(sign)));
        from.map(|_| (*help).to_owned())
    };
    if let Some(help) = SIGNS.iter().find_map(sign) {
        return Some(help);
    }
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_-".contains(*c)).collect();
    if word == "import" {
        return Some("imports stand behind the head of the file, before everything else".into());
    }
    let indent = before.rfind('\n').map_or(before, |i| &before[i + 1..]);
    if word.is_empty() || !indent.chars().all(char::is_whitespace) {
        return None;
    }
    let words: &[&str] = if indent.is_empty() { &ITEMS } else { &CLAUSES };
    if let Some(meant) = nearest(&word, words.iter().copied()) {
        return Some(format!("did you mean `{meant}`?"));
    }
    let last =
        before.lines().rev().map(|l| l.split("--").next().unwrap_or_default().trim_end()).find(|l| !l.is_empty())?;
    let clause = !indent.is_empty() && !words.contains(&word.as_str());
    let open = last.ends_with([',', '(', '[', '{', '=', '·', '|', ':']);
    (clause && !open).then(|| {
        "is there a comma missing at the end of the line before? Premises, updates and fields are separated by commas".into()
    })
}
