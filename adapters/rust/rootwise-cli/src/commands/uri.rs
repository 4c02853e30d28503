//! `rootwise uri`: a `file:` URI and the path that it names.

use rootwise::PathStyle;
use rootwise::path::uri::{file_uri_to_path, path_to_file_uri, project_id};
use rootwise::path::{Refusal, absolute, basename, key};
use serde_json::{Value, json};

use crate::command_line::Uri;
use crate::output::{Answer, BAD, FAINT, STRONG, styled};

pub(crate) fn uri(options: &Uri) -> Answer {
    match described(&options.value, options.style()) {
        Ok(json) => Answer { text: text_of(&json), json, good: true },
        Err(refusal) => {
            let json = json!({ "error": { "code": refusal.code(), "message": refusal.to_string() } });
            Answer { text: styled(BAD, refusal), json, good: false }
        }
    }
}

fn text_of(json: &Value) -> String {
    let value = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
    let labelled = |name: &str| format!("\n  {} {}", styled(FAINT, format_args!("{name:<5}")), value(name));
    let rest: String = ["uri", "name", "id"].into_iter().map(labelled).collect();
    format!("{}{rest}", styled(STRONG, value("path")))
}

fn described(value: &str, style: PathStyle) -> Result<Value, Refusal> {
    let path = match absolute(value, style) {
        Ok(path) => path,
        Err(_) => file_uri_to_path(value, style)?,
    };
    let key = key(&path, style)?;
    Ok(json!({
        "path": path,
        "uri": path_to_file_uri(&path, style),
        "name": basename(&path, style),
        "id": project_id(&key),
        "key": key,
    }))
}
