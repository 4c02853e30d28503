//! Requests to the client through rmcp.

use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, RequestId, ServerRequest};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, ServiceError};
use rootwise::RequestToken;
use rootwise::action::SendRequest;
use rootwise_host::{GivenUp, SendError, Sender, Sending};
use serde_json::value::{RawValue, to_raw_value};

use crate::streams::{Broken, Once, Standalone};

/// The resolver's name for a request, which travels with it as far as the transport.
#[derive(Clone)]
pub(crate) struct Token(pub(crate) RequestToken);

/// Sends requests on the stream of a call, or outside any call.
pub(crate) struct PeerSender {
    pub(crate) peer: Peer<RoleServer>,
    /// The call that carries the requests. rmcp knows it only on the task of the handler, and requests are sent on another.
    pub(crate) call: Option<RequestId>,
    /// Whether the HTTP stream of that call broke, if it is watched.
    pub(crate) broken: Option<Broken>,
}

impl Sender for PeerSender {
    fn send(&self, wanted: SendRequest, given_up: GivenUp) -> Sending {
        let mut request = ListRootsRequest::default();
        request.extensions.insert(Token(wanted.request));
        if let Some(call) = &self.call {
            request.extensions.insert(OriginatingRequestId(call.clone()));
        }
        let peer = self.peer.clone();
        Box::pin(async move {
            let request = ServerRequest::ListRootsRequest(request);
            let options = PeerRequestOptions::no_options();
            let mut handle = peer.send_cancellable_request(request, options).await.map_err(refusal)?;
            let answer = tokio::select! {
                answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
                reason = given_up => {
                    // The client may be gone as well.
                    let _ = handle.cancel(Some(reason.into())).await;
                    return Err(SendError::Undeliverable);
                }
            };
            raw(&answer.map_err(refusal)?)
        })
    }

    fn is_open(&self) -> bool {
        !self.peer.is_transport_closed() && !self.broken.as_ref().is_some_and(|broken| broken.0.has_happened())
    }
}

/// Sends requests outside calls, on the HTTP stream that the client has open for them.
pub(crate) struct StreamSender {
    pub(crate) sender: PeerSender,
    pub(crate) stream: Arc<OnceLock<Standalone>>,
}

impl StreamSender {
    fn open(&self) -> Option<Once> {
        self.stream.get()?.open()
    }
}

impl Sender for StreamSender {
    fn send(&self, request: SendRequest, given_up: GivenUp) -> Sending {
        let Some(ended) = self.open() else { return Box::pin(async { Err(SendError::Abandoned) }) };
        let answer = self.sender.send(request, given_up);
        Box::pin(async move {
            tokio::select! {
                biased;
                answer = answer => answer,
                () = ended.wait() => Err(SendError::Abandoned),
            }
        })
    }

    fn is_open(&self) -> bool {
        self.sender.is_open() && self.open().is_some()
    }
}

/// The result as JSON, whatever it is: a list with one bad root is no list of roots to rmcp, which then keeps it unread.
fn raw(result: &ClientResult) -> Result<Box<RawValue>, SendError> {
    to_raw_value(result).map_err(|_| SendError::Unreadable)
}

fn refusal(error: ServiceError) -> SendError {
    match error {
        ServiceError::McpError(error) => {
            SendError::Client { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ServiceError::UnexpectedResponse => SendError::Unreadable,
        _ => SendError::Undeliverable,
    }
}
