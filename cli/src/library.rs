//! `litmpi emit --layer`: layers as libraries.

use crate::args::{EmitArgs, Lang};
use crate::refine::Named;
use crate::whole::write_file;
use crate::{Verdict, say};
use litmpi_codegen::{SuiteFile, layer_library};
use litmpi_litmus::layer::Made;
use litmpi_models::{Model, Valued};
use litmpi_spec::decl::Language;
use litmpi_spec::diag::{Diagnostic, Report};

fn usage<T>(message: String, help: &str) -> Result<T, Report> {
    Err(Diagnostic::general(message).help(help).into())
}

/// Gives constants other values than the text does: sizes.
fn set(sets: &[String], stack: &mut [Valued]) -> Result<(), Report> {
    for text in sets {
        let Some((name, Ok(value))) = text.split_once('=').map(|(n, v)| (n, v.parse::<i64>())) else {
            return usage(format!("`--set {text}` gives no number to a constant"), "write `--set slots=1024`");
        };
        let mut of: Vec<&str> = vec![];
        let mut found = false;
        for (spec, values) in stack.iter_mut() {
            for (c, at) in spec.consts.iter().zip(values) {
                let is_number = matches!(c.ty, litmpi_spec::types::Ty::Int) && c.name != litmpi_spec::model::BITS;
                if is_number && c.name == name {
                    (*at, found) = (value, true);
                }
                if is_number {
                    of.push(&c.name);
                }
            }
        }
        if !found {
            let help = if of.is_empty() { "it has none".to_owned() } else { format!("it has: {}", of.join(", ")) };
            return usage(format!("the layer has no number `{name}`"), &help);
        }
    }
    Ok(())
}

fn made(name: &str, sets: &[String], language: Language) -> Result<Vec<SuiteFile>, Report> {
    let Named { model, variant, .. } = Named::load(name)?;
    let plain = name.strip_suffix(&format!(":{variant}")).unwrap_or(name);
    let Model::Layer(layered) = model else {
        return usage(format!("{plain} is no layer"), "`litmpi layers` lists those that ship");
    };
    let mut stack = layered.stack(&variant)?;
    set(sets, &mut stack)?;
    let title = &stack[0].0.title;
    let title = match variant.as_str() {
        "default" => format!("{plain}: {title}"),
        variant => format!("{plain} under {variant}: {title}"),
    };
    let layers: Vec<Made<'_>> = stack.iter().map(|(spec, constants)| Made { spec, constants }).collect();
    layer_library(&layers, &title, language)
}

pub(crate) fn libraries(args: &EmitArgs) -> Result<Verdict, Report> {
    let (language, shown) = if args.lang == Lang::Rust { (Language::Rust, 1) } else { (Language::C, 2) };
    for name in &args.model.tests {
        let files = made(&name.to_string_lossy(), &args.set, language)?;
        let Some(dir) = &args.output else {
            files.iter().take(shown).for_each(|f| say(&f.text));
            continue;
        };
        let failed =
            |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
        litmpi_scratch::own(dir).map_err(failed)?;
        for file in &files {
            let path = dir.join(&file.name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
            write_file(&path, &file.text)?;
        }
        let (n, dir) = (files.len(), dir.display());
        let how = match language {
            Language::C => {
                let units: Vec<&str> = files.iter().map(|f| f.name.as_str()).filter(|n| n.ends_with(".c")).collect();
                format!("build them there with `cc -std=c11 -O2 -o program program.c {} -libverbs`", units.join(" "))
            }
            Language::Rust => {
                let krate = files[0].name.split('/').next().unwrap_or_default();
                format!("name the crate in the manifest of a program: `{krate} = {{ path = \"{dir}/{krate}\" }}`")
            }
        };
        say(&format!("{n} files in {dir}; {how}\n"));
    }
    Ok(Verdict::Good)
}
