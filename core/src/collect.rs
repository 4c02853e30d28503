//! Collecting into maps and sets.

/// Puts items into a map or a set, one after the other. `collect` and `from` sort them first, with a sort of its own for every
/// type: each is 6 kB of a WebAssembly module.
pub(crate) fn inserted<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}
