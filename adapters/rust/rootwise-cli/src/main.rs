//! `rootwise`: which project is this, and what does this URI mean? For shells and editors; answers in JSON.
#![forbid(unsafe_code)]

mod arguments;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use arguments::{Command, Resolve, UsageError, parse};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::event::{Argument, RequestFacts};
use rootwise::host::Transport;
use rootwise::path::uri::{file_uri_to_path, path_to_file_uri, project_id};
use rootwise::path::{Refusal, absolute, basename, key};
use rootwise::{PathStyle, Policy};
use rootwise_host::{allow_only, host_facts, resolve_and_explain};
use serde_json::{Value, json};

const HELP: &str = "\
rootwise tells which project a folder belongs to, by the rules that MCP servers follow.

Usage:
  rootwise resolve [FOLDER] [OPTIONS]   The project of a folder, by default of the working directory
  rootwise uri VALUE [--style STYLE]    The folder that a file: URI names, or the URI of an absolute path

Options of resolve:
  --policy NAME|FILE     A preset, or a file with a policy in JSON; by default `recommended`
  --argument VALUE       A project that a call would name, as a path or file: URI
  --allowed-dir FOLDER   Accept projects inside this folder only; may be repeated
  --explain              Add the result of every source
  Options that the policy reads, such as --project=FOLDER, and its variables count as well.

Options of uri:
  --style STYLE          `posix` or `windows`; by default that of this system

  --help, --version

The answer is one JSON object on stdout: {\"project\": ...} or {\"error\": {\"code\", \"message\"}}.
Exit status: 0 with an answer, 1 without one, 2 for a mistake in the command line.
";

fn main() -> ExitCode {
    let argv = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match run(argv) {
        Ok(Output { text, found }) => {
            // A reader that went away needs no answer.
            let _ = writeln!(std::io::stdout(), "{text}");
            if found { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "rootwise: {error}\nTry `rootwise --help`.");
            ExitCode::from(2)
        }
    }
}

struct Output {
    text: String,
    found: bool,
}

impl Output {
    fn json(value: &Value, found: bool) -> Self {
        Self { text: format!("{value:#}"), found }
    }

    fn error(code: &str, message: &str) -> Self {
        Self::json(&json!({ "error": { "code": code, "message": message } }), false)
    }
}

fn run(argv: Vec<String>) -> Result<Output, UsageError> {
    match parse(argv)? {
        Command::Help => Ok(Output { text: HELP.trim_end().into(), found: true }),
        Command::Version => Ok(Output { text: format!("rootwise {}", env!("CARGO_PKG_VERSION")), found: true }),
        Command::Uri { value, style } => Ok(uri(&value, style.unwrap_or_else(PathStyle::native))),
        Command::Resolve(command) => resolve(command),
    }
}

fn resolve(command: Resolve) -> Result<Output, UsageError> {
    let policy = policy(command.policy.as_deref())?;
    command.check_options(&PolicyInputs::of(&policy).options)?;
    let mut host = host_facts(Transport::Stdio, &policy);
    if let Some(folder) = &command.folder {
        let folder = Path::new(folder);
        let folder =
            std::path::absolute(folder).map_err(|error| UsageError(format!("{}: {error}", folder.display())))?;
        host.cwd = folder.into_os_string().into_string().ok();
    }
    if !command.allowed_dirs.is_empty() {
        let folders = command.allowed_dirs.iter().map(|folder| std::path::absolute(folder).unwrap_or_default());
        allow_only(&mut host, folders).map_err(|error| UsageError(error.to_string()))?;
    }
    let facts = RequestFacts::default().argument(command.argument.map(Argument::from));
    let at_start = resolve_and_explain(policy, host, facts).map_err(|error| UsageError(error.to_string()))?;
    let mut answer = match &at_start.project {
        Ok(project) => json!({ "project": project }),
        Err(error) => {
            let mut shown = json!({ "code": error.code(), "message": error.message() });
            if let (Some(instruction), Some(shown)) = (error.instruction(), shown.as_object_mut()) {
                shown.insert("instruction".into(), instruction.into());
            }
            json!({ "error": shown })
        }
    };
    if let (true, Some(answer)) = (command.explain, answer.as_object_mut()) {
        answer.insert("explanation".into(), json!(at_start.explanation));
    }
    Ok(Output::json(&answer, at_start.project.is_ok()))
}

/// A preset by its name, else a file.
fn policy(chosen: Option<&str>) -> Result<Policy, UsageError> {
    let Some(chosen) = chosen else { return Ok(Policy::recommended()) };
    let preset = Policy::preset(chosen);
    if preset.is_ok() || !(chosen.contains(['/', '\\', '.']) || Path::new(chosen).exists()) {
        return preset.map_err(|error| UsageError(error.to_string()));
    }
    let text = std::fs::read_to_string(chosen).map_err(|error| UsageError(format!("--policy {chosen}: {error}")))?;
    Policy::from_json(&text).map_err(|error| UsageError(format!("--policy {chosen}: {error}")))
}

fn uri(value: &str, style: PathStyle) -> Output {
    match described(value, style) {
        Ok(answer) => Output::json(&answer, true),
        Err(refusal) => Output::error(refusal.code(), &refusal.to_string()),
    }
}

fn described(value: &str, style: PathStyle) -> Result<Value, Refusal> {
    let path = match absolute(value, style) {
        Ok(path) => path,
        Err(_) => file_uri_to_path(value, style)?,
    };
    let key = key(&path, style)?;
    Ok(json!({
        "path": path,
        "uri": path_to_file_uri(&path, style),
        "name": basename(&path, style),
        "id": project_id(&key),
        "key": key,
    }))
}
