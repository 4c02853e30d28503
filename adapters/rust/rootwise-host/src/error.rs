//! The absence of a project, as an error.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rootwise::action::{Answer, InputRequest, Refused, Unresolved};
use rootwise::policy::SourceKind;
use rootwise::{Explanation, Outcome, Reason};

/// No project was found for a call. The text states the cause and the next step: a tool that shows it tells the model both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProject(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    code: &'static str,
    message: String,
    instruction: Option<String>,
    source: Option<SourceKind>,
    status: Option<u16>,
    explanation: Option<Arc<Explanation>>,
    input_requests: Option<BTreeMap<String, InputRequest>>,
}

impl NoProject {
    /// The code of a call whose client is asked for its roots by the result of the call; see [`Self::input_requests`].
    pub const NEEDS_INPUT: &'static str = "needs_input";

    /// An error of the host itself.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            message: message.into(),
            instruction: None,
            source: None,
            status: None,
            explanation: None,
            input_requests: None,
        }))
    }

    /// The connection ended before the answer.
    #[must_use]
    pub fn closed() -> Self {
        Self::new(Reason::Closed.code(), "The connection is closed.")
    }

    /// The caller stopped waiting before the answer.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new("cancelled", "The call was cancelled.")
    }

    /// The call that asks is over: its result was sent.
    #[must_use]
    pub fn call_over() -> Self {
        let text = "The call that asked is over. Ask for the project while the call runs and keep the result for work that outlives it.";
        Self::new("call_over", text)
    }

    /// Adds a sentence to the message.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.0.message = format!("{} {note}", self.0.message);
        self
    }

    /// The stable code: one of [`Reason::code`], `cancelled`, `call_over`, `needs_input` or `bad_options`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.0.code
    }

    /// What happened.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The next step for the caller.
    #[must_use]
    pub fn instruction(&self) -> Option<&str> {
        self.0.instruction.as_deref()
    }

    /// The source whose value was refused.
    #[must_use]
    pub const fn source_kind(&self) -> Option<SourceKind> {
        self.0.source
    }

    /// The HTTP status that the policy gives a refused value.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The result of every source.
    #[must_use]
    pub fn explanation(&self) -> Option<&Explanation> {
        self.0.explanation.as_deref()
    }

    /// The input requests that the result of the call must carry; the client then repeats the call with the answers.
    #[must_use]
    pub const fn input_requests(&self) -> Option<&BTreeMap<String, InputRequest>> {
        self.0.input_requests.as_ref()
    }
}

impl fmt::Display for NoProject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)?;
        match &self.0.instruction {
            Some(instruction) => write!(formatter, "\n{instruction}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NoProject {}

impl From<Answer> for NoProject {
    /// The error of an answer that carries no project.
    fn from(answer: Answer) -> Self {
        let mut error = match answer.outcome {
            Outcome::Refused(Refused { code, source, message, instruction, status, .. }) => {
                let mut error = Self::new(code.code(), message);
                error.0.instruction = instruction;
                error.0.source = Some(source);
                error.0.status = status;
                error
            }
            Outcome::Unresolved(Unresolved { code, message, instruction, .. }) => {
                let mut error = Self::new(code.code(), message);
                error.0.instruction = instruction;
                error
            }
            Outcome::NeedsInput { input_requests } => {
                let text = "the client is asked for its roots and repeats this call; let this error pass";
                let mut error = Self::new(Self::NEEDS_INPUT, text);
                error.0.input_requests = Some(input_requests);
                error
            }
            _ => Self::closed(),
        };
        error.0.explanation = answer.explanation;
        error
    }
}
