//! What a fabric may do to programs that take more for granted than it promises.
//!
//! A [scheduler](crate::Scheduler) holds rules back. An adversary does what no rule shows: it places a message in pieces, loses what is
//! sent again, takes the link away for a while, lets a queue pair fail. Nothing of it is outside of InfiniBand (vol. 1 §9.4, §9.7.5,
//! §9.9.2, §10.8.3): each is what a device and its fabric may do on any day. All choices come of the device's seed, though the programs'
//! own timing is theirs.
//!
//! Limits: an outage is short, so that no retry counter runs out by it; losses of a connection are delays, because what is sent again
//! arrives in order.

use crate::rules::{Rules, Timers};
use crate::temper::Rng;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// One kind of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Torn,
    Bursts,
    Loss,
    Storm,
    Flap,
    Break,
    Datagrams,
}

/// All, by name, and what each does.
const ALL: [(&str, Kind, &str); 7] = [
    (
        "torn",
        Kind::Torn,
        "data is written and read in pieces, the last first or in any order, with pauses; aligned words of 8 bytes stay whole",
    ),
    ("bursts", Kind::Bursts, "completions are kept back, and many come at once"),
    (
        "loss",
        Kind::Loss,
        "now and then a packet is lost, and what it carries waits until its queue pair sends it again; of an unreliable connection it is gone",
    ),
    (
        "storm",
        Kind::Storm,
        "messages find no receive though one is posted, and are sent again as the queue pair's RNR timer says",
    ),
    ("flap", Kind::Flap, "the link goes down and comes back, with the port's events; nothing passes meanwhile"),
    ("break", Kind::Break, "one request of 500 fails (IBV_WC_RETRY_EXC_ERR), and its queue pair with it"),
    ("datagrams", Kind::Datagrams, "datagrams are lost, come twice and pass each other, as with --lossy"),
];

/// Of so many requests one fails.
const REQUESTS: usize = 500;
/// Longest wait for what is sent again: some programs would wait for seconds.
const PATIENCE: Duration = Duration::from_millis(100);
/// In how many parts data is moved at most.
const PARTS: u64 = 64;

/// Several kinds at once; none for a fabric that does not do such things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adversary(Vec<Kind>);

impl Adversary {
    /// The names, each with what it does.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        ALL.iter().map(|(name, _, what)| (*name, *what))
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.0.contains(&kind)
    }

    /// The names, joined by `+`; empty for none.
    pub(crate) fn name(&self) -> String {
        let names: Vec<&str> = ALL.iter().filter(|(_, kind, _)| self.has(*kind)).map(|(name, ..)| *name).collect();
        names.join("+")
    }

    /// How much longer a step waits than its temper says.
    pub(crate) fn hold(&self, rules: &Rules, rule: usize, timers: &Timers, rng: &mut Rng) -> Duration {
        let again = |each: Duration, times: u32| if times == 0 { Duration::ZERO } else { (each * times).min(PATIENCE) };
        if self.has(Kind::Storm) && rules.takes_receive(rule) && rng.below(2) == 0 {
            return again(timers.receive_again, timers.receives_again.min(1 + rng.below(3) as u32));
        }
        if self.has(Kind::Loss) && rules.is_of_queue(rule) && rng.below(50) == 0 {
            return again(timers.answer_again, timers.answers_again.min(1));
        }
        Duration::ZERO
    }

    /// Whether a request fails for no reason of its own.
    pub(crate) fn breaks(&self, rng: &mut Rng) -> bool {
        self.has(Kind::Break) && rng.below(REQUESTS) == 0
    }

    /// Whether a request of an unreliable connection is lost.
    pub(crate) fn loses(&self, rng: &mut Rng) -> bool {
        self.has(Kind::Loss) && rng.below(50) == 0
    }

    /// For how long completions are kept back from now on.
    pub(crate) fn keeps(&self, longest: Duration, rng: &mut Rng) -> Option<Duration> {
        self.has(Kind::Bursts).then(|| longest.mul_f64(10.0 * rng.unit()))
    }
}

impl FromStr for Adversary {
    type Err = String;

    /// Reads names that are joined by `+`.
    fn from_str(text: &str) -> Result<Adversary, String> {
        let kind = |name: &str| {
            let known = || ALL.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
            let found = ALL.iter().find(|(n, ..)| *n == name).map(|(_, kind, _)| *kind);
            found.ok_or_else(|| format!("no adversary is called `{name}`; they are {}, several joined by `+`", known()))
        };
        text.split('+').filter(|name| !name.is_empty()).map(kind).collect::<Result<_, _>>().map(Adversary)
    }
}

/// The link, which goes down and comes back if it is to.
pub(crate) struct WireState {
    is_down: bool,
    /// When it changes; never, if it stays up.
    until: Option<Instant>,
}

impl WireState {
    pub(crate) fn new(adversary: &Adversary, rng: &mut Rng) -> WireState {
        let until = adversary.has(Kind::Flap).then(|| Instant::now() + up(rng));
        WireState { is_down: false, until }
    }

    pub(crate) fn is_down(&self) -> bool {
        self.is_down
    }

    /// Whether it has changed by now.
    pub(crate) fn changes(&mut self, now: Instant, rng: &mut Rng) -> bool {
        if self.until.is_none_or(|until| now < until) {
            return false;
        }
        self.is_down = !self.is_down;
        self.until = Some(now + if self.is_down { down(rng) } else { up(rng) });
        true
    }
}

fn up(rng: &mut Rng) -> Duration {
    Duration::from_millis(2).mul_f64(1.0 + 20.0 * rng.unit())
}

fn down(rng: &mut Rng) -> Duration {
    Duration::from_micros(200).mul_f64(1.0 + 10.0 * rng.unit())
}

/// The order in which the bytes of one access are moved: places and lengths of its parts, within data of this length that begins at
/// this address. A part begins where a word of 8 bytes does, the first aside.
pub(crate) fn parts(addr: u64, len: u64, rng: &mut Rng) -> Vec<(u64, u64)> {
    let size = [8, 64, 256, 4096][rng.below(4)].max((len / PARTS).next_power_of_two()).max(8);
    let mut all = vec![];
    let mut at = 0;
    while at < len {
        let to = (size - (addr.wrapping_add(at)) % size).min(len - at);
        all.push((at, to));
        at += to;
    }
    if rng.below(2) == 0 {
        all.reverse();
    } else {
        (1..all.len()).rev().for_each(|i| all.swap(i, rng.below(i + 1)));
    }
    all
}

/// Lets programs look between two parts.
pub(crate) fn pause(rng: &mut Rng) {
    match rng.below(4) {
        0 => std::thread::yield_now(),
        1 => {
            let until = Instant::now() + Duration::from_nanos(rng.next() % 2_000);
            while Instant::now() < until {
                std::hint::spin_loop();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written_and_others_are_told() {
        for (name, _) in Adversary::all() {
            assert_eq!(name.parse::<Adversary>().map(|a| a.name()).as_deref(), Ok(name));
        }
        assert_eq!("bursts+torn".parse::<Adversary>().map(|a| a.name()).as_deref(), Ok("torn+bursts"));
        assert_eq!("".parse::<Adversary>(), Ok(Adversary::default()));
        let wrong = "tron".parse::<Adversary>().expect_err("there is none");
        assert!(wrong.contains("`tron`") && wrong.contains("torn, bursts"), "{wrong}");
    }

    #[test]
    fn parts_are_all_bytes_once_and_no_aligned_word_is_cut() {
        let mut rng = Rng(1);
        for (addr, len) in [(0, 8), (4, 8), (0, 100), (4093, 9000), (16, 1 << 20)] {
            let mut all = parts(addr, len, &mut rng);
            assert!(
                all.len() as u64 <= PARTS + 2 && all.iter().all(|(at, _)| *at == 0 || (addr + at) % 8 == 0),
                "{all:?}"
            );
            all.sort_unstable();
            let end = all.iter().fold(0, |end, (at, len)| if *at == end { at + len } else { u64::MAX });
            assert_eq!(end, len, "{all:?}");
        }
    }
}
