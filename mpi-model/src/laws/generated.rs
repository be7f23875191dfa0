//! Programs made of pieces.

use super::{Item, Laws, Piece, Program};
use crate::generate::Dice;
use litmpi_spec::decl::Instructions;
use std::collections::HashSet;

/// Every program of a piece that a law speaks of and of so many context pieces, on two ranks: all roles, each context piece at
/// every place of every rank. A piece that needs three ranks stands alone. Of more programs with context than `most`, so many,
/// evenly chosen; the second part of the result says how many are left out.
pub fn exhaustive(
    item: Item<'_>,
    laws: &Laws,
    decls: &Instructions,
    beside: usize,
    most: usize,
) -> (Vec<Program>, usize) {
    let (mut alone, mut with) = (vec![], vec![]);
    for piece in spoken_of(item, laws, decls) {
        let ranks = piece.ranks().max(2);
        let mut made = vec![];
        for roles in orders(ranks.min(2)) {
            let roles: Vec<usize> = roles.into_iter().chain(2..ranks).collect();
            made.extend(Program::of(&piece.name, piece, &roles, 0));
        }
        alone.extend(made.iter().cloned());
        // A collective is tried on three ranks too.
        if piece.each.is_some() && ranks < 3 {
            alone.extend(Program::of(&piece.name, piece, &[0, 1, 2], 0));
        }
        for n in 0..if ranks == 2 { beside } else { 0 } {
            let mut more = vec![];
            for context in laws.pieces.iter().filter(|p| p.context && p.ranks() <= ranks) {
                for roles in orders(ranks) {
                    let Some(one) = Program::of("context", context, &roles, n + 1) else { continue };
                    more.extend(made.iter().flat_map(|p| p.places().into_iter().map(|at| p.beside(&one, &at))));
                }
            }
            with.extend(more.iter().cloned());
            made = more;
        }
    }
    let mut seen = HashSet::new();
    let mut new = |p: &Program| seen.insert(p.clone());
    alone.retain(&mut new);
    with.retain(&mut new);
    let many = with.len();
    alone.extend(with.into_iter().step_by(many.div_ceil(most.max(1)).max(1)));
    let left = seen.len() - alone.len();
    alone.iter_mut().enumerate().for_each(|(i, p)| p.name = format!("generated-{i}"));
    (alone, left)
}

/// Random programs: a piece that the law speaks of and one or two others, on two or three ranks, their statements mixed; now and then
/// one is left out. The same seed gives the same programs.
pub fn random(item: Item<'_>, laws: &Laws, decls: &Instructions, seed: u64, many: usize) -> Vec<Program> {
    let own = spoken_of(item, laws, decls);
    let mut dice = Dice::new(seed);
    let mut out = vec![];
    for i in 0..if own.is_empty() { 0 } else { many } {
        let piece = own[dice.roll(own.len())];
        let ranks = (2 + dice.roll(2)).max(piece.ranks());
        let choice = orders(ranks);
        let Some(mut program) = Program::of(&format!("random-{i}"), piece, &choice[dice.roll(choice.len())], 0) else {
            continue;
        };
        for n in 0..1 + dice.roll(2) {
            let other = &laws.pieces[dice.roll(laws.pieces.len())];
            if other.ranks() <= ranks
                && let Some(more) = Program::of("other", other, &choice[dice.roll(choice.len())], n + 1)
            {
                program = program.shuffled(&more, &mut dice);
            }
        }
        if dice.roll(6) == 0 {
            program = program.without(dice.roll(program.size()));
        }
        out.push(program);
    }
    out
}

/// The pieces that have what an item speaks of: a call, or two; those of an order may stand in two pieces.
fn spoken_of<'l>(item: Item<'_>, laws: &'l Laws, decls: &Instructions) -> Vec<&'l Piece> {
    let speaks = |p: &&Piece| {
        let roles: Vec<usize> = (0..p.ranks().max(2)).collect();
        p.text().next().is_some() && Program::of("piece", p, &roles, 0).is_some_and(|p| item.speaks_of(&p, decls))
    };
    laws.pieces.iter().filter(speaks).collect()
}

/// All orders of so many ranks.
fn orders(n: usize) -> Vec<Vec<usize>> {
    match n {
        0 => vec![vec![]],
        n => {
            let put = |less: &Vec<usize>, at| {
                let mut one: Vec<usize> = less.clone();
                one.insert(at, n - 1);
                one
            };
            orders(n - 1).iter().flat_map(|less| (0..n).map(move |at| put(less, at))).collect()
        }
    }
}
