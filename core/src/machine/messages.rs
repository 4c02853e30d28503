//! Raw JSON-RPC messages: what they change, and what is left for the host.

use alloc::string::String;
use alloc::vec::Vec;

use super::change::Change;
use super::resolver::{Resolver, Turn};
use super::roots_cycle::TokenStatus;
use crate::api::action::MessageKind;
use crate::api::event::{RefusalKind, RequestRefused, RootsChanged};
use crate::api::host::Transport;
use crate::peer::message::{Content, ParsedMessage, ParsedText, Reply};
use crate::peer::raw::Array;

impl Resolver {
    /// Reads one raw message or batch; messages that are not for the resolver are forwarded.
    pub(super) fn read_message(&mut self, text: String, turn: &mut Turn) {
        let parsed = ParsedText::parse(&text);
        let rest = match parsed {
            ParsedText::Other(kind) => Some((kind, text)),
            ParsedText::One(message) => {
                let kind = message.kind;
                self.read_one(message, turn).then_some((kind, text))
            }
            ParsedText::Batch(messages) => {
                let is_consumed = |(_, message): &(usize, &str)| !self.read_one(ParsedMessage::parse(message), turn);
                let consumed: Vec<usize> = messages.enumerate().filter(is_consumed).map(|(at, _)| at).collect();
                let rest = if consumed.is_empty() { Some(text) } else { without(messages, &consumed, text.len()) };
                rest.map(|rest| (MessageKind::Batch, rest))
            }
        };
        if let Some((kind, text)) = rest {
            turn.outbox.forward(kind, text);
        }
    }

    /// Applies one message; returns whether it is to be forwarded.
    fn read_one(&mut self, message: ParsedMessage<'_>, turn: &mut Turn) -> bool {
        let change = match message.content {
            Content::Other => return true,
            Content::Call { id, is_ping } => {
                self.requested(id, is_ping, turn);
                return true;
            }
            Content::Initialize { id, params } => {
                self.apply(Change::ClientInitialized(params), turn);
                if self.host.transport != Transport::Http {
                    self.connection.sharing.initialized_with(id);
                }
                return true;
            }
            Content::Initialized => Change::ClientReady,
            Content::RootsChanged => Change::RootsChanged(RootsChanged::default()),
            Content::Response { id, reply } => {
                let cycle = &self.connection.cycle;
                let Some(token) = cycle.token_of(id) else { return true };
                if cycle.token_status(token) == TokenStatus::NeverIssued {
                    self.logger(turn).answer_ignored(TokenStatus::NeverIssued);
                    return true;
                }
                let is_form = self.connection.question.token() == Some(token);
                match reply {
                    Reply::Result(result) if is_form => self.user_answered(token, result.get(), turn),
                    Reply::Result(result) => self.roots_listed(Some(token), result.get(), turn),
                    Reply::Error { code, message } => {
                        let refused = RequestRefused { request: token, kind: RefusalKind::Error, code, message };
                        self.request_refused(&refused, turn);
                    }
                }
                return false;
            }
        };
        self.apply(change, turn);
        true
    }

    /// A raw request of the client arrived.
    fn requested(&mut self, id: &str, is_ping: bool, turn: &mut Turn) {
        if self.connection.client.is_none() {
            return;
        }
        if self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.requested(id);
            self.forget_if_shared(was_shown, turn);
        }
        if !is_ping {
            self.called(turn);
        }
    }
}

/// A batch without some of its messages, whose positions ascend; `None` if nothing is left of it.
fn without(batch: Array<'_>, consumed: &[usize], most: usize) -> Option<String> {
    let mut rest = String::with_capacity(most);
    for (_, message) in batch.enumerate().filter(|(at, _)| consumed.binary_search(at).is_err()) {
        rest.push(if rest.is_empty() { '[' } else { ',' });
        rest.push_str(message);
    }
    rest.push(']');
    (rest.len() > 1).then_some(rest)
}
