//! A checked specification: what the evaluator, the program loader and the generators work from.

use crate::decl::Instructions;
use crate::integers::Bits;
use crate::ir::{E, Expansion, Function, Rule, StateVar};
use crate::source::{Source, Span};
use crate::types::{Sort, Ty, Types};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What joins the names of variants that hold together.
pub const JOINED: char = '+';

/// A constant, which variants may set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value when no variant sets it.
    pub value: E,
    /// How many names its values bind.
    pub slots: usize,
    /// Where.
    pub span: Span,
}

/// A named set of constants.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// One sentence.
    pub title: String,
    /// What makes a real implementation behave so: settings of its environment, and their values.
    pub settings: Vec<(String, String)>,
    /// Constants (by index) and their values.
    pub sets: Vec<(usize, E)>,
    /// Where.
    pub span: Span,
}

/// A specification with everything it imports.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Spec {
    /// The model's name.
    pub name: String,
    /// The model whose verdicts hold for this one too: another form of the same semantics.
    pub of: Option<String>,
    /// One sentence.
    pub title: String,
    /// The literature, `work "place"`.
    pub cites: Vec<String>,
    /// Declarative models with the same outcomes: variant, and `FILE[:VARIANT]`.
    pub declared: Vec<(String, String)>,
    /// Named types.
    pub types: Types,
    /// Constants.
    pub consts: Vec<Const>,
    /// Variants.
    pub variants: Vec<Variant>,
    /// State variables.
    pub state: Vec<StateVar>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Rules.
    pub rules: Vec<Rule>,
    /// What programs may use.
    pub instructions: Instructions,
    /// What instructions are short for, by instruction.
    pub expansions: Vec<Option<Expansion>>,
    /// What instructions are to declarative models, by instruction.
    pub events: Vec<Option<crate::events::Events>>,
    /// How a layer makes its instructions of those below, if this is a layer.
    pub layer: Option<crate::layer::Layer>,
    /// The files, imported ones first.
    #[serde(skip)]
    pub files: Vec<Arc<Source>>,
    /// The hash of their text.
    pub(crate) hash: String,
}

/// The constant that says how many bits the integers of programs have, from 2 to 64; without it, 64. Rules reckon with 64.
pub const BITS: &str = "integer_bits";

/// The constant that says, if it is true, that the model has operations of the card on memory of the thread's own node.
pub const OWN_NODE: &str = "own_node";

/// The name of the function that says of which locations an ended program has no value ([`Spec::undefined`]).
pub(crate) const UNDEFINED: &str = "undefined";
/// The name of the function that says which integer in a register is no value ([`Spec::undefined_value`]).
pub(crate) const UNDEFINED_VALUE: &str = "undefined_value";

impl Spec {
    /// The state variable that is memory, of which final values are read: the one called `M`, or else the only one that has an
    /// integer, or a blob, for each location.
    ///
    /// # Errors
    /// The names of those among which it cannot be told, none if there are none.
    pub fn memory(&self) -> Result<usize, Vec<&str>> {
        let fits = |v: &crate::ir::StateVar| v.index == [Sort::Loc] && matches!(v.ty, Ty::Int | Ty::Blob);
        let all: Vec<usize> = (0..self.state.len()).filter(|v| fits(&self.state[*v])).collect();
        let named = all.iter().copied().find(|v| self.state[*v].name == "M");
        match (named, all.as_slice()) {
            (Some(v), _) => Ok(v),
            (None, [v]) => Ok(*v),
            (None, several) => Err(several.iter().map(|v| self.state[*v].name.as_str()).collect()),
        }
    }

    /// The function that says of which locations an ended program has no value, if there is one: `fun undefined(x: Loc): Bool`. An
    /// operation that is not over may be writing to them.
    pub fn undefined(&self) -> Option<usize> {
        self.functions.iter().position(|f| f.name == UNDEFINED)
    }

    /// The function that says which integer stands for no value in a register that a program observes, or in a field of it, if there is one:
    /// `fun undefined_value(v: Int): Bool`. It is one that no integer of a program is.
    pub fn undefined_value(&self) -> Option<usize> {
        self.functions.iter().position(|f| f.name == UNDEFINED_VALUE)
    }

    /// The constant that says how many bits integers of programs have, if there is one ([`BITS`]).
    pub fn bits_at(&self) -> Option<usize> {
        self.consts.iter().position(|c| c.name == BITS && c.ty == Ty::Int)
    }

    /// How many bits integers of programs have where no variant says otherwise.
    pub fn bits(&self) -> Bits {
        let number = self.bits_at().and_then(|at| if let E::Word(n) = self.consts[at].value { Some(n) } else { None });
        number.and_then(|n| Bits::new(n.into())).unwrap_or_default()
    }

    /// Whether it has operations to the thread's own node ([`OWN_NODE`]).
    pub fn own_node(&self) -> bool {
        let is = |c: &Const| c.name == OWN_NODE && c.ty == Ty::Bool && matches!(c.value, E::Word(1));
        self.consts.iter().any(is)
    }

    /// The same specification with another value of a constant that is a number; nothing if there is no such constant.
    pub fn with_constant(&self, name: &str, value: i64) -> Option<Spec> {
        let at = self.consts.iter().position(|c| c.name == name && matches!(c.ty, Ty::Int | Ty::Bool))?;
        let mut spec = self.clone();
        spec.consts[at].value = E::int(value);
        Some(spec)
    }

    /// A short hash of the text of all files: results carry it.
    pub fn hash(&self) -> String {
        self.hash.clone()
    }

    /// The functions that say yes or no of a node and a number, as of a process and one of its requests.
    pub fn of_requests(&self) -> impl Iterator<Item = (usize, &str)> {
        let fits = |f: &Function| f.signature == (vec![Ty::Sort(Sort::Node), Ty::Int], Ty::Bool);
        self.functions.iter().enumerate().filter(move |(_, f)| fits(f)).map(|(i, f)| (i, f.name.as_str()))
    }

    /// Whether a verdict for `model` is about this model.
    pub fn answers_for(&self, model: &str) -> bool {
        self.name == model || self.of.as_deref() == Some(model)
    }

    /// The declarative model that has the same outcomes as this one under a variant, `FILE[:VARIANT]`, if one is named.
    pub fn declared_form(&self, variant: &str) -> Option<&str> {
        self.declared.iter().find(|(v, _)| v == variant).map(|(_, form)| form.as_str())
    }

    /// What makes a real implementation behave as a variant says: settings of its environment, and their values.
    pub fn settings(&self, variant: &str) -> Vec<(String, String)> {
        self.variant(variant).map_or_else(Vec::new, |v| v.into_owned().settings)
    }

    /// A variant by name, or several together, as in `rendezvous+synchronising`; `default` is no variant.
    pub fn variant(&self, name: &str) -> Option<Cow<'_, Variant>> {
        let named = |n: &str| self.variants.iter().find(|v| v.name == n);
        let parts: Vec<&Variant> = name.split(JOINED).map(named).collect::<Option<_>>()?;
        if let [one] = parts[..] {
            return Some(Cow::Borrowed(one));
        }
        let mut all = Variant { name: name.to_owned(), ..parts.first().copied()?.clone() };
        for v in &parts[1..] {
            all.title = format!("{}; {}", all.title, v.title);
            all.sets.extend(v.sets.iter().cloned());
            all.settings.extend(v.settings.iter().cloned());
        }
        Some(Cow::Owned(all))
    }

    /// The constant that two of the variants set that are joined in this name, so that they say nothing together.
    pub fn clash(&self, name: &str) -> Option<&str> {
        let all = self.variant(name)?;
        let twice = all.sets.iter().enumerate().find(|(i, (c, _))| all.sets[..*i].iter().any(|(d, _)| c == d));
        twice.map(|(_, (c, _))| self.consts[*c].name.as_str())
    }
}
