//! QEMU's command line, and a guest that is ended with its handle.

use super::session::GuestOptions;
use super::{Installed, Lab, trouble};
use crate::process::MARK;
use litmpi_spec::diag::{Diagnostic, Report};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

const GUEST: &str = include_str!("../../lab/guest.sh");
const RXE: &str = include_str!("../../lab/rxe.sh");
const LOSS: &str = include_str!("../../lab/loss.sh");
pub(super) const QEMU: &str = "qemu-system-x86_64";
/// The library to preload, in the folder of the run and in that of a guest.
pub(super) const SHIM: &str = "relax.so";
/// Bytes that guests share.
pub(super) const WINDOW: u64 = 1 << 20;

/// A guest that runs; dropping it ends QEMU at once.
pub(super) struct Guest {
    pub(super) child: Child,
    /// The folder that it shares with the host.
    pub(super) share: PathBuf,
    pub(super) console: PathBuf,
    qemu_words: PathBuf,
}

/// The file of the memory that guests share, in the folder of the run.
pub(super) fn window(run: &Path) -> PathBuf {
    run.join("window")
}

impl Guest {
    /// Boots guest `number` in a folder of its own; `initramfs` is a file there.
    pub(super) fn boot(
        lab: &Lab,
        state: &Installed,
        options: &GuestOptions,
        run: &Path,
        number: u32,
    ) -> Result<Guest, Report> {
        let share = run.join(format!("guest{number}"));
        std::fs::create_dir_all(&share).map_err(|e| trouble(&share, &e))?;
        let settings = format!("LITMPI_GUEST={number}\nLITMPI_GUESTS={}\n", options.guests);
        for (name, text) in [("guest.sh", GUEST), ("rxe.sh", RXE), ("loss.sh", LOSS), ("settings", &settings)] {
            std::fs::write(share.join(name), text).map_err(|e| trouble(&share, &e))?;
        }
        let (console, qemu_words) = (run.join(format!("console{number}")), run.join(format!("qemu{number}")));
        let words = std::fs::File::create(&qemu_words).map_err(|e| trouble(&qemu_words, &e))?;
        let again = words.try_clone().map_err(|e| trouble(&qemu_words, &e))?;
        let mut command = match litmpi_scratch::program("setpriv").is_some() {
            // The guest does not outlive this process, however that ends.
            true => {
                let mut setpriv = Command::new("setpriv");
                setpriv.args(["--pdeathsig", "KILL", "--", QEMU]);
                setpriv
            }
            false => Command::new(QEMU),
        };
        if std::env::var_os(MARK).is_none() {
            command.env(MARK, format!("lab-{}", std::process::id()));
        }
        let child = command
            .args(arguments(lab, state, options, run, number, &share, &console))
            .stdin(Stdio::null())
            .stdout(words)
            .stderr(again)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|e| no_qemu(&e.to_string()))?;
        Ok(Guest { child, share, console, qemu_words })
    }

    /// Why it ended by itself.
    pub(super) fn last_words(&self) -> String {
        let read =
            |path: &Path| std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        let (console, qemu) = (read(&self.console), read(&self.qemu_words));
        let panic = console.lines().find(|l| l.contains("Kernel panic") || l.contains("Oops"));
        if let Some(line) = panic {
            return format!("the guest panicked: {}", line.trim());
        }
        if let Some(line) = console.lines().find(|l| l.starts_with("lab: ")) {
            return line.trim().to_string();
        }
        match qemu.lines().rfind(|l| !l.trim().is_empty()) {
            Some(line) => format!("QEMU ended: {}", line.trim()),
            None => "the guest went down before its job was done".into(),
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Waits, so that nothing is left when this returns: a guest's memory takes a moment to go. Its group is its own.
        if let Some(group) = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.start_kill();
        let until = Instant::now() + Duration::from_secs(10);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub(super) fn no_qemu(words: &str) -> Report {
    Diagnostic::general(format!("QEMU cannot be started: {words}"))
        .help("apt-get install --no-install-recommends qemu-system-x86, or `litmpi lab setup`")
        .into()
}

fn arguments(
    lab: &Lab,
    state: &Installed,
    options: &GuestOptions,
    run: &Path,
    number: u32,
    share: &Path,
    console: &Path,
) -> Vec<String> {
    // QEMU takes a comma in a name for the end of it, unless it is doubled.
    let path = |p: &Path| p.display().to_string().replace(',', ",,");
    let accelerator = if state.accelerator == "tcg" { "tcg,thread=multi" } else { state.accelerator.as_str() };
    let mut line = String::new();
    let _ = write!(
        line,
        "-nodefaults -no-user-config -display none -no-reboot -machine q35 -accel {accelerator} -cpu max \
         -smp {} -m {}M -object rng-random,filename=/dev/urandom,id=rng -device virtio-rng-pci,rng=rng",
        options.cpus, options.memory
    );
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let mut add = |more: [String; 2]| words.extend(more);
    add(["-kernel".into(), lab.vmlinuz().display().to_string()]);
    add(["-initrd".into(), run.join("initramfs").display().to_string()]);
    let kernel = "console=ttyS0 quiet loglevel=4 mitigations=off nokaslr tsc=reliable panic=-1 random.trust_cpu=on";
    add(["-append".into(), kernel.into()]);
    add(["-serial".into(), format!("file:{}", path(console))]);
    for (tag, folder, more) in [("root", Path::new("/"), ",readonly=on"), ("lab", share, "")] {
        let folder = path(folder);
        add(["-fsdev".into(), format!("local,id={tag},path={folder},security_model=none,multidevs=remap{more}")]);
        add(["-device".into(), format!("virtio-9p-pci,fsdev={tag},mount_tag={tag}")]);
    }
    if options.guests > 1 {
        let socket = |n: u32| path(&run.join(format!("net{n}")));
        let (mine, other) = (socket(number), socket(1 - number));
        add([
            "-netdev".into(),
            format!("dgram,id=net,local.type=unix,local.path={mine},remote.type=unix,remote.path={other}"),
        ]);
        add(["-device".into(), format!("virtio-net-pci,netdev=net,mac=52:54:00:00:00:0{},romfile=", number + 1)]);
        let window = path(&window(run));
        add(["-object".into(), format!("memory-backend-file,id=window,size={WINDOW},share=on,mem-path={window}")]);
        add(["-device".into(), "ivshmem-plain,memdev=window".into()]);
    }
    words
}
