//! The time of one call.

use std::process::Stdio;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, ClientConfig, ListRootsResult, Root};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use rootwise_rmcp::Rootwise;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::server::{self, Kind};

pub(crate) type Client = RunningService<RoleClient, Roots>;

/// A client that has one root.
pub(crate) struct Roots;

impl ClientHandler for Roots {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = serde_json::from_str(r#"{"roots":{}}"#).unwrap();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///usr/share")]))
    }
}

/// One way between client and server.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    clock: fn() -> Duration,
    /// Short measurements of each server.
    rounds: usize,
    /// Calls of one of them.
    calls: u32,
}

/// In one process, all work is done by one thread, so that its processor time is exact even on a machine that is busy. Between
/// processes, what counts is the time until the answer is there.
const WAYS: [Way; 3] = [
    Way { name: "in one process", clock: processor_time, rounds: 400, calls: 50 },
    Way { name: "over stdio", clock: time, rounds: 400, calls: 20 },
    Way { name: "over HTTP", clock: time, rounds: 400, calls: 10 },
];

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

pub(crate) async fn measure() {
    for way in WAYS {
        // Two servers without Rootwise show what the machine does to equal servers.
        let without = connect(way.name, Kind::Without).await;
        let equal = connect(way.name, Kind::Without).await;
        let with = connect(way.name, Kind::With).await;
        for server in [&without, &equal, &with] {
            round(&server.client, Way { calls: 500, ..way }).await;
        }
        let control = compare(&without.client, &equal.client, way).await;
        let known = compare(&without.client, &with.client, way).await;
        println!(
            "{}: without Rootwise {:.1} µs, with a known project {:.1} µs, ratio {:.3} (two equal servers: {:.3})",
            way.name, known.first, known.second, known.ratio, control.ratio
        );
        for server in [without, equal, with] {
            server.client.cancel().await.unwrap();
            if let Some(mut process) = server.process {
                process.kill().await.unwrap();
            }
        }
    }
}

/// Calls one server again and again.
pub(crate) async fn repeat(kind: Kind, calls: u32) {
    let server = connect("in one process", kind).await;
    round(&server.client, Way { name: "", clock: time, rounds: 1, calls }).await;
}

struct Compared {
    first: f64,
    second: f64,
    ratio: f64,
}

/// Measures two servers in turns. Of each, the quicker quarter of the rounds ends with its figure: what else the machine does
/// only adds time.
async fn compare(first: &Client, second: &Client, way: Way) -> Compared {
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for turn in 0..way.rounds {
        // Each is first in half of the turns.
        if turn % 2 == 0 {
            firsts.push(round(first, way).await);
        }
        seconds.push(round(second, way).await);
        if turn % 2 == 1 {
            firsts.push(round(first, way).await);
        }
    }
    let (first, second) = (quicker_quarter(firsts), quicker_quarter(seconds));
    Compared { first, second, ratio: second / first }
}

/// The time of one call, in microseconds.
async fn round(client: &Client, way: Way) -> f64 {
    let began = (way.clock)();
    for _ in 0..way.calls {
        client.call_tool(CallToolRequestParams::new("status")).await.unwrap();
    }
    ((way.clock)() - began).as_nanos() as f64 / 1_000.0 / f64::from(way.calls)
}

fn quicker_quarter(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    *figures.get(figures.len() / 4).unwrap()
}

struct Server {
    client: Client,
    /// Where it runs, if that is not here and nobody else ends it.
    process: Option<Child>,
}

async fn connect(way: &str, kind: Kind) -> Server {
    let this = std::env::current_exe().unwrap();
    match way {
        "in one process" => {
            Server { client: in_process(kind, &Rootwise::options().local(true).build().unwrap()).await, process: None }
        }
        "over stdio" => {
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
