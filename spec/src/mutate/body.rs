//! Changes of everything that is no rule: functions, initial values, variants, events, expansions, implementations.

use super::{Walk, What};
use crate::source::Span;
use crate::syntax::*;

impl Walk {
    pub(super) fn item(&mut self, item: &mut Item) {
        match item {
            Item::Const(_, _, e) | // What is left out of the state is nothing that a test could tell.
            Item::State(_, _, _, e, _) => self.expr(e),
            Item::Fun(f) => self.expr(&mut f.body),
            Item::Variant(_, _, _, sets) => self.drops(What::DropStep, sets, 0, |(n, e)| n.span.to(&e.span)),
            Item::Requirements(r) => self.required(&mut r.requires),
            Item::Updates(u) => self.updates(&mut u.then),
            Item::Rule(r) => self.rule(r),
            Item::Events(e) => self.events(&mut e.steps),
            Item::Implement(i) => self.statements(&mut i.body),
            Item::Instruction(i) => {
                if let Some(x) = &mut i.expansion {
                    self.drops(What::DropStep, &mut x.steps, 1, |s| s.span.clone());
                }
            }
            _ => {}
        }
    }

    fn events(&mut self, steps: &mut Vec<EventStep>) {
        for i in 0..steps.len() {
            if step_span(&steps[i]).is_some_and(|span| self.offer(What::DropStep, &span, String::new)) {
                steps.remove(i);
                return;
            }
            match &mut steps[i] {
                EventStep::Event(e) => {
                    self.drops(What::DropCell, &mut e.keys, 0, |(n, _)| n.span.clone());
                    self.drops(What::DropCell, &mut e.also, 0, |(n, _)| n.span.clone());
                    e.keys.iter_mut().for_each(|(_, e)| self.expr(e));
                    e.also.iter_mut().filter_map(|(_, e)| e.as_mut()).for_each(|e| self.expr(e));
                    e.writes.iter_mut().for_each(|e| self.expr(e));
                }
                EventStep::Set(_, e) | EventStep::When(e) => self.expr(e),
                EventStep::Either(ways) => {
                    for way in 0..ways.len() {
                        let Some(first) = ways[way].first().and_then(step_span) else { continue };
                        if self.offer(What::DropAlternative, &first, String::new) {
                            ways.remove(way);
                            return;
                        }
                    }
                    ways.iter_mut().for_each(|way| self.events(way));
                }
                EventStep::For(_, of, body) => {
                    self.expr(of);
                    self.events(body);
                }
            }
        }
    }

    fn statements(&mut self, body: &mut Vec<Stmt>) {
        for i in 0..body.len() {
            if self.offer(What::DropStep, &body[i].span.clone(), String::new) {
                body.remove(i);
                return;
            }
            if i > 0 && self.offer(What::Swap, &body[i - 1].span.to(&body[i].span), || "the other way round".into()) {
                body.swap(i - 1, i);
                return;
            }
            match &mut body[i].node {
                StmtKind::Assign(_, value) => self.expr(value),
                StmtKind::Call(_, args) => args.iter_mut().for_each(|a| self.expr(a)),
                StmtKind::If(c, then, els) => {
                    self.expr(c);
                    self.statements(then);
                    self.statements(els);
                }
                StmtKind::While(c, _, body) | StmtKind::Repeat(body, c) | StmtKind::For(_, c, body) => {
                    self.expr(c);
                    self.statements(body);
                }
                StmtKind::Choose(ways) => {
                    for way in 0..ways.len() {
                        let Some(first) = ways[way].first().map(|s| s.span.clone()) else { continue };
                        if self.offer(What::DropAlternative, &first, String::new) {
                            ways.remove(way);
                            return;
                        }
                    }
                    ways.iter_mut().for_each(|way| self.statements(way));
                }
            }
        }
    }
}

/// Where a step stands; nowhere if it has no parts.
fn step_span(s: &EventStep) -> Option<Span> {
    match s {
        EventStep::Event(e) => {
            let ends = [Some(&e.label.span), e.at.as_ref().map(|(n, _)| &n.span), e.reads.as_ref().map(|n| &n.span)];
            let last = ends.into_iter().flatten().chain(e.writes.as_ref().map(|w| &w.span)).max_by_key(|s| s.end);
            last.map(|last| e.label.span.to(last))
        }
        EventStep::Set(n, e) => Some(n.span.to(&e.span)),
        EventStep::When(e) => Some(e.span.clone()),
        EventStep::Either(ways) => {
            let mut inside = ways.iter().flatten().filter_map(step_span);
            let first = inside.next()?;
            Some(inside.next_back().map_or_else(|| first.clone(), |last| first.to(&last)))
        }
        EventStep::For(n, e, _) => Some(n.span.to(&e.span)),
    }
}
