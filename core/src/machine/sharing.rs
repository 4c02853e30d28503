//! Whether several clients share one connection, as some gateways make them.
//!
//! A pipe carries no sender, so that it shows only indirectly. A client that merely comes again after it was gone is none of
//! the signs.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::api::is_default;

/// What the connection has seen of its clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The id of the earlier client's last request.
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier_id: Option<i64>,
    /// The id of the present client's last request.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_id: Option<i64>,
    /// The name with which the client of revision 2026-07-28 describes itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    modern_name: Option<String>,
}

impl Sharing {
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown
    }

    /// A client sent a second `initialize`.
    pub(crate) fn initialized_again(&mut self) {
        *self = Self {
            shown: self.shown,
            again: true,
            earlier_was_ready: self.earlier_was_ready || self.is_ready,
            earlier_id: self.last_id.or(self.earlier_id),
            modern_name: self.modern_name.take(),
            ..Self::default()
        };
    }

    /// The id of the `initialize` that has just arrived.
    pub(crate) fn initialized_with(&mut self, id: &str) {
        self.last_id = id.parse().ok();
    }

    /// Whether another client may answer the same request.
    pub(crate) const fn expects_second_answer(&self) -> bool {
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

    /// Several clients have shown themselves: a request was answered that had been answered before, or another resolver saw it.
    pub(crate) const fn several(&mut self) {
        self.shown = true;
    }

    /// A call is under way. While the second client is still in its handshake, it comes from the first one.
    pub(crate) const fn called(&mut self) {
        self.shown |= self.again && self.earlier_was_ready && !self.is_ready;
    }

    /// A call of revision 2026-07-28 arrived, in which the client describes itself.
    pub(crate) fn described(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        self.shown |= self.modern_name.as_deref().is_some_and(|known| known != name);
        if self.modern_name.is_none() {
            self.modern_name = Some(name.into());
        }
    }

    /// A request arrived. A client counts its requests up: an id that continues those of the first client and not those of the
    /// second one, or that comes twice, is a sign.
    pub(crate) fn requested(&mut self, id: &str) {
        let Ok(id) = id.parse::<i64>() else { return };
        let follows = |last: Option<i64>| last.and_then(|last| last.checked_add(1)) == Some(id);
        let is_of_earlier = self.last_id.is_some() && !follows(self.last_id) && follows(self.earlier_id);
        self.shown |= self.again && (is_of_earlier || self.last_id == Some(id));
        self.last_id = Some(id);
    }
}
