//! Rounds of questions: the client of a call of revision 2026-07-28 is asked by the result of the call, and repeats it with the
//! answers. Clients send only the answers to the last round, so our question travels with those of the handler.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::Endpoint;
use super::action::{CallResult, EndpointAction};
use super::calls::Purpose;
use super::event::CallReturned;
use super::turn::Turn;
use crate::api::action::{INPUT_KEY, InputRequest, Outcome, RequestMethod};
use crate::api::event::{AskVia, Asked};
use crate::api::reason::Reason;
use crate::id::CallId;

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
        if call.needs_input {
            let state = call.request_state.clone().filter(|_| !input_required);
            return turn.push(with_question(id, state));
        }
        if !input_required || !call.is_modern || !call.is_repeatable {
            return turn.push(unchanged(id));
        }
        if call.facts.input_responses.is_some() {
            return turn.push(with_question(id, None));
        }
        let scope = call.scope;
        if call.has_asked || !self.scopes.contains_key(&scope) {
            return turn.push(unchanged(id));
        }
        let asked = Asked { ask_via: Some(AskVia::InputRequired), facts: call.facts.clone(), ..Asked::default() };
        self.put_own(Purpose::Round(id), scope, Some(id), asked, turn);
    }

    /// Marks a call whose client must be asked; false if its handler has returned.
    pub(super) fn needs_input(&mut self, call: Option<CallId>) -> bool {
        let call = call.and_then(|call| self.calls.get_mut(&call)).filter(|call| !call.has_returned);
        call.is_some_and(|call| {
            call.needs_input = true;
            true
        })
    }

    pub(super) fn round_answered(&self, call: CallId, outcome: &Outcome, turn: &mut Turn) {
        let needs_input = matches!(outcome, Outcome::NeedsInput { .. });
        turn.push(if needs_input { with_question(call, None) } else { unchanged(call) });
    }
}

fn with_question(call: CallId, request_state: Option<String>) -> EndpointAction {
    let input_requests = BTreeMap::from([(INPUT_KEY.into(), InputRequest { method: RequestMethod::RootsList })]);
    EndpointAction::CallResult(CallResult { call, input_requests, request_state })
}

const fn unchanged(call: CallId) -> EndpointAction {
    EndpointAction::CallResult(CallResult { call, input_requests: BTreeMap::new(), request_state: None })
}
