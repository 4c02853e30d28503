//! Selections: what a tool may choose, and what it must match.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use crate::action::{Outcome, Refused};
use crate::error::Reason;
use crate::event::SelectBy;
use crate::find::{contains, replaced};
use crate::machine::asks::{AskEvaluation, PendingAsk, Purpose, Step};
use crate::machine::connection::SelectedProject;
use crate::machine::resolver::Resolver;
use crate::path;
use crate::peer::root_list::{RootEntry, RootList};
use crate::policy::{
    EnforceRoots, ExcludedDirsRule, Format, NameRule, Names, NonFile, Recheck, Relative, Source, SourceKind, Texts,
    Traversal, Values, Verify,
};
use crate::project::Project;
use crate::resolve::evaluate::{EvaluationContext, RootsAccess};
use crate::resolve::verify::{
    CacheReads, CacheScope, DiskView, ParsedValue, PathVerifier, Rejection, ValueParser, Verified, is_file_uri,
};
use crate::uri::project_key;

/// How far a selection has come.
enum SelectionStep {
    Made(Box<Project>),
    Refused(Rejection),
    NeedsDisk,
    NeedsRoots(Step),
}

impl SelectionStep {
    fn made(project: Project) -> Self {
        Self::Made(project.into())
    }
}

impl From<Rejection> for SelectionStep {
    fn from(bad: Rejection) -> Self {
        Self::Refused(bad)
    }
}

impl Resolver {
    pub(crate) fn look_for_selection(&self, ask: &PendingAsk, by: &SelectBy) -> AskEvaluation {
        let mut look = self.look(ask);
        let given = by.text();
        let step = if ask.modern {
            Step::End(self.refuse_selection(ask, Reason::PassEachCall, given, None))
        } else if self.is_immutable() {
            Step::End(self.refuse_selection(ask, Reason::Immutable, given, None))
        } else {
            match self.choose(ask, by, &mut look) {
                SelectionStep::Made(project) => {
                    let project = Arc::from(project);
                    let message = self.selected_text(&project);
                    Step::End(Outcome::Selected { project, message })
                }
                SelectionStep::Refused(bad) => Step::End(self.refuse_selection(ask, bad.reason, given, Some(&bad))),
                SelectionStep::NeedsDisk => Step::Wait { for_roots: false, send: false },
                SelectionStep::NeedsRoots(step) => step,
            }
        };
        AskEvaluation { step, evaluation: None, touched: look.touched }
    }

    fn choose(&self, ask: &PendingAsk, by: &SelectBy, look: &mut DiskView<'_>) -> SelectionStep {
        let view = self.view(ask);
        let given = by.text().trim();
        if given.is_empty() {
            return Rejection::new(Reason::Empty).into();
        }
        let kind = match by {
            SelectBy::Value(_) => kind_of(given, &view),
            SelectBy::Name(_) => Kind::Name,
            SelectBy::Path(_) => Kind::Path,
            SelectBy::Uri(_) => Kind::Uri,
            SelectBy::Root(_) => Kind::Root,
        };
        let chosen = match kind {
            Kind::Name => self.choose_name(ask, given, &view, look),
            Kind::Root => self.choose_root(ask, given, &view, look),
            Kind::Uri if !is_file_uri(given) => Rejection::new(Reason::NotFileUri).into(),
            Kind::Path | Kind::Uri => self.choose_path(given, &view, look),
        };
        match chosen {
            // What was picked from the list is one of the roots, however it was named.
            SelectionStep::Made(project)
                if self.policy.selection.enforce_roots != EnforceRoots::Off && project.root.is_none() =>
            {
                self.enforce(ask, project, given, &view)
            }
            other => other,
        }
    }

    fn choose_name(
        &self,
        ask: &PendingAsk,
        name: &str,
        view: &EvaluationContext<'_>,
        look: &mut DiskView<'_>,
    ) -> SelectionStep {
        let rule = self.policy.selection.name_rule;
        let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if usize::try_from(self.policy.limits.name_bytes).is_ok_and(|most| name.len() > most) {
            return Rejection::new(Reason::TooLong).into();
        }
        if rule == NameRule::Word && !name.chars().all(fits) {
            return Rejection::new(Reason::InvalidName).into();
        }
        let known = match (self.policy.selection.names, &self.connection.cycle.list) {
            (Names::Any, Some(list)) => by_name(list, name, view),
            (Names::Any, None) => None,
            (Names::Roots, _) => return self.choose_root(ask, name, view, look),
        };
        match known {
            Some((list, entry)) => self.chosen_root(entry, list, view, look),
            None => SelectionStep::made(view.named(SourceKind::Selected, None, name)),
        }
    }

    fn choose_root(
        &self,
        ask: &PendingAsk,
        given: &str,
        view: &EvaluationContext<'_>,
        look: &mut DiskView<'_>,
    ) -> SelectionStep {
        let list = match self.roots_for_selection(ask) {
            Ok(list) => list,
            Err(step) => return SelectionStep::NeedsRoots(step),
        };
        let Some(list) = list else {
            return Rejection::new(Reason::NotInRoots).into();
        };
        let style = self.host.style;
        let key = if is_file_uri(given) { project_key(given, style) } else { path::key(given, style) }.ok();
        let by_uri = list.entries.iter().find(|entry| entry.sent.uri == given);
        let by_key = || list.entries.iter().find(|entry| key.is_some() && entry.key(&self.host) == key);
        let entry = by_uri.or_else(by_key).or_else(|| by_name(list, given, view).map(|(_, entry)| entry));
        entry.map_or_else(
            || Rejection::new(Reason::NotInRoots).into(),
            |entry| self.chosen_root(entry, list, view, look),
        )
    }

    fn chosen_root(
        &self,
        entry: &RootEntry,
        list: &RootList,
        view: &EvaluationContext<'_>,
        look: &mut DiskView<'_>,
    ) -> SelectionStep {
        let rooted = |path, real_path| {
            let project = view.rooted(entry, list, path, real_path);
            SelectionStep::made(Project { source: SourceKind::Selected, ..project })
        };
        match &entry.path {
            Ok(path) => match self.root_judge().judge(path, look) {
                Verified::Good { path, real_path } => rooted(Some(path), real_path),
                Verified::Rejected(bad) => bad.into(),
                Verified::Wait => SelectionStep::NeedsDisk,
            },
            Err(bad) if bad.reason == Reason::NotFileUri && self.policy.roots.non_file == NonFile::NameOnly => {
                rooted(None, None)
            }
            Err(bad) => bad.clone().into(),
        }
    }

    /// As for any selection, but the roots of a client elsewhere name another disk.
    fn root_judge(&self) -> PathVerifier<'_> {
        let judge = self.selection_judge();
        if self.host.is_local() { judge } else { PathVerifier { verify: Verify::None, refine: None, ..judge } }
    }

    fn selection_judge(&self) -> PathVerifier<'_> {
        let source = self.policy.source(SourceKind::Selected);
        let again = source.is_some_and(|source| source.recheck == Recheck::EachAsk);
        let reads = if again { CacheReads::None } else { CacheReads::Folders };
        PathVerifier {
            host: &self.host,
            places: source.map_or(ExcludedDirsRule::Allow, Source::excluded_dirs_rule),
            verify: source.map_or(Verify::None, |source| source.verify),
            files: None,
            accept_missing: false,
            refine: source.and_then(|source| source.refine.as_ref()),
            reach: CacheScope { reads, serves_shared: again },
        }
    }

    fn choose_path(&self, given: &str, view: &EvaluationContext<'_>, look: &mut DiskView<'_>) -> SelectionStep {
        let source = self.policy.source(SourceKind::Selected);
        let reading = ValueParser {
            host: &self.host,
            format: Format::PathOrUri,
            relative: source.map_or(Relative::Refuse, |source| source.relative),
            from_client: true,
            value_bytes: self.policy.limits.value_bytes,
        };
        let path = match reading.read(given) {
            Ok(ParsedValue::Path(path) | ParsedValue::Name(path)) => path,
            Err(bad) => return bad.into(),
        };
        if self.policy.selection.traversal == Traversal::Refuse && climbs(given) {
            return Rejection::new(Reason::Traversal).into();
        }
        match self.selection_judge().judge(&path, look) {
            Verified::Good { path, real_path } => {
                SelectionStep::made(view.placed(SourceKind::Selected, None, path, real_path))
            }
            Verified::Rejected(bad) => bad.into(),
            Verified::Wait => SelectionStep::NeedsDisk,
        }
    }

    fn enforce(
        &self,
        ask: &PendingAsk,
        project: Box<Project>,
        given: &str,
        view: &EvaluationContext<'_>,
    ) -> SelectionStep {
        match self.roots_for_selection(ask) {
            Err(step) => SelectionStep::NeedsRoots(step),
            Ok(Some(list)) if !view.is_among(&project, given, list) => Rejection::new(Reason::NotInRoots).into(),
            Ok(_) => SelectionStep::Made(project),
        }
    }

    /// The list to compare with, if there is one; or what has to happen first.
    fn roots_for_selection<'a>(&'a self, ask: &'a PendingAsk) -> Result<Option<&'a RootList>, Step> {
        match self.roots_access(ask) {
            RootsAccess::Known(list) => Ok(Some(list)),
            RootsAccess::Wait => Err(Step::Wait { for_roots: true, send: false }),
            RootsAccess::Send => Err(Step::Wait { for_roots: true, send: true }),
            RootsAccess::Input | RootsAccess::Unavailable(_) => Ok(None),
        }
    }

    pub(crate) fn remember_selection(&mut self, ask: &PendingAsk, project: &Arc<Project>) {
        let Purpose::Select(by) = &ask.purpose else {
            return;
        };
        let list = self.connection.cycle.list.as_ref();
        let entry =
            project.root.as_ref().and_then(|root| list?.entries.iter().find(|entry| entry.sent.index == root.index));
        let given = entry.map_or_else(|| by.text().trim(), |entry| &entry.sent.uri).to_string();
        // The selection is the connection's from now on, and so is what was seen of it.
        if let Some(path) = &project.path
            && let Some(fact) = ask.disk.iter().rev().find_map(|disk| disk.get(path))
        {
            self.connection.disk.insert(path.clone(), fact.clone());
        }
        let memory = &mut self.connection.memory;
        memory.selected = Some(SelectedProject { project: project.clone(), given });
        // The selection stands at its own rank from now on, and may itself become the pin.
        memory.pin = None;
    }

    pub(crate) fn refuse_selection(
        &self,
        ask: &PendingAsk,
        reason: Reason,
        given: &str,
        bad: Option<&Rejection>,
    ) -> Outcome {
        let list = self.listing(ask);
        let path = bad.and_then(|bad| bad.path.as_deref()).unwrap_or(given);
        let pinned = self.connection.memory.pin.as_ref().map_or("", |project| &project.name);
        let values = Values::new()
            .with("value", given)
            .with("path", path)
            .with("name", pinned)
            .with("list", &list)
            .with("source", SourceKind::Selected.name())
            .with("reason", reason.code())
            .with("detail", bad.map_or_else(|| reason.code(), Rejection::detail));
        let texts = Texts(&self.policy);
        let message = texts.refused(SourceKind::Selected.name(), reason, &values);
        let instruction = texts.refused_instruction(reason, &values);
        let status = self.policy.source(SourceKind::Selected).and_then(|source| source.status);
        Outcome::Refused(Refused { code: reason, source: SourceKind::Selected, message, instruction, status })
    }

    fn selected_text(&self, project: &Project) -> String {
        let values = Values::new()
            .with("name", &project.name)
            .with("path", project.path.as_deref().unwrap_or(&project.name))
            .with("uri", project.uri.as_deref().unwrap_or(&project.name));
        Texts(&self.policy).message(&["selected"], &values)
    }
}

enum Kind {
    Name,
    Path,
    Uri,
    Root,
}

fn kind_of(given: &str, view: &EvaluationContext<'_>) -> Kind {
    if is_file_uri(given) || contains(given, "://") {
        Kind::Uri
    } else if given.contains(['/', '\\']) || path::is_absolute(given, view.host.style) {
        Kind::Path
    } else {
        Kind::Name
    }
}

/// The first root of this name: its own, or its folder's.
fn by_name<'l>(list: &'l RootList, name: &str, view: &EvaluationContext<'_>) -> Option<(&'l RootList, &'l RootEntry)> {
    let named = |entry: &&RootEntry| {
        let own = entry.sent.name.as_deref() == Some(name);
        own || entry.path.as_ref().is_ok_and(|path| path::basename(path, view.host.style).as_deref() == Some(name))
    };
    list.entries.iter().find(named).map(|entry| (list, entry))
}

/// Whether a text has a `..` part, plain or percent-encoded.
fn climbs(given: &str) -> bool {
    let dots = replaced(&given.to_ascii_lowercase(), "%2e", '.');
    dots.split(['/', '\\']).any(|part| part == "..")
}
