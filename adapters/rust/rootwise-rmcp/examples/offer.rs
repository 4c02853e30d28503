//! The server of the end-to-end tests: stdio, or `--http` with sessions, or `--http --stateless`.
//!
//! `E2E_OPTIONS` holds options as JSON: `policy`, `host`, `allowedDirs`, `requirePath`, `codexMeta`, `declare`; and
//! `caller`, with which the header `x-user` names the caller.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "a test server stops at the first surprise")]

mod http_server;

use std::sync::{Arc, Mutex};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InputRequest, InputRequests, InputRequiredResult, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use rootwise_rmcp::rootwise::event::SelectBy;
use rootwise_rmcp::rootwise::{HostFacts, Policy, Project};
use rootwise_rmcp::{Hints, NoProject, Options, Rootwise, ToolNames};
use serde::Deserialize;
use serde_json::{Value, json};

type Context = RequestContext<RoleServer>;
type Changes = Arc<Mutex<Vec<Vec<Option<String>>>>>;

#[derive(Clone)]
struct Offer {
    projects: Rootwise,
    changes: Changes,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Question {
    q: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Named {
    project: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Target {
    path: String,
}

fn shown(project: &Project) -> Value {
    let mut shown = json!({ "name": project.name });
    for (name, value) in [("path", &project.path), ("via", &project.via)] {
        if let (Some(value), Some(shown)) = (value, shown.as_object_mut()) {
            shown.insert(name.into(), value.as_str().into());
        }
    }
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("source".into(), project.source.name().into());
    }
    shown
}

#[tool_router]
impl Offer {
    #[tool]
    async fn early(&self, context: Context) -> Result<String, NoProject> {
        self.place(context).await
    }

    #[tool(name = "where")]
    async fn place(&self, context: Context) -> Result<String, NoProject> {
        Ok(shown(&*self.projects.any_project(&context, Hints::default()).await?).to_string())
    }

    #[tool]
    async fn wrapped(
        &self,
        Parameters(Question { q }): Parameters<Question>,
        context: Context,
    ) -> Result<String, ErrorData> {
        let mut answer = shown(&*self.projects.any_project(&context, Hints::default()).await?);
        answer.as_object_mut().unwrap().insert("q".into(), q.into());
        Ok(answer.to_string())
    }

    #[tool]
    async fn named(
        &self,
        Parameters(Named { project }): Parameters<Named>,
        context: Context,
    ) -> Result<String, NoProject> {
        Ok(shown(&*self.projects.any_project(&context, Hints::argument(project)).await?).to_string())
    }

    #[tool]
    async fn target(
        &self,
        Parameters(Target { path }): Parameters<Target>,
        context: Context,
    ) -> Result<String, NoProject> {
        Ok(shown(&*self.projects.any_project(&context, Hints::target(path)).await?).to_string())
    }

    #[tool]
    async fn repository(
        &self,
        Parameters(Target { path }): Parameters<Target>,
        context: Context,
    ) -> Result<String, NoProject> {
        let project = self.projects.any_project(&context, Hints::target(path)).await?;
        let whole = serde_json::to_value(&*project).unwrap();
        let names = ["path", "key", "slug", "repository", "package"];
        let told = names.iter().filter_map(|name| Some(((*name).to_owned(), whole.get(name)?.clone())));
        Ok(Value::Object(told.collect()).to_string())
    }

    #[tool]
    async fn swallow(&self, context: Context) -> String {
        match self.projects.project(&context).await {
            Ok(project) => shown(project.project()).to_string(),
            Err(error) => format!("swallowed {}", error.code()),
        }
    }

    /// The code comes first, so that a test can tell the reasons apart.
    #[tool]
    async fn code(&self, context: Context) -> String {
        match self.projects.project(&context).await {
            Ok(project) => project.project().path.clone().unwrap_or_default(),
            Err(error) => format!("{}: {error}", error.code()),
        }
    }

    #[tool]
    async fn select(&self, Parameters(Named { project }): Parameters<Named>, context: Context) -> String {
        match self.projects.select(&context, SelectBy::Value(project)).await {
            Ok(selection) => selection.project.path.clone().unwrap_or_default(),
            Err(error) => error.code().into(),
        }
    }

    #[tool]
    async fn unselect(&self, context: Context) -> Result<String, NoProject> {
        let project = self.projects.unselect(&context).await?;
        Ok(project.map_or_else(|| "none".into(), |project| shown(&project).to_string()))
    }

    #[tool]
    async fn resolve(
        &self,
        Parameters(Target { path }): Parameters<Target>,
        context: Context,
    ) -> Result<String, NoProject> {
        Ok(self.projects.resolve(&context, &path).await?.display().to_string())
    }

    #[tool]
    async fn file(
        &self,
        Parameters(Target { path }): Parameters<Target>,
        context: Context,
    ) -> Result<String, NoProject> {
        Ok(self.projects.resolve_file(&context, &path).await?.display().to_string())
    }

    #[tool]
    async fn current(&self, context: Context) -> String {
        self.projects.current(&context).map_or_else(|| "none".into(), |project| shown(&project).to_string())
    }

    #[tool]
    async fn roots(&self, context: Context) -> Result<String, NoProject> {
        Ok(serde_json::to_string(&self.projects.roots(&context).await?).unwrap())
    }

    #[tool]
    async fn changes(&self) -> String {
        serde_json::to_string(&*self.changes.lock().unwrap()).unwrap()
    }

    #[tool]
    async fn counts(&self) -> String {
        json!({ "rejections": 0 }).to_string()
    }
}

/// The tool `rounds` has a question of its own, which macros do not offer.
impl Offer {
    async fn rounds(&self, answer: Option<Value>, context: &Context) -> Result<CallToolResponse, NoProject> {
        let project = self.projects.project(context).await?;
        if let Some(answer) = answer {
            let text = format!(
                "{} {}",
                project.name(),
                answer.pointer("/content/word").and_then(Value::as_str).unwrap_or_default()
            );
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        }
        let schema = json!({ "type": "object", "properties": { "word": { "type": "string" } }, "required": ["word"] });
        let params = json!({ "mode": "form", "message": "A word?", "requestedSchema": schema });
        let own: ElicitRequest =
            serde_json::from_value(json!({ "method": "elicitation/create", "params": params })).unwrap();
        let requests = InputRequests::from([("own".into(), InputRequest::Elicitation(own))]);
        Ok(InputRequiredResult::from_input_requests(requests).into())
    }
}

#[tool_handler]
impl ServerHandler for Offer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(capabilities)
    }

    async fn get_prompt(&self, _: GetPromptRequestParams, context: Context) -> Result<GetPromptResponse, ErrorData> {
        let project = self.projects.project(&context).await?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, project.name().to_owned())]).into())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let project = self.projects.project(&context).await?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(project.name().to_owned(), request.uri)]).into())
    }

    async fn call_tool(
        &self,
        request: rmcp::model::CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "rounds" {
            let answer = request.input_responses.and_then(|mut responses| responses.remove("own"));
            return Ok(self.rounds(answer, &context).await?);
        }
        let context = rmcp::handler::server::tool::ToolCallContext::new(self, request, context);
        Self::tool_router().call(context).await
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Settings {
    policy: Option<Value>,
    require_path: Option<bool>,
    host: Option<Value>,
    allowed_dirs: Option<Vec<String>>,
    codex_meta: Option<bool>,
    #[serde(default)]
    declare: bool,
    #[serde(default)]
    caller: bool,
}

fn options(settings: Settings) -> Options {
    let mut options = Rootwise::options().argument("project").declare(settings.declare).tools(ToolNames::default());
    if let Some(policy) = settings.policy {
        let policy = match policy.as_str() {
            Some(name) => Policy::preset(name),
            None => Policy::from_json(&policy.to_string()),
        };
        options = options.policy(policy.unwrap());
    }
    if let Some(require_path) = settings.require_path {
        options = options.require_path(require_path);
    }
    if let Some(folders) = settings.allowed_dirs {
        options = options.allowed_dirs(folders);
    }
    if let Some(declare) = settings.codex_meta {
        options = options.codex_meta(declare);
    }
    if settings.caller {
        options = options.caller_of(|context| {
            let user = context.extensions.get::<http::request::Parts>().and_then(|parts| parts.headers.get("x-user"));
            Ok::<_, std::convert::Infallible>(user.and_then(|user| Some(user.to_str().ok()?.to_owned())))
        });
    }
    if let Some(given) = settings.host {
        options = options.host(move |facts| {
            if given.get("style").is_some_and(|style| *style != json!(facts.style)) {
                // The folders of this machine have no spelling there.
                facts.cwd = None;
                facts.excluded_dirs = Default::default();
            }
            let mut merged = serde_json::to_value(&*facts).unwrap();
            merged.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
            *facts = HostFacts::from_json(&merged.to_string()).unwrap();
        });
    }
    options
}

#[tokio::main]
async fn main() {
    let has = |flag: &str| std::env::args().any(|word| word == flag);
    let settings = std::env::var("E2E_OPTIONS").map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default();
    let options = options(settings);
    let options =
        if has("--log") { options.log(|line| eprintln!("{} {}", line.code.code(), line.message)) } else { options };
    let projects = options.build().unwrap();
    let changes = Changes::default();
    let kept = changes.clone();
    projects.on_change(move |change| {
        let path = |project: &Option<Arc<Project>>| project.as_ref().and_then(|project| project.path.clone());
        let shared = change.shared.map(|shared| json!(shared).as_str().map(str::to_owned));
        let paths = [path(&change.previous), path(&change.project)];
        kept.lock().unwrap().push(paths.into_iter().chain(shared).collect());
    });
    let make = move || {
        let offer = Offer { projects: projects.clone(), changes: changes.clone() };
        projects.wrap(offer)
    };
    if !has("--http") {
        make().serve_over(stdio()).await.unwrap().waiting().await.unwrap();
        return;
    }
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(!has("--stateless"));
    let service = StreamableHttpService::new(move || Ok(make()), Arc::<LocalSessionManager>::default(), config);
    http_server::serve(rootwise_rmcp::watch_streams(service)).await.unwrap();
}
