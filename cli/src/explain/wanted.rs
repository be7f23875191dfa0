//! Which outcome is asked for.

use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_spec::diag::{Diagnostic, Report};

/// What `--outcome` says as a proposition, or else the first claim's.
pub(crate) fn wanted(test: &Test, text: Option<&str>) -> Result<Prop, Report> {
    let Some(text) = text else {
        return Ok(test.claims.first().map_or(Prop::True, |c| c.prop.clone()));
    };
    match text.trim().trim_end_matches(';') {
        "deadlock" => return Ok(Prop::Deadlock),
        t if t.starts_with("erroneous") => return Ok(Prop::Erroneous),
        _ => {}
    }
    let names: Vec<&str> = test.observed.iter().map(|o| o.name.as_str()).collect();
    let mut values = vec![];
    for part in text.split([';', ',']).map(str::trim).filter(|p| !p.is_empty()) {
        let found = part.split_once('=').and_then(|(n, v)| {
            let i = names.iter().position(|m| *m == n.trim())?;
            if v.trim() == "undefined" { Some(Prop::Undefined(i)) } else { Some(Prop::Eq(i, test.number(v.trim())?)) }
        });
        values.push(found.ok_or_else(|| {
            let help = match names[..] {
                [] => "the test shows no values: write `deadlock`, or `erroneous`".to_owned(),
                _ => {
                    format!("write `NAME=VALUE; …` with the names {}, or `deadlock`, or `erroneous`", names.join(", "))
                }
            };
            Report::from(Diagnostic::general(format!("`{part}` is no part of an outcome of {}", test.name)).help(help))
        })?);
    }
    let and = |a: Prop, b: Prop| Prop::And(Box::new(a), Box::new(b));
    // An outcome that has values, even if none is named.
    let any = Prop::Not(Box::new(Prop::Or(Box::new(Prop::Deadlock), Box::new(Prop::Erroneous))));
    Ok(values.into_iter().reduce(and).unwrap_or(any))
}

/// Outcomes that miss a conjunction of values in the fewest places, and that number; none for other propositions.
pub(super) fn nearest<'o>(
    prop: &Prop,
    outcomes: impl Iterator<Item = &'o Outcome>,
) -> Option<(usize, Vec<&'o Outcome>)> {
    let wanted = parts(prop)?;
    let valued = outcomes.filter(|o| matches!(o, Outcome::Values(_) | Outcome::Undefined(_)));
    let missed: Vec<(usize, &Outcome)> = valued.map(|o| (missed(&wanted, o), o)).collect();
    let least = missed.iter().map(|(n, _)| *n).min()?;
    Some((least, missed.into_iter().filter(|(n, _)| *n == least).map(|(_, o)| o).collect()))
}

/// Whether what a run shows of an outcome may be a conjunction of values: where it has no value, any may be there.
pub(super) fn may_be(prop: &Prop, outcome: &Outcome) -> bool {
    let Outcome::Undefined(values) = outcome else { return false };
    let open = |p: &Prop| matches!(p, Prop::Eq(i, _) | Prop::Ne(i, _) if values.get(*i) == Some(&None));
    parts(prop).is_some_and(|all| all.iter().all(|p| open(p) || p.holds(outcome)))
}

/// What a conjunction of values consists of; none for another proposition.
fn parts(prop: &Prop) -> Option<Vec<&Prop>> {
    let (mut wanted, mut todo) = (vec![], vec![prop]);
    while let Some(part) = todo.pop() {
        match part {
            Prop::And(a, b) => todo.extend([&**a, &**b]),
            Prop::Eq(..) | Prop::Ne(..) | Prop::Undefined(_) => wanted.push(part),
            _ => return None,
        }
    }
    Some(wanted)
}

/// How many of these an outcome does not fulfil.
fn missed(wanted: &[&Prop], o: &Outcome) -> usize {
    wanted.iter().filter(|p| !p.holds(o)).count()
}

/// By how many values an outcome misses a conjunction of values; no outcome is nearer to another proposition.
pub(super) fn misses(prop: &Prop) -> impl Fn(&Outcome) -> usize {
    let wanted = parts(prop).unwrap_or_default();
    move |o| missed(&wanted, o)
}

/// Exactly these values.
pub(crate) fn only(values: &[i64]) -> Prop {
    let equal = values.iter().enumerate().map(|(i, v)| Prop::Eq(i, *v));
    equal.reduce(|a, b| Prop::And(Box::new(a), Box::new(b))).unwrap_or(Prop::True)
}
