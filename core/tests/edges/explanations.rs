//! Explanations: what each source said.

use rootwise::wire;
use serde_json::{Value, json};

use super::{Play, answer};

#[test]
fn a_connection_explains_its_project() {
    let policy =
        json!({ "sources": [{ "from": "env", "read": ["A"], "verify": "none" }, { "from": "cwd", "verify": "none" }] });
    let mut play = Play::connected(policy, json!({ "env": { "A": "/work/a" }, "cwd": "/work/a" }));
    play.ask(json!({}));
    let explained: Value = serde_json::from_str(&wire::explain_json(&play.resolver)).unwrap();
    assert!(explained["text"].as_str().unwrap().starts_with("Project: a (/work/a), from env A\n"), "{explained}");
    let verdicts: Vec<&Value> = explained["tried"].as_array().unwrap().iter().map(|tried| &tried["verdict"]).collect();
    assert_eq!(verdicts, ["won", "agrees"]);
}

#[test]
fn a_pinned_project_wins_only_for_the_source_that_still_names_it() {
    let policy = json!({
        "sources": [{ "from": "roots", "verify": "none" }, { "from": "cwd", "verify": "none" }],
        "roots": { "ask": "never" },
        "memory": { "pin": "sticky" },
    });
    for (root, cwd, expected) in [
        ("file:///a", "/b", ["won", "disagrees"]),
        ("file:///b", "/b", ["disagrees", "disagrees"]),
        ("file:///b", "/a", ["disagrees", "agrees"]),
    ] {
        let mut play = Play::connected(policy.clone(), json!({ "cwd": cwd }));
        play.list(&["file:///a"]);
        play.ask(json!({}));
        play.list(&[root]);
        let output = play.ask(json!({ "explain": true }));
        assert_eq!(answer(&output)["project"]["key"], "/a");
        let tried = answer(&output)["explanation"]["tried"].as_array().unwrap();
        let verdicts: Vec<&Value> = tried.iter().map(|tried| &tried["verdict"]).collect();
        assert_eq!(verdicts, expected, "{root} {cwd}");
    }
}

#[test]
fn every_source_is_in_the_explanation_wherever_the_ask_ended() {
    let policy = json!({
        "sources": [{ "from": "roots", "verify": "none" }, { "from": "cwd" }],
        "roots": { "ask": "never", "pick": "only", "ambiguity": "error" },
    });
    let mut play = Play::connected(policy, json!({ "cwd": "/work" }));
    play.list(&["file:///a", "file:///b"]);
    let output = play.ask(json!({}));
    assert_eq!(answer(&output)["code"], "ambiguous");
    assert_eq!(answer(&output)["explanation"]["tried"].as_array().unwrap().len(), 2);
}

#[test]
fn a_refused_ask_explains_its_code_and_a_source_that_cannot_win_is_not_asked() {
    let policy =
        json!({ "sources": [{ "from": "argument", "verify": "none", "within": "anywhere" }, { "from": "cwd" }] });
    let mut play = Play::new(policy, json!({ "cwd": "/work" }));
    let output = play.ask(json!({ "explain": true, "facts": { "argument": "relative" } }));
    assert_eq!(answer(&output)["outcome"], "refused");
    assert_eq!(answer(&output)["explanation"]["code"], "relative");

    let output = play.ask(json!({ "explain": true, "facts": { "argument": "/work/a" } }));
    let verdicts: Vec<&Value> =
        answer(&output)["explanation"]["tried"].as_array().unwrap().iter().map(|tried| &tried["verdict"]).collect();
    assert_eq!(verdicts, ["won", "notAsked"]);
}
