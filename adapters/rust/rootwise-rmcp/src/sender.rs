//! Requests to the client through rmcp.

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, RequestId, ServerRequest};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, ServiceError};
use rootwise::action::SendRequest;
use rootwise_host::{GivenUp, SendError, Sender, Sending};
use serde_json::value::{RawValue, to_raw_value};

use crate::streams::Broken;

/// Sends requests on the stream of a call, or outside any call.
pub(crate) struct PeerSender {
    pub(crate) peer: Peer<RoleServer>,
    /// The call that carries the requests. rmcp knows it only on the task of the handler, and requests are sent on another.
    pub(crate) call: Option<RequestId>,
    /// Whether the HTTP stream of that call broke, if it is watched.
    pub(crate) broken: Option<Broken>,
}

impl Sender for PeerSender {
    fn send(&self, _request: SendRequest, given_up: GivenUp) -> Sending {
        let mut request = ListRootsRequest::default();
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
