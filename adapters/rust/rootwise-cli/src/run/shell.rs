//! The loop around a router: lines in, actions performed.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rootwise::{HostFacts, Policy};
use tokio::sync::{mpsc, watch};

use super::lines::{Gauge, Outbox, read_from_client, write_to_client};
use super::place::Place;
use super::process::{self, Command, Control};
use super::projects::Projects;
use super::router::{Action, End, Event, InstanceId, Router};
use crate::output::Failure;

/// Says something to the person who reads the log of the client.
pub(crate) fn log(text: impl Display) {
    // Without a reader there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "rootwise: {text}");
}

struct Shell {
    router: Mutex<Router>,
    command: Command,
    client: Outbox,
    projects: Projects,
    servers: Mutex<HashMap<InstanceId, Server>>,
    /// What waits for servers.
    to_servers: Arc<Gauge>,
    events: mpsc::UnboundedSender<Event>,
    /// The signal that servers are told to end with.
    signal: AtomicI32,
    exit: watch::Sender<Option<i32>>,
}

struct Server {
    /// Gone when its input is closed.
    input: Option<Outbox>,
    controls: mpsc::UnboundedSender<Control>,
}

/// The number of the signal that asks a process to end.
const TERM: i32 = 15;
/// How long the client may take to read the last lines.
const FAREWELL: Duration = Duration::from_secs(5);

/// Serves the client until it and the servers are gone; returns the exit status.
pub(super) async fn serve(
    router: Router,
    actions: Vec<Action>,
    command: Command,
    policy: Arc<Policy>,
    facts: &HostFacts,
) -> Result<i32, Failure> {
    let (events, mut internal) = mpsc::unbounded_channel();
    let (client, queue) = Outbox::new(Arc::default());
    let gone = events.clone();
    let writer = write_to_client(queue, move || drop(gone.send(Event::Signalled)));
    let projects = Projects::new(policy, facts, client.clone(), events.clone())?;
    let (exit, mut exited) = watch::channel(None);
    let (to_servers, servers) = (Arc::default(), Mutex::default());
    let router = Mutex::new(router);
    let signal = AtomicI32::new(TERM);
    let shell = Arc::new(Shell { router, command, client, projects, servers, to_servers, events, signal, exit });
    for action in actions {
        shell.perform(action);
    }
    let reading = tokio::spawn(shell.clone().read_client());
    let signals = tokio::spawn(shell.clone().follow_signals());
    let code = loop {
        tokio::select! {
            biased;
            _ = exited.changed() => if let Some(code) = *exited.borrow() { break code },
            Some(event) = internal.recv() => shell.feed(event),
        }
    };
    reading.abort();
    signals.abort();
    shell.client.finish();
    let _ = tokio::time::timeout(FAREWELL, tokio::task::spawn_blocking(move || writer.join())).await;
    Ok(code)
}

impl Shell {
    fn router(&self) -> MutexGuard<'_, Router> {
        self.router.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn servers(&self) -> MutexGuard<'_, HashMap<InstanceId, Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs what an event causes before the next one is processed.
    fn feed(self: &Arc<Self>, event: Event) {
        let mut router = self.router();
        for action in router.handle(event) {
            self.perform(action);
        }
    }

    async fn read_client(self: Arc<Self>) {
        let mut lines = read_from_client();
        loop {
            // A slow server slows its client down.
            self.to_servers.room().await;
            let Some(line) = lines.recv().await else { break };
            let known = self.projects.known();
            self.feed(Event::ClientLine { line, known });
        }
        self.feed(Event::ClientEnded);
    }

    fn perform(self: &Arc<Self>, action: Action) {
        match action {
            Action::ToClient(line) => self.client.push(line),
            Action::ToServer(id, line) => {
                if let Some(Server { input: Some(input), .. }) = self.servers().get(&id) {
                    input.push(line);
                }
            }
            Action::Start(id, place) => self.start(id, &place),
            Action::CloseInput(id) => {
                if let Some(server) = self.servers().get_mut(&id) {
                    server.input = None;
                }
            }
            Action::Terminate(id) => self.control(id, Control::Signal(self.signal.load(Ordering::Relaxed))),
            Action::Kill(id) => self.control(id, Control::Kill),
            Action::Initialized(params) => self.projects.initialized(&params),
            Action::Ready => self.projects.ready(),
            Action::RootsChanged => self.projects.roots_changed(),
            Action::RequestSeen(id) => self.projects.request_seen(&id),
            Action::InputClosed => self.projects.input_closed(),
            Action::Ask(ticket, facts) => self.projects.ask(ticket, facts),
            Action::Tool(ticket, tool, facts) => self.projects.tool(ticket, tool, *facts),
            Action::Withdraw(ticket) => self.projects.withdraw(ticket),
            Action::Answered(id, line) => self.projects.answered(&id, &line),
            Action::Alarm(after, alarm) => {
                let events = self.events.downgrade();
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    if let Some(events) = events.upgrade() {
                        let _ = events.send(Event::Alarm(alarm));
                    }
                });
            }
            Action::Log(text) => log(text),
            Action::Exit(code) => {
                self.exit.send_replace(Some(code));
            }
        }
    }

    fn control(&self, id: InstanceId, control: Control) {
        if let Some(server) = self.servers().get(&id) {
            let _ = server.controls.send(control);
        }
    }

    fn start(self: &Arc<Self>, id: InstanceId, place: &Place) {
        let mut child = match self.command.spawn(place) {
            Ok(child) => child,
            Err(error) => {
                let how = format!("cannot be started ({error})");
                let end = End { code: 127, how, lived: Duration::ZERO };
                let _ = self.events.send(Event::ServerEnded { instance: id, end });
                return;
            }
        };
        let (input, queue) = Outbox::new(self.to_servers.clone());
        let (controls, told) = mpsc::unbounded_channel();
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(process::write(stdin, queue));
        }
        let (shell, stdout) = (self.clone(), child.stdout.take());
        let reading = tokio::spawn(async move {
            let Some(stdout) = stdout else { return };
            let fault = process::read(stdout, |line: Bytes| {
                shell.feed(Event::ServerLine { instance: id, line });
                // A slow client slows its servers down.
                shell.client.gauge.room()
            });
            if let Some(fault) = fault.await {
                log(format_args!("a server ended its output early: {fault}"));
                shell.control(id, Control::Kill);
            }
        });
        let events = self.events.clone();
        self.servers().insert(id, Server { input: Some(input), controls });
        let shell = Arc::downgrade(self);
        tokio::spawn(async move {
            let end = process::watch(child, told, reading).await;
            if let Some(shell) = shell.upgrade() {
                shell.servers().remove(&id);
            }
            let _ = events.send(Event::ServerEnded { instance: id, end });
        });
    }

    #[cfg(unix)]
    async fn follow_signals(self: Arc<Self>) {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else { return };
        loop {
            let number = tokio::select! {
                _ = interrupt.recv() => 2,
                _ = terminate.recv() => TERM,
                _ = hangup.recv() => 1,
            };
            self.signal.store(number, Ordering::Relaxed);
            self.feed(Event::Signalled);
        }
    }

    #[cfg(not(unix))]
    async fn follow_signals(self: Arc<Self>) {
        while tokio::signal::ctrl_c().await.is_ok() {
            self.feed(Event::Signalled);
        }
    }
}
