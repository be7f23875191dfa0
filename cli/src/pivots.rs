//! `litmpi pivots`: the tests of core-rma §6. A program is a test of a rule if some execution of it has a cycle of what must happen before, and
//! has none without one edge of that rule, the pivot.

use crate::shrink::Side;
use crate::whole::write_file;
use crate::{Verdict, parallel, remark, say};
use clap::Args;
use litmpi_litmus::golden::DEFAULT;
use litmpi_models::{Limits, Model, Search};
use litmpi_rdma_model::pivots::{Made, Programs};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped::CAT_FILES;
use litmpi_spec::source::Source;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub(crate) struct PivotsArgs {
    /// Actions of the largest programs, initial values among them
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(4..=12))]
    size: u8,
    /// Only this rule, by its name in Fig. 4
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Work on N programs at once, rather than on as many as there are cores
    #[arg(long, value_name = "N", value_parser = crate::parallel::jobs)]
    jobs: Option<usize>,
    /// Write the tests into this folder
    #[arg(long, short, alias = "out", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// A rule, its edges in the words of `core-rma-rules.cat`, and what Table 6 has of it.
struct Rule {
    name: &'static str,
    edges: &'static str,
    /// What they are among, if the edges hang on what the search chooses.
    among: Option<&'static str>,
    /// How a statement begins that every program with such an edge has.
    needs: &'static str,
    /// For one process, and for two.
    theirs: [Theirs; 2],
}

/// A row of Table 6: actions of the largest tests, how many tests there are, and how many outputs they have.
#[derive(Clone, Copy)]
struct Theirs(usize, u32, u32);

const fn rule(name: &'static str, edges: &'static str, needs: &'static str, theirs: [Theirs; 2]) -> Rule {
    let is_chosen = matches!(name.as_bytes(), b"R1" | b"R2" | b"WS");
    let among = if is_chosen { Some("loc & M * M \\ id") } else { None };
    Rule { name, edges, among, needs, theirs }
}

/// Table 6 of core-rma. The two rules of compare-and-swaps differ by values, which relations do not see: they are counted together.
const RULES: [Rule; 11] = [
    rule("R1", "R1", "", [Theirs(8, 863, 1492), Theirs(9, 1040, 3616)]),
    rule("R2", "R2", "", [Theirs(7, 419, 532), Theirs(8, 684, 1514)]),
    rule("F1", "F1", "flush(", [Theirs(9, 326, 338), Theirs(10, 172, 452)]),
    rule("F2", "F2", "flush(", [Theirs(9, 350, 374), Theirs(10, 188, 492)]),
    rule("F3", "F3", "flush(", [Theirs(10, 810, 1320), Theirs(11, 200, 356)]),
    rule("IR", "routing", "@", [Theirs(10, 104, 104), Theirs(11, 127, 368)]),
    rule("GA", "[updating \\ swapping]; parts", "rga(", [Theirs(10, 299, 1091), Theirs(11, 48, 624)]),
    rule("PG", "parts \\ ([updating]; parts)", "@", [Theirs(8, 164, 276), Theirs(10, 260, 1024)]),
    rule("CAS", "[swapping]; parts", "rcas(", [Theirs(10, 24, 24), Theirs(12, 96, 576)]),
    rule("LO", "LO", "", [Theirs(7, 146, 250), Theirs(8, 362, 1004)]),
    rule("WS", "ws", "", [Theirs(9, 282, 934), Theirs(10, 477, 3176)]),
];

const ABOUT: &str = "\
# The pivot method

Made by `litmpi pivots --size 12 > docs/pivots.md`. core-rma §6 makes tests of coreRMA by exhaustion: a program is a test of a rule of Fig. 4 if it has an execution in which
what must happen before has a cycle, and has none without one edge of that rule, the pivot. Here every program of one process and of two is made, without
repetition but for names, and `core-rma.cat` with a pivot is asked whether there is such an execution. Sizes are actions, initial values among them, as in Table 6; each row has
the tests of up to so many, and beside them how many outputs they have in all. `theirs` is Table 6 at its own size; beyond it a row goes on with `·`.

Numbers are not to be the same, for these reasons:

- Rule IR does not speak of operations to a process's own node (Fig. 4 asks that dst(e1) and src(e1) differ), so that no program of one process is a test of it. Table 6 has 104
  such tests, so that their generator must have applied IR to the own node, too.
- In programs of two processes, too, an operation may go to the process's own node, as Table 1 lets it. Whether the paper's tests do so is not said.
- Of programs that are alike but for the names of processes, locations and values there is one here; the paper takes out tests that are the same as text.
- Initial values are all different here, and no test has a condition on what values are; the paper's tests come with the values of the execution that was found.
- All accesses are atomic here.
- Whether a compare-and-swap succeeds is a matter of values, which relations do not see: CAS-F and CAS-T are one row, and its numbers of the paper are the sums of both.
- The model is the one of `spec/rdma`: of a location all writes are ordered (WS), so that R1 speaks of that order; the paper's R1 speaks of whatever must happen before.
";

/// The rules with an edge of one of them taken out: executions that have a cycle with it, and none without.
fn pivot_model(rule: &Rule, programs: &Arc<litmpi_spec::model::Spec>) -> Result<Side, Report> {
    let file = |name: &str| CAT_FILES.iter().find(|(n, _)| n.rsplit('/').next() == Some(name)).map_or("", |(_, t)| *t);
    let head = file("core-rma.cat").split("include \"core-rma-rules.cat\"").next().unwrap_or("");
    let parts = file("core-rma-rules.cat").split_once("let hb = (");
    let Some((before, rest)) = parts else {
        return Err(Diagnostic::general("core-rma-rules.cat does not say `let hb = (`").into());
    };
    let all = rest.split(")^+").next().unwrap_or("");
    // R1 rests on what must happen before: without an edge between writes it gives nothing by that edge either.
    let first = before.lines().find(|l| l.starts_with("let R1 = ")).unwrap_or("");
    let weaker = first.replace("let R1 = ", "let R1-without = ").replace("ws", "(ws \\ pivot)");
    let less = all.replace("R1", "R1-without");
    let text = format!(
        "{head}{before}
let swapping-reads = domain([nlR]; (po & si); [nlR])
let swapping = range([swapping-reads]; (si | id))
let updating = range([nrRW]; (si | id))
let of-the-rule = {edges}
let candidates = {among}
with pivot from partial_orders(candidates | candidates^-1)
empty pivot \\ of-the-rule as pivot-is-of-the-rule
empty (domain(pivot) * domain(pivot)) \\ id as one-first
empty (range(pivot) * range(pivot)) \\ id as one-second
empty (W \\ IW) \\ domain(rf; [lR]) as every-write-is-read
let every = {all}
{weaker}
let without = (({less}) \\ pivot)^+
irreflexive without as no-other-cycle
let cyclic = every^+
~irreflexive cyclic as a-cycle
let mo = ws
",
        edges = rule.edges,
        among = rule.among.unwrap_or("of-the-rule"),
    );
    let name = format!("core-rma.cat with a pivot of {}", rule.name);
    let model = Model::relations_in_memory("core-rma.cat", Arc::clone(programs), |given| {
        litmpi_cat::load_text(&Source::new(name.as_str(), text), given)
    })?;
    Ok(Side { name, model, variant: DEFAULT.to_owned() })
}

/// The tests that were found: how many there are of each rule and size, with how many outputs, and the programs of each size.
struct Counts {
    of: Vec<Vec<(usize, usize)>>,
    made: Vec<usize>,
}

pub(crate) fn pivots(args: &PivotsArgs) -> Result<Verdict, Report> {
    let wanted: Vec<&Rule> =
        RULES.iter().filter(|r| args.rule.as_ref().is_none_or(|n| n.eq_ignore_ascii_case(r.name))).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = RULES.iter().map(|r| r.name).collect();
        let d = Diagnostic::general(format!("no rule is called `{}`", args.rule.as_deref().unwrap_or("")));
        return Err(d.help(format!("rules are {}", names.join(", "))).into());
    }
    let programs = Arc::new(load_shipped("core-rma")?);
    let models: Vec<Side> = wanted.iter().map(|r| pivot_model(r, &programs)).collect::<Result<_, _>>()?;
    let limits = Limits { search: Search::Auto, states: 1_000_000, ..Limits::default() };
    if let Some(dir) = &args.output {
        litmpi_scratch::own(dir)
            .map_err(|e| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display()))))?;
    }
    let sizes: Vec<usize> = (4..=usize::from(args.size)).collect();
    let judges = Judges { rules: wanted, models, right: Side::named("core-rma.cat")?, limits };
    let mut undecided = 0;
    let mut found = vec![];
    for processes in [1, 2] {
        let mut counts = Counts { of: vec![vec![(0, 0); sizes.len()]; judges.rules.len()], made: vec![0; sizes.len()] };
        for (s, size) in sizes.iter().enumerate() {
            if judges.rules.iter().all(|r| r.theirs[processes - 1].0 < *size) {
                continue;
            }
            let programs = Programs::new(Made::WithRcas, processes, *size).enumerate();
            let mut texts = programs.map(|(i, p)| p.text(&format!("pivot-{processes}-{size}-{}", i + 1)));
            loop {
                let batch: Vec<String> = texts.by_ref().take(512).collect();
                if batch.is_empty() {
                    break;
                }
                counts.made[s] += batch.len();
                let answers = parallel::map(&batch, args.jobs, "programs", |text| judges.judge(text, processes, *size));
                for (text, (of, outputs)) in batch.iter().zip(answers) {
                    undecided += usize::from(of.contains(&None));
                    for (r, _) in of.iter().enumerate().filter(|(_, is)| **is == Some(true)) {
                        counts.of[r][s].0 += 1;
                        counts.of[r][s].1 += outputs;
                    }
                    if let (Some(dir), true) = (&args.output, of.contains(&Some(true))) {
                        write(dir, text)?;
                    }
                }
            }
            let of = if processes == 1 { "one process" } else { "two processes" };
            remark(&format!("{of}, {size} actions: {} programs", counts.made[s]));
        }
        found.push(counts);
    }
    say(&page(&judges.rules, &sizes, &found));
    Ok(Verdict::of(0, undecided))
}

/// The rules, with a model of each that tells its tests, and the model that gives their outputs.
struct Judges<'r> {
    rules: Vec<&'r Rule>,
    models: Vec<Side>,
    right: Side,
    limits: Limits,
}

impl Judges<'_> {
    /// Of which rules a program is a test, as far as that is decided, and how many outputs it has if it is one of any.
    fn judge(&self, text: &str, processes: usize, size: usize) -> (Vec<Option<bool>>, usize) {
        let source = Source::new("program", text);
        let is = |(m, r): (&Side, &&Rule)| {
            if size > r.theirs[processes - 1].0 || !text.contains(r.needs) {
                return Some(false);
            }
            m.outcomes(&source, self.limits).map(|(_, set)| !set.is_empty())
        };
        let of: Vec<Option<bool>> = self.models.iter().zip(&self.rules).map(is).collect();
        let outputs = || self.right.outcomes(&source, self.limits).map_or(0, |(_, set)| set.len());
        let outputs = if of.contains(&Some(true)) { outputs() } else { 0 };
        (of, outputs)
    }
}

fn write(dir: &Path, text: &str) -> Result<(), Report> {
    let name = text.split_whitespace().nth(2).unwrap_or("pivot");
    write_file(&dir.join(format!("{name}.litmus")), text)
}

fn page(rules: &[&Rule], sizes: &[usize], found: &[Counts]) -> String {
    let mut out = ABOUT.to_owned();
    let heads: Vec<String> = sizes.iter().map(|s| format!("≤ {s}")).collect();
    for (p, counts) in found.iter().enumerate() {
        let _ = writeln!(out, "\n## {}", ["One process", "Two processes"][p]);
        let _ = writeln!(out, "\n| rule | theirs | {} |\n|---|---|{}", heads.join(" | "), "---|".repeat(sizes.len()));
        for (r, rule) in rules.iter().enumerate() {
            let Theirs(largest, theirs, their_outputs) = rule.theirs[p];
            let (mut tests, mut outputs) = (0, 0);
            let cells: Vec<String> = counts.of[r]
                .iter()
                .zip(sizes)
                .map(|((t, o), size)| {
                    tests += t;
                    outputs += o;
                    if *size > largest { "·".to_owned() } else { format!("{tests} ({outputs})") }
                })
                .collect();
            let cells = cells.join(" | ");
            let _ = writeln!(out, "| {} | ≤ {largest}: {theirs} ({their_outputs}) | {cells} |", rule.name);
        }
        let mut total = 0;
        let all = counts.made.iter().map(|n| {
            total += n;
            if *n == 0 && total > 0 { "·".to_owned() } else { total.to_string() }
        });
        let _ = writeln!(out, "| programs | | {} |", all.collect::<Vec<_>>().join(" | "));
    }
    out
}
