//! The client's side of a connection.

use rmcp::model::{ClientConfig, ErrorCode, Implementation, ListRootsResult, Root};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use rootwise::PathStyle;
use rootwise::path::uri::path_to_file_uri;
use serde_json::json;

use crate::clients::{Behaviour, RootsAnswer};

pub(super) struct Peer {
    pub(super) behaviour: Behaviour,
    pub(super) uris: Vec<String>,
}

impl ClientHandler for Peer {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new(self.behaviour.name.clone(), env!("CARGO_PKG_VERSION"));
        if self.behaviour.declares_roots {
            let roots = if self.behaviour.declares_changes { json!({ "listChanged": true }) } else { json!({}) };
            config.capabilities = serde_json::from_value(json!({ "roots": roots })).unwrap_or_default();
        }
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let home = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
        let home = home.and_then(|home| path_to_file_uri(&home, PathStyle::native()));
        let uris: Vec<String> = match self.behaviour.answer {
            RootsAnswer::All => self.uris.clone(),
            RootsAnswer::First => self.uris.first().cloned().into_iter().collect(),
            RootsAnswer::Empty => Vec::new(),
            RootsAnswer::Home => home.into_iter().collect(),
            RootsAnswer::MethodNotFound => {
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None));
            }
            RootsAnswer::Silence => std::future::pending().await,
        };
        Ok(ListRootsResult::new(uris.into_iter().map(Root::new).collect()))
    }
}
