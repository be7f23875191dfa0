//! Input that is deep or long, in every language that is read: it is read, or refused with its place, and exhausts no stack,
//! neither where it is read nor where it is checked, run, printed or dropped.

use crate::support::{Said, folder, litmpi_in};

/// Text repeated and joined.
fn chain(part: &str, by: &str, n: usize) -> String {
    vec![part; n].join(by)
}

fn wrapped(open: &str, inner: &str, close: &str, n: usize) -> String {
    format!("{}{inner}{}", open.repeat(n), close.repeat(n))
}

/// As many parts as a specification takes, about; as many as a test takes; and more than any stack holds.
const SIZES: [usize; 3] = [190, 990, 20_000];

/// Runs litmpi on one file, which is `x` with an ending; it ends by itself, with a message unless all is well.
fn ends(arguments: &[&str], files: &[(&str, &str)], what: &str) -> Said {
    let said = litmpi_in(folder(files).path(), arguments);
    let shown: String = format!("{said}").chars().take(600).collect();
    assert!(matches!(said.code, Some(0..=4)), "{what}: {:?}\n{shown}", said.code);
    assert!(!said.stderr.contains("panicked at"), "{what}\n{shown}");
    said
}

const SB: &str = "litmus rdma t \"t\"\nnode 1 { x = 0 }\nthread 1 on 1 { a := x }\nexists a = 0\n";

#[test]
fn specifications_that_are_deep() {
    type Make = fn(usize) -> String;
    let expressions: &[(&str, Make)] = &[
        ("+", |n| chain("1", " + ", n)),
        ("*", |n| chain("1", " * ", n)),
        ("and", |n| format!("if {} then 1 else 0", chain("true", " and ", n))),
        ("or", |n| format!("if {} then 1 else 0", chain("true", " or ", n))),
        ("implies", |n| format!("if {} then 1 else 0", chain("true", " implies ", n))),
        ("·", |n| format!("size({})", chain("[1]", " · ", n))),
        ("not", |n| format!("if {} true then 1 else 0", chain("not", " ", 2 * n))),
        ("-", |n| format!("{}1", "- ".repeat(2 * n))),
        ("(", |n| wrapped("(", "1", ")", n)),
        ("[", |n| format!("size({})", wrapped("[", "1", "]", n))),
        ("if", |n| format!("{} 0", chain("if true then 1 else", " ", n))),
        ("let", |n| format!("{} x", chain("let x = 1 in", " ", n))),
        (".", |n| format!("f{}", ".g".repeat(n))),
        ("pattern", |n| format!("match 1 {{ {} => 1, _ => 2 }}", wrapped("A(", "x", ")", n))),
        ("call", |n| wrapped("g(", "1", ")", n)),
    ];
    for (what, make) in expressions {
        for n in SIZES {
            let spec = format!(
                "model t \"t\"\n  cite w \"1\"\nimport \"cpu/tso.spec\"\nfun g(x: Int): Int = x\nfun f(x: Int): Int = {}\n",
                make(n)
            );
            let said =
                ends(&["enumerate", "x.litmus", "--spec", "x.spec"], &[("x.litmus", SB), ("x.spec", &spec)], what);
            // Up to a thousand, some that lean to the right, as `implies` and `not`, are not too deep.
            assert!(n <= 990 || said.code == Some(2), "{what} {n}");
        }
    }
    for (what, ty) in [("[T]", wrapped("[", "Int", "]", 20_000)), ("T?", format!("Int{}", "?".repeat(20_000)))] {
        let spec = format!("model t \"t\"\n  cite w \"1\"\nfun f(x: {ty}): Int = 1\n");
        ends(&["enumerate", "x.litmus", "--spec", "x.spec"], &[("x.litmus", SB), ("x.spec", &spec)], what).exits(2);
    }
}

#[test]
fn declarative_models_that_are_deep() {
    type Make = fn(usize) -> String;
    let relations: &[(&str, Make)] = &[
        ("|", |n| chain("po", "|", n)),
        (";", |n| chain("po", ";", n)),
        ("&", |n| chain("po", "&", n)),
        ("\\", |n| chain("po", "\\", n)),
        ("^-1", |n| format!("po{}", "^-1".repeat(n))),
        ("~", |n| format!("{}po", "~".repeat(n))),
        ("(", |n| wrapped("(", "po", ")", n)),
        ("[", |n| wrapped("[", "R", "]", n)),
        ("let", |n| format!("{} a", chain("let a = po in", " ", n))),
        ("try", |n| format!("{} po", chain("try po with", " ", n))),
    ];
    for (what, make) in relations {
        for n in SIZES {
            let cat = format!("\"t\"\ninclude \"cos.cat\"\nacyclic {}\n", make(n));
            ends(&["enumerate", "x.litmus", "--model", "x.cat"], &[("x.litmus", SB), ("x.cat", &cat)], what);
        }
    }
}

#[test]
fn tests_that_are_deep() {
    type Make = fn(usize) -> String;
    let statements: &[(&str, Make)] = &[
        ("+", |n| format!("a := {}", chain("1", " + ", n))),
        ("and", |n| format!("a := {}", chain("1", " and ", n))),
        ("!", |n| format!("a := {}1", "!".repeat(n))),
        ("-", |n| format!("a := {}1", "- ".repeat(n))),
        ("(", |n| format!("a := {}", wrapped("(", "1", ")", n))),
        ("if", |n| wrapped("if 1 = 1 { ", "a := 1", " }", n)),
        ("else if", |n| format!("{} {{ a := 3 }}", chain("if 1 = 2 { a := 1 } else", " ", n))),
        ("choose", |n| format!("choose {{ a := 0 }} or {{ {} }}", chain("a := 1", " } or { ", n))),
        ("statements", |n| chain("a := 1", "\n", n)),
    ];
    let conditions: &[(&str, Make)] = &[
        ("/\\", |n| chain("a = 1", " /\\ ", n)),
        ("\\/", |n| chain("a = 1", " \\/ ", n)),
        ("~", |n| format!("{}a = 1", "~".repeat(n))),
        ("(", |n| wrapped("(", "a = 1", ")", n)),
        ("~(", |n| wrapped("~(", "a = 1", ")", n)),
    ];
    let commands =
        [&["enumerate", "x.litmus", "--max-states", "2000"][..], &["check", "x.litmus"], &["emit", "x.litmus"]];
    // Long tests are read whole and searched in part: so many statements are enough to exhaust a stack.
    for n in [190, 990, 6_000] {
        for (head, thread) in [("rdma t \"t\"\nnode 1 { x = 0 }\n", "thread 1 on 1"), ("mpi t \"t\"\n", "rank 0")] {
            let bodies = statements.iter().map(|(what, make)| (what, make(n), "a = 1".to_owned()));
            let claims = conditions.iter().map(|(what, make)| (what, "a := 1".to_owned(), make(n)));
            for (what, body, claim) in bodies.chain(claims) {
                let test = format!("litmus {head}{thread} {{ {body} }}\nexists {claim}\n");
                // One that is refused is refused by all.
                for arguments in commands {
                    if ends(arguments, &[("x.litmus", &test)], &format!("{what} {n}")).code == Some(2) {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn tests_of_herd_that_are_deep() {
    for n in SIZES {
        let columns = chain(" MOV [x],$1 ;", "\n", n);
        let claim = chain("0:EAX=1", " /\\ ", n);
        let brackets = wrapped("(", "0:EAX=1", ")", n);
        for (columns, claim) in [(columns.as_str(), "true"), (" MOV EAX,[x] ;", &claim), (" MOV EAX,[x] ;", &brackets)]
        {
            let test = format!("X86 t\n{{ x=0; }}\n P0 ;\n{columns}\nexists ({claim})\n");
            ends(&["enumerate", "x.litmus", "--max-states", "2000"], &[("x.litmus", &test)], &format!("{n}"));
        }
    }
}

#[test]
fn files_of_results_and_settings_that_are_deep() {
    for n in SIZES {
        let json = format!("{}\n", wrapped("[", "1", "]", n));
        let toml = format!("known = {}\n", wrapped("[", "1", "]", n));
        let files = [("x.litmus", SB), ("x.jsonl", json.as_str()), ("x.toml", toml.as_str())];
        ends(&["run", "x.litmus", "--with", "x.jsonl"], &files, "results").exits(2);
        ends(&["run", "x.litmus", "--known", "x.toml"], &files, "known").exits(2);
        ends(&["targets", "--targets", "x.toml"], &files, "targets").exits(2);
        ends(&["run", "x.litmus", "--tuned", "x.toml"], &files, "tuned").exits(2);
        ends(&["laws", "--laws", "x.toml"], &files, "laws").exits(2);
    }
}

#[test]
fn tests_of_many_ranks_keep_within_the_bounds() {
    let ranks: Vec<String> = (0..100).map(|i| format!("rank {i} {{ MPI_Send(1, dest: {}) }}", (i + 1) % 100)).collect();
    let test = format!("litmus mpi t \"t\"\n{}\nexists true\n", ranks.join("\n"));
    let dir = folder(&[("x.litmus", &test)]);
    // Finding out what a search may leave out is not worth it then: it took longer than any search.
    for how in ["full", "reduced"] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -v 700000; exec \"$0\" \"$@\""]).arg(crate::command::binary());
        command.args(["enumerate", "x.litmus", "--max-states", "10", "--search", how]).current_dir(dir.path());
        let begun = std::time::Instant::now();
        let done = command.output().expect("sh runs");
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(matches!(done.status.code(), Some(0..=3)), "{how}: {:?} {said}", done.status);
        assert!(said.contains("Explored 11 states") && said.contains("10 states"), "{how}: {said}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{how}");
    }
}
