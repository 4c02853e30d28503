//! What clients, disks and tools do at the worst moment.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]
#![allow(deprecated, reason = "the protocol deprecates roots")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ContentBlock, ElicitRequestParams,
    ElicitResult, InputRequiredResult, ListRootsResult, ProtocolVersion, Root, ServerConfig,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService};
use rmcp::{ClientHandler, ErrorData, RoleClient, RoleServer, ServerHandler};
use rootwise_rmcp::rootwise::Policy;
use rootwise_rmcp::rootwise::policy::Pin;
use rootwise_rmcp::{NoProject, Options, Rootwise};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::{Notify, mpsc};

#[derive(Clone)]
struct Server {
    projects: Rootwise,
    /// What jobs were told that outlive their calls.
    jobs: mpsc::UnboundedSender<String>,
    /// Ends when jobs may ask.
    over: Arc<Notify>,
}

impl Server {
    /// Asks for its project before or after a question of its own.
    async fn rounds(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, NoProject> {
        let first = if request.name == "project_first" { Some(self.projects.project(context).await?) } else { None };
        let answers = request.input_responses.as_ref();
        let word = answers.and_then(|answers| answers.get("word")?.pointer("/content/word")?.as_str());
        let Some(word) = word else {
            let schema = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
            let params = json!({ "mode": "form", "message": "A word?", "requestedSchema": schema });
            let question = json!({ "word": { "method": "elicitation/create", "params": params } });
            return Ok(InputRequiredResult::from_input_requests(serde_json::from_value(question).unwrap()).into());
        };
        let project = match first {
            Some(project) => project,
            None => self.projects.project(context).await?,
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(format!("{word} {}", project.path().display()))]).into())
    }
}

impl Server {
    /// Returns at once; the job asks for its project now or when the call is over.
    fn start_job(&self, late: bool, context: RequestContext<RoleServer>) -> CallToolResponse {
        let server = self.clone();
        tokio::spawn(async move {
            if late {
                server.over.notified().await;
            }
            let told = match server.projects.project(&context).await {
                Ok(project) => project.path().display().to_string(),
                Err(error) => error.code().to_owned(),
            };
            server.jobs.send(told).unwrap();
        });
        CallToolResult::success(vec![ContentBlock::text("started")]).into()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(serde_json::from_value(json!({ "tools": {} })).unwrap())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "status" => {}
            "job" | "late_job" => return Ok(self.start_job(request.name == "late_job", context)),
            "unselect" => {
                let code = self
                    .projects
                    .unselect(&context)
                    .await
                    .err()
                    .map_or_else(|| "none".into(), |error| error.code().to_owned());
                return Ok(CallToolResult::success(vec![ContentBlock::text(code)]).into());
            }
            _ => return Ok(self.rounds(&request, &context).await?),
        }
        let text = match self.projects.project(&context).await {
            Ok(project) => project.path().display().to_string(),
            Err(error) => error.code().to_owned(),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[derive(Clone, Default)]
struct Client {
    roots: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
}

impl Client {
    fn set(&self, folder: impl Into<PathBuf>) {
        *self.roots.lock().unwrap() = vec![format!("file://{}", folder.into().display())];
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        let capabilities = json!({ "roots": { "listChanged": true }, "elicitation": {} });
        config.capabilities = serde_json::from_value(capabilities).unwrap();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(ListRootsResult::new(self.roots.lock().unwrap().iter().map(Root::new).collect()))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(serde_json::from_value(json!({ "action": "accept", "content": { "word": "yes" } })).unwrap())
    }
}

fn quiet() -> Options {
    Rootwise::options().local(true).host(|facts| {
        facts.cwd = Some("/".into());
        facts.env.clear();
    })
}

fn serve(options: Options) -> DuplexStream {
    serve_jobs(options).0
}

type Jobs = (mpsc::UnboundedReceiver<String>, Arc<Notify>);

fn serve_jobs(options: Options) -> (DuplexStream, Jobs) {
    let (server_end, client_end) = tokio::io::duplex(1 << 16);
    let projects = options.build().unwrap();
    let ((jobs, told), over) = (mpsc::unbounded_channel(), Arc::new(Notify::new()));
    let handler = Server { projects: projects.clone(), jobs, over: over.clone() };
    tokio::spawn(async move {
        // A client that hangs up is no fault.
        if let Ok(running) = projects.serve(handler, server_end).await {
            let _ = running.waiting().await;
        }
    });
    (client_end, (told, over))
}

fn lifecycle(modern: bool) -> ClientLifecycleMode {
    if modern {
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
    } else {
        ClientLifecycleMode::Initialize
    }
}

async fn connect(options: Options, client: Client, modern: bool) -> RunningService<RoleClient, Client> {
    client.serve_with_lifecycle(serve(options), lifecycle(modern)).await.unwrap()
}

async fn call(client: &RunningService<RoleClient, Client>, name: &'static str) -> String {
    let result = client.call_tool(CallToolRequestParams::new(name)).await.unwrap();
    let result = serde_json::to_value(&result).unwrap();
    result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rootwise-rmcp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder.canonicalize().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind is better than a second panic.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_tool_keeps_its_project_whether_it_asks_for_it_before_or_after_its_own_question() {
    for name in ["project_first", "question_first"] {
        let client = Client::default();
        client.set("/usr/share");
        // No list is fresh, so that every call is asked.
        let policy = Policy::recommended().with(|policy| policy.timing.max_age_ms = Some(0)).unwrap();
        let running = connect(quiet().policy(policy), client.clone(), true).await;
        assert_eq!(call(&running, name).await, "yes /usr/share", "{name}");
        client.set("/usr/lib");
        assert_eq!(call(&running, name).await, "yes /usr/lib", "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn within_allowed_folders_a_link_that_turns_between_two_calls_is_noticed() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new("links");
    let (allowed, outside, link) = (folder.0.join("allowed"), folder.0.join("outside"), folder.0.join("allowed/link"));
    for path in [&allowed, &outside, &allowed.join("inside")] {
        std::fs::create_dir_all(path).unwrap();
    }
    let turn = |target: &PathBuf| {
        let _ = std::fs::remove_file(&link);
        symlink(target, &link).unwrap();
    };
    for modern in [false, true] {
        turn(&allowed.join("inside"));
        let client = Client::default();
        client.set(&link);
        let running = connect(quiet().allowed_dirs([&allowed]), client.clone(), modern).await;
        for _ in 0..3 {
            assert_eq!(call(&running, "status").await, link.display().to_string());
        }
        turn(&outside);
        assert_eq!(call(&running, "status").await, "no_project", "modern: {modern}");
        turn(&allowed.join("inside"));
        assert_eq!(call(&running, "status").await, link.display().to_string());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_that_follows_a_change_never_gets_the_project_before_it() {
    let client = Client::default();
    client.set("/usr/share");
    let running = Arc::new(connect(quiet(), client.clone(), false).await);
    for turn in 0..100 {
        let folder = if turn % 2 == 0 { "/usr/lib" } else { "/usr/share" };
        client.set(folder);
        running.notify_roots_list_changed().await.unwrap();
        let calls = (0..8).map(|_| {
            let running = running.clone();
            tokio::spawn(async move { call(&running, "status").await })
        });
        for running in calls.collect::<Vec<_>>() {
            assert_eq!(running.await.unwrap(), folder, "turn {turn}");
        }
    }
}

/// A client that writes its own messages.
struct Raw {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
}

impl Raw {
    async fn open(options: Options) -> Self {
        let capabilities = json!({ "roots": { "listChanged": true } });
        Self::open_over(serve(options), capabilities, "raw").await
    }

    async fn open_over(stream: DuplexStream, capabilities: Value, name: &str) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        let mut raw = Self { lines: BufReader::new(reader).lines(), writer };
        raw.initialize(capabilities, name).await;
        raw.send(json!({ "method": "notifications/initialized" })).await;
        raw
    }

    async fn initialize(&mut self, capabilities: Value, name: &str) {
        let client = json!({ "name": name, "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        self.send(json!({ "id": 0, "method": "initialize", "params": params })).await;
        assert_eq!(self.next().await.get("id"), Some(&json!(0)));
    }

    async fn send(&mut self, mut message: Value) {
        message.as_object_mut().unwrap().insert("jsonrpc".into(), "2.0".into());
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn call(&mut self, id: u32) {
        self.send(json!({ "id": id, "method": "tools/call", "params": { "name": "status" } })).await;
    }

    async fn answer(&mut self, request: &Value, result: Value) {
        assert_eq!(request.get("method"), Some(&json!("roots/list")), "{request}");
        self.send(json!({ "id": request.get("id"), "result": result })).await;
    }

    async fn text(&mut self, id: u32) -> String {
        let message = self.next().await;
        assert_eq!(message.get("id"), Some(&json!(id)), "{message}");
        message.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

#[tokio::test]
async fn junk_in_the_list_spoils_only_itself() {
    let good = json!({ "uri": "file:///usr/share" });
    let lists = [
        (json!({ "roots": [{ "uri": 7 }, null, "x", { "name": "no uri" }, good] }), "/usr/share"),
        (json!({ "roots": [{ "uri": "file:///usr/share", "name": 7, "extra": { "deep": [] } }] }), "/usr/share"),
        (json!({ "roots": [{ "uri": 7 }] }), "no_project"),
        (json!({ "roots": 7 }), "no_project"),
        (json!({}), "no_project"),
    ];
    for (list, expected) in lists {
        let mut raw = Raw::open(quiet()).await;
        raw.call(1).await;
        let request = raw.next().await;
        raw.answer(&request, list.clone()).await;
        assert_eq!(raw.text(1).await, expected, "{list}");
    }
}

#[tokio::test]
async fn a_cancelled_call_leaves_its_question_to_the_next_one() {
    let mut raw = Raw::open(quiet()).await;
    raw.call(1).await;
    let request = raw.next().await;
    raw.send(json!({ "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    raw.call(2).await;
    raw.answer(&request, json!({ "roots": [{ "uri": "file:///usr/share" }] })).await;
    assert_eq!(raw.text(2).await, "/usr/share");
}

#[tokio::test]
async fn two_answers_to_one_request_come_from_two_clients() {
    let mut raw = Raw::open(quiet()).await;
    raw.call(1).await;
    let request = raw.next().await;
    for folder in ["/usr/share", "/usr/lib"] {
        raw.answer(&request, json!({ "roots": [{ "uri": format!("file://{folder}") }] })).await;
    }
    // The first call may be answered between the two.
    let first = raw.text(1).await;
    assert!(["/usr/share", "several_clients"].contains(&&*first), "{first}");
    for id in 2..5 {
        raw.call(id).await;
        assert_eq!(raw.text(id).await, "several_clients");
    }
}

#[tokio::test]
async fn calls_of_a_first_client_after_the_handshake_of_a_second_show_two_clients() {
    let mut raw = Raw::open(quiet()).await;
    raw.call(1).await;
    let request = raw.next().await;
    raw.answer(&request, json!({ "roots": [{ "uri": "file:///usr/share" }] })).await;
    assert_eq!(raw.text(1).await, "/usr/share");
    raw.initialize(json!({ "roots": {} }), "second").await;
    raw.call(2).await;
    assert_eq!(raw.text(2).await, "several_clients");
}

#[tokio::test]
async fn a_client_that_comes_again_is_one_client() {
    let mut raw = Raw::open(quiet()).await;
    for (id, folder) in [(1, "/usr/share"), (20, "/usr/lib")] {
        raw.call(id).await;
        let request = raw.next().await;
        raw.answer(&request, json!({ "roots": [{ "uri": format!("file://{folder}") }] })).await;
        assert_eq!(raw.text(id).await, folder);
        raw.initialize(json!({ "roots": {} }), "raw").await;
        raw.send(json!({ "method": "notifications/initialized" })).await;
    }
}

#[tokio::test]
async fn an_argument_that_is_no_text_is_refused() {
    let mut raw = Raw::open(quiet().argument("project")).await;
    for (id, project) in [(1, json!(7)), (2, json!(["/usr/share"])), (3, json!({}))] {
        let params = json!({ "name": "status", "arguments": { "project": project } });
        raw.send(json!({ "id": id, "method": "tools/call", "params": params })).await;
        assert_eq!(raw.text(id).await, "invalid");
    }
}

#[tokio::test]
async fn a_client_that_describes_itself_at_length_is_asked_all_the_same() {
    let long = "x".repeat(1_300_000);
    let capabilities = json!({ "roots": { "listChanged": true }, "experimental": { "foreign": { "text": long } } });
    for (capabilities, name) in [(capabilities, "raw"), (json!({ "roots": {} }), &*long)] {
        let mut raw = Raw::open_over(serve(quiet()), capabilities, name).await;
        raw.call(1).await;
        let request = raw.next().await;
        raw.answer(&request, json!({ "roots": [{ "uri": "file:///usr/share" }] })).await;
        assert_eq!(raw.text(1).await, "/usr/share");
    }
}

#[tokio::test]
async fn data_of_other_parties_does_not_count() {
    let long = "x".repeat(1_300_000);
    for modern in [false, true] {
        let client = Client::default();
        client.set("/usr/share");
        let running = connect(quiet(), client.clone(), modern).await;
        let mut request = CallToolRequestParams::new("status");
        let meta = json!({ "foreign": long, "codex/sandbox-state-meta": { "foreign": long } });
        request.meta = serde_json::from_value(meta).unwrap();
        let result = serde_json::to_value(running.call_tool(request).await.unwrap()).unwrap();
        assert_eq!(result.pointer("/content/0/text"), Some(&json!("/usr/share")), "modern: {modern}");
        // A list that nobody could read is no list, and the call goes on.
        *client.roots.lock().unwrap() = vec![long.clone()];
        running.notify_roots_list_changed().await.unwrap();
        let told = call(&running, "status").await;
        assert!(["no_project", "/usr/share"].contains(&&*told), "modern: {modern}, {told}");
    }
}

#[tokio::test]
async fn the_folders_of_codex_are_read_as_keys_of_an_object() {
    for modern in [false, true] {
        let client = Client::default();
        client.set("/usr/share");
        let running = connect(quiet(), client, modern).await;
        let mut many = serde_json::Map::from_iter([("/usr/lib".to_owned(), json!({ "git": "x" }))]);
        let one = Value::from(many.clone());
        many.extend((0..20_000).map(|index| (format!("/usr/nowhere/{index}"), Value::Null)));
        for (workspaces, expected) in [
            (one, "/usr/lib"),
            (json!({}), "/usr/share"),
            (json!(["/usr/lib"]), "/usr/share"),
            (many.into(), "/usr/lib"),
        ] {
            let mut request = CallToolRequestParams::new("status");
            request.meta =
                serde_json::from_value(json!({ "x-codex-turn-metadata": { "workspaces": workspaces } })).unwrap();
            let result = serde_json::to_value(running.call_tool(request).await.unwrap()).unwrap();
            assert_eq!(result.pointer("/content/0/text"), Some(&json!(expected)), "modern: {modern}");
        }
    }
}

#[tokio::test]
async fn a_job_that_outlives_its_call_is_told_that_the_call_is_over() {
    for modern in [false, true] {
        let (stream, (mut told, over)) = serve_jobs(quiet());
        let client = Client::default();
        client.set("/usr/share");
        let running = client.serve_with_lifecycle(stream, lifecycle(modern)).await.unwrap();
        // Not even a project that is known belongs to a call that is over.
        for _ in 0..2 {
            assert_eq!(call(&running, "late_job").await, "started");
            over.notify_one();
            assert_eq!(told.recv().await.as_deref(), Some("call_over"), "modern: {modern}");
            assert_eq!(call(&running, "status").await, "/usr/share");
        }
    }
}

#[tokio::test]
async fn a_job_that_waits_for_the_client_ends_with_its_call() {
    let (stream, (mut told, _over)) = serve_jobs(quiet());
    let mut raw = Raw::open_over(stream, json!({ "roots": {} }), "silent").await;
    raw.send(json!({ "id": 1, "method": "tools/call", "params": { "name": "job" } })).await;
    assert_eq!(told.recv().await.as_deref(), Some("call_over"));
}

#[tokio::test]
async fn a_pin_that_nobody_may_move_refuses_with_its_code() {
    let mut config = Policy::recommended().into_config();
    config.memory.pin = Pin::Immutable;
    let policy = Policy::try_from(config).unwrap();
    let client = Client::default();
    client.set("/usr/share");
    let running = connect(quiet().policy(policy), client, false).await;
    for told in ["/usr/share", "/usr/share"] {
        assert_eq!(call(&running, "status").await, told);
    }
    assert_eq!(call(&running, "unselect").await, "immutable");
}
