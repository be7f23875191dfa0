//! The book: what its pages show comes from the tree and from the command, and every page is found.
//!
//! In a page, a comment before a block of code says where the block is from:
//! - `<!-- shown: PATH -->`: it is lines of that file of the repository, one after the other; a line `…` stands for lines that are left out;
//! - `<!-- file: NAME -->`: it is a file that the commands of the page use.
//!
//! A block `console` is a transcript: each `$ litmpi …` is run where the files of the page are, beside the folders of the repository, and prints the lines
//! behind it, `…` standing for those that are left out. `(exit code N)` behind them says how it ended; without that it ended with 0. In a block
//! `console numbers` all numbers, and how wide columns are, may be others: it shows runs of real libraries.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("book/src")).expect("the book");
    let mut pages: Vec<PathBuf> = entries.map(|e| e.expect("a page").path()).collect();
    pages.sort();
    pages
}

fn text(page: &Path) -> String {
    std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()))
}

/// A block of code: the line before it, what it says it is, and its lines.
struct Block {
    before: String,
    info: String,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let (mut out, mut before, mut lines) = (vec![], String::new(), text.lines());
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|l| *l != "```").map(str::to_owned).collect();
            out.push(Block { before: std::mem::take(&mut before), info: info.to_owned(), lines: inside });
        } else {
            before = line.to_owned();
        }
    }
    out
}

/// What a comment of this sort names.
fn named<'b>(block: &'b Block, sort: &str) -> Option<&'b str> {
    block.before.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(sort)?.strip_prefix(": ")
}

/// The first line that does not come, in order, among these; one behind another that is shown must be the next one.
fn missing<'s>(shown: &'s [String], all: &[String], alike: &dyn Fn(&str, &str) -> bool) -> Option<&'s str> {
    let mut parts = shown.split(|l| l == "…");
    let mut at = 0;
    parts.find_map(|part| {
        let fits = |start: usize| part.iter().zip(&all[start..]).take_while(|(a, b)| alike(a, b)).count();
        let starts = at..all.len().saturating_sub(part.len()) + 1;
        match starts.clone().find(|start| fits(*start) == part.len()) {
            Some(start) => {
                at = start + part.len();
                None
            }
            None => part.get(starts.map(fits).max().unwrap_or(0).min(part.len() - 1)).map(String::as_str),
        }
    })
}

/// Words of a command line; those in single quotes stay together.
fn words(command: &str) -> Vec<String> {
    let of = |(i, part): (usize, &str)| -> Vec<String> {
        if i % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
    };
    command.split('\'').enumerate().flat_map(of).collect()
}

/// A folder with the files of a page, and the repository's own beside them.
fn place(blocks: &[Block]) -> TempDir {
    let dir = TempDir::new().expect("a folder");
    for entry in ["litmus", "spec", "tests", "docs", "cli"] {
        std::os::unix::fs::symlink(root().join(entry), dir.path().join(entry)).expect("a link");
    }
    for block in blocks {
        if let Some(name) = named(block, "file") {
            std::fs::write(dir.path().join(name), block.lines.join("\n") + "\n").expect("a file");
        }
    }
    dir
}

fn lines(said: &Said) -> Vec<String> {
    format!("{}\n{}", said.stdout, said.stderr).lines().map(|l| l.trim_end().to_owned()).collect()
}

/// The words of a line without its numbers.
fn without_numbers(line: &str) -> Vec<String> {
    let numbered = |w: &str| w.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>();
    line.split_whitespace().map(|w| numbered(w).replace("##", "#").replace("##", "#").replace("##", "#")).collect()
}

/// Runs each command of a transcript and compares.
fn try_transcript(page: &Path, dir: &Path, block: &Block) -> usize {
    let numbers = block.info.ends_with("numbers");
    if numbers && (here(&["openmpi"]).is_empty() || here(&["mpich"]).is_empty()) {
        return 0;
    }
    let alike = |a: &str, b: &str| if numbers { without_numbers(a) == without_numbers(b) } else { a.trim_end() == b };
    let mut commands = 0;
    for (i, line) in block.lines.iter().enumerate() {
        let Some(command) = line.strip_prefix("$ litmpi ") else { continue };
        let mut shown: Vec<String> =
            block.lines[i + 1..].iter().take_while(|l| !l.starts_with("$ ")).map(|l| l.trim_end().to_owned()).collect();
        while shown.last().is_some_and(String::is_empty) {
            shown.pop();
        }
        let code = shown.last().and_then(|l| l.strip_prefix("(exit code ")?.strip_suffix(")")?.parse().ok());
        if code.is_some() {
            shown.pop();
        }
        let said = litmpi_in(dir, words(command));
        assert_eq!(said.code, Some(code.unwrap_or(0)), "{}: {command}\n{said}", page.display());
        if let Some(line) = missing(&shown, &lines(&said), &alike) {
            panic!("{}: `litmpi {command}` does not say this here: {line:?}\n{said}", page.display());
        }
        commands += 1;
    }
    commands
}

#[test]
fn every_block_of_the_book_is_of_the_tree_or_said_by_the_command() {
    let (mut shown, mut commands) = (0, 0);
    for page in pages().iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let all = blocks(&text(page));
        let dir = place(&all);
        for block in &all {
            if let Some(path) = named(block, "shown") {
                let of: Vec<String> = text(&root().join(path)).lines().map(|l| l.trim_end().to_owned()).collect();
                let missing = missing(&block.lines, &of, &|a, b| a.trim_end() == b);
                assert_eq!(missing, None, "{}: a line that {path} does not have here", page.display());
                shown += 1;
            } else if block.info.starts_with("console") {
                commands += try_transcript(page, dir.path(), block);
            } else {
                let is_file = named(block, "file").is_some() || block.info.starts_with("sh") || block.info == "yaml";
                assert!(is_file, "{}: a block says where it is from: {:?}", page.display(), block.lines);
            }
        }
    }
    assert!(shown >= 6 && commands >= 12, "{shown} files, {commands} commands");
}

#[test]
fn the_page_of_options_is_what_the_command_says() {
    let said = litmpi_in(&root(), ["man", "--markdown"]);
    assert!(
        said.exits(0).stdout == text(&root().join("book/src/options.md")),
        "write it anew: litmpi man --markdown > book/src/options.md"
    );
    for command in ["litmpi run", "litmpi known add", "litmpi lab setup", "litmpi fmt"] {
        assert!(said.stdout.contains(&format!("## `{command}`\n")), "{command}");
    }
}

#[test]
fn every_page_is_in_the_summary_and_links_lead_somewhere() {
    let summary = text(&root().join("book/src/SUMMARY.md"));
    let links = |text: &str| -> Vec<String> {
        let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.to_owned());
        ends.filter(|link| !link.starts_with("http")).collect()
    };
    let there: BTreeSet<String> = pages()
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_str()?.to_owned()))
        .filter(|n| n != "SUMMARY.md")
        .collect();
    assert_eq!(
        links(&summary).into_iter().collect::<BTreeSet<_>>(),
        there,
        "SUMMARY.md names the pages that are there"
    );
    for page in pages() {
        for link in links(&text(&page)) {
            let (file, _) = link.split_once('#').unwrap_or((&link, ""));
            assert!(file.is_empty() || root().join("book/src").join(file).exists(), "{}: {link}", page.display());
        }
    }
}
