//! The sources: where a value is read, and how it is judged.

#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Reason;
use crate::form::{fields, names};
use crate::host::Transport;
use crate::map::Map;
use crate::read::{Faults, Readable, read_fields};
use crate::write::{Members, Written, write_fields};

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
    pub excluded_dirs: Option<ExcludedDirsRule>,
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

fields!(Source: from; read, format, verify, relative, excluded_dirs, on_bad, status, refine, when, recheck);

impl Source {
    pub(crate) fn excluded_dirs_rule(&self) -> ExcludedDirsRule {
        let by_kind = if self.from.is_chosen() { ExcludedDirsRule::Allow } else { ExcludedDirsRule::Refuse };
        self.excluded_dirs.unwrap_or(by_kind)
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

    pub(super) const fn reads(self) -> bool {
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
pub enum ExcludedDirsRule {
    /// None.
    Allow,
    /// Those without a name of their own: `/`, a drive, a share.
    Named,
    /// Those, the home and temporary folders, and system and install folders with all below.
    Refuse,
}

names!(ExcludedDirsRule: Allow, Named, Refuse);

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
