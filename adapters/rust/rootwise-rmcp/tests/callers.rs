//! Two users of one server over HTTP, each confined to folders of their own.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{Hints, NoProject, Options, Rootwise, ToolNames};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Context = RequestContext<RoleServer>;

#[derive(Clone)]
struct Server(Rootwise);

#[tool_router]
impl Server {
    #[tool]
    async fn status(&self, context: Context) -> Result<String, NoProject> {
        Ok(self.0.project(&context).await?.path().display().to_string())
    }

    /// The project that a header names, as an argument would.
    #[tool]
    async fn named(&self, context: Context) -> Result<String, NoProject> {
        let folder = header(&context, "x-folder").unwrap_or_default();
        Ok(self.0.project_with(&context, Hints::argument(folder)).await?.path().display().to_string())
    }
}

#[tool_handler]
impl ServerHandler for Server {}

fn header(context: &Context, name: &str) -> Option<String> {
    let value = context.extensions.get::<http::request::Parts>()?.headers.get(name)?;
    Some(value.to_str().ok()?.to_owned())
}

async fn serve(options: Options) -> SocketAddr {
    let projects = options.tools(ToolNames::default()).build().unwrap();
    let make = move || Ok(projects.wrap(Server(projects.clone())));
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(make, Arc::<LocalSessionManager>::default(), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            tokio::spawn(async move { drop(builder.serve_connection(TokioIo::new(stream), service).await) });
        }
    });
    address
}

/// A client that says in a header who it is, with each request anew.
struct Client {
    address: SocketAddr,
    session: String,
    last_id: AtomicU32,
}

impl Client {
    async fn connect(address: SocketAddr) -> Self {
        let mut client = Self { address, session: String::new(), last_id: AtomicU32::new(2) };
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let response = client.post("nobody", "", &initialize).await;
        let id = response.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        client.session = format!("mcp-session-id: {}\r\nmcp-protocol-version: 2025-06-18\r\n", id.trim());
        client.post("nobody", "", &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn post(&self, user: &str, folder: &str, message: &Value) -> String {
        let (body, Self { address, session, .. }) = (message.to_string(), self);
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\naccept: application/json, \
             text/event-stream\r\nx-user: {user}\r\nx-folder: {folder}\r\n{session}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        String::from_utf8(response).unwrap()
    }

    /// The text of a tool's result.
    async fn call(&self, user: &str, tool: &str, folder: &Path) -> String {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let arguments = if tool == "switch_project" { json!({ "project": folder }) } else { json!({}) };
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        let response = self.post(user, folder.to_str().unwrap(), &call).await;
        let mut results = response.lines().filter_map(|line| {
            let json = line.strip_prefix("data:").unwrap_or(line).trim();
            serde_json::from_str::<Value>(json).ok()?.pointer("/result/content/0/text")?.as_str().map(ToOwned::to_owned)
        });
        results.next_back().unwrap_or_else(|| response.clone())
    }
}

fn folders() -> (PathBuf, PathBuf, PathBuf) {
    let base = std::env::temp_dir().canonicalize().unwrap().join(format!("rootwise-callers-{}", std::process::id()));
    let [alice, bob] = ["alice", "bob"].map(|user| base.join(user).join("app"));
    for folder in [&alice, &bob] {
        std::fs::create_dir_all(folder).unwrap();
    }
    (base, alice, bob)
}

#[tokio::test]
async fn a_caller_names_and_selects_folders_of_its_own_only() {
    let (base, alice, bob) = folders();
    let own = base.clone();
    let options = Rootwise::options().allowed_dirs_of(move |context| match header(context, "x-user").as_deref() {
        Some("broken") => Err("no directory service"),
        Some("relative") => Ok(vec!["app".into()]),
        Some(user) => Ok(vec![own.join(user)]),
        None => Ok(Vec::new()),
    });
    let client = Client::connect(serve(options).await).await;
    let outside = "outside the allowed folders";
    assert_eq!(client.call("alice", "named", &alice).await, alice.to_str().unwrap());
    let said = client.call("alice", "named", &bob).await;
    assert!(said.contains(outside), "{said}");
    let said = client.call("alice", "switch_project", &bob).await;
    assert!(said.contains(outside), "{said}");
    assert_eq!(client.call("alice", "switch_project", &alice).await, "Project set to: app");
    assert_eq!(client.call("alice", "status", &alice).await, alice.to_str().unwrap());
    // The same session, and another user of it.
    let said = client.call("bob", "status", &bob).await;
    assert!(said.starts_with("No project was found"), "{said}");
    let said = client.call("bob", "named", &alice).await;
    assert!(said.contains(outside), "{said}");
    let (one, two) = tokio::join!(client.call("alice", "named", &alice), client.call("bob", "named", &bob));
    assert_eq!((one.as_str(), two.as_str()), (alice.to_str().unwrap(), bob.to_str().unwrap()));
    // A function that fails allows nothing.
    for (user, text) in [
        ("broken", "The folders of this caller are not known: no directory service"),
        ("relative", "bad options at allowedDirs[0]: must be an absolute path"),
    ] {
        let said = client.call(user, "named", &alice).await;
        assert_eq!(said, text);
    }
    std::fs::remove_dir_all(base).unwrap();
}
