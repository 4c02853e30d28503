//! Paths that a tool names, checked on disk: inside a project, or inside one of several folders.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rootwise::path::{PathProblem, ProjectFolder, is_inside, tool_path};
use rootwise::{PathStyle, Policy, Project};

use crate::disk::{in_time, patience};
use crate::roots::PathRefusal;

pub(crate) const STYLE: PathStyle = if cfg!(windows) { PathStyle::Windows } else { PathStyle::Posix };

/// Returns the real path of a file or folder inside a project. Links are followed, but never out of the project; the end of the
/// path need not exist yet.
///
/// `file` is relative to the project, or an absolute path or `file:` URI inside it, also as the client spells it. Use the
/// returned path and not the given one: a link can change between the check and the use. [`open_file`](crate::open_file) opens
/// the file without that gap. Blocks while it examines the disk.
///
/// ```
/// use rootwise::host::Transport;
/// use rootwise::Policy;
/// use rootwise_host::{host_facts, resolve_at_start, resolve_file};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::recommended();
/// if let Some(project) = resolve_at_start(policy.clone(), host_facts(Transport::Stdio, &policy))? {
///     let file = resolve_file(&project, "src/lib.rs")?;
///     println!("{}", file.display());
///     let error = resolve_file(&project, "../secret").unwrap_err();
///     assert_eq!(error.code(), "outside");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The path is not inside the project, or cannot be examined; the text says which part is wrong and where it leads.
pub fn resolve_file<P: AsRef<Project> + ?Sized>(project: &P, file: &str) -> Result<PathBuf, PathRefusal> {
    Ok(checked_file(project.as_ref(), file)?.real)
}

/// As [`resolve_file`], on another thread, and no longer than a caller of the policy waits for the disk. Blocks until then.
///
/// # Errors
/// As for [`resolve_file`], or the disk does not answer.
pub fn resolve_file_in_time<P: AsRef<Project> + Send + 'static>(
    project: P,
    file: &str,
    policy: &Policy,
) -> Result<PathBuf, PathRefusal> {
    let place = project.as_ref().path.clone().unwrap_or_default();
    let (wanted, patience) = (file.to_owned(), patience(policy));
    let look = move || resolve_file(&project, &wanted);
    in_time(&place, patience, look).unwrap_or_else(|| Err(PathProblem::NoAnswer.into()))
}

/// A file inside a project.
pub(crate) struct CheckedFile {
    /// The real path of the project.
    pub(crate) fence: PathBuf,
    /// The real path of the file.
    pub(crate) real: PathBuf,
}

pub(crate) fn checked_file(project: &Project, file: &str) -> Result<CheckedFile, PathRefusal> {
    let wanted = PathBuf::from(ProjectFolder::from(project).file(file, STYLE)?);
    let folder = PathBuf::from(project.path.as_deref().unwrap_or_default());
    let Some(real_folder) = examined(folder.canonicalize())? else {
        return Err(PathProblem::ProjectMissing { project: folder.to_string_lossy().into_owned() }.into());
    };
    // A link that was turned since the project was found does not move the project.
    let fence = project.real_path.as_ref().map_or(real_folder, PathBuf::from);
    let real = real_of(&wanted, Some(&folder))?;
    if is_below(&fence, &real)? {
        return Ok(CheckedFile { fence, real });
    }
    Err(way_out(&folder, &wanted, &fence, &real)?.into())
}

fn is_below(folder: &Path, path: &Path) -> Result<bool, PathRefusal> {
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or(PathProblem::NotUtf8);
    Ok(is_inside(&text(folder)?, &text(path)?, STYLE))
}

/// The first part of a path that leads out of the project.
fn way_out(folder: &Path, wanted: &Path, fence: &Path, real: &Path) -> Result<PathProblem, PathRefusal> {
    let problem = |part: &Path, leads_to: &Path| {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        PathProblem::OutsideProject { part: text(part), leads_to: text(leads_to), project: text(fence) }
    };
    let rest = wanted.strip_prefix(folder).unwrap_or_else(|_| Path::new(""));
    let mut part = PathBuf::new();
    for name in std::iter::once(Component::CurDir).chain(rest.components()) {
        if name != Component::CurDir {
            part.push(name);
        }
        let Some(leads_to) = examined(folder.join(&part).canonicalize())? else { break };
        if !is_below(fence, &leads_to)? {
            return Ok(problem(if part.as_os_str().is_empty() { folder } else { &part }, &leads_to));
        }
    }
    Ok(problem(wanted, real))
}

/// Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
/// path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
///
/// The path may be relative to `base`, absolute, or a `file:` URI. Folders that do not exist allow nothing. Blocks while it
/// examines the disk.
///
/// ```
/// let folder = std::env::temp_dir();
/// let inside = rootwise_host::resolve_inside(&[&folder], "new/file.txt", Some(&folder))?;
/// assert!(inside.ends_with("new/file.txt"));
/// assert_eq!(rootwise_host::resolve_inside(&[&folder], "/", None).unwrap_err().code(), "outside");
/// # Ok::<(), rootwise_host::PathRefusal>(())
/// ```
///
/// # Errors
/// The path is outside every folder, or cannot be examined.
pub fn resolve_inside<P: AsRef<Path>>(folders: &[P], path: &str, base: Option<&Path>) -> Result<PathBuf, PathRefusal> {
    let base = base.map(|base| base.to_str().ok_or(PathProblem::NotUtf8)).transpose()?;
    let real = real_of(Path::new(&tool_path(path, base, STYLE)?), None)?;
    let is_inside = |folder: &P| folder.as_ref().canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if folders.iter().any(is_inside) {
        return Ok(real);
    }
    let names = folders.iter().map(|folder| folder.as_ref().to_string_lossy().into_owned());
    Err(PathProblem::outside(names).into())
}

/// As [`resolve_inside`], on another thread, and no longer than a caller of the policy waits for the disk. Blocks until then.
///
/// # Errors
/// The path is outside every folder, or cannot be examined, or the disk does not answer.
pub fn resolve_inside_in_time(
    folders: Vec<PathBuf>,
    path: &str,
    base: Option<PathBuf>,
    policy: &Policy,
) -> Result<PathBuf, PathRefusal> {
    let (wanted, patience): (String, Duration) = (path.to_owned(), patience(policy));
    let look = move || resolve_inside(&folders, &wanted, base.as_deref());
    in_time(path, patience, look).unwrap_or_else(|| Err(PathProblem::NoAnswer.into()))
}

/// How often a path is examined that changes meanwhile.
pub(crate) const MAX_LOOKS: u32 = 16;

/// The real path of a file that may not exist yet: links are followed as far as the path exists. The result is what was
/// examined: where a link turned meanwhile, the path is examined again. Errors name parts from `folder`.
fn real_of(path: &Path, folder: Option<&Path>) -> Result<PathBuf, PathRefusal> {
    let shown = |part: &Path| {
        let short =
            folder.and_then(|folder| part.strip_prefix(folder).ok()).filter(|short| !short.as_os_str().is_empty());
        short.unwrap_or(part).to_string_lossy().into_owned()
    };
    for _ in 0..MAX_LOOKS {
        let existing = existing_part(path)?;
        let Some(real) = examined(existing.canonicalize())? else {
            // A link that leads nowhere could lead anywhere by the time it is used.
            if let Ok(target) = existing.read_link() {
                let leads_to = target.to_string_lossy().into_owned();
                return Err(PathProblem::LinkToNowhere { part: shown(existing), leads_to }.into());
            }
            continue;
        };
        let Ok(rest) = path.strip_prefix(existing) else { break };
        let Some(first) = rest.components().next() else { return Ok(real) };
        if is_there(&real.join(first))? {
            continue;
        }
        if examined(real.metadata())?.is_some_and(|entry| !entry.is_dir()) {
            return Err(PathProblem::NotAFolder { part: shown(existing) }.into());
        }
        return Ok(real.join(rest));
    }
    Err(PathProblem::Changing.into())
}

/// The longest beginning of a path that exists, links included; found by halving, because a path can have thousands of parts.
fn existing_part(path: &Path) -> Result<&Path, PathRefusal> {
    let parts: Vec<&Path> = path.ancestors().collect();
    let mut fault = None;
    let first = parts.partition_point(|part| match is_there(part) {
        Ok(is_there) => !is_there,
        Err(refusal) => {
            fault = Some(refusal);
            false
        }
    });
    match fault {
        Some(refusal) => Err(refusal),
        None => Ok(parts.get(first).copied().unwrap_or(path)),
    }
}

fn is_there(path: &Path) -> Result<bool, PathRefusal> {
    Ok(examined(path.symlink_metadata())?.is_some())
}

/// What a disk check found; nothing if nothing is there.
fn examined<T>(found: std::io::Result<T>) -> Result<Option<T>, PathRefusal> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(PathProblem::Unreadable { error: error.kind().to_string() }.into()),
    }
}
