//! What a function is to a cycle, by its declaration: whatever sends, receives, probes, completes requests, is a collective or accesses a window
//! is an event of cycles without a line about it. What Rust knows by name is what no declaration says: which calls begin and end the epochs of a window, and that
//! what is called a wait waits.

use crate::generate::{Windows, collectives_of, is_call};
use litmpi_spec::decl::{Instruction, Instructions, Param, Shape};
use std::sync::Arc;

/// A call that begins or ends an epoch of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    /// `MPI_Win_fence`.
    Fence,
    /// `MPI_Win_start`.
    Start,
    /// `MPI_Win_complete`.
    Complete,
    /// `MPI_Win_post`.
    Post,
    /// `MPI_Win_wait`.
    Wait,
    /// What says by a flag whether that would return.
    Test,
}

/// What a function is to a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// It sends a message.
    Send,
    /// It receives one.
    Receive,
    /// It sends a message and receives one, at once.
    Exchange,
    /// It looks for a message.
    Probe {
        /// Whether it says that there is none, rather than wait.
        flag: bool,
        /// Whether it takes the message away, to be received by its handle.
        message: bool,
    },
    /// It completes a request.
    Completion {
        /// The parameter that says whether it has; none of what waits.
        told: Option<String>,
    },
    /// All ranks of a communicator call it.
    Collective {
        /// Whether one of them is the root.
        root: bool,
    },
    /// It accesses a target's window; or a rank loads or stores its own.
    Access {
        /// Whether what is there comes back.
        reads: bool,
        /// Whether it changes what is there.
        writes: bool,
        /// Whether it is given an operation to combine with.
        combines: bool,
    },
    /// It synchronises a window within an epoch, towards a rank or altogether.
    Within {
        /// Whether it names a rank.
        rank: bool,
    },
    /// It ends the epoch of a lock.
    Unlock,
    /// It begins or ends an epoch of other kinds.
    Epoch(Epoch),
}

/// A function, or a load or store.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name without `MPI_`.
    pub name: String,
    /// Its place in the declarations; none of loads and stores.
    pub index: Option<usize>,
    /// What it is.
    pub role: Role,
    /// Whether it gives a request.
    pub request: bool,
}

impl Function {
    /// Whether the request is made once and started where the event is.
    pub fn is_persistent(&self) -> bool {
        self.request && self.name.ends_with("_init")
    }

    /// Whether it is a load or a store.
    pub fn is_local(&self) -> bool {
        self.index.is_none()
    }
}

/// The functions of cycles, in the order of their declarations, loads and stores before them.
pub fn known(decls: &Instructions) -> Vec<Arc<Function>> {
    let access = |reads, writes| Role::Access { reads, writes, combines: false };
    let local = |name: &str, role| Arc::new(Function { name: name.to_owned(), index: None, role, request: false });
    let mut out = vec![local("Load", access(true, false)), local("Store", access(false, true))];
    let roles = Roles::new(decls);
    for (index, i) in decls.list.iter().enumerate() {
        let Some(role) = roles.of(i) else { continue };
        let request = roles.gives_request(i) && !matches!(role, Role::Completion { .. });
        let name = i.name.trim_start_matches("MPI_").to_owned();
        out.push(Arc::new(Function { name, index: Some(index), role, request }));
    }
    out
}

struct Roles<'d> {
    decls: &'d Instructions,
    windows: Windows<'d>,
    collectives: Vec<&'d str>,
}

impl<'d> Roles<'d> {
    fn new(decls: &'d Instructions) -> Roles<'d> {
        let collectives = collectives_of(decls, true).into_iter().map(|i| decls.list[i].name.as_str()).collect();
        Roles { decls, windows: Windows::new(decls), collectives }
    }

    fn kind(&self, p: &Param) -> &'d str {
        &self.decls.kinds[p.kind].name
    }

    fn gives_request(&self, i: &Instruction) -> bool {
        i.params.iter().any(|p| self.kind(p) == "request")
    }

    fn of(&self, i: &Instruction) -> Option<Role> {
        if !is_call(i) {
            return None;
        }
        let epoch = match i.name.as_str() {
            "MPI_Win_fence" => Some(Role::Epoch(Epoch::Fence)),
            "MPI_Win_start" => Some(Role::Epoch(Epoch::Start)),
            "MPI_Win_complete" => Some(Role::Epoch(Epoch::Complete)),
            "MPI_Win_post" => Some(Role::Epoch(Epoch::Post)),
            "MPI_Win_wait" => Some(Role::Epoch(Epoch::Wait)),
            "MPI_Win_unlock" => Some(Role::Unlock),
            _ if self.asks_of_window(i) => Some(Role::Epoch(Epoch::Test)),
            _ => None,
        };
        epoch.or_else(|| self.on_windows(i)).or_else(|| self.of_messages(i))
    }

    /// Whether all that is said and asked is a window and a flag.
    fn asks_of_window(&self, i: &Instruction) -> bool {
        i.params.len() == 2 && ["win", "flag"].iter().all(|kind| i.params.iter().any(|p| self.kind(p) == *kind))
    }

    fn on_windows(&self, i: &Instruction) -> Option<Role> {
        let is = |all: &[&Instruction]| all.iter().any(|other| other.name == i.name);
        if is(&self.windows.within) {
            return Some(Role::Within { rank: i.params.iter().any(|p| self.kind(p) == "rank") });
        }
        is(&self.windows.operations).then(|| {
            let buffers = || i.params.iter().map(|p| self.decls.kind(p)).filter(|k| is_buffer(&k.shape));
            let combines = i.params.iter().any(|p| self.kind(p) == "update");
            Role::Access { reads: buffers().any(|k| !k.is_in), writes: buffers().any(|k| k.is_in), combines }
        })
    }

    fn of_messages(&self, i: &Instruction) -> Option<Role> {
        if self.collectives.contains(&i.name.as_str()) {
            return Some(Role::Collective { root: i.params.iter().any(|p| self.kind(p) == "root") });
        }
        let only = |kinds: &[&str]| i.params.iter().all(|p| kinds.contains(&self.kind(p)));
        let has = |kind: &str| i.params.iter().filter(|p| self.kind(p) == kind).count();
        let buffer = i.params.iter().find(|p| is_buffer(&self.decls.kind(p).shape));
        let message =
            ["sent", "buffer", "count", "datatype", "rank", "tag", "comm", "request", "status", "flag", "message"];
        if only(&message) && has("rank") == 1 && has("tag") == 1 {
            return match buffer {
                Some(b) if self.decls.kind(b).is_in => Some(Role::Send),
                Some(_) => Some(Role::Receive),
                None => Some(Role::Probe { flag: has("flag") > 0, message: has("message") > 0 }),
            };
        }
        if only(&message) && has("rank") == 2 && has("tag") == 2 && buffer.is_some() {
            return Some(Role::Exchange);
        }
        if !only(&["request", "status", "flag", "index"]) || has("request") != 1 || has("status") != 1 {
            return None;
        }
        let number = i.params.iter().find(|p| self.kind(p) == "flag").or_else(|| {
            i.params.iter().find(|p| !i.name.starts_with("MPI_Wait") && self.kind(p) == "index" && !p.list)
        });
        Some(Role::Completion { told: number.map(|p| p.name.clone()) })
    }
}

/// Whether a parameter of an exchange says which message is received.
pub(super) fn is_received(p: &Param) -> bool {
    matches!(p.name.as_str(), "source" | "recvtag")
}

fn is_buffer(shape: &Shape) -> bool {
    matches!(shape, Shape::Local | Shape::LocalOrNone)
}

/// A call with these arguments, by the names of the parameters; those for which there is none are left out.
pub(super) fn call(i: &Instruction, decls: &Instructions, text: impl Fn(&Param, &str) -> Option<String>) -> String {
    let arguments = i.params.iter().filter_map(|p| {
        let text = text(p, decls.kinds[p.kind].name.as_str())?;
        Some(format!("{}: {}", p.name, if p.list && !text.starts_with('[') { format!("[{text}]") } else { text }))
    });
    format!("{}({})", i.name, arguments.collect::<Vec<_>>().join(", "))
}
