//! What a decision reads of an ask and of its connection.

use alloc::sync::Arc;

use super::disk::{Disk, Patience};
use super::evaluate::RootsAccess;
use super::memory::Memory;
use super::sources::RequestValues;
use crate::api::action::RootsState;
use crate::api::event::SelectBy;
use crate::api::project::Project;
use crate::id::Time;
use crate::peer::client::Client;
use crate::peer::root_list::RootList;

/// A connection.
#[derive(Clone, Copy)]
pub(crate) struct ConnectionView<'a> {
    /// The parameters of `initialize`, once it arrived.
    pub(crate) client: Option<&'a Client>,
    /// Whether several clients share it.
    pub(crate) shared: bool,
    pub(crate) memory: &'a Memory,
    /// The reports of probes on the paths of connection sources.
    pub(crate) disk: &'a Disk,
    /// The last list of roots.
    pub(crate) list: Option<&'a RootList>,
    /// The state of that list.
    pub(crate) roots_state: RootsState,
    /// The number of answers that arrived too late to count.
    pub(crate) stale_answers: u32,
    /// The connection's project.
    pub(crate) project: Option<&'a Project>,
    pub(crate) now: Time,
}

/// An ask.
#[derive(Clone, Copy)]
pub(crate) struct AskView<'a> {
    pub(crate) purpose: &'a Purpose,
    pub(crate) modern: bool,
    /// Whether it reads and leaves nothing on the connection.
    pub(crate) alone: bool,
    /// Whether what it selects is kept by this process alone, beside any session.
    pub(crate) is_kept_here: bool,
    pub(crate) explain: bool,
    pub(crate) values: &'a RequestValues,
    pub(crate) target: Option<&'a str>,
    /// The client as this request describes it.
    pub(crate) client: &'a Client,
    /// The roots that came with the call itself.
    pub(crate) input: Option<&'a RootList>,
    /// What replies to probes have told it since it arrived.
    pub(crate) disk: &'a [Arc<Disk>],
    pub(crate) patience: Patience<'a>,
    /// The client's roots as it may use them.
    pub(crate) roots: RootsAccess<'a>,
    /// The time until which the connection's list is fresh, if there is a limit.
    pub(crate) list_fresh_until: Option<Time>,
    /// Whether the connection's list is not fresh for this ask.
    pub(crate) list_is_stale: bool,
    /// Whether a wait for roots is a wait for a newer list where the last one would do.
    pub(crate) refreshes_roots: bool,
}

/// What an ask wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Project,
    Roots,
    Select(SelectBy),
    /// To clear the selection.
    Clear,
    /// The project that counts after the selection was cleared.
    Cleared,
}
