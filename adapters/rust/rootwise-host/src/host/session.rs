//! The clients of a host and their calls: each ends when its handle is dropped.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rootwise::action::Answer;
use rootwise::endpoint::action::{CallResult, EndpointAction};
use rootwise::endpoint::event::{
    CallEnded, CallReturned, CallStarted, ChannelClosed, ChannelEnd, ChannelOpened, EndpointEvent, SessionClosed,
    SessionOpened,
};
use rootwise::{CallId, ChannelId, ConfigError, Explanation, Millis, Misuse, Outcome, Project, Reuse, SessionId};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::notices::Notices;
use super::{Host, Sender};

/// What a host keeps of a session.
pub(super) struct SessionState {
    pub(super) notices: Arc<Notices>,
    known: Mutex<Option<Known>>,
    watched: AtomicBool,
}

/// The answer to every ask that has no request-specific facts and describes its client in the same way, until the session is
/// named again.
pub(super) struct Known {
    project: Arc<Project>,
    until: Option<Millis>,
    client: Option<Arc<Described>>,
}

/// How a call of 2026-07-28 describes its client.
#[derive(Debug, PartialEq)]
pub(super) struct Described {
    capabilities: Option<Value>,
    info: Option<Value>,
}

impl Described {
    pub(super) fn of(started: &CallStarted) -> Option<Self> {
        let read = |raw: &Option<Box<RawValue>>| raw.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok());
        let is_described = started.capabilities.is_some() || started.client_info.is_some();
        is_described.then(|| Self { capabilities: read(&started.capabilities), info: read(&started.client_info) })
    }
}

impl Known {
    /// The only answer among these actions, if it is a project.
    pub(super) fn of(actions: &[EndpointAction], reuse: Reuse, client: Option<Arc<Described>>) -> Option<Self> {
        // A host that lets the endpoint read `_meta` does not know what to compare.
        let client = client.filter(|_| reuse.modern);
        if reuse.modern != client.is_some() {
            return None;
        }

        let mut outcomes = actions.iter().filter_map(|action| match action {
            EndpointAction::Answer(answer) => Some(&answer.outcome),
            _ => None,
        });
        match (outcomes.next(), outcomes.next()) {
            (Some(Outcome::Resolved { project }), None) => {
                Some(Self { project: project.clone(), until: reuse.until, client })
            }
            _ => None,
        }
    }
}

impl SessionState {
    fn known(&self) -> MutexGuard<'_, Option<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_known(&self, known: Option<Known>) {
        *self.known() = known;
    }

    pub(super) fn watch(&self) {
        self.watched.store(true, Ordering::Release);
    }
}

/// One client. Dropping it closes the session: everybody who waits is answered.
///
/// ```
/// use std::sync::Arc;
///
/// use rootwise::endpoint::action::RouteRequest;
/// use rootwise::endpoint::event::{CallAsked, SessionOpened};
/// use rootwise::host::Transport;
/// use rootwise::{HostFacts, PathStyle, Policy};
/// use rootwise_host::{Cancelled, Host, SendError, Sender, Sending, project_of};
///
/// /// A client that answers no request.
/// struct Silent;
/// impl Sender for Silent {
///     fn send(&self, _: RouteRequest, _: Cancelled) -> Sending {
///         Box::pin(async { Err(SendError::Undeliverable) })
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::from_json(r#"{ "name": "env", "sources": [{ "from": "env", "read": ["P"], "verify": "none" }] }"#)?;
/// let mut facts = HostFacts::new(PathStyle::native());
/// facts.env.insert("P".into(), std::env::temp_dir().display().to_string());
/// let host = Host::new(policy, &facts, Arc::new(()))?;
/// let session = host.open(SessionOpened::new(0, Transport::Stdio), Arc::new(Silent))?;
/// let mut asked = CallAsked::new(0);
/// asked.session = Some(session.id());
/// let project = project_of(session.ask(asked).await?)?;
/// assert_eq!(session.project(), Some(project));
/// # Ok(())
/// # }
/// ```
pub struct Session {
    host: Host,
    id: SessionId,
    state: Arc<SessionState>,
}

impl Host {
    /// Opens a session; its id is replaced. `sender` carries requests outside calls.
    ///
    /// # Errors
    /// The saved session is not usable, or there is no tokio runtime here.
    pub fn open(&self, mut opened: SessionOpened, sender: Arc<dyn Sender>) -> Result<Session, Misuse> {
        let runtime = Handle::try_current().map_err(|error| ConfigError::new("runtime", error.to_string()))?;
        let notices = Arc::new(self.0.notices.for_session());
        let kept = Arc::new(SessionState { notices, known: Mutex::default(), watched: AtomicBool::new(false) });
        self.0.change(|state| {
            let id = SessionId(state.next_id());
            opened.session = id;
            state.runtime = Some(runtime);
            state.sessions.insert(id, kept.clone());
            state.senders.insert(id.0, sender);
            let opened = self.0.process(state, opened.into()).inspect_err(|_| {
                state.sessions.remove(&id);
                state.senders.remove(&id.0);
            });
            opened.map(|()| Session { host: self.clone(), id, state: kept })
        })
    }

    /// Starts a stateless call, one without a session; its id is replaced.
    ///
    /// # Errors
    /// The call is a mistake of this program.
    pub fn call(&self, started: CallStarted) -> Result<Call, Misuse> {
        self.start(started, None, None)
    }

    fn start(
        &self,
        mut started: CallStarted,
        session: Option<&Session>,
        sender: Option<Arc<dyn Sender>>,
    ) -> Result<Call, Misuse> {
        self.0.change(|state| {
            let id = CallId(state.next_id());
            started.call = id;
            started.session = session.map(Session::id);
            started.channel = sender.as_ref().map(|_| ChannelId(id.0));
            state.runtime = Handle::try_current().ok().or_else(|| state.runtime.take());
            let client = Described::of(&started);
            self.0.process(state, started.into())?;
            state.described.extend(client.map(|client| (id, client.into())));
            state.senders.extend(sender.map(|sender| (id.0, sender)));
            let session = session.map(|session| session.state.clone());
            Ok(Call { host: self.clone(), id, session, has_ended: AtomicBool::new(false) })
        })
    }
}

impl Session {
    /// The id in events.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// Gives the session a name, such as the id of its HTTP session; the first one stays.
    pub fn set_name(&self, name: Arc<str>) {
        self.state.notices.name.get_or_init(|| name);
    }

    /// The answer to a legacy ask that has no request-specific facts, if the last answer still holds.
    #[must_use]
    pub fn known(&self) -> Option<Arc<Project>> {
        self.known_if(|client| client.is_none())
    }

    /// The same for a call of 2026-07-28 that describes its client so.
    #[must_use]
    pub fn known_to(&self, capabilities: Option<&Value>, info: Option<&Value>) -> Option<Arc<Project>> {
        self.known_if(|client| {
            client.is_some_and(|known| known.capabilities.as_ref() == capabilities && known.info.as_ref() == info)
        })
    }

    fn known_if(&self, is_like: impl FnOnce(Option<&Described>) -> bool) -> Option<Arc<Project>> {
        let known = self.state.known();
        let Known { project, until, client } = known.as_ref()?;
        let is_current = until.is_none_or(|until| self.host.0.now() < until) && self.state.notices.is_drained();
        (is_current && is_like(client.as_deref())).then(|| project.clone())
    }

    /// Whether the endpoint wants to see the requests of this session.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.state.watched.load(Ordering::Acquire)
    }

    /// The project, as far as it is known.
    #[must_use]
    pub fn project(&self) -> Option<Arc<Project>> {
        self.host.0.lock().endpoint.project(self.id).cloned()
    }

    /// The result of every source for the project.
    #[must_use]
    pub fn explain(&self) -> Option<Explanation> {
        self.host.0.lock().endpoint.explain(self.id)
    }

    /// Asks outside any call, as [`Host::ask`] does; the answer comes after the changes that it reflects.
    ///
    /// # Errors
    /// The event is a mistake of this program.
    pub async fn ask(&self, event: impl Into<EndpointEvent>) -> Result<Answer, Misuse> {
        let answer = self.host.ask(event).await?;
        self.state.notices.told().await;
        Ok(answer)
    }

    /// Starts a call of this session; its ids are replaced. `sender` carries requests with this call; without one, a call over
    /// HTTP can carry none.
    ///
    /// # Errors
    /// The call is a mistake of this program.
    pub fn call(&self, started: CallStarted, sender: Option<Arc<dyn Sender>>) -> Result<Call, Misuse> {
        self.host.start(started, Some(self), sender)
    }

    /// Closes the session: everybody who waits is answered.
    pub fn close(&self) {
        self.host.0.change(|state| {
            let is_open = state.sessions.get(&self.id).is_some_and(|open| Arc::ptr_eq(open, &self.state));
            if is_open {
                // The endpoint refuses no end.
                let _ = self.host.0.process(state, SessionClosed::new(self.id).into());
                state.sessions.remove(&self.id);
                state.senders.remove(&self.id.0);
            }
        });
    }

    /// A stream outside calls opened.
    ///
    /// # Errors
    /// The session is not one of HTTP.
    pub fn channel(&self) -> Result<Channel, Misuse> {
        self.host.0.change(|state| {
            let id = ChannelId(state.next_id());
            self.host.0.process(state, ChannelOpened::new(self.id, id).into())?;
            let sender = state.senders.get(&self.id.0).cloned();
            state.senders.extend(sender.map(|sender| (id.0, sender)));
            Ok(Channel { host: self.host.clone(), id })
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
    }
}

/// A stream outside calls. Dropping it tells that the stream is gone.
pub struct Channel {
    host: Host,
    id: ChannelId,
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.host.0.change(|state| {
            // The session may be closed already.
            let _ = self.host.0.process(state, ChannelClosed::new(self.id, ChannelEnd::Broken).into());
            state.senders.remove(&self.id.0);
        });
    }
}

/// One call. Dropping it ends the call: everybody who waits for it is answered.
///
/// ```
/// use std::sync::Arc;
///
/// use rootwise::endpoint::event::{CallAsked, CallStarted};
/// use rootwise::{HostFacts, PathStyle, Policy};
/// use rootwise_host::{Host, project_of};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let host = Host::new(Policy::recommended(), &HostFacts::new(PathStyle::native()), Arc::new(()))?;
/// // A call without a session; `Session::call` starts one of a session.
/// let call = host.call(CallStarted::new(0))?;
/// let mut asked = CallAsked::new(0);
/// asked.call = Some(call.id());
/// // What the server itself knows about the caller.
/// asked.server = Some(std::env::temp_dir().display().to_string());
/// println!("{}", project_of(call.ask(asked).await?)?.name);
/// call.end(false);
/// # Ok(())
/// # }
/// ```
pub struct Call {
    host: Host,
    id: CallId,
    session: Option<Arc<SessionState>>,
    has_ended: AtomicBool,
}

impl Call {
    /// The id in events.
    #[must_use]
    pub const fn id(&self) -> CallId {
        self.id
    }

    /// Asks as [`Host::ask`] does; the answer comes after the changes that it reflects.
    ///
    /// # Errors
    /// The event is a mistake of this program.
    pub async fn ask(&self, event: impl Into<EndpointEvent>) -> Result<Answer, Misuse> {
        let answer = self.host.ask(event).await?;
        if let Some(session) = &self.session {
            session.notices.told().await;
        }
        Ok(answer)
    }

    /// The stream of the call is gone for good.
    pub fn broken(&self) {
        // A stream that is unknown breaks nothing.
        let _ = self.host.feed(ChannelClosed::new(ChannelId(self.id.0), ChannelEnd::Broken));
    }

    /// The handler returned, with a question of its own or not. The result says what the client is asked besides; there is none
    /// if the call ends first.
    pub async fn returned(&self, input_required: bool) -> Option<CallResult> {
        let (reply, result) = oneshot::channel();
        let returned = CallReturned::new(self.id, input_required);
        self.host.0.change(|state| {
            state.results.insert(self.id, reply);
            self.host.0.process(state, returned.into()).ok()
        })?;
        result.await.ok()
    }

    /// Ends the call: everybody who waits for it is answered. Its client may have cancelled it.
    pub fn end(&self, cancelled: bool) {
        if self.has_ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut ended = CallEnded::new(self.id);
        ended.cancelled = cancelled;
        self.host.0.change(|state| {
            // The endpoint refuses no end.
            let _ = self.host.0.process(state, ended.into());
            state.results.remove(&self.id);
            state.described.remove(&self.id);
            state.senders.remove(&self.id.0);
        });
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.end(false);
    }
}

macro_rules! shown_by_id {
    ($($name:ident),*) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.debug_struct(stringify!($name)).field("id", &self.id).finish_non_exhaustive()
            }
        })*
    };
}

shown_by_id!(Session, Channel, Call);
