//! The requests for roots: when one is sent, and what becomes of it (rules 11 to 13).

use rootwise::action::LogCode;
use rootwise::event::{RefusalKind, RequestRefused};
use rootwise::host::Transport;
use rootwise::policy::{OnChange, RequestWhen};

use super::model::{Oracle, Turn};
use super::peer::{self, RawList};
use super::record::{Ask, End, Held, List, Record};

/// What the message of an error says that means "unsupported" (rule 11).
const UNSUPPORTED: [&str; 5] =
    ["not supported", "unsupported", "method not found", "unknown method", "not implemented"];

impl Oracle {
    pub fn id(&self, token: u32) -> String {
        let prefix = &self.history.policy.config().roots.request.id_prefix;
        if prefix.is_empty() { token.to_string() } else { format!("\"{prefix}{token}\"") }
    }

    /// Whether an id never given out could be taken for one of ours.
    pub fn looks_like_ours(&self, id: &str) -> bool {
        let prefix = &self.history.policy.config().roots.request.id_prefix;
        let number = if prefix.is_empty() {
            Some(id.to_owned())
        } else {
            peer::string(id).and_then(|id| id.strip_prefix(prefix.as_str()).map(str::to_owned))
        };
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    }

    pub fn cancellation(&self, token: u32) -> String {
        let id = self.id(token);
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id},\"reason\":\"timeout\"}}}}"
        )
    }

    pub fn send(&mut self, relates_to: Option<u32>, now: u64, turn: &mut Turn) {
        let token = self.history.tokens() + 1;
        self.history.note(Record::Sent { token, at: now, carrier: relates_to });
        // Everybody who waits for roots waits for it.
        for ask in self.history.waiting() {
            if self.history.waits_for_roots(&ask) {
                self.history.note(Record::Waits { ask: ask.id, token });
            }
        }
        let params = if self.history.policy.config().roots.request.empty_params { ",\"params\":{}" } else { "" };
        let id = self.id(token);
        let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"roots/list\"{params}}}");
        turn.effects.send.push((token, relates_to, message));
    }

    /// When a change has a request sent (rule 12), if it does at all.
    pub fn time_for_change(&self) -> Option<u64> {
        let interval = u64::from(self.history.policy.config().timing.min_interval_ms);
        let earliest = self.history.last_sent_at().map_or(0, |at| at.saturating_add(interval));
        self.may_send_if_carried().then_some(earliest)
    }

    /// Whether an answer is to the request in flight; any other is noticed.
    fn is_expected(&mut self, token: u32, by_client: bool, turn: &mut Turn) -> bool {
        if self.history.in_flight().is_some_and(|request| request.token == token) {
            return true;
        }
        self.unexpected(token, by_client, turn);
        false
    }

    /// Notices an answer to nothing that is in flight.
    pub fn unexpected(&mut self, token: u32, by_client: bool, turn: &mut Turn) {
        let stale = (1..=self.history.tokens()).contains(&token);
        if self.history.last_token() == Some(token) && by_client {
            self.history.note(Record::Late);
        }
        if by_client && stale {
            if self.history.was_replied(token) {
                self.show_several(turn);
            } else {
                self.history.note(Record::Replied { token });
            }
        }
        turn.notice(if stale { LogCode::AnswerStale } else { LogCode::AnswerUnexpected });
    }

    /// It shows that there are several clients (rule 34); whoever answers twice is two.
    pub fn show_several(&mut self, turn: &mut Turn) {
        if self.history.host().transport != Transport::Http && !self.history.is_shared() {
            let gone = [Record::Several, Record::ChoiceGone, Record::PinGone, Record::RememberedGone];
            self.history.records.extend(gone);
            turn.shown = true;
        }
    }

    pub fn answered(&mut self, token: u32, result: &str, now: u64, turn: &mut Turn) {
        if self.history.form().is_some_and(|(form, ..)| form == token) {
            // No list is the answer to a form.
            return turn.notice(LogCode::AnswerStale);
        }
        if !self.is_expected(token, true, turn) {
            return;
        }
        if !self.history.may_be_answered_twice() {
            return self.accept_answer(token, result, now, turn);
        }
        if self.history.held().is_some() {
            return self.answered_twice(turn);
        }
        self.history.note(Record::Held(Held { token, at: now, result: result.to_owned() }));
    }

    /// Two clients answered the request in flight: neither answer counts.
    fn answered_twice(&mut self, turn: &mut Turn) {
        self.show_several(turn);
        let notices = turn.effects.notices.clone();
        self.failed(End::Refused, turn);
        turn.effects.notices = notices;
    }

    pub fn accept_answer(&mut self, token: u32, result: &str, now: u64, turn: &mut Turn) {
        let changed = self.changed_during_request();
        self.history.note(Record::Replied { token });
        self.history.note(Record::Ended { token, how: End::Answered, without: Vec::new() });
        self.take_list(Some(token), result, now, turn);
        turn.follow_up |= changed;
    }

    pub fn refused(&mut self, refused: &RequestRefused, now: u64, turn: &mut Turn) {
        if self.form_refused(refused, now, turn) {
            return;
        }
        if !self.is_expected(refused.request.0, refused.kind == RefusalKind::Error, turn) {
            return;
        }
        if refused.kind == RefusalKind::Error {
            if self.history.held().is_some() {
                return self.answered_twice(turn);
            }
            self.history.note(Record::Replied { token: refused.request.0 });
        }
        let message = refused.message.as_deref().unwrap_or_default().to_ascii_lowercase();
        let unsupported = refused.kind == RefusalKind::Error
            && (refused.code == Some(-32601) || UNSUPPORTED.iter().any(|part| message.contains(part)));
        let overdue = self.history.in_flight().is_some_and(|request| request.overdue);
        let in_vain = self.history.is_in_vain(refused.request.0);
        let how = match refused.kind {
            _ if unsupported => End::Unsupported,
            // Somebody has waited for it in vain.
            RefusalKind::Abandoned if in_vain && !self.changed_during_request() => End::TimedOut,
            RefusalKind::Abandoned if overdue && !self.changed_during_request() => End::LostRefresh,
            RefusalKind::Abandoned => End::Abandoned,
            _ => End::Refused,
        };
        self.failed(how, turn);
    }

    fn changed_during_request(&self) -> bool {
        let request = self.history.in_flight();
        request.is_some_and(|request| self.history.changed_since(request.place))
    }

    /// The request in flight came to nothing (rules 11 and 13).
    pub fn failed(&mut self, how: End, turn: &mut Turn) {
        let Some(request) = self.history.in_flight() else {
            return;
        };
        let changed = self.changed_during_request();
        let goes_without = |ask: &Ask| {
            let waited = self.history.waited_for(ask, usize::MAX) == Some(request.token);
            waited
                && match how {
                    End::Abandoned | End::LostRefresh => {
                        self.history.carried(ask, request.token) && self.history.lost_request(ask)
                    }
                    End::Refused => !changed,
                    _ => true,
                }
        };
        let without = self.history.waiting().into_iter().filter(goes_without).map(|ask| ask.id).collect();
        self.history.note(Record::Ended { token: request.token, how, without });
        turn.notice(if how == End::Unsupported { LogCode::RootsUnsupported } else { LogCode::RootsFailed });
        turn.follow_up |= changed && matches!(how, End::Abandoned | End::LostRefresh | End::Refused);
    }

    pub fn changed(&mut self, push: bool, turn: &mut Turn) {
        let rules = &self.history.policy.config().roots;
        let undeclared = rules.require_capability && self.history.initialized() != Some(true);
        if rules.on_change == OnChange::Ignore || undeclared {
            return;
        }
        let in_flight = self.history.in_flight().is_some();
        // Nothing is asked for *again* that nobody has wanted yet, and nothing twice.
        let eager = rules.ask == RequestWhen::Eager;
        let asked = eager || self.history.last_sent_at().is_some() || self.history.list().is_some();
        // A stream counts for the request that the change causes, if it causes one.
        self.history.note(Record::Changed { push: push && asked });
        let rules = &self.history.policy.config().roots;
        let rests = !in_flight && self.history.deferred().is_none();
        turn.follow_up |= rests && asked && rules.on_change == OnChange::Refetch;
    }

    pub fn take_list(&mut self, answers: Option<u32>, result: &str, now: u64, turn: &mut Turn) {
        let roots = RawList::read(result, self.history.policy.config());
        let same = |list: &List| !self.history.is_stale(list) && list.roots == roots;
        if !self.history.list().is_none_or(|list| same(&list)) {
            self.history.note(Record::Forgotten);
        }
        self.history.note(Record::List { answers, at: now, roots: roots.clone() });
        turn.list_arrived = true;
        let keys = self.history.keys(&roots);
        // Rule 17.
        let lost = self.history.remembered().is_some_and(|win| {
            let lost = |key: &String| !keys.contains(key) && !keys.contains(&win.folder);
            win.root_key.as_ref().is_some_and(lost)
        });
        if lost && !self.history.policy.config().memory.keep_lost_root {
            self.history.note(Record::RememberedGone);
        }
        // Rule 15.
        let older = self.history.older_list().map(|roots| self.history.keys(roots)).unwrap_or_default();
        let left = self.history.choice().is_some_and(|choice| {
            let among = |keys: &[String]| {
                keys.contains(&choice.win.folder) || choice.win.root_key.as_ref().is_some_and(|key| keys.contains(key))
            };
            among(&older) && !among(&keys)
        });
        if left {
            turn.notice(LogCode::SelectedRootLeft);
        }
    }
}
