//! The project before a client connects.

use std::sync::Arc;

use rootwise::action::Outcome;
use rootwise::event::{AskBy, Asked, RequestFacts};
use rootwise::{ConfigError, Explanation, HostFacts, Policy, Project, Resolver};

use crate::error::NoProject;
use crate::settle::settle;

/// Returns the project that this process can determine before a client connects: from the command line, the environment and
/// the working directory. For command-line tools, and for servers that need a folder before they serve; a client can name
/// another one later.
///
/// ```
/// use rootwise::Policy;
/// use rootwise::host::Transport;
/// use rootwise_host::{host_facts, resolve_at_start};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::recommended();
/// let host = host_facts(Transport::Stdio, &policy);
/// match resolve_at_start(policy, host)? {
///     Some(project) => println!("{}", project.display_name),
///     None => println!("no project here"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A host fact cannot work; the error names it.
pub fn resolve_at_start(
    policy: impl Into<Arc<Policy>>,
    host: impl Into<Arc<HostFacts>>,
) -> Result<Option<Arc<Project>>, ConfigError> {
    Ok(resolve_and_explain(policy, host, RequestFacts::default())?.project.ok())
}

/// The project at start, or the reason for which there is none, with the result of every source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AtStart {
    /// The project.
    pub project: Result<Arc<Project>, NoProject>,
    /// The result of every source.
    pub explanation: Option<Arc<Explanation>>,
}

/// As [`resolve_at_start`], with values that a request would carry, such as an argument, and with the result of every source.
///
/// # Errors
/// A host fact cannot work; the error names it.
pub fn resolve_and_explain(
    policy: impl Into<Arc<Policy>>,
    host: impl Into<Arc<HostFacts>>,
    facts: RequestFacts,
) -> Result<AtStart, ConfigError> {
    let mut resolver = Resolver::new(policy, host)?;
    let asked = Asked { ask_by: Some(AskBy::None), explain: true, facts, ..Asked::new(1) };
    let answer = match settle(&mut resolver, asked) {
        Ok(Some(answer)) => answer,
        Ok(None) => return Ok(AtStart { project: Err(NoProject::closed()), explanation: None }),
        Err(misuse) => {
            let project = Err(NoProject::new(misuse.code(), misuse.to_string()));
            return Ok(AtStart { project, explanation: None });
        }
    };
    let explanation = answer.explanation.clone();
    let project = match answer.outcome {
        Outcome::Resolved { project } => Ok(project),
        _ => Err(answer.into()),
    };
    Ok(AtStart { project, explanation })
}
