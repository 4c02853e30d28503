//! The streams that clients open for messages outside calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, Method};

use super::Once;

/// The stream of each session on which rmcp sends messages outside calls: the first one that is open. Later ones carry
/// nothing as long as it is, and do not take its place.
#[derive(Clone, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<Arc<str>, Once>>>);

impl Streams {
    /// The place of a request's session, if it has one.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<Standalone> {
        let session = headers.get("mcp-session-id")?.to_str().ok()?.into();
        Some(Standalone { streams: self.clone(), session })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Once>> {
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
    /// The end of the stream, if it is open.
    pub(crate) fn open(&self) -> Option<Once> {
        self.streams.lock().get(&self.session).cloned()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open().is_some()
    }

    /// A stream for messages outside calls began; it lasts as long as the result lives.
    pub(super) fn begin(self) -> Option<Open> {
        let mut streams = self.streams.lock();
        if streams.contains_key(&self.session) {
            return None;
        }
        streams.insert(self.session.clone(), Once::default());
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
        if let Some(ended) = self.0.streams.lock().remove(&self.0.session) {
            ended.happen();
        }
    }
}
