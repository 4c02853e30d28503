//! The question for the client's user: one form for each connection, whatever becomes of it.

use serde::{Deserialize, Serialize};

use super::asks::PendingAsk;
use super::logs::refusal_text;
use super::progress::{UserProgress, WaitsFor};
use super::resolver::{Resolver, Turn};
use crate::api::action::{FORM_KEY, InputRequest, Outcome, RequestMethod};
use crate::api::event::{AskVia, RefusalKind, RequestRefused};
use crate::api::reason::Reason;
use crate::collect::inserted;
use crate::id::{RequestToken, Time};
use crate::peer::form::FormAnswer;
use crate::peer::jsonrpc::RequestId;
use crate::policy::{Elicit, RequestWhen};
use crate::resolve::ask::needs_roots;
use crate::resolve::evaluate::Evaluation;
use crate::resolve::form::{Form, FormChoice};
use crate::resolve::sources::bounded;
use crate::resolve::view::Purpose;
use crate::texts::log;

/// The time for which an ask waits for a person, in milliseconds.
pub(super) const USER_WAIT: Time = 120_000;

/// The life of a form. It is longer than the wait, because a person who answers late still means it.
const FORM_LIFE: Time = 600_000;

/// How far a connection is with the question for its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Question {
    #[default]
    NotAsked,
    /// A request is in flight.
    Sent(SentForm),
    /// It was in the result of a call, and no call has brought an answer yet.
    InResult { choice: FormChoice, awaited_until: Time },
    /// It was asked, and is not asked again.
    Over,
}

/// A form that is in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentForm {
    pub(crate) token: RequestToken,
    pub(crate) id: RequestId,
    choice: FormChoice,
    /// The time until which an ask may wait for it.
    awaited_until: Time,
    expires_at: Time,
}

impl Question {
    pub(crate) const fn token(&self) -> Option<RequestToken> {
        match self {
            Self::Sent(sent) => Some(sent.token),
            Self::NotAsked | Self::InResult { .. } | Self::Over => None,
        }
    }

    pub(crate) const fn deadline(&self) -> Option<Time> {
        match self {
            Self::Sent(sent) => Some(sent.expires_at),
            Self::NotAsked | Self::InResult { .. } | Self::Over => None,
        }
    }

    /// Whether the user may still be about to answer.
    pub(crate) const fn is_awaited(&self, now: Time) -> bool {
        match self {
            Self::Sent(SentForm { awaited_until, .. }) | Self::InResult { awaited_until, .. } => now < *awaited_until,
            Self::NotAsked | Self::Over => false,
        }
    }

    /// The connection closed.
    pub(crate) fn closed(&mut self) {
        self.take_sent(|_| true);
    }

    /// Takes the form whose life is over.
    pub(crate) fn expired(&mut self, now: Time) -> Option<SentForm> {
        self.take_sent(|sent| sent.expires_at <= now)
    }

    fn take_sent(&mut self, is_over: impl Fn(&SentForm) -> bool) -> Option<SentForm> {
        match core::mem::take(self) {
            Self::Sent(sent) if is_over(&sent) => {
                *self = Self::Over;
                Some(sent)
            }
            other => {
                *self = other;
                None
            }
        }
    }

    /// Ends the question in the result of a call, whose answer has come.
    fn answered_in_call(&mut self) -> Option<FormChoice> {
        let Self::InResult { choice, .. } = *self else { return None };
        *self = Self::Over;
        Some(choice)
    }
}

/// The question in a snapshot; times are relative to the moment it was saved.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum SavedQuestion {
    #[default]
    NotAsked,
    Sent {
        token: RequestToken,
        id: RequestId,
        choice: FormChoice,
        awaited_for: Time,
        expires_in: Time,
    },
    InResult {
        choice: FormChoice,
        awaited_for: Time,
    },
    Over,
}

impl SavedQuestion {
    /// Whether a resolver could have saved it, which has sent requests up to a token.
    pub(crate) fn is_possible(&self, closed: bool, last_token: RequestToken) -> bool {
        let Self::Sent { token, .. } = self else { return true };
        !closed && RequestToken(1) <= *token && *token <= last_token
    }
}

impl Question {
    pub(crate) fn save(&self, now: Time) -> SavedQuestion {
        let left = |at: Time| at.saturating_sub(now);
        match self {
            Self::NotAsked => SavedQuestion::NotAsked,
            Self::Sent(SentForm { token, id, choice, awaited_until, expires_at }) => SavedQuestion::Sent {
                token: *token,
                id: id.clone(),
                choice: *choice,
                awaited_for: left(*awaited_until),
                expires_in: left(*expires_at),
            },
            Self::InResult { choice, awaited_until } => {
                SavedQuestion::InResult { choice: *choice, awaited_for: left(*awaited_until) }
            }
            Self::Over => SavedQuestion::Over,
        }
    }

    pub(crate) fn restore(saved: SavedQuestion, now: Time) -> Self {
        let at = |left: Time, most: Time| now.saturating_add(left.min(most));
        match saved {
            SavedQuestion::NotAsked => Self::NotAsked,
            SavedQuestion::Sent { token, id, choice, awaited_for, expires_in } => Self::Sent(SentForm {
                token,
                id,
                choice,
                awaited_until: at(awaited_for, USER_WAIT),
                expires_at: at(expires_in, FORM_LIFE),
            }),
            SavedQuestion::InResult { choice, awaited_for } => {
                Self::InResult { choice, awaited_until: at(awaited_for, USER_WAIT) }
            }
            SavedQuestion::Over => Self::Over,
        }
    }
}

/// What becomes of an ask that could end.
pub(super) enum Ending {
    Ends(Outcome),
    /// It ends with the question for the user.
    Asks(Outcome),
    /// The user is being asked.
    Waits,
    /// The user has named a project, which may be the answer.
    DecidesAgain,
    /// Nobody waits for it.
    Vanishes,
}

impl Resolver {
    /// Considers the user before an ask ends.
    pub(super) fn before_end(
        &mut self,
        ask: &mut PendingAsk,
        outcome: Outcome,
        evaluation: Option<&Evaluation>,
        turn: &mut Turn,
    ) -> Ending {
        if ask.waits_for == WaitsFor::User && is_open(&outcome, evaluation) {
            return Ending::Waits;
        }
        match (ask.user, outcome) {
            (UserProgress::Selects { by }, Outcome::Selected { project, .. }) => {
                self.take_selection(ask, &project, turn);
                ask.purpose = Purpose::Project;
                ask.by = by;
                ask.user = UserProgress::Apart;
                Ending::DecidesAgain
            }
            (UserProgress::Late, Outcome::Selected { project, .. }) => {
                self.take_selection(ask, &project, turn);
                Ending::Vanishes
            }
            (UserProgress::Late, outcome) => {
                if let Outcome::Refused(refused) = outcome {
                    self.logger(turn).user_declined(None, refused.code.code());
                }
                Ending::Vanishes
            }
            (UserProgress::MayAsk, outcome) => match self.form_for(ask, &outcome, evaluation) {
                Some(form) => self.ask_user(ask, form, turn),
                None => Ending::Ends(outcome),
            },
            (_, outcome) => Ending::Ends(outcome),
        }
    }

    /// The reason for which the user is asked instead of ending an ask so, if the policy names it.
    fn reason_to_ask(&self, outcome: &Outcome, evaluation: Option<&Evaluation>) -> Option<Reason> {
        let reason = match outcome {
            Outcome::Unresolved(unresolved) => unresolved.code,
            Outcome::Resolved { .. } if evaluation.is_some_and(Evaluation::is_guess) => Reason::Ambiguous,
            _ => return None,
        };
        let asks = match reason {
            Reason::Ambiguous => self.policy.config.elicit != Elicit::Never,
            Reason::NoProject => self.policy.config.elicit == Elicit::Unresolved,
            _ => false,
        };
        asks.then_some(reason)
    }

    /// The form for an ask that would end so, if its user can be asked.
    fn form_for(&self, ask: &PendingAsk, outcome: &Outcome, evaluation: Option<&Evaluation>) -> Option<Form> {
        let reason = self.reason_to_ask(outcome, evaluation)?;
        let connection = &self.connection;
        let shows_forms = match ask.by {
            AskVia::Request => connection.client.as_ref().is_some_and(|client| client.shows_forms),
            AskVia::InputRequired => ask.client.shows_forms,
            AskVia::None => false,
        };
        if !shows_forms || self.is_alone(ask) || connection.question != Question::NotAsked {
            return None;
        }
        self.context(ask).form(reason, evaluation)
    }

    /// Asks the user for an ask: by a request, or by the result of its call.
    fn ask_user(&mut self, ask: &mut PendingAsk, form: Form, turn: &mut Turn) -> Ending {
        let Form { params, choice } = form;
        let awaited_until = self.now.saturating_add(USER_WAIT);
        self.logger(turn).user_asked(ask.id);
        if ask.modern {
            self.connection.question = Question::InResult { choice, awaited_until };
            let method = RequestMethod::ElicitationCreate;
            let form = [(FORM_KEY.into(), InputRequest { method, params: Some(params) })];
            // The list is too old when the user has answered, and clients repeat only the answers to the last round.
            let can_list = ask.client.declares_roots && self.policy.config.roots.ask != RequestWhen::Never;
            let roots = can_list.then(needs_roots);
            return Ending::Asks(Outcome::NeedsInput { input_requests: inserted(form.into_iter().chain(roots)) });
        }
        let (token, id) = self.connection.cycle.next_id();
        turn.outbox.ask_user(token, &id, ask.id, params);
        let expires_at = self.now.saturating_add(FORM_LIFE);
        self.connection.question = Question::Sent(SentForm { token, id, choice, awaited_until, expires_at });
        ask.wait_for_user(awaited_until);
        Ending::Waits
    }

    /// Takes the answer that came with a call.
    pub(super) fn take_form_answer(&mut self, ask: &mut PendingAsk, turn: &mut Turn) {
        let Some(answer) = ask.form.take() else { return };
        // Whoever sends an answer has been asked.
        ask.user = UserProgress::Apart;
        if ask.purpose != Purpose::Project {
            return;
        }
        let Some(choice) = self.connection.question.answered_in_call() else { return };
        match answer {
            FormAnswer::Project(text) => {
                ask.purpose = Purpose::Select(choice.selection(bounded(text, &self.policy.config.limits)));
                ask.user = UserProgress::Selects { by: ask.by };
                // Another round would lose the answer.
                ask.by = AskVia::None;
            }
            FormAnswer::Nothing => self.logger(turn).user_declined(Some(ask.id), log::NAMED_NOTHING),
        }
    }

    /// The client answered a form.
    pub(super) fn user_answered(&mut self, request: RequestToken, result: &str, turn: &mut Turn) {
        let Some(SentForm { choice, .. }) = self.connection.question.take_sent(|sent| sent.token == request) else {
            return self.ignore_reply(request, turn);
        };
        self.connection.cycle.note_answer(Some(request));
        match FormAnswer::read(result) {
            FormAnswer::Project(text) => {
                let by = choice.selection(bounded(text, &self.policy.config.limits));
                self.asks.select(by, self.now, &self.policy);
            }
            FormAnswer::Nothing => self.end_question(log::NAMED_NOTHING, turn),
        }
    }

    /// A form failed; returns whether there was one.
    pub(super) fn form_refused(&mut self, refused: &RequestRefused, turn: &mut Turn) -> bool {
        if self.connection.question.take_sent(|sent| sent.token == refused.request).is_none() {
            return false;
        }
        if refused.kind == RefusalKind::Error {
            self.connection.cycle.note_answer(Some(refused.request));
        }
        let reason = refusal_text(refused);
        self.end_question(&reason, turn);
        true
    }

    /// The user names nothing: the ask that waited for it goes on without.
    fn end_question(&mut self, reason: &str, turn: &mut Turn) {
        let ask = self.asks.give_up_user(self.now, &self.policy);
        self.logger(turn).user_declined(ask, reason);
    }

    /// A form was in flight for its whole life.
    pub(super) fn expire_form(&mut self, turn: &mut Turn) {
        if let Some(sent) = self.connection.question.expired(self.now) {
            turn.outbox.cancel(sent.token, &sent.id);
            self.end_question(log::NO_ANSWER, turn);
        }
    }
}

/// Whether the user's answer may still matter to an ask that would end so.
fn is_open(outcome: &Outcome, evaluation: Option<&Evaluation>) -> bool {
    match outcome {
        Outcome::Unresolved(unresolved) => unresolved.code != Reason::SeveralClients,
        Outcome::Resolved { .. } => evaluation.is_some_and(Evaluation::is_guess),
        _ => false,
    }
}
