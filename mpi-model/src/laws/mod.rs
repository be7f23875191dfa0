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
//! Other rules (`spec/mpi/completes-before.laws`) say which of two calls completes first ([`order`]); they are held against all
//! states of a program.
//!
//! Everything that both forms have is compared: memory, statuses, flags and indices, not only what a test observes; numbers of objects
//! (requests, communicators) are not. Limits: a law speaks of arguments that are known without running the program; programs are
//! written as ranks.

mod generated;
mod mentions;
pub mod order;
mod perturb;
mod program;
mod rewrite;
mod syntax;
mod watch;

pub use generated::{exhaustive, random};
pub use order::Order;
pub use perturb::Words;
pub use program::Program;
pub use syntax::{Law, Laws, Piece, Relation, Scope, parse};

use litmpi_engine::machine::Machine;
use litmpi_engine::search::Bounds;
use litmpi_litmus::ast::{Observable, Observed, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_models::{Operational, Search, Setup};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::source::{Source, Span};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub use litmpi_spec::shipped::LAWS as SHIPPED;

/// What is compared under which model.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The model.
    pub spec: Arc<Spec>,
    /// Most states of a search.
    pub states: usize,
    /// Which transitions are followed, where outcomes are compared.
    pub search: Search,
}

/// Something that a file of laws says, of whatever kind.
#[derive(Debug, Clone, Copy)]
pub enum Item<'l> {
    /// What a call may be replaced by.
    Law(&'l Law),
    /// Which of two calls completes first.
    Order(&'l Order),
}

/// How an item did on one program.
#[derive(Debug, Clone)]
pub enum Done {
    /// It does not speak of the program, or the program is erroneous and it does not speak of such.
    Apart,
    /// It holds, of so many second forms or pairs of calls.
    Holds(usize),
    /// A search stopped at a bound.
    Undecided,
    /// It does not.
    Refuted(Refutation),
}

/// Why an item does not hold.
#[derive(Debug, Clone)]
pub enum Refutation {
    /// Two forms of a program differ.
    Forms(Box<Counterexample>),
    /// A call completes too early.
    Early(Box<Early>),
}

impl Refutation {
    /// The program that refutes.
    pub fn program(&self) -> &Program {
        match self {
            Refutation::Forms(by) => &by.first,
            Refutation::Early(by) => &by.program,
        }
    }
}

/// A program in which something is true of a call before it is true of another, against a rule.
#[derive(Debug, Clone)]
pub struct Early {
    /// The program.
    pub program: Program,
    /// The steps of a shortest way there: rules, and the statements that they run.
    pub trace: Vec<String>,
    /// What is true, and what is not.
    pub shows: String,
}

impl<'l> Item<'l> {
    /// Its name.
    pub fn name(&self) -> &'l str {
        match self {
            Item::Law(l) => &l.name,
            Item::Order(o) => &o.name,
        }
    }

    /// One sentence.
    pub fn title(&self) -> &'l str {
        match self {
            Item::Law(l) => &l.title,
            Item::Order(o) => &o.title,
        }
    }

    /// Whether it is stated as wrong.
    pub fn wrong(&self) -> bool {
        match self {
            Item::Law(l) => l.wrong,
            Item::Order(o) => o.wrong,
        }
    }

    /// How the two things that it speaks of stand to each other.
    pub fn sign(&self) -> &'static str {
        match self {
            Item::Law(l) => match l.relation {
                Relation::Same => "≡",
                Relation::Equal => "≃",
                Relation::Within => "⊒",
            },
            Item::Order(_) => "≺",
        }
    }

    fn variant(&self) -> Option<(&'l str, &'l Span)> {
        let (variant, span) = match self {
            Item::Law(l) => (&l.under, &l.span),
            Item::Order(o) => (&o.under, &o.span),
        };
        variant.as_deref().map(|v| (v, span))
    }

    /// Whether a model knows what it speaks of.
    ///
    /// # Errors
    /// A variant, or a moment, that it does not know.
    pub fn fits(&self, spec: &Spec) -> Result<(), Report> {
        if let Some((variant, span)) = self.variant()
            && spec.variants.iter().all(|w| w.name != variant)
        {
            let d = Diagnostic::at(span, format!("{} has no variant `{variant}`", spec.name));
            return Err(d.found("a law that holds under it").help("name a variant of the model").into());
        }
        match self {
            Item::Law(_) => Ok(()),
            Item::Order(o) => o.fits(spec),
        }
    }

    /// Whether it speaks of a program.
    pub(crate) fn speaks_of(&self, program: &Program, decls: &Instructions) -> bool {
        match self {
            Item::Law(l) => !rewrite::forms(l, program, decls).is_empty(),
            Item::Order(o) => !o.calls(program, &Source::new("program", program.text()), decls).is_empty(),
        }
    }

    /// Holds it against a program.
    ///
    /// # Errors
    /// A rule that cannot be evaluated; a variant that the model does not have.
    pub fn hold(&self, program: &Program, setting: &Setting) -> Result<Done, Report> {
        match self {
            Item::Law(l) => hold_law(l, program, setting),
            Item::Order(o) => hold_order(o, program, setting),
        }
    }

    /// A refutation from whose program nothing can be left out.
    ///
    /// # Errors
    /// As for [`Item::hold`].
    pub fn smallest(&self, mut found: Refutation, setting: &Setting) -> Result<Refutation, Report> {
        'smaller: loop {
            for less in found.program().smaller() {
                if let Done::Refuted(better) = self.hold(&less, setting)? {
                    found = better;
                    continue 'smaller;
                }
            }
            return Ok(found);
        }
    }
}

impl Laws {
    /// Everything that the file says, laws first.
    pub fn items(&self) -> Vec<Item<'_>> {
        self.laws.iter().map(Item::Law).chain(self.orders.iter().map(Item::Order)).collect()
    }
}

fn hold_order(order: &Order, program: &Program, setting: &Setting) -> Result<Done, Report> {
    let source = Source::new("program", program.text());
    let decls = &setting.spec.instructions;
    let calls = order.calls(program, &source, decls);
    let Some(test) = litmpi_litmus::parse(&source, decls).ok().filter(|_| !calls.is_empty()) else {
        return Ok(Done::Apart);
    };
    let variant = order.under.as_deref().unwrap_or("default");
    let machine =
        Machine::new(Arc::clone(&setting.spec), &lower(&test, Some(UNROLLED)), variant).map_err(Report::from)?;
    let seen = watch::watch(&machine, &source, order, &calls, setting.states).map_err(Report::from)?;
    Ok(match seen {
        watch::Seen::Erroneous | watch::Seen::Kept(0) => Done::Apart,
        watch::Seen::Undecided => Done::Undecided,
        watch::Seen::Kept(n) => Done::Holds(n),
        watch::Seen::Broken(trace, pair) => {
            let at = |c: &order::At| format!("{} of rank {}", &source.text[c.text.clone()], c.rank);
            let (earlier, later) = (&calls[pair].earlier, &calls[pair].later);
            let (later, earlier) = (at(later), at(earlier));
            let shows = format!("{later}: {}; {earlier}: not {}", order.later.event, order.earlier.event);
            Done::Refuted(Refutation::Early(Box::new(Early { program: program.clone(), trace, shows })))
        }
    })
}

/// How often loops without a bound of their own are unrolled.
const UNROLLED: u32 = 4;

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

fn hold_law(law: &Law, program: &Program, setting: &Setting) -> Result<Done, Report> {
    let decls = &setting.spec.instructions;
    let Some(first) = test(program, decls) else { return Ok(Done::Apart) };
    let mut held = 0;
    for form in rewrite::forms(law, program, decls) {
        let Some(second) = test(&form, decls) else { continue };
        let (mut first, mut second) = (first.clone(), second);
        both(&mut first, &mut second, law.reordered, decls);
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
            return Ok(Done::Refuted(Refutation::Forms(Box::new(found))));
        }
        held += 1;
    }
    Ok(if held == 0 { Done::Apart } else { Done::Holds(held) })
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
    if !found.complete() {
        return Ok(None);
    }
    let show = |o: &Outcome| match o {
        Outcome::Erroneous { .. } => ERRONEOUS.to_owned(),
        o => test.show(o),
    };
    Ok(Some(found.set.iter().map(show).collect()))
}

/// Makes both observe everything that both have; the second one perhaps with its ranks the other way round.
fn both(a: &mut Test, b: &mut Test, reordered: bool, decls: &Instructions) {
    let (of_a, of_b) = (all(a, false, decls), all(b, reordered, decls));
    let names: HashSet<&String> = of_b.iter().map(|o| &o.name).collect();
    let kept: Vec<Observable> = of_a.into_iter().filter(|o| names.contains(&o.name)).collect();
    let same = |o: &Observable| of_b.iter().find(|p| p.name == o.name).expect("kept if both have it").clone();
    b.observed = kept.iter().map(same).collect();
    a.observed = kept;
    a.claims.clear();
    b.claims.clear();
}

/// Everything of a test that is a value, to be observed: memory, and registers that are not objects of the library.
pub fn everything(test: &Test, decls: &Instructions) -> Vec<Observable> {
    all(test, false, decls)
}

/// Everything of a test that is a value; its ranks perhaps the other way round.
fn all(test: &Test, reordered: bool, decls: &Instructions) -> Vec<Observable> {
    let mut out = vec![];
    let last = i64::try_from(test.threads.len()).unwrap_or(0) - 1;
    let rank = |n: i64| if reordered { last - n } else { n };
    for (i, loc) in test.locs.iter().enumerate().filter(|(_, l)| !l.name.starts_with('$')) {
        let name = format!("{}@{}", loc.name, rank(test.nodes[loc.node].number));
        out.push(Observable { name, what: Observed::Loc(i) });
    }
    for (t, thread) in test.threads.iter().enumerate() {
        for (r, reg) in thread.regs.iter().enumerate().filter(|(_, r)| !r.name.starts_with('$')) {
            let name = format!("{}:{}", rank(thread.number), reg.name);
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
