//! Requests to clients: which resolver sent them, and which channel carries them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;

use super::action::{CancelRequest, EndpointAction, EndpointLog, RouteRequest};
use super::event::RequestAnswered;
use super::sessions::refused;
use super::turn::Turn;
use super::{Endpoint, Scope};
use crate::api::action::{Level, LogCode, RequestMethod, SendRequest};
use crate::api::event::{RefusalKind, RequestRefused, RootsListed, UserAnswered};
use crate::id::{AskId, CallId, ChannelId, RequestToken};
use crate::policy::{Templates, Values, exceeds};
use crate::texts::endpoint::Part;

/// As many as a resolver remembers.
const MAX_FINISHED: usize = 8;

/// Characters of a client's error message; enough to recognise what it means.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// The requests of all sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    last: u32,
    /// Those in flight, and the last finished ones of each session.
    known: BTreeMap<RequestToken, Box<Request>>,
}

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) scope: Scope,
    /// The resolver's own token.
    pub(super) token: RequestToken,
    /// The ask that caused it, as its resolver knows it.
    pub(super) ask: Option<AskId>,
    /// The call that it travels with.
    pub(super) call: Option<CallId>,
    /// Whether that call is over; its id may come to mean another one.
    pub(super) call_is_over: bool,
    /// Whether it asks the user, and not for roots.
    pub(super) is_form: bool,
    /// The stream that carries it; none on a transport that is one channel.
    pub(super) channel: Option<ChannelId>,
}

impl Requests {
    pub(super) fn add(&mut self, request: Request) -> RequestToken {
        self.last = self.last.wrapping_add(1);
        let token = RequestToken(self.last);
        self.known.insert(token, request.into());
        token
    }

    pub(super) fn get(&self, token: RequestToken) -> Option<&Request> {
        self.known.get(&token).map(Box::as_ref)
    }

    /// The call that a request travels with is over.
    pub(super) fn leave_call(&mut self, token: RequestToken, call: CallId) {
        if let Some(request) = self.known.get_mut(&token) {
            request.call_is_over |= request.call == Some(call);
        }
    }

    /// The channel of a request ended after the client received it; its id may come to mean another channel.
    pub(super) fn leave_channel(&mut self, token: RequestToken) {
        if let Some(request) = self.known.get_mut(&token) {
            request.channel = None;
        }
    }

    pub(super) fn forget(&mut self, token: RequestToken) {
        self.known.remove(&token);
    }

    pub(super) const fn was_sent(&self, token: RequestToken) -> bool {
        token.0 != 0 && token.0 <= self.last
    }
}

impl Endpoint {
    pub(super) fn request_answered(&mut self, answered: RequestAnswered, turn: &mut Turn) {
        let RequestAnswered { request, result } = answered;
        let Some(Request { scope, token, is_form, .. }) = self.request(request, turn) else { return };
        if exceeds(result.get().len(), self.policy.config.limits.event_bytes) {
            self.log_too_large(&[Part::Answer], scope.session(), turn);
            return self.process(scope, refused(token, RefusalKind::Unreadable), turn);
        }
        let event = match is_form {
            true => UserAnswered { request: token, result }.into(),
            false => RootsListed { request: Some(token), result }.into(),
        };
        self.process(scope, event, turn);
    }

    pub(super) fn request_refused(&mut self, answered: RequestRefused, turn: &mut Turn) {
        let RequestRefused { request, kind, code, message } = answered;
        let Some(Request { scope, token, call_is_over, .. }) = self.request(request, turn) else { return };
        // A request that was lost with its call says nothing about the client.
        let is_lost = kind == RefusalKind::Undeliverable && call_is_over;
        let kind = if is_lost { RefusalKind::Abandoned } else { kind };
        let message = message.map(|message| message.chars().take(MAX_MESSAGE_CHARS).collect());
        self.process(scope, RequestRefused { request: token, kind, code, message }.into(), turn);
    }

    /// The request that a reply names, unless nobody remembers it.
    pub(super) fn request(&self, request: RequestToken, turn: &mut Turn) -> Option<Request> {
        let known = self.requests.get(request).cloned();
        if known.is_none() {
            let was_sent = self.requests.was_sent(request);
            let code = if was_sent { LogCode::AnswerStale } else { LogCode::AnswerUnexpected };
            let message = Templates(&self.policy).log(code, &Values::default());
            turn.push(EndpointAction::Log(EndpointLog {
                level: Level::Debug,
                code,
                session: None,
                ask: None,
                message,
            }));
        }
        known
    }

    pub(super) fn send(&mut self, scope: Scope, request: SendRequest, turn: &mut Turn) {
        let SendRequest { request: token, method, params, relates_to, message } = request;
        let (call, channel) = match self.carrier(scope, relates_to) {
            Ok(carrier) => carrier,
            Err(kind) => return turn.queue.push_back((scope, refused(token, kind))),
        };
        let Some(session) = scope.session() else { return };
        let is_form = method == RequestMethod::ElicitationCreate;
        let last = self.scopes.get(&scope).and_then(|session| if is_form { session.form } else { session.in_flight });
        if let Some(last) = last {
            self.finish(scope, last);
        }
        let sent = Request { scope, token, ask: relates_to, call, call_is_over: false, is_form, channel };
        let request = self.requests.add(sent);
        if let Some(session) = self.scopes.get_mut(&scope) {
            let slot = if is_form { &mut session.form } else { &mut session.in_flight };
            *slot = Some(request);
        }
        turn.push(EndpointAction::SendRequest(RouteRequest {
            request,
            session,
            call,
            channel,
            method,
            params,
            message,
        }));
    }

    /// Has the host stop waiting for a request, and the resolver hear why.
    pub(super) fn end_request(&mut self, request: RequestToken, reason: &str, kind: RefusalKind, turn: &mut Turn) {
        let Some(Request { scope, token, .. }) = self.requests.get(request).cloned() else { return };
        self.cancel(request, reason, None, turn);
        turn.queue.push_back((scope, refused(token, kind)));
    }

    pub(super) fn cancel(&mut self, request: RequestToken, reason: &str, message: Option<String>, turn: &mut Turn) {
        if !turn.take_back(request) {
            let reason = String::from(reason);
            turn.push(EndpointAction::Cancel(CancelRequest { request, reason, message }));
        }
        if let Some(Request { scope, .. }) = self.requests.get(request) {
            self.finish(*scope, request);
        }
    }

    pub(super) fn finish(&mut self, scope: Scope, request: RequestToken) {
        let Some(session) = self.scopes.get_mut(&scope) else { return };
        for slot in [&mut session.in_flight, &mut session.form] {
            if slot.take_if(|open| *open == request).is_some() {
                session.finished.push_back(request);
            }
        }
        if session.finished.len() > MAX_FINISHED
            && let Some(oldest) = session.finished.pop_front()
        {
            self.requests.forget(oldest);
        }
    }
}
