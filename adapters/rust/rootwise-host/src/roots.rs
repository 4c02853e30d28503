//! The client's roots as an allow-list: every entry verified, and paths checked against all of them on disk.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rootwise::action::{Answer, RootsState};
use rootwise::event::{AskBy, Asked, ClientInitialized, Event, RootsListed};
use rootwise::policy::{RootsRules, Source, SourceKind};
use rootwise::project::RootView;
use rootwise::{HostFacts, Outcome, Policy, PolicyConfig, Reason, Resolver};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::settle::settle;

/// One of the client's roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootEntry {
    /// The root itself.
    #[serde(flatten)]
    pub view: RootView,
    /// Whether the folder exists on this machine; absent where the disk was not examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// The folder's real path, without links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// A finer code for the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The client's roots, usable or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Roots {
    /// The roots, in the client's order.
    pub roots: Vec<RootEntry>,
    /// How current they are.
    pub state: RootsState,
}

impl Roots {
    /// The roots and how current they are.
    #[must_use]
    pub const fn new(roots: Vec<RootEntry>, state: RootsState) -> Self {
        Self { roots, state }
    }

    /// The real paths of the roots that can be used on this machine.
    ///
    /// # Errors
    /// There are none; the text says why.
    pub fn usable_folders(&self) -> Result<Vec<PathBuf>, PathRefusal> {
        let usable =
            |entry: &RootEntry| entry.real_path.as_ref().filter(|_| entry.view.problem.is_none()).map(PathBuf::from);
        let folders: Vec<PathBuf> = self.roots.iter().filter_map(usable).collect();
        if folders.is_empty() { Err(PathRefusal::new("no_roots", self.unusable())) } else { Ok(folders) }
    }

    fn unusable(&self) -> String {
        if self.roots.is_empty() {
            let state = serde_json::to_value(self.state).unwrap_or_default();
            return format!("The client has no roots that this server knows ({}).", state.as_str().unwrap_or_default());
        }
        let problem = |entry: &RootEntry| {
            let problem = entry.view.problem.filter(|problem| *problem != Reason::OtherMachine);
            let problem = problem.map_or("on the client's machine", Reason::code);
            format!("{} ({problem})", entry.view.root.uri)
        };
        let problems: Vec<String> = self.roots.iter().map(problem).collect();
        format!("None of the client's roots can be used on this machine: {}.", problems.join(", "))
    }
}

/// Has a resolver judge each root alone, with the policy's own rules, against the disk where these rules allow it. Blocks
/// while it examines the disk.
#[must_use]
pub fn verify_roots(views: &[RootView], policy: &Policy, host: &Arc<HostFacts>) -> Vec<RootEntry> {
    let alone = judge_of(policy).map(Arc::new);
    let verified = |view: RootView| {
        let untouched = RootEntry { view, exists: None, real_path: None, detail: None };
        match (&alone, untouched.view.problem) {
            (Some(alone), None) => verified(untouched, alone, host),
            _ => untouched,
        }
    };
    views.iter().cloned().map(verified).collect()
}

/// The rules for reading one root; those for choosing between several, or between sources, do not apply.
fn judge_of(policy: &Policy) -> Option<Policy> {
    let mut source = Source::new(SourceKind::Roots);
    source.verify = rootwise::policy::Verify::Directory;
    source.excluded_dirs =
        policy.sources.iter().find(|of| of.from == SourceKind::Roots).and_then(|of| of.excluded_dirs);
    let mut config = PolicyConfig::new(policy.name.clone(), [source]);
    let mut rules = RootsRules::default();
    rules.bare_paths = policy.roots.bare_paths;
    rules.files = policy.roots.files;
    rules.non_file = policy.roots.non_file;
    config.roots = rules;
    config.limits = policy.limits.clone();
    config.require_path = policy.require_path;
    Policy::try_from(config).ok()
}

fn verified(entry: RootEntry, policy: &Arc<Policy>, host: &Arc<HostFacts>) -> RootEntry {
    let Some(answer) = judged(&entry.view, policy, host) else { return entry };
    match answer.outcome {
        Outcome::Resolved { project } => {
            let exists = project.real_path.is_some().then_some(true);
            let mut entry = RootEntry { exists, real_path: project.real_path.clone(), ..entry };
            entry.view.root.path = project.path.clone().or(entry.view.root.path);
            entry
        }
        outcome => {
            let mut tried = answer.explanation.iter().flat_map(|explanation| &explanation.tried);
            let fault = tried.find(|tried| tried.source == SourceKind::Roots && tried.reason.is_some());
            let code = match outcome {
                Outcome::Refused(refused) => Some(refused.code),
                Outcome::Unresolved(unresolved) => Some(unresolved.code),
                _ => None,
            };
            let problem = fault.and_then(|fault| fault.reason).or(code).unwrap_or(Reason::Invalid);
            let exists = (problem == Reason::Missing).then_some(false);
            let mut entry = RootEntry { exists, detail: fault.and_then(|fault| fault.detail.clone()), ..entry };
            entry.view.problem = Some(problem);
            entry
        }
    }
}

fn judged(view: &RootView, policy: &Arc<Policy>, host: &Arc<HostFacts>) -> Option<Answer> {
    let raw = |value: serde_json::Value| RawValue::from_string(value.to_string()).ok();
    let mut resolver = Resolver::new(policy.clone(), host.clone()).ok()?;
    let capabilities = raw(serde_json::json!({ "roots": {} }));
    let result = raw(serde_json::json!({ "roots": [{ "uri": view.root.uri }] }))?;
    settle(&mut resolver, ClientInitialized { capabilities, ..Default::default() }).ok()?;
    settle(&mut resolver, Event::ClientReady).ok()?;
    settle(&mut resolver, RootsListed { request: None, result }).ok()?;
    settle(&mut resolver, Asked { ask_by: Some(AskBy::None), explain: true, ..Asked::new(1) }).ok()?
}

/// A path that may not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PathRefusal {
    /// The stable code: `invalid`, `relative`, `outside`, `unreadable` or `no_roots`.
    pub code: &'static str,
    /// What happened.
    pub message: String,
}

impl PathRefusal {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
/// path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
///
/// Folders that do not exist allow nothing. A relative path starts from `base`. Blocks while it examines the disk.
///
/// # Errors
/// The path is outside every folder, or cannot be examined.
pub fn resolve_inside<P: AsRef<Path>>(folders: &[P], path: &str, base: Option<&Path>) -> Result<PathBuf, PathRefusal> {
    if path.is_empty() || path.contains('\0') {
        return Err(PathRefusal::new("invalid", "The path is empty or contains a null character."));
    }
    let path = Path::new(path);
    let wanted = match base {
        _ if path.is_absolute() => path.to_owned(),
        Some(base) => base.join(path),
        None => return Err(PathRefusal::new("relative", "The path is relative; pass an absolute path.")),
    };
    let real = real_of(&normal(&wanted))?;
    let is_inside = |folder: &P| folder.as_ref().canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if folders.iter().any(is_inside) {
        return Ok(real);
    }
    let names: Vec<String> = folders.iter().map(|folder| folder.as_ref().display().to_string()).collect();
    Err(PathRefusal::new(
        "outside",
        match names.as_slice() {
            [] => "The path is outside the allowed folders: none is allowed.".into(),
            names => format!("The path is outside the allowed folders, which are {}.", names.join(", ")),
        },
    ))
}

/// The path without `.` and `..`, by spelling.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The real path of a file that may not exist yet: links are followed as far as the path exists.
fn real_of(path: &Path) -> Result<PathBuf, PathRefusal> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(real) => return Ok(missing.into_iter().rev().fold(real, |folder, name| folder.join(name))),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let text = format!("The path cannot be examined ({}).", error.kind());
                return Err(PathRefusal::new("unreadable", text));
            }
            Err(_) => {}
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
            return Err(PathRefusal::new("outside", "The path contains a link that leads nowhere."));
        };
        // A link that leads nowhere could lead anywhere by the time it is used.
        if existing.is_symlink() {
            return Err(PathRefusal::new("outside", "The path contains a link that leads nowhere."));
        }
        missing.push(name.to_owned());
        existing = parent;
    }
}
