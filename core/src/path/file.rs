//! A file that a tool names, inside a project or elsewhere: the part of the rules that needs no disk.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;

use serde::Deserialize;

use super::map::transfer;
use super::parse::Parsed;
use super::uri::{file_uri_to_path, is_file_uri, looks_like_uri};
use super::{PathProblem, PathStyle, Refusal, is_absolute, is_inside, join, join_inside, joined, opens_as_spelled};
use crate::api::project::Project;

/// The folder of a project, in every spelling that a tool may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ProjectFolder<'a> {
    /// The folder on this machine.
    #[serde(borrow)]
    pub path: Option<Cow<'a, str>>,
    /// The same with all links followed.
    #[serde(borrow)]
    pub real_path: Option<Cow<'a, str>>,
    /// The folder as the client spells it, where that differs.
    #[serde(borrow)]
    pub client_path: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Project> for ProjectFolder<'a> {
    fn from(project: &'a Project) -> Self {
        let text = |path: &'a Option<String>| path.as_deref().map(Cow::Borrowed);
        Self { path: text(&project.path), real_path: text(&project.real_path), client_path: text(&project.client_path) }
    }
}

impl ProjectFolder<'_> {
    /// Returns the absolute path that a tool's path names inside the project, by spelling: the host then checks on its disk
    /// where links lead.
    ///
    /// The path may be relative to the project, absolute, or a `file:` URI; an absolute one may be spelled as on this machine,
    /// by the project's real path, or as the client spells it.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::path::ProjectFolder;
    ///
    /// let mut project = ProjectFolder::default();
    /// project.path = Some("/workspace/app".into());
    /// project.client_path = Some(r"C:\code\app".into());
    ///
    /// let file = |file| project.file(file, PathStyle::Posix);
    /// assert_eq!(file("src/main.rs").as_deref(), Ok("/workspace/app/src/main.rs"));
    /// assert_eq!(file(r"C:\code\app\src\main.rs").as_deref(), Ok("/workspace/app/src/main.rs"));
    /// let problem = file("../secret").unwrap_err();
    /// assert_eq!(problem.reason().code(), "outside");
    /// assert!(problem.to_string().contains("leads to /workspace/secret"));
    /// ```
    ///
    /// # Errors
    /// The project has no folder on this machine, or the path is not inside it.
    pub fn file(&self, file: &str, style: PathStyle) -> Result<String, PathProblem> {
        let Some(folder) = self.path.as_deref() else {
            return Err(PathProblem::NoFolder { client_path: self.client_path.as_deref().map(ToOwned::to_owned) });
        };
        measured(file, style)?;
        match self.here(folder, file, style) {
            Ok(path) => Ok(path),
            Err(problem) => self.client_names(folder, file, style).ok_or(problem),
        }
    }

    /// The path as this machine spells it.
    fn here(&self, folder: &str, file: &str, style: PathStyle) -> Result<String, PathProblem> {
        let named = named_here(file, style)?;
        let named = self.relative_by_client(&named, style);
        match join_inside(folder, &named, style) {
            Err(Refusal::Outside) => {}
            joined => return joined.map_err(|refusal| no_reading(refusal, file)),
        }
        if let Some(real) = self.real_path.as_deref()
            && is_absolute(&named, style)
            && let Ok(path) = join_inside(real, &named, style)
        {
            return Ok(path);
        }
        let leads_to = join(folder, &named, style).unwrap_or_default();
        Err(PathProblem::OutsideProject { part: file.to_owned(), leads_to, project: folder.to_owned() })
    }

    /// A relative path of a client on Windows, with the separators of this machine.
    fn relative_by_client<'p>(&self, named: &'p str, style: PathStyle) -> Cow<'p, str> {
        let client_is_on_windows = self.client_path.as_deref().map(PathStyle::of) == Some(PathStyle::Windows);
        if style == PathStyle::Posix && client_is_on_windows && !named.starts_with('/') {
            return named.replace('\\', "/").into();
        }
        named.into()
    }

    /// The place of a path that is spelled as on the client's machine.
    fn client_names(&self, folder: &str, file: &str, style: PathStyle) -> Option<String> {
        let client = self.client_path.as_deref()?;
        let their_style = PathStyle::of(client);
        let there: Cow<'_, str> =
            if is_file_uri(file) { file_uri_to_path(file, their_style).ok()?.into() } else { file.into() };
        transfer(&there, (client, their_style), (folder, style))
    }

    /// Returns a path of this machine as the client spells it, by the folder of the project; the same path where the client has
    /// no other spelling, or where it is not in the project.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::path::ProjectFolder;
    ///
    /// let mut project = ProjectFolder::default();
    /// project.path = Some("/workspace/app".into());
    /// project.client_path = Some(r"C:\code\app".into());
    /// assert_eq!(project.client_file("/workspace/app/src/main.rs", PathStyle::Posix), r"C:\code\app\src\main.rs");
    /// assert_eq!(project.client_file("/etc/hosts", PathStyle::Posix), "/etc/hosts");
    /// ```
    #[must_use]
    pub fn client_file(&self, path: &str, style: PathStyle) -> String {
        let client = self.client_path.as_deref().map(|client| (client, PathStyle::of(client)));
        let folders = [self.path.as_deref(), self.real_path.as_deref()];
        let around = folders.into_iter().flatten().find(|folder| is_inside(folder, path, style));
        let spelled = client.zip(around).and_then(|(client, folder)| transfer(path, (folder, style), client));
        spelled.unwrap_or_else(|| path.to_owned())
    }
}

/// Returns the absolute path that a tool's path names, by spelling: the host then checks on its disk where links lead, and
/// whether that is inside the folders that it allows.
///
/// The path may be relative to `base`, absolute, or a `file:` URI. As in [`join_inside`], names that Windows would not open as
/// spelled are refused.
///
/// ```
/// use rootwise::PathStyle;
/// use rootwise::path::tool_path;
///
/// let named = |path| tool_path(path, Some("/work/app"), PathStyle::Posix);
/// assert_eq!(named("../api/a.rs").as_deref(), Ok("/work/api/a.rs"));
/// assert_eq!(named("file:///etc/hosts").as_deref(), Ok("/etc/hosts"));
/// assert_eq!(named(r"C:\work\a.rs").unwrap_err().reason().code(), "other_system");
/// ```
///
/// # Errors
/// The path has no safe reading on this machine, or is relative and there is no `base`.
pub fn tool_path(path: &str, base: Option<&str>, style: PathStyle) -> Result<String, PathProblem> {
    measured(path, style)?;
    let named = named_here(path, style)?;
    let parsed = match base {
        Some(base) => Parsed::absolute(base, style).and_then(|base| joined(&base, &named, style)),
        None => Parsed::absolute(&named, style),
    };
    let parsed = parsed.map_err(|refusal| match refusal {
        Refusal::Relative => PathProblem::Relative,
        other => no_reading(other, path),
    })?;
    opens_as_spelled(&parsed.names, style).map_err(|refusal| no_reading(refusal, path))?;
    Ok(parsed.render())
}

fn measured(path: &str, style: PathStyle) -> Result<(), PathProblem> {
    if path.is_empty() || path.contains('\0') {
        return Err(PathProblem::Empty);
    }
    let length = path.chars().count();
    if length > PathProblem::longest(style) { Err(PathProblem::TooLong { length, style }) } else { Ok(()) }
}

/// A tool's path, or that of its URI, if it is one of this system.
fn named_here(path: &str, style: PathStyle) -> Result<Cow<'_, str>, PathProblem> {
    let named: Cow<'_, str> = if is_file_uri(path) {
        file_uri_to_path(path, style).map_err(|refusal| no_reading(refusal, path))?.into()
    } else {
        path.into()
    };
    let is_of_windows = |text: &str| !text.starts_with('/') && is_absolute(text, PathStyle::Windows);
    let is_foreign = match style {
        PathStyle::Posix => is_of_windows(&named),
        PathStyle::Windows => named.starts_with('/') && !is_absolute(&named, style),
    };
    if is_foreign {
        return Err(PathProblem::OtherSystem);
    }
    if looks_like_uri(&named) && !is_absolute(&named, style) {
        return Err(no_reading(Refusal::NotFileUri, path));
    }
    Ok(named)
}

fn no_reading(refusal: Refusal, path: &str) -> PathProblem {
    PathProblem::NoReading { part: path.to_owned(), refusal }
}
