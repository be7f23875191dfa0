//! The RoCE lab: real verbs on Linux's own software RDMA device (`rdma_rxe`, "Soft-RoCE") on a machine without any RDMA
//! device, kernel module or right to load one.
//!
//! A Debian kernel is booted in QEMU. Its initramfs is made here ([`image`]) of the kernel package's modules and
//! busybox; the guest then sees the host's root file system, read-only and with a layer over it that is lost at the
//! end, so that whatever is installed or built outside is there inside at the same path. One guest has two devices, one
//! for each of two nodes (further nodes share the second); or two guests with two kernels have one each, and share a
//! window of memory for what is not to go over the devices.
//!
//! - [`Lab::setup`] gets what is needed and boots once to see that it works;
//! - [`Lab::run`] boots, runs a command inside and streams what it prints. A guest that panics or stops is given up;
//!   whether to boot again is up to the caller, and said;
//! - [`Lab::serve`] keeps guests up for one command after another, which [`ask`] sends it; a [`Keeper`] has it run as long
//!   as it lives. A command that hangs is ended with all its processes, and costs no boot.
//!
//! Limits: x86-64; kernels from 6.12 on, whose rxe sends from a work queue (earlier ones send within `post_send`, and
//! hardly show weak outcomes); a kernel package of Debian's form. rxe is one implementation: what it never shows is not
//! thereby forbidden.

mod boot;
mod get;
mod guests;
mod image;
mod serve;
mod session;

pub use get::Requirements;
pub use serve::{Keeper, SESSION, ask};
pub use session::{Counters, Ended, GuestOptions, Said};

use litmpi_spec::diag::{Diagnostic, Report};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What makes UCX's progress loop sleep now and then, for `LD_PRELOAD`; see its head.
const RELAX: &str = include_str!("../../lab/relax.c");

/// Where the lab is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lab {
    folder: PathBuf,
}

/// What is kept in a lab that is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Installed {
    /// The kernel's release, as `uname -r` says it.
    pub kernel: String,
    /// The package that it comes from.
    pub package: String,
    /// What runs the guest: `kvm`, if that works here, or `tcg`.
    pub accelerator: String,
    /// Modules, in the order of loading.
    pub modules: Vec<String>,
    /// Seconds that the first boot took, to the end of an empty job.
    pub boot_seconds: f64,
    /// What is kept changes now and then: [`FORM`] when it was set up.
    #[serde(default)]
    pub form: u32,
}

/// 1: with `sch_netem`, where the kernel has it as a module.
const FORM: u32 = 1;

/// The file that says what is installed; a folder with it is a lab.
const STATE: &str = "lab.json";

impl Lab {
    /// The lab in a folder of the caller's.
    pub fn at(folder: impl Into<PathBuf>) -> Lab {
        Lab { folder: folder.into() }
    }

    /// The user's lab: what `LITMPI_LAB` names, or `litmpi/lab` in the user's cache.
    ///
    /// # Errors
    /// When there is neither `LITMPI_LAB` nor a cache nor a home.
    pub fn of_user() -> Result<Lab, Report> {
        let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = of("LITMPI_LAB").or_else(|| litmpi_scratch::cache().map(|c| c.join("lab")));
        folder.map(Lab::at).ok_or_else(|| {
            Diagnostic::general("there is no folder for the lab").help("set LITMPI_LAB, XDG_CACHE_HOME or HOME").into()
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is installed.
    ///
    /// # Errors
    /// When it is not set up, or only in part.
    pub fn installed(&self) -> Result<Installed, Report> {
        let lacking = |what: String| -> Report {
            Diagnostic::general(format!("the lab in {} is not set up: {what}", self.folder.display()))
                .help("`litmpi lab setup` downloads a kernel package (about 110 MB) and keeps some 20 MB of it")
                .into()
        };
        if self.folder.is_dir() {
            // Its kernel and programs are run.
            litmpi_scratch::own(&self.folder).map_err(|e| trouble(&self.folder, &e))?;
        }
        let text = std::fs::read_to_string(self.file(STATE)).map_err(|e| lacking(format!("{STATE}: {e}")))?;
        let state: Installed = serde_json::from_str(&text).map_err(|e| lacking(format!("{STATE}: {e}")))?;
        if state.form != FORM {
            return Err(lacking("it is of another version of litmpi".into()));
        }
        let files = [self.vmlinuz(), self.busybox()].into_iter().chain(state.modules.iter().map(|m| self.module(m)));
        match files.into_iter().find(|f| !f.is_file()) {
            Some(missing) => Err(lacking(format!("there is no {}", missing.display()))),
            None => Ok(state),
        }
    }

    /// What is installed, if a guest can be started, too.
    ///
    /// # Errors
    /// When it is not set up, or there is no QEMU.
    pub fn usable(&self) -> Result<Installed, Report> {
        if litmpi_scratch::program(boot::QEMU).is_none() {
            return Err(boot::no_qemu(&format!("there is no `{}` on the PATH", boot::QEMU)));
        }
        self.installed()
    }

    /// Bytes that it takes, and each file with its own.
    pub fn sizes(&self) -> Vec<(String, u64)> {
        let mut all = vec![];
        let folders = [self.folder.clone(), self.file("modules")];
        for entry in folders.iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten().flatten() {
            let name = entry.path().strip_prefix(&self.folder).map(|p| p.display().to_string()).unwrap_or_default();
            if let Ok(about) = entry.metadata().map(|m| (m.is_file(), m.len()))
                && about.0
            {
                all.push((name, about.1));
            }
        }
        all.sort();
        all
    }

    /// Removes it; how many bytes that were.
    ///
    /// # Errors
    /// When the folder holds something else, or cannot be removed.
    pub fn clean(&self) -> Result<u64, Report> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let known = |name: &str| ["modules", "vmlinuz", "busybox", STATE].contains(&name) || name.starts_with("new-");
        let entries = std::fs::read_dir(&self.folder).map_err(|e| trouble(&self.folder, &e))?;
        for name in entries.flatten().filter_map(|e| e.file_name().into_string().ok()) {
            if !known(&name) {
                return Err(Diagnostic::general(format!("{} is no lab: it holds `{name}`", self.folder.display()))
                    .help("set LITMPI_LAB to the lab's folder, or remove what does not belong there")
                    .into());
            }
        }
        let bytes = self.sizes().iter().map(|(_, n)| n).sum();
        std::fs::remove_dir_all(&self.folder).map_err(|e| trouble(&self.folder, &e))?;
        Ok(bytes)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn vmlinuz(&self) -> PathBuf {
        self.file("vmlinuz")
    }

    fn busybox(&self) -> PathBuf {
        self.file("busybox")
    }

    fn module(&self, name: &str) -> PathBuf {
        self.folder.join("modules").join(name)
    }
}

/// A message about a file that cannot be used.
fn trouble(path: &Path, error: &dyn std::fmt::Display) -> Report {
    Diagnostic::general(format!("{}: {error}", path.display()))
        .help("the folder of the lab (LITMPI_LAB) and that of temporary files (TMPDIR) must be writable")
        .into()
}
