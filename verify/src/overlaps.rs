//! Buffers that meet inside an element. To the rules an element is one location, and two buffers have something in common if they have a location in
//! common: where a double begins at 0 and an int at 4 they have not. So a call that uses such an int is told as an access of the double, too.

use crate::call::{Call, Of, Refused, Scene, Touch, Touched};
use crate::memory::{Area, LONGEST, RUNS, Seen};
use std::collections::BTreeSet;

/// Where an element begins, and where it ends.
type Stretch = (u64, u64);

impl Call {
    /// Its buffers, and whether it only reads them, as far as it passes them.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (&Area, bool)> {
        self.areas.iter().zip(self.taken.iter().copied())
    }
}

impl Scene<'_> {
    /// Notes the elements of operations under way that buffers of this call overlap without beginning where they do: of each operation one, which
    /// speaks for all.
    ///
    /// # Errors
    /// A call that receives into memory that an element of its own buffers overlaps so.
    pub(crate) fn overlaps(&self, seen: &Seen, call: &mut Call) -> Result<(), Refused> {
        let areas = call.buffers();
        self.among_themselves(areas)?;
        // A persistent request uses its buffers where it is started.
        let again = call.requests().filter(|_| call.taken.is_empty()).filter_map(|r| seen.persistent.get(&r)).flatten();
        let again = again.map(|(area, taken)| (area, *taken));
        let areas = call.buffers().filter(|_| !call.is_persistent).chain(again);
        let long = seen.long_in_use(self.values);
        let mut met = vec![];
        for (area, only_read) in areas {
            let ends = area.iter().map(|(at, ty)| at + self.values.size(*ty) as u64);
            let (Some(first), Some(end)) = (area.iter().map(|(at, _)| *at).min(), ends.max()) else { continue };
            let mut near = long.iter().filter(|(at, to, _)| *at < end && first < *to).copied().peekable();
            if seen.in_use.range(first.saturating_sub(LONGEST)..end).next().is_none() && near.peek().is_none() {
                continue;
            }
            let near: Vec<(u64, u64, i64)> = near.collect();
            let mut spoken_for = BTreeSet::new();
            for (at, ty) in area {
                let end = at + self.values.size(*ty) as u64;
                let short = seen.in_use.range(at.saturating_sub(LONGEST)..end).filter_map(|(other, _)| {
                    let (of, value) = seen.cells.get(other).filter(|(of, _)| *of < RUNS)?;
                    Some((*other, other + self.values.size(*of) as u64, *value))
                });
                for (other, to, value) in short.chain(near.iter().copied()) {
                    if other != *at && *at < to && other < end && spoken_for.insert(seen.in_use[&other]) {
                        let touch = if only_read { Touch::Read } else { Touch::Wrote(value) };
                        met.push(Touched { at: other, touch, site: 0, of: Of::Used });
                    }
                }
            }
        }
        call.touched.extend(met);
        Ok(())
    }

    /// Whether elements of a call's own buffers lie over each other, of which it writes one.
    fn among_themselves<'a>(&self, areas: impl Iterator<Item = (&'a Area, bool)>) -> Result<(), Refused> {
        let of = |(area, only_read): (&'a Area, bool)| {
            area.iter().map(move |(at, ty)| (*at, at + self.values.size(*ty) as u64, only_read))
        };
        let mut all: Vec<(u64, u64, bool)> = areas.flat_map(of).collect();
        all.sort_unstable();
        // The element so far that ends last, and the one that ends last of those that are written.
        let (mut last, mut written): (Option<Stretch>, Option<Stretch>) = (None, None);
        for (at, end, only_read) in all {
            let over = if only_read { written } else { last };
            if over.is_some_and(|(from, to)| from != at && at < to) {
                return Err(Refused::Erroneous(
                    "elements of its buffers lie over each other, of which it writes one".into(),
                ));
            }
            let further = |so_far: Option<Stretch>| so_far.filter(|(_, to)| *to > end).or(Some((at, end)));
            last = further(last);
            written = if only_read { written } else { further(written) };
        }
        Ok(())
    }
}
