//! The functions that need no resolver, in JSON.

use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use super::Failure;
use crate::api::parse_json;
use crate::api::to_json;
use crate::path::uri::{file_uri_to_path, project_key};
use crate::path::{PathStyle, RealPaths, Refusal, is_inside, is_inside_real, join_inside};
use crate::session::{RecoverRequest, recover_session};

/// A function and its arguments.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Call {
    FileUriToPath(UriArguments),
    ProjectKey(UriArguments),
    IsInside(InsideArguments),
    JoinInside(JoinArguments),
    RecoverSession(RecoverRequest),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UriArguments {
    uri: String,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsideArguments {
    root: String,
    path: String,
    style: PathStyle,
    #[serde(default)]
    real: Option<RealArguments>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RealArguments {
    root: String,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinArguments {
    project: String,
    path: String,
    style: PathStyle,
}

#[derive(Serialize)]
struct Returned<T> {
    value: T,
}

/// Calls a function that needs no resolver: `{"fileUriToPath": {"uri": ..., "style": ...}}` returns `{"value": ...}` or
/// `{"error": {"code", "message"}}`. The others are `projectKey`, `isInside`, `joinInside` and `recoverSession`.
#[must_use]
pub fn call(arguments: &str) -> String {
    let call = match parse_json(arguments) {
        Ok(call) => call,
        Err(error) => return Failure::from(error).to_json(),
    };
    match call {
        Call::FileUriToPath(UriArguments { uri, style }) => returned(file_uri_to_path(&uri, style)),
        Call::ProjectKey(UriArguments { uri, style }) => returned(project_key(&uri, style)),
        Call::IsInside(InsideArguments { root, path, style, real: None }) => {
            to_json(&Returned { value: is_inside(&root, &path, style) })
        }
        Call::IsInside(InsideArguments { root, path, style, real: Some(real) }) => {
            let real = RealPaths { root: &real.root, path: &real.path };
            to_json(&Returned { value: is_inside_real(&root, &path, style, real) })
        }
        Call::JoinInside(JoinArguments { project, path, style }) => returned(join_inside(&project, &path, style)),
        Call::RecoverSession(request) => to_json(&Returned { value: recover_session(&request) }),
    }
}

fn returned(result: Result<String, Refusal>) -> String {
    match result {
        Ok(value) => to_json(&Returned { value }),
        Err(refusal) => Failure::new(refusal.code(), &refusal.to_string()).to_json(),
    }
}
