//! What probes report, and who may use it.

use serde_json::{Value, json};

use super::{Play, action, answer, probed_paths};

fn walks() -> Value {
    json!({
        "sources": [
            { "from": "roots", "refine": { "tiers": [{ "names": ["package.json"] }], "levels": 2, "otherwise": "reject" } },
            { "from": "cwd", "refine": { "tiers": [{ "names": [".git"] }], "levels": 2, "otherwise": "reject" } },
        ],
        "roots": { "ask": "never" },
    })
}

#[test]
fn a_later_report_keeps_what_an_earlier_one_said_about_other_markers() {
    let mut play = Play::connected(walks(), json!({ "cwd": "/p/sub" }));
    assert_eq!(probed_paths(&play.ask(json!({}))), ["/p/sub", "/p"]);
    // The root needs other markers of the same folders, so the open probe does not cover it.
    assert_eq!(probed_paths(&play.list(&["file:///p/sub"])), ["/p/sub", "/p"]);
    let marked = json!({ "path": "/p", "found": "directory", "markers": [".git"] });
    let sub = json!({ "path": "/p/sub", "found": "directory" });
    play.feed(json!({ "type": "probed", "probe": 1, "paths": [sub, marked] }));
    let output = play.probed(2, &[("/p/sub", "directory"), ("/p", "directory")]);
    assert_eq!(probed_paths(&output), [""; 0]);
    assert_eq!(answer(&output)["project"]["key"], "/p");
    assert_eq!(answer(&output)["project"]["source"], "cwd");
}

#[test]
fn a_path_that_a_reply_left_out_is_probed_again_for_other_markers() {
    let mut play = Play::connected(walks(), json!({ "cwd": "/p/sub" }));
    play.ask(json!({}));
    play.probed(1, &[("/p/sub", "directory")]);
    assert_eq!(probed_paths(&play.list(&["file:///p/other"])), ["/p/other", "/p"]);
}

#[test]
fn a_root_that_left_the_list_is_probed_again_when_it_returns() {
    let mut play = Play::connected(json!({ "sources": [{ "from": "roots" }], "roots": { "ask": "never" } }), json!({}));
    assert_eq!(probed_paths(&play.list(&["file:///a"])), ["/a"]);
    play.probed(1, &[("/a", "directory")]);
    assert_eq!(probed_paths(&play.list(&["file:///a"])), [""; 0], "the same value needs no probe");
    assert_eq!(probed_paths(&play.list(&["file:///b"])), ["/b"]);
    assert_eq!(probed_paths(&play.list(&["file:///a"])), ["/a"]);
}

#[test]
fn a_probe_lasts_as_long_as_the_longest_wait_for_it_whatever_happens_meanwhile() {
    let mut play = Play::connected(json!({ "sources": [{ "from": "roots" }], "roots": { "ask": "never" } }), json!({}));
    assert_eq!(play.list(&["file:///a"])["deadline"], 5000);
    assert_eq!(play.feed_at(json!({ "type": "asked", "ask": 1 }), 1000)["deadline"], 6000);
    assert_eq!(play.feed_at(json!({ "type": "deadlineReached" }), 2000)["deadline"], 6000);
    let output = play.feed_at(json!({ "type": "deadlineReached" }), 6000);
    assert_eq!((&answer(&output)["outcome"], &output["deadline"]), (&json!("unresolved"), &Value::Null));
}

#[test]
fn a_host_that_never_replies_to_a_probe_is_not_asked_again_by_a_timer() {
    let mut play = Play::connected(json!({ "sources": [{ "from": "roots" }], "roots": { "ask": "never" } }), json!({}));
    // More than the host probes at the same time.
    let uris: Vec<String> = (0..8).map(|at| format!("file:///{at}{}", "x".repeat(3000))).collect();
    let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
    let output = play.list(&uris);
    assert!((1..8).contains(&probed_paths(&output).len()), "{output}");
    let output = play.feed_at(json!({ "type": "deadlineReached" }), 5000);
    assert_eq!((probed_paths(&output).len(), &output["deadline"]), (0, &Value::Null));
    assert!(!probed_paths(&play.list(&uris)).is_empty(), "a new list is probed");
}

#[test]
fn within_allowed_folders_a_folder_without_a_real_path_does_not_count() {
    let mut play = Play::new(json!({ "sources": [{ "from": "argument" }] }), json!({ "allowedDirs": ["/work"] }));
    play.ask(json!({ "facts": { "argument": "/work/a" } }));
    let output = play.probed(1, &[("/work/a", "directory")]);
    assert_eq!((&answer(&output)["outcome"], &answer(&output)["code"]), (&json!("refused"), &json!("outside")));
}

#[test]
fn a_value_that_must_only_exist_may_be_a_file() {
    for (verify, outcome) in [("exists", "resolved"), ("directory", "refused")] {
        let mut play = Play::new(
            json!({ "sources": [{ "from": "argument", "verify": verify, "within": "anywhere" }] }),
            json!({}),
        );
        play.ask(json!({ "facts": { "argument": "/work/a.code-workspace" } }));
        let output = play.probed(1, &[("/work/a.code-workspace", "file")]);
        assert_eq!(answer(&output)["outcome"], outcome, "{verify}");
    }
}

#[test]
fn a_share_is_accepted_without_proof_only_where_shares_are_probed() {
    let policy = json!({ "sources": [{ "from": "roots" }], "roots": { "ask": "never", "onUnusable": "accept" } });
    let mut play = Play::connected(policy.clone(), json!({ "style": "windows" }));
    play.list(&["file://host/share/a"]);
    assert_eq!(answer(&play.ask(json!({})))["outcome"], "unresolved");

    let mut play = Play::connected(policy, json!({ "style": "windows", "probeShares": true }));
    let output = play.list(&["file://host/share/a"]);
    assert_eq!(probed_paths(&output), [r"\\host\share\a"]);
    play.probed(1, &[(r"\\host\share\a", "missing")]);
    assert_eq!(answer(&play.ask(json!({})))["project"]["path"], r"\\host\share\a");
}

#[test]
fn a_root_on_another_machine_is_not_walked() {
    let mut policy = walks();
    policy["requirePath"] = false.into();
    let mut play = Play::connected(policy, json!({ "transport": "http" }));
    let output = play.list(&["file:///p/sub"]);
    assert!(action(&output, "probe").is_none(), "{output}");
    assert_eq!(answer(&play.ask(json!({})))["project"]["clientPath"], "/p/sub");
}

#[test]
fn a_probe_that_only_an_ask_waited_for_ends_without_an_announcement() {
    let policy = json!({ "sources": [{ "from": "argument" }, { "from": "roots" }], "roots": { "ask": "never" } });
    let mut play = Play::connected(policy, json!({}));
    play.list(&["file:///a"]);
    assert!(action(&play.probed(1, &[("/a", "directory")]), "announce").is_some());
    play.ask(json!({ "facts": { "argument": "/x" } }));
    let roots = json!({ "roots": [{ "uri": "file:///b" }] });
    play.feed_at(json!({ "type": "rootsListed", "result": roots }), 1000);
    let output = play.feed_at(json!({ "type": "deadlineReached" }), 5000);
    assert_eq!((&answer(&output)["code"], action(&output, "announce")), (&json!("unconfirmed"), None));
    let output = play.feed_at(json!({ "type": "deadlineReached" }), 6000);
    assert_eq!(action(&output, "announce").unwrap()["to"], Value::Null);
}

#[test]
fn a_pinned_folder_is_checked_alone() {
    let policy = json!({
        "sources": [{ "from": "cwd", "refine": { "tiers": [{ "names": [".git"] }], "levels": 3 } }],
        "memory": { "pin": "sticky" },
    });
    let mut play = Play::connected(policy, json!({ "cwd": "/work/a/sub", "allowedDirs": ["/work"] }));
    assert_eq!(probed_paths(&play.ask(json!({}))), ["/work/a/sub", "/work/a", "/work"]);
    let found = |path: &str, markers: Value| json!({ "path": path, "realPath": path, "found": "directory", "markers": markers });
    let paths = [found("/work/a/sub", json!([])), found("/work/a", json!([".git"])), found("/work", json!([]))];
    let output = play.feed(json!({ "type": "probed", "probe": 1, "paths": paths }));
    assert_eq!(answer(&output)["project"]["key"], "/work/a");
    assert_eq!(probed_paths(&play.ask(json!({}))), ["/work/a"]);
}

#[test]
fn a_remote_client_does_not_learn_that_a_link_leads_to_an_excluded_folder() {
    for (local, reason) in [(true, "excluded_dir"), (false, "outside")] {
        let policy = json!({ "sources": [{ "from": "roots" }], "roots": { "ask": "never" } });
        let host = json!({ "allowedDirs": ["/work"], "excludedDirs": { "home": ["/work/home"] }, "local": local });
        let mut play = Play::connected(policy, host);
        play.list(&["file:///work/link"]);
        play.ask(json!({}));
        let report = json!({ "path": "/work/link", "found": "directory", "realPath": "/work/home" });
        let mut output = play.feed(json!({ "type": "probed", "probe": 1, "paths": [report.clone()] }));
        if let Some(probe) = action(&output, "probe") {
            let probe = probe["probe"].clone();
            output = play.feed(json!({ "type": "probed", "probe": probe, "paths": [report] }));
        }
        assert_eq!(answer(&output)["explanation"]["tried"][0]["reason"], reason, "local {local}");
    }
}

#[test]
fn a_file_is_no_root_where_files_are_refused_and_control_characters_never_name_one() {
    let reason = |on_unusable: &str, uri: &str, path: &str| {
        let policy = json!({
            "sources": [{ "from": "roots", "verify": "exists" }],
            "roots": { "ask": "never", "files": "refuse", "onUnusable": on_unusable },
        });
        let mut play = Play::connected(policy, json!({}));
        if !probed_paths(&play.list(&[uri])).is_empty() {
            play.probed(1, &[(path, "file")]);
        }
        let output = play.ask(json!({}));
        let tried = &answer(&output)["explanation"]["tried"][0];
        (tried["reason"].clone(), tried["detail"].clone())
    };
    assert_eq!(reason("nextRoot", "file:///a", "/a"), (json!("not_directory"), Value::Null));
    assert_eq!(reason("accept", "file:///a%07", "/a\u{7}"), (json!("invalid"), json!("control")));
}

#[test]
fn only_the_system_folder_of_windows_is_excluded() {
    let policy = json!({ "sources": [{ "from": "cwd", "verify": "none" }] });
    for (cwd, outcome) in [
        (r"C:\Windows\System32\x", "unresolved"),
        (r"C:\Windows\Projects", "resolved"),
        (r"C:\Projects\System32", "resolved"),
    ] {
        let mut play = Play::new(policy.clone(), json!({ "style": "windows", "cwd": cwd }));
        assert_eq!(answer(&play.ask(json!({})))["outcome"], outcome, "{cwd}");
    }
}
