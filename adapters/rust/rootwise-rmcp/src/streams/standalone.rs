//! The streams that clients open for messages outside calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use http::{HeaderMap, Method};
use rootwise_host::Channel;

use super::session_id;
use crate::session::Session;

/// The stream of each session on which rmcp sends messages outside calls: the first one that is open. Later ones carry
/// nothing as long as it is, and do not take its place.
#[derive(Clone, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<Arc<str>, Stream>>>);

#[derive(Default)]
struct Stream {
    is_open: bool,
    /// The session, once one of its messages named it.
    session: Weak<Session>,
    /// The open stream of that session.
    channel: Option<Channel>,
}

impl Streams {
    /// The place of a request's session, if it has one.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<Standalone> {
        Some(Standalone { streams: self.clone(), session: session_id(headers)?.into() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Streams {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Streams").finish_non_exhaustive()
    }
}

/// The stream of one session for messages outside calls; part of every HTTP request of the session.
#[derive(Clone)]
pub(crate) struct Standalone {
    streams: Streams,
    session: Arc<str>,
}

impl Standalone {
    /// Tells a session when its stream opens and ends.
    pub(crate) fn follow(&self, session: &Arc<Session>) {
        let mut streams = self.streams.lock();
        let stream = streams.entry(self.session.clone()).or_default();
        stream.session = Arc::downgrade(session);
        if stream.is_open {
            stream.channel = session.channel();
        }
    }

    /// The session ended.
    pub(crate) fn forget(&self) {
        let mut streams = self.streams.lock();
        let Some(stream) = streams.get_mut(&self.session) else { return };
        let ended = stream.channel.take();
        stream.session = Weak::new();
        if !stream.is_open {
            streams.remove(&self.session);
        }
        // The endpoint must not be told under the lock, because its listeners run then.
        drop(streams);
        drop(ended);
    }

    /// A stream for messages outside calls began; it lasts as long as the result lives.
    pub(super) fn begin(self) -> Option<Open> {
        let mut streams = self.streams.lock();
        let stream = streams.entry(self.session.clone()).or_default();
        if std::mem::replace(&mut stream.is_open, true) {
            return None;
        }
        stream.channel = stream.session.upgrade().and_then(|session| session.channel());
        drop(streams);
        Some(Open(self))
    }
}

/// Whether a request asks for a stream of messages outside calls. One that resumes the stream of a call names that stream.
pub(super) fn is_standalone(method: &Method, headers: &HeaderMap) -> bool {
    let resumes_call = headers.get("last-event-id").is_some_and(|id| id.as_bytes().contains(&b'/'));
    method == Method::GET && !resumes_call
}

/// A stream for messages outside calls, while it is open.
pub(super) struct Open(Standalone);

impl Drop for Open {
    fn drop(&mut self) {
        let mut streams = self.0.streams.lock();
        let Some(stream) = streams.get_mut(&self.0.session) else { return };
        stream.is_open = false;
        let ended = stream.channel.take();
        if stream.session.strong_count() == 0 {
            streams.remove(&self.0.session);
        }
        drop(streams);
        drop(ended);
    }
}
