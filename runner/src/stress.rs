//! Stress: what makes weak behaviours likely, as data (rdma-tso §5). A vector is a word of the schedule; the verbs
//! harness acts on it (`codegen/c/verbs/stress.c`, whose head says what each item does and why none adds an outcome).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where a thread does something: at a statement, or before its first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// The statement of this line of the test's file.
    Line(u32),
    /// Before the first statement of the thread of this number.
    Begin(u32),
}

/// What it does there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Waits for so many half round trips.
    Delay(u8),
    /// Posts so many writes that no test sees on its own queue pairs; on the one towards this node, or on all.
    Flood(u8, Option<u8>),
    /// Makes so many stores that no test sees and that take long, behind which its next ones wait.
    Stores(u8),
    /// Waits until a location of its node has changed, at most so many half round trips.
    Until(u8),
}

/// What a thread does between two looks for a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Polling {
    /// It goes on looking.
    Spin,
    /// It lets others run.
    Yield,
    /// It sleeps for a microsecond.
    Sleep,
}

/// Which processors threads run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// All on one.
    Same,
    /// Each on its own.
    Spread,
    /// Those of a node on one.
    Nodes,
}

/// A vector. The default one is no stress.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stress {
    /// At program points.
    pub acts: Vec<(Point, Act)>,
    /// Delays at all points, drawn in each iteration.
    pub random: bool,
    /// Queue pairs with background traffic, of each node.
    pub traffic: u8,
    /// Percent of the packets that the network loses; for targets with a network that does.
    pub loss: u8,
    /// How threads poll, if not as usual.
    pub polling: Option<Polling>,
    /// Where threads run, if not anywhere.
    pub place: Option<Place>,
}

/// Most half round trips of a wait, writes of a flood, queue pairs of traffic, and acts; the harness's limits.
pub(crate) const HALVES: u8 = 8;
pub(crate) const FLOOD: u8 = 64;
const STORES: u8 = 64;
const TRAFFIC: u8 = 2;
const LOSS: u8 = 20;
const ACTS: usize = 64;
const LENGTH: usize = 500;

const POLLING: [(Polling, &str); 3] = [(Polling::Spin, "spin"), (Polling::Yield, "yield"), (Polling::Sleep, "sleep")];
const PLACES: [(Place, &str); 3] = [(Place::Same, "same"), (Place::Spread, "spread"), (Place::Nodes, "nodes")];

fn word<T: PartialEq + Copy>(names: &[(T, &'static str)], of: T) -> &'static str {
    names.iter().find(|(t, _)| *t == of).map_or("", |(_, n)| n)
}

fn named<T: Copy>(names: &[(T, &'static str)], word: &str) -> Option<T> {
    names.iter().find(|(_, n)| *n == word).map(|(t, _)| *t)
}

impl Stress {
    /// Whether it is no stress.
    pub fn is_none(&self) -> bool {
        *self == Stress::default()
    }

    /// Delays at all points, drawn in each iteration.
    pub fn random() -> Stress {
        Stress { random: true, ..Stress::default() }
    }
}

impl fmt::Display for Stress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items: Vec<String> = vec![];
        for (point, act) in &self.acts {
            let at = match point {
                Point::Line(n) => n.to_string(),
                Point::Begin(n) => format!("t{n}"),
            };
            items.push(match act {
                Act::Delay(n) => format!("{at}:d{n}"),
                Act::Flood(n, None) => format!("{at}:f{n}"),
                Act::Flood(n, Some(node)) => format!("{at}:f{n}@{node}"),
                Act::Stores(n) => format!("{at}:s{n}"),
                Act::Until(n) => format!("{at}:w{n}"),
            });
        }
        if self.random {
            items.push("random".into());
        }
        if self.traffic > 0 {
            items.push(format!("traffic:{}", self.traffic));
        }
        if self.loss > 0 {
            items.push(format!("loss:{}", self.loss));
        }
        items.extend(self.polling.map(|p| format!("poll:{}", word(&POLLING, p))));
        items.extend(self.place.map(|p| format!("place:{}", word(&PLACES, p))));
        write!(f, "{}", if items.is_empty() { "none".into() } else { items.join(",") })
    }
}

impl FromStr for Stress {
    type Err = String;

    fn from_str(text: &str) -> Result<Stress, String> {
        let mut stress = Stress::default();
        if text.len() > LENGTH {
            return Err(format!("a stress vector has at most {LENGTH} characters"));
        }
        for item in text.split(',').filter(|t| *t != "none" && !t.is_empty()) {
            read(item, &mut stress).ok_or_else(|| {
                format!(
                    "`{item}` is no item of a stress vector: these are LINE:dN, LINE:wN (N to {HALVES}), LINE:fN, LINE:fN@NODE and \
                     LINE:sN (to {FLOOD}), tTHREAD:dN, random, traffic:N (to {TRAFFIC}), loss:N (percent, to {LOSS}), poll:spin|yield|sleep, place:same|spread|nodes"
                )
            })?;
        }
        if stress.acts.len() > ACTS {
            return Err(format!("a stress vector has at most {ACTS} program points"));
        }
        Ok(stress)
    }
}

fn read(item: &str, stress: &mut Stress) -> Option<()> {
    if item == "random" {
        stress.random = true;
        return Some(());
    }
    let (at, what) = item.split_once(':')?;
    match at {
        "traffic" => stress.traffic = what.parse().ok().filter(|n| (1..=TRAFFIC).contains(n))?,
        "loss" => stress.loss = what.parse().ok().filter(|n| (1..=LOSS).contains(n))?,
        "poll" => stress.polling = Some(named(&POLLING, what)?),
        "place" => stress.place = Some(named(&PLACES, what)?),
        _ => {
            let point = match at.strip_prefix('t') {
                Some(thread) => Point::Begin(thread.parse().ok()?),
                None => Point::Line(at.parse().ok()?),
            };
            let (what, node) = match what.split_once('@') {
                Some((what, node)) if what.starts_with('f') => (what, Some(node.parse().ok().filter(|n| *n > 0)?)),
                _ => (what, None),
            };
            let amount = |most: u8| what.get(1..)?.parse().ok().filter(|n| *n <= most);
            let act = match what.chars().next()? {
                'd' => Act::Delay(amount(HALVES)?),
                'f' => Act::Flood(amount(FLOOD)?, node),
                's' => Act::Stores(amount(STORES)?),
                'w' => Act::Until(amount(HALVES)?),
                _ => return None,
            };
            stress.acts.push((point, act));
        }
    }
    Some(())
}

impl TryFrom<String> for Stress {
    type Error = String;

    fn try_from(text: String) -> Result<Stress, String> {
        text.parse()
    }
}

impl From<Stress> for String {
    fn from(stress: Stress) -> String {
        stress.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_prints_as_the_word_that_it_is_read_from() {
        for text in [
            "none",
            "random,place:nodes",
            "12:d2,t3:w8,7:f64,7:f4@2,8:s32,random,traffic:2,loss:5,poll:sleep,place:same",
        ] {
            assert_eq!(text.parse::<Stress>().map(|s| s.to_string()), Ok(text.to_owned()));
        }
        for bad in
            ["12:d9", "12:x1", "12:d1@2", "12:f1@0", "12:s65", "t:d1", "traffic:3", "loss:21", "poll:never", "often"]
        {
            assert!(bad.parse::<Stress>().is_err_and(|e| e.contains(bad)), "{bad}");
        }
    }
}
