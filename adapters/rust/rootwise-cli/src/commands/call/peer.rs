//! The client's side of a connection.

use rmcp::model::{
    CallToolRequestParams, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode,
    Implementation, JsonObject, ListRootsResult, Root, ServerCapabilities,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use rootwise::clients::{FormAnswer, RootsAnswer, SimulatedClient, SimulatedRoots};
use rootwise::provide::ProvidedRoot;
use serde_json::json;

/// A client that behaves like a known one, or does everything as the protocol wants it.
pub(super) struct Peer {
    known: Option<SimulatedClient>,
    roots: Vec<ProvidedRoot>,
    /// What the user fills into a form.
    form: Option<JsonObject>,
}

impl Peer {
    pub(super) const fn new(
        known: Option<SimulatedClient>,
        roots: Vec<ProvidedRoot>,
        form: Option<JsonObject>,
    ) -> Self {
        Self { known, roots, form }
    }

    pub(super) fn is_modern(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.is_modern)
    }

    /// Adds what the calls of this client say to a server.
    pub(super) fn mark(&self, call: &mut CallToolRequestParams, server: Option<&ServerCapabilities>) {
        let Some(known) = &self.known else { return };
        let declared = server.and_then(|server| server.experimental.as_ref());
        let is_declared = |name: &str| declared.is_some_and(|declared| declared.contains_key(name));
        let mut meta = known.meta.clone();
        meta.extend(known.meta_if_declared.clone().into_iter().filter(|(name, _)| is_declared(name)));
        call.meta = (!meta.is_empty()).then(|| meta.into());
    }
}

impl ClientHandler for Peer {
    fn get_info(&self) -> ClientConfig {
        let name = self.known.as_ref().map_or("rootwise-call", |known| known.name);
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new(name, env!("CARGO_PKG_VERSION"));
        let version = self.known.as_ref().map(|known| json!(known.protocol_version));
        if let Some(version) = version.and_then(|version| serde_json::from_value(version).ok()) {
            config.protocol_version = version;
        }
        let mut capabilities = match &self.known {
            None => json!({ "roots": { "listChanged": true } }),
            Some(known) => json!(known.capabilities),
        };
        if self.form.is_some() && capabilities.get("elicitation").is_none() {
            capabilities["elicitation"] = json!({});
        }
        config.capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let roots = match self.known.as_ref().map(|known| &known.roots) {
            None => &self.roots,
            Some(SimulatedRoots::List(roots)) => roots,
            Some(SimulatedRoots::None(RootsAnswer::Silent)) => std::future::pending().await,
            Some(_) => return Err(unknown()),
        };
        let root = |ProvidedRoot { uri, name, .. }: &ProvidedRoot| match name {
            Some(name) => Root::new(uri).with_name(name),
            None => Root::new(uri),
        };
        Ok(ListRootsResult::new(roots.iter().map(root).collect()))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let Some(form) = &self.form {
            return Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!(form)));
        }
        match self.known.as_ref().map_or(FormAnswer::Refused, |known| known.form) {
            FormAnswer::Decline => Ok(ElicitResult::new(ElicitationAction::Decline)),
            FormAnswer::Cancel => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            FormAnswer::Silent => std::future::pending().await,
            FormAnswer::Failed => Err(ErrorData::internal_error("Internal error", None)),
            _ => Err(unknown()),
        }
    }
}

fn unknown() -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None)
}
