//! MPI programs made from critical cycles, as diy makes those of processors (Shasha, Snir 1988; Alglave 2010) and `litmpi_rdma_model::cycles` those of RDMA.
//!
//! What a cycle is about. Events of MPI are calls. A call begins and ends, and other calls may come between; so "before" has two senses, which an edge tells apart by what it
//! asks of its ends. *A cycle is a row of edges, each of which says that its end does not come before its beginning.* No execution has all of
//! them if all are so. There are two ways to ask for one, and which of them it is follows from the edges:
//!
//! - If the end of every edge of communication *waits* for its beginning (a receive for its message, a send for its receive, who leaves a collective for who enters it),
//!   an execution with the cycle is one in which nobody goes on: the program asks for `deadlock`, and, beside it, for the end that it has if one of them does
//!   not wait. `PodSendRecv-Rve-PodSendRecv-Rve` is two ranks that send to each other before they receive.
//! - Else some edge is *observed*: a flag says that a message was not there (`Fr`), a message is taken behind another one (`Co`), a load finds a value or
//!   does not. Then the program asks for the values that all edges together give, and whether they come out is whether program order is kept.
//!   `PodSendSend-Rfe-PodRecvSend-Coe` is a message that another one overtakes by way of a third rank.
//!
//! Whether a model allows it is the model's to say, and so is whether the program is erroneous.
//!
//! **What events are about**: the messages to a rank on one communicator with one tag (a queue, into which sends write, from which receives take, at which probes look); a collective of one
//! communicator; an element of a rank's window, with one value; an epoch of a window.
//!
//! | edge | |
//! |---|---|
//! | `PodSendRecv` | program order from a call to the next of the rank, here to another rank's messages; `t`, to those of another tag of the same receiver; `c`, on another communicator (collectives, too); `s`, of the same; `u`, to one who takes any tag, with another tag. The first call need not be complete: a nonblocking one is waited for at the end of the rank |
//! | `WaittIsendSend`, `TestdIsendRecv` | the same, where the first is completed before by this function, whichever completes requests; if it tells by a flag, the flag is asked for |
//! | `Win_flushdPutSend`, `Win_syncdRecvLoad` | the same with a function that synchronises windows; `Win_unlock…`, where accesses are in an epoch of a lock each |
//! | `SendrecvdRecvSend`, `SendrecvdSendRecv` | both are parts of one call, which sends and receives at once; `s`, of a rank's message to itself |
//! | `Rf` | from a send to what gets its message: a receive, a probe, the completion of a receive; from a write of a window to a read |
//! | `Fr` | from a probe or a completion that does not see a message, or a receive from anybody that gets another one, to its send; from a read to a write that it does not see; from a `Win_test` that says no to a complete |
//! | `Co` | from a send to one whose message is taken later; from a write to one that is there at the end |
//! | `Rv` | from a receive to its send, which may wait for it (rendezvous): completion before the receive is posted, or not |
//! | `Sy` | from the entering of a collective to another rank's leaving it; from post to start or complete, from complete to wait or to a `Win_test` that says yes, from fence to fence |
//! | `Pg` | progress: from a call to what must not wait for it: from the completion of a receive to its send, from a rank's `Win_sync` to an operation on its window |
//!
//! `e` behind these is to another rank, `i` within one. `Fre-Send-Rfe`: a rank whose only call is a send; `Rfe-Irecvany-Fre`: one with two such receives, which get the messages in the
//! wrong order (of usual receives, that is `Co`).
//!
//! | event | |
//! |---|---|
//! | a function without `MPI_` | that sends, receives, probes, is a collective, accesses a window ([`function`]): those that are declared, whichever they are |
//! | `Recvany`, `Probeany` | from any source |
//! | `Bcastroot`, `Bcast` | as the root, and as another rank |
//! | `Fetch_and_opno` | with `MPI_NO_OP`, a read; without it `MPI_REPLACE`, a read and write |
//! | `Wait`, `Test`, … | the completion of a receive that was posted at the beginning of the rank |
//! | `Send_init`, … | the start of a persistent request that was made there |
//! | `Load`, `Store` | of the rank's own window |
//! | `Win_post`, `Win_start`, `Win_complete`, `Win_wait`, `Win_test`, `Win_fence` | epochs; those that a cycle does not name stand at the beginning and the end of a rank |
//!
//! Cycles are critical: none has an edge that a shorter one does not need. Of two edges in program order one would do, a rank comes once, and a cycle whose events are all about one thing has
//! one edge of program order. A name begins as those of all families do ([`litmpi_litmus::critical`]).
//!
//! Every message is received and every request completed at the end of a rank, so that nothing is left, and receives come before completions there, so that
//! no rank waits at its end for another one's end.
//!
//! Limits: no three calls in a row of one rank; a collective has the two ranks that an edge names, and a root; an element of a window is one int; the parts of an exchange are a send and a receive as
//! they are without it, and neighbourhood collectives are no events.

mod edge;
mod every;
pub mod function;
mod place;
mod text;

pub use edge::{Com, Edge, Form, Kind, Place, What};
pub use every::{Cycles, Usual};

use edge::{Class, FORMS, PLACES};
use function::{Function, Role, known};
use litmpi_litmus::critical::{self, Edge as _, Misfit};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::nearest;
use place::Places;
use std::sync::Arc;

/// The functions that cycles are made of.
pub struct Vocabulary<'d> {
    decls: &'d Instructions,
    functions: Vec<Arc<Function>>,
}

impl<'d> Vocabulary<'d> {
    /// Those of these declarations.
    pub fn new(decls: &'d Instructions) -> Vocabulary<'d> {
        Vocabulary { decls, functions: known(decls) }
    }

    /// All functions.
    pub fn functions(&self) -> &[Arc<Function>] {
        &self.functions
    }

    /// The function of that name, without `MPI_`.
    pub fn function(&self, name: &str) -> Option<Arc<Function>> {
        self.functions.iter().find(|f| f.name == name).cloned()
    }

    /// The kind of event of that name.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        let of = |(suffix, form): &(&str, Form)| {
            let kind = Kind { function: self.function(name.strip_suffix(suffix)?)?, form: *form };
            kind.is_one().then_some(kind)
        };
        FORMS.iter().find_map(of)
    }

    /// Every kind of event.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.functions.iter().flat_map(|f| {
            let of = |(_, form): &(&str, Form)| Kind { function: Arc::clone(f), form: *form };
            FORMS.iter().map(of).filter(Kind::is_one).collect::<Vec<_>>()
        })
    }

    /// The edge of that name.
    pub fn named(&self, word: &str) -> Option<Edge> {
        if let Some(com) = Edge::communication().into_iter().find(|e| e.to_string() == word) {
            return Some(com);
        }
        let what = match parts(word)[..] {
            [alone] => What::Alone(self.kind(alone)?),
            [before, from, to] => {
                let (between, place) = before.split_at_checked(before.len() - 1)?;
                let place = PLACES.iter().find(|(name, _)| *name == place)?.1;
                let between = match between {
                    "Po" => None,
                    name => Some(self.function(name)?),
                };
                What::Then { between, place, from: self.kind(from)?, to: self.kind(to)? }
            }
            _ => return None,
        };
        Edge::new(what)
    }

    /// Reads the edges of a file or of an argument: `#` begins a comment.
    ///
    /// # Errors
    /// An edge that there is not.
    pub fn read(&self, source: &Arc<Source>) -> Result<Vec<(Edge, Span)>, Report> {
        let (mut out, mut wrong) = (vec![], vec![]);
        for (word, span) in critical::words(source) {
            match self.named(word) {
                Some(edge) => out.push((edge, span)),
                None => wrong.push(self.unknown(word, &span)),
            }
        }
        if wrong.is_empty() { Ok(out) } else { Err(Report(wrong)) }
    }

    /// What is wrong with a name.
    fn unknown(&self, word: &str, span: &Span) -> Diagnostic {
        let d = Diagnostic::at(span, format!("there is no edge `{word}`")).found("not an edge");
        let kinds: Vec<String> = self.kinds().map(|k| k.to_string()).collect();
        let near = |name: &str| {
            let near = nearest(name, kinds.iter().map(String::as_str));
            near.map_or(String::new(), |n| format!("; near it is `{n}`"))
        };
        let coms = || Edge::communication().iter().map(Edge::to_string).collect::<Vec<_>>().join(", ");
        let example = "`PodSendRecv` is program order from a send to a receive of another rank's message";
        let help = match parts(word)[..] {
            [before, from, to] => {
                let (between, place) = before.split_at_checked(before.len() - 1).unwrap_or((before, ""));
                let is_function = between == "Po" || self.function(between).is_some();
                match [from, to].iter().find(|k| self.kind(k).is_none()) {
                    Some(kind) => format!("`{kind}` is no event{}", near(kind)),
                    None if !is_function || !PLACES.iter().any(|(name, _)| *name == place) => {
                        format!(
                            "`{before}` is `Po`, or a function that completes a request, synchronises a window or exchanges messages, and one of s, u, t, c and d; {example}"
                        )
                    }
                    None if self.kind(from).is_some_and(|k| k.is_posted()) && self.has("Isend", to, between, place) => {
                        format!(
                            "a receive that is completed before the next call is the event of its completion: `Po{place}{between}{to}`"
                        )
                    }
                    None if between != "Po" && self.has(from, to, "Po", place) => {
                        format!(
                            "`{between}` does not stand between `{from}` and `{to}`: what completes requests is behind a call that gives one, what synchronises windows beside an access, and an exchange is of a `Send` and a `Recv`"
                        )
                    }
                    None => {
                        let fit = PLACES.iter().map(|(p, _)| *p).filter(|p| self.has(from, to, between, p));
                        let fit = fit.collect::<Vec<_>>().join(", ");
                        if fit.is_empty() {
                            format!("there is no order of `{from}` and `{to}` that a cycle asks about")
                        } else {
                            format!("between `{from}` and `{to}` may stand, in the place of `{place}`: {fit}")
                        }
                    }
                }
            }
            [one] => {
                let alike = Edge::communication().into_iter().find(|e| critical::alike(&e.to_string(), one));
                match (alike, self.kind(one)) {
                    (Some(e), _) => format!("near it is: {e}"),
                    (None, Some(_)) => format!("`{one}` does not stand alone between two edges of communication"),
                    (None, None) => format!("communication is {}{}", coms(), near(one)),
                }
            }
            _ => format!("edges are those as {}, and program order: {example}", coms()),
        };
        d.help(help)
    }

    fn has(&self, from: &str, to: &str, between: &str, place: &str) -> bool {
        self.named(&format!("{between}{place}{from}{to}")).is_some()
    }
}

/// The words of a name, each of which begins with a capital.
fn parts(word: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = word.char_indices().filter(|(_, c)| c.is_ascii_uppercase()).map(|(i, _)| i).collect();
    if starts.first() != Some(&0) {
        return vec![word];
    }
    starts.push(word.len());
    starts.windows(2).map(|w| &word[w[0]..w[1]]).collect()
}

/// A critical cycle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cycle {
    edges: Vec<Edge>,
}

impl Cycle {
    /// The cycle of these edges, beginning where its name does.
    ///
    /// # Errors
    /// Edges that are no critical cycle, or that no ranks, communicators and windows fit.
    pub fn new(edges: Vec<Edge>) -> Result<Cycle, Misfit> {
        check(&edges)?;
        let (n, shift) = (edges.len(), critical::beginning(&edges));
        let cycle = Cycle { edges: (0..n).map(|k| edges[(shift + k) % n].clone()).collect() };
        cycle.places().map_err(|m| Misfit { at: (m.at + shift) % n, ..m })?;
        Ok(cycle)
    }

    fn places(&self) -> Result<Places, Misfit> {
        Places::new(&self.edges, self.ranks())
    }

    /// Reads a cycle: edges with blanks, commas or `-` between them.
    ///
    /// # Errors
    /// An unknown edge, one that does not fit where it stands.
    pub fn parse(source: &Arc<Source>, vocabulary: &Vocabulary) -> Result<Cycle, Report> {
        let (edges, spans): (Vec<Edge>, Vec<Span>) = vocabulary.read(source)?.into_iter().unzip();
        if edges.is_empty() {
            let d = Diagnostic::general(format!("{} has no edges", source.name));
            return Err(d.help("write a cycle such as `PodSendRecv-Rve-PodSendRecv-Rve`").into());
        }
        let usual = || [Usual::Messages, Usual::Collectives, Usual::Windows].into_iter();
        let known = usual().flat_map(|u| Cycles::usual(u, vocabulary));
        let known = Edge::communication().into_iter().chain(known.filter(|e| !e.is_communication()));
        critical::fit(&edges, known).map_err(|m| m.told(&spans))?;
        Cycle::new(edges).map_err(|m| m.told(&spans))
    }

    /// Its edges, as its name has them.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// How many edges it has; events that stand alone are none.
    pub fn size(&self) -> usize {
        self.edges.iter().filter(|e| e.is_edge()).count()
    }

    /// How many ranks the cycle goes through; its program may have more.
    pub fn ranks(&self) -> usize {
        critical::threads(&self.edges)
    }

    /// Its edges with `-` between them, which tell it from all others.
    pub fn name(&self) -> String {
        critical::name(&self.edges)
    }

    /// Whether each of its edges of communication is one whose end waits for its beginning.
    pub fn waits(&self) -> bool {
        let Ok(p) = self.places() else { return false };
        let is_flag = |e: &Edge| match &e.what {
            What::Then { between: Some(f), .. } => matches!(f.role, Role::Completion { told: Some(_) }),
            _ => false,
        };
        let waits = |i: usize| match p.events[i].edge.what {
            What::Com { com, .. } => com.waits(&p.events[p.next(i)].kind),
            _ => true,
        };
        (0..p.events.len()).all(waits) && !self.edges.iter().any(is_flag)
    }

    /// What its events are about, to choose variants of the model that matter: messages, collectives, windows.
    pub fn about(&self) -> [bool; 3] {
        let Ok(p) = self.places() else { return [false; 3] };
        let any = |all: &[Class]| p.events.iter().any(|e| all.contains(&e.kind.class()));
        [any(&[Class::Message]), any(&[Class::Collective]), any(&[Class::Memory, Class::Epoch])]
    }

    /// The program of the family `mpi`, with claims that ask for the execution of the cycle and have no verdict.
    pub fn text(&self, vocabulary: &Vocabulary) -> String {
        text::program(self, vocabulary.decls)
    }
}

/// What can be said of a row of edges before ranks are looked for.
fn check(all: &[Edge]) -> Result<(), Misfit> {
    let n = all.len();
    critical::fit(all, Edge::communication().into_iter())?;
    let numbered = || all.iter().enumerate();
    let external = all.iter().filter(|e| e.is_external()).count();
    if external == 1 {
        let at = all.iter().position(Edge::is_external).unwrap_or(0);
        let why = format!("`{}` is the only edge to another rank, so that the cycle does not come back", all[at]);
        return Err(Misfit::new(
            at,
            why,
            "end the cycle with a second edge to another rank, or make this one internal",
        ));
    }
    if external == 0 && !all[n - 1].is_communication() {
        return Err(Misfit::new(
            n - 1,
            format!("a cycle of one rank cannot end with `{}`", all[n - 1]),
            "the last edge of a cycle of one rank is communication (`Rfi`, `Fri`, `Coi`, `Rvi`), from its last call to its first",
        ));
    }
    for (i, edge) in numbered() {
        let before = &all[(i + n - 1) % n].what;
        let of = match before {
            What::Then { to: kind, .. } | What::Alone(kind) => kind.class(),
            What::Com { .. } => continue,
        };
        if matches!(edge.what, What::Com { external: false, .. }) && external > 0 && of != Class::Memory {
            let why = format!("`{edge}` is of messages that a rank of several sends to itself");
            return Err(Misfit::new(i, why, "make it external, or the cycle one of this rank alone"));
        }
    }
    locations(all)?;
    exchanged(all)?;
    looked_for(all)
}

/// A cycle is of one thing with one edge of program order, or of several with none that stays.
fn locations(all: &[Edge]) -> Result<(), Misfit> {
    let changes = all.iter().filter(|e| e.changes_location()).count();
    let same = |e: &Edge| matches!(e.what, What::Then { place, .. } if place.stays());
    let stay: Vec<usize> = (0..all.len()).filter(|i| same(&all[*i])).collect();
    match (changes, &stay[..]) {
        (0, [_]) | (2.., []) => Ok(()),
        (0, []) => Err(Misfit::new(
            0,
            "the cycle has no program order",
            "a cycle of one receiver's messages, or of one location, has an edge such as `PosSendSend`",
        )),
        (0, [_, second, ..]) => Err(Misfit::new(
            *second,
            format!(
                "`{}` is a second edge of program order of a cycle of one receiver's messages, or of one location",
                all[*second]
            ),
            "such a cycle has one; write `t`, `c` or `d` where it goes on to others",
        )),
        (1, _) => {
            let at = all.iter().position(Edge::changes_location).unwrap_or(0);
            let why = format!(
                "`{}` is the only edge that ends at other messages, or another location, than it begins",
                all[at]
            );
            Err(Misfit::new(
                at,
                why,
                "no edge comes back to the first: add one of program order to others, or write `s` here",
            ))
        }
        (_, [at, ..]) => Err(Misfit::new(
            *at,
            format!("`{}` is between calls about one thing in a cycle of several", all[*at]),
            "a shorter cycle, of that alone, asks what it is about; write `t`, `c` or `d`",
        )),
    }
}

/// Of exchanges alone there is one program, whichever of their parts are named first.
fn exchanged(all: &[Edge]) -> Result<(), Misfit> {
    let order = || all.iter().enumerate().filter(|(_, e)| matches!(e.what, What::Then { .. }));
    let backwards = |e: &Edge| match &e.what {
        What::Then { from, place, .. } => e.is_exchange() && from.is_send() && !place.stays(),
        _ => false,
    };
    match order().next() {
        Some((at, first)) if order().all(|(_, e)| backwards(e)) => Err(Misfit::new(
            at,
            format!("`{first}`: a cycle of exchanges alone is the same from receives to sends"),
            "write, as in `SendrecvdRecvSend`, each receive before its send, and `Rf` between the exchanges",
        )),
        _ => Ok(()),
    }
}

/// A message that stands alone is looked at and not taken by what saw it, and by what did not.
fn looked_for(all: &[Edge]) -> Result<(), Misfit> {
    let n = all.len();
    for i in 0..n {
        let What::Alone(kind) = &all[i].what else { continue };
        if !kind.is_send() {
            continue;
        }
        let ends = [&all[(i + n - 2) % n].what, &all[(i + 2) % n].what];
        let (before, behind) = match ends {
            [What::Then { to, .. }, What::Then { from, .. }] => (to, from),
            _ => continue,
        };
        let looks = |k: &Kind| matches!(k.function.role, Role::Probe { message: false, .. });
        if !looks(behind) || !(looks(before) || before.function.role == Role::Receive) {
            let at = if looks(behind) { (i + n - 2) % n } else { (i + 2) % n };
            let why =
                format!("`{}`: the message of `{kind}` is taken, so that who looks for it later cannot tell", all[at]);
            return Err(Misfit::new(
                at,
                why,
                "what sees the message is a probe, and what does not is a probe or a receive from any source",
            ));
        }
    }
    Ok(())
}
