//! Locations and threads that a model has beside those of the program: rings, flags, further queue pairs.
//!
//! They are initial values of state variables by nodes, `state ring[p: Node][q: Node]: Loc = cells(8, q)`, made before
//! the state is laid out, behind everything of the program's own.

use crate::eval::{Eval, Fault};
use crate::machine::{Machine, indices, size};
use litmpi_spec::heap::Word;
use litmpi_spec::ir::{Builtin, E};
use litmpi_spec::program::{Loc, Thread};
use std::collections::BTreeMap;

/// The values that were made, by state variable and entry.
pub(crate) type Own = BTreeMap<(usize, usize), Word>;

/// More of either on one node is a mistake.
const MOST: i64 = 1 << 12;

impl Machine {
    /// Adds the model's own locations and threads to the program.
    pub(crate) fn allocate(&mut self) -> Result<Own, Fault> {
        let mut own = Own::new();
        let spec = std::sync::Arc::clone(&self.spec);
        for (v, var) in spec.state.iter().enumerate() {
            let E::Builtin(what @ (Builtin::Cells | Builtin::Threads), args, span) = &var.init else { continue };
            let sizes: Vec<usize> = var.index.iter().map(|s| size(&self.program, *s)).collect();
            for entry in 0..sizes.iter().product() {
                let mut frame = indices(&sizes, entry, var.slots);
                let [n, node] = [0, 1].map(|i| Eval::new(self, &[]).eval(&args[i], &mut frame));
                let (n, node) = (self.heap.int(n?), node? as usize);
                let least = i64::from(*what == Builtin::Cells);
                if !(least..=MOST).contains(&n) {
                    let help = format!("from {least} to {MOST}");
                    return Err(Fault::new(span, format!("{n} is no number of them that can be made")).help(help));
                }
                let name: String = indices(&sizes, entry, sizes.len()).iter().map(|i| format!("[{i}]")).collect();
                let word = match what {
                    Builtin::Cells => self.own_cells(&format!("{}{name}", var.name), n as u32, node),
                    _ => self.own_threads(n as u32, node),
                };
                own.insert((v, entry), word);
            }
        }
        Ok(own)
    }

    fn own_cells(&mut self, name: &str, n: u32, node: usize) -> Word {
        let first = self.program.locs.len() as Word;
        for i in 0..n {
            let name = if n == 1 { name.to_owned() } else { format!("{name}+{i}") };
            self.program.locs.push(Loc { name, node, initial: 0, room: n - i });
        }
        first
    }

    /// Numbered on from those that are there.
    fn own_threads(&mut self, n: u32, node: usize) -> Word {
        let mut made = vec![];
        for _ in 0..n {
            let number = 1 + self.program.threads.iter().map(|t| t.number).max().unwrap_or(0);
            made.push(self.program.threads.len() as Word);
            self.program.threads.push(Thread { number, node, regs: vec![], code: vec![] });
        }
        self.heap.intern(&made)
    }
}
