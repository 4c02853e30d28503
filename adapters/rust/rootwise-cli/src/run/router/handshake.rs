//! The handshake: answered to the client by the first server, and repeated to every other.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::instances::{Own, State};
use super::lists::{empty, modernise};
use super::{Action, Alarm, DISCOVER, Era, InstanceId, Router, Traffic};
use crate::run::message::{self, Id};

/// What Codex adds to `_meta` if the server declares an experimental capability of the same name.
const CODEX_META: &str = "codex/sandbox-state-meta";

impl Router {
    /// The client has introduced itself.
    pub(super) fn begin_handshakes(&mut self) {
        let ids: Vec<InstanceId> = self.instances.keys().copied().collect();
        for id in ids {
            // The time before the client's first word does not count.
            self.act(Action::Alarm(self.settings.start_timeout, Alarm::Started(id)));
            self.begin_handshake(id);
        }
    }

    pub(super) fn begin_handshake(&mut self, id: InstanceId) {
        match (self.client.era, self.inner_era) {
            (None, _) => {}
            (Some(Era::Legacy), Some(Era::Modern)) => self.discover(id, &self.envelope()),
            (Some(Era::Legacy), _) | (Some(Era::Modern), Some(Era::Legacy)) => self.send_initialize(id),
            (Some(Era::Modern), Some(Era::Modern)) => {
                if let Some(instance) = self.instances.get_mut(&id) {
                    instance.era = Some(Era::Modern);
                }
                self.ready(id);
            }
            (Some(Era::Modern), None) => {
                let envelope = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "rootwise", "version": env!("CARGO_PKG_VERSION") },
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
                self.discover(id, &envelope);
            }
        }
    }

    fn discover(&mut self, id: InstanceId, envelope: &Value) {
        self.send_own(id, Own::Discover, "server/discover", &json!({ "_meta": envelope }));
        self.act(Action::Alarm(DISCOVER.min(self.settings.start_timeout.div_f32(2.0)), Alarm::Discovered(id)));
    }

    pub(super) fn send_own(&mut self, id: InstanceId, own: Own, method: &str, params: &Value) {
        let own_id = self.own_id();
        self.send(id, message::request(&own_id, method, params));
        if let Some(instance) = self.instances.get_mut(&id) {
            instance.own.insert(own_id, own);
        }
    }

    fn send_initialize(&mut self, id: InstanceId) {
        let params = self.declared();
        self.send_own(id, Own::Initialize, "initialize", &params);
    }

    /// What the client said in its handshake, as its servers get it.
    pub(super) fn declared(&self) -> Value {
        let mut params = self.client.initialize.as_ref().map(|(_, params)| params.clone()).unwrap_or_default();
        // Every server is to speak the revision that the client was told.
        if let Some(version) = self.client.told.as_ref().and_then(|told| told.get("protocolVersion"))
            && let Some(params) = params.as_object_mut()
        {
            params.insert("protocolVersion".into(), version.clone());
        }
        if self.settings.answer_roots
            && let Some(params) = params.as_object_mut()
        {
            // Roots are answered here, whether or not the client has any.
            let declared = params.entry("capabilities").or_insert_with(|| json!({}));
            if let Some(declared) = declared.as_object_mut() {
                declared.insert("roots".into(), json!({ "listChanged": true }));
            }
        }
        params
    }

    /// A server answered a request of ours.
    pub(super) fn own_answered(
        &mut self,
        id: InstanceId,
        own: &Own,
        result: Option<&RawValue>,
        error: Option<&RawValue>,
    ) {
        let parsed = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
        match (own, result.map(parsed)) {
            (Own::Initialize, Some(result)) => self.initialized(id, result, Era::Legacy),
            (Own::Initialize, None) => {
                let error = error.map(parsed).unwrap_or_default();
                if self.client.era == Some(Era::Legacy)
                    && let Some(instance) = self.instances.get_mut(&id)
                {
                    // It may know only a revision without a handshake.
                    instance.refusal = Some(error);
                    return self.discover(id, &self.envelope());
                }
                self.handshake_refused(id, &error);
            }
            (Own::Discover, Some(result)) if self.client.era == Some(Era::Legacy) => {
                self.inner_era = Some(Era::Modern);
                let result = self.as_handshake(result);
                self.initialized(id, result, Era::Modern);
            }
            (Own::Discover, Some(result)) => {
                self.inner_era = Some(Era::Modern);
                if let Some(instance) = self.instances.get_mut(&id) {
                    (instance.era, instance.result) = (Some(Era::Modern), Some(result));
                }
                self.ready(id);
            }
            (Own::Discover, None) => self.discover_expired(id),
            (Own::Compare(_), Some(result)) if result.get("inputRequests").is_some() => {}
            (Own::Compare(traffic), Some(result)) => self.compared(*traffic, &result),
            // A server without such a list.
            (Own::Compare(traffic), None) => self.compared(*traffic, &empty(*traffic, false)),
            (Own::LogLevel | Own::Listen, _) => {}
        }
    }

    /// A server that wants no client is quoted to the one that it refused.
    pub(super) fn handshake_refused(&mut self, id: InstanceId, error: &Value) {
        if self.client.era == Some(Era::Legacy)
            && !std::mem::replace(&mut self.client.is_answered, true)
            && let Some((client_id, _)) = &self.client.initialize
        {
            let client_id: Value = serde_json::from_str(client_id).unwrap_or_default();
            let refusal = json!({ "jsonrpc": "2.0", "id": client_id, "error": error });
            self.act(Action::ToClient(message::line(&refusal)));
        }
        let text = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        self.server_failed(id, format!("refused the handshake ({text})"));
    }

    /// A server that does not know `server/discover` is one of an older revision.
    pub(super) fn discover_expired(&mut self, id: InstanceId) {
        let Some(instance) = self.instances.get_mut(&id) else { return };
        if instance.state == State::Starting && instance.era.is_none() && instance.result.is_none() {
            if let Some(error) = instance.refusal.take() {
                return self.handshake_refused(id, &error);
            }
            if self.client.era == Some(Era::Legacy) {
                // Another one knew nothing else.
                return self.send_initialize(id);
            }
            instance.era = Some(Era::Legacy);
            self.inner_era = Some(Era::Legacy);
            self.send_initialize(id);
        }
    }

    fn initialized(&mut self, id: InstanceId, result: Value, era: Era) {
        let Some(instance) = self.instances.get_mut(&id) else { return };
        (instance.era, instance.refusal) = (Some(era), None);
        instance.state = State::Initialized;
        instance.result = Some(result.clone());
        if self.client.era == Some(Era::Legacy) && !self.client.is_answered {
            self.client.is_answered = true;
            if let Some((client_id, _)) = self.client.initialize.clone() {
                let told = self.told(result);
                self.act(Action::ToClient(message::result(&client_id, &told)));
                self.client.told = Some(told);
            }
        } else {
            self.compare_results(id, &result);
        }
        if self.client.is_ready || self.is_modern() {
            self.finish_handshake(id);
        }
    }

    /// The client said that it is ready.
    pub(super) fn finish_handshakes(&mut self) {
        let is_waiting = |state: &State| *state == State::Initialized;
        let ids: Vec<InstanceId> =
            self.instances.iter().filter(|(_, known)| is_waiting(&known.state)).map(|(id, _)| *id).collect();
        for id in ids {
            self.finish_handshake(id);
        }
    }

    fn finish_handshake(&mut self, id: InstanceId) {
        if self.is_newer(id) {
            self.listen(id);
            return self.ready(id);
        }
        self.send(id, message::notification("notifications/initialized"));
        if let Some(params) = self.client.log_level.clone() {
            self.send_own(id, Own::LogLevel, "logging/setLevel", &params);
        }
        self.ready(id);
    }

    /// The result of the handshake as the client gets it: its lists can change with the project, and our tools are among them.
    fn told(&self, mut result: Value) -> Value {
        if let Some(result) = result.as_object_mut() {
            self.declare(result.entry("capabilities").or_insert_with(|| json!({})));
        }
        result
    }

    /// The same for the answer to `server/discover`; says whether that changes anything.
    pub(super) fn declare_in(&self, result: &mut Value) -> bool {
        let Some(capabilities) = result.get_mut("capabilities") else { return false };
        let before = capabilities.clone();
        self.declare(capabilities);
        *capabilities != before
    }

    fn declare(&self, capabilities: &mut Value) {
        let Some(capabilities) = capabilities.as_object_mut() else { return };
        if self.settings.tools {
            capabilities.entry("tools").or_insert_with(|| json!({}));
        }
        for list in ["tools", "prompts", "resources"] {
            if let Some(declared) = capabilities.get_mut(list).and_then(Value::as_object_mut) {
                declared.insert("listChanged".into(), true.into());
            }
        }
        if self.settings.meta_names.contains(CODEX_META) {
            let experimental = capabilities.entry("experimental").or_insert_with(|| json!({}));
            if let Some(experimental) = experimental.as_object_mut() {
                experimental.entry(CODEX_META).or_insert_with(|| json!({}));
            }
        }
    }

    /// Answers the handshake for a server that cannot run without a project.
    pub(super) fn answer_handshake_here(&mut self) {
        let Some((client_id, params)) = self.client.initialize.clone() else { return };
        if self.client.is_answered {
            return;
        }
        (self.client.is_answered, self.client.is_answered_here) = (true, true);
        let version = self.revision_of(&params);
        let told = self.told(json!({
            "protocolVersion": version,
            "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
            "serverInfo": { "name": self.settings.name, "version": env!("CARGO_PKG_VERSION") },
        }));
        self.act(Action::ToClient(message::result(&client_id, &told)));
        self.client.told = Some(told);
    }

    /// A server that differs from the one that the client met is named in the log.
    fn compare_results(&mut self, id: InstanceId, result: &Value) {
        let other = || self.instances.iter().find(|(known, other)| **known != id && other.result.is_some());
        let first = self.client.told.clone().or_else(|| other()?.1.result.clone().map(|result| self.told(result)));
        let Some(first) = first else { return };
        let now = self.told(result.clone());
        // Where it was answered here, its name and what it can do were not known.
        let parts: &[&str] = match self.client.is_answered_here {
            true => &["protocolVersion"],
            false => &["protocolVersion", "capabilities", "serverInfo"],
        };
        let mut differs: Vec<&str> = parts.iter().copied().filter(|part| first.get(part) != now.get(part)).collect();
        let can = |told: &Value, name: &str| told.get("capabilities").is_some_and(|known| known.get(name).is_some());
        if self.client.is_answered_here {
            differs.extend(["logging", "completions"].iter().filter(|name| can(&now, name) && !can(&first, name)));
        }
        if !differs.is_empty() {
            self.log(format!(
                "the server in the project differs from the one that answered the handshake: {}",
                differs.join(", ")
            ));
        }
    }

    /// The answer to `server/discover` for a server of an older revision, or for none.
    pub(super) fn discovered_here(&self, instance: InstanceId, id: &Id) -> bytes::Bytes {
        let known = self.instances.get(&instance).and_then(|known| known.result.as_ref());
        let part = |name: &str| known.and_then(|known| known.get(name)).cloned();
        let unknown = || json!({ "tools": {}, "prompts": {}, "resources": {} });
        let mut capabilities = part("capabilities").unwrap_or_else(unknown);
        self.declare(&mut capabilities);
        let mut result = json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities });
        modernise(Traffic::Discover, &mut result);
        if let Some(result) = result.as_object_mut() {
            result.extend(part("instructions").map(|text| ("instructions".to_owned(), text)));
            let server = part("serverInfo").map(|server| json!({ "io.modelcontextprotocol/serverInfo": server }));
            result.extend(server.map(|meta| ("_meta".to_owned(), meta)));
        }
        message::result(id, &result)
    }
}
