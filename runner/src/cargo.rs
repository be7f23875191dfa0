//! Building suites in Rust: crates, by cargo. What the crates `mpi` and `rdma-sys` are compiled to is kept for each compiler, in a folder
//! that outlives runs.

use crate::bounded::output;
use crate::objects::failed;
use crate::target::Target;
use litmpi_codegen::Suite;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why there is no program.
#[derive(Debug)]
pub(crate) enum NotBuilt {
    /// Something that is needed is not here: what, and how to get it.
    Missing(String),
    /// The compiler's words, or the file system's.
    Failed(String),
}

/// Builds the crate in `folder` with the target's MPI compiler, and puts the program there.
pub(crate) async fn build(
    suite: &Suite,
    target: &Target,
    limit: Duration,
    (folder, program): (&Path, &Path),
    cache: &Path,
) -> Result<(), NotBuilt> {
    let (binding, clang) = match target.family.as_str() {
        "rdma" => ("rdma-sys", libclang(Some("14"))),
        _ => ("mpi", libclang(None)),
    };
    let Some(clang) = clang else {
        let version = if binding == "rdma-sys" { "libclang 14" } else { "libclang" };
        let package =
            if binding == "rdma-sys" { "libclang-14-dev, which Debian 13 does not have" } else { "libclang-dev" };
        let reason = format!("the bindings of the crate `{binding}` need {version}, and there is none");
        return Err(NotBuilt::Missing(format!("{reason}; get it with: apt-get install {package}")));
    };
    let compiler = target.compiler.first().ok_or(NotBuilt::Failed("the target names no compiler".into()))?;
    let compiled = cache.join(compiler.rsplit('/').next().unwrap_or(compiler));
    litmpi_scratch::private(&compiled).map_err(|e| NotBuilt::Failed(format!("{}: {e}", compiled.display())))?;
    let name = suite_name(folder);
    name_program(folder, &name).map_err(|e| NotBuilt::Failed(format!("{}: {e}", folder.display())))?;
    let cargo = |words: &[&str]| {
        let mut command = tokio::process::Command::new("cargo");
        command
            .args(words)
            .current_dir(folder)
            .env("MPICC", compiler)
            .env("LIBCLANG_PATH", &clang)
            .env("CARGO_TARGET_DIR", &compiled)
            // What holds for the workspace that this may run in does not hold for the crate.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET");
        command
    };
    let fetched = output(&mut cargo(&["fetch", "--locked", "--quiet"]), limit).await;
    match fetched {
        Err(e) if e.kind() == std::io::ErrorKind::TimedOut => {
            return Err(NotBuilt::Missing(format!("the crate `{binding}` cannot be had: cargo fetch: {e}")));
        }
        Err(e) => return Err(NotBuilt::Missing(format!("cargo: {e}; get it with rustup, https://rustup.rs"))),
        Ok(output) if !output.status.success() => {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            let first = words.lines().next().unwrap_or_default();
            return Err(NotBuilt::Missing(format!("the crate `{binding}` cannot be had: {first}")));
        }
        Ok(_) => {}
    }
    tracing::debug!(compiler, crate_ = %folder.display(), "cargo build");
    let build = ["build", "--release", "--locked", "--quiet", "--message-format", "short"];
    let output = output(&mut cargo(&build), limit).await.map_err(|e| NotBuilt::Failed(format!("cargo: {e}")))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        // As the build script of rdma-sys says it.
        if let Some(at) = words.find("please install ") {
            let missing = words[at..].split(['"', ')', '\n']).next().unwrap_or_default();
            return Err(NotBuilt::Missing(format!(
                "the crate `{binding}` cannot be built: {missing} (and pkg-config)"
            )));
        }
        return Err(NotBuilt::Failed(format!(
            "cargo {} in {} for {compiler}:\n{words}",
            failed(&output),
            folder.display()
        )));
    }
    if !words.trim().is_empty() {
        tracing::warn!("cargo, {} for {} tests: {words}", folder.display(), suite.names.len());
    }
    let built = compiled.join("release").join(&name);
    // The cache may be on another file system.
    std::fs::copy(&built, folder.join("suite.half"))
        .and_then(|_| std::fs::rename(folder.join("suite.half"), program))
        .and_then(|()| std::fs::remove_file(&built))
        .map_err(|e| NotBuilt::Failed(format!("{}: {e}", built.display())))
}

/// Programs of different suites do not meet in the folder that they share.
fn suite_name(folder: &Path) -> String {
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    format!("suite-{}", name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect::<String>())
}

fn name_program(folder: &Path, name: &str) -> std::io::Result<()> {
    let manifest = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    std::fs::write(manifest, text.replace("name = \"suite\"", &format!("name = \"{name}\"")))
}

/// The folder of libclang: what `LIBCLANG_PATH` says, or where systems have it; of a major version, if only that will do: the
/// bindgen of rdma-sys panics with newer ones.
fn libclang(version: Option<&str>) -> Option<PathBuf> {
    let fits =
        |name: &str| version.is_none_or(|v| name.contains(&format!("-{v}.")) || name.contains(&format!("so.{v}")));
    let has = |folder: &Path| {
        let Ok(entries) = std::fs::read_dir(folder) else { return false };
        entries.flatten().any(|e| {
            let name = e.file_name();
            let name = name.to_string_lossy();
            (name.starts_with("libclang.so") || name.starts_with("libclang-")) && name.contains(".so") && fits(&name)
                || name == "libclang.dylib" && version.is_none()
        })
    };
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let mut folders: Vec<PathBuf> = named.into_iter().collect();
    for parent in ["/usr/lib", "/usr/local", "/opt/homebrew/opt"] {
        let Ok(entries) = std::fs::read_dir(parent) else { continue };
        let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        inside.sort();
        for path in inside {
            folders.push(path.join("lib"));
            folders.push(path);
        }
    }
    folders.extend(["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    folders.into_iter().find(|f| has(f))
}
