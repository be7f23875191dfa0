//! A call as code of a thread: what the process brings, the instruction, and what it is told.

use crate::call::{Arg, Call, Form, Of, Touch, Touched};
use crate::layout::{END, Lacks, Layout, SHARED};
use crate::memory::{Area, Values};
use litmpi_litmus::ast::Outcome;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Ask, IntExpr, Op, Operand};
use litmpi_spec::source::Span;
use std::collections::BTreeMap;

/// How the process of a place ends, in the register for that: the number of what is observed of its end, or of one that a signal ended or whose
/// call was refused the place, so that a way there can be found.
pub(crate) fn ends(end: Option<usize>, place: usize) -> i64 {
    end.map_or(-1 - place as i64, |n| n as i64 + 1)
}

/// Instructions for what a process does with its memory between calls, which their rules are called like.
const LOAD: &str = "load";
const STORE: &str = "store";
const OWN_ROW: &str = "own_row";
const SHARED_STORE: &str = "shared_store";
const SHARED_LOAD: &str = "shared_load";
const SHARED_ROW: &str = "shared_row";
const GIVE_BACK: &str = "give_back";
/// What follows a collective that goes on and has arrays of counts, displacements or datatypes.
const KEEP_ARRAYS: &str = "keep_arrays";
pub(crate) const ACCESSES: [&str; 7] = [LOAD, STORE, OWN_ROW, SHARED_STORE, SHARED_LOAD, SHARED_ROW, GIVE_BACK];

/// A place behind every program.
const THROUGH: usize = u32::MAX as usize;

/// The code of a call of a rank, which is told of these buffers.
pub(crate) fn call(
    spec: &Spec,
    values: &Values,
    layout: &mut Layout,
    rank: usize,
    call: &Call,
    pending: &[Area],
) -> Result<Vec<Op>, Lacks> {
    if let Some((at, bytes)) = call.window {
        layout.share(rank, at, bytes);
        layout.add(rank, at, bytes)?;
    }
    for (at, bytes) in &call.stretches {
        layout.count_from_bottom()?;
        layout.add(rank, *at, *bytes)?;
    }
    for (i, area) in call.areas.iter().enumerate() {
        let base = call.bases.get(i).copied().flatten();
        let from_bottom = layout.is_from_bottom() && base == Some(0);
        // Elements are counted from where the buffer begins.
        let base = base.filter(|_| !from_bottom && !area.is_empty());
        // All elements may lie before the beginning, which is a location of the stretch nevertheless.
        let beginning = base.map(|at| (at, at + 1));
        for (from, to) in stretches(values, area, beginning, from_bottom) {
            layout.add(rank, from, to - from)?;
        }
    }
    for arg in &call.args {
        match arg {
            // What lies there is not looked at.
            Arg::Loc(at) => {
                layout.add(rank, *at, 0)?;
                layout.keep(rank, *at);
            }
            Arg::AtOf(of, at) if *at < 1 << 47 => layout.add(*of, *at, 0)?,
            _ => {}
        }
    }
    let elements = call.areas.iter().chain(pending).flatten().map(|(at, _)| at);
    let known = call.brought.iter().chain(&call.watched).map(|(at, _)| at);
    elements.chain(known).chain(call.touched.iter().map(|t| &t.at)).for_each(|at| layout.keep(rank, *at));
    let types: Vec<&str> = call.outs.iter().map(|o| o.ty.as_str()).collect();
    let registers = layout.registers(&types)?;
    let place = |at: u64| layout.place(rank, at).ok_or(Lacks::Room);
    let from_bottom = |of: usize, at: u64| Some(layout.place(of, at)? as i64 - layout.place(of, 0)? as i64);
    let mut code = vec![];
    let exec = |name: &str, args: Vec<Operand>| {
        let instr = spec.instructions.find(name)?;
        Some(Op::Exec { instr, args, stored: vec![], span: Span::nowhere() })
    };
    for step in steps(call, layout, rank) {
        let touched = match step {
            Access::One(touched) => touched,
            Access::Row(row) => {
                code.extend(exec(SHARED_ROW, row_of(&row, &place)?));
                continue;
            }
            Access::Own(row) => {
                code.extend(exec(OWN_ROW, own_row_of(&row, &place)?));
                continue;
            }
        };
        let at = Operand::Loc(place(touched.at)?);
        let is_foreign = layout.is_foreign(rank, touched.at);
        let (name, args) = match touched.touch {
            Touch::Wrote(value) if is_foreign => (SHARED_STORE, vec![at, Operand::Int(IntExpr::Const(value, None))]),
            Touch::Read if is_foreign => (SHARED_LOAD, vec![at]),
            // What the process has read, it knows.
            Touch::Read => (LOAD, vec![Operand::NoReg, at]),
            Touch::Freed => (GIVE_BACK, vec![at]),
            Touch::Wrote(value) => (STORE, vec![at, Operand::Int(IntExpr::Const(value, None))]),
        };
        code.extend(exec(name, args));
    }
    code.push(Op::Bring(registers.iter().zip(&call.outs).map(|(r, o)| (*r, o.brought.clone())).collect()));
    let stored = call.brought.iter().map(|(at, v)| Ok((place(*at)?, *v))).collect::<Result<_, Lacks>>()?;
    let args = call.args.iter().map(|a| operand(a, &registers, &place, &from_bottom)).collect::<Result<_, _>>()?;
    // Without one, what the process has changed is brought by its next call.
    code.extend(call.instr.map(|instr| Op::Exec { instr, args, stored, span: Span::nowhere() }));
    // Which arrays the collective uses that has begun.
    let begun = registers.iter().zip(&call.outs).find(|(_, out)| out.ty == "Request");
    if let (Some(arrays), Some((request, _))) = (call.arrays.map(|i| &call.areas[i]), begun) {
        let all = arrays.iter().map(|(at, _)| Ok(Operand::Loc(place(*at)?))).collect::<Result<_, Lacks>>()?;
        let args = vec![Operand::Reg(*request), Operand::List(all)];
        code.extend(exec(KEEP_ARRAYS, args));
    }
    if let Some((returned, _)) = registers.iter().zip(&call.outs).find(|(_, o)| o.form == Form::Returned) {
        let args = vec![Operand::Reg(*returned)];
        code.extend(exec("last_error", args));
    }
    let asked = if call.only_begins { &[] } else { pending };
    let areas = asked.iter().map(|a| a.iter().map(|(at, _)| place(*at)).collect()).collect::<Result<_, _>>()?;
    let watched = call.watched.iter().map(|(at, v)| Ok((place(*at)?, *v))).collect::<Result<_, Lacks>>()?;
    let places = |ats: &Vec<u64>| ats.iter().filter_map(|at| layout.place(rank, *at)).collect::<Vec<_>>();
    let (spent, over) = (places(&call.forgotten.spent), call.forgotten.over.iter().map(places).collect());
    // Where the rules have requests of their own for a call, the process is told of none of them.
    let expansion = call.instr.and_then(|i| spec.expansions[i].as_ref());
    let numbers = call.forgotten.numbers.filter(|_| expansion.is_some_and(|e| !e.locals.is_empty()));
    let ask = Ask { regs: registers.clone(), areas, watched, done: registers, spent, over, numbers, ..Ask::default() };
    code.push(Op::Ask(Box::new(ask)));
    Ok(code)
}

/// An instruction for accesses of a process before a call.
pub(crate) enum Access<'c> {
    One(&'c Touched),
    /// All that it has accessed of its own memory.
    Own(Vec<&'c Touched>),
    /// All that it has accessed of shared memory.
    Row(Vec<&'c Touched>),
}

/// The accesses of a process before a call, as steps: those to shared memory together; memory that is given back; those to its own memory together;
/// and what is a step by itself, in its order.
pub(crate) fn steps<'c>(call: &'c Call, layout: &Layout, rank: usize) -> Vec<Access<'c>> {
    let is_in_row = |t: &&Touched| layout.rows && t.of != Of::Used;
    let (row, others): (Vec<&Touched>, Vec<&Touched>) = call.touched.iter().partition(is_in_row);
    // Loads of another process's part of a shared window, one by one, race with operations of calls alone, so that those of what no call names are left out.
    let is_seen = |t: &&Touched| t.touch != Touch::Read || t.of == Of::Used || !layout.is_foreign(rank, t.at);
    let row = Some(row).filter(|row| !row.is_empty()).map(Access::Row);
    let others = others.into_iter().filter(is_seen);
    // What the allocator writes to memory that is given back is no store of the program.
    let (freed, others): (Vec<&Touched>, Vec<&Touched>) = others.partition(|t| t.touch == Touch::Freed);
    let is_own = |t: &&Touched| layout.own_rows && !SHARED.contains(&t.at);
    let are_many = others.iter().filter(|t| is_own(t)).count() > 1;
    let (own, apart): (Vec<&Touched>, Vec<&Touched>) = others.into_iter().partition(|t| are_many && is_own(t));
    let own = Some(own).filter(|own| !own.is_empty()).map(Access::Own);
    let each = |touched: Vec<&'c Touched>| touched.into_iter().map(Access::One);
    row.into_iter().chain(each(freed)).chain(own).chain(each(apart)).collect()
}

/// The operands of a row of a process's own memory: what was loaded; what was stored to, and what is there now. Elements of several lengths may
/// begin at one location, which holds the value of the last one.
fn own_row_of(row: &[&Touched], place: &dyn Fn(u64) -> Result<usize, Lacks>) -> Result<Vec<Operand>, Lacks> {
    let (mut loaded, mut written) = (vec![], BTreeMap::new());
    for touched in row {
        let at = place(touched.at)?;
        if let Touch::Wrote(value) = touched.touch {
            written.insert(at, Operand::Int(IntExpr::Const(value, None)));
        } else {
            loaded.push(Operand::Loc(at));
        }
    }
    let (written, values) = written.into_iter().map(|(at, value)| (Operand::Loc(at), value)).unzip();
    Ok([loaded, written, values].into_iter().map(Operand::List).collect())
}

/// The operands of a row: what was loaded, and what the process knew to be there; what was stored to, what it knew to be there, and what is there now.
fn row_of(row: &[&Touched], place: &dyn Fn(u64) -> Result<usize, Lacks>) -> Result<Vec<Operand>, Lacks> {
    let [mut loaded, mut found, mut written, mut known, mut values]: [Vec<Operand>; 5] = Default::default();
    let int = |value: i64| Operand::Int(IntExpr::Const(value, None));
    for touched in row {
        let Of::Shared(knew) = touched.of else { continue };
        let at = Operand::Loc(place(touched.at)?);
        match touched.touch {
            Touch::Wrote(value) => {
                written.push(at);
                known.push(int(knew));
                values.push(int(value));
            }
            Touch::Read | Touch::Freed => {
                loaded.push(at);
                found.push(int(knew));
            }
        }
    }
    Ok([loaded, found, written, known, values].into_iter().map(Operand::List).collect())
}

/// Whether what a process does with shared memory between two calls is not to be one step: something is wrong with it, or another process comes between.
pub(crate) fn is_of_rows(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Erroneous { rule, .. } if rule == SHARED_ROW)
}

/// The memory that a buffer is of: as a whole, as its elements are counted from its beginning. The elements of a datatype that holds
/// addresses are counted from `MPI_BOTTOM`, so that those that are far from each other need not be of one stretch.
fn stretches(values: &Values, area: &Area, beginning: Option<(u64, u64)>, from_bottom: bool) -> Vec<(u64, u64)> {
    let element = |(at, ty): &(u64, i64)| (*at, *at + values.size(*ty) as u64);
    let mut all: Vec<(u64, u64)> = area.iter().map(element).chain(beginning).collect();
    all.sort_unstable();
    let mut out: Vec<(u64, u64)> = vec![];
    for (at, end) in all {
        match out.last_mut() {
            Some((_, to)) if !from_bottom || at < *to + 96 => *to = end.max(*to),
            _ => out.push((at, end)),
        }
    }
    out
}

fn operand(
    arg: &Arg,
    registers: &[usize],
    place: &dyn Fn(u64) -> Result<usize, Lacks>,
    from_bottom: &dyn Fn(usize, u64) -> Option<i64>,
) -> Result<Operand, Lacks> {
    Ok(match arg {
        Arg::Loc(at) => Operand::Loc(place(*at)?),
        Arg::At(at) => {
            let from_bottom = place(*at)? as i64 - place(0)? as i64;
            Operand::Int(IntExpr::Const(from_bottom, None))
        }
        // One that cannot be an address is outside of every window.
        Arg::AtOf(of, at) => {
            let from_bottom = from_bottom(*of, *at).unwrap_or(i64::MIN / 2);
            Operand::Int(IntExpr::Const(from_bottom, None))
        }
        Arg::None => Operand::NoReg,
        Arg::Int(v) => Operand::Int(IntExpr::Const(*v, None)),
        Arg::Reg(i) => Operand::Reg(registers[*i]),
        Arg::List(parts) => {
            Operand::List(parts.iter().map(|p| operand(p, registers, place, from_bottom)).collect::<Result<_, _>>()?)
        }
    })
}

/// The code of a process that has ended, and how: the number of its end, if there is something to be compared. One that ended out of
/// turn ends the program.
pub(crate) fn end(number: i64, in_turn: bool) -> Vec<Op> {
    let last = if in_turn { Op::Jump(THROUGH) } else { Op::Gone };
    vec![Op::Bring(vec![(END, vec![number])]), last]
}
