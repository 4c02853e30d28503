//! Tools of 2026-07-28 that ask their client by their result.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use serde_json::{Value, json};

use crate::tools::said;
use crate::{Context, Fixtures, made};

pub(crate) fn form(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sampling(words: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": max_tokens } })
}

pub(crate) fn asking(requests: Value, state: Option<String>) -> InputRequiredResult {
    InputRequiredResult::new(Some(made(requests)), state)
}

pub(crate) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let answers: Value = made(serde_json::to_value(&request.input_responses).unwrap());
    let answer = |path: &str| answers.pointer(path).and_then(Value::as_str);
    let ask = |requests: Value| Ok(asking(requests, None).into());
    match &*request.name {
        "test_input_required_result_list_roots" => list_roots(fixtures, &answers, context).await,
        "test_input_required_result_elicitation" => match answer("/user_name/content/name") {
            Some(name) => said(&format!("Hello, {name}!")),
            None => ask(json!({ "user_name": form("What is your name?", "name", "string") })),
        },
        "test_streaming_elicitation" => match answer("/word/content/word") {
            Some(word) => said(word),
            None => ask(json!({ "word": form("A word?", "word", "string") })),
        },
        "test_input_required_result_sampling" => match answer("/capital_question/content/text") {
            Some(text) => said(text),
            None => ask(json!({ "capital_question": sampling("What is the capital of France?", 100) })),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            let question = json!({ "confirm": form("Please confirm", "ok", "boolean") });
            with_state(fixtures, &request, question, "confirmed state-ok")
        }
        "test_input_required_result_multiple_inputs" => {
            let questions = json!({
                "user_name": form("What is your name?", "name", "string"),
                "greeting": sampling("Generate a greeting", 50),
                "client_roots": { "method": "roots/list" },
            });
            with_state(fixtures, &request, questions, "all answered state-ok")
        }
        "test_input_required_result_multi_round" => {
            let steps = [("Step 1: What is your name?", "name"), ("Step 2: What is your favorite color?", "color")];
            let done = opened(fixtures, &request)?.unwrap_or(0);
            let Some((message, name)) = steps.get(done) else { return said("all steps done") };
            let next = done.saturating_add(1);
            let question = json!({ format!("step{next}"): form(message, name, "string") });
            Ok(asking(question, Some(fixtures.state.seal_json(&next).unwrap())).into())
        }
        "test_input_required_result_capabilities" => {
            let mut questions = json!({});
            if declares(context, "elicitation") {
                questions.as_object_mut().unwrap().insert("name".into(), form("What is your name?", "name", "string"));
            }
            if declares(context, "sampling") {
                questions.as_object_mut().unwrap().insert("word".into(), sampling("A word", 10));
            }
            ask(questions)
        }
        "test_missing_capability" if declares(context, "sampling") => ask(json!({ "word": sampling("A word", 10) })),
        "test_missing_capability" => {
            Err(ErrorData::missing_required_client_capability(made(json!({ "sampling": {} }))))
        }
        other => Err(ErrorData::invalid_params(format!("unknown tool {other}"), None)),
    }
}

fn declares(context: &Context, capability: &str) -> bool {
    let capabilities = context.meta.0.get("io.modelcontextprotocol/clientCapabilities");
    capabilities.is_some_and(|capabilities| capabilities.get(capability).is_some())
}

async fn list_roots(fixtures: &Fixtures, answers: &Value, context: &Context) -> Result<CallToolResponse, ErrorData> {
    let uris: Vec<String> = match (&fixtures.projects, answers.pointer("/roots/roots")) {
        (Some(projects), _) => projects.roots(context).await?.roots.iter().map(|view| view.root.uri.clone()).collect(),
        (None, Some(Value::Array(roots))) => {
            roots.iter().filter_map(|root| Some(root.get("uri")?.as_str()?.to_owned())).collect()
        }
        (None, _) => return Ok(asking(json!({ "roots": { "method": "roots/list" } }), None).into()),
    };
    said(&uris.join("\n"))
}

/// The state that a repeated call brings; a state that was changed is an error.
fn opened(fixtures: &Fixtures, request: &CallToolRequestParams) -> Result<Option<usize>, ErrorData> {
    let open = |state: &String| fixtures.state.open_json(state);
    request
        .request_state
        .as_ref()
        .map(open)
        .transpose()
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn with_state(
    fixtures: &Fixtures,
    request: &CallToolRequestParams,
    questions: Value,
    done: &str,
) -> Result<CallToolResponse, ErrorData> {
    match opened(fixtures, request)? {
        Some(_) => said(done),
        None => Ok(asking(questions, Some(fixtures.state.seal_json(&1).unwrap())).into()),
    }
}
