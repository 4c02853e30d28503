//! `rootwise doctor`: reads the configuration files of known clients, and says where each server would start and what is wrong with it.

use std::path::{Path, PathBuf};

use rootwise::clients::{KnownClient, RootsAnswer, StartedIn};
use rootwise::event::ClientInitialized;
use rootwise::host::Transport;
use rootwise::path::display::display;
use rootwise::path::uri::path_to_file_uri;
use rootwise::{PathStyle, Policy};
use rootwise_host::{host_facts_from, project_of as project_in, resolve_at_start};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::config::{before, by_launcher};
use crate::choices::{Known, decide};
use crate::command_line::Doctor;
use crate::configs::{Config, Server, configs};
use crate::output::{Answer, BAD, FAINT, Failure, GOOD, STRONG, styled};
use crate::policy::absolute;
use crate::program::launcher;

/// Characters of a path or a command line.
const SHOWN_CHARS: usize = 300;

pub(crate) fn doctor(options: &Doctor) -> Result<Answer, Failure> {
    let folder = absolute(options.folder.as_deref().unwrap_or_else(|| Path::new(".")))?;
    if !folder.is_dir() {
        return Err(Failure(format!("{}: no such folder", display(&folder.display().to_string(), SHOWN_CHARS))));
    }
    let project = project_of(&folder);
    let home = std::env::home_dir();
    let (mut text, mut found, mut good) = (String::new(), Vec::new(), true);
    for config in configs() {
        for (scope, file) in config.files(&project, home.as_deref()) {
            let Ok(content) = std::fs::read_to_string(&file) else { continue };
            let shown = display(&file.display().to_string(), SHOWN_CHARS);
            text.push_str(&format!(
                "{} {}\n",
                styled(STRONG, &shown),
                styled(FAINT, format_args!("({}, {scope})", config.client))
            ));
            match config.read(&content, &project) {
                Err(error) => {
                    good = false;
                    text.push_str(&format!("  {}\n", styled(BAD, format_args!("cannot be read: {error}"))));
                    found.push(json!({ "file": shown, "client": config.client, "error": error }));
                }
                Ok(servers) => {
                    for server in servers {
                        if let Some(url) = server.url.as_ref().filter(|_| server.command.is_empty()) {
                            let url = display(url, SHOWN_CHARS);
                            let name = styled(STRONG, display(&server.name, SHOWN_CHARS));
                            let how = styled(
                                FAINT,
                                format_args!("{url} is reached over HTTP: its operator decides where it works"),
                            );
                            text.push_str(&format!("  {} {name}  {how}\n", styled(FAINT, "http")));
                            found.push(json!({ "file": shown, "client": config.client, "name": server.name, "url": url, "problems": [] }));
                            continue;
                        }
                        let case = Case::new(&config, scope, server, &project, home.as_deref());
                        good &= case.problems.is_empty();
                        text.push_str(&case.text(&config));
                        found.push(case.json(&config, &shown));
                    }
                }
            }
        }
    }
    if found.is_empty() {
        text = format!(
            "No configuration of a known client has a server, neither in {} nor in your home folder.",
            project.display()
        );
    }
    Ok(Answer { text, json: json!({ "project": project, "servers": found }), good })
}

/// The project that a person means who is in this folder.
fn project_of(folder: &Path) -> PathBuf {
    let policy = Policy::recommended();
    let mut facts = host_facts_from(Transport::Stdio, &policy, &[], |_| None);
    facts.cwd = folder.to_str().map(str::to_owned);
    let project = resolve_at_start(policy, facts).ok().flatten().and_then(|project| project.path.clone());
    project.map_or_else(|| folder.to_owned(), PathBuf::from)
}

/// One server of one client.
struct Case {
    server: Server,
    /// Where it would start.
    start: String,
    problems: Vec<String>,
    /// The folders of its arguments that `rootwise run` would fill in.
    fixed: Vec<String>,
    is_behind: bool,
    /// The same server behind `rootwise run`, where that is wrong.
    corrected: Option<Server>,
    /// The project that it gets behind `rootwise run`.
    project: Option<String>,
}

impl Case {
    fn new(config: &Config, scope: &str, server: Server, project: &Path, home: Option<&Path>) -> Self {
        let client = KnownClient::find(&config.client).ok();
        let own_run = run_at(&server);
        let is_behind = own_run.is_some();
        let start = start_of(client, scope, &server, project, home);
        let mut problems = Vec::new();
        let fixed: Vec<String> = if is_behind { Vec::new() } else { fixed_folders(&server) };
        for folder in &fixed {
            problems.push(format!("it serves only {}, whatever the client works in", display(folder, SHOWN_CHARS)));
        }
        if server.command.is_empty() {
            problems.push("its `command` is no text, so that no client can start it".into());
        } else if which::which(&server.command).is_err() {
            problems.push(format!("the program `{}` is not found on this PATH", display(&server.command, SHOWN_CHARS)));
        }
        let unfilled = server.args.iter().chain(server.env.values()).find(|word| word.contains("${workspaceFolder}"));
        if unfilled.is_some() && !["vs-code", "cursor"].contains(&config.client.as_str()) {
            problems.push("this client does not fill in ${workspaceFolder}".into());
        }
        if !is_behind && fixed.is_empty() && start != Start::Project {
            problems
                .push(format!("a server that trusts its working directory works in {}", start.words(project, home)));
        }
        let found = followed(client, &start, &server, project, home);
        if is_behind && found.is_none() {
            problems.push("this client does not say where it works; add --project=/absolute/path after `run`".into());
        }
        let corrected =
            own_run.filter(|_| !problems.is_empty()).map(|at| corrected_run(&server, at, project, found.is_none()));
        Self { start: start.words(project, home), server, problems, fixed, is_behind, corrected, project: found }
    }

    fn text(&self, config: &Config) -> String {
        let line =
            std::iter::once(&self.server.command).chain(&self.server.args).cloned().collect::<Vec<_>>().join(" ");
        let mark = if self.problems.is_empty() { styled(GOOD, "good") } else { styled(BAD, "look") };
        let name = styled(STRONG, display(&self.server.name, SHOWN_CHARS));
        let mut text = format!("  {mark} {name}  {}\n", styled(FAINT, display(&line, SHOWN_CHARS)));
        text.push_str(&format!("       starts in {}\n", self.start));
        let who = if self.is_behind { "works in" } else { "behind `rootwise run` it would work in" };
        if let Some(project) = &self.project {
            text.push_str(&format!("       {who} {}\n", display(project, SHOWN_CHARS)));
        }
        for problem in &self.problems {
            text.push_str(&format!("       {}\n", styled(BAD, problem)));
        }
        if let Some(entry) = self.corrected(config) {
            text.push_str(&format!("       {}\n", styled(FAINT, "this entry follows the client:")));
            text.extend(entry.lines().map(|line| format!("         {line}\n")));
        }
        text
    }

    /// The entry with `rootwise run`, where that changes something.
    fn corrected(&self, config: &Config) -> Option<String> {
        if let Some(corrected) = self.corrected.as_ref().filter(|corrected| **corrected != self.server) {
            return Some(config.entry(corrected));
        }
        let is_wrong = !self.is_behind && !self.problems.is_empty() && !self.server.command.is_empty();
        is_wrong.then(|| config.entry(&before(&self.server, &self.fixed)))
    }

    fn json(&self, config: &Config, file: &str) -> Value {
        json!({
            "file": file, "client": config.client, "name": self.server.name, "startsIn": self.start,
            "behindRun": self.is_behind, "projectBehindRun": self.project, "problems": self.problems, "corrected": self.corrected(config),
        })
    }
}

/// The project that the recommended policy finds for a server of this client, by what is known about the client.
fn followed(
    client: Option<&KnownClient>,
    start: &Start,
    server: &Server,
    project: &Path,
    home: Option<&Path>,
) -> Option<String> {
    let folder = project.to_str()?.to_owned();
    let declares = client.is_none_or(|client| client.declares_roots);
    let answers = |client: &KnownClient| matches!(client.answer, RootsAnswer::All | RootsAnswer::First);
    let is_listed = declares && client.is_none_or(answers);
    let capabilities = if declares { json!({ "roots": {} }) } else { json!({}) };
    let uri = path_to_file_uri(&folder, PathStyle::native());
    let known = Known {
        client: ClientInitialized::default().capabilities(to_raw_value(&capabilities).ok()),
        roots: is_listed.then(|| to_raw_value(&json!({ "roots": [{ "uri": uri }] })).ok()).flatten(),
        ..Known::default()
    };
    let policy = Policy::recommended();
    let of_client = client.map(|client| client.variables(&[folder], PathStyle::native())).unwrap_or_default();
    let variable = |name: &str| server.env.get(name).or_else(|| of_client.get(name)).cloned();
    let mut facts = host_facts_from(Transport::Stdio, &policy, &server.args, variable);
    let text = |folder: &Path| folder.to_str().map(str::to_owned);
    facts.cwd = match start {
        Start::Project => text(project),
        Start::Home => home.and_then(text),
        Start::Elsewhere(folder) => Some(folder.clone()),
        Start::Root | Start::Unknown => None,
    };
    project_in(decide(policy, facts, &known).ok()?).ok()?.path.clone()
}

/// The same server behind `rootwise run`, with a program that is there, and the project where nothing else names it.
fn corrected_run(server: &Server, at: usize, project: &Path, is_unknown: bool) -> Server {
    let mut server = server.clone();
    let option = is_unknown.then(|| format!("--project={}", project.display()));
    if which::which(&server.command).is_ok() {
        server.args.splice(at..at, option);
        return server;
    }
    let options = server.args.get(at..).unwrap_or_default();
    server.args = std::iter::once("run".to_owned()).chain(option).chain(options.iter().cloned()).collect();
    by_launcher(&launcher(), server)
}

/// Where the options of `rootwise run` begin, if the server is started by it already.
fn run_at(server: &Server) -> Option<usize> {
    let is_rootwise = |word: &str| {
        let stem = Path::new(word).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        // `npx rootwise@0.1.0`, `uvx rootwise==0.1.0`.
        stem.split(['@', '=']).next() == Some("rootwise")
    };
    let words = std::iter::once(&server.command).chain(&server.args);
    // The first word is the command.
    words
        .clone()
        .zip(words.skip(1))
        .position(|(word, next)| is_rootwise(word) && next == "run")
        .map(|at| at.saturating_add(1))
}

/// Arguments that name a folder which is there.
fn fixed_folders(server: &Server) -> Vec<String> {
    let value = |word: &String| word.split_once('=').map_or_else(|| word.clone(), |(_, value)| value.to_owned());
    server.args.iter().map(value).filter(|value| Path::new(value).is_absolute() && Path::new(value).is_dir()).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Start {
    Project,
    Home,
    Root,
    Elsewhere(String),
    Unknown,
}

impl Start {
    fn words(&self, project: &Path, home: Option<&Path>) -> String {
        match self {
            Self::Project => format!("the project, {}", display(&project.display().to_string(), SHOWN_CHARS)),
            Self::Home => {
                format!("your home folder, {}", home.map(|home| home.display().to_string()).unwrap_or_default())
            }
            Self::Root => "the root of the file system".into(),
            Self::Elsewhere(folder) => display(folder, SHOWN_CHARS),
            Self::Unknown => "the folder in which the client was started".into(),
        }
    }
}

/// Where a client starts a server of this file, by the table of clients.
fn start_of(client: Option<&KnownClient>, scope: &str, server: &Server, project: &Path, home: Option<&Path>) -> Start {
    match &server.cwd {
        Some(folder) if Path::new(folder) == project => Start::Project,
        Some(folder) if Some(Path::new(folder)) == home => Start::Home,
        Some(folder) => Start::Elsewhere(folder.clone()),
        None => match client.map(|client| client.cwd) {
            Some(StartedIn::Project) => Start::Project,
            // The editors that start servers at home do so for the user's own configuration.
            Some(StartedIn::Home) if scope == "project" => Start::Project,
            Some(StartedIn::Home) => Start::Home,
            Some(StartedIn::Root) => Start::Root,
            _ => Start::Unknown,
        },
    }
}
