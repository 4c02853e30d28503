//! Walking the policy's sources: what each says, and what follows.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::RootsState;
use crate::display::display;
use crate::error::Reason;
use crate::event::RequestFacts;
use crate::host::HostFacts;
use crate::machine::connection::Memory;
use crate::map::Map;
use crate::path;
use crate::peer::raw;
use crate::peer::root_list::{RootEntry, RootList, raw_basename, uri_key};
use crate::policy::{
    BadOutcome, EnforceRoots, Format, NameFrom, NonFile, OnUnusable, Pick, Policy, Recheck, Relative, RootMatch,
    Source, SourceKind, Verify,
};
use crate::project::{Project, RootRef};
use crate::resolve::verify::{
    CacheReads, CacheScope, DiskView, ParsedValue, PathVerifier, Rejection, ValueParser, Verified,
};
use crate::uri::{path_to_file_uri, project_id};

/// Everything an evaluation may look at.
pub(crate) struct EvaluationContext<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
    /// The facts of the request; nothing for the connection's own project.
    pub(crate) facts: Option<&'a RequestFacts>,
    pub(crate) target: Option<&'a str>,
    /// What the connection remembers; nothing for a modern ask.
    pub(crate) memory: Option<&'a Memory>,
    pub(crate) roots: RootsAccess<'a>,
    /// The newest list the client gave, also while a newer one is awaited.
    pub(crate) newest: Option<&'a RootList>,
    /// Whether values that can no longer matter are looked at too.
    pub(crate) thorough: bool,
}

/// What an evaluation may know of the client's roots.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RootsAccess<'a> {
    Known(&'a RootList),
    /// An answer is on its way and worth waiting for.
    Wait,
    /// Somebody would have to ask first.
    Send,
    /// The call would have to come back with them.
    Input,
    /// There are none, for this reason.
    Unavailable(RootsState),
}

/// What one source said.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) source: SourceKind,
    pub(crate) via: Option<String>,
    /// What it named, raw.
    pub(crate) value: Option<String>,
    pub(crate) said: SourceResult,
}

#[derive(Clone, Debug)]
pub(crate) enum SourceResult {
    Off,
    Absent,
    /// The client's roots cannot be had.
    Unavailable(RootsState),
    Rejected {
        bad: Rejection,
        ends: bool,
        status: Option<u16>,
    },
    Offers(Arc<Project>),
    WaitDisk,
    WaitRoots,
    NeedSend,
    NeedInput,
}

/// What follows from all the findings.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    Won(Arc<Project>),
    /// The value of the finding at this position ends the ask.
    Refused(usize),
    Unresolved(Reason),
    NeedsInput,
    Waiting {
        for_roots: bool,
        send: bool,
    },
}

/// The findings so far, in the policy's order, and what follows.
pub(crate) struct Evaluation {
    pub(crate) findings: Vec<Finding>,
    pub(crate) decision: Decision,
}

impl Evaluation {
    /// The finding that ends the ask, and what is wrong with its value.
    pub(crate) fn refused(&self, at: usize) -> Option<(&Finding, &Rejection, Option<u16>)> {
        let finding = self.findings.get(at)?;
        match &finding.said {
            SourceResult::Rejected { bad, status, .. } => Some((finding, bad, *status)),
            _ => None,
        }
    }
}

impl EvaluationContext<'_> {
    /// Asks the sources, best first, and stops where nothing more can matter. With `all`, every source is asked.
    pub(crate) fn evaluate(&self, look: &mut DiskView<'_>, all: bool) -> Evaluation {
        let mut findings: Vec<Finding> = Vec::with_capacity(self.policy.sources.len());
        // What follows from the values of the request, which are judged before ranking, and what from the ranking.
        let mut judged: Option<Decision> = None;
        let mut ranked: Option<Decision> = None;
        let mut pinned = self.memory.and_then(|memory| memory.pin.as_ref());
        for source in &self.policy.sources {
            if ranked.is_none()
                && !source.from.is_per_request()
                && let Some(project) = pinned.take()
            {
                ranked = Some(Decision::Won(project.clone()));
            }
            let settled = ranked.as_ref().is_some_and(|ranked| !matches!(ranked, Decision::Waiting { .. }));
            if settled && !all && !self.may_refuse_early(source) {
                continue;
            }
            let finding = self.ask(source, look);
            let at = findings.len();
            let follows = match &finding.said {
                SourceResult::Rejected { ends: true, .. } => Some(Decision::Refused(at)),
                SourceResult::Offers(project) => Some(Decision::Won(project.clone())),
                SourceResult::WaitDisk => Some(Decision::Waiting { for_roots: false, send: false }),
                SourceResult::WaitRoots => Some(Decision::Waiting { for_roots: true, send: false }),
                SourceResult::NeedSend => Some(Decision::Waiting { for_roots: true, send: true }),
                SourceResult::NeedInput => Some(Decision::NeedsInput),
                SourceResult::Off
                | SourceResult::Absent
                | SourceResult::Unavailable(_)
                | SourceResult::Rejected { .. } => None,
            };
            findings.push(finding);
            if self.may_refuse_early(source) {
                match (&judged, &follows) {
                    // Rejection is bad, whatever a better one may turn out to be; of several bad ones the best is named.
                    (None | Some(Decision::Waiting { .. }), Some(Decision::Refused(_)))
                    | (None, Some(Decision::Waiting { .. })) => judged.clone_from(&follows),
                    _ => {}
                }
            }
            if ranked.is_none() {
                ranked = follows;
            }
        }
        let decision = match (judged, ranked) {
            (Some(Decision::Waiting { .. }), Some(waiting @ Decision::Waiting { .. })) => waiting,
            (Some(judged), _) => judged,
            (None, Some(ranked)) => ranked,
            (None, None) => Decision::Unresolved(unresolved_reason(&findings)),
        };
        Evaluation { findings, decision }
    }

    /// Whether a source that ranks below the winner can still end the ask.
    fn may_refuse_early(&self, source: &Source) -> bool {
        let all = source.on_bad.otherwise.is_none() || source.on_bad.otherwise == Some(BadOutcome::Error);
        let some = source.on_bad.reasons.iter().any(|(_, outcome)| *outcome == BadOutcome::Error);
        source.from.is_asked_for() && self.facts.is_some() && (all || some)
    }

    fn ask(&self, source: &Source, look: &mut DiskView<'_>) -> Finding {
        let mut finding = Finding { source: source.from, via: None, value: None, said: SourceResult::Absent };
        if self.is_off(source) {
            finding.said = SourceResult::Off;
            return finding;
        }
        match source.from {
            SourceKind::Roots => self.ask_roots(source, look, &mut finding),
            SourceKind::Selected => self.ask_selected(source, look, &mut finding),
            SourceKind::Remembered => finding.said = self.remembered(),
            _ => self.ask_values(source, look, &mut finding),
        }
        match &finding.said {
            SourceResult::Offers(project) if finding.value.is_none() => {
                finding.value = project.path.clone().or_else(|| Some(project.name.clone()));
            }
            _ => {}
        }
        finding
    }

    fn is_off(&self, source: &Source) -> bool {
        let when = &source.when;
        let needs_memory = matches!(source.from, SourceKind::Selected | SourceKind::Remembered);
        (!when.transports.is_empty() && !when.transports.contains(&self.host.transport))
            || (when.local && !self.host.is_local())
            || when.argument.as_ref().is_some_and(|argument| self.host.arguments.get(argument).is_none())
            || (needs_memory && self.memory.is_none())
    }

    fn ask_selected(&self, source: &Source, look: &mut DiskView<'_>, finding: &mut Finding) {
        let Some(choice) = self.memory.and_then(|memory| memory.selected.as_ref()) else { return };
        finding.value = Some(choice.given.clone());
        let suspended = self.policy.selection.enforce_roots == EnforceRoots::Always
            && self.newest.is_some_and(|list| !self.is_among(&choice.project, &choice.given, list));
        if suspended {
            finding.said = bad_value(source, Rejection::new(Reason::NotInRoots));
            return;
        }
        // A root of a client elsewhere names another disk.
        let elsewhere = choice.project.root.is_some() && !self.host.is_local();
        let judged = match &choice.project.path {
            Some(path) if source.recheck == Recheck::EachAsk && !elsewhere => {
                Some(self.judge(source).judge(path, look))
            }
            _ => None,
        };
        finding.said = match judged {
            None | Some(Verified::Good { .. }) => SourceResult::Offers(choice.project.clone()),
            Some(Verified::Wait) => SourceResult::WaitDisk,
            Some(Verified::Rejected(bad)) => bad_value(source, bad),
        };
    }

    /// Whether a selection is one of the roots; a client without roots enforces nothing.
    pub(crate) fn is_among(&self, project: &Project, given: &str, list: &RootList) -> bool {
        list.entries.is_empty()
            || list.entries.iter().any(|entry| match self.policy.selection.root_match {
                RootMatch::Key => entry.key(self.host).as_deref() == Some(&project.key),
                RootMatch::ExactUri => entry.sent.uri == given,
                RootMatch::Inside => match (&entry.path, &project.path) {
                    (Ok(root), Some(path)) => path::is_inside(root, path, self.host.style),
                    _ => entry.key(self.host).as_deref() == Some(&project.key),
                },
            })
    }

    fn remembered(&self) -> SourceResult {
        let Some(project) = self.memory.and_then(|memory| memory.remembered.as_ref()) else {
            return SourceResult::Absent;
        };
        let mut again = (**project).clone();
        again.via = Some(again.source.name().to_owned());
        again.source = SourceKind::Remembered;
        SourceResult::Offers(Arc::new(again))
    }

    /// Sources that read one value, or several of which the first usable one counts.
    fn ask_values(&self, source: &Source, look: &mut DiskView<'_>, finding: &mut Finding) {
        let most = usize::try_from(self.policy.limits.roots).unwrap_or(usize::MAX);
        let mut found: Option<(Option<String>, String, SourceResult)> = None;
        'values: for (via, text) in self.values(source) {
            let parts: Vec<String> = match source.format {
                Format::List => list_parts(&text, self.host).into_iter().take(most).collect(),
                _ => [text].into(),
            };
            for text in parts {
                let said = self.judge_value(source, via.as_deref(), &text, look);
                // A good one replaces a bad one before it; what waits goes on, so that one probe serves all.
                let list = source.format == Format::List;
                let better = match (&found, &said) {
                    (None, _) => true,
                    (
                        Some((.., SourceResult::Rejected { ends, .. })),
                        SourceResult::Offers(_) | SourceResult::WaitDisk,
                    ) => list || !ends,
                    (
                        Some((.., SourceResult::Rejected { ends: false, .. })),
                        SourceResult::Rejected { ends: true, .. },
                    ) => !list,
                    _ => false,
                };
                let decided = match &said {
                    SourceResult::WaitDisk => false,
                    SourceResult::Rejected { ends, .. } => *ends && !list,
                    _ => true,
                };
                let last = !self.thorough && decided;
                if better {
                    found = Some((via.clone(), text, said));
                }
                if last {
                    break 'values;
                }
            }
        }
        if let Some((via, value, said)) = found {
            finding.via = via;
            finding.value = Some(value);
            finding.said = said;
        }
    }

    /// The texts a source reads, with where each comes from; blank ones are absent.
    fn values(&self, source: &Source) -> Vec<(Option<String>, String)> {
        let facts = self.facts;
        let named = |find: &dyn Fn(&str) -> Option<String>| {
            source.read.iter().filter_map(|name| Some((Some(name.clone()), find(name)?))).collect()
        };
        let mut values: Vec<(Option<String>, String)> = match source.from {
            SourceKind::Host => facts.and_then(|facts| Some((None, facts.host.clone()?))).into_iter().collect(),
            SourceKind::Argument => facts.and_then(|facts| Some((None, facts.argument.clone()?))).into_iter().collect(),
            SourceKind::Header => named(&|name| {
                facts?.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
            }),
            SourceKind::Query => named(&|name| facts?.query.get(name).cloned()),
            SourceKind::Meta => named(&|pointer| raw::string(raw::pointer(facts?.meta.as_ref()?.text(), pointer)?)),
            SourceKind::Configured => named(&|name| match name.strip_prefix('$') {
                Some(variable) => self.host.env.get(variable).cloned(),
                None => self.host.arguments.get(name).cloned(),
            }),
            SourceKind::Env => named(&|name| self.host.env.get(name).cloned()),
            SourceKind::Cwd => self.host.cwd.clone().map(|cwd| (None, cwd)).into_iter().collect(),
            SourceKind::Selected | SourceKind::Roots | SourceKind::Remembered => Vec::new(),
        };
        values.retain(|(_, text)| !text.trim().is_empty());
        values
    }

    fn judge_value(&self, source: &Source, via: Option<&str>, text: &str, look: &mut DiskView<'_>) -> SourceResult {
        let reading = ValueParser {
            host: self.host,
            format: source.format,
            relative: source.relative,
            from_client: source.from.is_per_request() && source.from != SourceKind::Host,
            value_bytes: self.policy.limits.value_bytes,
        };
        let via = via.map(ToOwned::to_owned);
        match reading.read(text) {
            Ok(ParsedValue::Name(name)) => SourceResult::Offers(Arc::new(self.named(source.from, via, &name))),
            Ok(ParsedValue::Path(path)) => {
                let judge = self.judge(source);
                match judge.judge(&path, look) {
                    Verified::Good { path, real_path } => {
                        SourceResult::Offers(Arc::new(self.placed(source.from, via, path, real_path)))
                    }
                    Verified::Wait => SourceResult::WaitDisk,
                    Verified::Rejected(bad) => bad_value(source, bad),
                }
            }
            Err(bad) => bad_value(source, bad),
        }
    }

    fn judge<'s>(&'s self, source: &'s Source) -> PathVerifier<'s> {
        PathVerifier {
            host: self.host,
            places: source.excluded_dirs_rule(),
            verify: source.verify,
            files: None,
            accept_missing: false,
            refine: source.refine.as_ref(),
            reach: self.reach(source),
        }
    }

    fn reach(&self, source: &Source) -> CacheScope {
        if source.from.is_per_request() {
            return CacheScope::default();
        }
        let again = source.recheck == Recheck::EachAsk && self.facts.is_some();
        CacheScope { reads: if again { CacheReads::None } else { CacheReads::All }, serves_shared: true }
    }

    fn ask_roots(&self, source: &Source, look: &mut DiskView<'_>, finding: &mut Finding) {
        let list = match self.roots {
            RootsAccess::Known(list) => list,
            RootsAccess::Wait => return finding.said = SourceResult::WaitRoots,
            RootsAccess::Send => return finding.said = SourceResult::NeedSend,
            RootsAccess::Input => return finding.said = SourceResult::NeedInput,
            RootsAccess::Unavailable(state) => return finding.said = SourceResult::Unavailable(state),
        };
        let rules = &self.policy.roots;
        if list.entries.is_empty() {
            return;
        }
        if rules.pick == Pick::Chosen {
            finding.said = SourceResult::Rejected { bad: Rejection::new(Reason::NotChosen), ends: false, status: None };
            return;
        }
        let about = self.target.and_then(|about| self.containing(about, list));
        if rules.pick == Pick::Only && about.is_none() && self.distinct(list) > 1 {
            let ends = rules.ambiguity == BadOutcome::Error;
            finding.said = SourceResult::Rejected { bad: Rejection::new(Reason::Ambiguous), ends, status: None };
            return;
        }
        let in_order = about.into_iter().chain(&list.entries);
        let mut first_bad = None;
        let mut waits = false;
        for entry in in_order {
            let said = self.judge_root(source, entry, list, look);
            if self.thorough {
                continue;
            }
            match said {
                SourceResult::Rejected { bad, ends, status } => {
                    let stop = ends || !self.goes_on_after(&bad);
                    let is_first = first_bad.is_none();
                    if is_first || ends {
                        finding.value = Some(entry.sent.uri.clone());
                        first_bad = Some(SourceResult::Rejected { bad, ends, status });
                    }
                    if stop {
                        break;
                    }
                }
                // The later ones are looked at too, so that one probe serves all.
                SourceResult::WaitDisk => waits = true,
                said => {
                    if !waits {
                        finding.value = Some(entry.sent.uri.clone());
                        finding.said = said;
                        return;
                    }
                    break;
                }
            }
            if waits && rules.on_unusable != OnUnusable::NextRoot {
                break;
            }
        }
        finding.said = if waits { SourceResult::WaitDisk } else { first_bad.unwrap_or(SourceResult::Absent) };
    }

    fn goes_on_after(&self, bad: &Rejection) -> bool {
        match bad.reason {
            Reason::NotFileUri => self.policy.roots.non_file == NonFile::Skip,
            _ => matches!(self.policy.roots.on_unusable, OnUnusable::NextRoot | OnUnusable::Accept),
        }
    }

    fn judge_root(&self, source: &Source, entry: &RootEntry, list: &RootList, look: &mut DiskView<'_>) -> SourceResult {
        let rules = &self.policy.roots;
        let end = |bad: Rejection, ends: bool| SourceResult::Rejected { bad, ends, status: source.status };
        let path = match &entry.path {
            Ok(path) => path,
            Err(bad) if bad.reason == Reason::NotFileUri => {
                return match rules.non_file {
                    NonFile::NameOnly => SourceResult::Offers(Arc::new(self.rooted(entry, list, None, None))),
                    NonFile::Error => end(bad.clone(), true),
                    NonFile::Skip | NonFile::NextSource => end(bad.clone(), false),
                };
            }
            Err(bad) => return end(bad.clone(), rules.on_unusable == OnUnusable::Error),
        };
        let local = self.host.is_local();
        let judge = PathVerifier {
            // The disk of a client elsewhere is not this one.
            verify: if local { source.verify } else { Verify::None },
            refine: if local { source.refine.as_ref() } else { None },
            files: Some(rules.files),
            accept_missing: rules.on_unusable == OnUnusable::Accept,
            ..self.judge(source)
        };
        match judge.judge(path, look) {
            Verified::Good { path, real_path } => {
                SourceResult::Offers(Arc::new(self.rooted(entry, list, Some(path), real_path)))
            }
            Verified::Wait => SourceResult::WaitDisk,
            Verified::Rejected(bad) => end(bad, rules.on_unusable == OnUnusable::Error),
        }
    }

    /// The deepest root that contains a path.
    fn containing<'l>(&self, about: &str, list: &'l RootList) -> Option<&'l RootEntry> {
        let reading = ValueParser {
            host: self.host,
            format: Format::PathOrUri,
            relative: Relative::Refuse,
            from_client: true,
            value_bytes: self.policy.limits.value_bytes,
        };
        let Ok(ParsedValue::Path(about)) = reading.read(about) else {
            return None;
        };
        let contains =
            |entry: &&RootEntry| entry.path.as_ref().is_ok_and(|root| path::is_inside(root, &about, self.host.style));
        let depth = |entry: &&RootEntry| entry.path.as_ref().map_or(0, String::len);
        // Of equally deep ones the first counts; `max_by_key` alone would take the last.
        list.entries.iter().rev().filter(contains).max_by_key(depth)
    }

    fn distinct(&self, list: &RootList) -> usize {
        let key = |entry: &RootEntry| entry.key(self.host).unwrap_or_else(|| uri_key(&entry.sent.uri));
        let keys = Map::of(list.entries.iter().map(|entry| (key(entry), 0_usize)).collect());
        keys.iter().count()
    }

    /// A project that is a folder.
    pub(crate) fn placed(
        &self,
        source: SourceKind,
        via: Option<String>,
        path: String,
        real_path: Option<String>,
    ) -> Project {
        let style = self.host.style;
        let key = path::key(&path, style).unwrap_or_else(|_| path.clone());
        let name = path::basename(&path, style).unwrap_or_else(|| path.clone());
        Project {
            id: project_id(&key),
            display_name: self.shown_name(&name),
            uri: path_to_file_uri(&path, style),
            key,
            name,
            path: Some(path),
            real_path,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
        }
    }

    /// A project that is a name.
    pub(crate) fn named(&self, source: SourceKind, via: Option<String>, name: &str) -> Project {
        let mut key = String::from("name:");
        key.push_str(name);
        Project {
            id: project_id(&key),
            display_name: self.shown_name(name),
            key,
            name: name.to_owned(),
            path: None,
            uri: None,
            real_path: None,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
        }
    }

    /// A project that is one of the roots.
    pub(crate) fn rooted(
        &self,
        entry: &RootEntry,
        list: &RootList,
        path: Option<String>,
        real_path: Option<String>,
    ) -> Project {
        let limits = &self.policy.limits;
        let as_sent = path == entry.path.as_ref().ok().cloned();
        let mut project = match path {
            Some(path) => self.placed(SourceKind::Roots, None, path, real_path),
            None => {
                let uri = &entry.sent.uri;
                let name = raw_basename(uri).unwrap_or_else(|| uri.clone());
                let key = uri_key(uri);
                Project {
                    id: project_id(&key),
                    key,
                    uri: Some(uri.clone()),
                    ..self.named(SourceKind::Roots, None, &name)
                }
            }
        };
        let name = match self.policy.name_from {
            NameFrom::Basename => None,
            NameFrom::RawBasename => raw_basename(&entry.sent.uri).filter(|_| as_sent),
            NameFrom::RootName => entry.sent.name.clone().filter(|name| !name.trim().is_empty()),
        };
        if let Some(name) = name {
            project.display_name = self.shown_name(&name);
            project.name = name;
        }
        let others = list.entries.iter().filter(|other| other.sent.index != entry.sent.index);
        project.other_roots = others.map(|other| other.reference(limits)).collect::<Vec<RootRef>>();
        project.root = Some(entry.reference(limits));
        project
    }

    fn shown_name(&self, name: &str) -> String {
        display(name, usize::try_from(self.policy.limits.name_chars).unwrap_or(usize::MAX))
    }
}

fn bad_value(source: &Source, bad: Rejection) -> SourceResult {
    let ends = source.on_bad(bad.reason) == BadOutcome::Error;
    SourceResult::Rejected { bad, ends, status: source.status }
}

/// The readings of a list: the whole text, then its parts.
fn list_parts(text: &str, host: &HostFacts) -> Vec<String> {
    if text.trim_start().starts_with('[')
        && let Some(elements) = raw::array(text)
    {
        return elements.into_iter().filter_map(raw::string).filter(|part| !part.trim().is_empty()).collect();
    }
    let separators: &[char] = match host.style {
        path::PathStyle::Posix => &[','],
        path::PathStyle::Windows => &[',', ';'],
    };
    let mut parts: Vec<String> = [text.trim().to_string()].into();
    if text.contains(separators) {
        parts.extend(text.split(separators).map(|part| part.trim().to_string()).filter(|part| !part.is_empty()));
    }
    parts
}

fn unresolved_reason(findings: &[Finding]) -> Reason {
    let reason = |wanted: Reason| {
        findings
            .iter()
            .any(|finding| matches!(&finding.said, SourceResult::Rejected { bad, .. } if bad.reason == wanted))
    };
    if reason(Reason::Ambiguous) {
        Reason::Ambiguous
    } else if reason(Reason::NotChosen) {
        Reason::NotChosen
    } else {
        Reason::NoProject
    }
}
