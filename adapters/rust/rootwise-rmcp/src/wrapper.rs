//! A server whose handlers can ask for their project.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, InputResponses, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use rootwise::event::Argument;
use rootwise::parameter::project_parameter;
use rootwise::{FORM_KEY, INPUT_KEY};
use rootwise_host::NoProject;
use serde_json::Value;

use crate::call::{Call, Repeatable, RequestParts, enter, http_of};
use crate::declare;
use crate::projects::{CODEX_META, Rootwise, Shared};
use crate::session::Session;
use crate::streams::Arrival;
use crate::tools::{self, Kind, Tools};

type Context = RequestContext<RoleServer>;

/// A server for one client, whose handlers can ask for their project; see [`Rootwise::wrap`].
pub struct WithProjects<S> {
    handler: S,
    session: Arc<Session>,
}

impl<S> WithProjects<S> {
    pub(crate) fn new(handler: S, shared: Arc<Shared>) -> Self {
        Self { handler, session: Session::new(shared) }
    }

    /// The handler.
    #[must_use]
    pub const fn handler(&self) -> &S {
        &self.handler
    }

    fn tools(&self) -> &Tools {
        &self.session.shared().tools
    }

    /// Declares `tools`, if there are ready-made ones, and that the server reads what Codex says about its folder.
    fn declare(&self, capabilities: &mut ServerCapabilities) {
        if !self.tools().is_empty() {
            capabilities.tools.get_or_insert_default();
        }
        if self.session.shared().codex_meta {
            capabilities.experimental.get_or_insert_default().entry(CODEX_META.into()).or_default();
        }
    }

    pub(crate) const fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Reports a notification that the transport does not.
    fn unobserved(&self, context: &NotificationContext<RoleServer>, report: impl FnOnce(&Session)) {
        if !self.session.is_observed() && self.session.client_of(context.extensions.get::<Parts>()).is_some() {
            report(&self.session);
        }
    }

    /// The parameter that tools get which do not have it.
    fn declared(&self) -> Option<&str> {
        let shared = self.session.shared();
        shared.argument.as_deref().filter(|_| shared.declare)
    }

    /// Runs a handler whose result cannot ask for input.
    async fn plain<F: Future>(
        &self,
        method: impl Into<Cow<'static, str>>,
        mut context: Context,
        run: impl FnOnce(Context) -> F,
    ) -> F::Output {
        let parts = RequestParts { method: method.into(), ..RequestParts::default() };
        let call = enter(&self.session, &mut context, parts);
        let _running = call.running();
        run(context).await
    }

    /// The project that the arguments of a call name, if the server has a parameter for it.
    fn named(&self, arguments: Option<&JsonObject>) -> Option<Argument> {
        let name = self.session.shared().argument.as_ref()?;
        match arguments?.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.into()),
            _ => Some(Argument::Other),
        }
    }

    /// Runs a handler whose result may ask the client for its roots.
    async fn round<R: Repeatable>(
        &self,
        call: &Call,
        context: Context,
        run: impl AsyncFnOnce(Context) -> Result<R, ErrorData>,
    ) -> Result<R, ErrorData> {
        let _running = call.running();
        if !has_rounds(&context) {
            return run(context).await;
        }
        let again = context.clone();
        let result = run(context).await;
        call.finish(&again, result).await
    }
}

impl<S: ServerHandler> WithProjects<S> {
    /// Runs a tool of ours, or one of the handler whose result may ask the client for its roots.
    async fn call_or_ask(
        &self,
        ours: Option<Kind>,
        mut request: CallToolRequestParams,
        call: Call,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if let (None, Some(name)) = (ours, self.declared()) {
            declare::take_out(&self.handler, &mut request, name, &context).await?;
        }
        let run = async |context: Context| {
            let result = match ours {
                Some(tool) => {
                    let projects = Rootwise::of(self.session.shared());
                    tools::call(tool, &projects, request.arguments.as_ref(), &context).await
                }
                None => self.handler.call_tool(request, context).await,
            };
            as_tool_result(result)
        };
        self.round(&call, context, run).await
    }
}

/// How a tool runs. In a box, because rmcp moves the futures of its requests several times, which takes time if they are large.
enum Run<P, O> {
    Plain(Pin<Box<P>>),
    Other(Pin<Box<O>>),
}

/// A server that ends, or a session that is dropped, ends its connection.
impl<S> Drop for WithProjects<S> {
    fn drop(&mut self) {
        self.session.close();
    }
}

impl<S> fmt::Debug for WithProjects<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WithProjects").finish_non_exhaustive()
    }
}

/// Whether the result of a call may ask the client: a call of 2026-07-28 describes its client in `_meta`. The others are spared
/// a copy of their context.
fn has_rounds(context: &Context) -> bool {
    !context.meta.0.is_empty()
}

/// The parts of a request that concern its project; the three kinds of requests share no trait.
macro_rules! parts {
    ($method:literal, $request:ident, $named:expr) => {
        RequestParts {
            method: $method.into(),
            named: $named,
            input_responses: own_responses($request.input_responses.as_ref()),
            request_state: $request.request_state.clone(),
        }
    };
}

/// The answers to our questions.
fn own_responses(responses: Option<&InputResponses>) -> BTreeMap<&'static str, Value> {
    let own = |key: &'static str| Some((key, responses?.get(key)?.clone()));
    [INPUT_KEY, FORM_KEY].into_iter().filter_map(own).collect()
}

/// Calls that follow this notification may go on.
fn took_effect(context: &NotificationContext<RoleServer>) {
    if let Some(arrival) = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Arrival>()) {
        arrival.took_effect();
    }
}

/// A protocol error is read by no model; the same text as a result is.
fn as_tool_result(result: Result<CallToolResponse, ErrorData>) -> Result<CallToolResponse, ErrorData> {
    match result {
        Err(error) if NoProject::is_in(&error) => {
            Ok(CallToolResult::error(vec![ContentBlock::text(error.message)]).into())
        }
        other => other,
    }
}

impl<S: ServerHandler> ServerHandler for WithProjects<S> {
    fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> impl Future<Output = Result<InitializeResult, ErrorData>> {
        self.session.begin(&request, &context.peer, http_of(&context).is_some());
        let run = Box::pin(self.plain("initialize", context, |context| self.handler.initialize(request, context)));
        async move {
            let mut result = run.await?;
            self.declare(&mut result.capabilities);
            Ok(result)
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.unobserved(&context, Session::ready);
        took_effect(&context);
        self.handler.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.unobserved(&context, Session::roots_changed);
        took_effect(&context);
        self.handler.on_roots_list_changed(context).await;
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: Context,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> {
        let ours = self.tools().find(&request.name);
        // The tool that selects a project may have a parameter of the same name.
        let reads = matches!(ours, None | Some(Kind::Which));
        let named = if reads { self.named(request.arguments.as_ref()) } else { None };
        let arguments = request.arguments.as_ref();
        let has_declared =
            self.declared().is_some_and(|name| arguments.is_some_and(|arguments| arguments.contains_key(name)));
        let parts = parts!("tools/call", request, named);
        let call = enter(&self.session, &mut context, parts);
        let run = if ours.is_none() && !has_rounds(&context) && !has_declared {
            Run::Plain(Box::pin(self.handler.call_tool(request, context)))
        } else {
            Run::Other(Box::pin(self.call_or_ask(ours, request, call.clone(), context)))
        };
        async move {
            match run {
                Run::Plain(run) => {
                    let _running = call.running();
                    as_tool_result(run.await)
                }
                Run::Other(run) => run.await,
            }
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        mut context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let parts = parts!("prompts/get", request, self.named(request.arguments.as_ref()));
        let call = enter(&self.session, &mut context, parts);
        Box::pin(self.round(&call, context, async |context| self.handler.get_prompt(request, context).await)).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        mut context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let parts = parts!("resources/read", request, None);
        let call = enter(&self.session, &mut context, parts);
        Box::pin(self.round(&call, context, async |context| self.handler.read_resource(request, context).await)).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        mut context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let parts = RequestParts { method: "tools/list".into(), ..RequestParts::default() };
        let call = enter(&self.session, &mut context, parts);
        let _running = call.running();
        let declared = self.declared().map(|name| (name, context.clone()));
        let mut result = self.handler.list_tools(request, context).await?;
        if result.next_cursor.is_none() {
            result.tools.extend(self.tools().list());
        }
        if let Some((name, context)) = declared {
            let parameter = project_parameter(&call.known_roots(&context));
            let is_exempt = |tool: &Tool| self.tools().find(&tool.name).is_some_and(|kind| kind != Kind::Which);
            for tool in result.tools.iter_mut().filter(|tool| !is_exempt(tool)) {
                declare::add(tool, name, &parameter);
            }
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let ours = || self.tools().list().into_iter().find(|tool| tool.name == name);
        self.handler.get_tool(name).or_else(ours)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.handler.get_info();
        self.declare(&mut info.capabilities);
        info
    }

    // Everything below passes through.

    async fn ping(&self, context: Context) -> Result<(), ErrorData> {
        self.plain("ping", context, |context| self.handler.ping(context)).await
    }

    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.plain("server/discover", context, |context| self.handler.discover(context)).await?;
        self.declare(&mut result.capabilities);
        Ok(result)
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        self.plain("completion/complete", context, |context| self.handler.complete(request, context)).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        self.plain("logging/setLevel", context, |context| self.handler.set_level(request, context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.plain("prompts/list", context, |context| self.handler.list_prompts(request, context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.plain("resources/list", context, |context| self.handler.list_resources(request, context)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.plain("resources/templates/list", context, |context| {
            self.handler.list_resource_templates(request, context)
        })
        .await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.handler.listen(context).await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.plain("resources/subscribe", context, |context| self.handler.subscribe(request, context)).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.plain("resources/unsubscribe", context, |context| self.handler.unsubscribe(request, context)).await
    }

    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Result<CustomResult, ErrorData> {
        self.plain(request.method.clone(), context, |context| self.handler.on_custom_request(request, context)).await
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, context: NotificationContext<RoleServer>) {
        took_effect(&context);
        self.handler.on_cancelled(notification, context).await;
    }

    async fn on_progress(&self, notification: ProgressNotificationParam, context: NotificationContext<RoleServer>) {
        took_effect(&context);
        self.handler.on_progress(notification, context).await;
    }

    async fn on_custom_notification(&self, notification: CustomNotification, context: NotificationContext<RoleServer>) {
        took_effect(&context);
        self.handler.on_custom_notification(notification, context).await;
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        self.plain("tasks/get", context, |context| self.handler.get_task(request, context)).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        self.plain("tasks/update", context, |context| self.handler.update_task(request, context)).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        self.plain("tasks/cancel", context, |context| self.handler.cancel_task(request, context)).await
    }
}
