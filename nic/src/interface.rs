//! What a device asks of the specification that it runs: names, and what stands behind them. This list is all that the engine
//! knows of a specification; it is held against one before the first program is served.
//!
//! A work request becomes one of the instructions, by its opcode (`spec/verbs/instructions.spec` says which), behind
//! `rfence` if it has `IBV_SEND_FENCE`. Memory, the states of the ends of queue pairs and queues of receives are shared by
//! queue pairs, so the engine keeps those state variables for all of them. Some rules it knows by name: those that most programs do not
//! live with, by which a message of an unreliable service is lost, or comes twice; those that come after a time that programs say; those
//! by which a message takes a receive; and the one by which keys change.

use litmpi_spec::decl::Shape;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Span;
use litmpi_spec::types::{Sort, Ty};

/// An instruction: what its parameters are called, and what they are.
struct Call(&'static str, &'static [(&'static str, Kind)]);

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Local,
    Remote,
    Node,
    Int,
    Register,
}

use Kind::{Int, Local, Node, Register, Remote};

const CALLS: [Call; 29] = [
    Call("get", &[("x", Local), ("y", Remote)]),
    Call("put", &[("y", Remote), ("x", Local)]),
    Call("put_imm", &[("y", Remote), ("v", Int)]),
    Call("rfaa", &[("x", Local), ("y", Remote), ("v", Int)]),
    Call("rcswap", &[("x", Local), ("y", Remote), ("old", Int), ("new", Int)]),
    Call("rfence", &[("n", Node)]),
    Call("send", &[("n", Node), ("x", Local), ("imm", Int), ("len", Int)]),
    Call("send_value", &[("n", Node), ("v", Int), ("imm", Int), ("len", Int)]),
    Call("write_with_imm", &[("y", Remote), ("x", Local), ("imm", Int), ("len", Int)]),
    Call("write_value_with_imm", &[("y", Remote), ("v", Int), ("imm", Int), ("len", Int)]),
    Call("fail", &[("n", Node), ("status", Int), ("remote", Int)]),
    Call("post_recv", &[("thread", Int), ("x", Local), ("room", Int), ("id", Int)]),
    Call("post_srq_recv", &[("x", Local), ("room", Int), ("id", Int)]),
    Call("poll_cq", &[("n", Node), ("status", Register)]),
    Call("poll_recv", &[("thread", Int), ("status", Register), ("imm", Register), ("id", Register), ("len", Register)]),
    Call("modify_qp", &[("n", Node), ("to", Int)]),
    Call("await_drained", &[("n", Node)]),
    Call("modify_recv_qp", &[("thread", Int), ("to", Int)]),
    Call("unreliable", &[("n", Node)]),
    Call("bind_window", &[("n", Node)]),
    Call("rnr_retry", &[("n", Node), ("times", Int)]),
    Call("ud_send", &[("thread", Int), ("x", Local), ("imm", Int), ("len", Int)]),
    Call("ud_send_value", &[("thread", Int), ("v", Int), ("imm", Int), ("len", Int)]),
    Call("ud_fail", &[("status", Int)]),
    Call("ud_post_recv", &[("x", Local), ("room", Int), ("id", Int)]),
    Call("ud_poll", &[("status", Register)]),
    Call("ud_poll_recv", &[("status", Register), ("imm", Register), ("id", Register), ("len", Register)]),
    Call("ud_modify_qp", &[("to", Int)]),
    Call("ud_await_drained", &[]),
];

/// A state variable that the engine keeps: its indices, and whether it holds a number, a truth value or a sequence.
struct Kept(&'static str, &'static [Sort], Holds);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Number,
    Truth,
    Sequence,
}

const STATE: [Kept; 9] = [
    Kept(MEMORY, &[Sort::Loc], Holds::Number),
    Kept(BUSY, &[Sort::Loc], Holds::Truth),
    Kept(NEAR, &[Sort::Thread, Sort::Node], Holds::Number),
    Kept(FAR, &[Sort::Thread, Sort::Node], Holds::Number),
    Kept(RECEIVES, &[Sort::Thread, Sort::Node], Holds::Sequence),
    Kept(SHARED, &[Sort::Node], Holds::Sequence),
    Kept(SHARES, &[Sort::Node], Holds::Truth),
    Kept(UD_STATE, &[Sort::Thread], Holds::Number),
    Kept(UD_RECEIVES, &[Sort::Thread], Holds::Sequence),
];

/// Rules that a device takes only when it is asked for, or has no choice: those by which an unreliable network loses a datagram,
/// and delivers it twice.
pub(crate) const LOSE: &str = "datagram/lose";
pub(crate) const DROP: &str = "thrown/lose";
/// Keys of the asking process change by this one.
pub(crate) const CHANGE: &str = "window/change";
pub(crate) const DOUBLE: &str = "datagram/double";
/// Rules that a device takes when a program's timers have run out: a request that nobody hears, and a message that finds no receive.
pub(crate) const EXCEEDED: &str = "retry/exceeded";
pub(crate) const NOT_READY: &str = "message/not-ready";
/// By these a message takes a receive.
pub(crate) const PLACES: [&str; 2] = ["message/place", "message/place-shared"];

/// By this one, what an atomic operation writes reaches memory.
pub(crate) const ATOMIC: &str = "rmw/commit";

/// What these are about: two threads, or an end of a queue pair.
const PAIR: &str = "(t: Thread, s: Thread)";
const END: &str = "(t: Thread, n: Node)";

/// One value a location.
pub(crate) const MEMORY: &str = "M";
/// Which locations an atomic operation has read and not written yet.
pub(crate) const BUSY: &str = "busy";
/// The state of a queue pair, as its own rules see it, and as those of the other end do.
pub(crate) const NEAR: &str = "near";
pub(crate) const FAR: &str = "far";
/// The receives of a queue pair, those of a queue that queue pairs share, and which a queue pair has.
pub(crate) const RECEIVES: &str = "receives";
pub(crate) const SHARED: &str = "shared";
pub(crate) const SHARES: &str = "shares";
/// Of a queue pair for datagrams: its state, and its receives.
pub(crate) const UD_STATE: &str = "ud_state";
pub(crate) const UD_RECEIVES: &str = "ud_receives";

/// Whether the engine keeps a state variable.
pub(crate) fn keeps(var: &str) -> bool {
    kept(var).is_some()
}

/// The name of a state variable that the engine keeps.
pub(crate) fn kept(var: &str) -> Option<&'static str> {
    STATE.iter().find(|Kept(name, ..)| *name == var).map(|Kept(name, ..)| *name)
}

/// Holds a specification against the list.
///
/// # Errors
/// Everything that it does not have, or has otherwise.
pub(crate) fn check(spec: &Spec) -> Result<(), Report> {
    let mut report = Report::default();
    let header = spec.files.last().map(|f| Span::new(f, 0, f.text.find('\n').unwrap_or(f.text.len())));
    let missing = |what: String, help: String| {
        let message = format!("the model {} has no {what}", spec.name);
        let d = header.as_ref().map_or_else(
            || Diagnostic::general(&message),
            |at| Diagnostic::at(at, &message).found("a device cannot run this model"),
        );
        d.help(format!("a device runs `verbs`, or a model built on it; there: {help}"))
    };
    for Call(name, params) in &CALLS {
        let text: Vec<String> = params.iter().map(|(p, k)| format!("{p}: {}", word(*k))).collect();
        let wanted = format!("instruction {name} ({})", text.join(", "));
        let Some(at) = spec.instructions.find(name) else {
            report.0.push(missing(format!("instruction `{name}`"), wanted));
            continue;
        };
        let found = &spec.instructions.list[at];
        let kind = |p| kind(&spec.instructions.kind(p).shape);
        let same = found.params.len() == params.len()
            && found.params.iter().zip(*params).all(|(f, (name, k))| f.name == *name && kind(f) == Some(*k));
        if !same {
            let d = Diagnostic::at(&found.span, format!("a device calls `{name}` with other arguments"));
            report.0.push(d.found("declared here").help(format!("it expects {wanted}")));
        }
    }
    for Kept(name, index, holds) in &STATE {
        let indices: String = index.iter().map(|s| format!("[{}]", s.name())).collect();
        let wanted = format!("state {name}{indices}: {}", holds.word());
        let Some(found) = spec.state.iter().find(|v| v.name == *name) else {
            report.0.push(missing(format!("state variable `{name}`"), wanted));
            continue;
        };
        if found.index != *index || Holds::of(&found.ty) != Some(*holds) {
            let d = Diagnostic::at(&found.span, format!("a device keeps `{name}` in another form"));
            report.0.push(d.found("declared here").help(format!("it expects {wanted}")));
        }
    }
    for (name, params) in [
        (LOSE, PAIR),
        (DOUBLE, PAIR),
        (EXCEEDED, END),
        (NOT_READY, END),
        (DROP, END),
        (CHANGE, END),
        (PLACES[0], END),
        (PLACES[1], END),
        (ATOMIC, END),
    ] {
        if !spec.rules.iter().any(|r| r.name == name) {
            report.0.push(missing(format!("rule `{name}`"), format!("rule {name} {params}")));
        }
    }
    report.into_result()
}

fn kind(shape: &Shape) -> Option<Kind> {
    match shape {
        Shape::Local => Some(Local),
        Shape::Remote => Some(Remote),
        Shape::Node => Some(Node),
        Shape::Int => Some(Int),
        Shape::Register(ty) if ty == "Int" => Some(Register),
        _ => None,
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Local => "local",
        Remote => "remote",
        Node => "node",
        Int => "Int",
        Register => "register Int",
    }
}

impl Holds {
    fn of(ty: &Ty) -> Option<Holds> {
        match ty {
            Ty::Int => Some(Holds::Number),
            Ty::Bool => Some(Holds::Truth),
            Ty::Seq(_) | Ty::Set(_) | Ty::Map(_) => Some(Holds::Sequence),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Holds::Number => "Int",
            Holds::Truth => "Bool",
            Holds::Sequence => "a sequence, a set or a map",
        }
    }
}
