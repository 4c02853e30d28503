//! Content that does not depend on the caller: prompts and resources.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, Prompt, ReadResourceResponse, Resource, ResourceTemplate,
};
use serde_json::{Value, json};

use crate::made;
use crate::rounds::{asking, form};

pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

pub(crate) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub(crate) fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

pub(crate) fn embedded(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
}

pub(crate) fn prompts() -> Vec<Prompt> {
    let prompts = [
        ("test_simple_prompt", &[][..]),
        ("test_prompt_with_arguments", &["arg1", "arg2"]),
        ("test_prompt_with_embedded_resource", &["resourceUri"]),
        ("test_prompt_with_image", &[]),
        ("test_input_required_result_prompt", &[]),
    ];
    let described = |(name, arguments): (&str, &[&str])| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|name| json!({ "name": name, "description": format!("Argument {name}"), "required": true }))
            .collect();
        made(json!({ "name": name, "description": format!("Fixture {name}"), "arguments": arguments }))
    };
    prompts.into_iter().map(described).collect()
}

pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument =
        |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default();
    let contents = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![text(&format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
        }
        "test_prompt_with_embedded_resource" => vec![
            embedded(argument("resourceUri"), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        "test_input_required_result_prompt" => {
            let answers = request.input_responses.as_ref();
            match answers.and_then(|answers| answers.get("user_context")?.pointer("/content/context")?.as_str()) {
                Some(context) => vec![text(context)],
                None => {
                    let question = form("What context should the prompt use?", "context", "string");
                    return Ok(asking(json!({ "user_context": question }), None).into());
                }
            }
        }
        other => return Err(ErrorData::invalid_params(format!("unknown prompt {other}"), None)),
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Ok(GetPromptResponse::Complete(made(json!({ "resultType": "complete", "messages": messages }))))
}

pub(crate) fn resources() -> Vec<Resource> {
    let all = [("static-text", "text/plain"), ("static-binary", "image/png"), ("watched-resource", "text/plain")];
    let described = |(name, mime_type): (&str, &str)| {
        made(
            json!({ "uri": format!("test://{name}"), "name": name, "description": format!("Fixture {name}"), "mimeType": mime_type }),
        )
    };
    all.into_iter().map(described).collect()
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = json!({
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Fixture template",
        "mimeType": "application/json",
    });
    vec![made(template)]
}

pub(crate) fn resource(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let templated = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, templated) {
        ("test://static-text", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        ("test://watched-resource", _) => json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" }),
        (_, Some(id)) => {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
        _ => return Err(ErrorData::resource_not_found(format!("unknown resource {uri}"), Some(json!({ "uri": uri })))),
    };
    Ok(ReadResourceResponse::Complete(made(json!({ "resultType": "complete", "contents": [content] }))))
}
