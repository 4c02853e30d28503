//! The policy: which sources count, in which order, and what happens when they disagree, fail or change. Plain data.

mod check;
mod texts;

#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Misuse, Reason};
use crate::form::{fields, names};
use crate::host::Transport;
use crate::limits::Limits;
use crate::map::Map;
use crate::read::{self, Faults, Readable, read_fields};
use crate::write::{Members, Written, text, write_fields};

pub(crate) use texts::{Texts, Values};

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
        self.texts.get(key).map(|template| texts::fill(template, values))
    }

    pub(crate) fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.sources.iter().find(|source| source.from == kind)
    }
}

/// The JSON text of the recommended policy.
pub const RECOMMENDED: &str = include_str!("../../presets/recommended.json");

/// One source: where a value is read and how it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Source {
    /// The kind of source.
    pub from: SourceKind,
    /// What to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
    /// command line options and, with a leading `$`, variables.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub read: Vec<String>,
    /// What the value looks like.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub format: Format,
    /// What must be on disk.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub verify: Verify,
    /// What happens to a relative path.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub relative: Relative,
    /// Which places are refused; by default all for sources nobody chose on purpose (`meta`, `roots`, `remembered`,
    /// `env`, `cwd`), none for the others.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub places: Option<PlacesRule>,
    /// What a bad value does; by default it ends the ask for `host`, `argument`, `header` and `query`, and gives way
    /// to the next source for the others.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub on_bad: OnBad,
    /// The HTTP status of a bad value that ends the ask.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub status: Option<u16>,
    /// A walk from the value up to a marked folder.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub refine: Option<Markers>,
    /// When the source counts at all.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub when: When,
    /// How often the disk is looked at.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub recheck: Recheck,
}

fields!(Source: from; read, format, verify, relative, places, on_bad, status, refine, when, recheck);

impl Source {
    pub(crate) fn places(&self) -> PlacesRule {
        let by_kind = if self.from.is_chosen() { PlacesRule::Allow } else { PlacesRule::Refuse };
        self.places.unwrap_or(by_kind)
    }

    pub(crate) fn on_bad(&self, reason: Reason) -> BadOutcome {
        let by_kind = if self.from.is_asked_for() { BadOutcome::Error } else { BadOutcome::Next };
        let otherwise = self.on_bad.otherwise.unwrap_or(by_kind);
        self.on_bad.reasons.get(reason.code()).copied().unwrap_or(otherwise)
    }
}

/// The kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

names!(SourceKind: Host, Argument, Header, Query, Meta, Selected, Configured, Roots, Remembered, Env, Cwd);

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

names!(Format: PathOrUri, Name, Any, List);

/// What must be on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Verify {
    /// Nothing is looked at.
    None,
    /// Something must be there.
    Exists,
    /// A folder must be there.
    #[default]
    Directory,
}

names!(Verify: None, Exists, Directory);

/// What happens to a relative path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Relative {
    /// It is refused.
    #[default]
    Refuse,
    /// It is joined to the server's working directory, if the client is local.
    Cwd,
}

names!(Relative: Refuse, Cwd);

/// Which places are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum PlacesRule {
    /// None.
    Allow,
    /// Those without a name of their own: `/`, a drive, a share.
    Named,
    /// Those, the home and temporary folders, and system and install folders with all below.
    Refuse,
}

names!(PlacesRule: Allow, Named, Refuse);

/// What a bad value does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(as = "OnBadForm"))]
pub struct OnBad {
    /// For every reason not named.
    pub otherwise: Option<BadOutcome>,
    /// By the code of the reason.
    pub reasons: Map<BadOutcome>,
}

/// The same as TypeScript sees it.
#[cfg(feature = "ts")]
#[derive(ts_rs::TS)]
#[ts(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its declaration is used")]
struct OnBadForm {
    /// For every reason not named.
    #[ts(optional)]
    otherwise: Option<BadOutcome>,
    #[ts(flatten)]
    reasons: BTreeMap<Reason, BadOutcome>,
}

impl Written for OnBad {
    fn write(&self, out: &mut String) {
        Members::object(out, |members| {
            members.optional("otherwise", self.otherwise.present());
            for (code, outcome) in self.reasons.iter() {
                members.entry(code, outcome);
            }
        });
    }

    fn present(&self) -> Option<&dyn Written> {
        (*self != Self::default()).then_some(self)
    }
}

impl Readable for OnBad {
    fn read(text: &str, faults: &mut Faults) -> Self {
        let mut reasons: Map<BadOutcome> = Readable::read(text, faults);
        let otherwise = reasons.remove("otherwise");
        Self { otherwise, reasons }
    }
}

/// The two things a bad value can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum BadOutcome {
    /// The next source is looked at.
    Next,
    /// The ask ends with an error.
    Error,
}

names!(BadOutcome: Next, Error);

/// A walk from a folder up to a marked one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Markers {
    /// Groups of markers, best first; within a group the nearest folder wins.
    pub tiers: Vec<Tier>,
    /// How many folders are looked at, the starting one included.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub levels: u32,
    /// What happens when no folder is marked.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub otherwise: Unmarked,
}

read_fields!(Markers: tiers; levels = 10, otherwise);
write_fields!(Markers: tiers, levels, otherwise);

/// A group of markers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Tier {
    /// File or folder names.
    pub names: Vec<String>,
    /// How many of them must be there.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub at_least: u32,
}

read_fields!(Tier: names; at_least = 1);
write_fields!(Tier: names, at_least);

/// What happens when no folder is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Unmarked {
    /// The value is rejected.
    #[default]
    Reject,
    /// The starting folder is taken.
    Start,
}

names!(Unmarked: Reject, Start);

/// When a source counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct When {
    /// Only over these transports; none means any.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transports: Vec<Transport>,
    /// Only when the client's paths mean the same here.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub local: bool,
    /// Only when the command line has this option.
    pub argument: Option<String>,
}

fields!(When: ; transports, local, argument);

/// How often the disk is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Recheck {
    /// Until the value changes.
    #[default]
    OnChange,
    /// For every ask.
    EachAsk,
}

names!(Recheck: OnChange, EachAsk);

/// How the client's roots are asked for and picked from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

fields!(RootsRules by default: ask, require_capability, pick, on_unusable, non_file, bare_paths, files, ambiguity, on_change, while_asking, max_age_ms, empty_max_age_ms, request, unsupported);

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

names!(Ask: Eager, Lazy, EachRequest, Never);

/// Which root counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Pick {
    /// The one that contains what the ask is about, else the first.
    First,
    /// The only one there is.
    Only,
    /// The one a tool selects.
    Chosen,
}

names!(Pick: First, Only, Chosen);

/// What an unusable root does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

names!(OnUnusable: Accept, NextRoot, NextSource, Error);

/// What a root that is no `file:` URI does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
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

names!(NonFile: Skip, NextSource, Error, NameOnly);

/// What an absolute path in place of a URI is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum BarePaths {
    /// A path, with a notice.
    Repair,
    /// No root.
    Refuse,
}

names!(BarePaths: Repair, Refuse);

/// What a root that is a file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Files {
    /// The folder it is in.
    Parent,
    /// Nothing.
    Refuse,
}

names!(Files: Parent, Refuse);

/// What `list_changed` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum OnChange {
    /// Nothing.
    Ignore,
    /// The next ask that needs roots asks again.
    Invalidate,
    /// Roots are asked for again at once, where the host may push; else as `invalidate`.
    Refetch,
}

names!(OnChange: Ignore, Invalidate, Refetch);

/// What `list_changed` does while a request is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum WhileAsking {
    /// One more request follows.
    Coalesce,
    /// It is dropped.
    Drop,
}

names!(WhileAsking: Coalesce, Drop);

/// How requests for roots look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RequestForm {
    /// What precedes the number in a request id; an empty prefix makes the id a number.
    pub id_prefix: String,
    /// Whether an empty `params` object is sent.
    pub empty_params: bool,
}

fields!(RequestForm by default: id_prefix, empty_params);

impl Default for RequestForm {
    fn default() -> Self {
        Self { id_prefix: "rootwise-".into(), empty_params: false }
    }
}

/// Which errors mean that the client has no roots method.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct UnsupportedErrors {
    /// These codes do.
    pub codes: Vec<i64>,
    /// So do messages that contain one of these, in any ASCII case.
    pub messages: Vec<String>,
}

fields!(UnsupportedErrors by default: codes, messages);

impl Default for UnsupportedErrors {
    fn default() -> Self {
        let messages = ["not supported", "unsupported", "method not found", "unknown method", "not implemented"];
        Self { codes: [-32601].into(), messages: messages.map(String::from).into() }
    }
}

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
