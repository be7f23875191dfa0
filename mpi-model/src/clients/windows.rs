//! Statements on one window of all ranks, which each rank's `x` is in, and the epochs around them.
//!
//! Which functions of synchronisation a client may call decides what stands around its statements: fences at both ends; locks, posts and
//! starts of its own; else one epoch of locks of all, so that flushes are what synchronises.

use super::calls::Call;
use std::fmt::Write;

/// A statement. The other ranks are its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Win {
    Put {
        to: usize,
    },
    Get {
        from: usize,
    },
    /// Adds one and brings back what was there.
    Add {
        to: usize,
    },
    /// Brings back what is there, as an accumulate.
    NoOp {
        from: usize,
    },
    /// Replaces, as an accumulate.
    Replace {
        to: usize,
    },
    Flush {
        to: usize,
    },
    Fence,
    Lock {
        to: usize,
    },
    Unlock {
        to: usize,
    },
    /// Towards all others, as are those that follow.
    Start,
    Complete,
    Post,
    Wait,
    /// Reads the rank's own window.
    Load,
}

/// What statements are named by, in the order of [`Win`].
pub(super) const FUNCTIONS: &[&str] = &[
    "MPI_Put",
    "MPI_Get",
    "MPI_Fetch_and_op",
    "MPI_Accumulate",
    "MPI_Win_flush",
    "MPI_Win_fence",
    "MPI_Win_lock",
    "MPI_Win_start",
    "load",
];

impl Win {
    /// The statements of a rank.
    pub(super) fn all(rank: usize, ranks: usize) -> Vec<Win> {
        let at = |k: usize| (rank + k) % ranks;
        let others = (1..ranks).flat_map(|k| {
            [
                Win::Put { to: at(k) },
                Win::Get { from: at(k) },
                Win::Add { to: at(k) },
                Win::NoOp { from: at(k) },
                Win::Replace { to: at(k) },
                Win::Flush { to: at(k) },
                Win::Lock { to: at(k) },
                Win::Unlock { to: at(k) },
            ]
        });
        others.chain([Win::Fence, Win::Start, Win::Complete, Win::Post, Win::Wait, Win::Load]).collect()
    }

    /// What it is asked for by: those that end an epoch come with those that begin it.
    pub(super) fn function(self) -> &'static str {
        match self {
            Win::Put { .. } => "MPI_Put",
            Win::Get { .. } => "MPI_Get",
            Win::Add { .. } => "MPI_Fetch_and_op",
            Win::NoOp { .. } | Win::Replace { .. } => "MPI_Accumulate",
            Win::Flush { .. } => "MPI_Win_flush",
            Win::Fence => "MPI_Win_fence",
            Win::Lock { .. } | Win::Unlock { .. } => "MPI_Win_lock",
            Win::Start | Win::Complete | Win::Post | Win::Wait => "MPI_Win_start",
            Win::Load => "load",
        }
    }

    pub(super) fn statement(self) -> String {
        match self {
            Win::Put { to } => format!("MPI_Put({{v}}, target_rank: {to}, win: w)"),
            Win::Get { from } => format!("MPI_Get({{r}}, target_rank: {from}, win: w)"),
            Win::Add { to } => format!("MPI_Fetch_and_op(1, {{r}}, target_rank: {to}, win: w)"),
            Win::NoOp { from } => format!("MPI_Fetch_and_op(0, {{r}}, target_rank: {from}, op: MPI_NO_OP, win: w)"),
            Win::Replace { to } => format!("MPI_Accumulate({{v}}, target_rank: {to}, op: MPI_REPLACE, win: w)"),
            Win::Flush { to } => format!("MPI_Win_flush({to}, w)"),
            Win::Fence => "MPI_Win_fence(win: w)".to_owned(),
            Win::Lock { to } => format!("MPI_Win_lock(MPI_LOCK_EXCLUSIVE, {to}, 0, w)"),
            Win::Unlock { to } => format!("MPI_Win_unlock({to}, w)"),
            Win::Start => "MPI_Win_start(h, win: w)".to_owned(),
            Win::Complete => "MPI_Win_complete(w)".to_owned(),
            Win::Post => "MPI_Win_post(h, win: w)".to_owned(),
            Win::Wait => "MPI_Win_wait(w)".to_owned(),
            Win::Load => "{s} := x".to_owned(),
        }
    }

    /// The same with ranks renamed.
    pub(super) fn by_ranks(self, name: &[usize]) -> Win {
        match self {
            Win::Put { to } => Win::Put { to: name[to] },
            Win::Get { from } => Win::Get { from: name[from] },
            Win::Add { to } => Win::Add { to: name[to] },
            Win::NoOp { from } => Win::NoOp { from: name[from] },
            Win::Replace { to } => Win::Replace { to: name[to] },
            Win::Flush { to } => Win::Flush { to: name[to] },
            Win::Lock { to } => Win::Lock { to: name[to] },
            Win::Unlock { to } => Win::Unlock { to: name[to] },
            Win::Fence | Win::Start | Win::Complete | Win::Post | Win::Wait | Win::Load => self,
        }
    }

    fn target(self) -> Option<usize> {
        match self {
            Win::Put { to } | Win::Add { to } | Win::Replace { to } => Some(to),
            Win::Get { from } | Win::NoOp { from } => Some(from),
            _ => None,
        }
    }

    /// Whether it does something after these: a flush completes something, an end has its beginning.
    pub(super) fn may_follow(self, before: &[Call]) -> bool {
        let wins = || before.iter().rev().filter_map(|c| if let Call::Win(w) = c { Some(*w) } else { None });
        let last = |of: &[Win]| wins().find(|w| of.contains(w));
        match self {
            Win::Flush { to } => {
                let since = wins().take_while(|w| *w != self);
                since.into_iter().any(|w| w.target() == Some(to))
            }
            Win::Lock { to } => last(&[self, Win::Unlock { to }]) != Some(self),
            Win::Unlock { to } => last(&[self, Win::Lock { to }]) == Some(Win::Lock { to }),
            Win::Start => last(&[self, Win::Complete]) != Some(self),
            Win::Complete => last(&[self, Win::Start]) == Some(Win::Start),
            Win::Post => last(&[self, Win::Wait]) != Some(self),
            Win::Wait => last(&[self, Win::Post]) == Some(Win::Post),
            _ => true,
        }
    }
}

/// Whether epochs that begin end, and those of two ranks meet.
pub(super) fn is_matched(client: &[Vec<Call>]) -> bool {
    let count = |b: &[Call], of: &dyn Fn(Win) -> bool| {
        b.iter().filter(|c| if let Call::Win(w) = c { of(*w) } else { false }).count()
    };
    let even = |b: &Vec<Call>| {
        count(b, &|w| matches!(w, Win::Lock { .. })) == count(b, &|w| matches!(w, Win::Unlock { .. }))
            && count(b, &|w| w == Win::Start) == count(b, &|w| w == Win::Complete)
            && count(b, &|w| w == Win::Post) == count(b, &|w| w == Win::Wait)
    };
    let starts: Vec<usize> = client.iter().map(|b| count(b, &|w| w == Win::Start)).collect();
    let posts: Vec<usize> = client.iter().map(|b| count(b, &|w| w == Win::Post)).collect();
    // Each start is towards all others.
    let met = (0..client.len()).all(|p| (0..client.len()).all(|q| p == q || starts[p] == posts[q]));
    client.iter().all(even) && met
}

/// What stands around the statements of each rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Epochs {
    Fences,
    Own { groups: bool },
    LockAll,
}

impl Epochs {
    /// Those of clients that may have these statements; none, if there are none.
    pub(super) fn of(statements: impl Iterator<Item = Win>) -> Option<Epochs> {
        let all: Vec<Win> = statements.collect();
        let has = |of: &dyn Fn(&Win) -> bool| all.iter().any(of);
        if all.is_empty() {
            None
        } else if has(&|w| *w == Win::Fence) {
            Some(Epochs::Fences)
        } else if has(&|w| matches!(w, Win::Lock { .. } | Win::Start)) {
            Some(Epochs::Own { groups: has(&|w| *w == Win::Start) })
        } else {
            Some(Epochs::LockAll)
        }
    }

    /// What a rank does first.
    pub(super) fn begin(self, rank: usize, ranks: usize) -> String {
        let mut out = format!("  int x = {}\n  MPI_Win_create(x, win: w)\n", rank * 10 + 8);
        match self {
            Epochs::Fences => out.push_str("  MPI_Win_fence(win: w)\n"),
            Epochs::Own { groups: true } => {
                let others: Vec<String> = (0..ranks).filter(|r| *r != rank).map(|r| r.to_string()).collect();
                let others = others.join(", ");
                let _ =
                    write!(out, "  MPI_Comm_group(group: g)\n  MPI_Group_incl(g, ranks: [{others}], newgroup: h)\n");
            }
            Epochs::Own { groups: false } => {}
            Epochs::LockAll => out.push_str("  MPI_Win_lock_all(MPI_MODE_NOCHECK, w)\n"),
        }
        out
    }

    /// And last.
    pub(super) fn end(self) -> &'static str {
        match self {
            Epochs::Fences => "  MPI_Win_fence(MPI_MODE_NOSUCCEED, w)\n  MPI_Win_free(w)\n",
            Epochs::Own { .. } => "  MPI_Win_free(w)\n",
            Epochs::LockAll => "  MPI_Win_unlock_all(w)\n  MPI_Win_free(w)\n",
        }
    }
}

/// Results that are on their way, by the places of their statements.
#[derive(Debug, Default)]
pub(super) struct Reads(Vec<usize>);

impl Reads {
    /// Whether a statement brings something later.
    pub(super) fn begins(&mut self, statement: &str, at: usize) -> bool {
        let begins = ["MPI_Get(", "MPI_Fetch_and_op("].iter().any(|f| statement.starts_with(f));
        if begins {
            self.0.push(at);
        }
        begins
    }

    /// What is here when a statement has returned.
    pub(super) fn complete(&mut self, statement: &str) -> Vec<usize> {
        let ends = ["MPI_Win_flush(", "MPI_Win_fence(", "MPI_Win_unlock(", "MPI_Win_complete("];
        if ends.iter().any(|f| statement.starts_with(f)) { std::mem::take(&mut self.0) } else { vec![] }
    }
}
