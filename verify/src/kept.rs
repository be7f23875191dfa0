//! What a process has made and not freed when it calls `MPI_Finalize`. The standard does not call that erroneous. Of info objects, error handlers, memory and
//! the keys that have functions the library in C knows (`count_what_is_left` in `verify/c/callbacks.c`), of all else the rules.

use crate::rank::Process;
use crate::tree::Model;
use litmpi_engine::unfold::{Given, Shown};

/// Where the numbers of the library in C stand in what it says of its own memory (`own` in `verify/c/library.c`).
const LEFT: u64 = 64;

/// What a rank has made and not freed, in words.
pub(crate) fn kept(rank: usize, process: &Process, model: Model<'_>) -> Vec<String> {
    let given = [Given::Word(rank as i64)];
    let of_rules = |function: &str| match model.machine.apply(function, &given, model.state) {
        Ok(Some(Shown::Parts(list))) => list.len() as u64,
        _ => 0,
    };
    let of_library = match process.own.is_empty() {
        true => vec![],
        false => process.words(process.own.start + LEFT, 4),
    };
    let [infos, keys, handlers, pieces] = of_library[..].try_into().unwrap_or([0; 4]);
    let kinds = [
        (of_rules("kept_comms"), "communicator"),
        (of_rules("kept_groups"), "group"),
        (of_rules("kept_types"), "datatype"),
        (of_rules("kept_ops"), "operation"),
        (of_rules("kept_windows"), "window"),
        (of_rules("kept_requests"), "persistent request"),
        (infos, "info object"),
        (keys + of_rules("kept_keys"), "attribute key"),
        (handlers, "error handler"),
        (pieces, "memory allocation"),
    ];
    let told = |(n, what): &(u64, &str)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" });
    kinds.iter().filter(|(n, _)| *n > 0).map(told).collect()
}
