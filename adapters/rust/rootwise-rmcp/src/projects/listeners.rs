//! Functions that are told about changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

type Listener<T> = Arc<dyn Fn(&T) + Send + Sync>;

pub(crate) struct Listeners<T>(RwLock<Registered<T>>);

struct Registered<T> {
    last: u64,
    listeners: Vec<(u64, Listener<T>)>,
}

impl<T> Default for Listeners<T> {
    fn default() -> Self {
        Self(RwLock::new(Registered { last: 0, listeners: Vec::new() }))
    }
}

impl<T> Listeners<T> {
    pub(crate) fn add(&self, listener: impl Fn(&T) + Send + Sync + 'static) -> u64 {
        let mut registered = self.0.write().unwrap_or_else(PoisonError::into_inner);
        registered.last = registered.last.wrapping_add(1);
        let id = registered.last;
        registered.listeners.push((id, Arc::new(listener)));
        id
    }

    pub(crate) fn remove(&self, id: u64) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).listeners.retain(|(other, _)| *other != id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).listeners.is_empty()
    }

    /// Calls every listener, without a lock: a listener may add or remove one. A panic in one does not keep it from the others.
    pub(crate) fn tell(&self, what: &T) {
        let listeners = self.0.read().unwrap_or_else(PoisonError::into_inner).listeners.clone();
        for (_, listener) in listeners {
            // The panic hook has reported it.
            let _ = catch_unwind(AssertUnwindSafe(|| listener(what)));
        }
    }
}
