//! From what a process passes to a function to an instruction of the specification: by the names and kinds of the parameters that the
//! specification declares.

use crate::face::{Face, Function, STATUS_BYTES};
use crate::forgotten::Forgotten;
use crate::layout::Layout;
use crate::local::is_local;
use crate::looks::LOOK;
use crate::memory::{Area, Seen, Values};
use crate::operations::Combiner;
use crate::races::Beside;
use crate::rank::Process;
use crate::windows::{Element, Grew, Made, Named, Overlap, Unshared, Windows};
use litmpi_engine::machine::Machine;
use litmpi_engine::unfold::{Given, Shown};
use litmpi_spec::decl::{Default, Instructions, Kind, Language, Param, Shape};
use litmpi_spec::heap::Word;

/// Kinds that are counts, sizes and displacements, which functions with an `MPI_Count` have in eight bytes.
const LARGE: [&str; 7] = ["count", "displacement", "number", "bytes", "elements", "size", "index"];

/// Calls that programs repeat until they say yes.
const TESTS: [&str; 11] = [
    "MPI_Test",
    "MPI_Testany",
    "MPI_Testall",
    "MPI_Testsome",
    "MPI_Iprobe",
    "MPI_Improbe",
    "MPI_Request_get_status",
    "MPI_Request_get_status_all",
    "MPI_Request_get_status_any",
    "MPI_Request_get_status_some",
    "MPI_Win_test",
];
/// Calls that wait for some of several requests, and return at once where none is active.
const WAITS_FOR_SOME: [&str; 2] = ["MPI_Waitany", "MPI_Waitsome"];
/// Calls that start persistent requests.
const STARTS: [&str; 2] = ["MPI_Start", "MPI_Startall"];
/// A displacement outside of every window.
const FAR: i64 = 1 << 32;
/// What is an address, where a displacement is asked for (MPI 4.1 §5.1.12), if the process has memory there.
const ADDRESSES: std::ops::Range<i64> = 1 << 32..1 << 47;
/// Elements of a list of arguments.
const MOST_LISTED: usize = 1 << 12;

/// A call, as an instruction of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// Number of the function.
    pub(crate) function: usize,
    /// Where it returns to.
    pub(crate) site: u64,
    /// Index of the instruction; none if no rule has anything to say.
    pub(crate) instr: Option<usize>,
    pub(crate) args: Vec<Arg>,
    /// What it gives back, or takes and gives back, in registers.
    pub(crate) outs: Vec<Out>,
    /// Its buffers.
    pub(crate) areas: Vec<Area>,
    /// Where the buffers of areas begin, as far as the call passes them.
    pub(crate) bases: Vec<Option<u64>>,
    /// Whether the call only reads the buffer of an area, as far as the call passes them.
    pub(crate) taken: Vec<bool>,
    /// Memory that a datatype is of which it makes: addresses and bytes.
    pub(crate) stretches: Vec<(u64, u64)>,
    /// Elements that the process has changed, or that are seen for the first time.
    pub(crate) brought: Vec<(u64, i64)>,
    /// Elements that the process has read or written where others may write or read.
    pub(crate) touched: Vec<Touched>,
    /// The memory of the window that it makes: where it begins, and its bytes.
    pub(crate) window: Option<(u64, u64)>,
    /// Elements of windows that others may write, and what the process knows to be in them.
    pub(crate) watched: Vec<(u64, i64)>,
    /// What is put into the process's memory whatever the rules answer.
    pub(crate) writes: Vec<(u64, Vec<u8>)>,
    /// Whether one of the things given back says yes or no.
    pub(crate) asks: Option<usize>,
    /// Whether it makes a persistent request, which will use its buffers whenever it is started.
    pub(crate) is_persistent: bool,
    /// Of a call that waits for some of several requests: which of the things given back is `MPI_UNDEFINED` where there are none.
    pub(crate) says_none: Option<usize>,
    /// Whether it is of a window, so that a program may repeat it until another process has written something there, or waits for some of
    /// several requests, of which none may be left.
    pub(crate) is_repeated: bool,
    /// Arrays of counts, displacements or datatypes of a collective that goes on when the call has returned: the place of their area.
    pub(crate) arrays: Option<usize>,
    /// Where each of them lies, and which parameter it is.
    pub(crate) lists: Vec<(std::ops::Range<u64>, String)>,
    /// Whether it only begins an operation, or is local: no buffer comes to be the process's to read by it. A process that were told of buffers
    /// behind each such call would depend, call by call, on what has arrived.
    pub(crate) only_begins: bool,
    /// What is held against accesses of other threads.
    pub(crate) beside: Beside,
    /// What the model forgets when it is over.
    pub(crate) forgotten: Forgotten,
}

/// Functions that begin an operation on a window, which others complete.
pub(crate) const BEGINNING: [&str; 6] =
    ["MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"];

impl Call {
    fn of(function: usize, instr: Option<usize>, site: u64) -> Call {
        Call {
            function,
            site,
            instr,
            args: vec![],
            outs: vec![],
            areas: vec![],
            bases: vec![],
            taken: vec![],
            stretches: vec![],
            brought: vec![],
            touched: vec![],
            window: None,
            watched: vec![],
            writes: vec![],
            asks: None,
            is_persistent: false,
            says_none: None,
            is_repeated: false,
            arrays: None,
            lists: vec![],
            only_begins: false,
            beside: Beside::default(),
            forgotten: Forgotten::default(),
        }
    }

    /// The requests that it names, by their numbers.
    pub(crate) fn requests(&self) -> impl Iterator<Item = i64> {
        self.outs.iter().filter(|out| out.ty == "Request").flat_map(|out| &out.brought).copied()
    }

    /// Where among the values that the call tells its process those of a register begin; of the number of registers, where the last ends.
    pub(crate) fn told_at(&self, out: usize) -> usize {
        self.outs[..out].iter().map(|o| o.brought.len()).sum()
    }
}

/// An access of a process to its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The element.
    pub(crate) at: u64,
    pub(crate) touch: Touch,
    /// Where in the program; 0 if that was not seen.
    pub(crate) site: u64,
    pub(crate) of: Of,
}

/// Of what an element is that a process has accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Of a buffer that may be in use, or of a window that calls use.
    Used,
    /// Of a shared window, and no call names it: what the process knew to be there.
    Shared(i64),
}

/// What a process did with an element of its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    /// It holds this now.
    Wrote(i64),
    /// Its memory was given back.
    Freed,
}

/// An argument of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arg {
    /// The location of an address.
    Loc(u64),
    /// Left out.
    None,
    Int(i64),
    /// How far the location of an address is from that of the null pointer, `MPI_BOTTOM`.
    At(u64),
    /// The same of an address of another rank.
    AtOf(usize, u64),
    /// A register, by its place among [`Call::outs`].
    Reg(usize),
    List(Vec<Arg>),
}

/// A register of a call, and the variable of the process that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Out {
    /// Type of the register.
    pub(crate) ty: String,
    /// Address of the variable.
    pub(crate) at: u64,
    /// What it holds when the call begins.
    pub(crate) brought: Vec<i64>,
    pub(crate) form: Form,
}

/// How a register stands in the memory of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A handle; the index of its kind.
    Object(usize),
    /// An integer of so many bytes that is this many times the specification's; the index of its kind.
    Int(u8, i64, usize),
    /// An `MPI_Status`.
    Status,
    /// A pointer, which has a number.
    Pointer,
    /// What the call returns: the class of an error, or 0.
    Returned,
}

/// Of an integer that a call has not written.
pub(crate) const UNTOUCHED: i64 = i32::MIN as i64 + 77;

/// Why a call cannot be given to the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The rules do not speak of it, or of what it passes.
    Unsupported(String),
    /// It is erroneous, whatever state the model is in.
    Erroneous(String),
    /// A location must stand for fewer bytes.
    Finer,
    /// Elements of windows are named that were not known before.
    Named,
    /// One stretch of a window is used as elements of different sizes: each byte must be an element.
    Bytes,
    /// Elements must be looked at one by one, however many they are.
    Apart,
    /// It reads memory of which the process was not told yet what it holds.
    Unlooked,
}

/// Where a call is looked at: the process that waits in it, and a state of the model in which its rank is there.
pub(crate) struct Scene<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) face: &'a Face,
    pub(crate) values: &'a Values,
    pub(crate) operations: &'a Combiner,
    pub(crate) layout: &'a Layout,
    pub(crate) windows: &'a mut Windows,
    pub(crate) rank: usize,
    pub(crate) process: &'a Process,
    pub(crate) state: &'a [Word],
    /// Whether counts and displacements are of eight bytes.
    pub(crate) large: bool,
    /// Whether each process goes one way only.
    pub(crate) one_way: bool,
    /// Whether a process of which all accesses are seen may be told what its windows hold when it looks there.
    pub(crate) may_look: bool,
    /// Whether datatypes are held against what the program declares its memory as.
    pub(crate) typed: bool,
    /// Elements of windows that the call names and that were not known before; none where all processes must be read anew for them.
    pub(crate) found: Option<Vec<Element>>,
}

/// The type's name that a register or a handle has, where it has one.
fn ty_of(kind: &Kind) -> &str {
    match &kind.shape {
        Shape::Register(ty) | Shape::Handle(ty) => ty,
        _ => "Int",
    }
}

/// The kind that has the constants of a kind's type: of handles, the one of that type that declares most of them.
pub(crate) fn names_of<'k>(kinds: &'k [Kind], kind: &'k Kind) -> &'k Kind {
    let ty = ty_of(kind);
    if !Face::is_object(ty) {
        return kind;
    }
    let all = kinds.iter().filter(|k| matches!(k.shape, Shape::Handle(_)) && ty_of(k) == ty);
    all.max_by_key(|k| k.names.len()).unwrap_or(kind)
}

/// The kind that has the constants of a type of handles.
pub(crate) fn kind_of<'k>(kinds: &'k [Kind], ty: &str) -> &'k Kind {
    let of = kinds.iter().find(|k| matches!(&k.shape, Shape::Handle(t) if t == ty));
    names_of(kinds, of.unwrap_or(&kinds[0]))
}

/// A basic type of eight bytes, in which pointers stand.
pub(crate) const POINTER: i64 = 12;

impl Scene<'_> {
    /// Whether a parameter is a pointer of the program, which MPI only keeps: attributes of windows are integers instead.
    fn is_pointer(&self, p: &Param, call: &Call) -> bool {
        let name = |instr: usize| &self.instructions().list[instr].name;
        p.name == "attribute_val" && call.instr.is_some_and(|i| name(i).starts_with("MPI_Comm_"))
    }

    pub(crate) fn instructions(&self) -> &Instructions {
        &self.machine.spec().instructions
    }

    pub(crate) fn apply(&self, function: &str, args: &[Given]) -> Option<Shown> {
        self.machine.apply(function, args, self.state).ok().flatten()
    }

    pub(crate) fn number_of(&self, function: &str, args: &[i64]) -> Option<i64> {
        let given: Vec<Given> =
            std::iter::once(self.rank as i64).chain(args.iter().copied()).map(Given::Word).collect();
        match self.apply(function, &given) {
            Some(Shown::Int(n)) => Some(n),
            _ => None,
        }
    }

    pub(crate) fn object(&self, kind: &Kind, handle: u32) -> i64 {
        self.face.object(ty_of(kind), names_of(&self.instructions().kinds, kind), handle)
    }

    /// Reads a call.
    pub(crate) fn call(
        &mut self,
        number: usize,
        function: &Function,
        raw: &[u64],
        site: u64,
        seen: &mut Seen,
    ) -> Result<Call, Refused> {
        if function.name == LOOK {
            return self.look(Call::of(number, None, site), seen);
        }
        if crate::pack::is_packing(&function.name) {
            if seen.unlooked {
                return Err(Refused::Unlooked);
            }
            let mut call = Call::of(number, None, site);
            // What the process has changed, its next call brings; what it has accessed would not be known there any more.
            self.touched(seen, &mut std::collections::BTreeSet::new(), &mut call)?;
            let packed = self.pack(function, raw, seen)?;
            self.packs(&packed, seen, &mut call);
            self.passes(&call)?;
            call.writes = packed.writes;
            return Ok(call);
        }
        let unsupported = |what: &str| Refused::Unsupported(format!("{}: {what}", function.name));
        let Some(instr) = self.instructions().find(&function.name) else {
            return Err(unsupported("no rule speaks of it"));
        };
        let machine = self.machine;
        let declared = &machine.spec().instructions;
        let (params, kinds) = (&declared.list[instr].params[..], &declared.kinds[..]);
        let places: Vec<Option<usize>> = params
            .iter()
            .map(|p| function.args.iter().position(|a| *a == p.name || p.name == "place" && a == "base"))
            .collect();
        if let Some((p, _)) = params.iter().zip(&places).find(|(p, at)| at.is_none() && p.default.is_none()) {
            return Err(unsupported(&format!("`{}` has no place among its arguments in C", p.name)));
        }
        let mut call = Call::of(number, Some(instr), site);
        let comm =
            params.iter().zip(&places).find(|(p, _)| matches!(&kinds[p.kind].shape, Shape::Handle(t) if t == "Comm"));
        let comm = comm.and_then(|(p, at)| at.map(|at| self.object(&kinds[p.kind], raw[at] as u32)));
        // Of a reduction between two groups each process brings, and names, a part for each of its own group.
        let among = if function.name.contains("educe_scatter") { "own_count" } else { "peer_count" };
        let peers = comm.and_then(|c| self.number_of(among, &[c])).unwrap_or(0).max(0) as usize;
        let unnamed = |a: &&String| !params.iter().any(|p| p.name == **a);
        let lengths = ["count", "incount", "ndims", "nnodes", "n", "maxdims"];
        let length = function
            .args
            .iter()
            .filter(unnamed)
            .find(|a| lengths.contains(&a.as_str()))
            .and_then(|a| function.args.iter().position(|b| b == a))
            .map(|at| (&function.args[at], raw[at] as i32));
        let length = match length {
            Some((name, n)) if n < 0 => {
                return Err(Refused::Erroneous(format!("{}: `{name}` is negative", function.name)));
            }
            Some((_, n)) => n as usize,
            None => peers,
        };
        if length > MOST_LISTED {
            return Err(unsupported("a list of that length"));
        }
        for (p, at) in params.iter().zip(&places) {
            let Some(at) = at else {
                let Some(Default::Int(value, _)) = &p.default else {
                    return Err(unsupported(&format!("`{}` is not passed", p.name)));
                };
                call.args.push(Arg::Int(*value));
                continue;
            };
            let kind = &kinds[p.kind];
            let arg = if p.list {
                let step = self.size_in_c(p, kind);
                let absent = self.is_absent(raw[*at]) || self.process.read(raw[*at], 1).is_empty();
                // Of others it depends on the process, or on another argument, whether a list is looked at.
                let is_looked_at = ty_of(kind) == "Request" || function.name.starts_with("MPI_Group_");
                if absent && length > 0 && is_looked_at {
                    let at = raw[*at];
                    let why = format!("{}: `{}` is no memory of the process ({at:#x})", function.name, p.name);
                    return Err(Refused::Erroneous(why));
                }
                let n = if absent { 0 } else { self.length(instr, &p.name, raw, comm, &call).unwrap_or(length) };
                if n > MOST_LISTED {
                    return Err(unsupported("a list of that length"));
                }
                self.list_is_memory(function, p, raw[*at], n as u64 * step)?;
                let list = (0..n as u64).map(|i| self.listed(p, kind, raw[*at] + i * step, &mut call));
                Arg::List(list.collect::<Result<_, _>>()?)
            } else {
                self.argument(p, kind, raw[*at], &mut call).map_err(|refused| match refused {
                    Refused::Erroneous(why) => Refused::Erroneous(format!("{}: {why}", function.name)),
                    other => other,
                })?
            };
            if TESTS.contains(&function.name.as_str()) && (p.name == "flag" || p.name == "outcount") {
                call.asks = match arg {
                    Arg::Reg(r) => Some(r),
                    _ => None,
                };
            }
            if WAITS_FOR_SOME.contains(&function.name.as_str()) && (p.name == "index" || p.name == "outcount") {
                call.says_none = match arg {
                    Arg::Reg(r) => Some(r),
                    _ => None,
                };
            }
            call.args.push(arg);
        }
        let begins = STARTS.contains(&function.name.as_str())
            || params.iter().any(|p| {
                let kind = &kinds[p.kind];
                !p.list && matches!(&kind.shape, Shape::Register(ty) if ty == "Request")
                    || matches!(&kind.shape, Shape::Handle(ty) if ty == "Win")
            });
        if STARTS.contains(&function.name.as_str()) {
            // What a persistent request sends or receives is under way again.
            let again = call.requests().filter_map(|r| seen.persistent.get(&r)).flatten().map(|(area, _)| area);
            let again: Vec<Area> = again.filter(|a| !seen.pending.contains(a)).cloned().collect();
            call.areas.extend(again);
        }
        if function.name == "MPI_Request_free" {
            call.requests().for_each(|r| _ = seen.persistent.remove(&r));
        }
        let memory = params.iter().position(|p| p.name == "base" || p.name == "baseptr");
        if let (Some(at), Some(size)) = (memory, params.iter().position(|p| p.name == "size"))
            && let (Arg::Loc(at), Arg::Int(n)) = (&call.args[at], &call.args[size])
        {
            let memory = (*at, ((*n).max(0) as u64).saturating_mul(self.layout.granule.0));
            call.window = Some(memory);
            seen.windows.push(memory);
        }
        if !seen.windows.is_empty() {
            self.made(seen)?;
            self.shared(seen)?;
        }
        self.stretches(params, &mut call);
        self.to_address(params, &places, raw, &mut call)?;
        self.names(params, &call, seen)?;
        self.denies(params, &call, seen)?;
        let read = |call: &mut Call| self.buffers(function, params, kinds, peers, comm, call);
        self.with_runs(params, kinds, seen, &mut call, &read)?;
        seen.absolute.extend(call.stretches.iter().flat_map(|(at, bytes)| (*at..at + bytes).step_by(4)));
        self.arrays(function, params, kinds, raw, &mut call);
        self.is_memory(function, params, kinds, &call)?;
        if self.typed {
            self.is_of_type(function, params, kinds, &call)?;
        }
        call.is_persistent = function.name.ends_with("_init");
        call.is_repeated = params.iter().any(|p| matches!(&kinds[p.kind].shape, Shape::Handle(ty) if ty == "Win"))
            || call.says_none.is_some();
        // Who is told that a request is complete may read its buffer.
        call.only_begins = is_local(&function.name) && !function.name.starts_with("MPI_Request_get_status");
        self.passes(&call)?;
        self.compare(seen, &mut call)?;
        self.overlaps(seen, &mut call)?;
        match function.name.as_str() {
            "lend" => seen.lent.push((raw[0], raw[1])),
            "reclaim" => seen.lent.retain(|(at, _)| *at != raw[0]),
            _ => {}
        }
        if begins {
            seen.begin(&call.areas);
        }
        self.tells_of_windows(&function.name, seen, &mut call);
        seen.returns |= matches!(function.name.as_str(), "MPI_Comm_set_errhandler" | "MPI_Win_set_errhandler");
        if seen.returns {
            call.outs.push(Out { ty: "Int".into(), at: 0, brought: vec![0], form: Form::Returned });
        }
        Ok(call)
    }

    /// How many elements a list has, where that is not said by the one number of the call that says how long lists are: by the argument
    /// that the instruction's text in C has for its length, or by what lists before it hold.
    fn length(&self, instr: usize, list: &str, raw: &[u64], comm: Option<i64>, call: &Call) -> Option<usize> {
        let instr = &self.instructions().list[instr];
        let before = |name: &str| match instr.param(name).map(|i| &call.args[i]) {
            Some(Arg::List(ns)) => Some(ns.iter().filter_map(|n| if let Arg::Int(n) = n { Some(*n) } else { None })),
            _ => None,
        };
        let sum = match (instr.name.as_str(), list) {
            // §8.6: one for each neighbour, of those that are heard or of those that are told.
            (name, _) if name.contains("eighbor_all") && !name.ends_with("allgather") => {
                Some(self.neighbours(list, comm?)? as i64)
            }
            // MPI 4.1 §8.5.3: the last index is the number of edges; §8.5.4: each source has so many destinations.
            ("MPI_Graph_create" | "MPI_Graph_map", "edges") => before("index")?.next_back(),
            ("MPI_Dist_graph_create", "destinations") | ("weighted_edges", "destinations" | "weights") => {
                Some(before("degrees")?.sum())
            }
            // §8.5.5, §8.5.7: one for each dimension of the grid.
            ("MPI_Cart_rank", "coords") | ("MPI_Cart_sub", "remain_dims") => {
                let comm = match call.args.first()? {
                    Arg::Int(comm) => *comm,
                    _ => return None,
                };
                match self.apply("dims_of", &[Given::Word(self.rank as i64), Given::Word(comm)])? {
                    Shown::Parts(dims) => Some(dims.len() as i64),
                    Shown::Int(_) => None,
                }
            }
            _ => {
                let text = instr.text.of(Language::C).as_ref()?;
                let args = text.split_once('(')?.1.split(", ");
                let (at, arg) = args.enumerate().find(|(_, arg)| arg.contains(&format!("{{{list}.len}}")))?;
                let times = arg.split_once("} / ").and_then(|(_, n)| n.trim().parse().ok()).unwrap_or(1);
                Some(i64::from(*raw.get(at)? as i32).saturating_mul(times))
            }
        };
        Some(sum.unwrap_or(0).max(0) as usize)
    }

    /// How many neighbours a list or a buffer is for: those that the process tells, where it is sent, or those that it hears (MPI 4.1 §8.6).
    pub(crate) fn neighbours(&self, argument: &str, comm: i64) -> Option<usize> {
        let which = if argument.starts_with('s') { "tells" } else { "hears" };
        match self.apply(which, &[Given::Word(self.rank as i64), Given::Word(comm)])? {
            Shown::Parts(all) => Some(all.len()),
            Shown::Int(_) => None,
        }
    }

    fn is_absent(&self, raw: u64) -> bool {
        raw == 0 || raw as i64 == self.face.constant("MPI_STATUS_IGNORE").unwrap_or(1)
    }

    /// Bytes of an element of a list of this kind.
    pub(crate) fn size_in_c(&self, p: &Param, kind: &Kind) -> u64 {
        // How many processes there are in a direction stays an `int`.
        if self.large && LARGE.contains(&kind.name.as_str()) && p.name != "array_of_psizes" {
            return 8;
        }
        let c = kind.text.of(Language::C).ty.as_deref().unwrap_or("int");
        match c {
            "MPI_Aint" => 8,
            "MPI_Status" => STATUS_BYTES as u64,
            _ => 4,
        }
    }

    fn is_in_bytes(kind: &Kind) -> bool {
        let text = kind.text.of(Language::C);
        let has = |s: Option<&str>, what: &str| s.is_some_and(|s| s.contains(what));
        has(text.pass.as_deref(), "LITMPI_BYTES")
            || has(text.pass.as_deref(), "MPI_PACKED")
            || text.fields.iter().any(|(f, s)| f.is_empty() && s.contains("litmpi_elements"))
    }

    fn listed(&self, p: &Param, kind: &Kind, at: u64, call: &mut Call) -> Result<Arg, Refused> {
        match &kind.shape {
            Shape::Register(_) => self.register(p, kind, at, call),
            Shape::Handle(_) => self.handle(kind, self.process.int(at) as u32),
            Shape::Int => {
                let wide = self.size_in_c(p, kind) == 8;
                let raw = if wide {
                    self.process.read(at, 8).try_into().map_or(0, i64::from_ne_bytes)
                } else {
                    i64::from(self.process.int(at))
                };
                self.int(kind, raw)
            }
            _ => Err(Refused::Unsupported(format!("a list of `{}`", kind.name))),
        }
    }

    /// A handle; a datatype must take whole locations.
    fn handle(&self, kind: &Kind, raw: u32) -> Result<Arg, Refused> {
        let number = self.object(kind, raw);
        if let Some(name) = self.face.unspoken(ty_of(kind), names_of(&self.instructions().kinds, kind), raw) {
            return Err(Refused::Unsupported(format!("no rule speaks of {name}")));
        }
        if ty_of(kind) == "Datatype" && !self.values.fits(number, self.layout.granule) {
            return Err(Refused::Finer);
        }
        Ok(Arg::Int(number))
    }

    fn int(&self, kind: &Kind, raw: i64) -> Result<Arg, Refused> {
        if Scene::is_in_bytes(kind) {
            let granule = self.layout.granule.0 as i64;
            if raw % granule != 0 {
                return Err(Refused::Finer);
            }
            let may_be_address = ["bytes", "offset"].contains(&kind.name.as_str());
            if may_be_address && ADDRESSES.contains(&raw) && !self.process.read(raw as u64, 1).is_empty() {
                return Ok(Arg::At(raw as u64));
            }
            return Ok(Arg::Int(raw / granule));
        }
        Ok(Arg::Int(self.face.number(kind, raw)))
    }

    fn argument(&self, p: &Param, kind: &Kind, raw: u64, call: &mut Call) -> Result<Arg, Refused> {
        let in_place = self.face.constant("MPI_IN_PLACE").unwrap_or(-1);
        match &kind.shape {
            Shape::LocalOrNone if raw as i64 == in_place => Ok(Arg::None),
            Shape::Local if raw as i64 == in_place => {
                Err(Refused::Erroneous(format!("`{}` is MPI_IN_PLACE, which it may not be", p.name)))
            }
            Shape::Local | Shape::LocalOrNone if !raw.is_multiple_of(self.layout.granule.0) => Err(Refused::Finer),
            Shape::Local | Shape::LocalOrNone => Ok(Arg::Loc(raw)),
            Shape::Int if kind.text.of(Language::C).pass.as_deref().is_some_and(|p| p.contains("LITMPI_BYTES")) => {
                // An `int` stands in the lower half of a register. The size of a window is none.
                let is_int = raw >> 32 == 0 && (raw as i32) < 0 && !(kind.name == "bytes" && p.name == "size");
                self.int(kind, if is_int { i64::from(raw as i32) } else { raw as i64 })
            }
            Shape::Int if kind.name == "function" => match self.operations.function(raw) {
                Some(number) => Ok(Arg::Int(number)),
                None => Err(Refused::Unsupported("a function that cannot be run".into())),
            },
            Shape::Int if self.is_pointer(p, call) => Ok(Arg::Int(self.values.number(POINTER, &raw.to_ne_bytes()))),
            // The library in C calls those of the program's own.
            Shape::Int if ["copier", "deleter"].contains(&kind.name.as_str()) && raw > 1 => {
                Err(Refused::Unsupported("a function of the program's own".into()))
            }
            // An address of C; more than that lies outside of every window.
            Shape::Int if p.name == "target_disp" => self.int(kind, (raw as i64).clamp(-FAR, FAR)),
            Shape::Int if kind.name == "update" && self.is_own_operation(raw) => {
                Ok(Arg::Int(self.object(kind_of(&self.instructions().kinds, "Op"), raw as u32)))
            }
            Shape::Int if self.large && LARGE.contains(&kind.name.as_str()) => self.int(kind, raw as i64),
            Shape::Int => self.int(kind, i64::from(raw as i32)),
            Shape::Handle(_) => self.handle(kind, raw as u32),
            Shape::Register(_) if raw == 0 && kind.name == "status" => {
                Err(Refused::Erroneous(format!("`{}` is NULL, which is not MPI_STATUS_IGNORE", p.name)))
            }
            Shape::Register(_) if self.is_absent(raw) && kind.name == "status" => Ok(Arg::None),
            Shape::Register(_) => self.register(p, kind, raw, call),
            Shape::Remote | Shape::Node | Shape::Object => {
                Err(Refused::Unsupported(format!("an argument of kind `{}`", kind.name)))
            }
        }
    }

    /// Whether it is the handle of an operation that the program has made.
    fn is_own_operation(&self, raw: u64) -> bool {
        let number = self.object(kind_of(&self.instructions().kinds, "Op"), raw as u32);
        matches!(self.apply("first_function", &[]), Some(Shown::Int(first)) if first <= number)
    }

    fn register(&self, p: &Param, kind: &Kind, at: u64, call: &mut Call) -> Result<Arg, Refused> {
        let number = p.kind;
        let ty = ty_of(kind).to_owned();
        let (form, brought) = if ty == "Status" {
            (Form::Status, self.face.status(&self.process.read(at, STATUS_BYTES)))
        } else if self.is_pointer(p, call) {
            (Form::Pointer, vec![UNTOUCHED])
        } else if Face::is_object(&ty) {
            (Form::Object(number), vec![self.object(kind, self.process.int(at) as u32)])
        } else {
            let scale = if Scene::is_in_bytes(kind) { self.layout.granule.0 as i64 } else { 1 };
            let bytes = self.size_in_c(p, kind) as u8;
            // Only positions and the dimensions of grids are read.
            let is_read = ["position", "dimension"].contains(&kind.name.as_str());
            let brought = if is_read { i64::from(self.process.int(at)) / scale } else { UNTOUCHED };
            (Form::Int(bytes, scale, number), vec![brought])
        };
        call.outs.push(Out { ty, at, brought, form });
        Ok(Arg::Reg(call.outs.len() - 1))
    }

    /// Notes the windows that the process has made.
    fn made(&mut self, seen: &mut Seen) -> Result<(), Refused> {
        let granule = self.layout.granule.0;
        let Some(Shown::Parts(all)) = self.apply("made_windows", &[Given::Word(self.rank as i64)]) else {
            return Ok(());
        };
        for window in all {
            let Shown::Parts(parts) = window else { continue };
            let [context, Shown::Int(first), Shown::Int(n), Shown::Int(unit)] = parts.as_slice() else { continue };
            let Some((rank, at)) = self.layout.address(*first as u64) else { continue };
            // Of a dynamic window displacements are addresses.
            let (unit, zero) = if *unit == 0 { (1, 0) } else { (unit.saturating_mul(granule as i64), at) };
            let made = Made { rank, at, bytes: (*n as u64).saturating_mul(granule), unit, zero };
            let grew = self.windows.make(context.clone(), made, self.values).map_err(|Overlap| self.overlap())?;
            self.grew(grew, seen)?;
        }
        Ok(())
    }

    /// Notes the elements of shared windows, which the process looks at whoever's they are.
    fn shared(&self, seen: &mut Seen) -> Result<(), Refused> {
        let Some(Shown::Parts(all)) = self.apply("shared_windows", &[Given::Word(self.rank as i64)]) else {
            return Ok(());
        };
        for window in all {
            let elements = self.windows.shared(&window, self.values);
            let elements = elements.map_err(|Unshared| Refused::Unsupported("a shared window of that size".into()))?;
            for (at, ty) in elements {
                if !self.values.fits(ty, self.layout.granule) {
                    return Err(Refused::Finer);
                }
                seen.watched.entry(at).or_insert(ty);
            }
        }
        Ok(())
    }

    /// The process that a rank of a window is, with what tells the window apart.
    pub(crate) fn target(&self, win: i64, rank: i64) -> Option<(Shown, usize)> {
        let given = [self.rank as i64, win, rank].map(Given::Word);
        let Some(Shown::Parts(targets)) = self.apply("target_of", &given) else { return None };
        match targets.into_iter().next() {
            Some(Shown::Parts(parts)) => match parts.as_slice() {
                [window, Shown::Int(rank)] => Some((window.clone(), *rank as usize)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A displacement of a dynamic window is an address of the target.
    fn to_address(
        &self,
        params: &[Param],
        places: &[Option<usize>],
        raw: &[u64],
        call: &mut Call,
    ) -> Result<(), Refused> {
        let at = |name: &str| params.iter().position(|p| p.name == name);
        let (Some(win), Some(rank), Some(displacement)) = (at("win"), at("target_rank"), at("target_disp")) else {
            return Ok(());
        };
        let (Arg::Int(win), Arg::Int(rank)) = (&call.args[win], &call.args[rank]) else { return Ok(()) };
        if self.number_of("is_dynamic", &[*win]) != Some(1) {
            return Ok(());
        }
        let Some(((_, target), place)) = self.target(*win, *rank).zip(places[displacement]) else { return Ok(()) };
        if !raw[place].is_multiple_of(self.layout.granule.0) {
            return Err(Refused::Finer);
        }
        call.args[displacement] = Arg::AtOf(target, raw[place]);
        Ok(())
    }

    /// Notes the elements that a call names of another process's window.
    fn names(&mut self, params: &[Param], call: &Call, seen: &mut Seen) -> Result<(), Refused> {
        let number = |name: &str| {
            let at = params.iter().position(|p| p.name == name)?;
            match call.args[at] {
                Arg::Int(v) => Some(v),
                Arg::AtOf(_, at) => Some(at as i64),
                _ => None,
            }
        };
        let (Some(win), Some(rank), Some(displacement)) = (number("win"), number("target_rank"), number("target_disp"))
        else {
            return Ok(());
        };
        let Some(ty) = number("target_datatype").or_else(|| number("datatype")) else { return Ok(()) };
        let elements = self.elements(0, number("target_count").unwrap_or(1), ty)?;
        if let Some((window, rank)) = self.target(win, rank) {
            let elements = elements.iter().map(|(at, ty)| (*at as i64, *ty)).collect();
            let named = Named { window, rank, displacement, elements };
            let grew = self.windows.name(named, self.values).map_err(|Overlap| self.overlap())?;
            self.grew(grew, seen)?;
        }
        Ok(())
    }

    /// Notes elements that are watched from here on: the process's own at once, those of others once the call is read.
    pub(crate) fn grew(&mut self, grew: Grew, seen: &mut Seen) -> Result<(), Refused> {
        match (grew, &mut self.found) {
            (Grew::Nothing, _) => Ok(()),
            (Grew::By(elements), Some(found)) => {
                let (own, others): (Vec<_>, Vec<_>) = elements.into_iter().partition(|(rank, ..)| *rank == self.rank);
                seen.watched.extend(own.into_iter().map(|(_, at, ty)| (at, ty)));
                found.extend(others);
                Ok(())
            }
            (Grew::By(_) | Grew::Otherwise, _) => Err(Refused::Named),
        }
    }
}
