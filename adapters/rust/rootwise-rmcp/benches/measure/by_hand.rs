//! What a careful author writes without Rootwise. It serves one kind of client: one that lists roots, names folders of this machine by
//! correct URIs, answers soon, and reports every change.

use std::path::PathBuf;

use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use tokio::sync::Mutex;
use url::Url;

/// Asks the client once, and again after it reported a change.
#[derive(Default)]
pub(crate) struct Cached {
    known: Mutex<Option<PathBuf>>,
}

/// Asks the client in every call.
pub(crate) struct Asking;

/// The first root that is a folder.
async fn project(client: &Peer<RoleServer>) -> Result<PathBuf, ErrorData> {
    let supported = client.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
    if !supported {
        return Err(ErrorData::invalid_request("the client has no roots", None));
    }
    let listed = client.list_roots().await;
    let listed = listed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    for root in listed.roots {
        let Some(path) = Url::parse(&root.uri).ok().and_then(|uri| uri.to_file_path().ok()) else { continue };
        if tokio::fs::metadata(&path).await.is_ok_and(|found| found.is_dir()) {
            return Ok(path);
        }
    }
    Err(ErrorData::invalid_request("the client has no folder open", None))
}

fn name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[tool_router]
impl Cached {
    #[tool]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let mut known = self.known.lock().await;
        if known.is_none() {
            *known = Some(project(&context.peer).await?);
        }
        Ok(known.as_deref().map(name).unwrap_or_default())
    }
}

#[tool_handler]
impl ServerHandler for Cached {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        *self.known.lock().await = None;
    }
}

#[tool_router]
impl Asking {
    #[tool]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        Ok(name(&project(&context.peer).await?))
    }
}

#[tool_handler]
impl ServerHandler for Asking {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
