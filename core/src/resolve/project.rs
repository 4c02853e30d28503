//! Projects, made from a folder, a name or a root.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::value::Rejection;
use super::verify::Folder;
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path;
use crate::path::display::display;
use crate::path::name::slug_with_id;
use crate::path::uri::{path_to_file_uri, project_id};
use crate::peer::root_list::{RootEntry, RootList, raw_basename, uri_key};
use crate::policy::{NameFrom, Policy, SourceKind, count};

/// The policy and host facts a project is made with.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
}

impl Project {
    pub(crate) fn from_path(folder: Folder, source: SourceKind, via: Option<String>, maker: Maker<'_>) -> Self {
        let Folder { path, real_path, elsewhere } = folder;
        let style = if elsewhere { maker.host.client_style(&path) } else { maker.host.style };
        let key = path::key(&path, style).unwrap_or_else(|_| path.clone());
        let name = path::basename(&path, style).unwrap_or_else(|| path.clone());
        let uri = path_to_file_uri(&path, style);
        let (path, client_path) = if elsewhere { (None, Some(path)) } else { (Some(path), None) };
        let id = project_id(&key);
        Self {
            slug: slug_with_id(&name, &id),
            id,
            display_name: maker.shown_name(&name),
            key,
            name,
            path,
            client_path,
            uri,
            real_path,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
            other_roots_omitted: 0,
            stale: false,
        }
    }

    pub(crate) fn from_name(name: &str, source: SourceKind, via: Option<String>, maker: Maker<'_>) -> Self {
        let mut key = String::from("name:");
        key.push_str(name);
        let id = project_id(&key);
        Self {
            slug: slug_with_id(name, &id),
            id,
            display_name: maker.shown_name(name),
            key,
            name: name.to_owned(),
            path: None,
            client_path: None,
            uri: None,
            real_path: None,
            source,
            via,
            root: None,
            other_roots: Vec::new(),
            other_roots_omitted: 0,
            stale: false,
        }
    }

    /// The project of a root; without a folder the root is not a `file:` URI and counts by its name alone.
    pub(crate) fn from_root(entry: &RootEntry, list: &RootList, folder: Option<Folder>, maker: Maker<'_>) -> Self {
        let as_sent = folder.as_ref().map(|folder| &folder.path) == entry.path.as_ref().ok();
        let mut project = match folder {
            Some(folder) => Self::from_path(folder, SourceKind::Roots, None, maker),
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
                    ..Self::from_name(&name, SourceKind::Roots, None, maker)
                }
            }
        };
        let name = match maker.policy.name_from {
            NameFrom::Basename => None,
            NameFrom::RawBasename => raw_basename(&entry.sent.uri).filter(|_| as_sent),
            NameFrom::RootName => entry.sent.name.clone().filter(|name| !name.trim().is_empty()),
        };
        if let Some(name) = name {
            project.display_name = maker.shown_name(&name);
            project.slug = slug_with_id(&name, &project.id);
            project.name = name;
        }
        let (others, omitted) = list.first(Some(entry));
        project.other_roots = others.into_iter().map(|other| other.reference.clone()).collect();
        project.other_roots_omitted = omitted;
        project.root = Some(entry.reference.clone());
        project
    }
}

impl Maker<'_> {
    /// Refuses a project without a folder on this machine, if the policy requires one.
    pub(crate) fn admit(&self, project: Project) -> Result<Project, Rejection> {
        match &project.client_path {
            _ if project.path.is_some() || !self.policy.require_path => Ok(project),
            Some(elsewhere) => Err(Rejection::at(Reason::OtherMachine, elsewhere)),
            None => Err(Rejection::new(Reason::NoPath)),
        }
    }

    fn shown_name(&self, name: &str) -> String {
        display(name, count(self.policy.limits.name_chars))
    }
}
