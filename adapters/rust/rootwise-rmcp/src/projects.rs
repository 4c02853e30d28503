//! The projects of a server's clients.

mod listeners;

use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::service::RequestContext;
use rootwise::action::{Answer, Level};
use rootwise::event::{AskBy, Asked, SelectBy, Selected, SelectionCleared, Want};
use rootwise::host::Transport;
use rootwise::{ConfigError, Explanation, HostFacts, Outcome, Policy, Project, Reason};
use rootwise_host::{Connection, LogLine, PolicyInputs, Question, Roots, Sender, project_of, resolve_inside_in_time};

use crate::call::{Call, Manner, call_of, http_of};
use crate::error::NoProject;
use crate::options::{LogTo, Options};
use crate::sender::PeerSender;
use crate::session::{ProjectChange, RootsChange};
use crate::streams::{Arrival, Broken};
use crate::tools::Tools;
use crate::wrapper::WithProjects;
use listeners::Listeners;

/// Tells the handlers of a server which project their call belongs to. Cheap to clone.
#[derive(Clone)]
pub struct Projects(Arc<Shared>);

/// What Codex adds to `_meta` if the server declares an experimental capability of the same name.
pub(crate) const CODEX_META: &str = "codex/sandbox-state-meta";

/// The facts of this process, by transport.
pub(crate) struct Hosts {
    pub(crate) stdio: Arc<HostFacts>,
    pub(crate) http: Arc<HostFacts>,
    pub(crate) other: Arc<HostFacts>,
}

/// What all sessions of a server share.
pub(crate) struct Shared {
    pub(crate) policy: Arc<Policy>,
    pub(crate) inputs: PolicyInputs,
    /// The parameter of the server's tools and prompts that takes a project.
    pub(crate) argument: Option<String>,
    /// The ready-made tools.
    pub(crate) tools: Tools,
    pub(crate) listeners: Listeners<ProjectChange>,
    pub(crate) roots_listeners: Listeners<RootsChange>,
    hosts: Hosts,
    /// Whether the server asks Codex for its folder.
    pub(crate) codex_meta: bool,
    log: Option<LogTo>,
    told_stateless: AtomicBool,
}

impl Shared {
    pub(crate) const fn host(&self, transport: Transport) -> &Arc<HostFacts> {
        match transport {
            Transport::Stdio => &self.hosts.stdio,
            Transport::Http => &self.hosts.http,
            Transport::Other => &self.hosts.other,
        }
    }

    pub(crate) fn log(&self, line: &LogLine) {
        if let Some(log) = &self.log {
            // The panic hook has reported it; the call goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| log(line)));
        }
    }

    pub(crate) fn tell_stateless(&self, what: &str) {
        if self.log.is_some() && !self.told_stateless.swap(true, Ordering::Relaxed) {
            let more = "Clients of 2026-07-28 send their roots with the call; for earlier ones, use a transport with sessions.";
            self.log(&LogLine::new(Level::Info, "cannot_ask", format!("{what} {more}")));
        }
    }
}

/// What a handler knows about its project besides the context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The project that the call names, as a path or `file:` URI, usually an argument of the tool.
    pub argument: Option<String>,
    /// A path that the call touches, to choose between several roots.
    pub target: Option<String>,
    /// The project that the server itself knows for the caller, such as the workspace of an authenticated user.
    pub host: Option<String>,
}

impl Hints {
    /// The project that the call names.
    #[must_use]
    pub fn argument(project: impl Into<String>) -> Self {
        Self { argument: Some(project.into()), ..Self::default() }
    }

    /// A path that the call touches.
    #[must_use]
    pub fn target(path: impl Into<String>) -> Self {
        Self { target: Some(path.into()), ..Self::default() }
    }

    /// The project that the server itself knows for the caller.
    #[must_use]
    pub fn host(project: impl Into<String>) -> Self {
        Self { host: Some(project.into()), ..Self::default() }
    }
}

/// A project with a folder that this process can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalProject(Arc<Project>);

impl LocalProject {
    /// Fails for a project without a path.
    fn new(project: Arc<Project>) -> Result<Self, NoProject> {
        if project.path.is_some() {
            return Ok(Self(project));
        }
        // Only a policy that does not require a path gets here.
        let reason = if project.client_path.is_some() { Reason::OtherMachine } else { Reason::NoPath };
        Err(rootwise_host::NoProject::new(reason.code(), format!("The project cannot be used here: {reason}.")).into())
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(self.0.path.as_deref().unwrap_or_default())
    }

    /// All that is known of the project.
    #[must_use]
    pub fn into_project(self) -> Arc<Project> {
        self.0
    }
}

impl Deref for LocalProject {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

/// An accepted selection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The project.
    pub project: Arc<Project>,
    /// The policy's confirmation.
    pub message: String,
}

impl Projects {
    /// Projects by the recommended policy.
    ///
    /// # Errors
    /// A fact about this process cannot work; the error names it.
    pub fn recommended() -> Result<Self, ConfigError> {
        Options::default().build()
    }

    /// Starts options; everything has a default.
    #[must_use]
    pub fn options() -> Options {
        Options::default()
    }

    pub(crate) fn new(policy: Arc<Policy>, hosts: Hosts, tools: Tools, codex_meta: bool, log: Option<LogTo>) -> Self {
        let inputs = PolicyInputs::of(&policy);
        let codex_meta = codex_meta && inputs.meta.contains(CODEX_META);
        let argument = hosts.stdio.tool_argument.clone();
        let (listeners, roots_listeners, told_stateless) = Default::default();
        Self(Arc::new(Shared {
            policy,
            inputs,
            argument,
            tools,
            listeners,
            roots_listeners,
            hosts,
            codex_meta,
            log,
            told_stateless,
        }))
    }

    /// Makes a server of this handler, for one client: create it in the factory of an HTTP service.
    pub fn wrap<S: ServerHandler>(&self, handler: S) -> WithProjects<S> {
        WithProjects::new(handler, self.0.clone())
    }

    /// Returns the project of this call. Call it first in a handler: a client of 2026-07-28 that has to be asked repeats the
    /// call, and earlier statements run twice.
    ///
    /// # Errors
    /// No project was found. Return the error, and the model reads the cause and the next step.
    pub async fn project(&self, context: &RequestContext<RoleServer>) -> Result<LocalProject, NoProject> {
        match known(context) {
            Some(project) => LocalProject::new(project),
            // Boxed, so that the futures of tools stay small.
            None => Box::pin(self.project_with(context, Hints::default())).await,
        }
    }

    /// As [`project`](Self::project), with what the handler knows besides the context.
    ///
    /// # Errors
    /// No project was found.
    pub async fn project_with(
        &self,
        context: &RequestContext<RoleServer>,
        hints: Hints,
    ) -> Result<LocalProject, NoProject> {
        LocalProject::new(self.any_project(context, hints).await?)
    }

    /// As [`project_with`](Self::project_with), for servers that need only the project's identity: with the option
    /// [`require_path(false)`](Options::require_path), a folder on another machine is a project too.
    ///
    /// # Errors
    /// No project was found.
    pub async fn any_project(
        &self,
        context: &RequestContext<RoleServer>,
        hints: Hints,
    ) -> Result<Arc<Project>, NoProject> {
        let named = call_of(context).and_then(Call::named).cloned();
        let question = |manner: &Manner| {
            let mut asked = asked(manner, hints);
            asked.facts.argument = asked.facts.argument.or(named);
            asked.into()
        };
        let answer = self.ask(context, question).await?;
        Ok(project_of(answer)?)
    }

    /// Returns the project of this call as far as it is known; sends nothing and never waits.
    #[must_use]
    pub fn current(&self, context: &RequestContext<RoleServer>) -> Option<Arc<Project>> {
        let call = call_of(context)?;
        let asked = asked(&call.manner(context), Hints::default());
        let answer = connection_of(call, context)?.peek(Asked { ask_by: Some(AskBy::None), ..asked })?;
        project_of(answer).ok()
    }

    /// Returns the client's roots, each verified on disk where this machine may and can do so.
    ///
    /// # Errors
    /// The client must be asked first, or the connection ended.
    pub async fn roots(&self, context: &RequestContext<RoleServer>) -> Result<Roots, NoProject> {
        let question = |manner: &Manner| Asked { want: Want::Roots, ..asked(manner, Hints::default()) }.into();
        let answer = self.ask(context, question).await?;
        let Outcome::Listed { roots, state } = answer.outcome else {
            return Err(rootwise_host::NoProject::from(answer).into());
        };
        Ok(Roots::new(roots, state))
    }

    /// Returns the real path of a file or folder inside the client's roots. A relative path starts from the call's project.
    ///
    /// # Errors
    /// The path is outside every root, or no root can be used on this machine; the text says which.
    pub async fn resolve(&self, context: &RequestContext<RoleServer>, path: &str) -> Result<PathBuf, NoProject> {
        let roots = self.roots(context).await?;
        let base = self.current(context).and_then(|project| project.path.clone());
        let base = base.or_else(|| roots.first_usable().and_then(|view| view.root.path.clone()));
        let (path, policy) = (path.to_owned(), self.0.policy.clone());
        let check = move || {
            let folders = roots.usable_folders()?;
            resolve_inside_in_time(folders, &path, base.map(PathBuf::from), &policy)
        };
        let checked = tokio::task::spawn_blocking(check).await.map_err(|_| rootwise_host::NoProject::closed())?;
        checked.map_err(|refusal| {
            let error = NoProject::from(rootwise_host::NoProject::new(refusal.code, refusal.message));
            if let Some(call) = call_of(context) {
                call.failed(error.to_string());
            }
            error
        })
    }

    /// Selects the project of this connection: by [`SelectBy::Value`], a path, a `file:` URI or the name of a root.
    ///
    /// # Errors
    /// The selection was refused, or the client must name its project in every call.
    pub async fn select(&self, context: &RequestContext<RoleServer>, by: SelectBy) -> Result<Selection, NoProject> {
        let question = |manner: &Manner| {
            let Manner { facts, ask_by, .. } = manner.clone();
            Selected { ask_by, facts, ..Selected::new(0, by) }.into()
        };
        let answer = self.ask(context, question).await?;
        match answer.outcome {
            Outcome::Selected { project, message } => Ok(Selection { project, message }),
            _ => Err(rootwise_host::NoProject::from(answer).into()),
        }
    }

    /// Removes the selection; returns the project that counts instead.
    ///
    /// # Errors
    /// The policy does not let the project change, the client must be asked first, or the connection ended.
    pub async fn unselect(&self, context: &RequestContext<RoleServer>) -> Result<Option<Arc<Project>>, NoProject> {
        let question = |manner: &Manner| {
            let Manner { facts, ask_by, .. } = manner.clone();
            SelectionCleared { ask_by, facts, ..SelectionCleared::default() }.into()
        };
        let answer = self.ask_any(context, question).await?;
        match answer.outcome {
            Outcome::Refused(_) => Err(rootwise_host::NoProject::from(answer).into()),
            _ => Ok(project_of(answer).ok()),
        }
    }

    /// Returns the result of every source for this call; `text` is a small table.
    ///
    /// # Errors
    /// The client must be asked first, or the connection ended.
    pub async fn explain(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Explanation>, NoProject> {
        let question = |manner: &Manner| Asked { explain: true, ..asked(manner, Hints::default()) }.into();
        let mut answer = self.ask_any(context, question).await?;
        match answer.explanation.take() {
            Some(explanation) => Ok(explanation),
            None => Err(rootwise_host::NoProject::from(answer).into()),
        }
    }

    /// Calls a function whenever the project of a client changes.
    pub fn on_change(&self, listener: impl Fn(&ProjectChange) + Send + Sync + 'static) -> Subscription {
        let id = self.0.listeners.add(listener);
        self.subscription(move |shared| shared.listeners.remove(id))
    }

    /// Calls a function whenever the roots of a client change.
    pub fn on_roots_change(&self, listener: impl Fn(&RootsChange) + Send + Sync + 'static) -> Subscription {
        let id = self.0.roots_listeners.add(listener);
        self.subscription(move |shared| shared.roots_listeners.remove(id))
    }

    fn subscription(&self, remove: impl FnOnce(&Shared) + Send + Sync + 'static) -> Subscription {
        Subscription { shared: Arc::downgrade(&self.0), remove: Box::new(remove) }
    }

    /// Asks, and fails without a project.
    async fn ask(
        &self,
        context: &RequestContext<RoleServer>,
        question: impl FnOnce(&Manner) -> Question,
    ) -> Result<Answer, NoProject> {
        let call = call_of(context).ok_or_else(unwrapped)?;
        let answer = self.ask_any(context, question).await;
        let answer = match answer {
            Ok(answer) => match answer.outcome {
                Outcome::Refused(_) => Err(rootwise_host::NoProject::from(answer).into()),
                Outcome::Unresolved(_) => {
                    let note = call.manner(context).note;
                    let error = rootwise_host::NoProject::from(answer);
                    Err(note.map(|note| error.clone().with_note(note)).unwrap_or(error).into())
                }
                _ => return Ok(answer),
            },
            Err(error) => Err(error),
        };
        answer.inspect_err(|error: &NoProject| call.failed(error.to_string()))
    }

    /// Asks; only a client that must be asked first, or the end of the call or connection, is an error.
    async fn ask_any(
        &self,
        context: &RequestContext<RoleServer>,
        question: impl FnOnce(&Manner) -> Question,
    ) -> Result<Answer, NoProject> {
        let call = call_of(context).ok_or_else(unwrapped)?;
        if call.is_over() {
            return Err(rootwise_host::NoProject::call_over().into());
        }
        call.asked();
        let connection = connection_of(call, context).ok_or_else(rootwise_host::NoProject::closed)?;
        let manner = call.manner(context);
        if let Some(arrival) = http_of(context).and_then(|parts| parts.extensions.get::<Arrival>()) {
            arrival.in_turn().await;
        }
        let stream = http_of(context).and_then(|parts| parts.extensions.get::<Broken>());
        let can_send = !manner.modern && manner.note.is_none();
        let sender = || {
            let call = Some(context.id.clone());
            let sender = PeerSender { peer: context.peer.clone(), call, broken: stream.cloned() };
            can_send.then(|| Arc::new(sender) as Arc<dyn Sender>)
        };
        let mut answer = pin!(connection.question_with(question(&manner), sender));
        let mut watched = stream;
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break answer?,
                // rmcp lets the handler of a cancelled call run on.
                () = context.ct.cancelled() => return Err(rootwise_host::NoProject::cancelled().into()),
                () = call.over() => return Err(rootwise_host::NoProject::call_over().into()),
                // The question ends with its stream: whether the client resumes it is unknown, and others need its request.
                () = broken(watched), if watched.is_some() => {
                    watched = None;
                    connection.channel_closed();
                }
            }
        };
        if let Outcome::NeedsInput { .. } = answer.outcome {
            if !call.needs_input() {
                return Err(rootwise_host::NoProject::call_over().into());
            }
            return Err(rootwise_host::NoProject::from(answer).into());
        }
        Ok(answer)
    }

    /// Whether this call would have to ask the client for its project.
    pub(crate) async fn would_need(&self, context: &RequestContext<RoleServer>) -> bool {
        let Some(call) = call_of(context) else { return false };
        let Some(connection) = connection_of(call, context) else { return false };
        let question = asked(&call.manner(context), Hints::default());
        let answer = tokio::select! {
            answer = connection.question(question, None) => answer,
            () = context.ct.cancelled() => return false,
        };
        answer.is_ok_and(|answer| matches!(answer.outcome, Outcome::NeedsInput { .. }))
    }

    pub(crate) fn of(shared: &Arc<Shared>) -> Self {
        Self(shared.clone())
    }
}

impl fmt::Debug for Projects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Projects").field("policy", &self.0.policy.name).finish_non_exhaustive()
    }
}

/// A listener that was registered.
pub struct Subscription {
    shared: Weak<Shared>,
    remove: Box<dyn FnOnce(&Shared) + Send + Sync>,
}

impl Subscription {
    /// Removes the listener. A subscription that is dropped stays.
    pub fn cancel(self) {
        if let Some(shared) = self.shared.upgrade() {
            (self.remove)(&shared);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Subscription").finish_non_exhaustive()
    }
}

fn asked(manner: &Manner, hints: Hints) -> Asked {
    let Manner { mut facts, ask_by, .. } = manner.clone();
    facts.argument = hints.argument.map(Into::into);
    facts.host = hints.host;
    Asked { ask_by, facts, target: hints.target, ..Asked::default() }
}

/// The project of a call that brings nothing of its own, if the last answer still holds.
fn known(context: &RequestContext<RoleServer>) -> Option<Arc<Project>> {
    let call = call_of(context)?;
    if call.is_modern() || call.is_over() || call.named().is_some() {
        return None;
    }
    let http = http_of(context);
    let arrival = http.and_then(|parts| parts.extensions.get::<Arrival>());
    if arrival.is_some_and(|arrival| !arrival.is_first()) {
        return None;
    }
    let manner = call.manner(context);
    let is_plain = manner.ask_by.is_none() && manner.facts.is_empty();
    is_plain.then(|| call.session().connection(&context.peer, http.is_some())?.known()).flatten()
}

fn connection_of<'c>(call: &'c Call, context: &RequestContext<RoleServer>) -> Option<&'c Connection> {
    call.session().connection(&context.peer, http_of(context).is_some())
}

/// Ends when a stream breaks.
async fn broken(stream: Option<&Broken>) {
    match stream {
        Some(stream) => stream.0.wait().await,
        None => std::future::pending().await,
    }
}

fn unwrapped() -> NoProject {
    let text = "bad options at context: this call did not pass through `Projects::wrap` or `Projects::serve`; wrap the server's handler";
    rootwise_host::NoProject::new("bad_options", text).into()
}
