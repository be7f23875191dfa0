//! Messages and the receives that they take, errors, and queue pairs that are put into another state.
//!
//! A receive stands at this node's end of the queue pair of a thread of another node, which is named by the thread's number.

use super::binding::{self, Completion, Request, Work, piece};
use super::verbs::{Remote, checked, is_inline, literal, poll_status, post, remote, wait_for};
use super::{Ended, Location};
use std::ffi::{c_int, c_uint, c_void};

/// A message without an immediate.
pub const NO_IMMEDIATE: c_int = -1;
/// The length of a receive into memory that its key does not cover.
pub const ASTRAY: c_int = -1;
/// The number of a location that no node has registered.
const NOWHERE: c_int = 100_000;

/// An end that takes messages, as the harness says it: where receives are posted, and where their completions are.
#[repr(C)]
struct Receiver {
    queue: *mut c_void,
    received: *mut c_void,
    lkey: c_uint,
}

unsafe extern "C" {
    fn litmpi_receiver(thread: c_int, receiver: *mut Receiver);
    fn litmpi_modify_qp(node: c_int, state: c_int);
    fn litmpi_await_drained(node: c_int) -> c_int;
    fn litmpi_unreliable(node: c_int);
    fn litmpi_bind_window(node: c_int);
    fn litmpi_modify_recv_qp(thread: c_int, state: c_int);
}

/// The end of a thread's queue pair, or (0) of all that share their receives.
fn receiver(thread: c_int) -> Receiver {
    let mut receiver = std::mem::MaybeUninit::uninit();
    // SAFETY: the harness fills it in.
    unsafe {
        litmpi_receiver(thread, receiver.as_mut_ptr());
        receiver.assume_init()
    }
}

/// The immediate that a test means.
pub(super) fn immediate(number: c_int) -> Option<c_int> {
    (number != NO_IMMEDIATE).then_some(number)
}

/// Sends a message from a location.
pub fn send(node: c_int, from: Location, imm: c_int, words: c_int) {
    post(remote(node, 0), from, Request { words, immediate: immediate(imm), ..Request::new(Work::Send) });
}

/// Sends a constant.
pub fn send_value(node: c_int, value: c_int, imm: c_int, words: c_int) {
    let request = Request { words, inline: is_inline(), immediate: immediate(imm), ..Request::new(Work::Send) };
    post(remote(node, 0), literal(value), request);
}

/// Writes a location into a remote one, and tells the other end of it.
pub fn write_with_imm(to: Remote, from: Location, imm: c_int) {
    post(to, from, Request { immediate: Some(imm), ..Request::new(Work::Write) });
}

/// Writes a constant into a remote location, and tells the other end of it.
pub fn write_value_with_imm(to: Remote, value: c_int, imm: c_int) {
    post(to, literal(value), Request { inline: is_inline(), immediate: Some(imm), ..Request::new(Work::Write) });
}

/// Writes to where the other node has registered nothing.
pub fn write_astray(node: c_int) {
    post(remote(node, NOWHERE), literal(0), Request::new(Work::Write));
}

/// Writes from where this node has registered nothing.
pub fn write_from_astray(node: c_int) {
    post(remote(node, 0), nowhere(), Request::new(Work::Write));
}

/// A location that this node has not registered.
pub(super) fn nowhere() -> Location {
    super::at(NOWHERE as usize)
}

/// Posts a receive with a room of so many words, to the queue of a thread or, with 0, to the shared one.
fn post_receive(thread: c_int, to: Location, room: c_int, id: c_int) -> c_int {
    let Receiver { queue, lkey, .. } = receiver(thread);
    let piece = if room == ASTRAY { piece(nowhere().0, 1, lkey) } else { piece(to.0, room, lkey) };
    let pieces = if room == 0 { &[][..] } else { &[piece][..] };
    binding::receive(queue, thread == 0, pieces, id)
}

/// Posts a receive at this node's end of a thread's queue pair.
pub fn post_recv(thread: c_int, to: Location, room: c_int, id: c_int) {
    checked(c"ibv_post_recv", post_receive(thread, to, room, id));
}

/// Posts a receive for all queue pairs with an end at this node.
pub fn post_srq_recv(to: Location, room: c_int, id: c_int) {
    checked(c"ibv_post_srq_recv", post_receive(0, to, room, id));
}

/// Puts a value where a test wants it.
pub(super) fn tell(to: Option<&mut c_int>, value: c_int) {
    if let Some(to) = to {
        *to = value;
    }
}

/// Waits for a completion of a receive at this node's end of a thread's queue pair, and tells what it says.
pub fn poll_recv(
    thread: c_int,
    status: Option<&mut c_int>,
    imm: Option<&mut c_int>,
    id: Option<&mut c_int>,
    words: Option<&mut c_int>,
) -> Result<(), Ended> {
    let completion: Completion = wait_for(receiver(thread).received)?;
    let good = completion.status == binding::SUCCESS;
    tell(status, completion.status);
    tell(imm, completion.immediate.unwrap_or(NO_IMMEDIATE));
    tell(id, completion.id);
    tell(words, if good { words_of(completion.bytes) } else { 0 });
    Ok(())
}

/// So many bytes as words.
pub(super) fn words_of(bytes: u32) -> c_int {
    (bytes as usize / size_of::<i64>()) as c_int
}

/// Waits for the earliest request towards the node that is not yet polled, and tells its status.
pub fn poll_cq(node: c_int, status: Option<&mut c_int>) -> Result<(), Ended> {
    tell(status, poll_status(node)?);
    Ok(())
}

/// Puts the thread's end of its queue pair towards a node into a state.
pub fn modify_qp(node: c_int, state: c_int) {
    // SAFETY: takes numbers.
    unsafe { litmpi_modify_qp(node, state) }
}

/// Waits for the event that the thread's queue pair towards a node is drained.
pub fn await_drained(node: c_int) -> Result<(), Ended> {
    // SAFETY: takes a number.
    if unsafe { litmpi_await_drained(node) } == 0 { Err(Ended) } else { Ok(()) }
}

/// Says that the thread's queue pair towards a node is an unreliable connection.
pub fn unreliable(node: c_int) {
    // SAFETY: takes a number.
    unsafe { litmpi_unreliable(node) }
}

/// Binds a window of this node's memory, on the thread's queue pair towards a node.
pub fn bind_window(node: c_int) {
    // SAFETY: takes a number.
    unsafe { litmpi_bind_window(node) }
}

/// Puts this node's end of a thread's queue pair into a state.
pub fn modify_recv_qp(thread: c_int, state: c_int) {
    // SAFETY: takes numbers.
    unsafe { litmpi_modify_recv_qp(thread, state) }
}
