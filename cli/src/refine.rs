//! `litmpi refine`: an implementation against its specification, on every client up to a bound.

use crate::args::RefineArgs;
use crate::explain::trace;
use crate::load::families_of;
use crate::progress::Bar;
use crate::whole::write_file;
use crate::{Verdict, parallel, say};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_models::refine::{Alphabet, Bound, Clients, Counterexample, Refinement, Side};
use litmpi_models::{Limits, Model, Operational, Search, refine as engine};
use litmpi_mpi_model::clients::MpiClients;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// A refinement that was tried.
pub(crate) struct Held {
    implementation: Named,
    specification: Named,
    /// What clients were made of.
    of: Vec<String>,
    /// What was found.
    pub(crate) found: Refinement,
    /// The client that tells, if one does.
    pub(crate) told: Option<Told>,
    /// How long it took.
    pub(crate) seconds: f64,
}

pub(crate) fn refine(args: &RefineArgs) -> Result<Verdict, Report> {
    let held = hold(args)?;
    if let (Some(told), Some(path)) = (&held.told, &args.output) {
        write_file(path, &told.litmus)?;
    }
    say(&if args.json { format!("{:#}\n", as_json(args, &held)) } else { as_text(args, &held) });
    Ok(match Verdict::of(usize::from(held.told.is_some()), held.undecided()) {
        Verdict::Good if held.found.tried() == 0 => Verdict::Nothing,
        verdict => verdict,
    })
}

/// Tries what the arguments say.
pub(crate) fn hold(args: &RefineArgs) -> Result<Held, Report> {
    let (mut implementation, specification) = (Named::load(&args.implementation)?, Named::load(&args.against)?);
    if let Some(below) = &args.below {
        implementation = implementation.standing_on(below)?;
    }
    let (clients, of) = clients(args, &implementation.model, &specification.model)?;
    let search = if implementation.own || specification.own { Search::Footprints } else { Search::Auto };
    let limits = Limits {
        unroll: Some(args.unroll),
        states: args.max_states,
        bytes: args.max_memory << 20,
        disk: 0,
        search,
        threads: 1,
        walks: None,
    };
    let jobs = parallel::threads(args.jobs);
    let bound = Bound { size: args.size, random: args.random, seed: args.seed, limits, jobs };
    let start = Instant::now();
    let bar = Bar::new(0, "clients");
    let tick = |n: usize| {
        bar.lengthen(n as u64);
        bar.advance("");
    };
    let found = engine::refine(implementation.side(), specification.side(), clients.as_ref(), bound, &tick)?;
    bar.finish();
    let seconds = start.elapsed().as_secs_f64();
    let told = match &found.counterexample {
        Some(c) => Some(Told::new(c, &implementation, &specification, limits)?),
        None => None,
    };
    Ok(Held { implementation, specification, of, found, told, seconds })
}

impl Held {
    /// How many clients were not seen in full, if none tells.
    pub(crate) fn undecided(&self) -> usize {
        if self.told.is_some() { 0 } else { self.found.bounded.max(self.found.loops) }
    }

    /// What the implementation is: its variant in words.
    pub(crate) fn about(&self) -> String {
        let spec = self.implementation.model.spec();
        let variant = spec.variants.iter().find(|v| v.name == self.implementation.variant);
        variant.map_or_else(|| spec.title.clone(), |v| v.title.clone())
    }
}

/// A model under a variant, as the user named it.
pub(crate) struct Named {
    pub(crate) model: Model,
    pub(crate) variant: String,
    /// It is none of those that ship.
    own: bool,
}

impl Named {
    /// `NAME[:VARIANT]`, or a file of the user's own.
    ///
    /// # Errors
    /// A model or variant that there is not, or a file that cannot be used.
    pub(crate) fn load(text: &str) -> Result<Named, Report> {
        let (name, variant) = match text.rsplit_once(':') {
            Some((name, variant)) if !Path::new(text).is_file() => (name, variant),
            _ => (text, "default"),
        };
        // Shipped models have no ending; one that is not there is missed as the file that it is. A folder is none, such as that of a crate.
        let own = Path::new(name).is_file() || name.ends_with(".spec");
        let model = if own { Model::load(Path::new(name))? } else { Model::named(name)? };
        model.knows_variant(variant)?;
        Ok(Named { model, variant: variant.to_owned(), own })
    }

    /// The same with another model at the bottom.
    fn standing_on(self, below: &str) -> Result<Named, Report> {
        let model = self.model.standing_on(if Path::new(below).is_file() {
            Model::load(Path::new(below))?
        } else {
            Model::named(below)?
        })?;
        Ok(Named { model, own: self.own || Path::new(below).is_file(), ..self })
    }

    fn side(&self) -> Side<'_> {
        Side { model: &self.model, variant: &self.variant }
    }

    fn shown(&self) -> String {
        match self.variant.as_str() {
            "default" => self.model.name().to_owned(),
            variant => format!("{} ({variant})", self.model.name()),
        }
    }
}

/// Whether programs for it are MPI's.
fn is_mpi(model: &Model) -> bool {
    model.instructions().find("MPI_Send").is_some()
}

/// What clients of a layer do beside: enough to see what it promises for the memory that is not its own.
const BESIDE: [&str; 2] = ["read", "put_imm"];

/// The clients, and what they are made of.
fn clients(
    args: &RefineArgs,
    implementation: &Model,
    specification: &Model,
) -> Result<(Box<dyn Clients>, Vec<String>), Report> {
    let decls = specification.instructions();
    let threads = usize::from(args.threads);
    if is_mpi(implementation) && is_mpi(specification) {
        let functions = functions(args)?;
        let of = MpiClients::new(threads, args.length, args.names, args.shared).with(&functions);
        let names = of.statements();
        return Ok((Box::new(of), names));
    }
    let chosen = chosen(args, decls, implementation, specification)?;
    let names = chosen.iter().map(|i| decls.list[*i].name.clone()).collect();
    let mut of = Alphabet::of(decls, &chosen, threads, args.length, args.names);
    if args.shared {
        let objects = decls.kinds.iter().filter(|k| k.shape == Shape::Object);
        of.shared = Some(objects.map(|k| k.name.clone()).collect());
    }
    // A client that tells is a test that can be kept, and run under the specification.
    if let Some(family) = families_of(specification.name()).first() {
        of.family = (*family).to_owned();
    }
    of.memory = implementation.is_of_memory() && specification.is_of_memory();
    Ok((Box::new(of), names))
}

/// The functions that clients of MPI call: those that the user names, or all that such clients know.
fn functions(args: &RefineArgs) -> Result<Vec<String>, Report> {
    let known = MpiClients::functions();
    let mut errors = Report::default();
    let windows = MpiClients::window_functions();
    for name in args.with.iter().filter(|n| !known.contains(&n.as_str()) && !windows.contains(&n.as_str())) {
        let d = Diagnostic::general(format!("clients of MPI cannot use `{name}`"));
        errors.0.push(d.help(format!("they know: {}; of windows: {}", known.join(", "), windows.join(", "))));
    }
    errors.into_result()?;
    Ok(if args.with.is_empty() { known.iter().map(|n| (*n).to_owned()).collect() } else { args.with.clone() })
}

/// The instructions that clients use: those that the user names, or all of both sides.
fn chosen(
    args: &RefineArgs,
    decls: &Instructions,
    implementation: &Model,
    specification: &Model,
) -> Result<Vec<usize>, Report> {
    let both = |name: &str| {
        let speaks = |m: &Model| m.instructions().find(name).is_some_and(|i| m.speaks_of(i));
        speaks(implementation) && speaks(specification)
    };
    let common: Vec<&str> = decls.list.iter().map(|i| i.name.as_str()).filter(|n| both(n)).collect();
    let mut errors = Report::default();
    for name in args.with.iter().filter(|n| !common.contains(&n.as_str())) {
        let d = Diagnostic::general(format!("clients of the two sides cannot use `{name}`"));
        errors.0.push(d.help(format!("both know: {}", common.join(", "))));
    }
    errors.into_result()?;
    if common.is_empty() {
        let d = Diagnostic::general("the two sides have no instruction in common");
        return Err(d.help("give a specification that declares what the implementation implements").into());
    }
    let made = implementation.makes();
    let wanted = |name: &&str| match (args.with.is_empty(), made.is_empty()) {
        (false, _) => args.with.iter().any(|w| w == name),
        (true, true) => true,
        (true, false) => made.contains(name) || BESIDE.contains(name),
    };
    Ok(common.into_iter().filter(|n| wanted(n)).filter_map(|n| decls.find(n)).collect())
}

/// A counterexample as it is shown.
pub(crate) struct Told {
    /// The client with what is forbidden as its claim.
    pub(crate) litmus: String,
    /// The outcome.
    outcome: String,
    /// How the implementation comes to it.
    trace: String,
    seed: Option<u64>,
    /// How many statements the client has.
    pub(crate) statements: usize,
}

impl Told {
    fn new(c: &Counterexample, by: &Named, against: &Named, limits: Limits) -> Result<Told, Report> {
        let test = parse(&Source::new("client", c.text.as_str()), by.model.instructions())?;
        let title = format!("{} has an outcome here that {} forbids", by.shown(), against.shown());
        let claim = format!("exists {}\n", claim(&test, &c.outcome));
        let litmus = c.text.replace("\"a client\"", &format!("\"{title}\"")).replace("exists true\n", &claim);
        let statements = c.bodies.iter().map(Vec::len).sum();
        let (outcome, seed) = (test.show(&c.outcome), c.seed);
        Ok(Told { litmus, outcome, trace: way(&test, &c.outcome, by, limits)?, seed, statements })
    }
}

/// The outcome as a proposition.
fn claim(test: &Test, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Values(values) if !values.is_empty() => {
            let parts = test.observed.iter().zip(values).map(|(o, v)| format!("{} = {v}", o.name));
            parts.collect::<Vec<_>>().join(" /\\ ")
        }
        Outcome::Values(_) | Outcome::Undefined(_) => "true".into(),
        Outcome::Deadlock => "deadlock".into(),
        Outcome::Erroneous { .. } => "erroneous".into(),
    }
}

/// The implementation's steps to an outcome, as few as can be.
fn way(test: &Test, outcome: &Outcome, by: &Named, limits: Limits) -> Result<String, Report> {
    let limits = Limits { search: Search::Full, ..limits };
    let Some((test, setup)) = by.model.rules(test, &by.variant, limits)? else {
        return Ok(format!("{} is a declarative model: it has no steps\n", by.shown()));
    };
    let model = Operational::new(&test, &setup)?;
    let Some(path) = model.way(&model.ways()?, outcome)? else {
        return Ok("no way within the bounds of a full search\n".into());
    };
    Ok(trace::steps(model.machine(), &path, &test, outcome))
}

/// The bound in words.
fn bound(args: &RefineArgs, mpi: bool) -> String {
    let (threads, length, size) = (args.threads, args.length, args.size);
    let who = if mpi { "ranks" } else { "threads" };
    let shared = match (args.shared, mpi) {
        (false, _) => "",
        (true, false) => ", every object and location used by two threads or more",
        (true, true) => ", every message received, every request waited for, the same collectives on all ranks",
    };
    format!("{threads} {who}, up to {length} statements each, {size} in all{shared}")
}

fn as_text(args: &RefineArgs, held: &Held) -> String {
    let Held { implementation: by, specification: against, of, found, told, seconds } = held;
    let below = args.below.as_ref().map_or(String::new(), |b| format!(" over {b}"));
    let mut out = format!("Refinement {}{below} against {}\n", by.shown(), against.shown());
    let _ = writeln!(out, "Clients {}, of: {}", bound(args, is_mpi(&by.model)), of.join("; "));
    let sizes = found.sizes.iter().enumerate().map(|(i, n)| format!("{n} of size {}", i + 1)).collect::<Vec<_>>();
    let _ = writeln!(out, "Tried {} clients: {}; {} random", found.tried(), sizes.join(", "), found.random);
    for (n, what) in [
        (found.refused, "are none of the specification: it refuses them, or calls them erroneous"),
        (found.without, "have no outcome over the implementation"),
        (found.loops, "have loops that were unrolled to their bounds"),
        (found.bounded, "were not seen in full: a search hit a bound"),
    ] {
        if n > 0 {
            let _ = writeln!(out, "  {n} {what}");
        }
    }
    let _ = writeln!(out, "Time {seconds:.1} s");
    match told {
        None if held.undecided() > 0 => {
            out.push_str("Verdict undecided: no counterexample was found, and not all was seen\n");
        }
        None => out.push_str("Verdict every outcome of the implementation is one of the specification\n"),
        Some(t) => {
            let from = t.seed.map_or(String::new(), |s| format!(", shrunk from the random one of seed {s}"));
            let _ = writeln!(out, "Verdict NOT a refinement: a client of {} statements{from}\n", t.statements);
            let _ = writeln!(
                out,
                "{}\n{} is forbidden by {}, and {} does it:",
                t.litmus,
                t.outcome,
                against.shown(),
                by.shown()
            );
            out.push_str(&t.trace);
        }
    }
    out
}

fn as_json(args: &RefineArgs, held: &Held) -> serde_json::Value {
    let Held { implementation: by, specification: against, of, found, told, seconds } = held;
    let side = |n: &Named| json!({ "model": n.model.name(), "variant": n.variant, "hash": n.model.hash() });
    json!({
        "implementation": side(by),
        "specification": side(against),
        "bound": { "threads": args.threads, "length": args.length, "size": args.size, "names": args.names, "of": of },
        "seed": args.seed,
        "tried": { "by_size": found.sizes, "random": found.random },
        "refused": found.refused,
        "without_outcome": found.without,
        "loops_bounded": found.loops,
        "bounded": found.bounded,
        "seconds": seconds,
        "refines": (held.undecided() == 0).then_some(told.is_none()),
        "verdict": match told {
            Some(_) => "not a refinement",
            None if held.undecided() > 0 => "undecided",
            None => "refinement",
        },
        "counterexample": told.as_ref().map(|t| json!({
            "litmus": t.litmus, "outcome": t.outcome, "trace": t.trace, "seed": t.seed, "statements": t.statements,
        })),
    })
}
