//! The same server with and without Rootwise.

use std::sync::Arc;

use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{IntoTransport, StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Rootwise, watch_streams};

use crate::http_server;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Without,
    With,
}

impl Kind {
    pub(crate) fn named(name: &str) -> Self {
        if name == "with" { Self::With } else { Self::Without }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Without => "without",
            Self::With => "with",
        }
    }
}

pub(crate) struct Plain;

#[tool_router]
impl Plain {
    #[tool]
    async fn status(&self, _context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        Ok("share".into())
    }
}

#[tool_handler]
impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

pub(crate) struct Knowing {
    projects: Rootwise,
}

#[tool_router]
impl Knowing {
    #[tool]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        Ok(self.projects.project(&context).await?.name().to_owned())
    }
}

#[tool_handler]
impl ServerHandler for Knowing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// Serves one client until it leaves.
pub(crate) async fn serve<T, E, A>(kind: Kind, projects: &Rootwise, transport: T)
where
    T: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    match kind {
        Kind::Without => Plain.serve(transport).await.unwrap().waiting().await.unwrap(),
        Kind::With => {
            let handler = Knowing { projects: projects.clone() };
            projects.serve(handler, transport).await.unwrap().waiting().await.unwrap()
        }
    };
}

pub(crate) async fn over_stdio(kind: Kind) {
    serve(kind, &Rootwise::recommended().unwrap(), stdio()).await;
}

pub(crate) async fn over_http(kind: Kind) {
    let config = StreamableHttpServerConfig::default();
    let sessions = Arc::<LocalSessionManager>::default();
    match kind {
        Kind::Without => {
            http_server::serve(StreamableHttpService::new(|| Ok(Plain), sessions, config)).await.unwrap();
        }
        Kind::With => {
            let projects = Rootwise::options().local(true).build().unwrap();
            let make = move || Ok(projects.wrap(Knowing { projects: projects.clone() }));
            http_server::serve(watch_streams(StreamableHttpService::new(make, sessions, config))).await.unwrap();
        }
    }
}
