//! Remote operations of a test's thread, on its queue pair towards a node, and the processor's fences.

use super::binding::{self, Completion, Request, Work};
use super::{Ended, Location, word};
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// A location of another node, by the node's number and the location's place there.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Remote {
    node: c_int,
    block: c_int,
}

/// A location of another node.
pub fn remote(node: c_int, block: c_int) -> Remote {
    Remote { node, block }
}

/// The calling thread's way to a location, as the harness says it.
#[repr(C)]
pub(super) struct Path {
    pub(super) qp: *mut c_void,
    pub(super) cq: *mut c_void,
    pub(super) remote: c_ulong,
    pub(super) rkey: c_uint,
    pub(super) lkey: c_uint,
    pub(super) fence: c_int,
    pub(super) has_atomics: c_int,
}

impl Path {
    /// To nowhere but a queue pair.
    pub(super) fn of_queue(qp: *mut c_void, lkey: c_uint) -> Path {
        Path { qp, cq: std::ptr::null_mut(), remote: 0, rkey: 0, lkey, fence: 0, has_atomics: 0 }
    }
}

#[repr(C)]
struct Polling {
    polls: c_long,
    since: f64,
}

unsafe extern "C" {
    fn litmpi_path(at: Remote, is_request: c_int, path: *mut Path);
    fn litmpi_literal(value: c_int) -> *mut i64;
    fn litmpi_use_inline() -> c_int;
    fn litmpi_rfence(node: c_int);
    fn litmpi_poll_again(polling: *mut Polling) -> c_int;
    fn litmpi_took(node: c_int);
    fn litmpi_went_wrong(status: c_int);
    fn litmpi_device_failed(call: *const c_char, error: c_int);
    fn litmpi_fail(what: *const c_char, detail: *const c_char);
}

pub(super) fn path(at: Remote, is_request: bool) -> Path {
    let mut path = std::mem::MaybeUninit::uninit();
    // SAFETY: the harness fills it in.
    unsafe {
        litmpi_path(at, c_int::from(is_request), path.as_mut_ptr());
        path.assume_init()
    }
}

/// Ends the launch if a call has returned an error number.
pub(super) fn checked(call: &CStr, error: c_int) {
    if error != 0 {
        // SAFETY: takes words and a number; ends the launch.
        unsafe { litmpi_device_failed(call.as_ptr(), error) }
    }
}

/// Ends the launch if what a test does not ask for the status of has failed.
pub(super) fn went_well(status: c_int) {
    if status != binding::SUCCESS {
        // SAFETY: takes a number; ends the launch.
        unsafe { litmpi_went_wrong(status) }
    }
}

/// Posts a request towards the node of a location.
pub(super) fn post(at: Remote, local: Location, request: Request) {
    let path = path(at, true);
    if request.work.is_atomic() && path.has_atomics == 0 {
        // SAFETY: takes words; ends the launch.
        unsafe { litmpi_fail(c"device".as_ptr(), c"it has no atomic operations".as_ptr()) }
    }
    checked(c"ibv_post_send", binding::post(&path, local.0, request));
}

/// A line of registered memory that holds a constant.
pub(super) fn literal(value: c_int) -> Location {
    // SAFETY: takes a number.
    Location(unsafe { litmpi_literal(value) })
}

/// Whether constants go with their requests.
pub(super) fn is_inline() -> bool {
    // SAFETY: reads a setting.
    unsafe { litmpi_use_inline() != 0 }
}

/// Waits for a completion in a queue.
pub(super) fn wait_for(queue: *mut c_void) -> Result<Completion, Ended> {
    let mut polling = Polling { polls: 0, since: 0.0 };
    loop {
        match binding::poll(queue) {
            Ok(Some(completion)) => return Ok(completion),
            // SAFETY: the harness counts there.
            Ok(None) if unsafe { litmpi_poll_again(&mut polling) } == 0 => return Err(Ended),
            Ok(None) => {}
            Err(error) => checked(c"ibv_poll_cq", error),
        }
    }
}

/// Waits for the earliest request towards the node that is not yet polled: its status.
pub(super) fn poll_status(node: c_int) -> Result<c_int, Ended> {
    let completion = wait_for(path(remote(node, 0), false).cq)?;
    // SAFETY: takes a number.
    unsafe { litmpi_took(node) };
    Ok(completion.status)
}

/// Reads a remote location into a local one.
pub fn get(to: Location, from: Remote) {
    post(from, to, Request::new(Work::Read));
}

/// Writes a local location into a remote one.
pub fn put(to: Remote, from: Location) {
    post(to, from, Request::new(Work::Write));
}

/// Writes a constant into a remote location.
pub fn put_value(to: Remote, value: c_int) {
    post(to, literal(value), Request { inline: is_inline(), ..Request::new(Work::Write) });
}

/// Adds to a remote location; what it held goes to the local one.
pub fn fetch_add(to: Location, at: Remote, value: c_int) {
    post(at, to, Request::new(Work::FetchAdd(i64::from(value))));
}

/// Writes `new` into a remote location if it holds `old`; what it held goes to the local one.
pub fn compare_swap(to: Location, at: Remote, old: c_int, new: c_int) {
    post(at, to, Request::new(Work::CompareSwap(word(old), word(new))));
}

/// The next operation towards the node waits for those before it.
pub fn rfence(node: c_int) {
    // SAFETY: takes a number.
    unsafe { litmpi_rfence(node) }
}

/// Waits for the earliest operation towards the node that is not yet polled.
pub fn poll(node: c_int) -> Result<(), Ended> {
    poll_status(node).map(went_well)
}

/// Waits until the store buffer is empty.
pub fn mfence() {
    // SAFETY: a fence.
    unsafe { std::arch::asm!("mfence", options(nostack)) }
}

/// A load fence.
pub fn lfence() {
    // SAFETY: a fence.
    unsafe { std::arch::asm!("lfence", options(nostack)) }
}

/// A store fence.
pub fn sfence() {
    // SAFETY: a fence.
    unsafe { std::arch::asm!("sfence", options(nostack)) }
}
