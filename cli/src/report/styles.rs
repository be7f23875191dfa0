//! In how many results calls that wait were made as they are, and in how many calls that test stood in their place.

use crate::load::Loaded;
use litmpi_codegen::is_polled;
use litmpi_runner::{RunResult, Style};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Results of programs with calls that wait, by style.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Styles {
    blocking: u64,
    relaxed: u64,
    /// By function: the results in which it was called, and those in which others stood in its place.
    functions: BTreeMap<String, (u64, u64)>,
}

impl Styles {
    /// The styles of these results, as far as something was run.
    pub(crate) fn of(results: &[RunResult], loaded: &[Loaded]) -> Styles {
        let calls = |l: &Loaded| -> BTreeSet<String> {
            let names =
                l.test.calls().iter().map(|c| l.spec.instructions.list[c.instr].name.clone()).collect::<Vec<_>>();
            names.into_iter().filter(|name| is_polled(name)).collect()
        };
        let waits: BTreeMap<&str, BTreeSet<String>> =
            loaded.iter().filter(|l| l.test.family == "mpi").map(|l| (l.test.name.as_str(), calls(l))).collect();
        let mut out = Styles::default();
        for result in results.iter().filter(|r| r.ran()) {
            let Some(names) = waits.get(result.test.as_str()).filter(|names| !names.is_empty()) else { continue };
            let is_relaxed = result.style == Style::Relaxed;
            *(if is_relaxed { &mut out.relaxed } else { &mut out.blocking }) += 1;
            for name in names {
                let (called, replaced) = out.functions.entry(name.clone()).or_default();
                *(if is_relaxed { replaced } else { called }) += 1;
            }
        }
        out
    }

    /// Those of several runs.
    pub(crate) fn sum<'s>(of: impl Iterator<Item = &'s Styles>) -> Styles {
        of.fold(Styles::default(), |mut all, more| {
            all.add(more);
            all
        })
    }

    fn add(&mut self, more: &Styles) {
        self.blocking += more.blocking;
        self.relaxed += more.relaxed;
        for (name, (called, replaced)) in &more.functions {
            let all = self.functions.entry(name.clone()).or_default();
            *all = (all.0 + called, all.1 + replaced);
        }
    }

    /// What is to be said, if calls that test stood anywhere in the place of others.
    pub(crate) fn words(&self) -> Option<String> {
        if self.relaxed == 0 {
            return None;
        }
        let names = |keep: fn(&(u64, u64)) -> bool| -> Vec<&str> {
            self.functions.iter().filter(|(_, n)| keep(n)).map(|(name, _)| name.as_str()).collect()
        };
        let (mixed, never) =
            (names(|(called, replaced)| *called > 0 && *replaced > 0), names(|(called, _)| *called == 0));
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            names => format!("; {what}: {}", names.join(", ")),
        };
        Some(format!(
            "relaxed (--progress): in {} of {} results calls that test stood in the place of those that wait{}{}",
            self.relaxed,
            self.relaxed + self.blocking,
            list("called in the other results alone", &mixed),
            list("called in none", &never)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Styles;

    #[test]
    fn what_was_called_nowhere_is_named() {
        let of = |blocking, relaxed, functions: &[(&str, (u64, u64))]| Styles {
            blocking,
            relaxed,
            functions: functions.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
        };
        let mut all = of(2, 0, &[("MPI_Send", (2, 0)), ("MPI_Wait", (1, 0))]);
        assert_eq!(all.words(), None);
        all.add(&of(0, 3, &[("MPI_Send", (0, 3)), ("MPI_Recv", (0, 1))]));
        let words = "relaxed (--progress): in 3 of 5 results calls that test stood in the place of those that wait; \
                     called in the other results alone: MPI_Send; called in none: MPI_Recv";
        assert_eq!(all.words().as_deref(), Some(words));
    }
}
