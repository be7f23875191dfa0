//! Where programs run: named descriptions, the tool's own and the user's.

use crate::bounded;
use crate::launch::with_tool;
use crate::trial::trial;
use litmpi_scratch::program;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::table::misfit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How to see whether a target is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The command to run.
    pub command: Vec<String>,
    /// What its output contains, one of these, if the target is here.
    #[serde(default)]
    pub expect: Vec<String>,
    /// The command whose first line is the version, when it is another one.
    #[serde(default)]
    pub version: Vec<String>,
}

/// A place to run programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Which tests it runs: `mpi`, `rdma`.
    pub family: String,
    /// One line.
    pub description: String,
    /// The compiler and arguments that it needs.
    pub compiler: Vec<String>,
    /// The launch command; `{n}`, `{program}`, `{scratch}`, `{shm}`, `{seed}`, `{variant}` and `{litmpi}` are replaced.
    pub launch: Vec<String>,
    /// If not empty: the variants of the model that the target can be made to follow, and what each adds to an entry
    /// of the schedule.
    #[serde(default)]
    pub variants: BTreeMap<String, String>,
    /// How many times longer than on a machine of its own things may take here before they count as hanging; a test gets
    /// as many times more milliseconds, too, unless the user has said how many.
    #[serde(default = "usual")]
    pub slow: u32,
    /// Ways to run it that a user may ask for by name, as in `NAME:OPTION`, and the words that each puts in the place of
    /// the word `{options}` in the launch command.
    #[serde(default)]
    pub options: BTreeMap<String, Vec<String>>,
    /// A target of the same file, or a shipped one, whose options it has as well.
    #[serde(default)]
    pub options_of: Option<String>,
    /// If the device can be told in which order to take its steps: the words that take the place of `{directed}` in the launch
    /// command then, with `{scores}` for the file that says so.
    #[serde(default)]
    pub directed: Vec<String>,
    /// Settings that what runs here listens to, so that a variant of the model may ask for them. They are put in the place of
    /// the word `{options}`, too, or into the environment of the launch if there is no such word.
    #[serde(default)]
    pub takes: Vec<String>,
    /// Environment of the launch, with the same placeholders.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// How to see whether it is here.
    pub probe: Probe,
    /// What is wrong when it is not.
    pub missing: String,
    /// How to get it.
    pub get: String,
    /// What users should know.
    #[serde(default)]
    pub notes: String,
    /// What is otherwise for some versions: of those that fit what is found, the last one counts.
    #[serde(default)]
    pub when: Vec<When>,
}

/// What of a target is otherwise from a version on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// The first version that it is for, as in `5.0`.
    pub from: String,
    /// One line, in place of the target's.
    #[serde(default)]
    pub description: Option<String>,
    /// The launch command, in place of the target's.
    #[serde(default)]
    pub launch: Option<Vec<String>>,
    /// Further environment of the launch.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl Target {
    /// The target with options chosen: its name says so, as does every result.
    ///
    /// # Errors
    /// An option that it does not have.
    pub fn with_options(&self, options: &[&str]) -> Result<Target, Report> {
        let mut chosen = self.clone();
        let mut words = vec![];
        for option in options {
            let Some(more) = self.options.get(*option) else {
                let known: Vec<&str> = self.options.keys().map(String::as_str).collect();
                let help =
                    if known.is_empty() { "it has none".into() } else { format!("its options: {}", known.join(", ")) };
                return Err(Diagnostic::general(format!("the target `{}` has no option `{option}`", self.name))
                    .help(help)
                    .into());
            };
            chosen.name.push_str(&format!(":{option}"));
            words.extend(more.iter().cloned());
        }
        chosen.launch = filled(&self.launch, &words);
        for when in &mut chosen.when {
            when.launch = when.launch.as_deref().map(|launch| filled(launch, &words));
        }
        Ok(chosen)
    }

    /// What keeps the target from following a variant that asks for these settings: one that it does not listen to, or that
    /// it has with another value.
    pub fn refuses(&self, settings: &[(String, String)]) -> Option<String> {
        settings.iter().find_map(|(name, value)| {
            let prefix = format!("{name}=");
            let word = self.launch.iter().rev().find_map(|w| w.strip_prefix(&prefix));
            match word.or(self.env.get(name).map(String::as_str)) {
                Some(v) if v == value => None,
                Some(v) => Some(format!("the variant needs {name}={value}, and this target has {name}={v}")),
                None if self.takes.contains(name) => None,
                None => Some(format!("the variant needs {name}={value}, which this target does not listen to")),
            }
        })
    }

    /// The target as it is for a version, in the words in which it was found.
    pub fn for_version(&self, words: &str) -> Target {
        let found = numbers(words);
        let mut out = self.clone();
        for when in self.when.iter().filter(|w| found.is_some() && found >= numbers(&w.from)) {
            out.launch = when.launch.clone().unwrap_or(out.launch);
            out.description = when.description.clone().unwrap_or(out.description);
            out.env.extend(when.env.clone());
        }
        out
    }

    /// Whether two ranks are launched to see whether it is here: for MPI, outside of the lab, where that takes a second.
    pub fn is_tried(&self) -> bool {
        self.family == "mpi" && !self.is_of_lab()
    }

    /// Whether it is launched in a guest of the lab.
    pub fn is_of_lab(&self) -> bool {
        self.launch.windows(3).any(|w| w == ["{litmpi}", "lab", "run"])
    }

    /// Whether its launcher says at its end how far counters of devices moved.
    pub(crate) fn tells_counters(&self) -> bool {
        self.is_of_lab() || self.launch.iter().any(|w| w == "--counters")
    }

    /// Whether settings are words of the launch command; else they are of its environment.
    pub(crate) fn has_options(&self) -> bool {
        self.launch.iter().any(|w| w == OPTIONS)
    }
}

/// A launch command with the words of options in their place. The word that they stand for stays behind them: settings go there, too.
fn filled(launch: &[String], words: &[String]) -> Vec<String> {
    let fill = |w: &String| if w == OPTIONS { [words, std::slice::from_ref(w)].concat() } else { vec![w.clone()] };
    launch.iter().flat_map(fill).collect()
}

/// The word of a launch command that options take the place of.
pub(crate) const OPTIONS: &str = "{options}";
/// The word that takes what a directed launch needs.
pub(crate) const DIRECTED: &str = "{directed}";

fn usual() -> u32 {
    1
}

/// Whether a target is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Availability {
    /// It is.
    Here {
        /// Its version, in its own words.
        version: String,
    },
    /// It is not.
    Missing {
        /// What was found.
        reason: String,
        /// How to get it.
        how: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    target: Vec<Target>,
}

/// The targets that come with the tool.
pub fn shipped_targets() -> Vec<Target> {
    let file: File = toml::from_str(include_str!("../targets.toml")).expect("the shipped targets are tested");
    with_options_of_others(&file.target, &[]).expect("the shipped targets are tested")
}

/// The targets with the options of those that they name, which are among them or these others.
///
/// # Errors
/// The name of a target, and the one that it names, if that is in neither.
fn with_options_of_others(all: &[Target], others: &[Target]) -> Result<Vec<Target>, (String, String)> {
    let with = |t: &Target| {
        let Some(name) = &t.options_of else { return Ok(t.clone()) };
        let Some(other) = all.iter().chain(others).find(|o| o.name == *name) else {
            return Err((t.name.clone(), name.clone()));
        };
        let mut options = other.options.clone();
        options.extend(t.options.clone());
        Ok(Target { options, ..t.clone() })
    };
    all.iter().map(with).collect()
}

/// What may stand in braces in the words of a target: it is replaced when the target is launched, `{gid}` and `{relax}` by the guests of the lab.
const PLACEHOLDERS: [&str; 12] =
    ["n", "program", "scratch", "shm", "seed", "variant", "litmpi", "options", "directed", "scores", "gid", "relax"];

/// The names that stand in braces: `{n}`, and not the `${HOME}` of a shell.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    let named = |(at, _): (usize, &str)| {
        let name = word[at + 1..].split('}').next()?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let closed = word[at + 1..].len() > name.len();
        (is_name && closed && !word[..at].ends_with('$')).then_some(name)
    };
    word.match_indices('{').filter_map(named)
}

/// The families whose tests become programs.
const FAMILIES: [&str; 2] = ["mpi", "rdma"];

/// The targets of a user's file.
///
/// # Errors
/// What does not fit, at its place.
pub fn targets_from(source: &Arc<Source>) -> Result<Vec<Target>, Report> {
    let file: File = toml::from_str(&source.text).map_err(|e| {
        let help = "each `[[target]]` has name, family, description, compiler, launch, probe, missing and get";
        misfit(source, e.span(), e.message(), help).found("in this targets file")
    })?;
    let mut problems = Vec::new();
    let targets = with_options_of_others(&file.target, &shipped_targets()).map_err(|(name, other)| {
        let at = source.text.find(&format!("\"{other}\"")).unwrap_or(0);
        let d = Diagnostic::at(
            &Span::new(source, at, at + other.len() + 2),
            format!("`{name}` has the options of `{other}`, which is no target"),
        );
        d.found("here").help("name a target of this file, or one that `litmpi targets` shows")
    })?;
    for t in &targets {
        let at = source.text.find(&format!("\"{}\"", t.name)).unwrap_or(0);
        let span = Span::new(source, at, at + t.name.len() + 2);
        let mut say =
            |message: String, help: &str| problems.push(Diagnostic::at(&span, message).found("this target").help(help));
        if !t.launch.iter().any(|w| w.contains("{program}")) {
            say(
                format!("the launch command of `{}` has no {{program}}", t.name),
                "say where the program stands, as in `mpirun -n {n} {program}`",
            );
        }
        if !t.options.is_empty() && !t.launch.iter().any(|w| w == OPTIONS) {
            say(
                format!("`{}` has options, and its launch command no {OPTIONS}", t.name),
                "say where their words go, as in `env {options} mpirun …`",
            );
        }
        let whens = t.when.iter().flat_map(|w| w.launch.iter().flatten().chain(w.env.values()));
        for word in t.launch.iter().chain(t.env.values()).chain(whens) {
            if let Some(name) = placeholders(word).find(|name| !PLACEHOLDERS.contains(name)) {
                let known = PLACEHOLDERS.map(|p| format!("{{{p}}}")).join(", ");
                let help = litmpi_spec::suggest::suggest(name, &PLACEHOLDERS, &format!("there are {known}"));
                say(format!("`{}` has {{{name}}} in `{word}`, which stands for nothing", t.name), &help);
            }
        }
        if !FAMILIES.contains(&t.family.as_str()) {
            let known = FAMILIES.join("` or `");
            say(
                format!("`{}` is of the family `{}`, of which there are no tests to run", t.name, t.family),
                &format!("write `{known}`"),
            );
        }
        if t.compiler.is_empty() || t.probe.command.is_empty() {
            say(
                format!("`{}` has an empty command", t.name),
                "`compiler` and `probe.command` are lists of at least one word",
            );
        }
    }
    Report(problems).into_result()?;
    Ok(targets)
}

/// The first version number in a text: the numbers between its dots.
pub fn numbers(words: &str) -> Option<Vec<u64>> {
    let is_version = |w: &&str| w.starts_with(|c: char| c.is_ascii_digit());
    let word = words.split(|c: char| c.is_whitespace() || "v(),".contains(c)).find(is_version)?;
    Some(word.split('.').map_while(|n| n.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect())
}

/// The target as it is for the version that is found; a command for a version is run once.
pub async fn fitted(target: &Target) -> Target {
    static FOUND: Mutex<BTreeMap<Vec<String>, String>> = Mutex::new(BTreeMap::new());
    if target.when.is_empty() {
        return target.clone();
    }
    let command = if target.probe.version.is_empty() { &target.probe.command } else { &target.probe.version };
    let known = FOUND.lock().unwrap_or_else(PoisonError::into_inner).get(command).cloned();
    let words = match known {
        Some(words) => words,
        None => {
            let words = output(command, target).await.unwrap_or_default();
            FOUND.lock().unwrap_or_else(PoisonError::into_inner).insert(command.clone(), words.clone());
            words
        }
    };
    target.for_version(&words)
}

/// Looks whether a target is here, as [`probe`] does, and whether two ranks meet there; the version is then what the library says
/// of itself. One that worked is remembered for as long as the library's files are the same.
pub async fn here(target: &Target) -> Availability {
    let target = &fitted(target).await;
    match probe(target).await {
        Availability::Here { .. } if target.is_tried() => match trial(target).await {
            Ok(version) => Availability::Here { version },
            Err(reason) => Availability::Missing {
                reason,
                how: format!(
                    "a target of your own may say another launch command (--targets FILE); this one is: {}",
                    target.launch.join(" ")
                ),
            },
        },
        found => found,
    }
}

/// Looks whether a target is here: its compiler and launcher start, and its probe says what is expected.
pub async fn probe(target: &Target) -> Availability {
    let missing = |reason: String| Availability::Missing { reason, how: target.get.clone() };
    for command in [&target.compiler, &target.launch].into_iter().filter_map(|c| c.first()) {
        let command = &with_tool(command);
        if command != "{program}" && program(command).is_none() {
            return missing(format!("{}: there is no `{command}`", target.missing));
        }
    }
    let text = match output(&target.probe.command, target).await {
        Ok(text) => text,
        Err(words) => {
            let words = if words.is_empty() { words } else { format!(": {words}") };
            return missing(format!("{}: `{}` does not run{words}", target.missing, command(&target.probe)));
        }
    };
    let expect = &target.probe.expect;
    if !expect.is_empty() && !expect.iter().any(|e| text.contains(e)) {
        let command = command(&target.probe);
        return missing(format!("{}: `{command}` does not say `{}`", target.missing, expect.join("` or `")));
    }
    let text = match target.probe.version.as_slice() {
        [] => text,
        command => output(command, target).await.unwrap_or(text),
    };
    // Hydra prints its version on the second line, beside a word of its own.
    let version = text
        .lines()
        .find(|l| l.to_ascii_lowercase().contains("version") || l.chars().any(|c| c.is_ascii_digit()))
        .or_else(|| text.lines().next())
        .unwrap_or_default();
    Availability::Here { version: version.split_whitespace().collect::<Vec<_>>().join(" ") }
}

/// A probe's command, for people.
fn command(probe: &Probe) -> String {
    probe.command.join(" ").replace("{litmpi}", "litmpi")
}

/// What a command prints; or the first of its words when it does not succeed.
async fn output(command: &[String], target: &Target) -> Result<String, String> {
    let (first, rest) = command.split_first().ok_or_else(String::new)?;
    let mut command = tokio::process::Command::new(with_tool(first));
    command.args(rest.iter().map(|w| with_tool(w))).envs(target.env.iter().filter(|(_, v)| !v.contains('{')));
    let done = bounded::output(&mut command, Duration::from_secs(20)).await.map_err(|e| e.to_string())?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or_default().trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_targets_are_complete_and_distinct() {
        let all = shipped_targets();
        let names: Vec<&str> = all.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "openmpi",
                "openmpi-tcp",
                "openmpi-ucx",
                "mpich",
                "mpich-tcp",
                "mpich-ucx",
                "mpi",
                "nic",
                "nic/openmpi",
                "nic/mpich",
                "nic/openmpi-verbs",
                "verbs",
                "roce/verbs",
                "roce/verbs-2",
                "roce/openmpi",
                "roce/mpich"
            ]
        );
        for t in &all {
            assert!(
                t.launch.iter().any(|w| w.contains("{n}")) && t.launch.iter().any(|w| w == "{program}"),
                "{}",
                t.name
            );
        }
    }

    #[test]
    fn options_put_their_words_into_the_launch_command_and_the_name() {
        let all = shipped_targets();
        let target = all.iter().find(|t| t.name == "roce/mpich").expect("a shipped target");
        let plain = target.with_options(&[]).expect("no options");
        assert!(plain.launch == target.launch && plain.name == target.name);
        let both = target.with_options(&["get", "relax"]).expect("its options");
        assert_eq!(both.name, "roce/mpich:get:relax");
        let at = |word: &str| both.launch.iter().position(|w| w.contains(word)).unwrap_or_else(|| panic!("{both:?}"));
        assert!(at("get_zcopy") < at("LD_PRELOAD") && at("LD_PRELOAD") < at("mpirun.mpich"));
        let refused = target.with_options(&["rndv"]).expect_err("no such option").to_string();
        assert!(refused.contains("no option `rndv`") && refused.contains("eager, get, put, relax"), "{refused}");
    }

    #[test]
    fn options_are_chosen_of_every_version_and_are_those_of_another_target_too() {
        let all = shipped_targets();
        let target = |name: &str| all.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"));
        let line = |name: &str, option: &str, version: &str| {
            target(name).with_options(&[option]).expect("its option").for_version(version).launch.join(" ")
        };
        for version in ["(Open MPI) 4.1.4", "(Open MPI) 5.0.7"] {
            assert!(line("nic/openmpi", "get", version).contains("get_zcopy"), "{version}");
            for name in ["openmpi-tcp", "openmpi", "openmpi-ucx", "nic/openmpi"] {
                let ring = line(name, "ring", version);
                let at = ring.find("coll_tuned_allgather_algorithm=4").expect("the setting of its option");
                assert!(at < ring.find("mpirun").expect("a launcher"), "{ring}");
            }
        }
        assert!(target("openmpi-tcp").with_options(&["osc-rdma"]).is_err(), "its launch command has another component");
    }

    #[test]
    fn a_target_follows_a_variant_whose_settings_it_has_or_listens_to() {
        let all = shipped_targets();
        let target = |name: &str| all.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"));
        let refuses = |name: &str, settings: &[(&str, &str)]| {
            let settings: Vec<_> = settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            target(name).refuses(&settings)
        };
        let by_get = [("UCX_RNDV_THRESH", "1"), ("UCX_RNDV_SCHEME", "get_zcopy")];
        for name in ["openmpi-ucx", "mpich-ucx", "roce/openmpi", "roce/mpich", "nic/openmpi", "nic/mpich"] {
            assert_eq!(refuses(name, &by_get), None, "{name}");
        }
        let why = refuses("openmpi", &by_get).expect("ob1 is not UCX");
        assert!(why.contains("UCX_RNDV_THRESH=1, which this target does not listen to"), "{why}");
        assert_eq!(refuses("roce/mpich", &[("UCX_TLS", "rc,self")]), None, "it has it");
        let why = refuses("openmpi-ucx", &[("UCX_TLS", "rc,self")]).expect("it is over shared memory");
        assert!(why.ends_with("and this target has UCX_TLS=self,posix,sysv,cma"), "{why}");
        let put = target("roce/mpich").with_options(&["put"]).expect("its option");
        let by_get = by_get.map(|(n, v)| (n.to_owned(), v.to_owned()));
        let why = put.refuses(&by_get).expect("its option is another protocol");
        assert!(why.contains("has UCX_RNDV_SCHEME=put_zcopy"), "{why}");
    }

    #[test]
    fn a_target_follows_the_version_that_is_found() {
        let openmpi = shipped_targets().remove(0);
        let line = |words: &str| openmpi.for_version(words).launch.join(" ");
        for old in
            ["mpirun.openmpi (Open MPI) 4.1.4", "mpirun (Open MPI) 4.1.6", "mpirun (OpenRTE) 3.1.3", "no version"]
        {
            assert!(line(old).contains("--quiet") && line(old).contains("vader"), "{old}");
        }
        for new in ["mpirun.openmpi (Open MPI) 5.0.7", "mpirun (Open MPI) 5.1.0a1", "mpirun (Open MPI) 10.0.0"] {
            assert!(!line(new).contains("--quiet") && line(new).contains("self,sm "), "{new}");
        }
        assert_eq!(numbers("Open MPI v4.1.4, package: Debian"), Some(vec![4, 1, 4]));
        assert_eq!(numbers("MPICH Version:      4.0.2"), Some(vec![4, 0, 2]));
        assert_eq!(numbers("HYDRA build details:"), None);
    }

    #[test]
    fn a_targets_file_is_checked_with_places() {
        let text = "[[target]]\nname = \"c\"\nfamily = \"mpi\"\ndescription = \"\"\ncompiler = [\"cc\"]\nlaunch = [\"srun\"]\nprobe = { command = [\"true\"] }\nmissing = \"\"\nget = \"\"\n";
        let report = targets_from(&Source::new("t.toml", text)).expect_err("no {program}").to_string();
        assert!(report.contains("t.toml:2:8: the launch command of `c` has no {program}"), "{report}");
        let other = format!("{}options_of = \"opnmpi\"\n", text.replace("\"srun\"", "\"srun\", \"{program}\""));
        let report = targets_from(&Source::new("t.toml", other)).expect_err("no such target").to_string();
        assert!(report.contains("t.toml:10:14: `c` has the options of `opnmpi`, which is no target"), "{report}");
        let other = text.replace("\"mpi\"", "\"mpj\"").replace("\"srun\"", "\"srun\", \"{program}\"");
        let report = targets_from(&Source::new("t.toml", other)).expect_err("no such family").to_string();
        assert!(
            report.contains("t.toml:2:8: `c` is of the family `mpj`, of which there are no tests to run"),
            "{report}"
        );
        let unknown = text.replace("\"srun\"", "\"srun\", \"-n{rank}\", \"${x}\", \"{program}\"");
        let report = targets_from(&Source::new("t.toml", unknown)).expect_err("no such placeholder").to_string();
        assert!(report.contains("`c` has {rank} in `-n{rank}`, which stands for nothing"), "{report}");
        assert_eq!(report.lines().count(), 1, "{report}");
        let report = targets_from(&Source::new("t.toml", "[[target]]\nnmae = 1\n")).expect_err("a typo").to_string();
        assert!(report.contains("t.toml:2:1") && report.contains("nmae"), "{report}");
    }
}
