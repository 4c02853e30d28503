//! The options of a gate.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rootwise::action::LogCode;
use rootwise::endpoint::action::EndpointLog;
use rootwise::gate::{GateReads, MAX_PENDING, gate_policy};
use rootwise::host::Transport;
use rootwise::{ConfigError, HostFacts, Policy};

use super::{ProjectGate, Shared};
use crate::facts::{allow_only_given, host_facts};
use crate::host::{Host, Observer};

type Adjust = Box<dyn Fn(&mut HostFacts)>;
type Log = Box<dyn Fn(&EndpointLog) + Send + Sync>;

/// The options of [`ProjectGate`]; everything has a default.
#[derive(Default)]
pub struct GateOptions {
    header: Option<String>,
    query: Option<String>,
    policy: Option<Arc<Policy>>,
    allowed_dirs: Option<Vec<PathBuf>>,
    local: Option<bool>,
    require_path: Option<bool>,
    required: bool,
    max_pending: Option<usize>,
    adjust: Option<Adjust>,
    log: Option<Log>,
}

/// Where the log lines of a gate go.
struct GateLog(Option<Log>);

impl Observer for GateLog {
    fn log(&self, line: &EndpointLog) {
        match &self.0 {
            Some(log) => log(line),
            // The operator's own mistake, which nothing else shows.
            None if line.code == LogCode::AllowedDirUnusable => eprintln!("rootwise: {}", line.message),
            None => {}
        }
    }
}

impl GateOptions {
    /// The header that names the project, such as `X-Project-Path`.
    #[must_use]
    pub fn header(self, name: impl Into<String>) -> Self {
        Self { header: Some(name.into()), ..self }
    }

    /// The query parameter that names the project, such as `project_path`.
    #[must_use]
    pub fn query(self, name: impl Into<String>) -> Self {
        Self { query: Some(name.into()), ..self }
    }

    /// If neither is given: the policy whose headers and query parameters count; by default the recommended one.
    #[must_use]
    pub fn policy(self, policy: impl Into<Arc<Policy>>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// Confines every project to these folders, by real path. An empty list allows nothing.
    #[must_use]
    pub fn allowed_dirs<P: Into<PathBuf>>(self, folders: impl IntoIterator<Item = P>) -> Self {
        Self { allowed_dirs: Some(folders.into_iter().map(Into::into).collect()), ..self }
    }

    /// Whether the client's paths are valid on this machine; by default they are not.
    #[must_use]
    pub fn local(self, local: bool) -> Self {
        Self { local: Some(local), ..self }
    }

    /// Whether the project must be a folder that this process can use; by default as the policy says, and else it must.
    #[must_use]
    pub fn require_path(self, require_path: bool) -> Self {
        Self { require_path: Some(require_path), ..self }
    }

    /// Whether a request without a project is refused as well; by default it is not.
    #[must_use]
    pub fn required(self, required: bool) -> Self {
        Self { required, ..self }
    }

    /// How many requests are checked at once; the next ones are answered with status 503. By default 10,000.
    #[must_use]
    pub fn max_pending(self, max_pending: usize) -> Self {
        Self { max_pending: Some(max_pending), ..self }
    }

    /// Changes the facts that are collected about this process.
    #[must_use]
    pub fn host(self, adjust: impl Fn(&mut HostFacts) + 'static) -> Self {
        Self { adjust: Some(Box::new(adjust)), ..self }
    }

    /// Receives log lines. By default they are dropped, except those about allowed folders that are of no use, which go to the
    /// standard error output.
    #[must_use]
    pub fn log(self, log: impl Fn(&EndpointLog) + Send + Sync + 'static) -> Self {
        Self { log: Some(Box::new(log)), ..self }
    }

    /// Collects the facts of this process and checks everything.
    ///
    /// # Errors
    /// An option is invalid; the error names it.
    pub fn build(self) -> Result<ProjectGate, ConfigError> {
        if self.max_pending == Some(0) {
            return Err(ConfigError::new("maxPending", "must be a whole number above 0"));
        }
        let policy = self.gate_policy()?;
        let facts = self.facts(&policy)?;
        Ok(ProjectGate(Arc::new(Shared {
            host: Host::new(policy, &facts, Arc::new(GateLog(self.log)))?,
            required: self.required,
            max_pending: self.max_pending.unwrap_or(MAX_PENDING as usize),
            pending: Default::default(),
        })))
    }

    /// The part of the policy that concerns the gate.
    fn gate_policy(&self) -> Result<Policy, ConfigError> {
        let policy = self.policy.clone().unwrap_or_else(|| Arc::new(Policy::recommended()));
        let mut reads = GateReads::default();
        (reads.header, reads.query) = (self.header.clone(), self.query.clone());
        reads.require_path = self.require_path;
        gate_policy(&policy, &reads)
    }

    fn facts(&self, policy: &Policy) -> Result<HostFacts, ConfigError> {
        let mut facts = host_facts(Transport::Http, policy);
        facts.local = self.local;
        if let Some(adjust) = &self.adjust {
            adjust(&mut facts);
        }
        allow_only_given(&mut facts, self.allowed_dirs.as_deref())?;
        Ok(facts)
    }
}

impl fmt::Debug for GateOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("GateOptions");
        fields.field("policy", &self.policy).field("allowed_dirs", &self.allowed_dirs).finish_non_exhaustive()
    }
}
