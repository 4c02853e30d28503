//! A server with rmcp's own client, in one process: what the end-to-end tests with other processes cannot show.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]
#![allow(deprecated, reason = "the protocol deprecates roots")]

use std::sync::{Arc, Mutex};

use rmcp::model::{CallToolRequestParams, ClientConfig, ErrorCode, ListRootsResult, Root};
use rmcp::service::{RequestContext, RunningService, ServiceError};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router,
};
use rootwise::{Policy, Project};
use rootwise_rmcp::{Hints, NoProject, Options, Rootwise, ToolNames};

#[derive(Clone)]
struct Server {
    projects: Rootwise,
}

#[tool_router]
impl Server {
    #[tool]
    async fn status(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        Ok(self.projects.project(&context).await?.path().display().to_string())
    }

    /// What is explained and known with what the handler knows.
    #[tool]
    async fn about(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        let hints = || Hints::server("/usr/share");
        let explained = self.projects.explain_with(&context, hints()).await?;
        self.projects.project(&context).await?;
        let path = |project: Option<Arc<Project>>| project.and_then(|project| project.path.clone()).unwrap_or_default();
        let current = path(self.projects.current(&context));
        // Nothing is known of this folder without a look at the disk.
        let other = path(self.projects.current_with(&context, hints()));
        Ok(format!("{} {current} {}", explained.text.contains("/usr/share"), other == current))
    }

    /// The hints, as a tool that shows them.
    #[tool]
    async fn hinted(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        Ok(self.projects.project_and_hints(&context, Hints::default()).await?.1.join("|"))
    }

    /// Which of some paths are inside the roots.
    #[tool]
    async fn inside(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        let mut inside = Vec::new();
        let inside_it = ["/usr/share", "share/new", "file:///usr/share"];
        for path in inside_it.into_iter().chain(["/etc", "../etc", "file:///etc", "https://host/usr", r"C:\usr", ""]) {
            inside.push(self.projects.inside(&context, path).await?);
        }
        Ok(format!("{inside:?}"))
    }

    /// As a tool that returns protocol errors.
    #[tool]
    async fn strict(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        Ok(self.projects.project(&context).await?.path().display().to_string())
    }

    /// As a tool that says what it was about to do when it failed.
    #[tool]
    async fn wrapped(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let project =
            self.projects.project(&context).await.map_err(|cause| Failed { action: "read the notes", cause })?;
        Ok(project.path().display().to_string())
    }

    /// As a tool that has an error of its own for a call without a project.
    #[tool]
    async fn own(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let own = |error: NoProject| ErrorData::new(ErrorCode(-31_999), error.to_string(), None);
        Ok(self.projects.project(&context).await.map_err(own)?.path().display().to_string())
    }
}

/// An error with the absence of a project as its cause.
#[derive(Debug)]
struct Failed {
    action: &'static str,
    cause: NoProject,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Could not {}: {}", self.action, self.cause)
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl From<Failed> for ErrorData {
    fn from(error: Failed) -> Self {
        NoProject::error_data(&error)
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[derive(Clone, Default)]
struct Client {
    roots: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = serde_json::from_str(r#"{"roots":{"listChanged":true}}"#).unwrap();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.lock().unwrap().iter().map(Root::new).collect()))
    }
}

fn quiet() -> Options {
    Rootwise::options().local(true).host(|facts| {
        facts.cwd = Some("/".into());
        facts.env.clear();
    })
}

async fn connect(projects: &Rootwise, client: Client) -> RunningService<RoleClient, Client> {
    let (server_end, client_end) = tokio::io::duplex(1 << 16);
    let projects = projects.clone();
    tokio::spawn(async move {
        let handler = Server { projects: projects.clone() };
        projects.serve(handler, server_end).await.unwrap().waiting().await.unwrap();
    });
    client.serve(client_end).await.unwrap()
}

async fn connect_over_socket(projects: &Rootwise, client: Client) -> RunningService<RoleClient, Client> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let projects = projects.clone();
    tokio::spawn(async move {
        let handler = Server { projects: projects.clone() };
        let (socket, _) = listener.accept().await.unwrap();
        projects.serve(handler, socket).await.unwrap().waiting().await.unwrap();
    });
    client.serve(tokio::net::TcpStream::connect(address).await.unwrap()).await.unwrap()
}

async fn call(client: &RunningService<RoleClient, Client>, name: &'static str) -> (String, bool) {
    let result = client.call_tool(CallToolRequestParams::new(name)).await.unwrap();
    let text = serde_json::to_value(&result).unwrap();
    let text = text.pointer("/content/0/text").and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    (text, result.is_error == Some(true))
}

#[tokio::test]
async fn the_project_follows_the_roots_and_changes_are_told() {
    let projects = quiet().build().unwrap();
    let seen = Arc::<Mutex<Vec<Option<String>>>>::default();
    let kept = seen.clone();
    let subscription = projects.on_change(move |change| {
        kept.lock().unwrap().push(change.project.as_ref().and_then(|project| project.path.clone()));
    });
    let client = Client::default();
    *client.roots.lock().unwrap() = vec!["file:///usr/share".into()];
    let running = connect(&projects, client.clone()).await;
    assert_eq!(call(&running, "status").await, ("/usr/share".into(), false));
    *client.roots.lock().unwrap() = vec!["file:///usr/lib".into()];
    running.notify_roots_list_changed().await.unwrap();
    assert_eq!(call(&running, "status").await, ("/usr/lib".into(), false));
    assert_eq!(*seen.lock().unwrap(), [Some("/usr/share".to_owned()), Some("/usr/lib".to_owned())]);
    subscription.cancel();
    *client.roots.lock().unwrap() = vec!["file:///usr/bin".into()];
    running.notify_roots_list_changed().await.unwrap();
    call(&running, "status").await;
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn without_a_project_both_kinds_of_tools_tell_the_model_why() {
    let projects = quiet().build().unwrap();
    let running = connect(&projects, Client::default()).await;
    let (text, failed) = call(&running, "status").await;
    assert!(failed && text.starts_with("No project was found"), "{text}");
    assert_eq!(call(&running, "strict").await, (text, true));
}

#[tokio::test]
async fn the_absence_of_a_project_is_known_by_its_type_and_not_by_its_text() {
    let projects = quiet().build().unwrap();
    let running = connect(&projects, Client::default()).await;
    let (text, _) = call(&running, "status").await;
    assert_eq!(call(&running, "wrapped").await, (format!("Could not read the notes: {text}"), true));
    match running.call_tool(CallToolRequestParams::new("own")).await {
        Err(ServiceError::McpError(error)) => assert_eq!((error.code, &*error.message), (ErrorCode(-31_999), &*text)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_error_that_is_not_about_a_project_stays_a_protocol_error() {
    let error = NoProject::error_data(&std::io::Error::other("the disk is full"));
    assert_eq!((error.code, &*error.message, error.data), (ErrorCode::INTERNAL_ERROR, "the disk is full", None));
}

#[tokio::test]
async fn clients_of_one_process_never_see_each_other() {
    let projects = quiet().tools(ToolNames::default()).build().unwrap();
    let mut running = Vec::new();
    for folder in ["/usr/share", "/usr/lib"] {
        let client = Client::default();
        client.roots.lock().unwrap().push(format!("file://{folder}"));
        running.push((folder, connect(&projects, client).await));
    }
    for _ in 0..3 {
        for (folder, client) in &running {
            assert_eq!(call(client, "status").await.0, *folder);
        }
    }
}

#[tokio::test]
async fn ready_made_tools_are_listed_and_work() {
    let mut names = ToolNames::default();
    names.list = None;
    let projects = quiet().tools(names).build().unwrap();
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///usr".into());
    let running = connect(&projects, client).await;
    let tools = running.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        names,
        ["about", "hinted", "inside", "own", "status", "strict", "wrapped", "which_project", "switch_project"]
    );
    let ready = rootwise::tools::ready_tools();
    for ready in [ready.which, ready.switch] {
        let listed = tools.iter().find(|tool| tool.name == ready.name).unwrap();
        assert_eq!(serde_json::to_value(listed).unwrap(), serde_json::to_value(ready).unwrap());
    }
    assert!(call(&running, "which_project").await.0.contains("roots"));
    let arguments = serde_json::json!({ "project": "/usr/lib" }).as_object().cloned().unwrap();
    let switch = CallToolRequestParams::new("switch_project").with_arguments(arguments);
    assert_ne!(running.call_tool(switch).await.unwrap().is_error, Some(true));
    assert_eq!(call(&running, "status").await.0, "/usr/lib");
}

#[cfg(unix)]
#[tokio::test]
async fn the_roots_are_those_that_the_client_sent_and_are_shown_safely() {
    use std::os::unix::fs::symlink;

    let base = std::env::temp_dir().join(format!("rootwise-rmcp-shown-{}", std::process::id()));
    std::fs::create_dir_all(base.join("x  y")).unwrap();
    let base = base.canonicalize().unwrap();
    std::fs::create_dir_all(base.join("x y")).unwrap();
    symlink(base.join("x  y"), base.join("a\u{202e}b")).unwrap();
    let projects = quiet().tools(ToolNames::default()).build().unwrap();
    let (told, mut changes) = tokio::sync::mpsc::unbounded_channel();
    projects.on_roots_change(move |change| {
        told.send(change.roots.roots.iter().map(|view| view.real_path.clone()).collect::<Vec<_>>()).unwrap();
    });
    let client = Client::default();
    let uri = |name: &str| format!("file://{}/{name}", base.display());
    // Spelled as a careless client does, and as a hostile one does.
    *client.roots.lock().unwrap() = vec![uri("x  y"), uri("a\u{202e}b"), uri("\u{200b}x y")];
    let running = connect(&projects, client.clone()).await;
    let real = base.join("x  y").to_str().map(str::to_owned);
    let (text, _) = call(&running, "list_roots").await;
    assert!(text.contains("3. ") && text.ends_with("the path does not exist"), "{text}");
    assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text}");
    let changed = tokio::time::timeout(std::time::Duration::from_secs(10), changes.recv()).await.unwrap();
    assert_eq!(changed, Some(vec![real.clone(), real, None]));
    *client.roots.lock().unwrap() = (0..200).map(|number| uri(&format!("{}{number}", "x".repeat(80)))).collect();
    running.notify_roots_list_changed().await.unwrap();
    let (text, _) = call(&running, "list_roots").await;
    assert!(text.len() < 5_000 && text.ends_with("more"), "{text}");
    std::fs::remove_dir_all(base).unwrap();
}

#[tokio::test]
async fn a_hint_waits_for_a_tool_that_shows_it() {
    let policy = Policy::from_json(
        r#"{ "name": "h", "sources": [{ "from": "roots" }],
             "hints": [{ "sources": ["roots"], "text": "Tip", "once": true }, { "sources": ["roots"], "text": "Always" }] }"#,
    );
    let projects = quiet().policy(policy.unwrap()).build().unwrap();
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///etc".into());
    let running = connect(&projects, client).await;
    for (tool, expected) in [("status", "/etc"), ("hinted", "Tip|Always"), ("hinted", "Always"), ("status", "/etc")] {
        assert_eq!(call(&running, tool).await, (expected.to_owned(), false));
    }
}

#[tokio::test]
async fn what_the_handler_knows_counts_for_what_is_known_and_explained_too() {
    let projects = quiet().build().unwrap();
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///etc".into());
    let running = connect(&projects, client).await;
    assert_eq!(call(&running, "about").await, ("true /etc false".to_owned(), false));
}

#[tokio::test]
async fn a_handler_that_is_not_wrapped_says_so() {
    let projects = quiet().build().unwrap();
    let (server_end, client_end) = tokio::io::duplex(1 << 16);
    let handler = Server { projects };
    tokio::spawn(async move { handler.serve(server_end).await.unwrap().waiting().await.unwrap() });
    let running = Client::default().serve(client_end).await.unwrap();
    let (text, failed) = call(&running, "status").await;
    assert!(failed && text.contains("did not pass through Rootwise"), "{text}");
}

#[test]
fn options_that_cannot_work_are_named() {
    let error = |options: Options| options.build().unwrap_err().to_string();
    assert_eq!(error(quiet().allowed_dirs(["relative"])), "bad options at allowedDirs[0]: must be an absolute path");
    assert_eq!(error(quiet().argument("")), "bad options at argument: must be the name of an argument");
    let without = r#"{ "name": "p", "sources": [{ "from": "cwd" }] }"#;
    let without = Policy::from_json(without).unwrap();
    let text = error(quiet().policy(without).argument("path"));
    assert!(text.starts_with("bad options at argument: the policy has no source \"argument\""), "{text}");
    assert!(error(quiet().host(|facts| facts.cwd = Some("here".into()))).starts_with("bad options at host.cwd"));
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let folder = std::ffi::OsStr::from_bytes(b"/srv/\xff");
        let text = "bad options at allowedDirs[1]: must be UTF-8: projects have paths that are text";
        assert_eq!(error(quiet().allowed_dirs([std::ffi::OsStr::new("/srv"), folder])), text);
    }
}

#[tokio::test]
async fn a_client_in_this_process_is_local_and_one_behind_a_socket_is_remote() {
    let options = || Rootwise::options().host(|facts| facts.env.clear()).tools(ToolNames::default());
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///etc".into());
    let by_default = options().build().unwrap();
    assert_eq!(call(&connect(&by_default, client.clone()).await, "status").await.0, "/etc");
    let running = connect_over_socket(&by_default, client.clone()).await;
    let (text, failed) = call(&running, "status").await;
    assert!(failed && text.contains("another machine"), "{text}");
    let (text, _) = call(&running, "which_project").await;
    assert!(!text.contains("stdio"), "{text}");
    // What the operator says counts for every transport.
    let local = options().local(true).build().unwrap();
    assert_eq!(call(&connect_over_socket(&local, client.clone()).await, "status").await.0, "/etc");
    let remote = options().local(false).build().unwrap();
    assert!(call(&connect(&remote, client).await, "status").await.1);
}

#[tokio::test]
async fn a_path_inside_the_roots_is_told_from_one_outside() {
    let rootwise = quiet().build().unwrap();
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///usr".into());
    let running = connect(&rootwise, client).await;
    assert_eq!(call(&running, "inside").await.0, "[true, true, true, false, false, false, false, false, false]");
}

#[tokio::test]
async fn the_end_of_a_connection_is_told_and_a_listener_that_panics_stops_nothing() {
    let projects = quiet().log(|_| panic!("a log that fails")).build().unwrap();
    let (told, mut changes) = tokio::sync::mpsc::unbounded_channel();
    projects.on_change(|_| panic!("a listener that fails"));
    projects.on_change(move |change| told.send(change.project.is_some()).unwrap());
    let client = Client::default();
    client.roots.lock().unwrap().push("file:///usr/share".into());
    let running = connect(&projects, client).await;
    assert_eq!(call(&running, "status").await.0, "/usr/share");
    running.cancel().await.unwrap();
    let told = async { (changes.recv().await, changes.recv().await) };
    let told = tokio::time::timeout(std::time::Duration::from_secs(10), told).await;
    assert_eq!(told, Ok((Some(true), Some(false))));
}
