//! Policies that are refused, the standard texts, and the advice.

use rootwise::policy::{Markers, Policy};
use serde_json::{Value, json};

use super::{Play, answer};

fn refused_at(members: Value) -> String {
    let mut policy = json!({ "name": "edges", "sources": [{ "from": "cwd" }] });
    policy.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    Policy::from_json(&policy.to_string()).map_or_else(|error| error.place, |_| String::new())
}

#[test]
fn a_text_needs_a_key_that_some_message_has() {
    for key in [
        "chosen.argument",
        "refused.argument",
        "rejected.missing",
        "refused.argument.missing",
        "unresolved.ambiguous",
        "log.disagreement",
        "host.any.thing",
    ] {
        assert_eq!(refused_at(json!({ "texts": { (key): "text" } })), "", "{key}");
    }
    for key in [
        "chosen.nothing",
        "refused.nothing",
        "refused.argument.nothing",
        "rejected.nothing.missing",
        "unresolved.nothing",
        "log.nothing",
        "refused.argument.missing.more",
    ] {
        assert_eq!(refused_at(json!({ "texts": { (key): "text" } })), format!("texts.{key}"));
    }
}

#[test]
fn an_invalid_source_is_named() {
    for (source, field) in [
        (json!({ "from": "configured", "read": ["$"] }), "read"),
        (json!({ "from": "meta", "read": ["project"] }), "read"),
        (json!({ "from": "env" }), "read"),
        (json!({ "from": "env", "read": ["A", "$HOME_DIR"] }), "read[1]"),
        (json!({ "from": "env", "read": ["A=B"] }), "read[0]"),
        (json!({ "from": "configured", "read": ["--project"] }), "read[0]"),
        (json!({ "from": "configured", "read": ["$$A"] }), "read[0]"),
        (json!({ "from": "header", "read": ["X Project"] }), "read[0]"),
        (json!({ "from": "header", "read": ["X-Project", "x:y"] }), "read[1]"),
        (json!({ "from": "cwd", "when": { "argument": "--here" } }), "when.argument"),
        (json!({ "from": "cwd", "read": ["A"] }), "read"),
        (json!({ "from": "cwd", "links": "follow", "verify": "none" }), "links"),
        (json!({ "from": "argument", "status": 399 }), "status"),
        (json!({ "from": "cwd", "refine": { "tiers": [] } }), "refine.tiers"),
        (json!({ "from": "cwd", "refine": { "tiers": [{ "names": ["a/b"] }] } }), "refine.tiers"),
        (json!({ "from": "cwd", "refine": { "tiers": [{ "names": ["a"] }], "levels": 0 } }), "refine.levels"),
    ] {
        assert_eq!(refused_at(json!({ "sources": [source] })), format!("sources[0].{field}"), "{source}");
    }
    for source in [
        json!({ "from": "meta", "read": ["/project"] }),
        json!({ "from": "configured", "read": ["project", "$PROJECT"] }),
        json!({ "from": "header", "read": ["X-Project_Path.2"] }),
        json!({ "from": "cwd", "links": "follow", "verify": "exists" }),
        json!({ "from": "argument", "links": "keep", "verify": "none", "status": 599 }),
    ] {
        assert_eq!(refused_at(json!({ "sources": [source] })), "", "{source}");
    }
}

#[test]
fn a_policy_without_sources_changes_the_recommended_one() {
    let changed = Policy::from_json(r#"{ "timing": { "callerTimeoutMs": 1000 } }"#).unwrap();
    assert_eq!(changed, Policy::recommended().with(|policy| policy.timing.caller_timeout_ms = 1_000).unwrap());
    assert_eq!(Policy::from_json("{}").unwrap(), Policy::recommended());
    let named = Policy::from_json(r#"{ "name": "mine", "texts": { "selected": "ok" } }"#).unwrap();
    assert_eq!((named.config().name.as_str(), named.config().texts.len()), ("mine", 1));
    assert_eq!(named.config().sources, Policy::recommended().config().sources);
    for (text, place) in [
        (r#"{ "timing": { "callerTimeoutMs": "soon" } }"#, "timing.callerTimeoutMs"),
        (r#"{ "timing": { "callerTimeoutMs": 0 } }"#, "timing.callerTimeoutMs"),
        (r#"{ "timing": 7 }"#, "timing"),
        (r#"{ "timimg": {} }"#, "timimg"),
        (r#"{ "sources": null }"#, "sources"),
        (r#"{ "sources": [] }"#, "the top"),
        ("7", "the top"),
        ("{", "line 1 column 1"),
    ] {
        assert_eq!(Policy::from_json(text).unwrap_err().place, place, "{text}");
    }
}

#[test]
fn a_tier_needs_at_least_one_marker_and_at_most_as_many_as_it_has() {
    for (at_least, place) in [(0, "sources[0].refine.tiers"), (1, ""), (2, ""), (3, "sources[0].refine.tiers")] {
        let refine = json!({ "tiers": [{ "names": ["a", "b"], "atLeast": at_least }] });
        assert_eq!(refused_at(json!({ "sources": [{ "from": "cwd", "refine": refine }] })), place, "{at_least}");
    }
    let markers: Markers = serde_json::from_value(json!({ "tiers": [{ "names": ["a"] }] })).unwrap();
    assert_eq!(markers.levels, 10);
}

#[test]
fn every_refusal_has_a_text_of_its_own() {
    let message = |output: &Value| answer(output)["message"].as_str().unwrap().to_owned();

    let mut play = Play::new(json!({ "sources": [{ "from": "argument" }] }), json!({}));
    play.ask(json!({ "facts": { "argument": "/work/a" } }));
    assert_eq!(message(&play.probed(1, &[("/work/a", "file")])), "The argument path is not a folder: /work/a");

    let selecting = json!({
        "sources": [{ "from": "selected", "verify": "none" }, { "from": "roots", "verify": "none" }],
        "roots": { "pick": "only", "ask": "never" },
        "selection": { "nameRule": "word" },
        "memory": { "pin": "immutable" },
    });
    let mut play = Play::connected(selecting, json!({}));
    assert_eq!(message(&play.select(json!({ "name": "a b" }))), "`a b` is not a usable project name.");
    assert_eq!(message(&play.select(json!({ "value": " " }))), "The selected project is empty.");
    play.list(&["file:///work/a", "file:///work/b"]);
    let ambiguous = message(&play.ask(json!({})));
    assert_eq!(ambiguous, "The client has several roots and none was chosen. Available: /work/a, /work/b");
    play.select(json!({ "path": "/work/a" }));
    let immutable = message(&play.select(json!({ "path": "/work/b" })));
    assert_eq!(immutable, "The project of this connection is `a` and cannot be changed.");
}

#[test]
fn advice_is_for_its_client_and_its_transport() {
    let advice = json!([
        { "transport": "http", "text": "over HTTP" },
        { "client": "another*", "text": "for another client" },
        { "transport": "stdio", "client": "mine*", "text": "for mine" },
        { "text": "for all" },
    ]);
    let mut play = Play::new(json!({ "sources": [{ "from": "cwd" }], "advice": advice }), json!({}));
    play.feed(json!({ "type": "clientInitialized", "clientInfo": { "name": "mine-1" } }));
    assert_eq!(answer(&play.ask(json!({})))["instruction"], "for mine");
}

#[test]
fn a_way_that_the_client_has_is_not_named_twice() {
    let policy = json!({ "sources": [{ "from": "configured", "read": ["dir", "$DIR"] }] });
    let mut play = Play::new(policy, json!({}));
    play.feed(json!({ "type": "clientInitialized", "clientInfo": { "name": "Zed" } }));
    let instruction = answer(&play.ask(json!({})))["instruction"].as_str().unwrap().to_owned();
    assert!(instruction.contains("`context_servers`"), "{instruction}");
    assert!(instruction.contains("set `DIR`"), "{instruction}");
    assert!(!instruction.contains("start this server"), "{instruction}");
}

#[test]
fn a_client_out_of_reach_is_not_told_to_select_and_only_http_servers_need_an_operator() {
    let policy = json!({ "sources": [{ "from": "selected" }, { "from": "roots" }], "roots": { "ask": "never" } });
    let instruction = |host: Value, require_path: bool| {
        let mut policy = policy.clone();
        policy["requirePath"] = require_path.into();
        let mut play = Play::new(policy, host);
        play.feed(json!({ "type": "clientInitialized" }));
        answer(&play.ask(json!({})))["instruction"].as_str().unwrap_or_default().to_owned()
    };
    let elsewhere = json!({ "transport": "stdio", "local": false, "selectTool": "set_project" });
    assert_eq!(instruction(elsewhere.clone(), true), "");
    assert!(instruction(elsewhere, false).contains("`set_project`"));
    assert!(instruction(json!({ "transport": "http" }), true).contains("`allowedDirs`"));
    assert_eq!(instruction(json!({ "transport": "http" }), false), "");
}
