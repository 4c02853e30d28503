//! Requests to the client through rmcp.

use std::sync::OnceLock;

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ElicitRequest, Extensions, ListRootsRequest, RequestId, ServerRequest};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, ServiceError};
use rootwise::RequestToken;
use rootwise::action::RequestMethod;
use rootwise::endpoint::action::RouteRequest;
use rootwise_host::{Cancelled, SendError, Sender, Sending};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The endpoint's name for a request, which travels with it as far as the transport.
#[derive(Clone)]
pub(crate) struct Token(pub(crate) RequestToken);

/// Sends requests with a call, or outside any call.
#[derive(Default)]
pub(crate) struct PeerSender {
    /// The client, once it is known.
    pub(crate) peer: OnceLock<Peer<RoleServer>>,
    /// The call that carries the requests. rmcp knows it only on the task of the handler, and requests are sent on another.
    pub(crate) call: Option<RequestId>,
}

impl Sender for PeerSender {
    fn send(&self, wanted: RouteRequest, cancelled: Cancelled) -> Sending {
        let Some(peer) = self.peer.get().cloned() else { return Box::pin(async { Err(SendError::Undeliverable) }) };
        let mut extensions = Extensions::new();
        extensions.insert(Token(wanted.request));
        if let Some(call) = &self.call {
            extensions.insert(OriginatingRequestId(call.clone()));
        }
        let Some(request) = request(wanted.method, wanted.params, extensions) else {
            return Box::pin(async { Err(SendError::Undeliverable) });
        };
        Box::pin(async move {
            let options = PeerRequestOptions::no_options();
            let mut handle = peer.send_cancellable_request(request, options).await.map_err(refusal)?;
            let answer = tokio::select! {
                answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
                reason = cancelled => {
                    // The client may be gone as well.
                    let _ = handle.cancel(Some(reason)).await;
                    return Err(SendError::Undeliverable);
                }
            };
            raw(&answer.map_err(refusal)?)
        })
    }
}

/// A request as rmcp knows it; none if it knows none like it.
fn request(method: RequestMethod, params: Option<Value>, extensions: Extensions) -> Option<ServerRequest> {
    Some(match method {
        RequestMethod::RootsList => {
            ServerRequest::ListRootsRequest(ListRootsRequest { extensions, ..ListRootsRequest::default() })
        }
        RequestMethod::ElicitationCreate => {
            let mut request = ElicitRequest::new(serde_json::from_value(params?).ok()?);
            request.extensions = extensions;
            ServerRequest::ElicitRequest(request)
        }
        _ => return None,
    })
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
