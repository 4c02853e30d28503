//! Projects, made from a folder, a name or a root.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::verify::Folder;
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path;
use crate::path::display::display;
use crate::path::map::{Spelling, client_path};
use crate::path::name::slug_with_id;
use crate::path::rejection::Rejection;
use crate::path::uri::{path_to_file_uri, project_id};
use crate::peer::root_list::{RootEntry, RootList, raw_basename, uri_key};
use crate::policy::{NameFrom, Policy, SourceKind, to_usize};

/// The policy and host facts a project is made with.
#[derive(Clone, Copy)]
pub(crate) struct ProjectFactory<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
}

impl Project {
    /// The source that named it first: a remembered project says in `via` what that was.
    pub(crate) fn origin(&self) -> SourceKind {
        let first = self.via.as_deref().filter(|_| self.source == SourceKind::Remembered);
        first.and_then(|via| SourceKind::ALL.into_iter().find(|kind| kind.name() == via)).unwrap_or(self.source)
    }

    /// The folder, on whichever machine it is.
    pub(crate) fn folder(&self) -> Option<&String> {
        self.path.as_ref().or(self.client_path.as_ref())
    }

    pub(crate) fn from_path(
        folder: Folder,
        spelling: Spelling<'_>,
        source: SourceKind,
        via: Option<String>,
        factory: ProjectFactory<'_>,
    ) -> Self {
        let Folder { path, real_path, on_client_machine, repository } = folder;
        let style = if on_client_machine { factory.host.client_style(&path) } else { factory.host.style };
        let name = path::basename(&path, style).unwrap_or_else(|| path.clone());
        let uri = path_to_file_uri(&path, style);
        let (path, client_path) = if on_client_machine {
            (None, Some(path))
        } else {
            let there = client_path(&path, spelling, factory.host);
            (Some(path), there)
        };
        Self {
            // These follow from the identity.
            slug: String::new(),
            id: String::new(),
            key: String::new(),
            display_name: factory.shown_name(&name),
            name,
            path,
            client_path,
            style: Some(style),
            uri,
            real_path,
            repository,
            package: None,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
            other_roots_omitted: 0,
            handle: None,
            stale: false,
        }
        .identified(factory.policy.config.identity)
    }

    pub(crate) fn from_name(name: &str, source: SourceKind, via: Option<String>, factory: ProjectFactory<'_>) -> Self {
        let mut key = String::from("name:");
        key.push_str(name);
        let id = project_id(&key);
        Self {
            slug: slug_with_id(name, &id),
            id,
            display_name: factory.shown_name(name),
            key,
            name: name.to_owned(),
            path: None,
            client_path: None,
            style: None,
            uri: None,
            real_path: None,
            repository: None,
            package: None,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
            other_roots_omitted: 0,
            handle: None,
            stale: false,
        }
    }

    /// The project of a root; without a folder the root is not a `file:` URI and counts by its name alone.
    pub(crate) fn from_root(
        entry: &RootEntry,
        list: &RootList,
        folder: Option<Folder>,
        factory: ProjectFactory<'_>,
    ) -> Self {
        let mut project = match folder {
            Some(folder) => {
                let spelling = Spelling::of(&entry.sent.uri, factory.host);
                Self::from_path(folder, spelling, SourceKind::Roots, None, factory)
            }
            None => {
                let uri = &entry.sent.uri;
                let name = raw_basename(uri).unwrap_or_else(|| uri.clone());
                let key = uri_key(uri);
                let id = project_id(&key);
                Self {
                    slug: slug_with_id(&name, &id),
                    id,
                    key,
                    uri: Some(uri.clone()),
                    ..Self::from_name(&name, SourceKind::Roots, None, factory)
                }
            }
        };
        let name = match factory.policy.config.name_from {
            NameFrom::Basename => None,
            NameFrom::RootName => entry.sent.name.clone().filter(|name| !name.trim().is_empty()),
        };
        if let Some(name) = name {
            project.display_name = factory.shown_name(&name);
            project.name = name;
            project = project.identified(factory.policy.config.identity);
        }
        let (others, omitted) = list.first(Some(entry));
        project.other_roots = others.into_iter().map(|other| other.reference.clone()).collect();
        project.other_roots_omitted = omitted;
        project.root = Some(entry.reference.clone());
        project
    }
}

impl Project {
    /// A project that is a mere name, with the roots of its client: that is where the client works.
    pub(crate) fn with_roots(self, list: &RootList) -> Self {
        let (roots, omitted) = list.first(None);
        let other_roots = roots.into_iter().map(|entry| entry.reference.clone()).collect();
        Self { other_roots, other_roots_omitted: omitted, ..self }
    }

    /// The project of a root as the caller calls it. The name in `name` and `slug` stays, because data may be kept under it.
    pub(crate) fn called(self, name: &str, entry: &RootEntry) -> Self {
        match &entry.reference.name {
            Some(own) if entry.is_called(name) => Self { display_name: own.clone(), ..self },
            _ => self,
        }
    }
}

impl<'a> ProjectFactory<'a> {
    /// What a text of a model shows of how its client spells folders. A model may have read a spelling of this machine, so that
    /// the deepest root around the path tells more.
    pub(crate) fn spelling(&self, text: &str, path: &str, list: Option<&RootList>) -> Spelling<'a> {
        let shown = Spelling::of(text, self.host);
        if shown != Spelling::AsHere {
            return shown;
        }
        let root =
            |entry: &&RootEntry| entry.path.as_ref().is_ok_and(|root| path::is_inside(root, path, self.host.style));
        let depth = |entry: &&RootEntry| entry.path.as_ref().map_or(0, String::len);
        let around = list.into_iter().flat_map(|list| list.entries.iter().rev()).filter(root).max_by_key(depth);
        around.map_or(shown, |entry| Spelling::of(&entry.sent.uri, self.host))
    }

    /// Refuses a project without a folder on this machine, if the policy requires one.
    pub(crate) fn require_path(&self, project: Project) -> Result<Project, Rejection> {
        match &project.client_path {
            _ if project.path.is_some() || !self.policy.config.require_path => Ok(project),
            Some(path) => Err(Rejection::at(Reason::OtherMachine, path)),
            None => Err(Rejection::new(Reason::NoPath)),
        }
    }

    fn shown_name(&self, name: &str) -> String {
        display(name, to_usize(self.policy.config.limits.name_chars))
    }
}
