//! The specifications that come with litmpi, as part of the program.

macro_rules! shipped {
    ($(#[$doc:meta])* $files:ident: $($name:literal),* $(,)?) => {
        $(#[$doc])*
        pub const $files: [(&str, &str); [$($name),*].len()] = [$(($name, include_str!(concat!("../", $name)))),*];
    };
}

shipped!(
    /// Name under `spec/` and text of every shipped file of rules.
    FILES:
    "bind/c/cpu.spec",
    "bind/c/generalised.spec",
    "bind/c/layouts.spec",
    "bind/c/mpi.spec",
    "bind/c/rdma.spec",
    "bind/c/verbs.spec",
    "bind/rust/cpu.spec",
    "bind/rust/layouts.spec",
    "bind/rust/mpi.spec",
    "bind/rust/rdma.spec",
    "bind/rust/verbs.spec",
    "claims/local.spec",
    "claims/mpi-rdma.spec",
    "claims/mpi.spec",
    "claims/rdma-tso-simplified.spec",
    "claims/rdma-tso.spec",
    "claims/tso.spec",
    "claims/verbs.spec",
    "cpu/kinds.spec",
    "cpu/memory.spec",
    "rdma/program.spec",
    "rdma/core-rma.spec",
    "rdma/events.spec",
    "cpu/instructions.spec",
    "cpu/events.spec",
    "cpu/store-buffer.spec",
    "cpu/tso.spec",
    "cpu/sc.spec",
    "rdma/cpu.spec",
    "rdma/write-back.spec",
    "rdma/wires.spec",
    "rdma/simplified.spec",
    "rdma/tso.spec",
    "rdma/wait.spec",
    "rdma/wait-simplified.spec",
    "rdma/wait-concrete.spec",
    "verbs/instructions.spec",
    "verbs/queue-pairs.spec",
    "verbs/messages.spec",
    "verbs/datagrams.spec",
    "verbs/unreliable.spec",
    "verbs/windows.spec",
    "verbs/verbs.spec",
    "mpi/kinds.spec",
    "mpi/datatypes.spec",
    "mpi/state.spec",
    "mpi/local.spec",
    "mpi/completion.spec",
    "mpi/checks.spec",
    "mpi/point-to-point.spec",
    "mpi/probe.spec",
    "mpi/moments.spec",
    "mpi/processes.spec",
    "mpi/requests.spec",
    "mpi/generalised.spec",
    "mpi/collective.spec",
    "mpi/exchange.spec",
    "mpi/reduction.spec",
    "mpi/communicators.spec",
    "mpi/groups.spec",
    "mpi/derived.spec",
    "mpi/layouts.spec",
    "mpi/alltoallw.spec",
    "mpi/environment.spec",
    "mpi/topology.spec",
    "mpi/graphs.spec",
    "mpi/neighbours.spec",
    "mpi/errors.spec",
    "mpi/attributes.spec",
    "mpi/intercommunicators.spec",
    "mpi/rma-state.spec",
    "mpi/windows.spec",
    "mpi/rma.spec",
    "mpi/rma-active.spec",
    "mpi/rma-passive.spec",
    "mpi/memory.spec",
    "mpi/promises.spec",
    "mpi/refusals.spec",
    "mpi/mpi.spec",
    "loco/shared-variable.spec",
    "loco/barrier.spec",
    "loco/ring-buffer.spec",
    "loco/mixed-size.spec",
    "loco/wide.spec",
    "loco/team.spec",
    "loco/loco.spec",
    "loco/shared-variable-by-puts.spec",
    "loco/barrier-by-variables.spec",
    "loco/ring-buffer-by-variables.spec",
    "loco/mixed-size-by-hash.spec",
    "loco/wide-ring-by-variables.spec",
    "loco/wide-by-hash.spec",
    "loco/team-by-puts.spec",
    "mpi-rdma/engine.spec",
    "mpi-rdma/messages.spec",
    "mpi-rdma/rendezvous.spec",
    "mpi-rdma/receives.spec",
    "mpi-rdma/collectives.spec",
    "mpi-rdma/one-sided.spec",
    "mpi-rdma/windows.spec",
    "mpi-rdma/epochs.spec",
    "mpi-rdma/mpi-rdma.spec",
);

shipped!(
    /// Name under `spec/` and text of every shipped declarative model, and of the parts that they include.
    CAT_FILES:
    "cat/stdlib.cat",
    "cat/cos.cat",
    "cat/filters.cat",
    "cat/x86fences.cat",
    "rdma/rdma-base.cat",
    "rdma/rdma-nfo.cat",
    "rdma/rdma-rmw.cat",
    "rdma/rdma-tso-robust.cat",
    "rdma/rdma-sc.cat",
    "rdma/rdma-sc-no-pcie.cat",
    "rdma/rdma-sc-orders.cat",
    "rdma/rdma-wait.cat",
    "rdma/core-rma.cat",
    "rdma/core-rma-unordered.cat",
    "rdma/core-rma-vpi.cat",
    "rdma/core-rma-events.cat",
    "rdma/core-rma-rules.cat",
    "rdma/rdma-tso.cat",
    "rdma/rdma-tso-no-pcie.cat",
    "rdma/rdma-tso-relaxed-ordering.cat",
    "rdma/rdma-tso-gpu-memory.cat",
    "rdma/rdma-tso-orders.cat",
    "rdma/rdma-tso-checks.cat",
    "rdma/tso.cat",
    "rdma/sc.cat",
    "rdma/sc-order.cat",
    "rdma/rdma-sc-pcie.cat",
    "rdma/rdma-tso-pcie.cat",
    "rdma/weak.cat",
    "rdma/robust-gb.cat",
    "rdma/robust-public.cat",
    "rdma/robust-topology.cat",
    "rdma/robust-fenced.cat",
    "rdma/robust-tree.cat",
    "rdma/guaranteed-sc.cat",
    "rdma/guaranteed-tso.cat",
    "rdma/ldrf.cat",
    "rdma/fenced-sc.cat",
    "rdma/fenced-tso.cat",
    "rdma/tree-fenced-sc.cat",
    "rdma/tree-fenced-tso.cat",
    "loco/loco-base.cat",
    "loco/loco.cat",
    "loco/loco-weak-ring.cat",
);

macro_rules! beside {
    ($(#[$doc:meta])* $files:ident: $($name:literal),* $(,)?) => {
        $(#[$doc])*
        pub const $files: [(&str, &str); [$($name),*].len()] =
            [$((concat!("spec/", $name), include_str!(concat!("../", $name)))),*];
    };
}

beside!(
    /// The laws that ship, by the names of the files and their texts.
    LAWS:
    "mpi/mpi.laws",
    "mpi/completes-before.laws",
    "mpi/one-sided.laws",
);

beside!(
    /// The clauses of the MPI standard that ship, a file a chapter: its name and its text.
    CLAUSES:
    "mpi/clauses/point-to-point.toml",
    "mpi/clauses/datatypes.toml",
    "mpi/clauses/collectives.toml",
    "mpi/clauses/communicators.toml",
    "mpi/clauses/topologies.toml",
    "mpi/clauses/environment.toml",
    "mpi/clauses/one-sided.toml",
);

/// By what class of error a call tells of what is wrong with it, in the words of the rules.
pub const CLASSES: &str = include_str!("../mpi/classes.toml");

/// The shipped declarative models: the file, and the model and variant whose verdicts hold for it.
pub const CAT_MODELS: &[(&str, &str, &str)] = &[
    ("rdma-tso.cat", "rdma-tso", "default"),
    ("rdma-tso-no-pcie.cat", "rdma-tso", "no-pcie"),
    ("rdma-tso-relaxed-ordering.cat", "rdma-tso", "relaxed-ordering"),
    ("rdma-tso-gpu-memory.cat", "rdma-tso", "gpu-memory"),
    ("rdma-tso-robust.cat", "rdma-tso", "default"),
    ("rdma-sc.cat", "rdma-sc", "default"),
    ("rdma-sc-no-pcie.cat", "rdma-sc", "no-pcie"),
    ("rdma-wait.cat", "rdma-wait", "default"),
    ("core-rma.cat", "core-rma", "default"),
    ("core-rma-unordered.cat", "core-rma", "unordered"),
    ("core-rma-vpi.cat", "core-rma", "vpi"),
    ("tso.cat", "tso", "default"),
    ("sc.cat", "sc", "default"),
    ("loco.cat", "loco", "default"),
    ("loco-weak-ring.cat", "loco", "weak-ring"),
];

/// The shipped declarative models whose programs are not those of `rdma-tso`: the file, and the model that declares what
/// they are made of.
pub const CAT_PROGRAMS: &[(&str, &str)] = &[
    ("loco.cat", "loco"),
    ("loco-weak-ring.cat", "loco"),
    ("core-rma.cat", "core-rma"),
    ("core-rma-unordered.cat", "core-rma"),
    ("core-rma-vpi.cat", "core-rma"),
];

/// The shipped files whose includers are for such programs, whoever wrote them.
pub const CAT_BASES: &[(&str, &str)] = &[("loco-base.cat", "loco"), ("core-rma-events.cat", "core-rma")];

/// The shipped conditions under which programs are robust: the condition, its file, and the model under which programs then
/// are, if they fulfil all that its file says is needed.
pub const CAT_CONDITIONS: &[(&str, &str, &str)] = &[
    ("guaranteed", "guaranteed-sc.cat", "rdma-sc"),
    ("ldrf", "ldrf.cat", "rdma-sc"),
    ("fenced", "fenced-sc.cat", "rdma-sc"),
    ("tree-fenced", "tree-fenced-sc.cat", "rdma-sc"),
    ("guaranteed", "guaranteed-tso.cat", "rdma-tso"),
    ("ldrf", "ldrf.cat", "rdma-tso"),
    ("fenced", "fenced-tso.cat", "rdma-tso"),
    ("tree-fenced", "tree-fenced-tso.cat", "rdma-tso"),
];

/// The shipped models and the file of each.
pub const MODELS: &[(&str, &str)] = &[
    ("rdma-tso-simplified", "rdma/simplified.spec"),
    ("rdma-tso", "rdma/tso.spec"),
    ("rdma-wait-simplified", "rdma/wait-simplified.spec"),
    ("rdma-wait", "rdma/wait-concrete.spec"),
    ("core-rma", "rdma/core-rma.spec"),
    ("verbs", "verbs/verbs.spec"),
    ("mpi", "mpi/mpi.spec"),
    ("mpi-rdma", "mpi-rdma/mpi-rdma.spec"),
    ("tso", "cpu/tso.spec"),
    ("sc", "cpu/sc.spec"),
    ("loco", "loco/loco.spec"),
    ("loco-shared-variable", "loco/shared-variable-by-puts.spec"),
    ("loco-barrier", "loco/barrier-by-variables.spec"),
    ("loco-ring-buffer", "loco/ring-buffer-by-variables.spec"),
    ("loco-mixed-size", "loco/mixed-size-by-hash.spec"),
    ("loco-wide-ring", "loco/wide-ring-by-variables.spec"),
    ("loco-wide", "loco/wide-by-hash.spec"),
    ("puts-team", "loco/team-by-puts.spec"),
];

/// Names of the shipped models.
pub fn names() -> Vec<&'static str> {
    MODELS.iter().map(|(name, _)| *name).collect()
}
