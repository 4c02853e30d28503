//! One call: what it brings about its project, and what its result must ask the client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, GetPromptResponse, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ListRootsRequest, ProtocolVersion, ReadResourceResponse,
};
use rmcp::service::RequestContext;
use rootwise::event::{Argument, AskBy, RequestFacts};
use rootwise::{INPUT_KEY, Policy};
use rootwise_host::text_or_invalid;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::projects::Shared;
use crate::session::{Session, client_info, roots_capability};
use crate::streams::Once;

/// What the wrapper adds to the context of a call.
#[derive(Clone)]
pub(crate) struct Call(Arc<Inner>);

struct Inner {
    session: Arc<Session>,
    modern: bool,
    /// Whether the result of the call may ask for input.
    repeatable: bool,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
    /// The project that the arguments of the call name.
    named: Option<Argument>,
    round: Mutex<Round>,
    /// Whether the handler returned.
    over: Once,
}

/// Ends a call with its handler, however that ends.
pub(crate) struct Running(Call);

impl Drop for Running {
    fn drop(&mut self) {
        // Locked, so that no round begins after its call.
        let _round = self.0.round();
        self.0.0.over.happen();
    }
}

/// The parts of a request that concern its project.
#[derive(Default)]
pub(crate) struct Brought {
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    pub(crate) named: Option<Argument>,
}

/// One round of a call.
#[derive(Default)]
struct Round {
    /// Whether the handler asked for its project or its roots.
    asked: bool,
    /// Whether the handler was told that the client must be asked.
    needs_input: bool,
    /// The text of the last error.
    failed: Option<String>,
}

/// Adds a call to the context of its handler; without parts of its own, its result cannot ask for input.
pub(crate) fn enter(
    session: &Arc<Session>,
    context: &mut RequestContext<RoleServer>,
    brought: Option<Brought>,
) -> Call {
    let repeatable = brought.is_some();
    let Brought { input_responses, request_state, named } = brought.unwrap_or_default();
    let (session, modern, round, over) = (session.clone(), is_modern(context), Mutex::default(), Once::default());
    let inner = Inner { session, modern, repeatable, input_responses, request_state, named, round, over };
    let call = Call(Arc::new(inner));
    context.extensions.insert(call.clone());
    call
}

/// The call of a context, if the server was wrapped.
pub(crate) fn call_of(context: &RequestContext<RoleServer>) -> Option<&Call> {
    context.extensions.get::<Call>()
}

/// The HTTP request of a call.
pub(crate) fn http_of(context: &RequestContext<RoleServer>) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

/// Whether the call follows the rules of 2026-07-28.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    // Revisions are dates, so they compare as texts.
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// How a call is put to its connection.
#[derive(Clone)]
pub(crate) struct Manner {
    pub(crate) facts: RequestFacts,
    pub(crate) ask_by: Option<AskBy>,
    /// The reason for which the client cannot be asked with this call.
    pub(crate) note: Option<&'static str>,
    pub(crate) modern: bool,
}

const NO_SESSION: &str = "This server keeps no session for this client, so the client cannot be asked for its roots.";
const NOT_REPEATABLE: &str =
    "A client of 2026-07-28 can be asked for its roots only by a tool, a prompt or a resource, not by a list.";

impl Call {
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.0.session
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.0.modern
    }

    /// The project that the arguments of the call name.
    pub(crate) fn named(&self) -> Option<&Argument> {
        self.0.named.as_ref()
    }

    pub(crate) fn asked(&self) {
        self.round().asked = true;
    }

    /// Has the result of the call ask the client; false if it was sent already.
    pub(crate) fn needs_input(&self) -> bool {
        let mut round = self.round();
        round.needs_input = !self.is_over();
        round.needs_input
    }

    /// The handler runs as long as this lives.
    pub(crate) fn running(&self) -> Running {
        Running(self.clone())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.over.has_happened()
    }

    /// Waits for the end of the call.
    pub(crate) async fn over(&self) {
        self.0.over.wait().await;
    }

    pub(crate) fn failed(&self, text: String) {
        self.round().failed = Some(text);
    }

    /// Whether a handler returned this text as an error because it has no project.
    pub(crate) fn has_failed_with(&self, text: &str) -> bool {
        self.round().failed.as_deref() == Some(text)
    }

    fn round(&self) -> MutexGuard<'_, Round> {
        self.0.round.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The facts of a call, and whether and how it can carry a question.
    pub(crate) fn manner(&self, context: &RequestContext<RoleServer>) -> Manner {
        let shared = self.0.session.shared();
        let http = http_of(context);
        let mut facts = facts_of(context, http, shared);
        if self.0.modern {
            self.add_modern(context, &mut facts);
            let (ask_by, note) =
                if self.0.repeatable { (AskBy::InputRequired, None) } else { (AskBy::None, Some(NOT_REPEATABLE)) };
            return Manner { facts, ask_by: Some(ask_by), note, modern: true };
        }
        let http_session = http.map(|parts| parts.headers.get("mcp-session-id").and_then(|id| id.to_str().ok()));
        let has_session = match http_session {
            Some(id) => self.0.session.owns(id),
            None => self.0.session.is_initialized(),
        };
        if has_session {
            return Manner { facts, ask_by: None, note: None, modern: false };
        }
        shared.tell_stateless(NO_SESSION);
        // With capabilities of its own, even none, a call stands alone.
        facts.capabilities = RawValue::from_string("{}".into()).ok();
        Manner { facts, ask_by: Some(AskBy::None), note: Some(NO_SESSION), modern: false }
    }

    /// The facts that a modern call carries itself.
    fn add_modern(&self, context: &RequestContext<RoleServer>, facts: &mut RequestFacts) {
        let meta = |name: &str| context.meta.0.get(name);
        let capabilities = meta("io.modelcontextprotocol/clientCapabilities");
        facts.capabilities = roots_capability(capabilities.and_then(|capabilities| capabilities.get("roots")));
        facts.client_info = meta("io.modelcontextprotocol/clientInfo")
            .and_then(|info| info.get("name")?.as_str())
            .and_then(client_info);
        let Some(own) = self.0.input_responses.as_ref().and_then(|responses| responses.get(INPUT_KEY)) else { return };
        // An answer that is too large is one that cannot be read.
        let most = most_bytes(&self.0.session.shared().policy);
        let raw = |answer: &Value| to_raw_value(&BTreeMap::from([(INPUT_KEY, answer)])).ok();
        facts.input_responses = raw(own).filter(|raw| raw.get().len() <= most).or_else(|| raw(&Value::Null));
    }

    /// Turns the result of a handler into the result of its call: the question for the client's roots travels with the
    /// handler's own. Clients send only the answers to the last round, so ours is asked again if it was answered, and already
    /// now if the handler has yet to ask for its project, which `would_need` then tells.
    pub(crate) async fn finish<R: Repeatable, E>(
        &self,
        result: Result<R, E>,
        would_need: impl Future<Output = bool>,
    ) -> Result<R, E> {
        let (needs_input, asked) = {
            let round = self.round();
            (round.needs_input, round.asked)
        };
        let own = match result {
            Ok(response) => match response.input_required() {
                Ok(own) => Some(own),
                Err(response) if !needs_input => return Ok(response),
                Err(_) => None,
            },
            Err(error) if !needs_input => return Err(error),
            Err(_) => None,
        };
        let Some(mut own) = own else {
            return Ok(R::asking(InputRequiredResult::new(Some(with_ours(None)), self.0.request_state.clone())));
        };
        let answered = self.0.input_responses.as_ref().is_some_and(|responses| responses.contains_key(INPUT_KEY));
        let ask_too = needs_input || answered || (!asked && would_need.await);
        if ask_too {
            own.input_requests = Some(with_ours(own.input_requests));
        }
        Ok(R::asking(own))
    }
}

fn with_ours(own: Option<InputRequests>) -> InputRequests {
    let mut requests = own.unwrap_or_default();
    requests.insert(INPUT_KEY.into(), InputRequest::ListRoots(ListRootsRequest::default()));
    requests
}

/// A response that may ask the client for input.
pub(crate) trait Repeatable: Sized {
    fn asking(result: InputRequiredResult) -> Self;
    fn input_required(self) -> Result<InputRequiredResult, Self>;
}

macro_rules! repeatable {
    ($($response:ident),*) => {
        $(impl Repeatable for $response {
            fn asking(result: InputRequiredResult) -> Self {
                Self::InputRequired(result)
            }

            fn input_required(self) -> Result<InputRequiredResult, Self> {
                match self {
                    Self::InputRequired(result) => Ok(result),
                    other => Err(other),
                }
            }
        })*
    };
}

repeatable!(CallToolResponse, GetPromptResponse, ReadResourceResponse);

/// The bytes of one part of a request, beside which the others fit into an event.
fn most_bytes(policy: &Policy) -> usize {
    usize::try_from(policy.limits.event_bytes / 4).unwrap_or(usize::MAX)
}

/// The facts that a request carries about its project, as far as the policy reads them.
fn facts_of(context: &RequestContext<RoleServer>, http: Option<&Parts>, shared: &Shared) -> RequestFacts {
    let inputs = &shared.inputs;
    let mut facts = RequestFacts::default();
    let mut meta = context.meta.0.iter().filter(|(name, _)| inputs.meta.contains(*name)).peekable();
    if meta.peek().is_some() {
        let raw = to_raw_value(&meta.collect::<BTreeMap<&String, &Value>>()).ok();
        facts.meta = raw.filter(|raw| raw.get().len() <= most_bytes(&shared.policy));
    }
    let Some(parts) = http else { return facts };
    for name in &inputs.headers {
        let mut values: Vec<String> = Vec::new();
        for value in parts.headers.get_all(name.as_str()) {
            let value = text_or_invalid(value.as_bytes());
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if !values.is_empty() {
            facts.headers.insert(name.clone(), values.join(", "));
        }
    }
    for (name, value) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if inputs.query.contains(&*name) {
            facts.query.entry(name.into_owned()).or_insert_with(|| value.into_owned());
        }
    }
    facts
}
