//! A progress bar on stderr, when that is a terminal and the work takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use litmpi_spec::visible::visible;
use std::io::IsTerminal;
use std::sync::Once;
use std::time::{Duration, Instant};

/// The bar.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
    shown: Once,
}

impl Bar {
    /// A bar of that many steps, not drawn yet.
    pub(crate) fn new(steps: u64, what: &str) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(&format!("{what} {{bar:30}} {{pos}}/{{len}} {{eta}} {{wide_msg}}"));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar { bar, start: Instant::now(), shown: Once::new() }
    }

    /// More steps are to come.
    pub(crate) fn lengthen(&self, steps: u64) {
        self.bar.inc_length(steps);
    }

    /// One step is done.
    pub(crate) fn advance(&self, message: &str) {
        self.bar.inc(1);
        self.say(message);
    }

    /// Says what is going on.
    pub(crate) fn say(&self, message: &str) {
        if self.start.elapsed() > Duration::from_secs(1) && std::io::stderr().is_terminal() {
            self.shown.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
        self.bar.set_message(visible(message).into_owned());
    }

    /// So many steps are done.
    pub(crate) fn stand_at(&self, steps: u64) {
        self.bar.set_position(steps);
    }

    /// Tells something while the bar is out of the way.
    pub(crate) fn aside(&self, tell: impl FnOnce()) {
        self.bar.suspend(tell);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
