//! What the bodies of generated tests say to their harness, over MPI and over verbs alike.

use std::ffi::{CString, c_char, c_int, c_long};

unsafe extern "C" {
    fn litmpi_point(line: c_int);
    fn litmpi_choose(alternatives: c_int) -> c_int;
    fn litmpi_turn(turn: c_long) -> c_int;
    fn litmpi_observe(observable: c_int, value: c_int);
}

/// Gives the program's arguments to the harness; its exit code.
pub(super) fn with_arguments(harness: impl FnOnce(c_int, *mut *mut c_char) -> c_int) -> c_int {
    let arguments: Vec<CString> = std::env::args().filter_map(|a| CString::new(a).ok()).collect();
    let mut pointers: Vec<*mut c_char> = arguments.iter().map(|a| a.as_ptr().cast_mut()).collect();
    let count = pointers.len() as c_int;
    pointers.push(std::ptr::null_mut());
    harness(count, pointers.as_mut_ptr())
}

/// The body is over before its end: an error, a deadlock, or a loop that was cut.
pub struct Ended;

/// The statement of this line begins: perhaps a delay.
pub fn point(line: c_int) {
    // SAFETY: takes a number.
    unsafe { litmpi_point(line) }
}

/// One of `0 .. of`.
pub fn choose(of: c_int) -> c_int {
    // SAFETY: takes a number.
    unsafe { litmpi_choose(of) }
}

/// A register's final value.
pub fn observe(observable: c_int, value: c_int) {
    // SAFETY: the test has that observable.
    unsafe { litmpi_observe(observable, value) }
}

/// Turns of a loop.
pub struct Turns(c_long);

/// Counts the turns of a loop.
pub fn turns() -> Turns {
    Turns(0)
}

impl Turns {
    /// Whether the loop may go on.
    pub fn next(&mut self) -> Result<(), Ended> {
        let turn = self.0;
        self.0 += 1;
        // SAFETY: takes a number.
        if unsafe { litmpi_turn(turn) } == 0 { Err(Ended) } else { Ok(()) }
    }
}
