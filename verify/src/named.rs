//! Elements of windows that calls name for the first time on a way that is gone at random.
//!
//! An element is watched at the process whose memory it is from the time when the window is made, and which elements that are is known when
//! all calls have been seen that name some. To begin all processes again for each of them takes the longer the more there are. So
//! on a way that is gone at random an element is watched from where its process is when a call of another one names it: the process has written
//! what it holds, and nobody else has. What the process stored there before is not held against other accesses, therefore; so a way on
//! which elements were found is gone again, with all of them known from the beginning, and what is bad counts only on a way on which none was.

use crate::call::Refused;
use crate::emit;
use crate::explore::{Explorer, Stopped, Went};
use crate::layout::Lacks;
use crate::tree::{Next, Place, Tree};
use litmpi_spec::heap::Word;
use std::collections::BTreeMap;
use std::ops::Range;

/// A place, with elements that are watched from there on: their addresses, and what they hold.
pub(crate) type Watched = (usize, Vec<(u64, i64)>);

/// How a state goes on in which elements have come to be watched.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Locations, and what they hold.
    held: Vec<(usize, i64)>,
    /// Threads whose code of a call was made anew, with where it was and where it begins now.
    moved: Vec<(usize, Range<usize>, usize)>,
    /// How many elements were found.
    pub(crate) number: usize,
}

impl Explorer<'_> {
    /// Has the elements watched that were found when a call was read.
    pub(crate) fn watch(&mut self) -> Result<Went, Stopped> {
        let found = std::mem::take(&mut self.tree.found);
        if found.is_empty() {
            return Ok(Went::On);
        }
        self.news.number += found.len();
        let mut of: BTreeMap<usize, Vec<(u64, i64)>> = BTreeMap::new();
        found.into_iter().for_each(|(rank, at, ty)| of.entry(rank).or_default().push((at, ty)));
        for (rank, elements) in of {
            let (number, held) = match self.tree.watch(rank, &elements) {
                Ok(Some(watched)) => watched,
                Ok(None) => continue,
                Err(why) => return self.begin_again(why).map(|()| Went::Anew),
            };
            match self.told_of(rank, number, &held) {
                Ok(()) => {}
                Err(Lacked::Room) => {
                    self.tree.forget();
                    self.layout.clear();
                    return Ok(Went::Anew);
                }
                Err(Lacked::Stopped(why)) => return Err(why),
            }
        }
        Ok(Went::On)
    }

    /// Makes the code of a call anew, which tells its process of more elements.
    fn told_of(&mut self, rank: usize, number: usize, held: &[(u64, i64)]) -> Result<(), Lacked> {
        for (at, value) in held {
            let place = self.layout.place(rank, *at).ok_or(Lacked::Room)?;
            self.news.held.push((place, *value));
            self.model.machine_mut().keep_locations([place]);
        }
        let Some((call, pending)) = self.tree.places[number].waiting() else { return Ok(()) };
        // A call that is only being read gets its code later.
        let Some(was) = self.code.get(&number).copied() else { return Ok(()) };
        let code = emit::call(&self.spec, &self.tree.values, &mut self.layout, rank, call, pending)?;
        let machine = self.model.machine_mut();
        self.layout.grown().into_iter().for_each(|arrays| machine.set_arrays(arrays));
        machine.keep_locations(self.layout.kept());
        let at = machine.extend(rank, code).map_err(|fault| Lacked::Stopped(fault.into()))?;
        let end = machine.program().threads[rank].code.len();
        self.places.insert((rank, end - 1), number);
        self.asks.insert(number, end - 1);
        self.begins[rank].push((at, number));
        self.code.insert(number, at);
        self.news.moved.push((rank, was..was + (end - at), at));
        Ok(())
    }

    /// Goes on in a state with what has come to be watched.
    pub(crate) fn take_news(&mut self, state: &mut Vec<Word>) {
        self.model.machine().widen(state);
        self.model.machine().put(&std::mem::take(&mut self.news.held), state);
        self.take_moved(state);
        self.news.moved.clear();
    }

    /// Threads that are in code which was made anew go on there.
    pub(crate) fn take_moved(&self, state: &mut [Word]) {
        for (rank, was, at) in &self.news.moved {
            if was.contains(&(state[*rank] as usize)) {
                state[*rank] = (at + state[*rank] as usize - was.start) as Word;
            }
        }
    }
}

impl Tree {
    /// Has these elements of windows of a rank's process watched that goes one way, from where it is: its place, and what they hold. Nothing if it
    /// is at no call, or has no such window yet.
    ///
    /// # Errors
    /// An element is of a buffer that is in use.
    pub(crate) fn watch(&mut self, rank: usize, elements: &[(u64, i64)]) -> Result<Option<Watched>, Refused> {
        let Some(number) = self.now[rank] else { return Ok(None) };
        let Place { seen, next, process, .. } = &mut self.places[number];
        let (Next::Call(call), Some(process)) = (next, process) else { return Ok(None) };
        let mut held = vec![];
        let long = seen.long(&self.values);
        for (at, ty) in elements {
            let is_within = |(from, bytes): &(u64, u64)| *from <= *at && *at < from + bytes;
            if seen.watched.contains_key(at) || !seen.windows.iter().any(is_within) {
                continue;
            }
            let is_known = seen
                .cells
                .range(..at + self.values.size(*ty) as u64)
                .next_back()
                .is_some_and(|(b, (of, _))| b + self.values.size(*of) as u64 > *at)
                || long.iter().any(|(b, end, _)| b <= at && at < end);
            let is_pending = seen
                .pending
                .iter()
                .flatten()
                .any(|(b, of)| *b < at + self.values.size(*ty) as u64 && b + self.values.size(*of) as u64 > *at);
            if is_known || is_pending {
                return Err(Refused::Named);
            }
            let value = self.values.number(*ty, &process.read(*at, self.values.size(*ty)));
            seen.watched.insert(*at, *ty);
            seen.know(*at, *ty, value, self.values.size(*ty));
            call.watched.push((*at, value));
            held.push((*at, value));
        }
        Ok((!held.is_empty()).then_some((number, held)))
    }
}

/// Why elements cannot be watched from where their process is.
enum Lacked {
    Room,
    Stopped(Stopped),
}

impl From<Lacks> for Lacked {
    fn from(_: Lacks) -> Lacked {
        Lacked::Room
    }
}
