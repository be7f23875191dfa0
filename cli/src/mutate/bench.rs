//! For other commands: whether a test tells any change of an item of the rules.

use super::list::{Change, changes};
use super::run::tells;
use super::subject::{Subject, Wanted, search, subjects};
use crate::left_out::LeftOut;
use crate::mutate::MutateArgs;
use litmpi_spec::diag::Report;
use std::collections::HashMap;
use std::path::Path;

/// Models that run tests, with all changes of their rules.
pub(crate) struct Bench {
    subjects: Vec<Subject>,
    /// By the name of the rule, function, requirements, updates or state.
    changes: HashMap<String, Vec<Change>>,
}

impl Bench {
    /// Searches the tests that the arguments name.
    ///
    /// # Errors
    /// The models cannot be loaded.
    pub(crate) fn new(args: &MutateArgs) -> Result<Bench, Report> {
        let (mut subjects, _) = subjects(args)?;
        search(&mut subjects, &Wanted::Each, args, &mut LeftOut::default());
        let mut by_item: HashMap<String, Vec<Change>> = HashMap::new();
        for change in changes(&subjects) {
            let name = change.key.owner.split_once(' ').map_or("", |(_, name)| name);
            by_item.entry(name.to_owned()).or_default().push(change);
        }
        Ok(Bench { subjects, changes: by_item })
    }

    /// Whether a test tells some change of the item of that name.
    pub(crate) fn tells(&self, item: &str, test: &Path) -> bool {
        self.changes.get(item).into_iter().flatten().any(|change| tells(change, &self.subjects, test))
    }
}
