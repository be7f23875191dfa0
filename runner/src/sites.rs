//! The calls in which a run failed or hung: what ranks tell of the line that they were at, looked up in the test. And those that had what holds what
//! it may not: registers, by a field of them, and arrays in which values stand in each other's places.

use crate::observed::Observed;
use crate::protocol::Note;
use litmpi_litmus::ast::{self, Call, Outcome, Test, calls};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::{IntExpr, Operand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Values that stand in each other's places, as an entry of what is known says it.
pub const EXCHANGED: &str = "exchanged";

/// A call in which an error was returned, or a rank hung, or that had a register of which a field differs from what is allowed, or an array with
/// values in each other's places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The function; where a test stands for a call that waits, as in relaxed style, the one that was called.
    pub call: String,
    /// The functions that its rank calls before with a register that this call has, too: what made its requests, for example. Of those with lists
    /// of constants as arguments also what stands at each place of these: `MPI_Cart_create[dims=2, periods=1]`.
    pub shares: BTreeSet<String>,
    /// The field, and what it held: `.error=0`; of a register without fields, what it held: `=0`. Or `exchanged`: an array that it has holds what it may, in other places.
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
    let all = calls(&thread.body);
    let call = note.call.clone().unwrap_or_else(|| name(instructions, &all[i]));
    Some(Site { call, shares: shares(instructions, &all[..i], &all[i]), value: None })
}

/// What earlier calls that have a register of this one are.
fn shares(instructions: &Instructions, earlier: &[Call<'_>], call: &Call<'_>) -> BTreeSet<String> {
    let own = named(call.args);
    let shared = earlier.iter().filter(|c| !named(c.args).is_disjoint(&own));
    shared.flat_map(|c| places(instructions, c).into_iter().chain([name(instructions, c)])).collect()
}

/// What a call has at each place of its lists of constants.
fn places(instructions: &Instructions, call: &Call<'_>) -> Vec<String> {
    let constants = |arg: &Operand| -> Option<Vec<i64>> {
        let Operand::List(items) = arg else { return None };
        let constant = |item: &Operand| match item {
            Operand::Int(IntExpr::Const(value, _)) => Some(*value),
            _ => None,
        };
        items.iter().map(constant).collect()
    };
    let named = instructions.list[call.instr].params.iter().zip(call.args);
    let lists: Vec<(&str, Vec<i64>)> = named.filter_map(|(p, arg)| Some((p.name.as_str(), constants(arg)?))).collect();
    let places = lists.iter().map(|(_, values)| values.len()).min().unwrap_or_default();
    let at = |i: usize| lists.iter().map(|(of, values)| format!("{of}={}", values[i])).collect::<Vec<_>>().join(", ");
    (0..places).map(|i| format!("{}[{}]", name(instructions, call), at(i))).collect()
}

/// The calls that have the registers whose values, or those of their fields, differ from those of the nearest outcome that is allowed, or the arrays in which values
/// stand in each other's places; none if anything else differs.
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
    let differing = allowed.filter_map(|outcome| Some((differs(outcome)?, outcome)));
    let Some((nearest, right)) = differing.min_by_key(|(places, _)| places.len()) else { return BTreeSet::new() };
    let (mut out, mut arrays) = (BTreeSet::new(), BTreeMap::<usize, (Vec<i64>, Vec<i64>)>::new());
    for i in nearest {
        let (Some(value), Some(right)) = (values[i], value_of(right, i)) else { return BTreeSet::new() };
        match &test.observed[i].what {
            ast::Observed::Reg(thread, register, field) => {
                let field = field.as_ref().map_or(String::new(), |field| format!(".{field}"));
                let has = |call: &Call<'_>| registers(call.args).contains(register);
                out.extend(having(instructions, &test.threads[*thread].body, has, &format!("{field}={value}")));
            }
            ast::Observed::Loc(x) => {
                let (came, may) = arrays.entry(end(test, *x)).or_default();
                came.push(value);
                may.push(right);
            }
        }
    }
    for (array, (mut came, mut may)) in arrays {
        came.sort_unstable();
        may.sort_unstable();
        if came != may {
            return BTreeSet::new();
        }
        let has = |call: &Call<'_>| has_array(test, call.args, array);
        out.extend(test.threads.iter().flat_map(|thread| having(instructions, &thread.body, has, EXCHANGED)));
    }
    out
}

/// The calls of a thread that have what holds this.
fn having(instructions: &Instructions, body: &[ast::Stmt], has: impl Fn(&Call<'_>) -> bool, value: &str) -> Vec<Site> {
    let all = calls(body);
    let site = |(i, call): (usize, &Call<'_>)| Site {
        call: name(instructions, call),
        shares: shares(instructions, &all[..i], call),
        value: Some(value.to_owned()),
    };
    all.iter().enumerate().filter(|(_, call)| has(call)).map(site).collect()
}

/// What an outcome has at a place; nothing if it may be anything.
fn value_of(outcome: &Outcome, i: usize) -> Option<i64> {
    match outcome {
        Outcome::Values(values) => values.get(i).copied(),
        Outcome::Undefined(values) => values.get(i).copied().flatten(),
        Outcome::Deadlock | Outcome::Erroneous { .. } => None,
    }
}

/// What the elements of an array have in common: the location behind its last.
fn end(test: &Test, x: usize) -> usize {
    x + test.locs[x].room as usize
}

/// Whether an argument is an element of this array, which stands for those behind it, too.
fn has_array(test: &Test, args: &[Operand], array: usize) -> bool {
    args.iter().any(|arg| match arg {
        Operand::Loc(x) => end(test, *x) == array,
        Operand::List(list) => has_array(test, list, array),
        Operand::Reg(_) | Operand::Node(_) | Operand::NoReg | Operand::Int(_) => false,
    })
}

fn name(instructions: &Instructions, call: &Call<'_>) -> String {
    instructions.list[call.instr].name.clone()
}

/// The registers that a call has, and those whose value it has, as that of a communicator.
fn named(args: &[Operand]) -> BTreeSet<usize> {
    let of = |arg: &Operand| match arg {
        Operand::Int(IntExpr::Reg(r, None)) => BTreeSet::from([*r]),
        Operand::List(list) => named(list),
        _ => BTreeSet::new(),
    };
    registers(args).into_iter().chain(args.iter().flat_map(of)).collect()
}

fn registers(args: &[Operand]) -> BTreeSet<usize> {
    let of = |arg: &Operand| match arg {
        Operand::Reg(r) => BTreeSet::from([*r]),
        Operand::List(list) => registers(list),
        Operand::Loc(_) | Operand::Node(_) | Operand::NoReg | Operand::Int(_) => BTreeSet::new(),
    };
    args.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmpi_litmus::parse;
    use litmpi_spec::load::load_shipped;
    use litmpi_spec::source::Source;

    const RING: &str = "litmus mpi ring \"both neighbours are one process\"
rank 0 {
  int x[2] = {1, 2}
  int r[3]
  MPI_Cart_create(dims: [2, 4], periods: [1, 0], newcomm: c)
  MPI_Ineighbor_alltoall(x, recvbuf: r, comm: c, request: p)
  MPI_Wait(p)
}
rank 1 {
  int y[2] = {3, 4}
  int s[2]
  MPI_Cart_create(dims: [2, 4], periods: [1, 0], newcomm: c)
  MPI_Neighbor_alltoall(y, recvbuf: s, comm: c)
  MPI_Send(s[1], dest: 0)
}
locations r[0] r[1] s[0] s[1] x[0]
exists true
";

    #[test]
    fn values_in_each_others_places_are_of_the_calls_that_have_the_array() {
        let instructions = load_shipped("mpi").expect("rules").instructions;
        let test = parse(&Source::new("ring", RING), &instructions).expect("a test");
        let allowed = [Outcome::Values(vec![4, 3, 2, 1, 1]), Outcome::Deadlock];
        let of = |came: [i64; 5]| {
            let came = Observed::Values(came.map(Some).to_vec());
            sites(&test, &instructions, std::iter::empty(), allowed.iter(), &came)
        };
        let calls = |came: [i64; 5]| of(came).into_iter().map(|site| site.call).collect::<Vec<_>>();
        let made = ["MPI_Cart_create", "MPI_Cart_create[dims=2, periods=1]", "MPI_Cart_create[dims=4, periods=0]"];
        let site = Site {
            call: "MPI_Ineighbor_alltoall".to_owned(),
            shares: made.map(str::to_owned).into(),
            value: Some(EXCHANGED.to_owned()),
        };
        assert_eq!(of([3, 4, 2, 1, 1]), [site].into());
        assert_eq!(calls([4, 3, 1, 2, 1]), ["MPI_Neighbor_alltoall", "MPI_Send"]);
        assert_eq!(calls([3, 4, 1, 2, 1]).len(), 3);
        // A value that is not among those that the array may hold, and one that came into another array.
        assert!(of([3, 3, 2, 1, 1]).is_empty() && of([4, 2, 3, 1, 1]).is_empty() && of([3, 4, 2, 1, 7]).is_empty());
    }
}
