//! Colours of relations, on light and on dark ground. Those of herd's figures where herd has them.

/// A name's colours: light ground, dark ground.
pub(crate) type Ink = (&'static str, &'static str);

const KNOWN: &[(&[&str], Ink)] = &[
    (&["po"], ("#4a4a4a", "#b8b8b8")),
    (&["rf"], ("#c62828", "#ff7b72")),
    (&["mo", "co"], ("#1557c0", "#79b8ff")),
    (&["rb", "fr"], ("#c66a00", "#ffb454")),
    (&["nfo"], ("#2e7d32", "#7ee787")),
    (&["pf"], ("#7b1fa2", "#d2a8ff")),
    (&["ib"], ("#00838f", "#56d4dd")),
    (&["ob"], ("#ad1470", "#ff9bce")),
];

const OTHERS: &[Ink] =
    &[("#5d4037", "#d0a890"), ("#33691e", "#b5d96b"), ("#283593", "#a5b0ff"), ("#827717", "#e0d46a")];

/// The colours of a name; those of the first known name in it for an expression like `rf \ rfb`. Unknown names get one
/// of the others by their letters, so that a relation has the same colour in every picture.
pub(crate) fn ink(name: &str) -> Ink {
    let mut words = name.split(|c: char| !c.is_alphanumeric() && !"-._".contains(c));
    let known = words.find_map(|w| KNOWN.iter().find(|(names, _)| names.contains(&w))).map(|(_, ink)| *ink);
    known.unwrap_or_else(|| OTHERS[name.bytes().map(usize::from).sum::<usize>() % OTHERS.len()])
}

/// `&`, `<`, `>` and quotes as markup has them.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
