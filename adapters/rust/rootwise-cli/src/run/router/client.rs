//! What the client sends.

use std::sync::Arc;

use bytes::Bytes;
use rootwise::Project;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::lists::Listed;
use super::{Action, Alarm, Asked, Era, GRACE, Held, Pending, Resolution, Router, SessionProject, Traffic, Wait};
use crate::run::message::{self, Head, INTERNAL_ERROR, Id, Kind, Params};
use crate::run::place::Place;

/// What is known about the client.
#[derive(Default)]
pub(super) struct Client {
    pub(super) era: Option<Era>,
    /// The id and the parameters of `initialize`, or what a modern request says instead.
    pub(super) initialize: Option<(Id, Value)>,
    /// Whether `initialize` was answered.
    pub(super) is_answered: bool,
    /// The result of its handshake.
    pub(super) told: Option<Value>,
    /// Whether it was answered without a server.
    pub(super) is_answered_here: bool,
    pub(super) is_ready: bool,
    /// The last `logging/setLevel`.
    pub(super) log_level: Option<Value>,
    pub(super) listed: Listed,
    pub(super) has_ended: bool,
}

/// Bytes of the longest line that is taken apart as several messages.
const MAX_BATCH: usize = 1 << 20;

/// The key by which a request of 2026-07-28 is known.
const MODERN_KEY: &str = "io.modelcontextprotocol/protocolVersion";

impl Router {
    pub(super) fn client_line(&mut self, line: Bytes, known: Option<Arc<Project>>) {
        let text = line.clone();
        if text.trim_ascii_start().starts_with(b"[") && text.len() <= MAX_BATCH {
            // Revision 2025-03-26 allows several messages at once: each of them may belong to another server.
            let batch: Vec<&RawValue> = serde_json::from_slice(&text).unwrap_or_default();
            for message in &batch {
                self.client_message(format!("{message}\n").into(), known.clone());
            }
            if !batch.is_empty() {
                return;
            }
        }
        self.client_message(line, known);
    }

    fn client_message(&mut self, line: Bytes, known: Option<Arc<Project>>) {
        let text = message::readable(&line);
        let mut head = Head::of(&text);
        match head.kind() {
            Kind::Request(id, method) => self.client_request(id, &method, head.params, line, known),
            Kind::Notification(method) => self.client_notification(&method, head.params, line),
            Kind::Response(id) => self.client_response(id, line),
            Kind::Other if text.trim_ascii().is_empty() => {}
            Kind::Other => self.route_to_current(line),
        }
    }

    fn client_request(
        &mut self,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
        line: Bytes,
        known: Option<Arc<Project>>,
    ) {
        let traffic = Traffic::of(method);
        if method == "initialize" {
            return self.initialize(id, params, line);
        }
        self.act(Action::RequestSeen(id.clone()));
        if method == "ping" && !self.is_current_ready() {
            return self.act(Action::ToClient(message::result(&id, &json!({}))));
        }
        let is_open = self.flights.contains_key(&id) || self.subscriptions.contains_key(&id);
        if is_open || self.held.iter().any(|held| held.pending.id == id) {
            // Two answers with one id would mix up two requests.
            let text = "the id of this request is in use; every request needs its own until it is answered";
            return self.refuse(&id, "duplicate_id", text);
        }
        if method == "logging/setLevel" {
            self.client.log_level = params.and_then(|params| serde_json::from_str(params.get()).ok());
        }
        if self.client.era.is_none() {
            self.notice_modern(params);
        }
        if traffic.is_call() && !self.parked.is_empty() && self.resumed(&id, params) {
            return;
        }
        if traffic == Traffic::Listen && self.is_modern() {
            return self.subscribe(id, params, line);
        }
        let pending = Pending { id, traffic, line };
        if traffic.is_call() {
            self.call(pending, method, params, known);
        } else {
            self.session_request(pending);
        }
    }

    fn initialize(&mut self, id: Id, params: Option<&RawValue>, line: Bytes) {
        if let Some(params) = params {
            self.act(Action::Initialized(params.to_owned()));
        }
        if self.client.initialize.is_some() {
            // A client that begins anew; its server decides what that means.
            return self.route_to_current(line);
        }
        let params = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        self.client.initialize = Some((id, params));
        self.client.era = Some(Era::Legacy);
        if self.current.is_none() {
            return self.answer_handshake_here();
        }
        self.begin_handshakes();
    }

    /// A request of 2026-07-28 says what `initialize` said before.
    fn notice_modern(&mut self, params: Option<&RawValue>) {
        let Some(meta) = Params::of(params).meta.filter(|meta| meta.get().contains(MODERN_KEY)) else { return };
        let meta: Value = serde_json::from_str(meta.get()).unwrap_or_default();
        let part = |name: &str| meta.get(format!("io.modelcontextprotocol/{name}")).cloned();
        let unknown = || json!({ "name": "unknown", "version": "0" });
        let params = json!({
            "protocolVersion": LAST_LEGACY,
            "capabilities": part("clientCapabilities").unwrap_or_else(|| json!({})),
            "clientInfo": part("clientInfo").unwrap_or_else(unknown),
        });
        self.client.initialize = Some((Id::from("null"), params));
        self.client.era = Some(Era::Modern);
        self.begin_handshakes();
    }

    /// A request that belongs to the connection and not to a call.
    pub(super) fn session_request(&mut self, pending: Pending) {
        let can_ask = self.client.era == Some(Era::Legacy);
        match &self.session {
            SessionProject::NotAsked | SessionProject::Asking if can_ask => {
                self.ask_for_session();
                self.hold(pending, Wait::Session);
            }
            _ if !self.held.is_empty() => self.hold(pending, Wait::Session),
            _ => self.session_request_now(pending),
        }
    }

    fn session_request_now(&mut self, pending: Pending) {
        match &self.session {
            SessionProject::Known(project) => {
                let project = project.clone();
                self.route_to_project(&project, pending);
            }
            _ => self.route_to_start(pending),
        }
    }

    /// Sends a request to the server that has no project.
    pub(super) fn route_to_start(&mut self, pending: Pending) {
        let target = self.current.filter(|id| self.instances.get(id).is_some_and(|known| known.is_usable()));
        match target.or_else(|| self.start.clone().and_then(|start| self.ensure(start).ok())) {
            Some(instance) => self.dispatch(instance, pending),
            None if pending.traffic.is_list() => {
                let result = super::lists::empty(pending.traffic, self.is_modern());
                self.remember_list(pending.traffic, &result);
                let result = self.with_our_tools(pending.traffic, result);
                self.act(Action::ToClient(message::result(&pending.id, &result)));
            }
            None if pending.traffic == Traffic::Discover => {
                let answer = self.discovered_here(0, &pending.id);
                self.act(Action::ToClient(answer));
            }
            None => self.refuse(&pending.id, "no_project", "no project is known yet, and no server runs without one"),
        }
    }

    pub(super) fn ask_for_session(&mut self) {
        if matches!(self.session, SessionProject::NotAsked) {
            self.session = SessionProject::Asking;
            self.act(Action::Ask(SESSION, None));
        }
    }

    pub(super) fn hold(&mut self, pending: Pending, wait: Wait) {
        let bytes = self.held_bytes.saturating_add(pending.line.len());
        if self.held.len() >= super::MAX_WAITING || bytes > super::MAX_WAITING_BYTES {
            if let Wait::Call(ticket) = wait {
                self.act(Action::Withdraw(ticket));
            }
            let text = "too many requests wait for the project; repeat this one when the others are answered";
            return self.refuse(&pending.id, "too_many_waiting", text);
        }
        self.held_bytes = bytes;
        self.held.push_back(Held { pending, wait });
    }

    /// Lets the requests pass whose turn it is.
    fn release(&mut self) {
        let is_session_known =
            !matches!(self.session, SessionProject::NotAsked | SessionProject::Asking) || self.is_modern();
        while let Some(Held { pending, wait }) = self.held.pop_front() {
            match wait {
                Wait::Session if is_session_known => {
                    self.held_bytes = self.held_bytes.saturating_sub(pending.line.len());
                    self.session_request_now(pending);
                }
                Wait::Turn(resolution) => {
                    self.held_bytes = self.held_bytes.saturating_sub(pending.line.len());
                    self.call_resolved(pending, &resolution);
                }
                wait => {
                    self.held.push_front(Held { pending, wait });
                    return;
                }
            }
        }
    }

    pub(super) fn resolved(&mut self, ticket: u64, resolution: Resolution) {
        if ticket == SESSION {
            match resolution {
                Resolution::Project(project) => self.set_session(&project),
                Resolution::NoProject { text, .. } if !matches!(self.session, SessionProject::Known(_)) => {
                    self.log(text);
                    self.session = SessionProject::None;
                }
                _ => {}
            }
        } else if let Some(held) =
            self.held.iter_mut().find(|held| matches!(held.wait, Wait::Call(known) if known == ticket))
        {
            held.wait = Wait::Turn(resolution);
        }
        self.release();
        self.close_if_done();
    }

    pub(super) fn project_changed(&mut self, project: Option<Arc<Project>>) {
        match project {
            Some(project) => self.set_session(&project),
            // The last server stays for what belongs to no call; calls learn why they have no project.
            None => self.session = SessionProject::None,
        }
    }

    fn set_session(&mut self, project: &Arc<Project>) {
        let Some(place) = Place::of_project(project) else {
            self.session = SessionProject::None;
            return;
        };
        if self.client.has_ended && self.held.is_empty() {
            return;
        }
        self.session = SessionProject::Known(project.clone());
        match self.ensure(place) {
            Ok(instance) => self.make_current_if_ready(instance),
            Err(text) => self.log(text),
        }
    }

    fn client_notification(&mut self, method: &str, params: Option<&RawValue>, line: Bytes) {
        match method {
            "notifications/initialized" => {
                self.client.is_ready = true;
                self.act(Action::Ready);
                self.finish_handshakes();
                if self.settings.asks_early {
                    self.ask_for_session();
                }
            }
            "notifications/roots/list_changed" => {
                self.act(Action::RootsChanged);
                if !self.settings.answer_roots {
                    self.route_to_current(line);
                }
                match self.session {
                    // Its server learns of other roots beside the project before the next call.
                    SessionProject::Known(_) if self.settings.asks_early && self.settings.answer_roots => {
                        self.act(Action::Ask(SESSION, None));
                    }
                    // A client that saw no tools has nothing to call.
                    SessionProject::None => {
                        self.session = SessionProject::NotAsked;
                        self.ask_for_session();
                    }
                    _ => {}
                }
            }
            "notifications/cancelled" => self.client_cancelled(params, line),
            "notifications/progress" => {
                let token = Params::of(params).progress_token.map(|token| token.get().to_owned());
                let owner = self.asked.values().find(|asked| token.is_some() && asked.progress_token == token);
                match owner.map(|asked| asked.instance) {
                    Some(instance) => self.send(instance, line),
                    None => self.route_to_current(line),
                }
            }
            _ => self.route_to_current(line),
        }
    }

    fn client_cancelled(&mut self, params: Option<&RawValue>, line: Bytes) {
        let Some(id) = Params::of(params).request_id.map(|id| Id::from(id.get())) else { return };
        if let Some(at) = self.held.iter().position(|held| held.pending.id == id) {
            if let Some(Held { pending, wait }) = self.held.remove(at) {
                self.held_bytes = self.held_bytes.saturating_sub(pending.line.len());
                if let Wait::Call(ticket) = wait {
                    self.act(Action::Withdraw(ticket));
                }
            }
            self.release();
            return self.close_if_done();
        }
        if self.unsubscribe(&id) {
            return;
        }
        let Some((sent, flight)) = self.take_flight_of(&id) else { return };
        if !flight.is_sent {
            if let Some(instance) = self.instances.get_mut(&flight.instance) {
                instance.waiting.retain(|pending| pending.id != id);
            }
        } else if sent == id {
            self.send(flight.instance, line);
        } else {
            self.send(flight.instance, message::cancelled(&sent, "the client cancelled the request"));
        }
        self.flight_ended(flight.instance);
    }

    fn client_response(&mut self, id: Id, line: Bytes) {
        match self.asked.remove(&id) {
            None => self.act(Action::Answered(id, line)),
            Some(Asked { round: Some((call, question)), .. }) => self.round_answered(&call, question, &line),
            Some(asked) if asked.id == id => self.send(asked.instance, line),
            Some(asked) => {
                if let Some(line) = message::with_id(&line, &asked.id) {
                    self.send(asked.instance, line);
                }
            }
        }
    }

    /// Passes on what belongs to no call.
    fn route_to_current(&mut self, line: Bytes) {
        let current = self.current.or_else(|| self.instances.keys().next_back().copied());
        if let Some(instance) = current.filter(|id| self.instances.get(id).is_some_and(|known| !known.is_stuck)) {
            self.send(instance, line);
        }
    }

    pub(super) fn refuse(&mut self, id: &Id, code: &str, text: &str) {
        self.act(Action::ToClient(message::error(id, INTERNAL_ERROR, code, text)));
    }

    pub(super) fn client_ended(&mut self) {
        self.client.has_ended = true;
        self.act(Action::InputClosed);
        self.close_if_done();
    }

    /// Lets the servers go when the client is gone and nothing waits for one of them any more.
    pub(super) fn close_if_done(&mut self) {
        if !self.client.has_ended || !self.held.is_empty() {
            return;
        }
        if self.instances.is_empty() {
            return self.act(Action::Exit(self.exit_code));
        }
        let idle: Vec<u64> =
            self.instances.iter().filter(|(_, known)| known.waiting.is_empty()).map(|(id, _)| *id).collect();
        for id in idle {
            self.close(id);
        }
    }

    /// The servers get the same signal.
    pub(super) fn signalled(&mut self) {
        self.client.has_ended = true;
        self.held.clear();
        self.instances.retain(|_, known| known.has_process);
        let ids: Vec<u64> = self.instances.keys().copied().collect();
        if ids.is_empty() {
            return self.act(Action::Exit(self.exit_code));
        }
        for id in ids {
            if let Some(instance) = self.instances.get_mut(&id) {
                instance.waiting.clear();
                instance.is_closing = true;
            }
            self.act(Action::Terminate(id));
            self.act(Action::Alarm(GRACE, Alarm::Terminated(id)));
        }
    }
}

/// The ticket of the connection's own question.
const SESSION: u64 = 0;

/// The revision in which a modern client's words are repeated to a server that knows only older ones.
pub(super) const LAST_LEGACY: &str = "2025-11-25";
