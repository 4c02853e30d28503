//! Rounds of questions: the client of a call of revision 2026-07-28 is asked by the result of the call, and repeats it with the
//! answers. Clients send only the answers to the last round, so our question travels with those of the handler.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::Endpoint;
use super::action::{CallResult, EndpointAction};
use super::calls::Purpose;
use super::event::CallReturned;
use super::turn::Turn;
use crate::api::action::{INPUT_KEY, InputRequest, Outcome};
use crate::api::event::{AskVia, Asked, RequestFacts};
use crate::api::reason::Reason;
use crate::collect::inserted;
use crate::id::CallId;
use crate::peer::raw;
use crate::policy::Elicit;
use crate::resolve::ask::needs_roots;

impl Endpoint {
    pub(super) fn call_returned(&mut self, returned: &CallReturned, turn: &mut Turn) {
        let CallReturned { call: id, input_required } = *returned;
        self.end_asks(id, Reason::CallOver, turn);
        let Some(call) = self.calls.get_mut(&id) else {
            return turn.push(unchanged(id));
        };
        if core::mem::replace(&mut call.has_returned, true) {
            return;
        }
        let asks_client = input_required || !call.questions.is_empty();
        if asks_client {
            // The client shows the result of the last round alone.
            self.lose_hints(id, turn);
        }
        let Some(call) = self.calls.get(&id) else { return };
        if !call.questions.is_empty() {
            let state = call.request_state.clone().filter(|_| !input_required);
            return turn.push(with_questions(id, call.questions.clone(), state));
        }
        if !input_required || !call.is_modern || !call.is_repeatable {
            return turn.push(unchanged(id));
        }
        if brings_roots(&call.facts) {
            return turn.push(with_questions(id, inserted([needs_roots()]), None));
        }
        let scope = call.scope;
        if call.has_asked || !self.scopes.contains_key(&scope) {
            return turn.push(unchanged(id));
        }
        let (ask_via, facts) = (Some(AskVia::InputRequired), call.facts.clone());
        // Only a handler that wants the project has the user asked for it.
        let quiet = self.policy.config.elicit != Elicit::Never;
        let asked = Asked { ask_via, facts, quiet, ..Asked::default() };
        self.put_own(Purpose::Round(id), scope, Some(id), asked, turn);
    }

    /// Notes the questions for the client of a call; false if its handler has returned.
    pub(super) fn needs_input(&mut self, call: Option<CallId>, questions: &BTreeMap<String, InputRequest>) -> bool {
        let call = call.and_then(|call| self.calls.get_mut(&call)).filter(|call| !call.has_returned);
        call.is_some_and(|call| {
            call.questions.extend(questions.clone());
            true
        })
    }

    pub(super) fn round_answered(&self, call: CallId, outcome: &Outcome, turn: &mut Turn) {
        turn.push(match outcome {
            Outcome::NeedsInput { input_requests } => with_questions(call, input_requests.clone(), None),
            _ => unchanged(call),
        });
    }
}

/// Whether a call brings an answer to the question for roots.
fn brings_roots(facts: &RequestFacts) -> bool {
    let responses = facts.input_responses.as_ref().and_then(|responses| raw::members(responses.get(), [INPUT_KEY]));
    responses.is_some_and(|[roots]| roots.is_present())
}

fn with_questions(
    call: CallId,
    input_requests: BTreeMap<String, InputRequest>,
    request_state: Option<String>,
) -> EndpointAction {
    EndpointAction::CallResult(CallResult { call, input_requests, request_state })
}

const fn unchanged(call: CallId) -> EndpointAction {
    EndpointAction::CallResult(CallResult { call, input_requests: BTreeMap::new(), request_state: None })
}
