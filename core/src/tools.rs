//! The ready-made tools with which a model sees and changes its project, as a server declares them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{borrow::ToOwned, collections::BTreeMap};

use serde::Serialize;

use crate::collect::inserted;
use crate::parameter::ProjectParameter;
use crate::texts::tools as texts;

/// A ready-made tool. Its members are those of a tool in the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadyTool {
    /// The name that it has by default.
    pub name: String,
    /// A title for people.
    pub title: String,
    /// What a model reads about it.
    pub description: String,
    /// Its arguments.
    pub input_schema: InputSchema,
    /// What clients may know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
}

/// The JSON schema of a tool's arguments, all of which are required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputSchema {
    /// The JSON type.
    pub r#type: String,
    /// The arguments by name.
    pub properties: BTreeMap<String, ProjectParameter>,
    /// Their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Whether there may be others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_properties: Option<bool>,
}

/// Hints for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// Whether the tool changes nothing.
    pub read_only_hint: bool,
}

/// The ready-made tools of every adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadyTools {
    /// Explains which project this is and why.
    pub which: ReadyTool,
    /// Selects another project, which its argument `project` names.
    pub switch: ReadyTool,
    /// Lists the client's roots.
    pub list: ReadyTool,
}

/// Describes the ready-made tools, so that they are the same in every language.
///
/// ```
/// let tools = rootwise::tools::ready_tools();
/// assert_eq!(tools.which.name, "which_project");
/// assert!(tools.switch.input_schema.properties.contains_key("project"));
/// ```
#[must_use]
pub fn ready_tools() -> ReadyTools {
    let project = ProjectParameter { r#type: "string".to_owned(), description: texts::SWITCH_TO.to_owned() };
    let takes_project = InputSchema {
        properties: inserted([("project".to_owned(), project)]),
        required: ["project".to_owned()].into(),
        additional_properties: Some(false),
        ..nothing()
    };
    let reads = Some(Annotations { read_only_hint: true });
    ReadyTools {
        which: tool("which_project", texts::WHICH_TITLE, texts::WHICH, nothing(), reads),
        switch: tool("switch_project", texts::SWITCH_TITLE, texts::SWITCH, takes_project, None),
        list: tool("list_roots", texts::LIST_TITLE, texts::LIST, nothing(), reads),
    }
}

fn tool(
    name: &str,
    title: &str,
    description: &str,
    input_schema: InputSchema,
    annotations: Option<Annotations>,
) -> ReadyTool {
    let [name, title, description] = [name, title, description].map(ToString::to_string);
    ReadyTool { name, title, description, input_schema, annotations }
}

/// The schema of a tool without arguments.
fn nothing() -> InputSchema {
    InputSchema {
        r#type: "object".to_owned(),
        properties: BTreeMap::new(),
        required: Vec::new(),
        additional_properties: None,
    }
}
