//! Lines of recordings: ours, those of other tools, and bare messages.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Client,
    Server,
}

#[derive(Debug, PartialEq)]
pub(super) enum Entry {
    Message {
        from: Side,
        time: Option<f64>,
        message: Value,
    },
    /// The facts of the process, which only our recordings have.
    Start(Value),
    /// What is none of the protocol's messages.
    Other,
}

/// Reads entries one after the other; who sent a message follows from the messages before it where nothing says so.
#[derive(Default)]
pub(super) struct Reader {
    asked_by_client: Ids,
    asked_by_server: Ids,
}

/// The last ids of requests.
#[derive(Default)]
struct Ids {
    known: HashMap<String, usize>,
    order: VecDeque<String>,
}

/// Requests without an answer that are remembered.
const MAX_OPEN: usize = 4_096;

impl Ids {
    fn add(&mut self, id: &Value) {
        let id = id.to_string();
        *self.known.entry(id.clone()).or_default() = 1;
        self.order.push_back(id);
        if self.order.len() > MAX_OPEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    fn take(&mut self, id: &Value) -> bool {
        self.known.remove(&id.to_string()).is_some()
    }
}

impl Reader {
    /// What is in a line: a message, and its answer where a tool keeps both together, as the MCP Inspector does.
    pub(super) fn read(&mut self, mut line: Value) -> Vec<Entry> {
        if let Some(start) = line.get("start").filter(|_| line.get("direction").is_some_and(|from| from == "rootwise"))
        {
            return vec![Entry::Start(start.clone())];
        }
        let (told, time) = (direction(&line), time(&line));
        let duration = line.get("duration").and_then(Value::as_f64).unwrap_or_default();
        let answer = line.get_mut("response").map(Value::take).filter(is_message);
        if answer.is_some() && message_of(&line).is_none() {
            return vec![self.message(told, time, answer.unwrap_or_default())];
        }
        let Some(message) = message_of(&line) else { return vec![Entry::Other] };
        let asked = self.message(told, time, message);
        let answerer = match &asked {
            Entry::Message { from: Side::Client, .. } => Side::Server,
            _ => Side::Client,
        };
        let answer = answer.map(|answer| self.message(Some(answerer), time.map(|time| time + duration), answer));
        std::iter::once(asked).chain(answer).collect()
    }

    fn message(&mut self, told: Option<Side>, time: Option<f64>, message: Value) -> Entry {
        let from = told.unwrap_or_else(|| self.guess(&message));
        let id = message.get("id").filter(|id| !id.is_null());
        if let (Some(id), true) = (id, message.get("method").is_some()) {
            match from {
                Side::Client => self.asked_by_client.add(id),
                Side::Server => self.asked_by_server.add(id),
            }
        }
        Entry::Message { from, time, message }
    }

    fn guess(&mut self, message: &Value) -> Side {
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            let id = message.get("id").unwrap_or(&Value::Null);
            // A result with roots can only be the client's.
            let has_roots = message.pointer("/result/roots").is_some();
            // Where both have a request with this id, the client's is older.
            let is_clients = has_roots || (!self.asked_by_client.take(id) && self.asked_by_server.take(id));
            return if is_clients { Side::Client } else { Side::Server };
        };
        const BY_SERVER: [&str; 4] = ["roots/list", "sampling/", "elicitation/", "notifications/message"];
        let announces = method.ends_with("/list_changed") && method != "notifications/roots/list_changed";
        let is_servers = announces
            || method == "notifications/resources/updated"
            || BY_SERVER.iter().any(|start| method.starts_with(start));
        if is_servers { Side::Server } else { Side::Client }
    }
}

/// Who sent it, if one of the usual members says so.
fn direction(line: &Value) -> Option<Side> {
    const MEMBERS: [&str; 8] = ["direction", "from", "dir", "source", "side", "sender", "origin", "type"];
    MEMBERS.iter().filter_map(|name| line.get(name)?.as_str()).find_map(|word| {
        let word = word.to_ascii_lowercase();
        match (word.find("client"), word.find("server")) {
            (Some(client), Some(server)) => return Some(if client < server { Side::Client } else { Side::Server }),
            (Some(_), None) => return Some(Side::Client),
            (None, Some(_)) => return Some(Side::Server),
            (None, None) => {}
        }
        match word.as_str() {
            // As a program between both sees it: what comes in is the client's.
            "in" | "inbound" | "incoming" | "c2s" | "stdin" | "->" | ">" => Some(Side::Client),
            "out" | "outbound" | "outgoing" | "s2c" | "stdout" | "<-" | "<" => Some(Side::Server),
            _ => None,
        }
    })
}

/// Places in a line of text at which a message may begin.
const MAX_PLACES: usize = 16;

/// The message in a line of a log, as clients and proxies write them for people: words, JSON, perhaps more words.
pub(super) fn in_text(line: &[u8]) -> Option<Value> {
    let places = line.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at).take(MAX_PLACES);
    let (at, found) = places.into_iter().find_map(|at| {
        let mut values = serde_json::Deserializer::from_slice(line.get(at..)?).into_iter::<Value>();
        values.next()?.ok().filter(|value| message_of(value).is_some()).map(|value| (at, value))
    })?;
    if !is_message(&found) {
        return Some(found);
    }
    let before = String::from_utf8_lossy(line.get(..at)?).to_lowercase();
    let mut entry = json!({ "message": found });
    let first = before.split_whitespace().next().unwrap_or_default().trim_matches(['[', ']']);
    if let Some(members) = entry.as_object_mut() {
        if OffsetDateTime::parse(&first.to_uppercase(), &Rfc3339).is_ok() {
            members.insert("time".into(), first.to_uppercase().into());
        }
        if let Some(from) = told_before(&before) {
            members.insert("direction".into(), from.into());
        }
    }
    Some(entry)
}

/// Who sent a message, by the words before it.
fn told_before(words: &str) -> Option<&'static str> {
    let words = words.replace("->", "→").replace(" → ", "→").replace("from the ", "from ").replace("to the ", "to ");
    // As these are named by mcp-remote, mcp-proxy and supergateway.
    const BY_CLIENT: [&str; 6] = ["from client", "to server", "client→", "local→", "→child", "→stdio"];
    const BY_SERVER: [&str; 6] = ["from server", "to client", "server→", "remote→", "child→", "stdio→"];
    let last = |known: [&str; 6]| known.iter().filter_map(|known| words.rfind(known)).max();
    match (last(BY_CLIENT), last(BY_SERVER)) {
        (Some(client), Some(server)) => Some(if client > server { "client" } else { "server" }),
        (Some(_), None) => Some("client"),
        (None, Some(_)) => Some("server"),
        (None, None) => None,
    }
}

/// Milliseconds, whatever they count from; tools write numbers or RFC 3339.
pub(super) fn time(line: &Value) -> Option<f64> {
    const MEMBERS: [&str; 5] = ["time", "timestamp", "ts", "at", "date"];
    MEMBERS.iter().find_map(|name| match line.get(name)? {
        Value::String(text) => {
            let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
            Some(time.unix_timestamp_nanos() as f64 / 1e6)
        }
        number => number.as_f64(),
    })
}

/// The message in a line: the line itself, or one of the usual members, also as text.
fn message_of(line: &Value) -> Option<Value> {
    if is_message(line) {
        return Some(line.clone());
    }
    const MEMBERS: [&str; 10] =
        ["message", "msg", "payload", "data", "body", "raw", "line", "content", "request", "response"];
    MEMBERS.iter().find_map(|name| {
        let found = match line.get(name)? {
            Value::String(text) => serde_json::from_str(text).ok()?,
            found => found.clone(),
        };
        is_message(&found).then_some(found)
    })
}

/// The list of messages that a value is, or has in it; otherwise the value.
pub(super) fn list_in(value: Value) -> Result<Vec<Value>, Value> {
    let has_messages =
        |part: &Value| part.as_array().is_some_and(|list| list.iter().any(|one| message_of(one).is_some()));
    let mut parts = match value {
        Value::Array(list) => return Ok(list),
        Value::Object(parts) => parts,
        other => return Err(other),
    };
    let name = parts.iter().find(|(_, part)| has_messages(part)).map(|(name, _)| name.clone());
    match name.and_then(|name| parts.remove(&name)) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(Value::Object(parts)),
    }
}

fn is_message(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    value.get("method").is_some_and(Value::is_string) || (has("id") && (has("result") || has("error")))
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn side(reader: &mut Reader, line: Value) -> Option<Side> {
        match reader.read(line).as_slice() {
            [Entry::Message { from, .. }] => Some(*from),
            _ => None,
        }
    }

    #[test]
    fn a_request_and_its_answer_can_be_one_entry() {
        let ask = json!({ "jsonrpc": "2.0", "id": 7, "method": "roots/list" });
        let answer = json!({ "jsonrpc": "2.0", "id": 7, "result": { "roots": [] } });
        let line = json!({
            "id": "request-7", "timestamp": "2026-01-01T00:00:00.010Z", "direction": "request", "message": ask, "response": answer, "duration": 5,
        });
        let read = Reader::default().read(line);
        let [Entry::Message { from, time, .. }, Entry::Message { from: answerer, time: after, message }] = &read[..]
        else {
            panic!("{read:?}")
        };
        assert_eq!((*from, *answerer, message), (Side::Server, Side::Client, &answer));
        assert_eq!(after.zip(*time).map(|(after, time)| (after - time).round()), Some(5.0));
        assert_eq!(Reader::default().read(json!({ "response": answer })).len(), 1);
    }

    #[test]
    fn lines_of_several_tools_are_understood() {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        for (line, from) in [
            (json!({ "time": 1, "direction": "server", "message": ping }), Side::Server),
            (json!({ "ts": 1, "direction": "client->server", "payload": ping }), Side::Client),
            (json!({ "direction": "server-to-client", "raw": ping.to_string() }), Side::Server),
            (json!({ "timestamp": "2026-01-01T00:00:00Z", "direction": "Inbound", "payload": ping }), Side::Client),
            (json!({ "dir": "out", "msg": ping }), Side::Server),
            (ping.clone(), Side::Client),
        ] {
            assert_eq!(side(&mut Reader::default(), line.clone()), Some(from), "{line}");
        }
        for other in
            [json!({ "direction": "client", "text": "hello" }), json!({ "level": "info", "msg": "started" }), json!(3)]
        {
            assert_eq!(side(&mut Reader::default(), other.clone()), None, "{other}");
        }
    }

    #[test]
    fn a_message_in_a_line_of_a_log_is_found() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"a } {"}}"#;
        for (line, from) in [
            (
                format!(
                    "2026-01-01T00:00:00.010Z [info] [my-server] Message from client: {ping} {{ metadata: undefined }}"
                ),
                Side::Client,
            ),
            (
                format!(
                    "2026-01-01T00:00:00.010Z [info] [my-client] Message from server: {ping} {{ metadata: undefined }}"
                ),
                Side::Server,
            ),
            (format!("[4711] [Local→Remote] {ping}"), Side::Client),
            (format!("[4711] [Remote→Local] {ping}"), Side::Server),
            (format!("[supergateway] SSE → Child: {ping}"), Side::Client),
            (format!("[supergateway] Child → StreamableHttp: {ping}"), Side::Server),
            (format!("DEBUG {{config: 1}} server -> client {ping}"), Side::Server),
            (format!("> {ping}"), Side::Client),
        ] {
            let found = in_text(line.as_bytes()).unwrap_or_else(|| panic!("nothing in {line}"));
            assert_eq!(side(&mut Reader::default(), found.clone()), Some(from), "{line}: {found}");
            if line.starts_with("2026") {
                assert!(time(&found).is_some(), "{found}");
            }
        }
        for other in ["started {port: 1}", "{\"a\":1} listening", "[12:00:01] {", ""] {
            assert_eq!(in_text(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn bare_messages_tell_who_sent_them() {
        let mut reader = Reader::default();
        for (line, from) in [
            (json!({ "id": 1, "method": "initialize" }), Side::Client),
            (json!({ "id": 1, "result": {} }), Side::Server),
            (json!({ "id": 1, "method": "elicitation/create" }), Side::Server),
            (json!({ "id": 1, "result": {} }), Side::Client),
            (json!({ "id": "r", "method": "roots/list" }), Side::Server),
            (json!({ "id": "r", "result": { "roots": [] } }), Side::Client),
            (json!({ "method": "notifications/roots/list_changed" }), Side::Client),
            (json!({ "method": "notifications/tools/list_changed" }), Side::Server),
        ] {
            assert_eq!(side(&mut reader, line.clone()), Some(from), "{line}");
        }
    }
}
