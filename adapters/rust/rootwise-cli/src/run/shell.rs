//! The loop around a router: lines in, actions performed.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rootwise::{HostFacts, Policy};
use rootwise_host::Channel;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};

use super::lines::{Gauge, Outbox, Shortcut, read_from_client, write_to_client};
use super::place::Place;
use super::process::{self, Command, Control};
use super::projects::Projects;
use super::router::{Action, End, Event, InstanceId, Router, Settings};
use super::streams::Streams;
use crate::output::Failure;

/// Says something to the person who reads the log of the client.
pub(crate) fn log(text: impl Display) {
    // Without a reader there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "rootwise: {text}");
}

/// What every client gets servers by.
pub(super) struct Setup {
    pub(super) settings: Settings,
    pub(super) command: Arc<Command>,
    pub(super) policy: Arc<Policy>,
    pub(super) facts: HostFacts,
    /// The project that is known before a client speaks.
    pub(super) first: Option<Place>,
    /// Where a server waits for its project.
    pub(super) start: Option<Place>,
}

/// One client and its servers.
pub(super) struct Shell {
    router: Mutex<Router>,
    command: Arc<Command>,
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

/// What a shell needs to run.
pub(super) struct Running {
    internal: mpsc::UnboundedReceiver<Event>,
    exited: watch::Receiver<Option<i32>>,
}

impl Running {
    /// Processes events until the client and its servers are gone; returns the exit status.
    pub(super) async fn end(mut self, shell: &Arc<Shell>) -> i32 {
        loop {
            tokio::select! {
                biased;
                _ = self.exited.changed() => if let Some(code) = *self.exited.borrow() { return code },
                Some(event) = self.internal.recv() => shell.feed(event),
            }
        }
    }
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

/// Serves the client that started this program until it and the servers are gone; returns the exit status.
pub(super) async fn serve(setup: &Setup) -> Result<i32, Failure> {
    if std::io::stdin().is_terminal() {
        log(
            "a client starts this server and speaks to it; for a shell, `rootwise call -- rootwise run -- SERVER` is one",
        );
    }
    let (client, queue) = Outbox::new(Arc::default(), Shortcut::to(std::io::stdout()));
    let (shell, running) = Shell::open(setup, client, None)?;
    let gone = shell.events.clone();
    let writer = write_to_client(queue, move || drop(gone.send(Event::Signalled)));
    let (reading, runtime) = (shell.clone(), Handle::current());
    // A thread of its own, because the standard input blocks; it ends with the process.
    std::thread::spawn(move || reading.read_client(&runtime));
    let signals = tokio::spawn(shell.clone().follow_signals());
    let code = running.end(&shell).await;
    signals.abort();
    shell.finish();
    let _ = tokio::time::timeout(FAREWELL, tokio::task::spawn_blocking(move || writer.join())).await;
    Ok(code)
}

impl Shell {
    /// Starts the first server of a client; `web` has the client's streams over HTTP.
    pub(super) fn open(
        setup: &Setup,
        client: Outbox,
        web: Option<Arc<Streams>>,
    ) -> Result<(Arc<Self>, Running), Failure> {
        let (events, internal) = mpsc::unbounded_channel();
        let projects = Projects::new(setup, client.clone(), web, events.clone())?;
        let (exit, exited) = watch::channel(None);
        let (to_servers, servers) = (Arc::default(), Mutex::default());
        let (router, actions) = Router::new(setup.settings.clone(), setup.first.clone(), setup.start.clone());
        let (router, signal, command) = (Mutex::new(router), AtomicI32::new(TERM), setup.command.clone());
        let shell = Arc::new(Self { router, command, client, projects, servers, to_servers, events, signal, exit });
        for action in actions {
            shell.perform(action);
        }
        Ok((shell, Running { internal, exited }))
    }

    /// Nothing more is written to the client.
    pub(super) fn finish(&self) {
        self.client.finish();
    }

    /// Processes a line of the client over HTTP.
    pub(super) async fn take(self: &Arc<Self>, line: Bytes) {
        if !self.to_servers.has_room() {
            self.to_servers.room().await;
        }
        self.feed(Event::ClientLine { line, known: None });
    }

    /// Has an event processed as soon as possible.
    pub(super) fn later(&self, event: Event) {
        // Whoever processed it is gone with the client.
        let _ = self.events.send(event);
    }

    /// A stream outside requests, as long as it is kept.
    pub(super) fn channel(&self) -> Option<Channel> {
        self.projects.channel()
    }

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

    fn read_client(self: &Arc<Self>, runtime: &Handle) {
        let _inside = runtime.enter();
        read_from_client(|line| {
            // A slow server slows its client down.
            if !self.to_servers.has_room() {
                runtime.block_on(self.to_servers.room());
            }
            let known = self.projects.known();
            self.feed(Event::ClientLine { line, known });
        });
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
        let shortcut = child.stdin.as_ref().and_then(Shortcut::to_server);
        let (input, queue) = Outbox::new(self.to_servers.clone(), shortcut);
        let (controls, told) = mpsc::unbounded_channel();
        if let Some(stdin) = child.stdin.take() {
            let events = self.events.downgrade();
            tokio::spawn(async move {
                if !process::write(stdin, queue).await
                    && let Some(events) = events.upgrade()
                {
                    let _ = events.send(Event::StreamEnded { instance: id, stream: "input" });
                }
            });
        }
        let (shell, stdout) = (self.clone(), child.stdout.take());
        let reading = tokio::spawn(async move {
            let Some(stdout) = stdout else { return };
            let read = process::read(stdout, |line: Bytes| {
                shell.feed(Event::ServerLine { instance: id, line });
                // A slow client slows its servers down.
                shell.client.gauge.room()
            });
            shell.later(match read.await {
                Ok(()) => Event::StreamEnded { instance: id, stream: "output" },
                Err(fault) => Event::ServerFailed { instance: id, fault },
            });
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
