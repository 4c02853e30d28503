//! The effect of one event so far.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use super::action::EndpointAction;
use super::{Scope, SessionChange};
use crate::api::action::{Answer, Outcome, Unresolved};
use crate::api::event::Event;
use crate::api::reason::Reason;
use crate::id::{AskId, RequestToken, SessionId};

use crate::texts::endpoint as texts;

/// The effect of one event so far, and what its consequences still have to tell the resolvers.
#[derive(Debug, Default)]
pub(super) struct Turn {
    actions: Vec<EndpointAction>,
    sessions: BTreeMap<SessionId, SessionChange>,
    pub(super) queue: VecDeque<(Scope, Event)>,
    /// Sessions whose new list of roots is to be verified.
    pub(super) unverified: VecDeque<SessionId>,
    /// The host's ids of the asks that were answered, by the ids that the resolvers know.
    pub(super) answered: BTreeMap<AskId, AskId>,
    /// Whether raw messages that are not for the endpoint go back to the host.
    pub(super) forwards: bool,
}

impl Turn {
    pub(super) fn push(&mut self, action: EndpointAction) {
        self.actions.push(action);
    }

    /// Takes back a request that this event would have sent; returns whether there was one.
    pub(super) fn take_back(&mut self, request: RequestToken) -> bool {
        let is_it =
            |action: &EndpointAction| matches!(action, EndpointAction::SendRequest(sent) if sent.request == request);
        let at = self.actions.iter().position(is_it);
        at.map(|at| self.actions.remove(at)).is_some()
    }

    /// Ends asks without a resolver.
    pub(super) fn end(&mut self, asks: Vec<AskId>, code: Reason) {
        let message = String::from(texts::ended(code));
        let outcome = Outcome::Unresolved(Unresolved { code, message, instruction: None });
        let answer = Answer { asks, outcome, revision: 0, hints: Vec::new(), explanation: None };
        self.push(EndpointAction::Answer(Box::new(answer)));
    }

    /// Notes the state of a session after it processed something; of several notes the last one counts.
    pub(super) fn touched(&mut self, change: SessionChange) {
        let earlier = self.sessions.remove(&change.session).and_then(|earlier| earlier.project);
        let project = change.project.clone().or(earlier);
        self.sessions.insert(change.session, SessionChange { project, ..change });
    }

    pub(super) fn finish(mut self) -> (Vec<EndpointAction>, Vec<SessionChange>) {
        self.actions.sort_by_key(rank);
        (self.actions, self.sessions.into_values().collect())
    }
}

/// The place of an action among those of its event.
const fn rank(action: &EndpointAction) -> u8 {
    match action {
        EndpointAction::Answer(_) => 0,
        EndpointAction::Announce(_) => 1,
        EndpointAction::AnnounceRoots(_) => 2,
        EndpointAction::CallResult(_) => 3,
        EndpointAction::Cancel(_) => 4,
        EndpointAction::SendRequest(_) => 5,
        EndpointAction::Probe(_) => 6,
        EndpointAction::Forward(_) => 7,
        EndpointAction::WatchRequests(_) => 8,
        EndpointAction::Log(_) => 9,
    }
}
