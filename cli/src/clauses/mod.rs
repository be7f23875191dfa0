//! `litmpi clauses`: what the MPI standard asks, clause by clause, with the rules that carry it and the tests that need them.
//!
//! The clauses stand in `spec/mpi/clauses`. What they name is looked up: an item that is no item of the rules, a test
//! that is not there, a citation of a section that the table does not have or calls otherwise is an error at its place.
//! With `--hold` it is tried whether a test tells changes of what its clause is carried by.

mod held;

use crate::args::ClausesArgs;
use crate::{Verdict, say};
use litmpi_litmus::library;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::parse::parse;
use litmpi_spec::shipped::CLAUSES;
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::suggest;
use litmpi_spec::syntax::Item;
use litmpi_spec::table::misfit;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use toml::Spanned;

const ABOUT: &str = "\
# MPI 4.1, clause by clause

Made by `litmpi clauses litmus/mpi > docs/mpi-clauses.md` from `spec/mpi/clauses`, the rules and the tests. A clause is something that
the standard asks and that a program can see, in our own words; beside it stand the rules, requirements, functions or state that carry
it, and tests that fail if they are dropped. Sections that ask nothing that a program can see are listed at the end.
";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    section: Vec<Section>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    number: Spanned<String>,
    title: String,
    /// Why the section asks nothing that a program can see.
    silent: Option<String>,
    #[serde(default)]
    clause: Vec<Clause>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clause {
    asks: Spanned<String>,
    #[serde(default)]
    by: Vec<Spanned<String>>,
    #[serde(default)]
    tests: Vec<Spanned<String>>,
    /// Why no rule carries it.
    missing: Option<String>,
}

pub(crate) fn clauses(args: &ClausesArgs) -> Result<Verdict, Report> {
    let sources = CLAUSES.map(|(name, text)| Source::new(name, text));
    let mut file = File { section: vec![] };
    // Which source each section is in.
    let mut origins = vec![];
    for source in &sources {
        let chapter = read(source)?.section;
        origins.extend(chapter.iter().map(|_| Arc::clone(source)));
        file.section.extend(chapter);
    }
    let spec = load_shipped("mpi")?;
    let mut known = Known { items: BTreeMap::new(), tests: BTreeMap::new() };
    let mut errors = vec![];
    for rules in &spec.files {
        known.read_rules(rules)?;
        check_citations(&file, rules, &mut errors);
    }
    let found = library::find_each(&args.tests);
    errors.extend(found.missing.into_iter().map(|(_, why)| why));
    for path in found.files {
        known.tests.extend(path.file_stem().map(|n| (n.to_string_lossy().into_owned(), path.clone())));
        match Source::read_as(&path, "the test ") {
            Ok(source) => check_citations(&file, &source, &mut errors),
            Err(why) => errors.extend(why.0),
        }
    }
    // Without all of the tests it is not known which a clause names wrongly.
    Report(std::mem::take(&mut errors)).into_result()?;
    let mut absent = vec![];
    for (section, source) in file.section.iter().zip(&origins) {
        check(section, source, &known, &mut errors);
        absent.extend(section.clause.iter().flat_map(|c| &c.tests).map(|test| (test, source)));
    }
    let named = absent.len();
    absent.retain(|(test, _)| !known.tests.contains_key(test.get_ref()));
    errors.extend(known.absent(named, &absent));
    Report(errors).into_result()?;
    if args.hold {
        let gaps = held::gaps(&file, &known.tests, args.jobs)?;
        gaps.iter().for_each(|gap| say(&format!("{gap}\n")));
        return Ok(if gaps.is_empty() { Verdict::Good } else { Verdict::Bad });
    }
    say(&page(&file, &known));
    Ok(Verdict::Good)
}

/// What the clauses that a test is for ask, each with its section.
pub(crate) fn of_test(test: &str) -> Vec<String> {
    let about = |c: &&Clause| c.tests.iter().any(|t| t.get_ref() == test);
    let of = |s: &Section| -> Vec<String> {
        let asked = s.clause.iter().filter(about);
        asked.map(|c| format!("MPI-4.1 §{} {}: {}", s.number.get_ref(), s.title, c.asks.get_ref())).collect()
    };
    shipped().iter().flat_map(of).collect()
}

/// A clause, as other commands show it.
pub(crate) struct Asked {
    pub(crate) asks: String,
    /// The rules and other items that carry it.
    pub(crate) by: Vec<String>,
    pub(crate) tests: Vec<String>,
    /// Why no rule carries it.
    pub(crate) missing: Option<String>,
}

/// All clauses, by section.
pub(crate) fn all() -> Vec<(String, Vec<Asked>)> {
    let plain = |names: &[Spanned<String>]| names.iter().map(|n| n.get_ref().clone()).collect();
    let asked = |c: &Clause| Asked {
        asks: c.asks.get_ref().clone(),
        by: plain(&c.by),
        tests: plain(&c.tests),
        missing: c.missing.clone(),
    };
    let of = |s: &Section| (format!("§{} {}", s.number.get_ref(), s.title), s.clause.iter().map(asked).collect());
    shipped().iter().filter(|s| !s.clause.is_empty()).map(of).collect()
}

/// The sections that ship.
fn shipped() -> &'static [Section] {
    static SECTIONS: OnceLock<Vec<Section>> = OnceLock::new();
    SECTIONS.get_or_init(|| {
        let chapters = CLAUSES.iter().filter_map(|(name, text)| read(&Source::new(*name, *text)).ok());
        chapters.flat_map(|chapter| chapter.section).collect()
    })
}

fn read(source: &Arc<Source>) -> Result<File, Report> {
    toml::from_str(&source.text).map_err(|e| {
        let help = "a [[section]] has number, title and either silent or [[section.clause]] entries with asks, by, tests or missing";
        Report::from(misfit(source, e.span(), e.message(), help))
    })
}

/// What clauses may name.
struct Known {
    /// Items of the rules by name: what kind of item, and its file.
    items: BTreeMap<String, (&'static str, String)>,
    /// Tests by name.
    tests: BTreeMap<String, PathBuf>,
}

impl Known {
    fn read_rules(&mut self, source: &Arc<Source>) -> Result<(), Report> {
        for item in parse(source)?.items {
            let (kind, name) = match item {
                Item::Rule(r) => ("rule", r.name),
                Item::Requirements(r) => ("requirements", r.name),
                Item::Updates(u) => ("updates", u.name),
                Item::Fun(f) => ("function", f.name),
                Item::State(name, ..) => ("state", name),
                _ => continue,
            };
            self.items.insert(name.node, (kind, source.name.clone()));
        }
        Ok(())
    }

    /// What is said of tests that clauses name and that are not there: of each, or, where the folder is another than the clauses speak of, of all together.
    fn absent(&self, named: usize, absent: &[(&Spanned<String>, &Arc<Source>)]) -> Vec<Diagnostic> {
        const EACH: usize = 8;
        let at = |(name, source): &(&Spanned<String>, &Arc<Source>), message: String| {
            Diagnostic::at(&Span::new(source, name.span().start, name.span().end), message)
        };
        let names: Vec<&str> = self.tests.keys().map(String::as_str).collect();
        match absent {
            [first, ..] if absent.len() > EACH => {
                let message = format!(
                    "{} of the {named} names of tests in the clauses are of tests that are not given",
                    absent.len()
                );
                let help = "clauses name tests of litmus/mpi: give that folder, and your own tests beside it";
                vec![at(first, message).help(help)]
            }
            few => few
                .iter()
                .map(|missing| {
                    let name = missing.0.get_ref();
                    let help = suggest(name, &names, "tests are named as their files are");
                    at(missing, format!("there is no test `{name}`")).help(help)
                })
                .collect(),
        }
    }
}

/// The section is silent, or has clauses; each clause names what carries it and tests, or says why nothing does.
fn check(section: &Section, source: &Arc<Source>, known: &Known, errors: &mut Vec<Diagnostic>) {
    let span = |s: &Spanned<String>| Span::new(source, s.span().start, s.span().end);
    if section.silent.is_some() != section.clause.is_empty() {
        let help = "a section either has clauses, or says in `silent` why a program sees nothing of it";
        errors.push(
            Diagnostic::at(&span(&section.number), "this section has neither clauses nor a reason, or both").help(help),
        );
    }
    for clause in &section.clause {
        let covered = !clause.by.is_empty() && !clause.tests.is_empty();
        if covered == clause.missing.is_some() || clause.by.is_empty() != clause.tests.is_empty() {
            let help = "a clause names `by` what it is carried and `tests` that need it, or says in `missing` why nothing does";
            errors.push(
                Diagnostic::at(&span(&clause.asks), "this clause is neither carried nor said to be missing, or both")
                    .help(help),
            );
        }
        for name in clause.by.iter().filter(|n| !known.items.contains_key(n.get_ref())) {
            let names: Vec<&str> = known.items.keys().map(String::as_str).collect();
            let help = suggest(
                name.get_ref(),
                &names,
                "rules, requirements, updates, functions and state variables of spec/mpi carry clauses",
            );
            errors.push(Diagnostic::at(&span(name), format!("the rules have no item `{}`", name.get_ref())).help(help));
        }
    }
}

/// Citations of the standard in a file: each names a section of the table, if the table has its chapter, by its title if by words
/// that are another section's title.
fn check_citations(file: &File, source: &Arc<Source>, errors: &mut Vec<Diagnostic>) {
    // A single word may be the heading of a paragraph, as `Progress` is in several sections.
    let titled = file.section.iter().filter(|s| s.title.contains(' '));
    let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    titled.for_each(|s| titles.entry(&s.title).or_default().push(s.number.get_ref()));
    let chapters: BTreeSet<&str> = file.section.iter().map(|s| chapter(s.number.get_ref())).collect();
    for (start, _) in source.text.match_indices("cite MPI-4.1 \"") {
        let begin = start + "cite MPI-4.1 \"".len();
        let Some(length) = source.text[begin..].find('"') else { continue };
        let span = Span::new(source, begin, begin + length);
        let place = &source.text[begin..begin + length];
        for part in place.split([';', ',']) {
            let Some((_, after)) = part.split_once('§') else { continue };
            let number: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let (number, words) = (number.trim_end_matches('.'), after[number.len()..].trim());
            if !chapters.contains(chapter(number)) {
                continue;
            }
            let within =
                |s: &Section| s.number.get_ref() == number || s.number.get_ref().starts_with(&format!("{number}."));
            if !file.section.iter().any(within) {
                let help = "sections stand in spec/mpi/clauses";
                errors.push(Diagnostic::at(&span, format!("the table of clauses has no section {number}")).help(help));
            }
            if let Some(others) = titles.get(words).filter(|n| !n.contains(&number)) {
                let help = format!("write §{} {words}", others.join(&format!(" {words} or §")));
                errors.push(Diagnostic::at(&span, format!("`{words}` is not section {number}")).help(help));
            }
        }
    }
}

fn chapter(number: &str) -> &str {
    number.split('.').next().unwrap_or(number)
}

fn page(file: &File, known: &Known) -> String {
    let mut out = String::new();
    let mut last = "";
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let heading = |n: &str| match n {
        "3" => "Point-to-point communication",
        "5" => "Datatypes",
        "6" => "Collective communication",
        "7" => "Groups, contexts, communicators and caching",
        "8" => "Process topologies",
        "9" => "Environmental management",
        "12" => "One-sided communications",
        _ => "",
    };
    for section in file.section.iter().filter(|s| s.silent.is_none()) {
        let number = section.number.get_ref();
        if chapter(number) != last {
            last = chapter(number);
            out += &format!(
                "\n## {last} {}\n\n| section | what is asked | carried by | tests |\n|---|---|---|---|\n",
                heading(last)
            );
        }
        for (i, clause) in section.clause.iter().enumerate() {
            let (covered, all) = counts.entry(last.parse().unwrap_or(0)).or_default();
            *all += 1;
            *covered += usize::from(clause.missing.is_none());
            let place = if i == 0 { format!("{number} {}", section.title) } else { String::new() };
            let (by, tests) = match &clause.missing {
                Some(why) => (format!("*not covered*: {why}"), String::new()),
                None => (carried(clause, known), list(clause.tests.iter().map(|t| t.get_ref().as_str()))),
            };
            out += &format!("| {place} | {} | {by} | {tests} |\n", clause.asks.get_ref());
        }
    }
    out += "\n## Sections that ask nothing that a program can see\n\n| section | |\n|---|---|\n";
    for (section, why) in file.section.iter().filter_map(|s| s.silent.as_ref().map(|why| (s, why))) {
        out += &format!("| {} {} | {why} |\n", section.number.get_ref(), section.title);
    }
    let (covered, all) = counts.values().fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    let mut head = format!(
        "{ABOUT}\n{covered} of {all} clauses are covered ({} %).\n\n| chapter | clauses | covered |\n|---|--:|--:|\n",
        covered * 100 / all
    );
    for (chapter, (covered, all)) in counts {
        head += &format!("| {chapter} {} | {all} | {covered} |\n", heading(&chapter.to_string()));
    }
    head + &out
}

fn carried(clause: &Clause, known: &Known) -> String {
    let shown = clause.by.iter().map(|b| {
        let (kind, file) = &known.items[b.get_ref()];
        let kind = if *kind == "rule" { String::new() } else { format!("{kind} ") };
        let file = file.rsplit('/').next().unwrap_or(file);
        format!("{kind}`{}` ({file})", b.get_ref())
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
