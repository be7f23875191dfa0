//! Tests from critical cycles, of RDMA and of MPI, each with what the models say of it. They are a stream: some hundred are worked on at once, and no list of
//! all is kept.

use super::GenerateArgs;
use super::judge::Judged;
use super::many::{MANY, thousands};
use crate::whole::write_file;
use crate::{Verdict, parallel, remark, say};
use litmpi_litmus::ast::Expect;
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::Path;

/// Tests that are worked on at once.
const BATCH: usize = 256;

/// A cycle of which a test is made.
pub(super) trait Made: Sync {
    /// The models that tests are put to.
    type Judge: Sync;
    /// The name of the test.
    fn name(&self) -> String;
    /// The model whose verdict comes first.
    fn model(&self) -> &'static str;
    /// Its program, and what the models say of it.
    ///
    /// # Errors
    /// A program that cannot be read.
    fn judged(&self, judge: &Self::Judge) -> Result<(String, Judged), Report>;
}

/// Says how many there are; an error if they are too many.
fn explodes(args: &GenerateArgs, count: u128, of_what: &str, instead: &[&str]) -> Result<(), Report> {
    let count_text = thousands(count);
    if args.most.is_none() && count > MANY * 20 {
        let d = Diagnostic::general(format!("of size {} there are at most {count_text} {of_what}", args.size()));
        return Err(d.help(instead.join(", or ")).into());
    }
    if count > MANY {
        remark(&format!("at most {count_text} {of_what}"));
    }
    Ok(())
}

/// The same of rows of edges, which cycles are sought among.
pub(super) fn rows_explode(args: &GenerateArgs, rows: u128) -> Result<(), Report> {
    explodes(
        args,
        rows,
        "rows of edges that come back to their beginning, of which a part are critical cycles",
        &["take fewer edges (`--edges FILE`), a smaller `--size`", "the first so many tests (`--most N`)"],
    )
}

/// A file's path and its text.
pub(super) fn write(dir: &Path, name: &str, text: &str) -> Result<(), Report> {
    write_file(&dir.join(name), text)
}

/// How many tests there are of which sort.
#[derive(Default)]
struct Counts {
    made: usize,
    allowed: usize,
    undecided: usize,
    differ: usize,
    erroneous: usize,
}

impl Counts {
    fn said(&self) -> String {
        let others = self.allowed + self.undecided + self.differ + self.erroneous;
        let further = [(self.erroneous, "erroneous"), (self.differ, "on which forms of the model differ")];
        let further = further.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}"));
        format!(
            "{} tests: {} allowed, {} forbidden, {} undecided{}",
            self.made,
            self.allowed,
            self.made - others,
            self.undecided,
            further.collect::<String>()
        )
    }
}

/// The tests of cycles, each with what the models say of it: whole, or by name.
pub(super) fn tests<C: Made>(
    args: &GenerateArgs,
    cycles: impl Iterator<Item = C>,
    judge: &C::Judge,
    is_one: bool,
) -> Result<Verdict, Report> {
    if let Some(dir) = args.folder() {
        super::write(dir, &[])?;
    }
    let mut cycles = cycles.take(args.most.unwrap_or(usize::MAX));
    let mut counts = Counts::default();
    loop {
        let batch: Vec<C> = cycles.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let judged = parallel::map(&batch, args.jobs, "tests", |c| c.judged(judge));
        for (cycle, judged) in batch.iter().zip(judged) {
            let (text, judged) = judged?;
            let name = cycle.name();
            counts.made += 1;
            let mut is_wanted = !args.mistakes || is_one;
            let (text, verdict, golden) = match judged {
                Judged::Agreed { text, first, golden } => {
                    counts.allowed += usize::from(first == Expect::Allowed);
                    (text, first.to_string(), golden.to_string())
                }
                Judged::Erroneous { text, golden } => {
                    counts.erroneous += 1;
                    // A library may do anything with them: they are written for tools that look for mistakes.
                    is_wanted = args.mistakes || is_one || args.folder().is_none() && !args.prints();
                    (text, "erroneous".to_owned(), golden.to_string())
                }
                Judged::Undecided => {
                    counts.undecided += 1;
                    (text, "undecided".to_owned(), String::new())
                }
                Judged::Differ(how) => {
                    counts.differ += 1;
                    say(&format!("{text}the forms of the model differ:\n{how}\n"));
                    continue;
                }
            };
            if !is_wanted {
                continue;
            }
            match args.folder() {
                Some(dir) => {
                    write(dir, &format!("{name}.litmus"), &text)?;
                    if !golden.is_empty() {
                        write(dir, &format!("{name}.expected"), &golden)?;
                    }
                }
                None if is_one || args.prints() => say(&text),
                None => say(&format!("{name} {} {verdict}\n", cycle.model())),
            }
        }
    }
    if counts.made == 0 {
        let d =
            Diagnostic::general(format!("no critical cycle of at most {} edges is of these edges alone", args.size()));
        return Err(d
            .help("a cycle goes on by an edge of communication wherever it leaves a thread, and each edge begins with the access that the one before it ends with; give more edges, or a larger `--size`")
            .into());
    }
    let said = counts.said();
    match args.folder() {
        Some(dir) => {
            say(&format!("{said}, in {0}; hold the models against them with `litmpi check {0}`\n", dir.display()));
        }
        None => remark(&said),
    }
    Ok(Verdict::of(counts.differ, counts.undecided))
}
