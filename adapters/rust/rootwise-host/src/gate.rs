//! A check of HTTP requests before the server sees them: the project that a header or the query names.

mod options;
mod service;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri};
use rootwise::action::Answer;
use rootwise::endpoint::event::{CallAsked, CallStarted};
use rootwise::{ConfigError, Misuse, Outcome, Project, gate};
use serde_json::json;
use serde_json::value::to_raw_value;

use crate::host::Host;
use crate::http::{headers_of, query_of};
pub use options::GateOptions;
pub use service::{GateBody, Gated};

/// Refuses HTTP requests whose header or query names a folder that cannot be a project, with the policy's status (400). Cheap to
/// clone; a layer of tower, for axum and others.
///
/// Requests share no state, and none waits for another. A request that names a good project carries it as an extension of type
/// `Arc<Project>`.
///
/// ```
/// use rootwise_host::ProjectGate;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gate = ProjectGate::options().query("project_path").allowed_dirs(["/usr"]).build()?;
/// // axum: Router::new().route_service("/mcp", service).layer(gate), or gate.wrap(service); else the verdict alone:
/// let check = |uri: &'static str| gate.check(&http::HeaderMap::new(), &http::Uri::from_static(uri));
/// assert_eq!(check("/mcp?project_path=/usr/share").await?.and_then(|project| project.path.clone()), Some("/usr/share".into()));
/// assert_eq!(check("/mcp?project_path=/etc").await.map_err(|refusal| refusal.status.as_u16()), Err(400));
/// assert_eq!(check("/mcp").await?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ProjectGate(Arc<Shared>);

struct Shared {
    host: Host,
    required: bool,
    max_pending: usize,
    pending: AtomicUsize,
}

/// What a request is answered with that does not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request is refused with status {status}: {body}")]
#[non_exhaustive]
pub struct GateRefusal {
    /// The status: that of the policy, 503 if too many requests are checked at once, or 500 if the gate failed.
    pub status: StatusCode,
    /// The other headers.
    pub headers: HeaderMap,
    /// A JSON-RPC error.
    pub body: String,
}

impl From<gate::GateRefusal> for GateRefusal {
    fn from(refusal: gate::GateRefusal) -> Self {
        let header = |(name, value): (&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        Self {
            status: StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST),
            headers: refusal.headers.into_iter().map(header).collect(),
            body: refusal.body,
        }
    }
}

impl GateRefusal {
    /// The response.
    #[must_use]
    pub fn into_response(self) -> Response<String> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

impl ProjectGate {
    /// A gate for the header and the query parameter of the recommended policy.
    ///
    /// # Errors
    /// A fact about this process is invalid; the error names it.
    pub fn recommended() -> Result<Self, ConfigError> {
        GateOptions::default().build()
    }

    /// Starts options; everything has a default.
    ///
    /// ```
    /// let gate = rootwise_host::ProjectGate::options().header("X-Project-Path").allowed_dirs([std::env::temp_dir()]).build()?;
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn options() -> GateOptions {
        GateOptions::default()
    }

    /// Puts the gate in front of a service.
    #[must_use]
    pub fn wrap<S>(&self, service: S) -> Gated<S> {
        Gated { service, gate: self.clone() }
    }

    /// Returns the project that a request names, if it names one; needs a tokio runtime.
    ///
    /// # Errors
    /// The request is refused.
    pub fn check(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> impl Future<Output = Result<Option<Arc<Project>>, GateRefusal>> + Send + use<> {
        let (shared, inputs) = (self.0.clone(), self.0.host.inputs());
        let mut started = CallStarted::new(0);
        (started.headers, started.query) = (headers_of(headers, inputs), query_of(uri, inputs));
        // No client that could be asked.
        started.capabilities = to_raw_value(&json!({})).ok();
        async move {
            if started.headers.is_empty() && started.query.is_empty() && !shared.required {
                return Ok(None);
            }
            let Some(_pending) = Pending::begin(&shared) else { return Err(gate::GateRefusal::too_many().into()) };
            let answer = shared.answer(started).await;
            let answer = answer.map_err(|misuse| gate::GateRefusal::failed(misuse.code(), &misuse.to_string()))?;
            if let Some(refusal) = gate::GateRefusal::of(&answer, shared.required) {
                return Err(refusal.into());
            }
            Ok(if let Outcome::Resolved { project } = answer.outcome { Some(project) } else { None })
        }
    }
}

impl Shared {
    async fn answer(&self, started: CallStarted) -> Result<Answer, Misuse> {
        let call = self.host.call(started)?;
        let mut asked = CallAsked::new(0);
        asked.call = Some(call.id());
        call.ask(asked).await
    }
}

impl fmt::Debug for ProjectGate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProjectGate").field("host", &self.0.host).finish_non_exhaustive()
    }
}

/// A request that is checked.
struct Pending<'a>(&'a AtomicUsize);

impl<'a> Pending<'a> {
    fn begin(gate: &'a Shared) -> Option<Self> {
        let pending = Self(&gate.pending);
        (gate.pending.fetch_add(1, Ordering::Relaxed) < gate.max_pending).then_some(pending)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
