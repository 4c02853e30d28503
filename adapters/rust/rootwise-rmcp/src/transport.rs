//! Serves one client, and observes its transport: rmcp runs notifications and calls as tasks that may overtake each other, and
//! does not tell its handlers that the client closed its input.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, JsonRpcError, JsonRpcMessage, JsonRpcRequest, RequestId, ServerRequest,
};
use rmcp::service::{RunningService, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter};
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{ServerHandler, ServiceExt};
use rootwise::RequestToken;
use rootwise::endpoint::event::{EndpointEvent, RequestAnswered, RequestRefused};
use rootwise::event::RefusalKind;
use rootwise::host::Transport as Kind;
use serde_json::value::to_raw_value;
use tokio::io::{DuplexStream, ReadHalf, Stdin, Stdout, WriteHalf};

use crate::projects::Rootwise;
use crate::sender::Token;
use crate::session::Session;
use crate::wrapper::WithProjects;

impl Rootwise {
    /// Serves one client over this transport, such as `rmcp::transport::stdio()`. A client in this process, over a
    /// [`DuplexStream`], is on this machine too. Over any other transport the client counts as remote, unless the option
    /// [`local`](crate::Options::local) says otherwise.
    ///
    /// # Errors
    /// The handshake failed.
    pub async fn serve<S, T, E, A>(
        &self,
        handler: S,
        transport: T,
    ) -> Result<RunningService<RoleServer, WithProjects<S>>, ServerInitializeError>
    where
        S: ServerHandler,
        T: IntoTransport<RoleServer, E, A>,
        E: Error + Send + Sync + 'static,
    {
        self.wrap(handler).serve_over(transport).await
    }
}

impl<S: ServerHandler> WithProjects<S> {
    /// Serves one client over this transport.
    ///
    /// # Errors
    /// The handshake failed.
    pub async fn serve_over<T, E, A>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleServer, Self>, ServerInitializeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: Error + Send + Sync + 'static,
    {
        let session = self.session().clone();
        let kind = if is_stdio::<T>() { Kind::Stdio } else { Kind::Other };
        session.observe(kind, is_in_memory::<T>());
        let (requests, last) = (VecDeque::new(), None);
        self.serve(Observed { inner: transport.into_transport(), session, requests, last }).await
    }
}

/// Whether a transport is the standard input and output of this process.
fn is_stdio<T: 'static>() -> bool {
    let known = [
        TypeId::of::<(Stdin, Stdout)>(),
        TypeId::of::<(StdioReader, StdioWriter)>(),
        TypeId::of::<AsyncRwTransport<RoleServer, Stdin, Stdout>>(),
        TypeId::of::<AsyncRwTransport<RoleServer, StdioReader, StdioWriter>>(),
    ];
    known.contains(&TypeId::of::<T>())
}

/// Whether both ends of a transport are in this process.
fn is_in_memory<T: 'static>() -> bool {
    type Halves = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);
    [TypeId::of::<DuplexStream>(), TypeId::of::<Halves>()].contains(&TypeId::of::<T>())
}

struct Observed<T> {
    inner: T,
    session: Arc<Session>,
    /// The last requests for roots.
    requests: VecDeque<Sent>,
    /// The last request of the client.
    last: Option<RequestId>,
}

/// A request for roots that was sent.
struct Sent {
    id: RequestId,
    token: RequestToken,
    answered: bool,
}

/// As many as the endpoint remembers.
const MAX_REQUESTS: usize = 8;

impl<T> Observed<T> {
    fn sends(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let JsonRpcMessage::Request(JsonRpcRequest { id, request, .. }) = message else { return };
        let ServerRequest::ListRootsRequest(request) = request else { return };
        let Some(Token(token)) = request.extensions.get::<Token>() else { return };
        self.requests.push_back(Sent { id: id.clone(), token: *token, answered: false });
        if self.requests.len() > MAX_REQUESTS {
            self.requests.pop_front();
        }
    }

    /// rmcp drops a second answer to a request, from which the endpoint learns that two clients share the transport.
    fn answers(&mut self, id: &RequestId, answer: impl FnOnce(RequestToken) -> Option<EndpointEvent>) {
        let Some(sent) = self.requests.iter_mut().find(|sent| sent.id == *id) else { return };
        if std::mem::replace(&mut sent.answered, true)
            && let Some(answer) = answer(sent.token)
        {
            // The endpoint refuses no answer.
            let _ = self.session.shared().host.feed(answer);
        }
    }

    fn requested(&mut self, request: &JsonRpcRequest<ClientRequest>) {
        let previous = self.last.replace(request.id.clone());
        match &request.request {
            ClientRequest::InitializeRequest(initialize) => {
                self.session.initialize(&initialize.params, Some(&request.id), previous.as_ref());
            }
            _ => self.session.request_seen(&request.id),
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Observed<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.sends(&item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await;
        match &message {
            None => self.session.input_closed(),
            Some(JsonRpcMessage::Notification(notification)) => match &notification.notification {
                ClientNotification::InitializedNotification(_) => self.session.ready(),
                ClientNotification::RootsListChangedNotification(_) => self.session.roots_changed(),
                _ => {}
            },
            Some(JsonRpcMessage::Request(request)) => self.requested(request),
            Some(JsonRpcMessage::Response(response)) => self.answers(&response.id, |token| {
                Some(RequestAnswered::new(token, to_raw_value(&response.result).ok()?).into())
            }),
            Some(JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. })) => {
                self.answers(id, |request| Some(RequestRefused::new(request, RefusalKind::Error).into()));
            }
            Some(_) => {}
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
