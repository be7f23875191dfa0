//! `litmpi compare`: models and logs of runs side by side, as mcompare does for herd.
//!
//! A declarative model has no execution where a thread waits for ever, so deadlocks are left out of the comparison when
//! one is among the models. What a run did not show is no difference between a log and a model; what it showed and the
//! model does not allow is a violation.

mod column;
mod judge;
mod show;

use crate::args::CompareArgs;
use crate::left_out::LeftOut;
use crate::load::files;
use crate::tuned::sum;
use crate::{Verdict, say, shard, stream};
use column::{Answer, Column, Source};
use judge::Row;
use litmpi_litmus::ast::Claim;
use litmpi_litmus::check_threads;
use litmpi_litmus::log::Logged;
use litmpi_runner::proposition;
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) fn compare(args: &CompareArgs) -> Result<Verdict, Report> {
    let (logs, tests): (Vec<PathBuf>, Vec<PathBuf>) = args.tests.iter().cloned().partition(|p| is_log(p));
    if args.models.is_empty() && (logs.is_empty() || !tests.is_empty()) {
        let d = Diagnostic::general("there is nothing to compare these tests with");
        return Err(d.help("name models: --model rdma-tso,rdma-tso.cat; or give logs of runs, and no tests").into());
    }
    if !args.models.is_empty() && tests.is_empty() {
        let d = Diagnostic::general("a log has only the names of its tests, and models run the tests themselves");
        return Err(d.help("give the files of the tests, or their folder, beside the logs").into());
    }
    let (columns, mut left_out) = Column::all(args, &logs)?;
    let Some(mut rows) = rows(args, &tests, &columns, &mut left_out)? else { return Ok(left_out.end(Verdict::Good)) };
    if rows.is_empty() {
        left_out.into_result()?;
        return Ok(Verdict::Nothing);
    }
    for row in &mut rows {
        row.judge();
    }
    // What is wrong first, then differences; tests are in order already.
    rows.sort_by_key(|r| (!r.verdict.is_violation(), !r.differs));
    say(&if args.json { show::as_json(&columns, &rows) } else { show::as_table(&columns, &rows) });
    let count = |what: fn(&Row) -> bool| rows.iter().filter(|r| what(r)).count();
    Ok(left_out.end(Verdict::of(count(|r| r.verdict.is_violation()), count(Row::stopped))))
}

/// Whether a path is that of a log: a file whose name does not end as those of tests do.
fn is_log(path: &Path) -> bool {
    path.is_file() && path.extension().is_none_or(|e| e != "litmus")
}

/// A row a test: the files that some log speaks of, or all if there is no log; then what only logs speak of.
/// None if only a shard was worked on.
fn rows(
    args: &CompareArgs,
    tests: &[PathBuf],
    columns: &[Column],
    left_out: &mut LeftOut,
) -> Result<Option<Vec<Row>>, Report> {
    let files = files(tests, left_out);
    let about = |path: &PathBuf| {
        let text = stream::read(path, "").map_or(String::new(), |test| sum(&test.text));
        columns.iter().fold(format!("{} {text}", path.display()), |all, c| all + " " + &c.about())
    };
    let found = shard::map(&files, about, args.bounds.jobs, "comparing", |path| row(path, columns))?;
    let Some(found) = found else { return Ok(None) };
    let mut rows: Vec<Row> = vec![];
    for (path, found) in files.iter().zip(found) {
        if let Some((name, conditions, answers)) = left_out.keep(path, found).flatten() {
            rows.push(Row::new(name, Some(path.clone()), conditions, answers, columns));
        }
    }
    let known: BTreeSet<String> = rows.iter().map(|r| r.name.clone()).collect();
    let mut names: Vec<&Logged> = vec![];
    for logged in columns.iter().flat_map(Column::logged) {
        if !known.contains(&logged.name) && names.iter().all(|l| l.name != logged.name) {
            names.push(logged);
        }
    }
    for logged in names {
        let conditions: Vec<String> = logged.conditions.iter().map(|(c, _)| c.clone()).collect();
        let answer = |c: &Column| match &c.source {
            Source::Log(log) => log.get(&logged.name).map(|l| Ok(Answer::of_log(l, None))),
            Source::Model(_) => Some(Err("none of the files given holds this test".to_owned())),
        };
        rows.push(Row::new(logged.name.clone(), None, conditions, columns.iter().map(answer).collect(), columns));
    }
    Ok(Some(rows))
}

/// The name of a test, its conditions, and what each column says.
type Found = (String, Vec<String>, Vec<Option<Result<Answer, String>>>);

/// The row of a test's file; none if there are logs and none of them speaks of it.
fn row(path: &Path, columns: &[Column]) -> Result<Option<Found>, Report> {
    let source = stream::read(path, "")?;
    let mut parsed = vec![];
    for column in columns {
        if let Source::Model(model) = &column.source {
            parsed.push(model.parse(&source).and_then(|test| check_threads(&test).map(|()| test)));
        }
    }
    let Some(test) = parsed.iter().find_map(|t| t.as_ref().ok()).cloned() else {
        return Err(parsed.into_iter().find_map(Result::err).unwrap_or_default());
    };
    let logs: Vec<Option<&Logged>> = columns.iter().map(|c| c.log_of(test.logged_name())).collect();
    if columns.iter().any(Column::is_log) && logs.iter().all(Option::is_none) {
        return Ok(None);
    }
    let hash = litmpi_litmus::hash(&test);
    for log in logs.iter().flatten() {
        if let (Some(now), Some(then)) = (&hash, &log.hash)
            && now != then
        {
            let d = Diagnostic::at(&log.span, format!("this log of {} is of another program", log.name));
            let found = format!("its hash is {then}, that of {} is {now}", path.display());
            return Err(d
                .found(found)
                .help("run the test again, or compare the log with the file that it is of")
                .into());
        }
    }
    let mut parsed = parsed.iter();
    let mut answers = vec![];
    for (column, log) in columns.iter().zip(logs) {
        answers.push(match &column.source {
            Source::Log(_) => log.map(|l| Ok(Answer::of_log(l, Some(&test)))),
            Source::Model(model) => {
                let test = parsed.next().expect("one a model").as_ref();
                let answer = test.map_err(Clone::clone).and_then(|t| model.answer(t));
                Some(answer.map_err(|r| r.to_string()))
            }
        });
    }
    let condition = |c: &Claim| format!("{} ({})", c.quantifier, proposition(&test, &c.prop));
    Ok(Some((test.logged_name().to_owned(), test.claims.iter().map(condition).collect(), answers)))
}
