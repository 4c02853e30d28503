//! Roots that are no folders, and selections of them.

use serde_json::{Value, json};

use super::{Play, action, answer, code_or_key};

const CLOUD: &str = "vscode-vfs://github/a/b";

fn policy(roots: Value) -> Value {
    let mut policy = json!({
        "sources": [{ "from": "selected", "verify": "none" }, { "from": "roots", "verify": "none" }, { "from": "cwd", "verify": "none" }],
        "roots": { "ask": "never" },
        "selection": { "names": "any" },
        "requirePath": false,
    });
    policy["roots"].as_object_mut().unwrap().extend(roots.as_object().unwrap().clone());
    policy
}

fn with_list(roots: Value, uris: &[&str]) -> Play {
    let mut play = Play::connected(policy(roots), json!({ "cwd": "/cwd" }));
    play.list(uris);
    play
}

#[test]
fn a_root_that_is_no_folder_has_a_rule_of_its_own() {
    let outcome = |non_file: &str, on_unusable: &str, first: &str| {
        let rules = json!({ "nonFile": non_file, "onUnusable": on_unusable });
        let output = with_list(rules, &[first, "file:///a"]).ask(json!({}));
        code_or_key(&output)
    };
    assert_eq!(outcome("skip", "nextSource", CLOUD), "/a");
    assert_eq!(outcome("nextSource", "nextRoot", CLOUD), "/cwd");
    assert_eq!(outcome("error", "nextRoot", CLOUD), "not_file_uri");
    assert_eq!(outcome("skip", "error", CLOUD), "/a");
    let unfilled = "file:///${workspaceFolder}";
    assert_eq!(outcome("error", "nextRoot", unfilled), "/a");
    assert_eq!(outcome("nameOnly", "nextRoot", unfilled), "/a");
    assert_eq!(outcome("nameOnly", "nextSource", unfilled), "/cwd");
    assert_eq!(outcome("nameOnly", "nextRoot", CLOUD), format!("uri:{CLOUD}"));
}

#[test]
fn only_a_root_that_may_be_a_project_can_be_selected() {
    let code = |non_file: &str, uri: &str| {
        let output = with_list(json!({ "nonFile": non_file }), &[uri, "file:///a"]).select(json!({ "root": uri }));
        code_or_key(&output)
    };
    assert_eq!(code("skip", CLOUD), "not_file_uri");
    assert_eq!(code("nameOnly", CLOUD), format!("uri:{CLOUD}"));
    assert_eq!(code("nameOnly", "file:///${workspaceFolder}"), "placeholder");
}

#[test]
fn a_root_without_a_last_part_is_named_by_its_whole_uri() {
    let output = with_list(json!({ "nonFile": "nameOnly" }), &["cloud://"]).ask(json!({}));
    assert_eq!(answer(&output)["project"]["name"], "cloud://");
}

#[test]
fn a_name_need_not_be_a_root_where_nothing_enforces_it() {
    let output = with_list(json!({}), &["file:///a"]).select(json!({ "name": "mine" }));
    assert_eq!(answer(&output)["project"]["key"], "name:mine");
}

#[test]
fn a_selection_is_not_inside_a_root_that_is_no_folder() {
    let mut play = with_list(json!({}), &[CLOUD, "file:///a"]);
    assert_eq!(answer(&play.select(json!({ "path": "/b" })))["code"], "not_in_roots");
    assert_eq!(answer(&play.select(json!({ "path": "/a/b" })))["outcome"], "selected");
}

#[test]
fn a_list_that_junk_empties_is_not_an_empty_one() {
    let mut play = with_list(json!({ "nonObjects": "emptyList" }), &[]);
    assert_eq!(answer(&play.ask(json!({ "want": "roots" })))["state"], "empty");
    play.feed(json!({ "type": "rootsListed", "result": { "roots": [{ "uri": "file:///a" }, 1] } }));
    assert_eq!(answer(&play.ask(json!({ "want": "roots" })))["state"], "allInvalid");
}

#[test]
fn a_root_that_the_disk_does_not_confirm_is_accepted_where_the_policy_says_so() {
    for (on_unusable, key) in [("accept", "/a"), ("nextRoot", "/cwd")] {
        let mut policy = policy(json!({ "onUnusable": on_unusable }));
        policy["sources"][1]["verify"] = "directory".into();
        let mut play = Play::connected(policy, json!({ "cwd": "/cwd" }));
        play.list(&["file:///a"]);
        play.probed(1, &[("/a", "missing")]);
        assert_eq!(answer(&play.ask(json!({})))["project"]["key"], key, "{on_unusable}");
    }
}

#[test]
fn a_project_of_a_root_that_names_no_folder_of_this_machine_any_more_is_gone_at_once() {
    let policy = json!({
        "sources": [{ "from": "roots" }, { "from": "cwd", "verify": "directory" }],
        "roots": { "ask": "never", "barePaths": "repair" },
        "requirePath": false,
    });
    let mut play = Play::connected(policy, json!({ "local": false }));
    let listed = play.list(&["C:/code"]);
    assert_eq!(action(&listed, "announce").unwrap()["to"]["key"], "C:\\CODE");
    // The next source waits for the disk, and nothing is said about it yet.
    let facts = json!({ "style": "posix", "cwd": "/p" });
    let changed = play.feed(json!({ "type": "hostFactsChanged", "facts": facts }));
    assert_eq!(action(&changed, "announce").unwrap()["from"]["key"], "C:\\CODE");
    assert!(play.resolver.project().is_none());
}
