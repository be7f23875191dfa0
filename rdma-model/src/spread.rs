//! Generated RDMA programs that are spread over nodes in any way: several threads on a node, nodes without threads, shared
//! and private locations. Whether such programs are robust hangs on who reaches whom.
//!
//! Every node `n` has two shared locations, `xn` and `yn`; every thread has private ones on its node, `p` and a number. Programs are text, and
//! an outcome lists all shared locations and all registers.

use crate::generate::Scatter;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A thread: the node that it runs on, and its statements.
pub type Thread = (usize, Vec<String>);

/// The program of these threads on so many nodes.
pub fn program(name: &str, nodes: usize, threads: &[Thread]) -> String {
    let mut out = format!("litmus rdma {name} \"generated\"\n");
    let mut observed = vec![];
    for n in 1..=nodes {
        let own = threads.iter().filter(|(node, _)| *node == n).flat_map(|(_, body)| body);
        let words = own.flat_map(|line| line.split([' ', '(', ')', ',']));
        let private: BTreeSet<&str> = words.filter(|w| w.starts_with('p') && !w.starts_with("poll")).collect();
        let private: String = private.iter().map(|p| format!("  {p} = 0")).collect();
        let _ = writeln!(out, "node {n} {{ x{n} = 0  y{n} = 0{private} }}");
        observed.extend([format!("x{n}"), format!("y{n}")]);
    }
    for (t, (node, body)) in threads.iter().enumerate() {
        let _ = writeln!(out, "thread {} on {node} {{", t + 1);
        for line in body {
            let _ = writeln!(out, "  {line}");
            if let Some((register, _)) = line.split_once(" := ").filter(|(to, _)| to.starts_with('r')) {
                observed.push(format!("{}:{register}", t + 1));
            }
        }
        out.push_str("}\n");
    }
    let _ = writeln!(out, "locations {}\nexists true", observed.join(" "));
    out
}

/// Every program of threads on these nodes, each with up to so many of its statements in every order, with repetition.
pub fn exhaustive(name: &str, nodes: usize, threads: Vec<(Thread, usize)>) -> impl Iterator<Item = String> + use<> {
    let name = name.to_owned();
    // Bodies of up to `most` statements are the numbers in base `of`, shorter ones first.
    let count = |of: usize, most: usize| (0..=most).map(|n| of.pow(u32::try_from(n).expect("short"))).sum::<usize>();
    let counts: Vec<usize> = threads.iter().map(|((_, of), most)| count(of.len(), *most)).collect();
    let total: usize = counts.iter().product();
    (0..total).map(move |number| {
        let mut rest = number;
        let mut bodies = vec![];
        for (((node, statements), _), count) in threads.iter().zip(&counts) {
            bodies.push((*node, body(statements, rest % count)));
            rest /= count;
        }
        program(&format!("{name}-{number}"), nodes, &bodies)
    })
}

fn body(statements: &[String], mut number: usize) -> Vec<String> {
    let (mut length, mut of_length) = (0, 1);
    while number >= of_length {
        number -= of_length;
        of_length *= statements.len();
        length += 1;
    }
    let mut out = vec![];
    for _ in 0..length {
        out.push(statements[number % statements.len()].clone());
        number /= statements.len();
    }
    out
}

/// A random program of two or three threads on two or three nodes with up to `length` statements each; the same seed gives
/// the same program. Polls stand only where there is something to poll.
pub fn random(seed: u64, length: usize) -> String {
    let mut scatter = Scatter(seed);
    let nodes = *scatter.one_of(&[2, 3, 3]);
    let number = *scatter.one_of(&[2, 2, 3]);
    let threads: Vec<Thread> = (1..=number)
        .map(|t| {
            let node = *scatter.one_of(&[1, 2, 3]) % nodes + 1;
            (node, statements(&mut scatter, t, node, nodes, length))
        })
        .collect();
    program(&format!("spread-{seed}"), nodes, &threads)
}

fn statements(scatter: &mut Scatter, thread: usize, node: usize, nodes: usize, length: usize) -> Vec<String> {
    const KINDS: [&str; 11] =
        ["write", "read", "get", "get", "put", "put", "put_imm", "poll", "poll", "rfence", "mfence"];
    let others: Vec<usize> = (1..=nodes).filter(|n| *n != node).collect();
    let mut pending = vec![0; nodes + 1];
    let mut out = vec![];
    let wanted = *scatter.one_of(&[length, length, length.saturating_sub(1), length.saturating_sub(2)]);
    for i in 0..wanted {
        let local = match *scatter.one_of(&["x", "y", "p", "p", "p"]) {
            // A private location is used once, so that nothing races on it but by chance.
            "p" => format!("p{thread}{i}"),
            shared => format!("{shared}{node}"),
        };
        let there = *scatter.one_of(&others);
        let remote = format!("{}{there}@{there}", scatter.one_of(&["x", "y"]));
        let shared = format!("{}{node}", scatter.one_of(&["x", "y"]));
        let value = 10 * thread + i + 1;
        out.push(match *scatter.one_of(&KINDS) {
            "write" => format!("{shared} := {value}"),
            "read" => format!("r{i} := {shared}"),
            kind @ ("get" | "put" | "put_imm") => {
                pending[there] += 1;
                match kind {
                    "get" => format!("{local} := {remote}"),
                    "put" => format!("{remote} := {local}"),
                    _ => format!("{remote} := {value}"),
                }
            }
            "poll" => match others.iter().find(|n| pending[**n] > 0) {
                Some(n) => {
                    pending[*n] -= 1;
                    format!("poll({n})")
                }
                None => format!("{shared} := {value}"),
            },
            "rfence" => format!("rfence({there})"),
            _ => "mfence".into(),
        });
    }
    out
}
