//! What is to be said of a program that was explored: of its processes, and of the ways to bad outcomes.

use crate::call::{Arg, BEGINNING, Touch, Touched};
use crate::emit;
use crate::explore::Explorer;
use crate::face::{called, is_failed};
use crate::operations::ends_as;
use crate::rank::overlapping_soon;
use crate::report::{Bad, Calling, Finding, Refusals, Verdict};
use crate::sites::Sites;
use crate::tree::{Next, Place};
use litmpi_engine::machine::Step;
use litmpi_engine::search::Path;
use litmpi_engine::unfold::{Given, Shown};
use litmpi_litmus::ast::Outcome;
use litmpi_spec::heap::Word;
use litmpi_spec::types::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// What is not defined and no error in the unified memory model, in the words of the rules.
const RACES: [&str; 2] = [
    "a location of a window is read while another process updates it",
    "a location of a window is written while another process reads it",
];

/// Classes of errors that the library in C finds alone, by the numbers that they have there.
const CLASSES: [(&str, i64); 7] = [
    ("MPI_ERR_INFO", 28),
    ("MPI_ERR_INFO_KEY", 29),
    ("MPI_ERR_INFO_VALUE", 30),
    ("MPI_ERR_INFO_NOKEY", 31),
    ("MPI_ERR_BASE", 46),
    ("MPI_ERR_KEYVAL", 48),
    ("MPI_ERR_RMA_FLAVOR", 58),
];

/// Where the standard speaks of reduction operations of the program.
const OPERATIONS: &str = "MPI-4.1 §6.9.5 User-Defined Reduction Operations";

/// What a function returns that is not there.
pub(crate) const UNSUPPORTED: &str = "MPI_ERR_UNSUPPORTED_OPERATION";

/// A way in words.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) trace: Vec<String>,
    /// The call that a rank came to last.
    pub(crate) last: Option<usize>,
    /// The calls that ranks are in.
    calling: BTreeMap<usize, usize>,
    /// Their operations on windows since they last synchronised one.
    under_way: BTreeMap<usize, Vec<usize>>,
    /// Those that they had begun before: where other ranks are not so far, these may still meet operations of theirs.
    earlier: BTreeMap<usize, Vec<usize>>,
}

/// Functions that access memory of windows, beside those that only begin it: they give a request.
const WITH_REQUEST: [&str; 4] = ["MPI_Rput", "MPI_Rget", "MPI_Raccumulate", "MPI_Rget_accumulate"];
/// How those begin that synchronise windows.
const SYNCHRONISES: &str = "MPI_Win_";
/// Calls among these behind which an operation may still be under way at its target.
const AT_HOME: [&str; 3] = ["MPI_Win_flush_local", "MPI_Win_flush_local_all", "MPI_Win_sync"];
/// The section that rules cite of what accesses to windows may meet.
const WINDOWS: &str = "§12.7";
/// Operations that are told, at most.
const MOST_TOLD: usize = 4;

/// What the rules say of a store to what a collective sends, or to one of its arrays.
const CONTRIBUTED: &str = "what a collective sends is written before its request is complete";

impl Explorer<'_> {
    /// What is to be said of all that was run.
    pub(crate) fn close(&self, verdict: &mut Verdict) {
        if !self.run.observe.is_empty() && verdict.ends.len() > 1 {
            let what = format!("the program ends in {} ways", verdict.ends.len());
            verdict.findings.push(Finding::new(Bad::Varies, what));
        }
        verdict.findings.sort_by_key(|f| f.bad);
        // A program that ends itself may do so because it has fewer threads than it needs.
        if self.tree.level > 1 && verdict.findings.iter().any(|f| matches!(f.bad, Bad::Abort | Bad::Exit)) {
            let what = "MPI_Init_thread is asked for more than MPI_THREAD_FUNNELED, which is what there is, and the program ends itself";
            verdict.unsupported.push(what.into());
            // One that has done nothing else has only looked at what it was given. mpi4py asks for more, and takes what there is.
            verdict.findings.retain(|f| {
                let own = f.rank.map_or(String::new(), |r| format!("rank {r}: "));
                let has_worked = f.trace.iter().filter(|call| call.starts_with(&own)).count() > 1;
                let is_python = f.at.as_ref().is_some_and(|at| at.contains(".py:"));
                !matches!(f.bad, Bad::Abort | Bad::Exit) || has_worked || is_python
            });
        }
        let overlapping = self.overlapping_calls();
        if !overlapping.is_empty() {
            // Another process waits for what that thread would have done.
            verdict.findings.retain(|f| matches!(f.bad, Bad::Erroneous | Bad::Crash | Bad::Abort));
            verdict.unsupported.extend(overlapping);
        }
        let refused = self.tree.operations.refused();
        if !refused.is_empty() {
            // What a process does with a result that could not be made says nothing of the program.
            let reduces = |call: &String| call.contains("educe") || call.contains("can(");
            verdict.findings.retain(|f| f.bad == Bad::Leak || !f.trace.iter().any(reduces));
        }
        verdict.unsupported.extend(refused);
        let returned = self.tree.have_returned.iter().map(|what| format!("{what} return {UNSUPPORTED}"));
        verdict.unsupported.extend(returned);
        verdict.unsupported.sort();
        verdict.unsupported.dedup();
        verdict.accesses = self.tree.sees;
        verdict.fewer_threads = self.tree.level > 1;
        verdict.processes = self.tree.stage.started;
        verdict.copies = self.tree.stage.doubled;
    }

    /// Calls that threads of processes that wait make while another thread is in one.
    fn overlapping_calls(&self) -> Vec<String> {
        let mut sites = Sites::new(&self.run.command, &self.tree.maps);
        let calls = overlapping_soon(self.tree.places.iter().filter_map(|p| p.process.as_ref()));
        let mut named = |(function, site)| {
            let at = sites.name(site).map_or(String::new(), |at| format!(" ({at})"));
            format!("{}{at}", self.tree.by_threads(function))
        };
        calls.into_iter().map(&mut named).collect()
    }

    /// Adds what is known of the processes. Which findings are of processes that ended badly, and the places that they came to.
    pub(crate) fn known(&self, sites: &mut Sites, verdict: &mut Verdict) -> Vec<(usize, usize)> {
        let mut ended = vec![];
        for (number, place) in self.tree.places.iter().enumerate() {
            let ends_at = place.ends_at.and_then(|site| sites.line(site));
            let at = ends_at.or_else(|| sites.name(place.site));
            let mut add = |bad: Bad, what: String| {
                let f = Finding { rank: Some(place.rank), at: at.clone(), ..Finding::new(bad, what) };
                if !verdict.findings.contains(&f) {
                    verdict.findings.push(f);
                    if bad != Bad::Leak {
                        ended.push((verdict.findings.len() - 1, number));
                    }
                }
            };
            if let Next::Exit { code, .. } = &place.next {
                verdict.exit = verdict.exit.max(*code);
            }
            match &place.next {
                Next::Call(_) | Next::Passed(_) => verdict.calls += 1,
                Next::Exit { code, .. } if *code != 0 => add(Bad::Exit, format!("it ends with exit code {code}")),
                Next::Exit { finalized: false, .. } => add(Bad::Erroneous, "it ends without MPI_Finalize".into()),
                Next::Misused(why) => add(Bad::Erroneous, why.clone()),
                Next::Killed(signal) => add(Bad::Crash, format!("it is ended by {signal}")),
                Next::Silent(t) => add(Bad::Silent, format!("it runs for {} s without a call of MPI", t.as_secs())),
                Next::Differs(now) => {
                    add(Bad::Differs, format!("it is not deterministic: run again with the same answers, {now}"))
                }
                Next::Waits { changes: true } if self.tree.one_way => {
                    let refused = self.refused(place, sites);
                    verdict.unsupported.push(format!("{refused}, and the process changes meanwhile"));
                }
                Next::Waits { changes } if !self.tree.one_way => {
                    let often = place.turns.values().map(|turns| turns.all).max().unwrap_or_default() - 1;
                    let test = self.test(place, sites);
                    let gives_up = place.gives_up.map(|more| often + more);
                    verdict.refusals.insert(Refusals { rank: place.rank, test, often, changes: *changes, gives_up });
                }
                Next::TooDeep => verdict.unsupported.push(format!("rank {}: more calls than are followed", place.rank)),
                Next::Unsupported(what) => verdict
                    .unsupported
                    .push(format!("{what}{}", at.as_ref().map_or(String::new(), |a| format!(" ({a})")))),
                _ => {}
            }
            for kept in &place.kept {
                add(Bad::Leak, format!("it does not free {kept} before MPI_Finalize"));
            }
        }
        for (place, class) in self.tree.errors() {
            let rank = self.tree.places[place].rank;
            verdict.returned.insert(format!("rank {rank}: {} returned {class}", self.call_at(place, sites)));
        }
        ended
    }

    /// A way as calls of ranks and steps of the rules, up to where the process of a place ends if one is given; with the call that a rank came to
    /// last, and those that ranks are in.
    pub(crate) fn told(&self, way: &Path<Step>, until: Option<usize>, sites: &mut Sites) -> Told {
        let mut told = Told::default();
        for (step, before) in way.steps.iter().zip(&way.states) {
            let is_there = |place: usize| {
                let rank = self.tree.places[place].rank;
                self.place_of(rank, before[rank]) == Some(place)
            };
            if until.is_some_and(is_there) {
                break;
            }
            if let Some(t) = step.thread
                && let Some(place) = self.place_of(t, before[t])
            {
                told.last = Some(place);
                let was = told.calling.insert(t, place);
                if was != Some(place) {
                    let over = was.map(|before| self.function_at(before));
                    if over.is_some_and(|f| f.starts_with(SYNCHRONISES) && !AT_HOME.contains(&f))
                        && let Some(operations) = told.under_way.remove(&t)
                    {
                        told.earlier.insert(t, operations);
                    }
                    let function = self.function_at(place);
                    if BEGINNING.contains(&function) || WITH_REQUEST.contains(&function) {
                        told.under_way.entry(t).or_default().push(place);
                    }
                    told.trace.push(format!("rank {t}: {}", self.call_at(place, sites)));
                }
            } else if step.rule.is_some() {
                told.trace.push(format!("  {}", self.machine().step_name(step)));
            }
        }
        told
    }

    /// Of a process that is taken to wait, because it asks again and again: where.
    fn refused(&self, place: &Place, sites: &mut Sites) -> String {
        let test = self.test(place, sites);
        format!("rank {}: {test} says the same more often, one time after the other, than is followed", place.rank)
    }

    /// The call that gave the process of a place its last answer.
    fn test(&self, place: &Place, sites: &mut Sites) -> String {
        place.parent.as_ref().map_or(String::new(), |(p, _)| self.call_at(*p, sites))
    }

    /// The tests in which ranks are taken to wait.
    pub(crate) fn tested(&self, sites: &mut Sites) -> Vec<String> {
        let waiting = self.tree.places.iter().filter(|p| p.next == Next::Waits { changes: false });
        waiting.map(|place| self.refused(place, sites)).collect()
    }

    /// A bad outcome, with the way to it.
    pub(crate) fn explained(&self, outcome: &Outcome, way: Option<Path<Step>>, sites: &mut Sites) -> Finding {
        let spec = self.machine().spec();
        let Told { trace, last, calling, under_way, earlier } =
            way.as_ref().map(|w| self.told(w, None, sites)).unwrap_or_default();
        let end = way.as_ref().and_then(|w| w.states.last().cloned()).unwrap_or_default();
        match outcome {
            Outcome::Erroneous { rule, reason } => {
                let rule = spec.rules.iter().find(|r| r.name == *rule);
                let mut finding = Finding {
                    bad: match reason.as_str() {
                        "the program aborts" => Bad::Abort,
                        reason if RACES.contains(&reason) => Bad::Race,
                        reason => ends_as(reason).unwrap_or(Bad::Erroneous),
                    },
                    what: reason.clone(),
                    rank: None,
                    at: None,
                    ranks: vec![],
                    // What an operation of the program does is none of the rule's that runs it.
                    clause: match ends_as(reason) {
                        Some(_) => OPERATIONS.to_owned(),
                        None => rule.map_or(String::new(), |r| r.cite.clone()),
                    },
                    trace,
                    way: vec![],
                    wrote: vec![],
                };
                let step = way.as_ref().and_then(|w| w.steps.last());
                if step.is_none_or(|s| s.thread.is_some()) {
                    // A call of one rank.
                    if let Some(p) = last {
                        let place = &self.tree.places[p];
                        let before = way.as_ref().and_then(|w| w.states.get(w.steps.len() - 1));
                        let site = match before.and_then(|state| self.touched(p, state)) {
                            Some(touched) if touched.site != 0 => {
                                finding.what = self.with_array(p, touched.at, reason);
                                touched.site
                            }
                            Some(touched) => {
                                let reason = self.with_array(p, touched.at, reason);
                                finding.what = format!("before {}: {reason}", self.function_at(p));
                                place.site
                            }
                            None => {
                                let reason = self.failed(p).unwrap_or_else(|| self.with_count(p, reason));
                                finding.what = format!("{}: {reason}", self.function_at(p));
                                place.site
                            }
                        };
                        finding.rank = Some(place.rank);
                        let ends_at = self.tree.operations.ended_at(reason).and_then(|at| sites.line(at));
                        finding.at = ends_at.or_else(|| sites.name(site));
                    }
                } else if let (Some(rule), Some(step)) = (rule, step) {
                    // What the calls of several come to.
                    let nodes = rule.params.iter().zip(&step.params).filter(|((_, sort), _)| *sort == Sort::Node);
                    let mut ranks: Vec<usize> = nodes.map(|(_, rank)| *rank as usize).collect();
                    let calling = self.colliding(&ranks, way.as_ref(), calling);
                    ranks.sort_unstable();
                    let call = |t: &usize| calling.get(t).map(|p| format!("rank {t} in {}", self.call_at(*p, sites)));
                    let calls: Vec<String> = ranks.iter().filter_map(call).collect();
                    finding.what = format!("{reason}: {}", calls.join(", "));
                    let of = |t: &usize| calling.get(t).map(|p| self.calling(*t, *p, sites));
                    finding.ranks = ranks.iter().filter_map(of).collect();
                }
                let is_of_windows = rule.is_some_and(|r| r.cite.contains(WINDOWS));
                if is_of_windows || finding.bad == Bad::Race {
                    finding.what += &self.operations("under way", &under_way, sites);
                    let left = earlier.into_iter().filter(|(rank, _)| !under_way.contains_key(rank)).collect();
                    finding.what += &self.operations("begun before", &left, sites);
                }
                finding
            }
            _ => {
                let places = self.ranks_in(&end);
                let going = self.going(&places, &end);
                let waits: Vec<String> = places
                    .iter()
                    .map(|(rank, place)| {
                        let does = if going.contains(rank) { "goes round in" } else { "waits in" };
                        let call = self.call_at(*place, sites);
                        format!("rank {rank} {does} {call}{}", self.left_at(*rank, &end))
                    })
                    .collect();
                let what = if waits.is_empty() { "the program can wait for ever".to_owned() } else { waits.join("; ") };
                let ranks = places.into_iter().map(|(rank, place)| self.calling(rank, place, sites)).collect();
                Finding { trace, ranks, ..Finding::new(Bad::Deadlock, what) }
            }
        }
    }

    /// The calls of two ranks that are one collective and do not agree, where a way ends in that: a rank may have left its call since. Else those that
    /// the ranks are in.
    fn colliding(
        &self,
        ranks: &[usize],
        way: Option<&Path<Step>>,
        mut calling: BTreeMap<usize, usize>,
    ) -> BTreeMap<usize, usize> {
        let (&[one, other], Some(way)) = (ranks, way) else { return calling };
        let parts = |function: &str, of: &[usize], state: &[Word]| {
            let given: Vec<Given> = of.iter().map(|rank| Given::Word(*rank as i64)).collect();
            match self.machine().apply(function, &given, state) {
                Ok(Some(Shown::Parts(parts))) => parts,
                _ => vec![],
            }
        };
        let before = way.steps.len().checked_sub(1).and_then(|last| way.states.get(last));
        let Some(collective) = before.and_then(|state| parts("disagreeing", &[one, other], state).into_iter().next())
        else {
            return calling;
        };
        for rank in [one, other] {
            let has_entered = |state: &[Word]| parts("entries", &[rank], state).contains(&collective);
            let entered = way.states.windows(2).find(|pair| !has_entered(&pair[0]) && has_entered(&pair[1]));
            if let Some(place) = entered.and_then(|pair| self.place_of(rank, pair[0][rank])) {
                calling.insert(rank, place);
            }
        }
        calling
    }

    /// The call of a rank that is at a place.
    fn calling(&self, rank: usize, place: usize, sites: &mut Sites) -> Calling {
        let at = sites.name(self.tree.places[place].site);
        Calling { rank, function: self.function_at(place).to_owned(), at }
    }

    /// The places at which ranks wait in a state.
    fn ranks_in(&self, state: &[Word]) -> Vec<(usize, usize)> {
        (0..self.run.ranks).filter_map(|t| Some((t, self.place_of(t, *state.get(t)?)?))).collect()
    }

    /// Which ranks have a step where they are in a state that is known in full, or have asked again and again: they do not wait, and get nowhere.
    fn going(&self, places: &[(usize, usize)], state: &[Word]) -> BTreeSet<usize> {
        let asks = |(_, place): &&(usize, usize)| matches!(self.tree.places[*place].next, Next::Waits { .. });
        let mut going: BTreeSet<usize> = places.iter().filter(asks).map(|(rank, _)| *rank).collect();
        if state.len() > self.run.ranks {
            // What cannot be evaluated was said where it was found.
            let _ = self.machine().transitions(state, &mut |step, _| going.extend(step.thread));
        }
        going
    }

    /// In which calls ranks wait in a state, in words.
    pub(crate) fn calls_in(&self, state: &[Word], sites: &mut Sites) -> impl Iterator<Item = (usize, String)> {
        self.ranks_in(state).into_iter().map(|(t, p)| (t, format!("rank {t} waits in {}", self.call_at(p, sites))))
    }

    /// Why a rank waits in a state that is known in full, where that is known: a message of its own that was taken and not received, or, in `MPI_Finalize`,
    /// that nobody takes.
    fn left_at(&self, rank: usize, state: &[Word]) -> String {
        let Some(place) = self.place_of(rank, state[rank]).filter(|_| state.len() > self.run.ranks) else {
            return String::new();
        };
        if let Some((to, tag, _)) = self.messages("taken", rank, state) {
            return format!(
                ", because rank {to} has taken its message with tag {tag} (MPI_Mprobe or MPI_Improbe) and does not receive it"
            );
        }
        match self.messages("unreceived", rank, state).filter(|_| self.function_at(place) == "MPI_Finalize") {
            Some((to, tag, more)) => {
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!(", because nobody receives its message to rank {to} with tag {tag}{more}")
            }
            None => String::new(),
        }
    }

    /// The first of a rank's messages of which a function of the rules tells: its receiver and its tag, and how many more there are.
    fn messages(&self, function: &str, rank: usize, state: &[Word]) -> Option<(i64, i64, usize)> {
        let Ok(Some(Shown::Parts(all))) = self.machine().apply(function, &[Given::Word(rank as i64)], state) else {
            return None;
        };
        match all.first()? {
            Shown::Parts(of) => match of[..] {
                [Shown::Int(to), Shown::Int(tag)] => Some((to, tag, all.len() - 1)),
                _ => None,
            },
            Shown::Int(_) => None,
        }
    }

    /// Operations of ranks on windows, in words: `what` says which.
    fn operations(&self, what: &str, of: &BTreeMap<usize, Vec<usize>>, sites: &mut Sites) -> String {
        let mut told: Vec<String> = vec![];
        for (rank, places) in of {
            for place in places {
                let operation = format!("rank {rank}'s {}", self.call_at(*place, sites));
                if !told.contains(&operation) {
                    told.push(operation);
                }
            }
        }
        let more = told.len().saturating_sub(MOST_TOLD);
        told.truncate(MOST_TOLD);
        match more {
            _ if told.is_empty() => String::new(),
            0 => format!("; {what}: {}", told.join(", ")),
            _ => format!("; {what}: {}, and {more} more", told.join(", ")),
        }
    }

    /// The access to memory that a rank is at in a state, on its way to the call of a place; of a row of them, the first that it may not make.
    fn touched(&self, place: usize, state: &[Word]) -> Option<&Touched> {
        let Place { next: Next::Call(call), rank, .. } = &self.tree.places[place] else { return None };
        let step = (state[*rank] as usize).checked_sub(*self.code.get(&place)?)?;
        let is_wrong = |touched: &&Touched| {
            let function = if touched.touch == Touch::Read { "is_loadable" } else { "is_storable" };
            let Some(location) = self.layout.place(*rank, touched.at) else { return false };
            let given = [Given::Word(*rank as i64), Given::Word(location as i64)];
            matches!(self.machine().apply(function, &given, state), Ok(Some(Shown::Int(0))))
        };
        match emit::steps(call, &self.layout, *rank).into_iter().nth(step)? {
            emit::Access::One(touched) => Some(touched),
            emit::Access::Own(row) => row.iter().copied().find(is_wrong).or(row.first().copied()),
            emit::Access::Row(row) => row.first().copied(),
        }
    }

    /// Why an access before a call is erroneous: what is written may be no buffer of a collective that has begun, but one of its arrays of counts,
    /// displacements or datatypes.
    fn with_array(&self, place: usize, at: u64, reason: &str) -> String {
        let before = |p: &usize| self.tree.places[*p].parent.as_ref().map(|(p, _)| *p);
        // The last call that has used the memory; nothing to be said of it where that is a buffer.
        let of = |p: usize| {
            let Next::Call(call) = &self.tree.places[p].next else { return None };
            let mut areas = call.areas.iter().enumerate().filter(|(_, area)| area.iter().any(|(cell, _)| *cell == at));
            let is_array = call.arrays == Some(areas.next()?.0);
            let array = call.lists.iter().find(|(range, _)| is_array && range.contains(&at));
            Some(array.map(|(_, name)| {
                format!("`{name}` of {} is written before its request is complete", self.function_at(p))
            }))
        };
        let array = || std::iter::successors(before(&place), before).find_map(of).flatten();
        array().filter(|_| reason == CONTRIBUTED).unwrap_or_else(|| reason.to_owned())
    }

    /// Why a call is erroneous, with its count where that is negative: no buffer has so many elements.
    fn with_count(&self, place: usize, reason: &str) -> String {
        let Next::Call(call) = &self.tree.places[place].next else { return reason.to_owned() };
        let params = call.instr.map(|i| &self.spec.instructions.list[i].params[..]).unwrap_or_default();
        let mut counts = params.iter().zip(&call.args).filter(|(p, _)| p.name.contains("count"));
        let least = counts.find_map(|(p, arg)| match arg {
            Arg::Int(n) => Some((p, *n)).filter(|(_, n)| *n < 0),
            Arg::List(ns) => ns.iter().find_map(|n| if let Arg::Int(n @ ..0) = n { Some((p, *n)) } else { None }),
            _ => None,
        });
        match least {
            Some((p, n)) if reason.contains("fewer elements") => {
                format!("{reason}: `{}` is {n}, which is negative", p.name)
            }
            _ => reason.to_owned(),
        }
    }

    /// What a call says in which the library in C has found an error.
    fn failed(&self, place: usize) -> Option<String> {
        let Next::Call(call) = &self.tree.places[place].next else { return None };
        let is_failed = is_failed(&self.tree.functions[call.function]);
        let classes = self.spec.instructions.kinds.iter().find(|k| k.name == "errorclass");
        match (call.args.last(), classes) {
            (Some(Arg::Int(class)), Some(classes)) if is_failed => {
                let named = classes.names.iter().find(|(_, v)| v == class).map(|(name, _)| name.as_str());
                let name = named.or_else(|| CLASSES.iter().find(|(_, v)| v == class).map(|(name, _)| *name));
                Some(format!("its arguments are wrong: {}", name.unwrap_or("an error")))
            }
            _ => None,
        }
    }

    pub(crate) fn function_at(&self, place: usize) -> &str {
        match &self.tree.places[place].next {
            Next::Call(call) => called(&self.tree.functions[call.function].name),
            Next::Passed(function) => called(&self.tree.functions[*function].name),
            // A test that is called again and again.
            _ => self.tree.places[place].parent.as_ref().map_or("", |(p, _)| self.function_at(*p)),
        }
    }

    pub(crate) fn call_at(&self, place: usize, sites: &mut Sites) -> String {
        let at = sites.name(self.tree.places[place].site).map_or(String::new(), |at| format!(" ({at})"));
        format!("{}{at}", self.function_at(place))
    }
}
