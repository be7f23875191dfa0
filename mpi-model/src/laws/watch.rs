//! Executions, watched for a call that completes too early.
//!
//! A state of the model is followed by two words for each call that is watched: whether it has begun, and the number of its
//! request. What is true of a call is then a matter of one state, and a completes-before rule is refuted by a state: the search
//! is over all of them, not over as many as the outcomes need, which may leave out orders in which calls complete.

use super::order::{At, Calls, Order, REQUEST, RETURNED, STARTED};
use litmpi_engine::eval::Fault;
use litmpi_engine::machine::{Machine, Step, Target as To};
use litmpi_engine::search::{Bounds, System, Target, Visit, explore, path};
use litmpi_spec::program::{Op, Operand};
use litmpi_spec::source::Source;
use std::ops::Range;
use std::sync::Arc;

/// What the search found.
pub(super) enum Seen {
    /// The program is erroneous.
    Erroneous,
    /// A bound was hit.
    Undecided,
    /// The rule's second moment came for so many pairs of calls, and the first had been before.
    Kept(usize),
    /// A way to where it had not, and the pair of calls.
    Broken(Vec<String>, usize),
}

pub(super) fn watch(
    machine: &Machine,
    source: &Arc<Source>,
    order: &Order,
    calls: &[Calls],
    states: usize,
) -> Result<Seen, Fault> {
    let mut sites: Vec<Site> = vec![];
    let mut pairs = vec![];
    for c in calls {
        let mut of = |at: &At| {
            let new = site(machine, source, at)?;
            let known = sites.iter().position(|s| s.ops == new.ops && s.thread == new.thread);
            Some(known.unwrap_or_else(|| {
                sites.push(new);
                sites.len() - 1
            }))
        };
        let same: Option<Vec<_>> = c.same_request.iter().map(|(a, b)| Some((of(a)?, of(b)?))).collect();
        if let (Some(earlier), Some(later), Some(same_request)) = (of(&c.earlier), of(&c.later), same) {
            pairs.push(Pair { earlier, later, same_request });
        }
    }
    let event = |name: &str| match name {
        STARTED => Event::Started,
        RETURNED => Event::Returned,
        f => machine.spec().of_requests().find(|(_, g)| *g == f).map_or(Event::Started, |(i, _)| Event::Says(i)),
    };
    let watched =
        Watched { machine, sites, pairs, earlier: event(&order.earlier.event), later: event(&order.later.event) };
    let found = explore(&watched, Bounds { states, ..Bounds::default() })?;
    if found.outcomes.contains_key(&Found::Erroneous) {
        return Ok(Seen::Erroneous);
    }
    for (outcome, at) in &found.outcomes {
        let Found::Broken(pair) = outcome else { continue };
        let way = path(&watched, &found, *at)?;
        let taken = way.steps.iter().zip(&way.states);
        let steps = taken.filter_map(|(step, state)| step.as_ref().map(|s| shown(machine, s, state)));
        return Ok(Seen::Broken(steps.collect(), *pair));
    }
    if !found.bounds.is_empty() {
        return Ok(Seen::Undecided);
    }
    Ok(Seen::Kept(found.outcomes.keys().filter(|o| matches!(o, Found::Kept(_))).count()))
}

fn shown(machine: &Machine, step: &Step, state: &[u32]) -> String {
    let name = machine.step_name(step);
    match machine.step_source(step, state) {
        Some(span) => format!("{name}   {}", span.text().split_whitespace().collect::<Vec<_>>().join(" ")),
        None => name,
    }
}

/// Where a call stands in the code that the machine runs.
struct Site {
    thread: usize,
    ops: Range<usize>,
}

/// None if the call is no single stretch of code.
fn site(machine: &Machine, source: &Arc<Source>, at: &At) -> Option<Site> {
    let thread = machine.program().threads.iter().position(|t| t.number == at.rank)?;
    let here = |op: &Op| matches!(op, Op::Exec { span, .. } if Arc::ptr_eq(&span.source, source) && at.text.contains(&span.start));
    let code = &machine.program().threads[thread].code;
    let first = code.iter().position(here)?;
    let last = code.iter().rposition(here)?;
    code[first..=last].iter().all(here).then_some(Site { thread, ops: first..last + 1 })
}

struct Pair {
    earlier: usize,
    later: usize,
    same_request: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
enum Event {
    Started,
    Returned,
    /// A function of the model.
    Says(usize),
}

/// What a state or a transition shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Broken(usize),
    Kept(usize),
    Erroneous,
    End,
}

struct Watched<'m> {
    machine: &'m Machine,
    sites: Vec<Site>,
    pairs: Vec<Pair>,
    earlier: Event,
    later: Event,
}

impl Watched<'_> {
    /// Where the words of a call stand.
    fn slot(&self, site: usize) -> usize {
        self.machine.width() + 2 * site
    }

    fn request(&self, site: usize, row: &[u32]) -> u32 {
        row[self.slot(site) + 1]
    }

    /// Whether something is true of a call; none if it is about a request and the call has none.
    fn is(&self, event: Event, site: usize, row: &[u32]) -> Result<Option<bool>, Fault> {
        let Site { thread, ops } = &self.sites[site];
        let started = row[self.slot(site)] != 0;
        Ok(match (event, self.request(site, row)) {
            (Event::Started, _) => Some(started),
            (Event::Returned, _) => Some(started && !ops.contains(&(row[*thread] as usize))),
            (Event::Says(_), 0) if started => None,
            (Event::Says(_), _) if !started => Some(false),
            (Event::Says(f), number) => {
                let node = self.machine.program().threads[*thread].node;
                Some(self.machine.says(f, node, number as i64, &row[..self.machine.width()])?)
            }
        })
    }

    /// Notes what the step of a thread did to its calls.
    fn note(&self, thread: usize, before: &[u32], after: &mut [u32]) {
        let pc = before[thread] as usize;
        for (i, site) in self.sites.iter().enumerate() {
            if site.thread != thread || !site.ops.contains(&pc) {
                continue;
            }
            let slot = self.slot(i);
            after[slot] = 1;
            let Some(reg) = self.request_of(thread, pc).filter(|_| after[slot + 1] == 0) else { continue };
            // A call that makes a request leaves its number in the variable, one that completes it finds it there.
            let value = |row: &[u32]| self.machine.reg_value(row, thread, reg, None) as u32;
            let (old, new) = (value(before), value(after));
            after[slot + 1] = if new != 0 && new != old { new } else { old };
        }
    }

    /// The register of the request that an instruction is about.
    fn request_of(&self, thread: usize, pc: usize) -> Option<usize> {
        let Some(Op::Exec { instr, args, .. }) = self.machine.program().threads[thread].code.get(pc) else {
            return None;
        };
        let decls = &self.machine.spec().instructions;
        decls.list[*instr].params.iter().zip(args).find_map(|(p, a)| match a {
            Operand::Reg(r) if decls.kind(p).name == REQUEST => Some(*r),
            _ => None,
        })
    }
}

impl System for Watched<'_> {
    type Step = Option<Step>;
    type Outcome = Found;
    type Fault = Fault;

    fn initial(&self) -> Vec<u32> {
        let mut row = self.machine.initial().to_vec();
        row.resize(self.slot(self.sites.len()), 0);
        row
    }

    fn transitions(&self, row: &[u32], visit: Visit<'_, Self::Step, Found>) -> Result<(), Fault> {
        for (i, pair) in self.pairs.iter().enumerate() {
            let same = |(a, b): &(usize, usize)| self.request(*a, row) == self.request(*b, row);
            if !pair.same_request.iter().all(same) || self.is(self.later, pair.later, row)? != Some(true) {
                continue;
            }
            match self.is(self.earlier, pair.earlier, row)? {
                Some(true) => visit(&None, Target::Outcome(Found::Kept(i))),
                Some(false) => visit(&None, Target::Outcome(Found::Broken(i))),
                None => {}
            }
        }
        let width = self.machine.width();
        let mut next = row.to_vec();
        self.machine.transitions(&row[..width], &mut |step, to| match to {
            To::State(s) if self.machine.is_early(s) => {}
            To::State(s) => {
                next[..width].copy_from_slice(s);
                next[width..].copy_from_slice(&row[width..]);
                if let Some(t) = step.thread.filter(|_| step.rule.is_some()) {
                    self.note(t, row, &mut next);
                }
                visit(&Some(step), Target::State(&next));
            }
            To::Erroneous(_) => visit(&Some(step), Target::Outcome(Found::Erroneous)),
        })
    }

    fn is_cut(&self, row: &[u32]) -> bool {
        self.machine.any_cut(&row[..self.machine.width()])
    }

    fn bytes(&self) -> usize {
        self.machine.bytes()
    }

    fn end(&self, _: &[u32]) -> Option<Found> {
        Some(Found::End)
    }
}
