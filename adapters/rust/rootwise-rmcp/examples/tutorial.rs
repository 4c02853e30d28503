//! The server of docs/tutorials/rust.md.
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Rootwise};

struct Notes {
    projects: Rootwise,
}

#[tool_router]
impl Notes {
    #[tool(description = "Says where the notes are")]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        let project = self.projects.project(&context).await?; // the first line
        Ok(format!("working in {}", project.path().display()))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let projects = Rootwise::recommended()?;
    projects.serve(Notes { projects: projects.clone() }, stdio()).await?.waiting().await?;
    Ok(())
}
