//! Lists of tools, prompts and resources: our tools among them, and whether they differ between two servers.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::{Value, json};

use super::calls::OUR_TOOLS;
use super::instances::Own;
use super::{Era, InstanceId, Router, Traffic};

/// What the client was told, as hashes: of each list its first page.
#[derive(Default)]
pub(super) struct Listed {
    tools: Option<u64>,
    prompts: Option<u64>,
    resources: Option<u64>,
}

impl Listed {
    pub(super) fn get_mut(&mut self, traffic: Traffic) -> Option<&mut Option<u64>> {
        match traffic {
            Traffic::ListTools => Some(&mut self.tools),
            Traffic::ListPrompts => Some(&mut self.prompts),
            Traffic::ListResources => Some(&mut self.resources),
            _ => None,
        }
    }
}

/// A list whose changes a client hears of.
pub(super) struct List {
    traffic: Traffic,
    method: &'static str,
    pub(super) changed: &'static str,
    /// How a subscription asks for it.
    pub(super) key: &'static str,
}

#[rustfmt::skip]
pub(super) const LISTS: [List; 3] = [
    List { traffic: Traffic::ListTools, method: "tools/list", changed: "notifications/tools/list_changed", key: "toolsListChanged" },
    List { traffic: Traffic::ListPrompts, method: "prompts/list", changed: "notifications/prompts/list_changed", key: "promptsListChanged" },
    List { traffic: Traffic::ListResources, method: "resources/list", changed: "notifications/resources/list_changed", key: "resourcesListChanged" },
];

impl Router {
    /// Remembers a list that the client gets.
    pub(super) fn remember_list(&mut self, traffic: Traffic, result: &Value) {
        if let Some(listed) = self.client.listed.get_mut(traffic) {
            *listed = Some(hash_of(result));
        }
    }

    /// Asks a server for the lists that the client knows from another one.
    pub(super) fn compare_lists(&mut self, instance: InstanceId) {
        let knows_envelope = self.instances.get(&instance).is_some_and(|known| known.era == Some(Era::Modern));
        for List { traffic, method, .. } in LISTS {
            if self.client.listed.get_mut(traffic).is_some_and(|listed| listed.is_some()) {
                let params = if knows_envelope { json!({ "_meta": self.envelope() }) } else { json!({}) };
                self.send_own(instance, Own::Compare(traffic), method, &params);
            }
        }
    }

    /// Tells the client that a list has changed, if it has.
    pub(super) fn compared(&mut self, traffic: Traffic, result: &Value) {
        let Some(listed) = self.client.listed.get_mut(traffic) else { return };
        if listed.is_none_or(|listed| listed == hash_of(result)) {
            return;
        }
        *listed = None;
        if let Some(list) = LISTS.iter().find(|list| list.traffic == traffic) {
            self.announce(list.changed);
        }
    }

    /// The result of a list with our tools at its end.
    pub(super) fn with_our_tools(&mut self, traffic: Traffic, mut result: Value) -> Value {
        if !self.settings.tools || traffic != Traffic::ListTools {
            return result;
        }
        let is_last = result.get("nextCursor").is_none_or(Value::is_null);
        if let Some(result) = result.as_object_mut()
            && let Some(tools) = result.entry("tools").or_insert_with(|| json!([])).as_array_mut()
        {
            self.leave_to_server(tools);
            if is_last {
                tools.extend(OUR_TOOLS.iter().filter(|tool| !self.taken.contains(tool.0)).map(|tool| (tool.1)()));
            }
        }
        result
    }

    /// A tool of the server has the name of ours: the client gets that of the server, as without this program.
    fn leave_to_server(&mut self, tools: &[Value]) {
        for tool in tools {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            if let Some((ours, _)) = OUR_TOOLS.iter().find(|(ours, _)| *ours == name)
                && self.taken.insert(ours)
            {
                self.log(format!("the server has a tool `{ours}` itself, so that `--tools` adds none of this name"));
            }
        }
    }
}

/// The order of members counts for nothing.
fn hash_of(result: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in ["tools", "prompts", "resources", "nextCursor"] {
        result.get(name).map(Value::to_string).hash(&mut hasher);
    }
    hasher.finish()
}

/// The answer of a server that has none of these.
pub(super) fn empty(traffic: Traffic, is_modern: bool) -> Value {
    let mut result = match traffic {
        Traffic::ListTools => json!({ "tools": [] }),
        Traffic::ListPrompts => json!({ "prompts": [] }),
        Traffic::ListTemplates => json!({ "resourceTemplates": [] }),
        _ => json!({ "resources": [] }),
    };
    if is_modern {
        modernise(traffic, &mut result);
    }
    result
}

/// Adds what 2026-07-28 requires of a result.
pub(super) fn modernise(traffic: Traffic, result: &mut Value) {
    let Some(result) = result.as_object_mut() else { return };
    result.entry("resultType").or_insert_with(|| "complete".into());
    if traffic.is_list() || matches!(traffic, Traffic::ReadResource | Traffic::Discover) {
        // Nothing is known about how long it holds.
        result.entry("ttlMs").or_insert_with(|| 0.into());
        result.entry("cacheScope").or_insert_with(|| "private".into());
    }
}
