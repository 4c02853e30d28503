//! The servers: one for each project, started when it is needed, let go when it is not.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;

use super::calls::{without_envelope, without_our_answer};
use super::newer::capabilities;
use super::{Action, Alarm, End, Era, Flight, GRACE, InstanceId, Pending, Router, SessionProject, Traffic};
use crate::run::message::{self, Id};
use crate::run::place::{Place, folder_of};

/// One process of the server.
pub(super) struct Instance {
    pub(super) place: Place,
    pub(super) state: State,
    /// Whether it speaks the client's revision of the protocol or an older one.
    pub(super) era: Option<Era>,
    /// Requests that it gets when it is ready.
    pub(super) waiting: VecDeque<Pending>,
    pub(super) waiting_bytes: usize,
    /// Requests of the client that it has or will get.
    pub(super) flights: usize,
    /// Requests of ours that it has.
    pub(super) own: HashMap<Id, Own>,
    /// The result of its handshake.
    pub(super) result: Option<serde_json::Value>,
    /// It gets no more requests, and ends with its last one.
    pub(super) is_draining: bool,
    /// Its input is closed, or it was told to end.
    pub(super) is_closing: bool,
    /// Its input is full, and it reads nothing.
    pub(super) is_stuck: bool,
    /// It was started, and has not ended.
    pub(super) has_process: bool,
    /// Why it wants no handshake, until it turns out whether it knows a revision without one.
    pub(super) refusal: Option<serde_json::Value>,
    /// Why it was killed.
    pub(super) fault: Option<String>,
    last_used: u64,
    used_at: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its handshake is not complete.
    Starting,
    /// Its handshake waits for the client's `notifications/initialized`.
    Initialized,
    Ready,
    /// It ended too often; since this look for idle servers.
    Failed(String, u64),
}

/// What a request of ours is for.
pub(super) enum Own {
    Initialize,
    Discover,
    LogLevel,
    Listen,
    Compare(Traffic),
}

impl Instance {
    fn new(place: Place) -> Self {
        Self {
            place,
            state: State::Starting,
            era: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            flights: 0,
            own: HashMap::new(),
            result: None,
            is_draining: false,
            is_closing: false,
            is_stuck: false,
            has_process: false,
            refusal: None,
            fault: None,
            last_used: 0,
            used_at: 0,
        }
    }

    pub(super) const fn is_usable(&self) -> bool {
        !self.is_draining && !self.is_closing && !matches!(self.state, State::Failed(..))
    }

    fn is_idle(&self) -> bool {
        self.flights == 0 && self.waiting.is_empty() && matches!(self.state, State::Ready | State::Failed(..))
    }
}

/// How long a server must run for its earlier ends to be forgotten.
const SETTLED: Duration = Duration::from_secs(60);
/// The wait before the second start; it doubles each time, up to the longest.
const BACKOFF: Duration = Duration::from_millis(200);
const MAX_BACKOFF: Duration = Duration::from_secs(10);
/// Looks for idle servers after which one that ended too often may be tried again.
const RETRY_TICKS: u64 = 6;

impl Router {
    /// Starts a server.
    pub(super) fn begin(&mut self, place: Place) -> InstanceId {
        let id = self.next_id();
        self.instances.insert(id, Instance::new(place.clone()));
        self.start_process(id, place);
        id
    }

    fn start_process(&mut self, id: InstanceId, place: Place) {
        if let Some(instance) = self.instances.get_mut(&id) {
            instance.has_process = true;
        }
        self.act(Action::Start(id, place));
        self.act(Action::Alarm(self.settings.start_timeout, Alarm::Started(id)));
        self.begin_handshake(id);
    }

    /// The server of a place; it starts if there is none.
    pub(super) fn ensure(&mut self, place: Place) -> Result<InstanceId, String> {
        let found = self
            .instances
            .iter()
            .find(|(_, known)| known.place.key() == place.key() && !known.is_draining && !known.is_closing);
        if let Some((&id, known)) = found {
            match &known.state {
                State::Failed(text, since) if self.ticks.saturating_sub(*since) < RETRY_TICKS => {
                    return Err(text.clone());
                }
                State::Failed(..) => {
                    self.instances.remove(&id);
                    self.restarts.remove(&place.key().map(str::to_owned));
                }
                _ => {
                    let (now, last_used) = (self.ticks, self.next_id());
                    let mut is_news = self.settings.answer_roots;
                    if let Some(known) = self.instances.get_mut(&id) {
                        (known.used_at, known.last_used) = (now, last_used);
                        is_news &= known.state == State::Ready
                            && known.era == Some(Era::Legacy)
                            && known.place.differs_in_roots(&place);
                        // The same project can have other roots beside it.
                        known.place = place;
                    }
                    if is_news {
                        self.send(id, message::notification("notifications/roots/list_changed"));
                    }
                    return Ok(id);
                }
            }
        }
        self.make_room()?;
        Ok(self.begin(place))
    }

    /// Lets the server go that was idle for longest, if there are too many.
    fn make_room(&mut self) -> Result<(), String> {
        if self.instances.values().filter(|known| !known.is_closing).count() < self.settings.max {
            return Ok(());
        }
        let of_session = match &self.session {
            SessionProject::Known(project) => Some(folder_of(project)),
            _ => None,
        };
        let is_needed = |known: &Instance| known.place.key().is_some() && known.place.key() == of_session;
        let idle = self.instances.iter().filter(|(_, known)| known.is_idle() && !known.is_closing && !is_needed(known));
        match idle.min_by_key(|(_, known)| (known.place.project.is_some(), known.last_used)).map(|(id, _)| *id) {
            Some(id) => {
                if self.current == Some(id) {
                    self.current = None;
                }
                self.close(id);
                Ok(())
            }
            None => Err(format!(
                "{} servers for other projects are busy, and there may be no more (--max); repeat the call when they are done",
                self.settings.max
            )),
        }
    }

    /// Gives a request to a server, now or when it is ready.
    pub(super) fn dispatch(&mut self, id: InstanceId, pending: Pending) {
        if self.flights.len() >= super::MAX_FLIGHTS {
            return self.refuse(&pending.id, "too_many_requests", "too many requests are unanswered");
        }
        let Some(instance) = self.instances.get_mut(&id) else { return };
        if let State::Failed(text, _) = &instance.state {
            let text = text.clone();
            return self.refuse_call(&pending, "server_unavailable", &text);
        }
        if instance.is_stuck {
            let folder = instance.place.folder.display().to_string();
            let text = format!(
                "The server `{}` in {folder} reads nothing at present. Repeat the call later.",
                self.settings.name
            );
            return self.refuse_call(&pending, "server_busy", &text);
        }
        let is_sent = instance.state == State::Ready;
        let bytes = instance.waiting_bytes.saturating_add(pending.line.len());
        if !is_sent && (instance.waiting.len() >= super::MAX_WAITING || bytes > super::MAX_WAITING_BYTES) {
            let text = "too many requests wait for the server to start; repeat this one when the others are answered";
            return self.refuse(&pending.id, "too_many_waiting", text);
        }
        instance.flights = instance.flights.saturating_add(1);
        let flight = Flight {
            instance: id,
            client_id: pending.id.clone(),
            traffic: pending.traffic,
            is_sent,
            rounds: 0,
            line: None,
            capabilities: Vec::new(),
            is_parked: false,
        };
        self.flights.insert(pending.id.clone(), flight);
        if is_sent {
            self.deliver(id, pending);
        } else {
            instance.waiting_bytes = bytes;
            instance.waiting.push_back(pending);
        }
    }

    /// Sends a request to a server that is ready, or answers it for a server that does not know it.
    fn deliver(&mut self, id: InstanceId, pending: Pending) {
        let Some(instance) = self.instances.get(&id) else { return };
        let (mut line, is_older) = (pending.line.clone(), instance.era == Some(Era::Legacy));
        if self.is_modern() {
            if is_older && pending.traffic == Traffic::Discover {
                self.flights.remove(&pending.id);
                let answer = self.discovered_here(id, &pending.id);
                self.act(Action::ToClient(answer));
                return self.flight_ended(id);
            }
            if is_older {
                line = without_envelope(&line).unwrap_or(line);
            }
            if pending.traffic.is_call() {
                line = without_our_answer(&line).unwrap_or(line);
            }
        }
        if self.is_newer(id) {
            match self.translated(&pending) {
                Ok(translated) => line = translated,
                Err(answer) => {
                    self.flights.remove(&pending.id);
                    self.act(Action::ToClient(answer));
                    return self.flight_ended(id);
                }
            }
        }
        let can_ask = (self.is_modern() || self.is_newer(id)) && pending.traffic.is_call();
        if let Some(flight) = self.flights.get_mut(&pending.id) {
            flight.is_sent = true;
            // The server may want it again with answers.
            flight.line = can_ask.then(|| line.clone());
            if can_ask && is_older {
                flight.capabilities = capabilities(&pending.line);
            }
        }
        self.send(id, line);
    }

    /// Writes to a server.
    pub(super) fn send(&mut self, id: InstanceId, line: Bytes) {
        if self.instances.get(&id).is_some_and(|known| !known.is_closing) {
            self.act(Action::ToServer(id, line));
        }
    }

    /// A server that reads nothing gets only what ends its work, so that little waits for it.
    pub(super) fn stuck(&mut self, id: InstanceId, is_stuck: bool) {
        let Some(instance) = self.instances.get_mut(&id) else { return };
        instance.is_stuck = is_stuck;
        let folder = instance.place.folder.display().to_string();
        let name = &self.settings.name;
        self.log(if is_stuck {
            format!("the server `{name}` in {folder} reads nothing: calls to it are refused until it does")
        } else {
            format!("the server `{name}` in {folder} reads again")
        });
    }

    pub(super) fn is_current_ready(&self) -> bool {
        self.current.and_then(|id| self.instances.get(&id)).is_some_and(|known| known.state == State::Ready)
    }

    /// A server completed its handshake.
    pub(super) fn ready(&mut self, id: InstanceId) {
        let Some(instance) = self.instances.get_mut(&id) else { return };
        instance.state = State::Ready;
        instance.waiting_bytes = 0;
        for pending in std::mem::take(&mut instance.waiting) {
            self.deliver(id, pending);
        }
        self.make_current_if_ready(id);
        self.follow_current();
        self.close_if_done();
    }

    /// The server of the connection's project takes over when it is ready; then the last one is let go.
    pub(super) fn make_current_if_ready(&mut self, id: InstanceId) {
        let Some(instance) = self.instances.get(&id) else { return };
        let is_wanted = match &self.session {
            SessionProject::Known(project) => instance.place.key() == Some(folder_of(project)),
            _ => self.current.is_none(),
        };
        if !is_wanted || instance.state != State::Ready || self.current == Some(id) {
            return;
        }
        let last = self.current.replace(id);
        self.compare_lists(id);
        self.follow_current();
        if let Some(last) = last.filter(|last| self.instances.contains_key(last)) {
            self.drain(last);
        }
    }

    /// Lets a server go when its last request is answered.
    fn drain(&mut self, id: InstanceId) {
        if let Some(instance) = self.instances.get_mut(&id) {
            instance.is_draining = true;
        }
        self.close_if_drained(id);
    }

    fn close_if_drained(&mut self, id: InstanceId) {
        if self.instances.get(&id).is_some_and(|known| known.is_draining && known.flights == 0) {
            self.close(id);
        }
    }

    pub(super) fn flight_ended(&mut self, id: InstanceId) {
        let now = self.ticks;
        if let Some(instance) = self.instances.get_mut(&id) {
            instance.flights = instance.flights.saturating_sub(1);
            instance.used_at = now;
        }
        self.close_if_drained(id);
    }

    /// Takes a request out that the client knows by this id; returns the id by which the server knows it, too.
    pub(super) fn take_flight_of(&mut self, client_id: &Id) -> Option<(Id, Flight)> {
        if let Some(flight) = self.flights.remove(client_id) {
            return Some((client_id.clone(), flight));
        }
        let sent = self.flights.iter().find(|(_, flight)| flight.client_id == *client_id).map(|(id, _)| id.clone())?;
        self.flights.remove(&sent).map(|flight| (sent, flight))
    }

    /// Closes the input of a server, so that it ends.
    pub(super) fn close(&mut self, id: InstanceId) {
        let Some(instance) = self.instances.get_mut(&id).filter(|known| !known.is_closing) else { return };
        if !instance.has_process {
            self.instances.remove(&id);
            return self.exit_if_alone();
        }
        instance.is_closing = true;
        self.act(Action::CloseInput(id));
        self.act(Action::Alarm(GRACE, Alarm::Closed(id)));
    }

    fn exit_if_alone(&mut self) {
        if self.client.has_ended && self.instances.is_empty() && self.held.is_empty() {
            self.act(Action::Exit(self.exit_code));
        }
    }

    pub(super) fn server_ended(&mut self, id: InstanceId, end: End) {
        if let Some(error) = self.instances.get_mut(&id).and_then(|known| known.refusal.take()) {
            self.handshake_refused(id, &error);
        }
        let Some(mut instance) = self.instances.remove(&id) else { return };
        let was_current = self.current == Some(id);
        if was_current || self.instances.is_empty() {
            self.exit_code = end.code;
        }
        let name = self.settings.name.clone();
        let how = instance.fault.take().unwrap_or_else(|| end.how.clone());
        self.fail_flights(id, &format!("The server `{name}` {how} before it answered. Repeat the call."));
        self.forget_asked(id);
        let is_expected = instance.is_draining || instance.is_closing || self.client.has_ended;
        if is_expected && instance.waiting.is_empty() {
            if was_current {
                self.current = None;
            }
            return self.exit_if_alone();
        }
        self.log(format!("the server `{name}` in {} {how}", instance.place.folder.display()));
        self.start_again(instance, was_current, &how, end);
    }

    fn start_again(&mut self, mut instance: Instance, was_current: bool, how: &str, end: End) {
        let key = instance.place.key().map(str::to_owned);
        let restarts = self.restarts.entry(key.clone()).or_default();
        if end.lived >= SETTLED {
            *restarts = 0;
        }
        *restarts = restarts.saturating_add(1);
        let times = *restarts;
        let unanswered = self.client.era == Some(Era::Legacy) && !self.client.is_answered;
        if key.is_none() && (unanswered || self.client.era != Some(Era::Legacy)) {
            return self.go_on_without_start(instance.waiting);
        }
        let id = self.next_id();
        if times > self.settings.restarts {
            if unanswered || self.client.era.is_none() {
                // A person sees it as if the server had been started alone.
                return self.act(Action::Exit(end.code));
            }
            let text = format!(
                "The server `{}` {how}, {times} times in a row. Its own messages are in the log of the client. Correct its command line, or work in another project.",
                self.settings.name
            );
            for pending in std::mem::take(&mut instance.waiting) {
                self.flights.remove(&pending.id);
                self.refuse_call(&pending, "server_unavailable", &text);
            }
            let failed = State::Failed(text, self.ticks);
            self.instances.insert(id, Instance { state: failed, ..Instance::new(instance.place) });
        } else {
            for pending in &instance.waiting {
                if let Some(flight) = self.flights.get_mut(&pending.id) {
                    flight.instance = id;
                }
            }
            let (waiting, waiting_bytes) = (instance.waiting, instance.waiting_bytes);
            let flights = waiting.len();
            self.instances.insert(id, Instance { waiting, waiting_bytes, flights, ..Instance::new(instance.place) });
            let factor = 1_u32.checked_shl(times.saturating_sub(1)).unwrap_or(u32::MAX);
            self.act(Action::Alarm(BACKOFF.saturating_mul(factor).min(MAX_BACKOFF), Alarm::StartNow(id)));
        }
        if was_current {
            self.current = Some(id);
        }
        self.follow_current();
        self.close_if_done();
    }

    /// The server may not be able to work without a project: what it would have said about itself is said here.
    fn go_on_without_start(&mut self, waiting: VecDeque<Pending>) {
        (self.current, self.start) = (None, None);
        self.client.is_answered_here = true;
        self.log("the handshake is answered without it; it starts again when there is a project");
        if self.client.era == Some(Era::Legacy) {
            self.answer_handshake_here();
        }
        for pending in waiting {
            self.flights.remove(&pending.id);
            self.route_to_start(pending);
        }
        self.follow_current();
        self.close_if_done();
    }

    /// Answers every request that a server has, because it will not.
    fn fail_flights(&mut self, id: InstanceId, text: &str) {
        let lost: Vec<Id> = self
            .flights
            .iter()
            .filter(|(_, flight)| flight.instance == id && flight.is_sent)
            .map(|(id, _)| id.clone())
            .collect();
        for lost in lost {
            if let Some(flight) = self.flights.remove(&lost).filter(|flight| !flight.is_parked) {
                self.refuse(&flight.client_id, "server_ended", text);
            }
        }
    }

    /// The client need not answer a server that is gone.
    fn forget_asked(&mut self, id: InstanceId) {
        let gone: Vec<Id> =
            self.asked.iter().filter(|(_, asked)| asked.instance == id).map(|(id, _)| id.clone()).collect();
        for gone in gone {
            self.asked.remove(&gone);
            self.act(Action::ToClient(message::cancelled(&gone, "the server that asked has ended")));
        }
    }

    /// Ends a server that cannot go on, and remembers why.
    pub(super) fn server_failed(&mut self, id: InstanceId, fault: String) {
        if let Some(instance) = self.instances.get_mut(&id).filter(|known| !known.is_closing) {
            instance.fault = Some(fault);
            self.act(Action::Kill(id));
        }
    }

    pub(super) fn alarm(&mut self, alarm: Alarm) {
        match alarm {
            Alarm::Started(id) => {
                let is_starting = self.instances.get(&id).is_some_and(|known| known.state == State::Starting);
                if is_starting && self.client.era.is_some() {
                    let seconds = self.settings.start_timeout.as_secs();
                    self.server_failed(
                        id,
                        format!("did not complete the handshake within {seconds} s (--start-timeout)"),
                    );
                }
            }
            Alarm::Unanswered(number) => self.unanswered(number),
            Alarm::Cut(id, stream) => self.server_failed(id, format!("closed its {stream}")),
            Alarm::Discovered(id) => self.discover_expired(id),
            Alarm::StartNow(id) => {
                if let Some(place) = self.instances.get(&id).map(|known| known.place.clone()) {
                    self.start_process(id, place);
                }
            }
            Alarm::Closed(id) if self.instances.contains_key(&id) => {
                self.act(Action::Terminate(id));
                self.act(Action::Alarm(GRACE, Alarm::Terminated(id)));
            }
            Alarm::Terminated(id) if self.instances.contains_key(&id) => self.act(Action::Kill(id)),
            Alarm::Closed(_) | Alarm::Terminated(_) => {}
            Alarm::Tick => self.tick(),
        }
    }

    fn tick(&mut self) {
        self.ticks = self.ticks.saturating_add(1);
        let limit = self.settings.idle.as_secs().div_ceil(super::TICK.as_secs().max(1));
        let idle: Vec<InstanceId> = self
            .instances
            .iter()
            .filter(|(id, known)| {
                Some(**id) != self.current && known.is_idle() && self.ticks.saturating_sub(known.used_at) > limit
            })
            .map(|(id, _)| *id)
            .collect();
        for id in idle {
            self.close(id);
        }
        self.act(Action::Alarm(super::TICK, Alarm::Tick));
    }
}
