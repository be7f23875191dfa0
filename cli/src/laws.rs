//! `litmpi laws`: what a call may be replaced by, and which of two calls completes first, held against generated programs and tests.
//!
//! Exit code 1: a law is refuted, one that is stated as wrong is not, or one was never tried. Exit code 3: nothing of that, but a
//! program was not decided within the bounds.

use crate::args::LawsArgs;
use crate::left_out::LeftOut;
use crate::load::files;
use crate::say::fit;
use crate::{Verdict, parallel, say, stream};
use comfy_table::{CellAlignment, Table, presets};
use litmpi_litmus::{parse_family, sites};
use litmpi_models::Search;
use litmpi_mpi_model::laws::{self, Done, Item, Laws, Program, Refutation, Setting};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::{load, load_shipped};
use litmpi_spec::source::Source;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// What became of one law.
struct Found<'l> {
    law: Item<'l>,
    /// Second forms whose outcomes stand as they should, or pairs of calls in their order: of generated programs, of tests.
    generated: usize,
    tests: usize,
    undecided: usize,
    /// Programs of the exhaustive set that were not tried.
    left: usize,
    refuted: Option<Refutation>,
    /// Tests that the law cannot be held against, and why.
    unheld: Vec<(PathBuf, Report)>,
}

pub(crate) fn laws(args: &LawsArgs) -> Result<Verdict, Report> {
    let sources = match &args.laws {
        Some(path) => vec![Source::read_as(path, "the laws ")?],
        None => laws::SHIPPED.map(|(name, text)| Source::new(name, text)).into(),
    };
    let files = sources.iter().map(laws::parse).collect::<Result<Vec<Laws>, Report>>()?;
    let all: Vec<(&Laws, Item<'_>)> = files.iter().flat_map(|f| f.items().into_iter().map(move |i| (f, i))).collect();
    if let Some(n) = args.law.iter().find(|n| !all.iter().any(|(_, l)| l.name().starts_with(n.as_str()))) {
        let names: Vec<&str> = all.iter().map(|(_, l)| l.name()).collect();
        let d = Diagnostic::general(format!("no law is called `{n}`"));
        return Err(d.help(format!("laws: {}", names.join(", "))).into());
    }
    let named = |l: &Item<'_>| args.law.is_empty() || args.law.iter().any(|n| l.name().starts_with(n.as_str()));
    let chosen: Vec<(&Laws, Item<'_>)> = all.into_iter().filter(|(_, l)| named(l)).collect();
    let (spec, search) = match &args.spec {
        Some(path) => (load(path)?, Search::Footprints),
        None => (load_shipped("mpi")?, Search::Auto),
    };
    let setting = Setting { spec: Arc::new(spec), states: args.max_states, search };
    files.iter().try_for_each(|f| f.names_functions(&setting.spec.instructions))?;
    chosen.iter().try_for_each(|(_, law)| law.fits(&setting.spec))?;
    let (tests, mut left_out) = tests(args);
    if !args.tests.is_empty() && tests.is_empty() && left_out.len() > 0 {
        // Nothing that was named is there to be held against a law.
        return Ok(left_out.end(Verdict::Good));
    }
    let found = parallel::map(&chosen, args.jobs, "laws", |(file, law)| {
        let decls = &setting.spec.instructions;
        let (mut made, left) = laws::exhaustive(*law, file, decls, args.bound, args.most);
        made.extend(laws::random(*law, file, decls, args.seed, args.random));
        try_all(*law, &made, &tests, &setting).map(|found| Found { left, ..found })
    });
    let mut found = found.into_iter().collect::<Result<Vec<Found<'_>>, Report>>()?;
    for (path, why) in found.iter_mut().flat_map(|f| std::mem::take(&mut f.unheld)) {
        left_out.add(&path, why);
    }
    if args.json {
        say(&format!("{:#}\n", json!(found.iter().map(as_json).collect::<Vec<_>>())));
    } else {
        say(&as_text(&found));
    }
    let count = |good: Option<bool>| found.iter().filter(|f| f.good() == good).count();
    Ok(left_out.end(Verdict::of(count(Some(false)), count(None))))
}

/// The tests of the family that are written as ranks, with their files.
fn tests(args: &LawsArgs) -> (Vec<(PathBuf, Program)>, LeftOut) {
    let (mut left_out, mut out) = (LeftOut::default(), vec![]);
    for path in files(&args.tests, &mut left_out) {
        let source = stream::read(&path, "the test ");
        let family = source.and_then(|source| {
            sites::ranks(&source)?;
            Ok((parse_family(&source)?, source))
        });
        let Some((family, source)) = left_out.keep(&path, family) else { continue };
        if family == "mpi" {
            let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            out.extend(Program::read(&name, &source).map(|program| (path, program)));
        }
    }
    (out, left_out)
}

fn try_all<'l>(
    law: Item<'l>,
    made: &[Program],
    tests: &[(PathBuf, Program)],
    setting: &Setting,
) -> Result<Found<'l>, Report> {
    let mut found = Found { law, generated: 0, tests: 0, undecided: 0, left: 0, refuted: None, unheld: vec![] };
    for (program, file) in made.iter().map(|p| (p, None)).chain(tests.iter().map(|(path, p)| (p, Some(path)))) {
        let done = match (law.hold(program, setting), file) {
            (Ok(done), _) => done,
            (Err(why), Some(path)) => {
                found.unheld.push((path.clone(), why));
                continue;
            }
            (Err(why), None) => return Err(why),
        };
        match done {
            Done::Apart => {}
            Done::Undecided => found.undecided += 1,
            Done::Holds(n) if file.is_none() => found.generated += n,
            Done::Holds(n) => found.tests += n,
            Done::Refuted(by) => {
                found.refuted = Some(law.smallest(by, setting)?);
                break;
            }
        }
    }
    Ok(found)
}

impl Found<'_> {
    /// Whether the law did as it says; none if a program that was not decided may say otherwise.
    fn good(&self) -> Option<bool> {
        match &self.refuted {
            Some(_) => Some(self.law.wrong()),
            None if self.undecided > 0 => None,
            None => Some(!self.law.wrong() && self.generated + self.tests > 0),
        }
    }

    fn verdict(&self) -> &'static str {
        match (&self.refuted, self.law.wrong()) {
            (Some(_), true) => "refuted, as it says",
            (Some(_), false) => "REFUTED",
            (None, _) if self.undecided > 0 => "undecided",
            (None, true) => "NOT REFUTED, though it says so",
            (None, false) if self.generated + self.tests == 0 => "NEVER TRIED",
            (None, false) => "holds",
        }
    }
}

fn as_text(found: &[Found<'_>]) -> String {
    let mut table = Table::new();
    fit(&mut table);
    table.load_preset(presets::NOTHING).set_header([
        "law",
        "",
        "generated",
        "tests",
        "undecided",
        "left out",
        "verdict",
    ]);
    for f in found {
        table.add_row([
            f.law.name().to_owned(),
            f.law.sign().into(),
            f.generated.to_string(),
            f.tests.to_string(),
            f.undecided.to_string(),
            f.left.to_string(),
            f.verdict().into(),
        ]);
    }
    for column in 2..6 {
        if let Some(c) = table.column_mut(column) {
            c.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = format!("{}\n", table.trim_fmt());
    for f in found {
        let Some(by) = &f.refuted else { continue };
        out += &format!("\n{}: {}\n{}", f.law.name(), f.law.title(), against(by));
    }
    let good = found.iter().filter(|f| f.good() == Some(true)).count();
    let pairs: usize = found.iter().map(|f| f.generated + f.tests).sum();
    out + &format!("\n{good} of {} laws are as they say, {pairs} pairs agree\n", found.len())
}

/// The program that refutes a law, and how.
fn against(by: &Refutation) -> String {
    match by {
        Refutation::Forms(by) => {
            let mut out =
                format!("first form\n{}second form\n{}", indented(&by.first.text()), indented(&by.second.text()));
            for (what, all) in [("of the first only", &by.only_first), ("of the second only", &by.only_second)] {
                let named = |o: &String| if o.is_empty() { "the end is reached".to_owned() } else { o.clone() };
                all.iter().for_each(|o| out += &format!("outcome {what}: {}\n", named(o)));
            }
            out
        }
        Refutation::Early(by) => {
            let steps: String = by.trace.iter().enumerate().map(|(i, s)| format!("{:>3}. {s}\n", i + 1)).collect();
            format!("{}{steps}here {}\n", indented(&by.program.text()), by.shows)
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().skip(1).filter(|l| *l != "exists true").map(|l| format!("  {l}\n")).collect()
}

fn as_json(f: &Found<'_>) -> serde_json::Value {
    let by = f.refuted.as_ref().map(|by| match by {
        Refutation::Forms(by) => json!({
            "first": by.first.text(), "second": by.second.text(),
            "only_first": by.only_first, "only_second": by.only_second,
        }),
        Refutation::Early(by) => json!({ "program": by.program.text(), "trace": by.trace, "shows": by.shows }),
    });
    json!({
        "law": f.law.name(), "title": f.law.title(), "relation": f.law.sign(), "wrong": f.law.wrong(),
        "generated": f.generated, "tests": f.tests, "undecided": f.undecided, "left_out": f.left, "good": f.good(), "verdict": f.verdict(), "refuted": by,
    })
}
