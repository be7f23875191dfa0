//! `litmpi generate`: tests whose verdicts are known by how they are made.

use crate::args::{GenerateArgs, GenerateWhat};
use crate::{Verdict, say};
use litmpi_litmus::cycles::cycles;
use litmpi_spec::diag::{Diagnostic, Report};

pub(crate) fn generate(args: &GenerateArgs) -> Result<Verdict, Report> {
    let GenerateWhat::X86 = args.what;
    let tests = (2..=usize::from(args.size)).flat_map(cycles);
    let Some(dir) = &args.output else {
        for cycle in tests {
            let tso = if cycle.tso_allows() { "allowed" } else { "forbidden" };
            say(&format!("{} tso {tso}, sc forbidden\n", cycle.name()));
        }
        return Ok(Verdict::Good);
    };
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    std::fs::create_dir_all(dir).map_err(failed)?;
    let mut n = 0;
    for cycle in tests {
        std::fs::write(dir.join(format!("{}.litmus", cycle.name())), cycle.text()).map_err(failed)?;
        n += 1;
    }
    let dir = dir.display();
    say(&format!("{n} tests in {dir}; hold the models against them with `litmpi check {dir}`\n"));
    Ok(Verdict::Good)
}
