//! Log lines: what an operator should know about an event.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use super::connection::{Connection, ReportedOnce};
use super::outbox::Outbox;
use super::roots_cycle::TokenStatus;
use crate::api::action::{Level, Log, LogCode, Outcome};
use crate::api::event::{RefusalKind, RequestRefused};
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::id::AskId;
use crate::path::rejection::Rejection;
use crate::peer::root_list::RootList;
use crate::policy::{Policy, Templates, Values};
use crate::resolve::evaluate::{Evaluation, Finding, SourceResult};
use crate::texts::log;

/// Writes log lines by the policy's templates.
pub(crate) struct Logger<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) outbox: &'a mut Outbox,
}

impl Logger<'_> {
    fn log(&mut self, level: Level, code: LogCode, ask: Option<AskId>, values: &Values<'_>) {
        self.outbox.log(Log { level, code, ask, message: Templates(self.policy).log(code, values) }, self.policy);
    }

    /// Reports on a new list of roots.
    pub(crate) fn roots_listed(&mut self, list: &RootList, connection: &Connection) {
        if list.dropped > 0 {
            let count = list.dropped.to_string();
            self.log(Level::Warning, LogCode::RootsCut, None, &Values::new().with("count", &count));
        }
        if let Some(entry) = list.entries.iter().find(|entry| entry.repaired) {
            self.log(Level::Warning, LogCode::RootRepaired, None, &Values::new().with("value", &entry.sent.uri));
        }
        let left =
            |project: &&Arc<Project>| connection.cycle.list().is_some_and(|old| old.has(project)) && !list.has(project);
        let selected = connection.memory.selected.as_ref().map(|selected| &selected.project);
        if let Some(project) = selected.filter(left) {
            self.log(Level::Warning, LogCode::SelectedRootLeft, None, &Values::new().with("name", &project.name));
        }
    }

    pub(crate) fn roots_refused(&mut self, refused: &RequestRefused, unsupported: bool) {
        let code = if unsupported { LogCode::RootsUnsupported } else { LogCode::RootsFailed };
        self.log(Level::Debug, code, None, &Values::new().with("reason", &refusal_text(refused)));
    }

    pub(crate) fn roots_timed_out(&mut self) {
        self.log(Level::Warning, LogCode::RootsFailed, None, &Values::new().with("reason", log::NO_ANSWER));
    }

    pub(crate) fn answer_ignored(&mut self, status: TokenStatus) {
        let code = match status {
            TokenStatus::NeverIssued => LogCode::AnswerUnexpected,
            TokenStatus::InFlight | TokenStatus::Over => LogCode::AnswerStale,
        };
        self.log(Level::Debug, code, None, &Values::new());
    }

    pub(crate) fn user_asked(&mut self, ask: AskId) {
        self.log(Level::Info, LogCode::UserAsked, Some(ask), &Values::new());
    }

    pub(crate) fn user_declined(&mut self, ask: Option<AskId>, reason: &str) {
        self.log(Level::Info, LogCode::UserDeclined, ask, &Values::new().with("reason", reason));
    }

    pub(crate) fn several_clients(&mut self) {
        self.log(Level::Warning, LogCode::SeveralClients, None, &Values::new());
    }

    pub(crate) fn too_many_asks(&mut self, ask: AskId) {
        self.log(Level::Warning, LogCode::TooManyAsks, Some(ask), &Values::new());
    }

    /// Logged only if the policy has a text for the source: the announcement says the same to programs.
    pub(crate) fn project_chosen(&mut self, project: &Project) {
        let values = Values::new()
            .with("name", &project.name)
            .with("path", project.folder().unwrap_or(&project.name))
            .with("uri", project.uri.as_deref().unwrap_or(&project.name));
        let key = format!("chosen.{}", project.source.name());
        if let Some(message) = Templates(self.policy).own(&[&key], &values) {
            self.outbox.log(Log { level: Level::Info, code: LogCode::ProjectChosen, ask: None, message }, self.policy);
        }
    }

    /// Reports the unusable values and the disagreements that an ask found.
    pub(crate) fn findings(
        &mut self,
        ask: AskId,
        evaluation: &Evaluation,
        outcome: &Outcome,
        mut reported: Option<&mut ReportedOnce>,
    ) {
        let won = |finding: &&Finding| matches!(&finding.result, SourceResult::Offers(_));
        for finding in evaluation.findings.iter().filter(|finding| finding.matters).take_while(|finding| !won(finding))
        {
            if let SourceResult::Rejected { rejection, ends: false, .. } = &finding.result
                && rejection.reason != Reason::Ambiguous
            {
                self.value_rejected(ask, finding, rejection, reported.as_deref_mut());
            }
        }
        let Outcome::Resolved { project } = outcome else { return };
        if !self.policy.config.report_disagreement {
            return;
        }
        for finding in &evaluation.findings {
            if let SourceResult::Offers(other) = &finding.result
                && !finding.agrees(project, &evaluation.findings)
            {
                self.disagreement(ask, project, other, reported.as_deref_mut());
            }
        }
    }

    fn value_rejected(
        &mut self,
        ask: AskId,
        finding: &Finding,
        rejection: &Rejection,
        reported: Option<&mut ReportedOnce>,
    ) {
        let source = finding.source;
        let value = finding.value.as_deref().unwrap_or_default();
        let mark = format!("rejected {} {} {value}", source.name(), rejection.reason.code());
        if !source.is_per_request() && !self.first_time(&mark, reported) {
            return;
        }
        let detail = rejection.detail();
        let values = Values::new()
            .with("value", value)
            .with("path", rejection.path.as_deref().unwrap_or(value))
            .with("source", source.name())
            .with("reason", detail)
            .with("detail", detail);
        let level = if source.is_chosen() { Level::Warning } else { Level::Debug };
        let message = Templates(self.policy).rejected(source.name(), rejection.reason, &values);
        self.outbox.log(Log { level, code: LogCode::ValueRejected, ask: Some(ask), message }, self.policy);
    }

    fn disagreement(&mut self, ask: AskId, won: &Project, other: &Project, reported: Option<&mut ReportedOnce>) {
        let mark = format!("disagree {} {} {} {}", won.source.name(), won.key, other.source.name(), other.key);
        if !self.first_time(&mark, reported) {
            return;
        }
        let text =
            |project: &Project| format!("{} ({})", project.source.name(), project.folder().unwrap_or(&project.name));
        let values = (text(won), text(other));
        let values = Values::new().with("from", &values.0).with("to", &values.1);
        self.log(Level::Info, LogCode::Disagreement, Some(ask), &values);
    }

    /// Whether a report is new on this connection; a stateless ask has none.
    fn first_time(&self, mark: &str, reported: Option<&mut ReportedOnce>) -> bool {
        reported.is_none_or(|reported| reported.first_log(mark, self.policy.config.limits.reported))
    }
}

/// Why a request failed.
pub(crate) fn refusal_text(refused: &RequestRefused) -> String {
    let own = match refused.kind {
        RefusalKind::Error => {
            let message = refused.message.clone().filter(|text| !text.is_empty());
            return message.unwrap_or_else(|| refused.code.map_or_else(String::new, |code| code.to_string()));
        }
        RefusalKind::Undeliverable => log::UNDELIVERABLE,
        RefusalKind::Unreadable => log::UNREADABLE,
        RefusalKind::Abandoned => log::ABANDONED,
    };
    own.to_string()
}
