//! Clients that answer by themselves.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::json;

use super::Reply;
use crate::clients::{ClientLike, RootsAnswer, SimulatedClient, SimulatedRoots};
use crate::error::ConfigError;
use crate::event::{ClientInitialized, Event};
use crate::{HostFacts, PathStyle};

/// A client that answers `roots/list` by itself; see [`Player::client`](super::Player::client).
///
/// ```
/// use rootwise::testing::{Client, Disk, Player, Step};
/// use rootwise::{HostFacts, PathStyle, Policy};
///
/// let disk = Disk::new(PathStyle::Posix).folder("/work/app");
/// let played = |client| {
///     let host = HostFacts::new(PathStyle::Posix);
///     let mut player = Player::new(Policy::recommended(), host)?.disk(disk.clone()).client(client)?;
///     player.play(&Step::ask())?;
///     Ok::<_, Box<dyn std::error::Error>>(player.resolver().project().map(|project| project.name.clone()))
/// };
/// assert_eq!(played(Client::prompt(["file:///work/app"]))?.as_deref(), Some("app"));
/// assert_eq!(played(Client::without_roots())?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// Its answer, now.
    pub reply: Reply,
    /// When it answers.
    pub answers: Answers,
    /// The parameters of its `initialize`, as JSON; without them it only says whether it has roots.
    pub introduction: Option<String>,
}

/// A client that behaves like a known one, and what it gives the servers that it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LikeClient {
    /// What it answers.
    pub client: Client,
    /// The working directory of its servers.
    pub cwd: Option<String>,
    /// The variables that it sets for its servers.
    pub env: BTreeMap<String, String>,
}

/// A client that behaves like a client of `core/clients.json` with these folders open, by its name: `cursor`, `claude-code`.
///
/// ```
/// use rootwise::testing::{Disk, Player, Step, client_like};
/// use rootwise::{HostFacts, PathStyle, Policy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cursor = client_like("cursor", ["/work/shop"], PathStyle::Posix)?;
/// let mut host = HostFacts::new(PathStyle::Posix);
/// cursor.start(&mut host);
/// let disk = Disk::new(PathStyle::Posix).folder("/work/shop");
/// let mut player = Player::new(Policy::recommended(), host)?.disk(disk).client(cursor.client)?;
/// player.play(&Step::ask())?;
/// player.play(&Step::Wait(5_000))?;
/// // Its answer never comes, and its variable counts.
/// assert_eq!(player.resolver().project().and_then(|project| project.via.as_deref()), Some("CURSOR_PROJECT_DIR"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// There is no such client, or a folder is not absolute.
pub fn client_like<P: Into<String>>(
    name: &str,
    folders: impl IntoIterator<Item = P>,
    style: PathStyle,
) -> Result<LikeClient, ConfigError> {
    let folders = folders.into_iter().map(Into::into);
    let like = ClientLike::new(name, folders.collect::<Vec<String>>(), style).simulate()?;
    let SimulatedClient { name, protocol_version, capabilities, roots, cwd, env, .. } = like;
    let (reply, answers) = match roots {
        SimulatedRoots::List(roots) => {
            let uris = roots.into_iter().map(|root| root.uri).collect();
            (Reply::Roots(uris), if capabilities.roots.is_some() { Answers::AtOnce } else { Answers::Undeclared })
        }
        SimulatedRoots::None(RootsAnswer::Refused) => (Reply::Error(-32_601), Answers::AtOnce),
        SimulatedRoots::None(_) => (Reply::Roots(Vec::new()), Answers::Never),
    };
    let introduction = json!({
        "protocolVersion": protocol_version, "capabilities": capabilities, "clientInfo": { "name": name, "version": "1" },
    });
    let client = Client { reply, answers, introduction: Some(introduction.to_string()) };
    Ok(LikeClient { client, cwd, env })
}

impl LikeClient {
    /// Makes a server one that this client started: its working directory and its variables.
    pub fn start(&self, host: &mut HostFacts) {
        host.cwd.clone_from(&self.cwd);
        host.env.extend(self.env.clone());
    }
}

/// When a client answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answers {
    /// At once.
    AtOnce,
    /// After this many milliseconds.
    After(u32),
    /// Never, although it says that it has roots.
    Never,
    /// Never, because it says that it has no roots.
    Undeclared,
}

impl Client {
    pub(super) const fn new(reply: Reply, answers: Answers) -> Self {
        Self { reply, answers, introduction: None }
    }

    /// Its `initialize`, if it says more than whether it has roots.
    pub(super) fn initialized(&self) -> Option<Event> {
        let params: ClientInitialized = serde_json::from_str(self.introduction.as_deref()?).ok()?;
        Some(params.into())
    }

    /// A client that lists these URIs at once.
    #[must_use]
    pub fn prompt<U: Into<String>>(roots: impl IntoIterator<Item = U>) -> Self {
        let roots: Vec<String> = roots.into_iter().map(Into::into).collect();
        Self::new(Reply::Roots(roots), Answers::AtOnce)
    }

    /// A client that lists these URIs after this many milliseconds.
    ///
    /// ```
    /// use rootwise::testing::{Client, Disk, Player, Step};
    /// use rootwise::{HostFacts, Outcome, PathStyle, Policy};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let disk = Disk::new(PathStyle::Posix).folder("/work/app");
    /// let mut player = Player::new(Policy::recommended(), host)?.disk(disk).client(Client::late(40, ["file:///work/app"]))?;
    /// player.play(&Step::ask())?;
    /// player.play(&Step::Wait(50))?;
    /// let answer = player.answers().values().next().ok_or("no answer")?;
    /// assert!(matches!(&answer.outcome, Outcome::Resolved { project } if project.name == "app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn late<U: Into<String>>(ms: u32, roots: impl IntoIterator<Item = U>) -> Self {
        Self { answers: Answers::After(ms), ..Self::prompt(roots) }
    }

    /// A client that declares roots and never answers.
    #[must_use]
    pub const fn silent() -> Self {
        Self::new(Reply::Roots(Vec::new()), Answers::Never)
    }

    /// A client that declares no roots.
    #[must_use]
    pub const fn without_roots() -> Self {
        Self::new(Reply::Roots(Vec::new()), Answers::Undeclared)
    }
}
