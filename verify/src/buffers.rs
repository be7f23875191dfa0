//! The memory that a call speaks of: the elements of its buffers, by its counts, displacements and datatypes, and what a datatype is made of that
//! holds addresses.

use crate::call::{Arg, Call, Form, POINTER, Refused, Scene};
use crate::face::Function;
use crate::local::no_memory;
use crate::memory::{Area, element_of};
use crate::runs;
use litmpi_engine::unfold::{Given, Shown};
use litmpi_spec::decl::{Kind, Param, Shape};

/// Memory of the C library so far behind a block, and in no block, is nobody's.
const NEAR: u64 = 1 << 16;
/// Elements that a call may speak of, where all behaviours are followed, and where one is.
const MOST_ELEMENTS: i64 = 1 << 18;
const MOST_OF_ONE: i64 = 1 << 21;
/// The basic type of an `int`.
const INT: i64 = 1;

impl Scene<'_> {
    /// The elements of an item of a datatype: the basic type of each, and its place in locations from the item's address.
    fn item(&self, datatype: i64) -> Option<Vec<(i64, i64)>> {
        let given = [Given::Word(self.rank as i64), Given::Word(1), Given::Word(datatype)];
        let Some(Shown::Parts(all)) = self.apply("elements", &given) else { return None };
        let element = |part: &Shown| match part {
            Shown::Parts(fields) => match fields.as_slice() {
                [Shown::Int(basic), Shown::Int(place)] => Some((*basic, *place)),
                _ => None,
            },
            Shown::Int(_) => None,
        };
        all.iter().map(element).collect()
    }

    /// The elements of `count` items of a datatype from an address on.
    pub(crate) fn elements(&self, at: u64, count: i64, datatype: i64) -> Result<Area, Refused> {
        if runs::is_wide(datatype) {
            return runs::elements(at, count, datatype);
        }
        let Some(one) = self.item(datatype) else { return Ok(vec![]) };
        if one.is_empty() || count <= 0 || self.number_of("is_type", &[datatype]) != Some(1) {
            return Ok(vec![]);
        }
        let most = if self.one_way { MOST_OF_ONE } else { MOST_ELEMENTS };
        if count.saturating_mul(one.len() as i64) > most {
            return Err(Refused::Unsupported(format!(
                "a buffer of {} elements (at most {most} are followed)",
                count.saturating_mul(one.len() as i64)
            )));
        }
        let extent = self.number_of("extent", &[datatype]).unwrap_or(1);
        let granule = self.layout.granule.0 as i64;
        let from_bottom = at == 0 && self.layout.is_from_bottom();
        let address = |place: i64| match u64::try_from(place) {
            Ok(place) if from_bottom => self.layout.behind_bottom(self.rank, place),
            _ => Some(at.wrapping_add_signed(place.wrapping_mul(granule))),
        };
        // The memory behind the addresses that a datatype holds need not be known yet, so that later items are counted from the first one.
        let element = |i: i64, (basic, place): &(i64, i64)| {
            let later = i.saturating_mul(extent).saturating_mul(granule);
            Some((address(*place)?.wrapping_add_signed(later), *basic))
        };
        let all: Option<Area> = (0..count).flat_map(|i| one.iter().map(move |part| element(i, part))).collect();
        all.ok_or_else(|| Refused::Unsupported("elements of a datatype at addresses that are not known".into()))
    }

    /// The memory of several items of a datatype that holds addresses: one stretch, as the elements of the later items are counted in
    /// locations from those of the first.
    fn items(&self, at: u64, count: i64, datatype: i64) -> Result<Option<(u64, u64)>, Refused> {
        if at != 0 || count < 2 || !self.layout.is_from_bottom() || runs::is_wide(datatype) {
            return Ok(None);
        }
        let extent = self.number_of("extent", &[datatype]).unwrap_or(1);
        let last = extent.saturating_mul(self.layout.granule.0 as i64).saturating_mul(count - 1);
        let mut first = self.elements(at, 1, datatype)?;
        first.sort_unstable();
        // How far the items of memory here and there lie from each other, locations do not say.
        let place = |at: u64| self.layout.place(self.rank, at).map(|place| place as u64);
        let (Some((least, _)), Some((most, basic))) = (first.first(), first.last()) else { return Ok(None) };
        let granule = self.layout.granule.0;
        if place(*least).zip(place(*most)).is_none_or(|(a, b)| (b - a) * granule != most - least) {
            let what = "several items of a datatype that holds addresses of memory here and there";
            return Err(Refused::Unsupported(what.into()));
        }
        let bytes = most + self.values.size(*basic) as u64 - least + last.unsigned_abs();
        if bytes > MOST_ELEMENTS as u64 * granule {
            let what = format!("items of a datatype that holds addresses, over {bytes} bytes");
            return Err(Refused::Unsupported(what));
        }
        Ok(Some((least.saturating_add_signed(last.min(0)), bytes)))
    }

    /// What the buffers of a call may reach: no less than the rules look at. That they reach no further than they may is the
    /// rules' to say.
    pub(crate) fn buffers(
        &self,
        function: &Function,
        params: &[Param],
        kinds: &[Kind],
        peers: usize,
        comm: Option<i64>,
        call: &mut Call,
    ) -> Result<(), Refused> {
        let name = function.name.to_lowercase();
        let is = |p: &Param, shape: &str| match &kinds[p.kind].shape {
            Shape::Local | Shape::LocalOrNone => shape == "buffer",
            Shape::Int => shape == "count" && p.name.contains("count"),
            Shape::Handle(t) => shape == "type" && t == "Datatype",
            _ => false,
        };
        let root = params.iter().position(|p| p.name == "root");
        let is_root = match (root.map(|r| &call.args[r]), comm) {
            (Some(Arg::Int(r)), Some(c)) => self.number_of("is_root", &[c, *r]) == Some(1),
            _ => true,
        };
        // MPI_NO_OP takes nothing from the origin.
        let no_op = params.iter().zip(&call.args).any(|(p, a)| kinds[p.kind].name == "update" && *a == Arg::Int(13));
        // Memory of a window is named by where it begins.
        let of_window =
            call.window.is_some() || ["MPI_Win_detach", "lend", "reclaim"].contains(&function.name.as_str());
        for (i, p) in params.iter().enumerate().filter(|(_, p)| is(p, "buffer") && !of_window) {
            let Arg::Loc(at) = call.args[i] else { continue };
            if no_op && p.name == "origin_addr" {
                continue;
            }
            call.bases.resize(call.areas.len(), None);
            call.bases.push(Some(at));
            call.taken.resize(call.areas.len(), true);
            // The root of a broadcast sends from its buffer, and where a reduction leaves no result there is none to be written.
            let is_only_read = (name.ends_with("bcast") && is_root) || (name.contains("reduce") && !is_root);
            call.taken.push(kinds[p.kind].is_in || is_only_read);
            let of_root =
                name.contains("gather") && p.name == "recvbuf" || name.contains("scatter") && p.name == "sendbuf";
            if of_root && !is_root {
                call.areas.push(vec![]);
                continue;
            }
            let behind = |shape: &str| (i + 1..params.len()).find(|j| is(&params[*j], shape));
            let (counts, t) = match (behind("count").map(|c| &call.args[c]), behind("type")) {
                (Some(counts), Some(t)) => (counts, t),
                // Of a call that has a datatype and no count, each buffer is one item.
                (None, Some(t)) => (&Arg::Int(1), t),
                _ => return Err(Refused::Unsupported(format!("{}: how far `{}` reaches", function.name, p.name))),
            };
            let displs = params.iter().enumerate().skip(i).find(|(_, p)| p.name.contains("displs"));
            let displs = displs.map(|(j, _)| &call.args[j]);
            let ty = match (&call.args[t], counts, displs) {
                (Arg::Int(ty), ..) => *ty,
                (Arg::List(types), Arg::List(counts), Some(Arg::List(displs))) => {
                    call.areas.push(self.parts(at, counts, displs, types)?);
                    continue;
                }
                _ => return Err(Refused::Unsupported(format!("{}: how far `{}` reaches", function.name, p.name))),
            };
            // In place, the input of all is where the result of one will be.
            let in_place = params.iter().zip(&call.args).any(|(p, a)| p.name == "sendbuf" && *a == Arg::None);
            let each = name.contains("gather") && p.name == "recvbuf"
                || name.contains("scatter_block") && p.name == "recvbuf" && in_place
                || name.contains("alltoall")
                || name.contains("scatter") && p.name == "sendbuf";
            let parts = match comm {
                _ if !each => 1,
                Some(comm) if name.contains("neighbor") => self.neighbours(&p.name, comm).unwrap_or(0),
                _ => peers,
            };
            let own = || comm.and_then(|c| (0..peers as i64).find(|r| self.number_of("i_am", &[c, *r]) == Some(1)));
            let area = match counts {
                // Each gets the part of its own rank (§6.10.2).
                Arg::List(counts) if name.contains("reduce_scatter") && p.name == "recvbuf" && !in_place => {
                    match own().and_then(|rank| counts.get(rank as usize)) {
                        Some(Arg::Int(n)) => self.elements(at, *n, ty)?,
                        _ => vec![],
                    }
                }
                // Each process's items are a run of their own; so is, in place, what will be the result.
                Arg::Int(n) if runs::is_wide(ty) && name.contains("reduce_scatter") && p.name == "recvbuf" => {
                    let others = if in_place { (parts as i64 - 1).max(0) } else { 0 };
                    let mut area = self.elements(at, *n, ty)?;
                    area.extend(self.elements(self.behind(at, *n, ty), n.saturating_mul(others), ty)?);
                    area
                }
                Arg::Int(n) if runs::is_wide(ty) && each && !name.contains("reduce_scatter") => {
                    let part = |i: i64| self.elements(self.behind(at, n.saturating_mul(i), ty), *n, ty);
                    (0..parts as i64).map(part).collect::<Result<Vec<_>, _>>()?.concat()
                }
                Arg::Int(n) => {
                    let n = n.saturating_mul(parts as i64);
                    call.stretches.extend(self.items(at, n, ty)?);
                    self.elements(at, n, ty)?
                }
                Arg::List(counts) if runs::is_wide(ty) && name.contains("reduce_scatter") => {
                    let of = |arg: &Arg| if let Arg::Int(n) = arg { (*n).max(0) } else { 0 };
                    let all = counts.iter().map(of).fold(0, i64::saturating_add);
                    let first = match own() {
                        Some(rank) if p.name == "recvbuf" => counts.get(rank as usize).map_or(0, of),
                        _ => all,
                    };
                    let mut area = self.elements(at, first, ty)?;
                    area.extend(self.elements(self.behind(at, first, ty), all - first, ty)?);
                    area
                }
                Arg::List(counts) => {
                    let extent = self.extent_of(ty);
                    let (mut area, mut total) = (vec![], 0);
                    for (k, n) in counts.iter().enumerate() {
                        let Arg::Int(n) = n else { continue };
                        let begin = match displs {
                            Some(Arg::List(ds)) => match ds.get(k) {
                                Some(Arg::Int(d)) => *d,
                                _ => continue,
                            },
                            _ => total,
                        };
                        total = total.saturating_add(*n);
                        area.extend(self.elements(at.wrapping_add_signed(begin.saturating_mul(extent)), *n, ty)?);
                    }
                    area.sort_unstable();
                    area.dedup();
                    area
                }
                _ => vec![],
            };
            call.areas.push(area);
        }
        Ok(())
    }

    /// The address behind so many items of a datatype.
    fn behind(&self, at: u64, items: i64, datatype: i64) -> u64 {
        at.wrapping_add_signed(items.saturating_mul(self.extent_of(datatype)))
    }

    /// From one item of a datatype to the next one, in bytes.
    fn extent_of(&self, datatype: i64) -> i64 {
        self.number_of("extent", &[datatype]).unwrap_or(1).saturating_mul(self.layout.granule.0 as i64)
    }

    /// What is wrong with where elements lie: the variable or the block that the first one is in ends before them, or was freed. Items of a
    /// derived datatype may lie in several variables, of which one may stand behind another.
    fn beyond(&self, area: &Area, is_predefined: bool) -> Option<String> {
        let mut area = area.iter().peekable();
        let (first, _) = **area.peek()?;
        let object = self.process.object(first)?;
        // What lies between variables of a function is not always known.
        if object.is_local && !is_predefined {
            return None;
        }
        if object.is_freed {
            return Some(format!("is in a block of memory that was freed ({first:#x})"));
        }
        // Elements one behind the other are in one variable. Others may be elsewhere, as far as that is somewhere.
        let mut end = first;
        let mut last = first;
        for (at, basic) in area {
            let behind = at + self.values.size(*basic) as u64;
            let is_outside = *at >= object.at.end;
            let is_near = is_outside && object.is_block && *at - object.at.end < NEAR;
            // Nobody asks where elements of a predefined datatype lie that are one behind the other.
            let is_elsewhere = is_outside && (is_near || !is_predefined) && self.process.object(*at).is_some();
            end = if *at == end && (is_predefined || !is_elsewhere) { behind } else { end };
            last = last.max(if is_near && !is_elsewhere { behind } else { end });
        }
        let more = last.saturating_sub(object.at.end);
        (more > 0).then(|| {
            let (kind, bytes) = (object.kind(), object.bytes());
            format!("has fewer elements than count: {kind} has {bytes} bytes, and {more} bytes behind it are meant")
        })
    }

    /// Whether a list of so many bytes is in the variable or the block that it begins in, where every process looks at all of it.
    pub(crate) fn list_is_memory(&self, function: &Function, p: &Param, at: u64, bytes: u64) -> Result<(), Refused> {
        let name = function.name.to_lowercase();
        let is_of = |what: &[&str]| what.iter().any(|part| name.contains(part));
        let is_whole = match p.name.as_str() {
            "array_of_requests" => true,
            "array_of_statuses" => is_of(&["waitall", "testall"]),
            "sendcounts" | "sdispls" | "rdispls" => is_of(&["_alltoall", "_ialltoall"]),
            "recvcounts" => {
                is_of(&["_alltoall", "_ialltoall", "allgatherv", "reduce_scatter"]) && !is_of(&["neighbor"])
            }
            _ => false,
        };
        if bytes == 0 || !is_whole {
            return Ok(());
        }
        match self.process.object(at) {
            Some(object) if object.at.end - at < bytes => {
                let (kind, has) = (object.kind(), object.bytes());
                Err(Refused::Erroneous(format!(
                    "{}: `{}` has {bytes} bytes, and {kind} that it is in has {has}",
                    function.name, p.name
                )))
            }
            _ => Ok(()),
        }
    }

    /// The arrays of counts, displacements and datatypes of a collective that goes on when its call has returned.
    pub(crate) fn arrays(&self, function: &Function, params: &[Param], kinds: &[Kind], raw: &[u64], call: &mut Call) {
        let goes_on = params.iter().any(|p| matches!(&kinds[p.kind].shape, Shape::Register(ty) if ty == "Request"));
        let is_collective = params.iter().any(|p| p.name == "comm") && function.name.starts_with("MPI_I");
        if !goes_on || !is_collective {
            return;
        }
        let mut area: Area = vec![];
        for (p, arg) in params.iter().zip(&call.args) {
            let place = function.args.iter().position(|a| *a == p.name);
            if let (Arg::List(all), Some(place)) = (arg, place)
                && ["counts", "displs", "types"].iter().any(|part| p.name.ends_with(part))
            {
                let step = self.size_in_c(p, &kinds[p.kind]);
                let ty = if step == 8 { POINTER } else { INT };
                area.extend((0..all.len() as u64).map(|i| (raw[place] + i * step, ty)));
                call.lists.push((raw[place]..raw[place] + all.len() as u64 * step, p.name.clone()));
            }
        }
        area.sort_unstable();
        area.dedup();
        let fits = |(at, ty): &(u64, i64)| {
            self.values.fits(*ty, self.layout.granule) && at.is_multiple_of(self.layout.granule.0)
        };
        if !area.is_empty() && area.iter().all(fits) {
            call.bases.resize(call.areas.len(), None);
            call.taken.resize(call.areas.len(), true);
            call.taken.push(true);
            call.arrays = Some(call.areas.len());
            call.areas.push(area);
        }
    }

    /// Whether what a call passes is memory of the process: where buffers that are used begin and, where that is known, end, and what is given back.
    pub(crate) fn is_memory(
        &self,
        function: &Function,
        params: &[Param],
        kinds: &[Kind],
        call: &Call,
    ) -> Result<(), Refused> {
        let name = function.name.to_lowercase();
        let refused = |what: &str, at: u64| {
            Err(Refused::Erroneous(format!("{}: {what} no memory of the process ({at:#x})", function.name)))
        };
        for out in call.outs.iter().filter(|o| o.form != Form::Returned) {
            let known = self.process.read(out.at, 1);
            if known.is_empty() || self.process.write(out.at, &known).is_err() {
                return Err(Refused::Erroneous(format!("{}: {}", function.name, no_memory(out.at))));
            }
        }
        if let Some((at, bytes @ 1..)) = call.window
            && self.process.read(at, 1).is_empty()
        {
            return refused(&format!("the {bytes} bytes of the window begin in"), at);
        }
        if let Some((at, bytes @ 1..)) = call.window
            && let Some(object) = self.process.object(at)
            && (object.is_freed || object.at.end - at < bytes)
        {
            let why = match object.is_freed {
                true => format!("the memory of the window was freed ({at:#x})"),
                false => format!("the window has {bytes} bytes, and {} has {}", object.kind(), object.bytes()),
            };
            return Err(Refused::Erroneous(format!("{}: {why}", function.name)));
        }
        // Of these it depends on more than the call whether a buffer is looked at: on the neighbours, on the message, on the other group.
        let depends = ["neighbor", "mrecv", "reduce_scatter"].iter().any(|part| name.contains(part));
        let nobody = params.iter().zip(&call.args).any(|(p, arg)| {
            ["rank", "root"].contains(&kinds[p.kind].name.as_str()) && matches!(arg, Arg::Int(n) if *n < -1)
        });
        if depends || nobody {
            return Ok(());
        }
        let buffers = params.iter().zip(&call.args).filter(|(p, arg)| {
            let is_buffer = matches!(kinds[p.kind].shape, Shape::Local | Shape::LocalOrNone);
            // What only the root, or all but the first rank, are given.
            let is_given =
                !(p.name == "recvbuf" && (name.contains("reduce") && !name.contains("all") || name.contains("exscan")));
            is_buffer && is_given && matches!(arg, Arg::Loc(_))
        });
        let is_type = |p: &Param| matches!(&kinds[p.kind].shape, Shape::Handle(t) if t == "Datatype");
        for (p, arg) in buffers {
            let Arg::Loc(at) = arg else { continue };
            let behind = params.iter().zip(&call.args).skip_while(|(q, _)| q.name != p.name).find(|(q, _)| is_type(q));
            let area = call.bases.iter().position(|b| b == &Some(*at)).and_then(|i| call.areas.get(i));
            if let Some((first, _)) = area.and_then(|a| a.first())
                && self.process.read(*first, 1).is_empty()
            {
                return refused(&format!("`{}` is", p.name), *first);
            }
            let of_type =
                |ty: i64| area.is_some_and(|a| a.iter().all(|(_, basic)| element_of(*basic) == element_of(ty)));
            let is_predefined = matches!(behind, Some((_, Arg::Int(ty))) if of_type(*ty));
            if let Some(why) = area.and_then(|a| self.beyond(a, is_predefined)) {
                return Err(Refused::Erroneous(format!("{}: `{}` {why}", function.name, p.name)));
            }
        }
        Ok(())
    }

    /// The memory that a datatype will hold the addresses of, or that a call names by them: so many items of its types, from each address on.
    pub(crate) fn stretches(&self, params: &[Param], call: &mut Call) {
        let ints = |arg: &Arg| match arg {
            Arg::List(ns) => ns.iter().map(|n| if let Arg::Int(n) = n { *n } else { 0 }).collect(),
            Arg::Int(n) => vec![*n],
            _ => vec![],
        };
        let of = |what: &str| params.iter().position(|p| p.name.contains(what)).map(|i| ints(&call.args[i]));
        let (blocks, types) = (of("blocklength").unwrap_or_default(), of("type").unwrap_or_default());
        // Where parts are sent from, or received into, their lengths and datatypes are of the same side.
        let side = |p: &Param| match p.name.as_str() {
            "sdispls" => (of("sendcounts").unwrap_or_default(), of("sendtypes").unwrap_or_default()),
            "rdispls" => (of("recvcounts").unwrap_or_default(), of("recvtypes").unwrap_or_default()),
            _ => (blocks.clone(), types.clone()),
        };
        // One for all, or one for each.
        let nth = |of: &[i64], i: usize| of.get(i).or(of.last()).copied();
        let stretch = |(i, arg): (usize, &Arg), (lengths, types): &(Vec<i64>, Vec<i64>)| {
            let Arg::At(at) = arg else { return None };
            let ty = nth(types, i);
            let extent = ty.and_then(|t| self.number_of("extent", &[t])).unwrap_or(1);
            let later = extent.saturating_mul(nth(lengths, i).unwrap_or(1).max(1) - 1);
            let (first, last) = ty.and_then(|t| self.reach(t)).unwrap_or((0, extent.max(1)));
            let (begin, end) = (first + later.min(0), last + later.max(0));
            let granule = self.layout.granule.0 as i64;
            let bytes = (end - begin).saturating_mul(granule).clamp(1, 1 << 20);
            Some((at.wrapping_add_signed(begin.saturating_mul(granule)), bytes as u64))
        };
        let mut all = vec![];
        for (p, arg) in params.iter().zip(&call.args) {
            let Arg::List(list) = arg else { continue };
            if list.iter().any(|a| matches!(a, Arg::At(_))) {
                let side = side(p);
                all.extend(list.iter().enumerate().filter_map(|of| stretch(of, &side)));
            }
        }
        call.stretches = all;
    }

    /// From where to where an item of a datatype reaches, in locations from its address, which is one of them.
    fn reach(&self, datatype: i64) -> Option<(i64, i64)> {
        let granule = self.layout.granule.0;
        let width = |basic: i64| (self.values.size(basic) as u64).div_ceil(granule) as i64;
        let further = |(first, last): (i64, i64), (basic, place): &(i64, i64)| {
            (first.min(*place), last.max(place.saturating_add(width(*basic))))
        };
        Some(self.item(datatype)?.iter().fold((0, 1), further))
    }

    /// The elements of parts that each have a count, a place in locations and a datatype of their own.
    fn parts(&self, at: u64, counts: &[Arg], displs: &[Arg], types: &[Arg]) -> Result<Area, Refused> {
        let mut area = vec![];
        for ((n, displ), ty) in counts.iter().zip(displs).zip(types) {
            let (Arg::Int(n), Arg::Int(ty)) = (n, ty) else { continue };
            let begin = match displ {
                Arg::Int(displ) => at.wrapping_add_signed(displ.saturating_mul(self.layout.granule.0 as i64)),
                // An address, from MPI_BOTTOM on (MPI 4.1 §5.1.12).
                Arg::At(address) => at.wrapping_add(*address),
                _ => continue,
            };
            area.extend(self.elements(begin, *n, *ty)?);
        }
        area.sort_unstable();
        area.dedup();
        Ok(area)
    }
}
