//! The way round: of a litmus test a C program is made, which `verify` explores as it explores any other. What comes of it must be what
//! `enumerate` says of the test.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// One of so many tests is taken; `LITMPI_WAY_ROUND=1` takes all.
const EVERY: usize = 16;

/// What a reproducer does beside the test, so that it has other outcomes: it chooses by chance, and waits for the others at a window's birth.
/// And functions of MPI 4.1 that the MPICH here does not have, so that it cannot be linked.
const OTHERWISE: [&str; 10] = [
    "my_choose(",
    "my_win_allocate(",
    "MPI_Buffer_flush(",
    "MPI_Buffer_iflush(",
    "MPI_Comm_attach_buffer(",
    "MPI_Comm_detach_buffer(",
    "MPI_Comm_flush_buffer(",
    "MPI_Request_get_status_all(",
    "MPI_Request_get_status_any(",
    "MPI_Request_get_status_some(",
];
/// The same of single tests, and why.
const APART: [(&str, &str); 32] = [
    ("attr-dup-order", "`verify` calls the copy functions of attributes in one order"),
    ("clause-buffer-attach", "a reproducer attaches a buffer of its own"),
    ("coll-op-false-commute", "whether an operation of the program commutes is not tried"),
    ("env-finalize-against-barrier", "in a reproducer MPI_Finalize stands behind the test"),
    ("env-finalize-freed-receive", "the same"),
    ("env-finalize-leaked-persistent", "the same"),
    ("env-finalize-leaked-send", "the same"),
    ("env-finalize-twice", "the same"),
    ("error-argument-elsewhere", "a reproducer is told of errors"),
    ("error-truncate-other-communicator", "the same"),
    ("group-range-short", "how long a list is, C does not know"),
    ("type-places-before-all", "what lies before a variable may be of another one"),
    ("attr-free-order", "and the functions that delete them"),
    ("error-handler-set-get", "a reproducer sets the handler of MPI_COMM_SELF"),
    ("cancel-freed-send", "the test leaves a message that nobody receives, which is an error at MPI_Finalize"),
    ("env-finalize-held", "in a program that runs, MPI_Finalize waits for all"),
    ("env-wtime-goes-on", "the clock of `verify` goes on with each look at it"),
    ("rma-complete-may-wait", "the test leaves messages that nobody receives, which is an error at MPI_Finalize"),
    ("rma-flush-local-may-wait", "the same"),
    ("rma-unlock-may-wait", "the same"),
    ("rma-unlock-other-target", "the same"),
    ("grequest-left", "the test leaves a request, which is an error at MPI_Finalize"),
    ("isendrecv-free", "the test leaves a receive that nobody knows to be over, which is an error at MPI_Finalize"),
    ("self-message-left", "the test leaves a message that nobody receives, for which MPI_Finalize may wait for ever"),
    ("persistent-free-then-inactive-wait", "the test leaves a receive pending"),
    ("request-free-leaves-others", "the test leaves a receive pending"),
    ("term-no-fairness-waitany", "the test leaves a receive pending"),
    ("rma-fence-seen-early", "`mpicc` compiles loads so that they are not seen"),
    ("rma-fence-store-during-get", "a race is told, and what comes of it is not followed"),
    ("rma-puts-not-ordered", "`mpicc` compiles loads so that they are not seen"),
    ("type-packed-received-typed", "packed data must be received as such under `verify`"),
    ("wildcard-three-senders", "its nine messages have too many orders for a test"),
];

/// What a reproducer's comment says of a program with a mistake. What comes of it then is the mistake, whichever of several.
const ERRONEOUS: &str = "\n * The program is erroneous: ";

/// What a reproducer says that the standard allows: the lines behind the heading of its comment.
fn allowed(text: &str) -> BTreeSet<String> {
    if text.contains(ERRONEOUS) {
        return BTreeSet::from(["erroneous".to_owned()]);
    }
    let lines = text.lines().skip_while(|l| !l.starts_with(" * What the standard allows")).skip(1);
    let lines = lines.take_while(|l| *l != " *").map(|l| l.trim_start_matches([' ', '*']).to_owned());
    // A test without values, as a program prints it.
    lines
        .map(|l| if l.starts_with("all ranks come to their end") { "nothing=-2147483648;".to_owned() } else { l })
        .collect()
}

/// What comes of it under `verify`: what its rank 0 prints of each outcome, and what is found.
fn came(said: &Said) -> BTreeSet<String> {
    let json = said.json();
    let list = |of: &serde_json::Value| of.as_array().cloned().unwrap_or_default();
    let printed = list(&json["ends"]).into_iter().flat_map(|ranks| list(&ranks)).flat_map(|rank| {
        let text = rank["stdout"].as_str().unwrap_or_default().to_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let outcome = |line: String| {
        Some(line.split_once("allowed, turn 1: ").or(line.split_once("ALLOWED, turn 1: "))?.1.trim().to_owned())
    };
    let found = list(&json["findings"]).into_iter().filter_map(|f| match f["bad"].as_str() {
        // Outcomes that differ are what is asked for.
        Some("varies" | "leak") | None => None,
        Some("deadlock") => Some("deadlock".to_owned()),
        Some(other) => Some(format!("{other}: {}", f["what"])),
    });
    printed.filter_map(outcome).chain(found).collect()
}

/// Whether both are the same; what is undefined may be anything.
fn agree(allowed: &BTreeSet<String>, came: &BTreeSet<String>) -> bool {
    let parts = |text: &str| text.split(';').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    let is = |a: &String, b: &String| {
        let (a, b) = (parts(a), parts(b));
        let same = |(a, b): (&String, &String)| match a.strip_suffix("undefined") {
            Some(name) => b.starts_with(name),
            None => a == b,
        };
        a.len() == b.len() && a.iter().zip(&b).all(same)
    };
    allowed.iter().all(|a| came.iter().any(|c| is(a, c))) && came.iter().all(|c| allowed.iter().any(|a| is(a, c)))
}

/// What a reproducer's comment says, and what comes of it.
fn round(source: &Path, dir: &TempDir) -> (BTreeSet<String>, BTreeSet<String>, Said) {
    let text = std::fs::read_to_string(source).expect("a program");
    let ranks = text.split_once("enum { RANKS = ").and_then(|(_, rest)| rest.split_once(',')).expect("ranks").0;
    let program = dir.path().join(source.file_stem().expect("a name"));
    let is_erroneous = text.contains(ERRONEOUS);
    if is_erroneous {
        // Some mistakes are loads and stores.
        let names = [&program, source].map(|p| p.to_str().expect("UTF-8").to_owned());
        litmpi_in(&root(), ["cc", "-w", "-o", &names[0], &names[1]]).exits(0);
    } else {
        let done = Command::new("mpicc.mpich").arg("-w").arg("-o").arg(&program).arg(source).status();
        assert!(done.expect("the compiler").success(), "{}", source.display());
    }
    let program = program.to_str().expect("UTF-8");
    // A reproducer knows what a library may do that looks at arguments, if its test speaks of one.
    let name = source.file_stem().expect("a name").to_str().expect("UTF-8");
    let test = std::fs::read_to_string(root().join(format!("litmus/mpi/{name}.litmus"))).expect("the test");
    let variant = if test.contains("verdict mpi (checked)") { "checked" } else { "default" };
    let args = ["verify", "-n", ranks, "--variant", variant, "--observe", "stdout", "--json", "--", program, "1"];
    let said = litmpi_in(&root(), args);
    let came = came(&said);
    let is_found = |c: &String| MISTAKES.iter().any(|bad| c.starts_with(bad));
    let came = if is_erroneous && came.iter().any(is_found) { allowed(&text) } else { came };
    (allowed(&text), came, said)
}

/// What `verify` calls a mistake that the rules know; a reproducer aborts where it is told of one.
const MISTAKES: [&str; 3] = ["erroneous", "race", "abort"];

#[test]
fn what_is_emitted_has_under_verify_the_outcomes_that_were_enumerated() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let programs = dir.path().join("programs");
    let out = programs.to_str().expect("UTF-8");
    // Some tests have no reproducer; that is said, and the exit code tells.
    litmpi_in(&root(), ["emit", "litmus/mpi", "--reproducer", "--size", "4", "-o", out]);
    let mut sources: Vec<_> =
        std::fs::read_dir(&programs).expect("programs").map(|e| e.expect("an entry").path()).collect();
    sources.sort();
    assert!(sources.len() > 1200, "{}", sources.len());
    let every = if std::env::var_os("LITMPI_WAY_ROUND").is_some() { 1 } else { EVERY };
    let mut wrong = vec![];
    let is_alike = |source: &&std::path::PathBuf| {
        let text = std::fs::read_to_string(source).expect("a program");
        let name = source.file_stem().expect("a name");
        !OTHERWISE.iter().any(|call| text.contains(call)) && !APART.iter().any(|(apart, _)| *apart == name)
    };
    for source in sources.iter().filter(is_alike).step_by(every) {
        let (allowed, came, said) = round(source, &dir);
        if !agree(&allowed, &came) {
            wrong.push(format!("{}: allowed {allowed:?}, came {came:?}\n{said}", source.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
