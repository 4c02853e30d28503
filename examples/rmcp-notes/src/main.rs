//! Keeps notes in the project that the client works in: over stdio, or with `--http` for clients on the same machine.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::ErrorKind;
use std::sync::Arc;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Rootwise, ToolNames, watch_streams};
use serde::Deserialize;

/// The file that holds the notes of a project.
const NOTES: &str = "NOTES.md";

#[derive(Clone)]
struct Notes {
    projects: Rootwise,
}

/// A note, and the project to keep it in.
#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Note {
    /// The text of the note.
    text: String,
    /// The project, if it is not the one that is open; the option `argument` reads it.
    #[expect(dead_code, reason = "the schema shows it to the model")]
    project: Option<String>,
}

#[tool_router]
impl Notes {
    #[tool(description = "Adds a note to the project")]
    async fn add_note(
        &self,
        Parameters(Note { text, .. }): Parameters<Note>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, NoProject> {
        let project = self.projects.project(&context).await?;
        let file = project.path().join(NOTES);
        let notes = tokio::fs::read_to_string(&file).await.unwrap_or_default();
        Ok(match tokio::fs::write(&file, format!("{notes}- {}\n", text.trim())).await {
            Ok(()) => format!("Added to {}.", project.display_name()),
            Err(error) => format!("{} cannot be written: {error}.", file.display()),
        })
    }

    #[tool(description = "Reads the notes of the project")]
    async fn read_notes(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        let project = self.projects.project(&context).await?;
        let file = project.path().join(NOTES);
        Ok(match tokio::fs::read_to_string(&file).await {
            Ok(notes) => notes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                format!("{} has no notes.", project.display_name())
            }
            Err(error) => format!("{} cannot be read: {error}.", file.display()),
        })
    }
}

#[tool_handler]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let http = std::env::args().any(|word| word == "--http");
    let options = Rootwise::options().argument("project").tools(ToolNames::default());
    let options = options.log(|line| eprintln!("{}: {}", line.code.code(), line.message));
    // Over HTTP the clients' folders count only because they are on this machine.
    let projects = if http { options.local(true).build()? } else { options.build()? };
    let server = move || projects.wrap(Notes { projects: projects.clone() });
    if !http {
        server().serve_over(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(server()), Arc::<LocalSessionManager>::default(), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", watch_streams(service))).await?;
    Ok(())
}
