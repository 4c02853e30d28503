//! What a connection remembers, and the asks that wait together.

use rootwise::wire;
use serde_json::{Value, json};

use super::{Play, action, answer};

fn roots_only() -> Value {
    json!({ "sources": [{ "from": "roots", "verify": "none" }] })
}

#[test]
fn a_pin_is_forgotten_if_the_roots_it_came_from_are_out_of_reach() {
    let policy = json!({
        "sources": [{ "from": "remembered" }, { "from": "roots", "verify": "none" }],
        "memory": { "pin": "sticky", "pinFrom": ["remembered"] },
        "roots": { "ask": "never" },
    });
    let mut play = Play::connected(policy, json!({}));
    play.list(&["file:///work/a"]);
    assert_eq!(answer(&play.ask(json!({})))["project"]["source"], "roots");
    assert_eq!(answer(&play.ask(json!({})))["project"]["source"], "remembered");
    play.feed(json!({ "type": "hostFactsChanged", "facts": { "style": "posix", "cwd": "/" } }));
    assert_eq!(answer(&play.ask(json!({})))["project"]["source"], "remembered", "a local client is within reach");
    play.feed(json!({ "type": "hostFactsChanged", "facts": { "style": "posix", "transport": "http" } }));
    assert_eq!(answer(&play.ask(json!({})))["code"], "other_machine");
}

#[test]
fn new_host_facts_leave_a_pin_and_a_selected_name_where_they_may_stay() {
    let policy = json!({
        "sources": [{ "from": "selected", "verify": "none" }, { "from": "roots", "verify": "none" }],
        "memory": { "pin": "sticky", "pinFrom": ["roots"] },
        "roots": { "ask": "never" },
        "selection": { "names": "any" },
        "requirePath": false,
    });
    let mut play = Play::connected(policy, json!({}));
    play.list(&["file:///work/a"]);
    play.list(&["file:///work/b"]);
    let changed = json!({ "type": "hostFactsChanged", "facts": { "style": "posix", "cwd": "/" } });
    play.feed(changed.clone());
    assert_eq!(answer(&play.ask(json!({})))["project"]["key"], "/work/a");
    play.select(json!({ "name": "mine" }));
    play.feed(changed);
    assert_eq!(answer(&play.ask(json!({})))["project"]["key"], "name:mine");
}

#[test]
fn a_remembered_root_is_known_by_its_folder_in_another_spelling() {
    let policy = json!({
        "sources": [{ "from": "remembered" }, { "from": "roots", "verify": "directory" }],
        "roots": { "ask": "never", "files": "parent" },
    });
    let mut play = Play::connected(policy, json!({}));
    play.list(&["file:///work/a/notes"]);
    play.probed(1, &[("/work/a/notes", "file")]);
    assert_eq!(answer(&play.ask(json!({})))["project"]["key"], "/work/a");
    play.list(&["file:///work/a/%6Eotes"]);
    play.probed(2, &[("/work/a", "directory"), ("/work/a/notes", "file")]);
    assert_eq!(answer(&play.ask(json!({})))["project"]["source"], "remembered");
}

#[test]
fn roots_are_read_again_by_new_host_facts() {
    let mut policy = roots_only();
    policy["roots"] = json!({ "ask": "never" });
    let mut play = Play::connected(policy, json!({}));
    play.list(&["file:///work/a"]);
    let map = json!([{ "from": "/work", "fromStyle": "posix", "to": "/mnt" }]);
    play.feed(json!({ "type": "hostFactsChanged", "facts": { "style": "posix", "pathMap": map } }));
    assert_eq!(answer(&play.ask(json!({})))["project"]["path"], "/mnt/a");
}

#[test]
fn asks_that_wait_together_are_answered_each_by_what_it_brought() {
    let policy = json!({ "sources": [{ "from": "roots", "verify": "none" }, { "from": "meta", "read": ["/p"], "verify": "none" }] });
    let mut play = Play::connected(policy, json!({}));
    play.ask(json!({}));
    play.ask(json!({ "target": "/b/file" }));
    play.ask(json!({ "explain": true }));
    let roots = json!({ "roots": [{ "uri": "file:///a" }, { "uri": "file:///b" }] });
    let output = play.feed(json!({ "type": "rootsListed", "request": 1, "result": roots }));
    let answers: Vec<&Value> =
        output["actions"].as_array().unwrap().iter().filter(|action| action["type"] == "answer").collect();
    let keys: Vec<&Value> = answers.iter().map(|answer| &answer["project"]["key"]).collect();
    assert_eq!(keys, ["/a", "/b", "/a"]);
    assert_eq!((answers[0].get("explanation"), answers[2].get("explanation").is_some()), (None, true));

    play.feed(json!({ "type": "rootsChanged" }));
    play.ask(json!({ "facts": { "meta": { "p": "/m1" } } }));
    play.ask(json!({ "facts": { "meta": { "p": "/m2" } } }));
    let output = play.feed(json!({ "type": "rootsListed", "request": 2, "result": { "roots": [] } }));
    let answers: Vec<&Value> =
        output["actions"].as_array().unwrap().iter().filter(|action| action["type"] == "answer").collect();
    assert_eq!((&answers[0]["project"]["key"], &answers[1]["project"]["key"]), (&json!("/m1"), &json!("/m2")));
}

#[test]
fn modern_calls_that_wait_for_one_probe_get_the_advice_of_their_own_client() {
    let policy = json!({
        "sources": [{ "from": "argument", "onBad": { "otherwise": "next" } }],
        "advice": [{ "client": "one", "text": "for one" }, { "client": "two", "text": "for two" }],
    });
    let mut play = Play::new(policy, json!({}));
    for client in ["one", "two"] {
        let facts = json!({ "argument": "/a", "capabilities": {}, "clientInfo": { "name": client } });
        play.ask(json!({ "facts": facts }));
    }
    let output = play.probed(1, &[("/a", "missing")]);
    let instructions: Vec<&Value> =
        output["actions"].as_array().unwrap().iter().filter_map(|action| action.get("instruction")).collect();
    assert_eq!(instructions, ["for one", "for two"]);
}

#[test]
fn what_one_ask_leaves_behind_counts_for_the_next_that_waits() {
    let policy = json!({ "sources": [{ "from": "remembered" }, { "from": "roots", "verify": "none" }] });
    let mut play = Play::connected(policy, json!({}));
    play.ask(json!({}));
    play.ask(json!({}));
    let result = json!({ "roots": [{ "uri": "file:///a" }] });
    let output = play.feed(json!({ "type": "rootsListed", "request": 1, "result": result }));
    let sources: Vec<&Value> = output["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|action| action["type"] == "answer")
        .map(|answer| &answer["project"]["source"])
        .collect();
    assert_eq!(sources, ["roots", "remembered"]);
}

#[test]
fn a_request_that_a_change_causes_belongs_to_the_ask_that_waits() {
    let mut policy = roots_only();
    policy["timing"] = json!({ "minIntervalMs": 0 });
    for push in [true, false] {
        let mut play = Play::connected(policy.clone(), json!({ "push": push }));
        play.ask(json!({}));
        play.feed(json!({ "type": "rootsChanged" }));
        let output = play.feed(json!({ "type": "rootsListed", "request": 1, "result": { "roots": [] } }));
        assert_eq!(action(&output, "sendRequest").unwrap()["relatesTo"], 1, "push {push}");
    }
}

#[test]
fn nothing_is_sent_before_the_client_is_ready() {
    let mut policy = roots_only();
    policy["roots"] = json!({ "ask": "eager" });
    let mut play = Play::new(policy, json!({}));
    play.feed(json!({ "type": "clientInitialized", "capabilities": { "roots": {} } }));
    assert_eq!(action(&play.feed(json!({ "type": "rootsChanged" })), "sendRequest"), None);
    assert!(action(&play.feed(json!({ "type": "clientReady" })), "sendRequest").is_some());
}

#[test]
fn a_deferred_request_outlives_a_snapshot_and_is_dropped_where_nobody_may_send_it() {
    let mut policy = roots_only();
    policy["timing"] = json!({ "minIntervalMs": 1000 });
    let deferred = |push: bool| {
        let mut play = Play::connected(policy.clone(), json!({ "push": push }));
        play.ask(json!({}));
        play.feed(json!({ "type": "rootsListed", "request": 1, "result": { "roots": [{ "uri": "file:///a" }] } }));
        let output = play.feed_at(json!({ "type": "rootsChanged" }), 10);
        (play, output["deadline"].clone())
    };
    assert_eq!(deferred(false).1, Value::Null);
    let (play, deadline) = deferred(true);
    assert_eq!(deadline, 1000);
    let mut named = policy.clone();
    named["name"] = "edges".into();
    let options = json!({ "policy": named, "host": { "style": "posix" } }).to_string();
    let restored = wire::PolicyCache::new().restore(&play.resolver.snapshot(), &options, 10.0, None).unwrap();
    assert_eq!(restored.deadline().map(|at| at.0), Some(1000));
}

#[test]
fn a_deferred_request_for_an_ask_stays_with_the_ask() {
    let mut policy = roots_only();
    policy["timing"] = json!({ "minIntervalMs": 1000 });
    let mut play = Play::connected(policy.clone(), json!({ "push": false }));
    play.ask(json!({}));
    play.feed_at(json!({ "type": "rootsChanged" }), 5);
    let interim = json!({ "type": "rootsListed", "request": 1, "result": { "roots": [] } });
    assert_eq!(play.feed_at(interim, 10)["deadline"], 1000);
    policy["name"] = "edges".into();
    let options = json!({ "policy": policy, "host": { "style": "posix", "push": false } }).to_string();
    let restored = wire::PolicyCache::new().restore(&play.resolver.snapshot(), &options, 10.0, None).unwrap();
    assert_eq!(restored.deadline(), None, "a snapshot has no asks");
}

#[test]
fn an_ask_sees_what_another_one_of_the_same_event_made_the_connection_remember() {
    let policy = json!({
        "sources": [{ "from": "roots", "verify": "none" }, { "from": "remembered" }],
        "roots": { "pick": "only", "ambiguity": "next" },
    });
    let mut play = Play::connected(policy, json!({}));
    play.ask(json!({}));
    play.ask(json!({ "target": "/work/b/file" }));
    // It is like the first one, which ends without a project in the same event.
    play.ask(json!({}));
    let roots = json!([{ "uri": "file:///work/a" }, { "uri": "file:///work/b" }]);
    let output = play.feed(json!({ "type": "rootsListed", "request": 1, "result": { "roots": roots } }));
    let answers = output["actions"].as_array().unwrap().iter().filter(|action| action["type"] == "answer");
    let ends: Vec<_> =
        answers.map(|answer| (&answer["asks"], &answer["outcome"], &answer["project"]["source"])).collect();
    let null = Value::Null;
    let expected = [
        (&json!([1]), &json!("unresolved"), &null),
        (&json!([2]), &json!("resolved"), &json!("roots")),
        (&json!([3]), &json!("resolved"), &json!("remembered")),
    ];
    assert_eq!(ends, expected);
}
