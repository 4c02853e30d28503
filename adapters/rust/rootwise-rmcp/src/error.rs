//! The absence of a project, as tools, prompts and resources return it.

use std::fmt;
use std::ops::Deref;

use rmcp::ErrorData;
use rmcp::model::{ContentBlock, IntoContents};
use rootwise::ConfigError;

/// No project was found for a call. Return it from a tool with `?`: the model then reads the cause and the next step.
///
/// A tool that returns `Result<_, NoProject>` fails with this text. As [`ErrorData`], it becomes the same tool result, and the
/// error of a prompt or a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProject(rootwise_host::NoProject);

impl Deref for NoProject {
    type Target = rootwise_host::NoProject;

    fn deref(&self) -> &rootwise_host::NoProject {
        &self.0
    }
}

impl fmt::Display for NoProject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for NoProject {}

impl From<rootwise_host::NoProject> for NoProject {
    fn from(error: rootwise_host::NoProject) -> Self {
        Self(error)
    }
}

impl From<ConfigError> for NoProject {
    fn from(error: ConfigError) -> Self {
        Self(rootwise_host::NoProject::new(error.code(), error.to_string()))
    }
}

impl IntoContents for NoProject {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}

impl From<NoProject> for ErrorData {
    fn from(error: NoProject) -> Self {
        let mut data = serde_json::json!({ "code": error.code() });
        if let (Some(source), Some(data)) = (error.source_kind(), data.as_object_mut()) {
            data.insert("source".into(), source.name().into());
        }
        Self::invalid_params(error.to_string(), Some(data))
    }
}
