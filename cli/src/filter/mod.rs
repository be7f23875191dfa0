//! Filters, `-E 'test(rma-*) and not known()'`: which tests a command takes, in the manner of cargo-nextest.
//!
//! A predicate compares what it names with a glob, or, as in cargo-nextest, with `=exact`, `~contained` or `/regex/`. Each command
//! says which predicates it has an answer for; others are refused at their place.

mod matcher;

use crate::load::Loaded;
use litmpi_grammars::filter::{Grammar, Rule};
use litmpi_runner::RunResult;
use litmpi_spec::diag::{self, Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::suggest;
use matcher::Matcher;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// All predicates, with what they are about.
const PREDICATES: [(&str, &str); 9] = [
    ("all", "everything"),
    ("none", "nothing"),
    ("test", "the name of the test"),
    ("file", "the path of its file"),
    ("family", "its family, as in family(mpi)"),
    ("call", "a function of MPI that it calls, as in call(MPI_Win_*)"),
    ("target", "the name of the target, with its options"),
    ("known", "a violation of it is known"),
    ("verdict", "what came of it: conforms, violation, unconfirmed, …"),
];

/// So many parentheses and negations a filter may have.
const DEEPEST: usize = 200;

/// Filters that a command was given; what one of them takes is taken. Without any, everything is.
#[derive(Debug, Clone)]
pub(crate) struct Filter(Vec<Expr>);

#[derive(Debug, Clone)]
enum Expr {
    Or(Vec<Expr>),
    And(Vec<Expr>),
    Not(Box<Expr>),
    Is(&'static str, Matcher),
}

/// What a filter is asked about.
#[derive(Debug, Default)]
pub(crate) struct Subject<'a> {
    pub(crate) test: &'a str,
    pub(crate) file: String,
    pub(crate) family: &'a str,
    /// The instructions that it calls, by their names.
    pub(crate) calls: Vec<&'a str>,
    pub(crate) target: &'a str,
    pub(crate) verdict: &'a str,
    pub(crate) known: bool,
}

impl<'a> Subject<'a> {
    /// A test that is loaded.
    pub(crate) fn of_test(l: &'a Loaded) -> Subject<'a> {
        Subject {
            test: &l.test.name,
            file: l.path.display().to_string(),
            family: &l.test.family,
            calls: l.test.calls().iter().map(|c| l.spec.instructions.list[c.instr].name.as_str()).collect(),
            ..Subject::default()
        }
    }

    /// A result.
    pub(crate) fn of_result(r: &'a RunResult) -> Subject<'a> {
        Subject {
            test: &r.test,
            file: r.labels.get("file").cloned().unwrap_or_default(),
            target: &r.target,
            verdict: r.verdict.word(),
            known: r.is_known(),
            ..Subject::default()
        }
    }
}

impl Filter {
    /// Reads filters that may use these predicates, beside `all()` and `none()`.
    ///
    /// # Errors
    /// What does not fit, at its place.
    pub(crate) fn read(texts: &[String], may: &[&str]) -> Result<Filter, Report> {
        texts.iter().map(|text| read(text, may)).collect::<Result<_, _>>().map(Filter)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it takes this.
    pub(crate) fn takes(&self, subject: &Subject<'_>) -> bool {
        self.0.is_empty() || self.0.iter().any(|e| e.holds(subject))
    }

    /// Whether it uses one of these predicates.
    pub(crate) fn uses(&self, names: &[&str]) -> bool {
        self.0.iter().any(|e| e.uses(names))
    }
}

impl Expr {
    fn holds(&self, of: &Subject<'_>) -> bool {
        match self {
            Expr::Or(all) => all.iter().any(|e| e.holds(of)),
            Expr::And(all) => all.iter().all(|e| e.holds(of)),
            Expr::Not(e) => !e.holds(of),
            Expr::Is("all", _) => true,
            Expr::Is("test", m) => m.fits(of.test),
            Expr::Is("file", m) => m.fits(&of.file),
            Expr::Is("family", m) => m.fits(of.family),
            Expr::Is("call", m) => of.calls.iter().any(|c| m.fits(c)),
            Expr::Is("target", m) => m.fits(of.target),
            Expr::Is("verdict", m) => m.fits(&of.verdict.to_lowercase()),
            Expr::Is("known", _) => of.known,
            Expr::Is(..) => false,
        }
    }

    fn uses(&self, names: &[&str]) -> bool {
        match self {
            Expr::Or(all) | Expr::And(all) => all.iter().any(|e| e.uses(names)),
            Expr::Not(e) => e.uses(names),
            Expr::Is(name, _) => names.contains(name),
        }
    }
}

fn read(text: &str, may: &[&str]) -> Result<Expr, Report> {
    let source = Source::new("the filter", text);
    let deep = text.matches(['(', '!']).count() + text.matches("not").count();
    if deep > DEEPEST {
        let d = Diagnostic::at(&Span::new(&source, 0, text.len()), "this filter is nested too deeply");
        return Err(d
            .help(format!("most are {DEEPEST} parentheses and negations; several -E are joined by `or`"))
            .into());
    }
    let mut pairs = Grammar::parse(Rule::filter, text).map_err(|e| {
        let mut d = diag::syntax(&source, &e, readable);
        d.message = d.message.replace("the end of the file", "the end of the filter");
        d
    })?;
    let or = pairs.next().into_iter().flat_map(Pair::into_inner).find(|p| p.as_rule() == Rule::or);
    or.map_or_else(|| Ok(Expr::Or(vec![])), |or| expr(or, &source, may))
}

fn readable(rule: &Rule) -> String {
    match rule {
        Rule::predicate | Rule::name => "a predicate, as in `test(rma-*)`".into(),
        Rule::or_op => "`or`".into(),
        Rule::and_op => "`and`".into(),
        Rule::not_op => "`not`".into(),
        Rule::EOI => "the end".into(),
        _ => String::new(),
    }
}

fn expr(pair: Pair<'_, Rule>, source: &Arc<Source>, may: &[&str]) -> Result<Expr, Report> {
    match pair.as_rule() {
        Rule::or => {
            let parts = pair.into_inner().filter(|p| p.as_rule() == Rule::and);
            parts.map(|p| expr(p, source, may)).collect::<Result<_, _>>().map(Expr::Or)
        }
        Rule::and => {
            let (mut all, mut without) = (vec![], false);
            for part in pair.into_inner() {
                if part.as_rule() == Rule::and_op {
                    without = part.as_str().trim() == "-";
                } else {
                    let e = expr(part, source, may)?;
                    all.push(if std::mem::take(&mut without) { Expr::Not(Box::new(e)) } else { e });
                }
            }
            Ok(Expr::And(all))
        }
        Rule::not => {
            let (mut odd, mut inner) = (false, None);
            for part in pair.into_inner() {
                match part.as_rule() {
                    Rule::not_op => odd = !odd,
                    _ => inner = Some(expr(part, source, may)?),
                }
            }
            let inner = inner.unwrap_or(Expr::Or(vec![]));
            Ok(if odd { Expr::Not(Box::new(inner)) } else { inner })
        }
        _ => predicate(pair, source, may),
    }
}

fn predicate(pair: Pair<'_, Rule>, source: &Arc<Source>, may: &[&str]) -> Result<Expr, Report> {
    let mut parts = pair.into_inner();
    let (Some(name), Some(argument)) = (parts.next(), parts.next()) else { return Ok(Expr::Or(vec![])) };
    let span = |p: &Pair<'_, Rule>| Span::new(source, p.as_span().start(), p.as_span().end());
    let words: Vec<&str> = PREDICATES.iter().map(|(n, _)| *n).collect();
    let Some((known, _)) = PREDICATES.iter().find(|(n, _)| *n == name.as_str()) else {
        let about: Vec<String> = PREDICATES.iter().map(|(n, what)| format!("{n}({what})")).collect();
        let help = suggest(name.as_str(), &words, &format!("predicates are {}", about.join(", ")));
        let d = Diagnostic::at(&span(&name), format!("no predicate is called `{}`", name.as_str()));
        return Err(d.found("unknown predicate").help(help).into());
    };
    if !["all", "none"].contains(known) && !may.contains(known) {
        let d = Diagnostic::at(&span(&name), format!("`{known}()` says nothing here"));
        let help = format!("this command filters by {}", may.join(", "));
        return Err(d.found("there is no answer to this").help(help).into());
    }
    let bare = ["all", "none", "known"].contains(known);
    let matcher = Matcher::read(&argument).map_err(|why| {
        let d = Diagnostic::at(&span(&argument), why);
        Report::from(d.help("write a glob, `=exact`, `~contained` or `/regex/`"))
    })?;
    if bare != matcher.is_empty() {
        let message = if bare { "takes no argument" } else { "needs an argument" };
        let help = if bare { format!("write `{known}()`") } else { format!("write `{known}(GLOB)`") };
        return Err(Diagnostic::at(&span(&name), format!("`{known}` {message}")).help(help).into());
    }
    Ok(Expr::Is(known, matcher))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 7] = ["test", "file", "family", "call", "target", "known", "verdict"];

    fn takes(filter: &str, subject: &Subject<'_>) -> bool {
        Filter::read(&[filter.to_owned()], &ALL).unwrap_or_else(|r| panic!("{r}")).takes(subject)
    }

    #[test]
    fn predicates_are_joined_as_in_cargo_nextest() {
        let of = Subject {
            test: "rma-fence-put",
            family: "mpi",
            file: "litmus/mpi/rma-fence-put.litmus".into(),
            calls: vec!["MPI_Win_fence", "MPI_Send"],
            target: "openmpi:get",
            verdict: "VIOLATION",
            known: true,
        };
        for (filter, expected) in [
            ("test(rma-*)", true),
            ("test(rma)", false),
            ("test(=rma-fence-put)", true),
            ("test(~fence)", true),
            ("test(/^rma-(fence|lock)-/)", true),
            ("test(/a\\/b/) or test( rma-* )", true),
            ("test(rma-*) and not known()", false),
            ("test(rma-*) - known()", false),
            ("test(rma-*) & known() | none()", true),
            ("not (known() and target(openmpi*))", false),
            ("!!known()", true),
            ("not test(coll-*) and family(mpi)", true),
            ("none() or all() and none()", false),
            ("call(MPI_Win_*)", true),
            ("call(MPI_INT)", false),
            ("call(MPI_Recv)", false),
            ("file(litmus/mpi/*)", true),
            ("verdict(violation)", true),
            ("test(#rma-{fence,lock}-*)", true),
        ] {
            assert_eq!(takes(filter, &of), expected, "{filter}");
        }
    }

    #[test]
    fn several_filters_take_what_one_of_them_takes_and_none_takes_all() {
        let of = |test| Subject { test, ..Subject::default() };
        let both = Filter::read(&["test(a)".into(), "test(b)".into()], &ALL).unwrap_or_else(|r| panic!("{r}"));
        assert!(both.takes(&of("a")) && both.takes(&of("b")) && !both.takes(&of("c")));
        assert!(Filter::read(&[], &ALL).unwrap_or_else(|r| panic!("{r}")).takes(&of("c")));
        assert!(both.uses(&["test"]) && !both.uses(&["known"]));
    }

    #[test]
    fn what_is_wrong_of_a_filter_is_told_at_its_place() {
        let deep = "(".repeat(10_000);
        for (filter, says) in [
            ("test(a) and", "the end of the filter does not fit here"),
            ("tset(a)", "no predicate is called `tset`"),
            ("test()", "`test` needs an argument"),
            ("known(a)", "`known` takes no argument"),
            ("test(/(/)", "the filter:1:6"),
            ("test([)", "the filter:1:6"),
            ("", "the end of the filter does not fit here"),
            (&deep, "nested too deeply"),
        ] {
            let Err(report) = Filter::read(&[filter.to_owned()], &ALL) else { panic!("{filter} is read") };
            assert!(report.to_string().contains(says), "{filter}: {report}");
        }
        let Err(report) = Filter::read(&["verdict(conforms)".into()], &["test"]) else { panic!("it is read") };
        assert!(report.to_string().contains("`verdict()` says nothing here"), "{report}");
    }
}
