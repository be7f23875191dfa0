//! Declarative models in herd's cat language: relations over the events of an execution, and checks on them.
//!
//! The subset: the model's name in quotes; `(* … *)` and `//` comments; `include "file"`; `let x = e and …`;
//! `let rec x = e and …` (least fixpoint, of relations); `acyclic`, `irreflexive`, `empty`, each with `~` before it or
//! `as name` behind it; from the loosest to the tightest `|`, `;`, `\`, `&`, `*` (of sets), prefix `~`, postfix
//! `^-1 ^+ + ^* ?`; `[S]`, `_` (all events), `0` (empty), `domain(r)`, `range(r)`. Functions, tuples, `if` and `flag`
//! are left out, and so is `*` as a postfix.
//!
//! One form is not herd's: `with x from orders(r)` tries every acyclic `x` that has, of each pair of events that `r`
//! relates, just one direction that `r` has. An edge of `r` without its opposite is thus in every `x`: with
//! `(W * W) & loc \ (W * IW)` for `r`, each `x` orders the writes of each location, initial ones first.
//!
//! What names mean before any `let` (`po`, `rf`, `W`, …) is said by who evaluates the model, as a list of [`Given`].

mod check;
mod load;
mod model;
mod parse;
mod relation;
mod syntax;
#[cfg(test)]
mod tests;
mod witness;

pub use load::{load, load_shipped, load_text};
pub use model::{CatModel, Check, Choice, Frame, Given, Kind, Pick};
pub use relation::Relation;
pub use syntax::Test;
pub use witness::{Edge, Witness};
