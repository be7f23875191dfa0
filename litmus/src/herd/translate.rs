//! Instructions to statements.

use super::Reader;
use super::address::{Address, Cell};
use super::asm::Instruction;
use super::init::{Init, Start, Width};
use super::operand::Operand;
use crate::raw::{Arg, Call, Expr, ExprKind, Init as Value, Name, Number, Place, Right, Stmt, Value as Given};
use litmpi_spec::program::{BinaryOp, UnaryOp};
use litmpi_spec::source::Span;
use std::collections::BTreeSet;

/// Hidden registers: what an instruction reads on its way, and the two sides that conditional jumps compare.
pub(super) const TEMPORARY: &str = "$1";
const LEFT: &str = "$2";
const RIGHT: &str = "$3";
/// An address that the program computes.
const ADDRESS: &str = "$4";

/// What a conditional jump compares.
pub(super) fn flags(span: &Span) -> [Expr; 2] {
    [named(LEFT, span), named(RIGHT, span)]
}

/// A computed address is one of at most so many locations.
const MOST: i64 = 64;

/// Where an address leads to.
enum At {
    One(Cell),
    /// The location whose number this is.
    Any(Expr, Vec<Cell>),
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
    /// No code runs twice or is jumped over, so that a register holds its first address until it is assigned.
    straight: bool,
    /// Registers that some instruction may assign.
    changing: BTreeSet<String>,
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
        changing: BTreeSet<String>,
    ) -> Column<'r, 's> {
        let (assigned, used) = (BTreeSet::new(), BTreeSet::new());
        let (word, narrow, out) = (String::new(), None, Vec::new());
        let place = Span::new(reader.source, 0, 0);
        let set_before = false;
        Column {
            reader,
            state,
            process,
            flags,
            set_before,
            straight,
            changing,
            assigned,
            used,
            word,
            narrow,
            place,
            out,
        }
    }

    /// An instruction looks at the flags, which are not known at the beginning.
    pub(super) fn asked(&mut self, span: &Span) {
        if !self.set_before {
            let help = "put a comparison before it: `CMP EAX,$1`";
            self.reader.error(span, "no instruction before this one sets flags", "flags that are not known", help);
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
        }
        let own: Vec<_> = self.state.registers.iter().filter(|((p, _), _)| *p == self.process).collect();
        let own: Vec<_> =
            own.into_iter().map(|((_, name), (at, start))| (name.clone(), at.clone(), start.clone())).collect();
        for (name, at, start) in own {
            let looked_at = shown.remove(&name);
            match start {
                Start::Number(n) if n.value != 0 || !self.assigned.contains(&name) => set(&name, n.value, &at.span),
                // Where it stands for itself alone, the register is the location.
                Start::Address(cell) if looked_at && (!self.straight || !self.assigned.contains(&name)) => {
                    set(&name, self.reader.number_of(&cell, self.state), &at.span);
                }
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
        let mut i = i.clone();
        let mut computed = None;
        for operand in &mut i.operands {
            if let Operand::Symbol(x) = operand {
                let (value, span) = (self.number_of_symbol(x), x.span.clone());
                *operand = Operand::Immediate(Number { value, span });
            }
        }
        if let ("lea", [a, b]) = (i.name.as_str(), i.operands.as_slice()) {
            let (to, from) = if self.reader.arch == super::Arch::X86_64 { (b, a) } else { (a, b) };
            self.load_address(to, from, &i);
            return std::mem::take(&mut self.out);
        }
        for (k, operand) in i.operands.iter_mut().enumerate() {
            let Operand::Memory(address) = operand else { continue };
            let address = address.clone();
            match self.at(&address) {
                Some(At::One(cell)) => *operand = Operand::At(cell),
                Some(At::Any(value, cells)) => computed = Some((k, value, cells)),
                None => return Vec::new(),
            }
        }
        let Some((k, value, cells)) = computed else {
            self.simple(&i);
            return std::mem::take(&mut self.out);
        };
        // One of these, by what the address is; an access to none of them is an error of the program.
        let (errors, before) = (self.reader.errors.len(), self.assigned.clone());
        let (mut after, mut ways) = (before.clone(), vec![]);
        for cell in cells {
            let number = self.reader.number_of(&cell, self.state);
            i.operands[k] = Operand::At(cell);
            self.assigned.clone_from(&before);
            self.simple(&i);
            after.extend(std::mem::take(&mut self.assigned));
            ways.push((number, std::mem::take(&mut self.out)));
            if self.reader.errors.len() > errors {
                break;
            }
        }
        self.assigned = after;
        let span = &i.span;
        let fault = Name { text: "fault".to_owned(), span: span.clone() };
        let mut els = vec![Stmt::Call(Call { name: fault, args: Vec::new(), span: span.clone() })];
        for (number, then) in ways.into_iter().rev() {
            let number = Expr { kind: ExprKind::Int(number), span: span.clone() };
            let cond = binary(BinaryOp::Eq, named(ADDRESS, span), number, span);
            els = vec![Stmt::If { cond, then, els, span: span.clone() }];
        }
        let mut out = vec![assign(ADDRESS, value, span)];
        out.append(&mut els);
        out
    }

    /// The statements of an instruction whose operand in memory, if it has one, is a location.
    fn simple(&mut self, i: &Instruction) {
        // AT&T's order is the other one.
        let swapped = self.reader.arch == super::Arch::X86_64;
        match (i.name.as_str(), i.operands.as_slice()) {
            ("mfence" | "lfence" | "sfence", _) if !i.lock => self.out.push(fence(i)),
            ("nop" | "pause" | "endbr64", _) if !i.lock => {}
            ("set", [to]) if !i.lock => self.conditional_set(to, i),
            ("inc" | "dec", [to]) => {
                let op = if i.name == "inc" { BinaryOp::Add } else { BinaryOp::Sub };
                self.compute(op, to, Expr { kind: ExprKind::Int(1), span: i.span.clone() }, i);
            }
            ("xchg" | "xadd" | "uxch" | "cmpxchg", [a, b]) => self.exchange(a, b, i),
            (_, [a, b]) => {
                let (to, from) = if swapped { (b, a) } else { (a, b) };
                self.two(to, from, i);
            }
            _ => self.not_lockable(i),
        }
    }

    /// Where an address leads to.
    fn at(&mut self, a: &Address) -> Option<At> {
        let span = a.span.clone();
        let (mut fixed, mut sum) = (a.symbol.as_ref().map(|x| (x.text.clone(), 0)), None);
        for (register, scale) in a.base.iter().map(|r| (r, 1)).chain(a.scaled.as_ref().map(|(r, s)| (r, *s))) {
            if let (Some(cell), 1, None) = (self.address(register), scale, &fixed) {
                fixed = Some((cell.name.clone(), cell.element * self.state.size(&cell.name)));
                continue;
            }
            let value = self.read(register, &span)?;
            let factor = Expr { kind: ExprKind::Int(scale), span: span.clone() };
            let value = if scale == 1 { value } else { binary(BinaryOp::Mul, value, factor, &span) };
            sum = Some(sum.map_or(value.clone(), |sum| binary(BinaryOp::Add, sum, value, &span)));
        }
        let Some(sum) = sum else {
            let (name, bytes) = fixed?;
            self.state.declare(&Name { text: name.clone(), span: span.clone() }, Value::Zero);
            let cell = self.state.cell(&name, bytes + a.offset, &span);
            if cell.is_none() {
                let has = self.state.len(&name).unwrap_or(1);
                let help = format!("`{name}` has {has} elements of {} bytes", self.state.size(&name));
                self.reader.error(&span, format!("no element of `{name}` begins there"), "this address", help);
            }
            return cell.map(At::One);
        };
        let many = match &fixed {
            Some((name, _)) => self.state.len(name).unwrap_or(1),
            None => self.state.taken_cells(),
        };
        if many > MOST {
            let help = format!("at most {MOST} locations and elements can be chosen among");
            self.reader.error(&span, "too many locations may be meant", "a computed address", help);
            return None;
        }
        let (cells, constant) = match fixed {
            Some((name, bytes)) => {
                let first = Cell { name: name.clone(), element: 0, span: span.clone() };
                let number = self.reader.number_of(&first, self.state);
                (self.state.cells(&name, &span), number + bytes + a.offset)
            }
            None => {
                let taken = self.state.taken.clone();
                (taken.iter().flat_map(|name| self.state.cells(name, &span)).collect(), a.offset)
            }
        };
        // Of locations of several widths, those that such an instruction accesses.
        let is_wide = |c: &Cell| self.state.widths.get(&c.name).map(|w| w.bits) == self.narrow;
        let cells: Vec<Cell> = cells.into_iter().filter(is_wide).collect();
        if cells.is_empty() {
            let register = a.base.as_ref().or(a.scaled.as_ref().map(|(r, _)| r)).map_or("", |r| r.text.as_str());
            let help = format!(
                "give it one at the beginning, `{}:{register}=x`, or read one from memory, `p=x`",
                self.process
            );
            self.reader.error(&span, format!("`{register}` holds no address here"), "used as an address", help);
            return None;
        }
        let constant_is = Expr { kind: ExprKind::Int(constant), span: span.clone() };
        let value = if constant == 0 { sum } else { binary(BinaryOp::Add, sum, constant_is, &span) };
        Some(At::Any(value, cells))
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
            "cmov" => return self.conditional_move(to, from, i),
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
                self.set(r, self.loaded(&x, &i.span), &i.span);
            }
            Operand::Register(r) => {
                let Some(value) = self.value(from, TEMPORARY, &i.span) else { return };
                self.set(r, value, &i.span);
            }
            Operand::Immediate(_) => self.not_a_place(i),
            _ => {
                let (Some(value), Some(x)) = (self.value(from, TEMPORARY, &i.span), self.location(to)) else { return };
                self.store(&x, value, &i.span);
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
                self.out.push(assign(TEMPORARY, self.loaded(&x, span), span));
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
                let signed = self.state.widths.get(&x.name).is_some_and(|w| w.signed);
                let value = match &value.kind {
                    ExprKind::Int(n) => int(Width { bits, signed }.wrap(*n)),
                    _ if signed => {
                        let sign = || int(1 << (bits - 1));
                        binary(BinaryOp::Sub, binary(BinaryOp::BitXor, value, sign(), span), sign(), span)
                    }
                    _ => value,
                };
                self.store(&x, value, span);
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
                    self.out.push(call(TEMPORARY, name, vec![self.loaded(&x, span), value], span));
                } else {
                    self.out.push(assign(TEMPORARY, self.loaded(&x, span), span));
                    let new = binary(op, named(TEMPORARY, span), value.clone(), span);
                    self.store(&x, new, span);
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
            (Operand::Register(a), Operand::Register(b)) if matches!(i.name.as_str(), "xchg" | "uxch") && !i.lock => {
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
        let memory = self.loaded(&x, span);
        match i.name.as_str() {
            // With memory it is locked whether LOCK is written or not.
            "xchg" => self.fetch(r, "EXCHANGE", vec![memory, value], span),
            // herd's exchange that is none: a read, then a write.
            "uxch" if !i.lock => {
                self.out.push(assign(TEMPORARY, memory, span));
                self.store(&x, value, span);
                self.set(r, named(TEMPORARY, span), span);
            }
            "uxch" => self.not_lockable(i),
            "xadd" if i.lock => {
                self.keep(LEFT, value.clone(), span);
                self.fetch(r, "FETCH_ADD", vec![memory, value.clone()], span);
                self.flags(binary(BinaryOp::Add, named(LEFT, span), value, span), zero(span), span);
            }
            "xadd" => {
                self.out.push(assign(TEMPORARY, memory, span));
                let sum = binary(BinaryOp::Add, named(TEMPORARY, span), value, span);
                self.store(&x, sum.clone(), span);
                self.flags(sum, zero(span), span);
                self.set(r, named(TEMPORARY, span), span);
            }
            _ => self.compare_and_exchange(&x, value, i),
        }
    }

    /// The accumulator against memory: if equal, memory takes the new value, else the accumulator that of memory.
    fn compare_and_exchange(&mut self, x: &Cell, new: Expr, i: &Instruction) {
        let span = &i.span;
        let word = if self.reader.arch == super::Arch::X86 { "EAX" } else { "rax" };
        let accumulator = Name { text: word.to_owned(), span: span.clone() };
        let Some(old) = self.read(&accumulator, span) else { return };
        self.keep(LEFT, old.clone(), span);
        if i.lock {
            self.fetch(&accumulator, "CAS", vec![self.loaded(x, span), old.clone(), new], span);
            self.keep(RIGHT, old, span);
            return;
        }
        self.out.push(assign(TEMPORARY, self.loaded(x, span), span));
        self.keep(RIGHT, named(TEMPORARY, span), span);
        let cond = binary(BinaryOp::Eq, named(TEMPORARY, span), old, span);
        let stored = |value| Stmt::Assign { left: self.cell(x, span), right: Right::Expr(value), span: span.clone() };
        let then = vec![stored(new)];
        // The processor writes in either case.
        let (store, load) = (named(TEMPORARY, span), named(TEMPORARY, span));
        let els = vec![stored(store), assign(&accumulator.text, load, span)];
        self.assigned.insert(accumulator.text);
        self.out.push(Stmt::If { cond, then, els, span: span.clone() });
    }

    /// `r := NAME(args)`
    fn fetch(&mut self, r: &Name, name: &str, args: Vec<Expr>, span: &Span) {
        self.number_from_now(r);
        self.out.push(call(&r.text, name, args, span));
    }

    pub(super) fn set(&mut self, r: &Name, value: Expr, span: &Span) {
        let assigned = self.assigned_now(r, value, span);
        self.out.push(assigned);
    }

    /// A register takes a value, in a statement that goes somewhere else.
    pub(super) fn assigned_now(&mut self, r: &Name, value: Expr, span: &Span) -> Stmt {
        self.number_from_now(r);
        assign(&r.text, value, span)
    }

    pub(super) fn push(&mut self, statement: Stmt) {
        self.out.push(statement);
    }

    /// Whether numbers have 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        self.reader.wide
    }

    pub(super) fn refuse(&mut self, span: &Span, message: String, found: &str, help: &str) {
        self.reader.error(span, message, found, help);
    }

    /// The number of a location's address.
    pub(super) fn number_of_symbol(&mut self, x: &Name) -> i64 {
        let cell = Cell { name: x.text.clone(), element: 0, span: x.span.clone() };
        self.reader.number_of(&cell, self.state)
    }

    /// The value of an operand; what is in memory is read on the way.
    pub(super) fn value_of(&mut self, operand: &Operand, span: &Span) -> Option<Expr> {
        self.value(operand, TEMPORARY, span)
    }

    /// A register is assigned.
    fn number_from_now(&mut self, r: &Name) {
        self.assigned.insert(r.text.clone());
    }

    /// The location whose address a register has held from the beginning on.
    fn address(&self, r: &Name) -> Option<Cell> {
        let may_change = !self.straight && self.changing.contains(&r.text);
        match self.state.registers.get(&(self.process, r.text.clone())) {
            Some((_, Start::Address(x))) if !may_change && !self.assigned.contains(&r.text) => Some(x.clone()),
            _ => None,
        }
    }

    pub(super) fn read(&mut self, r: &Name, span: &Span) -> Option<Expr> {
        if let Some(cell) = self.address(r) {
            let number = self.reader.number_of(&cell, self.state);
            return Some(Expr { kind: ExprKind::Int(number), span: span.clone() });
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
                self.out.push(assign(register, self.loaded(&x, span), span));
                Some(named(register, span))
            }
        }
    }

    /// The location of an operand in memory.
    fn location(&mut self, operand: &Operand) -> Option<Cell> {
        let Operand::At(x) = operand else { return None };
        let width = self.state.widths.get(&x.name).map(|w| w.bits);
        if width != self.narrow {
            let message = match (self.narrow, width) {
                (Some(of), Some(width)) if of > width => format!("`{}` accesses more than `{}`", self.word, x.name),
                (None, _) => format!("`{}` accesses more than `{}`", self.word, x.name),
                _ => format!("`{}` accesses part of a location", self.word),
            };
            let has = width.map_or("32 or 64 bits".into(), |w| format!("{w} bits"));
            let help = format!("`{}` has {has}; a location of 8 bits is declared so: `uint8_t x;`", x.name);
            self.reader.error(&self.place.clone(), message, "another width", help);
            return None;
        }
        Some(x.clone())
    }

    /// A location as our own format writes it.
    fn cell(&self, x: &Cell, span: &Span) -> Place {
        let is_array = self.state.len(&x.name).is_some();
        let index = is_array.then(|| Number { value: x.element, span: x.span.clone() });
        Place { index, ..whole(&x.name, span) }
    }

    fn loaded(&self, x: &Cell, span: &Span) -> Expr {
        Expr { kind: ExprKind::Place(self.cell(x, span)), span: span.clone() }
    }

    pub(super) fn store(&mut self, x: &Cell, value: Expr, span: &Span) {
        let left = self.cell(x, span);
        self.out.push(Stmt::Assign { left, right: Right::Expr(value), span: span.clone() });
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
    matches!(operand, Operand::At(_) | Operand::Memory(_))
}

fn whole(text: &str, span: &Span) -> Place {
    Place { name: Name { text: text.to_owned(), span: span.clone() }, index: None, node: None, span: span.clone() }
}

pub(super) fn named(text: &str, span: &Span) -> Expr {
    Expr { kind: ExprKind::Place(whole(text, span)), span: span.clone() }
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

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr, span: &Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span: span.clone() }
}

pub(super) fn assign(left: &str, value: Expr, span: &Span) -> Stmt {
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
