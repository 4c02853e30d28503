//! The tools that the suite expects.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ServerNotification, ServerRequest, Tool};
use serde_json::{Value, json};

use crate::content::{embedded, image, text};
use crate::{Change, Context, Fixtures, made, rounds};

const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const PLAIN: [&str; 24] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_input_required_result_list_roots",
    "test_input_required_result_elicitation",
    "test_streaming_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_missing_capability",
];

pub(crate) fn list() -> Vec<Tool> {
    let required =
        |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let plain = PLAIN.iter().map(|name| (*name, json!({ "type": "object", "properties": {} })));
    let others = [
        ("test_sampling", required("prompt")),
        ("test_elicitation", required("message")),
        ("json_schema_2020_12_tool", rich_schema()),
        (
            "test_x_mcp_header",
            json!({ "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } }),
        ),
    ];
    let described =
        |(name, schema)| made(json!({ "name": name, "description": format!("Fixture {name}"), "inputSchema": schema }));
    plain.chain(others).map(described).collect()
}

fn rich_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": text, "city": text } } },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(crate) fn said(words: &str) -> Result<CallToolResponse, ErrorData> {
    contents(&[text(words)])
}

fn contents(contents: &[Value]) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(made(json!(contents))).into())
}

pub(crate) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let argument = |name: &str| {
        let arguments = request.arguments.as_ref();
        arguments.and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default().to_owned()
    };
    match &*request.name {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => contents(&[image()]),
        "test_audio_content" => contents(&[json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" })]),
        "test_embedded_resource" => {
            contents(&[embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")])
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            let resource = embedded("test://mixed-content-resource", "application/json", &data);
            contents(&[text("Multiple content types test:"), image(), resource])
        }
        "test_error_handling" => {
            let words = text("This tool intentionally returns an error for testing");
            Ok(CallToolResult::error(vec![made(words)]).into())
        }
        "json_schema_2020_12_tool" => said("fine"),
        "test_x_mcp_header" => said(&argument("region")),
        "test_trigger_tool_change" => changed(fixtures, Change::Tools),
        "test_trigger_prompt_change" => changed(fixtures, Change::Prompts),
        "test_tool_with_logging" | "test_logging_tool" => {
            let messages = ["Tool execution started", "Tool processing data", "Tool execution completed"];
            // Since 2026-07-28, a call says whether it wants them.
            let modern = context.meta.0.contains_key("io.modelcontextprotocol/protocolVersion");
            let wanted = !modern || context.meta.0.contains_key("io.modelcontextprotocol/logLevel");
            for words in messages.into_iter().filter(|_| wanted) {
                tell(context, "notifications/message", json!({ "level": "info", "data": words })).await;
            }
            said("logged")
        }
        "test_tool_with_progress" => {
            if let Some(token) = context.meta.0.get("progressToken") {
                for progress in [0, 50, 100] {
                    let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
                    tell(context, "notifications/progress", params).await;
                }
            }
            said("progressed")
        }
        "test_sampling" => {
            let message = json!({ "role": "user", "content": text(&argument("prompt")) });
            let result =
                ask(context, "sampling/createMessage", json!({ "messages": [message], "maxTokens": 100 })).await?;
            let answer = result.pointer("/content/text").or_else(|| result.pointer("/content/0/text"));
            said(&format!("LLM response: {}", answer.and_then(Value::as_str).unwrap_or_default()))
        }
        "test_elicitation" => {
            let properties = json!({ "username": { "type": "string" }, "email": { "type": "string" } });
            elicited(context, &argument("message"), properties, &["username", "email"]).await
        }
        "test_elicitation_sep1034_defaults" => elicited(context, "Defaults", defaults(), &[]).await,
        "test_elicitation_sep1330_enums" => elicited(context, "Enums", enums(), &[]).await,
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            said("reconnected")
        }
        _ => rounds::call(fixtures, request, context).await,
    }
}

fn changed(fixtures: &Fixtures, change: Change) -> Result<CallToolResponse, ErrorData> {
    // Nobody may listen.
    let _ = fixtures.changes.send(change);
    said("told")
}

async fn tell(context: &Context, method: &str, params: Value) {
    let notification: ServerNotification = made(json!({ "method": method, "params": params }));
    // The client may be gone.
    let _ = context.peer.send_notification(notification).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn ask(context: &Context, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = made(json!({ "method": method, "params": params }));
    let result = context.peer.send_request(request).await;
    let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(serde_json::to_value(result).unwrap())
}

async fn elicited(
    context: &Context,
    message: &str,
    properties: Value,
    required: &[&str],
) -> Result<CallToolResponse, ErrorData> {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let result = ask(context, "elicitation/create", params).await?;
    let (action, content) = (result.get("action"), result.get("content").cloned().unwrap_or_else(|| json!({})));
    said(&format!(
        "Elicitation completed: action={}, content={content}",
        action.and_then(Value::as_str).unwrap_or_default()
    ))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn enums() -> Value {
    let options = ["option1", "option2", "option3"];
    let titled: Vec<Value> =
        (1..=3).map(|value| json!({ "const": format!("value{value}"), "title": format!("Option {value}") })).collect();
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}
