//! Elements of sequences, as expressions go through them.

use litmpi_spec::heap::Word;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Elements of a sequence, or of a sort.
pub(crate) enum Elements<'m> {
    All(Range<Word>),
    Of(std::slice::Iter<'m, Word>),
}

impl Elements<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Elements::All(range) => range.len(),
            Elements::Of(words) => words.len(),
        }
    }

    pub(crate) fn has(&self, word: Word) -> bool {
        match self {
            Elements::All(range) => range.contains(&word),
            Elements::Of(words) => words.as_slice().contains(&word),
        }
    }
}

impl Iterator for Elements<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        match self {
            Elements::All(range) => range.next(),
            Elements::Of(words) => words.next().copied(),
        }
    }
}

/// Elements of a sequence that is looked for in another one element by element, however long that is.
const FEW: usize = 8;

/// Whether two sequences have an element in common.
pub(crate) fn meet(these: Elements<'_>, others: Elements<'_>) -> bool {
    let (mut few, mut many) = if these.len() <= others.len() { (these, others) } else { (others, these) };
    if few.len() <= FEW || few.len() * many.len() < 1 << 12 {
        return few.any(|w| many.has(w));
    }
    let few: FxHashSet<Word> = few.collect();
    many.any(|w| few.contains(&w))
}
