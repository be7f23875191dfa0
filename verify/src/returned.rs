//! Errors that calls have returned to a program that asked for that (`MPI_ERRORS_RETURN`): it goes on, and may not have looked.

use crate::call::Form;
use crate::tree::{Next, Tree};
use std::collections::BTreeSet;

impl Tree {
    /// The places whose calls have returned an error in some behaviour, with the names of the errors' classes.
    pub(crate) fn errors(&self) -> BTreeSet<(usize, &str)> {
        let mut out = BTreeSet::new();
        let Some(classes) = self.kinds.iter().find(|k| k.name == "errorclass") else { return out };
        for (number, place) in self.places.iter().enumerate() {
            let Next::Call(call) = &place.next else { continue };
            let Some(at) = call.outs.iter().position(|o| matches!(o.form, Form::Returned)) else { continue };
            for told in place.then.keys() {
                let class = told.get(call.told_at(at)).filter(|class| **class != 0);
                let named = class.and_then(|class| classes.names.iter().find(|(_, v)| v == class));
                out.extend(named.map(|(name, _)| (number, name.as_str())));
            }
        }
        out
    }
}
