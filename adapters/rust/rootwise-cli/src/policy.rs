//! The policy that a command follows, and the facts of this process that it reads.

use std::path::{Path, PathBuf};

use clap::Args;
use rootwise::host::Transport;
use rootwise::policy::PRESETS;
use rootwise::{HostFacts, Policy};
use rootwise_host::{allow_only, host_facts};

use crate::output::Failure;

/// Options of commands that find a project.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PolicyOptions {
    /// A preset, or a file with a policy in JSON
    #[arg(long, value_name = "NAME|FILE", default_value = "recommended")]
    pub(crate) policy: String,
    /// Accept projects inside this folder only; may be repeated
    #[arg(long = "allowed-dir", value_name = "FOLDER")]
    pub(crate) allowed_dirs: Vec<PathBuf>,
}

impl PolicyOptions {
    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        read(&self.policy)
    }

    /// The facts of this process.
    pub(crate) fn facts(&self, transport: Transport, policy: &Policy) -> Result<HostFacts, Failure> {
        let mut facts = host_facts(transport, policy);
        if !self.allowed_dirs.is_empty() {
            let folders = self.allowed_dirs.iter().map(|folder| absolute(folder)).collect::<Result<Vec<_>, _>>()?;
            allow_only(&mut facts, folders).map_err(Failure::new)?;
        }
        Ok(facts)
    }
}

/// A path that counts from the working directory.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// A path as the core reads it.
pub(crate) fn text_of(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|path| Failure(format!("{}: must be UTF-8", path.to_string_lossy())))
}

/// A preset by its name, else a file.
pub(crate) fn read(chosen: &str) -> Result<Policy, Failure> {
    let preset = Policy::preset(chosen);
    if preset.is_ok() || !is_file(chosen) {
        return preset
            .map_err(|error| Failure(format!("--policy {chosen}: {}", nearest(chosen).unwrap_or(error.problem))));
    }
    let text = std::fs::read_to_string(chosen).map_err(|error| Failure(format!("--policy {chosen}: {error}")))?;
    Policy::from_json(&text).map_err(|error| {
        let (place, problem) = (&error.place, without_position(&error.problem));
        Failure(format!(
            "--policy {chosen}: {place}: {problem}\n`rootwise check {chosen}` shows the line and the column."
        ))
    })
}

/// A problem without the position that the parser adds: what changes the recommended policy is parsed as a part of it.
pub(crate) fn without_position(problem: &str) -> &str {
    let cut = problem.rsplit_once(" at line ").filter(|(_, rest)| rest.contains(" column "));
    cut.map_or(problem, |(problem, _)| problem)
}

/// Names the preset that was meant, if one is near.
pub(crate) fn nearest(chosen: &str) -> Option<String> {
    let names = PRESETS.iter().map(|(name, _)| (strsim::jaro_winkler(chosen, name), *name));
    let (likeness, name) = names.max_by(|one, two| one.0.total_cmp(&two.0))?;
    (likeness > 0.8).then(|| format!("no preset and no file has this name; did you mean `{name}`?"))
}

/// Whether a value looks like a file and not like the name of a preset.
fn is_file(chosen: &str) -> bool {
    chosen.contains(['/', '\\', '.']) || Path::new(chosen).exists()
}
