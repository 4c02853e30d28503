use rootwise::path::{PathStyle, RealPaths, Refusal, is_inside, is_inside_real, join_inside};
use rootwise::recover::{RecoverRequest, recover_session};
use rootwise::uri::{file_uri_to_path, project_key};
use serde::{Deserialize, Serialize};

use crate::{failure, misuse, text};

/// One call of a function that needs no resolver.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Call {
    FileUriToPath { uri: String, style: PathStyle },
    ProjectKey { uri: String, style: PathStyle },
    IsInside { root: String, path: String, style: PathStyle, real: Option<Real> },
    JoinInside { project: String, path: String, style: PathStyle },
    RecoverSession(RecoverRequest),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Real {
    root: String,
    path: String,
}

/// Calls a function that needs no resolver: `{"fileUriToPath": {"uri": ..., "style": ...}}` gives `{"value": ...}`.
#[must_use]
pub fn call(arguments: &str) -> String {
    let call: Call = match serde_json::from_str(arguments) {
        Ok(call) => call,
        Err(error) => return misuse("call", error.to_string()),
    };
    match call {
        Call::FileUriToPath { uri, style } => judged(file_uri_to_path(&uri, style)),
        Call::ProjectKey { uri, style } => judged(project_key(&uri, style)),
        Call::IsInside { root, path, style, real } => value(&real.map_or_else(
            || is_inside(&root, &path, style),
            |real| is_inside_real(&root, &path, style, RealPaths { root: &real.root, path: &real.path }),
        )),
        Call::JoinInside { project, path, style } => judged(join_inside(&project, &path, style)),
        Call::RecoverSession(request) => value(&recover_session(&request)),
    }
}

fn judged(result: Result<String, Refusal>) -> String {
    match result {
        Ok(path) => value(&path),
        Err(refusal) => failure(refusal.code(), &refusal.to_string()),
    }
}

fn value(value: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Value<'a, T> {
        value: &'a T,
    }
    text(&Value { value })
}
