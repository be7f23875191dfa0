//! `litmpi mend`: the cheapest fences, polls, and gets with polls that make a program robust, or that forbid an outcome.
//!
//! What is put in is of no effect where threads take turns, so a mended program is to have the same outcomes under sequential
//! consistency as before: a poll that waits for ever would take some away. Beside the cheapest set of insertions, which is
//! searched for, the program is mended by Fig. 5 of rdma-robustness: each pair on which LDRF or fenced fails is ordered as the
//! table there says. Both are judged anew.
//!
//! That what fails with more insertions fails with fewer (`litmpi_models::cheapest` rests on it): a fence only adds order. A
//! poll makes each later poll of its queue pair poll the same operation or a later one. A get comes with a poll, so that later polls
//! poll the same operation, or this get in the place of an earlier one. And what takes outcomes away does so with more insertions,
//! too: none lets a thread go on that waits.

mod args;
mod figure;
mod places;
mod show;
mod table;
mod text;

use crate::explain::{beside, wanted};
use crate::left_out::LeftOut;
use crate::load::{Refusal, files, load_asked};
use crate::robust::reason;
use crate::whole::write_file;
use crate::{Verdict, parallel, remark, say, stream};
pub(crate) use args::MendArgs;
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_litmus::{Asked, parse};
use litmpi_models::{Limits, Priced, Robustness, Search, Tried, cheapest};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use places::{Item, items};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Table;

/// A program that is to be mended, and what is wanted of it.
struct Patient<'m> {
    robustness: &'m Robustness,
    variant: &'m str,
    limits: Limits,
    test: Arc<Test>,
    /// What is to be forbidden; without it, every weak execution.
    forbid: Option<Prop>,
    keep: Vec<Prop>,
    /// The outcomes where threads take turns.
    sequential: BTreeSet<Outcome>,
}

/// Insertions, and the program with them.
struct Mended {
    items: Vec<Item>,
    source: Arc<Source>,
    /// Loops that state no bound were looked at for so many rounds, and may have more.
    rounds: Option<u32>,
}

impl Mended {
    fn cost(&self) -> u64 {
        self.items.iter().map(|i| i.insertion.cost).sum()
    }
}

/// What came of mending.
enum Came {
    /// The model says nothing of the program.
    Silent(String),
    /// There is nothing to mend.
    Well,
    /// No set of insertions does.
    Never(String),
    /// A bound was reached.
    Undecided(String),
    /// This does, and nothing cheaper.
    Mended(Mended),
}

/// What came of it, how many sets were tried and how many failing ones could not be made larger, and the program by Fig. 5.
type Whole = (Came, (usize, usize), Option<(Mended, Tried)>);

/// A test, and what came of it.
struct Row {
    path: PathBuf,
    name: String,
    /// None if the model says nothing of it.
    test: Option<Arc<Test>>,
    came: Came,
    /// How many sets of insertions were tried, and how many of those that fail could not be made larger.
    tried: (usize, usize),
    /// The program as Fig. 5 mends it, and whether that does; none if there was nothing to mend, or an outcome was asked for.
    by_figure: Option<(Mended, Tried)>,
}

pub(crate) fn mend(args: &MendArgs) -> Result<Verdict, Report> {
    let robustness = Robustness::new(&args.subject.model, &[] as &[PathBuf])?;
    robustness.model().knows_variant(&args.subject.variant)?;
    let table = Table::load(args.costs.as_deref())?;
    let mut left_out = LeftOut::default();
    let tests = files(&args.subject.tests, &mut left_out);
    let found = parallel::map(&tests, args.bounds.jobs, "mending", |path| mend_one(path, args, &robustness, &table));
    let rows: Vec<Row> = left_out.keep_all(&tests, found);
    if rows.is_empty() {
        left_out.into_result()?;
        return Ok(Verdict::Nothing);
    }
    if let Some(folder) = &args.out {
        write(folder, &rows)?;
    }
    let told = |row: &Row| show::as_json(row, &robustness, &args.subject.variant);
    if args.json {
        let told: Vec<_> = rows.iter().map(told).chain(left_out.rows()).collect();
        say(&format!("{:#}\n", json!(told)));
    } else {
        rows.iter().for_each(|row| say(&show::as_text(row, &robustness, &args.subject.variant)));
    }
    if rows.iter().all(|r| matches!(r.came, Came::Silent(_))) {
        return Ok(left_out.end(Verdict::Nothing));
    }
    let count = |what: fn(&Came) -> bool| rows.iter().filter(|r| what(&r.came)).count();
    let open = |c: &Came| matches!(c, Came::Undecided(_) | Came::Mended(Mended { rounds: Some(_), .. }));
    let verdict = Verdict::of(count(|c| matches!(c, Came::Never(_))), count(open));
    Ok(left_out.end(verdict))
}

/// Writes the mended programs, each to a file of its own.
///
/// # Errors
/// A file cannot be written, or is one of those that were mended.
fn write(folder: &Path, rows: &[Row]) -> Result<(), Report> {
    let mut taken = BTreeSet::new();
    let given: BTreeSet<PathBuf> = rows.iter().filter_map(|row| row.path.canonicalize().ok()).collect();
    for row in rows {
        let Came::Mended(mended) = &row.came else { continue };
        let path = beside(&row.name, |name| folder.join(format!("{name}.litmus")), |path| taken.contains(path));
        taken.insert(path.clone());
        if path.canonicalize().is_ok_and(|path| given.contains(&path)) {
            let d = Diagnostic::general(format!("{} is a test that is to be mended", path.display()));
            return Err(d.help("give another folder: --output DIR").into());
        }
        litmpi_scratch::own(folder)
            .map_err(|e| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", folder.display()))))?;
        write_file(&path, &*mended.source.text)?;
        remark(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn mend_one(path: &Path, args: &MendArgs, robustness: &Robustness, table: &Table) -> Result<Row, Report> {
    let source = stream::read(path, "")?;
    let limits = args.bounds.limits(Search::Auto);
    // Without an outcome that is asked about, nobody need look at what programs read.
    let looked_at = if args.forbid.is_none() && args.keep.is_empty() { Asked::Executions } else { Asked::Outcomes };
    let loaded = match load_asked(path, &source, robustness.model(), limits, looked_at) {
        Ok(loaded) => loaded,
        Err(Refusal::Unrun(name, why)) => return Ok(Row::silent(path, name, &why)),
        Err(other) => return Err(other.into_report()),
    };
    let test = loaded.test;
    if let Err(why) = robustness.speaks_of(&test, &args.subject.variant, limits) {
        return Ok(Row::silent(path, test.name.clone(), &why));
    }
    let asked = |text: &String| wanted(&test, Some(text));
    let Some(sequential) = robustness.sequential(&test, &args.subject.variant, limits)? else {
        let why = "a bound of the search for outcomes where threads take turns (--max-states)".to_owned();
        let (path, name) = (path.to_owned(), test.name.clone());
        return Ok(Row { path, name, test: Some(test), came: Came::Undecided(why), tried: (0, 0), by_figure: None });
    };
    let patient = Patient {
        robustness,
        variant: &args.subject.variant,
        limits,
        forbid: args.forbid.as_ref().map(asked).transpose()?,
        keep: args.keep.iter().map(asked).collect::<Result<_, _>>()?,
        sequential,
        test: Arc::clone(&test),
    };
    let (came, tried, by_figure) = patient.mend(&source, table, args.most)?;
    let (path, name) = (path.to_owned(), test.name.clone());
    Ok(Row { path, name, test: Some(test), came, tried, by_figure })
}

impl Row {
    fn silent(path: &Path, name: String, why: &Report) -> Row {
        let came = Came::Silent(reason(why));
        Row { path: path.to_owned(), name, test: None, came, tried: (0, 0), by_figure: None }
    }
}

/// The item before this one, if it puts the same statements into the same place.
fn again(items: &[Item], i: usize) -> Option<usize> {
    let before = i.checked_sub(1)?;
    let (a, b) = (&items[before], &items[i]);
    (a.insertion.name == b.insertion.name && a.node == b.node && a.behind == b.behind).then_some(before)
}

impl Patient<'_> {
    fn mend(&self, source: &Arc<Source>, table: &Table, most: usize) -> Result<Whole, Report> {
        if let Some(prop) = &self.forbid
            && let Some(outcome) = self.sequential.iter().find(|o| prop.holds(o))
        {
            let shown = self.test.show(outcome);
            let why = format!("threads that take turns come to {shown} and what is put in takes nothing from them");
            return Ok((Came::Never(why), (0, 0), None));
        }
        let items = items(&self.test, table);
        let priced: Vec<Priced> =
            (0..items.len()).map(|i| Priced { cost: items[i].insertion.cost, again: again(&items, i) }).collect();
        let mut bound = None;
        let found = cheapest(&priced, most, |set| {
            let chosen: Vec<&Item> = set.iter().map(|i| &items[*i]).collect();
            let tried = self.ask(&text::with(source, &chosen)?)?;
            bound = bound.take().or(tried.is_none().then_some("a bound of the search for executions (--max-states)"));
            // What is not decided does not do.
            Ok::<_, Report>(tried.unwrap_or(Tried::TooMuch))
        })?;
        let Some(found) = found else {
            let why = format!("{most} sets of insertions were tried (--most), and none of them does; there are more");
            let by_figure = if self.forbid.is_some() { None } else { figure::mend(self, source, table)? };
            return Ok((Came::Undecided(why), (most, 0), by_figure));
        };
        let tried = (found.tried, found.failing);
        let came = match (found.set, bound) {
            (_, Some(why)) => return Ok((Came::Undecided(why.into()), tried, None)),
            (None, None) => Came::Never(format!("none of the sets of {} insertions does", items.len())),
            (Some(set), None) => {
                let items: Vec<Item> = set.iter().map(|i| items[*i].clone()).collect();
                let source = text::with(source, &items.iter().collect::<Vec<_>>())?;
                match (items.is_empty(), self.rounds(&self.parse(&source)?)) {
                    (true, None) => return Ok((Came::Well, tried, None)),
                    (true, Some(n)) => {
                        let why = format!(
                            "there is nothing to mend in {n} rounds of loops (--unroll), and they may have more"
                        );
                        return Ok((Came::Undecided(why), tried, None));
                    }
                    (false, rounds) => Came::Mended(Mended { items, source, rounds }),
                }
            }
        };
        let by_figure = if self.forbid.is_some() { None } else { figure::mend(self, source, table)? };
        Ok((came, tried, by_figure))
    }

    /// How many rounds of loops were looked at, if there may be more that matter.
    fn rounds(&self, test: &Test) -> Option<u32> {
        let enough = self.robustness.rounds_are_enough(test, self.limits);
        (!enough).then(|| self.limits.rounds())
    }

    /// What a changed text of the program comes to; none if a bound was reached.
    fn ask(&self, source: &Arc<Source>) -> Result<Option<Tried>, Report> {
        let test = self.parse(source)?;
        match self.robustness.sequential(&test, self.variant, self.limits)? {
            None => return Ok(None),
            Some(outcomes) if outcomes != self.sequential => return Ok(Some(Tried::TooMuch)),
            Some(_) => {}
        }
        let has = |prop| self.robustness.has(prop, &test, self.variant, self.limits);
        for prop in &self.keep {
            match has(Some(prop))? {
                None => return Ok(None),
                Some(false) => return Ok(Some(Tried::TooMuch)),
                Some(true) => {}
            }
        }
        Ok(has(self.forbid.as_ref())?.map(|unwanted| if unwanted { Tried::Fails } else { Tried::Does }))
    }

    fn parse(&self, source: &Arc<Source>) -> Result<Test, Report> {
        parse(source, self.robustness.model().instructions()).map_err(|report| {
            let d = Diagnostic::general(format!("what the table puts into {} is no program", source.name));
            let found: Vec<_> = std::iter::once(d).chain(report.0).collect();
            Report(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Patient, Table, Tried, items, text};
    use litmpi_litmus::parse;
    use litmpi_models::{Limits, Robustness};
    use litmpi_spec::source::Source;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// What every set of insertions comes to, by the bits of its number.
    fn every_set(file: &str) -> (Vec<u64>, Vec<Tried>, Option<u64>) {
        litmpi_spec::compiled::carry(litmpi_shipped::MODELS);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/rdma").join(file);
        let robustness = Robustness::new("rdma-tso", &[] as &[PathBuf]).expect("a shipped model");
        let source = Source::read(&path).expect("a test");
        let test = Arc::new(parse(&source, robustness.model().instructions()).expect("a test"));
        let limits = Limits::default();
        let sequential = robustness.sequential(&test, "default", limits).expect("outcomes").expect("all of them");
        let (test, robustness, variant) = (Arc::clone(&test), &robustness, "default");
        let patient = Patient { robustness, variant, limits, test, forbid: None, keep: vec![], sequential };
        let table = Table::load(None).expect("the shipped table");
        let items = items(&patient.test, &table);
        assert!(items.len() < 10, "{file}: {} items", items.len());
        let ask = |set: usize| {
            let chosen: Vec<_> = (0..items.len()).filter(|i| set >> i & 1 == 1).map(|i| &items[i]).collect();
            let source = text::with(&source, &chosen).expect("a text");
            patient.ask(&source).expect("an answer").expect("decided")
        };
        let all = (0..1 << items.len()).map(ask).collect();
        let (came, ..) = patient.mend(&source, &table, 10_000).expect("an answer");
        let cost = match came {
            super::Came::Mended(mended) => Some(mended.cost()),
            super::Came::Well => Some(0),
            _ => None,
        };
        (items.iter().map(|i| i.insertion.cost).collect(), all, cost)
    }

    #[test]
    fn what_is_found_is_the_cheapest_of_all_sets_and_more_insertions_never_do_less() {
        for file in
            ["SB3bis.litmus", "LB3.litmus", "TSO-SB.litmus", "robustness/E1.litmus", "robustness/E8+rfence.litmus"]
        {
            let (costs, all, found) = every_set(file);
            let cost = |set: usize| (0..costs.len()).filter(|i| set >> i & 1 == 1).map(|i| costs[i]).sum::<u64>();
            let does = (0..all.len()).filter(|set| all[*set] == Tried::Does);
            assert_eq!(found, does.map(cost).min(), "{file}");
            for (set, tried) in all.iter().enumerate() {
                for larger in (0..costs.len()).map(|i| set | 1 << i) {
                    match tried {
                        Tried::Does => assert_ne!(all[larger], Tried::Fails, "{file} {set:b} {larger:b}"),
                        Tried::TooMuch => assert_eq!(all[larger], Tried::TooMuch, "{file} {set:b} {larger:b}"),
                        Tried::Fails => {}
                    }
                }
            }
        }
    }
}
