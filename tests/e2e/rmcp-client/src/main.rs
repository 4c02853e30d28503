//! The official Rust client as a peer: plays the same scripts as `../python/peer.py` and prints their results.

// The protocol deprecates roots, but most clients still use them.
#![allow(deprecated)]

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{CallToolRequestParams, ClientConfig, ErrorCode, ListRootsResult, ProtocolVersion, Root};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::RwLock;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone)]
struct Peer {
    roots: Arc<RwLock<Value>>,
    asked: Arc<AtomicUsize>,
    declares: bool,
}

impl ClientHandler for Peer {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        if self.declares {
            let declared = json!({ "roots": { "listChanged": true } });
            config.capabilities = serde_json::from_value(declared).unwrap_or_default();
        }
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let roots = self.roots.read().await.clone();
        match roots {
            Value::Array(uris) => {
                Ok(ListRootsResult::new(uris.iter().filter_map(Value::as_str).map(Root::new).collect()))
            }
            Value::String(word) if word == "silent" => std::future::pending().await,
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None)),
        }
    }
}

async fn connect(peer: Peer, script: &Value) -> Result<RunningService<RoleClient, Peer>, Failure> {
    let lifecycle = if script["era"] == "modern" {
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let server = &script["server"];
    if let Some(url) = server["url"].as_str() {
        return Ok(peer.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle).await?);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut command = tokio::process::Command::new(text(&server["command"]));
    command
        .args(server["args"].as_array().into_iter().flatten().map(text))
        .current_dir(text(&server["cwd"]))
        .env_clear();
    command.envs(server["env"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value))));
    let (transport, _) = TokioChildProcess::builder(command).stderr(Stdio::inherit()).spawn()?;
    Ok(peer.serve_with_lifecycle(transport, lifecycle).await?)
}

async fn call(client: &RunningService<RoleClient, Peer>, name: &str) -> Result<Value, Failure> {
    let result = client.call_tool(CallToolRequestParams::new(name.to_owned())).await?;
    let result = serde_json::to_value(result)?;
    let parts = result["content"].as_array().into_iter().flatten();
    let text: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    Ok(json!({ "text": text.join("\n"), "failed": result["isError"] == true }))
}

async fn play(script: &Value) -> Result<Value, Failure> {
    let peer = Peer {
        roots: Arc::new(RwLock::new(script["roots"].clone())),
        asked: Arc::default(),
        declares: !script["roots"].is_null(),
    };
    let (roots, asked) = (peer.roots.clone(), peer.asked.clone());
    let client = Arc::new(connect(peer, script).await?);
    let mut results = Vec::new();
    for step in script["steps"].as_array().into_iter().flatten() {
        if !step["roots"].is_null() {
            *roots.write().await = step["roots"].clone();
            client.notify_roots_list_changed().await?;
            continue;
        }
        let name = step["call"].as_str().unwrap_or_default().to_owned();
        let calls = (0..step["times"].as_u64().unwrap_or(1)).map(|_| {
            let (client, name) = (client.clone(), name.clone());
            tokio::spawn(async move { call(&client, &name).await })
        });
        let mut answers = Vec::new();
        for running in calls.collect::<Vec<_>>() {
            answers.push(running.await??);
        }
        results.push(answers);
    }
    Ok(json!({ "results": results, "asked": asked.load(Ordering::SeqCst) }))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let scripts: Vec<Value> = serde_json::from_str(&std::env::args().nth(1).ok_or("scripts are needed")?)?;
    for script in &scripts {
        // Only the test of this script fails.
        let outcome = play(script).await.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        println!("{outcome}");
    }
    // A deliberately silent client would wait forever.
    std::process::exit(0)
}
