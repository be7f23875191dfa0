//! The statements that clients are made of.

use super::windows::Win;

/// A statement of a client. Ranks are numbers; tags and requests are, too, tag 0 and request 0 the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// A value of its own is sent.
    SendValue {
        to: usize,
        tag: usize,
    },
    /// The rank's buffer is sent.
    Send {
        to: usize,
        tag: usize,
    },
    /// A receive; its buffer is read.
    Recv {
        from: Option<usize>,
        tag: usize,
    },
    /// A store to the rank's buffer.
    Write,
    Isend {
        to: usize,
        tag: usize,
        request: usize,
    },
    Irecv {
        from: Option<usize>,
        tag: usize,
        request: usize,
    },
    Wait {
        request: usize,
    },
    Barrier,
    /// The root's buffer goes to all; the others read what they have got.
    Bcast {
        root: usize,
    },
    /// On a window of all, which each rank's `x` is in.
    Win(Win),
}

/// The statements of a rank.
pub(super) fn calls(rank: usize, ranks: usize, names: usize) -> Vec<Call> {
    let mut all = vec![];
    for tag in 0..names {
        let others = (1..ranks).map(|k| (rank + k) % ranks);
        for m in others {
            all.extend([Call::SendValue { to: m, tag }, Call::Send { to: m, tag }, Call::Recv { from: Some(m), tag }]);
            all.extend((0..names).flat_map(|request| {
                [Call::Isend { to: m, tag, request }, Call::Irecv { from: Some(m), tag, request }]
            }));
        }
        // With two ranks, every message comes from the other one: that it may be any is looked at with its receive.
        all.push(Call::Recv { from: None, tag });
    }
    all.extend((0..names).map(|request| Call::Wait { request }));
    all.extend([Call::Write, Call::Barrier]);
    all.extend((0..ranks).map(|root| Call::Bcast { root }));
    all.extend(Win::all(rank, ranks).into_iter().map(Call::Win));
    all
}

/// Whether a statement does something after these.
pub(super) fn may_follow(before: &[Call], call: Call) -> bool {
    match call {
        Call::Wait { request } => {
            let last = before.iter().rev().find(|c| c.request() == Some(request));
            matches!(last, Some(Call::Isend { .. } | Call::Irecv { .. }))
        }
        Call::Win(win) => win.may_follow(before),
        _ => true,
    }
}

impl Call {
    pub(super) fn request(self) -> Option<usize> {
        match self {
            Call::Isend { request, .. } | Call::Irecv { request, .. } | Call::Wait { request } => Some(request),
            _ => None,
        }
    }

    pub(super) fn sends_buffer(self, rank: usize) -> bool {
        match self {
            Call::Send { .. } | Call::Isend { .. } => true,
            Call::Bcast { root } => root == rank,
            _ => false,
        }
    }

    pub(super) fn function(self) -> &'static str {
        match self {
            Call::SendValue { .. } | Call::Send { .. } => "MPI_Send",
            Call::Recv { .. } => "MPI_Recv",
            Call::Write => "write",
            Call::Isend { .. } => "MPI_Isend",
            Call::Irecv { .. } => "MPI_Irecv",
            Call::Wait { .. } => "MPI_Wait",
            Call::Barrier => "MPI_Barrier",
            Call::Bcast { .. } => "MPI_Bcast",
            Call::Win(win) => win.function(),
        }
    }

    /// The statement of a rank; tags are said where there are several.
    pub(super) fn statement(self, rank: usize, names: usize) -> String {
        let with = |t: usize| if names > 1 { format!(", tag: {t}") } else { String::new() };
        let source = |from: Option<usize>| from.map_or("any".to_owned(), |f| f.to_string());
        match self {
            Call::SendValue { to, tag } => format!("MPI_Send({{v}}, dest: {to}{})", with(tag)),
            Call::Send { to, tag } => format!("MPI_Send(b, dest: {to}{})", with(tag)),
            Call::Recv { from, tag } => format!("MPI_Recv({{r}}, source: {}{})", source(from), with(tag)),
            Call::Write => "b := {v}".to_owned(),
            Call::Isend { to, tag, request } => {
                format!("MPI_Isend(b, dest: {to}{}, request: {{q.{}}})", with(tag), request + 1)
            }
            Call::Irecv { from, tag, request } => {
                format!("MPI_Irecv({{r}}, source: {}{}, request: {{q.{}}})", source(from), with(tag), request + 1)
            }
            Call::Wait { request } => format!("MPI_Wait({{q.{}}})", request + 1),
            Call::Barrier => "MPI_Barrier()".to_owned(),
            Call::Bcast { root } if root == rank => format!("MPI_Bcast(b, root: {root})"),
            Call::Bcast { root } => format!("MPI_Bcast({{r}}, root: {root})"),
            Call::Win(win) => win.statement(),
        }
    }

    /// The same with ranks renamed.
    pub(super) fn by_ranks(self, name: &[usize]) -> Call {
        let from = |f: Option<usize>| f.map(|f| name[f]);
        match self {
            Call::SendValue { to, tag } => Call::SendValue { to: name[to], tag },
            Call::Send { to, tag } => Call::Send { to: name[to], tag },
            Call::Recv { from: f, tag } => Call::Recv { from: from(f), tag },
            Call::Isend { to, tag, request } => Call::Isend { to: name[to], tag, request },
            Call::Irecv { from: f, tag, request } => Call::Irecv { from: from(f), tag, request },
            Call::Bcast { root } => Call::Bcast { root: name[root] },
            Call::Win(win) => Call::Win(win.by_ranks(name)),
            Call::Wait { .. } | Call::Write | Call::Barrier => self,
        }
    }

    /// The same with its tag and its request numbered in the order of first use: tags of all ranks, requests of one.
    pub(super) fn by_use(mut self, tags: &mut Vec<usize>, requests: &mut Vec<usize>) -> Call {
        let number = |used: &mut Vec<usize>, n: usize| {
            used.iter().position(|u| *u == n).unwrap_or_else(|| {
                used.push(n);
                used.len() - 1
            })
        };
        if let Call::SendValue { tag, .. }
        | Call::Send { tag, .. }
        | Call::Recv { tag, .. }
        | Call::Isend { tag, .. }
        | Call::Irecv { tag, .. } = &mut self
        {
            *tag = number(tags, *tag);
        }
        if let Call::Isend { request, .. } | Call::Irecv { request, .. } | Call::Wait { request } = &mut self {
            *request = number(requests, *request);
        }
        self
    }
}
