//! The client's project: the endpoint of `rootwise-host`, and the requests that it sends to the client.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use rootwise::endpoint::action::{AnnounceProject, EndpointLog, RouteRequest};
use rootwise::endpoint::event::{
    CallAsked, CallSelected, CallStarted, InputClosed, RequestSeen, SessionInitialized, SessionOpened, SessionReady,
    SessionRootsChanged,
};
use rootwise::event::{Argument, SelectBy};
use rootwise::{Project, SessionId};
use rootwise_host::{
    Call, Cancelled, Cause, Channel, Host, NoProject, Observer, SendError, Sender, Sending, Session, explanation_of,
    project_of, selection_of,
};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::message::{self, Head, Id};
use super::router::{CallFacts, Event, OurTool, Resolution, Ticket};
use super::shell::{Setup, Wire, log};
use crate::output::Failure;

pub(super) struct Projects {
    host: Host,
    session: Arc<Session>,
    requests: Arc<Requests>,
    events: mpsc::UnboundedSender<Event>,
    tickets: Arc<Mutex<HashMap<Ticket, AbortHandle>>>,
}

impl Projects {
    pub(super) fn new(setup: &Setup, client: Wire, events: mpsc::UnboundedSender<Event>) -> Result<Self, Failure> {
        let observer = Arc::new(Observed(events.clone()));
        let host = Host::new(setup.policy.clone(), &setup.facts, observer).map_err(Failure::new)?;
        let requests = Arc::new(Requests { client, open: Mutex::default() });
        let opened = SessionOpened::new(0, setup.facts.transport);
        let outside = ToClient { requests: requests.clone(), with: None };
        let session = host.open(opened, Arc::new(outside)).map_err(Failure::new)?;
        Ok(Self { host, session: Arc::new(session), requests, events, tickets: Arc::default() })
    }

    /// A stream outside requests, as long as it is kept.
    pub(super) fn channel(&self) -> Option<Channel> {
        self.session.channel().ok()
    }

    /// The project of calls that say nothing about theirs, if it is known.
    pub(super) fn known(&self) -> Option<Arc<Project>> {
        self.session.known()
    }

    pub(super) fn initialized(&self, params: &RawValue) {
        #[derive(Default, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        struct Params {
            protocol_version: Option<Box<RawValue>>,
            capabilities: Option<Box<RawValue>>,
            client_info: Option<Box<RawValue>>,
        }
        let params: Params = serde_json::from_str(params.get()).unwrap_or_default();
        let mut event = SessionInitialized::new(self.session.id());
        event.protocol_version = params.protocol_version;
        event.capabilities = params.capabilities;
        event.client_info = params.client_info;
        self.feed(event);
    }

    pub(super) fn ready(&self) {
        self.feed(SessionReady::new(self.session.id()));
    }

    pub(super) fn roots_changed(&self) {
        self.feed(SessionRootsChanged::new(self.session.id()));
    }

    pub(super) fn input_closed(&self) {
        self.feed(InputClosed::new(self.session.id()));
    }

    pub(super) fn request_seen(&self, id: &Id) {
        if self.session.is_watched()
            && let Ok(id) = RawValue::from_string(id.to_string())
        {
            self.feed(RequestSeen::new(self.session.id(), id));
        }
    }

    fn feed(&self, event: impl Into<rootwise::endpoint::event::EndpointEvent>) {
        if let Err(misuse) = self.host.feed(event) {
            log(misuse);
        }
    }

    /// Finds the project of a call, or of the connection.
    pub(super) fn ask(&self, ticket: Ticket, facts: Option<Box<CallFacts>>) {
        if let Some(facts) = facts.or_else(|| self.carrier()) {
            return self.of_call(ticket, *facts, Question::Project);
        }
        let session = self.session.clone();
        self.answer(ticket, async move {
            match session.ask(asked_by(session.id())).await.map_err(NoProject::from).and_then(project_of) {
                Ok(project) => Resolution::Project(project),
                Err(error) => refused(&error),
            }
        });
    }

    /// A request that can carry a question for the connection, where no stream outside requests is open.
    fn carrier(&self) -> Option<Box<CallFacts>> {
        let web = self.requests.client.web().filter(|web| !web.has_outside())?;
        Some(Box::new(CallFacts { id: web.any()?, method: "tools/list".into(), ..CallFacts::default() }))
    }

    /// Runs a tool of ours.
    pub(super) fn tool(&self, ticket: Ticket, tool: OurTool, facts: CallFacts) {
        self.of_call(ticket, facts, Question::Tool(tool));
    }

    fn of_call(&self, ticket: Ticket, facts: CallFacts, question: Question) {
        let (session, requests) = (self.session.clone(), self.requests.clone());
        self.answer(ticket, async move {
            let (id, mut started) = (facts.id.clone(), started(facts));
            let broken = requests.client.web().and_then(|web| web.describe(&id, &mut started));
            let with = broken.is_some().then(|| Arc::new(ToClient { requests, with: Some(id) }) as Arc<dyn Sender>);
            let call = match session.call(started, with) {
                Ok(call) => call,
                Err(misuse) => return refused(&misuse.into()),
            };
            let mut resolution = pin!(async { settled(&call, said(&call, question).await).await });
            let Some(mut broken) = broken else { return resolution.await };
            tokio::select! {
                resolution = &mut resolution => return resolution,
                _ = broken.changed() => call.broken(),
            }
            resolution.await
        });
    }

    /// Answers a question when its work is done. The work begins here, so that questions come in the order of their calls.
    fn answer(&self, ticket: Ticket, work: impl Future<Output = Resolution> + Send + 'static) {
        let mut work = Box::pin(work);
        if let Poll::Ready(resolution) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            let _ = self.events.send(Event::Resolved { ticket, resolution });
            return;
        }
        let (events, tickets) = (self.events.clone(), self.tickets.clone());
        let mut open = lock(&self.tickets);
        let task = tokio::spawn(async move {
            let resolution = work.await;
            lock(&tickets).remove(&ticket);
            let _ = events.send(Event::Resolved { ticket, resolution });
        });
        open.insert(ticket, task.abort_handle());
    }

    pub(super) fn withdraw(&self, ticket: Ticket) {
        if let Some(task) = lock(&self.tickets).remove(&ticket) {
            task.abort();
        }
    }

    /// The client answered a request of ours.
    pub(super) fn answered(&self, id: &Id, line: &Bytes) {
        let Some(reply) = lock(&self.requests.open).remove(id) else { return };
        let head = Head::of(line);
        let outcome = match (head.result, head.error) {
            (Some(result), _) => Ok(result.to_owned()),
            (None, Some(error)) => {
                let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
                let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
                Err(SendError::Client { code: error.get("code").and_then(Value::as_i64).unwrap_or_default(), message })
            }
            (None, None) => Err(SendError::Unreadable),
        };
        let _ = reply.send(outcome);
    }
}

fn asked_by(session: SessionId) -> CallAsked {
    let mut asked = CallAsked::new(0);
    asked.session = Some(session);
    asked
}

fn started(facts: CallFacts) -> CallStarted {
    let mut started = CallStarted::new(0);
    started.method = Some(facts.method);
    started.meta = facts.meta;
    started.input_responses = facts.input_responses;
    started.request_state = facts.request_state;
    started.argument = facts.argument.map(|argument| match argument {
        Value::String(text) => Argument::from(text),
        _ => Argument::Other,
    });
    started
}

/// What a call wants to know.
enum Question {
    Project,
    Tool(OurTool),
}

async fn said(call: &Call, question: Question) -> Result<Resolution, NoProject> {
    let mut asked = CallAsked::new(0);
    asked.call = Some(call.id());
    match question {
        Question::Project => {
            call.ask(asked).await.map_err(NoProject::from).and_then(project_of).map(Resolution::Project)
        }
        Question::Tool(OurTool::Which) => {
            asked.explain = true;
            let answer = call.ask(asked).await.map_err(NoProject::from);
            answer.and_then(explanation_of).map(|explanation| Resolution::Text(explanation.text.clone()))
        }
        Question::Tool(OurTool::Switch(project)) => {
            let mut selected = CallSelected::new(0, SelectBy::Value(project));
            selected.call = Some(call.id());
            let selection = call.ask(selected).await.map_err(NoProject::from).and_then(selection_of)?;
            let folder = selection.project.path.as_deref().unwrap_or(&selection.project.display_name);
            Ok(Resolution::Text(if selection.message.is_empty() {
                format!("Now working in {folder}.")
            } else {
                selection.message
            }))
        }
    }
}

/// The resolution of a call; one whose client must be asked first gets its result from the endpoint.
async fn settled(call: &Call, said: Result<Resolution, NoProject>) -> Resolution {
    let error = match said {
        Ok(resolution) => return resolution,
        Err(error) => error,
    };
    if *error.cause() == Cause::NeedsInput
        && let Some(result) = call.returned(false).await
    {
        let mut asks = json!({ "resultType": "input_required", "inputRequests": result.input_requests });
        if let (Some(state), Some(asks)) = (result.request_state, asks.as_object_mut()) {
            asks.insert("requestState".into(), state.into());
        }
        return Resolution::NeedsInput(asks);
    }
    refused(&error)
}

fn refused(error: &NoProject) -> Resolution {
    Resolution::NoProject { code: error.code(), text: error.to_string() }
}

/// Our requests that the client has.
struct Requests {
    client: Wire,
    open: Mutex<HashMap<Id, Reply>>,
}

type Reply = oneshot::Sender<Result<Box<RawValue>, SendError>>;

impl Requests {
    /// Writes with this request of the client, or outside its requests; says whether somebody reads it.
    fn write(&self, with: Option<&Id>, line: Bytes) -> bool {
        match &self.client {
            Wire::Web(web) => web.write(with, line),
            Wire::Lines(lines) => lines.push(line),
        }
    }
}

struct ToClient {
    requests: Arc<Requests>,
    /// The request of the client that carries ours.
    with: Option<Id>,
}

impl Sender for ToClient {
    fn send(&self, request: RouteRequest, cancelled: Cancelled) -> Sending {
        let (requests, with) = (self.requests.clone(), self.with.clone());
        Box::pin(async move {
            let Some(id) = Head::of(request.message.as_bytes()).id.map(|id| Id::from(id.get())) else {
                return Err(SendError::Undeliverable);
            };
            let (reply, answer) = oneshot::channel();
            lock(&requests.open).insert(id.clone(), reply);
            if !requests.write(with.as_ref(), format!("{}\n", request.message).into()) {
                lock(&requests.open).remove(&id);
                return Err(SendError::Undeliverable);
            }
            tokio::select! {
                answer = answer => answer.unwrap_or(Err(SendError::Undeliverable)),
                reason = cancelled => {
                    lock(&requests.open).remove(&id);
                    requests.write(with.as_ref(), message::cancelled(&id, &reason));
                    Err(SendError::Undeliverable)
                }
            }
        })
    }
}

/// Passes changes on to the router, and tells people what went wrong.
struct Observed(mpsc::UnboundedSender<Event>);

impl Observer for Observed {
    fn log(&self, line: &EndpointLog) {
        if to_raw_value(&line.level).is_ok_and(|level| level.get() != "\"debug\"" && level.get() != "\"info\"") {
            log(&line.message);
        }
    }

    fn project_changed(&self, change: &AnnounceProject, _name: Option<&Arc<str>>) {
        if !change.ended {
            let _ = self.0.send(Event::ProjectChanged(change.to.clone()));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
