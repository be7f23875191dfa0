//! Declarations after `spec/rdma` and `spec/mpi`, and shorthands that read tests with them.

use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{ByLanguage, Declared, Default, Form, Instruction, Instructions, Kind, Param, Shape};
use litmpi_spec::integers::Bits;
use litmpi_spec::source::{Source, Span};
use std::sync::LazyLock;

/// The instructions of RDMA programs.
pub(crate) static RDMA: LazyLock<Instructions> = LazyLock::new(rdma);
/// The functions of MPI programs.
pub(crate) static MPI: LazyLock<Instructions> = LazyLock::new(mpi);

/// Reads a test of the family that it names.
///
/// # Panics
/// With the rendered messages, if it is wrong.
pub(crate) fn read(text: &str) -> Test {
    match litmpi_litmus::parse(&Source::new("t.litmus", text), decls(text)) {
        Ok(test) => test,
        Err(report) => panic!("{}", report.render(false)),
    }
}

/// Reads a test that is wrong, and renders what is said.
pub(crate) fn wrong(text: &str) -> String {
    match litmpi_litmus::parse(&Source::new("t.litmus", text), decls(text)) {
        Ok(test) => panic!("this was accepted: {test:#?}"),
        Err(report) => report.render(false),
    }
}

/// The declarations for a test's family.
pub(crate) fn decls(text: &str) -> &'static Instructions {
    match litmpi_litmus::parse_family(&Source::new("t.litmus", text)).as_deref() {
        Ok("mpi") => &MPI,
        _ => &RDMA,
    }
}

fn span() -> Span {
    Span::new(&Source::new("declarations", ""), 0, 0)
}

fn kind(name: &str, shape: Shape, names: &[(&str, i64)]) -> Kind {
    let names = names.iter().map(|(n, v)| ((*n).to_string(), *v)).collect();
    Kind {
        name: name.into(),
        shape,
        is_in: false,
        only_names: false,
        names,
        carries: vec![],
        text: ByLanguage::default(),
        span: span(),
    }
}

/// Parameters as text: `buf:buffer count:count=1 statuses:[status]=_`.
fn params(kinds: &[Kind], text: &str) -> Vec<Param> {
    text.split_whitespace()
        .map(|p| {
            let (name, rest) = p.split_once(':').expect("a kind");
            let (kind, default) = rest.split_once('=').map_or((rest, None), |(k, d)| (k, Some(d)));
            let list = kind.starts_with('[');
            let kind = kind.trim_matches(['[', ']']);
            let kind = kinds.iter().position(|k| k.name == kind).expect("a known kind");
            let default = default.map(|d| match d.parse() {
                Ok(value) => Default::Int(value, None),
                Err(_) if d == "_" => Default::NoRegister,
                Err(_) => Default::Int(kinds[kind].value_of(d).expect("a constant"), Some(d.to_string())),
            });
            Param { name: name.into(), kind, list, default, span: span() }
        })
        .collect()
}

fn instruction(kinds: &[Kind], name: &str, text: &str, form: Form) -> Instruction {
    let params = params(kinds, text);
    let declared = Declared { params, text: ByLanguage::default(), doc: String::new(), span: span() };
    Instruction { name: name.into(), form, internal: false, declared: declared.into() }
}

fn rdma() -> Instructions {
    let kinds = vec![
        kind("local", Shape::Local, &[]),
        kind("remote", Shape::Remote, &[]),
        kind("node", Shape::Node, &[]),
        kind("value", Shape::Int, &[]),
        kind("register", Shape::Register("Int".into()), &[]),
    ];
    let make = |name, text, form| instruction(&kinds, name, text, form);
    let list = vec![
        make("write", "x:local v:value", Form::Assign(0, 1)),
        make("read", "r:register x:local", Form::Assign(0, 1)),
        make("get", "x:local y:remote", Form::Assign(0, 1)),
        make("put", "y:remote x:local", Form::Assign(0, 1)),
        make("put_imm", "y:remote v:value", Form::Assign(0, 1)),
        make("cas", "r:register x:local old:value new:value", Form::AssignCall(0, "CAS".into(), vec![1, 2, 3])),
        make("mfence", "", Form::Call),
        make("poll", "n:node", Form::Call),
        make("rfence", "n:node", Form::Call),
    ];
    Instructions { kinds, list, bits: Bits::new(32).expect("they can have as many"), ..Instructions::default() }
}

fn mpi() -> Instructions {
    let mut kinds = vec![
        kind("local", Shape::Local, &[]),
        kind("value", Shape::Int, &[]),
        kind("register", Shape::Register("Int".into()), &[]),
        kind("buffer", Shape::Local, &[]),
        kind("count", Shape::Int, &[]),
        kind("datatype", Shape::Int, &[("MPI_INT", 0)]),
        kind("rank", Shape::Int, &[("MPI_PROC_NULL", -2)]),
        kind("source", Shape::Int, &[("MPI_ANY_SOURCE", -1), ("any", -1), ("MPI_PROC_NULL", -2)]),
        kind("tag", Shape::Int, &[("MPI_ANY_TAG", -1), ("any", -1)]),
        kind("comm", Shape::Int, &[("MPI_COMM_WORLD", 0)]),
        kind("op", Shape::Int, &[("MPI_SUM", 0), ("MPI_PROD", 1), ("MPI_MAX", 2), ("MPI_MIN", 3)]),
        kind("request", Shape::Register("Request".into()), &[]),
        kind("status", Shape::Register("Status".into()), &[]),
        kind("flag", Shape::Register("Int".into()), &[]),
        kind("index", Shape::Register("Int".into()), &[]),
    ];
    let status = kinds.iter_mut().find(|k| k.name == "status").expect("the kind");
    status.text.c.none = Some("MPI_STATUS_IGNORE".into());
    status.text.c.none_list = Some("MPI_STATUSES_IGNORE".into());
    let send = "buf:buffer count:count=1 datatype:datatype=MPI_INT dest:rank tag:tag=0 comm:comm=MPI_COMM_WORLD";
    let recv = "buf:buffer count:count=1 datatype:datatype=MPI_INT source:source tag:tag=MPI_ANY_TAG \
                comm:comm=MPI_COMM_WORLD";
    let mut calls = vec![
        ("MPI_Recv", format!("{recv} status:status=_")),
        ("MPI_Irecv", format!("{recv} request:request")),
        ("MPI_Wait", "request:request status:status=_".to_string()),
        ("MPI_Test", "request:request flag:flag status:status=_".to_string()),
        ("MPI_Waitall", "array_of_requests:[request] array_of_statuses:[status]=_".to_string()),
        ("MPI_Waitany", "array_of_requests:[request] index:index status:status=_".to_string()),
        ("MPI_Barrier", "comm:comm=MPI_COMM_WORLD".to_string()),
    ];
    for name in ["MPI_Send", "MPI_Ssend"] {
        calls.push((name, send.to_string()));
    }
    calls.push(("MPI_Isend", format!("{send} request:request")));
    let mut list = vec![
        instruction(&kinds, "store", "x:local v:value", Form::Assign(0, 1)),
        instruction(&kinds, "load", "r:register x:local", Form::Assign(0, 1)),
    ];
    list.extend(calls.iter().map(|(name, text)| instruction(&kinds, name, text, Form::Call)));
    let mut hidden = instruction(&kinds, "bounce", "x:local", Form::Call);
    hidden.internal = true;
    list.push(hidden);
    let fields = ["source", "tag", "count"].map(str::to_string).to_vec();
    Instructions {
        kinds,
        list,
        records: vec![("Status".into(), fields), ("Request".into(), Vec::new())],
        bits: Bits::new(32).expect("they can have as many"),
        ..Instructions::default()
    }
}
