//! Where a server runs: its folder, and what the placeholders in its command line and environment stand for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rootwise::path::uri::{path_to_file_uri, project_id};
use rootwise::path::{basename, key};
use rootwise::provide::{Folder, provided_roots};
use rootwise::{PathStyle, Project};
use serde_json::{Value, json};

/// What tells the servers of two projects apart: where they run, also if the policy counts several folders as one project.
pub(crate) fn folder_of(project: &Arc<Project>) -> &str {
    project.path.as_deref().unwrap_or(&project.key)
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    values: [(&'static str, String); 5],
    /// None for the folder in which a server waits for its project.
    pub(crate) project: Option<Arc<Project>>,
}

impl Place {
    /// The folder of a project; a project without one has no place.
    pub(crate) fn of_project(project: &Arc<Project>) -> Option<Self> {
        let path = project.path.clone()?;
        let uri = project.uri.clone().or_else(|| path_to_file_uri(&path, PathStyle::native())).unwrap_or_default();
        let values = [
            ("{path}", path.clone()),
            ("{uri}", uri),
            ("{name}", project.name.clone()),
            ("{id}", project.id.clone()),
            ("{slug}", project.slug.clone()),
        ];
        Some(Self { folder: path.into(), values, project: Some(project.clone()) })
    }

    /// The folder in which a server waits for its project.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        let path = folder.to_string_lossy().into_owned();
        let style = PathStyle::native();
        let id = key(&path, style).map(|key| project_id(&key)).unwrap_or_default();
        let values = [
            ("{path}", path.clone()),
            ("{uri}", path_to_file_uri(&path, style).unwrap_or_default()),
            ("{name}", basename(&path, style).unwrap_or_default()),
            ("{slug}", format!("waiting-{id}")),
            ("{id}", id),
        ];
        Self { folder: folder.to_owned(), values, project: None }
    }

    /// The folder of the project, which tells servers apart.
    pub(crate) fn key(&self) -> Option<&str> {
        self.project.as_ref().map(folder_of)
    }

    /// Whether a server in this place would get other roots than in that one.
    pub(crate) fn differs_in_roots(&self, other: &Self) -> bool {
        match (&self.project, &other.project) {
            (Some(one), Some(other)) => !Arc::ptr_eq(one, other) && one.other_roots != other.other_roots,
            (one, other) => one.is_some() != other.is_some(),
        }
    }

    /// A word with its placeholders filled in; one that is no text has none.
    pub(crate) fn fill(&self, word: &OsStr) -> OsString {
        let Some(text) = word.to_str().filter(|text| text.contains('{')) else { return word.to_owned() };
        // One pass, so that a folder whose name looks like a placeholder stays what it is.
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            match self.values.iter().find_map(|(name, value)| Some((value, from.strip_prefix(name)?))) {
                Some((value, after)) => {
                    filled.push_str(value);
                    rest = after;
                }
                None => {
                    filled.push('{');
                    rest = from.strip_prefix('{').unwrap_or_default();
                }
            }
        }
        filled.push_str(rest);
        filled.into()
    }

    /// What a server in this place gets as the client's roots: its project, and the client's other roots after it.
    pub(crate) fn roots(&self) -> Value {
        let Some(project) = &self.project else { return json!({ "roots": [] }) };
        let own = project.path.iter().map(|path| Folder::named(path, &project.display_name));
        let others = project.other_roots.iter().filter_map(|other| {
            let path = other.path.as_ref()?;
            Some(other.name.as_ref().map_or_else(|| path.into(), |name| Folder::named(path, name)))
        });
        // The paths of a project are absolute.
        let roots = provided_roots(&own.chain(others).collect::<Vec<_>>(), PathStyle::native());
        json!({ "roots": roots.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_once() {
        let place = Place::of_folder(Path::new("/work/{name}"));
        let filled = |word: &str| place.fill(OsStr::new(word)).into_string().unwrap_or_default();
        assert_eq!(filled("--repository={path}"), "--repository=/work/{name}");
        assert_eq!(filled("{name}:{uri}"), "{name}:file:///work/%7Bname%7D");
        assert_eq!(filled("{other} {{path}}"), "{other} {/work/{name}}");
        assert_eq!(filled("plain"), "plain");
    }
}
