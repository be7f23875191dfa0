//! `litmpi emit`: tests as C programs.

use crate::args::EmitArgs;
use crate::load::{Loaded, tests};
use crate::{Verdict, complain, say};
use litmpi_codegen::{mpi_suite, mpi_test};
use litmpi_spec::diag::{Diagnostic, Report};

pub(crate) fn emit(args: &EmitArgs) -> Result<Verdict, Report> {
    let loaded = tests(&args.model)?;
    let mut mpi: Vec<&Loaded> = vec![];
    for l in &loaded {
        if l.test.family == "mpi" {
            mpi.push(l);
        } else {
            let d =
                Diagnostic::at(&l.test.span, format!("{} is a test of the family `{}`", l.test.name, l.test.family));
            return Err(d
                .found("no C is generated for this family")
                .help("tests of the family `mpi` can be emitted")
                .into());
        }
    }
    let Some(dir) = &args.output else {
        for l in &mpi {
            let name: String = l.test.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            say(&mpi_test(&l.test, &l.spec.instructions, &name)?);
        }
        return Ok(Verdict::Good);
    };
    let refs: Vec<_> = mpi.iter().map(|l| &*l.test).collect();
    let suite = mpi_suite(&refs, &mpi[0].spec.instructions);
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    std::fs::create_dir_all(dir).map_err(failed)?;
    for file in &suite.files {
        std::fs::write(dir.join(&file.name), &file.text).map_err(failed)?;
    }
    let mut verdict = Verdict::Good;
    for (i, report) in &suite.rejected {
        eprintln!("not emitted: {}", mpi[*i].test.name);
        complain(report);
        verdict = Verdict::Bad;
    }
    let (n, dir) = (suite.files.len(), dir.display());
    say(&format!(
        "{n} files in {dir}; build them there with `mpicc -std=c11 -O2 -o suite {}`\n",
        suite.units.join(" ")
    ));
    Ok(verdict)
}
