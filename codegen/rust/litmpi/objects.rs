//! Communicators, groups, datatypes and operations in variables.

use super::has_ended;
use super::requests::defined;
use mpi::collective::{Operation, UnsafeUserFunction, UnsafeUserOperation};
use mpi::datatype::{UncommittedUserDatatype, UserDatatype};
use mpi::ffi::{self, MPI_Comm, MPI_Datatype, MPI_Group, MPI_Op};
use mpi::raw::{FromRaw, MatchesRaw};
use mpi::topology::{
    CartesianCommunicator, CartesianLayout, Color, CommunicatorRelation, GroupRelation, InterCommunicator, MergeOrder,
    SimpleCommunicator, Topology, UserGroup,
};
use mpi::traits::{AsRaw, Communicator, Datatype, Equivalence, UncommittedDatatype};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ops::Deref;

unsafe extern "C" {
    static litmpi_comm: MPI_Comm;
    fn litmpi_leave_comm(comm: *mut MPI_Comm);
    fn litmpi_leave_type(datatype: *mut MPI_Datatype);
    fn litmpi_unit(datatype: MPI_Datatype) -> c_int;
    fn litmpi_oldtype(datatype: MPI_Datatype) -> MPI_Datatype;
}

/// A communicator's variable. It is freed where the test says, not where the variable ends: freeing is collective.
#[derive(Default)]
pub struct Comm(Option<ManuallyDrop<SimpleCommunicator>>);

impl From<SimpleCommunicator> for Comm {
    fn from(comm: SimpleCommunicator) -> Comm {
        let comm = ManuallyDrop::new(comm);
        // A call that failed gave none.
        if has_ended() { Comm(None) } else { Comm(Some(comm)) }
    }
}

impl From<CartesianCommunicator> for Comm {
    fn from(comm: CartesianCommunicator) -> Comm {
        let comm = ManuallyDrop::new(comm);
        // SAFETY: the same communicator, under one name at a time.
        Comm::from(unsafe { SimpleCommunicator::from_raw(comm.as_raw()) })
    }
}

impl<C> From<Option<C>> for Comm
where
    Comm: From<C>,
{
    fn from(comm: Option<C>) -> Comm {
        comm.map_or_else(Comm::default, Comm::from)
    }
}

impl Deref for Comm {
    type Target = SimpleCommunicator;
    fn deref(&self) -> &SimpleCommunicator {
        self.0.as_deref().expect("a communicator that is not null")
    }
}

impl Comm {
    /// The test's world: tests share a launch.
    pub fn world() -> Comm {
        // SAFETY: the harness made it.
        Comm(Some(ManuallyDrop::new(unsafe { SimpleCommunicator::from_raw(litmpi_comm) })))
    }

    /// `MPI_COMM_SELF`.
    pub fn own() -> Comm {
        Comm(Some(ManuallyDrop::new(SimpleCommunicator::self_comm())))
    }

    /// Whether it is `MPI_COMM_NULL`.
    pub fn is_null(&self) -> c_int {
        c_int::from(self.0.is_none())
    }

    /// The same as a Cartesian communicator.
    pub fn cartesian(&self) -> ManuallyDrop<CartesianCommunicator> {
        // SAFETY: it has that topology, or the test is erroneous.
        ManuallyDrop::new(unsafe { CartesianCommunicator::from_raw(self.as_raw()) })
    }

    /// The same as an intercommunicator.
    pub fn between(&self) -> ManuallyDrop<InterCommunicator> {
        // SAFETY: it is one, or the test is erroneous.
        ManuallyDrop::new(unsafe { InterCommunicator::from_raw(self.as_raw()) })
    }

    /// Frees it, as rsmpi does where a communicator is dropped.
    pub fn free(&mut self) {
        drop(self.0.take().map(ManuallyDrop::into_inner));
    }

    /// What the body leaves behind is the harness's to free.
    pub fn leave(&mut self) {
        if let Some(comm) = self.0.take() {
            // SAFETY: a live communicator.
            unsafe { litmpi_leave_comm(&mut comm.as_raw()) }
        }
    }
}

/// `MPI_Intercomm_create`: rsmpi has intercommunicators, but only spawning makes them there, so this one call is made through
/// rsmpi's own bindings.
pub fn intercommunicator(local: &Comm, leader: c_int, peers: &Comm, remote: c_int, tag: c_int) -> Comm {
    // SAFETY: constants of the library; the communicators are live or null.
    unsafe {
        let mut made = ffi::RSMPI_COMM_NULL;
        let raw = |c: &Comm| c.0.as_ref().map_or(ffi::RSMPI_COMM_NULL, |c| c.as_raw());
        ffi::MPI_Intercomm_create(raw(local), leader, raw(peers), remote, tag, &mut made);
        if made == ffi::RSMPI_COMM_NULL { Comm::default() } else { Comm::from(SimpleCommunicator::from_raw(made)) }
    }
}

/// Which group comes first in a merged one: the one that is not high.
pub fn order(high: c_int) -> MergeOrder {
    if high == 0 { MergeOrder::Low } else { MergeOrder::High }
}

/// A comparison in the model's numbers.
pub trait Relation {
    /// 0 identical, 1 congruent, 2 similar, 3 unequal.
    fn number(self) -> c_int;
}

impl Relation for CommunicatorRelation {
    fn number(self) -> c_int {
        match self {
            CommunicatorRelation::Identical => 0,
            CommunicatorRelation::Congruent => 1,
            CommunicatorRelation::Similar => 2,
            CommunicatorRelation::Unequal => 3,
        }
    }
}

impl Relation for GroupRelation {
    fn number(self) -> c_int {
        match self {
            GroupRelation::Identical => 0,
            GroupRelation::Similar => 2,
            GroupRelation::Unequal => 3,
        }
    }
}

/// How two communicators or groups compare.
pub fn relation(relation: impl Relation) -> c_int {
    relation.number()
}

/// How two communicators compare.
pub fn same_members(one: &SimpleCommunicator, other: &SimpleCommunicator) -> c_int {
    one.compare(other).number()
}

/// A colour; -1 is `MPI_UNDEFINED`.
pub fn colour(colour: c_int) -> Color {
    if colour == -1 { Color::undefined() } else { Color::with_value(colour) }
}

/// Ints as truth values.
pub fn flags(flags: &[c_int]) -> Vec<bool> {
    flags.iter().map(|f| *f != 0).collect()
}

/// Neighbours' ranks; -2 for none.
pub fn neighbours((source, destination): (Option<c_int>, Option<c_int>)) -> (c_int, c_int) {
    (source.unwrap_or(-2), destination.unwrap_or(-2))
}

/// A layout into variables.
pub fn layout(
    layout: CartesianLayout,
    dims: &mut [&mut c_int],
    periods: &mut [&mut c_int],
    coords: &mut [&mut c_int],
) {
    set(layout.dims, dims);
    set(layout.periods.into_iter().map(c_int::from).collect(), periods);
    set(layout.coords, coords);
}

/// A topology in the model's numbers.
pub fn topology(topology: Topology) -> c_int {
    match topology {
        Topology::Undefined => -1,
        Topology::Graph => 1,
        Topology::Cartesian => 2,
        Topology::DistributedGraph => 3,
    }
}

/// Values into variables; what is undefined is -1.
pub fn set<V: Into<Option<c_int>>>(values: Vec<V>, variables: &mut [&mut c_int]) {
    for (variable, value) in variables.iter_mut().zip(values) {
        **variable = value.into().map_or(-1, defined);
    }
}

/// A group's variable, freed where it ends.
#[derive(Default)]
pub struct Group(Option<UserGroup>);

impl From<UserGroup> for Group {
    fn from(group: UserGroup) -> Group {
        if has_ended() {
            std::mem::forget(group);
            return Group(None);
        }
        Group(Some(group))
    }
}

// SAFETY: the group's own handle, or null.
unsafe impl AsRaw for Group {
    type Raw = MPI_Group;
    fn as_raw(&self) -> MPI_Group {
        // SAFETY: a constant of the library.
        self.0.as_ref().map_or(unsafe { ffi::RSMPI_GROUP_NULL }, AsRaw::as_raw)
    }
}

impl mpi::traits::Group for Group {}

impl Group {
    /// Frees it, as rsmpi does where a group is dropped.
    pub fn free(&mut self) {
        self.0 = None;
    }
}

/// A datatype's variable, committed or not.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Type(MPI_Datatype);

impl Default for Type {
    fn default() -> Type {
        // SAFETY: a constant of the library.
        Type(unsafe { ffi::RSMPI_DATATYPE_NULL })
    }
}

impl From<UncommittedUserDatatype> for Type {
    fn from(datatype: UncommittedUserDatatype) -> Type {
        let datatype = ManuallyDrop::new(datatype);
        if has_ended() { Type::default() } else { Type(datatype.as_raw()) }
    }
}

// SAFETY: the type's own handle.
unsafe impl AsRaw for Type {
    type Raw = MPI_Datatype;
    fn as_raw(&self) -> MPI_Datatype {
        self.0
    }
}

impl FromRaw for Type {
    unsafe fn from_raw(raw: MPI_Datatype) -> Type {
        Type(raw)
    }
}

// SAFETY: it is nothing else.
unsafe impl MatchesRaw for Type {}
impl Datatype for Type {}
impl UncommittedDatatype for Type {
    type DuplicatedDatatype = UncommittedUserDatatype;
}

/// `MPI_INT`, as rsmpi has it.
pub fn int() -> Type {
    Type(i32::equivalent_datatype().as_raw())
}

/// `MPI_UNSIGNED`, as rsmpi has it.
pub fn unsigned() -> Type {
    Type(u32::equivalent_datatype().as_raw())
}

/// `MPI_FLOAT`, as rsmpi has it.
pub fn float() -> Type {
    Type(f32::equivalent_datatype().as_raw())
}

/// A predefined type as one that has a location's size.
pub fn whole(datatype: Type) -> Type {
    // SAFETY: asks the library about a type.
    Type(unsafe { litmpi_oldtype(datatype.0) })
}

impl Type {
    /// How many of its items a location is.
    pub fn unit(self) -> c_int {
        // SAFETY: asks the library about a type.
        unsafe { litmpi_unit(self.0) }
    }

    /// Commits it.
    pub fn commit(&mut self) {
        // SAFETY: a live type, or the test is erroneous.
        let committed: UserDatatype = unsafe { UncommittedUserDatatype::from_raw(self.0) }.commit();
        std::mem::forget(committed);
    }

    /// Frees it, as rsmpi does where a type is dropped.
    pub fn free(&mut self) {
        // SAFETY: a live type, or the test is erroneous.
        drop(unsafe { UncommittedUserDatatype::from_raw(std::mem::take(self).0) });
    }

    /// What the body leaves behind is the harness's to free.
    pub fn leave(&mut self) {
        // SAFETY: a live type or null.
        unsafe { litmpi_leave_type(&mut self.0) }
    }
}

/// An operation's variable, freed where it ends.
#[derive(Default)]
pub struct Op(Option<UnsafeUserOperation>);

// SAFETY: the operation's own handle.
unsafe impl AsRaw for Op {
    type Raw = MPI_Op;
    fn as_raw(&self) -> MPI_Op {
        self.0.as_ref().expect("an operation that is not null").as_raw()
    }
}

impl Operation for Op {}

impl Op {
    /// An operation from a function of the harness.
    pub fn new(function: UnsafeUserFunction, commutes: c_int) -> Op {
        // SAFETY: it takes what MPI gives to such functions.
        Op(Some(unsafe { UnsafeUserOperation::new(commutes != 0, function) }))
    }

    /// Frees it, as rsmpi does where an operation is dropped.
    pub fn free(&mut self) {
        self.0 = None;
    }
}

unsafe extern "C" {
    /// The first operand.
    pub fn LITMPI_LEFT(first: *mut c_void, second: *mut c_void, length: *mut c_int, datatype: *mut MPI_Datatype);
    /// The second operand.
    pub fn LITMPI_RIGHT(first: *mut c_void, second: *mut c_void, length: *mut c_int, datatype: *mut MPI_Datatype);
    /// Affine maps one after the other.
    pub fn LITMPI_COMPOSE(first: *mut c_void, second: *mut c_void, length: *mut c_int, datatype: *mut MPI_Datatype);
    /// The sum.
    pub fn LITMPI_ADD(first: *mut c_void, second: *mut c_void, length: *mut c_int, datatype: *mut MPI_Datatype);
}

/// An operation as an argument, which nonblocking calls keep.
#[derive(Clone, Copy)]
pub struct Operator(MPI_Op);

// SAFETY: the operation's own handle.
unsafe impl AsRaw for Operator {
    type Raw = MPI_Op;
    fn as_raw(&self) -> MPI_Op {
        self.0
    }
}

impl Operation for Operator {}

/// An operation as an argument.
pub fn operation(op: &impl Operation) -> Operator {
    Operator(op.as_raw())
}
