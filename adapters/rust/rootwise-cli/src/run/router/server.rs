//! What the servers send.

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::lists::{empty, modernise};
use super::{Action, Asked, Era, Flight, InstanceId, MAX_ASKED, MAX_ROUNDS, OWN_PREFIX, Router};
use crate::run::message::{self, Head, Id, Kind, METHOD_NOT_FOUND, Params};

impl Router {
    pub(super) fn server_line(&mut self, id: InstanceId, line: Bytes) {
        let text = message::readable(&line);
        let mut head = Head::of(&text);
        match head.kind() {
            Kind::Response(answered) => self.server_response(id, answered, &head, line),
            Kind::Request(asked, method) => self.server_request(id, asked, &method, head.params, line),
            Kind::Notification(method) => self.server_notification(id, &method, head.params, line),
            Kind::Other if text.trim_ascii().is_empty() => {}
            // The client deals with it as it would without this program between them.
            Kind::Other if self.current.is_none_or(|current| current == id) => self.act(Action::ToClient(line)),
            Kind::Other => self.log("a server wrote a line that is no message; it was left out"),
        }
    }

    fn server_response(&mut self, id: InstanceId, answered: Id, head: &Head<'_>, line: Bytes) {
        if let Some(own) = self.instances.get_mut(&id).and_then(|known| known.own.remove(&answered)) {
            return self.own_answered(id, &own, head.result, head.error);
        }
        match self.flights.get(&answered) {
            Some(flight) if flight.instance == id => {}
            // The client never knew of this one.
            _ if answered.starts_with(OWN_PREFIX) => return,
            // The answer to a request that the client cancelled; it knows that.
            _ => return self.act(Action::ToClient(line)),
        }
        if let Some(flight) = self.flights.remove(&answered) {
            self.answered(id, answered, flight, head, line);
        }
    }

    fn answered(&mut self, id: InstanceId, answered: Id, mut flight: Flight, head: &Head<'_>, line: Bytes) {
        if let Some(result) =
            head.result.filter(|result| flight.line.is_some() && flight.rounds < MAX_ROUNDS && asks(result))
        {
            if self.is_newer(id) {
                match self.ask_client(id, flight, result) {
                    Some(back) => flight = back,
                    None => return,
                }
            } else if let Some(again) = self.with_roots(id, &flight, result) {
                let next = self.own_id();
                flight.rounds = flight.rounds.saturating_add(1);
                if let Some(again) = message::with_id(&again, &next) {
                    self.send(id, again);
                    self.flights.insert(next, flight);
                    return;
                }
            }
        }
        let traffic = flight.traffic;
        let is_older = self.is_modern() && self.instances.get(&id).is_some_and(|known| known.era == Some(Era::Legacy));
        let line = match head.result {
            _ if self.client.is_answered_here && traffic.is_list() && head.error.is_some() => {
                let result = empty(traffic, false);
                self.remember_list(traffic, &result);
                let result = self.with_our_tools(traffic, result);
                message::result(&flight.client_id, &result)
            }
            Some(result) if is_older || traffic.is_list() || traffic == super::Traffic::Discover => {
                self.retold(&flight, result, is_older).unwrap_or(line)
            }
            _ if flight.client_id != answered => message::with_id(&line, &flight.client_id).unwrap_or(line),
            _ => line,
        };
        self.act(Action::ToClient(line));
        self.flight_ended(id);
    }

    /// A result that the client gets in other words; none if it stays as it is.
    fn retold(&mut self, flight: &Flight, result: &RawValue, is_older: bool) -> Option<Bytes> {
        let mut result: Value = serde_json::from_str(result.get()).ok()?;
        let is_ours = self.settings.tools && flight.traffic == super::Traffic::ListTools;
        self.remember_list(flight.traffic, &result);
        let is_found = self.is_modern() && flight.traffic == super::Traffic::Discover && self.declare_in(&mut result);
        if !is_older && !is_ours && !is_found {
            return None;
        }
        result = self.with_our_tools(flight.traffic, result);
        if is_older {
            modernise(flight.traffic, &mut result);
        }
        Some(message::result(&flight.client_id, &result))
    }

    /// The request again with the roots that a server asks for, if it asks for nothing else.
    fn with_roots(&self, id: InstanceId, flight: &Flight, result: &RawValue) -> Option<Bytes> {
        if !self.settings.answer_roots {
            return None;
        }
        let result: Value = serde_json::from_str(result.get()).ok()?;
        let asks = result.get("inputRequests")?.as_object()?;
        let is_roots = |ask: &Value| ask.get("method").and_then(Value::as_str) == Some("roots/list");
        if result.get("resultType")? != "input_required" || asks.is_empty() || !asks.values().all(is_roots) {
            return None;
        }
        let roots = self.instances.get(&id)?.place.roots();
        let responses = asks.keys().map(|name| (name.clone(), roots.clone())).collect();
        super::older::answered(flight.line.as_ref()?, &responses, result.get("requestState"))
    }

    fn server_request(&mut self, id: InstanceId, asked: Id, method: &str, params: Option<&RawValue>, line: Bytes) {
        match method {
            "roots/list" if self.settings.answer_roots => {
                let roots = self.instances.get(&id).map(|known| known.place.roots());
                self.send(id, message::result(&asked, &roots.unwrap_or_else(|| json!({ "roots": [] }))));
            }
            "ping" if self.is_modern() || self.client.era.is_none() => {
                self.send(id, message::result(&asked, &json!({})))
            }
            _ if self.is_modern() => {
                if let Err(text) = self.ask_in_result(id, asked.clone(), method, params) {
                    self.send(id, message::error(&asked, METHOD_NOT_FOUND, "cannot_ask", text));
                }
            }
            _ if self.asked.len() >= MAX_ASKED => {
                let text = "the client has too many requests that it did not answer";
                self.send(id, message::error(&asked, message::INTERNAL_ERROR, "too_many_requests", text));
            }
            _ => {
                let progress_token = progress_token(params);
                let (known_as, line) = if self.asked.contains_key(&asked) {
                    // Another server has a request with the same id.
                    let known_as = self.own_id();
                    let line = message::with_id(&line, &known_as).unwrap_or(line);
                    (known_as, line)
                } else {
                    (asked.clone(), line)
                };
                self.asked.insert(known_as, Asked { instance: id, id: asked, progress_token, round: None });
                self.act(Action::ToClient(line));
            }
        }
    }

    fn server_notification(&mut self, id: InstanceId, method: &str, params: Option<&RawValue>, line: Bytes) {
        let is_current = self.current.is_none_or(|current| current == id);
        match method {
            "notifications/cancelled" => {
                let Some(given_up) = Params::of(params).request_id.map(|id| Id::from(id.get())) else { return };
                let known = self.asked.iter().find(|(_, asked)| asked.instance == id && asked.id == given_up);
                let Some(known_as) = known.map(|(known_as, _)| known_as.clone()) else { return };
                self.asked.remove(&known_as);
                let line =
                    if known_as == given_up { line } else { message::cancelled(&known_as, "the server gave up") };
                self.act(Action::ToClient(line));
            }
            // The answer to a subscription of ours.
            "notifications/subscriptions/acknowledged" if self.is_newer(id) || self.is_modern() => {}
            _ if self.is_modern() && self.announced(id, method, &line) => {}
            _ if method.ends_with("/list_changed") => {
                // A list of another project is not the client's.
                if is_current {
                    self.act(Action::ToClient(line));
                }
            }
            _ => self.act(Action::ToClient(line)),
        }
    }
}

/// Whether a result may hold questions of the server.
fn asks(result: &RawValue) -> bool {
    result.get().contains("input_required")
}

/// The token by which the client reports its progress.
fn progress_token(params: Option<&RawValue>) -> Option<String> {
    let meta = Params::of(params).meta;
    Params::of(meta).progress_token.map(|token| token.get().to_owned())
}
