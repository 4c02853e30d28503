//! Facts about this process and the machine it runs on.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::host::{ExcludedDirs, Transport};
use rootwise::{ConfigError, HostFacts, PathStyle, Policy};

use crate::disk::real_path;

/// Collects the facts of this process for a resolver. Reads only the variables and options that the policy names.
///
/// ```
/// use rootwise::Policy;
/// use rootwise::host::Transport;
///
/// let mut host = rootwise_host::host_facts(Transport::Http, &Policy::recommended());
/// // An HTTP server on the user's own machine:
/// host.local = Some(true);
/// ```
#[must_use]
pub fn host_facts(transport: Transport, policy: &Policy) -> HostFacts {
    let text = |value: OsString| text_or_invalid(value.as_encoded_bytes());
    let argv: Vec<String> = std::env::args_os().skip(1).map(text).collect();
    let variable = |name: &str| std::env::var_os(name).map(text);
    host_facts_from(transport, policy, &argv, variable)
}

/// As [`host_facts`], with another command line (without the program) and environment.
#[must_use]
pub fn host_facts_from(
    transport: Transport,
    policy: &Policy,
    argv: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> HostFacts {
    let inputs = PolicyInputs::of(policy);
    let mut facts = HostFacts::new(PathStyle::native());
    facts.transport = transport;
    facts.env = inputs.env.iter().filter_map(|name| Some((name.clone(), variable(name)?))).collect();
    facts.arguments = inputs.arguments(argv.iter().map(String::as_str));
    facts.cwd = std::env::current_dir().ok().and_then(text);
    facts.excluded_dirs = excluded_dirs();
    facts
}

/// The text of a value; of one that is no text, something that every policy refuses: it must neither pass as absent nor name
/// another folder.
#[must_use]
pub fn text_or_invalid(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // No path contains a null character.
        Err(_) => format!("{}\0", String::from_utf8_lossy(bytes)),
    }
}

/// Confines every project to these folders, also by their real paths.
///
/// ```
/// use rootwise::host::Transport;
/// use rootwise::Policy;
///
/// let mut facts = rootwise_host::host_facts(Transport::Http, &Policy::recommended());
/// rootwise_host::allow_only(&mut facts, [std::env::temp_dir()])?;
/// assert!(rootwise_host::allow_only(&mut facts, ["relative"]).is_err());
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
///
/// # Errors
/// A folder is relative or not UTF-8; the error names it.
pub fn allow_only<P: AsRef<Path>>(
    facts: &mut HostFacts,
    folders: impl IntoIterator<Item = P>,
) -> Result<(), ConfigError> {
    facts.allowed_dirs = Some(with_real_paths(folders)?);
    Ok(())
}

/// As [`allow_only`], with the folders of an option; without that, with those that the facts have already.
///
/// # Errors
/// A folder is relative or not UTF-8; the error names it.
pub fn allow_only_given(facts: &mut HostFacts, option: Option<&[PathBuf]>) -> Result<(), ConfigError> {
    match (option, facts.allowed_dirs.take()) {
        (Some(folders), _) => allow_only(facts, folders),
        (None, Some(folders)) => allow_only(facts, folders),
        (None, None) => Ok(()),
    }
}

/// Folders as they are spelled, and their real paths.
///
/// # Errors
/// A folder is relative or not UTF-8; the error names it.
pub fn with_real_paths<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Vec<String>, ConfigError> {
    let mut allowed = BTreeSet::new();
    for (index, folder) in folders.into_iter().enumerate() {
        let folder = folder.as_ref();
        let fault = |fault: &str| ConfigError::new(format!("allowedDirs[{index}]"), fault);
        let name = folder.to_str().ok_or_else(|| fault("must be UTF-8: projects have paths that are text"))?;
        if !folder.is_absolute() {
            return Err(fault("must be an absolute path"));
        }
        allowed.insert(name.to_owned());
        allowed.extend(real_path(folder));
    }
    Ok(allowed.into_iter().collect())
}

fn excluded_dirs() -> ExcludedDirs {
    // HOME and TMPDIR may hold anything.
    let with_real = |path: PathBuf| {
        let path = Some(path).filter(|path| path.is_absolute());
        [path.as_ref().and_then(real_path), path.and_then(text)].into_iter().flatten()
    };
    let mut temporary: BTreeSet<String> = with_real(std::env::temp_dir()).collect();
    if cfg!(unix) {
        temporary.extend(["/tmp", "/var/tmp"].into_iter().flat_map(|path| with_real(path.into())));
    }
    let install: BTreeSet<String> = install_dir().map(with_real).into_iter().flatten().collect();
    let mut excluded = ExcludedDirs::default();
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let real = home.as_deref().and_then(|home| home.canonicalize().ok());
    excluded.home = home.into_iter().chain(real).filter_map(text).collect();
    excluded.home.dedup();
    excluded.temporary = temporary.into_iter().collect();
    excluded.install = install.into_iter().collect();
    excluded
}

/// The folder this program was installed into. A program that lies among somebody's work must not exclude that work, so that
/// only folders for programs count.
fn install_dir() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.to_owned();
    let name = folder.file_name()?.to_str()?;
    let is_for_programs = matches!(name, "bin" | "sbin" | ".bin") || (cfg!(windows) && is_below_programs(&folder));
    is_for_programs.then_some(folder)
}

fn is_below_programs(folder: &Path) -> bool {
    ["ProgramFiles", "ProgramFiles(x86)", "ProgramW6432"]
        .iter()
        .filter_map(std::env::var_os)
        .any(|programs| folder.starts_with(programs))
}

/// Resolvers work with text; a path that is none cannot be a project.
fn text(path: PathBuf) -> Option<String> {
    path.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_variables_are_read() {
        let facts = host_facts_from(Transport::Stdio, &Policy::recommended(), &[], |name| Some(format!("/{name}")));
        assert_eq!(facts.env.get("ROOTWISE_PROJECT").map(String::as_str), Some("/ROOTWISE_PROJECT"));
        assert!(!facts.env.contains_key("HOME") && !facts.env.contains_key("PATH"));
        assert!(facts.cwd.is_some() && !facts.excluded_dirs.home.is_empty());
    }
}
