//! The time of one call.

use std::process::Stdio;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, ClientConfig, ListRootsResult, Root};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use rootwise_rmcp::Rootwise;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::server::{self, Kind};

pub(crate) type Client = RunningService<RoleClient, Roots>;

/// A client that has one root.
pub(crate) struct Roots;

/// How often the clients of this process were asked for their roots.
static QUESTIONS: AtomicU32 = AtomicU32::new(0);

impl ClientHandler for Roots {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = serde_json::from_str(r#"{"roots":{}}"#).unwrap();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        QUESTIONS.fetch_add(1, Ordering::Relaxed);
        Ok(ListRootsResult::new(vec![Root::new("file:///usr/share")]))
    }
}

/// One way between client and server.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    clock: fn() -> Duration,
    kinds: &'static [Kind],
    /// Calls in one measurement.
    calls: u32,
}

/// In one process, all work is done by one thread, so that its processor time is exact even on a machine that is busy. Between
/// processes, what counts is the time until the answer is there.
const WAYS: [Way; 3] = [
    Way { name: "memory", clock: processor_time, kinds: &Kind::ALL, calls: 50 },
    Way { name: "stdio", clock: time, kinds: &BETWEEN, calls: 20 },
    Way { name: "http", clock: time, kinds: &BETWEEN, calls: 10 },
];

const BETWEEN: [Kind; 5] = [Kind::Without, Kind::Equal, Kind::Known, Kind::Refreshed, Kind::Asking];

fn time() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed()
}

#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

#[cfg(not(unix))]
use time as processor_time;

/// Prints the microseconds of a call in each round, by way and kind of server. All servers of a way take turns in every round.
pub(crate) async fn measure(rounds: usize) {
    let mut ways = Map::new();
    for way in WAYS {
        let mut servers = Vec::new();
        for kind in way.kinds {
            let server = connect(way.name, *kind).await;
            round(&server.client, Way { calls: 200, ..way }).await;
            servers.push((*kind, server, Vec::new()));
        }
        let count = servers.len();
        for turn in 0..rounds {
            for at in 0..count {
                let (_, server, took) = servers.get_mut((turn + at) % count).unwrap();
                took.push(round(&server.client, way).await);
            }
        }
        let mut kinds = Map::new();
        for (kind, server, took) in servers {
            kinds.insert(kind.name().into(), took.into());
            if kind == Kind::Refreshed {
                kinds.insert("questions".into(), questions(&server.client, way).await.into());
            }
            server.client.cancel().await.unwrap();
            if let Some(mut process) = server.process {
                process.kill().await.unwrap();
            }
        }
        ways.insert(way.name.into(), kinds.into());
    }
    println!("{}", Value::Object(ways));
}

/// Calls one server again and again.
pub(crate) async fn repeat(kind: Kind, calls: u32) {
    let server = connect("memory", kind).await;
    round(&server.client, Way { calls, ..WAYS[0] }).await;
}

/// The time of one call, in microseconds.
async fn round(client: &Client, way: Way) -> f64 {
    let began = (way.clock)();
    for _ in 0..way.calls {
        client.call_tool(CallToolRequestParams::new("status")).await.unwrap();
    }
    ((way.clock)() - began).as_nanos() as f64 / 1_000.0 / f64::from(way.calls)
}

/// How often one call asks its client.
async fn questions(client: &Client, way: Way) -> f64 {
    let before = QUESTIONS.load(Ordering::Relaxed);
    round(client, way).await;
    f64::from(QUESTIONS.load(Ordering::Relaxed).wrapping_sub(before)) / f64::from(way.calls)
}

struct Server {
    client: Client,
    /// Where it runs, if that is not here and nobody else ends it.
    process: Option<Child>,
}

async fn connect(way: &str, kind: Kind) -> Server {
    let this = std::env::current_exe().unwrap();
    match way {
        "memory" => Server { client: in_process(kind, &kind.projects()).await, process: None },
        "stdio" => {
            let mut command = Command::new(this);
            command.args(["serve", "stdio", kind.name()]);
            Server { client: client_over(TokioChildProcess::new(command).unwrap()).await, process: None }
        }
        _ => {
            let mut command = Command::new(this);
            let mut process = command.args(["serve", "http", kind.name()]).stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
            let url = lines.next_line().await.unwrap().unwrap();
            let transport = StreamableHttpClientTransport::from_uri(url);
            Server { client: client_over(transport).await, process: Some(process) }
        }
    }
}

/// A client whose server runs in this process too.
pub(crate) async fn in_process(kind: Kind, projects: &Rootwise) -> Client {
    let (server, client) = tokio::io::duplex(1 << 16);
    let projects = projects.clone();
    tokio::spawn(async move { server::serve(kind, &projects, server).await });
    client_over(client).await
}

async fn client_over<T, E, A>(transport: T) -> Client
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    Roots.serve(transport).await.unwrap()
}
