//! The shared object that programs are linked with: C, because its structures are the real header's. It is compiled
//! where it is used, as the programs are.

use crate::layout;
use litmpi_spec::visible::visible;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The library that leads programs to the device's files, beside the front.
pub(crate) const PATHS: &str = "litmpi-paths.so";

/// How long the compiler may take, and how much of what it says is read.
const LIMIT: Duration = Duration::from_secs(600);
const KEPT: u64 = 1 << 16;

const SOURCES: [(&str, &str); 24] = [
    ("front.h", include_str!("../c/front.h")),
    ("device.c", include_str!("../c/device.c")),
    ("completion.c", include_str!("../c/completion.c")),
    ("queue-pair.c", include_str!("../c/queue-pair.c")),
    ("states.c", include_str!("../c/states.c")),
    ("extended.c", include_str!("../c/extended.c")),
    ("events.c", include_str!("../c/events.c")),
    ("names.c", include_str!("../c/names.c")),
    ("rates.c", include_str!("../c/rates.c")),
    ("memory.c", include_str!("../c/memory.c")),
    ("work.c", include_str!("../c/work.c")),
    ("waiting.c", include_str!("../c/waiting.c")),
    ("datagram.c", include_str!("../c/datagram.c")),
    ("paths.c", include_str!("../c/paths.c")),
    ("refused.c", include_str!("../c/refused.c")),
    ("absent.c", include_str!("../c/absent.c")),
    ("symbols.map", include_str!("../c/symbols.map")),
    ("manager.h", include_str!("../c/manager.h")),
    ("manager.c", include_str!("../c/manager.c")),
    ("manager-events.c", include_str!("../c/manager-events.c")),
    ("manager-ends.c", include_str!("../c/manager-ends.c")),
    ("manager-groups.c", include_str!("../c/manager-groups.c")),
    ("manager-sockets.c", include_str!("../c/manager-sockets.c")),
    ("manager.map", include_str!("../c/manager.map")),
];

/// The folder that holds `libibverbs.so.1`, built if it is not there yet.
///
/// # Errors
/// The compiler's words, or the file system's.
pub fn build_front(out: &Path) -> Result<PathBuf, String> {
    let header = layout::header();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for b in SOURCES.iter().flat_map(|(_, text)| text.bytes()).chain(header.bytes()) {
        hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }
    let out = std::path::absolute(out).map_err(|e| e.to_string())?;
    let folder = out.join(format!("nic-{hash:016x}"));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    // The library is loaded into programs: nobody else may have put it there.
    litmpi_scratch::own(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    litmpi_scratch::private(&folder).map_err(failed)?;
    let library = folder.join("libibverbs.so.1");
    if library.is_file() {
        return Ok(folder);
    }
    for (name, text) in SOURCES.iter().copied().chain([("layout.h", header.as_str())]) {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    let half = format!("half.{}", std::process::id());
    let front = ["-Wl,-soname,libibverbs.so.1", "-Wl,--version-script=symbols.map", "-Wl,-z,defs", "-pthread"];
    let all = || SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".c") && *name != "paths.c");
    let (managers, sources): (Vec<&str>, Vec<&str>) = all().partition(|name| name.starts_with("manager"));
    compile(&folder, &half, &["paths.c", "-ldl"])?;
    std::fs::rename(folder.join(&half), folder.join(PATHS)).map_err(failed)?;
    compile(&folder, &half, &[&front[..], &sources].concat())?;
    // Where the machine has no header of librdmacm's, no program of the machine's needs the stand-in.
    if compile(&folder, "header", &["-include", "rdma/rdma_cma.h", "-x", "c", "/dev/null"]).is_ok() {
        std::fs::rename(folder.join(&half), folder.join("libibverbs.so.1.half")).map_err(failed)?;
        let manager = ["-Wl,-soname,librdmacm.so.1", "-Wl,--version-script=manager.map", "-Wl,-z,defs", "-pthread"];
        compile(&folder, &half, &[&manager[..], &managers, &["libibverbs.so.1.half"]].concat())?;
        std::fs::rename(folder.join(&half), folder.join("librdmacm.so.1")).map_err(failed)?;
        std::fs::rename(folder.join("libibverbs.so.1.half"), folder.join(&half)).map_err(failed)?;
    }
    // A library that is half written must not look built.
    std::fs::rename(folder.join(half), library).map_err(failed)?;
    Ok(folder)
}

/// Makes a shared object of sources in a folder.
fn compile(folder: &Path, name: &str, arguments: &[&str]) -> Result<(), String> {
    let said = folder.join(format!("{name}.said"));
    let file = std::fs::File::create(&said).map_err(|e| format!("{}: {e}", said.display()))?;
    let mut compiler = Command::new("cc")
        .current_dir(folder)
        .args(["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=default", "-Wall", "-Wextra", "-o", name])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .map_err(|e| format!("cc: {e}"))?;
    let begun = Instant::now();
    let status = loop {
        match compiler.try_wait().map_err(|e| format!("cc: {e}"))? {
            Some(status) => break status,
            None if begun.elapsed() > LIMIT => {
                // It may have ended meanwhile.
                let _ = compiler.kill();
                return Err(format!("cc did not end within {} s", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut words = vec![];
    let read = std::fs::File::open(&said).and_then(|f| f.take(KEPT).read_to_end(&mut words));
    read.and_then(|_| std::fs::remove_file(&said)).map_err(|e| format!("{}: {e}", said.display()))?;
    let words = String::from_utf8_lossy(&words);
    if !status.success() {
        return Err(format!("the front of the NIC does not compile (it needs libibverbs-dev):\n{words}"));
    }
    if !words.trim().is_empty() {
        // If it cannot be written, nobody can be told.
        let _ = writeln!(std::io::stderr(), "{}", visible(&words));
    }
    Ok(())
}
