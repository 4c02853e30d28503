//! Ready-made tools for servers that want their model to see and choose the project.

use std::borrow::Cow;

use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use rootwise::event::SelectBy;
use rootwise::tools::{ReadyTool, ready_tools};

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
        let ready = ready_tools();
        let [which, switch, list] = [ready.which, ready.switch, ready.list].map(|tool| Some(tool.name.into()));
        Self { which, switch, list }
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
        let ready = ready_tools();
        let named =
            [(Kind::Which, ready.which, which), (Kind::Switch, ready.switch, switch), (Kind::List, ready.list, list)];
        Self(named.into_iter().filter_map(|(kind, ready, name)| Some((kind, tool(ready, name?)))).collect())
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

/// A ready-made tool under the name that this server gives it.
fn tool(ready: ReadyTool, name: Cow<'static, str>) -> Tool {
    let schema = serde_json::to_value(&ready.input_schema).ok().and_then(|schema| schema.as_object().cloned());
    let tool = Tool::new(name, ready.description, schema.unwrap_or_default()).with_title(ready.title);
    match ready.annotations {
        Some(annotations) => tool.with_annotations(ToolAnnotations::new().read_only(annotations.read_only_hint)),
        None => tool,
    }
}
