//! `rootwise run --http`: the same over Streamable HTTP, for several clients at once.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router as Routes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::sse::{Event as Part, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise_host::{headers_of, query_of};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::lines::{MAX_LINE, Queue};
use super::message::{self, Head, Id, Kind, Params};
use super::router::{Event, TICK};
use super::shell::{Setup, Shell, TERM, Wire, log};
use super::signals::{Heard, Signals};
use super::streams::{Said, Streams};
use crate::output::Failure;
use crate::web;

/// Clients with a session.
const MAX_SESSIONS: usize = 100;
/// How long the servers may take to end.
const FAREWELL: Duration = Duration::from_secs(12);
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The first revision without sessions.
const MODERN: &str = "2026-07-28";

struct Door {
    setup: Setup,
    /// What the policy reads of a request.
    inputs: PolicyInputs,
    idle: Duration,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    of_sessions: HashMap<String, Arc<Client>>,
    /// The requests without a session, each of which stands alone.
    alone: Option<Arc<Client>>,
}

struct Client {
    shell: Arc<Shell>,
    streams: Arc<Streams>,
    running: JoinHandle<i32>,
}

/// Serves until a signal; returns the exit status.
pub(super) async fn serve(setup: Setup, port: u16, idle: Duration) -> Result<i32, Failure> {
    // Before there is a server.
    let mut signals = Signals::catch();
    let listener = web::listen(port).await?;
    let inputs = PolicyInputs::of(&setup.policy);
    let door = Arc::new(Door { setup, inputs, idle, clients: Mutex::default() });
    let handlers = post(said).get(listens).delete(leaves);
    let routes = Routes::new().route("/mcp", handlers).layer(DefaultBodyLimit::max(MAX_LINE)).with_state(door.clone());
    let looking = tokio::spawn(door.clone().look_for_idle());
    let mut last = None;
    let stopped = async {
        loop {
            match signals.next().await {
                passed @ Heard::Pass(_) => door.tell_all(&passed),
                end @ Heard::End(_) => break last = Some(end),
            }
        }
    };
    web::serve(listener, routes, stopped).await?;
    looking.abort();
    door.close(&last.unwrap_or(Heard::End(TERM))).await;
    Ok(0)
}

impl Door {
    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, is_shared: bool) -> Result<Arc<Client>, Failure> {
        let streams = Streams::new(is_shared);
        let (shell, running) = Shell::open(&self.setup, Wire::Web(streams.clone()))?;
        let serving = shell.clone();
        let running = tokio::spawn(async move {
            let code = running.end(&serving).await;
            serving.finish();
            code
        });
        Ok(Arc::new(Client { shell, streams, running }))
    }

    /// The client of a session; its name is new.
    fn begin(&self) -> Result<(String, Arc<Client>), Failure> {
        let mut clients = self.clients();
        clients.of_sessions.retain(|_, client| !client.running.is_finished());
        if clients.of_sessions.len() >= MAX_SESSIONS {
            let unused =
                clients.of_sessions.iter().filter_map(|(name, known)| Some((known.streams.unused_since()?, name)));
            let oldest = unused.min().map(|(_, name)| name.clone());
            let Some(oldest) = oldest.and_then(|name| clients.of_sessions.remove(&name)) else {
                return Err(Failure(format!("{MAX_SESSIONS} clients are connected, and there may be no more")));
            };
            oldest.leave();
        }
        let (name, client) = (uuid::Uuid::new_v4().to_string(), self.open(false)?);
        clients.of_sessions.insert(name.clone(), client.clone());
        Ok((name, client))
    }

    fn session(&self, headers: &HeaderMap) -> Option<Arc<Client>> {
        let name = headers.get(&SESSION)?.to_str().ok()?;
        let client = self.clients().of_sessions.get(name).cloned();
        client.filter(|client| !client.running.is_finished()).inspect(|client| client.streams.touch())
    }

    fn alone(&self) -> Result<Arc<Client>, Failure> {
        let mut clients = self.clients();
        if let Some(client) = clients.alone.as_ref().filter(|client| !client.running.is_finished()) {
            return Ok(client.clone());
        }
        let client = self.open(true)?;
        clients.alone = Some(client.clone());
        Ok(client)
    }

    /// Clients that went away without a word leave.
    async fn look_for_idle(self: Arc<Self>) {
        loop {
            tokio::time::sleep(TICK).await;
            self.clients().of_sessions.retain(|_, client| {
                let is_idle = client.streams.unused_since().is_some_and(|since| since.elapsed() >= self.idle);
                if is_idle {
                    client.leave();
                }
                !is_idle && !client.running.is_finished()
            });
        }
    }

    fn tell_all(&self, heard: &Heard) {
        let clients = self.clients();
        for client in clients.of_sessions.values().chain(&clients.alone) {
            client.shell.heard(heard);
        }
    }

    async fn close(&self, end: &Heard) {
        let clients = {
            let mut clients = self.clients();
            let alone = clients.alone.take();
            clients.of_sessions.drain().map(|(_, client)| client).chain(alone).collect::<Vec<_>>()
        };
        for client in &clients {
            client.shell.heard(end);
        }
        let until = Instant::now().checked_add(FAREWELL);
        while clients.iter().any(|client| !client.running.is_finished())
            && until.is_some_and(|until| Instant::now() < until)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Client {
    fn leave(&self) {
        self.shell.later(Event::ClientEnded);
    }
}

/// A message of a client.
async fn said(State(door): State<Arc<Door>>, headers: HeaderMap, uri: Uri, body: Bytes) -> Response {
    let line = one_line(&body);
    let text = line.clone();
    let mut head = Head::of(&text);
    let kind = head.kind();
    let is_initialize = matches!(&kind, Kind::Request(_, method) if method == "initialize");
    let is_modern = headers.get(&REVISION).is_some_and(|revision| revision.as_bytes() >= MODERN.as_bytes());
    let found = if headers.contains_key(&SESSION) {
        let Some(client) = door.session(&headers) else {
            return refused(StatusCode::NOT_FOUND, "the session is over; begin a new one with `initialize`");
        };
        Ok((None, client))
    } else if is_initialize {
        door.begin().map(|(name, client)| (Some(name), client))
    } else if is_modern && matches!(&kind, Kind::Request(..)) && !says_revision(&head) {
        return refused(StatusCode::BAD_REQUEST, "a request of this revision says so in its `_meta` as well");
    } else if is_modern {
        door.alone().map(|client| (None, client))
    } else {
        return refused(StatusCode::BAD_REQUEST, "begin with `initialize`, and name the session in `Mcp-Session-Id`");
    };
    let (name, client) = match found {
        Ok(found) => found,
        Err(Failure(text)) => return refused(StatusCode::SERVICE_UNAVAILABLE, &text),
    };
    let mut response = match kind {
        Kind::Request(id, _) => {
            let said = Said { headers: headers_of(&headers, &door.inputs), query: query_of(&uri, &door.inputs) };
            let Some(opened) = client.streams.open(id, line, said) else {
                return refused(StatusCode::BAD_REQUEST, "the id of this request is in use");
            };
            client.shell.take(opened.line).await;
            streamed(opened.lines, Reader { client, id: opened.id, _reader: opened.reader })
        }
        // The names of such requests are not those that the servers know, and closing their stream cancels them.
        Kind::Notification(_) | Kind::Response(_) if client.streams.is_shared() => StatusCode::ACCEPTED.into_response(),
        Kind::Notification(_) | Kind::Response(_) => {
            client.shell.take(line).await;
            StatusCode::ACCEPTED.into_response()
        }
        Kind::Other => return refused(StatusCode::BAD_REQUEST, "the body must be one JSON-RPC message"),
    };
    if let Some(name) = name.and_then(|name| name.parse().ok()) {
        response.headers_mut().insert(SESSION, name);
    }
    response
}

/// Whether a request without a session says in its `_meta` what `initialize` says of others.
fn says_revision(head: &Head<'_>) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
        revision: Option<IgnoredAny>,
    }
    let meta = Params::of(head.params).meta.and_then(|meta| serde_json::from_str::<Meta>(meta.get()).ok());
    meta.is_some_and(|meta| meta.revision.is_some())
}

/// A client that listens to what belongs to no request.
async fn listens(State(door): State<Arc<Door>>, headers: HeaderMap) -> Response {
    match door.session(&headers) {
        Some(client) => {
            let lines = client.streams.open_outside();
            let channel = client.shell.channel();
            streamed(lines, channel)
        }
        None if headers.contains_key(&SESSION) => refused(StatusCode::NOT_FOUND, "the session is over"),
        None => refused(StatusCode::METHOD_NOT_ALLOWED, "only a session has such a stream"),
    }
}

/// A client that leaves.
async fn leaves(State(door): State<Arc<Door>>, headers: HeaderMap) -> Response {
    let name = headers.get(&SESSION).and_then(|name| name.to_str().ok()).unwrap_or_default();
    match door.clients().of_sessions.remove(name) {
        Some(client) => {
            client.leave();
            StatusCode::NO_CONTENT.into_response()
        }
        None => refused(StatusCode::NOT_FOUND, "the session is over"),
    }
}

/// Reads the answer of a request; dropped with its stream.
struct Reader {
    client: Arc<Client>,
    id: Id,
    _reader: watch::Sender<()>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.client.streams.gone(&self.id) && self.client.streams.is_shared() {
            let line = message::cancelled(&self.id, "the client closed the stream");
            self.client.shell.later(Event::ClientLine { line, known: None });
        }
    }
}

fn streamed<R: Send + 'static>(queue: Queue, reader: R) -> Response {
    let parts = futures_util::stream::unfold((queue, reader), async |(mut queue, reader)| {
        let line = queue.lines.recv().await?;
        queue.gauge.remove(line.len());
        let part = Part::default().data(String::from_utf8_lossy(one_line(&line).trim_ascii()));
        Some((Ok::<_, Infallible>(part), (queue, reader)))
    });
    Sse::new(parts).keep_alive(KeepAlive::new()).into_response()
}

/// A message without ends of lines in it, which are white space in JSON, and with one after it.
fn one_line(message: &[u8]) -> Bytes {
    let space = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
    message.trim_ascii().iter().map(space).chain([b'\n']).collect()
}

fn refused(status: StatusCode, text: &str) -> Response {
    if status == StatusCode::SERVICE_UNAVAILABLE {
        log(text);
    }
    let body = message::error("null", message::INVALID_REQUEST, "refused", text);
    (status, [("content-type", "application/json")], body).into_response()
}
