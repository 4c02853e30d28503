//! What holds for any input. Each function takes bytes and panics if a property does not hold; the fuzzer calls them with
//! inputs of its own, and `core/tests/corpus.rs` with the inputs in `corpus` and with random ones.
//!
//! The properties: no panic; a refused event has no effect; every output is JSON; text for people is safe to show; with
//! `allowedDirs` no project is outside, by its path and by its real path, on a disk full of links; the resolver takes every
//! reply to its own probes; one answer per ask; one request in flight.

mod text;
mod world;

use std::sync::Arc;

use rootwise::path::display::display;
use rootwise::path::name::{NameForm, project_slug, sanitize_name};
use rootwise::path::uri::{file_uri_to_path, path_to_file_uri, project_id, project_key};
use rootwise::path::{self, PathStyle};
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};
use serde_json::{Value, json};

use text::Texts;
pub use text::assert_safe;
use world::{POLICIES, World};

/// A raw JSON-RPC message from the client, and the same text as an event.
pub fn messages(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut world = World::new(&[]);
    world.start();
    world.event(&json!({ "type": "asked", "ask": 1 }));
    world.event(&json!({ "type": "message", "text": text }));
    world.text(&text);
    world.event(&json!({ "type": "asked", "ask": 2, "explain": true }));
}

/// A list of roots: a JSON result, or one URI per line. The first two bytes choose the policy and the host.
pub fn roots(data: &[u8]) {
    let (head, rest) = data.split_at(data.len().min(2));
    let text = String::from_utf8_lossy(rest);
    let mut world = World::new(head);
    world.start();
    world.event(&json!({ "type": "asked", "ask": 1, "explain": true }));
    world.event(&json!({ "type": "asked", "ask": 2, "want": "roots" }));
    let result = match serde_json::from_str::<Value>(&text) {
        Ok(result) => result,
        Err(_) => {
            let root = |line: &str| json!({ "uri": line, "name": line.chars().rev().collect::<String>() });
            json!({ "roots": text.lines().map(root).collect::<Vec<Value>>() })
        }
    };
    let in_call = json!({ "capabilities": { "roots": {} }, "inputResponses": { "rootwise": result } });
    world.event(&json!({ "type": "rootsListed", "request": 1, "result": result }));
    world.event(&json!({ "type": "asked", "ask": 3, "facts": in_call, "explain": true }));
    for (ask, line) in (4..).zip(text.lines().take(8)) {
        world.event(&json!({ "type": "selected", "ask": ask, "by": { "value": line }, "explain": true }));
    }
    world.event(&json!({ "type": "asked", "ask": 20, "target": text.lines().next() }));
    world.finish();
}

/// A path or URI in both styles. A line break separates two texts.
pub fn paths(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (one, other) = text.split_once('\n').unwrap_or((&text, "sub/folder"));
    for style in [PathStyle::Posix, PathStyle::Windows] {
        if let Ok(path) = file_uri_to_path(one, style) {
            assert_eq!(path::absolute(&path, style).as_deref(), Ok(path.as_str()), "the path of a URI is normal");
            if let Some(uri) = path_to_file_uri(&path, style) {
                let key = project_key(one, style);
                assert_eq!(project_key(&uri, style), key, "a URI made from the path has the same key");
            }
        }
        if let Ok(path) = path::absolute(one, style) {
            assert_eq!(path::absolute(&path, style).as_deref(), Ok(path.as_str()), "a normal path stays as it is");
            assert!(path::is_inside(&path, &path, style), "a path is inside itself");
            if let Some(parent) = path::parent(&path, style) {
                assert!(path::is_inside(&parent, &path, style), "a path is inside its parent");
            }
            if let Ok(joined) = path::join_inside(&path, other, style) {
                assert!(path::is_inside(&path, &joined, style), "{joined} is not inside {path}");
            }
        }
        let shown = display(one, 100);
        assert_safe(&shown, 1);
        assert!(shown.chars().count() <= 100, "a shown text is bounded");
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        assert!(sanitize_name(one, NameForm::Identifier).bytes().all(|byte| plain(byte) || byte == b'_'));
        let slug = project_slug(one, other);
        assert!(slug.len() <= 57 && slug.bytes().all(|byte| plain(byte) || byte == b'-'), "{slug}");
    }
    for policy in POLICIES.iter() {
        for key in policy.config().texts.keys() {
            let values = ["name", "path", "value", "reason", "list"].map(|name| (name, one));
            assert_safe(&policy.render(key, &values).unwrap(), usize::MAX);
        }
    }
    let _ = wire::call(&text);
}

/// A policy in JSON, and a connection under it.
pub fn policies(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let policy = match Policy::from_json(&text) {
        Ok(policy) => policy,
        Err(error) => return assert_safe(&error.to_string(), 1),
    };
    let written = serde_json::to_string(&policy.clone().into_config()).unwrap();
    assert_eq!(Policy::from_json(&written).as_ref(), Ok(&policy), "a policy can be written and read again");
    let mut world = World::with_policy(Arc::new(policy), data);
    world.texts = Texts::Anything;
    world.play(&data.iter().rev().copied().take(64).collect::<Vec<u8>>());
}

/// The state of a snapshot, with the check that it needs. The first two bytes choose the policy and the host.
pub fn snapshots(data: &[u8]) {
    let (head, rest) = data.split_at(data.len().min(2));
    let state = String::from_utf8_lossy(rest);
    let mut world = World::new(head);
    world.start();
    let real = world.resolver.snapshot();
    restored(&mut world, &state);
    let envelope: Value = serde_json::from_str(&real).unwrap();
    if serde_json::from_str::<&serde_json::value::RawValue>(&state).is_ok() {
        let (policy, version) = (&envelope["policy"], &envelope["rootwise"]);
        let check = project_id(state.trim());
        let state = state.trim();
        restored(
            &mut world,
            &format!(r#"{{"rootwise":{version},"policy":{policy},"check":"{check}","state":{state}}}"#),
        );
    }
}

fn restored(world: &mut World, snapshot: &str) {
    match Resolver::builder(world.host.clone()).policy(world.policy.clone()).restore(snapshot, 10_u64) {
        Err(error) => assert_safe(&error.to_string(), 1),
        Ok(resolver) => {
            let mut world = world.with(resolver);
            world.check_views();
            world.event(&json!({ "type": "asked", "ask": 1, "explain": true }));
            world.event(&json!({ "type": "rootsChanged" }));
            world.event(&json!({ "type": "asked", "ask": 2, "want": "roots" }));
            world.finish();
        }
    }
}

/// A whole connection: the first two bytes choose the policy and the host, the others the events.
pub fn sequences(data: &[u8]) {
    let (head, rest) = data.split_at(data.len().min(2));
    let mut world = World::new(head);
    world.play(rest);
    world.finish();
}
