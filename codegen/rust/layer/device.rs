//! The device's part, which is in C (`c/litmpi-verbs.c`).

use crate::{Error, Result};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// What a process says of itself.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Address {
    pub(crate) memory: u64,
    pub(crate) rkey: u32,
    pub(crate) lid: u16,
    pub(crate) gid: [u8; 16],
}

impl Address {
    pub(crate) fn bytes(&self) -> [u8; size_of::<Address>()] {
        let mut out = [0; size_of::<Address>()];
        out[..8].copy_from_slice(&self.memory.to_ne_bytes());
        out[8..12].copy_from_slice(&self.rkey.to_ne_bytes());
        out[12..14].copy_from_slice(&self.lid.to_ne_bytes());
        out[14..30].copy_from_slice(&self.gid);
        out
    }

    pub(crate) fn of(bytes: &[u8]) -> Address {
        let part = |at: usize, of: &mut [u8]| of.copy_from_slice(&bytes[at..at + of.len()]);
        let (mut memory, mut rkey, mut lid, mut gid) = ([0; 8], [0; 4], [0; 2], [0; 16]);
        part(0, &mut memory);
        part(8, &mut rkey);
        part(12, &mut lid);
        part(14, &mut gid);
        Address {
            memory: u64::from_ne_bytes(memory),
            rkey: u32::from_ne_bytes(rkey),
            lid: u16::from_ne_bytes(lid),
            gid,
        }
    }
}

unsafe extern "C" {
    fn litmpi_verbs_open(
        made: *mut *mut c_void,
        device: *const c_char,
        gid_index: c_int,
        rank: c_int,
        nodes: c_int,
        bytes: u64,
        mine: *mut Address,
        queues: *mut u32,
        call: *mut *const c_char,
    ) -> c_int;
    fn litmpi_verbs_memory(v: *mut c_void) -> *mut c_void;
    fn litmpi_verbs_connect(
        v: *mut c_void,
        node: c_int,
        to: *const Address,
        queue: u32,
        call: *mut *const c_char,
    ) -> c_int;
    fn litmpi_verbs_post(v: *mut c_void, is_read: c_int, node: c_int, far: u64, own: u64, bytes: u32) -> c_int;
    fn litmpi_verbs_poll(v: *mut c_void, node: c_int, status: *mut *const c_char) -> c_int;
    fn litmpi_verbs_close(v: *mut c_void);
}

/// How many requests a queue has room for, as in `c/litmpi-verbs.h`.
pub(crate) const DEPTH: u64 = 64;

/// A device with its memory and queue pairs.
pub(crate) struct Device(*mut c_void);

fn said(text: *const c_char) -> String {
    // SAFETY: what the C part says are literals.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn went(error: c_int, call: *const c_char) -> Result<()> {
    match error {
        0 => Ok(()),
        error => {
            let source = (error > 0).then(|| std::io::Error::from_raw_os_error(error));
            Err(Error::Device { call: said(call), source })
        }
    }
}

impl Device {
    /// Opens one, and says what others are to know: the address, and the queue pairs towards each.
    pub(crate) fn open(
        name: Option<&str>,
        gid: c_int,
        rank: usize,
        nodes: usize,
        bytes: u64,
    ) -> Result<(Device, Address, Vec<u32>)> {
        let name = name.and_then(|n| CString::new(n).ok());
        let (mut made, mut call, mut mine) = (std::ptr::null_mut(), c"".as_ptr(), Address::default());
        let mut queues = vec![0; nodes];
        let device = name.as_ref().map_or(std::ptr::null(), |n| n.as_ptr());
        // SAFETY: there is room for what it fills in, a number for each process among that.
        let error = unsafe {
            litmpi_verbs_open(
                &mut made,
                device,
                gid,
                rank as c_int,
                nodes as c_int,
                bytes,
                &mut mine,
                queues.as_mut_ptr(),
                &mut call,
            )
        };
        went(error, call)?;
        Ok((Device(made), mine, queues))
    }

    /// Where its memory is: as much as it was opened with, for as long as it is there.
    pub(crate) fn memory(&self) -> *mut u8 {
        // SAFETY: the device is open.
        unsafe { litmpi_verbs_memory(self.0) }.cast()
    }

    /// Connects the queue pair towards another process with that one's.
    pub(crate) fn connect(&self, node: usize, to: &Address, queue: u32) -> Result<()> {
        let mut call = c"".as_ptr();
        // SAFETY: the device is open, and has a queue pair towards this process.
        let error = unsafe { litmpi_verbs_connect(self.0, node as c_int, to, queue, &mut call) };
        went(error, call)
    }

    /// Posts an RDMA read or write of memory that both have.
    pub(crate) fn post(&self, is_read: bool, node: usize, far: u64, own: u64, bytes: u32) -> Result<()> {
        // SAFETY: the device is open, has a queue pair towards this process, and is the only one to look at the memory otherwise
        // than by atomic loads and stores.
        let error = unsafe { litmpi_verbs_post(self.0, c_int::from(is_read), node as c_int, far, own, bytes) };
        went(error, c"ibv_post_send".as_ptr())
    }

    /// Takes a completion of those towards a process, if there is one.
    pub(crate) fn poll(&self, node: usize) -> Result<bool> {
        let mut status = c"".as_ptr();
        // SAFETY: the device is open, and has a completion queue for this process.
        match unsafe { litmpi_verbs_poll(self.0, node as c_int, &mut status) } {
            n if n < 0 => Err(Error::Completion { node, status: said(status) }),
            n => Ok(n > 0),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { litmpi_verbs_close(self.0) }
    }
}
