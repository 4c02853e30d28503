//! Measures a tool call whose project is known against the same call without Rootwise, and the memory of 10,000 connections.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first surprise"
)]
#![allow(deprecated, reason = "the protocol deprecates roots")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, ClientConfig, ListRootsResult, Root};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router,
};
use rootwise_rmcp::host::{Connection, host_facts};
use rootwise_rmcp::rootwise::event::{Asked, ClientInitialized, RootsListed};
use rootwise_rmcp::rootwise::host::Transport;
use rootwise_rmcp::rootwise::{Event, Policy};
use rootwise_rmcp::{NoProject, Projects};
use serde_json::value::RawValue;

#[derive(Clone)]
struct Server {
    projects: Option<Projects>,
}

#[tool_router]
impl Server {
    #[tool]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        match &self.projects {
            Some(projects) => Ok(projects.project(&context).await?.name.clone()),
            None => Ok("share".into()),
        }
    }
}

#[tool_handler]
impl ServerHandler for Server {}

struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = serde_json::from_str(r#"{"roots":{}}"#).unwrap();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///usr/share")]))
    }
}

async fn connect(projects: Option<Projects>) -> RunningService<RoleClient, Client> {
    let (server, client) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let handler = Server { projects: projects.clone() };
        match projects {
            Some(projects) => projects.serve(handler, server).await.unwrap().waiting().await.unwrap(),
            None => handler.serve(server).await.unwrap().waiting().await.unwrap(),
        }
    });
    Client.serve(client).await.unwrap()
}

async fn round(client: &RunningService<RoleClient, Client>, calls: u32) -> Duration {
    let began = Instant::now();
    for _ in 0..calls {
        client.call_tool(CallToolRequestParams::new("status")).await.unwrap();
    }
    began.elapsed() / calls
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).unwrap().as_nanos() as f64 / 1_000.0
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let plain = connect(None).await;
    let with = connect(Some(Projects::recommended().unwrap())).await;
    for client in [&plain, &with] {
        round(client, 500).await;
    }
    // In turns, so that both see the same machine.
    let (mut without_times, mut with_times) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        without_times.push(round(&plain, 100).await);
        with_times.push(round(&with, 100).await);
    }
    let (without, with) = (median(without_times), median(with_times));
    println!(
        "a tool call without Rootwise {without:.1} µs, with a known project {with:.1} µs, ratio {:.3}",
        with / without
    );

    let policy = Arc::new(Policy::recommended());
    let host = Arc::new(host_facts(Transport::Stdio, &policy));
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let before = resident();
    let mut connections = Vec::new();
    for _ in 0..10_000 {
        let connection = Connection::new(policy.clone(), host.clone(), None, Arc::new(())).unwrap();
        let capabilities = Some(raw(r#"{"roots":{"listChanged":true}}"#));
        connection.initialized(ClientInitialized { capabilities, ..ClientInitialized::default() });
        connection.feed(Event::ClientReady);
        let result = raw(r#"{"roots":[{"uri":"file:///usr/share"}]}"#);
        connection.feed(RootsListed { request: None, result });
        connection.ask(Asked::default(), None).await.unwrap();
        connections.push(connection);
    }
    let each = resident().saturating_sub(before) / 10_000;
    println!("{} connections, each with its roots and a known project: {each} bytes of memory each", connections.len());
}
