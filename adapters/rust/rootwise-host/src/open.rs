//! Files that are opened inside a project, without a gap between the check and the use where the system allows that.

use std::fs::File;
use std::io;

use rootwise::Project;
use rootwise::path::PathProblem;

use crate::inside::{CheckedFile, MAX_LOOKS, checked_file};
use crate::roots::PathRefusal;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// Reading what exists.
    Read,
    /// Writing from the start: the file is created, or emptied.
    Write,
    /// Writing at the end; the file is created if it does not exist.
    Append,
    /// Writing a file that does not exist yet.
    Create,
}

/// A file that was not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is not inside the project, or cannot be examined.
    #[error(transparent)]
    Refused(#[from] PathRefusal),
    /// It is inside, and the system does not open it: it does not exist, or may not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a file inside a project, as [`resolve_file`](crate::resolve_file) finds it.
///
/// On Linux nothing that changes on the disk meanwhile can lead out of the project: every folder on the way is opened by its
/// own, and no link is followed. On other Unix systems that holds below the project's folder only: what becomes of the folders
/// above it meanwhile is not noticed, because passing through a folder needs the right to read it there. A pipe or a device is
/// not opened. On Windows the file is opened by its real path, so that a link may still change between the check and the use. Blocks.
///
/// ```
/// use std::io::{Read, Write};
///
/// use rootwise::host::Transport;
/// use rootwise::Policy;
/// use rootwise_host::{Access, host_facts, open_file, resolve_at_start};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::recommended();
/// if let Some(project) = resolve_at_start(policy.clone(), host_facts(Transport::Stdio, &policy))? {
///     let mut text = String::new();
///     open_file(&project, "Cargo.toml", Access::Read)?.read_to_string(&mut text)?;
///     assert!(open_file(&project, "../secret", Access::Write).is_err());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The file is not inside the project, or cannot be opened.
pub fn open_file<P: AsRef<Project> + ?Sized>(project: &P, file: &str, access: Access) -> Result<File, OpenError> {
    for _ in 0..MAX_LOOKS {
        let checked = checked_file(project.as_ref(), file)?;
        match open(&checked, access) {
            // A link took the place of a folder or of the file: the next look sees where it leads.
            Err(error) if is_link(&error) => {}
            opened => return Ok(opened?),
        }
    }
    Err(PathRefusal::from(PathProblem::Changing).into())
}

#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    use rustix::io::Errno;

    Errno::from_io_error(error).is_some_and(|error| matches!(error, Errno::LOOP | Errno::NOTDIR | Errno::MLINK))
}

/// How to pass through a folder that may not be read, where the system knows that: then the folders above the project are checked
/// as well.
#[cfg(unix)]
const PASS: Option<rustix::fs::OFlags> = {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let pass = Some(rustix::fs::OFlags::PATH);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let pass = None;
    pass
};

#[cfg(unix)]
fn open(file: &CheckedFile, access: Access) -> io::Result<File> {
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};

    let (way, top) = PASS.map_or((OFlags::RDONLY, file.fence.as_path()), |way| (way, Path::new("/")));
    let folder = way | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let flags = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        Access::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
        Access::Create => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
    };
    // A pipe would make the caller wait for its other end.
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut at = openat(CWD, top, folder, Mode::empty())?;
    let (above, name) = (file.real.parent(), file.real.file_name());
    for name in above.and_then(|above| above.strip_prefix(top).ok()).unwrap_or_else(|| Path::new("")) {
        at = openat(&at, name, folder, Mode::empty())?;
    }
    let is_top = file.real == top;
    let name = name.filter(|_| !is_top).unwrap_or_else(|| ".".as_ref());
    let opened = File::from(openat(&at, name, flags, Mode::from_raw_mode(0o666))?);
    let kind = opened.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(opened);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a folder"))
}

#[cfg(not(unix))]
fn is_link(_error: &io::Error) -> bool {
    false
}

#[cfg(not(unix))]
fn open(file: &CheckedFile, access: Access) -> io::Result<File> {
    let mut options = File::options();
    match access {
        Access::Read => options.read(true),
        Access::Write => options.write(true).create(true).truncate(true),
        Access::Append => options.append(true).create(true),
        Access::Create => options.write(true).create_new(true),
    };
    options.open(&file.real)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_turns_between_the_check_and_the_use_is_not_followed() {
        let folder = std::env::temp_dir().join(format!("rootwise-open-{}", std::process::id()));
        for name in ["app/src", "outside"] {
            fs::create_dir_all(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("a.txt"), name).unwrap();
        }
        let folder = folder.canonicalize().unwrap();
        let checked = CheckedFile { fence: folder.join("app"), real: folder.join("app/src/a.txt") };
        for (turned, target) in [("app/src/a.txt", "outside/a.txt"), ("app/src", "outside")] {
            assert!(open(&checked, Access::Read).is_ok());
            fs::rename(folder.join(turned), folder.join("kept")).unwrap();
            symlink(folder.join(target), folder.join(turned)).unwrap();
            for access in [Access::Read, Access::Write, Access::Append] {
                assert!(is_link(&open(&checked, access).unwrap_err()), "{turned} for {access:?}");
            }
            assert!(open(&checked, Access::Create).is_err());
            fs::remove_file(folder.join(turned)).unwrap();
            fs::rename(folder.join("kept"), folder.join(turned)).unwrap();
        }
        assert_eq!(fs::read_to_string(folder.join("outside/a.txt")).unwrap(), "outside");
        if PASS.is_some() {
            let kept = folder.with_extension("kept");
            fs::rename(&folder, &kept).unwrap();
            symlink(&kept, &folder).unwrap();
            let opened = open(&checked, Access::Read);
            fs::remove_file(&folder).unwrap();
            fs::rename(&kept, &folder).unwrap();
            assert!(is_link(&opened.unwrap_err()), "a link above the project");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
