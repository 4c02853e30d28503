//! Sources: where a value is read, and how it is judged.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::is_default;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::api::source::SourceKind;

/// One source: where a value is read, and how it is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Source {
    /// The kind of source.
    pub from: SourceKind,
    /// The inputs to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
    /// command line options and, with a leading `$`, variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// The form of the value.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub format: Format,
    /// The required state on disk.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub verify: Verify,
    /// The treatment of a relative path.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub relative: Relative,
    /// The treatment of links.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub links: Links,
    /// The folders that it may name; by default `knownFolders` for the words of a model (`argument`, `selected`) and
    /// `anywhere` for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// The treatment of excluded folders; by default they are allowed for what an operator or a user chose on purpose
    /// (`server`, `header`, `query`, `configured`, and what is `within: anywhere` of `argument` and `selected`) and refused for
    /// the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded_dirs: Option<ExcludedDirsRule>,
    /// The effect of a bad value; by default it ends the ask for `server`, `argument`, `header` and `query`, and yields to
    /// the next source for the others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_bad: OnBad,
    /// The HTTP status of a bad value that ends the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// A walk from the value up to a marked folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<Markers>,
    /// The conditions under which the source applies.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub when: When,
    /// How often the disk is probed.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub recheck: Recheck,
}

impl Source {
    /// A source with default rules. Sources that read by name (see [`Source::read`]) need at least one name.
    ///
    /// ```
    /// use rootwise::policy::{Policy, PolicyConfig, Source, SourceKind};
    ///
    /// let sources = [Source::new(SourceKind::Roots), Source::reading(SourceKind::Env, ["MY_PROJECT"])];
    /// let policy = Policy::try_from(PolicyConfig::new("mine", sources))?;
    /// assert_eq!(policy.config().sources.len(), 2);
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn new(from: SourceKind) -> Self {
        Self {
            from,
            read: Vec::new(),
            format: Format::default(),
            verify: Verify::default(),
            relative: Relative::default(),
            links: Links::default(),
            within: None,
            excluded_dirs: None,
            on_bad: OnBad::default(),
            status: None,
            refine: None,
            when: When::default(),
            recheck: Recheck::default(),
        }
    }

    /// A source that reads these names, in order.
    ///
    /// ```
    /// use rootwise::policy::{Source, SourceKind};
    ///
    /// let mut header = Source::reading(SourceKind::Header, ["x-project-path"]);
    /// header.status = Some(400);
    /// assert_eq!(header.read, ["x-project-path"]);
    /// ```
    #[must_use]
    pub fn reading<N: Into<String>>(from: SourceKind, names: impl IntoIterator<Item = N>) -> Self {
        Self { read: names.into_iter().map(Into::into).collect(), ..Self::new(from) }
    }

    pub(crate) fn excluded_dirs_rule(&self) -> ExcludedDirsRule {
        let free = self.from.is_chosen() && self.within() == Within::Anywhere;
        let by_kind = if free { ExcludedDirsRule::Allow } else { ExcludedDirsRule::Refuse };
        self.excluded_dirs.unwrap_or(by_kind)
    }

    pub(crate) fn within(&self) -> Within {
        let by_kind = match self.from {
            SourceKind::Argument | SourceKind::Selected => Within::KnownFolders,
            _ => Within::Anywhere,
        };
        self.within.unwrap_or(by_kind)
    }

    pub(crate) fn on_bad(&self, reason: Reason) -> BadOutcome {
        let by_kind = if self.from.is_given_by_caller() { BadOutcome::Error } else { BadOutcome::Next };
        let otherwise = self.on_bad.otherwise.unwrap_or(by_kind);
        self.on_bad.reasons.get(&reason).copied().unwrap_or(otherwise)
    }

    /// Whether a bad value of this source can end an ask that another source would win.
    pub(crate) fn can_end_ask(&self) -> bool {
        let otherwise = self.on_bad.otherwise.is_none_or(|outcome| outcome == BadOutcome::Error);
        let some = self.on_bad.reasons.values().any(|outcome| *outcome == BadOutcome::Error);
        self.from.is_given_by_caller() && (otherwise || some)
    }
}

impl SourceKind {
    /// Whether the client spelled the value, so that its paths are those of the client's machine.
    pub(crate) const fn is_spelled_by_client(self) -> bool {
        matches!(self, Self::Argument | Self::Header | Self::Query | Self::Meta | Self::Roots | Self::Selected)
    }

    /// Whether the caller put the value into this very request.
    pub(crate) const fn is_given_by_caller(self) -> bool {
        matches!(self, Self::Server | Self::Argument | Self::Header | Self::Query)
    }

    /// Whether a person or a program chose the value on purpose.
    pub(crate) const fn is_chosen(self) -> bool {
        self.is_given_by_caller() || matches!(self, Self::Selected | Self::Configured)
    }

    /// Whether it reads what the client gave to the process that it started.
    pub(crate) const fn is_of_process(self) -> bool {
        matches!(self, Self::Env | Self::Cwd)
    }

    pub(super) const fn reads_names(self) -> bool {
        matches!(self, Self::Header | Self::Query | Self::Meta | Self::Configured | Self::Env)
    }
}

/// The form of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Format {
    /// A path or a `file:` URI.
    #[default]
    PathOrUri,
    /// A path; a `file:` URI has no meaning of its own.
    Path,
    /// A `file:` URI, a path if it has a separator, else a name.
    Any,
    /// One path, or several separated by commas (on Windows also semicolons), or a JSON array; the first usable one counts.
    List,
}

/// The required state on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Verify {
    /// None: the path is not probed.
    None,
    /// The path must exist.
    Exists,
    /// The path must be a folder.
    #[default]
    Directory,
}

/// The treatment of a relative path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Relative {
    /// It is refused.
    #[default]
    Refuse,
    /// It is joined to the server's working directory if the client is local.
    Cwd,
}

/// The treatment of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Links {
    /// The project is the folder as it was spelled.
    #[default]
    Keep,
    /// The project is the folder that the path really leads to, as the probe reports it; a marker walk starts there.
    Follow,
}

/// The folders that a source may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Within {
    /// Any folder that the host allows.
    Anywhere,
    /// The client's roots, the operator's project, `allowedDirs`, and the folders inside these; where there are none, a
    /// folder with a project marker.
    KnownFolders,
}

/// The treatment of excluded folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ExcludedDirsRule {
    /// All are allowed.
    Allow,
    /// Folders without a name are refused: `/`, a drive, a share.
    Named,
    /// Those are refused, and the home, temporary, system and install folders.
    Refuse,
}

/// The effect of a bad value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(as = "OnBadDeclaration"))]
#[serde(try_from = "OnBadMap", into = "OnBadMap")]
#[non_exhaustive]
pub struct OnBad {
    /// For every reason that is not listed.
    pub otherwise: Option<BadOutcome>,
    /// By reason.
    pub reasons: BTreeMap<Reason, BadOutcome>,
}

/// The same in JSON: reason codes and the key `otherwise`.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct OnBadMap(#[serde(deserialize_with = "crate::api::unique_keys")] BTreeMap<String, BadOutcome>);

impl TryFrom<OnBadMap> for OnBad {
    type Error = String;

    fn try_from(OnBadMap(mut map): OnBadMap) -> Result<Self, String> {
        let otherwise = map.remove("otherwise");
        let mut reasons = BTreeMap::new();
        for (code, outcome) in map {
            let reason = Reason::from_code(&code).ok_or_else(|| format!("unknown reason code `{code}`"))?;
            reasons.insert(reason, outcome);
        }
        Ok(Self { otherwise, reasons })
    }
}

impl From<OnBad> for OnBadMap {
    fn from(OnBad { otherwise, reasons }: OnBad) -> Self {
        let otherwise = otherwise.map(|outcome| ("otherwise".to_string(), outcome));
        let mut map = BTreeMap::new();
        map.extend(reasons.into_iter().map(|(reason, outcome)| (reason.code().to_string(), outcome)).chain(otherwise));
        Self(map)
    }
}

/// The same in TypeScript.
#[cfg(feature = "ts")]
#[derive(ts_rs::TS)]
#[expect(dead_code, reason = "only its declaration is used")]
struct OnBadDeclaration {
    /// For every reason that is not listed.
    #[ts(optional)]
    otherwise: Option<BadOutcome>,
    #[ts(flatten)]
    reasons: BTreeMap<Reason, BadOutcome>,
}

/// The two effects of a bad value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum BadOutcome {
    /// The next source is tried.
    Next,
    /// The ask ends with an error.
    Error,
}

/// A walk from a folder up to a marked one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Markers {
    /// Groups of markers, best first; within a group the nearest folder wins.
    pub tiers: Vec<Tier>,
    /// The number of folders to probe, including the starting folder.
    #[serde(default = "default_levels")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub levels: u32,
    /// The result if no folder is marked.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub otherwise: Unmarked,
}

const fn default_levels() -> u32 {
    10
}

/// The names of markers, which all paths of a walk share.
pub(crate) type MarkerNames = Arc<[String]>;

impl Markers {
    /// A walk to the nearest folder that has one of these markers.
    ///
    /// ```
    /// use rootwise::policy::{Markers, Source, SourceKind, Tier};
    ///
    /// let mut cwd = Source::new(SourceKind::Cwd);
    /// let mut markers = Markers::any_of([".git"]);
    /// markers.tiers.push(Tier::new(["Cargo.toml", "package.json"]));
    /// cwd.refine = Some(markers);
    /// ```
    #[must_use]
    pub fn any_of<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { tiers: [Tier::new(names)].into(), levels: default_levels(), otherwise: Unmarked::default() }
    }

    /// Every marker once, in order.
    pub(crate) fn names(&self) -> MarkerNames {
        let mut names = Vec::new();
        for name in self.tiers.iter().flat_map(|tier| &tier.names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names.into()
    }
}

/// A group of markers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Tier {
    /// File or folder names.
    pub names: Vec<String>,
    /// The number of them that must exist.
    #[serde(default = "default_at_least")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub at_least: u32,
}

impl Tier {
    /// A group of which one marker is enough.
    ///
    /// ```
    /// let tier = rootwise::policy::Tier::new([".git", ".hg"]);
    /// assert_eq!(tier.at_least, 1);
    /// ```
    #[must_use]
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), at_least: default_at_least() }
    }
}

const fn default_at_least() -> u32 {
    1
}

/// The result of a walk that finds no marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Unmarked {
    /// The value is rejected.
    #[default]
    Reject,
    /// The starting folder is accepted.
    Start,
}

/// The conditions under which a source applies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// Only over these transports; an empty list means any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transports: Vec<Transport>,
    /// Only if the command line has this option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// Only if the process serves this client alone; by default true for `env` and `cwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedicated: Option<bool>,
}

/// How often the disk is probed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Recheck {
    /// When the value changes.
    #[default]
    OnChange,
    /// For every ask.
    EachAsk,
}
