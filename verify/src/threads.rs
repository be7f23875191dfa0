//! Which threads of a process may call MPI, by what the process asked for when it initialised MPI (MPI-4.1, section 11.2.1).
//!
//! Calls of several threads are not followed (`Tree::of_threads`). Some need not be followed to be wrong: those of another thread than the one
//! that initialised MPI, in a program of which no process has asked for more than `MPI_THREAD_FUNNELED`.

use crate::rank::Process;
use crate::tree::Tree;

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

impl Tree {
    /// A call of a process whose threads are not followed: one that is made while another thread is in a call; and, where a process is run again
    /// and again, each that is not of the thread whose calls came first, since which thread comes first may be another one each time.
    pub(crate) fn of_threads(&self, process: &Process) -> Option<(usize, u64)> {
        let [foreign, overlapping] = process.calls_of_threads();
        overlapping.or(foreign.filter(|_| !self.one_way))
    }

    /// What is said of such a call.
    pub(crate) fn by_threads(&self, function: usize) -> String {
        let name = self.functions.get(function).map_or("a function", |f| f.name.as_str());
        format!("{name}: several threads that call MPI")
    }
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
