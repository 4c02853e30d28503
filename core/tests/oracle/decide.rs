//! One walk over the policy's sources for one ask, or for the connection.

use rootwise::Reason;
use rootwise::event::{Argument, AskVia};
use rootwise::host::Transport;
use rootwise::policy::{NonFile, Source, SourceKind};
use serde_json::value::RawValue;

use super::Out;
use super::history::History;
use super::kept::Lost;
use super::peer::{self, RawList};
use super::record::{Ask, Choice, Kind, Win};
use super::values::{Eyes, Lexed, Need, Patience, Target, Verdict, can_end, is_asked_for};

/// The key of our input request and the request itself.
pub const INPUT: (&str, &str) = ("rootwise", r#"{"method":"roots/list"}"#);

/// What is to be done about an ask now.
#[derive(Clone, Debug)]
pub enum Decision {
    Done(End),
    Wait(Waiting),
}

/// The end of an ask, with what the connection may keep of it.
#[derive(Clone, Debug)]
pub enum End {
    Won(Win),
    Chosen(Choice),
    Other(Out),
}

/// What an ask waits for.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// Paths it may need.
    pub needs: Vec<Need>,
    /// It has a request sent.
    pub send: bool,
    /// It waits for the request in flight.
    pub request: bool,
    /// It waits for roots in any way.
    pub roots: bool,
    /// What it waits for is in part a refresh of the list (rule 32).
    pub refresh: bool,
}

/// Whether there is a list to use, or something to wait for.
pub enum RootsNow {
    Use(Option<RawList>),
    WaitForRequest,
    /// For the handshake, or for a request that was put off.
    WaitForMore,
    Send,
    NeedsInput,
}

/// What one source says.
pub enum Says {
    Nothing,
    /// It gives way; the code counts if nothing else is found.
    GivesWay(Option<Reason>),
    Wins(Box<Win>),
    Ends(Out),
    Pending(Vec<Need>),
    /// Roots are not there yet.
    Roots {
        send: bool,
        request: bool,
        refresh: bool,
    },
    NeedsInput,
}

fn facts_look_modern(facts: &rootwise::event::RequestFacts) -> bool {
    let meta = facts.meta.as_deref().map(RawValue::get);
    let has = |key| meta.is_some_and(|meta| peer::has(meta, key));
    facts.capabilities.is_some()
        || has("io.modelcontextprotocol/protocolVersion")
        || has("io.modelcontextprotocol/clientCapabilities")
}

/// The roots that came with a call.
pub fn own_roots(facts: &rootwise::event::RequestFacts) -> Option<String> {
    let responses = facts.input_responses.as_ref().filter(|responses| peer::has(responses.get(), INPUT.0))?;
    Some(peer::member(responses.get(), INPUT.0).unwrap_or_default())
}

pub fn brings_roots(ask: &Ask) -> bool {
    ask.modern && own_roots(&ask.facts).is_some()
}

/// The name that the client of a call gives itself.
pub fn own_name(facts: &rootwise::event::RequestFacts, most: u32) -> Option<String> {
    let meta = facts.meta.as_deref().and_then(|meta| peer::member(meta.get(), "io.modelcontextprotocol/clientInfo"));
    let info = facts.client_info.as_deref().map(|info| info.get().to_owned()).or(meta)?;
    let name: String = serde_json::from_str(&peer::member(&info, "name")?).ok()?;
    (name.len() <= usize::try_from(most).unwrap()).then_some(name)
}

impl History {
    /// Rule 4: whether an ask reads and leaves nothing on the connection.
    pub fn is_alone(&self, ask: &Ask) -> bool {
        ask.modern && (!self.has_one_client() || self.is_shared())
    }

    /// Whether all calls come from one client, as far as the transport says.
    pub fn has_one_client(&self) -> bool {
        match self.host().transport {
            Transport::Stdio => self.host().dedicated != Some(false),
            Transport::Http => false,
            _ => true,
        }
    }

    /// Rule 4: how an ask can carry a question, and whether it is modern.
    pub fn manner(&self, by: Option<AskVia>, facts: &rootwise::event::RequestFacts) -> (AskVia, bool) {
        let looks_modern = facts_look_modern(facts);
        let by = by.unwrap_or(if looks_modern {
            AskVia::InputRequired
        } else if self.initialized().is_some() {
            AskVia::Request
        } else {
            AskVia::None
        });
        let modern = by == AskVia::InputRequired || (by == AskVia::None && looks_modern);
        (by, modern)
    }

    /// What is to be done about an ask.
    pub fn decide(&self, ask: &Ask, patience: Patience) -> Decision {
        match &ask.kind {
            Kind::Project | Kind::Cleared => {
                let pin = self.pin().filter(|_| !self.is_alone(ask) && !self.is_shared());
                match self.walk_sources(Some(ask), patience, pin) {
                    Decision::Done(End::Won(mut win)) => match self.package(&win, ask, patience) {
                        Ok(package) => {
                            win.project.package = package;
                            Decision::Done(End::Won(win))
                        }
                        Err(needs) => Decision::Wait(Waiting { needs, ..Waiting::default() }),
                    },
                    decision => decision,
                }
            }
            Kind::Roots => self.decide_roots(ask, patience),
            Kind::Select(by) => self.decide_select(ask, by, patience),
            Kind::Clear => {
                let reason = match self.is_alone(ask) {
                    true => Reason::PassEachCall,
                    false if self.is_shared() => Reason::SeveralClients,
                    false => Reason::Immutable,
                };
                self.refuse_select(reason)
            }
        }
    }

    /// The connection's project: decided, or the paths it depends on.
    pub fn decide_connection(&self, pin: Option<&Win>) -> Result<Option<Win>, Vec<Need>> {
        match self.walk_sources(None, Patience::Over, pin.filter(|_| !self.is_shared())) {
            Decision::Done(End::Won(win)) => Ok(Some(win)),
            Decision::Done(_) => Ok(None),
            Decision::Wait(waiting) => Err(waiting.needs),
        }
    }

    fn walk_sources(&self, ask: Option<&Ask>, patience: Patience, pin: Option<&Win>) -> Decision {
        let eyes = match ask {
            Some(ask) => Eyes::Ask { ask, patience },
            None => Eyes::Connection,
        };
        self.read_old.set(false);
        let mut waiting = Waiting::default();
        let mut needs_roots = false;
        // Whether a better source, or a value judged before ranking, is still being checked.
        let (mut open, mut judging) = (false, false);
        let probed = self.first_on_disk(ask, eyes, pin);
        for (rank, source) in self.policy.config().sources.iter().enumerate() {
            if !is_asked_for(source.from) || !can_end(source) {
                continue;
            }
            // Nobody is asked while a better value is being probed (rule 8).
            let spares_question = !waiting.needs.is_empty() || probed.is_some_and(|probed| probed < rank);
            match self.ask_source(source, ask, eyes) {
                Says::Pending(needs) => {
                    judging = true;
                    waiting.needs.extend(needs);
                }
                // Bad is bad, whatever a better one may still turn out to be.
                Says::Ends(out) => return Decision::Done(End::Other(out)),
                Says::Roots { send, request, refresh } => {
                    if !spares_question {
                        waiting.wait_for_roots(send, request, refresh);
                    }
                    judging = true;
                }
                Says::NeedsInput => needs_roots |= !spares_question,
                _ => {}
            }
        }
        if needs_roots {
            return Decision::Done(End::Other(needs_input()));
        }
        let mut code = None;
        let mut certain = false;
        let mut pinned = false;
        for source in &self.policy.config().sources {
            if pinned {
                // Rule 16: whatever becomes of the pin, no source below it counts.
                break;
            }
            let says = match pin.filter(|_| !source.from.is_per_request()) {
                // The pin stands ahead of every source of the connection.
                Some(win) => {
                    pinned = true;
                    self.ask_pin(win, ask, eyes)
                }
                None => self.ask_source(source, ask, eyes),
            };
            let end = match says {
                Says::Nothing => continue,
                Says::GivesWay(reason) => {
                    // That a folder is on another machine counts for less than that there are several.
                    code = code.filter(|code| reason.is_none() || *code != Reason::OtherMachine).or(reason);
                    continue;
                }
                Says::Pending(needs) => {
                    open = true;
                    waiting.needs.extend(needs);
                    continue;
                }
                Says::Roots { send, request, refresh } => {
                    if !open && !certain {
                        waiting.wait_for_roots(send, request, refresh);
                    }
                    open = true;
                    continue;
                }
                Says::Wins(mut win) => {
                    win.project.stale = self.read_old.get();
                    End::Won(*win)
                }
                Says::Ends(out) => End::Other(out),
                Says::NeedsInput => End::Other(needs_input()),
            };
            if !open {
                // Nothing below can matter any more.
                return if judging { Decision::Wait(waiting) } else { Decision::Done(end) };
            }
            // Something better is checked: what is named below is checked in the same probe.
            certain = true;
        }
        if open || judging {
            return Decision::Wait(waiting);
        }
        let shared = self.is_shared() && !ask.is_some_and(|ask| ask.modern);
        let code = if shared { Reason::SeveralClients } else { code.unwrap_or(Reason::NoProject) };
        Decision::Done(End::Other(Out::Unresolved(code)))
    }

    /// The rank of the source that would decide by rank alone, if it is being probed.
    fn first_on_disk(&self, ask: Option<&Ask>, eyes: Eyes<'_>, pin: Option<&Win>) -> Option<usize> {
        let old = self.read_old.get();
        let says =
            self.policy.config().sources.iter().map(|source| match pin.filter(|_| !source.from.is_per_request()) {
                Some(win) => self.ask_pin(win, ask, eyes),
                None => self.ask_source(source, ask, eyes),
            });
        let decides = says.enumerate().find(|(_, says)| !matches!(says, Says::Nothing | Says::GivesWay(_)));
        self.read_old.set(old);
        decides.filter(|(_, says)| matches!(says, Says::Pending(_))).map(|(rank, _)| rank)
    }

    pub fn is_on(&self, source: &Source) -> bool {
        let when = &source.when;
        // Several clients on one pipe are served together.
        let dedicated = self.is_dedicated() && !self.is_shared();
        (when.transports.is_empty() || when.transports.contains(&self.host().transport))
            && when.argument.as_ref().is_none_or(|name| self.host().arguments.contains_key(name))
            && (dedicated || !when.dedicated.unwrap_or(says_where_the_client_works(source.from)))
    }

    fn ask_source(&self, source: &Source, ask: Option<&Ask>, eyes: Eyes<'_>) -> Says {
        let alone = ask.is_some_and(|ask| self.is_alone(ask));
        let off = !alone && self.is_shared() && belongs_to_one_client(source.from);
        if off || !self.is_on(source) {
            return Says::Nothing;
        }
        match source.from {
            SourceKind::Roots => self.ask_roots(source, ask, eyes),
            SourceKind::Selected | SourceKind::Remembered if alone => Says::Nothing,
            SourceKind::Selected => {
                let Some(choice) = self.choice() else {
                    return Says::Nothing;
                };
                match self.look_again(&choice.win, ask, eyes) {
                    Ok(says) => says,
                    Err(Lost::Suspended(_)) => Says::Nothing,
                    Err(Lost::Gone(reason)) => self.says(source, Verdict::Bad(reason), None),
                }
            }
            SourceKind::Remembered => {
                let Some(win) = self.remembered() else { return Says::Nothing };
                match self.look_again(win, ask, eyes) {
                    Ok(says) => says,
                    Err(lost) => self.says(source, Verdict::Bad(lost.reason()), None),
                }
            }
            SourceKind::Argument if ask.is_some_and(|ask| ask.facts.argument == Some(Argument::Other)) => {
                self.says(source, Verdict::Bad(Reason::Invalid), None)
            }
            _ => {
                let values = self.values_of(source, ask);
                if values.is_empty() {
                    return Says::Nothing;
                }
                if source.from == SourceKind::Argument
                    && let Some(says) = self.ask_named_root(source, &values[0].1, ask, eyes)
                {
                    return says;
                }
                let may_name = |target: &Target| self.may_name(source, target, ask, eyes);
                match self.judge(source, values, eyes, may_name) {
                    Ok((verdict, via)) => self.says(source, verdict, via),
                    Err(waits) => waits,
                }
            }
        }
    }

    /// Rule 54: what an argument says that is the name of a root, or could be one.
    fn ask_named_root(&self, source: &Source, text: &str, ask: Option<&Ask>, eyes: Eyes<'_>) -> Option<Says> {
        if self.has_separator(text) || self.read_text(source, text) != Err(Reason::Relative) {
            return None;
        }
        let patience = match eyes {
            Eyes::Ask { patience, .. } => patience,
            Eyes::Connection => Patience::Over,
        };
        let roots = match self.roots_now(ask, patience) {
            RootsNow::Use(roots) => roots.filter(|roots| !roots.is_empty())?,
            other => return Some(self.says_roots(&other, ask)),
        };
        let verdict = match self.by_name(&roots, text).map(|raw| raw.map(|raw| (raw, self.lex_root(raw)))) {
            Err(reason) => Verdict::Bad(reason),
            Ok(None) => Verdict::Bad(Reason::NotInRoots),
            Ok(Some((_, Lexed::Place(target)))) => self.on_disk(source, target, eyes),
            Ok(Some((raw, Lexed::NonFile(_)))) if self.policy.config().roots.non_file == NonFile::NameOnly => {
                self.on_disk(source, self.name_only(raw), eyes)
            }
            Ok(Some((_, Lexed::NonFile(_)))) => Verdict::Bad(Reason::NotFileUri),
            Ok(Some((_, Lexed::Bad(reason)))) => Verdict::Bad(reason),
        };
        Some(self.says(source, verdict, None))
    }

    /// What a source reads and under which names, blank values left out.
    pub fn values_of(&self, source: &Source, ask: Option<&Ask>) -> Vec<(Option<String>, String)> {
        let host = self.host();
        let none = rootwise::event::RequestFacts::default();
        let facts = ask.map_or(&none, |ask| &ask.facts);
        let by_name = |find: &dyn Fn(&String) -> Option<String>| {
            source.read.iter().filter_map(|name| Some((Some(name.clone()), find(name)?))).collect()
        };
        let alone = |value: &Option<String>| value.iter().map(|value| (None, value.clone())).collect();
        let mut values: Vec<(Option<String>, String)> = match source.from {
            SourceKind::Server => alone(&facts.server),
            SourceKind::Argument => match &facts.argument {
                Some(Argument::Text(text)) => alone(&Some(text.clone())),
                _ => Vec::new(),
            },
            SourceKind::Header => by_name(&|name| {
                let mut values: Vec<String> = Vec::new();
                for (known, value) in &facts.headers {
                    let counts = known.eq_ignore_ascii_case(name) && !value.trim().is_empty();
                    if counts && values.last() != Some(value) {
                        values.push(value.clone());
                    }
                }
                (!values.is_empty()).then(|| values.join(", "))
            }),
            SourceKind::Query => by_name(&|name| facts.query.get(name).cloned()),
            SourceKind::Meta => by_name(&|name| {
                let text = peer::pointer(facts.meta.as_ref()?.get(), name)?;
                peer::string(&text)
            }),
            SourceKind::Configured => by_name(&|name| match name.strip_prefix('$') {
                Some(variable) => host.env.get(variable).cloned(),
                None => host.arguments.get(name).cloned(),
            }),
            SourceKind::Env => by_name(&|name| host.env.get(name).cloned()),
            SourceKind::Cwd => alone(&host.cwd),
            SourceKind::Selected | SourceKind::Roots | SourceKind::Remembered => Vec::new(),
            other => unreachable!("the model has no source {other:?}"),
        };
        values.retain(|(_, value)| !value.trim().is_empty());
        values
    }
}

impl Waiting {
    pub fn wait_for_roots(&mut self, send: bool, request: bool, refresh: bool) {
        self.roots = true;
        self.send |= send;
        self.request |= request;
        self.refresh |= refresh;
    }
}

/// Rule 35.
fn says_where_the_client_works(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Env | SourceKind::Cwd)
}

/// Rule 48.
fn belongs_to_one_client(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Roots | SourceKind::Selected | SourceKind::Remembered)
}

/// What the client of a modern call declares.
pub fn capabilities(ask: &Ask) -> Option<String> {
    let meta = ask.facts.meta.as_deref().map(RawValue::get);
    match &ask.facts.capabilities {
        Some(capabilities) => Some(capabilities.get().to_owned()),
        None => meta.and_then(|meta| peer::member(meta, "io.modelcontextprotocol/clientCapabilities")),
    }
}

pub fn declares_roots(ask: &Ask) -> bool {
    let roots = capabilities(ask).and_then(|capabilities| peer::member(&capabilities, "roots"));
    roots.is_some_and(|roots| peer::is_object(&roots))
}

pub fn needs_input() -> Out {
    Out::NeedsInput(vec![(INPUT.0.to_owned(), INPUT.1.to_owned())])
}

/// What `onUnusable: accept` overlooks.
pub fn is_disk(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Missing | Reason::OtherSystem | Reason::NotDirectory | Reason::Unreadable | Reason::NoMarker
    ) || reason == Reason::Unconfirmed
}
