//! Generated RDMA programs that are spread over nodes in any way: several threads on a node, nodes without threads, shared
//! and private locations. Whether such programs are robust hangs on who reaches whom.
//!
//! Every node `n` has two shared locations, `xn` and `yn`; every thread has private ones on its node, `p` and a number. Programs are text, and
//! an outcome lists all shared locations and all registers. Of a program that is [`told`] by its outcomes, an outcome is one execution.

use crate::generate::Scatter;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A thread: the node that it runs on, and its statements.
pub type Thread = (usize, Vec<String>);

/// The program of these threads on so many nodes. All locations are 0 at first.
pub fn program(name: &str, nodes: usize, threads: &[Thread]) -> String {
    text(name, nodes, threads, &mut |_| 0)
}

/// The same with these initial values; if private locations have one of their own, they are observed as well.
fn text(name: &str, nodes: usize, threads: &[Thread], initial: &mut dyn FnMut(&str) -> usize) -> String {
    let mut out = format!("litmus rdma {name} \"generated\"\n");
    let mut observed = vec![];
    for n in 1..=nodes {
        let own = threads.iter().filter(|(node, _)| *node == n).flat_map(|(_, body)| body);
        let words = own.flat_map(|line| line.split([' ', '(', ')', ',']));
        let private: BTreeSet<&str> = words.filter(|w| w.starts_with('p') && !w.starts_with("poll")).collect();
        let shared = [format!("x{n}"), format!("y{n}")];
        let _ = write!(out, "node {n} {{");
        for place in shared.iter().map(String::as_str).chain(private) {
            let value = initial(place);
            let _ = write!(out, "{}{place} = {value}", if place.starts_with('x') { " " } else { "  " });
            if value > 0 || !place.starts_with('p') {
                observed.push(place.to_owned());
            }
        }
        out.push_str(" }\n");
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
    let (nodes, threads) = spread(&mut Scatter(seed), length);
    program(&format!("spread-{seed}"), nodes, &threads)
}

/// A random program whose outcomes tell which write each read has read from and in which order writes came, so that it is robust
/// if and only if it has the outcomes of sequential consistency.
pub fn told(seed: u64, length: usize) -> String {
    let mut scatter = Scatter(seed);
    let (nodes, threads) = loop {
        let (nodes, threads) = spread(&mut scatter, length);
        if tells(&threads) {
            break (nodes, threads);
        }
    };
    let mut value = 100;
    let mut initial = |_: &str| {
        value += 1;
        value
    };
    text(&format!("told-{seed}"), nodes, &threads, &mut initial)
}

/// Whether all is told if initial values differ: what is copied to a location is not overwritten, nor copied on, and of other
/// locations the last write says which one came first.
fn tells(threads: &[Thread]) -> bool {
    let place = |text: &str| text.split('@').next().unwrap_or_default().to_owned();
    let (mut written, mut copied, mut sources) = (BTreeMap::<String, usize>::new(), BTreeSet::new(), BTreeSet::new());
    for line in threads.iter().flat_map(|(_, body)| body) {
        let Some((to, from)) = line.split_once(" := ").filter(|(to, _)| !to.starts_with('r')) else { continue };
        *written.entry(place(to)).or_default() += 1;
        if from.parse::<usize>().is_err() {
            copied.insert(place(to));
            sources.insert(place(from));
        }
    }
    let once = |place: &String| written[place] == 1 && !sources.contains(place);
    copied.iter().all(once) && written.values().all(|n| *n <= 2)
}

/// Two or three threads on two or three nodes.
fn spread(scatter: &mut Scatter, length: usize) -> (usize, Vec<Thread>) {
    let nodes = *scatter.one_of(&[2, 3, 3]);
    let number = *scatter.one_of(&[2, 2, 3]);
    let thread = |t| {
        let node = *scatter.one_of(&[1, 2, 3]) % nodes + 1;
        (node, statements(scatter, t, node, nodes, length))
    };
    (nodes, (1..=number).map(thread).collect())
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
