//! Calls: what a request says about its project, whether and how its client can be asked, and the asks that wait.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::action::{EndpointAction, EndpointLog};
use super::channels::{CallChannel, Channel};
use super::event::{CallAsked, CallCleared, CallEnded, CallSelected, CallStarted};
use super::parts::{Reader, bounded_argument};
use super::requests::Request;
use super::sessions::Session;
use super::turn::Turn;
use super::{Endpoint, OwnFacts, Scope, SessionChange};
use crate::api::action::{Action, Answer, InputRequest, Level, LogCode, Outcome};
use crate::api::event::{
    AskVia, AskWithdrawn, Asked, Event, RefusalKind, RequestFacts, SelectBy, Selected, SelectionCleared, Want,
};
use crate::api::explanation::Era;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::error::{ConfigError, Misuse};
use crate::id::{AskId, CallId, ChannelId, SessionId};
use crate::path::display::display;
use crate::policy::{Elicit, Limits, SourceKind, fill, to_usize};
use crate::resolve::sources::bounded;
use crate::texts::endpoint::{self as texts, CannotAsk};

/// The methods whose results may be `input_required`.
const REPEATABLE: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// One call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) scope: Scope,
    pub(super) channel: CallChannel,
    pub(super) facts: RequestFacts,
    pub(super) is_modern: bool,
    /// Whether its result may be `input_required`.
    pub(super) is_repeatable: bool,
    /// The state that the client sent with this round.
    pub(super) request_state: Option<String>,
    /// Whether its handler asked for anything.
    pub(super) has_asked: bool,
    /// The questions for its client that its asks were told to ask.
    pub(super) questions: BTreeMap<String, InputRequest>,
    /// Whether its handler returned.
    pub(super) has_returned: bool,
    /// The hints that come once and came with an answer to one of its asks.
    pub(super) hints: Vec<String>,
}

/// An ask that waits.
#[derive(Clone, Debug)]
pub(super) struct PendingAsk {
    pub(super) call: Option<CallId>,
    pub(super) purpose: Purpose,
    /// Whether its caller shows hints.
    pub(super) hints: bool,
    /// The reason for which nobody is asked for it.
    pub(super) cannot_ask: Option<CannotAsk>,
}

/// The one who gets an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The host.
    Host(AskId),
    /// The result of a call.
    Round(CallId),
    /// The listeners for roots.
    Roots,
}

/// Who asks: a call, or a session outside any call.
enum Asker {
    Call(CallId),
    Session(SessionId),
}

impl Asker {
    fn of(call: Option<CallId>, session: Option<SessionId>) -> Result<Self, Misuse> {
        match (call, session) {
            (Some(call), None) => Ok(Self::Call(call)),
            (None, Some(session)) => Ok(Self::Session(session)),
            _ => Err(Misuse::bad_event("event", "an ask has either `call` or `session`")),
        }
    }
}

/// What an ask is put to its resolver with.
struct AskParams {
    scope: Scope,
    call: Option<CallId>,
    facts: RequestFacts,
    ask_via: AskVia,
    cannot_ask: Option<CannotAsk>,
    hints: bool,
}

impl Endpoint {
    pub(super) fn call_started(&mut self, started: &CallStarted, turn: &mut Turn) -> Result<(), Misuse> {
        let CallStarted { call: id, session, channel, transport, local, .. } = *started;
        if self.calls.contains_key(&id) {
            return Err(Misuse::DuplicateCall(id));
        }
        let mut reader = Reader { policy: &self.policy, inputs: &self.inputs, too_large: Vec::new() };
        let (facts, described) = reader.call(started);
        let too_large = reader.too_large;
        let is_modern = described.is_modern;
        let (scope, dirs) = self.scope_of(started, &described, turn)?;
        let known = self.scopes.get(&scope);
        let dirs = known.map_or(Ok(None), |session| session.callers_dirs(dirs.as_ref()))?;
        let alone = match scope {
            Scope::Call(_) if session.is_some() => None,
            Scope::Session(_) | Scope::Memory(_) => None,
            Scope::Call(_) => {
                let transport = transport.unwrap_or(Transport::Http);
                let own = OwnFacts { transport, local, push: None, allowed_dirs: started.allowed_dirs.clone() };
                Some(Session::new(self.builder(&own)?.for_one_call().build()?, own))
            }
        };
        let channel = self.join_channel(id, scope.session(), channel)?;
        self.scopes.extend(alone.map(|alone| (scope, alone.into())));
        let facts = RequestFacts { allowed_dirs: dirs, ..facts };
        self.log_too_large(&too_large, scope.session(), turn);
        if matches!(scope, Scope::Call(_)) && session.is_none() {
            self.log_cannot_select(turn);
        }
        let is_repeatable = started.method.as_deref().is_none_or(|method| REPEATABLE.contains(&method));
        let request_state = started.request_state.clone().filter(|_| is_modern);
        let (has_asked, has_returned) = (false, false);
        let call = Call {
            scope,
            channel,
            facts,
            is_modern,
            is_repeatable,
            request_state,
            has_asked,
            questions: BTreeMap::new(),
            has_returned,
            hints: Vec::new(),
        };
        self.calls.insert(id, call.into());
        if let Some(session) = self.scopes.get_mut(&scope) {
            session.calls.insert(id);
        }
        Ok(())
    }

    /// Makes a channel that of a call too.
    fn join_channel(
        &mut self,
        call: CallId,
        session: Option<SessionId>,
        channel: Option<ChannelId>,
    ) -> Result<CallChannel, Misuse> {
        let Some((session, channel)) = session.zip(channel) else { return Ok(CallChannel::None) };
        if !self.session(session).is_some_and(Session::is_http) {
            return Ok(CallChannel::None);
        }
        let new = Channel { session, calls: Vec::new(), is_cut: false };
        let known = self.channels.entry(channel).or_insert_with(|| new.into());
        if known.session != session
            || self.scopes.get(&Scope::Session(session)).is_some_and(|owner| owner.standalone.contains(&channel))
        {
            return Err(Misuse::DuplicateChannel(channel));
        }
        known.calls.push(call);
        if let Some(owner) = self.scopes.get_mut(&Scope::Session(session)) {
            owner.channels.insert(channel);
        }
        Ok(CallChannel::On(channel))
    }

    pub(super) fn call_ended(&mut self, ended: &CallEnded, turn: &mut Turn) {
        let CallEnded { call: id, cancelled } = *ended;
        self.end_asks(id, if cancelled { Reason::Cancelled } else { Reason::CallOver }, turn);
        if cancelled {
            self.lose_hints(id, turn);
        }
        let Some(call) = self.calls.remove(&id) else { return };
        if let Some(session) = self.scopes.get_mut(&call.scope) {
            session.calls.remove(&id);
            session.rest();
            let mut waiting = session.pending.iter();
            let round = waiting.find(|(_, ask)| ask.purpose == Purpose::Round(id)).map(|(round, _)| *round);
            round.and_then(|round| self.withdraw(call.scope, round, turn));
        }
        if let CallChannel::On(channel) = call.channel {
            // The client has received what was sent on it, unless it gave up the whole call.
            let requests = call.scope.session().map_or_else(Vec::new, |session| self.requests_on(channel, session));
            let carries = |request: &Request| request.call == Some(id) && !request.call_is_over;
            for request in requests.iter().filter(|_| cancelled) {
                if self.requests.get(*request).is_some_and(carries) {
                    self.end_request(*request, texts::CALL_CANCELLED, RefusalKind::Abandoned, turn);
                }
            }
            if let Some(open) = self.channels.get_mut(&channel) {
                open.calls.retain(|other| *other != id);
                if open.calls.is_empty() {
                    self.channels.remove(&channel);
                    if let Some(session) = self.scopes.get_mut(&call.scope) {
                        session.channels.remove(&channel);
                    }
                    requests.into_iter().for_each(|request| self.requests.leave_channel(request));
                }
            }
        }
        for request in self.requests_of(call.scope) {
            self.requests.leave_call(request, id);
        }
        if let Scope::Call(_) = call.scope {
            self.run_queue(turn);
            self.remove_scope(call.scope);
        }
    }

    /// The hints for an ask that shows them. Those that come once belong to the call, so that each such ask of it gets them.
    pub(super) fn hints_of(&mut self, call: Option<CallId>, outcome: &Outcome, hints: &[String]) -> Vec<String> {
        let is_resolved = matches!(outcome, Outcome::Resolved { .. });
        let call = call.filter(|_| is_resolved).and_then(|call| self.calls.get_mut(&call));
        let Some(call) = call else { return hints.to_vec() };
        let is_once = |text: &&String| self.policy.config.hints.iter().any(|hint| hint.once && hint.text == **text);
        call.hints.extend(hints.iter().filter(is_once).cloned());
        let others = hints.iter().filter(|text| !call.hints.contains(text));
        call.hints.iter().chain(others).cloned().collect()
    }

    /// The result of a call does not reach its client, and neither do its hints.
    pub(super) fn lose_hints(&mut self, id: CallId, turn: &mut Turn) {
        let Some(call) = self.calls.get_mut(&id) else { return };
        let hints = core::mem::take(&mut call.hints);
        if let Some(session) = self.scopes.get_mut(&call.scope).filter(|_| !hints.is_empty()) {
            session.resolver.hints_were_lost(&hints);
            if let Some(session) = call.scope.session() {
                turn.touched(SessionChange { session, project: None, known: None });
            }
        }
    }

    /// Ends the asks of a call for which its handler waits.
    pub(super) fn end_asks(&mut self, call: CallId, reason: Reason, turn: &mut Turn) {
        let Some(scope) = self.calls.get(&call).map(|call| call.scope) else { return };
        let Some(session) = self.scopes.get(&scope) else { return };
        let is_its = |ask: &PendingAsk| ask.call == Some(call) && matches!(ask.purpose, Purpose::Host(_));
        let waiting: Vec<AskId> = session.pending.iter().filter(|(_, ask)| is_its(ask)).map(|(id, _)| *id).collect();
        let ended: Vec<AskId> = waiting.into_iter().filter_map(|id| self.withdraw(scope, id, turn)).collect();
        if !ended.is_empty() {
            turn.end(ended, reason);
        }
    }

    /// Takes back an ask from its resolver; returns the host's id for it.
    fn withdraw(&mut self, scope: Scope, id: AskId, turn: &mut Turn) -> Option<AskId> {
        let pending = self.scopes.get_mut(&scope)?.pending.remove(&id)?;
        turn.queue.push_back((scope, AskWithdrawn { ask: id }.into()));
        match pending.purpose {
            Purpose::Host(ask) => self.asks.remove(&ask).map(|_| ask),
            Purpose::Round(_) | Purpose::Roots => None,
        }
    }

    pub(super) fn ask_withdrawn(&mut self, ask: AskId, turn: &mut Turn) {
        let Some((scope, id)) = self.asks.get(&ask).copied() else { return };
        let call = self.scopes.get(&scope).and_then(|session| session.pending.get(&id)?.call);
        self.withdraw(scope, id, turn);
        // Over HTTP a request travels on the stream of its call and is lost with it; the other callers need a new one.
        let carries = |request: &Request| {
            request.ask == Some(id) && request.channel.is_some() && call.is_some() && request.call == call
        };
        for request in self.requests_of(scope) {
            if self.requests.get(request).is_some_and(carries) {
                self.end_request(request, texts::CALL_CANCELLED, RefusalKind::Abandoned, turn);
            }
        }
    }

    pub(super) fn asked(&mut self, asked: CallAsked, turn: &mut Turn) -> Result<(), Misuse> {
        let CallAsked { ask, call, session, want, target, argument, server, explain, hints, peek } = asked;
        // The caller means it, and would get another project without a word.
        if argument.is_some() && self.policy.source(SourceKind::Argument).is_none() {
            return Err(ConfigError::new("argument", texts::ARGUMENT_UNREAD).into());
        }
        let Some(mut params) = self.ask_params(ask, Asker::of(call, session)?, turn)? else { return Ok(()) };
        params.hints = hints;
        let limits = &self.policy.config.limits;
        if let Some(argument) = argument {
            params.facts.argument = Some(bounded_argument(argument, limits));
        }
        if want == Want::Roots {
            params.facts.argument = None;
        }
        params.facts.server = server.map(|server| bounded(server, limits));
        let target = target.map(|target| bounded(target, limits));
        // Where no call waits, nobody has the user's attention.
        let quiet = self.policy.config.elicit != Elicit::Never && (peek || call.is_none());
        if peek {
            let (facts, ask_via) = (params.facts, Some(params.ask_via));
            let asked = Asked { ask: self.next_ask(params.scope), want, ask_via, facts, target, explain, hints, quiet };
            self.peek(ask, params.scope, asked, params.cannot_ask, turn);
            return Ok(());
        }
        self.put(ask, params, turn, |id, facts, ask_via| {
            Asked { ask: id, want, ask_via: Some(ask_via), facts, target, explain, hints, quiet }.into()
        });
        Ok(())
    }

    /// Answers from what is known. A copy is asked, so that the session neither sends nor remembers anything for it.
    fn peek(&self, ask: AskId, scope: Scope, asked: Asked, cannot_ask: Option<CannotAsk>, turn: &mut Turn) {
        let Some(resolver) = self.scopes.get(&scope).map(|session| &session.resolver) else { return };
        let is_plain = asked.want == Want::Project && asked.facts.is_empty() && asked.target.is_none();
        let id = asked.ask;
        let own = |action| match action {
            Action::Answer(answer) if answer.asks.contains(&id) => Some(*answer),
            _ => None,
        };
        let answer = resolver.clone().accept(asked.into(), self.now).into_iter().find_map(own);
        let (asks, hints) = ([ask].into(), Vec::new());
        let answer = match (answer, resolver.project()) {
            (Some(answer), _) if !matches!(answer.outcome, Outcome::NeedsInput { .. }) => {
                Answer { asks, outcome: with_note(answer.outcome, cannot_ask), ..answer }
            }
            (_, Some(project)) if is_plain => {
                let (outcome, revision) = (Outcome::Resolved { project: project.clone() }, resolver.revision());
                Answer { asks, outcome, revision, hints, explanation: None }
            }
            _ => return turn.end(asks, Reason::Unconfirmed),
        };
        turn.push(EndpointAction::Answer(answer.into()));
    }

    pub(super) fn selected(&mut self, selected: CallSelected, turn: &mut Turn) -> Result<(), Misuse> {
        let CallSelected { ask, by, call, session, explain } = selected;
        let Some(mut params) = self.ask_params(ask, Asker::of(call, session)?, turn)? else { return Ok(()) };
        params.facts.argument = None;
        let by = bounded_selection(by, &self.policy.config.limits);
        self.put(ask, params, turn, |id, facts, ask_via| {
            Selected { ask: id, by, ask_via: Some(ask_via), facts, explain }.into()
        });
        Ok(())
    }

    pub(super) fn selection_cleared(&mut self, cleared: &CallCleared, turn: &mut Turn) -> Result<(), Misuse> {
        let CallCleared { ask, call, session, explain } = *cleared;
        let Some(mut params) = self.ask_params(ask, Asker::of(call, session)?, turn)? else { return Ok(()) };
        params.facts.argument = None;
        self.put(ask, params, turn, |id, facts, ask_via| {
            SelectionCleared { ask: id, ask_via: Some(ask_via), facts, explain }.into()
        });
        Ok(())
    }

    /// Puts a question of the host to a resolver; returns its id there.
    fn put(
        &mut self,
        ask: AskId,
        params: AskParams,
        turn: &mut Turn,
        event: impl FnOnce(AskId, RequestFacts, AskVia) -> Event,
    ) -> AskId {
        let AskParams { scope, call, facts, ask_via, cannot_ask, hints } = params;
        let id = self.next_ask(scope);
        let pending = PendingAsk { call, purpose: Purpose::Host(ask), hints, cannot_ask };
        self.process_ask(scope, event(id, facts, ask_via), Some((id, pending)), turn);
        if let Some(call) = call.and_then(|call| self.calls.get_mut(&call)) {
            call.has_asked = true;
        }
        self.log_cannot_ask(scope, cannot_ask, turn);
        id
    }

    /// Puts a question of the endpoint's own to a resolver.
    pub(super) fn put_own(
        &mut self,
        purpose: Purpose,
        scope: Scope,
        call: Option<CallId>,
        asked: Asked,
        turn: &mut Turn,
    ) {
        let id = self.next_ask(scope);
        let pending = PendingAsk { call, purpose, hints: false, cannot_ask: None };
        let asked = Asked { ask: id, ..asked };
        self.process_ask(scope, asked.into(), Some((id, pending)), turn);
    }

    fn next_ask(&mut self, scope: Scope) -> AskId {
        self.scopes.get_mut(&scope).map_or_else(AskId::default, |session| session.next_ask())
    }

    /// What a question is put to its resolver with; none if it is answered already.
    fn ask_params(&mut self, ask: AskId, asker: Asker, turn: &mut Turn) -> Result<Option<AskParams>, Misuse> {
        if self.asks.contains_key(&ask) {
            return Err(Misuse::DuplicateAsk(ask));
        }
        let (scope, call) = match asker {
            Asker::Session(session) => (Scope::Session(session), None),
            Asker::Call(id) => match self.calls.get(&id) {
                Some(call) if !call.has_returned && call.channel != CallChannel::Gone => (call.scope, Some(id)),
                _ => {
                    turn.end([ask].into(), Reason::CallOver);
                    return Ok(None);
                }
            },
        };
        if !self.scopes.contains_key(&scope) {
            turn.end([ask].into(), Reason::Closed);
            return Ok(None);
        }
        let (ask_via, cannot_ask) = self.way(scope, call);
        let facts =
            call.and_then(|call| self.calls.get(&call)).map_or_else(RequestFacts::default, |call| call.facts.clone());
        Ok(Some(AskParams { scope, call, facts, ask_via, cannot_ask, hints: false }))
    }

    /// Whether and how the client can be asked.
    pub(super) fn way(&self, scope: Scope, call: Option<CallId>) -> (AskVia, Option<CannotAsk>) {
        let of_call = call.and_then(|call| self.calls.get(&call));
        match of_call {
            Some(call) if call.is_modern && call.is_repeatable => return (AskVia::InputRequired, None),
            Some(call) if call.is_modern => return (AskVia::None, Some(CannotAsk::NotRepeatable)),
            _ => {}
        }
        let Some((id, session)) = scope.session().and_then(|id| Some((id, self.session(id)?))) else {
            return (AskVia::None, Some(CannotAsk::NoSession));
        };
        if session.resolver.era() != Era::Legacy {
            return (AskVia::None, None);
        }
        let reaches =
            !session.is_http() || session.resolver.host().push == Some(true) || self.best_channel(id, call).is_some();
        if reaches { (AskVia::Request, None) } else { (AskVia::None, Some(CannotAsk::NoStream)) }
    }

    fn log_cannot_ask(&mut self, scope: Scope, cannot_ask: Option<CannotAsk>, turn: &mut Turn) {
        let (level, message) = match cannot_ask {
            Some(CannotAsk::NoSession) if !core::mem::replace(&mut self.told_stateless, true) => {
                (Level::Info, [CannotAsk::NoSession.text(), texts::USE_SESSIONS].join(" "))
            }
            Some(CannotAsk::NoStream) => match self.scopes.get_mut(&scope) {
                Some(session) if session.resolver.declares_roots() && !session.told_cannot_ask => {
                    session.told_cannot_ask = true;
                    (Level::Warning, CannotAsk::NoStream.text().into())
                }
                _ => return,
            },
            _ => return,
        };
        let (code, session) = (LogCode::CannotAsk, scope.session());
        turn.push(EndpointAction::Log(EndpointLog { level, code, session, ask: None, message }));
    }

    /// Tells the operator, once, that the tool which selects a project does not work for calls like this one.
    fn log_cannot_select(&mut self, turn: &mut Turn) {
        let facts = self.hosts.of(Transport::Http);
        let Some(tool) = facts.select_tool.as_ref().filter(|_| facts.tool_argument.is_none()) else { return };
        if self.policy.source(SourceKind::Selected).is_none() {
            return;
        }
        if core::mem::replace(&mut self.told_cannot_select, true) {
            return;
        }
        let tool = display(tool, to_usize(self.policy.config.limits.name_chars));
        let message = fill(texts::CANNOT_SELECT, &[("tool", &tool)]);
        let (level, code) = (Level::Warning, LogCode::CannotSelect);
        turn.push(EndpointAction::Log(EndpointLog { level, code, session: None, ask: None, message }));
    }
}

/// An outcome that also says why nobody is asked.
pub(super) fn with_note(mut outcome: Outcome, note: Option<CannotAsk>) -> Outcome {
    if let (Outcome::Unresolved(unresolved), Some(note)) = (&mut outcome, note)
        && unresolved.code != Reason::Closed
    {
        unresolved.message.push(' ');
        unresolved.message.push_str(note.text());
    }
    outcome
}

/// A selection without the end of a text that is too long.
fn bounded_selection(by: SelectBy, limits: &Limits) -> SelectBy {
    match by {
        SelectBy::Name(text) => SelectBy::Name(bounded(text, limits)),
        SelectBy::Path(text) => SelectBy::Path(bounded(text, limits)),
        SelectBy::Uri(text) => SelectBy::Uri(bounded(text, limits)),
        SelectBy::Root(text) => SelectBy::Root(bounded(text, limits)),
        SelectBy::Value(text) => SelectBy::Value(bounded(text, limits)),
    }
}
