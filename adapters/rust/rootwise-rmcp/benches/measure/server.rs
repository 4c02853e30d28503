//! The same server without Rootwise, with it, and with what its author could write instead.

use std::sync::Arc;

use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::service::{RequestContext, RunningService, Service};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{IntoTransport, StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use rootwise_rmcp::rootwise::Policy;
use rootwise_rmcp::{NoProject, Rootwise, watch_streams};

use crate::by_hand::{Asking, Cached};
use crate::http_server;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Knows nothing about projects.
    Without,
    /// The same again: what the machine does to two equal servers.
    Equal,
    /// Rootwise, whose answer is at most a second old.
    Known,
    /// Rootwise, which asks client and disk in every call.
    Refreshed,
    /// Written by hand: asks once, and again after a notification.
    Cached,
    /// Written by hand: asks client and disk in every call.
    Asking,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Without, Self::Equal, Self::Known, Self::Refreshed, Self::Cached, Self::Asking];

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_else(|| panic!("no kind {name}"))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Without => "without",
            Self::Equal => "equal",
            Self::Known => "known",
            Self::Refreshed => "refreshed",
            Self::Cached => "cached by hand",
            Self::Asking => "asking by hand",
        }
    }

    /// Rootwise as this server uses it.
    pub(crate) fn projects(self) -> Rootwise {
        let options = Rootwise::options().local(true);
        let options = if self == Self::Refreshed {
            options.policy(Policy::from_json(r#"{"timing":{"maxAgeMs":0}}"#).unwrap())
        } else {
            options
        };
        options.build().unwrap()
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
        Kind::Without | Kind::Equal => wait(Plain.serve(transport).await.unwrap()).await,
        Kind::Known | Kind::Refreshed => {
            let handler = Knowing { projects: projects.clone() };
            wait(projects.serve(handler, transport).await.unwrap()).await;
        }
        Kind::Cached => wait(Cached::default().serve(transport).await.unwrap()).await,
        Kind::Asking => wait(Asking.serve(transport).await.unwrap()).await,
    }
}

async fn wait<S: Service<RoleServer>>(running: RunningService<RoleServer, S>) {
    running.waiting().await.unwrap();
}

pub(crate) async fn over_stdio(kind: Kind) {
    serve(kind, &kind.projects(), stdio()).await;
}

pub(crate) async fn over_http(kind: Kind) {
    let config = StreamableHttpServerConfig::default();
    let sessions = Arc::<LocalSessionManager>::default();
    match kind {
        Kind::Known | Kind::Refreshed => {
            let projects = kind.projects();
            let make = move || Ok(projects.wrap(Knowing { projects: projects.clone() }));
            http_server::serve(watch_streams(StreamableHttpService::new(make, sessions, config))).await.unwrap();
        }
        Kind::Cached => {
            http_server::serve(StreamableHttpService::new(|| Ok(Cached::default()), sessions, config)).await.unwrap();
        }
        Kind::Asking => http_server::serve(StreamableHttpService::new(|| Ok(Asking), sessions, config)).await.unwrap(),
        Kind::Without | Kind::Equal => {
            http_server::serve(StreamableHttpService::new(|| Ok(Plain), sessions, config)).await.unwrap();
        }
    }
}
