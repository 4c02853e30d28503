//! A client of 2026-07-28 before a server with a handshake, which asks its client by requests.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Action, Alarm, InstanceId, Router};
use crate::run::message::{self, Head, Id, METHOD_NOT_FOUND, Params, members_of};

/// A call whose server asked something: its client got the question as a result, and is to repeat the call with the answer.
pub(super) struct Parked {
    call: Id,
    question: Id,
    /// Tells its alarm.
    number: u64,
}

/// The name of a question in the result of a call.
const QUESTION: &str = "question";
/// How long a client, and the person before it, may take to answer.
const PATIENCE: Duration = Duration::from_secs(600);

impl Router {
    /// Passes a question of a server on as the result of its call, or says why that is not possible.
    pub(super) fn ask_in_result(
        &mut self,
        id: InstanceId,
        question: Id,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<(), &'static str> {
        let capability = match method {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => return Err("the client cannot be asked this outside the result of a call (2026-07-28)"),
        };
        let mut calls = self.flights.iter_mut().filter(|(_, flight)| {
            flight.instance == id && flight.is_sent && flight.traffic.is_call() && !flight.is_parked
        });
        // Over HTTP, calls of several clients can be in flight.
        let (Some((call, flight)), None) = (calls.next(), calls.next()) else {
            return Err("the client can be asked only while the server has one call (2026-07-28)");
        };
        if !flight.capabilities.iter().any(|known| known == capability) {
            return Err("the client does not declare that it can be asked this");
        }
        flight.is_parked = true;
        let (call, client_id) = (call.clone(), flight.client_id.clone());
        // Nobody else can answer it.
        let state = uuid::Uuid::new_v4().to_string();
        let params: Value =
            params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_else(|| json!({}));
        let result = json!({
            "resultType": "input_required", "requestState": state,
            "inputRequests": { QUESTION: { "method": method, "params": params } },
        });
        self.act(Action::ToClient(message::result(&client_id, &result)));
        let number = self.next_id();
        self.parked.insert(state, Parked { call, question, number });
        self.act(Action::Alarm(PATIENCE, Alarm::Unanswered(number)));
        Ok(())
    }

    /// A call that is repeated with the answer to the question of its server; says whether it is one.
    pub(super) fn resumed(&mut self, id: &Id, params: Option<&RawValue>) -> bool {
        let parts = Params::of(params);
        let Some(parked) = parts.request_state.and_then(|state| self.parked.remove(&state)) else { return false };
        let Some(flight) = self.flights.get_mut(&parked.call) else {
            self.refuse(id, "server_ended", "the server that asked has ended; repeat the call without the answer");
            return true;
        };
        (flight.client_id, flight.is_parked) = (id.clone(), false);
        let instance = flight.instance;
        let answer = members_of(parts.input_responses).remove(QUESTION);
        let line = match answer.and_then(|answer| serde_json::from_str(answer.get()).ok()) {
            Some(answer) => message::result(&parked.question, &answer),
            None => message::error(&parked.question, message::INTERNAL_ERROR, "no_answer", "the client gave no answer"),
        };
        self.send(instance, line);
        true
    }

    /// A client that never repeats its call wants it no more.
    pub(super) fn unanswered(&mut self, number: u64) {
        let state = self.parked.iter().find(|(_, parked)| parked.number == number).map(|(state, _)| state.clone());
        let Some(Parked { call, question, .. }) = state.and_then(|state| self.parked.remove(&state)) else { return };
        let Some(flight) = self.flights.remove(&call) else { return };
        let text = "the client did not answer";
        self.send(flight.instance, message::error(&question, METHOD_NOT_FOUND, "no_answer", text));
        self.send(flight.instance, message::cancelled(&call, text));
        self.flight_ended(flight.instance);
    }
}

/// What a client of 2026-07-28 can be asked, by its request.
pub(super) fn capabilities(line: &[u8]) -> Vec<String> {
    let declared = "io.modelcontextprotocol/clientCapabilities";
    let declared = members_of(Params::of(Head::of(line).params).meta).remove(declared);
    members_of(declared.as_deref()).into_keys().collect()
}
