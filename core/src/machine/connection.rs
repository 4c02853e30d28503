//! The memory of one connection.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::question::Question;
use super::roots_cycle::RootsCycle;
use super::sharing::Sharing;
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::path::uri::project_id;
use crate::peer::client::Client;
use crate::policy::{Pin, Policy, SourceKind, exceeds};
use crate::resolve::disk::Disk;
use crate::resolve::memory::{Memory, SelectedProject, is_allowed};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Connection {
    /// The parameters of `initialize`, once it arrived.
    pub(crate) client: Option<Client>,
    pub(crate) closed: bool,
    pub(crate) sharing: Sharing,
    pub(crate) cycle: RootsCycle,
    pub(crate) question: Question,
    pub(crate) memory: Memory,
    /// The reports of probes on the paths of connection sources.
    pub(crate) disk: Disk,
    /// Whether the connection can have a project: an ask was answered, the roots settled, or a tool selected one.
    pub(crate) has_evidence: bool,
    pub(crate) project: Option<Arc<Project>>,
    /// The project that was announced last. While the host probes a new one, the announcement waits.
    pub(crate) announced: Option<Arc<Project>>,
    pub(crate) revision: u32,
    /// Counts the lists of roots that were accepted in this process.
    pub(crate) lists: u32,
    pub(crate) reported: ReportedOnce,
}

impl Connection {
    pub(crate) fn new(cycle: RootsCycle) -> Self {
        Self {
            client: None,
            closed: false,
            sharing: Sharing::default(),
            cycle,
            question: Question::default(),
            memory: Memory::default(),
            disk: Disk::new(),
            has_evidence: false,
            project: None,
            announced: None,
            revision: 0,
            lists: 0,
            reported: ReportedOnce::default(),
        }
    }
}

/// The changes of what a connection remembers.
impl Memory {
    /// Forgets the projects that may no longer be answered.
    pub(crate) fn confine(&mut self, policy: &Policy, host: &HostFacts) {
        self.selected.take_if(|selected| !is_allowed(&selected.project, policy, host));
        self.pin.take_if(|project| !is_allowed(project, policy, host));
        self.remembered.take_if(|project| !is_allowed(project, policy, host));
    }

    /// Stores a selection. It stands at its own rank from now on, and may itself become the pin.
    pub(crate) fn select(&mut self, project: Arc<Project>, given: String) {
        self.selected = Some(SelectedProject { project, given });
        self.pin = None;
    }

    pub(crate) fn clear_selection(&mut self) {
        self.selected = None;
        self.pin = None;
    }

    /// Pins the connection's first project, if the policy pins and its source can.
    pub(crate) fn pin(&mut self, project: &Arc<Project>, policy: &Policy) {
        let rules = &policy.config.memory;
        let can_pin = rules.pin_from.is_empty() || rules.pin_from.contains(&project.source);
        if rules.pin != Pin::No && self.pin.is_none() && can_pin {
            self.pin = Some(project.clone());
        }
    }

    pub(crate) fn remember(&mut self, project: &Arc<Project>, policy: &Policy) {
        let keeps = policy.source(SourceKind::Remembered).is_some();
        let lasts = !project.source.is_per_request() && project.source != SourceKind::Remembered;
        if keeps && lasts && self.remembered.as_ref() != Some(project) {
            let mut project = project.clone();
            if project.package.is_some() {
                project = Project { package: None, ..(*project).clone() }.into();
            }
            self.remembered = Some(project);
        }
    }
}

/// Reports that are not repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct ReportedOnce {
    /// Hints, by position in the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<u32>,
    /// Disagreements and rejected values, by a hash of their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logs: Vec<String>,
}

impl ReportedOnce {
    /// Whether the hint at this position is given for the first time.
    pub(crate) fn first_hint(&mut self, at: usize) -> bool {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let first = !self.hints.contains(&at);
        if first {
            self.hints.push(at);
        }
        first
    }

    /// Makes a hint due again.
    pub(crate) fn forget_hint(&mut self, at: usize) {
        self.hints.retain(|given| u32::try_from(at) != Ok(*given));
    }

    /// Whether this is logged for the first time and still within the limit.
    pub(crate) fn first_log(&mut self, text: &str, limit: u32) -> bool {
        let mark = project_id(text);
        let first = !self.logs.contains(&mark) && !exceeds(self.logs.len().saturating_add(1), limit);
        if first {
            self.logs.push(mark);
        }
        first
    }
}
