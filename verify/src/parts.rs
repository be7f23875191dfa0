//! Large buffers, looked at in parts.
//!
//! What a program sends in large messages is only carried: nothing looks at its elements. Where all that a call names is a multiple of so many bytes
//! of basic elements, the call is given to the rules with parts of so many bytes in the place of elements (`part_bytes` in `spec/mpi/datatypes.spec`):
//! a message of a million integers is then one element of the model, or a few. How long a part is the large buffers of the program say, of
//! which it is the greatest common divisor; with each that makes it shorter the program is begun again. A message may be elements at one end and
//! parts at the other one, as a short one is in a buffer that has room for many; elements of collectives do not match parts, and memory
//! is used in one way or the other (in a behaviour at random, until no operation uses it any more): a program for which that does not come out,
//! or that is told of an error, is followed element by element.

use crate::call::{Arg, Call, Refused, Scene};
use crate::layout::Parts;
use crate::memory::PARTS;
use litmpi_spec::decl::{Kind, Param, Shape};

/// Elements of a buffer from which on it is large.
pub(crate) const LARGE: u64 = 4096;
/// The same where each process goes one way only, as long as all such buffers have parts in common.
pub(crate) const MEDIUM: u64 = 256;
/// The same where smaller ones have no parts in common with others.
pub(crate) const HUGE: u64 = 1 << 16;
/// Bytes of the smallest part.
const LEAST: u64 = 512;
/// The last of the basic types, and those that are no elements of one size: pairs.
const LAST_BASIC: i64 = 63;
const NOT_ALIKE: [i64; 9] = [5, 41, 42, 43, 44, 45, 58, 59, 60];
/// The operations that look at pairs.
const ON_PAIRS: [i64; 2] = [10, 11];

/// An argument that counts elements: its place, and that of their datatype; places of parts of a buffer are counted alike.
struct Counted {
    at: usize,
    datatype: usize,
    bytes: u64,
    is_place: bool,
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Scene<'_> {
    /// Gives a call's counts in parts, if they are multiples of one.
    pub(crate) fn in_parts(&self, params: &[Param], kinds: &[Kind], call: &mut Call) -> Result<(), Refused> {
        let part = match self.layout.parts {
            Parts::Never => return Ok(()),
            Parts::Of(part) => part,
        };
        let Some(counted) = self.counted(params, kinds, call) else {
            // Where elements of derived datatypes are large messages, so will be those that they are sent to or received from.
            let is_large = |(p, arg): (&Param, &Arg)| {
                p.name.contains("count") && numbers(arg).iter().any(|n| *n >= self.layout.large as i64)
            };
            let has_buffer = params.iter().any(|p| matches!(kinds[p.kind].shape, Shape::Local | Shape::LocalOrNone));
            let is_given_up = has_buffer && params.iter().zip(&call.args).any(is_large);
            // Of a process that goes one way only, memory that is in use no more may be used otherwise.
            let is_given_up = is_given_up && !self.one_way;
            return if is_given_up { Err(Refused::Parts(Parts::Never)) } else { Ok(()) };
        };
        let bytes: Vec<u64> = counted
            .iter()
            .flat_map(|c| numbers(&call.args[c.at]).into_iter().map(|n| (n.max(0) as u64).saturating_mul(c.bytes)))
            .filter(|n| *n > 0)
            .collect();
        let most = counted.iter().filter(|c| !c.is_place).flat_map(|c| numbers(&call.args[c.at])).max().unwrap_or(0);
        if most.max(0) as u64 >= self.layout.large {
            let now = bytes.iter().fold(part, |a, b| divisor(a, *b));
            // Where only the largest are looked at so, one that is no multiple is elements: a message may be parts at one end alone.
            if now < LEAST && self.layout.large >= HUGE && !self.layout.is_from_bottom() {
                return Ok(());
            }
            if now < LEAST || self.layout.is_from_bottom() {
                return Err(Refused::Parts(Parts::Never));
            }
            if now != part {
                return Err(Refused::Parts(Parts::Of(now)));
            }
        }
        if part == 0 || bytes.is_empty() || bytes.iter().any(|n| n % part != 0) {
            return Ok(());
        }
        for c in &counted {
            let scaled = |n: i64| n.saturating_mul(c.bytes as i64) / part as i64;
            match &mut call.args[c.at] {
                Arg::Int(n) => *n = scaled(*n),
                Arg::List(list) => list.iter_mut().for_each(|arg| {
                    if let Arg::Int(n) = arg {
                        *n = scaled(*n);
                    }
                }),
                _ => {}
            }
        }
        for c in counted.iter().filter(|c| !c.is_place) {
            if let Arg::Int(ty) = &mut call.args[c.datatype]
                && *ty < PARTS
            {
                *ty += PARTS;
            }
        }
        Ok(())
    }

    /// The arguments that count elements of basic types; none if there are others, or something looks at the elements.
    fn counted(&self, params: &[Param], kinds: &[Kind], call: &Call) -> Option<Vec<Counted>> {
        let of = |p: &Param, ty: &str| matches!(&kinds[p.kind].shape, Shape::Handle(t) if t == ty);
        let is_buffer = |p: &Param| matches!(kinds[p.kind].shape, Shape::Local | Shape::LocalOrNone);
        let looks = |(p, arg): (&Param, &Arg)| match arg {
            _ if of(p, "Win") => true,
            Arg::Int(op) if of(p, "Op") => ON_PAIRS.contains(op),
            _ => false,
        };
        if !params.iter().any(is_buffer) || params.iter().zip(&call.args).any(looks) {
            return None;
        }
        let mut out = vec![];
        let mut in_place = false;
        for (at, p) in params.iter().enumerate() {
            // What is in place has no count and no datatype.
            if is_buffer(p) {
                in_place = call.args[at] == Arg::None;
            }
            if in_place {
                continue;
            }
            let is_int = matches!(kinds[p.kind].shape, Shape::Int);
            if of(p, "Datatype") {
                let Arg::Int(ty) = call.args[at] else { return None };
                if !(1..=LAST_BASIC).contains(&ty) || NOT_ALIKE.contains(&ty) {
                    return None;
                }
            } else if is_int && (p.name.contains("count") || p.name.contains("displs")) {
                let datatype = (at..params.len()).find(|i| of(&params[*i], "Datatype"))?;
                let Arg::Int(ty) = call.args[datatype] else { return None };
                if numbers(&call.args[at]).iter().any(|n| *n < 0) {
                    return None;
                }
                let is_place = p.name.contains("displs");
                out.push(Counted { at, datatype, bytes: self.values.size(ty) as u64, is_place });
            }
        }
        out.iter().any(|c| !c.is_place).then_some(out)
    }
}

fn numbers(arg: &Arg) -> Vec<i64> {
    let number = |arg: &Arg| if let Arg::Int(n) = arg { Some(*n) } else { None };
    match arg {
        Arg::List(list) => list.iter().filter_map(number).collect(),
        arg => number(arg).into_iter().collect(),
    }
}
