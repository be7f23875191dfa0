//! A test without one of its threads, or without locations: what is left has new numbers.

use super::smaller::{flat, rebuilt};
use litmpi_litmus::ast::{Observed, Stmt, Test};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::{IntExpr, Operand};
use std::collections::BTreeSet;

/// The kinds of arguments that name a rank.
const RANKS: [&str; 2] = ["rank", "root"];

/// The test without a thread, and without its node if that is then nobody's; ranks behind it move up, and calls that name the rank go with
/// it. None if what is left speaks of memory that went.
pub(super) fn without_thread(test: &Test, t: usize, decls: &Instructions) -> Option<Test> {
    let mut out = test.clone();
    let gone = out.threads.remove(t);
    out.observed.retain(|o| !matches!(o.what, Observed::Reg(of, ..) if of == t));
    for o in &mut out.observed {
        if let Observed::Reg(of, ..) = &mut o.what
            && *of > t
        {
            *of -= 1;
        }
    }
    let is_mpi = test.family == "mpi";
    if is_mpi {
        let names_it = |stmt: &Stmt| ranks_of(stmt, decls).contains(&gone.number);
        for thread in &mut out.threads {
            thread.number -= i64::from(thread.number > gone.number);
            thread.body =
                rebuilt(&thread.body, &mut 0, &mut |_, stmt| if names_it(&stmt) { vec![] } else { vec![stmt] });
            thread.body = rebuilt(&thread.body, &mut 0, &mut |_, stmt| vec![moved_up(stmt, gone.number, decls)]);
        }
    }
    let spoken = |n: usize| {
        let of = |arg: &Operand| {
            matches!(arg, Operand::Node(m) if *m == n) || matches!(arg, Operand::Loc(l) if test.locs[*l].node == n)
        };
        out.threads.iter().any(|thread| {
            thread.node == n
                || flat(&thread.body).iter().any(|s| matches!(s, Stmt::Call { args, .. } if args.iter().any(of)))
        })
    };
    if spoken(gone.node) {
        return (!is_mpi).then_some(out);
    }
    drop_node(&mut out, gone.node, is_mpi);
    Some(out)
}

fn ranks_of(stmt: &Stmt, decls: &Instructions) -> Vec<i64> {
    let Stmt::Call { instr, args, .. } = stmt else { return vec![] };
    let named =
        decls.list[*instr].params.iter().zip(args).filter(|(p, _)| RANKS.contains(&decls.kind(p).name.as_str()));
    named.filter_map(|(_, a)| if let Operand::Int(IntExpr::Const(v, None)) = a { Some(*v) } else { None }).collect()
}

fn moved_up(mut stmt: Stmt, gone: i64, decls: &Instructions) -> Stmt {
    if let Stmt::Call { instr, args, .. } = &mut stmt {
        for (param, arg) in decls.list[*instr].params.iter().zip(args) {
            if let Operand::Int(IntExpr::Const(v, None)) = arg
                && RANKS.contains(&decls.kind(param).name.as_str())
                && *v > gone
            {
                *v -= 1;
            }
        }
    }
    stmt
}

/// Nodes of RDMA programs keep their numbers, which programs name; ranks are counted from 0.
fn drop_node(test: &mut Test, n: usize, is_mpi: bool) {
    let left: BTreeSet<usize> = (0..test.locs.len()).filter(|l| test.locs[*l].node != n).collect();
    test.observed.retain(|o| !matches!(o.what, Observed::Loc(l) if !left.contains(&l)));
    keep_locations(test, &left);
    let number = test.nodes.remove(n).number;
    if is_mpi {
        test.nodes.iter_mut().for_each(|node| node.number -= i64::from(node.number > number));
    }
    let lower = |of: &mut usize| *of -= usize::from(*of > n);
    test.locs.iter_mut().for_each(|l| lower(&mut l.node));
    for thread in &mut test.threads {
        lower(&mut thread.node);
        thread.body = rebuilt(&thread.body, &mut 0, &mut |_, mut stmt| {
            if let Stmt::Call { args, .. } = &mut stmt {
                args.iter_mut().for_each(|a| {
                    if let Operand::Node(of) = a {
                        lower(of);
                    }
                });
            }
            vec![stmt]
        });
    }
}

/// Leaves out locations that nothing speaks of; an array stays whole.
pub(super) fn keep_locations(test: &mut Test, used: &BTreeSet<usize>) {
    let mut keep = used.clone();
    let mut at = 0;
    while at < test.locs.len() {
        let room = (test.locs[at].room.max(1) as usize).min(test.locs.len() - at);
        if (at..at + room).any(|l| used.contains(&l)) {
            keep.extend(at..at + room);
        }
        at += room;
    }
    let new: Vec<Option<usize>> = (0..test.locs.len())
        .scan(0, |next, l| {
            let here = keep.contains(&l).then_some(*next);
            *next += usize::from(here.is_some());
            Some(here)
        })
        .collect();
    let mut number = 0;
    test.locs.retain(|_| {
        number += 1;
        keep.contains(&(number - 1))
    });
    fn move_all(arg: &mut Operand, new: &[Option<usize>]) {
        match arg {
            Operand::Loc(l) => *l = new[*l].unwrap_or(0),
            Operand::List(items) => items.iter_mut().for_each(|i| move_all(i, new)),
            _ => {}
        }
    }
    for thread in &mut test.threads {
        thread.body = rebuilt(&thread.body, &mut 0, &mut |_, mut stmt| {
            if let Stmt::Call { args, .. } = &mut stmt {
                args.iter_mut().for_each(|a| move_all(a, &new));
            }
            vec![stmt]
        });
    }
    for o in &mut test.observed {
        if let Observed::Loc(l) = &mut o.what {
            *l = new[*l].unwrap_or(0);
        }
    }
}
