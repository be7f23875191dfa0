//! One behaviour of a program, kept so that it can be followed again: the transitions of the rules, in order.
//!
//! A transition is named by its rule, its thread and the rule's parameters, which are threads and processes; where a rule can do several things, the
//! transitions with one name are counted. Nothing of this depends on where the program's memory lies. Processes are started anew when a behaviour is
//! followed again, so a program that is not deterministic, or another build of it, may do something else: then there is no such transition at some point,
//! and that is told.

use crate::emit::ACCESSES;
use crate::explore::{Explorer, Run, Stopped};
use crate::report::{Bad, Finding};
use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_engine::search::Path;
use litmpi_spec::heap::Word;
use serde::{Deserialize, Serialize};

/// A transition of a behaviour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The rule; none where a program chooses.
    pub rule: Option<String>,
    /// The rank whose call takes the step; none if the system does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The values of the rule's parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Word>,
    /// Which of the transitions of that name it is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nth: usize,
}

/// The signature is the one that serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Turn {
    fn of(machine: &Machine, step: &Step, nth: usize) -> Turn {
        let rule = step.rule.map(|r| machine.spec().rules[r].name.clone());
        Turn { rule, rank: step.thread, params: step.params.to_vec(), nth }
    }

    /// Whether a transition has this name.
    fn is(&self, machine: &Machine, step: &Step) -> bool {
        let rule = step.rule.map(|r| machine.spec().rules[r].name.as_str());
        self.rank == step.thread && self.rule.as_deref() == rule && self.params[..] == step.params[..]
    }

    /// Whether it is a load or a store of a program. Where a process goes one way only, accesses to memory that no operation uses are no steps, which they
    /// are where all ways are followed.
    fn is_access(&self) -> bool {
        self.rule.as_deref().is_some_and(|rule| ACCESSES.contains(&rule))
    }

    /// Its name, for who reads it.
    pub(crate) fn name(&self) -> String {
        let rule = self.rule.as_deref().unwrap_or("a choice");
        let params: Vec<String> = self.params.iter().map(ToString::to_string).collect();
        format!("{rule} ({})", params.join(", "))
    }
}

/// Goes through the transitions of a behaviour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Follower<'b> {
    turns: &'b [Turn],
    /// How many of them have been taken.
    pub(crate) taken: usize,
}

impl Follower<'_> {
    pub(crate) fn of(turns: &[Turn]) -> Follower<'_> {
        Follower { turns, taken: 0 }
    }

    /// Whether the behaviour is at its end.
    pub(crate) fn is_through(&self) -> bool {
        self.turns[self.taken..].iter().all(Turn::is_access)
    }

    /// Whether it is not at the transition that it ends in.
    pub(crate) fn goes_on(&self) -> bool {
        !self.is_through() && self.taken + 1 < self.turns.len()
    }

    /// The number of the next transition among those that a state has, which is taken.
    pub(crate) fn choose(&mut self, machine: &Machine, steps: &[&Step]) -> Option<usize> {
        for (n, turn) in self.turns.iter().enumerate().skip(self.taken) {
            let same = steps.iter().enumerate().filter(|(_, step)| turn.is(machine, step));
            if let Some((i, _)) = same.clone().nth(turn.nth) {
                self.taken = n + 1;
                return Some(i);
            }
            if !turn.is_access() {
                break;
            }
        }
        let rank = self.turns.get(self.taken)?.rank?;
        let is_access = |step: &&Step| step.thread == Some(rank) && Turn::of(machine, step, 0).is_access();
        steps.iter().position(is_access)
    }
}

/// The version of the file's format.
const FORMAT: u32 = 1;

/// A behaviour with what it was found under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Behaviour {
    format: u32,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How many processes.
    pub ranks: usize,
    /// The model whose rules are the MPI library.
    pub model: String,
    /// The variant of the model.
    pub variant: String,
    /// Whether it was one of behaviours at random, under which some rules take larger steps.
    pub random: bool,
    /// Whether races are followed.
    pub allow_races: bool,
    /// Whether datatypes may be others than the types of variables.
    #[serde(default)]
    pub allow_type_mismatch: bool,
    /// Whether functions of which no rule speaks return an error.
    pub return_unsupported: bool,
    /// What it ends in.
    pub bad: Bad,
    /// The same in words.
    pub what: String,
    /// The rank that this is said of, if it is of one.
    pub rank: Option<usize>,
    /// Its transitions.
    pub turns: Vec<Turn>,
}

impl Behaviour {
    /// The behaviour of the first finding to which a way is known.
    pub fn of<'f>(run: &Run, model: &str, findings: &'f [Finding]) -> Option<(Behaviour, &'f Finding)> {
        let finding = findings.iter().find(|f| !f.way.is_empty())?;
        let behaviour = Behaviour {
            format: FORMAT,
            command: run.command.clone(),
            ranks: run.ranks,
            model: model.to_owned(),
            variant: run.variant.clone(),
            random: run.is_sampled(),
            allow_races: run.races,
            allow_type_mismatch: !run.typed,
            return_unsupported: run.returns,
            bad: finding.bad,
            what: finding.what.clone(),
            rank: finding.rank,
            turns: finding.way.clone(),
        };
        Some((behaviour, finding))
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// It is no behaviour, or one of another version of the format; with the line and the column.
    pub fn read(text: &str) -> Result<Behaviour, String> {
        let read: Behaviour = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if read.format != FORMAT {
            return Err(format!("it has format {}, and this version of litmpi reads format {FORMAT}", read.format));
        }
        if !(1..=64).contains(&read.ranks) || read.command.is_empty() {
            return Err("it names no program, or no number of ranks from 1 to 64".into());
        }
        Ok(read)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let turns: Vec<String> = self.turns.iter().filter_map(|t| serde_json::to_string(t).ok()).collect();
        let rest = Behaviour { turns: vec![], ..self.clone() };
        let rest = serde_json::to_string_pretty(&rest).unwrap_or_default();
        // A line for each.
        rest.replace("\"turns\": []", &format!("\"turns\": [\n    {}\n  ]", turns.join(",\n    "))) + "\n"
    }
}

impl Explorer<'_> {
    /// The transitions of a way whose states are known in full.
    pub(crate) fn turns(&self, way: &Path<Step>) -> Result<Vec<Turn>, Stopped> {
        let machine = self.machine();
        let mut turns = vec![];
        for (i, step) in way.steps.iter().enumerate() {
            let (mut nth, mut before) = (None, 0);
            machine.transitions(&way.states[i], &mut |other, to| {
                if other != *step {
                    return;
                }
                let is_it = match (to, way.states.get(i + 1)) {
                    (Target::State(s), Some(next)) => s == &next[..],
                    (Target::Erroneous(_), None) => true,
                    _ => return,
                };
                if is_it && nth.is_none() {
                    nth = Some(before);
                }
                before += 1;
            })?;
            turns.push(Turn::of(machine, step, nth.unwrap_or(0)));
        }
        Ok(turns)
    }

    /// The same of a way of which it is known which of the transitions of its name each is.
    pub(crate) fn counted_turns(&self, way: &Path<Step>, which: &[usize]) -> Vec<Turn> {
        let counted = way.steps.iter().zip(which.iter().chain(std::iter::repeat(&0)));
        counted.map(|(step, nth)| Turn::of(self.machine(), step, *nth)).collect()
    }
}
