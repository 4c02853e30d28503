//! The explanation of a decision: the result of every source, as one structure and one text.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::action::RootsState;
use super::host::Transport;
use super::is_default;
use super::project::RootView;
use super::reason::Reason;
use super::source::SourceKind;

/// The result of every source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Explanation {
    /// The name of the policy.
    pub policy: String,
    /// The reason for which there is no project, as a stable code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Reason>,
    /// What happened, if there is no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The next step for the user, if there is no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The sources in the policy's order.
    pub tried: Vec<SourceReport>,
    /// The client's roots.
    pub roots: RootsReport,
    /// The client's name for itself, made safe to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The transport of the connection.
    pub transport: Transport,
    /// The protocol era of the client.
    pub era: Era,
    /// The number of answers that arrived too late to count.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub stale_answers: u32,
    /// The whole explanation as a small table.
    pub text: String,
}

/// The result of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SourceReport {
    /// The source.
    pub source: SourceKind,
    /// The exact input it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The inputs that it looked for, if it found none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub reads: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The value it named, made safe to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The project's folder, made safe to show, if the value names another one: one below it, or a link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The reason for which the value was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// A finer code for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The verdict on a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Verdict {
    /// It named the project.
    Won,
    /// It lost and names the same project.
    Agrees,
    /// It lost and names another folder of the same project, such as another worktree.
    OtherFolder,
    /// It lost and names another project.
    Disagrees,
    /// It has no value.
    Absent,
    /// Its value cannot be used.
    Rejected,
    /// It does not apply: another transport, a flag that is not set, or another kind of call.
    Off,
    /// It was not asked: a better source won, or the client may not be asked.
    NotAsked,
    /// Its answer is still outstanding.
    Pending,
}

/// The client's roots as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsReport {
    /// The state of the list.
    pub state: RootsState,
    /// Whether the client declared `listChanged`. A change counts even if it did not.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub list_changed: bool,
    /// The roots, usable or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub available: Vec<RootView>,
    /// The number of roots that are known and left out of `available`, because an answer carries only the first ones.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub omitted: u32,
    /// The number of roots beyond the limit.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub dropped: u32,
}

/// The protocol era of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Era {
    /// The client has not revealed it yet.
    Unknown,
    /// The client began with `initialize` (revisions up to 2025-11-25).
    Legacy,
    /// Every request is stateless (revision 2026-07-28).
    Modern,
}
