//! Generators of steps and policies.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::value::RawValue;

use super::{Reply, Step};
use crate::event::{AskVia, RequestFacts};
use crate::policy::{OnChange, PRESETS, Pick, Pin, Policy, RequestWhen};

/// The folders that steps speak of, so that different sources name the same one often.
pub const FOLDERS: [&str; 6] = ["/work/app", "/work/app/sub", "/work/api", "/home/me", "/", "/elsewhere/x"];

/// Values as peers write them: folders, URIs, other spellings, and junk.
fn values() -> impl Strategy<Value = String> {
    let folders = select(FOLDERS.as_slice());
    prop_oneof![
        4 => folders.prop_map(str::to_owned),
        2 => select(FOLDERS.as_slice()).prop_map(|path| format!("file://{path}")),
        1 => select(["", "app", "../x", "${workspaceFolder}", "C:\\work\\app", "file:///c%3A/work", "https://host/x", "file://host/share", "~/x", "/work//app/./"].as_slice())
            .prop_map(str::to_owned),
    ]
}

/// Answers to `roots/list`.
pub fn replies() -> impl Strategy<Value = Reply> {
    let uris = prop_oneof![3 => select(FOLDERS.as_slice()).prop_map(|path| format!("file://{path}")), 1 => values()];
    prop_oneof![
        6 => vec(uris, 0..4).prop_map(Reply::Roots),
        1 => select([-32601_i64, -32603, 0, 7].as_slice()).prop_map(Reply::Error),
        1 => select(["null", "{}", "[]", "{\"roots\":7}", "{\"roots\":[{\"uri\":7},null]}", "{"].as_slice())
            .prop_map(|text| Reply::Junk(text.to_owned())),
        1 => Just(Reply::Abandoned),
    ]
}

/// What a request carries: usually nothing, sometimes an argument, a header, a query parameter, or the marks of a modern call.
pub fn facts() -> impl Strategy<Value = RequestFacts> {
    let modern = prop_oneof![4 => Just(None), 1 => select([Some("{}"), Some("{\"roots\":{}}")].as_slice())];
    let rare = || prop_oneof![5 => Just(None), 1 => values().prop_map(Some)];
    (rare(), rare(), rare(), modern, proptest::option::weighted(0.1, replies())).prop_map(
        |(argument, header, query, capabilities, reply)| {
            let map = |name: &str, value: Option<String>| -> BTreeMap<String, String> {
                value.into_iter().map(|value| (name.to_owned(), value)).collect()
            };
            let raw = |text: String| RawValue::from_string(text).ok();
            RequestFacts {
                argument: argument.map(Into::into),
                headers: map("x-project-path", header),
                query: map("project_path", query),
                capabilities: capabilities.and_then(|text| raw(text.to_owned())),
                input_responses: reply
                    .and_then(|reply| raw(format!("{{\"{}\":{}}}", crate::INPUT_KEY, json_of(&reply)))),
                ..RequestFacts::default()
            }
        },
    )
}

/// An answer as JSON text.
pub(super) fn json_of(reply: &Reply) -> String {
    match reply {
        Reply::Roots(uris) => {
            let roots: Vec<_> = uris.iter().map(|uri| serde_json::json!({ "uri": uri })).collect();
            serde_json::json!({ "roots": roots }).to_string()
        }
        Reply::Junk(text) => text.clone(),
        Reply::Error(_) | Reply::Abandoned => "null".to_owned(),
    }
}

/// One step.
pub fn step() -> impl Strategy<Value = Step> {
    let ask_via = prop_oneof![
        4 => Just(None),
        1 => select([Some(AskVia::None), Some(AskVia::Request), Some(AskVia::InputRequired)].as_slice())
    ];
    const MESSAGES: [&str; 5] = [
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"rootwise-1\",\"result\":{\"roots\":[]}}",
        "[]",
        "not json",
    ];
    prop_oneof![
        2 => any::<bool>().prop_map(|roots| Step::Initialize { roots }),
        2 => Just(Step::Ready),
        6 => replies().prop_map(Step::Reply),
        1 => replies().prop_map(Step::StaleReply),
        2 => Just(Step::RootsChanged),
        8 => (ask_via, facts(), any::<bool>()).prop_map(|(ask_via, facts, explain)| Step::Ask { ask_via, facts, explain }),
        1 => Just(Step::AskRoots),
        2 => values().prop_map(Step::Select),
        1 => Just(Step::Unselect),
        1 => Just(Step::Withdraw),
        6 => vec(select(FOLDERS.as_slice()), 0..2)
            .prop_map(|missing| Step::Probe { missing: missing.into_iter().map(str::to_owned).collect() }),
        3 => select([1_u32, 100, 300, 5_000, 60_000].as_slice()).prop_map(Step::Wait),
        1 => select(MESSAGES.as_slice()).prop_map(|text| Step::Message(text.to_owned())),
        1 => Just(Step::Close),
    ]
}

/// Sequences of up to this many steps. Most begin with the handshake of a client that has roots.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    (proptest::bool::weighted(0.8), vec(step(), 0..most.saturating_add(1))).prop_map(|(handshake, steps)| {
        let opening = [Step::Initialize { roots: true }, Step::Ready];
        let opening = opening.into_iter().take(if handshake { 2 } else { 0 });
        opening.chain(steps).collect()
    })
}

/// Policies: every preset, and the recommended one with other rules.
pub fn policies() -> impl Strategy<Value = Policy> {
    let presets: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    let preset = select(presets).prop_filter_map("a preset", |name| Policy::preset(name).ok());
    let ask = select([RequestWhen::Eager, RequestWhen::Lazy, RequestWhen::EachRequest, RequestWhen::Never].as_slice());
    let pin = select([Pin::No, Pin::Sticky, Pin::Immutable].as_slice());
    let pick = select([Pick::First, Pick::Only].as_slice());
    let on_change = select([OnChange::Refetch, OnChange::Ignore].as_slice());
    let varied =
        (ask, pin, pick, on_change, 0_u32..4).prop_filter_map("a policy", |(ask, pin, pick, on_change, retries)| {
            let mut config = Policy::recommended().into_config();
            config.roots.ask = ask;
            config.roots.pick = pick;
            config.roots.on_change = on_change;
            config.memory.pin = pin;
            config.timing.retries = retries;
            Policy::try_from(config).ok()
        });
    prop_oneof![preset, varied]
}
