//! Names in specifications of one's own: one that is misspelt once is told where it stands, and does not become another one.

use crate::command::root;
use crate::support::{at, folder, litmpi_in};
use litmpi_models::Model;
use std::path::Path;

const MAILBOX: &str = include_str!("../../examples/mailbox.spec");
const BY_PUTS: &str = include_str!("../../examples/mailbox-by-puts.spec");
const MY_RDMA: &str = include_str!("../../examples/my-rdma.spec");
const MY_CAT: &str = include_str!("../../examples/my-rdma.cat");
const DRAIN: &str = include_str!("../../examples/drain.litmus");
const LOCK: &str = include_str!("../../examples/lock.spec");
const LOCK_TEST: &str = include_str!("../../examples/lock.litmus");

/// The word with two neighbours exchanged, or, if it is short, with one letter more.
fn misspelt(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let swaps = |i: &usize| letters[*i] != letters[i + 1] && letters[*i] != '_' && letters[i + 1] != '_';
    match (1..letters.len().saturating_sub(2)).find(swaps) {
        Some(i) => {
            let mut other = letters.clone();
            other.swap(i, i + 1);
            other.into_iter().collect()
        }
        None => format!("{word}q"),
    }
}

/// Where the names of a text begin and end, but for those in comments and strings, and for what a line with one of these words in front
/// is to call something.
fn names(text: &str) -> Vec<(usize, usize)> {
    let mut out = vec![];
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let declares = ["layer ", "variant "].iter().any(|word| line.starts_with(word));
        let mut is_quoted = false;
        let mut word: Option<usize> = None;
        for (i, c) in line.char_indices() {
            let is_letter = c.is_ascii_alphanumeric() || c == '_';
            match (word, is_letter) {
                (None, true) if !is_quoted && !c.is_ascii_digit() => word = Some(i),
                (Some(first), false) => {
                    out.push((begin + first, begin + i));
                    word = None;
                }
                _ => {}
            }
            is_quoted ^= c == '"';
            if line[i..].starts_with("--") {
                break;
            }
        }
        if declares {
            out.retain(|(first, _)| *first < begin);
        }
        begin += line.len();
    }
    out
}

/// Copies the shipped specifications, beside which layers find what they import.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("specifications").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).expect("a copy");
        }
    }
}

#[test]
fn a_layer_in_which_any_one_name_is_misspelt_is_refused_with_its_place() {
    let dir = folder(&[("mailbox.spec", MAILBOX), ("mailbox-by-puts.spec", BY_PUTS)]);
    copy(&root().join("spec"), dir.path());
    let (mut tried, mut accepted) = (0, vec![]);
    for file in [
        "mailbox-by-puts.spec",
        "loco/barrier-by-variables.spec",
        "loco/mixed-size-by-hash.spec",
        "loco/ring-buffer-by-variables.spec",
        "loco/shared-variable-by-puts.spec",
    ] {
        let path = dir.path().join(file);
        let text = std::fs::read_to_string(&path).expect("a layer");
        assert!(Model::load(&path).is_ok(), "{file}");
        for (first, end) in names(&text) {
            let word = misspelt(&text[first..end]);
            std::fs::write(&path, format!("{}{word}{}", &text[..first], &text[end..])).expect("it is written");
            tried += 1;
            let line = text[..first].matches('\n').count() + 1;
            match Model::load(&path) {
                Ok(_) => accepted.push(format!("{file}:{line}: {word}")),
                Err(report) => {
                    let places: Vec<_> = report.0.iter().filter_map(|d| d.span.as_ref()).collect();
                    assert!(!places.is_empty(), "{file}:{line}: {word}: {report}");
                }
            }
        }
        std::fs::write(&path, text).expect("it is written");
    }
    assert!(tried > 500, "{tried}");
    assert!(accepted.is_empty(), "{} of {tried} are accepted:\n{}", accepted.len(), accepted.join("\n"));
}

#[test]
fn misspelt_names_of_a_specification_are_told_with_the_likely_one() {
    let rdma = |from: &str, to: &str| [("s.spec", MY_RDMA.replacen(from, to, 1)), ("t.litmus", DRAIN.to_owned())];
    let lock = |from: &str, to: &str| [("s.spec", LOCK.replacen(from, to, 1)), ("t.litmus", LOCK_TEST.to_owned())];
    let cases = [
        (rdma("of rdma-tso", "of rmda-tso"), "s.spec:3", "no model is called `rmda-tso`", "did you mean `rdma-tso`?"),
        (
            rdma("cite rdma-tso", "cite rdma-tos"),
            "s.spec:4",
            "no work is called `rdma-tos`",
            "did you mean `rdma-tso`?",
        ),
        (
            rdma("(towards: n)", "(twoards: n)"),
            "s.spec:16",
            "no other event has the key `twoards`",
            "did you mean `towards`?",
        ),
        (
            lock("holder is None", "holder is Nnoe"),
            "s.spec:36",
            "no constructor is called `Nnoe`",
            "did you mean `None`?",
        ),
    ];
    for (files, place, what, likely) in cases {
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        let dir = folder(&files);
        let said = litmpi_in(dir.path(), ["enumerate", "--spec", "s.spec", "t.litmus"]);
        said.exits(2).says(place).says(what).says(likely);
    }
}

#[test]
fn a_relation_that_was_to_be_another_one_is_told() {
    let run = |text: &str| {
        let dir = folder(&[("my-rdma.spec", MY_RDMA), ("m.cat", text), ("drain.litmus", DRAIN)]);
        let model = at(&dir, "m.cat");
        litmpi_in(dir.path(), ["enumerate", "--spec", "my-rdma.spec", "--model", &model, "drain.litmus"])
    };
    run(MY_CAT).exits(0);
    let wrong = run(&MY_CAT.replacen("let ippo = ippo", "let ippoo = ippo", 1));
    wrong.exits(2).says("m.cat:10").says("`ippoo` is defined, and nothing uses it").says("did you mean `ippo`?");
    // A further definition that nobody uses is no slip.
    run(&format!("{MY_CAT}\nlet ippo2 = ippo | po\nlet another = ippo\n")).exits(0);
}
