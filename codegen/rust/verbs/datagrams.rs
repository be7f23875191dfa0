//! Datagrams: each thread has a queue pair for them, and names others by their thread's number.

use super::binding::{self, Completion, Destination, Request, Work, piece};
use super::messages::{NO_IMMEDIATE, immediate, nowhere, tell, words_of};
use super::verbs::{Path, checked, is_inline, literal, wait_for, went_well};
use super::{Ended, Location};
use std::ffi::{c_int, c_uint, c_void};

/// The calling thread's queue pair, as the harness says it. Behind a header of so many bytes a receive has its data.
#[repr(C)]
struct Own {
    qp: *mut c_void,
    sent: *mut c_void,
    received: *mut c_void,
    header: *mut c_void,
    header_bytes: c_uint,
    header_key: c_uint,
    lkey: c_uint,
}

unsafe extern "C" {
    fn litmpi_datagrams_own(own: *mut Own);
    fn litmpi_destination(thread: c_int, to: *mut Destination);
    fn litmpi_ud_modify_qp(state: c_int);
    fn litmpi_ud_await_drained() -> c_int;
}

fn own() -> Own {
    let mut own = std::mem::MaybeUninit::uninit();
    // SAFETY: the harness fills it in.
    unsafe {
        litmpi_datagrams_own(own.as_mut_ptr());
        own.assume_init()
    }
}

fn post(thread: c_int, from: Location, words: c_int, inline: bool, imm: c_int) {
    let own = own();
    let mut to = std::mem::MaybeUninit::uninit();
    // SAFETY: the harness fills it in.
    let to = unsafe {
        litmpi_destination(thread, to.as_mut_ptr());
        to.assume_init()
    };
    let path = Path::of_queue(own.qp, own.lkey);
    let request = Request { work: Work::Datagram(to), words, inline, immediate: immediate(imm) };
    checked(c"ibv_post_send of a datagram", binding::post(&path, from.0, request));
}

/// Sends a datagram from a location to a thread.
pub fn send(thread: c_int, from: Location, imm: c_int, words: c_int) {
    post(thread, from, words, false, imm);
}

/// Sends a constant to a thread.
pub fn send_value(thread: c_int, value: c_int, imm: c_int, words: c_int) {
    post(thread, literal(value), words, is_inline(), imm);
}

/// Sends a datagram from where this node has registered nothing.
pub fn send_from_astray(thread: c_int) {
    post(thread, nowhere(), 1, false, NO_IMMEDIATE);
}

/// Posts a receive for a datagram.
pub fn post_recv(to: Location, room: c_int, id: c_int) {
    let own = own();
    let pieces = [(own.header, own.header_bytes, own.header_key), piece(to.0, room, own.lkey)];
    let used = if room > 0 { 2 } else { 1 };
    checked(c"ibv_post_recv for a datagram", binding::receive(own.qp, false, &pieces[..used], id));
}

/// Waits for the earliest datagram that was sent and is not yet polled.
pub fn poll(status: Option<&mut c_int>) -> Result<(), Ended> {
    let completion = wait_for(own().sent)?;
    match status {
        Some(status) => *status = completion.status,
        None => went_well(completion.status),
    }
    Ok(())
}

/// Tells of a datagram that was received.
fn received(
    (completion, header_bytes): (&Completion, c_uint),
    status: Option<&mut c_int>,
    imm: Option<&mut c_int>,
    id: Option<&mut c_int>,
    words: Option<&mut c_int>,
) {
    let good = completion.status == binding::SUCCESS;
    match status {
        Some(status) => *status = completion.status,
        None => went_well(completion.status),
    }
    tell(imm, completion.immediate.unwrap_or(NO_IMMEDIATE));
    tell(id, completion.id);
    tell(words, if good { words_of(completion.bytes.saturating_sub(header_bytes)) } else { 0 });
}

/// Waits for a completion of a receive for datagrams, and tells what it says.
pub fn poll_recv(
    status: Option<&mut c_int>,
    imm: Option<&mut c_int>,
    id: Option<&mut c_int>,
    words: Option<&mut c_int>,
) -> Result<(), Ended> {
    let own = own();
    received((&wait_for(own.received)?, own.header_bytes), status, imm, id, words);
    Ok(())
}

/// Looks once for a completion of a receive for datagrams, and tells whether there is one.
pub fn try_recv(found: Option<&mut c_int>, imm: Option<&mut c_int>, id: Option<&mut c_int>) {
    let own = own();
    match binding::poll(own.received) {
        Ok(completion) => {
            tell(found, c_int::from(completion.is_some()));
            if let Some(completion) = completion {
                received((&completion, own.header_bytes), None, imm, id, None);
            }
        }
        Err(error) => checked(c"ibv_poll_cq", error),
    }
}

/// Puts the thread's queue pair for datagrams into a state.
pub fn modify_qp(state: c_int) {
    // SAFETY: takes a number.
    unsafe { litmpi_ud_modify_qp(state) }
}

/// Waits for the event that the thread's queue pair for datagrams is drained.
pub fn await_drained() -> Result<(), Ended> {
    // SAFETY: takes nothing.
    if unsafe { litmpi_ud_await_drained() } == 0 { Err(Ended) } else { Ok(()) }
}
