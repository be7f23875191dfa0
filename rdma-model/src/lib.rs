//! What is of RDMA: which models of RDMA programs ship, programs from critical cycles ([`cycles`]), random ones ([`generate`], [`spread`]), and every small one ([`shapes`]).
//!
//! The rules are in `spec/rdma`; nothing of them is said here.

pub mod cycles;
pub mod generate;
pub mod pivots;
pub mod shaped;
pub mod shapes;
pub mod spread;

/// The models of RDMA programs that ship as rules, the first one the default. Those of relations are
/// [`litmpi_spec::shipped::CAT_MODELS`].
pub const MODELS: &[&str] = &["rdma-tso-simplified", "rdma-tso"];

/// The models of RDMA programs with work identifiers that ship as rules.
pub const WAIT_MODELS: &[&str] = &["rdma-wait-simplified", "rdma-wait"];

/// The models of programs of libibverbs with messages, errors and datagrams that ship.
pub const VERBS_MODELS: &[&str] = &["verbs"];

/// The models of programs without remote operations that ship, the first one the default.
pub const CPU_MODELS: &[&str] = &["tso", "sc"];

/// LOCO: what its programs are made of, and its libraries as layers over RDMA^WAIT.
pub const LOCO: &[&str] = &[
    "loco",
    "loco-shared-variable",
    "loco-barrier",
    "loco-ring-buffer",
    "loco-mixed-size",
    "loco-wide-ring",
    "loco-wide",
    "puts-team",
];
