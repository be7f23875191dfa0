//! Which threads of a process may call MPI, by what the process asked for when it initialised MPI (MPI-4.1, section 11.2.1).
//!
//! Calls of several threads are not followed (`Tree::of_threads`). Some need not be followed to be wrong: those of another thread than the one
//! that initialised MPI, in a program of which no process has asked for more than `MPI_THREAD_FUNNELED`.

/// `MPI_THREAD_FUNNELED`: the thread that initialised MPI makes all calls.
const FUNNELED: i32 = 1;
/// Functions that every thread may call at any time (section 11.4.1), and those that make a thread the main one. Where such a call was the first
/// of its thread to be seen, the main thread may be another one than that whose calls came first.
const ANY_THREAD: [&str; 8] = [
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Query_thread",
    "MPI_Is_thread_main",
    "MPI_Get_version",
    "MPI_Get_library_version",
];

/// Why a call of a thread is wrong that is not the one whose calls came first, where no process has asked for more than this level; none if it
/// may be right.
pub(crate) fn wrong(function: &str, asked: i32) -> Option<String> {
    let is_plain =
        !ANY_THREAD.contains(&function) && !function.starts_with("MPI_T_") && !function.starts_with("MPI_Session_");
    (is_plain && asked <= FUNNELED).then(|| {
        format!(
            "{function}: called by another thread than the one that initialised MPI, in a process that has asked for no more than MPI_THREAD_FUNNELED"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn only_the_main_thread_calls_unless_more_is_asked_for() {
        for asked in [0, 1] {
            assert!(wrong("MPI_Barrier", asked).is_some());
            assert_eq!(wrong("MPI_Initialized", asked), None);
            assert_eq!(wrong("MPI_Init", asked), None);
        }
        assert_eq!(wrong("MPI_Barrier", 2), None);
        assert_eq!(wrong("MPI_Barrier", 3), None);
    }
}
