//! The memory of one client.

use std::sync::Arc;

use rmcp::model::CallToolRequestParams;
use rootwise_rmcp::host::{Cancelled, Host, Sender, Sending, host_facts};
use rootwise_rmcp::rootwise::Policy;
use rootwise_rmcp::rootwise::endpoint::action::RouteRequest;
use rootwise_rmcp::rootwise::endpoint::event::{CallAsked, SessionInitialized, SessionOpened, SessionReady};
use rootwise_rmcp::rootwise::host::Transport;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::calls::in_process;
use crate::server::Kind;

/// Prints the memory of one client in bytes, by what there is of it. Each case has a process of its own: what an earlier one freed
/// would count for a later one.
pub(crate) async fn measure(clients: usize) {
    let mut cases = Map::new();
    for case in ["alone", Kind::Without.name(), Kind::Known.name()] {
        let this = std::env::current_exe().unwrap();
        let output = tokio::process::Command::new(this).args(["memory", case, &clients.to_string()]).output().await;
        let bytes: u64 = String::from_utf8(output.unwrap().stdout).unwrap().trim().parse().unwrap();
        cases.insert(case.into(), bytes.into());
    }
    println!("{}", Value::Object(cases));
}

/// Prints the memory of one client, in bytes: its session in `rootwise-host` alone, or client and rmcp server too.
pub(crate) async fn print(case: &str, clients: usize) {
    println!(
        "{}",
        if case == "alone" { connections(clients).await } else { servers(Kind::named(case), clients).await }
    );
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

async fn connections(clients: usize) -> u64 {
    let policy = Arc::new(Policy::recommended());
    let host = Host::new(policy.clone(), &host_facts(Transport::Stdio, &policy), Arc::new(())).unwrap();
    let client = Arc::new(Client);
    let mut sessions = Vec::with_capacity(clients);
    let before = resident();
    for _ in 0..clients {
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
    each(before, clients)
}

async fn servers(kind: Kind, clients: usize) -> u64 {
    let projects = kind.projects();
    let mut open = Vec::with_capacity(clients);
    let before = resident();
    for _ in 0..clients {
        let client = in_process(kind, &projects).await;
        client.call_tool(CallToolRequestParams::new("status")).await.unwrap();
        open.push(client);
    }
    each(before, clients)
}

fn each(before: u64, clients: usize) -> u64 {
    resident().saturating_sub(before) / u64::try_from(clients).unwrap()
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
}
