//! `litmpi fmt`: the layout loses nothing, is what shipped files have, and comes back when it is spoilt.

use crate::command::root;
use crate::support::{at, folder, litmpi_given, litmpi_in};
use litmpi_litmus::{parse, parse_family, print};
use litmpi_spec::source::Source;
use std::path::{Path, PathBuf};

/// The files below a folder of the repository that end so.
fn below(folder: &str, end: &str) -> Vec<PathBuf> {
    let (mut out, mut folders) = (vec![], vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.to_string_lossy().ends_with(end) => out.push(path),
                false => {}
            }
        }
    }
    out.sort();
    out
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Copies of files in one folder, each made another by what is given.
fn copies(files: &[PathBuf], made: &dyn Fn(&str) -> String) -> tempfile::TempDir {
    let dir = folder(&[]);
    for (i, file) in files.iter().enumerate() {
        let end = file.extension().expect("an ending").to_string_lossy();
        std::fs::write(dir.path().join(format!("{i:04}.{end}")), made(&read(file))).expect("a copy");
    }
    dir
}

fn formatted(dir: &tempfile::TempDir) -> Vec<String> {
    litmpi_in(dir.path(), ["fmt", "."]).exits(0);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir.path()).expect("a folder").map(|e| e.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|f| read(f)).collect()
}

#[test]
fn everything_that_is_shipped_has_the_layout() {
    for folder in ["litmus", "spec", "tests/examples"] {
        litmpi_in(&root(), ["fmt", "--check", folder]).exits(0).says("0 of ");
    }
}

/// Blanks at the ends, another depth, tabulators, a blank line too many, no blank where one is due.
fn spoilt_test(text: &str) -> String {
    let mut out = String::from("\n\n");
    for (i, line) in text.lines().enumerate() {
        let plain = line.trim_start();
        out.push_str(["", "\t", "       ", " "][i % 4]);
        // Only what is no comment and no text in quotes may lose its blanks.
        match plain.contains(['"', '-', '#', '/']) {
            true => out.push_str(plain),
            false => {
                out.push_str(&plain.replace(", ", ",").replace(": ", ":").replace(" := ", ":=").replace(" {", "{"))
            }
        }
        out.push_str(["\r\n", "   \n", "\n"][i % 3]);
    }
    out + "\n\n\n"
}

#[test]
fn a_spoilt_test_gets_its_layout_back() {
    // Statements beside a brace hang on one another as their writer put them; there, nothing says where they were.
    let hangs = |text: &str| text.lines().any(|l| l.contains('{') && !l.contains('}') && !l.trim_end().ends_with('{'));
    let own = |p: &PathBuf| read(p).lines().any(|l| l.starts_with("litmus ")) && !hangs(&read(p));
    let files: Vec<PathBuf> = below("litmus", ".litmus").into_iter().filter(own).collect();
    assert!(files.len() > 1500, "{}", files.len());
    for (file, again) in files.iter().zip(formatted(&copies(&files, &spoilt_test))) {
        assert_eq!(again, read(file), "{}", file.display());
    }
}

#[test]
fn rules_keep_their_words_and_move_as_their_clause_does() {
    let files = below("spec", ".spec");
    // Clauses at another column, and what hangs on them with them.
    let moved = |text: &str| -> String {
        text.lines().map(|l| if l.starts_with(' ') { format!("   {l}  \n") } else { format!("{l}\n") }).collect()
    };
    for (file, again) in files.iter().zip(formatted(&copies(&files, &moved))) {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&again), words(&read(file)), "{}", file.display());
        let clauses = |text: &str| text.lines().filter(|l| l.starts_with("  then") || l.starts_with("  on ")).count();
        assert_eq!(clauses(&again), clauses(&read(file)), "{}", file.display());
        let source = |text: &str| Source::new("rules", text);
        let tree = |text: &str| litmpi_spec::print::print(&litmpi_spec::parse::parse(&source(text)).expect("rules"));
        assert_eq!(tree(&again), tree(&read(file)), "{}", file.display());
    }
}

#[test]
fn what_is_read_is_the_same_program_and_a_second_time_changes_nothing() {
    let text = "litmus   mpi  odd \"a   title -- that stays\"   -- a comment:x,y\nrank 0{\nMPI_Send( 1,dest:1 )   # why\n\
                if c=1 {MPI_Send(2,dest:1)}else{ c:=c+1 }\n}\nrank 1 {\n MPI_Recv(a,source : any,\n status:s)\n}\n\n\n\n\n\
                exists (a,s.tag)=(1,0)/\\ ! (a=2)\nverdict mpi allowed\n";
    let dir = folder(&[("odd.litmus", text)]);
    litmpi_in(dir.path(), ["fmt", "--check", "odd.litmus"]).exits(1).says("1 of 1 files would change");
    assert_eq!(read(&dir.path().join("odd.litmus")), text);
    litmpi_in(dir.path(), ["fmt", "odd.litmus"]).exits(0).says("1 of 1 files changed");
    let new = read(&dir.path().join("odd.litmus"));
    assert!(new.contains("rank 0 {\n  MPI_Send(1, dest: 1)   # why\n  if c = 1 {"), "{new}");
    assert!(new.contains("\"a   title -- that stays\"   -- a comment:x,y\n"), "{new}");
    litmpi_in(dir.path(), ["fmt", "odd.litmus"]).exits(0).says("0 of 1 files changed");
    let spec = litmpi_spec::load::load_shipped("mpi").expect("rules");
    let program = |text: &str| {
        let source = Source::new("odd", text);
        assert_eq!(parse_family(&source).expect("a family"), "mpi");
        print(&parse(&source, &spec.instructions).expect("a test"), &spec.instructions)
    };
    assert_eq!(program(text), program(&new));
}

#[test]
fn what_cannot_be_read_stays_as_it_is() {
    let dir = folder(&[
        ("bad.litmus", "litmus mpi bad \"no end\"\nrank 0 {\n"),
        ("herd.litmus", "X86 SB\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"),
        ("good.litmus", "litmus mpi good \"a test\"\nrank 0 {\n}\nrank 1 { }\n"),
        ("note.txt", "no test"),
    ]);
    litmpi_in(dir.path(), ["fmt", "."]).exits(2).says("bad.litmus:").says("1 of herd's format stay as they are");
    assert_eq!(read(&dir.path().join("bad.litmus")), "litmus mpi bad \"no end\"\nrank 0 {\n");
    litmpi_in(dir.path(), ["fmt", "note.txt"]).exits(2).says("neither a test nor a specification");
    litmpi_in(dir.path(), ["fmt", "nothing.litmus"]).exits(2).says("no such file or folder");
    litmpi_in(dir.path(), ["fmt", &at(&dir, "herd.litmus")]).exits(0).says("0 of 1 files changed");
}

#[test]
fn an_editor_passes_text_through() {
    let text = "module m \"nothing\"\n    cite MPI-4.1 \"§1\"\nconst a:Int = 1\n";
    let said = litmpi_given(text, &root(), ["fmt", "-", "--language", "spec"]);
    assert_eq!(said.exits(0).stdout, "module m \"nothing\"\n  cite MPI-4.1 \"§1\"\nconst a:Int = 1\n");
}

#[test]
fn tests_on_standard_input_are_laid_out_one_after_the_other() {
    let test = |name: &str, blank: &str| format!("litmus mpi {name} \"a test\"\nrank 0{blank}{{\n}}\n");
    let herd = "X86 SB\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n";
    let both = |blank: &str, between: &str| format!("-- made\n{}{between}{}", test("one", blank), test("two", blank));
    for between in ["", "\n"] {
        let said = litmpi_given(both("", between), &root(), ["fmt", "-"]);
        assert_eq!(said.exits(0).stdout, both(" ", between));
        litmpi_given(both(" ", between), &root(), ["fmt", "-", "--check"]).exits(0);
    }
    litmpi_given(both("", ""), &root(), ["fmt", "-", "--check"]).exits(1).says("+rank 0 {");
    assert_eq!(litmpi_given(herd, &root(), ["fmt", "-"]).exits(0).stdout, herd);
    // Of what cannot be read the place in the whole is told, and nothing is printed.
    let said = litmpi_given(test("one", " ") + "litmus mpi two \"no end\"\nrank 0 {\n", &root(), ["fmt", "-"]);
    assert_eq!(said.exits(2).says("standard input:5:").stdout, "");
    let dir = folder(&[("two.litmus", &(test("one", " ") + &test("two", " ")))]);
    litmpi_in(dir.path(), ["fmt", "two.litmus"]).exits(2).says("two.litmus:4:1").says("a file has one test");
}
