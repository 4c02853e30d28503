//! The absence of a project, as the tools, prompts and resources of rmcp return it.

use rmcp::ErrorData;
use rmcp::model::{ContentBlock, IntoContents};

use crate::error::NoProject;

/// A tool that returns `Result<_, NoProject>` fails with this text: the model reads the cause and the next step.
impl IntoContents for NoProject {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}

/// The same tool result, and the error of a prompt or a resource.
impl From<NoProject> for ErrorData {
    fn from(error: NoProject) -> Self {
        let mut data = serde_json::json!({ "code": error.code() });
        if let (Some(source), Some(data)) = (error.source_kind(), data.as_object_mut()) {
            data.insert("source".into(), source.name().into());
        }
        Self::invalid_params(error.to_string(), Some(data))
    }
}
