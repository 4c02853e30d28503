//! Clients that answer by themselves.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::Reply;
use super::strategies::json_of;
use crate::action::{InputRequest, RequestMethod};
use crate::clients::{ClientLike, FormAnswer, RootsAnswer, SimulatedClient, SimulatedRoots};
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
    /// Whether it speaks 2026-07-28: it sends no `initialize`, is asked by the results of its calls, and repeats them with its answers.
    pub modern: bool,
    /// The `_meta` of its calls, as JSON.
    pub meta: Option<String>,
    /// Its answer to a form; without one it says nothing. A result is [`Reply::Junk`], such as `{ "action": "decline" }`.
    pub form: Option<Reply>,
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
    let introduction = Some(like.introduction().to_string());
    let meta = if like.is_modern { like.modern_meta() } else { like.all_meta() };
    let meta = serde_json::to_string(&meta).ok();
    let SimulatedClient { capabilities, roots, form, cwd, env, is_modern: modern, .. } = like;
    let (reply, answers) = match roots {
        SimulatedRoots::List(roots) => {
            let uris = roots.into_iter().map(|root| root.uri).collect();
            let declares = capabilities.contains_key("roots");
            (Reply::Roots(uris), if declares { Answers::AtOnce } else { Answers::Undeclared })
        }
        SimulatedRoots::None(RootsAnswer::Refused) => (Reply::Error(-32_601), Answers::AtOnce),
        SimulatedRoots::None(_) => (Reply::Roots(Vec::new()), Answers::Never),
    };
    let form = match form {
        FormAnswer::Decline => Some(Reply::Junk(r#"{ "action": "decline" }"#.into())),
        FormAnswer::Cancel => Some(Reply::Junk(r#"{ "action": "cancel" }"#.into())),
        FormAnswer::Failed => Some(Reply::Error(-32_603)),
        FormAnswer::Refused => Some(Reply::Error(-32_601)),
        FormAnswer::Silent => None,
    };
    let client = Client { reply, answers, introduction, modern, meta, form };
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
        Self { reply, answers, introduction: None, modern: false, meta: None, form: None }
    }

    /// Its `initialize`, if it says more than whether it has roots.
    pub(super) fn initialized(&self) -> Option<Event> {
        let params: ClientInitialized = serde_json::from_str(self.introduction.as_deref()?).ok()?;
        Some(params.into())
    }

    /// The `_meta` of a call that says nothing of its own.
    pub(super) fn meta(&self) -> Option<Box<RawValue>> {
        RawValue::from_string(self.meta.clone()?).ok()
    }

    /// What it says when it is asked, as the result of the method or an error; none if it says nothing.
    pub(super) fn reply_to(&self, method: RequestMethod) -> Option<&Reply> {
        match method {
            RequestMethod::ElicitationCreate => self.form.as_ref(),
            _ if matches!(self.answers, Answers::Never | Answers::Undeclared) => None,
            _ => Some(&self.reply),
        }
    }

    /// How long it takes to answer.
    pub(super) fn delay_ms(&self) -> u64 {
        if let Answers::After(ms) = self.answers { u64::from(ms) } else { 0 }
    }

    /// Its answers to the requests in the result of a call, as JSON; none if one of them gets no result.
    pub(super) fn responses(&self, requests: &BTreeMap<String, InputRequest>) -> Option<Box<RawValue>> {
        let answered = requests.iter().map(|(key, request)| {
            let reply = self.reply_to(request.method)?;
            let is_result = matches!(reply, Reply::Roots(_) | Reply::Junk(_));
            Some((key, RawValue::from_string(json_of(reply)).ok().filter(|_| is_result)?))
        });
        let answers: BTreeMap<_, _> = answered.collect::<Option<_>>()?;
        serde_json::value::to_raw_value(&answers).ok()
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
