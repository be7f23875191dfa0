//! The calls in which a run failed or hung: what ranks tell of the line that they were at, looked up in the test. And those that had what holds what
//! it may not: registers, by a field of them, and arrays.

use crate::observed::Observed;
use crate::protocol::Note;
use litmpi_litmus::ast::{self, Call, Outcome, Test, calls};
use litmpi_spec::decl::{Form, Instructions, Shape, Use};
use litmpi_spec::program::{IntExpr, Operand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Values that stand in each other's places, as an entry of what is known says it.
pub const EXCHANGED: &str = "exchanged";

/// Elements of an array that hold what they may not, as an entry of what is known says it.
pub const ELEMENTS: &str = "elements";

/// A call in which an error was returned, or a rank hung, or that had a register of which a field differs from what is allowed, or an array of which
/// elements do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The function; where a test stands for a call that waits, as in relaxed style, the one that was called.
    pub call: String,
    /// The functions that its rank calls before with a register that this call has, too: what made its requests, for example. Of those with lists
    /// of constants as arguments also what stands at each place of these, `MPI_Cart_create[dims=2, periods=1]`, and which arguments begin within an
    /// array, `MPI_Win_create[base>0]`; so of this call itself, and of what other ranks call to make the same communicator or window.
    pub shares: BTreeSet<String>,
    /// The field, and what it held: `.error=0`; of a register without fields, what it held: `=0`. Or `exchanged`: an array that it has holds what it may, in other
    /// places; or `elements`: it holds something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The calls in which ranks were when this came, or which had what holds a value that is not allowed. Values may differ in several ways from allowed ones, of
/// which each explains what came. None if one of the calls is not known.
pub(crate) fn explained<'n>(
    test: &Test,
    instructions: &Instructions,
    notes: impl Iterator<Item = &'n Note>,
    allowed: impl Iterator<Item = &'n Outcome>,
    came: &Observed,
) -> BTreeSet<BTreeSet<Site>> {
    let of = Of { test, instructions };
    if let Observed::Values(values) = came {
        return of.values(allowed, values);
    }
    let is_of_it = |note: &&Note| match came {
        Observed::Error(class) => note.what == "error" && note.class.as_ref() == Some(class),
        Observed::Deadlock => ["hang", "stuck"].contains(&note.what.as_str()) && note.line != 0,
        Observed::Values(_) | Observed::Cut | Observed::Corrupt(_) => false,
    };
    let sites: Option<BTreeSet<Site>> = notes.filter(is_of_it).map(|note| of.site(note)).collect();
    sites.filter(|sites| !sites.is_empty()).into_iter().collect()
}

/// Most outcomes from which it is told how values differ.
const WAYS: usize = 1000;

/// A test, and what its calls are calls of.
struct Of<'t> {
    test: &'t Test,
    instructions: &'t Instructions,
}

impl Of<'_> {
    /// The one call that stands in the note's line; none if there are several, or none.
    fn site(&self, note: &Note) -> Option<Site> {
        let at = |call: &Call<'_>| call.span.line_col().0 as u64 == note.line;
        let of_rank = self.test.threads.iter().filter(|t| t.node == note.rank);
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
        let call = note.call.clone().unwrap_or_else(|| self.name(&all[i]));
        Some(Site { call, shares: self.shares(&all, i), value: None })
    }

    /// What earlier calls that have a register of this one are, and what is special about these, and about this one.
    fn shares(&self, all: &[Call<'_>], i: usize) -> BTreeSet<String> {
        let own = named(all[i].args);
        let shared = (0..i).filter(|earlier| !named(all[*earlier].args).is_disjoint(&own));
        let special = |at: usize| self.made_together(all, at).into_iter().flat_map(|call| self.places(&call));
        let of_earlier = shared.flat_map(|at| special(at).chain([self.name(&all[at])]));
        of_earlier.chain(special(i)).collect()
    }

    /// This call, and those by which other ranks make the same communicator or window: the calls of this function that are as many-th ones of their rank.
    fn made_together<'c>(&'c self, all: &[Call<'c>], i: usize) -> Vec<Call<'c>> {
        let instr = all[i].instr;
        let kinds = self.instructions.list[instr].params.iter().map(|p| &self.instructions.kinds[p.kind].shape);
        let is_made = |shape: &Shape| matches!(shape, Shape::Register(ty) if ["Comm", "Win"].contains(&ty.as_str()));
        if !kinds.into_iter().any(is_made) {
            return vec![all[i]];
        }
        let nth = all[..i].iter().filter(|call| call.instr == instr).count();
        let of_each = self.test.threads.iter().map(|t| calls(&t.body));
        of_each.filter_map(|all| all.into_iter().filter(|call| call.instr == instr).nth(nth)).collect()
    }

    /// What a call has at each place of its lists of constants, and which of its arguments begin within an array.
    fn places(&self, call: &Call<'_>) -> Vec<String> {
        let constants = |arg: &Operand| -> Option<Vec<i64>> {
            let Operand::List(items) = arg else { return None };
            let constant = |item: &Operand| match item {
                Operand::Int(IntExpr::Const(value, _)) => Some(*value),
                _ => None,
            };
            items.iter().map(constant).collect()
        };
        let is_within = |arg: &Operand| matches!(arg, Operand::Loc(x) if *x > begin(self.test, *x));
        let named = || self.instructions.list[call.instr].params.iter().zip(call.args);
        let lists: Vec<(&str, Vec<i64>)> =
            named().filter_map(|(p, arg)| Some((p.name.as_str(), constants(arg)?))).collect();
        let places = lists.iter().map(|(_, values)| values.len()).min().unwrap_or_default();
        let at =
            |i: usize| lists.iter().map(|(of, values)| format!("{of}={}", values[i])).collect::<Vec<_>>().join(", ");
        let within = named().filter(|(_, arg)| is_within(arg)).map(|(p, _)| format!("{}>0", p.name));
        (0..places).map(at).chain(within).map(|place| format!("{}[{place}]", self.name(call))).collect()
    }

    /// The calls that have the registers whose values, or those of their fields, differ from those of an outcome that is allowed, or the arrays that
    /// do; for each outcome but those that differ in all places of another one and in more, unless something else differs from it.
    fn values<'o>(
        &self,
        allowed: impl Iterator<Item = &'o Outcome>,
        values: &[Option<i64>],
    ) -> BTreeSet<BTreeSet<Site>> {
        let differs = |outcome: &Outcome| -> Option<BTreeSet<usize>> {
            let may_be: Vec<Option<i64>> = match outcome {
                Outcome::Values(vs) => vs.iter().copied().map(Some).collect(),
                Outcome::Undefined(vs) => vs.clone(),
                Outcome::Deadlock | Outcome::Erroneous { .. } => return None,
            };
            let is_other = |i: &usize| may_be.get(*i).copied().flatten().is_some_and(|v| values[*i] != Some(v));
            Some((0..values.len()).filter(is_other).collect())
        };
        let mut differing: Vec<_> = allowed.filter_map(|outcome| Some((differs(outcome)?, outcome))).collect();
        differing.sort_by_key(|(places, _)| places.len());
        let mut nearest: Vec<(BTreeSet<usize>, &Outcome)> = vec![];
        for (places, outcome) in differing {
            let is_more = |less: &BTreeSet<usize>| less.len() < places.len() && less.is_subset(&places);
            if nearest.len() < WAYS && !nearest.iter().any(|(less, _)| is_more(less)) {
                nearest.push((places, outcome));
            }
        }
        let ways = nearest.iter().filter_map(|(places, right)| self.way(places, right, values));
        ways.filter(|sites| !sites.is_empty()).collect()
    }

    /// The calls that have what differs from an outcome at these places; none if no call has it.
    fn way(&self, places: &BTreeSet<usize>, right: &Outcome, values: &[Option<i64>]) -> Option<BTreeSet<Site>> {
        let (mut out, mut arrays) = (BTreeSet::new(), BTreeMap::<usize, (Vec<Option<i64>>, Vec<Option<i64>>)>::new());
        for &i in places {
            match &self.test.observed[i].what {
                ast::Observed::Reg(thread, register, field) => {
                    let body = &self.test.threads[*thread].body;
                    let has = |call: &Call<'_>| registers(call.args).contains(register);
                    let (own, others): (Vec<_>, Vec<_>) =
                        calls(body).into_iter().filter(has).partition(|c| self.is_own(c));
                    // Who asks a status leaves it as it is, where another call has written it.
                    let is_given = others.iter().any(|call| self.gives(call, *register));
                    let has = |call: &Call<'_>| has(call) && (!is_given || self.gives(call, *register));
                    let loaded = own.iter().flat_map(|call| call.args).filter_map(|arg| match arg {
                        Operand::Loc(x) => Some(begin(self.test, *x)),
                        _ => None,
                    });
                    for array in loaded {
                        arrays.entry(array).or_default();
                    }
                    if own.is_empty() && others.is_empty() {
                        return None;
                    }
                    if !others.is_empty() {
                        let field = field.as_ref().map_or(String::new(), |field| format!(".{field}"));
                        out.extend(self.having(body, has, &format!("{field}={}", values[i]?)));
                    }
                }
                ast::Observed::Loc(x) => {
                    let (came, may) = arrays.entry(begin(self.test, *x)).or_default();
                    came.push(values[i]);
                    may.push(value_of(right, i));
                }
            }
        }
        for (array, (mut came, mut may)) in arrays {
            came.sort_unstable();
            may.sort_unstable();
            let kind = if came == may && !came.is_empty() { EXCHANGED } else { ELEMENTS };
            let has = |call: &Call<'_>| has_array(self.test, call.args, array);
            let having = self.test.threads.iter().flat_map(|thread| self.having(&thread.body, has, kind));
            let having: Vec<Site> = having.collect();
            if having.is_empty() {
                return None;
            }
            out.extend(having);
        }
        Some(out)
    }

    /// The calls of a thread that have what holds this, but for its own reads and writes.
    fn having(&self, body: &[ast::Stmt], has: impl Fn(&Call<'_>) -> bool, value: &str) -> Vec<Site> {
        let all = calls(body);
        let site =
            |i: usize| Site { call: self.name(&all[i]), shares: self.shares(&all, i), value: Some(value.to_owned()) };
        (0..all.len()).filter(|i| has(&all[*i]) && !self.is_own(&all[*i])).map(site).collect()
    }

    /// Whether a call gives a register its value, whatever it held.
    fn gives(&self, call: &Call<'_>, register: usize) -> bool {
        let of = |(i, arg): (usize, &Operand)| {
            registers(std::slice::from_ref(arg)).contains(&register)
                && self.instructions.use_of(call.instr, i) == Use::Gives
        };
        call.args.iter().enumerate().any(of)
    }

    /// Whether a call is what a thread does with its own memory, `x := 1`.
    fn is_own(&self, call: &Call<'_>) -> bool {
        matches!(self.instructions.list[call.instr].form, Form::Assign(..))
    }

    fn name(&self, call: &Call<'_>) -> String {
        self.instructions.list[call.instr].name.clone()
    }
}

/// What an outcome has at a place; nothing if it may be anything.
fn value_of(outcome: &Outcome, i: usize) -> Option<i64> {
    match outcome {
        Outcome::Values(values) => values.get(i).copied(),
        Outcome::Undefined(values) => values.get(i).copied().flatten(),
        Outcome::Deadlock | Outcome::Erroneous { .. } => None,
    }
}

/// The first element of an array, by any of them.
fn begin(test: &Test, x: usize) -> usize {
    let of_array =
        |y: &usize| test.locs[x].room > 0 && y + test.locs[*y].room as usize == x + test.locs[x].room as usize;
    (0..=x).find(of_array).unwrap_or(x)
}

/// Whether an argument is an element of this array, which stands for those behind it, too.
fn has_array(test: &Test, args: &[Operand], array: usize) -> bool {
    args.iter().any(|arg| match arg {
        Operand::Loc(x) => begin(test, *x) == array,
        Operand::List(list) => has_array(test, list, array),
        Operand::Reg(_) | Operand::Node(_) | Operand::NoReg | Operand::Int(_) => false,
    })
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
            explained(&test, &instructions, std::iter::empty(), allowed.iter(), &came)
                .into_iter()
                .flatten()
                .collect::<BTreeSet<_>>()
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
        let kinds = |came: [i64; 5]| of(came).into_iter().filter_map(|site| site.value).collect::<BTreeSet<_>>();
        assert_eq!(kinds([3, 3, 2, 1, 1]), [ELEMENTS.to_owned()].into());
        assert_eq!(kinds([3, 4, 2, 1, 7]), [EXCHANGED.to_owned(), ELEMENTS.to_owned()].into());
    }

    #[test]
    fn each_of_the_nearest_outcomes_explains_what_came() {
        let instructions = load_shipped("mpi").expect("rules").instructions;
        let text = "litmus mpi asked \"two flags\"
rank 0 {
  int x = 3
  MPI_Irecv(x, source: MPI_PROC_NULL, request: q)
  MPI_Test(q, f, s)
  MPI_Get_count(s, count: n)
  MPI_Test(q, g)
  r := x
  k := 1
}
locations f g s.count r k
exists true
";
        let test = parse(&Source::new("asked", text), &instructions).expect("a test");
        let allowed =
            [[0, 1, 0, 3, 1], [1, 0, 0, 3, 1], [0, 0, 0, 3, 1]].map(|values| Outcome::Values(values.to_vec()));
        let of = |came: [i64; 5]| {
            let came = Observed::Values(came.map(Some).to_vec());
            let ways = explained(&test, &instructions, std::iter::empty(), allowed.iter(), &came);
            let told = |site: Site| format!("{}{}", site.call, site.value.unwrap_or_default());
            ways.into_iter().map(|way| way.into_iter().map(told).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        // Either flag may be the one that is wrong; both are of one function, but not of one call.
        assert_eq!(of([1, 1, 0, 3, 1]), ["MPI_Test=1", "MPI_Test=1"]);
        // Who asks the status has not written it. What a process reads itself is of the array; what it works out is of no call.
        assert_eq!(of([0, 1, 9, 3, 1]), ["MPI_Test.count=9"]);
        assert_eq!(of([0, 1, 0, 4, 1]), ["MPI_Irecvelements"]);
        // Fewer places differ from the first of these, but not a part of those that differ from the second.
        let undefined = Outcome::Undefined(vec![Some(1), Some(1), None, None, Some(1)]);
        let allowed = [undefined, Outcome::Values(vec![0, 1, 0, 3, 1])];
        let came = Observed::Values([0, 1, 9, 4, 1].map(Some).to_vec());
        assert_eq!(explained(&test, &instructions, std::iter::empty(), allowed.iter(), &came).len(), 2);
        assert!(of([0, 1, 0, 3, 2]).is_empty());
    }
}
