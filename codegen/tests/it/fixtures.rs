//! Instruction declarations and programs built by hand: a small part of MPI, so that these tests rest on neither
//! the specification files nor the litmus parser. The runner's tests use them too.

use litmpi_litmus::ast::{Observable, Observed, Stmt, Test, Thread};
use litmpi_spec::decl::{
    ByLanguage, Declared, Default as ParamDefault, Form, Instruction, Instructions, Kind, KindText, Param, Shape,
};
use litmpi_spec::integers::Bits;
use litmpi_spec::program::{IntExpr, Loc, Node, Operand, Reg};
use litmpi_spec::source::{Source, Span};

fn span() -> Span {
    Span::new(&Source::new("mpi.spec", ""), 0, 0)
}

fn kind(name: &str, shape: Shape, names: &[(&str, i64)], c: KindText) -> Kind {
    Kind {
        name: name.into(),
        shape,
        is_in: false,
        only_names: false,
        names: names.iter().map(|(n, v)| ((*n).into(), *v)).collect(),
        carries: vec![],
        text: ByLanguage { c, ..ByLanguage::default() },
        span: span(),
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.into())
}

fn fields(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(n, t)| ((*n).into(), (*t).into())).collect()
}

/// The declarations.
pub(crate) fn mpi() -> Instructions {
    let register = |ty: &str| Shape::Register(ty.into());
    let kinds = vec![
        kind("buffer", Shape::Local, &[], KindText::default()),
        kind("count", Shape::Int, &[], KindText { pass: some("({}) * LITMPI_BLOCK"), ..KindText::default() }),
        kind("datatype", Shape::Int, &[("MPI_INT", 0)], KindText { ty: some("MPI_Datatype"), ..KindText::default() }),
        kind("rank", Shape::Int, &[("MPI_ANY_SOURCE", -1), ("any", -1), ("MPI_PROC_NULL", -2)], KindText::default()),
        kind("tag", Shape::Int, &[("MPI_ANY_TAG", -1)], KindText::default()),
        kind(
            "comm",
            Shape::Int,
            &[("MPI_COMM_WORLD", 0)],
            KindText { pass: some("LITMPI_COMM"), ..KindText::default() },
        ),
        kind(
            "request",
            register("Request"),
            &[],
            KindText {
                ty: some("MPI_Request"),
                init: some("MPI_REQUEST_NULL"),
                pass: some("&{}"),
                leave: some("litmpi_leave(&{})"),
                ..KindText::default()
            },
        ),
        kind(
            "status",
            register("Status"),
            &[],
            KindText {
                ty: some("MPI_Status"),
                init: some("{0}"),
                pass: some("&{}"),
                none: some("MPI_STATUS_IGNORE"),
                none_list: some("MPI_STATUSES_IGNORE"),
                fields: fields(&[
                    ("source", "litmpi_source(&{})"),
                    ("tag", "litmpi_tag(&{})"),
                    ("count", "litmpi_count(&{})"),
                ]),
                ..KindText::default()
            },
        ),
        kind("flag", register("Int"), &[], KindText { pass: some("&{}"), ..KindText::default() }),
        kind("value", Shape::Int, &[], KindText::default()),
        kind("out", register("Int"), &[], KindText::default()),
    ];
    let find = |n: &str| kinds.iter().position(|k| k.name == n).expect("a declared kind");
    let param = |text: &str| {
        let (name, of) = text.split_once(':').expect("name:kind");
        let (of, list) = of.strip_suffix("[]").map_or((of, false), |k| (k, true));
        let default = (of == "status").then_some(ParamDefault::NoRegister);
        Param { name: name.into(), kind: find(of), list, default, span: span() }
    };
    let make = |name: &str, params: &str, form: Form, c: Option<&str>| Instruction {
        name: name.into(),
        form,
        internal: false,
        declared: Declared {
            params: params.split_whitespace().map(param).collect(),
            text: ByLanguage { c: c.map(Into::into), ..ByLanguage::default() },
            doc: String::new(),
            span: span(),
        }
        .into(),
    };
    let send = "buf:buffer count:count datatype:datatype dest:rank tag:tag comm:comm";
    let recv = "buf:buffer count:count datatype:datatype source:rank tag:tag comm:comm";
    let list = vec![
        make("store", "x:buffer v:value", Form::Assign(0, 1), None),
        make("load", "r:out x:buffer", Form::Assign(0, 1), None),
        make("MPI_Send", send, Form::Call, None),
        make("MPI_Ssend", send, Form::Call, None),
        make("MPI_Recv", &format!("{recv} status:status"), Form::Call, None),
        make("MPI_Isend", &format!("{send} request:request"), Form::Call, None),
        make("MPI_Irecv", &format!("{recv} request:request"), Form::Call, None),
        make("MPI_Wait", "request:request status:status", Form::Call, None),
        make("MPI_Test", "request:request flag:flag status:status", Form::Call, None),
        make("MPI_Barrier", "comm:comm", Form::Call, None),
        make(
            "MPI_Waitall",
            "array_of_requests:request[] array_of_statuses:status[]",
            Form::Call,
            Some("MPI_Waitall({array_of_requests.len}, {array_of_requests}, {array_of_statuses})"),
        ),
    ];
    Instructions {
        kinds,
        list,
        records: vec![("Status".into(), vec!["source".into(), "tag".into(), "count".into()])],
        bits: Bits::new(32).expect("they can have as many"),
        ..Instructions::default()
    }
}

/// Builds a test; statements are numbered as if each stood on a line of its own.
pub(crate) struct Builder {
    /// The test so far.
    pub(crate) test: Test,
    instructions: Instructions,
    source: std::sync::Arc<Source>,
}

impl Builder {
    /// A test with this many ranks.
    pub(crate) fn new(name: &str, title: &str, ranks: usize) -> Builder {
        let source = Source::new(format!("litmus/mpi/{name}.litmus"), "\n".repeat(40));
        let number = |r: usize| i64::try_from(r).expect("few ranks");
        Builder {
            test: Test {
                family: "mpi".into(),
                name: name.into(),
                title: title.into(),
                nodes: (0..ranks).map(|r| Node { number: number(r) }).collect(),
                locs: Vec::new(),
                threads: (0..ranks)
                    .map(|r| Thread { number: number(r), node: r, regs: Vec::new(), body: Vec::new() })
                    .collect(),
                observed: Vec::new(),
                claims: Vec::new(),
                herd: None,
                span: Span::new(&source, 0, 0),
            },
            instructions: mpi(),
            source,
        }
    }

    /// A location of a rank.
    pub(crate) fn loc(&mut self, rank: usize, name: &str, initial: i64) -> usize {
        self.test.locs.push(Loc { name: name.into(), node: rank, initial, room: 1 });
        self.test.locs.len() - 1
    }

    /// A register of a rank, of a kind.
    pub(crate) fn reg(&mut self, rank: usize, name: &str, kind: &str) -> usize {
        let at = self.instructions.kinds.iter().position(|k| k.name == kind).expect("a declared kind");
        let Shape::Register(ty) = self.instructions.kinds[at].shape.clone() else { panic!("{kind} is no register") };
        let regs = &mut self.test.threads[rank].regs;
        regs.push(Reg { name: name.into(), ty, kind: Some(at) });
        regs.len() - 1
    }

    /// A statement that calls an instruction.
    pub(crate) fn stmt(&self, line: usize, name: &str, args: Vec<Operand>) -> Stmt {
        let instr = self.instructions.find(name).expect("a declared instruction");
        assert_eq!(args.len(), self.instructions.list[instr].params.len(), "{name}");
        Stmt::Call { instr, args, span: self.at(line) }
    }

    /// A place on a line.
    pub(crate) fn at(&self, line: usize) -> Span {
        Span::new(&self.source, line - 1, line - 1)
    }

    /// Appends a call to a rank's body.
    pub(crate) fn call(&mut self, rank: usize, line: usize, name: &str, args: Vec<Operand>) {
        let stmt = self.stmt(line, name, args);
        self.test.threads[rank].body.push(stmt);
    }

    /// A blocking or, with a request, nonblocking send.
    pub(crate) fn send(&mut self, rank: usize, line: usize, name: &str, buf: usize, dest: i64) {
        self.call(rank, line, name, vec![Operand::Loc(buf), int(1), int(0), int(dest), int(0), int(0)]);
    }

    /// A receive with any tag.
    pub(crate) fn recv(&mut self, rank: usize, line: usize, buf: usize, source: i64, status: Option<usize>) {
        let status = status.map_or(Operand::NoReg, Operand::Reg);
        let args = vec![Operand::Loc(buf), int(1), int(0), int(source), int(-1), int(0), status];
        self.call(rank, line, "MPI_Recv", args);
    }

    /// Observes a location.
    pub(crate) fn observe_loc(&mut self, name: &str, loc: usize) {
        self.test.observed.push(Observable { name: name.into(), what: Observed::Loc(loc) });
    }

    /// Observes a register or a field of it.
    pub(crate) fn observe_reg(&mut self, name: &str, thread: usize, reg: usize, field: Option<&str>) {
        let what = Observed::Reg(thread, reg, field.map(Into::into));
        self.test.observed.push(Observable { name: name.into(), what });
    }
}

/// An integer argument.
pub(crate) fn int(v: i64) -> Operand {
    Operand::Int(IntExpr::Const(v, None))
}

/// Two senders, one wildcard receiver: either may come first.
pub(crate) fn wildcard_race() -> Test {
    let mut b = Builder::new("wildcard-race", "a wildcard receive takes either message", 3);
    let (a, c) = (b.loc(0, "a", 0), b.loc(0, "b", 0));
    let s = b.reg(0, "s", "status");
    let (x, y) = (b.loc(1, "$1", 1), b.loc(2, "$1", 2));
    b.recv(0, 3, a, -1, Some(s));
    b.recv(0, 4, c, -1, None);
    b.send(1, 7, "MPI_Send", x, 0);
    b.send(2, 10, "MPI_Send", y, 0);
    b.observe_reg("s.source", 0, s, Some("source"));
    b.observe_loc("a", a);
    b.test
}

/// Two ranks that send to each other before they receive; with `MPI_Ssend` they always deadlock.
pub(crate) fn head_to_head(name: &str, send: &str) -> Test {
    let mut b = Builder::new(name, "both ranks send before they receive", 2);
    for rank in 0..2 {
        let (x, a) = (b.loc(rank, "x", 7), b.loc(rank, "a", 0));
        let peer = i64::from(rank == 0);
        b.send(rank, 3 + 4 * rank, send, x, peer);
        b.recv(rank, 4 + 4 * rank, a, peer, None);
        b.observe_loc(&format!("{rank}:a"), a);
    }
    b.test
}

/// Rank 1 sends 1 and 2; rank 0 receives one of them and leaves a receive behind that takes the other.
pub(crate) fn leftovers() -> Test {
    let mut b = Builder::new("leftovers", "a receive that nobody waits for, and a message that nobody receives", 2);
    let (a, c) = (b.loc(0, "a", 0), b.loc(0, "c", 0));
    let r = b.reg(0, "r", "request");
    let (x, y, z) = (b.loc(1, "x", 1), b.loc(1, "y", 2), b.loc(1, "z", 3));
    b.recv(0, 2, a, -1, None);
    b.call(0, 3, "MPI_Irecv", vec![Operand::Loc(c), int(1), int(0), int(-1), int(-1), int(0), Operand::Reg(r)]);
    for (line, loc) in [(5, x), (6, y), (7, z)] {
        b.send(1, line, "MPI_Send", loc, 0);
    }
    b.observe_loc("a", a);
    b.observe_loc("c", c);
    b.test
}

/// Rank 1 sends two values where rank 0 has room for one.
pub(crate) fn truncation() -> Test {
    let mut b = Builder::new("truncation", "a message longer than its receive", 2);
    let a = b.loc(0, "a", 0);
    let x = b.loc(1, "x[0]", 1);
    b.loc(1, "x[1]", 2);
    b.recv(0, 2, a, 1, None);
    b.call(1, 4, "MPI_Send", vec![Operand::Loc(x), int(2), int(0), int(0), int(0), int(0)]);
    b.observe_loc("a", a);
    b.test
}

/// Rank 0 enters a barrier that rank 1 may leave out.
pub(crate) fn half_a_barrier() -> Test {
    let mut b = Builder::new("half-a-barrier", "a barrier that one rank may leave out", 2);
    let x = b.loc(0, "x", 5);
    b.call(0, 2, "MPI_Barrier", vec![int(0)]);
    let barrier = b.stmt(5, "MPI_Barrier", vec![int(0)]);
    let span = b.at(4);
    b.test.threads[1].body.push(Stmt::Choose { of: vec![vec![barrier], vec![]], span });
    b.observe_loc("x", x);
    b.test
}

/// Rank 0 asks for a message that never comes.
pub(crate) fn endless() -> Test {
    let mut b = Builder::new("endless", "a loop without an end", 1);
    let a = b.loc(0, "a", 0);
    let (r, flag) = (b.reg(0, "r", "request"), b.reg(0, "f", "flag"));
    b.call(0, 2, "MPI_Irecv", vec![Operand::Loc(a), int(1), int(0), int(0), int(0), int(0), Operand::Reg(r)]);
    let test = b.stmt(4, "MPI_Test", vec![Operand::Reg(r), Operand::Reg(flag), Operand::NoReg]);
    let cond = IntExpr::Binary(
        litmpi_spec::program::BinaryOp::Eq,
        Box::new(IntExpr::Reg(flag, None)),
        Box::new(IntExpr::Const(0, None)),
    );
    let span = b.at(3);
    b.test.threads[0].body.push(Stmt::While { cond, bound: Some(3), body: vec![test], span });
    b.observe_loc("a", a);
    b.test
}
