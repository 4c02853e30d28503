//! The second model of an endpoint: it is told the same events and predicts what comes of them. It keeps a log and the
//! resolvers, which have a model of their own, and is written from the rules of `docs/endpoint.md`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rootwise::RequestToken;
use rootwise::endpoint::event::{
    ChannelClosed, ChannelEnd, EndpointEvent, SessionInitialized, SessionMessage, SessionOpened,
};
use rootwise::event::{
    EntryKind, Event, HostFactsChanged, Message, Probed, RefusalKind, RequestRefused, RootsChanged, RootsListed,
    UserAnswered,
};
use rootwise::host::{HostFacts, Transport};
use rootwise::policy::{Policy, SourceKind};
use rootwise::project::Project;
use rootwise::{Resolver, ResolverBuilder, Reuse};
use serde_json::{Value, json};

use super::calls::{Kind, Question};
use super::carry::{open_tokens, saved};
use super::log::{At, Entry, Log, Purpose, Sent};
use super::parts;

/// Stands for any text that the rules do not word.
pub const ANY: &str = "*";

pub struct Model {
    pub policy: Arc<Policy>,
    /// The facts of the process at the beginning; the log has later ones.
    host: HostFacts,
    pub log: Log,
    pub resolvers: BTreeMap<At, Resolver>,
    pub now: u64,
    /// The operator's folders when they were last checked (E25).
    dirs_seen: Option<Option<Vec<String>>>,
    /// Whether something happened that it cannot follow.
    pub is_lost: bool,
}

/// The owner of the probes of the endpoint itself.
const ENDPOINT: At = At::MAX;

/// What one event has caused so far.
#[derive(Default)]
pub struct Turn {
    pub actions: Vec<Value>,
    pub sessions: BTreeMap<u32, (Option<Option<Arc<Project>>>, Option<Reuse>)>,
    pub queue: VecDeque<(At, Event)>,
    pub unverified: VecDeque<At>,
    pub forwards: bool,
}

impl Turn {
    pub fn end(&mut self, asks: &[u32], code: &str) {
        if !asks.is_empty() {
            let answer = json!({ "type": "answer", "asks": asks, "outcome": "unresolved", "code": code, "message": ANY,
                "revision": 0 });
            self.actions.push(answer);
        }
    }

    pub fn log(&mut self, level: &str, code: &str, session: Option<u32>, ask: Option<u32>) {
        let mut line = json!({ "type": "log", "level": level, "code": code, "message": ANY });
        set(&mut line, "session", session);
        set(&mut line, "ask", ask);
        self.actions.push(line);
    }

    pub fn result(&mut self, call: u32, questions: Option<Value>, state: Option<&String>) {
        let mut result = json!({ "type": "callResult", "call": call });
        set(&mut result, "inputRequests", questions);
        set(&mut result, "requestState", state.cloned());
        self.actions.push(result);
    }
}

pub fn set(object: &mut Value, name: &str, value: Option<impl Into<Value> + Clone>) {
    if let Some(value) = value {
        object[name] = value.into();
    }
}

impl Model {
    pub fn new(policy: Policy, host: HostFacts) -> Self {
        Self {
            policy: policy.into(),
            host,
            log: Log::default(),
            resolvers: BTreeMap::new(),
            now: 0,
            dirs_seen: None,
            is_lost: false,
        }
    }

    pub fn deadline(&self) -> Option<u64> {
        self.resolvers.values().filter_map(Resolver::deadline).map(|at| at.0).min()
    }

    pub fn project(&self, session: u32) -> Option<&Arc<Project>> {
        self.resolvers.get(&self.log.session(session)?)?.project()
    }

    /// What an event causes, in the form of the wire; or the code of the misuse.
    pub fn step(&mut self, event: &EndpointEvent, now: u64) -> Result<Value, &'static str> {
        let mut turn = Turn::default();
        let (before, kept) = (self.now, self.log.0.len());
        self.now = self.now.max(now);
        if let Err(code) = self.event(event, &mut turn) {
            self.now = before;
            assert_eq!(kept, self.log.0.len(), "the model changed before it refused {event:?}");
            return Err(code);
        }
        self.run(&mut turn);
        self.look_at_dirs(&mut turn);
        let sessions: Vec<Value> = turn
            .sessions
            .into_iter()
            .map(|(session, (project, known))| {
                let mut change = json!({ "session": session });
                set(&mut change, "project", project.map(|project| serde_json::to_value(project).unwrap()));
                set(&mut change, "known", known.map(|known| serde_json::to_value(known).unwrap()));
                change
            })
            .collect();
        let mut output = json!({ "actions": turn.actions, "deadline": self.deadline() });
        set(&mut output, "sessions", (!sessions.is_empty()).then_some(sessions));
        Ok(output)
    }

    pub fn note(&mut self, event: impl Into<EndpointEvent>) -> At {
        self.log.add(Entry::Event(event.into()))
    }

    fn event(&mut self, event: &EndpointEvent, turn: &mut Turn) -> Result<(), &'static str> {
        self.check(event)?;
        match event.clone() {
            EndpointEvent::SessionOpened(opened) => return self.opened(opened, turn),
            EndpointEvent::SessionClosed(closed) => {
                if let Some(session) = self.log.session(closed.session.0) {
                    self.close(session, turn);
                }
                self.note(closed);
            }
            EndpointEvent::ChannelClosed(closed) => self.channel_closed(closed, turn),
            EndpointEvent::CallStarted(started) => {
                let session = started.session.map(|session| session.0).filter(|id| self.log.session(*id).is_some());
                let key = self.memory_key(&started);
                let at = self.note(started.clone());
                if let Some(key) = key {
                    self.join_memory(at, &key, turn);
                }
                let session = session.filter(|_| self.log.memory(at).is_none());
                let parts = self.parts(at);
                if started.session.is_none() && self.log.memory(at).is_none() {
                    let transport = started.transport.unwrap_or(Transport::Http);
                    let builder = Resolver::builder(self.facts(transport, started.local, None));
                    let builder = started.allowed_dirs.iter().fold(builder, ResolverBuilder::allowed_dirs);
                    self.resolvers.insert(at, builder.policy(self.policy.clone()).for_one_call().build().unwrap());
                }
                (0..parts.too_large).for_each(|_| turn.log("warning", "event_failed", session, None));
                if started.session.is_none() && self.log.memory(at).is_none() {
                    self.log_cannot_select(turn);
                }
            }
            EndpointEvent::CallReturned(returned) => self.call_returned(returned, turn),
            EndpointEvent::CallEnded(ended) => self.call_ended(ended, turn),
            EndpointEvent::Asked(asked) => {
                let (call, session) = (asked.call.map(|call| call.0), asked.session.map(|session| session.0));
                self.note(asked.clone());
                self.ask(&Question { ask: asked.ask.0, call, session, kind: Kind::Ask(&asked) }, turn);
            }
            EndpointEvent::Selected(selected) => {
                let (call, session) = (selected.call.map(|call| call.0), selected.session.map(|session| session.0));
                self.note(selected.clone());
                self.ask(&Question { ask: selected.ask.0, call, session, kind: Kind::Select(&selected) }, turn);
            }
            EndpointEvent::SelectionCleared(cleared) => {
                let (call, session) = (cleared.call.map(|call| call.0), cleared.session.map(|session| session.0));
                self.note(cleared.clone());
                self.ask(&Question { ask: cleared.ask.0, call, session, kind: Kind::Clear(&cleared) }, turn);
            }
            EndpointEvent::Probed(probed) => {
                let probe = self.log.probes()[probed.probe.0 as usize - 1];
                let is_first = !self
                    .log
                    .events()
                    .any(|(_, event)| matches!(event, EndpointEvent::Probed(earlier) if earlier.probe == probed.probe));
                self.note(probed.clone());
                if probe.0 == ENDPOINT {
                    let last = self.log.probes().iter().rposition(|probe| probe.0 == ENDPOINT);
                    let counts = is_first && last == Some(probed.probe.0 as usize - 1) && self.has_dirs();
                    let bad = probed.paths.iter().filter(|path| counts && path.found != EntryKind::Directory);
                    bad.for_each(|_| turn.log("warning", "allowed_dir_unusable", None, None));
                } else if let (true, (owner, own)) = (is_first, probe) {
                    self.process(owner, Probed::new(own, probed.paths).into(), turn);
                }
            }
            event => {
                self.note(event.clone());
                self.told(event, turn);
            }
        }
        Ok(())
    }

    /// The mistakes of a host (E18, E19), except options that a resolver refuses.
    fn check(&self, event: &EndpointEvent) -> Result<(), &'static str> {
        let log = &self.log;
        let check_ask = |ask: u32, call: bool, session: bool| {
            if call == session {
                Err("bad_event")
            } else if log.waiting().any(|put| put.purpose == Purpose::Host(ask)) {
                Err("duplicate_ask")
            } else {
                Ok(())
            }
        };
        match event {
            EndpointEvent::SessionOpened(opened) if log.session(opened.session.0).is_some() => Err("duplicate_session"),
            EndpointEvent::SessionOpened(opened) if has_relative(opened.allowed_dirs.as_ref()) => Err("bad_event"),
            EndpointEvent::ChannelOpened(opened) => match log.channel(opened.channel.0) {
                Some((channel, _)) if !channel.is_cut => Err("duplicate_channel"),
                Some((channel, _)) if log.session(opened.session.0) != Some(channel.session) => {
                    Err("duplicate_channel")
                }
                _ => Ok(()),
            },
            EndpointEvent::CallStarted(started) if log.call(started.call.0).is_some() => Err("duplicate_call"),
            EndpointEvent::CallStarted(started) if self.has_bad_dirs(started) => Err("bad_event"),
            EndpointEvent::CallStarted(started) if self.memory_key(started).is_some() => Ok(()),
            EndpointEvent::CallStarted(started) => {
                let session = started.session.and_then(|session| log.session(session.0));
                let channel = started.channel.and_then(|channel| log.channel(channel.0));
                match (session.filter(|session| log.is_http(*session)), channel) {
                    (Some(session), Some((channel, _))) if channel.is_standalone || channel.session != session => {
                        Err("duplicate_channel")
                    }
                    _ => Ok(()),
                }
            }
            EndpointEvent::Asked(asked) if asked.argument.is_some() && !self.reads_argument() => Err("bad_options"),
            EndpointEvent::Asked(asked) => check_ask(asked.ask.0, asked.call.is_some(), asked.session.is_some()),
            EndpointEvent::Selected(asked) => check_ask(asked.ask.0, asked.call.is_some(), asked.session.is_some()),
            EndpointEvent::SelectionCleared(asked) => {
                check_ask(asked.ask.0, asked.call.is_some(), asked.session.is_some())
            }
            EndpointEvent::Probed(probed) => {
                let was_given = (1..=log.probes().len()).contains(&(probed.probe.0 as usize));
                if was_given { Ok(()) } else { Err("unknown_probe") }
            }
            EndpointEvent::HostFactsChanged(changed) => {
                Resolver::new(self.policy.clone(), changed.facts.clone()).map(drop).map_err(|_| "bad_options")
            }
            _ => Ok(()),
        }
    }

    fn reads_argument(&self) -> bool {
        self.policy.config().sources.iter().any(|source| source.from == SourceKind::Argument)
    }

    /// The facts of the process for one transport.
    pub fn facts(&self, transport: Transport, local: Option<bool>, push: Option<bool>) -> HostFacts {
        let mut facts = self.process_facts().clone();
        facts.transport = transport;
        facts.local = local.or(facts.local);
        facts.push = push.or(facts.push).or_else(|| (transport != Transport::Http).then_some(true));
        facts
    }

    pub fn process_facts(&self) -> &HostFacts {
        let mut changed = self.log.events().filter_map(|(_, event)| match event {
            EndpointEvent::HostFactsChanged(changed) => Some(&changed.facts),
            _ => None,
        });
        changed.next_back().unwrap_or(&self.host)
    }

    fn has_dirs(&self) -> bool {
        self.process_facts().allowed_dirs.as_ref().is_some_and(|dirs| !dirs.is_empty())
    }

    /// The operator's folders are checked once, and again when they change (E25).
    fn look_at_dirs(&mut self, turn: &mut Turn) {
        let dirs = self.process_facts().allowed_dirs.clone();
        if self.dirs_seen.as_ref() == Some(&dirs) {
            return;
        }
        if self.has_dirs() {
            self.log.add(Entry::Probe { owner: ENDPOINT, own: 0 });
            let paths: Vec<Value> = dirs.iter().flatten().map(|dir| json!({ "path": dir })).collect();
            turn.actions.push(json!({ "type": "probe", "probe": self.log.probes().len(), "paths": paths }));
        }
        self.dirs_seen = Some(dirs);
    }

    /// What a call says about its project, with the folders of its caller unless they are the session's (E24).
    pub fn parts(&self, call: At) -> parts::Parts {
        let started = self.log.started(call).unwrap();
        let mut parts = parts::call(started, &self.policy);
        let session = self.log.owner(call).and_then(|owner| self.log.opened(owner));
        if session.is_some_and(|session| session.allowed_dirs != started.allowed_dirs) {
            parts.facts.allowed_dirs.clone_from(&started.allowed_dirs);
        }
        if let Some(memory) = self.log.memory(call) {
            let dirs = self.callers_dirs(call);
            parts.facts.allowed_dirs = dirs.clone().filter(|_| dirs != self.callers_dirs(memory));
        }
        parts
    }

    fn opened(&mut self, opened: SessionOpened, turn: &mut Turn) -> Result<(), &'static str> {
        let facts = self.facts(opened.transport, opened.local, opened.push);
        let mut builder = Resolver::builder(facts).policy(self.policy.clone());
        if let Some(dirs) = &opened.allowed_dirs {
            builder = builder.allowed_dirs(dirs);
        }
        if let Some(prefix) = &opened.id_prefix {
            builder = builder.id_prefix(prefix.clone());
        }
        if let Some(key) = &opened.snapshot_key {
            builder = builder.snapshot_key(key.clone());
        }
        let resolver = match &opened.saved {
            None => builder.build().map_err(|error| error.code())?,
            Some(saved) => builder.restore(saved, self.now).map_err(|error| error.code())?,
        };
        if let Some(project) = resolver.project() {
            turn.sessions.insert(opened.session.0, (Some(Some(project.clone())), None));
        }
        let lost = open_tokens(&resolver);
        let is_restored = opened.saved.is_some();
        let at = self.note(opened);
        self.resolvers.insert(at, resolver);
        if is_restored {
            turn.queue.push_back((at, RootsChanged::default().into()));
            turn.queue.extend(lost.into_iter().map(|token| (at, refused(token, RefusalKind::Abandoned))));
        }
        Ok(())
    }

    fn close(&mut self, session: At, turn: &mut Turn) {
        let id = self.log.session_id(session);
        let last = self.resolvers[&session].project().cloned();
        let requests = self.log.requests(session);
        self.end_conversations(session, turn);
        self.process(session, Event::Closed, turn);
        if last.is_some() {
            turn.actions.push(json!({ "type": "announce", "session": id, "from": last, "to": null, "ended": true }));
        }
        requests.iter().for_each(|request| self.cancel(request, None, turn));
        self.resolvers.remove(&session);
    }

    /// Events that end nothing and are never refused.
    fn told(&mut self, event: EndpointEvent, turn: &mut Turn) {
        match event {
            EndpointEvent::ClientInitialized(params) => self.initialized(&params, turn),
            EndpointEvent::ClientReady(ready) => self.tell(ready.session.0, Event::ClientReady, turn),
            EndpointEvent::RootsChanged(changed) => self.roots_changed(changed.session.0, turn),
            EndpointEvent::RequestSeen(seen) => {
                let method = if seen.method.as_deref() == Some("ping") { "ping" } else { "tools/call" };
                self.tell(seen.session.0, request_seen(seen.id.get(), method, None), turn);
            }
            EndpointEvent::InputClosed(closed) => {
                let session = self.log.session(closed.session.0);
                let requests = session.map_or_else(Vec::new, |session| self.log.requests(session));
                requests.iter().for_each(|request| self.end_request(request, RefusalKind::Undeliverable, turn));
            }
            EndpointEvent::Message(message) => self.message(&message, turn),
            EndpointEvent::AskWithdrawn(withdrawn) => self.withdrawn(withdrawn.ask.0, turn),
            EndpointEvent::RequestAnswered(answered) => {
                let Some(sent) = self.replied(answered.request.0, turn) else { return };
                let is_large = answered.result.get().len() > self.policy.config().limits.event_bytes as usize;
                if is_large {
                    turn.log("warning", "event_failed", self.log.session_id(sent.owner), None);
                    return self.process(sent.owner, refused(sent.token, RefusalKind::Unreadable), turn);
                }
                let result = answered.result;
                let event = match sent.is_form {
                    true => UserAnswered::new(sent.token, result).into(),
                    false => RootsListed::new(result).request(RequestToken(sent.token)).into(),
                };
                self.process(sent.owner, event, turn);
            }
            EndpointEvent::RequestRefused(answer) => {
                let Some(sent) = self.replied(answer.request.0, turn) else { return };
                let message = answer.message.map(|message| message.chars().take(1_000).collect());
                let is_over =
                    |call: At| self.log.started(call).is_some_and(|it| self.log.call(it.call.0) != Some(call));
                let is_lost = answer.kind == RefusalKind::Undeliverable && sent.call.is_some_and(is_over);
                let kind = if is_lost { RefusalKind::Abandoned } else { answer.kind };
                let (request, code) = (sent.token, answer.code);
                self.process(sent.owner, RequestRefused::new(request, kind).code(code).message(message).into(), turn);
            }
            EndpointEvent::DeadlineReached => self.deadline_reached(turn),
            EndpointEvent::HostFactsChanged(_) => {
                for (_, owner) in self.in_order() {
                    let facts = match (self.log.opened(owner), self.log.started(owner)) {
                        (Some(opened), _) => self.facts(opened.transport, opened.local, opened.push),
                        (None, _) => self.callers_facts(owner),
                    };
                    turn.queue.push_back((owner, HostFactsChanged::new(facts).into()));
                }
            }
            _ => {}
        }
    }

    /// Everything that has a resolver: sessions by their ids, memories by their age, then stateless calls.
    fn in_order(&self) -> Vec<((u8, u32), At)> {
        let key = |owner: &At| match (self.log.session_id(*owner), self.log.started(*owner)) {
            (Some(session), _) => (0, session),
            (None, _) if self.log.memory(*owner).is_some() => (1, *owner as u32),
            (None, started) => (2, started.map_or(0, |started| started.call.0)),
        };
        let mut owners: Vec<_> = self.resolvers.keys().map(|owner| (key(owner), *owner)).collect();
        owners.sort_unstable();
        owners
    }

    fn tell(&mut self, session: u32, event: Event, turn: &mut Turn) {
        if let Some(session) = self.log.session(session) {
            self.process(session, event, turn);
        }
    }

    fn roots_changed(&mut self, session: u32, turn: &mut Turn) {
        let push = self.log.session(session).is_some_and(|session| self.has_open_standalone(session));
        self.tell(session, RootsChanged::new(push).into(), turn);
    }

    fn has_open_standalone(&self, session: At) -> bool {
        self.log.standalone(session).iter().any(|channel| !channel.is_cut)
    }

    fn initialized(&mut self, params: &SessionInitialized, turn: &mut Turn) {
        let id = params.session.0;
        let Some(session) = self.log.session(id) else { return };
        let (read, too_large) = parts::initialize(params);
        (0..too_large).for_each(|_| turn.log("warning", "event_failed", Some(id), None));
        let of_session = |event: &&EndpointEvent| match event {
            EndpointEvent::ClientInitialized(params) => params.session.0 == id,
            _ => false,
        };
        let all: Vec<&EndpointEvent> = self.log.events_since(session).filter(of_session).collect();
        let saved = usize::from(self.log.opened(session).is_some_and(|opened| opened.saved.is_some()));
        let again = |count: usize| count + saved > 1 && !self.log.is_http(session);
        let Some(request) = params.id.as_ref().filter(|_| again(all.len())) else {
            return self.process(session, read.into(), turn);
        };
        let shown = |(at, event): (usize, &&EndpointEvent)| match event {
            EndpointEvent::ClientInitialized(params) => params.id.is_some() && again(at + 1),
            _ => false,
        };
        let is_watched = all[..all.len() - 1].iter().enumerate().any(shown);
        let initialize = request_seen(request.get(), "initialize", Some(serde_json::to_value(&read).unwrap()));
        if !is_watched {
            turn.actions.push(json!({ "type": "watchRequests", "session": id }));
            if let Some(previous) = &params.previous_id {
                self.process(session, request_seen(previous.get(), "ping", None), turn);
            }
        }
        self.process(session, initialize, turn);
    }

    fn message(&mut self, message: &SessionMessage, turn: &mut Turn) {
        let Some(session) = self.log.session(message.session.0) else { return };
        turn.forwards = true;
        if message.text.len() <= self.policy.config().limits.event_bytes as usize {
            let is_change = message.text.contains(r#""method":"notifications/roots/list_changed""#);
            if is_change && self.has_open_standalone(session) {
                self.roots_changed(message.session.0, turn);
                let (session, text) = (message.session, &message.text);
                let forward = json!({ "type": "forward", "session": session, "kind": "notification", "text": text });
                return turn.actions.push(forward);
            }
            return self.process(session, Message::new(message.text.clone()).into(), turn);
        }
        let read: Value = serde_json::from_str(&message.text).unwrap_or(Value::Null);
        let has = |name: &str| read.get(name).is_some();
        let kind = match (has("id"), has("method")) {
            (true, true) => "request",
            (false, true) => "notification",
            (true, false) => "response",
            (false, false) => "broken",
        };
        if let (Some(token), "response") = (self.token_of(session, &read["id"]), kind) {
            turn.log("warning", "event_failed", Some(message.session.0), None);
            return self.process(session, refused(token, RefusalKind::Unreadable), turn);
        }
        let forward = json!({ "type": "forward", "session": message.session, "kind": kind, "text": message.text });
        turn.actions.push(forward);
    }

    /// The request of a resolver that has this JSON-RPC id, whether or not there was a channel for it.
    fn token_of(&self, session: At, id: &Value) -> Option<u32> {
        let cycle = &saved(&self.resolvers[&session])["state"]["cycle"];
        let token = match cycle["idPrefix"].as_str().unwrap_or_default() {
            "" => id.as_u64()?,
            prefix => id.as_str()?.strip_prefix(prefix)?.parse().ok()?,
        };
        (1..=cycle["lastToken"].as_u64()?).contains(&token).then_some(token as u32)
    }

    /// The request that a reply is for (E18).
    fn replied(&self, number: u32, turn: &mut Turn) -> Option<Sent> {
        let sent = self.log.sent().find(|sent| sent.number == number).cloned();
        let is_known = |sent: &Sent| {
            let in_flight = self.log.requests(sent.owner).iter().any(|other| other.number == sent.number);
            self.log.is_open(sent.owner) && (in_flight || self.log.is_remembered(sent))
        };
        let code = if sent.is_some() { "answer_stale" } else { "answer_unexpected" };
        let known = sent.filter(is_known);
        if known.is_none() {
            turn.log("debug", code, None, None);
        }
        known
    }

    fn deadline_reached(&mut self, turn: &mut Turn) {
        let due = |(key, owner): ((u8, u32), At)| {
            let at = self.resolvers[&owner].deadline().filter(|at| at.0 <= self.now)?;
            Some((at, key, owner))
        };
        let mut due: Vec<_> = self.in_order().into_iter().filter_map(due).collect();
        due.sort_unstable();
        for (_, _, owner) in due {
            let is_cut = |call: At| matches!(self.log.channel_of(call), Some(Some(channel)) if channel.is_cut);
            let on_cut = self.log.in_flight(owner).filter(|sent| sent.channel.is_some_and(|at| self.is_cut(at)));
            if let Some(request) = on_cut {
                // Calls by their channels, and by their age within one.
                let mut calls: Vec<(u32, At)> = Vec::new();
                for put in self.log.waiting().filter(|put| put.owner == owner) {
                    let Some(call) = put.call.filter(|call| is_cut(*call)) else { continue };
                    let channel = self.log.started(call).and_then(|started| started.channel).map_or(0, |id| id.0);
                    calls.push((channel, call));
                }
                calls.sort_unstable();
                calls.dedup();
                for (_, call) in calls {
                    self.end_asks(call, "cancelled", turn);
                }
                self.end_request(&request, RefusalKind::Abandoned, turn);
            }
            self.run(turn);
            self.process(owner, Event::DeadlineReached, turn);
        }
    }

    /// Whether the channel that began here is cut; one that is over is not.
    fn is_cut(&self, at: At) -> bool {
        let id = match &self.log.0[at] {
            Entry::Event(EndpointEvent::ChannelOpened(opened)) => Some(opened.channel),
            Entry::Event(EndpointEvent::CallStarted(started)) => started.channel,
            _ => None,
        };
        let channel = id.and_then(|id| self.log.channel(id.0));
        channel.is_some_and(|(channel, _)| channel.at == at && channel.is_cut)
    }

    fn channel_closed(&mut self, closed: ChannelClosed, turn: &mut Turn) {
        let found = self.log.channel(closed.channel.0);
        let is_broken = closed.end == ChannelEnd::Broken;
        self.note(closed);
        let Some((channel, calls)) = found else { return };
        let on_it = self.log.requests(channel.session).into_iter().filter(|sent| sent.channel == Some(channel.at));
        // A form on a channel that is cut stays there (E28).
        let on_it: Vec<Sent> = on_it.filter(|sent| is_broken || !sent.is_form).collect();
        if is_broken {
            for call in calls {
                self.end_asks(call, "cancelled", turn);
            }
        } else if !self.carriers(channel.session, None).iter().any(|(_, channel)| !channel.is_cut) {
            return;
        }
        on_it.iter().for_each(|request| self.end_request(request, RefusalKind::Abandoned, turn));
    }
}

pub fn has_relative(dirs: Option<&Vec<String>>) -> bool {
    dirs.is_some_and(|dirs| dirs.iter().any(|dir| !dir.starts_with('/')))
}

pub fn refused(token: u32, kind: RefusalKind) -> Event {
    RequestRefused::new(token, kind).into()
}

fn request_seen(id: &str, method: &str, params: Option<Value>) -> Event {
    let id: Value = serde_json::from_str(id).unwrap();
    let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    set(&mut request, "params", params);
    Message::new(request.to_string()).into()
}
