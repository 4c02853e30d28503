//! Functions that are told about changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use rootwise::Project;
use rootwise::action::{LogCode, SharedBy};
use rootwise::endpoint::action::{AnnounceProject, AnnounceRoots, EndpointLog};
use rootwise_host::RootEntry;
use rootwise_host::{Observer, Roots};

use crate::options::LogTo;

/// A change of the project of one client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProjectChange {
    /// The new project.
    pub project: Option<Arc<Project>>,
    /// The previous project.
    pub previous: Option<Arc<Project>>,
    /// Whether the project ended with the connection of its client.
    pub ended: bool,
    /// What the projects share; absent if it is another project.
    pub shared: Option<SharedBy>,
    /// The HTTP session.
    pub session_id: Option<Arc<str>>,
}

/// A change of the roots of one client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RootsChange {
    /// The new roots.
    pub roots: Roots,
    /// The previous roots.
    pub previous: Option<Arc<Vec<RootEntry>>>,
    /// The HTTP session.
    pub session_id: Option<Arc<str>>,
}

/// Those who are told what happens to the clients of a server.
#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) projects: Listeners<ProjectChange>,
    pub(crate) roots: Listeners<RootsChange>,
    pub(crate) log: Option<LogTo>,
}

impl Observer for Observers {
    fn log(&self, line: &EndpointLog) {
        match &self.log {
            Some(log) => log(line),
            // The operator's own mistake, which nothing else shows.
            None if line.code == LogCode::AllowedDirUnusable => eprintln!("rootwise: {}", line.message),
            None => {}
        }
    }

    fn project_changed(&self, change: &AnnounceProject, name: Option<&Arc<str>>) {
        let (project, previous, session_id) = (change.to.clone(), change.from.clone(), name.cloned());
        self.projects.tell(&ProjectChange {
            project,
            previous,
            ended: change.ended,
            shared: change.shared,
            session_id,
        });
    }

    fn roots_changed(&self, change: &AnnounceRoots, name: Option<&Arc<str>>) {
        let (roots, previous) = (Roots::announced(change), change.previous.clone());
        self.roots.tell(&RootsChange { roots, previous, session_id: name.cloned() });
    }
}

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
