//! Requests to clients: how they travel and how they end.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use rootwise::RequestToken;
use rootwise::endpoint::action::RouteRequest;
use rootwise::endpoint::event::{EndpointEvent, RequestAnswered, RequestRefused};
use rootwise::event::RefusalKind;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// The answer of the client, still to come.
pub type Sending = Pin<Box<dyn Future<Output = Result<Box<RawValue>, SendError>> + Send>>;

/// Sends requests to one client: with one call, or outside calls.
pub trait Sender: Send + Sync + 'static {
    /// Sends a request and returns the raw result, unchecked. When `cancelled` is ready, the request is to be cancelled.
    fn send(&self, request: RouteRequest, cancelled: Cancelled) -> Sending;
}

/// The failure of a request to the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
}

/// Becomes ready, with the reason, when nobody needs the request any more.
#[derive(Debug)]
pub struct Cancelled(oneshot::Receiver<String>);

impl Cancelled {
    pub(super) const fn new(receiver: oneshot::Receiver<String>) -> Self {
        Self(receiver)
    }
}

impl Future for Cancelled {
    type Output = String;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<String> {
        // A host that is gone gives no reason.
        Pin::new(&mut self.0).poll(context).map(Result::unwrap_or_default)
    }
}

/// The event that tells the endpoint how a request ended.
pub(super) fn outcome_of(request: RequestToken, outcome: Result<Box<RawValue>, SendError>) -> EndpointEvent {
    let (kind, code, message) = match outcome {
        Ok(result) => return RequestAnswered::new(request, result).into(),
        Err(SendError::Client { code, message }) => (RefusalKind::Error, Some(code), Some(message)),
        Err(SendError::Undeliverable) => (RefusalKind::Undeliverable, None, None),
        Err(SendError::Unreadable) => (RefusalKind::Unreadable, None, None),
    };
    let mut refused = RequestRefused::new(request, kind);
    (refused.code, refused.message) = (code, message);
    refused.into()
}
