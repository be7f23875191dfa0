//! Machines that herd has models for and litmpi has no programs for, and the names that herd gives their programs' events.
//!
//! A model that names such a machine as its own is refused for that, as herd refuses it with a program of another machine; a name of
//! such a machine's events is told as what it is, not as one that nobody knows. The names are those of herdtools7 (`lib/archs.ml`, and
//! the sets of events in `herd/machAction.ml` and in the files `herd/*Arch_herd.ml`).

/// Machines by the names that models begin with; those of X86 and X86_64 are run.
const MACHINES: [&str; 14] =
    ["AArch32", "AArch64", "ARM", "ASL", "BPF", "Bell", "C", "CPP", "GPU_PTX", "JAVA", "LISA", "MIPS", "PPC", "RISCV"];

/// Names of events, by whose programs have them.
const EVENTS: [(&str, &[&str]); 6] = [
    (
        "Arm",
        &[
            "DMB",
            "DSB",
            "ISB",
            "IC",
            "DC",
            "DC.CVAU",
            "IF",
            "INSTR",
            "Imp",
            "Instr",
            "INTID",
            "GIC",
            "GICR",
            "L",
            "NoRet",
            "Q",
            "SVC",
            "Tag",
            "TagCheck",
            "TTD",
            "PTE",
            "PTEV",
            "PTEINV",
            "same-tag-loc",
        ],
    ),
    ("C", &["ACQ", "ACQ_REL", "CON", "LK", "LS", "NA", "REL", "RLX", "RMW", "SC", "UL"]),
    (
        "the Linux kernel",
        &[
            "Acquire",
            "After_atomic",
            "Before_atomic",
            "LF",
            "LKR",
            "Mb",
            "Noreturn",
            "Rb_dep",
            "Rcu_read_lock",
            "Rcu_read_unlock",
            "Release",
            "Rmb",
            "Sync",
            "Wmb",
            "crit",
        ],
    ),
    ("Power and MIPS", &["EIEIO", "EX", "ISYNC", "LWSYNC", "SYNC"]),
    ("RISC-V", &["Acq", "AcqRel", "Rel", "Sc"]),
    ("ASL", &["ASLLocal"]),
];

/// Names of events that begin so.
const PREFIXES: [(&str, &str); 4] = [("DMB.", "Arm"), ("DSB.", "Arm"), ("IC.", "Arm"), ("Fence.", "RISC-V")];

/// The machine that a model is for by the first word of its title, to a hyphen (`MIPS-TSO`), if it is one whose programs are not read.
pub(super) fn machine(title: &str) -> Option<&'static str> {
    let word = title.split([' ', '\t', '\n', '-']).next()?;
    MACHINES.into_iter().find(|m| *m == word)
}

/// Whose programs have events of this name.
pub(super) fn events_of(name: &str) -> Option<&'static str> {
    let exact = EVENTS.iter().find(|(_, names)| names.contains(&name)).map(|(of, _)| *of);
    exact.or_else(|| PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, of)| *of))
}
