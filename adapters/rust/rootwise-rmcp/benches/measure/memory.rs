//! The memory of one client.

use std::sync::Arc;

use rmcp::model::CallToolRequestParams;
use rootwise_rmcp::Rootwise;
use rootwise_rmcp::host::{Cancelled, Host, Sender, Sending, host_facts};
use rootwise_rmcp::rootwise::Policy;
use rootwise_rmcp::rootwise::endpoint::action::RouteRequest;
use rootwise_rmcp::rootwise::endpoint::event::{CallAsked, SessionInitialized, SessionOpened, SessionReady};
use rootwise_rmcp::rootwise::host::Transport;
use serde_json::value::RawValue;

use crate::calls::in_process;
use crate::server::Kind;

const CLIENTS: usize = 10_000;

/// Measures each case in a process of its own: what an earlier one freed would count for a later one.
pub(crate) async fn measure() {
    let [alone, without, with] = [of("alone").await, of("without").await, of("with").await];
    println!("{CLIENTS} sessions of rootwise-host alone, each with its roots and a known project: {alone} bytes each");
    println!(
        "{CLIENTS} clients and their rmcp servers: {without} bytes each, with Rootwise and a known project {with}, difference {}",
        with.saturating_sub(without)
    );
}

async fn of(case: &str) -> u64 {
    let this = std::env::current_exe().unwrap();
    let output = tokio::process::Command::new(this).args(["memory", case]).output().await.unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Prints the memory of one client, in bytes.
pub(crate) async fn print(case: &str) {
    println!("{}", if case == "alone" { connections().await } else { servers(Kind::named(case)).await });
}

/// A client with one root.
struct Client;

impl Sender for Client {
    fn send(&self, _request: RouteRequest, _cancelled: Cancelled) -> Sending {
        Box::pin(async { Ok(raw(r#"{"roots":[{"uri":"file:///usr/share"}]}"#)) })
    }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

async fn connections() -> u64 {
    let policy = Arc::new(Policy::recommended());
    let host = Host::new(policy.clone(), &host_facts(Transport::Stdio, &policy), Arc::new(())).unwrap();
    let client = Arc::new(Client);
    let mut sessions = Vec::with_capacity(CLIENTS);
    let before = resident();
    for _ in 0..CLIENTS {
        let session = host.open(SessionOpened::new(0, Transport::Stdio), client.clone()).unwrap();
        let mut initialized = SessionInitialized::new(session.id());
        initialized.capabilities = Some(raw(r#"{"roots":{"listChanged":true}}"#));
        host.feed(initialized).unwrap();
        host.feed(SessionReady::new(session.id())).unwrap();
        let mut asked = CallAsked::new(0);
        asked.session = Some(session.id());
        session.ask(asked).await.unwrap();
        sessions.push(session);
    }
    each(before)
}

async fn servers(kind: Kind) -> u64 {
    let projects = Rootwise::options().local(true).build().unwrap();
    let mut clients = Vec::with_capacity(CLIENTS);
    let before = resident();
    for _ in 0..CLIENTS {
        let client = in_process(kind, &projects).await;
        client.call_tool(CallToolRequestParams::new("status")).await.unwrap();
        clients.push(client);
    }
    each(before)
}

fn each(before: u64) -> u64 {
    resident().saturating_sub(before) / u64::try_from(CLIENTS).unwrap()
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
}
