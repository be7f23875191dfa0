//! Whether two processes of a rank will do the same from here on, as far as they are told the same.
//!
//! A process that waits in a call goes on by what is in its memory and in its registers, and by what the kernel keeps for it. Its registers
//! stand on its stack while it waits (`call` in `verify/c/library.c`), so a digest of all memory that it can write, of where what it
//! cannot write lies, of which files are open and of its signals says it all. Left out are what is below the stack, what of the MPI library is of
//! one copy alone, what the kernel notes of the processor that it runs on, and, where nobody asks what is printed, the text
//! that waits in the buffers of standard output and error: a program that looks at its own buffers is not followed.
//!
//! Of programs with threads, or with more memory than is compared, there is no digest.

use crate::rank::Process;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use std::fmt::Write as _;
use std::fs::{read_link, read_to_string};
use std::io::IoSliceMut;
use std::ops::Range;
use twox_hash::XxHash3_128;

/// Bytes of memory that are compared at most: more takes longer than to follow both processes.
const MOST: u64 = 8 << 20;
/// The same of a process that goes one way, which is compared with itself, and seldom.
const MOST_OF_ONE: u64 = 64 << 20;
/// Words at the beginning of what the library says of its own memory (`own` in `verify/c/library.c`).
const HEAD: usize = 8;
/// Stretches that one system call reads.
const STRETCHES: usize = 1000;

impl Process {
    /// A digest of everything that what it does next depends on, while it waits in a call; none if that cannot be said, or is too much.
    /// `goes_one_way` says whether the process is one of those that go one way.
    pub(crate) fn digest(&self, goes_one_way: bool) -> Option<u128> {
        if self.own.is_empty() || !self.is_alone() {
            return None;
        }
        let head = self.words(self.own.start, HEAD);
        let [stack, kernel, kernel_bytes, out, out_bytes, err, err_bytes, line] = head[..] else { return None };
        let mut aside = vec![self.own.clone(), self.blocks.clone(), kernel..kernel + kernel_bytes];
        if self.prints.is_none() {
            aside.extend([out..out + out_bytes, err..err + err_bytes]);
        }
        let mut known = String::new();
        let most = if goes_one_way { MOST_OF_ONE } else { MOST };
        let memory = self.writable(stack, aside, most, &mut known)?;
        self.kept_by_the_kernel(line, &mut known)?;
        let mut bytes = self.bytes(&memory)?;
        bytes.extend_from_slice(known.as_bytes());
        bytes.extend_from_slice(self.printed().unwrap_or_default().as_bytes());
        Some(XxHash3_128::oneshot(&bytes))
    }

    /// The memory that it can write, without what is left out; all that there is, as the kernel describes it, is added to `known`.
    fn writable(
        &self,
        stack: u64,
        mut aside: Vec<Range<u64>>,
        most: u64,
        known: &mut String,
    ) -> Option<Vec<Range<u64>>> {
        let maps = read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        let mut all = vec![];
        for line in maps.lines() {
            let (place, rest) = line.split_once(' ')?;
            let (from, to) = place.split_once('-')?;
            let (from, to) = (u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?);
            if (from..to).contains(&stack) {
                // How far a stack has grown says nothing of what is on it.
                aside.push(from..stack);
            } else {
                let _ = writeln!(known, "{line}");
            }
            if rest.as_bytes().get(1) == Some(&b'w') {
                all.push(from..to);
            }
        }
        let all = without(all, aside);
        (all.iter().map(|r| r.end - r.start).sum::<u64>() <= most).then_some(all)
    }

    /// What is open: the place in a file is the same for all copies of a process. Which signals are caught, ignored, or held back.
    fn kept_by_the_kernel(&self, line: u64, known: &mut String) -> Option<()> {
        let of = |what: &str| format!("/proc/{}/{what}", self.pid);
        let status = read_to_string(of("status")).ok()?;
        known.extend(status.lines().filter(|l| ["SigBlk", "SigIgn", "SigCgt"].iter().any(|s| l.starts_with(s))));
        let mut open: Vec<u64> = std::fs::read_dir(of("fd"))
            .ok()?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|fd| *fd != line)
            .collect();
        open.sort_unstable();
        for fd in open {
            let to = read_link(of(&format!("fd/{fd}"))).ok()?;
            if self.prints.as_ref() == Some(&to) {
                continue;
            }
            let _ = writeln!(known, "{fd} {}", to.display());
        }
        let _ = writeln!(known, "{}", read_link(of("cwd")).ok()?.display());
        Some(())
    }

    /// What stands in stretches of memory, one behind the other.
    fn bytes(&self, stretches: &[Range<u64>]) -> Option<Vec<u8>> {
        let length = |all: &[Range<u64>]| all.iter().map(|r| (r.end - r.start) as usize).sum::<usize>();
        let mut bytes = vec![0; length(stretches)];
        let mut rest = &mut bytes[..];
        for part in stretches.chunks(STRETCHES) {
            let (to, behind) = rest.split_at_mut(length(part));
            let from: Vec<RemoteIoVec> =
                part.iter().map(|r| RemoteIoVec { base: r.start as usize, len: (r.end - r.start) as usize }).collect();
            let wanted = to.len();
            (process_vm_readv(self.pid, &mut [IoSliceMut::new(to)], &from) == Ok(wanted)).then_some(())?;
            rest = behind;
        }
        Some(bytes)
    }
}

/// What is left of stretches, in order, when others are taken out of them.
fn without(stretches: Vec<Range<u64>>, mut out: Vec<Range<u64>>) -> Vec<Range<u64>> {
    out.sort_unstable_by_key(|r| r.start);
    let mut left = vec![];
    for Range { mut start, end } in stretches {
        for gap in out.iter().filter(|gap| !gap.is_empty()) {
            left.push(start..gap.start.min(end));
            start = start.max(gap.end);
        }
        left.push(start..end);
    }
    left.retain(|r| !r.is_empty());
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_may_lie_anywhere() {
        assert_eq!(without(vec![0..10, 20..30], vec![25..26, 8..22, 29..40, 3..3]), [0..8, 22..25, 26..29]);
        assert_eq!(without(vec![5..9, 11..12, 15..20], vec![0..10, 14..16]), [11..12, 16..20]);
        assert_eq!(without(vec![5..9, 11..12], vec![]), [5..9, 11..12]);
    }
}
