//! Clients of 2026-07-28 over HTTP, whose calls belong to no session: handles, callers and a declared parameter.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::{NoProject, Options, Rootwise, ToolNames};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Context = RequestContext<RoleServer>;

#[derive(Clone)]
struct Server(Rootwise);

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Strict {
    n: u32,
}

#[tool_router]
impl Server {
    #[tool]
    async fn status(&self, context: Context) -> Result<String, NoProject> {
        Ok(self.0.project(&context).await?.path().display().to_string())
    }

    #[tool]
    async fn strict(
        &self,
        Parameters(Strict { n }): Parameters<Strict>,
        context: Context,
    ) -> Result<String, NoProject> {
        Ok(format!("{n} {}", self.0.project(&context).await?.path().display()))
    }
}

#[tool_handler]
impl ServerHandler for Server {}

fn user(context: &Context) -> Option<String> {
    let value = context.extensions.get::<http::request::Parts>()?.headers.get("x-user")?;
    Some(value.to_str().ok()?.to_owned())
}

async fn serve(options: Options) -> SocketAddr {
    serve_with(options, StreamableHttpServerConfig::default()).await
}

async fn serve_with(options: Options, config: StreamableHttpServerConfig) -> SocketAddr {
    let projects = options.tools(ToolNames::default()).build().unwrap();
    let make = move || Ok(projects.wrap(Server(projects.clone())));
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

/// A client of 2026-07-28 with roots, that a header names.
#[derive(Clone)]
struct Client {
    address: SocketAddr,
    user: &'static str,
    roots: Vec<PathBuf>,
    conversation: Option<&'static str>,
    /// Of 2025-06-18: it cannot be asked for its roots.
    is_legacy: bool,
}

impl Client {
    fn of(address: SocketAddr, user: &'static str, roots: &[&Path]) -> Self {
        Self {
            address,
            user,
            roots: roots.iter().map(|root| root.to_path_buf()).collect(),
            conversation: None,
            is_legacy: false,
        }
    }

    async fn post(&self, method: &str, name: &str, mut params: Value) -> Value {
        let mut meta = if self.is_legacy {
            json!({})
        } else {
            json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
                "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "1" },
            })
        };
        if let Some(id) = self.conversation {
            meta.as_object_mut().unwrap().insert("openai/session".into(), id.into());
        }
        params.as_object_mut().unwrap().insert("_meta".into(), meta);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (body, Self { address, user, .. }) = (message.to_string(), self);
        let version = if self.is_legacy { "2025-06-18" } else { "2026-07-28" };
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\naccept: application/json, \
             text/event-stream\r\nx-user: {user}\r\nmcp-protocol-version: {version}\r\nmcp-method: {method}\r\n\
             mcp-name: {name}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        let response = String::from_utf8(response).unwrap();
        let mut messages = response.lines().filter_map(|line| {
            let json = line.strip_prefix("data:").unwrap_or(line).trim();
            serde_json::from_str::<Value>(json).ok().filter(Value::is_object)
        });
        messages.next_back().unwrap()
    }

    /// The text of a tool's result; the client answers with its roots if it is asked.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        let mut params = json!({ "name": tool, "arguments": arguments });
        let mut response = self.post("tools/call", tool, params.clone()).await;
        if response.pointer("/result/inputRequests").is_some() {
            let roots: Vec<_> =
                self.roots.iter().map(|root| json!({ "uri": format!("file://{}", root.display()) })).collect();
            let answers = json!({ "rootwise": { "roots": roots } });
            params.as_object_mut().unwrap().insert("inputResponses".into(), answers);
            response = self.post("tools/call", tool, params).await;
        }
        let text = response.pointer("/result/content/0/text").and_then(Value::as_str);
        text.map_or_else(|| response.to_string(), ToOwned::to_owned)
    }

    async fn at(&self) -> String {
        self.call("status", json!({})).await
    }

    async fn switch(&self, to: &str) -> String {
        self.call("switch_project", json!({ "project": to })).await
    }
}

/// Two folders of Ann and one of Bob, in a folder of this test.
fn folders(test: &str) -> (PathBuf, [PathBuf; 3]) {
    let base = std::env::temp_dir().canonicalize().unwrap();
    let base = base.join(format!("rootwise-switching-{test}-{}", std::process::id()));
    let made = ["ann/shop", "ann/site", "bob/shop"].map(|name| base.join(name));
    for folder in &made {
        std::fs::create_dir_all(folder).unwrap();
    }
    (base, made)
}

/// The handle in the answer to a selection.
fn handle_in(said: &str) -> String {
    let handle = said.split("`project: \"").nth(1).and_then(|rest| rest.split('"').next());
    handle.unwrap_or(said).to_owned()
}

fn path(folder: &Path) -> String {
    folder.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn without_a_caller_a_selection_is_answered_with_a_handle_that_is_checked_with_each_use() {
    let (base, [shop, site, attic]) = folders("handle");
    let (own, shrunk) = (base.clone(), Arc::new(AtomicBool::new(false)));
    let is_shrunk = shrunk.clone();
    let options = Rootwise::options().argument("project").declare(true).allowed_dirs_of(move |context| {
        let user = user(context).ok_or("nobody")?;
        let folder = if is_shrunk.load(Ordering::SeqCst) { own.join(user).join("shop") } else { own.join(user) };
        Ok::<_, &str>(vec![folder])
    });
    let address = serve(options).await;
    let (ann, bob) = (Client::of(address, "ann", &[&shop, &site]), Client::of(address, "bob", &[&attic]));
    assert_eq!(ann.at().await, path(&shop));
    let said = ann.switch("site").await;
    assert!(said.contains("with each call: this server cannot tell your calls"), "{said}");
    let handle = handle_in(&said);
    assert!(handle.starts_with("site-") && handle.len() == 9, "{handle}");
    assert_eq!(ann.at().await, path(&shop), "nothing is kept");
    assert_eq!(ann.call("status", json!({ "project": handle })).await, path(&site));
    // Stolen: it names one of the caller's own roots, and a path must be in its own folders.
    let said = bob.call("status", json!({ "project": handle })).await;
    assert!(said.contains("neither one of the client's roots"), "{said}");
    assert_eq!(bob.call("status", json!({ "project": "shop" })).await, path(&attic));
    let said = bob.call("status", json!({ "project": path(&site) })).await;
    assert!(said.contains("outside the allowed folders"), "{said}");
    shrunk.store(true, Ordering::SeqCst);
    let said = ann.call("status", json!({ "project": handle })).await;
    assert!(said.contains("outside the allowed folders"), "{said}");
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test]
async fn what_a_caller_selects_counts_for_its_own_next_calls() {
    let (base, [shop, site, _]) = folders("caller");
    let options =
        Rootwise::options().allowed_dirs([base.clone()]).caller_of(|context| match user(context).as_deref() {
            Some("broken") => Err("no directory service"),
            Some("empty") => Ok(Some(String::new())),
            Some("nobody") | None => Ok(None),
            Some(user) => Ok(Some(user.to_owned())),
        });
    let address = serve(options).await;
    let of = |user| Client::of(address, user, &[&shop, &site]);
    assert_eq!(of("ann").switch("site").await, "Project set to: site");
    assert_eq!(of("ann").at().await, path(&site));
    assert_eq!(of("bob").at().await, path(&shop));
    assert_eq!(of("nobody").at().await, path(&shop));
    for (user, text) in [
        ("broken", "The caller is not known: no directory service"),
        ("empty", "bad options at caller_of: the function must return a text that is not empty"),
    ] {
        let said = of(user).at().await;
        assert!(said.starts_with(text), "{said}");
    }
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test]
async fn a_handle_names_the_project_in_another_process_of_the_server() {
    let (base, [shop, site, _]) = folders("replicas");
    for replicas in [false, true] {
        let options = || {
            let options = Rootwise::options().argument("project").declare(true).replicas(replicas);
            options.allowed_dirs([base.clone()]).caller_of(|context| Ok::<_, &str>(user(context)))
        };
        let of = |address| Client::of(address, "ann", &[&shop, &site]);
        let (first, second) = (of(serve(options()).await), of(serve(options()).await));
        let handle = handle_in(&first.switch("site").await);
        assert_eq!(first.at().await, path(if replicas { &shop } else { &site }));
        assert_eq!(second.at().await, path(&shop), "another process does not know it");
        for client in [&first, &second] {
            assert_eq!(client.call("status", json!({ "project": handle })).await, path(&site));
        }
    }
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test]
async fn what_the_caller_of_a_legacy_call_without_a_session_selects_counts_for_its_next_calls() {
    let (base, [shop, site, _]) = folders("legacy");
    let options = Rootwise::options().allowed_dirs([base.clone()]).caller_of(|context| Ok::<_, &str>(user(context)));
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let address = serve_with(options, config).await;
    let of = |user, conversation| Client { is_legacy: true, conversation, ..Client::of(address, user, &[]) };
    of("ann", None).switch(&path(&site)).await;
    assert_eq!(of("ann", None).at().await, path(&site));
    assert!(of("bob", None).at().await.starts_with("No project"), "not of another caller");
    for (conversation, folder) in [("one", &shop), ("two", &site)] {
        of("ann", Some(conversation)).switch(&path(folder)).await;
    }
    assert_eq!(of("ann", Some("one")).at().await, path(&shop));
    assert_eq!(of("ann", Some("two")).at().await, path(&site));
    assert!(of("bob", Some("one")).at().await.starts_with("No project"), "not of another caller");
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_with_one_conversation_id_never_mix() {
    let (base, _) = folders("race");
    let own = base.clone();
    let options = Rootwise::options()
        .allowed_dirs_of(move |context| user(context).map(|user| vec![own.join(user)]).ok_or("nobody"))
        .caller_of(|context| Ok::<_, &str>(user(context)));
    let address = serve(options).await;
    let faults = Arc::<Mutex<Vec<String>>>::default();
    let users = ["carl", "dora", "emil", "fred"].map(|user| {
        let folders = ["one", "two", "three"].map(|name| base.join(user).join(name));
        for folder in &folders {
            std::fs::create_dir_all(folder).unwrap();
        }
        let faults = faults.clone();
        tokio::spawn(async move {
            let client = Client {
                conversation: Some("the same"),
                ..Client::of(address, user, &folders.each_ref().map(PathBuf::as_path))
            };
            for chosen in folders.iter().map(|folder| path(folder)).cycle().take(30) {
                client.switch(&chosen).await;
                let seen = client.at().await;
                if seen != chosen {
                    faults.lock().unwrap().push(format!("{user}: {seen} instead of {chosen}"));
                }
            }
        })
    });
    for user in users {
        user.await.unwrap();
    }
    assert_eq!(*faults.lock().unwrap(), Vec::<String>::new());
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test]
async fn a_declared_parameter_leaves_strict_tools_as_they_are() {
    let (base, [shop, site, _]) = folders("declare");
    let options = Rootwise::options().allowed_dirs([base.clone()]).argument("project").declare(true);
    let client = Client::of(serve(options).await, "ann", &[&shop, &site]);
    let listed = client.post("tools/list", "", json!({})).await;
    let tools = listed.pointer("/result/tools").and_then(Value::as_array).unwrap();
    let parameter = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool.pointer("/inputSchema/properties/project/description").and_then(Value::as_str)
    };
    for name in ["status", "strict", "which_project"] {
        assert!(parameter(name).is_some_and(|text| text.starts_with("The project to work in")), "{name}");
    }
    assert!(parameter("switch_project").is_some_and(|text| text.contains("name of one of your roots")));
    assert_eq!(parameter("list_roots"), None);
    let strict = async |arguments: Value| client.call("strict", arguments).await;
    assert_eq!(strict(json!({ "n": 1, "project": "site" })).await, format!("1 {}", path(&site)));
    assert_eq!(strict(json!({ "n": 1, "project": null })).await, format!("1 {}", path(&shop)));
    assert_eq!(strict(json!({ "n": 1 })).await, format!("1 {}", path(&shop)));
    let said = strict(json!({ "n": 1, "other": 1 })).await;
    assert!(said.contains("unknown field"), "{said}");
    std::fs::remove_dir_all(base).unwrap();
}

#[test]
fn a_parameter_without_a_name_is_refused() {
    let refused = Rootwise::options().declare(true).build().unwrap_err().to_string();
    assert!(refused.contains("declare") && refused.contains("argument"), "{refused}");
}
