//! The program as shells and editors start it.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

mod support;

use std::process::Command;

use serde_json::Value;
use support::{Folder, ROOTWISE, said};

fn folder(name: &str) -> Folder {
    Folder::new(name, &["app/src", "app/.git", "plain"])
}

/// Exit status, output as JSON, and the text of errors.
fn rootwise(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(ROOTWISE);
    command.args(args).arg("--json").env_clear().envs(variables.iter().copied());
    let output = command.output().unwrap();
    let value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), value, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn resolve_finds_the_marked_folder_above() {
    let folder = folder("marked");
    let (status, value, _) = rootwise(&["resolve", &folder.at("app/src")], &[]);
    assert_eq!((status, value["project"]["path"].as_str()), (Some(0), Some(folder.at("app").as_str())));
    assert_eq!(value["project"]["source"], "cwd");
    assert!(value.get("explanation").is_none());
}

#[test]
fn resolve_reads_what_the_policy_reads_and_explains() {
    let folder = folder("reads");
    let (_, value, _) = rootwise(&["resolve", "--explain"], &[("ROOTWISE_PROJECT", &folder.at("plain"))]);
    assert_eq!(value["project"]["via"], "$ROOTWISE_PROJECT");
    assert!(value["explanation"]["tried"].as_array().unwrap().len() > 5);
    let (_, value, _) = rootwise(&["resolve", "--project", &folder.at("app")], &[]);
    assert_eq!(value["project"]["name"], "app");
    let (status, value, _) = rootwise(&["resolve", "--argument", "not/absolute"], &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (Some(1), Some("relative")));
}

#[test]
fn resolve_takes_a_policy_file_and_names_its_faults() {
    let folder = folder("policy");
    let file = folder.at("policy.json");
    std::fs::write(&file, r#"{"name": "mine", "sources": [{"from": "env", "read": ["MINE"]}]}"#).unwrap();
    let app = folder.at("app");
    let (status, value, _) = rootwise(&["resolve", "--policy", &file], &[("MINE", &app)]);
    assert_eq!((status, value["project"]["path"].as_str()), (Some(0), Some(app.as_str())));
    let (status, value, _) = rootwise(&["resolve", "--policy", &file], &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (Some(1), Some("no_project")));
    std::fs::write(&file, r#"{"name": "mine", "sources": [{"from": "root"}]}"#).unwrap();
    let (status, _, text) = rootwise(&["resolve", "--policy", &file], &[]);
    assert_eq!(status, Some(2));
    assert!(text.contains("sources[0].from: unknown variant `root`"), "{text}");
}

#[test]
fn resolve_stays_inside_allowed_folders() {
    let folder = folder("allowed");
    let (app, plain) = (folder.at("app"), folder.at("plain"));
    let (status, ..) = rootwise(&["resolve", "--argument", &app, "--allowed-dir", &app], &[]);
    assert_eq!(status, Some(0));
    let (status, value, _) = rootwise(&["resolve", "--argument", &plain, "--allowed-dir", &app], &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (Some(1), Some("outside")));
}

#[test]
fn a_path_map_comes_from_the_environment_and_the_command_line_and_is_checked_at_start() {
    let folder = folder("mapped");
    let app = folder.at("app");
    let map = format!(r"C:\code={app};/home/me={app}");
    let named = ["resolve", "--allowed-dir", &app, "--argument", r"c:\Code\src"];
    for (words, env) in
        [(named.to_vec(), vec![("ROOTWISE_PATH_MAP", &*map)]), ([&named[..], &["--path-map", &map]].concat(), vec![])]
    {
        let (status, value, _) = rootwise(&words, &env);
        let project = &value["project"];
        assert_eq!((status, project["path"].as_str()), (Some(0), Some(&*format!("{app}/src"))), "{value}");
        assert_eq!(project["clientPath"].as_str(), Some(r"C:\code\src"));
    }
    for (words, place) in [
        (vec!["resolve"], "ROOTWISE_PATH_MAP[1]"),
        (vec!["run", "--", ROOTWISE, "whereami"], "ROOTWISE_PATH_MAP[1]"),
        (vec!["whereami"], "ROOTWISE_PATH_MAP[1]"),
        (vec!["resolve", "--path-map", "/a=b"], "--path-map[0].to"),
        (vec!["run", "--path-map=x", "--", ROOTWISE, "whereami"], "--path-map[0]"),
        (vec!["whereami", "--path-map=x"], "--path-map[0]"),
    ] {
        let (status, _, text) = rootwise(&words, &[("ROOTWISE_PATH_MAP", "/a=/b;nonsense")]);
        assert!(status != Some(0) && text.contains(&format!("bad options at {place}")), "{words:?}: {text}");
    }
}

#[test]
fn uri_converts_in_both_directions_and_styles() {
    let (status, value, _) = rootwise(&["uri", "file:///c%3A/My%20Code", "--style=windows"], &[]);
    assert_eq!(
        (status, value["path"].as_str(), value["name"].as_str()),
        (Some(0), Some(r"C:\My Code"), Some("My Code"))
    );
    let (_, back, _) = rootwise(&["uri", r"c:\My Code", "--style", "windows"], &[]);
    assert_eq!(back, value);
    let (status, value, _) = rootwise(&["uri", "https://example.com", "--style", "posix"], &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (Some(1), Some("not_file_uri")));
}

#[test]
fn people_read_lines_without_colours_in_pipes() {
    let folder = folder("people");
    let (status, text) = said(&["resolve", &folder.at("app/src")]);
    assert_eq!(status, Some(0));
    assert!(text.starts_with(&format!("{}\n  name  app\n  from  cwd", folder.at("app"))), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let (status, text) = said(&["uri", "file:///a%20b", "--style=posix"]);
    assert!(status == Some(0) && text.starts_with("/a b\n  uri   file:///a%20b\n"), "{text}");
    let (status, text) = said(&["resolve", "--argument", "not/absolute"]);
    assert!(status == Some(1) && text.contains("absolute"), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(ROOTWISE).args(["check", "recommended"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be written"));
    // A reader that has seen enough is no fault.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(ROOTWISE).args(["check", "recommended"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn every_command_explains_itself_and_refuses_mistakes_with_the_nearest_name() {
    for command in ["run", "record", "explain", "call", "check", "doctor", "config", "whereami", "resolve", "uri"] {
        let (status, text) = said(&[command, "--help"]);
        assert!(status == Some(0) && text.contains("Usage: rootwise"), "{command}: {text}");
        let (status, text) = said(&[command, "--version"]);
        assert!(status == Some(0) && text.contains(env!("CARGO_PKG_VERSION")), "{command}: {text}");
    }
    let (status, text) = said(&["resolve", "--explan"]);
    assert!(status == Some(2) && text.contains("'--explain'"), "{text}");
    let (status, text) = said(&["resolv"]);
    assert!(status == Some(2) && text.contains("'resolve'"), "{text}");
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = folder("unusable");
    let (status, text) = said(&["explain", &folder.at("plain")]);
    assert!(status == Some(2) && text.contains(&folder.at("plain")), "{text}");
    for option in ["--max=0", "--start-timeout=0"] {
        let (status, text) = said(&["run", option, "--", ROOTWISE, "whereami"]);
        assert!(status == Some(2) && text.contains("0 is not in 1.."), "{text}");
    }
    // A recording is not replaced for a server that cannot be started.
    let file = folder.at("session.ndjson");
    std::fs::write(&file, "kept").unwrap();
    let (status, text) = said(&["record", &file, "--", "no-such-server"]);
    assert!(status == Some(2) && text.contains("`no-such-server` cannot be started"), "{text}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
}

#[test]
#[cfg(unix)]
fn whereami_on_a_terminal_says_what_it_is_for() {
    let Some((status, text)) = support::on_terminal(&["whereami"], None) else { return };
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("This is an MCP server") && text.contains("rootwise call --root ."), "{text}");
    // The command is one that this person has.
    assert!(text.contains(&format!("{ROOTWISE:?}")) || text.contains(r#""command":"rootwise""#), "{text}");
}

#[test]
fn an_option_that_would_do_nothing_is_refused() {
    let folder = folder("nothing");
    let policy = folder.at("policy.json");
    std::fs::write(&policy, r#"{"name": "mine", "sources": [{"from": "roots"}]}"#).unwrap();
    let (status, text) = said(&["run", "--policy", &policy, "--argument", "repo", "--", ROOTWISE, "whereami"]);
    assert!(status == Some(2) && text.contains("--argument repo: the policy reads no argument"), "{text}");
    for command in [&["run"][..], &["record", &folder.at("session.ndjson")]] {
        let args: Vec<&str> = [command, &["--json", "--", ROOTWISE, "whereami"]].concat();
        let (status, text) = said(&args);
        assert!(status == Some(2) && text.contains("--json: this command prints no answer"), "{text}");
    }
    let (status, text) = said(&["resolve", "--policy", "recomended"]);
    assert!(status == Some(2) && text.contains("did you mean `recommended`?") && !text.contains(','), "{text}");
}

#[test]
fn a_program_reads_failures_as_well() {
    let (status, value, text) = rootwise(&["explain", "/no/such/file"], &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (Some(2), Some("cannot_run")));
    assert!(value["error"]["message"].as_str().unwrap().contains("/no/such/file"), "{value}");
    assert!(text.contains("/no/such/file"), "people read it in the log");
}

#[test]
#[cfg(unix)]
fn a_folder_whose_name_is_no_text_is_named() {
    use std::os::unix::ffi::OsStrExt;

    let name = std::ffi::OsStr::from_bytes(b"/\xff");
    let output = Command::new(ROOTWISE).arg("resolve").arg(name).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("/\u{fffd}: must be UTF-8"), "{text}");
}

#[test]
fn check_names_line_and_column_of_a_mistake() {
    let folder = folder("check");
    let file = folder.at("policy.json");
    std::fs::write(&file, "{\n  \"name\": \"mine\",\n  \"sources\": [{ \"from\": \"rots\" }]\n}\n").unwrap();
    let (status, text) = said(&["check", &file]);
    assert!(status == Some(1) && text.starts_with(&format!("{file}:3:25: unknown variant `rots`")), "{text}");
    std::fs::write(&file, "{\n  \"name\": \"mine\",,\n}").unwrap();
    let (status, value, _) = rootwise(&["check", &file], &[]);
    assert_eq!((status, &value["error"]["line"], &value["error"]["column"]), (Some(1), &2.into(), &18.into()));
    let (status, text) = said(&["check", "recomended"]);
    assert!(status == Some(2) && text.contains("did you mean `recommended`?") && !text.contains(','), "{text}");
    let (status, text) = said(&["check", "no-such-file.json"]);
    assert!(status == Some(2) && text.contains("Name a file, or one of the presets recommended"), "{text}");
}

#[test]
fn a_mistake_in_a_policy_has_the_position_in_its_file_and_no_other() {
    let folder = folder("check-position");
    let file = folder.at("policy.json");
    // It changes the recommended policy, and is parsed as a part of it.
    std::fs::write(&file, "{ \"name\": \"x\",\n  \"sorces\": [] }").unwrap();
    let (status, text) = said(&["check", &file]);
    assert!(status == Some(1) && text.contains("policy.json:2:") && text.contains("unknown field `sorces`"), "{text}");
    assert!(!text.contains(" at line "), "{text}");
    let (status, text) = said(&["resolve", "--policy", &file]);
    assert!(status == Some(2) && text.contains("sorces: unknown field") && !text.contains(" at line "), "{text}");
}

#[test]
fn check_says_in_words_what_a_policy_does() {
    let (status, text) = said(&["check", "recommended"]);
    assert_eq!(status, Some(0));
    for part in ["is a valid policy", "the roots of the client", "--project, $ROOTWISE_PROJECT", "CLAUDE_PROJECT_DIR"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_readme_shows_what_the_program_does() {
    let readme = include_str!("../README.md");
    let block = |language: &str| {
        let (_, rest) = readme.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    let folder = folder("readme");
    let home = folder.at("home/me");
    let app = folder.at("home/me/code/app");
    std::fs::create_dir_all(format!("{app}/src")).unwrap();
    std::fs::create_dir_all(format!("{app}/.git")).unwrap();
    std::fs::write(format!("{app}/policy.json"), r#"{"name": "mine", "sources": [{"from": "cwd"}]}"#).unwrap();
    let mut printed = Vec::new();
    for line in block("sh").lines() {
        let words = line.split('#').next().unwrap().split_whitespace().skip(1);
        let mut command = Command::new(ROOTWISE);
        command
            .args(words.map(|word| word.replace('~', &home)))
            .arg("--json")
            .current_dir(&app)
            .env_clear()
            .env("HOME", &home);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        printed.push(String::from_utf8(output.stdout).unwrap());
    }
    let said: Value = serde_json::from_str(&printed[0].replace(&folder.at(""), "")).unwrap();
    let promised: Value = serde_json::from_str(block("json")).unwrap();
    for (field, value) in promised["project"].as_object().unwrap() {
        assert_eq!(said["project"][field], *value, "{field}");
    }
}
