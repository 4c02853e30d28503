//! The server of docs/tutorials/rust.md that lets its user switch.
use rmcp::handler::server::wrapper::Parameters;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Rootwise, ToolNames};
use serde::Deserialize;

struct Notes {
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
        Ok(format!("working in {}", project.path().display()))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The tools are which_project, switch_project and list_roots.
    let projects = Rootwise::options().tools(ToolNames::default()).argument("project_path").build()?;
    projects.serve(Notes { projects: projects.clone() }, stdio()).await?.waiting().await?;
    Ok(())
}
