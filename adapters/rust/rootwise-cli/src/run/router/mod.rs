//! Which message goes to which server, and when a server starts or ends. A machine without I/O: `handle` takes an event and returns
//! what to do.

mod calls;
mod client;
mod handshake;
mod instances;
mod lists;
mod newer;
mod older;
mod server;
mod subscriptions;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rootwise::Project;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::Id;
use super::place::Place;
pub(crate) use calls::SWITCH;
use client::Client;
use instances::Instance;
use newer::Parked;
use older::Round;
use subscriptions::Subscription;

/// A server process.
pub(crate) type InstanceId = u64;
/// A question for the project.
pub(crate) type Ticket = u64;

/// Everything that a router is told.
pub(crate) enum Event {
    /// A line from the client; `known` is the project of calls that say nothing about theirs, if that is known.
    ClientLine {
        line: Bytes,
        known: Option<Arc<Project>>,
    },
    /// The client sends no more.
    ClientEnded,
    ServerLine {
        instance: InstanceId,
        line: Bytes,
    },
    /// A server ended, or could not be started.
    ServerEnded {
        instance: InstanceId,
        end: End,
    },
    /// A server closed its `input` or `output`, and may live on.
    StreamEnded {
        instance: InstanceId,
        stream: &'static str,
    },
    /// A server did what ends it.
    ServerFailed {
        instance: InstanceId,
        fault: String,
    },
    /// A server whose input is full reads nothing, or reads again.
    Stuck {
        instance: InstanceId,
        is_stuck: bool,
    },
    /// The answer to [`Action::Ask`] or [`Action::Tool`].
    Resolved {
        ticket: Ticket,
        resolution: Resolution,
    },
    /// The project of the connection changed.
    ProjectChanged(Option<Arc<Project>>),
    Alarm(Alarm),
    /// The system or a person wants this program to end.
    Signalled,
}

/// How a server ended.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// As a shell reports it.
    pub(crate) code: i32,
    /// Ends a sentence: `exited with status 1`.
    pub(crate) how: String,
    /// How long it ran.
    pub(crate) lived: Duration,
}

/// The answer to a question for the project.
#[derive(Clone)]
pub(crate) enum Resolution {
    Project(Arc<Project>),
    /// What a tool of ours says.
    Text(String),
    /// The reason and the advice, for the model.
    NoProject {
        code: &'static str,
        text: String,
    },
    /// The client must be asked first: the result of its call.
    NeedsInput(Value),
}

/// Everything that a router wants done, in this order.
pub(crate) enum Action {
    ToClient(Bytes),
    ToServer(InstanceId, Bytes),
    Start(InstanceId, Place),
    /// Close the standard input of a server, so that it ends.
    CloseInput(InstanceId),
    Terminate(InstanceId),
    Kill(InstanceId),
    /// The client introduced itself.
    Initialized(Box<RawValue>),
    Ready,
    RootsChanged,
    RequestSeen(Id),
    InputClosed,
    /// Find the project: of a call, or of the connection.
    Ask(Ticket, Option<Box<CallFacts>>),
    /// Run a tool of ours.
    Tool(Ticket, OurTool, Box<CallFacts>),
    /// Nobody waits for a question any more.
    Withdraw(Ticket),
    /// The client answered a request that no server sent.
    Answered(Id, Bytes),
    Alarm(Duration, Alarm),
    Log(String),
    Exit(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// A server should be ready by now.
    Started(InstanceId),
    /// A server should have answered `server/discover` by now.
    Discovered(InstanceId),
    StartNow(InstanceId),
    /// A server that closed this stream should have ended by now.
    Cut(InstanceId, &'static str),
    /// A server whose input is closed should have ended by now.
    Closed(InstanceId),
    Terminated(InstanceId),
    /// The client should have repeated a call by now.
    Unanswered(u64),
    /// Time to look for idle servers.
    Tick,
}

/// What a call says about its project.
#[derive(Debug, Default)]
pub(crate) struct CallFacts {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) meta: Option<Box<RawValue>>,
    pub(crate) argument: Option<Value>,
    pub(crate) input_responses: Option<Box<RawValue>>,
    pub(crate) request_state: Option<String>,
}

/// The tools that `--tools` adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OurTool {
    Which,
    Switch(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// With a handshake.
    Legacy,
    /// Since 2026-07-28: every request is stateless.
    Modern,
}

/// The options that a router follows.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The argument of tools that names a project.
    pub(crate) argument: Option<String>,
    pub(crate) tools: bool,
    /// Whether the client can be asked before its first request.
    pub(crate) asks_early: bool,
    /// Whether the servers' questions for roots are answered here.
    pub(crate) answer_roots: bool,
    /// Whether calls without a project are served in the start folder.
    pub(crate) fallback: bool,
    pub(crate) max: usize,
    pub(crate) restarts: u32,
    pub(crate) start_timeout: Duration,
    pub(crate) idle: Duration,
    /// The entries of `_meta` that the policy reads.
    pub(crate) meta_names: BTreeSet<String>,
    /// What to call the server.
    pub(crate) name: String,
}

/// Time between two looks for idle servers.
pub(crate) const TICK: Duration = Duration::from_secs(5);
/// How long a server may take to end after its input closed, and again after it was told to.
const GRACE: Duration = Duration::from_secs(5);
/// How long a server may take to answer `server/discover` before it counts as one that does not know it.
const DISCOVER: Duration = Duration::from_secs(30);
/// Requests and bytes that may wait for a project or a server, and requests that may be in flight.
const MAX_WAITING: usize = 1_024;
const MAX_WAITING_BYTES: usize = 16 << 20;
const MAX_FLIGHTS: usize = 65_536;
/// Requests of servers that the client may have open.
const MAX_ASKED: usize = 4_096;
/// How the ids of our own requests begin, as JSON.
const OWN_PREFIX: &str = "\"rootwise:";
/// Rounds in which a server may ask for roots in one call.
const MAX_ROUNDS: u8 = 8;

pub(crate) struct Router {
    settings: Settings,
    client: Client,
    session: SessionProject,
    instances: BTreeMap<InstanceId, Instance>,
    /// The server for what belongs to no call.
    current: Option<InstanceId>,
    /// Where a server waits for its project.
    start: Option<Place>,
    /// Requests of the client that a server has, or will get when it is ready.
    flights: HashMap<Id, Flight>,
    /// Requests of servers that the client has.
    asked: HashMap<Id, Asked>,
    /// Calls whose answer waits for answers of the client.
    rounds: HashMap<Id, Round>,
    /// Calls whose client is to repeat them with an answer, by the state that it sends back.
    parked: HashMap<String, Parked>,
    /// What the client listens to, by the ids of its requests.
    subscriptions: BTreeMap<Id, Subscription>,
    /// The names of our tools that the server uses itself.
    taken: BTreeSet<&'static str>,
    held: VecDeque<Held>,
    held_bytes: usize,
    /// How often the server of a place was started again.
    restarts: HashMap<Option<String>, u32>,
    /// What the servers turned out to speak, for a modern client.
    inner_era: Option<Era>,
    last_id: u64,
    ticks: u64,
    exit_code: i32,
    actions: Vec<Action>,
}

/// The project of the connection.
enum SessionProject {
    NotAsked,
    Asking,
    Known(Arc<Project>),
    None,
}

/// A request of the client on its way.
struct Flight {
    instance: InstanceId,
    /// The id by which the client knows it.
    client_id: Id,
    traffic: Traffic,
    is_sent: bool,
    rounds: u8,
    /// The request, where it may have to be repeated.
    line: Option<Bytes>,
    /// What its client can be asked, where it asks for nothing itself.
    capabilities: Vec<String>,
    /// Its client got a question, and is to repeat it with the answer.
    is_parked: bool,
}

/// A request of a server that was passed to the client.
struct Asked {
    instance: InstanceId,
    id: Id,
    progress_token: Option<String>,
    /// The call and the name of the question, where it came in the result of one.
    round: Option<(Id, String)>,
}

/// A request that waits for its project, or for the requests before it: those of a client pass in order.
struct Held {
    pending: Pending,
    wait: Wait,
}

enum Wait {
    Session,
    Call(Ticket),
    /// It waits only for those before it.
    Turn(Resolution),
}

/// A request of the client that has no server yet.
struct Pending {
    id: Id,
    traffic: Traffic,
    line: Bytes,
}

/// What a request is, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Traffic {
    CallTool,
    /// `prompts/get` or `resources/read`.
    Call,
    ReadResource,
    ListTools,
    ListPrompts,
    ListResources,
    ListTemplates,
    Discover,
    Listen,
    Other,
}

impl Traffic {
    fn of(method: &str) -> Self {
        match method {
            "tools/call" => Self::CallTool,
            "prompts/get" => Self::Call,
            "resources/read" => Self::ReadResource,
            "tools/list" => Self::ListTools,
            "prompts/list" => Self::ListPrompts,
            "resources/list" => Self::ListResources,
            "resources/templates/list" => Self::ListTemplates,
            "server/discover" => Self::Discover,
            "subscriptions/listen" => Self::Listen,
            _ => Self::Other,
        }
    }

    const fn is_call(self) -> bool {
        matches!(self, Self::CallTool | Self::Call | Self::ReadResource)
    }

    const fn is_list(self) -> bool {
        matches!(self, Self::ListTools | Self::ListPrompts | Self::ListResources | Self::ListTemplates)
    }
}

impl Router {
    /// A router whose first server starts in `first`; `start` is the folder in which a server waits for its project.
    pub(crate) fn new(settings: Settings, first: Option<Place>, start: Option<Place>) -> (Self, Vec<Action>) {
        let mut router = Self {
            settings,
            client: Client::default(),
            session: SessionProject::NotAsked,
            instances: BTreeMap::new(),
            current: None,
            start,
            flights: HashMap::new(),
            asked: HashMap::new(),
            rounds: HashMap::new(),
            parked: HashMap::new(),
            subscriptions: BTreeMap::new(),
            taken: BTreeSet::new(),
            held: VecDeque::new(),
            held_bytes: 0,
            restarts: HashMap::new(),
            inner_era: None,
            last_id: 0,
            ticks: 0,
            exit_code: 0,
            actions: Vec::new(),
        };
        if let Some(first) = first.or_else(|| router.start.clone()) {
            router.current = Some(router.begin(first));
        }
        router.act(Action::Alarm(TICK, Alarm::Tick));
        let actions = std::mem::take(&mut router.actions);
        (router, actions)
    }

    pub(crate) fn handle(&mut self, event: Event) -> Vec<Action> {
        match event {
            Event::ClientLine { line, known } => self.client_line(line, known),
            Event::ClientEnded => self.client_ended(),
            Event::ServerLine { instance, line } => self.server_line(instance, line),
            Event::ServerEnded { instance, end } => self.server_ended(instance, end),
            Event::StreamEnded { instance, stream } => self.act(Action::Alarm(GRACE, Alarm::Cut(instance, stream))),
            Event::ServerFailed { instance, fault } => self.server_failed(instance, fault),
            Event::Stuck { instance, is_stuck } => self.stuck(instance, is_stuck),
            Event::Resolved { ticket, resolution } => self.resolved(ticket, resolution),
            Event::ProjectChanged(project) => self.project_changed(project),
            Event::Alarm(alarm) => self.alarm(alarm),
            Event::Signalled => self.signalled(),
        }
        std::mem::take(&mut self.actions)
    }

    fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    fn log(&mut self, text: impl Into<String>) {
        self.act(Action::Log(text.into()));
    }

    fn next_id(&mut self) -> u64 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    /// An id for a request of ours; no client uses such ids.
    fn own_id(&mut self) -> Id {
        format!("{OWN_PREFIX}{}\"", self.next_id()).into()
    }

    fn is_modern(&self) -> bool {
        self.client.era == Some(Era::Modern)
    }
}
