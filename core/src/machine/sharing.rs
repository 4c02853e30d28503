//! Whether several clients share one connection, as some gateways make them.
//!
//! A pipe carries no sender, so that it shows only indirectly. A client that merely comes again after it was gone is none of
//! the signs.

use serde::{Deserialize, Serialize};

use crate::api::is_default;

/// What the connection has seen of its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Sharing {
    /// Whether several clients have shown themselves.
    #[serde(skip_serializing_if = "is_default")]
    shown: bool,
    /// Whether there was a second `initialize`.
    #[serde(skip_serializing_if = "is_default")]
    again: bool,
    /// Whether an earlier client sent `notifications/initialized`.
    #[serde(skip_serializing_if = "is_default")]
    earlier_was_ready: bool,
    /// Whether the present client did.
    #[serde(skip_serializing_if = "is_default")]
    is_ready: bool,
    /// Whether only the present client answered a request for its roots.
    #[serde(skip_serializing_if = "is_default")]
    answered_alone: bool,
    /// The id of the present client's last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_call: Option<i64>,
}

impl Sharing {
    pub(crate) const fn is_shown(self) -> bool {
        self.shown
    }

    /// A client sent a second `initialize`.
    pub(crate) fn initialized_again(&mut self) {
        let earlier_was_ready = self.earlier_was_ready || self.is_ready;
        *self = Self { shown: self.shown, again: true, earlier_was_ready, ..Self::default() };
    }

    /// Whether another client may answer the same request.
    pub(crate) const fn expects_second_answer(self) -> bool {
        self.again && !self.answered_alone
    }

    /// Time passed after an answer, and no other one came.
    pub(crate) const fn answered_once(&mut self) {
        self.answered_alone = true;
    }

    /// The client sent `notifications/initialized`.
    pub(crate) const fn ready(&mut self) {
        self.is_ready = true;
    }

    /// A request was answered that had been answered before.
    pub(crate) const fn answered_twice(&mut self) {
        self.shown = true;
    }

    /// A call arrived. While the second client is still in its handshake, it comes from the first one; and the ids of one client
    /// count up.
    pub(crate) fn called(&mut self, request_id: Option<&str>) {
        let id = request_id.and_then(|id| id.parse().ok());
        let counts_up = id > self.last_call || id.is_none();
        self.shown |= self.again && (!counts_up || (self.earlier_was_ready && !self.is_ready));
        self.last_call = id.or(self.last_call);
    }
}
