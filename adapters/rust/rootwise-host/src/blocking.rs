//! A connection without a runtime: every call blocks its thread.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rootwise::action::{Answer, Probe};
use rootwise::endpoint::action::{EndpointAction, EndpointLog, ForwardMessage};
use rootwise::endpoint::event::{
    CallAsked, CallCleared, CallSelected, EndpointEvent, EndpointProbed, SessionMessage, SessionOpened,
};
use rootwise::event::{SelectBy, Want};
use rootwise::{AskId, ConfigError, Endpoint, Explanation, HostFacts, Millis, Misuse, Policy, Project, SessionId};

use crate::answer::{
    Selection, explanation_of, is_inside, project_and_hints_of, project_of, roots_of, selection_of, unselected_of,
};
use crate::ask::with_ask_id;
use crate::disk::{look, patience};
use crate::error::NoProject;
use crate::roots::Roots;

/// The session of a connection's client, for events.
pub const SESSION: SessionId = SessionId(1);

/// One client connection of a server that reads and writes JSON-RPC messages itself, on threads.
///
/// One thread reads messages and passes each to [`message`](Self::message). Any other thread may [`ask`](Self::ask): it
/// sleeps until the answer is there or the policy's `callerTimeoutMs` is over.
///
/// ```
/// use rootwise::{HostFacts, PathStyle, Policy};
/// use rootwise_host::blocking::Connection;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut host = HostFacts::new(PathStyle::native());
/// host.cwd = std::env::current_dir()?.to_str().map(str::to_owned);
/// let connection = Connection::new(Policy::recommended(), &host, |line: &str| println!("{line}"), |_| {})?;
/// // A request of the client is forwarded to the server:
/// let forwarded = connection.message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?;
/// assert_eq!(forwarded.len(), 1);
/// // No handshake yet, so the working directory decides:
/// let project = connection.ask();
/// # Ok(())
/// # }
/// ```
pub struct Connection(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    outbox: Mutex<Outbox>,
    write: Box<dyn Fn(&str) + Send + Sync>,
    log: Box<dyn Fn(&EndpointLog) + Send + Sync>,
    policy: Arc<Policy>,
    /// How long a disk check may take.
    patience: Duration,
    started: Instant,
}

struct State {
    endpoint: Endpoint,
    /// The asks whose threads wait, with their answers; any other answer is nobody's.
    asks: HashMap<AskId, Option<Answer>>,
    last_ask: u32,
}

/// Messages to the client, in order.
#[derive(Default)]
struct Outbox {
    lines: VecDeque<String>,
    /// Whether a thread writes.
    busy: bool,
}

/// What is left to do without the lock.
#[derive(Default)]
struct Rest {
    forwarded: Vec<ForwardMessage>,
    probes: Vec<Probe>,
    logs: Vec<EndpointLog>,
}

impl Connection {
    /// Opens a connection. `write` sends one message to the client, on a thread of the connection: a slow one delays only the
    /// messages after it. `log` receives log lines.
    ///
    /// ```
    /// use rootwise::host::Transport;
    /// use rootwise::{Policy, Reason};
    /// use rootwise_host::{blocking, host_facts};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "roots", "sources": [{ "from": "roots" }] }"#)?;
    /// let facts = host_facts(Transport::Stdio, &policy);
    /// let connection = blocking::Connection::new(policy, &facts, |line| println!("{line}"), |line| eprintln!("{}", line.message))?;
    /// connection.message(r#"{ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }"#)?;
    /// let error = connection.ask().unwrap_err();
    /// assert_eq!(error.reason(), Some(Reason::NoProject));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A host fact is invalid; the error names it.
    pub fn new(
        policy: impl Into<Arc<Policy>>,
        host: &HostFacts,
        write: impl Fn(&str) + Send + Sync + 'static,
        log: impl Fn(&EndpointLog) + Send + Sync + 'static,
    ) -> Result<Self, ConfigError> {
        let policy = policy.into();
        let patience = patience(&policy);
        let state = State { endpoint: Endpoint::new(policy.clone(), host)?, asks: HashMap::new(), last_ask: 0 };
        let connection = Self(Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            outbox: Mutex::default(),
            write: Box::new(write),
            log: Box::new(log),
            policy,
            patience,
            started: Instant::now(),
        }));
        // A new session is refused only for its facts, which have been checked.
        let _ = connection.feed(SessionOpened::new(SESSION, host.transport));
        Ok(connection)
    }

    /// Passes on one message of the client; returns what the server has to process itself.
    ///
    /// # Errors
    /// As [`feed`](Self::feed); no message of a client is a mistake of the host.
    pub fn message(&self, text: &str) -> Result<Vec<ForwardMessage>, Misuse> {
        self.feed(SessionMessage::new(SESSION, text))
    }

    /// Processes any event; returns the messages that the server has to process itself. The answer to an ask reaches nobody;
    /// use [`question`](Self::question).
    ///
    /// # Errors
    /// The event is a mistake of the host; nothing has changed.
    pub fn feed(&self, event: impl Into<EndpointEvent>) -> Result<Vec<ForwardMessage>, Misuse> {
        self.0.feed(event.into())
    }

    /// Returns the project of the client.
    ///
    /// # Errors
    /// No project was found.
    pub fn ask(&self) -> Result<Arc<Project>, NoProject> {
        project_of(self.question(asked())?)
    }

    /// As [`ask`](Self::ask), with the policy's hints, which are shown beside a result. A hint that comes once per connection comes
    /// with the first ask for hints.
    ///
    /// # Errors
    /// No project was found.
    pub fn project_and_hints(&self) -> Result<(Arc<Project>, Vec<String>), NoProject> {
        let mut asked = asked();
        asked.hints = true;
        project_and_hints_of(self.question(asked)?)
    }

    /// Returns the client's roots, each verified on disk where this machine may and can do so.
    ///
    /// ```
    /// use std::sync::{Mutex, mpsc};
    ///
    /// use rootwise::{HostFacts, PathStyle, Policy};
    /// use rootwise_host::blocking::Connection;
    /// use serde_json::{Value, json};
    ///
    /// let (sent, requests) = mpsc::channel();
    /// let sent = Mutex::new(sent);
    /// let write = move |line: &str| drop(sent.lock().map(|sent| sent.send(line.to_owned())));
    /// let connection = Connection::new(Policy::recommended(), &HostFacts::new(PathStyle::native()), write, |_| {})?;
    /// let capabilities = json!({ "roots": {} });
    /// let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": capabilities } });
    /// connection.message(&hello.to_string())?;
    /// connection.message(r#"{ "jsonrpc": "2.0", "method": "notifications/initialized" }"#)?;
    /// let roots = std::thread::scope(|threads| {
    ///     let asked = threads.spawn(|| connection.roots());
    ///     // The client reads the request and answers.
    ///     let request: Value = serde_json::from_str(&requests.recv()?)?;
    ///     let result = json!({ "roots": [{ "uri": "file:///work/app" }] });
    ///     connection.message(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())?;
    ///     Ok::<_, Box<dyn std::error::Error>>(asked.join().expect("no panic")?)
    /// })?;
    /// assert!(roots.answered && roots.roots.len() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The connection ended.
    pub fn roots(&self) -> Result<Roots, NoProject> {
        let mut asked = asked();
        asked.want = Want::Roots;
        roots_of(self.question(asked)?)
    }

    /// Returns the real path of a file or folder inside the client's roots. A relative path starts from the project.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy};
    /// use rootwise_host::blocking::Connection;
    ///
    /// let host = HostFacts::new(PathStyle::native());
    /// let connection = Connection::new(Policy::recommended(), &host, |_: &str| {}, |_| {})?;
    /// connection.message(r#"{ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }"#)?;
    /// // This client has no roots, so no file is inside one of them.
    /// let error = connection.resolve("src/lib.rs").unwrap_err();
    /// println!("{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The path is outside every root, or no root can be used on this machine; the text says which.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, NoProject> {
        let (roots, project) = (self.roots()?, self.project());
        Ok(roots.resolve(path, project.as_deref(), &self.0.policy)?)
    }

    /// Whether a path is inside the client's roots, by real path; see [`resolve`](Self::resolve).
    ///
    /// # Errors
    /// The connection ended, or the disk does not answer.
    pub fn inside(&self, path: &str) -> Result<bool, NoProject> {
        is_inside(self.resolve(path))
    }

    /// Selects the project of this connection: by [`SelectBy::Value`], a path, a `file:` URI or the name of a root.
    ///
    /// ```
    /// use rootwise::event::SelectBy;
    /// use rootwise::{HostFacts, PathStyle, Policy};
    /// use rootwise_host::blocking::Connection;
    ///
    /// let policy = Policy::from_json(r#"{ "name": "tool", "sources": [{ "from": "selected", "within": "anywhere" }] }"#)?;
    /// let connection = Connection::new(policy, &HostFacts::new(PathStyle::native()), |_: &str| {}, |_| {})?;
    /// let folder = std::env::current_dir()?.display().to_string();
    /// let selection = connection.select(SelectBy::Value(folder))?;
    /// assert_eq!(connection.ask()?.name, selection.project.name);
    /// println!("{}", selection.message);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The selection was refused.
    pub fn select(&self, by: SelectBy) -> Result<Selection, NoProject> {
        let mut selected = CallSelected::new(0, by);
        selected.session = Some(SESSION);
        selection_of(self.question(selected)?)
    }

    /// Removes the selection; returns the project that counts instead, if there is one.
    ///
    /// # Errors
    /// The policy does not let the project change, or the connection ended.
    pub fn unselect(&self) -> Result<Option<Arc<Project>>, NoProject> {
        let mut cleared = CallCleared::new(0);
        cleared.session = Some(SESSION);
        unselected_of(self.question(cleared)?)
    }

    /// Returns the result of every source; `text` is a small table.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy};
    /// use rootwise_host::blocking::Connection;
    ///
    /// let host = HostFacts::new(PathStyle::native());
    /// let connection = Connection::new(Policy::recommended(), &host, |_: &str| {}, |_| {})?;
    /// let explanation = connection.explain()?;
    /// assert_eq!(explanation.policy, "recommended");
    /// println!("{}", explanation.text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The connection ended.
    pub fn explain(&self) -> Result<Arc<Explanation>, NoProject> {
        let mut asked = asked();
        asked.explain = true;
        explanation_of(self.question(asked)?)
    }

    /// Asks, selects or clears, and waits for the answer; the id of the ask is replaced. Every wait ends by the policy's
    /// `callerTimeoutMs`. A call with facts of its own is started and ended with [`feed`](Self::feed).
    ///
    /// # Errors
    /// The event is a mistake of the host.
    pub fn question(&self, event: impl Into<EndpointEvent>) -> Result<Answer, Misuse> {
        let shared = &self.0;
        let mut state = shared.lock();
        let id = state.next_ask();
        state.asks.insert(id, None);
        let mut event = with_ask_id(event.into(), || id);
        loop {
            let rest = shared.process(&mut state, event).inspect_err(|_| drop(state.asks.remove(&id)))?;
            drop(state);
            shared.perform(rest);
            state = shared.lock();
            loop {
                if let Some(Some(answer)) = state.asks.get_mut(&id).map(Option::take) {
                    state.asks.remove(&id);
                    return Ok(answer);
                }
                // An ask that waits always has a deadline.
                let Some(deadline) = state.endpoint.deadline() else {
                    state.asks.remove(&id);
                    return Err(Misuse::Closed(id));
                };
                let wait = Duration::from_millis(deadline.0).saturating_sub(shared.started.elapsed());
                if wait.is_zero() {
                    break;
                }
                state = shared.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            event = EndpointEvent::DeadlineReached;
        }
    }

    /// The connection's project as far as it is known.
    #[must_use]
    pub fn project(&self) -> Option<Arc<Project>> {
        self.0.lock().endpoint.project(SESSION).cloned()
    }
}

fn asked() -> CallAsked {
    let mut asked = CallAsked::new(0);
    asked.session = Some(SESSION);
    asked
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn feed(self: &Arc<Self>, event: EndpointEvent) -> Result<Vec<ForwardMessage>, Misuse> {
        let mut state = self.lock();
        let event = with_ask_id(event, || state.next_ask());
        let rest = self.process(&mut state, event)?;
        drop(state);
        Ok(self.perform(rest))
    }

    fn process(&self, state: &mut State, event: EndpointEvent) -> Result<Rest, Misuse> {
        let mut rest = Rest::default();
        for action in state.endpoint.handle(event, self.now())?.actions {
            match action {
                EndpointAction::Answer(answer) => {
                    for ask in &answer.asks {
                        if let Some(waiting) = state.asks.get_mut(ask) {
                            *waiting = Some((*answer).clone());
                        }
                    }
                    self.changed.notify_all();
                }
                EndpointAction::Cancel(cancel) => self.outbox().lines.extend(cancel.message),
                EndpointAction::SendRequest(request) => self.outbox().lines.push_back(request.message),
                EndpointAction::Probe(wanted) => rest.probes.push(wanted),
                EndpointAction::Forward(forward) => rest.forwarded.push(forward),
                EndpointAction::Log(log) => rest.logs.push(log),
                _ => {}
            }
        }
        Ok(rest)
    }

    /// Does what may take long or call back: without the lock, and what may block for ever on other threads.
    fn perform(self: &Arc<Self>, rest: Rest) -> Vec<ForwardMessage> {
        let mut outbox = self.outbox();
        if !outbox.busy && !outbox.lines.is_empty() {
            let shared = self.clone();
            outbox.busy = in_background(move || shared.write_all());
        }
        drop(outbox);
        for wanted in rest.probes {
            let (shared, patience) = (Arc::downgrade(self), self.patience);
            in_background(move || {
                let paths = look(wanted.paths, patience);
                if let Some(shared) = shared.upgrade() {
                    // The id is the endpoint's own, so that it cannot refuse it.
                    let _ = shared.feed(EndpointProbed::new(wanted.probe, paths).into());
                }
            });
        }
        for log in &rest.logs {
            // The panic hook has reported it; the connection goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| (self.log)(log)));
        }
        rest.forwarded
    }

    fn write_all(&self) {
        loop {
            let mut outbox = self.outbox();
            let Some(line) = outbox.lines.pop_front() else {
                outbox.busy = false;
                return;
            };
            drop(outbox);
            // The panic hook has reported it; the connection goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| (self.write)(&line)));
        }
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

impl State {
    fn next_ask(&mut self) -> AskId {
        loop {
            self.last_ask = self.last_ask.wrapping_add(1);
            let id = AskId(self.last_ask);
            if !self.asks.contains_key(&id) {
                return id;
            }
        }
    }
}

/// Returns whether the work was started. Work that was not is like work that takes too long: the caller's deadline ends the wait.
fn in_background(work: impl FnOnce() + Send + 'static) -> bool {
    thread::Builder::new().name("rootwise".into()).spawn(work).is_ok()
}
