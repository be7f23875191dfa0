//! Layers.
//!
//! What a body may call is known when the layer below is; `litmpi_litmus::layer` says so then.

use super::{Checker, count};
use crate::layer::{Body, Index, Layer, Memory};
use crate::suggest::suggest;
use crate::syntax::*;

impl Checker {
    /// What the last file says as a layer. Bodies stand nowhere else.
    pub(super) fn layer(&mut self, files: &[File]) -> Option<Layer> {
        let last = files.last().expect("at least one file");
        for file in files.iter().filter(|f| f.over.is_none()) {
            for item in &file.items {
                let (name, what) = match item {
                    Item::Implement(i) => (&i.name, "an implementation"),
                    Item::Memory(fields) => (&fields[0].0, "memory of a layer"),
                    Item::Registers(names) => (&names[0], "a register of a layer"),
                    _ => continue,
                };
                let message = format!("`{}` is {what}, and this is no layer", name.node);
                self.error(&name.span, message, "here", "begin the file with `layer NAME over BELOW \"…\"`");
            }
        }
        let over = last.over.clone()?;
        let mut layer = Layer { over, memory: vec![], registers: vec![], bodies: vec![] };
        for item in &last.items {
            match item {
                Item::Memory(fields) => {
                    fields.iter().for_each(|(n, indices)| self.layer_memory(n, indices, &mut layer))
                }
                Item::Registers(names) => names.iter().for_each(|n| {
                    self.layer_name(n, &layer);
                    layer.registers.push(n.clone());
                }),
                Item::Implement(i) => self.layer_body(i, &mut layer),
                _ => {}
            }
        }
        Some(layer)
    }

    fn layer_name(&mut self, name: &Name, layer: &Layer) {
        let known = layer.memory.iter().map(|m| (m.name.as_str(), &m.span));
        let mut known = known.chain(layer.registers.iter().map(|r| (r.node.as_str(), &r.span)));
        if let Some((_, first)) = known.find(|(n, _)| *n == name.node) {
            let help = format!("first at {first}");
            self.error(&name.span, format!("`{}` is declared twice", name.node), "second", help);
        }
    }

    fn layer_memory(&mut self, name: &Name, indices: &[Expr], layer: &mut Layer) {
        self.layer_name(name, layer);
        let index = |e: &Expr| match &*e.node {
            ExprKind::Name(n) if n == "node" => Index::Node,
            ExprKind::Name(n) if n == "thread" => Index::Thread,
            _ => Index::To(e.clone()),
        };
        let indices = indices.iter().map(index).collect();
        layer.memory.push(Memory { name: name.node.clone(), indices, span: name.span.clone() });
    }

    fn layer_body(&mut self, i: &Implement, layer: &mut Layer) {
        let Some(instr) = self.instructions.find(&i.name.node) else {
            let names: Vec<&str> = self.instructions.list.iter().map(|i| i.name.as_str()).collect();
            let help = suggest(&i.name.node, &names, "import the file that declares it");
            let message = format!("no instruction is called `{}`", i.name.node);
            self.error(&i.name.span, message, "unknown instruction", help);
            return;
        };
        if let Some(first) = layer.body(instr) {
            let help = format!("first at {}", first.span);
            self.error(&i.name.span, format!("`{}` is implemented twice", i.name.node), "second", help);
        }
        let has = self.instructions.list[instr].params.len();
        if has != i.params.len() {
            let message = format!("`{}` has {}, not {}", i.name.node, count(has, "parameter"), i.params.len());
            self.error(&i.name.span, message, "wrong number", "name every parameter, in the order of the instruction");
        }
        layer.bodies.push(Body {
            instr,
            params: i.params.iter().map(|p| p.node.clone()).collect(),
            stmts: i.body.clone(),
            cites: i.cites.iter().map(|c| format!("{} \"{}\"", c.work, c.place)).collect(),
            deviations: i.deviations.clone(),
            span: i.name.span.clone(),
        });
    }
}
