//! `litmpi emit`: tests as programs.

use crate::args::{EmitArgs, Lang};
use crate::left_out::LeftOut;
use crate::load::{Loaded, tests};
use crate::reproducer::{Seen, TURNS, reproduce};
use crate::run::{promised, size};
use crate::whole::write_file;
use crate::{Verdict, parallel, remark, say};
use litmpi_codegen::{family_suite, family_test};
use litmpi_litmus::golden::DEFAULT;
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::Path;

/// One file a test.
fn reproducers(args: &EmitArgs) -> Result<Verdict, Report> {
    let (loaded, mut left_out) = tests(&args.model)?;
    let size = size(&args.size)?;
    if let Some(dir) = &args.output {
        litmpi_scratch::own(dir).map_err(|e| unwritten(dir, &e))?;
    }
    let made = |l: &Loaded| {
        let (expected, _) = promised(l, &args.model, DEFAULT)?;
        if !expected.complete {
            return Ok(None);
        }
        reproduce((&l.test, &l.spec), &expected.allowed, (size, TURNS), Seen::default()).map(Some)
    };
    let mut undecided = 0;
    for (l, text) in loaded.iter().zip(parallel::map(&loaded, args.model.bounds.jobs, "enumerating", made)) {
        let Some(text) = left_out.keep(&l.path, text) else { continue };
        let Some(text) = text else {
            undecided += 1;
            remark(&format!(
                "undecided: a bound was reached before all outcomes of {} were known; with larger ones (--max-states, --max-memory) they may be",
                l.path.display()
            ));
            continue;
        };
        match &args.output {
            None => say(&text),
            Some(dir) => {
                let file = dir.join(format!("{}.c", l.test.name.replace(['/', '\\'], "-")));
                write_file(&file, text)?;
                say(&format!("{}\n", file.display()));
            }
        }
    }
    Ok(left_out.end(Verdict::of(0, undecided)))
}

/// The tests that may be in one program: those of the first one's family that were resolved against the same declarations.
pub(crate) fn of_one_program(loaded: Vec<Loaded>, left_out: &mut LeftOut) -> Vec<Loaded> {
    let Some(first) = loaded.first().cloned() else { return loaded };
    let family = |l: &Loaded| format!("of the family `{}`", l.test.family);
    let declared = |l: &Loaded| format!("of the specification `{}`", l.spec.name);
    let (mut kept, mut others) = (vec![], vec![]);
    for l in loaded {
        if l.test.family != first.test.family {
            others.push((family(&l), family(&first), "family", l));
        } else if l.spec.name != first.spec.name {
            others.push((declared(&l), declared(&first), "specification", l));
        } else {
            kept.push(l);
        }
    }
    for (of, of_first, one, other) in others {
        let d = Diagnostic::at(&other.test.span, format!("{} is a test {of}", other.test.name))
            .found(format!("together with {}, {of_first}", first.test.name))
            .help(format!("a program holds tests of one {one}: emit them into folders of their own"));
        left_out.add(&other.path, d.into());
    }
    kept
}

fn unwritten(path: &Path, e: &std::io::Error) -> Report {
    Diagnostic::general(format!("cannot write to {}: {e}", path.display())).into()
}

pub(crate) fn emit(args: &EmitArgs) -> Result<Verdict, Report> {
    if args.layer {
        return crate::library::libraries(args);
    }
    if args.reproducer {
        return reproducers(args);
    }
    let (loaded, mut left_out) = tests(&args.model)?;
    let Some(dir) = &args.output else {
        for l in &loaded {
            let name: String = l.test.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            let emitted = family_test(&l.test.family, args.lang.into(), &l.test, &l.spec.instructions, &name);
            left_out.keep(&l.path, emitted).iter().for_each(|text| say(text));
        }
        return Ok(left_out.end(Verdict::Good));
    };
    let family = loaded[0].test.family.clone();
    let family = family.as_str();
    let loaded = of_one_program(loaded, &mut left_out);
    let refs: Vec<_> = loaded.iter().map(|l: &Loaded| &*l.test).collect();
    let suite = family_suite(family, args.lang.into(), &refs, &loaded[0].spec.instructions)?;
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    litmpi_scratch::own(dir).map_err(failed)?;
    for file in &suite.files {
        let path = dir.join(&file.name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        write_file(&path, &file.text)?;
    }
    let mut verdict = Verdict::Good;
    for (i, report) in suite.rejected {
        left_out.add(&loaded[i].path, report);
    }
    for (i, lacks) in &suite.lacking {
        remark(&format!("not emitted: {}: {lacks}", loaded[*i].test.name));
        verdict = Verdict::Bad;
    }
    let (n, dir) = (suite.files.len(), dir.display());
    let is_mpi = family == "mpi";
    let build = if args.lang == Lang::Rust {
        format!("{}cargo build --release", if is_mpi { "MPICC=mpicc " } else { "" })
    } else {
        let (compiler, libraries) = if is_mpi { ("mpicc", "") } else { ("cc -pthread", " -libverbs") };
        format!("{compiler} -std=c11 -O2 -o suite {}{libraries}", suite.units.join(" "))
    };
    say(&format!("{n} files in {dir}; build them there with `{build}`\n"));
    if !is_mpi {
        let nodes = refs.iter().map(|t| t.nodes.len()).max().unwrap_or(2);
        let name = suite.names.iter().flatten().next().map_or("NAME", String::as_str);
        say(&format!(
            "one test: `suite nodes={nodes} test={name}`, each node a process; with `as=threads`, a thread of one process\n"
        ));
    }
    let emitted = suite.names.iter().flatten().count();
    Ok(left_out.end(if emitted == 0 { Verdict::Nothing } else { verdict }))
}
