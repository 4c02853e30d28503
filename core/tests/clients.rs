//! The table of clients, `core/clients.json`: what `recommended`, the advice, the simulated clients and `docs/clients.md` take
//! from it, and that no outcome depends on it.
//!
//! `UPDATE_CLIENTS=1` writes all four. They are compiled into the next run, which tests them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

#[path = "clients/generated.rs"]
mod generated;
#[path = "support/vectors.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rootwise::clients::{ClientLike, KnownClient, RootsAnswer, SimulatedRoots, StartedIn};
use rootwise::host::HostFacts;
use rootwise::policy::{Policy, RECOMMENDED};
use rootwise::{PathStyle, Resolver};
use serde::Deserialize;
use serde_json::{Value, json};

use self::generated::{behaviours, page, sources, ways};

/// One client, or several that behave alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Client {
    client: String,
    /// `clientInfo.name` as seen; none where nobody has told.
    names: Vec<String>,
    /// The names that get these ways as advice; `*` at the end for any ending.
    #[serde(default)]
    patterns: Vec<String>,
    /// The revisions that it spoke when it was run.
    #[serde(default)]
    protocol: String,
    roots: Roots,
    cwd: String,
    #[serde(default)]
    env: Vec<Variable>,
    /// What it says of its folder in other ways.
    #[serde(default)]
    signals: Vec<String>,
    /// Where its calls name the conversation that they belong to.
    conversation: Option<Conversation>,
    /// What `npm run clients` saw, by the suite's names of clients.
    #[serde(default)]
    seen: BTreeMap<String, Seen>,
    /// Where its working directory is another folder than the project and nothing else tells.
    #[serde(default)]
    misleads: String,
    /// What its user can do to name a project, as parts of a sentence; `{option}` is the server's own option.
    #[serde(default)]
    ways: Vec<String>,
    known: Known,
    /// `owner/name`, with `#number` for an issue or `:path` for a file; what was run needs none.
    #[serde(default)]
    sources: Vec<String>,
}

/// How a row is known. In a row that was run, what was only read or reported is marked in the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    run: Option<Run>,
    /// Year and month in which the client's own source was read.
    read: Option<String>,
    /// Year and month of the newest report by others.
    reported: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    versions: Vec<String>,
    /// Year, month and day.
    date: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Roots {
    declared: String,
    list_changed: String,
    answer: String,
}

/// What the suite saw, with `{project}` for the folder in which it started the client and `{home}` for the client's home.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seen {
    Client(Box<SeenClient>),
    /// What each of two clients with a root of its own got.
    Gateway {
        #[allow(dead_code, reason = "the suite compares it")]
        clients: BTreeMap<String, String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the suite compares all of it, this test only what rows say too")]
struct SeenClient {
    /// `clientInfo.name`.
    name: String,
    protocol: String,
    capabilities: BTreeMap<String, Value>,
    /// The URIs of its answer; none where it was not asked.
    roots: Option<Vec<String>>,
    cwd: String,
    /// The variables that hold the project.
    env: Vec<String>,
    /// The keys in `_meta` of a call, without those of the protocol.
    meta: Vec<String>,
    /// JSON pointers into `_meta` to the project; `*` where it is a key.
    folders: Vec<String>,
    /// The project under the policy `recommended`, and its source.
    project: String,
    /// What it does with a form of the server where nobody can fill it in; none where it declares no elicitation.
    form: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    /// A JSON pointer into the `_meta` of a call.
    meta: String,
    known: How,
    #[serde(default)]
    note: String,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum How {
    Run,
    Read,
    Reported,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    format: Format,
    /// The client's own sources say so, and not only others.
    confirmed: bool,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Format {
    Path,
    List,
}

#[test]
fn recommended_is_what_the_table_gives() {
    let clients = clients();
    let mut lines = Vec::new();
    let mut written = false;
    for line in read(&recommended()).lines() {
        let is_variable = line.starts_with(r#"    { "from": "env""#);
        match is_variable {
            true if written => {}
            true => lines.extend(sources(&clients)),
            false => lines.push(line.to_owned()),
        }
        written |= is_variable;
    }
    settle(&recommended(), &(lines.join("\n") + "\n"));
}

#[test]
fn the_advice_is_what_the_table_gives() {
    settle(&repository().join("core/src/texts/client_advice.rs"), &ways(&clients()));
}

#[test]
fn the_simulated_clients_are_what_the_table_gives() {
    settle(&repository().join("core/src/clients/table.rs"), &behaviours(&clients()));
}

#[test]
fn the_page_is_what_the_table_gives() {
    settle(&repository().join("docs/clients.md"), &page(&clients()));
}

#[test]
fn rows_become_behaviour() {
    let seen = |name: &str| {
        let client = KnownClient::find(name).unwrap();
        (client.name, client.is_modern(), client.declares_roots, client.answer, client.cwd)
    };
    use RootsAnswer::{All, Empty, First, Refused, Silent};
    use StartedIn::{Home, Project, Root};
    assert!(KnownClient::all().len() > 40);
    assert_eq!(seen("claude-code"), ("claude-code", true, true, All, Project));
    assert_eq!(seen("cursor"), ("cursor-vscode", false, true, Silent, Home));
    assert_eq!(seen("VS Code"), ("Visual Studio Code", false, true, All, Project));
    assert_eq!(seen("zed"), ("Zed", false, false, Silent, Project));
    assert_eq!(seen("cline"), ("Cline", false, false, Refused, Root));
    assert_eq!(seen("copilot-cli"), ("copilot-cli", true, false, Empty, Project));
    assert_eq!(seen("opencode"), ("opencode", false, true, First, Project));
    assert_eq!(seen("amp").3, Refused);
    assert_eq!(KnownClient::find("cursor").unwrap().variables.len(), 2);
    let changes = |name: &str| KnownClient::find(name).unwrap().declares_changes;
    assert!(changes("claude-code") && changes("gemini-cli") && changes("theia"));
    assert!(!changes("cursor") && !changes("qwen-code") && !changes("goose"));
}

#[test]
fn what_was_seen_of_a_client_is_what_it_declares_says_and_answers() {
    let like = |name: &str| {
        let mut like = ClientLike::new(name, ["/work/shop", "/work/api"], PathStyle::Posix);
        like.conversation = Some("chat-7".into());
        json!(like.simulate().unwrap())
    };
    let forms = json!({ "form": {}, "url": {} });
    let claude = like("claude-code");
    assert_eq!(claude["capabilities"], json!({ "roots": { "listChanged": true }, "elicitation": forms }));
    assert_eq!((&claude["form"], &claude["meta"]), (&json!({ "action": "cancel" }), &json!({})));
    let codex = like("codex");
    assert_eq!(codex["capabilities"], json!({ "experimental": { "codex/auth-change": {} }, "elicitation": forms }));
    let workspaces = json!({ "workspaces": { "/work/shop": {} } });
    assert_eq!(codex["meta"], json!({ "threadId": "chat-7", "x-codex-turn-metadata": workspaces }));
    // It names its folder in another way too, to servers that want it.
    assert_eq!(codex["metaIfDeclared"], json!({ "codex/sandbox-state-meta": { "sandboxCwd": "/work/shop" } }));
    let goose = like("goose");
    assert_eq!(goose["meta"], json!({ "agent-session-id": "chat-7", "agent-working-dir": "/work/shop" }));
    assert_eq!((&goose["form"], goose.get("metaIfDeclared")), (&json!("silent"), None));
    assert_eq!(like("vs-code")["meta"], json!({ "vscode.conversationId": "chat-7" }));
    assert_eq!(like("chatgpt")["meta"], json!({ "openai/session": "chat-7" }));
    assert_eq!((&like("fastmcp-command")["form"], &like("cursor")["form"]), (&json!("failed"), &json!("refused")));
    assert_eq!(like("cursor")["capabilities"], json!({ "roots": {} }));
    for (id, seen) in clients().iter().flat_map(|row| &row.seen) {
        let Seen::Client(seen) = seen else { continue };
        let Ok(known) = KnownClient::find(&seen.name) else { continue };
        let declared: BTreeSet<_> = known.capabilities().into_iter().map(|(name, _)| name).collect();
        if KnownClient::all().iter().filter(|other| other.name == seen.name).count() == 1 {
            assert_eq!(declared, seen.capabilities.keys().cloned().collect::<BTreeSet<_>>(), "{id}");
        }
    }
}

#[test]
fn every_name_finds_its_client_and_others_get_the_nearest() {
    for client in KnownClient::all() {
        assert_eq!(KnownClient::find(&client.short()).unwrap().short(), client.short());
        // Several clients introduce themselves with the name of their SDK.
        assert_eq!(KnownClient::find(client.name).unwrap().name, client.name);
    }
    for (wrong, nearest) in [("crusor", "cursor"), ("cluade-code", "claude-code"), ("VSCode", "vs-code")] {
        let problem = KnownClient::find(wrong).unwrap_err().problem;
        assert!(problem.ends_with(&format!("`{nearest}`")), "{problem}");
    }
    let long = "x".repeat(1_000_000);
    assert!(KnownClient::find(&long).unwrap_err().problem.len() < 2_000);
    for nobody in ["", "-", "\u{202e}", "mcp-remote"] {
        assert!(KnownClient::find(nobody).is_err(), "{nobody}");
    }
}

#[test]
fn every_client_can_be_simulated_on_both_systems() {
    for client in KnownClient::all() {
        for (style, folder) in [(PathStyle::Posix, "/work/a b"), (PathStyle::Windows, r"C:\work\a b")] {
            for folders in [&[][..], &[folder], &[folder, folder]] {
                let like = ClientLike::new(client.short(), folders.iter().copied(), style).simulate().unwrap();
                assert_eq!(like.capabilities.contains_key("roots"), client.declares_roots);
                assert!(like.protocol_version <= "2025-11-25");
                assert!(like.env.values().all(|value| value == folder), "{:?}", like.env);
                if let SimulatedRoots::List(roots) = like.roots {
                    assert!(roots.len() <= 1 && roots.iter().all(|root| root.uri.starts_with("file:///")), "{roots:?}");
                }
            }
        }
    }
}

#[test]
fn every_row_can_be_checked() {
    for row in clients() {
        let client = &row.client;
        assert_eq!(row.ways.is_empty(), row.patterns.is_empty(), "{client}: ways and patterns go together");
        let lengths = |date: &str| date.split('-').map(str::len).collect::<Vec<_>>();
        let Known { run, read, reported } = &row.known;
        assert!(run.is_some() || read.is_some() || reported.is_some(), "{client}: nobody knows how this is known");
        for month in [read, reported].into_iter().flatten() {
            assert_eq!(lengths(month), [4, 2], "{client}: {month}");
        }
        if let Some(Run { versions, date }) = run {
            assert!(!versions.is_empty(), "{client}: which version was run?");
            assert_eq!(lengths(date), [4, 2, 2], "{client}: {date}");
        }
        if let Some(Conversation { meta, known, .. }) = &row.conversation {
            assert!(meta.starts_with('/'), "{client}: `{meta}` is not a JSON pointer");
            let is_known = match known {
                How::Run => run.is_some(),
                How::Read => read.is_some(),
                How::Reported => reported.is_some(),
            };
            assert!(is_known, "{client}: nobody knows how its conversations are known");
        }
        assert_eq!(run.is_some(), !row.protocol.is_empty(), "{client}: a run shows the protocol, and only a run");
        let has_others = read.is_some() || reported.is_some();
        assert_eq!(has_others, !row.sources.is_empty(), "{client}: what was read or reported has sources");
        for source in &row.sources {
            let repository = source.split(['#', ':']).next().unwrap();
            assert_eq!(repository.split('/').count(), 2, "{client}: {source}");
        }
    }
}

#[test]
fn no_row_contradicts_what_was_seen() {
    for row in clients() {
        assert_eq!(row.seen.is_empty(), row.known.run.is_none(), "{}: `npm run clients` runs what was run", row.client);
        for (id, seen) in &row.seen {
            let Seen::Client(seen) = seen else { continue };
            let is_name = |name: &String| match name.split_once('<') {
                Some((start, _)) => seen.name.starts_with(start),
                None => *name == seen.name,
            };
            assert!(row.names.iter().any(is_name), "{id}: `{}` is not among the names", seen.name);
            assert!(row.protocol.contains(&seen.protocol), "{id}: {} is not in the row", seen.protocol);
            let declares = seen.capabilities.contains_key("roots");
            assert_eq!(row.roots.declared == "yes", declares, "{id}: does it declare roots?");
            for name in &seen.env {
                let is_known = row.env.iter().any(|variable| variable.name == *name && variable.confirmed);
                assert!(is_known, "{id}: {name} holds the project");
            }
            if let Some(Conversation { meta, known: How::Run, .. }) = &row.conversation {
                let key = meta.trim_start_matches('/').replace("~1", "/");
                assert!(seen.meta.contains(&key), "{id}: no call has {meta}");
            }
        }
    }
}

#[test]
fn every_pattern_is_reached_and_every_client_gets_its_own_advice() {
    if std::env::var_os("UPDATE_CLIENTS").is_some() {
        println!("left out: the advice that this run writes is compiled into the next one");
        return;
    }
    let clients = clients();
    let patterns: Vec<&String> = clients.iter().flat_map(|row| &row.patterns).collect();
    for row in &clients {
        let Some(way) = row.ways.first() else { continue };
        let expected = way.replace("{option}", "project");
        let is_told = |name: &str| instruction(name, |_| {}).to_lowercase().starts_with(&expected.to_lowercase());
        for pattern in &row.patterns {
            assert!(is_told(pattern.trim_end_matches('*')), "`{pattern}` is hidden by another");
            assert_eq!(patterns.iter().filter(|other| **other == pattern).count(), 1, "`{pattern}` is there twice");
        }
        for name in &row.names {
            assert!(is_told(name), "{name}");
        }
    }
}

#[test]
fn a_client_behind_mcp_remote_gets_its_own_advice() {
    let over_http = |setup: &mut Value| setup["host"] = json!({ "style": "posix", "transport": "http", "local": true });
    for own in ["claude-code", "qwen-code-mcp-client"] {
        let advice = instruction(own, over_http);
        assert!(advice.starts_with("Start "), "{own}: {advice}");
        for gateway in [" (via mcp-remote 0.15.1)", " (via mcp-remote 0.15.1) (via mcp-remote 0.16.0)"] {
            assert_eq!(instruction(&format!("{own}{gateway}"), over_http), advice);
        }
    }
    // A policy can still give advice to those who come through the gateway.
    let through_gateway = |setup: &mut Value| {
        setup["policy"]["advice"] = json!([{ "client": "claude-code (via*", "text": "through a gateway" }]);
    };
    assert_eq!(instruction("claude-code (via mcp-remote 0.15.1)", through_gateway), "through a gateway");
    assert_eq!(instruction("claude-code-fork (via mcp-remote 0.15.1)", |_| {}), instruction("somebody-else", |_| {}));
}

#[test]
fn advice_names_only_what_this_server_reads() {
    let anybody = |change: fn(&mut Value)| instruction("somebody-else", change);
    assert_eq!(
        anybody(|_| {}),
        "Start this server with `--project=/absolute/path`, or set `ROOTWISE_PROJECT` in this server's environment."
    );
    let with_argument = anybody(|setup| setup["host"]["toolArgument"] = json!("repo"));
    assert_eq!(
        with_argument,
        "Pass the project path as `repo` in the call, or start this server with `--project=/absolute/path`."
    );
    let with_tool = anybody(|setup| setup["host"]["selectTool"] = json!("switch_project"));
    assert!(
        with_tool.starts_with("Call `switch_project` with the absolute path of the project, or start"),
        "{with_tool}"
    );
    let own = anybody(|setup| {
        setup["policy"] = json!({ "name": "own", "sources": [{ "from": "configured", "read": ["$MY_DIR"] }] });
        setup["host"]["toolArgument"] = json!("repo");
    });
    assert_eq!(own, "Set `MY_DIR` in this server's environment.");
    let over_http = anybody(|setup| setup["host"]["transport"] = json!("http"));
    assert!(over_http.contains("The operator of this server can set `local`"), "{over_http}");
    let in_reach = anybody(|setup| {
        setup["host"]["transport"] = json!("http");
        setup["host"]["allowedDirs"] = json!(["/srv"]);
    });
    assert_eq!(
        in_reach,
        "Send the project path in the `x-project-path` header or in the `project_path` query parameter."
    );
    assert_eq!(
        instruction("claude-ai", |setup| setup["policy"] = json!({ "name": "own", "sources": [{ "from": "roots" }] })),
        ""
    );
}

#[test]
fn without_the_table_every_vector_ends_the_same() {
    for path in support::files_for("resolver") {
        let vector = support::value(&path);
        let mut nameless = vector.clone();
        for step in nameless["steps"].as_array_mut().unwrap() {
            if let Some(client) = step["event"].get_mut("clientInfo") {
                client["name"] = json!("somebody-else");
            }
        }
        let policy = support::policy(&vector["policy"]);
        assert_eq!(run(&vector, &policy), run(&nameless, &policy), "{}", path.display());
    }
}

/// Everything a vector's events cause, without the texts that are for people and the client's name.
fn run(vector: &Value, policy: &Value) -> Vec<Value> {
    let policy = Arc::new(Policy::from_json(&policy.to_string()).unwrap());
    let host: Arc<HostFacts> = Arc::new(HostFacts::from_json(&vector["host"].to_string()).unwrap());
    let mut resolver = Resolver::new(policy.clone(), host.clone()).unwrap();
    let mut outputs = Vec::new();
    for step in vector["steps"].as_array().unwrap() {
        if let Some(restore) = step.get("restore") {
            let now = step["now"].as_u64().unwrap();
            let mut builder = Resolver::builder(host.clone()).policy(policy.clone());
            if let Some(prefix) = restore["idPrefix"].as_str() {
                builder = builder.id_prefix(prefix);
            }
            resolver = builder.restore(&resolver.snapshot(), now).unwrap();
            continue;
        }
        let event = step["eventText"].as_str().map_or_else(|| step["event"].to_string(), ToOwned::to_owned);
        let output = rootwise::wire::handle_json(&mut resolver, &event, step["now"].as_f64().unwrap());
        let mut output = serde_json::from_str(&output).unwrap();
        forget_texts(&mut output);
        outputs.push(output);
    }
    outputs
}

fn forget_texts(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for text in ["message", "instruction", "text", "client"] {
                members.remove(text);
            }
            members.values_mut().for_each(forget_texts);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_texts),
        _ => {}
    }
}

/// What a client of this name is told to do where nothing was found.
fn instruction(name: &str, change: fn(&mut Value)) -> String {
    let policy: Value = serde_json::from_str(RECOMMENDED).unwrap();
    let mut setup = json!({ "policy": policy, "host": { "style": "posix" } });
    change(&mut setup);
    let policy = Policy::from_json(&setup["policy"].to_string()).unwrap();
    let host = HostFacts::from_json(&setup["host"].to_string()).unwrap();
    let mut resolver = Resolver::new(Arc::new(policy), Arc::new(host)).unwrap();
    let mut handle = |event: Value| rootwise::wire::handle_json(&mut resolver, &event.to_string(), 0.0);
    handle(json!({ "type": "clientInitialized", "capabilities": {}, "clientInfo": { "name": name } }));
    handle(json!({ "type": "clientReady" }));
    let output: Value = serde_json::from_str(&handle(json!({ "type": "asked", "ask": 1 }))).unwrap();
    assert_eq!(output["actions"][0]["outcome"], "unresolved");
    output["actions"][0]["instruction"].as_str().unwrap_or_default().to_owned()
}

fn clients() -> Vec<Client> {
    serde_json::from_str(&read(&repository().join("core/clients.json"))).unwrap()
}

/// The file must hold the text; with `UPDATE_CLIENTS` it does so afterwards.
fn settle(file: &Path, text: &str) {
    if std::env::var_os("UPDATE_CLIENTS").is_some() {
        std::fs::write(file, text).unwrap();
    }
    let up_to_date = file.exists() && read(file) == text;
    assert!(up_to_date, "{} is out of date: UPDATE_CLIENTS=1 cargo test -p rootwise --test clients", file.display());
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

fn recommended() -> PathBuf {
    repository().join("core/presets/recommended.json")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
