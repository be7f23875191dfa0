//! A test as a program of its own, which says in TAP what came of it (`harness/tap.c`).

use crate::litmpi::with_mpi;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

/// An outcome that the model allows: as the harness says it, and as people read it.
pub struct Allowed {
    /// As the harness says it.
    pub outcome: &'static CStr,
    /// As people read it.
    pub shown: &'static CStr,
}

/// What a program says of itself.
pub struct Standalone {
    /// The test's name in this program.
    pub name: &'static CStr,
    /// Where the test and its verdicts come from.
    pub about: &'static [&'static CStr],
    /// All outcomes that the model allows.
    pub allowed: &'static [Allowed],
    /// Whether deadlock is one of them.
    pub may_deadlock: bool,
}

#[repr(C)]
struct CAllowed {
    outcome: *const c_char,
    shown: *const c_char,
}

#[repr(C)]
struct CStandalone {
    name: *const c_char,
    about: *const *const c_char,
    allowed: *const CAllowed,
    may_deadlock: c_int,
}

unsafe extern "C" {
    fn litmpi_tap(argc: c_int, argv: *mut *mut c_char, of: *const CStandalone) -> c_int;
}

/// Runs the test; does not return.
pub fn tap(of: &Standalone) {
    let about: Vec<*const c_char> = of.about.iter().map(|line| line.as_ptr()).chain([null()]).collect();
    let mut allowed: Vec<CAllowed> =
        of.allowed.iter().map(|a| CAllowed { outcome: a.outcome.as_ptr(), shown: a.shown.as_ptr() }).collect();
    allowed.push(CAllowed { outcome: null(), shown: null() });
    let of = CStandalone {
        name: of.name.as_ptr(),
        about: about.as_ptr(),
        allowed: allowed.as_ptr(),
        may_deadlock: c_int::from(of.may_deadlock),
    };
    // SAFETY: all of it outlives the call.
    with_mpi(|argc, argv| unsafe { litmpi_tap(argc, argv, &of) });
}
