//! The corpus that fuzzing has found, and mutations of it: whatever reads input of others comes back.

use crate::command::root;
use litmpi_tests::fuzz::{Reader, TARGETS};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long mutations of each corpus are tried; the corpus itself is replayed whole.
const MUTATED_FOR: Duration = Duration::from_secs(2);

/// Inputs of a target, by their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder of inputs").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has inputs", folder.display());
    let read = |path: &PathBuf| (path.display().to_string(), std::fs::read(path).expect("it can be read"));
    files.iter().map(read).collect()
}

/// Puts an input to a function; the input is shown if that panics.
fn put(target: &str, run: Reader, name: &str, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| run(input))).is_err() {
        panic!("{target} panics on {name}:\n{:?}\n{}", String::from_utf8_lossy(input), String::from_utf8_lossy(input));
    }
}

/// Numbers from a seed (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).expect("it is below a length")
    }

    /// A stretch of some bytes, mostly a short one.
    fn stretch(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(bytes.len() + 1);
        let most = if self.below(4) == 0 { bytes.len() } else { 12 };
        from..(from + self.below(most)).min(bytes.len())
    }
}

/// What grammars trip over.
const WORDS: &[&str] = &[
    "-2147483648",
    "99999999999999999999",
    "\u{0}",
    "\u{1b}[2J",
    "é",
    "\"",
    "\\",
    "--",
    "(*",
    "{",
    "}",
    "((",
    "]",
    "0",
    "-1",
    " = ",
    ";",
    "\n",
    "..",
    "@",
    "~",
    "!",
    "·",
    "α",
    "=>",
    "torn",
    "NaN",
    "1e999",
    "\r",
];

/// One input made of others.
fn mutate(rng: &mut Rng, all: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = all[rng.below(all.len())].1.clone();
    for _ in 0..=rng.below(4) {
        let at = rng.stretch(&out);
        match rng.below(6) {
            0 => drop(out.drain(at)),
            1 => {
                let piece = out[at.clone()].to_vec();
                out.splice(at.start..at.start, piece.repeat(1 + rng.below(40)));
            }
            2 => {
                let other = &all[rng.below(all.len())].1;
                let piece = rng.stretch(other);
                out.splice(at, other[piece].iter().copied());
            }
            3 => drop(out.splice(at, WORDS[rng.below(WORDS.len())].bytes())),
            4 if !out.is_empty() => {
                let i = rng.below(out.len());
                out[i] ^= 1 << rng.below(8);
            }
            _ => {
                let (from, to) = (rng.stretch(&out), rng.below(out.len() + 1));
                let piece = out[from].to_vec();
                out.splice(to..to, piece);
            }
        }
    }
    out
}

/// Replays the corpus of a target and tries mutations of it.
fn come_back(target: &str) {
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let all = corpus(target);
    all.iter().for_each(|(name, input)| put(target, *run, name, input));
    let (mut rng, begun, mut tried) = (Rng(0x9e37_79b9_7f4a_7c15), Instant::now(), 0);
    while tried < 20 || begun.elapsed() < MUTATED_FOR {
        tried += 1;
        put(target, *run, &format!("mutation {tried}"), &mutate(&mut rng, &all));
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            come_back(stringify!($name));
        })*

        #[test]
        fn every_target_is_tried() {
            let tried = [$(stringify!($name)),*];
            let all: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(all, tried);
            for name in all {
                assert!(root().join(format!("fuzz/fuzz_targets/{name}.rs")).exists(), "{name} is driven by coverage, too");
            }
        }
    };
}

targets! { litmus spec cat laws log results targets stress harness }
