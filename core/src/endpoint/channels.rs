//! Channels: the streams of HTTP that carry requests to a client, and what happens when they end.

use alloc::vec::Vec;

use super::event::{ChannelClosed, ChannelEnd, ChannelOpened};
use super::turn::Turn;
use super::{Endpoint, Scope};
use crate::api::event::RefusalKind;
use crate::api::reason::Reason;
use crate::error::Misuse;
use crate::id::{AskId, CallId, ChannelId, RequestToken, SessionId};
use crate::texts::endpoint as texts;

/// One stream.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) session: SessionId,
    /// The calls whose stream it is; none if it is outside calls.
    pub(super) calls: Vec<CallId>,
    /// Whether it is gone and the client may come back for it.
    pub(super) is_cut: bool,
}

/// The stream of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallChannel {
    /// Its response cannot carry requests, or its transport is one channel.
    None,
    /// It has one, open or cut.
    On(ChannelId),
    /// It had one.
    Gone,
}

/// The call and the channel that carry a request.
type Carrier = (Option<CallId>, Option<ChannelId>);

impl Endpoint {
    pub(super) fn channel_opened(&mut self, opened: &ChannelOpened) -> Result<(), Misuse> {
        let ChannelOpened { session, channel } = *opened;
        if let Some(known) = self.channels.get_mut(&channel) {
            if known.session != session || !known.is_cut {
                return Err(Misuse::DuplicateChannel(channel));
            }
            known.is_cut = false;
            return Ok(());
        }
        if let Some(owner) = self.scopes.get_mut(&Scope::Session(session)) {
            owner.standalone.push(channel);
            owner.channels.insert(channel);
            self.channels.insert(channel, Channel { session, calls: Vec::new(), is_cut: false }.into());
        }
        Ok(())
    }

    pub(super) fn channel_closed(&mut self, closed: &ChannelClosed, turn: &mut Turn) {
        match closed.end {
            ChannelEnd::Broken => self.channel_broken(closed.channel, turn),
            ChannelEnd::Cut => self.channel_cut(closed.channel, turn),
        }
    }

    fn channel_broken(&mut self, id: ChannelId, turn: &mut Turn) {
        let Some(channel) = self.channels.remove(&id) else { return };
        if let Some(session) = self.scopes.get_mut(&Scope::Session(channel.session)) {
            session.standalone.retain(|standalone| *standalone != id);
            session.channels.remove(&id);
        }
        // First the calls that are gone, so that no new request is sent for them.
        for call in &channel.calls {
            if let Some(call) = self.calls.get_mut(call) {
                call.channel = CallChannel::Gone;
            }
            self.lose_hints(*call, turn);
            self.end_asks(*call, Reason::Cancelled, turn);
        }
        for request in self.requests_on(id, channel.session) {
            self.end_request(request, texts::STREAM_BROKE, RefusalKind::Abandoned, turn);
        }
    }

    fn channel_cut(&mut self, id: ChannelId, turn: &mut Turn) {
        let Some(channel) = self.channels.get_mut(&id) else { return };
        channel.is_cut = true;
        let session = channel.session;
        // A form stays where the user may have seen it.
        let is_form = |request: &RequestToken| self.requests.get(*request).is_some_and(|request| request.is_form);
        let Some(request) = self.requests_on(id, session).into_iter().find(|request| !is_form(request)) else { return };
        let is_open = |(_, channel): &(Option<CallId>, ChannelId)| self.is_open(*channel);
        if self.candidates(session, None).iter().any(is_open) {
            self.end_request(request, texts::STREAM_CUT, RefusalKind::Abandoned, turn);
        }
    }

    /// Ends the calls whose channels are still cut when a wait of their session ends, and the request on one of them: the
    /// client has not come back for them.
    pub(super) fn end_cut_calls(&mut self, scope: Scope, turn: &mut Turn) {
        let Some(session) = self.scopes.get(&scope) else { return };
        let cut = |channel: &ChannelId| self.channels.get(channel).filter(|channel| channel.is_cut);
        let is_on_cut = |request: &RequestToken| {
            let channel = self.requests.get(*request).and_then(|request| request.channel);
            channel.as_ref().and_then(cut).is_some()
        };
        let Some(request) = session.in_flight.filter(is_on_cut) else { return };
        let calls: Vec<CallId> = session.channels.iter().filter_map(cut).flat_map(|cut| cut.calls.clone()).collect();
        for call in calls {
            self.end_asks(call, Reason::Cancelled, turn);
        }
        self.end_request(request, texts::STREAM_CUT, RefusalKind::Abandoned, turn);
    }

    /// The requests in flight of a session that this channel carries.
    pub(super) fn requests_on(&self, channel: ChannelId, session: SessionId) -> Vec<RequestToken> {
        let is_on = |request: &RequestToken| {
            self.requests.get(*request).is_some_and(|request| request.channel == Some(channel))
        };
        self.requests_of(Scope::Session(session)).into_iter().filter(is_on).collect()
    }

    pub(super) fn is_open(&self, channel: ChannelId) -> bool {
        self.channels.get(&channel).is_some_and(|channel| !channel.is_cut)
    }

    /// How a request of a scope travels that one of its asks caused; or what its resolver hears instead.
    pub(super) fn carrier(&self, scope: Scope, ask: Option<AskId>) -> Result<Carrier, RefusalKind> {
        let Some((id, session)) = scope.session().and_then(|id| Some((id, self.session(id)?))) else {
            return Err(RefusalKind::Undeliverable);
        };
        let call = ask.and_then(|ask| session.pending.get(&ask)?.call);
        if session.input_closed {
            return Err(RefusalKind::Undeliverable);
        }
        if !session.is_http() {
            return Ok((call, None));
        }
        if let Some((call, channel)) = self.best_channel(id, call) {
            return Ok((call, Some(channel)));
        }
        if session.resolver.host().push == Some(true) {
            return Ok((None, None));
        }
        // A stream that is gone says nothing about the client; one that never was says that it cannot be reached.
        let call = call.and_then(|call| self.calls.get(&call));
        let never_had_one = call.is_some_and(|call| call.channel == CallChannel::None);
        Err(if never_had_one { RefusalKind::Undeliverable } else { RefusalKind::Abandoned })
    }

    /// The first open channel for a request; else the first that was cut.
    pub(super) fn best_channel(&self, session: SessionId, call: Option<CallId>) -> Option<(Option<CallId>, ChannelId)> {
        let candidates = self.candidates(session, call);
        let open = candidates.iter().find(|(_, channel)| self.is_open(*channel));
        open.or_else(|| candidates.first()).copied()
    }

    /// The channels that can carry a request of a session: that of its own call, of other calls that wait, and those outside
    /// calls, each in the order of arrival.
    fn candidates(&self, session: SessionId, call: Option<CallId>) -> Vec<(Option<CallId>, ChannelId)> {
        let Some(session) = self.session(session) else { return Vec::new() };
        let waiting = session.pending.values().filter_map(|ask| ask.call);
        let with_calls = call.into_iter().chain(waiting).filter_map(|call| match self.calls.get(&call)?.channel {
            CallChannel::On(channel) => Some((Some(call), channel)),
            CallChannel::None | CallChannel::Gone => None,
        });
        with_calls.chain(session.standalone.iter().map(|channel| (None, *channel))).collect()
    }
}
