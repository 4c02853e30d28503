//! The project before a client connects.

use std::sync::Arc;

use rootwise::event::{AskVia, Asked, RequestFacts};
use rootwise::{ConfigError, Explanation, HostFacts, Policy, Project, Resolver};

use crate::answer::project_of;
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
/// A host fact is invalid; the error names it.
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
/// A host fact is invalid; the error names it.
pub fn resolve_and_explain(
    policy: impl Into<Arc<Policy>>,
    host: impl Into<Arc<HostFacts>>,
    facts: RequestFacts,
) -> Result<AtStart, ConfigError> {
    let mut resolver = Resolver::new(policy, host)?;
    let asked = Asked::new(1).ask_via(AskVia::None).explain(true).facts(facts);
    let (project, explanation) = match settle(&mut resolver, asked) {
        Ok(answer) => {
            let explanation = answer.explanation.clone();
            (project_of(answer), explanation)
        }
        Err(misuse) => (Err(misuse.into()), None),
    };
    Ok(AtStart { project, explanation })
}
