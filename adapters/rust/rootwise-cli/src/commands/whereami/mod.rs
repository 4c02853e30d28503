//! `rootwise whereami`: a server that shows what a client tells its servers.

mod report;
mod server;

use std::io::IsTerminal;
use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rootwise_rmcp::{Rootwise, ToolNames, watch_streams};
use serde_json::json;

use crate::command_line::Whereami;
use crate::output::{Answer, Failure};
use crate::program::launcher;
use crate::web;
use server::Server;

/// What a person reads who starts it in a shell.
fn on_a_terminal() -> String {
    let launcher = launcher();
    let (command, first) = launcher.split_first().map_or(("rootwise", &[][..]), |(command, first)| (command, first));
    let args: Vec<&str> = first.iter().map(String::as_str).chain(["whereami"]).collect();
    let entry = json!({ "mcpServers": { "whereami": { "command": command, "args": args } } });
    let own = launcher.join(" ");
    format!("\
This is an MCP server: a client starts it, not a person. Add it to the configuration of your client, and call its tool `whereami`:

  {entry}

Without a client, this shows the same report:

  {own} call --root . --tool whereami -- {own} whereami")
}

pub(crate) fn whereami(options: &Whereami) -> Result<Answer, Failure> {
    if options.http.is_none() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        let text = on_a_terminal();
        return Ok(Answer { json: json!({ "message": text }), text, good: true });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    runtime.block_on(async {
        let projects = Rootwise::options().tools(ToolNames::default());
        match options.http {
            None => {
                let projects = projects.build().map_err(Failure::new)?;
                // A client that goes away before its handshake needs no report.
                if let Ok(running) =
                    projects.serve(Server { projects: projects.clone() }, rmcp::transport::stdio()).await
                {
                    let _ = running.waiting().await;
                }
            }
            Some(port) => {
                let projects = projects.local(true).build().map_err(Failure::new)?;
                let make = move || Ok(projects.wrap(Server { projects: projects.clone() }));
                let sessions = Arc::<LocalSessionManager>::default();
                let service = StreamableHttpService::new(make, sessions, StreamableHttpServerConfig::default());
                let router = axum::Router::new().route_service("/mcp", watch_streams(service));
                web::serve(web::listen(port).await?, router, web::stopped()).await?;
            }
        }
        Ok(Answer::silent(true))
    })
}
