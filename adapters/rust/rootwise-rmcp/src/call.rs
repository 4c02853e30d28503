//! One call: the parts of its request that concern its project, and its result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, GetPromptResponse, InputRequest, InputRequiredResult, ReadResourceResponse};
use rmcp::service::RequestContext;
use rootwise::action::Answer;
use rootwise::endpoint::event::{CallAsked, CallStarted, EndpointEvent};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::event::{Argument, Want};
use rootwise::host_problem::HostProblem;
use rootwise::project::RootView;
use rootwise::{CallId, ConfigError, Misuse, Outcome, Project};
use rootwise_host::{NoProject, Sender, headers_of, query_of, with_real_paths};
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::sender::PeerSender;
use crate::session::Session;
use crate::streams::{Arrival, Broken};

type Context = RequestContext<RoleServer>;

/// What the wrapper adds to the context of a call.
#[derive(Clone)]
pub(crate) struct Call(Arc<Inner>);

struct Inner {
    session: Arc<Session>,
    request: RequestParts,
    progress: Mutex<Progress>,
    /// The folders of the caller, or the reason for which they are not known; where the server tells them.
    dirs: OnceLock<Result<Vec<String>, NoProject>>,
    /// Who the caller is, or the reason for which that is not known; where the server tells it.
    caller: OnceLock<Result<Option<String>, NoProject>>,
}

/// The parts of a request that are not in its context.
#[derive(Default)]
pub(crate) struct RequestParts {
    pub(crate) method: Cow<'static, str>,
    /// The project that the arguments name.
    pub(crate) named: Option<Argument>,
    /// The client's answers to our questions.
    pub(crate) input_responses: BTreeMap<&'static str, Value>,
    pub(crate) request_state: Option<String>,
}

#[derive(Default)]
struct Progress {
    started: Option<Started>,
    is_over: bool,
}

/// A call that has asked.
struct Started {
    call: Arc<rootwise_host::Call>,
    is_cancelled: Box<dyn Fn() -> bool + Send>,
}

/// Ends a call with its handler, however that ends.
pub(crate) struct Running(Call);

impl Drop for Running {
    fn drop(&mut self) {
        let started = {
            let mut progress = self.0.progress();
            progress.is_over = true;
            progress.started.take()
        };
        if let Some(Started { call, is_cancelled }) = started {
            call.end(is_cancelled());
        }
    }
}

/// Adds a call to the context of its handler.
pub(crate) fn enter(session: &Arc<Session>, context: &mut Context, request: RequestParts) -> Call {
    session.reached_by(&context.peer);
    let call = Call(Arc::new(Inner {
        session: session.clone(),
        request,
        progress: Mutex::default(),
        dirs: OnceLock::new(),
        caller: OnceLock::new(),
    }));
    context.extensions.insert(call.clone());
    call
}

/// The call of a context, if the server was wrapped.
pub(crate) fn call_of(context: &Context) -> Option<&Call> {
    context.extensions.get::<Call>()
}

/// The HTTP request of a call.
pub(crate) fn http_of(context: &Context) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

fn arrival_of(context: &Context) -> Option<&Arrival> {
    http_of(context).and_then(|parts| parts.extensions.get::<Arrival>())
}

impl Call {
    /// The handler runs as long as this lives.
    pub(crate) fn running(&self) -> Running {
        Running(self.clone())
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The project of a call without request-specific facts, if the last answer still holds.
    pub(crate) fn known(&self, context: &Context) -> Option<Arc<Project>> {
        if self.0.session.shared().dirs_of.is_some() || self.0.request.named.is_some() || self.progress().is_over {
            return None;
        }
        if arrival_of(context).is_some_and(|arrival| !arrival.is_first()) {
            return None;
        }
        let http = http_of(context);
        let client = self.0.session.client_of(http)?;
        let is_modern = is_modern(context);
        let known = if is_modern {
            client.known_to(Some(capabilities(context)), context.meta.0.get(CLIENT_INFO))
        } else {
            client.known()
        }?;
        let inputs = self.0.session.shared().host.inputs();
        let is_plain = self.0.request.input_responses.is_empty()
            && meta(context, inputs, is_modern).next().is_none()
            && http.is_none_or(|parts| {
                headers_of(&parts.headers, inputs).is_empty() && query_of(&parts.uri, inputs).is_empty()
            });
        is_plain.then_some(known)
    }

    /// Asks the server who the caller is and which folders are theirs, once for each call.
    pub(crate) fn identify(&self, context: &Context) -> Result<(), NoProject> {
        let shared = self.0.session.shared();
        if let Some(dirs_of) = &shared.dirs_of {
            let dirs = self.0.dirs.get_or_init(|| {
                let folders = dirs_of(context).map_err(|error| HostProblem::FoldersUnknown { error })?;
                Ok(with_real_paths(folders)?)
            });
            dirs.as_ref().map_err(Clone::clone)?;
        }
        if let Some(caller_of) = &shared.caller_of
            && http_of(context).is_some()
            && self.is_unbound(context)
        {
            let caller = self.0.caller.get_or_init(|| {
                let caller = caller_of(context).map_err(|error| HostProblem::CallerUnknown { error })?;
                // Callers without a name must not share what one of them selects.
                if caller.as_deref() == Some("") {
                    let text =
                        "the function must return a text that is not empty, or None for a caller it does not know";
                    return Err(ConfigError::new("caller_of", text).into());
                }
                Ok(caller)
            });
            caller.as_ref().map_err(Clone::clone)?;
        }
        Ok(())
    }

    /// Whether the call belongs to no session, or is one of 2026-07-28, so that its caller and its conversation count.
    fn is_unbound(&self, context: &Context) -> bool {
        is_modern(context) || self.0.session.client_of(http_of(context)).is_none()
    }

    /// The roots of the session, as far as they are known.
    pub(crate) fn known_roots(&self, context: &Context) -> Arc<Vec<RootView>> {
        let peek = |call| {
            let mut asked = CallAsked::new(0);
            (asked.call, asked.want, asked.peek) = (Some(call), Want::Roots, true);
            asked
        };
        if self.0.session.client_of(http_of(context)).is_none() || self.identify(context).is_err() {
            return Arc::default();
        }
        match self.peek(context, peek).map(|answer| answer.outcome) {
            Ok(Outcome::Listed { roots, .. }) => roots,
            _ => Arc::default(),
        }
    }

    /// Asks for this call, whose id `event` gets.
    pub(crate) async fn ask<E: Into<EndpointEvent>>(
        &self,
        context: &Context,
        event: impl FnOnce(CallId) -> E,
    ) -> Result<Answer, Misuse> {
        if let Some(arrival) = arrival_of(context) {
            arrival.in_turn().await;
        }
        let Some(call) = self.started(context)? else {
            return self.0.session.shared().host.ask(event(OVER)).await;
        };
        let mut answer = pin!(call.ask(event(call.id())));
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            // rmcp lets the handler of a cancelled call run on.
            () = context.ct.cancelled() => call.end(true),
        }
        answer.await
    }

    /// Asks for what is known now.
    pub(crate) fn peek<E: Into<EndpointEvent>>(
        &self,
        context: &Context,
        event: impl FnOnce(CallId) -> E,
    ) -> Result<Answer, Misuse> {
        let call = self.started(context)?.map_or(OVER, |call| call.id());
        self.0.session.shared().host.peek(event(call))
    }

    /// Reports the call, unless it is over.
    fn started(&self, context: &Context) -> Result<Option<Arc<rootwise_host::Call>>, Misuse> {
        let mut progress = self.progress();
        if progress.is_over || progress.started.is_some() {
            return Ok(progress.started.as_ref().map(|started| started.call.clone()));
        }
        let (session, http) = (&self.0.session, http_of(context));
        let mut started = self.event(context);
        let call = match session.client_of(http) {
            Some(client) => {
                let (peer, call) = (context.peer.clone().into(), Some(context.id.clone()));
                let sender: Arc<dyn Sender> = Arc::new(PeerSender { peer, call });
                client.call(started, Some(sender))?
            }
            None => {
                started.transport = Some(session.transport(http.is_some()));
                session.shared().host.call(started)?
            }
        };
        let (call, token) = (Arc::new(call), context.ct.clone());
        let is_cancelled = Box::new(move || token.is_cancelled());
        progress.started = Some(Started { call: call.clone(), is_cancelled });
        drop(progress);
        if let Some(broken) = http.and_then(|parts| parts.extensions.get::<Broken>()) {
            broken.follow(&call);
        }
        Ok(Some(call))
    }

    fn event(&self, context: &Context) -> CallStarted {
        let RequestParts { method, named, input_responses, request_state } = &self.0.request;
        let inputs = self.0.session.shared().host.inputs();
        let mut started = CallStarted::new(OVER);
        started.method = Some(method.clone().into_owned());
        started.protocol_version = context.protocol_version().map(|version| version.as_str().to_owned());
        let mut meta = meta(context, inputs, self.is_unbound(context)).peekable();
        started.meta = meta.peek().is_some().then(|| to_raw_value(&meta.collect::<BTreeMap<_, _>>()).ok()).flatten();
        if is_modern(context) {
            started.capabilities = to_raw_value(capabilities(context)).ok();
            started.client_info = context.meta.0.get(CLIENT_INFO).and_then(|info| to_raw_value(info).ok());
        }
        started.input_responses =
            Some(input_responses).filter(|own| !own.is_empty()).and_then(|own| to_raw_value(own).ok());
        started.request_state.clone_from(request_state);
        started.argument.clone_from(named);
        started.caller = self.0.caller.get().and_then(|caller| caller.as_ref().ok()).cloned().flatten();
        if self.0.session.shared().dirs_of.is_some() {
            // Until the server has told them, there are none.
            let known = self.0.dirs.get().and_then(|dirs| dirs.as_ref().ok());
            started.allowed_dirs = Some(known.cloned().unwrap_or_default());
        }
        if let Some(parts) = http_of(context) {
            (started.headers, started.query) = (headers_of(&parts.headers, inputs), query_of(&parts.uri, inputs));
        }
        started
    }

    /// Turns the result of a handler into the result of its call, which may ask the client, or its user, besides.
    pub(crate) async fn finish<R: Repeatable, E>(&self, context: &Context, mut result: Result<R, E>) -> Result<R, E> {
        let own = result.as_mut().ok().and_then(Repeatable::input_required);
        let call = match &own {
            Some(_) => self.started(context).ok().flatten(),
            None => self.progress().started.as_ref().map(|started| started.call.clone()),
        };
        let Some(call) = call else { return result };
        let asked = tokio::select! {
            asked = call.returned(own.is_some()) => asked,
            () = context.ct.cancelled() => None,
        };
        let Some(asked) = asked.filter(|asked| !asked.input_requests.is_empty()) else { return result };
        let question = |(name, request)| Some((name, question(&request)?));
        let requests = asked.input_requests.into_iter().filter_map(question);
        match own {
            Some(own) => own.input_requests.get_or_insert_default().extend(requests),
            None => result = Ok(R::asking(InputRequiredResult::new(Some(requests.collect()), asked.request_state))),
        }
        result
    }
}

/// A question as rmcp knows it; none if it knows none like it.
fn question(request: &rootwise::action::InputRequest) -> Option<InputRequest> {
    serde_json::from_value(serde_json::to_value(request).ok()?).ok()
}

/// The id of no call: an ask of it is one of a call that is over.
const OVER: CallId = CallId(0);

/// A response that may ask the client for input.
pub(crate) trait Repeatable: Sized {
    fn asking(result: InputRequiredResult) -> Self;
    fn input_required(&mut self) -> Option<&mut InputRequiredResult>;
}

macro_rules! repeatable {
    ($($response:ident),*) => {
        $(impl Repeatable for $response {
            fn asking(result: InputRequiredResult) -> Self {
                Self::InputRequired(result)
            }

            fn input_required(&mut self) -> Option<&mut InputRequiredResult> {
                if let Self::InputRequired(result) = self { Some(result) } else { None }
            }
        })*
    };
}

repeatable!(CallToolResponse, GetPromptResponse, ReadResourceResponse);

/// The entries of `_meta` with which a call of 2026-07-28 begins, and describes its client.
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

fn is_modern(context: &Context) -> bool {
    context.meta.0.contains_key(PROTOCOL_VERSION)
}

/// What the client of a call of 2026-07-28 declares.
fn capabilities(context: &Context) -> &Value {
    context.meta.0.get(CAPABILITIES).unwrap_or(&Value::Null)
}

/// The entries of `_meta` that the policy reads, and the ids of the conversation if they count; the endpoint decides which one
/// does.
fn meta<'c>(
    context: &'c Context,
    inputs: &'c PolicyInputs,
    counts_conversation: bool,
) -> impl Iterator<Item = (&'c String, &'c Value)> {
    let is_conversation = move |name: &str| counts_conversation && inputs.conversation.contains(name);
    let is_read = |name: &str| inputs.meta.iter().any(|names| names.first().is_some_and(|first| first == name));
    context.meta.0.iter().filter(move |(name, _)| is_read(name) || is_conversation(name))
}
