//! The client's side of a connection.

use rmcp::model::{ClientConfig, ErrorCode, Implementation, ListRootsResult, Root};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use rootwise::PathStyle;
use rootwise::clients::{KnownClient, RootsAnswer};
use rootwise::provide::{ProvidedRoot, provided_roots};
use serde_json::json;

/// A client that behaves like a known one, or does everything as the protocol wants it.
pub(super) struct Peer {
    known: Option<&'static KnownClient>,
    roots: Vec<ProvidedRoot>,
}

impl Peer {
    pub(super) const fn new(known: Option<&'static KnownClient>, roots: Vec<ProvidedRoot>) -> Self {
        Self { known, roots }
    }

    pub(super) fn is_modern(&self) -> bool {
        self.known.is_some_and(KnownClient::is_modern)
    }
}

impl ClientHandler for Peer {
    fn get_info(&self) -> ClientConfig {
        let name = self.known.map_or("rootwise-call", |known| known.name);
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new(name, env!("CARGO_PKG_VERSION"));
        // One that speaks 2026-07-28 as well opens an older server with the last revision before it.
        let own = self.known.filter(|known| !known.is_modern()).map(|known| json!(known.protocol_version));
        if let Some(version) = own.and_then(|version| serde_json::from_value(version).ok()) {
            config.protocol_version = version;
        }
        if self.known.is_none_or(|known| known.declares_roots) {
            let tells = self.known.is_none_or(|known| known.declares_changes);
            let roots = if tells { json!({ "listChanged": true }) } else { json!({}) };
            config.capabilities = serde_json::from_value(json!({ "roots": roots })).unwrap_or_default();
        }
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let home = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
        let home = home.and_then(|home| provided_roots(&[home.into()], PathStyle::native()).ok()?.pop());
        let roots = match self.known {
            None => Some(self.roots.clone()),
            Some(known) => known.listed(self.roots.clone(), home),
        };
        let Some(roots) = roots else {
            if self.known.is_some_and(|known| known.answer == RootsAnswer::Silent) {
                std::future::pending::<()>().await;
            }
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None));
        };
        let root = |ProvidedRoot { uri, name, .. }: ProvidedRoot| match name {
            Some(name) => Root::new(uri).with_name(name),
            None => Root::new(uri),
        };
        Ok(ListRootsResult::new(roots.into_iter().map(root).collect()))
    }
}
