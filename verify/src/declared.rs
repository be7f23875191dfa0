//! What variables are declared as in the source, by the debug information (DWARF) of the program: which numbers lie where in them.
//!
//! Structures, arrays and enumerations of C, C++ and Fortran are understood, arrays of Fortran that are allocated, and pointers to all of
//! these. Nothing is said of unions, of bit fields, of bases of a class that are virtual, of text in Fortran, nor of types that another unit declares.

use addr2line::gimli;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) type Data<'d> = gimli::EndianSlice<'d, gimli::LittleEndian>;
pub(crate) type Dwarf<'d> = gimli::Dwarf<Data<'d>>;
pub(crate) type Unit<'d> = gimli::Unit<Data<'d>>;
pub(crate) type Entry<'a, 'd> = gimli::DebuggingInformationEntry<'a, 'a, Data<'d>>;

/// How deep types lie within each other.
const DEEPEST: usize = 64;
/// Pointers of an array that are looked at.
const MOST_POINTERS: u64 = 64;

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// With a sign or without one; truth values, too.
    Integer,
    Float,
    Complex,
}

/// What a pointer is as a number: an integer of as many bytes, so that programs pass it on as one.
static POINTER: LazyLock<Number> =
    LazyLock::new(|| Number { class: Class::Integer, bytes: 8, name: "a pointer".into() });

/// A number in a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) class: Class,
    pub(crate) bytes: u64,
    /// What its type is called in the source.
    pub(crate) name: String,
}

/// The place of a type among those of a file.
pub(crate) type Type = usize;

#[derive(Debug)]
enum Form {
    Number(Number),
    /// Elements one behind the other, so many bytes each.
    Array {
        of: Type,
        step: u64,
    },
    /// Members with the places where they begin.
    Structure(Vec<(u64, Type)>),
    /// Of memory that has no type (`void *`), nothing.
    Pointer(Option<Type>),
    Unknown,
}

/// The types of the variables of a file.
#[derive(Debug, Default)]
pub(crate) struct Types {
    /// Each with its bytes, 0 if these are known only when the program runs.
    all: Vec<(Form, u64)>,
    known: HashMap<(usize, gimli::UnitOffset), Type>,
}

impl Types {
    /// Bytes of a type; nothing if these are known only when the program runs.
    pub(crate) fn bytes(&self, ty: Type) -> Option<u64> {
        Some(self.all[ty].1).filter(|bytes| *bytes > 0)
    }

    /// The number that lies at this place in memory of a type, of which one may follow another, and how many bytes before that place it begins.
    pub(crate) fn number(&self, mut ty: Type, mut at: u64) -> Option<(&Number, u64)> {
        if let Some(bytes) = self.bytes(ty) {
            at %= bytes;
        }
        for _ in 0..DEEPEST {
            match &self.all[ty].0 {
                Form::Number(number) => return (at < number.bytes).then_some((number, at)),
                Form::Array { of, step } => (ty, at) = (*of, at % step),
                Form::Structure(members) => {
                    let holds =
                        |(begins, of): &&(u64, Type)| (*begins..begins.saturating_add(self.all[*of].1)).contains(&at);
                    let (begins, of) = members.iter().find(holds)?;
                    (ty, at) = (*of, at - begins);
                }
                Form::Pointer(_) => return (at < POINTER.bytes).then_some((&*POINTER, at)),
                Form::Unknown => return None,
            }
        }
        None
    }

    /// The pointers in memory of a type: where they lie, and what they point to.
    pub(crate) fn pointers(&self, ty: Type) -> Vec<(u64, Option<Type>)> {
        let mut out = vec![];
        self.pointers_from(ty, 0, 0, &mut out);
        out
    }

    fn pointers_from(&self, ty: Type, at: u64, depth: usize, out: &mut Vec<(u64, Option<Type>)>) {
        if depth > DEEPEST || out.len() as u64 >= MOST_POINTERS {
            return;
        }
        match &self.all[ty] {
            (Form::Pointer(to), _) => out.push((at, *to)),
            (Form::Array { of, step }, bytes) => {
                let n = if self.holds_pointers(*of, 0) { (bytes / step).min(MOST_POINTERS) } else { 0 };
                (0..n).for_each(|i| self.pointers_from(*of, at + i * step, depth + 1, out));
            }
            (Form::Structure(members), _) => {
                members.iter().for_each(|(begins, of)| self.pointers_from(*of, at + begins, depth + 1, out));
            }
            (Form::Number(_) | Form::Unknown, _) => {}
        }
    }

    fn holds_pointers(&self, ty: Type, depth: usize) -> bool {
        match &self.all[ty].0 {
            _ if depth > DEEPEST => false,
            Form::Pointer(_) => true,
            Form::Array { of, .. } => self.holds_pointers(*of, depth + 1),
            Form::Structure(members) => members.iter().any(|(_, of)| self.holds_pointers(*of, depth + 1)),
            Form::Number(_) | Form::Unknown => false,
        }
    }

    /// The type that an entry says it has, which lies so deep in others; `unit` is that of the entry, with its number.
    pub(crate) fn declared<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: (usize, &Unit<'d>),
        entry: &Entry<'_, 'd>,
        depth: usize,
    ) -> Option<Type> {
        let gimli::AttributeValue::UnitRef(at) = entry.attr_value(gimli::DW_AT_type).ok()?? else { return None };
        self.read(dwarf, unit, at, depth)
    }

    fn read<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: (usize, &Unit<'d>),
        at: gimli::UnitOffset,
        depth: usize,
    ) -> Option<Type> {
        if let Some(known) = self.known.get(&(unit.0, at)) {
            return Some(*known);
        }
        let entry = unit.1.entry(at).ok()?;
        if depth > DEEPEST {
            return None;
        }
        let is_other_name = [
            gimli::DW_TAG_typedef,
            gimli::DW_TAG_const_type,
            gimli::DW_TAG_volatile_type,
            gimli::DW_TAG_restrict_type,
            gimli::DW_TAG_atomic_type,
        ]
        .contains(&entry.tag());
        if is_other_name {
            let ty = self.declared(dwarf, unit, &entry, depth + 1)?;
            self.known.insert((unit.0, at), ty);
            return Some(ty);
        }
        // A structure may hold pointers to others of its type.
        let place = self.all.len();
        self.known.insert((unit.0, at), place);
        self.all.push((Form::Unknown, size(&entry, gimli::DW_AT_byte_size).unwrap_or(0)));
        let read = match entry.tag() {
            gimli::DW_TAG_base_type => base(dwarf, unit.1, &entry),
            gimli::DW_TAG_enumeration_type => size(&entry, gimli::DW_AT_byte_size)
                .map(|bytes| (Form::Number(Number { class: Class::Integer, bytes, name: "enum".into() }), bytes)),
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                let bytes = size(&entry, gimli::DW_AT_byte_size).unwrap_or(8);
                Some((Form::Pointer(self.declared(dwarf, unit, &entry, depth + 1)), bytes))
            }
            gimli::DW_TAG_array_type => self.array(dwarf, unit, &entry, depth),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => self.structure(dwarf, unit, &entry, depth),
            _ => None,
        };
        if let Some(read) = read {
            self.all[place] = read;
        }
        Some(place)
    }

    fn array<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: (usize, &Unit<'d>),
        entry: &Entry<'_, 'd>,
        depth: usize,
    ) -> Option<(Form, u64)> {
        let of = self.declared(dwarf, unit, entry, depth + 1)?;
        if let Ok(Some(_)) = entry.attr_value(gimli::DW_AT_data_location) {
            return is_behind_pointer(unit.1, entry).then_some((Form::Pointer(Some(of)), 8));
        }
        let step = self.bytes(of)?;
        let form = Form::Array { of, step };
        if let Some(bytes) = size(entry, gimli::DW_AT_byte_size) {
            return Some((form, bytes));
        }
        let mut bytes = Some(step);
        let mut tree = unit.1.entries_tree(Some(entry.offset())).ok()?;
        let mut parts = tree.root().ok()?.children();
        while let Some(part) = parts.next().ok()? {
            bytes = bytes.and_then(|bytes| bytes.checked_mul(length(unit.1, part.entry())?));
        }
        Some((form, bytes.unwrap_or(0)))
    }

    fn structure<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: (usize, &Unit<'d>),
        entry: &Entry<'_, 'd>,
        depth: usize,
    ) -> Option<(Form, u64)> {
        let bytes = size(entry, gimli::DW_AT_byte_size)?;
        let mut members = vec![];
        let mut tree = unit.1.entries_tree(Some(entry.offset())).ok()?;
        let mut parts = tree.root().ok()?.children();
        while let Some(part) = parts.next().ok()? {
            let part = part.entry();
            let has = |attribute| matches!(part.attr(attribute), Ok(Some(_)));
            let is_member = [gimli::DW_TAG_member, gimli::DW_TAG_inheritance].contains(&part.tag());
            if !is_member || has(gimli::DW_AT_bit_size) {
                continue;
            }
            if let Some(begins) = size(part, gimli::DW_AT_data_member_location)
                && let Some(ty) = self.declared(dwarf, unit, part, depth + 1)
            {
                members.push((begins, ty));
            }
        }
        Some((Form::Structure(members), bytes))
    }
}

/// The number that a basic type is.
fn base<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, entry: &Entry<'_, 'd>) -> Option<(Form, u64)> {
    let bytes = size(entry, gimli::DW_AT_byte_size)?;
    let gimli::AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding).ok()?? else {
        return None;
    };
    let class = match encoding {
        gimli::DW_ATE_float => Class::Float,
        gimli::DW_ATE_complex_float => Class::Complex,
        gimli::DW_ATE_signed
        | gimli::DW_ATE_unsigned
        | gimli::DW_ATE_signed_char
        | gimli::DW_ATE_unsigned_char
        | gimli::DW_ATE_boolean
        | gimli::DW_ATE_UTF => Class::Integer,
        _ => return None,
    };
    let name = entry.attr_value(gimli::DW_AT_name).ok()??;
    let name = dwarf.attr_string(unit, name).ok()?.to_string_lossy().into_owned();
    Some((Form::Number(Number { class, bytes, name }), bytes))
}

/// Whether an array lies where the first word of its variable points: one of Fortran that is allocated.
fn is_behind_pointer(unit: &Unit<'_>, entry: &Entry<'_, '_>) -> bool {
    let Ok(Some(gimli::AttributeValue::Exprloc(place))) = entry.attr_value(gimli::DW_AT_data_location) else {
        return false;
    };
    let mut operations = place.operations(unit.encoding());
    let next = operations.next();
    matches!(next, Ok(Some(gimli::Operation::PushObjectAddress)))
        && matches!(operations.next(), Ok(Some(gimli::Operation::Deref { .. })))
        && matches!(operations.next(), Ok(None))
}

/// How many elements a dimension of an array has.
fn length(unit: &Unit<'_>, part: &Entry<'_, '_>) -> Option<u64> {
    if part.tag() != gimli::DW_TAG_subrange_type {
        return None;
    }
    if let Some(n) = size(part, gimli::DW_AT_count) {
        return Some(n);
    }
    // Languages that count from one say so where they do not.
    let from = match part.attr(gimli::DW_AT_lower_bound).ok()? {
        Some(_) => number(part, gimli::DW_AT_lower_bound)?,
        None => i64::from(is_fortran(unit)),
    };
    let last = number(part, gimli::DW_AT_upper_bound)?;
    u64::try_from(last.checked_sub(from)?.checked_add(1)?).ok()
}

/// The constant that an attribute is.
fn number(entry: &Entry<'_, '_>, attribute: gimli::DwAt) -> Option<i64> {
    let value = entry.attr(attribute).ok()??;
    // What is short is no negative number unless it says so.
    value.udata_value().and_then(|n| i64::try_from(n).ok()).or_else(|| value.sdata_value())
}

fn size(entry: &Entry<'_, '_>, attribute: gimli::DwAt) -> Option<u64> {
    number(entry, attribute).and_then(|n| u64::try_from(n).ok())
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
