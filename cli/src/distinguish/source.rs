//! Where programs come from: every small one of a family, one of those that are alike but for names, in the order of size.

use super::DistinguishArgs;
use crate::shrink::Side;
use litmpi_models::refine::Clients;
use litmpi_mpi_model::clients::MpiClients;
use litmpi_rdma_model::shapes::{DOES, Does, Shape, Shapes};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::shipped::CAT_PROGRAMS;
use std::ops::ControlFlow;

/// A program, and what it is without some of its statements.
pub(super) trait Program {
    /// The same for programs that are alike.
    fn key(&self) -> String;
    fn text(&self, name: &str) -> String;
    /// The keys of all programs that are this one without some of its statements.
    fn parts(&self) -> Vec<String>;
}

/// What is asked about each program; it may break off.
pub(super) type Visit<'a> = dyn FnMut(Box<dyn Program>) -> ControlFlow<()> + 'a;

/// A source of programs.
pub(super) enum Programs {
    Rdma { of: Vec<Does>, threads: usize },
    Mpi(MpiClients),
}

impl Programs {
    /// The programs of two models.
    ///
    /// # Errors
    /// Models of different programs, or of programs that are not made here; an instruction that they do not both know.
    pub(super) fn new(args: &DistinguishArgs, sides: &[Side; 2]) -> Result<Programs, Report> {
        let threads = usize::from(args.threads);
        let is_mpi = |s: &Side| s.model.instructions().find("MPI_Send").is_some();
        if sides.iter().all(is_mpi) {
            let known = [MpiClients::functions(), MpiClients::window_functions()].concat();
            for name in &args.with {
                if !known.contains(&name.as_str()) {
                    return Err(unknown(name, &known));
                }
            }
            let clients = MpiClients::new(threads, usize::from(args.size), 1, args.matched);
            return Ok(Programs::Mpi(if args.with.is_empty() { clients } else { clients.with(&args.with) }));
        }
        let speaks = |s: &Side, name: &str| s.model.instructions().find(name).is_some_and(|i| s.model.speaks_of(i));
        let common: Vec<(&str, Does)> =
            DOES.into_iter().filter(|(name, _)| sides.iter().all(|s| speaks(s, name))).collect();
        let names: Vec<&str> = common.iter().map(|(name, _)| *name).collect();
        if common.is_empty() || sides.iter().any(is_mpi) {
            let message = format!("{} and {} are no two models of RDMA, nor of MPI", sides[0].name, sides[1].name);
            let help = "programs are made for two models of the same programs";
            // What only declares programs has models that are relations.
            let nothing = |s: &&Side| !is_mpi(s) && DOES.iter().all(|(name, _)| !speaks(s, name));
            let of =
                |s: &Side| CAT_PROGRAMS.iter().filter(|(_, of)| *of == s.model.name()).map(|(file, _)| *file).collect();
            let declared: Vec<(&Side, Vec<&str>)> = sides.iter().filter(nothing).map(|s| (s, of(s))).collect();
            let declared = declared.iter().filter(|(_, files)| !files.is_empty());
            let declared: Vec<String> = declared
                .map(|(s, files)| format!("; {} declares programs, and its models are {}", s.name, files.join(", ")))
                .collect();
            let help = help.to_owned() + &declared.concat();
            return Err(Diagnostic::general(message).help(help).into());
        }
        if let Some(name) = args.with.iter().find(|n| !names.contains(&n.as_str())) {
            return Err(unknown(name, &names));
        }
        let wanted = |name: &str| args.with.is_empty() || args.with.iter().any(|w| w == name);
        Ok(Programs::Rdma { of: common.iter().filter(|(name, _)| wanted(name)).map(|(_, d)| *d).collect(), threads })
    }

    /// Shows all programs of a size to a visitor, until it breaks off.
    pub(super) fn of_size(&self, size: usize, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match self {
            Programs::Rdma { of, threads } => Shapes::new(of, size, *threads).try_for_each(|s| visit(Box::new(s))),
            Programs::Mpi(clients) => {
                for bodies in clients.of_size(size) {
                    visit(Box::new(Client { clients: clients.clone(), bodies }))?;
                }
                ControlFlow::Continue(())
            }
        }
    }
}

fn unknown(name: &str, known: &[&str]) -> Report {
    let d = Diagnostic::general(format!("programs of these models are not made with `{name}`"));
    d.help(format!("they may have: {}", known.join(", "))).into()
}

impl Program for Shape {
    fn key(&self) -> String {
        self.text("")
    }

    fn text(&self, name: &str) -> String {
        Shape::text(self, name)
    }

    fn parts(&self) -> Vec<String> {
        Shape::parts(self).iter().map(|s| s.text("")).collect()
    }
}

/// A client of MPI.
struct Client {
    clients: MpiClients,
    bodies: Vec<Vec<String>>,
}

impl Client {
    /// Ranks are told apart by their statements, which name them; what has none is left out.
    fn key_of(bodies: &[Vec<String>]) -> String {
        bodies.iter().map(|b| b.join("\n")).collect::<Vec<_>>().join("\n--\n")
    }
}

impl Program for Client {
    fn key(&self) -> String {
        Client::key_of(&self.bodies)
    }

    fn text(&self, name: &str) -> String {
        self.clients.text(name, &self.bodies)
    }

    fn parts(&self) -> Vec<String> {
        let size: usize = self.bodies.iter().map(Vec::len).sum();
        let part = |mask: usize| {
            let mut bit = 0;
            let mut keep = |_: &&String| {
                bit += 1;
                mask >> (bit - 1) & 1 == 1
            };
            let bodies: Vec<Vec<String>> =
                self.bodies.iter().map(|b| b.iter().filter(&mut keep).cloned().collect()).collect();
            Client::key_of(&bodies)
        };
        (1..(1_usize << size) - 1).map(part).collect()
    }
}
