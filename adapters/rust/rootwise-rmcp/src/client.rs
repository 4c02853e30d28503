//! For those who write clients and gateways: the roots of a client. Needs the feature `client`.
//!
//! ```
//! use rmcp::ServiceExt;
//! use rootwise_rmcp::client::provide_roots;
//!
//! # async fn connect(transport: tokio::io::DuplexStream) -> Result<(), Box<dyn std::error::Error>> {
//! let client = provide_roots((), ["/work/shop"])?.serve(transport).await?;
//! client.service().roots().update(client.peer(), ["/work/shop", "/work/api"]).await?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientConfig, ClientResult, ListRootsResult, ProtocolVersion, Root, RootsCapabilities, ServerNotification,
    ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{ClientHandler, ErrorData, Peer, RoleClient};
use rootwise::provide::{ProvidedRoot, provided_roots};
use rootwise::{ConfigError, PathStyle};

pub use rootwise::provide::Folder;

/// Gives a client the roots of these folders: it declares the capability, answers requests of both eras, and tells its server of
/// changes. A folder is an absolute path or a `file:` URI, or [`Folder::named`].
///
/// # Errors
/// A folder is not absolute; the error names its place in the list.
pub fn provide_roots<H: ClientHandler, F: Into<Folder>>(
    handler: H,
    folders: impl IntoIterator<Item = F>,
) -> Result<WithRoots<H>, ConfigError> {
    let list = listed(folders)?;
    let told = list.clone();
    Ok(WithRoots { handler, roots: ProvidedRoots(Arc::new(Mutex::new(Lists { list, told }))) })
}

/// A client that provides roots; see [`provide_roots`].
pub struct WithRoots<H> {
    handler: H,
    roots: ProvidedRoots,
}

impl<H> WithRoots<H> {
    /// The roots, to change them.
    #[must_use]
    pub fn roots(&self) -> ProvidedRoots {
        self.roots.clone()
    }

    /// The client itself.
    #[must_use]
    pub const fn handler(&self) -> &H {
        &self.handler
    }
}

impl<H: fmt::Debug> fmt::Debug for WithRoots<H> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WithRoots").field("handler", &self.handler).finish_non_exhaustive()
    }
}

/// The roots that one client provides.
#[derive(Clone, Debug)]
pub struct ProvidedRoots(Arc<Mutex<Lists>>);

#[derive(Debug)]
struct Lists {
    list: Vec<ProvidedRoot>,
    /// The list that the server knows, or of which it knows that there is a new one.
    told: Vec<ProvidedRoot>,
}

impl ProvidedRoots {
    /// What the client answers now.
    #[must_use]
    pub fn list(&self) -> Vec<Root> {
        let root = |root: &ProvidedRoot| match &root.name {
            Some(name) => Root::new(&root.uri).with_name(name),
            None => Root::new(&root.uri),
        };
        self.lists().list.iter().map(root).collect()
    }

    /// Replaces the folders. The server is told if the list differs from the one that it knows, once for changes that come
    /// together, and only up to 2025-11-25; a connection that has ended is told nothing.
    ///
    /// # Errors
    /// A folder is not absolute; nothing has changed.
    pub async fn update<F: Into<Folder>>(
        &self,
        peer: &Peer<RoleClient>,
        folders: impl IntoIterator<Item = F>,
    ) -> Result<(), ConfigError> {
        let list = listed(folders)?;
        self.lists().list = list;
        // Changes that come together are one.
        tokio::task::yield_now().await;
        let before = {
            let mut lists = self.lists();
            if lists.list == lists.told || is_modern(peer) {
                return Ok(());
            }
            let list = lists.list.clone();
            std::mem::replace(&mut lists.told, list)
        };
        if peer.notify_roots_list_changed().await.is_err() {
            self.lists().told = before;
        }
        Ok(())
    }

    fn answer(&self) -> ListRootsResult {
        {
            let mut lists = self.lists();
            lists.told = lists.list.clone();
        }
        ListRootsResult::new(self.list())
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// In 2026-07-28 every call asks for the roots that it needs, and nobody is told of changes.
fn is_modern(peer: &Peer<RoleClient>) -> bool {
    peer.peer_info().is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28)
}

fn listed<F: Into<Folder>>(folders: impl IntoIterator<Item = F>) -> Result<Vec<ProvidedRoot>, ConfigError> {
    let folders: Vec<Folder> = folders.into_iter().map(Into::into).collect();
    provided_roots(&folders, PathStyle::native())
}

impl<H: ClientHandler> Service<RoleClient> for WithRoots<H> {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::ListRootsRequest(_) => Ok(ClientResult::ListRootsResult(self.roots.answer())),
            request => Service::handle_request(&self.handler, request, context).await,
        }
    }

    async fn handle_notification(
        &self,
        notification: ServerNotification,
        context: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.handler, notification, context).await
    }

    fn get_info(&self) -> ClientConfig {
        let mut config = ClientHandler::get_info(&self.handler);
        let mut capability = RootsCapabilities::default();
        capability.list_changed = Some(true);
        config.capabilities.roots = Some(capability);
        config
    }
}
