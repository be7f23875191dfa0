//! Printing and parsing are inverse.

mod trees;

use litmpi_spec::parse::{ITEMS, parse};
use litmpi_spec::print::print;
use litmpi_spec::shipped::FILES;
use litmpi_spec::source::Source;
use litmpi_spec::syntax::File;
use proptest::prelude::*;

fn read(text: &str) -> File {
    parse(&Source::new("test.spec", text)).unwrap_or_else(|r| panic!("{}\n{text}", r.render(false)))
}

#[test]
fn every_shipped_file_is_printed_as_a_text_of_the_same_tree() {
    for (name, text) in FILES {
        let tree = read(text);
        let printed = print(&tree);
        assert!(read(&printed) == tree, "{name} is printed as another tree:\n{printed}");
        assert_eq!(print(&read(&printed)), printed, "{name}: printing again gives another text");
    }
}

#[test]
fn printed_lines_are_short_and_bear_no_spaces_at_their_ends() {
    for (name, text) in FILES {
        for line in print(&read(text)).lines() {
            assert_eq!(line, line.trim_end(), "{name}");
            // Texts in quotes are never broken.
            assert!(line.chars().count() <= 140 || line.contains('"'), "{name}: {line}");
        }
    }
}

#[test]
fn rules_are_printed_as_people_write_them() {
    let text = r#"module m "t"
  cite rdma-tso "Fig. 20"
import "a.spec"

const A: Int = -1
const B: Bool = true

type Entry = Put(y: Loc, x: Loc) | Ack

fun newest(α: [Entry], x: Loc): Int = match α { [] => M[x], [_] · β => newest(β, x) }

rule put/fetch (t: Thread, n: Node) "a NIC local read"
  cite rdma-tso "Fig. 19"
  when QP[t][n].pipe is α · Put(y, x) · β, pcie implies QP[t][n].wbL ∈ {CN}*, not (β = [])
  requires all k in β : k ≠ Ack and (a or b) else "the \"reason\""
  then QP[t][n].pipe := α · (if inline then Ack else Put(y, x)) · β,
       for k in range(2) { M[x + k] := -k * (1 - (2 - 3)) },
       if a = b { r := !s with [0] = 1 } else { r := (s with [0] = 1) with { a = None } }
"#;
    assert_eq!(print(&read(text)), text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_comes_back_from_its_text(tree in trees::file()) {
        let printed = print(&tree);
        let again = parse(&Source::new("test.spec", printed.as_str()));
        let again = again.map_err(|r| TestCaseError::fail(format!("{}\n{printed}", r.render(false))))?;
        prop_assert!(again == tree, "printed as another tree:\n{}\n{:#?}\n{:#?}", printed, tree.items, again.items);
        prop_assert_eq!(print(&again), printed);
    }

    #[test]
    fn a_soup_of_words_is_refused_or_parsed_and_printed(words in prop::collection::vec(prop::sample::select(words()), 0..40)) {
        let text = format!("module m \"t\"\n{}", words.join(" "));
        if let Ok(tree) = parse(&Source::new("test.spec", text.as_str())) {
            prop_assert!(read(&print(&tree)) == tree, "{}", print(&tree));
        }
    }

    #[test]
    fn a_soup_in_a_rule_is_refused_or_parsed_and_printed(words in prop::collection::vec(prop::sample::select(words()), 1..12)) {
        let text = format!("module m \"t\" rule r () when {} then M := 1", words.join(" "));
        if let Ok(tree) = parse(&Source::new("test.spec", text.as_str())) {
            prop_assert!(read(&print(&tree)) == tree, "{}", print(&tree));
        }
    }

    #[test]
    fn any_text_is_refused_or_parsed(text in "\\PC{0,200}") {
        let source = Source::new("test.spec", text);
        if let Err(report) = parse(&source) {
            prop_assert!(!report.render(false).is_empty());
        }
    }

    #[test]
    fn a_shipped_file_with_a_hole_is_refused_or_parsed(file in prop::sample::select(FILES.to_vec()), from in 0.0..1.0, len in 0usize..40) {
        let chars: Vec<char> = file.1.chars().collect();
        let from = (chars.len() as f64 * from) as usize;
        let text: String = chars[..from].iter().chain(chars[from..].iter().skip(len)).collect();
        match parse(&Source::new("test.spec", text)) {
            Ok(tree) => prop_assert!(read(&print(&tree)) == tree),
            Err(report) => prop_assert!(!report.render(false).is_empty()),
        }
    }
}

fn words() -> Vec<&'static str> {
    ITEMS.iter().chain(WORDS).copied().collect()
}

/// Words of rules beside those that begin an item.
const WORDS: &[&str] = &[
    "module",
    "cite",
    "deviation",
    "on",
    "when",
    "then",
    "requires",
    "else",
    "if",
    "let",
    "match",
    "pick",
    "in",
    "is",
    "all",
    "any",
    "and",
    "or",
    "not",
    "implies",
    "with",
    "for",
    "None",
    "true",
    "false",
    "div",
    "mod",
    "x",
    "y",
    "M",
    "A",
    "letter",
    "iffy",
    "matched",
    "picked",
    "formed",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ":=",
    "=",
    "=>",
    "≠",
    "∈",
    "·",
    "|",
    "+",
    "-",
    "*",
    "!",
    "_",
    ".",
    "0",
    "1",
    "2147483647",
    "2147483648",
    "-",
    "\"text\"",
    "-- note\n",
    "Int",
    "Reg",
    "?",
    "names",
    "c",
    "local",
    "register",
    "where",
];
