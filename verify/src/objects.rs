//! What a buffer lies in: a variable of the program, by its symbols, or a block that it has from the C library (`verify/c/blocks.c`).
//!
//! On a stack it is a variable of a function ([`crate::frames`]).
//!
//! Limits: nothing is known of variables of a program without symbols or of libraries, of blocks that the program's own
//! allocator cuts, of memory mapped by itself, and of blocks where there are more than the library has room for. A part of a variable or of a
//! block (a member, a row) is not told from the whole.

use crate::rank::Process;
use crate::sites::base;
use object::{Object as _, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A variable or a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    /// Where it lies.
    pub(crate) at: Range<u64>,
    /// Whether it is a block, and was given back.
    pub(crate) is_freed: bool,
    pub(crate) is_block: bool,
    /// Whether it is on a stack.
    pub(crate) is_local: bool,
}

impl Object {
    /// What it is, in a sentence.
    pub(crate) fn kind(&self) -> &'static str {
        if self.is_block { "the block of memory" } else { "the variable" }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.at.end - self.at.start
    }
}

/// Words before the blocks: the highest block of the tree, and whether some are not in it.
const HEAD: u64 = 16;
/// Bytes of a block's entry.
const ENTRY: u64 = 40;
/// A tree that is deeper is being changed.
const DEPTH: usize = 400;

/// Where the variables of programs lie, in order, by the program.
type Variables = HashMap<PathBuf, Arc<Vec<Range<u64>>>>;
static VARIABLES: LazyLock<Mutex<Variables>> = LazyLock::new(Mutex::default);

/// Variables of a program with symbols. Those that lie over each other, under several names, are one.
fn variables(program: &Path) -> Arc<Vec<Range<u64>>> {
    let mut known = VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(all) = known.get(program) {
        return Arc::clone(all);
    }
    let bytes = std::fs::read(program).unwrap_or_default();
    let mut all: Vec<Range<u64>> = vec![];
    if let Ok(file) = object::File::parse(&*bytes) {
        let from = base(&file);
        let data = file.symbols().filter(|s| s.kind() == SymbolKind::Data && s.is_definition() && s.size() > 0);
        all.extend(data.map(|s| from + s.address()..from + s.address() + s.size()));
    }
    all.sort_unstable_by_key(|r| (r.start, r.end));
    all.dedup_by(|next, one| {
        let is_over = next.start < one.end;
        one.end = if is_over { one.end.max(next.end) } else { one.end };
        is_over
    });
    let all = Arc::new(all);
    known.insert(program.to_owned(), Arc::clone(&all));
    all
}

impl Process {
    /// The variable or the block that an address is in, if it is known.
    pub(crate) fn object(&self, at: u64) -> Option<Object> {
        let local = |at| Object { at, is_freed: false, is_block: false, is_local: true };
        self.block(at).map(|(block, _)| block).or_else(|| self.local(at).map(local)).or_else(|| {
            let all = variables(&self.program);
            let last = all.partition_point(|r| r.start <= at).checked_sub(1)?;
            let at = Some(&all[last]).filter(|r| r.contains(&at))?.clone();
            Some(Object { at, is_freed: false, is_block: false, is_local: false })
        })
    }

    /// How many calls of MPI there were when the program got the block that an address is in.
    pub(crate) fn born(&self, at: u64) -> Option<u64> {
        self.block(at).map(|(_, born)| born)
    }

    /// The block that an address is in, and when the program got it; none is known where some are not in the tree.
    fn block(&self, at: u64) -> Option<(Object, u64)> {
        let [mut tree, lost] = self.words(self.blocks.start, 2)[..] else { return None };
        if lost != 0 {
            return None;
        }
        for _ in 0..DEPTH {
            let place = self.blocks.start + HEAD + tree * ENTRY;
            if tree == 0 || place >= self.blocks.end {
                return None;
            }
            let [from, bytes, sides, is_freed, born] = self.words(place, 5)[..] else { return None };
            if (from..from.saturating_add(bytes)).contains(&at) {
                return Some((
                    Object { at: from..from + bytes, is_freed: is_freed != 0, is_block: true, is_local: false },
                    born,
                ));
            }
            tree = if at < from { sides & u64::from(u32::MAX) } else { sides >> 32 };
        }
        None
    }
}
