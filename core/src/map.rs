//! A map from texts: sorted pairs, because a B-tree for every type of value was a tenth of the WebAssembly module.

use alloc::string::String;
use alloc::vec::Vec;

use crate::peer::raw::Object;
use crate::read::{Faults, Readable};
use crate::sort::sort_by;
use crate::write::{Members, Written};

/// Texts and what belongs to each, in the order of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<V>(Vec<(String, V)>);

impl<V> Map<V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// What belongs to a text.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.get(self.find(key).ok()?).map(|(_, value)| value)
    }

    /// What belongs to a text, to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// A map of many at once; of several with the same text any one may count.
    pub(crate) fn of(mut entries: Vec<(String, V)>) -> Self {
        sort_by(&mut entries, |(one, _), (other, _)| one.cmp(other));
        entries.dedup_by(|(later, _), (first, _)| later == first);
        Self(entries)
    }

    /// A map of one.
    pub(crate) fn one(key: &str, value: V) -> Self {
        Self([(key.into(), value)].into())
    }

    /// Adds many that are not there yet.
    pub(crate) fn add(&mut self, entries: Vec<(String, V)>) {
        let mut all = core::mem::take(&mut self.0);
        all.extend(entries);
        *self = Self::of(all);
    }

    /// Adds what belongs to a text, in place of what did before.
    pub fn insert(&mut self, key: impl Into<String>, value: V) {
        let key = key.into();
        match self.find(&key) {
            Ok(at) => {
                if let Some(known) = self.0.get_mut(at) {
                    known.1 = value;
                }
            }
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there is nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<V> {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|(key, _)| keep(key));
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Into<String>, V> FromIterator<(K, V)> for Map<V> {
    /// Of several with the same text the last counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<V: Written> Written for Map<V> {
    fn write(&self, out: &mut String) {
        Members::object(out, |members| self.iter().for_each(|(key, value)| members.entry(key, value)));
    }

    fn present(&self) -> Option<&dyn Written> {
        (!self.is_empty()).then_some(self)
    }
}

impl<V: Readable> Readable for Map<V> {
    fn read(text: &str, faults: &mut Faults) -> Self {
        let object = Object::read(text).unwrap_or_else(|| {
            faults.note("must be an object");
            Object::default()
        });
        if object.repeated().is_some() {
            faults.note("has a key twice");
        }
        // Members come in the order of their keys. A fault does not name its key, which may be a peer's.
        Self(object.members().map(|(key, value)| (key.into(), V::read(value, faults))).collect())
    }
}
