//! `rootwise run`: a server that knows nothing of projects, in the project of its client.

mod http;
mod lines;
mod message;
mod place;
mod process;
mod projects;
mod router;
mod shell;
mod signals;
mod streams;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::host::Transport;
use rootwise_host::resolve_at_start;

use crate::command_line::{Run, RunRoots};
use crate::output::Failure;
use crate::policy::absolute;
use crate::program;
use place::Place;
use process::Command;
use router::{SWITCH, Settings};
use shell::Setup;

pub(crate) fn run(options: &Run) -> Result<ExitCode, Failure> {
    let (name, args) = options.server.split_first().ok_or_else(|| Failure("name a server after `--`".into()))?;
    let maps_paths = options.roots == RunRoots::Client;
    let command = Arc::new(Command { program: program::find(name)?, args: args.to_vec(), maps_paths });
    let policy = Arc::new(options.policy.policy()?);
    if let Some(argument) = options.argument.as_ref().filter(|_| !PolicyInputs::of(&policy).argument) {
        return Err(Failure(format!(
            "--argument {argument}: the policy reads no argument of calls; add {{ \"from\": \"argument\" }} to its sources"
        )));
    }
    let transport = if options.http.is_some() { Transport::Http } else { Transport::Stdio };
    let mut facts = options.policy.facts(transport, &policy)?;
    facts.local = Some(true);
    facts.tool_argument.clone_from(&options.argument);
    facts.select_tool = options.tools.then(|| SWITCH.to_owned());
    let first = resolve_at_start(policy.clone(), facts.clone()).map_err(Failure::new)?;
    let first = first.and_then(|project| Place::of_project(&project));
    let waiting_room = WaitingRoom::open(options.start_in.as_deref())?;
    let start = waiting_room.folder().map(|folder| Place::of_folder(&folder));
    let settings = Settings {
        argument: options.argument.clone(),
        tools: options.tools,
        asks_early: options.http.is_none(),
        answer_roots: options.roots == RunRoots::Project,
        fallback: options.fallback,
        max: usize::from(options.max),
        restarts: options.restarts,
        start_timeout: Duration::from_secs(options.start_timeout),
        idle: Duration::from_secs(options.idle),
        meta_names: PolicyInputs::of(&policy).meta.iter().filter_map(|names| names.first().cloned()).collect(),
        name: PathBuf::from(name).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let idle = settings.idle;
    let setup = Setup { settings, command, policy, facts, first, start };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let code = runtime.block_on(async {
        match options.http {
            Some(port) => http::serve(setup, port, idle).await,
            None => shell::serve(&setup).await,
        }
    })?;
    // Threads that wait for a disk or a client do not delay the end.
    runtime.shutdown_background();
    drop(waiting_room);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Where a server waits for its project.
enum WaitingRoom {
    /// Empty, private, and removed at the end: a server that looks around finds nothing.
    Empty(tempfile::TempDir),
    Chosen(PathBuf),
    /// No server runs without a project.
    Closed,
}

impl WaitingRoom {
    fn open(chosen: Option<&std::path::Path>) -> Result<Self, Failure> {
        match chosen {
            Some(word) if word.as_os_str() == "none" => Ok(Self::Closed),
            Some(folder) => {
                let folder = absolute(folder)?;
                if folder.is_dir() {
                    return Ok(Self::Chosen(folder));
                }
                Err(Failure(format!("--start-in {}: no such folder; create it, or say `none`", folder.display())))
            }
            None => tempfile::Builder::new().prefix("rootwise-").tempdir().map(Self::Empty).map_err(|error| {
                Failure(format!("no folder to start in can be created: {error}; name one with --start-in"))
            }),
        }
    }

    fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Empty(folder) => Some(folder.path().to_owned()),
            Self::Chosen(folder) => Some(folder.clone()),
            Self::Closed => None,
        }
    }
}
