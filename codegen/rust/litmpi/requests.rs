//! Point-to-point: who is spoken to, requests, messages and statuses in variables.

use super::buffers::block;
use super::has_ended;
use super::objects::{Comm, Type};
use mpi::ffi::{self, MPI_Request};
use mpi::point_to_point::{Message as Matched, Status as Told};
use mpi::request::{self, Request as Pending, StaticScope, multiple_scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsCommunicator, Destination, Equivalence, Root, Source};
use std::ffi::c_int;

unsafe extern "C" {
    fn litmpi_leave(request: *mut MPI_Request);
}

/// A rank to speak with, any rank (-1) or none (-2). rsmpi's own `Process` cannot be `MPI_PROC_NULL`.
pub struct Peer<'c> {
    comm: &'c SimpleCommunicator,
    rank: c_int,
}

/// A rank of a communicator.
pub fn peer(comm: &Comm, rank: c_int) -> Peer<'_> {
    // SAFETY: constants of the library.
    let rank = unsafe {
        match rank {
            -1 => ffi::RSMPI_ANY_SOURCE,
            -2 => ffi::RSMPI_PROC_NULL,
            rank => rank,
        }
    };
    Peer { comm, rank }
}

impl AsCommunicator for Peer<'_> {
    type Out = SimpleCommunicator;
    fn as_communicator(&self) -> &SimpleCommunicator {
        self.comm
    }
}

impl Destination for Peer<'_> {
    fn destination_rank(&self) -> c_int {
        self.rank
    }
}

// SAFETY: what rank it is, the test says.
unsafe impl Source for Peer<'_> {
    fn source_rank(&self) -> c_int {
        self.rank
    }
}

impl Root for Peer<'_> {
    fn root_rank(&self) -> c_int {
        self.rank
    }
}

/// A tag; -1 is `MPI_ANY_TAG`.
pub fn tag(tag: c_int) -> c_int {
    // SAFETY: a constant of the library.
    if tag == -1 { unsafe { ffi::RSMPI_ANY_TAG } } else { tag }
}

/// What a status says, in the model's numbers.
#[derive(Clone, Copy)]
pub struct Status(Told);

impl Default for Status {
    fn default() -> Status {
        // SAFETY: a structure of numbers.
        Status(Told::from_raw(unsafe { std::mem::zeroed() }))
    }
}

impl From<Told> for Status {
    fn from(told: Told) -> Status {
        Status(told)
    }
}

impl Status {
    /// The source: -1 for any, -2 for none.
    pub fn source(&self) -> c_int {
        // SAFETY: constants of the library.
        match self.0.source_rank() {
            any if any == unsafe { ffi::RSMPI_ANY_SOURCE } => -1,
            null if null == unsafe { ffi::RSMPI_PROC_NULL } => -2,
            rank => rank,
        }
    }

    /// The tag: -1 for any.
    pub fn tag(&self) -> c_int {
        // SAFETY: a constant of the library.
        if self.0.tag() == unsafe { ffi::RSMPI_ANY_TAG } { -1 } else { self.0.tag() }
    }

    /// How many locations came; -1 if they are not whole.
    pub fn count(&self) -> c_int {
        in_locations(self.0.count(i32::equivalent_datatype()), block())
    }

    /// How many items of a type came.
    pub fn items(&self, datatype: Type) -> c_int {
        in_locations(self.0.count(datatype), datatype.unit())
    }
}

fn in_locations(count: c_int, unit: c_int) -> c_int {
    // SAFETY: a constant of the library.
    if count == unsafe { ffi::RSMPI_UNDEFINED } || count % unit != 0 { -1 } else { count / unit }
}

/// A request's variable: rsmpi's request between calls, or null.
pub struct Request(MPI_Request);

impl Default for Request {
    fn default() -> Request {
        // SAFETY: a constant of the library.
        Request(unsafe { ffi::RSMPI_REQUEST_NULL })
    }
}

impl<D: ?Sized> From<Pending<'static, D>> for Request {
    fn from(pending: Pending<'static, D>) -> Request {
        // SAFETY: what it borrows lives as long (`buffer`). A call that failed gave no request.
        let (raw, _, _) = unsafe { pending.into_raw() };
        if has_ended() { Request::default() } else { Request(raw) }
    }
}

impl Request {
    /// rsmpi's request; the variable is null then.
    fn take(&mut self) -> Pending<'static, ()> {
        // SAFETY: what it borrows lives as long (`buffer`).
        unsafe { Pending::from_raw(std::mem::take(self).0, &(), StaticScope) }
    }

    fn put(&mut self, pending: Pending<'static, ()>) {
        // SAFETY: `take` makes it one again. After a deadlock the harness has it.
        let (raw, _, _) = unsafe { pending.into_raw() };
        if !has_ended() {
            self.0 = raw;
        }
    }

    /// Waits.
    pub fn wait(&mut self) -> Status {
        self.take().wait().into()
    }

    /// Whether it is complete.
    pub fn test(&mut self, status: &mut Status) -> c_int {
        match self.take().test() {
            Ok(told) => {
                *status = told.into();
                1
            }
            Err(pending) => {
                self.put(pending);
                0
            }
        }
    }

    /// Marks it to be cancelled.
    pub fn cancel(&mut self) {
        let pending = self.take();
        pending.cancel();
        self.put(pending);
    }

    /// What the body leaves behind is the harness's to end.
    pub fn leave(&mut self) {
        // SAFETY: a live request or null.
        unsafe { litmpi_leave(&mut self.0) }
    }
}

/// Waits for all.
pub fn wait_all(requests: &mut [&mut Request], statuses: &mut [&mut Status]) {
    let mut done = Vec::with_capacity(requests.len());
    multiple_scope(requests.len(), |_, all| {
        for request in requests {
            all.add(request.take());
        }
        all.wait_all(&mut done);
    });
    for (i, told, ()) in done {
        if let Some(status) = statuses.get_mut(i) {
            **status = told.into();
        }
    }
}

/// Waits for one; -1 if none is active, of which rsmpi says no status.
pub fn wait_any(requests: &mut [&mut Request], status: &mut Status) -> c_int {
    let mut rest: Vec<Pending<'static, ()>> = requests.iter_mut().map(|r| r.take()).collect();
    let done = request::wait_any(&mut rest);
    let mut rest = rest.into_iter();
    for (i, request) in requests.iter_mut().enumerate() {
        if done.as_ref().is_none_or(|(at, _)| *at != i)
            && let Some(pending) = rest.next()
        {
            request.put(pending);
        }
    }
    let Some((at, told)) = done else { return -1 };
    *status = told.into();
    at as c_int
}

// A `RequestCollection` of rsmpi does not give back requests that are not complete, and ends the program if it is dropped
// with one. So the calls that may leave some are made through rsmpi's own bindings, `mpi::ffi`.

fn raws(requests: &[&mut Request]) -> Vec<MPI_Request> {
    requests.iter().map(|r| r.0).collect()
}

fn restore(requests: &mut [&mut Request], raws: &[MPI_Request]) {
    for (request, raw) in requests.iter_mut().zip(raws) {
        request.0 = *raw;
    }
}

fn empty_statuses(count: usize) -> Vec<ffi::MPI_Status> {
    // SAFETY: structures of numbers.
    (0..count).map(|_| unsafe { std::mem::zeroed() }).collect()
}

/// `MPI_Testall`.
pub fn test_all(requests: &mut [&mut Request], statuses: &mut [&mut Status]) -> c_int {
    let (mut all, mut told, mut flag) = (raws(requests), empty_statuses(requests.len()), 0);
    // SAFETY: the arrays are as long as said.
    unsafe { ffi::MPI_Testall(all.len() as c_int, all.as_mut_ptr(), &mut flag, told.as_mut_ptr()) };
    restore(requests, &all);
    if flag != 0 {
        for (status, told) in statuses.iter_mut().zip(told) {
            **status = Told::from_raw(told).into();
        }
    }
    flag
}

/// `MPI_Testany`: the index and the flag.
pub fn test_any(requests: &mut [&mut Request], status: &mut Status) -> (c_int, c_int) {
    let (mut all, mut told, mut flag, mut index) = (raws(requests), empty_statuses(1), 0, 0);
    // SAFETY: the arrays are as long as said.
    unsafe { ffi::MPI_Testany(all.len() as c_int, all.as_mut_ptr(), &mut index, &mut flag, told.as_mut_ptr()) };
    restore(requests, &all);
    if flag != 0 {
        *status = Told::from_raw(told[0]).into();
    }
    (defined(index), flag)
}

/// `MPI_Waitsome`: how many.
pub fn wait_some(requests: &mut [&mut Request], indices: &mut [&mut i32], statuses: &mut [&mut Status]) -> c_int {
    some(ffi::MPI_Waitsome, requests, indices, statuses)
}

/// `MPI_Testsome`: how many.
pub fn test_some(requests: &mut [&mut Request], indices: &mut [&mut i32], statuses: &mut [&mut Status]) -> c_int {
    some(ffi::MPI_Testsome, requests, indices, statuses)
}

type Some =
    unsafe extern "C" fn(c_int, *mut MPI_Request, *mut c_int, *mut c_int, *mut ffi::MPI_Status) -> c_int;

fn some(
    call: Some,
    requests: &mut [&mut Request],
    indices: &mut [&mut i32],
    statuses: &mut [&mut Status],
) -> c_int {
    let (mut all, mut told, mut count) = (raws(requests), empty_statuses(requests.len()), 0);
    let mut done: Vec<c_int> = indices.iter().map(|i| **i).collect();
    done.resize(requests.len(), 0);
    // SAFETY: the arrays are as long as said.
    unsafe { call(all.len() as c_int, all.as_mut_ptr(), &mut count, done.as_mut_ptr(), told.as_mut_ptr()) };
    restore(requests, &all);
    let count = defined(count);
    for i in 0..usize::try_from(count).unwrap_or(0) {
        if let Some(index) = indices.get_mut(i) {
            **index = done[i];
        }
        if let Some(status) = statuses.get_mut(i) {
            **status = Told::from_raw(told[i]).into();
        }
    }
    count
}

/// A number, -1 for `MPI_UNDEFINED`, -2 for `MPI_PROC_NULL`.
pub(super) fn defined(number: c_int) -> c_int {
    // SAFETY: constants of the library.
    let (undefined, nobody) = unsafe { (ffi::RSMPI_UNDEFINED, ffi::RSMPI_PROC_NULL) };
    if number == undefined { -1 } else if number == nobody { -2 } else { number }
}

/// A matched message's variable.
#[derive(Default)]
pub struct Message(Option<Matched>);

impl Message {
    /// rsmpi's message; the variable is null then.
    pub fn take(&mut self) -> Matched {
        self.0.take().expect("a message that has been matched")
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // rsmpi ends the program for a message that is not received; tests may leave one.
        std::mem::forget(self.0.take());
    }
}

/// What a probe found.
pub fn found(told: Option<Told>, status: &mut Status) -> c_int {
    told.map_or(0, |told| {
        *status = told.into();
        1
    })
}

/// What a matching probe matched.
pub fn matched((message, told): (Matched, Told)) -> (Message, Status) {
    (Message(Some(message)), told.into())
}

/// What a matching probe matched, if anything.
pub fn maybe_matched(found: Option<(Matched, Told)>, message: &mut Message, status: &mut Status) -> c_int {
    found.map_or(0, |pair| {
        (*message, *status) = matched(pair);
        1
    })
}
