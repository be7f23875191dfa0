//! What programs are made of, for declarative models: the instructions of a specification, and the events of each.

use crate::{Given, Kind};
use litmpi_spec::diag::Report;
use litmpi_spec::events::EventNames;
use litmpi_spec::integers::Bits;
use litmpi_spec::model::Spec;
use std::sync::Arc;

/// The slot of `rf`.
pub(super) const RF: usize = 0;

/// Instructions with their events, under a variant of their specification.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The specification.
    pub spec: Arc<Spec>,
    /// Values of its constants.
    pub(super) constants: Vec<i64>,
    /// How many bits its integers have.
    pub(super) bits: Bits,
    /// What its events are known by.
    pub(super) names: EventNames,
}

impl Programs {
    /// The instructions of a specification under one of its variants; `default` is none.
    ///
    /// # Errors
    /// An unknown variant.
    pub fn new(spec: Arc<Spec>, variant: &str) -> Result<Programs, Report> {
        let constants = litmpi_engine::machine::constants(&spec, variant).map_err(Report::from)?;
        let bits = spec.bits_at().and_then(|at| Bits::new(constants[at])).unwrap_or_default();
        Ok(Programs { constants, bits, names: spec.event_names(), spec })
    }

    /// The names that a model of these programs may use. From every specification: reads-from `rf`; the reads `R`, the
    /// writes `W`, both `M`, initial writes `IW`; identity `id`, program order `po`, same location `loc`, same thread
    /// `int` and its opposite `ext`, same instruction `si`; what runs on the same node, `same-node`, what accesses the same
    /// node's memory, `same-home`, and what accesses the memory of the node on which another one runs, `home`. From its events: each label is a set, and each key relates
    /// the events for which it is equal.
    pub fn given(&self) -> Vec<Given> {
        let of = |name: &str, kind, open| Given { name: name.to_owned(), kind, open };
        let mut given = vec![of("rf", Kind::Relation, true)];
        given.extend(["R", "W", "M", "IW"].map(|n| of(n, Kind::Set, false)));
        given.extend(
            ["id", "po", "loc", "int", "ext", "si", "same-node", "same-home", "home"]
                .map(|n| of(n, Kind::Relation, false)),
        );
        given.extend(self.names.labels.iter().map(|n| of(n, Kind::Set, false)));
        given.extend(self.names.keys.iter().map(|n| of(n, Kind::Relation, false)));
        given
    }
}
