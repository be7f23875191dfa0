//! Instructions to statements.

use super::Reader;
use super::asm::Instruction;
use super::init::{Init, Start, Width};
use super::operand::Operand;
use crate::raw::{Arg, Call, Expr, ExprKind, Init as Value, Name, Place, Right, Stmt, Value as Given};
use litmpi_spec::program::{BinaryOp, UnaryOp};
use litmpi_spec::source::Span;
use std::collections::BTreeSet;

/// Hidden registers: what an instruction reads on its way, and the two sides that conditional jumps compare.
const TEMPORARY: &str = "$1";
const LEFT: &str = "$2";
const RIGHT: &str = "$3";

/// What a conditional jump compares.
pub(super) fn flags(span: &Span) -> [Expr; 2] {
    [named(LEFT, span), named(RIGHT, span)]
}

/// One thread while it is translated.
pub(super) struct Column<'r, 's> {
    reader: &'r mut Reader<'s>,
    state: &'r mut Init,
    process: i64,
    /// Some jump looks at flags.
    flags: bool,
    /// Some instruction so far sets them.
    set_before: bool,
    /// No code runs twice or is jumped over, so that a register may change from an address to a number.
    straight: bool,
    /// Registers that hold numbers since they were assigned.
    assigned: BTreeSet<String>,
    /// Registers that were read.
    used: BTreeSet<String>,
    /// The word and the width of the instruction at hand, if that is narrow.
    word: String,
    narrow: Option<u32>,
    /// Where it stands.
    place: Span,
    out: Vec<Stmt>,
}

impl<'r, 's> Column<'r, 's> {
    pub(super) fn new(
        reader: &'r mut Reader<'s>,
        state: &'r mut Init,
        process: i64,
        flags: bool,
        straight: bool,
    ) -> Column<'r, 's> {
        let (assigned, used) = (BTreeSet::new(), BTreeSet::new());
        let (word, narrow, out) = (String::new(), None, Vec::new());
        let place = Span::new(reader.source, 0, 0);
        Column { reader, state, process, flags, set_before: false, straight, assigned, used, word, narrow, place, out }
    }

    /// A conditional jump looks at the flags, which are not known at the beginning.
    pub(super) fn asked(&mut self, span: &Span) {
        if !self.set_before {
            let help = "put a comparison before it: `CMP EAX,$1`";
            self.reader.error(span, "no instruction before this jump sets flags", "flags that are not known", help);
        }
    }

    /// The registers' initial values, and 0 for those that instructions read and none assigns. Those that are observed are 0, too, unless that
    /// looks like a slip of the pen.
    pub(super) fn beginning<'o>(self, span: &Span, watched: impl Iterator<Item = &'o Name>) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut set = |name: &str, value: i64, at: &Span| {
            let number = Expr { kind: ExprKind::Int(value), span: at.clone() };
            out.push(assign(name, number, at));
        };
        let mut shown = self.used;
        let watched: Vec<&Name> = watched.collect();
        let unseen: Vec<String> =
            self.assigned.iter().filter(|r| watched.iter().all(|w| w.text != **r)).cloned().collect();
        for name in watched {
            shown.insert(name.text.clone());
            if !self.assigned.contains(&name.text) {
                self.reader.given(name, self.process, &unseen, self.state);
            }
            let start = self.state.registers.get(&(self.process, name.text.clone()));
            if let (Some((_, Start::Address(_))), false) = (start, self.assigned.contains(&name.text)) {
                self.reader.holds_address(name, &name.span);
            }
        }
        for ((_, name), (at, start)) in self.state.registers.iter().filter(|((p, _), _)| *p == self.process) {
            shown.remove(name);
            match start {
                Start::Number(n) if n.value != 0 || !self.assigned.contains(name) => set(name, n.value, &at.span),
                _ => {}
            }
        }
        for name in shown.iter().filter(|n| !self.assigned.contains(*n)) {
            set(name, 0, span);
        }
        out
    }

    /// The statements of an instruction; none, and a message, if it is not supported.
    pub(super) fn instruction(&mut self, i: &Instruction) -> Vec<Stmt> {
        self.out.clear();
        i.word.clone_into(&mut self.word);
        self.place = i.span.clone();
        self.narrow = i.narrow;
        // AT&T's order is the other one.
        let swapped = self.reader.arch == super::Arch::X86_64;
        match (i.name.as_str(), i.operands.as_slice()) {
            ("mfence" | "lfence" | "sfence", _) if !i.lock => self.out.push(fence(i)),
            ("nop" | "pause" | "endbr64", _) if !i.lock => {}
            ("inc" | "dec", [to]) => {
                let op = if i.name == "inc" { BinaryOp::Add } else { BinaryOp::Sub };
                self.compute(op, to, Expr { kind: ExprKind::Int(1), span: i.span.clone() }, i);
            }
            ("xchg" | "xadd" | "cmpxchg", [a, b]) => self.exchange(a, b, i),
            (_, [a, b]) => {
                let (to, from) = if swapped { (b, a) } else { (a, b) };
                self.two(to, from, i);
            }
            _ => self.not_lockable(i),
        }
        std::mem::take(&mut self.out)
    }

    fn two(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        if in_memory(to) && in_memory(from) {
            let help = "one operand may be in memory, the other is a register or a number";
            self.reader.error(&i.span, "both operands are in memory", "no such instruction", help);
            return;
        }
        let op = match i.name.as_str() {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "and" => BinaryOp::BitAnd,
            "or" => BinaryOp::BitOr,
            "xor" => BinaryOp::BitXor,
            _ if i.lock => return self.not_lockable(i),
            "mov" if i.narrow.is_some() => return self.narrow_mov(to, from, i),
            "mov" => return self.mov(to, from, i),
            "shl" | "sal" => return self.shift(to, from, i),
            _ => return self.compare(to, from, i),
        };
        let Some(value) = self.value(from, TEMPORARY, &i.span) else { return };
        self.compute(op, to, value, i);
    }

    fn mov(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        match to {
            Operand::Register(r) if in_memory(from) => {
                let Some(x) = self.location(from) else { return };
                self.set(r, place(&x, &i.span), &i.span);
            }
            Operand::Register(r) => {
                let Some(value) = self.value(from, TEMPORARY, &i.span) else { return };
                self.set(r, value, &i.span);
            }
            Operand::Immediate(_) => self.not_a_place(i),
            _ => {
                let (Some(value), Some(x)) = (self.value(from, TEMPORARY, &i.span), self.location(to)) else { return };
                self.out.push(assign(&x.text, value, &i.span));
            }
        }
    }

    /// A `MOV` of 8 or 16 bits: of a location, it is all; of a register, its low bits.
    fn narrow_mov(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        let span = &i.span;
        let int = |value: i64| Expr { kind: ExprKind::Int(value), span: span.clone() };
        let bits = i.narrow.expect("a narrow instruction has a width");
        if [to, from].iter().any(|o| matches!(o, Operand::Register(_)))
            || [to, from].iter().any(|o| matches!(o, Operand::Part(_, b) if *b != bits))
        {
            let help = format!("its operands have {bits} bits, as AL and AX have 8 and 16");
            self.reader.error(span, format!("an operand of `{}` has another width", i.word), "its operands", help);
            return;
        }
        let mask = (1 << bits) - 1;
        let low = |value: Expr| binary(BinaryOp::BitAnd, value, int(mask), span);
        // The low bits, and how they came to be known.
        let value = match from {
            Operand::Immediate(n) => int(n.value & mask),
            Operand::Part(r, _) => {
                let Some(value) = self.read(r, span) else { return };
                low(value)
            }
            _ => {
                let Some(x) = self.location(from) else { return };
                self.out.push(assign(TEMPORARY, place(&x, span), span));
                low(named(TEMPORARY, span))
            }
        };
        match to {
            Operand::Immediate(_) => self.not_a_place(i),
            Operand::Part(r, _) => {
                let Some(old) = self.read(r, span) else { return };
                let high = binary(BinaryOp::BitAnd, old, int(!mask), span);
                self.set(r, binary(BinaryOp::BitOr, high, value, span), span);
            }
            _ => {
                let Some(x) = self.location(to) else { return };
                let signed = self.state.widths.get(&x.text).is_some_and(|w| w.signed);
                let value = match &value.kind {
                    ExprKind::Int(n) => int(Width { bits, signed }.wrap(*n)),
                    _ if signed => {
                        let sign = || int(1 << (bits - 1));
                        binary(BinaryOp::Sub, binary(BinaryOp::BitXor, value, sign(), span), sign(), span)
                    }
                    _ => value,
                };
                self.out.push(assign(&x.text, value, span));
            }
        }
    }

    /// `SHL` by a number: a multiplication by a power of two.
    fn shift(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        match from {
            Operand::Immediate(n) if (0..=30).contains(&n.value) => {
                let factor = Expr { kind: ExprKind::Int(1 << n.value), span: n.span.clone() };
                self.compute(BinaryOp::Mul, to, factor, i);
            }
            _ => {
                let help = "shift by a number from 0 to 30";
                self.reader.error(&i.span, "this shift is not supported", "by what it shifts", help);
            }
        }
    }

    /// `CMP` and `TEST`: nothing but flags, and the read if there is one.
    fn compare(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        let (a, b) = (self.value(to, LEFT, &i.span), self.value(from, RIGHT, &i.span));
        let (Some(a), Some(b)) = (a, b) else { return };
        if i.name == "cmp" {
            self.flags(a, b, &i.span);
        } else {
            self.flags(binary(BinaryOp::BitAnd, a, b, &i.span), zero(&i.span), &i.span);
        }
    }

    /// `to := to op value`, in one step if locked.
    fn compute(&mut self, op: BinaryOp, to: &Operand, value: Expr, i: &Instruction) {
        let span = &i.span;
        if matches!(to, Operand::Immediate(_)) {
            return self.not_a_place(i);
        }
        if i.lock && !in_memory(to) {
            return self.not_lockable(i);
        }
        let old = match to {
            Operand::Register(r) => {
                let Some(old) = self.value(to, TEMPORARY, span) else { return };
                // The flags of a subtraction compare what is subtracted with what it is subtracted from.
                if op == BinaryOp::Sub {
                    self.flags(old.clone(), value.clone(), span);
                }
                self.set(r, binary(op, old.clone(), value.clone(), span), span);
                if op != BinaryOp::Sub {
                    self.flags(old, zero(span), span);
                }
                return;
            }
            _ => {
                let Some(x) = self.location(to) else { return };
                if i.lock {
                    let (name, value) = match op {
                        BinaryOp::Add => ("FETCH_ADD", value.clone()),
                        BinaryOp::Sub => ("FETCH_ADD", negative(value.clone(), span)),
                        BinaryOp::BitAnd => ("FETCH_AND", value.clone()),
                        BinaryOp::BitOr => ("FETCH_OR", value.clone()),
                        _ => ("FETCH_XOR", value.clone()),
                    };
                    self.out.push(call(TEMPORARY, name, vec![place(&x, span), value], span));
                } else {
                    self.out.push(assign(TEMPORARY, place(&x, span), span));
                    let new = binary(op, named(TEMPORARY, span), value.clone(), span);
                    self.out.push(assign(&x.text, new, span));
                }
                named(TEMPORARY, span)
            }
        };
        if op == BinaryOp::Sub {
            self.flags(old, value, span);
        } else {
            self.flags(binary(op, old, value, span), zero(span), span);
        }
    }

    /// `XCHG`, `XADD`, `CMPXCHG`: a place and a register, in either order.
    fn exchange(&mut self, a: &Operand, b: &Operand, i: &Instruction) {
        let span = &i.span;
        let (x, r) = match (a, b) {
            (Operand::Register(a), Operand::Register(b)) if i.name == "xchg" && !i.lock => {
                let values = (self.read(a, span), self.read(b, span));
                let (Some(old), Some(new)) = values else { return };
                self.out.push(assign(TEMPORARY, old, span));
                self.set(a, new, span);
                self.set(b, named(TEMPORARY, span), span);
                return;
            }
            (x, Operand::Register(r)) | (Operand::Register(r), x) if in_memory(x) => (x, r),
            _ => {
                let help = "one operand is a place in memory, the other a register";
                self.reader.error(span, format!("`{}` of these is not supported", i.name), "its operands", help);
                return;
            }
        };
        let (Some(x), Some(value)) = (self.location(x), self.read(r, span)) else { return };
        let memory = place(&x, span);
        match i.name.as_str() {
            // With memory it is locked whether LOCK is written or not.
            "xchg" => self.fetch(r, "EXCHANGE", vec![memory, value], span),
            "xadd" if i.lock => {
                self.keep(LEFT, value.clone(), span);
                self.fetch(r, "FETCH_ADD", vec![memory, value.clone()], span);
                self.flags(binary(BinaryOp::Add, named(LEFT, span), value, span), zero(span), span);
            }
            "xadd" => {
                self.out.push(assign(TEMPORARY, memory, span));
                let sum = binary(BinaryOp::Add, named(TEMPORARY, span), value, span);
                self.out.push(assign(&x.text, sum.clone(), span));
                self.flags(sum, zero(span), span);
                self.set(r, named(TEMPORARY, span), span);
            }
            _ => self.compare_and_exchange(&x, value, i),
        }
    }

    /// The accumulator against memory: if equal, memory takes the new value, else the accumulator that of memory.
    fn compare_and_exchange(&mut self, x: &Name, new: Expr, i: &Instruction) {
        let span = &i.span;
        let word = if self.reader.arch == super::Arch::X86 { "EAX" } else { "rax" };
        let accumulator = Name { text: word.to_owned(), span: span.clone() };
        let Some(old) = self.read(&accumulator, span) else { return };
        self.keep(LEFT, old.clone(), span);
        if i.lock {
            self.fetch(&accumulator, "CAS", vec![place(x, span), old.clone(), new], span);
            self.keep(RIGHT, old, span);
            return;
        }
        self.out.push(assign(TEMPORARY, place(x, span), span));
        self.keep(RIGHT, named(TEMPORARY, span), span);
        let cond = binary(BinaryOp::Eq, named(TEMPORARY, span), old, span);
        let then = vec![assign(&x.text, new, span)];
        // The processor writes in either case.
        let (store, load) = (named(TEMPORARY, span), named(TEMPORARY, span));
        let els = vec![assign(&x.text, store, span), assign(&accumulator.text, load, span)];
        self.assigned.insert(accumulator.text);
        self.out.push(Stmt::If { cond, then, els, span: span.clone() });
    }

    /// `r := NAME(args)`
    fn fetch(&mut self, r: &Name, name: &str, args: Vec<Expr>, span: &Span) {
        self.number_from_now(r, span);
        self.out.push(call(&r.text, name, args, span));
    }

    fn set(&mut self, r: &Name, value: Expr, span: &Span) {
        self.number_from_now(r, span);
        self.out.push(assign(&r.text, value, span));
    }

    /// A register is assigned a number.
    fn number_from_now(&mut self, r: &Name, span: &Span) {
        let address = self.address(r).is_some();
        if address && !self.straight {
            self.reader.holds_address(r, span);
        }
        self.assigned.insert(r.text.clone());
    }

    /// The location whose address a register holds now.
    fn address(&self, r: &Name) -> Option<Name> {
        match self.state.registers.get(&(self.process, r.text.clone())) {
            Some((_, Start::Address(x))) if !self.assigned.contains(&r.text) => Some(x.clone()),
            _ => None,
        }
    }

    fn read(&mut self, r: &Name, span: &Span) -> Option<Expr> {
        if self.address(r).is_some() {
            self.reader.holds_address(r, span);
            return None;
        }
        self.used.insert(r.text.clone());
        Some(named(&r.text, span))
    }

    /// The value of an operand; what is in memory is read into `register` first.
    fn value(&mut self, operand: &Operand, register: &str, span: &Span) -> Option<Expr> {
        match operand {
            Operand::Immediate(n) => Some(Expr { kind: ExprKind::Int(n.value), span: n.span.clone() }),
            Operand::Register(r) => self.read(r, span),
            Operand::Part(..) => None,
            _ => {
                let x = self.location(operand)?;
                self.out.push(assign(register, place(&x, span), span));
                Some(named(register, span))
            }
        }
    }

    /// The location of an operand in memory.
    fn location(&mut self, operand: &Operand) -> Option<Name> {
        let x = match operand {
            Operand::At(x) => x.clone(),
            Operand::Through(r) => {
                let Some(x) = self.address(r) else {
                    let help = format!(
                        "give it one at the beginning, `{}:{}=x`, and assign it no number",
                        self.process, r.text
                    );
                    let message = format!("`{}` holds no address here", r.text);
                    self.reader.error(&r.span, message, "used as an address", help);
                    return None;
                };
                Name { text: x.text, span: r.span.clone() }
            }
            _ => return None,
        };
        let width = self.state.widths.get(&x.text).map(|w| w.bits);
        if width != self.narrow {
            let message = match (self.narrow, width) {
                (Some(of), Some(width)) if of > width => format!("`{}` accesses more than `{}`", self.word, x.text),
                (None, _) => format!("`{}` accesses more than `{}`", self.word, x.text),
                _ => format!("`{}` accesses part of a location", self.word),
            };
            let has = width.map_or("32 or 64 bits".into(), |w| format!("{w} bits"));
            let help = format!("`{}` has {has}; a location of 8 bits is declared so: `uint8_t x;`", x.text);
            self.reader.error(&self.place.clone(), message, "another width", help);
            return None;
        }
        self.state.declare(&x, Value::Zero);
        Some(x)
    }

    /// What the next conditional jump compares.
    fn flags(&mut self, left: Expr, right: Expr, span: &Span) {
        self.keep(LEFT, left, span);
        self.keep(RIGHT, right, span);
    }

    /// Assigns a side of the flags, if anything looks at them.
    fn keep(&mut self, register: &str, value: Expr, span: &Span) {
        self.set_before = true;
        let itself = matches!(&value.kind, ExprKind::Place(p) if p.name.text == register);
        if self.flags && !itself {
            self.out.push(assign(register, value, span));
        }
    }

    fn not_a_place(&mut self, i: &Instruction) {
        let help = match self.reader.arch {
            super::Arch::X86 => "in X86 tests what is written stands first: `MOV [x],$1`",
            super::Arch::X86_64 => "in X86_64 tests what is written stands last: `movq $1,(x)`",
        };
        self.reader.error(&i.span, "a number cannot be written to", "a number in the place of the result", help);
    }

    fn not_lockable(&mut self, i: &Instruction) {
        let help = "LOCK goes before XCHG, XADD, CMPXCHG, ADD, SUB, AND, OR, XOR, INC and DEC with a place in memory";
        self.reader.error(&i.span, format!("`{}` cannot be locked", i.name), "LOCK", help);
    }
}

fn in_memory(operand: &Operand) -> bool {
    matches!(operand, Operand::At(_) | Operand::Through(_))
}

fn whole(text: &str, span: &Span) -> Place {
    Place { name: Name { text: text.to_owned(), span: span.clone() }, index: None, node: None, span: span.clone() }
}

fn named(text: &str, span: &Span) -> Expr {
    Expr { kind: ExprKind::Place(whole(text, span)), span: span.clone() }
}

fn place(x: &Name, span: &Span) -> Expr {
    named(&x.text, span)
}

fn zero(span: &Span) -> Expr {
    Expr { kind: ExprKind::Int(0), span: span.clone() }
}

fn negative(value: Expr, span: &Span) -> Expr {
    match value.kind {
        ExprKind::Int(n) if n != i64::MIN => Expr { kind: ExprKind::Int(-n), span: span.clone() },
        _ => Expr { kind: ExprKind::Unary(UnaryOp::Neg, Box::new(value)), span: span.clone() },
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr, span: &Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span: span.clone() }
}

fn assign(left: &str, value: Expr, span: &Span) -> Stmt {
    Stmt::Assign { left: whole(left, span), right: Right::Expr(value), span: span.clone() }
}

fn call(left: &str, name: &str, args: Vec<Expr>, span: &Span) -> Stmt {
    let name = Name { text: name.to_owned(), span: span.clone() };
    let args = args.into_iter().map(|e| Arg { name: None, span: e.span.clone(), value: Given::One(e) }).collect();
    let call = Call { name, args, span: span.clone() };
    Stmt::Assign { left: whole(left, span), right: Right::Call(call), span: span.clone() }
}

fn fence(i: &Instruction) -> Stmt {
    let name = Name { text: i.name.clone(), span: i.span.clone() };
    Stmt::Call(Call { name, args: Vec::new(), span: i.span.clone() })
}
