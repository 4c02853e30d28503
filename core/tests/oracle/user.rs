//! The question for the client's user: when there is a form, what it offers, and what becomes of the answer (rules 60 to 64).

use rootwise::action::LogCode;
use rootwise::event::{AskVia, RefusalKind, RequestRefused, SelectBy};
use rootwise::policy::{Elicit, NonFile, Pin, RequestWhen, SourceKind};
use rootwise::{FORM_KEY, INPUT_KEY, Reason};

use super::Out;
use super::decide::{End as AskEnd, INPUT, capabilities, own_roots};
use super::history::History;
use super::model::{Oracle, Turn};
use super::peer::{self, RawList};
use super::record::{Ask, Kind, Record, User};
use super::values::Lexed;

/// How long an ask waits for a person.
pub const USER_WAIT: u64 = 120_000;
/// How long a form is in flight.
const FORM_LIFE: u64 = 600_000;
/// The id of the ask that selects what was named when nobody waited any more; no host gives it.
pub const NOBODY: u32 = u32::MAX;

/// A form: the texts that it offers, or none where it is a field for a path.
pub type Choices = Option<Vec<String>>;

/// What an ask does that could end.
pub enum Before {
    Ends(AskEnd),
    Waits,
    /// It is decided once more.
    Again,
    Nothing,
}

/// Whether a client shows forms, by the capabilities that it declares.
pub fn shows_forms(capabilities: &str) -> bool {
    let Some(elicitation) = peer::member(capabilities, "elicitation").filter(|text| peer::is_object(text)) else {
        return false;
    };
    let kind = |key| peer::member(&elicitation, key).filter(|text| text != "null");
    match kind("form") {
        Some(form) => peer::is_object(&form),
        None => kind("url").is_none(),
    }
}

/// What the user named.
fn named(answer: &str) -> Option<String> {
    let action = peer::member(answer, "action").and_then(|action| peer::string(&action));
    let content = peer::member(answer, "content").filter(|_| action.as_deref() == Some("accept"))?;
    peer::string(&peer::member(&content, "project")?)
}

/// The answer to a form that came with a call, even as junk.
fn own_answer(ask: &Ask) -> Option<String> {
    let responses = ask.facts.input_responses.as_ref().filter(|_| ask.modern)?;
    peer::has(responses.get(), FORM_KEY).then(|| peer::member(responses.get(), FORM_KEY).unwrap_or_default())
}

fn selection(text: String, from_roots: bool) -> SelectBy {
    if from_roots { SelectBy::Root(text) } else { SelectBy::Value(text) }
}

impl History {
    /// The form in flight, and whether it offers roots.
    pub fn form(&self) -> Option<(u32, bool, u64)> {
        self.here().rev().find_map(|(_, record)| match record {
            Record::FormSent { token, at, from_roots, .. } => Some(Some((*token, *from_roots, *at))),
            Record::FormInResult { .. } | Record::FormOver => Some(None),
            _ => None,
        })?
    }

    /// Whether the form that was in the result of a call offers roots, if no call has brought an answer yet.
    fn form_in_result(&self) -> Option<bool> {
        self.here().rev().find_map(|(_, record)| match record {
            Record::FormInResult { from_roots, .. } => Some(Some(*from_roots)),
            Record::FormSent { .. } | Record::FormOver => Some(None),
            _ => None,
        })?
    }

    fn user_was_asked(&self) -> bool {
        self.here().any(|(_, record)| matches!(record, Record::FormSent { .. } | Record::FormInResult { .. }))
    }

    /// Whether the user may be about to choose.
    pub fn user_is_awaited(&self) -> bool {
        let asked_at = self.here().rev().find_map(|(_, record)| match record {
            Record::FormSent { at, .. } | Record::FormInResult { at, .. } => Some(Some(*at)),
            Record::FormOver => Some(None),
            _ => None,
        });
        asked_at.flatten().is_some_and(|at| self.now() < at.saturating_add(USER_WAIT))
    }

    pub fn end_of_form(&self) -> Option<u64> {
        self.form().map(|(.., at)| at.saturating_add(FORM_LIFE))
    }

    /// The form for an ask that would end so, if its user is asked.
    fn form_for(&self, ask: &Ask, end: &AskEnd) -> Option<Choices> {
        let reason = match end {
            AskEnd::Other(Out::Unresolved(reason)) => *reason,
            AskEnd::Won(win) if win.guess => Reason::Ambiguous,
            _ => return None,
        };
        let asks = match reason {
            Reason::Ambiguous => self.policy.config().elicit != Elicit::Never,
            Reason::NoProject => self.policy.config().elicit == Elicit::Unresolved,
            _ => false,
        };
        let shows = match ask.by {
            AskVia::Request => self.client_shows_forms(),
            AskVia::InputRequired => capabilities(ask).is_some_and(|text| shows_forms(&text)),
            _ => false,
        };
        let selects = self.source(SourceKind::Selected).is_some_and(|source| self.is_on(source)) && !self.is_shared();
        let fixed = self.policy.config().memory.pin == Pin::Immutable && self.pin().is_some();
        if !asks || !shows || !selects || fixed || self.is_alone(ask) || self.user_was_asked() {
            return None;
        }
        Some(if reason == Reason::Ambiguous { self.choices(ask) } else { None })
    }

    fn client_shows_forms(&self) -> bool {
        self.here().any(|(_, record)| matches!(record, Record::Initialized { forms: true, .. }))
    }

    /// One text for each different root that can be a project (rule 64).
    fn choices(&self, ask: &Ask) -> Choices {
        let own = own_roots(&ask.facts).filter(|_| ask.modern);
        let roots = match own {
            Some(own) => RawList::read(&own, self.policy.config()),
            None => self.list()?.roots,
        };
        let nameless = self.policy.config().roots.non_file == NonFile::NameOnly && !self.policy.config().require_path;
        let mut keys: Vec<String> = Vec::new();
        let mut texts = Vec::new();
        for raw in roots.iter() {
            let (key, folder) = match self.lex_root(raw) {
                Lexed::Place(target) => (target.key, target.path),
                Lexed::NonFile(_) if nameless => (format!("uri:{}", raw.uri), None),
                _ => continue,
            };
            if keys.contains(&key) {
                continue;
            }
            let means_it = |text: &String| {
                let found = self.called(&roots, text, false).ok().flatten();
                found.is_some_and(|found| match self.lex_root(found) {
                    Lexed::Place(target) => target.key == key,
                    _ => format!("uri:{}", found.uri) == key,
                })
            };
            let names = [raw.name.clone().filter(|name| !name.trim().is_empty()), folder, Some(raw.uri.clone())];
            texts.push(names.into_iter().flatten().find(means_it)?);
            keys.push(key);
        }
        let fits = (2..=32).contains(&texts.len()) && texts.iter().map(String::len).sum::<usize>() <= 4_096;
        Some(texts).filter(|_| fits && !roots.is_cut())
    }
}

impl Oracle {
    /// What becomes of an ask that could end; `may_wait` says whether there is room for it.
    pub fn before_end(&mut self, ask: &Ask, end: AskEnd, may_wait: bool, now: u64, turn: &mut Turn) -> Before {
        match (ask.user, end) {
            (User::Waits, end) if is_open(&end) => Before::Waits,
            (User::Named, AskEnd::Chosen(choice)) => {
                self.take_choice(ask, &choice, turn);
                self.history.note(Record::NamedTaken { ask: ask.id });
                Before::Again
            }
            (User::Late, end) => {
                match end {
                    AskEnd::Chosen(choice) => self.take_choice(ask, &choice, turn),
                    _ => turn.notice(LogCode::UserDeclined),
                }
                self.history.note(Record::Over { ask: ask.id, begins: false });
                Before::Nothing
            }
            (User::MayAsk, end) if may_wait || ask.modern => match self.history.form_for(ask, &end) {
                Some(choices) => self.ask_user(ask, &choices, now, turn),
                None => Before::Ends(end),
            },
            (_, end) => Before::Ends(end),
        }
    }

    fn ask_user(&mut self, ask: &Ask, choices: &Choices, now: u64, turn: &mut Turn) -> Before {
        turn.notice(LogCode::UserAsked);
        let from_roots = choices.is_some();
        let shown = shown(choices);
        if ask.modern {
            self.history.note(Record::FormInResult { at: now, from_roots });
            let mut requests = vec![(FORM_KEY.to_owned(), shown)];
            let roots = capabilities(ask).and_then(|text| peer::member(&text, "roots"));
            let lists = roots.is_some_and(|roots| peer::is_object(&roots));
            if lists && self.history.policy.config().roots.ask != RequestWhen::Never {
                requests.insert(0, (INPUT_KEY.to_owned(), INPUT.1.to_owned()));
            }
            return Before::Ends(AskEnd::Other(Out::NeedsInput(requests)));
        }
        let token = self.history.tokens() + 1;
        self.history.note(Record::FormSent { token, ask: ask.id, at: now, from_roots });
        turn.effects.forms.push((token, ask.id, shown));
        Before::Waits
    }

    /// Takes the answer that came with a call; true if it names a project.
    pub fn take_own_answer(&mut self, id: u32, now: u64, turn: &mut Turn) -> bool {
        let ask = self.history.waiting().into_iter().find(|ask| ask.id == id);
        let Some((ask, answer)) = ask.and_then(|ask| Some((ask.clone(), own_answer(&ask)?))) else { return false };
        if self.history.is_alone(&ask) {
            return false;
        }
        self.history.note(Record::UserOver { ask: id, at: now });
        let Some(from_roots) = self.history.form_in_result().filter(|_| matches!(ask.kind, Kind::Project)) else {
            return false;
        };
        self.history.note(Record::FormOver);
        match named(&answer) {
            Some(text) => {
                self.history.note(Record::Named { ask: id, by: selection(text, from_roots), at: now });
                true
            }
            None => {
                turn.notice(LogCode::UserDeclined);
                false
            }
        }
    }

    /// The client answered a form, or something that is none.
    pub fn user_answered(&mut self, token: u32, result: &str, now: u64, turn: &mut Turn) {
        let Some((_, from_roots, _)) = self.history.form().filter(|(form, ..)| *form == token) else {
            if self.history.in_flight().is_some_and(|request| request.token == token) {
                return turn.notice(LogCode::AnswerStale);
            }
            return self.unexpected(token, true, turn);
        };
        self.history.note(Record::FormOver);
        self.history.note(Record::Replied { token });
        let waits = self.waits_for_user();
        match named(result) {
            Some(text) => {
                let by = selection(text, from_roots);
                let Some(ask) = waits else {
                    let place = self.history.records.len();
                    let wait = u64::from(self.history.policy.config().timing.caller_timeout_ms);
                    let ask = Ask {
                        id: NOBODY,
                        place,
                        since: place,
                        until: now.saturating_add(wait),
                        kind: Kind::Select(by),
                        user: User::Late,
                        by: AskVia::None,
                        modern: false,
                        facts: rootwise::event::RequestFacts::default(),
                        target: None,
                        hints: false,
                    };
                    return self.history.note(Record::Asked(ask));
                };
                self.history.note(Record::Named { ask, by, at: now });
            }
            None => self.user_names_nothing(now, turn),
        }
    }

    /// A form failed; true if it was one.
    pub fn form_refused(&mut self, refused: &RequestRefused, now: u64, turn: &mut Turn) -> bool {
        if self.history.form().is_none_or(|(token, ..)| token != refused.request.0) {
            return false;
        }
        self.history.note(Record::FormOver);
        if refused.kind == RefusalKind::Error {
            self.history.note(Record::Replied { token: refused.request.0 });
        }
        self.user_names_nothing(now, turn);
        true
    }

    /// Ends a form that was in flight for its whole life.
    pub fn end_form(&mut self, now: u64, turn: &mut Turn) {
        let over = self.history.end_of_form().is_some_and(|end| now >= end);
        let Some((token, ..)) = self.history.form().filter(|_| over) else { return };
        self.history.note(Record::FormOver);
        turn.effects.cancel.push((token, self.cancellation(token)));
        self.user_names_nothing(now, turn);
    }

    fn waits_for_user(&self) -> Option<u32> {
        self.history.waiting().into_iter().find(|ask| ask.user == User::Waits).map(|ask| ask.id)
    }

    fn user_names_nothing(&mut self, now: u64, turn: &mut Turn) {
        if let Some(ask) = self.waits_for_user() {
            self.history.note(Record::UserOver { ask, at: now });
        }
        turn.notice(LogCode::UserDeclined);
    }
}

/// A form as it is compared.
pub fn shown(choices: &Choices) -> String {
    choices.as_ref().map_or_else(|| "a path".to_owned(), |texts| format!("one of {texts:?}"))
}

/// Whether what the user says may still matter to an ask that would end so.
fn is_open(end: &AskEnd) -> bool {
    match end {
        AskEnd::Other(Out::Unresolved(reason)) => *reason != Reason::SeveralClients,
        AskEnd::Won(win) => win.guess,
        _ => false,
    }
}
