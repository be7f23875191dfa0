//! The files of the best stress known for tests and targets: one that is shipped, and one of the user's, which `tune` writes.
//! `run` uses both.

use crate::remark;
use litmpi_runner::Stress;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use litmpi_spec::table::misfit;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What `tune` found for one outcome of one test on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) test: String,
    pub(crate) target: String,
    /// The sum of the test's text: stress names its lines.
    pub(crate) text: String,
    pub(crate) outcome: String,
    pub(crate) stress: Stress,
    pub(crate) rate: f64,
    /// Wilson's interval of the rate, 95 %.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) iterations: u64,
    pub(crate) seed: u64,
}

/// What `tune` has found for tests of the library whose weak outcomes are rare or do not come without.
const SHIPPED: &str = include_str!("../tuned.toml");

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tuned {
    #[serde(default)]
    tuned: Vec<Entry>,
}

impl Tuned {
    /// What a file holds; nothing if there is none.
    pub(crate) fn load(path: &Path) -> Result<Tuned, Report> {
        if !path.exists() {
            return Ok(Tuned::default());
        }
        let source = Source::read_as(path, "the tuned stress in ")?;
        toml::from_str(&source.text).map_err(|e| {
            let help = "`litmpi tune` writes this file; entries are [[tuned]] tables";
            misfit(&source, e.span(), e.message(), help).into()
        })
    }

    /// With what is shipped, where nothing else is known.
    pub(crate) fn and_shipped(mut self) -> Tuned {
        let shipped: Tuned = toml::from_str(SHIPPED).expect("the shipped vectors are tested");
        let is_known =
            |e: &Entry| self.tuned.iter().any(|t| (&t.test, &t.target, &t.outcome) == (&e.test, &e.target, &e.outcome));
        let more: Vec<Entry> = shipped.tuned.into_iter().filter(|e| !is_known(e)).collect();
        self.tuned.extend(more);
        self
    }

    /// Vectors for a test on a target, whose text is still the same.
    pub(crate) fn find(&self, test: &str, target: &str, text: &str) -> Vec<Stress> {
        let mut out: Vec<Stress> = vec![];
        for e in self.tuned.iter().filter(|e| e.test == test && e.target == target) {
            if e.text != text {
                remark(&format!(
                    "note: the stress tuned for {test} on {target} is of another text of the test, and is not used"
                ));
            } else if !out.contains(&e.stress) {
                out.push(e.stress.clone());
            }
        }
        out
    }

    /// Puts an entry in the place of the one for the same outcome.
    pub(crate) fn store(mut self, entry: Entry, path: &Path) -> Result<(), Report> {
        self.tuned.retain(|e| (&e.test, &e.target, &e.outcome) != (&entry.test, &entry.target, &entry.outcome));
        self.tuned.push(entry);
        self.tuned.sort_by(|a, b| (&a.test, &a.target, &a.outcome).cmp(&(&b.test, &b.target, &b.outcome)));
        let failed = |e: String| Report::from(Diagnostic::general(format!("cannot write {}: {e}", path.display())));
        let text = toml::to_string(&self).map_err(|e| failed(e.to_string()))?;
        crate::whole::write(path, text).map_err(|e| failed(e.to_string()))
    }
}

/// A sum of a text (FNV-1a).
pub(crate) fn sum(text: &str) -> String {
    let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_vectors_are_for_the_texts_of_the_library() {
        let all = Tuned::default().and_shipped().tuned;
        assert!(!all.is_empty());
        let library = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../litmus/rdma"));
        for e in &all {
            let folders = [library.to_path_buf(), library.join("robustness")];
            let file = folders.iter().map(|f| f.join(format!("{}.litmus", e.test))).find(|f| f.exists());
            let text =
                std::fs::read_to_string(file.unwrap_or_else(|| panic!("no test {}", e.test))).expect("it is text");
            assert_eq!(sum(&text), e.text, "{} has another text: tune it again", e.test);
            assert!(e.rate > 0.0 && !e.stress.is_none(), "{}", e.test);
        }
        let own = Tuned { tuned: vec![Entry { stress: Stress::random(), ..all[0].clone() }] };
        let both = own.and_shipped();
        assert_eq!((both.tuned.len(), &both.tuned[0].stress), (all.len(), &Stress::random()), "one's own is the one");
    }
}
