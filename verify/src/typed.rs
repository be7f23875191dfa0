//! The datatype of a buffer, held against what the program declares the memory as (MPI-4.1, section 3.3.1: the types of the variables must match those that the
//! call specifies).
//!
//! A declaration is known by the debug information, of variables that the buffer lies in, and of pointers to it that the calling function, or no function,
//! has as variables, alone or within structures, or that these point to. Where several of them say something else about the memory, one that fits the
//! datatype is enough.
//!
//! Less is told than the standard forbids: integers of one size are taken for one type, with a sign or without one, and a pointer for an integer of its
//! size; complex numbers for two real ones; and what has elements of one byte, on either side, for memory without a type, for many programs use it so.
//! Nothing is said of memory that is only known as `void *`, within a block that no such pointer begins, or behind variables of a function that was
//! compiled with optimisation.

use crate::basic::numbers;
use crate::call::{Arg, Call, Refused, Scene};
use crate::declared::{Class, Type, Types};
use crate::face::Function;
use crate::frames::{Declared, File};
use crate::memory::{Area, element_of};
use crate::rank::Process;
use litmpi_spec::decl::{Kind, Param, Shape};
use std::ops::ControlFlow;

/// Elements of a buffer that are looked at: programs do not change their mind later.
const MOST_ELEMENTS: usize = 64;
/// Pointers behind a pointer that are looked at.
const MOST_POINTERS: usize = 64;

/// A declaration of memory.
struct View<'v> {
    types: &'v Types,
    /// The variable that it is known by.
    name: &'v str,
    ty: Type,
    /// Where memory of that type begins; where it ends, if it is a variable, for behind a pointer one may follow another.
    from: u64,
    end: Option<u64>,
}

impl<'v> View<'v> {
    fn of_variable(file: &'v File, declared: &'v Declared, from: u64) -> View<'v> {
        let bytes = file.types.bytes(declared.ty).unwrap_or(0);
        let end = Some(from.saturating_add(bytes));
        View { types: &file.types, name: &declared.name, ty: declared.ty, from, end }
    }

    /// The name of what the program has where an element of a basic type is meant; nothing if that fits, or if the declaration does not say.
    fn other(&self, at: u64, basic: i64, size: u64) -> Option<&'v str> {
        numbers(basic, size).into_iter().find_map(|(further, class, bytes)| {
            let at = at + further;
            if bytes == 1 || at < self.from || self.end.is_some_and(|end| at >= end) {
                return None;
            }
            let (number, within) = self.types.number(self.ty, at - self.from)?;
            let (is, has) = (number.class, number.bytes);
            let fits = has == 1
                || (is, has) == (class, bytes) && within == 0
                || class == Class::Complex && (is, has * 2) == (Class::Float, bytes) && within == 0
                || class == Class::Float && (is, has) == (Class::Complex, bytes * 2);
            (!fits).then_some(number.name.as_str())
        })
    }
}

impl Process {
    /// Shows what the program declares memory as in which a buffer begins, and its first element, as far as that is known, until that is enough.
    fn views(&self, at: u64, first: u64, see: &mut dyn FnMut(View<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.declared_around(first, &mut |file, declared, place| see(View::of_variable(file, declared, place)))?;
        let program = self.file();
        let before = &program.statics[..program.statics.partition_point(|(from, _)| *from <= first)];
        // Several variables may begin at one place.
        let nearest = before.last().map(|(from, _)| *from);
        for (from, declared) in before.iter().rev().take_while(|(from, _)| Some(*from) == nearest) {
            let view = View::of_variable(&program, declared, *from);
            if view.end.is_some_and(|end| first < end) {
                see(view)?;
            }
        }
        // What a function is given to pass on it may know as something else than who made it.
        self.declared_by_caller(&mut |file, declared, place| self.views_by(at, (file, declared, place), see))?;
        program.statics.iter().try_for_each(|(place, declared)| self.views_by(at, (&program, declared, *place), see))
    }

    /// Shows what memory is by the pointers of a variable that lies at a place.
    fn views_by(
        &self,
        at: u64,
        (file, declared, place): (&File, &Declared, u64),
        see: &mut dyn FnMut(View<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let types = &file.types;
        let mut see = |ty| see(View { types, name: &declared.name, ty, from: at, end: None });
        let word = |at: u64| self.words(at, 1).first().copied();
        let place = match declared.is_elsewhere {
            true => match word(place) {
                Some(to) if to == at => return see(declared.ty),
                Some(to) => to,
                None => return ControlFlow::Continue(()),
            },
            false => place,
        };
        for (further, to) in types.pointers(declared.ty) {
            let (Some(ty), Some(value)) = (to, word(place + further)) else { continue };
            if value == at {
                see(ty)?;
                continue;
            }
            let behind = types.pointers(ty);
            let all: Vec<(u64, Option<Type>)> = match (&behind[..], types.bytes(ty)) {
                ([(0, to)], Some(8)) => (0..MOST_POINTERS as u64).map(|i| (i * 8, *to)).collect(),
                _ => behind,
            };
            let end = all.last().map_or(0, |(further, _)| further + 8);
            let words = self.words(value, (end / 8) as usize);
            for (further, to) in all {
                if let Some(ty) = to
                    && words.get((further / 8) as usize) == Some(&at)
                {
                    see(ty)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Scene<'_> {
    /// Whether the buffers of a call are of the datatypes that it says they are.
    pub(crate) fn is_of_type(
        &self,
        function: &Function,
        params: &[Param],
        kinds: &[Kind],
        call: &Call,
    ) -> Result<(), Refused> {
        let name = function.name.to_lowercase();
        for (p, arg) in params.iter().zip(&call.args) {
            let (Shape::Local | Shape::LocalOrNone, Arg::Loc(at)) = (&kinds[p.kind].shape, arg) else { continue };
            let Some(i) = call.bases.iter().position(|base| base == &Some(*at)) else { continue };
            // Of a reduction and the like only one process, or all but the first, get the result.
            let is_result = p.name == "recvbuf" && (call.taken[i] || name.contains("exscan"));
            let Some(area) = call.areas.get(i).filter(|area| !area.is_empty() && !is_result) else { continue };
            if let Some((variable, has, basic)) = self.other_type(*at, area) {
                let basic = self.basic_name(kinds, basic);
                return Err(Refused::Erroneous(format!(
                    "{}: the datatype of `{}` has {basic} where the variable `{variable}` has {has}",
                    function.name, p.name
                )));
            }
        }
        Ok(())
    }

    /// A variable that is declared as something else than an element of a buffer, what it has there, and the basic type of the element.
    fn other_type(&self, at: u64, area: &Area) -> Option<(String, String, i64)> {
        let (first, _) = *area.first()?;
        let other = |view: &View<'_>| {
            area.iter().take(MOST_ELEMENTS).find_map(|(at, basic)| {
                let basic = element_of(*basic);
                let has = view.other(*at, basic, self.values.size(basic) as u64)?;
                Some((view.name.to_owned(), has.to_owned(), basic))
            })
        };
        let mut found = None;
        let seen = self.process.views(at, first, &mut |view| match other(&view) {
            None => ControlFlow::Break(()),
            Some(other) => {
                found.get_or_insert(other);
                ControlFlow::Continue(())
            }
        });
        found.filter(|_| seen.is_continue())
    }

    fn basic_name(&self, kinds: &[Kind], basic: i64) -> String {
        let all = kinds.iter().filter(|k| matches!(&k.shape, Shape::Handle(t) if t == "Datatype"));
        let mut names = all.flat_map(|k| &k.names).filter(|(_, value)| *value == basic);
        names.next().map_or_else(|| format!("elements of datatype {basic}"), |(name, _)| name.clone())
    }
}
