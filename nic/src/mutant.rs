//! Mutants: NICs that break one rule each, to see that the tests find them. A mutant is a change of a shipped rule's
//! text, listed in `mutants.toml`.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load;
use litmpi_spec::model::Spec;
use litmpi_spec::shipped;
use serde::Deserialize;

/// A NIC that breaks one rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The rule that it breaks.
    pub rule: String,
    /// The shipped file that the rule stands in.
    pub file: String,
    /// The text that is replaced; it occurs once in the rule.
    pub from: String,
    /// What stands there instead.
    pub to: String,
    /// What is wrong with the NIC.
    pub what: String,
    /// The variant of the model in which it shows, if not the default one.
    #[serde(default)]
    pub variant: Option<String>,
    /// Tests of the library in which it has an outcome that the right rules forbid.
    pub told_by: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mutant: Vec<Mutant>,
}

/// The shipped mutants.
pub fn mutants() -> Vec<Mutant> {
    let file: File = toml::from_str(include_str!("../mutants.toml")).expect("the shipped mutants are tested");
    file.mutant
}

/// A shipped model with one rule broken.
///
/// # Errors
/// A name that no mutant has; a rule that is no longer as the mutant expects it.
pub fn mutated(model: &str, name: &str) -> Result<Spec, Report> {
    let all = mutants();
    let mutant = all.iter().find(|m| m.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|m| m.name.as_str()).collect();
        Report::from(
            Diagnostic::general(format!("no mutant is called `{name}`")).help(format!("mutants: {}", names.join(", "))),
        )
    })?;
    let general = |message: String| Report::from(Diagnostic::general(message));
    let folder = tempfile::tempdir().map_err(|e| general(e.to_string()))?;
    for (file, text) in shipped::FILES {
        let text = if file == mutant.file { mutant.apply(text)? } else { text.to_string() };
        let path = folder.path().join(file);
        let parent = path.parent().unwrap_or(folder.path());
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|e| general(e.to_string()))?;
    }
    let file = shipped::MODELS.iter().find(|(n, _)| *n == model).map_or("", |(_, f)| f);
    load(&folder.path().join(file))
}

impl Mutant {
    fn apply(&self, text: &str) -> Result<String, Report> {
        let stale = |what: &str| {
            Report::from(
                Diagnostic::general(format!("the mutant `{}` does not fit {}: {what}", self.name, self.file))
                    .help("nic/mutants.toml says which text of which rule it changes"),
            )
        };
        let begin = text.find(&format!("rule {} ", self.rule)).ok_or_else(|| stale("there is no such rule"))?;
        let end = text[begin + 1..].find("\nrule ").map_or(text.len(), |n| begin + 1 + n);
        if text[begin..end].matches(&self.from).count() != 1 {
            return Err(stale("the rule does not contain the text once"));
        }
        Ok(format!("{}{}{}", &text[..begin], text[begin..end].replacen(&self.from, &self.to, 1), &text[end..]))
    }
}
