//! The loop around an endpoint: events in, actions performed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rootwise::action::Answer;
use rootwise::endpoint::action::{CallResult, EndpointAction, RouteRequest};
use rootwise::endpoint::event::{EndpointEvent, EndpointProbed};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::endpoint::{EndpointOutput, SessionChange};
use rootwise::{AskId, CallId, Endpoint, Millis, Misuse, Policy, RequestToken, SessionId};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::notices::{Notice, Notices, Observer};
use super::sender::{Cancelled, SendError, Sender, outcome_of};
use super::session::{Described, Known, SessionState};
use crate::disk::{look, patience};

pub(super) struct Driver {
    state: Mutex<State>,
    pub(super) policy: Arc<Policy>,
    pub(super) inputs: PolicyInputs,
    /// What concerns no session.
    pub(super) notices: Arc<Notices>,
    /// How long a disk check may take.
    patience: Duration,
    started: Instant,
}

pub(super) struct State {
    pub(super) endpoint: Endpoint,
    pub(super) sessions: HashMap<SessionId, Arc<SessionState>>,
    /// What sends with a call, on a channel outside calls, or to a session at all, by their ids.
    pub(super) senders: HashMap<u32, Arc<dyn Sender>>,
    pub(super) asks: HashMap<AskId, oneshot::Sender<Answer>>,
    pub(super) results: HashMap<CallId, oneshot::Sender<CallResult>>,
    /// The clients of calls that describe them.
    pub(super) described: HashMap<CallId, Arc<Described>>,
    requests: HashMap<RequestToken, oneshot::Sender<String>>,
    /// That of the newest session or call.
    pub(super) runtime: Option<Handle>,
    timer: Option<(Millis, AbortHandle)>,
    /// Those with something to deliver.
    told: Vec<Arc<Notices>>,
    last_id: u32,
}

impl State {
    /// An id for a session, a channel, a call or an ask; never zero.
    pub(super) fn next_id(&mut self) -> u32 {
        loop {
            self.last_id = self.last_id.wrapping_add(1).max(1);
            if !self.senders.contains_key(&self.last_id) && !self.asks.contains_key(&AskId(self.last_id)) {
                return self.last_id;
            }
        }
    }
}

impl Driver {
    pub(super) fn new(endpoint: Endpoint, observer: Arc<dyn Observer>) -> Self {
        let (policy, inputs) = (endpoint.policy().clone(), endpoint.inputs().clone());
        let (sessions, senders, asks, results, described, requests) = Default::default();
        let (runtime, timer, told, last_id) = (None, None, Vec::new(), 0);
        let state =
            State { endpoint, sessions, senders, asks, results, described, requests, runtime, timer, told, last_id };
        let (state, notices, patience) = (Mutex::new(state), Arc::new(Notices::new(observer)), patience(&policy));
        Self { state, policy, inputs, notices, patience, started: Instant::now() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Millis {
        Millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Changes the state; then, without its lock, tells the observer what happened.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let told = std::mem::take(&mut state.told);
        drop(state);
        told.iter().for_each(|notices| notices.deliver());
        result
    }

    pub(super) fn feed(self: &Arc<Self>, event: impl Into<EndpointEvent>) -> Result<(), Misuse> {
        self.change(|state| self.process(state, event.into()))
    }

    pub(super) fn process(self: &Arc<Self>, state: &mut State, event: EndpointEvent) -> Result<(), Misuse> {
        let call = if let EndpointEvent::Asked(asked) = &event { asked.call } else { None };
        let EndpointOutput { actions, deadline, sessions, .. } = state.endpoint.handle(event, self.now())?;
        for SessionChange { session, known, .. } in sessions {
            let client = call.and_then(|call| state.described.get(&call).cloned());
            let known = known.and_then(|reuse| Known::of(&actions, reuse, client));
            if let Some(session) = state.sessions.get(&session) {
                session.set_known(known);
            }
        }
        for action in actions {
            self.perform(state, action);
        }
        self.arm(state, deadline);
        Ok(())
    }

    fn perform(self: &Arc<Self>, state: &mut State, action: EndpointAction) {
        // Whoever waited for a result may be gone already.
        match action {
            EndpointAction::Answer(answer) => {
                for reply in answer.asks.iter().filter_map(|ask| state.asks.remove(ask)) {
                    let _ = reply.send((*answer).clone());
                }
            }
            EndpointAction::Announce(change) => self.tell(state, Some(change.session), Notice::Project(change)),
            EndpointAction::AnnounceRoots(change) => self.tell(state, Some(change.session), Notice::Roots(change)),
            EndpointAction::CallResult(result) => {
                let _ = state.results.remove(&result.call).map(|reply| reply.send(result));
            }
            EndpointAction::Cancel(cancel) => {
                let _ = state.requests.remove(&cancel.request).map(|request| request.send(cancel.reason));
            }
            EndpointAction::SendRequest(request) => self.send(state, request),
            EndpointAction::Probe(wanted) => {
                let (driver, patience) = (Arc::downgrade(self), self.patience);
                let probe = move || {
                    let paths = look(wanted.paths, patience);
                    // The id is the endpoint's own, so that it cannot refuse it.
                    let _ = driver.upgrade().map(|driver| driver.feed(EndpointProbed::new(wanted.probe, paths)));
                };
                state.runtime.as_ref().map(|runtime| runtime.spawn_blocking(probe));
            }
            EndpointAction::WatchRequests(watch) => {
                state.sessions.get(&watch.session).into_iter().for_each(|session| session.watch());
            }
            EndpointAction::Log(log) => self.tell(state, log.session, Notice::Log(log)),
            // Only raw messages are forwarded, and SDKs read those themselves.
            _ => {}
        }
    }

    fn tell(&self, state: &mut State, session: Option<SessionId>, notice: Notice) {
        let session = session.and_then(|session| state.sessions.get(&session));
        let notices = session.map_or(&self.notices, |session| &session.notices);
        notices.push(notice);
        state.told.push(notices.clone());
    }

    fn send(self: &Arc<Self>, state: &mut State, request: RouteRequest) {
        let RouteRequest { request: token, session, call, channel, .. } = request;
        let ids = [call.map(|call| call.0), channel.map(|channel| channel.0), Some(session.0)];
        let sender = ids.into_iter().flatten().find_map(|id| state.senders.get(&id)).cloned();
        let (cancel, cancelled) = oneshot::channel();
        state.requests.insert(token, cancel);
        let driver = Arc::downgrade(self);
        let sending = async move {
            let outcome = match sender {
                Some(sender) => sender.send(request, Cancelled::new(cancelled)).await,
                None => Err(SendError::Undeliverable),
            };
            let Some(driver) = driver.upgrade() else { return };
            driver.change(|state| {
                // A request that was cancelled has no outcome.
                if state.requests.remove(&token).is_some() {
                    let _ = driver.process(state, outcome_of(token, outcome));
                }
            });
        };
        state.runtime.as_ref().map(|runtime| runtime.spawn(sending));
    }

    /// Keeps one timer, at the endpoint's deadline.
    fn arm(self: &Arc<Self>, state: &mut State, deadline: Option<Millis>) {
        let armed = state.timer.as_ref().filter(|(_, task)| !task.is_finished()).map(|(at, _)| *at);
        if armed == deadline {
            return;
        }
        if let Some((_, task)) = state.timer.take() {
            task.abort();
        }
        let instant = |at: Millis| self.started.checked_add(Duration::from_millis(at.0));
        let Some((at, instant)) = deadline.and_then(|at| Some((at, instant(at)?))) else { return };
        let driver = Arc::downgrade(self);
        let wait = async move {
            tokio::time::sleep_until(instant).await;
            let Some(driver) = driver.upgrade() else { return };
            driver.change(|state| {
                state.timer.take_if(|(armed, _)| *armed == at);
                let _ = driver.process(state, EndpointEvent::DeadlineReached);
            });
        };
        state.timer = state.runtime.as_ref().map(|runtime| (at, runtime.spawn(wait).abort_handle()));
    }
}
