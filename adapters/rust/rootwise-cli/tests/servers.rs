//! The programs that speak MCP: `rootwise whereami` as a server, `rootwise call` as a client.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

mod support;

use serde_json::Value;
use support::{Folder, ROOTWISE, rootwise, said};

#[test]
fn call_gets_the_report_of_whereami_in_both_eras() {
    let folder = Folder::new("whereami", &["app/.git", "other"]);
    for era in ["legacy", "modern"] {
        let app = folder.at("app");
        let args = ["call", "--era", era, "--root", &app, "--tool", "whereami", "--", ROOTWISE, "whereami"];
        let (status, value) =
            rootwise(&args, &[("CLAUDE_PROJECT_DIR", &folder.at("other")), ("SECRET_TOKEN", "hidden")]);
        assert_eq!(status, Some(0), "{value}");
        let text = value["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("({era}), over stdio")), "{text}");
        assert!(text.contains("client      rootwise-call"), "{text}");
        assert!(text.contains(&format!("1. file://{app}")), "{text}");
        assert!(!text.contains("hidden\n"), "{text}");
        let report = &value["structuredContent"];
        let lines: Vec<&str> = report["report"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(lines.join("\n"), text);
        assert_eq!(report["choices"][0]["project"]["path"], app);
        let why = report["choices"][0]["why"].as_str().unwrap();
        assert!(why.starts_with("from roots; env (CLAUDE_PROJECT_DIR)"), "{why}");
        assert!(report["environment"]["hidden"].as_array().unwrap().contains(&"SECRET_TOKEN".into()));
    }
}

#[test]
fn call_behaves_like_a_client_of_the_table() {
    let folder = Folder::new("clients", &["app/.git"]);
    let app = folder.at("app");
    let report = |client: &str| {
        let args = ["call", "--client", client, "--root", &app, "--tool", "whereami", "--", ROOTWISE, "whereami"];
        rootwise(&args, &[("HOME", &folder.at(""))]).1["structuredContent"].clone()
    };
    // Declares roots and answers them, starts its servers in the project and sets a variable.
    let claude = report("claude-code");
    assert_eq!((&claude["client"]["name"], &claude["era"]), (&"claude-code".into(), &"modern".into()));
    assert_eq!((&claude["roots"]["state"], &claude["cwd"]), (&"ok".into(), &app.as_str().into()));
    assert_eq!(claude["environment"]["shown"]["CLAUDE_PROJECT_DIR"], app);
    // Each opens with its own revision.
    for (client, protocol) in [("gemini-cli", "2025-06-18"), ("cline-cli", "2024-11-05"), ("zed", "2025-11-25")] {
        assert_eq!(report(client)["protocol"], protocol, "{client}");
    }
    // Declares none, and starts its servers in the root of the file system.
    let cline = report("cline");
    assert_eq!((&cline["client"]["name"], &cline["era"]), (&"Cline".into(), &"legacy".into()));
    assert_eq!((&cline["roots"]["state"], &cline["cwd"]), (&"undeclared".into(), &"/".into()));
}

#[test]
fn call_carries_what_the_calls_of_the_client_say_and_answers_forms() {
    let folder = Folder::new("says", &["app/.git", "api/.git"]);
    let (app, api) = (folder.at("app"), folder.at("api"));
    let report = |client: &str, cwd: &str| {
        let args = ["call", "--client", client, "--root", &app, "--cwd", cwd, "--tool", "whereami", "--", ROOTWISE];
        rootwise(&[&args[..], &["whereami"]].concat(), &[]).1["structuredContent"].clone()
    };
    for (client, key) in [("codex", "x-codex-turn-metadata"), ("goose", "agent-working-dir")] {
        let report = report(client, &api);
        assert_eq!(report["choices"][0]["project"]["path"], app, "{client}: {report:#}");
        assert!(report.to_string().contains(key), "{client}: {report:#}");
    }
    // Two folders are open, and the server asks which one.
    let policy = folder.at("policy.json");
    let asking = r#"{"name":"asking","sources":[{"from":"selected"},{"from":"roots"}],"roots":{"pick":"only"},"elicit":"ambiguous"}"#;
    std::fs::write(&policy, asking).unwrap();
    let placed = |client: &[&str], form: &[&str]| {
        let called = [&["call", "--root", &app, "--root", &api, "--tool", "whereami"][..], client, form].concat();
        let served = ["--", ROOTWISE, "run", "--policy", &policy, "--", ROOTWISE, "whereami"];
        rootwise(&[&called[..], &served].concat(), &[]).1
    };
    for client in [&["--client", "claude-code"][..], &["--era", "legacy"], &["--era", "modern"]] {
        let chosen = placed(client, &["--form", r#"{"project":"api"}"#]);
        assert_eq!(chosen["structuredContent"]["cwd"], api, "{client:?}: {chosen:#}");
        // Nobody fills the form in: the client says what it says then, or has none.
        let left = placed(client, &[]);
        assert!(left["isError"] == true && left.to_string().contains("none was chosen"), "{client:?}: {left:#}");
    }
    let (status, text) = said(&["call", "--form", "[]", "--", ROOTWISE, "whereami"]);
    assert!(status == Some(2) && text.contains("--form must be a JSON object"), "{text}");
}

#[test]
fn call_lists_tools_and_reports_failures() {
    let folder = Folder::new("failures", &["plain"]);
    let (status, text) = said(&["call", "--", ROOTWISE, "whereami"]);
    assert_eq!(status, Some(0), "{text}");
    for tool in ["whereami", "which_project", "switch_project", "list_roots"] {
        assert!(text.lines().any(|line| line.starts_with(tool)), "{tool}: {text}");
    }
    let (status, text) = said(&["call", "--cwd", &folder.at("plain"), "--tool", "no_tool", "--", ROOTWISE, "whereami"]);
    assert!(status == Some(1) && text.contains("unknown tool no_tool"), "{text}");
    let (status, text) = said(&["call", "--", "no-such-program"]);
    assert!(status == Some(2) && text.contains("`no-such-program` cannot be started"), "{text}");
    let (status, text) = said(&["call", "--client", "nobody", "--", ROOTWISE, "whereami"]);
    assert!(status == Some(2) && text.contains("--clients"), "{text}");
    let (status, text) = said(&["call", "--clients"]);
    assert!(status == Some(0) && text.contains("claude-code"), "{text}");
}
