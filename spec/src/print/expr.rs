//! Expressions and patterns.

use super::bindings;
use super::doc::{Doc, align, bracketed, cat, commas, group, nest};
use crate::syntax::{BinOp, Expr, ExprKind, Pattern, PatternKind};

/// How tightly an expression holds together, as the grammar nests its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Anything; also what is open to the right: `let`, `if`, quantifiers.
    Whole,
    Or,
    And,
    Not,
    Comparison,
    Concat,
    Sum,
    Product,
    Unary,
    Postfix,
}

impl Level {
    fn of(e: &ExprKind) -> Level {
        match e {
            ExprKind::Let(..) | ExprKind::If(..) | ExprKind::All(..) | ExprKind::Any(..) => Level::Whole,
            ExprKind::Bin(op, ..) => Level::of_op(*op),
            ExprKind::Not(_) => Level::Not,
            ExprKind::Is(..) | ExprKind::Star(..) => Level::Comparison,
            ExprKind::Neg(_) | ExprKind::Deref(_) => Level::Unary,
            ExprKind::Int(v) if *v < 0 => Level::Unary,
            _ => Level::Postfix,
        }
    }

    fn of_op(op: BinOp) -> Level {
        match op {
            BinOp::Implies => Level::Whole,
            BinOp::Or => Level::Or,
            BinOp::And => Level::And,
            BinOp::Eq | BinOp::Ne | BinOp::Le | BinOp::Ge | BinOp::Lt | BinOp::Gt | BinOp::In => Level::Comparison,
            BinOp::Cat => Level::Concat,
            BinOp::Add | BinOp::Sub | BinOp::Union | BinOp::Without => Level::Sum,
            BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::Intersect => Level::Product,
        }
    }

    fn tighter(self) -> Level {
        match self {
            Level::Whole => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Comparison,
            Level::Comparison => Level::Concat,
            Level::Concat => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Unary,
            Level::Unary | Level::Postfix => Level::Postfix,
        }
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Implies => "implies",
        BinOp::Or => "or",
        BinOp::And => "and",
        BinOp::Eq => "=",
        BinOp::Ne => "≠",
        BinOp::Le => "≤",
        BinOp::Ge => "≥",
        BinOp::Lt => "<",
        BinOp::Gt => ">",
        BinOp::In => "∈",
        BinOp::Cat => "·",
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "div",
        BinOp::Mod => "mod",
        BinOp::Union => "∪",
        BinOp::Intersect => "∩",
        BinOp::Without => "\\",
    }
}

/// An expression where the grammar wants one of a level: in brackets if it is looser.
pub(super) fn expr(e: &Expr, level: Level) -> Doc {
    let inside = bare(&e.node);
    if Level::of(&e.node) >= level { inside } else { cat(["(".into(), align(inside), ")".into()]) }
}

/// The base of `[i]`, `.f` and `with`.
fn base(e: &Expr) -> Doc {
    match &*e.node {
        // The value of `with [i] = v` would take what follows for its own.
        ExprKind::WithIndex(..) => cat(["(".into(), bare(&e.node), ")".into()]),
        _ => expr(e, Level::Postfix),
    }
}

fn whole(e: &Expr) -> Doc {
    expr(e, Level::Whole)
}

fn bare(e: &ExprKind) -> Doc {
    match e {
        ExprKind::Int(v) => v.to_string().into(),
        ExprKind::Bool(v) => v.to_string().into(),
        ExprKind::None => "None".into(),
        ExprKind::Name(n) => n.as_str().into(),
        ExprKind::Call(f, args) => cat([f.node.as_str().into(), bracketed("(", args.iter().map(whole), ")")]),
        ExprKind::Record(name, fields) => cat([format!("{} ", name.node).into(), bindings(fields)]),
        ExprKind::Tuple(parts) => bracketed("(", parts.iter().map(whole), ")"),
        ExprKind::List(parts) => bracketed("[", parts.iter().map(whole), "]"),
        ExprKind::Comprehension(value, pat, seq, conds) => comprehension("[ ", whole(value), pat, seq, conds, " ]"),
        ExprKind::Set(parts) => bracketed("{", parts.iter().map(whole), "}"),
        ExprKind::Map(pairs) => bracketed("{", pairs.iter().map(maplet), "}"),
        ExprKind::SetOf(value, pat, seq, conds) => comprehension("{ ", whole(value), pat, seq, conds, " }"),
        ExprKind::MapOf(pair, pat, seq, conds) => comprehension("{ ", maplet(pair), pat, seq, conds, " }"),
        ExprKind::Index(b, i) => cat([base(b), "[".into(), whole(i), "]".into()]),
        ExprKind::Member(b, f) => cat([base(b), format!(".{}", f.node).into()]),
        ExprKind::WithFields(b, fields) => cat([base(b), " with ".into(), bindings(fields)]),
        ExprKind::WithIndex(b, i, v) => {
            cat([base(b), " with [".into(), whole(i), "] = ".into(), expr(v, Level::Unary)])
        }
        ExprKind::Let(pat, v, body) => group(cat([
            "let ".into(),
            pattern(pat),
            " = ".into(),
            align(expr(v, Level::Concat)),
            " in".into(),
            Doc::Line,
            whole(body),
        ])),
        ExprKind::If(c, a, b) => {
            let then = cat(["if ".into(), align(whole(c)), " then ".into(), align(whole(a))]);
            let els = match &*b.node {
                ExprKind::If(..) => whole(b),
                _ => align(whole(b)),
            };
            group(cat([then, Doc::Line, "else ".into(), els]))
        }
        ExprKind::Match(v, arms) => {
            let arms = arms.iter().map(|(p, b)| cat([pattern(p), " => ".into(), align(whole(b))]));
            let body = cat([nest(cat([Doc::Line, commas(arms)])), Doc::Line, "}".into()]);
            group(cat(["match ".into(), whole(v), " {".into(), body]))
        }
        ExprKind::All(p, s, b) => quantified("all ", p, s, b),
        ExprKind::Any(p, s, b) => quantified("any ", p, s, b),
        ExprKind::Is(v, p) => cat([expr(v, Level::Concat), " is ".into(), pattern(p)]),
        ExprKind::Star(v, names) => {
            let names: Vec<&str> = names.iter().map(|n| n.node.as_str()).collect();
            cat([expr(v, Level::Concat), format!(" ∈ {{{}}}*", names.join(", ")).into()])
        }
        // Brackets that the grammar does not need, but readers do.
        ExprKind::Not(x) if Level::of(&x.node) == Level::Comparison => cat(["not ".into(), expr(x, Level::Postfix)]),
        ExprKind::Not(x) => cat(["not ".into(), expr(x, Level::Not)]),
        ExprKind::Neg(x) => match &*x.node {
            // `--` begins a comment, and `-1` is an integer.
            ExprKind::Deref(_) => cat(["-".into(), expr(x, Level::Unary)]),
            _ if starts_with_digit(x) => cat(["-(".into(), whole(x), ")".into()]),
            _ => cat(["-".into(), expr(x, Level::Postfix)]),
        },
        ExprKind::Deref(x) => cat(["!".into(), expr(x, Level::Unary)]),
        ExprKind::Bin(op, a, b) => {
            let level = Level::of_op(*op);
            let (left, right) = match level {
                Level::Whole => (Level::Or, Level::Whole),
                Level::Comparison => (Level::Concat, Level::Concat),
                level => (level, level.tighter()),
            };
            let tail = cat([Doc::Line, format!("{} ", symbol(*op)).into(), align(expr(b, right))]);
            let first = match &*a.node {
                // `x ∈ {a, b}*` asks which constructors a sequence has.
                ExprKind::Set(_) if *op == BinOp::Mul => cat(["(".into(), bare(&a.node), ")".into()]),
                _ => expr(a, left),
            };
            let doc = cat([first, tail]);
            // A chain breaks as one.
            if matches!(level, Level::Or | Level::And | Level::Concat) {
                chain(*op, a, b, left, right)
            } else {
                group(align(doc))
            }
        }
    }
}

/// `k ↦ v`
fn maplet((key, value): &(Expr, Expr)) -> Doc {
    cat([whole(key), " ↦ ".into(), align(whole(value))])
}

fn comprehension(open: &str, value: Doc, pat: &Pattern, seq: &Expr, conds: &[Expr], close: &str) -> Doc {
    let generator = cat([pattern(pat), " in ".into(), expr(seq, Level::Concat)]);
    let parts = std::iter::once(generator).chain(conds.iter().map(whole));
    cat([open.into(), group(align(cat([value, Doc::Line, "| ".into(), align(commas(parts))]))), close.into()])
}

/// `a op b op c`, on one line or each operand on its own.
fn chain(op: BinOp, a: &Expr, b: &Expr, left: Level, right: Level) -> Doc {
    let mut operands = vec![expr(b, right)];
    let mut first = a;
    while let ExprKind::Bin(o, x, y) = &*first.node
        && *o == op
    {
        operands.push(expr(y, right));
        first = x;
    }
    let mut parts = vec![expr(first, left)];
    for operand in operands.into_iter().rev() {
        parts.extend([Doc::Line, format!("{} ", symbol(op)).into(), align(operand)]);
    }
    group(align(Doc::Cat(parts)))
}

fn quantified(word: &str, p: &Pattern, s: &Expr, b: &Expr) -> Doc {
    let head = cat([word.into(), pattern(p), " in ".into(), expr(s, Level::Concat), " :".into()]);
    group(cat([head, nest(cat([Doc::Line, align(whole(b))]))]))
}

fn starts_with_digit(e: &Expr) -> bool {
    match &*e.node {
        ExprKind::Int(_) => true,
        ExprKind::Index(b, _) | ExprKind::Member(b, _) | ExprKind::WithFields(b, _) | ExprKind::WithIndex(b, _, _) => {
            starts_with_digit(b)
        }
        _ => false,
    }
}

/// A pattern.
pub(super) fn pattern(p: &Pattern) -> Doc {
    match &*p.node {
        PatternKind::Wild => "_".into(),
        PatternKind::Int(v) => v.to_string().into(),
        PatternKind::Bool(v) => v.to_string().into(),
        PatternKind::None => "None".into(),
        PatternKind::Pinned(n) => format!("={}", n.node).into(),
        PatternKind::Bind(n) => n.as_str().into(),
        PatternKind::Call(n, args) => cat([n.node.as_str().into(), bracketed("(", args.iter().map(pattern), ")")]),
        PatternKind::Fields(n, fields) => {
            let fields = fields.iter().map(|(f, p)| cat([format!("{} = ", f.node).into(), pattern(p)]));
            cat([format!("{} ", n.node).into(), bracketed("{ ", fields, " }")])
        }
        PatternKind::Tuple(ps) => bracketed("(", ps.iter().map(pattern), ")"),
        PatternKind::List(ps) => bracketed("[", ps.iter().map(pattern), "]"),
        PatternKind::Cat(ps) => {
            let mut parts = vec![];
            for p in ps {
                if !parts.is_empty() {
                    parts.push(" · ".into());
                }
                parts.push(pattern(p));
            }
            Doc::Cat(parts)
        }
    }
}
