//! Declarative models in herd's cat language: relations over the events of an execution, and checks on them.
//!
//! The subset: the model's name, in quotes or in one or two bare words; `(* … *)`, `#` and `//` comments;
//! `include "file"`; `let x = e and …`; functions `let f(x, y) = e` and `let f x = e`, applied as `f(a, b)` or `f a`;
//! `let rec x = e and …` (least fixpoint, of relations); `let … in e` and `try e with e`; `acyclic`, `irreflexive`,
//! `empty`, each with `~` before it, `as name` behind it, or `flag` in front (then it is no condition; a flag that a test
//! raises by its events alone refuses the test); `forall S in classes(r) do … end` around definitions and checks, which are then asked
//! for each class of events that `r` relates, called `S` there; `show` and `unshow`, which say nothing here. From the loosest to the
//! tightest `|`, `;`, `\`, `&`, `*` (of sets), prefix `~`, postfix `^-1 ^+ + ^* * ?`, application, as in herd's grammar;
//! `[S]`, `_` (all events), `0` and `{}` (empty), `domain(r)`, `range(r)`.
//!
//! Left out: `if`, `match`, `fun` without a name, `procedure`, `call`, `forall` over other sets than `classes(r)`, tuples as values, sets of sets, enumerations,
//! `let rec … when`, `requires`. A file that has them is refused where they stand.
//!
//! `with x from` takes herd's `generate_cos(r)` and `linearisations(S, r)`, and two of our own. `orders(r)` tries every
//! acyclic `x` that has, of each pair of events that `r` relates, just one direction that `r` has. An edge of `r` without
//! its opposite is thus in every `x`: with `(W * W) & loc \ (W * IW)` for `r`, each `x` orders the writes of each
//! location, initial ones first. `partial_orders(r)` may also leave such a pair unordered.
//!
//! `spec/cat` has what herd's own files include: `stdlib.cat` (always there), `cos.cat`, `filters.cat`, `x86fences.cat`.
//! An atomic update is one event, so `rmw` and `amo` are empty there.
//!
//! What names mean before any `let` (`po`, `rf`, `W`, …) is said by who evaluates the model, as a list of [`Given`].

pub mod candidates;
mod check;
mod lift;
mod load;
mod model;
mod mutate;
mod parse;
mod relation;
mod syntax;
#[cfg(test)]
mod tests;
mod witness;

pub use load::{Trees, load, load_shipped, load_text, load_together};
pub use model::{CatModel, Check, Choice, Frame, Given, Kind, Pick};
pub use relation::Relation;
pub use syntax::Test;
pub use witness::{Edge, Witness};
