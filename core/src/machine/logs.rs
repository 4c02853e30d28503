//! Notices: what is worth a line in the log.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use crate::action::{Level, LogCode, Outcome};
use crate::error::Reason;
use crate::event::{RefusalKind, RootsRefused};
use crate::machine::asks::PendingAsk;
use crate::machine::outbox::Outbox;
use crate::machine::resolver::Resolver;
use crate::machine::roots_cycle::TokenStatus;
use crate::peer::root_list::RootList;
use crate::policy::{Texts, Values};
use crate::project::Project;
use crate::resolve::evaluate::{Evaluation, Finding, SourceResult};
use crate::uri::project_id;

impl Resolver {
    fn note(&self, level: Level, code: LogCode, ask: Option<u32>, values: &Values<'_>, out: &mut Outbox) {
        out.log(level, code, ask, Texts(&self.policy).log(code, values));
    }

    pub(crate) fn note_list(&self, list: &RootList, out: &mut Outbox) {
        if list.dropped > 0 {
            let count = list.dropped.to_string();
            self.note(Level::Warning, LogCode::RootsCut, None, &Values::new().with("count", &count), out);
        }
        if let Some(entry) = list.entries.iter().find(|entry| entry.repaired) {
            let values = Values::new().with("value", &entry.sent.uri);
            self.note(Level::Warning, LogCode::RootRepaired, None, &values, out);
        }
        let limits = &self.policy.limits;
        let left = |project: &&Arc<Project>| {
            let was = self.connection.cycle.list.as_ref().is_some_and(|old| old.has(project, &self.host, limits));
            was && !list.has(project, &self.host, limits)
        };
        let selected = self.connection.memory.selected.as_ref().map(|choice| &choice.project);
        if let Some(project) = selected.filter(left) {
            let values = Values::new().with("name", &project.name);
            self.note(Level::Warning, LogCode::SelectedRootLeft, None, &values, out);
        }
    }

    pub(crate) fn note_refusal(&self, refused: &RootsRefused, unsupported: bool, out: &mut Outbox) {
        let code = refused.code.map_or_else(String::new, |code| code.to_string());
        let reason = match refused.kind {
            RefusalKind::Error => refused.message.as_deref().filter(|text| !text.is_empty()).unwrap_or(&code),
            RefusalKind::Undeliverable => "it could not be sent",
            RefusalKind::Unreadable => "the answer could not be read",
            RefusalKind::Abandoned => "the call it travelled with ended",
        };
        let values = Values::new().with("reason", reason);
        let (level, code) = if unsupported {
            (Level::Debug, LogCode::RootsUnsupported)
        } else {
            (Level::Warning, LogCode::RootsFailed)
        };
        self.note(level, code, None, &values, out);
    }

    pub(crate) fn note_timeout(&self, out: &mut Outbox) {
        let values = Values::new().with("reason", "no answer");
        self.note(Level::Warning, LogCode::RootsFailed, None, &values, out);
    }

    pub(crate) fn note_ignored(&self, status: TokenStatus, out: &mut Outbox) {
        let code = match status {
            TokenStatus::NeverIssued => LogCode::AnswerUnexpected,
            TokenStatus::InFlight | TokenStatus::Over => LogCode::AnswerStale,
        };
        self.note(Level::Debug, code, None, &Values::new(), out);
    }

    pub(crate) fn note_too_many(&self, ask: u32, out: &mut Outbox) {
        self.note(Level::Warning, LogCode::TooManyAsks, Some(ask), &Values::new(), out);
    }

    /// Only where the policy has a text for the source: the announcement says the same to programs.
    pub(crate) fn note_chosen(&self, project: Option<&Arc<Project>>, out: &mut Outbox) {
        let Some(project) = project else { return };
        let values = Values::new()
            .with("name", &project.name)
            .with("path", project.path.as_deref().unwrap_or(&project.name))
            .with("uri", project.uri.as_deref().unwrap_or(&project.name));
        let key = format!("chosen.{}", project.source.name());
        if let Some(message) = Texts(&self.policy).own(&[&key], &values) {
            out.log(Level::Info, LogCode::ProjectChosen, None, message);
        }
    }

    /// What an ask found out about values that cannot be used, and about sources that disagree.
    pub(crate) fn note_findings(
        &mut self,
        ask: &PendingAsk,
        evaluation: &Evaluation,
        outcome: &Outcome,
        out: &mut Outbox,
    ) {
        let won = |finding: &&Finding| matches!(&finding.said, SourceResult::Offers(_));
        for finding in evaluation.findings.iter().take_while(|finding| !won(finding)) {
            if let SourceResult::Rejected { bad, ends: false, .. } = &finding.said
                && !matches!(bad.reason, Reason::Ambiguous | Reason::NotChosen)
            {
                self.note_rejected(ask, finding, bad, out);
            }
        }
        let Outcome::Resolved { project } = outcome else {
            return;
        };
        if !self.policy.report_disagreement {
            return;
        }
        let all = self.findings_of(ask);
        for finding in &all {
            if let SourceResult::Offers(other) = &finding.said
                && other.key != project.key
            {
                self.note_disagreement(ask, project, other, out);
            }
        }
    }

    fn note_rejected(
        &mut self,
        ask: &PendingAsk,
        finding: &Finding,
        bad: &crate::resolve::verify::Rejection,
        out: &mut Outbox,
    ) {
        let source = finding.source;
        let value = finding.value.as_deref().unwrap_or_default();
        let mark = format!("rejected {} {} {value}", source.name(), bad.reason.code());
        if !source.is_per_request() && !self.say_once(ask, &mark) {
            return;
        }
        let detail = bad.detail();
        let values = Values::new()
            .with("value", value)
            .with("path", bad.path.as_deref().unwrap_or(value))
            .with("source", source.name())
            .with("reason", detail)
            .with("detail", detail);
        let level = if source.is_chosen() { Level::Warning } else { Level::Debug };
        let message = Texts(&self.policy).rejected(source.name(), bad.reason, &values);
        out.log(level, LogCode::ValueRejected, Some(ask.ask), message);
    }

    fn note_disagreement(&mut self, ask: &PendingAsk, won: &Project, other: &Project, out: &mut Outbox) {
        let mark = format!("disagree {} {} {} {}", won.source.name(), won.key, other.source.name(), other.key);
        if !self.say_once(ask, &mark) {
            return;
        }
        let text = |project: &Project| {
            format!("{} ({})", project.source.name(), project.path.as_deref().unwrap_or(&project.name))
        };
        let (from, to) = (text(won), text(other));
        let values = Values::new().with("from", &from).with("to", &to);
        self.note(Level::Info, LogCode::Disagreement, Some(ask.ask), &values, out);
    }

    /// Whether something is said for the first time on this connection; modern asks have no connection to say it on.
    fn say_once(&mut self, ask: &PendingAsk, mark: &str) -> bool {
        if ask.modern {
            return true;
        }
        let said = &mut self.connection.reported.notices;
        let mark = project_id(mark);
        if said.contains(&mark) || usize::try_from(self.policy.limits.reported).is_ok_and(|most| said.len() >= most) {
            return false;
        }
        said.push(mark);
        true
    }
}
