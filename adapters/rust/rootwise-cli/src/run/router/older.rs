//! A client with a handshake before a server that knows only 2026-07-28.

use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::client::LAST_LEGACY;
use super::instances::Own;
use super::{Asked, Era, Flight, InstanceId, Pending, Router};
use crate::run::message::{self, Head, Id, METHOD_NOT_FOUND, members_of, with_params};

const MODERN: &str = "2026-07-28";
/// The revisions that begin with a handshake.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", LAST_LEGACY];

/// Questions of a server, in the result of a call, which the client gets as requests.
pub(super) struct Round {
    responses: Map<String, Value>,
    missing: usize,
    state: Option<Value>,
}

impl Router {
    /// Whether what the client sends must be translated for this server.
    pub(super) fn is_newer(&self, id: InstanceId) -> bool {
        let knows = |era| self.instances.get(&id).is_some_and(|known| known.era == Some(era));
        self.client.era == Some(Era::Legacy) && knows(Era::Modern)
    }

    /// What the client said in its handshake, as every request of 2026-07-28 says it.
    pub(super) fn envelope(&self) -> Value {
        let params = self.declared();
        let part = |name: &str| params.get(name).cloned().unwrap_or_default();
        let level = self.client.log_level.as_ref().and_then(|params| params.get("level").cloned());
        let said = [
            ("protocolVersion", Some(MODERN.into())),
            ("clientInfo", Some(part("clientInfo"))),
            ("clientCapabilities", Some(part("capabilities"))),
            ("logLevel", level),
        ];
        let named = |(name, value): (&str, Option<Value>)| Some((format!("io.modelcontextprotocol/{name}"), value?));
        Value::Object(said.into_iter().filter_map(named).collect())
    }

    /// The revision of a handshake that is answered here: the one that was asked for, if it is one that we know.
    pub(super) fn revision_of(&self, params: &Value) -> &'static str {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        LEGACY.into_iter().find(|known| Some(*known) == asked).unwrap_or(LAST_LEGACY)
    }

    /// What `server/discover` says, as the result of a handshake.
    pub(super) fn as_handshake(&self, mut found: Value) -> Value {
        let params = self.client.initialize.as_ref().map(|(_, params)| params);
        let version = params.map_or(LAST_LEGACY, |params| self.revision_of(params));
        let mut capabilities = found.get_mut("capabilities").map(Value::take).unwrap_or_else(|| json!({}));
        if let Some(resources) = capabilities.get_mut("resources").and_then(Value::as_object_mut) {
            // Subscriptions to a resource have another form.
            resources.remove("subscribe");
        }
        let server = found.pointer("/_meta/io.modelcontextprotocol~1serverInfo").cloned();
        let unnamed = || json!({ "name": self.settings.name, "version": "0" });
        let mut result = json!({
            "protocolVersion": version, "capabilities": capabilities, "serverInfo": server.unwrap_or_else(unnamed),
        });
        if let (Some(instructions), Some(result)) = (found.get("instructions"), result.as_object_mut()) {
            result.insert("instructions".into(), instructions.clone());
        }
        result
    }

    /// Has a server announce what changes.
    pub(super) fn listen(&mut self, id: InstanceId) {
        let lists = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
        let wanted: Map<String, Value> = lists.map(|list| (list.to_owned(), true.into())).into_iter().collect();
        let params = json!({ "_meta": self.envelope(), "notifications": wanted });
        self.send_own(id, Own::Listen, "subscriptions/listen", &params);
    }

    /// A request of the client for such a server; an error is the answer to one that it does not know.
    pub(super) fn translated(&self, pending: &Pending) -> Result<Bytes, Bytes> {
        match Head::of(&pending.line).method.as_deref() {
            // The level goes with every request.
            Some("ping" | "logging/setLevel") => return Err(message::result(&pending.id, &json!({}))),
            Some("resources/subscribe" | "resources/unsubscribe") => {
                let text = "the server knows no subscriptions to one resource before 2026-07-28";
                return Err(message::error(&pending.id, METHOD_NOT_FOUND, "method_not_found", text));
            }
            _ => {}
        }
        let line = with_params(&pending.line, |params| {
            let mut meta = members_of(params.get("_meta").map(AsRef::as_ref));
            for (name, value) in self.envelope().as_object()? {
                meta.insert(name.clone(), to_raw_value(value).ok()?);
            }
            params.insert("_meta".into(), to_raw_value(&meta).ok()?);
            Some(())
        });
        Ok(line.unwrap_or_else(|| pending.line.clone()))
    }

    /// Passes the questions in the result of a call on to the client, as requests; gives the call back if there are none.
    pub(super) fn ask_client(&mut self, id: InstanceId, flight: Flight, result: &RawValue) -> Option<Flight> {
        let is_round = |result: &Value| result.get("resultType").is_some_and(|kind| kind == "input_required");
        let result: Option<Value> = serde_json::from_str(result.get()).ok().filter(is_round);
        let Some(mut result) = result else { return Some(flight) };
        let asks = result.get_mut("inputRequests").map(Value::take);
        let Some(asks) = asks.as_ref().and_then(Value::as_object) else { return Some(flight) };
        if self.asked.len().saturating_add(asks.len()) > super::MAX_ASKED {
            return Some(flight);
        }
        let known_as = self.own_id();
        let roots = self.instances.get(&id).map(|known| known.place.roots());
        let roots = roots.filter(|_| self.settings.answer_roots);
        let mut round = Round { responses: Map::new(), missing: 0, state: result.get("requestState").cloned() };
        for (key, ask) in asks {
            let method = ask.get("method").and_then(Value::as_str).unwrap_or_default();
            if let Some(roots) = roots.as_ref().filter(|_| method == "roots/list") {
                round.responses.insert(key.clone(), roots.clone());
                continue;
            }
            round.missing = round.missing.saturating_add(1);
            let question = self.own_id();
            let params = ask.get("params").cloned().unwrap_or_else(|| json!({}));
            self.act(super::Action::ToClient(message::request(&question, method, &params)));
            let round = Some((known_as.clone(), key.clone()));
            self.asked.insert(question.clone(), Asked { instance: id, id: question, progress_token: None, round });
        }
        // Those whose call was cancelled, or whose server ended.
        self.rounds.retain(|known, _| self.flights.contains_key(known));
        self.flights.insert(known_as.clone(), flight);
        if round.missing == 0 {
            self.finish_round(&known_as, round);
        } else {
            self.rounds.insert(known_as, round);
        }
        None
    }

    /// The client answered a question of a round.
    pub(super) fn round_answered(&mut self, known_as: &Id, key: String, line: &[u8]) {
        let Some(round) = self.rounds.get_mut(known_as) else { return };
        let head = Head::of(line);
        let parsed = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
        if let Some(result) = head.result {
            round.responses.insert(key, parsed(result));
            round.missing = round.missing.saturating_sub(1);
            if round.missing == 0
                && let Some(round) = self.rounds.remove(known_as)
            {
                self.finish_round(known_as, round);
            }
            return;
        }
        self.rounds.remove(known_as);
        if let Some(flight) = self.flights.remove(known_as) {
            let error = head.error.map(parsed).unwrap_or_default();
            let why = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
            self.refuse(
                &flight.client_id,
                "question_refused",
                &format!("the client refused a question of the server: {why}"),
            );
            self.flight_ended(flight.instance);
        }
    }

    /// Repeats a call with the answers to the questions of its server.
    fn finish_round(&mut self, known_as: &Id, Round { responses, state, .. }: Round) {
        let Some(flight) = self.flights.get_mut(known_as) else { return };
        flight.rounds = flight.rounds.saturating_add(1);
        let (instance, line) = (flight.instance, flight.line.as_ref());
        let again = line.and_then(|line| answered(line, &responses, state.as_ref()));
        if let Some(again) = again.and_then(|again| message::with_id(&again, known_as)) {
            self.send(instance, again);
        }
    }
}

/// The request of a call with the answers to the questions in its result.
pub(super) fn answered(line: &[u8], responses: &Map<String, Value>, state: Option<&Value>) -> Option<Bytes> {
    with_params(line, |params| {
        params.insert("inputResponses".into(), to_raw_value(responses).ok()?);
        match state {
            Some(state) => params.insert("requestState".into(), to_raw_value(state).ok()?),
            None => params.remove("requestState"),
        };
        Some(())
    })
}
