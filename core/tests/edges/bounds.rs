//! The bounds, at the value where they begin.

use rootwise::event::{Argument, Asked, RequestFacts};
use rootwise::{Misuse, wire};
use serde_json::{Value, json};

use super::{Play, action, answer, probed_paths};

fn unverified(limits: Value) -> Value {
    json!({ "sources": [{ "from": "argument" }, { "from": "roots", "verify": "none" }], "limits": limits, "roots": { "ask": "never" } })
}

#[test]
fn an_answer_carries_other_roots_up_to_their_bytes_and_counts_the_rest() {
    let mut play = Play::connected(unverified(json!({})), json!({}));
    let uris: Vec<String> = (10..30).map(|at| format!("file:///{}{at}", "x".repeat(400))).collect();
    play.list(&uris.iter().map(String::as_str).collect::<Vec<_>>());
    let output = play.ask(json!({ "explain": true }));
    let project = &answer(&output)["project"];
    // A URI of 410 bytes and its path of 403: five of them are below 4 KiB, six are not.
    assert_eq!(project["otherRoots"].as_array().unwrap().len(), 5);
    assert_eq!(project["otherRootsOmitted"], 14);
    let roots = &answer(&output)["explanation"]["roots"];
    assert_eq!((roots["available"].as_array().unwrap().len(), &roots["omitted"]), (5, &json!(15)));
}

#[test]
fn a_message_lists_roots_as_far_as_there_is_room() {
    let listing = |value_chars: u32| {
        let policy = json!({
            "sources": [{ "from": "roots", "verify": "none" }],
            "limits": { "valueChars": value_chars },
            "roots": { "pick": "only", "ask": "never" },
        });
        let mut play = Play::connected(policy, json!({}));
        let roots = json!([{ "uri": "file:///a", "name": "one" }, { "uri": "file:///b", "name": "two" }]);
        play.feed(json!({ "type": "rootsListed", "result": { "roots": roots } }));
        let message = answer(&play.ask(json!({})))["message"].as_str().unwrap().to_owned();
        message.split_once("Available: ").unwrap().1.to_owned()
    };
    assert_eq!([listing(7), listing(8), listing(16)], ["2 more", "one (/a) and 1 more", "one (/a), two (/b)"]);
}

#[test]
fn a_native_event_is_measured_by_what_a_peer_wrote() {
    let mut play = Play::new(unverified(json!({ "eventBytes": 100 })), json!({}));
    let mut asked = |bytes: usize| {
        let headers = [("a".to_owned(), "b".repeat(50))].into();
        let facts = RequestFacts::default().argument(Argument::Text("x".repeat(bytes))).headers(headers);
        play.resolver.handle(Asked::new(1).facts(facts), 0_u64)
    };
    assert_eq!(asked(50).unwrap_err(), Misuse::EventTooLarge { bytes: 101, limit: 100 });
    assert!(asked(49).is_ok());
}

#[test]
fn a_text_is_measured_before_it_is_read_unless_it_answers_a_probe() {
    let mut play = Play::new(unverified(json!({ "eventBytes": 1000 })), json!({}));
    let most = 6 * 1000 + (64 << 10);
    let padded = |event: Value, length: usize| {
        let text = event.to_string();
        format!("{}{text}", " ".repeat(length - text.len()))
    };
    let asked = json!({ "type": "asked", "ask": 1, "facts": { "argument": "/work/a" } });
    let refused = wire::handle(&mut play.resolver, &padded(asked.clone(), most + 1), 0.0).unwrap_err();
    assert_eq!(refused.code(), "event_too_large");
    assert!(wire::handle(&mut play.resolver, &padded(asked, most), 0.0).is_ok());
    let reply = json!({ "type": "probed", "probe": 1, "paths": [{ "path": "/work/a", "found": "directory" }] });
    assert!(wire::handle(&mut play.resolver, &padded(reply, most + 1), 0.0).is_ok());
}

#[test]
fn the_host_probes_no_more_paths_than_allowed_and_the_rest_follows() {
    let mut play = Play::connected(unverified(json!({ "probePaths": 1 })), json!({}));
    assert_eq!(probed_paths(&play.ask(json!({ "facts": { "argument": "/a" } }))), ["/a"]);
    assert_eq!(probed_paths(&play.ask(json!({ "facts": { "argument": "/b" } }))), [""; 0]);
    assert_eq!(probed_paths(&play.probed(1, &[("/a", "directory")])), ["/b"]);
}

#[test]
fn the_connection_gets_its_probe_when_there_is_room() {
    let policy = json!({
        "sources": [{ "from": "argument" }, { "from": "roots" }],
        "limits": { "probePaths": 1 },
        "roots": { "ask": "never" },
    });
    let mut play = Play::connected(policy, json!({}));
    assert_eq!(probed_paths(&play.ask(json!({ "facts": { "argument": "/a" } }))), ["/a"]);
    assert_eq!(probed_paths(&play.list(&["file:///b"])), [""; 0]);
    assert_eq!(probed_paths(&play.probed(1, &[("/a", "directory")])), ["/b"]);
}

#[test]
fn no_path_is_added_once_the_paths_have_as_many_bytes_as_allowed() {
    let mut play = Play::new(unverified(json!({})), json!({}));
    for (at, letter) in ["a", "b"].into_iter().enumerate() {
        let path = format!("/{}", letter.repeat((8 << 10) - 1));
        assert_eq!(probed_paths(&play.ask(json!({ "facts": { "argument": path } }))), [path], "{at}");
    }
    assert_eq!(probed_paths(&play.ask(json!({ "facts": { "argument": "/e" } }))), [""; 0]);
}

#[test]
fn a_snapshot_holds_no_more_roots_than_the_policy_keeps() {
    let mut play = Play::connected(unverified(json!({})), json!({}));
    play.list(&["file:///a", "file:///b"]);
    let restore = |limits: Value| {
        let mut policy = unverified(limits);
        policy["name"] = "edges".into();
        let options = json!({ "policy": policy, "host": { "style": "posix" } }).to_string();
        wire::PolicyCache::new().restore(&play.resolver.snapshot(), &options, 0.0, None).map(|_| ())
    };
    assert!(restore(json!({ "roots": 2, "rootsBytes": 18 })).is_ok());
    for limits in [json!({ "roots": 1 }), json!({ "rootsBytes": 17 })] {
        assert_eq!(restore(limits).unwrap_err().error.code, "bad_snapshot");
    }
}

#[test]
fn a_wrong_type_is_not_called_an_unknown_field() {
    let mut play = Play::new(unverified(json!({})), json!({}));
    let mut message = |event: Value| play.feed(event)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message(json!({ "type": "asked", "ask": "x" })), "not an event at event.ask: expected u32");
    let headers = message(json!({ "type": "asked", "ask": 1, "facts": { "headers": [] } }));
    assert_eq!(headers, "not an event at event.facts.headers: expected a map");
    let unknown = message(json!({ "type": "askWithdrawn", "ask": 1, "more": 1 }));
    assert_eq!(unknown, "not an event at event.more: unknown field, expected `ask`");
    let facts = json!({ "style": "posix", "cwd": "relative" });
    assert!(message(json!({ "type": "hostFactsChanged", "facts": facts })).contains("host.cwd"));
    assert!(action(&play.ask(json!({})), "answer").is_some(), "the resolver goes on");
}

#[test]
fn ten_thousand_changes_with_an_open_stream_cause_two_requests() {
    let policy = json!({ "sources": [{ "from": "roots", "verify": "none" }] });
    let mut play = Play::connected(policy, json!({ "transport": "http", "local": true }));
    play.ask(json!({}));
    let answer = |request: u32| json!({ "type": "rootsListed", "request": request, "result": { "roots": [] } });
    play.feed_at(answer(1), 10);
    let mut sent = 0;
    for at in 0..10_000 {
        let output = play.feed_at(json!({ "type": "rootsChanged", "push": true }), 300 + at / 100);
        sent += u32::from(action(&output, "sendRequest").is_some());
    }
    assert_eq!(sent, 1, "one is in flight");
    let output = play.feed_at(answer(2), 410);
    assert!(action(&output, "sendRequest").is_none(), "the next one waits for the minimum interval");
    let output = play.feed_at(json!({ "type": "deadlineReached" }), 550);
    assert!(action(&output, "sendRequest").is_some());
    let output = play.feed_at(answer(3), 560);
    assert_eq!((action(&output, "sendRequest"), &output["deadline"]), (None, &Value::Null));
}

#[test]
fn the_folders_that_a_model_names_leave_nothing_on_the_connection() {
    let mut play = Play::new(json!({ "sources": [{ "from": "argument" }] }), json!({}));
    play.feed(json!({ "type": "clientInitialized", "capabilities": {} }));
    let mut kept = Vec::new();
    for at in 1..=1000 {
        let path = format!("/work/{at:04}");
        play.ask(json!({ "facts": { "argument": path } }));
        let report = json!({ "path": path, "found": "directory", "realPath": path, "markers": [".git"] });
        let output = play.feed(json!({ "type": "probed", "probe": at, "paths": [report] }));
        assert_eq!(answer(&output)["project"]["path"], path);
        kept.push(play.resolver.snapshot().len());
    }
    assert!(kept[999] < kept[0] + 16, "{} bytes became {}", kept[0], kept[999]);
}
