//! Creates resolvers.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::resolver::Resolver;
use super::roots_cycle::RootsCycle;
use super::seal::SealKey;
use crate::api::host::HostFacts;
use crate::error::{ConfigError, SnapshotError};
use crate::id::Millis;
use crate::policy::Policy;

/// Creates a [`Resolver`].
///
/// ```
/// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
///
/// let host = HostFacts::new(PathStyle::Posix);
/// let builder = Resolver::builder(host).policy(Policy::recommended()).allowed_dirs(["/srv/projects"]);
/// // What the resolver remembers for calls of revision 2026-07-28; without one of these, that of its connection.
/// let for_one_call = builder.clone().for_one_call().build()?;
/// let for_caller = builder.clone().for_caller().build()?;
/// let for_conversation = builder.for_conversation().build()?;
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResolverBuilder {
    policy: Option<Arc<Policy>>,
    host: Arc<HostFacts>,
    id_prefix: Option<String>,
    snapshot_key: Option<SealKey>,
    allowed_dirs: Option<Vec<String>>,
    serves: Serves,
}

/// The calls of revision 2026-07-28 for which a resolver keeps something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Serves {
    /// Those of its connection, if everything on it comes from one client.
    #[default]
    Connection,
    /// Those of one conversation.
    Conversation,
    /// Those of one caller, who may have several conversations at once: only what it selects is kept for all of them.
    Caller,
    /// One call: nothing is kept.
    OneCall,
}

impl ResolverBuilder {
    pub(super) const fn new(host: Arc<HostFacts>) -> Self {
        Self { policy: None, host, id_prefix: None, snapshot_key: None, allowed_dirs: None, serves: Serves::Connection }
    }

    /// Sets the policy.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let resolver = Resolver::builder(host).policy(Policy::preset("cocosearch")?).build()?;
    /// assert_eq!(resolver.policy().config().name, "cocosearch");
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn policy(self, policy: impl Into<Arc<Policy>>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// Sets the prefix of request ids, which must be unique where several processes may restore the same snapshot.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Resolver};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let replica = |name: &str| Resolver::builder(host.clone()).id_prefix(name);
    /// assert!(replica("replica-7-").build().is_ok());
    /// // The prefix becomes a part of JSON-RPC ids: quotes, backslashes and control characters are refused.
    /// assert!(replica("\"7\"").build().is_err());
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn id_prefix(self, prefix: impl Into<String>) -> Self {
        Self { id_prefix: Some(prefix.into()), ..self }
    }

    /// Seals every snapshot with a secret key of at least 32 bytes, and accepts only snapshots that are sealed with it.
    /// Needed where somebody else can write to the store of the snapshots.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Resolver};
    ///
    /// let with_key = |key: &str| Resolver::builder(HostFacts::new(PathStyle::Posix)).snapshot_key(key);
    /// let snapshot = with_key("the secret of this server, 32 bytes or more").build()?.snapshot();
    /// assert!(with_key("the secret of another server, as long").restore(&snapshot, 0).is_err());
    /// assert!(with_key("too short").build().is_err());
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn snapshot_key(self, key: impl Into<Vec<u8>>) -> Self {
        Self { snapshot_key: Some(SealKey::new(key.into())), ..self }
    }

    /// Confines the connection's own project to these folders, within those of the host facts. A call may have others.
    #[must_use]
    pub fn allowed_dirs(self, dirs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allowed_dirs: Some(dirs.into_iter().map(Into::into).collect()), ..self }
    }

    /// The resolver is for one call that nothing ties to others: what is selected in it would be lost, so that the client is told
    /// how to name the project in each call, or the selection is refused with [`PassEachCall`](crate::Reason::PassEachCall).
    ///
    /// ```
    /// use rootwise::event::{AskVia, SelectBy, Selected};
    /// use rootwise::{Action, HostFacts, Outcome, PathStyle, Policy, Reason, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "tool", "sources": [{ "from": "selected", "within": "anywhere", "verify": "none" }] }"#)?;
    /// let mut resolver = Resolver::builder(HostFacts::new(PathStyle::Posix)).policy(policy).for_one_call().build()?;
    /// // A tool of a client of revision 2026-07-28 selects a folder.
    /// let by = SelectBy::Path("/work/app".into());
    /// let actions = resolver.handle(Selected::new(1, by).ask_via(AskVia::InputRequired), 0)?;
    /// let Some(Action::Answer(answer)) = actions.first() else { panic!("{actions:?}") };
    /// assert!(matches!(&answer.outcome, Outcome::Refused(refused) if refused.code == Reason::PassEachCall));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn for_one_call(self) -> Self {
        self.serving(Serves::OneCall)
    }

    /// The resolver is for the calls of one conversation, whatever they came on: what it selects, finds and lists counts for its
    /// next calls.
    ///
    /// ```
    /// use rootwise::event::{AskVia, Asked, SelectBy, Selected};
    /// use rootwise::{Action, HostFacts, Outcome, PathStyle, Policy, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "tool", "sources": [{ "from": "selected", "within": "anywhere", "verify": "none" }] }"#)?;
    /// let mut resolver = Resolver::builder(HostFacts::new(PathStyle::Posix)).policy(policy).for_conversation().build()?;
    /// // A tool of a client of revision 2026-07-28 selects a folder.
    /// let by = SelectBy::Path("/work/app".into());
    /// let actions = resolver.handle(Selected::new(1, by).ask_via(AskVia::InputRequired), 0)?;
    /// assert!(actions.iter().any(|action| matches!(action, Action::Answer(_))));
    /// // Its next call works there.
    /// let actions = resolver.handle(Asked::new(2).ask_via(AskVia::InputRequired), 9)?;
    /// let Some(Action::Answer(answer)) = actions.first() else { panic!("{actions:?}") };
    /// assert!(matches!(&answer.outcome, Outcome::Resolved { project } if project.name == "app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn for_conversation(self) -> Self {
        self.serving(Serves::Conversation)
    }

    /// The resolver is for the calls of one caller, who may have several conversations at once: only what it selects counts for
    /// its next calls.
    ///
    /// ```
    /// use rootwise::event::{AskVia, Asked, SelectBy, Selected};
    /// use rootwise::{Action, HostFacts, Outcome, PathStyle, Policy, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "tool", "sources": [{ "from": "selected", "within": "anywhere", "verify": "none" }] }"#)?;
    /// let mut resolver = Resolver::builder(HostFacts::new(PathStyle::Posix)).policy(policy).for_caller().build()?;
    /// // A tool of a client of revision 2026-07-28 selects a folder.
    /// let by = SelectBy::Path("/work/app".into());
    /// let actions = resolver.handle(Selected::new(1, by).ask_via(AskVia::InputRequired), 0)?;
    /// assert!(actions.iter().any(|action| matches!(action, Action::Answer(_))));
    /// // Its next call works there.
    /// let actions = resolver.handle(Asked::new(2).ask_via(AskVia::InputRequired), 9)?;
    /// let Some(Action::Answer(answer)) = actions.first() else { panic!("{actions:?}") };
    /// assert!(matches!(&answer.outcome, Outcome::Resolved { project } if project.name == "app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn for_caller(self) -> Self {
        self.serving(Serves::Caller)
    }

    pub(crate) const fn serving(mut self, serves: Serves) -> Self {
        self.serves = serves;
        self
    }

    /// Creates the resolver.
    ///
    /// # Errors
    /// A host fact, the id prefix or the key is invalid.
    pub fn build(self) -> Result<Resolver, ConfigError> {
        let id_prefix = self.id_prefix.clone();
        let mut resolver = self.fresh()?;
        if let Some(prefix) = id_prefix {
            super::snapshot::check_prefix(&prefix)?;
            resolver.connection.cycle = RootsCycle::new(prefix);
        }
        Ok(resolver)
    }

    /// Restores a saved connection. The result equals the saved resolver with all asks withdrawn and all probes over.
    ///
    /// Set a unique [id prefix](Self::id_prefix) where several processes may restore the same snapshot.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let builder = || {
    ///     let host = HostFacts::new(PathStyle::Posix);
    ///     Resolver::builder(host).policy(Policy::recommended()).snapshot_key("a secret of at least 32 bytes, or so")
    /// };
    /// let snapshot = builder().build()?.snapshot();
    /// assert!(builder().id_prefix("replica-2-").restore(&snapshot, 0).is_ok());
    /// assert!(builder().restore("something else", 0).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The snapshot is damaged, of another version or of another policy, or not sealed with the key; or an option is invalid.
    pub fn restore(self, snapshot: &str, now: impl Into<Millis>) -> Result<Resolver, SnapshotError> {
        let id_prefix = self.id_prefix.clone();
        self.fresh()?.restored(snapshot, now.into(), id_prefix.as_deref())
    }

    fn fresh(self) -> Result<Resolver, ConfigError> {
        let policy = self.policy.unwrap_or_else(|| Arc::new(Policy::recommended()));
        let mut resolver = Resolver::new(policy, self.host)?;
        self.snapshot_key.as_ref().map_or(Ok(()), SealKey::check)?;
        resolver.serves = self.serves;
        resolver.seal_key = self.snapshot_key.map(Arc::new);
        if let Some(dirs) = &self.allowed_dirs {
            resolver.host().check_dirs("allowedDirs", dirs)?;
        }
        resolver.confine(self.allowed_dirs);
        Ok(resolver)
    }
}
