//! A server for a team, over Streamable HTTP; it is the example of docs/guides/http.md.
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header::AUTHORIZATION};
use axum::response::{IntoResponse, Response};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Rootwise, ToolNames, watch_streams};
use serde::Deserialize;
use tower::ServiceExt;

struct Notes {
    user: &'static str,
    projects: Rootwise,
}

#[derive(Deserialize, JsonSchema)]
struct Status {
    /// The project, if it is not the one that is open.
    #[allow(dead_code)] // Rootwise reads it from the call.
    project_path: Option<String>,
}

#[tool_router]
impl Notes {
    #[tool(description = "Says where the notes are")]
    async fn status(
        &self,
        _arguments: Parameters<Status>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, NoProject> {
        let project = self.projects.project(&context).await?;
        Ok(format!("{} works in {}", self.user, project.path().display()))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

/// The service of one user: its sessions are unknown to the services of other users.
fn service(folders: &str, user: &'static str) -> Result<Router, Box<dyn Error>> {
    let projects = Rootwise::options()
        .allowed_dirs([format!("{folders}/{user}")])
        .argument("project_path")
        .tools(ToolNames::default()) // which_project, switch_project, list_roots
        .build()?;
    let factory = move || Ok(projects.wrap(Notes { user, projects: projects.clone() }));
    let sessions = Arc::<LocalSessionManager>::default();
    let service = StreamableHttpService::new(factory, sessions, StreamableHttpServerConfig::default());
    Ok(Router::new().route_service("/mcp", watch_streams(service)))
}

type Services = Arc<HashMap<&'static str, Router>>;

async fn of_user(State(services): State<Services>, request: Request) -> Response {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    match header.and_then(|value| value.strip_prefix("Bearer ")).and_then(|token| services.get(token)) {
        Some(service) => service.clone().oneshot(request).await.into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folders = std::env::var("PROJECTS").unwrap_or_else(|_| "/srv/projects".into());
    // In production: your identity provider.
    let services =
        HashMap::from([("token-of-ann", service(&folders, "ann")?), ("token-of-bob", service(&folders, "bob")?)]);
    let app = Router::new().fallback(of_user).with_state(Arc::new(services));
    let port = std::env::var("PORT").unwrap_or_else(|_| "8080".into());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
