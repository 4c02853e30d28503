//! Why this project: what every source said, as one structure and one text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::action::RootsState;
use crate::error::Reason;
use crate::host::Transport;
use crate::policy::SourceKind;
use crate::project::RootView;

/// What every source said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The policy.
    pub policy: String,
    /// Why there is no project, as a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Reason>,
    /// What happened, where there is no project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do next, where there is no project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The sources in the policy's order.
    pub tried: Vec<Tried>,
    /// The client's roots.
    pub roots: RootsReport,
    /// The client's name for itself, made safe to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// How the client is connected.
    pub transport: Transport,
    /// How the client speaks.
    pub era: Era,
    /// Answers that came too late to count.
    #[serde(skip_serializing_if = "is_zero")]
    pub stale_answers: u32,
    /// All of this as a small table.
    pub text: String,
}

/// What one source said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// The source.
    pub source: SourceKind,
    /// What exactly it read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// What came of it.
    pub verdict: Verdict,
    /// What it named, made safe to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// More about that reason, as a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What came of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It named the project.
    Won,
    /// It lost and names the same project.
    Agrees,
    /// It lost and names another project.
    Disagrees,
    /// It said nothing.
    Absent,
    /// What it named cannot be used.
    Rejected,
    /// It does not count here: other transport, flag not set, or not for this kind of call.
    Off,
    /// It was not asked: a better one won, or nobody may ask.
    NotAsked,
    /// It has not answered yet.
    Pending,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Agrees => "agrees",
            Self::Disagrees => "disagrees",
            Self::Absent => "absent",
            Self::Rejected => "rejected",
            Self::Off => "off",
            Self::NotAsked => "not asked",
            Self::Pending => "pending",
        }
    }
}

/// The client's roots as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RootsReport {
    /// How current they are.
    pub state: RootsState,
    /// The roots, good and bad.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<RootView>,
    /// How many more the client sent than are kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u32,
}

/// How a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Era {
    /// It has not said yet.
    Unknown,
    /// It began with `initialize` (revisions up to 2025-11-25).
    Legacy,
    /// Every request stands alone (revision 2026-07-28).
    Modern,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(value: &u32) -> bool {
    *value == 0
}
