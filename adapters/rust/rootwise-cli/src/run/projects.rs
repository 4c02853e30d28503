//! The client's project: the endpoint of `rootwise-host`, and the requests that it sends to the client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use rootwise::action::Answer;
use rootwise::endpoint::action::{AnnounceProject, EndpointLog, RouteRequest};
use rootwise::endpoint::event::{
    CallAsked, CallSelected, CallStarted, InputClosed, RequestSeen, SessionInitialized, SessionOpened, SessionReady,
    SessionRootsChanged,
};
use rootwise::event::{Argument, SelectBy};
use rootwise::host::Transport;
use rootwise::{HostFacts, Misuse, Policy, Project, SessionId};
use rootwise_host::{
    Call, Cancelled, Cause, Host, NoProject, Observer, SendError, Sender, Sending, Session, explanation_of, project_of,
    selection_of,
};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::lines::Outbox;
use super::message::{self, Head, Id};
use super::router::{CallFacts, Event, OurTool, Resolution, Ticket};
use super::shell::log;
use crate::output::Failure;

pub(super) struct Projects {
    host: Host,
    session: Arc<Session>,
    requests: Arc<Requests>,
    events: mpsc::UnboundedSender<Event>,
    tickets: Arc<Mutex<HashMap<Ticket, AbortHandle>>>,
}

impl Projects {
    pub(super) fn new(
        policy: Arc<Policy>,
        facts: &HostFacts,
        client: Outbox,
        events: mpsc::UnboundedSender<Event>,
    ) -> Result<Self, Failure> {
        let host = Host::new(policy, facts, Arc::new(Observed(events.clone()))).map_err(Failure::new)?;
        let requests = Arc::new(Requests { client, open: Mutex::default() });
        let opened = SessionOpened::new(0, Transport::Stdio);
        let session = host.open(opened, Arc::new(ToClient(requests.clone()))).map_err(Failure::new)?;
        Ok(Self { host, session: Arc::new(session), requests, events, tickets: Arc::default() })
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
        let session = self.session.clone();
        self.answer(ticket, async move {
            let Some(facts) = facts else { return resolution(session.ask(asked_by(session.id())).await) };
            match session.call(started(*facts), None) {
                Ok(call) => {
                    let mut asked = CallAsked::new(0);
                    asked.call = Some(call.id());
                    let answer = call.ask(asked).await;
                    settled(&call, answer.map_err(NoProject::from).and_then(project_of).map(Resolution::Project)).await
                }
                Err(misuse) => refused(&misuse.into()),
            }
        });
    }

    /// Runs a tool of ours.
    pub(super) fn tool(&self, ticket: Ticket, tool: OurTool, facts: CallFacts) {
        let session = self.session.clone();
        self.answer(ticket, async move {
            let call = match session.call(started(facts), None) {
                Ok(call) => call,
                Err(misuse) => return refused(&misuse.into()),
            };
            let said = match tool {
                OurTool::Which => {
                    let mut asked = CallAsked::new(0);
                    (asked.call, asked.explain) = (Some(call.id()), true);
                    let answer = call.ask(asked).await.map_err(NoProject::from);
                    answer.and_then(explanation_of).map(|explanation| explanation.text.clone())
                }
                OurTool::Switch(project) => {
                    let mut selected = CallSelected::new(0, SelectBy::Value(project));
                    selected.call = Some(call.id());
                    let answer = call.ask(selected).await.map_err(NoProject::from);
                    answer.and_then(selection_of).map(|selection| {
                        let folder = selection.project.path.as_deref().unwrap_or(&selection.project.display_name);
                        if selection.message.is_empty() {
                            format!("Now working in {folder}.")
                        } else {
                            selection.message
                        }
                    })
                }
            };
            settled(&call, said.map(Resolution::Text)).await
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

fn resolution(answer: Result<Answer, Misuse>) -> Resolution {
    match answer.map_err(NoProject::from).and_then(project_of) {
        Ok(project) => Resolution::Project(project),
        Err(error) => refused(&error),
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
    client: Outbox,
    open: Mutex<HashMap<Id, Reply>>,
}

type Reply = oneshot::Sender<Result<Box<RawValue>, SendError>>;

struct ToClient(Arc<Requests>);

impl Sender for ToClient {
    fn send(&self, request: RouteRequest, cancelled: Cancelled) -> Sending {
        let requests = self.0.clone();
        Box::pin(async move {
            let Some(id) = Head::of(request.message.as_bytes()).id.map(|id| Id::from(id.get())) else {
                return Err(SendError::Undeliverable);
            };
            let (reply, answer) = oneshot::channel();
            lock(&requests.open).insert(id.clone(), reply);
            requests.client.push(format!("{}\n", request.message).into());
            tokio::select! {
                answer = answer => answer.unwrap_or(Err(SendError::Undeliverable)),
                reason = cancelled => {
                    lock(&requests.open).remove(&id);
                    requests.client.push(message::cancelled(&id, &reason));
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
