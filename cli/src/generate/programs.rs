//! Which random programs of MPI are made: options that `generate` and `campaign` share.

use crate::functions::rules;
use clap::Args;
use litmpi_mpi_model::generate::{
    Legal, RANKS, all_functions, callable, calls, collectives, collectives_of, communicators, datatypes, exchanges,
    mistaken, named, orders, pairs_and_parts, program, replacing, seed_of, topologies, windows,
};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::ir::E;
use litmpi_spec::model::Spec;
use litmpi_spec::suggest::suggest;

/// What a seed stands for is a program of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Programs {
    Messages,
    /// Of every collective that is declared.
    Collectives,
    /// Of every operation on windows that is declared.
    Windows,
    /// Of messages with derived datatypes.
    Datatypes,
    /// Of messages on communicators that are made and freed.
    Communicators,
    /// Of collectives between two groups and among neighbours.
    Topologies,
    /// Of any function that is declared.
    Calls,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ProgramsArgs {
    /// For MPI: programs of messages with few collectives, which `generate` makes if nothing else is asked for; `campaign` makes each kind in turn then
    #[arg(long)]
    messages: bool,
    /// For MPI: programs of collectives, each as it is declared, instead of messages with few collectives
    #[arg(long)]
    collectives: bool,
    /// For MPI: programs of windows, with each operation as it is declared, in epochs of every kind
    #[arg(long)]
    windows: bool,
    /// For MPI: programs of messages with derived datatypes, by each constructor as it is declared
    #[arg(long)]
    datatypes: bool,
    /// For MPI: programs of messages on communicators that are made and freed under way
    #[arg(long)]
    communicators: bool,
    /// For MPI: programs of collectives between the groups of an intercommunicator, and among neighbours of grids and graphs
    #[arg(long)]
    topologies: bool,
    /// For MPI: programs of any function that is declared, in turn, with whatever it needs
    #[arg(long)]
    calls: bool,
    /// With `--every`: what programs are made of, `put,read,write` or `MPI_Send,MPI_Recv`; with `--calls`, the functions that programs are of, in turn; with `--collectives` and `--topologies`, the collectives that are called
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// For MPI: which programs the seeds of messages, collectives, windows and communicators stand for. Those of series 2 have what those of 1 hardly have: of messages, statuses
    /// that are told, and several requests completed at once; of collectives, reductions of pairs, and a datatype for each part; of windows, `MPI_REPLACE`; of
    /// communicators, members in another order that use them. `campaign` takes both in turn if no kind is asked for
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(super) series: u8,
    /// For MPI: most ranks of a program. With more than three, collectives have as many elements as there are ranks, and more
    #[arg(long, value_name = "N", default_value_t = RANKS as u8, value_parser = clap::value_parser!(u8).range(2..=8))]
    ranks: u8,
}

/// Random programs: which, and of how many ranks.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    of: Programs,
    /// Which programs seeds stand for.
    pub(crate) series: u8,
    /// With [`Programs::Calls`], the functions that programs are of, in turn; of collectives, those that are called. All if there are none here.
    with: Vec<usize>,
    /// The most.
    pub(crate) ranks: usize,
    /// Each has a mistake.
    pub(crate) mistakes: bool,
}

/// Those that a campaign makes in turn, seed by seed, and of which series: programs of any function come as often as those of any two other kinds.
const KINDS: [(Programs, u8); 16] = [
    (Programs::Calls, 1),
    (Programs::Messages, 2),
    (Programs::Calls, 1),
    (Programs::Collectives, 2),
    (Programs::Windows, 2),
    (Programs::Calls, 1),
    (Programs::Communicators, 2),
    (Programs::Datatypes, 1),
    (Programs::Calls, 1),
    (Programs::Messages, 1),
    (Programs::Collectives, 1),
    (Programs::Calls, 1),
    (Programs::Windows, 1),
    (Programs::Communicators, 1),
    (Programs::Calls, 1),
    (Programs::Topologies, 1),
];

/// So many changes of a program are tried until it is erroneous.
const CHANGES: u64 = 60;

impl ProgramsArgs {
    fn given(&self) -> Vec<(&'static str, Programs)> {
        let all = [
            ("--messages", self.messages, Programs::Messages),
            ("--collectives", self.collectives, Programs::Collectives),
            ("--windows", self.windows, Programs::Windows),
            ("--datatypes", self.datatypes, Programs::Datatypes),
            ("--communicators", self.communicators, Programs::Communicators),
            ("--topologies", self.topologies, Programs::Topologies),
            ("--calls", self.calls, Programs::Calls),
        ];
        all.into_iter().filter(|(_, given, _)| *given).map(|(name, _, of)| (name, of)).collect()
    }

    /// The most ranks.
    pub(super) fn ranks(&self) -> usize {
        self.ranks.into()
    }

    /// The first option that is given and names programs.
    pub(super) fn kind(&self) -> Option<&'static str> {
        self.given().first().map(|(name, _)| *name)
    }

    /// The first option that is given.
    pub(super) fn option(&self) -> Option<&'static str> {
        let ranks = (usize::from(self.ranks) != RANKS).then_some("--ranks");
        self.kind().or(ranks).or((self.series != 1).then_some("--series"))
    }

    /// Those that are asked for.
    ///
    /// # Errors
    /// Two that are.
    pub(super) fn of(&self) -> Result<Programs, Report> {
        match self.given()[..] {
            [] => Ok(Programs::Messages),
            [(_, of)] => Ok(of),
            [(one, _), (other, _), ..] => {
                let d = Diagnostic::general(format!("`{one}` and `{other}` ask for different programs"));
                Err(d.help("give one of them").into())
            }
        }
    }

    /// Whether random programs are asked for that are made of functions which are named.
    ///
    /// # Errors
    /// Names, and programs of others.
    pub(super) fn fits(&self) -> Result<(), Report> {
        if self.with.is_empty() || self.calls || self.collectives || self.topologies {
            return Ok(());
        }
        let d = Diagnostic::general("`--with` is for programs of calls or collectives, and for every small program");
        Err(d.help("add `--calls`, `--collectives` or `--topologies`, or `--every` of `litmpi generate`").into())
    }

    /// Random programs of the kind that is asked for, or of each kind, if none is.
    ///
    /// # Errors
    /// As of [`ProgramsArgs::programs`].
    pub(crate) fn in_turn(&self, spec: &Spec) -> Result<Vec<Random>, Report> {
        if self.kind().is_some() || !self.with.is_empty() {
            return Ok(vec![self.programs(spec, false)?]);
        }
        let of = |(of, series)| Random { of, series, with: vec![], ranks: self.ranks.into(), mistakes: false };
        Ok(KINDS.into_iter().filter(|(_, series)| self.series == 1 || *series == 2).map(of).collect())
    }

    /// Random programs of those that are asked for, each with the functions that are declared.
    ///
    /// # Errors
    /// Two that are; a name of no function, or of one that no legal program calls.
    pub(crate) fn programs(&self, spec: &Spec, mistakes: bool) -> Result<Random, Report> {
        let decls = &spec.instructions;
        self.fits()?;
        let of = self.of()?;
        if self.series == 2 && !KINDS.contains(&(of, 2)) {
            let d = Diagnostic::general(format!("programs of `--{}` are of one series", of.name()));
            let help = "leave `--series` out; messages, collectives, windows and communicators have a second one";
            return Err(d.help(help).into());
        }
        let with = named(decls, &of.functions(decls), &self.with).map_err(|unknown| match of {
            Programs::Collectives | Programs::Topologies => {
                let says = format!("programs with `--{}` do not call", of.name());
                not_among(&says, unknown, "`--calls` makes programs of any function that is declared")
            }
            _ if decls.find(&unknown.0).is_some() => never_made(decls, &of.functions(decls), &unknown.0),
            _ => not_called(unknown),
        })?;
        if of == Programs::Calls
            && let Some(never) = with.iter().find(|i| is_never_legal(spec, **i))
        {
            let name = |i: &usize| decls.list[*i].name.as_str();
            let all = of.functions(decls);
            let all: Vec<&str> = all.iter().filter(|i| is_never_legal(spec, **i)).map(name).collect();
            let d = Diagnostic::general(format!(
                "no program that calls `{}` is legal, and random programs are",
                name(never)
            ));
            let help = format!("name other functions; no legal program calls {}", all.join(", "));
            return Err(d.help(help).into());
        }
        Ok(Random { of, series: self.series, with, ranks: self.ranks.into(), mistakes })
    }
}

/// Whether each rule of a function makes the program erroneous, whatever stands around the call.
fn is_never_legal(spec: &Spec, function: usize) -> bool {
    let rules = rules(spec, function);
    // What is never true is written so.
    let forbids = |r: &usize| spec.rules[*r].requires.iter().any(|(e, _)| matches!(e, E::Word(0)));
    !rules.is_empty() && rules.iter().all(forbids)
}

/// That programs are not made with a function of this name; others are.
pub(super) fn not_called(unknown: (String, Vec<String>)) -> Report {
    not_among("programs are not made with", unknown, "`litmpi functions` lists the functions that rules speak of")
}

/// That the generator makes no call of a function, of which rules speak, with the others of which it makes none.
fn never_made(decls: &Instructions, made: &[usize], name: &str) -> Report {
    let others = (0..decls.list.len()).filter(|i| !made.contains(i) && !decls.list[*i].internal);
    let names = others.map(|i| decls.list[i].name.as_str()).filter(|name| name.starts_with("MPI_"));
    let names: Vec<&str> = names.collect();
    let d = Diagnostic::general(format!("programs are not made with `{name}`, of which rules speak"));
    d.help(format!("they are made with all such functions but {}", names.join(", "))).into()
}

/// That a name is none of those that are known; `otherwise` helps where none of them is near.
fn not_among(says: &str, (name, known): (String, Vec<String>), otherwise: &str) -> Report {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Diagnostic::general(format!("{says} `{name}`")).help(suggest(&name, &known, otherwise)).into()
}

impl Random {
    /// What they are called, with the seed behind.
    pub(crate) fn name(&self) -> String {
        format!("{}{}", self.of.name(), if self.series == 2 { "2" } else { "" })
    }

    /// The program of a seed with one thing changed so that it is erroneous, which the model says; none if no such change was found.
    pub(super) fn mistaken(&self, seed: u64, text: &str, erroneous: &dyn Fn(&str) -> bool) -> Option<String> {
        let changes = (0..CHANGES).map(|k| seed.wrapping_mul(CHANGES).wrapping_add(k));
        let changed = changes.filter_map(|change| mistaken(text, change)).find(|changed| erroneous(changed))?;
        let text = changed.replace("\nexists true\n", "\nexists erroneous\n");
        Some(text.replacen(&format!("{}-{seed}", self.name()), &self.program(seed), 1))
    }

    /// The seed of the program that comes after so many.
    pub(super) fn seed(&self, after: u64, decls: &Instructions) -> u64 {
        if self.of == Programs::Calls { seed_of(decls, &self.with, after) } else { after }
    }

    /// The name of the program of a seed.
    pub(crate) fn program(&self, seed: u64) -> String {
        format!("{}{}-{seed}", if self.mistakes { "mistaken-" } else { "" }, self.name())
    }

    /// The program that a seed stands for; those of any function ask whether they are legal so far.
    pub(super) fn text(&self, seed: u64, decls: &Instructions, legal: Legal<'_>) -> String {
        let most = self.ranks;
        match self.of {
            Programs::Messages if self.series == 2 => exchanges(seed, most),
            Programs::Collectives if self.series == 2 => pairs_and_parts(seed, most, decls, &self.with),
            Programs::Windows if self.series == 2 => replacing(seed, most, decls),
            Programs::Communicators if self.series == 2 => orders(seed, most, decls),
            Programs::Messages => program(seed, most),
            Programs::Collectives => collectives(seed, most, decls, &self.with),
            Programs::Windows => windows(seed, most, decls),
            Programs::Datatypes => datatypes(seed, most, decls),
            Programs::Communicators => communicators(seed, most, decls),
            Programs::Topologies => topologies(seed, most, decls, &self.with),
            Programs::Calls => calls(seed, most, decls, legal),
        }
    }
}

impl Programs {
    /// Random ones of at most so many ranks.
    #[cfg(test)]
    pub(super) fn random(self, ranks: usize) -> Random {
        Random { of: self, series: 1, with: vec![], ranks, mistakes: false }
    }

    /// The functions of which programs can be asked for by name, in the order of their declarations.
    fn functions(self, decls: &Instructions) -> Vec<usize> {
        match self {
            Programs::Collectives => all_functions(decls),
            Programs::Topologies => {
                [true, false].into_iter().flat_map(|of_all| collectives_of(decls, of_all)).collect()
            }
            _ => callable(decls),
        }
    }

    /// What they are called, with the seed behind.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Programs::Messages => "random",
            Programs::Collectives => "collectives",
            Programs::Windows => "windows",
            Programs::Datatypes => "datatypes",
            Programs::Communicators => "communicators",
            Programs::Topologies => "topologies",
            Programs::Calls => "calls",
        }
    }
}
