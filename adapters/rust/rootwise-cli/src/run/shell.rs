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
use super::message;
use super::place::Place;
use super::process::{self, Command, Control};
use super::projects::Projects;
use super::router::{Action, End, Event, InstanceId, Router, Settings};
use super::signals::{Heard, Signals};
use super::streams::{Full, Streams};
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

/// How the client gets lines.
#[derive(Clone)]
pub(super) enum Wire {
    Lines(Outbox),
    Web(Arc<Streams>),
}

impl Wire {
    pub(super) const fn web(&self) -> Option<&Arc<Streams>> {
        match self {
            Self::Lines(_) => None,
            Self::Web(web) => Some(web),
        }
    }
}

/// One client and its servers.
pub(super) struct Shell {
    router: Mutex<Router>,
    command: Arc<Command>,
    client: Wire,
    projects: Projects,
    servers: Mutex<HashMap<InstanceId, Server>>,
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
                Some(event) = self.internal.recv() => drop(shell.feed(event)),
            }
        }
    }
}

struct Server {
    /// Gone when its input is closed.
    input: Option<Outbox>,
    /// It reads nothing: no other server waits for it.
    is_stuck: bool,
    controls: mpsc::UnboundedSender<Control>,
}

/// The number of the signal that asks a process to end.
pub(super) const TERM: i32 = 15;
/// How long a server whose input is full may read nothing before its calls are refused. Until then it slows its client down.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the client may take to read the last lines.
const FAREWELL: Duration = Duration::from_secs(5);

/// Serves the client that started this program until it and the servers are gone; returns the exit status.
pub(super) async fn serve(setup: &Setup) -> Result<i32, Failure> {
    if std::io::stdin().is_terminal() {
        log(
            "a client starts this server and speaks to it; for a shell, `rootwise call -- rootwise run -- SERVER` is one",
        );
    }
    // Before there is a server.
    let signals = Signals::catch();
    let (client, queue) = Outbox::new(Arc::default(), Shortcut::to(std::io::stdout()));
    let (shell, running) = Shell::open(setup, Wire::Lines(client))?;
    let gone = shell.events.clone();
    let writer = write_to_client(queue, move || drop(gone.send(Event::Signalled)));
    let (reading, runtime) = (shell.clone(), Handle::current());
    // A thread of its own, because the standard input blocks; it ends with the process.
    std::thread::spawn(move || reading.read_client(&runtime));
    let signals = tokio::spawn(shell.clone().follow(signals));
    let code = running.end(&shell).await;
    signals.abort();
    shell.finish();
    let _ = tokio::time::timeout(FAREWELL, tokio::task::spawn_blocking(move || writer.join())).await;
    Ok(code)
}

impl Shell {
    /// Starts the first server of a client.
    pub(super) fn open(setup: &Setup, client: Wire) -> Result<(Arc<Self>, Running), Failure> {
        let (events, internal) = mpsc::unbounded_channel();
        let projects = Projects::new(setup, client.clone(), events.clone())?;
        let (exit, exited) = watch::channel(None);
        let servers = Mutex::default();
        let (router, actions) = Router::new(setup.settings.clone(), setup.first.clone(), setup.start.clone());
        let (router, signal, command) = (Mutex::new(router), AtomicI32::new(TERM), setup.command.clone());
        let shell = Arc::new(Self { router, command, client, projects, servers, events, signal, exit });
        for action in actions {
            shell.perform(action);
        }
        Ok((shell, Running { internal, exited }))
    }

    /// Nothing more is written to the client.
    pub(super) fn finish(&self) {
        match &self.client {
            Wire::Lines(lines) => lines.finish(),
            Wire::Web(web) => web.end(),
        }
    }

    /// Processes a line of the client over HTTP.
    pub(super) async fn take(self: &Arc<Self>, line: Bytes) {
        self.wait_for_servers().await;
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

    /// Performs what an event causes before the next one is processed; returns the streams that should take no more.
    fn feed(self: &Arc<Self>, event: Event) -> Vec<Full> {
        let mut router = self.router();
        router.handle(event).into_iter().filter_map(|action| self.perform(action)).collect()
    }

    /// The servers whose input is full, and who may still slow the client down.
    fn full_servers(&self) -> Vec<(InstanceId, Arc<Gauge>)> {
        let servers = self.servers();
        let full = servers.iter().filter(|(_, server)| !server.is_stuck).filter_map(|(id, server)| {
            let gauge = &server.input.as_ref()?.gauge;
            (!gauge.has_room()).then(|| (*id, gauge.clone()))
        });
        full.collect()
    }

    /// A slow server slows its client down. One that does not read at all gets no more calls, so that the others go on.
    async fn wait_for_servers(self: &Arc<Self>) {
        for (id, gauge) in self.full_servers() {
            if gauge.room_within(PATIENCE).await || !self.set_stuck(id, true) {
                continue;
            }
            self.feed(Event::Stuck { instance: id, is_stuck: true });
            let shell = Arc::downgrade(self);
            tokio::spawn(async move {
                gauge.room().await;
                if let Some(shell) = shell.upgrade()
                    && shell.set_stuck(id, false)
                {
                    shell.feed(Event::Stuck { instance: id, is_stuck: false });
                }
            });
        }
    }

    /// Says whether that is news.
    fn set_stuck(&self, id: InstanceId, is_stuck: bool) -> bool {
        let mut servers = self.servers();
        servers.get_mut(&id).is_some_and(|server| std::mem::replace(&mut server.is_stuck, is_stuck) != is_stuck)
    }

    /// A slow client slows its servers down. Over HTTP, one that does not read at all is given up.
    async fn wait_for_client(self: &Arc<Self>, full: Vec<Full>) {
        match &self.client {
            Wire::Lines(lines) => lines.gauge.room().await,
            Wire::Web(web) => {
                for full in full {
                    if let Some(id) = web.slowed(full).await {
                        let line = message::cancelled(&id, "the client does not read its stream");
                        self.feed(Event::ClientLine { line, known: None });
                    }
                }
            }
        }
    }

    fn read_client(self: &Arc<Self>, runtime: &Handle) {
        let _inside = runtime.enter();
        read_from_client(|line| {
            if !self.full_servers().is_empty() {
                runtime.block_on(self.wait_for_servers());
            }
            let known = self.projects.known();
            self.feed(Event::ClientLine { line, known });
        });
        self.feed(Event::ClientEnded);
    }

    /// Returns the stream that should take no more.
    fn perform(self: &Arc<Self>, action: Action) -> Option<Full> {
        match action {
            Action::ToClient(line) => match &self.client {
                Wire::Lines(lines) => {
                    lines.push(line);
                }
                Wire::Web(web) => return web.deliver(line),
            },
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
        None
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
        let (input, queue) = Outbox::new(Arc::default(), shortcut);
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
                let full = shell.feed(Event::ServerLine { instance: id, line });
                shell.wait_for_client(full)
            });
            shell.later(match read.await {
                Ok(()) => Event::StreamEnded { instance: id, stream: "output" },
                Err(fault) => Event::ServerFailed { instance: id, fault },
            });
        });
        let events = self.events.clone();
        self.servers().insert(id, Server { input: Some(input), is_stuck: false, controls });
        let shell = Arc::downgrade(self);
        tokio::spawn(async move {
            let end = process::watch(child, told, reading).await;
            if let Some(shell) = shell.upgrade() {
                shell.servers().remove(&id);
            }
            let _ = events.send(Event::ServerEnded { instance: id, end });
        });
    }

    async fn follow(self: Arc<Self>, mut signals: Signals) {
        loop {
            self.heard(&signals.next().await);
        }
    }

    pub(super) fn heard(self: &Arc<Self>, heard: &Heard) {
        match *heard {
            Heard::End(number) => {
                self.signal.store(number, Ordering::Relaxed);
                self.feed(Event::Signalled);
            }
            Heard::Pass(number) => {
                for server in self.servers().values() {
                    let _ = server.controls.send(Control::Signal(number));
                }
            }
        }
    }
}
