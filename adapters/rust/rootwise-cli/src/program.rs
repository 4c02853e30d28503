//! Programs that are started by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::output::Failure;

/// The file of a program, found as a shell finds it: on Windows with the endings of `PATHEXT`, because `npx` is a script there.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, Failure> {
    which::which(name).map_err(|error| {
        let name = name.to_string_lossy();
        Failure(format!("`{name}` cannot be started: {error}. Install it, or name it with its path."))
    })
}

/// The variable in which the package of npm says how it was started.
pub(crate) const LAUNCHER: &str = "ROOTWISE_LAUNCHER";

/// The command line by which a client can start this program again, also where it was not installed for good.
pub(crate) fn launcher() -> Vec<String> {
    let said = std::env::var(LAUNCHER).unwrap_or_default();
    let own = std::env::current_exe().ok();
    launched_by(&said, own.as_deref(), which::which("rootwise").is_ok())
}

fn launched_by(said: &str, own: Option<&Path>, is_on_path: bool) -> Vec<String> {
    let said: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
    let is_in = |folder: &str| {
        own.is_some_and(|own| own.iter().any(|part| part.to_str().is_some_and(|part| part.starts_with(folder))))
    };
    match own {
        _ if !said.is_empty() => said,
        _ if is_in("_npx") => ["npx", "-y", "rootwise"].map(str::to_owned).into(),
        // Where uv keeps what `uvx` installs.
        _ if is_in("archive-v") => ["uvx", "rootwise"].map(str::to_owned).into(),
        Some(own) if !is_on_path => vec![own.display().to_string()],
        _ => vec!["rootwise".into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_names_a_command_that_its_user_has() {
        let launched = |said, own, is_on_path| launched_by(said, Some(Path::new(own)), is_on_path).join(" ");
        assert_eq!(launched("", "/usr/bin/rootwise", true), "rootwise");
        assert_eq!(launched("", "/src/target/release/rootwise", false), "/src/target/release/rootwise");
        assert_eq!(launched("npx -y rootwise", "/x/rootwise", true), "npx -y rootwise");
        assert_eq!(
            launched("", "/home/me/.npm/_npx/1f/node_modules/@rootwise/linux-x64-gnu/rootwise", true),
            "npx -y rootwise"
        );
        assert_eq!(launched("", "/home/me/.cache/uv/archive-v0/Zq/bin/rootwise", true), "uvx rootwise");
    }
}
