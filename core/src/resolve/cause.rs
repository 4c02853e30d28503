//! The cause for which no project was found, in words for a person or a model.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::evaluate::{Finding, SourceResult};
use crate::api::action::RootsState;
use crate::api::reason::Reason;
use crate::path::display::display;
use crate::peer::root_list::RootList;
use crate::policy::SourceKind;

/// Characters of a value in a cause.
const VALUE_CHARS: usize = 120;

/// The number of rejected values that a cause names.
const MOST_VALUES: usize = 2;

/// Says why no source named a project: what became of the client's roots, then the values that were rejected.
///
/// The server's own values are not for a remote caller.
pub(super) fn cause(findings: &[Finding], roots: Option<&RootList>, is_local: bool) -> String {
    let of_roots = findings.iter().filter(|finding| finding.source == SourceKind::Roots);
    let others = findings.iter().filter(|finding| finding.source != SourceKind::Roots);
    let mut causes: Vec<String> = of_roots.filter_map(|finding| roots_cause(finding, roots)).collect();
    let others = others.filter(|finding| is_told(finding, is_local));
    causes.extend(others.filter_map(rejected).take(MOST_VALUES));
    if causes.is_empty() { "no source named one".into() } else { causes.join("; ") }
}

/// Whether a value that the caller may learn about was rejected because it is for another operating system.
pub(super) fn is_for_other_system(findings: &[Finding], is_local: bool) -> bool {
    let mut told = findings.iter().filter(|finding| is_told(finding, is_local));
    told.any(|finding| {
        matches!(&finding.result, SourceResult::Rejected { rejection, .. } if rejection.reason == Reason::OtherSystem)
    })
}

fn is_told(finding: &Finding, is_local: bool) -> bool {
    is_local || finding.source == SourceKind::Roots || finding.source.is_per_request()
}

fn roots_cause(finding: &Finding, roots: Option<&RootList>) -> Option<String> {
    let state = match &finding.result {
        SourceResult::Rejected { .. } => return rejected(finding),
        SourceResult::Unavailable(state) => *state,
        SourceResult::WaitRoots | SourceResult::NeedSend => RootsState::Pending,
        SourceResult::WaitDisk => return Some("the disk did not confirm the client's root in time".into()),
        SourceResult::Absent => roots?.state(),
        SourceResult::Off | SourceResult::NeedInput | SourceResult::Offers(_) => return None,
    };
    let words = match state {
        RootsState::NotAsked => "the client cannot be asked for its roots in this call",
        RootsState::NotReady => "no client has completed the handshake",
        RootsState::Undeclared => "the client declares no roots",
        RootsState::Unsupported => "the client does not support roots",
        RootsState::Pending | RootsState::Overdue | RootsState::TimedOut => {
            "the client did not answer the request for its roots"
        }
        RootsState::Failed => "the request for the client's roots failed",
        RootsState::Empty => "the client has no roots",
        RootsState::AllInvalid => "none of the client's roots can be read",
        RootsState::SeveralClients => "several clients share this connection, and their calls cannot be told apart",
        RootsState::Ok | RootsState::Stale => return None,
    };
    Some(words.to_string())
}

fn rejected(finding: &Finding) -> Option<String> {
    let SourceResult::Rejected { rejection, .. } = &finding.result else { return None };
    let value = display(finding.value.as_deref().unwrap_or_default(), VALUE_CHARS);
    let what = match finding.source {
        SourceKind::Roots => "the client's root".into(),
        source => format!("the {} value", source.name()),
    };
    Some(format!("{what} `{value}` cannot be used ({})", rejection.reason))
}
