//! What the forms of a model say of a generated test: its verdicts and its complete outcome sets, which must be the same. A test of MPI has one form of the
//! model, and is put to the variants that make a difference to what it is about.

use crate::shrink::Side;
use litmpi_litmus::ast::{Expect, Outcome, Test};
use litmpi_litmus::golden::Golden;
use litmpi_models::{Limits, Search};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

/// A program with more states, or candidate executions, is not decided.
const STATES: usize = 500_000;

/// Forms of one model under one variant.
struct Forms {
    /// The model whose verdict it is, and its variant.
    of: &'static str,
    variant: Option<&'static str>,
    sides: Vec<Side>,
}

/// The models that tests are put to.
pub(crate) struct Judge {
    polls: Vec<Forms>,
    waits: Vec<Forms>,
    limits: Limits,
}

/// The model of MPI, and its variants that say something of messages, of collectives, of windows.
pub(crate) struct JudgeMpi {
    default: Forms,
    about: [Vec<Forms>; 3],
    limits: Limits,
}

/// What came of a test.
pub(crate) enum Judged {
    /// The test with its verdicts, the first of them, and the sets.
    Agreed { text: String, first: Expect, golden: Golden },
    /// The program is erroneous; the test says so.
    Erroneous { text: String, golden: Golden },
    /// A bound was reached.
    Undecided,
    /// Two forms of one model differ: their names, and what each alone allows.
    Differ(String),
}

fn forms(of: &'static str, variant: Option<&'static str>, names: &[&str]) -> Result<Forms, Report> {
    Ok(Forms { of, variant, sides: names.iter().map(|n| Side::named(n)).collect::<Result<_, _>>()? })
}

/// The bounds of the search.
fn limits() -> Limits {
    let mut limits = Limits { search: Search::Auto, ..Limits::default() };
    limits.states = limits.states.min(STATES);
    limits
}

impl Forms {
    /// The verdict of one claim as a line.
    fn line(&self, verdict: Expect) -> String {
        let variant = self.variant.map_or(String::new(), |v| format!(" ({v})"));
        let names: Vec<&str> = self.sides.iter().map(|s| s.model.name()).collect();
        let say = if names.len() > 1 { "say" } else { "says" };
        format!("  verdict {}{variant} {verdict}  because \"{} {say} so\"\n", self.of, names.join(", "))
    }
}

/// A test with lines behind each of its claims, in their order.
fn with_lines(text: &str, lines: &[String]) -> String {
    let (mut out, mut lines) = (String::new(), lines.iter());
    for line in text.lines() {
        out += line;
        out.push('\n');
        if line.starts_with("exists ") {
            out += lines.next().map_or("", String::as_str);
        }
    }
    out
}

impl Judge {
    /// The forms of RDMA^TSO, with and without the PCIe guarantee, and those of RDMA^WAIT.
    ///
    /// # Errors
    /// None of a whole installation: the models ship.
    pub(crate) fn new() -> Result<Judge, Report> {
        Ok(Judge {
            polls: vec![
                forms("rdma-tso", None, &["rdma-tso", "rdma-tso-simplified", "rdma-tso.cat"])?,
                forms(
                    "rdma-tso",
                    Some("no-pcie"),
                    &["rdma-tso:no-pcie", "rdma-tso-simplified:no-pcie", "rdma-tso-no-pcie.cat"],
                )?,
            ],
            waits: vec![forms("rdma-wait", None, &["rdma-wait", "rdma-wait-simplified", "rdma-wait.cat"])?],
            limits: limits(),
        })
    }

    /// What the models say of a test, which has one claim.
    ///
    /// # Errors
    /// A program that cannot be read.
    pub(crate) fn judge(&self, text: &str, waits: bool) -> Result<Judged, Report> {
        let source = Source::new("generated", text);
        let (mut lines, mut first, mut golden) = (String::new(), None, Golden::default());
        for forms in if waits { &self.waits } else { &self.polls } {
            let mut sets: Vec<(&Side, Test, BTreeSet<Outcome>)> = vec![];
            for side in &forms.sides {
                litmpi_litmus::parse(&source, side.model.instructions())?;
                let Some((test, set)) = side.outcomes(&source, self.limits) else { return Ok(Judged::Undecided) };
                golden.set(side.model.name(), &side.variant, set.iter().map(|o| test.show(o)).collect());
                sets.push((side, test, set));
            }
            if let Some(differ) = differ(&sets) {
                return Ok(Judged::Differ(differ));
            }
            let (_, test, set) = &sets[0];
            let verdict = test.claims[0].verdict(set.iter());
            lines += &forms.line(verdict);
            first.get_or_insert(verdict);
        }
        let first = first.unwrap_or(Expect::Allowed);
        Ok(Judged::Agreed { text: with_lines(text, &[lines]), first, golden })
    }
}

impl JudgeMpi {
    /// The model and its variants.
    ///
    /// # Errors
    /// None of a whole installation: the model ships.
    pub(crate) fn new() -> Result<JudgeMpi, Report> {
        let variant = |name: &'static str| forms("mpi", Some(name), &[&format!("mpi:{name}")]);
        let both = |a, b| Ok::<_, Report>(vec![variant(a)?, variant(b)?]);
        let about =
            [both("eager", "rendezvous")?, both("synchronising", "non-synchronising")?, both("separate", "race-free")?];
        Ok(JudgeMpi { default: forms("mpi", None, &["mpi"])?, about, limits: limits() })
    }

    /// What the model says of a test that is about messages, collectives, windows.
    ///
    /// # Errors
    /// A program that cannot be read.
    pub(crate) fn judge(&self, text: &str, about: [bool; 3]) -> Result<Judged, Report> {
        let mut text = text.to_owned();
        let further = self.about.iter().zip(about).filter(|(_, is)| *is).flat_map(|(forms, _)| forms);
        let (mut lines, mut first, mut golden) = (vec![], None, Golden::default());
        let (mut claims, mut is_erroneous) = (0, false);
        for forms in std::iter::once(&self.default).chain(further) {
            let source = Source::new("generated", text.as_str());
            let side = &forms.sides[0];
            let read = litmpi_litmus::parse(&source, side.model.instructions())?;
            let Some((test, set)) = side.outcomes(&source, self.limits) else { return Ok(Judged::Undecided) };
            if first.is_none() && set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) {
                is_erroneous = true;
                let program: Vec<&str> = text.lines().filter(|l| !l.starts_with("exists ")).collect();
                text = format!("{}\nexists erroneous\n", program.join("\n"));
                lines.push(forms.line(Expect::Allowed));
                first = Some(Expect::Allowed);
                claims = 1;
                let shown = Source::new("generated", text.as_str());
                let test = litmpi_litmus::parse(&shown, side.model.instructions())?;
                let Some((_, set)) = side.outcomes(&shown, self.limits) else { return Ok(Judged::Undecided) };
                golden.set(side.model.name(), &side.variant, set.iter().map(|o| test.show(o)).collect());
                continue;
            }
            if first.is_none() {
                claims = read.claims.len();
                lines = vec![String::new(); claims];
            }
            for (k, line) in lines.iter_mut().enumerate().take(claims) {
                let verdict = test.claims[k].verdict(set.iter());
                line.push_str(&forms.line(verdict));
                first.get_or_insert(verdict);
            }
            golden.set(side.model.name(), &side.variant, set.iter().map(|o| test.show(o)).collect());
        }
        let text = with_lines(&text, &lines);
        let first = first.unwrap_or(Expect::Allowed);
        Ok(if is_erroneous { Judged::Erroneous { text, golden } } else { Judged::Agreed { text, first, golden } })
    }
}

/// What one form allows and another one does not, deadlocks aside, of which relations know nothing.
fn differ(sets: &[(&Side, Test, BTreeSet<Outcome>)]) -> Option<String> {
    let values = |set: &BTreeSet<Outcome>| -> BTreeSet<Outcome> {
        set.iter().filter(|o| **o != Outcome::Deadlock).cloned().collect()
    };
    let (one, test, expected) = &sets[0];
    sets[1..].iter().find_map(|(other, _, found)| {
        let (a, b) = (values(expected), values(found));
        let only = |a: &BTreeSet<Outcome>, b: &BTreeSet<Outcome>| {
            a.difference(b).map(|o| format!("\n  {}", test.show(o))).collect::<String>()
        };
        (a != b).then(|| {
            format!("only {} allows:{}\nonly {} allows:{}\n", one.name, only(&a, &b), other.name, only(&b, &a))
        })
    })
}
