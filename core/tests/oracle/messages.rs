//! Raw messages: what each one says, and which are somebody else's.

use rootwise::action::{LogCode, MessageKind};
use rootwise::event::{RefusalKind, RequestRefused};

use super::model::{Oracle, Turn};
use super::peer;

impl Oracle {
    pub fn message(&mut self, text: &str, now: u64, turn: &mut Turn) {
        let kind = peer::kind(text);
        if kind != MessageKind::Batch {
            if !self.read_message(text, now, turn) {
                turn.effects.forward.push((kind, text.to_owned()));
            }
            return;
        }
        let parts = peer::elements(text).unwrap_or_default();
        let mut rest = Vec::new();
        for part in &parts {
            if !self.read_message(part, now, turn) {
                rest.push(part.as_str());
            }
        }
        if rest.len() == parts.len() {
            turn.effects.forward.push((kind, text.to_owned()));
        } else if !rest.is_empty() {
            turn.effects.forward.push((kind, format!("[{}]", rest.join(","))));
        }
    }

    fn note_id(&mut self, text: &str, turn: &mut Turn) {
        if let Some(number) = peer::member(text, "id").and_then(|id| id.parse().ok()) {
            self.requested(number, turn);
        }
    }

    /// Takes what one message says; true if it is an answer to one of our requests and so nobody else's.
    fn read_message(&mut self, text: &str, now: u64, turn: &mut Turn) -> bool {
        let method = peer::member(text, "method").and_then(|method| peer::string(&method));
        match (peer::kind(text), method.as_deref()) {
            (MessageKind::Request, Some("initialize")) => {
                let params = peer::member(text, "params").unwrap_or_default();
                let capabilities = peer::member(&params, "capabilities");
                self.initialized(capabilities.as_deref(), turn);
                self.note_id(text, turn);
            }
            (MessageKind::Notification, Some("notifications/initialized")) => self.ready(true, turn),
            (MessageKind::Request, method) if self.history.initialized().is_some() => {
                self.note_id(text, turn);
                // It may come before the end of the handshake.
                if method != Some("ping") {
                    self.called(turn);
                }
            }
            (MessageKind::Notification, Some("notifications/roots/list_changed")) => self.changed(false, turn),
            (MessageKind::Response, _) => {
                let id = peer::member(text, "id").unwrap_or_default();
                let Some(token) = (1..=self.history.tokens()).find(|token| self.id(*token) == id) else {
                    if self.looks_like_ours(&id) {
                        turn.notice(LogCode::AnswerUnexpected);
                    }
                    return false;
                };
                if let Some(error) = peer::member(text, "error") {
                    let code = peer::member(&error, "code").and_then(|code| code.parse().ok());
                    let message = peer::member(&error, "message").and_then(|text| peer::string(&text));
                    let kind = RefusalKind::Error;
                    self.refused(&RequestRefused::new(token, kind).code(code).message(message), now, turn);
                } else {
                    let result = peer::member(text, "result").unwrap_or_default();
                    if self.history.form().is_some_and(|(form, ..)| form == token) {
                        self.user_answered(token, &result, now, turn);
                        return true;
                    }
                    self.answered(token, &result, now, turn);
                }
                return true;
            }
            _ => {}
        }
        false
    }
}
