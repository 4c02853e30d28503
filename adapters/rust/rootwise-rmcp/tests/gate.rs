//! The gate in front of a real HTTP server.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../examples/http_server/mod.rs"]
mod http_server;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http::request::Parts;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::rootwise::action::LogCode;
use rootwise_rmcp::rootwise::endpoint::action::EndpointLog;
use rootwise_rmcp::rootwise::policy::{Source, SourceKind};
use rootwise_rmcp::rootwise::{Policy, PolicyConfig, Project};
use rootwise_rmcp::{GateOptions, ProjectGate, Rootwise, watch_streams};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

struct Server;

#[tool_router]
impl Server {
    /// The project that the gate saw.
    #[tool]
    async fn seen(&self, context: RequestContext<RoleServer>) -> String {
        let parts = context.extensions.get::<Parts>();
        let project = parts.and_then(|parts| parts.extensions.get::<Arc<Project>>());
        project.and_then(|project| project.path.clone()).unwrap_or_else(|| "none".into())
    }
}

#[tool_handler]
impl ServerHandler for Server {}

async fn start(gate: &ProjectGate) -> SocketAddr {
    let projects = Rootwise::options().allowed_dirs(["/usr"]).build().unwrap();
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(projects.wrap(Server)), Arc::<LocalSessionManager>::default(), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(http_server::serve_on(listener, gate.wrap(watch_streams(service))));
    address
}

/// Calls the tool; returns the head and the body of the response.
async fn call(address: SocketAddr, query: &str, headers: &[(&str, &str)]) -> (String, Value) {
    let params = json!({ "name": "seen", "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut head = format!("POST /mcp{query} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let accept = ("Accept", "application/json, text/event-stream");
    let length = body.len().to_string();
    for (name, value) in
        headers.iter().chain(&[accept, ("Content-Type", "application/json"), ("Content-Length", &length)])
    {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let (head, body) = (head.to_lowercase(), body.trim());
    (head, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}")))
}

fn text(body: &Value) -> &str {
    body.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_else(|| panic!("{body}"))
}

fn usr() -> GateOptions {
    ProjectGate::options().allowed_dirs(["/usr"])
}

#[tokio::test]
async fn a_bad_header_or_query_gets_the_status_of_the_policy_and_a_good_one_passes() {
    let address = start(&usr().build().unwrap()).await;
    let (head, body) = call(address, "", &[("X-Project-Path", "/etc")]).await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(body.pointer("/error/code"), Some(&json!(-32_602)));
    assert_eq!(body.pointer("/error/data"), Some(&json!({ "code": "outside", "source": "header" })));
    assert_eq!((body.get("jsonrpc"), body.get("id")), (Some(&json!("2.0")), Some(&Value::Null)));
    let (head, body) = call(address, "?project_path=relative", &[]).await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    assert_eq!(body.pointer("/error/data"), Some(&json!({ "code": "relative", "source": "query" })));
    let two = [("X-Project-Path", "/usr/lib"), ("X-Project-Path", "/usr/share")];
    assert!(call(address, "", &two).await.0.starts_with("http/1.1 400"));
    assert_eq!(text(&call(address, "?project_path=%2Fusr%2Fshare", &[]).await.1), "/usr/share");
    assert_eq!(text(&call(address, "", &[("x-project-path", "/usr/lib")]).await.1), "/usr/lib");
    assert_eq!(text(&call(address, "?other=/etc", &[]).await.1), "none");
}

#[tokio::test]
async fn names_and_status_are_those_of_the_options_or_of_the_policy() {
    let address = start(&usr().header("X-Folder").build().unwrap()).await;
    assert!(call(address, "", &[("X-Folder", "/etc")]).await.0.starts_with("http/1.1 400"));
    assert_eq!(text(&call(address, "?project_path=/etc", &[("X-Project-Path", "/etc")]).await.1), "none");
    let mut source = Source::reading(SourceKind::Header, ["x-folder"]);
    source.status = Some(422);
    let policy = PolicyConfig::new("mine", [source, Source::new(SourceKind::Cwd)]);
    let address = start(&usr().policy(Policy::try_from(policy).unwrap()).build().unwrap()).await;
    assert!(call(address, "", &[("X-Folder", "/etc")]).await.0.starts_with("http/1.1 422"));
    // The working directory is no part of a request.
    assert_eq!(text(&call(address, "", &[]).await.1), "none");
}

#[tokio::test]
async fn a_project_can_be_required_and_need_not_be_a_folder_here() {
    let address = start(&usr().required(true).build().unwrap()).await;
    let (head, body) = call(address, "", &[]).await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    assert_eq!(body.pointer("/error/data"), Some(&json!({ "code": "no_project" })));
    let remote = [("X-Project-Path", "/usr/share")];
    let address = start(&ProjectGate::recommended().unwrap()).await;
    let (head, body) = call(address, "", &remote).await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    assert_eq!(body.pointer("/error/data/code"), Some(&json!("other_machine")));
    let address = start(&ProjectGate::options().local(true).build().unwrap()).await;
    assert_eq!(text(&call(address, "", &remote).await.1), "/usr/share");
    let gate = ProjectGate::options().require_path(false).build().unwrap();
    let mut headers = http::HeaderMap::new();
    headers.insert("x-project-path", http::HeaderValue::from_static("/home/me/shop"));
    let project = gate.check(&headers, &http::Uri::from_static("/mcp")).await.unwrap().unwrap();
    assert_eq!((project.path.as_ref(), project.client_path.as_deref()), (None, Some("/home/me/shop")));
}

#[tokio::test]
async fn a_header_in_utf_8_names_its_folder_and_so_does_one_in_iso_8859_1() {
    let gate = ProjectGate::options().require_path(false).build().unwrap();
    for bytes in ["/home/jürgen/shop".as_bytes(), b"/home/j\xfcrgen/shop"] {
        let mut headers = http::HeaderMap::new();
        headers.insert("x-project-path", http::HeaderValue::from_bytes(bytes).unwrap());
        let project = gate.check(&headers, &http::Uri::from_static("/mcp")).await.unwrap().unwrap();
        assert_eq!(project.client_path.as_deref(), Some("/home/jürgen/shop"));
    }
}

#[tokio::test]
async fn requests_beyond_the_bound_are_told_to_come_again() {
    let gate = usr().max_pending(1).build().unwrap();
    let mut headers = http::HeaderMap::new();
    headers.insert("x-project-path", http::HeaderValue::from_static("/usr/share"));
    let check = || gate.check(&headers, &http::Uri::from_static("/mcp"));
    // The check of the first one waits for the disk while the second one begins.
    let (Ok(Some(_)), Err(refusal)) = tokio::join!(check(), check()) else { panic!("both passed or neither did") };
    let response = refusal.into_response();
    assert_eq!(
        (response.status().as_u16(), response.headers().get("retry-after").unwrap().as_bytes()),
        (503, &b"1"[..])
    );
    assert!(response.body().contains("too_many_checks"), "{}", response.body());
    // A check that was dropped does not count.
    drop(check());
    assert!(check().await.unwrap().is_some());
}

#[test]
fn options_that_cannot_work_are_named() {
    let error = |options: GateOptions| options.build().unwrap_err().to_string();
    let names = "must be the name of a header or a query parameter";
    assert_eq!(error(usr().header("")), format!("bad options at header: {names}"));
    assert_eq!(error(usr().query("")), format!("bad options at query: {names}"));
    assert_eq!(error(usr().max_pending(0)), "bad options at maxPending: must be a whole number above 0");
    assert_eq!(error(usr().allowed_dirs(["usr"])), "bad options at allowedDirs[0]: must be an absolute path");
}

/// The codes of the lines that are logged while something is built with this function.
fn logged(build: impl FnOnce(Box<dyn Fn(&EndpointLog) + Send + Sync>)) -> Vec<LogCode> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    build(Box::new(move |line| log.lock().unwrap().push(line.code)));
    let lines = lines.lock().unwrap();
    lines.clone()
}

#[test]
fn an_allowed_folder_that_does_not_exist_is_logged_at_start_and_once() {
    let dirs = ["/usr", "/nowhere/at/all"];
    let server = logged(|log| drop(Rootwise::options().allowed_dirs(dirs).log(log).build().unwrap()));
    assert_eq!(server, [LogCode::AllowedDirUnusable]);
    let gate =
        logged(|log| drop(ProjectGate::options().header("X-Project").allowed_dirs(dirs).log(log).build().unwrap()));
    assert_eq!(gate, [LogCode::AllowedDirUnusable]);
    let other = logged(|log| drop(Rootwise::options().allowed_dirs(["/usr"]).log(log).build().unwrap()));
    assert_eq!(other, []);
}
