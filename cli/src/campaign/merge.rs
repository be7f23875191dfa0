//! The shards of a campaign put together: one log, which `litmpi report` shows, and one page.

use super::log::{About, CampaignLog, campaign_log};
use super::page::page;
use crate::shard::Shard;
use crate::whole::write_file;
use crate::{Verdict, remark, say};
use litmpi_spec::diag::{Diagnostic, Report};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The log of a campaign, in its folder.
pub(super) const LOG: &str = "campaign.jsonl";
/// Its page.
pub(super) const PAGE: &str = "campaign.md";

/// Whether a folder is that of a campaign whose shards have folders in it.
pub(crate) fn is_sharded(folder: &Path) -> bool {
    !logs(folder).is_empty()
}

/// The logs of shards in a folder.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let logs = entries.filter(|e| e.file_name().to_string_lossy().contains("-of-")).map(|e| e.path().join(LOG));
    let mut logs: Vec<PathBuf> = logs.filter(|log| log.is_file()).collect();
    logs.sort();
    logs
}

/// Puts the shards in a folder together, also while they go on.
///
/// # Errors
/// A log that cannot be read, or is of no shard; shards of several campaigns; a file that cannot be written.
pub(crate) fn merge(folder: &Path) -> Result<Verdict, Report> {
    let whole = folder.join(LOG);
    if whole.is_file() && campaign_log(&whole)?.about.shards.is_empty() {
        let d = Diagnostic::general(format!("{} is the log of a whole campaign, beside shards", whole.display()));
        return Err(d.help("move it away, or the folders of the shards: what is put together is written there").into());
    }
    let mut of: Option<(PathBuf, About)> = None;
    let mut shards: Vec<(Shard, CampaignLog)> = vec![];
    for path in logs(folder) {
        let log = campaign_log(&path)?;
        let [shard] = log.about.shards[..] else {
            let d = Diagnostic::general(format!("{} is the log of a whole campaign, and of no shard", path.display()));
            return Err(d.help("move its folder away; `litmpi campaign --shard 2/3` makes shards").into());
        };
        if is_written_to(&path) {
            let done = log.programs();
            remark(&format!(
                "shard {shard} goes on: of its programs {done} are counted, those of batches that are through"
            ));
        }
        let about = About { shards: vec![], ..log.about.clone() };
        match &of {
            Some((first, known)) if *known != about || shards.iter().any(|(s, _)| !s.all().any(|s| s == shard)) => {
                let told = |path: &Path, about: &About| {
                    format!("{} is of {}", path.display(), serde_json::to_string(about).unwrap_or_default())
                };
                let d = Diagnostic::general(format!(
                    "these are not shards of one campaign, or not of as many: {}",
                    path.display()
                ));
                let help =
                    "give each shard the same options and the same seed, and each campaign a folder of its own with -o";
                return Err(d.help(format!("{}; {}: {help}", told(first, known), told(&path, &about))).into());
            }
            Some(_) => {}
            None => of = Some((path, about)),
        }
        shards.push((shard, log));
    }
    let (Some((_, about)), Some((some, _))) = (of, shards.first()) else { return Ok(Verdict::Nothing) };
    let missing = some.all().filter(|shard| shards.iter().all(|(there, _)| there != shard));
    let missing: Vec<String> = missing.map(|shard| shard.to_string()).collect();
    if !missing.is_empty() {
        remark(&format!("without the shards {}, which are not in {}", missing.join(", "), folder.display()));
    }
    shards.sort_by_key(|(shard, _)| *shard);
    let mut all = CampaignLog { about, batches: vec![], findings: vec![] };
    for (shard, log) in shards {
        all.about.shards.push(shard);
        all.batches.extend(log.batches);
        all.findings.extend(log.findings);
    }
    let text = page(&all, None);
    let verdict = match (all.findings.is_empty(), all.batches.iter().all(|b| b.iterations == 0)) {
        (false, _) => Verdict::Bad,
        (true, true) => Verdict::Nothing,
        (true, false) => Verdict::Good,
    };
    write(&folder.join(PAGE), &text)?;
    write(&folder.join(LOG), &all.lines())?;
    say(&text);
    Ok(verdict)
}

/// Whether a campaign is writing to this log.
fn is_written_to(log: &Path) -> bool {
    File::open(log).is_ok_and(|log| matches!(log.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Writes a file of a campaign.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Report> {
    write_file(path, text)
}
