//! A connection without a runtime: every call blocks its thread.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rootwise::action::{Answer, Forward, Log};
use rootwise::event::{Asked, Event, Message, Probed};
use rootwise::{Action, AskId, ConfigError, HostFacts, Millis, Misuse, Outcome, Policy, Project, Resolver};

use crate::disk::probe;
use crate::error::NoProject;

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
pub struct Connection {
    state: Mutex<State>,
    changed: Condvar,
    write: Box<dyn Fn(&str) + Send + Sync>,
    log: Box<dyn Fn(&Log) + Send + Sync>,
    started: Instant,
}

struct State {
    resolver: Resolver,
    answers: HashMap<AskId, Answer>,
    last_ask: u32,
}

impl Connection {
    /// Opens a connection. `write` sends one message to the client; `log` receives log lines. Neither may call the
    /// connection.
    ///
    /// # Errors
    /// A host fact cannot work; the error names it.
    pub fn new(
        policy: impl Into<Arc<Policy>>,
        host: impl Into<Arc<HostFacts>>,
        write: impl Fn(&str) + Send + Sync + 'static,
        log: impl Fn(&Log) + Send + Sync + 'static,
    ) -> Result<Self, ConfigError> {
        let state = State { resolver: Resolver::new(policy, host)?, answers: HashMap::new(), last_ask: 0 };
        Ok(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            write: Box::new(write),
            log: Box::new(log),
            started: Instant::now(),
        })
    }

    /// Passes on one message of the client; returns what the server has to process itself.
    ///
    /// # Errors
    /// The message is larger than the policy's limit.
    pub fn message(&self, text: &str) -> Result<Vec<Forward>, Misuse> {
        self.feed(Message { text: text.into() })
    }

    /// Processes any event; returns the messages that the server has to process itself.
    ///
    /// # Errors
    /// The event is a mistake of the host; nothing has changed.
    pub fn feed(&self, event: impl Into<Event>) -> Result<Vec<Forward>, Misuse> {
        self.process(&mut self.lock(), event.into())
    }

    /// Returns the project of a call; its id is replaced.
    ///
    /// # Errors
    /// No project was found, or the client must send its roots with a repeated call.
    pub fn ask(&self, asked: Asked) -> Result<Arc<Project>, NoProject> {
        let refused = |misuse: Misuse| NoProject::new(misuse.code(), misuse.to_string());
        let mut state = self.lock();
        state.last_ask = state.last_ask.wrapping_add(1);
        let ask = AskId(state.last_ask);
        self.process(&mut state, Asked { ask, ..asked }.into()).map_err(refused)?;
        loop {
            if let Some(answer) = state.answers.remove(&ask) {
                return match answer.outcome {
                    Outcome::Resolved { project } => Ok(project),
                    _ => Err(answer.into()),
                };
            }
            // An ask that waits always has a deadline.
            let Some(deadline) = state.resolver.deadline() else { return Err(NoProject::closed()) };
            let wait = Duration::from_millis(deadline.0).saturating_sub(self.started.elapsed());
            if wait.is_zero() {
                self.process(&mut state, Event::DeadlineReached).map_err(refused)?;
                continue;
            }
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The connection's project as far as it is known.
    #[must_use]
    pub fn project(&self) -> Option<Arc<Project>> {
        self.lock().resolver.project().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn process(&self, state: &mut State, event: Event) -> Result<Vec<Forward>, Misuse> {
        let mut forwarded = Vec::new();
        let mut actions = state.resolver.handle(event, self.now())?;
        while !actions.is_empty() {
            let mut next = Vec::new();
            for action in actions {
                match action {
                    Action::Answer(answer) => {
                        state.answers.extend(answer.asks.iter().map(|ask| (*ask, (*answer).clone())));
                    }
                    Action::Cancel(cancel) => (self.write)(&cancel.message),
                    Action::SendRequest(request) => (self.write)(&request.message),
                    Action::Probe(wanted) => {
                        let paths = probe(&wanted.paths);
                        next.extend(state.resolver.handle(Probed { probe: wanted.probe, paths }, self.now())?);
                    }
                    Action::Forward(forward) => forwarded.push(forward),
                    Action::Log(log) => (self.log)(&log),
                    _ => {}
                }
            }
            actions = next;
        }
        self.changed.notify_all();
        Ok(forwarded)
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
