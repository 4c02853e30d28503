//! The server and its tool.

use std::time::Instant;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerInfo, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use rootwise::Policy;
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::event::ClientInitialized;
use rootwise::host::Transport;
use rootwise::policy::PRESETS;
use rootwise_host::{headers_of, host_facts, query_of};
use rootwise_rmcp::{Roots, Rootwise};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::report::Report;
use crate::choices::{Known, choices};
use crate::environment::signals;

pub(super) struct Server {
    pub(super) projects: Rootwise,
}

const DESCRIPTION: &str = "Shows what this client tells its servers: capabilities, roots, environment, working directory, and which project each policy would pick and why.";

impl ServerHandler for Server {
    fn get_info(&self) -> ServerInfo {
        let server = Implementation::new("rootwise-whereami", env!("CARGO_PKG_VERSION"));
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(server)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": {} }).as_object().cloned().unwrap_or_default();
        let tool = Tool::new("whereami", DESCRIPTION, schema).with_title("Where am I?");
        Ok(ListToolsResult::with_all_items(vec![tool.with_annotations(ToolAnnotations::new().read_only(true))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "whereami" {
            let text = format!(
                "unknown tool {}; the tools are whereami, which_project, switch_project and list_roots",
                request.name
            );
            return Err(ErrorData::invalid_params(text, None));
        }
        let began = Instant::now();
        let roots = self.projects.roots(&context).await?;
        let waited_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let seen = Seen::of(&context);
        let report = tokio::task::spawn_blocking(move || seen.report(roots, waited_ms)).await;
        let report = report.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(report.lines().join("\n"))]);
        result.structured_content = Some(report.structured());
        Ok(result.into())
    }
}

/// What the client says about itself; a modern call carries that itself.
struct Seen {
    client: Value,
    protocol: Option<String>,
    capabilities: Value,
    meta: Map<String, Value>,
    /// The request, over HTTP.
    http: Option<Parts>,
}

impl Seen {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let value = |value: Option<Value>| value.unwrap_or(Value::Null);
        Self {
            client: value(context.client_info().and_then(|client| serde_json::to_value(client).ok())),
            protocol: context.protocol_version().map(|version| version.as_str().to_owned()),
            capabilities: value(context.client_capabilities().and_then(|known| serde_json::to_value(known).ok())),
            meta: (*context.meta.0).clone(),
            http: context.extensions.get::<Parts>().cloned(),
        }
    }

    fn report(self, roots: Roots, waited_ms: u64) -> Report {
        let is_modern = self.protocol.as_deref().is_some_and(|protocol| protocol >= "2026-07-28");
        let read = read_by_presets();
        let known = Known {
            client: ClientInitialized::default().capabilities(raw(&self.capabilities)).client_info(raw(&self.client)),
            roots: roots.answered.then(|| raw(&listed(&roots))).flatten(),
            meta: raw(&self.meta),
            headers: self.http.as_ref().map(|http| headers_of(&http.headers, &read)).unwrap_or_default(),
            query: self.http.as_ref().map(|http| query_of(&http.uri, &read)).unwrap_or_default(),
        };
        let (headers, query) = (known.headers.clone(), known.query.clone());
        let transport = if self.http.is_some() { Transport::Http } else { Transport::Stdio };
        let text = |name: std::ffi::OsString| name.to_string_lossy().into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        let argv: Vec<String> = std::env::args_os().skip(1).map(text).collect();
        Report {
            client: self.client,
            protocol: self.protocol,
            era: if is_modern { "modern" } else { "legacy" },
            capabilities: self.capabilities,
            transport: if transport == Transport::Http { "http" } else { "stdio" },
            roots,
            waited_ms,
            meta: Value::Object(self.meta),
            headers,
            query,
            environment: signals(variables),
            cwd: std::env::current_dir().ok().map(|folder| text(folder.into_os_string())),
            arguments: PRESETS
                .iter()
                .filter_map(|(name, _)| Policy::preset(name).ok())
                .flat_map(|policy| PolicyInputs::of(&policy).arguments(argv.iter().map(String::as_str)))
                .collect(),
            choices: choices(&known, |policy| {
                let mut facts = host_facts(transport, policy);
                // Over HTTP, too, it serves this machine only.
                facts.local = Some(true);
                facts
            }),
        }
    }
}

/// What any preset reads of a request.
fn read_by_presets() -> PolicyInputs {
    let mut all = PolicyInputs::of(&Policy::recommended());
    for policy in PRESETS.iter().filter_map(|(name, _)| Policy::preset(name).ok()) {
        let read = PolicyInputs::of(&policy);
        all.headers.extend(read.headers);
        all.query.extend(read.query);
    }
    all
}

/// The roots as the client listed them.
fn listed(roots: &Roots) -> Value {
    let root = |view: &rootwise_rmcp::RootEntry| match &view.root.name {
        Some(name) => json!({ "uri": view.root.uri, "name": name }),
        None => json!({ "uri": view.root.uri }),
    };
    json!({ "roots": roots.roots.iter().map(root).collect::<Vec<_>>() })
}

fn raw(value: &impl serde::Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}
