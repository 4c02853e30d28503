//! What a connection remembers beyond an ask.

use alloc::string::String;
use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::host::HostFacts;
use crate::api::project::{Project, Repository};
use crate::policy::{Pin, Policy};

/// The state that outlives an ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Memory {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selected: Option<SelectedProject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pin: Option<Arc<Project>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remembered: Option<Arc<Project>>,
}

/// A selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SelectedProject {
    pub(crate) project: Arc<Project>,
    /// The text of the selection.
    pub(crate) given: String,
}

impl Memory {
    pub(crate) fn is_immutable(&self, policy: &Policy) -> bool {
        policy.config.memory.pin == Pin::Immutable && self.pin.is_some()
    }
}

/// Whether a project may still be answered: its folder is within reach and inside the allowed folders, by its spelling
/// and by its real path as it was verified; or it needs no folder.
pub(crate) fn is_allowed(project: &Project, policy: &Policy, host: &HostFacts) -> bool {
    let in_reach = host.reaches_client_folders() || !project.origin().is_spelled_by_client();
    let tells = |repository: &Repository| host.allows(&repository.path) && host.allows(repository.folder());
    if !project.repository.as_deref().is_none_or(tells) {
        return false;
    }
    match (&project.path, &project.real_path) {
        (Some(path), Some(real)) => in_reach && host.allows(path) && host.allows(real),
        (Some(_), None) => in_reach && host.allowed_dirs.is_none(),
        (None, _) => !policy.config.require_path,
    }
}
