//! Random syntax trees, small, of every form that the parser can give.

use litmpi_spec::decl::{ByLanguage, KindText, Language, Shape};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::syntax::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::LazyLock;

static PLACE: LazyLock<Span> = LazyLock::new(|| Span::new(&Source::new("", ""), 0, 0));

fn sp<T>(node: T) -> Sp<T> {
    Sp { node, span: PLACE.clone() }
}

/// Names, some of which begin like keywords.
fn name() -> impl Strategy<Value = Name> {
    let names = [
        "x", "M", "α", "r'", "_q", "Put", "letter", "iffy", "matches", "picked", "format", "inner", "isx", "anyone",
        "keeps", "notes", "c", "of",
    ];
    select(names.to_vec()).prop_map(|n| sp(n.to_owned()))
}

fn setting() -> impl Strategy<Value = Setting> {
    let values = ["0", "inf", "rc,self", "get_zcopy", "-1", "/dev/shm", "^openib", "50%"];
    let names = select(vec!["UCX_TLS", "x", "sets", "_q"]);
    (names, select(values.to_vec())).prop_map(|(n, value)| (sp(n.to_owned()), value.to_owned()))
}

fn path() -> impl Strategy<Value = Name> {
    select(vec!["m", "rdma/cpu", "put-fetch", "MPI-4.1", "2nd", "of"]).prop_map(|n| sp(n.to_owned()))
}

/// A rule where part of its name may stand: `of` begins something else there.
fn rules() -> impl Strategy<Value = Name> {
    select(vec!["m", "rdma/cpu", "put-*", "2nd"]).prop_map(|n| sp(n.to_owned()))
}

fn text() -> impl Strategy<Value = String> {
    select(vec!["", "a text", "a \"quoted\" text", "back\\slash", "two\nlines", "ends in \\", "-- {}"])
        .prop_map(str::to_owned)
}

fn int() -> impl Strategy<Value = i64> {
    select(vec![0, 1, -1, 7, i64::MAX, i64::MIN])
}

fn ty() -> impl Strategy<Value = Type> {
    let leaf = select(vec!["Int", "Loc", "Register", "T"]).prop_map(|n| sp(TypeKind::Name(n.to_owned())));
    leaf.prop_recursive(3, 8, 3, |t| {
        prop_oneof![
            t.clone().prop_map(|t| sp(TypeKind::Seq(Box::new(t)))),
            t.clone().prop_map(|t| sp(TypeKind::Set(Box::new(t)))),
            (t.clone(), t.clone()).prop_map(|(k, v)| sp(TypeKind::Map(Box::new(k), Box::new(v)))),
            t.clone().prop_map(|t| sp(TypeKind::Option(Box::new(t)))),
            // The grammar has no brackets around a type: a register of an option cannot be written.
            t.clone()
                .prop_filter("Reg T?", |t| !matches!(t.node, TypeKind::Option(_)))
                .prop_map(|t| sp(TypeKind::Reg(Box::new(t)))),
            vec(t, 2..4).prop_map(|ts| sp(TypeKind::Tuple(ts))),
        ]
    })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let leaf = prop_oneof![
        Just(PatternKind::Wild),
        int().prop_map(PatternKind::Int),
        any::<bool>().prop_map(PatternKind::Bool),
        Just(PatternKind::None),
        name().prop_map(PatternKind::Pinned),
        name().prop_map(|n| PatternKind::Bind(n.node)),
    ]
    .prop_map(|p| sp(Box::new(p)));
    leaf.prop_recursive(3, 10, 3, |p| {
        let part = p.clone().prop_filter("a part", |p| !matches!(&*p.node, PatternKind::Cat(_)));
        prop_oneof![
            (name(), vec(p.clone(), 0..3)).prop_map(|(n, ps)| PatternKind::Call(n, ps)),
            (name(), vec((name(), p.clone()), 1..3)).prop_map(|(n, ps)| PatternKind::Fields(n, ps)),
            vec(p.clone(), 2..4).prop_map(PatternKind::Tuple),
            vec(p, 0..3).prop_map(PatternKind::List),
            vec(part, 2..4).prop_map(PatternKind::Cat),
        ]
        .prop_map(|p| sp(Box::new(p)))
    })
}

fn op() -> impl Strategy<Value = BinOp> {
    use BinOp::*;
    select(vec![Implies, Or, And, Eq, Ne, Le, Ge, Lt, Gt, In, Cat, Add, Sub, Mul, Div, Mod, Union, Intersect, Without])
}

fn expr() -> impl Strategy<Value = Expr> + Clone {
    let leaf = prop_oneof![
        int().prop_map(ExprKind::Int),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::None),
        name().prop_map(|n| ExprKind::Name(n.node)),
    ]
    .prop_map(|e| sp(Box::new(e)));
    leaf.prop_recursive(4, 16, 3, |e| {
        let fields = || vec((name(), e.clone()), 1..3);
        prop_oneof![
            1 => (name(), vec(e.clone(), 0..3)).prop_map(|(n, es)| ExprKind::Call(n, es)),
            1 => (name(), fields()).prop_map(|(n, fs)| ExprKind::Record(n, fs)),
            1 => vec(e.clone(), 2..4).prop_map(ExprKind::Tuple),
            1 => vec(e.clone(), 0..3).prop_map(ExprKind::List),
            1 => (e.clone(), pattern(), e.clone(), vec(e.clone(), 0..3)).prop_map(|(v, p, s, c)| ExprKind::Comprehension(v, p, s, c)),
            1 => vec(e.clone(), 0..3).prop_map(ExprKind::Set),
            1 => vec((e.clone(), e.clone()), 1..3).prop_map(ExprKind::Map),
            1 => (e.clone(), pattern(), e.clone(), vec(e.clone(), 0..3)).prop_map(|(v, p, s, c)| ExprKind::SetOf(v, p, s, c)),
            1 => (e.clone(), e.clone(), pattern(), e.clone(), vec(e.clone(), 0..3)).prop_map(|(k, v, p, s, c)| ExprKind::MapOf((k, v), p, s, c)),
            1 => (e.clone(), e.clone()).prop_map(|(a, b)| ExprKind::Index(a, b)),
            1 => (e.clone(), name()).prop_map(|(a, f)| ExprKind::Member(a, f)),
            1 => (e.clone(), fields()).prop_map(|(a, fs)| ExprKind::WithFields(a, fs)),
            1 => (e.clone(), e.clone(), e.clone()).prop_map(|(a, i, v)| ExprKind::WithIndex(a, i, v)),
            1 => (pattern(), e.clone(), e.clone()).prop_map(|(p, a, b)| ExprKind::Let(p, a, b)),
            1 => (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprKind::If(a, b, c)),
            1 => (e.clone(), vec((pattern(), e.clone()), 1..3)).prop_map(|(v, arms)| ExprKind::Match(v, arms)),
            1 => (pattern(), e.clone(), e.clone()).prop_map(|(p, s, b)| ExprKind::All(p, s, b)),
            1 => (pattern(), e.clone(), e.clone()).prop_map(|(p, s, b)| ExprKind::Any(p, s, b)),
            1 => (e.clone(), pattern()).prop_map(|(v, p)| ExprKind::Is(v, p)),
            1 => (e.clone(), vec(name(), 1..3)).prop_map(|(v, ns)| ExprKind::Star(v, ns)),
            1 => e.clone().prop_map(ExprKind::Not),
            1 => e.clone().prop_map(ExprKind::Neg),
            1 => e.clone().prop_map(ExprKind::Deref),
            6 => (op(), e.clone(), e.clone()).prop_map(|(op, a, b)| ExprKind::Bin(op, a, b)),
        ]
        .prop_map(|e| sp(Box::new(e)))
    })
}

fn field() -> impl Strategy<Value = (Name, Type)> {
    (name(), ty())
}

fn cite() -> impl Strategy<Value = Cite> {
    (path(), text()).prop_map(|(work, place)| Cite { work: work.node, place })
}

fn update() -> impl Strategy<Value = Update> {
    let leaf = (expr(), expr()).prop_map(|(p, e)| Update::Set(p, e));
    leaf.prop_recursive(2, 6, 2, |u| {
        prop_oneof![
            (name(), expr(), vec(u.clone(), 1..3)).prop_map(|(n, e, us)| Update::For(n, e, us)),
            (expr(), vec(u.clone(), 1..3), vec(u, 0..3)).prop_map(|(e, a, b)| Update::If(e, a, b)),
        ]
    })
}

fn rule() -> impl Strategy<Value = Item> {
    let premise = prop_oneof![
        expr().prop_map(Premise::Cond),
        (pattern(), expr()).prop_map(|(p, e)| Premise::Pick(p, e)),
        (pattern(), expr()).prop_map(|(p, e)| Premise::Let(p, e)),
        expr().prop_map(|e| Premise::Always(Box::new(Premise::Cond(e)))),
    ];
    let head = (path(), vec(field(), 0..3), text(), vec(cite(), 0..3), vec(text(), 0..2));
    let on = option::of((name(), name(), vec(pattern(), 0..3)));
    let clauses = (vec(requires(), 0..2), vec(update(), 0..3), vec(commutes(), 0..2), option::of(text()));
    (head, on, any::<bool>(), vec(premise, 0..3), clauses).prop_map(
        |((name, params, doc, cites, deviations), on, again, when, (requires, then, commutes, late))| {
            let again = again && on.is_some();
            Item::Rule(Rule { name, params, doc, cites, deviations, on, again, when, requires, then, commutes, late })
        },
    )
}

fn commutes() -> impl Strategy<Value = Commutes> {
    prop_oneof![3 => commute(), 1 => wait()]
}

fn commute() -> impl Strategy<Value = Commutes> {
    let of = (select(&[Whose::Another, Whose::TheSame][..]), name());
    (
        vec(rules(), 1..3),
        vec(name(), 0..3),
        option::of(of),
        vec(rules(), 0..3),
        any::<bool>(),
        option::of(expr()),
        text(),
    )
        .prop_map(|(with, over, of, without, unless_erroneous, when, because)| Commutes {
            waits: false,
            with,
            over,
            of,
            without,
            unless_erroneous,
            when,
            because,
        })
}

fn wait() -> impl Strategy<Value = Commutes> {
    (vec(rules(), 1..3), option::of(expr()), text()).prop_map(|(with, when, because)| Commutes {
        waits: true,
        with,
        over: vec![],
        of: None,
        without: vec![],
        unless_erroneous: false,
        when,
        because,
    })
}

/// A binding or a claim that stands apart from what it speaks of.
fn apart() -> impl Strategy<Value = Item> {
    let language = || select(vec![Language::C, Language::Rust]);
    let said = prop_oneof![
        text().prop_map(Bound::Instruction),
        kind_text().prop_filter("one clause at least", |t| *t != KindText::default()).prop_map(Bound::Kind),
    ];
    prop_oneof![
        (language(), name(), said).prop_map(|(language, name, text)| Item::Bind(Binding { language, name, text })),
        (vec(path(), 1..3), vec(commutes(), 1..3), option::of(text()))
            .prop_map(|(rules, commutes, late)| Item::Claim(Claim { rules, commutes, late })),
    ]
}

/// A requirement with its reason, or a use of shared ones.
fn requires() -> impl Strategy<Value = (Expr, Option<String>)> {
    (expr(), option::of(text()))
}

fn shared() -> impl Strategy<Value = Item> {
    let head = || (name(), vec(field(), 0..3), vec(cite(), 0..2));
    prop_oneof![
        (head(), vec(requires(), 1..3)).prop_map(|((name, params, cites), requires)| {
            Item::Requirements(Requirements { name, params, cites, requires })
        }),
        (head(), vec(update(), 1..3))
            .prop_map(|((name, params, cites), then)| { Item::Updates(Updates { name, params, cites, then }) }),
    ]
}

fn kind_text() -> impl Strategy<Value = KindText> {
    let t = || option::of(text());
    let constants = vec((select(vec!["any", "MPI_SUM"]).prop_map(str::to_owned), text()), 0..2);
    (t(), t(), t(), t(), t(), t(), vec((text(), text()), 0..2), constants).prop_map(
        |(ty, init, pass, none, none_list, leave, fields, names)| KindText {
            ty,
            init,
            pass,
            none,
            none_list,
            leave,
            fields,
            names,
        },
    )
}

fn kind() -> impl Strategy<Value = Item> {
    let shape = prop_oneof![
        select(vec![Shape::Local, Shape::LocalOrNone, Shape::Remote, Shape::Node, Shape::Int]),
        name().prop_map(|n| Shape::Register(n.node)),
        name().prop_map(|n| Shape::Handle(n.node)),
    ];
    let names = vec((select(vec!["any", "MPI_SUM", "in"]).prop_map(str::to_owned), int()), 0..3);
    let both = (kind_text(), kind_text()).prop_map(|(c, rust)| ByLanguage { c, rust });
    let carries = vec((select(vec!["", "MPI_SUM"]).prop_map(str::to_owned), text()), 0..2);
    (name(), shape, any::<[bool; 2]>(), names, carries, both).prop_map(|(name, shape, is, names, carries, text)| {
        // `only` stands before names.
        let only_names = is[1] && !names.is_empty();
        Item::Kind(Kind { name, shape, is_in: is[0], only_names, names, carries, text })
    })
}

fn instruction() -> impl Strategy<Value = Item> {
    let atom = || prop_oneof![int().prop_map(Atom::Int), name().prop_map(|n| Atom::Name(n.node))].prop_map(sp);
    let param = (name(), name(), any::<bool>(), option::of(atom())).prop_map(|(name, kind, list, default)| Param {
        name,
        kind,
        list,
        default,
    });
    let form = prop_oneof![
        (name(), name()).prop_map(|(l, r)| Form::Assign(l, r)),
        (name(), name(), vec(name(), 0..3)).prop_map(|(l, f, a)| Form::AssignCall(l, f, a)),
    ];
    let steps = vec((name(), vec(atom(), 0..3)).prop_map(sp), 0..3);
    let expansion = (steps, vec((name(), name()), 0..3)).prop_map(|(steps, locals)| Expansion { steps, locals });
    let both = (option::of(text()), option::of(text())).prop_map(|(c, rust)| ByLanguage { c, rust });
    (any::<bool>(), name(), vec(param, 0..3), option::of(form), text(), both, option::of(expansion)).prop_map(
        |(internal, name, params, form, doc, text, expansion)| {
            Item::Instruction(Instruction { internal, name, params, form, doc, text, expansion })
        },
    )
}

fn item() -> impl Strategy<Value = Item> {
    let fun = (name(), vec(field(), 0..3), ty(), vec(cite(), 0..2), vec(text(), 0..2), expr()).prop_map(
        |(name, params, result, cites, deviations, body)| {
            Item::Fun(Fun { name, params, result, cites, deviations, body })
        },
    );
    let keeps = (expr(), text()).prop_map(|(value, because)| Keeps { value, because });
    prop_oneof![
        1 => (name(), ty(), expr()).prop_map(|(n, t, e)| Item::Const(n, t, e)),
        1 => (path(), text(), vec(setting(), 0..3), vec((name(), expr()), 1..3))
            .prop_map(|(n, t, settings, s)| Item::Variant(n, t, settings, s)),
        1 => (name(), ty()).prop_map(|(n, t)| Item::Alias(n, t)),
        1 => (name(), vec(field(), 1..3)).prop_map(|(n, fs)| Item::Record(n, fs)),
        1 => (name(), vec((name(), vec(field(), 0..3)), 1..4)).prop_map(|(n, alts)| Item::Union(n, alts)),
        1 => (name(), vec(field(), 0..3), ty(), expr(), option::of(keeps))
            .prop_map(|(n, i, t, e, keeps)| Item::State(n, i, t, e, keeps)),
        2 => fun,
        1 => kind(),
        1 => instruction(),
        3 => rule(),
        1 => shared(),
        2 => apart(),
        1 => vec((any::<bool>(), rules()).prop_map(|(function, name)| LeftOut { function, name }), 1..3)
            .prop_map(Item::Without),
    ]
}

/// A file.
pub(super) fn file() -> impl Strategy<Value = File> {
    let head = (any::<bool>(), path(), option::of(path()), text());
    let declared = (option::of(path()), text()).prop_map(|(variant, form)| Declared { variant, form: sp(form) });
    let notes = (vec(cite(), 0..3), vec(declared, 0..3));
    (head, notes, vec(text().prop_map(sp), 0..3), vec(item(), 0..4)).prop_map(
        |((is_model, name, of, title), (cites, declared), imports, items)| File {
            is_model,
            over: None,
            name,
            of,
            title,
            cites,
            declared,
            imports,
            items,
        },
    )
}
