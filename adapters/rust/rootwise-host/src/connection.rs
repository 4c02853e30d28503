//! The loop around a resolver: events in, actions performed. Independent of any SDK.

mod flight;
mod notices;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rootwise::action::{Answer, Level, SendRequest};
use rootwise::event::{AskWithdrawn, Asked, ClientInitialized, Event, Probed, RefusalKind, RootsListed, RootsRefused};
use rootwise::host::Transport;
use rootwise::{
    Action, AskId, ConfigError, Explanation, HostFacts, Millis, Misuse, Outcome, Policy, Project, RequestToken,
    Resolver,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::disk::{look, patience};
use crate::error::NoProject;
use crate::question::{Question, project_of, with_own_id};
use flight::{Flight, outcome_of};
pub use flight::{GivenUp, SendError, Sender, Sending};
use notices::Notices;
pub use notices::{LogLine, Observer};

/// One client connection on tokio: its resolver, and everything that waits for it.
///
/// Dropping it closes the connection. Must be created inside a tokio runtime with a timer.
pub struct Connection(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    notices: Notices,
    push: Option<Arc<dyn Sender>>,
    transport: Transport,
    /// How long a look at the disk may take.
    patience: Duration,
    runtime: Handle,
    started: Instant,
}

struct State {
    resolver: Resolver,
    asks: HashMap<AskId, Pending>,
    in_flight: HashMap<RequestToken, Flight>,
    last_ask: u32,
    known: Option<Known>,
    timer: Option<Timer>,
    input_closed: bool,
    closed: bool,
}

/// The answer to every ask that brings nothing of its own, until the next event.
struct Known {
    project: Arc<Project>,
    until: Option<Millis>,
}

/// A caller that waits.
struct Pending {
    reply: oneshot::Sender<Result<Answer, NoProject>>,
    sender: Option<Arc<dyn Sender>>,
}

impl Pending {
    /// Whether the call of this caller can no longer reach its client.
    fn is_lost(&self) -> bool {
        self.sender.as_ref().is_some_and(|sender| !sender.is_open())
    }
}

struct Timer {
    at: Millis,
    task: AbortHandle,
}

impl Connection {
    /// Opens a connection before its handshake.
    ///
    /// `push` sends requests outside a call; without it they travel only with calls.
    ///
    /// # Errors
    /// A host fact cannot work, or there is no tokio runtime here.
    pub fn new(
        policy: impl Into<Arc<Policy>>,
        host: impl Into<Arc<HostFacts>>,
        push: Option<Arc<dyn Sender>>,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, ConfigError> {
        let (policy, host) = (policy.into(), host.into());
        let (transport, patience) = (host.transport, patience(&policy));
        let runtime = Handle::try_current().map_err(|error| ConfigError::new("runtime", error.to_string()))?;
        let state = State {
            resolver: Resolver::new(policy, host)?,
            asks: HashMap::new(),
            in_flight: HashMap::new(),
            last_ask: 0,
            known: None,
            timer: None,
            input_closed: false,
            closed: false,
        };
        let (state, notices, started) = (Mutex::new(state), Notices::new(observer), Instant::now());
        Ok(Self(Arc::new(Shared { state, notices, push, transport, patience, runtime, started })))
    }

    /// The connection's project as far as it is known.
    #[must_use]
    pub fn project(&self) -> Option<Arc<Project>> {
        self.0.lock().resolver.project().cloned()
    }

    /// The answer to a call that brings nothing of its own, if the last answer still holds: what [`ask`](Self::ask) with
    /// `Asked::default()` would return, without the resolver.
    #[must_use]
    pub fn known(&self) -> Option<Arc<Project>> {
        let state = self.0.lock();
        let Known { project, until } = state.known.as_ref()?;
        let is_current = until.is_none_or(|until| self.0.now() < until) && self.0.notices.is_all_told();
        is_current.then(|| project.clone())
    }

    /// The result of every source for the connection's project.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.0.lock().resolver.explain()
    }

    /// The client sent `initialize` with these raw parameters.
    pub fn initialized(&self, params: ClientInitialized) {
        self.0.feed(params);
    }

    /// The client sent `notifications/initialized`.
    pub fn ready(&self) {
        self.0.feed(Event::ClientReady);
    }

    /// The client sent `notifications/roots/list_changed`.
    pub fn roots_changed(&self) {
        self.0.feed(Event::RootsChanged(Default::default()));
    }

    /// Processes any other event. What the host did wrong is logged, so that peer input cannot break a server. The answer to
    /// a question reaches nobody; use [`question`](Self::question).
    pub fn feed(&self, event: impl Into<Event>) {
        self.0.feed(event);
    }

    /// Passes a question to the resolver and waits for its answer; every wait ends by the policy's `waitMs`. Dropping the
    /// future withdraws the question.
    ///
    /// `sender` carries a request that belongs to this call.
    ///
    /// # Errors
    /// The connection is closed, the channel of this call closed, or the question is too large.
    pub async fn question(
        &self,
        question: impl Into<Question>,
        sender: Option<Arc<dyn Sender>>,
    ) -> Result<Answer, NoProject> {
        self.question_with(question, || sender).await
    }

    /// As [`question`](Self::question); the sender is made only if the question has to wait.
    ///
    /// # Errors
    /// The connection is closed, the channel of this call closed, or the question is too large.
    pub async fn question_with(
        &self,
        question: impl Into<Question>,
        sender: impl FnOnce() -> Option<Arc<dyn Sender>>,
    ) -> Result<Answer, NoProject> {
        let answer = match self.0.begin(question.into(), sender)? {
            Begun::Answered(answer) => *answer,
            Begun::Waiting(id, reply) => {
                let _waiting = Waiting { shared: &self.0, id };
                reply.await.unwrap_or_else(|_| Err(NoProject::closed()))?
            }
        };
        self.0.notices.told().await;
        Ok(answer)
    }

    /// Returns the project of a call.
    ///
    /// # Errors
    /// No project was found, or the client must send its roots with a repeated call.
    pub async fn ask(&self, asked: Asked, sender: Option<Arc<dyn Sender>>) -> Result<Arc<Project>, NoProject> {
        project_of(self.question(asked, sender).await?)
    }

    /// Answers a question from current knowledge; never waits.
    #[must_use]
    pub fn peek(&self, question: impl Into<Question>) -> Option<Answer> {
        match self.0.begin(question.into(), || None).ok()? {
            Begun::Answered(answer) => Some(*answer),
            Begun::Waiting(id, _) => {
                self.0.withdraw(id);
                None
            }
        }
    }

    /// The client sends no more messages: pending requests fail, and their callers get the next source.
    pub fn input_closed(&self) {
        let mut state = self.0.lock();
        state.input_closed = true;
        let tokens: Vec<RequestToken> = state.in_flight.keys().copied().collect();
        for token in tokens {
            self.0.give_up(&mut state, token, "the client closed its input", Some(RefusalKind::Undeliverable));
        }
        drop(state);
        self.0.notices.deliver();
    }

    /// A channel closed: the calls that it carried are over, and callers elsewhere who wait for its request get another one.
    pub fn channel_closed(&self) {
        let mut state = self.0.lock();
        self.0.drop_lost(&mut state);
        drop(state);
        self.0.notices.deliver();
    }

    /// Ends the connection; everything that waits for it is answered.
    pub fn close(&self) {
        let mut state = self.0.lock();
        if state.closed {
            return;
        }
        let last = state.resolver.project().cloned();
        self.0.process(&mut state, Event::Closed);
        if last.is_some() {
            self.0.notices.changed(None, last);
        }
        state.closed = true;
        state.in_flight.clear();
        state.asks.clear();
        if let Some(timer) = state.timer.take() {
            timer.task.abort();
        }
        drop(state);
        self.0.notices.deliver();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        let mut fields = formatter.debug_struct("Connection");
        fields.field("project", &state.resolver.project()).field("waiting", &state.asks.len());
        fields.field("closed", &state.closed).finish_non_exhaustive()
    }
}

enum Begun {
    Answered(Box<Answer>),
    Waiting(AskId, oneshot::Receiver<Result<Answer, NoProject>>),
}

/// Withdraws a question whose caller is gone.
struct Waiting<'a> {
    shared: &'a Arc<Shared>,
    id: AskId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.withdraw(self.id);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn feed(self: &Arc<Self>, event: impl Into<Event>) {
        let mut state = self.lock();
        let event = with_own_id(event.into(), || state.next_ask());
        self.process(&mut state, event);
        drop(state);
        self.notices.deliver();
    }

    fn begin(
        self: &Arc<Self>,
        question: Question,
        sender: impl FnOnce() -> Option<Arc<dyn Sender>>,
    ) -> Result<Begun, NoProject> {
        let mut state = self.lock();
        if state.closed {
            return Err(NoProject::closed());
        }
        let id = state.next_ask();
        let mut actions = state
            .handle(question.with_id(id), self.now())
            .map_err(|misuse| NoProject::new(misuse.code(), misuse.to_string()))?;
        let own = actions.iter().position(|action| matches!(action, Action::Answer(answer) if answer.asks == [id]));
        let begun = match own.map(|place| actions.remove(place)) {
            Some(Action::Answer(answer)) => Begun::Answered(answer),
            _ => {
                let (reply, receiver) = oneshot::channel();
                state.asks.insert(id, Pending { reply, sender: sender() });
                Begun::Waiting(id, receiver)
            }
        };
        self.perform(&mut state, actions, false);
        // Only now, so that the new request can travel with this call.
        self.abandon_lost(&mut state);
        drop(state);
        self.notices.deliver();
        Ok(begun)
    }

    /// Lets the resolver process one event, and performs its actions.
    fn process(self: &Arc<Self>, state: &mut State, event: Event) {
        if state.closed {
            return;
        }
        let expired = matches!(event, Event::DeadlineReached);
        let listed = matches!(event, Event::RootsListed(_));
        let instead = instead_of(&event);
        match state.handle(event, self.now()) {
            Ok(actions) => {
                self.perform(state, actions, expired);
                if listed {
                    self.notices.roots();
                }
            }
            Err(misuse) => {
                self.log(Level::Warning, "event_failed", None, misuse.to_string());
                if let (Some(event), Misuse::EventTooLarge { .. }) = (instead, misuse) {
                    self.process(state, event);
                }
            }
        }
    }

    fn perform(self: &Arc<Self>, state: &mut State, actions: Vec<Action>, expired: bool) {
        for action in actions {
            match action {
                Action::Answer(answer) => self.answer(state, &answer, expired),
                Action::Announce(announce) => self.notices.changed(announce.to, announce.from),
                Action::Cancel(cancel) => self.give_up(state, cancel.request, "no answer in time", None),
                Action::SendRequest(request) => self.send(state, request),
                Action::Probe(wanted) => {
                    let (shared, patience) = (Arc::downgrade(self), self.patience);
                    self.runtime.spawn_blocking(move || {
                        let paths = look(wanted.paths, patience);
                        if let Some(shared) = shared.upgrade() {
                            shared.feed(Probed { probe: wanted.probe, paths });
                        }
                    });
                }
                Action::Log(log) => self.notices.log(log.into()),
                // Only raw messages are forwarded, and SDKs read those themselves.
                _ => {}
            }
        }
        self.arm(state);
    }

    fn answer(&self, state: &mut State, answer: &Answer, expired: bool) {
        for ask in &answer.asks {
            let Some(pending) = state.asks.remove(ask) else { continue };
            if expired && !state.in_flight.is_empty() {
                let text = "The client did not answer roots/list in time; this call uses the next source.";
                self.log(Level::Warning, "wait_expired", Some(*ask), text.into());
            }
            // The caller may be gone already.
            let _ = pending.reply.send(Ok(answer.clone()));
        }
    }

    fn log(&self, level: Level, code: &'static str, ask: Option<AskId>, message: String) {
        self.notices.log(LogLine { level, code, ask, message });
    }

    fn send(self: &Arc<Self>, state: &mut State, request: SendRequest) {
        let token = request.request;
        let (carrier, sender) = state.sender_for(request.relates_to, self.push.as_ref());
        let is_lost = request.relates_to.and_then(|ask| state.asks.get(&ask)).is_some_and(Pending::is_lost);
        let without = if is_lost { SendError::Abandoned } else { SendError::Undeliverable };
        let (give_up, given_up) = oneshot::channel();
        state.in_flight.insert(token, Flight { give_up, carrier, sender: sender.clone() });
        let shared = Arc::downgrade(self);
        self.runtime.spawn(async move {
            let outcome = match sender {
                Some(sender) => sender.send(request, GivenUp::new(given_up)).await,
                None => Err(without),
            };
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.lock();
            if matches!(outcome, Err(SendError::Abandoned)) {
                shared.cancel_lost(&mut state);
            }
            if state.in_flight.remove(&token).is_some() {
                shared.process(&mut state, outcome_of(token, outcome));
            }
            drop(state);
            shared.notices.deliver();
        });
    }

    /// Ends a request in flight; with a kind, the resolver is told.
    fn give_up(self: &Arc<Self>, state: &mut State, token: RequestToken, why: &'static str, kind: Option<RefusalKind>) {
        let Some(flight) = state.in_flight.remove(&token) else { return };
        // The sender may have finished already.
        let _ = flight.give_up.send(why);
        if let Some(kind) = kind {
            self.process(state, RootsRefused { request: token, kind, code: None, message: None }.into());
        }
    }

    /// Ends the calls whose channel closed, and gives up the requests that they carried.
    fn drop_lost(self: &Arc<Self>, state: &mut State) {
        self.cancel_lost(state);
        self.abandon_lost(state);
    }

    /// Ends the calls whose channel closed: nobody reads their results.
    fn cancel_lost(self: &Arc<Self>, state: &mut State) {
        let lost: Vec<AskId> =
            state.asks.iter().filter(|(_, pending)| pending.is_lost()).map(|(ask, _)| *ask).collect();
        for ask in lost {
            let Some(pending) = state.asks.remove(&ask) else { continue };
            self.process(state, AskWithdrawn { ask }.into());
            // The caller may be gone already.
            let _ = pending.reply.send(Err(NoProject::cancelled()));
        }
    }

    /// Gives up the requests whose channel closed; the resolver sends another one for those who still wait.
    fn abandon_lost(self: &Arc<Self>, state: &mut State) {
        self.abandon(state, |flight| flight.is_lost());
    }

    fn abandon(self: &Arc<Self>, state: &mut State, is_lost: impl Fn(&Flight) -> bool) {
        let lost = |(token, flight): (&RequestToken, &Flight)| is_lost(flight).then_some(*token);
        let lost: Vec<RequestToken> = state.in_flight.iter().filter_map(lost).collect();
        for token in lost {
            self.give_up(state, token, "its stream broke", Some(RefusalKind::Abandoned));
        }
    }

    fn withdraw(self: &Arc<Self>, ask: AskId) {
        let mut state = self.lock();
        if state.asks.remove(&ask).is_none() {
            return;
        }
        self.process(&mut state, AskWithdrawn { ask }.into());
        // Over HTTP a request travels on the stream of its call and is lost with it; the other callers need a new one.
        if self.transport == Transport::Http {
            self.abandon(&mut state, |flight| flight.carrier == Some(ask));
        }
        drop(state);
        self.notices.deliver();
    }

    /// Keeps one timer, at the resolver's deadline.
    fn arm(self: &Arc<Self>, state: &mut State) {
        let deadline = state.resolver.deadline();
        if state.timer.as_ref().map(|timer| timer.at) == deadline {
            return;
        }
        if let Some(timer) = state.timer.take() {
            timer.task.abort();
        }
        let Some((at, instant)) = deadline.and_then(|at| Some((at, self.instant(at)?))) else { return };
        let shared = Arc::downgrade(self);
        let task = self.runtime.spawn(async move {
            tokio::time::sleep_until(instant).await;
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.lock();
            if state.timer.as_ref().is_some_and(|timer| timer.at == at) {
                state.timer = None;
            }
            shared.process(&mut state, Event::DeadlineReached);
            drop(state);
            shared.notices.deliver();
        });
        state.timer = Some(Timer { at, task: task.abort_handle() });
    }

    fn instant(&self, at: Millis) -> Option<Instant> {
        self.started.checked_add(Duration::from_millis(at.0))
    }
}

impl State {
    fn handle(&mut self, event: Event, now: Millis) -> Result<Vec<Action>, Misuse> {
        let actions = self.resolver.handle(event, now)?;
        self.known = self.resolver.reuse().and_then(|reuse| {
            let Some(Action::Answer(answer)) = actions.first() else { return None };
            let Outcome::Resolved { project } = &answer.outcome else { return None };
            Some(Known { project: project.clone(), until: reuse.until })
        });
        Ok(actions)
    }

    fn next_ask(&mut self) -> AskId {
        loop {
            self.last_ask = self.last_ask.wrapping_add(1);
            let id = AskId(self.last_ask);
            if !self.asks.contains_key(&id) {
                return id;
            }
        }
    }

    /// The way of a request: with the call that caused it, else with another call that waits, else the connection's own.
    fn sender_for(
        &self,
        ask: Option<AskId>,
        push: Option<&Arc<dyn Sender>>,
    ) -> (Option<AskId>, Option<Arc<dyn Sender>>) {
        let own = ask.and_then(|ask| self.asks.get(&ask).map(|pending| (ask, pending)));
        let others = self.asks.iter().map(|(ask, pending)| (*ask, pending));
        let open = |(ask, pending): (AskId, &Pending)| {
            let sender = pending.sender.as_ref().filter(|sender| sender.is_open())?;
            Some((Some(ask), Some(sender.clone())))
        };
        let with_call = own.into_iter().chain(others).find_map(open);
        with_call.unwrap_or_else(|| (None, push.filter(|sender| sender.is_open()).cloned()))
    }
}

/// The event that stands for one that is too large: an unreadable answer of the client counts as one, and a client that
/// describes itself at length is still a client.
fn instead_of(event: &Event) -> Option<Event> {
    match event {
        Event::RootsListed(RootsListed { request: Some(request), .. }) => {
            let kind = RefusalKind::Unreadable;
            Some(RootsRefused { request: *request, kind, code: None, message: None }.into())
        }
        Event::RootsRefused(refused) => Some(RootsRefused { message: None, ..refused.clone() }.into()),
        Event::ClientInitialized(_) => Some(ClientInitialized::default().into()),
        _ => None,
    }
}
