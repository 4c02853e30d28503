//! `rootwise doctor` and `rootwise config`: the files of real clients, read and never changed.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod support;

use serde_json::{Value, json};
use support::{Folder, ROOTWISE, rootwise, said};

fn written(folder: &Folder, file: &str, content: &str) {
    let file = std::path::PathBuf::from(folder.at(file));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

fn examined(folder: &Folder) -> (Option<i32>, Value) {
    // Without a `rootwise` that somebody installed.
    rootwise(&["doctor", &folder.at("app/src")], &[("HOME", &folder.at("home")), ("PATH", "/usr/bin:/bin")])
}

#[test]
fn what_is_wrong_with_a_server_is_named_and_corrected() {
    let folder = Folder::new("doctor", &["app/.git", "app/src", "home", "other"]);
    let other = folder.at("other");
    let fixed = json!({ "command": ROOTWISE, "args": ["--repository", other] });
    written(
        &folder,
        "app/.mcp.json",
        &json!({ "mcpServers": { "fixed": fixed, "fine": { "command": ROOTWISE } } }).to_string(),
    );
    written(
        &folder,
        "home/.cursor/mcp.json",
        "{ // comment\n \"mcpServers\": { \"homeless\": { \"command\": \"no-such-program\", \"args\": [\"--in=${workspaceFolder}\"] }, \"odd\": { \"command\": 3 } } }",
    );
    written(
        &folder,
        "home/.codex/config.toml",
        &format!("[mcp_servers.behind]\ncommand = {ROOTWISE:?}\nargs = [\"run\", \"--\", \"x\"]\n"),
    );
    written(&folder, "app/.vscode/mcp.json", "{ \"servers\": ");
    // A client that says nothing, and one that says where it works.
    let behind = json!({ "mcpServers": { "told": { "command": ROOTWISE, "args": ["run", "--", "x"] } } }).to_string();
    written(&folder, "home/.codeium/windsurf/mcp_config.json", &behind);
    written(&folder, "home/.config/Claude/claude_desktop_config.json", &behind.replace("told", "untold"));
    let launched = json!({ "mcpServers": {
        "by npx": { "command": "npx", "args": ["-y", "rootwise@0.1.0", "run", "--", "x"] },
        "gone": { "command": "/nowhere/rootwise", "args": ["run", "--tools", "--", "x", "run"] },
        "far": { "url": "https://example.com/mcp" },
        "by uvx": { "command": "uvx", "args": ["--from", "rootwise", "rootwise", "run", "--", "x"] },
    } });
    written(&folder, "app/.cursor/mcp.json", &launched.to_string());
    let (status, value) = examined(&folder);
    assert_eq!((status, &value["project"]), (Some(1), &json!(folder.at("app"))), "{value}");
    let server =
        |name: &str| value["servers"].as_array().unwrap().iter().find(|server| server["name"] == name).unwrap().clone();
    let fixed = server("fixed");
    assert!(fixed["problems"][0].as_str().unwrap().contains(&format!("only {other}")), "{fixed}");
    let corrected: Value = serde_json::from_str(fixed["corrected"].as_str().unwrap()).unwrap();
    assert_eq!(corrected["mcpServers"]["fixed"]["args"], json!(["run", "--", ROOTWISE, "--repository", "{path}"]));
    assert_eq!(corrected["mcpServers"]["fixed"]["command"], ROOTWISE);
    assert_eq!((&server("fine")["problems"], &server("behind")["behindRun"]), (&json!([]), &json!(true)));
    assert_eq!(server("fine")["projectBehindRun"], folder.at("app"));
    assert!(server("fine")["startsIn"].as_str().unwrap().contains(&folder.at("app")));
    assert_eq!(server("told")["projectBehindRun"], folder.at("app"));
    for launched in ["by npx", "by uvx"] {
        assert_eq!(server(launched)["behindRun"], true, "{launched}");
    }
    if cfg!(target_os = "linux") {
        assert!(server("untold")["problems"][0].as_str().unwrap().contains("--project="));
        let corrected: Value = serde_json::from_str(server("untold")["corrected"].as_str().unwrap()).unwrap();
        let option = format!("--project={}", folder.at("app"));
        assert_eq!(corrected["mcpServers"]["untold"]["args"], json!(["run", option, "--", "x"]));
    }
    // A program that this PATH does not have is replaced by one that is there; what it starts stays.
    let corrected: Value = serde_json::from_str(server("gone")["corrected"].as_str().unwrap()).unwrap();
    let args = json!(["run", "--tools", "--", "x", "run"]);
    assert_eq!(corrected["mcpServers"]["gone"], json!({ "command": ROOTWISE, "args": args }));
    assert_eq!((&server("far")["url"], &server("far")["problems"]), (&json!("https://example.com/mcp"), &json!([])));
    let homeless = server("homeless")["problems"].to_string();
    assert!(homeless.contains("`no-such-program` is not found") && homeless.contains("your home folder"), "{homeless}");
    assert!(server("homeless")["corrected"].as_str().unwrap().contains("\"--in={path}\""));
    assert!(
        server("odd")["problems"].to_string().contains("`command` is no text") && server("odd")["corrected"].is_null()
    );
    let broken = value["servers"].as_array().unwrap().iter().find(|server| server["client"] == "vs-code").unwrap();
    assert!(broken["error"].is_string(), "{broken}");
    // Nothing was changed.
    assert!(std::fs::read_to_string(folder.at("app/.mcp.json")).unwrap().contains(&other));
}

#[test]
fn nothing_to_say_is_a_success() {
    let folder = Folder::new("doctor-none", &["app/.git", "app/src", "home"]);
    let (status, value) = examined(&folder);
    assert_eq!((status, &value["servers"]), (Some(0), &json!([])));
    let missing = folder.at("no-such-folder");
    let (status, text) = said(&["doctor", &missing]);
    assert!(status == Some(2) && text.contains("no-such-folder: no such folder"), "{text}");
}

#[test]
fn config_prints_the_entry_of_each_client() {
    let with = ["config", "claude-code", "--", "uvx", "mcp-server-git", "--repository", "{path}"];
    // Installed for good, by a launcher, and neither: its own file.
    let bin = std::path::Path::new(ROOTWISE).parent().unwrap().to_str().unwrap();
    for (variables, command) in [
        (vec![("PATH", bin)], vec!["rootwise"]),
        (vec![("PATH", bin), ("ROOTWISE_LAUNCHER", "npx -y rootwise")], vec!["npx", "-y", "rootwise"]),
        (vec![("PATH", "/nowhere")], vec![ROOTWISE]),
    ] {
        let (_, value) = rootwise(&with, &variables);
        let own = std::iter::once(&value["command"]).chain(value["args"].as_array().unwrap());
        let own: Vec<&str> = own.filter_map(Value::as_str).take_while(|word| *word != "run").collect();
        assert_eq!(own, command);
    }
    let (_, value) = rootwise(&with, &[("PATH", bin)]);
    assert!(value["files"][0].as_str().unwrap().contains(".mcp.json"), "{value}");
    let entry: Value = serde_json::from_str(value["entry"].as_str().unwrap()).unwrap();
    let server =
        json!({ "command": "rootwise", "args": ["run", "--", "uvx", "mcp-server-git", "--repository", "{path}"] });
    assert_eq!(entry, json!({ "mcpServers": { "mcp-server-git": server } }));
    let (_, text) = said(&["config", "codex", "--name", "mine", "--", "server"]);
    assert!(text.contains("[mcp_servers.mine]") && text.contains("command = \""), "{text}");
    let (status, text) = said(&["config", "nobody", "--", "server"]);
    assert!(status == Some(2) && text.contains("vs-code"), "{text}");
    let (status, text) = said(&["config", "cursr", "--", "server"]);
    assert!(status == Some(2) && text.contains("'cursor'"), "{text}");
}
