//! Laws: what a call may be replaced by without a program's outcomes changing.
//!
//! The paper relates aspects of MPI to each other (mpi-2-formal-spec §4.11): a blocking send is a nonblocking one and a
//! wait, a broadcast is a send to each. A file of laws (`spec/mpi/mpi.laws`) says so in the words of programs: a call, how the outcomes
//! stand to each other, and the statements of the second form. Names of the call's parameters stand for what a program gives;
//! `rank`, `size`, `for` and `if` are decided when the law is put to a program; other names are the second form's own.
//!
//! ```text
//! law, program ──rewrite──► second form ──model──► outcomes ─┐
//!          └───────────────────────────────model──► outcomes ─┴─► equal, within, or a counterexample, made smaller
//! ```
//! Everything that both forms have is compared: memory, statuses, flags and indices, not only what a test observes; numbers of objects
//! (requests, communicators) are not. Limits: a law speaks of arguments that are known without running the program; programs are
//! written as ranks.

mod program;
mod rewrite;
mod syntax;

pub use program::Program;
pub use syntax::{Law, Laws, Piece, Relation, Scope, parse};

use crate::generate::Dice;
use litmpi_explore::{Bound, Bounds};
use litmpi_litmus::ast::{Observable, Observed, Outcome, Test};
use litmpi_rdma_model::{Operational, Search, Setup};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::Report;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The laws that ship, by the name of the file and its text.
pub const SHIPPED: (&str, &str) = ("spec/mpi/mpi.laws", include_str!("../../../spec/mpi/mpi.laws"));

/// What is compared under which model.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The model.
    pub spec: Arc<Spec>,
    /// Most states of a search.
    pub states: usize,
    /// Which transitions are followed.
    pub search: Search,
}

/// How a law did on one program.
#[derive(Debug, Clone)]
pub enum Done {
    /// The law does not speak of it, or its first form is erroneous and the law does not speak of such.
    Apart,
    /// The outcomes of so many second forms stand as the law says.
    Holds(usize),
    /// A search stopped at a bound.
    Undecided,
    /// They do not.
    Refuted(Box<Counterexample>),
}

/// Two forms of a program whose outcomes do not stand as a law says.
#[derive(Debug, Clone)]
pub struct Counterexample {
    /// The first form.
    pub first: Program,
    /// The second.
    pub second: Program,
    /// Outcomes of the first form only, where they should be the second's too.
    pub only_first: Vec<String>,
    /// Outcomes of the second form only.
    pub only_second: Vec<String>,
}

/// Holds a law against a program.
///
/// # Errors
/// A rule that cannot be evaluated; a variant that the model does not have.
pub fn hold(law: &Law, program: &Program, setting: &Setting) -> Result<Done, Report> {
    let decls = &setting.spec.instructions;
    let Some(first) = test(program, decls) else { return Ok(Done::Apart) };
    let mut held = 0;
    for form in rewrite::forms(law, program, decls) {
        let Some(second) = test(&form, decls) else { continue };
        let (mut first, mut second) = (first.clone(), second);
        both(&mut first, &mut second, decls);
        let Some(a) = outcomes(&first, law, setting)? else { return Ok(Done::Undecided) };
        let erroneous = a.contains(ERRONEOUS);
        if erroneous && law.relation != Relation::Same {
            return Ok(Done::Apart);
        }
        let Some(b) = outcomes(&second, law, setting)? else { return Ok(Done::Undecided) };
        // What else an erroneous program may do does not matter.
        let less = |x: &BTreeSet<String>, y: &BTreeSet<String>| x.difference(y).cloned().collect::<Vec<_>>();
        let (mut only_first, mut only_second) = (less(&a, &b), less(&b, &a));
        if erroneous && b.contains(ERRONEOUS) || law.relation == Relation::Within {
            only_first.clear();
        }
        if erroneous && b.contains(ERRONEOUS) {
            only_second.clear();
        }
        if !only_first.is_empty() || !only_second.is_empty() {
            let found = Counterexample { first: program.clone(), second: form, only_first, only_second };
            return Ok(Done::Refuted(Box::new(found)));
        }
        held += 1;
    }
    Ok(if held == 0 { Done::Apart } else { Done::Holds(held) })
}

/// A counterexample from which nothing can be left out.
///
/// # Errors
/// As for [`hold`].
pub fn smallest(law: &Law, mut found: Counterexample, setting: &Setting) -> Result<Counterexample, Report> {
    'smaller: loop {
        for less in found.first.smaller() {
            if let Done::Refuted(better) = hold(law, &less, setting)? {
                found = *better;
                continue 'smaller;
            }
        }
        return Ok(found);
    }
}

const ERRONEOUS: &str = "erroneous";

fn test(program: &Program, decls: &Instructions) -> Option<Test> {
    litmpi_litmus::parse(&Source::new("program", program.text()), decls).ok()
}

/// All outcomes, errors as one; none if a bound was hit.
fn outcomes(test: &Test, law: &Law, setting: &Setting) -> Result<Option<BTreeSet<String>>, Report> {
    let setup = Setup {
        variant: law.under.clone().unwrap_or_else(|| "default".into()),
        bounds: Bounds { states: setting.states, ..Bounds::default() },
        search: setting.search,
        ..Setup::new(Arc::clone(&setting.spec))
    };
    let found = Operational::new(test, &setup)?.outcomes()?;
    if found.bounds.iter().any(|b| *b != Bound::Loops) || !found.complete() {
        return Ok(None);
    }
    let show = |o: &Outcome| match o {
        Outcome::Erroneous { .. } => ERRONEOUS.to_owned(),
        o => test.show(o),
    };
    Ok(Some(found.set.iter().map(show).collect()))
}

/// Makes both observe everything that both have.
fn both(a: &mut Test, b: &mut Test, decls: &Instructions) {
    let (of_a, of_b) = (all(a, decls), all(b, decls));
    let names: HashSet<&String> = of_b.iter().map(|o| &o.name).collect();
    let kept: Vec<Observable> = of_a.into_iter().filter(|o| names.contains(&o.name)).collect();
    let same = |o: &Observable| of_b.iter().find(|p| p.name == o.name).expect("kept if both have it").clone();
    b.observed = kept.iter().map(same).collect();
    a.observed = kept;
    a.claims.clear();
    b.claims.clear();
}

/// Everything of a test that is a value: memory, and registers that are not objects of the library.
fn all(test: &Test, decls: &Instructions) -> Vec<Observable> {
    let mut out = vec![];
    for (i, loc) in test.locs.iter().enumerate().filter(|(_, l)| !l.name.starts_with('$')) {
        let name = format!("{}@{}", loc.name, test.nodes[loc.node].number);
        out.push(Observable { name, what: Observed::Loc(i) });
    }
    for (t, thread) in test.threads.iter().enumerate() {
        for (r, reg) in thread.regs.iter().enumerate().filter(|(_, r)| !r.name.starts_with('$')) {
            let name = format!("{}:{}", thread.number, reg.name);
            match decls.records.iter().find(|(record, _)| *record == reg.ty) {
                Some((_, fields)) => {
                    out.extend(fields.iter().map(|f| Observable {
                        name: format!("{name}.{f}"),
                        what: Observed::Reg(t, r, Some(f.clone())),
                    }))
                }
                None if reg.ty == "Int" => out.push(Observable { name, what: Observed::Reg(t, r, None) }),
                None => {}
            }
        }
    }
    out
}

/// Every program of a piece that a law speaks of and of so many context pieces, on two ranks: all roles, each context piece at
/// every place of every rank. A piece that needs three ranks stands alone. Of more programs with context than `most`, so many,
/// evenly chosen; the second part of the result says how many are left out.
pub fn exhaustive(law: &Law, laws: &Laws, decls: &Instructions, beside: usize, most: usize) -> (Vec<Program>, usize) {
    let (mut alone, mut with) = (vec![], vec![]);
    for piece in spoken_of(law, laws, decls) {
        let ranks = piece.ranks().max(2);
        let mut made = vec![];
        for roles in orders(ranks.min(2)) {
            let roles: Vec<usize> = roles.into_iter().chain(2..ranks).collect();
            made.extend(Program::of(&piece.name, piece, &roles, 0));
        }
        alone.extend(made.iter().cloned());
        // A collective is tried on three ranks too.
        if piece.each.is_some() && ranks < 3 {
            alone.extend(Program::of(&piece.name, piece, &[0, 1, 2], 0));
        }
        for n in 0..if ranks == 2 { beside } else { 0 } {
            let mut more = vec![];
            for context in laws.pieces.iter().filter(|p| p.context && p.ranks() <= ranks) {
                for roles in orders(ranks) {
                    let Some(one) = Program::of("context", context, &roles, n + 1) else { continue };
                    more.extend(made.iter().flat_map(|p| p.places().into_iter().map(|at| p.beside(&one, &at))));
                }
            }
            with.extend(more.iter().cloned());
            made = more;
        }
    }
    let mut seen = HashSet::new();
    let mut new = |p: &Program| seen.insert(p.clone());
    alone.retain(&mut new);
    with.retain(&mut new);
    let many = with.len();
    alone.extend(with.into_iter().step_by(many.div_ceil(most.max(1)).max(1)));
    let left = seen.len() - alone.len();
    alone.iter_mut().enumerate().for_each(|(i, p)| p.name = format!("generated-{i}"));
    (alone, left)
}

/// Random programs: a piece that the law speaks of and one or two others, on two or three ranks, their statements mixed; now and then
/// one is left out. The same seed gives the same programs.
pub fn random(law: &Law, laws: &Laws, decls: &Instructions, seed: u64, many: usize) -> Vec<Program> {
    let own = spoken_of(law, laws, decls);
    let mut dice = Dice::new(seed);
    let mut out = vec![];
    for i in 0..if own.is_empty() { 0 } else { many } {
        let piece = own[dice.roll(own.len())];
        let ranks = (2 + dice.roll(2)).max(piece.ranks());
        let choice = orders(ranks);
        let Some(mut program) = Program::of(&format!("random-{i}"), piece, &choice[dice.roll(choice.len())], 0) else {
            continue;
        };
        for n in 0..1 + dice.roll(2) {
            let other = &laws.pieces[dice.roll(laws.pieces.len())];
            if other.ranks() <= ranks
                && let Some(more) = Program::of("other", other, &choice[dice.roll(choice.len())], n + 1)
            {
                program = program.shuffled(&more, &mut dice);
            }
        }
        if dice.roll(6) == 0 {
            program = program.without(dice.roll(program.size()));
        }
        out.push(program);
    }
    out
}

/// The pieces with a call that a law speaks of.
fn spoken_of<'l>(law: &Law, laws: &'l Laws, decls: &Instructions) -> Vec<&'l Piece> {
    let speaks = |p: &&Piece| {
        let roles: Vec<usize> = (0..p.ranks().max(2)).collect();
        p.text().next().is_some()
            && Program::of("piece", p, &roles, 0).is_some_and(|p| !rewrite::forms(law, &p, decls).is_empty())
    };
    laws.pieces.iter().filter(speaks).collect()
}

/// All orders of so many ranks.
fn orders(n: usize) -> Vec<Vec<usize>> {
    match n {
        0 => vec![vec![]],
        n => {
            let put = |less: &Vec<usize>, at| {
                let mut one: Vec<usize> = less.clone();
                one.insert(at, n - 1);
                one
            };
            orders(n - 1).iter().flat_map(|less| (0..n).map(move |at| put(less, at))).collect()
        }
    }
}
