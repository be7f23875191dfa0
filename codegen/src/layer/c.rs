//! Libraries in C: header and source.

use super::body::Writer;
use super::code::{At, By, Field, Function, Gives, Holder, Nodes, Num, Op, Size, Step, Takes, Users, Var, Way, Work};
use std::fmt::Write as _;

/// Header and source.
pub(super) fn library(w: &Writer<'_>, name: &str, title: &str) -> (String, String) {
    let p = name.replace('-', "_");
    let guard = p.to_uppercase();
    let mut h = format!(
        "/* {title}.\n * Made by `litmpi emit --layer` from the layer's text. `litmpi refine` says what holds of that, over RDMA^TSO.\n \
         * One thread of each process calls it. Objects are made by all processes in the same order. */\n\
         #ifndef LITMPI_{guard}_H\n#define LITMPI_{guard}_H\n\n#include \"litmpi-net.h\"\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    let mut c = format!("/* {title}; see {name}.h. */\n#include \"{name}.h\"\n\n#include <stdlib.h>\n\n");
    structure(
        w,
        &mut h,
        &Holder::Library,
        &p,
        "    struct litmpi_net *net;\n",
        "The library: one for all objects, made by all processes.",
    );
    let _ = writeln!(h, "struct {p} *{p}_open(struct litmpi_net *net);\n");
    let _ = writeln!(c, "struct {p} *{p}_open(struct litmpi_net *net)\n{{");
    let _ = writeln!(c, "    struct {p} *made = litmpi_zeroed(sizeof *made);\n    made->net = net;");
    fields(w, &mut c, &Holder::Library);
    c += "    return made;\n}\n\n";
    for kind in &w.objects {
        let holder = Holder::Object(kind.clone());
        let asked = w.asked(kind);
        let mut first = format!("    struct {p} *lib;\n");
        asked.iter().for_each(|by| _ = writeln!(first, "    struct litmpi_users users_{by};"));
        let says = if asked.is_empty() {
            "An object: memory on every process, which has it in the same place.".to_owned()
        } else {
            format!("An object; who uses it is said when it is made, the same by all: {}.", asked.join(", "))
        };
        structure(w, &mut h, &holder, &format!("{p}_{kind}"), &first, &says);
        let params: String = asked.iter().map(|by| format!(", struct litmpi_nodes users_{by}")).collect();
        let head = format!("struct {p}_{kind} *{p}_make_{kind}(struct {p} *lib{params})");
        let _ = writeln!(h, "{head};\n");
        let _ = writeln!(c, "{head}\n{{\n    struct litmpi_net *net = lib->net;");
        let _ = writeln!(c, "    struct {p}_{kind} *made = litmpi_zeroed(sizeof *made);\n    made->lib = lib;");
        asked.iter().for_each(|by| _ = writeln!(c, "    made->users_{by} = litmpi_users_of(net, users_{by});"));
        fields(w, &mut c, &holder);
        c += "    return made;\n}\n\n";
    }
    for f in &w.functions {
        let head = head(f, &p);
        let _ = writeln!(h, "/* {}.{} */\n{head};\n", f.doc, words(f));
        let _ = writeln!(c, "{head}\n{{\n{}}}\n", body(w, f, &p));
    }
    h += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    (h, c)
}

fn structure(w: &Writer<'_>, h: &mut String, holder: &Holder, name: &str, first: &str, says: &str) {
    let _ = writeln!(h, "/* {says} */\nstruct {name} {{\n{}", first.trim_end_matches('\n'));
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let sizes: String = sizes.iter().map(|s| format!("[{}]", size(*s).trim_start_matches("net->"))).collect();
        let _ = writeln!(
            h,
            "    uint64_t {field}; /* where it begins{} */",
            if sizes.is_empty() { sizes } else { format!(": {sizes}") }
        );
    }
    for ((_, field), work) in w.lasting.iter().filter(|((of, _), _)| of == holder) {
        let _ = writeln!(h, "    {}{field};", if *work { "struct litmpi_work " } else { "int64_t " });
    }
    *h += "};\n";
}

fn fields(w: &Writer<'_>, c: &mut String, holder: &Holder) {
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let all: String = sizes.iter().map(|s| format!(" * (uint64_t){}", size(*s))).collect();
        let _ = writeln!(c, "    made->{field} = litmpi_take(net, 8{all});");
    }
    for ((_, field), _) in w.lasting.iter().filter(|((of, _), work)| of == holder && **work) {
        let _ = writeln!(c, "    litmpi_work_begin(net, &made->{field});");
    }
}

/// What of a function has several words.
fn words(f: &Function) -> String {
    let mut out = String::new();
    for (name, takes) in &f.params {
        if let Takes::Words(n) = takes {
            let _ = write!(out, " `{name}_` has {n}.");
        }
    }
    match f.gives {
        Gives::Words(n) => _ = write!(out, " `into` has room for {n}."),
        Gives::PerhapsWords(n) => _ = write!(out, " `into` has room for {n}; given is 0, or -1 for none."),
        _ => {}
    }
    out
}

fn head(f: &Function, prefix: &str) -> String {
    let mut params: Vec<String> = vec![];
    if f.object().is_none() {
        params.push(format!("struct {prefix} *lib"));
    }
    for (name, takes) in &f.params {
        params.push(match takes {
            Takes::Object { kind, .. } => format!("struct {prefix}_{kind} *{name}_"),
            Takes::Nodes => format!("struct litmpi_nodes {name}_"),
            Takes::Number => format!("int64_t {name}_"),
            Takes::Words(_) => format!("const int64_t *{name}_"),
            Takes::Work => format!("struct litmpi_work *{name}_"),
        });
        if let Takes::Object { far: true, .. } = takes {
            params.push(format!("int {name}_node"));
        }
    }
    if matches!(f.gives, Gives::Words(_) | Gives::PerhapsWords(_)) {
        params.push("int64_t *into".into());
    }
    let ty = if matches!(f.gives, Gives::Nothing | Gives::Words(_)) { "void" } else { "int64_t" };
    format!("{ty} {prefix}_{}({})", f.name, params.join(", "))
}

fn body(w: &Writer<'_>, f: &Function, prefix: &str) -> String {
    let mut text = f.object().map_or(String::new(), |object| format!("    struct {prefix} *lib = {object}_->lib;\n"));
    text += "    struct litmpi_net *net = lib->net;\n    const int here = net->rank;\n    (void)here;\n";
    let own: Vec<String> = (0..f.variables.len()).map(|v| format!("{} = 0", var(f, Var::Own(v)))).collect();
    if !own.is_empty() {
        let _ = writeln!(text, "    int64_t {};", own.join(", "));
        for v in (0..f.variables.len()).map(Var::Own) {
            if !f.steps.iter().any(|s| s.is_any(&|n| *n == Num::Var(v), true)) {
                let _ = writeln!(text, "    (void){};", var(f, v));
            }
        }
    }
    if let Some((of, by)) = w.must(f) {
        let _ = writeln!(text, "    litmpi_must({of}_->users_{by}.own >= 0, \"{prefix}_{}\");", f.name);
    }
    let gives = !matches!(f.gives, Gives::Nothing | Gives::Words(_));
    if gives {
        text += "    int64_t result = 0;\n";
    }
    steps(f, &f.steps, 1, &mut text);
    if gives {
        text += "    return result;\n";
    }
    text
}

fn steps(f: &Function, all: &[Step], depth: usize, out: &mut String) {
    for s in all {
        step(f, s, depth, out);
    }
}

fn step(f: &Function, s: &Step, depth: usize, out: &mut String) {
    let pad = "    ".repeat(depth);
    let mut line = |text: String| _ = writeln!(out, "{pad}{text}");
    match s {
        Step::Set(v, n) => line(format!("{} = {};", var(f, *v), num(f, n))),
        Step::SetWord(i, n) => line(format!("into[{}] = {};", num(f, i), num(f, n))),
        Step::SetLasting(to, n) => line(format!("{} = {};", field(to), num(f, n))),
        Step::Load(v, from) => line(format!("{} = litmpi_load(net, {});", var(f, *v), at(f, from))),
        Step::Store(to, n) => line(format!("litmpi_store(net, {}, {});", at(f, to), num(f, n))),
        Step::Mfence => line("litmpi_mfence();".into()),
        Step::Wait(w) => line(format!("litmpi_wait(net, {});", work(w))),
        Step::Remote { way, node, far, own, words, work: w } => {
            let way = if *way == Way::Put { "put" } else { "get" };
            let (node, far, own, bytes) = (num(f, node), at(f, far), at(f, own), 8 * words);
            line(format!("litmpi_{way}(net, {node}, {far}, {own}, {bytes}, {});", work(w)));
        }
        Step::If(cond, then, els) => {
            line(format!("if ({}) {{", num(f, cond)));
            steps(f, then, depth + 1, out);
            if !els.is_empty() {
                let _ = writeln!(out, "{pad}}} else {{");
                steps(f, els, depth + 1, out);
            }
            let _ = writeln!(out, "{pad}}}");
        }
        Step::Loop(body) => {
            line("for (;;) {".into());
            steps(f, body, depth + 1, out);
            let _ = writeln!(out, "{pad}}}");
        }
        Step::LeaveIf(n) => line(format!("if ({})\n{pad}    break;", num(f, n))),
        Step::Pause => line("litmpi_pause(net);".into()),
        Step::EachNode { counter, of, others, body } => {
            let (count, node) = match of {
                Nodes::All => ("net->nodes".to_owned(), format!("at{counter}")),
                Nodes::Users(of, by) => {
                    (format!("{of}_->users_{by}.count"), format!("{of}_->users_{by}.of[at{counter}]"))
                }
                Nodes::Given(of) => (format!("{of}_.count"), format!("{of}_.of[at{counter}]")),
            };
            line(format!("for (int at{counter} = 0; at{counter} < {count}; at{counter}++) {{"));
            line(format!("    const int node{counter} = {node};"));
            if *others {
                line(format!("    if (node{counter} == here)\n{pad}        continue;"));
            }
            steps(f, body, depth + 1, out);
            let _ = writeln!(out, "{pad}}}");
        }
        Step::Doubling { counter, of: Users(of, by), body } => {
            let count = format!("{of}_->users_{by}.count");
            line(format!("for (int64_t at{counter} = 1; at{counter} < {count}; at{counter} *= 2) {{"));
            steps(f, body, depth + 1, out);
            let _ = writeln!(out, "{pad}}}");
        }
        Step::Count { counter, end, body } => {
            line(format!("for (int at{counter} = 0; at{counter} < {end}; at{counter}++) {{"));
            steps(f, body, depth + 1, out);
            let _ = writeln!(out, "{pad}}}");
        }
    }
}

fn var(f: &Function, v: Var) -> String {
    match v {
        Var::Own(n) => f.variable(n),
        Var::Result => "result".into(),
    }
}

fn field(of: &Field) -> String {
    match &of.by {
        By::Library => format!("lib->{}", of.name),
        By::Param(p) => format!("{p}_->{}", of.name),
    }
}

fn size(s: Size) -> String {
    match s {
        Size::Nodes => "net->nodes".into(),
        Size::Is(n) => n.to_string(),
    }
}

fn at(f: &Function, of: &At) -> String {
    let begin = field(&of.field);
    let index = of.indices.iter().fold(String::new(), |all, (of_size, index)| {
        let (s, i) = (size(*of_size), num(f, index));
        let i = format!("litmpi_index({i}, {s})");
        match (all.is_empty(), i.as_str()) {
            (true, _) => i,
            (false, "0") => format!("({all} * {s})"),
            _ => format!("({all} * {s} + {i})"),
        }
    });
    if index.is_empty() || index == "0" { begin } else { format!("{begin} + 8 * {index}") }
}

/// Whether an index is known to be there.
pub(super) fn is_within(index: &Num, size: Size) -> bool {
    matches!((index, size), (Num::Int(i), Size::Is(n)) if (0..n).contains(i))
}

fn work(w: &Work) -> String {
    match w {
        Work::Given(p) => format!("{p}_"),
        Work::Lasting(of) => format!("&{}", field(of)),
    }
}

fn num(f: &Function, n: &Num) -> String {
    match n {
        Num::Int(v) => v.to_string(),
        Num::Here => "here".into(),
        Num::Var(v) => var(f, *v),
        Num::Given(p) => format!("{p}_"),
        Num::NodeOf(p) => format!("{p}_node"),
        Num::EachNode(c) => format!("node{c}"),
        Num::Counter(c) => format!("at{c}"),
        Num::Lasting(of) => field(of),
        Num::Not(a) => format!("!{}", operand(f, a)),
        Num::Neg(a) => format!("-{}", operand(f, a)),
        Num::Bin(Op::Mod, a, b) => format!("litmpi_mod({}, {})", num(f, a), num(f, b)),
        Num::Bin(op, a, b) => format!("{} {} {}", operand(f, a), sign(*op), operand(f, b)),
        Num::Word(p, i) => format!("{p}_[{}]", num(f, i)),
        Num::Count(Users(of, by)) => format!("{of}_->users_{by}.count"),
        Num::Place(Users(of, by), n) => match &**n {
            Num::Here => format!("{of}_->users_{by}.own"),
            n => format!("litmpi_place({of}_->users_{by}, {})", num(f, n)),
        },
        Num::Member(Users(of, by), i) => format!("litmpi_member({of}_->users_{by}, {})", num(f, i)),
        Num::Mixed(a, b) => format!("litmpi_mixed({}, {})", num(f, a), num(f, b)),
    }
}

/// A number within another one.
fn operand(f: &Function, n: &Num) -> String {
    match n {
        Num::Bin(op, ..) if *op != Op::Mod => format!("({})", num(f, n)),
        Num::Neg(_) => format!("({})", num(f, n)),
        Num::Int(v) if *v < 0 => format!("({v})"),
        _ => num(f, n),
    }
}

/// An operator as both languages have it.
pub(super) fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Mod => "%",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::And => "&&",
        Op::Or => "||",
    }
}
