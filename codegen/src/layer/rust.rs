//! Libraries in Rust: a crate, and the crate that all of them stand on.

use super::body::Writer;
use super::c::{is_within, sign};
use super::code::{
    At, By, Field, Function, Gives, Holder, Nodes, Num, Op, Size, Step, Takes, Users, Var, Way, Work, declares,
};
use std::cell::Cell;
use std::fmt::Write as _;

/// The manifest.
pub(super) fn manifest(name: &str, title: &str) -> String {
    format!(
        "# Made by `litmpi emit --layer --lang rust`.\n[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         description = {title:?}\npublish = false\n\n[dependencies]\nlitmpi-net = {{ path = \"../litmpi-net\" }}\n"
    )
}

/// The crate's text.
pub(super) fn library(w: &Writer<'_>, name: &str, title: &str) -> String {
    let lib = camel(name);
    let mut out = format!(
        "//! {title}.\n//!\n\
         //! Made by `litmpi emit --layer --lang rust` from the layer's text. `litmpi refine` says what holds of that, over RDMA^TSO.\n\
         //! Objects are made by all processes in the same order; one thread of each process has them.\n//!\n{}\
         #![forbid(unsafe_code)]\n#![warn(missing_docs)]\n\npub use litmpi_net::{{Error, Net, Nodes, Result, Work}};\n\n",
        example(w, name, &lib)
    );
    let _ = writeln!(
        out,
        "/// The library: one for all objects, made by all processes.\npub struct {lib}<'n> {{\n    net: &'n Net,"
    );
    fields(w, &Holder::Library, &mut out);
    let _ = writeln!(
        out,
        "}}\n\nimpl<'n> {lib}<'n> {{\n    /// Makes the library.\n    ///\n    /// # Errors\n    /// There is not enough registered \
         memory.\n    pub fn new(net: &'n Net) -> Result<{lib}<'n>> {{\n        Ok({lib} {{\n            net,"
    );
    made(w, &Holder::Library, &mut out);
    out += "        })\n    }\n\n    /// The processes.\n    pub fn net(&self) -> &'n Net {\n        self.net\n    }\n";
    w.functions.iter().filter(|f| f.object().is_none()).for_each(|f| function(w, f, &mut out));
    out += "}\n";
    w.objects.iter().for_each(|kind| object(w, kind, &lib, &mut out));
    out
}

/// How a program begins, which is compiled with the crate's tests.
fn example(w: &Writer<'_>, name: &str, lib: &str) -> String {
    let krate = name.replace('-', "_");
    let kinds: Vec<String> = w.objects.iter().map(|k| camel(k)).collect();
    let all: Vec<&str> = std::iter::once(lib).chain(kinds.iter().map(String::as_str)).chain(["Net"]).collect();
    let mut out = format!(
        "//! ```no_run\n//! use {krate}::{{{}}};\n//!\n//! # fn main() -> {krate}::Result<()> {{\n",
        all.join(", ")
    );
    out += "//! // LITMPI_RANK, LITMPI_NODES and LITMPI_MEET say which process this is; or `Net::open`.\n";
    let _ = writeln!(out, "//! let net = Net::from_environment()?;\n//! let lib = {lib}::new(&net)?;");
    for kind in &w.objects {
        let users: String = w.asked(kind).iter().map(|by| format!(", /* {by}: */ &[0, 1]")).collect();
        let _ = writeln!(out, "//! let {kind}_1 = {}::new(&lib{users})?;", camel(kind));
    }
    let drops = w.objects.iter().map(|kind| format!("//! # let _ = &{kind}_1;\n")).collect::<String>();
    format!("{out}{drops}//! net.close()\n//! # }}\n//! ```\n")
}

fn object(w: &Writer<'_>, kind: &str, lib: &str, out: &mut String) {
    let (holder, ty, asked) = (Holder::Object(kind.to_owned()), camel(kind), w.asked(kind));
    let says = if asked.is_empty() {
        "An object: memory on every process, which has it in the same place.".to_owned()
    } else {
        format!("An object; who uses it is said when it is made, the same by all: {}.", asked.join(", "))
    };
    let _ = writeln!(out, "\n/// {says}\npub struct {ty}<'l> {{\n    lib: &'l {lib}<'l>,");
    asked.iter().for_each(|by| _ = writeln!(out, "    users_{by}: Nodes,"));
    fields(w, &holder, out);
    let params: String = asked.iter().map(|by| format!(", users_{by}: &[usize]")).collect();
    let _ = writeln!(
        out,
        "}}\n\nimpl<'l> {ty}<'l> {{\n    /// Makes one; all processes do.\n    ///\n    /// # Errors\n    /// There is not enough \
         registered memory{}.\n    pub fn new(lib: &'l {lib}<'l>{params}) -> Result<{ty}<'l>> {{\n        let net = lib.net;\n        Ok({ty} {{\n            lib,",
        if asked.is_empty() { "" } else { ", or no process with such a rank" }
    );
    asked.iter().for_each(|by| _ = writeln!(out, "            users_{by}: net.some(users_{by})?,"));
    made(w, &holder, out);
    out.push_str("        })\n    }\n");
    w.functions.iter().filter(|f| w.kind_of(f) == Some(kind)).for_each(|f| function(w, f, out));
    out.push_str("}\n");
}

fn fields(w: &Writer<'_>, holder: &Holder, out: &mut String) {
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let sizes: String = sizes.iter().map(|s| format!("[{}]", size(*s))).collect();
        let of = if sizes.is_empty() { String::new() } else { format!(": `{}`", sizes.replace("net.", "")) };
        let _ = writeln!(out, "    /// Where it begins{of}.\n    {field}: u64,");
    }
    for ((_, field), work) in w.lasting.iter().filter(|((of, _), _)| of == holder) {
        let _ = writeln!(out, "    {field}: {},", if *work { "Work" } else { "std::cell::Cell<i64>" });
    }
}

fn made(w: &Writer<'_>, holder: &Holder, out: &mut String) {
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let all: Vec<String> = sizes
            .iter()
            .map(|s| format!("{} as u64", size(*s)).replace(" as u64", if *s == Size::Nodes { " as u64" } else { "" }))
            .collect();
        let words = if all.is_empty() { "1".to_owned() } else { all.join(" * ") };
        let _ = writeln!(out, "            {field}: net.take({words})?,");
    }
    for ((_, field), work) in w.lasting.iter().filter(|((of, _), _)| of == holder) {
        let _ =
            writeln!(out, "            {field}: {},", if *work { "Work::new(net)" } else { "std::cell::Cell::new(0)" });
    }
}

/// `loco-ring-buffer` as a type.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for part in name.split(['-', '_']) {
        let mut letters = part.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// A parameter's name, which is none that the function has for something else.
fn param(name: &str) -> String {
    const TAKEN: [&str; 45] = [
        "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for", "if", "impl",
        "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct",
        "super", "trait", "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "gen", "try",
        "box", "net", "here", "result", "words", "is_there",
    ];
    if TAKEN.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// One function at hand.
struct Body<'f> {
    f: &'f Function,
    /// The steps that declare variables.
    declaring: Vec<(Var, &'f Step)>,
    here: Cell<bool>,
}

fn function(w: &Writer<'_>, f: &Function, out: &mut String) {
    let object = f.object();
    let mut params = vec!["&self".to_owned()];
    for (name, takes) in &f.params {
        let own = object == Some(name.as_str());
        let name = param(name);
        match takes {
            Takes::Object { kind, .. } if !own => params.push(format!("{name}: &{}<'_>", camel(kind))),
            Takes::Object { .. } => {}
            Takes::Nodes => params.push(format!("{name}: &[usize]")),
            Takes::Number => params.push(format!("{name}: i64")),
            Takes::Words(n) => params.push(format!("{name}: &[i64; {n}]")),
            Takes::Work => params.push(format!("{name}: &Work")),
        }
        if let Takes::Object { far: true, .. } = takes {
            params.push(format!("{}_node: usize", name.trim_end_matches('_')));
        }
    }
    let gives = match f.gives {
        Gives::Nothing => "()".to_owned(),
        Gives::Truth => "bool".into(),
        Gives::Number => "i64".into(),
        Gives::Perhaps => "Option<i64>".into(),
        Gives::Words(n) => format!("[i64; {n}]"),
        Gives::PerhapsWords(n) => format!("Option<[i64; {n}]>"),
    };
    let own = (0..f.variables.len()).map(Var::Own);
    let declaring = own.filter_map(|v| Some((v, declares(v, &f.steps)?))).collect();
    let body = Body { f, declaring, here: Cell::new(false) };
    let mut steps = String::new();
    body.steps(&f.steps, 2, &mut steps);
    let doc = f.doc.replace('[', "\\[").replace('<', "\\<");
    let doc = doc.get(..1).map_or(String::new(), str::to_uppercase) + doc.get(1..).unwrap_or_default();
    let _ =
        writeln!(out, "\n    /// {doc}.{}", if matches!(f.gives, Gives::Truth) { " True stands for 1." } else { "" });
    if matches!(f.gives, Gives::Perhaps | Gives::PerhapsWords(_)) {
        out.push_str("    /// `None` stands for -1.\n");
    }
    out.push_str("    ///\n    /// # Errors\n    /// The device failed, or what was given is not there.\n");
    if f.gives != Gives::Nothing {
        out.push_str(
            "    #[allow(unused_assignments, reason = \"what the layer gives has a value from the beginning\")]\n",
        );
    }
    let _ = writeln!(out, "    pub fn {}({}) -> Result<{gives}> {{", f.name, params.join(", "));
    let _ = writeln!(out, "        let net = self.{}net;", if object.is_some() { "lib." } else { "" });
    if let Some((of, by)) = w.must(f) {
        let _ = writeln!(out, "        {}.users_{by}.must_have(net.rank(), \"{}\")?;", body.object(of), f.name);
    }
    if body.here.get() {
        out.push_str("        let here = net.rank() as i64;\n");
    }
    for v in (0..f.variables.len()).map(Var::Own) {
        if f.steps.iter().any(|s| s.is_about(v)) && !body.declaring.iter().any(|(d, _)| *d == v) {
            let _ = writeln!(out, "        let mut {} = 0;", body.var(v));
        }
    }
    out.push_str(match f.gives {
        Gives::Nothing => "",
        Gives::Truth => "        let mut result = false;\n",
        Gives::Number => "        let mut result = 0;\n",
        Gives::Perhaps => "        let mut result = Some(0);\n",
        Gives::Words(_) => "        let mut words = ",
        Gives::PerhapsWords(_) => "        let mut is_there = true;\n        let mut words = ",
    });
    if let Gives::Words(n) | Gives::PerhapsWords(n) = f.gives {
        let _ = writeln!(out, "[0; {n}];");
    }
    out.push_str(&steps);
    out.push_str(match f.gives {
        Gives::Nothing => "        Ok(())\n    }\n",
        Gives::Truth | Gives::Number | Gives::Perhaps => "        Ok(result)\n    }\n",
        Gives::Words(_) => "        Ok(words)\n    }\n",
        Gives::PerhapsWords(_) => "        Ok(is_there.then_some(words))\n    }\n",
    });
}

impl Body<'_> {
    fn steps(&self, all: &[Step], depth: usize, out: &mut String) {
        all.iter().for_each(|s| self.step(s, depth, out));
    }

    fn step(&self, s: &Step, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let begin = |text: String, out: &mut String| _ = writeln!(out, "{pad}{text}");
        match s {
            Step::Set(v, n) => begin(self.set(s, *v, n), out),
            Step::Load(v, at) => {
                let text = format!("net.load({})?", self.at(at));
                begin(self.assigned(s, *v, text), out);
            }
            Step::SetWord(i, n) => begin(format!("words[{} as usize] = {};", self.operand(i), self.num(n)), out),
            Step::SetLasting(to, n) => begin(format!("{}.set({});", self.field(to), self.num(n)), out),
            Step::Store(to, n) => begin(format!("net.store({}, {})?;", self.at(to), self.num(n)), out),
            Step::Mfence => begin("net.mfence();".into(), out),
            Step::Wait(w) => begin(format!("net.wait({})?;", self.work(w)), out),
            Step::Remote { way, node, far, own, words, work } => {
                let way = if *way == Way::Put { "put" } else { "get" };
                let (node, far, own, work) = (self.num(node), self.at(far), self.at(own), self.work(work));
                begin(format!("net.{way}({node}, {far}, {own}, {words}, {work})?;"), out);
            }
            Step::If(cond, then, els) => {
                begin(format!("if {} {{", self.truth(cond)), out);
                self.steps(then, depth + 1, out);
                if !els.is_empty() {
                    begin("} else {".into(), out);
                    self.steps(els, depth + 1, out);
                }
                begin("}".into(), out);
            }
            Step::Loop(body) => {
                begin("loop {".into(), out);
                self.steps(body, depth + 1, out);
                begin("}".into(), out);
            }
            Step::LeaveIf(n) => begin(format!("if {} {{\n{pad}    break;\n{pad}}}", self.truth(n)), out),
            Step::Pause => begin("net.pause();".into(), out),
            Step::EachNode { counter, of, others, body } => {
                let nodes = match of {
                    Nodes::All => "0..net.nodes() as i64".to_owned(),
                    Nodes::Users(of, by) => format!("{}.users_{by}.iter()", self.object(of)),
                    Nodes::Given(of) => format!("{}.iter().map(|n| *n as i64)", param(of)),
                };
                begin(format!("for node{counter} in {nodes} {{"), out);
                if *others {
                    self.here.set(true);
                    begin(format!("    if node{counter} == here {{\n{pad}        continue;\n{pad}    }}"), out);
                }
                self.steps(body, depth + 1, out);
                begin("}".into(), out);
            }
            Step::Doubling { counter, of: Users(of, by), body } => {
                let count = format!("{}.users_{by}.count()", self.object(of));
                let powers = format!("std::iter::successors(Some(1), |k| Some(2 * k)).take_while(|k| *k < {count})");
                begin(format!("for at{counter} in {powers} {{"), out);
                self.steps(body, depth + 1, out);
                begin("}".into(), out);
            }
            Step::Count { counter, end, body } => {
                begin(format!("for at{counter} in 0..{end}_i64 {{"), out);
                self.steps(body, depth + 1, out);
                begin("}".into(), out);
            }
        }
    }

    fn set(&self, s: &Step, v: Var, n: &Num) -> String {
        match (v, self.f.gives, n) {
            (Var::Result, Gives::Truth, _) => format!("result = {};", self.truth(n)),
            (Var::Result, Gives::Perhaps, Num::Int(-1)) => "result = None;".into(),
            (Var::Result, Gives::Words(_) | Gives::PerhapsWords(_), Num::Int(-1)) => "is_there = false;".into(),
            (Var::Result, Gives::Words(_) | Gives::PerhapsWords(_), _) => "// The words are what is given.".into(),
            _ => self.assigned(s, v, self.num(n)),
        }
    }

    fn assigned(&self, s: &Step, v: Var, text: String) -> String {
        if v == Var::Result {
            let text = if self.f.gives == Gives::Perhaps { format!("Some({text})") } else { text };
            return format!("result = {text};");
        }
        let declares = self.declaring.iter().any(|(of, at)| *of == v && std::ptr::eq(*at, s));
        let times: usize = self.f.steps.iter().map(|s| s.times_set(v)).sum();
        let begin = match (declares, times > 1) {
            (true, true) => "let mut ",
            (true, false) => "let ",
            (false, _) => "",
        };
        let of = if declares && text.parse::<i64>().is_ok() { ": i64" } else { "" };
        format!("{begin}{}{of} = {text};", self.var(v))
    }

    fn var(&self, v: Var) -> String {
        match v {
            Var::Own(n) => {
                let is_read = self.f.steps.iter().any(|s| s.is_any(&|n| *n == Num::Var(v), true));
                format!("{}{}", if is_read { "" } else { "_" }, self.f.variable(n))
            }
            Var::Result => match self.f.gives {
                Gives::Truth => "i64::from(result)".into(),
                Gives::Perhaps => "result.unwrap_or(-1)".into(),
                _ => "result".into(),
            },
        }
    }

    /// An object, by the parameter that it is.
    fn object(&self, of: &str) -> String {
        if self.f.object() == Some(of) { "self".into() } else { param(of) }
    }

    fn field(&self, of: &Field) -> String {
        match &of.by {
            By::Library if self.f.object().is_some() => format!("self.lib.{}", of.name),
            By::Library => format!("self.{}", of.name),
            By::Param(p) => format!("{}.{}", self.object(p), of.name),
        }
    }

    fn at(&self, of: &At) -> String {
        let begin = self.field(&of.field);
        let index = of.indices.iter().fold(String::new(), |all, (s, i)| {
            let i = match is_within(i, *s) {
                true => self.num(i),
                false => format!("litmpi_net::index({}, {})?", self.num(i), size(*s)),
            };
            let factor = if *s == Size::Nodes { "net.nodes() as u64".to_owned() } else { size(*s) };
            match (all.is_empty(), i.as_str()) {
                (true, _) => i,
                (false, "0") => format!("({all} * {factor})"),
                _ => format!("({all} * {factor} + {i})"),
            }
        });
        if index.is_empty() || index == "0" { begin } else { format!("{begin} + 8 * {index}") }
    }

    fn work(&self, w: &Work) -> String {
        match w {
            Work::Given(p) => param(p),
            Work::Lasting(of) => format!("&{}", self.field(of)),
        }
    }

    /// A number as one.
    fn num(&self, n: &Num) -> String {
        match n {
            Num::Int(v) => v.to_string(),
            Num::Here => {
                self.here.set(true);
                "here".into()
            }
            Num::Var(v) => self.var(*v),
            Num::Given(p) => param(p),
            Num::NodeOf(p) => format!("{p}_node as i64"),
            Num::EachNode(c) => format!("node{c}"),
            Num::Counter(c) => format!("at{c}"),
            Num::Lasting(of) => format!("{}.get()", self.field(of)),
            Num::Neg(a) => format!("-{}", self.operand(a)),
            Num::Bin(Op::Mod, a, b) => format!("litmpi_net::remainder({}, {})?", self.num(a), self.num(b)),
            Num::Not(_) => format!("i64::from({})", self.truth(n)),
            Num::Bin(op, ..) if op.is_truth() => format!("i64::from({})", self.truth(n)),
            Num::Bin(op, a, b) => format!("{} {} {}", self.operand(a), sign(*op), self.operand(b)),
            Num::Word(p, i) => format!("{}[{} as usize]", param(p), self.operand(i)),
            Num::Count(Users(of, by)) => format!("{}.users_{by}.count()", self.object(of)),
            Num::Place(Users(of, by), n) => format!("{}.users_{by}.place({})?", self.object(of), self.num(n)),
            Num::Member(Users(of, by), i) => format!("{}.users_{by}.member({})?", self.object(of), self.num(i)),
            Num::Mixed(a, b) => format!("litmpi_net::mixed({}, {})", self.num(a), self.num(b)),
        }
    }

    fn operand(&self, n: &Num) -> String {
        match n {
            Num::Bin(op, ..) if !op.is_truth() && *op != Op::Mod => format!("({})", self.num(n)),
            Num::Neg(_) | Num::NodeOf(_) => format!("({})", self.num(n)),
            _ => self.num(n),
        }
    }

    /// A number as a condition.
    fn truth(&self, n: &Num) -> String {
        match n {
            Num::Int(v) => (*v != 0).to_string(),
            Num::Not(a) => match &**a {
                Num::Bin(op, ..) if op.is_truth() => format!("!({})", self.truth(a)),
                _ => format!("{} == 0", self.operand(a)),
            },
            Num::Bin(op @ (Op::And | Op::Or), a, b) => {
                let of = |n: &Num| match n {
                    Num::Bin(Op::And | Op::Or, ..) => format!("({})", self.truth(n)),
                    _ => self.truth(n),
                };
                format!("{} {} {}", of(a), sign(*op), of(b))
            }
            Num::Bin(op, a, b) if op.is_truth() => format!("{} {} {}", self.operand(a), sign(*op), self.operand(b)),
            _ => format!("{} != 0", self.operand(n)),
        }
    }
}

fn size(s: Size) -> String {
    match s {
        Size::Nodes => "net.nodes()".into(),
        Size::Is(n) => n.to_string(),
    }
}
