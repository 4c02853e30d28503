//! The policy: which sources count, in which order, and what happens when they disagree, fail or change.
//!
//! A policy is data. [`PolicyConfig`] is what an operator writes, in JSON or any other format of serde; [`Policy`] is the
//! same after it was checked.

mod host;
mod limits;
pub(crate) mod path_map;
mod presets;
mod repository;
mod roots;
#[cfg(feature = "schema")]
mod schema;
mod selection;
mod source;
mod templates;
mod validate;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::host::Transport;
use crate::api::project::Project;
pub use crate::api::source::SourceKind;
pub(crate) use crate::api::{is_default, unique_keys};
use crate::error::{ConfigError, parse_json};
use crate::path::display::display;

pub(crate) use crate::texts::fill;
pub use limits::Limits;
pub(crate) use limits::{exceeds, to_usize};
pub use presets::{PRESETS, RECOMMENDED};
pub(crate) use repository::RepositoryRules;
pub use repository::{FindRepository, Identity};
pub use roots::{
    BarePaths, Files, NonFile, NonObjects, OnChange, OnUnusable, Pick, RequestForm, RequestWhen, RootsRules,
};
pub use selection::{Elicit, EnforceRoots, Memory, NameRule, Names, Pin, RootMatch, Selection, Traversal};
pub(crate) use source::MarkerNames;
pub use source::{
    BadOutcome, ExcludedDirsRule, Format, Links, Markers, OnBad, Recheck, Relative, Source, Tier, Unmarked, Verify,
    When, Within,
};
pub(crate) use templates::{Templates, Values, matches_client, used};
pub(crate) use validate::is_plain_prefix;

/// A policy that was checked, so that every resolver that shares it can rely on it.
///
/// Created by [`from_json`](Self::from_json), by [`preset`](Self::preset), or with `TryFrom` from a [`PolicyConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PolicyConfig", into = "PolicyConfig")]
pub struct Policy {
    pub(crate) config: PolicyConfig,
    /// The marker names of each source.
    markers: Vec<MarkerNames>,
    /// The marker names of a project that nobody else vouches for.
    project_markers: MarkerNames,
}

impl Policy {
    /// Parses and checks a policy; the error names the field. A policy without `sources` is the recommended one with these
    /// changes: objects are merged member by member, everything else replaces what was there.
    ///
    /// ```
    /// use rootwise::policy::Policy;
    ///
    /// let policy = Policy::from_json(r#"{ "timing": { "callerTimeoutMs": 2000 } }"#)?;
    /// assert_eq!(policy, Policy::recommended().with(|policy| policy.timing.caller_timeout_ms = 2_000)?);
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not JSON, or a field is unknown, missing, of the wrong type or contradicts another one.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        // What is not an object at all is reported like any other bad policy.
        if serde_json::from_str::<Head>(text).map_or(true, |head| head.sources.is_some()) {
            return parse_json::<PolicyConfig>(text)?.try_into();
        }
        let mut policy: Value = parse_json(RECOMMENDED)?;
        merge(&mut policy, parse_json(text)?);
        // As text: reading a policy from a tree as well would double the code that reads one.
        parse_json::<PolicyConfig>(&policy.to_string())?.try_into()
    }

    /// The policy with a change.
    ///
    /// ```
    /// use rootwise::Policy;
    ///
    /// let patient = Policy::recommended().with(|policy| policy.timing.max_age_ms = Some(5_000))?;
    /// assert_eq!(patient.config().timing.max_age_ms, Some(5_000));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// A field of the changed policy is invalid or contradicts another one.
    pub fn with(self, change: impl FnOnce(&mut PolicyConfig)) -> Result<Self, ConfigError> {
        let mut config = self.config;
        change(&mut config);
        config.try_into()
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &PolicyConfig {
        &self.config
    }

    /// The configuration, to be changed and checked again.
    ///
    /// ```
    /// use rootwise::Policy;
    ///
    /// let mut config = Policy::recommended().into_config();
    /// config.timing.caller_timeout_ms = 2_000;
    /// let policy = Policy::try_from(config)?;
    /// assert_eq!(policy.config().timing.caller_timeout_ms, 2_000);
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn into_config(self) -> PolicyConfig {
        self.config
    }

    /// Fills in one of the policy's templates, for texts that only the host can show; their keys start with `host.`. Values
    /// are made safe to show.
    ///
    /// ```
    /// use rootwise::Policy;
    ///
    /// let mut config = Policy::recommended().into_config();
    /// config.texts.insert("host.ready".into(), "Serving {project}.".into());
    /// let policy = Policy::try_from(config)?;
    /// assert_eq!(policy.render("host.ready", &[("project", "app")]).as_deref(), Some("Serving app."));
    /// assert_eq!(policy.render("host.other", &[]), None);
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn render(&self, key: &str, values: &[(&str, &str)]) -> Option<String> {
        let most = to_usize(self.config.limits.value_chars);
        let shown: Vec<(&str, String)> = values.iter().map(|(name, value)| (*name, display(value, most))).collect();
        let values: Vec<(&str, &str)> = shown.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.config.texts.get(key).map(|template| fill(template, &values))
    }

    pub(crate) fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.config.sources.iter().find(|source| source.from == kind)
    }

    /// The marker names of the source at this position.
    pub(crate) fn marker_names(&self, source: usize) -> Option<&MarkerNames> {
        self.markers.get(source)
    }

    /// The markers by which a folder is a project.
    pub(crate) const fn project_markers(&self) -> &MarkerNames {
        &self.project_markers
    }
}

/// What tells a complete policy from changes.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    sources: Option<IgnoredAny>,
}

/// Puts changes into a policy.
fn merge(policy: &mut Value, changes: Value) {
    match (policy, changes) {
        (Value::Object(policy), Value::Object(changes)) => {
            for (name, change) in changes {
                merge(policy.entry(name).or_insert(Value::Null), change);
            }
        }
        (policy, change) => *policy = change,
    }
}

impl TryFrom<PolicyConfig> for Policy {
    type Error = ConfigError;

    fn try_from(config: PolicyConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let markers = |source: &Source| source.refine.as_ref().map_or_else(MarkerNames::default, Markers::names);
        let of_cwd = config.sources.iter().find(|source| source.from == SourceKind::Cwd);
        let of_cwd = of_cwd.and_then(|source| source.refine.as_ref()).map_or_else(MarkerNames::default, Markers::names);
        let others = VERSION_CONTROL.map(String::from).into_iter().filter(|name| !of_cwd.contains(name));
        Ok(Self {
            project_markers: of_cwd.iter().cloned().chain(others).collect(),
            markers: config.sources.iter().map(markers).collect(),
            config,
        })
    }
}

impl From<Policy> for PolicyConfig {
    fn from(policy: Policy) -> Self {
        policy.config
    }
}

/// The way a server finds its project, as an operator writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "Policy"))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Policy", transform = schema::changes_are_enough)
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicyConfig {
    /// Where an editor finds the schema of this file; the resolver does not read it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// A name for logs and snapshots.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub name: String,
    /// Remarks for the reader, such as deliberate differences from the system it follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The sources, best first. Without them, a policy as JSON is the recommended one with the changes that it has.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub sources: Vec<Source>,
    /// The rules for requesting the client's roots and picking one.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RootsRules>"))]
    pub roots: RootsRules,
    /// Durations.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Timing>"))]
    pub timing: Timing,
    /// The state that outlives a call.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Memory>"))]
    pub memory: Memory,
    /// The rules for a tool's selection.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Selection>"))]
    pub selection: Selection,
    /// When the client's user is asked for the project, once for each connection.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub elicit: Elicit,
    /// The origin of a project's name.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub name_from: NameFrom,
    /// What the probe of a project's folder finds out about its repository.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub repository: FindRepository,
    /// What makes two folders the same project.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub identity: Identity,
    /// File names that make a folder a package, for asks with a `target`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// Whether a project must have a folder that this process can use; if not, a name or a folder on the client's machine
    /// is a project too.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub require_path: bool,
    /// Whether a log line reports that a source that lost names another project.
    #[serde(default, skip_serializing_if = "is_default")]
    pub report_disagreement: bool,
    /// Texts to show beside certain results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Advice for certain clients or transports if no project was found; the first match is `{advice}` in texts. Without a
    /// match, the advice names the ways that the sources, the host facts and the client leave open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
    /// Message templates that replace the standard ones.
    #[serde(default, deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
    /// Bounds on everything a peer can grow.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Limits>"))]
    pub limits: Limits,
}

impl PolicyConfig {
    /// A policy with these sources, best first, and default rules.
    ///
    /// ```
    /// use rootwise::policy::{Advice, Hint, Source, SourceKind};
    /// use rootwise::{Policy, PolicyConfig};
    ///
    /// let sources = [Source::new(SourceKind::Roots), Source::reading(SourceKind::Env, ["MY_PROJECT"])];
    /// let mut config = PolicyConfig::new("mine", sources);
    /// config.hints.push(Hint::new([SourceKind::Env], "The project comes from MY_PROJECT."));
    /// config.advice.push(Advice::new("Set MY_PROJECT."));
    /// assert_eq!(Policy::try_from(config)?.config().name, "mine");
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, sources: impl IntoIterator<Item = Source>) -> Self {
        Self {
            schema: None,
            name: name.into(),
            notes: Vec::new(),
            sources: sources.into_iter().collect(),
            roots: RootsRules::default(),
            timing: Timing::default(),
            memory: Memory::default(),
            selection: Selection::default(),
            elicit: Elicit::default(),
            name_from: NameFrom::default(),
            repository: FindRepository::default(),
            identity: Identity::default(),
            packages: Vec::new(),
            require_path: true,
            report_disagreement: false,
            hints: Vec::new(),
            advice: Vec::new(),
            texts: BTreeMap::new(),
            limits: Limits::default(),
        }
    }
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Policy::recommended().config
    }
}

/// The folders of version control systems.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

const fn yes() -> bool {
    true
}

/// Durations in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Timing {
    /// The wait of one caller, and the life of a probe.
    pub caller_timeout_ms: u32,
    /// The life of a request; then it is cancelled.
    pub request_timeout_ms: u32,
    /// The minimum interval between two requests that changes cause.
    pub min_interval_ms: u32,
    /// The age up to which a list of roots and the report of a probe count without a refresh; `null` means that they count
    /// until something changes.
    pub max_age_ms: Option<u32>,
    /// The number of later asks that may retry after an error, until the roots change; a request without an answer is not
    /// retried.
    pub retries: u32,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            caller_timeout_ms: 5_000,
            request_timeout_ms: 60_000,
            min_interval_ms: 250,
            max_age_ms: Some(1_000),
            retries: 3,
        }
    }
}

/// The origin of a project's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum NameFrom {
    /// The last component of the path.
    #[default]
    Basename,
    /// The root's own name, else the last component.
    RootName,
}

/// A text to show beside certain results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Hint {
    /// The sources of the results.
    pub sources: Vec<SourceKind>,
    /// Whether only clients without roots receive it: those that declare none or do not support the request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub without_roots: bool,
    /// Whether a connection receives it only once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub once: bool,
    /// The text.
    pub text: String,
}

impl Hint {
    /// A text for every result from these sources.
    ///
    /// ```
    /// use rootwise::policy::{Hint, SourceKind};
    ///
    /// let mut hint = Hint::new([SourceKind::Cwd], "Open a folder in your client to be exact.");
    /// (hint.once, hint.without_roots) = (true, true);
    /// ```
    #[must_use]
    pub fn new(sources: impl IntoIterator<Item = SourceKind>, text: impl Into<String>) -> Self {
        Self { sources: sources.into_iter().collect(), without_roots: false, once: false, text: text.into() }
    }

    pub(crate) fn suits(&self, project: &Project, client_has_roots: bool) -> bool {
        self.sources.contains(&project.source) && !(self.without_roots && client_has_roots)
    }
}

/// Advice for a certain client or transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Advice {
    /// The client's name, with `*` at the end for every name that begins so; absent for any client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The transport; absent for any transport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The text.
    pub text: String,
}

impl Advice {
    /// Advice for any client and transport.
    ///
    /// ```
    /// let mut advice = rootwise::policy::Advice::new("Start the server in your project.");
    /// advice.client = Some("claude-*".into());
    /// ```
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { client: None, transport: None, text: text.into() }
    }
}
