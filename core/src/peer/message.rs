//! Raw JSON-RPC messages, for hosts without an SDK: what is ours is taken, everything else is handed back.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::action::MessageKind;
use crate::event::{ClientInitialized, Event, RefusalKind, RootsListed, RootsRefused};
use crate::machine::outbox::Outbox;
use crate::machine::resolver::Resolver;
use crate::machine::roots_cycle::TokenStatus;
use crate::peer::raw::{self, Json, Object};

impl Resolver {
    /// Reads one message or batch.
    pub(crate) fn read_message(&mut self, text: String, out: &mut Outbox) {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return out.forward(MessageKind::Blank, text);
        }
        if trimmed.starts_with('[') {
            return self.read_batch(text, out);
        }
        match self.read_one(trimmed, out) {
            Read::Ours => {}
            Read::NotOurs(kind) => out.forward(kind, text),
        }
    }

    fn read_batch(&mut self, text: String, out: &mut Outbox) {
        let Some(elements) = raw::array(text.trim()) else {
            return out.forward(MessageKind::Broken, text);
        };
        let mut rest: Vec<&str> = Vec::with_capacity(elements.len());
        for element in &elements {
            if matches!(self.read_one(element, out), Read::NotOurs(_)) {
                rest.push(element);
            }
        }
        if rest.len() == elements.len() {
            return out.forward(MessageKind::Batch, text);
        }
        if !rest.is_empty() {
            let mut joined = String::with_capacity(text.len());
            joined.push('[');
            for (at, message) in rest.into_iter().enumerate() {
                if at > 0 {
                    joined.push(',');
                }
                joined.push_str(message);
            }
            joined.push(']');
            out.forward(MessageKind::Batch, joined);
        }
    }

    fn read_one(&mut self, text: &str, out: &mut Outbox) -> Read {
        let Some(message) = Object::read(text) else {
            return Read::NotOurs(MessageKind::Broken);
        };
        if message.has("method") {
            let has_id = message.has("id");
            self.read_call(message.string("method").as_deref(), has_id, &message, out);
            return Read::NotOurs(if has_id { MessageKind::Request } else { MessageKind::Notification });
        }
        if !message.has("result") && !message.has("error") {
            return Read::NotOurs(MessageKind::Broken);
        }
        match message.get("id").and_then(|id| self.token_of(id)) {
            Some(token) => self.read_response(token, &message, out),
            None => Read::NotOurs(MessageKind::Response),
        }
    }

    /// What the client tells by its own calls, which stay the host's to process.
    fn read_call(&mut self, method: Option<&str>, has_id: bool, message: &Object<'_>, out: &mut Outbox) {
        match (method, has_id) {
            (Some("initialize"), true) => {
                let params = message.get("params").and_then(Object::read);
                let part = |key: &str| params.as_ref().and_then(|params| Json::from_text(params.get(key)?));
                let said = ClientInitialized {
                    protocol_version: part("protocolVersion"),
                    capabilities: part("capabilities"),
                    client_info: part("clientInfo"),
                };
                self.apply(Event::ClientInitialized(said), out);
            }
            (Some("notifications/initialized"), false) => self.apply(Event::ClientReady, out),
            (Some("notifications/roots/list_changed"), false) => self.apply(Event::RootsChanged, out),
            _ => {}
        }
    }

    fn read_response(&mut self, token: u32, message: &Object<'_>, out: &mut Outbox) -> Read {
        if self.connection.cycle.token_status(token) == TokenStatus::NeverIssued {
            self.note_ignored(TokenStatus::NeverIssued, out);
            return Read::NotOurs(MessageKind::Response);
        }
        let event = match (message.has("error"), message.get("result")) {
            (false, Some(result)) => match Json::from_text(result) {
                Some(result) => Event::RootsListed(RootsListed { request: Some(token), result }),
                None => return Read::NotOurs(MessageKind::Broken),
            },
            _ => {
                let error = message.get("error").and_then(Object::read);
                let code = error.as_ref().and_then(|error| error.get("code")?.parse().ok());
                let message = error.and_then(|error| error.string("message"));
                Event::RootsRefused(RootsRefused { request: token, kind: RefusalKind::Error, code, message })
            }
        };
        self.apply(event, out);
        Read::Ours
    }

    /// The token an id stands for, if it has the form of our ids; ids match by JSON type.
    fn token_of(&self, id: &str) -> Option<u32> {
        if let Some(flight) = self.connection.cycle.flight.as_ref().filter(|flight| same_id(&flight.id, id)) {
            return Some(flight.token);
        }
        let number = if self.id_prefix.is_empty() {
            id.to_string()
        } else {
            raw::string(id)?.strip_prefix(&self.id_prefix)?.to_string()
        };
        let token: u32 = number.parse().ok()?;
        // Only the spelling that was sent: no sign, no leading zeros.
        (token.to_string() == number).then_some(token)
    }
}

fn same_id(ours: &str, theirs: &str) -> bool {
    ours == theirs || (ours.starts_with('"') && raw::string(ours) == raw::string(theirs))
}

enum Read {
    Ours,
    NotOurs(MessageKind),
}
