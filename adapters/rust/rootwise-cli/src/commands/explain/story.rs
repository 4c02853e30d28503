//! What a recording says about the project: who spoke, what was asked, what was answered.

use std::collections::{BTreeMap, VecDeque};

use rootwise::event::ClientInitialized;
use rootwise::path::display::display;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::entry::{Entry, Side};
use crate::choices::Known;

/// What is known so far; bounded, however long the recording is.
#[derive(Default)]
pub(super) struct Story {
    pub(super) messages: u64,
    pub(super) start: Option<Value>,
    client: Option<Value>,
    pub(super) is_modern: bool,
    /// The last answer to `roots/list`.
    roots: Option<Value>,
    /// The last `_meta` with more than the protocol's own entries.
    meta: Option<Value>,
    /// The open question for roots: its id and its time.
    question: Option<(Value, Option<f64>)>,
    /// Questions for roots, and how many of them were answered.
    pub(super) questions: u64,
    pub(super) answers: u64,
    counts: BTreeMap<String, u64>,
    first_time: Option<f64>,
    /// The first lines of the timeline and the last ones, and how many were left out between them.
    pub(super) first: Vec<String>,
    pub(super) last: VecDeque<String>,
    pub(super) omitted: u64,
}

/// Lines of the timeline at its beginning, and at its end.
const MAX_TIMELINE: usize = 100;
/// Methods that are counted by name.
const MAX_METHODS: usize = 100;
/// Characters of a value.
const SHOWN_CHARS: usize = 200;

impl Story {
    pub(super) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Start(start) => {
                let place = start.get("cwd").and_then(Value::as_str).unwrap_or("an unknown folder").to_owned();
                self.tell(None, &format!("the server starts in {}", display(&place, SHOWN_CHARS)));
                self.start = Some(start);
            }
            Entry::Message { from, time, message } => {
                self.messages = self.messages.saturating_add(1);
                self.first_time = self.first_time.or(time);
                self.message(from, time, &message);
            }
            Entry::Other => {}
        }
    }

    fn tell(&mut self, time: Option<f64>, text: &str) {
        let since = time.zip(self.first_time).map_or(String::new(), |(time, first)| format!("+{:.0} ms", time - first));
        let line = format!("{since:>10}  {text}");
        if self.first.len() < MAX_TIMELINE {
            return self.first.push(line);
        }
        self.last.push_back(line);
        if self.last.len() > MAX_TIMELINE {
            self.last.pop_front();
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// What happened, without the lines that were left out.
    pub(super) fn timeline(&self) -> Vec<&String> {
        self.first.iter().chain(&self.last).collect()
    }

    fn message(&mut self, from: Side, time: Option<f64>, message: &Value) {
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return self.answer(time, message);
        };
        if self.counts.contains_key(method) || self.counts.len() < MAX_METHODS {
            let count = self.counts.entry(display(method, SHOWN_CHARS)).or_default();
            *count = count.saturating_add(1);
        }
        let params = message.get("params").unwrap_or(&Value::Null);
        match (from, method) {
            (Side::Client, "initialize") => {
                self.client = Some(params.clone());
                self.tell(time, &format!("client: initialize, as {}", self.client_line()));
            }
            (Side::Client, "notifications/initialized") => self.tell(time, "client: ready"),
            (Side::Client, "notifications/roots/list_changed") => self.tell(time, "client: its roots changed"),
            (Side::Server, "roots/list") => self.asked(time, message.get("id").cloned().unwrap_or_default()),
            (Side::Client, _) => self.request(time, method, params),
            _ => {}
        }
    }

    fn asked(&mut self, time: Option<f64>, id: Value) {
        self.questions = self.questions.saturating_add(1);
        if self.questions == 1 || self.question.is_some() {
            self.tell(time, "server: asks for the roots");
        }
        self.question = Some((id, time));
    }

    /// A request of the client, which can say where it works.
    fn request(&mut self, time: Option<f64>, method: &str, params: &Value) {
        let Some(meta) = params.get("_meta").and_then(Value::as_object) else { return };
        let part = |name: &str| meta.get(&format!("io.modelcontextprotocol/{name}")).cloned();
        if let Some(version) = part("protocolVersion") {
            let client = json!({
                "protocolVersion": version,
                "capabilities": part("clientCapabilities").unwrap_or_default(),
                "clientInfo": part("clientInfo").unwrap_or_default(),
            });
            if self.client.replace(client).is_none() {
                self.is_modern = true;
                self.tell(
                    time,
                    &format!(
                        "client: {}, without a handshake, as {}",
                        display(method, SHOWN_CHARS),
                        self.client_line()
                    ),
                );
            }
        }
        if let Some(answers) = params.get("inputResponses").and_then(Value::as_object) {
            for answer in answers.values().filter(|answer| answer.get("roots").is_some()) {
                self.listed(time, answer.clone(), "with the call");
            }
        }
        let own = |name: &&String| !name.starts_with("io.modelcontextprotocol/") && name.as_str() != "progressToken";
        let names: Vec<&String> = meta.keys().filter(own).collect();
        if !names.is_empty() {
            let meta = Value::Object(meta.clone());
            if self.meta.as_ref() != Some(&meta) {
                let names: Vec<String> = names.into_iter().map(|name| display(name, SHOWN_CHARS)).collect();
                self.tell(time, &format!("client: {} with _meta {}", display(method, SHOWN_CHARS), names.join(", ")));
                self.meta = Some(meta);
            }
        }
    }

    fn answer(&mut self, time: Option<f64>, message: &Value) {
        let asks = message.pointer("/result/inputRequests").and_then(Value::as_object);
        if asks
            .is_some_and(|asks| asks.values().any(|ask| ask.get("method").is_some_and(|method| method == "roots/list")))
        {
            self.questions = self.questions.saturating_add(1);
            return self.tell(time, "server: asks for the roots, by the result of a call");
        }
        let is_answer = self.question.as_ref().is_some_and(|(id, _)| message.get("id") == Some(id));
        let Some((_, asked)) = self.question.take_if(|_| is_answer) else { return };
        let after = time.zip(asked).map_or(String::new(), |(time, asked)| format!("after {:.0} ms", time - asked));
        match (message.get("result"), message.get("error")) {
            (Some(result), _) => self.listed(time, result.clone(), &after),
            (None, error) => {
                self.answers = self.answers.saturating_add(1);
                let text = error.map(Value::to_string).unwrap_or_default();
                self.tell(time, &format!("client: cannot list its roots {after}: {}", display(&text, SHOWN_CHARS)));
            }
        }
    }

    fn listed(&mut self, time: Option<f64>, result: Value, when: &str) {
        self.answers = self.answers.saturating_add(1);
        if self.roots.as_ref() == Some(&result) {
            return;
        }
        let roots = result.get("roots").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let uris: Vec<String> = roots
            .iter()
            .take(10)
            .map(|root| display(root.get("uri").and_then(Value::as_str).unwrap_or("(no uri)"), SHOWN_CHARS))
            .collect();
        let shown = match roots.len() {
            0 => "no roots".to_owned(),
            1 => uris.join(""),
            many => format!("{many} roots: {}", uris.join(", ")),
        };
        self.tell(time, &format!("client: lists {shown} {when}"));
        self.roots = Some(result);
    }

    /// The client as it introduced itself.
    pub(super) fn client_line(&self) -> String {
        let Some(client) = &self.client else { return "unknown".into() };
        let text = |pointer: &str| client.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let declares = match client.pointer("/capabilities/roots") {
            None => "declares no roots",
            Some(roots) if roots.get("listChanged").is_some_and(|changed| changed == true) => {
                "declares roots and their changes"
            }
            Some(_) => "declares roots",
        };
        let name = display(&format!("{} {}", text("/clientInfo/name"), text("/clientInfo/version")), SHOWN_CHARS);
        format!("{name} ({}), {declares}", display(text("/protocolVersion"), SHOWN_CHARS))
    }

    /// How often each method was used.
    pub(super) const fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    pub(super) fn has_client(&self) -> bool {
        self.client.is_some()
    }

    /// What a policy can go by.
    pub(super) fn known(&self) -> Known {
        let raw = |value: Option<&Value>| value.and_then(|value| to_raw_value(value).ok());
        let part = |name: &str| raw(self.client.as_ref().and_then(|client| client.get(name)));
        let client = ClientInitialized::default()
            .protocol_version(part("protocolVersion"))
            .capabilities(part("capabilities"))
            .client_info(part("clientInfo"));
        Known { client, roots: raw(self.roots.as_ref()), meta: raw(self.meta.as_ref()), ..Known::default() }
    }
}
