//! What surrounds each resolver of the model: how its client is asked, which way its requests go, what becomes of its answers.

use std::collections::BTreeMap;

use rootwise::Resolver;
use rootwise::action::{Action, Answer, Outcome, RequestMethod, SendRequest};
use rootwise::endpoint::event::EndpointEvent;
use rootwise::event::{AskVia, Asked, Event, RefusalKind, RequestFacts, Selected, SelectionCleared, Want};
use rootwise::explanation::Era;
use rootwise::policy::SourceKind;
use serde_json::{Value, json};

use super::log::{At, CannotAsk, Channel, Entry, Purpose, Sent};
use super::model::{ANY, Model, Turn, refused, set};

impl Model {
    /// Whether and how a client can be asked (E2, E3).
    pub fn way(&self, owner: At, call: Option<At>) -> (AskVia, Option<CannotAsk>) {
        let parts = call.map(|call| self.parts(call));
        match parts {
            Some(parts) if parts.is_modern && parts.is_repeatable => return (AskVia::InputRequired, None),
            Some(parts) if parts.is_modern => return (AskVia::None, Some(CannotAsk::NotRepeatable)),
            _ => {}
        }
        if self.log.opened(owner).is_none() {
            return (AskVia::None, Some(CannotAsk::NoSession));
        }
        let resolver = &self.resolvers[&owner];
        if resolver.era() != Era::Legacy {
            // Nobody knows yet whether there is anything to ask.
            return (AskVia::None, None);
        }
        let is_reached = !self.log.is_http(owner) || resolver.host().push == Some(true);
        if is_reached || !self.carriers(owner, call).is_empty() {
            (AskVia::Request, None)
        } else {
            (AskVia::None, Some(CannotAsk::NoStream))
        }
    }

    pub fn log_cannot_ask(&mut self, owner: At, note: Option<CannotAsk>, turn: &mut Turn) {
        let (whom, level) = match note {
            Some(CannotAsk::NoSession) => (None, "info"),
            Some(CannotAsk::NoStream) if saved(&self.resolvers[&owner])["state"]["client"]["declaresRoots"] == true => {
                (Some(owner), "warning")
            }
            _ => return,
        };
        if !self.log.0.iter().any(|entry| matches!(entry, Entry::CannotAsk(told) if *told == whom)) {
            self.log.add(Entry::CannotAsk(whom));
            turn.log(level, "cannot_ask", self.log.session_id(owner), None);
        }
    }

    /// Once, for a tool that calls without a session and a memory cannot use (E30).
    pub fn log_cannot_select(&mut self, turn: &mut Turn) {
        let facts = self.process_facts();
        let lacks_parameter = facts.select_tool.is_some() && facts.tool_argument.is_none();
        let selects = self.policy.config().sources.iter().any(|source| source.from == SourceKind::Selected);
        if lacks_parameter && selects && !self.log.0.iter().any(|entry| matches!(entry, Entry::CannotSelect)) {
            self.log.add(Entry::CannotSelect);
            turn.log("warning", "cannot_select", None, None);
        }
    }

    /// The channels that can carry a request of a session, in the order of E5 but for those that are cut.
    pub fn carriers(&self, session: At, call: Option<At>) -> Vec<(Option<At>, Channel)> {
        let waiting = self.log.waiting().filter(|put| put.owner == session).filter_map(|put| put.call);
        let with_calls = call.into_iter().chain(waiting);
        let with_calls = with_calls.filter_map(|call| Some((Some(call), self.log.channel_of(call)??)));
        with_calls.chain(self.log.standalone(session).into_iter().map(|channel| (None, channel))).collect()
    }

    /// The way of a request (E5), or what its resolver hears instead (E6).
    pub fn way_of_request(&self, owner: At, cause: Option<u32>) -> Result<(Option<At>, Option<At>), RefusalKind> {
        if self.log.opened(owner).is_none() || self.log.input_is_closed(owner) {
            return Err(RefusalKind::Undeliverable);
        }
        let call = cause
            .and_then(|own| self.log.put(own)?.call)
            .filter(|call| self.log.started(*call).is_some_and(|started| self.log.call(started.call.0) == Some(*call)));
        if !self.log.is_http(owner) {
            return Ok((call, None));
        }
        let carriers = self.carriers(owner, call);
        let best = carriers.iter().find(|(_, channel)| !channel.is_cut).or_else(|| carriers.first());
        if let Some((call, channel)) = best {
            return Ok((*call, Some(channel.at)));
        }
        if self.resolvers[&owner].host().push == Some(true) {
            return Ok((None, None));
        }
        let never_had_one = call.is_some_and(|call| self.log.channel_of(call).is_none());
        Err(if never_had_one { RefusalKind::Undeliverable } else { RefusalKind::Abandoned })
    }

    pub fn end_request(&mut self, request: &Sent, kind: RefusalKind, turn: &mut Turn) {
        self.cancel(request, None, turn);
        turn.queue.push_back((request.owner, refused(request.token, kind)));
    }

    pub fn cancel(&mut self, request: &Sent, message: Option<String>, turn: &mut Turn) {
        let is_new = |action: &Value| action["type"] == "sendRequest" && action["request"] == request.number;
        match turn.actions.iter().position(is_new) {
            Some(at) => drop(turn.actions.remove(at)),
            None => {
                let mut cancel = json!({ "type": "cancel", "request": request.number, "reason": ANY });
                set(&mut cancel, "message", message);
                turn.actions.push(cancel);
            }
        }
        self.request_over(request.owner, request.number);
    }

    pub fn request_over(&mut self, owner: At, number: u32) {
        if self.log.requests(owner).iter().any(|sent| sent.number == number) {
            self.log.add(Entry::RequestOver(number));
        }
    }

    pub fn run(&mut self, turn: &mut Turn) {
        loop {
            if let Some((owner, event)) = turn.queue.pop_front() {
                self.process(owner, event, turn);
            } else if let Some(owner) = turn.unverified.pop_front() {
                let asked = Asked::new(0).want(Want::Roots).ask_via(AskVia::None);
                self.put(owner, None, Purpose::Roots, None, |own| asked.ask(own.into()).into(), turn);
            } else {
                return;
            }
        }
    }

    /// Has a resolver process an event, and follows what it says.
    pub fn process(&mut self, owner: At, event: Event, turn: &mut Turn) {
        let Some(resolver) = self.resolvers.get_mut(&owner) else { return };
        let before = resolver.project().cloned();
        let like = if let Event::Asked(asked) = &event { likeness(asked) } else { None };
        let is_current = resolver.reuse().is_some_and(|reuse| reuse.until.is_none_or(|until| self.now < until.0));
        let is_cheap = is_current && like.is_some() && like.as_ref() == self.log.known(owner);
        let may_list = match &event {
            Event::RootsListed(_) | Event::Message(_) | Event::DeadlineReached => true,
            // A modern call may bring its roots.
            Event::Asked(Asked { facts, .. })
            | Event::Selected(Selected { facts, .. })
            | Event::SelectionCleared(SelectionCleared { facts, .. }) => facts.input_responses.is_some(),
            _ => false,
        };
        let lists = if may_list { lists(resolver) } else { 0 };
        let is_deadline = matches!(event, Event::DeadlineReached);
        let is_handshake = match &event {
            Event::ClientInitialized(_) => true,
            Event::Message(message) => message.text.contains(r#""method":"initialize""#),
            _ => false,
        };
        let actions =
            resolver.handle(event, self.now).unwrap_or_else(|misuse| panic!("the model made a mistake: {misuse}"));
        let project = resolver.project().cloned();
        let id = self.log.session_id(owner);
        let reuse = resolver.reuse();
        if let Some(like) = like.filter(|_| !is_cheap && reuse.is_some()) {
            self.log.add(Entry::Known { owner, like });
        }
        if let (Some(id), false) = (id, is_cheap) {
            let changed = (before != project).then_some(project);
            let earlier = turn.sessions.remove(&id).and_then(|(project, _)| project);
            turn.sessions.insert(id, (changed.or(earlier), reuse));
        }
        let has_listed = may_list && lists != self::lists(resolver);
        let is_late = is_deadline && self.log.in_flight(owner).is_some();
        // The client that begins anew does not answer what was asked before (E23).
        for request in self.log.requests(owner).iter().filter(|_| is_handshake) {
            self.cancel(request, None, turn);
        }
        for action in actions {
            match action {
                Action::Answer(answer) => self.answered(owner, &answer, is_late, turn),
                Action::Announce(announce) => {
                    if id.is_some() {
                        turn.actions.push(json!({ "type": "announce", "session": id, "from": announce.from,
                            "to": announce.to }));
                    }
                }
                Action::Cancel(cancel) => {
                    let mut requests = self.log.requests(owner).into_iter();
                    if let Some(request) = requests.find(|request| request.token == cancel.request.0) {
                        self.cancel(&request, Some(cancel.message), turn);
                    }
                }
                Action::SendRequest(request) => self.send(owner, request, turn),
                Action::Probe(probe) => {
                    self.log.add(Entry::Probe { owner, own: probe.probe.0 });
                    let number = self.log.probes().len();
                    turn.actions.push(json!({ "type": "probe", "probe": number, "paths": probe.paths }));
                }
                Action::Forward(forward) => {
                    if turn.forwards {
                        turn.actions.push(json!({ "type": "forward", "session": id, "kind": forward.kind,
                            "text": forward.text }));
                    }
                }
                Action::Log(log) => {
                    let ask = log.ask.and_then(|own| match self.log.put(own.0)?.purpose {
                        Purpose::Host(ask) => Some(ask),
                        _ => None,
                    });
                    let mut line =
                        json!({ "type": "log", "level": log.level, "code": log.code, "message": log.message });
                    set(&mut line, "session", id);
                    set(&mut line, "ask", ask);
                    turn.actions.push(line);
                }
                other => panic!("an action that the model does not know: {other:?}"),
            }
        }
        let open = open_tokens(&self.resolvers[&owner]);
        for request in self.log.requests(owner).iter().filter(|request| !open.contains(&request.token)) {
            self.request_over(owner, request.number);
        }
        self.verify_roots(owner, has_listed, turn);
        self.share_conversations(owner);
    }

    /// Begins to verify a list of roots that arrived, unless another one is being verified (E16).
    pub fn verify_roots(&mut self, owner: At, has_listed: bool, turn: &mut Turn) {
        let is_watched = self.log.roots_are_watched() && self.log.is_open(owner);
        if has_listed && is_watched {
            self.log.add(Entry::Listed(owner));
        }
        let mut state = self.log.0.iter().filter_map(|entry| match entry {
            Entry::Listed(of) if *of == owner => Some(true),
            Entry::Verifying(of) if *of == owner => Some(false),
            _ => None,
        });
        let is_due = state.next_back() == Some(true);
        let begun = self.log.0.iter().filter(|entry| matches!(entry, Entry::Verifying(of) if *of == owner)).count();
        let ended = self.log.0.iter().filter(|entry| matches!(entry, Entry::Verified(of) if *of == owner)).count();
        if is_due && is_watched && begun == ended {
            self.log.add(Entry::Verifying(owner));
            turn.unverified.push_back(owner);
        }
    }

    pub fn send(&mut self, owner: At, request: SendRequest, turn: &mut Turn) {
        let (token, cause) = (request.request.0, request.relates_to.map(|ask| ask.0));
        let (call, channel) = match self.way_of_request(owner, cause) {
            Ok(way) => way,
            Err(kind) => return turn.queue.push_back((owner, refused(token, kind))),
        };
        let is_form = request.method == RequestMethod::ElicitationCreate;
        let mut requests = self.log.requests(owner).into_iter();
        if let Some(last) = requests.find(|last| last.is_form == is_form) {
            self.request_over(owner, last.number);
        }
        let number = self.log.sent().count() as u32 + 1;
        let channel_id = channel.map(|at| match &self.log.0[at] {
            Entry::Event(EndpointEvent::ChannelOpened(opened)) => opened.channel.0,
            _ => self.log.started(at).and_then(|started| started.channel).unwrap().0,
        });
        let call_id = call.and_then(|call| self.log.started(call)).map(|started| started.call.0);
        self.log.add(Entry::Sent(Sent { number, owner, token, is_form, cause, call, channel }));
        let mut send = json!({ "type": "sendRequest", "request": number, "session": self.log.session_id(owner),
            "method": request.method, "message": request.message });
        set(&mut send, "params", request.params.map(|params| json!(params)));
        set(&mut send, "call", call_id);
        set(&mut send, "channel", channel_id);
        turn.actions.push(send);
    }

    pub fn answered(&mut self, owner: At, answer: &Answer, is_late: bool, turn: &mut Turn) {
        let mut by_note: BTreeMap<Option<CannotAsk>, Vec<u32>> = BTreeMap::new();
        for own in &answer.asks {
            let Some(put) = self.log.waiting().find(|put| put.own == own.0).cloned() else { continue };
            self.log.add(Entry::AskOver(put.own));
            let questions = match &answer.outcome {
                Outcome::NeedsInput { input_requests } => Some(json!(input_requests)),
                _ => None,
            };
            let ask = match put.purpose {
                Purpose::Host(ask) => ask,
                Purpose::Round(call) => {
                    let id = self.log.started(call).unwrap().call.0;
                    turn.result(id, questions, None);
                    continue;
                }
                Purpose::Roots => {
                    self.log.add(Entry::Verified(owner));
                    self.announce_roots(owner, &answer.outcome, turn);
                    continue;
                }
            };
            if is_late {
                turn.log("warning", "wait_expired", self.log.session_id(owner), Some(ask));
            }
            if let (Some(questions), Some(call)) = (questions, put.call) {
                self.log.add(Entry::NeedsInput(call, questions));
            }
            by_note.entry(put.note).or_default().push(ask);
        }
        for (note, asks) in by_note {
            let mut told = serde_json::to_value(answer).unwrap();
            told["type"] = "answer".into();
            told["asks"] = json!(asks);
            say_why(&mut told, note);
            turn.actions.push(told);
        }
    }

    pub fn announce_roots(&mut self, owner: At, outcome: &Outcome, turn: &mut Turn) {
        let Outcome::Listed { roots, state, current, text, unusable, .. } = outcome else { return };
        if !self.log.roots_are_watched() {
            return;
        }
        let roots = serde_json::to_value(roots).unwrap();
        let last = self.log.0.iter().rev().find_map(|entry| match entry {
            Entry::RootsAnnounced { owner: of, roots } if *of == owner => Some(roots.clone()),
            _ => None,
        });
        let listed = |roots: &Value| -> Vec<(Value, Value)> {
            roots.as_array().unwrap().iter().map(|root| (root["uri"].clone(), root["name"].clone())).collect()
        };
        if last.as_ref().is_some_and(|last| listed(last) == listed(&roots)) {
            return;
        }
        self.log.add(Entry::RootsAnnounced { owner, roots: roots.clone() });
        let session = self.log.session_id(owner);
        let mut announce = json!({ "type": "announceRoots", "session": session, "roots": roots, "state": state,
            "current": current, "text": text });
        set(&mut announce, "unusable", unusable.clone());
        set(&mut announce, "previous", last);
        turn.actions.push(announce);
    }
}

/// The reason for which nobody can be asked, at the end of the message.
pub fn say_why(answer: &mut Value, note: Option<CannotAsk>) {
    if note.is_some() && answer["outcome"] == "unresolved" && answer["code"] != "closed" {
        answer["message"] = format!("{} {ANY}", answer["message"].as_str().unwrap()).into();
    }
}

/// What a resolver would save, which tells more about it than its views.
pub fn saved(resolver: &Resolver) -> Value {
    serde_json::from_str(&resolver.snapshot()).unwrap()
}

/// What asks have in common that share an answer (E31): nothing if they are legacy, else how they describe their client. None of
/// an ask that shares none.
fn likeness(asked: &Asked) -> Option<String> {
    let RequestFacts { capabilities, client_info, .. } = &asked.facts;
    let client = [capabilities, client_info].map(|part| part.as_ref().map(|part| part.get().to_owned()));
    let mut facts = asked.facts.clone();
    let is_modern = asked.ask_via == Some(AskVia::InputRequired);
    if is_modern {
        (facts.capabilities, facts.client_info) = (None, None);
    }
    let is_plain = asked.want == Want::Project && facts.is_empty() && asked.target.is_none();
    let is_plain = is_plain && !asked.explain && !asked.hints && !asked.quiet;
    is_plain.then(|| format!("{is_modern} {client:?}"))
}

/// The requests for which a resolver waits: that for roots, and that for the user.
pub fn open_tokens(resolver: &Resolver) -> Vec<u32> {
    let state = &saved(resolver)["state"];
    let tokens = [&state["cycle"]["inFlight"]["token"], &state["question"]["sent"]["token"]];
    tokens.into_iter().filter_map(Value::as_u64).map(|token| token as u32).collect()
}

/// The number of lists that a resolver has accepted; only its debug text tells.
pub fn lists(resolver: &Resolver) -> u32 {
    let text = format!("{resolver:?}");
    let number = text.rsplit_once(" lists: ").map_or("", |(_, rest)| rest);
    number.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).unwrap()
}
