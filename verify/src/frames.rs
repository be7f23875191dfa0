//! Variables on the stack of a process that waits in a call: where they lie, by the debug information of the program.
//!
//! The functions that the call returns to are found by frame pointers within the library in C, which is compiled with them, and behind that by what
//! each file says of how its frames are taken down (`.eh_frame`). A variable has a place there if its whole life is at one distance from the beginning
//! of its frame (`DW_OP_fbreg`) and its type has a size. Nothing is said of functions that were compiled with optimisation, in which several variables may
//! take turns in one place; of blocks that the process is not in; of arrays whose length is known only when the program runs; of machines other than x86-64.
//! Variables that lie over each other are taken for one.

use crate::mapped::Mapped;
use crate::rank::Process;
use addr2line::gimli;
use gimli::UnwindSection;
use object::{Object, ObjectSection, ObjectSegment};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

type Data<'d> = gimli::EndianSlice<'d, gimli::LittleEndian>;

/// Registers by their numbers in debug information (System V ABI, x86-64).
const FRAME_POINTER: u16 = 6;
const STACK_POINTER: u16 = 7;
const RETURN_ADDRESS: u16 = 16;

/// How many frames are looked at, in the library and behind it.
const DEEPEST: usize = 64;
/// The names of the library in C.
const LIBRARY: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];

/// A variable of a function.
#[derive(Debug, PartialEq, Eq)]
struct Local {
    /// The code in which it is.
    scope: Vec<Range<u64>>,
    /// How far from the beginning of the frame.
    offset: i64,
    bytes: u64,
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
struct File {
    functions: Vec<Function>,
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
        if cfg!(not(target_arch = "x86_64")) || self.own.is_empty() {
            return None;
        }
        // A call waits in a function of the library in C, whose frame this is.
        let [waits] = self.words(self.own.start, 1)[..] else { return None };
        if !(waits..waits.saturating_add(1 << 30)).contains(&at) {
            return None;
        }
        let mut frame = self.caller(waits)?;
        for _ in 0..DEEPEST {
            if at < frame.stack {
                return None;
            }
            let (file, code) = self.code(frame.code)?;
            let how = file.unwinding(code)?;
            let from = if how.from.0 == STACK_POINTER { frame.stack } else { frame.pointer };
            let begins = from.checked_add_signed(how.offset)?;
            if begins <= frame.stack {
                return None;
            }
            if at < begins {
                return file.local(code, begins, at);
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
        let program = std::fs::read_link(format!("/proc/{}/exe", self.pid)).ok()?;
        let mut known = MAPS.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |all: &[Mapped]| all.iter().find(|m| m.at.contains(&at)).cloned();
        if let Some(found) = known.get(&program).and_then(|all| find(all)) {
            return Some(found);
        }
        let text = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        let all: Vec<Mapped> = text.lines().filter_map(Mapped::read).collect();
        let found = find(&all);
        known.insert(program, Arc::new(all));
        found
    }
}

fn file(path: &Path) -> Arc<File> {
    let mut known = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        let bytes = std::fs::read(path).ok()?;
        File::read(&object::File::parse(&*bytes).ok()?)
    };
    Arc::clone(known.entry(path.to_owned()).or_insert_with(|| Arc::new(read().unwrap_or_default())))
}

impl File {
    fn read(file: &object::File<'_>) -> Option<File> {
        let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
            let section = file.section_by_name(id.name());
            Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
        };
        let sections = gimli::DwarfSections::load(section).ok()?;
        let dwarf = sections.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian));
        let mut functions = vec![];
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let of_unit = functions_of(&dwarf, &unit).unwrap_or_default();
                functions.extend(of_unit);
            }
        }
        let address = |name: &str| file.section_by_name(name).map_or(0, |s| s.address());
        let bases = gimli::BaseAddresses::default().set_eh_frame(address(".eh_frame")).set_text(address(".text"));
        let segment = |s: object::Segment<'_, '_>| {
            let (from, bytes) = s.file_range();
            (from..from + bytes, s.address())
        };
        Some(File {
            functions,
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

    /// The variable that an address is in, of a function whose frame begins there; with those that lie over it.
    fn local(&self, code: u64, begins: u64, at: u64) -> Option<Range<u64>> {
        let function = self.functions.iter().find(|f| f.code.contains(&code))?;
        let is_in = |local: &&Local| local.scope.iter().any(|r| r.contains(&code));
        let place = |local: &Local| {
            let from = begins.checked_add_signed(local.offset)?;
            Some(from..from.checked_add(local.bytes)?)
        };
        let mut all: Vec<Range<u64>> = function.locals.iter().filter(is_in).filter_map(place).collect();
        all.sort_unstable_by_key(|r| (r.start, r.end));
        all.dedup_by(|next, one| {
            let is_over = next.start < one.end;
            one.end = if is_over { one.end.max(next.end) } else { one.end };
            is_over
        });
        all.into_iter().find(|r| r.contains(&at))
    }
}

type Unit<'d> = gimli::Unit<Data<'d>>;
type Entry<'a, 'd> = gimli::DebuggingInformationEntry<'a, 'a, Data<'d>>;

/// The functions of a unit that GCC has compiled without optimisation, and their variables. Clang does not say how it was called.
fn functions_of<'d>(dwarf: &gimli::Dwarf<Data<'d>>, unit: &Unit<'d>) -> Option<Vec<Function>> {
    let mut entries = unit.entries();
    let (_, root) = entries.next_dfs().ok()??;
    let producer = root.attr_value(gimli::DW_AT_producer).ok()??;
    let producer = dwarf.attr_string(unit, producer).ok()?.to_string_lossy().into_owned();
    // Of several options the last one counts.
    let is_optimised = producer.split(' ').rfind(|word| word.starts_with("-O")).is_some_and(|word| word != "-O0");
    if !producer.starts_with("GNU ") || is_optimised {
        return None;
    }
    let mut functions = vec![];
    // Blocks that lie within each other, by their depth: the function's own is the first.
    let mut blocks: Vec<(isize, Vec<Range<u64>>)> = vec![];
    let mut depth = 0;
    while let Ok(Some((further, entry))) = entries.next_dfs() {
        depth += further;
        blocks.retain(|(of, _)| *of < depth);
        match entry.tag() {
            gimli::DW_TAG_subprogram => {
                let ranges = ranges_of(dwarf, unit, entry);
                blocks = vec![];
                if let ([code], true) = (&ranges[..], is_in_frames(entry)) {
                    functions.push(Function { code: code.clone(), locals: vec![] });
                    blocks.push((depth, ranges));
                }
            }
            gimli::DW_TAG_lexical_block if !blocks.is_empty() => blocks.push((depth, ranges_of(dwarf, unit, entry))),
            // What is inlined, and what is of another language's kind, is not understood.
            gimli::DW_TAG_inlined_subroutine if !blocks.is_empty() => blocks.push((depth, vec![])),
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                if let (Some((_, scope)), Some(function)) = (blocks.last(), functions.last_mut())
                    && let Some((offset, bytes)) = place_of(unit, entry)
                {
                    function.locals.push(Local { scope: scope.clone(), offset, bytes });
                }
            }
            _ => {}
        }
    }
    Some(functions)
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

/// Where a variable lies, from the beginning of its frame, and its bytes; nothing if it does not lie there all the time.
fn place_of<'d>(unit: &Unit<'d>, entry: &Entry<'_, 'd>) -> Option<(i64, u64)> {
    let gimli::AttributeValue::Exprloc(place) = entry.attr_value(gimli::DW_AT_location).ok()?? else { return None };
    let mut operations = place.operations(unit.encoding());
    let gimli::Operation::FrameOffset { offset } = operations.next().ok()?? else { return None };
    // One that shares its place with others (EQUIVALENCE) is so far behind where they begin.
    let further = match operations.next().ok()? {
        None => 0,
        Some(gimli::Operation::PlusConstant { value }) if operations.next().ok()?.is_none() => value,
        Some(_) => return None,
    };
    let bytes = bytes_of(unit, entry, 0)?;
    (bytes > 0).then_some((offset.checked_add_unsigned(further)?, bytes))
}

/// The bytes of what an entry says its type is.
fn bytes_of<'d>(unit: &Unit<'d>, entry: &Entry<'_, 'd>, depth: usize) -> Option<u64> {
    let gimli::AttributeValue::UnitRef(at) = entry.attr_value(gimli::DW_AT_type).ok()?? else { return None };
    let ty = unit.entry(at).ok()?;
    let number = |entry: &Entry<'_, 'd>, attribute| {
        let value = entry.attr(attribute).ok()??;
        // What is short is no negative number unless it says so.
        value.udata_value().and_then(|n| i64::try_from(n).ok()).or_else(|| value.sdata_value())
    };
    let size = |entry: &Entry<'_, 'd>, attribute| number(entry, attribute).and_then(|n| u64::try_from(n).ok());
    if depth > DEEPEST {
        return None;
    }
    if let Some(bytes) = size(&ty, gimli::DW_AT_byte_size) {
        return Some(bytes);
    }
    match ty.tag() {
        gimli::DW_TAG_array_type => {
            let mut bytes = bytes_of(unit, &ty, depth + 1)?;
            let mut tree = unit.entries_tree(Some(at)).ok()?;
            let mut parts = tree.root().ok()?.children();
            while let Some(part) = parts.next().ok()? {
                let part = part.entry();
                if part.tag() != gimli::DW_TAG_subrange_type {
                    return None;
                }
                // Languages that count from one say so where they do not.
                let from = match part.attr(gimli::DW_AT_lower_bound).ok()? {
                    Some(_) => number(part, gimli::DW_AT_lower_bound)?,
                    None => i64::from(is_fortran(unit)),
                };
                let n = match size(part, gimli::DW_AT_count) {
                    Some(n) => n,
                    None => {
                        let last = number(part, gimli::DW_AT_upper_bound)?;
                        u64::try_from(last.checked_sub(from)?.checked_add(1)?).ok()?
                    }
                };
                bytes = bytes.checked_mul(n)?;
            }
            Some(bytes)
        }
        gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
            bytes_of(unit, &ty, depth + 1)
        }
        _ => None,
    }
}

fn is_fortran(unit: &Unit<'_>) -> bool {
    let mut entries = unit.entries();
    let Ok(Some((_, root))) = entries.next_dfs() else { return false };
    let language = root.attr_value(gimli::DW_AT_language);
    let all = [
        gimli::DW_LANG_Fortran77,
        gimli::DW_LANG_Fortran90,
        gimli::DW_LANG_Fortran95,
        gimli::DW_LANG_Fortran03,
        gimli::DW_LANG_Fortran08,
    ];
    matches!(language, Ok(Some(gimli::AttributeValue::Language(l))) if all.contains(&l))
}
