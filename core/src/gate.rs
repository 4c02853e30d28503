//! The rules of a gate: which part of a policy concerns it, and what answers a request that does not pass.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use core::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::api::action::{Answer, Outcome};
use crate::api::source::SourceKind;
use crate::api::to_json;
use crate::error::ConfigError;
use crate::policy::{Policy, PolicyConfig, Source};
use crate::texts::host::TOO_MANY_CHECKS;

/// How many requests a gate checks at once, if no option says otherwise.
pub const MAX_PENDING: u32 = 10_000;

/// The status of a refused value, where no policy gives another one.
const BAD_REQUEST: u16 = 400;
const FAILED: u16 = 500;
const TOO_MANY: u16 = 503;

/// Codes of JSON-RPC.
const INVALID_PARAMS: i32 = -32_602;
const INTERNAL_ERROR: i32 = -32_603;
const SERVER_ERROR: i32 = -32_000;

/// What a gate reads of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct GateReads {
    /// The header that names the project.
    #[serde(default)]
    pub header: Option<String>,
    /// The query parameter that names the project.
    #[serde(default)]
    pub query: Option<String>,
    /// Whether the project must be a folder that the process can use; by default as the policy says.
    #[serde(default)]
    pub require_path: Option<bool>,
}

/// Returns the part of a policy that concerns the requests of HTTP: its headers and query parameters, texts, durations and
/// limits; or, with a header or a query parameter of the gate's own, only those.
///
/// ```
/// use rootwise::gate::{GateReads, gate_policy};
///
/// let policy = gate_policy(&rootwise::Policy::recommended(), &GateReads::default())?;
/// assert_eq!(policy.config().sources.len(), 2);
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
///
/// # Errors
/// The name of the header or of the query parameter is invalid.
pub fn gate_policy(policy: &Policy, reads: &GateReads) -> Result<Policy, ConfigError> {
    let own = [("header", SourceKind::Header, &reads.header), ("query", SourceKind::Query, &reads.query)];
    for (option, _, name) in own {
        if name.as_deref() == Some("") {
            return Err(ConfigError::new(option, "must be the name of a header or a query parameter"));
        }
    }
    let whole = policy.config();
    let mut config = if own.iter().all(|(.., name)| name.is_none()) {
        let is_read = |source: &&Source| matches!(source.from, SourceKind::Header | SourceKind::Query);
        let mut config = PolicyConfig::new(&*whole.name, whole.sources.iter().filter(is_read).cloned());
        (config.texts, config.advice) = (whole.texts.clone(), whole.advice.clone());
        (config.timing, config.limits) = (whole.timing.clone(), whole.limits.clone());
        config
    } else {
        let sources = own.into_iter().filter_map(|(_, kind, name)| {
            let mut source = Source::reading(kind, [name.as_ref()?]);
            source.status = Some(BAD_REQUEST);
            Some(source)
        });
        PolicyConfig::new("gate", sources)
    };
    config.require_path = reads.require_path.unwrap_or(whole.require_path);
    config.try_into()
}

/// The response to a request that does not pass a gate.
///
/// ```
/// use rootwise::action::Answer;
/// use rootwise::gate::GateRefusal;
///
/// let text = r#"{ "asks": [], "outcome": "unresolved", "code": "no_project", "message": "No project.", "revision": 0 }"#;
/// let answer: Answer = serde_json::from_str(text)?;
/// assert_eq!(GateRefusal::of(&answer, false), None);
/// assert_eq!(GateRefusal::of(&answer, true).map(|refusal| refusal.status), Some(400));
/// assert_eq!(GateRefusal::too_many().headers.get("retry-after"), Some(&"1"));
/// assert_eq!(GateRefusal::failed("bad_event", "no such field").status, 500);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct GateRefusal {
    /// The status of HTTP.
    pub status: u16,
    /// The headers, in lower case.
    pub headers: BTreeMap<&'static str, &'static str>,
    /// An error of JSON-RPC.
    pub body: String,
}

/// Why a request does not pass.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Verdict<'a> {
    /// The endpoint answered.
    Answered {
        #[serde(borrow)]
        answer: Told<'a>,
        required: bool,
    },
    /// Too many requests are being checked.
    TooMany {},
    /// The gate failed.
    Failed { code: String, message: String },
}

/// What counts of an answer.
#[derive(Deserialize)]
pub(crate) struct Told<'a> {
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    instruction: Option<String>,
    #[serde(default)]
    source: Option<SourceKind>,
    #[serde(default)]
    status: Option<u16>,
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: Option<u32>,
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: i32,
    message: &'a str,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceKind>,
}

impl GateRefusal {
    fn new(status: u16, code: i32, message: &str, data: Data<'_>) -> Self {
        let mut headers = BTreeMap::from([("content-type", "application/json")]);
        if status == TOO_MANY {
            headers.insert("retry-after", "1");
        }
        let body = to_json(&Response { jsonrpc: "2.0", id: None, error: Error { code, message, data } });
        Self { status, headers, body }
    }

    /// The refusal of a request whose answer is this; none if it passes. A request that names no project passes unless one is
    /// `required`.
    #[must_use]
    pub fn of(answer: &Answer, required: bool) -> Option<Self> {
        let (code, message, instruction, source, status) = match &answer.outcome {
            Outcome::Refused(refused) => {
                (refused.code, &refused.message, &refused.instruction, Some(refused.source), refused.status)
            }
            Outcome::Unresolved(unresolved) if required => {
                (unresolved.code, &unresolved.message, &unresolved.instruction, None, None)
            }
            _ => return None,
        };
        Some(Self::refused(code.code(), message, instruction.as_deref(), source, status))
    }

    fn refused(
        code: &str,
        message: &str,
        instruction: Option<&str>,
        source: Option<SourceKind>,
        status: Option<u16>,
    ) -> Self {
        let mut text = message.to_string();
        if let Some(instruction) = instruction {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{instruction}");
        }
        Self::new(status.unwrap_or(BAD_REQUEST), INVALID_PARAMS, &text, Data { code, source })
    }

    /// The refusal of a request that comes while as many are checked as the gate allows.
    #[must_use]
    pub fn too_many() -> Self {
        Self::new(TOO_MANY, SERVER_ERROR, TOO_MANY_CHECKS, Data { code: "too_many_checks", source: None })
    }

    /// The answer to a request that the endpoint refused to check.
    #[must_use]
    pub fn failed(code: &str, message: &str) -> Self {
        Self::new(FAILED, INTERNAL_ERROR, message, Data { code, source: None })
    }
}

impl Verdict<'_> {
    pub(crate) fn refusal(&self) -> Option<GateRefusal> {
        match self {
            Self::TooMany {} => Some(GateRefusal::too_many()),
            Self::Failed { code, message } => Some(GateRefusal::failed(code, message)),
            Self::Answered { answer, required } => {
                let is_refused = answer.outcome == "refused" || (*required && answer.outcome == "unresolved");
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                is_refused.then(|| {
                    let (code, message) = (text(&answer.code), text(&answer.message));
                    let instruction = answer.instruction.as_deref();
                    GateRefusal::refused(&code, &message, instruction, answer.source, answer.status)
                })
            }
        }
    }
}
