//! Selections.

use rootwise::Reason;
use rootwise::event::SelectBy;
use rootwise::path;
use rootwise::policy::{
    EnforceRoots, NameRule, Names, NonFile, Pin, Relative, RootMatch, Source, SourceKind, Traversal,
};

use super::Out;
use super::decide::{Decision, End, RootsNow, Says, Waiting, needs_input, own_roots};
use super::history::History;
use super::peer::{RawList, RawRoot};
use super::places::is_file_uri;
use super::record::{Ask, Choice};
use super::values::{Eyes, Lexed, Patience, Target, Verdict};
use super::within::MayName;

impl History {
    pub fn decide_select(&self, ask: &Ask, by: &SelectBy, patience: Patience) -> Decision {
        self.read_old.set(false);
        match self.weigh_select(ask, by, patience) {
            Ok(Decision::Done(End::Chosen(mut choice))) => {
                choice.win.project.stale = self.read_old.get();
                Decision::Done(End::Chosen(choice))
            }
            Ok(decision) => decision,
            Err(reason) => self.refuse_select(reason),
        }
    }

    pub fn refuse_select(&self, reason: Reason) -> Decision {
        let status = self.source(SourceKind::Selected).and_then(|source| source.status);
        Decision::Done(End::Other(Out::Refused(reason, SourceKind::Selected, status)))
    }

    pub fn weigh_select(&self, ask: &Ask, by: &SelectBy, patience: Patience) -> Result<Decision, Reason> {
        if self.is_alone(ask) {
            return Err(Reason::PassEachCall);
        }
        if self.is_shared() {
            return Err(Reason::SeveralClients);
        }
        if self.policy.config().memory.pin == Pin::Immutable && self.pin().is_some() {
            return Err(Reason::Immutable);
        }
        // Where no such source counts, a selection would never count either.
        let source = self.source(SourceKind::Selected).filter(|source| self.is_on(source));
        let source = source.ok_or(Reason::SelectionOff)?;
        let eyes = Eyes::Ask { ask, patience };
        let by = match by {
            SelectBy::Value(text) if is_file_uri(text) => SelectBy::Uri(text.clone()),
            SelectBy::Value(text) if self.has_separator(text) => SelectBy::Path(text.clone()),
            SelectBy::Value(text) => SelectBy::Name(text.clone()),
            other => other.clone(),
        };
        let (SelectBy::Name(text)
        | SelectBy::Path(text)
        | SelectBy::Uri(text)
        | SelectBy::Root(text)
        | SelectBy::Value(text)) = &by
        else {
            panic!("no rule for {by:?}")
        };
        if text.trim().is_empty() {
            return Err(Reason::Empty);
        }
        let rules = &self.policy.config().selection;
        let mut waiting = Waiting::default();
        match &by {
            SelectBy::Path(_) | SelectBy::Uri(_) => {
                if matches!(by, SelectBy::Uri(_)) && !is_file_uri(text) {
                    return Err(Reason::NotFileUri);
                }
                if rules.traversal == Traversal::Refuse && text.split(['/', '\\']).any(|part| part == "..") {
                    return Err(Reason::Traversal);
                }
                let target = self.target(self.place(text, source.relative, true)?)?;
                let target = self.shown_by_model(Target { shown: self.shown(text), ..target }, eyes);
                // The disk first: what is not there need not be compared with the roots.
                let target = match self.on_disk(source, target, eyes) {
                    Verdict::Good(target) => target,
                    Verdict::Bad(reason) => return Err(reason),
                    Verdict::Pending(needs) => {
                        waiting.needs = needs;
                        return Ok(Decision::Wait(waiting));
                    }
                };
                if let Some(decision) = self.weigh_name(source, &target, ask, eyes)? {
                    return Ok(decision);
                }
                let mut roots = RawList::default();
                if rules.enforce_roots != EnforceRoots::Off {
                    match self.roots_now(Some(ask), patience) {
                        RootsNow::Use(known) => roots = known.unwrap_or_default(),
                        RootsNow::NeedsInput => return Ok(Decision::Done(End::Other(needs_input()))),
                        other => return Ok(Decision::Wait(self.waits(waiting, &other, ask))),
                    }
                }
                let given = Some(text.clone());
                let choice = Choice { win: self.win(SourceKind::Selected, target, None), uri: given };
                if !roots.is_empty() && !self.is_among(&roots, &choice) {
                    return Err(Reason::NotInRoots);
                }
                Ok(Decision::Done(End::Chosen(choice)))
            }
            _ => {
                let is_name = matches!(by, SelectBy::Name(_));
                let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
                if is_name && rules.name_rule == NameRule::Word && !text.chars().all(plain) {
                    return Err(Reason::InvalidName);
                }
                // Any name will do: that of a root if the list is known, else one of its own.
                let free = is_name && rules.names == Names::Any;
                let must_compare = !free || rules.enforce_roots != EnforceRoots::Off;
                let mut roots = self.list().map(|list| list.roots).unwrap_or_default();
                if !must_compare && let Some(own) = own_roots(&ask.facts).filter(|_| ask.modern) {
                    roots = RawList::read(&own, self.policy.config());
                } else if !must_compare {
                    self.reads(self.list().is_some_and(|list| !self.is_current(&list)));
                } else {
                    match self.roots_now(Some(ask), patience) {
                        RootsNow::Use(known) => roots = known.unwrap_or_default(),
                        RootsNow::NeedsInput => return Ok(Decision::Done(End::Other(needs_input()))),
                        other => return Ok(Decision::Wait(self.waits(waiting, &other, ask))),
                    }
                }
                let found = self.called(&roots, text, free)?.map(|raw| (raw, self.lex_root(raw)));
                let Some((raw, lexed)) = found else {
                    let enforced = rules.enforce_roots != EnforceRoots::Off && !roots.is_empty();
                    if !free || enforced {
                        return Err(Reason::NotInRoots);
                    }
                    if self.policy.config().require_path {
                        return Err(Reason::NoPath);
                    }
                    let named = self.win(SourceKind::Selected, Self::named(text), None);
                    return Ok(Decision::Done(End::Chosen(Choice { win: named, uri: None })));
                };
                let target = match lexed {
                    Lexed::Place(target) => target,
                    Lexed::NonFile(_) if self.policy.config().roots.non_file == NonFile::NameOnly => {
                        self.name_only(raw)
                    }
                    Lexed::NonFile(_) => return Err(Reason::NotFileUri),
                    Lexed::Bad(reason) => return Err(reason),
                };
                match self.on_disk(source, target, eyes) {
                    Verdict::Good(target) => {
                        if let Some(decision) = self.weigh_name(source, &target, ask, eyes)? {
                            return Ok(decision);
                        }
                        let win = self.win(SourceKind::Selected, target, None);
                        Ok(Decision::Done(End::Chosen(Choice { win, uri: Some(raw.uri.clone()) })))
                    }
                    Verdict::Bad(reason) => Err(reason),
                    Verdict::Pending(needs) => {
                        waiting.needs = needs;
                        Ok(Decision::Wait(waiting))
                    }
                }
            }
        }
    }

    /// What comes first where a selection must be compared with known folders (rule 33).
    fn weigh_name(
        &self,
        source: &Source,
        target: &Target,
        ask: &Ask,
        eyes: Eyes<'_>,
    ) -> Result<Option<Decision>, Reason> {
        let mut waiting = Waiting::default();
        match self.may_name(source, target, Some(ask), eyes) {
            MayName::Yes => return Ok(None),
            MayName::No(reason) => return Err(reason),
            MayName::NotYet(Says::Roots { send, request, refresh }) => waiting.wait_for_roots(send, request, refresh),
            MayName::NotYet(Says::Pending(needs)) => waiting.needs = needs,
            MayName::NotYet(_) => return Ok(Some(Decision::Done(End::Other(needs_input())))),
        }
        Ok(Some(Decision::Wait(waiting)))
    }

    /// The root a text means: by its URI, else by its path, else by a name.
    pub fn called<'a>(
        &self,
        roots: &'a [RawRoot],
        text: &str,
        by_name_only: bool,
    ) -> Result<Option<&'a RawRoot>, Reason> {
        let meant = self.place(text, Relative::Refuse, true).and_then(|at| self.target(at)).ok();
        let by_uri = |raw: &&RawRoot| raw.uri == text;
        let by_path = |raw: &&RawRoot| match (self.lex_root(raw), &meant) {
            (Lexed::Place(target), Some(meant)) => target.key == meant.key,
            _ => false,
        };
        let found = roots.iter().find(by_uri).or_else(|| roots.iter().find(by_path)).filter(|_| !by_name_only);
        if found.is_some() { Ok(found) } else { self.by_name(roots, text) }
    }

    /// The root with this name of its own, else the one whose folder has it; there must not be several.
    pub fn by_name<'a>(&self, roots: &'a [RawRoot], text: &str) -> Result<Option<&'a RawRoot>, Reason> {
        let folder = |raw: &RawRoot| match self.lex_root(raw) {
            Lexed::Place(Target { path: Some(at), .. }) => path::basename(&at, self.client_style(&at)),
            _ => None,
        };
        let owns: Vec<&RawRoot> = roots.iter().filter(|raw| raw.name.as_deref() == Some(text)).collect();
        let folders = roots.iter().filter(|raw| folder(raw).as_deref() == Some(text));
        let named = if owns.is_empty() { folders.collect() } else { owns };
        let copies: Vec<RawRoot> = named.iter().map(|raw| (*raw).clone()).collect();
        if self.different(&copies) > 1 { Err(Reason::Ambiguous) } else { Ok(named.first().copied()) }
    }

    /// Whether a selection is one of the roots, by the policy's measure.
    pub fn is_among(&self, roots: &[RawRoot], choice: &Choice) -> bool {
        roots.iter().any(|raw| {
            let lexed = self.lex_root(raw);
            match (self.policy.config().selection.root_match, lexed) {
                (RootMatch::ExactUri, _) => Some(&raw.uri) == choice.uri.as_ref(),
                (RootMatch::Key, Lexed::Place(target)) => target.key == choice.win.folder,
                (_, Lexed::NonFile(uri)) => format!("uri:{uri}") == choice.win.folder,
                _ => false,
            }
        })
    }
}

impl History {
    fn waits(&self, mut waiting: Waiting, roots: &RootsNow, ask: &Ask) -> Waiting {
        if let Says::Roots { send, request, refresh } = self.says_roots(roots, Some(ask)) {
            waiting.wait_for_roots(send, request, refresh);
        }
        waiting
    }
}
