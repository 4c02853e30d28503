//! What a host may rely on, whatever the rules say in detail: kept by looking at events and actions alone.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::action::{Answer, Outcome, RequestMethod};
use rootwise::endpoint::EndpointOutput;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{CallEnded, CallStarted, ChannelEnd, EndpointEvent, SessionClosed};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::{self, PathStyle};
use rootwise::{Endpoint, Misuse};
use serde_json::Value;

/// What a host knows, and holds the endpoint to.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    sessions: BTreeMap<u32, Transport>,
    /// Whether the process is on its clients' machine, and one of several; and the sessions that say so themselves.
    is_local: Option<bool>,
    has_replicas: bool,
    sessions_local: BTreeMap<u32, bool>,
    /// The open and cut channels, by the session they belong to, with the calls that share one.
    channels: BTreeMap<u32, (u32, BTreeSet<u32>)>,
    calls: BTreeMap<u32, Call>,
    /// The calls whose handlers returned and whose results are due.
    results: BTreeSet<u32>,
    /// The asks that wait, by the session they belong to; none for a stateless call.
    waiting: BTreeMap<u32, Option<u32>>,
    /// The requests for which the host waits.
    in_flight: BTreeMap<u32, Request>,
    requests: u32,
    probes: u32,
    /// The folders of sessions and of asks that wait, if they have some.
    session_dirs: BTreeMap<u32, Vec<String>>,
    ask_dirs: BTreeMap<u32, Vec<String>>,
}

#[derive(Clone, Debug)]
struct Call {
    session: Option<u32>,
    dirs: Option<Vec<String>>,
    has_returned: bool,
    /// Whether it has a memory, and so belongs to no session.
    has_memory: bool,
}

#[derive(Clone, Debug)]
struct Request {
    session: u32,
    /// The JSON-RPC id.
    id: Value,
    is_form: bool,
    /// Whether it was answered on a pipe, where another client may answer it too.
    is_answered: bool,
}

fn rank(action: &EndpointAction) -> u8 {
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
        _ => 9,
    }
}

impl Promises {
    pub fn of(host: &HostFacts) -> Self {
        Self { is_local: host.local, has_replicas: host.replicas, ..Self::default() }
    }

    /// Passes an event on, and returns what it caused; an error says which promise was broken.
    pub fn handle(
        &mut self,
        endpoint: &mut Endpoint,
        event: EndpointEvent,
        now: u64,
    ) -> Result<Option<EndpointOutput>, String> {
        let before = endpoint.clone();
        match endpoint.handle(event.clone(), now) {
            Ok(output) => {
                let concerned = self.concerned(&event);
                self.told(&event);
                self.check(&event, &output, concerned)?;
                self.others_are_untouched(&before, endpoint, concerned)?;
                Ok(Some(output))
            }
            Err(Misuse::EventTooLarge { .. }) => Err("an event is too large".to_owned()),
            Err(misuse) => {
                let unchanged = format!("{before:?}") == format!("{endpoint:?}");
                if unchanged { Ok(None) } else { Err(format!("{misuse} changed something")) }
            }
        }
    }

    /// The only session that an event may concern, or that it may concern several.
    fn concerned(&self, event: &EndpointEvent) -> Concerned {
        let of_call = |call: Option<u32>| {
            let session = call.and_then(|call| self.calls.get(&call)).and_then(|call| call.session);
            session.map_or(Concerned::Nobody, Concerned::Session)
        };
        let of_request = |request: u32| {
            let request = self.in_flight.get(&request).map(|request| request.session);
            // A request that is over belongs to a session that the host need not remember.
            request.map_or(Concerned::OneOfThem, Concerned::Session)
        };
        let of_ask = |call: Option<u32>, session: Option<u32>| match session {
            Some(session) => Concerned::Session(session),
            None => of_call(call),
        };
        match event {
            EndpointEvent::SessionOpened(event) => Concerned::Session(event.session.0),
            EndpointEvent::SessionClosed(event) => Concerned::Session(event.session.0),
            EndpointEvent::ClientInitialized(event) => Concerned::Session(event.session.0),
            EndpointEvent::ClientReady(event) => Concerned::Session(event.session.0),
            EndpointEvent::RootsChanged(event) => Concerned::Session(event.session.0),
            EndpointEvent::RequestSeen(event) => Concerned::Session(event.session.0),
            EndpointEvent::InputClosed(event) => Concerned::Session(event.session.0),
            EndpointEvent::Message(event) => Concerned::Session(event.session.0),
            EndpointEvent::ChannelOpened(event) => Concerned::Session(event.session.0),
            EndpointEvent::ChannelClosed(event) => self
                .channels
                .get(&event.channel.0)
                .map_or(Concerned::Nobody, |(session, _)| Concerned::Session(*session)),
            EndpointEvent::CallStarted(event) => {
                event.session.map_or(Concerned::Nobody, |session| Concerned::Session(session.0))
            }
            EndpointEvent::CallReturned(event) => of_call(Some(event.call.0)),
            EndpointEvent::CallEnded(event) => of_call(Some(event.call.0)),
            EndpointEvent::Asked(event) => of_ask(event.call.map(|id| id.0), event.session.map(|id| id.0)),
            EndpointEvent::Selected(event) => of_ask(event.call.map(|id| id.0), event.session.map(|id| id.0)),
            EndpointEvent::SelectionCleared(event) => of_ask(event.call.map(|id| id.0), event.session.map(|id| id.0)),
            EndpointEvent::AskWithdrawn(event) => {
                self.waiting.get(&event.ask.0).copied().flatten().map_or(Concerned::Nobody, Concerned::Session)
            }
            EndpointEvent::RequestAnswered(event) => of_request(event.request.0),
            EndpointEvent::RequestRefused(event) => of_request(event.request.0),
            EndpointEvent::Probed(_) => Concerned::OneOfThem,
            _ => Concerned::Everybody,
        }
    }

    /// Takes note of an accepted event, before its actions.
    fn told(&mut self, event: &EndpointEvent) {
        match event {
            EndpointEvent::SessionOpened(opened) => {
                self.sessions.insert(opened.session.0, opened.transport);
                self.sessions_local.remove(&opened.session.0);
                self.sessions_local.extend(opened.local.map(|is_local| (opened.session.0, is_local)));
                self.session_dirs.remove(&opened.session.0);
                self.session_dirs.extend(opened.allowed_dirs.clone().map(|dirs| (opened.session.0, dirs)));
            }
            EndpointEvent::Message(message) => {
                let read: Value = serde_json::from_str(&message.text).unwrap_or_default();
                let is_its = |request: &Request| request.session == message.session.0 && request.id == read["id"];
                let answered = self.in_flight.iter().find(|(_, request)| is_its(request)).map(|(number, _)| *number);
                answered.into_iter().for_each(|request| self.answered(request));
            }
            EndpointEvent::ChannelOpened(opened) if self.sessions.contains_key(&opened.session.0) => {
                self.channels.entry(opened.channel.0).or_insert_with(|| (opened.session.0, BTreeSet::new()));
            }
            EndpointEvent::ChannelClosed(closed) if closed.end == ChannelEnd::Broken => {
                self.channels.remove(&closed.channel.0);
            }
            EndpointEvent::CallStarted(started) => {
                let session = started.session.map(|session| session.0).filter(|id| self.sessions.contains_key(id));
                let dirs = started.allowed_dirs.clone();
                let is_http = session.is_some_and(|id| self.sessions[&id] == Transport::Http);
                let is_local = session.and_then(|id| self.sessions_local.get(&id).copied()).or(self.is_local);
                let names_one = started.meta.as_ref().is_some_and(|meta| meta.get().contains("threadId"));
                let is_known = started.caller.is_some() || names_one && is_local == Some(true);
                let has_memory = is_known && is_http && !self.has_replicas && is_modern(started);
                self.calls.insert(started.call.0, Call { session, dirs, has_returned: false, has_memory });
                if let (Some(session), Some(channel)) = (session, started.channel)
                    && self.sessions[&session] == Transport::Http
                    && !has_memory
                {
                    let shared = self.channels.entry(channel.0).or_insert_with(|| (session, BTreeSet::new()));
                    shared.1.insert(started.call.0);
                }
            }
            EndpointEvent::CallReturned(returned) => {
                // Only the first return of a call ends in a result, and that of an unknown one.
                let call = self.calls.get_mut(&returned.call.0);
                if !call.is_some_and(|call| std::mem::replace(&mut call.has_returned, true)) {
                    self.results.insert(returned.call.0);
                }
            }
            EndpointEvent::CallEnded(ended) => {
                self.calls.remove(&ended.call.0);
                self.results.remove(&ended.call.0);
                self.channels.retain(|_, (_, calls)| !(calls.remove(&ended.call.0) && calls.is_empty()));
            }
            EndpointEvent::Asked(asked) => {
                self.asked(asked.ask.0, asked.call.map(|id| id.0), asked.session.map(|id| id.0))
            }
            EndpointEvent::Selected(asked) => {
                self.asked(asked.ask.0, asked.call.map(|id| id.0), asked.session.map(|id| id.0));
            }
            EndpointEvent::SelectionCleared(asked) => {
                self.asked(asked.ask.0, asked.call.map(|id| id.0), asked.session.map(|id| id.0));
            }
            EndpointEvent::AskWithdrawn(withdrawn) => drop(self.waiting.remove(&withdrawn.ask.0)),
            EndpointEvent::RequestAnswered(answered) => self.answered(answered.request.0),
            EndpointEvent::RequestRefused(refused) => self.answered(refused.request.0),
            EndpointEvent::HostFactsChanged(changed) => {
                (self.is_local, self.has_replicas) = (changed.facts.local, changed.facts.replicas);
            }
            _ => {}
        }
    }

    fn answered(&mut self, request: u32) {
        self.in_flight.retain(|number, request_in_flight| {
            let is_pipe = self.sessions.get(&request_in_flight.session) != Some(&Transport::Http);
            request_in_flight.is_answered |= *number == request;
            is_pipe || *number != request
        });
    }

    fn asked(&mut self, ask: u32, call: Option<u32>, session: Option<u32>) {
        let of_call = || call.and_then(|call| self.calls.get(&call)?.session);
        let session = session.or_else(of_call);
        let has_memory = call.and_then(|call| self.calls.get(&call)).is_some_and(|call| call.has_memory);
        self.waiting.insert(ask, session.filter(|_| !has_memory));
        let own = call.and_then(|call| self.calls.get(&call)?.dirs.clone());
        let dirs = own.or_else(|| self.session_dirs.get(&session?).cloned());
        self.ask_dirs.remove(&ask);
        self.ask_dirs.extend(dirs.map(|dirs| (ask, dirs)));
    }

    fn check(&mut self, event: &EndpointEvent, output: &EndpointOutput, concerned: Concerned) -> Result<(), String> {
        if !output.actions.is_sorted_by_key(rank) {
            return Err("the order of the actions".to_owned());
        }
        let mut seen = BTreeSet::new();
        for action in &output.actions {
            seen.extend(self.carry_out(action)?);
        }
        seen.extend(output.sessions.iter().map(|change| change.session.0));
        let is_allowed = |session: &u32| match concerned {
            Concerned::Nobody => false,
            Concerned::Session(only) => *session == only,
            Concerned::OneOfThem => seen.len() == 1,
            Concerned::Everybody => true,
        };
        if let Some(other) = seen.iter().find(|session| !is_allowed(session)) {
            return Err(format!("session {other} is none of the event's business: {concerned:?}"));
        }
        if let Some(unknown) = seen.iter().find(|session| !self.sessions.contains_key(session)) {
            return Err(format!("session {unknown} was never opened"));
        }
        if let EndpointEvent::Asked(asked) = event
            && asked.peek
        {
            let is_sent = output.actions.iter().any(|action| matches!(action, EndpointAction::SendRequest(_)));
            if is_sent || self.waiting.contains_key(&asked.ask.0) {
                return Err("a peek sent something or waits".to_owned());
            }
        }
        if let EndpointEvent::SessionClosed(closed) = event {
            self.sessions.remove(&closed.session.0);
            self.channels.retain(|_, (session, _)| *session != closed.session.0);
            for call in self.calls.values_mut().filter(|call| call.session == Some(closed.session.0)) {
                call.session = None;
            }
            self.in_flight.retain(|_, request| request.session != closed.session.0 || !request.is_answered);
            let is_left = self.in_flight.values().any(|request| request.session == closed.session.0);
            if is_left || self.waiting.values().any(|session| *session == Some(closed.session.0)) {
                return Err("an ask or a request outlives its session".to_owned());
            }
        }
        let waits = !self.waiting.is_empty() || !self.results.is_empty();
        if waits && output.deadline.is_none() {
            return Err("nothing will ever end the wait".to_owned());
        }
        Ok(())
    }

    /// Carries out an action as a host would; returns the session that it concerns.
    fn carry_out(&mut self, action: &EndpointAction) -> Result<Vec<u32>, String> {
        Ok(match action {
            EndpointAction::Answer(answer) => self.answer(answer)?,
            EndpointAction::Announce(announce) => vec![announce.session.0],
            EndpointAction::AnnounceRoots(announce) => vec![announce.session.0],
            EndpointAction::CallResult(result) => {
                let awaits = self.results.remove(&result.call.0);
                if !awaits {
                    return Err(format!("a result of call {} that did not return, or a second one", result.call));
                }
                Vec::new()
            }
            EndpointAction::Cancel(cancel) => match self.in_flight.remove(&cancel.request.0) {
                Some(request) => vec![request.session],
                None => return Err(format!("request {} is cancelled and was over", cancel.request)),
            },
            EndpointAction::SendRequest(sent) => {
                let session = sent.session.0;
                let is_form = sent.method == RequestMethod::ElicitationCreate;
                let is_same = |other: &Request| other.session == session && other.is_form == is_form;
                if self.in_flight.values().any(|request| is_same(request) && !request.is_answered) {
                    return Err("two requests of one kind and session are in flight".to_owned());
                }
                if let Some(call) = sent.call
                    && self.calls.get(&call.0).is_none_or(|call| call.session != Some(session))
                {
                    return Err(format!("a request travels with call {call}, which is over or another session's"));
                }
                let channel = sent.channel.map(|channel| self.channels.get(&channel.0));
                let carries = |(owner, calls): &(u32, BTreeSet<u32>)| {
                    *owner == session && sent.call.map_or(calls.is_empty(), |call| calls.contains(&call.0))
                };
                if channel.is_some_and(|channel| !channel.is_some_and(carries)) {
                    return Err(format!("a request travels on channel {:?}", sent.channel));
                }
                // One that an event would have sent and cancelled leaves a gap.
                let last = std::mem::replace(&mut self.requests, sent.request.0);
                if sent.request.0 <= last {
                    return Err(format!("request {} does not count up", sent.request));
                }
                let message: Value = serde_json::from_str(&sent.message).map_err(|error| error.to_string())?;
                let request = Request { session, id: message["id"].clone(), is_form, is_answered: false };
                self.in_flight.insert(sent.request.0, request);
                vec![session]
            }
            EndpointAction::Probe(probe) => {
                self.probes += 1;
                if probe.probe.0 != self.probes {
                    return Err(format!("probe {} is not the next one", probe.probe));
                }
                Vec::new()
            }
            EndpointAction::Forward(forward) => vec![forward.session.0],
            EndpointAction::WatchRequests(watch) => vec![watch.session.0],
            EndpointAction::Log(line) => line.session.map(|session| session.0).into_iter().collect(),
            other => return Err(format!("an unknown action: {other:?}")),
        })
    }

    fn answer(&mut self, answer: &Answer) -> Result<Vec<u32>, String> {
        let mut sessions = Vec::new();
        let path = match &answer.outcome {
            Outcome::Resolved { project }
            | Outcome::Selected { project, .. }
            | Outcome::Cleared { project: Some(project), .. } => project.path.as_deref(),
            _ => None,
        };
        for ask in &answer.asks {
            let is_in = |dir: &String| path.is_none_or(|path| path::is_inside(dir, path, PathStyle::Posix));
            if path.is_some() && self.ask_dirs.get(&ask.0).is_some_and(|dirs| !dirs.iter().any(is_in)) {
                return Err(format!("ask {ask} got {path:?}, which is not a folder of its caller"));
            }
            match self.waiting.remove(&ask.0) {
                Some(session) => sessions.extend(session.filter(|id| self.sessions.contains_key(id))),
                None => return Err(format!("ask {ask} is answered and does not wait")),
            }
        }
        Ok(sessions)
    }

    /// Whatever the event was, no other session has another state after it.
    fn others_are_untouched(&self, before: &Endpoint, after: &Endpoint, concerned: Concerned) -> Result<(), String> {
        if let Concerned::Everybody | Concerned::OneOfThem = concerned {
            return Ok(());
        }
        for session in self.sessions.keys().filter(|id| concerned != Concerned::Session(**id)) {
            if before.snapshot(*session) != after.snapshot(*session) {
                return Err(format!("session {session} has changed"));
            }
        }
        Ok(())
    }

    /// Ends all sessions and calls, after which nothing is left.
    pub fn finish(&mut self, endpoint: &mut Endpoint, now: u64) -> Result<(), String> {
        for session in self.sessions.clone().into_keys() {
            self.handle(endpoint, SessionClosed::new(session).into(), now)?;
        }
        for call in self.calls.clone().into_keys() {
            self.handle(endpoint, CallEnded::new(call).into(), now)?;
        }
        // What a memory still probes for its own project is over with its deadline.
        for _ in 0..64 {
            let Some(deadline) = endpoint.deadline() else { break };
            self.handle(endpoint, EndpointEvent::DeadlineReached, deadline.0)?;
        }
        if !self.waiting.is_empty() || !self.in_flight.is_empty() || endpoint.deadline().is_some() {
            return Err(format!("{:?} wait, {:?} are in flight at the end", self.waiting, self.in_flight));
        }
        let text = format!("{endpoint:?}");
        let maps = ["channels", "calls", "asks", "known", "deadlines"];
        let left = if text.contains("scopes: {Memory(") { &[][..] } else { &["scopes", "probes"] };
        match maps.iter().chain(left).find(|map| !text.contains(&format!("{map}: {{}}"))) {
            Some(map) => Err(format!("something is left in {map}: {text}")),
            None => Ok(()),
        }
    }
}

/// Whom an event may concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concerned {
    Nobody,
    Session(u32),
    /// One that the host need not know.
    OneOfThem,
    Everybody,
}

/// Whether a call is of revision 2026-07-28 (E2).
fn is_modern(started: &CallStarted) -> bool {
    let meta = started.meta.as_ref().map_or("", |meta| meta.get());
    let looks_modern = started.capabilities.is_some() || meta.contains("io.modelcontextprotocol/");
    started.protocol_version.as_deref().map_or(looks_modern, |version| version >= "2026-07-28")
}
