//! A map from texts: sorted pairs, because a B-tree for every type of value was a tenth of the WebAssembly module.

use alloc::string::String;
use alloc::vec::Vec;

use crate::read::{self, Faults, Readable, Step};
use crate::write::{Members, Written};

/// Texts and what belongs to each, in the order of the texts. Made for dozens of them.
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

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<V: Readable> Readable for Map<V> {
    fn read(text: &str, faults: &mut Faults) -> Self {
        let mut made = Self::new();
        for (key, value) in read::object(text, faults).members() {
            // Members come in the order of their keys.
            made.0.push((key.into(), faults.within(Step::Key(key), |faults| V::read(value, faults))));
        }
        made
    }
}
