//! Functions of which the rules have nothing to say, because no other process sees them: answered at once. And which calls neither wait nor synchronise.

use crate::rank::Process;

/// `MPI_MAX_LIBRARY_VERSION_STRING` and its like are larger than what is written here.
const VERSION: &[u8] = b"litmpi: the rules as an MPI library\0";

/// What is said of a call that gives something back where the process has no memory.
pub(crate) fn no_memory(at: u64) -> String {
    format!("what is to hold its result is no memory of the process ({at:#x})")
}

/// What a call of such a function returns; nothing if the rules speak of the function. A process may ask before `MPI_Init` and behind
/// `MPI_Finalize`, where the rules have no process.
///
/// # Errors
/// The process has no memory where it is to be told something.
pub(crate) fn answer(
    name: &str,
    args: &[u64],
    process: &Process,
    (initialized, finalized): (bool, bool),
) -> Result<Option<i64>, String> {
    let put = |at: u64, bytes: &[u8]| process.write(at, bytes).map_err(|_| no_memory(at));
    let int = |at: u64, v: i32| put(at, &v.to_ne_bytes());
    let text = |at: u64, len: u64, text: &[u8]| {
        put(at, text)?;
        int(len, text.len() as i32 - 1)
    };
    match name {
        "MPI_Init" => {}
        "MPI_Initialized" => int(args[0], i32::from(initialized))?,
        "MPI_Finalized" => int(args[0], i32::from(finalized))?,
        "MPI_Init_thread" => int(args[3], (args[2] as i32).min(1))?,
        "MPI_Is_thread_main" => int(args[0], 1)?,
        "MPI_Get_version" => {
            // What the header says that programs were compiled with.
            int(args[0], 4)?;
            int(args[1], 0)?;
        }
        "MPI_Get_library_version" => text(args[0], args[1], VERSION)?,
        // All processes share one memory (MPI_COMM_TYPE_SHARED).
        "MPI_Get_processor_name" => text(args[0], args[1], b"node\0")?,
        // The library in C has kept what was provided.
        "MPI_Query_thread" | "MPI_Pcontrol" => {}
        "MPI_Error_string" => text(args[1], args[2], format!("error class {}\0", args[0] as i32).as_bytes())?,
        _ => return Ok(None),
    }
    Ok(Some(0))
}

/// Whether a call neither waits nor asks for anything nor synchronises. What others write into windows of the process may be seen behind it, but
/// no program can count on that: the process is told behind the next call that is not such.
pub(crate) fn is_local(name: &str) -> bool {
    const STARTS: [&str; 9] = [
        "MPI_I",
        "MPI_R",
        "MPI_Type_",
        "MPI_Group_",
        "MPI_Op_",
        "MPI_Get_",
        "MPI_Win_get_",
        "MPI_Comm_get_",
        "MPI_Start",
    ];
    const CALLS: [&str; 10] = [
        "MPI_Put",
        "MPI_Get",
        "MPI_Accumulate",
        "MPI_Fetch_and_op",
        "MPI_Compare_and_swap",
        "MPI_Win_post",
        "MPI_Comm_rank",
        "MPI_Comm_size",
        "MPI_Comm_group",
        "MPI_Cancel",
    ];
    const NOT: [&str; 8] = [
        "MPI_Iprobe",
        "MPI_Improbe",
        "MPI_Intercomm_create",
        "MPI_Intercomm_create_from_groups",
        "MPI_Intercomm_merge",
        "MPI_Recv",
        "MPI_Reduce",
        "MPI_Rsend",
    ];
    let is_start = STARTS.iter().any(|s| name.starts_with(s)) && !NOT.iter().any(|n| name.starts_with(n));
    is_start || CALLS.contains(&name)
}
