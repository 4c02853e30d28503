//! Ready-made tools for servers that want their model to see and choose the project.

use std::borrow::Cow;

use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use rootwise::event::SelectBy;
use serde_json::json;

use crate::projects::Rootwise;

/// Names of the tools; `None` leaves one out.
///
/// ```
/// let mut names = rootwise_rmcp::ToolNames::default();
/// (names.switch, names.list) = (Some("use_project".into()), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolNames {
    /// Explains which project this is and why; `which_project` by default.
    pub which: Option<Cow<'static, str>>,
    /// Chooses another project; `switch_project` by default.
    pub switch: Option<Cow<'static, str>>,
    /// Lists the client's roots; `list_roots` by default.
    pub list: Option<Cow<'static, str>>,
}

impl Default for ToolNames {
    fn default() -> Self {
        Self {
            which: Some("which_project".into()),
            switch: Some("switch_project".into()),
            list: Some("list_roots".into()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Which,
    Switch,
    List,
}

#[derive(Default)]
pub(crate) struct Tools(Vec<(Kind, Tool)>);

impl Tools {
    pub(crate) fn new(names: ToolNames) -> Self {
        let ToolNames { which, switch, list } = names;
        let named = [(Kind::Which, which), (Kind::Switch, switch), (Kind::List, list)];
        Self(named.into_iter().filter_map(|(kind, name)| Some((kind, kind.tool(name?)))).collect())
    }

    pub(crate) fn list(&self) -> Vec<Tool> {
        self.0.iter().map(|(_, tool)| tool.clone()).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<Kind> {
        self.0.iter().find(|(_, tool)| tool.name == name).map(|(kind, _)| *kind)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Runs a tool; a refusal is a result that the model reads.
pub(crate) async fn call(
    kind: Kind,
    projects: &Rootwise,
    arguments: Option<&JsonObject>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let said = match kind {
        Kind::Which => projects.explain(context).await.map(|explanation| explanation.text.clone()),
        Kind::List => projects.roots(context).await.map(|roots| roots.text),
        Kind::Switch => {
            let Some(project) = arguments.and_then(|arguments| arguments.get("project")?.as_str()) else {
                return Err(ErrorData::invalid_params("bad arguments at project: must be a string", None));
            };
            projects.select(context, SelectBy::Value(project.into())).await.map(|selection| selection.message)
        }
    };
    said.into_call_tool_result()
}

impl Kind {
    fn tool(self, name: Cow<'static, str>) -> Tool {
        let (title, description, reads) = match self {
            Self::Which => (
                "Which project is this?",
                "Explains which project this server works in for you, with the result of every source.",
                true,
            ),
            Self::Switch => ("Switch project", "Makes another folder the project of this connection.", false),
            Self::List => ("List roots", "Lists the folders your client says it works in.", true),
        };
        let tool = Tool::new(name, description, self.schema()).with_title(title);
        if reads { tool.with_annotations(ToolAnnotations::new().read_only(true)) } else { tool }
    }

    fn schema(self) -> JsonObject {
        let schema = if self == Self::Switch {
            let description = "Absolute path or file: URI of the folder, or the name of one of your roots";
            json!({
                "type": "object",
                "properties": { "project": { "type": "string", "description": description } },
                "required": ["project"],
                "additionalProperties": false,
            })
        } else {
            json!({ "type": "object", "properties": {} })
        };
        schema.as_object().cloned().unwrap_or_default()
    }
}
