//! Clients: programs made of the instructions that two models share, every one up to a bound, and random ones.
//!
//! Statements are text with holes, so that whatever a specification declares can be generated, and a client that tells is
//! a test that can be kept: `{v}` is a value, `{r}` a variable that is observed, both of the statement's own; `{z.1}` is the
//! first thing of the kind `z` (an object, a work identifier).

use litmpi_spec::decl::{Form, Instruction, Instructions, Param, Shape};
use std::fmt::Write;

/// The statements of each thread, with their holes.
pub type Bodies = Vec<Vec<String>>;

/// A source of clients.
pub trait Clients: Sync {
    /// Every client of that many statements, one of those that are alike but for names.
    fn of_size(&self, size: usize) -> Box<dyn Iterator<Item = Bodies> + '_>;

    /// A random client; the same seed gives the same one.
    fn random(&self, seed: u64) -> Bodies;

    /// The client as a litmus test that observes all that it can.
    fn text(&self, name: &str, bodies: &Bodies) -> String;

    /// Whether anything is observed of a client.
    fn observes(&self, bodies: &Bodies) -> bool;
}

/// Clients whose threads all choose from the same statements, said from each one's own place.
#[derive(Debug, Clone)]
pub struct Alphabet {
    /// The family of the tests that clients are.
    pub family: String,
    /// For each thread its statements; those of one number are the same but for the turn of nodes.
    pub statements: Vec<Vec<String>>,
    /// Most statements of a thread.
    pub length: usize,
    /// Whether the final memory is observed beside registers.
    pub memory: bool,
    /// Kinds of objects, if only clients are wanted of which every object and location is used by two threads or more.
    pub shared: Option<Vec<String>>,
}

impl Alphabet {
    /// The uses of some instructions by `threads` threads, each on a node of its own with one location: every choice of
    /// other nodes, and of `names` objects and identifiers of each kind.
    pub fn of(decls: &Instructions, instructions: &[usize], threads: usize, length: usize, names: usize) -> Alphabet {
        // A thread alone still has a node to talk to.
        let nodes = threads.max(2);
        let statements = (0..threads)
            .map(|t| instructions.iter().flat_map(|i| uses(decls, &decls.list[*i], t + 1, nodes, names)).collect())
            .collect();
        Alphabet { family: "rdma".to_owned(), statements, length, memory: false, shared: None }
    }

    /// Whether every object and location that is used is used by two threads or more, if that is wanted.
    fn is_shared(&self, bodies: &Bodies) -> bool {
        let Some(objects) = &self.shared else { return true };
        let mut used: Vec<(&str, usize)> = vec![];
        for (t, statement) in bodies.iter().enumerate().flat_map(|(t, b)| b.iter().map(move |s| (t, s))) {
            let holes = statement.split('{').filter_map(|p| p.split_once('}')).map(|(hole, _)| hole);
            let things = holes.filter(|h| h.split_once('.').is_some_and(|(kind, _)| objects.iter().any(|o| o == kind)));
            let words = statement.split(|c: char| !c.is_ascii_alphanumeric());
            let locations = words.filter(|w| w.strip_prefix('x').is_some_and(|n| n.parse::<usize>().is_ok()));
            used.extend(things.chain(locations).map(|thing| (thing, t)));
        }
        used.iter().all(|(thing, t)| used.iter().any(|(other, u)| other == thing && u != t))
    }

    fn threads(&self) -> usize {
        self.statements.len()
    }

    fn letters(&self) -> usize {
        self.statements.first().map_or(0, Vec::len)
    }

    fn bodies(&self, word: &[Vec<usize>]) -> Bodies {
        word.iter().enumerate().map(|(t, w)| w.iter().map(|l| self.statements[t][*l].clone()).collect()).collect()
    }

    /// Whether no turn of the threads, and no other naming of things, gives a client that stands before this one.
    fn is_first(&self, word: &[Vec<usize>]) -> bool {
        let own = self.bodies(word);
        let named = renamed(&own);
        if named != own {
            return false;
        }
        (1..word.len()).all(|turn| {
            let mut turned = word.to_vec();
            turned.rotate_left(turn);
            renamed(&self.bodies(&turned)) >= own
        })
    }
}

/// Every way to divide `size` among threads of at most `length` each.
pub fn shares(size: usize, threads: usize, length: usize) -> Vec<Vec<usize>> {
    if threads == 0 {
        return if size == 0 { vec![vec![]] } else { vec![] };
    }
    (0..=size.min(length))
        .rev()
        .flat_map(|own| shares(size - own, threads - 1, length).into_iter().map(move |rest| [vec![own], rest].concat()))
        .collect()
}

impl Clients for Alphabet {
    fn of_size(&self, size: usize) -> Box<dyn Iterator<Item = Bodies> + '_> {
        let letters = self.letters();
        let total = u32::try_from(size).ok().and_then(|s| letters.checked_pow(s)).unwrap_or(usize::MAX);
        let all = shares(size, self.threads(), self.length).into_iter().flat_map(move |share| {
            (0..total).map(move |mut number| {
                let mut word: Vec<Vec<usize>> = share.iter().map(|n| Vec::with_capacity(*n)).collect();
                for (t, n) in share.iter().enumerate() {
                    for _ in 0..*n {
                        word[t].push(number % letters);
                        number /= letters;
                    }
                }
                word
            })
        });
        Box::new(
            all.filter(|word| self.is_first(word))
                .map(|word| self.bodies(&word))
                .filter(|b| self.observes(b) && self.is_shared(b)),
        )
    }

    fn random(&self, seed: u64) -> Bodies {
        // SplitMix64: enough to scatter instructions, and the same everywhere.
        let mut state = seed;
        let mut roll = |n: usize| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) % n.max(1) as u64) as usize
        };
        let word: Vec<Vec<usize>> = (0..self.threads())
            .map(|_| (0..1 + roll(self.length + 1)).map(|_| roll(self.letters())).collect())
            .collect();
        self.bodies(&word)
    }

    fn text(&self, name: &str, bodies: &Bodies) -> String {
        let mut out = format!("litmus {} {name} \"a client\"\n", self.family);
        let nodes = self.threads().max(2);
        let mentioned = |x: &str| self.memory || bodies.iter().flatten().any(|s| s.contains(x));
        let mut observed: Vec<String> = vec![];
        for n in 1..=nodes {
            let own = if mentioned(&format!("x{n}")) { format!(" x{n} = 0 ") } else { " ".into() };
            let _ = writeln!(out, "node {n} {{{own}}}");
            observed.extend(self.memory.then(|| format!("x{n}")));
        }
        for (t, body) in bodies.iter().enumerate() {
            let n = t + 1;
            if body.is_empty() {
                continue;
            }
            let _ = writeln!(out, "thread {n} on {n} {{");
            for (i, statement) in body.iter().enumerate() {
                if statement.contains("{r}") {
                    observed.push(format!("{n}:a{i}"));
                }
                let _ = writeln!(out, "  {}", filled(statement, n, i));
            }
            out.push_str("}\n");
        }
        if !observed.is_empty() {
            let _ = writeln!(out, "locations {}", observed.join(" "));
        }
        out.push_str("exists true\n");
        out
    }

    fn observes(&self, bodies: &Bodies) -> bool {
        self.memory || bodies.iter().flatten().any(|s| s.contains("{r}"))
    }
}

/// A statement's holes filled, at place `i` of thread `n`: values are all different.
///
/// # Panics
/// A hole is not closed.
pub fn filled(statement: &str, n: usize, i: usize) -> String {
    let (mut out, mut value) = (String::new(), n * 10 + i + 1);
    let mut rest = statement;
    while let Some((before, hole)) = rest.split_once('{') {
        let (hole, after) = hole.split_once('}').expect("a hole is closed");
        out.push_str(before);
        match hole {
            "r" => {
                let _ = write!(out, "a{i}");
            }
            "s" => {
                let _ = write!(out, "s{i}");
            }
            "v" => {
                let _ = write!(out, "{value}");
                value += 5;
            }
            named => out.push_str(&named.replace('.', "")),
        }
        rest = after;
    }
    out + rest
}

/// The same with things of each kind numbered in the order of their first use.
fn renamed(bodies: &Bodies) -> Bodies {
    let mut seen: Vec<(String, Vec<String>)> = vec![];
    let statement = |s: &String, seen: &mut Vec<(String, Vec<String>)>| {
        let (mut out, mut rest) = (String::new(), s.as_str());
        while let Some((before, hole)) = rest.split_once('{') {
            let (hole, after) = hole.split_once('}').expect("a hole is closed");
            out.push_str(before);
            match hole.split_once('.') {
                Some((kind, number)) => {
                    if seen.iter().all(|(k, _)| k != kind) {
                        seen.push((kind.to_owned(), vec![]));
                    }
                    let (_, of) = seen.iter_mut().find(|(k, _)| k == kind).expect("just pushed");
                    if !of.iter().any(|n| n == number) {
                        of.push(number.to_owned());
                    }
                    let place = of.iter().position(|n| n == number).expect("just pushed") + 1;
                    let _ = write!(out, "{{{kind}.{place}}}");
                }
                None => {
                    let _ = write!(out, "{{{hole}}}");
                }
            }
            rest = after;
        }
        out + rest
    };
    bodies.iter().map(|b| b.iter().map(|s| statement(s, &mut seen)).collect()).collect()
}

/// The clients with one statement less, those without a whole thread first.
pub(super) fn smaller(bodies: &Bodies) -> Vec<Bodies> {
    let mut out = vec![];
    for t in 0..bodies.len() {
        if bodies[t].len() > 1 {
            let mut without = bodies.clone();
            without[t].clear();
            out.push(without);
        }
    }
    for t in 0..bodies.len() {
        for i in 0..bodies[t].len() {
            let mut without = bodies.clone();
            without[t].remove(i);
            out.push(without);
        }
    }
    out
}

/// Every use of an instruction by the thread on node `n`.
fn uses(decls: &Instructions, instr: &Instruction, n: usize, nodes: usize, names: usize) -> Vec<String> {
    let needed: Vec<usize> = (0..instr.params.len()).filter(|p| instr.params[*p].default.is_none()).collect();
    let mut ways: Vec<Vec<String>> = vec![vec![]];
    for p in &needed {
        let each = arguments(decls, &instr.params[*p], n, nodes, names);
        ways = ways.iter().flat_map(|w| each.iter().map(|a| [w.clone(), vec![a.clone()]].concat())).collect();
    }
    let of =
        |way: &[String], p: usize| needed.iter().position(|q| *q == p).map_or_else(String::new, |i| way[i].clone());
    let written = |way: &Vec<String>| match &instr.form {
        Form::Call if needed.is_empty() => format!("{}()", instr.name),
        Form::Call => format!("{}({})", instr.name, way.join(", ")),
        Form::Assign(l, r) => format!("{} := {}", of(way, *l), of(way, *r)),
        Form::AssignCall(l, name, inside) => {
            let inside = inside.iter().filter(|p| needed.contains(p)).map(|p| of(way, *p)).collect::<Vec<_>>();
            format!("{} := {name}({})", of(way, *l), inside.join(", "))
        }
    };
    ways.iter().map(written).collect()
}

/// What a parameter may be given.
fn arguments(decls: &Instructions, param: &Param, n: usize, nodes: usize, names: usize) -> Vec<String> {
    let kind = decls.kind(param);
    let others: Vec<usize> = (1..nodes).map(|k| (n - 1 + k) % nodes + 1).collect();
    let several = || (1..=names).map(|i| format!("{{{}.{i}}}", kind.name)).collect();
    match &kind.shape {
        Shape::Node if param.list => {
            let all = others.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let single = others.iter().filter(|_| others.len() > 1).map(|m| format!("[{m}]"));
            [format!("[{all}]")].into_iter().chain(single).collect()
        }
        Shape::Local | Shape::LocalOrNone => vec![format!("x{n}")],
        Shape::Remote => others.iter().map(|m| format!("x{m}@{m}")).collect(),
        Shape::Node => others.iter().map(usize::to_string).collect(),
        Shape::Int if !kind.names.is_empty() => kind.names.iter().map(|(name, _)| name.clone()).collect(),
        Shape::Int if param.name == "old" => vec!["0".into()],
        Shape::Int => vec!["{v}".into()],
        Shape::Register(ty) if ty == "Int" => vec!["{r}".into()],
        Shape::Register(_) | Shape::Handle(_) | Shape::Object => several(),
    }
}
