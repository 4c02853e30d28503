//! The policy: which sources count, in which order, and what happens when they disagree, fail or change. Plain data.

pub mod limits;
mod roots;
mod source;
mod templates;
mod validate;

#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Misuse;
use crate::form::{fields, names};
use crate::host::Transport;
use crate::limits::Limits;
use crate::map::Map;
use crate::read;
use crate::write::text;

pub use roots::{
    Ask, BarePaths, Files, NonFile, OnChange, OnUnusable, Pick, RequestForm, RootsRules, UnsupportedErrors, WhileAsking,
};
pub use source::{
    BadOutcome, ExcludedDirsRule, Format, Markers, OnBad, Recheck, Relative, Source, SourceKind, Tier, Unmarked,
    Verify, When,
};
pub(crate) use templates::{Texts, Values};

/// How a server finds its project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Policy {
    /// A name for logs and snapshots.
    pub name: String,
    /// What a reader should know: where the policy departs from the system it follows, and why.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub notes: Vec<String>,
    /// The sources, best first.
    pub sources: Vec<Source>,
    /// How the client's roots are asked for and picked from.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RootsRules>"))]
    pub roots: RootsRules,
    /// How long things take.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Timing>"))]
    pub timing: Timing,
    /// What outlives an ask.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Memory>"))]
    pub memory: Memory,
    /// What a tool may select.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Selection>"))]
    pub selection: Selection,
    /// Where a project's name comes from.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub name_from: NameFrom,
    /// Whether a notice tells when a source that lost names another project.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub report_disagreement: bool,
    /// Texts to show beside certain results.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub hints: Vec<Hint>,
    /// What to do for a certain client or transport when nothing was found; the first match is `{advice}` in texts.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub advice: Vec<Advice>,
    /// Message templates that replace the standard ones.
    #[cfg_attr(feature = "ts", ts(optional = nullable, as = "BTreeMap<String, String>"))]
    pub texts: Map<String>,
    /// Bounds on what a peer can grow.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<Limits>"))]
    pub limits: Limits,
}

fields!(Policy: name, sources; notes, roots, timing, memory, selection, name_from, report_disagreement, hints, advice, texts, limits);

impl Policy {
    /// Reads and checks a policy.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn from_json(text: &str) -> Result<Self, Misuse> {
        let policy: Self = read::parse(text)?;
        policy.check()?;
        Ok(policy)
    }

    /// The policy as JSON; [`from_json`](Self::from_json) reads it again.
    #[must_use]
    pub fn to_json(&self) -> String {
        text(self)
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
            texts: Map::new(),
            limits: Limits::default(),
        }
    }

    /// Fills in one of the policy's templates; for texts that only the host can give, under keys that start with
    /// `host.`.
    #[must_use]
    pub fn render(&self, key: &str, values: &[(&str, &str)]) -> Option<String> {
        self.texts.get(key).map(|template| templates::fill(template, values))
    }

    pub(crate) fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.sources.iter().find(|source| source.from == kind)
    }
}

/// The JSON text of the recommended policy.
pub const RECOMMENDED: &str = include_str!("../../presets/recommended.json");

/// How long things take, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

fields!(Timing by default: wait_ms, life_ms, min_interval_ms, retries);

impl Default for Timing {
    fn default() -> Self {
        Self { wait_ms: 5_000, life_ms: 60_000, min_interval_ms: 250, retries: 3 }
    }
}

/// What outlives an ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Memory {
    /// Whether the connection's first project stays.
    pub pin: Pin,
    /// Which sources can pin; none means every source of the connection.
    pub pin_from: Vec<SourceKind>,
    /// Whether `remembered` keeps a root that a newer list no longer has.
    pub keep_lost_root: bool,
}

fields!(Memory: ; pin, pin_from, keep_lost_root);

/// Whether the connection's first project stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Pin {
    /// It does not.
    #[default]
    No,
    /// It does, until something is selected or cleared.
    Sticky,
    /// It does, whatever comes.
    Immutable,
}

names!(Pin: No, Sticky, Immutable);

/// What a tool may select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

fields!(Selection: ; names, name_rule, traversal, enforce_roots, root_match);

/// What a bare name may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Names {
    /// The name of one of the client's roots.
    #[default]
    Roots,
    /// Any name: a root of that name if there is one, else a project without a path.
    Any,
}

names!(Names: Roots, Any);

/// How a name must look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum NameRule {
    /// Anything that is not empty.
    #[default]
    Any,
    /// Letters, digits, underscores and hyphens.
    Word,
}

names!(NameRule: Any, Word);

/// Whether a `..` is resolved or refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Traversal {
    /// Resolved.
    #[default]
    Resolve,
    /// Refused.
    Refuse,
}

names!(Traversal: Resolve, Refuse);

/// When a selection must be one of the client's roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum EnforceRoots {
    /// Never.
    #[default]
    Off,
    /// When it is made.
    OnSelect,
    /// When it is made and for as long as it stands.
    Always,
}

names!(EnforceRoots: Off, OnSelect, Always);

/// What makes a selection one of the roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum RootMatch {
    /// The same folder.
    #[default]
    Key,
    /// The same URI, letter for letter.
    ExactUri,
    /// A folder in a root.
    Inside,
}

names!(RootMatch: Key, ExactUri, Inside);

/// Where a project's name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum NameFrom {
    /// The last component of the path.
    #[default]
    Basename,
    /// The last segment of the URI as it was sent, still percent-encoded.
    RawBasename,
    /// The root's own name, else the last component.
    RootName,
}

names!(NameFrom: Basename, RawBasename, RootName);

/// A text to show beside certain results.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Hint {
    /// When one of these sources won.
    pub sources: Vec<SourceKind>,
    /// Whether a connection gets it only once.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub once: bool,
    /// The text.
    pub text: String,
}

fields!(Hint: sources, text; once);

/// What to do for a certain client or transport.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Advice {
    /// The client's name, with `*` at the end for any that begins so; none means any client.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub client: Option<String>,
    /// The transport; none means any.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transport: Option<Transport>,
    /// The text.
    pub text: String,
}

fields!(Advice: text; client, transport);
