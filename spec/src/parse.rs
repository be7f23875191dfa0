//! Text to syntax tree.

mod events;
mod expr;
mod layer;
mod overlay;
mod slips;

use crate::decl::{ByLanguage, Language, Shape};
use crate::depth;
use crate::diag::{Diagnostic, Report, syntax};
use crate::source::{Source, Span};
use crate::syntax::*;
use crate::works::meant;
use litmpi_grammars::spec as grammar;
use pest::Parser;
use pest::iterators::{Pair, Pairs};
pub use slips::ITEMS;
use std::sync::Arc;

use grammar::{Grammar, Rule as R};

/// Parses one file.
///
/// # Errors
/// Where the text stops being a specification, and what would fit there; or an integer too large.
pub fn parse(source: &Arc<Source>) -> Result<File, Report> {
    let mut pairs = Grammar::parse(R::file, &source.text).map_err(|e| Report::from(wrong(source, &e)))?;
    depth::within(source, &pairs, links)?;
    let mut builder = Builder { source: Arc::clone(source), errors: Report::default() };
    let file = builder.file(pairs.next().expect("a file").into_inner());
    builder.errors.into_result()?;
    Ok(file)
}

/// Where the text stops being a specification, with the slip that this likely is.
fn wrong(source: &Arc<Source>, e: &pest::error::Error<R>) -> Diagnostic {
    let d = syntax(source, e, readable);
    match d.span.as_ref().and_then(|span| slips::slip(&source.text, span.start)) {
        Some(help) => d.help(help),
        None => d,
    }
}

/// How many operators a node chains that leans to the left.
fn links(of: R, children: usize) -> usize {
    match of {
        // Operands and operators in turn.
        R::disjunction | R::conjunction | R::concat | R::sum | R::product => children / 2,
        R::postfix | R::ty => children.saturating_sub(1),
        _ => 0,
    }
}

/// What a grammar rule is called in messages; empty for those that help nobody.
fn readable(what: &R) -> String {
    match what {
        R::WHITESPACE | R::COMMENT | R::ty_option => String::new(),
        R::EOI => "the end of the file".into(),
        R::ident => "a name".into(),
        R::int => "an integer".into(),
        R::string => "a text in quotes".into(),
        R::setting | R::setting_name | R::setting_value => "a setting, as in `NAME=value`".into(),
        R::expr | R::primary | R::unary | R::postfix => "an expression".into(),
        R::pattern | R::pattern_part => "a pattern".into(),
        R::ty | R::ty_base => "a type".into(),
        R::constant => "`const`".into(),
        R::function => "`fun`".into(),
        R::union => "`type`".into(),
        R::op_cat => "`·`".into(),
        R::op_maps | R::mapped => "`↦`".into(),
        R::maplet => "a key and its value".into(),
        R::kw_in => "`in`".into(),
        R::kw_in_only => "`IN`".into(),
        R::kw_only => "`only`".into(),
        R::kw_is => "`is`".into(),
        R::op_and => "`and`".into(),
        R::op_or => "`or`".into(),
        R::op_not => "`not`".into(),
        R::op_implies => "`implies`".into(),
        R::cmp_op => "a comparison".into(),
        R::sum_op | R::product_op | R::unary_op => "an operator".into(),
        R::language | R::language_text | R::emit => "`c` or `rust`".into(),
        R::event_at | R::event_reads | R::event_writes | R::event_also | R::events_params => String::new(),
        R::event_block => "`{`".into(),
        R::event | R::event_set => "an event".into(),
        R::event_when => "`when`".into(),
        R::event_keys => "`(`".into(),
        R::event_key => "a key".into(),
        R::header | R::header_kind => "`module`, `model` or `layer`".into(),
        R::stmt_block => "`{`".into(),
        R::s_assign | R::s_call => "a statement".into(),
        R::s_if | R::s_while | R::s_repeat | R::s_for | R::s_choose | R::over | R::memory_field => String::new(),
        other => {
            let name = format!("{other:?}");
            match name.strip_prefix("kw_") {
                Some(word) => format!("`{word}`"),
                None => format!("`{}`", name.replace('_', " ")),
            }
        }
    }
}

struct Builder {
    source: Arc<Source>,
    errors: Report,
}

type P<'a> = Pair<'a, R>;

impl Builder {
    fn span(&self, p: &P<'_>) -> Span {
        Span::new(&self.source, p.as_span().start(), p.as_span().end())
    }

    fn sp<T>(&self, p: &P<'_>, node: T) -> Sp<T> {
        Sp { node, span: self.span(p) }
    }

    fn name(&self, p: P<'_>) -> Name {
        self.sp(&p, p.as_str().to_owned())
    }

    fn int(&mut self, p: &P<'_>) -> i64 {
        self.integer(&self.span(p), p.as_str())
    }

    fn integer(&mut self, span: &Span, text: &str) -> i64 {
        text.parse().unwrap_or_else(|_| {
            let d = Diagnostic::at(span, format!("`{text}` does not fit in 64 bits"))
                .help("integers are from -9223372036854775807 to 9223372036854775807");
            self.errors.0.push(d);
            0
        })
    }

    fn string(&self, p: P<'_>) -> String {
        let text = p.into_inner().next().expect("inner").as_str();
        let mut out = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some(other) => out.push(other),
                    None => {}
                },
                c => out.push(c),
            }
        }
        out
    }

    fn file(&mut self, pairs: Pairs<'_, R>) -> File {
        let mut file = File {
            is_model: false,
            name: Sp { node: String::new(), span: Span::new(&self.source, 0, 0) },
            of: None,
            over: None,
            title: String::new(),
            cites: vec![],
            declared: vec![],
            imports: vec![],
            items: vec![],
        };
        for p in pairs {
            match p.as_rule() {
                R::header => {
                    let mut names = vec![];
                    for q in p.into_inner() {
                        match q.as_rule() {
                            R::header_kind => file.is_model = q.as_str().starts_with("model"),
                            R::path => names.push(self.name(q)),
                            R::over => file.over = q.into_inner().nth(1).map(|n| self.name(n)),
                            R::string => file.title = self.string(q),
                            R::declared => file.declared.push(self.declared(q)),
                            _ => file.cites.push(self.cite(q)),
                        }
                    }
                    let mut names = names.into_iter();
                    file.name = names.next().expect("a header has a name");
                    file.of = names.next();
                }
                R::import => {
                    let q = p.into_inner().next().expect("a path");
                    let span = self.span(&q);
                    file.imports.push(Sp { node: self.string(q), span });
                }
                R::EOI => {}
                _ => file.items.push(self.item(p)),
            }
        }
        file
    }

    fn declared(&mut self, p: P<'_>) -> Declared {
        let mut inner: Vec<P<'_>> = p.into_inner().skip(1).collect();
        let text = inner.pop().expect("a file");
        let span = self.span(&text);
        Declared { variant: inner.pop().map(|v| self.name(v)), form: Sp { node: self.string(text), span } }
    }

    fn cite(&mut self, p: P<'_>) -> Cite {
        let mut inner = p.into_inner().skip(1);
        let at = inner.next().expect("a work");
        let work = at.as_str().to_owned();
        if let Some(near) = meant(&work) {
            let d = Diagnostic::at(&self.span(&at), format!("no work is called `{work}`"));
            self.errors.0.push(d.found("unknown work").help(format!("did you mean `{near}`?")));
        }
        Cite { work, place: self.string(inner.next().expect("a place")) }
    }

    fn deviation(&mut self, p: P<'_>) -> String {
        self.string(p.into_inner().nth(1).expect("a text"))
    }

    fn setting(&mut self, p: P<'_>) -> Setting {
        let mut i = p.into_inner();
        let mut next = || i.next().expect("the grammar's shape");
        (self.name(next()), next().as_str().to_owned())
    }

    fn item(&mut self, p: P<'_>) -> Item {
        let what = p.as_rule();
        let mut i = p.clone().into_inner();
        let mut next = || i.next().expect("the grammar's shape");
        match what {
            R::bind => self.bind(i),
            R::claim => self.claim(i),
            R::without => Item::Without(i.skip(1).map(|q| self.left_out(q)).collect()),
            R::constant => Item::Const(self.name(next()), self.ty(next()), self.expr(next())),
            R::variant => {
                let name = self.name(next());
                let mut title = String::new();
                let (mut settings, mut bindings) = (vec![], vec![]);
                for q in i {
                    match q.as_rule() {
                        R::string => title = self.string(q),
                        R::sets => settings = q.into_inner().skip(1).map(|s| self.setting(s)).collect(),
                        _ => bindings.push(self.binding(q)),
                    }
                }
                Item::Variant(name, title, settings, bindings)
            }
            R::alias => Item::Alias(self.name(next()), self.ty(next())),
            R::record => {
                let name = self.name(next());
                let fields = next().into_inner().map(|q| self.field(q)).collect();
                Item::Record(name, fields)
            }
            R::union => Item::Union(self.name(next()), i.map(|q| self.alternative(q)).collect()),
            R::gains => Item::Gains(self.name(next()), i.skip(1).map(|q| self.alternative(q)).collect()),
            R::state => {
                let name = self.name(next());
                let mut indices = vec![];
                let mut q = next();
                while q.as_rule() == R::state_index {
                    indices.push(self.field(q));
                    q = next();
                }
                let (ty, init) = (self.ty(q), self.expr(next()));
                let keeps = i.next().map(|q| {
                    let mut parts = q.into_inner().skip(1);
                    let mut part = || parts.next().expect("the grammar has it");
                    Keeps { value: self.expr(part()), because: self.string(part()) }
                });
                Item::State(name, indices, ty, init, keeps)
            }
            R::function => {
                let name = self.name(next());
                let (mut params, mut cites, mut deviations) = (vec![], vec![], vec![]);
                let mut q = next();
                while q.as_rule() == R::field_decl {
                    params.push(self.field(q));
                    q = next();
                }
                let result = self.ty(q);
                loop {
                    let q = next();
                    match q.as_rule() {
                        R::cite => cites.push(self.cite(q)),
                        R::deviation => deviations.push(self.deviation(q)),
                        _ => {
                            let body = self.expr(q);
                            return Item::Fun(Fun { name, params, result, cites, deviations, body });
                        }
                    }
                }
            }
            R::kind => self.kind(i),
            R::instruction => self.instruction(i),
            R::events => self.events(i),
            R::memory => self.memory(i),
            R::registers => Item::Registers(i.skip(1).map(|q| self.name(q)).collect()),
            R::implement => self.implement(i),
            R::requirements => self.requirements(i),
            R::updates => self.updates(i),
            _ => self.rule(i),
        }
    }

    fn binding(&mut self, p: P<'_>) -> (Name, Expr) {
        let mut i = p.into_inner();
        (self.name(i.next().expect("a name")), self.expr(i.next().expect("a value")))
    }

    fn alternative(&mut self, p: P<'_>) -> Alternative {
        let mut i = p.into_inner();
        (self.name(i.next().expect("a name")), i.map(|f| self.field(f)).collect())
    }

    fn field(&mut self, p: P<'_>) -> (Name, Type) {
        let mut i = p.into_inner();
        (self.name(i.next().expect("a name")), self.ty(i.next().expect("a type")))
    }

    fn kind(&mut self, mut i: Pairs<'_, R>) -> Item {
        let name = self.name(i.next().expect("a name"));
        let shape_pair = i.next().expect("a shape");
        let shape = match shape_pair.as_str() {
            "local" => Shape::Local,
            "local?" => Shape::LocalOrNone,
            "remote" => Shape::Remote,
            "node" => Shape::Node,
            "object" => Shape::Object,
            "Int" => Shape::Int,
            _ => {
                let of = shape_pair.into_inner().next().expect("a register or handle");
                let handle = of.as_rule() == R::shape_handle;
                let ty = of.into_inner().next().expect("a type").as_str().to_owned();
                if handle { Shape::Handle(ty) } else { Shape::Register(ty) }
            }
        };
        let (mut names, mut carries, mut text) = (vec![], vec![], ByLanguage::default());
        let (mut is_in, mut only_names) = (false, false);
        for q in i {
            match q.as_rule() {
                R::kw_in_only => is_in = true,
                R::names => {
                    for n in q.into_inner() {
                        if n.as_rule() == R::kw_only {
                            only_names = true;
                            continue;
                        }
                        let mut n = n.into_inner();
                        let name = n.next().expect("a name").as_str().to_owned();
                        names.push((name, self.int(&n.next().expect("a value"))));
                    }
                }
                R::carries => {
                    let mut q = q.into_inner().rev();
                    let what = self.string(q.next().expect("a text"));
                    carries.push((q.next().map_or_else(String::new, |n| n.as_str().to_owned()), what));
                }
                _ => {
                    let mut q = q.into_inner();
                    let of = text.of_mut(language(&q.next().expect("a language")));
                    self.kind_text(q.next().expect("a clause"), of);
                }
            }
        }
        Item::Kind(Kind { name, shape, is_in, only_names, names, carries, text })
    }

    fn atom(&mut self, p: P<'_>) -> Sp<Atom> {
        let span = self.span(&p);
        let q = p.into_inner().next().expect("an atom");
        let node = if q.as_rule() == R::int { Atom::Int(self.int(&q)) } else { Atom::Name(q.as_str().to_owned()) };
        Sp { node, span }
    }

    fn instruction(&mut self, i: Pairs<'_, R>) -> Item {
        let mut out = Instruction {
            internal: false,
            name: Sp { node: String::new(), span: Span::new(&self.source, 0, 0) },
            params: vec![],
            form: None,
            doc: String::new(),
            text: ByLanguage::default(),
            expansion: None,
        };
        for q in i {
            match q.as_rule() {
                R::kw_internal => out.internal = true,
                R::ident => out.name = self.name(q),
                R::param => {
                    let mut j = q.into_inner();
                    let name = self.name(j.next().expect("a name"));
                    let kind = j.next().expect("a kind").into_inner().next().expect("a kind");
                    let list = kind.as_rule() == R::kind_list;
                    let kind = if list { kind.into_inner().next().expect("a kind") } else { kind };
                    let kind = self.name(kind);
                    let default = j.next().map(|d| self.atom(d));
                    out.params.push(Param { name, kind, list, default });
                }
                R::form => {
                    let mut j = q.into_inner();
                    let left = self.name(j.next().expect("a name"));
                    let right = j.next().expect("a right side");
                    out.form = Some(if right.as_rule() == R::form_call {
                        let mut k = right.into_inner();
                        let called = self.name(k.next().expect("a name"));
                        Form::AssignCall(left, called, k.map(|a| self.name(a)).collect())
                    } else {
                        Form::Assign(left, self.name(right))
                    });
                }
                R::string => out.doc = self.string(q),
                R::emit => {
                    let mut q = q.into_inner();
                    let of = out.text.of_mut(language(&q.next().expect("a language")));
                    *of = Some(self.string(q.next().expect("a text")));
                }
                _ => {
                    let mut e = Expansion { steps: vec![], locals: vec![] };
                    for s in q.into_inner() {
                        if s.as_rule() == R::step {
                            let span = self.span(&s);
                            let mut k = s.into_inner();
                            let name = self.name(k.next().expect("a name"));
                            e.steps.push(Sp { node: (name, k.map(|a| self.atom(a)).collect()), span });
                        } else {
                            for l in s.into_inner() {
                                let mut k = l.into_inner();
                                e.locals
                                    .push((self.name(k.next().expect("a name")), self.name(k.next().expect("a kind"))));
                            }
                        }
                    }
                    out.expansion = Some(e);
                }
            }
        }
        Item::Instruction(out)
    }

    fn rule(&mut self, i: Pairs<'_, R>) -> Item {
        let mut i = i;
        let mut rule = Rule {
            name: self.name(i.next().expect("a name")),
            params: vec![],
            doc: String::new(),
            cites: vec![],
            deviations: vec![],
            on: None,
            again: false,
            when: vec![],
            requires: vec![],
            then: vec![],
            commutes: vec![],
            late: None,
        };
        for q in i {
            match q.as_rule() {
                R::field_decl => rule.params.push(self.field(q)),
                R::string => rule.doc = self.string(q),
                R::cite => rule.cites.push(self.cite(q)),
                R::deviation => rule.deviations.push(self.deviation(q)),
                R::on => {
                    if rule.on.is_some() {
                        let d = Diagnostic::at(&self.span(&q), "a rule runs at most one instruction")
                            .help("split it into two rules");
                        self.errors.0.push(d);
                    }
                    let mut j = q.into_inner().skip(1);
                    let thread = self.name(j.next().expect("a thread"));
                    let instr = self.name(j.next().expect("an instruction"));
                    let mut args = vec![];
                    for a in j {
                        match a.as_rule() {
                            R::again => rule.again = true,
                            _ => args.push(self.pattern(a)),
                        }
                    }
                    rule.on = Some((thread, instr, args));
                }
                R::when => {
                    for p in q.into_inner().skip(1) {
                        let premise = self.premise(p);
                        rule.when.push(premise);
                    }
                }
                R::late => rule.late = self.late(q),
                R::commutes | R::waits => rule.commutes.push(self.commutes(q)),
                R::requires => {
                    let requires = self.requires(q);
                    rule.requires.push(requires);
                }
                _ => {
                    for u in q.into_inner().skip(1) {
                        let u = self.update(u);
                        rule.then.push(u);
                    }
                }
            }
        }
        Item::Rule(rule)
    }

    fn left_out(&mut self, p: P<'_>) -> LeftOut {
        let mut parts: Vec<P<'_>> = p.into_inner().collect();
        let name = self.name(parts.pop().expect("a name"));
        LeftOut { function: !parts.is_empty(), name }
    }

    fn commutes(&mut self, p: P<'_>) -> Commutes {
        let mut out = Commutes {
            waits: p.as_rule() == R::waits,
            with: vec![],
            over: vec![],
            of: None,
            without: vec![],
            unless_erroneous: false,
            when: None,
            because: String::new(),
        };
        for q in p.into_inner() {
            match q.as_rule() {
                R::of_another | R::of_same => {
                    let whose = if q.as_rule() == R::of_same { Whose::TheSame } else { Whose::Another };
                    out.of = q.into_inner().next().map(|n| (whose, self.name(n)));
                }
                R::rule_names => out.with.push(self.name(q)),
                R::touching => {
                    out.over = q.into_inner().filter(|n| n.as_rule() == R::ident).map(|n| self.name(n)).collect();
                }
                R::unless => out.unless_erroneous = true,
                R::absent => {
                    out.without =
                        q.into_inner().filter(|n| n.as_rule() == R::rule_names).map(|n| self.name(n)).collect();
                }
                R::expr => out.when = Some(self.expr(q)),
                R::string => out.because = self.string(q),
                _ => {}
            }
        }
        out
    }

    fn premise(&mut self, p: P<'_>) -> Premise {
        let inner = p.into_inner().next().expect("a premise");
        match inner.as_rule() {
            R::always => Premise::Always(Box::new(self.premise(inner.into_inner().next().expect("a premise")))),
            R::pick => {
                let mut i = inner.into_inner();
                let pat = self.pattern(i.next().expect("a pattern"));
                i.next();
                Premise::Pick(pat, self.expr(i.next().expect("a sequence")))
            }
            R::premise_let => {
                let mut i = inner.into_inner();
                let pat = self.pattern(i.next().expect("a pattern"));
                Premise::Let(pat, self.expr(i.next().expect("a value")))
            }
            _ => Premise::Cond(self.expr(inner)),
        }
    }

    fn requires(&mut self, p: P<'_>) -> (Expr, Option<String>) {
        let mut i = p.into_inner().skip(1);
        (self.expr(i.next().expect("a condition")), i.next().map(|r| self.string(r)))
    }

    fn requirements(&mut self, mut i: Pairs<'_, R>) -> Item {
        let name = self.name(i.next().expect("a name"));
        let mut out = Requirements { name, params: vec![], cites: vec![], requires: vec![] };
        for q in i {
            match q.as_rule() {
                R::field_decl => out.params.push(self.field(q)),
                R::cite => out.cites.push(self.cite(q)),
                _ => out.requires.push(self.requires(q)),
            }
        }
        Item::Requirements(out)
    }

    fn updates(&mut self, mut i: Pairs<'_, R>) -> Item {
        let name = self.name(i.next().expect("a name"));
        let mut out = Updates { name, params: vec![], cites: vec![], then: vec![] };
        for q in i {
            match q.as_rule() {
                R::field_decl => out.params.push(self.field(q)),
                R::cite => out.cites.push(self.cite(q)),
                _ => out.then.extend(q.into_inner().skip(1).map(|u| self.update(u))),
            }
        }
        Item::Updates(out)
    }

    fn update(&mut self, p: P<'_>) -> Update {
        let inner = p.into_inner().next().expect("an update");
        match inner.as_rule() {
            R::for_update => {
                let mut i = inner.into_inner();
                let name = self.name(i.next().expect("a name"));
                i.next();
                let e = self.expr(i.next().expect("a sequence"));
                Update::For(name, e, i.map(|u| self.update(u)).collect())
            }
            R::if_update => {
                let mut i = inner.into_inner();
                let e = self.expr(i.next().expect("a condition"));
                let (mut then, mut els) = (vec![], vec![]);
                let mut in_else = false;
                for u in i {
                    match u.as_rule() {
                        R::kw_else => in_else = true,
                        _ if in_else => els.push(self.update(u)),
                        _ => then.push(self.update(u)),
                    }
                }
                Update::If(e, then, els)
            }
            R::call => {
                let mut i = inner.into_inner();
                let name = self.name(i.next().expect("a name"));
                Update::Use(name, i.map(|a| self.expr(a)).collect())
            }
            _ => {
                let mut i = inner.into_inner();
                Update::Set(self.expr(i.next().expect("a place")), self.expr(i.next().expect("a value")))
            }
        }
    }

    fn ty(&mut self, p: P<'_>) -> Type {
        let span = self.span(&p);
        match p.as_rule() {
            R::ty => {
                let mut i = p.into_inner();
                let mut t = self.ty(i.next().expect("a type"));
                for _ in i {
                    t = Sp { node: TypeKind::Option(Box::new(t)), span: span.clone() };
                }
                t
            }
            R::ty_base => {
                let q = p.into_inner().next().expect("a type");
                self.ty(q)
            }
            R::ty_seq => Sp { node: TypeKind::Seq(Box::new(self.ty(p.into_inner().next().expect("a type")))), span },
            R::ty_braces => {
                let mut i = p.into_inner();
                let first = Box::new(self.ty(i.next().expect("a type")));
                let node = match i.nth(1) {
                    None => TypeKind::Set(first),
                    Some(value) => TypeKind::Map(first, Box::new(self.ty(value))),
                };
                Sp { node, span }
            }
            R::ty_reg => Sp { node: TypeKind::Reg(Box::new(self.ty(p.into_inner().nth(1).expect("a type")))), span },
            R::ty_tuple => Sp { node: TypeKind::Tuple(p.into_inner().map(|q| self.ty(q)).collect()), span },
            _ => Sp { node: TypeKind::Name(p.as_str().to_owned()), span },
        }
    }
}

fn language(p: &P<'_>) -> Language {
    if p.as_str() == "c" { Language::C } else { Language::Rust }
}
