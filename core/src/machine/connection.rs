//! What one connection has learned.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::form::fields;
use crate::machine::roots_cycle::Cycle;
use crate::peer::client::Client;
use crate::project::Project;
use crate::resolve::verify::Disk;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Connection {
    /// What `initialize` reported, once it came.
    pub(crate) client: Option<Client>,
    pub(crate) ready: bool,
    pub(crate) closed: bool,
    pub(crate) cycle: Cycle,
    pub(crate) memory: Memory,
    /// What probes told about the paths of connection sources.
    pub(crate) disk: Disk,
    /// Whether there can be a connection project: an ask was answered, roots settled, or something was selected.
    pub(crate) has_evidence: bool,
    pub(crate) project: Option<Arc<Project>>,
    pub(crate) revision: u32,
    /// What was reported and is not reported again.
    pub(crate) reported: ReportedOnce,
}

/// What outlives an ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) selected: Option<SelectedProject>,
    pub(crate) pin: Option<Arc<Project>>,
    pub(crate) remembered: Option<Arc<Project>>,
}

fields!(Memory: ; selected, pin, remembered);

/// A selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectedProject {
    pub(crate) project: Arc<Project>,
    /// The text it was made by.
    pub(crate) given: String,
}

fields!(SelectedProject: project, given;);

/// What was reported and is not reported again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReportedOnce {
    /// Hints, by position in the policy.
    pub(crate) hints: Vec<u32>,
    /// Disagreements and rejected values, by a hash of their text.
    pub(crate) notices: Vec<String>,
}

fields!(ReportedOnce: ; hints, notices);
