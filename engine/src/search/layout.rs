//! Which words of a state stand beside each other in its tree.
//!
//! How many pairs a set of states is compressed to ([`crate::search::tree`]) depends on which words are paired. Two words of which each says what the
//! other is have as many pairs as one of them has values; two that have nothing to do with each other have as many as the product. So words are
//! paired by what is seen of them in a sample of the states: of all parts that are left, the one with the fewest values goes
//! together with the one with which it has the fewest. Words that are the same in the whole sample are put together first.

use rustc_hash::FxHashMap;

/// The shape of the tree over the words of a state.
///
/// Inner nodes are numbered first, each before its children; the root is 0. The leaf of word `i` is node `width - 1 + i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By inner node.
    children: Vec<[u32; 2]>,
    /// By node; the root's is 0.
    parents: Vec<u32>,
}

/// With so many others at most a part is tried, of those with the fewest values.
const TRIED: usize = 64;

/// A part of the tree that is being made, and its values in the sample: each state's as a number below `count`.
struct Part {
    root: u32,
    values: Vec<u32>,
    count: u32,
}

impl Layout {
    /// For states of so many words, at least one, of which nothing is known: all paths are about equally long.
    pub(crate) fn balanced(width: usize) -> Layout {
        let mut made = Made::new(width);
        made.join_all((0..width as u32).collect());
        made.layout()
    }

    /// For states such as these rows of `width` words.
    pub(crate) fn of(sample: &[Vec<u32>], width: usize) -> Layout {
        let mut made = Made::new(width);
        let mut parts: Vec<Part> = vec![];
        // Words that say the same of every state are one part.
        let mut alike: Vec<(Vec<u32>, u32, Vec<u32>)> = vec![];
        let mut index: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        for word in 0..width {
            let (values, count) = numbered(sample.iter().map(|row| u64::from(row[word])));
            let at = *index.entry(values).or_insert_with_key(|values| {
                alike.push((values.clone(), count, vec![]));
                alike.len() - 1
            });
            alike[at].2.push(word as u32);
        }
        for (values, count, words) in alike {
            parts.push(Part { root: made.join_all(words), values, count });
        }
        while parts.len() > 1 {
            let least = (0..parts.len()).min_by_key(|i| (parts[*i].count, *i)).expect("two at least");
            let part = parts.swap_remove(least);
            let mut others: Vec<usize> = (0..parts.len()).collect();
            others.sort_by_key(|i| (parts[*i].count, *i));
            let with = |i: &usize| together(&part, &parts[*i]).1;
            let best = others.into_iter().take(TRIED).min_by_key(with).expect("one at least");
            let (values, count) = together(&part, &parts[best]);
            let other = &mut parts[best];
            *other = Part { root: made.join(part.root, other.root), values, count };
        }
        made.layout()
    }

    /// How many words a state has.
    pub(crate) fn width(&self) -> usize {
        self.children.len() + 1
    }

    /// The two children of an inner node.
    pub(crate) fn children(&self, node: usize) -> [u32; 2] {
        self.children[node]
    }

    /// The node above this one.
    pub(crate) fn parent(&self, node: usize) -> usize {
        self.parents[node] as usize
    }
}

/// Values by number, in the order in which they are first met, and how many there are.
fn numbered(values: impl Iterator<Item = u64>) -> (Vec<u32>, u32) {
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    let out = values
        .map(|v| {
            let next = numbers.len() as u32;
            *numbers.entry(v).or_insert(next)
        })
        .collect();
    (out, numbers.len() as u32)
}

fn together(one: &Part, other: &Part) -> (Vec<u32>, u32) {
    numbered(one.values.iter().zip(&other.values).map(|(a, b)| u64::from(*a) << 32 | u64::from(*b)))
}

/// A tree as it is made from below: leaves first, by word, then inner nodes, each after its children.
struct Made {
    width: usize,
    inner: Vec<[u32; 2]>,
}

impl Made {
    fn new(width: usize) -> Made {
        Made { width, inner: vec![] }
    }

    fn join(&mut self, left: u32, right: u32) -> u32 {
        self.inner.push([left, right]);
        (self.width + self.inner.len() - 1) as u32
    }

    /// One tree of several, of which there is at least one.
    fn join_all(&mut self, mut parts: Vec<u32>) -> u32 {
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|two| if let [a, b] = *two { self.join(a, b) } else { two[0] }).collect();
        }
        parts[0]
    }

    fn layout(self) -> Layout {
        let (width, inner) = (self.width, self.inner.len());
        // What was made last comes first.
        let number = |n: u32| match (n as usize).checked_sub(width) {
            None => inner as u32 + n,
            Some(i) => (inner - 1 - i) as u32,
        };
        let children: Vec<[u32; 2]> = self.inner.iter().rev().map(|two| two.map(number)).collect();
        let mut parents = vec![0; width + inner];
        for (i, two) in children.iter().enumerate() {
            two.iter().for_each(|c| parents[*c as usize] = i as u32);
        }
        Layout { children, parents }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words below a node.
    fn below(layout: &Layout, node: usize, width: usize) -> Vec<usize> {
        match node.checked_sub(width - 1) {
            Some(word) => vec![word],
            None => layout.children(node).iter().flat_map(|c| below(layout, *c as usize, width)).collect(),
        }
    }

    #[test]
    fn every_word_has_one_leaf_and_every_node_comes_before_its_children() {
        for width in 1..50 {
            let sample: Vec<Vec<u32>> = (0..40_u32).map(|s| (0..width as u32).map(|i| s / (i + 1)).collect()).collect();
            for layout in [Layout::balanced(width), Layout::of(&sample, width)] {
                let mut words = below(&layout, 0, width);
                words.sort_unstable();
                assert!(words.into_iter().eq(0..width));
                assert!((1..2 * width - 1).all(|n| layout.parent(n) < n && layout.parent(n) < width - 1));
            }
        }
    }

    #[test]
    fn words_that_depend_on_each_other_stand_together() {
        // Words 0 and 3 are the same counter, 1 and 2 another one, independent of it; 4 and 5 never change.
        let sample: Vec<Vec<u32>> = (0..100).map(|i| vec![i % 10, i / 10, 7 * (i / 10), i % 10 + 3, 1, 1]).collect();
        let layout = Layout::of(&sample, 6);
        let mut halves = layout.children(0).map(|c| {
            let mut words = below(&layout, c as usize, 6);
            words.sort_unstable();
            words
        });
        halves.sort_by_key(|h| h.contains(&1));
        assert!(halves[0].starts_with(&[0, 3]) && halves[1].starts_with(&[1, 2]), "{halves:?}");
    }
}
