//! Requests to the client: how they travel and how they end.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rootwise::action::SendRequest;
use rootwise::event::{Event, RefusalKind, RootsListed, RootsRefused};
use rootwise::{AskId, RequestToken};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// The answer of the client, still to come.
pub type Sending = Pin<Box<dyn Future<Output = Result<Box<RawValue>, SendError>> + Send>>;

/// Sends requests to the client over one channel.
pub trait Sender: Send + Sync + 'static {
    /// Sends a request and returns the raw result, unchecked. When `given_up` is ready, the request is to be cancelled.
    fn send(&self, request: SendRequest, given_up: GivenUp) -> Sending;

    /// Whether the channel can carry another request.
    fn is_open(&self) -> bool {
        true
    }
}

/// The failure of a request to the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The client answered with a JSON-RPC error.
    #[error("the client answered with error {code}: {message}")]
    Client {
        /// The JSON-RPC error code.
        code: i64,
        /// The client's text.
        message: String,
    },
    /// The request could not reach the client.
    #[error("the request could not be delivered")]
    Undeliverable,
    /// The answer could not be read.
    #[error("the answer could not be read")]
    Unreadable,
    /// The stream that was to carry the request is gone, which says nothing about the client.
    #[error("the stream for the request is gone")]
    Abandoned,
}

/// Becomes ready, with the reason, when nobody needs the request any more.
#[derive(Debug)]
pub struct GivenUp(oneshot::Receiver<&'static str>);

impl GivenUp {
    pub(super) const fn new(receiver: oneshot::Receiver<&'static str>) -> Self {
        Self(receiver)
    }
}

impl Future for GivenUp {
    type Output = &'static str;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<&'static str> {
        Pin::new(&mut self.0).poll(context).map(|reason| reason.unwrap_or("the connection is closed"))
    }
}

/// A request in flight.
pub(super) struct Flight {
    pub(super) give_up: oneshot::Sender<&'static str>,
    /// The ask whose call carries the request.
    pub(super) carrier: Option<AskId>,
    pub(super) sender: Option<Arc<dyn Sender>>,
}

impl Flight {
    /// Whether the client cannot receive the request any more.
    pub(super) fn is_lost(&self) -> bool {
        self.sender.as_ref().is_some_and(|sender| !sender.is_open())
    }
}

/// The event that tells the resolver how a request ended.
pub(super) fn outcome_of(request: RequestToken, outcome: Result<Box<RawValue>, SendError>) -> Event {
    let (kind, code, message) = match outcome {
        Ok(result) => return RootsListed { request: Some(request), result }.into(),
        Err(SendError::Client { code, message }) => (RefusalKind::Error, Some(code), Some(message)),
        Err(SendError::Undeliverable) => (RefusalKind::Undeliverable, None, None),
        Err(SendError::Unreadable) => (RefusalKind::Unreadable, None, None),
        Err(SendError::Abandoned) => (RefusalKind::Abandoned, None, None),
    };
    RootsRefused { request, kind, code, message }.into()
}
