//! Serves one client, and observes its transport: rmcp runs notifications and calls as tasks that may overtake each other, and
//! does not tell its handlers that the client closed its input.

use std::any::TypeId;
use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage};
use rmcp::service::{RunningService, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter};
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{ServerHandler, ServiceExt};
use tokio::io::{Stdin, Stdout};

use crate::projects::Projects;
use crate::session::Session;
use crate::wrapper::WithProjects;

impl Projects {
    /// Serves one client over this transport, such as `rmcp::transport::stdio()`. Over any other transport the client counts
    /// as remote, unless the option [`local`](crate::Options::local) says otherwise.
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
        session.observe(is_stdio::<T>());
        self.serve(Observed { inner: transport.into_transport(), session }).await
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

struct Observed<T> {
    inner: T,
    session: Arc<Session>,
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
            Some(_) => {}
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
