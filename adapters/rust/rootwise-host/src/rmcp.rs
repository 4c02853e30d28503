//! The absence of a project, as the tools, prompts and resources of rmcp return it.

use std::error::Error;

use rmcp::ErrorData;
use rmcp::model::{ContentBlock, IntoContents};

use crate::error::NoProject;

/// A tool that returns `Result<_, NoProject>` fails with this text: the model reads the cause and the next step.
impl IntoContents for NoProject {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}

/// The same tool result, if the tool belongs to a server of `rootwise-rmcp`, and the error of a prompt or a resource.
impl From<NoProject> for ErrorData {
    fn from(error: NoProject) -> Self {
        let mut data = serde_json::json!({ "code": error.code(), "error": TYPE });
        if let (Some(source), Some(data)) = (error.source_kind(), data.as_object_mut()) {
            data.insert("source".into(), source.name().into());
        }
        Self::invalid_params(error.to_string(), Some(data))
    }
}

/// Says in the data of a protocol error what type it was: rmcp keeps only code, text and data.
const TYPE: &str = "NoProject";

impl NoProject {
    /// The protocol error of any error, with the text of the whole: as of a `NoProject`, if it is one or has one among its
    /// causes, else an internal error.
    ///
    /// ```
    /// use rmcp::ErrorData;
    /// use rootwise::Reason;
    /// use rootwise_host::NoProject;
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// #[error("Could not read the notes: {0}")]
    /// struct ReadFailed(#[from] NoProject);
    ///
    /// impl From<ReadFailed> for ErrorData {
    ///     fn from(error: ReadFailed) -> Self {
    ///         NoProject::error_data(&error)
    ///     }
    /// }
    ///
    /// let error = ErrorData::from(ReadFailed(NoProject::new(Reason::Missing, "The folder does not exist.")));
    /// assert_eq!(error.message, "Could not read the notes: The folder does not exist.");
    /// assert!(NoProject::is_in(&error));
    /// ```
    #[must_use]
    pub fn error_data(error: &(dyn Error + 'static)) -> ErrorData {
        let message = error.to_string();
        match Self::find(error) {
            Some(found) => ErrorData { message: message.into(), ..found.clone().into() },
            None => ErrorData::internal_error(message, None),
        }
    }

    /// Whether a protocol error was made of a `NoProject`.
    #[must_use]
    pub fn is_in(error: &ErrorData) -> bool {
        error.data.as_ref().and_then(|data| data.get("error")?.as_str()) == Some(TYPE)
    }
}
