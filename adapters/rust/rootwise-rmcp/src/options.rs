//! The options of a server.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rootwise::endpoint::action::EndpointLog;
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::host::Transport;
use rootwise::{ConfigError, HostFacts, Policy};
use rootwise_host::{Host, allow_only_given, host_facts};

use crate::listeners::Observers;
use crate::projects::{CODEX_META, Rootwise, Shared};
use crate::tools::{ToolNames, Tools};

type Adjust = Box<dyn Fn(&mut HostFacts)>;
pub(crate) type DirsOf = Box<dyn Fn(&RequestContext<RoleServer>) -> Result<Vec<PathBuf>, String> + Send + Sync>;
pub(crate) type CallerOf = Box<dyn Fn(&RequestContext<RoleServer>) -> Result<Option<String>, String> + Send + Sync>;
pub(crate) type LogTo = Box<dyn Fn(&EndpointLog) + Send + Sync>;

/// The options of [`Rootwise`]; everything has a default.
#[derive(Default)]
pub struct Options {
    policy: Option<Arc<Policy>>,
    require_path: Option<bool>,
    allowed_dirs: Option<Vec<PathBuf>>,
    allowed_dirs_of: Option<DirsOf>,
    caller_of: Option<CallerOf>,
    argument: Option<String>,
    declare: bool,
    tools: Option<ToolNames>,
    codex_meta: Option<bool>,
    adjust: Option<Adjust>,
    log: Option<LogTo>,
}

impl Options {
    /// Sets the policy; by default the recommended one.
    ///
    /// ```
    /// use rootwise::Policy;
    /// use rootwise_rmcp::Rootwise;
    ///
    /// // A list of roots counts for five seconds before the client is asked again.
    /// let policy = Policy::from_json(r#"{ "timing": { "maxAgeMs": 5000 } }"#)?;
    /// let projects = Rootwise::options().policy(policy).build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn policy(self, policy: impl Into<Arc<Policy>>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// Whether a project must have a `path`, a folder that this process can use: the default. `false` is for servers that need
    /// only the project's identity, from [`Rootwise::any_project`]: a folder on another machine is then a project too, with a
    /// `client_path`.
    #[must_use]
    pub fn require_path(self, require_path: bool) -> Self {
        Self { require_path: Some(require_path), ..self }
    }

    /// Confines every project to these folders, by real path. An empty list allows nothing.
    #[must_use]
    pub fn allowed_dirs<P: Into<PathBuf>>(self, folders: impl IntoIterator<Item = P>) -> Self {
        Self { allowed_dirs: Some(folders.into_iter().map(Into::into).collect()), ..self }
    }

    /// Confines the projects of each caller to folders of its own, which a function tells from the context of the call: the HTTP
    /// request in its extensions says who calls. A call has no project if the function fails. With
    /// [`allowed_dirs`](Self::allowed_dirs), both must hold. Connections then have no project of their own:
    /// [`Rootwise::on_change`] says nothing.
    ///
    /// ```
    /// use std::path::PathBuf;
    ///
    /// use rootwise_rmcp::Rootwise;
    ///
    /// let projects = Rootwise::options()
    ///     .allowed_dirs_of(|context| {
    ///         let parts = context.extensions.get::<http::request::Parts>().ok_or("not over HTTP")?;
    ///         let user = parts.headers.get("x-user").and_then(|user| user.to_str().ok()).ok_or("no user")?;
    ///         Ok::<_, &str>(vec![PathBuf::from("/srv").join(user)])
    ///     })
    ///     .build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn allowed_dirs_of<E: fmt::Display>(
        self,
        folders: impl Fn(&RequestContext<RoleServer>) -> Result<Vec<PathBuf>, E> + Send + Sync + 'static,
    ) -> Self {
        let dirs_of = move |context: &RequestContext<RoleServer>| folders(context).map_err(|error| error.to_string());
        Self { allowed_dirs_of: Some(Box::new(dirs_of)), ..self }
    }

    /// Tells who makes a call over HTTP that belongs to no session, from the context of the call, so that what the caller selects
    /// counts for its next calls. Return what the server has verified, such as the user that an authentication layer put into the
    /// extensions of the HTTP request, and never what a client says about itself; `None` for a caller that is not known. A call
    /// has no project if the function fails. The memory is that of this process: see [`replicas`](Self::replicas).
    ///
    /// ```
    /// use std::convert::Infallible;
    ///
    /// use rootwise_rmcp::Rootwise;
    ///
    /// /// What an authentication layer puts into the extensions of a request.
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// let projects = Rootwise::options()
    ///     .caller_of(|context| {
    ///         let parts = context.extensions.get::<http::request::Parts>();
    ///         let user = parts.and_then(|parts| parts.extensions.get::<User>());
    ///         Ok::<_, Infallible>(user.map(|User(name)| name.clone()))
    ///     })
    ///     .build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn caller_of<E: fmt::Display>(
        self,
        caller: impl Fn(&RequestContext<RoleServer>) -> Result<Option<String>, E> + Send + Sync + 'static,
    ) -> Self {
        let caller_of = move |context: &RequestContext<RoleServer>| caller(context).map_err(|error| error.to_string());
        Self { caller_of: Some(Box::new(caller_of)), ..self }
    }

    /// Whether several processes serve the clients over HTTP. Then nothing is remembered between calls that belong to no session,
    /// because the processes would disagree, and a selection is answered with a handle, which all of them understand.
    #[must_use]
    pub fn replicas(self, replicas: bool) -> Self {
        self.host(move |facts| facts.replicas = replicas)
    }

    /// The parameter of the server's tools and prompts that takes a project path. It is read from every call that has it, and
    /// advice names it.
    ///
    /// ```
    /// use rootwise_rmcp::Rootwise;
    ///
    /// // Tools that have a parameter `project_path` work in the folder that it names.
    /// let projects = Rootwise::options().argument("project_path").build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn argument(self, name: impl Into<String>) -> Self {
        Self { argument: Some(name.into()), ..self }
    }

    /// Whether the parameter of [`argument`](Self::argument), which is optional, is added to every tool that has none, where
    /// clients list the tools. Rootwise reads it and takes it out of the call, so that tools which refuse unknown arguments work
    /// as before.
    #[must_use]
    pub fn declare(self, declare: bool) -> Self {
        Self { declare, ..self }
    }

    /// Adds ready-made tools to the server: one that explains the project, one that switches it, one that lists the client's
    /// roots.
    ///
    /// ```
    /// use rootwise_rmcp::{Rootwise, ToolNames};
    ///
    /// // which_project, switch_project and list_roots
    /// let projects = Rootwise::options().tools(ToolNames::default()).build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn tools(self, names: ToolNames) -> Self {
        Self { tools: Some(names), ..self }
    }

    /// Whether the server declares the experimental capability `codex/sandbox-state-meta`, so that Codex names its folder in
    /// every call; by default it does, if the policy reads it.
    #[must_use]
    pub fn codex_meta(self, declare: bool) -> Self {
        Self { codex_meta: Some(declare), ..self }
    }

    /// Whether the client's paths are valid on this machine; by default they are over the standard input and output of this
    /// process and to clients inside it, and are not over HTTP, sockets and other transports. Say so for a server on the
    /// user's own machine.
    #[must_use]
    pub fn local(self, local: bool) -> Self {
        self.host(move |facts| facts.local = Some(local))
    }

    /// Changes the facts that are collected about this process. They count for every transport.
    #[must_use]
    pub fn host(mut self, adjust: impl Fn(&mut HostFacts) + 'static) -> Self {
        let earlier = self.adjust.take();
        self.adjust = Some(Box::new(move |facts| {
            if let Some(earlier) = &earlier {
                earlier(facts);
            }
            adjust(facts);
        }));
        self
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
    pub fn build(self) -> Result<Rootwise, ConfigError> {
        let policy = self.checked_policy()?;
        let facts = self.facts(&policy)?;
        let observers = Arc::new(Observers { log: self.log, ..Observers::default() });
        let host = Host::new(policy, &facts, observers.clone())?;
        let reads_codex = host.inputs().meta.iter().any(|names| names.first().is_some_and(|name| name == CODEX_META));
        Ok(Rootwise::new(Shared {
            host,
            local: facts.local,
            argument: facts.tool_argument,
            declare: self.declare,
            tools: self.tools.map(Tools::new).unwrap_or_default(),
            codex_meta: reads_codex && self.codex_meta.unwrap_or(true),
            dirs_of: self.allowed_dirs_of,
            caller_of: self.caller_of,
            observers,
        }))
    }

    fn checked_policy(&self) -> Result<Arc<Policy>, ConfigError> {
        let policy = self.policy.clone().unwrap_or_else(|| Arc::new(Policy::recommended()));
        if policy.config().require_path == self.require_path.unwrap_or(true) {
            return Ok(policy);
        }
        let Some(require_path) = self.require_path else {
            let text =
                "this policy allows projects without a path; set `require_path(false)`, or `true` to refuse them";
            return Err(ConfigError::new("requirePath", text));
        };
        let mut config = Policy::clone(&policy).into_config();
        config.require_path = require_path;
        Policy::try_from(config).map(Arc::new)
    }

    fn facts(&self, policy: &Policy) -> Result<HostFacts, ConfigError> {
        if self.argument.as_deref() == Some("") {
            return Err(ConfigError::new("argument", "must be the name of an argument"));
        }
        if self.argument.is_some() && !PolicyInputs::of(policy).argument {
            let text = "the policy has no source \"argument\", so nothing would read it; add { \"from\": \"argument\" } to its \
                        sources, or leave the option out";
            return Err(ConfigError::new("argument", text));
        }
        if self.declare && self.argument.is_none() {
            return Err(ConfigError::new(
                "declare",
                "needs the option argument, the name of the parameter that it declares",
            ));
        }
        let mut facts = host_facts(Transport::Stdio, policy);
        facts.tool_argument.clone_from(&self.argument);
        facts.select_tool = self.tools.as_ref().and_then(|names| names.switch.as_ref()).map(ToString::to_string);
        if let Some(adjust) = &self.adjust {
            adjust(&mut facts);
        }
        allow_only_given(&mut facts, self.allowed_dirs.as_deref())?;
        Ok(facts)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Options");
        fields.field("policy", &self.policy).field("allowed_dirs", &self.allowed_dirs).finish_non_exhaustive()
    }
}
