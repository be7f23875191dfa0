//! What a launcher was asked for, by the options that the launchers of MPICH and Open MPI have.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::suggest::nearest;
use std::path::PathBuf;

/// Options that name how many processes there are.
const RANKS: [&str; 5] = ["-n", "-np", "--np", "-c", "--n"];
/// Options for the folder in which the program runs.
const FOLDER: [&str; 4] = ["-wdir", "--wdir", "-wd", "--wd"];
/// Options about machines, processors and output, of which nothing depends here, with how many values they have.
const IGNORED: [(&str, usize); 50] = [
    ("-host", 1),
    ("--host", 1),
    ("-hosts", 1),
    ("-H", 1),
    ("-f", 1),
    ("-hostfile", 1),
    ("--hostfile", 1),
    ("-machinefile", 1),
    ("--machinefile", 1),
    ("-ppn", 1),
    ("-perhost", 1),
    ("-N", 1),
    ("-npernode", 1),
    ("--npernode", 1),
    ("-bind-to", 1),
    ("--bind-to", 1),
    ("-map-by", 1),
    ("--map-by", 1),
    ("-rank-by", 1),
    ("--rank-by", 1),
    ("-mca", 2),
    ("--mca", 2),
    ("-gmca", 2),
    ("--gmca", 2),
    ("--timeout", 1),
    ("-timeout", 1),
    ("-launcher", 1),
    ("-iface", 1),
    ("-stdin", 1),
    ("--stdin", 1),
    ("-envall", 0),
    ("-genvall", 0),
    ("-envnone", 0),
    ("-genvnone", 0),
    ("-oversubscribe", 0),
    ("--oversubscribe", 0),
    ("-nooversubscribe", 0),
    ("--nooversubscribe", 0),
    ("--allow-run-as-root", 0),
    ("--use-hwthread-cpus", 0),
    ("--report-bindings", 0),
    ("-bind-to-none", 0),
    ("--bind-to-none", 0),
    ("-l", 0),
    ("-prepend-rank", 0),
    ("-tag-output", 0),
    ("--tag-output", 0),
    ("-q", 0),
    ("--quiet", 0),
    ("-quiet", 0),
];

/// A launch of one program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) ranks: usize,
    /// Variables that the program finds in its environment.
    pub(super) environment: Vec<(String, String)>,
    /// The folder that it runs in, if it is another one.
    pub(super) folder: Option<PathBuf>,
    /// The program and its arguments.
    pub(super) program: Vec<String>,
}

impl Launch {
    /// Reads the arguments of a launcher.
    ///
    /// # Errors
    /// An option that is not known, a number of processes that cannot be, several programs, or none.
    pub(super) fn read(arguments: &[String]) -> Result<Launch, Report> {
        let mut launch = Launch { ranks: 1, environment: vec![], folder: None, program: vec![] };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                launch.program = words.cloned().collect();
                break;
            }
            if !word.starts_with('-') {
                launch.program = std::iter::once(word).chain(words).cloned().collect();
                break;
            }
            let mut value =
                || words.next().cloned().ok_or_else(|| wrong(format!("`{word}` has no value"), "give it one"));
            match word.as_str() {
                w if RANKS.contains(&w) => launch.ranks = ranks(&value()?)?,
                w if FOLDER.contains(&w) => launch.folder = Some(value()?.into()),
                "-env" | "-genv" | "--env" | "--genv" => {
                    let name = value()?;
                    launch.environment.push((name, value()?));
                }
                "-x" => {
                    // Without a value it is the variable of the launcher's own environment, which the program has anyway.
                    if let Some((name, set)) = value()?.split_once('=') {
                        launch.environment.push((name.to_owned(), set.to_owned()));
                    }
                }
                w => match IGNORED.iter().find(|(name, _)| *name == w) {
                    Some((_, values)) => (0..*values).try_for_each(|_| value().map(|_| ()))?,
                    None => return Err(unknown(w)),
                },
            }
        }
        match launch.program.iter().any(|w| w == ":") {
            true => {
                Err(wrong("several programs in one launch", "one program is followed at a time: launch it without `:`"))
            }
            false if launch.program.is_empty() => Err(wrong("no program is named", "as in `mpiexec -n 2 ./program`")),
            false => Ok(launch),
        }
    }
}

fn ranks(text: &str) -> Result<usize, Report> {
    let number = text.parse().ok().filter(|n| (1..=64).contains(n));
    number.ok_or_else(|| wrong(format!("`{text}` processes"), "a program is followed with 1 to 64"))
}

fn unknown(word: &str) -> Report {
    let known = IGNORED.iter().map(|(name, _)| *name).chain(RANKS).chain(FOLDER).chain(["-env", "-genv", "-x"]);
    let help = match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "whether a value belongs to it is not known, so where the program begins is not, either".to_owned(),
    };
    wrong(format!("the option `{word}` of a launcher is not known here"), &help)
}

fn wrong(what: impl Into<String>, help: &str) -> Report {
    Diagnostic::general(what).help(help).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Launch, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Launch::read(&words).map_err(|e| e.to_string())
    }

    #[test]
    fn what_launchers_are_called_with_is_read() {
        let launch = read("--mca btl self,sm --oversubscribe -np 3 -x A=1 -x PATH -env B 2 -wdir /tmp ./p -n 9")
            .expect("a launch");
        let environment = vec![("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2".to_owned())];
        let program = vec!["./p".to_owned(), "-n".to_owned(), "9".to_owned()];
        assert_eq!(launch, Launch { ranks: 3, environment, folder: Some("/tmp".into()), program });
        assert_eq!(read("./p").map(|l| l.ranks), Ok(1));
        // What follows `--` is the program, whatever it is called.
        let behind = read("-n 3 -- -p -n 9").expect("a launch");
        assert_eq!((behind.ranks, behind.program), (3, vec!["-p".to_owned(), "-n".to_owned(), "9".to_owned()]));
    }

    #[test]
    fn what_is_not_followed_is_refused() {
        for (line, says) in [
            ("-n 2", "no program is named"),
            ("-n", "`-n` has no value"),
            ("-n x ./p", "`x` processes"),
            ("-n 65 ./p", "1 to 64"),
            ("-n 1 ./p : -n 1 ./q", "several programs"),
            ("--oversubscribed ./p", "did you mean `--oversubscribe`?"),
            ("--frobnicate ./p", "is not known here"),
        ] {
            let said = read(line).expect_err(line);
            assert!(said.contains(says), "{line}: {said}");
        }
    }
}
