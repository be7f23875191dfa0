//! Guests that are up, for one job after another.

use super::boot::{Guest, SHIM, window};
use super::image::initramfs;
use super::session::{GuestOptions, Job, Said, status_in};
use super::{Installed, Lab, RELAX, trouble};
use crate::bounded::output;
use crate::process::Premises;
use litmpi_spec::diag::{Diagnostic, Report};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Guests, and how many jobs they were given. Dropping them ends them.
pub(super) struct Booted {
    // In this order: the folder goes when nobody uses it any more.
    pub(super) guests: Vec<Guest>,
    premises: Premises,
    /// What they were booted with.
    options: GuestOptions,
    pub(super) jobs: u32,
}

impl Booted {
    pub(super) fn boot(lab: &Lab, state: &Installed, options: &GuestOptions) -> Result<Booted, Report> {
        let busybox = std::fs::read(lab.busybox()).map_err(|e| trouble(&lab.busybox(), &e))?;
        let modules = state.modules.iter().map(|name| {
            let path = lab.module(name);
            std::fs::read(&path).map(|bytes| (name.clone(), bytes)).map_err(|e| trouble(&path, &e))
        });
        let image = initramfs(&busybox, &modules.collect::<Result<Vec<_>, _>>()?);
        let premises = Premises::new().map_err(|e| trouble(&std::env::temp_dir(), &e))?;
        let run = &premises.scratch;
        std::fs::write(run.join("initramfs"), image).map_err(|e| trouble(run, &e))?;
        let boot = |number| Guest::boot(lab, state, options, run, number);
        let guests = (0..options.guests).map(boot).collect::<Result<Vec<_>, _>>()?;
        Ok(Booted { guests, premises, options: options.clone(), jobs: 0 })
    }

    /// Whether they are up, as they are wanted, and through with what they were given.
    pub(super) async fn is_ready(&mut self, wanted: &GuestOptions, on: &mut dyn FnMut(Said<'_>)) -> bool {
        let shape = |o: &GuestOptions| (o.guests, o.cpus, o.memory);
        if shape(&self.options) != shape(wanted) {
            return false;
        }
        self.end_job();
        let (begun, mut told) = (Instant::now(), Instant::now());
        loop {
            if !self.guests.iter_mut().all(|g| matches!(g.child.try_wait(), Ok(None))) {
                return false;
            }
            if self.jobs == 0 || self.folders().all(|f| status_in(&f).is_some()) {
                return true;
            }
            if begun.elapsed() > wanted.patience {
                return false;
            }
            if told.elapsed() > Duration::from_secs(1) {
                told = Instant::now();
                on(Said::Booting);
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// The folders of the last job.
    fn folders(&self) -> impl Iterator<Item = std::path::PathBuf> {
        self.guests.iter().map(|g| g.share.join(self.jobs.to_string()))
    }

    /// Tells the guests to end what they are at.
    pub(super) fn end_job(&self) {
        for folder in self.folders().filter(|f| f.is_dir() && status_in(f).is_none()) {
            // A guest that does not hear of it is given up later.
            let _ = std::fs::write(folder.join("kill"), "");
        }
    }

    /// Gives each guest a job.
    pub(super) async fn give(&mut self, job: &Job) -> Result<(), Report> {
        let run = &self.premises.scratch;
        if job.wants_relax() && !run.join(SHIM).exists() {
            shim(run).await?;
            for guest in &self.guests {
                std::fs::copy(run.join(SHIM), guest.share.join(SHIM)).map_err(|e| trouble(&guest.share, &e))?;
            }
        }
        // What an earlier job has left there is not for this one.
        if self.jobs > 0 && self.guests.len() > 1 {
            let path = window(run);
            let file = std::fs::File::options().write(true).open(&path).map_err(|e| trouble(&path, &e))?;
            let length = file.metadata().map_err(|e| trouble(&path, &e))?.len();
            let zeros = vec![0; usize::try_from(length).unwrap_or(0)];
            file.write_all_at(&zeros, 0).map_err(|e| trouble(&path, &e))?;
        }
        self.jobs += 1;
        for folder in self.folders() {
            let put = |name: &str| folder.join(name);
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(put("new"), job.script()))
                .and_then(|()| std::fs::rename(put("new"), put("job")))
                .map_err(|e| trouble(&folder, &e))?;
        }
        Ok(())
    }
}

/// Whether the machine has the memory.
pub(super) fn memory(options: &GuestOptions) -> Result<(), Report> {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let Some(free) = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()) else { return Ok(()) };
    let wanted = u64::from(options.guests) * (options.memory + 200);
    if free / 1024 >= wanted {
        return Ok(());
    }
    Err(Diagnostic::general(format!("{wanted} MiB of memory are needed for the guests, and {} are free", free / 1024))
        .help("--memory MIB gives a guest less; 512 are enough for two nodes")
        .into())
}

/// Compiles the library that makes UCX's progress loop pause.
async fn shim(folder: &Path) -> Result<(), Report> {
    let source = folder.join("relax.c");
    std::fs::write(&source, RELAX).map_err(|e| trouble(&source, &e))?;
    let mut cc = tokio::process::Command::new("cc");
    cc.current_dir(folder).args(["-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-o", SHIM, "relax.c", "-ldl"]);
    let done = output(&mut cc, Duration::from_secs(120)).await;
    let words = match done {
        Ok(done) if done.status.success() => return Ok(()),
        Ok(done) => String::from_utf8_lossy(&done.stderr).into_owned(),
        Err(e) => e.to_string(),
    };
    Err(Diagnostic::general(format!("the library to preload for `{{relax}}` does not build: cc: {words}"))
        .help("apt-get install gcc libc6-dev, or leave the option `relax` out")
        .into())
}
