//! Lists of tools, prompts and resources: our tools among them, and whether they differ between two servers.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::{Value, json};

use super::calls::our_tools;
use super::instances::Own;
use super::{Action, InstanceId, Router, Traffic};
use crate::run::message;

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

const LISTS: [(Traffic, &str, &str); 3] = [
    (Traffic::ListTools, "tools/list", "notifications/tools/list_changed"),
    (Traffic::ListPrompts, "prompts/list", "notifications/prompts/list_changed"),
    (Traffic::ListResources, "resources/list", "notifications/resources/list_changed"),
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
        if self.is_modern() {
            // Such a client subscribes to changes, and a request without its envelope would be one of an older revision.
            return;
        }
        for (traffic, method, _) in LISTS {
            if self.client.listed.get_mut(traffic).is_some_and(|listed| listed.is_some()) {
                let params = if self.is_newer(instance) { json!({ "_meta": self.envelope() }) } else { json!({}) };
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
        if let Some((_, _, changed)) = LISTS.iter().find(|(known, _, _)| *known == traffic) {
            self.act(Action::ToClient(message::notification(changed)));
        }
    }

    /// The result of a list with our tools at its end.
    pub(super) fn with_our_tools(&self, traffic: Traffic, mut result: Value) -> Value {
        let is_last = result.get("nextCursor").is_none_or(Value::is_null);
        if self.settings.tools
            && traffic == Traffic::ListTools
            && is_last
            && let Some(result) = result.as_object_mut()
            && let Some(tools) = result.entry("tools").or_insert_with(|| json!([])).as_array_mut()
        {
            tools.extend(our_tools());
        }
        result
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
