//! What generated tests see of their harness, which is the C program's own (`harness/`): nodes, iterations, connections,
//! delays, deadlocks and outcomes are the same in both languages. Requests are posted and completions taken here, by the
//! crate of [`binding`].

mod binding;
mod body;
pub mod datagrams;
pub mod messages;
pub mod verbs;

use self::body::with_arguments;
pub use self::body::*;

use std::ffi::{CStr, c_char, c_int};

/// One node of a test, as the harness reads it.
#[repr(C)]
pub struct Node {
    number: c_int,
    initial: *const c_int,
    blocks: c_int,
}

/// One thread of a test, as the harness reads it.
#[repr(C)]
pub struct Thread {
    number: c_int,
    node: c_int,
    body: extern "C" fn(),
}

/// Where an observable lives: a location of a node, or (block -1) a register, which its thread reports.
#[repr(C)]
pub struct Observable {
    node: c_int,
    block: c_int,
}

/// A test, as the harness reads it.
#[repr(C)]
pub struct Test {
    name: *const c_char,
    file: *const c_char,
    nodes: c_int,
    node: *const Node,
    threads: c_int,
    thread: *const Thread,
    observed: c_int,
    observable: *const Observable,
    uses: *const c_char,
}

// SAFETY: what they point to is never written.
unsafe impl Sync for Node {}
// SAFETY: as above.
unsafe impl Sync for Test {}

impl Node {
    /// A node, and the initial value of each of its locations.
    pub const fn new(number: c_int, initial: &'static [c_int]) -> Node {
        Node { number, initial: initial.as_ptr(), blocks: initial.len() as c_int }
    }
}

impl Thread {
    /// A thread of a node, by the node's index.
    pub const fn new(number: c_int, node: c_int, body: extern "C" fn()) -> Thread {
        Thread { number, node, body }
    }
}

impl Observable {
    /// A location of a node.
    pub const fn new(node: c_int, block: c_int) -> Observable {
        Observable { node, block }
    }
}

impl Test {
    /// A test by its name and the name of its file; names of its instructions, each behind a space.
    pub const fn new(
        name: &'static CStr,
        file: &'static CStr,
        nodes: &'static [Node],
        threads: &'static [Thread],
        observables: &'static [Observable],
        uses: &'static CStr,
    ) -> Test {
        Test {
            name: name.as_ptr(),
            file: file.as_ptr(),
            nodes: nodes.len() as c_int,
            node: nodes.as_ptr(),
            threads: threads.len() as c_int,
            thread: threads.as_ptr(),
            observed: observables.len() as c_int,
            observable: observables.as_ptr(),
            uses: uses.as_ptr(),
        }
    }
}

unsafe extern "C" {
    fn litmpi_location(number: c_int) -> *mut i64;
    fn litmpi_foreign(location: *const i64, word: i64);
    fn litmpi_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
}

/// Runs the tests as the arguments say; see `harness/main.c`.
pub fn main() {
    // SAFETY: the arguments are the program's, and there is no other thread yet.
    std::process::exit(with_arguments(|argc, argv| unsafe { litmpi_main(argc, argv) }));
}

/// Bytes from one location to the next.
const LINE: usize = 64;

/// What stands for 0, as in `harness/litmpi.h`.
const BASE: i64 = 0x17a5c3e92d468b00;

/// The word that a value stands as.
fn word(value: c_int) -> i64 {
    BASE + i64::from(value)
}

/// A location: 64 bits in registered memory, which hold the word of a value.
#[derive(Clone, Copy)]
pub struct Location(*mut i64);

/// The location with this number on the node of the calling thread.
pub fn at(number: usize) -> Location {
    // SAFETY: the test's table says how many there are.
    Location(unsafe { litmpi_location(number as c_int) })
}

/// An instruction of the processor on a location, as in C.
macro_rules! instruction {
    ($($text:literal),+; $($operands:tt)*) => {
        // SAFETY: the location is the test's; others that read or write it do so with instructions like this one.
        unsafe { std::arch::asm!($($text),+, $($operands)*, options(nostack)) }
    };
}

impl Location {
    /// The location this many further.
    pub fn after(self, number: usize) -> Location {
        // SAFETY: elements of an array follow one another.
        Location(unsafe { self.0.byte_add(number * LINE) })
    }

    /// Writes it.
    pub fn store(self, value: c_int) {
        instruction!("mov [{at}], {value}"; at = in(reg) self.0, value = in(reg) word(value));
    }

    /// Reads it.
    pub fn load(self) -> c_int {
        let value: i64;
        instruction!("mov {value}, [{at}]"; at = in(reg) self.0, value = out(reg) value);
        self.value(value)
    }

    /// The value of a word that was here.
    fn value(self, word: i64) -> c_int {
        c_int::try_from(word.wrapping_sub(BASE)).unwrap_or_else(|_| {
            // SAFETY: remembers numbers.
            unsafe { litmpi_foreign(self.0, word) }
            0
        })
    }

    /// Writes `new` if it holds `old`; what it held.
    pub fn cas(self, old: c_int, new: c_int) -> c_int {
        let mut held = word(old);
        instruction!("lock cmpxchg [{at}], {new}";
            at = in(reg) self.0, new = in(reg) word(new), inout("rax") held);
        self.value(held)
    }

    /// Writes it; what it held.
    pub fn exchange(self, value: c_int) -> c_int {
        let mut held = word(value);
        instruction!("xchg [{at}], {held}"; at = in(reg) self.0, held = inout(reg) held);
        self.value(held)
    }

    /// Adds to it; what it held.
    pub fn fetch_add(self, value: c_int) -> c_int {
        let mut held = i64::from(value);
        instruction!("lock xadd [{at}], {held}"; at = in(reg) self.0, held = inout(reg) held);
        self.value(held)
    }

    /// What it held before the bits were masked.
    pub fn fetch_and(self, value: c_int) -> c_int {
        self.fetch(|old| old & value)
    }

    /// What it held before the bits were set.
    pub fn fetch_or(self, value: c_int) -> c_int {
        self.fetch(|old| old | value)
    }

    /// What it held before the bits were flipped.
    pub fn fetch_xor(self, value: c_int) -> c_int {
        self.fetch(|old| old ^ value)
    }

    /// The processor has no instruction that gives the old value of these.
    fn fetch(self, new: impl Fn(c_int) -> c_int) -> c_int {
        loop {
            let old = self.load();
            if self.cas(old, new(old)) == old {
                return old;
            }
        }
    }
}

/// Runs a body.
pub fn run(body: impl FnOnce() -> Result<(), Ended>) {
    // Why it ended, the harness knows.
    let _ = body();
}
