//! What came of the changes: a table by file, the survivors, and the page in `docs`.

use super::list::{Change, Key};
use super::record::{self, Record};
use super::run::Fate;
use super::subject::SMALL;
use crate::mutate::MutateArgs;
use crate::whole;
use litmpi_spec::diag::{Diagnostic, Report as Errors};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// What is told at the end.
pub(super) struct Report<'a> {
    pub(super) results: &'a [(&'a Change, Fate)],
    /// How many changes there are of what was asked for, tried or not.
    pub(super) of: usize,
    /// Tests that are too large to be tried.
    pub(super) large: usize,
    /// Programs that come to a limit under the right rules.
    pub(super) limited: usize,
    /// How record and rules differ.
    pub(super) out_of_step: &'a [String],
    pub(super) before: &'a Record,
}

/// Counts for a file, or for all.
#[derive(Default, Clone, Copy)]
struct Counts {
    all: usize,
    told: [usize; 3],
    same: usize,
    unseen: usize,
    hidden: usize,
    survive: usize,
    unreached: usize,
    equivalent: usize,
}

impl Counts {
    fn add(&mut self, fate: &Fate) {
        match fate {
            Fate::None => return,
            Fate::Killed { how, .. } => self.told[*how as usize] += 1,
            Fate::Same { .. } => self.same += 1,
            Fate::Unseen { .. } => self.unseen += 1,
            Fate::Survives { compared: true, .. } => self.hidden += 1,
            Fate::Survives { .. } => self.survive += 1,
            Fate::Unreached => self.unreached += 1,
            Fate::Equivalent(_) => self.equivalent += 1,
        }
        self.all += 1;
    }

    fn killed(&self) -> usize {
        self.told.iter().sum()
    }

    fn row(&self, name: &str) -> String {
        let [outcomes, fault, explodes] = self.told;
        let Counts { all, same, unseen, hidden, survive, unreached, equivalent, .. } = self;
        let share = |part: usize, of: usize| if of == 0 { 100.0 } else { 100.0 * part as f64 / of as f64 };
        // Nobody can tell what changes nothing.
        let told = share(self.killed(), all - equivalent);
        let settled = share(self.killed() + equivalent + same + unseen, *all);
        format!(
            "| {name} | {all} | {outcomes} | {fault} | {explodes} | {same} | {unseen} | {hidden} | {survive} | {unreached} | {equivalent} | {told:.1} % | {settled:.1} % |\n"
        )
    }
}

/// So many of the changes of a file that no test tells stand in the page.
const LISTED: usize = 3;

const HEAD: &str = "| file | changes | other outcomes | a rule fails | explodes | no difference | unseen | hidden | not compared | not reached | equivalent | told | told or classified |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";

fn rows(results: &[(&Change, Fate)]) -> String {
    let mut files: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for (c, fate) in results {
        files.entry(&c.key.file).or_default().add(fate);
        total.add(fate);
    }
    let mut out = HEAD.to_owned();
    files.iter().for_each(|(name, counts)| out += &counts.row(name));
    out + &total.row("all")
}

/// Of the changes of each file that no test tells, those of these fates, with their places if that is asked for, and so many of a file at most.
fn left(results: &[(&Change, Fate)], (places, large): (bool, bool), most: usize, of: impl Fn(&Fate) -> bool) -> String {
    let mut files: Vec<(&str, Vec<String>)> = vec![];
    for (c, fate) in results.iter().filter(|(_, fate)| of(fate)) {
        let why = match fate {
            Fate::Same { evaluated, tests } => format!("no difference in {evaluated} evaluations in {tests} tests"),
            Fate::Unseen { states, tests } => {
                format!("other steps in {tests} tests, and the same endings from each of {states} states")
            }
            Fate::Survives { tests, compared: true } => format!("hidden in {tests} tests"),
            Fate::Survives { tests, .. } => format!("{tests} tests that come there were tried"),
            Fate::Unreached if large => "undecided: no test comes there within the bound".to_owned(),
            Fate::Unreached => "no test comes there".to_owned(),
            Fate::None | Fate::Killed { .. } | Fate::Equivalent(_) => continue,
        };
        let place = if places { format!("{}: ", c.place()) } else { String::new() };
        let line = format!("- {place}{} ({why})\n", c.key);
        match files.last_mut() {
            Some((file, lines)) if *file == c.key.file => lines.push(line),
            _ => files.push((&c.key.file, vec![line])),
        }
    }
    let mut out = String::new();
    for (file, lines) in files {
        let _ = write!(out, "\n**{file}**\n\n{}", lines[..most.min(lines.len())].concat());
        if lines.len() > most {
            let _ = writeln!(out, "- … and {} more", lines.len() - most);
        }
    }
    out
}

/// Those that change no outcome, each with the reason.
fn equivalent(results: &[(&Change, Fate)]) -> String {
    let mut out = String::new();
    for (c, fate) in results {
        if let Fate::Equivalent(why) = fate {
            let _ = writeln!(out, "- {}: {}: {why}", c.key.file, c.key);
        }
    }
    if out.is_empty() { out } else { format!("\n## Changes that change no outcome\n\n{out}") }
}

/// How the record and the changes that there are differ, in files of which the record speaks.
pub(super) fn out_of_step(all: &[&Change], before: &Record, args: &MutateArgs) -> Vec<String> {
    let now: HashSet<&Key> = all.iter().map(|c| &c.key).collect();
    let files: HashSet<&str> = before.keys().map(|k| k.file.as_str()).collect();
    let missing = all.iter().filter(|c| files.contains(c.key.file.as_str()) && !before.contains_key(&c.key));
    let missing = missing.map(|c| format!("not in the record: {}: {}", c.key.file, c.key));
    let mut gone: Vec<&Key> = before.keys().filter(|k| args.of.is_empty() && !now.contains(k)).collect();
    gone.sort();
    missing.chain(gone.into_iter().map(|k| format!("in the record, and no longer a change: {}: {k}", k.file))).collect()
}

impl Report<'_> {
    /// Of what was in the record as told by a test, and is told by none or by another one now.
    fn changed(&self) -> Vec<String> {
        let changed = |(c, fate): &&(&Change, Fate)| match (self.before.get(&c.key), fate) {
            (Some(Fate::Killed { by: a, .. }), Fate::Killed { by: b, .. }) => a != b,
            (Some(Fate::Killed { .. }), _)
            | (Some(Fate::Equivalent(_) | Fate::Same { .. } | Fate::Unseen { .. }), Fate::Killed { .. }) => true,
            (Some(Fate::Same { .. }), Fate::Unseen { .. } | Fate::Survives { .. }) => true,
            (Some(Fate::Unseen { .. }), Fate::Survives { .. }) => true,
            _ => false,
        };
        let text =
            |(c, fate): &(&Change, Fate)| format!("{}: {}, is not as the record says: {fate:?}", c.place(), c.key);
        self.results.iter().filter(changed).map(text).collect()
    }

    /// Whether nothing is amiss but that no test comes to some changes, where tests were left out for their size.
    pub(super) fn is_undecided(&self) -> bool {
        let open = self.results.iter().filter(|(_, f)| f.is_open());
        self.large > 0
            && self.out_of_step.is_empty()
            && self.changed().is_empty()
            && open.into_iter().all(|(_, f)| matches!(f, Fate::Unreached))
    }

    pub(super) fn is_good(&self, args: &MutateArgs) -> bool {
        if args.accept {
            return true;
        }
        self.out_of_step.is_empty()
            && self.changed().is_empty()
            && (args.record.is_some() || !self.results.iter().any(|(_, f)| f.is_open()))
    }

    pub(super) fn as_text(&self) -> String {
        let mut out = rows(self.results);
        let left = left(self.results, (true, self.large > 0), usize::MAX, |_| true);
        if !left.is_empty() {
            out += &format!("\nTold by no test:\n{left}");
        }
        if self.results.len() < self.of {
            let _ = writeln!(out, "\nOf {} changes {} were tried", self.of, self.results.len());
        }
        if self.large > 0 {
            let _ = writeln!(
                out,
                "\n{} tests have more states than the bound and were left out: whether they come to a change is undecided",
                self.large
            );
        }
        if self.limited > 0 {
            let _ = writeln!(out, "\n{} programs come to a limit of time or states, and were left out", self.limited);
        }
        for line in self.out_of_step.iter().take(20) {
            let _ = writeln!(out, "{line}");
        }
        if let n @ 1.. = self.out_of_step.len() {
            let _ = writeln!(
                out,
                "the record and the rules differ in {n} changes: `litmpi mutate litmus --record FILE --accept` tries those that are new"
            );
        }
        self.changed().iter().for_each(|line| out += &format!("{line}\n"));
        out
    }

    pub(super) fn as_json(&self) -> String {
        let row = |(c, fate): &(&Change, Fate)| {
            let by = if let Fate::Killed { by, .. } = fate { Some(by) } else { None };
            json!({
                "place": c.place(), "owner": c.key.owner, "change": c.key.what, "from": c.of[0].1.from, "to": c.of[0].1.to,
                "fate": fate.name(), "test": by,
            })
        };
        let rows: Vec<_> = self.results.iter().map(row).collect();
        format!(
            "{:#}\n",
            json!({ "changes": rows, "of": self.of, "too_large": self.large, "limited": self.limited, "out_of_step": self.out_of_step, "changed": self.changed() })
        )
    }
}

/// Writes the record and the page beside it: what came of every change that has been tried. What the record says of files of
/// which the tests given run no model stays.
pub(super) fn write(
    args: &MutateArgs,
    every: &[Change],
    before: &Record,
    fate: impl Fn(&Change) -> Option<Fate>,
) -> Result<(), Errors> {
    let Some(path) = &args.record else { return Ok(()) };
    let files: HashSet<&str> = every.iter().map(|c| c.key.file.as_str()).collect();
    let others = before.keys().filter(|k| !files.contains(k.file.as_str()));
    let others: Vec<Change> = others.map(|k| Change { key: k.clone(), of: vec![] }).collect();
    let mut results: Vec<(&Change, Fate)> = every.iter().chain(&others).filter_map(|c| Some((c, fate(c)?))).collect();
    results.sort_by_key(|(c, _)| (c.key.file.ends_with(".cat"), c.key.file.as_str()));
    let text = record::write(results.iter().map(|(c, f)| (&c.key, f)));
    let page = path.with_extension("md");
    for (path, text) in [(path, &text), (&page, &page_of(every, &results))] {
        whole::write(path, text)
            .map_err(|e| Errors::from(Diagnostic::general(format!("cannot write {}: {e}", path.display()))))?;
    }
    Ok(())
}

fn page_of(every: &[Change], results: &[(&Change, Fate)]) -> String {
    let tried: HashSet<&Key> = results.iter().map(|(c, _)| &c.key).collect();
    let mut untried: BTreeMap<&str, usize> = BTreeMap::new();
    for c in every.iter().filter(|c| !tried.contains(&c.key)) {
        *untried.entry(&c.key.file).or_default() += 1;
    }
    let untried = if untried.is_empty() {
        String::new()
    } else {
        let files: Vec<String> = untried.iter().map(|(file, n)| format!("{file} ({n})")).collect();
        format!("\nNot tried yet, with the number of changes: {}.\n", files.join(", "))
    };
    format!(
        "# Which test tells each change of the rules\n\n\
         Made in parts by `litmpi mutate litmus --record docs/mutants.tsv --accept --max-states 20000`, with --of for a part of the rules, \
         --max-tests, --effort, or some of the tests. Each rule, function, event and check is changed in \
         small ways, one at a time: a premise, requirement, update, alternative, cell or step is left out, a condition is turned around, a \
         bound is one off, operands change places, a pattern is loosened or held to one end. The tests that come there are searched again \
         until one tells: its complete set of outcomes is another, a rule cannot be evaluated, or there are many times the states. Tests \
         with more than {SMALL} states are tried where few smaller ones come; those with more than the bound are not.\n\n\
         What no test tells is held against the right rules state by state. **No difference**: in every state of every test in which \
         what is changed was evaluated, the changed rules take the same steps, so that no outcome can be another; the record says in how \
         many states of how many tests, and `litmpi mutate TESTS --record docs/mutants.tsv --no-difference` holds it again, in any \
         tests. Such a change is redundant, by what other premises or the rules before it leave to it, or it needs a program that the \
         library does not have. **Unseen**: in some states the changed rules take other steps, and from every state that these tests \
         reach the same endings follow, with everything observed that a program can observe: something is kept that nobody looks at any \
         more, or happens in another order. **Hidden**: other endings follow some state, and no outcome of a test is another, because \
         another way leads there, or because nobody looks: these are holes of the library. Of relations and layers, which have no states \
         of their own, what is compared is how many consistent executions, or how many states and transitions, a test has: they are \
         not different, or hidden. **Not compared**: no test told it, and nobody has compared its steps yet.\n\n\
         Some rules are asked by programs that run, or by laws, alone. With `--programs tests/verify` a change of `mpi` that no test tells is \
         put to programs of C, C++ and Fortran, followed as by `litmpi verify`, and to the laws of which call completes first; what is found \
         of a program, or whether a law holds, is another then.\n\n\
         [mutants.tsv](mutants.tsv) has every change, with the test that tells it.\n\n{}{untried}{}\n\
         ## Hidden\n{}\n\
         ## No test comes there\n\nThe first few of each file.\n{}\n\
         ## Unseen\n\nThe first few of each file.\n{}",
        rows(results),
        equivalent(results),
        left(results, (false, false), usize::MAX, |f| matches!(f, Fate::Survives { compared: true, .. })),
        left(results, (false, false), LISTED, |f| matches!(f, Fate::Unreached)),
        left(results, (false, false), LISTED, |f| matches!(f, Fate::Unseen { .. })),
    )
}
