//! One client of the server: its connection, and who is told about it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rmcp::RoleServer;
use rmcp::model::InitializeRequestParams;
use rmcp::service::Peer;
use rootwise::event::{AskBy, Asked, ClientInitialized, Event, RootsChanged, Want};
use rootwise::host::Transport;
use rootwise::{HostFacts, Outcome, Project};
use rootwise_host::{Connection, LogLine, Observer, Roots, Sender};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::projects::Shared;
use crate::sender::{PeerSender, StreamSender};
use crate::streams::Standalone;

/// A change of the project of one client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProjectChange {
    /// The new project.
    pub project: Option<Arc<Project>>,
    /// The previous project.
    pub previous: Option<Arc<Project>>,
    /// The HTTP session.
    pub session_id: Option<Arc<str>>,
}

/// A change of the roots of one client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RootsChange {
    /// The new roots.
    pub roots: Arc<Roots>,
    /// The previous roots.
    pub previous: Option<Arc<Roots>>,
    /// The HTTP session.
    pub session_id: Option<Arc<str>>,
}

/// One client of the server.
pub(crate) struct Session {
    shared: Arc<Shared>,
    connection: OnceLock<Option<Connection>>,
    /// Whether the client sent `initialize` to this session.
    initialized: AtomicBool,
    /// Whether the client talks to this process over its own standard input and output.
    stdio: AtomicBool,
    /// Whether the transport reports notifications, in order.
    observed: AtomicBool,
    /// The HTTP session that this one belongs to.
    id: OnceLock<Arc<str>>,
    /// The HTTP stream for requests outside calls, since a change of roots needed it.
    stream: Arc<OnceLock<Standalone>>,
    /// The roots that listeners know. Locked while they are told, so that they hear of the newest list last.
    told: Mutex<Option<Arc<Roots>>>,
    /// Counts the lists of roots.
    lists: AtomicU32,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self {
            shared,
            connection: OnceLock::new(),
            initialized: AtomicBool::new(false),
            stdio: AtomicBool::new(false),
            observed: AtomicBool::new(false),
            id: OnceLock::new(),
            stream: Arc::default(),
            told: Mutex::default(),
            lists: AtomicU32::new(0),
        })
    }

    /// The client sent `initialize`, which a handler processes.
    pub(crate) fn initialize(self: &Arc<Self>, params: &InitializeRequestParams, peer: &Peer<RoleServer>, http: bool) {
        // The transport has reported every one but the first, before which there is no connection.
        if !(self.is_observed() && self.is_initialized()) {
            self.begin(self.connection(peer, http), params);
        }
    }

    /// The client, or another one on the same transport, sent `initialize` again.
    pub(crate) fn initialize_again(&self, params: &InitializeRequestParams) {
        if self.is_initialized() {
            self.begin(self.open(), params);
        }
    }

    fn begin(&self, connection: Option<&Connection>, params: &InitializeRequestParams) {
        if let Some(connection) = connection {
            self.initialized.store(true, Ordering::Release);
            let roots = params.capabilities.roots.as_ref().and_then(|roots| serde_json::to_value(roots).ok());
            connection.initialized(ClientInitialized {
                protocol_version: to_raw_value(&params.protocol_version).ok(),
                capabilities: roots_capability(roots.as_ref()),
                client_info: client_info(&params.client_info.name),
            });
        }
    }

    /// Passes on an answer of the client to a request that it has already answered.
    pub(crate) fn answered_again(&self, answer: impl Into<Event>) {
        if let Some(connection) = self.open() {
            connection.feed(answer);
        }
    }

    pub(crate) fn ready(&self) {
        if let Some(connection) = self.open() {
            connection.ready();
        }
    }

    /// The roots changed; over HTTP, `stream` is where a request outside a call reaches the client.
    pub(crate) fn roots_changed(&self, stream: Option<&Standalone>) {
        if let Some(stream) = stream {
            self.stream.get_or_init(|| stream.clone());
        }
        if let Some(connection) = self.open() {
            connection.feed(RootsChanged { push: stream.is_some_and(Standalone::is_open) });
        }
    }

    pub(crate) fn input_closed(&self) {
        if let Some(connection) = self.open() {
            connection.input_closed();
        }
    }

    pub(crate) fn close(&self) {
        if let Some(connection) = self.open() {
            connection.close();
        }
    }

    /// Observes the transport, before the handshake.
    pub(crate) fn observe(&self, stdio: bool) {
        self.stdio.store(stdio, Ordering::Release);
        self.observed.store(true, Ordering::Release);
    }

    /// The facts about this process for this client.
    pub(crate) fn host(&self, http: bool) -> &Arc<HostFacts> {
        let stdio = self.stdio.load(Ordering::Acquire);
        self.shared.host(match http {
            true => Transport::Http,
            false if stdio => Transport::Stdio,
            false => Transport::Other,
        })
    }

    pub(crate) fn is_observed(&self) -> bool {
        self.observed.load(Ordering::Acquire)
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Whether a call of this HTTP session belongs to this client: to the one that sent `initialize` here. A server object
    /// that serves several sessions must not let one client's project pass to another.
    pub(crate) fn owns(&self, http_session: Option<&str>) -> bool {
        if !self.initialized.load(Ordering::Acquire) {
            return false;
        }
        let Some(id) = http_session else { return false };
        &**self.id.get_or_init(|| id.into()) == id
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.initialized.load(Ordering::Acquire)
    }

    /// The connection, which the first call opens.
    pub(crate) fn connection(self: &Arc<Self>, peer: &Peer<RoleServer>, http: bool) -> Option<&Connection> {
        let open = || {
            let host = self.host(http);
            let outside = PeerSender { peer: peer.clone(), call: None, broken: None };
            let push: Arc<dyn Sender> = if !http || host.push == Some(true) {
                Arc::new(outside)
            } else {
                // Over HTTP a request outside a call needs a stream that most clients do not open.
                Arc::new(StreamSender { sender: outside, stream: self.stream.clone() })
            };
            let observer = Arc::new(SessionObserver(Arc::downgrade(self)));
            // The options were checked; what is left is a call outside a runtime, which rmcp cannot make.
            Connection::new(self.shared.policy.clone(), host.clone(), Some(push), observer).ok()
        };
        self.connection.get_or_init(open).as_ref()
    }

    fn open(&self) -> Option<&Connection> {
        self.connection.get()?.as_ref()
    }

    fn id(&self) -> Option<Arc<str>> {
        self.id.get().cloned()
    }

    /// Tells a new list of roots to the listeners, verified, unless a newer one arrives meanwhile.
    fn roots_arrived(self: &Arc<Self>) {
        if self.shared.roots_listeners.is_empty() {
            return;
        }
        let list = self.lists.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        let session = self.clone();
        tokio::spawn(async move {
            let Some(connection) = session.open() else { return };
            let asked = Asked { want: Want::Roots, ask_by: Some(AskBy::None), ..Asked::default() };
            let Ok(answer) = connection.question(asked, None).await else { return };
            if let Outcome::Listed { roots, state } = answer.outcome {
                session.tell(Roots::new(roots, state), list);
            }
        });
    }

    fn tell(&self, roots: Roots, list: u32) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = told.as_ref().is_some_and(|told| told.roots == roots.roots);
        if is_known || self.lists.load(Ordering::Acquire) != list {
            return;
        }
        let roots = Arc::new(roots);
        let previous = told.replace(roots.clone());
        self.shared.roots_listeners.tell(&RootsChange { roots, previous, session_id: self.id() });
    }
}

/// Capabilities without those that say nothing about roots, which may be of any size.
pub(crate) fn roots_capability(roots: Option<&Value>) -> Option<Box<RawValue>> {
    let list_changed =
        |roots: &Value| json!({ "roots": { "listChanged": roots.get("listChanged") == Some(&true.into()) } });
    to_raw_value(&roots.filter(|roots| roots.is_object()).map_or_else(|| json!({}), list_changed)).ok()
}

/// The client's name, unless nobody could read it.
pub(crate) fn client_info(name: &str) -> Option<Box<RawValue>> {
    const MAX_BYTES: usize = 4 << 10;
    (name.len() <= MAX_BYTES).then(|| to_raw_value(&json!({ "name": name })).ok()).flatten()
}

/// Passes on what happens on a connection.
struct SessionObserver(Weak<Session>);

impl Observer for SessionObserver {
    fn log(&self, line: &LogLine) {
        if let Some(session) = self.0.upgrade() {
            session.shared.log(line);
        }
    }

    fn changed(&self, project: Option<&Arc<Project>>, previous: Option<&Arc<Project>>) {
        if let Some(session) = self.0.upgrade() {
            let (project, previous) = (project.cloned(), previous.cloned());
            session.shared.listeners.tell(&ProjectChange { project, previous, session_id: session.id() });
        }
    }

    fn roots_arrived(&self) {
        if let Some(session) = self.0.upgrade() {
            session.roots_arrived();
        }
    }
}
