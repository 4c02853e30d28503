//! The cause for which no project was found, in words for a person or a model.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::evaluate::{Finding, SourceResult};
use crate::api::action::RootsState;
use crate::api::reason::Reason;
use crate::path::display::display;
use crate::peer::root_list::RootList;
use crate::policy::{SourceKind, fill};
use crate::texts::cause;

/// Characters of a value in a cause.
const VALUE_CHARS: usize = 120;

/// The number of rejected values that a cause names.
const MAX_VALUES: usize = 2;

/// Says why no source named a project: what became of the client's roots, then the values that were rejected.
///
/// The server's own values are not for a remote caller.
pub(super) fn cause(findings: &[Finding], roots: Option<&RootList>, is_local: bool) -> String {
    let of_roots = findings.iter().filter(|finding| finding.source == SourceKind::Roots);
    let others = findings.iter().filter(|finding| finding.source != SourceKind::Roots);
    let mut causes: Vec<String> = of_roots.filter_map(|finding| roots_cause(finding, roots)).collect();
    let others = others.filter(|finding| is_told(finding, is_local));
    causes.extend(others.filter_map(rejected).take(MAX_VALUES));
    if causes.is_empty() { cause::NOTHING.into() } else { causes.join(cause::AND) }
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
        SourceResult::WaitDisk => return Some(cause::NO_REPORT.into()),
        SourceResult::Absent => roots?.state(),
        SourceResult::Off | SourceResult::NeedInput | SourceResult::Offers(_) => return None,
    };
    cause::roots(state).map(ToString::to_string)
}

fn rejected(finding: &Finding) -> Option<String> {
    let SourceResult::Rejected { rejection, .. } = &finding.result else { return None };
    let value = display(finding.value.as_deref().unwrap_or_default(), VALUE_CHARS);
    let template = match finding.source {
        SourceKind::Roots => cause::REJECTED_ROOT,
        _ => cause::REJECTED_VALUE,
    };
    let reason = rejection.reason.to_string();
    Some(fill(template, &[("source", finding.source.name()), ("value", &value), ("reason", &reason)]))
}
