//! A second model of the resolver: slow, simple, and written from `docs/rules.md` alone.
//!
//! It keeps no state but a log: every accepted event and every consequence, in order ([`history`]). Whatever it wants
//! to know (is a request in flight? is the list stale? what does the disk say?) it finds by reading that log from the
//! start of the connection, every time. [`decide`] then walks the policy's sources once per ask. The shape has nothing in
//! common with the machine's, so that the two are unlikely to share a mistake.
//!
//! Texts (messages, instructions), revisions and explanations are not predicted.

pub mod checkouts;
pub mod compare;
pub mod decide;
pub mod disk;
pub mod generate;
pub mod history;
pub mod kept;
pub mod lists;
pub mod messages;
pub mod model;
pub mod packages;
pub mod peer;
pub mod places;
pub mod policies;
pub mod record;
pub mod repositories;
pub mod requests;
pub mod roots;
pub mod run;
pub mod select;
pub mod shown;
pub mod time;
pub mod user;
pub mod values;
pub mod verdict;
pub mod waits;
pub mod wins;
pub mod within;
pub mod world;

use std::collections::{BTreeMap, BTreeSet};

use rootwise::Reason;
use rootwise::action::{LogCode, MessageKind, RootsState, SharedBy};
use rootwise::explanation::Era;
use rootwise::policy::SourceKind;

/// A project as far as it is predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proj {
    pub key: String,
    pub name: String,
    /// The folder, on whichever machine it is.
    pub path: Option<String>,
    /// Whether the folder is on the client's machine, which is another one.
    pub on_client_machine: bool,
    /// The folder as the client spells it, where the path map makes that another path (rule 72).
    pub client_path: Option<String>,
    /// Whether a folder is spelled as on Windows.
    pub is_windows: Option<bool>,
    pub source: SourceKind,
    pub via: Option<String>,
    pub root: Option<u32>,
    /// The repository (rules 66 and 67).
    pub repository: Option<repositories::Repo>,
    /// The folder of the package of a target, inside the project, and its marker (rule 69).
    pub package: Option<(String, String, String)>,
    /// Whether it rests on something that is not fresh (rule 46).
    pub stale: bool,
}

/// A root with its problem, its real path, and whether it exists and is usable.
pub type Shown = (String, Option<Reason>, Option<String>, Option<bool>, bool);

/// How an ask ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out {
    Resolved(Proj),
    Selected(Proj),
    Listed(Vec<Shown>, RootsState),
    NeedsInput(Vec<(String, String)>),
    Refused(Reason, SourceKind, Option<u16>),
    Unresolved(Reason),
    /// The project that counts instead, or why there is none.
    Cleared(Result<Proj, Reason>),
}

impl Out {
    /// The project with which an ask ends.
    pub fn project(&self) -> Option<&Proj> {
        match self {
            Self::Resolved(project) | Self::Selected(project) | Self::Cleared(Ok(project)) => Some(project),
            _ => None,
        }
    }
}

/// What one event causes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Ask, end and hints, in order.
    pub answers: Vec<(u32, Out, Vec<String>)>,
    /// Keys before and after, and what the two share.
    pub announce: Vec<(Option<String>, Option<String>, Option<SharedBy>)>,
    /// Token and message.
    pub cancel: Vec<(u32, String)>,
    /// Token, the ask it travels with, message.
    pub send: Vec<(u32, Option<u32>, String)>,
    /// Forms for the user: token, the ask they travel with, what they offer.
    pub forms: Vec<(u32, u32, String)>,
    /// Probe id, and the markers wanted in each path.
    pub probe: Vec<(u32, BTreeMap<String, BTreeSet<String>>)>,
    pub forward: Vec<(MessageKind, String)>,
    pub notices: BTreeMap<LogCode, usize>,
}

/// Shows only what there is.
impl std::fmt::Debug for Effects {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Effects");
        if !self.answers.is_empty() {
            shown.field("answers", &self.answers);
        }
        if !self.announce.is_empty() {
            shown.field("announce", &self.announce);
        }
        if !self.cancel.is_empty() {
            shown.field("cancel", &self.cancel);
        }
        if !self.send.is_empty() {
            shown.field("send", &self.send);
        }
        if !self.forms.is_empty() {
            shown.field("forms", &self.forms);
        }
        if !self.probe.is_empty() {
            shown.field("probe", &self.probe);
        }
        if !self.forward.is_empty() {
            shown.field("forward", &self.forward);
        }
        if !self.notices.is_empty() {
            shown.field("notices", &self.notices);
        }
        shown.finish()
    }
}

/// What can be seen between events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Views {
    pub deadline: Option<u64>,
    pub project: Option<String>,
    pub roots: RootsState,
    pub era: Era,
}

/// The notices that are predicted; the others speak of values and are left to other tests.
pub const PREDICTED: [LogCode; 7] = [
    LogCode::AnswerStale,
    LogCode::AnswerUnexpected,
    LogCode::RootsUnsupported,
    LogCode::RootsFailed,
    LogCode::SelectedRootLeft,
    LogCode::UserAsked,
    LogCode::UserDeclined,
];
