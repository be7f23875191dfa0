//! Getting what the lab needs: programs of the host by the package manager, the kernel and busybox as packages that are
//! unpacked into the lab's folder and never installed.

use super::boot::QEMU;
use super::image::{NEEDED, closure, modules_in};
use super::session::{GuestOptions, Job};
use super::{FORM, Installed, Lab, STATE, trouble};
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Programs that the host must have, the packages with them, and what for.
const PROGRAMS: [(&str, &str, &str); 5] = [
    (QEMU, "qemu-system-x86", "to run the guest"),
    ("ip", "iproute2", "to set the guest's network up"),
    ("rdma", "iproute2", "to make the guest's RDMA devices"),
    ("xz", "xz-utils", "to unpack kernel modules"),
    ("dpkg-deb", "dpkg", "to unpack packages"),
];

/// Packages that depend on the kernels wanted, the better ones first.
const KERNELS: [&str; 2] = ["linux-image-6.12-amd64", "linux-image-amd64"];
/// The first kernel whose rxe does.
const OLDEST: (u32, u32) = (6, 12);

/// Bytes that setting up needs, most of them only meanwhile.
const ROOM: u64 = 700 << 20;

/// What setting up may do and use.
#[derive(Debug, Clone, Default)]
pub struct Requirements {
    /// A kernel package instead of the one that the package manager knows.
    pub kernel: Option<PathBuf>,
    /// Begin anew, even if the lab is there.
    pub again: bool,
}

impl Lab {
    /// Gets what is missing, and boots once. `say` hears what is done.
    ///
    /// # Errors
    /// What cannot be had: programs, packages, the network, disk or memory; or a guest that does not come up.
    pub async fn setup(&self, wanted: &Requirements, say: &mut dyn FnMut(&str)) -> Result<Installed, Report> {
        programs(say).await?;
        if !wanted.again
            && wanted.kernel.is_none()
            && let Ok(found) = self.installed()
        {
            say(&format!("the lab is in {}: Linux {}, {}", self.folder.display(), found.kernel, found.accelerator));
            return Ok(found);
        }
        litmpi_scratch::private(&self.folder).map_err(|e| trouble(&self.folder, &e))?;
        let work = Work::new(&self.folder.join(format!("new-{}", std::process::id())))?;
        room(&work.0)?;
        let package = match &wanted.kernel {
            Some(file) => std::path::absolute(file).map_err(|e| trouble(file, &e))?,
            None => {
                let mut apt = Apt::new(&work.0);
                let name = apt.kernel(say).await?;
                apt.download(&name, say).await?
            }
        };
        let release = self.unpack(&package, &work.0, say).await?;
        let busybox = self.find_busybox(&work.0, say).await?;
        std::fs::copy(&busybox, self.busybox()).map_err(|e| trouble(&busybox, &e))?;
        let modules = self.modules_of(&work.0.join("lib/modules").join(&release)).await?;
        let name = package.file_stem().map(|n| n.to_string_lossy().replace("%2b", "+")).unwrap_or_default();
        let mut state = Installed {
            kernel: release,
            package: name,
            accelerator: "tcg".into(),
            modules,
            boot_seconds: 0.0,
            form: FORM,
        };
        drop(work);
        (state.accelerator, state.boot_seconds) = self.first_boot(&state, say).await?;
        let text = serde_json::to_string_pretty(&state).expect("plain data");
        std::fs::write(self.file(STATE), text).map_err(|e| trouble(&self.file(STATE), &e))?;
        Ok(state)
    }

    /// Takes the kernel out of its package, and its modules into the folder of work; the kernel's release.
    async fn unpack(&self, package: &Path, work: &Path, say: &mut dyn FnMut(&str)) -> Result<String, Report> {
        say(&format!("unpacking {}", package.file_name().unwrap_or_default().to_string_lossy()));
        output("dpkg-deb", &["-x", &package.display().to_string(), &work.display().to_string()], None)
            .await
            .map_err(|words| not_a_kernel(package, &words))?;
        // A system whose /lib is part of /usr may have its packages so, too.
        if !work.join("lib/modules").is_dir() && work.join("usr/lib/modules").is_dir() {
            std::fs::rename(work.join("usr/lib"), work.join("lib")).map_err(|e| trouble(work, &e))?;
        }
        let boot = std::fs::read_dir(work.join("boot")).into_iter().flatten().flatten();
        let kernel = boot
            .map(|e| e.path())
            .find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("vmlinuz-")))
            .ok_or_else(|| not_a_kernel(package, "there is no boot/vmlinuz-* in it"))?;
        let release = kernel.file_name().unwrap_or_default().to_string_lossy()["vmlinuz-".len()..].to_string();
        std::fs::copy(&kernel, self.vmlinuz()).map_err(|e| trouble(&self.vmlinuz(), &e))?;
        Ok(release)
    }

    async fn find_busybox(&self, work: &Path, say: &mut dyn FnMut(&str)) -> Result<PathBuf, Report> {
        let package = Apt::new(work).download("busybox-static", say).await?;
        let to = work.join("busybox-static");
        output("dpkg-deb", &["-x", &package.display().to_string(), &to.display().to_string()], None).await.map_err(
            |words| Report::from(Diagnostic::general(format!("busybox-static cannot be unpacked: {words}"))),
        )?;
        ["bin/busybox", "usr/bin/busybox"]
            .map(|p| to.join(p))
            .into_iter()
            .find(|p| p.is_file())
            .ok_or_else(|| Diagnostic::general("the package busybox-static holds no bin/busybox").into())
    }

    /// Puts the modules that the guest loads into the lab, unpacked; their names in order.
    async fn modules_of(&self, folder: &Path) -> Result<Vec<String>, Report> {
        let all = modules_in(folder);
        if let Some(missing) = NEEDED.iter().find(|n| !all.contains_key(**n)) {
            return Err(Diagnostic::general(format!("this kernel package has no module {missing}"))
                .help("cloud kernels are built without it; take the plain linux-image package")
                .into());
        }
        let chosen = closure(&all, |path| {
            let packed = path.extension().is_some_and(|e| e == "xz");
            let read = if packed {
                std::process::Command::new("xz").arg("-dc").arg(path).output().map(|o| o.stdout)
            } else {
                std::fs::read(path)
            };
            read.map_err(|e| trouble(path, &e))
        })?;
        let to = self.file("modules");
        let _ = std::fs::remove_dir_all(&to);
        std::fs::create_dir_all(&to).map_err(|e| trouble(&to, &e))?;
        for (name, bytes) in &chosen {
            std::fs::write(to.join(name), bytes).map_err(|e| trouble(&to, &e))?;
        }
        Ok(chosen.into_iter().map(|(name, _)| name).collect())
    }

    /// Boots once, with KVM if it is here and works, else without; what runs the guest, and how long it took.
    async fn first_boot(&self, state: &Installed, say: &mut dyn FnMut(&str)) -> Result<(String, f64), Report> {
        let job = Job::here(&["rdma".to_string(), "link".to_string()])?;
        let kvm = std::fs::File::options().read(true).write(true).open("/dev/kvm").is_ok();
        for accelerator in if kvm { &["kvm", "tcg"][..] } else { &["tcg"] } {
            say(&format!("booting once with {accelerator}"));
            let state = Installed { accelerator: (*accelerator).to_string(), ..state.clone() };
            // A device that opens may still not work: then the guest does not come up.
            let (seconds, boots) = if *accelerator == "kvm" { (25, 1) } else { (240, 3) };
            let patience = std::time::Duration::from_secs(seconds);
            let options = GuestOptions { patience, boots, ..GuestOptions::default() };
            let begun = std::time::Instant::now();
            match self.run_in(&state, &mut None, &options, &job, &mut |_| {}).await {
                Ok(ended) if ended.status == 0 => {
                    let seconds = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
                    say(&format!("Linux {} came up and went down in {seconds:.1} s", state.kernel));
                    return Ok((state.accelerator, seconds));
                }
                Ok(ended) => {
                    return Err(
                        Diagnostic::general(format!("the guest's first job ended with {}", ended.status)).into()
                    );
                }
                Err(why) if *accelerator == "kvm" => say(&format!("kvm does not work here: {why}")),
                Err(why) => return Err(why),
            }
        }
        unreachable!("tcg is the last one, and gives an answer")
    }
}

/// A folder that is removed.
struct Work(PathBuf);

impl Work {
    fn new(folder: &Path) -> Result<Work, Report> {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))?;
        Ok(Work(folder.to_path_buf()))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Sees to the host's programs: installs packages where that is allowed, else says which.
async fn programs(say: &mut dyn FnMut(&str)) -> Result<(), Report> {
    let missing = || {
        PROGRAMS.iter().filter(|(program, ..)| litmpi_scratch::program(program).is_none()).copied().collect::<Vec<_>>()
    };
    let lacking = missing();
    if lacking.is_empty() {
        return Ok(());
    }
    let mut packages: Vec<&str> = lacking.iter().map(|(_, package, _)| *package).collect();
    packages.dedup();
    let list = packages.join(" ");
    let why: Vec<String> = lacking.iter().map(|(program, _, why)| format!("`{program}` {why}")).collect();
    let refused = |words: &str| -> Report {
        Diagnostic::general(format!("the lab needs {}, and cannot install it: {words}", why.join(" and ")))
            .help(format!("apt-get install --no-install-recommends {list}"))
            .into()
    };
    if litmpi_scratch::program("apt-get").is_none() {
        return Err(refused("there is no `apt-get` here"));
    }
    let root = rustix::process::geteuid().is_root();
    if !root && output("sudo", &["-n", "true"], None).await.is_err() {
        return Err(refused("not root, and no sudo without a password"));
    }
    say(&format!("installing {list}"));
    let first = if root { vec!["env"] } else { vec!["sudo", "-n", "env"] };
    let install = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"];
    let words: Vec<&str> = first.iter().copied().chain(install).chain(packages.iter().copied()).collect();
    if output(words[0], &words[1..], None).await.is_err() {
        let update: Vec<&str> = first.iter().copied().chain(["apt-get", "update", "-qq"]).collect();
        let _ = output(update[0], &update[1..], None).await;
        output(words[0], &words[1..], None).await.map_err(|e| refused(&e))?;
    }
    match missing().first() {
        Some((program, ..)) => Err(refused(&format!("there is still no `{program}`"))),
        None => Ok(()),
    }
}

/// Whether the disk has room.
fn room(folder: &Path) -> Result<(), Report> {
    let Ok(about) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    if free >= ROOM {
        return Ok(());
    }
    Err(Diagnostic::general(format!(
        "{} has room for {} MB; setting the lab up takes {} MB, most of them only meanwhile",
        folder.display(),
        free >> 20,
        ROOM >> 20
    ))
    .help("make room, or set LITMPI_LAB to a folder elsewhere")
    .into())
}

fn not_a_kernel(package: &Path, words: &str) -> Report {
    Diagnostic::general(format!("{} is no kernel package: {words}", package.display()))
        .help("a Debian package linux-image-VERSION, from 6.12 on")
        .into()
}

/// Packages by the package manager, with its own lists, or, where those are missing or too old, with lists in the folder
/// of work: this needs no rights.
struct Apt {
    folder: PathBuf,
    own_lists: bool,
}

impl Apt {
    fn new(folder: &Path) -> Apt {
        Apt { folder: folder.to_path_buf(), own_lists: folder.join("lists").is_dir() }
    }

    fn options(&self) -> Vec<String> {
        let mut out = vec!["-qq".to_string(), "-o".into(), "APT::Sandbox::User=root".into()];
        if self.own_lists {
            for (key, folder) in [("Dir::State::Lists", "lists"), ("Dir::Cache", "cache")] {
                out.extend(["-o".to_string(), format!("{key}={}", self.folder.join(folder).display())]);
            }
        }
        out
    }

    async fn apt(&self, program: &str, words: &[&str]) -> Result<String, String> {
        let options = self.options();
        let all: Vec<&str> = options.iter().map(String::as_str).chain(words.iter().copied()).collect();
        output(program, &all, Some(&self.folder)).await
    }

    async fn update(&mut self, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        say("getting the package manager's lists");
        self.own_lists = true;
        for folder in ["lists/partial", "cache/archives/partial"] {
            std::fs::create_dir_all(self.folder.join(folder)).map_err(|e| e.to_string())?;
        }
        self.apt("apt-get", &["update"]).await.map(drop)
    }

    /// The name of the newest kernel package that will do.
    async fn kernel(&mut self, say: &mut dyn FnMut(&str)) -> Result<String, Report> {
        let mut words = String::new();
        loop {
            for name in KERNELS {
                match self.apt("apt-cache", &["depends", name]).await {
                    Ok(text) => match text.lines().find_map(image) {
                        Some((package, version)) if version >= OLDEST => return Ok(package),
                        Some((package, _)) => words = format!("{name} is {package}, which is too old"),
                        None => words = format!("no package {name}"),
                    },
                    Err(e) => words = e,
                }
            }
            if self.own_lists {
                break;
            }
            self.update(say).await.map_err(|e| no_package("a kernel package", &e))?;
        }
        Err(no_package("a kernel package from 6.12 on", &words))
    }

    /// Downloads a package into the folder of work; its file.
    async fn download(&mut self, name: &str, say: &mut dyn FnMut(&str)) -> Result<PathBuf, Report> {
        say(&format!("downloading {name}"));
        let mut got = self.apt("apt-get", &["download", name]).await;
        if got.is_err() && !self.own_lists {
            // Lists that are too old name files that are gone.
            self.update(say).await.map_err(|e| no_package(name, &e))?;
            got = self.apt("apt-get", &["download", name]).await;
        }
        got.map_err(|e| no_package(name, &e))?;
        let prefix = format!("{name}_");
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|e| e.path());
        files
            .filter(|p| p.extension().is_some_and(|e| e == "deb"))
            .find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&prefix)))
            .ok_or_else(|| no_package(name, "nothing was downloaded"))
    }
}

fn no_package(name: &str, words: &str) -> Report {
    Diagnostic::general(format!("{name} cannot be had: {words}"))
        .help(
            "the lab needs Debian's package manager and the network once; or give a kernel package with --kernel FILE",
        )
        .into()
}

/// `Depends: linux-image-6.12.48+deb12-amd64` to the package and its version.
fn image(line: &str) -> Option<(String, (u32, u32))> {
    let package = line.trim().trim_start_matches('|').strip_prefix("Depends: ")?;
    let version = package.strip_prefix("linux-image-")?;
    let mut numbers = version.split(['.', '-', '+']).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    Some((package.to_string(), (major, minor)))
}

/// What a program prints; or, when it does not start or succeed, its last words.
async fn output(program: &str, words: &[&str], folder: Option<&Path>) -> Result<String, String> {
    let mut command = Command::new(program);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let done = command.args(words).env("LC_ALL", "C").stdin(Stdio::null()).kill_on_drop(true).output().await;
    let done = done.map_err(|e| format!("{program}: {e}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let text = [done.stderr, done.stdout].map(|b| String::from_utf8_lossy(&b).trim().to_string()).join("\n");
    let last: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let last = last.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(" | ");
    Err(format!("{program}: {}", if last.is_empty() { done.status.to_string() } else { last }))
}

#[cfg(test)]
mod tests {
    use super::image;

    #[test]
    fn a_kernel_package_is_found_in_what_another_depends_on() {
        let name = "linux-image-6.12.117+deb12-amd64".to_string();
        assert_eq!(image("  Depends: linux-image-6.12.117+deb12-amd64"), Some((name, (6, 12))));
        assert_eq!(image(" |Depends: linux-image-6.1.0-49-amd64").map(|i| i.1), Some((6, 1)));
        assert_eq!(image("  Depends: initramfs-tools"), None);
        assert_eq!(image("linux-image-amd64"), None);
    }
}
