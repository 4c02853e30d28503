//! Small rules of the machine, each with the one case that tells it from its neighbour.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

mod bounds;
mod disk;
mod explanations;
mod memory;
mod policies;
mod roots;
mod values;

use rootwise::{Resolver, wire};
use serde_json::{Value, json};

/// A resolver and the outputs of its events.
pub(crate) struct Play {
    pub(crate) resolver: Resolver,
    asks: u32,
}

impl Play {
    /// A policy with these sources and other members, on a host with these facts.
    pub(crate) fn new(policy: Value, host: Value) -> Self {
        let mut whole = json!({ "name": "edges" });
        whole.as_object_mut().unwrap().extend(policy.as_object().unwrap().clone());
        let mut facts = json!({ "style": "posix" });
        facts.as_object_mut().unwrap().extend(host.as_object().unwrap().clone());
        let options = json!({ "policy": whole, "host": facts });
        Self { resolver: wire::open(&options.to_string()).unwrap(), asks: 0 }
    }

    /// The same after the handshake of a client with roots.
    pub(crate) fn connected(policy: Value, host: Value) -> Self {
        let mut play = Self::new(policy, host);
        play.feed(json!({ "type": "clientInitialized", "capabilities": { "roots": {} } }));
        play.feed(json!({ "type": "clientReady" }));
        play
    }

    pub(crate) fn feed_at(&mut self, event: Value, now: u32) -> Value {
        serde_json::from_str(&wire::handle_json(&mut self.resolver, &event.to_string(), now.into())).unwrap()
    }

    pub(crate) fn feed(&mut self, event: Value) -> Value {
        self.feed_at(event, 0)
    }

    /// A list that the host got by itself.
    pub(crate) fn list(&mut self, uris: &[&str]) -> Value {
        let roots: Vec<Value> = uris.iter().map(|uri| json!({ "uri": uri })).collect();
        self.feed(json!({ "type": "rootsListed", "result": { "roots": roots } }))
    }

    /// Asks with these members beside the id.
    pub(crate) fn ask(&mut self, members: Value) -> Value {
        self.asks += 1;
        let mut event = json!({ "type": "asked", "ask": self.asks });
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.feed(event)
    }

    pub(crate) fn select(&mut self, by: Value) -> Value {
        self.asks += 1;
        self.feed(json!({ "type": "selected", "ask": self.asks, "by": by }))
    }

    /// Answers a probe: each path with what is there.
    pub(crate) fn probed(&mut self, probe: u32, paths: &[(&str, &str)]) -> Value {
        let paths: Vec<Value> = paths.iter().map(|(path, found)| json!({ "path": path, "found": found })).collect();
        self.feed(json!({ "type": "probed", "probe": probe, "paths": paths }))
    }
}

/// The first action of a type.
pub(crate) fn action<'v>(output: &'v Value, kind: &str) -> Option<&'v Value> {
    output["actions"].as_array().unwrap_or_else(|| panic!("{output}")).iter().find(|action| action["type"] == kind)
}

pub(crate) fn answer(output: &Value) -> &Value {
    action(output, "answer").unwrap_or_else(|| panic!("no answer: {output}"))
}

/// The code of an answer without a project, else the project's key.
pub(crate) fn code_or_key(output: &Value) -> String {
    let answer = answer(output);
    answer.get("code").unwrap_or_else(|| &answer["project"]["key"]).as_str().unwrap().to_owned()
}

/// The paths that the host is asked to probe.
pub(crate) fn probed_paths(output: &Value) -> Vec<&str> {
    let paths = action(output, "probe").map(|probe| probe["paths"].as_array().unwrap());
    paths.into_iter().flatten().map(|path| path["path"].as_str().unwrap()).collect()
}
