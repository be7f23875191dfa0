//! The user's signals.

use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Those that ask a program to end.
const SIGNALS: [(SignalKind, &str); 4] = [
    (SignalKind::interrupt(), "SIGINT"),
    (SignalKind::terminate(), "SIGTERM"),
    (SignalKind::hangup(), "SIGHUP"),
    (SignalKind::quit(), "SIGQUIT"),
];

/// The first signal that came. Whoever listens to a signal once has taken its usual effect from it for good, so somebody listens
/// to the end of this process: else one that comes between two runs would do nothing.
static CAME: OnceLock<watch::Receiver<Option<&'static str>>> = OnceLock::new();

/// Waits for a signal that asks this program to end, `SIGINT`, `SIGTERM`, `SIGHUP` or `SIGQUIT`, so that it can end what it has
/// started; one that has come since this was first waited for is enough. One that the user wants ignored (`nohup`) is; where signals
/// cannot be listened to, they act as they always do.
pub async fn interrupted() -> &'static str {
    let mut came = CAME.get_or_init(listen).clone();
    let name = came.wait_for(Option::is_some).await.ok().and_then(|name| *name);
    match name {
        Some(name) => name,
        None => std::future::pending().await,
    }
}

/// From now on signals that ask to end are noted, and whoever waits for one, or asks, is told.
pub fn note_interruptions() {
    CAME.get_or_init(listen);
}

/// The signal that has asked this program to end, if one has come since it was first listened to.
pub fn interruption() -> Option<&'static str> {
    CAME.get().and_then(|came| *came.borrow())
}

/// The exit code that a shell has for a process which this signal ends.
pub fn exit_code(signal: &str) -> u8 {
    let number = SIGNALS.iter().find(|(_, name)| *name == signal).map_or(0, |(kind, _)| kind.as_raw_value());
    128 + u8::try_from(number).unwrap_or(0)
}

/// How long what has been started may take to end. Closed terminals send several signals at once: these are one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has a thread listen that nobody waits for, which is there before this returns. A signal that comes later than
/// [`PATIENCE`] finds a program that did not come to an end by the first one, and ends it.
fn listen() -> watch::Receiver<Option<&'static str>> {
    let (told, came) = watch::channel(None);
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let mut listeners = listeners();
            let _ = ready.send(());
            let first = any(&mut listeners).await;
            let _ = told.send(Some(first));
            let late = Instant::now() + PATIENCE;
            let mut again = any(&mut listeners).await;
            while Instant::now() < late {
                again = any(&mut listeners).await;
            }
            std::process::exit(i32::from(exit_code(again)));
        });
    });
    // It may be gone, too, where there is no runtime; then signals act as they always do.
    let _ = is_ready.recv();
    came
}

type Listener = (Option<Signal>, &'static str);

fn listeners() -> [Listener; 4] {
    let ignored = ignored();
    SIGNALS.map(|(kind, name)| {
        let listened = (ignored >> (kind.as_raw_value() - 1)) & 1 == 0;
        (listened.then(|| signal(kind).ok()).flatten(), name)
    })
}

async fn any([int, term, hup, quit]: &mut [Listener; 4]) -> &'static str {
    tokio::select! {
        name = come(int) => name,
        name = come(term) => name,
        name = come(hup) => name,
        name = come(quit) => name,
    }
}

async fn come((listener, name): &mut Listener) -> &'static str {
    let Some(listener) = listener else { return std::future::pending().await };
    match listener.recv().await {
        Some(()) => name,
        None => std::future::pending().await,
    }
}

/// The signals that are ignored, a bit each, as the system says.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
}
