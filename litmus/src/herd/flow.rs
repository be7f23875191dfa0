//! Labels and jumps to branches and loops.
//!
//! A jump forward over code that nothing else jumps into is a branch around it; any other jump forward ends the block,
//! with what follows on both ways written twice. A jump back is a loop if the code between is left and entered nowhere
//! else.

use super::Reader;
use crate::raw::{Expr, ExprKind, Name, Stmt};
use litmpi_spec::program::BinaryOp;
use litmpi_spec::source::Span;

/// More jumps than this in one thread are refused: what follows a branch may be written twice.
const JUMPS: usize = 16;
/// So is code that grows beyond this many statements.
const LARGEST: usize = 5000;

/// A piece of a thread.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Label(Name),
    /// With no condition, always.
    Jump {
        target: Name,
        cond: Option<(BinaryOp, Box<[Expr; 2]>)>,
        span: Span,
    },
    Run(Vec<Stmt>),
}

/// The label behind the last instruction of a thread, where `ret` goes; no label of a file is called so.
pub(super) const END: &str = "$end";

/// The statements of a thread.
pub(super) fn structured(reader: &mut Reader<'_>, items: &[Item]) -> Vec<Stmt> {
    let copied = with_endings(items);
    let items = copied.as_slice();
    let mut flow = Flow { items, reader, made: 0 };
    if !flow.sound() {
        return Vec::new();
    }
    flow.block(0, items.len())
}

/// A jump back that is always taken, to code that runs straight to the thread's end, as compilers share endings: that code is written in
/// its place.
fn with_endings(items: &[Item]) -> Vec<Item> {
    let place = |name: &str| items.iter().position(|item| matches!(item, Item::Label(n) if n.text == name));
    let ending = |from: usize| -> Option<Vec<Item>> {
        let mut out = vec![];
        for item in &items[from..] {
            match item {
                Item::Run(_) => out.push(item.clone()),
                Item::Label(name) if name.text == END => return Some(out),
                Item::Label(_) => {}
                Item::Jump { target, cond: None, .. } if target.text == END => {
                    out.push(item.clone());
                    return Some(out);
                }
                Item::Jump { .. } => return None,
            }
        }
        None
    };
    let mut out = vec![];
    for (i, item) in items.iter().enumerate() {
        let back = match item {
            Item::Jump { target, cond: None, .. } => place(&target.text).filter(|k| *k < i),
            _ => None,
        };
        match back.and_then(ending) {
            Some(copy) => out.extend(copy),
            None => out.push(item.clone()),
        }
    }
    out
}

struct Flow<'i, 'r, 's> {
    items: &'i [Item],
    reader: &'r mut Reader<'s>,
    /// Statements so far, copies included.
    made: usize,
}

impl Flow<'_, '_, '_> {
    /// Whether every jump has one place to go to, and there are not too many.
    fn sound(&mut self) -> bool {
        let before = self.reader.errors.len();
        let mut jumps = 0;
        for (i, item) in self.items.iter().enumerate() {
            match item {
                Item::Label(name) if self.label(&name.text) != Some(i) => {
                    let message = format!("the label `{}` stands twice in its thread", name.text);
                    self.reader.error(&name.span, message, "the second", "give each place a label of its own");
                }
                Item::Jump { target, span, .. } => {
                    jumps += 1;
                    if self.label(&target.text).is_none() {
                        let message = format!("there is no label `{}` in this thread", target.text);
                        self.reader.error(
                            &target.span,
                            message,
                            "unknown",
                            format!("write `{}:` before an instruction of the column", target.text),
                        );
                    }
                    if jumps == JUMPS + 1 {
                        let help = format!("at most {JUMPS} jumps a thread");
                        self.reader.error(span, "the thread has too many jumps", "one jump too many", help);
                    }
                }
                _ => {}
            }
        }
        self.reader.errors.len() == before
    }

    fn label(&self, name: &str) -> Option<usize> {
        self.items.iter().position(|item| matches!(item, Item::Label(n) if n.text == name))
    }

    /// The jumps among some items and where they go.
    fn jumps(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (from..to).filter_map(|i| match &self.items[i] {
            Item::Jump { target, .. } => self.label(&target.text).map(|k| (i, k)),
            _ => None,
        })
    }

    /// Whether control enters the items between two places at the front alone and leaves them at the end alone.
    fn closed(&self, from: usize, to: usize) -> bool {
        let inside = |i: usize| from <= i && i < to;
        self.jumps(0, self.items.len()).all(|(i, k)| if inside(i) { inside(k) || k == to } else { !inside(k) })
    }

    fn block(&mut self, from: usize, to: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut i = from;
        while i < to {
            match &self.items[i] {
                Item::Run(stmts) => {
                    self.made += stmts.len();
                    out.extend(stmts.iter().cloned());
                    i += 1;
                }
                Item::Label(_) => {
                    let back = self.jumps(i, to).filter(|(_, k)| *k == i).last();
                    i = match back {
                        Some((j, _)) => self.turn(i, j, &mut out),
                        None => i + 1,
                    };
                }
                Item::Jump { target, cond, span } => {
                    let k = self.label(&target.text).unwrap_or(to);
                    if k <= i || k > to {
                        let help = "loops are entered at the front and left at the end: write the way out as a branch after it";
                        self.reader.error(span, "this jump leaves or enters a loop on its way", "not supported", help);
                        return out;
                    }
                    let Some((op, sides)) = cond else {
                        i = k;
                        continue;
                    };
                    self.made += 1;
                    if self.made > LARGEST {
                        self.reader.error(
                            span,
                            "the thread is too large",
                            "with its branches written out",
                            "use fewer jumps",
                        );
                        return out;
                    }
                    if self.closed(i + 1, k) {
                        let then = self.block(i + 1, k);
                        if !then.is_empty() {
                            let cond = compare(opposite(*op), sides, span);
                            out.push(Stmt::If { cond, then, els: Vec::new(), span: span.clone() });
                        }
                        i = k;
                    } else {
                        let (then, els) = (self.block(k, to), self.block(i + 1, to));
                        out.push(Stmt::If { cond: compare(*op, sides, span), then, els, span: span.clone() });
                        return out;
                    }
                }
            }
        }
        out
    }

    /// A loop from a label to the jump back to it; gives the place after it.
    fn turn(&mut self, label: usize, jump: usize, out: &mut Vec<Stmt>) -> usize {
        let Item::Jump { cond, span, .. } = &self.items[jump] else { return jump + 1 };
        let one = self.jumps(0, self.items.len()).filter(|(_, k)| *k == label).count() == 1;
        // The jump back itself is not of the body.
        let body_closed = self.closed(label + 1, jump);
        let Some((op, sides)) = cond else {
            self.reader.error(
                span,
                "this jump back is always taken",
                "a loop without an end",
                "end loops with a conditional jump",
            );
            return jump + 1;
        };
        if !one || !body_closed {
            let help = "a loop is what stands between a label and the one conditional jump back to it";
            self.reader.error(span, "this loop is entered or left on its way", "not supported", help);
            return jump + 1;
        }
        let body = self.block(label + 1, jump);
        self.made += body.len();
        out.extend(body.iter().cloned());
        out.push(Stmt::While { cond: compare(*op, sides, span), bound: None, body, span: span.clone() });
        jump + 1
    }
}

fn compare(op: BinaryOp, sides: &[Expr; 2], span: &Span) -> Expr {
    let [a, b] = sides.clone();
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span: span.clone() }
}

fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        other => other,
    }
}
