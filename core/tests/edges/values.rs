//! Values: which of several counts, and whose they are.

use rootwise::wire;
use serde_json::{Value, json};

use super::{Play, answer, code_or_key};

/// The outcome of two values of one source, after the host reported what is there.
fn of_two(source: Value, first: (&str, &str), second: (&str, &str)) -> String {
    let list = source["format"] == "list";
    let env = if list {
        json!({ "A": json!([first.0, second.0]).to_string() })
    } else {
        json!({ "A": first.0, "B": second.0 })
    };
    let mut whole =
        json!({ "from": "env", "read": if list { json!(["A"]) } else { json!(["A", "B"]) }, "verify": "directory" });
    whole.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
    let mut play = Play::new(json!({ "sources": [whole] }), json!({ "env": env }));
    play.ask(json!({}));
    let output = play.probed(1, &[first, second]);
    code_or_key(&output)
}

#[test]
fn of_several_values_the_first_usable_one_counts_unless_a_worse_one_ends_the_ask() {
    let (good, missing, file) = (("/good", "directory"), ("/missing", "missing"), ("/file", "file"));
    let some_end = json!({ "onBad": { "otherwise": "next", "not_directory": "error" } });
    assert_eq!(of_two(some_end.clone(), missing, good), "/good");
    assert_eq!(of_two(some_end.clone(), file, good), "not_directory");
    assert_eq!(of_two(some_end, missing, file), "not_directory");
    let all_end = json!({ "format": "list", "onBad": { "otherwise": "error" } });
    assert_eq!(of_two(all_end.clone(), missing, good), "/good");
    assert_eq!(of_two(all_end, missing, file), "missing");
}

#[test]
fn a_bad_argument_ends_the_ask_if_one_reason_says_so() {
    let argument = json!({ "from": "argument", "onBad": { "otherwise": "next", "relative": "error" } });
    let policy = json!({ "sources": [{ "from": "server", "verify": "none" }, argument] });
    let mut play = Play::new(policy, json!({}));
    let output = play.ask(json!({ "facts": { "server": "/work/a", "argument": "relative" } }));
    assert_eq!(answer(&output)["code"], "relative");
}

#[test]
fn the_path_map_is_for_values_of_the_client() {
    let map = json!([{ "from": "/work", "fromStyle": "posix", "to": "/mnt" }]);
    let sources = json!([
        { "from": "argument", "verify": "none", "within": "anywhere" },
        { "from": "env", "read": ["A"], "verify": "none" },
    ]);
    let mut play = Play::new(json!({ "sources": sources }), json!({ "pathMap": map, "env": { "A": "/work/a" } }));
    assert_eq!(answer(&play.ask(json!({})))["project"]["path"], "/work/a");
    let output = play.ask(json!({ "facts": { "argument": "/work/a" } }));
    assert_eq!(answer(&output)["project"]["path"], "/mnt/a");
}

#[test]
fn one_part_of_modern_metadata_makes_a_modern_call() {
    let policy = json!({ "sources": [{ "from": "roots", "verify": "none" }], "roots": { "ask": "never" } });
    let mut play = Play::connected(policy, json!({ "dedicated": false }));
    play.list(&["file:///a"]);
    assert_eq!(answer(&play.ask(json!({})))["outcome"], "resolved");
    for meta in [
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
        json!({ "io.modelcontextprotocol/clientCapabilities": { "roots": {} } }),
    ] {
        // It does not see the roots of the connection, and the policy lets nobody be asked.
        assert_eq!(answer(&play.ask(json!({ "facts": { "meta": meta } })))["outcome"], "unresolved");
    }
}

#[test]
fn whole_and_broken_numbers_of_seconds_have_one_order() {
    let newest = |first: Value, second: Value| {
        let session = |id: &str, at: Value| json!({ "id": id, "project": "/p", "updatedAt": at });
        let sessions = [session("first", first), session("second", second)];
        let request = json!({ "recoverSession": { "project": "/p", "sessions": sessions } });
        let found: Value = serde_json::from_str(&wire::call(&request.to_string())).unwrap();
        found["value"]["sessionId"].as_str().unwrap().to_owned()
    };
    assert_eq!(newest(json!(2.0), json!(2)), "first", "equal times keep their order");
    assert_eq!(newest(json!(2), json!(2.0)), "first");
    assert_eq!(newest(json!(2), json!(2.5)), "second");
    assert_eq!(newest(json!(-1), json!(-0.5)), "second");
    assert_eq!(newest(json!(0), json!(-0.5)), "first");
}

#[test]
fn a_scheme_begins_with_a_letter() {
    let policy = json!({ "sources": [{ "from": "selected", "verify": "none" }] });
    let mut play = Play::connected(policy, json!({}));
    assert_eq!(code_or_key(&play.select(json!({ "value": "1x://y" }))), "relative");
    assert_eq!(code_or_key(&play.select(json!({ "value": "x1://y" }))), "not_file_uri");
}

#[test]
fn a_text_that_is_only_a_path_is_mapped_and_a_uri_is_never_joined() {
    let map = json!([{ "from": "/work", "fromStyle": "posix", "to": "/mnt" }]);
    let code = |source: Value, argument: &str| {
        let mut whole = json!({ "from": "argument", "verify": "none", "within": "anywhere" });
        whole.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
        let mut play = Play::new(json!({ "sources": [whole] }), json!({ "pathMap": map, "cwd": "/cwd" }));
        code_or_key(&play.ask(json!({ "facts": { "argument": argument } })))
    };
    assert_eq!(code(json!({ "format": "path" }), "/work/a"), "/mnt/a");
    assert_eq!(code(json!({ "format": "path" }), "file:///work/a"), "relative");
    assert_eq!(code(json!({ "relative": "cwd" }), "a"), "/cwd/a");
    assert_eq!(code(json!({ "relative": "cwd" }), "file:a"), "relative");
}
