//! The user's signals.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Those that ask a program to end.
const SIGNALS: [(SignalKind, &str); 4] = [
    (SignalKind::interrupt(), "SIGINT"),
    (SignalKind::terminate(), "SIGTERM"),
    (SignalKind::hangup(), "SIGHUP"),
    (SignalKind::quit(), "SIGQUIT"),
];

/// Waits for a signal that asks this program to end, `SIGINT`, `SIGTERM`, `SIGHUP` or `SIGQUIT`, so that it can end what it has
/// started. One that the user wants ignored (`nohup`) is; where signals cannot be listened to, they act as they always do.
pub async fn interrupted() -> &'static str {
    let ignored = ignored();
    let [int, term, hup, quit] = SIGNALS.map(|(kind, name)| {
        let number = kind.as_raw_value();
        let listened = (ignored >> (number - 1)) & 1 == 0;
        (listened.then(|| signal(kind).ok()).flatten(), name)
    });
    tokio::select! {
        name = come(int) => name,
        name = come(term) => name,
        name = come(hup) => name,
        name = come(quit) => name,
    }
}

async fn come((listener, name): (Option<Signal>, &'static str)) -> &'static str {
    let Some(mut listener) = listener else { return std::future::pending().await };
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
