//! Declarative models in herd's cat language: relations over the events of an execution, and checks on them.
//!
//! The language is herd's (its grammar is that of herdtools7, `lib/modelParser.mly`): the model's name, in quotes or in one or two bare
//! words; `(* … *)`, `#` and `//` comments; `include "file"`; `let x = e and …`, `let (x, y) = e`; functions `let f(x, y) = e`, `let f x
//! = e` and `fun x -> e`, applied as `f(a, b)` or `f a`; `let rec x = e and …` (least fixpoint, of relations, perhaps with a check behind
//! `when`), and of functions; `let … in e` and `try e with e`; `acyclic`, `irreflexive`, `empty`, each with `~` before it, `as name`
//! behind it, or `flag` in front (then it is no condition; a flag that a test raises by its events alone refuses the test);
//! `undefined_unless`, a flag that is raised where its check fails; `procedure` and `call`; `if "variant"` around statements and in
//! expressions; `forall S in classes(r) do … end` around definitions and checks, which are then asked
//! for each class of events that `r` relates, called `S` there; `show`, `unshow`, `debug` and `enum`, which say nothing here; tuples, tags,
//! sets that are written out, and `match` on tags and such sets. From the loosest to the
//! tightest `|`, `++`, `;`, `\`, `&`, `*` (of sets), prefix `~`, postfix `^-1 ^+ + ^* * ?`, application, as in herd's grammar;
//! `[S]`, `_` (all events), `0` and `{}` (empty), `domain(r)`, `range(r)`.
//!
//! Functions are put in where they are applied (`values.rs`), so what herd works out for each execution is read and not supported: `match` and
//! `++` on sets of events, `if` on comparisons, `forall` over other sets than `classes(r)`, `with` from sets of orders that a model makes itself,
//! what `.bell` files declare, herd's functions for tags and for pages, and names that are not given here, such as dependencies (`ctrl`, `addr`, `data`). A definition with any of that is
//! told where a check or a choice needs it. Models for other machines, and what only their programs have, are refused by the machine
//! (`machines.rs`). No variant of herd's is chosen: `if "variant"` takes the other way.
//!
//! `with x from` takes herd's `generate_cos(r)`, `generate_orders(S, r)` and `linearisations(S, r)`, and two of our own. `orders(r)` tries every
//! acyclic `x` that has, of each pair of events that `r` relates, just one direction that `r` has. An edge of `r` without
//! its opposite is thus in every `x`: with `(W * W) & loc \ (W * IW)` for `r`, each `x` orders the writes of each
//! location, initial ones first. `partial_orders(r)` may also leave such a pair unordered. Where what an order has to extend depends on
//! the search (`rf`), that is a check of each order.
//!
//! `spec/cat` has what herd's own files include: `stdlib.cat` (always there, also in the place of herd's), `cos.cat`, `filters.cat`, `x86fences.cat`.
//! An atomic update is one event, so `rmw` and `amo` are empty there.
//!
//! What names mean before any `let` (`po`, `rf`, `W`, …) is said by who evaluates the model, as a list of [`Given`].

pub mod candidates;
mod check;
mod lift;
mod load;
mod machines;
mod model;
mod mutate;
mod parse;
mod relation;
mod syntax;
#[cfg(test)]
mod tests;
mod values;
mod witness;

pub use load::{
    Trees, load, load_behind, load_shipped, load_text, load_together, load_written, made_of, made_of_written,
};
pub use model::{CatModel, Check, Choice, Frame, Given, Kind, Pick};
pub use relation::Relation;
pub use syntax::Test;
pub use witness::{Edge, Witness};
