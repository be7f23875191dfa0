//! The memory of a test, and rsmpi's buffers over it.

use super::objects::{Comm, Type};
use mpi::Count;
use mpi::datatype::{DatatypeRef, DynBufferMut, Partitioned, PartitionedBuffer, PartitionedBufferMut};
use mpi::ffi::MPI_Datatype;
use mpi::raw::FromRaw;
use mpi::traits::{AsDatatype, AsRaw, Collection, Communicator, Pointer, PointerMut};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};

unsafe extern "C" {
    static litmpi_block: c_int;
    fn litmpi_at(number: c_int) -> *mut c_int;
    fn litmpi_store(location: *mut c_int, value: c_int);
    fn litmpi_load(location: *const c_int) -> c_int;
    fn litmpi_unit(datatype: MPI_Datatype) -> c_int;
}

/// Ints a location.
pub(super) fn block() -> c_int {
    // SAFETY: does not change while a body runs.
    unsafe { litmpi_block }
}

fn block_size() -> usize {
    usize::try_from(block()).expect("a location has a size")
}

/// A location: a block of ints, made of its value and their places.
#[derive(Clone, Copy)]
pub struct Location(*mut c_int);

/// The block with this number.
pub fn at(number: usize) -> Location {
    // SAFETY: the test's table says how many blocks there are.
    Location(unsafe { litmpi_at(number as c_int) })
}

impl Location {
    /// The block this many further.
    pub fn after(self, number: usize) -> Location {
        // SAFETY: elements of an array follow one another.
        Location(unsafe { self.0.add(number * block_size()) })
    }

    /// Writes it.
    pub fn store(self, value: c_int) {
        // SAFETY: the block is the test's.
        unsafe { litmpi_store(self.0, value) }
    }

    /// Reads it.
    pub fn load(self) -> c_int {
        // SAFETY: the block is the test's.
        unsafe { litmpi_load(self.0) }
    }
}

thread_local! {
    /// What requests borrow, until the next iteration.
    static LENT: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Frees what the last iteration lent; by now its requests are complete.
pub(super) fn clear() {
    LENT.with_borrow_mut(Vec::clear);
}

/// Lends until the next iteration.
fn lend<T: 'static>(value: T) -> &'static mut T {
    let mut place = Box::new(value);
    let lent: *mut T = &mut *place;
    LENT.with_borrow_mut(|all| all.push(place));
    // SAFETY: the box stays where it is until `clear`, and nothing else speaks of it.
    unsafe { &mut *lent }
}

/// A buffer of `count` items, where a predefined type's item is a location.
pub fn buffer(location: Location, count: Count, datatype: Type) -> &'static mut DynBufferMut<'static> {
    raw_buffer(location.0.cast(), count * unit(datatype), datatype)
}

fn unit(datatype: Type) -> c_int {
    // SAFETY: asks the library about a type.
    unsafe { litmpi_unit(datatype.as_raw()) }
}

fn raw_buffer(memory: *mut c_void, count: Count, datatype: Type) -> &'static mut DynBufferMut<'static> {
    // SAFETY: that the items fit the memory is the model's matter: where they do not, the test is erroneous.
    lend(unsafe { DynBufferMut::from_raw(memory.cast::<u8>(), count, DatatypeRef::from_raw(datatype.as_raw())) })
}

/// The buffer for all processes of a communicator of which this is the part of one: rsmpi divides where MPI multiplies.
pub fn for_all(comm: &Comm, part: &mut DynBufferMut<'static>) -> &'static mut DynBufferMut<'static> {
    let (memory, count) = (part.pointer_mut(), part.count() * comm.size());
    // SAFETY: the type is a live one.
    raw_buffer(memory, count, unsafe { Type::from_raw(part.as_datatype().as_raw()) })
}

/// A part for each process, of its own length at its own place.
pub struct Parts {
    memory: *mut c_void,
    counts: Vec<Count>,
    displacements: Vec<Count>,
    datatype: DatatypeRef<'static>,
}

/// Parts of a buffer.
pub fn parts(location: Location, counts: &[Count], displacements: &[Count], datatype: Type) -> &'static mut Parts {
    let unit = unit(datatype);
    let scaled = |all: &[Count]| all.iter().map(|n| n * unit).collect();
    // SAFETY: the type is a live one.
    let of = unsafe { DatatypeRef::from_raw(datatype.as_raw()) };
    lend(Parts { memory: location.0.cast(), counts: scaled(counts), displacements: scaled(displacements), datatype: of })
}

impl Partitioned for Parts {
    fn counts(&self) -> &[Count] {
        &self.counts
    }
    fn displs(&self) -> &[Count] {
        &self.displacements
    }
}

// SAFETY: as for buffers.
unsafe impl Pointer for Parts {
    fn pointer(&self) -> *const c_void {
        self.memory
    }
}

// SAFETY: as for buffers.
unsafe impl PointerMut for Parts {
    fn pointer_mut(&mut self) -> *mut c_void {
        self.memory
    }
}

// SAFETY: as for buffers.
unsafe impl AsDatatype for Parts {
    type Out = DatatypeRef<'static>;
    fn as_datatype(&self) -> Self::Out {
        self.datatype
    }
}

impl PartitionedBuffer for Parts {}
impl PartitionedBufferMut for Parts {}

/// A length in locations as one in bytes.
pub fn bytes(locations: c_int) -> mpi::Address {
    (4 * locations * block()) as mpi::Address
}

/// The bytes of some locations.
pub fn bytes_of(location: Location, locations: c_int) -> &'static mut [u8] {
    let length = usize::try_from(4 * locations * block()).unwrap_or(0);
    // SAFETY: as for buffers.
    unsafe { std::slice::from_raw_parts_mut(location.0.cast(), length) }
}

/// A number of bytes in locations.
pub fn locations(bytes: c_int) -> c_int {
    bytes / (4 * block())
}
