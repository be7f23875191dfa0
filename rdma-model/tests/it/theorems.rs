//! The theorems of rdma-robustness, each as what would refute it, to be held against programs.

use super::{programs, spec, test};
use litmpi_cat::candidates::{Declarative, Options, Programs};
use litmpi_cat::{self as cat, CatModel};
use litmpi_litmus::ast::Test;
use litmpi_spec::source::Source;
use std::collections::BTreeMap;

/// SC nodes or TSO nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    Sc,
    Tso,
}

/// gb, LDRF and fenced as they are declared, or as the paper prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Declared,
    /// The line D6-D8 of Def. 6 ends in any event of the queue pair.
    Printed,
}

/// Def. 6 as printed.
const PRINTED: &str = "let gb = (gb | [nrR]; fenced-by-nF)^+";

/// Events that executions may have, by what they would refute. Theorems 1 and 13; 3 and 15; 4 and 16; 5 and 17 and the
/// corollaries; Lemma 1.
const FLAGS: &str = "
include \"robust-public.cat\"
include \"robust-topology.cat\"
let step = po | rf | rb | mo
let common = po & int
flag ~empty gb \\ ob as gb-not-observed
flag ~acyclic step & int as own-cycle
flag ~acyclic step as weak
forall T in classes(int) do
  let others = Pub \\ T
  flag ~irreflexive [Pub & T]; (common \\ ob); [Pub & T]; (step; [others])^+; step as public-cycle
  flag ~empty ([others]; (step; [others])^*) \\ connected(others) as apart
end";

/// Theorems 2 and 14: an execution that is weak without a cycle of either form.
const NO_DECOMPOSITION: &str = "
include \"robust-public.cat\"
let step = po | rf | rb | mo
let common = po & int
~acyclic step as weak
acyclic step & int as no-own-cycle
forall T in classes(int) do
  irreflexive [Pub & T]; (common \\ ob); [Pub & T]; (step; [Pub \\ T])^+; step as no-public-cycle
end";

/// Def. 7 in its four cases, as printed but for the queue pair of case 2's fence, if `own` says so.
pub(super) fn four_cases(own: bool) -> CatModel {
    let fence = if own { "(po & sqp); [nF]; (po & sqp)" } else { "po; [nF]; po" };
    let text = format!(
        "include \"rdma-sc-pcie.cat\"
         let po-imm = po \\ (po; po)
         let conflicting = ([M \\ IW]; po & loc; [M]) & (W * M | M * W)
         empty ([nlW]; conflicting \\ sqp) \\ (pf; po) as case-1
         empty ([nlW]; conflicting & sqp; [nlR]) \\ (pf; po | {fence}) as case-2
         empty ([nlR]; conflicting \\ sqp; [nlW | lW | CAS]) \\ (po-imm; [nrW]; pf; po) as case-3
         empty ([nrR]; conflicting; [nrW]) \\ ((po & sqp); [nF]; (po & sqp) | po-imm; [nlW]; pf; po) as case-4"
    );
    load(&text)
}

fn load(text: &str) -> CatModel {
    let given = programs("default").given();
    cat::load_text(&Source::new("theorem.cat", text), &given).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

/// The theorems for one kind of nodes.
pub(super) struct Theory {
    nodes: Nodes,
    programs: Programs,
    pub(super) base: CatModel,
    flags: CatModel,
    no_decomposition: CatModel,
    guaranteed: CatModel,
    pub(super) ldrf: CatModel,
    pub(super) fenced: CatModel,
    tree: CatModel,
    /// Flags what the declared gb takes away from the printed one.
    taken: CatModel,
    /// Executions that order nothing of it.
    turned: CatModel,
}

/// Programs that theorems were held against.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// How many programs fulfil what each theorem asks for.
    pub(super) tried: BTreeMap<&'static str, u32>,
    /// Those that refute each, the first one only.
    pub(super) refuted: BTreeMap<&'static str, String>,
}

impl Theory {
    pub(super) fn new(nodes: Nodes, text: Text) -> Theory {
        let (model, orders, end) = match nodes {
            Nodes::Sc => ("rdma-sc.cat", "rdma-sc-pcie.cat", "sc"),
            // The form of Def. 10, whose ob is the paper's.
            Nodes::Tso => ("rdma-tso-robust.cat", "rdma-tso-pcie.cat", "tso"),
        };
        let printed = if text == Text::Printed { PRINTED } else { "" };
        let gb = |orders: &str| format!("include \"{orders}\" include \"robust-gb.cat\" {printed}\n");
        let ldrf = "let conflicting = ([M \\ IW]; po & loc; [M]) & (W * M | M * W) empty conflicting \\ gb";
        let (ldrf, fenced) = match text {
            Text::Declared => (super::model("ldrf.cat"), super::model(&format!("fenced-{end}.cat"))),
            Text::Printed => {
                (load(&(gb("rdma-sc-pcie.cat") + ldrf)), load(&(gb(orders) + "include \"robust-fenced.cat\"")))
            }
        };
        let taken =
            format!("include \"{model}\" include \"robust-gb.cat\" let taken = ([nrR]; fenced-by-nF; [P]) \\ gb\n");
        Theory {
            taken: load(&format!("{taken} let some = taken | (ob & 0) flag ~empty some as taken")),
            turned: load(&format!("{taken} empty taken & ob as turned")),
            nodes,
            programs: programs("default"),
            base: super::model(model),
            flags: load(&format!("include \"{model}\" include \"robust-gb.cat\" {printed} {FLAGS}")),
            no_decomposition: load(&format!("include \"{model}\" {NO_DECOMPOSITION}")),
            guaranteed: super::model(&format!("guaranteed-{end}.cat")),
            ldrf,
            fenced,
            tree: super::model(&format!("tree-fenced-{end}.cat")),
        }
    }

    fn prepare<'t>(&'t self, test: &'t Test, model: &'t CatModel) -> Declarative<'t> {
        let prepared = Declarative::new(test, &self.programs, model, Options::default());
        prepared.unwrap_or_else(|r| panic!("{}\n{}", r.render(false), test.span.source.text))
    }

    /// Whether a condition holds; a program without pre-executions is none.
    pub(super) fn fulfils(&self, test: &Test, condition: &CatModel) -> bool {
        let against = self.prepare(test, condition).against(&self.base).unwrap_or_else(|r| panic!("{r}"));
        assert!(against.limits.is_empty(), "{:?}", against.limits);
        against.broken.is_empty() && against.pre_executions > 0
    }

    /// Whether the program has a weak execution.
    pub(super) fn is_weak(&self, test: &Test) -> bool {
        let found = self.prepare(test, &self.flags).outcomes().unwrap_or_else(|r| panic!("{r}"));
        found.flags.contains("weak")
    }

    /// Whether the printed line D6-D8 has pairs that are not in gb as declared; then some execution orders none of them.
    pub(super) fn takes_away_only_what_may_turn(&self, text: &str) -> bool {
        let test = test(text, &spec());
        let found = self.prepare(&test, &self.taken).outcomes().unwrap_or_else(|r| panic!("{r}"));
        if !found.flags.contains("taken") {
            return false;
        }
        let turned = self.prepare(&test, &self.turned).outcomes().unwrap_or_else(|r| panic!("{r}"));
        assert!(turned.executions > 0, "{text}");
        true
    }

    /// Holds all theorems against a program.
    pub(super) fn hold(&self, text: &str, held: &mut Held) {
        let test = test(text, &spec());
        let found = self.prepare(&test, &self.flags).outcomes().unwrap_or_else(|r| panic!("{r}\n{text}"));
        assert!(found.complete(), "{text}");
        let raised = |flag: &str| found.flags.contains(flag);
        let weak = raised("weak");
        let [guaranteed, ldrf, fenced, tree] =
            [&self.guaranteed, &self.ldrf, &self.fenced, &self.tree].map(|c| self.fulfils(&test, c));
        let undecomposed = || {
            let found = self.prepare(&test, &self.no_decomposition).outcomes().unwrap_or_else(|r| panic!("{r}"));
            found.executions > 0
        };
        let sc = self.nodes == Nodes::Sc;
        let mut theorem = |of_sc, of_tso, asked: bool, refuted: bool| {
            let name = if sc { of_sc } else { of_tso };
            *held.tried.entry(name).or_default() += u32::from(asked);
            if asked && refuted {
                held.refuted.entry(name).or_insert_with(|| text.to_owned());
            }
        };
        theorem("Theorem 1", "Theorem 13", found.executions > 0, raised("gb-not-observed"));
        theorem("Theorem 2", "Theorem 14", weak, weak && undecomposed());
        theorem("Theorem 3", "Theorem 15", ldrf, raised("own-cycle"));
        theorem("Theorem 4", "Theorem 16", fenced, raised("public-cycle"));
        theorem("Theorem 5", "Theorem 17", ldrf && fenced, weak);
        theorem("Theorem 6", "Theorem 18", tree, !fenced);
        theorem("Corollary 1", "Corollary 3", ldrf && tree, weak);
        theorem("Lemma 1", "Lemma 1 (TSO)", found.executions > 0, raised("apart"));
        theorem("po = gb (SC)", "po = gb (TSO)", guaranteed, weak || !ldrf || !fenced);
        theorem("robust (SC)", "robust (TSO)", !weak, false);
    }
}
