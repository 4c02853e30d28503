//! Sessions: one client each, with the resolver that knows its project.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::value::RawValue;

use super::action::{AnnounceProject, EndpointAction, EndpointLog, ForwardMessage, WatchRequests};
use super::calls::{PendingAsk, Purpose, with_note};
use super::channels::CallChannel;
use super::event::{EndpointProbed, RequestSeen, SessionInitialized, SessionMessage, SessionOpened};
use super::parts::{MAX_NAME_BYTES, Reader};
use super::roots::RootsWatch;
use super::turn::Turn;
use super::{DirsCheck, Endpoint, Hosts, OwnFacts, Scope, SessionChange};
use crate::api::action::{Action, Announce, Answer, Level, Log, LogCode, MessageKind, Outcome, Probe};
use crate::api::event::{
    ClientInitialized, Event, HostFactsChanged, Message, Probed, RefusalKind, RequestRefused, RootsChanged,
};
use crate::api::host::{HostFacts, Transport};
use crate::error::Misuse;
use crate::id::{AskId, CallId, ChannelId, Millis, ProbeId, RequestToken, SessionId};
use crate::machine::resolver::Resolver;
use crate::peer::message::{Content, ParsedMessage, ParsedText};
use crate::peer::raw;
use crate::policy::exceeds;
use crate::texts::endpoint::{self as texts, Part};

/// A resolver, and what surrounds it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) resolver: Resolver,
    pub(super) own: OwnFacts,
    /// The asks that wait, by the ids that the resolver knows.
    pub(super) pending: BTreeMap<AskId, Box<PendingAsk>>,
    last_ask: u32,
    /// The calls that have not ended.
    pub(super) calls: BTreeSet<CallId>,
    /// The probes that have no reply.
    probes: BTreeSet<ProbeId>,
    /// All streams, open or cut.
    pub(super) channels: BTreeSet<ChannelId>,
    /// Those outside calls, in the order of their opening.
    pub(super) standalone: Vec<ChannelId>,
    /// The request for roots in flight.
    pub(super) in_flight: Option<RequestToken>,
    /// The question for the user in flight.
    pub(super) form: Option<RequestToken>,
    /// The last requests that are over: an answer that comes again shows that several clients answer.
    pub(super) finished: VecDeque<RequestToken>,
    is_initialized: bool,
    /// Whether the host reports requests.
    is_watched: bool,
    pub(super) input_closed: bool,
    /// Whether it was logged that the client cannot be asked.
    pub(super) told_cannot_ask: bool,
    /// The deadline that the endpoint knows of.
    deadline: Option<Millis>,
    pub(super) roots: RootsWatch,
}

/// What a resolver is told.
#[allow(clippy::large_enum_variant, reason = "it exists only while it is passed on")]
enum Told<'t> {
    Event(Event),
    /// What the client of another resolver's call is called.
    Client(Option<&'t str>),
    /// Several clients have shown themselves on the pipe of a conversation.
    SeveralClients,
}

/// What the answers to asks of one outcome may differ in: why nobody is asked, and the hints of the call.
type Alike = (Option<texts::CannotAsk>, Vec<String>);

impl Session {
    pub(super) fn new(resolver: Resolver, own: OwnFacts) -> Self {
        Self {
            resolver,
            own,
            pending: BTreeMap::new(),
            last_ask: 0,
            calls: BTreeSet::new(),
            probes: BTreeSet::new(),
            channels: BTreeSet::new(),
            standalone: Vec::new(),
            in_flight: None,
            form: None,
            finished: VecDeque::new(),
            is_initialized: false,
            is_watched: false,
            input_closed: false,
            told_cannot_ask: false,
            deadline: None,
            roots: RootsWatch::default(),
        }
    }

    /// An id for another ask.
    pub(super) fn next_ask(&mut self) -> AskId {
        loop {
            self.last_ask = self.last_ask.wrapping_add(1);
            let id = AskId(self.last_ask);
            if !self.pending.contains_key(&id) {
                return id;
            }
        }
    }

    /// All requests in flight.
    pub(super) fn requests(&self) -> impl Iterator<Item = RequestToken> + use<> {
        self.in_flight.into_iter().chain(self.form)
    }

    /// Gives back the room of what is empty: a session rests most of the time.
    pub(super) fn rest(&mut self) {
        if self.pending.is_empty() {
            self.pending = BTreeMap::new();
        }
        if self.calls.is_empty() {
            self.calls = BTreeSet::new();
        }
        if self.probes.is_empty() {
            self.probes = BTreeSet::new();
        }
    }

    pub(super) fn is_http(&self) -> bool {
        self.own.transport == Transport::Http
    }
}

/// The part of a JSON-RPC request that a resolver reads.
#[derive(Serialize)]
struct RawRequest<'r> {
    jsonrpc: &'static str,
    id: &'r RawValue,
    method: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<ClientInitialized>,
}

impl RawRequest<'_> {
    fn event(&self) -> Option<Event> {
        Some(Message { text: serde_json::to_string(self).ok()? }.into())
    }
}

impl Endpoint {
    pub(super) fn session_opened(&mut self, opened: SessionOpened, turn: &mut Turn) -> Result<(), Misuse> {
        let SessionOpened { session, transport, local, push, saved, snapshot_key, id_prefix, allowed_dirs } = opened;
        let scope = Scope::Session(session);
        if self.scopes.contains_key(&scope) {
            return Err(Misuse::DuplicateSession(session));
        }
        let own = OwnFacts { transport, local, push, allowed_dirs };
        let builder = self.builder(&own)?;
        let builder = id_prefix.into_iter().fold(builder, |builder, prefix| builder.id_prefix(prefix));
        let builder = snapshot_key.into_iter().fold(builder, |builder, key| builder.snapshot_key(key));
        let resolver = match &saved {
            None => builder.build()?,
            Some(saved) => builder.restore(saved, self.now)?,
        };
        let lost = [resolver.request_in_flight(), resolver.form_in_flight()];
        if let Some(project) = resolver.project().cloned() {
            turn.touched(SessionChange { session, project: Some(Some(project)), known: None });
        }
        let mut opened = Session::new(resolver, own);
        opened.is_initialized = saved.is_some();
        self.scopes.insert(scope, opened.into());
        if saved.is_some() {
            // A change, and the answer to a request, may have been lost with the process that saved this.
            turn.queue.push_back((scope, RootsChanged::default().into()));
            let lost = lost.into_iter().flatten();
            turn.queue.extend(lost.map(|token| (scope, refused(token, RefusalKind::Abandoned))));
        }
        Ok(())
    }

    pub(super) fn session_closed(&mut self, session: SessionId, turn: &mut Turn) {
        let scope = Scope::Session(session);
        let last = self.project(session).cloned();
        let requests = self.requests_of(scope);
        self.forget_conversations(session, turn);
        self.process(scope, Event::Closed, turn);
        if let Some(from) = last {
            let (from, to) = (Some(from), None);
            turn.push(EndpointAction::Announce(AnnounceProject { session, from, to, shared: None, ended: true }));
        }
        for request in requests {
            self.cancel(request, texts::SESSION_CLOSED, None, turn);
        }
        self.release_scope(scope);
    }

    /// Ends a scope: its asks are answered.
    pub(super) fn close_scope(&mut self, scope: Scope, turn: &mut Turn) {
        self.process(scope, Event::Closed, turn);
        self.release_scope(scope);
    }

    fn release_scope(&mut self, scope: Scope) {
        // Its calls belong to nobody now, even if the host uses the ids of the session and its channels again.
        let calls = self.scopes.get(&scope).map(|session| session.calls.clone()).unwrap_or_default();
        for id in calls {
            if let Some(call) = self.calls.get_mut(&id) {
                call.scope = Scope::Call(id);
                if let CallChannel::On(_) = call.channel {
                    call.channel = CallChannel::None;
                }
            }
        }
        self.remove_scope(scope);
    }

    /// Forgets everything that concerns one scope.
    pub(super) fn remove_scope(&mut self, scope: Scope) {
        let Some(session) = self.scopes.remove(&scope).map(|session| *session) else { return };
        if let Some(deadline) = session.deadline {
            self.deadlines.remove(&(deadline, scope));
        }
        for request in session.requests().chain(session.finished) {
            self.requests.forget(request);
        }
        for probe in session.probes {
            self.probes.remove(&probe);
        }
        for channel in session.channels {
            self.channels.remove(&channel);
        }
    }

    pub(super) fn client_initialized(&mut self, params: SessionInitialized, turn: &mut Turn) {
        let scope = Scope::Session(params.session);
        if !self.scopes.contains_key(&scope) {
            return;
        }
        let mut reader = Reader { policy: &self.policy, inputs: &self.inputs, too_large: Vec::new() };
        let read = reader.initialize(&params);
        let too_large = reader.too_large;
        self.log_too_large(&too_large, Some(params.session), turn);
        let Some(session) = self.scopes.get_mut(&scope) else { return };
        let again = core::mem::replace(&mut session.is_initialized, true) && !session.is_http();
        let Some(id) = params.id.filter(|id| again && is_plausible(id)) else {
            return self.process(scope, read.into(), turn);
        };
        if !core::mem::replace(&mut session.is_watched, true) {
            turn.push(EndpointAction::WatchRequests(WatchRequests { session: params.session }));
            if let Some(previous) = params.previous_id {
                // Only the id counts: whether it was a call is not known, and a call would make the last client ready.
                let method = Some("ping".into());
                self.request_seen(&RequestSeen { session: params.session, id: previous, method }, turn);
            }
        }
        let request = RawRequest { jsonrpc: "2.0", id: &id, method: "initialize", params: Some(read) };
        if let Some(event) = request.event() {
            self.process(scope, event, turn);
        }
    }

    pub(super) fn client_ready(&mut self, session: SessionId, turn: &mut Turn) {
        self.process(Scope::Session(session), Event::ClientReady, turn);
    }

    pub(super) fn roots_changed(&mut self, session: SessionId, turn: &mut Turn) {
        let push = self.has_open_standalone(session);
        self.process(Scope::Session(session), RootsChanged { push }.into(), turn);
    }

    /// Whether a request outside calls would reach the client now, on a stream.
    fn has_open_standalone(&self, session: SessionId) -> bool {
        self.session(session).is_some_and(|session| session.standalone.iter().any(|id| self.is_open(*id)))
    }

    pub(super) fn request_seen(&mut self, seen: &RequestSeen, turn: &mut Turn) {
        // Nothing but a ping may come before the end of a handshake, and an initialize is an event of its own.
        let method = seen.method.as_deref().filter(|method| *method == "ping").unwrap_or("tools/call");
        let request = RawRequest { jsonrpc: "2.0", id: &seen.id, method, params: None };
        if let Some(event) = request.event().filter(|_| is_plausible(&seen.id)) {
            self.process(Scope::Session(seen.session), event, turn);
        }
    }

    pub(super) fn input_closed(&mut self, session: SessionId, turn: &mut Turn) {
        let Some(session) = self.scopes.get_mut(&Scope::Session(session)) else { return };
        session.input_closed = true;
        for request in session.requests() {
            self.end_request(request, texts::INPUT_CLOSED, RefusalKind::Undeliverable, turn);
        }
    }

    /// A raw message. One that is too large to be read may be the answer to a request; all others are not for the endpoint.
    pub(super) fn message(&mut self, message: SessionMessage, turn: &mut Turn) {
        let SessionMessage { session, text } = message;
        let scope = Scope::Session(session);
        if !self.scopes.contains_key(&scope) {
            return;
        }
        turn.forwards = true;
        if !exceeds(text.len(), self.policy.config.limits.event_bytes) {
            if self.has_open_standalone(session) && is_roots_changed(&text) {
                self.roots_changed(session, turn);
                let kind = MessageKind::Notification;
                return turn.push(EndpointAction::Forward(ForwardMessage { session, kind, text }));
            }
            return self.process(scope, Message { text }.into(), turn);
        }
        let [id, method] = raw::members(&text, ["id", "method"]).unwrap_or_default();
        let kind = match (id.is_present(), method.is_present()) {
            (true, true) => MessageKind::Request,
            (false, true) => MessageKind::Notification,
            (true, false) => MessageKind::Response,
            (false, false) => MessageKind::Broken,
        };
        let answered = id.get().filter(|_| kind == MessageKind::Response);
        let answered = answered.and_then(|id| self.session(session)?.resolver.request_with_id(id.get()));
        match answered {
            Some(token) => {
                self.log_too_large(&[Part::Answer], Some(session), turn);
                self.process(scope, refused(token, RefusalKind::Unreadable), turn);
            }
            None => turn.push(EndpointAction::Forward(ForwardMessage { session, kind, text })),
        }
    }

    pub(super) fn probed(&mut self, probed: EndpointProbed, turn: &mut Turn) -> Result<(), Misuse> {
        let EndpointProbed { probe, paths } = probed;
        if probe.0 == 0 || probe.0 > self.last_probe {
            return Err(Misuse::UnknownProbe(probe));
        }
        if matches!(self.dirs_check, DirsCheck::Probed(own) if own == probe) {
            self.dirs_check = DirsCheck::Done;
            self.log_unusable_dirs(&paths, turn);
        }
        if let Some((scope, own)) = self.probes.remove(&probe) {
            if let Some(session) = self.scopes.get_mut(&scope) {
                session.probes.remove(&probe);
            }
            self.process(scope, Probed { probe: own, paths }.into(), turn);
        }
        Ok(())
    }

    pub(super) fn deadline_reached(&mut self, turn: &mut Turn) {
        let due: Vec<Scope> =
            self.deadlines.iter().take_while(|(at, _)| *at <= self.now).map(|(_, scope)| *scope).collect();
        for scope in due {
            self.end_cut_calls(scope, turn);
            self.run_queue(turn);
            self.process(scope, Event::DeadlineReached, turn);
        }
    }

    pub(super) fn host_facts_changed(&mut self, facts: &HostFacts, turn: &mut Turn) -> Result<(), Misuse> {
        let before = core::mem::replace(&mut self.hosts, Hosts::new(facts)?);
        if before.of(Transport::Stdio).allowed_dirs != facts.allowed_dirs {
            self.dirs_check = DirsCheck::Due;
        }
        for (scope, session) in &self.scopes {
            let facts = self.hosts.with(&session.own);
            turn.queue.push_back((*scope, HostFactsChanged { facts: Arc::unwrap_or_clone(facts) }.into()));
        }
        Ok(())
    }

    pub(super) fn run_queue(&mut self, turn: &mut Turn) {
        loop {
            if let Some((scope, event)) = turn.queue.pop_front() {
                self.process(scope, event, turn);
            } else if let Some(session) = turn.unverified.pop_front() {
                self.verify_roots(session, turn);
            } else {
                return;
            }
        }
    }

    /// Has the resolver of a scope process an event.
    pub(super) fn process(&mut self, scope: Scope, event: Event, turn: &mut Turn) {
        self.process_ask(scope, event, None, turn);
    }

    /// Has the resolver of a scope process an event, which may be an ask.
    pub(super) fn process_ask(
        &mut self,
        scope: Scope,
        event: Event,
        ask: Option<(AskId, PendingAsk)>,
        turn: &mut Turn,
    ) {
        let expired = matches!(event, Event::DeadlineReached);
        self.update(scope, Told::Event(event), ask, expired, turn);
    }

    /// Tells the resolver of a session which client makes a call that it does not answer itself.
    pub(super) fn client_described(&mut self, session: SessionId, name: Option<&str>, turn: &mut Turn) {
        self.update(Scope::Session(session), Told::Client(name), None, false, turn);
    }

    /// Tells a conversation on a pipe that several clients share it.
    pub(super) fn several_clients(&mut self, conversation: Scope, turn: &mut Turn) {
        self.update(conversation, Told::SeveralClients, None, false, turn);
    }

    fn update(
        &mut self,
        scope: Scope,
        told: Told<'_>,
        ask: Option<(AskId, PendingAsk)>,
        expired: bool,
        turn: &mut Turn,
    ) {
        let Some(session) = self.scopes.get_mut(&scope) else { return };
        let before = session.resolver.project().cloned();
        let turns = session.resolver.turns();
        let handshakes = session.resolver.handshakes();
        let was_shared = session.resolver.is_shared();
        let actions = match told {
            Told::Event(event) => session.resolver.accept(event, self.now),
            Told::Client(name) => session.resolver.client_described(name, self.now),
            Told::SeveralClients => session.resolver.several_clients(self.now),
        };
        let project = session.resolver.project();
        if let Some(id) = scope.session().filter(|_| session.resolver.turns() != turns) {
            let project = (before.as_ref() != project).then(|| project.cloned());
            let known = session.resolver.reuse();
            turn.touched(SessionChange { session: id, project, known });
        }
        if let Some((id, pending)) = ask {
            if let Purpose::Host(ask) = pending.purpose {
                self.asks.insert(ask, (scope, id));
            }
            session.pending.insert(id, pending.into());
        }
        let is_shared_now = session.resolver.is_shared() && !was_shared;
        if session.resolver.handshakes() != handshakes {
            for request in session.requests() {
                self.cancel(request, texts::CLIENT_INITIALIZED, None, turn);
            }
        }
        for action in actions {
            self.perform(scope, action, expired, turn);
        }
        self.follow(scope, turn);
        if let Some(id) = scope.session().filter(|_| is_shared_now) {
            self.share_conversations(id, turn);
        }
    }

    /// Follows what an event did to a resolver: its deadline, its request, its list of roots.
    fn follow(&mut self, scope: Scope, turn: &mut Turn) {
        let Some(session) = self.scopes.get_mut(&scope) else { return };
        session.rest();
        let deadline = session.resolver.deadline();
        if deadline != session.deadline {
            if let Some(old) = session.deadline {
                self.deadlines.remove(&(old, scope));
            }
            self.deadlines.extend(deadline.map(|new| (new, scope)));
            session.deadline = deadline;
        }
        let open = [session.resolver.request_in_flight(), session.resolver.form_in_flight()];
        let is_over =
            |request: &RequestToken| !open.contains(&self.requests.get(*request).map(|request| request.token));
        let over: Vec<RequestToken> = session.requests().filter(is_over).collect();
        for request in over {
            self.finish(scope, request);
        }
        self.watch_roots(scope, turn);
    }

    fn perform(&mut self, scope: Scope, action: Action, expired: bool, turn: &mut Turn) {
        match action {
            Action::Answer(answer) => self.answered(scope, *answer, expired, turn),
            Action::Announce(announce) => {
                if let Some(session) = scope.session() {
                    let Announce { from, to, shared } = announce;
                    turn.push(EndpointAction::Announce(AnnounceProject { session, from, to, shared, ended: false }));
                }
            }
            Action::Cancel(cancel) => {
                let is_it = |request: &RequestToken| {
                    self.requests.get(*request).is_some_and(|request| request.token == cancel.request)
                };
                if let Some(request) = self.requests_of(scope).into_iter().find(is_it) {
                    self.cancel(request, texts::NO_ANSWER, Some(cancel.message), turn);
                }
            }
            Action::SendRequest(request) => self.send(scope, request, turn),
            Action::Probe(Probe { probe, paths }) => {
                let probe = self.add_probe(scope, probe);
                turn.push(EndpointAction::Probe(Probe { probe, paths }));
            }
            Action::Forward(forward) => {
                if let Some(session) = scope.session().filter(|_| turn.forwards) {
                    let (kind, text) = (forward.kind, forward.text);
                    turn.push(EndpointAction::Forward(ForwardMessage { session, kind, text }));
                }
            }
            Action::Log(Log { level, code, ask, message }) => {
                let ask = ask.and_then(|ask| self.host_ask(scope, ask).or_else(|| turn.answered.get(&ask).copied()));
                let session = scope.session();
                turn.push(EndpointAction::Log(EndpointLog { level, code, session, ask, message }));
            }
        }
    }

    fn host_ask(&self, scope: Scope, ask: AskId) -> Option<AskId> {
        match self.scopes.get(&scope)?.pending.get(&ask)?.purpose {
            Purpose::Host(ask) => Some(ask),
            Purpose::Round(_) | Purpose::Roots => None,
        }
    }

    fn add_probe(&mut self, scope: Scope, own: ProbeId) -> ProbeId {
        self.last_probe = self.last_probe.wrapping_add(1);
        let probe = ProbeId(self.last_probe);
        self.probes.insert(probe, (scope, own));
        if let Some(session) = self.scopes.get_mut(&scope) {
            session.probes.insert(probe);
        }
        probe
    }

    /// The requests of a scope that are in flight.
    pub(super) fn requests_of(&self, scope: Scope) -> Vec<RequestToken> {
        self.scopes.get(&scope).into_iter().flat_map(|session| session.requests()).collect()
    }

    fn answered(&mut self, scope: Scope, answer: Answer, expired: bool, turn: &mut Turn) {
        let Answer { asks, outcome, revision, hints, explanation } = answer;
        let is_late = expired && self.scopes.get(&scope).is_some_and(|session| session.in_flight.is_some());
        let mut alike: Vec<(Alike, Vec<AskId>)> = Vec::new();
        for id in asks {
            let session = self.scopes.get_mut(&scope);
            let Some(pending) = session.and_then(|session| session.pending.remove(&id)) else { continue };
            let ask = match pending.purpose {
                Purpose::Host(ask) => ask,
                Purpose::Round(call) => {
                    self.round_answered(call, &outcome, turn);
                    continue;
                }
                Purpose::Roots => {
                    self.roots_verified(scope, &outcome, turn);
                    continue;
                }
            };
            self.asks.remove(&ask);
            turn.answered.insert(id, ask);
            if is_late {
                let (level, code, session) = (Level::Warning, LogCode::WaitExpired, scope.session());
                let message = texts::WAIT_EXPIRED.into();
                turn.push(EndpointAction::Log(EndpointLog { level, code, session, ask: Some(ask), message }));
            }
            if let Outcome::NeedsInput { input_requests } = &outcome
                && !self.needs_input(pending.call, input_requests)
            {
                turn.end([ask].into(), crate::Reason::CallOver);
                continue;
            }
            let shown = if pending.hints { self.hints_of(pending.call, &outcome, &hints) } else { Vec::new() };
            let own = (pending.cannot_ask, shown);
            match alike.iter_mut().find(|(other, _)| *other == own) {
                Some((_, asks)) => asks.push(ask),
                None => alike.push((own, [ask].into())),
            }
        }
        for ((note, hints), asks) in alike {
            let outcome = with_note(outcome.clone(), note);
            let explanation = explanation.clone();
            turn.push(EndpointAction::Answer(Box::new(Answer { asks, outcome, revision, hints, explanation })));
        }
    }

    pub(super) fn log_too_large(&self, parts: &[Part], session: Option<SessionId>, turn: &mut Turn) {
        for part in parts {
            let (level, code, ask) = (Level::Warning, LogCode::EventFailed, None);
            let message = texts::too_large(*part).into();
            turn.push(EndpointAction::Log(EndpointLog { level, code, session, ask, message }));
        }
    }
}

fn is_roots_changed(text: &str) -> bool {
    let parsed = ParsedText::parse(text);
    matches!(parsed, ParsedText::One(ParsedMessage { content: Content::RootsChanged, .. }))
}

/// Whether a client may have written such an id: a longer one tells nobody apart.
fn is_plausible(id: &RawValue) -> bool {
    id.get().len() <= MAX_NAME_BYTES
}

pub(super) fn refused(request: RequestToken, kind: RefusalKind) -> Event {
    RequestRefused { request, kind, code: None, message: None }.into()
}
