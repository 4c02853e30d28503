//! One event after the other: its own effect, then every waiting ask once, then the connection's project.

use rootwise::Reason;
use rootwise::action::LogCode;
use rootwise::event::{AskVia, Event, RequestFacts, Want};
use rootwise::host::{HostFacts, Transport};
use rootwise::policy::{Pin, Policy, RequestWhen, SourceKind};
use serde_json::value::RawValue;

use super::decide::{Decision, End as AskEnd, Waiting, own_name, own_roots};
use super::history::History;
use super::peer;
use super::record::{Ask, Choice, End, Kind, Record, User, Win};
use super::user::{Before, shows_forms};
use super::values::{Need, Patience};
use super::{Effects, Out, Views};

/// The second model.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub history: History,
}

/// What is collected during one event.
#[derive(Default)]
pub struct Turn {
    pub effects: Effects,
    /// Who needs what; nobody is the connection.
    pub needs: Vec<(Option<u32>, Need)>,
    /// A request is due that no ask causes: the client became ready, or one was put off until now.
    pub unasked: bool,
    /// One more request is due after a change (rule 13).
    pub follow_up: bool,
    /// A list arrived or a selection was made, so the connection may have paths checked.
    pub list_arrived: bool,
    pub selected: bool,
    /// A call brought the name that its user gave.
    pub named: bool,
    /// A reply came that the connection waited for.
    pub replied: bool,
    pub host_changed: bool,
    /// Rule 19: nothing more is awaited, so a change is announced although it is not settled.
    pub nothing_awaited: bool,
    /// It has just shown that several clients share the connection.
    pub shown: bool,
}

impl Turn {
    pub fn notice(&mut self, code: LogCode) {
        *self.effects.notices.entry(code).or_default() += 1;
    }
}

impl Oracle {
    pub fn new(policy: Policy, host: HostFacts) -> Self {
        Self { history: History::new(policy, host) }
    }

    /// What is expected of an event: misuse by its code, or effects.
    pub fn step(&mut self, event: &Event, now: u64) -> Result<Effects, &'static str> {
        self.check(event)?;
        let now = now.max(self.history.now());
        self.history.note(Record::Now(now));
        if self.history.is_closed() {
            return Ok(Effects::default());
        }
        let mut turn = Turn::default();
        self.own_effect(event, now, &mut turn);
        if !self.history.is_closed() {
            self.react(event, now, &mut turn);
            // Without anybody to carry it, what was put off is left to the next ask.
            let carried = self.history.waiting().iter().any(|ask| self.history.waits_for_roots(ask));
            if !self.history.may_push() && self.history.deferred().is_some() && !carried {
                self.history.note(Record::DeferredOver);
            }
            self.evaluate_connection(&mut turn);
            self.end_connections_wait();
            self.open_probe(now, &mut turn);
            self.drop_unwanted_probes();
        }
        Ok(turn.effects)
    }

    /// What follows from the effect of an event.
    fn react(&mut self, event: &Event, now: u64, turn: &mut Turn) {
        if turn.follow_up
            && let Some(time) = self.time_for_change()
            && now < time
        {
            // What must be put off is, and asks that wait, wait for it.
            self.history.note(Record::Deferred { until: time });
        }
        self.settle(event, now, turn);
        // What an ask has sent takes the place of what nobody asked for.
        if std::mem::take(&mut turn.unasked) && self.may_send_unasked() {
            self.send(None, now, turn);
        }
        if std::mem::take(&mut turn.follow_up)
            && self.history.may_push()
            && !self.history.is_shared()
            && self.time_for_change().is_some_and(|time| now >= time)
        {
            self.send(None, now, turn);
        }
    }

    pub fn views(&self) -> Views {
        let history = &self.history;
        Views {
            deadline: history.deadline(),
            project: history.project().map(|win| win.project.key.clone()),
            roots: history.roots_state(|raw| history.problem(raw).is_none()),
            era: history.era(),
        }
    }

    fn check(&self, event: &Event) -> Result<(), &'static str> {
        let ask = match event {
            Event::Asked(asked) => asked.ask.0,
            Event::Selected(selected) => selected.ask.0,
            Event::SelectionCleared(cleared) => cleared.ask.0,
            Event::Probed(probed) => {
                let given_out = 1..=self.history.probes_given_out();
                return if given_out.contains(&probed.probe.0) { Ok(()) } else { Err("unknown_probe") };
            }
            _ => return Ok(()),
        };
        if self.history.is_closed() {
            return Err("closed");
        }
        if self.history.waiting().iter().any(|known| known.id == ask) {
            return Err("duplicate_ask");
        }
        Ok(())
    }

    fn own_effect(&mut self, event: &Event, now: u64, turn: &mut Turn) {
        match event {
            Event::ClientInitialized(init) => {
                let capabilities = init.capabilities.as_deref().map(RawValue::get);
                self.initialized(capabilities, turn);
            }
            Event::ClientReady => self.ready(true, turn),
            Event::RootsListed(listed) => match listed.request {
                Some(token) => self.answered(token.0, listed.result.get(), now, turn),
                None => self.take_list(None, listed.result.get(), now, turn),
            },
            Event::UserAnswered(answered) => self.user_answered(answered.request.0, answered.result.get(), now, turn),
            Event::RequestRefused(refused) => self.refused(refused, now, turn),
            Event::RootsChanged(changed) => self.changed(changed.push, turn),
            Event::HostFactsChanged(changed) => {
                self.history.note(Record::Host(changed.facts.clone()));
                self.history.note(Record::Forgotten);
                self.forget_outside();
                turn.nothing_awaited = true;
                turn.host_changed = true;
            }
            Event::Asked(asked) => {
                self.called_by(asked.ask_via, &asked.facts, now, turn);
                let kind = match asked.want {
                    Want::Project => Kind::Project,
                    Want::Roots => Kind::Roots,
                    other => panic!("no rule for {other:?}"),
                };
                let may_ask = asked.want == Want::Project && !asked.explain && !asked.quiet;
                let user = if may_ask { User::MayAsk } else { User::Apart };
                let target = asked.target.clone();
                self.asked(asked.ask.0, kind, asked.ask_via, &asked.facts, (target, asked.hints, user), now);
                turn.named |= self.take_own_answer(asked.ask.0, now, turn);
            }
            Event::Selected(selected) => {
                self.called_by(selected.ask_via, &selected.facts, now, turn);
                let kind = Kind::Select(selected.by.clone());
                self.asked(selected.ask.0, kind, selected.ask_via, &selected.facts, (None, false, User::Apart), now);
            }
            Event::SelectionCleared(cleared) => {
                self.called_by(cleared.ask_via, &cleared.facts, now, turn);
                let (_, modern) = self.history.manner(cleared.ask_via, &cleared.facts);
                let alone = modern && (!self.history.has_one_client() || self.history.is_shared());
                let fixed = self.history.policy.config().memory.pin == Pin::Immutable && self.history.pin().is_some();
                let kind = if alone || fixed || self.history.is_shared() {
                    Kind::Clear
                } else {
                    self.history.note(Record::Forgotten);
                    self.history.note(Record::ChoiceGone);
                    self.history.note(Record::PinGone);
                    Kind::Cleared
                };
                self.asked(cleared.ask.0, kind, cleared.ask_via, &cleared.facts, (None, false, User::Apart), now);
            }
            Event::AskWithdrawn(withdrawn) => {
                let waiting = self.history.waiting();
                if let Some(ask) = waiting.iter().find(|ask| ask.id == withdrawn.ask.0) {
                    let over = Record::Over { ask: ask.id, begins: false };
                    self.history.note(over);
                }
            }
            Event::Probed(probed) => {
                let depends = self.history.connection_depends(probed.probe.0);
                let is_told = |path: &String| probed.paths.iter().any(|told| told.path == *path);
                let is_open = self.history.open_probes().iter().any(|(id, ..)| *id == probed.probe.0);
                turn.replied = is_open && !depends.is_empty() && depends.iter().all(is_told);
                self.probed(probed);
            }
            Event::DeadlineReached => self.deadline_reached(now, turn),
            Event::Message(message) => self.message(&message.text, now, turn),
            Event::Closed => self.closed(turn),
            _ => unreachable!("every kind of event is known"),
        }
    }

    // The connection.

    pub fn initialized(&mut self, capabilities: Option<&str>, turn: &mut Turn) {
        if self.history.initialized().is_some() {
            let before = self.history.announced();
            self.end_connection(turn);
            self.history.note(Record::Fresh);
            if before.is_some() {
                turn.effects.announce.push((before.map(|win| win.project.key), None, None));
            }
        }
        let roots = capabilities.and_then(|capabilities| peer::member(capabilities, "roots"));
        let declared = roots.is_some_and(|roots| peer::is_object(&roots));
        let forms = capabilities.is_some_and(shows_forms);
        self.history.note(Record::Initialized { declared, forms });
    }

    fn closed(&mut self, turn: &mut Turn) {
        self.end_connection(turn);
        self.history.note(Record::Closed);
    }

    fn end_connection(&mut self, turn: &mut Turn) {
        for ask in self.history.waiting() {
            let over = Record::Over { ask: ask.id, begins: false };
            self.history.note(over);
            if ask.user != User::Late {
                turn.effects.answers.push((ask.id, Out::Unresolved(Reason::Closed), Vec::new()));
            }
        }
        if self.history.form().is_some() {
            self.history.note(Record::FormOver);
        }
        for (id, ..) in self.history.open_probes() {
            self.history.note(Record::ProbeOver { id });
        }
        if let Some(request) = self.history.in_flight() {
            let without = Vec::new();
            self.history.note(Record::Ended { token: request.token, how: End::Dropped, without });
        }
        self.history.note(Record::DeferredOver);
    }

    pub fn ready(&mut self, said: bool, turn: &mut Turn) {
        let was_ready = self.history.is_ready();
        self.history.note(Record::Ready { said });
        if was_ready {
            return;
        }
        let eager = self.history.policy.config().roots.ask == RequestWhen::Eager;
        turn.unasked |= eager;
    }

    fn called_by(&mut self, by: Option<AskVia>, facts: &RequestFacts, now: u64, turn: &mut Turn) {
        let (by, modern) = self.history.manner(by, facts);
        if by == AskVia::Request && self.history.initialized().is_some() {
            self.called(turn);
        }
        if !modern || !self.history.has_one_client() {
            return;
        }
        if let Some(name) = own_name(facts, self.history.policy.config().limits.name_bytes) {
            if self.history.first_name().is_some_and(|first| first != name) {
                self.show_several(turn);
            }
            self.history.note(Record::Described { name });
        }
        if let Some(roots) = own_roots(facts).filter(|_| !self.history.is_shared()) {
            self.take_list(None, &roots, now, turn);
        }
    }

    /// A call by request: its client is ready (rule 5), and may show that it is not the only one (rule 34).
    pub fn called(&mut self, turn: &mut Turn) {
        let said = |record: &Record| matches!(record, Record::Ready { said: true });
        let before = self.history.records.iter().any(said);
        let here = self.history.here().any(|(_, record)| said(record));
        if self.history.is_second() && before && !here {
            self.show_several(turn);
        }
        self.ready(false, turn);
    }

    /// A raw request with a whole number for an id: each client counts its own up (rule 34).
    pub fn requested(&mut self, number: i64, turn: &mut Turn) {
        let last = self.history.last_number();
        let earlier = self.history.earlier_number();
        let continues = |last: Option<i64>| last.and_then(|last| last.checked_add(1)) == Some(number);
        let of_first = last.is_some() && !continues(last) && continues(earlier);
        if self.history.is_second() && (last == Some(number) || of_first) {
            self.show_several(turn);
        }
        if self.history.host().transport != Transport::Http {
            self.history.note(Record::Requested { number });
        }
    }

    /// Drops what the connection found out, except about a folder (rule 39).
    fn forget_except(&mut self, folder: Option<String>, ask: u32) {
        let kept = folder.and_then(|path| {
            let own = self.history.known(&path, Some(ask));
            Some((own.or_else(|| self.history.known(&path, None))?, path))
        });
        self.history.note(Record::Forgotten);
        if let Some((known, path)) = kept {
            self.history.note(Record::Learnt { path, known, asks: Vec::new(), connection: true });
        }
    }

    fn may_send_unasked(&self) -> bool {
        self.history.may_push() && !self.history.is_shared() && self.may_send_if_carried()
    }

    pub fn may_send_if_carried(&self) -> bool {
        self.history.may_ask() && self.history.source(SourceKind::Roots).is_some() && self.history.in_flight().is_none()
    }

    // Asks.

    fn asked(
        &mut self,
        id: u32,
        kind: Kind,
        by: Option<AskVia>,
        facts: &RequestFacts,
        (target, hints, user): (Option<String>, bool, User),
        now: u64,
    ) {
        let (by, modern) = self.history.manner(by, facts);
        let place = self.history.records.len();
        let facts = facts.clone();
        let until = now.saturating_add(self.history.policy.config().timing.caller_timeout_ms.into());
        let ask = Ask { id, place, since: place, until, kind, user, by, modern, facts, target, hints };
        self.history.note(Record::Asked(ask));
    }

    /// Evaluates every waiting ask once; selections come first, because the others are evaluated after they took effect.
    fn settle(&mut self, event: &Event, now: u64, turn: &mut Turn) {
        let most = usize::try_from(self.history.policy.config().limits.waiting_asks).unwrap();
        let new = match event {
            Event::Asked(asked) => Some(asked.ask.0),
            Event::Selected(selected) => Some(selected.ask.0),
            Event::SelectionCleared(cleared) => Some(cleared.ask.0),
            _ => None,
        };
        let all = self.history.waiting();
        let mut senders = Vec::new();
        // An ask that only asks changes nothing for the others, and a stateless one never does.
        let is_alone = |id: u32| all.iter().any(|ask| ask.id == id && self.history.is_alone(ask));
        let only_asks = matches!(event, Event::Asked(_)) && !turn.shown && !turn.list_arrived && !turn.named;
        let only_new = new.is_some_and(is_alone) || only_asks;
        let (first, others): (Vec<&Ask>, Vec<&Ask>) = all.iter().partition(|ask| matches!(ask.kind, Kind::Select(_)));
        for ask in first.into_iter().chain(others) {
            if only_new && new != Some(ask.id) {
                continue;
            }
            let is_over = matches!(event, Event::DeadlineReached) && now >= ask.until;
            let is_one_too_many = new == Some(ask.id) && all.len() > most;
            let Some((ask, waiting)) = self.end_or_wait(ask, is_over, is_one_too_many, now, turn) else { continue };
            let ask = &ask;
            if waiting.send {
                senders.push(ask.id);
            } else if waiting.request {
                let token = self.history.in_flight().map_or(0, |request| request.token);
                self.history.note(Record::Waits { ask: ask.id, token });
            }
            let refreshes = waiting.refresh || waiting.needs.iter().any(|need| need.refresh);
            if refreshes && self.history.refresh_until(ask).is_none() {
                let until = now.saturating_add(self.history.refresh_wait()).min(ask.until);
                self.history.note(Record::Refreshes { ask: ask.id, until });
            }
            self.history.note(Record::Looked { ask: ask.id, roots: waiting.roots });
            turn.needs.extend(waiting.needs.into_iter().map(|need| (Some(ask.id), need)));
        }
        let place = |id: u32| all.iter().position(|ask| ask.id == id);
        turn.effects.answers.sort_by_key(|(id, ..)| place(*id));
        if let Some(first) = senders.into_iter().min_by_key(|id| place(*id)) {
            self.send(Some(first), now, turn);
        }
    }

    /// Ends an ask that can end; otherwise it is returned as it is now, with what it waits for.
    fn end_or_wait(
        &mut self,
        ask: &Ask,
        is_over: bool,
        is_one_too_many: bool,
        now: u64,
        turn: &mut Turn,
    ) -> Option<(Ask, Waiting)> {
        // After what the user named was selected, the ask is another one.
        let mut ask = self.history.waiting().into_iter().find(|known| known.id == ask.id)?;
        loop {
            if is_over && ask.user == User::Waits {
                ask.user = User::Apart;
            }
            let patience = if is_over || ask.user == User::Waits { Patience::Over } else { Patience::Lasts };
            let decision = match self.history.decide(&ask, patience) {
                Decision::Wait(_) if is_over || is_one_too_many => self.history.decide(&ask, Patience::Over),
                decision => decision,
            };
            let end = match decision {
                Decision::Done(end) => end,
                Decision::Wait(_) if is_over || is_one_too_many || ask.user == User::Waits => return None,
                Decision::Wait(waiting) => return Some((ask, waiting)),
            };
            match self.before_end(&ask, end, !is_one_too_many, now, turn) {
                Before::Ends(end) => {
                    self.answer(&ask, *end, turn);
                    return None;
                }
                Before::Waits | Before::Nothing => return None,
                Before::Again => ask = self.history.waiting().into_iter().find(|known| known.id == ask.id)?,
            }
        }
    }

    /// What an ask selects becomes the selection of the connection.
    pub fn take_choice(&mut self, ask: &Ask, choice: &Choice, turn: &mut Turn) {
        // What was found out for the selection now serves the connection.
        let project = &choice.win.project;
        self.forget_except(project.path.clone().filter(|_| !project.on_client_machine), ask.id);
        turn.selected = true;
        // Rule 16: what wins now may be pinned in turn.
        self.history.note(Record::PinGone);
        let mut kept = choice.clone();
        kept.win.project.stale = false;
        self.history.note(Record::Chose(kept));
    }

    fn answer(&mut self, ask: &Ask, end: AskEnd, turn: &mut Turn) {
        let out = match end {
            AskEnd::Other(out) => out,
            AskEnd::Won(win) => {
                if !self.history.is_alone(ask) && !win.project.source.is_per_request() {
                    self.remember(&win);
                }
                Out::Resolved(win.project)
            }
            AskEnd::Chosen(choice) => {
                self.take_choice(ask, &choice, turn);
                Out::Selected(choice.win.project)
            }
        };
        let hints = self.hints(ask, &out);
        let begins = !self.history.is_alone(ask) && matches!(out, Out::Resolved(_) | Out::Unresolved(_));
        self.history.note(Record::Over { ask: ask.id, begins });
        let out = match out {
            Out::Resolved(project) if matches!(ask.kind, Kind::Cleared) => Out::Cleared(Ok(project)),
            Out::Unresolved(code) | Out::Refused(code, ..) if matches!(ask.kind, Kind::Cleared) => {
                Out::Cleared(Err(code))
            }
            out => out,
        };
        turn.effects.answers.push((ask.id, out, hints));
    }

    fn remember(&mut self, win: &Win) {
        // What is remembered stays as it was found, whatever a later look at it says.
        if win.project.source == SourceKind::Remembered {
            return;
        }
        let mut win = win.clone();
        win.project.via = Some(win.project.source.name().to_owned());
        win.project.package = None;
        if win.project.source != SourceKind::Roots {
            win.root_key = None;
        }
        win.project.source = SourceKind::Remembered;
        win.project.stale = false;
        self.history.note(Record::Remembered(win));
    }

    fn hints(&mut self, ask: &Ask, out: &Out) -> Vec<String> {
        let (Out::Resolved(project) | Out::Selected(project)) = out else {
            return Vec::new();
        };
        if !ask.hints {
            return Vec::new();
        }
        let mut texts = Vec::new();
        for (index, hint) in self.history.policy.config().hints.clone().into_iter().enumerate() {
            if !hint.sources.contains(&project.source) || (hint.without_roots && self.history.has_roots(ask)) {
                continue;
            }
            if hint.once && !self.history.is_alone(ask) {
                if self.history.hint_was_given(index) {
                    continue;
                }
                self.history.note(Record::HintGiven(index));
            }
            texts.push(hint.text);
        }
        texts
    }

    // The connection's project.

    /// With `allowedDirs` nothing is kept that is not verified inside.
    fn forget_outside(&mut self) {
        let is_out = |win: Option<&Win>| win.is_some_and(|win| !self.history.keeps(win));
        let choice = is_out(self.history.choice().map(|choice| &choice.win));
        let pin = is_out(self.history.pin());
        let remembered = is_out(self.history.remembered());
        for (gone, record) in
            [(choice, Record::ChoiceGone), (pin, Record::PinGone), (remembered, Record::RememberedGone)]
        {
            if gone {
                self.history.note(record);
            }
        }
    }
}
