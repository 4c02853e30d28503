//! Serves one client, and observes its transport: rmcp runs notifications and calls as tasks that may overtake each other, and
//! does not tell its handlers that the client closed its input.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage};
use rmcp::service::{RunningService, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{ServerHandler, ServiceExt};

use crate::projects::Projects;
use crate::session::Session;
use crate::wrapper::WithProjects;

impl Projects {
    /// Serves one client over this transport, such as `rmcp::transport::stdio()`.
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
        session.observe();
        self.serve(Observed { inner: transport.into_transport(), session }).await
    }
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
