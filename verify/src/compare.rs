//! What a process did with its memory between two calls: what it has changed, what is seen for the first time, what it has accessed.

use crate::accesses;
use crate::call::{Call, Of, Refused, Scene, Touch, Touched};
use crate::layout::SHARED;
use crate::memory::{Area, LONGEST, RUNS, Seen};
use crate::rank::{PAGE, Pages, page_of};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The rule by which elements of windows are accessed; a model that has another one knows nothing of bytes.
const ACCESS: &str = "rma/access";

impl Scene<'_> {
    /// What the process has changed of its memory, and what is seen of it for the first time.
    pub(crate) fn compare(&self, seen: &mut Seen, call: &mut Call) -> Result<(), Refused> {
        let mut memory = Pages::of(self.process);
        // Of pages that hold what they held nothing has changed.
        let mut is_same = |page: u64| seen.pages.get(&page).is_some_and(|was| **was == *memory.page(page));
        let mut last = (u64::MAX, false);
        let mut is_as_before = |at: u64, size: usize| {
            let (page, end) = (page_of(at), page_of(at + size as u64 - 1));
            if page != last.0 {
                last = (page, is_same(page));
            }
            size <= PAGE as usize && last.1 && (end == page || is_same(end))
        };
        let cells = seen.cells.iter().filter(|(at, (ty, _))| !is_as_before(**at, self.values.size(*ty)));
        let known: Vec<(u64, i64, i64)> = cells.map(|(a, (ty, v))| (*a, *ty, *v)).collect();
        let mut stored: BTreeSet<usize> = BTreeSet::new();
        let now_in = |memory: &mut Pages<'_>, at: u64, ty: i64, before: i64| {
            let bytes = memory.read(at, self.values.size(ty));
            let is_same = bytes.len() > PAGE as usize && self.values.is(before, &bytes);
            if is_same { before } else { self.values.number(ty, &bytes) }
        };
        for (at, ty, before) in known {
            let now = now_in(&mut memory, at, ty, before);
            if now != before {
                seen.cells.insert(at, (ty, now));
                // A buffer is in use as a whole: one element speaks for all.
                let is_stored = seen.in_use.get(&at).is_some_and(|operation| stored.insert(*operation));
                if is_stored || seen.watched.contains_key(&at) {
                    let of = self.of(at, before);
                    call.touched.push(Touched { at, touch: Touch::Wrote(now), site: 0, of });
                } else {
                    call.brought.push((at, now));
                }
            }
        }
        // What begins where another element was named since then is in use as well: the location is stored to.
        for ((at, ty), before) in seen.beneath.clone() {
            let now = now_in(&mut memory, at, ty, before);
            if now != before {
                seen.beneath.insert((at, ty), now);
                let held = seen.cells.get(&at).map_or(0, |(_, value)| *value);
                if seen.in_use.get(&at).is_some_and(|operation| stored.insert(*operation)) {
                    call.touched.push(Touched { at, touch: Touch::Wrote(held), site: 0, of: Of::Used });
                }
            }
        }
        for (from, to) in self.touched(seen, &mut stored, call)? {
            seen.forget(from, to);
        }
        if let Some((at, bytes)) = call.window {
            seen.watched.extend(self.windows.within(self.rank, at, bytes));
        }
        if seen.met != seen.watched.len() {
            self.watched_in_runs(seen)?;
        }
        let pending = OnceCell::new();
        // Those that were watched before are known.
        let new = seen.watched.iter().filter(|_| seen.met != seen.watched.len());
        let named: Area = new.map(|(at, ty)| (*at, *ty)).chain(call.areas.iter().flatten().copied()).collect();
        for (at, ty) in &named {
            let known = seen.cells.get(at);
            if let (Some(of), Some((was, _))) = (seen.watched.get(at), known)
                && self.values.size(*of) == self.values.size(*was)
            {
                if self.values.size(*of) != self.values.size(*ty) {
                    return Err(self.overlap());
                }
                // What others have written there meanwhile stays.
                continue;
            }
            if SHARED.contains(at) && known.is_none() {
                // It held nothing when the window was made.
                let now = self.values.number(*ty, &memory.read(*at, self.values.size(*ty)));
                seen.cells.insert(*at, (*ty, now));
                if now != 0 {
                    let of = self.of(*at, 0);
                    call.touched.push(Touched { at: *at, touch: Touch::Wrote(now), site: 0, of });
                }
                continue;
            }
            let (is_other, is_in_run) = known.map_or((true, false), |(was, _)| (was != ty, *was > RUNS || *ty > RUNS));
            if is_other && (is_in_run || !pending.get_or_init(|| pending_in(&seen.pending)).contains(at)) {
                // Of what is under way to a run only the model knows what comes.
                if is_in_run && seen.coming.contains(at) {
                    return Err(Refused::Apart);
                }
                let now = self.values.number(*ty, &memory.read(*at, self.values.size(*ty)));
                seen.note(*at, *ty, now);
                call.brought.push((*at, now));
            }
        }
        seen.met = seen.watched.len();
        seen.pages = memory.pages(std::mem::take(&mut seen.pages));
        Ok(())
    }

    /// What the process has accessed, where accesses are seen: elements of windows, and of buffers that may be in use, of which one speaks for
    /// all. A store of what was there before is a store, too. Gives the stretches of memory that it has given back.
    pub(crate) fn touched(
        &self,
        seen: &Seen,
        stored: &mut BTreeSet<usize>,
        call: &mut Call,
    ) -> Result<Vec<(u64, u64)>, Refused> {
        let (accesses, loose) = self.process.accessed().map_err(Refused::Unsupported)?;
        call.beside.loose = loose;
        if accesses.is_empty() {
            return Ok(vec![]);
        }
        let long = seen.long(self.values);
        let reach = long.iter().map(|(at, end, _)| end - at).max().unwrap_or(0);
        let mut read: BTreeSet<usize> = BTreeSet::new();
        // Where an element was written that has changed is known, too.
        let changed: BTreeMap<u64, usize> = call.touched.iter().enumerate().map(|(i, t)| (t.at, i)).collect();
        let mut known: BTreeSet<(u64, bool)> = changed.keys().map(|at| (*at, true)).collect();
        let (mut freed, mut given_back) = (vec![], vec![]);
        for access in accesses {
            let (from, to) = (access.at, access.at + access.bytes);
            if access.kind == accesses::Kind::Frees {
                given_back.push((from, to));
                let inside = seen.cells.range(from..to).map(|(at, _)| *at);
                let mut inside = inside.filter(|at| seen.in_use.contains_key(at) || seen.watched.contains_key(at));
                let whole = seen.windows.iter().chain(&seen.lent);
                let window = whole.filter(|(_, bytes)| *bytes > 0).find(|(at, _)| (from..to).contains(at));
                if let Some(at) = inside.next().or(window.map(|(at, _)| *at)) {
                    freed.push(Touched { at, touch: Touch::Freed, site: access.site, of: Of::Used });
                }
                continue;
            }
            // Of memory that is attached for buffered sends its first location speaks for all.
            for (at, _) in seen.lent.iter().filter(|(at, bytes)| from < at + bytes && *at < to) {
                let writes = access.kind == accesses::Kind::Writes;
                let touch = if writes { Touch::Wrote(0) } else { Touch::Read };
                if known.insert((*at, writes)) {
                    call.touched.push(Touched { at: *at, touch, site: access.site, of: Of::Used });
                }
            }
            let short = seen.cells.range(from.saturating_sub(LONGEST)..to).filter(|(_, (ty, _))| *ty < RUNS);
            let short = short.map(|(at, (ty, value))| (*at, at + self.values.size(*ty) as u64, *value));
            let near = long.partition_point(|(at, ..)| at + reach <= from)..long.partition_point(|(at, ..)| *at < to);
            for (at, end, value) in short.chain(long[near].iter().copied()) {
                let writes = access.kind == accesses::Kind::Writes;
                if let Some(i) = changed.get(&at).filter(|_| writes) {
                    call.touched[*i].site = access.site;
                }
                let (touch, spoken_for) =
                    if writes { (Touch::Wrote(value), &mut *stored) } else { (Touch::Read, &mut read) };
                let mut is_first = || seen.in_use.get(&at).is_some_and(|operation| spoken_for.insert(*operation));
                let watched = seen.watched.contains_key(&at);
                if from < end && (watched || is_first()) && known.insert((at, writes)) {
                    let before = changed.get(&at).map(|i| call.touched[*i].of);
                    let of = before.unwrap_or_else(|| self.of(at, value));
                    call.touched.push(Touched { at, touch, site: access.site, of });
                }
            }
        }
        // What the allocator then writes there is no store of the program: those have a site.
        let is_given_back = |at: u64| given_back.iter().any(|(from, to)| (*from..*to).contains(&at));
        call.touched.retain(|t| t.site != 0 || !is_given_back(t.at));
        call.brought.retain(|(at, _)| !is_given_back(*at));
        call.touched.splice(0..0, freed);
        Ok(given_back)
    }

    /// Of what an element is that the process has accessed, which knew it to be this. Where loads are not seen, nobody would find that another process
    /// has stored there meanwhile.
    pub(crate) fn of(&self, at: u64, known: i64) -> Of {
        let is_apart = self.process.accesses.seen && self.windows.is_apart(at);
        if is_apart { Of::Shared(known) } else { Of::Used }
    }

    /// Notes whether memory of shared windows is a buffer of a call, so that stores to it are not the only way to change it.
    pub(crate) fn passes(&mut self, call: &Call) -> Result<(), Refused> {
        let packed = call.touched.iter().filter(|t| t.of == Of::Used).map(|t| &t.at);
        let is_shared = call.areas.iter().flatten().map(|(at, _)| at).chain(packed).any(|at| SHARED.contains(at));
        if self.process.accesses.seen && !self.one_way && is_shared && self.windows.pass() {
            Err(Refused::Named)
        } else {
            Ok(())
        }
    }

    /// Elements of different sizes lie over each other in a window: each byte must be one, if that can be.
    pub(crate) fn overlap(&self) -> Refused {
        let can_be = self.machine.spec().rules.iter().any(|r| r.name == ACCESS);
        if can_be && !self.windows.is_in_bytes() {
            return Refused::Bytes;
        }
        Refused::Unsupported("memory of a window that is used as elements of different sizes".into())
    }
}

/// The elements of buffers of which the process has not been told yet.
fn pending_in(areas: &[Area]) -> FxHashSet<u64> {
    areas.iter().flatten().map(|(at, _)| *at).collect()
}
