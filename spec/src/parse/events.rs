//! What instructions are to declarative models.

use super::grammar::Rule as R;
use super::{Builder, P};
use crate::syntax::*;
use pest::iterators::Pairs;

impl Builder {
    pub(super) fn events(&mut self, mut i: Pairs<'_, R>) -> Item {
        let name = self.name(i.next().expect("an instruction"));
        let params = i.next().expect("parameters").into_inner().map(|q| self.name(q)).collect();
        let (mut cites, mut deviations, mut steps) = (vec![], vec![], vec![]);
        for q in i {
            match q.as_rule() {
                R::cite => cites.push(self.cite(q)),
                R::deviation => deviations.push(self.deviation(q)),
                _ => steps = self.event_block(q),
            }
        }
        Item::Events(Events { name, params, cites, deviations, steps })
    }

    fn event_block(&mut self, p: P<'_>) -> Vec<EventStep> {
        p.into_inner().map(|q| self.event_step(q)).collect()
    }

    fn event_step(&mut self, p: P<'_>) -> EventStep {
        let what = p.as_rule();
        let mut i = p.into_inner();
        match what {
            R::either => {
                let blocks = i.filter(|q| q.as_rule() == R::event_block);
                EventStep::Either(blocks.map(|q| self.event_block(q)).collect())
            }
            R::event_for => {
                let mut i = i.filter(|q| !matches!(q.as_rule(), R::kw_for | R::kw_in));
                let name = self.name(i.next().expect("a name"));
                let over = self.expr(i.next().expect("what it goes over"));
                EventStep::For(name, over, self.event_block(i.next().expect("steps")))
            }
            R::event_when => EventStep::When(self.expr(i.nth(1).expect("a condition"))),
            R::event_set => {
                let name = self.name(i.next().expect("a register"));
                EventStep::Set(name, self.expr(i.next().expect("a value")))
            }
            _ => EventStep::Event(self.event(i)),
        }
    }

    fn event(&mut self, i: Pairs<'_, R>) -> Event {
        let mut event = None;
        for q in i {
            if q.as_rule() == R::ident {
                let label = self.name(q);
                event = Some(Event { label, keys: vec![], also: vec![], at: None, reads: None, writes: None });
                continue;
            }
            let event: &mut Event = event.as_mut().expect("a label stands first");
            let what = q.as_rule();
            let mut j = q.into_inner();
            match what {
                R::event_keys => {
                    for key in j {
                        let mut k = key.into_inner();
                        let name = self.name(k.next().expect("a key"));
                        event.keys.push((name, self.expr(k.next().expect("its value"))));
                    }
                }
                R::event_also => {
                    let label = self.name(j.nth(1).expect("a label"));
                    let condition = j.nth(1).map(|e| self.expr(e));
                    event.also.push((label, condition));
                }
                R::event_at => {
                    let name = self.name(j.nth(1).expect("a location"));
                    let index = j.next().map(|q| self.expr(q.into_inner().next().expect("a node")));
                    event.at = Some((name, index));
                }
                R::event_reads => event.reads = Some(self.name(j.nth(1).expect("a name"))),
                _ => event.writes = Some(self.expr(j.nth(1).expect("a value"))),
            }
        }
        event.expect("a label")
    }
}
