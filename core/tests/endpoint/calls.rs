//! The calls of the model and their asks: how they begin and how they end.

use rootwise::action::Action;
use rootwise::endpoint::event::{CallAsked, CallCleared, CallEnded, CallReturned, CallSelected};
use rootwise::event::{
    AskVia, AskWithdrawn, Asked, Event, RefusalKind, RequestFacts, SelectBy, Selected, SelectionCleared, Want,
};
use rootwise::policy::{Elicit, Policy};
use serde_json::json;

use super::carry::say_why;
use super::log::{At, CannotAsk, Entry, Purpose, Put, Sent};
use super::model::{ANY, Model, Turn};
use super::parts;

/// An ask as the host puts it.
pub struct Question<'q> {
    pub ask: u32,
    pub call: Option<u32>,
    pub session: Option<u32>,
    pub kind: Kind<'q>,
}

pub enum Kind<'q> {
    Ask(&'q CallAsked),
    Select(&'q CallSelected),
    Clear(&'q CallCleared),
}

impl Model {
    pub fn call_returned(&mut self, returned: CallReturned, turn: &mut Turn) {
        let id = returned.call.0;
        let call = self.log.call(id);
        let is_second = call.is_some_and(|call| self.log.has_returned(call));
        let input_required = returned.input_required;
        self.note(returned);
        let Some(call) = call else { return turn.result(id, None, None) };
        if is_second {
            return;
        }
        self.end_asks(call, "call_over", turn);
        let started = self.log.started(call).unwrap().clone();
        let parts = self.parts(call);
        if let Some(questions) = self.log.questions(call) {
            let state = started.request_state.as_ref().filter(|_| !input_required);
            return turn.result(id, Some(questions), state);
        }
        if !input_required || !parts.is_modern || !parts.is_repeatable {
            return turn.result(id, None, None);
        }
        let responses = parts.facts.input_responses.as_deref().map(parts::value);
        if responses.is_some_and(|responses| responses.get("rootwise").is_some()) {
            return turn.result(id, Some(json!({ "rootwise": { "method": "roots/list" } })), None);
        }
        match self.log.owner(call).filter(|owner| self.resolvers.contains_key(owner)) {
            Some(owner) if !self.log.has_asked(call) => {
                if self.is_beyond(owner, &parts.facts) {
                    return;
                }
                let asked = Asked::new(0).ask_via(AskVia::InputRequired).facts(parts.facts).quiet(self.may_ask_user());
                self.put(owner, Some(call), Purpose::Round(call), None, |own| asked.ask(own.into()).into(), turn);
            }
            _ => turn.result(id, None, None),
        }
    }

    /// Whether the policy has a user asked at all; an ask is quiet only where that matters.
    fn may_ask_user(&self) -> bool {
        self.policy.config().elicit != Elicit::Never
    }

    pub fn call_ended(&mut self, ended: CallEnded, turn: &mut Turn) {
        let Some(call) = self.log.call(ended.call.0) else {
            self.note(ended);
            return;
        };
        self.end_asks(call, if ended.cancelled { "cancelled" } else { "call_over" }, turn);
        let rounds: Vec<u32> = self.log.waiting().filter(|put| put.call == Some(call)).map(|put| put.own).collect();
        rounds.into_iter().for_each(|own| self.withdraw(own, turn));
        let carried = self.log.channel_of(call).flatten().filter(|_| ended.cancelled).map(|channel| {
            let requests = self.log.requests(channel.session).into_iter();
            requests.filter(|request| request.call == Some(call) && request.channel == Some(channel.at)).collect()
        });
        let carried: Vec<Sent> = carried.unwrap_or_default();
        let stands_alone = self.log.owner(call) == Some(call) && self.log.memory(call).is_none();
        self.note(ended);
        for request in carried {
            self.end_request(&request, RefusalKind::Abandoned, turn);
        }
        if stands_alone {
            self.run(turn);
            self.resolvers.remove(&call);
        }
    }

    /// Ends the asks of a call that the host waits for.
    pub fn end_asks(&mut self, call: At, code: &str, turn: &mut Turn) {
        let of_call = self.log.waiting().filter(|put| put.call == Some(call));
        let asks: Vec<(u32, u32)> = of_call
            .filter_map(|put| match put.purpose {
                Purpose::Host(ask) => Some((put.own, ask)),
                _ => None,
            })
            .collect();
        asks.iter().for_each(|(own, _)| self.withdraw(*own, turn));
        turn.end(&asks.iter().map(|(_, ask)| *ask).collect::<Vec<_>>(), code);
    }

    pub fn withdraw(&mut self, own: u32, turn: &mut Turn) {
        let owner = self.log.put(own).unwrap().owner;
        self.log.add(Entry::AskOver(own));
        turn.queue.push_back((owner, AskWithdrawn::new(own).into()));
    }

    pub fn withdrawn(&mut self, ask: u32, turn: &mut Turn) {
        let Some(put) = self.log.waiting().find(|put| put.purpose == Purpose::Host(ask)).cloned() else { return };
        self.withdraw(put.own, turn);
        for request in self.log.requests(put.owner) {
            let is_carrier = put.call.is_some() && request.call == put.call && request.channel.is_some();
            if is_carrier && request.cause == Some(put.own) {
                self.end_request(&request, RefusalKind::Abandoned, turn);
            }
        }
    }

    /// Whether a call has folders and its session no longer has any: the resolvers of the model take no such ask, so that it
    /// knows nothing of what follows. A vector has the rule.
    fn is_beyond(&mut self, owner: At, facts: &RequestFacts) -> bool {
        let is_beyond = facts.allowed_dirs.is_some() && self.resolvers[&owner].host().allowed_dirs.is_none();
        self.is_lost |= is_beyond;
        is_beyond
    }

    pub fn ask(&mut self, question: &Question<'_>, turn: &mut Turn) {
        let call = question.call.and_then(|call| self.log.call(call));
        let is_over = |call: At| self.log.has_returned(call) || self.log.is_cut_off(call);
        if question.call.is_some() && call.is_none_or(is_over) {
            return turn.end(&[question.ask], "call_over");
        }
        let owner = match (call, question.session) {
            (Some(call), _) => self.log.owner(call),
            (None, session) => session.and_then(|session| self.log.session(session)),
        };
        let Some(owner) = owner.filter(|owner| self.resolvers.contains_key(owner)) else {
            return turn.end(&[question.ask], "closed");
        };
        let policy = self.policy.clone();
        let parts = call.map(|call| self.parts(call));
        let mut facts = parts.map_or_else(RequestFacts::default, |parts| parts.facts);
        if self.is_beyond(owner, &facts) {
            return;
        }
        let (way, note) = self.way(owner, call);
        let (mut peek, mut is_plain) = (false, false);
        let event: Box<dyn FnOnce(u32, AskVia) -> Event> = match question.kind {
            Kind::Ask(asked) => {
                if let Some(argument) = &asked.argument {
                    facts.argument = Some(parts::cut_argument(argument, &policy));
                }
                if asked.want == Want::Roots {
                    facts.argument = None;
                }
                facts.server = asked.server.as_ref().map(|server| parts::cut(server, &policy));
                let target = asked.target.as_ref().map(|target| parts::cut(target, &policy));
                let (want, explain, hints) = (asked.want, asked.explain, asked.hints);
                peek = asked.peek;
                is_plain = want == Want::Project && facts.is_empty() && target.is_none();
                let quiet = self.may_ask_user() && (peek || asked.call.is_none());
                Box::new(move |own, via| {
                    Asked::new(own)
                        .want(want)
                        .ask_via(via)
                        .facts(facts)
                        .target(target)
                        .explain(explain)
                        .hints(hints)
                        .quiet(quiet)
                        .into()
                })
            }
            Kind::Select(selected) => {
                facts.argument = None;
                let (by, explain) = (cut_selection(&selected.by, &policy), selected.explain);
                Box::new(move |own, via| Selected::new(own, by).ask_via(via).facts(facts).explain(explain).into())
            }
            Kind::Clear(cleared) => {
                facts.argument = None;
                let explain = cleared.explain;
                Box::new(move |own, via| SelectionCleared::new(own).ask_via(via).facts(facts).explain(explain).into())
            }
        };
        if peek {
            return self.peek(question.ask, owner, note, event(u32::MAX, way), is_plain, turn);
        }
        self.put(owner, call, Purpose::Host(question.ask), note, |own| event(own, way), turn);
        self.log_cannot_ask(owner, note, turn);
    }

    /// What a resolver that may not wait or ask would say; else the project of the connection for an ask with nothing of its
    /// own. The resolver itself hears nothing of it.
    pub fn peek(&self, ask: u32, owner: At, note: Option<CannotAsk>, event: Event, is_plain: bool, turn: &mut Turn) {
        let resolver = &self.resolvers[&owner];
        let actions = resolver.clone().handle(event, self.now).unwrap();
        let answer = actions.into_iter().find_map(|action| match action {
            Action::Answer(answer) if answer.asks.contains(&u32::MAX.into()) => Some(json!(answer)),
            _ => None,
        });
        match (answer.filter(|answer| answer["outcome"] != "needsInput"), resolver.project()) {
            (Some(mut answer), _) => {
                answer["asks"] = json!([ask]);
                answer["type"] = "answer".into();
                say_why(&mut answer, note);
                turn.actions.push(answer);
            }
            (None, Some(project)) if is_plain => turn.actions.push(json!({ "type": "answer", "asks": [ask],
                "outcome": "resolved", "project": project, "revision": resolver.revision() })),
            (None, _) => turn.end(&[ask], ANY),
        }
    }

    pub fn put(
        &mut self,
        owner: At,
        call: Option<At>,
        purpose: Purpose,
        note: Option<CannotAsk>,
        event: impl FnOnce(u32) -> Event,
        turn: &mut Turn,
    ) -> u32 {
        let own = self.log.puts().count() as u32 + 1;
        self.log.add(Entry::Put(Put { own, owner, call, purpose, note }));
        self.process(owner, event(own), turn);
        own
    }
}

fn cut_selection(by: &SelectBy, policy: &Policy) -> SelectBy {
    let cut = |text: &String| parts::cut(text, policy);
    match by {
        SelectBy::Name(text) => SelectBy::Name(cut(text)),
        SelectBy::Path(text) => SelectBy::Path(cut(text)),
        SelectBy::Uri(text) => SelectBy::Uri(cut(text)),
        SelectBy::Root(text) => SelectBy::Root(cut(text)),
        SelectBy::Value(text) => SelectBy::Value(cut(text)),
        other => panic!("no rule for {other:?}"),
    }
}
