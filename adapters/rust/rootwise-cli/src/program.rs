//! Programs that are started by name.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::output::Failure;

/// The file of a program, found as a shell finds it: on Windows with the endings of `PATHEXT`, because `npx` is a script there.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, Failure> {
    which::which(name).map_err(|error| {
        let name = name.to_string_lossy();
        Failure(format!("`{name}` cannot be started: {error}. Install it, or name it with its path."))
    })
}
