//! Syntax tree to text, in the style of the shipped files.
//!
//! Parsing the text gives the tree back, and printing that gives the same text. Comments and the alignment of columns
//! are not in the tree, so they are lost: this is for texts that programs make, and for tests, not for formatting
//! files that people wrote.

mod doc;
mod events;
mod expr;
mod layer;
mod overlay;

use crate::decl::{Language, Shape};
use crate::syntax::*;
use doc::{Doc, align, bracketed, cat, commas, group, nest, render};
use expr::{Level, expr, pattern};

/// Prints a file.
pub fn print(file: &File) -> String {
    let kind = if file.over.is_some() { "layer " } else { "module " };
    let mut out = String::from(if file.is_model { "model " } else { kind });
    out += &file.name.node;
    if let Some(of) = &file.of {
        out += &format!(" of {}", of.node);
    }
    if let Some(over) = &file.over {
        out += &format!(" over {}", over.node);
    }
    out += &format!(" {}\n", quoted(&file.title));
    for c in &file.cites {
        out += &format!("  {}\n", cite(c));
    }
    for d in &file.declared {
        let variant = d.variant.as_ref().map_or(String::new(), |v| format!("{} ", v.node));
        out += &format!("  declared {variant}{}\n", quoted(&d.form.node));
    }
    for i in &file.imports {
        out += &format!("import {}\n", quoted(&i.node));
    }
    let mut last: Option<(&Item, bool)> = None;
    for i in &file.items {
        let text = render(&item(i));
        let short = !text.contains('\n');
        // Short declarations of one sort stand together.
        let together = last.is_some_and(|(l, s)| s && short && std::mem::discriminant(l) == std::mem::discriminant(i));
        if !together {
            out.push('\n');
        }
        out += &text;
        out.push('\n');
        last = Some((i, short));
    }
    out
}

/// Prints an expression on its own.
pub fn print_expr(e: &Expr) -> String {
    render(&expr(e, Level::Whole))
}

/// Prints a pattern on its own.
pub fn print_pattern(p: &Pattern) -> String {
    render(&pattern(p))
}

fn quoted(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c => out.push(c),
        }
    }
    out + "\""
}

fn cite(c: &Cite) -> String {
    format!("cite {} {}", c.work, quoted(&c.place))
}

/// `x: T`
fn field((name, t): &(Name, Type)) -> Doc {
    format!("{}: {}", name.node, ty(t)).into()
}

fn ty(t: &Type) -> String {
    match &t.node {
        TypeKind::Name(n) => n.clone(),
        TypeKind::Seq(t) => format!("[{}]", ty(t)),
        TypeKind::Set(t) => format!("{{{}}}", ty(t)),
        TypeKind::Map(k, v) => format!("{{{} ↦ {}}}", ty(k), ty(v)),
        TypeKind::Option(t) => format!("{}?", ty(t)),
        TypeKind::Reg(t) => format!("Reg {}", ty(t)),
        TypeKind::Tuple(ts) => format!("({})", ts.iter().map(ty).collect::<Vec<_>>().join(", ")),
    }
}

/// `x = e`
fn binding((name, value): &(Name, Expr)) -> Doc {
    cat([format!("{} = ", name.node).into(), align(expr(value, Level::Whole))])
}

/// `{ x = e, y = f }`
fn bindings(bs: &[(Name, Expr)]) -> Doc {
    bracketed("{ ", bs.iter().map(binding), " }")
}

fn item(i: &Item) -> Doc {
    match i {
        Item::Const(name, t, e) => value(format!("const {}: {}", name.node, ty(t)), e),
        Item::Variant(name, title, settings, sets) => {
            let title = if title.is_empty() { String::new() } else { format!(" {}", quoted(title)) };
            let head: Doc = format!("variant {}{title}", name.node).into();
            if settings.is_empty() {
                return cat([head, " ".into(), bindings(sets)]);
            }
            let words: Vec<String> = settings.iter().map(|(n, value)| format!("{}={value}", n.node)).collect();
            let settings = format!("sets {}", words.join(" ")).into();
            cat([head, nest(cat([group(cat([Doc::Line, settings])), group(cat([Doc::Line, bindings(sets)]))]))])
        }
        Item::Alias(name, t) => format!("alias {} = {}", name.node, ty(t)).into(),
        Item::Record(name, fields) => {
            cat([format!("record {} ", name.node).into(), bracketed("{ ", fields.iter().map(field), " }")])
        }
        Item::Union(name, alts) | Item::Gains(name, alts) => {
            let sign = if matches!(i, Item::Union(..)) { "= " } else { "gains " };
            let mut parts = vec![];
            for (i, (ctor, fields)) in alts.iter().enumerate() {
                parts.push(if i == 0 { sign.into() } else { cat([Doc::Line, "| ".into()]) });
                parts.push(ctor.node.as_str().into());
                if !fields.is_empty() {
                    parts.push(bracketed("(", fields.iter().map(field), ")"));
                }
            }
            cat([format!("type {} ", name.node).into(), group(align(Doc::Cat(parts)))])
        }
        Item::State(name, index, t, e, keeps) => {
            let index: String = index.iter().map(|(n, t)| format!("[{}: {}]", n.node, ty(t))).collect();
            let state = value(format!("state {}{index}: {}", name.node, ty(t)), e);
            match keeps {
                None => state,
                Some(k) => {
                    let because = format!("because {}", quoted(&k.because));
                    let value = align(expr(&k.value, Level::Whole));
                    cat([state, nest(cat([Doc::Line, "keeps ".into(), value, Doc::Line, because.into()]))])
                }
            }
        }
        Item::Fun(f) => function(f),
        Item::Kind(k) => kind(k),
        Item::Instruction(i) => instruction(i),
        Item::Events(e) => events::events(e),
        Item::Memory(fields) => layer::memory(fields),
        Item::Registers(names) => cat(["registers ".into(), commas(names.iter().map(|n| n.node.clone().into()))]),
        Item::Implement(i) => layer::implement(i),
        Item::Requirements(r) => shared("requirements", &r.name, &r.params, &r.cites, r.requires.iter().map(requires)),
        Item::Updates(u) => shared("updates", &u.name, &u.params, &u.cites, [then(&u.then)]),
        Item::Rule(r) => rule(r),
        Item::Bind(b) => overlay::bind(b),
        Item::Claim(c) => overlay::claim(c),
        Item::Without(names) => {
            let one = |o: &LeftOut| format!("{}{}", if o.function { "fun " } else { "" }, o.name.node).into();
            cat(["without ".into(), commas(names.iter().map(one))])
        }
    }
}

/// `head = e`, with the value on a line of its own if it does not fit.
fn value(head: String, e: &Expr) -> Doc {
    group(cat([head.into(), nest(cat([Doc::Line, "= ".into(), align(expr(e, Level::Whole))]))]))
}

fn function(f: &Fun) -> Doc {
    let mut head = vec![format!("fun {}", f.name.node).into(), bracketed("(", f.params.iter().map(field), ")")];
    head.push(format!(": {}", ty(&f.result)).into());
    let notes = f.cites.iter().map(cite).chain(f.deviations.iter().map(|d| format!("deviation {}", quoted(d))));
    let notes: Vec<Doc> = notes.flat_map(|n| [Doc::Line, n.into()]).collect();
    let body = expr(&f.body, Level::Whole);
    if notes.is_empty() && matches!(&*f.body.node, ExprKind::Match(..)) {
        return cat([Doc::Cat(head), " = ".into(), body]);
    }
    group(cat([Doc::Cat(head), nest(cat([Doc::Cat(notes), Doc::Line, "= ".into(), align(body)]))]))
}

fn kind(k: &Kind) -> Doc {
    let shape = match &k.shape {
        Shape::Local => "local".into(),
        Shape::LocalOrNone => "local?".into(),
        Shape::Remote => "remote".into(),
        Shape::Node => "node".into(),
        Shape::Object => "object".into(),
        Shape::Int => "Int".into(),
        Shape::Register(t) => format!("register {t}"),
        Shape::Handle(t) => format!("handle {t}"),
    };
    let is_in = if k.is_in { " IN" } else { "" };
    let mut parts = vec![format!("kind {} = {shape}{is_in}", k.name.node).into()];
    if !k.names.is_empty() {
        let names = k.names.iter().map(|(n, v)| format!("{n} = {v}").into());
        let head = if k.only_names { "names only " } else { "names " };
        parts.extend([Doc::Line, head.into(), group(align(commas(names)))]);
    }
    for (name, what) in &k.carries {
        let name = if name.is_empty() { String::new() } else { format!("{name} ") };
        parts.extend([Doc::Line, format!("carries {name}{}", quoted(what)).into()]);
    }
    for (language, of) in LANGUAGES {
        let head = format!("{language} ");
        parts.extend(overlay::kind_text(k.text.of(of)).flat_map(|t| [Doc::Line, format!("{head}{t}").into()]));
    }
    group(nest(Doc::Cat(parts)))
}

/// Each language by its word.
const LANGUAGES: [(&str, Language); 2] = [("c", Language::C), ("rust", Language::Rust)];

fn atom(a: &Sp<Atom>) -> Doc {
    match &a.node {
        Atom::Int(v) => v.to_string().into(),
        Atom::Name(n) => n.as_str().into(),
    }
}

fn instruction(i: &Instruction) -> Doc {
    let params = i.params.iter().map(|p| {
        let kind = if p.list { format!("[{}]", p.kind.node) } else { p.kind.node.clone() };
        let head = Doc::from(format!("{}: {kind}", p.name.node));
        match &p.default {
            None => head,
            Some(d) => cat([head, " = ".into(), atom(d)]),
        }
    });
    let internal = if i.internal { "internal " } else { "" };
    let mut parts = vec![format!("{internal}instruction {} ", i.name.node).into(), bracketed("(", params, ")")];
    match &i.form {
        None => {}
        Some(Form::Assign(l, r)) => parts.extend([Doc::Line, format!("form {} := {}", l.node, r.node).into()]),
        Some(Form::AssignCall(l, f, args)) => {
            let args: Vec<&str> = args.iter().map(|a| a.node.as_str()).collect();
            parts.extend([Doc::Line, format!("form {} := {}({})", l.node, f.node, args.join(", ")).into()]);
        }
    }
    if !i.doc.is_empty() {
        parts.extend([Doc::Line, quoted(&i.doc).into()]);
    }
    for (language, of) in LANGUAGES {
        if let Some(text) = i.text.of(of) {
            parts.extend([Doc::Line, format!("{language} {}", quoted(text)).into()]);
        }
    }
    if let Some(e) = &i.expansion {
        let mut steps = vec![];
        for s in &e.steps {
            let (name, args) = &s.node;
            steps.extend([Doc::Line, name.node.as_str().into(), bracketed("(", args.iter().map(atom), ")")]);
        }
        parts.extend([Doc::Line, "= {".into(), group(cat([nest(Doc::Cat(steps)), Doc::Line, "}".into()]))]);
        if !e.locals.is_empty() {
            let locals = e.locals.iter().map(|(n, k)| format!("{}: {}", n.node, k.node).into());
            parts.extend([" where ".into(), commas(locals)]);
        }
    }
    group(nest(Doc::Cat(parts)))
}

fn rule(r: &Rule) -> Doc {
    let mut parts = vec![format!("rule {} ", r.name.node).into(), bracketed("(", r.params.iter().map(field), ")")];
    if !r.doc.is_empty() {
        parts.push(format!(" {}", quoted(&r.doc)).into());
    }
    let mut clause = |d: Doc| parts.extend([Doc::Line, d]);
    r.cites.iter().for_each(|c| clause(cite(c).into()));
    r.deviations.iter().for_each(|d| clause(format!("deviation {}", quoted(d)).into()));
    if let Some((thread, instr, args)) = &r.on {
        clause(cat([
            format!("on {}: {}", thread.node, instr.node).into(),
            bracketed("(", args.iter().map(pattern), ")"),
            if r.again { " again" } else { "" }.into(),
        ]));
    }
    if !r.when.is_empty() {
        clause(cat(["when ".into(), group(align(commas(r.when.iter().map(premise))))]));
    }
    r.requires.iter().for_each(|q| clause(requires(q)));
    if !r.then.is_empty() {
        clause(then(&r.then));
    }
    overlay::claims(&r.commutes, r.late.as_deref()).for_each(clause);
    // Outside any group, every clause has a line.
    nest(Doc::Cat(parts))
}

fn requires((e, why): &(Expr, Option<String>)) -> Doc {
    let why = why.as_ref().map_or(String::new(), |w| format!(" else {}", quoted(w)));
    cat(["requires ".into(), align(expr(e, Level::Whole)), why.into()])
}

fn then(us: &[Update]) -> Doc {
    cat(["then ".into(), group(align(commas(us.iter().map(update))))])
}

/// Requirements or updates with a name.
fn shared(
    word: &str,
    name: &Name,
    params: &[(Name, Type)],
    cites: &[Cite],
    clauses: impl IntoIterator<Item = Doc>,
) -> Doc {
    let mut parts = vec![format!("{word} {} ", name.node).into(), bracketed("(", params.iter().map(field), ")")];
    let cites = cites.iter().map(|c| cite(c).into());
    parts.extend(cites.chain(clauses).flat_map(|d| [Doc::Line, d]));
    nest(Doc::Cat(parts))
}

fn premise(p: &Premise) -> Doc {
    match p {
        // `let p = e` without brackets would be read as the premise.
        Premise::Cond(e) if matches!(&*e.node, ExprKind::Let(..)) => expr(e, Level::Postfix),
        Premise::Cond(e) => expr(e, Level::Whole),
        Premise::Pick(p, e) => cat(["pick ".into(), pattern(p), " in ".into(), align(expr(e, Level::Whole))]),
        Premise::Let(p, e) => cat(["let ".into(), pattern(p), " = ".into(), align(expr(e, Level::Whole))]),
        Premise::Always(p) => cat(["always ".into(), premise(p)]),
    }
}

fn update(u: &Update) -> Doc {
    match u {
        Update::Set(place, e) => cat([expr(place, Level::Postfix), " := ".into(), align(expr(e, Level::Whole))]),
        Update::For(name, e, body) => {
            cat([format!("for {} in ", name.node).into(), expr(e, Level::Whole), " ".into(), block(body)])
        }
        Update::If(e, then, els) => {
            let head = cat(["if ".into(), expr(e, Level::Whole), " ".into(), block(then)]);
            if els.is_empty() { head } else { cat([head, " else ".into(), block(els)]) }
        }
        Update::Use(name, args) => {
            cat([name.node.as_str().into(), bracketed("(", args.iter().map(|a| expr(a, Level::Whole)), ")")])
        }
    }
}

fn block(us: &[Update]) -> Doc {
    let body = commas(us.iter().map(update));
    group(cat(["{".into(), nest(cat([Doc::Line, body])), Doc::Line, "}".into()]))
}
