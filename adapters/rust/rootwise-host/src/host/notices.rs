//! What the owner of a host is told: log lines and changes, in order and outside of every lock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rootwise::endpoint::action::{AnnounceProject, AnnounceRoots, EndpointLog};
use tokio::sync::Notify;

/// Receives what happens in the sessions of a host. A panic in one of these stays there. `name` is what
/// [`Session::set_name`](super::Session::set_name) set.
pub trait Observer: Send + Sync + 'static {
    /// A log line was written.
    fn log(&self, line: &EndpointLog) {
        let _ = line;
    }

    /// The project of a session changed, or ended with its session.
    fn project_changed(&self, change: &AnnounceProject, name: Option<&Arc<str>>) {
        let _ = (change, name);
    }

    /// The roots of a session changed.
    fn roots_changed(&self, change: &AnnounceRoots, name: Option<&Arc<str>>) {
        let _ = (change, name);
    }
}

impl Observer for () {}

pub(super) enum Notice {
    Log(EndpointLog),
    Project(AnnounceProject),
    Roots(AnnounceRoots),
}

/// The notices of one session, so that a slow observer delays nobody else.
pub(super) struct Notices {
    observer: Arc<dyn Observer>,
    pub(super) name: OnceLock<Arc<str>>,
    queue: Mutex<Queue>,
    progress: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Notice>,
    /// Whether a thread delivers: a second one would overtake it, and an observer that calls the host would recurse.
    busy: bool,
    /// How many were delivered.
    delivered: u64,
}

/// An observer that takes longer than this is overtaken by answers.
const MAX_WAIT: Duration = Duration::from_secs(1);

impl Queue {
    /// The number of deliveries after which everything so far is told, unless it is already.
    fn pending(&self) -> Option<u64> {
        let waiting = u64::try_from(self.waiting.len()).unwrap_or(u64::MAX).saturating_add(u64::from(self.busy));
        (waiting > 0).then(|| self.delivered.saturating_add(waiting))
    }
}

impl Notices {
    pub(super) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, name: OnceLock::new(), queue: Mutex::default(), progress: Notify::new() }
    }

    /// The notices of a new session.
    pub(super) fn for_session(&self) -> Self {
        Self::new(self.observer.clone())
    }

    pub(super) fn push(&self, notice: Notice) {
        self.lock().waiting.push_back(notice);
    }

    /// Delivers what waits; called without the lock of the state.
    pub(super) fn deliver(&self) {
        loop {
            let mut queue = self.lock();
            if queue.busy {
                return;
            }
            let Some(notice) = queue.waiting.pop_front() else {
                // A session rests most of the time.
                queue.waiting = VecDeque::new();
                return;
            };
            queue.busy = true;
            drop(queue);
            // The panic hook has reported it; the session goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| self.tell(&notice)));
            let mut queue = self.lock();
            queue.busy = false;
            queue.delivered = queue.delivered.saturating_add(1);
            drop(queue);
            self.progress.notify_waiters();
        }
    }

    pub(super) fn is_drained(&self) -> bool {
        self.lock().pending().is_none()
    }

    /// Waits until the observer knows what happened so far: a caller that gets the new project comes after the change.
    pub(super) async fn told(&self) {
        let Some(target) = self.lock().pending() else { return };
        let drained = async {
            loop {
                let progress = self.progress.notified();
                if self.lock().delivered >= target {
                    return;
                }
                progress.await;
            }
        };
        // Nothing is lost if it takes too long.
        let _ = tokio::time::timeout(MAX_WAIT, drained).await;
    }

    fn tell(&self, notice: &Notice) {
        match notice {
            Notice::Log(line) => self.observer.log(line),
            Notice::Project(change) => self.observer.project_changed(change, self.name.get()),
            Notice::Roots(change) => self.observer.roots_changed(change, self.name.get()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
