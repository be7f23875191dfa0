//! What a fabric may do to programs that take more for granted than it promises.
//!
//! A [scheduler](crate::Scheduler) holds rules back. An adversary does what no rule shows: it places a message in pieces, loses what is
//! sent again, takes the link away for a while, lets a queue pair fail. Nothing of it is outside of InfiniBand (vol. 1 §9.4, §9.7.5,
//! §9.9.2, §10.8.3): each is what a device and its fabric may do on any day. All choices come of the device's seed, though the programs'
//! own timing is theirs.
//!
//! Limits: losses of a connection are delays, because what is sent again arrives in order. What is on its way when the link goes down
//! arrives when it is back; what is asked for meanwhile is what fails in an outage that is long.

use crate::layout::{RETRY_EXC_ERR, RNR_RETRY_EXC_ERR};
use crate::rules::{Rules, Timers};
use crate::temper::Rng;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// One kind of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Torn,
    Slow,
    Bursts,
    Loss,
    Storm,
    Flap,
    Outage,
    Break,
    Unheard,
    Fatal,
    Atomics,
    Datagrams,
}

/// All, by name, and what each does.
const ALL: [(&str, Kind, &str); 12] = [
    (
        "torn",
        Kind::Torn,
        "data is written and read in pieces, the last first or in any order, with pauses; aligned words of 8 bytes stay whole",
    ),
    (
        "slow",
        Kind::Slow,
        "memory is slow: half of what is written comes in pieces over up to ten times --hold; other queue pairs go on meanwhile",
    ),
    ("bursts", Kind::Bursts, "completions are kept back, and many come at once"),
    (
        "loss",
        Kind::Loss,
        "now and then a packet is lost, and what it carries waits until its queue pair sends it again; of an unreliable connection it is \
         gone, and a queue pair that sends nothing again fails",
    ),
    (
        "storm",
        Kind::Storm,
        "messages find no receive though one is posted, and are sent again as the queue pair's RNR timer says; where that is never, they fail",
    ),
    (
        "flap",
        Kind::Flap,
        "the link goes down and comes back, with the port's events; nothing passes meanwhile, and what is not sent again is lost",
    ),
    (
        "outage",
        Kind::Outage,
        "as flap, for so long that what is asked for meanwhile fails (IBV_WC_RETRY_EXC_ERR), at the latest after 20 ms",
    ),
    ("break", Kind::Break, "one request of 500 fails (IBV_WC_RETRY_EXC_ERR), and its queue pair with it"),
    (
        "unheard",
        Kind::Unheard,
        "one request of 500 is carried out, but its answer never comes: it fails (IBV_WC_RETRY_EXC_ERR), and its queue pair with it",
    ),
    (
        "fatal",
        Kind::Fatal,
        "at one request of 500, its queue pair or the one at the other end goes into the error state by itself (IBV_EVENT_QP_FATAL)",
    ),
    (
        "atomics",
        Kind::Atomics,
        "between the read and the write of an atomic operation there is time, in which what processors store there is lost",
    ),
    ("datagrams", Kind::Datagrams, "datagrams are lost, come twice and pass each other, as with --lossy"),
];

/// Of so many requests one fails.
const REQUESTS: usize = 500;
/// Of so many packets one is lost, and of so many steps that a packet takes.
const FEW: usize = 50;

/// What may become of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is gone, and nobody hears of that.
    Lost,
    /// It fails, and nothing else.
    Fails(u64),
    /// It is carried out, and fails.
    Unheard,
    /// Its queue pair goes into the error state, or that at the other end.
    Fatal,
}
/// The longest that a queue pair sends a request again in an outage: many would do so for seconds.
pub(crate) const OUTAGE: Duration = Duration::from_millis(20);
/// What is moved at once by any memory: a word.
const WORD: usize = 8;
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

    /// How much longer a step waits than its temper says, and whether that is because something is sent again.
    pub(crate) fn hold(
        &self,
        rules: &Rules,
        rule: usize,
        (timers, longest): (&Timers, Duration),
        rng: &mut Rng,
    ) -> (Duration, bool) {
        if self.has(Kind::Atomics) && rules.ends_atomic(rule) {
            return (longest.mul_f64(0.2 + rng.unit()), false);
        }
        let again = |each: Duration, times: u32| if times == 0 { Duration::ZERO } else { (each * times).min(PATIENCE) };
        if self.has(Kind::Storm) && rules.takes_receive(rule) && rng.below(2) == 0 {
            let times = timers.receives_again.min(1 + rng.below(3) as u32);
            return (again(timers.receive_again, times), times > 0);
        }
        if self.has(Kind::Loss) && rules.is_of_queue(rule) && rng.below(FEW) == 0 {
            let times = timers.answers_again.min(1);
            return (again(timers.answer_again, times), times > 0);
        }
        (Duration::ZERO, false)
    }

    /// Whether a request of an unreliable connection is lost.
    pub(crate) fn loses(&self, rng: &mut Rng) -> bool {
        self.has(Kind::Loss) && rng.below(FEW) == 0
    }

    /// What becomes of a request of a reliable connection, for no reason of its own; none for what it asks for.
    pub(crate) fn fate(&self, is_message: bool, timers: &Timers, rng: &mut Rng) -> Option<Fate> {
        let mut strikes = |kind, of: usize| self.has(kind) && rng.below(of) == 0;
        if strikes(Kind::Break, REQUESTS) || timers.is_never_sent_again() && strikes(Kind::Loss, FEW) {
            Some(Fate::Fails(RETRY_EXC_ERR))
        } else if is_message && timers.receives_again == 0 && strikes(Kind::Storm, FEW) {
            Some(Fate::Fails(RNR_RETRY_EXC_ERR))
        } else if strikes(Kind::Unheard, REQUESTS) {
            Some(Fate::Unheard)
        } else {
            strikes(Kind::Fatal, REQUESTS).then_some(Fate::Fatal)
        }
    }

    /// Over how long data of this length is written; none if at once.
    pub(crate) fn takes(&self, len: usize, longest: Duration, rng: &mut Rng) -> Option<Duration> {
        (self.has(Kind::Slow) && len > WORD && rng.below(2) == 0).then(|| longest.mul_f64(10.0 * rng.unit()))
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
    /// Whether it is down for longer than anything is sent again.
    is_long: bool,
    /// When it changes; never, if it stays up.
    until: Option<Instant>,
}

impl WireState {
    pub(crate) fn new(adversary: &Adversary, rng: &mut Rng) -> WireState {
        let is_long = adversary.has(Kind::Outage);
        let until = (is_long || adversary.has(Kind::Flap)).then(|| Instant::now() + up(is_long, rng));
        WireState { is_down: false, is_long, until }
    }

    pub(crate) fn is_down(&self) -> bool {
        self.is_down
    }

    /// Whether it is down, and for so long that nothing is sent again until it is back.
    pub(crate) fn is_out(&self) -> bool {
        self.is_down && self.is_long
    }

    /// Whether it has changed by now.
    pub(crate) fn changes(&mut self, now: Instant, rng: &mut Rng) -> bool {
        if self.until.is_none_or(|until| now < until) {
            return false;
        }
        self.is_down = !self.is_down;
        self.until = Some(now + if self.is_down { down(self.is_long, rng) } else { up(self.is_long, rng) });
        true
    }
}

fn up(is_long: bool, rng: &mut Rng) -> Duration {
    Duration::from_millis(if is_long { 5 } else { 2 }).mul_f64(1.0 + 20.0 * rng.unit())
}

fn down(is_long: bool, rng: &mut Rng) -> Duration {
    if is_long {
        return OUTAGE.mul_f64(1.5 + rng.unit());
    }
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

/// Lets programs look between two parts. Where others wait for the processor, to leave it costs milliseconds.
pub(crate) fn pause(rng: &mut Rng) {
    match rng.below(16) {
        0 => std::thread::yield_now(),
        1..=4 => {
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
        assert!(wrong.contains("`tron`") && wrong.contains("torn, slow"), "{wrong}");
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
