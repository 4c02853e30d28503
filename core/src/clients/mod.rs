//! What known clients do, as tests and the program `rootwise` play it.

mod table;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::collect::inserted;
use crate::error::ConfigError;
use crate::path::PathStyle;
use crate::path::uri::file_uri_to_path;
use crate::provide::{Folder, ProvidedRoot, provided_roots};

use table::TABLE;

/// How a client of `core/clients.json` behaves. Where several behaviours were seen, it has the one that is hardest to deal with.
///
/// ```
/// use rootwise::PathStyle;
/// use rootwise::clients::KnownClient;
///
/// let cursor = KnownClient::all().iter().find(|client| client.short() == "cursor").ok_or("no Cursor")?;
/// let folders = ["/work/shop".to_owned(), "/work/blog".to_owned()];
/// // What it says about its folders: in a list of roots, in variables, and by the working directory of its servers.
/// assert_eq!(cursor.listed(folders.to_vec(), None), None);
/// assert!(cursor.variables(&folders, PathStyle::Posix).values().any(|value| value.contains("/work/shop")));
/// assert_ne!(cursor.cwd(&folders, Some("/home/me"), PathStyle::Posix).as_deref(), Some("/work/shop"));
/// let modern: Vec<_> = KnownClient::all().iter().filter(|client| client.is_modern()).collect();
/// assert!(!modern.is_empty());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownClient {
    /// The name in the table: `Cursor`.
    pub client: &'static str,
    /// The name by which it introduces itself: `cursor-vscode`.
    pub name: &'static str,
    /// The newest revision of the protocol that it speaks.
    pub protocol_version: &'static str,
    /// Whether it declares the capability `roots`.
    pub declares_roots: bool,
    /// Whether it declares that it tells of changes.
    pub declares_changes: bool,
    /// What it does when it is asked for its roots.
    pub answer: RootsAnswer,
    /// Where it starts its servers.
    pub cwd: StartedIn,
    /// The variables that it sets for its servers; those that are true hold a list.
    pub variables: &'static [(&'static str, bool)],
}

/// What a client does when it is asked for its roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootsAnswer {
    /// It lists all its folders.
    All,
    /// It lists the first one.
    First,
    /// It lists none.
    Empty,
    /// It lists the user's home folder.
    Home,
    /// It does not know the request.
    Refused,
    /// It says nothing.
    Silent,
}

/// Where a client starts its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartedIn {
    /// In its first folder.
    Project,
    /// In the user's home folder.
    Home,
    /// In `/` or `System32`.
    Root,
    /// Where it was started itself.
    OwnFolder,
}

impl KnownClient {
    /// All clients, in the order of the table.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        TABLE
    }

    /// The client that a name means: the one that a person types (`claude-code`), the start of it, or the name by which the
    /// client introduces itself.
    ///
    /// ```
    /// use rootwise::clients::{KnownClient, RootsAnswer};
    ///
    /// assert_eq!(KnownClient::find("Cursor")?.answer, RootsAnswer::Silent);
    /// assert!(KnownClient::find("crusor").unwrap_err().problem.contains("`cursor`"));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such client; the error has the nearest name.
    pub fn find(wanted: &str) -> Result<&'static Self, ConfigError> {
        let name = short(wanted);
        let is_exact = |client: &&Self| client.short() == name || short(client.name) == name;
        let begins = |client: &&Self| !name.is_empty() && client.short().starts_with(&name);
        TABLE.iter().find(is_exact).or_else(|| TABLE.iter().find(begins)).ok_or_else(|| {
            let names = TABLE.iter().flat_map(|client| [client.short(), client.name.to_string()]);
            let nearest = names.min_by_key(|known| distance(known, &name)).unwrap_or_default();
            ConfigError::new("client", format!("no client `{wanted}` is known; the nearest name is `{nearest}`"))
        })
    }

    /// The name that a person types: `claude-code`, `vs-code`.
    #[must_use]
    pub fn short(&self) -> String {
        short(self.client)
    }

    /// Whether it speaks 2026-07-28.
    #[must_use]
    pub fn is_modern(&self) -> bool {
        self.protocol_version >= "2026-07-28"
    }

    /// What it lists of its folders; none where it lists nothing at all.
    #[must_use]
    pub fn listed<T>(&self, folders: Vec<T>, home: Option<T>) -> Option<Vec<T>> {
        match self.answer {
            RootsAnswer::All => Some(folders),
            RootsAnswer::First => Some(folders.into_iter().take(1).collect()),
            RootsAnswer::Empty => Some(Vec::new()),
            RootsAnswer::Home => Some(home.into_iter().collect()),
            RootsAnswer::Refused | RootsAnswer::Silent => None,
        }
    }

    /// The variables that it sets for its servers, for these paths.
    #[must_use]
    pub fn variables(&self, folders: &[String], style: PathStyle) -> BTreeMap<String, String> {
        let separator = if style == PathStyle::Windows { ";" } else { ":" };
        let value = |is_list: bool| if is_list { Some(folders.join(separator)) } else { folders.first().cloned() };
        let known = self.variables.iter().filter(|_| !folders.is_empty());
        inserted(known.filter_map(|(name, is_list)| Some(((*name).to_string(), value(*is_list)?))))
    }

    /// The folder that is the working directory of its servers; none if that is where the client was started.
    #[must_use]
    pub fn cwd(&self, folders: &[String], home: Option<&str>, style: PathStyle) -> Option<String> {
        match self.cwd {
            StartedIn::Project => folders.first().cloned(),
            StartedIn::Home => home.map(Into::into),
            StartedIn::Root if style == PathStyle::Windows => Some(r"C:\Windows\System32".to_string()),
            StartedIn::Root => Some("/".to_string()),
            StartedIn::OwnFolder => None,
        }
    }
}

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
    /// What it declares, as far as roots are concerned.
    pub capabilities: Capabilities,
    /// What it answers when it is asked for its roots.
    pub roots: SimulatedRoots,
    /// The working directory of its servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The variables that it sets for its servers.
    pub env: BTreeMap<String, String>,
}

/// The capabilities of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Capabilities {
    /// The capability `roots`, if it is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
}

/// The capability `roots`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsCapability {
    /// Whether the client says that it tells of changes.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub list_changed: bool,
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

fn no_list<S: serde::Serializer>(answer: &RootsAnswer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *answer == RootsAnswer::Refused { "refused" } else { "silent" })
}

impl ClientLike {
    /// A client that has these folders open.
    pub fn new<F: Into<Folder>>(
        client: impl Into<String>,
        roots: impl IntoIterator<Item = F>,
        style: PathStyle,
    ) -> Self {
        Self { client: client.into(), roots: roots.into_iter().map(Into::into).collect(), style, home: None }
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
        let declared = RootsCapability { list_changed: known.declares_changes };
        Ok(SimulatedClient {
            client: known.client,
            name: known.name,
            protocol_version: if known.is_modern() { "2025-11-25" } else { known.protocol_version },
            is_modern: known.is_modern(),
            capabilities: Capabilities { roots: known.declares_roots.then_some(declared) },
            roots: known.listed(roots, home_root).map_or(SimulatedRoots::None(known.answer), SimulatedRoots::List),
            cwd,
            env: known.variables(&paths, style),
        })
    }
}

/// Letters and digits in lower case, with single dashes between them, up to the first comma or bracket.
fn short(name: &str) -> String {
    let name = name.split([',', '(']).next().unwrap_or_default();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// The number of letters to add, remove or replace. Names are short, whatever a caller wrote.
fn distance(known: &str, wanted: &str) -> usize {
    let wanted: Vec<char> = wanted.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (line, letter) in known.chars().enumerate() {
        let mut next = vec![line.saturating_add(1)];
        for (above, other) in row.windows(2).zip(&wanted) {
            let [diagonal, up] = above else { continue };
            let left = next.last().copied().unwrap_or_default();
            let replaced = diagonal.saturating_add(usize::from(letter != *other));
            next.push(replaced.min(left.saturating_add(1)).min(up.saturating_add(1)));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
