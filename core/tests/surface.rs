//! The public surface that hosts in Rust and the bindings use: policies in code, builders, and the functions of the wire.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

use std::collections::BTreeSet;

use rootwise::action::{Action, Outcome, RequestMethod};
use rootwise::event::{Asked, ClientInitialized, Event, RootsListed};
use rootwise::host::HostFacts;
use rootwise::path::name::project_slug;
use rootwise::path::uri::project_id;
use rootwise::policy::{Advice, Hint, Markers, Policy, PolicyConfig, Source, SourceKind, Tier};
use rootwise::session::RecoveryOutcome;
use rootwise::{PathStyle, Resolver, wire};
use serde_json::{Value, json};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const OPTIONS: &str = r#"{"host":{"style":"posix"}}"#;

#[test]
fn a_policy_written_in_code_decides() {
    let mut cwd = Source::new(SourceKind::Cwd);
    cwd.refine = Some(Markers::any_of([".git", "package.json"]));
    assert_eq!(cwd.refine.as_ref().unwrap().tiers, [Tier::new([".git", "package.json"])]);
    let mut config = PolicyConfig::new("mine", [Source::reading(SourceKind::Env, ["PROJECT"]), cwd]);
    config.hints.push(Hint::new([SourceKind::Env], "from the environment"));
    config.advice.push(Advice::new("set PROJECT"));
    let policy = Policy::try_from(config.clone()).unwrap();
    assert_eq!(policy.clone().into_config(), config);
    assert_eq!(PolicyConfig::default(), Policy::default().into_config());
    assert_eq!(SourceKind::Env.to_string(), "env");

    let mut host = HostFacts::new(PathStyle::Posix);
    host.env.insert("PROJECT".into(), "/work/a".into());
    let mut resolver = Resolver::builder(host).policy(policy.clone()).id_prefix("mine-").build().unwrap();
    let actions = resolver.handle(Asked::new(1).hints(true), 0_u64).unwrap();
    let [Action::Probe(probe)] = actions.as_slice() else { panic!("{actions:?}") };
    let reply =
        json!({ "type": "probed", "probe": probe.probe, "paths": [{ "path": "/work/a", "found": "directory" }] });
    let output = wire::handle(&mut resolver, &reply.to_string(), 0.0).unwrap();
    let Action::Answer(answer) = &output.actions[0] else { panic!("{output:?}") };
    assert!(matches!(&answer.outcome, Outcome::Resolved { project } if project.path.as_deref() == Some("/work/a")));
    assert_eq!(answer.hints, ["from the environment"]);

    let mut without = Resolver::new(policy, HostFacts::new(PathStyle::Posix)).unwrap();
    let actions = without.handle(Asked::new(1), 0_u64).unwrap();
    let Action::Answer(answer) = &actions[0] else { panic!("{actions:?}") };
    let Outcome::Unresolved(unresolved) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(unresolved.message, "No project was found: no source named one.");
    assert_eq!(unresolved.instruction.as_deref(), Some("set PROJECT"));
}

#[test]
fn payloads_become_events_and_requests_carry_the_prefix() {
    let mut resolver = Resolver::builder(HostFacts::new(PathStyle::Posix)).id_prefix("p-").build().unwrap();
    let capabilities = serde_json::value::RawValue::from_string(r#"{"roots":{}}"#.into()).unwrap();
    resolver.handle(ClientInitialized::default().capabilities(capabilities), 0_u64).unwrap();
    resolver.handle(Event::ClientReady, 0_u64).unwrap();
    let actions = resolver.handle(Asked::new(1), 0_u64).unwrap();
    let [Action::SendRequest(request)] = actions.as_slice() else { panic!("{actions:?}") };
    assert_eq!((request.method.as_str(), RequestMethod::RootsList.as_str()), ("roots/list", "roots/list"));
    assert!(request.message.contains(r#""id":"p-1""#), "{}", request.message);
    let result = serde_json::value::RawValue::from_string(r#"{"roots":[]}"#.into()).unwrap();
    let actions = resolver.handle(RootsListed::new(result).request(request.request), 0_u64).unwrap();
    assert!(actions.iter().any(|action| matches!(action, Action::Answer(_))));
    let bad = Resolver::builder(HostFacts::new(PathStyle::Posix)).id_prefix("a\nb").build().unwrap_err();
    assert_eq!(bad.place, "idPrefix");
}

#[test]
fn presets_are_found_by_name() {
    assert_eq!(Policy::preset("wolfram").unwrap().config().name, "wolfram");
    let error = Policy::preset("nobody's").unwrap_err();
    assert!(error.problem.starts_with("unknown preset `nobody's`, expected one of recommended, cocosearch"), "{error}");
}

#[test]
fn the_wire_opens_shows_saves_and_restores() {
    let mut resolver = wire::open(OPTIONS).unwrap();
    let listed = r#"{"type":"rootsListed","result":{"roots":[{"uri":"file:///a"}]}}"#;
    assert!(wire::handle_json(&mut resolver, listed, 0.0).contains("probe"));
    let view = parsed(&wire::view_json(&resolver));
    assert_eq!((&view["project"], &view["eventBytes"]), (&Value::Null, &json!(6_356_992)));
    assert_eq!(parsed(&wire::explain_json(&resolver))["roots"]["available"][0]["uri"], "file:///a");

    let mut cache = wire::PolicyCache::new();
    let restored = cache.restore(&resolver.snapshot(), OPTIONS, 0.0, Some("other-")).unwrap();
    assert_eq!(restored.roots(), resolver.roots());
    for (snapshot, options, code) in [
        ("junk", OPTIONS, "bad_snapshot"),
        (&*resolver.snapshot(), "{}", "bad_options"),
        (
            &*resolver.snapshot(),
            r#"{"host":{"style":"posix"},"policy":{"name":"x","sources":[{"from":"cwd"}]}}"#,
            "bad_snapshot",
        ),
    ] {
        let failure = cache.restore(snapshot, options, 0.0, None).unwrap_err();
        assert_eq!(parsed(&failure.to_json())["error"]["code"], code);
    }
    let failure = cache.restore(&resolver.snapshot(), OPTIONS, 0.5, None).unwrap_err();
    assert_eq!(failure.error.code, "bad_event");
}

#[test]
fn policies_are_cached_by_their_text_and_a_full_cache_starts_again() {
    let mut cache = wire::PolicyCache::new();
    let options = |at: usize| {
        let policy = json!({ "name": format!("p{at}"), "sources": [{ "from": "cwd" }] });
        json!({ "host": { "style": "posix" }, "policy": policy }).to_string()
    };
    let first = cache.open(&options(0)).unwrap();
    assert!(std::sync::Arc::ptr_eq(first.policy(), cache.open(&options(0)).unwrap().policy()));
    cache.open(&options(1)).unwrap();
    assert!(std::sync::Arc::ptr_eq(first.policy(), cache.open(&options(0)).unwrap().policy()));
    for at in 2..20 {
        assert_eq!(cache.open(&options(at)).unwrap().policy().config().name, format!("p{at}"));
    }
    assert!(!std::sync::Arc::ptr_eq(first.policy(), cache.open(&options(0)).unwrap().policy()));
}

#[test]
fn ready_made_tools_have_the_form_of_the_protocol() {
    let tools = &parsed(&wire::call(r#"{ "readyTools": {} }"#))["value"];
    let reads = json!({ "readOnlyHint": true });
    for (tool, name, annotations) in
        [("which", "which_project", &reads), ("switch", "switch_project", &Value::Null), ("list", "list_roots", &reads)]
    {
        assert_eq!((&tools[tool]["name"], &tools[tool]["annotations"]), (&json!(name), annotations));
        assert!(tools[tool]["title"].is_string() && tools[tool]["description"].is_string(), "{tools}");
    }
    assert_eq!(tools["list"]["inputSchema"], json!({ "type": "object", "properties": {} }));
    let mut schema = tools["switch"]["inputSchema"].clone();
    let description = schema["properties"]["project"]["description"].take();
    assert!(description.as_str().unwrap().contains("name of one of your roots"), "{description}");
    let project = json!({ "type": "string", "description": null });
    let wanted = json!({
        "type": "object",
        "properties": { "project": project },
        "required": ["project"],
        "additionalProperties": false,
    });
    assert_eq!(schema, wanted);
    assert!(wire::call(r#"{ "readyTools": { "other": 1 } }"#).contains("error"));
}

#[test]
fn functions_are_called_by_name() {
    for (arguments, expected) in [
        (json!({ "fileUriToPath": { "uri": "file:///a%20b", "style": "posix" } }), json!({ "value": "/a b" })),
        (json!({ "projectKey": { "uri": "file:///C:/A", "style": "windows" } }), json!({ "value": "C:\\A" })),
        (json!({ "isInside": { "root": "/a", "path": "/a/b", "style": "posix" } }), json!({ "value": true })),
        (
            json!({ "isInside": { "root": "/a", "path": "/a/b", "style": "posix", "real": { "root": "/a", "path": "/c" } } }),
            json!({ "value": false }),
        ),
        (json!({ "joinInside": { "project": "/a", "path": "b/../c", "style": "posix" } }), json!({ "value": "/a/c" })),
        (json!({ "basename": { "path": "/a/b", "style": "posix" } }), json!({ "value": "b" })),
        (json!({ "pathToFileUri": { "path": "/a b", "style": "posix" } }), json!({ "value": "file:///a%20b" })),
        (json!({ "projectId": { "key": "/a" } }), json!({ "value": project_id("/a") })),
        (json!({ "projectSlug": { "name": "a", "key": "/a" } }), json!({ "value": project_slug("a", "/a") })),
        (
            json!({ "pathProblem": { "problem": "outside", "folders": ["/a", "/b\u{202e}"] } }),
            json!({ "value": {
                "code": "outside",
                "message": "The path is outside the allowed folders, which are /a, /b. Pass a path inside one of them.",
            } }),
        ),
        (
            json!({ "pathProblem": { "problem": "tooLong", "length": 5000, "style": "posix" } }),
            json!({ "value": {
                "code": "invalid",
                "message": "The path has 5000 characters, and no path of this system has more than 4096; pass a shorter one.",
            } }),
        ),
        (json!({ "sanitizeName": { "name": "a/b", "form": "word" } }), json!({ "value": "a-b" })),
    ] {
        let value = parsed(&wire::call(&arguments.to_string()));
        assert_eq!(value, expected, "{arguments}");
    }
    let refused = wire::call(r#"{"joinInside":{"project":"/a","path":"../b","style":"posix"}}"#);
    assert_eq!(parsed(&refused)["error"]["code"], "outside");
    for text in ["", "{}", "[]", r#"{"nothing":{}}"#, r#"{"projectId":{"key":"/a"}} junk"#] {
        assert_eq!(parsed(&wire::call(text))["error"]["code"], "bad_options", "{text}");
    }
    let sessions =
        json!([{ "id": "a", "project": "/p", "updatedAt": 1.5 }, { "id": "b", "project": "/p", "updatedAt": 1.25 }]);
    let request = json!({ "recoverSession": { "project": "/p", "sessions": sessions } });
    let found = parsed(&wire::call(&request.to_string()));
    assert_eq!((&found["value"]["sessionId"], &found["value"]["outcome"]), (&json!("a"), &json!("newest")));
}

#[test]
fn codes_of_a_recovery_are_its_serialised_forms() {
    use RecoveryOutcome::{Explicit, Newest, NoProject, NoSession, Pinned, UnknownId};
    for outcome in [Explicit, Pinned, Newest, UnknownId, NoSession, NoProject] {
        assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.code());
    }
}

#[test]
fn events_without_fields_and_with_duplicates_are_told_apart() {
    let mut resolver = wire::open(OPTIONS).unwrap();
    for (event, problem) in [
        (r#"{"type":"clientReady","x":1}"#, "not an event at event.x: unknown field, this event has none"),
        (r#"{"type":"closed","type":"closed"}"#, "not an event at event.type: duplicate field"),
        (
            r#"{"type":"asked","ask":1,"facts":{"headers":{"x-project-path":"/a","x-project-path":"/b"}}}"#,
            "not an event at event.facts.headers: duplicate key",
        ),
    ] {
        let output = parsed(&wire::handle_json(&mut resolver, event, 0.0));
        assert_eq!(output["error"]["message"], problem);
    }
    let event: Event = serde_json::from_str(r#"{"type":"rootsChanged"}"#).unwrap();
    assert!(matches!(event, Event::RootsChanged(_)));
}

/// The variants of an enum, as its source lists them.
fn variants(source: &str, name: &str) -> BTreeSet<String> {
    let body = source.split_once(&format!("pub enum {name} {{")).unwrap().1.split_once("\n}").unwrap().0;
    let lines = body.lines().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    lines.map(|line| line.split(['(', ',']).next().unwrap().to_owned()).collect()
}

/// The types of events that were made, as their variants are named.
fn types<E: serde::Serialize>(events: &[E]) -> BTreeSet<String> {
    let name = |event: &E| {
        let value = serde_json::to_value(event).unwrap();
        let (first, rest) = value["type"].as_str().unwrap().split_at(1);
        first.to_uppercase() + rest
    };
    events.iter().map(name).collect()
}

#[test]
fn code_outside_the_crate_can_make_every_event() {
    use rootwise::endpoint::event::*;
    use rootwise::event::*;
    use rootwise::host::Transport;

    let raw = || serde_json::value::RawValue::from_string("{}".into()).unwrap();
    let facts = || HostFacts::new(PathStyle::Posix);
    let by = || SelectBy::Name("app".into());
    let paths = || vec![ProbedPath::new("/p", EntryKind::Directory)];
    let events: [Event; 15] = [
        ClientInitialized::default().capabilities(raw()).into(),
        Event::ClientReady,
        RootsListed::new(raw()).into(),
        UserAnswered::new(1, raw()).into(),
        RequestRefused::new(1, RefusalKind::Error).code(-32_601).into(),
        RootsChanged::new(true).into(),
        HostFactsChanged::new(facts()).into(),
        Asked::new(1).facts(RequestFacts::default()).into(),
        Selected::new(1, by()).into(),
        SelectionCleared::new(1).into(),
        AskWithdrawn::new(1).into(),
        Probed::new(1, paths()).into(),
        Event::DeadlineReached,
        Message::new("{}").into(),
        Event::Closed,
    ];
    assert_eq!(types(&events), variants(include_str!("../src/api/event.rs"), "Event"));

    let events: [EndpointEvent; 23] = [
        SessionOpened::new(1, Transport::Http).into(),
        SessionClosed::new(1).into(),
        SessionInitialized::new(1).into(),
        SessionReady::new(1).into(),
        SessionRootsChanged::new(1).into(),
        RequestSeen::new(1, raw()).into(),
        InputClosed::new(1).into(),
        SessionMessage::new(1, "{}").into(),
        ChannelOpened::new(1, 2).into(),
        ChannelClosed::new(2, ChannelEnd::Cut).into(),
        CallStarted::new(1).into(),
        CallReturned::new(1, false).into(),
        CallEnded::new(1).into(),
        CallAsked::new(1).into(),
        CallSelected::new(1, by()).into(),
        CallCleared::new(1).into(),
        EndpointAskWithdrawn::new(1).into(),
        RequestAnswered::new(1, raw()).into(),
        RequestRefused::new(1, RefusalKind::Abandoned).into(),
        EndpointProbed::new(1, paths()).into(),
        EndpointEvent::DeadlineReached,
        EndpointFactsChanged::new(facts()).into(),
        RootsWatched::new(true).into(),
    ];
    assert_eq!(types(&events), variants(include_str!("../src/endpoint/event.rs"), "EndpointEvent"));
}

/// Covers what no resolver is needed for; every binding runs the same cases.
#[test]
fn the_cases_of_functions_hold() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/functions");
    let cases = ["paths.json", "hosts.json"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
    let cases: Vec<Value> = cases.iter().flat_map(|text| serde_json::from_str::<Vec<Value>>(text).unwrap()).collect();
    assert!(cases.len() >= 80, "{} cases", cases.len());
    for case in &cases {
        assert_eq!(parsed(&wire::call(&case["call"].to_string())), case["expect"], "{}", case["name"]);
    }
}

#[test]
fn a_path_map_for_wsl_holds_every_drive_and_the_distribution() {
    let map = |text: &str, style: &str| {
        let call = json!({ "parsePathMap": { "text": text, "style": style } });
        parsed(&wire::call(&call.to_string()))["value"].as_array().unwrap().clone()
    };
    let [in_wsl, on_windows] = [map("wsl:Ubuntu", "posix"), map("wsl:Ubuntu", "windows")];
    assert_eq!((in_wsl.len(), on_windows.len()), (28, 29));
    assert_eq!(in_wsl[2], json!({ "from": "C:\\", "fromStyle": "windows", "to": "/mnt/c" }));
    assert_eq!(in_wsl[26], json!({ "from": r"\\wsl.localhost\Ubuntu", "fromStyle": "windows", "to": "/" }));
    assert_eq!(on_windows[2], json!({ "from": "/mnt/c", "fromStyle": "posix", "to": "C:\\" }));
    assert_eq!(on_windows[26], json!({ "from": "/", "fromStyle": "posix", "to": r"\\wsl.localhost\Ubuntu" }));
}

#[test]
fn a_path_map_of_the_operator_is_checked_when_a_machine_starts() {
    for host in [
        json!({ "style": "posix", "env": { "ROOTWISE_PATH_MAP": "/a=/b;nonsense" } }),
        json!({ "style": "posix", "arguments": { "path-map": "/a=/b;nonsense" } }),
    ] {
        let place = if host.get("env").is_some() { "ROOTWISE_PATH_MAP[1]" } else { "--path-map[1]" };
        for options in [json!({ "host": host }), json!({ "host": host, "machine": "endpoint" })] {
            let failure = wire::PolicyCache::new().machine(&options.to_string()).unwrap_err().to_json();
            assert!(failure.contains(&format!("bad options at {place}")), "{failure}");
        }
        let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix)).unwrap();
        let event = json!({ "type": "hostFactsChanged", "facts": host });
        let error = wire::handle(&mut resolver, &event.to_string(), 0.0).unwrap_err();
        assert!(error.to_string().contains(place), "{error}");
    }
}

/// A public function and how an example can call it.
fn functions(source: &str) -> Vec<[String; 3]> {
    let mut of_type = "";
    let mut found = Vec::new();
    for line in source.lines() {
        if let Some(implemented) = line.strip_prefix("impl").filter(|_| line.ends_with('{')) {
            let named = implemented.rsplit(" for ").next().unwrap().trim_start_matches(|c| c != ' ').trim();
            of_type = named.split(['<', ' ']).next().unwrap();
        }
        if line == "}" {
            of_type = "";
        }
        let Some((before, after)) = line.split_once("fn ") else { continue };
        if before.trim_start().split(' ').next() != Some("pub") || before.contains("//") {
            continue;
        }
        let name = after.split(['(', '<']).next().unwrap();
        found.push(match (before.starts_with(' '), of_type) {
            (true, "") => continue,
            (true, of_type) => [name.to_owned(), format!("{of_type}::{name}"), format!(".{name}(")],
            (false, _) => [name.to_owned(), format!("{name}("), format!("{name}(")],
        });
    }
    found
}

fn sources(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        if path.is_dir() { sources(&path) } else { vec![std::fs::read_to_string(path).unwrap()] }
    };
    entries.flat_map(read).collect()
}

#[test]
fn every_public_function_is_called_in_an_example() {
    let sources = sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut examples = String::new();
    for source in &sources {
        let mut inside = false;
        for line in source.lines().map(str::trim_start) {
            let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start) else {
                inside = false;
                continue;
            };
            inside ^= line.starts_with("```");
            if inside {
                examples.push_str(line);
                examples.push('\n');
            }
        }
    }
    let functions: Vec<[String; 3]> = sources.iter().flat_map(|source| functions(source)).collect();
    assert!(functions.len() > 190, "{} functions", functions.len());
    let is_shown = |[_, path, call]: &&[String; 3]| examples.contains(path) || examples.contains(call);
    let without: Vec<&String> =
        functions.iter().filter(|function| !is_shown(function)).map(|[_, path, _]| path).collect();
    assert!(without.is_empty(), "no example calls {without:?}");
}
