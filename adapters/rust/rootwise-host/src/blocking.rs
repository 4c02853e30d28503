//! A connection without a runtime: every call blocks its thread.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rootwise::action::{Answer, Forward, Log, Probe};
use rootwise::event::{Asked, Event, Message, Probed};
use rootwise::{Action, AskId, ConfigError, HostFacts, Millis, Misuse, Policy, Project, Resolver};

use crate::disk::{look, patience};
use crate::error::NoProject;
use crate::question::{Question, project_of, with_own_id};

/// One client connection of a server that reads and writes JSON-RPC messages itself, on threads.
///
/// One thread reads messages and passes each to [`message`](Self::message). Any other thread may [`ask`](Self::ask): it
/// sleeps until the answer is there or the policy's `waitMs` is over.
///
/// ```
/// use rootwise::{HostFacts, PathStyle, Policy};
/// use rootwise::event::Asked;
/// use rootwise_host::blocking::Connection;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut host = HostFacts::new(PathStyle::native());
/// host.cwd = std::env::current_dir()?.to_str().map(str::to_owned);
/// let connection = Connection::new(Policy::recommended(), host, |line: &str| println!("{line}"), |_| {})?;
/// // A request of the client is forwarded to the server:
/// let forwarded = connection.message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?;
/// assert_eq!(forwarded.len(), 1);
/// // No handshake yet, so the working directory decides:
/// let project = connection.ask(Asked::new(1));
/// # Ok(())
/// # }
/// ```
pub struct Connection(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    outbox: Mutex<Outbox>,
    write: Box<dyn Fn(&str) + Send + Sync>,
    log: Box<dyn Fn(&Log) + Send + Sync>,
    /// How long a look at the disk may take.
    patience: Duration,
    started: Instant,
}

struct State {
    resolver: Resolver,
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
    forwarded: Vec<Forward>,
    probes: Vec<Probe>,
    logs: Vec<Log>,
}

impl Connection {
    /// Opens a connection. `write` sends one message to the client, on a thread of the connection: a slow one delays only the
    /// messages after it. `log` receives log lines.
    ///
    /// # Errors
    /// A host fact cannot work; the error names it.
    pub fn new(
        policy: impl Into<Arc<Policy>>,
        host: impl Into<Arc<HostFacts>>,
        write: impl Fn(&str) + Send + Sync + 'static,
        log: impl Fn(&Log) + Send + Sync + 'static,
    ) -> Result<Self, ConfigError> {
        let policy = policy.into();
        let patience = patience(&policy);
        let state = State { resolver: Resolver::new(policy, host)?, asks: HashMap::new(), last_ask: 0 };
        Ok(Self(Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            outbox: Mutex::default(),
            write: Box::new(write),
            log: Box::new(log),
            patience,
            started: Instant::now(),
        })))
    }

    /// Passes on one message of the client; returns what the server has to process itself.
    ///
    /// # Errors
    /// The message is larger than the policy's limit.
    pub fn message(&self, text: &str) -> Result<Vec<Forward>, Misuse> {
        self.feed(Message { text: text.into() })
    }

    /// Processes any event; returns the messages that the server has to process itself. The answer to a question reaches
    /// nobody; use [`question`](Self::question).
    ///
    /// # Errors
    /// The event is a mistake of the host; nothing has changed.
    pub fn feed(&self, event: impl Into<Event>) -> Result<Vec<Forward>, Misuse> {
        self.0.feed(event.into())
    }

    /// Returns the project of a call; its id is replaced.
    ///
    /// # Errors
    /// No project was found, or the client must send its roots with a repeated call.
    pub fn ask(&self, asked: Asked) -> Result<Arc<Project>, NoProject> {
        project_of(self.question(asked)?)
    }

    /// Passes a question to the resolver and waits for its answer; every wait ends by the policy's `waitMs`.
    ///
    /// # Errors
    /// The connection is closed, or the question is too large.
    pub fn question(&self, question: impl Into<Question>) -> Result<Answer, NoProject> {
        let shared = &self.0;
        let mut state = shared.lock();
        let id = state.next_ask();
        state.asks.insert(id, None);
        let mut event = question.into().with_id(id);
        loop {
            let rest = match shared.process(&mut state, event) {
                Ok(rest) => rest,
                Err(misuse) => {
                    state.asks.remove(&id);
                    return Err(NoProject::new(misuse.code(), misuse.to_string()));
                }
            };
            drop(state);
            shared.perform(rest);
            state = shared.lock();
            loop {
                if let Some(Some(answer)) = state.asks.get_mut(&id).map(Option::take) {
                    state.asks.remove(&id);
                    return Ok(answer);
                }
                // An ask that waits always has a deadline.
                let Some(deadline) = state.resolver.deadline() else {
                    state.asks.remove(&id);
                    return Err(NoProject::closed());
                };
                let wait = Duration::from_millis(deadline.0).saturating_sub(shared.started.elapsed());
                if wait.is_zero() {
                    break;
                }
                state = shared.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            event = Event::DeadlineReached;
        }
    }

    /// The connection's project as far as it is known.
    #[must_use]
    pub fn project(&self) -> Option<Arc<Project>> {
        self.0.lock().resolver.project().cloned()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn feed(self: &Arc<Self>, event: Event) -> Result<Vec<Forward>, Misuse> {
        let mut state = self.lock();
        let event = with_own_id(event, || state.next_ask());
        let rest = self.process(&mut state, event)?;
        drop(state);
        Ok(self.perform(rest))
    }

    fn process(&self, state: &mut State, event: Event) -> Result<Rest, Misuse> {
        let mut rest = Rest::default();
        for action in state.resolver.handle(event, self.now())? {
            match action {
                Action::Answer(answer) => {
                    for ask in &answer.asks {
                        if let Some(waiting) = state.asks.get_mut(ask) {
                            *waiting = Some((*answer).clone());
                        }
                    }
                    self.changed.notify_all();
                }
                Action::Cancel(cancel) => self.outbox().lines.push_back(cancel.message),
                Action::SendRequest(request) => self.outbox().lines.push_back(request.message),
                Action::Probe(wanted) => rest.probes.push(wanted),
                Action::Forward(forward) => rest.forwarded.push(forward),
                Action::Log(log) => rest.logs.push(log),
                _ => {}
            }
        }
        Ok(rest)
    }

    /// Does what may take long or call back: without the lock, and what may block for ever on other threads.
    fn perform(self: &Arc<Self>, rest: Rest) -> Vec<Forward> {
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
                    // The connection may be closed by now.
                    let _ = shared.feed(Probed { probe: wanted.probe, paths }.into());
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
