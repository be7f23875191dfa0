//! Before anything is launched: which tests a target runs, and the program that they are built into.

use super::OnTarget;
use crate::build::build;
use crate::cargo::NotBuilt;
use crate::compare::Comparison;
use crate::event::Event;
use crate::functions::{called, lacking, undeclared};
use litmpi_codegen::{Language, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

impl OnTarget<'_> {
    /// Finishes what is not for this target or not to be run.
    pub(super) fn leave_out(&mut self) {
        for id in self.open() {
            let test = self.slots[id].entry.test;
            let planned = &self.plan.tests[test];
            let reason = if planned.test.family != self.target.family {
                let (is, runs) = (&planned.test.family, &self.target.family);
                Some(Comparison::Skipped { reason: format!("it is a test for {is}; this target runs {runs}") })
            } else if !self.target.variants.is_empty() && !self.target.variants.contains_key(&self.plan.variant) {
                let known: Vec<&str> = self.target.variants.keys().map(String::as_str).collect();
                let (variant, known) = (&self.plan.variant, known.join(", "));
                Some(Comparison::Skipped { reason: format!("this target has no variant `{variant}`, only {known}") })
            } else if let Some((_, report)) = self.suite.rejected.iter().find(|(i, _)| *i == test) {
                Some(Comparison::Failed { reason: format!("it has no program: {report}") })
            } else if let Some((_, lacks)) = self.suite.lacking.iter().find(|(i, _)| *i == test) {
                Some(Comparison::Skipped { reason: lacks.clone() })
            } else if planned.expected.erroneous && !self.plan.run_erroneous {
                Some(Comparison::NotRun { reason: "erroneous in the model; erroneous programs run on request".into() })
            } else {
                None
            };
            if let Some(verdict) = reason {
                self.finish(id, Some(verdict));
            }
        }
    }

    /// Builds the suite of what is to be run. A test that the compiler finds fault with is left out, so that it costs only itself.
    pub(super) async fn build(&mut self) -> Option<PathBuf> {
        let mut suite = self.linkable().await;
        loop {
            let reason = match build(&suite, self.target, &self.version, self.plan, (self.out, self.cache)).await {
                Ok(built) => {
                    (self.event)(Event::Built { target: self.target.name.clone(), cached: built.cached });
                    self.program = Some(built.clone());
                    return Some(built.program);
                }
                Err(NotBuilt::Missing(reason)) => {
                    self.finish_all(&Comparison::Skipped { reason });
                    return None;
                }
                Err(NotBuilt::Failed(reason)) => reason,
            };
            let blamed = |name: &str| blamed(&reason, &suite.file_of(name));
            let faulty: Vec<String> = suite.names.iter().flatten().filter(|n| blamed(n).is_some()).cloned().collect();
            if faulty.is_empty() {
                self.finish_all(&Comparison::Failed { reason: format!("the tests do not build: {reason}") });
                return None;
            }
            for id in self.open() {
                let Some(line) = blamed(&self.slots[id].entry.name) else { continue };
                let verdict = match undeclared(line) {
                    Some(name) => Comparison::Skipped { reason: no_such(name) },
                    None => Comparison::Failed { reason: format!("it does not compile: {line}") },
                };
                self.finish(id, Some(verdict));
            }
            suite = suite.without(&faulty);
        }
    }

    /// The suite without the tests that call a function of MPI which the library does not have: their program would not link. These
    /// tests are finished, with that reason.
    async fn linkable(&mut self) -> Suite {
        let suite = self.suite;
        if self.target.family != "mpi" || suite.language != Language::C {
            return suite.clone();
        }
        // Also of tests that are not to be run: all stand in one program.
        let names = || suite.names.iter().flatten();
        let texts = |file: String| suite.files.iter().filter(move |f| f.name == file).map(|f| called(&f.text));
        let calls: BTreeMap<&str, BTreeSet<String>> =
            names().map(|n| (n.as_str(), texts(suite.file_of(n)).flatten().collect())).collect();
        let all: BTreeSet<String> = calls.values().flatten().cloned().collect();
        let lacks = lacking(&all, self.target, &self.version, self.plan.build_limit).await;
        let of = |name: &str| calls.get(name).map(|calls| calls.intersection(&lacks).cloned().collect::<Vec<_>>());
        for id in self.open() {
            let names = of(&self.slots[id].entry.name).unwrap_or_default();
            if !names.is_empty() {
                self.finish(id, Some(Comparison::Skipped { reason: no_such(&names.join(", ")) }));
            }
        }
        let without: Vec<String> = names().filter(|n| of(n).is_some_and(|names| !names.is_empty())).cloned().collect();
        if without.is_empty() { suite.clone() } else { suite.clone().without(&without) }
    }
}

/// Why a test is skipped that calls functions, or names constants, which the library does not have.
fn no_such(names: &str) -> String {
    format!("no {names} in this library")
}

/// The compiler's first complaint about a test's own file, in whose name and functions the word `error` may stand, too.
fn blamed<'a>(words: &'a str, file: &str) -> Option<&'a str> {
    words.lines().find(|l| l.strip_prefix(file).is_some_and(|l| l.starts_with(':')) && l.contains(" error: "))
}

#[cfg(test)]
mod tests {
    use super::blamed;

    #[test]
    fn a_complaint_is_none_of_the_lines_that_say_where_it_is() {
        let words = "a_error.c: In function 'a_error_rank_0':\na_error.c:7:9: error: 'MPI_ERRORS_ABORT' undeclared";
        assert_eq!(blamed(words, "a_error.c"), Some("a_error.c:7:9: error: 'MPI_ERRORS_ABORT' undeclared"));
        assert_eq!(blamed(words, "b.c"), None);
    }
}
