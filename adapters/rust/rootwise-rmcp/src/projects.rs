//! The projects of a server's clients.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::service::RequestContext;
use rootwise::action::Answer;
use rootwise::endpoint::event::{CallAsked, CallCleared, CallSelected, EndpointEvent, RootsWatched};
use rootwise::event::{SelectBy, Want};
use rootwise::host_problem::HostProblem;
use rootwise::path::PathProblem;
use rootwise::{CallId, ConfigError, Explanation, Project, Reason};
use rootwise_host::{
    Host, NoProject, PathRefusal, Roots, Selection, explanation_of, is_inside, project_and_hints_of, project_of,
    resolve_file_in_time, roots_of, selection_of, unselected_of,
};

use crate::call::call_of;
use crate::listeners::{Observers, ProjectChange, RootsChange};
use crate::options::{CallerOf, DirsOf, Options};
use crate::tools::Tools;
use crate::wrapper::WithProjects;

/// Tells the handlers of a server which project their call belongs to. Cheap to clone.
#[derive(Clone)]
pub struct Rootwise(Arc<Shared>);

/// What Codex adds to `_meta` if the server declares an experimental capability of the same name.
pub(crate) const CODEX_META: &str = "codex/sandbox-state-meta";

/// What all sessions of a server share.
pub(crate) struct Shared {
    pub(crate) host: Host,
    /// Whether clients are on this machine, if an option says so.
    pub(crate) local: Option<bool>,
    /// The parameter of the server's tools and prompts that takes a project.
    pub(crate) argument: Option<String>,
    /// Whether tools that lack the parameter get it.
    pub(crate) declare: bool,
    /// The ready-made tools.
    pub(crate) tools: Tools,
    /// Whether the server asks Codex for its folder.
    pub(crate) codex_meta: bool,
    /// Tells the folders of a caller.
    pub(crate) dirs_of: Option<DirsOf>,
    /// Tells who a caller is.
    pub(crate) caller_of: Option<CallerOf>,
    pub(crate) observers: Arc<Observers>,
}

/// What a handler knows about its project besides the context. Each constructor sets one field; set others besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// The project that the call names, as a path or `file:` URI, usually an argument of the tool. The policy needs a source
    /// `argument`.
    pub argument: Option<String>,
    /// A path that the call touches, to choose between several roots and to find its package.
    pub target: Option<String>,
    /// The project that the server itself knows for the caller, such as the workspace of an authenticated user.
    pub server: Option<String>,
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
    pub fn server(project: impl Into<String>) -> Self {
        Self { server: Some(project.into()), ..Self::default() }
    }
}

/// A project with a folder that this process can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalProject(Arc<Project>);

/// Fails for a project without a path, which only a policy with `require_path: false` accepts.
impl TryFrom<Arc<Project>> for LocalProject {
    type Error = NoProject;

    fn try_from(project: Arc<Project>) -> Result<Self, NoProject> {
        if project.path.is_some() {
            return Ok(Self(project));
        }
        let reason = if project.client_path.is_some() { Reason::OtherMachine } else { Reason::NoPath };
        Err(NoProject::new(reason, format!("The project cannot be used here: {reason}.")))
    }
}

impl LocalProject {
    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(self.0.path.as_deref().unwrap_or_default())
    }

    /// The name of its folder, or the name it was selected by, as the peer wrote it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The name made safe to show.
    #[must_use]
    pub fn display_name(&self) -> &str {
        &self.0.display_name
    }

    /// The identity: the same folder has the same key whatever its spelling.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// A short hash of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// A folder name for it, safe on every system.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.0.slug
    }

    /// All that is known of the project.
    #[must_use]
    pub const fn project(&self) -> &Arc<Project> {
        &self.0
    }

    /// The same, without the promise of a path.
    #[must_use]
    pub fn into_project(self) -> Arc<Project> {
        self.0
    }
}

impl AsRef<Project> for LocalProject {
    fn as_ref(&self) -> &Project {
        &self.0
    }
}

type Context = RequestContext<RoleServer>;

impl Rootwise {
    /// Projects by the recommended policy.
    ///
    /// # Errors
    /// A fact about this process is invalid; the error names it.
    pub fn recommended() -> Result<Self, ConfigError> {
        Options::default().build()
    }

    /// Starts options; everything has a default.
    #[must_use]
    pub fn options() -> Options {
        Options::default()
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    pub(crate) fn of(shared: &Arc<Shared>) -> Self {
        Self(shared.clone())
    }

    /// Makes a server of this handler, for one client: create it in the factory of an HTTP service.
    pub fn wrap<S: ServerHandler>(&self, handler: S) -> WithProjects<S> {
        WithProjects::new(handler, self.0.clone())
    }

    /// Returns the project of this call. Call it first in a handler: a client of 2026-07-28 that has to be asked repeats the
    /// call, and earlier statements run twice.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn count_files(projects: &Rootwise, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     let project = projects.project(&context).await?;
    ///     let files = std::fs::read_dir(project.path()).map_or(0, Iterator::count);
    ///     Ok(format!("{files} files"))
    /// }
    /// ```
    ///
    /// # Errors
    /// No project was found. Return the error, and the model reads the cause and the next step.
    pub async fn project(&self, context: &Context) -> Result<LocalProject, NoProject> {
        match call_of(context).and_then(|call| call.known(context)) {
            Some(project) => project.try_into(),
            // Boxed, so that the futures of tools stay small.
            None => Box::pin(self.project_with(context, Hints::default())).await,
        }
    }

    /// As [`project`](Self::project), with what the handler knows besides the context.
    ///
    /// # Errors
    /// No project was found.
    pub async fn project_with(&self, context: &Context, hints: Hints) -> Result<LocalProject, NoProject> {
        self.any_project(context, hints).await?.try_into()
    }

    /// As [`project_with`](Self::project_with), for servers that need only the project's identity: with the option
    /// [`require_path(false)`](Options::require_path), a folder on another machine is a project too.
    ///
    /// # Errors
    /// No project was found.
    pub async fn any_project(&self, context: &Context, hints: Hints) -> Result<Arc<Project>, NoProject> {
        self.ask(context, |call| asked_with(call, hints), project_of).await
    }

    /// Returns the project of this call as far as it is known; sends nothing and never waits.
    #[must_use]
    pub fn current(&self, context: &Context) -> Option<Arc<Project>> {
        self.current_with(context, Hints::default())
    }

    /// As [`current`](Self::current), with what the handler knows besides the context.
    #[must_use]
    pub fn current_with(&self, context: &Context, hints: Hints) -> Option<Arc<Project>> {
        let peek = |call| {
            let mut asked = asked_with(call, hints);
            asked.peek = true;
            asked
        };
        let call = call_of(context)?;
        call.identify(context).ok()?;
        project_of(call.peek(context, peek).ok()?).ok()
    }

    /// As [`project`](Self::project), with the policy's hints, which the tool shows beside its result. A hint that comes once per
    /// connection comes with the first call that asks for hints. `facts` is what the handler knows, as for
    /// [`project_with`](Self::project_with).
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{Hints, NoProject, Rootwise};
    ///
    /// async fn search(projects: &Rootwise, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     let (project, hints) = projects.project_and_hints(&context, Hints::default()).await?;
    ///     Ok(format!("found in {}\n{}", project.path().display(), hints.join("\n")))
    /// }
    /// ```
    ///
    /// # Errors
    /// No project was found.
    pub async fn project_and_hints(
        &self,
        context: &Context,
        facts: Hints,
    ) -> Result<(LocalProject, Vec<String>), NoProject> {
        let asked = |call| {
            let Hints { argument, target, server } = facts;
            let mut asked = asked(call);
            (asked.argument, asked.target, asked.server) = (argument.map(Into::into), target, server);
            asked.hints = true;
            asked
        };
        let (project, hints) = self.ask(context, asked, project_and_hints_of).await?;
        Ok((project.try_into()?, hints))
    }

    /// Returns the client's roots, each verified on disk where this machine may and can do so.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn folders(projects: &Rootwise, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     let roots = projects.roots(&context).await?;
    ///     let usable = roots.roots.iter().filter_map(|root| root.real_path.as_deref());
    ///     Ok(usable.collect::<Vec<_>>().join("\n"))
    /// }
    /// ```
    ///
    /// # Errors
    /// The client must be asked first, or the connection ended.
    pub async fn roots(&self, context: &Context) -> Result<Roots, NoProject> {
        let asked = |call| {
            let mut asked = asked(call);
            asked.want = Want::Roots;
            asked
        };
        self.ask(context, asked, roots_of).await
    }

    /// Returns the real path of a file or folder inside any of the client's roots, for a client that has roots. A relative path
    /// starts from the call's project. [`resolve_file`](Self::resolve_file) finds a file inside the project alone.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn size(projects: &Rootwise, path: &str, context: RequestContext<RoleServer>) -> Result<u64, NoProject> {
    ///     let path = projects.resolve(&context, path).await?;
    ///     Ok(path.metadata().map_or(0, |found| found.len()))
    /// }
    /// ```
    ///
    /// # Errors
    /// The path is outside every root, or no root can be used on this machine; the text says which.
    pub async fn resolve(&self, context: &Context, path: &str) -> Result<PathBuf, NoProject> {
        let roots = self.roots(context).await?;
        let project = match &self.0.dirs_of {
            Some(_) => self.any_project(context, Hints::default()).await.ok(),
            None => self.current(context),
        };
        let (path, policy) = (path.to_owned(), self.0.host.policy().clone());
        checked(move || roots.resolve(&path, project.as_deref(), &policy)).await
    }

    /// Returns the real path of a file or folder inside the project of this call, from whichever source the project came; see
    /// [`resolve_file`](rootwise_host::resolve_file).
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn size(projects: &Rootwise, file: &str, context: RequestContext<RoleServer>) -> Result<u64, NoProject> {
    ///     let file = projects.resolve_file(&context, file).await?;
    ///     Ok(file.metadata().map_or(0, |found| found.len()))
    /// }
    /// ```
    ///
    /// # Errors
    /// No project was found, or the path is not inside it; the text says which part is wrong and where it leads.
    pub async fn resolve_file(&self, context: &Context, file: &str) -> Result<PathBuf, NoProject> {
        let project = self.any_project(context, Hints::default()).await?;
        let (file, policy) = (file.to_owned(), self.0.host.policy().clone());
        checked(move || resolve_file_in_time(project, &file, &policy)).await
    }

    /// Whether a path is inside the client's roots, by real path; see [`resolve`](Self::resolve).
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn may_read(projects: &Rootwise, path: &str, context: RequestContext<RoleServer>) -> Result<bool, NoProject> {
    ///     projects.inside(&context, path).await
    /// }
    /// ```
    ///
    /// # Errors
    /// The client must be asked first, the connection ended, or the disk does not answer.
    pub async fn inside(&self, context: &Context, path: &str) -> Result<bool, NoProject> {
        is_inside(self.resolve(context, path).await)
    }

    /// Selects the project of this connection: by [`SelectBy::Value`], a path, a `file:` URI or the name of a root.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise::event::SelectBy;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn switch(projects: &Rootwise, to: String, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     Ok(projects.select(&context, SelectBy::Value(to)).await?.message)
    /// }
    /// ```
    ///
    /// # Errors
    /// The selection was refused, or the client must name its project in every call.
    pub async fn select(&self, context: &Context, by: SelectBy) -> Result<Selection, NoProject> {
        let selected = |call| {
            let mut selected = CallSelected::new(0, by);
            selected.call = Some(call);
            selected
        };
        self.ask(context, selected, selection_of).await
    }

    /// Removes the selection; returns the project that counts instead, if there is one.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn back(projects: &Rootwise, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     let project = projects.unselect(&context).await?;
    ///     Ok(project.map_or_else(|| "no project".into(), |project| project.name.clone()))
    /// }
    /// ```
    ///
    /// # Errors
    /// The policy does not let the project change, the client must be asked first, or the connection ended.
    pub async fn unselect(&self, context: &Context) -> Result<Option<Arc<Project>>, NoProject> {
        let cleared = |call| {
            let mut cleared = CallCleared::new(0);
            cleared.call = Some(call);
            cleared
        };
        self.ask(context, cleared, unselected_of).await
    }

    /// Returns the result of every source for this call; `text` is a small table.
    ///
    /// ```
    /// use rmcp::RoleServer;
    /// use rmcp::service::RequestContext;
    /// use rootwise_rmcp::{NoProject, Rootwise};
    ///
    /// async fn why(projects: &Rootwise, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
    ///     Ok(projects.explain(&context).await?.text.clone())
    /// }
    /// ```
    ///
    /// # Errors
    /// The client must be asked first, or the connection ended.
    pub async fn explain(&self, context: &Context) -> Result<Arc<Explanation>, NoProject> {
        self.explain_with(context, Hints::default()).await
    }

    /// As [`explain`](Self::explain), with what the handler knows besides the context.
    ///
    /// # Errors
    /// The client must be asked first, or the connection ended.
    pub async fn explain_with(&self, context: &Context, hints: Hints) -> Result<Arc<Explanation>, NoProject> {
        let asked = |call| {
            let mut asked = asked_with(call, hints);
            asked.explain = true;
            asked
        };
        self.ask(context, asked, explanation_of).await
    }

    /// Calls a function whenever the project of a client changes.
    ///
    /// ```
    /// use rootwise_rmcp::Rootwise;
    ///
    /// let projects = Rootwise::recommended()?;
    /// let subscription = projects.on_change(|change| match (&change.project, change.ended) {
    ///     (Some(project), _) => eprintln!("now in {}", project.display_name),
    ///     (None, true) => eprintln!("the client is gone"),
    ///     (None, false) => eprintln!("no project"),
    /// });
    /// subscription.cancel();
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    pub fn on_change(&self, listener: impl Fn(&ProjectChange) + Send + Sync + 'static) -> Subscription {
        let id = self.0.observers.projects.add(listener);
        self.subscription(move |shared| shared.observers.projects.remove(id))
    }

    /// Calls a function whenever the roots of a client change.
    pub fn on_roots_change(&self, listener: impl Fn(&RootsChange) + Send + Sync + 'static) -> Subscription {
        let id = self.0.observers.roots.add(listener);
        self.0.watch_roots();
        self.subscription(move |shared| {
            shared.observers.roots.remove(id);
            shared.watch_roots();
        })
    }

    fn subscription(&self, remove: impl FnOnce(&Shared) + Send + Sync + 'static) -> Subscription {
        Subscription { shared: Arc::downgrade(&self.0), remove: Box::new(remove) }
    }

    /// Asks, and reads the answer.
    async fn ask<E: Into<EndpointEvent>, R>(
        &self,
        context: &Context,
        event: impl FnOnce(CallId) -> E,
        read: impl FnOnce(Answer) -> Result<R, NoProject>,
    ) -> Result<R, NoProject> {
        let call = call_of(context).ok_or(HostProblem::NotReached)?;
        call.identify(context)?;
        call.ask(context, event).await.map_err(NoProject::from).and_then(read)
    }
}

impl Shared {
    /// Has lists of roots announced as long as somebody listens.
    fn watch_roots(&self) {
        // The endpoint refuses no such event.
        let _ = self.host.feed(RootsWatched::new(!self.observers.roots.is_empty()));
    }
}

impl fmt::Debug for Rootwise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rootwise").field("policy", &self.0.host.policy().config().name).finish_non_exhaustive()
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

/// Checks a path on a thread that may wait for the disk.
async fn checked(check: impl FnOnce() -> Result<PathBuf, PathRefusal> + Send + 'static) -> Result<PathBuf, NoProject> {
    let problem = PathProblem::Unreadable { error: "the check panicked".into() };
    let panicked = |_| NoProject::new(problem.reason(), problem.to_string());
    Ok(tokio::task::spawn_blocking(check).await.map_err(panicked)??)
}

fn asked(call: CallId) -> CallAsked {
    let mut asked = CallAsked::new(0);
    asked.call = Some(call);
    asked
}

fn asked_with(call: CallId, hints: Hints) -> CallAsked {
    let Hints { argument, target, server } = hints;
    let mut asked = asked(call);
    (asked.argument, asked.target, asked.server) = (argument.map(Into::into), target, server);
    asked
}
