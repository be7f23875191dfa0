//! The calls in which a run failed or hung: what ranks tell of the line that they were at, looked up in the test.

use crate::observed::Observed;
use crate::protocol::Note;
use litmpi_litmus::ast::{Call, Test, calls};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::Operand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A call in which an error was returned, or a rank hung.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The function; where a test stands for a call that waits, as in relaxed style, the one that was called.
    pub call: String,
    /// The functions that its rank calls before with a register that this call has, too: what made its requests, for example.
    pub shares: BTreeSet<String>,
}

/// The calls in which ranks were when this came; none if one of them is not known.
pub(crate) fn sites<'n>(
    test: &Test,
    instructions: &Instructions,
    notes: impl Iterator<Item = &'n Note>,
    came: &Observed,
) -> BTreeSet<Site> {
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
    let name = |call: &Call<'_>| instructions.list[call.instr].name.clone();
    let all = calls(&thread.body);
    let own = registers(all[i].args);
    let shares = all[..i].iter().filter(|c| !registers(c.args).is_disjoint(&own)).map(name).collect();
    Some(Site { call: note.call.clone().unwrap_or_else(|| name(&all[i])), shares })
}

fn registers(args: &[Operand]) -> BTreeSet<usize> {
    let of = |arg: &Operand| match arg {
        Operand::Reg(r) => BTreeSet::from([*r]),
        Operand::List(list) => registers(list),
        Operand::Loc(_) | Operand::Node(_) | Operand::NoReg | Operand::Int(_) => BTreeSet::new(),
    };
    args.iter().flat_map(of).collect()
}
