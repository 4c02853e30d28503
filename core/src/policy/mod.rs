//! The policy: which sources count, in which order, and what happens when they disagree, fail or change. Plain data.

mod check;
mod texts;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::{Misuse, Reason};
use crate::host::Transport;
use crate::limits::Limits;

pub(crate) use texts::{Texts, Values};

/// How a server finds its project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// A name for logs and snapshots.
    pub name: String,
    /// What a reader should know: where the policy departs from the system it follows, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The sources, best first.
    pub sources: Vec<Source>,
    /// How the client's roots are asked for and picked from.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RootsRules>"))]
    pub roots: RootsRules,
    /// How long things take.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Timing>"))]
    pub timing: Timing,
    /// What outlives an ask.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Memory>"))]
    pub memory: Memory,
    /// What a tool may select.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Selection>"))]
    pub selection: Selection,
    /// Where a project's name comes from.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub name_from: NameFrom,
    /// Whether a notice tells when a source that lost names another project.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub report_disagreement: bool,
    /// Texts to show beside certain results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// What to do for a certain client or transport when nothing was found; the first match is `{advice}` in texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
    /// Message templates that replace the standard ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
    /// Bounds on what a peer can grow.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Limits>"))]
    pub limits: Limits,
}

impl Policy {
    /// Reads and checks a policy.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn from_json(text: &str) -> Result<Self, Misuse> {
        let policy: Self = serde_json::from_str(text).map_err(|error| check::unreadable(&error))?;
        policy.check()?;
        Ok(policy)
    }

    /// The policy for a new server: explicit values first, then the client's roots, then client variables, then a
    /// working directory that a project marker vouches for.
    #[must_use]
    pub fn recommended() -> Self {
        // The file is part of the crate and a test reads it; an empty policy would only ever resolve nothing.
        Self::from_json(RECOMMENDED).unwrap_or_else(|_| Self::empty())
    }

    fn empty() -> Self {
        Self {
            name: String::new(),
            notes: Vec::new(),
            sources: Vec::new(),
            roots: RootsRules::default(),
            timing: Timing::default(),
            memory: Memory::default(),
            selection: Selection::default(),
            name_from: NameFrom::default(),
            report_disagreement: false,
            hints: Vec::new(),
            advice: Vec::new(),
            texts: BTreeMap::new(),
            limits: Limits::default(),
        }
    }

    /// Fills in one of the policy's templates; for texts that only the host can give, under keys that start with
    /// `host.`.
    #[must_use]
    pub fn render(&self, key: &str, values: &[(&str, &str)]) -> Option<String> {
        self.texts.get(key).map(|template| texts::fill(template, values))
    }

    pub(crate) fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.sources.iter().find(|source| source.from == kind)
    }
}

/// The JSON text of the recommended policy.
pub const RECOMMENDED: &str = include_str!("../../presets/recommended.json");

/// One source: where a value is read and how it is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Source {
    /// The kind of source.
    pub from: SourceKind,
    /// What to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
    /// command line options and, with a leading `$`, variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// What the value looks like.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub format: Format,
    /// What must be on disk.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub verify: Verify,
    /// What happens to a relative path.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub relative: Relative,
    /// Which places are refused; by default all for sources nobody chose on purpose (`meta`, `roots`, `remembered`,
    /// `env`, `cwd`), none for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<PlacesRule>,
    /// What a bad value does; by default it ends the ask for `host`, `argument`, `header` and `query`, and gives way
    /// to the next source for the others.
    #[serde(default, skip_serializing_if = "OnBad::is_default")]
    pub on_bad: OnBad,
    /// The HTTP status of a bad value that ends the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// A walk from the value up to a marked folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<Markers>,
    /// When the source counts at all.
    #[serde(default, skip_serializing_if = "When::is_default")]
    pub when: When,
    /// How often the disk is looked at.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub recheck: Recheck,
}

impl Source {
    pub(crate) fn places(&self) -> PlacesRule {
        let by_kind = if self.from.is_chosen() { PlacesRule::Allow } else { PlacesRule::Refuse };
        self.places.unwrap_or(by_kind)
    }

    pub(crate) fn on_bad(&self, reason: Reason) -> BadOutcome {
        let by_kind = if self.from.is_asked_for() { BadOutcome::Error } else { BadOutcome::Next };
        let otherwise = self.on_bad.otherwise.unwrap_or(by_kind);
        self.on_bad.reasons.get(&reason).copied().unwrap_or(otherwise)
    }
}

/// The kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum SourceKind {
    /// What the host knows of the caller.
    Host,
    /// An argument of the call.
    Argument,
    /// An HTTP header.
    Header,
    /// An HTTP query parameter.
    Query,
    /// A `_meta` entry.
    Meta,
    /// A tool's selection.
    Selected,
    /// The command line, or the server's own variable.
    Configured,
    /// The client's roots.
    Roots,
    /// The last project this connection had.
    Remembered,
    /// A variable the client sets.
    Env,
    /// The server's working directory.
    Cwd,
}

impl SourceKind {
    /// The name in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Argument => "argument",
            Self::Header => "header",
            Self::Query => "query",
            Self::Meta => "meta",
            Self::Selected => "selected",
            Self::Configured => "configured",
            Self::Roots => "roots",
            Self::Remembered => "remembered",
            Self::Env => "env",
            Self::Cwd => "cwd",
        }
    }

    /// Whether it belongs to one request, and never to the connection.
    #[must_use]
    pub const fn is_per_request(self) -> bool {
        matches!(self, Self::Host | Self::Argument | Self::Header | Self::Query | Self::Meta)
    }

    /// Whether somebody put the value there for this very request.
    pub(crate) const fn is_asked_for(self) -> bool {
        matches!(self, Self::Host | Self::Argument | Self::Header | Self::Query)
    }

    /// Whether somebody chose the value on purpose.
    pub(crate) const fn is_chosen(self) -> bool {
        self.is_asked_for() || matches!(self, Self::Selected | Self::Configured)
    }

    const fn reads(self) -> bool {
        matches!(self, Self::Header | Self::Query | Self::Meta | Self::Configured | Self::Env)
    }
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// A path or a `file:` URI.
    #[default]
    PathOrUri,
    /// A name that is no path.
    Name,
    /// A `file:` URI, a path if it has a separator, else a name.
    Any,
    /// One path, or several separated by commas (on Windows also semicolons), or a JSON array; the first usable counts.
    List,
}

/// What must be on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Verify {
    /// Nothing is looked at.
    None,
    /// Something must be there.
    Exists,
    /// A folder must be there.
    #[default]
    Directory,
}

/// What happens to a relative path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Relative {
    /// It is refused.
    #[default]
    Refuse,
    /// It is joined to the server's working directory, if the client is local.
    Cwd,
}

/// Which places are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum PlacesRule {
    /// None.
    Allow,
    /// Those without a name of their own: `/`, a drive, a share.
    Named,
    /// Those, the home and temporary folders, and system and install folders with all below.
    Refuse,
}

/// What a bad value does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct OnBad {
    /// For every reason not named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<BadOutcome>,
    /// By reason.
    #[serde(flatten)]
    pub reasons: BTreeMap<Reason, BadOutcome>,
}

impl OnBad {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The two things a bad value can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum BadOutcome {
    /// The next source is looked at.
    Next,
    /// The ask ends with an error.
    Error,
}

/// A walk from a folder up to a marked one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Markers {
    /// Groups of markers, best first; within a group the nearest folder wins.
    pub tiers: Vec<Tier>,
    /// How many folders are looked at, the starting one included.
    #[serde(default = "ten")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub levels: u32,
    /// What happens when no folder is marked.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub otherwise: Unmarked,
}

const fn ten() -> u32 {
    10
}

/// A group of markers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tier {
    /// File or folder names.
    pub names: Vec<String>,
    /// How many of them must be there.
    #[serde(default = "one")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub at_least: u32,
}

const fn one() -> u32 {
    1
}

/// What happens when no folder is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Unmarked {
    /// The value is rejected.
    #[default]
    Reject,
    /// The starting folder is taken.
    Start,
}

/// When a source counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct When {
    /// Only over these transports; none means any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transports: Vec<Transport>,
    /// Only when the client's paths mean the same here.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub local: bool,
    /// Only when the command line has this option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
}

impl When {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How often the disk is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Recheck {
    /// Until the value changes.
    #[default]
    OnChange,
    /// For every ask.
    EachAsk,
}

/// How the client's roots are asked for and picked from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RootsRules {
    /// When to ask.
    pub ask: Ask,
    /// Whether only a client that declared roots is asked.
    pub require_capability: bool,
    /// Which root counts.
    pub pick: Pick,
    /// What an unusable root does.
    pub on_unusable: OnUnusable,
    /// What a root that is no `file:` URI does.
    pub non_file: NonFile,
    /// What an absolute path in place of a URI is.
    pub bare_paths: BarePaths,
    /// What a root that is a file stands for.
    pub files: Files,
    /// Whether several roots end the ask, where `pick` is `only`, or give way to the next source.
    pub ambiguity: BadOutcome,
    /// What a change does.
    pub on_change: OnChange,
    /// What a change does while a request is in flight.
    pub while_asking: WhileAsking,
    /// After how long a list is asked for again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_ms: Option<u32>,
    /// After how long an empty list is asked for again.
    pub empty_max_age_ms: Option<u32>,
    /// How the requests look.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RequestForm>"))]
    pub request: RequestForm,
    /// Which errors mean that the client has no roots method.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<UnsupportedErrors>"))]
    pub unsupported: UnsupportedErrors,
}

impl Default for RootsRules {
    fn default() -> Self {
        Self {
            ask: Ask::Lazy,
            require_capability: true,
            pick: Pick::First,
            on_unusable: OnUnusable::NextRoot,
            non_file: NonFile::Skip,
            bare_paths: BarePaths::Refuse,
            files: Files::Parent,
            ambiguity: BadOutcome::Error,
            on_change: OnChange::Refetch,
            while_asking: WhileAsking::Coalesce,
            max_age_ms: None,
            empty_max_age_ms: Some(30_000),
            request: RequestForm::default(),
            unsupported: UnsupportedErrors::default(),
        }
    }
}

/// When roots are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Ask {
    /// As soon as the client is ready.
    Eager,
    /// When an ask needs them.
    Lazy,
    /// Anew for every ask that needs them.
    EachRequest,
    /// Never: a list comes only from the host.
    Never,
}

/// Which root counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Pick {
    /// The one that contains what the ask is about, else the first.
    First,
    /// The only one there is.
    Only,
    /// The one a tool selects.
    Chosen,
}

/// What an unusable root does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum OnUnusable {
    /// It is taken although the disk says otherwise.
    Accept,
    /// The next root is looked at.
    NextRoot,
    /// The next source is looked at.
    NextSource,
    /// The ask ends with an error.
    Error,
}

/// What a root that is no `file:` URI does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum NonFile {
    /// The next root is looked at.
    Skip,
    /// The next source is looked at.
    NextSource,
    /// The ask ends with an error.
    Error,
    /// It is a project without a path, named by its last segment.
    NameOnly,
}

/// What an absolute path in place of a URI is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum BarePaths {
    /// A path, with a notice.
    Repair,
    /// No root.
    Refuse,
}

/// What a root that is a file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Files {
    /// The folder it is in.
    Parent,
    /// Nothing.
    Refuse,
}

/// What `list_changed` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum OnChange {
    /// Nothing.
    Ignore,
    /// The next ask that needs roots asks again.
    Invalidate,
    /// Roots are asked for again at once, where the host may push; else as `invalidate`.
    Refetch,
}

/// What `list_changed` does while a request is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum WhileAsking {
    /// One more request follows.
    Coalesce,
    /// It is dropped.
    Drop,
}

/// How requests for roots look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RequestForm {
    /// What precedes the number in a request id; an empty prefix makes the id a number.
    pub id_prefix: String,
    /// Whether an empty `params` object is sent.
    pub empty_params: bool,
}

impl Default for RequestForm {
    fn default() -> Self {
        Self { id_prefix: "rootwise-".into(), empty_params: false }
    }
}

/// Which errors mean that the client has no roots method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UnsupportedErrors {
    /// These codes do.
    pub codes: Vec<i64>,
    /// So do messages that contain one of these, in any ASCII case.
    pub messages: Vec<String>,
}

impl Default for UnsupportedErrors {
    fn default() -> Self {
        let messages = ["not supported", "unsupported", "method not found", "unknown method", "not implemented"];
        Self { codes: [-32601].into(), messages: messages.map(String::from).into() }
    }
}

/// How long things take, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Timing {
    /// How long one caller waits, and how long a probe stays open.
    pub wait_ms: u32,
    /// How long a request lives before it is cancelled.
    pub life_ms: u32,
    /// The least time between two requests that changes cause.
    pub min_interval_ms: u32,
    /// How many more asks may try after a failure, until the roots change.
    pub retries: u32,
}

impl Default for Timing {
    fn default() -> Self {
        Self { wait_ms: 5_000, life_ms: 60_000, min_interval_ms: 250, retries: 3 }
    }
}

/// What outlives an ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Memory {
    /// Whether the connection's first project stays.
    pub pin: Pin,
    /// Which sources can pin; none means every source of the connection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_from: Vec<SourceKind>,
    /// Whether `remembered` keeps a root that a newer list no longer has.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub keep_lost_root: bool,
}

/// Whether the connection's first project stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Pin {
    /// It does not.
    #[default]
    No,
    /// It does, until something is selected or cleared.
    Sticky,
    /// It does, whatever comes.
    Immutable,
}

/// What a tool may select.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Selection {
    /// What a bare name may be.
    pub names: Names,
    /// How a name must look.
    pub name_rule: NameRule,
    /// Whether a `..` is resolved or refused.
    pub traversal: Traversal,
    /// When the selection must be one of the client's roots, if the client has any.
    pub enforce_roots: EnforceRoots,
    /// What makes it one of them.
    pub root_match: RootMatch,
}

/// What a bare name may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Names {
    /// The name of one of the client's roots.
    #[default]
    Roots,
    /// Any name: a root of that name if there is one, else a project without a path.
    Any,
}

/// How a name must look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum NameRule {
    /// Anything that is not empty.
    #[default]
    Any,
    /// Letters, digits, underscores and hyphens.
    Word,
}

/// Whether a `..` is resolved or refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Traversal {
    /// Resolved.
    #[default]
    Resolve,
    /// Refused.
    Refuse,
}

/// When a selection must be one of the client's roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum EnforceRoots {
    /// Never.
    #[default]
    Off,
    /// When it is made.
    OnSelect,
    /// When it is made and for as long as it stands.
    Always,
}

/// What makes a selection one of the roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum RootMatch {
    /// The same folder.
    #[default]
    Key,
    /// The same URI, letter for letter.
    ExactUri,
    /// A folder in a root.
    Inside,
}

/// Where a project's name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum NameFrom {
    /// The last component of the path.
    #[default]
    Basename,
    /// The last segment of the URI as it was sent, still percent-encoded.
    RawBasename,
    /// The root's own name, else the last component.
    RootName,
}

/// A text to show beside certain results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hint {
    /// When one of these sources won.
    pub sources: Vec<SourceKind>,
    /// Whether a connection gets it only once.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub once: bool,
    /// The text.
    pub text: String,
}

/// What to do for a certain client or transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Advice {
    /// The client's name, with `*` at the end for any that begins so; none means any client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The transport; none means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The text.
    pub text: String,
}
