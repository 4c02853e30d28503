//! Requests to clients: which resolver sent them, and which channel carries them.

use alloc::collections::BTreeMap;

use super::Scope;
use crate::id::{AskId, CallId, ChannelId, RequestToken};

/// The requests of all sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    last: u32,
    /// Those in flight, and the last finished ones of each session.
    known: BTreeMap<RequestToken, Request>,
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
        self.known.insert(token, request);
        token
    }

    pub(super) fn get(&self, token: RequestToken) -> Option<&Request> {
        self.known.get(&token)
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
