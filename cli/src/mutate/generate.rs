//! Programs that are made to tell the changes which no test tells: tests of the library, a little changed, with everything observed.

use super::calls::{Expansions, expansions};
use super::choose::{Chosen, cover, open};
use super::list::Change;
use super::record::Record;
use super::run::is_told;
use super::subject::{Case, Subject, case};
use crate::load::Loaded;
use crate::mutate::MutateArgs;
use crate::{parallel, say};
use litmpi_litmus::ast::Test;
use litmpi_litmus::parse;
use litmpi_mpi_model::laws::{Program, Words, everything};
use litmpi_spec::source::Source;
use std::collections::HashSet;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

/// So many programs are chosen if nobody says how many.
const CHOSEN: usize = 20;

/// So many smaller programs are tried for each that is chosen.
const SMALLER: usize = 400;

/// What programs are made of: a test, as it is loaded under a model and variant.
struct Base {
    program: Program,
    loaded: Loaded,
    variant: String,
    /// The number of the model.
    subject: usize,
    short: Arc<Expansions>,
}

/// A program that was made.
struct Made {
    program: Program,
    base: Arc<Base>,
}

/// Makes so many programs for each model, and tells of the few that tell the most.
pub(super) fn generate(all: &[&Change], subjects: &mut [Subject], before: &Record, (many, args): (usize, &MutateArgs)) {
    let open = open(all, before);
    let mut made: Vec<Made> = vec![];
    for (number, subject) in subjects.iter_mut().enumerate() {
        if open.iter().any(|c| c.of.iter().any(|(s, _)| *s == number)) {
            fill((number, subject), many, &mut made, args);
        }
    }
    let subjects = &*subjects;
    let chosen = cover(&open, subjects, args.choose.unwrap_or(CHOSEN), args);
    let small = parallel::map(&chosen, args.jobs, "making programs smaller", |c| shrunk(c, &made, subjects, &open));
    let mut out = String::new();
    for (c, text) in chosen.iter().zip(&small) {
        let _ = writeln!(out, "{text}-- tells {}", c.tells.len());
        for (i, place) in &c.tells {
            let _ = writeln!(out, "--   {place}: {}: {}", open[*i].place(), open[*i].key);
        }
        out.push('\n');
    }
    let (told, programs): (usize, usize) = (chosen.iter().map(|c| c.tells.len()).sum(), made.len());
    let (n, open) = (chosen.len(), open.len());
    say(&format!("{out}Of {open} changes that no test tells, {n} of {programs} programs tell {told}\n"));
}

/// Makes programs of a model's tests, and puts them in the place of the tests. What is no program, or too large, is left out.
fn fill((number, subject): (usize, &mut Subject), many: usize, made: &mut Vec<Made>, args: &MutateArgs) {
    subject.cases.clear();
    let short = Arc::new(expansions(&subject.rules.trees));
    let of = |(loaded, variant): &(Loaded, String)| {
        let program = Program::read("generated", &loaded.test.span.source)?;
        let (loaded, variant, short) = (loaded.clone(), variant.clone(), Arc::clone(&short));
        Some(Arc::new(Base { program, loaded, variant, subject: number, short }))
    };
    let bases: Vec<Arc<Base>> = subject.runs.iter().filter_map(of).collect();
    let words = Words::of(bases.iter().map(|b| &b.loaded.test.span.source));
    let mut seen = HashSet::new();
    let mut wanted: Vec<Made> = vec![];
    for n in 0..if bases.is_empty() { 0 } else { many } {
        // Each test has its turn; the one that may run beside it is any other.
        let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(n as u64);
        let base = &bases[n % bases.len()];
        let other = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % bases.len();
        let program = base.program.perturbed(&bases[other].program, &words, seed);
        if seen.insert((program.clone(), base.variant.clone())) {
            wanted.push(Made { program, base: Arc::clone(base) });
        }
    }
    let found = parallel::map(&wanted, args.jobs, "making programs", |m| searched(&m.program, &m.base, args));
    for (m, case) in wanted.into_iter().zip(found) {
        if let Some(mut case) = case {
            case.path = PathBuf::from(made.len().to_string());
            made.push(m);
            subject.cases.push(case);
        }
    }
    subject.cases.sort_by_key(|c| c.cost);
}

/// The program under the model of its base.
fn searched(program: &Program, base: &Base, args: &MutateArgs) -> Option<Case> {
    let loaded = Loaded { test: Arc::new(observing(program, base)?), ..base.loaded.clone() };
    // What chance makes may be what nobody has thought of.
    catch_unwind(AssertUnwindSafe(|| case(&loaded, &base.variant, args.max_states, &base.short))).ok()?.ok()?
}

/// The program as a test that observes everything.
fn observing(program: &Program, base: &Base) -> Option<Test> {
    let decls = &base.loaded.spec.instructions;
    let mut test = parse(&Source::new("generated", program.text()), decls).ok()?;
    test.observed = everything(&test, decls);
    test.claims.clear();
    Some(test)
}

/// The text of a program, made as small as it may be to tell the same changes, with its outcomes.
fn shrunk(chosen: &Chosen, made: &[Made], subjects: &[Subject], open: &[&Change]) -> String {
    let Made { program, base } = &made[chosen.file.parse::<usize>().unwrap_or_default()];
    let args = MutateArgs { max_states: STATES, ..MutateArgs::default() };
    let tells = |program: &Program| {
        let case = searched(program, base, &args)?;
        chosen.tells.keys().all(|i| is_told(open[*i], subjects, (base.subject, &case))).then_some(case)
    };
    let (mut program, mut case, mut tried) = (program.clone(), searched(program, base, &args), 0);
    while let Some((smaller, found)) = program.smaller().into_iter().take(SMALLER - tried).find_map(|p| {
        tried += 1;
        tells(&p).map(|case| (p, case))
    }) {
        (program, case) = (smaller, Some(found));
    }
    let mut out = program.text();
    let _ = writeln!(out, "-- of {} under {}", base.loaded.path.display(), base.variant);
    for outcome in case.iter().flat_map(|c| &c.set) {
        let shown = case.as_ref().map_or_else(String::new, |c| c.test.show(outcome));
        let _ = writeln!(out, "-- {shown}");
    }
    out
}

/// A program that is made smaller may have so many states.
const STATES: usize = 20_000;
