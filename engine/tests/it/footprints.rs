//! Footprints cover what rules really read and write.

#[path = "../../benches/rules/programs.rs"]
mod programs;

use litmpi_engine::footprint::{Access, Footprint, Index, may_conflict, of};
use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_spec::ir::Pat;
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Op, Operand};
use litmpi_spec::types::Sort;
use std::collections::BTreeMap;

fn footprint(spec: &Spec, rule: &str) -> Footprint {
    of(spec, spec.rules.iter().position(|r| r.name == rule).expect("a rule"))
}

/// The footprint as text: `QP[t][n].pipe`.
fn show(spec: &Spec, rule: &str) -> (Vec<String>, Vec<String>) {
    let r = spec.rules.iter().find(|r| r.name == rule).expect("a rule");
    let index = |i: &Index| match i {
        Index::Is(s) => r.names[*s].0.clone(),
        Index::NodeOf(s) => format!("{}.node", r.names[*s].0),
        Index::Any => "_".into(),
    };
    let access = |a: &Access| match a {
        Access::Counter(i) => format!("pc[{}]", index(i)),
        Access::Registers(i) => format!("registers[{}]", index(i)),
        Access::State { var, index: at, field } => {
            let v = &spec.state[*var];
            let at: String = at.iter().map(|i| format!("[{}]", index(i))).collect();
            format!("{}{at}{}", v.name, field.map_or(String::new(), |f| format!(".{}", v.fields[f].0)))
        }
    };
    let f = footprint(spec, rule);
    (f.reads.iter().map(access).collect(), f.writes.iter().map(access).collect())
}

#[test]
fn footprints_name_parameters_and_arguments() {
    let spec = load_shipped("rdma-tso-simplified").expect("loads");
    let (reads, writes) = show(&spec, "put/place");
    assert_eq!(reads, ["QP[t][n].pipe", "QP[t][n].wbR"]);
    assert_eq!(writes, ["QP[t][n].pipe", "QP[t][n].wbR"]);
    let (reads, writes) = show(&spec, "write");
    assert_eq!(reads, ["pc[t]", "registers[t]", "B[t]"]);
    assert_eq!(writes, ["pc[t]", "registers[t]", "B[t]"]);
    let (reads, _) = show(&spec, "read");
    assert_eq!(reads, ["pc[t]", "registers[t]", "M[x]", "B[t]"]);
}

#[test]
fn reads_are_followed_through_functions_that_call_themselves() {
    let spec = load_shipped("rdma-tso-simplified").expect("loads");
    let (reads, _) = show(&spec, "put/fetch");
    // `newest_fetched` looks into memory; the location comes out of the pipe.
    assert_eq!(reads, ["M[_]", "QP[t][n].pipe", "QP[t][n].wbL"]);
}

#[test]
fn a_process_is_the_node_of_its_thread() {
    let spec = load_shipped("mpi").expect("loads");
    let (_, writes) = show(&spec, "irecv");
    assert!(writes.contains(&"recvs[t.node]".to_owned()), "{writes:?}");
    assert!(footprint(&spec, "irecv").judges && !footprint(&spec, "test/false").judges);
}

#[test]
fn rules_that_share_no_field_never_conflict() {
    let spec = load_shipped("rdma-tso-simplified").expect("loads");
    let f = |rule| footprint(&spec, rule);
    assert!(!may_conflict(&f("put/acknowledge"), &f("put/commit")));
    assert!(!may_conflict(&f("write"), &f("put/place")));
    assert!(may_conflict(&f("put/commit"), &f("get/fetch")));
    assert!(may_conflict(&f("debuffer/write"), &f("read")));
    assert!(may_conflict(&f("write"), &f("put")));
}

/// What a slot of the state is: as an access whose indices are values.
enum Place {
    Counter(usize),
    Registers(usize),
    State { var: usize, index: Vec<usize>, field: usize },
}

/// All slots in order, as the machine lays them out.
fn places(m: &Machine) -> Vec<Place> {
    let p = m.program();
    let mut out: Vec<Place> = (0..p.threads.len()).map(Place::Counter).collect();
    for (t, thread) in p.threads.iter().enumerate() {
        out.extend(thread.regs.iter().map(|_| Place::Registers(t)));
    }
    for (var, v) in m.spec().state.iter().enumerate() {
        let mut entries = vec![vec![]];
        for sort in &v.index {
            let n = match sort {
                Sort::Node => p.nodes.len(),
                Sort::Thread => p.threads.len(),
                Sort::Loc => p.locs.len(),
            };
            entries = entries.iter().flat_map(|e| (0..n).map(|i| [e.as_slice(), &[i]].concat())).collect();
        }
        for index in entries {
            out.extend((0..v.fields.len().max(1)).map(|field| Place::State { var, index: index.clone(), field }));
        }
    }
    assert_eq!(out.len(), m.width());
    out
}

/// The value of an index in an instance of a rule; none if the text does not tell.
fn resolve(m: &Machine, state: &[u32], step: &Step, index: Index) -> Option<usize> {
    let rule = &m.spec().rules[step.rule.expect("a rule's step")];
    let (slot, node) = match index {
        Index::Any => return None,
        Index::Is(s) => (s, false),
        Index::NodeOf(s) => (s, true),
    };
    let (sort, value) = if let Some((_, sort)) = rule.params.get(slot) {
        (*sort, step.params[slot] as usize)
    } else {
        let (_, _, pats) = rule.on.as_ref().expect("arguments");
        let at = pats.iter().position(|p| matches!(p, Pat::Bind(s) if *s == slot)).expect("a bound argument");
        let t = step.thread.expect("a thread");
        let Op::Exec { args, .. } = &m.program().threads[t].code[state[t] as usize] else {
            unreachable!("runs an instruction")
        };
        match &args[at] {
            Operand::Loc(l) => (Sort::Loc, *l),
            Operand::Node(n) => (Sort::Node, *n),
            _ => unreachable!("an index is a location or a node"),
        }
    };
    Some(match (node, sort) {
        (false, _) => value,
        (true, Sort::Thread) => m.program().threads[value].node,
        (true, _) => m.program().node_of(value),
    })
}

fn covers(m: &Machine, state: &[u32], step: &Step, access: &Access, place: &Place) -> bool {
    let is = |i: &Index, v: usize| resolve(m, state, step, *i).is_none_or(|r| r == v);
    match (access, place) {
        (Access::Counter(i), Place::Counter(t)) | (Access::Registers(i), Place::Registers(t)) => is(i, *t),
        (Access::State { var: v, index: i, field: f }, Place::State { var, index, field }) => {
            v == var && f.is_none_or(|f| f == *field) && i.iter().zip(index).all(|(i, v)| is(i, *v))
        }
        _ => false,
    }
}

type Changes = Vec<Option<BTreeMap<usize, u32>>>;

/// What every instance of a rule does in a state: the slots that it changes, or that it is erroneous.
fn instances(m: &Machine, state: &[u32]) -> Option<Vec<(Step, Changes)>> {
    let mut out: Vec<(Step, Changes)> = vec![];
    m.transitions(state, &mut |step, target| {
        let change = match target {
            Target::Erroneous(_) => None,
            Target::State(next) => {
                Some((0..state.len()).filter(|i| state[*i] != next[*i]).map(|i| (i, next[i])).collect())
            }
        };
        match out.iter_mut().find(|(s, _)| *s == step) {
            Some((_, all)) => all.push(change),
            None => out.push((step, vec![change])),
        }
    })
    .ok()?;
    Some(out)
}

/// States of random walks, from a fixed seed.
fn walks(m: &Machine, most: usize) -> Vec<Vec<u32>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut out = vec![];
    while out.len() < most {
        let mut state = m.initial().to_vec();
        loop {
            out.push(state.clone());
            let mut next = vec![];
            m.transitions(&state, &mut |_, target| {
                if let Target::State(s) = target {
                    next.push(s.to_vec());
                }
            })
            .expect("no faults");
            if next.is_empty() {
                break;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state = next.swap_remove((seed >> 33) as usize % next.len());
        }
    }
    out
}

/// Whether a slot is of a variable of which what nobody looks at is left out after every step: that is no rule's doing.
fn is_kept(m: &Machine, slot: usize) -> bool {
    let name = m.slot_name(slot);
    m.spec().state.iter().any(|v| v.keeps.is_some() && name.split('[').next() == Some(v.name.as_str()))
}

#[test]
fn what_a_transition_changes_is_among_the_writes_of_its_rule() {
    for (name, m) in programs::all() {
        let footprints: Vec<Footprint> = (0..m.spec().rules.len()).map(|r| of(m.spec(), r)).collect();
        let places = places(&m);
        let mut checked = 0;
        for state in walks(&m, 2_000) {
            for (step, changes) in instances(&m, &state).expect("no faults") {
                let Some(rule) = step.rule else { continue };
                let written = changes.iter().flatten().flat_map(|c| c.keys());
                for slot in written.filter(|slot| !is_kept(&m, **slot)) {
                    let covered = footprints[rule].writes.iter().any(|a| covers(&m, &state, &step, a, &places[*slot]));
                    assert!(covered, "{name}: {} changes {}", m.step_name(&step), m.slot_name(*slot));
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000, "{name}: {checked}");
    }
}

#[test]
fn what_is_not_among_the_reads_of_a_rule_changes_nothing_for_it() {
    for (name, m) in programs::all() {
        let footprints: Vec<Footprint> = (0..m.spec().rules.len()).map(|r| of(m.spec(), r)).collect();
        let places = places(&m);
        let states = walks(&m, 300);
        let mut checked = 0;
        for (i, state) in states.iter().enumerate() {
            let before = instances(&m, state).expect("no faults");
            let other = &states[(i * 7 + 13) % states.len()];
            for slot in (0..state.len()).filter(|s| state[*s] != other[*s]) {
                let mut changed = state.clone();
                changed[slot] = other[slot];
                // No program reaches this state, perhaps; a rule that cannot be evaluated in it says nothing.
                let Some(after) = instances(&m, &changed) else { continue };
                for (step, changes) in &before {
                    let Some(rule) = step.rule else { continue };
                    if footprints[rule].reads.iter().any(|a| covers(&m, state, step, a, &places[slot])) {
                        continue;
                    }
                    let without = |all: &Changes| -> Changes {
                        all.iter()
                            .map(|c| {
                                let other = |s: &usize| *s != slot && !is_kept(&m, *s);
                                c.as_ref().map(|c| c.iter().filter(|(s, _)| other(s)).map(|(s, w)| (*s, *w)).collect())
                            })
                            .collect()
                    };
                    let same = after.iter().any(|(s, c)| s == step && without(c) == without(changes));
                    assert!(same, "{name}: {} reads {}", m.step_name(step), m.slot_name(slot));
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000, "{name}: {checked}");
    }
}
