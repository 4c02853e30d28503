//! The server for the official conformance suite, on loopback. Every handler looks at its project first, so that the suite
//! tests the server through the adapter; with `--without`, the same server runs without Rootwise.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test server stops at the first surprise")]
#![allow(deprecated, reason = "the protocol deprecates roots, sampling and logging")]

mod content;
#[path = "../http_server/mod.rs"]
mod http_server;
mod rounds;
mod tools;

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use rootwise_rmcp::{Rootwise, watch_streams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

pub(crate) type Context = RequestContext<RoleServer>;

#[derive(Clone)]
pub(crate) struct Fixtures {
    projects: Option<Rootwise>,
    state: Arc<RequestStateCodec>,
    changes: broadcast::Sender<Change>,
}

#[derive(Clone, Copy)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

/// rmcp's type for JSON that is known to fit.
pub(crate) fn made<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

impl Fixtures {
    fn look(&self, context: &Context) {
        if let Some(projects) = &self.projects {
            let _ = projects.current(context);
        }
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(made(json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "completions": {},
            "logging": {},
        })));
        config.server_info = made(json!({ "name": "conformance", "version": "1.0.0" }));
        config
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        self.look(&context);
        tools::call(self, request, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(content::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.look(&context);
        content::prompt(&request)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(content::resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(content::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.look(&context);
        content::resource(&request.uri)
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        Ok(made(
            json!({ "resultType": "complete", "completion": { "values": ["paris", "park", "party"], "hasMore": false } }),
        ))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = context.cancelled() => return Ok(()),
            };
            // The client may not listen for this kind.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}

#[tokio::main]
async fn main() {
    let without = std::env::args().any(|word| word == "--without");
    let (state, changes) = (Arc::new(RequestStateCodec::new([7; 32])), broadcast::channel(16).0);
    let projects = (!without).then(|| Rootwise::options().local(true).build().unwrap());
    let fixtures = Fixtures { projects, state, changes };
    let config =
        StreamableHttpServerConfig::default().with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]);
    let sessions = Arc::<LocalSessionManager>::default();
    match fixtures.projects.clone() {
        Some(projects) => {
            let make = move || Ok(projects.wrap(fixtures.clone()));
            http_server::serve(watch_streams(StreamableHttpService::new(make, sessions, config))).await.unwrap();
        }
        None => {
            let make = move || Ok(fixtures.clone());
            http_server::serve(StreamableHttpService::new(make, sessions, config)).await.unwrap();
        }
    }
}
