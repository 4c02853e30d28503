//! Sorting with one piece of code for all types: the standard library's sort is made anew for each, at 4 kB of the
//! WebAssembly module.

use core::cmp::Ordering;

/// Sorts; equals come in any order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    heap_sort(items.len(), &mut Items { items, compare });
}

/// A heap sort: no worst case that a peer could find, and no memory of its own.
fn heap_sort(len: usize, items: &mut dyn Sortable) {
    for root in (0..len / 2).rev() {
        sift(root, len, items);
    }
    for end in (1..len).rev() {
        items.swap(0, end);
        sift(0, end, items);
    }
}

/// Lets an item sink to where nothing below it is larger.
fn sift(mut root: usize, end: usize, items: &mut dyn Sortable) {
    loop {
        let left = root.saturating_mul(2).saturating_add(1);
        let right = left.saturating_add(1);
        let child = if right < end && items.less(left, right) { right } else { left };
        if child >= end || !items.less(root, child) {
            return;
        }
        items.swap(root, child);
        root = child;
    }
}

trait Sortable {
    fn less(&self, a: usize, b: usize) -> bool;
    fn swap(&mut self, a: usize, b: usize);
}

struct Items<'a, T, C> {
    items: &'a mut [T],
    compare: C,
}

impl<T, C: Fn(&T, &T) -> Ordering> Sortable for Items<'_, T, C> {
    fn less(&self, a: usize, b: usize) -> bool {
        match (self.items.get(a), self.items.get(b)) {
            (Some(a), Some(b)) => (self.compare)(a, b) == Ordering::Less,
            _ => false,
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        if let Ok([a, b]) = self.items.get_disjoint_mut([a, b]) {
            core::mem::swap(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::sort_by;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(mut items in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut theirs: Vec<u8> = items.clone();
            theirs.sort_unstable();
            sort_by(&mut items, Ord::cmp);
            prop_assert_eq!(items, theirs);
        }
    }
}
