//! The order in which the messages of a session arrived.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;

use super::{Once, session_id};

/// A notification is processed at once. Nothing should come near this.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The notifications of one session that a call waits for; a client that floods the server loses the order, not the server its
/// memory.
const MAX_WAITED_FOR: usize = 256;

/// The notifications that were accepted and are not processed yet, by session.
#[derive(Clone, Default)]
pub(super) struct Arrivals(Arc<Mutex<HashMap<Box<str>, Vec<Once>>>>);

impl Arrivals {
    pub(super) fn arrive(&self, headers: &HeaderMap) -> Arrival {
        let session: Option<Box<str>> = session_id(headers).map(Into::into);
        let earlier = session.as_ref().and_then(|session| self.lock().get(session).cloned()).unwrap_or_default();
        let processed = Processed { arrivals: self.clone(), session, once: Once::default() };
        Arrival(Arc::new(Message { earlier, processed }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Vec<Once>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Arrivals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Arrivals").finish_non_exhaustive()
    }
}

/// One message, from its arrival to the end of its processing; part of the HTTP request.
#[derive(Clone)]
pub(crate) struct Arrival(Arc<Message>);

struct Message {
    /// What arrived before in the same session, was accepted, and was not processed then.
    earlier: Vec<Once>,
    processed: Processed,
}

impl Arrival {
    /// The message took effect.
    pub(crate) fn took_effect(&self) {
        self.0.processed.done();
    }

    /// Whether no earlier message of the session has yet to take effect.
    pub(crate) fn is_first(&self) -> bool {
        self.0.earlier.iter().all(Once::has_happened)
    }

    /// Waits until earlier messages of the session took effect.
    pub(crate) async fn in_turn(&self) {
        for earlier in &self.0.earlier {
            // A message that takes this long is overtaken.
            let _ = tokio::time::timeout(MAX_WAIT, earlier.wait()).await;
        }
    }

    pub(super) fn processed(&self) -> Processed {
        self.0.processed.clone()
    }
}

/// A message that no handler takes is over when its request is dropped.
impl Drop for Message {
    fn drop(&mut self) {
        self.processed.done();
    }
}

/// Whether a message was processed.
#[derive(Clone)]
pub(super) struct Processed {
    arrivals: Arrivals,
    session: Option<Box<str>>,
    once: Once,
}

impl Processed {
    /// The client learns that the message was accepted, so that what it sends next comes after it.
    pub(super) fn expected(&self) {
        let Some(session) = &self.session else { return };
        let mut waiting = self.arrivals.lock();
        if self.once.has_happened() {
            return;
        }
        let unprocessed = waiting.entry(session.clone()).or_default();
        if unprocessed.len() < MAX_WAITED_FOR {
            unprocessed.push(self.once.clone());
        }
    }

    fn done(&self) {
        let mut waiting = self.arrivals.lock();
        self.once.happen();
        let Some(session) = &self.session else { return };
        let Some(unprocessed) = waiting.get_mut(session) else { return };
        unprocessed.retain(|message| !message.has_happened());
        if unprocessed.is_empty() {
            waiting.remove(session);
        }
    }
}
