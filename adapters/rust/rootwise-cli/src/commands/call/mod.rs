//! `rootwise call`: a client for a shell, which behaves like a real one.

mod peer;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::TokioChildProcess;
use rootwise::PathStyle;
use rootwise::clients::{ClientLike, KnownClient, RootsAnswer};
use rootwise::path::display::display;
use rootwise::provide::{Folder, provided_roots};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::command_line::{Call, Era};
use crate::output::{Answer, BAD, FAINT, Failure, STRONG, styled};
use crate::policy::{absolute, text_of};
use crate::program;
use peer::Peer;

pub(crate) fn call(options: &Call) -> Result<Answer, Failure> {
    if options.clients {
        return Ok(listed());
    }
    let known = match &options.client {
        None => None,
        Some(name) => Some(KnownClient::find(name).map_err(|error| {
            Failure(format!("--client {name}: {}; `rootwise call --clients` lists them", error.problem))
        })?),
    };
    let arguments = object("--args", &options.arguments)?;
    let form = options.form.as_deref().map(|form| object("--form", form)).transpose()?;
    let folders = options.roots.iter().map(|root| text_of(absolute(root)?)).collect::<Result<Vec<_>, _>>()?;
    let command = command(options, known, &folders)?;
    let places: Vec<Folder> = folders.iter().map(Folder::from).collect();
    let simulated = known.map(|known| {
        let mut like = ClientLike::new(known.short(), places.iter().cloned(), PathStyle::native());
        like.home = home();
        like.simulate()
    });
    let roots = provided_roots(&places, PathStyle::native()).map_err(Failure::new)?;
    let peer = Peer::new(simulated.transpose().map_err(Failure::new)?, roots, form);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let done = runtime.block_on(async {
        let work = converse(command, options, peer, arguments);
        match tokio::time::timeout(Duration::from_secs(options.timeout), work).await {
            Ok(done) => done,
            Err(_) => Err(Failure(format!("no answer within {} s; --timeout sets a longer wait", options.timeout))),
        }
    });
    // A client that is silent on purpose has tasks that never end.
    runtime.shutdown_background();
    done
}

fn object(option: &str, text: &str) -> Result<JsonObject, Failure> {
    serde_json::from_str(text).map_err(|error| Failure(format!("{option} must be a JSON object: {error}")))
}

fn home() -> Option<String> {
    std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok())
}

/// The server as this client would start it.
fn command(options: &Call, known: Option<&KnownClient>, folders: &[String]) -> Result<Command, Failure> {
    let (name, args) = options.server.split_first().ok_or_else(|| Failure("name a server after `--`".into()))?;
    let mut command = Command::new(program::find(name)?);
    command.args(args);
    let style = PathStyle::native();
    let chosen = known.and_then(|known| known.cwd(folders, home().as_deref(), style)).map(PathBuf::from);
    if let Some(folder) = options.cwd.clone().map(|folder| absolute(&folder)).transpose()?.or(chosen) {
        command.current_dir(folder);
    }
    command.envs(known.map(|known| known.variables(folders, style)).unwrap_or_default());
    Ok(command)
}

async fn converse(command: Command, options: &Call, peer: Peer, arguments: JsonObject) -> Result<Answer, Failure> {
    let is_modern = options.era.map_or_else(|| peer.is_modern(), |era| era == Era::Modern);
    let (transport, _) = TokioChildProcess::builder(command)
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| Failure(format!("the server cannot be started: {error}")))?;
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match (is_modern, options.era) {
        (false, _) => ClientLifecycleMode::Initialize,
        (true, Some(_)) => ClientLifecycleMode::Discover { preferred_versions },
        // As real clients do that speak both.
        (true, None) => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
    };
    let client = peer
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .map_err(|error| Failure(format!("the server did not complete the handshake: {error}")))?;
    let answer = match &options.tool {
        Some(tool) => call_tool(&client, tool, arguments).await,
        None => list_tools(&client).await,
    };
    // The server ends with its input; a second fault would hide the first.
    let _ = client.cancel().await;
    answer
}

type Client = RunningService<RoleClient, Peer>;

async fn call_tool(client: &Client, tool: &str, arguments: JsonObject) -> Result<Answer, Failure> {
    let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.service().mark(&mut params, client.peer_info().map(|server| server.capabilities.clone()).as_ref());
    match client.call_tool(params).await {
        Ok(result) => {
            let good = result.is_error != Some(true);
            let text = contents(&result);
            let text = if good { text } else { styled(BAD, text) };
            Ok(Answer { text, json: json!(result), good })
        }
        Err(error) => {
            let json = json!({ "error": { "code": "call_failed", "message": error.to_string() } });
            Ok(Answer { text: styled(BAD, error), json, good: false })
        }
    }
}

/// The text of a result; of other contents, what they are.
fn contents(result: &CallToolResult) -> String {
    let shown = |content| {
        let content = serde_json::to_value(content).unwrap_or_default();
        let field = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
        field("text").unwrap_or_else(|| format!("({})", field("type").unwrap_or_default()))
    };
    let parts: Vec<String> = result.content.iter().map(shown).collect();
    match &result.structured_content {
        Some(structured) if parts.is_empty() => format!("{structured:#}"),
        _ => parts.join("\n"),
    }
}

async fn list_tools(client: &Client) -> Result<Answer, Failure> {
    let tools =
        client.list_all_tools().await.map_err(|error| Failure(format!("the tools cannot be listed: {error}")))?;
    let line = |tool: &rmcp::model::Tool| {
        let description = display(tool.description.as_deref().unwrap_or_default(), 100);
        format!("{}  {}", styled(STRONG, display(&tool.name, 100)), styled(FAINT, description))
    };
    let text = tools.iter().map(line).collect::<Vec<_>>().join("\n");
    let text = if text.is_empty() { "The server has no tools.".into() } else { text };
    Ok(Answer { text, json: json!({ "tools": tools }), good: true })
}

fn listed() -> Answer {
    let clients = KnownClient::all();
    let line = |client: &KnownClient| {
        let era = if client.is_modern() { "2026-07-28" } else { "up to 2025-11-25" };
        let roots = if client.declares_roots { answered(client.answer) } else { "not declared" };
        format!(
            "{}  {}",
            styled(STRONG, format_args!("{:<28}", client.short())),
            styled(FAINT, format_args!("{era:<16}  roots: {roots}"))
        )
    };
    let text = clients.iter().map(line).collect::<Vec<_>>().join("\n");
    let json = json!({ "clients": clients.iter().map(|client| json!({
        "name": client.short(), "client": client.client, "clientInfo": client.name, "modern": client.is_modern(),
        "roots": client.declares_roots, "listChanged": client.declares_changes,
    })).collect::<Vec<_>>() });
    Answer { text, json, good: true }
}

const fn answered(answer: RootsAnswer) -> &'static str {
    match answer {
        RootsAnswer::First => "the first folder",
        RootsAnswer::Empty => "an empty list",
        RootsAnswer::Home => "the home folder",
        RootsAnswer::Refused => "refused",
        RootsAnswer::Silent => "no answer",
        _ => "all folders",
    }
}
