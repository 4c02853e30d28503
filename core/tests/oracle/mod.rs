//! A second model of the resolver: slow, simple, and written from `docs/rules.md` alone.
//!
//! It keeps no state but a log: every accepted event and every consequence, in order ([`history`]). Whatever it wants
//! to know (is a request in flight? is the list stale? what does the disk say?) it finds by reading that log from the
//! start of the connection, every time. [`decide`] then walks the policy's sources once per ask. The shape has nothing in
//! common with the machine's, so that the two are unlikely to share a mistake.
//!
//! Texts (messages, instructions), revisions and explanations are not predicted.
//!
//! # AMBIGUITIES
//!
//! Where the rules leave room, this is the reading taken here.
//!
//! 1. A closed resolver does nothing at any later event, hand-back included; a probe id never given out stays misuse.
//! 2. An ask with `askBy: request` before `initialize` waits for the handshake only where no capability is required.
//! 3. `askBy: none` does not wait for roots, but still has its own values looked up on disk.
//! 4. `onChange: ignore` makes `rootsChanged` do nothing at all; `whileAsking: drop` still clears the failure count.
//! 5. The failure of a request counts where it ends: with `retries: 0` it also forbids the one more request of rule 13.
//! 6. A result without a readable `roots` array is an all-invalid list; entries without a URI are no roots.
//! 7. Of what is due at one event, a request that a waiting ask needs goes before one that nobody asked for. What a change
//!    causes within `minIntervalMs` is put off, and asks that already waited for roots wait for it; others send at once.
//! 8. An ask has one request sent, or goes by one answer or failure: after that it joins what is in flight, but sends no more,
//!    unless the one that it joined is abandoned.
//! 9. A request becomes overdue through an ask that waited for it when it was last looked at.
//! 10. A request that fails flags the list stale whatever its origin.
//! 11. Of several names in `read`, as of the parts of a list, the first usable counts; if none is, the first is named.
//! 12. Per-request values are looked up for every ask, whatever the connection knows of the same path.
//! 13. A change that comes while a request is in flight is followed by one more request with `onChange: invalidate` too.
//! 14. The connection's own evaluation has paths probed when a list arrives or a selection is made; otherwise it uses what asks
//!     found out. A probe is over when nobody waits for it: neither an ask that depended on it nor the connection.
//! 15. `allowed` needs the spelling inside and, where known, the real path inside.
//! 16. The connection project is evaluated after the asks; a new pin is there from the next event on.
//! 17. `closed` announces nothing and leaves the views as they are.
//! 18. A want for roots is not judged for bad arguments, and neither it nor a refused ask begins the connection project.
//! 19. A list of roots without a request in flight is shown as stale once it is not fresh.
//! 20. `names: any` without `enforceRoots` takes the name of a root if the list is known, and asks nobody.
//! 21. Lists differ also in the number of entries that cannot be read, and of those that are not kept.
//! 22. A root of another scheme has the problem `not_file_uri` in a list, also where `nonFile: nameOnly` makes it a project.
//! 23. A raw request counts as `clientReady`, and its id is read, only after `initialize`; a `ping` says nothing.
//! 24. The short wait is for what an ask has begun to wait for; its end makes every probe of the ask overdue, and its request if
//!     that is a refresh. An overdue probe stays open until its deadline, and who has an older report does not wait for it.
//! 25. An ask whose request failed uses the newest list as if it had waited for it.
//! 26. A request for a value that is judged before ranking waits for the probes of better ones.
//! 27. A folder needs no further look if one of its project markers was seen. The first look at a folder that a model names
//!     asks for all of them, unless roots are known.
//! 28. A modern ask without a project says `no_project` also where several clients have shown themselves.
//! 29. When it shows that there are several clients, every waiting ask is settled, whatever event showed it.
//! 30. Two clients that answer a request in flight cause no line about a failed request.

pub mod compare;
pub mod decide;
pub mod disk;
pub mod generate;
pub mod history;
pub mod kept;
pub mod messages;
pub mod model;
pub mod peer;
pub mod places;
pub mod policies;
pub mod record;
pub mod requests;
pub mod run;
pub mod select;
pub mod values;
pub mod verdict;
pub mod within;
pub mod world;

use std::collections::{BTreeMap, BTreeSet};

use rootwise::Reason;
use rootwise::action::{LogCode, MessageKind, RootsState};
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
    pub elsewhere: bool,
    pub source: SourceKind,
    pub via: Option<String>,
    pub root: Option<u32>,
    /// Whether it rests on something that is not fresh (rule 32).
    pub stale: bool,
}

/// How an ask ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out {
    Resolved(Proj),
    Selected(Proj),
    /// Each root with its problem and its real path.
    Listed(Vec<(String, Option<Reason>, Option<String>)>, RootsState),
    NeedsInput(Vec<(String, String)>),
    Refused(Reason, SourceKind, Option<u16>),
    Unresolved(Reason),
}

/// What one event causes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Ask, end and hints, in order.
    pub answers: Vec<(u32, Out, Vec<String>)>,
    /// Keys before and after.
    pub announce: Vec<(Option<String>, Option<String>)>,
    /// Token and message.
    pub cancel: Vec<(u32, String)>,
    /// Token, the ask it travels with, message.
    pub send: Vec<(u32, Option<u32>, String)>,
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
pub const PREDICTED: [LogCode; 5] = [
    LogCode::AnswerStale,
    LogCode::AnswerUnexpected,
    LogCode::RootsUnsupported,
    LogCode::RootsFailed,
    LogCode::SelectedRootLeft,
];
