//! The connection's own project after an event, and what time ends.

use rootwise::policy::{Pin, SourceKind};

use super::model::{Oracle, Turn};
use super::record::{End, Record, Win};

impl Oracle {
    pub fn evaluate_connection(&mut self, turn: &mut Turn) {
        if !self.history.has_begun() {
            return;
        }
        let before = self.history.project().cloned();
        let decision = self.history.decide_connection(self.history.pin());
        if turn.list_arrived || turn.selected || turn.replied {
            let needs = self.history.decide_connection(self.history.pin()).err().unwrap_or_default();
            self.history.note(Record::ConnectionLooks);
            turn.needs.extend(needs.into_iter().map(|need| (None, need)));
        }
        // What nobody has chosen does not become the project while the user may be about to choose (rule 61).
        if matches!(&decision, Ok(Some(win)) if win.guess) && self.history.user_is_awaited() {
            return;
        }
        let decided = decision.is_ok();
        let after = match decision {
            Ok(win) => win,
            Err(_) => {
                let keys = self.history.list().map(|list| self.history.keys(&list.roots)).unwrap_or_default();
                before.clone().filter(|win| self.history.keeps(win)).filter(|win| {
                    self.history.pin().is_some()
                        || win.project.source != SourceKind::Roots
                        || win.root_key.as_ref().is_none_or(|key| keys.contains(key))
                        || keys.contains(&win.folder)
                })
            }
        };
        let key = |win: &Option<Win>| win.as_ref().map(|win| win.project.key.clone());
        // Rule 19: another folder with the same key is a change too.
        let identity = |win: &Option<Win>| win.as_ref().map(|win| (win.project.key.clone(), win.folder.clone()));
        let announced = self.history.announced();
        if (decided || turn.nothing_awaited) && identity(&announced) != identity(&after) {
            let shared = announced.as_ref().zip(after.as_ref()).and_then(|(from, to)| from.shares_with(to));
            turn.effects.announce.push((key(&announced), key(&after), shared));
        }
        if decided || turn.nothing_awaited {
            self.history.note(Record::Announced(after.clone()));
        }
        self.history.note(Record::Project(after.clone()));
        let memory = &self.history.policy.config().memory;
        if decided
            && memory.pin != Pin::No
            && self.history.pin().is_none()
            && let Some(win) = after
            && (memory.pin_from.is_empty() || memory.pin_from.contains(&win.project.source))
        {
            self.history.note(Record::Pinned(win));
        }
    }

    pub fn deadline_reached(&mut self, now: u64, turn: &mut Turn) {
        if let Some(held) = self.history.held()
            && now >= self.history.end_of_hold(&held)
        {
            self.history.note(Record::AnsweredAlone);
            self.accept_answer(held.token, &held.result, held.at, turn);
        }
        let life = u64::from(self.history.policy.config().timing.request_timeout_ms);
        if let Some(request) = self.history.in_flight()
            && now >= request.at.saturating_add(life)
        {
            turn.effects.cancel.push((request.token, self.cancellation(request.token)));
            self.failed(End::TimedOut, turn);
        }
        self.end_form(now, turn);
        for (id, ..) in self.history.open_probes().into_iter().filter(|(_, until, _)| now >= *until) {
            turn.nothing_awaited |= !self.history.connection_depends(id).is_empty();
            self.history.note(Record::ProbeOver { id });
        }
        for ask in self.history.waiting().into_iter().filter(|ask| now >= ask.until) {
            if let Some(request) = self.history.in_flight()
                && self.history.waits_for_roots(&ask)
                && self.history.waited_for(&ask, usize::MAX) == Some(request.token)
            {
                self.history.note(Record::Overdue { token: request.token, in_vain: true });
            }
        }
        self.end_refreshes(now);
        if let Some((_, until)) = self.history.deferred()
            && now >= until
        {
            self.history.note(Record::DeferredOver);
            turn.unasked = true;
        }
    }

    /// Ends the short waits for refreshes: what is known counts now, and nobody else waits for the rest (rule 45).
    pub fn end_refreshes(&mut self, now: u64) {
        for ask in self.history.waiting() {
            let due = self.history.refresh_until(&ask).is_some_and(|until| now >= until);
            if !due || self.history.refresh_is_over(&ask) {
                continue;
            }
            if let Some(request) = self.history.in_flight()
                && self.history.waits_for_roots(&ask)
                && self.history.list_is_refreshed_for(&ask)
                && self.history.waited_for(&ask, usize::MAX) == Some(request.token)
            {
                self.history.note(Record::Overdue { token: request.token, in_vain: false });
            }
            for (id, ..) in self.history.open_probes() {
                if !self.history.ask_depends(&ask, id).is_empty() {
                    self.history.note(Record::ProbeOverdue { id });
                }
            }
            self.history.note(Record::RefreshOver { ask: ask.id });
        }
    }
}
