//! The calls in which a run failed or hung: what ranks tell of the line that they were at, looked up in the test. And those that had the registers
//! of which a field holds what it may not.

use crate::observed::Observed;
use crate::protocol::Note;
use litmpi_litmus::ast::{self, Call, Outcome, Test, calls};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::Operand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A call in which an error was returned, or a rank hung, or that had a register of which a field differs from what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The function; where a test stands for a call that waits, as in relaxed style, the one that was called.
    pub call: String,
    /// The functions that its rank calls before with a register that this call has, too: what made its requests, for example.
    pub shares: BTreeSet<String>,
    /// The field, and what it held: `.error=0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The calls in which ranks were when this came, or which had what holds a value that is not allowed; none if one of them is not known.
pub(crate) fn sites<'n>(
    test: &Test,
    instructions: &Instructions,
    notes: impl Iterator<Item = &'n Note>,
    allowed: impl Iterator<Item = &'n Outcome>,
    came: &Observed,
) -> BTreeSet<Site> {
    if let Observed::Values(values) = came {
        return of_values(test, instructions, allowed, values);
    }
    let mut out = BTreeSet::new();
    for note in notes {
        let is_of_it = match came {
            Observed::Error(class) => note.what == "error" && note.class.as_ref() == Some(class),
            Observed::Deadlock => ["hang", "stuck"].contains(&note.what.as_str()) && note.line != 0,
            Observed::Values(_) | Observed::Cut | Observed::Corrupt(_) => false,
        };
        if is_of_it {
            match site(test, instructions, note) {
                Some(site) => _ = out.insert(site),
                None => return BTreeSet::new(),
            }
        }
    }
    out
}

/// The one call that stands in the note's line; none if there are several, or none.
fn site(test: &Test, instructions: &Instructions, note: &Note) -> Option<Site> {
    let at = |call: &Call<'_>| call.span.line_col().0 as u64 == note.line;
    let of_rank = test.threads.iter().filter(|t| t.node == note.rank);
    let mut here = of_rank.flat_map(|t| {
        let all = calls(&t.body);
        let found: Vec<usize> = (0..all.len()).filter(|i| at(&all[*i])).collect();
        found.into_iter().map(move |i| (t, i))
    });
    let (thread, i) = here.next()?;
    if here.next().is_some() {
        return None;
    }
    let name = |call: &Call<'_>| name(instructions, call);
    let all = calls(&thread.body);
    let own = registers(all[i].args);
    let shares = all[..i].iter().filter(|c| !registers(c.args).is_disjoint(&own)).map(name).collect();
    Some(Site { call: note.call.clone().unwrap_or_else(|| name(&all[i])), shares, value: None })
}

/// The calls that have the registers in whose fields values differ from those of the nearest outcome that is allowed; none if anything else differs.
fn of_values<'o>(
    test: &Test,
    instructions: &Instructions,
    allowed: impl Iterator<Item = &'o Outcome>,
    values: &[Option<i64>],
) -> BTreeSet<Site> {
    let differs = |outcome: &Outcome| -> Option<Vec<usize>> {
        let may_be: Vec<Option<i64>> = match outcome {
            Outcome::Values(vs) => vs.iter().copied().map(Some).collect(),
            Outcome::Undefined(vs) => vs.clone(),
            Outcome::Deadlock | Outcome::Erroneous { .. } => return None,
        };
        let is_other = |i: &usize| may_be.get(*i).copied().flatten().is_some_and(|v| values[*i] != Some(v));
        Some((0..values.len()).filter(is_other).collect())
    };
    let Some(nearest) = allowed.filter_map(differs).min_by_key(Vec::len) else { return BTreeSet::new() };
    let mut out = BTreeSet::new();
    for i in nearest {
        let (ast::Observed::Reg(thread, register, Some(field)), Some(value)) = (&test.observed[i].what, values[i])
        else {
            return BTreeSet::new();
        };
        let has = |call: &&Call<'_>| registers(call.args).contains(register);
        let all = calls(&test.threads[*thread].body);
        out.extend(all.iter().filter(has).map(|call| Site {
            call: name(instructions, call),
            shares: BTreeSet::new(),
            value: Some(format!(".{field}={value}")),
        }));
    }
    out
}

fn name(instructions: &Instructions, call: &Call<'_>) -> String {
    instructions.list[call.instr].name.clone()
}

fn registers(args: &[Operand]) -> BTreeSet<usize> {
    let of = |arg: &Operand| match arg {
        Operand::Reg(r) => BTreeSet::from([*r]),
        Operand::List(list) => registers(list),
        Operand::Loc(_) | Operand::Node(_) | Operand::NoReg | Operand::Int(_) => BTreeSet::new(),
    };
    args.iter().flat_map(of).collect()
}
