//! Real MPI programs under the rules: each program of `tests/verify` says in its head what is to be found.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use crate::told::is_rare;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What a program's head says.
struct Head {
    ranks: String,
    /// The verdict.
    expect: String,
    /// The verdict where loads and stores are seen, if that is another one.
    instrumented: Option<String>,
    /// The verdict of behaviours at random, each of which is followed by processes of its own, if that is another one.
    random: Option<String>,
    /// The variant of the rules, if another than the default.
    variant: String,
    /// What is to be said first.
    says: Option<String>,
}

fn head(text: &str) -> Head {
    // Of Fortran and Python each line is a comment of its own.
    let of =
        |word: &str| text.lines().find_map(|l| l.trim_start_matches(['!', '#']).strip_prefix(word)).map(str::to_owned);
    let needed = |word: &str| of(word).unwrap_or_else(|| panic!("no line `{word}`"));
    Head {
        ranks: needed(" * ranks: "),
        expect: needed(" * expect: "),
        instrumented: of(" * instrumented: "),
        random: of(" * random: "),
        variant: of(" * variant: ").unwrap_or("default".into()),
        says: of(" * says: "),
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("tests/verify")).expect("the programs");
    let mut all: Vec<PathBuf> = folder.map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all
}

fn is_python(program: &Path) -> bool {
    program.extension().is_some_and(|e| e == "py")
}

/// A Python that has mpi4py, from PyPI; or why there is none.
fn python() -> Result<PathBuf, String> {
    let folder = root().join("target/tmp/mpi4py");
    let python = folder.join("bin/python");
    let has = |python: &Path| Command::new(python).args(["-c", "import mpi4py"]).status().is_ok_and(|s| s.success());
    if has(&python) {
        return Ok(python);
    }
    let done = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(e) => Err(e.to_string()),
    };
    done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    done(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "mpi4py"]))?;
    Ok(python)
}

/// MPICH's compiler for a program, and litmpi's name for it.
fn compilers(source: &Path) -> (&'static str, &'static str) {
    match source.extension().and_then(|e| e.to_str()) {
        Some("c") => ("mpicc.mpich", "cc"),
        Some("cpp") => ("mpicxx.mpich", "c++"),
        Some("f90") => ("mpifort.mpich", "fc"),
        _ => panic!("{}: no compiler is known", source.display()),
    }
}

/// Compiles a program of which this is the text.
pub(crate) fn written(text: &str, dir: &TempDir) -> PathBuf {
    let source = dir.path().join("program.c");
    std::fs::write(&source, text).expect("a program");
    compiled(&source, dir)
}

/// With what options of its own a program is compiled.
fn options(source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source).expect("a program");
    let of = text.lines().find_map(|l| l.trim_start_matches('!').strip_prefix(" * options: "));
    of.into_iter().flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Compiles a program, as its user would.
fn compiled(source: &Path, dir: &TempDir) -> PathBuf {
    let out = dir.path().join(source.file_stem().expect("a name"));
    // There, since modules of Fortran are written where the compiler runs.
    let mut compiler = Command::new(compilers(source).0);
    let done =
        compiler.args(["-g", "-O1", "-o"]).arg(&out).arg(source).args(options(source)).current_dir(dir.path()).status();
    assert!(done.expect("the compiler").success(), "{}", source.display());
    out
}

/// Compiles a program so that its loads and stores are seen.
pub(crate) fn instrumented(source: &Path, dir: &TempDir) -> PathBuf {
    let out = dir.path().join(source.file_stem().expect("a name")).with_extension("seen");
    let (out_text, text) = (out.to_str().expect("UTF-8"), source.to_str().expect("UTF-8"));
    let options = options(source);
    let own = options.iter().map(String::as_str);
    litmpi_in(dir.path(), [compilers(source).1, "-O1", "-o", out_text, text].into_iter().chain(own)).exits(0);
    out
}

pub(crate) fn verify(program: &Path, more: &[&str]) -> Said {
    let mut args = vec!["verify", "--patience", "2"];
    args.extend(more);
    args.extend(["--", program.to_str().expect("UTF-8")]);
    litmpi_in(&root(), args)
}

/// What litmpi says of a program, in the words of the heads.
pub(crate) fn verdict(said: &Said) -> String {
    let json = said.json();
    let word = json["verdict"].as_str().expect("a verdict").to_owned();
    let findings = json["findings"].as_array().expect("a list");
    match word.as_str() {
        "undecided" if !json["unsupported"].as_array().expect("a list").is_empty() => "unsupported".into(),
        "correct" if findings.iter().any(|f| f["bad"] == "leak") => "leak".into(),
        _ => word,
    }
}

/// What is said of a program first, in a line.
fn first(said: &Said) -> String {
    let finding = &said.json()["findings"][0];
    let [bad, at, what] = ["bad", "at", "what"].map(|of| finding[of].as_str().unwrap_or_default().to_owned());
    format!("{bad}, rank {}, {at}: {what}", finding["rank"])
}

/// Holds what litmpi says of a program against the head of its source; `sees` says whether loads and stores are seen.
fn held(program: &Path, head: &Head, sees: bool) -> Option<String> {
    // Without being told so, litmpi searches in full what is small: what a reduced search finds is to be the same.
    let how: &[&str] = if sees { &["--search", "reduced"] } else { &[] };
    let said = verify(program, &[&["-n", &head.ranks, "--variant", &head.variant, "--json"], how].concat());
    let wanted = head.instrumented.as_ref().filter(|_| sees).unwrap_or(&head.expect).as_str();
    let code = [("correct", 0), ("unsupported", 3)].iter().find(|(v, _)| *v == wanted).map_or(1, |(_, code)| *code);
    let found = verdict(&said);
    let says = head.says.as_ref().is_none_or(|says| first(&said).contains(says.as_str()));
    let holds = found == wanted && says && said.code == Some(code) && said.json()["accesses"] == sees;
    (!holds).then(|| format!("{}: {wanted} is wanted, {found} is said\n{said}", program.display()))
}

/// Whether behaviours of a program at random show what its head says: false if they show nothing where something is wrong; else an error says what they show.
fn at_random(program: &Path, head: &Head) -> Result<bool, String> {
    let said = verify(program, &["-n", &head.ranks, "--variant", &head.variant, "--random", "8", "--json"]);
    let found = verdict(&said);
    match head.random.as_ref().unwrap_or(&head.expect).as_str() {
        "correct" if found == "nothing found" && said.code == Some(0) => Ok(true),
        "correct" => Err(format!("{}, at random: {said}", program.display())),
        _ if found == "nothing found" => Ok(false),
        wanted if found == wanted => Ok(true),
        wanted => Err(format!("{}: {wanted} is wanted at random, {found} is said", program.display())),
    }
}

/// Holds every other program, from this one on, against what its head says, in all behaviours and at random.
fn every_other_program(from: usize) {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let (mut wrong, mut missed) = (vec![], vec![]);
    for source in programs().into_iter().filter(|p| !is_python(p)).skip(from).step_by(2) {
        let head = head(&std::fs::read_to_string(&source).expect("a program"));
        let program = compiled(&source, &dir);
        wrong.extend(held(&program, &head, false));
        // At random, the function may see what the process has set since (docs/verify.md), and what goes round for ever comes to the bound of states.
        let differs = source.ends_with("reduction-reads-a-variable.c") || source.ends_with("window-lock-never-free.c");
        if differs || source.extension().is_none_or(|e| e != "c") {
            continue;
        }
        match at_random(&program, &head) {
            Ok(is_shown) => missed.extend((!is_shown && !is_rare(&source)).then_some(source)),
            Err(what) => wrong.push(what),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Of others none is missed now. One whose chances change may be.
    assert!(missed.len() < 3, "{missed:?}");
}

#[test]
fn of_every_program_is_found_what_its_head_says_and_at_random_nothing_else() {
    every_other_program(0);
}

#[test]
fn of_every_program_between_those_is_found_what_its_head_says_and_at_random_nothing_else() {
    every_other_program(1);
}

#[test]
fn of_every_program_whose_loads_and_stores_are_seen_is_found_what_its_head_says() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let mut wrong = vec![];
    for source in programs().into_iter().filter(|p| !is_python(p)) {
        let head = head(&std::fs::read_to_string(&source).expect("a program"));
        let name = source.file_name().expect("a name").to_string_lossy();
        // Loads and stores matter where memory is shared, or in use.
        if head.instrumented.is_some()
            || !name.ends_with(".c")
            || ["window", "buffer", "persistent", "wait"].iter().any(|w| name.contains(w))
        {
            wrong.extend(held(&instrumented(&source, &dir), &head, true));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_of_programs_by_class_has_those_that_are_there() {
    let mut classes: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for source in programs() {
        let text = std::fs::read_to_string(&source).expect("a program");
        let of = text.lines().find_map(|l| l.trim_start_matches(['!', '#']).strip_prefix(" * class: "));
        let of = of.unwrap_or_else(|| panic!("{}: no line ` * class: `", source.display()));
        for row in [of, "all"] {
            *classes.entry(row.to_owned()).or_default().entry(head(&text).expect).or_default() += 1;
        }
    }
    let document = std::fs::read_to_string(root().join("docs/verify-programs.md")).expect("the table");
    let rows = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut lines = document.lines().filter(|l| l.starts_with('|')).map(rows);
    let verdicts = lines.next().expect("a head");
    for (class, of) in &classes {
        let row = document.lines().map(rows).find(|r| r.get(1) == Some(class));
        let row = row.unwrap_or_else(|| panic!("no row for {class}: LITMPI=… python3 verify/suite/programs.py"));
        let said = verdicts.iter().zip(&row).skip(3).take(verdicts.len() - 6);
        let said: BTreeMap<String, usize> = said.map(|(v, n)| (v.clone(), n.parse().expect("a number"))).collect();
        let there: BTreeMap<String, usize> =
            said.keys().map(|v| (v.clone(), of.get(v).copied().unwrap_or(0))).collect();
        assert_eq!(said, there, "{class}: LITMPI=… python3 verify/suite/programs.py > docs/verify-programs.md");
        assert_eq!(row[2], of.values().sum::<usize>().to_string(), "{class}");
    }
}

#[test]
fn one_behaviour_of_a_long_program_takes_as_long_as_the_program_and_shows_what_it_writes() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let text = r#"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int size, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2000; i++) {
        /* Memory that was not passed before. */
        int *out = malloc(600), *in = malloc(600), seen;
        MPI_Request request;
        MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &request);
        *out = i;
        MPI_Send(out, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seen = *in;
        if (seen != i)
            abort();
    }
    printf("rank %d is through\n", rank);
    MPI_Finalize();
    return 0;
}
"#;
    let program = written(text, &dir);
    let said = verify(&program, &["--random", "1", "--json"]);
    said.exits(0);
    let json = said.json();
    assert_eq!(json["written"], serde_json::json!(["rank 0 is through\n", "rank 1 is through\n"]));
    // Each rank is started again a few times, for more room, and not with each buffer.
    assert!(json["calls"] == 2 * (3 * 2000 + 3) && json["processes"].as_u64().expect("a number") < 40, "{said}");
    verify(&program, &["--random", "1"])
        .exits(0)
        .says("[1] rank 1 is through")
        .says("nothing found: 1 behaviour at random of 2 ranks");
}

#[test]
fn a_program_that_names_many_elements_of_a_window_is_begun_again_a_few_times() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let source = root().join("tests/verify/many-puts-in-an-epoch.c");
    let text = std::fs::read_to_string(source).expect("a program").replace("MANY = 6 ", "MANY = 60 ");
    let said = verify(&written(&text, &dir), &["--random", "1", "--json"]);
    said.exits(0);
    let json = said.json();
    assert!(json["processes"].as_u64().expect("a number") < 60, "{said}");
}

/// Rank 1 attaches one block of memory after the other to a dynamic window; rank 0 reads and writes it under locks. `WRONG` is the block that rank 1
/// changes when rank 0 may read it.
const BLOCKS: &str = r#"#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    for (int i = 0; i < 200; i++) {
        MPI_Aint at;
        int *block = 0, got = 0, put = 7 * i;
        if (rank == 1) {
            block = malloc(64);
            block[2] = 3 * i;
            block[5] = -1;
            MPI_Win_attach(w, block, 64);
            MPI_Get_address(block, &at);
            MPI_Send(&at, 1, MPI_AINT, 0, i, MPI_COMM_WORLD);
            if (i == WRONG)
                block[2] = 4;
            MPI_Recv(0, 0, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);
            assert(block[5] == 7 * i);
            MPI_Win_unlock(1, w);
        } else {
            MPI_Recv(&at, 1, MPI_AINT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);
            MPI_Get(&got, 1, MPI_INT, 1, MPI_Aint_add(at, 8), 1, MPI_INT, w);
            MPI_Put(&put, 1, MPI_INT, 1, MPI_Aint_add(at, 20), 1, MPI_INT, w);
            MPI_Win_unlock(1, w);
            assert(got == 3 * i);
            MPI_Send(0, 0, MPI_INT, 1, i, MPI_COMM_WORLD);
        }
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn elements_that_are_named_late_are_watched_from_there_and_hold_what_their_process_wrote() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let said = |block: &str| verify(&written(&BLOCKS.replace("WRONG", block), &dir), &["--random", "1", "--json"]);
    let correct = said("-1");
    correct.exits(0);
    let processes = |said: &Said| said.json()["processes"].as_u64().expect("a number");
    // For each element anew they would be more than 400.
    assert!(processes(&correct) < 150, "{correct}");
    let wrong = said("190");
    wrong.exits(1);
    assert_eq!(verdict(&wrong), "crash", "{wrong}");
    assert!(processes(&wrong) < 150, "{wrong}");
}

/// Buffers of more elements than are followed one by one, each in memory in which smaller ones lay.
const GROWING: &str = r#"#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
static void last(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    for (int i = 0; i < *n; i++)
        b[i] = a[i] + 2 * b[i];
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Op_create(last, 0, &op);
    for (int n = 16; n <= 1 << 19; n *= 8) {
        int *all = malloc(2 * n * sizeof *all), *sum = malloc(n * sizeof *sum);
        for (int i = 0; i < n; i++)
            all[rank * n + i] = 5 * rank + i;
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD);
        assert(all[n - 1] == n - 1 && all[n] == 5 && all[2 * n - 1] == 5 + n - 1);
        MPI_Allreduce(all + rank * n, sum, n, MPI_INT, op, MPI_COMM_WORLD);
        assert(sum[0] == 10 && sum[n - 1] == 3 * (n - 1) + 10);
        free(all);
        free(sum);
    }
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn large_buffers_are_runs_wherever_smaller_ones_lay_and_in_reductions_by_the_programs_functions() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(GROWING, &dir);
    verify(&program, &["--random", "2"]).exits(0).says("nothing found: 2 behaviours");
    // Memory that is compared says that all behaviours are one. Whether large buffers lie where others lay depends on where libraries are: these stay.
    let stays = "        if (n < 1 << 16)\n            free(all), free(sum);\n";
    let program = written(&GROWING.replace("        free(all);\n        free(sum);\n", stays), &dir);
    verify(&program, &[]).exits(0).says("correct: every behaviour of 2 ranks");
}

/// Large buffers and smaller ones, whose lengths have no large divisor in common.
const UNEVEN: &str = r#"#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, counts[] = {300, 1000, 1 << 20, 600};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        int n = counts[i], *a = malloc(n * sizeof *a);
        for (int k = 0; k < n; k++)
            a[k] = rank ? -1 : k;
        MPI_Bcast(a, n, MPI_INT, 0, MPI_COMM_WORLD);
        assert(a[0] == 0 && a[n - 1] == n - 1);
        free(a);
    }
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn buffers_of_any_lengths_leave_large_ones_runs() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    verify(&written(UNEVEN, &dir), &["--random", "2"]).exits(0).says("nothing found: 2 behaviours");
}

/// Two ranks replace the same elements of a third one's window.
const REPLACED: &str = r#"#include <mpi.h>
#include <assert.h>
#define N 2000
static int all[N], mine[N];
int main(int argc, char **argv)
{
    int rank;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(all, sizeof all, sizeof *all, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    for (int k = 0; k < N; k++)
        mine[k] = rank;
    MPI_Win_fence(0, w);
    if (rank)
        MPI_Accumulate(mine, N, MPI_INT, 0, 0, N, MPI_INT, MPI_REPLACE, w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        for (int k = 0; k < N; k++)
            assert(CLAIM);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn an_accumulate_that_one_behaviour_has_is_a_few_steps_between_which_others_come() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let claimed = |claim: &str| written(&REPLACED.replace("CLAIM", claim), &dir);
    let each = verify(&claimed("all[k] == 1 || all[k] == 2"), &["-n", "3", "--random", "8", "--json"]);
    each.exits(0);
    // Element by element they would be 4000 for each behaviour.
    assert!(each.json()["states"].as_u64().expect("a number") < 4000, "{each}");
    // Each element is replaced by itself (§12.7.1).
    let whole = verify(&claimed("all[k] == all[0]"), &["-n", "3", "--random", "40", "--json"]);
    assert_eq!(verdict(&whole), "crash", "{whole}");
}

#[test]
fn the_same_seed_follows_the_same_behaviours() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = compiled(&root().join("tests/verify/wildcard-race.c"), &dir);
    let said = |seed: &str| verify(&program, &["-n", "3", "--random", "20", "--seed", seed, "--json"]).stdout;
    assert_eq!(said("7"), said("7"));
    assert!((0..6).any(|seed: u32| said(&seed.to_string()) != said("7")));
    verify(&program, &["--seed", "7"]).exits(2).says("--random");
    verify(&program, &["--random", "0"]).exits(2).says("1..");
}

#[test]
fn programs_of_mpi4py_are_run_as_they_are() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return println!("skipped: mpi4py cannot be had: {why} (./dev setup python)"),
    };
    for source in programs().iter().filter(|p| is_python(p)) {
        let head = head(&std::fs::read_to_string(source).expect("a program"));
        let command = [python.to_str(), source.to_str()].map(|part| part.expect("UTF-8"));
        let said = litmpi_in(&root(), ["verify", "-n", &head.ranks, "--json", "--", command[0], command[1]]);
        assert_eq!(verdict(&said), head.expect, "{}\n{said}", source.display());
        let says = head.says.as_ref().is_none_or(|says| first(&said).contains(says.as_str()));
        assert!(says, "{}: {:?} is to be said\n{said}", source.display(), head.says);
    }
}

#[test]
fn what_a_load_that_races_may_give_besides_is_not_followed_and_that_is_said() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let source = root().join("tests/verify/window-put-load.c");
    let program = instrumented(&source, &dir);
    verify(&program, &[]).exits(1).says("race, rank 1, window-put-load.c:21").says("§12.7");
    verify(&program, &["--allow-races"]).exits(3).says("undecided: some behaviours");
    // Of what another compiler has made only what changes memory is seen.
    verify(&compiled(&source, &dir), &[]).exits(0).says("`litmpi cc` compiles a program so that they are");
}

#[test]
fn ways_of_a_rank_are_one_where_its_memory_is_the_same_and_nothing_else_is_found_then() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let text = r#"#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size; i++)
        if (rank == 0) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (argc > 1)
                printf("%d", x);
        } else if (rank == i)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;
    let program = written(text, &dir);
    let calls = |arguments: &[&str], more: &[&str]| {
        let program = program.to_str().expect("UTF-8");
        let args = [&["verify", "-n", "5", "--json"], more, &["--", program], arguments].concat();
        let said = litmpi_in(&root(), args);
        let json = said.json();
        assert!(json["complete"] == true && json["findings"].as_array().is_some_and(|f| f.len() < 2), "{said}");
        (json["calls"].as_u64().expect("a number"), json["ends"].as_array().expect("a list").len())
    };
    // Behind each message rank 0 is at one of four places, by what it has received last, or at one of as many as there are orders of the
    // messages so far: 4, 12, 24 and 24.
    let (others, orders) = (19, 4 + 12 + 24 + 24);
    let merged = calls(&[], &[]);
    assert!(merged.0 < others + orders / 2 && merged.1 == 1, "{merged:?}");
    assert_eq!(calls(&[], &["--no-merge"]), (others + orders, 1));
    // Who asks what is printed tells all orders apart.
    assert_eq!(calls(&["loud"], &["--observe", "stdout"]), (others + orders, 24));
    // Programs in which something is told apart later: in a register, in a counter, by tests that say no.
    let names = "order-in-a-register master-and-tasks master-and-slow-worker wildcard-sum three-senders four-senders window-fetch-and-op";
    for name in names.split(' ') {
        let source = root().join("tests/verify").join(format!("{name}.c"));
        let ranks = head(&std::fs::read_to_string(&source).expect("a program")).ranks;
        let program = compiled(&source, &dir);
        let found = |more: &[&str]| {
            let json = verify(&program, &[&["-n", &ranks, "--observe", "stdout", "--json"], more].concat()).json();
            let what = |f: &serde_json::Value| (f["bad"].to_string(), f["what"].to_string(), f["at"].to_string());
            let findings: BTreeSet<_> = json["findings"].as_array().expect("a list").iter().map(what).collect();
            (json["verdict"].clone(), findings, json["ends"].clone())
        };
        assert_eq!(found(&[]), found(&["--no-merge"]), "{name}");
    }
}

#[test]
fn the_reduced_search_finds_of_programs_what_the_full_one_finds() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let names = "wildcard-race master-and-slow-worker probe-then-any waitany bcast-and-send collective-order test-loop";
    for name in names.split(' ') {
        let source = root().join("tests/verify").join(format!("{name}.c"));
        let ranks = head(&std::fs::read_to_string(&source).expect("a program")).ranks;
        let program = compiled(&source, &dir);
        let found = |search: &str| {
            let json = verify(&program, &["-n", &ranks, "--search", search, "--json"]).json();
            let findings = json["findings"].as_array().expect("a list").clone();
            // Where each rank is when it is found is that of one way of many.
            let said = |f: &serde_json::Value| (f["bad"].clone(), f["clause"].clone(), f["rank"].clone());
            let mut all: Vec<String> = findings.iter().map(said).map(|f| format!("{f:?}")).collect();
            all.sort();
            (json["verdict"].clone(), all, json["calls"].clone())
        };
        assert_eq!(found("reduced"), found("full"), "{name}");
    }
}

#[test]
fn the_same_is_said_for_any_number_of_threads() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = compiled(&root().join("tests/verify/wildcard-race.c"), &dir);
    let said = |jobs: &str| verify(&program, &["-n", "3", "--jobs", jobs, "--json"]).stdout;
    assert_eq!(said("1"), said("3"));
}

/// A program that calls something between `MPI_Init` and `MPI_Finalize`.
pub(crate) fn around(declared: &str, calls: &str, returned: &str) -> String {
    format!(
        "#include <mpi.h>\nint main(int argc, char **argv)\n{{\n    {declared}\n    MPI_Init(&argc, &argv);\n    {calls}\n    \
         MPI_Finalize();\n    return {returned};\n}}\n"
    )
}

#[test]
fn a_function_of_which_no_rule_speaks_ends_what_is_followed_or_returns_an_error() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let unsupported = "class == MPI_ERR_UNSUPPORTED_OPERATION ? 5 : 6";
    let open = "int class = MPI_File_open(MPI_COMM_WORLD, \"none\", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);";
    let program = written(&around("MPI_File f;", open, unsupported), &dir);
    verify(&program, &["-n", "1"]).exits(3).says("unsupported: MPI_File_open: no rule speaks of it (program.c:6)");
    // The program goes on, and is told of for what it does then.
    verify(&program, &["-n", "1", "--return-unsupported"])
        .exits(1)
        .says("it ends with exit code 5")
        .says("MPI_File_open: no rule speaks of it: its calls return MPI_ERR_UNSUPPORTED_OPERATION");
}

#[test]
fn items_that_lie_far_from_each_other_are_refused_before_there_is_room_for_what_is_between() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let declared = "int x = 1, one = 1; MPI_Aint at; MPI_Datatype wide, there;";
    let send = "MPI_Get_address(&x, &at); MPI_Type_create_resized(MPI_INT, 0, 1L << 36, &wide); \
                MPI_Type_create_struct(1, &one, &at, &wide, &there); MPI_Type_commit(&there); \
                MPI_Bsend(MPI_BOTTOM, 2, there, 0, 0, MPI_COMM_SELF);";
    verify(&written(&around(declared, send, "0"), &dir), &["-n", "1"])
        .exits(3)
        .says("unsupported: items of a datatype that holds addresses, over 68719476740 bytes");
}

#[test]
fn what_is_no_mpi_program_is_told() {
    verify(Path::new("/bin/true"), &[]).exits(2).says("before it called MPI");
    verify(Path::new("/nowhere/at-all"), &[]).exits(2).says("there is no program");
    litmpi_in(&root(), ["verify", "-n", "65", "--", "/bin/true"]).exits(2).says("from 1 to 64");
    litmpi_in(&root(), ["verify", "--model", "rdma-tso", "--", "/bin/true"]).exits(2).says("MPI");
    if here(&["mpich", "openmpi"]).len() < 2 {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let (source, out) = (root().join("tests/verify/wildcard-race.c"), dir.path().join("other"));
    let done = Command::new("mpicc.openmpi").arg("-o").arg(&out).arg(&source).status().expect("the compiler");
    assert!(done.success());
    verify(&out, &[]).exits(2).says("it is compiled for Open MPI").says("compile it with `mpicc.mpich` or `litmpi cc`");
}

#[test]
fn what_the_ends_of_a_program_are_compared_by_is_told_for_each() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let text = r#"#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int first;
double half[2];
char name[8] = "none";
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d begins\n", rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d came first\n", first);
        fflush(stdout);
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("then %d\n", x);
        half[1] = first / 2.0;
        name[1] = 0;
    } else {
        x = rank;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"#;
    let program = written(text, &dir);
    let said = verify(&program, &["-n", "3", "--observe", "stdout", "--json"]);
    said.exits(1);
    let json = said.json();
    let printed: Vec<&str> = json["ends"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|ranks| ranks[0]["stdout"].as_str().expect("what is printed"))
        .collect();
    // What was printed before the two ways part, and what was not written out yet, is in both.
    assert_eq!(printed, ["rank 0 begins\n1 came first\nthen 2\n", "rank 0 begins\n2 came first\nthen 1\n"], "{said}");
    assert_eq!(json["verdict"], "varies");
    verify(&program, &["-n", "3", "--observe", "first,half:double,name:char"])
        .exits(1)
        .says("end 2 of 2:")
        .says("[0] first = 2")
        .says("[0] half = 0 1")
        .says("[0] name = n")
        .says("varies: the program ends in 2 ways");
    // What is not compared is one end.
    verify(&program, &["-n", "3", "--observe", "exit"]).exits(0).says("end 1 of 1:");
    verify(&program, &["-n", "2", "--random", "3", "--observe", "stdout"]).exits(1).says("deadlock");
    let some = verify(&program, &["-n", "3", "--random", "20", "--observe", "stdout", "--json"]);
    assert_eq!(some.json()["ends"], json["ends"], "{some}");
    // A behaviour in which a rank does not come to its end is a finding, and no end that is compared.
    let race = compiled(&root().join("tests/verify/cancel-race.c"), &dir);
    let said = verify(&race, &["-n", "2", "--observe", "exit", "--json"]);
    assert_eq!((&said.json()["verdict"], said.json()["ends"].as_array().map(Vec::len)), (&"crash".into(), Some(1)));
    verify(&program, &["--observe", "second"]).exits(2).says("no variable `second`");
    verify(&program, &["--observe", "first:short"]).exits(2).says("int, long, float, double or char");
}

/// Its first rank fails an assertion if rank 2 is first, and ends by itself if rank 1 is.
const ENDS_BADLY: &str = r#"#include <mpi.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, first = 0, second = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(first == 1);
        fprintf(stderr, "rank %d is first", first);
        exit(3);
    }
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn of_a_process_that_ends_badly_is_told_what_it_wrote_and_how_that_comes_about() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let said = verify(&written(ENDS_BADLY, &dir), &["-n", "3", "--json"]);
    let found = said.exits(1).json()["findings"].as_array().cloned().unwrap_or_default();
    let of = |bad: &str| found.iter().find(|f| f["bad"] == bad).unwrap_or_else(|| panic!("{said}"));
    let first = |bad: &str| {
        let trace = of(bad)["trace"].as_array().cloned().unwrap_or_default();
        trace.iter().filter_map(|line| line.as_str()).find(|line| line.contains("transfer")).map(str::to_owned)
    };
    assert!(
        of("crash")["wrote"][0].as_str().is_some_and(|line| line.contains("Assertion `first == 1' failed")),
        "{said}"
    );
    assert_eq!(of("exit")["wrote"], serde_json::json!(["rank 1 is first"]), "{said}");
    assert_eq!(first("crash").as_deref(), Some("  transfer (p = 2, q = 0)"), "{said}");
    assert_eq!(first("exit").as_deref(), Some("  transfer (p = 1, q = 0)"), "{said}");
}
