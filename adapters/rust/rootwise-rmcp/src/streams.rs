//! The streams that carry calls over HTTP. rmcp keeps what it sends on a stream that broke, for a client that resumes it, and
//! tells nobody: a later call would wait for a request that the client has not seen.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;
use tower_service::Service;

/// Watches the streams of an HTTP service, such as `StreamableHttpService`: a call whose stream broke then does not make other
/// calls wait. Put it next to the service, below other layers.
pub const fn watch_streams<S>(service: S) -> WatchStreams<S> {
    WatchStreams { service }
}

/// An HTTP service whose streams are watched; see [`watch_streams`].
#[derive(Clone, Debug)]
pub struct WatchStreams<S> {
    service: S,
}

/// The stream of one HTTP request, from the request on.
#[derive(Clone, Default)]
pub(crate) struct CallStream(Arc<State>);

#[derive(Default)]
struct State {
    broken: AtomicBool,
    notify: Notify,
}

impl CallStream {
    pub(crate) fn is_broken(&self) -> bool {
        self.0.broken.load(Ordering::Acquire)
    }

    /// Ends when the client or the network ends the stream.
    pub(crate) async fn broken(&self) {
        let notified = self.0.notify.notified();
        if !self.is_broken() {
            notified.await;
        }
    }

    fn break_off(&self) {
        self.0.broken.store(true, Ordering::Release);
        self.0.notify.notify_waiters();
    }
}

/// Tells a stream that it broke, unless it ended as the server intended.
struct Guard(Option<CallStream>);

impl Guard {
    fn ended(&mut self) {
        self.0 = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(stream) = self.0.take() {
            stream.break_off();
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
        let stream = CallStream::default();
        request.extensions_mut().insert(stream.clone());
        let mut guard = Guard(Some(stream));
        let response = self.service.call(request);
        Box::pin(async move {
            let response = response.await.inspect_err(|_| guard.ended())?;
            Ok(response.map(|body| WatchedBody { body: Box::pin(body), guard }))
        })
    }
}

/// The body of a response whose end is watched.
pub struct WatchedBody<B> {
    body: Pin<Box<B>>,
    guard: Guard,
}

impl<B> std::fmt::Debug for WatchedBody<B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
