//! HTTP requests as they arrive, which rmcp's handlers do not see.
//!
//! - Notifications and calls run as tasks that may overtake each other: a call that follows a change of roots would get the
//!   project from before it.
//! - Messages outside calls need a stream that the client opens, and rmcp does not tell whether it is open.
//! - What is sent on a stream that broke is kept for a client that resumes it: a later call would wait for a request that the
//!   client has not seen.

mod arrivals;
mod standalone;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use http::{HeaderMap, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use rootwise_host::Call;
use tokio::sync::Notify;
use tower_service::Service;

pub(crate) use arrivals::Arrival;
use arrivals::Arrivals;
pub(crate) use standalone::Standalone;
use standalone::{Open, Streams, is_standalone};

/// Watches the requests of an HTTP service, such as `StreamableHttpService`: calls then see every change of roots that the
/// client reported before them, and a call whose stream broke does not make others wait. Put it next to the service, below
/// other layers.
pub fn watch_streams<S>(service: S) -> WatchStreams<S> {
    WatchStreams { service, arrivals: Arrivals::default(), streams: Streams::default() }
}

/// An HTTP service that is watched; see [`watch_streams`].
#[derive(Clone, Debug)]
pub struct WatchStreams<S> {
    service: S,
    arrivals: Arrivals,
    streams: Streams,
}

/// Something that happens once.
#[derive(Clone, Default)]
pub(crate) struct Once(Arc<State>);

#[derive(Default)]
struct State {
    happened: AtomicBool,
    notify: Notify,
}

impl Once {
    pub(crate) fn has_happened(&self) -> bool {
        self.0.happened.load(Ordering::Acquire)
    }

    pub(crate) async fn wait(&self) {
        let notified = self.0.notify.notified();
        if !self.has_happened() {
            notified.await;
        }
    }

    pub(crate) fn happen(&self) {
        self.0.happened.store(true, Ordering::Release);
        self.0.notify.notify_waiters();
    }
}

/// Whether the stream of an HTTP request broke; part of the request.
#[derive(Clone, Default)]
pub(crate) struct Broken(Arc<Mutex<BrokenState>>);

#[derive(Default)]
struct BrokenState {
    has_broken: bool,
    /// The calls that the stream carries.
    calls: Vec<Weak<Call>>,
}

impl Broken {
    /// Tells a call when its stream breaks. Whether the client resumes it is unknown, and others need its request.
    pub(crate) fn follow(&self, call: &Arc<Call>) {
        let mut state = self.lock();
        if state.has_broken {
            drop(state);
            call.broken();
        } else {
            state.calls.push(Arc::downgrade(call));
        }
    }

    fn happen(&self) {
        let mut state = self.lock();
        state.has_broken = true;
        let calls = std::mem::take(&mut state.calls);
        drop(state);
        calls.iter().filter_map(Weak::upgrade).for_each(|call| call.broken());
    }

    fn lock(&self) -> MutexGuard<'_, BrokenState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session that an HTTP request names.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-session-id")?.to_str().ok()
}

/// Tells that a stream broke, unless it ended as the server intended.
struct Guard(Option<Broken>);

impl Guard {
    fn ended(&mut self) {
        self.0 = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(broken) = self.0.take() {
            broken.happen();
        }
    }
}

impl<S, B, R> Service<Request<B>> for WatchStreams<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
{
    type Response = Response<WatchedBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let broken = Broken::default();
        let arrival = self.arrivals.arrive(request.headers());
        let processed = arrival.processed();
        request.extensions_mut().insert(broken.clone());
        request.extensions_mut().insert(arrival);
        let standalone = self.streams.of(request.headers());
        let opens = is_standalone(request.method(), request.headers());
        if let Some(standalone) = standalone.clone() {
            request.extensions_mut().insert(standalone);
        }
        let mut guard = Guard(Some(broken));
        let response = self.service.call(request);
        Box::pin(async move {
            let response = response.await.inspect_err(|_| guard.ended())?;
            if response.status() == StatusCode::ACCEPTED {
                processed.expected();
            }
            let is_open = opens && response.status() == StatusCode::OK;
            let open = standalone.filter(|_| is_open).and_then(Standalone::begin);
            Ok(response.map(|body| WatchedBody { body: Box::pin(body), guard, _open: open }))
        })
    }
}

/// The body of a response whose end is watched.
pub struct WatchedBody<B> {
    body: Pin<Box<B>>,
    guard: Guard,
    _open: Option<Open>,
}

impl<B> fmt::Debug for WatchedBody<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WatchedBody").finish_non_exhaustive()
    }
}

impl<B: Body> Body for WatchedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = self.body.as_mut().poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.guard.ended();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
