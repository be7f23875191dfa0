//! Changes that change nothing, found by their form: what was put in its place is the same up to the order of operands that may
//! stand in any.
//!
//! Items are compared as trees without places, in which the operands of `=`, `≠`, `and`, `or` and of the operations on bits are sorted, as
//! are those of `any x in a : x ∈ b`, which says that two sequences have something in common, and of functions of the specification
//! that are the same when their two parameters change places.

use litmpi_spec::load::Trees;
use litmpi_spec::mutate::{Bench, Mutant, What};
use litmpi_spec::syntax::{Fun, Item};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Functions of the language that are the same either way round.
const BITS: [&str; 3] = ["bitand", "bitor", "bitxor"];
/// Operators that are.
const EITHER_WAY: [&str; 4] = ["Eq", "Ne", "And", "Or"];

/// Functions that are the same either way round, by name.
pub(super) struct Alike(BTreeSet<String>);

impl Alike {
    /// Those of a specification. A function may be so because one that it calls is.
    pub(super) fn new(trees: &Trees) -> Alike {
        let functions = trees.files.iter().flat_map(|f| &f.items).filter_map(|i| match i {
            Item::Fun(f) if f.params.len() == 2 => Some(f),
            _ => None,
        });
        let functions: Vec<&Fun> = functions.collect();
        let mut known = Alike(BITS.map(str::to_owned).into());
        loop {
            let more: Vec<String> =
                functions.iter().filter(|f| known.is_symmetric(f)).map(|f| f.name.node.clone()).collect();
            let before = known.0.len();
            known.0.extend(more);
            if known.0.len() == before {
                return known;
            }
        }
    }

    fn is_symmetric(&self, f: &Fun) -> bool {
        let [(a, _), (b, _)] = &f.params[..] else { return false };
        let body = bare(&f.body);
        let exchanged = renamed(&body, (&a.node, &b.node));
        self.normal(body) == self.normal(exchanged)
    }

    /// Why a change changes nothing, if its form says so.
    pub(super) fn why(&self, rules: &Bench, m: &Mutant) -> Option<String> {
        let changed = (m.what == What::Swap).then(|| rules.changed(m).ok()).flatten()?;
        let same = self.normal(bare(rules.item(m))) == self.normal(bare(&changed));
        same.then(|| match m.from.split_once('(') {
            Some((name, _)) if self.0.contains(name) => format!("`{name}` is the same either way round"),
            _ => "the operation is the same either way round".to_owned(),
        })
    }

    /// A tree with all operands sorted that may stand in any order.
    fn normal(&self, tree: Value) -> Value {
        let tree = match tree {
            Value::Array(all) => Value::Array(all.into_iter().map(|v| self.normal(v)).collect()),
            Value::Object(all) => Value::Object(all.into_iter().map(|(k, v)| (k, self.normal(v))).collect()),
            other => other,
        };
        if let Some([Value::String(op), a, b]) = tree.get("Bin").and_then(Value::as_array).map(Vec::as_slice)
            && EITHER_WAY.contains(&op.as_str())
        {
            return json!({ "Bin": [op, sorted(a, b)] });
        }
        if let Some([Value::String(name), Value::Array(args)]) =
            tree.get("Call").and_then(Value::as_array).map(Vec::as_slice)
            && let [a, b] = &args[..]
            && self.0.contains(name)
        {
            return json!({ "Call": [name, sorted(a, b)] });
        }
        if let Some([pattern, a, condition]) = tree.get("Any").and_then(Value::as_array).map(Vec::as_slice)
            && let Some(name) = pattern.get("Bind")
            && let Some([Value::String(op), x, b]) = condition.get("Bin").and_then(Value::as_array).map(Vec::as_slice)
            && op == "In"
            && *x == json!({ "Name": name })
            && !b.to_string().contains(&x.to_string())
        {
            return json!({ "in common": sorted(a, b) });
        }
        tree
    }
}

fn sorted(a: &Value, b: &Value) -> Value {
    if a.to_string() <= b.to_string() { json!([a, b]) } else { json!([b, a]) }
}

/// A tree without places.
fn bare(tree: &impl Serialize) -> Value {
    fn strip(v: Value) -> Value {
        match v {
            Value::Array(all) => Value::Array(all.into_iter().map(strip).collect()),
            Value::Object(mut all) if all.len() == 2 && all.contains_key("span") && all.contains_key("node") => {
                strip(all.remove("node").unwrap_or_default())
            }
            Value::Object(all) => Value::Object(all.into_iter().map(|(k, v)| (k, strip(v))).collect()),
            other => other,
        }
    }
    strip(serde_json::to_value(tree).unwrap_or_default())
}

/// A tree in which two names have changed places.
fn renamed(tree: &Value, (a, b): (&str, &str)) -> Value {
    match tree {
        Value::Array(all) => Value::Array(all.iter().map(|v| renamed(v, (a, b))).collect()),
        Value::Object(all) => Value::Object(all.iter().map(|(k, v)| (k.clone(), renamed(v, (a, b)))).collect()),
        Value::String(s) if s == a => b.into(),
        Value::String(s) if s == b => a.into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_either_way_round_is_found_and_nothing_else_is() {
        let rules = Bench::new(Trees::shipped("mpi").expect("a shipped model")).expect("it is well-typed");
        let alike = Alike::new(&rules.trees);
        for name in ["bitand", "has", "same_call", "shares"] {
            assert!(alike.0.contains(name), "{name} of {:?}", alike.0);
        }
        for name in ["same_members", "type_matches", "has_entered", "extent"] {
            assert!(!alike.0.contains(name), "{name}");
        }
        let mutants: Vec<Mutant> = (0..rules.trees.files.len()).flat_map(|f| rules.mutants(f)).collect();
        let of = |from: &str, to: &str| mutants.iter().find(|m| m.from == from && m.to == to).expect("a change");
        assert!(alike.why(&rules, of("bitand(x, y)", "bitand(y, x)")).is_some());
        assert!(alike.why(&rules, of("same_call(d, e)", "same_call(e, d)")).is_some());
        assert_eq!(alike.why(&rules, of("x + y", "x - y")), None);
    }
}
