//! What known clients do, as tests and the program `rootwise` play it.

mod simulated;
mod table;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::collect::inserted;
use crate::error::{ConfigError, parse_json};
use crate::path::PathStyle;

pub use simulated::{ClientLike, SimulatedClient, SimulatedRoots};
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
    /// What it declares besides roots, as a JSON object.
    pub other_capabilities: &'static str,
    /// What it does when it is asked for its roots.
    pub answer: RootsAnswer,
    /// What it does with a form of the server where nobody fills it in.
    pub form: FormAnswer,
    /// Where it starts its servers.
    pub cwd: StartedIn,
    /// The variables that it sets for its servers; those that are true hold a list.
    pub variables: &'static [(&'static str, bool)],
    /// What its calls say in their `_meta`: the keys that lead there, and `*` where the value is a key.
    pub meta: &'static [(&'static [&'static str], MetaValue)],
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

/// What a client does with a form of the server (elicitation) where nobody fills it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormAnswer {
    /// It says that the user declined.
    Decline,
    /// It says that the user closed the form.
    Cancel,
    /// It ends the request with an error.
    Failed,
    /// It does not know the request.
    Refused,
    /// It says nothing.
    Silent,
}

/// What a client says in the `_meta` of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetaValue {
    /// The conversation that the call belongs to.
    Conversation,
    /// Its first folder.
    Folder,
    /// Its first folder, if the server declares an experimental capability of the name of the key.
    FolderIfDeclared,
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

    /// What it declares.
    #[must_use]
    pub fn capabilities(&self) -> Map<String, Value> {
        let Ok(Value::Object(mut declared)) = parse_json(self.other_capabilities) else { return Map::new() };
        if self.declares_roots {
            let roots = if self.declares_changes { json!({ "listChanged": true }) } else { json!({}) };
            declared.insert("roots".to_string(), roots);
        }
        declared
    }

    /// What its calls say in `_meta`: to every server, or to one that declares an experimental capability of the name of the entry.
    fn meta_of_calls(&self, folders: &[String], conversation: &str, to_declared: bool) -> Map<String, Value> {
        let mut meta = Map::new();
        for (keys, holds) in self.meta {
            let value = match holds {
                MetaValue::Conversation => Some(conversation),
                MetaValue::Folder | MetaValue::FolderIfDeclared => folders.first().map(String::as_str),
            };
            let (Some(value), [name, inner @ ..]) = (value, *keys) else { continue };
            if (*holds == MetaValue::FolderIfDeclared) == to_declared {
                let mut said = json!(value);
                for key in inner.iter().rev() {
                    said = if *key == "*" { json!({ (value): {} }) } else { json!({ (*key): said }) };
                }
                meta.insert((*name).to_string(), said);
            }
        }
        meta
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
