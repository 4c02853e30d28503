//! What the connection tells its owner: log lines and changes, in order and outside of every lock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rootwise::action::{Level, Log};
use rootwise::{AskId, Project};
use tokio::sync::Notify;

/// A log line of the resolver or of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The level.
    pub level: Level,
    /// The stable code: one of [`LogCode::code`](rootwise::action::LogCode::code), `wait_expired`, `cannot_ask` or
    /// `event_failed`.
    pub code: &'static str,
    /// The ask it belongs to.
    pub ask: Option<AskId>,
    /// The text.
    pub message: String,
}

impl LogLine {
    /// A line that belongs to no ask.
    #[must_use]
    pub const fn new(level: Level, code: &'static str, message: String) -> Self {
        Self { level, code, ask: None, message }
    }
}

impl From<Log> for LogLine {
    fn from(log: Log) -> Self {
        Self { level: log.level, code: log.code.code(), ask: log.ask, message: log.message }
    }
}

/// Receives what happens on a connection. A panic in one of these stays there.
pub trait Observer: Send + Sync + 'static {
    /// A log line was written.
    fn log(&self, line: &LogLine) {
        let _ = line;
    }

    /// The connection's project changed, or ended with its connection.
    fn changed(&self, project: Option<&Arc<Project>>, previous: Option<&Arc<Project>>) {
        let _ = (project, previous);
    }

    /// A list of roots arrived from the client.
    fn roots_arrived(&self) {}
}

impl Observer for () {}

enum Notice {
    Log(LogLine),
    Changed { to: Option<Arc<Project>>, from: Option<Arc<Project>> },
    Roots,
}

pub(super) struct Notices {
    observer: Arc<dyn Observer>,
    queue: Mutex<Queue>,
    progress: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Notice>,
    /// Whether a thread delivers: a second one would overtake it, and an observer that calls the connection would recurse.
    busy: bool,
    /// How many were delivered.
    delivered: u64,
}

/// An observer that takes longer than this is overtaken by answers.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

impl Queue {
    /// The number of deliveries after which everything so far is told, unless it is already.
    fn untold(&self) -> Option<u64> {
        let waiting = u64::try_from(self.waiting.len()).unwrap_or(u64::MAX).saturating_add(u64::from(self.busy));
        (waiting > 0).then(|| self.delivered.saturating_add(waiting))
    }
}

impl Notices {
    pub(super) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, queue: Mutex::default(), progress: Notify::new() }
    }

    pub(super) fn log(&self, line: LogLine) {
        self.lock().waiting.push_back(Notice::Log(line));
    }

    pub(super) fn changed(&self, to: Option<Arc<Project>>, from: Option<Arc<Project>>) {
        self.lock().waiting.push_back(Notice::Changed { to, from });
    }

    pub(super) fn roots(&self) {
        self.lock().waiting.push_back(Notice::Roots);
    }

    /// Delivers what waits; called without the lock of the state.
    pub(super) fn deliver(&self) {
        loop {
            let mut queue = self.lock();
            if queue.busy {
                return;
            }
            let Some(notice) = queue.waiting.pop_front() else { return };
            queue.busy = true;
            drop(queue);
            // The panic hook has reported it; the connection goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| self.tell(&notice)));
            let mut queue = self.lock();
            queue.busy = false;
            queue.delivered = queue.delivered.saturating_add(1);
            drop(queue);
            self.progress.notify_waiters();
        }
    }

    pub(super) fn is_all_told(&self) -> bool {
        self.lock().untold().is_none()
    }

    /// Waits until the observer knows what happened so far: a caller that gets the new project comes after the change.
    pub(super) async fn told(&self) {
        let Some(target) = self.lock().untold() else { return };
        let all_told = async {
            loop {
                let progress = self.progress.notified();
                if self.lock().delivered >= target {
                    return;
                }
                progress.await;
            }
        };
        // Nothing is lost if it takes too long.
        let _ = tokio::time::timeout(LONGEST_WAIT, all_told).await;
    }

    fn tell(&self, notice: &Notice) {
        match notice {
            Notice::Log(line) => self.observer.log(line),
            Notice::Changed { to, from } => self.observer.changed(to.as_ref(), from.as_ref()),
            Notice::Roots => self.observer.roots_arrived(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
