//! `litmpi compare`: models side by side, as mcompare does for herd. Models are rules, or `.cat` files.
//!
//! A declarative model has no execution where a thread waits for ever, so deadlocks are left out of the comparison when
//! one is among the models.

use crate::args::CompareArgs;
use crate::load::shipped;
use crate::{Verdict, parallel, say};
use comfy_table::{Table, presets};
use litmpi_explore::Bounds;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{library, parse};
use litmpi_rdma_model::declarative::{Declarative, GIVEN, Options};
use litmpi_rdma_model::{Operational, Setup};
use litmpi_runner::proposition;
use litmpi_spec::cat::{self, CatModel};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model to be put beside others.
enum Model {
    /// As rules.
    Rules(Setup),
    /// As relations and checks; programs are those of the RDMA rules.
    Relations { programs: Arc<Spec>, model: Box<CatModel>, options: Options },
}

impl Model {
    /// `NAME[:VARIANT]`, where the name of a declarative model is that of its `.cat` file.
    fn named(name: &str, args: &CompareArgs) -> Result<Model, Report> {
        let (model, variant) = name.split_once(':').unwrap_or((name, "default"));
        let unknown = |known: &[&str]| {
            let d = Diagnostic::general(format!("model {model} has no variant `{variant}`"));
            Report::from(d.help(format!("variants: {}", known.join(", "))))
        };
        if model.ends_with(".cat") {
            if !["default", "inline"].contains(&variant) {
                return Err(unknown(&["default", "inline"]));
            }
            let path = Path::new(model);
            let loaded = if path.exists() { cat::load(path, GIVEN)? } else { cat::load_shipped(model, GIVEN)? };
            let options = Options { unroll: args.unroll, inline: variant == "inline", ..Options::default() };
            return Ok(Model::Relations { programs: shipped("rdma-tso")?, model: Box::new(loaded), options });
        }
        let spec = shipped(model)?;
        if variant != "default" && spec.variant(variant).is_none() {
            return Err(unknown(&spec.variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>()));
        }
        let bounds = Bounds { states: args.max_states, ..Bounds::default() };
        Ok(Model::Rules(Setup { variant: variant.into(), unroll: args.unroll, bounds, ..Setup::new(spec) }))
    }

    fn spec(&self) -> &Spec {
        match self {
            Model::Rules(setup) => &setup.spec,
            Model::Relations { programs, .. } => programs,
        }
    }

    /// All outcomes, and whether they are all.
    fn outcomes(&self, test: &Test) -> Result<(BTreeSet<Outcome>, bool), Report> {
        match self {
            Model::Rules(setup) => {
                let found = Operational::new(test, setup)?.outcomes()?;
                Ok((found.set.clone(), found.complete()))
            }
            Model::Relations { programs, model, options } => {
                let found = Declarative::new(test, &programs.instructions, model, *options)?.outcomes()?;
                let complete = found.complete();
                Ok((found.set, complete))
            }
        }
    }
}

/// What one model says of one test.
struct Answer {
    verdicts: Vec<String>,
    outcomes: BTreeSet<Outcome>,
    complete: bool,
}

/// A test under every model, or why one of them cannot run it.
struct Row {
    path: PathBuf,
    test: Test,
    answers: Vec<Result<Answer, String>>,
    /// A model among them knows no deadlocks.
    values_only: bool,
}

impl Row {
    /// Whether two models have different outcomes.
    fn differs(&self) -> bool {
        let seen = |a: &Answer| -> BTreeSet<Outcome> {
            a.outcomes.iter().filter(|o| !self.values_only || **o != Outcome::Deadlock).cloned().collect()
        };
        let sets: BTreeSet<BTreeSet<Outcome>> = self.answers.iter().flatten().map(seen).collect();
        sets.len() > 1
    }
}

pub(crate) fn compare(args: &CompareArgs) -> Result<Verdict, Report> {
    let models = args.models.iter().map(|name| Model::named(name, args)).collect::<Result<Vec<Model>, Report>>()?;
    let files = library::find(&args.tests)?;
    let rows = parallel::map(&files, args.jobs, "comparing", |path| row(path, &models));
    let mut rows = rows.into_iter().collect::<Result<Vec<Row>, Report>>()?;
    // Differences first; files are in order already.
    rows.sort_by_key(|r| !r.differs());
    say(&if args.json { as_json(args, &rows) } else { as_table(args, &rows) });
    Ok(Verdict::Good)
}

fn row(path: &Path, models: &[Model]) -> Result<Row, Report> {
    let source = Source::read(path)
        .map_err(|e| Report::from(Diagnostic::general(format!("cannot read {}: {e}", path.display()))))?;
    let mut tests = vec![];
    for m in models {
        tests.push(parse(&source, &m.spec().instructions));
    }
    let Some(first) = tests.iter().find_map(|t| t.as_ref().ok()).cloned() else {
        return Err(tests.into_iter().find_map(Result::err).unwrap_or_default());
    };
    let answer = |test: &Result<Test, Report>, model: &Model| -> Result<Answer, Report> {
        let test = test.as_ref().map_err(Clone::clone)?;
        let (outcomes, complete) = model.outcomes(test)?;
        let verdicts = test.claims.iter().map(|c| c.verdict(outcomes.iter()).to_string()).collect();
        Ok(Answer { verdicts, complete, outcomes })
    };
    let answers = tests.iter().zip(models).map(|(t, m)| answer(t, m).map_err(|r| r.to_string())).collect();
    let values_only = models.iter().any(|m| matches!(m, Model::Relations { .. }));
    Ok(Row { path: path.to_path_buf(), test: first, answers, values_only })
}

fn as_table(args: &CompareArgs, rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let head = ["", "test", "condition"].into_iter().map(str::to_owned).chain(args.models.iter().cloned());
    table.set_header(head);
    for r in rows {
        for (i, claim) in r.test.claims.iter().enumerate() {
            let said: Vec<&str> =
                r.answers.iter().map(|a| a.as_ref().map_or("-", |a| a.verdicts[i].as_str())).collect();
            let differs = said.windows(2).any(|w| w[0] != w[1]);
            let mark = match (differs, r.differs()) {
                (true, _) => "*",
                (false, true) if i == 0 => "+",
                _ => "",
            };
            let condition = format!("{} ({})", claim.quantifier, proposition(&r.test, &claim.prop));
            let cells = [mark, &r.test.name, &condition].into_iter().map(str::to_owned);
            table.add_row(cells.chain(said.iter().map(|s| (*s).to_owned())));
        }
    }
    let mut out = format!("{table}\n\n");
    let differing = rows.iter().filter(|r| r.differs()).count();
    out.push_str(&format!(
        "{} tests, {differing} with different outcomes (* another verdict, + other outcomes only)\n",
        rows.len()
    ));
    for r in rows {
        for (m, a) in args.models.iter().zip(&r.answers) {
            match a {
                Err(why) => out.push_str(&format!("not run: {} under {m}: {why}\n", r.test.name)),
                Ok(a) if !a.complete => out.push_str(&format!("a bound was reached: {} under {m}\n", r.test.name)),
                Ok(_) => {}
            }
        }
    }
    out
}

fn as_json(args: &CompareArgs, rows: &[Row]) -> String {
    let answer = |r: &Row, a: &Result<Answer, String>| match a {
        Ok(a) => json!({
            "verdicts": a.verdicts, "complete": a.complete,
            "outcomes": a.outcomes.iter().map(|o| r.test.show(o)).collect::<Vec<_>>(),
        }),
        Err(why) => json!({ "error": why }),
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            let answers: serde_json::Map<_, _> =
                args.models.iter().zip(&r.answers).map(|(m, a)| (m.clone(), answer(r, a))).collect();
            json!({ "test": r.test.name, "file": r.path.display().to_string(), "differs": r.differs(), "models": answers })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
