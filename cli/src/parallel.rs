//! The same work for many tests, on several threads, with results in the order of the tests.

use crate::progress::Bar;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many threads, as the user writes them.
///
/// # Errors
/// What is no number, and none.
pub(crate) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one works; leave it out for as many as there are cores".to_owned()),
        Ok(n) => Ok(n),
        Err(_) => Err("not a number".to_owned()),
    }
}

/// How many threads are to work: as many as were asked for, or as there are cores.
pub(crate) fn threads(jobs: Option<usize>) -> usize {
    jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Maps `work` over items; `jobs` threads, or as many as there are cores.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    jobs: Option<usize>,
    what: &str,
    work: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let jobs = threads(jobs);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<U>>> = Mutex::new(items.iter().map(|_| None).collect());
    let bar = Bar::new(items.len() as u64, what);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    done.lock().unwrap_or_else(|e| e.into_inner())[i] = Some(result);
                    bar.advance("");
                }
            });
        }
    });
    bar.finish();
    done.into_inner()
        .unwrap_or_else(|e| e.into_inner())
        .into_iter()
        .map(|r| r.expect("every item was worked on"))
        .collect()
}
