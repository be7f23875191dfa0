//! Variables on the stack of a process that waits in a call: where they lie, by the debug information of the program.
//!
//! The functions that the call returns to are found by frame pointers within the library in C, which is compiled with them, and behind that by what
//! each file says of how its frames are taken down (`.eh_frame`). A variable has a place there if its whole life is at one distance from the beginning
//! of its frame (`DW_OP_fbreg`) and its type has a size. Nothing is said of functions that were compiled with optimisation, in which several variables may
//! take turns in one place; of blocks that the process is not in; of arrays whose length is known only when the program runs; of machines other than x86-64.
//! Variables that lie over each other are taken for one.
//!
//! It is known, too, what the source declares these variables as, and those that are in no function's frame ([`crate::declared`]).

use crate::declared::{Data, Dwarf, Entry, Type, Types, Unit};
use crate::instrumented::Seen;
use crate::mapped::Mapped;
use crate::rank::Process;
use crate::sites::base;
use addr2line::gimli;
use gimli::UnwindSection;
use object::{Object, ObjectSection, ObjectSegment};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Registers by their numbers in debug information (System V ABI, x86-64).
const FRAME_POINTER: u16 = 6;
const STACK_POINTER: u16 = 7;
const RETURN_ADDRESS: u16 = 16;

/// How many frames are looked at, in the library and behind it.
const DEEPEST: usize = 64;
/// The names of the library in C.
const LIBRARY: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];
/// How the names of libraries begin by which programs in Fortran call it.
const FORTRAN: [&str; 2] = ["libmpichf", "libmpif"];

/// A variable of a function.
#[derive(Debug, PartialEq, Eq)]
struct Local {
    /// The code in which it is.
    scope: Vec<Range<u64>>,
    /// How far from the beginning of the frame.
    offset: i64,
    /// Bytes that it has there.
    bytes: u64,
    declared: Declared,
}

/// Who is shown variables: the file that declares one, how, and where it lies.
pub(crate) type See<'s> = dyn FnMut(&File, &Declared, u64) -> ControlFlow<()> + 's;

/// How the source declares a variable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Whether only its address is in its place: an array whose length is known when the program runs, an argument in Fortran.
    pub(crate) is_elsewhere: bool,
}

/// A function of a program that was compiled without optimisation.
#[derive(Debug)]
struct Function {
    code: Range<u64>,
    locals: Vec<Local>,
}

/// How a frame is taken down: its beginning lies behind a register, and what the caller had in the frame pointer lies before it.
#[derive(Debug, Clone, Copy)]
struct Unwinding {
    from: gimli::Register,
    offset: i64,
    frame_pointer: Option<i64>,
    returns_to: i64,
}

/// A program or a library.
#[derive(Debug, Default)]
pub(crate) struct File {
    name: String,
    functions: Vec<Function>,
    /// Variables that are in no function's frame, with their addresses, in order.
    pub(crate) statics: Vec<(u64, Declared)>,
    pub(crate) types: Types,
    /// Whether all loads and stores of a program are seen that it is.
    pub(crate) is_seen: bool,
    unwinding: Vec<u8>,
    bases: gimli::BaseAddresses,
    /// Where its segments lie in the file, and in memory from where it is loaded.
    segments: Vec<(Range<u64>, u64)>,
    known: Mutex<HashMap<u64, Option<Unwinding>>>,
}

/// What lies where in the processes of a program: without randomness it is the same in all of them.
type Maps = HashMap<PathBuf, Arc<Vec<Mapped>>>;
static MAPS: LazyLock<Mutex<Maps>> = LazyLock::new(Mutex::default);
static FILES: LazyLock<Mutex<HashMap<PathBuf, Arc<File>>>> = LazyLock::new(Mutex::default);

/// A frame: the code that it is in, and where it and its caller's begin.
#[derive(Debug, Clone, Copy)]
struct Frame {
    code: u64,
    stack: u64,
    pointer: u64,
}

impl Process {
    /// The variable on the stack that an address is in, if that is known.
    pub(crate) fn local(&self, at: u64) -> Option<Range<u64>> {
        self.frame_around(at, |file, code, frame| file.local(code, frame.end, at))
    }

    /// Shows variables on the stack that an address is in, until that is enough.
    pub(crate) fn declared_around(&self, at: u64, see: &mut See<'_>) -> ControlFlow<()> {
        let found = self.frame_around(at, |file, code, frame| {
            let mut all = file.locals(code, frame.end).into_iter();
            let is_around = |local: &Local, place: u64| {
                !local.declared.is_elsewhere && (place..place.saturating_add(local.bytes)).contains(&at)
            };
            Some(all.try_for_each(|(local, place)| match is_around(local, place) {
                true => see(file, &local.declared, place),
                false => ControlFlow::Continue(()),
            }))
        });
        found.unwrap_or(ControlFlow::Continue(()))
    }

    /// Shows the variables of the function that has called the library, until that is enough.
    pub(crate) fn declared_by_caller(&self, see: &mut See<'_>) -> ControlFlow<()> {
        let found = self.stack().and_then(|waits| {
            self.walk(waits, |file, code, frame| {
                if FORTRAN.iter().any(|name| file.name.starts_with(name)) {
                    return ControlFlow::Continue(());
                }
                let mut all = file.locals(code, frame.end).into_iter();
                ControlFlow::Break(Some(all.try_for_each(|(local, place)| see(file, &local.declared, place))))
            })
        });
        found.unwrap_or(ControlFlow::Continue(()))
    }

    /// The file that it runs.
    pub(crate) fn file(&self) -> Arc<File> {
        file(&self.program)
    }

    /// The frame of the function of the library in C in which it waits.
    fn stack(&self) -> Option<u64> {
        if cfg!(not(target_arch = "x86_64")) || self.own.is_empty() {
            return None;
        }
        self.words(self.own.start, 1).first().copied()
    }

    /// What is said of the frame that an address is in.
    fn frame_around<T>(&self, at: u64, says: impl FnOnce(&File, u64, Range<u64>) -> Option<T>) -> Option<T> {
        let waits = self.stack().filter(|waits| (*waits..waits.saturating_add(1 << 30)).contains(&at))?;
        let mut says = Some(says);
        self.walk(waits, |file, code, frame| match () {
            () if at < frame.start => ControlFlow::Break(None),
            () if at < frame.end => ControlFlow::Break(says.take().and_then(|says| says(file, code, frame))),
            () => ControlFlow::Continue(()),
        })
    }

    /// Visits frames, from that of the function on that has called the library: the file and the place in it of its code, and where the frame lies.
    fn walk<T>(
        &self,
        waits: u64,
        mut visit: impl FnMut(&File, u64, Range<u64>) -> ControlFlow<Option<T>>,
    ) -> Option<T> {
        let mut frame = self.caller(waits)?;
        for _ in 0..DEEPEST {
            let (file, code) = self.code(frame.code)?;
            let how = file.unwinding(code)?;
            let from = if how.from.0 == STACK_POINTER { frame.stack } else { frame.pointer };
            let begins = from.checked_add_signed(how.offset)?;
            if begins <= frame.stack {
                return None;
            }
            if let ControlFlow::Break(found) = visit(&file, code, frame.stack..begins) {
                return found;
            }
            let word = |offset: i64| self.words(begins.checked_add_signed(offset)?, 1).first().copied();
            let pointer = how.frame_pointer.map_or(Some(frame.pointer), word)?;
            frame = Frame { code: word(how.returns_to)?.checked_sub(1)?, stack: begins, pointer };
        }
        None
    }

    /// The frame of the function that has called the library.
    fn caller(&self, waits: u64) -> Option<Frame> {
        let mut frame = waits;
        for _ in 0..DEEPEST {
            let [before, returns_to] = self.words(frame, 2)[..] else { return None };
            let mapped = self.mapped(returns_to)?;
            let name = mapped.file.file_name()?.to_str()?;
            if !LIBRARY.contains(&name) {
                return Some(Frame { code: returns_to.checked_sub(1)?, stack: frame + 16, pointer: before });
            }
            frame = Some(before).filter(|before| *before > frame)?;
        }
        None
    }

    /// The file of some code, and where in it that is.
    fn code(&self, at: u64) -> Option<(Arc<File>, u64)> {
        let mapped = self.mapped(at)?;
        let file = file(&mapped.file);
        let in_file = at - mapped.at.start + mapped.offset;
        let (segment, address) = file.segments.iter().find(|(segment, _)| segment.contains(&in_file))?;
        let code = in_file - segment.start + address;
        Some((file, code))
    }

    fn mapped(&self, at: u64) -> Option<Mapped> {
        let mut known = MAPS.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |all: &[Mapped]| all.iter().find(|m| m.at.contains(&at)).cloned();
        if let Some(found) = known.get(&*self.program).and_then(|all| find(all)) {
            return Some(found);
        }
        let text = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        let all: Vec<Mapped> = text.lines().filter_map(Mapped::read).collect();
        let found = find(&all);
        known.insert(self.program.to_path_buf(), Arc::new(all));
        found
    }
}

fn file(path: &Path) -> Arc<File> {
    let mut known = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        let bytes = std::fs::read(path).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        File::read(name, &object::File::parse(&*bytes).ok()?)
    };
    Arc::clone(known.entry(path.to_owned()).or_insert_with(|| Arc::new(read().unwrap_or_default())))
}

impl File {
    fn read(name: String, file: &object::File<'_>) -> Option<File> {
        let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
            let section = file.section_by_name(id.name());
            Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
        };
        let sections = gimli::DwarfSections::load(section).ok()?;
        let dwarf = sections.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian));
        let mut all = Variables { from: base(file), ..Variables::default() };
        let (mut units, mut number, mut seen) = (dwarf.units(), 0, Seen::default());
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let _ = all.read(&dwarf, (number, &unit));
                let _ = seen.read(&dwarf, &unit);
                number += 1;
            }
        }
        all.statics.sort_by_key(|(at, _)| *at);
        let address = |name: &str| file.section_by_name(name).map_or(0, |s| s.address());
        let bases = gimli::BaseAddresses::default().set_eh_frame(address(".eh_frame")).set_text(address(".text"));
        let segment = |s: object::Segment<'_, '_>| {
            let (from, bytes) = s.file_range();
            (from..from + bytes, s.address())
        };
        Some(File {
            name,
            functions: all.functions,
            statics: all.statics,
            types: all.types,
            is_seen: seen.are_all_of(file),
            unwinding: file.section_by_name(".eh_frame")?.uncompressed_data().ok()?.into_owned(),
            bases,
            segments: file.segments().map(segment).collect(),
            known: Mutex::default(),
        })
    }

    /// How the frame of the function is taken down that some code is of.
    fn unwinding(&self, code: u64) -> Option<Unwinding> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(code).or_insert_with(|| {
            let section = gimli::EhFrame::new(&self.unwinding, gimli::LittleEndian);
            let mut context = gimli::UnwindContext::new();
            let from = gimli::EhFrame::cie_from_offset;
            let row = section.unwind_info_for_address(&self.bases, &mut context, code, from).ok()?;
            let gimli::CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return None };
            let frame_pointer = match row.register(gimli::Register(FRAME_POINTER)) {
                gimli::RegisterRule::Offset(offset) => Some(offset),
                gimli::RegisterRule::Undefined | gimli::RegisterRule::SameValue => None,
                _ => return None,
            };
            let gimli::RegisterRule::Offset(returns_to) = row.register(gimli::Register(RETURN_ADDRESS)) else {
                return None;
            };
            let is_known = [FRAME_POINTER, STACK_POINTER].contains(&register.0);
            is_known.then_some(Unwinding { from: register, offset, frame_pointer, returns_to })
        })
    }

    /// The variables of the function that some code is of, where that runs, with their places, if the frame begins there.
    fn locals(&self, code: u64, begins: u64) -> Vec<(&Local, u64)> {
        let function = self.functions.iter().find(|f| f.code.contains(&code));
        let all = function.into_iter().flat_map(|f| &f.locals);
        let is_in = |local: &&Local| local.scope.iter().any(|r| r.contains(&code));
        all.filter(is_in).filter_map(|local| Some((local, begins.checked_add_signed(local.offset)?))).collect()
    }

    /// The variable that an address is in, of a function whose frame begins there; with those that lie over it.
    fn local(&self, code: u64, begins: u64, at: u64) -> Option<Range<u64>> {
        let all = self.locals(code, begins).into_iter().filter(|(local, _)| !local.declared.is_elsewhere);
        let mut all: Vec<Range<u64>> = all.map(|(local, place)| place..place.saturating_add(local.bytes)).collect();
        all.sort_unstable_by_key(|r| (r.start, r.end));
        all.dedup_by(|next, one| {
            let is_over = next.start < one.end;
            one.end = if is_over { one.end.max(next.end) } else { one.end };
            is_over
        });
        all.into_iter().find(|r| r.contains(&at))
    }
}

/// What the debug information of a file says of its variables.
#[derive(Debug, Default)]
struct Variables {
    /// Where the file is loaded.
    from: u64,
    functions: Vec<Function>,
    statics: Vec<(u64, Declared)>,
    types: Types,
}

impl Variables {
    /// Reads those of a unit. Frames are known of functions that GCC has compiled without optimisation; Clang does not say how it was called.
    fn read<'d>(&mut self, dwarf: &Dwarf<'d>, unit: (usize, &Unit<'d>)) -> Option<()> {
        let mut entries = unit.1.entries();
        let (_, root) = entries.next_dfs().ok()??;
        let producer = root.attr_value(gimli::DW_AT_producer).ok()??;
        let producer = dwarf.attr_string(unit.1, producer).ok()?.to_string_lossy().into_owned();
        // Of several options the last one counts.
        let is_optimised = producer.split(' ').rfind(|word| word.starts_with("-O")).is_some_and(|word| word != "-O0");
        let has_frames = producer.starts_with("GNU ") && !is_optimised;
        // Blocks that lie within each other, by their depth, each with its function: in Fortran, procedures lie within others.
        let mut blocks: Vec<(isize, Vec<Range<u64>>, usize)> = vec![];
        let mut depth = 0;
        while let Ok(Some((further, entry))) = entries.next_dfs() {
            depth += further;
            blocks.retain(|(of, ..)| *of < depth);
            let function = blocks.last().map(|(.., function)| *function);
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    let ranges = ranges_of(dwarf, unit.1, entry);
                    if let ([code], true) = (&ranges[..], has_frames && is_in_frames(entry)) {
                        blocks.push((depth, ranges.clone(), self.functions.len()));
                        self.functions.push(Function { code: code.clone(), locals: vec![] });
                    } else if let Some(function) = function {
                        blocks.push((depth, vec![], function));
                    }
                }
                gimli::DW_TAG_lexical_block => {
                    blocks.extend(function.map(|function| (depth, ranges_of(dwarf, unit.1, entry), function)));
                }
                // What is inlined, and what is of another language's kind, is not understood.
                gimli::DW_TAG_inlined_subroutine => {
                    blocks.extend(function.map(|function| (depth, vec![], function)));
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let block = blocks.last().map(|(_, scope, function)| (&scope[..], *function));
                    _ = self.variable(dwarf, unit, entry, block);
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Reads a variable, of a function if there is some code in which it is.
    fn variable<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: (usize, &Unit<'d>),
        entry: &Entry<'_, 'd>,
        block: Option<(&[Range<u64>], usize)>,
    ) -> Option<()> {
        let place = place_of(unit.1, entry)?;
        let first = match entry.attr_value(gimli::DW_AT_specification).ok()? {
            Some(gimli::AttributeValue::UnitRef(at)) => Some(unit.1.entry(at).ok()?),
            _ => None,
        };
        // One that was declared before it is defined has its name and its type there.
        let of_first = first.as_ref().and_then(|first| self.types.declared(dwarf, unit, first, 0));
        let ty = self.types.declared(dwarf, unit, entry, 0).or(of_first)?;
        let name = |entry: &Entry<'_, 'd>| entry.attr_value(gimli::DW_AT_name).ok().flatten();
        let name = name(entry).or_else(|| name(first.as_ref()?))?;
        let name = dwarf.attr_string(unit.1, name).ok()?.to_string_lossy().into_owned();
        let (offset, bytes, is_elsewhere) = match place {
            Place::Frame(offset) => (offset, self.types.bytes(ty)?, false),
            Place::BehindFrame(offset) => (offset, 8, true),
            Place::Static(at) => {
                self.statics.push((self.from.saturating_add(at), Declared { name, ty, is_elsewhere: false }));
                return Some(());
            }
        };
        let (scope, function) = block?;
        let declared = Declared { name, ty, is_elsewhere };
        self.functions[function].locals.push(Local { scope: scope.to_vec(), offset, bytes, declared });
        Some(())
    }
}

/// The code that an entry is of.
fn ranges_of<'d>(dwarf: &gimli::Dwarf<Data<'d>>, unit: &Unit<'d>, entry: &Entry<'_, 'd>) -> Vec<Range<u64>> {
    let mut out = vec![];
    if let Ok(mut ranges) = dwarf.die_ranges(unit, entry) {
        while let Ok(Some(range)) = ranges.next() {
            out.push(range.begin..range.end);
        }
    }
    out
}

/// Whether variables of a function are counted from where its frame begins.
fn is_in_frames(entry: &Entry<'_, '_>) -> bool {
    let base = entry.attr_value(gimli::DW_AT_frame_base);
    matches!(base, Ok(Some(gimli::AttributeValue::Exprloc(e))) if e.0.slice() == [gimli::DW_OP_call_frame_cfa.0])
}

/// Where a variable lies.
enum Place {
    /// So far from the beginning of its frame.
    Frame(i64),
    /// Its address does.
    BehindFrame(i64),
    /// There in the file, as that wants to be loaded.
    Static(u64),
}

/// Where a variable lies; nothing if it does not lie there all the time.
fn place_of(unit: &Unit<'_>, entry: &Entry<'_, '_>) -> Option<Place> {
    let gimli::AttributeValue::Exprloc(place) = entry.attr_value(gimli::DW_AT_location).ok()?? else { return None };
    let mut operations = place.operations(unit.encoding());
    let first = operations.next().ok()??;
    // One that shares its place with others (EQUIVALENCE, COMMON) is so far behind where they begin.
    let (further, is_behind) = match operations.next().ok()? {
        None => (0, false),
        Some(gimli::Operation::PlusConstant { value }) => (value, false),
        Some(gimli::Operation::Deref { .. }) => (0, true),
        Some(_) => return None,
    };
    if operations.next().ok()?.is_some() {
        return None;
    }
    match (first, is_behind) {
        (gimli::Operation::FrameOffset { offset }, false) => Some(Place::Frame(offset.checked_add_unsigned(further)?)),
        (gimli::Operation::FrameOffset { offset }, true) => Some(Place::BehindFrame(offset)),
        (gimli::Operation::Address { address }, false) => Some(Place::Static(address.checked_add(further)?)),
        _ => None,
    }
}
