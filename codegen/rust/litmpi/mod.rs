//! What generated tests see of their harness, which is the C program's own (`harness/`): iterations, memory, delays,
//! deadlocks and outcomes are the same in both languages. Its stand-ins for MPI's functions are called by rsmpi as by C.
//!
//! Tests call rsmpi (the crate `mpi`). Three things are ours, because rsmpi has no words for them:
//! - **Ranks** that are `MPI_PROC_NULL`, and one type for all sources, destinations and roots: [`Peer`] implements rsmpi's
//!   traits for them.
//! - **Objects in variables** that programs of MPI may set, lose, and use when they are null: [`Request`], [`Comm`] and so on
//!   hold rsmpi's objects between calls.
//! - **Buffers.** rsmpi borrows a buffer for as long as its request lives. A litmus test may touch it meanwhile: where it may
//!   not, by MPI's own rules, the model calls the test erroneous, and it is not run. So buffers live as long as the program
//!   ([`buffer`]), and requests are of the `StaticScope`.

mod body;
mod buffers;
mod collectives;
mod objects;
mod requests;

use self::body::with_arguments;
pub use self::body::*;
pub use self::buffers::*;
pub use self::collectives::*;
pub use self::objects::*;
pub use self::requests::*;
pub use mpi::collective::SystemOperation;
pub use mpi::datatype::UncommittedUserDatatype;
pub use mpi::point_to_point::{send_receive_into_with_tags, send_receive_replace_into_with_tags};
pub use mpi::request::StaticScope;
pub use mpi::topology::SystemGroup;
pub use mpi::traits::Group as _;
pub use mpi::traits::{
    AsCommunicator, AsRaw, Communicator, CommunicatorCollectives, Destination, Root, Source, UncommittedDatatype,
};

use mpi::environment::Universe;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};

/// One rank of a test, as the harness reads it.
#[repr(C)]
pub struct Rank {
    body: extern "C" fn(),
    initial: *const c_int,
    blocks: c_int,
    names: *const c_char,
}

/// The form of contents (`harness/contents.c`).
pub const LITMPI_PLACED: c_int = 0;
/// As above.
pub const LITMPI_SUMMED: c_int = 1;
/// As above.
pub const LITMPI_MASKED: c_int = 2;
/// As above.
pub const LITMPI_ZEROED: c_int = 3;

/// Where an observable lives: a block of a rank, or (block -1) a register, which the body reports.
#[repr(C)]
pub struct Observable {
    rank: c_int,
    block: c_int,
}

/// A test, as the harness reads it.
#[repr(C)]
pub struct Test {
    name: *const c_char,
    file: *const c_char,
    ranks: c_int,
    rank: *const Rank,
    observed: c_int,
    observable: *const Observable,
    single: c_int,
    contents: c_int,
}

// SAFETY: what they point to is never written.
unsafe impl Sync for Rank {}
// SAFETY: as above.
unsafe impl Sync for Test {}

impl Rank {
    /// A rank's body, and the initial value of each of its blocks, with their names.
    pub const fn new(body: extern "C" fn(), initial: &'static [c_int], names: &'static CStr) -> Rank {
        Rank { body, initial: initial.as_ptr(), blocks: initial.len() as c_int, names: names.as_ptr() }
    }
}

impl Observable {
    /// A block of a rank.
    pub const fn new(rank: c_int, block: c_int) -> Observable {
        Observable { rank, block }
    }
}

impl Test {
    /// A test by its name and the name of its file, and the form of its contents.
    pub const fn new(
        name: &'static CStr,
        file: &'static CStr,
        ranks: &'static [Rank],
        observables: &'static [Observable],
        contents: c_int,
    ) -> Test {
        Test {
            name: name.as_ptr(),
            file: file.as_ptr(),
            ranks: ranks.len() as c_int,
            rank: ranks.as_ptr(),
            observed: observables.len() as c_int,
            observable: observables.as_ptr(),
            single: 0,
            contents,
        }
    }
}

unsafe extern "C" {
    static mut litmpi_unchecked: c_int;
    fn litmpi_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
    fn litmpi_follow_parent();
    fn litmpi_ended() -> c_int;
    fn litmpi_buffer_lend(back: extern "C" fn());
    fn LITMPI_Finalize() -> c_int;
    fn LITMPI_Finalized(flag: *mut c_int) -> c_int;
}

/// Runs the tests as the arguments say; see `harness/main.c`.
pub fn main() {
    // SAFETY: the arguments are the program's.
    with_mpi(|argc, argv| unsafe { litmpi_main(argc, argv) });
}

/// Gives the program's arguments to the harness, between MPI's beginning and end; then the program is over.
pub fn with_mpi(harness: impl FnOnce(c_int, *mut *mut c_char) -> c_int) {
    // SAFETY: no other thread.
    unsafe {
        litmpi_follow_parent();
        litmpi_unchecked = 1;
    }
    let universe = mpi::initialize().expect("MPI is initialized once");
    UNIVERSE.set(Some(universe));
    let code = with_arguments(harness);
    UNIVERSE.take();
    std::process::exit(code);
}

thread_local! {
    /// MPI, as rsmpi has it.
    static UNIVERSE: RefCell<Option<Universe>> = const { RefCell::new(None) };
}

/// Gives the library space for buffered sends: so many locations in so many messages.
pub fn attach(locations: c_int, messages: c_int) {
    // SAFETY: the harness takes its own buffer away, and calls back when the test's messages are gone.
    unsafe { litmpi_buffer_lend(detach_all) };
    let overhead = messages as usize * mpi::ffi::MPI_BSEND_OVERHEAD as usize;
    let room = buffers::bytes(locations) as usize + overhead;
    UNIVERSE.with_borrow_mut(|u| u.as_mut().expect("MPI is initialized").set_buffer_size(room));
}

/// Waits for the buffered messages and takes the space back.
pub fn detach() {
    // SAFETY: as for `attach`.
    unsafe { litmpi_buffer_lend(detach_all) };
    detach_all();
}

extern "C" fn detach_all() {
    UNIVERSE.with_borrow_mut(|u| u.as_mut().expect("MPI is initialized").detach_buffer());
}

/// Runs a body.
pub fn run(body: impl FnOnce() -> Result<(), Ended>) {
    buffers::clear();
    // Why it ended, the harness knows.
    let _ = body();
}

/// Whether the body is to go on: rsmpi keeps what MPI's functions return to itself, so the harness remembers.
pub fn ended() -> Result<(), Ended> {
    if has_ended() { Err(Ended) } else { Ok(()) }
}

fn has_ended() -> bool {
    // SAFETY: reads a variable.
    unsafe { litmpi_ended() != 0 }
}

/// The end of MPI for this iteration: the harness's stand-in, for rsmpi ends MPI with the program.
pub fn finalize() {
    // SAFETY: a barrier.
    unsafe {
        LITMPI_Finalize();
    }
}

/// Whether that was.
pub fn finalized() -> c_int {
    let mut flag = 0;
    // SAFETY: writes the flag.
    unsafe {
        LITMPI_Finalized(&mut flag);
    }
    flag
}
