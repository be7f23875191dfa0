//! `litmpi distinguish`: smallest programs on which two models differ, found by trying all.
//!
//! For each of the two, the programs on which it alone allows something, and of which no part (fewer statements) is such a program. What
//! comes depends on the arguments alone, whatever the number of threads that work on it.

mod args;
mod source;

use crate::parallel;
use crate::shrink::{Difference, Says, Side, apart, shown, write};
use crate::{Verdict, remark, say};
pub(crate) use args::DistinguishArgs;
use litmpi_models::{Limits, Search};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::shipped::CAT_MODELS;
use litmpi_spec::source::Source;
use serde_json::{Value, json};
use source::{Program, Programs};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Programs that are asked about at once.
const BATCH: usize = 512;
/// A program with more states, or candidate executions, is not decided.
const STATES: usize = 200_000;

/// A program on which two models differ.
struct Found {
    size: usize,
    text: String,
    difference: Difference,
}

/// What is known so far.
struct Table<'a> {
    sides: &'a [Side; 2],
    limits: Limits,
    jobs: Option<usize>,
    /// For each side, the keys of programs on which it alone allows something.
    keys: [BTreeSet<String>; 2],
    /// How many of them there are to be at most.
    most: usize,
    found: Vec<Found>,
    asked: usize,
    undecided: usize,
    not_run: usize,
}

/// Why two models were not compared on a program.
#[derive(PartialEq, Eq)]
enum Lacks {
    /// One of them reached a bound.
    Bound,
    /// One of them does not run it.
    Model,
}

pub(crate) fn distinguish(args: &DistinguishArgs) -> Result<Verdict, Report> {
    let sides = [side(&args.one)?, side(&args.other)?];
    let [one, other] = &sides;
    if (one.model.name(), one.model.hash(), &one.variant) == (other.model.name(), other.model.hash(), &other.variant) {
        let d =
            Diagnostic::general(format!("`{}` and `{}` are one model, and two are told apart", one.name, other.name));
        return Err(d.help("name another one for one of them, or a variant of it, `NAME:VARIANT`").into());
    }
    let programs = Programs::new(args, &sides)?;
    if args.count {
        return Ok(count(args, &programs));
    }
    let mut limits = args.bounds.limits(Search::Auto);
    limits.states = limits.states.min(STATES);
    let mut table = Table {
        sides: &sides,
        limits,
        jobs: args.bounds.jobs,
        keys: Default::default(),
        most: args.most.max(1),
        found: vec![],
        asked: 0,
        undecided: 0,
        not_run: 0,
    };
    let mut seen = 0;
    for size in 1..=usize::from(args.size) {
        let before = seen;
        let mut batch = vec![];
        let whole = programs.of_size(size, &mut |program| {
            seen += 1;
            batch.push(program);
            if batch.len() < BATCH { ControlFlow::Continue(()) } else { table.ask(size, std::mem::take(&mut batch)) }
        });
        let whole = if whole.is_continue() { table.ask(size, batch) } else { whole };
        remark(&format!("{size} statements: {} programs; {} told so far", seen - before, table.found.len()));
        if whole.is_break() {
            remark(&format!("stopped: each model has {} programs (--most)", table.most));
            break;
        }
    }
    table.tell(args, seen)
}

/// A model that is named.
fn side(name: &str) -> Result<Side, Report> {
    let is_log = !name.ends_with(".cat") && Path::new(name).is_file();
    if is_log {
        let d = Diagnostic::general(format!("{name} is a file, and no model"));
        let help = "logs are put side by side by `litmpi compare LOG…`; models are named, `rdma-tso`, or `.cat` files";
        return Err(d.help(help).into());
    }
    Side::named(name).map_err(|mut report| {
        // A name of no file is one of rules that there are not.
        if let Some(d) = report.0.first_mut().filter(|_| !name.contains(".cat") && !name.contains(':')) {
            let files: Vec<&str> = CAT_MODELS.iter().map(|(file, ..)| *file).collect();
            let help = d.help.take().map_or(String::new(), |help| format!("{help}, "));
            d.help = Some(format!("{help}and models of relations: {}", files.join(", ")));
        }
        report
    })
}

/// How many programs there are of each size.
fn count(args: &DistinguishArgs, programs: &Programs) -> Verdict {
    for size in 1..=usize::from(args.size) {
        let mut n = 0_usize;
        let _ = programs.of_size(size, &mut |_| {
            n += 1;
            ControlFlow::Continue(())
        });
        say(&format!("{size} statements: {n} programs\n"));
    }
    Verdict::Good
}

impl Table<'_> {
    /// For which of the models a program is no larger form of one that is known.
    fn is_new(&self, program: &dyn Program) -> [bool; 2] {
        if self.keys.iter().all(BTreeSet::is_empty) {
            return [true; 2];
        }
        let parts = program.parts();
        [0, 1].map(|i| self.keys[i].len() < self.most && !parts.iter().any(|p| self.keys[i].contains(p)))
    }

    fn ask(&mut self, size: usize, batch: Vec<Box<dyn Program>>) -> ControlFlow<()> {
        let new: Vec<(Box<dyn Program>, [bool; 2])> = batch
            .into_iter()
            .map(|p| (self.is_new(&*p), p))
            .filter(|(new, _)| new.contains(&true))
            .map(|(n, p)| (p, n))
            .collect();
        let sources: Vec<Arc<Source>> = new.iter().map(|(p, _)| Source::new("program", p.text("program"))).collect();
        let (sides, limits) = (self.sides, self.limits);
        let answers = parallel::map(&sources, self.jobs, "programs", |s| {
            let [one, other] = sides.each_ref().map(|side| side.says(s, limits));
            let lacks = if matches!((&one, &other), (Says::NotRun, _) | (_, Says::NotRun)) {
                Some(Lacks::Model)
            } else {
                matches!((&one, &other), (Says::Undecided, _) | (_, Says::Undecided)).then_some(Lacks::Bound)
            };
            (lacks, apart(sides, one, other))
        });
        self.asked += answers.len();
        for ((program, new), (lacks, difference)) in new.iter().zip(answers) {
            self.undecided += usize::from(lacks == Some(Lacks::Bound));
            self.not_run += usize::from(lacks == Some(Lacks::Model));
            let Some(difference) = difference else { continue };
            let tells = [0, 1].map(|i| new[i] && !difference.only[i].is_empty() && self.keys[i].len() < self.most);
            for i in [0, 1].into_iter().filter(|i| tells[*i]) {
                self.keys[i].insert(program.key());
            }
            if tells.contains(&true) {
                let text = program.text(&format!("apart-{}", self.found.len() + 1));
                self.found.push(Found { size, text, difference });
            }
        }
        if self.keys.iter().all(|k| k.len() >= self.most) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn tell(&self, args: &DistinguishArgs, seen: usize) -> Result<Verdict, Report> {
        let [one, other] = self.sides;
        let text = |f: &Found| format!("{}{}", f.text, shown(self.sides, &f.difference));
        if args.json {
            let outcomes = |f: &Found, i: usize| {
                f.difference.only[i].iter().map(|o| f.difference.test.show(o)).collect::<Vec<_>>()
            };
            let row = |f: &Found| json!({"size": f.size, "program": f.text, "only": [outcomes(f, 0), outcomes(f, 1)]});
            let rows: Vec<Value> = self.found.iter().map(row).collect();
            let all = json!({"models": [one.name, other.name], "programs": seen, "asked": self.asked, "undecided": self.undecided,
                              "not_run": self.not_run, "apart": rows});
            say(&format!("{all:#}\n"));
        } else {
            self.found.iter().for_each(|f| say(&format!("{}\n", text(f))));
            let [a, b] = [0, 1].map(|i| self.keys[i].len());
            say(&format!(
                "{seen} programs of at most {} statements, {} asked about: on {a} smallest ones {} alone allows something, on {b} {} alone\n",
                args.size, self.asked, one.name, other.name
            ));
            if self.undecided > 0 {
                say(&format!(
                    "{} programs are undecided: a bound was reached, so that smaller programs may tell, too\n",
                    self.undecided
                ));
            }
            if self.not_run > 0 {
                say(&format!("{} programs are none of one of the models, which does not run them\n", self.not_run));
            }
        }
        if let Some(folder) = &args.out {
            for (i, f) in self.found.iter().enumerate() {
                write(folder, &format!("apart-{}.litmus", i + 1), &text(f))?;
            }
        }
        // That a program is a smallest one rests on all smaller ones.
        Ok(Verdict::of(0, self.undecided))
    }
}
