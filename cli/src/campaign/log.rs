//! The log of a campaign: a line of JSON for what it is, for each batch that is through, and for each finding. A line that was cut short
//! is of a batch that is run again.

use super::merge::LOG;
use crate::generate::{InBlock, Seeds};
use crate::report::Styles;
use crate::shard::Shard;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a campaign is: one that is gone on with must be the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct About {
    /// Which random programs: as their names begin.
    #[serde(default = "messages")]
    pub(crate) programs: String,
    /// The functions that programs are of, if some were named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) with: Vec<String>,
    /// Most ranks of a program.
    #[serde(default = "three")]
    pub(crate) ranks: usize,
    pub(crate) targets: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) batch: u32,
    pub(crate) sizes: Vec<String>,
    /// How ranks wait.
    #[serde(default = "auto", skip_serializing_if = "is_auto")]
    pub(crate) progress: String,
    pub(crate) model: String,
    /// The shard that it is, `2/3`, or those that were put together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) shards: Vec<Shard>,
}

/// What campaigns were of before their logs said it.
fn messages() -> String {
    "random".to_owned()
}

fn auto() -> String {
    "auto".to_owned()
}

fn is_auto(progress: &String) -> bool {
    *progress == auto()
}

fn three() -> usize {
    litmpi_mpi_model::generate::RANKS
}

/// A batch that is through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// The seed after its last program.
    pub(crate) next: u64,
    /// What was kept of the block of seeds that it is of.
    #[serde(default)]
    pub(crate) block: InBlock,
    pub(crate) programs: u64,
    pub(crate) erroneous: u64,
    pub(crate) large: u64,
    /// Programs that can only deadlock: among those that were run, and passed over.
    #[serde(default)]
    pub(crate) stuck: u64,
    #[serde(default)]
    pub(crate) too_stuck: u64,
    /// Programs without a call, which were passed over.
    #[serde(default)]
    pub(crate) idle: u64,
    /// Results by target and verdict.
    pub(crate) verdicts: BTreeMap<String, BTreeMap<String, u64>>,
    pub(crate) iterations: u64,
    /// Allowed outcomes that came, and all that were allowed.
    pub(crate) seen: u64,
    pub(crate) allowed: u64,
    pub(crate) libraries: BTreeMap<String, String>,
    /// How calls that wait were made.
    #[serde(default)]
    pub(crate) styles: Styles,
    /// Why nothing could be run on a target.
    pub(crate) failed: BTreeMap<String, String>,
    pub(crate) seconds: f64,
}

/// A violation, made smaller if there was room for that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) target: String,
    pub(crate) program: String,
    /// What was seen of the program that showed it first.
    pub(crate) shows: String,
    /// The smallest program; none if it was not made smaller.
    pub(crate) small: Option<String>,
    /// What the smallest one shows, and how often.
    pub(crate) small_shows: Option<String>,
    /// What comes of the C file where it is run by itself.
    #[serde(default)]
    pub(crate) alone: Option<String>,
    /// Whether the time for making it smaller ended first.
    #[serde(default)]
    pub(crate) cut: bool,
    /// The files that were written.
    pub(crate) files: Vec<PathBuf>,
    /// What is known of tests that resemble it.
    pub(crate) known: Vec<String>,
    /// What is known of it, by the calls in which it failed or hung: all that it shows.
    #[serde(default)]
    pub(crate) is: Vec<String>,
}

impl Finding {
    /// Whether it neither is known nor resembles what is.
    pub(crate) fn is_new(&self) -> bool {
        self.is.is_empty() && self.known.is_empty()
    }

    /// How it stands to what is known.
    pub(crate) fn standing(&self) -> &'static str {
        match (self.is.is_empty(), self.known.is_empty()) {
            (false, _) => "is known",
            (true, false) => "resembles what is known",
            (true, true) => "resembles nothing known",
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Campaign(About),
    Batch(Batch),
    Finding(Finding),
}

impl Line {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("a line is plain data") + "\n"
    }
}

/// The file of a campaign, and what has come of it so far.
pub(super) struct Log {
    file: File,
    path: PathBuf,
    pub(super) so_far: CampaignLog,
}

/// What a log says.
pub(crate) struct CampaignLog {
    pub(crate) about: About,
    pub(crate) batches: Vec<Batch>,
    /// Those of batches that are through.
    pub(crate) findings: Vec<Finding>,
}

/// Reads a log, also one that is still written to.
///
/// # Errors
/// It cannot be read, or a line of it is no line of a campaign.
pub(crate) fn campaign_log(path: &Path) -> Result<CampaignLog, Report> {
    let source = Source::read_as(path, "the log of the campaign ")?;
    let (mut about, mut batches, mut findings, mut open, mut at) = (None, vec![], vec![], vec![], 0);
    for line in source.text.split_inclusive('\n') {
        // The last line may be cut short.
        if line.ends_with('\n') {
            match serde_json::from_str(line) {
                Ok(Line::Campaign(a)) => about = Some(a),
                Ok(Line::Batch(b)) => {
                    batches.push(b);
                    findings.append(&mut open);
                }
                // It comes again with its batch, unless that is through.
                Ok(Line::Finding(f)) => open.push(f),
                Err(e) => {
                    let span = Span::new(&source, at, at + line.trim_end().len());
                    let d = Diagnostic::at(&span, format!("this is no line of a campaign: {e}"));
                    return Err(d.help("`litmpi campaign` writes this file; remove the line").into());
                }
            }
        }
        at += line.len();
    }
    let none = || {
        let d = Diagnostic::at(&Span::new(&source, 0, 0), "this log does not say of which campaign it is");
        Report::from(d.help("its first line, `{\"campaign\": …}`, is not there"))
    };
    Ok(CampaignLog { about: about.ok_or_else(none)?, batches, findings })
}

impl Log {
    /// The log in a folder, begun or gone on with.
    ///
    /// # Errors
    /// Another campaign's log, one that a campaign is writing to, a file that is none or cannot be written.
    pub(super) fn open(folder: &Path, about: &About) -> Result<Log, Report> {
        let path = folder.join(LOG);
        let failed =
            |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write {}: {e}", path.display())));
        litmpi_scratch::own(folder).map_err(failed)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        // The system unlocks the log of a campaign that was killed. Some file systems have no locks.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let d = Diagnostic::general(format!("another campaign is writing to {}", path.display()));
            return Err(d.help("wait for its end, or give this one a folder of its own with -o").into());
        }
        let (mut batches, mut findings, mut open, mut whole, mut is_new) =
            (vec![], vec![], vec![], String::new(), true);
        let (mut kept, lines) = (String::new(), std::fs::read_to_string(&path).unwrap_or_default());
        for (number, line) in lines.split_inclusive('\n').enumerate() {
            let read = if line.ends_with('\n') { serde_json::from_str(line).ok() } else { None };
            match read {
                Some(Line::Campaign(old)) if number == 0 => {
                    if old != *about {
                        let d = Diagnostic::general(format!("{} is the log of another campaign", path.display()));
                        let told = serde_json::to_string(&old).unwrap_or_default();
                        return Err(d
                            .help(format!("that one was {told}: give this one a folder of its own with -o"))
                            .into());
                    }
                    is_new = false;
                }
                Some(Line::Batch(batch)) if number > 0 => {
                    batches.push(batch);
                    findings.append(&mut open);
                    whole.push_str(&kept);
                    kept.clear();
                    whole.push_str(line);
                    continue;
                }
                Some(Line::Finding(finding)) if number > 0 => open.push(finding),
                // The last line, of a campaign that was killed while it wrote.
                None if number > 0 && number + 1 == lines.split_inclusive('\n').count() => continue,
                _ => {
                    let d = Diagnostic::general(format!(
                        "line {} of {} is no line of a campaign",
                        number + 1,
                        path.display()
                    ));
                    return Err(d.help("move the file away, or give the campaign another folder with -o").into());
                }
            }
            if number == 0 { whole.push_str(line) } else { kept.push_str(line) }
        }
        // Findings of a batch that is not through come again with it.
        if !is_new && whole != lines {
            // These come last: what stays is the beginning of the file, for which a full disk has room.
            file.set_len(whole.len() as u64).map_err(failed)?;
        }
        let mut log = Log { file, path, so_far: CampaignLog { about: about.clone(), batches, findings } };
        if is_new {
            log.write(&Line::Campaign(about.clone()))?;
        }
        Ok(log)
    }

    fn write(&mut self, line: &Line) -> Result<(), Report> {
        let text = line.text();
        let done = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        done.map_err(|e| Diagnostic::general(format!("cannot write {}: {e}", self.path.display())).into())
    }

    /// Writes what came of a batch.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&mut self, findings: Vec<Finding>, batch: Batch) -> Result<(), Report> {
        for finding in findings {
            self.write(&Line::Finding(finding.clone()))?;
            self.so_far.findings.push(finding);
        }
        self.write(&Line::Batch(batch.clone()))?;
        self.so_far.batches.push(batch);
        Ok(())
    }
}

impl CampaignLog {
    /// Where it goes on: the seeds of the next programs.
    pub(super) fn next(&self) -> Seeds {
        let all = Seeds { shard: self.about.shards.first().copied(), ..Seeds::from(self.about.seed) };
        self.batches.last().map_or(all, |b| Seeds { next: b.next, kept: b.block, ..all })
    }

    /// Its lines, as they stand in a file.
    pub(super) fn lines(self) -> String {
        let about = std::iter::once(Line::Campaign(self.about));
        let findings = self.findings.into_iter().map(Line::Finding);
        let all = about.chain(findings).chain(self.batches.into_iter().map(Line::Batch));
        all.map(|line| line.text()).collect()
    }

    pub(super) fn seconds(&self) -> f64 {
        self.batches.iter().fold(0.0, |all, b| all + b.seconds)
    }

    /// How calls that wait were made in all batches.
    pub(super) fn styles(&self) -> Styles {
        Styles::sum(self.batches.iter().map(|b| &b.styles))
    }

    pub(super) fn programs(&self) -> u64 {
        self.batches.iter().map(|b| b.programs).sum()
    }
}
