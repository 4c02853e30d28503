//! The parameter that names the project, in the tools of a server that do not have it.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, JsonObject, PaginatedRequestParams, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use rootwise::parameter::ProjectParameter;
use serde_json::{Value, json};

/// The pages of `tools/list` that are read at most to find a tool.
const MAX_PAGES: usize = 64;

/// Adds the parameter to the input schema of a tool that has none of this name.
pub(crate) fn add(tool: &mut Tool, name: &str, parameter: &ProjectParameter) {
    if has(tool, name) {
        return;
    }
    let mut schema = JsonObject::clone(&tool.input_schema);
    schema.entry("type").or_insert_with(|| json!("object"));
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.insert(name.to_owned(), json!({ "type": parameter.r#type, "description": parameter.description }));
        tool.input_schema = Arc::new(schema);
    }
}

fn has(tool: &Tool, name: &str) -> bool {
    tool.input_schema.get("properties").and_then(|properties| properties.get(name)).is_some()
}

/// Takes the parameter out of a call whose tool does not declare it.
pub(crate) async fn take_out<S: ServerHandler>(
    handler: &S,
    request: &mut CallToolRequestParams,
    name: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    if !request.arguments.as_ref().is_some_and(|arguments| arguments.contains_key(name)) {
        return Ok(());
    }
    let tool = match handler.get_tool(&request.name) {
        Some(tool) => Some(tool),
        None => listed(handler, &request.name, context).await?,
    };
    if tool.is_some_and(|tool| !has(&tool, name))
        && let Some(arguments) = &mut request.arguments
    {
        arguments.remove(name);
    }
    Ok(())
}

/// A tool of a handler that cannot tell one by its name.
async fn listed<S: ServerHandler>(
    handler: &S,
    name: &str,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Tool>, ErrorData> {
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let result = handler.list_tools(page, context.clone()).await?;
        if let Some(tool) = result.tools.into_iter().find(|tool| tool.name == name) {
            return Ok(Some(tool));
        }
        let Some(next) = result.next_cursor else { break };
        cursor = Some(next);
    }
    Ok(None)
}
