//! A reproducer: one test as one C file that needs nothing but an MPI library, for a bug tracker. It runs the test again and again,
//! prints each outcome that comes, and ends with 1 at the first that is not allowed, else with 0.
//!
//! Limits: a rank is one thread; where values are seen torn, the program says that they are corrupt, so tests of windows have
//! values of one int.

mod plain;
mod polls;
mod words;

use super::body::{Scope, comment};
use super::contents::Contents;
use super::test::{shape, translation};
use litmpi_litmus::ast::{Observed, Outcome, Test};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use plain::Plain;
pub use polls::is_polled;
use polls::polling;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use words::{functions, plain};

/// Functions that a reproducer may need, each behind the names that it is needed for.
const PIECES: &str = include_str!("../../../c/reproducer.c");
const MAIN: &str = include_str!("../../../c/reproducer-main.c");

/// Compilers warn of the address that stands for no statuses.
const ADDRESS: &str = "#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \"-Wstringop-overflow\" /* MPICH's MPI_STATUSES_IGNORE is the address 1 */
#endif

";

/// More outcomes than this would hide the program.
const OUTCOMES: usize = 400;

/// What a reproducer is to say and do.
#[derive(Debug, Clone)]
pub struct Reproduced<'a> {
    /// The test.
    pub test: &'a Test,
    /// All outcomes that are allowed.
    pub allowed: &'a BTreeSet<Outcome>,
    /// Bytes a value, a multiple of 4.
    pub size: u64,
    /// What the standard asks, and what was seen: lines of the comment at the top.
    pub about: Vec<String>,
    /// The program runs so often if its first argument says nothing else.
    pub turns: u64,
    /// Calls that wait are made of calls that test, as in the harness's relaxed style, in which something was seen.
    pub polls: bool,
}

/// The C file.
///
/// # Errors
/// What of the test has no C without the harness; a set of outcomes that is too large to be read, or in which the program is erroneous.
pub fn reproducer(of: &Reproduced<'_>, instructions: &Instructions) -> Result<String, Report> {
    let test = of.test;
    let refuse =
        |message: String, help: &str| Report::from(Diagnostic::at(&test.span, message).found("this test").help(help));
    let mut problems = shape(test);
    if test.family != "mpi" {
        problems = vec![Diagnostic::at(&test.span, "reproducers are programs of MPI").found("this test")];
    }
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    let undefined = of.allowed.iter().any(|o| matches!(o, Outcome::Undefined(_)));
    if undefined || of.allowed.len() > OUTCOMES {
        // A program that looks at such a location, or lets go of what is under way there, is not one to show to others.
        let message = if undefined {
            "a location has no value when the program ends".to_owned()
        } else {
            format!("{} outcomes are allowed", of.allowed.len())
        };
        return Err(refuse(message, "nothing that comes of it could be called wrong by a reader"));
    }
    let (mut bodies, mut translated) = (String::new(), BTreeSet::new());
    let calls = |name: &str| test.calls().iter().any(|c| instructions.list[c.instr].name.starts_with(name));
    let (windows, moves) = (calls("MPI_Win_"), calls("MPI_Win_allocate"));
    for thread in &test.threads {
        let dialect = Plain { test, node: thread.node, number: thread.number, windows, moves };
        let mut scope = Scope::new(test, thread, instructions, ("body", "of_rank"), &dialect);
        scope.keep(test.observed.iter().filter_map(|o| match o.what {
            Observed::Loc(l) => Some(l),
            Observed::Reg(..) => None,
        }));
        let body = plain(&scope.function());
        problems.append(&mut scope.problems());
        translated.append(&mut scope.translated);
        bodies.push_str(&body.replace("    settle();\n", &final_values(test, thread.node, &scope)));
        bodies.push('\n');
    }
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    if moves {
        bodies = bodies.replace("MPI_Win_free(", "my_win_free(");
    }
    if of.polls {
        bodies = polling(&bodies);
    }
    if bodies.contains("my_error_of(") {
        bodies = fresh(&bodies).ok_or_else(|| {
            let message = "the errors of several statuses are looked at".to_owned();
            refuse(message, "`litmpi emit -o DIR` writes the program with the harness")
        })?;
    }
    let mut own: String =
        instructions.kinds.iter().filter(|k| translated.contains(&k.name)).map(|k| translation(k, "body")).collect();
    own = plain(&own).trim_start().to_owned();
    let n = if windows { 1 } else { (of.size / 4).max(1) };
    let pieces = pieces(&format!("{own}{bodies}"), Contents::of(test, instructions)).map_err(|name| {
        refuse(format!("a reproducer has no `{name}`"), "`litmpi emit -o DIR` writes the program with the harness")
    })?;
    let mut out = head(of, instructions, n);
    if bodies.contains("MPI_STATUSES_IGNORE") {
        out.push_str(ADDRESS);
    }
    out.push_str(&pieces);
    if !own.is_empty() {
        let _ = writeln!(out, "{own}");
    }
    let _ = write!(out, "/* ---- the program ---- */\n\n{bodies}/* ---- what may come, and what comes ---- */\n\n");
    out.push_str(&tables(of));
    let lends = ["MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init"].iter().any(|f| bodies.contains(f))
        && !bodies.contains("my_buffer_");
    let buffer = if lends { "    PMPI_Buffer_attach(malloc(1 << 22), 1 << 22);\n" } else { "" };
    out.push_str(&MAIN.replace("    BUFFER\n", buffer));
    Ok(out)
}

/// Has each call say whether it puts an error into the status that it gives, which is its last argument; none where there are lists of statuses.
fn fresh(bodies: &str) -> Option<String> {
    let mut out = String::new();
    let mut names: Vec<&str> = vec![];
    for line in bodies.lines() {
        let declared = line.trim_start().strip_prefix("MPI_Status ");
        names.extend(declared.and_then(|rest| rest.split([' ', '[']).next()));
        if declared.is_some_and(|rest| rest.contains('[')) {
            return None;
        }
        let is_call = line.contains("TRY(") || line.contains("const int code = ");
        let mut line = line.to_owned();
        for name in names.iter().filter(|_| is_call) {
            line = line.replace(&format!(", &{name})"), &format!(", my_fresh(&{name}))"));
        }
        out += &(line + "\n");
    }
    Some(out)
}

/// Reads what the locations of a rank hold in the end that the outcome names.
fn final_values(test: &Test, node: usize, scope: &Scope<'_>) -> String {
    let mut out = String::from("    settle();\n");
    for (i, o) in test.observed.iter().enumerate() {
        if let Observed::Loc(l) = o.what
            && test.locs[l].node == node
        {
            let name = scope.name_of(l);
            let _ = writeln!(out, "    seen[{i}] = get({name}, \"{}\");", comment(&o.name));
        }
    }
    out
}

/// The functions that are needed, in the order of the file; the name of one that is not there is the error.
fn pieces(program: &str, contents: Contents) -> Result<String, String> {
    let all: Vec<(Vec<&str>, &str)> = PIECES
        .split("/*** ")
        .skip(1)
        .map(|part| part.split_once(" ***/\n").unwrap_or((part, "")))
        .map(|(names, text)| (names.split(' ').collect(), text.trim_end()))
        .collect();
    if let Some(unknown) = functions(program).find(|w| all.iter().all(|(names, _)| !names.contains(w))) {
        return Err(unknown.to_owned());
    }
    let own_operation =
        ["my_left", "my_right", "my_compose", "my_add"].iter().any(|f| functions(program).any(|w| w == *f));
    let told =
        ["my_comm_set_errhandler", "my_last_error", "my_handler"].iter().any(|f| functions(program).any(|w| w == *f));
    let mut needed: BTreeSet<&str> = functions(program).collect();
    needed.insert("always");
    if ["put(", "get("].iter().any(|f| program.contains(f)) {
        needed.insert(if contents == Contents::Placed && !own_operation { "placed" } else { "same" });
    }
    needed.insert(if told { "told" } else { "fatal" });
    needed.extend(["put", "get"].into_iter().filter(|f| program.contains(&format!("{f}("))));
    let chosen = |needed: &BTreeSet<&str>| -> Vec<&str> {
        all.iter().filter(|(names, _)| names.iter().any(|n| needed.contains(n))).map(|(_, text)| *text).collect()
    };
    // What functions need is there, too.
    loop {
        let more: BTreeSet<&str> =
            chosen(&needed).iter().flat_map(|text| functions(text)).filter(|w| !needed.contains(w)).collect();
        let more: BTreeSet<&str> =
            more.into_iter().filter(|w| all.iter().any(|(names, _)| names.contains(w))).collect();
        if more.is_empty() {
            break;
        }
        needed.extend(more);
    }
    let mut texts = chosen(&needed);
    // What says which errors are told stands before what asks.
    texts.sort_by_key(|t| !t.contains("is_told(int code)"));
    Ok(texts.into_iter().fold(String::new(), |out, text| out + text + "\n\n"))
}

fn head(of: &Reproduced<'_>, instructions: &Instructions, n: u64) -> String {
    let test = of.test;
    let mut out = format!("/* {}: {}\n *\n", comment(&test.name), comment(&test.title));
    for line in &of.about {
        let _ = writeln!(out, " * {}", comment(line));
    }
    let _ = writeln!(out, " *\n * The program, in short:");
    for line in program(test, instructions).lines() {
        let _ = writeln!(out, " *   {}", comment(line));
    }
    out.push_str(&what_comes(of));
    let erroneous = is_erroneous(of);
    let turns = if erroneous { 1 } else { of.turns };
    let ends = match erroneous {
        true => "prints what comes, and ends with 0 (its argument says how often it is to run).".to_owned(),
        false => format!(
            "prints what comes, and ends with 1 at the first outcome that is not allowed, else with 0 after {turns} turns (or as many as its argument says)."
        ),
    };
    let ranks = test.threads.len();
    let _ = write!(
        out,
        " *\n * mpicc reproducer.c -o reproducer && mpirun -n {ranks} ./reproducer; echo $?\n * {ends} */\n\
         #include <limits.h>\n#include <mpi.h>\n{}#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         #include <unistd.h>\n\n\
         enum {{ N = {n} }}; /* ints that a value takes */\n\
         enum {{ RANKS = {ranks}, SEEN = {}, TURNS = {}, MAY_DEADLOCK = {}, ERRONEOUS = {}, NOBODY = INT_MIN, CORRUPT = INT_MIN + 1 }};\n\n\
         static MPI_Comm comm; /* of all ranks, another one each turn */\n\
         static int rank, turn, line, seen[SEEN];\n\n",
        if of.polls { "#include <sched.h>\n" } else { "" },
        test.observed.len().max(1),
        turns,
        i64::from(of.allowed.contains(&Outcome::Deadlock) || erroneous),
        i64::from(erroneous),
    );
    out
}

/// Whether some execution is erroneous: then a library may do anything.
fn is_erroneous(of: &Reproduced<'_>) -> bool {
    of.allowed.iter().any(|o| matches!(o, Outcome::Erroneous { .. }))
}

/// The lines of the comment that say what the standard allows, or that it allows anything.
fn what_comes(of: &Reproduced<'_>) -> String {
    let (erroneous, good): (Vec<_>, Vec<_>) = of.allowed.iter().partition(|o| matches!(o, Outcome::Erroneous { .. }));
    let shown = |o: &Outcome| match of.test.show(o) {
        shown if shown.is_empty() => "all ranks come to their end (no value is observed)".into(),
        shown => comment(&shown),
    };
    let lines = |of: &[&Outcome]| of.iter().fold(String::new(), |out, o| format!("{out} *   {}\n", shown(o)));
    if erroneous.is_empty() {
        return format!(" *\n * What the standard allows ({}):\n{}", good.len(), lines(&good));
    }
    let mistake = format!(
        " *\n * The program is erroneous: a library may do anything, and a tool that looks for mistakes should tell this one:\n{}",
        lines(&erroneous)
    );
    if good.is_empty() {
        return mistake;
    }
    format!("{mistake} *\n * What comes of executions without the mistake ({}):\n{}", good.len(), lines(&good))
}

/// The test without its claims.
fn program(test: &Test, instructions: &Instructions) -> String {
    let mut test = test.clone();
    test.claims.clear();
    let text = litmpi_litmus::print(&test, instructions);
    text.lines().skip(1).filter(|l| !l.starts_with("locations ")).fold(String::new(), |out, l| out + l + "\n")
}

fn tables(of: &Reproduced<'_>) -> String {
    let test = of.test;
    let bodies: Vec<String> = test.threads.iter().map(|t| format!("body_of_rank_{}", t.number)).collect();
    let mut names: Vec<String> =
        test.observed.iter().map(|o| format!("\"{}\"", o.name.replace(['"', '\\'], "_"))).collect();
    if names.is_empty() {
        names.push("\"nothing\"".into());
    }
    let mut out = format!("static void (*const bodies[RANKS])(void) = {{{}}};\n", bodies.join(", "));
    let _ = writeln!(out, "static const char *const name[SEEN] = {{{}}};", names.join(", "));
    let rows: Vec<String> = of
        .allowed
        .iter()
        .filter_map(|o| match o {
            Outcome::Values(values) if values.is_empty() => Some("NOBODY".to_owned()),
            Outcome::Values(values) => Some(values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
            _ => None,
        })
        .collect();
    let _ = writeln!(out, "enum {{ OUTCOMES = {} }};", rows.len());
    let shown = if rows.is_empty() {
        "    {NOBODY},\n".into()
    } else {
        rows.iter().fold(String::new(), |t, r| t + "    {" + r + "},\n")
    };
    let _ = writeln!(out, "static const int allowed[][SEEN] = {{\n{shown}}};");
    out
}
