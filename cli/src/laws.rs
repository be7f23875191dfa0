//! `litmpi laws`: what a call may be replaced by, held against generated programs and tests.
//!
//! Exit code 1: a law is refuted, one that is stated as wrong is not, or one was never tried.

use crate::args::LawsArgs;
use crate::{Verdict, parallel, say};
use comfy_table::{CellAlignment, Table, presets};
use litmpi_litmus::{library, parse_family};
use litmpi_mpi_model::laws::{self, Counterexample, Done, Law, Program, Relation, Setting};
use litmpi_rdma_model::Search;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::{load, load_shipped};
use litmpi_spec::source::Source;
use serde_json::json;
use std::sync::Arc;

/// What became of one law.
struct Found<'l> {
    law: &'l Law,
    /// Second forms whose outcomes stand as they should: of generated programs, of tests.
    generated: usize,
    tests: usize,
    undecided: usize,
    /// Programs of the exhaustive set that were not tried.
    left: usize,
    refuted: Option<Counterexample>,
}

pub(crate) fn laws(args: &LawsArgs) -> Result<Verdict, Report> {
    let source = match &args.laws {
        Some(path) => Source::read_as(path, "the laws ")?,
        None => Source::new(laws::SHIPPED.0, laws::SHIPPED.1),
    };
    let all = laws::parse(&source)?;
    let named = |l: &&Law| args.law.is_empty() || args.law.iter().any(|n| l.name.starts_with(n.as_str()));
    let chosen: Vec<&Law> = all.laws.iter().filter(named).collect();
    if let Some(n) = args.law.iter().find(|n| !all.laws.iter().any(|l| l.name.starts_with(n.as_str()))) {
        let names: Vec<&str> = all.laws.iter().map(|l| l.name.as_str()).collect();
        let d = Diagnostic::general(format!("no law is called `{n}`"));
        return Err(d.help(format!("laws: {}", names.join(", "))).into());
    }
    let (spec, search) = match &args.spec {
        Some(path) => (load(path)?, Search::Footprints),
        None => (load_shipped("mpi")?, Search::Auto),
    };
    let setting = Setting { spec: Arc::new(spec), states: args.max_states, search };
    for law in &chosen {
        let unknown = law.under.as_ref().filter(|v| setting.spec.variants.iter().all(|w| w.name != **v));
        if let Some(variant) = unknown {
            let d = Diagnostic::at(&law.span, format!("{} has no variant `{variant}`", setting.spec.name));
            return Err(d.found("a law that holds under it").help("name a variant of the model").into());
        }
    }
    let tests = tests(args)?;
    let found = parallel::map(&chosen, args.jobs, "laws", |law| {
        let decls = &setting.spec.instructions;
        let (mut made, left) = laws::exhaustive(law, &all, decls, args.bound, args.most);
        made.extend(laws::random(law, &all, decls, args.seed, args.random));
        try_all(law, &made, &tests, &setting).map(|found| Found { left, ..found })
    });
    let found = found.into_iter().collect::<Result<Vec<Found<'_>>, Report>>()?;
    if args.json {
        say(&format!("{:#}\n", json!(found.iter().map(as_json).collect::<Vec<_>>())));
    } else {
        say(&as_text(&found));
    }
    Ok(if found.iter().all(Found::good) { Verdict::Good } else { Verdict::Bad })
}

/// The tests of the family that are written as ranks.
fn tests(args: &LawsArgs) -> Result<Vec<Program>, Report> {
    if args.tests.is_empty() {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for path in library::find(&args.tests)? {
        let source = Source::read_as(&path, "the test ")?;
        if parse_family(&source)? == "mpi" {
            let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            out.extend(Program::read(&name, &source));
        }
    }
    Ok(out)
}

fn try_all<'l>(law: &'l Law, made: &[Program], tests: &[Program], setting: &Setting) -> Result<Found<'l>, Report> {
    let mut found = Found { law, generated: 0, tests: 0, undecided: 0, left: 0, refuted: None };
    for (program, generated) in made.iter().map(|p| (p, true)).chain(tests.iter().map(|p| (p, false))) {
        match laws::hold(law, program, setting)? {
            Done::Apart => {}
            Done::Undecided => found.undecided += 1,
            Done::Holds(n) if generated => found.generated += n,
            Done::Holds(n) => found.tests += n,
            Done::Refuted(by) => {
                found.refuted = Some(laws::smallest(law, *by, setting)?);
                break;
            }
        }
    }
    Ok(found)
}

impl Found<'_> {
    /// Whether the law did as it says.
    fn good(&self) -> bool {
        match &self.refuted {
            Some(_) => self.law.wrong,
            None => !self.law.wrong && self.generated + self.tests > 0,
        }
    }

    fn verdict(&self) -> &'static str {
        match (&self.refuted, self.law.wrong) {
            (Some(_), true) => "refuted, as it says",
            (Some(_), false) => "REFUTED",
            (None, true) => "NOT REFUTED, though it says so",
            (None, false) if self.generated + self.tests == 0 => "NEVER TRIED",
            (None, false) => "holds",
        }
    }
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Same => "≡",
        Relation::Equal => "≃",
        Relation::Within => "⊒",
    }
}

fn as_text(found: &[Found<'_>]) -> String {
    let mut table = Table::new();
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
            f.law.name.clone(),
            sign(f.law.relation).into(),
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
        out += &format!("\n{}: {}\n", f.law.name, f.law.title);
        out += &format!("first form\n{}second form\n{}", indented(&by.first.text()), indented(&by.second.text()));
        for (what, all) in [("of the first only", &by.only_first), ("of the second only", &by.only_second)] {
            let named = |o: &String| if o.is_empty() { "the end is reached".to_owned() } else { o.clone() };
            all.iter().for_each(|o| out += &format!("outcome {what}: {}\n", named(o)));
        }
    }
    let good = found.iter().filter(|f| f.good()).count();
    let pairs: usize = found.iter().map(|f| f.generated + f.tests).sum();
    out + &format!("\n{good} of {} laws are as they say, {pairs} pairs of programs agree\n", found.len())
}

fn indented(text: &str) -> String {
    text.lines().skip(1).filter(|l| *l != "exists true").map(|l| format!("  {l}\n")).collect()
}

fn as_json(f: &Found<'_>) -> serde_json::Value {
    let by = f.refuted.as_ref().map(|by| {
        json!({
            "first": by.first.text(), "second": by.second.text(),
            "only_first": by.only_first, "only_second": by.only_second,
        })
    });
    json!({
        "law": f.law.name, "title": f.law.title, "relation": sign(f.law.relation), "wrong": f.law.wrong,
        "generated": f.generated, "tests": f.tests, "undecided": f.undecided, "left_out": f.left, "good": f.good(), "refuted": by,
    })
}
