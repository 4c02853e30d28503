//! The actions of one event, collected and put in order.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::asks::PendingAsk;
use super::roots_cycle::InFlightRequest;
use crate::api::action::{
    Action, Announce, Answer, Cancel, Forward, Level, Log, LogCode, MessageKind, Outcome, Probe, RequestMethod,
    SendRequest,
};
use crate::api::project::Project;
use crate::collect::inserted;
use crate::id::{AskId, RequestToken};
use crate::peer::jsonrpc::{self, RequestId};
use crate::policy::{Policy, Templates, Values, to_usize};

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    answers: Vec<PendingAnswer>,
    announce: Option<Announce>,
    /// Of roots and of a form.
    cancel: Vec<Cancel>,
    send: Vec<SendRequest>,
    probe: Option<Probe>,
    forward: Option<Forward>,
    logs: Vec<Log>,
    /// The number of log lines that were not kept.
    more_logs: usize,
}

#[derive(Debug)]
struct PendingAnswer {
    /// The asks that it ends, by their places.
    asks: BTreeMap<u64, AskId>,
    /// The revision of the answer, if it is not the connection's at the end of the event.
    revision: Option<u32>,
    answer: Answer,
}

/// The position of an answer, for asks that end alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerPosition(usize);

impl Outbox {
    /// Adds the answer to an ask. Without a revision it gets the connection's at the end of the event.
    pub(crate) fn answer(&mut self, ask: &PendingAsk, revision: Option<u32>, answer: Answer) -> AnswerPosition {
        self.answers.push(PendingAnswer { asks: inserted([(ask.place, ask.id)]), revision, answer });
        AnswerPosition(self.answers.len().saturating_sub(1))
    }

    /// Lets an ask share the answer at a position, if that one has the same hints: the one thing in which the answers to
    /// asks that are alike may differ.
    pub(crate) fn share_answer(&mut self, at: AnswerPosition, ask: &PendingAsk, hints: &[String]) -> bool {
        let shared = self.answers.get_mut(at.0).filter(|pending| pending.answer.hints == hints);
        shared.map(|pending| pending.asks.insert(ask.place, ask.id)).is_some()
    }

    /// Announces a change of the project; a second change in the same event continues the first.
    pub(crate) fn announce(&mut self, from: Option<Arc<Project>>, to: Option<Arc<Project>>) {
        let from = self.announce.take().map_or(from, |earlier| earlier.from);
        let shared = from.as_ref().zip(to.as_ref()).and_then(|(from, to)| from.shared_with(to));
        self.announce = Some(Announce { from, to, shared });
    }

    pub(crate) fn cancel(&mut self, request: RequestToken, id: &RequestId) {
        self.cancel.push(Cancel { request, message: jsonrpc::cancelled(id) });
    }

    pub(crate) fn send(&mut self, in_flight: &InFlightRequest, relates_to: Option<AskId>, empty_params: bool) {
        let params = empty_params.then(|| Value::Object(Map::new()));
        self.request(in_flight.token, &in_flight.id, RequestMethod::RootsList, relates_to, params);
    }

    pub(crate) fn ask_user(&mut self, request: RequestToken, id: &RequestId, relates_to: AskId, params: Value) {
        self.request(request, id, RequestMethod::ElicitationCreate, Some(relates_to), Some(params));
    }

    fn request(
        &mut self,
        request: RequestToken,
        id: &RequestId,
        method: RequestMethod,
        relates_to: Option<AskId>,
        params: Option<Value>,
    ) {
        let message = jsonrpc::request(id, method, params.as_ref());
        self.send.push(SendRequest { request, method, params, relates_to, message });
    }

    pub(crate) fn probe(&mut self, probe: Option<Probe>) {
        self.probe = probe;
    }

    pub(crate) fn forward(&mut self, kind: MessageKind, text: String) {
        self.forward = Some(Forward { kind, text });
    }

    /// Adds a log line, unless an event cannot have as many.
    pub(crate) fn log(&mut self, log: Log, policy: &Policy) {
        if self.logs.len() < to_usize(policy.config.limits.actions) {
            self.logs.push(log);
        } else {
            self.more_logs = self.more_logs.saturating_add(1);
        }
    }

    pub(crate) const fn changed_connection(&self) -> bool {
        self.announce.is_some() || !self.send.is_empty()
    }

    /// The project of the only answer of this event.
    pub(crate) fn only_project(&self) -> Option<Arc<Project>> {
        let [PendingAnswer { answer, revision: None, .. }] = self.answers.as_slice() else { return None };
        let Outcome::Resolved { project } = &answer.outcome else { return None };
        Some(project.clone())
    }

    /// All actions in their fixed order; log lines yield to the limit.
    pub(crate) fn into_actions(mut self, policy: &Policy, revision: u32) -> Vec<Action> {
        let mut actions: Vec<Action> = Vec::with_capacity(self.answers.len().saturating_add(4));
        self.answers.sort_by_key(|pending| pending.asks.keys().next().copied());
        for PendingAnswer { asks, revision: own, mut answer } in self.answers {
            answer.asks = asks.into_values().collect();
            answer.revision = own.unwrap_or(revision);
            actions.push(Action::Answer(answer.into()));
        }
        let answers = actions.len();
        actions.extend(self.announce.map(Action::Announce));
        actions.extend(self.cancel.into_iter().map(Action::Cancel));
        actions.extend(self.send.into_iter().map(Action::SendRequest));
        actions.extend(self.probe.map(Action::Probe));
        actions.extend(self.forward.map(Action::Forward));
        let others = actions.len().saturating_sub(answers);
        let room = to_usize(policy.config.limits.actions).saturating_sub(others);
        if self.logs.len() <= room && self.more_logs == 0 {
            actions.extend(self.logs.into_iter().map(Action::Log));
            return actions;
        }
        let kept = room.saturating_sub(1);
        let dropped = self.logs.len().saturating_sub(kept).saturating_add(self.more_logs).to_string();
        actions.extend(self.logs.into_iter().take(kept).map(Action::Log));
        let message = Templates(policy).log(LogCode::LogsDropped, &Values::new().with("count", &dropped));
        actions.push(Action::Log(Log { level: Level::Warning, code: LogCode::LogsDropped, ask: None, message }));
        actions
    }
}
