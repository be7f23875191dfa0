//! Work requests and receives as programs post them.

use crate::layout::*;
use crate::region::Region;
use crate::rules::is_inline;

/// A request of a send ring, as it stands there.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) flags: u64,
    pub(crate) addr: u64,
    pub(crate) rkey: u64,
    pub(crate) imm: u64,
    /// Operands of an atomic operation.
    pub(crate) compare_add: u64,
    pub(crate) swap: u64,
    pub(crate) sges: Vec<(u64, u64, u64)>,
    pub(crate) inline: Vec<u8>,
    /// Of a window that is to be bound: its entry, the region's key, how many bytes, and the rights.
    pub(crate) bind: [u64; 4],
    /// The shared queue at the other end of an extended connection.
    pub(crate) srqn: u64,
    /// The group that a datagram goes to.
    pub(crate) group: [u64; 2],
    /// The routing header of a datagram that has one.
    pub(crate) route: Option<Box<[u8; HEADER as usize]>>,
}

/// A posted receive.
#[derive(Debug, Clone)]
pub(crate) struct Receive {
    pub(crate) id: u64,
    pub(crate) sges: Vec<(u64, u64, u64)>,
}

/// Where a queue pair's words begin.
pub(crate) fn qp_at(index: usize) -> usize {
    QPS + index * QP_WORDS
}

/// Where a shared queue's words begin.
pub(crate) fn srq_at(srq: usize) -> usize {
    SRQS + srq * SRQ_WORDS
}

/// The number that programs know a queue pair by.
pub(crate) fn qpn(number: usize, index: usize) -> u64 {
    ((number + 1) * QP_COUNT + index) as u64
}

/// The completion queue that a word of a queue pair names: that of its requests, or of its receives.
pub(crate) fn cq_of(region: &Region, index: usize, word: usize) -> usize {
    usize::try_from(region.get(qp_at(index) + word)).unwrap_or(0)
}

/// A routing header (InfiniBand vol. 1 §8.3): its first word and where it goes, as programs write them, and this port's address between.
fn header([first, there, rest]: [u64; 3]) -> [u8; HEADER as usize] {
    let words = [first, (GID_PREFIX as u64).to_be(), (GUID as u64).to_be(), there, rest];
    let mut bytes = [0; HEADER as usize];
    bytes.chunks_exact_mut(8).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
    bytes
}

/// How many entries a ring has: what its program says, as far as that can be.
fn ring(region: &Region, word: usize, most: usize) -> u64 {
    region.get(word).clamp(1, most as u64)
}

fn sges(region: &Region, at: usize, n: u64, most: usize) -> Vec<(u64, u64, u64)> {
    let n = usize::try_from(n).unwrap_or(0).min(most);
    (0..n).map(|i| at + 3 * i).map(|at| (region.get(at), region.get(at + 1), region.get(at + 2))).collect()
}

impl Request {
    pub(crate) fn read(region: &Region, index: usize, number: u64) -> Request {
        let at =
            qp_at(index) + QP_SEND_RING + (number % ring(region, qp_at(index) + QP_SENDS, SENDS)) as usize * WQE_WORDS;
        let word = |i: usize| region.get(at + i);
        let flags = word(WQE_FLAGS);
        let mut inline = vec![];
        if flags & SEND_INLINE != 0 {
            let len = (word(WQE_INLINE_LEN) as usize).min(INLINE);
            inline = (0..len.div_ceil(8)).flat_map(|i| word(WQE_INLINE + i).to_ne_bytes()).take(len).collect();
        }
        let route = word(WQE_ROUTE);
        let has_route = region.get(qp_at(index) + QP_TYPE) == DATAGRAMS && route != 0;
        Request {
            id: word(WQE_ID),
            opcode: word(WQE_OPCODE),
            flags,
            addr: word(WQE_ADDR),
            rkey: word(WQE_RKEY),
            imm: word(WQE_IMM),
            compare_add: word(WQE_COMPARE_ADD),
            swap: word(WQE_SWAP),
            sges: sges(region, at + WQE_SGE, word(WQE_NSGE), SGES),
            inline,
            srqn: word(WQE_SRQN),
            group: [word(WQE_GROUP), word(WQE_GROUP + 1)],
            route: has_route.then(|| Box::new(header([route, word(WQE_THERE), word(WQE_THERE + 1)]))),
            bind: [WQE_BIND_WINDOW, WQE_BIND_KEY, WQE_BIND_LEN, WQE_BIND_ACCESS].map(word),
        }
    }

    /// Bytes that it moves.
    pub(crate) fn len(&self) -> u64 {
        if is_inline(self.opcode, self.flags) {
            return self.inline.len() as u64;
        }
        self.sges.iter().map(|s| s.1).fold(0, u64::saturating_add)
    }

    /// Whether it is a datagram to all of a group.
    pub(crate) fn is_to_group(&self) -> bool {
        self.addr == MULTICAST as u64
    }

    /// Whether it reads, changes and writes.
    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self.opcode, WR_CMP_SWP | WR_FETCH_ADD)
    }

    /// Whether only a reliable connection has such requests.
    pub(crate) fn is_of_reliable(&self) -> bool {
        self.brings() || matches!(self.opcode, WR_SEND_INV | WR_ATOMIC_WRITE)
    }

    /// Whether it brings something: a read or an atomic operation.
    pub(crate) fn brings(&self) -> bool {
        self.opcode == WR_READ || self.is_atomic()
    }

    /// The right to the other side's memory that it needs.
    pub(crate) fn access(&self) -> u64 {
        match self.opcode {
            WR_READ => REMOTE_READ,
            _ if self.is_atomic() => REMOTE_ATOMIC,
            _ => REMOTE_WRITE,
        }
    }

    /// The opcode of its completion.
    pub(crate) fn completion(&self) -> u64 {
        match self.opcode {
            WR_READ => WC_READ,
            WR_CMP_SWP => WC_CMP_SWP,
            WR_FETCH_ADD => WC_FETCH_ADD,
            WR_SEND | WR_SEND_IMM | WR_SEND_INV => WC_SEND,
            WR_LOCAL_INV => WC_LOCAL_INV,
            WR_BIND => WC_BIND,
            WR_ATOMIC_WRITE => WC_ATOMIC_WRITE,
            _ => WC_WRITE,
        }
    }
}

/// Where receives are taken from: how many were posted and taken, and their ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receives {
    /// Whether queue pairs share it.
    pub(crate) is_shared: bool,
    posted: usize,
    taken: usize,
    /// The words that say how many are over, how many entries the ring has, and of which protection domain it is.
    retired: usize,
    size: usize,
    pd: usize,
    ring: usize,
}

impl Receives {
    /// Those of a queue pair: its own, or a queue that several share.
    pub(crate) fn of(region: &Region, index: usize) -> Receives {
        let at = qp_at(index);
        let shared = usize::try_from(region.get(at + QP_SRQ)).ok().and_then(|n| n.checked_sub(1));
        match shared {
            Some(n) => Receives::shared(n.min(SRQ_COUNT - 1)),
            None => {
                let [posted, taken, retired] = [QP_RPOSTED, QP_RTAKEN, QP_RRETIRED].map(|word| at + word);
                let [size, pd, ring] = [QP_RECVS, QP_PD, QP_RECV_RING].map(|word| at + word);
                Receives { is_shared: false, posted, taken, retired, size, pd, ring }
            }
        }
    }

    /// Those of a shared queue.
    pub(crate) fn shared(srq: usize) -> Receives {
        let at = srq_at(srq);
        let [posted, taken, retired] = [SRQ_POSTED, SRQ_TAKEN, SRQ_RETIRED].map(|word| at + word);
        let [size, pd, ring] = [SRQ_SIZE, SRQ_PD, SRQ_RING].map(|word| at + word);
        Receives { is_shared: true, posted, taken, retired, size, pd, ring }
    }

    /// The first, if there is one.
    pub(crate) fn first(&self, region: &Region) -> Option<Receive> {
        let next = region.get(self.taken);
        let at = self.ring + (next % ring(region, self.size, RECVS)) as usize * RECV_WORDS;
        (next < region.get(self.posted)).then(|| Receive {
            id: region.get(at + RECV_ID),
            sges: sges(region, at + RECV_SGE, region.get(at + RECV_NSGE), RECV_SGES),
        })
    }

    /// Takes it.
    pub(crate) fn take(&self, region: &Region) {
        region.set(self.taken, region.get(self.taken).wrapping_add(1));
    }

    /// The protection domain that its memory must be of.
    pub(crate) fn pd(&self, region: &Region) -> u64 {
        region.get(self.pd)
    }

    /// One is over: its entry is free. A program that shares the queue may have asked to hear when few are left.
    pub(crate) fn retire(&self, region: &Region) {
        let retired = region.get(self.retired).wrapping_add(1);
        region.set(self.retired, retired);
        let limit = if self.is_shared { region.get(self.ring - SRQ_RING + SRQ_LIMIT) } else { 0 };
        if limit > region.get(self.posted).wrapping_sub(retired) {
            region.set(self.ring - SRQ_RING + SRQ_LIMIT, 0);
            region.event(SRQ_LIMIT_REACHED, (self.ring - SRQ_RING - SRQS) / SRQ_WORDS);
        }
    }
}

/// The protection domain of a queue pair.
pub(crate) fn pd_of(region: &Region, index: usize) -> u64 {
    region.get(qp_at(index) + QP_PD)
}
