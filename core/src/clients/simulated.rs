//! A client of the table with folders, as data for the fakes of every language and for `rootwise call`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{FormAnswer, KnownClient, RootsAnswer};
use crate::error::ConfigError;
use crate::path::PathStyle;
use crate::path::uri::file_uri_to_path;
use crate::peer::client::{META_CAPABILITIES, META_INFO, META_VERSION};
use crate::provide::{Folder, ProvidedRoot, provided_roots};

/// A client of the table with folders, for a test.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClientLike {
    /// Its name; see [`KnownClient::find`].
    pub client: String,
    /// The folders that are open in it.
    #[serde(default)]
    pub roots: Vec<Folder>,
    /// How its paths are spelled.
    pub style: PathStyle,
    /// The home folder of its user; by default that of `user`.
    #[serde(default)]
    pub home: Option<String>,
    /// The id by which its calls name their conversation, if they do; by default `conversation-1`.
    #[serde(default)]
    pub conversation: Option<String>,
}

/// What that client does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SimulatedClient {
    /// The name in the table.
    pub client: &'static str,
    /// The name by which it introduces itself.
    pub name: &'static str,
    /// The revision in its `initialize`.
    pub protocol_version: &'static str,
    /// Whether it speaks 2026-07-28 with servers that do, and sends no `initialize`.
    pub is_modern: bool,
    /// What it declares.
    pub capabilities: Map<String, Value>,
    /// What it answers when it is asked for its roots.
    pub roots: SimulatedRoots,
    /// What it does with a form: `{ "action": ... }`, or one of `silent`, `refused` and `failed`.
    #[serde(serialize_with = "form")]
    pub form: FormAnswer,
    /// What its calls carry in `_meta`, besides what the protocol wants.
    pub meta: Map<String, Value>,
    /// What they also carry for a server that declares an experimental capability of the name of the entry.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta_if_declared: Map<String, Value>,
    /// The working directory of its servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The variables that it sets for its servers.
    pub env: BTreeMap<String, String>,
}

/// The answer of a client to a request for its roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SimulatedRoots {
    /// A list.
    List(Vec<ProvidedRoot>),
    /// `silent` or `refused`.
    #[serde(serialize_with = "no_list")]
    None(RootsAnswer),
}

fn no_list<S: Serializer>(answer: &RootsAnswer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *answer == RootsAnswer::Refused { "refused" } else { "silent" })
}

fn form<S: Serializer>(form: &FormAnswer, serializer: S) -> Result<S::Ok, S::Error> {
    let action = |action| json!({ "action": action });
    match form {
        FormAnswer::Decline => action("decline"),
        FormAnswer::Cancel => action("cancel"),
        FormAnswer::Failed => json!("failed"),
        FormAnswer::Refused => json!("refused"),
        FormAnswer::Silent => json!("silent"),
    }
    .serialize(serializer)
}

impl SimulatedClient {
    /// The parameters of its `initialize`.
    #[must_use]
    pub fn introduction(&self) -> Value {
        let Self { name, protocol_version, capabilities, .. } = self;
        let client = json!({ "name": name, "version": "1" });
        json!({ "protocolVersion": protocol_version, "capabilities": capabilities, "clientInfo": client })
    }

    /// The `_meta` of a call of revision 2026-07-28 to a server on Rootwise, which declares what it reads.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::clients::ClientLike;
    ///
    /// let goose = ClientLike::new("goose", ["/work/shop"], PathStyle::Posix).simulate()?;
    /// let meta = goose.modern_meta();
    /// assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "goose-cli");
    /// assert_eq!(meta["agent-working-dir"], "/work/shop");
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn modern_meta(&self) -> Map<String, Value> {
        let mut meta = self.all_meta();
        meta.insert(META_VERSION.to_string(), json!("2026-07-28"));
        meta.insert(META_CAPABILITIES.to_string(), json!(self.capabilities));
        meta.insert(META_INFO.to_string(), json!({ "name": self.name, "version": "1" }));
        meta
    }

    /// The `_meta` of a call of an earlier revision to such a server.
    #[must_use]
    pub fn all_meta(&self) -> Map<String, Value> {
        let mut meta = self.meta.clone();
        meta.extend(self.meta_if_declared.clone());
        meta
    }
}

impl ClientLike {
    /// A client that has these folders open.
    pub fn new<F: Into<Folder>>(
        client: impl Into<String>,
        roots: impl IntoIterator<Item = F>,
        style: PathStyle,
    ) -> Self {
        Self {
            client: client.into(),
            roots: roots.into_iter().map(Into::into).collect(),
            style,
            home: None,
            conversation: None,
        }
    }

    /// What this client does. One that starts its servers where it was started itself was started in its first folder.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::clients::ClientLike;
    ///
    /// let cursor = ClientLike::new("cursor", ["/work/shop"], PathStyle::Posix).simulate()?;
    /// assert_eq!(cursor.name, "cursor-vscode");
    /// assert_eq!(cursor.cwd.as_deref(), Some("/home/user"));
    /// assert_eq!(cursor.env["CURSOR_PROJECT_DIR"], "/work/shop");
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such client, or a folder is not absolute.
    pub fn simulate(&self) -> Result<SimulatedClient, ConfigError> {
        let known = KnownClient::find(&self.client)?;
        let style = self.style;
        let roots = provided_roots(&self.roots, style)?;
        let paths: Vec<String> = roots.iter().filter_map(|root| file_uri_to_path(&root.uri, style).ok()).collect();
        let home = self.home.clone().unwrap_or_else(|| {
            let home = if style == PathStyle::Windows { r"C:\Users\user" } else { "/home/user" };
            home.to_string()
        });
        let home_root = provided_roots(&[home.as_str().into()], style)?.into_iter().next();
        let cwd = known.cwd(&paths, Some(&home), style).or_else(|| paths.first().cloned());
        let conversation = self.conversation.as_deref().unwrap_or("conversation-1");
        let meta = known.meta_of_calls(&paths, conversation, false);
        let meta_if_declared = known.meta_of_calls(&paths, conversation, true);
        Ok(SimulatedClient {
            client: known.client,
            name: known.name,
            protocol_version: if known.is_modern() { "2025-11-25" } else { known.protocol_version },
            is_modern: known.is_modern(),
            capabilities: known.capabilities(),
            roots: known.listed(roots, home_root).map_or(SimulatedRoots::None(known.answer), SimulatedRoots::List),
            form: known.form,
            meta,
            meta_if_declared,
            cwd,
            env: known.variables(&paths, style),
        })
    }
}
