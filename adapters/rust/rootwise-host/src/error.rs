//! The absence of a project, as an error.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rootwise::action::{Answer, InputRequest, Refused, Unresolved};
use rootwise::host_problem::HostProblem;
use rootwise::policy::SourceKind;
use rootwise::{ConfigError, Explanation, Misuse, Outcome, Reason};

use crate::roots::PathRefusal;

/// No project was found for a call. The text states the cause and the next step: a tool that shows it tells the model both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProject(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    cause: Cause,
    message: String,
    instruction: Option<String>,
    source: Option<SourceKind>,
    status: Option<u16>,
    explanation: Option<Arc<Explanation>>,
    input_requests: Option<BTreeMap<String, InputRequest>>,
}

/// The cause of an error; see [`NoProject::cause`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A value was refused, or none was found.
    Reason(Reason),
    /// The client is asked for its roots by the result of the call; see [`NoProject::input_requests`].
    NeedsInput,
    /// The client has no root that this machine can use.
    NoRoots,
    /// An option or a host fact is invalid.
    Config(ConfigError),
    /// No call of a client is being served, or the call did not pass through Rootwise.
    NoCall,
    /// The server passed an event that is a mistake.
    Misuse(Misuse),
}

impl Cause {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Reason(reason) => reason.code(),
            Self::NeedsInput => NoProject::NEEDS_INPUT,
            Self::NoRoots => PathRefusal::NO_ROOTS,
            Self::Config(error) => error.code(),
            Self::NoCall => "no_call",
            Self::Misuse(misuse) => misuse.code(),
        }
    }
}

impl NoProject {
    /// The code of a call whose client is asked for its roots by the result of the call; see [`Self::input_requests`].
    pub const NEEDS_INPUT: &'static str = "needs_input";

    /// An error that the host itself reports.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self::with_cause(Cause::Reason(reason), message)
    }

    fn with_cause(cause: Cause, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            cause,
            message: message.into(),
            instruction: None,
            source: None,
            status: None,
            explanation: None,
            input_requests: None,
        }))
    }

    /// The stable code: that of the [reason](Self::reason), `needs_input`, `no_roots`, or the code of a mistake of the server,
    /// such as `bad_options`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.0.cause.code()
    }

    /// The cause.
    #[must_use]
    pub const fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// The absence of a project in an error or among its causes, found by its type.
    ///
    /// ```
    /// use rootwise::Reason;
    /// use rootwise_host::NoProject;
    ///
    /// let error = std::io::Error::other(NoProject::new(Reason::Missing, "The folder does not exist."));
    /// assert_eq!(NoProject::find(&error).and_then(NoProject::reason), Some(Reason::Missing));
    /// assert!(NoProject::find(&std::io::Error::other("The folder does not exist.")).is_none());
    /// ```
    #[must_use]
    pub fn find<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            // Its own source is that of the error inside it.
            let inside = error.downcast_ref().and_then(std::io::Error::get_ref);
            next = inside.map(|inside| inside as &(dyn Error + 'static)).or_else(|| error.source());
        }
        None
    }

    /// The reason, unless the client is asked first, has no usable root, or the server made a mistake.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        match self.0.cause {
            Cause::Reason(reason) => Some(reason),
            _ => None,
        }
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

impl Error for NoProject {}

impl From<ConfigError> for NoProject {
    fn from(error: ConfigError) -> Self {
        let text = error.to_string();
        Self::with_cause(Cause::Config(error), text)
    }
}

impl From<HostProblem> for NoProject {
    fn from(problem: HostProblem) -> Self {
        let cause = match problem {
            HostProblem::NoCall | HostProblem::NotReached | HostProblem::BackgroundTask => Cause::NoCall,
            HostProblem::NeedsInput => Cause::NeedsInput,
            HostProblem::FoldersUnknown { .. } => Cause::Reason(Reason::Outside),
            _ => Cause::Reason(Reason::Unconfirmed),
        };
        let told = problem.told();
        let mut error = Self::with_cause(cause, told.message);
        error.0.instruction = told.instruction.map(Into::into);
        error
    }
}

impl From<Misuse> for NoProject {
    fn from(misuse: Misuse) -> Self {
        let text = misuse.to_string();
        Self::with_cause(Cause::Misuse(misuse), text)
    }
}

impl From<PathRefusal> for NoProject {
    fn from(refusal: PathRefusal) -> Self {
        Self::with_cause(refusal.reason.map_or(Cause::NoRoots, Cause::Reason), refusal.message)
    }
}

impl From<Answer> for NoProject {
    /// The error of an answer that carries no project.
    fn from(answer: Answer) -> Self {
        let mut error = match answer.outcome {
            Outcome::Refused(Refused { code, source, message, instruction, status, .. }) => {
                let mut error = Self::new(code, message);
                error.0.instruction = instruction;
                error.0.source = Some(source);
                error.0.status = status;
                error
            }
            Outcome::Unresolved(Unresolved { code, message, instruction, .. }) => {
                let mut error = Self::new(code, message);
                error.0.instruction = instruction;
                error
            }
            Outcome::NeedsInput { input_requests } => {
                let mut error = Self::with_cause(Cause::NeedsInput, HostProblem::NeedsInput.told().message);
                error.0.input_requests = Some(input_requests);
                error
            }
            _ => Self::new(Reason::NoProject, Reason::NoProject.to_string()),
        };
        error.0.explanation = answer.explanation;
        error
    }
}
