//! Collecting the actions of one event and putting them in order.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::{
    Action, Announce, Answer, Cancel, Forward, Level, Log, LogCode, MessageKind, Outcome, Probe, SendRequest,
};
use crate::machine::probes::Asker;
use crate::machine::roots_cycle::Flight;
use crate::peer::raw::Json;
use crate::policy::{Policy, Texts, Values};
use crate::project::Project;
use crate::resolve::verify::PathQuery;

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    answers: Vec<Placed>,
    announce: Option<Announce>,
    cancel: Option<Cancel>,
    send: Option<SendRequest>,
    probe: Option<Probe>,
    forward: Option<Forward>,
    notices: Vec<Log>,
    wants: Vec<(Asker, PathQuery)>,
    /// Whether a selection holds that not every waiting ask has seen.
    pub(crate) selection_made: bool,
    /// Whether the host is asked to look for the connection's own project.
    pub(crate) probe_connection: bool,
    /// Whether paths of the connection may have gone.
    pub(crate) prune_disk: bool,
}

#[derive(Debug)]
struct Placed {
    place: u64,
    revision: Option<u32>,
    answer: Answer,
}

impl Outbox {
    /// An answer, with the place of its ask and a revision of its own where it has one.
    pub(crate) fn answer(&mut self, place: u64, revision: Option<u32>, answer: Answer) {
        // Nearly always the last; asks that waited are answered in their order.
        let after = self.answers.iter().rposition(|placed| placed.place <= place);
        self.answers.insert(after.map_or(0, |at| at.saturating_add(1)), Placed { place, revision, answer });
    }

    /// A change of project; a second one in the same event goes on from the first.
    pub(crate) fn announce(&mut self, from: Option<Arc<Project>>, to: Option<Arc<Project>>) {
        let from = self.announce.take().map_or(from, |earlier| earlier.from);
        self.announce = Some(Announce { from, to });
    }

    pub(crate) fn cancel(&mut self, flight: &Flight) {
        let message = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":"timeout"}}}}"#,
            flight.id
        );
        self.cancel = Some(Cancel { request: flight.token, message });
    }

    pub(crate) fn send(&mut self, flight: &Flight, relates_to: Option<u32>, empty_params: bool) {
        let params = if empty_params { r#","params":{}"# } else { "" };
        let message = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"roots/list"{params}}}"#, flight.id);
        let params = if empty_params { Json::from_text("{}") } else { None };
        self.send = Some(SendRequest { request: flight.token, method: "roots/list", params, relates_to, message });
    }

    pub(crate) fn probe(&mut self, probe: Probe) {
        self.probe = Some(probe);
    }

    pub(crate) fn forward(&mut self, kind: MessageKind, text: String) {
        self.forward = Some(Forward { kind, text });
    }

    pub(crate) fn log(&mut self, level: Level, code: LogCode, ask: Option<u32>, message: String) {
        self.notices.push(Log { level, code, ask, message });
    }

    pub(crate) fn want(&mut self, asker: Asker, touched: Vec<PathQuery>) {
        self.wants.extend(touched.into_iter().map(|touched| (asker, touched)));
    }

    pub(crate) fn forget_wants(&mut self) {
        self.wants.clear();
    }

    pub(crate) fn take_wants(&mut self) -> Vec<(Asker, PathQuery)> {
        core::mem::take(&mut self.wants)
    }

    pub(crate) const fn changed_connection(&self) -> bool {
        self.announce.is_some() || self.send.is_some()
    }

    /// The project of an ask, where its answer is the only one given.
    pub(crate) fn only_project(&self, ask: u32) -> Option<Arc<Project>> {
        match self.answers.as_slice() {
            [
                Placed {
                    answer: Answer { ask: answered, outcome: Outcome::Resolved { project }, .. },
                    revision: None,
                    ..
                },
            ] if *answered == ask => Some(project.clone()),
            _ => None,
        }
    }

    /// All actions in their fixed order; notices give way to the limit.
    pub(crate) fn into_actions(self, policy: &Policy, revision: u32) -> Vec<Action> {
        let mut actions: Vec<Action> = Vec::with_capacity(self.answers.len().saturating_add(4));
        for Placed { revision: own, mut answer, .. } in self.answers {
            answer.revision = own.unwrap_or(revision);
            actions.push(Action::Answer(answer.into()));
        }
        let answers = actions.len();
        actions.extend(self.announce.map(Action::Announce));
        actions.extend(self.cancel.map(Action::Cancel));
        actions.extend(self.send.map(Action::SendRequest));
        actions.extend(self.probe.map(Action::Probe));
        actions.extend(self.forward.map(Action::Forward));
        let others = actions.len().saturating_sub(answers);
        let room = usize::try_from(policy.limits.actions).unwrap_or(usize::MAX).saturating_sub(others);
        if self.notices.len() <= room {
            actions.extend(self.notices.into_iter().map(Action::Log));
            return actions;
        }
        let kept = room.saturating_sub(1);
        let left_out = self.notices.len().saturating_sub(kept).to_string();
        actions.extend(self.notices.into_iter().take(kept).map(Action::Log));
        let message = Texts(policy).log(LogCode::LogsDropped, &Values::new().with("count", &left_out));
        let last = Log { level: Level::Warning, code: LogCode::LogsDropped, ask: None, message };
        actions.push(Action::Log(last));
        actions
    }
}
