//! `litmpi generate mpi --every`: every small MPI program of some functions that is not erroneous and may end, or every other one.

use super::many::bounded;
use super::programs::not_called;
use super::{GenerateArgs, Use, to_be_run, write};
use crate::{Verdict, parallel, remark, say};
use litmpi_models::Model;
use litmpi_mpi_model::MODELS;
use litmpi_mpi_model::generate::Every;
use litmpi_spec::diag::Report;

/// Programs that are worked on at once.
const BATCH: usize = 512;

pub(super) fn every(args: &GenerateArgs) -> Result<Verdict, Report> {
    let model = Model::named(MODELS[0])?;
    let spec = model.spec();
    let decls = &spec.instructions;
    let of = Every::functions(decls, &args.programs.with).map_err(not_called)?;
    let (size, most_ranks) = (args.size(), args.programs.ranks());
    let of_size = |n: usize| (2..=most_ranks).map(move |ranks| (n, ranks));
    let count = |n: usize| of_size(n).map(|(n, ranks)| Every::new(decls, &of, n, ranks).count()).sum();
    bounded(args, count, "`--with MPI_Send,MPI_Recv`")?;
    if let Some(dir) = args.folder() {
        write(dir, &[])?;
    }
    let mut programs = (1..=size).flat_map(of_size).flat_map(|(n, ranks)| {
        let every = Every::new(decls, &of, n, ranks);
        let made = every.clone().enumerate();
        made.map(move |(i, p)| {
            let name = format!("every-{ranks}-{n}-{}", i + 1);
            let text = every.text(&p, &name);
            (name, text)
        })
    });
    let (mut kept, mut legal, mut stuck, mut erroneous) = (0, 0, 0, 0);
    let (mut leaving, mut large) = (0, 0);
    let wanted = args.most.unwrap_or(usize::MAX);
    while kept < wanted {
        let batch: Vec<(String, String)> = programs.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let found = parallel::map(&batch, args.jobs, "programs", |(name, text)| to_be_run(name, text, spec));
        for ((name, text), use_of) in batch.into_iter().zip(found) {
            let use_of = use_of?;
            let is_erroneous = matches!(use_of, Use::Erroneous);
            let is_wanted = match use_of {
                Use::Runs | Use::Idle => {
                    legal += 1;
                    !args.mistakes
                }
                // To a library that runs thousands of programs, each of these is seconds in which nothing happens.
                Use::Stuck => {
                    stuck += 1;
                    args.mistakes
                }
                Use::Erroneous => {
                    erroneous += 1;
                    args.mistakes
                }
                Use::Large => {
                    large += 1;
                    false
                }
                // It is legal, and no program for a library that runs it again and again.
                Use::Leaves | Use::Mistaken | Use::Legal => {
                    leaving += 1;
                    false
                }
            };
            if !is_wanted {
                continue;
            }
            let text = match is_erroneous {
                true => text.replace("\nexists true\n", "\nexists erroneous\n"),
                false => text,
            };
            match args.folder() {
                Some(dir) => write(dir, &[(name, text)])?,
                None => say(&format!("{text}\n")),
            }
            kept += 1;
            if kept == wanted {
                break;
            }
        }
    }
    let out = if args.mistakes {
        format!("{} that are not erroneous and may end", legal + leaving)
    } else {
        format!(
            "{erroneous} that are erroneous, {stuck} that never end, {leaving} that leave something behind and free a communicator or have a window"
        )
    };
    let said = format!(
        "{kept} programs of at most {size} calls in at most {most_ranks} ranks; left out: {out}, {large} that are too large"
    );
    match args.folder() {
        Some(dir) => say(&format!("{said}; run them with `litmpi run {}`\n", dir.display())),
        None => remark(&said),
    }
    Ok(Verdict::Good)
}
