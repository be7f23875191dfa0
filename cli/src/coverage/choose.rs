//! `litmpi coverage --choose`: which few of many tests, generated ones for example, add the most to what others cover.

use super::{place, search, what_happens};
use crate::args::{CoverageArgs, ModelArgs};
use crate::cover::greedy;
use crate::left_out::LeftOut;
use crate::load::{Loaded, same, tests_under_rules};
use crate::{Verdict, parallel, say};
use litmpi_engine::coverage::{Coverage, Line};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// What a test covers: the number of its model, and of a line of this model's rules that was counted.
type Covers = BTreeMap<(usize, usize), ()>;

/// The models that tests were asked about, each with the lines of its rules.
#[derive(Default)]
struct Models(Vec<(Arc<Spec>, Vec<Line>)>);

impl Models {
    /// The number of a model.
    fn number(&mut self, spec: &Arc<Spec>) -> usize {
        self.0.iter().position(|(s, _)| same(s, spec)).unwrap_or_else(|| {
            self.0.push((Arc::clone(spec), Coverage::new(spec).lines(spec)));
            self.0.len() - 1
        })
    }

    fn line(&self, (model, line): (usize, usize)) -> (&str, &Line) {
        let (spec, lines) = &self.0[model];
        (&spec.name, &lines[line])
    }
}

pub(super) fn choose(number: usize, args: &CoverageArgs) -> Result<Verdict, Report> {
    let mut models = Models::default();
    let (mut others_cover, mut others) = (Covers::new(), 0);
    if !args.beyond.is_empty() {
        let beyond = ModelArgs { tests: args.beyond.clone(), ..args.model.clone() };
        let (of, left_out) = covered(&beyond, args, &mut models)?;
        // What a test covers that cannot be read is not known.
        left_out.into_result()?;
        others = of.len();
        others_cover.extend(of.into_values().flatten());
    }
    let (mut by_test, left_out) = covered(&args.model, args, &mut models)?;
    let tests = by_test.len();
    for covers in by_test.values_mut() {
        covers.retain(|line, ()| !others_cover.contains_key(line));
    }
    let chosen = greedy(by_test, number);
    if let Some(dir) = &args.output {
        write(dir, chosen.iter().map(|(file, _)| Path::new(file)))?;
    }
    if args.json {
        let rows = chosen.iter().map(|(file, covers)| {
            let lines = covers.keys().map(|at| {
                let (model, line) = models.line(*at);
                json!({ "model": model, "rule": line.rule, "what": what_happens(line), "place": place(line) })
            });
            json!({ "test": file, "adds": lines.collect::<Vec<_>>() })
        });
        let rows: Vec<_> = rows.chain(left_out.rows()).collect();
        say(&format!("{:#}\n", json!(rows)));
    } else {
        say(&as_text(&chosen, &models, tests, others));
    }
    Ok(left_out.end(if tests == 0 { Verdict::Nothing } else { Verdict::Good }))
}

/// What each of the tests covers, by file.
fn covered(
    of: &ModelArgs,
    args: &CoverageArgs,
    models: &mut Models,
) -> Result<(BTreeMap<String, Covers>, LeftOut), Report> {
    let (loaded, mut left_out) = tests_under_rules(of)?;
    let found = parallel::map(&loaded, args.model.bounds.jobs, "searching", |l: &Loaded| {
        let counts = Arc::new(Coverage::new(&l.spec));
        search(l, args, &counts)?;
        let lines = counts.lines(&l.spec);
        Ok(lines.iter().enumerate().filter(|(_, line)| line.count > 0).map(|(i, _)| i).collect::<Vec<usize>>())
    });
    let mut out: BTreeMap<String, Covers> = BTreeMap::new();
    for (l, found) in loaded.iter().zip(found) {
        let Some(lines) = left_out.keep(&l.path, found) else { continue };
        let model = models.number(&l.spec);
        let covers = out.entry(l.path.display().to_string()).or_default();
        covers.extend(lines.into_iter().map(|line| ((model, line), ())));
    }
    Ok((out, left_out))
}

fn as_text(chosen: &[(String, Covers)], models: &Models, tests: usize, others: usize) -> String {
    let mut out = String::new();
    for (file, covers) in chosen {
        let _ = writeln!(out, "{file} adds {}", covers.len());
        for at in covers.keys() {
            let (model, line) = models.line(*at);
            let _ = writeln!(out, "  {model}: {} {}   {}", line.rule, what_happens(line), place(line));
        }
    }
    let adds: usize = chosen.iter().map(|(_, covers)| covers.len()).sum();
    let beyond = if others > 0 { format!(" to what {others} others cover") } else { String::new() };
    let _ = writeln!(out, "{} of {tests} tests add {adds}{beyond}", chosen.len());
    out
}

/// Copies tests into a folder, each by its name.
fn write<'a>(dir: &Path, files: impl Iterator<Item = &'a Path>) -> Result<(), Report> {
    let failed = |path: &Path, e: std::io::Error| {
        Report::from(Diagnostic::general(format!("cannot write {}: {e}", path.display())))
    };
    litmpi_scratch::own(dir).map_err(|e| failed(dir, e))?;
    for file in files {
        let to = dir.join(file.file_name().unwrap_or_default());
        if to.exists() {
            let d = Diagnostic::general(format!("{} is there already, or two tests are called so", to.display()));
            return Err(d.help("name an empty folder, and tests of one folder").into());
        }
        std::fs::copy(file, &to).map_err(|e| failed(&to, e))?;
    }
    Ok(())
}
