//! Selections: the project a tool may select, and the roots it must match.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use super::ask::{AskContext, AskDecision, Step, needs_input};
use super::disk::{CacheReads, CacheScope, DiskView};
use super::evaluate::{RootsAccess, SourceResult, rechecks};
use super::value::{ParsedValue, ValueParser, looks_like_path};
use super::verify::{PathVerifier, Refine, Verified};
use crate::api::action::{Outcome, Refused};
use crate::api::event::SelectBy;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::api::to_json;
use crate::path::PathStyle;
use crate::path::display::display;
use crate::path::rejection::Rejection;
use crate::path::uri::{is_file_uri, looks_like_uri};
use crate::peer::root_list::{FoundRoot, RootEntry, RootList};
use crate::policy::{
    EnforceRoots, ExcludedDirsRule, Format, Links, NameRule, Names, Relative, Source, SourceKind, Templates, Traversal,
    Values, Verify, exceeds, fill, to_usize,
};
use crate::texts::advice::{PASS_HANDLE, PASS_HANDLE_TOO};

/// The progress of a selection.
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
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}

impl<'a> AskContext<'a> {
    pub(super) fn decide_selection(&self, by: &SelectBy) -> AskDecision {
        let mut disk = self.disk_view();
        let given = by.text();
        let step = if self.ask.alone {
            self.select_for_each_call(by, &mut disk)
        } else if self.connection.shared {
            Step::End(self.refuse_selection(Reason::SeveralClients, given, None))
        } else if self.connection.memory.is_immutable(self.policy) {
            Step::End(self.refuse_selection(Reason::Immutable, given, None))
        } else if !self.evaluation_context().lets_select() {
            Step::End(self.refuse_selection(Reason::SelectionOff, given, None))
        } else {
            match self.select(by, &mut disk) {
                SelectionStep::Made(mut project) => {
                    project.stale = self.evaluation_context().rests_on_stale(&disk);
                    self.selected(project, &mut disk)
                }
                SelectionStep::Refused(rejection) => {
                    Step::End(self.refuse_selection(rejection.reason, given, Some(&rejection)))
                }
                SelectionStep::NeedsDisk => Step::Wait { for_roots: false, send: false },
                SelectionStep::NeedsRoots(step) => step,
            }
        };
        self.decision(step, None, disk)
    }

    /// Confirms a selection that is kept. Where another process would not know it, the caller is told how to name the project too.
    fn selected(&self, project: Box<Project>, disk: &mut DiskView<'_>) -> Step {
        let message = self.selected_text(&project);
        let argument = self.argument_source().filter(|_| self.ask.is_kept_here);
        match argument.map(|argument| self.handle(&project, argument, disk)) {
            Some(Ok(Ok(handle))) => self.selected_with(project, handle, &message, PASS_HANDLE_TOO),
            Some(Ok(Err(_))) => Step::Wait { for_roots: false, send: false },
            // It counts all the same.
            _ => Step::End(Outcome::Selected { project: project.into(), message }),
        }
    }

    fn selected_with(&self, project: Box<Project>, handle: String, done: &str, how: &str) -> Step {
        let argument = self.host.tool_argument.as_deref().unwrap_or_default();
        let argument = display(argument, to_usize(self.policy.config.limits.name_chars));
        let how = fill(how, &[("argument", &argument), ("handle", &to_json(&handle))]);
        let message = [done.trim_end_matches('.'), &how].join(". ");
        let project = Arc::new(Project { handle: Some(handle), ..*project });
        Step::End(Outcome::Selected { project, message })
    }

    /// Selects for a caller whose selection is kept nowhere: it is told how to name the project in each call.
    fn select_for_each_call(&self, by: &SelectBy, disk: &mut DiskView<'_>) -> Step {
        let given = by.text();
        let Some(argument) = self.argument_source().filter(|_| self.policy.source(SourceKind::Selected).is_some())
        else {
            return Step::End(self.refuse_selection(Reason::PassEachCall, given, None));
        };
        let refused =
            |rejection: Rejection| Step::End(self.refuse_selection(rejection.reason, given, Some(&rejection)));
        let project = match self.select(by, disk) {
            SelectionStep::Made(project) => project,
            SelectionStep::Refused(rejection) => return refused(rejection),
            SelectionStep::NeedsDisk => return Step::Wait { for_roots: false, send: false },
            SelectionStep::NeedsRoots(step) => return step,
        };
        match self.handle(&project, argument, disk) {
            Ok(Ok(handle)) => {
                let done = self.selected_text(&project);
                self.selected_with(project, handle, &done, PASS_HANDLE)
            }
            Ok(Err(SourceResult::NeedInput)) => Step::End(needs_input()),
            Ok(Err(_)) => Step::Wait { for_roots: false, send: false },
            Err(rejection) => refused(rejection),
        }
    }

    fn select(&self, by: &SelectBy, disk: &mut DiskView<'_>) -> SelectionStep {
        let given = by.text().trim();
        if given.is_empty() {
            return Rejection::new(Reason::Empty).into();
        }
        let kind = match by {
            SelectBy::Value(_) => Kind::of(given, self.host.style),
            SelectBy::Name(_) => Kind::Name,
            SelectBy::Path(_) => Kind::Path,
            SelectBy::Uri(_) => Kind::Uri,
            SelectBy::Root(_) => Kind::Root,
        };
        let selected = match kind {
            Kind::Name => self.select_name(given, disk),
            Kind::Root => self.select_root(given, disk),
            Kind::Uri if !is_file_uri(given) => Rejection::new(Reason::NotFileUri).into(),
            Kind::Path | Kind::Uri => self.select_path(given, disk),
        };
        let selected = match selected {
            SelectionStep::Made(project) => match self.factory().require_path(*project) {
                Ok(project) => SelectionStep::made(project),
                Err(rejection) => rejection.into(),
            },
            other => other,
        };
        let selected = match selected {
            SelectionStep::Made(project) => self.check_selection_within(project, disk),
            other => other,
        };
        match selected {
            // A project picked from the list is one of the roots, however it was named.
            SelectionStep::Made(project)
                if self.policy.config.selection.enforce_roots != EnforceRoots::Off && project.root.is_none() =>
            {
                self.enforce_roots(project, given, disk)
            }
            other => other,
        }
    }

    /// Checks that a tool may select the folder at all.
    fn check_selection_within(&self, project: Box<Project>, disk: &mut DiskView<'_>) -> SelectionStep {
        let Some(source) = self.policy.source(SourceKind::Selected) else { return SelectionStep::Made(project) };
        match self.evaluation_context().check_within(source, &project, disk) {
            Ok(None) => SelectionStep::Made(project),
            Ok(Some(SourceResult::NeedSend)) => SelectionStep::NeedsRoots(Step::Wait { for_roots: true, send: true }),
            Ok(Some(SourceResult::WaitRoots)) => SelectionStep::NeedsRoots(Step::Wait { for_roots: true, send: false }),
            Ok(Some(SourceResult::NeedInput)) => SelectionStep::NeedsRoots(Step::End(needs_input())),
            Ok(Some(_)) => SelectionStep::NeedsDisk,
            Err(rejection) => rejection.into(),
        }
    }

    fn select_name(&self, name: &str, disk: &mut DiskView<'_>) -> SelectionStep {
        let rules = &self.policy.config.selection;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if exceeds(name.len(), self.policy.config.limits.name_bytes) {
            return Rejection::new(Reason::TooLong).into();
        }
        if rules.name_rule == NameRule::Word && !name.chars().all(is_word) {
            return Rejection::new(Reason::InvalidName).into();
        }
        let enforced = rules.enforce_roots != EnforceRoots::Off;
        let list = match rules.names {
            Names::Roots => return self.select_root(name, disk),
            // Any name will do, so nobody is asked; but a name that must be one of the roots is compared with all of them.
            Names::Any if !enforced => self.visible_roots(),
            Names::Any => match self.roots_for_selection() {
                Ok(list) => list,
                Err(step) => return SelectionStep::NeedsRoots(step),
            },
        };
        if list.is_some() {
            disk.use_roots();
        }
        match list.map(|list| (list, list.named(name, self.host))) {
            Some((list, named)) if !named.is_empty() => self.selected_name(name, &named, list, disk),
            _ if enforced && list.is_some_and(|list| !list.entries.is_empty()) => {
                Rejection::new(Reason::NotInRoots).into()
            }
            _ => {
                let project = Project::from_name(name, SourceKind::Selected, None, self.factory());
                SelectionStep::made(match list {
                    Some(list) => project.with_roots(list),
                    None => project,
                })
            }
        }
    }

    fn select_root(&self, given: &str, disk: &mut DiskView<'_>) -> SelectionStep {
        let list = match self.roots_for_selection() {
            Ok(Some(list)) => list,
            Ok(None) => return Rejection::new(Reason::NotInRoots).into(),
            Err(step) => return SelectionStep::NeedsRoots(step),
        };
        disk.use_roots();
        match list.find(given, self.host) {
            FoundRoot::One(entry) => self.selected_root(entry, list, disk),
            FoundRoot::Named(named) => self.selected_name(given, &named, list, disk),
            FoundRoot::None => Rejection::new(Reason::NotInRoots).into(),
        }
    }

    /// Selects the one root with this name.
    fn selected_name(
        &self,
        name: &str,
        named: &[&RootEntry],
        list: &RootList,
        disk: &mut DiskView<'_>,
    ) -> SelectionStep {
        let [entry] = named else { return Rejection::new(Reason::Ambiguous).into() };
        match self.selected_root(entry, list, disk) {
            SelectionStep::Made(project) => SelectionStep::made(project.called(name, entry)),
            other => other,
        }
    }

    fn selected_root(&self, entry: &RootEntry, list: &RootList, disk: &mut DiskView<'_>) -> SelectionStep {
        let factory = self.factory();
        let made = |folder| {
            let project = Project::from_root(entry, list, folder, factory);
            SelectionStep::made(Project { source: SourceKind::Selected, ..project })
        };
        match &entry.path {
            Ok(path) => match self.root_verifier().for_client().verify(path, disk) {
                Verified::Accepted(folder) => made(Some(folder)),
                Verified::Rejected(rejection) => rejection.into(),
                Verified::Wait => SelectionStep::NeedsDisk,
            },
            Err(_) if entry.is_identity(self.policy) => made(None),
            Err(rejection) => rejection.clone().into(),
        }
    }

    fn select_path(&self, given: &str, disk: &mut DiskView<'_>) -> SelectionStep {
        let source = self.policy.source(SourceKind::Selected);
        let parser = ValueParser {
            host: self.host,
            format: Format::PathOrUri,
            relative: source.map_or(Relative::Refuse, |source| source.relative),
            from_client: true,
            value_bytes: self.policy.config.limits.value_bytes,
        };
        let path = match parser.parse(given) {
            Ok(ParsedValue::Path(path) | ParsedValue::Name(path)) => path,
            Err(rejection) => return rejection.into(),
        };
        if self.policy.config.selection.traversal == Traversal::Refuse && has_parent_step(given) {
            return Rejection::new(Reason::Traversal).into();
        }
        match self.selection_verifier().for_client().verify(&path, disk) {
            Verified::Accepted(folder) => {
                let factory = self.factory();
                let spelling = factory.spelling(given, &path, self.visible_roots());
                SelectionStep::made(Project::from_path(folder, spelling, SourceKind::Selected, None, factory))
            }
            Verified::Rejected(rejection) => rejection.into(),
            Verified::Wait => SelectionStep::NeedsDisk,
        }
    }

    fn selection_verifier(&self) -> PathVerifier<'a> {
        let at = self.policy.config.sources.iter().position(|source| source.from == SourceKind::Selected);
        let source = at.and_then(|at| self.policy.config.sources.get(at));
        let again = source.is_some_and(|source| rechecks(source, self.host));
        let names = at.and_then(|at| self.policy.marker_names(at));
        PathVerifier {
            host: self.host,
            excluded_dirs: source.map_or(ExcludedDirsRule::Allow, Source::excluded_dirs_rule),
            links: source.map_or(Links::Keep, |source| source.links),
            verify: source.map_or(Verify::None, |source| source.verify),
            files: None,
            accept_missing: false,
            refine: source.and_then(|source| source.refine.as_ref()).zip(names).map(Refine::from),
            markers: source.and_then(|source| self.evaluation_context().wanted_markers(source)),
            scope: CacheScope { reads: if again { CacheReads::None } else { CacheReads::Folders }, keeps: again },
            on_client_machine: false,
            repository: self.policy.repository_rules(),
            finds_repository: true,
        }
    }

    /// A file as a root means the same as where the policy picks the root.
    fn root_verifier(&self) -> PathVerifier<'a> {
        PathVerifier { files: Some(self.policy.config.roots.files), ..self.selection_verifier() }
    }

    fn enforce_roots(&self, project: Box<Project>, given: &str, disk: &mut DiskView<'_>) -> SelectionStep {
        match self.roots_for_selection() {
            Err(step) => SelectionStep::NeedsRoots(step),
            Ok(None) => SelectionStep::Made(project),
            Ok(Some(list)) => {
                disk.use_roots();
                match self.evaluation_context().is_among(&project, given, list) {
                    true => SelectionStep::Made(project),
                    false => Rejection::new(Reason::NotInRoots).into(),
                }
            }
        }
    }

    /// The list to compare with, if there is one; or the step that must come first.
    fn roots_for_selection(&self) -> Result<Option<&'a RootList>, Step> {
        match self.ask.roots {
            RootsAccess::Known(list) => Ok(Some(list)),
            RootsAccess::Wait => Err(Step::Wait { for_roots: true, send: false }),
            RootsAccess::Send => Err(Step::Wait { for_roots: true, send: true }),
            RootsAccess::Input => Err(Step::End(needs_input())),
            RootsAccess::Unavailable(_) => Ok(None),
        }
    }

    pub(super) fn refuse_selection(&self, reason: Reason, given: &str, rejection: Option<&Rejection>) -> Outcome {
        let (list, folders) = self.listings(reason, given);
        let path = rejection.and_then(|rejection| rejection.path.as_deref()).unwrap_or(given);
        let pinned = self.connection.memory.pin.as_ref().map_or("", |project| &project.name);
        let source = SourceKind::Selected;
        let advice = self.refusal_advice(reason);
        let values = Values::new()
            .with("advice", &advice)
            .with("value", given)
            .with("path", path)
            .with("name", pinned)
            .with("list", &list)
            .with("folders", &folders)
            .with("source", source.name())
            .with("reason", reason.code())
            .with("detail", rejection.map_or_else(|| reason.code(), Rejection::detail));
        let templates = Templates(self.policy);
        Outcome::Refused(Refused {
            code: reason,
            source,
            message: templates.refused(source.name(), reason, &values),
            instruction: templates.refused_instruction(reason, &values),
            status: self.policy.source(source).and_then(|source| source.status),
        })
    }

    fn selected_text(&self, project: &Project) -> String {
        let values = Values::new()
            .with("name", &project.display_name)
            .with("path", project.folder().unwrap_or(&project.name))
            .with("uri", project.uri.as_deref().unwrap_or(&project.name));
        let templates = Templates(self.policy);
        // A tool that switches the project shows this text and nothing else.
        let own = templates.own(&["selected"], &values).filter(|text| !text.trim().is_empty());
        own.unwrap_or_else(|| templates.standard(&["selected"], &values))
    }

    /// The text by which a selection is compared with the roots later: the URI of the root, else the given text.
    pub(crate) fn selection_text(&self, by: &SelectBy, project: &Project) -> String {
        let list = self.visible_roots();
        let entry =
            project.root.as_ref().and_then(|root| list?.entries.iter().find(|entry| entry.sent.index == root.index));
        entry.map_or_else(|| by.text().trim(), |entry| &entry.sent.uri).to_string()
    }
}

enum Kind {
    Name,
    Path,
    Uri,
    Root,
}

impl Kind {
    fn of(given: &str, style: PathStyle) -> Self {
        if looks_like_uri(given) {
            Self::Uri
        } else if looks_like_path(given, style) {
            Self::Path
        } else {
            Self::Name
        }
    }
}

/// Whether a text has a `..` part, plain or percent-encoded.
fn has_parent_step(given: &str) -> bool {
    let dots = given.to_ascii_lowercase().replace("%2e", ".");
    dots.split(['/', '\\']).any(|part| part == "..")
}
