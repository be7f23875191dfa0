//! What stands where in a region, the memory that a program's front and the engine share: everything is a 64-bit
//! word, and both sides take the numbers from here. The front's header is generated from this list.

use std::fmt::Write as _;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: usize = $value;)*

        /// The C header with the same numbers.
        pub(crate) fn header() -> String {
            let mut out = String::from("/* Generated from the engine's own list. */\n");
            $(let _ = writeln!(out, "#define NIC_{} {}", stringify!($name), $name);)*
            out
        }
    };
}

words! {
    /// Most regions: contexts of all programs.
    REGIONS = 1024;
    /// The local identifier of the only port.
    LID = 1;
    /// Bytes of the longest datagram.
    MTU = 4096;
    // The head of a region.
    PID = 0;
    CLOSED = 1;
    /// Counts queue pairs that were made.
    GENERATION = 2;
    /// Whether the context is a node of its own; else it is of one device with the others of its process.
    ALONE = 3;
    /// Whether the link is down.
    PORT_DOWN = 4;
    MRS = 16;
    MR_COUNT = 4096;
    MR_WORDS = 16;
    /// Which registration this is, from 1; 0 when there is none.
    MR_VALID = 0;
    MR_ADDR = 1;
    MR_IOVA = 2;
    MR_LEN = 3;
    MR_ACCESS = 4;
    /// The process's descriptor of the file that the memory is mapped from, from 1, where in it, and its inode.
    MR_FILE = 5;
    MR_OFFSET = 6;
    MR_INODE = 7;
    /// The protection domain, by its number.
    MR_PD = 8;
    /// What an entry is of, 0 if it is free; its present key.
    MR_KIND = 9;
    IS_REGION = 1;
    IS_WINDOW_1 = 2;
    IS_WINDOW_2 = 3;
    MR_KEY = 10;
    /// Of a window: the region that it is bound to, which registration that was, and the queue pair that one of the second type is for.
    MR_OF = 11;
    MR_OF_VALID = 12;
    MR_QPN = 13;
    CQS = MRS + MR_COUNT * MR_WORDS;
    CQ_COUNT = 256;
    CQ_ALIVE = 0;
    CQ_PRODUCED = 1;
    CQ_CONSUMED = 2;
    /// The channel that events go to, from 1, and whether one is asked for.
    CQ_CHANNEL = 3;
    CQ_ARMED = 4;
    ARMED = 1;
    /// Only a solicited completion, or one with an error, is told of.
    ARMED_SOLICITED = 2;
    /// Completions that it has room for; whether there were more, from when on it takes none.
    CQ_ROOM = 5;
    CQ_OVERRUN = 6;
    CQ_RING = 8;
    CQES = 32768;
    CQE_WORDS = 8;
    CQE_ID = 0;
    CQE_STATUS = 1;
    CQE_OPCODE = 2;
    CQE_LEN = 3;
    CQE_IMM = 4;
    CQE_FLAGS = 5;
    CQE_QPN = 6;
    /// Of a datagram: the queue pair that it came from.
    CQE_SOURCE = 7;
    CQ_WORDS = CQ_RING + CQES * CQE_WORDS;
    QPS = CQS + CQ_COUNT * CQ_WORDS;
    QP_COUNT = 256;
    /// The generation that the queue pair is of; 0 when there is none.
    QP_ALIVE = 0;
    QP_STATE = 1;
    QP_DEST = 2;
    QP_ACCESS = 3;
    QP_SEND_CQ = 4;
    QP_RECV_CQ = 5;
    /// Work requests posted by the program, taken by the engine, done with all that they do.
    QP_POSTED = 6;
    QP_TAKEN = 7;
    QP_DONE = 8;
    /// The program waits for all to be done.
    QP_URGENT = 9;
    QP_RPOSTED = 10;
    QP_RTAKEN = 11;
    /// The shared queue that receives are taken from, from 1.
    QP_SRQ = 12;
    /// `IBV_QPT_*`; the key of its datagrams.
    QP_TYPE = 13;
    QP_QKEY = 14;
    /// What the queue pair has come to, of what a program waits for: `IBV_QPS_ERR`; that no step of it is left, by its generation.
    QP_REACHED = 15;
    STILL = 100;
    /// How often a message is sent again that finds no receive.
    QP_RNR_RETRY = 16;
    /// The protection domain, by its number.
    QP_PD = 17;
    /// Entries of its rings.
    QP_SENDS = 18;
    QP_RECVS = 19;
    /// Requests that are over: their entries of the ring are free.
    QP_RETIRED = 20;
    /// Nanoseconds until a request that is not answered is sent again, 0 if it never is; how often it is; nanoseconds that a message is
    /// held back that finds no receive here.
    QP_ANSWER_TIME = 21;
    QP_RETRY = 22;
    QP_RNR_TIME = 23;
    /// Receives that are over.
    QP_RRETIRED = 24;
    /// The domain whose shared queues its requests may name, if it answers an extended connection.
    QP_XRCD = 25;
    /// The state that the program wants it to be in, `IBV_QPS_SQD` or `IBV_QPS_RTS`, until it is or cannot be; whether what had begun is
    /// still going on in `IBV_QPS_SQD`, and whether an event tells of its end.
    QP_WANTED = 26;
    QP_DRAINING = 27;
    QP_TELLS = 28;
    /// The groups whose datagrams it receives, of two words each; an entry of nothing is free.
    QP_GROUPS = 32;
    GROUPS = 8;
    QP_HEAD = 64;
    /// Reads and atomic operations that may be outstanding.
    RD_ATOMICS = 16;
    /// Addresses that the port's table has room for; the first is this one.
    GIDS = 8;
    GID_PREFIX = 0xfe80_0000_0000_0000;
    GUID = 0x0200_6c69_746d_7069;
    SENDS = 8192;
    WQE_WORDS = 72;
    QP_SEND_RING = QP_HEAD;
    SGES = 8;
    /// Of a receive.
    RECV_SGES = 4;
    WQE_ID = 0;
    WQE_OPCODE = 1;
    WQE_FLAGS = 2;
    /// Of a datagram: the queue pair that it goes to, and its key.
    WQE_ADDR = 3;
    WQE_RKEY = 4;
    WQE_IMM = 5;
    WQE_NSGE = 6;
    WQE_INLINE_LEN = 7;
    /// Address, length and key of each.
    WQE_SGE = 8;
    /// Of a window that is bound: its entry, the region's key, how many bytes, and the rights.
    WQE_BIND_WINDOW = 8;
    WQE_BIND_KEY = 9;
    WQE_BIND_LEN = 10;
    WQE_BIND_ACCESS = 11;
    /// Operands of an atomic operation: what is added or compared, what is swapped in.
    WQE_COMPARE_ADD = 32;
    WQE_SWAP = 33;
    /// The shared queue at the other end of an extended connection, by its number.
    WQE_SRQN = 34;
    /// The group that a datagram goes to, if it goes to `MULTICAST`; and the address that its routing header has.
    WQE_GROUP = 35;
    /// The first word of its routing header; 0 if it has none.
    WQE_ROUTE = 37;
    WQE_THERE = 38;
    MULTICAST = 16777215;
    WQE_INLINE = 40;
    /// Bytes.
    INLINE = 256;
    RECVS = 8192;
    RECV_WORDS = 16;
    QP_RECV_RING = QP_SEND_RING + SENDS * WQE_WORDS;
    RECV_ID = 0;
    RECV_NSGE = 1;
    RECV_SGE = 2;
    QP_WORDS = QP_RECV_RING + RECVS * RECV_WORDS;
    SRQS = QPS + QP_COUNT * QP_WORDS;
    SRQ_COUNT = 64;
    SRQ_ALIVE = 0;
    SRQ_POSTED = 1;
    SRQ_TAKEN = 2;
    SRQ_PD = 3;
    /// Entries of its ring; receives below which an event is told, 0 if none is asked for.
    SRQ_SIZE = 4;
    SRQ_LIMIT = 5;
    SRQ_RETIRED = 6;
    /// Of a queue for extended connections: its domain, 0 if it is for others, and the queue of its completions.
    SRQ_XRCD = 7;
    SRQ_CQ = 8;
    SRQ_RING = 16;
    SRQ_WORDS = SRQ_RING + RECVS * RECV_WORDS;
    WORDS = SRQS + SRQ_COUNT * SRQ_WORDS;
}

// Numbers of verbs.h that the engine answers to.

/// `IBV_QPS_*`
pub(crate) const RESET: u64 = 0;
pub(crate) const RTR: u64 = 2;
pub(crate) const RTS: u64 = 3;
pub(crate) const SQD: u64 = 4;
pub(crate) const SQE: u64 = 5;
pub(crate) const ERR: u64 = 6;
/// `IBV_QPT_UC`, `IBV_QPT_UD`, `IBV_QPT_XRC_SEND`
pub(crate) const UNRELIABLE: u64 = 3;
pub(crate) const DATAGRAMS: u64 = 4;
pub(crate) const EXTENDED: u64 = 9;
/// Bytes before the data of a datagram that a receiver keeps for a routing header.
pub(crate) const HEADER: u64 = 40;
/// `IBV_WR_*`
pub(crate) const WR_WRITE_IMM: u64 = 1;
pub(crate) const WR_SEND: u64 = 2;
pub(crate) const WR_SEND_IMM: u64 = 3;
pub(crate) const WR_READ: u64 = 4;
pub(crate) const WR_CMP_SWP: u64 = 5;
pub(crate) const WR_FETCH_ADD: u64 = 6;
pub(crate) const WR_LOCAL_INV: u64 = 7;
pub(crate) const WR_BIND: u64 = 8;
pub(crate) const WR_SEND_INV: u64 = 9;
pub(crate) const WR_ATOMIC_WRITE: u64 = 15;
/// `IBV_SEND_*`
pub(crate) const FENCE: u64 = 1;
pub(crate) const SIGNALED: u64 = 2;
pub(crate) const SOLICITED: u64 = 4;
pub(crate) const SEND_INLINE: u64 = 8;
/// `IBV_ACCESS_*`
pub(crate) const LOCAL_WRITE: u64 = 1;
pub(crate) const REMOTE_WRITE: u64 = 2;
pub(crate) const REMOTE_READ: u64 = 4;
pub(crate) const REMOTE_ATOMIC: u64 = 8;
pub(crate) const MW_BIND: u64 = 16;
pub(crate) const ZERO_BASED: u64 = 32;
/// `IBV_WC_*`: opcodes and flags of completions.
pub(crate) const WC_SEND: u64 = 0;
pub(crate) const WC_WRITE: u64 = 1;
pub(crate) const WC_READ: u64 = 2;
pub(crate) const WC_CMP_SWP: u64 = 3;
pub(crate) const WC_FETCH_ADD: u64 = 4;
pub(crate) const WC_BIND: u64 = 5;
pub(crate) const WC_LOCAL_INV: u64 = 6;
pub(crate) const WC_ATOMIC_WRITE: u64 = 9;
pub(crate) const WC_RECV: u64 = 128;
pub(crate) const WC_RECV_IMM: u64 = 129;
pub(crate) const WC_GRH: u64 = 1;
pub(crate) const WC_WITH_IMM: u64 = 2;
pub(crate) const WC_WITH_INV: u64 = 8;
/// `IBV_WC_*`: statuses.
pub(crate) const OK: u64 = 0;
pub(crate) const LOC_LEN_ERR: u64 = 1;
pub(crate) const LOC_QP_OP_ERR: u64 = 2;
pub(crate) const LOC_PROT_ERR: u64 = 4;
pub(crate) const WR_FLUSH_ERR: u64 = 5;
pub(crate) const MW_BIND_ERR: u64 = 6;
pub(crate) const REM_INV_REQ_ERR: u64 = 9;
pub(crate) const REM_ACCESS_ERR: u64 = 10;
pub(crate) const REM_OP_ERR: u64 = 11;
pub(crate) const RETRY_EXC_ERR: u64 = 12;
pub(crate) const RNR_RETRY_EXC_ERR: u64 = 13;
/// `IBV_EVENT_*`
pub(crate) const CQ_ERR: u64 = 0;
pub(crate) const QP_FATAL: u64 = 1;
pub(crate) const QP_REQ_ERR: u64 = 2;
pub(crate) const QP_ACCESS_ERR: u64 = 3;
pub(crate) const SQ_DRAINED: u64 = 5;
pub(crate) const PORT_ACTIVE: u64 = 9;
pub(crate) const PORT_ERR: u64 = 10;
pub(crate) const SRQ_LIMIT_REACHED: u64 = 15;
